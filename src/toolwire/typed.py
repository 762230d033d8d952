"""The live value in the terms of a type. (Being written.)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from toolwire.live_value import LiveValue

__all__ = ["Partial", "draft"]

T = TypeVar("T")


class Partial(Generic[T]):
    """A draft."""


def draft(live: LiveValue, model: type[T]) -> Partial[T]:
    """The draft of a live value."""
    raise NotImplementedError
