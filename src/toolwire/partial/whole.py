"""A document that comes in one piece, read by the standard library's decoder where that says all there is to say."""

from __future__ import annotations

import json
from typing import Any, Final

from toolwire.partial.changes import MISSING

__all__ = ["read_whole"]


_STRIDE: Final = 64  # below that, looking costs more than it saves


class _Unusual(ValueError):  # noqa: N818  it ends nothing: the scanner reads the text instead
    """Something that the decoder takes, and the scanner has more to say of."""


def _unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        raise _Unusual("a key came again")
    return found


def _refuse(word: str) -> Any:
    raise _Unusual(word)


_decode: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse).decode


def read_whole(text: str, max_depth: int, max_digits: int) -> Any:
    """The value of a plain document, MISSING where the text is none or has to be looked at closely.

    Repeated keys, faults, and whatever could go beyond a limit are left to the scanner.
    """
    if len(text) > max_digits and _has_digits(text, max_digits // 3 + 1):  # one of a number's three parts has as many
        return MISSING
    try:
        value = _decode(text)
    except (ValueError, RecursionError):
        return MISSING
    if text.count("{") + text.count("[") > max_depth and _is_deeper(value, max_depth):
        return MISSING
    return value


def _has_digits(text: str, count: int) -> bool:
    """Whether so many digits may stand in a row: then one of these parts, half as long, holds nothing else."""
    size = count // 2
    return size < _STRIDE or any(text[i : i + size].isdigit() for i in range(0, len(text) - size, size))


def _is_deeper(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        inner: list[Any] = []
        for each in level:
            members = each.values() if isinstance(each, dict) else each
            inner += [member for member in members if isinstance(member, (dict, list))]
        if not inner:
            return False
        level = inner
    return True
