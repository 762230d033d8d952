"""Where in a JSON text the value at a path stands. For messages: it reads the text again."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolwire.partial.changes import Path

__all__ = ["locate"]

_BLANK = re.compile(r"[ \t\n\r]*")
_decoder = json.JSONDecoder(strict=False)


def locate(text: str, path: Path) -> int | None:
    """The offset, in characters, of the value at `path`; of its object's bracket if it is missing there.

    None where the text can't be followed: mended text needn't be JSON.
    """
    try:
        at = _skip(text, 0)
        for step in path:
            found = _step(text, at, step)
            if found is None:
                return at
            at = found
    except (ValueError, IndexError, RecursionError):
        return None
    return at


def _step(text: str, at: int, step: str | int) -> int | None:
    """The offset of a container's member; None if it has none of that name or number."""
    opener = text[at]
    if opener not in "{[" or (opener == "[") != isinstance(step, int):
        return None
    found: int | None = None
    number = 0
    at = _skip(text, at + 1)
    while text[at] not in "}]":
        key: Any = number
        if opener == "{":
            key, at = _decoder.raw_decode(text, at)
            at = _skip(text, at)
            if text[at] != ":":
                raise ValueError("no colon")
            at = _skip(text, at + 1)
        if key == step:
            found = at  # of a repeated key the last one counts
        _, at = _decoder.raw_decode(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
        elif text[at] not in "}]":
            raise ValueError("no comma")
        number += 1
    return found


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at
