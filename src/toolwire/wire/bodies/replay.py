"""A message back as the events that it comes of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.call import ToolCall
from toolwire.encoding import encode
from toolwire.events import (
    Finish,
    MessageStart,
    ReasoningDelta,
    RefusalDelta,
    TextDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Unknown,
)
from toolwire.message import Reasoning
from toolwire.wire.encode.gemini import whole_arguments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.events import Event
    from toolwire.message import Choice, Message, Text

__all__ = ["events_of"]


def events_of(message: Message, *, values: bool = False) -> Iterator[Event]:
    """A message's events: each part in one piece. `values`: arguments are written anew from what they were read as."""
    message.settle()
    yield MessageStart(message.id, message.model, message.wire)
    for choice in message.choices:
        for part in choice.parts:
            if isinstance(part, ToolCall):
                yield ToolCallStart(part)
                yield ToolCallDelta(part, _text(part, values=values), None, part.closed)
                yield ToolCallEnd(part)
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
    value = whole_arguments(call) if values and call.kind != "custom" and call.closed_object else None
    if value is None:
        return call.buf
    try:
        return encode(value)
    except (RecursionError, TypeError, ValueError):  # a number that JSON has no form for
        return call.buf
