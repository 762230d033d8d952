"""A message back as the events that it comes of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.call import ToolCall
from toolwire.events import (
    Finish,
    MessageStart,
    ReasoningDelta,
    RefusalDelta,
    Reset,
    TextDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Unknown,
)
from toolwire.message import Reasoning
from toolwire.wire.encode.gemini import whole_arguments
from toolwire.wire.encode.values import exact_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.events import Event
    from toolwire.message import Choice, Message, Text

__all__ = ["events_of"]


def events_of(message: Message, *, values: bool = False) -> Iterator[Event]:
    """A message's events: each part in one piece. `values`: arguments that were mended are so."""
    message.settle()
    yield MessageStart(message.id, message.model, message.wire)
    for choice in message.choices:
        for part in choice.parts:
            if isinstance(part, ToolCall):
                yield ToolCallStart(part)
                yield ToolCallDelta(part, _text(part, values=values), None, part.closed)
                yield ToolCallEnd(part)
                if part.error is not None and part.error.reason == "reset":
                    yield Reset((part,), part.error.message)
            elif isinstance(part, Reasoning):
                yield from _reasoning(part, choice)
            elif isinstance(part, Unknown):
                yield part
            else:
                yield _said(part, choice)
    if message.usage is not None:
        yield message.usage
    if message.error is not None:
        yield message.error
    for choice in message.choices:
        if choice.finish is not None:
            yield Finish(choice.finish, choice.executable, choice.finish_raw, choice.index)


def _said(part: Text, choice: Choice) -> Event:
    if part.refusal:
        return RefusalDelta(part.text, choice.index)
    return TextDelta(part.text, choice.index, part.extra or None)


def _reasoning(part: Reasoning, choice: Choice) -> Iterator[Event]:
    """Its text first, then what came with it, the signature with the last of that."""
    if part.text:
        yield ReasoningDelta(part.text, choice.index, part.field)
    extras = part.extra or ([None] if part.signature else [])
    for place, extra in enumerate(extras, 1):
        signature = part.signature if place == len(extras) else None
        yield ReasoningDelta("", choice.index, part.field, signature, extra)


def _text(call: ToolCall, *, values: bool) -> str:
    """The argument text of a call."""
    if not values or call.kind == "custom" or not call.closed_object or whole_arguments(call) is None:
        return call.buf
    try:
        return bytes(exact_text(call)).decode()
    except (RecursionError, TypeError, ValueError):  # it holds what JSON has no form for
        return call.buf
