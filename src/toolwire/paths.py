"""Paths to a place in a value, as callers write them.

"user.tags[0]"   RFC 9535's singular form without its `$`      "['a.b']"   a key that has a dot in it
"/user/tags/0"   a JSON Pointer (RFC 6901)                     ("user", "tags", 0)   keys and indexes as they are
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from toolwire.errors import UsageError
from toolwire.partial.jsonpath import JSONPathError, parse

if TYPE_CHECKING:
    from toolwire.partial.changes import Path

__all__ = ["Step", "as_path", "shown"]

Step = str | int | tuple[str | int, ...]


def as_path(*parts: Step) -> Path:
    """One path of parts that follow each other, each an index or in one of the forms above; no part is the root.

    Raises `UsageError` for anything else. A pointer's number stays text: what it is depends on what is there.
    """
    path: Path = ()
    for part in parts:
        if isinstance(part, str):
            path += _pointer(part) if part.startswith("/") else _singular(part)
        elif isinstance(part, tuple) and all(isinstance(step, str) or _is_index(step) for step in part):
            path += part
        elif _is_index(part):
            path += (part,)
        else:
            raise UsageError(f"a path is made of keys and of indexes from 0, not {part!r}")
    return path


def shown(path: Path) -> str:
    """A path as text, for messages."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _is_index(step: object) -> TypeGuard[int]:
    return type(step) is int and step >= 0


def _singular(text: str) -> Path:
    if not text:
        return ()
    try:
        return parse("$" + text if text.startswith("[") else "$." + text)
    except JSONPathError as error:
        raise UsageError(f"{error} (give an odd key as a tuple: ({text!r},))") from None


def _pointer(text: str) -> Path:
    steps = text[1:].split("/")
    if any("~" in step.replace("~0", "").replace("~1", "") for step in steps):
        raise UsageError(f"{text!r} is no JSON Pointer: a ~ is written ~0 and a / within a key ~1")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in steps)
