from __future__ import annotations

import json
from functools import partial
from typing import Any, ClassVar

import pytest
from hypothesis import strategies as st
from support import aws_frame, run, wires
from support.wires import Case, Payload, WireCases

from toolwire.events import (
    Event,
    Finish,
    ToolCallStart,
)
from toolwire.wire.bedrock_converse import EVENTS, FINISH, recognises

# --- what Bedrock sends ----------------------------------------------------------------------------------------


def start(index: Any, **what: Any) -> Payload:
    return {"contentBlockStart": {"contentBlockIndex": index, "start": what}}


def tool(index: Any, id: Any = "t1", name: Any = "f", **fields: Any) -> Payload:
    return start(index, toolUse={"toolUseId": id, "name": name} | fields)


def delta(index: Any, **what: Any) -> Payload:
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": what}}


def arguments(index: Any, given: Any) -> Payload:
    return delta(index, toolUse={"input": given})


def stop(index: Any) -> Payload:
    return {"contentBlockStop": {"contentBlockIndex": index}}


def ending(reason: Any, **fields: Any) -> Payload:
    return {"messageStop": {"stopReason": reason} | fields}


BEGIN: Payload = {"messageStart": {"role": "assistant"}}
CALLS = ending("tool_use")
USED: Payload = {"metadata": {"usage": {"inputTokens": 3, "outputTokens": 4}, "metrics": {"latencyMs": 5}}}
BODY: Payload = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
                {"text": "a"},
                {"citationsContent": {"content": [{"text": "b"}], "citations": []}},
                {"toolUse": {"toolUseId": "t1", "name": "f", "input": {"a": 1}}},
                {"toolUse": {"toolUseId": "t2", "name": "g", "input": {}}},
                {"later": 1},
                "odd",
            ],
        }
    },
    "stopReason": "tool_use",
    "usage": {"inputTokens": 3, "outputTokens": 4},
}
TRACED: Payload = {"metadata": {"usage": {}, "trace": {"guardrail": {}}}}
RESULT = start(1, toolResult={"toolUseId": "t1", "type": "nova_grounding_result"})
RESULTS = delta(1, toolResult=[{"text": "x"}])
CITED = delta(2, citation={"location": {}})

# --- what it comes to ------------------------------------------------------------------------------------------


shown = partial(wires.shown, kinds=True)

BEGUN = ("message", None, None)
STARTED: list[Any] = [BEGUN, ("start", 0, "t1", "f")]
WHOLE: list[Any] = [("delta", 0, '{"a":1}'), ("end", 0, "complete", {"a": 1})]
CONFIRMED = ("finish", "tool_calls", "tool_use", ["t1"])
CALLED = [*STARTED, *WHOLE, CONFIRMED]
BLOCK = [tool(0), arguments(0, '{"a":1}'), stop(0)]
SAID = [BEGUN, ("text", "a"), ("finish", "stop", "end_turn", [])]

CASES: list[Case] = [
    (
        "text, then a call in pieces, usage at last",
        [
            BEGIN,
            delta(0, text="Hé"),
            delta(0, text=""),
            delta(0, text="llo"),
            stop(0),
            tool(1),
            arguments(1, ""),
            arguments(1, '{"a":'),
            arguments(1, "1}"),
            stop(1),
            CALLS,
            USED,
        ],
        [
            BEGUN,
            ("text", "Hé"),
            ("text", "llo"),
            ("start", 0, "t1", "f"),
            ("delta", 0, '{"a":'),
            ("delta", 0, "1}"),
            ("end", 0, "complete", {"a": 1}),
            ("usage", 3, 4),
            CONFIRMED,
        ],
    ),
    ("no start of the message", [*BLOCK, CALLS], CALLED),
    ("no stop of the block", [*BLOCK[:-1], CALLS], CALLED),
    (
        "usage before the stop (trimmed recordings)",
        [*BLOCK, USED, CALLS],
        [*CALLED[:-1], ("usage", 3, 4), CONFIRMED],
    ),
    (
        "calls side by side",
        [tool(1), tool(4, "t2", "g"), arguments(4, '{"b":'), arguments(1, '{"a":1}'), arguments(4, "2}"), CALLS],
        [
            *STARTED,
            ("start", 1, "t2", "g"),
            ("delta", 1, '{"b":'),
            WHOLE[0],
            ("delta", 1, "2}"),
            WHOLE[1],
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "tool_use", ["t1", "t2"]),
        ],
    ),
    (
        "no arguments, and nothing but an empty text",
        [tool(0), arguments(0, ""), stop(0), CALLS],
        [*STARTED, ("end", 0, "complete", {}), CONFIRMED],
    ),
    (
        "cut by max_tokens: the stop of the block comes first",
        [tool(0), arguments(0, '{"a":"x'), stop(0), ending("max_tokens")],
        [*STARTED, ("delta", 0, '{"a":"x'), ("end", 0, "incomplete", "cut"), ("finish", "length", "max_tokens", [])],
    ),
    (
        "the end of bytes without a reason",
        BLOCK,
        [*CALLED[:-1], ("finish", "incomplete", [])],
    ),
    (
        "a tool that AWS runs, its results and citations",
        [tool(0, type="server_tool_use"), *BLOCK[1:], RESULT, RESULTS, stop(1), CITED, ending("end_turn")],
        [
            BEGUN,
            ("start", 0, "t1", "f", "server"),
            *WHOLE,
            ("unknown", RESULT["contentBlockStart"], "contentBlockStart"),
            ("unknown", RESULTS["contentBlockDelta"], "contentBlockDelta"),
            ("unknown", CITED["contentBlockDelta"], "contentBlockDelta"),
            ("finish", "stop", "end_turn", []),
        ],
    ),
    (
        "reasoning, its signature and what is redacted",
        [
            delta(0, reasoningContent={"text": "hm"}),
            delta(0, reasoningContent={"signature": "s"}),
            delta(1, reasoningContent={"redactedContent": "eA=="}),
            ending("end_turn"),
        ],
        [
            BEGUN,
            ("reasoning", "hm", "reasoningContent"),
            ("reasoning", "", "reasoningContent", "s", None),
            ("reasoning", "", "redactedContent", None, {"redactedContent": "eA=="}),
            ("finish", "stop", "end_turn", []),
        ],
    ),
    (
        "a start that says nothing (edited recordings)",
        [start(0), delta(0, text="a"), ending("end_turn")],
        SAID,
    ),
    (
        "the same start again",
        [tool(0), tool(0), *BLOCK[1:], CALLS],
        CALLED,
    ),
    (
        "another start on an open block",
        [*BLOCK[:-1], tool(0, "t2", "g"), arguments(0, '{"b":2}'), CALLS],
        [
            *STARTED,
            WHOLE[0],
            ("start", 1, "t2", "g"),
            ("delta", 1, '{"b":2}'),
            WHOLE[1],
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "tool_use", ["t1", "t2"]),
        ],
    ),
    *(
        (f"no index: {index!r}", [tool(index), arguments(index, '{"a":1}'), stop(index), CALLS], CALLED)
        for index in (None, True, [], "b", -1, 2.0)
    ),
    ("an index that names no block", [tool(0), arguments(7, '{"a":1}'), CALLS], CALLED),
    *(
        (
            f"no id: {none!r}",
            [tool(0, none), *BLOCK[1:], CALLS],
            [BEGUN, ("start", 0, "*0", "f"), *WHOLE, (*CONFIRMED[:-1], ["*0"])],
        )
        for none in (None, "", "null", [])
    ),
    (
        "an object for the input",
        [tool(0, input={}), arguments(0, {"a": 1}), stop(0), CALLS],
        [*STARTED, ("value", 0, '{"a":1}'), WHOLE[1], CONFIRMED],
    ),
    (
        "input for no tool",
        [arguments(0, "{}"), delta(1, text="a"), ending("end_turn")],
        [("unknown", arguments(0, "{}")["contentBlockDelta"], "contentBlockDelta"), *SAID],
    ),
    (
        "the message begins anew",
        [BEGIN, BEGIN, *BLOCK, BEGIN, delta(0, text="a"), ending("end_turn")],
        [*STARTED, WHOLE[0], ("end", 0, "incomplete", "reset"), ("reset", "turn", ["t1"]), *SAID],
    ),
    (
        "an exception: a union's member",
        [*BLOCK[:1], {"throttlingException": {"message": "slow"}}],
        [
            *STARTED,
            ("end", 0, "incomplete", "cut"),
            ("error", "rate_limit", "slow", "throttlingException"),
            ("finish", "error", []),
        ],
    ),
    *(
        (
            f"an exception: {name}",
            [{name: {"message": "m", "originalStatusCode": 424}}],
            [("error", kind, "m", name), ("finish", "error", [])],
        )
        for name, kind in (
            ("internalServerException", "server"),
            ("modelStreamErrorException", "server"),
            ("modelTimeoutException", "timeout"),
            ("serviceUnavailableException", "overloaded"),
            ("validationException", "invalid_request"),
        )
    ),
    (
        "usage after an exception",
        [delta(0, text="a"), {"throttlingException": {"message": "slow"}}, USED],
        [
            BEGUN,
            ("text", "a"),
            ("error", "rate_limit", "slow", "throttlingException"),
            ("usage", 3, 4),
            ("finish", "error", []),
        ],
    ),
    (
        "a malformed call",
        [tool(0), arguments(0, '{"a"'), ending("malformed_tool_use")],
        [
            *STARTED,
            ("delta", 0, '{"a"'),
            ("end", 0, "incomplete", "cut"),
            ("error", "server", "", "malformed_tool_use"),
            ("finish", "error", "malformed_tool_use", []),
        ],
    ),
    (
        "a trace, further fields, an event of a later version",
        [delta(0, text="a"), {"later": {"x": 1}}, ending("end_turn", additionalModelResponseFields={"x": 1}), TRACED],
        [
            *SAID[:-1],
            ("unknown", {"x": 1}, "later"),
            ("unknown", {"stopReason": "end_turn", "additionalModelResponseFields": {"x": 1}}, "messageStop"),
            ("unknown", TRACED["metadata"], "metadata"),
            SAID[-1],
        ],
    ),
]
# As dictionaries only: these are no events of a stream.
BODIES: list[Case] = [
    (
        "a whole body",
        [BODY, delta(0, text="late")],
        [
            BEGUN,
            ("reasoning", "hm", "reasoningContent", "s", None),
            ("text", "a"),
            ("text", "b"),
            ("start", 0, "t1", "f"),
            ("value", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("start", 1, "t2", "g"),
            ("value", 1, "{}"),
            ("end", 1, "complete", {}),
            ("unknown", {"later": 1}),
            ("unknown", "odd"),
            ("usage", 3, 4),
            ("finish", "tool_calls", "tool_use", ["t1", "t2"]),
        ],
    ),
    (
        "a body that is an error",
        [{"__type": "com.amazon.coral#AccessDeniedException", "Message": "no"}],
        [("error", "auth", "no", "AccessDeniedException"), ("finish", "error", [])],
    ),
    (
        "an error of the shape that others have",
        [{"error": {"type": "throttlingException", "message": "slow"}}],
        [("error", "rate_limit", "slow", "throttlingException"), ("finish", "error", [])],
    ),
    (
        "bytes where the wire has base64",
        [delta(0, reasoningContent={"redactedContent": b"x"})],
        [BEGUN, ("reasoning", "", "redactedContent", None, {"redactedContent": "eA=="}), ("finish", "incomplete", [])],
    ),
]


def as_union(events: list[Any]) -> list[Any]:
    """What is expected of unions: unknown ones are passed on as they are."""
    return [(event[0], {event[2]: event[1]}) if event[0] == "unknown" and event[2:] else event for event in events]


def framed(payloads: list[Payload]) -> bytes:
    """The union's members as binary frames, padded."""
    body = b""
    for payload in payloads:
        for name, members in payload.items():
            kind = "exception" if name.endswith("Exception") else "event"
            data = json.dumps(members | {"p": "abcdef"} if name in EVENTS[:4] else members).encode()
            body += aws_frame({f":{kind}-type": name, ":message-type": kind}, data)
    return body


def decoded(payloads: list[Payload]) -> list[Event]:
    return run(payloads, "bedrock-converse")


class TestCases(WireCases):
    wire = "bedrock-converse"
    cases = CASES
    bodiless = BODIES
    bodies: ClassVar = {"frames": framed}
    nobodys = tuple(name for name, _, _ in CASES if name.startswith("an exception: ") and name.endswith("Exception"))
    odd = st.sampled_from([b"x", 2**70, [None]])

    @staticmethod
    def shown(events: list[Event]) -> list[Any]:
        """Without the padding in what was passed on."""
        return [
            (event[0], {key: value for key, value in event[1].items() if key != "p"}, *event[2:])
            if event[0] == "unknown" and isinstance(event[1], dict)
            else event
            for event in shown(events)
        ]

    def of_payloads(self, expected: list[Any]) -> list[Any]:
        return as_union(expected)

    def survive(self, items: list[Any], data: st.DataObject) -> None:
        """Take the unions, and then each member as an event of its own."""
        unions = [item for item in items if isinstance(item, dict)]
        run(unions, self.wire)
        members = [(str(event), member) for union in unions for event, member in union.items()]
        run([named for named in members if isinstance(named[1], dict)], self.wire)


@pytest.mark.parametrize(("name", "payloads", "expected"), [*CASES, *BODIES])
def test_padding_beside_a_member(name: str, payloads: list[Payload], expected: list[Any]) -> None:
    known = [event for event in as_union(expected) if event[0] != "unknown"]
    events = shown(decoded([payload | {"p": "abc"} for payload in payloads]))
    assert [event for event in events if event[0] != "unknown"] == known


@pytest.mark.parametrize(
    ("raw", "reason"),
    [*FINISH.items(), ("END_TURN", "stop"), ("later", "unknown")],
)
def test_finish_reasons(raw: str, reason: str) -> None:
    finish = decoded([*BLOCK, ending(raw)])[-1]
    assert isinstance(finish, Finish)
    runs = reason in ("stop", "tool_calls")
    assert (finish.reason, finish.raw, len(finish.calls)) == ("tool_calls" if runs else reason, (raw,), runs)


@pytest.mark.parametrize("nothing", ["", None, "null", [], {}])
def test_reasons_that_are_none(nothing: Any) -> None:
    assert shown(decoded([*BLOCK, ending(nothing)])) == [*CALLED[:-1], ("finish", "incomplete", [])]


@pytest.mark.parametrize(
    ("payload", "event", "answer"),
    [
        *((payload, "", True) for payload in (BEGIN, *BLOCK, CALLS, USED, BODY, {"throttlingException": {}})),
        ({"p": "a", "role": "assistant"}, "messageStart", True),
        ({"contentBlockIndex": 0}, "contentBlockStop", True),
        ({"contentBlockIndex": 0}, "", False),
        ({"contentBlockIndex": 0}, "messageStop", False),
        ({"messageStop": None}, "", False),
        ({"output": {"message": "x"}}, "", False),
        ({"output": [{"content": []}]}, "", False),
        ({"throttlingException": "x"}, "", False),
        ({"type": "message_start", "message": {}}, "", False),
        ({"error": {"message": "m"}}, "error", False),
        ({None: 1}, "", False),
        ({}, "", False),
    ],
)
def test_recognises(payload: Payload, event: str, answer: bool) -> None:
    assert recognises(payload, event) is answer


def test_fields_of_a_call_are_kept() -> None:
    events = decoded([tool(0, later=1, gone=None), CALLS])
    assert next(event.call.extra for event in events if isinstance(event, ToolCallStart)) == {"later": 1}
