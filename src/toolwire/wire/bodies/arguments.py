"""Argument text as the object that a body has in its place."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from toolwire.errors import UsageError
from toolwire.wire.bodies.errors import NO_BODY
from toolwire.wire.encode.values import in_one_line

__all__ = ["as_object", "object_in"]


class _LostError(ArithmeticError):
    """A float holds another number than the text has."""


def as_object(text: str, name: Any) -> Any:
    """The arguments of a call of the tool `name`. Raises `UsageError` for what is no object: it can't be told."""
    value = object_in(text)
    if value is None:
        raise UsageError(f"{NO_BODY}: the arguments of {name} are no JSON object")
    return value


def object_in(text: str) -> Any:
    """The object that a text holds, or the text itself if no value holds all of its digits; None if there is none."""
    try:
        value = json.loads(text, parse_float=_exact)
    except ArithmeticError:
        return in_one_line(text) if isinstance(json.loads(text), dict) else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _exact(number: str) -> float:
    value = float(number)
    if Decimal(repr(value)) != Decimal(number):
        raise _LostError
    return value
