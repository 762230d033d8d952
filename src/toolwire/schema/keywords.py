"""The keywords: when each can be judged, and what it does to a value that begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from toolwire.partial.changes import MISSING
from toolwire.schema import prefix
from toolwire.schema.oracle import Oracle
from toolwire.schema.parts import (
    AnyOf,
    AtClose,
    Condition,
    Contains,
    Dependent,
    Elements,
    Least,
    Members,
    Most,
    Names,
    Negation,
    OneOf,
    Pattern,
    Unique,
    Words,
    ask,
)
from toolwire.schema.values import KINDS, Violation, kind_of, listed, spoken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from toolwire.schema.compile import Node
    from toolwire.schema.runtime import Branch, Frame, Rule
    from toolwire.schema.values import Kind

__all__ = ["ANNOTATIONS", "KEYWORDS", "Keyword", "kinds_allowed", "unknown"]

When = Literal["early", "whole", "never"]

Rules: TypeAlias = "Mapping[Kind, Rule]"
Maker: TypeAlias = "Callable[[Node], Rules]"


def _on(kinds: Sequence[Kind], rule: Rule) -> Rules:
    return dict.fromkeys(kinds, rule)


def _refusal(keyword: str, message: str) -> Rule:
    def refuse(frame: Frame, branch: Branch) -> None:
        branch.fail(Violation(frame.path, keyword, message))

    return refuse


def _asking(node: Node, keyword: str, words: dict[str, Any], message: str) -> Rule:
    oracle = Oracle(node.draft, words)

    def judge(frame: Frame, branch: Branch) -> None:
        ask(frame, branch, oracle, keyword, message)

    return judge


def _at_close(keyword: str, check: Callable[[Frame], str | None]) -> Rule:
    def begin(frame: Frame, branch: Branch) -> None:
        AtClose(frame, branch, keyword, check)

    return begin


def _asked(oracle: Oracle, message: str) -> Callable[[Frame], str | None]:
    def check(frame: Frame) -> str | None:
        value = frame.value
        verdict = None if value is MISSING else oracle(value)
        return None if verdict is None else "" if verdict else message

    return check


def _text_at_close(node: Node, keyword: str, words: dict[str, Any], message: str) -> Rule:
    check = _asked(Oracle(node.draft, words), message)

    def begin(frame: Frame, branch: Branch) -> None:
        frame.keep()
        AtClose(frame, branch, keyword, check)

    return begin


def _unsure(frame: Frame, branch: Branch) -> None:
    branch.unsure = True


unknown: Final[Rules] = dict.fromkeys(KINDS, _unsure)
"""What can't be judged."""


def kinds_allowed(schema: dict[str, Any]) -> frozenset[Kind]:
    """The kinds of values that type, const and enum of this very node let through."""
    types = _types(schema)
    kinds = {kind for kind in KINDS if not types or kind in types or (kind == "number" and "integer" in types)}
    if "const" in schema:
        kinds &= {kind for kind in [kind_of(schema["const"])] if kind}
    if isinstance(schema.get("enum"), list):
        kinds &= {kind for kind in map(kind_of, schema["enum"]) if kind}
    return frozenset(kinds)


def _types(schema: dict[str, Any]) -> list[str]:
    types = schema.get("type")
    if isinstance(types, str):
        types = [types]
    return [each for each in types if isinstance(each, str)] if isinstance(types, list) else []


# Any value.


def _type(node: Node) -> Rules:
    types = _types(node.schema)
    if not types or not set(types) <= {*KINDS, "integer"}:
        return unknown
    rules: dict[Kind, Rule] = {}
    for kind in KINDS:
        if kind in types:
            continue
        message = f"wrong type: {spoken([kind])}, not {spoken(types)}"
        if kind == "number" and "integer" in types:
            rules[kind] = _integral(node, message)
        else:
            rules[kind] = _refusal("type", message)
    return rules


def _integral(node: Node, message: str) -> Rule:
    oracle = Oracle(node.draft, {"type": "integer"})

    def judge(frame: Frame, branch: Branch) -> None:
        value = frame.value
        if isinstance(value, float) and value.is_integer() and node.draft < 6:
            branch.unsure = True  # no integer to this draft, but it may be mended to be one
        elif type(value) is not int:
            ask(frame, branch, oracle, "type", message)

    return judge


def _enum(node: Node) -> Rules:
    options = node.schema["enum"]
    return _among(node, "enum", options) if isinstance(options, list) else unknown


def _const(node: Node) -> Rules:
    return _among(node, "const", [node.schema["const"]])


def _among(node: Node, keyword: str, options: list[Any]) -> Rules:
    message = "not the one value that is allowed" if len(options) == 1 else "none of the values that are allowed"
    sorts: dict[Kind, list[Any]] = {kind: [] for kind in KINDS}
    for each in options:
        kind = kind_of(each)
        if kind is not None:
            sorts[kind].append(each)
    rules: dict[Kind, Rule] = {}
    for kind, found in sorts.items():
        if not found:
            allowed = spoken([each for each in KINDS if sorts[each]])
            rules[kind] = _refusal(keyword, f"{message}: {spoken([kind])}, not {allowed}")
        elif kind == "string":
            rules[kind] = _spelt(keyword, sorted(set(found)), message)
        elif kind in ("array", "object"):
            rules[kind] = _at_close(keyword, _asked(Oracle(node.draft, {"enum": found}), message))
        elif kind != "null":
            rules[kind] = _asking(node, keyword, {"enum": found}, message)
    return rules


def _spelt(keyword: str, words: Sequence[str], message: str) -> Rule:
    return lambda frame, branch: Words(frame, branch, keyword, words, message)


# Numbers.


def _number(keyword: str, told: str) -> Maker:
    def make(node: Node) -> Rules:
        limit = node.schema[keyword]
        words = {keyword: limit}
        name = keyword
        strict = f"exclusive{keyword[:1].upper()}{keyword[1:]}"
        if node.draft == 4 and node.schema.get(strict) is True:
            words[strict] = True
            name = strict
        return {"number": _asking(node, name, words, f"{told} {limit}")}

    return make


def _exclusive(keyword: str, told: str) -> Maker:
    def make(node: Node) -> Rules:
        # Draft 4 has a boolean there, which its partner sees to.
        return {} if node.draft == 4 else _number(keyword, told)(node)

    return make


# What has a size.


def _count(number: int, what: str) -> str:
    many = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{number} {what if number == 1 else many}"


def _most(keyword: str, kind: Kind, what: str) -> Maker:
    def make(node: Node) -> Rules:
        limit = int(node.schema[keyword])
        message = f"more than {_count(limit, what)}"
        return {kind: lambda frame, branch: Most(frame, branch, keyword, limit, message)}

    return make


def _least(keyword: str, kind: Kind, what: str) -> Maker:
    def make(node: Node) -> Rules:
        limit = int(node.schema[keyword])
        message = f"fewer than {_count(limit, what)}"
        return {kind: lambda frame, branch: Least(frame, branch, keyword, limit, message)}

    return make


# Strings.


def _pattern(node: Node) -> Rules:
    pattern = node.schema["pattern"]
    oracle = Oracle(node.draft, {"pattern": pattern})
    language = prefix.read(pattern)

    def begin(frame: Frame, branch: Branch) -> None:
        frame.keep()
        Pattern(frame, branch, oracle, language, f"doesn't match the pattern {pattern}")

    return {"string": begin}


def _format(node: Node) -> Rules:
    name = node.schema["format"]
    if node.draft >= 2019:  # an annotation
        return {}
    if name not in _FORMATS:
        return unknown
    return {"string": _text_at_close(node, "format", {"format": name}, f"no {name}")}


def _content(keyword: str) -> Maker:
    def make(node: Node) -> Rules:
        both = ("contentEncoding", "contentMediaType")
        words: dict[str, Any] = {key: node.schema[key] for key in both if key in node.schema}
        # The two are one question; whoever comes first asks it.
        if node.draft not in (6, 7) or keyword != next(iter(words)):
            return {}
        return {"string": _text_at_close(node, keyword, words, f"no {' in '.join(map(str, words.values()))}")}

    return make


# Objects.


def _members(node: Node) -> Rules:
    own = node.schema.get("properties", {})
    shapes = [
        (Oracle(node.draft, {"pattern": pattern}), node.sub(schema, "patternProperties"))
        for pattern, schema in node.schema.get("patternProperties", {}).items()
    ]
    rest = node.schema.get("additionalProperties", True)
    others = None if rest is False else (node.sub(rest, "additionalProperties"),)

    def nodes(key: str) -> tuple[Node, ...] | None:
        found = [node.sub(own[key], "properties")] if key in own else []
        unsure = False
        for matches, each in shapes:
            verdict = matches(key)
            if verdict:
                found.append(each)
            unsure = unsure or verdict is None
        if unsure:
            return (*found, node.nothing_known)
        return tuple(found) if found else others

    return {"object": lambda frame, branch: Members(frame, branch, nodes)}


def _names(node: Node) -> Rules:
    each = node.sub(node.schema["propertyNames"], "propertyNames")
    return {"object": lambda frame, branch: Names(frame, branch, each)}


def _required(node: Node) -> Rules:
    names = node.schema["required"]
    if not isinstance(names, list):
        return unknown
    wanted = dict.fromkeys(names)

    def check(frame: Frame) -> str | None:
        # In one step, however many there are.
        return "" if frame.keys.issuperset(wanted) else _absent(wanted, frame)

    return {"object": _at_close("required", check)}


def _absent(names: Mapping[str, None], frame: Frame) -> str:
    return f"missing: {listed([repr(name) for name in names if name not in frame.keys])}"


def _dependent(keyword: str) -> Maker:
    def make(node: Node) -> Rules:
        wanted: dict[str, dict[str, None]] = {}
        schemas: list[tuple[str, Node]] = []
        for key, value in node.schema[keyword].items():
            if isinstance(value, list):
                wanted[key] = dict.fromkeys(value)
            else:
                schemas.append((key, node.sub(value, keyword)))

        def check(frame: Frame) -> str | None:
            for key in wanted.keys() & frame.keys:
                if not frame.keys.issuperset(wanted[key]):
                    return f"{_absent(wanted[key], frame)}, since {key!r} is there"
            return ""

        def begin(frame: Frame, branch: Branch) -> None:
            if wanted:
                AtClose(frame, branch, keyword, check)
            for key, each in schemas:
                Dependent(frame, branch, key, each)

        return {"object": begin}

    return make


# Arrays.


def _elements(node: Node) -> Rules:
    schema = node.schema
    items = schema.get("items", True)
    if node.draft >= 2020:
        first, rest, word = schema.get("prefixItems", []), items, "items"
    elif isinstance(items, list):
        first, rest, word = items, schema.get("additionalItems", True), "additionalItems"
    else:
        first, rest, word = [], items, "items"
    nodes = [node.sub(each, "prefixItems" if word == "items" else "items") for each in first]
    others = None if rest is False and word == "additionalItems" else node.sub(rest, word)
    message = f"more than {_count(len(nodes), 'element')}"
    return {"array": lambda frame, branch: Elements(frame, branch, nodes, others, message)}


def _contains(node: Node) -> Rules:
    schema = node.schema
    counted = node.draft >= 2019
    least = schema.get("minContains") if counted else None
    most = schema.get("maxContains") if counted else None
    each = node.sub(schema["contains"], "contains")
    low = 1 if least is None else int(least)
    high = None if most is None else int(most)
    named = "minContains" if least is not None else "contains" if most is None else "maxContains"  # as the validator
    if low == 0 and high is None:
        return {}
    return {"array": lambda frame, branch: Contains(frame, branch, each, low, high, named)}


def _unique(node: Node) -> Rules:
    if node.schema["uniqueItems"] is not True:
        return {}
    return {"array": lambda frame, branch: Unique(frame, branch)}


# In place: schemas for the same value.


def _ref(node: Node) -> Rules:
    target = node.target(node.schema["$ref"])
    return unknown if target is None else _on(KINDS, lambda frame, branch: frame.attach(target, branch))


def _all_of(node: Node) -> Rules:
    nodes = [node.sub(each, "allOf") for each in node.schema["allOf"]]

    def begin(frame: Frame, branch: Branch) -> None:
        for each in nodes:
            frame.attach(each, branch)

    return _on(KINDS, begin)


def _any_of(node: Node) -> Rules:
    nodes = [node.sub(each, "anyOf") for each in node.schema["anyOf"]]
    return _on(KINDS, lambda frame, branch: AnyOf(frame, branch, nodes))


def _one_of(node: Node) -> Rules:
    nodes = [node.sub(each, "oneOf") for each in node.schema["oneOf"]]
    return _on(KINDS, lambda frame, branch: OneOf(frame, branch, nodes))


def _not(node: Node) -> Rules:
    each = node.sub(node.schema["not"], "not")
    return _on(KINDS, lambda frame, branch: Negation(frame, branch, each))


def _if(node: Node) -> Rules:
    then, other = (node.sub(node.schema[word], word) if word in node.schema else None for word in ("then", "else"))
    if then is None and other is None:
        return {}
    test = node.sub(node.schema["if"], "if")
    return _on(KINDS, lambda frame, branch: Condition(frame, branch, test, then, other))


def _never(node: Node) -> Rules:
    return unknown


def _no_object(node: Node) -> Rules:
    return {"object": _unsure}


def _no_array(node: Node) -> Rules:
    return {"array": _unsure}


def _with(word: str, maker: Maker) -> Maker:
    """A keyword that another one sees to; alone it means nothing."""

    def make(node: Node) -> Rules:
        return {} if word in node.schema else maker(node)

    return make


def _alone(node: Node) -> Rules:
    return {}


class Keyword(NamedTuple):
    """When a keyword is judged: `early`, `whole` (as soon as the value it is about is whole) or `never`."""

    when: When
    note: str
    make: Maker
    since: int = 4
    until: int = 2020


KEYWORDS: Final[dict[str, Keyword]] = {
    "type": Keyword("early", "when the value begins; whether a number is an integer, when it is whole", _type),
    "enum": Keyword("early", "when no value begins like that; containers by their kind, then at the close", _enum),
    "const": Keyword("early", "as enum", _const, 6),
    "minimum": Keyword("whole", "", _number("minimum", "less than")),
    "maximum": Keyword("whole", "", _number("maximum", "more than")),
    "exclusiveMinimum": Keyword("whole", "", _exclusive("exclusiveMinimum", "not more than")),
    "exclusiveMaximum": Keyword("whole", "", _exclusive("exclusiveMaximum", "not less than")),
    "multipleOf": Keyword("whole", "", _number("multipleOf", "no multiple of")),
    "maxLength": Keyword("early", "with the first character too many", _most("maxLength", "string", "character")),
    "minLength": Keyword("whole", "", _least("minLength", "string", "character")),
    "pattern": Keyword(
        "early", "when no text that begins like that matches, if it is plain and begins with ^", _pattern
    ),
    "format": Keyword("whole", "drafts 4 to 7; later ones take it as a remark", _format),
    "contentEncoding": Keyword(
        "whole", "drafts 6 and 7; later ones take it as a remark", _content("contentEncoding"), 6
    ),
    "contentMediaType": Keyword("whole", "as contentEncoding", _content("contentMediaType"), 6),
    "properties": Keyword("early", "each member as its schema says", _members),
    "patternProperties": Keyword("early", "as properties", _with("properties", _members)),
    "additionalProperties": Keyword(
        "early",
        "as properties; false, when the key is there",
        _with("properties", _with("patternProperties", _members)),
    ),
    "propertyNames": Keyword("early", "when the key is there", _names, 6),
    "required": Keyword("whole", "", _required),
    "minProperties": Keyword("whole", "", _least("minProperties", "object", "property")),
    "maxProperties": Keyword("early", "with the first too many", _most("maxProperties", "object", "property")),
    "dependentRequired": Keyword("whole", "", _dependent("dependentRequired"), 2019),
    "dependentSchemas": Keyword("early", "once the key is there", _dependent("dependentSchemas"), 2019),
    "dependencies": Keyword("early", "as dependentRequired and dependentSchemas", _dependent("dependencies")),
    "items": Keyword("early", "each element as its schema says", _elements),
    "prefixItems": Keyword("early", "as items", _with("items", _elements), 2020),
    "additionalItems": Keyword("early", "as items; false, with the first element too many", _alone, 4, 2019),
    "minItems": Keyword("whole", "", _least("minItems", "array", "element")),
    "maxItems": Keyword("early", "with the first too many", _most("maxItems", "array", "element")),
    "uniqueItems": Keyword("early", "when an element is whole that is there already", _unique),
    "contains": Keyword("whole", "", _contains, 6),
    "minContains": Keyword("whole", "as contains", _alone, 2019),
    "maxContains": Keyword("early", "when one too many fits", _alone, 2019),
    "$ref": Keyword("early", "within the document; a target elsewhere is unknown", _ref),
    "allOf": Keyword("early", "as its schemas say", _all_of),
    "anyOf": Keyword("early", "with its last branch", _any_of),
    "oneOf": Keyword("early", "with its last branch, or the second that fits", _one_of),
    "not": Keyword("early", "when its schema is sure to fit", _not),
    "if": Keyword("early", "when it is sure which branch counts, or both are out", _if, 7),
    "then": Keyword("early", "as if", _alone, 7),
    "else": Keyword("early", "as if", _alone, 7),
    "unevaluatedProperties": Keyword("never", "", _no_object, 2019),
    "unevaluatedItems": Keyword("never", "", _no_array, 2019),
    "$dynamicRef": Keyword("never", "", _never, 2020),
    "$recursiveRef": Keyword("never", "", _never, 2019, 2019),
}
"""Every keyword that is judged, and those that never are. Any other that is no annotation is never judged either."""

ANNOTATIONS: Final = frozenset(
    [
        *("$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$comment"),
        *("$defs", "definitions", "title", "description", "default", "example", "examples", "deprecated"),
        *("readOnly", "writeOnly", "nullable", "discriminator", "externalDocs", "xml", "contentSchema", "strict"),
    ]
)
"""Keywords that no value can violate."""

_FORMATS: Final = frozenset(
    [
        *("date", "date-time", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"),
        *("uri", "uri-reference", "iri", "iri-reference", "uri-template", "uuid", "json-pointer"),
        *("relative-json-pointer", "regex"),
    ]
)
