"""The schemas of real tools: right calls are never reported, and broken ones always."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import TYPE_CHECKING, Any

import jsonschema_rs
from schema.following import follow, unjudged
from schema.making import Maker
from support import SHARED, needs_shared

from toolwire.schema import compile_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = needs_shared

TOOLS = SHARED / "corpus" / "tools"


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (TOOLS / name).read_text(encoding="utf-8").splitlines()]


def broken(value: Any) -> Iterator[Any]:
    """Copies of a value, with one thing in each made wrong, if the schema cares."""
    for path in list(_places(value)):
        for change in (None, [], {}, "no such word", 0.5, True, "gone"):
            spoilt = copy.deepcopy({"root": value})
            holder: Any = spoilt
            for step in ("root", *path)[:-1]:
                holder = holder[step]
            if change != "gone":
                holder[("root", *path)[-1]] = change
            elif path:
                del holder[path[-1]]
            yield spoilt["root"]
    if isinstance(value, dict):
        yield {**value, "no such key": 1}


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _places(each, (*path, key))


def hold(schema: Any, value: Any) -> bool:
    """Check a call; true if it is right."""
    valid = jsonschema_rs.validator_for(schema).is_valid(value)
    found = follow(compile_schema(schema), json.dumps(value))
    assert bool(found) is not valid or (not valid and unjudged(schema)), (schema, value, found)
    if valid:
        assert follow(compile_schema(schema), json.dumps(value), stringified=True) == []
    return valid


def test_calls_of_bfcl() -> None:
    right = wrong = 0
    for number, record in enumerate(lines("bfcl.jsonl")):
        schemas = {tool["name"]: tool["parameters"] for tool in record["tools"]}
        for call in record["calls"]:
            schema = schemas.get(call["name"])
            if schema is None:
                continue
            assert hold(schema, call["arguments"]) is call["valid"]
            right += call["valid"]
            spoilt = list(broken(call["arguments"]))
            for each in Random(number).sample(spoilt, min(3, len(spoilt))):
                wrong += not hold(schema, each)
    assert right == 1229
    assert wrong >= 2900


def test_calls_of_github() -> None:
    right = wrong = 0
    for number, tool in enumerate(lines("github_mcp.jsonl")):
        schema = tool["inputSchema"]
        chance = Random(number)
        maker = Maker(chance)
        for _ in range(10):
            value = maker.fitting(schema, schema)
            if isinstance(value, dict) and hold(schema, value):
                right += 1
                spoilt = list(broken(value))
                for each in chance.sample(spoilt, min(3, len(spoilt))):
                    wrong += not hold(schema, each)
    assert right >= 400
    assert wrong >= 800
