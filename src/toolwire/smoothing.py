"""Events in another rhythm: tiny deltas joined, and whole calls handed out bit by bit. Text and order stay.

Both are told the time and read no clock: `feed(event, now)`, `deadline()`, `tick(now)`, `flush()`.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import ceil, inf
from typing import TYPE_CHECKING

import msgspec

from toolwire.errors import UsageError
from toolwire.events import Finish, ReasoningDelta, RefusalDelta, Reset, StreamError, TextDelta, ToolCallDelta

if TYPE_CHECKING:
    from toolwire.events import Event

__all__ = ["Coalesce", "Coalescer", "Pace", "Pacer", "demand_seconds", "stages"]

# Nobody wants to see what such a turn has said bit by bit.
_BAD = ("error", "incomplete", "cancelled")

_Delta = TextDelta | ReasoningDelta | RefusalDelta | ToolCallDelta


@dataclass(frozen=True, slots=True)
class Pace:
    """Show progress where arguments come whole: at most `chars` characters at a time, `interval` seconds apart.

    What comes behind is never held up for more than `max_total` seconds: the pieces grow where that takes too long.
    An error lets go of everything at once.
    """

    chars: int = 24
    interval: float = 0.015
    max_total: float = 3.0

    def __post_init__(self) -> None:
        _demand_chars(self.chars)
        demand_seconds("interval", self.interval)
        demand_seconds("max_total", self.max_total)
        if not self.interval <= self.max_total <= self.interval * 1e6:
            raise UsageError(f"interval is at most max_total, and not a millionth of it, not {self.interval!r}")


@dataclass(frozen=True, slots=True)
class Coalesce:
    """Join deltas of one channel until there are `chars` characters of them, or the first has waited `seconds`."""

    chars: int = 64
    seconds: float = 0.03

    def __post_init__(self) -> None:
        _demand_chars(self.chars)
        demand_seconds("seconds", self.seconds)


def _demand_chars(value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"chars is a number of characters, at least 1, not {value!r}")


def demand_seconds(name: str, value: object) -> None:
    """Raise `UsageError` for what is no positive, finite number of seconds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < inf:
        raise UsageError(f"{name} is a number of seconds, more than 0, not {value!r}")


def stages(coalesce: Coalesce | None, pace: Pace | None) -> list[Coalescer | Pacer]:
    """What events pass through, in that order."""
    if not isinstance(coalesce, Coalesce | None):
        raise UsageError(f"coalesce is a toolwire.Coalesce, not {coalesce!r}")
    if not isinstance(pace, Pace | None):
        raise UsageError(f"pace is a toolwire.Pace, not {pace!r}")
    found: list[Coalescer | Pacer] = []
    if coalesce is not None:
        found.append(Coalescer(coalesce))
    if pace is not None:
        found.append(Pacer(pace))
    return found


class Coalescer:
    """Joins deltas."""

    paces = False

    def __init__(self, settings: Coalesce) -> None:
        self._settings = settings
        self._held: list[_Delta] = []
        self._chars = 0
        self._since = 0.0

    def feed(self, event: Event, now: float) -> list[Event]:
        """The events that may go on."""
        if not isinstance(event, _Delta):
            return [*self.flush(), event]
        out = [] if self._joins(event) else self.flush()
        if not self._held:
            self._since = now
        self._held.append(event)
        self._chars += len(event.text)
        if self._chars >= self._settings.chars or now >= self._since + self._settings.seconds:
            out += self.flush()
        return out

    def deadline(self) -> float | None:
        """When what is held has waited long enough."""
        return self._since + self._settings.seconds if self._held else None

    def tick(self, now: float) -> list[Event]:
        """Time has passed."""
        due = self.deadline()
        return self.flush() if due is not None and now >= due else []

    def flush(self) -> list[Event]:
        """What is held, at once."""
        held = self._held
        if not held:
            return []
        self._held = []
        self._chars = 0
        if len(held) == 1:
            return list(held)
        first, last = held[0], held[-1]
        text = "".join(each.text for each in held)
        if isinstance(first, ToolCallDelta):
            changes = None
            closes = False
            for each in held:
                if isinstance(each, ToolCallDelta):
                    closes = closes or each.closes
                    if each.changes is not None:
                        changes = (changes or ()) + each.changes
            return [ToolCallDelta(first.call, text, changes, closes)]
        if isinstance(first, ReasoningDelta) and isinstance(last, ReasoningDelta):
            return [msgspec.structs.replace(first, text=text, signature=last.signature)]
        return [msgspec.structs.replace(first, text=text)]

    def _joins(self, event: _Delta) -> bool:
        """Whether an event goes on with what is held, and nothing is lost when they are one."""
        if not self._held:
            return True
        last = self._held[-1]
        if type(last) is not type(event) or last.choice != event.choice:
            return False
        if isinstance(event, ToolCallDelta) and isinstance(last, ToolCallDelta):
            # Only the last piece of a joined one may close: what comes behind is told apart by that.
            return event.call is last.call and not last.closes
        if isinstance(event, ReasoningDelta) and isinstance(last, ReasoningDelta):
            return event.field == last.field and not (last.signature or last.extra or event.extra)
        return not (isinstance(event, TextDelta) and event.extra)


class Pacer:
    """Hands out whole calls bit by bit, and everything behind them in its turn."""

    paces = True

    def __init__(self, settings: Pace) -> None:
        self._settings = settings
        self._steps = max(1, int(settings.max_total / settings.interval) - 1)
        self._queue: deque[tuple[Event, float]] = deque()  # with the time by which each has to be out
        self._done = 0  # characters of the first that are out
        self._chars = 0  # of arguments that are not
        self._size = settings.chars  # of a piece
        self._next = 0.0  # when the next piece is due

    def feed(self, event: Event, now: float) -> list[Event]:
        """The events that may go on."""
        if isinstance(event, StreamError | Reset) or (isinstance(event, Finish) and event.reason in _BAD):
            return [*self.flush(), event]
        if not self._queue:
            if not isinstance(event, ToolCallDelta) or len(event.text) <= self._settings.chars:
                return [event]
            self._next = now
        self._queue.append((event, now + self._settings.max_total))
        if isinstance(event, ToolCallDelta):
            self._chars += len(event.text)
            self._size = max(self._size, ceil(self._chars / self._steps))
        return self.tick(now)

    def deadline(self) -> float | None:
        """When the next piece is due."""
        return min(self._next, self._queue[0][1]) if self._queue else None

    def tick(self, now: float) -> list[Event]:
        """Time has passed."""
        out: list[Event] = []
        room = 0
        while self._queue:
            event, latest = self._queue[0]
            if isinstance(event, ToolCallDelta) and now < latest:
                if room == 0:
                    if now < self._next:
                        break
                    self._next += self._settings.interval
                    room = self._size
                if len(event.text) - self._done > room:
                    out.append(ToolCallDelta(event.call, event.text[self._done : self._done + room]))
                    self._done += room
                    self._chars -= room
                    room = 0
                    continue
                room -= len(event.text) - self._done
            out.append(self._first())
        if not self._queue:
            self._size = self._settings.chars
        return out

    def flush(self) -> list[Event]:
        """What is queued, at once."""
        out: list[Event] = []
        while self._queue:
            out.append(self._first())
        self._size = self._settings.chars
        return out

    def _first(self) -> Event:
        """The first event, or what of it is not out yet, taken off the queue."""
        event, _ = self._queue.popleft()
        if isinstance(event, ToolCallDelta):
            self._chars -= len(event.text) - self._done
            if self._done:
                event = ToolCallDelta(event.call, event.text[self._done :], event.changes, event.closes)
        self._done = 0
        return event
