from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
import ollama
import pytest
from support import merged, run, to_sse
from support.wires import to_lines
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

from toolwire import Encoder
from toolwire import tool as tool_of
from toolwire.wire.encode import encoder_for

if TYPE_CHECKING:
    from collections.abc import Iterable

WIRE = "ollama"

# --- what is written -------------------------------------------------------------------------------------------


def line(**message: Any) -> Payload:
    return {
        "model": "m",
        "created_at": "1970-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": "", **message},
        "done": False,
    }


def called(arguments: Any, index: int = 0, id: str = "a1", name: str = "f", **more: Any) -> Payload:
    function = {"index": index, "name": name, "arguments": arguments}
    return line(tool_calls=[{"id": id, "function": function, **more}])


def end(reason: str = "stop", **counts: int) -> Payload:
    return {**line(), "done": True, "done_reason": reason, **counts}


def written(steps: Iterable[Step], wire: str = "openai-chat", **options: Any) -> list[Any]:
    """The payloads; no frame has an event's name."""
    frames = frames_of(steps, wire, WIRE, **options)
    assert {event for event, _ in frames} <= {""}
    return [payload for _, payload in frames]


CUT_CALL = [saying("a"), opening(), args('{"x":')]
CUT = [line(content="a")]
USAGE = {"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17}

CASES: dict[str, tuple[list[Step], list[Any]]] = {
    "text": (
        [saying("a"), saying("b"), ending("stop"), DONE],
        [line(content="a"), line(content="b"), end()],
    ),
    "nothing": ([ending("stop"), DONE], [end()]),
    "one call": ([opening(), args('{"x":'), args("1}"), ending(), DONE], [called({"x": 1}), end()]),
    "two calls": (
        [opening(), args('{"x":1}'), opening(1, "b1", "g"), args('{"y":1}', 1), ending(), DONE],
        [called({"x": 1}), called({"y": 1}, 1, "b1", "g"), end()],
    ),
    "two calls that interleave": (
        [opening(), opening(1, "b1", "g"), *(args(t, n) for t in ('{"x":', "1}") for n in (1, 0)), ending(), DONE],
        [called({"x": 1}), called({"x": 1}, 1, "b1", "g"), end()],
    ),
    "indexes that are not dense": (
        [opening(3), args('{"x":1}', 3), opening(7, "b1", "g"), args('{"y":1}', 7), ending(), DONE],
        [called({"x": 1}), called({"y": 1}, 1, "b1", "g"), end()],
    ),
    "no arguments": ([opening(), ending(), DONE], [called({}), end()]),
    "null for no arguments": ([opening(), args(" nu"), args("ll"), ending(), DONE], [called({}), end()]),
    "text around a call": (
        [saying("a"), opening(arguments='{"x":1}'), saying("b"), ending(), DONE],
        [line(content="a"), line(content="b"), called({"x": 1}), end()],
    ),
    "a refusal": ([chunk({"refusal": "no"}), ending("stop"), DONE], [line(content="no"), end()]),
    "reasoning": (
        [chunk({"reasoning": "h"}), chunk({"reasoning_signature": "s"}), saying("a"), ending("stop"), DONE],
        [line(thinking="h"), line(content="a"), end()],
    ),
    "a custom call": (
        [custom(text='a"'), custom_text("\nb"), ending(), DONE],
        [called({"input": 'a"\nb'}), end()],
    ),
    "usage": (
        [saying("a"), ending("stop"), {"choices": [], "usage": USAGE}, DONE],
        [line(content="a"), end(prompt_eval_count=10, eval_count=7)],
    ),
    "choices": (
        [saying("a"), opening(choice=1), saying("b", 2), *(ending("stop", n) for n in (2, 0)), ending(choice=1), DONE],
        [line(content="a"), end()],
    ),
    "an error inside a call": (
        [*CUT_CALL, {"error": {"message": "busy", "type": "overloaded_error"}}, ending(), DONE],
        [*CUT, {"error": "busy"}],
    ),
    "an error without words": (
        [*CUT_CALL, ending("error"), DONE],
        [*CUT, {"error": "The model failed. Please try again."}],
    ),
    "an error behind a call": (
        [opening(), args('{"x":1}'), {"error": {"message": "busy"}}, DONE],
        [called({"x": 1}), {"error": "busy"}],
    ),
    "bytes that end inside a call": (CUT_CALL, [*CUT, {"error": "the provider's stream ended before its answer did"}]),
    "an end by length inside a call": (
        [*CUT_CALL, ending("length"), DONE],
        [*CUT, {"error": "the arguments of f were cut off (length)"}],
    ),
    "an end by a filter inside a call": (
        [*CUT_CALL, ending("content_filter"), DONE],
        [*CUT, {"error": "the arguments of f were cut off (content_filter)"}],
    ),
    "an end by length behind a call": (
        [opening(), args('{"x":1}'), ending("length"), DONE],
        [called({"x": 1}), end("length")],
    ),
    "an end by a filter": ([saying("a"), ending("content_filter"), DONE], [*CUT, end("content_filter")]),
    "an end that nobody knows": ([saying("a"), ending("moon"), DONE], [*CUT, end("moon")]),
    "an abort": ([*CUT_CALL, abort("too long")], [*CUT, {"error": "too long"}]),
    "a rejected call": (
        [*CUT_CALL, reject(), args("1}"), opening(1, "b1", "g", '{"y":1}'), ending(), DONE],
        [*CUT, called({"y": 1}, 1, "b1", "g"), {"error": "the call of f was rejected: no"}],
    ),
    "a malformed call": (
        [opening(), args("{x}"), ending(), DONE],
        [{"error": "the arguments of f can't be told: expected a key or '}', found 'x'"}],
    ),
    "arguments that are no object": (
        [opening(), args("[1]"), ending(), DONE],
        [{"error": "the arguments of f can't be told: the arguments are not a JSON object: [1]"}],
    ),
    "a call that ends in the middle, though the turn doesn't": (
        [*CUT_CALL, ending(), DONE],
        [*CUT, {"error": "the arguments of f end in the middle, though the answer did not"}],
    ),
    "two documents in one slot": (
        [opening(), args('{"x":1}'), args('{"x":2}'), ending(), DONE],
        [{"error": "the arguments of f are two documents"}],
    ),
    "what has no meaning": (
        [saying("a"), {"object": "heartbeat"}, ending("stop"), DONE],
        [*CUT, end()],
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


def test_a_call_waits_for_those_that_began_before_it() -> None:
    """Only the order tells calls without ids apart. Of one that was cut it is known at its end."""
    blocks = [{"type": "tool_use", "id": name, "name": name, "input": {}} for name in ("a", "b", "c")]
    starts: list[Any] = [
        {"type": "content_block_start", "index": index, "content_block": block} for index, block in enumerate(blocks)
    ]
    pieces = ["{}", "{", "{}"]
    deltas = [
        {"type": "content_block_delta", "index": n, "delta": {"type": "input_json_delta", "partial_json": piece}}
        for n, piece in enumerate(pieces)
    ]
    stops = [{"type": "content_block_stop", "index": index} for index in (2, 0)]
    message = {"type": "message_start", "message": {"id": "c1", "model": "m", "content": []}}
    steps = [message, *starts, *deltas, *stops, {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}]
    told = written([*steps, {"type": "message_stop"}], "anthropic", fail_on_cut=False)
    assert told == [called({}, 0, "a", "a"), called({}, 2, "c", "c"), end("length")]


# --- Ollama's own, through and back ----------------------------------------------------------------------------

COUNTS = {"prompt_eval_count": 3, "eval_count": 5, "total_duration": 9}
OWN: dict[str, list[Any]] = {
    "text": [line(content="a"), line(content="b"), end(**COUNTS)],
    "thinking and a call": [line(thinking="h"), called({"x": 1}), end(**COUNTS)],
    "two calls": [called({}), called({"y": [1, None]}, 1, "a2", "g"), end()],
    "another field of a call": [called({}, later=1), end()],
    "images": [line(images=["i"]), end()],
    "a line of a later day": [line(content="a"), {"later": 1}, end()],
    "a model that was loaded": [end("load")],
    "length": [line(content="a"), end("length")],
}


@pytest.mark.parametrize("name", OWN)
def test_ollama_s_own_stays_as_it_is(name: str) -> None:
    told = written([to_lines(OWN[name])], WIRE)
    assert told == OWN[name]
    assert merged(run(told, WIRE)) == merged(run(OWN[name], WIRE))


def test_calls_without_ids_get_some() -> None:
    told = written([{**called({}), "message": {"tool_calls": [{"function": {"name": "f"}}] * 2}}, end()], WIRE)
    one, other = (each["message"]["tool_calls"][0] for each in told[:2])
    assert one["id"] != other["id"]
    assert [each["function"] for each in (one, other)] == [
        {"index": index, "name": "f", "arguments": {}} for index in (0, 1)
    ]


# --- options ---------------------------------------------------------------------------------------------------


def test_a_cut_call_can_be_told_by_the_reason_alone() -> None:
    assert written([*CUT_CALL, ending("length"), DONE], fail_on_cut=False) == [*CUT, end("length")]


def test_what_a_caller_says_of_the_message() -> None:
    told = written([saying("a"), ending("stop"), DONE], model="mine", created=1700000000)
    assert [(each["model"], each["created_at"]) for each in told] == [("mine", "2023-11-14T22:13:20Z")] * 2


def test_lines() -> None:
    encoder = Encoder(WIRE)
    assert encoder.media_type == "application/x-ndjson"
    data = body_of(CASES["one call"][0], "openai-chat", WIRE)
    assert [json.loads(each) for each in data.decode().splitlines()] == CASES["one call"][1]
    encoder.start(0.0)
    assert encoder.deadline() is None  # no sign of life


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
    assert written([{"error": {"message": "no key", "code": "invalid_api_key"}}]) == [{"error": "no key"}]


def test_a_message_that_begins_anew() -> None:
    first, second = (
        {"type": "message_start", "message": {"id": name, "model": "m", "content": []}} for name in ("c1", "c2")
    )
    text = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}
    encoder = encoder_for(WIRE, {})
    frames = encoded([first, text, second, text, {"type": "message_stop"}], "anthropic", encoder)
    message = "what was sent no longer holds: the provider began its message anew"
    assert [payload for _, payload in frames] == [line(content="a"), {"error": message}]
    assert encoder.stopped


def test_what_is_kept_back_goes_nowhere_before_its_end() -> None:
    tools = [tool_of({"name": "f", "parameters": {"type": "object"}}, hold=True)]
    steps = [opening(), args('{"x":'), {"object": "heartbeat"}, args("1}"), ending(), DONE]
    frames = encoded(steps, "openai-chat", encoder_for(WIRE, {}), tools=tools)
    assert [payload for _, payload in frames] == [called({"x": 1}), end()]


def test_what_a_tool_says_of_whole_arguments_is_the_client_s_to_find() -> None:
    tools = [tool_of({"name": "f", "parameters": {"type": "object", "required": ["y"]}})]
    encoder = encoder_for(WIRE, {})
    frames = encoded(CASES["one call"][0], "openai-chat", encoder, tools=tools)
    assert [payload for _, payload in frames] == CASES["one call"][1]


# --- Ollama's own client ---------------------------------------------------------------------------------------


def read_by_client(body: bytes) -> list[Any]:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"content-type": "application/x-ndjson"}, content=body, request=request)

    client = ollama.Client(host="http://test", transport=httpx.MockTransport(answer))
    try:
        return list(client.chat("m", [], stream=True))
    finally:
        client.close()


@pytest.mark.parametrize("name", CASES)
def test_the_client_reads_what_was_said(name: str) -> None:
    steps = [step for step in CASES[name][0] if not callable(step)]
    told = written(steps)
    body = body_of(steps, "openai-chat", WIRE)
    if "error" in told[-1]:
        with pytest.raises(ollama.ResponseError) as raised:
            read_by_client(body)
        assert raised.value.error == told[-1]["error"]
        return
    lines = read_by_client(body)
    assert [(each.message.content, each.message.thinking) for each in lines] == [
        (each["message"]["content"], each["message"].get("thinking")) for each in told
    ]
    calls = [call for each in lines for call in each.message.tool_calls or ()]
    assert [(call.function.name, call.function.arguments) for call in calls] == [
        (call["function"]["name"], call["function"]["arguments"])
        for each in told
        for call in each["message"].get("tool_calls", ())
    ]
    assert (lines[-1].done, lines[-1].done_reason) == (True, told[-1]["done_reason"])
