"""What real servers do otherwise than their wire says: named bends of an answer's frames, one table per wire.

A wire's module has `QUIRKS`: name -> `Quirk`. A quirk gets all frames of an answer and gives others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from toolwire.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwire.wire.encode.base import Frame

__all__ = ["Quirk", "bend", "quirks_of"]

# The wires whose frames have quirks of their own.
MODULES = {
    "anthropic": "anthropic",
    "bedrock-converse": "bedrock",
    "bedrock-invoke": "bedrock_invoke",
    "cohere": "cohere",
    "gemini": "gemini",
    "ollama": "ollama",
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
}


class Quirk(NamedTuple):
    """A bend: what it does in a line, where it was seen, and the function that does it."""

    does: str
    seen: str
    bend: Callable[[list[Frame]], list[Frame]]


def quirks_of(wire: str) -> dict[str, Quirk]:
    """The quirks of a wire, by name."""
    module = MODULES.get(wire)
    if module is None:
        return {}
    found: dict[str, Quirk] = import_module(f"toolwire.mock.quirks.{module}").QUIRKS
    return found


def bend(wire: str, frames: list[Frame], names: tuple[str, ...]) -> list[Frame]:
    """Frames with some quirks, one after another. Raises `UsageError` for one that the wire doesn't have."""
    known = quirks_of(wire)
    for name in names:
        if name not in known:
            raise UsageError(f"{wire} has no quirk {name!r}, but {', '.join(known) or 'none'}")
        frames = known[name].bend(frames)
    return frames
