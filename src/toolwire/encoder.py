"""The sans-I/O encoder: events in, bytes of a client's wire out. It never writes, sleeps or looks at a clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

from toolwire.errors import UsageError
from toolwire.events import Event
from toolwire.framing.writers import WRITERS
from toolwire.smoothing import demand_seconds, stages
from toolwire.wire.encode import encoder_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Unpack

    from toolwire.events import StreamError
    from toolwire.smoothing import Coalescer, Pacer
    from toolwire.wire.encode.base import Frame
    from toolwire.wire.encode.options import EncodeOptions

__all__ = ["KEEP_ALIVE", "Encoder"]

# Seconds; proxies commonly give up a connection that is silent for 30 or 60.
KEEP_ALIVE: Final = 15.0

_EVENTS: Final = frozenset(get_args(Event))


class Encoder:
    """Writes one stream's events for the clients of a wire. Every method returns the bytes that came of it.

    `to`: the wire's name, one of `toolwire.wire.encode.ENCODERS`; for the options see `EncodeOptions`. A turn that ends
    badly ends with the wire's error form, and `aborts` is true then where the connection has to be broken off behind
    it: clients of that wire would else take half an answer for a whole one. `pace`, `coalesce` and keep-alives need
    `now` and `tick`. Raises `UsageError` for an unknown wire or option.
    """

    def __init__(self, to: str, **options: Unpack[EncodeOptions]) -> None:
        given: dict[str, Any] = dict(options)
        pace, coalesce = given.pop("pace", None), given.pop("coalesce", None)
        keep_alive = given.pop("keep_alive", KEEP_ALIVE)
        if keep_alive is not None:
            demand_seconds("keep_alive", keep_alive)
        self._wire = encoder_for(to, given)
        self._writer = WRITERS[self._wire.framing]()
        self._stages: list[Coalescer | Pacer] = []
        if coalesce is not None or pace is not None:
            self._stages = stages(coalesce, pace)
        self._keep_alive: float | None = keep_alive if self._wire.keep_alive is not None else None
        self._quiet: float | None = None  # since when nothing went out
        self._ended = False

    @property
    def wire(self) -> str:
        """The name of the wire that is written."""
        return self._wire.wire

    @property
    def media_type(self) -> str:
        """The media type of what is written."""
        return self._writer.media_type

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers that a response has with it, the media type apart."""
        return {"cache-control": "no-cache", "x-accel-buffering": "no", **self._wire.headers}

    @property
    def failed(self) -> bool:
        """True once the turn ended badly, and the client was told."""
        return self._wire.failed

    @property
    def error(self) -> StreamError | None:
        """Why the turn ended badly."""
        return self._wire.error

    @property
    def stopped(self) -> bool:
        """True once the turn was ended here, though the stream may go on: close it."""
        return self._wire.stopped

    @property
    def aborts(self) -> bool:
        """True once the connection has to be broken off, behind what was returned: there must be no clean end."""
        return self._wire.aborts

    @property
    def pacing(self) -> bool:
        """True while a whole call is handed out bit by bit: before `end`, let `tick` do so."""
        return any(stage.paces and stage.deadline() is not None for stage in self._stages)

    def start(self, now: float) -> None:
        """The client waits from now on: keep-alives count from here, or else from the first event."""
        self._quiet = now

    def feed(self, event: Event, now: float | None = None) -> bytes:
        """The next event."""
        if self._ended:
            raise UsageError("this encoder has ended: make a new one for the next stream")
        if type(event) not in _EVENTS:
            raise UsageError(f"an encoder takes events, not {type(event).__name__}: see toolwire.stream and astream")
        if not self._stages:
            return self._written(self._wire.feed(event), now)
        return self._write(self._through([event], now, 0), now)

    def release(self, now: float) -> bytes:
        """What was held back to be joined with what comes, now: the caller is about to wait for more."""
        out = b""
        for place, stage in enumerate(self._stages):
            if not stage.paces:
                out += self._write(self._through(stage.flush(), now, place + 1), now)
        return out

    def end(self, now: float | None = None) -> bytes:
        """No more events come. What is still held back goes out; repeats do nothing."""
        if self._ended:
            return b""
        self._ended = True
        # What is further on came first.
        rest = [event for stage in reversed(self._stages) for event in stage.flush()]
        out = self._write(rest, now) + self._writer.write(self._wire.end())
        return out if self._wire.aborts else out + self._writer.end()

    def deadline(self) -> float | None:
        """The reading of the clock at which `tick` is due if nothing came before; None if it never is."""
        if self._ended:
            return None
        due = [stage.deadline() for stage in self._stages]
        if self._keep_alive is not None and self._quiet is not None and not self._wire.failed:
            due.append(self._quiet + self._keep_alive)
        return min((each for each in due if each is not None), default=None)

    def tick(self, now: float) -> bytes:
        """Time has passed: what was held back until now, or a sign of life."""
        out = b""
        if self._ended:
            return out
        for place, stage in enumerate(self._stages):
            out += self._write(self._through(stage.tick(now), now, place + 1), now)
        if self._keep_alive is not None and not self._wire.failed and not out:
            if self._quiet is None:
                self._quiet = now
            elif now >= self._quiet + self._keep_alive:
                self._quiet = now
                out = self._wire.keep_alive or b""
        return out

    def _through(self, events: list[Event], now: float | None, place: int) -> list[Event]:
        """Events through the stages from one on."""
        for stage in self._stages[place:]:
            if now is None:
                raise UsageError("pace and coalesce need the time: feed(event, now)")
            events = [out for event in events for out in stage.feed(event, now)]
        return events

    def _write(self, events: Iterable[Event], now: float | None) -> bytes:
        return b"".join(self._written(self._wire.feed(event), now) for event in events)

    def _written(self, frames: list[Frame], now: float | None) -> bytes:
        if not frames:
            return b""
        if now is not None:
            self._quiet = now
        return self._writer.write(frames)
