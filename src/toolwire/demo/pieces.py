"""What the demos share: server-sent events, and text in small uneven pieces."""

from __future__ import annotations

import json
from itertools import cycle
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["fragments", "sse", "words"]

_SIZES = (3, 5, 2, 6, 4, 1, 5, 3, 7, 4)


def sse(payload: dict[str, Any], event: str = "", newline: str = "\n") -> bytes:
    """One event of a stream."""
    name = f"event: {event}{newline}" if event else ""
    data = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return f"{name}data: {data}{newline}{newline}".encode()


def fragments(text: str, stretch: int = 1) -> Iterator[str]:
    """A text in pieces of a few characters, cut anywhere."""
    start = 0
    for size in cycle(_SIZES):
        if start >= len(text):
            return
        yield text[start : start + size * stretch]
        start += size * stretch


def words(text: str, several: int = 1) -> Iterator[str]:
    """A text in pieces of some words each."""
    parts = text.split(" ")
    for start in range(0, len(parts), several):
        yield (" " if start else "") + " ".join(parts[start : start + several])
