from __future__ import annotations

import base64
import json
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from hypothesis import strategies as st
from support import aws_frame, run, wires
from support.wires import Case, Payload, WireCases

from toolwire.events import (
    Event,
    Finish,
    MessageStart,
    StreamError,
    Usage,
)
from toolwire.sansio import Stream
from toolwire.wire.bedrock_invoke import METRICS, recognises

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


# --- what models send ------------------------------------------------------------------------------------------

COUNTS: Payload = {METRICS: {"inputTokenCount": 3, "outputTokenCount": 4, "invocationLatency": 5}}


def block(index: int, **delta: Any) -> Payload:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def claude(**usage: Any) -> list[Payload]:
    """A call of Claude's."""
    tool = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
    return [
        {"type": "message_start", "message": {"id": "m1", "model": "m", "content": [], "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": tool},
        block(0, type="input_json_delta", partial_json='{"a":'),
        block(0, type="input_json_delta", partial_json="1}"),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"} | COUNTS,
    ]


def token(index: int, text: str) -> list[Payload]:
    """A piece of Nova's text: each has a block of its own."""
    return [
        {"contentBlockDelta": {"delta": {"text": text}, "contentBlockIndex": index}},
        {"contentBlockStop": {"contentBlockIndex": index}},
    ]


NOVA: list[Payload] = [
    {"messageStart": {"role": "assistant"}},
    *token(0, "a"),
    *token(1, "b"),
    {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "t1", "name": "f"}}, "contentBlockIndex": 2}},
    {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"a":1}'}}, "contentBlockIndex": 2}},
    {"contentBlockStop": {"contentBlockIndex": 2}},
    {"messageStop": {"stopReason": "tool_use"}},
    {"metadata": {"usage": {"inputTokens": 1, "outputTokens": 2}}} | COUNTS,
]


def openai(delta: Payload, finish: str | None = None, **fields: Any) -> Payload:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "m1", "model": "m", "object": "chat.completion.chunk", "choices": [choice]} | fields


KIMI: list[Payload] = [
    openai({"role": "assistant", "content": ""}),
    openai({"tool_calls": [{"index": 0, "id": "t1", "function": {"name": "f", "arguments": '{"a":1}'}}]}),
    openai({}, "tool_calls", **COUNTS),
]
LLAMA: list[Payload] = [{"generation": "a", "stop_reason": None}, {"generation": "b", "stop_reason": "stop"}]
SLOW: Payload = {"throttlingException": {"message": "slow"}}
MESSAGE: Payload = {
    "type": "message",
    "id": "m1",
    "model": "m",
    "content": [{"type": "text", "text": "a"}],
    "stop_reason": "end_turn",
}

# --- what it comes to ------------------------------------------------------------------------------------------


shown = partial(wires.shown, kinds=True)

BEGUN = ("message", "m1", "m")
CALLED: list[Any] = [
    ("start", 0, "t1", "f"),
    ("delta", 0, '{"a":'),
    ("delta", 0, "1}"),
    ("end", 0, "complete", {"a": 1}),
]
AT_ONCE: list[Any] = [CALLED[0], ("delta", 0, '{"a":1}'), CALLED[-1]]
CONFIRMED = ("finish", "tool_calls", "tool_use", ["t1"])
THROTTLED = ("error", "rate_limit", "slow", "throttlingException")

CASES: list[Case] = [
    (
        "Claude: the counts of Bedrock are beside its own",
        claude(input_tokens=1, output_tokens=2),
        [BEGUN, ("usage", 1, 2), *CALLED, ("usage", 1, 2), CONFIRMED],
    ),
    ("Claude: the counts of Bedrock alone", claude(), [BEGUN, *CALLED, ("usage", 3, 4), CONFIRMED]),
    (
        "Claude: cut by an exception",
        [*claude()[:3], SLOW],
        [BEGUN, *CALLED[:2], ("end", 0, "incomplete", "cut"), THROTTLED, ("finish", "error", [])],
    ),
    (
        "Claude: the whole input in the start, then an exception",
        [
            *claude()[:1],
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}},
            },
            SLOW,
        ],
        [BEGUN, CALLED[0], ("value", 0, '{"a":1}'), CALLED[-1], THROTTLED, ("finish", "error", [])],
    ),
    (
        "Nova",
        NOVA,
        [
            ("message", None, None),
            ("text", "a"),
            ("text", "b"),
            *AT_ONCE,
            ("usage", 3, 4),
            ("usage", 1, 2),
            CONFIRMED,
        ],
    ),
    (
        "chunks of OpenAI's (Kimi)",
        KIMI,
        [BEGUN, *AT_ONCE[:2], ("usage", 3, 4), AT_ONCE[2], ("finish", "tool_calls", "tool_calls", ["t1"])],
    ),
    ("the end of OpenAI's", [KIMI[1], "[DONE]", KIMI[2]], [BEGUN, *AT_ONCE, ("finish", "tool_calls", ["t1"])]),
    (
        "something unknown before",
        [LLAMA[0], *KIMI],
        [
            ("unknown", LLAMA[0]),
            BEGUN,
            *AT_ONCE[:2],
            ("usage", 3, 4),
            AT_ONCE[2],
            ("finish", "tool_calls", "tool_calls", ["t1"]),
        ],
    ),
    ("an exception alone", [SLOW], [THROTTLED, ("finish", "error", [])]),
    (
        "an error of the model's",
        [{"error": {"type": "throttlingException", "message": "slow"}}],
        [THROTTLED, ("finish", "error", [])],
    ),
    (
        "a model whose stream is unknown",
        LLAMA,
        [
            ("unknown", LLAMA[0]),
            ("unknown", LLAMA[1]),
            (
                "error",
                "protocol",
                "no model's stream is known by these payloads (keys of the first: generation, stop_reason)",
                None,
            ),
            ("finish", "error", []),
        ],
    ),
    ("a whole body", [MESSAGE], [BEGUN, ("text", "a"), ("finish", "stop", "end_turn", [])]),
]


def packed(item: Any) -> bytes:
    return item.encode() if isinstance(item, str) else json.dumps(item).encode()


def in_base64(item: Any) -> Payload:
    return {"bytes": base64.b64encode(packed(item)).decode(), "p": "abcd"}


def framed(items: list[Any]) -> bytes:
    """Binary frames; an exception has one of its own."""
    body = b""
    for item in items:
        name = next(iter(item)) if item is SLOW else ""
        if name:
            headers = {":exception-type": name, ":message-type": "exception"}
            body += aws_frame(headers, json.dumps(item[name]).encode())
        else:
            body += aws_frame({":event-type": "chunk", ":message-type": "event"}, json.dumps(in_base64(item)).encode())
    return body


WRAPPINGS: dict[str, Callable[[Any], Any]] = {
    "none": lambda item: item,
    "base64": lambda item: item if item is SLOW else in_base64(item),
    "an SDK's": lambda item: item if item is SLOW else {"chunk": {"bytes": packed(item)}},
    "base64 in a union": lambda item: item if item is SLOW else {"chunk": in_base64(item)},
    "text": lambda item: item if item in (SLOW, "[DONE]") else {"bytes": packed(item).decode()},
}


def decoded(payloads: Iterable[Any]) -> list[Event]:
    return run(payloads, "bedrock-invoke")


ODD: list[Any] = [None, True, 0, 2**70, float("nan"), "", "x", [], {}, {"bytes": 5}, b"x"]


class TestCases(WireCases):
    wire = "bedrock-invoke"
    cases = CASES
    forms = WRAPPINGS
    bodies: ClassVar = {"frames": framed}
    nobodys = ("an exception alone",)
    shown = staticmethod(shown)
    odd = st.sampled_from([2**70, {"bytes": 5}])

    def test_the_wire_is_found_in_payloads(self, case: Case) -> None:
        name, items, expected = case
        super().test_the_wire_is_found_in_payloads((name, list(map(WRAPPINGS["base64"], items)), expected))

    def survive(self, items: list[Any], data: st.DataObject) -> None:
        """Take what models send in any wrapping, some of which is odd itself."""
        wrapping = data.draw(st.sampled_from(list(WRAPPINGS)))
        payloads = [WRAPPINGS[wrapping](item) for item in items]
        for payload in payloads[::2]:
            if isinstance(payload, dict):
                payload[data.draw(st.sampled_from(["bytes", "chunk", "p"]))] = data.draw(st.sampled_from(ODD))
        decoded(payloads)


@pytest.mark.parametrize(
    "wrapped",
    ["", "%", "é", "eA=", base64.b64encode(b"x").decode(), b"", b"{", b"[NaN]", b"[" * 5000, bytearray(b"\xff")],
)
def test_bytes_that_hold_no_json(wrapped: Any) -> None:
    begun, error, finish = decoded([claude()[0], {"chunk": {"bytes": wrapped}}])
    assert isinstance(begun, MessageStart)
    assert isinstance(error, StreamError)
    assert (error.kind, error.message[:29]) == ("protocol", "a chunk's bytes are not JSON ")
    assert isinstance(finish, Finish)
    assert finish.reason == "error"


def test_bytes_that_hold_no_object() -> None:
    assert shown(decoded([in_base64([1]), in_base64(MESSAGE)]))[0] == ("unknown", [1])


def test_surrogates_that_were_cut_apart() -> None:
    halves = [openai({"content": half}) for half in ("\ud83d", "\ude00")]
    assert shown(decoded(map(in_base64, halves)))[1] == ("text", "😀")


def test_it_gives_up_on_models_that_it_does_not_know() -> None:
    stream = Stream("bedrock-invoke")
    events = [event for _ in range(33) for event in stream.receive_payload(in_base64(LLAMA[0]))]
    assert [event[0] for event in shown(events)] == ["unknown"] * 32 + ["error", "unknown"]
    assert shown(stream.end()) == [("finish", "error", [])]


def test_the_counts_of_bedrock_are_kept() -> None:
    usage = [event for event in decoded(claude(input_tokens=1)) if isinstance(event, Usage)][-1]
    assert usage.raw == {"input_tokens": 1} | COUNTS


@pytest.mark.parametrize(
    ("payload", "event", "answer"),
    [
        (in_base64({}), "", True),
        (in_base64({}), "chunk", True),
        ({"bytes": "", "later": 1}, "chunk", True),
        ({"bytes": "", "later": 1}, "", False),
        ({"bytes": 5}, "chunk", False),
        ({"chunk": {"bytes": b""}}, "", True),
        ({"chunk": {"bytes": None}}, "", False),
        ({"chunk": {}, "bytes": ""}, "chunk", False),
        ({"chunk": 5, "bytes": ""}, "chunk", True),
        ({"chunk": {"choices": []}, "type": "chunk"}, "", False),
        (claude()[0], "", False),
        (NOVA[0], "", False),
        ({}, "chunk", False),
    ],
)
def test_recognises(payload: Payload, event: str, answer: bool) -> None:
    assert recognises(payload, event) is answer
