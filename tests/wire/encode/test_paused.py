"""A paused turn: nothing of it may be run, on wires too that know no pause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support import to_sse
from wire.encode.bad_ends import PAUSED
from wire.encode.kit import frames_of

from toolwire import Encoder, Stream, collect
from toolwire.events import Finish, MessageStart, ToolCallDelta, ToolCallEnd, ToolCallStart
from toolwire.wire.encode import ENCODERS, encoder_for

if TYPE_CHECKING:
    from collections.abc import Iterator

# For each wire what its end says: of a paused turn with a call, with one whose provider had no word, and without calls.
WORDS: dict[str, tuple[str, str, str]] = {
    "ag-ui": ("RUN_ERROR", "RUN_ERROR", "RUN_FINISHED"),
    "ai-sdk-ui": ("other", "other", "stop"),
    "anthropic": ("pause_turn", "pause_turn", "pause_turn"),
    "bedrock-converse": ("pause_turn", "pause", "end_turn"),
    "cohere": ("pause_turn", "pause", "COMPLETE"),
    "gemini": ("OTHER", "OTHER", "STOP"),
    "gemini-interactions": ("requires_continuation", "requires_continuation", "requires_continuation"),
    "ollama": ("pause_turn", "pause", "stop"),
    "openai-chat": ("pause_turn", "pause", "stop"),
    "openai-responses": ("pause_turn", "pause", "completed"),
    "toolwire": ("pause", "pause", "pause"),
}

# Where the word stands, first the closest.
FIELDS = ("stop_reason", "stopReason", "finish_reason", "finishReason", "done_reason", "incomplete_details", "reason")
ELSE = ("status", "type")


def fields_in(payload: Any, names: tuple[str, ...]) -> Iterator[Any]:
    if isinstance(payload, dict):
        for name in names:
            if name in payload:
                yield payload[name]["reason"] if isinstance(payload[name], dict) else payload[name]
        payload = list(payload.values())
    if isinstance(payload, list):
        for each in payload:
            yield from fields_in(each, names)


def word_in(payloads: list[Any]) -> Any:
    """The last word on why the turn ended."""
    said = [payload for payload in payloads if payload != "[DONE]"]
    found = [each for payload in said for each in fields_in(payload, FIELDS) if each]
    return found[-1] if found else [each for payload in said for each in fields_in(payload, ELSE)][-1]


def test_every_wire_has_its_words() -> None:
    assert WORDS.keys() == ENCODERS.keys() - {"bedrock-invoke"}  # which says it in Anthropic's, in base64


@pytest.mark.parametrize("to", WORDS)
def test_the_word_for_a_pause(to: str) -> None:
    with_call, without_word, without_call = WORDS[to]
    payloads = [payload for _, payload in frames_of(PAUSED, "anthropic", to)]
    assert word_in(payloads) == with_call

    alone = [PAUSED[0], *PAUSED[-2:]]
    assert word_in([payload for _, payload in frames_of(alone, "anthropic", to)]) == without_call

    (call,) = collect(to_sse(PAUSED), "anthropic").calls
    encoder = encoder_for(to, {})
    events = [MessageStart("m1", None, "anthropic"), ToolCallStart(call), ToolCallDelta(call, call.buf, None, True)]
    frames = [frame for event in [*events, ToolCallEnd(call), Finish("pause")] for frame in encoder.feed(event)]
    assert word_in([payload for _, payload in frames + encoder.end()]) == without_word


@pytest.mark.parametrize("to", ENCODERS)
def test_nothing_of_it_may_be_run(to: str) -> None:
    stream, encoder = Stream("anthropic"), Encoder(to)
    data = b"".join(map(encoder.feed, [*stream.receive(to_sse(PAUSED)), *stream.end()])) + encoder.end()
    message = collect(data, to)
    assert message.executable == ()
    assert (encoder.error is not None, encoder.aborts) == (to == "ag-ui", False)
    assert len(message.calls) == 1


@pytest.mark.parametrize(("reason", "code"), [("pause_turn", "pause"), ("whatever", "unknown")])
def test_a_run_with_calls_that_wait_fails(reason: str, code: str) -> None:
    """With calls that may be run, or that the agent runs itself, it doesn't."""
    ends = [{"type": "message_delta", "delta": {"stop_reason": reason}}, PAUSED[-1]]
    payloads = [payload for _, payload in frames_of([*PAUSED[:-2], *ends], "anthropic", "ag-ui")]
    assert payloads[-1] == {
        "type": "RUN_ERROR",
        "message": "The model's answer was broken. Please try again.",
        "code": code,
    }
    own = {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "server_tool_use", "id": "a", "name": "f"},
    }
    payloads = [payload for _, payload in frames_of([PAUSED[0], own, *PAUSED[2:-2], *ends], "anthropic", "ag-ui")]
    assert payloads[-1]["type"] == "RUN_FINISHED"
