from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import cohere
import httpx
import pydantic
import pytest
from cohere.v2.types import v2chat_stream_response
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

from toolwire import tool as tool_of
from toolwire.wire.encode import encoder_for

if TYPE_CHECKING:
    from collections.abc import Iterable

WIRE = "cohere"

# --- what is written -------------------------------------------------------------------------------------------


def event(kind: str, message: Payload | None = None, index: int | None = None, **fields: Any) -> Payload:
    delta = {} if message is None else {"delta": {"message": message}}
    return {"type": kind, **({} if index is None else {"index": index}), **delta, **fields}


EMPTY = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
START = event("message-start", EMPTY, id="c1")


def content(*pieces: str, index: int = 0, kind: str = "text") -> list[Payload]:
    return [
        event("content-start", {"content": {"type": kind, kind: ""}}, index),
        *(event("content-delta", {"content": {kind: piece}}, index) for piece in pieces),
        event("content-end", index=index),
    ]


def half(*pieces: str, index: int = 0, id: str = "a1", name: str = "f", **more: Any) -> list[Payload]:
    """A call without its end."""
    entry = {"id": id, "type": "function", "function": {"name": name, "arguments": ""}, **more}
    return [
        event("tool-call-start", {"tool_calls": entry}, index),
        *(event("tool-call-delta", {"tool_calls": {"function": {"arguments": each}}}, index) for each in pieces),
    ]


def call(*pieces: str, index: int = 0, **more: Any) -> list[Payload]:
    return [*half(*pieces, index=index, **more), event("tool-call-end", index=index)]


def end(reason: str = "TOOL_CALL", **fields: Any) -> list[Any]:
    return [{"type": "message-end", "delta": {"finish_reason": reason, **fields}}, DONE]


def failed(message: str, reason: str = "ERROR") -> Payload:
    return {"type": "message-end", "delta": {"finish_reason": reason, "error": message}}


def written(steps: Iterable[Step], wire: str = "openai-chat", **options: Any) -> list[Any]:
    """The payloads; every event's name is its type."""
    frames = frames_of(steps, wire, WIRE, **options)
    assert [name for name, _ in frames] == ["" if payload == DONE else payload["type"] for _, payload in frames]
    return [payload for _, payload in frames]


CUT_CALL = [saying("a"), opening(), args('{"x":')]
CUT = [START, *content("a"), *half('{"x":')]
USAGE = {
    "prompt_tokens": 10,
    "completion_tokens": 7,
    "total_tokens": 17,
    "prompt_tokens_details": {"cached_tokens": 4},
    "completion_tokens_details": {"reasoning_tokens": 2},
}

CASES: dict[str, tuple[list[Step], list[Any]]] = {
    "text": ([saying("a"), saying("b"), ending("stop"), DONE], [START, *content("a", "b"), *end("COMPLETE")]),
    "nothing": ([ending("stop"), DONE], [START, *end("COMPLETE")]),
    "one call": ([opening(), args('{"x":'), args("1}"), ending(), DONE], [START, *call('{"x":', "1}"), *end()]),
    "two calls": (
        [opening(), args('{"x":1}'), opening(1, "b1", "g"), args('{"y":1}', 1), ending(), DONE],
        [START, *call('{"x":1}'), *call('{"y":1}', index=1, id="b1", name="g"), *end()],
    ),
    "two calls that interleave": (
        [opening(), opening(1, "b1", "g"), *(args(t, n) for t in ('{"x":', "1}") for n in (1, 0)), ending(), DONE],
        [START, *call('{"x":', "1}"), *call('{"x":', "1}", index=1, id="b1", name="g"), *end()],
    ),
    "indexes that are not dense": (
        [opening(3), args('{"x":1}', 3), opening(7, "b1", "g"), args('{"y":1}', 7), ending(), DONE],
        [START, *call('{"x":1}'), *call('{"y":1}', index=1, id="b1", name="g"), *end()],
    ),
    "no arguments": ([opening(), ending(), DONE], [START, *call("{}"), *end()]),
    "null for no arguments": ([opening(), args(" nu"), args("ll"), ending(), DONE], [START, *call("{}"), *end()]),
    "text around a call": (
        [saying("a"), opening(arguments='{"x":1}'), saying("b"), ending(), DONE],
        [START, *content("a"), *call('{"x":1}'), *content("b", index=1), *end()],
    ),
    "a refusal": ([chunk({"refusal": "no"}), ending("stop"), DONE], [START, *content("no"), *end("COMPLETE")]),
    "reasoning": (
        [chunk({"reasoning": "h"}), chunk({"reasoning_signature": "s"}), saying("a"), ending("stop"), DONE],
        [START, *content("h", kind="thinking"), *content("a", index=1), *end("COMPLETE")],
    ),
    "a custom call": (
        [custom(text='a"'), custom_text("\n\ud800"), ending(), DONE],
        [START, *call('{"input":"a\\"', "\\n", "\ufffd", '"}'), *end()],
    ),
    "a custom call without text": ([custom(), ending(), DONE], [START, *call('{"input":""}'), *end()]),
    "usage": (
        [saying("a"), ending("stop"), {"choices": [], "usage": USAGE}, DONE],
        [
            START,
            *content("a"),
            *end(
                "COMPLETE",
                usage={
                    "tokens": {"input_tokens": 10, "output_tokens": 7, "reasoning_tokens": 2},
                    "cached_tokens": 4,
                },
            ),
        ],
    ),
    "choices": (
        [saying("a"), opening(choice=1), saying("b", 2), *(ending("stop", n) for n in (2, 0)), ending(choice=1), DONE],
        [START, *content("a"), *end("COMPLETE")],
    ),
    "an error inside a call": (
        [*CUT_CALL, {"error": {"message": "busy", "type": "overloaded_error"}}, ending(), DONE],
        [*CUT, failed("busy")],
    ),
    "a time that ran out": (
        [*CUT_CALL, {"error": {"message": "slow", "type": "timeout_error"}}, DONE],
        [*CUT, failed("slow", "TIMEOUT")],
    ),
    "an error without words": (
        [*CUT_CALL, ending("error"), DONE],
        [*CUT, failed("The model failed. Please try again.")],
    ),
    "bytes that end inside a call": (CUT_CALL, [*CUT, failed("the provider's stream ended before its answer did")]),
    "an end by length inside a call": (
        [*CUT_CALL, ending("length"), DONE],
        [*CUT, failed("the arguments of f were cut off (length)")],
    ),
    "an end by a filter inside a call": (
        [*CUT_CALL, ending("content_filter"), DONE],
        [*CUT, failed("the arguments of f were cut off (content_filter)")],
    ),
    "an end by length behind a call": (
        [opening(), args('{"x":1}'), ending("length"), DONE],
        [START, *call('{"x":1}'), *end("MAX_TOKENS")],
    ),
    "an end by a filter": (
        [saying("a"), ending("content_filter"), DONE],
        [START, *content("a"), *end("ERROR_TOXIC")],
    ),
    "an end that nobody knows": ([saying("a"), ending("moon"), DONE], [START, *content("a"), *end("moon")]),
    "an abort": ([*CUT_CALL, abort("too long")], [*CUT, failed("too long")]),
    "a rejected call": (
        [*CUT_CALL, reject(), args("1}"), opening(1, "b1", "g", '{"y":1}'), ending(), DONE],
        [*CUT, failed("the call of f was rejected: no")],
    ),
    "a malformed call": ([opening(), args("{x}"), ending(), DONE], [START, *call("{x}"), *end()]),
    "a call that ends in the middle, though the turn doesn't": (
        [*CUT_CALL, ending(), DONE],
        [*CUT, failed("the arguments of f end in the middle, though the answer did not")],
    ),
    "two documents in one slot": (
        [opening(), args('{"x":1}'), args('{"x":2}'), ending(), DONE],
        [START, *call('{"x":1}', '{"x":2}'), failed("the arguments of f are two documents")],
    ),
    "what has no meaning": (
        [saying("a"), {"object": "heartbeat"}, ending("stop"), DONE],
        [START, *content("a"), *end("COMPLETE")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_written(name: str) -> None:
    steps, expected = CASES[name]
    assert written(steps) == expected


@pytest.mark.parametrize("name", CASES)
def test_no_cut_of_the_bytes_shows(name: str) -> None:
    data = to_sse([step for step in CASES[name][0] if not callable(step)])
    whole, *others = at_all_cuts(data, "openai-chat", WIRE, [[3, 50, 200], [97, 301, 302, 500]])
    for each in others:
        assert each == whole


# --- Cohere's own, through and back ----------------------------------------------------------------------------

PLAN = event("tool-plan-delta", {"tool_plan": "I look."})
CITED = event("citation-start", {"citations": {"start": 0, "end": 1, "text": "a", "sources": []}}, 0)
OWN: dict[str, list[Any]] = {
    "a plan and a call": [START, PLAN, *call('{"x":', "1}"), *end(usage={"billed_units": {"input_tokens": 1}})],
    "two calls": [START, PLAN, *call("{}"), *call("{}", index=1, id="a2", name="g"), *end()],
    "thinking and text": [START, *content("h", kind="thinking"), *content("a", "b", index=1), *end("COMPLETE")],
    "a plan behind thinking": [START, *content("h", kind="thinking"), PLAN, *call("{}"), *end()],
    "citations": [
        START,
        *content("a")[:-1],
        CITED,
        event("citation-end", index=0),
        content("a")[-1],
        *end("COMPLETE"),
    ],
    "an event of a later day": [START, event("later", {"x": 1}, 4), *content("a"), *end("COMPLETE")],
    "a stop sequence": [START, *content("a"), *end("STOP_SEQUENCE")],
    "a context that was full": [START, *content("a"), *end("ERROR_LIMIT")],
    "another field of a call": [START, *call("{}", later=1), *end()],
}


@pytest.mark.parametrize("name", OWN)
def test_cohere_s_own_stays_as_it_is(name: str) -> None:
    items = [each if each == DONE else (each["type"], each) for each in OWN[name]]
    told = written(items, WIRE)
    assert told == OWN[name]
    assert merged(run(told, WIRE)) == merged(run(OWN[name], WIRE))


def test_what_a_whole_message_says_of_its_text() -> None:
    said = {"content": [{"type": "text", "text": "a"}, {"type": "later"}], "citations": [{"start": 0, "end": 1}]}
    told = written([{"id": "c1", "message": said, "finish_reason": "COMPLETE"}], WIRE)
    cited = [event("citation-start", {"citations": {"start": 0, "end": 1}}, 0), event("citation-end", index=0)]
    assert told == [START, *content("a")[:-1], *cited, content("a")[-1], *end("COMPLETE")]


UNCHANGED = ("text", "one call", "two calls", "a refusal", "an end by length behind a call", "an end by a filter")


@pytest.mark.parametrize("name", [*UNCHANGED, "text around a call", "a malformed call"])
def test_what_is_written_reads_as_before(name: str) -> None:
    """But for the model and the provider's own words, and the order of what interleaved."""

    def told(events: list[Any]) -> list[Any]:
        shown = sorted(each[:3] for each in merged(events) if each[0] not in ("message_start", "finish"))
        return [(each[0].replace("refusal", "text"), *each[1:]) for each in shown]

    steps = CASES[name][0]
    assert told(run(written(steps), WIRE)) == told(run(steps, "openai-chat"))


# --- options ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("reason", "said"), [("length", "MAX_TOKENS"), ("content_filter", "ERROR_TOXIC")])
def test_a_cut_call_can_be_told_by_the_reason_alone(reason: str, said: str) -> None:
    assert written([*CUT_CALL, ending(reason), DONE], fail_on_cut=False) == [*CUT, *end(said)]


def test_what_waits_behind_a_cut_call_is_told() -> None:
    steps = [*CUT_CALL, opening(1, "b1", "g", "{}"), ending("length"), DONE]
    last = call("{}", index=1, id="b1", name="g")
    assert written(steps, fail_on_cut=False) == [*CUT, *last, *end("MAX_TOKENS")]


def test_what_a_caller_says_of_the_message() -> None:
    told = written([saying("a"), ending("stop"), DONE], message_id="mine")
    assert told == [{**START, "id": "mine"}, *content("a"), *end("COMPLETE")]


def test_ids_that_are_made_differ() -> None:
    one, other = (written([{"choices": saying("a")["choices"]}])[0] for _ in range(2))
    assert re.fullmatch("[0-9a-f]{32}", one["id"])
    assert one["id"] != other["id"]


# --- ends ------------------------------------------------------------------------------------------------------


def test_the_body_breaks_off_behind_an_error() -> None:
    encoder = encoder_for(WIRE, {})
    encoded(CUT_CALL, "openai-chat", encoder)
    assert encoder.failed
    assert encoder.aborts
    encoder = encoder_for(WIRE, {})
    encoded(CASES["one call"][0], "openai-chat", encoder)
    assert not encoder.failed
    assert not encoder.aborts


def test_an_error_before_the_message() -> None:
    assert written([{"error": {"message": "no key", "code": "invalid_api_key"}}]) == [failed("no key")]


def test_a_message_that_begins_anew() -> None:
    first, second = (
        {"type": "message_start", "message": {"id": name, "model": "m", "content": []}} for name in ("c1", "c2")
    )
    text = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}
    encoder = encoder_for(WIRE, {})
    frames = encoded([first, text, second, text, {"type": "message_stop"}], "anthropic", encoder)
    message = "what was sent no longer holds: the provider began its message anew"
    assert [payload for _, payload in frames] == [START, *content("a")[:-1], failed(message)]
    assert encoder.stopped


# --- what other providers send ---------------------------------------------------------------------------------


def test_what_has_no_place_here() -> None:
    """Signatures, what only its provider can read, and calls that a provider runs."""

    def block(kind: str, **fields: Any) -> Payload:
        return {"type": "content_block_start", "index": 0, "content_block": {"type": kind, **fields}}

    steps = [
        {"type": "message_start", "message": {"id": "c1", "model": "m", "content": []}},
        block("thinking", thinking="h", signature="s"),
        block("redacted_thinking", data="d"),
        block("server_tool_use", id="s1", name="web_search", input={"q": 1}),
        block("web_search_tool_result"),
        {"type": "message_delta", "delta": {"stop_reason": "pause_turn"}},
        {"type": "message_stop"},
    ]
    assert written(steps, "anthropic") == [START, *content("h", kind="thinking"), *end("COMPLETE")]


def test_what_is_kept_back_goes_nowhere_before_its_end() -> None:
    tools = [tool_of({"name": "f", "parameters": {"type": "object"}}, hold=True)]
    steps = [opening(), args('{"x":'), {"object": "heartbeat"}, args("1}"), ending(), DONE]
    frames = encoded(steps, "openai-chat", encoder_for(WIRE, {}), tools=tools)
    assert [payload for _, payload in frames] == [START, *call('{"x":1}'), *end()]


# --- Cohere's own client ---------------------------------------------------------------------------------------


def read_by_client(body: bytes) -> list[Any]:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=body, request=request)

    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        client = cohere.ClientV2(api_key="none", base_url="http://test", httpx_client=http)
        return list(client.chat_stream(model="m", messages=[{"role": "user", "content": "hi"}]))


# Fields that recordings have and the client's types have not.
UNKNOWN_THERE = {"content", "tool_plan", "tool_calls", "citations", "reasoning_tokens"}


def strange(value: Any) -> list[str]:
    """The fields that the client's types don't know."""
    if isinstance(value, list):
        return [name for each in value for name in strange(each)]
    if not isinstance(value, pydantic.BaseModel):
        return []
    return [
        *(value.model_extra or ()),
        *(name for key in type(value).model_fields for name in strange(getattr(value, key))),
    ]


@pytest.mark.parametrize("name", CASES)
def test_the_client_knows_every_field(name: str) -> None:
    steps = [step for step in CASES[name][0] if not callable(step)]
    events = read_by_client(body_of(steps, "openai-chat", WIRE))
    told = written(steps)
    assert [event.type for event in events] == [each["type"] for each in told if each != DONE]
    for each, payload in zip(events, told, strict=False):
        assert {*strange(each)} <= UNKNOWN_THERE
        kind = "".join(map(str.capitalize, each.type.split("-")))
        getattr(v2chat_stream_response, f"{kind}V2ChatStreamResponse").model_validate(payload)


def test_the_client_reads_what_was_said() -> None:
    events = read_by_client(body_of(CASES["two calls that interleave"][0], "openai-chat", WIRE))
    begun = [each.delta.message.tool_calls for each in events if each.type == "tool-call-start"]
    pieces: dict[int, str] = {}
    for each in events:
        if each.type == "tool-call-delta":
            pieces[each.index] = pieces.get(each.index, "") + each.delta.message.tool_calls.function.arguments
    assert [(each.id, each.function.name) for each in begun] == [("a1", "f"), ("b1", "g")]
    assert pieces == {0: '{"x":1}', 1: '{"x":1}'}
    assert events[-1].delta.finish_reason == "TOOL_CALL"
