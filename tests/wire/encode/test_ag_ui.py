"""Streams written as AG-UI. Each is also held against the rules of its clients' verifier."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from support import byte_by_byte, merged, run, to_sse
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
    opening,
    reject,
    saying,
)

from toolwire import Encoder, Message
from toolwire.errors import UsageError
from toolwire.wire.encode import encoder_for

if TYPE_CHECKING:
    from collections.abc import Iterable

RUN = {"threadId": "t", "runId": "r"}
NEW = {**RUN, "protocolVersion": "1.0"}

# --- the rules of `verify.ts` in `@ag-ui/client`, and the fields of both versions' schemas ---------------------

# An event's required fields, and those that it may have.
FIELDS: dict[str, tuple[str, str]] = {
    "RUN_STARTED": ("threadId runId", "protocolVersion"),
    "RUN_FINISHED": ("threadId runId", "outcome usage"),
    "RUN_ERROR": ("message code", "usage"),
    "TEXT_MESSAGE_START": ("messageId role", ""),
    "TEXT_MESSAGE_CONTENT": ("messageId delta", ""),
    "TEXT_MESSAGE_END": ("messageId", ""),
    "TOOL_CALL_START": ("toolCallId toolCallName", "parentMessageId"),
    "TOOL_CALL_ARGS": ("toolCallId delta", ""),
    "TOOL_CALL_END": ("toolCallId", ""),
    "TOOL_CALL_RESULT": ("messageId toolCallId content", ""),
    "REASONING_START": ("messageId", ""),
    "REASONING_MESSAGE_START": ("messageId role", ""),
    "REASONING_MESSAGE_CONTENT": ("messageId delta", ""),
    "REASONING_MESSAGE_END": ("messageId", ""),
    "REASONING_END": ("messageId", ""),
    "REASONING_ENCRYPTED_VALUE": ("subtype entityId encryptedValue", ""),
    "STATE_SNAPSHOT": ("snapshot", ""),
    "CUSTOM": ("name value", ""),
}
STAGES = {"START": "opens", "CONTENT": "goes on", "ARGS": "goes on", "END": "closes"}
ONLY_NEW = {"protocolVersion", "outcome", "usage"}


def verify(told: list[Payload]) -> None:
    """Raise `AssertionError` where a client would fail the run."""
    new = told[0].get("protocolVersion") == "1.0"
    opened: set[tuple[str, str]] = set()
    used: set[tuple[str, str]] = set()
    assert told[0]["type"] in ("RUN_STARTED", "RUN_ERROR")
    assert [each["type"] for each in told[:-1]].count("RUN_STARTED") == (len(told) > 1)
    assert told[-1]["type"] in ("RUN_FINISHED", "RUN_ERROR")
    for place, event in enumerate(told):
        required, optional = (set(each.split()) for each in FIELDS[event["type"]])
        assert required <= event.keys() <= required | optional | {"type", "metadata"}, event
        assert new or ONLY_NEW.isdisjoint(event), event
        for key in event.keys() - {"value", "snapshot"}:
            assert event[key] is not None
        if event["type"] in ("RUN_FINISHED", "RUN_ERROR"):
            assert place == len(told) - 1
            assert event["type"] == "RUN_ERROR" or not opened
            continue
        what, _, stage = event["type"].rpartition("_")
        if event["type"] == "REASONING_ENCRYPTED_VALUE":
            kinds = ("TOOL_CALL",) if event["subtype"] == "tool-call" else ("TEXT_MESSAGE", "REASONING_MESSAGE")
            assert any((kind, event["entityId"]) in used for kind in kinds)
        elif stage in STAGES and what != "RUN":
            key = (what, event.get("toolCallId") or event["messageId"])
            if STAGES[stage] == "opens":
                assert key not in used
                parent = event.get("parentMessageId")
                assert parent is None or ("TEXT_MESSAGE", parent) in used
                opened.add(key)
                used.add(key)
            else:
                assert key in opened
            if STAGES[stage] == "closes":
                opened.remove(key)


def written(steps: Iterable[Step], wire: str = "openai-chat", run: Any = RUN, **options: Any) -> list[Payload]:
    """The payloads, verified; no frame has an event's name. Made-up ids are numbered as they appear."""
    return numbered(encoded(steps, wire, encoder_for("ag-ui", {"run": run, **options})))


def numbered(frames: list[Any]) -> list[Payload]:
    assert {event for event, _ in frames} <= {""}
    told = [payload for _, payload in frames]
    verify(told)
    seen: dict[str, str] = {}

    def plain(value: Any) -> Any:
        if isinstance(value, str) and re.fullmatch("msg_[0-9a-f]{24}", value):
            return seen.setdefault(value, f"m{len(seen) + 1}")
        return value

    return [{key: plain(value) for key, value in payload.items()} for payload in told]


# --- what is written -------------------------------------------------------------------------------------------

STARTED = {"type": "RUN_STARTED", **RUN}
STARTED_NEW = {"type": "RUN_STARTED", **NEW}


def said(*pieces: str, id: str = "m1") -> list[Payload]:
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"},
        *({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": each} for each in pieces),
        {"type": "TEXT_MESSAGE_END", "messageId": id},
    ]


def thought(*pieces: str, id: str = "m1", signature: str = "") -> list[Payload]:
    seal = {"type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": id, "encryptedValue": signature}
    return [
        {"type": "REASONING_START", "messageId": id},
        {"type": "REASONING_MESSAGE_START", "messageId": id, "role": "reasoning"},
        *({"type": "REASONING_MESSAGE_CONTENT", "messageId": id, "delta": each} for each in pieces),
        *([seal] if signature else []),
        {"type": "REASONING_MESSAGE_END", "messageId": id},
        {"type": "REASONING_END", "messageId": id},
    ]


def begun(id: str = "a1", name: str = "f", *, parent: str = "", **more: Any) -> Payload:
    beside = {"parentMessageId": parent} if parent else {}
    return {"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name, **beside, **more}


def piece(text: str, id: str = "a1") -> Payload:
    return {"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": text}


def over(id: str = "a1") -> Payload:
    return {"type": "TOOL_CALL_END", "toolCallId": id}


def sealed(value: str, id: str = "a1") -> Payload:
    return {"type": "REASONING_ENCRYPTED_VALUE", "subtype": "tool-call", "entityId": id, "encryptedValue": value}


def done(reason: str = "tool_calls", **more: Any) -> Payload:
    return {"type": "RUN_FINISHED", **RUN, **more, "metadata": {"toolwire": {"finish": reason}}}


def done_new(reason: str = "tool_calls", pending: Any = None, **more: Any) -> Payload:
    outcome = {"type": "success"} | ({"pendingToolCallIds": pending} if pending else {})
    return done(reason, outcome=outcome, **more)


def error(message: str, code: str, **more: Any) -> Payload:
    return {"type": "RUN_ERROR", "message": message, "code": code, **more}


CUT_CALL = [saying("a"), opening(), args('{"x":')]
CUT = [STARTED, *said("a"), begun(parent="m1"), piece('{"x":')]
LOST = error("The connection to the model was lost. Please try again.", "incomplete")

CASES: dict[str, tuple[list[Step], list[Any]]] = {
    "text": ([saying("a"), saying("b"), ending("stop"), DONE], [STARTED, *said("a", "b"), done("stop")]),
    "nothing": ([ending("stop"), DONE], [STARTED, done("stop")]),
    "one call": (
        [opening(), args('{"x":'), args("1}"), ending(), DONE],
        [STARTED, begun(), piece('{"x":'), piece("1}"), over(), done()],
    ),
    "two calls": (
        [opening(), args('{"x":1}'), opening(1, "b1", "g"), args('{"y":1}', 1), ending(), DONE],
        [
            *(STARTED, begun(), piece('{"x":1}'), begun("b1", "g"), piece('{"y":1}', "b1")),
            *(over(), over("b1"), done()),
        ],
    ),
    "two calls that interleave": (
        [opening(), opening(1, "b1", "g"), *(args(t, n) for t in ('{"x":', "1}") for n in (1, 0)), ending(), DONE],
        [
            *(STARTED, begun(), begun("b1", "g")),
            *(piece(each, name) for each in ('{"x":', "1}") for name in ("b1", "a1")),
            *(over(), over("b1"), done()),
        ],
    ),
    "no arguments": ([opening(), ending(), DONE], [STARTED, begun(), piece("{}"), over(), done()]),
    "null for no arguments": (
        [opening(), args(" nu"), args("ll"), ending(), DONE],
        [STARTED, begun(), piece("{}"), over(), done()],
    ),
    "text around calls": (
        [saying("a"), opening(arguments='{"x":1}'), opening(1, "b1", "g", '{"y":1}'), saying("b"), ending(), DONE],
        [
            *(STARTED, *said("a"), begun(parent="m1"), piece('{"x":1}')),
            *(begun("b1", "g", parent="m1"), piece('{"y":1}', "b1"), *said("b", id="m2")[:2]),
            *(over(), over("b1"), said("b", id="m2")[2], done()),
        ],
    ),
    "a refusal": ([chunk({"refusal": "no"}), ending("stop"), DONE], [STARTED, *said("no"), done("stop")]),
    "reasoning, text and reasoning before a call": (
        [
            chunk({"reasoning": "h"}),
            saying("a"),
            chunk({"reasoning": "i"}),
            opening(arguments='{"x":1}'),
            ending(),
            DONE,
        ],
        [
            *(STARTED, *thought("h"), *said("a", id="m2"), *thought("i", id="m3")),
            *(begun(), piece('{"x":1}'), over(), done()),
        ],
    ),
    "reasoning with signatures": (
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
            *(STARTED, *thought("h", signature="s"), *thought("m", id="m2", signature="t")),
            *(*thought(id="m3", signature="d"), done("stop")),
        ],
    ),
    "a signature of a call": (
        [
            chunk(
                {
                    "tool_calls": [
                        {
                            "index": 0,
                            "id": "a1",
                            "function": {"name": "f"},
                            "extra_content": {"google": {"thought_signature": "s"}},
                        }
                    ]
                }
            ),
            args('{"x":1}'),
            ending(),
            DONE,
        ],
        [STARTED, begun(), piece('{"x":1}'), over(), sealed("s"), done()],
    ),
    "a custom call": (
        [custom(text='a"'), custom_text("b\n\u00e9"), ending(), DONE],
        [STARTED, begun(), piece('{"input":"a\\"'), piece("b\\n\u00e9"), piece('"}'), over(), done()],
    ),
    "a custom call without text": (
        [custom(), ending(), DONE],
        [STARTED, begun(), piece('{"input":""}'), over(), done()],
    ),
    "a custom call that is cut": (
        [custom(text="a")],
        [STARTED, begun(), piece('{"input":"a'), LOST],
    ),
    "an error inside a call": (
        [*CUT_CALL, {"error": {"message": "busy at /srv", "type": "overloaded_error"}}, ending(), DONE],
        [*CUT, error("The model is overloaded. Please try again later.", "overloaded")],
    ),
    "an error behind a call": (
        [opening(), args('{"x":1}'), {"error": {"message": "busy", "code": "odd"}}, ending(), DONE],
        [STARTED, begun(), piece('{"x":1}'), over(), error("The model failed. Please try again.", "server")],
    ),
    "an error before the message": (
        [{"error": {"message": "no key", "code": "invalid_api_key"}}],
        [error("The model refused our credentials.", "auth")],
    ),
    "an error inside text": (
        [saying("a"), {"error": {"message": "no", "type": "server_error"}}],
        [STARTED, *said("a")[:2], error("The model failed. Please try again.", "server")],
    ),
    "bytes that end inside a call": (CUT_CALL, [*CUT, LOST]),
    "an end by length inside a call": (
        [*CUT_CALL, ending("length"), DONE],
        [*CUT, error("The answer was cut off.", "length")],
    ),
    "an end by a filter inside a call": (
        [*CUT_CALL, ending("content_filter"), DONE],
        [*CUT, error("The answer was stopped by a content filter.", "content_filter")],
    ),
    "an end by length behind a call": (
        [opening(), args('{"x":1}'), ending("length"), DONE],
        [STARTED, begun(), piece('{"x":1}'), over(), error("The answer was cut off.", "length")],
    ),
    "an end by a filter": (
        [saying("a"), ending("content_filter"), DONE],
        [STARTED, *said("a"), done("content_filter")],
    ),
    "an end that nobody knows": ([saying("a"), ending("moon"), DONE], [STARTED, *said("a"), done("unknown")]),
    "an abort": ([*CUT_CALL, abort("too long")], [*CUT, error("The answer was stopped.", "cancelled")]),
    "a rejected call": (
        [*CUT_CALL, reject(), args("1}"), opening(1, "b1", "g", '{"y":1}'), ending(), DONE],
        [
            *(*CUT, begun("b1", "g", parent="m1"), piece('{"y":1}', "b1"), over("b1")),
            error("The answer was stopped.", "call_rejected"),
        ],
    ),
    "a malformed call": (
        [opening(), args("{x}"), ending(), DONE],
        [
            *(STARTED, begun(), piece("{x}"), over()),
            error("The model's answer was broken. Please try again.", "invalid_call"),
        ],
    ),
    "a call that ends in the middle, though the turn doesn't": (
        [*CUT_CALL, ending(), DONE],
        [*CUT, error("The model's answer was broken. Please try again.", "truncated_call")],
    ),
    "two documents in one slot": (
        [opening(), args('{"x":1}'), args('{"x":2}'), ending(), DONE],
        [
            *(STARTED, begun(), piece('{"x":1}'), piece('{"x":2}'), over()),
            error("The model's answer was broken. Please try again.", "concatenated"),
        ],
    ),
    "choices": (
        [saying("a"), saying("b", 1), ending("stop"), ending("stop", 1), DONE],
        [STARTED, *said("a"), done("stop")],
    ),
    "what has no meaning": (
        [saying("a"), {"object": "heartbeat"}, ending("stop"), DONE],
        [STARTED, *said("a"), done("stop")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_written(name: str) -> None:
    steps, expected = CASES[name]
    assert written(steps) == expected


@pytest.mark.parametrize("name", CASES)
def test_clients_of_1_0_can_read_it_too(name: str) -> None:
    """And more: the verifier allows them what only they know."""
    told = written(CASES[name][0], run=NEW)
    assert "RUN_STARTED" in told[0]["type"] or told == CASES[name][1]
    more = ONLY_NEW if told[-1]["type"] == "RUN_FINISHED" else {"protocolVersion"}
    assert [{key: each[key] for key in each if key not in more} for each in told] == CASES[name][1]


@pytest.mark.parametrize("name", CASES)
def test_no_cut_of_the_bytes_shows(name: str) -> None:
    data = to_sse([step for step in CASES[name][0] if not callable(step)])
    ways = [
        [(event, {**payload, **RUN} if "runId" in payload else payload) for event, payload in frames]
        for frames in at_all_cuts(data, "openai-chat", "ag-ui", [[3, 50, 200], [97, 301, 302, 500]])
    ]
    whole, *others = map(numbered, ways)
    for each in others:
        assert each == whole


CHANGED = {
    *("a custom call", "a custom call without text", "a refusal", "choices", "what has no meaning"),
    *("no arguments", "null for no arguments", "reasoning with signatures"),
}


@pytest.mark.parametrize(
    "name", [name for name, (_, told) in CASES.items() if told[-1]["type"] == "RUN_FINISHED" and name not in CHANGED]
)
def test_what_is_written_reads_as_before(name: str) -> None:
    before, after = (shape(run(steps, wire)) for steps, wire in forms(name))
    assert after == before


def forms(name: str) -> list[tuple[list[Step], str]]:
    steps = CASES[name][0]
    return [(steps, "openai-chat"), (list(written(steps)), "ag-ui")]


def shape(events: Any) -> list[Any]:
    """Events without what names their origin: the message's id, the field of reasoning, the words of the finish."""
    kept = {"message_start": 1, "reasoning_delta": 3, "finish": 4}
    return [each[: kept.get(each[0], len(each))] for each in merged(events)]


@pytest.mark.parametrize("text", ["{x}", "[1]", "5", '"a"'])
def test_arguments_that_are_no_object_fail_the_run(text: str) -> None:
    """For the client they are `{}` then."""
    steps = [opening(arguments=text), ending(), DONE]
    assert [each["type"] for each in written(steps)[-2:]] == ["TOOL_CALL_END", "RUN_ERROR"]


# Closed by their own end, and judged by that of the turn: a reader of a failed run takes them for open.
UNJUDGED = ("a malformed call", "two documents in one slot")


@pytest.mark.parametrize("name", UNJUDGED)
@pytest.mark.parametrize("version", ["0.0.59", "1.0"])
def test_an_unusable_call_of_a_failed_run_is_left_open_the_second_time(name: str, version: str) -> None:
    once = written(CASES[name][0], client=version, show_errors=True)
    assert [each["type"] for each in once[-2:]] == ["TOOL_CALL_END", "RUN_ERROR"]
    assert written(once, "ag-ui", client=version, show_errors=True) == [*once[:-2], once[-1]]


@pytest.mark.parametrize("name", [name for name in CASES if name not in ("choices", *UNJUDGED)])
@pytest.mark.parametrize("version", ["0.0.59", "1.0"])
def test_what_is_written_is_written_again(name: str, version: str) -> None:
    """From this wire to itself."""
    once = written(CASES[name][0], client=version)
    assert written(once, "ag-ui", client=version) == once


# --- other providers -------------------------------------------------------------------------------------------


def test_redacted_and_signed_reasoning() -> None:
    steps: list[Step] = [
        {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "h"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "redacted_thinking", "data": "d"}},
        {"type": "content_block_stop", "index": 1},
        {
            "type": "content_block_start",
            "index": 2,
            "content_block": {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        },
        {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"q":1}'}},
        {"type": "content_block_stop", "index": 2},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
    told = [
        *thought("h", signature="s"),
        *thought(id="m2", signature="d"),
        begun("s1", "web_search", metadata={"toolwire": {"kind": "server"}}),
        piece('{"q":1}', "s1"),
        over("s1"),
    ]
    assert written(steps, "anthropic") == [STARTED, *told, done("stop")]
    assert written(steps, "anthropic", NEW) == [STARTED_NEW, *told, done_new("stop", usage=[{"outputTokens": 5}])]
    again = Message.of(run(written(steps, "anthropic"), "ag-ui"))
    assert [(call.kind, call.arguments) for call in again.calls] == [("server", {"q": 1})]
    assert again.executable == ()


def test_a_cut_call_of_the_provider() -> None:
    """Nobody runs it, but no run can finish with it."""
    steps: list[Step] = [
        {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        },
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"q":'}},
        {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}},
        {"type": "message_stop"},
    ]
    assert written(steps, "anthropic") == [
        STARTED,
        begun("s1", "web_search", metadata={"toolwire": {"kind": "server"}}),
        piece('{"q":', "s1"),
        error("The answer was cut off.", "length"),
    ]


def test_a_message_that_begins_anew() -> None:
    start = {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}}
    text = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a"}}
    encoder = encoder_for("ag-ui", {"run": RUN})
    told = numbered(encoded([start, text, start, text], "anthropic", encoder))
    assert told == [
        STARTED,
        *said("a")[:2],
        error("The model's answer was broken. Please try again.", "reset"),
    ]
    assert encoder.stopped


def gemini(*parts: Payload, **more: Any) -> Payload:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **more}]}


def test_signatures_of_gemini() -> None:
    steps = [
        gemini({"text": "a"}),
        gemini({"text": "", "thoughtSignature": "s"}),
        gemini({"text": "b"}),
        gemini({"functionCall": {"name": "f", "args": {"x": 1}}, "thoughtSignature": "c"}, finishReason="STOP"),
    ]
    told = written(steps, "gemini")
    call = told[6]["toolCallId"]
    text = [*said("a")[:2], {**sealed("s", "m1"), "subtype": "message"}, *said("b")[1:]]
    assert told == [
        *(STARTED, *text, begun(call, parent="m1"), piece('{"x":1}', call), over(call), sealed("c", call)),
        done(),
    ]
    assert written(told, "ag-ui") == told


def test_texts_that_are_items_of_their_own() -> None:
    steps: list[Step] = []
    for place, name in enumerate(["i1", "i2"]):
        item = {"type": "message", "id": name, "role": "assistant", "content": []}
        steps.append({"type": "response.output_item.added", "output_index": place, "item": item})
        for text in "ab":
            steps.append(
                {
                    "type": "response.output_text.delta",
                    "item_id": name,
                    "output_index": place,
                    "content_index": 0,
                    "delta": text,
                }
            )
    steps.append({"type": "response.completed", "response": {"id": "x", "status": "completed"}})
    assert written(steps, "openai-responses") == [
        STARTED,
        *said("a", "b"),
        *said("a", "b", id="m2"),
        done("stop"),
    ]


# --- from AG-UI ------------------------------------------------------------------------------------------------


def test_what_stands_by_itself_is_passed_on() -> None:
    result = {"type": "TOOL_CALL_RESULT", "messageId": "x", "toolCallId": "a1", "content": "4"}
    state = {"type": "STATE_SNAPSHOT", "snapshot": None}
    steps = [
        STARTED,
        begun(),
        piece("{}"),
        over(),
        {**result, "role": None},
        state,
        {"type": "CUSTOM", "name": "n", "value": None},
        *said("a"),
        done("stop"),
    ]
    assert written(steps, "ag-ui") == [*steps[:4], result, *steps[5:]]


def test_what_opens_something_or_is_not_known_is_not() -> None:
    steps = [STARTED, {"type": "STEP_STARTED", "stepName": "s"}, {"type": "LATER"}, *said("a"), done("stop")]
    assert written(steps, "ag-ui") == [STARTED, *said("a"), done("stop")]


def test_results_in_parts_are_for_new_clients() -> None:
    result = {"type": "TOOL_CALL_RESULT", "messageId": "x", "toolCallId": "a1", "content": []}
    steps = [STARTED, begun(), piece("{}"), over(), result, done("stop")]
    assert written(steps, "ag-ui") == [*steps[:4], steps[5]]
    assert written(steps, "ag-ui", NEW) == [STARTED_NEW, *steps[1:5], done_new("stop")]


def test_a_result_before_the_end_of_its_call() -> None:
    result = {"type": "TOOL_CALL_RESULT", "messageId": "x", "toolCallId": "a1", "content": "4"}
    steps = [STARTED, begun(), piece('{"x":1}'), result, over(), done("stop")]
    assert written(steps, "ag-ui") == steps


@pytest.mark.parametrize("version", ["0.0.59", "1.0"])
def test_what_the_agent_runs_is_told_alike_however_the_bytes_are_cut(version: str) -> None:
    result = {"type": "TOOL_CALL_RESULT", "messageId": "x", "toolCallId": "a1", "content": "4"}
    calls = [
        begun(metadata={"x": 1}),
        piece('{"x":1}'),
        over(),
        result,
        begun("b1"),
        piece('{"y":1}', "b1"),
        over("b1"),
    ]
    steps = [STARTED, *calls, begun("c1"), piece('{"z":1}', "c1"), over("c1"), done_new(pending=["b1"])]
    ending = done() if version == "0.0.59" else done_new(pending=["b1"])
    data = to_sse(steps)
    for pieces in ([data], byte_by_byte(data)):
        assert written(pieces, "ag-ui", client=version)[1:] == [*steps[1:-1], ending]


def test_usage_of_this_wire_is_passed_on() -> None:
    counts = {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5, "cacheWriteInputTokens": 1}
    steps = [STARTED, *said("a"), {**done("stop"), "usage": [{"model": "m", **counts}, {"inputTokens": 1}]}]
    told = written(steps, "ag-ui", NEW)
    assert told[-1] == done_new("stop", usage=[{**counts, "inputTokens": 4}])


# --- what only 1.0 knows ---------------------------------------------------------------------------------------


def test_calls_that_wait_for_the_client() -> None:
    steps = [opening(arguments='{"x":1}'), opening(1, "b1", "g"), ending(), DONE]
    assert written(steps, run=NEW)[-1] == done_new(pending=["a1", "b1"])


def test_usage() -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    entry = {
        "inputTokens": 10,
        "outputTokens": 7,
        "totalTokens": 17,
        "reasoningTokens": 3,
        "cachedInputTokens": 4,
    }
    steps = [saying("a"), ending("stop"), {"choices": [], "usage": usage}, DONE]
    assert written(steps, run=NEW) == [STARTED_NEW, *said("a"), done_new("stop", usage=[entry])]
    assert written(steps) == [STARTED, *said("a"), done("stop")]
    failed = [saying("a"), {"choices": [], "usage": usage}, {"error": {"message": "no"}}]
    assert written(failed, run=NEW)[-1] == error("The model failed. Please try again.", "server", usage=[entry])


def test_all_output_is_one_number() -> None:
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 2, "thoughtsTokenCount": 5}
    steps = [gemini({"text": "a"}, finishReason="STOP") | {"usageMetadata": usage}]
    entry = {"inputTokens": 10, "outputTokens": 7, "totalTokens": 17, "reasoningTokens": 5}
    assert written(steps, "gemini", NEW)[-1] == done_new("stop", usage=[entry])


def test_a_cancelled_run() -> None:
    cancelled = {"type": "RUN_FINISHED", **RUN, "outcome": {"type": "cancelled"}}
    assert written([saying("a"), abort()], run=NEW) == [STARTED_NEW, *said("a"), cancelled]
    assert written([saying("a"), abort()])[-1] == error("The answer was stopped.", "cancelled")
    assert written([opening(), args("{}"), abort()], run=NEW)[-1] == cancelled
    assert written([*CUT_CALL, abort()], run=NEW)[-1] == error("The answer was stopped.", "cancelled")
    assert written([abort()], run=NEW) == [error("The answer was stopped.", "cancelled")]


@pytest.mark.parametrize(
    ("run", "client", "new"),
    [
        (None, None, False),
        (RUN, None, False),
        (NEW, None, True),
        (RUN | {"protocol_version": "1.0"}, None, True),
        (RUN | {"protocolVersion": "1.7"}, None, True),
        (RUN | {"protocolVersion": "0.9"}, None, False),
        (RUN | {"protocolVersion": "later"}, None, False),
        (SimpleNamespace(thread_id="t", run_id="r", protocol_version="1.0"), None, True),
        (SimpleNamespace(thread_id="t", run_id="r"), None, False),
        (NEW, "0.0.59", False),
        (RUN, "1.0", True),
        (None, "1.0.0", True),
        (None, 1, True),
        (None, 0, False),
    ],
)
def test_which_version_the_client_has(run: Any, client: Any, new: bool) -> None:
    told = written([saying("a"), ending("stop"), DONE], run=run, client=client)
    assert ("protocolVersion" in told[0], "outcome" in told[-1]) == (new, new)
    if run is not None:
        assert (told[0]["threadId"], told[0]["runId"]) == ("t", "r")


# --- options ---------------------------------------------------------------------------------------------------


def test_ids_that_are_made_differ() -> None:
    frames = [encoded([saying("a"), ending("stop"), DONE], "openai-chat", encoder_for("ag-ui", {})) for _ in range(2)]
    for key, place in (("threadId", 0), ("runId", 0), ("messageId", 1)):
        ids = [payload[key] for _, payload in (each[place] for each in frames)]
        assert all(re.fullmatch("[a-z]+_[0-9a-f]{24}", each) for each in ids)
        assert ids[0] != ids[1]
    assert [each[-1][1]["runId"] for each in frames] == [each[0][1]["runId"] for each in frames]


def test_snake_case_and_ids_that_are_missing() -> None:
    told = written([saying("a"), ending("stop"), DONE], run={"thread_id": "t", "runId": 5})
    assert told[0]["threadId"] == "t"
    assert re.fullmatch("run_[0-9a-f]{24}", told[0]["runId"])


def test_the_id_of_the_first_text() -> None:
    steps = [chunk({"reasoning": "h"}), saying("a"), opening(), saying("b"), ending(), DONE]
    told = written(steps, message_id="mine")
    ids = [each["messageId"] for each in told if each["type"] == "TEXT_MESSAGE_START"]
    assert ids == ["mine", "m2"]


def test_errors_can_be_shown() -> None:
    steps = [saying("a"), {"error": {"message": "busy", "type": "overloaded_error"}}]
    assert written(steps, show_errors=True)[-1] == error("busy", "overloaded_error")
    assert written(CUT_CALL, show_errors=True)[-1] == error(
        "the provider's stream ended before its answer did", "incomplete"
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"run": "r"}, "run is the client's RunAgentInput"),
        ({"client": "new"}, "client is a version of AG-UI"),
        ({"fail_on_cut": False}, "fail_on_cut= is no option of ag-ui"),
        ({"usage": True}, "usage= is no option of ag-ui"),
    ],
)
def test_wrong_options(options: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        encoder_for("ag-ui", options)


# --- ends and bytes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_the_body_never_breaks_off(name: str) -> None:
    encoder = encoder_for("ag-ui", {})
    frames = encoded(CASES[name][0], "openai-chat", encoder)
    assert encoder.failed is (frames[-1][1]["type"] == "RUN_ERROR")
    assert not encoder.aborts


def test_bytes() -> None:
    encoder = Encoder("ag-ui", run=RUN, message_id="m1")
    data = b"".join(map(encoder.feed, run([saying("é"), ending("stop"), DONE], "openai-chat"))) + encoder.end()
    lines = data.decode().split("\n\n")
    assert lines.pop() == ""
    assert lines[2] == 'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"é"}'
    assert all(line.startswith('data: {"type":"') and "\n" not in line for line in lines)
    assert b"\r" not in data
    assert encoder.media_type == "text/event-stream"
    assert encoder.tick(0.0) == b""
