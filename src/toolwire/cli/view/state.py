"""What is known of a stream, for a view: fed with events and the time, read by whoever draws it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toolwire.events import (
    Finish,
    MessageStart,
    ReasoningDelta,
    RefusalDelta,
    Reset,
    StreamError,
    TextDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Unknown,
    Usage,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.call import ToolCall
    from toolwire.events import Event
    from toolwire.sansio import Stream

__all__ = ["CallState", "Prose", "StreamState"]

# Text kept for display: what is over the larger is cut back to the smaller, at once and seldom, so that it stays calm.
_KEEP, _KEPT = 32_000, 16_000


@dataclass(slots=True)
class Prose:
    """A growing text of which the end is kept."""

    chars: int = 0
    tail: str = ""

    def add(self, text: str) -> None:
        """More text."""
        self.chars += len(text)
        self.tail += text
        if len(self.tail) > _KEEP:
            kept = self.tail[-_KEPT:]
            self.tail = kept[kept.find("\n") + 1 :] if "\n" in kept else kept


@dataclass(slots=True)
class CallState:
    """A call with what a view needs beside it: when things happened, and how many levels of its value are open."""

    call: ToolCall
    named_at: float
    first_at: float | None = None
    last_at: float | None = None
    open_levels: int = 0
    revoked: str = ""

    @property
    def levels(self) -> int:
        """How many levels of the value, from the outermost, are still being written."""
        if self.call.done or self.call.error is not None:
            return 0
        return 1 if isinstance(self.call.partial, str) else self.open_levels

    @property
    def settled(self) -> bool:
        """True when there is nothing more to be written: the call has ended, or its text is whole."""
        return self.call.done or self.call.closed

    @property
    def written_in(self) -> float:
        """Seconds from the name to the last of the arguments."""
        return (self.last_at if self.last_at is not None else self.named_at) - self.named_at


@dataclass(slots=True)
class StreamState:
    """One stream as a view knows it. Times are readings of the caller's clock; `timed` says if they mean anything."""

    title: str
    subtitle: str = ""
    place: str = ""
    started_at: float = 0.0
    timed: bool = True
    now: float = 0.0
    received: int = 0
    wire: str | None = None
    model: str | None = None
    texts: dict[int, Prose] = field(default_factory=dict)
    reasoning: Prose = field(default_factory=Prose)
    refusal: Prose = field(default_factory=Prose)
    calls: list[CallState] = field(default_factory=list)
    finishes: dict[int, Finish] = field(default_factory=dict)
    usage: Usage | None = None
    error: StreamError | None = None
    resets: list[str] = field(default_factory=list)
    unknown: int = 0
    done: bool = False

    def __post_init__(self) -> None:
        self.now = self.started_at

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self.now - self.started_at

    def tick(self, now: float) -> None:
        """Time went by. It stands still once the stream is over."""
        if not self.done:
            self.now = now

    def receive(self, stream: Stream, data: bytes, now: float) -> None:
        """Bytes came: into the stream they go, and its events into this."""
        self.tick(now)
        self.received += len(data)
        self.feed(stream.receive(data, now))
        self._note(stream)

    def end(self, stream: Stream, now: float) -> None:
        """The bytes are over."""
        self.tick(now)
        self.feed(stream.end(now))
        self._note(stream)

    def abort(self, stream: Stream, reason: str) -> None:
        """The user stops it."""
        if not stream.done:
            self.feed(stream.abort(reason))
        self._note(stream)

    def feed(self, events: Iterable[Event]) -> None:
        """The next events, as of `now`."""
        for event in events:
            self._feed(event)

    def _note(self, stream: Stream) -> None:
        self.wire = stream.wire
        self.done = stream.done

    def _feed(self, event: Event) -> None:
        match event:
            case MessageStart():
                self.model = event.model or self.model
            case TextDelta():
                self.texts.setdefault(event.choice, Prose()).add(event.text)
            case ReasoningDelta():
                self.reasoning.add(event.text)
            case RefusalDelta():
                self.refusal.add(event.text)
            case ToolCallStart():
                self.calls.append(CallState(event.call, self.now))
            case ToolCallDelta():
                self._delta(event)
            case ToolCallEnd():
                pass  # the call itself says how it ended
            case Usage():
                self.usage = event
            case Finish():
                self.finishes[event.choice] = event
            case Reset():
                self._reset(event)
            case StreamError():
                self.error = event
            case Unknown():
                self.unknown += 1

    def _find(self, call: ToolCall) -> CallState:
        return next(state for state in reversed(self.calls) if state.call is call)

    def _delta(self, event: ToolCallDelta) -> None:
        state = self._find(event.call)
        if state.first_at is None:
            state.first_at = self.now
        state.last_at = self.now
        for op, _, _ in event.changes or ():
            if op == "opened":
                state.open_levels += 1
            elif op == "closed":
                state.open_levels -= 1

    def _reset(self, event: Reset) -> None:
        self.resets.append(event.reason)
        for state in self.calls:
            if any(state.call is call for call in event.calls):
                state.revoked = event.reason
        if event.scope == "turn":
            self.texts.clear()
            self.reasoning, self.refusal = Prose(), Prose()
