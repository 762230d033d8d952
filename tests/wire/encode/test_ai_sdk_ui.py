from __future__ import annotations

import json
import re
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from support import byte_by_byte, cut, merged, run, to_sse
from wire.encode.kit import (
    DONE,
    abort,
    args,
    chunk,
    custom,
    custom_text,
    encoded,
    ending,
    opening,
    reject,
    saying,
)

from toolwire import Encoder, Message, Stream, UsageError, tool
from toolwire.wire.encode import encoder_for

if TYPE_CHECKING:
    from collections.abc import Iterable

Payload = dict[str, Any]
WIRE = "ai-sdk-ui"


class Written:
    """An encoder whose frames are the bytes of each event."""

    def __init__(self, **options: Any) -> None:
        self._encoder = Encoder("ai-sdk-ui", **options)

    def feed(self, event: Any) -> list[Any]:
        return [self._encoder.feed(event)]

    def end(self) -> list[Any]:
        return [self._encoder.end()]


def frames(steps: Iterable[Any], wire: str = "openai-chat", stream: Payload | None = None, **options: Any) -> list[Any]:
    """The chunks as a client parses them, those of the head apart."""
    made: Any = encoded(steps, wire, Written(**options), **(stream or {}))  # type: ignore[arg-type]
    lines = b"".join(made).decode().split("\n\n")
    assert lines.pop() == ""
    assert all(line.startswith("data: ") and line.isprintable() for line in lines)
    said = [line[6:] for line in lines]
    chunks = [each if each == DONE else json.loads(each) for each in said]
    if chunks[:1] and chunks[0] != DONE and chunks[0]["type"] == "start":
        assert chunks[0].keys() == {"type", "messageId"}
        assert chunks[1] == {"type": "start-step"}
        return chunks[2:]
    return chunks


# --- what is written -------------------------------------------------------------------------------------------


def part(*pieces: str, n: int = 1, kind: str = "text", start: Payload | None = None, end: Payload | None = None) -> Any:
    at = {"id": f"{kind}-{n}"}
    begun = {"providerMetadata": {"toolwire": start}} if start else {}
    ended = {"providerMetadata": {"toolwire": end}} if end else {}
    deltas = [{"type": f"{kind}-delta", **at, "delta": piece} for piece in pieces]
    return [{"type": f"{kind}-start", **at, **begun}, *deltas, {"type": f"{kind}-end", **at, **ended}]


def begin(id: str = "a1", name: str = "f", **more: Any) -> Payload:
    return {"type": "tool-input-start", "toolCallId": id, "toolName": name, **more}


def delta(text: str, id: str = "a1") -> Payload:
    return {"type": "tool-input-delta", "toolCallId": id, "inputTextDelta": text}


def available(input: Any, id: str = "a1", name: str = "f", replay: Payload | None = None, **more: Any) -> Payload:
    beside = {"providerMetadata": {"toolwire": replay}} if replay else {}
    named = {"toolCallId": id, "toolName": name}
    return {"type": "tool-input-available", **named, **more, **beside, "input": input}


def refused(
    input: str, why: str, id: str = "a1", name: str = "f", replay: Payload | None = None, **more: Any
) -> Payload:
    beside = {"providerMetadata": {"toolwire": replay}} if replay else {}
    named = {"toolCallId": id, "toolName": name}
    return {
        "type": "tool-input-error",
        **named,
        **more,
        **beside,
        "input": input,
        "errorText": f"The tool was not run: {why}.",
    }


def finished(reason: str = "tool-calls", **more: Any) -> list[Any]:
    return [{"type": "finish-step"}, {"type": "finish", "finishReason": reason, **more}, DONE]


def failed(why: str) -> list[Any]:
    return [{"type": "error", "errorText": why}, DONE]


CUT = "the turn ended before the arguments did"
WHOLE = {"status": "complete"}
LOST = "The connection to the model was lost. Please try again."
BROKEN = "The model's answer was broken. Please try again."
CALL = [opening(), args('{"a":'), args("1}"), ending(), DONE]
HALF = [opening(), args('{"a":')]
TOLD = [begin(), delta('{"a":'), delta("1}")]
TOLD_HALF = [begin(), delta('{"a":')]

# --- the same, from Anthropic's wire ---------------------------------------------------------------------------


def message_start(id: str = "m1") -> Payload:
    return {"type": "message_start", "message": {"id": id, "type": "message", "role": "assistant", "content": []}}


def block(index: int, block: Payload, *deltas: Payload) -> list[Payload]:
    at = {"index": index}
    middle = [{"type": "content_block_delta", **at, "delta": each} for each in deltas]
    start = {"type": "content_block_start", **at, "content_block": block}
    return [start, *middle, {"type": "content_block_stop", **at}]


def tool_use(index: int = 0, text: str = '{"a":1}', kind: str = "tool_use", **more: Any) -> list[Payload]:
    named = {"type": kind, "id": f"a{index + 1}", "name": "f", "input": {}, **more}
    return block(index, named, {"type": "input_json_delta", "partial_json": text})


def message_end(reason: str = "tool_use") -> list[Payload]:
    return [{"type": "message_delta", "delta": {"stop_reason": reason}}, {"type": "message_stop"}]


# --- well-ended turns ------------------------------------------------------------------------------------------


def test_a_call() -> None:
    assert frames(CALL) == [*TOLD, available({"a": 1}), *finished()]


def test_text_before_and_behind_a_call() -> None:
    assert frames([saying("a"), saying("b"), *CALL[:3], saying("c"), ending(), DONE]) == [
        *part("a", "b"),
        *TOLD,
        *part("c", n=2),
        available({"a": 1}),
        *finished(),
    ]


def test_calls_that_take_turns() -> None:
    steps = [
        opening(),
        opening(1, "a2", "g"),
        args('{"b":', 1),
        args('{"a":'),
        args("2}", 1),
        args("1}"),
        ending(),
        DONE,
    ]
    assert frames(steps) == [
        begin(),
        begin("a2", "g"),
        delta('{"b":', "a2"),
        delta('{"a":'),
        delta("2}", "a2"),
        delta("1}"),
        available({"a": 1}),
        available({"b": 2}, "a2", "g"),
        *finished(),
    ]


@pytest.mark.parametrize("text", ["", "null", "{}"])
def test_no_arguments(text: str) -> None:
    assert frames([opening(arguments=text), ending(), DONE]) == [begin(), delta("{}"), available({}), *finished()]


def test_numbers_stay_exact() -> None:
    text = '{"a":12345678901234567890,"b":1.0,"c":1e999}'
    stream, encoder = Stream("openai-chat"), Encoder(WIRE)
    events = [each for step in [opening(arguments=text), ending(), DONE] for each in stream.receive_payload(step)]
    out = b"".join(map(encoder.feed, events)) + encoder.end()
    assert b'"input":' + text.encode() + b"}" in out


@pytest.mark.parametrize("name", ["f", "f\ud800"])
def test_arguments_of_several_lines(name: str) -> None:
    text = '{\n"a": 12345678901234567890\r\n}'
    assert frames([opening(name=name, arguments=text), ending(), DONE])[2] == available(
        {"a": 12345678901234567890}, name=name
    )


def test_half_a_surrogate_pair() -> None:
    text = '{"a":"\ud800"}'
    assert frames([opening(arguments=text), ending(), DONE])[-4] == available({"a": "\ud800"})


def test_repaired_arguments() -> None:
    assert frames([opening(arguments='{"a":"x\ty"}'), ending(), DONE])[-4] == available({"a": "x\ty"})


def test_arguments_that_a_check_mended() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "object"}}}
    tools = [tool(schema, name="f")]
    made = frames([opening(arguments='{"a":"{\\"b\\":1}"}'), ending(), DONE], stream={"tools": tools})
    assert made[-4] == available({"a": {"b": 1}})


def test_arguments_with_a_type_of_the_callers() -> None:
    class Ask(BaseModel):
        a: dict[str, int]
        b: int = 2

    for text, value in (('{"a":{"c":1.0}}', {"a": {"c": 1.0}}), ('{"a":"{}"}', {"a": "{}"})):  # the other is mended
        made = frames([opening(arguments=text), ending(), DONE], stream={"tools": [tool(Ask, name="f")]})
        assert made[-4] == available(value)


def test_free_text() -> None:
    steps = [custom(), custom_text("*** be"), custom_text("gin"), ending(), DONE]
    told = [delta("*** be"), delta("gin"), available("*** begin", replay={"kind": "custom"}), *finished()]
    assert frames(steps) == [begin(), *told]
    assert frames(steps, client=6) == [begin(), *told]
    assert frames(steps, client=7) == [begin(inputEncoding="text"), *told]


def test_calls_that_the_provider_runs_are_available_at_their_end() -> None:
    steps = [
        message_start(),
        *tool_use(0, kind="server_tool_use"),
        *tool_use(1, kind="mcp_tool_use", server_name="s"),
        *message_end("end_turn"),
    ]
    runs = {"providerExecuted": True}
    assert frames(steps, "anthropic") == [
        begin(**runs),
        delta('{"a":1}'),
        available({"a": 1}, **runs),
        begin("a2", **runs),
        delta('{"a":1}', "a2"),
        available({"a": 1}, "a2", replay={"kind": "mcp", "extra": {"server_name": "s"}}, **runs),
        *finished("stop"),
    ]


def test_a_half_call_of_the_provider() -> None:
    steps = [message_start(), *tool_use(0, '{"a":', "server_tool_use"), *message_end("max_tokens")]
    runs = {"providerExecuted": True}
    assert frames(steps, "anthropic") == [
        begin(**runs),
        delta('{"a":'),
        refused('{"a":', CUT, **runs),
        *finished("length"),
    ]


def test_reasoning_and_its_signature() -> None:
    thought = [{"type": "thinking_delta", "thinking": each} for each in ("h", "m")]
    steps = [
        message_start(),
        *block(0, {"type": "thinking", "thinking": ""}, *thought, {"type": "signature_delta", "signature": "s1"}),
        *block(1, {"type": "thinking", "thinking": ""}, thought[0], {"type": "signature_delta", "signature": "s2"}),
        *block(2, {"type": "redacted_thinking", "data": "x"}),
        *block(3, {"type": "text", "text": "a"}),
        *message_end("end_turn"),
    ]
    field = {"field": "thinking"}
    assert [each for each in frames(steps, "anthropic") if each != DONE] == [
        *part("h", "m", kind="reasoning", start=field, end={**field, "signature": "s1"}),
        part(kind="reasoning", n=2, start=field)[0],
        {"type": "reasoning-delta", "id": "reasoning-2", "delta": "h"},
        part(kind="reasoning", n=3)[0],
        part(kind="reasoning", n=2, end={**field, "signature": "s2"})[1],
        part(kind="reasoning", n=3, end={"extra": [{"type": "redacted_thinking", "data": "x"}]})[1],
        *part("a"),
        *finished("stop")[:2],
    ]


def test_a_refusal_is_a_text_part_of_its_own() -> None:
    steps = [saying("a"), chunk({"refusal": "no"}), ending("stop"), DONE]
    assert frames(steps) == [*part("a"), *part("no", n=2), *finished("stop")]


def test_text_with_something_to_replay_is_a_part_of_its_own() -> None:
    item = {"type": "message", "role": "assistant", "content": []}
    steps = [
        *({"type": "response.output_item.added", "output_index": n, "item": {**item, "id": f"i{n}"}} for n in (0, 1)),
        *({"type": "response.output_text.delta", "output_index": n, "item_id": f"i{n}", "delta": "x"} for n in (0, 1)),
        {"type": "response.completed", "response": {"status": "completed", "output": []}},
    ]
    assert frames(steps, "openai-responses") == [
        *part("x", start={"extra": {"id": "i0"}}),
        *part("x", n=2, start={"extra": {"id": "i1"}}),
        *finished("stop"),
    ]


def test_what_is_replayed_with_a_call() -> None:
    call = {"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "s"}
    steps = [{"candidates": [{"content": {"parts": [call]}, "finishReason": "STOP"}]}]
    made = frames(steps, "gemini")
    made_up = made[0]["toolCallId"]
    assert made == [
        begin(made_up),
        delta('{"a":1}', made_up),
        available({"a": 1}, made_up, replay={"id": None, "extra": {"thoughtSignature": "s"}}),
        *finished(),
    ]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [("stop", "stop"), ("length", "length"), ("content_filter", "content-filter"), ("odd", "other")],
)
def test_finish_reasons(raw: str, reason: str) -> None:
    assert frames([saying("a"), ending(raw), DONE]) == [*part("a"), *finished(reason)]


def test_a_paused_turn_has_finished() -> None:
    assert frames([message_start(), *message_end("pause_turn")], "anthropic") == finished("stop")


COUNTED = chunk({}) | {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}}


def test_token_counts_only_where_they_are_asked_for() -> None:
    steps = [saying("a"), ending("stop"), COUNTED, DONE]
    assert frames(steps) == [*part("a"), *finished("stop")]
    usage = {"inputTokens": 3, "outputTokens": 4, "totalTokens": 7}
    assert frames(steps, usage=True) == [*part("a"), *finished("stop", messageMetadata={"usage": usage})]


def test_token_counts_that_were_not_reported_are_left_out() -> None:
    steps = [saying("a"), ending("stop"), COUNTED | {"usage": {"prompt_tokens": 3}}, DONE]
    assert frames(steps, usage=True)[-2]["messageMetadata"] == {"usage": {"inputTokens": 3}}
    assert "messageMetadata" not in frames([saying("a"), ending("stop"), DONE], usage=True)[-2]


def test_only_the_first_choice_is_told() -> None:
    steps = [saying("a"), saying("b", choice=1), ending("stop"), ending("stop", choice=1), DONE]
    assert frames(steps) == [*part("a"), *finished("stop")]


def test_unknown_payloads_are_left_out() -> None:
    assert frames([{"type": "later"}, saying("a"), ending("stop"), DONE]) == [*part("a"), *finished("stop")]


# --- calls that may not be run ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("raw", "reason"), [("length", "length"), ("content_filter", "content-filter")])
def test_a_cut_inside_a_call(raw: str, reason: str) -> None:
    assert frames([*HALF, ending(raw), DONE]) == [*TOLD_HALF, refused('{"a":', CUT), *finished(reason)]


def test_a_whole_call_in_a_turn_that_was_cut() -> None:
    why = "its turn was not confirmed (length)"
    assert frames([*CALL[:3], ending("length"), DONE]) == [
        *TOLD,
        refused('{"a":1}', why, replay=WHOLE),
        *finished("length"),
    ]


def test_a_repaired_call_that_may_not_be_run() -> None:
    made = frames([opening(arguments='{"a":"x\ty"}'), ending(), DONE], stream={"accept_repaired": False})
    assert made[-4] == refused('{"a":"x\ty"}', "its text was repaired (tool_calls)", replay={"status": "repaired"})


def test_malformed_arguments_in_a_turn_that_ended_well() -> None:
    assert frames([opening(arguments="{a"), opening(1, "a2", arguments='{"b":2}'), ending(), DONE]) == [
        begin(),
        delta("{a"),
        begin("a2"),
        delta('{"b":2}', "a2"),
        refused("{a", "expected a key or '}', found 'a'"),
        available({"b": 2}, "a2"),
        *finished(),
    ]


def test_arguments_that_end_in_the_middle_of_a_turn_that_ended_well() -> None:
    why = "the arguments end in the middle, yet the turn ended well"
    assert frames([*HALF, ending(), DONE]) == [*TOLD_HALF, refused('{"a":', why), *finished()]


def test_two_documents_in_one_slot() -> None:
    made = frames([opening(arguments='{"a":1}'), args('{"b":2}'), ending(), DONE])
    assert [each["type"] for each in made[:-3]] == ["tool-input-start", *["tool-input-delta"] * 2, "tool-input-error"]
    assert made[-3:] == finished()


def test_a_call_that_is_rejected() -> None:
    steps = [*HALF, opening(1, "a2", arguments='{"b":2}'), reject(), args("1}"), ending(), DONE]
    assert frames(steps) == [
        *TOLD_HALF,
        begin("a2"),
        delta('{"b":2}', "a2"),
        refused('{"a":', "no"),
        available({"b": 2}, "a2"),
        *finished(),
    ]


def test_arguments_that_a_tool_does_not_take() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    made = frames(CALL, stream={"tools": [tool(schema, name="f")]})
    why = 'The tool was not run, because its arguments are not valid:\n- a: this is not of type "string"'
    assert made == [*TOLD, refused('{"a":1}', "") | {"errorText": why}, *finished()]


def test_a_held_call_that_is_never_good_shows_nothing() -> None:
    tools = [tool({"type": "object", "required": ["b"]}, name="f", hold=True)]
    made = frames(CALL, stream={"tools": tools})
    assert [each["type"] for each in made[:-3]] == ["tool-input-start", "tool-input-error"]
    assert made[1]["input"] == ""


# --- calls that are run at their end ---------------------------------------------------------------------------

EARLY = {"confirm": "call"}


def test_a_call_is_run_at_its_end() -> None:
    steps = [message_start(), *tool_use(), *block(1, {"type": "text", "text": "x"}), *message_end()]
    told = [begin(), delta('{"a":1}')]
    assert frames(steps, "anthropic", EARLY) == [*told, available({"a": 1}), *part("x"), *finished()]
    assert frames(steps, "anthropic") == [*told, *part("x"), available({"a": 1}), *finished()]


def test_a_call_that_is_run_stays_so() -> None:
    steps = [message_start(), *tool_use(), *message_end("max_tokens")]
    told = [begin(), delta('{"a":1}'), available({"a": 1})]
    assert frames(steps, "anthropic", EARLY) == [*told, *finished("length")]
    assert frames(steps[:-2], "anthropic", EARLY) == [*told, *failed(LOST)]


def test_a_repaired_call_is_not_run_early_where_it_may_not_be() -> None:
    steps = [message_start(), *tool_use(text='{"a":"x\ty"}'), *message_end()]
    made = frames(steps, "anthropic", {**EARLY, "accept_repaired": False})
    assert [each["type"] for each in made[2:3]] == ["tool-input-error"]


def test_a_call_that_is_rejected_once_it_is_run_fails_the_turn() -> None:
    steps = [message_start(), *tool_use(), reject(), *message_end()]
    told = [begin(), delta('{"a":1}'), available({"a": 1})]
    assert frames(steps, "anthropic", EARLY) == [*told, *failed("The answer was stopped.")]


# --- bad ends --------------------------------------------------------------------------------------------------


def test_the_end_of_bytes_inside_text() -> None:
    assert frames([saying("a")]) == [*part("a"), *failed(LOST)]


def test_the_end_of_bytes_inside_a_call() -> None:
    assert frames(HALF) == [*TOLD_HALF, refused('{"a":', CUT), *failed(LOST)]


def test_the_end_of_bytes_behind_a_whole_call() -> None:
    made = frames(CALL[:3])
    why = f"The tool was not run: {LOST}"
    assert made == [*TOLD, refused('{"a":1}', "", replay=WHOLE) | {"errorText": why}, *failed(LOST)]


def test_an_error_shows_the_providers_words_only_where_that_is_wanted() -> None:
    steps = [*HALF, {"error": {"message": "disk 7", "code": 500}}, DONE]
    told = [*TOLD_HALF, refused('{"a":', CUT)]
    assert frames(steps) == [*told, *failed("The model failed. Please try again.")]
    assert frames(steps, show_errors=True) == [*told, *failed("disk 7")]


def test_an_error_before_anything() -> None:
    assert frames([{"error": {"message": "x", "code": "rate_limit_exceeded"}}]) == failed(
        "Too many requests. Please try again later."
    )


def test_a_turn_that_was_stopped() -> None:
    steps = [saying("a"), *HALF, abort("by Ann")]
    told = [*part("a"), *TOLD_HALF, refused('{"a":', CUT)]
    end = {"type": "abort"}
    assert frames(steps) == [*told, end, DONE]
    assert frames(steps, client=6) == [*told, end, DONE]
    assert frames(steps, client=7) == [*told, {**end, "reason": "The answer was stopped."}, DONE]
    assert frames(steps, client=7, show_errors=True) == [*told, {**end, "reason": "by Ann"}, DONE]


def test_a_turn_that_the_provider_says_was_cancelled() -> None:
    steps = [{"type": "message-start", "id": "m"}, {"type": "message-end", "delta": {"finish_reason": "USER_CANCEL"}}]
    assert frames(steps, "cohere") == [{"type": "abort"}, DONE]


def test_events_that_stop() -> None:
    stream, encoder = Stream("openai-chat"), encoder_for(WIRE, {})
    for event in stream.receive_payload(saying("a")):
        encoder.feed(event)
    assert [payload for _, payload in encoder.end()] == [part("a")[2], *failed(LOST)]
    assert (encoder.failed, encoder.aborts) == (True, False)


# --- what is taken back ----------------------------------------------------------------------------------------

AGAIN = [message_start("m2"), *block(0, {"type": "text", "text": "b"}), *tool_use(2), *message_end()]


def test_a_message_that_begins_anew() -> None:
    steps = [message_start(), *block(0, {"type": "text", "text": "a"}), *tool_use(1)[:2], *AGAIN]
    told = [*part("a"), begin("a2"), delta('{"a":1}', "a2")]
    assert frames(steps, "anthropic", client=7) == [
        *told,
        {"type": "reset-step"},
        *part("b", n=2),
        begin("a3"),
        delta('{"a":1}', "a3"),
        available({"a": 1}, "a3"),
        *finished(),
    ]
    why = "the provider began its message anew"
    assert frames(steps, "anthropic") == [*told, refused('{"a":1}', why, "a2"), *failed(BROKEN)]


def test_a_message_that_begins_anew_inside_text() -> None:
    steps = [message_start(), block(0, {"type": "text", "text": "a"})[0], *AGAIN[:3], *message_end("end_turn")]
    assert frames(steps, "anthropic", client=7) == [
        *part("a")[:2],
        {"type": "reset-step"},
        *part("b", n=2),
        *finished("stop"),
    ]


def test_a_message_that_begins_anew_before_it_said_anything() -> None:
    steps = [message_start(), *AGAIN]
    expected = [*part("b"), begin("a3"), delta('{"a":1}', "a3"), available({"a": 1}, "a3"), *finished()]
    for client in (5, 6, 7):
        assert frames(steps, "anthropic", client=client) == expected


def test_a_message_that_begins_anew_behind_a_call_that_is_run() -> None:
    steps = [message_start(), *tool_use(), *AGAIN]
    told = [begin(), delta('{"a":1}'), available({"a": 1})]
    assert frames(steps, "anthropic", EARLY, client=7) == [*told, *failed(BROKEN)]


LATE = {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "x"}}


def test_a_call_that_is_taken_back() -> None:
    steps = [message_start(), *tool_use(), LATE, *message_end()]
    why = "argument text came after the call's end"
    told = [begin(), delta('{"a":1}')]
    assert frames(steps, "anthropic") == [*told, refused('{"a":1}', why), *finished()]
    assert frames(steps, "anthropic", EARLY) == [*told, available({"a": 1}), *failed(BROKEN)]


def test_the_stream_is_left_once_nothing_holds() -> None:
    stream, encoder = Stream("anthropic", **EARLY), Encoder(WIRE)
    for step in [message_start(), *tool_use(), LATE]:
        for event in stream.receive_payload(step):
            encoder.feed(event)
    assert (encoder.stopped, encoder.failed, encoder.aborts) == (True, True, False)


def test_a_call_that_turns_out_to_be_the_providers() -> None:
    steps = [
        {"type": "start", "messageId": "m"},
        {"type": "start-step"},
        begin(),
        delta('{"a":1}'),
        available({"a": 1}),
        {"type": "tool-output-available", "toolCallId": "a1", "output": 1},
        *finished("stop"),
    ]
    told = [begin(), delta('{"a":1}')]
    assert frames(steps, WIRE) == [*told, available({"a": 1}, providerExecuted=True), *finished("stop")]
    assert frames(steps, WIRE, EARLY) == [*told, available({"a": 1}), *failed(BROKEN)]


# --- the rest --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("client", [4, 8, "7", "ai", 0])
def test_versions_that_nobody_knows(client: Any) -> None:
    with pytest.raises(UsageError, match="client= is a version of the AI SDK, 5, 6 or 7"):
        Encoder(WIRE, client=client)


def test_message_ids() -> None:
    def ids(**options: Any) -> list[str]:
        made = encoded([saying("a"), ending("stop"), DONE], "openai-chat", encoder_for(WIRE, options))
        return [payload["messageId"] for _, payload in made if payload != DONE and payload["type"] == "start"]

    assert ids(message_id="mine") == ["mine"]
    first, second = ids(), ids()
    assert re.fullmatch("msg_[0-9a-f]{24}", first[0])
    assert first != second


def test_headers() -> None:
    encoder = Encoder(WIRE)
    assert encoder.media_type == "text/event-stream"
    assert encoder.headers["x-vercel-ai-ui-message-stream"] == "v1"


STREAMS: dict[str, tuple[str, list[Any]]] = {
    "calls": (
        "openai-chat",
        [saying("ü"), *HALF, opening(1, "a2", arguments="{}"), args("1}"), ending(), COUNTED, DONE],
    ),
    "cut": ("openai-chat", [saying("a"), *HALF]),
    "error": ("openai-chat", [*CALL[:3], {"error": {"message": "x"}}]),
    "free text": ("openai-chat", [custom(), custom_text("a\nb"), ending(), DONE]),
    "anew": ("anthropic", [message_start(), *block(0, {"type": "text", "text": "a"}), *tool_use(1)[:2], *AGAIN]),
    "signed": (
        "anthropic",
        [
            message_start(),
            *block(
                0,
                {"type": "thinking", "thinking": ""},
                {"type": "thinking_delta", "thinking": "hm"},
                {"type": "signature_delta", "signature": "s"},
            ),
            *tool_use(1),
            *tool_use(2, kind="server_tool_use"),
            *message_end(),
        ],
    ),
    "taken back": ("anthropic", [message_start(), *tool_use(), LATE, *message_end()]),
}


@pytest.mark.parametrize("client", [5, 7])
@pytest.mark.parametrize("name", STREAMS)
def test_cuts_make_no_difference(name: str, client: int) -> None:
    wire, steps = STREAMS[name]
    data = to_sse(steps)
    whole = frames([data], wire, client=client)
    assert frames(byte_by_byte(data), wire, client=client) == whole

    @settings(deadline=None, max_examples=30)
    @given(st.lists(st.integers(0, len(data)), max_size=6))
    def check(places: list[int]) -> None:
        assert frames(cut(data, places), wire, client=client) == whole

    check()


def body(steps: list[Any], wire: str, **options: Any) -> bytes:
    stream, encoder = Stream(wire), Encoder(WIRE, **options)
    return b"".join(map(encoder.feed, [*stream.receive(to_sse(steps)), *stream.end()])) + encoder.end()


@pytest.mark.parametrize("name", ["calls", "free text", "signed"])
def test_what_is_written_reads_as_what_was_meant(name: str) -> None:
    wire, steps = STREAMS[name]

    def events(pieces: list[bytes], wire: str) -> list[Any]:
        told = [each for each in merged(run(pieces, wire)) if each[0] not in ("message_start", "usage")]
        return [(*each[:-1], ()) if each[0] == "finish" else each for each in told]

    first = events([to_sse(steps)], wire)
    again = events([body(steps, wire, usage=True)], WIRE)
    ends = ("tool_call_end",)  # calls of the client's end where they become available
    assert [each for each in again if each[0] not in ends] == [each for each in first if each[0] not in ends]
    assert sorted(map(repr, again)) == sorted(map(repr, first))


def test_bad_ends_read_as_bad_ends() -> None:
    for name, kind in (("cut", "server"), ("error", "server")):
        wire, steps = STREAMS[name]
        message = Message.of(run([body(steps, wire)], WIRE))
        assert (message.finish, message.error and message.error.kind, message.executable) == ("error", kind, ())


def test_another_hop_changes_nothing() -> None:
    for wire, steps in STREAMS.values():
        once = body(steps, wire, client=7, message_id="m", show_errors=True, usage=True)
        stream, encoder = Stream(WIRE), Encoder(WIRE, client=7, message_id="m", show_errors=True, usage=True)
        twice = b"".join(map(encoder.feed, [*stream.receive(once), *stream.end()])) + encoder.end()
        assert _settled(twice) == _settled(once)


def _settled(data: bytes) -> list[Any]:
    """Chunks without how a refusal is worded, which each hop does again."""
    said = [json.loads(line) for line in data.decode().split("data: ") if line and not line.startswith(DONE)]
    return [{key: each for key, each in one.items() if key != "errorText"} for one in said]


def test_part_ids_are_unique() -> None:
    steps = [message_start(), *block(0, {"type": "text", "text": "a"}), *tool_use(1)[:2], *AGAIN]
    made = frames(steps, "anthropic", client=7)
    numbers = count(1)
    assert [each["id"] for each in made if each != DONE and each["type"] == "text-start"] == [
        f"text-{next(numbers)}",
        f"text-{next(numbers)}",
    ]
