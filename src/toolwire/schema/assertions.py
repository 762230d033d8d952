"""Keywords that say something of a value themselves: of its kind, its size, its text, what is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolwire.partial.changes import MISSING
from toolwire.schema import prefix
from toolwire.schema.oracle import Oracle
from toolwire.schema.parts import AtClose, Least, Most, Pattern, Unique, Words, ask
from toolwire.schema.values import KINDS, Violation, kind_of, listed, spoken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from toolwire.schema.compile import Node
    from toolwire.schema.runtime import Branch, Frame, Rule
    from toolwire.schema.values import Kind

__all__ = ["Maker", "Rules", "absent", "be_unsure", "const", "content", "enum", "exclusive", "format_", "how_many"]
__all__ += ["kinds_allowed", "least", "most", "number", "of_type", "pattern", "required", "unique", "unknown"]

_FORMATS: Final = frozenset(
    [
        *("date", "date-time", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"),
        *("uri", "uri-reference", "iri", "iri-reference", "uri-template", "uuid", "json-pointer"),
        *("relative-json-pointer", "regex"),
    ]
)

Rules: TypeAlias = "Mapping[Kind, Rule]"
Maker: TypeAlias = "Callable[[Node], Rules]"


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


def be_unsure(frame: Frame, branch: Branch) -> None:
    """Leave it open: a rule for what can't be judged."""
    branch.unsure = True


unknown: Final[Rules] = dict.fromkeys(KINDS, be_unsure)
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


def of_type(node: Node) -> Rules:
    """type."""
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


def enum(node: Node) -> Rules:
    """enum."""
    options = node.schema["enum"]
    return _among(node, "enum", options) if isinstance(options, list) else unknown


def const(node: Node) -> Rules:
    """const: an enum of one."""
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


def number(keyword: str, told: str) -> Maker:
    """minimum, maximum, multipleOf."""

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


def exclusive(keyword: str, told: str) -> Maker:
    """exclusiveMinimum, exclusiveMaximum."""

    def make(node: Node) -> Rules:
        # Draft 4 has a boolean there, which its partner sees to.
        return {} if node.draft == 4 else number(keyword, told)(node)

    return make


# What has a size.


def how_many(count: int, what: str) -> str:
    """A number and what is counted."""
    many = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{count} {what if count == 1 else many}"


def most(keyword: str, kind: Kind, what: str) -> Maker:
    """maxLength, maxItems, maxProperties."""

    def make(node: Node) -> Rules:
        limit = int(node.schema[keyword])
        message = f"more than {how_many(limit, what)}"
        return {kind: lambda frame, branch: Most(frame, branch, keyword, limit, message)}

    return make


def least(keyword: str, kind: Kind, what: str) -> Maker:
    """minLength, minItems, minProperties."""

    def make(node: Node) -> Rules:
        limit = int(node.schema[keyword])
        message = f"fewer than {how_many(limit, what)}"
        return {kind: lambda frame, branch: Least(frame, branch, keyword, limit, message)}

    return make


# Strings.


def pattern(node: Node) -> Rules:
    """pattern."""
    given = node.schema["pattern"]
    oracle = Oracle(node.draft, {"pattern": given})
    language = prefix.read(given)

    def begin(frame: Frame, branch: Branch) -> None:
        frame.keep()
        Pattern(frame, branch, oracle, language, f"doesn't match the pattern {given}")

    return {"string": begin}


def format_(node: Node) -> Rules:
    """format."""
    name = node.schema["format"]
    if node.draft >= 2019:  # an annotation
        return {}
    if name not in _FORMATS:
        return unknown
    return {"string": _text_at_close(node, "format", {"format": name}, f"no {name}")}


def content(keyword: str) -> Maker:
    """contentEncoding, contentMediaType."""

    def make(node: Node) -> Rules:
        both = ("contentEncoding", "contentMediaType")
        words: dict[str, Any] = {key: node.schema[key] for key in both if key in node.schema}
        # The two are one question; whoever comes first asks it.
        if node.draft not in (6, 7) or keyword != next(iter(words)):
            return {}
        return {"string": _text_at_close(node, keyword, words, f"no {' in '.join(map(str, words.values()))}")}

    return make


# Objects and arrays.


def required(node: Node) -> Rules:
    """required."""
    names = node.schema["required"]
    if not isinstance(names, list):
        return unknown
    wanted = dict.fromkeys(names)

    def check(frame: Frame) -> str | None:
        # In one step, however many there are.
        return "" if frame.keys.issuperset(wanted) else absent(wanted, frame)

    return {"object": _at_close("required", check)}


def absent(names: Mapping[str, None], frame: Frame) -> str:
    """What is said of names that are not in an object."""
    return f"missing: {listed([repr(name) for name in names if name not in frame.keys])}"


def unique(node: Node) -> Rules:
    """uniqueItems."""
    if node.schema["uniqueItems"] is not True:
        return {}
    return {"array": lambda frame, branch: Unique(frame, branch)}
