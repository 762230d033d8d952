"""What is reported is so, and what is so is reported in time: on schemas and documents that are made by chance.

Each pair is also judged in other cuts, and as a call whose values may be mended. TOOLWIRE_SCHEMA_EXAMPLES says how many
pairs are tried, beside those that Hypothesis chooses.
"""

from __future__ import annotations

import json
import os
from random import Random
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schema.following import closes, follow, keyword_of
from schema.making import Maker

from toolwire.partial.changes import copy_value
from toolwire.schema import compile_schema
from toolwire.schema.oracle import SCHEMAS

EXAMPLES = int(os.environ.get("TOOLWIRE_SCHEMA_EXAMPLES", "2000"))
DRAFTS = (4, 6, 7, 2019, 2020, 2020)

_KINDS = ("type", "anyOf", "oneOf")

# With these it is known only later that what a member says was wrong.
LATER = ('"if"', '"dependentSchemas"', '"dependencies"')


def check(schema: dict[str, Any], text: str, cuts: list[int]) -> bool:
    """Hold a judge to both theorems; true if the document is valid."""
    validator = jsonschema_rs.validator_for(schema)
    value = json.loads(text)
    errors = list(validator.iter_errors(value))
    compiled = compile_schema(schema)
    found = follow(compiled, text, root_waits=False)
    said = {(each.path, each.keyword): offset for offset, each in found}
    case = f"\n{json.dumps(schema)}\n{text}\n{found}\n{[(e.instance_path, e.schema_path) for e in errors]}"
    assert len(said) == len(found), case
    recut = follow(compiled, text, cuts, root_waits=False)
    assert {each[:2] for _, each in recut} == said.keys(), case
    waiting = {each[:2] for _, each in follow(compiled, text)}
    if not isinstance(value, str):
        assert waiting == said.keys(), case
    mended = follow(compiled, text, stringified=True)
    assert {each[:2] for _, each in mended} <= said.keys() or errors, case
    if not errors:
        assert not found, case
        assert not mended, case
        return True
    if SCHEMAS[4] in json.dumps(schema) and json.dumps(value) != (integral := _mended(text)):
        # `3.0` is no integer to draft 4, but is mended to be one, so what it breaks isn't certain.
        valid = validator.is_valid(json.loads(integral))
        assert not valid or not found, case
        return valid
    loops = '"$ref"' in json.dumps([schema.get("$defs"), schema.get("definitions")]) or '"$ref": "#"' in json.dumps(
        schema
    )
    if loops and not found:
        return False
    assert found, case
    ends = closes(text)
    whole = {(tuple(each.instance_path), keyword_of(each)) for each in errors}
    # It also misses a key, if it is one that it doesn't allow.
    whole -= {(path, "required") for path, keyword in whole if keyword == "additionalProperties"} - said.keys()
    first = min(ends[path] for path, _ in whole)
    if any(word in json.dumps(schema) for word in LATER):
        return False
    assert loops or found[0].offset <= first, case
    if not loops:
        for path, keyword in whole:
            assert said.get((path, keyword), len(text) + 1) <= ends[path], (path, keyword, case)
    assert said.keys() <= whole, (said.keys() - whole, case)
    return False


def _mended(text: str) -> str:
    """A document with integers for floats that say the same."""

    def number(written: str) -> float:
        return int(value) if (value := float(written)).is_integer() else value

    return json.dumps(json.loads(text, parse_float=number))


def pair(chance: Random) -> bool:
    """Make a schema and a document, and check them."""
    maker = Maker(chance, chance.choice(DRAFTS))
    schema = maker.schema()
    value = maker.fitting(schema, schema)
    if chance.random() < 0.4:
        value = maker.mutated(value)
    text = maker.written(value)
    return check(schema, text, [chance.randrange(1000) for _ in range(chance.randint(0, 4))])


def repeated(chance: Random) -> None:
    """Make a document in which a key comes again, and check that what was concluded before does no harm."""
    maker = Maker(chance, chance.choice(DRAFTS))
    schema = maker.schema()
    value = copy_value(maker.fitting(schema, schema))
    holders = [each for each in _containers(value) if isinstance(each, dict) and each]
    if not holders:
        return
    holder = chance.choice(holders)
    key = chance.choice(list(holder))
    holder["again"] = maker.value(1) if chance.random() < 0.5 else maker.mutated(holder[key])
    text = maker.written(value)
    at = text.find('"again"')
    text = text.replace('"again"', json.dumps(key))
    valid = jsonschema_rs.validator_for(schema).is_valid(json.loads(text))
    for options in ({"root_waits": False}, {"stringified": True}):
        found = follow(compile_schema(schema), text, **options)
        late = [each for each in found if each.offset > at + len(json.dumps(key))]
        assert not valid or not late, f"\n{json.dumps(schema)}\n{text}\n{late}"
    known = {each[:2] for _, each in follow(compile_schema(schema), text)}
    for cuts in ([], [chance.randrange(1000)]):
        found = follow(compile_schema(schema), text, cuts)
        assert not valid or {each[:2] for _, each in found} <= known, f"\n{json.dumps(schema)}\n{text}\n{found}"


def _containers(value: Any) -> list[Any]:
    found = [value] if isinstance(value, dict | list) else []
    for each in found:
        found += [
            inner for inner in (each.values() if isinstance(each, dict) else each) if isinstance(inner, dict | list)
        ]
    return found


@pytest.mark.parametrize("part", range(4))
def test_by_chance(part: int) -> None:
    valid = sum(pair(Random(f"{part} {number}")) for number in range(EXAMPLES // 4))
    # Enough of either.
    assert EXAMPLES // 4 * 0.2 < valid < EXAMPLES // 4 * 0.8


def stringified(chance: Random) -> bool:
    """Put a container's text where a container belongs, in a valid document: it can be mended."""
    maker = Maker(chance, chance.choice(DRAFTS))
    schema = maker.schema()
    kind = chance.choice(("object", "array"))
    member = {**maker.part(2), "type": chance.choice((kind, [kind, "null"]))}
    if maker.draft <= 7:
        member.pop("$ref", None)  # nothing would count beside it
    ways = [
        member,
        {"anyOf": [member, {"type": "null"}]},
        {"oneOf": [{"type": "integer"}, member]},
        {"allOf": [member]},
    ]
    schema["properties"] = {"a": chance.choice(ways)}
    value = {"a": copy_value(maker.fitting(member, schema))}
    validator = jsonschema_rs.validator_for(schema)
    if not isinstance(value["a"], dict | list) or not validator.is_valid(value):
        return False
    value["a"] = chance.choice(("", " ")) + json.dumps(value["a"])
    errors = list(validator.iter_errors(value))
    if any(tuple(error.instance_path) != ("a",) or keyword_of(error) not in _KINDS for error in errors):
        return False
    found = follow(compile_schema(schema), maker.written(value), stringified=True)
    assert not found, f"\n{json.dumps(schema)}\n{json.dumps(value)}\n{found}"
    return bool(errors)


def test_strings_that_can_be_mended() -> None:
    assert sum(stringified(Random(f"mended {number}")) for number in range(EXAMPLES)) > EXAMPLES / 20


def test_keys_that_come_again() -> None:
    for number in range(EXAMPLES // 2):
        repeated(Random(f"again {number}"))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_by_hypothesis(chance: Random) -> None:
    pair(chance)
