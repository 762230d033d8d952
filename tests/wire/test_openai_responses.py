from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from support import run, wires
from support.wires import Case, Item, Payload, WireCases

from toolwire.events import (
    Event,
    StreamError,
    ToolCallEnd,
    ToolCallStart,
    Unknown,
    Usage,
)
from toolwire.limits import Limits
from toolwire.sansio import Stream
from toolwire.wire.openai_responses import recognises

if TYPE_CHECKING:
    from toolwire.call import ToolCall


# --- what a provider sends -------------------------------------------------------------------------------------


def event(type: str, **fields: Any) -> Payload:
    return {"type": f"response.{type}", **fields}


def response(status: str, *output: Any, **fields: Any) -> Payload:
    whole = {"id": "resp_1", "object": "response", "model": "m", "status": status, "output": list(output)}
    return whole | fields


def final(status: str, *output: Any, **fields: Any) -> Payload:
    return event(status, response=response(status, *output, **fields))


def added(item: Payload, index: Any = 0) -> Payload:
    return event("output_item.added", output_index=index, item=item)


def ended(item: Payload, index: Any = 0) -> Payload:
    return event("output_item.done", output_index=index, item=item)


def function(arguments: Any = "", n: int = 1, **fields: Any) -> Payload:
    item = {"type": "function_call", "id": f"fc_{n}", "call_id": f"call_{n}", "name": f"f{n}", "arguments": arguments}
    return item | fields


def custom(text: Any = "", **fields: Any) -> Payload:
    item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "sql", "input": text}
    return item | fields


def mcp(arguments: Any = "", **fields: Any) -> Payload:
    return {"type": "mcp_call", "id": "mcp_1", "name": "ask", "arguments": arguments, "server_label": "wiki"} | fields


def message(*parts: Any, **fields: Any) -> Payload:
    return {"type": "message", "id": "msg_1", "role": "assistant", "content": list(parts)} | fields


def part(text: str, **fields: Any) -> Payload:
    return {"type": "output_text", "text": text, "annotations": []} | fields


def thought(*summary: str, content: tuple[str, ...] = (), **fields: Any) -> Payload:
    parts = {"summary": [{"type": "summary_text", "text": text} for text in summary]}
    whole = [{"type": "reasoning_text", "text": text} for text in content]
    return {"type": "reasoning", "id": "rs_1"} | parts | ({"content": whole} if whole else {}) | fields


def args(delta: Any, n: int = 1, index: Any = 0) -> Payload:
    return event("function_call_arguments.delta", item_id=f"fc_{n}", output_index=index, delta=delta)


def args_done(arguments: Any, n: int = 1, index: Any = 0) -> Payload:
    return event("function_call_arguments.done", item_id=f"fc_{n}", output_index=index, arguments=arguments)


def said(delta: Any, place: Any = 0, index: Any = 0) -> Payload:
    return event("output_text.delta", item_id="msg_1", output_index=index, content_index=place, delta=delta)


def said_done(text: Any, place: Any = 0, index: Any = 0) -> Payload:
    return event("output_text.done", item_id="msg_1", output_index=index, content_index=place, text=text)


def without(payload: Payload, *paths: str) -> Payload:
    """A copy without the members at the dotted paths."""
    payload = copy.deepcopy(payload)
    for path in paths:
        *way, last = path.split(".")
        holder = payload
        for key in way:
            holder = holder[key]
        del holder[last]
    return payload


def lost(*payloads: Payload, index: bool = False) -> list[Payload]:
    """Payloads without item ids (and indexes), as some servers send them."""
    paths = [("item_id",), ("item", "id"), *([("output_index",)] if index else [])]
    result = [copy.deepcopy(each) for each in payloads]
    for payload in result:
        for *way, last in paths:
            holder = payload.get(way[0], {}) if way else payload
            holder.pop(last, None)
    return result


def rotated(*payloads: Payload) -> list[Payload]:
    """Payloads with item ids that are new in each event, as GitHub Copilot sends them."""
    result = [copy.deepcopy(each) for each in payloads]
    for number, payload in enumerate(result):
        for holder in (payload, payload.get("item", {}), *payload.get("response", {}).get("output", [])):
            for key in ("item_id", "id"):
                if key in holder:
                    holder[key] = f"rotated_{number}_{holder[key]}"
    return result


CREATED = event("created", response=response("in_progress"))
COMPLETED = final("completed")
DONE = "[DONE]"
SEARCH: Payload = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"query": "x"}}
MEANINGLESS: list[Any] = [
    {"type": "keepalive"},
    {"type": "completed"},
    {"type": "output_text.delta", "delta": "a"},
    event("later", x=1),
    event("output_item.later", item={"type": "function_call", "name": "f", "call_id": "c"}),
    event("output_text.later", delta="a"),
]
NO_STATUS: list[Any] = ["in_progress", None, "odd", []]  # none that a final response may have
QUOTA = {"type": "insufficient_quota", "code": "quota", "message": "pay", "param": None}

# --- what it comes to ------------------------------------------------------------------------------------------

shown = partial(wires.shown, hidden=("item_id",))

BEGUN = ("message", "resp_1", "m")


# --- the cases -------------------------------------------------------------------------------------------------

CALL: list[Any] = [
    CREATED,
    added(function()),
    args('{"a":'),
    args("1}"),
    args_done('{"a":1}'),
    ended(function('{"a":1}')),
    COMPLETED,
]
STARTED: list[Any] = [BEGUN, ("start", 0, "call_1", "f1")]
ENDED = ("end", 0, "complete", {"a": 1})
CONFIRMED = ("finish", "tool_calls", "completed", ["call_1"])
CALLED: list[Any] = [*STARTED, ("delta", 0, '{"a":'), ("delta", 0, "1}"), ENDED, CONFIRMED]
AT_ONCE: list[Any] = [*STARTED, ("delta", 0, '{"a":1}'), ENDED, CONFIRMED]
STOPPED: Any = ("finish", "stop", "completed", [])


def passed_on(payload: Payload) -> tuple[Any, ...]:
    return ("unknown", payload, payload["type"])


TEXTS: list[Case] = [
    (
        "text with all its copies",
        [
            CREATED,
            event("queued", response=response("queued")),
            event("in_progress", response=response("in_progress")),
            added(message()),
            event("content_part.added", item_id="msg_1", output_index=0, content_index=0, part=part("")),
            said("Hé"),
            said(""),
            said("llo 👋"),
            said_done("Héllo 👋"),
            event("content_part.done", item_id="msg_1", output_index=0, content_index=0, part=part("Héllo 👋")),
            ended(message(part("Héllo 👋"))),
            final("completed", message(part("Héllo 👋")), usage={"input_tokens": 5, "output_tokens": 7}),
        ],
        [BEGUN, ("text", "Hé"), ("text", "llo 👋"), ("usage", 5, 7), STOPPED],
    ),
    ("text only in output_text.done", [CREATED, said_done("a"), COMPLETED], [BEGUN, ("text", "a"), STOPPED]),
    (
        "text only in content_part.done",
        [CREATED, event("content_part.done", item_id="msg_1", content_index=0, part=part("a")), COMPLETED],
        [BEGUN, ("text", "a"), STOPPED],
    ),
    (
        "text only in output_item.done",
        [CREATED, ended(message(part("a"), part("b"))), COMPLETED],
        [BEGUN, ("text", "ab"), STOPPED],
    ),
    (
        "text only in the final response",
        [final("completed", message(part("a")), message("?", id="msg_2", content="b"))],
        [BEGUN, ("text", "a"), ("text", "b"), STOPPED],
    ),
    *(
        (
            f"what a later copy has more: {name}",
            [CREATED, added(message()), said("a"), later, COMPLETED],
            [BEGUN, ("text", "a"), ("text", "b"), STOPPED],
        )
        for name, later in {
            "output_text.done": said_done("ab"),
            "content_part.done": event("content_part.done", item_id="msg_1", content_index=0, part=part("ab")),
            "output_item.done": ended(message(part("ab"))),
            "another part": ended(message(part("a"), part("b"))),
        }.items()
    ),
    (
        "what the final response has more",
        [CREATED, said("a"), final("completed", message(part("ab")))],
        [BEGUN, ("text", "a"), ("text", "b"), STOPPED],
    ),
    (
        "a copy that contradicts is passed on",
        [CREATED, said("abc"), said_done("axc"), said_done("ab"), said_done(""), COMPLETED],
        [BEGUN, ("text", "abc"), passed_on(said_done("axc")), passed_on(said_done("ab")), STOPPED],
    ),
    (
        "parts are told apart by content_index",
        [said("a", 0), said("b", 1), said_done("ax", 0), said_done("by", 1), COMPLETED],
        [
            ("message", None, None),
            ("text", "a"),
            ("text", "b"),
            ("text", "x"),
            ("text", "y"),
            STOPPED,
        ],
    ),
    (
        "parts without a content_index",
        [
            CREATED,
            *(without(each, "content_index") for each in (said("a"), said("b"), said_done("ab"))),
            ended(message(part("a"), part("b"))),
            COMPLETED,
        ],
        [BEGUN, ("text", "a"), ("text", "b"), STOPPED],
    ),
    (
        "text of two messages",
        [
            CREATED,
            said("a", index=0),
            said("b", index=1) | {"item_id": "msg_2"},
            ended(message(part("b"), id="msg_2"), 1),
            ended(message(part("a")), 0),
            final("completed", message(part("a")), message(part("bc"), id="msg_2")),
        ],
        [BEGUN, ("text", "a"), ("text", "b"), ("text", "c"), STOPPED],
    ),
    (
        "text without ids or indexes",
        [
            CREATED,
            *lost(added(message()), said("a"), said_done("a"), ended(message(part("a"))), index=True),
            *lost(added(message()), said("b"), said_done("b"), ended(message(part("b"))), index=True),
            final("completed", *lost(message(part("a")), message(part("b"))), without(message(part("c")), "id")),
        ],
        [BEGUN, ("text", "a"), ("text", "b"), ("text", "c"), STOPPED],
    ),
    (
        "text under ids that rotate",
        rotated(
            CREATED,
            added(message(), 1),
            said("a", index=1),
            said_done("a", index=1),
            ended(message(part("a")), 1),
            final("completed", thought(), message(part("ab"))),
        ),
        [
            ("message", "resp_1", "m"),
            ("text", "a"),
            ("reasoning", "", "reasoning", None, thought(id="rotated_5_rs_1")),
            ("text", "b"),
            STOPPED,
        ],
    ),
    (
        "a new message in the final response before a known one",
        [
            CREATED,
            said("a"),
            ended(message(part("a"))),
            final("completed", message(part("b"), id="msg_0"), message(part("a"))),
        ],
        [BEGUN, ("text", "a"), ("text", "b"), STOPPED],
    ),
    (
        "a pair of surrogates cut in two, and whole in its copy",
        [CREATED, said("a\ud83d"), said_done("a😀b"), ended(message(part("a😀bc"))), COMPLETED],
        [BEGUN, ("text", "a"), ("text", "😀b"), ("text", "c"), STOPPED],
    ),
    (
        "a pair of surrogates in two deltas",
        [CREATED, said("\ud83d"), said("\ude00"), said_done("😀"), ended(message(part("😀"))), COMPLETED],
        [BEGUN, ("text", "😀"), STOPPED],
    ),
    (
        "messages of one id in the final response",
        [CREATED, said("a"), final("completed", message(part("a")), message(part("b")))],
        [BEGUN, ("text", "a"), ("text", "b"), STOPPED],
    ),
    (
        "messages known by their ends alone, without ids or indexes",
        [CREATED, *lost(ended(message(part("a"))), ended(message(part("b"))), index=True), COMPLETED],
        [BEGUN, ("text", "a"), ("text", "b"), STOPPED],
    ),
    (
        "parts of an older type",
        [CREATED, ended(message({"type": "text", "text": "a"})), COMPLETED],
        [BEGUN, ("text", "a"), STOPPED],
    ),
    (
        "messages at one index, told apart by id",
        [
            CREATED,
            added(message()),
            said("a"),
            ended(message(part("a"))),
            added(message(id="msg_2")),
            said("b") | {"item_id": "msg_2"},
            ended(message(part("bc"), id="msg_2")),
            COMPLETED,
        ],
        [BEGUN, ("text", "a"), ("text", "b"), ("text", "c"), STOPPED],
    ),
    (
        "a message that begins while another is open at its index",
        [
            CREATED,
            added(message()),
            said("a"),
            added(message(id="msg_2")),
            said("b") | {"item_id": "x"},
            ended(message(part("ac"))),
            COMPLETED,
        ],
        [BEGUN, ("text", "a"), ("text", "b"), ("text", "c"), STOPPED],
    ),
    (
        "text before its message's first event, under ids that rotate",
        [CREATED, said("a"), added(message(id="x")), ended(message(part("ab"), id="y")), COMPLETED],
        [BEGUN, ("text", "a"), ("text", "b"), STOPPED],
    ),
    (
        "a refusal with all its copies",
        [
            CREATED,
            added(message()),
            event("refusal.delta", item_id="msg_1", output_index=0, content_index=0, delta="I "),
            event("refusal.delta", item_id="msg_1", output_index=0, content_index=0, delta="can't"),
            event("refusal.done", item_id="msg_1", output_index=0, content_index=0, refusal="I can't"),
            ended(message({"type": "refusal", "refusal": "I can't."})),
            final("completed", message({"type": "refusal", "refusal": "I can't."})),
        ],
        [BEGUN, ("refusal", "I "), ("refusal", "can't"), ("refusal", "."), STOPPED],
    ),
    (
        "annotations by event",
        [
            CREATED,
            said("a"),
            event("output_text.annotation.added", item_id="msg_1", output_index=0, annotation={"url": "u"}),
            ended(message(part("a", annotations=[{"url": "u"}]))),
            final("completed", message(part("a", annotations=[{"url": "u"}]))),
        ],
        [
            BEGUN,
            ("text", "a"),
            passed_on(event("output_text.annotation.added", item_id="msg_1", output_index=0, annotation={"url": "u"})),
            STOPPED,
        ],
    ),
    (
        "annotations and parts without a meaning here, once",
        [
            CREATED,
            said("a"),
            event("later", item_id="msg_1"),
            ended(message(part("a", annotations=[{"url": "u"}]), {"type": "later"}, 5)),
            final("completed", message(part("a", annotations=[{"url": "u"}]), {"type": "later"}, 5)),
        ],
        [
            BEGUN,
            ("text", "a"),
            passed_on(event("later", item_id="msg_1")),
            ("unknown", part("a", annotations=[{"url": "u"}])),
            ("unknown", {"type": "later"}),
            ("unknown", 5),
            STOPPED,
        ],
    ),
    (
        "reasoning with all its copies, and what it takes to replay it",
        [
            CREATED,
            added(thought(encrypted_content="early")),
            event(
                "reasoning_summary_part.added",
                item_id="rs_1",
                summary_index=0,
                part={"type": "summary_text", "text": ""},
            ),
            event("reasoning_summary_text.delta", item_id="rs_1", output_index=0, summary_index=0, delta="a"),
            event("reasoning_summary_text.done", item_id="rs_1", output_index=0, summary_index=0, text="ab"),
            event(
                "reasoning_summary_part.done",
                item_id="rs_1",
                summary_index=0,
                part={"type": "summary_text", "text": "ab"},
            ),
            event("reasoning_summary_text.delta", item_id="rs_1", output_index=0, summary_index=1, delta="c"),
            event("reasoning_summary_text.done", item_id="rs_1", output_index=0, summary_index=1, text="c"),
            event("reasoning_text.delta", item_id="rs_1", output_index=0, content_index=0, delta="r"),
            event("reasoning_text.done", item_id="rs_1", output_index=0, content_index=0, text="r"),
            ended(thought("ab", "c", content=("r",), encrypted_content="x")),
            final("completed", thought("ab", "c", content=("rs",), encrypted_content="y")),
        ],
        [
            BEGUN,
            ("reasoning", "a", "summary_text"),
            ("reasoning", "b", "summary_text"),
            ("reasoning", "c", "summary_text"),
            ("reasoning", "r", "reasoning_text"),
            ("reasoning", "", "encrypted_content", None, thought("ab", "c", content=("r",), encrypted_content="x")),
            ("reasoning", "s", "reasoning_text"),
            STOPPED,
        ],
    ),
    (
        "reasoning only at its end",
        [CREATED, ended(thought("a", content=("b",))), COMPLETED],
        [
            BEGUN,
            ("reasoning", "a", "summary_text"),
            ("reasoning", "b", "reasoning_text"),
            ("reasoning", "", "reasoning", None, thought("a", content=("b",))),
            STOPPED,
        ],
    ),
    (
        "reasoning to replay by its sealed content alone",
        [CREATED, ended(thought(id=None, encrypted_content="x")), COMPLETED],
        [BEGUN, ("reasoning", "", "encrypted_content", None, thought(id=None, encrypted_content="x")), STOPPED],
    ),
    (
        "reasoning in parts of an older type is no text",
        [CREATED, ended(thought(id=None) | {"content": [{"type": "text", "text": "a"}]}), COMPLETED],
        [BEGUN, ("reasoning", "a", "reasoning_text"), STOPPED],
    ),
    (
        "reasoning by its early names, text in objects, and without an id",
        [
            CREATED,
            event("reasoning_summary.delta", delta={"text": "a"}),
            event("reasoning.delta", delta={"text": "b"}),
            event("reasoning.delta", delta="c"),
            ended(without(thought("a", content=("bc",)), "id")),
            COMPLETED,
        ],
        [
            BEGUN,
            ("reasoning", "a", "summary_text"),
            ("reasoning", "b", "reasoning_text"),
            ("reasoning", "c", "reasoning_text"),
            STOPPED,
        ],
    ),
]

ARGUMENTS: list[Case] = [
    ("deltas and all their copies", CALL, CALLED),
    ("all copies in the final response too", [*CALL[:-1], final("completed", function('{"a":1}'))], CALLED),
    (
        "arguments in .done alone (LM Studio)",
        [CREATED, added(function()), args_done('{"a":1}'), ended(function('{"a":1}')), COMPLETED],
        AT_ONCE,
    ),
    ("arguments at the item's end alone", [CREATED, added(function()), ended(function('{"a":1}')), COMPLETED], AT_ONCE),
    (
        "arguments in the final response alone, the item announced",
        [CREATED, added(function()), ended(function("")), final("completed", function('{"a":1}'))],
        AT_ONCE,
    ),
    ("the item in the final response alone", [CREATED, final("completed", function('{"a":1}'))], AT_ONCE),
    (
        "arguments of the start, used at the item's end",
        [CREATED, added(function('{"a":1}')), ended(function(None)), final("completed", usage={"input_tokens": 1})],
        [*AT_ONCE[:-1], ("usage", 1, None), CONFIRMED],
    ),
    (
        "arguments of the start, and later ones that say nothing",
        [
            CREATED,
            added(function('{"a":1}')),
            args(""),
            args(None),
            args_done(""),
            args_done(None),
            ended(function("")),
            COMPLETED,
        ],
        AT_ONCE,
    ),
    ("arguments of the start, used at the final event", [CREATED, added(function('{"a":1}')), COMPLETED], AT_ONCE),
    (
        "arguments of the start, used at [DONE]",
        [CREATED, added(function('{"a":1}')), DONE],
        [*AT_ONCE[:-1], ("finish", "tool_calls", ["call_1"])],
    ),
    (
        "arguments of the start, used at the end of bytes, which confirms nothing",
        [CREATED, added(function('{"a":1}'))],
        [*AT_ONCE[:-1], ("finish", "incomplete", [])],
    ),
    (
        "arguments of the start, used at an error",
        [CREATED, added(function('{"a":1}')), {"type": "error", "error": QUOTA}],
        [*AT_ONCE[:-1], ("error", "provider", "pay", "quota"), ("finish", "error", [])],
    ),
    ("arguments in the start and in deltas: the deltas win", [CREATED, added(function('{"b":2}')), *CALL[2:]], CALLED),
    (
        "arguments in the start and in .done: .done wins",
        [CREATED, added(function('{"b":2}')), args_done('{"a":1}'), ended(function("")), COMPLETED],
        AT_ONCE,
    ),
    (
        "arguments in the start and at the end: the end wins",
        [CREATED, added(function('{"b":2}')), ended(function('{"a":1}')), COMPLETED],
        AT_ONCE,
    ),
    (
        "a copy has more than the deltas",
        [CREATED, added(function()), args('{"a":'), args_done('{"a":1'), ended(function('{"a":1}')), COMPLETED],
        [*CALLED[:3], ("delta", 0, "1"), ("delta", 0, "}"), ENDED, CONFIRMED],
    ),
    (
        "a copy that is spaced otherwise agrees",
        [CREATED, added(function()), args('{"a":1}'), args_done('{ "a": 1 }'), ended(function('{"a": 1}')), COMPLETED],
        AT_ONCE,
    ),
    (
        "copies that are empty say nothing",
        [
            CREATED,
            added(function()),
            args('{"a":1}'),
            args_done(""),
            ended(function("")),
            final("completed", function("")),
        ],
        AT_ONCE,
    ),
    (
        "a copy that contradicts makes the call invalid",
        [CREATED, added(function()), args('{"a":1}'), args_done('{"a":2}'), ended(function('{"a":2}')), COMPLETED],
        [
            *STARTED,
            ("delta", 0, '{"a":1}'),
            ("end", 0, "invalid", "snapshot_mismatch"),
            ("finish", "tool_calls", "completed", []),
        ],
    ),
    (
        "a copy that contradicts after the call's end takes it back",
        [
            CREATED,
            added(function()),
            args('{"a":1}'),
            ended(function('{"a":1}')),
            final("completed", function('{"a":2}')),
        ],
        [
            *STARTED,
            ("delta", 0, '{"a":1}'),
            ("end", 0, "invalid", "reset"),
            ("reset", "calls", ["call_1"]),
            ("finish", "tool_calls", "completed", []),
        ],
    ),
    (
        "copies of text that had to be mended agree",
        [
            CREATED,
            added(function()),
            args('{"a":1}'),
            args("```"),
            args_done('{"a":1}```'),
            ended(function('{"a":1}```')),
            final("completed", function('{"a":1}```')),
        ],
        [*STARTED, ("delta", 0, '{"a":1}'), ("end", 0, "repaired", {"a": 1}), CONFIRMED],
    ),
    (
        "arguments with a pair of surrogates cut in two, and whole in their copy",
        [
            CREATED,
            added(function()),
            args('{"a":"\ud83d'),
            args_done('{"a":"😀"}'),
            ended(function('{"a":"😀"}')),
            COMPLETED,
        ],
        [*STARTED, ("delta", 0, '{"a":"'), ("delta", 0, '😀"}'), ("end", 0, "complete", {"a": "😀"}), CONFIRMED],
    ),
    (
        "white space and repeats between fragments are text",
        [CREATED, added(function()), args('{"a":"o'), args("o"), args(" "), args(" "), args('o"}'), COMPLETED],
        [
            *STARTED,
            *(("delta", 0, text) for text in ('{"a":"o', "o", " ", " ", 'o"}')),
            ("end", 0, "complete", {"a": "oo  o"}),
            CONFIRMED,
        ],
    ),
    *(
        (
            f"an object instead of text, {name}",
            [CREATED, added(function({})), *middle, final("completed", function({"a": 1}))],
            [*STARTED, ("value", 0, '{"a":1}'), ENDED, CONFIRMED],
        )
        for name, middle in {
            "in a delta": [args({"a": 1}), args({}), ended(function({"a": 1}))],
            "in .done": [args_done({"a": 1}), ended(function({"a": 1}))],
            "at the item's end": [ended(function({"a": 1}))],
            "in the final response": [],
            "in the start": [added(function({"a": 1})), ended(function({}))],
        }.items()
    ),
    (
        "an object that agrees with the streamed text",
        [CREATED, added(function()), args('{ "a": 1 }'), ended(function({"a": 1})), COMPLETED],
        [*STARTED, ("delta", 0, '{ "a": 1 }'), ENDED, CONFIRMED],
    ),
    *(
        (
            f"no arguments: {text!r}",
            [CREATED, added(function()), ended(function(text)), COMPLETED],
            [*STARTED, *([("delta", 0, text)] if text else []), ("end", 0, "complete", {}), CONFIRMED],
        )
        for text in ("", "null", None, "{}")
    ),
    (
        "not an object: invalid, and the turn stays what it is",
        [CREATED, added(function()), args("12"), args_done("12"), ended(function("12")), COMPLETED],
        [
            *STARTED,
            ("delta", 0, "12"),
            ("end", 0, "invalid", "not_an_object"),
            ("finish", "tool_calls", "completed", []),
        ],
    ),
    (
        "arguments after the item's end take the call back",
        [*CALL[:-1], args(" "), args("x"), COMPLETED],
        [
            *CALLED[:-2],
            ("end", 0, "invalid", "reset"),
            ("reset", "calls", ["call_1"]),
            ("finish", "tool_calls", "completed", []),
        ],
    ),
]

TWO: list[Any] = [
    BEGUN,
    ("start", 0, "call_1", "f1"),
    ("start", 1, "call_2", "f2"),
    ("delta", 0, '{"a"'),
    ("delta", 1, '{"b"'),
    ("delta", 0, ":1}"),
    ("delta", 1, ":2}"),
    ("end", 1, "complete", {"b": 2}),
    ("end", 0, "complete", {"a": 1}),
    ("finish", "tool_calls", "completed", ["call_1", "call_2"]),
]
INTERLEAVED: list[Any] = [
    CREATED,
    added(function(), 1),
    added(function(n=2), 3),
    args('{"a"', 1, 1),
    args('{"b"', 2, 3),
    args(":1}", 1, 1),
    args(":2}", 2, 3),
    ended(function('{"b":2}', 2), 3),
    ended(function('{"a":1}'), 1),
    COMPLETED,
]
SAME_ID = [function('{"a":1}', call_id="0"), function('{"b":2}', 2, call_id="0")]

IDENTITY: list[Case] = [
    ("items overlap, told apart by id", INTERLEAVED, TWO),
    (
        "and by id alone",
        [without(each, *(["output_index"] if "output_index" in each else [])) for each in INTERLEAVED],
        TWO,
    ),
    ("and by index alone", lost(*INTERLEAVED), TWO),
    ("and by index, while their ids rotate", rotated(*INTERLEAVED), TWO),
    (
        "their final copies, at shifted positions",
        [*INTERLEAVED[:-1], final("completed", function('{"a":1}'), function('{"b":2}', 2))],
        TWO,
    ),
    (
        "their final copies, without item ids",
        [
            *INTERLEAVED[:-1],
            final("completed", *(without(each, "id") for each in (function('{"a":1}'), function('{"b":2}', 2)))),
        ],
        TWO,
    ),
    (
        "their final copies, without any ids",
        [
            *INTERLEAVED[:-1],
            final(
                "completed", *(without(each, "id", "call_id") for each in (function('{"a":1}'), function('{"b":2}', 2)))
            ),
        ],
        TWO,
    ),
    (
        "a call in the final response that was not announced, before those that were",
        [*CALL[:-1], final("completed", function("{}", 2), function('{"a":1}'))],
        [
            *CALLED[:-1],
            ("start", 1, "call_2", "f2"),
            ("delta", 1, "{}"),
            ("end", 1, "complete", {}),
            ("finish", "tool_calls", "completed", ["call_1", "call_2"]),
        ],
    ),
    ("no ids and no indexes: the open item", [CREATED, *lost(*CALL[1:-1], index=True), COMPLETED], CALLED),
    (
        "ids that rotate, and an index only in the first event",
        rotated(CREATED, added(function()), *(without(each, "output_index") for each in CALL[2:6]), COMPLETED),
        CALLED,
    ),
    (
        "an id first in the item's own event",
        [
            CREATED,
            *lost(args('{"a":')),
            added(function()),
            added(function(n=2), 1),
            without(args("1}"), "output_index"),
            final("completed", function('{"a":1}'), function('{"b":2}', 2)),
        ],
        [
            *STARTED,
            ("delta", 0, '{"a":'),
            ("start", 1, "call_2", "f2"),
            ("delta", 0, "1}"),
            ENDED,
            ("delta", 1, '{"b":2}'),
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "completed", ["call_1", "call_2"]),
        ],
    ),
    (
        "another call_id at an open call's index is another call",
        [CREATED, added(function()), *lost(args('{"a":1}')), ended(function('{"b":2}', 2)), COMPLETED],
        [
            *AT_ONCE[:3],
            ("start", 1, "call_2", "f2"),
            ("delta", 1, '{"b":2}'),
            ("end", 1, "complete", {"b": 2}),
            ENDED,
            ("finish", "tool_calls", "completed", ["call_1", "call_2"]),
        ],
    ),
    (
        "a call in the final response at the place of another",
        [*CALL[:-1], final("completed", function('{"b":2}', 2))],
        [
            *CALLED[:-1],
            ("start", 1, "call_2", "f2"),
            ("delta", 1, '{"b":2}'),
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "completed", ["call_1", "call_2"]),
        ],
    ),
    (
        "no ids and no indexes, one call after the other",
        [
            CREATED,
            *lost(*CALL[1:-1], added(function(n=2)), args("{}"), ended(function("{}", 2)), index=True),
            COMPLETED,
        ],
        [
            *CALLED[:-1],
            ("start", 1, "call_2", "f2"),
            ("delta", 1, "{}"),
            ("end", 1, "complete", {}),
            ("finish", "tool_calls", "completed", ["call_1", "call_2"]),
        ],
    ),
    (
        "one index for all items",
        [
            CREATED,
            *lost(added(function()), args('{"a":1}'), ended(function('{"a":1}'))),
            *lost(added(function(n=2)), args("{}", 2), ended(function("{}", 2))),
            COMPLETED,
        ],
        [
            *AT_ONCE[:-1],
            ("start", 1, "call_2", "f2"),
            ("delta", 1, "{}"),
            ("end", 1, "complete", {}),
            ("finish", "tool_calls", "completed", ["call_1", "call_2"]),
        ],
    ),
    *(
        (
            f"an id that is none: {none!r}",
            [
                CREATED,
                added(function(id=none)),
                args('{"a":') | {"item_id": none},
                args("1}") | {"item_id": none},
                ended(function('{"a":1}', id=none)),
                COMPLETED,
            ],
            CALLED,
        )
        for none in ("", None, "null", [1], {"x": 1}, True)
    ),
    *(
        (
            f"an index is a key: {index!r}",
            [CREATED, added(function(), index), args('{"a":', 1, index), args("1}", 1, index), COMPLETED],
            CALLED,
        )
        for index in (7, -1, "b", [1], {"a": 1}, None, True, 2**70, 0.5)
    ),
    (
        "the item announced twice",
        [CREATED, added(function()), added(function()), args('{"a":'), added(function()), args("1}"), COMPLETED],
        CALLED,
    ),
    (
        "one index for all items, and no call_ids",
        [
            CREATED,
            added(function(call_id=None)),
            args('{"a":1}'),
            added(function(n=2, call_id=None)),
            args('{"b":2}', 2),
            args(" ", 1),
            COMPLETED,
        ],
        [
            BEGUN,
            ("start", 0, "fc_1", "f1"),
            ("delta", 0, '{"a":1}'),
            ("start", 1, "fc_2", "f2"),
            ("delta", 1, '{"b":2}'),
            ("delta", 0, " "),
            ENDED,
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "completed", ["fc_1", "fc_2"]),
        ],
    ),
    (
        "one index for all items, and no ids at all",
        [
            CREATED,
            *(without(each, "item.call_id") for each in lost(added(function()), ended(function('{"a":1}')))),
            *(without(each, "item.call_id") for each in lost(added(function(n=2)), ended(function('{"b":2}', 2)))),
            COMPLETED,
        ],
        [
            BEGUN,
            ("start", 0, "*0", "f1"),
            ("delta", 0, '{"a":1}'),
            ENDED,
            ("start", 1, "*1", "f2"),
            ("delta", 1, '{"b":2}'),
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "completed", ["*0", "*1"]),
        ],
    ),
    (
        "one index and one call_id for all items",
        [
            CREATED,
            *(added(SAME_ID[0]), ended(SAME_ID[0])),
            *(added(SAME_ID[1]), ended(SAME_ID[1])),
            COMPLETED,
        ],
        [
            BEGUN,
            ("start", 0, "0", "f1"),
            ("delta", 0, '{"a":1}'),
            ENDED,
            ("start", 1, ("*1", "0"), "f2"),
            ("delta", 1, '{"b":2}'),
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "completed", ["0", ("*1", "0")]),
        ],
    ),
    (
        "the item announced twice, by its id alone",
        [
            CREATED,
            *(without(added(function()), "item.call_id") for _ in "12"),
            args('{"a":1}'),
            ended(function('{"a":1}')),
            COMPLETED,
        ],
        [
            BEGUN,
            ("start", 0, ("fc_1", "call_1"), "f1"),
            ("delta", 0, '{"a":1}'),
            ENDED,
            ("finish", "tool_calls", "completed", [("fc_1", "call_1")]),
        ],
    ),
    ("the item announced twice, under ids that rotate", rotated(*CALL[:2], *CALL[1:]), CALLED),
    (
        "an item of text at a call's index is another",
        [CREATED, added(function()), args('{"a":'), said("t"), args("1}"), ended(message(part("t"))), COMPLETED],
        [*CALLED[:3], ("text", "t"), *CALLED[3:]],
    ),
    (
        "the output of a call bears its call_id, and is none",
        [
            CREATED,
            added(function()),
            added({"type": "function_call_output", "call_id": "call_1", "output": "ok"}, 1),
            args('{"a":1}'),
            COMPLETED,
        ],
        [
            *STARTED,
            passed_on(added({"type": "function_call_output", "call_id": "call_1", "output": "ok"}, 1)),
            ("delta", 0, '{"a":1}'),
            ENDED,
            CONFIRMED,
        ],
    ),
    (
        "one call_id for two calls: the vendor's is kept beside ours",
        [
            CREATED,
            added(SAME_ID[0] | {"arguments": ""}),
            args('{"a":1}'),
            ended(SAME_ID[0]),
            added(SAME_ID[1] | {"arguments": ""}, 1),
            args('{"b":2}', 2, 1),
            ended(SAME_ID[1], 1),
            final("completed", *SAME_ID),
        ],
        [
            BEGUN,
            ("start", 0, "0", "f1"),
            ("delta", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("start", 1, ("*1", "0"), "f2"),
            ("delta", 1, '{"b":2}'),
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "completed", ["0", ("*1", "0")]),
        ],
    ),
    (
        "one call_id for two calls, and no item ids, at shifted positions",
        [
            CREATED,
            ended(without(SAME_ID[0], "id"), 1),
            ended(without(SAME_ID[1], "id"), 2),
            final("completed", without(SAME_ID[0], "id"), without(SAME_ID[1], "id")),
        ],
        [
            BEGUN,
            ("start", 0, "0", "f1"),
            ("delta", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("start", 1, ("*1", "0"), "f2"),
            ("delta", 1, '{"b":2}'),
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "completed", ["0", ("*1", "0")]),
        ],
    ),
    (
        "no item ids, only ends",
        [CREATED, ended(without(function('{"a":1}'), "id")), ended(without(function("{}", 2), "id"), 1), COMPLETED],
        [
            *AT_ONCE[:-1],
            ("start", 1, "call_2", "f2"),
            ("delta", 1, "{}"),
            ("end", 1, "complete", {}),
            ("finish", "tool_calls", "completed", ["call_1", "call_2"]),
        ],
    ),
    (
        "no call_id: the item's id",
        [
            CREATED,
            added(without(function(), "call_id")),
            args("{}"),
            ended(without(function("{}"), "call_id")),
            COMPLETED,
        ],
        [
            BEGUN,
            ("start", 0, "fc_1", "f1"),
            ("delta", 0, "{}"),
            ("end", 0, "complete", {}),
            ("finish", "tool_calls", "completed", ["fc_1"]),
        ],
    ),
    *(
        (
            f"call_id first in {name}",
            [CREATED, added(function(call_id=None)), *middle],
            [
                BEGUN,
                ("start", 0, ("fc_1", "call_1"), "f1"),
                ("delta", 0, "{}"),
                ("end", 0, "complete", {}),
                ("finish", "tool_calls", "completed", [("fc_1", "call_1")]),
            ],
        )
        for name, middle in {
            "a delta": [args("{}") | {"call_id": "call_1"}, ended(function("{}", call_id="")), COMPLETED],
            ".done": [args_done("{}") | {"call_id": "call_1"}, ended(function("{}", call_id="null")), COMPLETED],
            "the item's end": [args("{}"), ended(function("{}")), COMPLETED],
            "the final response": [args("{}"), final("completed", function("{}"))],
        }.items()
    ),
    (
        "call_id once: another is another call",
        [
            CREATED,
            added(function()),
            args("{}"),
            ended(function("{}")),
            final("completed", function("{}", call_id="call_9")),
        ],
        [
            *STARTED,
            ("delta", 0, "{}"),
            ("end", 0, "complete", {}),
            ("start", 1, "call_9", "f1"),
            ("delta", 1, "{}"),
            ("end", 1, "complete", {}),
            ("finish", "tool_calls", "completed", ["call_1", "call_9"]),
        ],
    ),
    (
        "and though the end between them has none",
        [
            *CALL[:5],
            ended(function('{"a":1}', call_id=None)),
            final("completed", function('{"b":2}', call_id="call_2")),
        ],
        [
            *CALLED[:-1],
            ("start", 1, "call_2", "f1"),
            ("delta", 1, '{"b":2}'),
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "completed", ["call_1", "call_2"]),
        ],
    ),
    (
        "deltas before the item's first event",
        [CREATED, args('{"a":'), added(function()), args("1}"), ended(function('{"a":1}')), COMPLETED],
        CALLED,
    ),
    (
        "an item known by its deltas until its end",
        [CREATED, args('{"a":'), args("1}"), ended(function('{"a":1}')), COMPLETED],
        AT_ONCE,
    ),
    (
        "an item known by its deltas until the final response",
        [CREATED, args('{"a":1}'), final("completed", function('{"a":1}'))],
        AT_ONCE,
    ),
    (
        "an item whose name comes with the final response",
        [
            CREATED,
            added(function(name="")),
            args('{"a":1}'),
            ended(function('{"a":1}', name=None)),
            final("completed", function('{"a":1}')),
        ],
        AT_ONCE,
    ),
    (
        "an item known by its deltas and a .done with its name: the id may come yet",
        [CREATED, args('{"a":1}'), args_done('{"a":1}') | {"name": "f1"}, ended(function('{"a":1}')), COMPLETED],
        AT_ONCE,
    ),
    (
        "an item known by its deltas and a .done with its name and call_id",
        [CREATED, args('{"a":1}'), args_done("") | {"name": "f1", "call_id": "call_1"}, args(" "), COMPLETED],
        [*STARTED, ("delta", 0, '{"a":1}'), ("delta", 0, " "), ENDED, CONFIRMED],
    ),
    (
        "a call_id in a delta, a name in .done",
        [CREATED, args('{"a":1') | {"call_id": "call_1"}, args_done("") | {"name": "f1"}, args("}"), COMPLETED],
        [*STARTED, ("delta", 0, '{"a":1'), ("delta", 0, "}"), ENDED, CONFIRMED],
    ),
    (
        "a name in .done alone",
        [CREATED, args('{"a":1'), args_done("") | {"name": "f1"}, args("}"), COMPLETED],
        [
            BEGUN,
            ("start", 0, "fc_1", "f1"),
            ("delta", 0, '{"a":1}'),
            ENDED,
            ("finish", "tool_calls", "completed", ["fc_1"]),
        ],
    ),
    (
        "a name that never comes",
        [CREATED, args('{"a":1}'), COMPLETED],
        [
            BEGUN,
            (
                "error",
                "protocol",
                "call 0 of choice 0 never got a name (id 'fc_1', 7 characters of arguments)",
                None,
            ),
            ("finish", "error", "completed", []),
        ],
    ),
    (
        "a copy that names another tool contradicts",
        [CREATED, added(function()), args('{"a":1}'), ended(function('{"a":1}', name="g")), COMPLETED],
        [*AT_ONCE[:-2], ("end", 0, "invalid", "snapshot_mismatch"), ("finish", "tool_calls", "completed", [])],
    ),
    (
        "a number as arguments",
        [CREATED, added(function()), ended(function(5)), COMPLETED],
        [
            *AT_ONCE[:-3],
            ("value", 0, "5"),
            ("end", 0, "invalid", "not_an_object"),
            ("finish", "tool_calls", "completed", []),
        ],
    ),
]

KINDS: list[Case] = [
    (
        "a custom call, closed by its item's end",
        [
            CREATED,
            added(custom()),
            event("custom_tool_call_input.delta", item_id="ctc_1", output_index=0, delta="SELECT "),
            event("custom_tool_call_input.delta", item_id="ctc_1", output_index=0, delta="{"),
            event("custom_tool_call_input.done", item_id="ctc_1", output_index=0, input="SELECT {1"),
            ended(custom("SELECT {1}")),
            final("completed", custom("SELECT {1}"), usage={"output_tokens": 1}),
        ],
        [
            BEGUN,
            ("start", 0, "call_1", "sql", "custom"),
            ("delta", 0, "SELECT "),
            ("delta", 0, "{"),
            ("delta", 0, "1"),
            ("delta", 0, "}"),
            ("end", 0, "complete", "SELECT {1}"),
            ("usage", None, 1),
            CONFIRMED,
        ],
    ),
    (
        "a custom call without text",
        [CREATED, added(custom()), ended(custom("")), COMPLETED],
        [BEGUN, ("start", 0, "call_1", "sql", "custom"), ("end", 0, "complete", ""), CONFIRMED],
    ),
    (
        "a custom call that the turn cuts",
        [
            CREATED,
            added(custom()),
            event("custom_tool_call_input.delta", item_id="ctc_1", output_index=0, delta="SEL"),
            ended(custom("SEL", status="incomplete")),
            final("incomplete", custom("SEL", status="incomplete"), incomplete_details={"reason": "max_output_tokens"}),
        ],
        [
            BEGUN,
            ("start", 0, "call_1", "sql", "custom"),
            ("delta", 0, "SEL"),
            ("end", 0, "incomplete", "cut"),
            ("finish", "length", "incomplete", "max_output_tokens", []),
        ],
    ),
    (
        "a custom call known from a cut final response alone: closed only if that says so",
        [
            CREATED,
            final(
                "incomplete",
                custom("a", status="completed"),
                custom("b", id="ctc_2", call_id="call_2"),
                incomplete_details={"reason": "content_filter"},
            ),
        ],
        [
            BEGUN,
            ("start", 0, "call_1", "sql", "custom"),
            ("delta", 0, "a"),
            ("end", 0, "complete", "a"),
            ("start", 1, "call_2", "sql", "custom"),
            ("delta", 1, "b"),
            ("end", 1, "incomplete", "cut"),
            ("finish", "content_filter", "incomplete", "content_filter", []),
        ],
    ),
    (
        "a custom call cut in a turn that says it was not",
        [CREATED, ended(custom("SEL", status="incomplete")), COMPLETED],
        [
            BEGUN,
            ("start", 0, "call_1", "sql", "custom"),
            ("delta", 0, "SEL"),
            ("end", 0, "invalid", "truncated"),
            ("finish", "tool_calls", "completed", []),
        ],
    ),
    (
        "and known from its final response alone",
        [CREATED, final("completed", custom("SEL", status="incomplete"))],
        [
            BEGUN,
            ("start", 0, "call_1", "sql", "custom"),
            ("delta", 0, "SEL"),
            ("end", 0, "invalid", "truncated"),
            ("finish", "tool_calls", "completed", []),
        ],
    ),
    (
        "a custom call in a response that completed with an error",
        [CREATED, final("completed", custom("SEL"), error=QUOTA)],
        [
            BEGUN,
            ("start", 0, "call_1", "sql", "custom"),
            ("delta", 0, "SEL"),
            ("end", 0, "incomplete", "cut"),
            ("error", "provider", "pay", "quota"),
            ("finish", "error", "completed", []),
        ],
    ),
    (
        "a custom call's copy that contradicts",
        [
            CREATED,
            added(custom()),
            event("custom_tool_call_input.delta", item_id="ctc_1", output_index=0, delta="rm x"),
            ended(custom("rm y")),
            COMPLETED,
        ],
        [
            BEGUN,
            ("start", 0, "call_1", "sql", "custom"),
            ("delta", 0, "rm x"),
            ("end", 0, "invalid", "snapshot_mismatch"),
            ("finish", "tool_calls", "completed", []),
        ],
    ),
    (
        "xAI's own search is a server's call with JSON for its input",
        [
            CREATED,
            added(custom(call_id="xs_call_1")),
            event("custom_tool_call_input.delta", item_id="ctc_1", output_index=0, delta='{"q":1}'),
            ended(custom('{"q":1}', call_id="xs_call_1")),
            COMPLETED,
        ],
        [
            BEGUN,
            ("start", 0, "xs_call_1", "sql", "server"),
            ("delta", 0, '{"q":1}'),
            ("end", 0, "complete", {"q": 1}),
            STOPPED,
        ],
    ),
    (
        "and when that shows at its end",
        [
            CREATED,
            event("custom_tool_call_input.delta", item_id="ctc_1", output_index=0, delta='{"q":1}'),
            ended(custom('{"q":1}', call_id="xs_call_1")),
            COMPLETED,
        ],
        [
            BEGUN,
            ("start", 0, "xs_call_1", "sql", "server"),
            ("delta", 0, '{"q":1}'),
            ("end", 0, "complete", '{"q":1}'),
            STOPPED,
        ],
    ),
    (
        "a function is the client's, whatever its id",
        [CREATED, ended(function("{}", call_id="xs_call_1")), COMPLETED],
        [
            BEGUN,
            ("start", 0, "xs_call_1", "f1"),
            ("delta", 0, "{}"),
            ("end", 0, "complete", {}),
            ("finish", "tool_calls", "completed", ["xs_call_1"]),
        ],
    ),
    (
        "an MCP call",
        [
            CREATED,
            added(mcp()),
            event("mcp_call.in_progress", item_id="mcp_1", output_index=0),
            event("mcp_call_arguments.delta", item_id="mcp_1", output_index=0, delta='{"q":'),
            event("mcp_call_arguments.done", item_id="mcp_1", output_index=0, arguments='{"q":1}'),
            event("mcp_call.completed", item_id="mcp_1", output_index=0),
            ended(mcp('{"q":1}', output="found")),
            COMPLETED,
        ],
        [
            BEGUN,
            ("start", 0, "mcp_1", "ask", "mcp", {"server_label": "wiki", "output": "found"}),
            ("delta", 0, '{"q":'),
            ("delta", 0, "1}"),
            ("end", 0, "complete", {"q": 1}),
            STOPPED,
        ],
    ),
    (
        "an MCP call that failed there",
        [CREATED, added(mcp("{}")), event("mcp_call.failed", item_id="mcp_1"), ended(mcp("{}", error="no")), COMPLETED],
        [
            BEGUN,
            ("start", 0, "mcp_1", "ask", "mcp", {"server_label": "wiki", "error": "no"}),
            passed_on(event("mcp_call.failed", item_id="mcp_1")),
            ("delta", 0, "{}"),
            ("end", 0, "complete", {}),
            STOPPED,
        ],
    ),
    (
        "other items and their events are passed on, once",
        [
            CREATED,
            added(SEARCH),
            event("web_search_call.searching", item_id="ws_1", output_index=0),
            ended(SEARCH),
            final("completed", SEARCH, {"type": "program", "id": "cm_1", "code": "x"}, "?"),
        ],
        [
            BEGUN,
            passed_on(added(SEARCH)),
            passed_on(event("web_search_call.searching", item_id="ws_1", output_index=0)),
            passed_on(ended(SEARCH)),
            ("unknown", {"type": "program", "id": "cm_1", "code": "x"}),
            ("unknown", "?"),
            STOPPED,
        ],
    ),
    (
        "events without a meaning here",
        [CREATED, *MEANINGLESS, ("", {"x": 1}), COMPLETED],
        [BEGUN, *map(passed_on, MEANINGLESS), ("unknown", {"x": 1}), STOPPED],
    ),
]

CUT: list[Any] = [
    CREATED,
    added(function()),
    args('{"a":'),
    args_done('{"a":'),
    ended(function('{"a":', status="incomplete")),
]
CUT_OFF: list[Any] = [*STARTED, ("delta", 0, '{"a":'), ("end", 0, "incomplete", "cut")]

ENDS: list[Case] = [
    (
        "a turn cut in a call, which gets all its ends",
        [
            *CUT,
            final(
                "incomplete", function('{"a":', status="incomplete"), incomplete_details={"reason": "max_output_tokens"}
            ),
        ],
        [*CUT_OFF, ("finish", "length", "incomplete", "max_output_tokens", [])],
    ),
    *(
        (
            f"incomplete_details.reason {why!r}",
            [*CALL[:-1], final("incomplete", incomplete_details={"reason": why}, usage={"output_tokens": 3})],
            [*CALLED[:-1], ("usage", None, 3), ("finish", reason, "incomplete", why, [])],
        )
        for why, reason in {
            "max_output_tokens": "length",
            "max_tokens": "length",
            "content_filter": "content_filter",
            "odd": "unknown",
        }.items()
    ),
    *(
        (
            f"incomplete without a reason: {details!r}",
            [*CUT, final("incomplete", incomplete_details=details)],
            [*CUT_OFF, ("finish", "incomplete", "incomplete", [])],
        )
        for details in (None, {}, {"reason": None}, {"reason": "null"}, "?")
    ),
    (
        "no arguments in a turn that was cut: cut, not empty",
        [
            CREATED,
            added(function()),
            ended(function("")),
            final("incomplete", incomplete_details={"reason": "max_tokens"}),
        ],
        [*STARTED, ("end", 0, "incomplete", "cut"), ("finish", "length", "incomplete", "max_tokens", [])],
    ),
    (
        "response.completed of an incomplete response",
        [*CUT, event("completed", response=response("incomplete", incomplete_details={"reason": "max_output_tokens"}))],
        [*CUT_OFF, ("finish", "length", "incomplete", "max_output_tokens", [])],
    ),
    (
        "response.completed with details of a cut",
        [*CUT, final("completed", incomplete_details={"reason": "max_output_tokens"})],
        [*CUT_OFF, ("finish", "length", "completed", "max_output_tokens", [])],
    ),
    (
        "response.incomplete of a completed response",
        [*CALL[:-1], event("incomplete", response=response("completed"))],
        [*CALLED[:-1], ("finish", "incomplete", "incomplete", [])],
    ),
    *(
        (
            f"response.completed with the status {status!r}",
            [*CALL[:-1], event("completed", response=response("completed") | {"status": status})],
            CALLED,
        )
        for status in NO_STATUS
    ),
    ("response.completed that holds nothing", [*CALL[:-1], event("completed")], CALLED),
    ("response.done", [*CALL[:-1], event("done", response=response("completed"))], CALLED),
    (
        "response.done of a response that failed",
        [*CUT[:3], event("done", response=response("failed"))],
        [*CUT_OFF, ("error", "provider", "the response failed", None), ("finish", "error", "failed", [])],
    ),
    (
        "an item cut in a turn that says it was not, though its text is whole",
        [CREATED, added(function()), args('{"a":1}'), ended(function('{"a":1}', status="incomplete")), COMPLETED],
        [
            *STARTED,
            ("delta", 0, '{"a":1}'),
            ("end", 0, "invalid", "truncated"),
            ("finish", "tool_calls", "completed", []),
        ],
    ),
    (
        "and its siblings are none the worse",
        [CREATED, ended(function('{"a":1}', status="incomplete")), ended(function("{}", 2), 1), DONE],
        [
            *STARTED,
            ("delta", 0, '{"a":1}'),
            ("start", 1, "call_2", "f2"),
            ("delta", 1, "{}"),
            ("end", 1, "complete", {}),
            ("end", 0, "invalid", "truncated"),
            ("finish", "tool_calls", ["call_2"]),
        ],
    ),
    (
        "an item cut at its end, whole in the final response",
        [*CUT, final("completed", function('{"a":1}', status="completed"))],
        CALLED,
    ),
    (
        "an item that ends in progress (programmatic calls)",
        [CREATED, ended(function('{"a":1}', status="in_progress", caller={"type": "program"})), COMPLETED],
        [BEGUN, (*STARTED[1], {"caller": {"type": "program"}}), *AT_ONCE[2:]],
    ),
    (
        "a call wins over completed, and text does not matter",
        [CREATED, said("t"), *CALL[1:]],
        [BEGUN, ("text", "t"), *CALLED[1:]],
    ),
    (
        "cancelled",
        [*CUT[:3], final("cancelled")],
        [*CUT_OFF, ("finish", "cancelled", "cancelled", [])],
    ),
    (
        "cancelled, with details of a cut",
        [*CUT[:3], final("cancelled", incomplete_details={"reason": "max_output_tokens"})],
        [*CUT_OFF, ("finish", "cancelled", "cancelled", "max_output_tokens", [])],
    ),
    (
        "cancelled with whole calls",
        [*CALL[:-1], final("cancelled")],
        [*CALLED[:-1], ("finish", "cancelled", "cancelled", [])],
    ),
    ("the end of bytes in a call", CUT[:3], [*CUT_OFF, ("finish", "incomplete", [])]),
    ("the end of bytes after a call's end", CALL[:-1], [*CALLED[:-1], ("finish", "incomplete", [])]),
    ("[DONE] and no final event", [*CALL[:-1], DONE], [*CALLED[:-1], ("finish", "tool_calls", ["call_1"])]),
    ("[DONE] after the final event", [*CALL, DONE], CALLED),
    ("events after the final one", [*CALL, said("late"), final("failed"), {"type": "error", "error": QUOTA}], CALLED),
    (
        "no first event",
        CALL[1:],
        [("message", None, None), *CALLED[1:]],
    ),
    (
        "usage is null until the end",
        [
            event("created", response=response("in_progress", usage=None)),
            final("completed", usage={"input_tokens": 0, "output_tokens": "?"}),
        ],
        [BEGUN, ("usage", 0, None), STOPPED],
    ),
    (
        "a response that begins anew",
        [
            event("created", response=response("in_progress") | {"id": "resp_0"}),
            said("a"),
            *CALL[1:4],
            ended(function('{"a":1}')),
            added(function(n=2), 1),
            *CALL,
        ],
        [
            ("message", "resp_0", "m"),
            ("text", "a"),
            ("start", 0, "call_1", "f1"),
            ("delta", 0, '{"a":'),
            ("delta", 0, "1}"),
            ("end", 0, "incomplete", "reset"),
            ("start", 1, "call_2", "f2"),
            ("end", 1, "incomplete", "reset"),
            ("reset", "turn", ["call_1", "call_2"]),
            BEGUN,
            ("start", 0, ("*0", "call_1"), "f1"),
            ("delta", 0, '{"a":'),
            ("delta", 0, "1}"),
            ENDED,
            ("finish", "tool_calls", "completed", [("*0", "call_1")]),
        ],
    ),
    ("the first event again", [CREATED, CALL[1], CREATED, *CALL[2:]], CALLED),
    ("the first event again, without an id", [CREATED, CALL[1], without(CREATED, "response.id"), *CALL[2:]], CALLED),
    ("the first event late", [CALL[1], CREATED, *CALL[2:]], [("message", None, None), *CALLED[1:]]),
    ("another id in the final event", [*CALL[:-1], event("completed", response=response("completed", id="x"))], CALLED),
    (
        "a response that begins anew after an event without its id",
        [
            event("created", response=response("in_progress", id="resp_0")),
            event("in_progress"),
            said("a"),
            CREATED,
            COMPLETED,
        ],
        [("message", "resp_0", "m"), ("text", "a"), ("reset", "turn", []), BEGUN, STOPPED],
    ),
]

FAILED = ("error", "provider", "pay", "quota")

ERRORS: list[Case] = [
    (
        "an error, nested, and the failed response: reported once",
        [*CUT[:3], {"type": "error", "error": QUOTA}, final("failed", error={"code": "other", "message": "again"})],
        [*CUT_OFF, FAILED, ("finish", "error", "failed", [])],
    ),
    (
        "an error, flat",
        [CREATED, {"type": "error", "sequence_number": 3, "code": "quota", "message": "pay", "param": None}],
        [BEGUN, FAILED, ("finish", "error", [])],
    ),
    (
        "an error, flat and without a code",
        [CREATED, {"type": "error", "code": None, "message": "pay"}],
        [BEGUN, ("error", "provider", "pay", None), ("finish", "error", [])],
    ),
    (
        "an error without a word",
        [CREATED, {"type": "error", "sequence_number": 3}],
        [BEGUN, ("error", "provider", "the response failed", None), ("finish", "error", [])],
    ),
    (
        "an error as text",
        [CREATED, {"type": "error", "error": "pay"}],
        [BEGUN, ("error", "provider", "pay", None), ("finish", "error", [])],
    ),
    ("an error without a type", [CREATED, ("", {"error": QUOTA})], [BEGUN, FAILED, ("finish", "error", [])]),
    (
        "an error in an event of its name",
        [CREATED, ("error", {"code": "quota", "message": "pay"})],
        [BEGUN, FAILED, ("finish", "error", [])],
    ),
    ("response.error", [CREATED, event("error", error=QUOTA)], [BEGUN, FAILED, ("finish", "error", [])]),
    (
        "the failed response alone",
        [*CUT[:3], final("failed", error=QUOTA, usage={"input_tokens": 1})],
        [*CUT_OFF[:-1], ("usage", 1, None), CUT_OFF[-1], FAILED, ("finish", "error", "failed", [])],
    ),
    (
        "a failed response that doesn't say why",
        [CREATED, final("failed", error=None)],
        [BEGUN, ("error", "provider", "the response failed", None), ("finish", "error", "failed", [])],
    ),
    (
        "an error beside the failed response",
        [CREATED, final("failed") | {"error": QUOTA}],
        [BEGUN, FAILED, ("finish", "error", "failed", [])],
    ),
    (
        "an error after a whole call: nothing is to be run",
        [*CALL[:-1], {"type": "error", "error": QUOTA}, COMPLETED],
        [*CALLED[:-1], FAILED, ("finish", "error", "completed", [])],
    ),
    (
        "an error after an item that was cut, though its text is whole",
        [CREATED, ended(function('{"a":1}', status="incomplete")), {"type": "error", "error": QUOTA}],
        [*AT_ONCE[:-1], FAILED, ("finish", "error", [])],
    ),
    (
        "an error in a completed response",
        [*CALL[:-1], final("completed", error=QUOTA)],
        [*CALLED[:-1], FAILED, ("finish", "error", "completed", [])],
    ),
    (
        "an MCP tool's error is not the stream's",
        [CREATED, event("mcp_call.failed", item_id="mcp_1", error={"message": "no"}), COMPLETED],
        [BEGUN, passed_on(event("mcp_call.failed", item_id="mcp_1", error={"message": "no"})), STOPPED],
    ),
]

BODIES: list[Case] = [
    (
        "a whole body",
        [
            (
                "",
                response(
                    "completed",
                    thought("t", encrypted_content="x"),
                    message(part("a")),
                    function('{"a":1}'),
                    function({"b": 2}, 2),
                    SEARCH,
                    usage={"input_tokens": 5, "output_tokens": 7},
                    error=None,
                ),
            ),
            said("after the end"),
        ],
        [
            BEGUN,
            ("reasoning", "t", "summary_text"),
            ("reasoning", "", "encrypted_content", None, thought("t", encrypted_content="x")),
            ("text", "a"),
            ("start", 0, "call_1", "f1"),
            ("delta", 0, '{"a":1}'),
            ENDED,
            ("start", 1, "call_2", "f2"),
            ("value", 1, '{"b":2}'),
            ("end", 1, "complete", {"b": 2}),
            ("unknown", SEARCH),
            ("usage", 5, 7),
            ("finish", "tool_calls", "completed", ["call_1", "call_2"]),
        ],
    ),
    (
        "a body that was cut",
        [
            (
                "",
                response(
                    "incomplete",
                    function('{"a":', status="incomplete"),
                    incomplete_details={"reason": "max_output_tokens"},
                ),
            )
        ],
        [*CUT_OFF, ("finish", "length", "incomplete", "max_output_tokens", [])],
    ),
    ("a body that failed", [("", response("failed", error=QUOTA))], [BEGUN, FAILED, ("finish", "error", "failed", [])]),
    ("a body that was cancelled", [("", response("cancelled"))], [BEGUN, ("finish", "cancelled", "cancelled", [])]),
    (
        "a body without a status",
        [("", without(response("", function('{"a":1}')), "status"))],
        [*AT_ONCE[:-1], ("finish", "tool_calls", ["call_1"])],
    ),
    (
        "a body without a status, of an item that was cut",
        [("", without(response("", function('{"a":1}', status="incomplete")), "status"))],
        [*STARTED, ("delta", 0, '{"a":1}'), ("end", 0, "invalid", "truncated"), ("finish", "tool_calls", [])],
    ),
    (
        "a body without a status, and details of a cut",
        [
            (
                "",
                without(
                    response("", function('{"a":1}'), incomplete_details={"reason": "max_output_tokens"}), "status"
                ),
            )
        ],
        [*AT_ONCE[:-1], ("finish", "length", "max_output_tokens", [])],
    ),
    (
        "a body of a response under way with details of a cut",
        [("", response("in_progress", incomplete_details={"reason": "max_output_tokens"})), COMPLETED],
        [BEGUN, STOPPED],
    ),
    ("a body in an event", [("message", response("completed"))], [BEGUN, STOPPED]),
    (
        "bodies of a response under way, then whole",
        [
            ("", response("queued")),
            ("", response("in_progress", message(part("a")), custom("x"))),
            ("", response("completed", message(part("ab")), custom("xy"))),
        ],
        [
            BEGUN,
            ("text", "a"),
            ("start", 0, "call_1", "sql", "custom"),
            ("delta", 0, "x"),
            ("text", "b"),
            ("delta", 0, "y"),
            ("end", 0, "complete", "xy"),
            CONFIRMED,
        ],
    ),
    (
        "a body of a response under way, and no more",
        [("", response("in_progress", function('{"a":1}')))],
        [*AT_ONCE[:-1], ("finish", "incomplete", [])],
    ),
]

FRAMES: list[Case] = [
    ("the event's name stands in for a missing type", [(each["type"], without(each, "type")) for each in CALL], CALLED),
    ("the type wins over the event's name", [("response.failed", each) for each in CALL], CALLED),
    ("no event names", [("", each) for each in CALL], CALLED),
    (
        "what the SDK's helper adds",
        [
            CREATED,
            added(function()),
            args('{"a":') | {"snapshot": '{"a":'},
            args("1}") | {"snapshot": '{"a":1}'},
            ended(function('{"a":1}', parsed_arguments={"a": 1})),
            COMPLETED,
        ],
        CALLED,
    ),
    ("padding is dropped", [each | {"obfuscation": "xyz"} for each in CALL], CALLED),
]

CASES = TEXTS + ARGUMENTS + IDENTITY + KINDS + ENDS + ERRORS + BODIES + FRAMES


def named(item: Item) -> Item:
    """A payload after its event's name."""
    return item if isinstance(item, tuple) or item == DONE else (item["type"], item)


def by_payload(items: list[Item], **options: Any) -> list[Event]:
    return run(map(named, items), "openai-responses", **options)


class TestCases(WireCases):
    wire = "openai-responses"
    cases = CASES
    shown = staticmethod(shown)
    cuts = 300
    mutations = 1000
    words = ("fc_1", "call_1", "function_call", "message", "response.completed")
    members = ("type", "id", "item", "text")

    def sent(self, item: Item) -> Item:
        return named(item)


@pytest.mark.parametrize(
    ("payload", "event", "answer"),
    [
        *((payload, "", True) for payload in CALL),
        (response("failed"), "", True),
        (without(CREATED, "type"), "response.created", True),
        (without(CREATED, "type"), "", False),
        ({"type": "error", "error": QUOTA}, "error", False),
        ({"type": "error"}, "response.created", False),
        ({"type": "message_start"}, "", False),
        ({"type": 5}, "", False),
        ({"type": ["response.created"], "object": ["response"]}, "", False),
        ({"object": "chat.completion.chunk", "choices": []}, "", False),
        ({}, "", False),
    ],
)
def test_recognises(payload: Payload, event: str, answer: bool) -> None:
    assert recognises(payload, event) is answer


def test_the_name_of_an_unknown_event_is_passed_on() -> None:
    event = by_payload([CREATED, ("later", {"x": 1})])[1]
    assert isinstance(event, Unknown)
    assert (event.event, event.payload) == ("later", {"x": 1})


def test_raw_error_and_wire_are_kept() -> None:
    for payload, raw in (
        ({"type": "error", "error": QUOTA}, QUOTA),
        ({"type": "error", "code": "c", "message": "m"}, {"code": "c", "message": "m"}),
        (final("failed", error=QUOTA), QUOTA),
        (final("failed"), response("failed")),
    ):
        error = by_payload([CREATED, payload])[1]
        assert isinstance(error, StreamError)
        assert (error.raw, error.wire) == (raw, "openai-responses")


def test_usage_keeps_the_providers_own_counts() -> None:
    raw = {"input_tokens": 1, "output_tokens_details": {"reasoning_tokens": 2}}
    usage = by_payload([CREATED, final("completed", usage=raw)])[1]
    assert isinstance(usage, Usage)
    assert usage.raw == raw


def calls_of(items: list[Item], **options: Any) -> list[ToolCall]:
    return [event.call for event in by_payload(items, **options) if isinstance(event, ToolCallStart)]


def test_unknown_members_of_a_call_are_kept_for_replay() -> None:
    [call] = calls_of(
        [
            CREATED,
            added(function(namespace="n", none=None)),
            ended(function("{}", status="completed", caller={"x": 1})),
            COMPLETED,
        ]
    )
    assert call.extra == {"namespace": "n", "caller": {"x": 1}, "item_id": "fc_1"}


def test_what_is_read_or_derived_is_not_kept_twice() -> None:
    for item in (
        function("{}", parsed_arguments={}, status="completed"),
        custom("x", parsed_arguments={}, status="completed"),
    ):
        [call] = calls_of([CREATED, ended(item), COMPLETED])
        assert call.extra == {"item_id": item["id"]}


def test_an_id_that_is_none_is_not_kept() -> None:
    [call] = calls_of([CREATED, added(function(id="")), args("{}"), COMPLETED])
    assert call.extra == {}


def test_an_mcp_calls_result_is_kept_with_it() -> None:
    [call] = calls_of([CREATED, added(mcp()), ended(mcp("{}", output="found", error=None)), COMPLETED])
    assert call.extra == {"server_label": "wiki", "output": "found"}


def test_the_item_id_to_replay_is_the_last_one() -> None:
    [call] = calls_of(rotated(*CALL))
    assert (call.vendor_id, call.extra) == ("call_1", {"item_id": "rotated_5_fc_1"})


def test_a_call_is_ready_at_its_items_end() -> None:
    stream = Stream("openai-responses", confirm="call")
    events = [event for payload in CALL[:-1] for event in stream.receive_payload(payload)]
    assert isinstance(events[-1], ToolCallEnd)
    assert events[-1].call.executable


def test_arguments_that_are_no_json() -> None:
    [call] = calls_of([CREATED, ended(function({"a": object()})), ended(function({"a": object()})), COMPLETED])
    assert call.status == "invalid"


def test_the_limit_on_calls() -> None:
    events = by_payload(
        [*CALL[:-1], ended(function("{}", 2), 1), final("completed", function("{}", 3))], limits=Limits(calls=1)
    )
    assert shown(events)[-3:] == [
        ENDED,
        ("error", "limit", "more than calls=1 tool calls in one stream", None),
        ("finish", "error", "completed", []),
    ]


def test_many_items_without_ids_are_found_again_each() -> None:
    output = [without(message(part(f"<{number}>")), "id") for number in range(500)]
    events = by_payload(
        [CREATED, *(ended(each, number + 7) for number, each in enumerate(output)), final("completed", *output)]
    )
    assert shown(events) == [BEGUN, *(("text", f"<{number}>") for number in range(500)), STOPPED]
