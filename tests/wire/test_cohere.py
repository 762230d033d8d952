from __future__ import annotations

from typing import Any

import pytest
from support import plain, run
from support.wires import Case, WireCases

from toolwire import Message, Stream
from toolwire.wire.cohere import FINISH, recognises

WIRE = "cohere"


def event(kind: str, message: Any = None, index: Any = None, **fields: Any) -> dict[str, Any]:
    whole = {"type": kind} | ({} if message is None else {"delta": {"message": message}})
    return whole | ({} if index is None else {"index": index}) | fields


def saying(text: str, index: int = 0) -> dict[str, Any]:
    return event("content-delta", {"content": {"text": text}}, index)


def start(index: Any = 0, id: Any = "c1", name: Any = "f", arguments: Any = "", **fields: Any) -> dict[str, Any]:
    entry = {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}} | fields
    return event("tool-call-start", {"tool_calls": entry}, index)


def more(arguments: Any, index: Any = 0) -> dict[str, Any]:
    return event("tool-call-delta", {"tool_calls": {"function": {"arguments": arguments}}}, index)


def stop(index: Any = 0) -> dict[str, Any]:
    return event("tool-call-end", None, index)


def ending(reason: Any = "TOOL_CALL", **fields: Any) -> dict[str, Any]:
    return {"type": "message-end", "delta": {"finish_reason": reason} | fields}


def body(message: Any, reason: Any = "TOOL_CALL", **fields: Any) -> dict[str, Any]:
    return {"id": "m1", "message": {"role": "assistant"} | message, "finish_reason": reason} | fields


START = event("message-start", {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": []}, id="m1")
ARGUMENTS = {"function": {"name": "f", "arguments": '{"a":1}'}, "id": "c1", "type": "function"}

BEGUN = ("message_start", "m1", None)
STARTED = [BEGUN, ("tool_call_start", (0, 0), "f", "function", "c1")]
ENDED = ("tool_call_end", (0, 0), "complete", '{"a":1}', {"a": 1}, None)
CONFIRMED = ("finish", 0, "tool_calls", ((0, 0),), ("TOOL_CALL",))
CALL = [START, start(), more('{"a":'), more("1}"), stop()]
CALLED = [*STARTED, ("tool_call_delta", (0, 0), '{"a":'), ("tool_call_delta", (0, 0), "1}"), ENDED, CONFIRMED]
AT_ONCE = [*STARTED, ("tool_call_delta", (0, 0), '{"a":1}'), ENDED, CONFIRMED]
VOID = ("tool_call_end", (0, 0), "invalid", '{"a":1}', None, ("reset", 7))  # as it is in the end
EMPTY = ("tool_call_end", (0, 0), "complete", "", {}, None)
DONE = "[DONE]"


def thought(text: str, field: str) -> tuple[Any, ...]:
    return ("reasoning_delta", 0, text, field, None, None)


def failed(kind: str, message: str, code: Any = None) -> tuple[Any, ...]:
    return ("stream_error", kind, code, message, None)


def finished(reason: str, *raw: str) -> tuple[Any, ...]:
    return ("finish", 0, reason, (), raw)


CASES: list[Case] = [
    (
        "text",
        [
            START,
            event("content-start", {"content": {"type": "text", "text": ""}}, 0),
            saying("a"),
            saying("b"),
            event("content-end", None, 0),
            ending("COMPLETE"),
            DONE,
        ],
        [BEGUN, ("text_delta", 0, "a"), ("text_delta", 0, "b"), finished("stop", "COMPLETE")],
    ),
    (
        "thinking",
        [
            START,
            event("content-start", {"content": {"type": "thinking", "thinking": "s"}}, 0),
            event("content-delta", {"content": {"thinking": "t"}}, 0),
            saying("a", 1),
            ending("COMPLETE"),
        ],
        [
            BEGUN,
            thought("s", "thinking"),
            thought("t", "thinking"),
            ("text_delta", 0, "a"),
            finished("stop", "COMPLETE"),
        ],
    ),
    (
        "a plan, then a call",
        [START, event("tool-plan-delta", {"tool_plan": "p"}), *CALL[1:], ending(), DONE],
        [BEGUN, thought("p", "tool_plan"), *CALLED[1:]],
    ),
    ("a call", [*CALL, ending(), DONE], CALLED),
    ("no message-start", [*CALL[1:], ending()], [("message_start", None, None), *CALLED[1:]]),
    ("no index", [START, start(None), more('{"a":', None), more("1}", None), stop(None), ending()], CALLED),
    ("an index that is a word", [START, start("x"), more('{"a":', "x"), more("1}", "x"), stop("x"), ending()], CALLED),
    ("a list of calls", [START, event("tool-call-start", {"tool_calls": [ARGUMENTS]}, 0), stop(), ending()], AT_ONCE),
    ("a start twice", [START, start(), *CALL[1:], ending()], CALLED),
    ("a delta for an index that never began", [START, start(), more('{"a":', 4), more("1}"), stop(), ending()], CALLED),
    (
        "two calls interleave",
        [START, start(), start(1, "c2", "g"), more('{"a":1}'), more('{"b":2}', 1), stop(1), stop(), ending()],
        [
            *STARTED,
            ("tool_call_start", (0, 1), "g", "function", "c2"),
            ("tool_call_delta", (0, 0), '{"a":1}'),
            ("tool_call_delta", (0, 1), '{"b":2}'),
            ("tool_call_end", (0, 1), "complete", '{"b":2}', {"b": 2}, None),
            ENDED,
            ("finish", 0, "tool_calls", ((0, 0), (0, 1)), ("TOOL_CALL",)),
        ],
    ),
    (
        "the same index again, with another id",
        [*CALL, start(0, "c2"), stop(), ending()],
        [
            *CALLED[:-1],
            ("tool_call_start", (0, 1), "f", "function", "c2"),
            ("tool_call_end", (0, 1), "complete", "", {}, None),
            ("finish", 0, "tool_calls", ((0, 0), (0, 1)), ("TOOL_CALL",)),
        ],
    ),
    ("no arguments", [START, start(), stop(), ending()], [*STARTED, EMPTY, CONFIRMED]),
    ("a placeholder", [START, start(arguments={}), *CALL[2:], ending()], CALLED),
    ("an object for arguments", [START, start(arguments={"a": 1}), stop(), ending()], AT_ONCE),
    ("no end of the call", [*CALL[:-1], ending()], CALLED),
    (
        "cut in the arguments",
        [START, start(), more('{"a":'), ending("MAX_TOKENS")],
        [
            *CALLED[:3],
            ("tool_call_end", (0, 0), "incomplete", '{"a":', None, ("cut", 5)),
            finished("length", "MAX_TOKENS"),
        ],
    ),
    (
        "no arguments, and cut",
        [START, start(), stop(), ending("MAX_TOKENS")],
        [*STARTED, ("tool_call_end", (0, 0), "incomplete", "", None, ("cut", 0)), finished("length", "MAX_TOKENS")],
    ),
    ("no message-end", CALL, [*CALLED[:-1], finished("incomplete")]),
    (
        "text after the end of a call",
        [*CALL, more("x"), ending()],
        [*CALLED[:-2], VOID, ("reset", "calls", ((0, 0),)), finished("tool_calls", "TOOL_CALL")],
    ),
    (
        "an error at the end",
        [*CALL, ending("ERROR", error="boom")],
        [*CALLED[:-1], failed("server", "boom", "ERROR"), finished("error", "ERROR")],
    ),
    (
        "a time that ran out",
        [*CALL, ending("TIMEOUT")],
        [*CALLED[:-1], failed("timeout", "", "TIMEOUT"), finished("error", "TIMEOUT")],
    ),
    (
        "an error beside the end's delta",
        [*CALL, ending() | {"error": {"message": "late", "code": "overloaded"}}],
        [*CALLED[:-1], failed("overloaded", "late", "overloaded"), finished("error", "TOOL_CALL")],
    ),
    ("an error as a body", [{"message": "no key", "id": "e"}], [failed("server", "no key"), finished("error")]),
    ("an error on the way", [START, {"error": "x"}], [BEGUN, failed("server", "x"), finished("error")]),
    (
        "usage",
        [
            START,
            saying("a"),
            ending(
                "COMPLETE",
                usage={"billed_units": {"input_tokens": 1}, "tokens": {"input_tokens": 3, "output_tokens": 5}},
            ),
        ],
        [
            BEGUN,
            ("text_delta", 0, "a"),
            ("usage", 3, 5, {"billed_units": {"input_tokens": 1}, "tokens": {"input_tokens": 3, "output_tokens": 5}}),
            finished("stop", "COMPLETE"),
        ],
    ),
    (
        "usage as billed",
        [START, saying("a"), ending("COMPLETE", usage={"billed_units": {"input_tokens": 1, "output_tokens": 2}})],
        [
            BEGUN,
            ("text_delta", 0, "a"),
            ("usage", 1, 2, {"billed_units": {"input_tokens": 1, "output_tokens": 2}}),
            finished("stop", "COMPLETE"),
        ],
    ),
    (
        "citations and what is new",
        [START, event("citation-start", {"citations": {}}, 0), event("later"), ending("COMPLETE")],
        [
            BEGUN,
            ("unknown", event("citation-start", {"citations": {}}, 0), ""),
            ("unknown", event("later"), ""),
            finished("stop", "COMPLETE"),
        ],
    ),
    (
        "a whole body",
        [
            body(
                {"tool_plan": "p", "tool_calls": [ARGUMENTS]}, usage={"tokens": {"input_tokens": 3, "output_tokens": 5}}
            )
        ],
        [
            BEGUN,
            thought("p", "tool_plan"),
            *AT_ONCE[1:-1],
            ("usage", 3, 5, {"tokens": {"input_tokens": 3, "output_tokens": 5}}),
            CONFIRMED,
        ],
    ),
    (
        "a whole body of text",
        [body({"content": [{"type": "thinking", "thinking": "t"}, {"type": "text", "text": "a"}]}, "COMPLETE")],
        [BEGUN, thought("t", "thinking"), ("text_delta", 0, "a"), finished("stop", "COMPLETE")],
    ),
    (
        "a whole body whose call has no arguments",
        [body({"tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": None}}]})],
        [*STARTED, EMPTY, CONFIRMED],
    ),
]


class TestCases(WireCases):
    wire = WIRE
    cases = CASES
    told = ("an error as a body",)
    shown = staticmethod(plain)


def test_the_events_name_stands_in_for_the_type() -> None:
    items = [{key: each for key, each in item.items() if key != "type"} for item in [*CALL, ending()]]
    stream = Stream()
    events = [
        each
        for item, kind in zip(items, [*CALL, ending()], strict=True)
        for each in stream.receive_payload(item, event=kind["type"])
    ]
    assert plain(events + stream.end()) == CALLED


@pytest.mark.parametrize(
    ("payload", "event", "answer"),
    [
        *((payload, "", True) for payload in [*CALL, ending(), saying("a"), body({})]),
        ({}, "message-end", True),
        ({"type": "later"}, "", False),
        ({"message": "no key"}, "", False),
        ({"message": {}, "done": True}, "", False),
        ({"choices": [], "message": {}, "finish_reason": "x"}, "", False),
        ({"type": "message_start", "message": {}}, "message_start", False),
    ],
)
def test_recognises(payload: dict[str, Any], event: str, answer: bool) -> None:
    assert recognises(payload, event) is answer


@pytest.mark.parametrize(("raw", "reason"), [*FINISH.items(), ("complete", "stop"), ("ODD", "unknown")])
def test_finish_reasons(raw: str, reason: str) -> None:
    message = Message.of(run([*CALL, ending(raw)], WIRE))
    calls = reason in ("stop", "tool_calls")
    assert (message.finish, message.finish_raw) == ("tool_calls" if calls else reason, (raw,))
    assert bool(message.executable) is calls
    assert (message.error is not None) is (reason == "error")


def test_other_fields_of_a_call_are_kept() -> None:
    message = Message.of(run([START, start(later=1, gone=None), stop(), ending()], WIRE))
    assert [call.extra for call in message.calls] == [{"later": 1}]
