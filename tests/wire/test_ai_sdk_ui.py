from __future__ import annotations

import json
from typing import Any

import pytest
from support import plain, run
from support.wires import Case, WireCases

from toolwire import Message, Stream, tool
from toolwire.wire import WIRES, load
from toolwire.wire.ai_sdk_ui import FINISH, recognises

WIRE = "ai-sdk-ui"


def chunk(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


def begin(id: Any = "c1", name: Any = "f", **fields: Any) -> dict[str, Any]:
    return chunk("tool-input-start", toolCallId=id, toolName=name, **fields)


def more(text: Any, id: Any = "c1") -> dict[str, Any]:
    return chunk("tool-input-delta", toolCallId=id, inputTextDelta=text)


def available(input: Any, id: Any = "c1", name: Any = "f", **fields: Any) -> dict[str, Any]:
    return chunk("tool-input-available", toolCallId=id, toolName=name, input=input, **fields)


def refused(input: Any, why: str = "no", id: Any = "c1", name: Any = "f", **fields: Any) -> dict[str, Any]:
    return chunk("tool-input-error", toolCallId=id, toolName=name, input=input, errorText=why, **fields)


def said(*pieces: str, id: str = "t", kind: str = "text") -> list[dict[str, Any]]:
    deltas = [chunk(f"{kind}-delta", id=id, delta=piece) for piece in pieces]
    return [chunk(f"{kind}-start", id=id), *deltas, chunk(f"{kind}-end", id=id)]


def ours(**fields: Any) -> dict[str, Any]:
    return {"toolwire": fields}


START = chunk("start", messageId="m1")
STEP, STEPPED = chunk("start-step"), chunk("finish-step")
DONE = "[DONE]"
HEAD = [START, STEP]
END = [STEPPED, chunk("finish", finishReason="tool-calls"), DONE]
CALL = [begin(), more('{"a":'), more("1}"), available({"a": 1})]

BEGUN = ("message", "m1", None)
PIECES = [("delta", 0, '{"a":'), ("delta", 0, "1}")]
CALLED = [("start", 0, "c1", "f"), *PIECES, ("end", 0, "complete", {"a": 1})]
CONFIRMED = ("finish", "tool_calls", "tool-calls", ["c1"])
NOTHING = ("finish", "tool_calls", "tool-calls", [])
OUTPUT = chunk("tool-output-available", toolCallId="c1", output={"b": 2})
RUN_BY_SERVER = ("finish", "stop", "stop", [])
SIGNED = ours(field="thinking", signature="s", extra=[{"x": 1}, {"y": 2}])
COUNTS = {"inputTokens": 3, "outputTokens": 4}
OTHER = {"totalUsage": {"inputTokens": 3}, "at": 1}
STOP = [STEPPED, chunk("finish", finishReason="stop"), DONE]

CASES: list[Case] = [
    (
        "text in two parts",
        [*HEAD, *said("a", "b"), *said("c", id="u"), *STOP],
        [BEGUN, ("text", "a"), ("text", "b"), ("text", "c"), ("finish", "stop", "stop", [])],
    ),
    ("a call", [*HEAD, *CALL, *END], [BEGUN, *CALLED, CONFIRMED]),
    (
        "two calls whose deltas take turns",
        [
            *HEAD, begin(), begin("c2", "g"), more('{"b":', "c2"), more('{"a":'), more("2}", "c2"), more("1}"),
            available({"b": 2}, "c2", "g"), available({"a": 1}), *END,
        ],
        [
            BEGUN, ("start", 0, "c1", "f"), ("start", 1, "c2", "g"), ("delta", 1, '{"b":'), ("delta", 0, '{"a":'),
            ("delta", 1, "2}"), ("delta", 0, "1}"), ("end", 1, "complete", {"b": 2}), ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", "tool-calls", ["c1", "c2"]),
        ],
    ),
    (
        "an input without start and deltas",
        [*HEAD, available({"a": 1}), *END],
        [
            BEGUN, ("start", 0, "c1", "f"), ("value", 0, '{"a":1}'), ("end", 0, "complete", {"a": 1}), CONFIRMED,
        ],
    ),
    (
        "a start and an input without deltas",
        [*HEAD, begin(), available({"a": 1}), *END],
        [
            BEGUN, ("start", 0, "c1", "f"), ("value", 0, '{"a":1}'), ("end", 0, "complete", {"a": 1}), CONFIRMED,
        ],
    ),
    (
        "no arguments",
        [*HEAD, begin(), available({}), begin("c2"), chunk("tool-input-available", toolCallId="c2"), *END],
        [
            BEGUN, ("start", 0, "c1", "f"), ("value", 0, "{}"), ("end", 0, "complete", {}), ("start", 1, "c2", "f"),
            ("end", 1, "complete", {}), ("finish", "tool_calls", "tool-calls", ["c1", "c2"]),
        ],
    ),
    (
        "an input of null's text",
        [*HEAD, begin(), more("null"), available({}), *END],
        [BEGUN, ("start", 0, "c1", "f"), ("delta", 0, "null"), ("end", 0, "complete", {}), CONFIRMED],
    ),
    (
        "an input that says something else",
        [*HEAD, *CALL[:-1], available({"a": 2}), *END],
        [BEGUN, *CALLED[:-1], ("end", 0, "invalid", "snapshot_mismatch"), NOTHING],
    ),
    (
        "an input that names another tool",
        [*HEAD, *CALL[:-1], available({"a": 1}, name="g"), *END],
        [BEGUN, *CALLED[:-1], ("end", 0, "invalid", "snapshot_mismatch"), NOTHING],
    ),
    (
        "an input that was rounded by JavaScript",
        [
            *HEAD, begin(), more('{"a":12345678901234567890,"b":1.0}'),
            available({"a": 12345678901234567000, "b": 1}), *END,
        ],
        [
            BEGUN, ("start", 0, "c1", "f"), ("delta", 0, '{"a":12345678901234567890,"b":1.0}'),
            ("end", 0, "complete", {"a": 12345678901234567890, "b": 1.0}), CONFIRMED,
        ],
    ),
    (
        "a rest of the input that comes with its end",
        [*HEAD, *CALL[:-2], available({"a": 1}), *END],
        [BEGUN, *CALLED, CONFIRMED],
    ),
    (
        "free text that is called so",
        [*HEAD, begin(inputEncoding="text"), more("*** be"), more("gin"), available("*** begin"), *END],
        [
            BEGUN, ("start", 0, "c1", "f", "custom"), ("delta", 0, "*** be"), ("delta", 0, "gin"),
            ("end", 0, "complete", "*** begin"), CONFIRMED,
        ],
    ),
    (
        "free text that shows at its end",
        [*HEAD, begin(), more("*** begin"), available("*** begin"), available("x", "c2"), *END],
        [
            BEGUN, ("start", 0, "c1", "f", "custom"), ("delta", 0, "*** begin"), ("end", 0, "complete", "*** begin"),
            ("start", 1, "c2", "f", "custom"), ("delta", 1, "x"), ("end", 1, "complete", "x"),
            ("finish", "tool_calls", "tool-calls", ["c1", "c2"]),
        ],
    ),
    (
        "free text that says something else in the end",
        [*HEAD, begin(inputEncoding="text"), more("ab"), available("ac"), *END],
        [
            BEGUN, ("start", 0, "c1", "f", "custom"), ("delta", 0, "ab"), ("end", 0, "invalid", "snapshot_mismatch"),
            NOTHING,
        ],
    ),
    (
        "a text where an object was streamed",
        [*HEAD, *CALL[:-1], available("a"), *END],
        [BEGUN, *CALLED[:-1], ("end", 0, "invalid", "snapshot_mismatch"), NOTHING],
    ),
    (
        "an input that is refused",
        [*HEAD, begin(), more('{"a":'), refused('{"a":'), *END],
        [BEGUN, ("start", 0, "c1", "f"), ("delta", 0, '{"a":'), ("end", 0, "invalid", "malformed"), NOTHING],
    ),
    (
        "inputs that are refused without deltas",
        [*HEAD, refused("{"), refused({"a": 1}, id="c2"), *END],
        [
            BEGUN, ("start", 0, "c1", "f"), ("delta", 0, "{"), ("start", 1, "c2", "f"), ("value", 1, '{"a":1}'),
            ("end", 0, "invalid", "malformed"), ("end", 1, "invalid", "malformed"), NOTHING,
        ],
    ),
    (
        "a whole input that is refused",
        [*HEAD, *CALL[:-1], refused('{"a":1}'), *END],
        [BEGUN, *CALLED[:-1], ("end", 0, "invalid", "malformed"), NOTHING],
    ),
    (
        "an input that is refused after all",
        [*HEAD, *CALL, refused({"a": 1}), *END],
        [BEGUN, *CALLED[:-1], ("end", 0, "invalid", "reset"), ("reset", "calls", ["c1"]), NOTHING],
    ),
    (
        "a whole input that may not be run, in our own words",
        [*HEAD, *CALL[:-1], refused('{"a":1}', providerMetadata=ours(status="complete")), *END],
        [BEGUN, *CALLED, NOTHING],
    ),
    (
        "half an input that is called whole",
        [*HEAD, *CALL[:-2], refused('{"a":', providerMetadata=ours(status="complete")), *END],
        [BEGUN, *CALLED[:2], ("end", 0, "invalid", "malformed"), NOTHING],
    ),
    (
        "an input that is refused after all, in our own words",
        [*HEAD, *CALL, refused({"a": 1}, providerMetadata=ours(status="complete")), *END],
        [BEGUN, *CALLED[:-1], ("end", 0, "invalid", "reset"), ("reset", "calls", ["c1"]), NOTHING],
    ),
    (
        "a call that the provider runs",
        [
            *HEAD, begin(providerExecuted=True), more('{"a":1}'), available({"a": 1}, providerExecuted=True), OUTPUT,
            *STOP,
        ],
        [
            BEGUN, ("start", 0, "c1", "f", "server"), ("delta", 0, '{"a":1}'), ("end", 0, "complete", {"a": 1}),
            ("unknown", OUTPUT), RUN_BY_SERVER,
        ],
    ),
    (
        "a call of an MCP server",
        [
            *HEAD, begin(providerExecuted=True),
            available({}, providerExecuted=True, providerMetadata=ours(kind="mcp")), OUTPUT, *STOP,
        ],
        [
            BEGUN, ("start", 0, "c1", "f", "mcp"), ("value", 0, "{}"), ("end", 0, "complete", {}), ("unknown", OUTPUT),
            RUN_BY_SERVER,
        ],
    ),
    (
        "a call whose output comes, because the server ran it",
        [*HEAD, *CALL, OUTPUT, STEPPED, STEP, *said("b"), *STOP],
        [
            BEGUN, ("start", 0, "c1", "f", "server"), *PIECES, ("end", 0, "complete", {"a": 1}),
            ("reset", "calls", ["c1"]), ("unknown", OUTPUT), ("text", "b"), RUN_BY_SERVER,
        ],
    ),
    (
        "a call that waits for approval",
        [*HEAD, *CALL, chunk("tool-approval-request", approvalId="p", toolCallId="c1"), *END],
        [
            BEGUN, ("start", 0, "c1", "f", "server"), *PIECES, ("end", 0, "complete", {"a": 1}),
            ("reset", "calls", ["c1"]), ("unknown", chunk("tool-approval-request", approvalId="p", toolCallId="c1")),
            ("finish", "stop", "tool-calls", []),
        ],
    ),
    (
        "a call that was denied",
        [*HEAD, *CALL, chunk("tool-output-denied", toolCallId="c1"), *END],
        [
            BEGUN, *CALLED[:-1], ("end", 0, "invalid", "reset"), ("reset", "calls", ["c1"]),
            ("unknown", chunk("tool-output-denied", toolCallId="c1")), NOTHING,
        ],
    ),
    (
        "what is kept beside a call",
        [
            *HEAD,
            *CALL[:-1],
            available({"a": 1}, providerMetadata={"google": {"s": 1}, **ours(extra={"x": 2}, id="v1")}),
            *END,
        ],
        [
            BEGUN, ("start", 0, ("c1", "v1"), "f", {"providerMetadata": {"google": {"s": 1}}, "x": 2}), *PIECES,
            ("end", 0, "complete", {"a": 1}), ("finish", "tool_calls", "tool-calls", [("c1", "v1")]),
        ],
    ),
    (
        "an id that the provider never gave",
        [*HEAD, *CALL[:-1], available({"a": 1}, providerMetadata=ours(id=None)), *END],
        [BEGUN, *CALLED, CONFIRMED],
    ),
    (
        "reasoning with a signature of ours",
        [
            *HEAD,
            chunk("reasoning-start", id="r", providerMetadata=ours(field="thinking")),
            chunk("reasoning-delta", id="r", delta="hm"),
            chunk("reasoning-end", id="r", providerMetadata=SIGNED),
            *STOP,
        ],
        [
            BEGUN, ("reasoning", "hm", "thinking"), ("reasoning", "", "thinking", None, {"x": 1}),
            ("reasoning", "", "thinking", "s", {"y": 2}), ("finish", "stop", "stop", []),
        ],
    ),
    (
        "reasoning with metadata of another",
        [
            *HEAD,
            chunk("reasoning-start", id="r"),
            chunk("reasoning-delta", id="r", delta="hm", providerMetadata={"anthropic": {"signature": "s"}}),
            chunk("reasoning-end", id="r"),
            *STOP,
        ],
        [
            BEGUN, ("reasoning", "hm", None),
            ("reasoning", "", None, None, {"providerMetadata": {"anthropic": {"signature": "s"}}}),
            ("finish", "stop", "stop", []),
        ],
    ),
    (
        "token counts in the finish",
        [*HEAD, *said("a"), chunk("finish", finishReason="stop", messageMetadata={"usage": COUNTS}), DONE],
        [BEGUN, ("text", "a"), ("usage", 3, 4), ("finish", "stop", "stop", [])],
    ),
    (
        "other metadata",
        [*HEAD, *said("a"), chunk("message-metadata", messageMetadata=OTHER), *STOP],
        [
            BEGUN, ("text", "a"), ("usage", 3, None),
            ("unknown", chunk("message-metadata", messageMetadata=OTHER)),
            ("finish", "stop", "stop", []),
        ],
    ),
    (
        "a finish without a reason",
        [*HEAD, *CALL, STEPPED, chunk("finish"), DONE],
        [BEGUN, *CALLED, ("finish", "tool_calls", ["c1"])],
    ),
    (
        "no end at all",
        [*HEAD, *CALL[:-2]],
        [BEGUN, *CALLED[:2], ("end", 0, "incomplete", "cut"), ("finish", "incomplete", [])],
    ),
    (
        "a cut that is told",
        [*HEAD, *CALL[:-2], refused('{"a":', "cut"), STEPPED, chunk("finish", finishReason="length"), DONE],
        [BEGUN, *CALLED[:2], ("end", 0, "incomplete", "malformed"), ("finish", "length", "length", [])],
    ),
    (
        "an error",
        [*HEAD, *CALL[:-2], refused('{"a":', "cut"), chunk("error", errorText="An error occurred."), DONE],
        [
            BEGUN, *CALLED[:2], ("end", 0, "incomplete", "malformed"),
            ("error", "provider", "An error occurred.", None), ("finish", "error", []),
        ],
    ),
    ("an error alone", [chunk("error", errorText="x")], [("error", "provider", "x", None), ("finish", "error", [])]),
    (
        "a turn that was stopped",
        [*HEAD, *CALL[:-2], chunk("abort", reason="user"), DONE],
        [BEGUN, *CALLED[:2], ("end", 0, "incomplete", "cut"), ("finish", "cancelled", "abort", [])],
    ),
    (
        "a step that begins anew",
        [*HEAD, *said("a"), *CALL, chunk("reset-step"), *said("b"), *STOP],
        [
            BEGUN, ("text", "a"), *CALLED[:-1], ("end", 0, "incomplete", "reset"), ("reset", "turn", ["c1"]), BEGUN,
            ("text", "b"), ("finish", "stop", "stop", []),
        ],
    ),
    (
        "what has no meaning here",
        [*HEAD, chunk("data-x", data=1), more("{", "c9"), *said("a"), *STOP],
        [
            BEGUN, ("unknown", chunk("data-x", data=1)), ("unknown", more("{", "c9")), ("text", "a"),
            ("finish", "stop", "stop", []),
        ],
    ),
    (
        "a start that comes twice",
        [*HEAD, begin(), begin(), more('{"a":1}'), available({"a": 1}), START, *END],
        [BEGUN, ("start", 0, "c1", "f"), ("delta", 0, '{"a":1}'), ("end", 0, "complete", {"a": 1}), CONFIRMED],
    ),
    (
        "a call that never gets a name",
        [*HEAD, begin(name=None), more("{}"), *END],
        [
            BEGUN,
            ("error", "protocol", "call 0 of choice 0 never got a name (id 'c1', 2 characters of arguments)", None),
            ("finish", "error", "tool-calls", []),
        ],
    ),
    (
        "an error as a body",
        [{"error": {"message": "x", "code": "y"}}],
        [("error", "provider", "x", "y"), ("finish", "error", [])],
    ),
]  # fmt: skip


class TestCases(WireCases):
    wire = WIRE
    cases = CASES
    nobodys = ("an error as a body",)
    words = ("text", "custom", "mcp", "tool-calls", "tool-input-start", "tool-output-denied", "reset-step")
    members = (
        "type",
        "id",
        "toolCallId",
        "toolName",
        "input",
        "delta",
        "toolwire",
        "extra",
        "kind",
        "providerMetadata",
    )


@pytest.mark.parametrize("kind", ["start-step", "finish-step", "reset-step"])
def test_a_step_is_recognised(kind: str) -> None:
    assert recognises(chunk(kind), "")


@pytest.mark.parametrize(
    ("payload", "answer"),
    [
        (START, True),
        (begin(), True),
        (more("x"), True),
        (available({}), True),
        (refused("x"), True),
        (OUTPUT, True),
        (said("a")[0], True),
        (said("a")[1], True),
        (said("a", kind="reasoning")[2], True),
        (chunk("error", errorText="x"), True),
        (chunk("finish", finishReason="stop"), True),
        (chunk("start"), False),
        (chunk("finish"), False),
        (chunk("error", error={"message": "x"}), False),
        (chunk("text-delta", text="a"), False),
        (chunk("tool-input-start", id="c1", toolName="f"), False),
        (chunk("data-x", data=1), False),
        (chunk("later"), False),
        ({}, False),
    ],
)
def test_recognises(payload: dict[str, Any], answer: bool) -> None:
    assert recognises(payload, "start-step") is answer


def test_no_other_wire_takes_what_is_recognised_here() -> None:
    for name in WIRES:
        if name != WIRE:
            module = load(name)
            for case, items, _ in CASES:
                taken = [
                    item for item in items if item != DONE and recognises(item, "") and module.recognises(item, "")
                ]
                assert taken == [], (name, case)


@pytest.mark.parametrize(("raw", "reason"), [*FINISH.items(), ("odd", "unknown")])
def test_finish_reasons(raw: str, reason: str) -> None:
    message = Message.of(run([*HEAD, *CALL, chunk("finish", finishReason=raw), DONE], WIRE))
    calls = reason in ("stop", "tool_calls")
    assert (message.finish, message.finish_raw) == ("tool_calls" if calls else reason, (raw,))
    assert bool(message.executable) is calls
    assert (message.error is not None) is (reason == "error")


def test_what_is_kept_beside_text_comes_with_its_first_piece() -> None:
    start = chunk("text-start", id="t", providerMetadata={"openai": {"itemId": "i"}, **ours(extra={"id": "m"})})
    events = run([*HEAD, start, *said("a", "b")[1:], *STOP], WIRE)
    kept = [(each.text, each.extra) for each in events if each.type == "text_delta"]
    assert kept == [("a", {"providerMetadata": {"openai": {"itemId": "i"}}, "id": "m"}), ("b", None)]


def test_an_id_that_was_made_up_is_not_the_providers() -> None:
    message = Message.of(run([*HEAD, *CALL[:-1], available({"a": 1}, providerMetadata=ours(id=None)), *END], WIRE))
    assert [(call.id, call.vendor_id) for call in message.calls] == [("c1", None)]


def test_a_refusal_of_the_input_is_the_calls_error() -> None:
    message = Message.of(run([*HEAD, *CALL[:-1], refused('{"a":1}', "a is no number"), *END], WIRE))
    assert [call.error and call.error.message for call in message.calls] == ["a is no number"]


def test_the_words_of_a_refusal_are_withheld_where_the_call_is() -> None:
    stream = Stream(WIRE, tools=[tool({"type": "object"}, name="f", hold=True)])
    events = [
        each for item in [*HEAD, *CALL[:-1], refused("x", "the value was 1")] for each in stream.receive_payload(item)
    ]
    events += [*stream.receive_payload(END[1]), *stream.end()]
    assert "the value was 1" not in json.dumps(plain(events), default=str)
    assert [call.error and call.error.message for call in stream.calls] == ["the arguments can't be used (malformed)"]
