"""Tools of every kind, and what their checks make of a call that has ended."""

from __future__ import annotations

import dataclasses
import json
from datetime import date  # noqa: TC003 - read at run time
from typing import Annotated, Any, Generic, Literal, NotRequired, TypedDict, TypeVar

import msgspec
import pydantic
import pytest
from support import run, to_sse

import toolwire
from toolwire import Finish, Tools, UsageError, tool

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
    "required": ["query"],
    "additionalProperties": False,
}


class Search(pydantic.BaseModel):
    query: str
    limit: int = 10


class Nested(pydantic.BaseModel):
    rows: list[Search]
    when: date | None = None
    mode: Literal["a", "b"] | int = "a"


class Strict(pydantic.BaseModel, strict=True):
    when: date
    count: int = 0
    rows: list[int] = []


class SearchStruct(msgspec.Struct):
    query: str
    limit: int = 10


@dataclasses.dataclass
class SearchData:
    query: str
    limit: int = 10


class SearchDict(TypedDict):
    query: str
    limit: NotRequired[int]


def search(query: str, limit: int = 10) -> None:
    raise AssertionError("a tool is never run by its check")


def search_models(query: str, first: Search | None = None) -> None:
    raise AssertionError


def anything(**more: Any) -> None:
    raise AssertionError


def call_of(
    name: str, arguments: str, tools: Any, *, size: int = 7, **options: Any
) -> tuple[toolwire.ToolCall, Finish]:
    """A call in pieces, in a turn that ends well; and the turn's finish."""
    head = {"index": 0, "id": "a", "function": {"name": name, "arguments": ""}}
    pieces = [arguments[i : i + size] for i in range(0, len(arguments), size)]
    deltas = [head, *({"index": 0, "function": {"arguments": piece}} for piece in pieces)]
    chunks: list[Any] = [{"choices": [{"index": 0, "delta": {"tool_calls": [delta]}}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    events = run([to_sse([*chunks, "[DONE]"])], "openai-chat", tools=tools, **options)
    (call,) = [event.call for event in events if event.type == "tool_call_end"]
    finish = events[-1]
    assert isinstance(finish, Finish)
    return call, finish


TYPED = {
    "Pydantic model": (Search, "Search", Search(query="x", limit=3)),
    "Struct": (SearchStruct, "SearchStruct", SearchStruct(query="x", limit=3)),
    "dataclass": (SearchData, "SearchData", SearchData(query="x", limit=3)),
    "TypedDict": (SearchDict, "SearchDict", {"query": "x", "limit": 3}),
    "function": (search, "search", {"query": "x", "limit": 3}),
    "JSON Schema": ({"title": "find", **SCHEMA}, "find", {"query": "x", "limit": 3}),
    "chat": ({"type": "function", "function": {"name": "f", "parameters": SCHEMA}}, "f", {"query": "x", "limit": 3}),
    "responses": ({"type": "function", "name": "f", "parameters": SCHEMA}, "f", {"query": "x", "limit": 3}),
    "input_schema": ({"name": "f", "input_schema": SCHEMA}, "f", {"query": "x", "limit": 3}),
    "inputSchema": ({"name": "f", "inputSchema": SCHEMA}, "f", {"query": "x", "limit": 3}),
    "toolSpec": ({"toolSpec": {"name": "f", "inputSchema": {"json": SCHEMA}}}, "f", {"query": "x", "limit": 3}),
    "declarations": (
        {
            "functionDeclarations": [
                {
                    "name": "f",
                    "parameters": {
                        "type": "OBJECT",
                        "properties": {"query": {"type": "STRING"}, "limit": {"type": "INTEGER", "nullable": True}},
                    },
                }
            ]
        },
        "f",
        {"query": "x", "limit": 3},
    ),
}


@pytest.mark.parametrize("kind", TYPED)
def test_arguments_are_typed(kind: str) -> None:
    source, name, expected = TYPED[kind]
    call, finish = call_of(name, '{"query": "x", "limit": 3}', [source])

    assert (call.status, call.arguments, finish.calls) == ("complete", expected, (call,))
    assert type(call.arguments) is type(expected)
    assert call.partial == {"query": "x", "limit": 3}


@pytest.mark.parametrize("kind", TYPED)
def test_arguments_that_do_not_fit(kind: str) -> None:
    """Invalid, never executable, with the place in the text and a message for the model."""
    source, name, _ = TYPED[kind]
    text = '{"query": "x", "limit": "ten"}'
    call, finish = call_of(name, text, [source])

    assert (call.status, finish.calls, finish.reason) == ("invalid", (), "tool_calls")
    assert call.error is not None
    (problem,) = call.error.problems
    assert (call.error.reason, problem.path, problem.offset) == ("schema", ("limit",), text.index('"ten"'))
    assert "limit" in call.error.for_model()
    assert "ten" not in call.error.for_model()
    with pytest.raises(toolwire.ToolCallError):
        call.arguments  # noqa: B018


@pytest.mark.parametrize("kind", [kind for kind in TYPED if kind != "declarations"])
def test_what_is_missing(kind: str) -> None:
    source, name, _ = TYPED[kind]
    call, _ = call_of(name, '{"limit": 3}', [source])

    assert call.error is not None
    (problem,) = call.error.problems
    assert problem.path in (("query",), ())
    assert problem.offset == 0
    assert "query" in call.error.for_model()


def test_defaults_of_a_function_stay_its_own() -> None:
    call, _ = call_of("search", '{"query": "x"}', [search])
    assert call.arguments == {"query": "x"}
    call, _ = call_of("search", '{"query": "x", "other": 1}', [search])
    assert call.status == "invalid"
    call, _ = call_of("anything", '{"query": "x", "other": 1}', [anything])
    assert call.arguments == {"query": "x", "other": 1}


def test_a_function_with_models() -> None:
    call, _ = call_of("search_models", '{"query": "x", "first": {"query": "y"}}', [search_models])
    assert call.arguments == {"query": "x", "first": Search(query="y")}
    call, _ = call_of("search_models", '{"query": "x"}', [search_models])
    assert call.arguments == {"query": "x"}


def test_every_problem_is_told() -> None:
    text = '{"rows": [{"query": 1}, {"limit": "x"}], "when": "never", "mode": "c"}'
    call, _ = call_of("Nested", text, [Nested])

    assert call.error is not None
    places = {problem.path: problem.offset for problem in call.error.problems}
    assert places == {
        ("rows", 0, "query"): text.index("1}"),
        ("rows", 1, "query"): text.index('{"limit"'),
        ("rows", 1, "limit"): text.index('"x"'),
        ("when",): text.index('"never"'),
        ("mode",): text.index('"c"'),
    }


def test_strict_models_are_checked_as_json() -> None:
    """A date is text in JSON, also for a strict model; a number in text stays a mistake."""
    call, _ = call_of("Strict", '{"when": "2026-12-01"}', [Strict])
    assert call.status == "complete"
    call, _ = call_of("Strict", '{"when": "2026-12-01", "count": "3"}', [Strict])
    assert call.status == "invalid"
    call, _ = call_of("Search", '{"query": "x", "limit": "3"}', [Search])  # lax, as the model is
    assert call.arguments == Search(query="x", limit=3)


@pytest.mark.parametrize("kind", ["Struct", "dataclass", "function", "JSON Schema"])
def test_a_float_that_says_what_an_integer_says(kind: str) -> None:
    source, name, expected = TYPED[kind]
    text = '{"query": "x", "limit": 3.0}'
    call, finish = call_of(name, text, [source])

    assert call.arguments == expected
    found = call.arguments["limit"] if isinstance(call.arguments, dict) else call.arguments.limit
    assert type(found) is int
    if kind != "JSON Schema":  # for which 3.0 is an integer
        assert (call.status, finish.calls) == ("repaired", (call,))
        assert call.repairs == (("integral_float", text.index("3.0"), "3.0"),)
    call, _ = call_of(name, '{"query": "x", "limit": 3.5}', [source])
    assert call.status == "invalid"


def test_a_nested_value_in_a_string() -> None:
    text = json.dumps({"rows": json.dumps([{"query": "x", "limit": 3}])})
    call, _ = call_of("Nested", text, [Nested])

    assert call.arguments == Nested(rows=[Search(query="x", limit=3)])
    assert (call.status, [repair.kind for repair in call.repairs]) == ("repaired", ["stringified"])
    assert call.partial == json.loads(text)
    call, finish = call_of("Nested", text, [Nested], accept_repaired=False)
    assert (call.status, finish.calls) == ("repaired", ())
    call, _ = call_of("Nested", text, [Nested], repairs=toolwire.DEFAULT_REPAIRS - {"stringified"})
    assert call.status == "invalid"


def test_several_values_are_mended_one_after_the_other() -> None:
    call, _ = call_of("Strict", '{"when": "2026-12-01", "count": 2.0, "rows": "[1, 2.0]"}', [Strict])

    assert call.arguments == Strict.model_validate_json('{"when": "2026-12-01", "count": 2, "rows": [1, 2]}')
    assert [repair.kind for repair in call.repairs] == ["integral_float", "stringified", "integral_float"]


def test_a_tool_that_is_not_there() -> None:
    call, finish = call_of("find", "{}", [Search, search])

    assert (call.status, finish.calls) == ("invalid", ())
    assert call.error is not None
    assert (call.error.reason, call.error.message) == (
        "unknown_tool",
        "there is no tool 'find'; the tools are: Search, search",
    )


def test_cut_calls_are_not_checked() -> None:
    call, _ = call_of("Search", '{"query": "x', [Search])
    assert call.error is not None
    assert call.error.reason == "truncated"


def test_no_arguments() -> None:
    call, _ = call_of("f", "", [{"type": "function", "function": {"name": "f"}}])
    assert (call.status, call.arguments) == ("complete", {})
    call, _ = call_of("Search", "", [Search])
    assert call.status == "invalid"


def test_free_text_is_not_checked() -> None:
    payload = {"id": "a", "index": 0, "type": "custom", "custom": {"name": "run", "input": "ls"}}
    chunk = {"choices": [{"index": 0, "delta": {"tool_calls": [payload]}, "finish_reason": "tool_calls"}]}
    events = run([to_sse([chunk, "[DONE]"])], "openai-chat", tools=[{"type": "custom", "custom": {"name": "run"}}])

    assert [call.arguments for call in events[-1].calls] == ["ls"]  # type: ignore[union-attr]


def test_names() -> None:
    assert tool(Search, name="find").name == "find"
    assert [each.name for each in Tools([Search, tool(search, name="b"), [SearchStruct]])] == [
        "Search",
        "b",
        "SearchStruct",
    ]
    call, _ = call_of("find", '{"query": "x"}', Tools([tool(Search, name="find")]))
    assert call.arguments == Search(query="x")


def test_the_providers_own_tools_are_passed_over() -> None:
    own = [
        {"type": "web_search"},
        {"type": "web_search_20250305", "name": "web_search"},
        {"googleSearch": {}},
        {"cachePoint": {"type": "default"}},
        {"systemTool": {"name": "grounding"}},
    ]
    assert len(Tools(own)) == 0


@pytest.mark.parametrize(
    "source",
    [
        {"type": "object"},
        {"parameters": SCHEMA},
        {"name": "f", "parameters": {"type": "nope"}},
        5,
        lambda a, /: None,
        lambda *a: None,
        {"title": "", **SCHEMA},
    ],
    ids=repr,
)
def test_what_describes_no_tool(source: Any) -> None:
    with pytest.raises(UsageError):
        Tools([source])


def test_tools_is_a_list_of_different_tools() -> None:
    with pytest.raises(UsageError, match="two tools"):
        Tools([Search, tool(search, name="Search")])
    with pytest.raises(UsageError, match="list of tools"):
        toolwire.Stream(tools={"a": 1})
    with pytest.raises(UsageError, match="tools, not one"):
        tool([Search, search])


class Broken(pydantic.BaseModel):
    x: Any = None

    @pydantic.field_validator("x")
    @classmethod
    def broken(cls, x: Any) -> Any:
        if x == 1:
            raise KeyError("of the user's own")
        return x


class Plain(msgspec.Struct):
    x: int = 0


T = TypeVar("T")


class Box(msgspec.Struct, Generic[T]):
    content: T


DESCRIBED = {"name": "f", "parameters": {"type": "object", "properties": {"y": {"enum": [[1]]}}}}
ODD = {
    "a validator that breaks": (Broken, '{"x": 1}', KeyError),
    "a number past all floats": (Broken, '{"x": 1e400}', ValueError),
    "half a surrogate pair": (Plain, '{"x": "\\ud800"}', UnicodeEncodeError),
    "half a pair in a key": (DESCRIBED, '{"\\ud800": 1}', UnicodeEncodeError),
    "very deep": (DESCRIBED, '{"y": ' + "[" * 400 + "]" * 400 + "}", ValueError),
}


@pytest.mark.parametrize("name", ODD)
def test_a_check_that_raises_has_refused(name: str) -> None:
    """The call is invalid, its sibling and the turn go on, and the exception is the cause."""
    source, text, kind = ODD[name]
    calls = [
        {"index": index, "id": f"c{index}", "function": {"name": f"f{index}", "arguments": arguments}}
        for index, arguments in enumerate((text, "{}"))
    ]
    delta = {"choices": [{"index": 0, "delta": {"tool_calls": calls}, "finish_reason": "tool_calls"}]}
    tools = [toolwire.tool(source, name="f0"), toolwire.tool(Plain, name="f1")]
    message = toolwire.collect([delta], "openai-chat", tools=tools)
    odd, sibling = message.calls
    assert message.executable == (sibling,)
    assert odd.error is not None
    assert (odd.status, odd.error.reason, type(odd.error.cause)) == ("invalid", "schema", kind)
    assert odd.error.message == f"the check raised {kind.__name__}"
    with pytest.raises(toolwire.ToolCallError) as raised:
        _ = odd.arguments
    assert raised.value.__cause__ is odd.error.cause
    answer = [{"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}]}]
    output = toolwire.collect(answer, "openai-chat", text_schema=tools[0]).output
    assert output.error is not None
    assert type(output.error.cause) is kind


def test_generic_types_are_tools() -> None:
    assert toolwire.tool(Box[int]).name == "Box"
    assert toolwire.tool(Annotated[Plain, "noted"]).name == "Plain"
    assert toolwire.tool(Annotated[Broken, "noted"]).name == "Broken"


@pytest.mark.parametrize("source", ["search", b"x", 5, None])
def test_what_is_no_tool(source: Any) -> None:
    with pytest.raises(toolwire.UsageError, match="a tool is a type, a function, a schema or an entry"):
        toolwire.tool(source)


@pytest.mark.parametrize("tools", [5, "f", len])
def test_what_is_no_list_of_tools(tools: Any) -> None:
    with pytest.raises(toolwire.UsageError, match="tools is a list of tools"):
        toolwire.Stream(tools=tools)
