"""What a change costs, in calls of keywords: nothing of what came before, nor of what the schema doesn't say here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolwire.partial.parser import PartialJSON
from toolwire.schema import compile_schema


def steps(schema: Any, text: str, size: int = 16) -> list[int]:
    """The steps that each fragment of a text takes."""
    judge = compile_schema(schema).judge()
    parser = PartialJSON(changes=True)
    taken = []
    for start in range(0, len(text), size):
        before = judge.steps
        parser.feed(text[start : start + size])
        judge.feed(parser.take_changes(), parser.value)
        taken.append(judge.steps - before)
    return taken


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"maxLength": 300_000, "minLength": 3},
        {"pattern": "^[a-z]*$", "maxLength": 300_000},
        {"enum": ["a" * 200_000, "a" * 200_001]},
        {"anyOf": [{"type": "null"}, {"maxLength": 300_000}]},
    ],
)
def test_a_long_string(schema: Any) -> None:
    taken = steps({"properties": {"v": schema}}, json.dumps({"v": "a" * 200_000}))
    assert max(taken[2:-2]) <= 2
    assert set(taken[10:100]) == set(taken[-100:-10])


@pytest.mark.parametrize(
    "schema",
    [
        {"items": {"type": "string"}},
        {"items": {"properties": {"a": {"enum": ["x", "y"]}}, "required": ["a"]}},
        {"items": {"anyOf": [{"type": "string"}, {"properties": {"a": {"const": "x"}}}]}},
        {"contains": {"type": "null"}, "uniqueItems": False, "maxItems": 10**6},
        {"uniqueItems": True},
    ],
)
def test_many_elements(schema: Any) -> None:
    text = json.dumps([{"a": "x", "n": f"{number:05}"} for number in range(10_000)])
    taken = steps(schema, text, 27)
    assert max(taken) <= 40
    assert max(taken[10:200]) == max(taken[-200:-10])


@pytest.mark.parametrize("count", [10, 2000])
def test_a_large_schema(count: int) -> None:
    each = {"type": "string", "maxLength": 5}
    names = {f"k{number}": each for number in range(count)}
    schema = {"properties": names, "required": list(names), "additionalProperties": False, "$defs": names}
    assert sum(steps(schema, '{"k1": "abc", "k2": "abc", "v": {"type": "x"}}', 1)) == 17
    enum = {"properties": {"v": {"enum": list(names)}}}
    assert sum(steps(enum, '{"v": "k1"}', 1)) == 7


def test_branches_that_are_out_cost_nothing() -> None:
    tools = [{"properties": {"op": {"const": f"{number}x"}, "v": {"type": "string"}}} for number in range(500)]
    taken = steps({"anyOf": tools}, json.dumps({"op": "7x", "v": "a" * 1000}), 1)
    assert max(taken[:12]) > 500
    assert max(taken[20:-3]) <= 3


def test_a_schema_is_shared_and_read_when_needed() -> None:
    compiled = compile_schema({"properties": {"a": {"items": {"type": "string"}}, "b": {"pattern": "^x"}}})
    first, second = compiled.judge(), compiled.judge()
    for judge in (first, second):
        judge.feed([("opened", (), {}), ("opened", ("a",), []), ("set", ("a", 0), "x")], {"a": ["x"]})
    assert first.steps == second.steps
