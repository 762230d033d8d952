"""What the writers write, the framers read again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.eventstream import EventStreamBuffer
from framing.cuts import random_cuts, run, run_every_way, split
from hypothesis import given
from hypothesis import strategies as st

from toolwire.framing import FRAMINGS, detect
from toolwire.framing.writers import EXCEPTION, WRITERS, EventStreamWriter, JSONArrayWriter, SSEWriter, dumped

Payload = dict[str, Any]

# As each stands in a body.
CASES: dict[str, tuple[list[tuple[str, Any]], dict[str, bytes]]] = {
    "nothing": ([], {"sse": b"", "json-lines": b"", "json-array": b"[]", "aws-eventstream": b""}),
    "one": (
        [("", {"a": 1})],
        {"sse": b'data: {"a":1}\n\n', "json-lines": b'{"a":1}\n', "json-array": b'[{"a":1}\n]'},
    ),
    "named": (
        [("x", {"a": "é😀"}), ("", {}), ("y.z-1", {"b": [None, True, 1.5]})],
        {
            "sse": 'event: x\ndata: {"a":"é😀"}\n\ndata: {}\n\nevent: y.z-1\ndata: {"b":[null,true,1.5]}\n\n'.encode(),
            "json-lines": '{"a":"é😀"}\n{}\n{"b":[null,true,1.5]}\n'.encode(),
            "json-array": '[{"a":"é😀"},\r\n{},\r\n{"b":[null,true,1.5]}\n]'.encode(),
        },
    ),
    "line ends and brackets in texts": (
        [("", {"a": "\r\n\n}]\u2028\x00"})],
        {
            "sse": 'data: {"a":"\\r\\n\\n}]\u2028\\u0000"}\n\n'.encode(),
            "json-lines": '{"a":"\\r\\n\\n}]\u2028\\u0000"}\n'.encode(),
            "json-array": '[{"a":"\\r\\n\\n}]\u2028\\u0000"}\n]'.encode(),
        },
    ),
    "half a surrogate pair": (
        [("", {"a": "\ud83d"})],
        {"sse": b'data: {"a":"\\ud83d"}\n\n', "json-lines": b'{"a":"\\ud83d"}\n', "json-array": b'[{"a":"\\ud83d"}\n]'},
    ),
    "a number past 64 bits": (
        [("", {"a": 10**30})],
        {"sse": b'data: {"a":%d}\n\n' % 10**30, "json-lines": b'{"a":%d}\n' % 10**30},
    ),
    "a text as it is": ([("", {}), ("", "[DONE]")], {"sse": b"data: {}\n\ndata: [DONE]\n\n"}),
}


def body_of(frames: list[tuple[str, Any]], framing: str) -> bytes:
    writer = WRITERS[framing]()
    return b"".join([writer.write([frame]) for frame in frames]) + writer.end()


def read(data: bytes, framing: str) -> list[tuple[str, Any]]:
    outcome = run_every_way(FRAMINGS[framing], data)
    assert outcome.fault is None
    assert outcome.stray == b""
    return [(event, payload if payload == b"[DONE]" else json.loads(payload)) for event, payload, _ in outcome.frames]


@pytest.mark.parametrize("framing", WRITERS)
@pytest.mark.parametrize("name", CASES)
def test_what_is_written(name: str, framing: str) -> None:
    frames, bodies = CASES[name]
    data = body_of(frames, framing)
    writer = WRITERS[framing]()
    assert writer.write(frames) + writer.end() == data  # at once
    if framing in bodies:
        assert data == bodies[framing]
    named = framing in ("sse", "aws-eventstream")
    done = [(event, b"[DONE]" if payload == "[DONE]" else payload) for event, payload in frames]
    if framing != "json-array" or name != "a text as it is":  # which is no JSON
        assert read(data, framing) == [(event if named else "", payload) for event, payload in done]


def test_there_is_a_framer_for_each() -> None:
    assert WRITERS.keys() == FRAMINGS.keys()
    assert {name: writer.media_type for name, writer in WRITERS.items()} == {
        "sse": "text/event-stream",
        "json-lines": "application/x-ndjson",
        "json-array": "application/json",
        "aws-eventstream": "application/vnd.amazon.eventstream",
    }


@pytest.mark.parametrize("framing", WRITERS)
def test_the_framing_can_be_told_from_what_is_written(framing: str) -> None:
    assert detect(body_of([("x", {"a": 1}), ("y", {"b": 2})], framing)) == framing


@pytest.mark.parametrize("name", ["a\nb", "a\r", "\ud83d", "a\x85b", "\u2028"])
def test_what_is_no_name_in_an_event_stream(name: str) -> None:
    """It might end its line, and begin one of its own."""
    assert SSEWriter().write([(name, {})]) == b"data: {}\n\n"


def test_an_array_that_is_broken_off() -> None:
    """Without its end it is no array."""
    writer = JSONArrayWriter()
    outcome = run(FRAMINGS["json-array"], [writer.write([("", {"a": 1})])])
    assert [payload for _, payload, _ in outcome.frames] == [b'{"a":1}']
    assert outcome.fault == ("protocol", 0, "bytes ended inside an array (begun at byte 0)")


@pytest.mark.parametrize(
    ("payload", "text"),
    [({"b": 1, "a": [1, 2]}, b'{"b":1,"a":[1,2]}'), ("[DONE]", b"[DONE]"), ("é", "é".encode()), ([], b"[]")],
)
def test_payloads(payload: Any, text: bytes) -> None:
    assert dumped(payload) == text


# --- AWS's event stream ----------------------------------------------------------------------------------------

CONTENT = {":content-type": "application/json"}


def read_by_botocore(data: bytes) -> list[tuple[dict[str, str], bytes]]:
    """With both checksums."""
    buffer = EventStreamBuffer()
    buffer.add_data(data)
    return [(message.headers, message.payload) for message in buffer]


def test_a_frame() -> None:
    """As the official client reads it."""
    data = EventStreamWriter().write([("messageStop", {"stopReason": "end_turn"}), ("é", {})])
    assert read_by_botocore(data) == [
        ({":event-type": "messageStop", **CONTENT, ":message-type": "event"}, b'{"stopReason":"end_turn"}'),
        ({":event-type": "é", **CONTENT, ":message-type": "event"}, b"{}"),
    ]


def test_an_exception() -> None:
    data = EventStreamWriter().write([(f"{EXCEPTION}throttlingException", {"message": "slow"})])
    headers = {":exception-type": "throttlingException", **CONTENT, ":message-type": "exception"}
    assert read_by_botocore(data) == [(headers, b'{"message":"slow"}')]
    error = {"message": "slow", "type": "throttlingException"}
    assert read(data, "aws-eventstream") == [("error", {"error": error})]


# --- any frames ------------------------------------------------------------------------------------------------

names = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=9)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
payloads = st.dictionaries(st.text(), values, max_size=3)


@given(st.lists(st.tuples(names, payloads), max_size=5), random_cuts, st.sampled_from(list(WRITERS)))
def test_any_frames_any_cuts(frames: list[tuple[str, Payload]], cuts: list[int], framing: str) -> None:
    data = body_of(frames, framing)
    outcome = run(FRAMINGS[framing], split(data, cuts))
    assert outcome.fault is None
    assert [json.loads(payload) for _, payload, _ in outcome.frames] == [payload for _, payload in frames]
    if framing in ("sse", "aws-eventstream"):
        assert [event for event, _, _ in outcome.frames] == [event for event, _ in frames]
    if framing == "aws-eventstream":
        told = read_by_botocore(data)
        assert [headers[":event-type"] for headers, _ in told] == [event for event, _ in frames]
        assert [payload for _, payload in told] == [dumped(payload) for _, payload in frames]
