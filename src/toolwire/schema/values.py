"""What is known of values: their kinds, how they are told to people, and when two are equal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

    from toolwire.partial.changes import Path

__all__ = ["KINDS", "Kind", "Violation", "canonical", "kind_of", "listed", "quoted", "spoken"]

Kind = Literal["null", "boolean", "number", "string", "array", "object"]
KINDS: Final[tuple[Kind, ...]] = ("null", "boolean", "number", "string", "array", "object")

_COMMON: Final[dict[type, Kind]] = {str: "string", bool: "boolean", int: "number", dict: "object", list: "array"}
_SPOKEN: Final = {
    "null": "null",
    "boolean": "a boolean",
    "number": "a number",
    "integer": "an integer",
    "string": "a string",
    "array": "an array",
    "object": "an object",
}


class Violation(NamedTuple):
    """A keyword that no continuation of the document can satisfy. The message holds nothing of the value."""

    path: Path
    keyword: str
    message: str


def kind_of(value: Any) -> Kind | None:
    """The kind of a value; None for what JSON has no word for: infinity, which `1e999` is read as."""
    kind = _COMMON.get(type(value))
    if kind is not None:
        return kind
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, dict):
        return "object"
    return "array" if isinstance(value, list) else None


def canonical(value: Any) -> Hashable:
    """Equal for values that JSON calls equal: 1 is 1.0, and true is not 1."""
    if isinstance(value, bool):
        return (bool, value)  # which no array is
    if isinstance(value, list):
        return tuple(map(canonical, value))
    if isinstance(value, dict):
        return frozenset(zip(value, map(canonical, value.values()), strict=True))
    found: Hashable = value
    return found


def spoken(types: Collection[str]) -> str:
    """Types as a person would name them: `an integer or null`."""
    return listed([_SPOKEN.get(each, each) for each in types], "or")


def quoted(key: str) -> str:
    """A key as a message shows it: a document may have long ones."""
    return repr(key) if len(key) <= 60 else f"{key[:60]!r}…"


def listed(names: Collection[str], last: str = "and") -> str:
    """`a, b and c`, and no more than ten of them."""
    shown = list(names)
    if len(shown) > 10:
        shown = [*shown[:10], f"{len(shown) - 10} more"]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}"
