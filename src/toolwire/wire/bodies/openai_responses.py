"""OpenAI Responses: the last event has the whole response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.wire.encode.base import Frame

__all__ = ["fold"]


def fold(frames: Iterable[Frame]) -> dict[str, Any]:
    """The response that its events come to."""
    *_, (_, last) = frames
    response: dict[str, Any] = last["response"]
    return response
