"""A stream's events folded into a value."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolwire.call import ToolCall
from toolwire.errors import ProviderError, UsageError
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
    from collections.abc import Iterable, Mapping

    from toolwire.events import Event, FinishReason
    from toolwire.output import Output

__all__ = ["Choice", "Message", "Reasoning", "Text"]


@dataclass(slots=True)
class Reasoning:
    """A run of reasoning from one field of the wire, with the signature to replay it by."""

    text: str
    field: str | None = None
    signature: str | None = None
    extra: list[Any] = dataclasses.field(default_factory=list)


@dataclass(slots=True)
class Text:
    """A run of text, or of a refusal. `extra`: what has to go back with it."""

    text: str = ""
    refusal: bool = False
    extra: dict[str, Any] = dataclasses.field(default_factory=dict)
    _pieces: list[str] = dataclasses.field(default_factory=list, repr=False, compare=False)


@dataclass(slots=True)
class Choice:
    """One choice of a message.

    `parts` is all it says, in order: text, reasoning, calls, and what has no meaning here. `executable` are the calls
    that may be run.
    """

    index: int = 0
    parts: list[Text | Reasoning | ToolCall | Unknown] = dataclasses.field(default_factory=list)
    executable: tuple[ToolCall, ...] = ()
    finish: FinishReason | None = None
    finish_raw: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All text."""
        return "".join(part.text for part in self.parts if isinstance(part, Text) and not part.refusal)

    @property
    def refusal(self) -> str:
        """All text of a refusal."""
        return "".join(part.text for part in self.parts if isinstance(part, Text) and part.refusal)

    @property
    def reasoning(self) -> str:
        """All reasoning text."""
        return "".join(part.text for part in self.reasoning_parts)

    @property
    def reasoning_parts(self) -> list[Reasoning]:
        """The runs of reasoning."""
        return [part for part in self.parts if isinstance(part, Reasoning)]

    @property
    def calls(self) -> list[ToolCall]:
        """All calls, in their own order, whatever became of them."""
        calls = [part for part in self.parts if isinstance(part, ToolCall)]
        return sorted(calls, key=lambda call: call.index)  # a late name delays a start


@dataclass(slots=True)
class Message:
    """What a stream came to. The fields of `Choice` are those of the first choice; `choices` has them all.

    `wire`: the protocol it came over. `aborted` keeps what a `Reset` of the whole turn made void, `unknown` the
    payloads without a meaning here.
    """

    id: str | None = None
    model: str | None = None
    wire: str | None = None
    choices: list[Choice] = dataclasses.field(default_factory=lambda: [Choice()])
    usage: Usage | None = None
    error: StreamError | None = None
    aborted: list[Choice] = dataclasses.field(default_factory=list)
    unknown: list[Any] = dataclasses.field(default_factory=list)
    _output: Output | None = dataclasses.field(default=None, repr=False)

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

    @property
    def output(self) -> Output:
        """The first choice's text as JSON. Raises `UsageError` unless that was asked for, with `text_schema`."""
        if self._output is None:
            raise UsageError("the text was not read as JSON: give text_schema=, a type or a schema ({} for any JSON)")
        return self._output

    def raise_for_error(self) -> Message:
        """Raise `ProviderError` if the stream failed, else return the message."""
        if self.error is not None:
            error = self.error
            raise ProviderError(error.message, kind=error.kind, wire=error.wire, offset=error.offset)
        return self

    def to_history(
        self, wire: str, results: Mapping[str, Any] | None = None, *, choice: int = 0
    ) -> list[dict[str, Any]]:
        """This message and the results of its calls, as entries for the next request: see `toolwire.history`."""
        from toolwire.history import to_history

        return to_history(self, wire, results, choice=choice)

    def feed(self, event: Event) -> None:
        """Take in one event. Text is joined by `settle`."""
        match event:
            case TextDelta():
                self._say(event.choice, event.text, event.extra, refusal=False)
            case RefusalDelta():
                self._say(event.choice, event.text, None, refusal=True)
            case ReasoningDelta():
                self._reason(event)
            case ToolCallStart():
                self._choice(event.choice).parts.append(event.call)
            case MessageStart():
                self.id, self.model, self.wire = event.id, event.model, event.wire
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
                self.choices[0].parts.append(event)
            case _:
                pass

    def settle(self) -> Message:
        """Join the text that came so far; returns the message."""
        for choice in self.choices:
            for part in choice.parts:
                if isinstance(part, Text) and part._pieces:
                    part.text += "".join(part._pieces)
                    part._pieces.clear()
        return self

    def _choice(self, index: int) -> Choice:
        for choice in self.choices:
            if choice.index == index:
                return choice
        choice = Choice(index)
        self.choices.append(choice)
        self.choices.sort(key=lambda choice: choice.index)
        return choice

    def _say(self, index: int, text: str, extra: Mapping[str, Any] | None, *, refusal: bool) -> None:
        parts = self._choice(index).parts
        last = parts[-1] if parts else None
        if not isinstance(last, Text) or last.refusal != refusal or extra:
            last = Text(refusal=refusal, extra=dict(extra or {}))
            parts.append(last)
        last._pieces.append(text)

    def _reason(self, event: ReasoningDelta) -> None:
        parts = self._choice(event.choice).parts
        part = _last_of(parts, event.field)
        if part is None or (part.signature and (event.text or event.signature)):  # it was closed
            part = Reasoning("", event.field)
            parts.append(part)
        part.text += event.text
        part.signature = event.signature or part.signature
        if event.extra:
            part.extra.append(event.extra)

    def _finish(self, event: Finish) -> None:
        choice = self._choice(event.choice)
        choice.finish, choice.finish_raw, choice.executable = event.reason, event.raw, event.calls
        for other in self.choices:  # calls of a stray choice were taken over
            if other is not choice and other.calls and other.calls[0].choice == event.choice:
                choice.parts.extend(other.calls)
                other.parts = [part for part in other.parts if not isinstance(part, ToolCall)]
        self.choices = [each for each in self.choices if each.index == 0 or each.parts or each.finish]

    def _void(self) -> None:
        self.settle()
        self.aborted.extend(self.choices)
        self.choices = [Choice()]


def _last_of(parts: list[Text | Reasoning | ToolCall | Unknown], field: str | None) -> Reasoning | None:
    """The run of reasoning that a piece goes on with. Pieces of two fields may take turns."""
    for part in reversed(parts):
        if not isinstance(part, Reasoning):
            return None
        if part.field == field:
            return part
        if field is None:
            return None
    return None
