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
from toolwire.wire.openai_chat import FINISH, recognises

# --- what a provider sends -------------------------------------------------------------------------------------


def chunk(*choices: Any, **fields: Any) -> Payload:
    return {"id": "chat_1", "model": "m", "object": "chat.completion.chunk", "choices": list(choices)} | fields


def choice(delta: Any = None, finish: Any = None, index: Any = 0, **fields: Any) -> Payload:
    return {"index": index, "delta": {} if delta is None else delta, "finish_reason": finish} | fields


def saying(text: Any, finish: Any = None, index: Any = 0) -> Payload:
    return chunk(choice({"content": text}, finish, index))


def thinking(**fields: Any) -> Payload:
    return chunk(choice(fields))


def entry(index: Any = None, id: Any = None, name: Any = None, arguments: Any = None, **fields: Any) -> Payload:
    """A part of a call; what is None is left out."""
    function = {"name": name, "arguments": arguments}
    whole = {"index": index, "id": id, "function": {key: value for key, value in function.items() if value is not None}}
    return {key: value for key, value in whole.items() if value is not None} | fields


def calling(*entries: Any, finish: Any = None, choice_index: Any = 0) -> Payload:
    return chunk(choice({"tool_calls": list(entries)}, finish, choice_index))


def tool(index: Any = None, id: Any = None, name: Any = None, arguments: Any = None) -> Payload:
    return calling(entry(index, id, name, arguments))


def ending(reason: Any, index: Any = 0, **fields: Any) -> Payload:
    return chunk(choice(None, reason, index, **fields))


def without(payload: Payload, *path: Any) -> Payload:
    """A copy without the member at the path."""
    payload = copy.deepcopy(payload)
    holder: Any = payload
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    return payload


def body(*choices: Any, **fields: Any) -> Item:
    return "", chunk(*choices) | {"object": "chat.completion"} | fields


ROLE = chunk(choice({"role": "assistant", "content": ""}))
DONE = "[DONE]"
CALLS = ending("tool_calls")
# What says nothing in its place.
NO_INDEX: list[Any] = [None, True, [0], {"x": 0}]
NO_WORD: list[Any] = ["", None, "null", [], {}, True]
NO_ARGUMENTS: list[Any] = [None, "", {}, []]
NO_CHOICE: list[Any] = [None, "x", [], True]
NO_REASON: list[Any] = [None, "", "null", False, [], {}]
NO_ERROR: list[Any] = [None, "", {}, [], 0, False]
NO_DELTA: list[Any] = [
    {},
    None,
    {"tool_calls": None},
    {"tool_calls": []},
    {"role": ""},
    {"function_call": {}},
    {"function_call": ["x"]},
    {"tool_calls": [None, 5, "x"]},
    "x",
    [],
]
NO_CHUNKS: list[Payload] = [
    {"type": "later", "x": 1},
    {"type": "later", "chunk": {"choices": [{"delta": {"content": "x"}}]}},
    {"type": "chunk", "chunk": 5},
    {"type": ["content.delta"]},
]
CUSTOM_HEADERS: dict[str, Payload] = {"its type": {"type": "custom"}, "what it has": {"custom": {"name": "sql"}}}
QUOTA = {"message": "pay", "type": "quota_error", "code": "quota"}

# --- what it comes to ------------------------------------------------------------------------------------------

BEGUN = ("message", "chat_1", "m")


# --- the cases -------------------------------------------------------------------------------------------------

CALL: list[Any] = [ROLE, tool(0, "c1", "f", ""), tool(0, arguments='{"a":'), tool(0, arguments="1}"), CALLS, DONE]
STARTED: list[Any] = [BEGUN, ("start", 0, "c1", "f")]
ENDED = ("end", 0, "complete", {"a": 1})
CONFIRMED = ("finish", "tool_calls", "tool_calls", ["c1"])
CALLED: list[Any] = [*STARTED, ("delta", 0, '{"a":'), ("delta", 0, "1}"), ENDED, CONFIRMED]
AT_ONCE: list[Any] = [*STARTED, ("delta", 0, '{"a":1}'), ENDED, CONFIRMED]
# a whole call c1 with {"a":1} and a whole call c2 with {"b":2}
PAIR: list[Any] = [
    *AT_ONCE[:3],
    ("start", 1, "c2", "g"),
    ("delta", 1, '{"b":2}'),
    ENDED,
    ("end", 1, "complete", {"b": 2}),
    ("finish", "tool_calls", "tool_calls", ["c1", "c2"]),
]
FIRST = (0, "c1", "f", '{"a":1}')

IDENTITY: list[Case] = [
    ("a header, then fragments", CALL, CALLED),
    ("a whole call in one delta", [tool(*FIRST), CALLS, DONE], AT_ONCE),
    ("a whole call and the finish in one chunk", [calling(entry(*FIRST), finish="tool_calls"), DONE], AT_ONCE),
    ("two calls by index", [tool(*FIRST), tool(1, "c2", "g", '{"b":2}'), CALLS, DONE], PAIR),
    ("two calls in one delta", [calling(entry(*FIRST), entry(1, "c2", "g", '{"b":2}')), CALLS, DONE], PAIR),
    (
        "two calls interleave",
        [
            calling(entry(0, "c1", "f", ""), entry(1, "c2", "g", "")),
            tool(1, arguments='{"b":'),
            tool(0, arguments='{"a":'),
            calling(entry(0, arguments="1}"), entry(1, arguments="2}")),
            CALLS,
            DONE,
        ],
        [
            *STARTED,
            ("start", 1, "c2", "g"),
            ("delta", 1, '{"b":'),
            ("delta", 0, '{"a":'),
            ("delta", 0, "1}"),
            ("delta", 1, "2}"),
            ENDED,
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "tool_calls", ["c1", "c2"]),
        ],
    ),
    (
        "several entries of one delta are one call's fragments (vLLM on Bedrock)",
        [calling(entry(0, "c1", "f"), entry(0, arguments='{"a":'), entry(0, arguments="1}")), CALLS, DONE],
        CALLED,
    ),
    *(
        (
            f"an index is a key: {index!r}",
            [tool(index, "c1", "f", '{"a":'), tool(index, arguments="1}"), CALLS, DONE],
            CALLED,
        )
        for index in (-1, 1, 7, "b", 2**70)
    ),
    *(
        (
            f"an index that is none: {index!r}",
            [
                calling(entry(0, "c1", "f", '{"a":') | {"index": index}),
                calling(entry(0, arguments="1}") | {"index": index}),
                CALLS,
                DONE,
            ],
            CALLED,
        )
        for index in NO_INDEX
    ),
    # no index
    (
        "no index: whole calls in one delta (Mistral)",
        [calling(entry(None, "c1", "f", '{"a":1}'), entry(None, "c2", "g", '{"b":2}')), CALLS, DONE],
        PAIR,
    ),
    (
        "no index: a new id opens",
        [tool(None, "c1", "f", '{"a":1}'), tool(None, "c2", "g", '{"b":2}'), CALLS, DONE],
        PAIR,
    ),
    (
        "no index: a new id opens though the open call has its fragments yet to come",
        [tool(None, "c1", "f"), tool(None, "c2", "f", '{"b":2}'), tool(None, "c1", arguments='{"a":1}'), CALLS, DONE],
        [
            *STARTED,
            ("start", 1, "c2", "f"),
            ("delta", 1, '{"b":2}'),
            ("delta", 0, '{"a":1}'),
            ENDED,
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "tool_calls", ["c1", "c2"]),
        ],
    ),
    (
        "no index: another name opens",
        [tool(None, None, "f", '{"a":1}'), tool(None, None, "g", '{"b":'), tool(None, arguments="2}"), CALLS, DONE],
        [
            BEGUN,
            ("start", 0, "*0", "f"),
            ("delta", 0, '{"a":1}'),
            ("start", 1, "*1", "g"),
            ("delta", 1, '{"b":'),
            ("delta", 1, "2}"),
            ENDED,
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "tool_calls", ["*0", "*1"]),
        ],
    ),
    (
        "no index and no id: the same name opens when the call is whole and this begins another",
        [tool(None, None, "f", '{"a":1}'), tool(None, None, "f", '{"b":2}'), CALLS, DONE],
        [
            BEGUN,
            ("start", 0, "*0", "f"),
            ("delta", 0, '{"a":1}'),
            ("start", 1, "*1", "f"),
            ("delta", 1, '{"b":2}'),
            ENDED,
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "tool_calls", ["*0", "*1"]),
        ],
    ),
    (
        "no index: what has neither id nor name continues",
        [tool(None, "c1", "f"), tool(None, arguments='{"a":'), tool(None, arguments="1}"), CALLS, DONE],
        CALLED,
    ),
    (
        "indexes and none mixed",
        [tool(*FIRST), tool(None, "c2", "g", '{"b":'), tool(None, arguments="2}"), CALLS, DONE],
        [
            *AT_ONCE[:3],
            ("start", 1, "c2", "g"),
            ("delta", 1, '{"b":'),
            ("delta", 1, "2}"),
            ENDED,
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "tool_calls", ["c1", "c2"]),
        ],
    ),
    (
        "an unknown index with neither id nor name continues the open call",
        [tool(0, "c1", "f", '{"a":'), tool(5, arguments="1}"), CALLS, DONE],
        CALLED,
    ),
    # one index for all
    ("one index: a new id with a name opens", [tool(*FIRST), tool(0, "c2", "g", '{"b":2}'), CALLS, DONE], PAIR),
    (
        "one index: also when the call before has no arguments",
        [tool(0, "c1", "f", ""), tool(0, "c2", "f", '{"a":'), tool(0, arguments="1}"), CALLS, DONE],
        [
            *STARTED,
            ("start", 1, "c2", "f"),
            ("delta", 1, '{"a":'),
            ("delta", 1, "1}"),
            ("end", 0, "complete", {}),
            ("end", 1, "complete", {"a": 1}),
            ("finish", "tool_calls", "tool_calls", ["c1", "c2"]),
        ],
    ),
    (
        "one index: a new id without a name is the same call, and the first id stays (Kimi)",
        [tool(0, "c1", "f", '{"a":'), tool(0, "c9", None, "1}"), CALLS, DONE],
        CALLED,
    ),
    (
        "one index: a name without an id opens when the call is whole and this begins another",
        [tool(*FIRST), tool(0, None, "f", '{"b":2}'), CALLS, DONE],
        [
            *AT_ONCE[:3],
            ("start", 1, "*1", "f"),
            ("delta", 1, '{"b":2}'),
            ENDED,
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "tool_calls", ["c1", "*1"]),
        ],
    ),
    (
        "one index: a name without an id is a repeat while the call is open",
        [tool(0, "c1", "f", '{"a":'), tool(0, None, "f", "1}"), CALLS, DONE],
        CALLED,
    ),
    (
        "one index: and when it begins nothing",
        [tool(*FIRST), tool(0, None, "f", ""), tool(0, None, "f", " "), CALLS, DONE],
        [*AT_ONCE[:3], ("delta", 0, " "), ENDED, CONFIRMED],
    ),
    # ids
    *(
        (
            f"an id and a name that are none: {none!r}",
            [
                tool(0, "c1", "f", ""),
                calling({"index": 0, "id": none, "function": {"name": none, "arguments": '{"a":'}}),
                calling({"index": 0, "id": none, "function": {"name": none, "arguments": "1}"}}),
                CALLS,
                DONE,
            ],
            CALLED,
        )
        for none in NO_WORD
    ),
    (
        "id and name on each delta (TGI, Novita)",
        [tool(0, "c1", "f", '{"a":'), tool(0, "c1", "f", "1}"), CALLS, DONE],
        CALLED,
    ),
    (
        "an id that is a number",
        [tool(0, 7, "f", "{}"), CALLS, DONE],
        [
            BEGUN,
            ("start", 0, "7", "f"),
            ("delta", 0, "{}"),
            ("end", 0, "complete", {}),
            ("finish", "tool_calls", "tool_calls", ["7"]),
        ],
    ),
    (
        "ids that are not unique: the vendor's is kept beside ours",
        [tool(*FIRST), tool(1, "c1", "f", '{"b":2}'), CALLS, DONE],
        [
            *AT_ONCE[:3],
            ("start", 1, ("*1", "c1"), "f"),
            ("delta", 1, '{"b":2}'),
            ENDED,
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "tool_calls", ["c1", ("*1", "c1")]),
        ],
    ),
    (
        "no id at all: one is made",
        [tool(0, "", "f", "{}"), CALLS, DONE],
        [
            BEGUN,
            ("start", 0, "*0", "f"),
            ("delta", 0, "{}"),
            ("end", 0, "complete", {}),
            ("finish", "tool_calls", "tool_calls", ["*0"]),
        ],
    ),
    (
        "a late id is kept",
        [tool(0, "", "f", '{"a":'), tool(0, "c1", "", "1}"), CALLS, DONE],
        [
            BEGUN,
            ("start", 0, ("*0", "c1"), "f"),
            ("delta", 0, '{"a":'),
            ("delta", 0, "1}"),
            ENDED,
            ("finish", "tool_calls", "tool_calls", [("*0", "c1")]),
        ],
    ),
    # names
    (
        "a late name delays the start, and fragments wait for it",
        [tool(0, "c1", "", '{"a":'), tool(0, arguments="1"), saying("t"), tool(0, None, "f", "}"), CALLS, DONE],
        [BEGUN, ("text", "t"), ("start", 0, "c1", "f"), ("delta", 0, '{"a":1'), ("delta", 0, "}"), ENDED, CONFIRMED],
    ),
    (
        "a name in pieces, before the arguments",
        [tool(0, "c1", "get_"), tool(0, None, "weather"), tool(0, arguments="{}"), CALLS, DONE],
        [BEGUN, ("start", 0, "c1", "get_weather"), ("delta", 0, "{}"), ("end", 0, "complete", {}), CONFIRMED],
    ),
    (
        "a name that grows with each delta",
        [tool(0, "c1", "get_"), tool(0, "c1", "get_weather"), tool(0, "c1", "get_weather", "{}"), CALLS, DONE],
        [BEGUN, ("start", 0, "c1", "get_weather"), ("delta", 0, "{}"), ("end", 0, "complete", {}), CONFIRMED],
    ),
    (
        "a name is set once the arguments have begun",
        [tool(0, "c1", "f", '{"a":'), tool(0, None, "g", "1}"), CALLS, DONE],
        CALLED,
    ),
    (
        "a name that never comes",
        [tool(0, "c1", "", "{}"), tool(1, "c2", "g", "{}"), CALLS, DONE],
        [
            BEGUN,
            ("start", 1, "c2", "g"),
            ("delta", 1, "{}"),
            ("end", 1, "complete", {}),
            (
                "error",
                "protocol",
                "call 0 of choice 0 never got a name (id 'c1', 2 characters of arguments)",
                None,
            ),
            ("finish", "error", "tool_calls", []),
        ],
    ),
    (
        "a name that never comes in a turn that was cut",
        [tool(0, "c1", "", '{"a'), ending("length"), DONE],
        [BEGUN, ("finish", "length", "length", [])],
    ),
    # the deprecated single call
    (
        "function_call: no id, no index, its name again is a repeat",
        [
            chunk(choice({"function_call": {"name": "f", "arguments": ""}})),
            chunk(choice({"function_call": {"name": "f", "arguments": '{"a":'}})),
            chunk(choice({"function_call": {"arguments": "1}"}})),
            chunk(choice({"function_call": None})),
            ending("function_call"),
            DONE,
        ],
        [
            BEGUN,
            ("start", 0, "*0", "f"),
            ("delta", 0, '{"a":'),
            ("delta", 0, "1}"),
            ENDED,
            ("finish", "tool_calls", "function_call", ["*0"]),
        ],
    ),
    # kinds and unknown members
    (
        "a custom call is free text",
        [
            calling({"index": 0, "id": "c1", "type": "custom", "custom": {"name": "sql", "input": "SEL"}}),
            calling({"index": 0, "custom": {"input": "ECT {"}}),
            CALLS,
            DONE,
        ],
        [
            BEGUN,
            ("start", 0, "c1", "sql", "custom"),
            ("delta", 0, "SEL"),
            ("delta", 0, "ECT {"),
            ("end", 0, "complete", "SELECT {"),
            CONFIRMED,
        ],
    ),
    *(
        (
            f"a custom call by {by}",
            [
                calling({"index": 0, "id": "c1"} | header),
                calling({"index": 0, "custom": {"name": "sql", "input": "x"}}),
                CALLS,
                DONE,
            ],
            [BEGUN, ("start", 0, "c1", "sql", "custom"), ("delta", 0, "x"), ("end", 0, "complete", "x"), CONFIRMED],
        )
        for by, header in CUSTOM_HEADERS.items()
    ),
    (
        "a custom call that the turn cuts",
        [
            calling({"index": 0, "id": "c1", "type": "custom", "custom": {"name": "sql", "input": "SEL"}}),
            ending("length"),
            DONE,
        ],
        [
            BEGUN,
            ("start", 0, "c1", "sql", "custom"),
            ("delta", 0, "SEL"),
            ("end", 0, "incomplete", "cut"),
            ("finish", "length", "length", []),
        ],
    ),
    (
        "unknown members of a call are kept, also when they come alone (Gemini's signatures)",
        [
            calling(entry(0, "c1", "f", '{"a":1}', later=1, none=None)),
            calling(entry(0, extra_content={"google": {"thought_signature": "s"}})),
            CALLS,
            DONE,
        ],
        [
            BEGUN,
            ("start", 0, "c1", "f", {"later": 1, "extra_content": {"google": {"thought_signature": "s"}}}),
            ("delta", 0, '{"a":1}'),
            ENDED,
            CONFIRMED,
        ],
    ),
]

ARGUMENTS: list[Case] = [
    *(
        (
            f"a header without arguments: {none!r}",
            [calling({"index": 0, "id": "c1", "function": {"name": "f", "arguments": none}}), *CALL[2:]],
            CALLED,
        )
        for none in NO_ARGUMENTS
    ),
    (
        "trailing deltas that say nothing",
        [
            tool(*FIRST),
            calling({"index": 0, "function": {}}),
            calling({"index": 0, "function": {"arguments": None}}),
            calling({"index": 0}),
            CALLS,
            DONE,
        ],
        AT_ONCE,
    ),
    *(
        (
            f"a scalar instead of text: {scalar!r}",
            [calling(entry(0, "c1", "f", scalar)), CALLS, DONE],
            [
                *STARTED,
                ("value", 0, json.dumps(scalar)),
                ("end", 0, "invalid", "not_an_object"),
                ("finish", "tool_calls", "tool_calls", []),
            ],
        )
        for scalar in (5, 0, True)
    ),
    (
        "an object instead of text",
        [calling(entry(0, "c1", "f", {"a": 1})), calling(entry(0, arguments={})), CALLS, DONE],
        [*STARTED, ("value", 0, '{"a":1}'), ENDED, CONFIRMED],
    ),
    (
        "objects of two calls, with nothing to tell them apart",
        [calling(entry(None, None, "f", {"a": 1}), entry(None, None, "f", {"b": 2})), CALLS, DONE],
        [
            BEGUN,
            ("start", 0, "*0", "f"),
            ("value", 0, '{"a":1}'),
            ("start", 1, "*1", "f"),
            ("value", 1, '{"b":2}'),
            ENDED,
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "tool_calls", ["*0", "*1"]),
        ],
    ),
    (
        "an object in the deprecated single call",
        [chunk(choice({"function_call": {"name": "f", "arguments": {"a": 1}}})), ending("function_call"), DONE],
        [
            BEGUN,
            ("start", 0, "*0", "f"),
            ("value", 0, '{"a":1}'),
            ENDED,
            ("finish", "tool_calls", "function_call", ["*0"]),
        ],
    ),
    (
        "an array instead of text is no object",
        [calling(entry(0, "c1", "f", [1])), CALLS, DONE],
        [
            *STARTED,
            ("value", 0, "[1]"),
            ("end", 0, "invalid", "not_an_object"),
            ("finish", "tool_calls", "tool_calls", []),
        ],
    ),
    *(
        (
            f"no arguments at a clean end: {text!r}",
            [tool(0, "c1", "f", text), CALLS, DONE],
            [*STARTED, *([("delta", 0, text)] if text else []), ("end", 0, "complete", {}), CONFIRMED],
        )
        for text in ("", "null", "{}", None)
    ),
    *(
        (
            f"no arguments in a turn that was cut: {text!r}",
            [tool(0, "c1", "f", text), ending("length"), DONE],
            [
                *STARTED,
                *([("delta", 0, text)] if text else []),
                ("end", 0, "incomplete", "cut"),
                ("finish", "length", "length", []),
            ],
        )
        for text in ("", "null")
    ),
    (
        "a fragment that repeats all that came before, where that can't be more text",
        [tool(0, "c1", "f", '{"a":1,"b"'), tool(0, arguments='{"a":1,"b":'), tool(0, arguments="2}"), CALLS, DONE],
        [
            *STARTED,
            ("delta", 0, '{"a":1,"b"'),
            ("delta", 0, ":"),
            ("delta", 0, "2}"),
            ("end", 0, "repaired", {"a": 1, "b": 2}),
            CONFIRMED,
        ],
    ),
    (
        "the whole once more at the end",
        [*CALL[1:4], tool(0, arguments='{"a":1}'), CALLS, DONE],
        [*CALLED[:-2], ("end", 0, "repaired", {"a": 1}), CONFIRMED],
    ),
    (
        "two objects in one call",
        [tool(*FIRST), tool(0, arguments='{"b":2}'), CALLS, DONE],
        [
            *AT_ONCE[:3],
            ("delta", 0, '{"b":2}'),
            ("end", 0, "invalid", "concatenated"),
            ("finish", "tool_calls", "tool_calls", []),
        ],
    ),
    (
        "that the text is whole ends nothing",
        [tool(0, "c1", "f", '{"a":1}'), tool(0, arguments=" "), tool(0, arguments="\n"), CALLS, DONE],
        [*AT_ONCE[:3], ("delta", 0, " "), ("delta", 0, "\n"), ENDED, CONFIRMED],
    ),
    (
        "malformed text in a turn that ended well",
        [tool(0, "c1", "f", '{"a":x}'), CALLS, DONE],
        [
            *STARTED,
            ("delta", 0, '{"a":x}'),
            ("end", 0, "invalid", "malformed"),
            ("finish", "tool_calls", "tool_calls", []),
        ],
    ),
    (
        "unfinished text in a turn that ended well",
        [tool(0, "c1", "f", '{"a":'), CALLS, DONE],
        [
            *STARTED,
            ("delta", 0, '{"a":'),
            ("end", 0, "invalid", "truncated"),
            ("finish", "tool_calls", "tool_calls", []),
        ],
    ),
    (
        "malformed text in a turn that was cut is incomplete",
        [tool(0, "c1", "f", '{"a":x'), ending("length"), DONE],
        [*STARTED, ("delta", 0, '{"a":x'), ("end", 0, "incomplete", "malformed"), ("finish", "length", "length", [])],
    ),
    (
        "a pair of surrogates cut in two",
        [tool(0, "c1", "f", '{"a":"\ud83d'), tool(0, arguments='\ude00"}'), CALLS, DONE],
        [*STARTED, ("delta", 0, '{"a":"'), ("delta", 0, '😀"}'), ("end", 0, "complete", {"a": "😀"}), CONFIRMED],
    ),
    (
        "two surrogate pairs cut in two calls at once",
        [
            calling(entry(0, "c1", "f", '{"a":"\ud83d'), entry(1, "c2", "g", '{"b":"\ud83c')),
            calling(entry(0, arguments='\ude00"}'), entry(1, arguments='\udf00"}')),
            CALLS,
            DONE,
        ],
        [
            *STARTED,
            ("delta", 0, '{"a":"'),
            ("start", 1, "c2", "g"),
            ("delta", 1, '{"b":"'),
            ("delta", 0, '😀"}'),
            ("delta", 1, '🌀"}'),
            ("end", 0, "complete", {"a": "😀"}),
            ("end", 1, "complete", {"b": "🌀"}),
            ("finish", "tool_calls", "tool_calls", ["c1", "c2"]),
        ],
    ),
]

TEXTS: list[Case] = [
    (
        "text",
        [ROLE, saying("Hé"), saying(""), saying(None), saying("llo 👋"), ending("stop"), DONE],
        [BEGUN, ("text", "Hé"), ("text", "llo 👋"), ("finish", "stop", "stop", [])],
    ),
    (
        "text before, between and after calls",
        [saying("a"), tool(*FIRST), saying("b"), tool(1, "c2", "g", '{"b":2}'), saying("c"), CALLS, DONE],
        [BEGUN, ("text", "a"), *PAIR[1:3], ("text", "b"), *PAIR[3:5], ("text", "c"), *PAIR[5:]],
    ),
    (
        "text in parts, with thinking among them (Mistral)",
        [
            saying(
                [{"type": "thinking", "thinking": [{"type": "text", "text": "h"}, "m"]}, {"type": "text", "text": "a"}]
            ),
            saying([{"type": "thinking", "thinking": "!"}, "b", {"type": "later"}, 5]),
            ending("stop"),
            DONE,
        ],
        [
            BEGUN,
            ("reasoning", "h", "thinking"),
            ("reasoning", "m", "thinking"),
            ("text", "a"),
            ("reasoning", "!", "thinking"),
            ("text", "b"),
            ("finish", "stop", "stop", []),
        ],
    ),
    (
        "a refusal",
        [
            ROLE,
            chunk(choice({"refusal": "I "})),
            chunk(choice({"refusal": "can't", "content": None})),
            ending("stop"),
            DONE,
        ],
        [BEGUN, ("refusal", "I "), ("refusal", "can't"), ("finish", "stop", "stop", [])],
    ),
    *(
        (
            f"reasoning in {field}",
            [
                thinking(**{field: "a"}),
                thinking(**{field: ""}),
                thinking(**{field: None}),
                thinking(**{field: "b"}),
                ending("stop"),
                DONE,
            ],
            [BEGUN, ("reasoning", "a", field), ("reasoning", "b", field), ("finish", "stop", "stop", [])],
        )
        for field in ("reasoning_content", "reasoning", "thinking")
    ),
    (
        "the same reasoning in three fields of one delta counts once (OpenRouter)",
        [
            thinking(
                reasoning="a",
                reasoning_content="a",
                reasoning_details=[{"type": "reasoning.text", "text": "a", "signature": "s"}],
            ),
            ending("stop"),
            DONE,
        ],
        [
            BEGUN,
            ("reasoning", "a", "reasoning_content"),
            ("reasoning", "", "reasoning_details", "s", {"type": "reasoning.text", "text": "a", "signature": "s"}),
            ("finish", "stop", "stop", []),
        ],
    ),
    (
        "reasoning in reasoning_details alone",
        [
            thinking(reasoning=None, reasoning_details=[{"text": "a"}, {"summary": "b"}, {"data": "x"}, 5]),
            ending("stop"),
            DONE,
        ],
        [
            BEGUN,
            ("reasoning", "a", "reasoning_details", None, {"text": "a"}),
            ("reasoning", "b", "reasoning_details", None, {"summary": "b"}),
            ("reasoning", "", "reasoning_details", None, {"data": "x"}),
            ("finish", "stop", "stop", []),
        ],
    ),
    (
        "a signature beside reasoning and alone",
        [thinking(reasoning="a", reasoning_signature="s"), thinking(signature="t"), ending("stop"), DONE],
        [
            BEGUN,
            ("reasoning", "a", "reasoning"),
            ("reasoning", "", "reasoning", "s", None),
            ("reasoning", "", None, "t", None),
            ("finish", "stop", "stop", []),
        ],
    ),
    (
        "reasoning, then text, in one delta and after a call began",
        [
            tool(0, "c1", "f", '{"a":'),
            chunk(choice({"content": "t", "reasoning": "r"})),
            tool(0, arguments="1}"),
            CALLS,
            DONE,
        ],
        [*CALLED[:3], ("reasoning", "r", "reasoning"), ("text", "t"), *CALLED[3:]],
    ),
    (
        "a pair of surrogates cut in two, and half of one at the end",
        [saying("\ud83d"), saying("\ude00"), saying("a\ud83d"), ending("stop"), DONE],
        [BEGUN, ("text", "😀"), ("text", "a"), ("text", "\ud83d"), ("finish", "stop", "stop", [])],
    ),
]

CHOICES: list[Case] = [
    (
        "choices interleave, each counts its calls from 0, ids may be the same",
        [
            calling(entry(0, "c1", "f", '{"a":')),
            calling(entry(0, "c1", "f", '{"b":'), choice_index=1),
            saying("t", index=1),
            calling(entry(0, arguments="1}")),
            calling(entry(0, arguments="2}"), choice_index=1),
            ending("tool_calls", 1),
            ending("tool_calls", 0),
            DONE,
        ],
        [
            *CALLED[:3],
            ("start", "#1", 0, ("*1.0", "c1"), "f"),
            ("delta", "#1", 0, '{"b":'),
            ("text", "#1", "t"),
            ("delta", 0, "1}"),
            ("delta", "#1", 0, "2}"),
            ENDED,
            ("end", "#1", 0, "complete", {"b": 2}),
            CONFIRMED,
            ("finish", "#1", "tool_calls", "tool_calls", [("*1.0", "c1")]),
        ],
    ),
    (
        "choices in one chunk end each for itself",
        [
            chunk(choice({"content": "a"}), choice({"content": "b"}, None, 1), choice({"refusal": "c"}, None, 2)),
            chunk(choice({}, "stop"), choice({}, "length", 1)),
        ],
        [
            BEGUN,
            ("text", "a"),
            ("text", "#1", "b"),
            ("refusal", "#2", "c"),
            ("finish", "stop", "stop", []),
            ("finish", "#1", "length", "length", []),
            ("finish", "#2", "incomplete", []),
        ],
    ),
    (
        "calls on a choice of their own, while the first one finishes for them",
        [saying("a"), calling(entry(*FIRST), choice_index=1), CALLS, DONE],
        [
            BEGUN,
            ("text", "a"),
            ("start", 0, "c1", "f"),
            ("delta", 0, '{"a":1}'),
            ENDED,
            CONFIRMED,
        ],
    ),
    *(
        (
            f"a choice's index that is none: {index!r}",
            [saying("a", index=index), ending("stop", index), DONE],
            [BEGUN, ("text", "a"), ("finish", "stop", "stop", [])],
        )
        for index in NO_CHOICE
    ),
]

ENDS: list[Case] = [
    ("the end of bytes after the finish reason (Cerebras)", CALL[:-1], CALLED),
    (
        "no finish reason, but [DONE]",
        [*CALL[:-2], DONE],
        [*CALLED[:-1], ("finish", "tool_calls", ["c1"])],
    ),
    (
        "neither a finish reason nor [DONE]",
        CALL[:-2],
        [*CALLED[:-1], ("finish", "incomplete", [])],
    ),
    (
        "the end of bytes in a call",
        CALL[:3],
        [*CALLED[:3], ("end", 0, "incomplete", "cut"), ("finish", "incomplete", [])],
    ),
    ("what comes after [DONE] is not looked at", [*CALL, saying("x"), chunk(error=QUOTA)], CALLED),
    (
        "stop although calls were made: they win",
        [*CALL[:-2], ending("stop"), DONE],
        [*CALLED[:-1], ("finish", "tool_calls", "stop", ["c1"])],
    ),
    (
        "tool_calls without a call",
        [saying("a"), CALLS, DONE],
        [BEGUN, ("text", "a"), ("finish", "stop", "tool_calls", [])],
    ),
    (
        "two reasons: calls win over stop",
        [*CALL[:-1], ending("stop"), DONE],
        [*CALLED[:-1], ("finish", "tool_calls", "tool_calls", "stop", ["c1"])],
    ),
    (
        "two reasons: a cut wins over calls, in either order",
        [*CALL[:-1], ending("length"), CALLS, DONE],
        [*CALLED[:-1], ("finish", "length", "tool_calls", "length", "tool_calls", [])],
    ),
    (
        "one reason twice, the second with usage: one finish",
        [*CALL[:-1], CALLS | {"usage": {"prompt_tokens": 1, "completion_tokens": 2}}, DONE],
        [*CALLED[:-2], ("usage", 1, 2), ENDED, ("finish", "tool_calls", "tool_calls", "tool_calls", ["c1"])],
    ),
    (
        "a reason per call, and more after it (Together)",
        [
            calling(entry(*FIRST), finish="tool_calls"),
            tool(1, "c2", "g", '{"b":'),
            calling(entry(1, arguments="2}"), finish="tool_calls"),
            saying("t"),
            DONE,
        ],
        [
            *AT_ONCE[:3],
            ("start", 1, "c2", "g"),
            ("delta", 1, '{"b":'),
            ("delta", 1, "2}"),
            ("text", "t"),
            ENDED,
            ("end", 1, "complete", {"b": 2}),
            ("finish", "tool_calls", "tool_calls", "tool_calls", ["c1", "c2"]),
        ],
    ),
    (
        "arguments after the finish reason",
        [*CALL[:3], CALLS, tool(0, arguments="1}"), DONE],
        CALLED,
    ),
    (
        "length: a whole call is complete, but nothing is to be run",
        [*CALL[:-2], ending("length"), DONE],
        [*CALLED[:-1], ("finish", "length", "length", [])],
    ),
    *(
        (
            f"native_finish_reason {native!r} tells of a cut that {said} hides",
            [*CALL[:3], ending(said, native_finish_reason=native), DONE],
            [*CALLED[:3], ("end", 0, "incomplete", "cut"), ("finish", "length", said, [])],
        )
        for native in ("max_output_tokens", "MAX_TOKENS", "length", "model_length")
        for said in ("tool_calls", "stop")
    ),
    *(
        (
            f"native_finish_reason {native!r} is no news",
            [*CALL[:-2], ending("tool_calls", native_finish_reason=native), DONE],
            CALLED,
        )
        for native in ("tool_calls", "STOP", "completed", None, 5)
    ),
    (
        "native_finish_reason doesn't weaken a worse reason",
        [*CALL[:3], ending("content_filter", native_finish_reason="length"), DONE],
        [*CALLED[:3], ("end", 0, "incomplete", "cut"), ("finish", "content_filter", "content_filter", [])],
    ),
    *(
        (
            f"a finish reason that is none: {none!r}",
            [saying("a", none), chunk(without(choice({"content": "b"}), "finish_reason")), ending("stop"), DONE],
            [BEGUN, ("text", "a"), ("text", "b"), ("finish", "stop", "stop", [])],
        )
        for none in NO_REASON
    ),
    # usage
    (
        "usage in a chunk without choices",
        [saying("a", "stop"), chunk(usage={"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}), DONE],
        [BEGUN, ("text", "a"), ("usage", 1, 2), ("finish", "stop", "stop", [])],
    ),
    (
        "usage in a chunk whose choices are missing",
        [saying("a", "stop"), without(chunk(usage={"prompt_tokens": 1}), "choices"), DONE],
        [BEGUN, ("text", "a"), ("usage", 1, None), ("finish", "stop", "stop", [])],
    ),
    (
        "usage beside choices and again (Groq)",
        [
            saying("a", "stop") | {"usage": {"prompt_tokens": 1, "completion_tokens": 2}},
            chunk(usage={"prompt_tokens": 1, "completion_tokens": 2}),
            DONE,
        ],
        [BEGUN, ("usage", 1, 2), ("text", "a"), ("finish", "stop", "stop", [])],
    ),
    (
        "usage on every chunk, cumulative (Databricks): the last that is not null stands",
        [
            saying("a") | {"usage": {"prompt_tokens": 5, "completion_tokens": 1}},
            saying("b") | {"usage": {"prompt_tokens": 5, "completion_tokens": 2}},
            ending("stop") | {"usage": {"prompt_tokens": None, "completion_tokens": 3}},
            chunk(usage=None),
            chunk(usage={}),
            DONE,
        ],
        [
            BEGUN,
            ("usage", 5, 1),
            ("text", "a"),
            ("usage", 5, 2),
            ("text", "b"),
            ("usage", 5, 3),
            ("finish", "stop", "stop", []),
        ],
    ),
    (
        "usage that is none",
        [saying("a") | {"usage": "x"}, saying("b") | {"usage": [1]}, ending("stop", usage=5), DONE],
        [BEGUN, ("text", "a"), ("text", "b"), ("finish", "stop", "stop", [])],
    ),
    (
        "usage inside a choice (Moonshot)",
        [saying("a"), ending("stop", usage={"prompt_tokens": 1, "completion_tokens": 2}), DONE],
        [BEGUN, ("text", "a"), ("usage", 1, 2), ("finish", "stop", "stop", [])],
    ),
]

FAILED = ("error", "provider", "pay", "quota")

ERRORS: list[Case] = [
    ("an error alone", [ROLE, ("", {"error": QUOTA})], [BEGUN, FAILED, ("finish", "error", [])]),
    (
        "an error beside choices, after finish reasons (OpenRouter): they are kept, its finish too",
        [
            tool(0, "c1", "f", '{"a":'),
            ending("length"),
            chunk(choice({"content": "x"}, "error"), error={"code": 502, "message": "bad gateway"}),
            saying("late", "stop") | {"usage": {"prompt_tokens": 1}},
            DONE,
        ],
        [
            *CALLED[:3],
            ("text", "x"),
            ("end", 0, "incomplete", "cut"),
            ("error", "provider", "bad gateway", "502"),
            ("usage", 1, None),
            ("finish", "error", "length", "error", "stop", []),
        ],
    ),
    (
        "an event of its name (Groq), and no more",
        [ROLE, tool(0, "c1", "f", '{"a":1}'), ("error", {"error": QUOTA | {"failed_generation": "<f>"}})],
        [*AT_ONCE[:3], ENDED, FAILED, ("finish", "error", [])],
    ),
    (
        "an event of its name with the bare error",
        [ROLE, ("error", {"message": "pay", "code": "quota"})],
        [BEGUN, FAILED, ("finish", "error", [])],
    ),
    (
        "an error as text",
        [ROLE, ("", {"error": "pay"})],
        [BEGUN, ("error", "provider", "pay", None), ("finish", "error", [])],
    ),
    *(
        (
            f"the code of an error: {code!r} of {given!r}",
            [ROLE, ("", {"error": {"message": "pay"} | given})],
            [BEGUN, ("error", "provider", "pay", code), ("finish", "error", [])],
        )
        for code, given in (
            ("quota", {"code": "quota", "type": "t"}),
            ("t", {"code": None, "type": "t"}),
            ("t", {"code": 429, "type": "t"}),
            ("429", {"code": 429}),
            (None, {}),
        )
    ),
    (
        "errors are reported once, and end what is open",
        [
            *CALL[:3],
            ("", {"error": QUOTA}),
            tool(0, arguments="1}"),
            ("", {"error": {"message": "again"}}),
            CALLS,
            DONE,
        ],
        [*CALLED[:3], ("end", 0, "incomplete", "cut"), FAILED, ("finish", "error", "tool_calls", [])],
    ),
    *(
        (f"an error that is none: {none!r}", [*CALL[:3], tool(0, arguments="1}") | {"error": none}, *CALL[4:]], CALLED)
        for none in NO_ERROR
    ),
]

ENVELOPES: list[Case] = [
    (
        "a first chunk without choices or an id (Azure, Copilot), and choices without a delta",
        [
            chunk(prompt_filter_results=[{}]) | {"id": "", "model": "", "object": ""},
            *CALL[:3],
            chunk({"index": 0, "finish_reason": None, "content_filter_results": {}}),
            *CALL[3:],
        ],
        CALLED,
    ),
    ("choices that are none", [ROLE, chunk(None, 5, "x", []), *CALL[1:]], CALLED),
    ("no object (Copilot, z.ai)", [without(each, "object") if each != DONE else each for each in CALL], CALLED),
    (
        "no id: the message begins with the first choice",
        [without(saying("a", "stop"), "id"), DONE],
        [("message", None, "m"), ("text", "a"), ("finish", "stop", "stop", [])],
    ),
    (
        "the first id and model stand",
        [CALL[0], *(each | {"id": "x", "model": "y"} for each in CALL[1:5]), DONE],
        CALLED,
    ),
    *(
        (f"a delta that says nothing: {delta!r}", [CALL[0], chunk(choice(delta) | {"delta": delta}), *CALL[1:]], CALLED)
        for delta in NO_DELTA
    ),
    (
        "members that mean nothing here are dropped",
        [
            each if each == DONE else each | {"p": "abc", "obfuscation": "x", "x_groq": {}, "timings": {}}
            for each in CALL
        ],
        CALLED,
    ),
    (
        "a message beside the delta says the same again (Writer)",
        [
            chunk(choice({"content": "a"}, message={"content": "a"})),
            chunk(choice({"tool_calls": [entry(*FIRST)]}, message={"content": "a", "tool_calls": [entry(*FIRST)]})),
            chunk(choice({}, "tool_calls", message={"content": "a", "tool_calls": [entry(*FIRST)]})),
            DONE,
        ],
        [BEGUN, ("text", "a"), *AT_ONCE[1:]],
    ),
    (
        "what the SDK's helper wraps, and derives",
        [
            *(("", {"type": "chunk", "chunk": each, "snapshot": {"choices": [{}]}}) for each in CALL[:5]),
            ("", {"type": "content.delta", "delta": "a", "snapshot": "a"}),
            ("", {"type": "tool_calls.function.arguments.done", "name": "f", "index": 0, "arguments": '{"a":1}'}),
            DONE,
        ],
        CALLED,
    ),
    (
        "what is no chunk is passed on",
        [ROLE, *(("later", each) for each in NO_CHUNKS), saying("a", "stop"), DONE],
        [BEGUN, *(("unknown", each, "later") for each in NO_CHUNKS), ("text", "a"), ("finish", "stop", "stop", [])],
    ),
    (
        "a whole body ends the turn",
        [
            body(
                {
                    "index": 0,
                    "message": {
                        "role": "assistant",
                        "content": "a",
                        "reasoning_content": "r",
                        "tool_calls": [
                            entry(None, "c1", "f", '{"a":1}', type="function"),
                            entry(None, "c2", "g", '{"b":2}'),
                        ],
                    },
                    "finish_reason": "tool_calls",
                },
                usage={"prompt_tokens": 1, "completion_tokens": 2},
            ),
            saying("after the end"),
        ],
        [BEGUN, ("usage", 1, 2), ("reasoning", "r", "reasoning_content"), ("text", "a"), *PAIR[1:]],
    ),
    (
        "a whole body with several choices",
        [
            body(
                {"index": 0, "message": {"content": "a"}, "finish_reason": "stop"},
                {
                    "index": 1,
                    "message": {"function_call": {"name": "f", "arguments": "{}"}},
                    "finish_reason": "function_call",
                },
            )
        ],
        [
            BEGUN,
            ("text", "a"),
            ("start", "#1", 0, "*1.0", "f"),
            ("delta", "#1", 0, "{}"),
            ("end", "#1", 0, "complete", {}),
            ("finish", "stop", "stop", []),
            ("finish", "#1", "tool_calls", "function_call", ["*1.0"]),
        ],
    ),
    (
        "a whole body with an empty choice",
        [body({"index": 0, "message": {"content": "a"}, "finish_reason": "stop"}, {"index": 1}), saying("late")],
        [BEGUN, ("text", "a"), ("finish", "stop", "stop", [])],
    ),
    (
        "a whole body that was cut",
        [body({"index": 0, "message": {"tool_calls": [entry(None, "c1", "f", '{"a":')]}, "finish_reason": "length"})],
        [*CALLED[:3], ("end", 0, "incomplete", "cut"), ("finish", "length", "length", [])],
    ),
    ("a body that is an error", [("", {"error": QUOTA})], [FAILED, ("finish", "error", [])]),
    ("an event's name means nothing", [("message", each) for each in CALL], CALLED),
]

CASES = IDENTITY + ARGUMENTS + TEXTS + CHOICES + ENDS + ERRORS + ENVELOPES


def by_payload(items: list[Item], **options: Any) -> list[Event]:
    return run(items, "openai-chat", **options)


class TestCases(WireCases):
    wire = "openai-chat"
    cases = CASES
    nobodys = ("a body that is an error",)
    bodies: ClassVar = {name: partial(body, after=": PROCESSING") for name, body in SSE.items()}
    cuts = 300
    mutations = 1000
    words = ("stop", "custom")


MEANINGS: dict[str, tuple[str, bool]] = {  # of a turn with a whole call: the reason, and whether the call may be run
    "stop": ("tool_calls", True),
    "eos": ("tool_calls", True),
    "eos_token": ("tool_calls", True),
    "end_turn": ("tool_calls", True),
    "stop_sequence": ("tool_calls", True),
    "tool_calls": ("tool_calls", True),
    "tool_call": ("tool_calls", True),
    "tool_use": ("tool_calls", True),
    "function_call": ("tool_calls", True),
    "TOOL_CALLS": ("tool_calls", True),
    "length": ("length", False),
    "max_tokens": ("length", False),
    "model_length": ("length", False),
    "max_output_tokens": ("length", False),
    "content_filter": ("content_filter", False),
    "safety": ("content_filter", False),
    "error": ("error", False),
    "insufficient_system_resource": ("error", False),
    "cancelled": ("cancelled", False),
    "odd": ("unknown", False),
}


def test_every_finish_reason_has_its_meaning_here() -> None:
    assert set(FINISH) <= set(MEANINGS)


@pytest.mark.parametrize("raw", MEANINGS)
def test_finish_reasons(raw: str) -> None:
    finish = by_payload([*CALL[:-2], ending(raw), DONE])[-1]
    assert isinstance(finish, Finish)
    assert (finish.reason, finish.raw, bool(finish.calls)) == (MEANINGS[raw][0], (raw,), MEANINGS[raw][1])


@pytest.mark.parametrize(
    ("payload", "event", "answer"),
    [
        *((payload, "", True) for payload in CALL[:-1]),
        (chunk(), "", True),
        (body()[1], "", True),
        (without(chunk(), "choices"), "", True),
        (without(without(chunk(), "choices"), "object"), "", False),
        ({"choices": None}, "", False),
        ({"choices": {}}, "", False),
        ({"object": ["chat.completion"]}, "", False),
        ({"object": "response"}, "", False),
        ({"error": QUOTA}, "error", False),
        ({"type": "message_start", "message": {}}, "", False),
        ({}, "", False),
    ],
)
def test_recognises(payload: Payload, event: str, answer: bool) -> None:
    assert recognises(payload, event) is answer


def test_raw_error_and_wire_are_kept() -> None:
    error = by_payload([ROLE, ("", {"error": QUOTA | {"failed_generation": "<f>"}})])[1]
    assert isinstance(error, StreamError)
    assert (error.raw, error.wire) == (QUOTA | {"failed_generation": "<f>"}, "openai-chat")


def test_usage_keeps_the_providers_own_counts() -> None:
    usage = by_payload([saying("a"), chunk(usage={"total_tokens": 3, "cost": None}), DONE])[2]
    assert isinstance(usage, Usage)
    assert (usage.input_tokens, usage.output_tokens, usage.raw) == (None, None, {"total_tokens": 3})


def test_arguments_that_are_no_json() -> None:
    events = by_payload([calling(entry(0, "c1", "f", {"a": object()})), CALLS, DONE])
    call = next(event.call for event in events if isinstance(event, ToolCallEnd))
    assert call.status == "invalid"


def test_the_limit_on_calls() -> None:
    events = by_payload(
        [tool(*FIRST), calling(entry(1, "c2", "g", "{}", later=1)), CALLS, DONE], limits=Limits(calls=1)
    )
    assert shown(events) == [
        *AT_ONCE[:-1],
        ("error", "limit", "more than calls=1 tool calls in one stream", None),
        ("finish", "error", "tool_calls", []),
    ]
