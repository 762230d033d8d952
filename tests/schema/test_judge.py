"""Each keyword: what is reported first, and with which character."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from schema.following import DRAFTS, follow

from toolwire.partial.parser import PartialJSON
from toolwire.schema import KEYWORDS, compile_schema

D4 = {"$schema": "http://json-schema.org/draft-04/schema#"}
D6 = {"$schema": "http://json-schema.org/draft-06/schema#"}
D7 = {"$schema": DRAFTS["draft7"]}
D19 = {"$schema": DRAFTS["draft2019-09"]}


def at(schema: Any) -> dict[str, Any]:
    """A schema for the member that most documents here have."""
    return {"properties": {"v": schema}}


# The schema, the document with a bar behind the character that decides, and what is reported: path and keyword.
FIRST: list[tuple[Any, str, tuple[Any, ...], str]] = [
    (at({"type": "integer"}), '{"v": "|x"}', ("v",), "type"),
    (at({"type": "integer"}), '{"v": [|1]}', ("v",), "type"),
    (at({"type": "integer"}), '{"v": {|}}', ("v",), "type"),
    (at({"type": "integer"}), '{"v": 1.5}|', ("v",), "type"),
    (at({"type": "integer"}), '{"v": 1.5,| "w": 1}', ("v",), "type"),
    (at({"type": ["string", "null"]}), '{"v": true|}', ("v",), "type"),
    (at({"type": "null"}), '{"v": false|}', ("v",), "type"),
    ({**D4, **at({"type": "integer"})}, '{"v": 3.5,| "w": 1}', ("v",), "type"),
    ({"type": "array"}, "{|}", (), "type"),
    ({"type": "object"}, "12 |", (), "type"),
    (at({"enum": ["abc", "abd", "x"]}), '{"v": "abx|"}', ("v",), "enum"),
    (at({"enum": ["abc", "abd", "x"]}), '{"v": "ab"|}', ("v",), "enum"),
    (at({"enum": ["abc", "abcd"]}), '{"v": "abce|f"}', ("v",), "enum"),
    (at({"enum": ["abc", "abcd"]}), '{"v": "abcde|f"}', ("v",), "enum"),
    (at({"enum": ["a", 1, None]}), '{"v": [|1]}', ("v",), "enum"),
    (at({"enum": ["a", 1, None]}), '{"v": 2}|', ("v",), "enum"),
    (at({"enum": ["a", 1, None]}), '{"v": false|}', ("v",), "enum"),
    (at({"enum": [True]}), '{"v": false|}', ("v",), "enum"),
    (at({"enum": [{"a": [1]}]}), '{"v": {"a": [2]}|}', ("v",), "enum"),
    (at({"const": "yes"}), '{"v": "n|o"}', ("v",), "const"),
    (at({"const": ""}), '{"v": "n|o"}', ("v",), "const"),
    (at({"const": 1}), '{"v": true|}', ("v",), "const"),
    (at({"const": [1, 2]}), '{"v": [1, 3]|}', ("v",), "const"),
    (at({"minimum": 3}), '{"v": 2,| "w": 1}', ("v",), "minimum"),
    (at({"maximum": 3}), '{"v": 3.5}|', ("v",), "maximum"),
    (at({"exclusiveMinimum": 3}), '{"v": 3}|', ("v",), "exclusiveMinimum"),
    (at({"exclusiveMaximum": 3}), '{"v": 3.0}|', ("v",), "exclusiveMaximum"),
    ({**D4, **at({"minimum": 3, "exclusiveMinimum": True})}, '{"v": 3}|', ("v",), "exclusiveMinimum"),
    ({**D4, **at({"maximum": 3, "exclusiveMaximum": False})}, '{"v": 4}|', ("v",), "maximum"),
    (at({"multipleOf": 0.1}), '{"v": 0.25}|', ("v",), "multipleOf"),
    (at({"maxLength": 2}), '{"v": "abc|d"}', ("v",), "maxLength"),
    (at({"maxLength": 2}), '{"v": "𝄞𝄞𝄞|"}', ("v",), "maxLength"),
    (at({"minLength": 2}), '{"v": "𝄞"|}', ("v",), "minLength"),
    (at({"minLength": 1}), '{"v": ""|}', ("v",), "minLength"),
    (at({"pattern": "b$"}), '{"v": "aa"|}', ("v",), "pattern"),
    (at({"pattern": "^[a-z]+$"}), '{"v": "aaB|a"}', ("v",), "pattern"),
    (at({"pattern": "^ab"}), '{"v": "ac|b"}', ("v",), "pattern"),
    (at({"pattern": "^ab"}), '{"v": "a"|}', ("v",), "pattern"),
    (at({"pattern": "^(?:GET|PUT) /\\w*$"}), '{"v": "PO|ST /"}', ("v",), "pattern"),
    (at({"pattern": "^\\d{2,3}$"}), '{"v": "1234|"}', ("v",), "pattern"),
    (at({"pattern": "^a(?=b)"}), '{"v": "xx"|}', ("v",), "pattern"),
    ({**D7, **at({"format": "date"})}, '{"v": "2020-02-30"|}', ("v",), "format"),
    ({**D7, **at({"contentMediaType": "application/json"})}, '{"v": "{"|}', ("v",), "contentMediaType"),
    (
        {**D7, **at({"contentEncoding": "base64", "contentMediaType": "application/json"})},
        '{"v": "{}"|}',
        ("v",),
        "contentEncoding",
    ),
    (at(False), '{"v": "|a"}', ("v",), "properties"),
    ({"patternProperties": {"^v": False}}, '{"vv": null|}', ("vv",), "patternProperties"),
    ({"patternProperties": {"^v": {"type": "null"}}}, '{"vv": "|"}', ("vv",), "type"),
    ({"additionalProperties": False}, '{"v": "|a"}', (), "additionalProperties"),
    ({"properties": {"w": True}, "additionalProperties": False}, '{"w": 1, "v": [|]}', (), "additionalProperties"),
    ({"patternProperties": {"^w": {}}, "additionalProperties": False}, '{"v": {|}}', (), "additionalProperties"),
    ({"additionalProperties": {"type": "null"}}, '{"v": "|a"}', ("v",), "type"),
    ({"propertyNames": {"maxLength": 1}}, '{"vw": "|a"}', (), "maxLength"),
    ({"propertyNames": {"pattern": "^a"}}, '{"v": "|a"}', (), "pattern"),
    ({"propertyNames": {"enum": ["a"]}}, '{"a": 1, "v": "|a"}', (), "enum"),
    ({"propertyNames": False}, '{"v": "|a"}', (), "propertyNames"),
    (at({"required": ["a", "b"]}), '{"v": {"a": 1}|}', ("v",), "required"),
    (at({"required": ["a"]}), '{"v": {}|}', ("v",), "required"),
    (at({"minProperties": 2}), '{"v": {"a": 1}|}', ("v",), "minProperties"),
    (at({"maxProperties": 1}), '{"v": {"a": 1, "b": "|"}}', ("v",), "maxProperties"),
    (at({"dependentRequired": {"a": ["b"]}}), '{"v": {"a": 1}|}', ("v",), "dependentRequired"),
    (at({"dependentSchemas": {"a": {"required": ["b"]}}}), '{"v": {"a": 1}|}', ("v",), "required"),
    (at({"dependentSchemas": {"a": {"maxProperties": 1}}}), '{"v": {"b": 1, "a": "|"}}', ("v",), "maxProperties"),
    (at({"dependentSchemas": {"a": at({"type": "null"})}}), '{"v": {"v": 1, "a": "|"}}', ("v", "v"), "type"),
    ({**D7, **at({"dependencies": {"a": ["b"]}})}, '{"v": {"a": 1}|}', ("v",), "dependencies"),
    ({**D7, **at({"dependencies": {"a": at({"type": "null"})}})}, '{"v": {"a": [], "v": "|"}}', ("v", "v"), "type"),
    (at({"items": {"type": "null"}}), '{"v": [null, "|"]}', ("v", 1), "type"),
    (at({"items": False}), '{"v": ["|"]}', ("v", 0), "items"),
    (at({"prefixItems": [{"type": "null"}]}), '{"v": [[|]]}', ("v", 0), "type"),
    (at({"prefixItems": [{}], "items": False}), '{"v": ["a", "|"]}', ("v", 1), "items"),
    (at({"prefixItems": [{}], "items": {"type": "null"}}), '{"v": ["a", "|"]}', ("v", 1), "type"),
    ({**D7, **at({"items": [{"type": "null"}]})}, '{"v": ["|"]}', ("v", 0), "type"),
    ({**D7, **at({"items": [{}], "additionalItems": False})}, '{"v": ["", "|"]}', ("v",), "additionalItems"),
    ({**D7, **at({"items": [{}], "additionalItems": {"type": "null"}})}, '{"v": ["", "|"]}', ("v", 1), "type"),
    (at({"minItems": 2}), '{"v": ["a"]|}', ("v",), "minItems"),
    (at({"maxItems": 1}), '{"v": ["a", {|}]}', ("v",), "maxItems"),
    (at({"uniqueItems": True}), '{"v": ["a", "b", "a"|, 1]}', ("v",), "uniqueItems"),
    (at({"uniqueItems": True}), '{"v": [1, true, 1.0]|}', ("v",), "uniqueItems"),
    (at({"uniqueItems": True}), '{"v": [{"a": 1, "b": [2]}, {"b": [2.0], "a": 1.0}|]}', ("v",), "uniqueItems"),
    (at({"contains": {"type": "null"}}), '{"v": [1, 2]|}', ("v",), "contains"),
    (at({"contains": {"type": "null"}, "minContains": 2}), '{"v": [1, null]|}', ("v",), "minContains"),
    (at({"contains": {"type": "string"}, "maxContains": 1}), '{"v": ["a", "|b"]}', ("v",), "maxContains"),
    (at({"contains": {"const": "b"}, "maxContains": 1}), '{"v": ["b", "b"|]}', ("v",), "maxContains"),
    ({**at({"$ref": "#/$defs/a~1b"}), "$defs": {"a/b": {"type": "null"}}}, '{"v": "|"}', ("v",), "type"),
    ({**at({"$ref": "#x"}), "$defs": {"a": {"$anchor": "x", "type": "null"}}}, '{"v": "|"}', ("v",), "type"),
    (
        {**at({"$ref": "a.json"}), "$id": "http://h/", "$defs": {"a": {"$id": "a.json", "type": "null"}}},
        '{"v": "|"}',
        ("v",),
        "type",
    ),
    ({**D7, **at({"$ref": "#x"}), "definitions": {"a": {"$id": "#x", "type": "null"}}}, '{"v": "|"}', ("v",), "type"),
    ({**D4, **at({"$ref": "#x"}), "definitions": {"a": {"id": "#x", "type": "null"}}}, '{"v": "|"}', ("v",), "type"),
    ({**at({"$ref": "#"}), "type": "object"}, '{"v": {"v": {"v": "|"}}}', ("v", "v", "v"), "type"),
    (at({"allOf": [{"type": "string"}, {"maxLength": 1}]}), '{"v": "ab|"}', ("v",), "maxLength"),
    (at({"allOf": [True, False]}), '{"v": "|ab"}', ("v",), "allOf"),
    (at({"anyOf": [{"type": "null"}, {"maxLength": 1}]}), '{"v": "ab|"}', ("v",), "anyOf"),
    (at({"anyOf": [{"type": "null"}, at({"const": 1})]}), '{"v": {"v": "|"}}', ("v",), "anyOf"),
    (at({"oneOf": [{"type": "null"}, {"maxLength": 1}]}), '{"v": "ab|"}', ("v",), "oneOf"),
    (at({"oneOf": [{"type": "string"}, {"type": ["string", "null"]}]}), '{"v": "|ab"}', ("v",), "oneOf"),
    (at({"oneOf": [{"minLength": 1}, {"maxLength": 2}]}), '{"v": "ab"|}', ("v",), "oneOf"),
    (at({"not": {"type": "string"}}), '{"v": "|ab"}', ("v",), "not"),
    (at({"not": {"required": ["a"]}}), '{"v": {"a": 1}|}', ("v",), "not"),
    (at({"not": {}}), '{"v": "|ab"}', ("v",), "not"),
    (at({"if": {"type": "string"}, "then": {"maxLength": 1}}), '{"v": "ab|"}', ("v",), "maxLength"),
    (at({"if": {"type": "string"}, "else": {"type": "null"}}), '{"v": [|1]}', ("v",), "type"),
    (
        {"if": {**at({"const": "x"}), "required": ["v"]}, "then": {"required": ["w"]}, "else": {"maxProperties": 1}},
        '{"v": "y", "w": "|"}',
        (),
        "maxProperties",
    ),
    (at({"if": {"minLength": 9}, "then": {"const": "a"}, "else": {"const": "b"}}), '{"v": "c|"}', ("v",), "if"),
    (False, "{|}", (), ""),
    (at({"not": {"unevaluatedItems": False, "type": "string"}}), '{"v": "|a"}', ("v",), "not"),
]


@pytest.mark.parametrize(("schema", "document", "path", "keyword"), FIRST)
def test_first(schema: Any, document: str, path: tuple[Any, ...], keyword: str) -> None:
    offset = document.index("|")
    text = document.replace("|", "", 1)
    found = follow(compile_schema(schema), text)
    assert found, "nothing is reported"
    assert (*found[0].violation[:2], found[0].offset) == (path, keyword, offset)


def test_the_table_has_every_keyword() -> None:
    judged = {word for word, keyword in KEYWORDS.items() if keyword.when != "never"}
    text = json.dumps([schema for schema, *_ in FIRST])
    assert {word for word in judged if f'"{word}"' not in text} == set()


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (at({"type": "integer"}), '{"v": 3.0}'),
        ({**D4, **at({"type": "integer"})}, '{"v": 3.0}'),  # mended by `integral_float`
        (at({"unevaluatedProperties": False}), '{"v": {"a": 1}}'),
        (at({"$ref": "http://elsewhere/"}), '{"v": 1}'),
        (at({"$ref": "#/nowhere"}), '{"v": 1}'),
        (at({"$dynamicRef": "#x"}), '{"v": 1}'),
        (at({"x-unheard-of": False, "unheard-of": False}), '{"v": 1}'),
        (at({"not": {"unheard-of": 1}}), '{"v": 1}'),
        (at({"not": {"unevaluatedProperties": True}}), '{"v": {"a": 1}}'),
        ({**D7, **at({"format": "unheard-of"})}, '{"v": "a"}'),
        ({**D7, **at({"not": {"format": "unheard-of"}})}, '{"v": "a"}'),
        ({**D7, **at({"$ref": "#/definitions/a", "type": "null"}), "definitions": {"a": {}}}, '{"v": 1}'),
        ({"$schema": "http://elsewhere/", "type": "null"}, '{"v": 1}'),
        ({"$ref": "#"}, '{"v": 1}'),
        (at({"anyOf": [{"$ref": "#/properties/v"}, {"type": "null"}]}), '{"v": 1}'),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, '{"v": 1}'),
        (at({"type": "string"}), '{"v": "\\ud800"}'),
        (at({"pattern": "^a"}), '{"v": "a\\ud800"}'),
        (at({"type": "number"}), '{"v": 1e999}'),
        (at({"type": 5, "enum": 5, "required": 5, "properties": 5, "anyOf": 5, "pattern": 5, "$ref": 5}), '{"v": {}}'),
        (at({"items": 5, "minItems": "x", "contains": 5, "not": 5}), '{"v": [1]}'),
    ],
)
def test_never(schema: Any, text: str) -> None:
    assert follow(compile_schema(schema), text) == []


def test_a_root_that_waits() -> None:
    wanted = compile_schema({"type": "object", "required": ["a"], "minProperties": 1})
    judge = wanted.judge()
    parser = PartialJSON(changes=True)
    parser.feed("{}")
    assert judge.feed(parser.take_changes(), parser.value) == []
    assert [each.keyword for each in judge.end()] == ["required", "minProperties"]
    assert judge.end() == []
    assert follow(wanted, '"text"') == []
    assert [each.violation.keyword for each in follow(wanted, '"text"', root_waits=False)] == ["type"]


def test_a_placeholder_that_is_followed() -> None:
    judge = compile_schema({"required": ["a"]}).judge()
    parser = PartialJSON(changes=True)
    parser.feed("{}")
    assert judge.feed(parser.take_changes(), parser.value) == []
    later = PartialJSON(changes=True)
    later.feed('{"a": 1}')
    assert judge.feed(later.take_changes(), later.value) == []
    assert judge.end() == []


@pytest.mark.parametrize(
    ("schema", "document"),
    [
        ({"type": "object"}, '{"v": "{\\"a\\": 1}"}'),
        ({"type": "object"}, '{"v": "{"}'),
        ({"type": "array"}, '{"v": " \\n[1"}'),
        ({"type": "object"}, '{"v": "x|y"}'),
        ({"type": "object"}, '{"v": " x|y"}'),
        ({"type": "object"}, '{"v": ""|}'),
        ({"type": "object"}, '{"v": "  "|}'),
        ({"type": "integer"}, '{"v": "|{"}'),
        ({"anyOf": [{"type": "object"}, {"type": "null"}]}, '{"v": "{"}'),
        ({"anyOf": [{"type": "object"}, {"type": "null"}]}, '{"v": "a|"}'),
        ({"type": "object", "not": {"required": ["a"]}}, '{"v": "{"}'),
        ({"allOf": [{"type": "object"}, {"maxLength": 1}]}, '{"v": "{  "}'),
        ({"type": ["object", "string"], "maxLength": 1}, '{"v": "{  "}'),
        ({"type": "string", "maxLength": 1}, '{"v": "{ | "}'),
        ({"maxLength": 2}, '{"v": "[1]"}'),
        ({"maxLength": 2}, '{"v": "abc|"}'),
        ({"not": {"type": "string"}}, '{"v": "[1]"}'),
        ({"anyOf": [{"type": "integer"}, {"const": "a"}]}, '{"v": "[|"}'),
        ({"$ref": "#/$defs/o"}, '{"v": "{"}'),
        ({"enum": [{"a": 1}]}, '{"v": "{"}'),
        ({"enum": [{"a": 1}]}, '{"v": "a|"}'),
    ],
)
def test_a_string_that_may_be_mended(schema: Any, document: str) -> None:
    compiled = compile_schema({**at(schema), "$defs": {"o": {"type": "object"}}})
    found = follow(compiled, document.replace("|", "", 1), stringified=True)
    assert [each.offset for each in found[:1]] == [offset for offset in [document.find("|")] if offset >= 0]


def test_what_holds_a_mended_string_is_not_compared() -> None:
    each = {"properties": {"o": {"type": "object"}}}
    compiled = compile_schema(at({**each, "const": {"o": {"a": 1}}}))
    assert follow(compiled, '{"v": {"o": "{\\"a\\": 1}"}}', stringified=True) == []
    compiled = compile_schema(at({"prefixItems": [each], "uniqueItems": True}))
    assert follow(compiled, '{"v": [{"o": "{}"}, {"o": "{}"}]}', stringified=True) == []


@pytest.mark.parametrize("cuts", [None, []])
def test_a_key_that_comes_again(cuts: list[int] | None) -> None:
    either = compile_schema({"anyOf": [at({"const": 1}), at({"const": 2})]})
    assert follow(either, '{"v": 1, "v": 2}', cuts) == []
    assert [each.violation.keyword for each in follow(compile_schema(at({"const": 1})), '{"v": 1, "v": 2}', cuts)]
    chosen = compile_schema({"if": at({"const": 1}), "then": {}, "else": {"maxProperties": 1}})
    assert follow(chosen, '{"v": 2, "v": 1, "w": 3}', cuts) == []
    mixed = compile_schema({"anyOf": [at({"maxLength": 1}), at({"pattern": "x$"})]})
    assert follow(mixed, '{"v": "xxx", "v": "y"}', cuts) == []
    mixed = compile_schema({"anyOf": [at({"maxItems": 1}), at({"enum": [[1, 1]]})]})
    assert follow(mixed, '{"v": [1, 1], "v": [2]}', cuts) == []
    assert follow(compile_schema({"maxProperties": 1}), '{"v": 1, "v": 2}', cuts) == []


def test_all_that_is_wrong_is_reported_once() -> None:
    schema = {
        "properties": {"a": {"type": "integer"}, "b": {"maxLength": 1}},
        "required": ["c", "d"],
        "additionalProperties": False,
    }
    found = follow(compile_schema(schema), '{"a": "x", "b": "xyz", "x": 1, "y": 1}')
    assert [each.violation for each in found] == [
        (("a",), "type", "wrong type: a string, not an integer"),
        (("b",), "maxLength", "more than 1 character"),
        ((), "additionalProperties", "unexpected property: 'x'"),
        ((), "required", "missing: 'c' and 'd'"),
    ]


def test_messages_of_unions_say_why_the_last_branch_is_out() -> None:
    schema = at({"anyOf": [at({"type": "integer"}), at({"type": ["integer", "null"]})]})
    [found] = follow(compile_schema(schema), '{"v": {"v": "secret"}}')
    assert found.violation.message == (
        "none of 2 branches is left, the last for type at v: wrong type: a string, not an integer or null"
    )


def test_messages_stay_short() -> None:
    keys = [f"k{number}" for number in range(100)]
    schema = {"required": keys, "additionalProperties": False, "maxProperties": 1}
    found = follow(compile_schema(schema), json.dumps({"x" * 1000: 1}))
    assert [len(each.violation.message) < 100 for each in found] == [True, True]
    assert found[1].violation.message.endswith("'k9' and 90 more")


def test_nodes_are_made_when_they_are_needed() -> None:
    schema = {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"pattern": "("}}}
    assert follow(compile_schema(schema), '{"b": 1}') == []


def test_branches_without_end_are_given_up() -> None:
    doubled: dict[str, Any] = {f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(40)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**doubled, "d40": {"type": "null"}}}
    judge = compile_schema(schema).judge()
    assert judge.feed([("opened", (), {})], {}) == []
    assert judge.steps < 100_000


def test_what_is_equal_to_nothing_else() -> None:
    unique = compile_schema({"uniqueItems": True})
    assert follow(unique, '[true, 1, "1", [true], [1], [[1]], {}, [], null, false, 0, "", {"a": 1}, {"a": true}]') == []
    assert len(follow(unique, f"[{'[' * 200}{']' * 200}, {'[' * 200}{']' * 200}]", [])) == 1
    assert follow(unique, f"[{'[' * 450}{']' * 450}, {'[' * 450}{']' * 450}]", []) == []  # beyond the validator


def test_without_the_final_validator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    compiled = compile_schema(at({"type": ["integer", "string"], "minimum": 3, "pattern": "b$", "maxLength": 3}))
    assert follow(compiled, '{"v": 2}') == []
    assert follow(compiled, '{"v": "aa"}') == []
    assert [each.violation.keyword for each in follow(compiled, '{"v": "aaaa"}')] == ["maxLength"]
    assert [each.violation.keyword for each in follow(compiled, '{"v": null}')] == ["type"]


def test_it_is_not_imported_before_it_is_asked() -> None:
    program = "import sys; from toolwire.schema import compile_schema; assert 'jsonschema_rs' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_member_that_is_judged_anew() -> None:
    schema = {"properties": {"v": {"type": "integer", "maximum": 3}}}
    found = follow(compile_schema(schema), '{"v": 4, "v": "x", "v": 2}')
    assert [each.violation.keyword for each in found] == ["maximum", "type"]


def test_changes_that_fit_nothing_do_no_harm() -> None:
    judge = compile_schema(at({"type": "null"})).judge()
    assert judge.feed([("appended", ("v",), "x"), ("closed", (), None), ("opened", ("v", "w"), {})], None) == []
