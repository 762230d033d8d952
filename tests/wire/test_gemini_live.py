from __future__ import annotations

from typing import Any

import pytest
from support import plain, run
from support.wires import LINES, Case, WireCases

from toolwire import Message, Stream
from toolwire.wire.gemini_live import REASONS, recognises

WIRE = "gemini-live"


def content(*parts: Any, **fields: Any) -> dict[str, Any]:
    return {"serverContent": ({"modelTurn": {"parts": list(parts)}} if parts else {}) | fields}


def calling(*calls: Any) -> dict[str, Any]:
    return {"toolCall": {"functionCalls": list(calls)}}


def cancelling(*ids: Any) -> dict[str, Any]:
    return {"toolCallCancellation": {"ids": list(ids)}}


READY = {"setupComplete": {}}
ONE = {"id": "c1", "name": "f", "args": {"a": 1}}
TWO = {"id": "c2", "name": "f", "args": {"b": 2}}
GENERATED = content(generationComplete=True)
COMPLETE = content(turnComplete=True)
CODE = {"executableCode": {"language": "PYTHON", "code": "print(default_api.f(a=1))"}}

BEGUN = ("message_start", None, None)
STARTED = [BEGUN, ("tool_call_start", (0, 0), "f", "function", "c1")]
WHOLE = ("tool_call_delta", (0, 0), '{"a":1}')
ENDED = ("tool_call_end", (0, 0), "complete", '{"a":1}', {"a": 1}, None)
VOID = ("tool_call_end", (0, 0), "invalid", '{"a":1}', None, ("reset", 7))  # as it is in the end
CALLED = [*STARTED, WHOLE, ENDED, ("finish", 0, "tool_calls", ((0, 0),), ())]
SECOND = [
    ("tool_call_start", (0, 1), "f", "function", "c2"),
    ("tool_call_delta", (0, 1), '{"b":2}'),
    ("tool_call_end", (0, 1), "complete", '{"b":2}', {"b": 2}, None),
]
STOPPED = ("finish", 0, "stop", (), ("generationComplete", "turnComplete"))


def failed(kind: str, message: str, code: Any = None) -> tuple[Any, ...]:
    return ("stream_error", kind, code, message, None)


CASES: list[Case] = [
    (
        "text",
        [READY, content({"text": "a"}), content({"text": "b"}), GENERATED, COMPLETE],
        [BEGUN, ("text_delta", 0, "a"), ("text_delta", 0, "b"), STOPPED],
    ),
    (
        "thoughts and signatures",
        [
            content({"text": "t", "thought": True, "thoughtSignature": "s"}, {"text": "a", "thoughtSignature": "z"}),
            GENERATED,
            COMPLETE,
        ],
        [
            BEGUN,
            ("reasoning_delta", 0, "t", "thought", "s", None),
            ("text_delta", 0, "a"),
            ("reasoning_delta", 0, "", "thoughtSignature", "z", None),
            STOPPED,
        ],
    ),
    ("a call hands over", [READY, calling(ONE)], CALLED),
    (
        "a call, and what the server says once it has the result",
        [calling(ONE), content({"text": "a"}), GENERATED, COMPLETE],
        [
            *CALLED[:-1],
            ("text_delta", 0, "a"),
            ("finish", 0, "tool_calls", ((0, 0),), ("generationComplete", "turnComplete")),
        ],
    ),
    ("two calls", [calling(ONE, TWO)], [*CALLED[:-1], *SECOND, ("finish", 0, "tool_calls", ((0, 0), (0, 1)), ())]),
    (
        "code that prints a call is none",
        [content(CODE), calling(ONE)],
        [("unknown", CODE, ""), *CALLED],
    ),
    (
        "no arguments",
        [calling({"id": "c1", "name": "f"})],
        [*STARTED, ("tool_call_end", (0, 0), "complete", "", {}, None), CALLED[-1]],
    ),
    (
        "arguments that are no object",
        [calling({"id": "c1", "name": "f", "args": [1]})],
        [
            *STARTED,
            ("tool_call_delta", (0, 0), "[1]"),
            ("tool_call_end", (0, 0), "invalid", "[1]", None, ("not_an_object", 0)),
            ("finish", 0, "tool_calls", (), ()),
        ],
    ),
    (
        "one of two calls is cancelled",
        [calling(ONE, TWO), cancelling("c1")],
        [*STARTED, WHOLE, VOID, *SECOND, ("reset", "calls", ((0, 0),)), ("finish", 0, "tool_calls", ((0, 1),), ())],
    ),
    (
        "all calls are cancelled",
        [calling(ONE), cancelling("c1", "c1"), COMPLETE],
        [
            *STARTED,
            WHOLE,
            VOID,
            ("reset", "calls", ((0, 0),)),
            ("unknown", cancelling("c1"), ""),
            ("finish", 0, "cancelled", (), ("toolCallCancellation", "turnComplete")),
        ],
    ),
    (
        "interrupted",
        [content({"text": "a"}), content(interrupted=True), COMPLETE],
        [BEGUN, ("text_delta", 0, "a"), ("finish", 0, "cancelled", (), ("interrupted", "turnComplete"))],
    ),
    ("no end", [content({"text": "a"})], [BEGUN, ("text_delta", 0, "a"), ("finish", 0, "incomplete", (), ())]),
    (
        "usage with the end",
        [content({"text": "a"}), COMPLETE | {"usageMetadata": {"promptTokenCount": 3, "responseTokenCount": 5}}],
        [
            BEGUN,
            ("text_delta", 0, "a"),
            ("usage", 3, 5, {"promptTokenCount": 3, "responseTokenCount": 5}),
            ("finish", 0, "stop", (), ("turnComplete",)),
        ],
    ),
    (
        "what is refused",
        [READY, content(turnComplete=True, turnCompleteReason="PROHIBITED_INPUT_CONTENT")],
        [BEGUN, ("finish", 0, "content_filter", (), ("turnComplete", "PROHIBITED_INPUT_CONTENT"))],
    ),
    (
        "a call that the model garbled",
        [READY, content(turnComplete=True, turnCompleteReason="MALFORMED_FUNCTION_CALL")],
        [
            BEGUN,
            failed("server", "", "MALFORMED_FUNCTION_CALL"),
            ("finish", 0, "error", (), ("turnComplete", "MALFORMED_FUNCTION_CALL")),
        ],
    ),
    (
        "an error",
        [READY, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slow down"}}],
        [failed("rate_limit", "slow down", "RESOURCE_EXHAUSTED"), ("finish", 0, "error", (), ())],
    ),
    (
        "what has no meaning here",
        [
            {"goAway": {"timeLeft": "5s"}},
            content(outputTranscription={"text": "x"}),
            content({"inlineData": {}}),
            COMPLETE,
        ],
        [
            ("unknown", {"goAway": {"timeLeft": "5s"}}, ""),
            ("unknown", {"outputTranscription": {"text": "x"}}, ""),
            ("unknown", {"inlineData": {}}, ""),
            BEGUN,
            ("finish", 0, "stop", (), ("turnComplete",)),
        ],
    ),
    (
        "snake case",
        [
            {"setup_complete": {}},
            {"tool_call": {"function_calls": [ONE | {"args": {"a_b": 1}}]}, "server_content": None},
            {"server_content": {"turn_complete": True}, "usage_metadata": {"response_token_count": 5}},
        ],
        [
            *STARTED,
            ("tool_call_delta", (0, 0), '{"a_b":1}'),
            ("tool_call_end", (0, 0), "complete", '{"a_b":1}', {"a_b": 1}, None),
            ("usage", None, 5, {"response_token_count": 5}),
            ("finish", 0, "tool_calls", ((0, 0),), ("turnComplete",)),
        ],
    ),
]


class TestCases(WireCases):
    wire = WIRE
    cases = CASES
    bodies = LINES
    shown = staticmethod(plain)


@pytest.mark.parametrize(
    ("payload", "answer"),
    [
        *((payload, True) for payload in [READY, COMPLETE, calling(), cancelling(), {"goAway": {}}, {"tool_call": {}}]),
        ({"toolCall": None}, False),
        ({"usageMetadata": {}}, False),
        ({"candidates": []}, False),
        ({"error": {}}, False),
    ],
)
def test_recognises(payload: dict[str, Any], answer: bool) -> None:
    assert recognises(payload, "") is answer


@pytest.mark.parametrize(
    ("raw", "reason"), [*REASONS.items(), ("GENERATED_AUDIO_SAFETY", "content_filter"), ("LATER", "unknown")]
)
def test_reasons_of_a_complete_turn(raw: str, reason: str) -> None:
    message = Message.of(run([calling(ONE), content(turnComplete=True, turnCompleteReason=raw)], WIRE))
    assert message.finish == ("tool_calls" if reason == "stop" else reason)
    assert bool(message.executable) is (reason == "stop")


def test_a_cancelled_call_is_not_run_at_its_own_end() -> None:
    stream = Stream(WIRE, confirm="call")
    stream.receive_payload(calling(ONE))
    assert stream.calls[0].executable
    stream.receive_payload(cancelling("c1"))
    assert not stream.calls[0].executable


def test_other_fields_of_a_call_are_kept() -> None:
    message = Message.of(run([calling(ONE | {"scheduling": "SILENT", "gone": None})], WIRE))
    assert [(call.extra, call.encoded) for call in message.calls] == [({"scheduling": "SILENT"}, True)]
