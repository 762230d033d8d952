"""Input made to hurt: each ends in an error that says what and where, within bounded memory, or is simply read."""

from __future__ import annotations

import json
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from support import to_sse

import toolwire
from toolwire.grammar import Grammar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MEGA = 1 << 20


def chat(arguments: str, index: int = 0, id: str = "a", name: str = "f") -> bytes:
    entry = {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}
    return to_sse([{"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]}])


END = to_sse([{"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}, "[DONE]"])


def drain(pieces: Iterable[bytes], wire: str = "openai-chat", **options: Any) -> tuple[toolwire.Stream, Any, Any]:
    """Feed a stream; its error, if any, and its finish."""
    stream = toolwire.Stream(wire, **options)
    grammar = Grammar()
    error = finish = None
    for piece in pieces:
        for event in stream.receive(piece):
            grammar.feed(event)
            error = event if isinstance(event, toolwire.StreamError) else error
            finish = event
        if stream.done:
            break
    for event in stream.end():
        grammar.feed(event)
        error = event if isinstance(event, toolwire.StreamError) else error
        finish = event
    grammar.done()
    return stream, error, finish


def peak_of(pieces: Iterable[bytes], **options: Any) -> tuple[int, Any]:
    """The most memory that a stream took, in bytes, and its error."""
    tracemalloc.start()
    try:
        _, error, _ = drain(pieces, **options)
        return tracemalloc.get_traced_memory()[1], error
    finally:
        tracemalloc.stop()


def big_event(size: int) -> Iterator[bytes]:
    yield b"data: "
    for _ in range(size // 65536):
        yield b"x" * 65536


def test_a_100_mb_event() -> None:
    """It is refused at the limit, with no more memory than the limit takes."""
    peak, error = peak_of(big_event(100 * MEGA), limits=toolwire.Limits(event_bytes=MEGA))

    assert (error.kind, error.offset) == ("limit", 0)
    assert str(MEGA) in error.message
    assert peak < 4 * MEGA


def test_arguments_without_end() -> None:
    """They are refused at the limit; what came stays readable."""
    pieces = (chat("x" * 65536 if i else '{"a":"' + "x" * 65530) for i in range(1000))
    stream, error, finish = drain(pieces, limits=toolwire.Limits(argument_chars=MEGA))
    (call,) = stream.calls

    assert (error.kind, finish.reason) == ("limit", "error")
    assert "argument_chars=1048576" in error.message
    assert (call.status, len(call.buf)) == ("incomplete", MEGA)
    assert call.partial["a"] == "x" * (MEGA - 6)


def test_too_many_calls() -> None:
    """The next one over the limit ends the stream; memory is bounded."""
    pieces = (chat("{}", i, f"c{i}") for i in range(100_000))
    stream, error, _ = drain(pieces, limits=toolwire.Limits(calls=500))

    assert error.message == "more than calls=500 tool calls in one stream"
    assert len(stream.calls) == 500


@pytest.mark.parametrize("over", [False, True])
def test_names_and_choices(over: bool) -> None:
    """A name that goes on and on, and choices without number, end at their limits and not before."""
    limits = toolwire.Limits(name_chars=1000, choices=10)
    part = {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"name": "ab" * 50}}]}}]}
    other = {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"name": "cd" * 50}}]}}]}
    _, error, _ = drain([to_sse([part, other] * 5), *([to_sse([part])] if over else []), END], limits=limits)
    assert (error and error.message) == ("a tool's name is longer than name_chars=1000" if over else None)

    texts = [{"choices": [{"index": i, "delta": {"content": "a"}}]} for i in range(11 if over else 10)]
    stream, error, _ = drain([to_sse(texts), END], limits=limits)
    assert (error and (error.kind, error.message)) == (
        ("limit", "more than choices=10 choices in one stream") if over else None
    )
    assert len(stream._acc.turns) == 10


def test_100_000_calls() -> None:
    """With the limit raised they are simply read, each apart."""
    pieces = [*(chat(f'{{"n":{i}}}', i, f"c{i}") for i in range(100_000)), END]
    stream = toolwire.Stream("openai-chat", limits=toolwire.Limits(calls=100_000))
    events = [event for piece in pieces for event in stream.receive(piece)]
    finish = events[-1]

    assert isinstance(finish, toolwire.Finish)
    assert [call.arguments["n"] for call in finish.calls] == list(range(100_000))


DEEP = "[" * 10_000

# arguments of one call -> its status, the reason and offset of its error
ARGUMENTS: dict[str, tuple[str, str, str | None, int | None]] = {
    "10,000 levels of arrays": ('{"a":' + DEEP, "invalid", "depth", 516),
    "10,000 levels of objects": ('{"a":' * 10_000, "invalid", "depth", 2560),
    "as deep as allowed": ('{"a":' * 511 + "{}" + "}" * 511, "complete", None, None),
    "one level deeper": ('{"a":' * 512 + "{}" + "}" * 512, "invalid", "depth", 2560),
    "5,000 digits": ('{"a":' + "1" * 5000 + "}", "invalid", "digits", 4305),
    "as many digits as allowed": ('{"a":' + "1" * 4300 + "}", "complete", None, None),
    "a big integer": ('{"a":123456789012345678901234567890}', "complete", None, None),
    "a lone surrogate": ('{"a":"\\ud83d"}', "complete", None, None),
    "NUL": ('{"a":"\\u0000"}', "complete", None, None),
    "a raw NUL": ('{"a":"\x00"}', "repaired", None, None),
    "NaN": ('{"a":NaN}', "invalid", "malformed", 5),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments(name: str) -> None:
    """One call is judged; the turn goes on."""
    text, status, reason, offset = ARGUMENTS[name]
    stream, error, finish = drain([chat(text), END])
    (call,) = stream.calls

    assert (error, finish.reason, call.status) == (None, "tool_calls", status)
    assert (call.error and call.error.reason) == reason
    assert (call.error and call.error.offset) == offset
    if status == "complete":
        assert call.arguments == json.loads(text)


BYTES: dict[str, tuple[bytes, str, str]] = {
    "a payload of 10,000 levels": (b"data: " + b"[" * 10_000 + b"]" * 10_000 + b"\n\n", "protocol", "not JSON"),
    "a number of 5,000 digits": (b'data: {"choices":[{"index":' + b"1" * 5000 + b"}]}\n\n", "protocol", "not JSON"),
    "NUL bytes": (b"\0" * 100_000, "protocol", "the body begins with"),
    "every byte": (bytes(range(256)) * 100, "protocol", "the body begins with"),
    "no UTF-8": (b'data: {"choices": "\xff\xfe"}\xff\n\n', "protocol", "not JSON"),
}


@pytest.mark.parametrize("name", BYTES)
@pytest.mark.parametrize("wire", ["openai-chat", "auto"])
def test_bytes(name: str, wire: str) -> None:
    """The error says what came and where."""
    data, kind, message = BYTES[name]
    _, error, finish = drain([data], wire)

    assert (error.kind, error.offset, finish.reason) == (kind, 0, "error")
    assert message in error.message


FIRST: dict[str, dict[str, Any]] = {
    "openai-chat": {"choices": [{"index": 0, "delta": {"content": "hi"}}]},
    "openai-responses": {"type": "response.created", "response": {"id": "r", "status": "in_progress"}},
    "anthropic": {"type": "message_start", "message": {"id": "m", "content": []}},
    "gemini": {"candidates": [{"content": {"parts": [{"text": "hi"}]}}]},
    "ollama": {"model": "m", "message": {"role": "assistant", "content": "hi"}, "done": False},
}


@pytest.mark.parametrize("sent", FIRST)
@pytest.mark.parametrize("named", FIRST)
def test_the_wrong_wire(sent: str, named: str) -> None:
    """The error names the wire that was asked for and the one that it looks like."""
    _, error, finish = drain([to_sse([FIRST[sent]] * 3)], named)

    if sent == named:
        assert error is None
    else:
        assert (error.kind, error.wire, finish.reason) == ("protocol", named, "error")
        assert error.message == f"no payload is one of {named}; the first looks like {sent}"


def test_interleaving_of_any_depth() -> None:
    """A thousand calls whose fragments alternate are kept apart."""
    texts = [f'{{"n": {i}, "text": "{"x" * 20}"}}' for i in range(1000)]
    pieces = [chat("", i, f"c{i}") for i in range(1000)]
    for at in range(0, 45, 3):
        for i, text in enumerate(texts):
            if text[at : at + 3]:
                entry = {"index": i, "function": {"arguments": text[at : at + 3]}}
                pieces.append(to_sse([{"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]}]))
    _, error, finish = drain([*pieces, END])

    assert error is None
    assert [call.buf for call in finish.calls] == texts


def test_long_names_and_ids() -> None:
    """A megabyte of each is no problem of ours."""
    stream, error, finish = drain([chat("{}", 0, "i" * MEGA, "n" * MEGA), END])

    assert error is None
    assert (len(finish.calls[0].id), len(finish.calls[0].name)) == (MEGA, MEGA)
    assert stream.done
