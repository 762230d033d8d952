"""The table of quirks: what it refers to exists, its page is up to date, and what no other test shows is shown here."""

from __future__ import annotations

import ast
import importlib.util
from collections import Counter
from functools import cache
from typing import Any

import pytest
from quirks import QUIRKS, Quirk
from support import ROOT, WIRES, expected_records, needs_shared, reported_cases

from toolwire import collect

Payload = dict[str, Any]
Facts = list[tuple[Any, ...]]  # the calls: name, status, arguments if whole, else the text


# --- what no other test shows -----------------------------------------------------------------------------------


def chat(delta: Payload, finish: str | None = None) -> Payload:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def chat_call(text: str) -> Payload:
    return chat({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "f", "arguments": text}}]})


def block(index: int, content: Payload, delta: Payload) -> list[Payload]:
    return [
        {"type": "content_block_start", "index": index, "content_block": content},
        {"type": "content_block_delta", "index": index, "delta": delta},
        {"type": "content_block_stop", "index": index},
    ]


def message(blocks: list[Payload], reason: str, content: list[Payload] | None = None) -> list[Payload]:
    return [
        {"type": "message_start", "message": {"id": "m1", "content": content or []}},
        *blocks,
        {"type": "message_delta", "delta": {"stop_reason": reason}},
        {"type": "message_stop"},
    ]


def part(finish: str | None = None, **call: Any) -> Payload:
    candidate: Payload = {"content": {"parts": [{"functionCall": call}]}}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})]}


def at(path: str, **value: Any) -> Payload:
    return {"jsonPath": path, **value}


def by_path(*values: Payload) -> list[Payload]:
    """A call whose values all come in one part."""
    return [part("STOP", name="f", partialArgs=list(values))]


def tool(text: str) -> list[Payload]:
    use = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
    return block(0, use, {"type": "input_json_delta", "partial_json": text})


# A name, a wire, payloads, and what they come to: the calls, and why the turn ended.
CASES: list[tuple[str, str, list[Any], Facts, str]] = [
    (
        "a cut turn that says tool_calls, told by its text alone",
        "openai-chat",
        [chat_call('{"a":'), chat({}, "tool_calls"), "[DONE]"],
        [("f", "invalid", '{"a":')],
        "tool_calls",
    ),
    (
        "the finish reason is error",
        "openai-chat",
        [chat_call('{"a":1}'), chat({}, "error"), "[DONE]"],
        [("f", "complete", {"a": 1})],
        "error",
    ),
    (
        "eager streaming: text that is no JSON",
        "anthropic",
        message(tool('{"keywords": Dave,'), "tool_use"),
        [("f", "invalid", '{"keywords": Dave,')],
        "tool_calls",
    ),
    (
        "eager streaming: text that is no JSON, cut",
        "anthropic",
        message(tool('{"keywords": Dave,'), "max_tokens"),
        [("f", "incomplete", '{"keywords": Dave,')],
        "length",
    ),
    (
        "thinking without a signature, in the message's start",
        "anthropic",
        message(tool("{}"), "tool_use", [{"type": "thinking", "thinking": "hm"}]),
        [("f", "complete", {})],
        "tool_calls",
    ),
    (
        "a finish message is no error",
        "gemini",
        [
            {
                "candidates": [
                    {
                        "content": {"parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]},
                        "finishReason": "STOP",
                        "finishMessage": "Model generated function call(s).",
                    }
                ]
            }
        ],
        [("f", "complete", {"a": 1})],
        "tool_calls",
    ),
    (
        "the last piece of a string has text",
        "gemini",
        [
            part(name="f", willContinue=True),
            part(partialArgs=[at("$.a", stringValue="Boston", willContinue=True)], willContinue=True),
            part(partialArgs=[at("$.a", stringValue=", MA")], willContinue=True),
            part("STOP"),
        ],
        [("f", "complete", {"a": "Boston, MA"})],
        "tool_calls",
    ),
    (
        "numbers, words and texts by path",
        "gemini",
        by_path(
            at("$.a", boolValue=True),
            at("$.b", nullValue="NULL_VALUE"),
            at("$.c", numberValue=0.5),
            at("$.d", numberValue=2.0),
            at("$.e", stringValue=""),
            at("$.f", stringValue='"\n\\'),
        ),
        [("f", "complete", {"a": True, "b": None, "c": 0.5, "d": 2, "e": "", "f": '"\n\\'})],
        "tool_calls",
    ),
    (
        "quoted keys and numbers as keys",
        "gemini",
        by_path(
            at("$['k']", numberValue=1),
            at('$["b.c"]', numberValue=2),
            at("$['\\u00e9']", numberValue=3),
            at("$.x.2024", numberValue=4),
            at("$.y[0][0]", numberValue=5),
        ),
        [("f", "complete", {"k": 1, "b.c": 2, "é": 3, "x": {"2024": 4}, "y": [[5]]})],
        "tool_calls",
    ),
    *(
        (
            f"a path that leads to many places: {path}",
            "gemini",
            by_path(at(path, numberValue=1)),
            [("f", "invalid", "{")],
            "tool_calls",
        )
        for path in ("$.*", "$.a[*]", "$.a[1:2]", "$.a[?@.b]", "$.a[-1]")
    ),
    *(
        (
            f"wrong paths: {path}",
            "gemini",
            by_path(at("$.a[0].b", numberValue=1), at("$.c", numberValue=2), at(path, numberValue=3)),
            [("f", "invalid", '{"a":[{"b":1}],"c":2')],
            "tool_calls",
        )
        for path in ("$.c.d", "$.c[0]", "$.a.b", "$.a[0].e", "$.c")
    ),
    (
        "a key of JavaScript's",
        "gemini",
        by_path(at("$.__proto__.x", numberValue=1), at("$.constructor", numberValue=2)),
        [("f", "complete", {"__proto__": {"x": 1}, "constructor": 2})],
        "tool_calls",
    ),
]


def test_text_beside_the_delta_counts_once() -> None:
    choice = {"index": 0, "text": "hi", "delta": {"content": "hi"}, "finish_reason": "stop"}
    assert collect([{"choices": [choice]}, "[DONE]"], "openai-chat").text == "hi"


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_case(case: tuple[str, str, list[Any], Facts, str]) -> None:
    _, wire, payloads, calls, finish = case

    message = collect(payloads, wire)

    got = [
        (call.name, call.status, call.arguments if call.status == "complete" else call.buf) for call in message.calls
    ]
    assert (got, message.finish) == (calls, finish)
    runs = finish == "tool_calls" and all(status == "complete" for _, status, _ in calls)
    assert list(message.executable) == (message.calls if runs else [])


# --- the table --------------------------------------------------------------------------------------------------


def references(kind: str) -> list[str]:
    """What the table refers to of a kind, without the kind."""
    wanted = {reference for quirk in QUIRKS for reference in quirk.covered_by}
    return sorted(reference.partition(":")[2] for reference in wanted if reference.startswith(f"{kind}:"))


@cache
def names_in(path: str) -> frozenset[str]:
    """A test file's functions and texts; of a text that is put together, its beginning."""
    names = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef(name=name) | ast.Constant(value=str(name)):
                names.add(name)
            case ast.JoinedStr(values=[ast.Constant(value=str(name)), *_]):
                names.add(name.rstrip(" :,"))
    return frozenset(names)


def test_rows_are_unique() -> None:
    rows = Counter((quirk.wire, quirk.what) for quirk in QUIRKS)
    assert [row for row, count in rows.items() if count > 1] == []


@pytest.mark.parametrize("quirk", QUIRKS, ids=lambda quirk: quirk.what)
def test_a_row_is_whole(quirk: Quirk) -> None:
    assert quirk.wire in ("framing", *WIRES)
    assert quirk.vendors
    assert quirk.what
    assert len(set(quirk.covered_by)) == len(quirk.covered_by)
    assert all(reference.split(":")[0] in ("recording", "case", "test") for reference in quirk.covered_by)


def test_rows_stand_by_wire() -> None:
    wires = list(dict.fromkeys(quirk.wire for quirk in QUIRKS))
    assert set(wires) == {"framing", *WIRES}
    assert [quirk.wire for quirk in QUIRKS] == sorted((quirk.wire for quirk in QUIRKS), key=wires.index)


@needs_shared
def test_recordings_exist() -> None:
    known = {record["file"].rsplit("/", 1)[1] for record in expected_records(*WIRES)}
    assert [name for name in references("recording") if name not in known] == []


@needs_shared
def test_cases_exist() -> None:
    known = {case["id"] for case in reported_cases()}
    assert [name for name in references("case") if name not in known] == []


@pytest.mark.parametrize("reference", references("test"))
def test_tests_exist(reference: str) -> None:
    path, _, name = reference.partition("::")
    assert name in names_in(path)


def test_the_cases_here_are_in_the_table() -> None:
    names = [reference.partition("::")[2] for reference in references("test") if "test_quirks.py" in reference]
    assert [case[0] for case in CASES if not case[0].startswith(tuple(names))] == []


def test_the_page_is_up_to_date() -> None:
    """If not: `python docs/quirks_table.py`."""
    spec = importlib.util.spec_from_file_location("quirks_table", ROOT / "docs" / "quirks_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "quirks.md").read_text(encoding="utf-8") == module.page()
