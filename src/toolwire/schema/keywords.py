"""The keywords: when each can be judged, and what those that hold schemas do to a value that begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from toolwire.schema import assertions
from toolwire.schema.assertions import absent, be_unsure, how_many, kinds_allowed, unknown
from toolwire.schema.oracle import Oracle
from toolwire.schema.parts import AtClose, Elements, Members, Names
from toolwire.schema.unions import AnyOf, Condition, Contains, Dependent, Negation, OneOf
from toolwire.schema.values import KINDS

if TYPE_CHECKING:
    from toolwire.schema.assertions import Maker, Rules
    from toolwire.schema.compile import Node
    from toolwire.schema.runtime import Branch, Frame, Rule

__all__ = ["ANNOTATIONS", "KEYWORDS", "Keyword", "kinds_allowed", "unknown"]

When = Literal["early", "whole", "never"]


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
                    return f"{absent(wanted[key], frame)}, since {key!r} is there"
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
    message = f"more than {how_many(len(nodes), 'element')}"
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


# In place: schemas for the same value.


def _on_all(rule: Rule) -> Rules:
    return dict.fromkeys(KINDS, rule)


def _ref(node: Node) -> Rules:
    target = node.target(node.schema["$ref"])
    return unknown if target is None else _on_all(lambda frame, branch: frame.attach(target, branch))


def _all_of(node: Node) -> Rules:
    nodes = [node.sub(each, "allOf") for each in node.schema["allOf"]]

    def begin(frame: Frame, branch: Branch) -> None:
        for each in nodes:
            frame.attach(each, branch)

    return _on_all(begin)


def _any_of(node: Node) -> Rules:
    nodes = [node.sub(each, "anyOf") for each in node.schema["anyOf"]]
    return _on_all(lambda frame, branch: AnyOf(frame, branch, nodes))


def _one_of(node: Node) -> Rules:
    nodes = [node.sub(each, "oneOf") for each in node.schema["oneOf"]]
    return _on_all(lambda frame, branch: OneOf(frame, branch, nodes))


def _not(node: Node) -> Rules:
    each = node.sub(node.schema["not"], "not")
    return _on_all(lambda frame, branch: Negation(frame, branch, each))


def _if(node: Node) -> Rules:
    then, other = (node.sub(node.schema[word], word) if word in node.schema else None for word in ("then", "else"))
    if then is None and other is None:
        return {}
    test = node.sub(node.schema["if"], "if")
    return _on_all(lambda frame, branch: Condition(frame, branch, test, then, other))


def _never(node: Node) -> Rules:
    return unknown


def _no_object(node: Node) -> Rules:
    return {"object": be_unsure}


def _no_array(node: Node) -> Rules:
    return {"array": be_unsure}


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
    "type": Keyword(
        "early", "when the value begins; whether a number is an integer, when it is whole", assertions.of_type
    ),
    "enum": Keyword(
        "early", "when no value begins like that; containers by their kind, then at the close", assertions.enum
    ),
    "const": Keyword("early", "as enum", assertions.const, 6),
    "minimum": Keyword("whole", "", assertions.number("minimum", "less than")),
    "maximum": Keyword("whole", "", assertions.number("maximum", "more than")),
    "exclusiveMinimum": Keyword("whole", "", assertions.exclusive("exclusiveMinimum", "not more than")),
    "exclusiveMaximum": Keyword("whole", "", assertions.exclusive("exclusiveMaximum", "not less than")),
    "multipleOf": Keyword("whole", "", assertions.number("multipleOf", "no multiple of")),
    "maxLength": Keyword(
        "early", "with the first character too many", assertions.most("maxLength", "string", "character")
    ),
    "minLength": Keyword("whole", "", assertions.least("minLength", "string", "character")),
    "pattern": Keyword(
        "early", "when no text that begins like that matches, if it is plain and begins with ^", assertions.pattern
    ),
    "format": Keyword("whole", "drafts 4 to 7; later ones take it as a remark", assertions.format_),
    "contentEncoding": Keyword(
        "whole", "drafts 6 and 7; later ones take it as a remark", assertions.content("contentEncoding"), 6
    ),
    "contentMediaType": Keyword("whole", "as contentEncoding", assertions.content("contentMediaType"), 6),
    "properties": Keyword("early", "each member as its schema says", _members),
    "patternProperties": Keyword("early", "as properties", _with("properties", _members)),
    "additionalProperties": Keyword(
        "early",
        "as properties; false, when the key is there",
        _with("properties", _with("patternProperties", _members)),
    ),
    "propertyNames": Keyword("early", "when the key is there", _names, 6),
    "required": Keyword("whole", "", assertions.required),
    "minProperties": Keyword("whole", "", assertions.least("minProperties", "object", "property")),
    "maxProperties": Keyword(
        "early", "with the first too many", assertions.most("maxProperties", "object", "property")
    ),
    "dependentRequired": Keyword("whole", "", _dependent("dependentRequired"), 2019),
    "dependentSchemas": Keyword("early", "once the key is there", _dependent("dependentSchemas"), 2019),
    "dependencies": Keyword("early", "as dependentRequired and dependentSchemas", _dependent("dependencies")),
    "items": Keyword("early", "each element as its schema says", _elements),
    "prefixItems": Keyword("early", "as items", _with("items", _elements), 2020),
    "additionalItems": Keyword("early", "as items; false, with the first element too many", _alone, 4, 2019),
    "minItems": Keyword("whole", "", assertions.least("minItems", "array", "element")),
    "maxItems": Keyword("early", "with the first too many", assertions.most("maxItems", "array", "element")),
    "uniqueItems": Keyword("early", "when an element is whole that is there already", assertions.unique),
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
