"""Made-up arguments: valid, repeatable, different where there is room, and never without end."""

from __future__ import annotations

import json
import sys
from random import Random
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schema.making import Maker
from support import SHARED, needs_shared

from toolwire.mock.generate import arguments, make
from toolwire.mock.generate.patterns import matching

TOOLS = SHARED / "corpus" / "tools"
SEEDS = range(5)


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (TOOLS / name).read_text(encoding="utf-8").splitlines()]


def of(**properties: Any) -> dict[str, Any]:
    """An object's schema with properties that are all required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def all_valid(schema: dict[str, Any], by: dict[str, Any] | None = None) -> list[Any]:
    """What is made for some seeds, after it is found valid."""
    validator = jsonschema_rs.validator_for(schema if by is None else by, validate_formats=True)
    made = [make(schema, Random(seed)) for seed in SEEDS]
    for each in made:
        assert validator.is_valid(each), (schema, each)
    return made


def hold(schemas: list[dict[str, Any]]) -> int:
    """Check tools' parameters, and count those where all seeds agree although there are properties."""
    alike = 0
    for schema in schemas:
        validator = jsonschema_rs.validator_for(schema)
        made = [arguments(schema, Random(seed)) for seed in SEEDS]
        for each in made:
            assert validator.is_valid(each), (schema, each)
        assert arguments(schema, Random(0)) == made[0]
        if not schema.get("properties"):
            assert made[0] == {}
        else:
            alike += all(each == made[0] for each in made)
    return alike


@needs_shared
def test_tools_of_bfcl() -> None:
    schemas = [tool["parameters"] for record in lines("bfcl.jsonl") for tool in record["tools"]]
    assert len(schemas) == 1701
    assert hold(schemas) == 0


@needs_shared
def test_tools_of_github() -> None:
    schemas = [record["inputSchema"] for record in lines("github_mcp.jsonl")]
    assert len(schemas) == 59
    assert hold(schemas) == 0


SCHEMAS: dict[str, dict[str, Any]] = {
    "types": of(a={"type": ["string", "null"]}, b={"type": ["integer", "boolean"]}),
    "enum": of(a={"enum": ["x", 1, None]}, b={"type": "string", "enum": [1, "y"]}),
    "const": of(a={"const": {"k": [1]}}),
    "additional": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 3},
    "closed": {**of(a={"type": "string"}), "additionalProperties": False},
    "patternProperties": {
        "patternProperties": {"^x-[a-z]+$": {"type": "integer"}},
        "additionalProperties": False,
        "type": "object",
        "minProperties": 2,
    },
    "propertyNames": {
        "type": "object",
        "propertyNames": {"pattern": "^[A-Z]{3}$"},
        "additionalProperties": {"type": "number"},
        "minProperties": 2,
    },
    "maxProperties": {"type": "object", "properties": {key: {} for key in "abcdef"}, "maxProperties": 1},
    "items": of(a={"type": "array", "items": {"type": "number"}, "minItems": 5, "maxItems": 6}),
    "prefixItems": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
    "uniqueItems": {"type": "array", "items": {"enum": list(range(40))}, "minItems": 40, "uniqueItems": True},
    "unique integers": {
        "type": "array",
        "items": {"type": "integer", "minimum": 1, "maximum": 10},
        "minItems": 10,
        "uniqueItems": True,
    },
    "contains": {
        "type": "array",
        "items": {"type": "integer"},
        "contains": {"minimum": 500},
        "minContains": 2,
        "maxContains": 2,
    },
    "limits": of(
        a={"type": "integer", "minimum": 7, "maximum": 7},
        b={"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1e-9},
        c={"type": "integer", "exclusiveMaximum": -10},
        d={"type": "number", "minimum": 1e308},
        e={"type": "integer", "minimum": 10**400},
    ),
    "multipleOf": of(
        a={"type": "integer", "multipleOf": 7, "minimum": 100},
        b={"type": "number", "multipleOf": 0.01},
        c={"type": "integer", "multipleOf": 2.5},
    ),
    "lengths": of(a={"type": "string", "minLength": 50, "maxLength": 52}, b={"type": "string", "maxLength": 1}),
    "pattern": of(
        a={"type": "string", "pattern": r"^[A-Z]{2}\d{4}(-[a-f0-9]+)?$"},
        b={"type": "string", "pattern": "^(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9]{8,}$"},
        c={"type": "string", "pattern": r"^(a|b|c)+$", "minLength": 20, "maxLength": 30},
        d={"type": "string", "pattern": "[0-9]", "minLength": 12},
        e={"type": "string", "pattern": r"^\p{Lu}\p{L}*$"},
    ),
    "formats": of(
        **{
            form: {"type": "string", "format": form}
            for form in (
                *("date", "time", "date-time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4"),
                *("ipv6", "uri", "uri-reference", "uri-template", "iri", "iri-reference", "uuid", "json-pointer"),
                *("relative-json-pointer", "regex"),
            )
        },
        short={"type": "string", "format": "email", "maxLength": 20},
    ),
    "anyOf": of(a={"anyOf": [of(k={"const": 1}), {"type": "null"}, {"type": "string"}]}),
    "oneOf": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
    },
    "allOf": {
        "allOf": [of(a={"type": "number", "minimum": 3}), of(a={"type": "integer", "maximum": 4}, b={"enum": [1, 2]})],
        "properties": {"b": {"enum": [2, 3]}},
        "unevaluatedProperties": False,
    },
    "not": of(a={"type": "string", "not": {"enum": ["x"]}}, b={"not": {"type": "string"}}),
    "if": {
        **of(kind={"enum": ["a", "b"]}),
        "if": {"properties": {"kind": {"const": "a"}}},
        "then": of(a={"type": "string"}),
        "else": of(b={"type": "integer"}),
    },
    "dependents": {
        **of(card={"type": "string"}),
        "dependentRequired": {"card": ["zip"]},
        "dependentSchemas": {"card": of(cvc={"type": "string", "pattern": r"^\d{3}$"})},
    },
    "list": of(value={"type": "integer"}, next={"anyOf": [{"$ref": "#"}, {"type": "null"}]}),
    "tree": {
        "$ref": "#/$defs/tree",
        "$defs": {
            "tree": {"anyOf": [of(op={"enum": ["+"]}, left={"$ref": "#/$defs/tree"}), {"$ref": "#/$defs/leaf"}]},
            "leaf": of(number={"type": "number"}),
        },
    },
    "draft 4": {
        "$schema": "http://json-schema.org/draft-04/schema#",
        **of(a={"type": "integer", "minimum": 3, "exclusiveMinimum": True, "maximum": 4}),
    },
    "draft 7": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$ref": "#/definitions/pair",
        "definitions": {
            "pair": of(
                a={
                    "type": "array",
                    "items": [{"type": "string"}, {"type": "integer"}],
                    "additionalItems": False,
                    "minItems": 2,
                }
            )
        },
        "dependencies": {"a": ["b"]},
    },
    "hopeless optional": {"type": "object", "properties": {"a": {"type": "integer", "enum": ["x"]}, "b": False}},
    "loop": {"$ref": "#"},
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_keywords(name: str) -> None:
    all_valid(SCHEMAS[name])


def test_words_of_openapi() -> None:
    schema = {
        "type": "OBJECT",
        "properties": {
            "count": {"type": "INTEGER", "format": "int32"},
            "tags": {"type": "ARRAY", "items": {"type": "STRING", "enum": ["A", "B"]}, "minItems": "2"},
            "note": {"type": "STRING", "nullable": True},
        },
        "required": ["count", "tags", "note"],
        "propertyOrdering": ["tags", "note", "count"],
    }
    plain = of(
        count={"type": "integer"},
        tags={"type": "array", "items": {"enum": ["A", "B"]}, "minItems": 2},
        note={"type": ["string", "null"]},
    )
    made = all_valid(schema, plain)
    assert list(made[0]) == ["tags", "note", "count"]
    nulls = [make(schema, Random(seed))["note"] is None for seed in range(100)]
    assert 0 < sum(nulls) < 50


def test_defaults_and_examples_are_used_where_they_are_valid() -> None:
    schema = of(a={"type": "string", "default": "teal", "examples": ["plum", 5]}, b={"type": "integer", "default": "x"})
    made = [make(schema, Random(seed)) for seed in range(100)]
    assert {"teal", "plum"} < {each["a"] for each in made}
    assert all(type(each["a"]) is str and type(each["b"]) is int for each in made)


def test_texts_read_like_what_they_are_for() -> None:
    text = {"type": "string"}
    schema = of(
        to_email=text,
        start_date=text,
        websiteUrl=text,
        session_uuid=text,
        when={"type": "string", "description": "The day, as MM/DD/YYYY"},
        year={"type": "integer"},
    )
    shape = of(
        to_email={"format": "email"},
        start_date={"format": "date"},
        websiteUrl={"format": "uri", "pattern": "^https://"},
        session_uuid={"format": "uuid"},
        when={"pattern": r"^\d\d/\d\d/\d{4}$"},
        year={"minimum": 1990, "maximum": 2026},
    )
    all_valid(schema, shape)


def test_optional_properties_are_there_about_half_the_time() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert 60 < sum("a" in make(schema, Random(seed)) for seed in range(200)) < 140


def test_size() -> None:
    schema = of(text={"type": "string"}, rows={"type": "array", "items": {"type": "boolean"}})
    small = [make(schema, Random(seed)) for seed in range(20)]
    large = [make(schema, Random(seed), size=50) for seed in range(20)]
    assert {len(each["rows"]) for each in small} == {1, 2, 3}
    assert max(len(each["rows"]) for each in large) > 50
    assert min(len(each["text"]) for each in large) > 1000


def test_arguments_are_an_object_whatever_the_schema() -> None:
    for schema in ({}, {"type": "object"}, {"type": "string"}, {"type": "object", "properties": {}}, {"enum": [1]}):
        assert arguments(schema, Random(0)) == {}
    assert arguments({"properties": {"a": {"const": 1}}, "required": ["a"]}, Random(0)) == {"a": 1}


def test_what_is_no_schema_is_passed_over() -> None:
    junk = {"type": 5, "properties": 7, "required": True, "items": "x", "enum": {}, "pattern": 3, "anyOf": {}}
    assert arguments(junk, Random(0)) == {}
    assert arguments({"type": "object", "properties": {"a": 3}, "required": ["a", 4]}, Random(0)).keys() == {"a"}


def test_sizes_out_of_reason_are_capped() -> None:
    large = 10**9
    assert len(make({"type": "string", "minLength": large}, Random(0))) < 100_100
    assert len(make({"type": "array", "minItems": large, "items": {"type": "null"}}, Random(0))) == 1000
    assert len(make({"type": "object", "minProperties": large}, Random(0))) == 1000
    nested: dict[str, Any] = {"type": "string", "minLength": large}
    for _ in range(4):
        nested = {"type": "array", "minItems": large, "items": nested}
    assert len(json.dumps(make(nested, Random(0)))) < 1_000_000


def test_the_impossible_ends() -> None:
    assert make({"type": "array", "items": {"type": "boolean"}, "minItems": 3, "uniqueItems": True}, Random(0))
    assert list(make(of(a=False), Random(0))) == ["a"]
    assert list(make(of(a={"$ref": "#"}), Random(0))) == ["a"]
    forks = {f"a{i}": {"allOf": [{"$ref": f"#/$defs/a{i + 1}"}] * 2} for i in range(40)}
    make({"$ref": "#/$defs/a0", "$defs": {**forks, "a40": {"type": "string"}}}, Random(0))
    deep: dict[str, Any] = {}
    for _ in range(400):
        deep = {"type": "object", "properties": {"a": deep}, "required": ["a"]}
    make(deep, Random(0))
    make(of(a={"type": "string", "pattern": "^((a{1000}){1000}){1000}$"}), Random(0))
    make(of(a={"type": "string", "pattern": "(?<!"}), Random(0))
    make(of(a={"$ref": "https://example.com/schema.json"}), Random(0))


def test_without_a_validator(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("additional", "allOf", "const", "items", "limits", "prefixItems", "tree", "types", "uniqueItems")
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    made = {name: make(SCHEMAS[name], Random(0)) for name in names}
    for name, each in made.items():
        assert jsonschema_rs.validator_for(SCHEMAS[name]).is_valid(each), (name, each)


def test_patterns_that_cannot_be_read_or_met() -> None:
    assert matching("(", Random(0)) is None
    assert matching("^((a{1000}){1000}){1000}$", Random(0)) is None
    assert matching("^(x)\\1$", Random(0)) == "xx"
    assert matching("^[^a]$", Random(0)) not in ("a", "", None)


@given(st.integers(0, 2**32), st.sampled_from((4, 6, 7, 2019, 2020)))
@settings(max_examples=150, deadline=None)
def test_random_schemas(seed: int, draft: int) -> None:
    """Whatever can be met or not: it ends, is JSON, and is repeated by the seed."""
    maker = Maker(Random(seed), draft)
    schema = maker.schema()
    made = make(schema, Random(seed))
    assert json.dumps(make(schema, Random(seed))) == json.dumps(made)
    json.loads(json.dumps(made))


LEAVES = st.one_of(
    st.builds(
        lambda low, more: {"type": "integer", "minimum": low, "maximum": low + more}, st.integers(), st.integers(0)
    ),
    st.builds(
        lambda low, more: {"type": "string", "minLength": low, "maxLength": low + more}, *[st.integers(0, 40)] * 2
    ),
    st.builds(lambda values: {"enum": values}, st.lists(st.integers() | st.text("ab"), min_size=1, unique=True)),
    st.sampled_from(
        [
            {"type": "number", "multipleOf": 0.5},
            {"type": ["null", "boolean"]},
            {"type": "string", "pattern": "^[a-c]{2,5}$"},
            {"type": "string", "format": "date-time"},
            {"$ref": "#/$defs/node"},
        ]
    ),
)
NODE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "v": {"type": "integer"}}, "required": ["v"]}


def _grown(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        st.builds(
            lambda own, needed, closed: {
                "type": "object",
                "properties": own,
                "required": [name for name in own if name in needed],
                "additionalProperties": not closed,
            },
            st.dictionaries(st.sampled_from("abcd"), inner),
            st.sets(st.sampled_from("abcd")),
            st.booleans(),
        ),
        st.builds(lambda items, least: {"type": "array", "items": items, "minItems": least}, inner, st.integers(0, 4)),
        st.builds(lambda options: {"anyOf": options}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda one: {"allOf": [one, {"description": "an example"}]}, inner),
    )


@given(st.recursive(LEAVES, _grown, max_leaves=8), st.integers(0, 1000))
@settings(max_examples=200, deadline=None)
def test_random_schemas_that_can_be_met(schema: dict[str, Any], seed: int) -> None:
    whole = {**schema, "$defs": {"node": NODE}}
    made = make(whole, Random(seed))
    assert jsonschema_rs.validator_for(whole).is_valid(made), (whole, made)
