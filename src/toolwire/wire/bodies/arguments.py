"""Argument text as the object that a body has in its place."""

from __future__ import annotations

import json
from typing import Any

from toolwire.errors import UsageError
from toolwire.wire.bodies.errors import NO_BODY

__all__ = ["as_object", "object_in"]


def as_object(text: str, name: Any) -> dict[str, Any]:
    """The arguments of a call of the tool `name`. Raises `UsageError` for what is no object: it can't be told."""
    value = object_in(text)
    if value is None:
        raise UsageError(f"{NO_BODY}: the arguments of {name} are no JSON object")
    return value


def object_in(text: str) -> dict[str, Any] | None:
    """The object that a text holds, None if there is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
