"""Whatever bytes come, a stream gives events in legal order, ends, and never raises.

Invariant: every mutated recording, fed in random cuts, passes the grammar, ends with a `Finish` per choice, and what
may be executed is a named client call with usable arguments. `TOOLWIRE_FUZZ_SECONDS` sets the time per wire,
`TOOLWIRE_FUZZ_SEED` the seed.
"""

from __future__ import annotations

import json
import os
import random
import time
from typing import Any

import pytest
from support import WIRES, cut, expected_records, needs_shared, recording, run

from toolwire import Message, ToolwireError
from toolwire.framing import AutoFramer

SECONDS = float(os.environ.get("TOOLWIRE_FUZZ_SECONDS", "10"))

pytestmark = needs_shared

# Values that a field may suddenly hold.
ODDITIES: list[Any] = [
    None, True, False, 0, -1, 1, 2**63, 10**30, 0.5, "", "null", " ", "x", "\ud83d", "\x00", "{", "{}",
    '{"a":', '"', "]",
    [], [None], [[]], {}, {"a": {}}, {"type": "x"}, {"index": {}}, "tool_calls", "stop", "length",
]  # fmt: skip


def _payloads(data: bytes) -> list[Any]:
    framer = AutoFramer()
    frames = [*framer.feed(data), *framer.end()]
    return [json.loads(frame[1]) if frame[1] != b"[DONE]" else "[DONE]" for frame in frames]


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    out = [path] if path else []
    if isinstance(value, dict):
        for key, each in value.items():
            out += _paths(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            out += _paths(each, (*path, index))
    return out


def _mutate_payload(payload: Any, rng: random.Random) -> Any:
    payload = json.loads(json.dumps(payload))
    paths = _paths(payload)
    if not paths:
        return rng.choice(ODDITIES)
    *parents, last = rng.choice(paths)
    target = payload
    for key in parents:
        target = target[key]
    roll = rng.random()
    if roll < 0.6:
        target[last] = rng.choice(ODDITIES)
    elif roll < 0.8:
        del target[last]
    elif isinstance(target[last], str) and target[last]:
        at = rng.randrange(len(target[last]))
        target[last] = (
            target[last][:at] + rng.choice(["", '"', "\\", "}", "{", "\n", "é", "\ud83d"]) + target[last][at + 1 :]
        )
    else:
        target[last] = [target[last]]
    return payload


def _mutate_list(payloads: list[Any], rng: random.Random) -> list[Any]:
    payloads = list(payloads)
    for _ in range(rng.randint(1, 4)):
        if not payloads:
            break
        at = rng.randrange(len(payloads))
        other = rng.randrange(len(payloads))
        match rng.randrange(6):
            case 0:
                del payloads[at]
            case 1:
                payloads.insert(other, payloads[at])
            case 2:
                payloads[at], payloads[other] = payloads[other], payloads[at]
            case 3:
                del payloads[at:]
            case _:
                payloads[at] = _mutate_payload(payloads[at], rng)
    return payloads


def _mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        if not out:
            break
        at = rng.randrange(len(out))
        size = rng.choice([1, 1, 2, 8, 64])
        match rng.randrange(5):
            case 0:
                out[at] ^= 1 << rng.randrange(8)
            case 1:
                del out[at : at + size]
            case 2:
                out[at:at] = out[at : at + size]
            case 3:
                out[at : at + size] = bytes(rng.randrange(256) for _ in range(size))
            case _:
                del out[at:]
    return bytes(out)


def mutated(data: bytes, rng: random.Random) -> list[Any]:
    """A mutated recording: as parsed payloads, or as bytes in random cuts."""
    if rng.random() < 0.4:
        return [
            each for each in _mutate_list(_payloads(data), rng) if isinstance(each, dict | list) or each == "[DONE]"
        ]
    if rng.random() < 0.5:
        payloads = _mutate_list(_payloads(data), rng)
        data = "".join(f"data: {json.dumps(payload)}\n\n" for payload in payloads).encode()
    data = _mutate_bytes(data, rng)
    return cut(data, [rng.randrange(1 << 20) for _ in range(rng.choice([0, 1, 5, 40]))])


@pytest.mark.parametrize("wire", WIRES)
def test_mutated_recordings(wire: str) -> None:
    """Flipped, dropped, doubled, swapped and cut payloads and bytes give nothing but events."""
    recordings = [recording(record) for record in expected_records(wire)]
    seed = int(os.environ.get("TOOLWIRE_FUZZ_SEED") or int.from_bytes(os.urandom(6)))
    rng = random.Random(seed)
    until = time.monotonic() + SECONDS
    runs = 0
    while time.monotonic() < until:
        pieces = mutated(rng.choice(recordings), rng)
        try:
            events = run(pieces, wire if rng.random() < 0.8 else "auto")
        except ToolwireError as error:
            raise AssertionError(f"seed {seed}, run {runs}: {error!r} for {pieces!r:.2000}") from error
        except Exception as error:
            raise AssertionError(f"seed {seed}, run {runs}: {error!r} for {pieces!r:.4000}") from error
        for choice in Message.of(events).choices:
            for call in choice.executable:
                assert call.name, pieces
                assert call.kind == "custom" or isinstance(call.arguments, dict), pieces
        runs += 1
    print(f"{wire}: {runs} mutated streams, seed {seed}")
    assert runs > 0
