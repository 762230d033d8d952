from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from google import genai
from google.genai import types
from support import WIRES, expected_records, needs_shared, recording, run, to_sse
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
    shown,
)
from wire.encode.losses import comparable, expected, record
from wire.encode.test_recordings import differences, events_of, through

from toolwire import Encoder, Message, Stream
from toolwire import tool as tool_of
from toolwire.errors import UsageError
from toolwire.partial.jsonpath import parse
from toolwire.wire.encode import encoder_for
from toolwire.wire.encode.gemini_paths import json_path
from toolwire.wire.encode.google import signature_of

if TYPE_CHECKING:
    from collections.abc import Iterable

WIRE = "gemini"
HEAD = {"modelVersion": "m", "responseId": "c1"}
SIGNATURE = "c2lnbmVk"

# --- what is written -------------------------------------------------------------------------------------------


def out(*parts: Payload, choice: int = 0) -> Payload:
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, "index": choice}], **HEAD}


def said(text: str, choice: int = 0) -> Payload:
    return out({"text": text}, choice=choice)


def called(given: Any, id: str | None = "a1", name: str = "f", *, choice: int = 0, **beside: Any) -> Payload:
    call = {"name": name, **({"id": id} if id else {}), "args": given}
    return out({"functionCall": call, **beside}, choice=choice)


def end(reason: str = "STOP", *, choice: int = 0, **more: Any) -> Payload:
    content = {"parts": [{"text": ""}], "role": "model"}
    return {"candidates": [{"content": content, "finishReason": reason, "index": choice}], **more, **HEAD}


def malformed(message: str) -> Payload:
    candidate = {"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": message, "index": 0}
    return {"candidates": [candidate], **HEAD}


def error(message: str, code: int, status: str) -> Payload:
    return {"error": {"code": code, "message": message, "status": status}}


def named(name: str = "f", id: str | None = "a1", **beside: Any) -> Payload:
    """The start of a call that is streamed."""
    return out({"functionCall": {"name": name, **({"id": id} if id else {}), "willContinue": True}, **beside})


def by_path(path: str, field: str, value: Any, **more: Any) -> Payload:
    update = {"jsonPath": path, f"{field}Value": value, **more}
    return out({"functionCall": {"partialArgs": [update], "willContinue": True}})


def piece(path: str, text: str) -> Payload:
    return by_path(path, "string", text, willContinue=True)


def string(path: str, *pieces: str) -> list[Payload]:
    """A whole string."""
    return [*(piece(path, each) for each in pieces), by_path(path, "string", "")]


def beside(**members: Any) -> Payload:
    """Members that are told whole."""
    return out({"functionCall": {"args": members, "willContinue": True}})


GOES_ON = out({"functionCall": {"willContinue": True}})
OVER = out({"functionCall": {}})


def written(steps: Iterable[Step], wire: str = "openai-chat", **options: Any) -> list[Any]:
    """The payloads, each of which the SDK can read; no frame has an event's name."""
    frames = frames_of(steps, wire, WIRE, **options)
    assert {event for event, _ in frames} <= {""}
    for _, payload in frames:
        if "error" not in payload:
            types.GenerateContentResponse.model_validate(payload)
    return [payload for _, payload in frames]


CUT_CALL = [saying("a"), opening(), args('{"x":"y')]
LENGTH = error("the arguments of f were cut off (length)", 400, "OUT_OF_RANGE")
MIDDLE = "the arguments of f end in the middle, though the answer did not"
NO_JSON = "the arguments of f can't be told: expected a key or '}', found 'x'"

# What is sent, what is written of it, and what with `partial_args` if that is not the same.
CASES: dict[str, tuple[list[Step], list[Any], list[Any] | None]] = {
    "text": ([saying("a"), saying("b"), ending("stop"), DONE], [said("a"), said("b"), end()], None),
    "nothing": ([ending("stop"), DONE], [end()], None),
    "one call": (
        [opening(), args('{"x":'), args("1}"), ending(), DONE],
        [called({"x": 1}), end()],
        [named(), by_path("$.x", "number", 1), OVER, end()],
    ),
    "two calls": (
        [opening(), args('{"x":1}'), opening(1, "b1", "g"), args('{"y":2}', 1), ending(), DONE],
        [called({"x": 1}), called({"y": 2}, "b1", "g"), end()],
        [
            *(named(), by_path("$.x", "number", 1), OVER),
            *(named("g", "b1"), by_path("$.y", "number", 2), OVER),
            end(),
        ],
    ),
    "two calls that interleave": (
        [opening(), opening(1, "b1", "g"), *(args(t, n) for t in ('{"x":', "1}") for n in (1, 0)), ending(), DONE],
        [called({"x": 1}), called({"x": 1}, "b1", "g"), end()],
        [
            *(named(), by_path("$.x", "number", 1), OVER),
            *(named("g", "b1"), by_path("$.x", "number", 1), OVER),
            end(),
        ],
    ),
    "no arguments": ([opening(), ending(), DONE], [called({}), end()], [named(), OVER, end()]),
    "null for no arguments": (
        [opening(), args(" nu"), args("ll"), ending(), DONE],
        [called({}), end()],
        [named(), OVER, end()],
    ),
    "text around a call": (
        [saying("a"), opening(arguments='{"x":1}'), opening(1, "b1", "g", "{}"), saying("b"), ending(), DONE],
        [said("a"), said("b"), called({"x": 1}), called({}, "b1", "g"), end()],
        [
            *(said("a"), named(), by_path("$.x", "number", 1)),
            *(said("b"), OVER, named("g", "b1"), OVER, end()),
        ],
    ),
    "a call without an id": (
        [chunk({"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "{}"}}]}), ending(), DONE],
        [called({}, None), end()],
        [named(id=None), OVER, end()],
    ),
    "a refusal": ([chunk({"refusal": "no"}), ending("stop"), DONE], [said("no"), end()], None),
    "reasoning": (
        [chunk({"reasoning": "h"}), saying("a"), ending("stop"), DONE],
        [out({"text": "h", "thought": True}), said("a"), end()],
        None,
    ),
    "a custom call": (
        [custom(text='a"'), custom_text("b"), ending(), DONE],
        [called({"input": 'a"b'}), end()],
        [named(), *string("$.input", 'a"', "b"), OVER, end()],
    ),
    "a custom call without text": (
        [custom(), ending(), DONE],
        [called({"input": ""}), end()],
        [named(), *string("$.input"), OVER, end()],
    ),
    "usage": (
        [saying("a"), ending("stop"), {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}, DONE],
        [
            said("a"),
            end(usageMetadata={"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5}),
        ],
        None,
    ),
    "choices": (
        [opening(), saying("b", 1), opening(id="b1", choice=1), args("{}"), ending(), ending(choice=1), DONE],
        [said("b", 1), called({}), called({}, "b1", choice=1), end(), end(choice=1)],
        [
            *(named(), said("b", 1)),
            out({"functionCall": {"name": "f", "id": "b1", "willContinue": True}}, choice=1),
            *(OVER, out({"functionCall": {}}, choice=1), end(), end(choice=1)),
        ],
    ),
    "an error inside a call": (
        [*CUT_CALL, {"error": {"message": "busy", "type": "overloaded_error"}}, ending(), DONE],
        [said("a"), error("busy", 503, "UNAVAILABLE")],
        [said("a"), named(), piece("$.x", "y"), error("busy", 503, "UNAVAILABLE")],
    ),
    "bytes that end inside a call": (
        CUT_CALL,
        [said("a"), error("the provider's stream ended before its answer did", 503, "UNAVAILABLE")],
        [
            *(said("a"), named(), piece("$.x", "y")),
            error("the provider's stream ended before its answer did", 503, "UNAVAILABLE"),
        ],
    ),
    "an end by length inside a call": (
        [*CUT_CALL, ending("length"), DONE],
        [said("a"), LENGTH],
        [said("a"), named(), piece("$.x", "y"), LENGTH],
    ),
    "an end by a filter inside a call": (
        [*CUT_CALL, ending("content_filter"), DONE],
        [said("a"), error("the arguments of f were cut off (content_filter)", 400, "FAILED_PRECONDITION")],
        [
            *(said("a"), named(), piece("$.x", "y")),
            error("the arguments of f were cut off (content_filter)", 400, "FAILED_PRECONDITION"),
        ],
    ),
    "an end by length behind a call": (
        [opening(), args('{"x":1}'), ending("length"), DONE],
        [called({"x": 1}), end("MAX_TOKENS")],
        [named(), by_path("$.x", "number", 1), OVER, end("MAX_TOKENS")],
    ),
    "an end by a filter": ([saying("a"), ending("content_filter"), DONE], [said("a"), end("SAFETY")], None),
    "an end that nobody knows": ([saying("a"), ending("moon"), DONE], [said("a"), end("OTHER")], None),
    "an abort": (
        [*CUT_CALL, abort("too long")],
        [said("a"), error("too long", 499, "CANCELLED")],
        [said("a"), named(), piece("$.x", "y"), error("too long", 499, "CANCELLED")],
    ),
    "a rejected call": (
        [*CUT_CALL, reject(), args('"}'), opening(1, "b1", "g", '{"y":2}'), ending(), DONE],
        [said("a"), called({"y": 2}, "b1", "g"), error("the call of f was rejected: no", 499, "CANCELLED")],
        [said("a"), named(), piece("$.x", "y"), error("the call of f was rejected: no", 499, "CANCELLED")],
    ),
    "a malformed call": (
        [opening(), args("{x}"), opening(1, "b1", "g", '{"y":2}'), ending(), DONE],
        [called({"y": 2}, "b1", "g"), malformed(NO_JSON)],
        [named(), malformed(NO_JSON)],
    ),
    "arguments that are no object": (
        [opening(), args("[1]"), ending(), DONE],
        [malformed("the arguments of f can't be told: the arguments are not a JSON object: [1]")],
        [named(), malformed("the arguments of f can't be told: the arguments are not a JSON object: [1]")],
    ),
    "a call that ends in the middle, though the turn doesn't": (
        [*CUT_CALL, ending(), DONE],
        [said("a"), error(MIDDLE, 500, "INTERNAL")],
        [said("a"), named(), piece("$.x", "y"), error(MIDDLE, 500, "INTERNAL")],
    ),
    "two documents in one slot": (
        [opening(), args('{"x":1}'), args('{"x":2}'), ending(), DONE],
        [error("the arguments of f are two documents", 500, "INTERNAL")],
        [
            *(named(), by_path("$.x", "number", 1)),
            error("the arguments of f are two documents", 500, "INTERNAL"),
        ],
    ),
    "a repaired call": (
        [opening(), args('{"x":"a\nb"}'), ending(), DONE],
        [called({"x": "a\nb"}), end()],
        [named(), *string("$.x", "a\nb"), OVER, end()],
    ),
    "what has no meaning": ([saying("a"), {"object": "heartbeat"}, ending("stop"), DONE], [said("a"), end()], None),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_written(name: str) -> None:
    steps, whole, partial = CASES[name]
    assert written(steps) == whole
    assert written(steps, partial_args=True) == (whole if partial is None else partial)


@pytest.mark.parametrize("name", CASES)
def test_no_cut_of_the_bytes_shows(name: str) -> None:
    data = to_sse([step for step in CASES[name][0] if not callable(step)])
    whole, *others = at_all_cuts(data, "openai-chat", WIRE, [[3, 50, 200], [97, 301, 302, 500]])
    for each in others:
        assert each == whole
    streamed = [encoded(way, "openai-chat", encoder_for(WIRE, {"partial_args": True})) for way in ([data], ways(data))]
    assert streamed[0] == streamed[1]


def ways(data: bytes) -> list[bytes]:
    return [data[at : at + 7] for at in range(0, len(data), 7)]


def summary(payloads: Iterable[Any], wire: str) -> list[Any]:
    message = Message.of(run(payloads, wire))
    return [
        (
            choice.text,
            choice.reasoning,
            choice.finish,
            [(call.vendor_id, call.name, call.status, call.arguments, call.executable) for call in choice.calls],
        )
        for choice in message.choices
    ]


@pytest.mark.parametrize("partial_args", [False, True])
@pytest.mark.parametrize(
    "name",
    [
        *("text", "nothing", "one call", "two calls", "two calls that interleave", "no arguments", "choices"),
        *("null for no arguments", "text around a call", "a call without an id", "reasoning"),
        *("an end by length behind a call", "an end by a filter", "an end that nobody knows"),
    ],
)
def test_what_is_written_reads_as_before(name: str, partial_args: bool) -> None:
    steps = CASES[name][0]
    assert summary(written(steps, partial_args=partial_args), WIRE) == summary(steps, "openai-chat")


# --- arguments by path -----------------------------------------------------------------------------------------

ARGUMENTS: dict[str, tuple[list[str], list[Payload]]] = {
    "a string in pieces": (['{"a":"x', "y", '"}'], string("$.a", "x", "y")),
    "a string in one piece": (['{"a":"xy"}'], string("$.a", "xy")),
    "an empty string": (['{"a":""}'], string("$.a")),
    "escapes cut in the middle": (['{"a":"\\', "n\\ud83d", '\\ude00"}'], string("$.a", "\n", "😀")),
    "numbers and literals": (
        ['{"a":1', '2,"b":-0.5,"c":true,"d":null}'],
        [
            *(by_path("$.a", "number", 12), by_path("$.b", "number", -0.5)),
            *(by_path("$.c", "bool", True), by_path("$.d", "null", "NULL_VALUE")),
        ],
    ),
    "nested": (
        ['{"a":{"b":[{"c":1},{"c":2}],"d":[["x"],[3]]}}'],
        [
            *(by_path("$.a.b[0].c", "number", 1), GOES_ON, by_path("$.a.b[1].c", "number", 2), GOES_ON),
            *string("$.a.d[0][0]", "x"),
            *(GOES_ON, by_path("$.a.d[1][0]", "number", 3), GOES_ON),
        ],
    ),
    "keys that are no names": (
        ['{"a.b":1,"2x":2,"it\'s":3,"\\n\\\\":4,"":5,"für":6}'],
        [
            by_path(path, "number", n)
            for n, path in enumerate(
                ["$['a.b']", "$['2x']", "$['it\\'s']", "$['\\n\\\\']", "$['']", "$.für"],
                start=1,
            )
        ],
    ),
    "empty members": (
        ['{"a":{},"b":[', '],"c":1}'],
        [beside(a={}), beside(b=[]), by_path("$.c", "number", 1)],
    ),
    "members that begin with something empty": (
        ['{"a":[[', '],{"x":"y"}', '],"b":{"c":{"d":{}}}}'],
        [beside(a=[[], {"x": "y"}]), beside(b={"c": {"d": {}}})],
    ),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_by_path(name: str) -> None:
    pieces, expected = ARGUMENTS[name]
    steps = [opening(), *map(args, pieces), ending(), DONE]
    told = written(steps, partial_args=True)
    assert told == [named(), *expected, OVER, end()]
    (call,) = Message.of(run(told, WIRE)).executable
    assert call.arguments == json.loads("".join(pieces))


@pytest.mark.parametrize("text", ['{"a":{"x":1,"y":[]},"b":2}', '{"a":["x",{}]}', '{"a":1,"b":2,"a":3}'])
def test_what_no_path_can_tell_is_a_bad_end(text: str) -> None:
    steps = [opening(), args(text), opening(1, "b1", "g", "{}"), ending(), DONE]
    encoder = encoder_for(WIRE, {"partial_args": True})
    frames = encoded(steps, "openai-chat", encoder)
    why = "a key comes twice, something empty behind a value, or a number is too large"
    assert frames[-1][1] == malformed(f"the arguments of f can't be told: {why}")
    assert OVER not in [payload for _, payload in frames]
    assert encoder.aborts
    message = Message.of(run([payload for _, payload in frames], WIRE))
    assert [(call.name, call.status) for call in message.calls] == [("f", "incomplete")]
    assert written(steps)[0] == called(json.loads(text))


@pytest.mark.parametrize("path", [("a", 0, "b.c", "d'e\\", 12, ""), ("\x00\x1f\x7f", "ü ü", "$", "_a1")])
def test_paths_are_read_as_they_were_written(path: tuple[str | int, ...]) -> None:
    assert parse(json_path(path)) == path


# --- options ---------------------------------------------------------------------------------------------------


def test_a_cut_call_can_be_told_by_the_reason_alone() -> None:
    steps = [*CUT_CALL, opening(1, "b1", "g", "{}"), ending("length"), DONE]
    assert written(steps, fail_on_cut=False) == [said("a"), called({}, "b1", "g"), end("MAX_TOKENS")]
    streamed = written(steps, fail_on_cut=False, partial_args=True)
    assert streamed == [said("a"), named(), piece("$.x", "y"), end("MAX_TOKENS")]
    message = Message.of(run(streamed, WIRE))
    assert [(call.name, call.status) for call in message.calls] == [("f", "incomplete")]


def test_what_a_caller_says_of_the_message() -> None:
    for each in written(CASES["one call"][0], model="mine", message_id="r-1"):
        assert (each["responseId"], each["modelVersion"]) == ("r-1", "mine")


def test_an_array() -> None:
    body = body_of(CASES["one call"][0], "openai-chat", WIRE, framing="json-array")
    assert json.loads(body) == CASES["one call"][1]
    cut = body_of(CUT_CALL, "openai-chat", WIRE, framing="json-array")
    assert cut.startswith(b"[")
    assert not cut.endswith(b"]")
    encoder = Encoder(WIRE, framing="json-array", keep_alive=1)
    assert encoder.media_type == "application/json"
    assert encoder.deadline() is None
    with pytest.raises(UsageError, match="framing is 'sse' or 'json-array'"):
        Encoder(WIRE, framing="json-lines")


def test_repairs_that_are_not_accepted_are_not_made_here() -> None:
    encoder = encoder_for(WIRE, {})
    frames = encoded(CASES["a repaired call"][0], "openai-chat", encoder, accept_repaired=False)
    assert [payload for _, payload in frames] == [malformed("the arguments of f can't be told: they are no object")]


# --- ends ------------------------------------------------------------------------------------------------------


def test_the_body_breaks_off_behind_an_error() -> None:
    encoder = encoder_for(WIRE, {})
    encoded(CUT_CALL, "openai-chat", encoder)
    assert encoder.aborts
    encoder = encoder_for(WIRE, {})
    encoded(CASES["one call"][0], "openai-chat", encoder)
    assert not encoder.aborts


def test_a_message_that_begins_anew() -> None:
    first, second = (
        {"type": "message_start", "message": {"id": name, "model": "m", "content": []}} for name in ("c1", "c2")
    )
    text = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}
    message = "what was sent no longer holds: the provider began its message anew"
    told = written([first, text, second, text, {"type": "message_stop"}], "anthropic")
    assert told == [said("a"), error(message, 500, "INTERNAL")]


def test_when_to_try_again_is_told() -> None:
    steps = [{"error": {"message": "slow", "code": "rate_limit_exceeded", "retry_after": 2.5}}]
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2.5s"}]
    (told,) = written(steps)
    assert told == {"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED", "details": details}}
    (read,) = [event for event in run([told], WIRE) if event.type == "stream_error"]
    assert (read.kind, read.retry_after) == ("rate_limit", 2.5)


# --- what other providers send, and Gemini itself --------------------------------------------------------------


def gemini(*parts: Payload, **candidate: Any) -> Payload:
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, "index": 0, **candidate}], **HEAD}


def function(name: str = "f", given: Any = None, **more: Any) -> Payload:
    return {"functionCall": {"name": name, "args": {} if given is None else given}, **more}


STOP = gemini({"text": ""}, finishReason="STOP")


def test_gemini_itself() -> None:
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 2, "trafficType": "ON_DEMAND"}
    steps = [
        gemini({"text": "h", "thought": True}),
        gemini(function(given={"x": 1}, thoughtSignature=SIGNATURE), function("g")),
        gemini({"executableCode": {"code": "1"}}),
        gemini({"text": "", "thoughtSignature": SIGNATURE}),
        {"candidates": [{"index": 0, "groundingMetadata": {"webSearchQueries": ["q"]}}], **HEAD},
        gemini({"text": ""}, finishReason="STOP") | {"usageMetadata": usage},
    ]
    assert written(steps, WIRE) == [
        out({"text": "h", "thought": True}),
        called({"x": 1}, None, thoughtSignature=SIGNATURE),
        out({"executableCode": {"code": "1"}}),
        out({"text": "", "thoughtSignature": SIGNATURE}),
        {"candidates": [{"groundingMetadata": {"webSearchQueries": ["q"]}, "index": 0}], **HEAD},
        called({}, None, "g"),
        end(usageMetadata=usage),
    ]
    streamed = written(steps, WIRE, partial_args=True)
    assert streamed[1] == named(id=None, thoughtSignature=SIGNATURE)
    assert [payload for payload in streamed if payload == OVER] == [OVER, OVER]


@pytest.mark.parametrize("raw", ["RECITATION", "LANGUAGE", "OTHER", "MAX_TOKENS"])
def test_gemini_s_own_reasons_are_kept(raw: str) -> None:
    assert written([gemini({"text": "a"}, finishReason=raw)], WIRE) == [said("a"), end(raw)]


def test_a_failure_that_is_a_reason_is_told_as_one() -> None:
    candidate = {"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "no", "index": 0}
    steps = [gemini({"text": "a"}), {"candidates": [candidate], **HEAD}]
    assert written(steps, WIRE) == [said("a"), malformed("no")]


def test_an_error_of_gemini_s_is_passed_on() -> None:
    own = {"code": 499, "message": "cancelled", "status": "CANCELLED", "details": [{"@type": "x"}]}
    assert written([gemini({"text": "a"}), {"error": own}], WIRE) == [said("a"), {"error": own}]


def test_a_call_that_gemini_answered_itself() -> None:
    answer = {"functionResponse": {"name": "f", "response": {"r": 1}}}
    steps = [gemini(function(given={"x": 1})), gemini(answer), gemini({"text": "a"}), STOP]
    expected = [called({"x": 1}, None), out(answer), said("a"), end()]
    encoder = encoder_for(WIRE, {})
    assert [payload for _, payload in encoded(steps, WIRE, encoder)] == expected
    assert not encoder.failed
    at_once = Encoder(WIRE)
    stream = Stream(WIRE)
    events = stream.receive(to_sse(steps)) + stream.end()
    assert [json.loads(each) for each in shown(b"".join(map(at_once.feed, events)))] == expected
    message = Message.of(run(expected, WIRE))
    assert [(call.kind, call.executable) for call in message.calls] == [("mcp", False)]


def test_a_signature_from_openai_s_endpoint() -> None:
    extra = {"extra_content": {"google": {"thought_signature": SIGNATURE}}}
    function_ = {"name": "f", "arguments": "{}"}
    steps = [chunk({"tool_calls": [{"index": 0, "id": "a1", "function": function_, **extra}]}), ending(), DONE]
    assert written(steps) == [called({}, thoughtSignature=SIGNATURE), end()]
    late = out({"functionCall": {}, "thoughtSignature": SIGNATURE})
    assert written(steps, partial_args=True) == [named(), late, end()]
    (call,) = Message.of(run(written(steps, partial_args=True), WIRE)).calls
    assert call.extra == {"thoughtSignature": SIGNATURE}


def test_signatures_that_clients_cannot_read_are_left_out() -> None:
    def block(**fields: Any) -> Payload:
        return {"type": "content_block_start", "index": 0, "content_block": fields}

    def signed(signature: str) -> Payload:
        return {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "signature_delta", "signature": signature},
        }

    steps = [
        {"type": "message_start", "message": {"id": "c1", "model": "m", "content": []}},
        block(type="thinking", thinking="h"),
        signed("not base64!"),
        signed("c2ln"),
        block(type="redacted_thinking", data="d"),
        block(type="server_tool_use", id="s1", name="web_search", input={}),
        {"type": "message_delta", "delta": {"stop_reason": "pause_turn"}},
        {"type": "message_stop"},
    ]
    assert written(steps, "anthropic") == [
        out({"text": "h", "thought": True}),
        out({"text": "", "thoughtSignature": "c2ln"}),
        end(),
    ]


@pytest.mark.parametrize(
    ("signature", "good"),
    [
        *(("c2ln", True), ("a-_b", True), ("a+/b", True), ("c2k=", True), ("c2k", True), ("c2lnbg==", True)),
        *(("", False), ("=", False), ("c2lnb", False), ("c2k==", False), ("c2 n", False), ("c=ln", False)),
        ("A" * 100_001 + "!", False),
    ],
)
def test_what_may_be_a_signature(signature: str, good: bool) -> None:
    assert signature_of(signature) == (signature if good else None)
    if good:
        types.Part.model_validate({"thoughtSignature": signature})


def test_what_was_thought_is_counted_apart() -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    steps = [saying("a"), ending("stop"), {"choices": [], "usage": usage}, DONE]
    assert written(steps)[-1]["usageMetadata"] == {
        "promptTokenCount": 10,
        "candidatesTokenCount": 2,
        "cachedContentTokenCount": 4,
        "thoughtsTokenCount": 5,
        "totalTokenCount": 17,
    }


def test_what_a_tool_holds_back_is_told_at_its_end() -> None:
    def f(x: int) -> None: ...

    held = tool_of(f, hold=True)
    encoder = encoder_for(WIRE, {"partial_args": True})
    steps = [opening(), args('{"x":'), args("1}"), ending(), DONE]
    frames = encoded(steps, "openai-chat", encoder, tools=[held])
    assert [payload for _, payload in frames] == [named(), by_path("$.x", "number", 1), OVER, end()]


# --- Google's own client ---------------------------------------------------------------------------------------


def client_of(body: bytes) -> Any:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=body, headers={"content-type": "text/event-stream"})

    transport = httpx.Client(transport=httpx.MockTransport(answer))
    return genai.Client(api_key="x", http_options=types.HttpOptions(httpx_client=transport))


def test_google_s_client_reads_it() -> None:
    steps = [saying("a"), opening(), args('{"x":1}'), ending(), DONE]
    client = client_of(body_of(steps, "openai-chat", WIRE))
    chunks = list(client.models.generate_content_stream(model="m", contents="hi"))
    assert "".join(each.text or "" for each in chunks[:1]) == "a"
    (call,) = [call for each in chunks for call in each.function_calls or ()]
    assert (call.id, call.name, call.args) == ("a1", "f", {"x": 1})
    assert chunks[-1].candidates[0].finish_reason == types.FinishReason.STOP


def test_google_s_client_raises_an_error() -> None:
    client = client_of(body_of(CUT_CALL, "openai-chat", WIRE))
    with pytest.raises(genai.errors.ServerError, match="the provider's stream ended before its answer did"):
        list(client.models.generate_content_stream(model="m", contents="hi"))


# --- recordings ------------------------------------------------------------------------------------------------


@needs_shared
@pytest.mark.parametrize("case", expected_records(*WIRES), ids=lambda case: case["file"])
def test_recordings_with_arguments_by_path(case: dict[str, Any]) -> None:
    """As whole calls; only that those that were cut are there too, and are cut."""
    events = events_of(recording(case), case["wire"])
    wanted, _ = expected(Message.of(events), WIRE)
    data = through(events, WIRE, partial_args=True)
    after = comparable(record(Message.of(events_of(data, WIRE)), mapped=True))
    for choice in after["choices"]:
        cut_calls = [call for call in choice["calls"] if call["status"] == "incomplete"]
        assert not any(call["executable"] for call in cut_calls)
        choice["calls"] = [call for call in choice["calls"] if call not in cut_calls]
    if wanted["choices"] is None:
        del wanted["choices"], after["choices"]
    assert differences(wanted, after) == []


@needs_shared
@pytest.mark.parametrize("partial_args", [False, True])
def test_the_sdk_s_types_take_every_chunk(partial_args: bool) -> None:
    """Gemini's own recordings may have fields that the SDK doesn't know; all others are written in known ones."""
    for case in expected_records(*(set(WIRES) - {WIRE})):
        body = through(events_of(recording(case), case["wire"]), WIRE, framing="json-array", partial_args=partial_args)
        for chunk_ in json.loads(body if body.endswith(b"]") else body + b"]"):
            if "error" not in chunk_:
                types.GenerateContentResponse.model_validate(chunk_)
