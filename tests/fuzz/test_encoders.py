"""Whatever a stream holds, every encoder writes it without an exception, and nothing becomes executable on the way.

Half of `TOOLWIRE_FUZZ_SECONDS` is the time per provider's wire, `TOOLWIRE_FUZZ_SEED` the seed.
"""

from __future__ import annotations

import os
import random
import time
from typing import Any

import pytest
from fuzz.test_mutations import SECONDS, mutated
from support import WIRES, expected_records, needs_shared, recording, run

from toolwire import Encoder, Message, Stream, original_id
from toolwire.grammar import check
from toolwire.wire.encode import ENCODERS

pytestmark = needs_shared


def executable(message: Message) -> list[tuple[Any, ...]]:
    """The calls that may be run. A free text may have become a member of an object."""
    return [
        (call.name, call.arguments if call.kind != "custom" else {"input": call.arguments})
        for choice in message.choices
        for call in choice.executable
    ]


@pytest.mark.parametrize("wire", WIRES)
def test_mutated_recordings_are_written(wire: str) -> None:
    recordings = [recording(record) for record in expected_records(wire)]
    seed = int(os.environ.get("TOOLWIRE_FUZZ_SEED") or int.from_bytes(os.urandom(6)))
    rng = random.Random(seed)
    until = time.monotonic() + SECONDS / 2
    runs = 0
    while time.monotonic() < until:
        pieces = mutated(rng.choice(recordings), rng)
        events = run(pieces, wire)
        before = executable(Message.of(events))
        for to in ENCODERS:
            where = f"seed {seed}, run {runs}, {to}: {pieces!r:.3000}"
            encoder = Encoder(to)
            try:
                data = b"".join([encoder.feed(event) for event in events]) + encoder.end()
            except Exception as error:
                raise AssertionError(f"{error!r}, {where}") from error
            stream = Stream(to)
            after = [*stream.receive(data), *stream.end()]
            check(after)
            message = Message.of(after)
            for name, arguments in executable(message):
                assert (name, arguments) in before, where
            assert encoder.failed or message.error is None, where
            assert all(original_id(call.id) for choice in message.choices for call in choice.calls), where
        runs += 1
    print(f"{wire}: {runs} mutated streams through {len(ENCODERS)} encoders, seed {seed}")
    assert runs > 0
