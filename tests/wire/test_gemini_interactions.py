from __future__ import annotations

from typing import Any

import pytest
from support import plain, run
from support.wires import Case, WireCases

from toolwire import Message, Stream
from toolwire.wire.gemini_interactions import FINISH, recognises

WIRE = "gemini-interactions"


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"event_type": kind} | fields


def step(index: Any, kind: str, **fields: Any) -> dict[str, Any]:
    return event("step.start", index=index, step={"type": kind} | fields)


def delta(index: Any, kind: str, **fields: Any) -> dict[str, Any]:
    return event("step.delta", index=index, delta={"type": kind} | fields)


def stop(index: Any) -> dict[str, Any]:
    return event("step.stop", index=index)


def start(index: Any = 0, id: Any = "c1", name: Any = "f", arguments: Any = None, **fields: Any) -> dict[str, Any]:
    return step(index, "function_call", id=id, name=name, arguments={} if arguments is None else arguments, **fields)


def more(arguments: Any, index: Any = 0) -> dict[str, Any]:
    return delta(index, "arguments_delta", arguments=arguments)


def interaction(status: Any, **fields: Any) -> dict[str, Any]:
    return {"id": "v1", "model": "m", "object": "interaction", "status": status} | fields


def completed(status: Any = "requires_action", **fields: Any) -> dict[str, Any]:
    return event("interaction.completed", interaction=interaction(status, **fields))


def updated(status: Any, **fields: Any) -> dict[str, Any]:
    return event("interaction.status_update", interaction_id="v1", status=status, **fields)


def said(text: str) -> dict[str, Any]:
    return {"type": "model_output", "content": [{"type": "text", "text": text}]}


def called(arguments: Any, id: Any = "c1") -> dict[str, Any]:
    return {"type": "function_call", "id": id, "name": "f", "arguments": arguments}


CREATED = event("interaction.created", interaction=interaction("in_progress"))
DONE = "[DONE]"
QUOTA = {"message": "no more", "code": "rate_limit_exceeded"}
RESULT = {"type": "function_result", "call_id": "c1", "result": "r"}

BEGUN = ("message_start", "v1", "m")
STARTED = [BEGUN, ("tool_call_start", (0, 0), "f", "function", "c1")]
ENDED = ("tool_call_end", (0, 0), "complete", '{"a":1}', {"a": 1}, None)
EMPTY = ("tool_call_end", (0, 0), "complete", "", {}, None)
VOID = ("tool_call_end", (0, 0), "invalid", '{"a":1}', None, ("reset", 7))  # as it is in the end
CONFIRMED = ("finish", 0, "tool_calls", ((0, 0),), ("requires_action",))
STOPPED = ("finish", 0, "stop", (), ("completed",))
CALL = [CREATED, updated("in_progress"), start(), more('{"a":'), more("1}"), stop(0)]
CALLED = [*STARTED, ("tool_call_delta", (0, 0), '{"a":'), ("tool_call_delta", (0, 0), "1}"), ENDED, CONFIRMED]
AT_ONCE = [*STARTED, ("tool_call_delta", (0, 0), '{"a":1}'), ENDED, CONFIRMED]


def thought(text: str, signature: str | None = None) -> tuple[Any, ...]:
    return ("reasoning_delta", 0, text, "thought", signature, None)


def failed(kind: str, message: str, code: Any = None) -> tuple[Any, ...]:
    return ("stream_error", kind, code, message, None)


def finished(reason: str, *raw: str) -> tuple[Any, ...]:
    return ("finish", 0, reason, (), raw)


CASES: list[Case] = [
    (
        "text",
        [
            CREATED,
            step(0, "model_output"),
            delta(0, "text", text="a"),
            delta(0, "text", text="b"),
            stop(0),
            completed("completed"),
            event("done"),
        ],
        [BEGUN, ("text_delta", 0, "a"), ("text_delta", 0, "b"), STOPPED],
    ),
    (
        "a thought and its signature",
        [
            CREATED,
            step(0, "thought"),
            delta(0, "thought_summary", content={"type": "text", "text": "t"}),
            delta(0, "thought_signature", signature="s"),
            stop(0),
            completed("completed"),
        ],
        [BEGUN, thought("t"), thought("", "s"), STOPPED],
    ),
    (
        "a thought and a text that are whole in their starts",
        [
            CREATED,
            step(0, "thought", summary=[{"type": "text", "text": "t"}], signature="s"),
            event("step.start", index=1, step=said("a")),
            completed("completed"),
        ],
        [BEGUN, thought("t"), thought("", "s"), ("text_delta", 0, "a"), STOPPED],
    ),
    ("a call", [*CALL, completed(), DONE], CALLED),
    ("a call in one delta", [CREATED, start(), more('{"a":1}'), stop(0), completed()], AT_ONCE),
    ("a call without an index", [CREATED, start(None), more('{"a":1}', None), stop(None), completed()], AT_ONCE),
    ("arguments that are whole in the start", [CREATED, start(arguments={"a": 1}), stop(0), completed()], AT_ONCE),
    ("an object in a delta", [CREATED, start(), more({"a": 1}), stop(0), completed()], AT_ONCE),
    (
        "a delta wins over the start",
        [CREATED, start(arguments={"z": 0}), more('{"a":1}'), stop(0), completed()],
        AT_ONCE,
    ),
    ("a start twice", [CREATED, start(), *CALL[2:], completed()], CALLED),
    ("no stop", [*CALL[:-1], completed()], CALLED),
    ("no stop, whole in the start", [CREATED, start(arguments={"a": 1}), completed()], AT_ONCE),
    (
        "a call that is one delta, and no start",
        [CREATED, delta(0, "function_call", id="c1", name="f", arguments={"a": 1}), stop(0), completed()],
        AT_ONCE,
    ),
    (
        "the same tool twice",
        [*CALL, start(1, "c2"), more('{"b":2}', 1), stop(1), completed()],
        [
            *CALLED[:-1],
            ("tool_call_start", (0, 1), "f", "function", "c2"),
            ("tool_call_delta", (0, 1), '{"b":2}'),
            ("tool_call_end", (0, 1), "complete", '{"b":2}', {"b": 2}, None),
            ("finish", 0, "tool_calls", ((0, 0), (0, 1)), ("requires_action",)),
        ],
    ),
    ("no arguments", [CREATED, start(), stop(0), completed()], [*STARTED, EMPTY, CONFIRMED]),
    (
        "cut in the arguments",
        [*CALL[:-2], completed("incomplete")],
        [
            *CALLED[:3],
            ("tool_call_end", (0, 0), "incomplete", '{"a":', None, ("cut", 5)),
            finished("length", "incomplete"),
        ],
    ),
    ("the last status in an update, and no more", [*CALL, updated("requires_action")], CALLED),
    ("the last status twice", [*CALL, updated("requires_action"), completed()], CALLED),
    ("nothing that ends it", CALL, [*CALLED[:-1], finished("incomplete")]),
    ("done alone ends it", [*CALL, DONE], [*CALLED[:-1], ("finish", 0, "tool_calls", ((0, 0),), ())]),
    (
        "completed, and still in progress",
        [*CALL, completed("in_progress")],
        [*CALLED[:-1], finished("incomplete", "in_progress")],
    ),
    ("cancelled", [*CALL, completed("cancelled")], [*CALLED[:-1], finished("cancelled", "cancelled")]),
    (
        "failed",
        [*CALL, completed("failed")],
        [*CALLED[:-1], failed("server", "", "failed"), finished("error", "failed")],
    ),
    (
        "failed, and why comes later",
        [*CALL, updated("failed"), event("error", error=QUOTA)],
        [*CALLED[:-1], failed("rate_limit", "no more", "rate_limit_exceeded"), finished("error", "failed")],
    ),
    (
        "failed, and why never comes",
        [*CALL, updated("failed")],
        [*CALLED[:-1], failed("server", "", "failed"), finished("error", "failed")],
    ),
    (
        "failed, and why is in the interaction",
        [*CALL, completed("failed", errors=[QUOTA])],
        [*CALLED[:-1], failed("rate_limit", "no more", "rate_limit_exceeded"), finished("error", "failed")],
    ),
    (
        "an error",
        [CREATED, event("error", error=QUOTA)],
        [BEGUN, failed("rate_limit", "no more", "rate_limit_exceeded"), finished("error")],
    ),
    ("an error that says nothing", [CREATED, event("error")], [BEGUN, failed("server", ""), finished("error")]),
    (
        "usage, the last counts",
        [
            CREATED,
            updated("in_progress", usage={"total_input_tokens": 3}),
            completed("completed", usage={"total_output_tokens": 5}),
        ],
        [
            BEGUN,
            ("usage", 3, None, {"total_input_tokens": 3}),
            ("usage", 3, 5, {"total_input_tokens": 3, "total_output_tokens": 5}),
            STOPPED,
        ],
    ),
    (
        "the provider's own doings are passed on",
        [
            CREATED,
            step(0, "google_search_call"),
            delta(0, "google_search_call", arguments={"q": 1}),
            stop(0),
            event("later"),
            completed("completed"),
        ],
        [
            BEGUN,
            ("unknown", step(0, "google_search_call"), ""),
            ("unknown", delta(0, "google_search_call", arguments={"q": 1}), ""),
            ("unknown", event("later"), ""),
            STOPPED,
        ],
    ),
    (
        "a call that the provider runs",
        [
            CREATED,
            step(0, "mcp_server_tool_call", id="c1", name="f", server_name="s", arguments={"a": 1}),
            stop(0),
            completed("completed"),
        ],
        [BEGUN, ("tool_call_start", (0, 0), "f", "mcp", "c1"), *AT_ONCE[2:-1], STOPPED],
    ),
    (
        "arguments for a step that is no call",
        [CREATED, step(0, "thought"), more("{}"), completed("completed")],
        [BEGUN, ("unknown", more("{}"), ""), STOPPED],
    ),
    ("a copy of the steps that agrees", [*CALL, completed(steps=[said("x"), called({"a": 1})])], CALLED),
    (
        "a copy of a call that does not agree",
        [*CALL, completed(steps=[called({"a": 2})])],
        [*CALLED[:-2], VOID, ("reset", "calls", ((0, 0),)), finished("tool_calls", "requires_action")],
    ),
    ("steps that were not streamed", [CREATED, completed(steps=[called({"a": 1})])], AT_ONCE),
    (
        "a whole interaction",
        [interaction("requires_action", steps=[{"type": "thought", "signature": "s"}, said("a"), called({"a": 1})])],
        [BEGUN, thought("", "s"), ("text_delta", 0, "a"), *AT_ONCE[1:]],
    ),
    (
        "a whole interaction with outputs",
        [interaction("requires_action", outputs=[{"type": "text", "text": "a"}, called({})])],
        [
            BEGUN,
            ("text_delta", 0, "a"),
            STARTED[1],
            ("tool_call_delta", (0, 0), "{}"),
            ("tool_call_end", (0, 0), "complete", "{}", {}, None),
            CONFIRMED,
        ],
    ),
    (
        "a call that has its result",
        [interaction("completed", steps=[called({"a": 1}), RESULT, said("a")])],
        [
            BEGUN,
            ("tool_call_start", (0, 0), "f", "server", "c1"),
            *AT_ONCE[2:-1],
            ("reset", "calls", ((0, 0),)),
            ("unknown", RESULT, ""),
            ("text_delta", 0, "a"),
            STOPPED,
        ],
    ),
    ("an interaction that goes on", [interaction("queued")], [BEGUN, finished("incomplete", "queued")]),
]


class TestCases(WireCases):
    wire = WIRE
    cases = CASES
    shown = staticmethod(plain)


def test_the_events_name_stands_in_for_the_type() -> None:
    stream = Stream()
    events = []
    for item in [*CALL, completed()]:
        payload = {key: each for key, each in item.items() if key != "event_type"}
        events += stream.receive_payload(payload, event=item["event_type"])
    assert plain(events + stream.end()) == CALLED


@pytest.mark.parametrize(
    ("payload", "event", "answer"),
    [
        *((payload, "", True) for payload in [*CALL, completed(), event("error"), interaction("completed")]),
        ({"status": "completed", "steps": []}, "", True),
        ({"status": "completed", "outputs": []}, "", True),
        ({}, "step.stop", True),
        ({"status": "completed"}, "", False),
        ({"error": {}}, "error", False),
        ({"event_type": "text-generation"}, "", False),
        ({"object": "response", "status": "completed"}, "", False),
    ],
)
def test_recognises(payload: dict[str, Any], event: str, answer: bool) -> None:
    assert recognises(payload, event) is answer


@pytest.mark.parametrize(("raw", "reason"), [*FINISH.items(), ("ODD", "unknown")])
def test_finish_reasons(raw: str, reason: str) -> None:
    message = Message.of(run([*CALL, completed(raw)], WIRE))
    calls = reason in ("stop", "tool_calls")
    assert (message.finish, message.finish_raw) == ("tool_calls" if calls else reason, (raw,))
    assert bool(message.executable) is calls
    assert (message.error is not None) is (reason == "error")


def test_other_fields_of_a_call_are_kept() -> None:
    message = Message.of(run([CREATED, start(signature="s", gone=None), stop(0), completed()], WIRE))
    assert [call.extra for call in message.calls] == [{"signature": "s"}]
