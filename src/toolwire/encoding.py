"""Values to JSON text, and whether a text says what a value says."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["encode", "same"]


def encode(value: Any) -> str:
    """JSON text of a value: compact, integral numbers and key order as they are.

    Raises ValueError, TypeError or RecursionError for what JSON can't hold.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which JSON can hold as an escape only
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text


def same(text: str, value: Any) -> bool:
    """Whether JSON text holds this value, however it is spaced and in whatever order its keys stand."""
    try:
        return _equal(json.loads(text), value)
    except (ValueError, RecursionError):
        return False


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):  # True is no 1 here
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(each, other[key]) for key, each in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other)
