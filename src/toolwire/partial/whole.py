"""A document that comes in one piece, read by the standard library's decoder where that says all there is to say."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from toolwire.partial.changes import MISSING

__all__ = ["read_whole"]


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
    if text.count("{") + text.count("[") > max_depth:
        return MISSING
    if len(text) > max_digits and re.search(rf"[-+.0-9eE]{{{max_digits + 1}}}", text):
        return MISSING
    try:
        return _decode(text)
    except (ValueError, RecursionError):
        return MISSING
