"""The sans-I/O stream: finding the wire, bad bytes, misuse."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support import plain, run, to_sse

import toolwire
from toolwire.grammar import check

CHAT: dict[str, Any] = {"choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": "stop"}]}
ANTHROPIC: dict[str, Any] = {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}}
RESPONSES: dict[str, Any] = {"type": "response.created", "response": {"id": "r", "status": "in_progress"}}
GEMINI: dict[str, Any] = {"candidates": [{"content": {"parts": [{"text": "hi"}]}, "finishReason": "STOP"}]}
FIRST = {"openai-chat": CHAT, "anthropic": ANTHROPIC, "openai-responses": RESPONSES, "gemini": GEMINI}


@pytest.mark.parametrize("wire", FIRST)
def test_auto_finds_the_wire(wire: str) -> None:
    """From payloads, SSE, JSON lines and a JSON array, also behind payloads of no known shape."""
    payload = FIRST[wire]
    line = json.dumps(payload).encode()
    for pieces, framing in (
        ([payload], None),
        ([to_sse([payload])], "sse"),
        ([line + b"\n"], "json-lines"),
        ([b"[" + line + b"]"], "json-array"),
        ([to_sse([{"ping": 1}, payload])], "sse"),
    ):
        stream = toolwire.Stream()
        for piece in pieces:
            _ = stream.receive(piece) if isinstance(piece, bytes) else stream.receive_payload(piece)
        assert (stream.wire, stream.framing) == (wire, framing)


def test_payloads_before_the_wire_is_known_are_not_lost() -> None:
    """They are decoded once it is."""
    events = run([{"hello": 1}, CHAT])

    assert ("unknown", {"hello": 1}, "") in plain(events)
    assert ("text_delta", 0, "hi") in plain(events)


BAD: dict[str, tuple[Any, str, str]] = {
    "html": (b"<!DOCTYPE html>\n<html><body>502 Bad Gateway</body></html>\n", "protocol", "DOCTYPE html"),
    "plain text": (b"upstream connect error\n", "protocol", "upstream connect error"),
    "not JSON": (b"data: {oops}\n\n", "protocol", "is not JSON"),
    "cut inside an event": (b'data: {"choices": [{"del', "protocol", "ended inside"),
    "unknown payloads": (b'data: {"foo": 1}\n\n', "protocol", "no wire is known"),
    "an error and nothing else": (
        b'{"error": {"message": "no key", "type": "permission_error"}}',
        "auth",
        "no key",
    ),
    "too big": (b"data: " + b"x" * 2000, "limit", "1000"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_bytes_end_in_an_error_that_says_what_came(name: str) -> None:
    """The error has a kind, a message and a place, and the stream finishes."""
    data, kind, message = BAD[name]
    stream = toolwire.Stream(limits=toolwire.Limits(event_bytes=1000))
    events = [*stream.receive(data), *stream.end()]
    check(events)
    error, finish = events[-2:]

    assert isinstance(error, toolwire.StreamError)
    assert isinstance(finish, toolwire.Finish)
    assert error.kind == kind
    assert message in error.message
    assert finish.reason == "error"
    if kind != "auth":
        assert error.offset is not None


def test_the_offset_is_the_events_byte() -> None:
    """An error in the second event points at it."""
    first = to_sse([CHAT])
    events = run([first + b"data: nonsense\n\n"], "openai-chat")
    error = next(event for event in events if isinstance(event, toolwire.StreamError))

    assert (error.offset, error.wire) == (len(first), "openai-chat")


def test_nothing_at_all_is_incomplete() -> None:
    """Zero bytes are a cut turn, not an empty answer."""
    assert plain(run([]))[-1] == ("finish", 0, "incomplete", (), ())
    assert plain(run([b""], "anthropic"))[-1] == ("finish", 0, "incomplete", (), ())


def test_done_ends_any_wire() -> None:
    """What comes behind the end is not looked at."""
    data = to_sse([CHAT, "[DONE]"])
    assert plain(run([data + b"data: {broken\n\n"])) == plain(run([data]))


def test_lone_surrogates_in_payloads_pass() -> None:
    """JSON that escapes half a pair is what some servers send when they cut text between its halves."""
    halves = [{"choices": [{"index": 0, "delta": {"content": half}}]} for half in ("a\ud83d", "\ude00b")]
    data = b"".join(b"data: " + json.dumps(half).encode() + b"\n\n" for half in halves)
    events = run([data, to_sse([CHAT])])

    assert toolwire.Message.of(events).text == "a😀bhi"


def test_the_clock_is_an_argument() -> None:
    """Start and end of a call are stamped with the caller's readings."""
    stream = toolwire.Stream("openai-chat")
    entry = {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}
    stream.receive_payload({"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]}, 1.5)
    call = stream.calls[0]
    stream.receive_payload({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}, 2.0)
    stream.end(2.5)

    assert (call.started_at, call.ended_at) == (1.5, 2.5)


def test_changes_on_demand() -> None:
    """With `changes`, deltas say what they did to the live value; without, nothing."""
    entry = {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"q": "ab'}}
    payload = {"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]}
    for asked in (True, False):
        stream = toolwire.Stream("openai-chat", changes=asked)
        delta = next(e for e in stream.receive_payload(payload) if isinstance(e, toolwire.ToolCallDelta))
        if asked:
            assert delta.changes
            assert delta.changes == delta.call.changes
            assert [(path, value) for op, path, value in delta.changes if op == "appended"] == [(("q",), "ab")]
        else:
            assert delta.changes is None


def test_misuse() -> None:
    """Unknown names and input after the end are the caller's fault."""
    with pytest.raises(toolwire.UsageError, match="unknown wire 'x'"):
        toolwire.Stream("x")
    with pytest.raises(toolwire.UsageError, match="unknown framing"):
        toolwire.Stream(framing="x")  # type: ignore[arg-type]
    with pytest.raises(toolwire.UsageError, match="confirm"):
        toolwire.Stream(confirm="x")  # type: ignore[arg-type]
    with pytest.raises(toolwire.UsageError, match="nosuch"):
        toolwire.Stream("openai-chat", repairs=["nosuch"]).receive_payload(  # type: ignore[list-item]
            {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"name": "f"}}]}}]}
        )
    stream = toolwire.Stream()
    with pytest.raises(toolwire.UsageError, match="receive_payload"):
        stream.receive({})  # type: ignore[arg-type]
    stream.end()
    assert stream.end() == []
    with pytest.raises(toolwire.UsageError, match="has ended"):
        stream.receive(b"")
    aborted = toolwire.Stream()
    aborted.abort()
    with pytest.raises(toolwire.UsageError, match="has ended"):
        aborted.receive_payload(CHAT)


def test_why_it_is_this_wire() -> None:
    """The payload that told, by its place and its looks, or the caller's word."""
    stream = toolwire.Stream()
    assert stream.evidence is None
    stream.receive(b'data: {"hello": 1}\n\nevent: message_start\ndata: {"type": "message_start", "message": {}}\n\n')
    assert (stream.wire, stream.framing) == ("anthropic", "sse")
    assert stream.evidence == (
        "payload 2 can only be of anthropic: event 'message_start', type 'message_start', keys message, type"
    )

    stream = toolwire.Stream()
    stream.receive_payload({"candidates": []})
    assert stream.evidence == "payload 1 can only be of gemini: keys candidates"
    assert toolwire.Stream("claude").evidence == "the caller named claude"
