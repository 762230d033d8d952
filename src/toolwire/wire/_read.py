"""Reading payloads that may hold anything: each function gives the type it promises, whatever it is given."""

from __future__ import annotations

from typing import Any, TypeAlias

__all__ = ["Payload", "count", "items", "obj", "text", "word"]


Payload: TypeAlias = dict[Any, Any]
"""An object of a payload. Its keys are text, save where a caller made it and they are not."""


def obj(value: Any) -> Payload:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """The value if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def word(value: Any) -> str:
    """An id, a name, a reason: a string with something in it. "null" is none; a number counts as its digits."""
    if isinstance(value, str):
        return "" if value == "null" else value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63:
        return str(value)
    return ""


def count(value: Any) -> int | None:
    """A token count, None where there is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value if abs(value) < 2**63 else None
    if isinstance(value, float):
        return int(value) if abs(value) < 2**63 else None
    return None
