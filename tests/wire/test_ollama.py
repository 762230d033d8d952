from __future__ import annotations

from typing import Any

import pytest
from support import plain, run
from support.wires import LINES, Case, WireCases

from toolwire import Message
from toolwire.wire.ollama import FINISH, recognises

WIRE = "ollama"


def line(message: Any = None, **fields: Any) -> dict[str, Any]:
    return {"model": "m", "message": {"role": "assistant", "content": ""} | (message or {}), "done": False} | fields


def call(name: Any = "f", arguments: Any = None, **fields: Any) -> dict[str, Any]:
    function = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
    return {"function": function} | fields


def calling(*calls: Any, **fields: Any) -> dict[str, Any]:
    return line({"tool_calls": list(calls)}, **fields)


def last(reason: Any = "stop", **fields: Any) -> dict[str, Any]:
    return line(done=True, done_reason=reason, **fields)


BEGUN = ("message_start", None, "m")
STARTED = [BEGUN, ("tool_call_start", (0, 0), "f", "function", None)]
WHOLE = ("tool_call_delta", (0, 0), '{"a":1}')
ENDED = ("tool_call_end", (0, 0), "complete", '{"a":1}', {"a": 1}, None)
CONFIRMED = ("finish", 0, "tool_calls", ((0, 0),), ("stop",))
CALLED = [*STARTED, WHOLE, ENDED, CONFIRMED]
STOPPED = ("finish", 0, "stop", (), ("stop",))
ONE = call("f", {"a": 1})


def second(vendor_id: str | None) -> list[Any]:
    return [
        ("tool_call_start", (0, 1), "f", "function", vendor_id),
        ("tool_call_delta", (0, 1), '{"b":2}'),
        ("tool_call_end", (0, 1), "complete", '{"b":2}', {"b": 2}, None),
        ("finish", 0, "tool_calls", ((0, 0), (0, 1)), ("stop",)),
    ]


def failed(kind: str, message: str, code: Any = None) -> tuple[Any, ...]:
    return ("stream_error", kind, code, message, None)


CASES: list[Case] = [
    (
        "text",
        [line({"content": "a"}), line({"content": "b"}), last()],
        [BEGUN, ("text_delta", 0, "a"), ("text_delta", 0, "b"), STOPPED],
    ),
    (
        "thinking",
        [line({"thinking": "t"}), line({"content": "a"}), last()],
        [BEGUN, ("reasoning_delta", 0, "t", "thinking", None, None), ("text_delta", 0, "a"), STOPPED],
    ),
    ("a call", [calling(ONE), last()], CALLED),
    ("a call on the last line", [calling(ONE, done=True, done_reason="stop")], CALLED),
    ("two calls in one line", [calling(ONE, call("f", {"b": 2})), last()], [*CALLED[:-1], *second(None)]),
    (
        "two calls in two lines, the first without an index and the second with 1",
        [calling(ONE), calling({"function": {"name": "f", "arguments": {"b": 2}, "index": 1}}), last()],
        [*CALLED[:-1], *second(None)],
    ),
    (
        "one index for all, and one id",
        [
            calling({"id": "c1", "function": {"name": "f", "arguments": {"a": 1}, "index": 0}}),
            calling({"id": "c1", "function": {"name": "f", "arguments": {"b": 2}, "index": 0}}),
            last(),
        ],
        [BEGUN, ("tool_call_start", (0, 0), "f", "function", "c1"), *CALLED[2:-1], *second("c1")],
    ),
    *(
        (
            f"arguments that say nothing: {arguments!r}",
            [calling({"function": {"name": "f", "arguments": arguments}}), last()],
            [*STARTED, ("tool_call_end", (0, 0), "complete", "", {}, None), CONFIRMED],
        )
        for arguments in (None, "")
    ),
    (
        "no arguments at all",
        [calling(call()), last()],
        [*STARTED, ("tool_call_end", (0, 0), "complete", "", {}, None), CONFIRMED],
    ),
    (
        "an empty object",
        [calling(call("f", {})), last()],
        [
            *STARTED,
            ("tool_call_delta", (0, 0), "{}"),
            ("tool_call_end", (0, 0), "complete", "{}", {}, None),
            CONFIRMED,
        ],
    ),
    ("arguments as JSON text", [calling(call("f", '{"a":1}')), last()], CALLED),
    (
        "arguments that are no object",
        [calling(call("f", [1])), last()],
        [
            *STARTED,
            ("tool_call_delta", (0, 0), "[1]"),
            ("tool_call_end", (0, 0), "invalid", "[1]", None, ("not_an_object", 0)),
            ("finish", 0, "tool_calls", (), ("stop",)),
        ],
    ),
    (
        "no arguments in a turn that was cut",
        [calling(call()), last("length")],
        [
            *STARTED,
            ("tool_call_end", (0, 0), "incomplete", "", None, ("cut", 0)),
            ("finish", 0, "length", (), ("length",)),
        ],
    ),
    (
        "a whole call in a turn that was cut",
        [calling(ONE), last("length")],
        [*CALLED[:-1], ("finish", 0, "length", (), ("length",))],
    ),
    ("a reason that nobody knows", [calling(ONE), last("odd")], [*CALLED[:-1], ("finish", 0, "unknown", (), ("odd",))]),
    ("no reason", [calling(ONE), line(done=True)], [*CALLED[:-1], ("finish", 0, "tool_calls", ((0, 0),), ())]),
    ("no last line", [calling(ONE)], [*CALLED[:-1], ("finish", 0, "incomplete", (), ())]),
    (
        "usage",
        [line({"content": "a"}), last(prompt_eval_count=3, eval_count=5, total_duration=9)],
        [
            BEGUN,
            ("text_delta", 0, "a"),
            ("usage", 3, 5, {"prompt_eval_count": 3, "eval_count": 5, "total_duration": 9}),
            STOPPED,
        ],
    ),
    (
        "lines after the last",
        [line({"content": "a"}), last(), line({"content": "b"})],
        [BEGUN, ("text_delta", 0, "a"), STOPPED],
    ),
    ("an error and nothing else", [{"error": "busy"}], [failed("server", "busy"), ("finish", 0, "error", (), ())]),
    (
        "an error on the way",
        [calling(ONE), {"error": {"message": "slow down", "code": 429}}],
        [*CALLED[:-1], failed("rate_limit", "slow down", "429"), ("finish", 0, "error", (), ())],
    ),
    (
        "what has no meaning here",
        [line({"images": ["i"]}), calling(5), {"later": 1}, last()],
        [BEGUN, ("unknown", {"images": ["i"]}, ""), ("unknown", 5, ""), ("unknown", {"later": 1}, ""), STOPPED],
    ),
    (
        "a name that never comes",
        [calling(call(None, {"a": 1})), last()],
        [
            BEGUN,
            (
                "stream_error",
                "protocol",
                None,
                "call 0 of choice 0 never got a name (id None, 7 characters of arguments)",
                (0, 0),
            ),
            ("finish", 0, "error", (), ("stop",)),
        ],
    ),
]


class TestCases(WireCases):
    wire = WIRE
    cases = CASES
    nobodys = ("an error and nothing else",)
    bodies = LINES
    shown = staticmethod(plain)


@pytest.mark.parametrize(
    ("payload", "answer"),
    [
        (line(), True),
        (last(), True),
        ({"message": {}, "done": True}, True),
        ({"message": {}}, False),
        ({"message": "x", "done": True}, False),
        ({"message": {}, "done": None}, False),
        ({"error": "x"}, False),
        ({"message": {"content": []}, "finish_reason": "COMPLETE"}, False),
    ],
)
def test_recognises(payload: dict[str, Any], answer: bool) -> None:
    assert recognises(payload, "") is answer


@pytest.mark.parametrize(("raw", "reason"), [*((raw, reason) for raw, reason in FINISH.items()), ("STOP", "stop")])
def test_finish_reasons(raw: str, reason: str) -> None:
    message = Message.of(run([line({"content": "a"}), last(raw)], WIRE))
    assert (message.finish, message.finish_raw) == ("stop" if reason == "tool_calls" else reason, (raw,))


def test_other_fields_of_a_call_are_kept() -> None:
    entry = {"id": "c1", "type": "function", "x": 1, "function": {"name": "f", "arguments": {}, "index": 3, "y": 2}}
    message = Message.of(run([calling(entry), last()], WIRE))
    assert [(each.id, each.extra, each.encoded) for each in message.calls] == [("c1", {"x": 1, "y": 2}, True)]
