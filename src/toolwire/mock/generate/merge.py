"""Schemas joined into one that allows what all of them allow, as far as one schema can say it."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any, Final

from toolwire.mock.generate.schemas import same

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwire.mock.generate.schemas import Schema

__all__ = ["both", "exact", "merge"]

_IMPOSSIBLE: Final = ("type", "enum")


def both(*schemas: Schema) -> Schema:
    """A schema that stands for all of these, not merged yet."""
    told = [each for each in schemas if each is not True and each != {}]
    if False in told:
        return False
    return {"allOf": told} if len(told) > 1 else told[0] if told else True


def merge(one: Schema, two: Schema, matches: Callable[[str, str], bool]) -> Schema:
    """Two schemas without references and branches as one; False where they leave nothing.

    `matches`: whether a name is one of a pattern's. Of two patterns or formats the first is kept.
    """
    if one is False or two is False:
        return False
    if one is True or two is True or not one or not two:
        return two if one is True or not one else one
    one, two = _fenced(one, two, matches), _fenced(two, one, matches)
    out = {**two, **one}
    for word in one:
        if word in two and word in _JOINS:
            out[word] = _JOINS[word](one[word], two[word])
    if any(out.get(word) == [] for word in _IMPOSSIBLE):
        return False
    if "prefixItems" in one or "prefixItems" in two:
        out["prefixItems"] = _prefix(one, two)
    return out


def exact(number: float) -> Fraction:
    """A number as it is written."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _fenced(schema: dict[str, Any], fence: dict[str, Any], matches: Callable[[str, str], bool]) -> dict[str, Any]:
    """A schema whose properties also keep to what the other says of those it doesn't name."""
    rest, patterns = fence.get("additionalProperties", True), fence.get("patternProperties", {})
    if "properties" not in schema or (rest in (True, {}) and not patterns):
        return schema
    own = {}
    for name, each in schema["properties"].items():
        if name in fence.get("properties", {}):
            own[name] = each
        else:
            own[name] = both(each, *([patterns[key] for key in patterns if matches(key, name)] or [rest]))
    return {**schema, "properties": own}


def _prefix(one: dict[str, Any], two: dict[str, Any]) -> list[Schema]:
    first, second = one.get("prefixItems", []), two.get("prefixItems", [])
    return [
        both(
            first[at] if at < len(first) else one.get("items", True),
            second[at] if at < len(second) else two.get("items", True),
        )
        for at in range(max(len(first), len(second)))
    ]


def _types(one: list[str], two: list[str]) -> list[str]:
    out = [kind for kind in one if kind in two or (kind == "integer" and "number" in two)]
    return out + ["integer"] * ("integer" in two and "number" in one and "integer" not in out)


def _common(one: list[Any], two: list[Any]) -> list[Any]:
    there = [same(each) for each in two]
    return [each for each in one if same(each) in there]


def _union(one: list[str], two: list[str]) -> list[str]:
    return list(dict.fromkeys([*one, *two]))


def _multiple(one: float, two: float) -> float:
    a, b = exact(one), exact(two)
    made = Fraction(lcm(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator)
    return int(made) if made.denominator == 1 else float(made)


def _each(one: dict[str, Any], two: dict[str, Any]) -> dict[str, Any]:
    return {name: both(one.get(name, True), two.get(name, True)) for name in {**one, **two}}


def _needs(one: dict[str, list[str]], two: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: _union(one.get(name, []), two.get(name, [])) for name in {**one, **two}}


_JOINS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "type": _types,
    "enum": _common,
    "required": _union,
    "multipleOf": _multiple,
    "dependentRequired": _needs,
    "not": lambda one, two: {"anyOf": [one, two]},
    "uniqueItems": lambda one, two: one or two,
    **dict.fromkeys(("properties", "patternProperties", "dependentSchemas"), _each),
    **dict.fromkeys(("items", "additionalProperties", "propertyNames"), both),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties"), both),
    **dict.fromkeys(("minLength", "minItems", "minProperties", "minContains", "minimum", "exclusiveMinimum"), max),
    **dict.fromkeys(("maxLength", "maxItems", "maxProperties", "maxContains", "maximum", "exclusiveMaximum"), min),
}
