from __future__ import annotations

import copy
import json
from functools import partial
from typing import Any, ClassVar

import pytest
from support import run
from support.wires import SSE, Case, Item, Payload, WireCases, shown

from toolwire.events import (
    Event,
    Finish,
    StreamError,
    ToolCallEnd,
    Usage,
)
from toolwire.limits import Limits
from toolwire.wire.anthropic import FINISH, recognises

# --- what a provider sends -------------------------------------------------------------------------------------


def start(id: str = "msg_1", content: Any = (), **more: Any) -> Payload:
    message = {"id": id, "type": "message", "role": "assistant", "model": "m", "content": list(content)}
    return {"type": "message_start", "message": message | more}


def block(index: Any, type: str, **fields: Any) -> Payload:
    return {"type": "content_block_start", "index": index, "content_block": {"type": type, **fields}}


def tool(index: Any, id: str = "toolu_1", name: str = "get", **fields: Any) -> Payload:
    return block(index, "tool_use", id=id, name=name, **({"input": {}} | fields))


def delta(index: Any, type: str, **fields: Any) -> Payload:
    return {"type": "content_block_delta", "index": index, "delta": {"type": type, **fields}}


def args(index: Any, text: Any) -> Payload:
    return delta(index, "input_json_delta", partial_json=text)


def stop(index: Any) -> Payload:
    return {"type": "content_block_stop", "index": index}


def reason(stop_reason: str | None, **usage: Any) -> Payload:
    return {"type": "message_delta", "delta": {"stop_reason": stop_reason, "stop_sequence": None}, "usage": usage}


PING: Payload = {"type": "ping"}
STOP: Payload = {"type": "message_stop"}
OVERLOADED = {"type": "overloaded_error", "message": "busy"}
PLACEHOLDERS: list[Any] = [{}, None, "", []]  # inputs of a start that say nothing
RESULT: Payload = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


def without(payload: Payload, *path: str) -> Payload:
    """A copy without the member at the path."""
    payload = copy.deepcopy(payload)
    holder = payload
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    return payload


# --- what it comes to ------------------------------------------------------------------------------------------

BEGUN = ("message", "msg_1", "m")


# --- the cases -------------------------------------------------------------------------------------------------

CALL = [start(), tool(0), args(0, ""), args(0, '{"a":'), args(0, "1}"), stop(0), reason("tool_use"), STOP]
CALLED = [
    BEGUN,
    ("start", 0, "toolu_1", "get"),
    ("delta", 0, '{"a":'),
    ("delta", 0, "1}"),
    ("end", 0, "complete", {"a": 1}),
    ("finish", "tool_calls", "tool_use", ["toolu_1"]),
]
STARTED = CALLED[:2]

CASES: list[Case] = [
    # text and reasoning
    (
        "text",
        [
            start(usage={"input_tokens": 5, "output_tokens": 1}),
            block(0, "text", text=""),
            delta(0, "text_delta", text="Hé"),
            PING,
            delta(0, "text_delta", text="llo 👋"),
            stop(0),
            reason("end_turn", output_tokens=7),
            STOP,
        ],
        [
            BEGUN,
            ("usage", 5, 1),
            ("text", "Hé"),
            ("text", "llo 👋"),
            ("usage", 5, 7),
            ("finish", "stop", "end_turn", []),
        ],
    ),
    (
        "text in the block's start counts",
        [start(), block(0, "text", text="a"), delta(0, "text_delta", text="b"), stop(0), reason("end_turn"), STOP],
        [BEGUN, ("text", "a"), ("text", "b"), ("finish", "stop", "end_turn", [])],
    ),
    (
        "thinking with its signature",
        [
            start(),
            block(0, "thinking", thinking="", signature=""),
            delta(0, "thinking_delta", thinking="hm"),
            delta(0, "signature_delta", signature="sig"),
            stop(0),
            reason("end_turn"),
            STOP,
        ],
        [
            BEGUN,
            ("reasoning", "hm", "thinking"),
            ("reasoning", "", "thinking", "sig", None),
            ("finish", "stop", "end_turn", []),
        ],
    ),
    (
        "thinking in the block's start",
        [start(), block(0, "thinking", thinking="hm", signature="sig"), stop(0), reason("end_turn"), STOP],
        [BEGUN, ("reasoning", "hm", "thinking", "sig", None), ("finish", "stop", "end_turn", [])],
    ),
    (
        "redacted thinking is kept whole",
        [start(), block(0, "redacted_thinking", data="xyz"), stop(0), reason("end_turn"), STOP],
        [
            BEGUN,
            ("reasoning", "", None, None, {"type": "redacted_thinking", "data": "xyz"}),
            ("finish", "stop", "end_turn", []),
        ],
    ),
    # calls
    ("call in fragments, ended by its block's stop", CALL, CALLED),
    (
        "the call ends before the turn's usage and finish",
        [start(), tool(0), args(0, "{}"), stop(0), reason("tool_use", output_tokens=9), STOP],
        [
            *STARTED,
            ("delta", 0, "{}"),
            ("end", 0, "complete", {}),
            ("usage", None, 9),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    (
        "no arguments: only an empty delta, so the stop reason decides",
        [start(), tool(0), args(0, ""), stop(0), reason("tool_use", output_tokens=9), STOP],
        [
            *STARTED,
            ("usage", None, 9),
            ("end", 0, "complete", {}),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    (
        "no arguments: no delta, no input",
        [start(), without(tool(0), "content_block", "input"), stop(0), reason("tool_use"), STOP],
        [*STARTED, ("end", 0, "complete", {}), ("finish", "tool_calls", "tool_use", ["toolu_1"])],
    ),
    (
        "no arguments and max_tokens: cut, not empty",
        [start(), tool(0), args(0, ""), stop(0), reason("max_tokens"), STOP],
        [*STARTED, ("end", 0, "incomplete", "cut"), ("finish", "length", "max_tokens", [])],
    ),
    (
        "max_tokens while the block is open, and no stop for it",
        [start(), tool(0), args(0, '{"a":"b'), reason("max_tokens"), STOP],
        [
            *STARTED,
            ("delta", 0, '{"a":"b'),
            ("end", 0, "incomplete", "cut"),
            ("finish", "length", "max_tokens", []),
        ],
    ),
    (
        "unfinished text in a turn that ended well is invalid",
        [start(), tool(0), args(0, '{"a":"b'), stop(0), reason("tool_use"), STOP],
        [
            *STARTED,
            ("delta", 0, '{"a":"b'),
            ("end", 0, "invalid", "truncated"),
            ("finish", "tool_calls", "tool_use", []),
        ],
    ),
    (
        "the end of bytes in a call",
        [start(), tool(0), args(0, '{"a":"b')],
        [*STARTED, ("delta", 0, '{"a":"b'), ("end", 0, "incomplete", "cut"), ("finish", "incomplete", [])],
    ),
    (
        "no stop reason, but message_stop",
        [start(), tool(0), args(0, "{}"), stop(0), STOP],
        [*STARTED, ("delta", 0, "{}"), ("end", 0, "complete", {}), ("finish", "tool_calls", ["toolu_1"])],
    ),
    (
        "no block stop",
        [start(), tool(0), args(0, "{}"), reason("tool_use"), STOP],
        [
            *STARTED,
            ("delta", 0, "{}"),
            ("end", 0, "complete", {}),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    (
        "a call wins over end_turn",
        [start(), tool(0), args(0, "{}"), stop(0), reason("end_turn"), STOP],
        [
            *STARTED,
            ("delta", 0, "{}"),
            ("end", 0, "complete", {}),
            ("finish", "tool_calls", "end_turn", ["toolu_1"]),
        ],
    ),
    (
        "no message_start",
        CALL[1:],
        [("message", None, None), *CALLED[1:]],
    ),
    (
        "message_start after the first block is no retry",
        [CALL[1], CALL[0], *CALL[2:]],
        [("message", None, None), *CALLED[1:]],
    ),
    (
        "no message_stop",
        CALL[:-1],
        CALLED,
    ),
    (
        "blocks interleave by index",
        [
            start(),
            tool(7),
            tool(3, "toolu_2", "put"),
            args(3, '{"b"'),
            args(7, '{"a"'),
            args(3, ":2}"),
            stop(3),
            args(7, ":1}"),
            stop(7),
            reason("tool_use"),
            STOP,
        ],
        [
            *STARTED,
            ("start", 1, "toolu_2", "put"),
            ("delta", 1, '{"b"'),
            ("delta", 0, '{"a"'),
            ("delta", 1, ":2}"),
            ("end", 1, "complete", {"b": 2}),
            ("delta", 0, ":1}"),
            ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", "tool_use", ["toolu_1", "toolu_2"]),
        ],
    ),
    (
        "server tools and MCP are the provider's to run",
        [
            start(),
            block(0, "server_tool_use", id="srvtoolu_1", name="web_search", input={}),
            args(0, '{"query":"x"}'),
            stop(0),
            {"type": "content_block_start", "index": 1, "content_block": RESULT},
            stop(1),
            block(2, "mcp_tool_use", id="mcptoolu_1", name="echo", input={}, server_name="s"),
            args(2, "{}"),
            stop(2),
            reason("end_turn"),
            STOP,
        ],
        [
            BEGUN,
            ("start", 0, "srvtoolu_1", "web_search", "server"),
            ("delta", 0, '{"query":"x"}'),
            ("end", 0, "complete", {"query": "x"}),
            ("unknown", {"type": "content_block_start", "index": 1, "content_block": RESULT}, "content_block_start"),
            ("start", 1, "mcptoolu_1", "echo", "mcp", {"server_name": "s"}),
            ("delta", 1, "{}"),
            ("end", 1, "complete", {}),
            ("finish", "stop", "end_turn", []),
        ],
    ),
    (
        "unknown members of a call's block are kept with it",
        [start(), tool(0, caller={"type": "direct"}, later=1, none=None), stop(0), reason("tool_use"), STOP],
        [
            BEGUN,
            ("start", 0, "toolu_1", "get", {"caller": {"type": "direct"}, "later": 1}),
            ("end", 0, "complete", {}),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    # the whole input in the block's start
    (
        "input in the start, used at the block's stop",
        [start(), tool(0, input={"a": 1}), stop(0), reason("tool_use", output_tokens=9), STOP],
        [
            *STARTED,
            ("value", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("usage", None, 9),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    (
        "input in the start and in deltas: the deltas win",
        [start(), tool(0, input={"a": 2}), *CALL[2:]],
        CALLED,
    ),
    (
        "input in the start, and deltas that say that there is none",
        [start(), tool(0, input={"a": 2}), args(0, "{}"), stop(0), reason("tool_use"), STOP],
        [
            *STARTED,
            ("delta", 0, "{}"),
            ("end", 0, "complete", {}),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    (
        "input in the start, and deltas that say nothing",
        [start(), tool(0, input={"a": 1}), args(0, ""), args(0, " "), stop(0), reason("tool_use"), STOP],
        [
            *STARTED,
            ("value", 0, " "),
            ("value", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    (
        "input in the start, used at the stop reason",
        [
            start(),
            tool(0, input={"a": 1}),
            reason(None, output_tokens=1),
            reason("tool_use"),
            reason(None, output_tokens=9),
            STOP,
        ],
        [
            *STARTED,
            ("usage", None, 1),
            ("value", 0, '{"a":1}'),
            ("usage", None, 9),
            ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    (
        "input in the start, used at message_stop",
        [start(), tool(0, input={"a": 1}), STOP],
        [
            *STARTED,
            ("value", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", ["toolu_1"]),
        ],
    ),
    (
        "input in the start, used at the end of bytes, which confirms nothing",
        [start(), tool(0, input={"a": 1})],
        [*STARTED, ("value", 0, '{"a":1}'), ("end", 0, "complete", {"a": 1}), ("finish", "incomplete", [])],
    ),
    (
        "input in the start of a turn that fails",
        [start(), tool(0, input={"a": 1}), {"type": "error", "error": OVERLOADED}],
        [
            *STARTED,
            ("value", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("error", "provider", "busy", "overloaded_error"),
            ("finish", "error", []),
        ],
    ),
    (
        "input in the starts of two open blocks",
        [
            start(),
            tool(0, input={"a": 1}),
            tool(1, "toolu_2", input={"b": 2}),
            stop(1),
            stop(0),
            reason("tool_use"),
            STOP,
        ],
        [
            *STARTED,
            ("start", 1, "toolu_2", "get"),
            ("value", 1, '{"b":2}'),
            ("end", 1, "complete", {"b": 2}),
            ("value", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", "tool_use", ["toolu_1", "toolu_2"]),
        ],
    ),
    *(
        (
            f"a start's input that says nothing: {empty!r}",
            [start(), tool(0, input=empty), args(0, '{"a":'), args(0, "1}"), stop(0), reason("tool_use"), STOP],
            CALLED,
        )
        for empty in PLACEHOLDERS
    ),
    *(
        (
            f"and without deltas: {empty!r}",
            [start(), tool(0, input=empty), stop(0), reason("max_tokens"), STOP],
            [*STARTED, ("end", 0, "incomplete", "cut"), ("finish", "length", "max_tokens", [])],
        )
        for empty in PLACEHOLDERS
    ),
    (
        "an input that is JSON in a string",
        [start(), tool(0, input='{"a":1}'), stop(0), reason("tool_use"), STOP],
        [
            *STARTED,
            ("value", 0, '"{\\"a\\":1}"'),
            ("end", 0, "repaired", {"a": 1}),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    *(
        (
            f"an input that is no object: {wrong!r}",
            [start(), tool(0, input=wrong), stop(0), reason("tool_use"), STOP],
            [
                *STARTED,
                ("value", 0, json.dumps(wrong)),
                ("end", 0, "invalid", "not_an_object"),
                ("finish", "tool_calls", "tool_use", []),
            ],
        )
        for wrong in ([1], 0, False)
    ),
    (
        "an object instead of text in a delta",
        [start(), tool(0), args(0, None), args(0, {"a": 1}), stop(0), reason("tool_use"), STOP],
        [
            *STARTED,
            ("value", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    # whole messages
    (
        "message_start with whole blocks and the stop reason",
        [
            start(
                content=[
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "redacted_thinking", "data": "x"},
                    {"type": "text", "text": "hi"},
                    {"type": "tool_use", "id": "toolu_1", "name": "get", "input": {"a": 1}, "caller": {"type": "c"}},
                    {"type": "tool_use", "id": "toolu_2", "name": "get", "input": {}},
                    RESULT,
                    "?",
                ],
                stop_reason="tool_use",
                usage={"input_tokens": 3, "output_tokens": 4},
            ),
            STOP,
        ],
        [
            BEGUN,
            ("usage", 3, 4),
            ("reasoning", "hm", "thinking"),
            ("reasoning", "", None, None, {"type": "redacted_thinking", "data": "x"}),
            ("text", "hi"),
            ("start", 0, "toolu_1", "get", {"caller": {"type": "c"}}),
            ("value", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("start", 1, "toolu_2", "get"),
            ("value", 1, "{}"),
            ("end", 1, "complete", {}),
            ("unknown", RESULT, "message_start"),
            ("unknown", "?", "message_start"),
            ("finish", "tool_calls", "tool_use", ["toolu_1", "toolu_2"]),
        ],
    ),
    (
        "message_start with a block, then another block at its index",
        [
            start(content=[{"type": "tool_use", "id": "toolu_1", "name": "get", "input": {"a": 1}}]),
            tool(0, "toolu_2", "put"),
            args(0, '{"b":2}'),
            stop(0),
            reason("tool_use"),
            STOP,
        ],
        [
            *STARTED,
            ("value", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("start", 1, "toolu_2", "put"),
            ("delta", 1, '{"b":2}'),
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "tool_use", ["toolu_1", "toolu_2"]),
        ],
    ),
    (
        "message_start with a block, then the same block",
        [
            start(content=[{"type": "tool_use", "id": "toolu_1", "name": "get", "input": {"a": 1}}]),
            tool(0, input={"a": 1}),
            stop(0),
            reason("tool_use"),
            STOP,
        ],
        [
            *STARTED,
            ("value", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    (
        "message_start with a block without input, then the same block with its input",
        [
            start(content=[{"type": "tool_use", "id": "toolu_1", "name": "get"}]),
            tool(0, input={"a": 1}),
            stop(0),
            reason("tool_use"),
            STOP,
        ],
        [
            *STARTED,
            ("value", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    (
        "a whole body",
        [
            (
                "",
                start(
                    content=[
                        {"type": "text", "text": "hi", "citations": None},
                        {"type": "tool_use", "id": "toolu_1", "name": "get", "input": {}},
                        {"type": "tool_use", "id": "toolu_2", "name": "get"},
                    ],
                    stop_reason="tool_use",
                    usage={"input_tokens": 3, "output_tokens": 4},
                )["message"],
            ),
            block(3, "text", text="after the end"),
        ],
        [
            BEGUN,
            ("usage", 3, 4),
            ("text", "hi"),
            ("start", 0, "toolu_1", "get"),
            ("value", 0, "{}"),
            ("end", 0, "complete", {}),
            ("start", 1, "toolu_2", "get"),
            ("end", 1, "complete", {}),
            ("finish", "tool_calls", "tool_use", ["toolu_1", "toolu_2"]),
        ],
    ),
    (
        "a whole body without a stop reason",
        [("", start(content=[{"type": "text", "text": "hi"}], stop_reason=None)["message"])],
        [BEGUN, ("text", "hi"), ("finish", "stop", [])],
    ),
    (
        "a whole body that was cut",
        [
            (
                "",
                start(
                    content=[{"type": "tool_use", "id": "toolu_1", "name": "get", "input": None}],
                    stop_reason="max_tokens",
                )["message"],
            )
        ],
        [*STARTED, ("end", 0, "incomplete", "cut"), ("finish", "length", "max_tokens", [])],
    ),
    # a message that begins again
    (
        "a duplicate of message_start",
        [start(usage={"input_tokens": 1}), PING, start(usage={"input_tokens": 1}), *CALL[1:]],
        [BEGUN, ("usage", 1, None), *CALLED[1:]],
    ),
    (
        "a retry under the same id",
        [start(), block(0, "text", text="a"), *CALL],
        [BEGUN, ("text", "a"), ("reset", "turn", []), *CALLED],
    ),
    (
        "a retry under another id before anything was said",
        [start("msg_0"), *CALL],
        [("message", "msg_0", "m"), ("reset", "turn", []), *CALLED],
    ),
    (
        "message_start again with blocks is no duplicate",
        [start(), start(content=[{"type": "text", "text": "a"}]), reason("end_turn"), STOP],
        [BEGUN, ("reset", "turn", []), BEGUN, ("text", "a"), ("finish", "stop", "end_turn", [])],
    ),
    (
        "a retry after a message that began with content",
        [start(content=[{"type": "text", "text": "a"}]), *CALL],
        [BEGUN, ("text", "a"), ("reset", "turn", []), *CALLED],
    ),
    (
        "a retry while a block is open, and one ended",
        [
            start("msg_0"),
            tool(0, "toolu_8", "put"),
            args(0, "{}"),
            stop(0),
            tool(1, "toolu_9", input={"z": 1}),
            start(),
            args(1, "{}"),  # for a block that is no more
            *CALL[1:],
        ],
        [
            ("message", "msg_0", "m"),
            ("start", 0, "toolu_8", "put"),
            ("delta", 0, "{}"),
            ("end", 0, "incomplete", "reset"),
            ("start", 1, "toolu_9", "get"),
            ("end", 1, "incomplete", "reset"),
            ("reset", "turn", ["toolu_8", "toolu_9"]),
            BEGUN,
            ("unknown", args(1, "{}"), "content_block_delta"),
            *CALLED[1:],
        ],
    ),
    (
        "a retry after the stop reason",
        [start("msg_0"), reason("max_tokens"), *CALL],
        [("message", "msg_0", "m"), ("reset", "turn", []), *CALLED],
    ),
    # keep-alives, errors, what has no meaning
    (
        "pings anywhere",
        [PING, CALL[0], PING, CALL[1], PING, *CALL[2:4], PING, *CALL[4:6], PING, CALL[6], PING, STOP],
        CALLED,
    ),
    (
        "an error while a call is open",
        [start(), tool(0), args(0, '{"a":'), {"type": "error", "error": OVERLOADED, "request_id": "r"}],
        [
            *STARTED,
            ("delta", 0, '{"a":'),
            ("end", 0, "incomplete", "cut"),
            ("error", "provider", "busy", "overloaded_error"),
            ("finish", "error", []),
        ],
    ),
    (
        "an error after a whole call",
        [start(), tool(0), args(0, "{}"), stop(0), {"type": "error", "error": OVERLOADED}, reason("tool_use"), STOP],
        [
            *STARTED,
            ("delta", 0, "{}"),
            ("end", 0, "complete", {}),
            ("error", "provider", "busy", "overloaded_error"),
            ("finish", "error", "tool_use", []),
        ],
    ),
    (
        "an error body",
        [("", {"type": "error", "error": OVERLOADED})],
        [("error", "provider", "busy", "overloaded_error"), ("finish", "error", [])],
    ),
    (
        "an error as text",
        [start(), {"type": "error", "error": "busy"}],
        [BEGUN, ("error", "provider", "busy", None), ("finish", "error", [])],
    ),
    (
        "an error event with the bare error",
        [start(), ("error", OVERLOADED)],
        [BEGUN, ("error", "provider", "busy", "overloaded_error"), ("finish", "error", [])],
    ),
    (
        "an error event that says nothing",
        [start(), ("error", {})],
        [BEGUN, ("error", "provider", "", None), ("finish", "error", [])],
    ),
    (
        "an error whose members stand beside its type",
        [start(), ("", {"type": "error", "message": "busy"})],
        [BEGUN, ("error", "provider", "busy", "error"), ("finish", "error", [])],
    ),
    (
        "an error without a type",
        [start(), ("", {"error": OVERLOADED})],
        [BEGUN, ("error", "provider", "busy", "overloaded_error"), ("finish", "error", [])],
    ),
    (
        "an error beside a delta and in the last event",
        [start(), delta(0, "text_delta", text="a") | {"error": OVERLOADED}, STOP | {"error": {"message": "again"}}],
        [BEGUN, ("text", "a"), ("error", "provider", "busy", "overloaded_error"), ("finish", "error", [])],
    ),
    (
        "an error in message_stop",
        [start(), STOP | {"error": OVERLOADED}],
        [BEGUN, ("error", "provider", "busy", "overloaded_error"), ("finish", "error", [])],
    ),
    (
        "an event of no known type",
        [start(), {"type": "later", "x": 1}, ("", {"y": 2}), ("", {"type": 5}), reason("end_turn"), STOP],
        [
            BEGUN,
            ("unknown", {"type": "later", "x": 1}, "later"),
            ("unknown", {"y": 2}),
            ("unknown", {"type": 5}),
            ("finish", "stop", "end_turn", []),
        ],
    ),
    (
        "a block of no known type, with deltas and a stop",
        [
            start(),
            tool(0),
            args(0, '{"a":'),
            block(1, "later_tool_use", input={}),
            args(1, "{"),
            delta(1, "later_delta", x=1),
            stop(1),
            args(0, "1}"),
            stop(0),
            reason("tool_use"),
            STOP,
        ],
        [
            *CALLED[:3],
            ("unknown", block(1, "later_tool_use", input={}), "content_block_start"),
            ("unknown", args(1, "{"), "content_block_delta"),
            ("unknown", delta(1, "later_delta", x=1), "content_block_delta"),
            *CALLED[3:],
        ],
    ),
    (
        "citations, by delta and in the start",
        [
            start(),
            block(0, "text", text="a", citations=[]),
            delta(0, "citations_delta", citation={"url": "u"}),
            stop(0),
            block(1, "text", text="b", citations=[{"url": "v"}]),
            stop(1),
            reason("end_turn"),
            STOP,
        ],
        [
            BEGUN,
            ("text", "a"),
            ("unknown", delta(0, "citations_delta", citation={"url": "u"}), "content_block_delta"),
            ("text", "b"),
            ("unknown", block(1, "text", text="b", citations=[{"url": "v"}]), "content_block_start"),
            ("finish", "stop", "end_turn", []),
        ],
    ),
    (
        "message without a list of blocks is no whole body",
        [start(), {"type": "message", "content": "hi"}, reason("end_turn"), STOP],
        [BEGUN, ("unknown", {"type": "message", "content": "hi"}, "message"), ("finish", "stop", "end_turn", [])],
    ),
    # type and event name
    (
        "the event's name stands in for a missing type",
        [(each["type"], without(each, "type")) for each in CALL],
        CALLED,
    ),
    ("the type wins over the event's name", [("ping", each) for each in CALL], CALLED),
    ("the type wins over an error's name", [("error", each) for each in CALL], CALLED),
    (
        "what the SDK's helper adds is skipped",
        [
            start(),
            block(0, "thinking", thinking=""),
            delta(0, "thinking_delta", thinking="hm"),
            {"type": "thinking", "thinking": "hm", "snapshot": "hm"},
            delta(0, "signature_delta", signature="sig"),
            {"type": "signature", "signature": "sig"},
            stop(0) | {"content_block": {"type": "thinking", "thinking": "hm", "signature": "sig"}},
            block(1, "text", text=""),
            delta(1, "text_delta", text="a"),
            {"type": "text", "text": "a", "snapshot": "a"},
            {"type": "citation", "citation": {}, "snapshot": []},
            {"type": "compaction", "content": "c"},
            stop(1) | {"content_block": {"type": "text", "text": "a"}},
            tool(2),
            args(2, "{}"),
            {"type": "input_json", "partial_json": "{}", "snapshot": {}},
            stop(2) | {"content_block": tool(2)["content_block"]},
            reason("tool_use"),
            STOP | {"message": start(content=[{"type": "text", "text": "a"}])["message"]},
        ],
        [
            BEGUN,
            ("reasoning", "hm", "thinking"),
            ("reasoning", "", "thinking", "sig", None),
            ("text", "a"),
            *STARTED[1:],
            ("delta", 0, "{}"),
            ("end", 0, "complete", {}),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    # usage and finish
    (
        "the last count that is not null stands",
        [
            start(usage={"input_tokens": 5, "output_tokens": 1}),
            reason(None, output_tokens=2),
            reason("end_turn", input_tokens=None, output_tokens=None),
            reason(None, input_tokens=6, output_tokens="?"),
            STOP,
        ],
        [BEGUN, ("usage", 5, 1), ("usage", 5, 2), ("usage", 6, 2), ("finish", "stop", "end_turn", [])],
    ),
    (
        "a stop reason that is none",
        [start(), tool(0, input={"a": 1}), reason("null"), reason(""), stop(0), STOP],
        [
            *STARTED,
            ("value", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", ["toolu_1"]),
        ],
    ),
    (
        "stop reasons that come twice: a cut wins, each is kept",
        [start(), tool(0), args(0, "{}"), stop(0), reason("max_tokens"), reason("tool_use"), STOP],
        [
            *STARTED,
            ("delta", 0, "{}"),
            ("end", 0, "complete", {}),
            ("finish", "length", "max_tokens", "tool_use", []),
        ],
    ),
    # indexes, ids and names as compatible servers bend them
    *(
        (
            f"an index is a key: {index!r}",
            [start(), tool(index), args(index, '{"a":'), args(index, "1}"), stop(index), reason("tool_use"), STOP],
            CALLED,
        )
        for index in (-1, 0.0, "b", [1], {"a": 1}, None, True, 2**70)
    ),
    (
        "no index anywhere",
        [without(each, "index") if "index" in each else each for each in CALL],
        CALLED,
    ),
    (
        "no index, two calls one after the other",
        [
            without(each, "index") if "index" in each else each
            for each in [*CALL[:6], block(0, "text", text="t"), stop(0), tool(0, "toolu_2"), args(0, "{}"), *CALL[5:]]
        ],
        [
            *CALLED[:5],
            ("text", "t"),
            ("start", 1, "toolu_2", "get"),
            ("delta", 1, "{}"),
            ("end", 1, "complete", {}),
            ("finish", "tool_calls", "tool_use", ["toolu_1", "toolu_2"]),
        ],
    ),
    (
        "no index beside an open call that has one",
        [
            start(),
            tool(3),
            without(tool(0, "toolu_2"), "index"),
            without(args(0, '{"b":2}'), "index"),
            without(stop(0), "index"),
            args(3, '{"a":1}'),
            stop(3),
            reason("tool_use"),
            STOP,
        ],
        [
            *STARTED,
            ("start", 1, "toolu_2", "get"),
            ("delta", 1, '{"b":2}'),
            ("end", 1, "complete", {"b": 2}),
            ("delta", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", "tool_use", ["toolu_1", "toolu_2"]),
        ],
    ),
    (
        "an unknown index continues the only open call",
        [start(), tool(0), args(5, '{"a":'), without(args(0, "1}"), "index"), stop(0), reason("tool_use"), STOP],
        CALLED,
    ),
    (
        "an unknown index while two calls are open belongs to none",
        [start(), tool(0), tool(1, "toolu_2"), args(5, "{}"), reason("max_tokens"), STOP],
        [
            *STARTED,
            ("start", 1, "toolu_2", "get"),
            ("unknown", args(5, "{}"), "content_block_delta"),
            ("end", 0, "incomplete", "malformed"),
            ("end", 1, "incomplete", "malformed"),
            ("finish", "length", "max_tokens", []),
        ],
    ),
    (
        "an unknown index while two calls are open: neither can be trusted",
        [start(), tool(0), tool(1, "toolu_2"), args(5, '{"a":1}'), stop(0), stop(1), reason("tool_use"), STOP],
        [
            *STARTED,
            ("start", 1, "toolu_2", "get"),
            ("unknown", args(5, '{"a":1}'), "content_block_delta"),
            ("end", 0, "invalid", "malformed"),
            ("end", 1, "invalid", "malformed"),
            ("finish", "tool_calls", "tool_use", []),
        ],
    ),
    (
        "the stop of an unknown block ends nothing",
        [start(), tool(0), args(0, '{"a":1}'), stop(5), args(0, " "), stop(0), reason("tool_use"), STOP],
        [
            *STARTED,
            ("delta", 0, '{"a":1}'),
            ("delta", 0, " "),
            ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    (
        "argument text for a block of text belongs to no call",
        [start(), tool(0), block(1, "text", text="t"), args(1, "{}"), args(0, "{}"), stop(0), reason("tool_use"), STOP],
        [
            *STARTED,
            ("text", "t"),
            ("unknown", args(1, "{}"), "content_block_delta"),
            ("delta", 0, "{}"),
            ("end", 0, "complete", {}),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    (
        "a block of text at an open call's index takes it over, and its stop is its own",
        [
            start(),
            tool(0, input={"a": 1}),
            block(0, "text", text="t"),
            stop(0),
            reason(None, output_tokens=1),
            reason("tool_use"),
            STOP,
        ],
        [
            *STARTED,
            ("value", 0, '{"a":1}'),
            ("text", "t"),
            ("usage", None, 1),
            ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    (
        "argument text for the text block that took the index of an ended call, or of an open one",
        [
            *CALL[:6],
            tool(1, "toolu_2"),
            block(0, "text", text="t"),
            args(0, "{}"),
            block(1, "text", text="u"),
            args(1, "{}"),
            *CALL[6:],
        ],
        [
            *CALLED[:5],
            ("start", 1, "toolu_2", "get"),
            ("text", "t"),
            ("unknown", args(0, "{}"), "content_block_delta"),
            ("text", "u"),
            ("unknown", args(1, "{}"), "content_block_delta"),
            ("end", 1, "complete", {}),
            ("finish", "tool_calls", "tool_use", ["toolu_1", "toolu_2"]),
        ],
    ),
    (
        "a call at the index of a text block",
        [start(), block(0, "text", text="t"), stop(0), *CALL[1:]],
        [BEGUN, ("text", "t"), *CALLED[1:]],
    ),
    (
        "a call at an ended call's index",
        [*CALL[:6], tool(0, "toolu_2", "get"), args(0, "{}"), stop(0), *CALL[6:]],
        [
            *CALLED[:5],
            ("start", 1, "toolu_2", "get"),
            ("delta", 1, "{}"),
            ("end", 1, "complete", {}),
            ("finish", "tool_calls", "tool_use", ["toolu_1", "toolu_2"]),
        ],
    ),
    (
        "another id at an open call's index is another call",
        [
            start(),
            tool(0, input={"z": 1}),
            tool(0, "toolu_2"),
            args(0, "{}"),
            stop(0),
            reason("tool_use"),
            STOP,
        ],
        [
            *STARTED,
            ("value", 0, '{"z":1}'),
            ("start", 1, "toolu_2", "get"),
            ("delta", 1, "{}"),
            ("end", 1, "complete", {}),
            ("end", 0, "complete", {"z": 1}),
            ("finish", "tool_calls", "tool_use", ["toolu_1", "toolu_2"]),
        ],
    ),
    (
        "a block's start again, by its id",
        [start(), tool(0), args(0, '{"a":'), tool(0), args(0, "1}"), stop(0), tool(0), stop(0), *CALL[6:]],
        CALLED,
    ),
    (
        "a block's start again, with the input that the first lacked",
        [start(), tool(0), tool(0, input={"a": 1}), stop(0), reason("tool_use"), STOP],
        [
            *STARTED,
            ("value", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", "tool_use", ["toolu_1"]),
        ],
    ),
    (
        "a block's start again, with an input after all deltas",
        [*CALL[:5], tool(0, input={"a": 2}), *CALL[5:]],
        CALLED,
    ),
    (
        "a block's start again, with an input after the call has ended without any",
        [start(), tool(0), stop(0), reason("tool_use"), tool(0, input={"a": 1}), stop(0), STOP],
        [
            *STARTED,
            ("end", 0, "invalid", "reset"),
            ("reset", "calls", ["toolu_1"]),
            ("finish", "tool_calls", "tool_use", []),
        ],
    ),
    (
        "the same id at another index is another call, under an id of its own",
        [start(), tool(0), args(0, "{}"), stop(0), tool(1), args(1, "{}"), stop(1), reason("tool_use"), STOP],
        [
            *STARTED,
            ("delta", 0, "{}"),
            ("end", 0, "complete", {}),
            ("start", 1, ("*1", "toolu_1"), "get"),
            ("delta", 1, "{}"),
            ("end", 1, "complete", {}),
            ("finish", "tool_calls", "tool_use", ["toolu_1", ("*1", "toolu_1")]),
        ],
    ),
    (
        "no id in the start again",
        [start(), tool(0), args(0, '{"a":'), tool(0, ""), args(0, "1}"), *CALL[5:]],
        CALLED,
    ),
    (
        "an id only in the start again",
        [start(), tool(0, ""), args(0, '{"a":'), tool(0), args(0, "1}"), *CALL[5:]],
        [
            BEGUN,
            ("start", 0, ("*0", "toolu_1"), "get"),
            *CALLED[2:5],
            ("finish", "tool_calls", "tool_use", [("*0", "toolu_1")]),
        ],
    ),
    (
        "neither id nor name in the start again, or not in the first",
        [
            start(),
            tool(0, ""),
            args(0, '{"a":'),
            block(0, "tool_use"),
            args(0, "1}"),
            stop(0),
            block(1, "tool_use"),
            tool(1, ""),
            args(1, '{"b":2}'),
            stop(1),
            *CALL[6:],
        ],
        [
            BEGUN,
            ("start", 0, "*0", "get"),
            *CALLED[2:5],
            ("start", 1, "*1", "get"),
            ("delta", 1, '{"b":2}'),
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "tool_use", ["*0", "*1"]),
        ],
    ),
    (
        "no id and no arguments: a start after a stop is another call",
        [start(), tool(0, ""), stop(0), tool(0, ""), stop(0), reason("tool_use"), STOP],
        [
            BEGUN,
            ("start", 0, "*0", "get"),
            ("start", 1, "*1", "get"),
            ("end", 0, "complete", {}),
            ("end", 1, "complete", {}),
            ("finish", "tool_calls", "tool_use", ["*0", "*1"]),
        ],
    ),
    (
        "no id: a start again while the call is open is a repeat, after its stop it is a call",
        [
            start(),
            tool(0, ""),
            args(0, '{"a":'),
            tool(0, ""),
            args(0, "1}"),
            stop(0),
            tool(0, ""),
            args(0, "{}"),
            stop(0),
            reason("tool_use"),
            STOP,
        ],
        [
            BEGUN,
            ("start", 0, "*0", "get"),
            ("delta", 0, '{"a":'),
            ("delta", 0, "1}"),
            ("end", 0, "complete", {"a": 1}),
            ("start", 1, "*1", "get"),
            ("delta", 1, "{}"),
            ("end", 1, "complete", {}),
            ("finish", "tool_calls", "tool_use", ["*0", "*1"]),
        ],
    ),
    (
        "no id: another name, or a start after whole text, is another call",
        [
            start(),
            tool(0, ""),
            tool(0, "", "put"),
            args(0, '{"b":2}'),
            tool(0, "", "put"),
            stop(0),
            reason("max_tokens"),
            STOP,
        ],
        [
            BEGUN,
            ("start", 0, "*0", "get"),
            ("start", 1, "*1", "put"),
            ("delta", 1, '{"b":2}'),
            ("start", 2, "*2", "put"),
            ("end", 2, "incomplete", "cut"),
            ("end", 0, "incomplete", "cut"),
            ("end", 1, "complete", {"b": 2}),
            ("finish", "length", "max_tokens", []),
        ],
    ),
    (
        "a name that comes with the repeated start",
        [start(), tool(0, name="null"), args(0, '{"a":'), tool(0), tool(0, name="put"), *CALL[4:]],
        CALLED,
    ),
    (
        "a name that never comes",
        [start(), tool(0, name=""), args(0, "{}"), stop(0), reason("tool_use"), STOP],
        [
            BEGUN,
            (
                "error",
                "protocol",
                "call 0 of choice 0 never got a name (id 'toolu_1', 2 characters of arguments)",
                None,
            ),
            ("finish", "error", "tool_use", []),
        ],
    ),
    (
        "argument text after the block's stop takes the call back",
        [*CALL[:6], args(0, '{"a":2}'), *CALL[6:]],
        [
            *CALLED[:4],
            ("end", 0, "invalid", "reset"),
            ("reset", "calls", ["toolu_1"]),
            ("finish", "tool_calls", "tool_use", []),
        ],
    ),
    (
        "the same after an input that stood in the start",
        [start(), tool(0, input={"a": 1}), stop(0), args(0, '{"a":2}'), reason("tool_use"), STOP],
        [
            *STARTED,
            ("value", 0, '{"a":1}'),
            ("end", 0, "invalid", "reset"),
            ("reset", "calls", ["toolu_1"]),
            ("finish", "tool_calls", "tool_use", []),
        ],
    ),
    (
        "members of the wrong type say nothing",
        [
            {"type": "message_start", "message": []},
            {"type": "content_block_start", "index": 0, "content_block": "x"},
            {"type": "content_block_delta", "index": 0, "delta": None},
            delta(0, "text_delta", text=1),
            delta(0, "thinking_delta", thinking=[]),
            delta(0, "signature_delta", signature={}),
            {"type": "message_delta", "delta": 3, "usage": "u"},
            STOP,
        ],
        [
            ("message", None, None),
            ("unknown", {"type": "content_block_start", "index": 0, "content_block": "x"}, "content_block_start"),
            ("unknown", {"type": "content_block_delta", "index": 0, "delta": None}, "content_block_delta"),
            ("finish", "stop", []),
        ],
    ),
]


def named(item: Item) -> Item:
    """A payload after its event's name."""
    return item if isinstance(item, tuple) else (item["type"], item)


def by_payload(items: list[Item], **options: Any) -> list[Event]:
    return run(map(named, items), "anthropic", **options)


class TestCases(WireCases):
    wire = "anthropic"
    cases = CASES
    nobodys = ("an error body",)
    bodies: ClassVar = {name: partial(body, pad="  ") for name, body in SSE.items()}
    cuts = 300
    mutations = 500
    words = ("tool_use",)
    members = ("type", "id", "x")

    def sent(self, item: Item) -> Item:
        return named(item)


@pytest.mark.parametrize("raw", [*FINISH, "odd", "Tool_Use"])
def test_stop_reasons(raw: str) -> None:
    meaning: dict[str, tuple[str, bool]] = {  # of a turn with a whole call: the reason, and whether the call may be run
        "end_turn": ("tool_calls", True),
        "stop_sequence": ("tool_calls", True),
        "tool_use": ("tool_calls", True),
        "Tool_Use": ("tool_calls", True),
        "max_tokens": ("length", False),
        "model_context_window_exceeded": ("length", False),
        "pause_turn": ("pause", False),
        "compaction": ("pause", False),
        "refusal": ("content_filter", False),
        "odd": ("unknown", False),
    }
    finish = by_payload([*CALL[:6], reason(raw), STOP])[-1]
    assert isinstance(finish, Finish)
    assert (finish.reason, finish.raw, bool(finish.calls)) == (meaning[raw][0], (raw,), meaning[raw][1])


@pytest.mark.parametrize(
    ("payload", "event", "answer"),
    [
        *((payload, "", True) for payload in (*CALL, PING, start()["message"])),
        (without(start(), "type"), "message_start", True),
        (without(args(0, "x"), "type"), "content_block_delta", True),
        (without(args(0, "x"), "type"), "", False),
        ({"type": "message_start"}, "", False),
        ({"type": "message_start", "message": "x"}, "message_start", False),
        ({"type": "content_block_start", "index": 0}, "", False),
        ({"type": "content_block_delta", "index": 0}, "", False),
        ({"type": "content_block_stop"}, "", False),
        ({"type": "message_delta", "usage": {}}, "", False),
        ({"type": "message", "content": "x"}, "", False),
        ({"content": []}, "message", False),
        ({"type": "error", "error": OVERLOADED}, "error", False),
        ({"type": "text", "text": "x"}, "", False),
        ({"type": "response.created", "response": {}}, "response.created", False),
        ({"choices": []}, "", False),
        ({"type": ["message_start"], "message": {}}, "", False),
        ({}, "", False),
        ({}, "ping", False),
    ],
)
def test_recognises(payload: Payload, event: str, answer: bool) -> None:
    assert recognises(payload, event) is answer


def test_raw_error_and_its_place_are_kept() -> None:
    error = by_payload([start(), {"type": "error", "error": OVERLOADED | {"details": 1}}])[1]
    assert isinstance(error, StreamError)
    assert (error.raw, error.wire) == (OVERLOADED | {"details": 1}, "anthropic")


def test_usage_keeps_the_providers_own_counts() -> None:
    events = by_payload([start(usage={"cache_read_input_tokens": 2}), reason("end_turn", output_tokens=3), STOP])
    usage = [event.raw for event in events if isinstance(event, Usage)]
    assert usage[-1] == {"cache_read_input_tokens": 2, "output_tokens": 3}


@pytest.mark.parametrize("half", list("\ud83d\udc4b"), ids=["high", "low"])
def test_half_a_surrogate_pair_in_an_input(half: str) -> None:
    events = by_payload([start(), tool(0, input={"a": half}), stop(0), reason("tool_use"), STOP])
    finish = events[-1]
    assert isinstance(finish, Finish)
    assert [call.arguments for call in finish.calls] == [{"a": half}]


DEEP: Any = 1
for _ in range(980):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize("wrong", [{"a": object()}, DEEP], ids=["no JSON", "too deep"])
def test_an_input_that_cannot_be_taken_spoils_its_call_alone(wrong: Any) -> None:
    items = [
        start(),
        tool(0, input=wrong),
        stop(0),
        tool(1, "toolu_2"),
        args(1, "{}"),
        stop(1),
        reason("tool_use"),
        STOP,
    ]
    events = by_payload(items)
    ends = {event.id: event.call.status for event in events if isinstance(event, ToolCallEnd)}
    assert ends == {"toolu_1": "invalid", "toolu_2": "complete"}
    assert shown(events)[-1] == ("finish", "tool_calls", "tool_use", ["toolu_2"])


def test_the_limit_on_calls() -> None:
    events = by_payload(
        [start(), tool(0), tool(1, "toolu_2", input={"a": 1}), args(1, "{}"), stop(1), STOP], limits=Limits(calls=1)
    )
    assert [event.type for event in events] == [
        "message_start",
        "tool_call_start",
        "tool_call_end",
        "stream_error",
        "finish",
    ]


def test_done_in_place_of_all_the_events() -> None:
    """It ends bytes of another wire: here nothing was answered, and that is no clean end."""
    assert shown(run([b"data: [DONE]\n\n"], "anthropic")) == [("message", None, None), ("finish", "incomplete", [])]
