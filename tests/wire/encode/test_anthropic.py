from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import anthropic
import httpx2
import pytest
from anthropic.types import RawMessageStreamEvent
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from support import merged, run, to_sse
from wire.encode.kit import (
    DONE,
    Payload,
    Step,
    abort,
    args,
    at_all_cuts,
    body_of,
    chunk,
    custom,
    custom_text,
    encoded,
    ending,
    frames_of,
    opening,
    reject,
    saying,
)

from toolwire import Stream
from toolwire import tool as tool_of
from toolwire.errors import UsageError
from toolwire.events import MessageStart, StreamError, TextDelta, Usage
from toolwire.wire.encode import encoder_for

if TYPE_CHECKING:
    from collections.abc import Iterable

# --- what is written -------------------------------------------------------------------------------------------


def start(id: str = "c1", model: str = "m", **usage: int) -> Payload:
    return {
        "type": "message_start",
        "message": {
            "id": id,
            "type": "message",
            "role": "assistant",
            "content": [],
            "model": model,
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0, **usage},
        },
    }


def block(index: int, type: str, **fields: Any) -> Payload:
    return {"type": "content_block_start", "index": index, "content_block": {"type": type, **fields}}


def delta(index: int, type: str, **fields: Any) -> Payload:
    return {"type": "content_block_delta", "index": index, "delta": {"type": type, **fields}}


def stop(index: int) -> Payload:
    return {"type": "content_block_stop", "index": index}


def end(reason: str, **usage: Any) -> list[Payload]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 0, **usage}},
        {"type": "message_stop"},
    ]


def error(type: str, message: str) -> Payload:
    return {"type": "error", "error": {"type": type, "message": message}}


def tool(index: int, id: str = "a1", name: str = "f", **fields: Any) -> Payload:
    return block(index, "tool_use", **{"id": id, "name": name, "input": {}, **fields})


def text(index: int, *pieces: str, ended: bool = True) -> list[Payload]:
    said = [delta(index, "text_delta", text=piece) for piece in pieces]
    return [block(index, "text", text=""), *said, *([stop(index)] if ended else [])]


def json_of(index: int, *pieces: str) -> list[Payload]:
    return [delta(index, "input_json_delta", partial_json=piece) for piece in pieces]


def call(index: int, *pieces: str, ended: bool = True, **fields: Any) -> list[Payload]:
    return [tool(index, **fields), *json_of(index, *pieces), *([stop(index)] if ended else [])]


def thinking(index: int, *pieces: str, signature: str = "") -> list[Payload]:
    said = [delta(index, "thinking_delta", thinking=piece) for piece in pieces]
    signed = [delta(index, "signature_delta", signature=signature)] if signature else []
    return [block(index, "thinking", thinking="", signature=""), *said, *signed, stop(index)]


def redacted(index: int, data: str) -> list[Payload]:
    return [block(index, "redacted_thinking", data=data), stop(index)]


def written(steps: Iterable[Step], wire: str = "openai-chat", **options: Any) -> list[Payload]:
    """The payloads; each frame's event is its payload's type."""
    frames = frames_of(steps, wire, "anthropic", **options)
    assert [event for event, _ in frames] == [payload["type"] for _, payload in frames]
    return [payload for _, payload in frames]


# --- what the provider sends, in Anthropic's own words ---------------------------------------------------------

OWN_START = {
    "type": "message_start",
    "message": {"id": "c1", "type": "message", "role": "assistant", "model": "m", "content": []},
}


def own_end(reason: str = "end_turn", **usage: Any) -> list[Payload]:
    return [{"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}, {"type": "message_stop"}]


USAGE = {"prompt_tokens": 10, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 4}}
CUT_CALL = [saying("a"), opening(), args('{"x":')]
LOST = "the events ended before their turn did"

CASES: dict[str, tuple[list[Step], list[Payload]]] = {
    "text": ([saying("a"), saying("b"), ending("stop"), DONE], [*text(0, "a", "b"), *end("end_turn")]),
    "nothing": ([chunk({"role": "assistant"}), ending("stop"), DONE], end("end_turn")),
    "one call": (
        [opening(), args('{"x":'), args("1}"), ending(), DONE],
        [*call(0, '{"x":', "1}"), *end("tool_use")],
    ),
    "two calls": (
        [opening(), args('{"x":1}'), opening(1, "b1", "g"), args("{}", 1), ending(), DONE],
        [*call(0, '{"x":1}'), *call(1, "{}", id="b1", name="g"), *end("tool_use")],
    ),
    "two calls that interleave": (
        [
            opening(),
            opening(1, "b1", "g"),
            *(args(each, n) for each in ('{"x":', "1}") for n in (1, 0)),
            ending(),
            DONE,
        ],
        [*call(0, '{"x":', "1}"), *call(1, '{"x":', "1}", id="b1", name="g"), *end("tool_use")],
    ),
    "text between calls that interleave": (
        [opening(), args('{"x":'), saying("a"), opening(1, "b1", "g", "{}"), saying("b"), args("1}"), ending(), DONE],
        [
            *call(0, '{"x":', "1}"),
            *text(1, "a"),
            *call(2, "{}", id="b1", name="g"),
            *text(3, "b"),
            *end("tool_use"),
        ],
    ),
    "white space behind a call that was closed": (
        [opening(), args('{"x":1}'), saying("a"), args("\n"), saying("b"), ending(), DONE],
        [*call(0, '{"x":1}'), *text(1, "a", "b"), *end("tool_use")],
    ),
    "no arguments": ([opening(), ending(), DONE], [*call(0, "{}"), *end("tool_use")]),
    "null for no arguments": ([opening(), args(" nu"), args("ll"), ending(), DONE], [*call(0, "{}"), *end("tool_use")]),
    "text around a call": (
        [saying("a"), opening(), args("{}"), saying("b"), ending(), DONE],
        [*text(0, "a"), *call(1, "{}"), *text(2, "b"), *end("tool_use")],
    ),
    "an id in other characters": (
        [opening(id="call.0"), args("{}"), ending(), DONE],
        [*call(0, "{}", id="tw_Y2FsbC4w"), *end("tool_use")],
    ),
    "a refusal": (
        [saying("a"), chunk({"refusal": "no"}), chunk({"refusal": "!"}), ending("stop"), DONE],
        [*text(0, "a"), *text(1, "no", "!"), *end("end_turn")],
    ),
    "reasoning": (
        [chunk({"reasoning_content": "h"}), chunk({"reasoning_content": "m"}), saying("a"), ending("stop"), DONE],
        [*thinking(0, "h", "m"), *text(1, "a"), *end("end_turn")],
    ),
    "reasoning with signatures": (
        [
            chunk({"reasoning_details": [{"type": "reasoning.text", "text": "h"}]}),
            chunk({"reasoning_details": [{"type": "reasoning.text", "text": "m", "signature": "s"}]}),
            chunk({"reasoning_details": [{"type": "reasoning.text", "text": "n"}]}),
            chunk({"reasoning_details": [{"type": "reasoning.text", "signature": "t"}]}),
            ending("stop"),
            DONE,
        ],
        [*thinking(0, "h", "m", signature="s"), *thinking(1, "n", signature="t"), *end("end_turn")],
    ),
    "sealed reasoning": (
        [
            chunk({"reasoning_content": "h"}),
            chunk({"reasoning_details": [{"type": "reasoning.encrypted", "data": "d", "id": "r"}]}),
            chunk({"reasoning_details": [{"type": "reasoning.encrypted", "data": "e"}]}),
            chunk({"reasoning_content": "m"}),
            chunk({"reasoning_details": [{"type": "reasoning.text", "text": "t", "data": "u"}]}),
            chunk({"reasoning_details": [{"type": "reasoning.text", "id": "of no use"}]}),
            ending("stop"),
            DONE,
        ],
        [
            *thinking(0, "h"),
            *redacted(1, "d"),
            *redacted(2, "e"),
            *thinking(3, "m", "t"),
            *redacted(4, "u"),
            *end("end_turn"),
        ],
    ),
    "reasoning inside a call": (
        [
            opening(),
            chunk({"reasoning_details": [{"text": "h", "signature": "s"}]}),
            chunk({"reasoning_details": [{"text": "m"}]}),
            args("{}"),
            ending(),
            DONE,
        ],
        [*call(0, "{}"), *thinking(1, "h", signature="s"), *thinking(2, "m"), *end("tool_use")],
    ),
    "a custom call": (
        [custom(text='a "b"'), custom_text("\\\n"), custom_text("é\x00"), ending(), DONE],
        [*call(0, '{"input":"a \\"b\\"', "\\\\\\n", "é\\u0000", '"}'), *end("tool_use")],
    ),
    "a custom call without text": ([custom(), ending(), DONE], [*call(0, '{"input":""}'), *end("tool_use")]),
    "half a surrogate pair in a custom call": (
        [custom(text="a\ud83d"), custom_text("b"), ending(), DONE],
        [*call(0, '{"input":"a', "\ufffdb", '"}'), *end("tool_use")],
    ),
    "a custom call between the halves of another": (
        [opening(), custom(1, "b1", "g", "x"), args("{}"), custom_text("y", 1), ending(), DONE],
        [*call(0, "{}"), *call(1, '{"input":"x', "y", '"}', id="b1", name="g"), *end("tool_use")],
    ),
    "usage": (
        [saying("a"), ending("stop"), {"choices": [], "usage": USAGE}, DONE],
        [*text(0, "a"), *end("end_turn", input_tokens=6, output_tokens=7, cache_read_input_tokens=4)],
    ),
    "usage of the output alone": (
        [saying("a"), ending("stop"), {"choices": [], "usage": {"completion_tokens": 7}}, DONE],
        [*text(0, "a"), *end("end_turn", output_tokens=7)],
    ),
    "an error inside a call": (
        [*CUT_CALL, {"error": {"message": "busy", "type": "overloaded_error"}}, ending(), DONE],
        [*text(0, "a"), *call(1, '{"x":', ended=False), error("overloaded_error", "busy")],
    ),
    "an error inside text": (
        [saying("a"), {"error": {"message": "slow down", "code": 429}}],
        [*text(0, "a", ended=False), error("rate_limit_error", "slow down")],
    ),
    "bytes that end inside a call": (
        CUT_CALL,
        [
            *text(0, "a"),
            *call(1, '{"x":', ended=False),
            error("api_error", "the provider's stream ended before its answer did"),
        ],
    ),
    "an end by length inside a call": (
        [*CUT_CALL, ending("length"), DONE],
        [
            *text(0, "a"),
            *call(1, '{"x":', ended=False),
            error("api_error", "the arguments of f were cut off (length)"),
        ],
    ),
    "an end by a filter inside a call": (
        [*CUT_CALL, ending("content_filter"), DONE],
        [
            *text(0, "a"),
            *call(1, '{"x":', ended=False),
            error("api_error", "the arguments of f were cut off (content_filter)"),
        ],
    ),
    "an end by length behind a call": (
        [opening(), args("{}"), ending("length"), DONE],
        [*call(0, "{}"), *end("max_tokens")],
    ),
    "an end by length inside text": ([saying("a"), ending("length"), DONE], [*text(0, "a"), *end("max_tokens")]),
    "an end by a filter": ([saying("a"), ending("content_filter"), DONE], [*text(0, "a"), *end("refusal")]),
    "an end that nobody knows": ([saying("a"), ending("moon"), DONE], [*text(0, "a"), *end("moon")]),
    "an abort": (
        [*CUT_CALL, abort("too long")],
        [*text(0, "a"), *call(1, '{"x":', ended=False), error("api_error", "too long")],
    ),
    "a rejected call": (
        [*CUT_CALL, reject(), args("1}"), opening(1, "b1", "g", "{}"), ending(), DONE],
        [
            *text(0, "a"),
            *call(1, '{"x":', ended=False),
            error("api_error", "the call of f was rejected: no"),
        ],
    ),
    "a malformed call": (
        [opening(), args("{x}"), opening(1, "b1", "g", "{}"), ending(), DONE],
        [*call(0, "{x}"), *call(1, "{}", id="b1", name="g"), *end("tool_use")],
    ),
    "a call that ends in the middle, though the turn doesn't": (
        [opening(), args('{"x":'), ending(), DONE],
        [
            *call(0, '{"x":', ended=False),
            error("api_error", "the arguments of f end in the middle, though the answer did not"),
        ],
    ),
    "two documents in one slot": (
        [opening(), args('{"x":1}'), args('{"x":2}'), ending(), DONE],
        [
            *call(0, '{"x":1}', '{"x":2}'),
            error("api_error", "the arguments of f are two documents"),
        ],
    ),
    "a second document behind the call's block": (
        [opening(), args('{"x":1}'), saying("a"), args('{"x":2}'), ending(), DONE],
        [
            *call(0, '{"x":1}'),
            *text(1, "a", ended=False),
            error("api_error", "the arguments of f were not whole after all"),
        ],
    ),
    "another choice": (
        [saying("a"), saying("b", 1), opening(choice=1), ending("stop"), ending("length", 1), DONE],
        [*text(0, "a"), *end("end_turn")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_written(name: str) -> None:
    steps, expected = CASES[name]
    assert written(steps) == [start(), *expected]


@pytest.mark.parametrize("name", CASES)
def test_no_cut_of_the_bytes_shows(name: str) -> None:
    steps = [step for step in CASES[name][0] if not callable(step)]
    data = to_sse(steps)
    whole, *others = at_all_cuts(data, "openai-chat", "anthropic", [[3, 50, 200], [97, 301, 302, 500]])
    for each in others:
        assert each == whole


# --- options ---------------------------------------------------------------------------------------------------


def test_a_cut_call_can_be_told_by_the_reason_alone() -> None:
    """Its block stays open, as at Anthropic."""
    steps = [opening(), opening(1, "b1", "g", "{}"), args('{"x":'), saying("a"), ending("length"), DONE]
    assert written(steps, fail_on_cut=False) == [
        start(),
        *call(0, '{"x":', ended=False),
        *call(1, "{}", id="b1", name="g"),
        *text(2, "a"),
        *end("max_tokens"),
    ]
    assert written([*CUT_CALL, ending("content_filter"), DONE], fail_on_cut=False) == [
        start(),
        *text(0, "a"),
        *call(1, '{"x":', ended=False),
        *end("refusal"),
    ]
    assert written([custom(text="x"), ending("length"), DONE], fail_on_cut=False) == [
        start(),
        *call(0, '{"input":"x', ended=False),
        *end("max_tokens"),
    ]


def test_id_and_model_can_be_given() -> None:
    assert written([saying("a")], model="mine", message_id="msg_mine")[0] == start("msg_mine", "mine")


def test_ids_that_are_made_differ() -> None:
    """A provider that names none."""
    anonymous = [{"choices": saying("a")["choices"]}]
    one, other = (written(anonymous)[0]["message"] for _ in range(2))
    assert re.fullmatch("msg_[0-9a-f]{24}", one["id"])
    assert one["id"] != other["id"]
    assert one["model"] == ""


def test_options_of_other_wires() -> None:
    with pytest.raises(UsageError, match="usage= is no option of anthropic"):
        encoder_for("claude", {"usage": True})


def test_the_sign_of_life_is_an_event() -> None:
    encoder = encoder_for("anthropic", {})
    assert encoder.keep_alive == b'event: ping\ndata: {"type": "ping"}\n\n'
    assert encoder.framing == "sse"


# --- ends ------------------------------------------------------------------------------------------------------


def test_the_body_breaks_off_behind_an_error() -> None:
    encoder = encoder_for("anthropic", {})
    assert not encoder.aborts
    assert encoder.end() == [("error", error("api_error", LOST))]
    assert encoder.aborts
    assert encoder.end() == []


def test_an_error_before_the_message() -> None:
    steps = [{"error": {"message": "no key", "type": "authentication_error"}}]
    assert written(steps, "anthropic") == [error("authentication_error", "no key")]


@pytest.mark.parametrize("type", ["billing_error", "not_found_error", "permission_error", "request_too_large"])
def test_the_type_of_an_error_of_anthropic(type: str) -> None:
    steps = [OWN_START, {"type": "error", "error": {"type": type, "message": "x"}}]
    kept = type if type.endswith("_error") else "invalid_request_error"
    assert written(steps, "anthropic") == [start(), error(kept, "x")]


def test_a_message_that_begins_anew() -> None:
    again = {"type": "message_start", "message": OWN_START["message"] | {"id": "c2"}}
    steps = [OWN_START, tool(0), *json_of(0, "{}"), stop(0), again, *text(0, "a"), *own_end()]
    assert written(steps, "anthropic") == [
        start(),
        *call(0, "{}"),
        error("api_error", "what was sent no longer holds: the provider began its message anew"),
    ]


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ("end_turn", "end_turn"),
        ("stop_sequence", "stop_sequence"),
        ("max_tokens", "max_tokens"),
        ("model_context_window_exceeded", "model_context_window_exceeded"),
        ("pause_turn", "pause_turn"),
        ("compaction", "compaction"),
        ("refusal", "refusal"),
        ("tool_use", "end_turn"),  # there is no call
        ("MAX_TOKENS", "max_tokens"),
        ("else", "else"),
    ],
)
def test_stop_reasons_of_anthropic(sent: str, told: str) -> None:
    assert written([OWN_START, *text(0, "a"), *own_end(sent)], "anthropic") == [start(), *text(0, "a"), *end(told)]


def test_a_stop_reason_that_hides_a_call() -> None:
    assert written([OWN_START, *call(0, "{}"), *own_end()], "anthropic")[-2:] == end("tool_use")


def test_no_stop_reason() -> None:
    """A terminator alone ends a turn well."""
    assert written([saying("a"), DONE]) == [start(), *text(0, "a"), *end("end_turn")]


# --- what only some providers send -----------------------------------------------------------------------------


def test_usage_of_anthropic_stays_as_it_is() -> None:
    message = OWN_START["message"] | {"usage": {"input_tokens": 3, "output_tokens": 1, "service_tier": "standard"}}
    steps = [{"type": "message_start", "message": message}, *text(0, "a"), *own_end(output_tokens=9)]
    first = {"input_tokens": 3, "output_tokens": 1, "service_tier": "standard"}
    assert written(steps, "anthropic") == [
        start(**first),
        *text(0, "a"),
        *end("end_turn", **{**first, "output_tokens": 9}),
    ]


def test_the_start_of_anthropic_s_message_goes_out_with_its_counts() -> None:
    """Nothing is held up: what comes first may be a long while behind."""
    encoder, message = encoder_for("anthropic", {}), OWN_START["message"] | {"usage": {"input_tokens": 3}}
    stream = Stream("anthropic")
    begun, counted = stream.receive_payload({"type": "message_start", "message": message})
    assert encoder.feed(begun) == []
    assert encoder.feed(counted) == [("message_start", start(input_tokens=3))]


def test_the_start_of_another_wire_s_message_goes_out_with_what_comes_next() -> None:
    encoder = encoder_for("anthropic", {})
    assert encoder.feed(MessageStart("c1", "m", "openai-chat")) == []
    counts = {"input_tokens": 3, "output_tokens": 4}
    assert encoder.feed(Usage(3, 4, counts)) == []
    assert encoder.feed(Usage(3, 5, {**counts, "output_tokens": 5})) == []
    told = encoder.feed(TextDelta("a"))
    assert [payload for _, payload in told] == [start(input_tokens=3, output_tokens=5), *text(0, "a", ended=False)]


def test_the_start_goes_out_before_an_error_and_before_an_end() -> None:
    assert written([ending("stop"), DONE]) == [start(), *end("end_turn")]
    for last, told in (
        (StreamError("overloaded", "busy"), error("overloaded_error", "busy")),
        (None, error("api_error", "the events ended before their turn did")),
    ):
        encoder = encoder_for("anthropic", {})
        assert encoder.feed(MessageStart("c1", "m", "openai-chat")) == []
        frames = encoder.feed(last) if last is not None else encoder.end()
        assert [payload for _, payload in frames] == [start(), told]


def test_usage_that_is_known_before_the_message() -> None:
    steps = [{"choices": [], "usage": USAGE}, saying("a"), ending("stop"), DONE]
    counts = {"input_tokens": 6, "output_tokens": 7, "cache_read_input_tokens": 4}
    assert written(steps) == [start(**counts), *text(0, "a"), *end("end_turn", **counts)]


def test_sealed_reasoning_of_other_wires() -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "d"}
    responses = [
        {"type": "response.created", "response": {"id": "c1", "model": "m"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item | {"encrypted_content": ""}},
        {"type": "response.reasoning_summary_text.delta", "item_id": "rs_1", "output_index": 0, "delta": "h"},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "c1", "status": "completed"}},
    ]
    told = written(responses, "openai-responses")
    assert told == [start(), *thinking(0, "h"), *redacted(1, "d"), *end("end_turn")]
    converse = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"redactedContent": "d"}}}},
        {"messageStop": {"stopReason": "end_turn"}},
    ]
    assert written(converse, "bedrock-converse", message_id="c1", model="m") == [
        start(),
        *redacted(0, "d"),
        *end("end_turn"),
    ]


def test_a_call_s_signature_has_no_place() -> None:
    parts = [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "s"}]
    answer = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}], "responseId": "c1"}
    told = written([answer], "gemini", model="m")
    made = told[1]["content_block"]["id"]
    assert told == [start(), *call(0, "{}", id=made), *end("tool_use")]


def test_calls_that_the_provider_runs() -> None:
    """No stop reason tells a client to run them, and nothing is lost when one is cut."""
    search = {"id": "srvtoolu_1", "name": "web_search", "input": {}}
    mcp = {"id": "mcptoolu_1", "name": "echo", "input": {}, "server_name": "s"}
    steps = [
        OWN_START,
        *[block(0, "server_tool_use", **search, caller={"type": "direct"}), *json_of(0, '{"q":', "1}"), stop(0)],
        *[block(1, "mcp_tool_use", **mcp), *json_of(1, '{"x":1}'), stop(1)],
        *[block(2, "server_tool_use", **search | {"id": "srvtoolu_2"}), *json_of(2, '{"q":')],
    ]
    assert written([*steps, *own_end("max_tokens")], "anthropic") == [start(), *steps[1:], *end("max_tokens")]
    assert written([*steps[:8], *own_end()], "anthropic") == [start(), *steps[1:8], *end("end_turn")]
    bare = [block(0, "mcp_tool_use", **mcp), stop(0)]
    told = [bare[0], *json_of(0, "{}"), bare[1]]
    assert written([OWN_START, *bare, *own_end()], "anthropic") == [start(), *told, *end("end_turn")]


def test_calls_that_another_provider_runs() -> None:
    item = {"type": "mcp_call", "id": "mcp_1", "name": "echo", "server_label": "s", "arguments": "{}"}
    steps = [
        {"type": "response.created", "response": {"id": "c1", "model": "m"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "c1", "status": "completed"}},
    ]
    assert written(steps, "openai-responses") == [
        start(),
        block(0, "mcp_tool_use", id="mcp_1", name="echo", input={}, server_name="s"),
        *json_of(0, "{}"),
        stop(0),
        *end("end_turn"),
    ]


def test_fields_of_a_call_of_anthropic() -> None:
    caller = {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}
    steps = [OWN_START, *call(0, "{}", caller=caller), *own_end("tool_use")]
    assert written(steps, "anthropic") == [start(), *call(0, "{}", caller=caller), *end("tool_use")]


def test_calls_of_another_choice_that_are_of_this_one() -> None:
    """Nothing was told of them: they follow where the turn ends."""
    steps = [saying("a"), opening(arguments="{}", choice=1), ending(), DONE]
    assert written(steps) == [start(), *text(0, "a"), *call(1, "{}"), *end("tool_use")]
    steps = [opening(choice=1), ending(), DONE]
    assert written(steps) == [start(), *call(0, "{}"), *end("tool_use")]


# --- what has no meaning here ----------------------------------------------------------------------------------

RESULT = {"tool_use_id": "srvtoolu_1", "content": []}
RESULTS = [block(n, "web_search_tool_result", **RESULT) for n in (0, 1)]
CITATION = {"type": "char_location", "cited_text": "a", "document_index": 0}


def cited(index: int) -> Payload:
    return delta(index, "citations_delta", citation=CITATION)


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (
            [*text(0, "a"), block(3, "web_search_tool_result", **RESULT), stop(3), *text(4, "b")],
            [*text(0, "a"), block(1, "web_search_tool_result", **RESULT), stop(1), *text(2, "b")],
        ),
        (
            RESULTS,
            [RESULTS[0], stop(0), RESULTS[1], stop(1)],
        ),
        (
            [block(2, "compaction", content=None), delta(2, "compaction_delta", content="x"), stop(2), *text(3, "b")],
            [block(0, "compaction", content=None), delta(0, "compaction_delta", content="x"), stop(0), *text(1, "b")],
        ),
        (
            [block(2, "compaction", content=None), delta(1, "compaction_delta", content="lost")],
            [block(0, "compaction", content=None), stop(0)],
        ),
        (
            [block(2, "text", text="a"), cited(2), delta(2, "new_delta", x=1), stop(2)],
            [*text(0, "a", ended=False), cited(0), delta(0, "new_delta", x=1), stop(0)],
        ),
        (
            [block(0, "web_search_tool_result", **RESULT), stop(0), block(1, "text", text=""), cited(1)],
            [block(0, "web_search_tool_result", **RESULT), stop(0), block(1, "text", text=""), cited(1), stop(1)],
        ),
        (
            [block(0, "text", text="a", citations=[CITATION]), stop(0)],
            [*text(0, "a", ended=False), cited(0), stop(0)],
        ),
        (
            [tool(0), block(1, "new", x=1), delta(1, "x", y=1), delta(0, "x", y=1), *json_of(0, "{}"), stop(0)],
            [*call(0, "{}"), block(1, "new", x=1), delta(1, "x", y=1), stop(1)],
        ),
        ([{"type": "vendor_event", "x": 1}, *text(0, "a")], [{"type": "vendor_event", "x": 1}, *text(0, "a")]),
        ([{"type": "a\ndata: {}"}, {"type": "\ud83d"}, *text(0, "a")], text(0, "a")),
        (
            [{"x": 1}, block(0, ""), delta(0, ""), {"type": "content_block_start", "index": 0}, *text(0, "a")],
            text(0, "a"),
        ),
    ],
    ids=[
        "results of server tools",
        "two of them",
        "a block with deltas",
        "a delta of another block",
        "citations and what else belongs to text",
        "citations before their text",
        "citations in a block's start",
        "a block behind a call",
        "events",
        "names that no event can have",
        "what is of no type",
    ],
)
def test_what_is_passed_on(sent: list[Payload], told: list[Payload]) -> None:
    finish = "tool_use" if any(each.get("content_block", {}).get("type") == "tool_use" for each in told) else "end_turn"
    assert written([OWN_START, *sent, *own_end(finish)], "anthropic") == [start(), *told, *end(finish)]


def test_what_stands_in_a_whole_message() -> None:
    content = [
        {"type": "text", "text": "a", "citations": [CITATION]},
        {"type": "web_search_tool_result", **RESULT},
        "junk",
    ]
    whole = OWN_START["message"] | {"content": content, "stop_reason": "end_turn"}
    told = [
        start(),
        *text(0, "a", ended=False),
        cited(0),
        stop(0),
        block(1, "web_search_tool_result", **RESULT),
        stop(1),
        *end("end_turn"),
    ]
    assert written([whole], "anthropic") == told
    assert written([to_sse([{"type": "message_start", "message": whole}], named=True)], "anthropic") == told


def test_what_other_wires_pass_on_is_dropped() -> None:
    assert written([{"type": "vendor_event"}, saying("a"), {"type": "vendor_event"}, ending("stop"), DONE]) == [
        start(),
        *text(0, "a"),
        *end("end_turn"),
    ]


def test_nothing_of_the_providers_follows_the_end() -> None:
    steps = [OWN_START, *text(0, "a"), *own_end(), block(1, "web_search_tool_result", **RESULT)]
    assert written(steps, "anthropic") == [start(), *text(0, "a"), *end("end_turn")]


def test_claude_behind_bedrock() -> None:
    """The same payloads, wrapped: usage in our words, because the wrapper's counts may be among it."""
    steps = [OWN_START, *text(0, "a"), block(1, "web_search_tool_result", **RESULT), *own_end("stop_sequence")]
    assert written(steps, "bedrock-invoke") == [
        start(),
        *text(0, "a"),
        block(1, "web_search_tool_result", **RESULT),
        stop(1),
        *end("stop_sequence"),
    ]


# --- the way back ----------------------------------------------------------------------------------------------

OWN = {
    "calls": [
        OWN_START,
        *thinking(0, "h", "m", signature="s"),
        *redacted(1, "d"),
        *text(2, "a"),
        *call(3, '{"x":', "1}", caller={"type": "direct"}),
        *call(4, "{}", id="b1", name="g"),
        *own_end("tool_use", input_tokens=3, output_tokens=9),
    ],
    "the provider's calls": [
        OWN_START,
        block(0, "server_tool_use", id="srvtoolu_1", name="web_search", input={}),
        *json_of(0, '{"q":1}'),
        stop(0),
        *text(1, "a", "b"),
        *own_end("stop_sequence", input_tokens=3, output_tokens=9),
    ],
}


@pytest.mark.parametrize("name", OWN)
def test_what_is_written_reads_as_before(name: str) -> None:
    events = run(OWN[name], "anthropic")
    again = run(written(OWN[name], "anthropic"), "anthropic")
    assert without_usage(again) == without_usage(events)


def without_usage(events: list[Any]) -> list[Any]:
    """`message_start` has counts that are required, and not known yet: only the last counts."""
    shown = merged(events)
    usages = [each for each in shown if each[0] == "usage"]
    return [*(each for each in shown if each[0] != "usage"), usages[-1]]


PIECES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)


@settings(max_examples=60)
@given(st.lists(PIECES, max_size=5), st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4)), max_size=12))
def test_any_custom_text_and_any_interleaving(pieces: list[str], cuts: list[tuple[int, int]]) -> None:
    """Every block holds one call's text, whole and unmixed."""
    texts = ['{"a":[1,2]}', '{"b":"x"}', "{}"]
    rest = list(texts)
    steps: list[Step] = [opening(n, f"id{n}", f"f{n}") for n in range(3)]
    steps.append(custom(3, "id3", "f3"))
    for place, size in cuts:
        if rest[place]:
            steps.append(args(rest[place][:size], place))
            rest[place] = rest[place][size:]
    steps += [custom_text(piece, 3) for piece in pieces]
    steps += [args(each, place) for place, each in enumerate(rest) if each]
    blocks: list[str] = []
    begun = 0
    for payload in written([*steps, ending(), DONE]):
        if payload["type"] == "content_block_start":
            assert payload["index"] == begun == len(blocks)
            assert payload["content_block"]["id"] == f"id{begun}"
            blocks.append("")
        elif payload["type"] == "content_block_delta":
            assert payload["index"] == begun
            blocks[-1] += payload["delta"]["partial_json"]
        elif payload["type"] == "content_block_stop":
            assert payload["index"] == begun
            begun += 1
    assert blocks[:3] == texts
    assert json.loads(blocks[3]) == {"input": "".join(pieces)}
    assert begun == 4


# --- Anthropic's own client ------------------------------------------------------------------------------------

WELL = [name for name, (_, told) in CASES.items() if told[-1]["type"] == "message_stop"]
CLIENT_S = TypeAdapter[Any](RawMessageStreamEvent)


def client_of(body: bytes) -> anthropic.Anthropic:
    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body, request=request)

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    return anthropic.Anthropic(api_key="none", base_url="http://test", max_retries=0, http_client=http)


def read_by_client(body: bytes) -> Any:
    with client_of(body) as client, client.messages.stream(model="m", max_tokens=1, messages=[]) as stream:
        return stream.get_final_message()


@pytest.mark.parametrize("name", [name for name in CASES if name != "an end that nobody knows"])
def test_the_client_s_types_take_every_event(name: str) -> None:
    for payload in written(CASES[name][0]):
        if payload["type"] != "error":
            CLIENT_S.validate_python(payload)


@pytest.mark.parametrize("name", [name for name in WELL if name != "a malformed call"])
def test_the_client_reads_what_was_said(name: str) -> None:
    message = read_by_client(body_of(CASES[name][0], "openai-chat", "anthropic"))
    blocks: list[Payload] = []
    joined: list[str] = []
    for payload in CASES[name][1]:
        if payload["type"] == "content_block_start":
            blocks.append(dict(payload["content_block"]))
            joined.append("")
        elif payload["type"] == "content_block_delta":
            piece = payload["delta"]
            match piece["type"]:
                case "input_json_delta":
                    joined[-1] += piece["partial_json"]
                case kind:
                    field = kind.removesuffix("_delta")
                    blocks[-1][field] += piece[field]
    for each, said in zip(blocks, joined, strict=True):
        if each["type"] == "tool_use":
            each["input"] = json.loads(said)
    read = [{key: value for key, value in each.to_dict().items() if value is not None} for each in message.content]
    assert [{key: each[key] for key in expected} for each, expected in zip(read, blocks, strict=True)] == blocks
    told = CASES[name][1][-2]
    assert message.stop_reason == told["delta"]["stop_reason"]
    assert message.usage.output_tokens == told["usage"]["output_tokens"]
    assert message.usage.input_tokens == told["usage"].get("input_tokens", 0)


@pytest.mark.parametrize(
    "name", ["an error inside a call", "an end by length inside a call", "bytes that end inside a call"]
)
def test_the_client_raises(name: str) -> None:
    steps, told = CASES[name]
    with pytest.raises(anthropic.APIStatusError) as raised:
        read_by_client(body_of([step for step in steps if step != DONE], "openai-chat", "anthropic"))
    assert raised.value.body == told[-1]


# --- held calls ------------------------------------------------------------------------------------------------


def test_what_stands_for_withheld_payloads_goes_nowhere() -> None:
    tools = [tool_of({"name": "f", "input_schema": {"type": "object"}}, hold=True)]
    steps = [OWN_START, tool(0), *json_of(0, "{"), {"type": "vendor_event"}, *json_of(0, "}"), stop(0)]
    frames = encoded([*steps, *own_end("tool_use")], "anthropic", encoder_for("anthropic", {}), tools=tools)
    assert [payload for _, payload in frames] == [start(), *call(0, "{}"), *end("tool_use")]


HALF_OTHER = [block(0, "new_tool_use", id="n1", name="f"), *json_of(0, '{"path":"/tmp')]


@pytest.mark.parametrize("reason", ["max_tokens", "refusal"])
def test_a_block_without_a_meaning_is_not_closed_where_it_may_be_cut(reason: str) -> None:
    counts = {"input_tokens": 0, "output_tokens": 3}
    ends = own_end(reason, **counts)
    assert written([OWN_START, *HALF_OTHER, *ends], "anthropic")[1:] == [*HALF_OTHER, *end(reason, **counts)]
    said = [OWN_START, *HALF_OTHER, stop(0), *text(1, "a"), *ends]  # there it is known to be whole
    assert written(said, "anthropic")[1:] == [*HALF_OTHER, stop(0), *text(1, "a"), *end(reason, **counts)]
    whole = [block(0, "web_search_tool_result", tool_use_id="s1", content=[]), stop(0)]
    assert written([OWN_START, *whole, *ends], "anthropic")[1:] == [*whole, *end(reason, **counts)]
    later = [block(1, "new_tool_result", content=[]), stop(1)]
    assert written([OWN_START, *HALF_OTHER, stop(0), *later, *ends], "anthropic")[1:] == [
        *[*HALF_OTHER, stop(0), *later],
        *end(reason, **counts),
    ]


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ([], error("api_error", "the provider's stream ended before its answer did")),
        ([abort()], error("api_error", "stop")),
        ([error("overloaded_error", "no")], error("overloaded_error", "no")),
    ],
    ids=["the bytes end", "abort", "error"],
)
def test_a_block_without_a_meaning_is_not_closed_before_an_error(steps: list[Step], told: Payload) -> None:
    assert written([OWN_START, *HALF_OTHER, *steps], "anthropic")[1:] == [*HALF_OTHER, told]


def test_a_block_without_a_meaning_is_closed_in_a_turn_that_ended_well() -> None:
    for reason in ("end_turn", "stop_sequence", "pause_turn"):
        counts = {"input_tokens": 0, "output_tokens": 3}
        said = [OWN_START, *HALF_OTHER, *own_end(reason, **counts)]
        assert written(said, "anthropic")[1:] == [*HALF_OTHER, stop(0), *end(reason, **counts)]
