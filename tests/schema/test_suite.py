"""The official test suite: nothing that is valid is reported, and nearly all that isn't."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any, NamedTuple

import jsonschema_rs
import pytest
from schema.following import DRAFTS, follow, unjudged
from support import SHARED, needs_shared

from toolwire.schema import compile_schema

pytestmark = needs_shared

SUITE = SHARED / "corpus" / "json-schema-suite" / "tests"

# Of the invalid documents of a file, those that are reported, where that isn't all.
SHORT = {
    "draft7": {
        "definitions.json": (0, 1),
        "optional/cross-draft.json": (0, 1),
        "optional/unknownKeyword.json": (0, 2),
        "ref.json": (39, 40),
        "refRemote.json": (0, 11),
    },
    "draft2019-09": {
        "defs.json": (0, 1),
        "not.json": (23, 24),
        "optional/cross-draft.json": (0, 1),
        "optional/unknownKeyword.json": (0, 2),
        "recursiveRef.json": (3, 14),
        "ref.json": (40, 43),
        "refRemote.json": (0, 15),
        "unevaluatedItems.json": (0, 21),
        "unevaluatedProperties.json": (15, 62),
        "vocabulary.json": (0, 2),
    },
    "draft2020-12": {
        "defs.json": (0, 1),
        "dynamicRef.json": (1, 22),
        "not.json": (23, 24),
        "optional/dynamicRef.json": (0, 1),
        "optional/format-assertion.json": (0, 2),
        "optional/unknownKeyword.json": (0, 2),
        "ref.json": (40, 42),
        "refRemote.json": (0, 15),
        "unevaluatedItems.json": (2, 29),
        "unevaluatedProperties.json": (15, 62),
        "vocabulary.json": (0, 2),
    },
}

# At least so many invalid documents are reported, of all.
TOTAL = {"draft7": (766, 782), "draft2019-09": (489, 593), "draft2020-12": (488, 609)}


class Case(NamedTuple):
    """A document of the suite, with what the final validator says of it, or the suite where that can't be asked."""

    file: str
    name: str
    schema: Any
    document: Any
    valid: bool


@cache
def cases(draft: str) -> tuple[Case, ...]:
    found = []
    for path in sorted((SUITE / draft).rglob("*.json")):
        for group in json.loads(path.read_text(encoding="utf-8")):
            schema = group["schema"]
            if isinstance(schema, dict):
                schema = {"$schema": DRAFTS[draft], **schema}
            for test in group["tests"]:
                name = f"{group['description']}: {test['description']}"
                valid = _verdict(schema, test)
                found.append(Case(str(path.relative_to(SUITE / draft)), name, schema, test["data"], valid))
    return tuple(found)


def _verdict(schema: Any, test: dict[str, Any]) -> bool:
    """The validator's word: it takes formats as remarks in later drafts, and can't load what isn't there."""
    try:
        return jsonschema_rs.validator_for(schema).is_valid(test["data"])
    except (ValueError, jsonschema_rs.ReferencingError):
        return bool(test["valid"])


@pytest.mark.parametrize("draft", DRAFTS)
def test_nothing_valid_is_reported(draft: str) -> None:
    for case in cases(draft):
        if case.valid:
            text = json.dumps(case.document)
            compiled = compile_schema(case.schema)
            for options in ({"root_waits": False}, {}, {"stringified": True}):
                assert follow(compiled, text, **options) == [], case


@pytest.mark.parametrize("draft", DRAFTS)
def test_what_is_invalid_is_reported(draft: str) -> None:
    all_of: Counter[str] = Counter()
    reported: Counter[str] = Counter()
    for case in cases(draft):
        if not case.valid:
            found = follow(compile_schema(case.schema), json.dumps(case.document), root_waits=False)
            all_of[case.file] += 1
            reported[case.file] += bool(found)
    short = {file: (reported[file], count) for file, count in all_of.items() if reported[file] < count}
    assert short == SHORT[draft]
    assert (reported.total(), all_of.total()) == TOTAL[draft]


@pytest.mark.parametrize("draft", DRAFTS)
def test_what_is_missed_has_a_reason(draft: str) -> None:
    """A keyword that is never judged, or a reference to another document, which is nowhere to be had."""
    for case in cases(draft):
        if not case.valid and not unjudged(case.schema) and isinstance(case.schema, dict):
            text = json.dumps(case.schema)
            elsewhere = "http://localhost:1234/" in text or text.count("json-schema.org") > 1
            if not elsewhere:
                assert follow(compile_schema(case.schema), json.dumps(case.document), root_waits=False), case


@pytest.mark.parametrize("draft", DRAFTS)
def test_the_same_within_an_object(draft: str) -> None:
    """Where nothing waits."""
    for case in cases(draft):
        if not isinstance(case.schema, dict) or any(word in json.dumps(case.schema) for word in ("$id", "Ref", "$ref")):
            continue
        schema = {"$schema": case.schema["$schema"], "properties": {"v": case.schema}}
        found = follow(compile_schema(schema), json.dumps({"v": case.document}))
        plain = follow(compile_schema(case.schema), json.dumps(case.document), root_waits=False)
        assert [(("v", *each.path), each.keyword) for _, each in plain] == [each[:2] for _, each in found], case
