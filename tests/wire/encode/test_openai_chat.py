from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import httpx
import openai
import pytest
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

from toolwire import Message
from toolwire import tool as tool_of
from toolwire.errors import UsageError
from toolwire.events import Finish, MessageStart
from toolwire.wire.encode import encoder_for

if TYPE_CHECKING:
    from collections.abc import Iterable

# --- what is written -------------------------------------------------------------------------------------------


def out(delta: Payload, reason: str | None = None, *, choice: int = 0, first: bool = False) -> Payload:
    """A chunk; `first`: of its choice, which has the role."""
    delta = {"role": "assistant", **delta} if first else delta
    choices = [{"index": choice, "delta": delta, "finish_reason": reason}]
    return {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": choices}


def called(
    index: int = 0, id: str = "a1", name: str = "f", *, choice: int = 0, first: bool = False, **more: Any
) -> Payload:
    entry = {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}, **more}
    return out({"tool_calls": [entry]}, choice=choice, first=first)


def piece(text: str, index: int = 0, choice: int = 0) -> Payload:
    return out({"tool_calls": [{"index": index, "function": {"arguments": text}}]}, choice=choice)


def said(text: str, *, choice: int = 0, first: bool = False) -> Payload:
    return out({"content": text}, choice=choice, first=first)


def end(reason: str, *usage: Payload) -> list[Any]:
    return [out({}, reason), *usage, DONE]


def error(message: str, type: str, code: str) -> Payload:
    return {"error": {"message": message, "type": type, "param": None, "code": code}}


def written(steps: Iterable[Step], wire: str = "openai-chat", **options: Any) -> list[Any]:
    """The payloads; no frame has an event's name."""
    frames = frames_of(steps, wire, "openai-chat", **options)
    assert {event for event, _ in frames} <= {""}
    return [payload for _, payload in frames]


CUT_CALL = [saying("a"), opening(), args('{"x":')]
CUT = [said("a", first=True), called(), piece('{"x":')]
USAGE = {"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17, "queue_time": 1}

CASES: dict[str, tuple[list[Step], list[Any]]] = {
    "text": ([saying("a"), saying("b"), ending("stop"), DONE], [said("a", first=True), said("b"), *end("stop")]),
    "nothing": ([ending("stop"), DONE], [out({}, "stop", first=True), DONE]),
    "one call": (
        [opening(), args('{"x":'), args("1}"), ending(), DONE],
        [called(first=True), piece('{"x":'), piece("1}"), *end("tool_calls")],
    ),
    "two calls": (
        [opening(), args('{"x":1}'), opening(1, "b1", "g"), args('{"y":1}', 1), ending(), DONE],
        [called(first=True), piece('{"x":1}'), called(1, "b1", "g"), piece('{"y":1}', 1), *end("tool_calls")],
    ),
    "two calls that interleave": (
        [opening(), opening(1, "b1", "g"), *(args(t, n) for t in ('{"x":', "1}") for n in (1, 0)), ending(), DONE],
        [
            called(first=True),
            piece('{"x":'),
            piece("1}"),
            called(1, "b1", "g"),
            piece('{"x":', 1),
            piece("1}", 1),
            *end("tool_calls"),
        ],
    ),
    "indexes that are not dense": (
        [opening(1), args("{x}", 1), opening(5, "b1", "g"), args('{"y":1}', 5), ending(), DONE],
        [called(first=True), piece("{x}"), called(1, "b1", "g"), piece('{"y":1}', 1), *end("tool_calls")],
    ),
    "no arguments": ([opening(), ending(), DONE], [called(first=True), piece("{}"), *end("tool_calls")]),
    "null for no arguments": (
        [opening(), args(" nu"), args("ll"), ending(), DONE],
        [called(first=True), piece("{}"), *end("tool_calls")],
    ),
    "text around a call": (
        [saying("a"), opening(arguments='{"x":1}'), saying("b"), ending(), DONE],
        [said("a", first=True), called(), piece('{"x":1}'), said("b"), *end("tool_calls")],
    ),
    "fields beside a call": (
        [
            chunk({"tool_calls": [{"index": 0, "id": "a1", "function": {"name": "f"}, "extra_content": {"x": 1}}]}),
            args('{"x":1}'),
            chunk({"tool_calls": [{"index": 0, "late": 1}]}),
            ending(),
            DONE,
        ],
        [
            called(first=True, extra_content={"x": 1}),
            piece('{"x":1}'),
            out({"tool_calls": [{"index": 0, "late": 1}]}),
            *end("tool_calls"),
        ],
    ),
    "a refusal": (
        [chunk({"refusal": "no"}), ending("stop"), DONE],
        [out({"refusal": "no"}, first=True), *end("stop")],
    ),
    "reasoning": (
        [chunk({"reasoning": "h"}), saying("a"), ending("stop"), DONE],
        [out({"reasoning_content": "h"}, first=True), said("a"), *end("stop")],
    ),
    "reasoning with details": (
        [
            chunk({"reasoning_details": [{"type": "reasoning.text", "text": "h", "index": 0}]}),
            chunk({"reasoning_details": [{"type": "reasoning.text", "signature": "s", "index": 0}]}),
            chunk({"reasoning": "m", "reasoning_details": [{"type": "reasoning.text", "text": "m", "signature": "t"}]}),
            chunk({"reasoning_details": [{"type": "reasoning.encrypted", "data": "d"}]}),
            chunk({"reasoning_details": [{"type": "reasoning.text"}]}),
            ending("stop"),
            DONE,
        ],
        [
            out(
                {
                    "reasoning_content": "h",
                    "reasoning_details": [{"type": "reasoning.text", "text": "h", "index": 0}],
                },
                first=True,
            ),
            out({"reasoning_details": [{"type": "reasoning.text", "signature": "s", "index": 0}]}),
            out({"reasoning_content": "m"}),
            out({"reasoning_details": [{"type": "reasoning.text", "signature": "t"}]}),
            out({"reasoning_details": [{"type": "reasoning.encrypted", "data": "d"}]}),
            *end("stop"),
        ],
    ),
    "a custom call": (
        [custom(text="a"), custom_text("b"), ending(), DONE],
        [
            out(
                {"tool_calls": [{"index": 0, "id": "a1", "type": "custom", "custom": {"name": "f", "input": ""}}]},
                first=True,
            ),
            *(out({"tool_calls": [{"index": 0, "custom": {"input": each}}]}) for each in "ab"),
            *end("tool_calls"),
        ],
    ),
    "usage": (
        [saying("a"), ending("stop"), {"choices": [], "usage": USAGE}, DONE],
        [said("a", first=True), out({}, "stop"), {**out({}), "choices": [], "usage": USAGE}, DONE],
    ),
    "choices": (
        [saying("a"), opening(choice=1), saying("b", 2), *(ending("stop", n) for n in (2, 0)), ending(choice=1), DONE],
        [
            said("a", first=True),
            called(choice=1, first=True),
            said("b", choice=2, first=True),
            piece("{}", choice=1),
            out({}, "stop"),
            out({}, "tool_calls", choice=1),
            out({}, "stop", choice=2),
            DONE,
        ],
    ),
    "an error inside a call": (
        [*CUT_CALL, {"error": {"message": "busy", "type": "overloaded_error"}}, ending(), DONE],
        [*CUT, error("busy", "overloaded_error", "overloaded_error")],
    ),
    "bytes that end inside a call": (
        CUT_CALL,
        [*CUT, error("the provider's stream ended before its answer did", "upstream_error", "incomplete")],
    ),
    "an end by length inside a call": (
        [*CUT_CALL, ending("length"), DONE],
        [*CUT, error("the arguments of f were cut off (length)", "server_error", "length")],
    ),
    "an end by a filter inside a call": (
        [*CUT_CALL, ending("content_filter"), DONE],
        [*CUT, error("the arguments of f were cut off (content_filter)", "content_filter", "content_filter")],
    ),
    "an end by length behind a call": (
        [opening(), args('{"x":1}'), ending("length"), DONE],
        [called(first=True), piece('{"x":1}'), *end("length")],
    ),
    "an end by a filter": (
        [saying("a"), ending("content_filter"), DONE],
        [said("a", first=True), *end("content_filter")],
    ),
    "an end that nobody knows": ([saying("a"), ending("moon"), DONE], [said("a", first=True), *end("moon")]),
    "an abort": ([*CUT_CALL, abort("too long")], [*CUT, error("too long", "request_cancelled", "aborted")]),
    "a rejected call": (
        [*CUT_CALL, reject(), args("1}"), opening(1, "b1", "g", '{"y":1}'), ending(), DONE],
        [
            *CUT,
            error("the call of f was rejected: no", "request_cancelled", "call_rejected"),
        ],
    ),
    "a malformed call": (
        [opening(), args("{x}"), ending(), DONE],
        [called(first=True), piece("{x}"), *end("tool_calls")],
    ),
    "a call that ends in the middle, though the turn doesn't": (
        [*CUT_CALL, ending(), DONE],
        [
            *CUT,
            error(
                "the arguments of f end in the middle, though the answer did not",
                "server_error",
                "truncated_call",
            ),
        ],
    ),
    "two documents in one slot": (
        [opening(), args('{"x":1}'), args('{"x":2}'), ending(), DONE],
        [
            called(first=True),
            piece('{"x":1}'),
            piece('{"x":2}'),
            error("the arguments of f are two documents", "server_error", "concatenated"),
        ],
    ),
    "another document behind a call that made way": (
        [opening(), args('{"x":1}'), opening(1, "b1", "g", '{"y":1}'), args('{"x":2}'), ending(), DONE],
        [
            called(first=True),
            piece('{"x":1}'),
            called(1, "b1", "g"),
            piece('{"y":1}', 1),
            error("the arguments of f were not whole after all", "server_error", "contradiction"),
        ],
    ),
    "white space behind a call that made way": (
        [opening(), args('{"x":1}'), opening(1, "b1", "g"), args("\n"), args('{"y":1}', 1), ending(), DONE],
        [called(first=True), piece('{"x":1}'), called(1, "b1", "g"), piece('{"y":1}', 1), *end("tool_calls")],
    ),
    "text amid a call": (
        [opening(), args('{"x":'), opening(1, "b1", "g", "{}"), saying("a"), args("1}"), ending(), DONE],
        [
            called(first=True),
            piece('{"x":'),
            said("a"),
            piece("1}"),
            called(1, "b1", "g"),
            piece("{}", 1),
            *end("tool_calls"),
        ],
    ),
    "no arguments in the first of two calls": (
        [opening(), opening(1, "b1", "g"), args('{"y":1}', 1), ending(), DONE],
        [called(first=True), piece("{}"), called(1, "b1", "g"), piece('{"y":1}', 1), *end("tool_calls")],
    ),
    "calls of two choices don't wait for each other": (
        [opening(), args('{"x":'), opening(id="b1", choice=1), args("1}"), ending(), ending(choice=1), DONE],
        [
            called(first=True),
            piece('{"x":'),
            called(id="b1", choice=1, first=True),
            piece("1}"),
            piece("{}", choice=1),
            out({}, "tool_calls"),
            out({}, "tool_calls", choice=1),
            DONE,
        ],
    ),
    "what has no meaning": (
        [saying("a"), {"object": "heartbeat"}, ending("stop"), DONE],
        [said("a", first=True), {"object": "heartbeat"}, *end("stop")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_written(name: str) -> None:
    steps, expected = CASES[name]
    assert written(steps) == expected


@pytest.mark.parametrize("name", [name for name in CASES if name != "fields beside a call"])
def test_no_cut_of_the_bytes_shows(name: str) -> None:
    """But for what stands beside a call: it goes out as soon as it is there."""
    data = to_sse([step for step in CASES[name][0] if not callable(step)])
    whole, *others = at_all_cuts(data, "openai-chat", "openai-chat", [[3, 50, 200], [97, 301, 302, 500]])
    for each in others:
        assert each == whole


# `{}` stands for no arguments and reasoning has one name; calls end with the turn, so their choices change places.
CHANGED = {"no arguments", "null for no arguments", "choices", "reasoning", "reasoning with details"}
# Calls are put one behind the other, what else is said goes out before one that waits, and white space is left out.
MOVED = {
    "two calls that interleave",
    "white space behind a call that made way",
    "text amid a call",
    "no arguments in the first of two calls",
    "calls of two choices don't wait for each other",
}


@pytest.mark.parametrize(
    "name", [name for name, (_, told) in CASES.items() if told[-1] == DONE and name not in CHANGED | MOVED]
)
def test_what_is_written_reads_as_before(name: str) -> None:
    steps = CASES[name][0]
    assert merged(run(written(steps), "openai-chat")) == merged(run(steps, "openai-chat"))


@pytest.mark.parametrize("name", sorted(MOVED))
def test_what_changes_places_comes_to_the_same(name: str) -> None:
    steps = CASES[name][0]
    before, after = (
        [
            (
                choice.text,
                choice.finish,
                [(call.id, call.index, call.name, call.status, call.arguments) for call in choice.calls],
            )
            for choice in Message.of(run(each, "openai-chat")).choices
        ]
        for each in (steps, written(steps))
    )
    assert after == before


# --- options ---------------------------------------------------------------------------------------------------


def test_a_cut_call_can_be_told_by_the_reason_alone() -> None:
    assert written([*CUT_CALL, ending("length"), DONE], fail_on_cut=False) == [*CUT, *end("length")]
    assert written([*CUT_CALL, ending("content_filter"), DONE], fail_on_cut=False) == [*CUT, *end("content_filter")]


def test_what_waits_behind_a_cut_call_is_told_at_the_end() -> None:
    steps = [*CUT_CALL, opening(1, "b1", "g", '{"y":1}'), saying("b"), ending("length"), DONE]
    told = [*CUT, said("b"), called(1, "b1", "g"), piece('{"y":1}', 1), *end("length")]
    assert written(steps, fail_on_cut=False) == told
    cut_off = error("the arguments of f were cut off (length)", "server_error", "length")
    assert written(steps) == [*CUT, said("b"), cut_off]


def test_what_a_caller_says_of_the_message() -> None:
    told = written([saying("a"), ending("stop"), DONE], model="mine", message_id="chat-1", created=5)
    for each in told[:-1]:
        assert (each["id"], each["model"], each["created"]) == ("chat-1", "mine", 5)


def test_usage_can_be_left_out() -> None:
    steps, told = CASES["usage"]
    assert written(steps, usage=False) == [*told[:2], DONE]
    assert written(steps, usage=True) == told


def test_ids_that_are_made_differ() -> None:
    one, other = (written([{"choices": saying("a")["choices"]}])[0] for _ in range(2))
    assert re.fullmatch("chatcmpl-[0-9a-f]{24}", one["id"])
    assert one["id"] != other["id"]


def test_unknown_names() -> None:
    with pytest.raises(UsageError, match="nothing is written as 'chat'"):
        encoder_for("chat", {})
    with pytest.raises(UsageError, match="unknown option 'modle'"):
        encoder_for("openai", {"modle": "m"})
    with pytest.raises(UsageError, match="run= is no option of openai-chat"):
        encoder_for("openai", {"run": {}})


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        (("moon",), "moon"),
        (("STOP", "moon"), "moon"),
        (("stop",), "unknown"),
        (("Tool_Calls",), "unknown"),
        ((), "unknown"),
    ],
)
def test_the_word_for_an_unknown_reason_never_means_another(raw: tuple[str, ...], word: str) -> None:
    encoder = encoder_for("openai-chat", {})
    encoder.feed(MessageStart("c1", "m", "ollama"))
    assert encoder.feed(Finish("unknown", raw=raw)) == [("", out({}, word, first=True))]


# --- ends ------------------------------------------------------------------------------------------------------


def test_the_body_breaks_off_behind_an_error() -> None:
    encoder = encoder_for("openai-chat", {})
    encoded(CUT_CALL, "openai-chat", encoder)
    assert encoder.failed
    assert encoder.aborts
    encoder = encoder_for("openai-chat", {})
    encoded(CASES["one call"][0], "openai-chat", encoder)
    assert not encoder.failed
    assert not encoder.aborts


def test_an_error_before_the_message() -> None:
    steps = [{"error": {"message": "no key", "code": "invalid_api_key"}}]
    assert written(steps) == [error("no key", "authentication_error", "invalid_api_key")]


def test_a_message_that_begins_anew() -> None:
    first, second = (
        {"type": "message_start", "message": {"id": name, "model": "m", "content": []}} for name in ("c1", "c2")
    )
    text = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}
    encoder = encoder_for("openai-chat", {})
    frames = encoded([first, text, second, text, {"type": "message_stop"}], "anthropic", encoder)
    message = "what was sent no longer holds: the provider began its message anew"
    assert [payload for _, payload in frames] == [said("a", first=True), error(message, "server_error", "reset")]
    assert encoder.stopped


# --- what other providers send ---------------------------------------------------------------------------------


def test_signed_and_sealed_reasoning() -> None:
    def block(kind: str, **fields: Any) -> Payload:
        return {"type": "content_block_start", "index": 0, "content_block": {"type": kind, **fields}}

    steps = [
        {"type": "message_start", "message": {"id": "c1", "model": "m", "content": []}},
        block("thinking", thinking="h"),
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s"}},
        block("redacted_thinking", data="d"),
        {"type": "message_delta", "delta": {"stop_reason": "pause_turn"}},
        {"type": "message_stop"},
    ]
    assert written(steps, "anthropic") == [
        out({"reasoning_content": "h"}, first=True),
        out({"reasoning_details": [{"type": "reasoning.text", "signature": "s"}]}),
        out({"reasoning_details": [{"type": "reasoning.encrypted", "data": "d", "id": None}]}),
        *end("stop"),
    ]


def test_a_call_s_signature() -> None:
    parts = [{"functionCall": {"name": "f", "args": {"x": 1}}, "thoughtSignature": "s"}]
    usage = {"promptTokenCount": 5, "candidatesTokenCount": 2, "thoughtsTokenCount": 1}
    answer = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}], "responseId": "c1"}
    told = written([{**answer, "usageMetadata": usage}], "gemini", model="m")
    made = told[0]["choices"][0]["delta"]["tool_calls"][0]["id"]
    assert told[:3] == [
        called(id=made, first=True, extra_content={"google": {"thought_signature": "s"}}),
        piece('{"x":1}'),
        out({}, "tool_calls"),
    ]
    assert told[3]["choices"] == []
    assert told[3]["usage"]["prompt_tokens"] == 5
    assert told[3]["usage"]["completion_tokens_details"] == {"reasoning_tokens": 1}
    assert told[4:] == [DONE]


def test_calls_that_the_provider_runs_have_no_place() -> None:
    steps = [
        {"type": "message_start", "message": {"id": "c1", "model": "m", "content": []}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": 1}},
        },
        {"type": "content_block_start", "index": 1, "content_block": {"type": "web_search_tool_result"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]
    assert written(steps, "anthropic") == [out({}, "stop", first=True), DONE]


def test_calls_of_another_choice_that_are_of_this_one() -> None:
    steps = [saying("a"), opening(arguments='{"x":1}', choice=1), ending(), DONE]
    told = written([*steps[:-2], to_sse(steps[-2:])])
    assert told[0] == said("a", first=True)
    assert told[-2:] == end("tool_calls")


def test_no_arguments_of_a_call_of_another_choice() -> None:
    """What is still to be told of it goes where the rest of it went."""
    told = written([saying("a"), opening(choice=1), ending(), DONE])
    assert told == [said("a", first=True), called(choice=1, first=True), piece("{}", choice=1), *end("tool_calls")]


def test_what_stands_for_withheld_payloads_goes_nowhere() -> None:
    tools = [tool_of({"name": "f", "parameters": {"type": "object"}}, hold=True)]
    steps = [opening(), args('{"x":'), {"object": "heartbeat"}, args("1}"), ending(), DONE]
    frames = encoded(steps, "openai-chat", encoder_for("openai-chat", {}), tools=tools)
    assert [payload for _, payload in frames] == [called(first=True), piece('{"x":1}'), *end("tool_calls")]


# --- OpenAI's own client ---------------------------------------------------------------------------------------


def read_by_client(body: bytes) -> Any:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=body, request=request)

    http = httpx.Client(transport=httpx.MockTransport(answer))
    client = openai.OpenAI(api_key="none", base_url="http://test", max_retries=0, http_client=http)
    with client, client.chat.completions.stream(model="m", messages=[]) as stream:
        return stream.get_final_completion()


def test_the_client_reads_what_was_said() -> None:
    completion = read_by_client(body_of(CASES["two calls that interleave"][0], "openai-chat", "openai-chat"))
    (choice,) = completion.choices
    assert choice.finish_reason == "tool_calls"
    assert [(each.id, each.function.name, each.function.arguments) for each in choice.message.tool_calls] == [
        ("a1", "f", '{"x":1}'),
        ("b1", "g", '{"x":1}'),
    ]


@pytest.mark.parametrize(
    "name", ["an error inside a call", "bytes that end inside a call", "an end by length inside a call"]
)
def test_the_client_raises(name: str) -> None:
    steps, told = CASES[name]
    with pytest.raises(openai.APIError) as raised:
        read_by_client(body_of(steps, "openai-chat", "openai-chat"))
    assert raised.value.body == told[-1]["error"]
