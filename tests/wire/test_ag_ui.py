from __future__ import annotations

from typing import Any

import pytest
from support import run
from support.wires import Case, Payload, WireCases, shown

from toolwire import Message
from toolwire.events import TextDelta, Unknown
from toolwire.wire.ag_ui import FINISH, recognises

WIRE = "ag-ui"


def event(kind: str, **fields: Any) -> Payload:
    return {"type": kind, **fields}


def said(*pieces: str, id: str = "m1", **more: Any) -> list[Payload]:
    return [
        event("TEXT_MESSAGE_START", messageId=id, **more),
        *(event("TEXT_MESSAGE_CONTENT", messageId=id, delta=each) for each in pieces),
        event("TEXT_MESSAGE_END", messageId=id),
    ]


def start(id: Any = "a", name: Any = "f", **more: Any) -> Payload:
    return event("TOOL_CALL_START", toolCallId=id, toolCallName=name, **more)


def args(delta: Any, id: str = "a") -> Payload:
    return event("TOOL_CALL_ARGS", toolCallId=id, delta=delta)


def stop(id: str = "a") -> Payload:
    return event("TOOL_CALL_END", toolCallId=id)


def answer(id: str = "a") -> Payload:
    return event("TOOL_CALL_RESULT", messageId="x", toolCallId=id, content="4")


def call_chunk(**fields: Any) -> Payload:
    return event("TOOL_CALL_CHUNK", **fields)


def text_chunk(**fields: Any) -> Payload:
    return event("TEXT_MESSAGE_CHUNK", **fields)


def finished(**fields: Any) -> Payload:
    return event("RUN_FINISHED", threadId="t", runId="r", **fields)


def seal(value: Any, id: str = "m1", subtype: str = "message") -> Payload:
    return event("REASONING_ENCRYPTED_VALUE", subtype=subtype, entityId=id, encryptedValue=value)


RUN = event("RUN_STARTED", threadId="t", runId="r", protocolVersion="1.0")
DONE = finished()
PENDING = {"type": "success", "pendingToolCallIds": ["a"]}

BEGUN = ("message", "r", None)
STOP = ("finish", "stop", [])
CALL = [start(), args('{"x":'), args("1}"), stop()]
STARTED = ("start", 0, "a", "f")
PIECES = [("delta", 0, '{"x":'), ("delta", 0, "1}")]
CALLED = [STARTED, *PIECES, ("end", 0, "complete", {"x": 1})]
ANSWERED = [(*STARTED, "server"), *CALLED[1:]]  # as it is in the end
CONFIRMED = ("finish", "tool_calls", ["a"])
REVOKED = ("reset", "calls", ["a"])
B = ("start", 1, "b", "g")
STEP = event("STEP_STARTED", stepName="s")

CASES: list[Case] = [
    ("text", [RUN, *said("a", "b"), DONE], [BEGUN, ("text", "a"), ("text", "b"), STOP]),
    ("nothing", [RUN, DONE], [BEGUN, STOP]),
    (
        "messages of others",
        [RUN, *said("a", id="u", role="user"), *said("b", role="assistant"), DONE],
        [BEGUN, *(("unknown", each) for each in said("a", id="u", role="user")), ("text", "b"), STOP],
    ),
    ("one call", [RUN, *CALL, DONE], [BEGUN, *CALLED, CONFIRMED]),
    ("a call without arguments", [RUN, start(), stop(), DONE], [BEGUN, STARTED, ("end", 0, "complete", {}), CONFIRMED]),
    (
        "calls that interleave",
        [RUN, start(), start("b", "g"), args('{"y":', "b"), *CALL[1:], args("1}", "b"), stop("b"), DONE],
        [
            *(BEGUN, STARTED, B, ("delta", 1, '{"y":'), *CALLED[1:], ("delta", 1, "1}")),
            *(("end", 1, "complete", {"y": 1}), ("finish", "tool_calls", ["a", "b"])),
        ],
    ),
    (
        "a start that comes again",
        [RUN, start(), args('{"x":'), start(), args("1}"), stop(), *CALL[:1], args('{"x":1}'), stop(), DONE],
        [BEGUN, *CALLED, CONFIRMED],
    ),
    (
        "a call that goes on behind its end",
        [RUN, *CALL, start(), args('{"y":2}'), stop(), DONE],
        [BEGUN, *CALLED[:-1], ("end", 0, "invalid", "reset"), REVOKED, ("finish", "tool_calls", [])],
    ),
    (
        "a malformed call",
        [RUN, start(), args("{x}"), stop(), DONE],
        [BEGUN, STARTED, ("delta", 0, "{x}"), ("end", 0, "invalid", "malformed"), ("finish", "tool_calls", [])],
    ),
    (
        "a call that ends in the middle",
        [RUN, *CALL[:2], stop(), DONE],
        [BEGUN, STARTED, PIECES[0], ("end", 0, "invalid", "truncated"), ("finish", "tool_calls", [])],
    ),
    (
        "arguments and an end of nothing",
        [RUN, args("{}"), stop(), DONE],
        [BEGUN, ("unknown", args("{}")), ("unknown", stop()), STOP],
    ),
    (
        "a call that the agent answers",
        [RUN, *CALL, answer(), DONE],
        [BEGUN, *ANSWERED, REVOKED, ("unknown", answer()), STOP],
    ),
    (
        "an answer before the end",
        [RUN, *CALL[:-1], answer(), stop(), DONE],
        [BEGUN, *ANSWERED[:-1], ("unknown", answer()), ANSWERED[-1], STOP],
    ),
    (
        "a call that waits for nobody",
        [RUN, *CALL, start("b", "g"), stop("b"), finished(outcome=PENDING)],
        [
            *(BEGUN, *CALLED, (*B, "server"), ("end", 1, "complete", {}), ("reset", "calls", ["b"])),
            ("finish", "tool_calls", "success", ["a"]),
        ],
    ),
    (
        "a call that is told as the agent's own",
        [RUN, start(metadata={"toolwire": {"kind": "mcp"}, "x": 1}), *CALL[1:], DONE],
        [BEGUN, (*STARTED, "mcp", {"metadata": {"toolwire": {"kind": "mcp"}, "x": 1}}), *CALLED[1:], STOP],
    ),
    (
        "a call in chunks",
        [RUN, call_chunk(toolCallId="a", toolCallName="f"), call_chunk(delta='{"x":'), call_chunk(delta="1}"), DONE],
        [BEGUN, *CALLED, CONFIRMED],
    ),
    (
        "chunks of two calls and a text",
        [
            RUN,
            call_chunk(toolCallId="a", toolCallName="f", delta='{"x":'),
            call_chunk(toolCallId="a", delta="1}"),
            call_chunk(toolCallId="b", toolCallName="g", delta='{"y":1}'),
            text_chunk(messageId="m1", delta="a"),
            text_chunk(delta="b"),
            call_chunk(delta="{}"),
            text_chunk(messageId="u", role="user", delta="c"),
            text_chunk(delta="d"),
            DONE,
        ],
        [
            *(BEGUN, *CALLED, B, ("delta", 1, '{"y":1}'), ("end", 1, "complete", {"y": 1})),
            *(("text", "a"), ("text", "b"), ("unknown", call_chunk(delta="{}"))),
            ("unknown", text_chunk(messageId="u", role="user", delta="c")),
            *(("unknown", text_chunk(delta="d")), ("finish", "tool_calls", ["a", "b"])),
        ],
    ),
    (
        "chunks of an agent and its subagent",
        [
            RUN,
            call_chunk(toolCallId="a", toolCallName="f", delta='{"x":'),
            call_chunk(toolCallId="b", toolCallName="g", subagentRunId="s", delta='{"y":'),
            event("STATE_DELTA", delta=[], subagentRunId="z"),
            event("RAW", event=1),
            call_chunk(delta="1}"),
            call_chunk(delta="1}", subagentRunId="s"),
            event("SUBAGENT_FINISHED", subagentRunId="s"),
            DONE,
        ],
        [
            *(BEGUN, STARTED, PIECES[0], B, ("delta", 1, '{"y":')),
            ("unknown", event("STATE_DELTA", delta=[], subagentRunId="z")),
            *(("unknown", event("RAW", event=1)), PIECES[1], ("delta", 1, "1}"), ("end", 1, "complete", {"y": 1})),
            ("unknown", event("SUBAGENT_FINISHED", subagentRunId="s")),
            *(CALLED[-1], ("finish", "tool_calls", ["a", "b"])),
        ],
    ),
    (
        "reasoning",
        [
            RUN,
            event("REASONING_START", messageId="m1"),
            event("REASONING_MESSAGE_START", messageId="m1", role="reasoning"),
            event("REASONING_MESSAGE_CONTENT", messageId="m1", delta="h"),
            event("REASONING_MESSAGE_END", messageId="m1"),
            event("REASONING_END", messageId="m1"),
            seal("s"),
            event("REASONING_MESSAGE_CHUNK", messageId="m2", delta="i"),
            seal("t", "m2"),
            DONE,
        ],
        [
            *(BEGUN, ("reasoning", "h", "reasoning"), ("reasoning", "", "reasoning", "s", None)),
            *(("reasoning", "i", "reasoning"), ("reasoning", "", "reasoning", "t", None), STOP),
        ],
    ),
    (
        "thinking, as it was called",
        [
            RUN,
            event("THINKING_START", title="x"),
            event("THINKING_TEXT_MESSAGE_START"),
            event("THINKING_TEXT_MESSAGE_CONTENT", delta="h"),
            event("THINKING_TEXT_MESSAGE_END"),
            event("THINKING_END"),
            DONE,
        ],
        [BEGUN, ("reasoning", "h", "thinking"), STOP],
    ),
    (
        "what seals a text, a call and nothing",
        [
            *(RUN, *said("a"), seal("s"), *CALL, seal("c", "a", "tool-call")),
            *(seal("z", "b", "tool-call"), seal("z", "b"), seal(""), DONE),
        ],
        [
            *(BEGUN, ("text", "a"), ("reasoning", "", "text", "s", None), *CALLED),
            *(("unknown", each) for each in (seal("z", "b", "tool-call"), seal("z", "b"), seal(""))),
            CONFIRMED,
        ],
    ),
    (
        "what has no meaning",
        [RUN, STEP, event("CUSTOM", name="n", value=1), event("LATER"), *said("a"), finished(result=1)],
        [
            *(BEGUN, ("unknown", STEP), ("unknown", event("CUSTOM", name="n", value=1)), ("unknown", event("LATER"))),
            *(("text", "a"), ("unknown", {"result": 1}), STOP),
        ],
    ),
    (
        "usage of two models",
        [
            RUN,
            *said("a"),
            finished(
                usage=[
                    {"model": "m", "inputTokens": 3, "outputTokens": 2},
                    {"inputTokens": 1, "reasoningTokens": 1, "outputTokens": None},
                ]
            ),
        ],
        [BEGUN, ("text", "a"), ("usage", 4, 2), STOP],
    ),
    (
        "an interrupt",
        [RUN, *CALL, finished(outcome={"type": "interrupt", "interrupts": [{"id": "i"}]})],
        [BEGUN, *CALLED, ("unknown", {"interrupts": [{"id": "i"}]}), ("finish", "pause", "interrupt", [])],
    ),
    (
        "a cancelled run",
        [RUN, *CALL[:2], finished(outcome={"type": "cancelled"})],
        [BEGUN, STARTED, PIECES[0], ("end", 0, "incomplete", "cut"), ("finish", "cancelled", "cancelled", [])],
    ),
    (
        "an error inside a call",
        [RUN, *CALL[:2], event("RUN_ERROR", message="busy", code="rate_limit", usage=[{"inputTokens": 1}])],
        [
            *(BEGUN, STARTED, PIECES[0], ("usage", 1, None), ("end", 0, "incomplete", "cut")),
            *(("error", "provider", "busy", "rate_limit"), ("finish", "error", [])),
        ],
    ),
    (
        "an error first",
        [event("RUN_ERROR", message="no")],
        [("error", "provider", "no", None), ("finish", "error", [])],
    ),
    (
        "bytes that end inside a call",
        [RUN, *CALL[:2]],
        [BEGUN, STARTED, PIECES[0], ("end", 0, "incomplete", "cut"), ("finish", "incomplete", [])],
    ),
    (
        "bytes that end behind a call",
        [RUN, *CALL],
        [BEGUN, *CALLED, ("finish", "incomplete", [])],
    ),
    (
        "another run behind the first",
        [RUN, *said("a"), DONE, RUN, *said("b"), DONE],
        [BEGUN, ("text", "a"), STOP],
    ),
]


class TestCases(WireCases):
    wire = WIRE
    cases = CASES
    members = ("type", "messageId", "toolCallId", "toolCallName", "delta", "role", "outcome", "usage", "metadata")
    words = ("tool-call", "assistant", "user", "cancelled", "RUN_FINISHED", "TOOL_CALL_CHUNK")
    mutations = 400

    @staticmethod
    def shown(events: Any) -> list[Any]:
        return shown(events, hidden=("encryptedValue",))


@pytest.mark.parametrize(
    ("payload", "answer"),
    [
        *((payload, True) for payload in [RUN, DONE, *CALL, *said("a"), STEP, call_chunk(), seal("s")]),
        (event("REASONING_START"), True),
        (event("MESSAGES_SNAPSHOT"), True),
        (event("CUSTOM"), False),
        (event("RAW"), False),
        (event("text-start"), False),
        (event("message_start"), False),
        ({"type": ["RUN_STARTED"]}, False),
        ({}, False),
    ],
)
def test_recognises(payload: Payload, answer: bool) -> None:
    assert recognises(payload, "") is answer


def test_the_events_name_says_nothing() -> None:
    assert recognises({}, "RUN_STARTED") is False
    assert shown(run([("x", RUN), ("", DONE)], WIRE)) == [BEGUN, STOP]


@pytest.mark.parametrize(("raw", "reason"), [*FINISH.items(), ("odd", "unknown")])
def test_outcomes(raw: str, reason: str) -> None:
    message = Message.of(run([RUN, *CALL, finished(outcome={"type": raw})], WIRE))
    assert (message.finish, message.finish_raw) == ("tool_calls" if reason == "stop" else reason, (raw,))
    assert bool(message.executable) is (reason == "stop")


@pytest.mark.parametrize("reason", ["length", "content_filter", "pause", "unknown", "tool_calls"])
def test_reasons_in_the_metadata(reason: str) -> None:
    end = finished(outcome={"type": "success"}, metadata={"toolwire": {"finish": reason}})
    message = Message.of(run([RUN, *CALL, end], WIRE))
    assert (message.finish, message.finish_raw) == (reason, (reason,))
    assert bool(message.executable) is (reason == "tool_calls")


@pytest.mark.parametrize("reason", ["cancelled", "error", "odd", None])
def test_other_reasons_there_say_nothing(reason: Any) -> None:
    message = Message.of(run([RUN, *CALL, finished(metadata={"toolwire": {"finish": reason}})], WIRE))
    assert (message.finish, message.finish_raw) == ("tool_calls", ())


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("rate_limit", "rate_limit"),
        ("overloaded", "overloaded"),
        ("auth", "auth"),
        ("context_length", "context_length"),
        ("length", "limit"),
        ("incomplete", "connection"),
        ("truncated_call", "protocol"),
        ("call_rejected", "aborted"),
        ("cancelled", "aborted"),
        ("odd", "server"),
        (None, "server"),
    ],
)
def test_errors(code: Any, kind: str) -> None:
    error = Message.of(run([RUN, event("RUN_ERROR", message="m", code=code)], WIRE)).error
    assert error is not None
    assert (error.kind, error.message, error.code, error.wire) == (kind, "m", code, WIRE)
    assert error.raw == event("RUN_ERROR", message="m", code=code)


def test_what_seals_a_call_is_kept_with_it() -> None:
    message = Message.of(run([RUN, *CALL, seal("c", "a", "tool-call"), DONE], WIRE))
    assert [call.extra for call in message.calls] == [{"encryptedValue": "c"}]


def test_what_the_agent_runs_is_not_the_clients() -> None:
    message = Message.of(run([RUN, *CALL, start("b", "g"), args('{"y":1}', "b"), stop("b"), answer(), DONE], WIRE))
    assert [call.kind for call in message.calls] == ["server", "function"]
    assert [call.id for call in message.executable] == ["b"]
    assert message.unknown == [answer()]


def test_a_call_without_a_name() -> None:
    events = run([RUN, start(name=None), args("{}"), stop(), DONE], WIRE)
    error = Message.of(events).error
    assert error is not None
    assert error.kind == "protocol"
    named = run([RUN, start(name=None), start(), args('{"x":1}'), stop(), DONE], WIRE)
    assert shown(named)[-1] == CONFIRMED


def test_a_call_without_an_id() -> None:
    payload = start(None)
    assert Unknown(payload) in run([RUN, payload, DONE], WIRE)


def test_texts_know_their_message() -> None:
    events = run([RUN, *said("a", "b"), *said("c", id="m2"), *said("d"), DONE], WIRE)
    assert [(each.text, each.extra) for each in events if isinstance(each, TextDelta)] == [
        ("a", {"id": "m1"}),
        ("b", None),
        ("c", {"id": "m2"}),
        ("d", None),
    ]
    assert [part.text for part in Message.of(events).choices[0].parts if hasattr(part, "text")] == ["ab", "cd"]
