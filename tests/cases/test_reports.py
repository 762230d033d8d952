"""The reproductions of public bug reports come out right."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support import aws_frame, byte_by_byte, needs_shared, reported_cases, run, to_sse

from toolwire import Event, Message, Stream
from toolwire.grammar import check

pytestmark = needs_shared

SHAPES = ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "ollama")
CASES = [case for case in reported_cases() if case["provider_shape"] in (*SHAPES, "sse-bytes", "bedrock-eventstream")]

# Where a record and the design differ, the design holds.
FINISH_BY_DESIGN = {
    "ARG-17": ("tool_calls", "two documents in one slot make the call invalid, not the turn an error"),
    "VAL-04": ("tool_calls", "a call that is no object is invalid, its turn still finished with calls"),
}
# The stream is silent and stays open: what ends it is a limit in time.
STAYS_OPEN = {"FIN-15"}
# The records leave out what every such stream ends with.
TERMINATOR_LEFT_OUT: dict[str, str] = {"AN-08": "message_stop"}


def _pieces(case: dict[str, Any]) -> list[Any]:
    if case["provider_shape"] == "sse-bytes":
        return [bytes.fromhex(chunk["hex"]) for chunk in case["chunks"]]
    if case["provider_shape"] == "bedrock-eventstream":
        return [aws_frame(chunk["headers"], json.dumps(chunk["payload"]).encode()) for chunk in case["chunks"]]
    return [chunk.get("event", chunk) if isinstance(chunk, dict) else chunk for chunk in case["chunks"]]


def _wire(case: dict[str, Any]) -> str:
    return case["provider_shape"] if case["provider_shape"] in SHAPES else "auto"


def _until_a_limit(case: dict[str, Any]) -> list[Event]:
    """The events of a stream whose source says no more, on a clock of the case's own."""
    stream = Stream(_wire(case))
    events = [event for piece in _pieces(case)[:1] for event in stream.receive_payload(piece, 0.0)]
    assert stream.tick(60.0) == []
    due = stream.deadline()
    assert due is not None
    events += stream.tick(due)
    check(events)
    return events


def _check(case: dict[str, Any], message: Message) -> None:
    expected = case["expected"]
    executable = [call for choice in message.choices for call in choice.executable]
    want = expected["calls"] or []
    assert [(call.name, call.arguments) for call in executable] == [(call["name"], call["arguments"]) for call in want]
    for call, wanted in zip(executable, want, strict=True):
        assert "id" not in wanted or call.id == wanted["id"]
    assert len({call.id for call in executable}) == len(executable)
    finish, _ = FINISH_BY_DESIGN.get(case["id"], (expected["finish"], ""))
    assert message.finish == finish


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_gives_the_expected_result(case: dict[str, Any]) -> None:
    """As recorded, and for payload shapes as bytes in the smallest cuts too."""
    if case["id"] in STAYS_OPEN:
        _check(case, Message.of(_until_a_limit(case)))
        return
    pieces = _pieces(case)

    _check(case, Message.of(run(pieces, _wire(case))))

    if case["provider_shape"] in SHAPES:
        data = to_sse(pieces, named=case["provider_shape"] == "anthropic")
        _check(case, Message.of(run(byte_by_byte(data), _wire(case))))
