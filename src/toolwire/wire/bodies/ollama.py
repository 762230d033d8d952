"""Ollama's own chat: its lines to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.wire.encode.base import Frame

__all__ = ["fold"]

_LISTS: Final = ("tool_calls", "images")


def fold(frames: Iterable[Frame]) -> dict[str, Any]:
    """The line that all lines come to: the last, with the whole message."""
    texts: dict[str, list[str]] = {"content": []}
    lists: dict[str, list[Any]] = {}
    last: dict[str, Any] = {}
    for _, line in frames:
        if "done" not in line:
            continue  # what is passed on
        last = line
        for field, value in line["message"].items():
            if field in _LISTS:
                lists.setdefault(field, []).extend(value)
            elif field != "role" and value:
                texts.setdefault(field, []).append(value)
    said = {field: "".join(pieces) for field, pieces in texts.items()}
    return {**last, "message": {"role": "assistant", **said, **lists}}
