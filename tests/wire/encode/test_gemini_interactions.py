from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from google.genai._gaos.types.interactions.interactionsseevent import InteractionSSEEvent
from pydantic import TypeAdapter
from support import WIRES, expected_records, merged, needs_shared, recording, run, to_sse
from wire.encode.kit import (
    DONE,
    Payload,
    Step,
    abort,
    args,
    at_all_cuts,
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
from wire.encode.test_recordings import events_of

from toolwire import Encoder, Message
from toolwire.wire.encode import encoder_for

if TYPE_CHECKING:
    from collections.abc import Iterable

WIRE = "gemini-interactions"
SDK: TypeAdapter[Any] = TypeAdapter(InteractionSSEEvent)
SIGNATURE = "c2lnbmVk"

# --- what is written -------------------------------------------------------------------------------------------


def event(kind: str, **fields: Any) -> Payload:
    return {"event_type": kind, **fields}


def interaction(status: str, **more: Any) -> Payload:
    return {"id": "c1", "model": "m", "object": "interaction", "status": status, **more}


def start(index: int, kind: str, **fields: Any) -> Payload:
    return event("step.start", index=index, step={"type": kind, **fields})


def delta(index: int, kind: str, **fields: Any) -> Payload:
    return event("step.delta", index=index, delta={"type": kind, **fields})


def stop(index: int) -> Payload:
    return event("step.stop", index=index)


def said(index: int, *pieces: str) -> list[Payload]:
    return [start(index, "model_output"), *(delta(index, "text", text=each) for each in pieces), stop(index)]


def thought(index: int, *pieces: str, signature: str | None = None) -> list[Payload]:
    told = [delta(index, "thought_summary", content={"type": "text", "text": each}) for each in pieces]
    if signature is not None:
        told.append(delta(index, "thought_signature", signature=signature))
    return [start(index, "thought"), *told, stop(index)]


def half(index: int, *pieces: str, id: str = "a1", name: str = "f", **more: Any) -> list[Payload]:
    begun = start(index, "function_call", **{"arguments": {}, "id": id, "name": name, **more})
    return [begun, *(delta(index, "arguments_delta", arguments=each) for each in pieces)]


def called(index: int, *pieces: str, id: str = "a1", name: str = "f", **more: Any) -> list[Payload]:
    return [*half(index, *pieces, id=id, name=name, **more), stop(index)]


def error(message: str, code: str) -> Payload:
    return event("error", error={"message": message, "code": code})


BEGUN = [
    event("interaction.created", interaction=interaction("in_progress")),
    event("interaction.status_update", interaction_id="c1", status="in_progress"),
]


def end(status: str, **more: Any) -> list[Any]:
    return [event("interaction.completed", interaction=interaction(status, **more)), DONE]


def written(steps: Iterable[Step], wire: str = "openai-chat", **options: Any) -> list[Any]:
    """The payloads; a frame's event is its type. The SDK knows all that isn't of the provider's own."""
    frames = frames_of(steps, wire, WIRE, **options)
    for name, payload in frames:
        assert name == ("done" if payload == DONE else payload["event_type"])
        if payload != DONE and wire != WIRE:
            assert not getattr(SDK.validate_python(payload), "is_unknown", False)
    return [payload for _, payload in frames]


CUT_CALL = [saying("a"), opening(), args('{"x":')]
CUT = [*said(0, "a"), *half(1, '{"x":')]
MIDDLE = "the arguments of f end in the middle, though the answer did not"

CASES: dict[str, tuple[list[Step], list[Any]]] = {
    "text": ([saying("a"), saying("b"), ending("stop"), DONE], [*said(0, "a", "b"), *end("completed")]),
    "nothing": ([ending("stop"), DONE], end("completed")),
    "one call": (
        [opening(), args('{"x":'), args("1}"), ending(), DONE],
        [*called(0, '{"x":', "1}"), *end("requires_action")],
    ),
    "two calls": (
        [opening(), args('{"x":1}'), opening(1, "b1", "g"), args('{"y":1}', 1), ending(), DONE],
        [*called(0, '{"x":1}'), *called(1, '{"y":1}', id="b1", name="g"), *end("requires_action")],
    ),
    "two calls that interleave": (
        [opening(), opening(1, "b1", "g"), *(args(t, n) for t in ('{"x":', "1}") for n in (1, 0)), ending(), DONE],
        [*called(0, '{"x":', "1}"), *called(1, '{"x":', "1}", id="b1", name="g"), *end("requires_action")],
    ),
    "no arguments": ([opening(), ending(), DONE], [*called(0, "{}"), *end("requires_action")]),
    "text around a call": (
        [saying("a"), opening(arguments='{"x":1}'), saying("b"), ending(), DONE],
        [*said(0, "a"), *called(1, '{"x":1}'), *said(2, "b"), *end("requires_action")],
    ),
    "a refusal": ([chunk({"refusal": "no"}), ending("stop"), DONE], [*said(0, "no"), *end("completed")]),
    "reasoning": (
        [chunk({"reasoning": "h"}), chunk({"reasoning": "m"}), saying("a"), ending("stop"), DONE],
        [*thought(0, "h", "m"), *said(1, "a"), *end("completed")],
    ),
    "a custom call": (
        [custom(text='a"'), custom_text("b"), ending(), DONE],
        [*called(0, '{"input":"a\\"', "b", '"}'), *end("requires_action")],
    ),
    "usage": (
        [
            saying("a"),
            ending("stop"),
            {
                "choices": [],
                "usage": {
                    "prompt_tokens": 3,
                    "completion_tokens": 9,
                    "completion_tokens_details": {"reasoning_tokens": 5},
                },
            },
            DONE,
        ],
        [
            *said(0, "a"),
            *end(
                "completed",
                usage={
                    "total_input_tokens": 3,
                    "total_output_tokens": 4,
                    "total_thought_tokens": 5,
                    "total_tokens": 12,
                },
            ),
        ],
    ),
    "choices": (
        [saying("a"), saying("b", 1), ending("stop"), ending("stop", 1), DONE],
        [*said(0, "a"), *end("completed")],
    ),
    "an error inside a call": (
        [*CUT_CALL, {"error": {"message": "busy", "type": "overloaded_error"}}, ending(), DONE],
        [*CUT, error("busy", "unavailable")],
    ),
    "bytes that end inside a call": (
        CUT_CALL,
        [*CUT, error("the provider's stream ended before its answer did", "unavailable")],
    ),
    "an end by length inside a call": (
        [*CUT_CALL, ending("length"), DONE],
        [*CUT, error("the arguments of f were cut off (length)", "out_of_range")],
    ),
    "an end by a filter inside a call": (
        [*CUT_CALL, ending("content_filter"), DONE],
        [*CUT, error("the arguments of f were cut off (content_filter)", "failed_precondition")],
    ),
    "an end by length behind a call": (
        [opening(), args('{"x":1}'), ending("length"), DONE],
        [*called(0, '{"x":1}'), *end("incomplete")],
    ),
    "an end by a filter": ([saying("a"), ending("content_filter"), DONE], [*said(0, "a"), *end("incomplete")]),
    "an end that nobody knows": ([saying("a"), ending("moon"), DONE], [*said(0, "a"), *end("incomplete")]),
    "an abort": ([*CUT_CALL, abort("too long")], [*CUT, error("too long", "cancelled")]),
    "a rejected call": (
        [*CUT_CALL, reject(), args("1}"), opening(1, "b1", "g", '{"y":1}'), ending(), DONE],
        [*CUT, error("the call of f was rejected: no", "cancelled")],
    ),
    "a malformed call": (
        [opening(), args("{x}"), ending(), DONE],
        [*called(0, "{x}"), *end("requires_action")],
    ),
    "a call that ends in the middle, though the turn doesn't": (
        [*CUT_CALL, ending(), DONE],
        [*CUT, error(MIDDLE, "internal")],
    ),
    "two documents in one slot": (
        [opening(), args('{"x":1}'), args('{"x":2}'), ending(), DONE],
        [*half(0, '{"x":1}', '{"x":2}'), stop(0), error("the arguments of f are two documents", "internal")],
    ),
    "what has no meaning": (
        [saying("a"), {"object": "heartbeat"}, ending("stop"), DONE],
        [*said(0, "a"), *end("completed")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_written(name: str) -> None:
    steps, expected = CASES[name]
    assert written(steps) == [*BEGUN, *expected]


@pytest.mark.parametrize("name", CASES)
def test_no_cut_of_the_bytes_shows(name: str) -> None:
    data = to_sse([step for step in CASES[name][0] if not callable(step)])
    whole, *others = at_all_cuts(data, "openai-chat", WIRE, [[3, 50, 200], [97, 301, 302, 500]])
    for each in others:
        assert each == whole


# --- options and ends ------------------------------------------------------------------------------------------


def test_a_cut_call_can_be_told_by_the_reason_alone() -> None:
    told = written([*CUT_CALL, ending("length"), DONE], fail_on_cut=False)
    assert told == [*BEGUN, *CUT, *end("incomplete")]
    message = Message.of(run(told, WIRE))
    assert (message.finish, [call.status for call in message.calls]) == ("length", ["incomplete"])


def test_what_a_caller_says_of_the_message() -> None:
    told = written(CASES["text"][0], model="mine", message_id="v1")
    for each in (told[0], told[-2]):
        assert (each["interaction"]["id"], each["interaction"]["model"]) == ("v1", "mine")
    assert told[1]["interaction_id"] == "v1"


def test_ids_that_are_made_differ() -> None:
    one, other = (written([{"choices": saying("a")["choices"]}])[0]["interaction"]["id"] for _ in range(2))
    assert re.fullmatch("v1_[0-9a-f]{24}", one)
    assert one != other


def test_the_body_breaks_off_behind_an_error() -> None:
    encoder = encoder_for(WIRE, {})
    encoded(CUT_CALL, "openai-chat", encoder)
    assert encoder.aborts
    encoder = encoder_for(WIRE, {})
    encoded(CASES["one call"][0], "openai-chat", encoder)
    assert not encoder.aborts
    assert Encoder(WIRE, keep_alive=1).deadline() is None


def test_a_message_that_begins_anew() -> None:
    first, second = (
        {"type": "message_start", "message": {"id": name, "model": "m", "content": []}} for name in ("c1", "c2")
    )
    text = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}
    message = "what was sent no longer holds: the provider began its message anew"
    told = written([first, text, second, text, {"type": "message_stop"}], "anthropic")
    assert told == [*BEGUN, start(0, "model_output"), delta(0, "text", text="a"), error(message, "internal")]


# --- what other providers send, and this one itself ------------------------------------------------------------


def block(**fields: Any) -> Payload:
    return {"type": "content_block_start", "index": 0, "content_block": fields}


def signed(signature: str) -> Payload:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": signature}}


def test_signatures_and_calls_that_another_provider_runs() -> None:
    steps = [
        {"type": "message_start", "message": {"id": "c1", "model": "m", "content": []}},
        block(type="thinking", thinking="h"),
        signed(SIGNATURE),
        block(type="thinking", thinking="i"),
        signed("not base64!"),
        block(type="redacted_thinking", data="d"),
        block(type="server_tool_use", id="s1", name="web_search", input={"q": 1}),
        {"type": "content_block_stop", "index": 0},
        block(type="mcp_tool_use", id="s2", name="find", server_name="files", input={"q": 2}),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "pause_turn"}},
        {"type": "message_stop"},
    ]
    mcp = "mcp_server_tool_call"
    assert written(steps, "anthropic") == [
        *BEGUN,
        *thought(0, "h", signature=SIGNATURE),
        *thought(1, "i"),
        *called(2, '{"q":1}', id="s1", name="web_search", type=mcp, server_name=""),
        *called(3, '{"q":2}', id="s2", name="find", type=mcp, server_name="files"),
        *end("requires_continuation"),
    ]


SEARCH = [
    start(0, "google_search_call", id="s1", signature=""),
    delta(0, "google_search_call", arguments={"queries": ["q"]}),
    stop(0),
]
ANNOTATED = delta(1, "text_annotation_delta", annotations=[{"type": "url_citation", "url": "u"}])


def test_this_wire_itself() -> None:
    usage = {"total_input_tokens": 1, "total_output_tokens": 2, "total_tokens": 3}
    steps = [*BEGUN, *SEARCH, *said(1, "a")[:-1], ANNOTATED, stop(1), *called(2, "{}"), *end("completed", usage=usage)]
    told = written(steps[:-1], WIRE)
    assert told == [*steps[:-2], *end("requires_action", usage=usage)]
    assert [kind for kind, *_ in merged(run(told, WIRE))] == [kind for kind, *_ in merged(run(steps, WIRE))]


def test_a_call_whose_result_stands_in_the_same_interaction() -> None:
    result = start(1, "function_result", call_id="a1", result="r")
    steps = [*BEGUN, *called(0, '{"x":1}'), result, stop(1), *said(2, "a"), *end("completed")]
    encoder = encoder_for(WIRE, {})
    assert [payload for _, payload in encoded(steps[:-1], WIRE, encoder)] == steps
    assert not encoder.failed
    events = run(steps, WIRE)
    encoder = encoder_for(WIRE, {})
    assert [payload for each in events for _, payload in encoder.feed(each)] == steps[:-2]
    message = Message.of(run(steps, WIRE))
    assert [(call.kind, call.executable) for call in message.calls] == [("server", False)]


@pytest.mark.parametrize("status", ["budget_exceeded", "idle", "moon"])
def test_the_provider_s_own_status_is_kept(status: str) -> None:
    steps = [*BEGUN, *said(0, "a"), *end(status)]
    assert written(steps[:-1], WIRE) == steps


def test_an_error_of_the_provider_s_own_keeps_its_code() -> None:
    own = event("error", error={"message": "no more", "code": "quota"})
    assert written([*BEGUN, own], WIRE) == [*BEGUN, own]


@needs_shared
def test_the_sdk_s_types_take_every_event() -> None:
    for case in expected_records(*(set(WIRES) - {WIRE})):
        encoder = encoder_for(WIRE, {})
        frames = [frame for each in events_of(recording(case), case["wire"]) for frame in encoder.feed(each)]
        for _, payload in [*frames, *encoder.end()]:
            if payload != DONE:
                assert not getattr(SDK.validate_python(payload), "is_unknown", False), payload
