"""Every recording through every wire that is written: the same comes out again, but for the known losses."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from support import WIRES, cut, expected_records, needs_shared, recording
from wire.encode.kit import shown
from wire.encode.losses import API, comparable, expected, record

from toolwire import Encoder, Message, Stream
from toolwire.wire.encode import ENCODERS
from toolwire.wire.encode.usage import tokens

RECORDS = expected_records(*WIRES)

pytestmark = needs_shared


def events_of(data: bytes, wire: str, **options: Any) -> list[Any]:
    stream = Stream(wire, **options)
    return [*stream.receive(data), *stream.end()]


def through(events: list[Any], to: str, **options: Any) -> bytes:
    encoder = Encoder(to, **options)
    return b"".join([encoder.feed(event) for event in events]) + encoder.end()


def differences(one: Any, other: Any, path: str = "") -> list[str]:
    """Where two records differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        return [
            d for key in one.keys() | other.keys() for d in differences(one.get(key), other.get(key), f"{path}.{key}")
        ]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [d for n, (a, b) in enumerate(zip(one, other, strict=True)) for d in differences(a, b, f"{path}[{n}]")]
    return [] if one == other else [f"{path}: {str(one)[:300]!r} became {str(other)[:300]!r}"]


def check(case: dict[str, Any], to: str) -> list[str]:
    events = events_of(recording(case), case["wire"])
    before = Message.of(events)
    wanted, _ = expected(before, to)
    after = comparable(record(Message.of(events_of(through(events, to), to)), mapped=True, wire=to))
    if wanted["choices"] is None:
        del wanted["choices"], after["choices"]
    return differences(wanted, after)


@pytest.mark.parametrize("to", ENCODERS)
@pytest.mark.parametrize("case", RECORDS, ids=lambda case: case["file"])
def test_round_trip(case: dict[str, Any], to: str) -> None:
    assert check(case, to) == []


# Whose calls turn out not to be the client's only after they were told: the encoder may know that sooner or later.
TOLD_LATE = "gemini_2_5_flash_e"


@pytest.mark.parametrize("to", ENCODERS)
def test_cuts_make_no_difference(to: str) -> None:
    """The bytes that are written depend on what came, not on how it was cut."""
    for case in RECORDS:
        if TOLD_LATE in case["file"]:
            continue
        data = recording(case)
        places = Random(case["file"]).choices(range(1, len(data)), k=40)
        assert written(cut(data, places), case["wire"], to) == written([data], case["wire"], to), case["file"]


def written(pieces: list[bytes], wire: str, to: str) -> str:
    """What is written of a recording, with made-up ids numbered in the order of their appearance."""
    stream, encoder = Stream(wire), Encoder(to)
    out = [encoder.feed(event) for piece in pieces if not stream.done for event in stream.receive(piece)]
    out += [*[encoder.feed(event) for event in stream.end()], encoder.end()]
    seen: dict[str, str] = {}
    said = "\n".join(shown(b"".join(out)))
    return re.sub("[0-9a-f]{24,32}", lambda found: seen.setdefault(found[0], str(len(seen))), said)


@pytest.mark.parametrize("to", API)
def test_a_client_that_heeds_the_reason_is_told_it(to: str) -> None:
    """With `fail_on_cut=False` a turn that was cut inside a call says so, and the call stays what it is."""
    cut_ones = 0
    for case in RECORDS:
        events = events_of(recording(case), case["wire"])
        before = Message.of(events)
        if before.finish != "length" or not any(call.status == "incomplete" for call in before.calls):
            continue
        cut_ones += 1
        after = Message.of(events_of(through(events, to, fail_on_cut=False), to))
        assert after.finish == "length"
        assert after.error is None
        assert [call.status for call in after.calls] == [call.status for call in before.calls]
        assert not after.executable
    assert cut_ones >= 10


# What it takes to have token counts told.
TOLD: dict[str, dict[str, Any]] = {"ai-sdk-ui": {"usage": True}, "ag-ui": {"client": "1.0"}}


@pytest.mark.parametrize("to", ENCODERS)
def test_token_counts_come_through(to: str) -> None:
    """All input and all output, however a provider's words and those of the wire divide them."""
    compared = 0
    for case in RECORDS:
        events = events_of(recording(case), case["wire"])
        before, after = (Message.of(each) for each in (events, events_of(through(events, to, **TOLD.get(to, {})), to)))
        if before.usage is None or before.usage.output_tokens is None or after.error is not None:
            continue
        said = tokens(before.usage)
        if to.startswith("gemini") and (said.reasoning or 0) > (said.output or 0):
            continue  # it counted its thoughts apart, though its words say that it doesn't
        assert after.usage is not None, case["file"]
        assert tokens(after.usage)[:2] == (said.input or 0, said.output), case["file"]
        compared += 1
    assert compared > 200
