from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, get_args

import httpx2
import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai._models import construct_type_unchecked
from openai._types import omit
from openai.lib.streaming.responses._responses import ResponseStreamState
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter, ValidationError
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
from toolwire.errors import UsageError
from toolwire.events import Finish, MessageStart, StreamError, TextDelta, Unknown
from toolwire.wire.encode import encoder_for

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.wire.encode.base import Frame

OURS = "openai-responses"
NO_COUNTS = {
    "input_tokens": 0,
    "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
    "output_tokens": 0,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 0,
}

# --- what is written -------------------------------------------------------------------------------------------


def event(type: str, **fields: Any) -> Payload:
    return {"type": f"response.{type}", **fields}


def response(status: str, *output: Payload, **fields: Any) -> Payload:
    whole = {
        "id": "resp_new",
        "object": "response",
        "created_at": 0,
        "model": "m",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "usage": None,
        "status": status,
        "output": list(output),
    }
    return whole | fields


def begin(**fields: Any) -> list[Payload]:
    return [event(step, response=response("in_progress", **fields)) for step in ("created", "in_progress")]


def final(status: str, *output: Payload, **fields: Any) -> Payload:
    """The final response, with its token counts: zeros where none were reported."""
    return event(status, response=response(status, *output, **{"usage": NO_COUNTS, **fields}))


def cut(reason: str, *output: Payload) -> Payload:
    return final("incomplete", *output, incomplete_details={"reason": reason})


def failed(type: str, code: str, message: str, *, named: str = "server_error", **fields: Any) -> list[Payload]:
    said = {"code": code, "message": message, "param": None}
    last = final("failed", error={"code": named, "message": message}, **fields)
    return [{"type": "error", **said, "error": {"type": type, **said}}, last]


def added(index: int, item: Payload) -> Payload:
    return event("output_item.added", output_index=index, item=item)


def ended(index: int, item: Payload) -> Payload:
    return event("output_item.done", output_index=index, item=item)


def message(status: str, *parts: Payload, id: str = "msg_0", **fields: Any) -> Payload:
    return {"id": id, "type": "message", "status": status, "role": "assistant", "content": list(parts), **fields}


def part(text: str, *annotations: Payload) -> Payload:
    return {"type": "output_text", "text": text, "annotations": list(annotations), "logprobs": []}


def says(text: str, id: str = "msg_0", **fields: Any) -> Payload:
    return message("completed", part(text), id=id, **fields)


def text(index: int, *pieces: str, id: str = "msg_0", **fields: Any) -> list[Payload]:
    whole = "".join(pieces)
    where = {"item_id": id, "output_index": index, "content_index": 0}
    return [
        added(index, message("in_progress", id=id, **fields)),
        event("content_part.added", **where, part=part("")),
        *(event("output_text.delta", **where, delta=piece, logprobs=[]) for piece in pieces),
        event("output_text.done", **where, text=whole, logprobs=[]),
        event("content_part.done", **where, part=part(whole)),
        ended(index, says(whole, id, **fields)),
    ]


def function(
    status: str, text: str = "", *, call: str = "a1", id: str = "fc_0", name: str = "f", **more: Any
) -> Payload:
    item = {"id": id, "type": "function_call", "status": status, "name": name, "arguments": text, "call_id": call}
    return item | more


def calls(index: int, *pieces: str, over: bool = True, name: str = "f", id: str = "fc_0", **more: Any) -> list[Payload]:
    whole = "".join(pieces)
    where = {"item_id": id, "output_index": index}
    end = [
        event("function_call_arguments.done", **where, arguments=whole, name=name),
        ended(index, function("completed", whole, id=id, name=name, **more)),
    ]
    return [
        added(index, function("in_progress", id=id, name=name, **more)),
        *(event("function_call_arguments.delta", **where, delta=piece) for piece in pieces),
        *(end if over else []),
    ]


def mcp(
    status: str, text: str = "", *, id: str = "s1", name: str = "ask", label: str = "provider", **more: Any
) -> Payload:
    item = {"id": id, "type": "mcp_call", "status": status, "name": name, "arguments": text, "server_label": label}
    return item | more


def mcp_calls(index: int, *pieces: str, over: bool = True, status: str = "completed", **more: Any) -> list[Payload]:
    whole = "".join(pieces)
    where = {"item_id": more.get("id", "s1"), "output_index": index}
    early = {key: value for key, value in more.items() if key not in ("output", "error")}
    end = [
        event("mcp_call_arguments.done", **where, arguments=whole),
        ended(index, mcp(status, whole, **more)),
    ]
    return [
        added(index, mcp("in_progress", **early)),
        *(event("mcp_call_arguments.delta", **where, delta=piece) for piece in pieces),
        *(end if over else []),
    ]


def reasoning(status: str, *summary: str, id: str = "rs_0", **fields: Any) -> Payload:
    parts = [{"type": "summary_text", "text": each} for each in summary]
    return {"id": id, "type": "reasoning", "status": status, "summary": parts, **fields}


def thinks(index: int, *pieces: str, id: str = "rs_0", **fields: Any) -> list[Payload]:
    whole = "".join(pieces)
    where = {"item_id": id, "output_index": index, "summary_index": 0}
    told = [
        event("reasoning_summary_part.added", **where, part={"type": "summary_text", "text": ""}),
        *(event("reasoning_summary_text.delta", **where, delta=piece) for piece in pieces),
        event("reasoning_summary_text.done", **where, text=whole),
        event("reasoning_summary_part.done", **where, part={"type": "summary_text", "text": whole}),
    ]
    summary = [whole] if pieces else []
    return [
        added(index, reasoning("in_progress", id=id)),
        *(told if pieces else []),
        ended(index, reasoning("completed", *summary, id=id, **fields)),
    ]


# --- what comes out --------------------------------------------------------------------------------------------

MADE = re.compile(r"^(msg|fc|ctc|rs|mcp)_[0-9a-f]{24}([0-9a-f]{4})$")


def shown(value: Any) -> Any:
    """With made-up ids as they are expected: numbered in the order in which they were made."""
    if isinstance(value, dict):
        return {key: shown(each) for key, each in value.items()}
    if isinstance(value, list):
        return [shown(each) for each in value]
    if isinstance(value, str):
        value = re.sub(r"^resp_[0-9a-f]{24}$", "resp_new", value)
        return MADE.sub(lambda found: f"{found[1]}_{int(found[2], 16)}", value)
    return value


def numbered(frames: list[Frame]) -> list[Payload]:
    """The payloads without their numbers, which must be right; each frame's event is its payload's type."""
    assert [event for event, _ in frames] == [payload["type"] for _, payload in frames]
    assert [payload["sequence_number"] for _, payload in frames] == list(range(len(frames)))
    return [shown({key: each for key, each in payload.items() if key != "sequence_number"}) for _, payload in frames]


def written(steps: Iterable[Step], wire: str = "openai-chat", **options: Any) -> list[Payload]:
    """The payloads that come of a provider's stream. All of them are what the SDK's types say."""
    frames = frames_of(steps, wire, OURS, **options)
    for _, payload in frames:
        validate(payload)
    return numbered(frames)


# --- the SDK ---------------------------------------------------------------------------------------------------

TYPES = {get_args(each.model_fields["type"].annotation)[0]: each for each in get_args(get_args(ResponseStreamEvent)[0])}
ANY = TypeAdapter(ResponseStreamEvent)


def validate(payload: Payload) -> None:
    """Every field that the SDK's type demands is there, in its type; a cut's reason may be a provider's own word."""
    reason = ((payload.get("response") or {}).get("incomplete_details") or {}).get("reason")
    if reason not in (None, "max_output_tokens", "content_filter"):
        payload = {**payload, "response": {**payload["response"], "incomplete_details": None}}
    ANY.validate_python(payload, strict=True)
    TYPES[payload["type"]].model_validate(payload, strict=True)


def accumulated(frames: list[Frame]) -> Any:
    """What the SDK's own accumulator makes of a stream."""
    state: ResponseStreamState[Any] = ResponseStreamState(input_tools=omit, text_format=omit)
    for _, payload in frames:
        copy = json.loads(json.dumps(payload))
        state.handle_event(construct_type_unchecked(type_=ResponseStreamEvent, value=copy))
    return state._completed_response


# --- events of other wires -------------------------------------------------------------------------------------

USAGE = {"prompt_tokens": 10, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 4}}
COUNTS = {
    "input_tokens": 10,
    "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 17,
}
CUSTOM = {"id": "ctc_0", "type": "custom_tool_call", "name": "f", "call_id": "a1"}
CUT_CALL = [saying("a"), opening(), args('{"x":')]
LOST = "the provider's stream ended before its answer did"


def details(**fields: Any) -> Payload:
    return chunk({"reasoning_details": [fields]})


CASES: dict[str, tuple[list[Step], list[Payload]]] = {
    "text": (
        [saying("a"), saying("b"), ending("stop"), DONE],
        [*text(0, "a", "b"), final("completed", says("ab"))],
    ),
    "nothing": ([chunk({"role": "assistant"}), ending("stop"), DONE], [final("completed")]),
    "one call": (
        [opening(), args('{"x":'), args("1}"), ending(), DONE],
        [*calls(0, '{"x":', "1}", call="a1"), final("completed", function("completed", '{"x":1}'))],
    ),
    "two calls": (
        [opening(0, "a1", "f", '{"x":1}'), opening(1, "b2", "g", '{"y":2}'), ending(), DONE],
        [
            *calls(0, '{"x":1}'),
            *calls(1, '{"y":2}', call="b2", name="g", id="fc_1"),
            final(
                "completed",
                function("completed", '{"x":1}'),
                function("completed", '{"y":2}', call="b2", name="g", id="fc_1"),
            ),
        ],
    ),
    "interleaved calls": (
        [
            *(opening(0, "a1"), opening(1, "b2", "g")),
            *(args('{"x":', 0), args('{"y":', 1), args("1}", 0), args("2}", 1)),
            *(ending(), DONE),
        ],
        [
            *calls(0, '{"x":', "1}"),
            *calls(1, '{"y":', "2}", call="b2", name="g", id="fc_1"),
            final(
                "completed",
                function("completed", '{"x":1}'),
                function("completed", '{"y":2}', call="b2", name="g", id="fc_1"),
            ),
        ],
    ),
    "no arguments": (
        [opening(), ending(), DONE],
        [*calls(0, "{}"), final("completed", function("completed", "{}"))],
    ),
    "null for arguments": (
        [opening(), args("nu"), args("ll"), ending(), DONE],
        [*calls(0, "{}"), final("completed", function("completed", "{}"))],
    ),
    "text before and after a call": (
        [saying("a"), opening(), args("{}"), saying("b"), ending(), DONE],
        [
            *text(0, "a"),
            *calls(1, "{}", id="fc_1"),
            *text(2, "b", id="msg_2"),
            final("completed", says("a"), function("completed", "{}", id="fc_1"), says("b", "msg_2")),
        ],
    ),
    "text amid arguments": (
        [opening(), args('{"x":'), saying("a"), args("1}"), saying("b"), ending(), DONE],
        [
            *calls(0, '{"x":', "1}"),
            *text(1, "a", "b", id="msg_1"),
            final("completed", function("completed", '{"x":1}'), says("ab", "msg_1")),
        ],
    ),
    "a refusal": (
        [chunk({"refusal": "n"}), chunk({"refusal": "o"}), ending("stop"), DONE],
        [
            added(0, message("in_progress")),
            event(
                "content_part.added",
                item_id="msg_0",
                output_index=0,
                content_index=0,
                part={"type": "refusal", "refusal": ""},
            ),
            event("refusal.delta", item_id="msg_0", output_index=0, content_index=0, delta="n"),
            event("refusal.delta", item_id="msg_0", output_index=0, content_index=0, delta="o"),
            event("refusal.done", item_id="msg_0", output_index=0, content_index=0, refusal="no"),
            event(
                "content_part.done",
                item_id="msg_0",
                output_index=0,
                content_index=0,
                part={"type": "refusal", "refusal": "no"},
            ),
            ended(0, message("completed", {"type": "refusal", "refusal": "no"})),
            final("completed", message("completed", {"type": "refusal", "refusal": "no"})),
        ],
    ),
    "reasoning": (
        [chunk({"reasoning_content": "a"}), chunk({"reasoning_content": "b"}), saying("c"), ending("stop"), DONE],
        [
            *thinks(0, "a", "b"),
            *text(1, "c", id="msg_1"),
            final("completed", reasoning("completed", "ab"), says("c", "msg_1")),
        ],
    ),
    "reasoning with signatures": (
        [
            details(type="reasoning.text", text="a"),
            details(type="reasoning.text", text="", signature="s1"),
            details(type="reasoning.text", text="b", signature="s2"),
            details(type="reasoning.encrypted", data="blob"),
            ending("stop"),
            DONE,
        ],
        [
            *thinks(0, "a", encrypted_content="s1"),
            *thinks(1, "b", id="rs_1", encrypted_content="s2"),
            *thinks(2, id="rs_2", encrypted_content="blob"),
            final(
                "completed",
                reasoning("completed", "a", encrypted_content="s1"),
                reasoning("completed", "b", id="rs_1", encrypted_content="s2"),
                reasoning("completed", id="rs_2", encrypted_content="blob"),
            ),
        ],
    ),
    "custom call": (
        [custom(), custom_text("SELECT "), custom_text("1"), ending(), DONE],
        [
            added(0, {**CUSTOM, "status": "in_progress", "input": ""}),
            event("custom_tool_call_input.delta", item_id="ctc_0", output_index=0, delta="SELECT "),
            event("custom_tool_call_input.delta", item_id="ctc_0", output_index=0, delta="1"),
            event("custom_tool_call_input.done", item_id="ctc_0", output_index=0, input="SELECT 1"),
            ended(0, {**CUSTOM, "status": "completed", "input": "SELECT 1"}),
            final("completed", {**CUSTOM, "status": "completed", "input": "SELECT 1"}),
        ],
    ),
    "usage": (
        [saying("a"), ending("stop"), chunk({}, usage=USAGE), DONE],
        [*text(0, "a"), final("completed", says("a"), usage=COUNTS)],
    ),
    "length outside of calls": (
        [saying("a"), ending("length"), DONE],
        [*text(0, "a"), cut("max_output_tokens", says("a"))],
    ),
    "content filter": (
        [saying("a"), ending("content_filter"), DONE],
        [*text(0, "a"), cut("content_filter", says("a"))],
    ),
    "unknown reason": ([saying("a"), ending("weary"), DONE], [*text(0, "a"), cut("weary", says("a"))]),
    "a malformed call": (
        [opening(), args('{"x": nope}'), ending(), DONE],
        [*calls(0, '{"x": nope}'), final("completed", function("completed", '{"x": nope}'))],
    ),
    "a second choice": (
        [saying("a"), saying("b", 1), ending("stop"), ending("stop", 1), DONE],
        [*text(0, "a"), final("completed", says("a"))],
    ),
    "error amid a call": (
        [*CUT_CALL, {"error": {"message": "boom", "type": "server_error", "code": "oops"}}],
        [*text(0, "a"), *calls(1, '{"x":', over=False, id="fc_1"), *failed("server_error", "oops", "boom")],
    ),
    "rate limit": (
        [saying("a"), {"error": {"message": "slow", "type": "rate_limit_error", "code": "rate_limit_exceeded"}}],
        [
            *text(0, "a"),
            *failed("rate_limit_error", "rate_limit_exceeded", "slow", named="rate_limit_exceeded"),
        ],
    ),
    "end of bytes amid a call": (
        CUT_CALL,
        [*text(0, "a"), *calls(1, '{"x":', over=False, id="fc_1"), *failed("upstream_error", "incomplete", LOST)],
    ),
    "abort": (
        [*CUT_CALL, abort()],
        [*text(0, "a"), *calls(1, '{"x":', over=False, id="fc_1"), *failed("request_cancelled", "aborted", "stop")],
    ),
    "reject of a call": (
        [opening(0, "a1"), args('{"x":'), reject(), args("1}"), opening(1, "b2", "g", "{}"), ending(), DONE],
        [
            *calls(0, '{"x":', over=False),
            *failed("request_cancelled", "call_rejected", "the call of f was rejected: no"),
        ],
    ),
    "a truncated call in a turn that ended well": (
        [*CUT_CALL, ending(), DONE],
        [
            *text(0, "a"),
            *calls(1, '{"x":', over=False, id="fc_1"),
            *failed(
                "server_error", "truncated_call", "the arguments of f end in the middle, though the answer did not"
            ),
        ],
    ),
    "length amid a call": (
        [*CUT_CALL, ending("length"), DONE],
        [
            *text(0, "a"),
            *calls(1, '{"x":', over=False, id="fc_1"),
            *failed("server_error", "length", "the arguments of f were cut off (length)"),
        ],
    ),
    "two documents in a slot, told while open": (
        [opening(), args('{"x":1}{"y":'), args("2}"), ending(), DONE],
        [
            *calls(0, '{"x":1}{"y":', "2}"),
            *failed("server_error", "concatenated", "the arguments of f are two documents"),
        ],
    ),
    "two documents in a slot, after the first was called whole": (
        [opening(), args('{"x":1}'), saying("a"), args('{"y":2}'), ending(), DONE],
        [
            *calls(0, '{"x":1}'),
            *text(1, "a", id="msg_1"),
            *failed("server_error", "contradiction", "the arguments of f were not whole after all"),
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_written(name: str) -> None:
    steps, expected = CASES[name]
    assert written(steps) == [*begin(), *expected]


# --- calls that are cut ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("reason", "said"), [("length", "max_output_tokens"), ("content_filter", "content_filter")])
def test_a_cut_call_is_incomplete_in_the_final_response_alone(reason: str, said: str) -> None:
    assert written([*CUT_CALL, ending(reason), DONE], fail_on_cut=False) == [
        *begin(),
        *text(0, "a"),
        *calls(1, '{"x":', over=False, id="fc_1"),
        cut(said, says("a"), function("incomplete", '{"x":', id="fc_1")),
    ]


def test_a_cut_call_of_which_nothing_came() -> None:
    assert written([opening(), ending("length"), DONE], fail_on_cut=False) == [
        *begin(),
        *calls(0, over=False),
        cut("max_output_tokens", function("incomplete")),
    ]


def test_what_waits_for_a_cut_call_is_written_at_the_end() -> None:
    steps = [opening(), args('{"x":'), opening(1, "b2", "g", '{"y":2}'), saying("a"), ending("length"), DONE]
    assert written(steps, fail_on_cut=False) == [
        *begin(),
        *calls(0, '{"x":', over=False),
        *calls(1, '{"y":2}', call="b2", name="g", id="fc_1"),
        *text(2, "a", id="msg_2"),
        cut(
            "max_output_tokens",
            function("incomplete", '{"x":'),
            function("completed", '{"y":2}', call="b2", name="g", id="fc_1"),
            says("a", "msg_2"),
        ),
    ]


def test_a_whole_call_in_a_turn_cut_by_length() -> None:
    assert written([opening(), args('{"x":1}'), ending("length"), DONE]) == [
        *begin(),
        *calls(0, '{"x":1}'),
        cut("max_output_tokens", function("completed", '{"x":1}')),
    ]


# --- Anthropic's stream ----------------------------------------------------------------------------------------

START = {
    "type": "message_start",
    "message": {"id": "c1", "type": "message", "role": "assistant", "model": "m", "content": []},
}


def block(index: int, type: str, *deltas: Payload, **fields: Any) -> list[Payload]:
    return [
        {"type": "content_block_start", "index": index, "content_block": {"type": type, **fields}},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def json_delta(text: str) -> Payload:
    return {"type": "input_json_delta", "partial_json": text}


def stop(reason: str) -> list[Payload]:
    return [{"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {}}, {"type": "message_stop"}]


def test_signatures_and_redacted_thinking_are_encrypted_content() -> None:
    thinking = [{"type": "thinking_delta", "thinking": "a"}, {"type": "signature_delta", "signature": "sig"}]
    steps = [
        START,
        *block(0, "thinking", *thinking, thinking=""),
        *block(1, "redacted_thinking", data="blob"),
        *block(2, "text", {"type": "text_delta", "text": "b"}, text=""),
        *stop("end_turn"),
    ]
    assert written(steps, "anthropic") == [
        *begin(),
        *thinks(0, "a", encrypted_content="sig"),
        *thinks(1, id="rs_1", encrypted_content="blob"),
        *text(2, "b", id="msg_2"),
        final(
            "completed",
            reasoning("completed", "a", encrypted_content="sig"),
            reasoning("completed", id="rs_1", encrypted_content="blob"),
            says("b", "msg_2"),
        ),
    ]


def test_calls_that_the_provider_runs_are_mcp_calls() -> None:
    steps = [
        START,
        *block(0, "server_tool_use", json_delta('{"q":1}'), id="s1", name="ask", input={}),
        *block(1, "mcp_tool_use", json_delta('{"q":2}'), id="m1", name="find", input={}, server_name="wiki"),
        *block(2, "tool_use", json_delta('{"x":1}'), id="a1", name="f", input={}),
        *stop("tool_use"),
    ]
    assert written(steps, "anthropic") == [
        *begin(),
        *mcp_calls(0, '{"q":1}'),
        *mcp_calls(1, '{"q":2}', id="m1", name="find", label="wiki"),
        *calls(2, '{"x":1}'),
        final(
            "completed",
            mcp("completed", '{"q":1}'),
            mcp("completed", '{"q":2}', id="m1", name="find", label="wiki"),
            function("completed", '{"x":1}'),
        ),
    ]


@pytest.mark.parametrize(
    ("reason", "end"),
    [("max_tokens", cut("max_output_tokens", mcp("incomplete", '{"q":'))), ("end_turn", None)],
)
def test_a_cut_call_of_the_provider_is_no_bad_end(reason: str, end: Payload | None) -> None:
    start, delta, _ = block(0, "server_tool_use", json_delta('{"q":'), id="s1", name="ask", input={})
    assert written([START, start, delta, *stop(reason)], "anthropic") == [
        *begin(),
        *mcp_calls(0, '{"q":', over=False),
        end or final("completed", mcp("incomplete", '{"q":')),
    ]


def test_a_paused_turn_is_completed() -> None:
    steps = [START, *block(0, "text", {"type": "text_delta", "text": "a"}, text=""), *stop("pause_turn")]
    assert written(steps, "anthropic") == [*begin(), *text(0, "a"), final("completed", says("a"))]


def test_what_is_unknown_of_another_wire_is_dropped() -> None:
    steps = [START, *block(0, "web_search_tool_result", content=[]), *stop("end_turn")]
    assert written(steps, "anthropic") == [*begin(), final("completed")]


# --- a Responses provider's stream -----------------------------------------------------------------------------


def source(*events: Payload, end: Payload | None = None) -> list[Payload]:
    """Its events, in a response of its own."""
    mine = {"id": "resp_1", "object": "response", "model": "m", "output": []}
    return [
        event("created", response={**mine, "status": "in_progress"}),
        *events,
        end or event("completed", response={**mine, "status": "completed"}),
    ]


def kept(*events: Payload, output: list[Payload], **fields: Any) -> list[Payload]:
    """What comes of them, under the response's own id."""
    return [*begin(id="resp_1"), *events, final("completed", *output, id="resp_1", **fields)]


def search(status: str, **fields: Any) -> Payload:
    action = {"type": "search", "query": "q"}
    return {"type": "web_search_call", "id": "ws_1", "status": status, "action": action, **fields}


def about(name: str, index: int, id: str = "ws_1", **fields: Any) -> Payload:
    return event(name, item_id=id, output_index=index, **fields)


def source_text(index: int, *pieces: str, id: str = "msg_x", **fields: Any) -> list[Payload]:
    return [
        added(index, message("in_progress", id=id, **fields)),
        *(about("output_text.delta", index, id, content_index=0, delta=piece, logprobs=[]) for piece in pieces),
        ended(index, says("".join(pieces), id, **fields)),
    ]


def source_call(index: int, text: str, id: str = "fc_x", call: str = "a1", **more: Any) -> list[Payload]:
    return [
        added(index, function("in_progress", id=id, call=call, **more)),
        about("function_call_arguments.delta", index, id, delta=text),
        about("function_call_arguments.done", index, id, arguments=text),
        ended(index, function("completed", text, id=id, call=call, **more)),
    ]


def test_its_ids_are_kept() -> None:
    raw = reasoning("completed", "ab", id="rs_x", encrypted_content="blob")
    program = {"type": "program", "caller_id": "p1"}
    steps = source(
        added(0, reasoning("in_progress", id="rs_x")),
        about("reasoning_summary_text.delta", 0, "rs_x", summary_index=0, delta="a"),
        about("reasoning_summary_text.delta", 0, "rs_x", summary_index=0, delta="b"),
        ended(0, raw),
        *source_text(1, "c", "d", phase="commentary"),
        *source_text(2, "e", id="msg_y", phase="final_answer"),
        *source_call(3, '{"x":1}', namespace="n", caller=program),
    )
    assert written(steps, OURS) == kept(
        *thinks(0, "a", "b", id="rs_x", encrypted_content="blob"),
        *text(1, "c", "d", id="msg_x", phase="commentary"),
        *text(2, "e", id="msg_y", phase="final_answer"),
        *calls(3, '{"x":1}', id="fc_x", namespace="n", caller=program),
        output=[
            raw,
            says("cd", "msg_x", phase="commentary"),
            says("e", "msg_y", phase="final_answer"),
            function("completed", '{"x":1}', id="fc_x", namespace="n", caller=program),
        ],
    )


def test_reasoning_waits_for_its_id() -> None:
    encoder = encoder_for(OURS, {})
    steps = source(
        added(0, reasoning("in_progress", id="rs_x")),
        about("reasoning_summary_text.delta", 0, "rs_x", summary_index=0, delta="a"),
        ended(0, reasoning("completed", "a", id="rs_x")),
    )
    counts = [sum(len(encoder.feed(each)) for each in events) for events in stepwise(steps)]
    assert counts == [2, 0, 0, 3, 4]  # the item ends when another begins, or with the response


def stepwise(steps: list[Payload]) -> Iterable[list[Any]]:
    stream = Stream(OURS)
    return [stream.receive_payload(step) for step in steps]


def test_reasoning_whose_id_never_comes_is_written_under_a_new_one() -> None:
    steps = source(
        about("reasoning_text.delta", 0, "rs_x", content_index=0, delta="a"),
        *source_text(1, "b"),
    )
    where = {"item_id": "rs_0", "output_index": 0, "content_index": 0}
    whole = {"type": "reasoning_text", "text": "a"}
    assert written(steps, OURS) == kept(
        added(0, reasoning("in_progress")),
        event("content_part.added", **where, part={"type": "reasoning_text", "text": ""}),
        event("reasoning_text.delta", **where, delta="a"),
        event("reasoning_text.done", **where, text="a"),
        event("content_part.done", **where, part=whole),
        ended(0, reasoning("completed", content=[whole])),
        *text(1, "b", id="msg_x"),
        output=[reasoning("completed", content=[whole]), says("b", "msg_x")],
    )


def test_reasoning_that_was_held_is_told_before_an_error() -> None:
    steps = source(
        about("reasoning_summary_text.delta", 0, "rs_x", summary_index=0, delta="a"),
        end={"type": "error", "error": {"type": "server_error", "code": "oops", "message": "boom", "param": None}},
    )
    assert written(steps, OURS) == [
        *begin(id="resp_1"),
        *thinks(0, "a"),
        *failed("server_error", "oops", "boom", id="resp_1"),
    ]


def test_an_id_that_is_too_long_is_replaced() -> None:
    steps = source(*source_text(0, "a", id="x" * 64), *source_text(1, "b", id="y" * 65))
    assert [item["id"] for item in written(steps, OURS)[-1]["response"]["output"]] == ["x" * 64, "msg_0"]


def test_an_id_that_is_taken_is_replaced() -> None:
    steps = source(*source_text(0, "a"), *source_call(1, "{}", id="msg_x"))
    assert [item["id"] for item in written(steps, OURS)[-1]["response"]["output"]] == ["msg_x", "fc_0"]


def test_an_mcp_call_keeps_its_output() -> None:
    item = {"type": "mcp_call", "id": "mcp_x", "name": "ask", "server_label": "wiki"}
    fields: Payload = {"id": "mcp_x", "label": "wiki"}
    steps = source(
        added(0, {**item, "arguments": "", "status": "in_progress"}),
        about("mcp_call.in_progress", 0, "mcp_x"),
        about("mcp_call_arguments.delta", 0, "mcp_x", delta="{}"),
        about("mcp_call_arguments.done", 0, "mcp_x", arguments="{}"),
        about("mcp_call.completed", 0, "mcp_x"),
        ended(0, {**item, "arguments": "{}", "status": "completed", "output": "yes", "error": None}),
    )
    assert written(steps, OURS) == kept(
        *mcp_calls(0, "{}", **fields, output="yes"),
        output=[mcp("completed", "{}", **fields, output="yes")],
    )


def test_an_mcp_call_that_failed() -> None:
    item = {"type": "mcp_call", "id": "mcp_x", "name": "ask", "server_label": "wiki"}
    fields: Payload = {"id": "mcp_x", "label": "wiki", "error": {"type": "http_error", "code": 500, "message": "no"}}
    steps = source(
        *source_text(0, "a"),
        added(1, {**item, "arguments": "", "status": "in_progress"}),
        about("mcp_call_arguments.delta", 1, "mcp_x", delta='{"q":1}'),
        about("mcp_call.failed", 1, "mcp_x"),
        ended(1, {**item, "arguments": '{"q":1}', "status": "failed", "error": fields["error"]}),
    )
    whole = mcp("failed", '{"q":1}', **fields)
    begun, piece, done, over = mcp_calls(1, '{"q":1}', status="failed", **fields)
    assert written(steps, OURS) == kept(
        *text(0, "a", id="msg_x"),
        begun,
        piece,
        about("mcp_call.failed", 1, "mcp_x"),
        done,
        over,
        output=[says("a", "msg_x"), whole],
    )


def test_a_call_whose_final_copy_differs_is_a_bad_end() -> None:
    begun, delta, *_ = source_call(0, '{"x":1}')
    steps = source(begun, delta, ended(0, function("completed", '{"x":2}', id="fc_x")))
    why = "the arguments of f can't be used: the final copy of the arguments differs from what was streamed"
    assert written(steps, OURS) == [
        *begin(id="resp_1"),
        *calls(0, '{"x":1}', id="fc_x"),
        *failed("server_error", "invalid_call", why, id="resp_1"),
    ]


def test_a_call_that_its_tool_does_not_take_is_for_the_client_to_judge() -> None:
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "string"}}}}]
    steps = [opening(), args('{"x":1}'), ending(), DONE]
    frames = encoded(steps, "openai-chat", encoder_for(OURS, {}), tools=tools)
    assert numbered(frames) == [*begin(), *calls(0, '{"x":1}'), final("completed", function("completed", '{"x":1}'))]


def test_a_call_that_turns_out_to_be_the_providers_own_is_a_bad_end() -> None:
    item = {"type": "custom_tool_call", "id": "ctc_x", "name": "x_search", "input": ""}
    steps = source(added(0, item), ended(0, {**item, "call_id": "xs_call_1", "input": "{}", "status": "completed"}))
    kinds = [payload["type"] for payload in written(steps, OURS)]
    assert kinds[-2:] == ["error", "response.failed"]


def test_items_without_a_meaning_are_passed_on_with_our_numbers() -> None:
    steps = source(
        *source_text(5, "a"),
        added(7, search("in_progress")),
        about("web_search_call.searching", 7),
        about("web_search_call.completed", 7),
        ended(7, search("completed")),
        *source_text(9, "b", id="msg_y"),
        {"type": "keepalive", "sequence_number": 99},
    )
    steps[1:1] = [about("web_search_call.searching", 3, "ws_unknown")]  # nobody was told of that item
    frames = numbered(frames_of(steps, OURS, OURS))
    assert frames == kept(
        *text(0, "a", id="msg_x"),
        added(1, search("in_progress")),
        about("web_search_call.searching", 1),
        about("web_search_call.completed", 1),
        ended(1, search("completed")),
        *text(2, "b", id="msg_y")[:3],
        {"type": "keepalive"},
        *text(2, "b", id="msg_y")[3:],
        output=[says("a", "msg_x"), search("completed"), says("b", "msg_y")],
    )


def test_an_item_that_overlaps_a_message_does_not_divide_it() -> None:
    begun, *deltas, over = source_text(1, "a", "b")
    steps = source(added(0, search("in_progress")), begun, deltas[0], ended(0, search("completed")), deltas[1], over)
    parts = text(1, "a", "b", id="msg_x")
    assert written(steps, OURS) == kept(
        added(0, search("in_progress")),
        *parts[:3],
        ended(0, search("completed")),
        *parts[3:],
        output=[search("completed"), says("ab", "msg_x")],
    )


def test_what_comes_of_another_item_waits_for_a_call() -> None:
    begun, delta, *rest = source_call(1, '{"x":')
    more = about("function_call_arguments.delta", 1, "fc_x", delta="1}")
    over = ended(1, function("completed", '{"x":1}', id="fc_x"))
    steps = source(
        added(0, search("in_progress")),
        begun,
        delta,
        about("web_search_call.searching", 0),
        ended(0, search("completed")),
        added(2, search("in_progress", id="ws_2")),
        more,
        over,
        ended(2, search("completed", id="ws_2")),
    )
    assert len(rest) == 2
    assert written(steps, OURS) == kept(
        added(0, search("in_progress")),
        *calls(1, '{"x":', "1}", id="fc_x"),
        about("web_search_call.searching", 0),
        ended(0, search("completed")),
        added(2, search("in_progress", id="ws_2")),
        ended(2, search("completed", id="ws_2")),
        output=[search("completed"), function("completed", '{"x":1}', id="fc_x"), search("completed", id="ws_2")],
    )


def test_an_item_that_only_ends_begins_too() -> None:
    assert written(source(ended(4, search("completed"))), OURS) == kept(
        added(0, search("completed")), ended(0, search("completed")), output=[search("completed")]
    )


def test_an_item_that_only_the_final_response_has() -> None:
    mine = {"id": "resp_1", "object": "response", "model": "m", "status": "completed", "output": [search("completed")]}
    assert written(source(end=event("completed", response=mine)), OURS) == kept(
        added(0, search("completed")), ended(0, search("completed")), output=[search("completed")]
    )


def test_an_item_that_never_ends_is_in_the_final_response_as_it_began() -> None:
    assert written(source(added(0, search("in_progress"))), OURS) == kept(
        added(0, search("in_progress")), output=[search("in_progress")]
    )


def test_an_index_that_is_used_again_is_another_item() -> None:
    first, second = search("completed"), search("completed", id="ws_2")
    steps = source(added(0, first), ended(0, first), added(0, second), ended(0, second))
    assert written(steps, OURS) == kept(
        added(0, first), ended(0, first), added(1, second), ended(1, second), output=[first, second]
    )


def test_an_item_whose_id_changes_is_found_by_its_index_and_keeps_the_first() -> None:
    begun, over = search("in_progress"), search("completed")
    steps = source(added(3, begun), ended(3, search("completed", id="ws_other")))
    assert written(steps, OURS) == kept(added(0, begun), ended(0, over), output=[over])


CITED = {"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 1}


@pytest.mark.parametrize("one_by_one", [True, False])
def test_annotations_of_the_open_message_are_kept(one_by_one: bool) -> None:
    begun, delta, _ = source_text(4, "a")
    event_ = about("output_text.annotation.added", 4, "msg_x", content_index=0, annotation_index=0, annotation=CITED)
    over = ended(4, message("completed", part("a", CITED), id="msg_x"))
    parts = text(0, "a", id="msg_x")
    whole = message("completed", part("a", CITED), id="msg_x")
    where = {"item_id": "msg_x", "output_index": 0, "content_index": 0}
    assert written(source(begun, delta, *([event_] if one_by_one else []), over), OURS) == kept(
        *parts[:3],
        event("output_text.annotation.added", **where, annotation_index=0, annotation=CITED),
        parts[3],
        event("content_part.done", **where, part=part("a", CITED)),
        ended(0, whole),
        output=[whole],
    )


def test_a_copy_that_contradicts_is_not_passed_on() -> None:
    begun, delta, over = source_text(0, "a")
    other = about("output_text.done", 0, "msg_x", content_index=0, text="z", logprobs=[])
    contradicting = ended(0, says("y", "msg_x"))
    assert written(source(begun, delta, other, contradicting), OURS) == kept(
        *text(0, "a", id="msg_x"), output=[says("a", "msg_x")]
    )
    assert over == ended(0, says("a", "msg_x"))


def test_its_counts_are_kept_and_filled_up() -> None:
    usage = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 8, "cost": 1, "output_tokens_details": {"extra": 2}}
    mine = {"id": "resp_1", "object": "response", "model": "m", "status": "completed", "output": [], "usage": usage}
    assert written(source(end=event("completed", response=mine)), OURS) == kept(
        output=[],
        usage={
            "input_tokens": 3,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 4,
            "output_tokens_details": {"extra": 2, "reasoning_tokens": 0},
            "total_tokens": 8,
            "cost": 1,
        },
    )


def test_a_response_that_begins_anew_is_a_bad_end() -> None:
    again = event("created", response={"id": "resp_2", "object": "response", "model": "m", "output": []})
    encoder = encoder_for(OURS, {})
    steps = source(*source_text(0, "a"), again, *source_text(0, "b"))
    frames = [frame for events in stepwise(steps) for each in events for frame in encoder.feed(each)] + encoder.end()
    why = "what was sent no longer holds: the provider began the response anew"
    assert numbered(frames) == [
        *begin(id="resp_1"),
        *text(0, "a", id="msg_x"),
        *failed("server_error", "reset", why, id="resp_1"),
    ]
    assert (encoder.stopped, encoder.aborts) == (True, True)


# --- options and ends ------------------------------------------------------------------------------------------


def test_options() -> None:
    said = {"id": "resp_z", "model": "n", "created_at": 5}
    assert written([saying("a"), ending("stop"), DONE], message_id="resp_z", model="n", created=5) == [
        *begin(**said),
        *text(0, "a"),
        final("completed", says("a"), **said),
    ]


@pytest.mark.parametrize("option", ["usage", "client", "run", "show_errors"])
def test_options_of_other_wires_are_refused(option: str) -> None:
    with pytest.raises(UsageError, match=f"{option}= is no option of openai-responses"):
        encoder_for(OURS, {option: 1})


def test_no_id_is_used_twice() -> None:
    steps = [saying("a"), opening(), args("{}"), ending(), DONE]
    one, two = (frames_of(steps, "openai-chat", OURS)[-1][1]["response"] for _ in range(2))
    assert one["id"] != two["id"]
    ids = [item["id"] for each in (one, two) for item in each["output"]]
    assert len(set(ids)) == 4


def test_an_error_before_anything_else() -> None:
    encoder = encoder_for(OURS, {"model": "m"})
    frames = encoder.feed(StreamError("overloaded", "busy")) + encoder.feed(Finish("error")) + encoder.end()
    assert numbered(frames) == [*begin(), *failed("overloaded_error", "overloaded", "busy")]
    for _, payload in frames:
        validate(payload)


def test_events_that_end_early() -> None:
    encoder = encoder_for(OURS, {})
    frames = [*encoder.feed(MessageStart(None, "m", "openai-chat")), *encoder.feed(TextDelta("a")), *encoder.end()]
    why = "the events ended before their turn did"
    assert numbered(frames) == [*begin(), *text(0, "a"), *failed("upstream_error", "incomplete", why)]
    assert encoder.aborts


def test_nothing_comes_behind_the_final_response() -> None:
    encoder = encoder_for(OURS, {})
    for each in (MessageStart("resp_1", "m", OURS), Finish("stop")):
        encoder.feed(each)
    assert encoder.feed(Unknown({"type": "keepalive", "sequence_number": 5})) == []
    assert encoder.end() == []
    assert not encoder.aborts


HARD = [
    saying("ä😀"),
    opening(0, "a1"),
    opening(1, "b2", "g"),
    args('{"x":"\\ud83d', 0),
    args('{"y":', 1),
    saying("b"),
    args('\\ude00"}', 0),
    args("2}", 1),
    ending(),
    chunk({}, usage=USAGE),
    DONE,
]


@settings(max_examples=25)
@given(st.lists(st.lists(st.integers(0, 3000), max_size=8), min_size=1, max_size=2))
def test_frames_do_not_depend_on_how_the_bytes_were_cut(places: list[list[int]]) -> None:
    others = [added(1, search("in_progress")), *source_call(2, '{"x":1}'), *source_text(3, "b", id="msg_y")]
    own = source(*source_text(0, "a"), *others)
    for steps, wire in ((HARD, "openai-chat"), (own, OURS), (CUT_CALL, "openai-chat")):
        whole, *others = at_all_cuts(to_sse(steps), wire, OURS, places)
        for other in others:
            assert numbered(other) == numbered(whole)


# --- there and back --------------------------------------------------------------------------------------------

AGAIN: dict[str, list[Payload]] = {
    "messages": source(*source_text(0, "a", "b"), *source_text(1, "c", id="msg_y")),
    "calls": source(*source_call(0, '{"x":1}'), *source_call(1, '{"y":2}', id="fc_y", call="b2", namespace="n")),
    "an item of the provider's": source(added(0, search("in_progress")), ended(0, search("completed"))),
    "reasoning": source(
        added(0, reasoning("in_progress", id="rs_x")),
        about("reasoning_summary_text.delta", 0, "rs_x", summary_index=0, delta="a"),
        ended(0, reasoning("completed", "a", id="rs_x", encrypted_content="blob")),
        *source_call(1, '{"x":1}'),
    ),
    "a refusal": source(
        added(0, message("in_progress", id="msg_x")),
        about("refusal.delta", 0, "msg_x", content_index=0, delta="no"),
        ended(0, message("completed", {"type": "refusal", "refusal": "no"}, id="msg_x")),
    ),
    "free text": source(
        added(0, {**CUSTOM, "id": "ctc_x", "status": "in_progress", "input": ""}),
        about("custom_tool_call_input.delta", 0, "ctc_x", delta="SELECT 1"),
        ended(0, {**CUSTOM, "id": "ctc_x", "status": "completed", "input": "SELECT 1"}),
    ),
}


def unnumbered(events: Iterable[Any]) -> list[Any]:
    return [
        json.loads(json.dumps(each, default=str), object_hook=lambda found: {**found, "sequence_number": 0})
        for each in merged(events)
    ]


@pytest.mark.parametrize("name", AGAIN)
def test_what_is_decoded_again_is_the_same(name: str) -> None:
    *said, last = AGAIN[name]
    steps = [*said, {**last, "response": {**last["response"], "usage": NO_COUNTS}}]
    again = run([to_sse(frames_of(steps, OURS, OURS))], OURS)
    assert unnumbered(again) == unnumbered(run([to_sse(steps, named=True)], OURS))


# --- the SDK ---------------------------------------------------------------------------------------------------

GOOD = [name for name, (_, frames) in CASES.items() if frames[-1]["type"] == "response.completed"]
BAD = [  # of those that are bytes alone
    name
    for name, (steps, frames) in CASES.items()
    if frames[-1]["type"] == "response.failed" and not any(map(callable, steps))
]


@pytest.mark.parametrize("name", GOOD)
def test_the_sdks_accumulator_comes_to_the_same_response(name: str) -> None:
    frames = frames_of(CASES[name][0], "openai-chat", OURS)
    found = accumulated(frames).to_dict(mode="json")
    expected = frames[-1][1]["response"]["output"]
    for item in found["output"]:
        item.pop("parsed_arguments", None)
        for each in item.get("content", ()):
            each.pop("parsed", None)
    assert found["output"] == expected


@pytest.mark.parametrize("name", AGAIN)
def test_the_sdks_accumulator_takes_what_is_passed_on(name: str) -> None:
    frames = frames_of(AGAIN[name], OURS, OURS)
    found = [(item.type, item.id) for item in accumulated(frames).output]
    assert found == [(item["type"], item["id"]) for item in frames[-1][1]["response"]["output"]]


def client(body: bytes) -> openai.OpenAI:
    """The SDK's client, whose answers are these bytes."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body)

    transport = httpx2.MockTransport(answer)
    return openai.OpenAI(
        api_key="k", base_url="http://x/v1", max_retries=0, http_client=httpx2.Client(transport=transport)
    )


def test_the_sdks_helper_has_the_calls() -> None:
    body = body_of(CASES["interleaved calls"][0], "openai-chat", OURS)
    with client(body) as sdk, sdk.responses.stream(model="m", input="x") as stream:
        made = [(item.name, item.call_id, item.arguments) for item in stream.get_final_response().output]
    assert made == [("f", "a1", '{"x":1}'), ("g", "b2", '{"y":2}')]


@pytest.mark.parametrize("name", BAD)
def test_the_sdk_raises_at_a_bad_end(name: str) -> None:
    said = CASES[name][1][-2]["message"]
    with (
        client(body_of(CASES[name][0], "openai-chat", OURS)) as sdk,
        pytest.raises(openai.APIError, match=re.escape(said)),
    ):
        list(sdk.responses.create(model="m", input="x", stream=True))


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterable[tuple[Any, ...]]:
    """Where each member is."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield (*at, key)
            yield from paths(each, (*at, key))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from paths(each, (*at, place))


# Members that the SDK's types don't demand, or don't have.
OPTIONAL = {
    *("code", "param", "error", "error.code", "error.message", "error.param", "error.type"),
    *("response.error", "response.incomplete_details", "response.incomplete_details.reason", "response.instructions"),
    *("response.metadata", "response.status", "response.temperature", "response.top_p", "response.usage"),
    *("item.id", "item.status", "item.encrypted_content", "item.content.logprobs"),
    *("response.output.id", "response.output.status"),
    *("response.output.encrypted_content", "response.output.content.logprobs"),
    *("part.logprobs", "name"),
}


def test_the_validation_misses_no_field() -> None:
    """Every member that is written, taken away, is missed, unless it is known to be optional."""
    unmissed = set()
    for steps, _ in CASES.values():
        for _, payload in frames_of(steps, "openai-chat", OURS):
            for *way, last in paths(payload):
                if isinstance(last, int):
                    continue
                copy = json.loads(json.dumps(payload))
                holder = copy
                for key in way:
                    holder = holder[key]
                del holder[last]
                try:
                    validate(copy)
                except (ValidationError, KeyError):
                    continue
                unmissed.add(".".join(each for each in (*way, last) if isinstance(each, str)))
    assert unmissed == OPTIONAL
