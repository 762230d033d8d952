"""A stream's events folded into a value."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolwire.errors import ProviderError
from toolwire.events import (
    Finish,
    MessageStart,
    ReasoningDelta,
    RefusalDelta,
    Reset,
    StreamError,
    TextDelta,
    ToolCallStart,
    Unknown,
    Usage,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.call import ToolCall
    from toolwire.events import Event, FinishReason

__all__ = ["Choice", "Message", "Reasoning"]


@dataclass(slots=True)
class Reasoning:
    """A run of reasoning from one field of the wire, with the signature to replay it by."""

    text: str
    field: str | None = None
    signature: str | None = None
    extra: list[Any] = dataclasses.field(default_factory=list)


@dataclass(slots=True)
class Choice:
    """One choice of a message. `calls` are all its calls; `executable` those that may be run."""

    index: int = 0
    text: str = ""
    refusal: str = ""
    reasoning_parts: list[Reasoning] = dataclasses.field(default_factory=list)
    calls: list[ToolCall] = dataclasses.field(default_factory=list)
    executable: tuple[ToolCall, ...] = ()
    finish: FinishReason | None = None
    finish_raw: tuple[str, ...] = ()

    @property
    def reasoning(self) -> str:
        """All reasoning text."""
        return "".join(part.text for part in self.reasoning_parts)


@dataclass(slots=True)
class Message:
    """What a stream came to. The fields of `Choice` are those of the first choice; `choices` has them all.

    `aborted` keeps what a `Reset` of the whole turn made void, `unknown` the payloads without a meaning here.
    """

    id: str | None = None
    model: str | None = None
    choices: list[Choice] = dataclasses.field(default_factory=lambda: [Choice()])
    usage: Usage | None = None
    error: StreamError | None = None
    aborted: list[Choice] = dataclasses.field(default_factory=list)
    unknown: list[Any] = dataclasses.field(default_factory=list)
    _pieces: dict[tuple[int, str], list[str]] = dataclasses.field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, events: Iterable[Event]) -> Message:
        """The message of a whole stream's events."""
        message = cls()
        for event in events:
            message.feed(event)
        return message.settle()

    @property
    def text(self) -> str:
        """The first choice's text."""
        return self.choices[0].text

    @property
    def reasoning(self) -> str:
        """The first choice's reasoning text."""
        return self.choices[0].reasoning

    @property
    def refusal(self) -> str:
        """The first choice's refusal."""
        return self.choices[0].refusal

    @property
    def calls(self) -> list[ToolCall]:
        """The first choice's calls, whatever became of them."""
        return self.choices[0].calls

    @property
    def executable(self) -> tuple[ToolCall, ...]:
        """The first choice's calls that may be run, in order."""
        return self.choices[0].executable

    @property
    def finish(self) -> FinishReason | None:
        """Why the first choice's turn ended; None while it has not."""
        return self.choices[0].finish

    @property
    def finish_raw(self) -> tuple[str, ...]:
        """Every finish reason the wire sent for the first choice."""
        return self.choices[0].finish_raw

    def raise_for_error(self) -> Message:
        """Raise `ProviderError` if the stream failed, else return the message."""
        if self.error is not None:
            error = self.error
            raise ProviderError(error.message, kind=error.kind, wire=error.wire, offset=error.offset)
        return self

    def feed(self, event: Event) -> None:
        """Take in one event. Text is joined by `settle`."""
        match event:
            case TextDelta():
                self._choice(event.choice)
                self._pieces.setdefault((event.choice, "text"), []).append(event.text)
            case RefusalDelta():
                self._choice(event.choice)
                self._pieces.setdefault((event.choice, "refusal"), []).append(event.text)
            case ReasoningDelta():
                self._reason(event)
            case ToolCallStart():
                self._choice(event.choice).calls.append(event.call)
            case MessageStart():
                self.id, self.model = event.id, event.model
            case Usage():
                self.usage = event
            case Reset(scope="turn"):
                self._void()
            case StreamError():
                self.error = event
            case Finish():
                self._finish(event)
            case Unknown():
                self.unknown.append(event.payload)
            case _:
                pass

    def settle(self) -> Message:
        """Join the text that came so far; returns the message."""
        for choice in self.choices:
            choice.text += "".join(self._pieces.pop((choice.index, "text"), ()))
            choice.refusal += "".join(self._pieces.pop((choice.index, "refusal"), ()))
        return self

    def _choice(self, index: int) -> Choice:
        for choice in self.choices:
            if choice.index == index:
                return choice
        choice = Choice(index)
        self.choices.append(choice)
        self.choices.sort(key=lambda choice: choice.index)
        return choice

    def _reason(self, event: ReasoningDelta) -> None:
        parts = self._choice(event.choice).reasoning_parts
        if not parts or parts[-1].field != event.field or (parts[-1].signature and event.text):
            parts.append(Reasoning("", event.field))
        part = parts[-1]
        part.text += event.text
        part.signature = event.signature or part.signature
        if event.extra:
            part.extra.append(event.extra)

    def _finish(self, event: Finish) -> None:
        choice = self._choice(event.choice)
        choice.finish, choice.finish_raw, choice.executable = event.reason, event.raw, event.calls
        choice.calls.sort(key=lambda call: call.index)  # a late name delays a start
        for other in self.choices:  # calls of a stray choice were taken over
            if other is not choice and other.calls and other.calls[0].choice == event.choice:
                choice.calls.extend(other.calls)
                other.calls = []
        self.choices = [each for each in self.choices if each.index == 0 or each.calls or self._spoke(each)]

    def _spoke(self, choice: Choice) -> bool:
        pieces = any((choice.index, channel) in self._pieces for channel in ("text", "refusal"))
        return pieces or bool(choice.finish or choice.text or choice.refusal or choice.reasoning_parts)

    def _void(self) -> None:
        self.settle()
        self.aborted.extend(self.choices)
        self.choices = [Choice()]
