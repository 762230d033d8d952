"""The early check in a stream: what is said, when, of which tools, and what a guard makes of it."""

from __future__ import annotations

import dataclasses
import json
from datetime import date  # noqa: TC003 - read at run time
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, TypedDict

import msgspec
import pydantic
import pytest
from pydantic_core import core_schema
from support.calls import FINISH, delta
from typing_extensions import TypeAliasType

import toolwire
from toolwire import guards
from toolwire.grammar import check
from toolwire.paths import shown

SEARCH = {
    "name": "f",
    "parameters": {
        "type": "object",
        "properties": {"q": {"enum": ["tea", "coffee"]}, "n": {"type": "integer", "maximum": 3}},
        "required": ["q"],
        "additionalProperties": False,
    },
}


class Model(pydantic.BaseModel):
    q: str
    rows: list[int] = []
    when: date | None = None
    kind: Literal["a", "b"] = "a"
    price: Decimal = Decimal(0)


class Closed(pydantic.BaseModel, extra="forbid"):
    q: str = pydantic.Field(alias="Q")
    inner: Model | None = None


class Strict(pydantic.BaseModel, strict=True):
    n: int = 0
    flag: bool = False


class Struct(msgspec.Struct, forbid_unknown_fields=True):
    q: str
    n: Annotated[int, msgspec.Meta(ge=1)] = 1
    when: date | None = None


@dataclasses.dataclass
class Data:
    q: str
    rows: list[int] = dataclasses.field(default_factory=list)


class Typed(TypedDict):
    q: str


def function(q: str, rows: list[dict[str, int]] | None = None) -> None:
    """A tool."""


def fed(text: str, source: Any, **options: Any) -> list[toolwire.Event]:
    """The events of a call whose arguments come character by character, and stop."""
    stream = toolwire.Stream("openai-chat", tools=[toolwire.tool(source, name="f0")], early_check=True, **options)
    events = stream.receive_payload(delta(0, "", "f0"))
    for c in text:
        events += stream.receive_payload(delta(0, c))
    return events


def found(text: str, source: Any, **options: Any) -> list[tuple[str, str, int]]:
    """Violations as (path, keyword, characters that had come)."""
    events = fed(text, source, **options)
    return [
        (shown(event.path), event.keyword, event.at)
        for event in events
        if isinstance(event, toolwire.ToolCallViolation)
    ]


CERTAIN: list[tuple[Any, str, list[tuple[str, str, int]]]] = [
    (SEARCH, '{"q": "te', []),
    (SEARCH, '{"q": "tex', [("q", "enum", 10)]),
    (SEARCH, '{"n": 4,', [("n", "maximum", 8)]),
    (SEARCH, '{"x": 1,', [("", "additionalProperties", 8)]),
    (SEARCH, '{"n": 1}', [("", "required", 8)]),
    (Model, '{"q": {', [("q", "type", 7)]),
    (Model, '{"q": "a", "rows": {', [("rows", "type", 20)]),
    (Model, '{"kind": "c', [("kind", "enum", 11)]),
    (Model, '{"rows": []}', [("", "required", 12)]),
    (Closed, '{"Q": "a", "x": 1,', [("", "additionalProperties", 18)]),
    (Closed, '{"Q": "a", "inner": {"q": [', [("inner", "anyOf", 27)]),
    (Strict, '{"n": "1', [("n", "type", 7)]),
    (Strict, '{"flag": 1,', [("flag", "type", 11)]),
    (Struct, '{"q": 1,', [("q", "type", 8)]),
    (Struct, '{"n": 0,', [("n", "minimum", 8)]),
    (Struct, '{"z": 1,', [("", "additionalProperties", 8)]),
    (Data, '{"rows": {', [("rows", "type", 10)]),
    (Typed, '{"q": [', [("q", "type", 7)]),
    (function, '{"q": true', [("q", "type", 10)]),
    (function, '{"q": "a", "rows": [{"a": "b', [("rows", "anyOf", 27)]),
    (function, '{"other": 1,', [("", "additionalProperties", 12)]),
]


@pytest.mark.parametrize(("source", "text", "wanted"), CERTAIN)
def test_what_is_certain(source: Any, text: str, wanted: list[tuple[str, str, int]]) -> None:
    assert found(text, source) == wanted


class Loud(pydantic.BaseModel):
    """Reads its field in a way of its own."""

    q: list[str]

    @pydantic.field_validator("q", mode="before")
    @classmethod
    def split(cls, value: Any) -> Any:
        return value.split(",") if isinstance(value, str) else value


class Whole(pydantic.BaseModel):
    q: str

    @pydantic.model_validator(mode="before")
    @classmethod
    def moved(cls, value: Any) -> Any:
        return {"q": value["query"]} if "query" in value else value


class Colour(Enum):
    RED = "red"

    @classmethod
    def _missing_(cls, value: object) -> Colour:
        return cls.RED


class Coloured(pydantic.BaseModel):
    colour: Colour


class Named(pydantic.BaseModel, populate_by_name=True, extra="forbid"):
    q: str = pydantic.Field(alias="Q")


class Tagged(msgspec.Struct, tag="foo"):
    x: int


class Holder(msgspec.Struct):
    inner: list[Tagged]


class Both(pydantic.BaseModel, populate_by_name=True):
    x: list[int] = pydantic.Field(alias="xx")


class Crossed(pydantic.BaseModel, populate_by_name=True):
    a: str = pydantic.Field(alias="b")
    b: list[int] = pydantic.Field(alias="c")


class Painted(msgspec.Struct):
    colour: Colour


class Remarked(msgspec.Struct):
    s: Annotated[str, msgspec.Meta(extra_json_schema={"maxLength": 2})]


@pydantic.dataclasses.dataclass
class Made:
    a: int
    b: list[int] = dataclasses.field(init=False, default_factory=list)


Alias = TypeAliasType("Alias", str)


class Numbered(pydantic.BaseModel, coerce_numbers_to_str=True):
    a: Alias
    b: Alias


class OnError:
    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        inner = core_schema.int_schema(strict=True)
        return core_schema.with_default_schema(inner, default=1, on_error="default")


class Forgiving(pydantic.BaseModel):
    v: OnError


class Rounded(pydantic.BaseModel):
    f: float = pydantic.Field(le=2**53)


class RoundedStruct(msgspec.Struct):
    f: Annotated[float, msgspec.Meta(le=2**53)] = 0
    m: Annotated[float, msgspec.Meta(multiple_of=1.1)] = 0


DRAFT_4 = {
    "name": "f",
    "parameters": {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
    },
}


# What a check takes although the type's published schema doesn't.
TAKEN: list[tuple[Any, str]] = [
    (Model, '{"q": "a", "rows": ["1", 2.0, true], "when": "2031-01-01", "price": "1.5"}'),
    (Model, '{"q": "a", "when": 86400, "price": 3}'),
    (Model, '{"q": "a", "rows": "[1, 2]"}'),
    (Closed, '{"Q": "a", "inner": "{\\"q\\": \\"b\\"}"}'),
    (Loud, '{"q": "a,b"}'),
    (Whole, '{"query": "a"}'),
    (Coloured, '{"colour": "rde"}'),
    (Named, '{"q": "a"}'),
    (Named, '{"Q": "a"}'),
    (Struct, '{"q": "a", "when": "2031-01-01"}'),
    (function, '{"q": "a", "rows": "[{\\"a\\": 1}]"}'),
    (SEARCH, '{"q": "tea", "n": 3.0}'),
    (SEARCH, '{}{"q": "tea"}'),
    (Tagged, '{"x": 1}'),
    (Holder, '{"inner": [{"x": 1}]}'),
    (Both, '{"xx": [1], "x": 3}'),
    (Both, '{"x": 3, "xx": [1]}'),
    (Crossed, '{"b": "x", "c": [1]}'),
    (Painted, '{"colour": "rde"}'),
    (Remarked, '{"s": "abcdef"}'),
    (Made, '{"a": 1, "b": 3}'),
    (Numbered, '{"a": 3, "b": 3}'),
    (Forgiving, '{"v": "x"}'),
    (Rounded, '{"f": 9007199254740993}'),
    (RoundedStruct, '{"f": 9007199254740993, "m": 3.3000000000000003}'),
    (DRAFT_4, '{"a": 3.0, "b": 1e1}'),
    ({"name": "f", "parameters": {"type": "object", "properties": {"v": {"maxLength": 2}}}}, '{"v": "[1, 2]"}'),
    ({"name": "f", "parameters": {"type": "object"}}, "null"),
    ({"name": "f", "parameters": {"type": "object"}}, ""),
    (SEARCH, json.dumps(json.dumps({"q": "tea"}))),
]


@pytest.mark.parametrize(("source", "text"), TAKEN)
def test_what_the_final_check_takes_is_never_stopped(source: Any, text: str) -> None:
    events = fed(text, source)
    stream = toolwire.Stream("openai-chat", tools=[toolwire.tool(source, name="f0")])
    for payload in (delta(0, text, "f0"), FINISH):
        stream.receive_payload(payload)
    stream.end()
    assert stream.calls[0].executable, stream.calls[0].error  # it is as the table says
    assert not [event for event in events if isinstance(event, toolwire.ToolCallViolation)]


def test_a_string_for_an_array_without_that_repair() -> None:
    text = '{"q": "a", "rows": "['
    assert found(text, Model) == []
    assert found(text, Model, repairs=()) == [("rows", "type", 20)]


def test_names() -> None:
    """Told at the start, unless the name can still grow into one."""
    stream = toolwire.Stream("openai-chat", tools=[toolwire.tool(SEARCH, name="find_all")], early_check=True)
    unknown = stream.receive_payload(delta(0, "", "rm"))
    assert [event.type for event in unknown] == ["message_start", "tool_call_start", "tool_call_violation"]
    violation = unknown[-1]
    assert isinstance(violation, toolwire.ToolCallViolation)
    assert (violation.keyword, violation.message, violation.at) == ("name", "there is no tool 'rm'", 0)
    assert [event.type for event in stream.receive_payload(delta(1, "", "find_"))] == ["tool_call_start"]
    grown = stream.receive_payload(delta(1, '{"q": 1', "all"))
    assert not [event for event in grown if isinstance(event, toolwire.ToolCallViolation)]
    stream.receive_payload(delta(2, "", "find"))
    late = stream.receive_payload(delta(2, "{"))
    assert [event.type for event in late] == ["tool_call_delta", "tool_call_violation"]


def test_a_guard_rejects_and_the_siblings_go_on() -> None:
    payloads: list[Any] = [
        delta(0, '{"n"', "f"),
        delta(1, '{"q": "te', "f"),
        delta(0, ": 9,"),
        delta(0, ' "q": "tea"}'),
        delta(1, 'a"}'),
        FINISH,
        "[DONE]",
    ]
    events = list(toolwire.stream(payloads, "openai-chat", tools=[SEARCH], guards=[guards.early_check()]))
    check(events)
    stopped, fine = (event.call for event in events if isinstance(event, toolwire.ToolCallStart))
    assert stopped.error is not None
    assert (stopped.status, stopped.error.reason) == ("incomplete", "rejected")
    assert stopped.error.message.startswith("n: ")
    assert stopped.buf == '{"n": 9,'
    finish = events[-1]
    assert isinstance(finish, toolwire.Finish)
    assert finish.calls == (fine,)


@pytest.mark.parametrize(("action", "reason"), [("warn", "tool_calls"), ("abort", "cancelled")])
def test_a_guard_warns_or_aborts(action: Any, reason: str) -> None:
    payloads = [delta(0, '{"n": 9, "q": "tea"}', "f"), FINISH, "[DONE]"]
    rule = guards.early_check(action=action)
    events = list(toolwire.stream(payloads, "openai-chat", tools=[SEARCH], guards=[rule]))
    check(events)
    finish = events[-1]
    assert isinstance(finish, toolwire.Finish)
    assert (finish.reason, finish.calls) == (reason, ())
    assert ("warned" in [event.type for event in events]) == (action == "warn")


def test_changes_are_shown_only_where_they_were_asked_for() -> None:
    without, asked = (fed('{"q": "te', SEARCH, changes=changes) for changes in (False, True))
    assert {event.changes for event in without if isinstance(event, toolwire.ToolCallDelta)} == {None}
    listed = [event.changes for event in asked if isinstance(event, toolwire.ToolCallDelta)]
    assert ("appended", ("q",), "t") in [change for changes in listed for change in changes or ()]


def test_held_calls_and_free_text_wait_for_their_end() -> None:
    held = toolwire.tool(SEARCH, name="f0", hold=True)
    stream = toolwire.Stream("openai-chat", tools=[held], early_check=True)
    events = stream.receive_payload(delta(0, '{"n": 9', "f0")) + stream.receive_payload(delta(0, ', "z": 1'))
    assert [event.type for event in events] == ["message_start", "tool_call_start"]
    custom = {"index": 0, "id": "c", "type": "custom", "custom": {"name": "run", "input": "ls"}}
    stream = toolwire.Stream("openai-chat", tools=[{"type": "custom", "custom": {"name": "run"}}], early_check=True)
    events = stream.receive_payload({"choices": [{"index": 0, "delta": {"tool_calls": [custom]}}]})
    assert [event.type for event in events] == ["message_start", "tool_call_start", "tool_call_delta"]


def test_it_needs_tools() -> None:
    for options in ({"early_check": True}, {"guards": [guards.early_check()]}):
        with pytest.raises(toolwire.UsageError, match="the early check needs tools="):
            toolwire.Stream("openai-chat", **options)  # type: ignore[arg-type]


def test_an_empty_object_is_judged_at_its_end() -> None:
    """Before that it may be a placeholder."""
    stream = toolwire.Stream("openai-chat", tools=[SEARCH], early_check=True)
    events = stream.receive_payload(delta(0, "{}", "f"))
    assert [event.type for event in events] == ["message_start", "tool_call_start"]
    events = [*stream.receive_payload(FINISH), *stream.end()]
    assert [event.type for event in events] == ["tool_call_delta", "tool_call_violation", "tool_call_end", "finish"]


def test_a_number_that_was_cut_is_not_judged() -> None:
    stream = toolwire.Stream("openai-chat", tools=[SEARCH], early_check=True)
    events = stream.receive_payload(delta(0, '{"n": 9', "f")) + stream.end()
    assert "tool_call_violation" not in [event.type for event in events]


@pytest.mark.parametrize("action", ["reject", "abort"])
def test_a_stopped_call_is_told_of_once(action: Any) -> None:
    payloads = [delta(0, '{"n": 9, "q": "x", "z": 1}', "f"), FINISH, "[DONE]"]
    rule = guards.early_check(action=action)
    events = list(toolwire.stream(payloads, "openai-chat", tools=[SEARCH], guards=[rule]))
    assert [event.type for event in events].count("tool_call_violation") == 1
    check(events)


class Undefined(pydantic.BaseModel):
    a: "Nowhere"  # type: ignore[name-defined]  # noqa: F821, UP037


def test_a_type_that_cannot_be_read_is_left_to_the_final_check() -> None:
    payloads = [delta(0, '{"a": 1}', "Undefined"), FINISH, "[DONE]"]
    message = toolwire.collect(payloads, "openai-chat", tools=[Undefined], early_check=True)
    assert message.calls[0].status == "invalid"


def test_nothing_is_fetched() -> None:
    away = {"name": "f", "parameters": {"$ref": "http://127.0.0.1:9/schema.json"}}
    with pytest.raises(toolwire.UsageError, match="nothing is fetched"):
        toolwire.tool(away)
