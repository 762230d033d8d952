"""Limits in time, without a clock: readings come in, the next deadline comes out.

Theory of operation. The clock runs only while the source is waited for; how long the consumer takes is not the
source's fault. Its readings are seconds and may begin anywhere. Each limit counts from a moment that the stream notes:

* `first` from the beginning, until a payload came
* `silence` from the last bytes, whatever they were
* `progress` from the last content; `progress_in_call` stands in for it while a call is open, because some providers say
  nothing for minutes before a large argument. Keep-alives, pings and comments are bytes, but no content
* `total` from the beginning
* `settle` from the last event, once the turn has its finish reason or has failed: when it passes, that was all
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from toolwire.errors import UsageError

__all__ = ["Deadline", "LimitName", "Stopwatch", "Timeouts"]

LimitName = Literal["first", "silence", "progress", "progress_in_call", "total", "settle"]


class Timeouts(msgspec.Struct, frozen=True, kw_only=True):
    """How long a stream may take, in seconds of waiting for its source; None: as long as it likes.

    The defaults are what healthy traffic stays under: ten minutes are what the providers' own clients allow, and a call
    under way has been seen to need more than five without a byte. `settle` ends a turn whose finish reason came when
    neither the wire's terminator nor the end of bytes follows.
    """

    first: float | None = 600.0
    silence: float | None = 600.0
    progress: float | None = 600.0
    progress_in_call: float | None = 900.0
    total: float | None = None
    settle: float | None = 2.0

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int | float) or isinstance(value, bool) or not value >= 0):
                raise UsageError(f"the limit {name} is a number of seconds or None, not {value!r}")


class Deadline(NamedTuple):
    """When the next limit passes, and which."""

    at: float
    limit: LimitName


class Stopwatch:
    """The moments that the limits of one stream count from."""

    __slots__ = ("_begun", "_bytes", "_content", "_event", "_timeouts", "call_open", "finishing", "heard")

    def __init__(self, timeouts: Timeouts) -> None:
        self._timeouts = timeouts
        self._begun: float | None = None
        self._bytes = self._event = self._content = 0.0
        self.heard = False  # a payload came
        self.call_open = False
        self.finishing = False  # the turn has its finish reason, or has failed

    def start(self, now: float) -> None:
        """The source is waited for from now on. Repeats do nothing."""
        if self._begun is None:
            self._begun = self._bytes = self._event = self._content = now

    def received(self, now: float, *, event: bool, content: bool) -> None:
        """Bytes came; an event of them; and that was more than a sign of life."""
        self.start(now)
        self._bytes = now
        if event:
            self._event = now
        if content:
            self._content = now

    def deadline(self) -> Deadline | None:
        """The limit that passes first; None if none can."""
        begun = self._begun
        if begun is None:
            return None
        limits = self._timeouts
        progress: LimitName = "progress_in_call" if self.call_open else "progress"
        counted: tuple[tuple[LimitName, float | None, float], ...] = (
            ("settle", limits.settle if self.finishing else None, self._event),
            ("first", None if self.heard else limits.first, begun),
            ("silence", limits.silence, self._bytes),
            (progress, limits.progress_in_call if self.call_open else limits.progress, self._content),
            ("total", limits.total, begun),
        )
        due = [Deadline(since + limit, name) for name, limit, since in counted if limit is not None]
        return min(due, key=lambda deadline: deadline.at, default=None)
