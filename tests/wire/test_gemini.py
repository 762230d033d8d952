from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import byte_by_byte, dumped, run, to_sse, wires
from support.wires import SSE, Case, Payload, WireCases

from toolwire.events import (
    Finish,
    ReasoningDelta,
    StreamError,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Unknown,
    Usage,
)
from toolwire.grammar import check
from toolwire.limits import Limits
from toolwire.sansio import Stream
from toolwire.wire.gemini import FINISH, recognises

if TYPE_CHECKING:
    from toolwire.events import Event


# --- what a provider sends ---------------------------------------------------------------------------------------


def chunk(*parts: Any, finish: str | None = None, **candidate: Any) -> Payload:
    """A chunk with one candidate."""
    if parts:
        candidate["content"] = {"role": "model", "parts": list(parts)}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate]}


def says(text: str, **more: Any) -> Payload:
    return {"text": text, **more}


def calls(_beside: Payload | None = None, **fields: Any) -> Payload:
    """A part with a `functionCall`; what stands beside it comes first."""
    return {"functionCall": fields, **(_beside or {})}


def starts(name: str, **more: Any) -> Payload:
    return calls(name=name, willContinue=True, **more)


def gives(*updates: Payload, more: bool = True, **fields: Any) -> Payload:
    return calls(partialArgs=list(updates), **({"willContinue": True} if more else {}), **fields)


def at(path: str, value: Any = ..., *, more: bool = False) -> Payload:
    """One of `partialArgs`."""
    kinds = {str: "stringValue", bool: "boolValue", int: "numberValue", float: "numberValue"}
    update: Payload = {"jsonPath": path}
    if value is None:
        update["nullValue"] = "NULL_VALUE"
    elif value is not ...:
        update[kinds[type(value)]] = value
    return update | ({"willContinue": True} if more else {})


DONE = calls()  # the end of a streamed call
STOP = chunk(finish="STOP")
SIGNED = {"thoughtSignature": "c2ln"}
CALL = {"name": "get", "args": {"a": 1}}

# --- what it comes to --------------------------------------------------------------------------------------------


def ended(text: str, value: Any, name: str = "f", index: int = 0, *kind: str, at: tuple[str, ...] = ()) -> list[Any]:
    """A call that is well; `kind` is its own if it is another than "function", `at` the mark of its choice."""
    place = "".join(f"{mark[1:]}." for mark in at) + str(index)
    deltas = [("value", *at, index, text)] if text else []
    return [("start", *at, index, f"*{place}", name, *kind), *deltas, ("end", *at, index, "complete", value)]


def voided(text: str, name: str = "f") -> list[Any]:
    """A call that had ended well, and shows what became of it."""
    return [*ended(text, None, name)[:-1], ("end", 0, "invalid", "reset")]


def shown(events: list[Event]) -> list[tuple[Any, ...]]:
    """Events as everywhere; and all arguments are encoded."""
    assert all(event.call.encoded for event in events if isinstance(event, ToolCallStart))
    return wires.shown(events)


BEGUN = ("message", None, None)
ENDED = ("finish", "tool_calls", "STOP", ["*0"])
NOTHING = ("finish", "tool_calls", "STOP", [])
CUT = ("finish", "incomplete", [])


def streamed(*pieces: str) -> list[Any]:
    return [("value", 0, piece) for piece in pieces]


def refused(name: str, updates: list[Payload], text: str, reason: str = "path_order") -> Case:
    """A call whose last update can't be written: it is passed on, and the text before it stays."""
    good, bad = updates[:-1], gives(updates[-1])
    before = [("value", 0, text)] if text else []
    expected = [
        *(BEGUN, ("start", 0, "*0", "f"), ("value", 0, "{")),
        *before,
        *(("unknown", bad), ("end", 0, "invalid", reason), NOTHING),
    ]
    payloads = [chunk(starts("f")), *([chunk(gives(*good))] if good else []), chunk(bad), chunk(DONE), STOP]
    return (name, payloads, expected)


def valued(name: str, updates: list[Payload], text: str) -> Case:
    """A call in one part."""
    payloads = [chunk(gives(*updates, name="f", more=False), finish="STOP")]
    return (name, payloads, [BEGUN, *ended(text, json.loads(text)), ENDED])


CASES: list[Case] = [
    (
        "the same call again, without its signature: two calls",
        [chunk(calls(SIGNED, **CALL)), chunk(calls(**CALL)), STOP],
        [
            BEGUN,
            ("start", 0, "*0", "get", SIGNED),
            ("value", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            *ended('{"a":1}', {"a": 1}, "get", 1),
            ("finish", "tool_calls", "STOP", ["*0", "*1"]),
        ],
    ),
    (
        "text, ids and usage",
        [
            chunk(says("Hel"), index=0)
            | {"responseId": "r1", "modelVersion": "g-3", "usageMetadata": {"promptTokenCount": 5}},
            chunk(says("lo "), says("you"), index=0) | {"responseId": "r1"},
            chunk(says(""), finish="STOP")
            | {"usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 3, "thoughtsTokenCount": 90}},
        ],
        [
            ("message", "r1", "g-3"),
            ("usage", 5, None),
            *(("text", "Hel"), ("text", "lo "), ("text", "you")),
            ("usage", 5, 3),
            ("finish", "stop", "STOP", []),
        ],
    ),
    (
        "usage in a chunk of its own, none of it known",
        [{"usageMetadata": {"trafficType": "ON_DEMAND"}, "modelVersion": "g"}, STOP],
        [("usage", None, None), BEGUN, ("finish", "stop", "STOP", [])],
    ),
    (
        "an id that comes before any candidate",
        [{"usageMetadata": {"promptTokenCount": 1}, "responseId": "r"}, STOP],
        [("message", "r", None), ("usage", 1, None), ("finish", "stop", "STOP", [])],
    ),
    # --- whole calls ---
    (
        "a whole call ends at once",
        [chunk(calls(name="f", args={"a": [1, {"b": "é"}], "c": 2.5})), STOP],
        [BEGUN, *ended('{"a":[1,{"b":"é"}],"c":2.5}', {"a": [1, {"b": "é"}], "c": 2.5}), ENDED],
    ),
    (
        "an id is kept",
        [chunk(calls(name="f", args={"a": 1}, id="okz0loqw"), finish="STOP")],
        [
            BEGUN,
            ("start", 0, "okz0loqw", "f"),
            ("value", 0, '{"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", "STOP", ["okz0loqw"]),
        ],
    ),
    (
        "one function several times, in one chunk and over chunks",
        [
            chunk(calls(name="f", args={"a": 1}), calls(name="f", args={"a": 1})),
            chunk(calls(name="f", args={"a": 2}), finish="STOP"),
        ],
        [
            BEGUN,
            *ended('{"a":1}', {"a": 1}),
            *ended('{"a":1}', {"a": 1}, index=1),
            *ended('{"a":2}', {"a": 2}, index=2),
            ("finish", "tool_calls", "STOP", ["*0", "*1", "*2"]),
        ],
    ),
    (
        "a call without arguments ends when the turn is over",
        [chunk(calls(name="f")), STOP],
        [BEGUN, ("start", 0, "*0", "f"), ("end", 0, "complete", {}), ENDED],
    ),
    (
        "null and empty text are no arguments",
        [chunk(calls(name="f", args=None), calls(name="g", args="")), STOP],
        [
            *(BEGUN, ("start", 0, "*0", "f"), ("start", 1, "*1", "g")),
            *(("end", 0, "complete", {}), ("end", 1, "complete", {})),
            ("finish", "tool_calls", "STOP", ["*0", "*1"]),
        ],
    ),
    (
        "a call without arguments in a turn that was cut",
        [chunk(calls(name="f"), finish="MAX_TOKENS")],
        [BEGUN, ("start", 0, "*0", "f"), ("end", 0, "incomplete", "cut"), ("finish", "length", "MAX_TOKENS", [])],
    ),
    (
        "an empty object is written when the finish comes",
        [chunk(calls(name="f", args={})), chunk(says("so")), STOP],
        [BEGUN, ("start", 0, "*0", "f"), ("text", "so"), ("value", 0, "{}"), ("end", 0, "complete", {}), ENDED],
    ),
    (
        "an empty object is written when another call comes, and at the end of bytes",
        [chunk(calls(name="f", args={}), calls(name="g", args={}))],
        [BEGUN, *ended("{}", {}), *ended("{}", {}, "g", 1), CUT],
    ),
    (
        "an end of its own after an empty object",
        [chunk(calls(name="f", args={})), chunk(DONE), STOP],
        [BEGUN, *ended("{}", {}), ENDED],
    ),
    (
        "arguments that are no object",
        [chunk(calls(name="f", args=[1]), calls(name="g", args=0), finish="STOP")],
        [
            *(BEGUN, ("start", 0, "*0", "f"), ("value", 0, "[1]"), ("start", 1, "*1", "g"), ("value", 1, "0")),
            *(("end", 0, "invalid", "not_an_object"), ("end", 1, "invalid", "not_an_object"), NOTHING),
        ],
    ),
    (
        "a whole call in a turn without a finish",
        [chunk(calls(name="f", args={"a": 1}))],
        [BEGUN, *ended('{"a":1}', {"a": 1}), CUT],
    ),
    (
        "a call with text around it in one part and in others",
        [chunk(says("a"), calls({"text": "b"}, **CALL), says("c"), finish="STOP")],
        [BEGUN, ("text", "a"), ("text", "b"), *ended('{"a":1}', {"a": 1}, "get"), ("text", "c"), ENDED],
    ),
    # --- streamed calls ---
    (
        "start, values, bare parts and an empty part as the end",
        [
            chunk(starts("f")),
            chunk(gives(at("$.in[0].q", "On", more=True))),
            chunk(gives(at("$.in[0].q", "ce", more=True))),
            chunk(gives(at("$.in[0].q", ""))),
            chunk(calls(willContinue=True)),
            chunk(gives(at("$.in[1].q", 2.0))),
            chunk(gives(at("$.ok", True))),
            chunk(DONE, finish="STOP"),
        ],
        [
            *(BEGUN, ("start", 0, "*0", "f")),
            *streamed("{", '"in":[{"q":"On', "ce", '"', '},{"q":2', '}],"ok":true', "}"),
            *(("end", 0, "complete", {"in": [{"q": "Once"}, {"q": 2}], "ok": True}), ENDED),
        ],
    ),
    (
        "a part with values and no more to come is the end",
        [chunk(starts("f", id="x")), chunk(gives(at("$.a", 1), more=False)), STOP],
        [
            *(BEGUN, ("start", 0, "x", "f")),
            *(*streamed("{", '"a":1}'), ("end", 0, "complete", {"a": 1}), ("finish", "tool_calls", "STOP", ["x"])),
        ],
    ),
    (
        "an explicit false is the end",
        [chunk(starts("f")), chunk(gives(at("$.a", 1))), chunk(calls(willContinue=False)), STOP],
        [BEGUN, ("start", 0, "*0", "f"), *streamed("{", '"a":1', "}"), ("end", 0, "complete", {"a": 1}), ENDED],
    ),
    (
        "all in one part",
        [chunk(gives(at("$.d", 2), at("$.n", 100), name="f", more=False), finish="STOP")],
        [BEGUN, *ended('{"d":2,"n":100}', {"d": 2, "n": 100}), ENDED],
    ),
    (
        "a start with values in it",
        [chunk(gives(at("$.a", "x", more=True), name="f")), chunk(gives(at("$.a", "y"), more=False)), STOP],
        [BEGUN, ("start", 0, "*0", "f"), *streamed('{"a":"x', 'y"}'), ("end", 0, "complete", {"a": "xy"}), ENDED],
    ),
    (
        "a streamed call without arguments",
        [chunk(starts("f")), chunk(DONE), STOP],
        [BEGUN, ("start", 0, "*0", "f"), *streamed("{", "}"), ("end", 0, "complete", {}), ENDED],
    ),
    (
        "calls one after the other, whole and streamed",
        [
            chunk(calls(name="a")),
            chunk(starts("f")),
            chunk(gives(at("$.x", 1))),
            chunk(DONE),
            chunk(starts("f")),
            chunk(gives(at("$.x", 2))),
            chunk(DONE),
            chunk(calls(name="g", args={"y": 3}), finish="STOP"),
        ],
        [
            *(BEGUN, ("start", 0, "*0", "a")),
            *(("start", 1, "*1", "f"), ("value", 1, "{"), ("value", 1, '"x":1'), ("value", 1, "}")),
            ("end", 1, "complete", {"x": 1}),
            *(("start", 2, "*2", "f"), ("value", 2, "{"), ("value", 2, '"x":2'), ("value", 2, "}")),
            ("end", 2, "complete", {"x": 2}),
            *ended('{"y":3}', {"y": 3}, "g", 3),
            *(("end", 0, "complete", {}), ("finish", "tool_calls", "STOP", ["*0", "*1", "*2", "*3"])),
        ],
    ),
    (
        "another call ends one that was still due",
        [chunk(starts("f")), chunk(gives(at("$.a[0]", 1))), chunk(starts("g")), chunk(DONE), STOP],
        [
            *(BEGUN, ("start", 0, "*0", "f"), *streamed("{", '"a":[1', "]}"), ("end", 0, "complete", {"a": [1]})),
            *(("start", 1, "*1", "g"), ("value", 1, "{"), ("value", 1, "}"), ("end", 1, "complete", {})),
            ("finish", "tool_calls", "STOP", ["*0", "*1"]),
        ],
    ),
    (
        "another call doesn't end one of which nothing had come",
        [chunk(starts("f")), chunk(calls(**CALL)), STOP],
        [
            *(BEGUN, ("start", 0, "*0", "f"), ("value", 0, "{"), *ended('{"a":1}', {"a": 1}, "get", 1)),
            *(("end", 0, "invalid", "truncated"), ("finish", "tool_calls", "STOP", ["*1"])),
        ],
    ),
    (
        "another call doesn't end one whose string is open",
        [chunk(starts("f")), chunk(gives(at("$.a", "x", more=True))), chunk(calls(**CALL)), STOP],
        [
            *(BEGUN, ("start", 0, "*0", "f"), *streamed("{", '"a":"x'), *ended('{"a":1}', {"a": 1}, "get", 1)),
            *(("end", 0, "invalid", "truncated"), ("finish", "tool_calls", "STOP", ["*1"])),
        ],
    ),
    (
        "the same name with values goes on with a call that is due",
        [
            chunk(starts("f")),
            chunk(gives(at("$.a", 1), name="f")),
            chunk(gives(at("$.b", 2), name="f", more=False)),
            STOP,
        ],
        [
            BEGUN,
            ("start", 0, "*0", "f"),
            *streamed("{", '"a":1', ',"b":2}'),
            ("end", 0, "complete", {"a": 1, "b": 2}),
            ENDED,
        ],
    ),
    (
        "the same name with values goes on with a call that has an id",
        [chunk(starts("f", id="x")), chunk(gives(at("$.a", 1), name="f", more=False)), STOP],
        [
            BEGUN,
            ("start", 0, "x", "f"),
            *streamed("{", '"a":1}'),
            ("end", 0, "complete", {"a": 1}),
            ("finish", "tool_calls", "STOP", ["x"]),
        ],
    ),
    (
        "another name with values is another call",
        [chunk(starts("f")), chunk(gives(at("$.a", 1))), chunk(gives(at("$.b", 2), name="g", more=False)), STOP],
        [
            *(BEGUN, ("start", 0, "*0", "f"), *streamed("{", '"a":1', "}"), ("end", 0, "complete", {"a": 1})),
            *(*ended('{"b":2}', {"b": 2}, "g", 1), ("finish", "tool_calls", "STOP", ["*0", "*1"])),
        ],
    ),
    (
        "the same name with nothing but an explicit false is the end",
        [chunk(starts("f")), chunk(gives(at("$.a", 1))), chunk(calls(name="f", willContinue=False)), STOP],
        [BEGUN, ("start", 0, "*0", "f"), *streamed("{", '"a":1', "}"), ("end", 0, "complete", {"a": 1}), ENDED],
    ),
    (
        "the same name without values is another call",
        [chunk(starts("f")), chunk(gives(at("$.a", 1))), chunk(starts("f")), chunk(DONE), STOP],
        [
            *(BEGUN, ("start", 0, "*0", "f"), *streamed("{", '"a":1', "}"), ("end", 0, "complete", {"a": 1})),
            *(("start", 1, "*1", "f"), ("value", 1, "{"), ("value", 1, "}"), ("end", 1, "complete", {})),
            ("finish", "tool_calls", "STOP", ["*0", "*1"]),
        ],
    ),
    (
        "the same name with another id is another call",
        [
            chunk(starts("f", id="x")),
            chunk(gives(at("$.a", 1))),
            chunk(gives(at("$.a", 2), name="f", id="y", more=False)),
            STOP,
        ],
        [
            *(BEGUN, ("start", 0, "x", "f"), *streamed("{", '"a":1', "}"), ("end", 0, "complete", {"a": 1})),
            *(("start", 1, "y", "f"), ("value", 1, '{"a":2}'), ("end", 1, "complete", {"a": 2})),
            ("finish", "tool_calls", "STOP", ["x", "y"]),
        ],
    ),
    (
        "the same id goes on, whatever comes with it",
        [chunk(starts("f", id="x")), chunk(starts("f", id="x")), chunk(calls(name="f", id="x", args={"a": 1})), STOP],
        [
            *(
                BEGUN,
                ("start", 0, "x", "f"),
                *streamed("{", '"a":1}'),
                ("end", 0, "complete", {"a": 1}),
                ("finish", "tool_calls", "STOP", ["x"]),
            ),
        ],
    ),
    (
        "whole arguments beside values by path",
        [
            chunk(starts("f", args={"a": {"x": []}})),
            chunk(gives(at("$.b", 1), args={"c": None})),
            chunk(gives(at("$.d[0]", 1))),
            # all again at the end: what is there already is a repeat
            chunk(calls(args={"a": {"x": []}, "b": 1, "c": None, "d": [1], "e": 2})),
            STOP,
        ],
        [
            *(
                BEGUN,
                ("start", 0, "*0", "f"),
                *streamed('{"a":{"x":[]}', " ", ',"c":null,"b":1', ',"d":[1', " ", '],"e":2}'),
            ),
            *(("end", 0, "complete", {"a": {"x": []}, "c": None, "b": 1, "d": [1], "e": 2}), ENDED),
        ],
    ),
    (
        "whole arguments that contradict values by path",
        [chunk(starts("f")), chunk(gives(at("$.a", 1), at("$.b", 1))), chunk(calls(args={"a": 2})), STOP],
        [
            *(BEGUN, ("start", 0, "*0", "f"), *streamed("{", '"a":1,"b":1', " ")),
            *(("unknown", calls(args={"a": 2})), ("end", 0, "invalid", "path_order"), NOTHING),
        ],
    ),
    (
        "whole arguments while a string is open",
        [chunk(starts("f", args="")), chunk(gives(at("$.a", "x", more=True))), chunk(calls(args={"b": 2})), STOP],
        [
            *(BEGUN, ("start", 0, "*0", "f"), *streamed("{", '"a":"x')),
            *(("unknown", calls(args={"b": 2})), ("end", 0, "invalid", "path_order"), NOTHING),
        ],
    ),
    (
        "no object beside values by path",
        [chunk(gives(at("$.b", 1), name="f", args=[1], more=False)), STOP],
        [
            *(BEGUN, ("start", 0, "*0", "f"), ("value", 0, "{")),
            ("unknown", gives(at("$.b", 1), name="f", args=[1], more=False)),
            *(("end", 0, "invalid", "malformed"), NOTHING),
        ],
    ),
    (
        "the end may come after the finish reason",
        [
            chunk(starts("f")),
            chunk(gives(at("$.a", "x", more=True)), finish="STOP"),
            chunk(gives(at("$.a", "y"), more=False)),
        ],
        [BEGUN, ("start", 0, "*0", "f"), *streamed("{", '"a":"x', 'y"}'), ("end", 0, "complete", {"a": "xy"}), ENDED],
    ),
    # --- streamed calls that are never whole ---
    (
        "a start and no more: the end of bytes",
        [chunk(starts("f"))],
        [BEGUN, ("start", 0, "*0", "f"), ("value", 0, "{"), ("end", 0, "incomplete", "cut"), CUT],
    ),
    (
        "a start and no more, yet the turn ends",
        [chunk(starts("f")), STOP],
        [BEGUN, ("start", 0, "*0", "f"), ("value", 0, "{"), ("end", 0, "invalid", "truncated"), NOTHING],
    ),
    (
        "values and no end, yet the turn ends",
        [chunk(starts("f")), chunk(gives(at("$.a", 1)), finish="STOP")],
        [BEGUN, ("start", 0, "*0", "f"), *streamed("{", '"a":1'), ("end", 0, "invalid", "truncated"), NOTHING],
    ),
    (
        "a string is open at the end of bytes",
        [chunk(starts("f")), chunk(gives(at("$.a.b", "x", more=True)))],
        [BEGUN, ("start", 0, "*0", "f"), *streamed("{", '"a":{"b":"x'), ("end", 0, "incomplete", "cut"), CUT],
    ),
    (
        "a string is open when the turn is cut",
        [chunk(starts("f")), chunk(gives(at("$.a", "x", more=True)), finish="MAX_TOKENS")],
        [
            *(BEGUN, ("start", 0, "*0", "f"), *streamed("{", '"a":"x'), ("end", 0, "incomplete", "cut")),
            ("finish", "length", "MAX_TOKENS", []),
        ],
    ),
    (
        "a string is open when the call ends",
        [chunk(starts("f")), chunk(gives(at("$.a", "x", more=True))), chunk(DONE), STOP],
        [BEGUN, ("start", 0, "*0", "f"), *streamed("{", '"a":"x'), ("end", 0, "invalid", "truncated"), NOTHING],
    ),
    # --- values ---
    valued(
        "numbers",
        [at("$.a", 2.0), at("$.b", 0.5), at("$.c", -3), at("$.d", 1e300)],
        '{"a":2,"b":0.5,"c":-3,"d":1e+300}',
    ),
    valued("booleans and null", [at("$.a", True), at("$.b", False), at("$.c", None)], '{"a":true,"b":false,"c":null}'),
    valued("null as JSON has it", [{"jsonPath": "$.a", "nullValue": None}], '{"a":null}'),
    valued("an empty string", [at("$.a", ""), at("$.b", "")], '{"a":"","b":""}'),
    valued(
        "text that looks like JSON", [at("$.a", '{"b":"\\n'), at("$.b", "null")], r'{"a":"{\"b\":\"\\n","b":"null"}'
    ),
    valued("control characters", [at("$.a", "\n\t\x00"), at("$.b", "\u2028")], '{"a":"\\n\\t\\u0000","b":"\u2028"}'),
    valued("a pair in two pieces", [at("$.a", "\ud83d", more=True), at("$.a", "\ude00")], '{"a":"\\ud83d\\ude00"}'),
    valued("an end without its empty text", [at("$.a", "x", more=True), at("$.a")], '{"a":"x"}'),
    valued(
        "nulls of a dump beside the value", [at("$.a", "x") | {"nullValue": None, "numberValue": None}], '{"a":"x"}'
    ),
    valued("empty pieces", [at("$.a", "", more=True), at("$.a", "", more=True), at("$.a", "")], '{"a":""}'),
    # --- paths ---
    valued("quoted keys", [at("$['k']", 1), at("$[\"b.c\"]['it\\'s']", 2)], '{"k":1,"b.c":{"it\'s":2}}'),
    valued("arrays in arrays", [at("$.m[0][0]", 1), at("$.m[0][1]", 2), at("$.m[1][0]", 3)], '{"m":[[1,2],[3]]}'),
    valued("a number behind a dot is a key", [at("$.s.2024", 1), at("$.s.1", 2)], '{"s":{"2024":1,"1":2}}'),
    valued("a key like a prototype's", [at("$.__proto__.x", 1)], '{"__proto__":{"x":1}}'),
    refused("a container is closed", [at("$.a.x", 1), at("$.b", 1), at("$.a.y", 1)], '"a":{"x":1},"b":1'),
    refused("a value is there", [at("$.a", "x"), at("$.a", "")], '"a":"x"'),
    refused("an array where an object is", [at("$.a.x", 1), at("$.a[0]", 1)], '"a":{"x":1'),
    refused("an object where an array is", [at("$.a[0].x", 1), at("$.a.x", 1)], '"a":[{"x":1'),
    refused("a container where a value is", [at("$.a", 1), at("$.a.b", 1)], '"a":1'),
    refused("a gap in an array", [at("$.a[0]", 1), at("$.a[2]", 1)], '"a":[1'),
    refused("a string is left open", [at("$.a", "x", more=True), at("$.b", 1)], '"a":"x'),
    refused("another type in a string", [at("$.a", "x", more=True), at("$.a", 1)], '"a":"x'),
    refused("null in a string", [at("$.a", "x", more=True), at("$.a", None)], '"a":"x'),
    refused("the root", [at("$", "x")], ""),
    refused("an index at the root", [at("$[0]", 1)], ""),
    refused("no singular path", [at("$.a", 1), at("$.b[*]", 1)], '"a":1', "malformed"),
    refused("a negative index", [at("$.a[-1]", 1)], "", "malformed"),
    refused("no path", [{"stringValue": "x"}], "", "malformed"),
    refused("a path of another type", [{"jsonPath": 1, "stringValue": "x"}], "", "malformed"),
    refused("no value", [at("$.a")], "", "malformed"),
    refused("no value, yet more of it", [at("$.a", more=True)], "", "malformed"),
    refused("two values", [at("$.a", "x") | {"numberValue": 1}], "", "malformed"),
    refused("a value and null", [at("$.a", "x") | {"nullValue": "NULL_VALUE"}], "", "malformed"),
    refused("a value of another type", [{"jsonPath": "$.a", "stringValue": 1}], "", "malformed"),
    refused("a number as text", [{"jsonPath": "$.a", "numberValue": "NaN"}], "", "malformed"),
    refused("a boolean as number", [{"jsonPath": "$.a", "numberValue": True}], "", "malformed"),
    refused("a number as boolean", [{"jsonPath": "$.a", "boolValue": 1}], "", "malformed"),
    refused("a value that doesn't exist", [{"jsonPath": "$.a", "structValue": {"x": 1}}], "", "malformed"),
    refused("a number in pieces", [at("$.a", 1, more=True)], "", "malformed"),
    (
        "after a refusal everything is passed on, and nothing closes the text",
        [
            chunk(starts("f")),
            chunk(gives(at("$.a", 1), at("$.a", 2), at("$.b", 3))),
            chunk(gives(at("$.c", 4))),
            chunk(calls(willContinue=True)),
            chunk(calls(**CALL)),
            STOP,
        ],
        [
            *(BEGUN, ("start", 0, "*0", "f"), *streamed("{", '"a":1')),
            ("unknown", gives(at("$.a", 1), at("$.a", 2), at("$.b", 3))),
            ("unknown", gives(at("$.c", 4))),
            *ended('{"a":1}', {"a": 1}, "get", 1),
            *(("end", 0, "invalid", "path_order"), ("finish", "tool_calls", "STOP", ["*1"])),
        ],
    ),
    (
        "values that are no list, and no objects",
        [chunk(calls(name="f", partialArgs=at("$.a", 1))), chunk(calls(name="g", partialArgs=[1, at("$.a", 1)])), STOP],
        [
            *(BEGUN, *ended('{"a":1}', {"a": 1})),
            *(("start", 1, "*1", "g"), ("value", 1, "{"), ("unknown", calls(name="g", partialArgs=[1, at("$.a", 1)]))),
            *(("end", 1, "invalid", "malformed"), ("finish", "tool_calls", "STOP", ["*0"])),
        ],
    ),
    # --- parts without a name ---
    (
        "arguments in a second part, after an empty object",
        [chunk(calls(name="f", args={})), chunk(calls(args={"a": 1})), STOP],
        [BEGUN, *ended('{"a":1}', {"a": 1}), ENDED],
    ),
    (
        "arguments in a second part, after none",
        [chunk(calls(name="f")), chunk(gives(at("$.a", 1))), chunk(DONE), STOP],
        [BEGUN, ("start", 0, "*0", "f"), *streamed('{"a":1', "}"), ("end", 0, "complete", {"a": 1}), ENDED],
    ),
    (
        "more is announced of a call that came without arguments",
        [chunk(calls(name="f", args={})), chunk(calls(willContinue=True)), STOP],
        [BEGUN, ("start", 0, "*0", "f"), ("value", 0, "{"), ("end", 0, "invalid", "truncated"), NOTHING],
    ),
    (
        "an end, and more, of a call that has ended say nothing",
        [chunk(calls(**CALL)), chunk(DONE), chunk(calls(willContinue=True)), STOP],
        [BEGUN, *ended('{"a":1}', {"a": 1}, "get"), ENDED],
    ),
    (
        "arguments of a call that has ended",
        [chunk(calls(**CALL)), chunk(calls(args={"b": 2})), STOP],
        [
            *(BEGUN, *voided('{"a":1}', "get"), ("reset", "calls", ["*0"])),
            *(("unknown", calls(args={"b": 2})), NOTHING),
        ],
    ),
    (
        "values of a call that has ended, again and again",
        [
            chunk(gives(at("$.a", 1), name="f", more=False)),
            chunk(gives(at("$.b", 2))),
            chunk(gives(at("$.c", 2))),
            STOP,
        ],
        [
            *(BEGUN, *voided('{"a":1}'), ("reset", "calls", ["*0"])),
            *(("unknown", gives(at("$.b", 2))), ("unknown", gives(at("$.c", 2))), NOTHING),
        ],
    ),
    (
        "arguments of a call without any, after its turn has ended",
        [chunk(calls(name="f"), finish="STOP"), chunk(calls(args={"b": 2}))],
        [
            *(BEGUN, *voided(""), ("reset", "calls", ["*0"])),
            *(("unknown", calls(args={"b": 2})), NOTHING),
        ],
    ),
    (
        "arguments of a call whose arguments are no object",
        [chunk(calls(name="f", args="{")), chunk(calls(args={"b": 2})), STOP],
        [
            *(BEGUN, ("start", 0, "*0", "f"), ("value", 0, '"{"'), ("unknown", calls(args={"b": 2}))),
            *(("end", 0, "invalid", "malformed"), NOTHING),
        ],
    ),
    (
        "an id without a name: of the last call, and of one before it",
        [
            chunk(calls(name="f", id="x", args={"a": 1})),
            chunk(starts("g", id="y")),
            chunk(gives(at("$.b", 2), id="y")),
            chunk(gives(at("$.c", 3), id="x")),
            chunk(calls(id="y")),
            STOP,
        ],
        [
            *(BEGUN, ("start", 0, "x", "f"), ("value", 0, '{"a":1}'), ("end", 0, "invalid", "reset")),
            *(("start", 1, "y", "g"), ("value", 1, "{"), ("value", 1, '"b":2')),
            *(("reset", "calls", ["x"]), ("unknown", gives(at("$.c", 3), id="x"))),
            *(("value", 1, "}"), ("end", 1, "complete", {"b": 2}), ("finish", "tool_calls", "STOP", ["y"])),
        ],
    ),
    (
        "a name that comes late",
        [chunk(gives(at("$.a", 1))), chunk(gives(at("$.b", 2), name="f", id="x", more=False)), STOP],
        [
            *(BEGUN, ("start", 0, "x", "f"), *streamed('{"a":1', ',"b":2}')),
            *(("end", 0, "complete", {"a": 1, "b": 2}), ("finish", "tool_calls", "STOP", ["x"])),
        ],
    ),
    (
        "a name that comes late, and with nothing else",
        [chunk(gives(at("$.a", 1))), chunk(starts("f")), chunk(DONE), STOP],
        [BEGUN, ("start", 0, "*0", "f"), *streamed('{"a":1', "}"), ("end", 0, "complete", {"a": 1}), ENDED],
    ),
    (
        "a name that never comes",
        [chunk(calls(args={"a": 1})), STOP],
        [
            BEGUN,
            (
                "error",
                "protocol",
                "call 0 of choice 0 never got a name (id None, 7 characters of arguments)",
                None,
            ),
            ("finish", "error", "STOP", []),
        ],
    ),
    (
        "an end of nothing",
        [chunk(DONE), chunk(calls(willContinue=True)), chunk(calls(SIGNED)), chunk(calls(odd=1)), STOP],
        [
            *(BEGUN, ("unknown", calls(SIGNED)), ("unknown", calls(odd=1)), ("finish", "stop", "STOP", [])),
        ],
    ),
    # --- thoughts and signatures ---
    (
        "thoughts, and signatures on their parts",
        [
            chunk(says("Hm", thought=True), says("m", thought=True, **SIGNED)),
            chunk(says("Yes", thoughtSignature="dHh0")),
            chunk(says("!", partMetadata={"a": 1}, inlineData=None, functionCall=None, thoughtSignature="bWV0YQ==")),
            chunk(says("", thoughtSignature="ZW1w"), {"thoughtSignature": "YWxu"}, finish="STOP"),
        ],
        [
            *(BEGUN, ("reasoning", "Hm", "thought"), ("reasoning", "m", "thought")),
            ("reasoning", "", "thoughtSignature", "c2ln", None),
            *(("text", "Yes"), ("reasoning", "", "thoughtSignature", "dHh0", None)),
            *(
                ("text", "!"),
                ("reasoning", "", "thoughtSignature", "bWV0YQ==", None),
                ("unknown", {"partMetadata": {"a": 1}}),
            ),
            *(("reasoning", "", "thoughtSignature", "ZW1w", None), ("reasoning", "", "thoughtSignature", "YWxu", None)),
            ("finish", "stop", "STOP", []),
        ],
    ),
    # --- parts that are no calls of ours ---
    (
        "parts of the provider's own",
        [
            chunk({"executableCode": {"code": "1"}, **SIGNED}, {"codeExecutionResult": {"output": "1"}}),
            chunk({"toolCall": {"id": "t"}}, {"toolResponse": {"id": "t"}}),
            chunk({"inlineData": {"data": "AA=="}}, {"fileData": {"fileUri": "u"}}, {"text": 1, **SIGNED}),
            chunk("what", {}, None, {"text": 1}, {"functionCall": 1}, {"functionCall": None}, finish="STOP"),
        ],
        [
            BEGUN,
            *(
                ("unknown", {"executableCode": {"code": "1"}, **SIGNED}),
                ("unknown", {"codeExecutionResult": {"output": "1"}}),
            ),
            *(("unknown", {"toolCall": {"id": "t"}}), ("unknown", {"toolResponse": {"id": "t"}})),
            *(("unknown", {"inlineData": {"data": "AA=="}}), ("unknown", {"fileData": {"fileUri": "u"}})),
            ("unknown", {"text": 1, **SIGNED}),
            *(("unknown", "what"), ("unknown", None), ("unknown", {"text": 1}), ("unknown", {"functionCall": 1})),
            ("finish", "stop", "STOP", []),
        ],
    ),
    (
        "sources of the answer",
        [
            chunk(says("x"), groundingMetadata={}),
            chunk(finish="STOP", groundingMetadata={"q": 1}, citationMetadata={"c": 1}),
        ],
        [
            *(BEGUN, ("text", "x"), ("unknown", {"groundingMetadata": {"q": 1}, "citationMetadata": {"c": 1}})),
            ("finish", "stop", "STOP", []),
        ],
    ),
    (
        "a chunk of another kind, and odd content",
        [
            STOP,
            {"setupComplete": {}},
            {"candidates": [1]},
            {"candidates": [{"content": {"parts": {"text": "x"}}}, {"content": "x"}, {"content": {"missing": 1}}]},
        ],
        [
            *(BEGUN, ("unknown", {"setupComplete": {}}), ("unknown", 1)),
            *(("unknown", {"content": {"parts": {"text": "x"}}}), ("finish", "stop", "STOP", [])),
        ],
    ),
    # --- calls that the provider runs itself ---
    (
        "a call that is answered in the same stream",
        [
            chunk(calls(**CALL), finish="STOP"),
            chunk({"functionResponse": {"name": "get", "response": {"r": 1}}}),
            chunk(says("It is 1."), finish="STOP"),
        ],
        [
            *(BEGUN, *ended('{"a":1}', {"a": 1}, "get", 0, "mcp"), ("reset", "calls", ["*0"])),
            ("unknown", {"functionResponse": {"name": "get", "response": {"r": 1}}}),
            *(("text", "It is 1."), ("finish", "stop", "STOP", "STOP", [])),
        ],
    ),
    (
        "answers go to the call with their id, else to the last of that name that has none",
        [
            chunk(*(calls(name=name, args={"a": 1}) for name in ("f", "f", "g"))),
            chunk(calls(name="h", args={"a": 1}, id="x"), calls(name="h", args={"a": 1}, id="y"), finish="STOP"),
            chunk({"functionResponse": {"name": "h", "id": "x"}}, {"functionResponse": {"name": "f", "id": "z"}}),
            chunk({"functionResponse": {"name": "h", "id": "z"}}, {"functionResponse": {"name": "f"}}),
            chunk({"functionResponse": {"name": "f"}}, {"functionResponse": {"name": "h", "id": "x"}}),
            chunk({"functionResponse": {"name": "h"}}, {"functionResponse": {"name": "h"}}),
        ],
        [
            *(BEGUN, *ended('{"a":1}', {"a": 1}, "f", 0, "mcp"), *ended('{"a":1}', {"a": 1}, "f", 1, "mcp")),
            *ended('{"a":1}', {"a": 1}, "g", 2),
            *(("start", 3, "x", "h", "mcp"), ("value", 3, '{"a":1}'), ("end", 3, "complete", {"a": 1})),
            *(("start", 4, "y", "h", "mcp"), ("value", 4, '{"a":1}'), ("end", 4, "complete", {"a": 1})),
            *(("reset", "calls", ["x"]), ("unknown", {"functionResponse": {"name": "h", "id": "x"}})),
            *(("reset", "calls", ["*1"]), ("unknown", {"functionResponse": {"name": "f", "id": "z"}})),
            ("unknown", {"functionResponse": {"name": "h", "id": "z"}}),
            *(("reset", "calls", ["*0"]), ("unknown", {"functionResponse": {"name": "f"}})),
            *(
                ("unknown", {"functionResponse": {"name": "f"}}),
                ("unknown", {"functionResponse": {"name": "h", "id": "x"}}),
            ),
            *(("reset", "calls", ["y"]), ("unknown", {"functionResponse": {"name": "h"}})),
            *(("unknown", {"functionResponse": {"name": "h"}}), ("finish", "tool_calls", "STOP", ["*2"])),
        ],
    ),
    (
        "a call with an empty object that is answered",
        [
            chunk(calls(name="f", args={})),
            chunk({"functionResponse": {"name": "f"}}),
            chunk(calls(**CALL), finish="STOP"),
        ],
        [
            *(
                BEGUN,
                *ended("{}", {}, "f", 0, "mcp"),
                ("reset", "calls", ["*0"]),
                ("unknown", {"functionResponse": {"name": "f"}}),
            ),
            *(*ended('{"a":1}', {"a": 1}, "get", 1), ("finish", "tool_calls", "STOP", ["*1"])),
        ],
    ),
    # --- ends ---
    (
        "content after a finish reason",
        [chunk(says("a"), finish="STOP"), chunk(says("b")), chunk(calls(**CALL))],
        [BEGUN, ("text", "a"), ("text", "b"), *ended('{"a":1}', {"a": 1}, "get"), ENDED],
    ),
    (
        "a cut wins over the stop before it",
        [chunk(calls(**CALL), finish="STOP"), chunk(finish="SAFETY")],
        [BEGUN, *ended('{"a":1}', {"a": 1}, "get"), ("finish", "content_filter", "STOP", "SAFETY", [])],
    ),
    (
        "no reason at all",
        [chunk(says("a"), finish=""), chunk(finish="null")],
        [BEGUN, ("text", "a"), CUT],
    ),
    (
        "a malformed call",
        [
            chunk(calls(name="f"), calls(**CALL), starts("h")),
            chunk(finish="MALFORMED_FUNCTION_CALL", finishMessage="Malformed: f(")
            | {"usageMetadata": {"promptTokenCount": 7}},
        ],
        [
            *(
                BEGUN,
                ("start", 0, "*0", "f"),
                *ended('{"a":1}', {"a": 1}, "get", 1),
                ("start", 2, "*2", "h"),
                ("value", 2, "{"),
            ),
            *(("usage", 7, None), ("end", 0, "incomplete", "cut"), ("end", 2, "incomplete", "cut")),
            ("error", "provider", "Malformed: f(", "MALFORMED_FUNCTION_CALL"),
            ("finish", "error", "MALFORMED_FUNCTION_CALL", []),
        ],
    ),
    (
        "a blocked prompt",
        [
            {
                "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
                "usageMetadata": {"promptTokenCount": 4},
                "responseId": "r",
            },
        ],
        [("message", "r", None), ("usage", 4, None), ("finish", "content_filter", "PROHIBITED_CONTENT", [])],
    ),
    (
        "a blocked prompt, and whose it was",
        [{"promptFeedback": {"blockReason": "OTHER"}, "modelVersion": "m"}],
        [("message", None, "m"), ("finish", "content_filter", "OTHER", [])],
    ),
    (
        "a reason to block beside an answer",
        [chunk(calls(**CALL)) | {"promptFeedback": {"blockReason": "OTHER"}}, STOP],
        [BEGUN, *ended('{"a":1}', {"a": 1}, "get"), ENDED],
    ),
    (
        "a prompt that isn't blocked",
        [
            chunk(calls(name="f", args={})) | {"promptFeedback": {"safetyRatings": []}},
            {"promptFeedback": {"x": 1}},
            STOP,
        ],
        [BEGUN, *ended("{}", {}), ENDED],
    ),
    (
        "a prompt blocked after a call with an empty object",
        [chunk(calls(name="f", args={})), {"promptFeedback": {"blockReason": "OTHER"}, "candidates": []}],
        [BEGUN, *ended("{}", {}), ("finish", "content_filter", "OTHER", [])],
    ),
    # --- errors ---
    (
        "an error instead of an answer",
        [{"error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED"}}],
        [("error", "provider", "slow down", "RESOURCE_EXHAUSTED"), ("finish", "error", [])],
    ),
    (
        "an error in the middle, and what comes after it",
        [
            chunk(calls(name="e", args={}), calls(name="g", args={}), starts("f"), gives(at("$.a", "x", more=True))),
            {"error": {"code": 499, "message": "", "status": "CANCELLED"}},
            chunk(says("x"), calls(**CALL), finish="STOP"),
        ],
        [
            *(BEGUN, *ended("{}", {}, "e"), *ended("{}", {}, "g", 1)),
            *(("start", 2, "*2", "f"), ("value", 2, "{"), ("value", 2, '"a":"x'), ("end", 2, "incomplete", "cut")),
            *(("error", "provider", "", "CANCELLED"), ("finish", "error", "STOP", [])),
        ],
    ),
    (
        "an error beside a call with an empty object",
        [chunk(calls(name="f", args={})) | {"error": {"code": 500, "message": "oh"}}],
        [BEGUN, *ended("{}", {}), ("error", "provider", "oh", "500"), ("finish", "error", [])],
    ),
    # --- candidates ---
    (
        "several candidates, each with its own calls",
        [
            {"candidates": [chunk(starts("f"))["candidates"][0], chunk(starts("g"), index=1)["candidates"][0]]},
            chunk(gives(at("$.b", 2)), index=1),
            chunk(gives(at("$.a", 1)), index=0),
            chunk(says("x"), DONE, index=1, finish="STOP"),
            chunk(DONE, index=0, finish="MAX_TOKENS"),
        ],
        [
            *(
                BEGUN,
                ("start", 0, "*0", "f"),
                ("value", 0, "{"),
                ("start", "#1", 0, "*1.0", "g"),
                ("value", "#1", 0, "{"),
            ),
            *(("value", "#1", 0, '"b":2'), ("value", 0, '"a":1'), ("text", "#1", "x")),
            *(("value", "#1", 0, "}"), ("end", "#1", 0, "complete", {"b": 2})),
            *(("value", 0, "}"), ("end", 0, "complete", {"a": 1})),
            *(("finish", "length", "MAX_TOKENS", []), ("finish", "#1", "tool_calls", "STOP", ["*1.0"])),
        ],
    ),
    (
        "one candidate fails, another had a call with an empty object",
        [chunk(calls(name="f", args={}), index=1), chunk(index=0, finish="MALFORMED_RESPONSE")],
        [
            *(BEGUN, *ended("{}", {}, at=("#1",)), ("error", "provider", "", "MALFORMED_RESPONSE")),
            *(("finish", "#1", "error", []), ("finish", "error", "MALFORMED_RESPONSE", [])),
        ],
    ),
    # --- dumps ---
    (
        "names in snake_case",
        [
            {
                "candidates": [
                    {
                        "content": {
                            "parts": [
                                {
                                    "function_call": {
                                        "name": "f",
                                        "partial_args": [
                                            {"json_path": "$.a_b", "string_value": "x", "will_continue": True},
                                            {"json_path": "$.a_b", "string_value": ""},
                                        ],
                                        "will_continue": True,
                                    }
                                },
                                {"function_call": {"args": {"c_d": 1}}},
                                {"function_response": {"name": "f"}},
                                {"text": "", "thought_signature": "c2ln"},
                            ]
                        },
                        "finish_reason": "MALFORMED_RESPONSE",
                        "finish_message": "no",
                    }
                ],
                "usage_metadata": {"prompt_token_count": 1, "candidates_token_count": 2},
                "response_id": "r",
                "model_version": "m",
            },
        ],
        [
            *(("message", "r", "m"), ("usage", 1, 2)),
            *(
                ("start", 0, "*0", "f", "mcp"),
                *streamed('{"a_b":"x"', " ", ',"c_d":1}'),
                ("end", 0, "complete", {"a_b": "x", "c_d": 1}),
            ),
            *(("reset", "calls", ["*0"]), ("unknown", {"function_response": {"name": "f"}})),
            *(("reasoning", "", "thoughtSignature", "c2ln", None), ("error", "provider", "no", "MALFORMED_RESPONSE")),
            ("finish", "error", "MALFORMED_RESPONSE", []),
        ],
    ),
    (
        "a blocked prompt in snake_case",
        [{"prompt_feedback": {"block_reason": "SAFETY"}}],
        [BEGUN, ("finish", "content_filter", "SAFETY", [])],
    ),
]


def json_array(payloads: list[Payload]) -> bytes:
    return ("[" + "\n,\r\n".join(map(dumped, payloads)) + "\n]\n").encode()


def outcome(payloads: list[Payload], **options: Any) -> list[Event]:
    """The events of payloads, in their legal order."""
    return run(payloads, "gemini", **options)


# --- every case, in every form -----------------------------------------------------------------------------------


class TestCases(WireCases):
    wire = "gemini"
    cases = CASES
    nobodys = ("an error instead of an answer",)
    bodies = SSE | {"array": json_array}
    shown = staticmethod(shown)
    cuts = 300
    mutations = 300
    words = ("$.a", "STOP", "x")
    members = ("name", "args", "index", "text", "parts", "a")
    odd = st.builds(lambda: 10**5000) | st.sampled_from([{"a": 1}, [{"jsonPath": "$.a"}]])


@st.composite
def any_parts(draw: st.DrawFn) -> list[Payload]:
    """Chunks with parts of calls in any order, each value in them its own."""
    payloads = []
    for number in range(draw(st.integers(1, 9))):
        mark = f"<{number}>"
        fields: Payload = {}
        if draw(st.booleans()):
            fields["name"] = draw(st.sampled_from(["f", "g"]))
        if draw(st.integers(0, 3)) == 0:
            fields["id"] = draw(st.sampled_from(["x", "y"]))
        if draw(st.booleans()):
            fields["willContinue"] = draw(st.sampled_from([True, True, False]))
        if draw(st.integers(0, 3)) == 0:
            fields["args"] = draw(st.sampled_from([{}, None, {"a": mark + "args"}, {"b": {"c": mark + "args"}}]))
        if draw(st.booleans()):
            paths = draw(st.lists(st.sampled_from(["$.a", "$.b", "$.b.c", "$.l[0]", "$.l[1]"]), min_size=1, max_size=2))
            fields["partialArgs"] = [at(path, mark + path, more=draw(st.booleans())) for path in paths]
        payloads.append(chunk(calls(**fields), finish=draw(st.sampled_from([None, None, None, "STOP"]))))
    return [*payloads, STOP]


@settings(deadline=None, max_examples=500)
@given(payloads=any_parts())
def test_in_whatever_order_parts_come_nothing_is_lost(payloads: list[Payload]) -> None:
    """Every value that came is in a call's text, or was passed on; what may be run is whole."""
    events = outcome(payloads)
    made = {call.index: call for event in events if (call := getattr(event, "call", None)) is not None}
    kept = "".join(call.buf for call in made.values())
    passed_on = json.dumps([event.payload for event in events if isinstance(event, Unknown)])
    for mark in re.findall(r"<\d+>[$.\[\]\w]+", json.dumps(payloads)):
        assert mark in kept or mark in passed_on
    finish = events[-1]
    assert isinstance(finish, Finish)
    for call in finish.calls:
        assert json.loads(call.buf or "{}") == call.arguments
    announced = [call for call in made.values() if call.buf == "{"]
    assert not any(call.executable for call in announced)


# --- the moment of each event ------------------------------------------------------------------------------------


def test_a_call_is_shown_and_over_as_soon_as_it_is_known() -> None:
    stream = Stream("gemini")
    moments = [
        shown(stream.receive_payload(payload))
        for payload in (
            chunk(calls(**CALL)),
            chunk(starts("f")),
            chunk(gives(at("$.a", "x", more=True))),
            chunk(gives(at("$.a", ""), more=False)),
            chunk(calls(name="h", args={})),
            STOP,
        )
    ]
    assert moments == [
        [BEGUN, *ended('{"a":1}', {"a": 1}, "get")],
        [("start", 1, "*1", "f"), ("value", 1, "{")],
        [("value", 1, '"a":"x')],
        [("value", 1, '"}'), ("end", 1, "complete", {"a": "x"})],
        [("start", 2, "*2", "h")],
        [("value", 2, "{}"), ("end", 2, "complete", {})],
    ]


def test_a_string_shows_as_it_grows() -> None:
    stream = Stream("gemini")
    stream.receive_payload(chunk(starts("f")))
    values = []
    for piece in ("Once \ud83d", "\ude00 upon", ""):
        stream.receive_payload(chunk(gives(at("$.a[0]", piece, more=bool(piece)))))
        values.append(copy.deepcopy(stream.calls[0].partial))
    assert values == [{"a": ["Once "]}, {"a": ["Once 😀 upon"]}, {"a": ["Once 😀 upon"]}]


def test_changes_come_with_the_values() -> None:
    events = outcome([chunk(starts("f")), chunk(gives(at("$.a", "x", more=True))), chunk(DONE)], changes=True)
    changes = [change for event in events if isinstance(event, ToolCallDelta) for change in event.changes or ()]
    assert changes == [("opened", (), {}), ("opened", ("a",), ""), ("appended", ("a",), "x")]


# --- what a call carries -----------------------------------------------------------------------------------------


def test_signatures_and_unknown_fields_stay_with_their_call() -> None:
    events = outcome(
        [
            chunk(calls(SIGNED | {"partMetadata": {"m": 1}}, **CALL), calls(**CALL), starts("f")),
            chunk(calls({"thoughtSignature": "bGF0ZQ==", "partMetadata": None}, odd=1, even=None)),
            chunk(calls(name="g", args={}), calls({"thoughtSignature": "ZW1w"})),
            STOP,
        ]
    )
    assert [event.call.extra for event in events if isinstance(event, ToolCallStart)] == [
        {"thoughtSignature": "c2ln", "partMetadata": {"m": 1}},
        {},
        {"thoughtSignature": "bGF0ZQ==", "odd": 1},
        {"thoughtSignature": "ZW1w"},
    ]
    assert not [event for event in events if isinstance(event, ReasoningDelta | Unknown)]


def test_ids_are_made_up_where_there_are_none_or_the_same() -> None:
    ids: list[Payload] = [{}, {"id": "x"}, {"id": "y"}, {"id": "x"}, {"id": "x"}]
    events = outcome([chunk(*(calls(**each, **CALL) for each in ids)), STOP])
    made = [event.call for event in events if isinstance(event, ToolCallStart)]
    assert [call.vendor_id for call in made] == [None, "x", "y", "x", "x"]
    assert [call.id for call in made[1:3]] == ["x", "y"]
    assert len({call.id for call in made}) == 5
    assert all(made_up.id.startswith("call_") for made_up in (made[0], *made[3:]))
    assert all(call.executable for call in made)


def test_a_call_of_the_providers_own_is_marked() -> None:
    events = outcome([chunk(calls(**CALL), calls(name="f")), chunk({"functionResponse": {"name": "get"}}), STOP])
    kinds = [(event.call.name, event.call.kind) for event in events if isinstance(event, ToolCallEnd)]
    assert kinds == [("get", "mcp"), ("f", "function")]


@pytest.mark.parametrize(
    ("update", "message"),
    [
        (at("$.a", 2), "$.a returns to $.a, which is finished"),
        (at("$.b[*]", 2), "'$.b[*]' is no path to one value: an index from 0 or a quoted key expected at 4"),
        (at("$.b[1]", 2), "$.b[1] leaves a gap: the next index is 0"),
        ({"jsonPath": "$.b", "numberValue": "2"}, "'$.b' comes without one value of the type it names"),
    ],
)
def test_the_message_says_what_is_wrong(update: Payload, message: str) -> None:
    events = outcome([chunk(starts("f")), chunk(gives(at("$.a", 1))), chunk(gives(update)), chunk(DONE), STOP])
    call = next(event.call for event in events if isinstance(event, ToolCallEnd))
    assert call.error is not None
    assert call.error.message == message
    assert call.buf == '{"a":1'


def test_a_call_left_without_anything_says_so() -> None:
    events = outcome([chunk(starts("f"), calls(**CALL)), STOP])
    call = next(event.call for event in events if isinstance(event, ToolCallEnd) and event.call.name == "f")
    assert call.error is not None
    assert call.error.message == "another call began before anything of the announced arguments came"


def test_a_rejected_call_takes_no_more() -> None:
    stream = Stream("gemini")
    events = stream.receive_payload(chunk(starts("f")))
    stream.calls[0].reject("no")
    events += stream.pending()
    for payload in (chunk(gives(at("$.a", 1))), chunk(DONE), chunk(gives(at("$.b", 1))), STOP):
        events += stream.receive_payload(payload)
    events += stream.end()
    check(events)
    assert shown(events) == [
        *(BEGUN, ("start", 0, "*0", "f"), ("value", 0, "{"), ("end", 0, "incomplete", "rejected")),
        *(("unknown", gives(at("$.b", 1))), NOTHING),
    ]


def test_the_providers_own_counts_and_error_are_kept() -> None:
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 2, "thoughtsTokenCount": 3}
    error = {"code": 499, "message": "m", "status": "CANCELLED", "details": [1]}
    events = outcome([chunk(says("x")) | {"usageMetadata": usage}, {"error": error}])
    assert [event.raw for event in events if isinstance(event, Usage | StreamError)] == [usage, error]


def test_a_bare_error_between_events_is_heard() -> None:
    body = to_sse([chunk(says("First "), finish="STOP")], end="\r\n")
    body += b'{\n  "error": {\n    "code": 499,\n    "message": "gone",\n    "status": "CANCELLED"\n  }\n}\n'
    expected = [
        *(BEGUN, ("text", "First ")),
        *(("error", "provider", "gone", "CANCELLED"), ("finish", "error", "STOP", [])),
    ]
    assert shown(run([body], "gemini")) == shown(run(byte_by_byte(body))) == expected


def test_a_terminator_that_another_server_puts_at_the_end() -> None:
    events = run([chunk(calls(name="f", args={})), "[DONE]"], "gemini")
    assert shown(events) == [BEGUN, *ended("{}", {}), ("finish", "tool_calls", ["*0"])]


# --- finish reasons ----------------------------------------------------------------------------------------------

MEANINGS = {
    "STOP": "tool_calls",
    "Stop": "tool_calls",
    "MAX_TOKENS": "length",
    **dict.fromkeys(("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"), "content_filter"),
    **dict.fromkeys(("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"), "content_filter"),
    **dict.fromkeys(("MODEL_ARMOR", "ESCALATION"), "content_filter"),
    **dict.fromkeys(("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"), "error"),
    **dict.fromkeys(("MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE"), "error"),
    **dict.fromkeys(("FINISH_REASON_UNSPECIFIED", "OTHER", "NO_IMAGE", "IMAGE_OTHER", "BRAND_NEW"), "unknown"),
}


@pytest.mark.parametrize("raw", sorted({*FINISH, *MEANINGS}))
def test_finish_reasons(raw: str) -> None:
    events = outcome([chunk(calls(**CALL)), chunk(finish=raw)])
    finish = events[-1]
    assert isinstance(finish, Finish)
    assert (finish.reason, finish.raw, len(finish.calls)) == (MEANINGS[raw], (raw,), MEANINGS[raw] == "tool_calls")
    errors = [event for event in events if isinstance(event, StreamError)]
    assert [(error.message, error.code) for error in errors] == ([("", raw)] if MEANINGS[raw] == "error" else [])


# --- recognition -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("payload", "answer"),
    [
        ({"candidates": []}, True),
        ({"candidates": [{}]}, True),
        ({"promptFeedback": {"blockReason": "OTHER"}}, True),
        ({"prompt_feedback": {}}, True),
        ({"usageMetadata": {}, "modelVersion": "m"}, True),
        ({"usageMetadata": {}, "responseId": "r"}, True),
        ({"usage_metadata": {}, "response_id": "r"}, True),
        ({"usageMetadata": {}}, False),
        ({"usageMetadata": 1, "modelVersion": "m"}, False),
        ({"modelVersion": "m", "responseId": "r"}, False),
        ({"candidates": "x"}, False),
        ({"candidates": None}, False),
        ({"promptFeedback": "x"}, False),
        ({"serverContent": {"modelTurn": {}}, "usageMetadata": {}}, False),
        ({"choices": []}, False),
        ({"error": {"code": 1}}, False),
        ({"type": "message_start"}, False),
        ({}, False),
    ],
)
def test_recognises(payload: Payload, answer: bool) -> None:
    assert recognises(payload, "") is answer


# --- limits ------------------------------------------------------------------------------------------------------


def test_the_limit_on_indexes_ends_the_stream() -> None:
    updates = [gives(at(f"$.a[{index}]", 1)) for index in range(3)]
    payloads = [chunk(starts("f")), *map(chunk, updates), chunk(DONE), STOP]
    assert shown(outcome(payloads, limits=Limits(array_index=2)))[-1] == ENDED
    events = outcome(payloads, limits=Limits(array_index=1))
    assert shown(events) == [
        *(BEGUN, ("start", 0, "*0", "f"), *streamed("{", '"a":[1', ",1"), ("end", 0, "incomplete", "cut")),
        ("error", "limit", "array_index=1: the index 2 in $.a[2] is over 1", None),
        *(("unknown", updates[2]), ("finish", "error", "STOP", [])),
    ]
    assert [event.call for event in events if isinstance(event, StreamError)] == [
        event.call for event in events if isinstance(event, ToolCallStart)
    ]


def test_the_limit_on_depth_ends_the_call() -> None:
    payloads = [chunk(gives(at("$.a.b", 1), name="f", more=False), calls(**CALL), finish="STOP")]
    assert len(outcome(payloads, limits=Limits(depth=2))[-1].calls) == 2  # type: ignore[union-attr]
    assert shown(outcome(payloads, limits=Limits(depth=1))) == [
        *(BEGUN, ("start", 0, "*0", "f"), ("value", 0, "{")),
        ("unknown", gives(at("$.a.b", 1), name="f", more=False)),
        *(*ended('{"a":1}', {"a": 1}, "get", 1), ("end", 0, "invalid", "depth")),
        ("finish", "tool_calls", "STOP", ["*1"]),
    ]


def test_the_limit_on_digits_ends_the_call() -> None:
    payloads = [chunk(gives(at("$.a", 12345), name="f", more=False), finish="STOP")]
    assert shown(outcome(payloads, limits=Limits(digits=4)))[-2:] == [("end", 0, "invalid", "digits"), NOTHING]
    payloads = [chunk(gives(at("$.a", 10**5000), name="f", more=False), finish="STOP")]
    assert shown(outcome(payloads))[-2:] == [("end", 0, "invalid", "malformed"), NOTHING]


def test_the_limit_on_calls_ends_the_stream() -> None:
    events = outcome([chunk(calls(**CALL), calls(**CALL)), chunk(calls(args={"b": 1})), STOP], limits=Limits(calls=1))
    assert [type(event) for event in events[-3:]] == [StreamError, Unknown, Finish]
    assert sum(isinstance(event, ToolCallStart) for event in events) == 1


def test_the_limit_on_arguments_ends_the_stream() -> None:
    payloads = [chunk(starts("f")), *(chunk(gives(at("$.a", "xxxxx", more=True))) for _ in range(3)), STOP]
    events = outcome(payloads, limits=Limits(argument_chars=12))
    assert [(event.kind, event.call is not None) for event in events if isinstance(event, StreamError)] == [
        ("limit", True)
    ]
    assert shown(events)[-1] == ("finish", "error", "STOP", [])


@pytest.mark.parametrize(
    ("value", "status"),
    [("\ud83d", "complete"), (10**5000, "invalid"), (float("inf"), "invalid"), ({1, 2}, "invalid")],
    ids=["half a pair", "digits", "infinity", "a set"],
)
def test_values_that_text_can_hardly_hold(value: Any, status: str) -> None:
    part = calls(name="f", args={"a": value}, partialArgs=[at("$.b", 1)])
    call = next(event.call for event in outcome([chunk(part), STOP]) if isinstance(event, ToolCallEnd))
    assert call.status == status
    if status == "complete":
        assert call.arguments == {"a": value, "b": 1}


def test_whole_arguments_that_text_can_hardly_hold() -> None:
    parts = [calls(name="f", args={"a": value}) for value in ("\ud83d", 10**5000)]
    ends = [event.call for event in outcome([chunk(*parts), STOP]) if isinstance(event, ToolCallEnd)]
    assert [call.status for call in ends] == ["complete", "invalid"]
    assert ends[0].arguments == {"a": "\ud83d"}
