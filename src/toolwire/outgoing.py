"""The edges on the way out: a stream's events as the bytes of a client's wire, sync and async."""

from __future__ import annotations

import time
from collections.abc import AsyncIterable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, overload

from toolwire.encoder import Encoder
from toolwire.errors import BadEndError, UsageError
from toolwire.sources import aclose, close

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncGenerator, Generator
    from typing import Self, Unpack

    from starlette.background import BackgroundTask

    from toolwire.asgi import EncodedResponse
    from toolwire.events import Event
    from toolwire.wire.encode.options import EncodeOptions

__all__ = ["AsyncWriting", "Writing", "encode", "encoder_of", "response"]

# Events that are read ahead of a client that takes its time.
_AHEAD = 64


@overload
def encode(stream: AsyncIterable[Event], to: str, **options: Unpack[EncodeOptions]) -> AsyncWriting: ...


@overload
def encode(stream: Iterable[Event], to: str, **options: Unpack[EncodeOptions]) -> Writing: ...


def encode(
    stream: AsyncIterable[Event] | Iterable[Event], to: str, **options: Unpack[EncodeOptions]
) -> AsyncWriting | Writing:
    """A stream's events as bytes of the wire `to`: pieces to be sent as they come, in a body that isn't buffered.

    `stream`: what `stream` or `astream` gave, or any iterable of events; what comes back is sync or async as it is.
    Nothing is read further than a few events ahead of who takes the bytes. It closes the stream at its end, and when it
    is closed itself or let go of; `with` and `async with` do so for certain. Options: see `EncodeOptions`; signs of
    life are sent in async code only. Raises `UsageError` for an unknown wire or option, and, behind the last piece of a
    turn that ended badly, `BadEndError` on the wires where the connection has to be broken off: let it pass through to
    the server, which does so.
    """
    encoder = encoder_of(to, options)
    if isinstance(stream, AsyncIterable):
        return AsyncWriting(stream, encoder)
    if isinstance(stream, Iterable) and not isinstance(stream, str | bytes | bytearray | Mapping):
        return Writing(stream, encoder)
    raise UsageError(f"encode takes a stream of events, not {type(stream).__name__}: see toolwire.stream and astream")


def response(
    stream: AsyncIterable[Event] | Iterable[Event],
    to: str,
    *,
    headers: Mapping[str, str] | None = None,
    background: BackgroundTask | None = None,
    **options: Unpack[EncodeOptions],
) -> EncodedResponse:
    """A Starlette response whose body is a stream's events in the wire `to`, with that wire's headers.

    `stream`: what `astream` gave, or `stream` (read in a thread then). A client that leaves closes it, also while it is
    silent. A turn that ended badly breaks the connection off on the wires that need that: the server logs a
    `BadEndError` then. `headers` are added, or stand in place of the wire's; `background` runs afterwards; options as
    in `EncodeOptions`. Raises `UsageError` for an unknown wire or option, and where Starlette isn't installed.
    """
    try:
        from toolwire.asgi import EncodedResponse
    except ImportError:
        raise UsageError("a response needs Starlette: pip install 'toolwire[starlette]'") from None
    return EncodedResponse(encode(stream, to, **options), headers, background)


class Writing:
    """The bytes of a sync stream, as `encode` gives them."""

    def __init__(self, stream: Iterable[Event], encoder: Encoder) -> None:
        self.encoder = encoder
        self.stream = stream
        self._pieces = write(stream, encoder)
        self._begun = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        self._begun = True
        return next(self._pieces)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """No more is wanted: close the stream."""
        self._pieces.close()
        if not self._begun:
            self._begun = True
            close(self.stream)


class AsyncWriting:
    """The bytes of an async stream, as `encode` gives them."""

    def __init__(self, stream: AsyncIterable[Event], encoder: Encoder) -> None:
        self.encoder = encoder
        self.stream = stream
        self._pieces = write_async(stream, encoder)
        self._begun = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        self._begun = True
        return await anext(self._pieces)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """No more is wanted: close the stream."""
        await self._pieces.aclose()
        if not self._begun:
            self._begun = True
            await aclose(self.stream)


def encoder_of(to: str, options: EncodeOptions) -> Encoder:
    """An encoder whose messages are dated by the clock, where the caller gives no date."""
    from toolwire.wire.encode import takes

    dated: Any = dict(options)
    if takes(to, "created"):
        dated.setdefault("created", int(time.time()))
    return Encoder(to, **dated)


def write(stream: Iterable[Event], encoder: Encoder) -> Generator[bytes, None, None]:
    """The bytes of a sync stream."""
    try:
        for event in stream:
            now = time.monotonic()
            data = encoder.feed(event, now)
            if not getattr(stream, "ready", 0):  # the next event has to be waited for
                data += encoder.release(now)
            if data:
                yield data
            while encoder.pacing and not getattr(stream, "ready", 0) and (due := encoder.deadline()) is not None:
                time.sleep(max(0.0, due - time.monotonic()))
                data = encoder.tick(time.monotonic())
                if data:
                    yield data
            if encoder.stopped:
                break
        data = encoder.end(time.monotonic())
        if data:
            yield data
    finally:
        close(stream)
    if encoder.aborts and encoder.error is not None:
        raise BadEndError(encoder.error)


async def write_async(stream: AsyncIterable[Event], encoder: Encoder) -> AsyncGenerator[bytes, None]:
    """The bytes of an async stream, with signs of life while it is quiet."""
    pump = _Pump(stream)
    try:
        encoder.start(time.monotonic())
        while True:
            due = encoder.deadline()
            events = await pump.take(None if due is None else due - time.monotonic())
            now = time.monotonic()
            data = encoder.tick(now) if events is None else b"".join([encoder.feed(each, now) for each in events])
            if data:
                yield data
            if encoder.stopped or (events is not None and not events):
                break
        while encoder.pacing and (due := encoder.deadline()) is not None:
            await pump.sleep(due - time.monotonic())
            data = encoder.tick(time.monotonic())
            if data:
                yield data
        data = encoder.end(time.monotonic())
        if data:
            yield data
        pump.raise_error()
    finally:
        await pump.close()
    if encoder.aborts and encoder.error is not None:
        raise BadEndError(encoder.error)


class _Pump:
    """Reads a stream's events in a task of its own, so that a wait for them can end without ending them."""

    def __init__(self, stream: AsyncIterable[Event]) -> None:
        import asyncio

        self._loop = asyncio.get_running_loop()
        self._stream = stream
        self._events: list[Event] = []
        self._over = False
        self._error: BaseException | None = None
        self._sleeper: asyncio.Future[None] | None = None  # who waits for events
        self._blocked: asyncio.Future[None] | None = None  # the task, where there are too many
        self._task = self._loop.create_task(self._run())

    async def take(self, patience: float | None) -> list[Event] | None:
        """The events that have come, at least one; none at the end; None when there are none in time."""
        if not self._events and not self._over:
            await self.sleep(patience)
            if not self._events and not self._over:
                return None
        events, self._events = self._events, []
        if self._blocked is not None and not self._blocked.done():
            self._blocked.set_result(None)
        return events

    async def sleep(self, patience: float | None) -> None:
        """Wait for something to happen, but no longer than that."""
        sleeper = self._sleeper = self._loop.create_future()
        timer = None if patience is None else self._loop.call_later(max(0.0, patience), _wake, sleeper)
        try:
            await sleeper
        finally:
            self._sleeper = None
            if timer is not None:
                timer.cancel()

    def raise_error(self) -> None:
        """Raise what the stream raised."""
        if self._error is not None:
            raise self._error

    async def close(self) -> None:
        """No more is wanted."""
        import asyncio

        self._task.cancel()
        await asyncio.wait([self._task])
        await aclose(self._stream)

    async def _run(self) -> None:
        try:
            async for event in self._stream:
                self._events.append(event)
                if self._sleeper is not None:
                    _wake(self._sleeper)
                if len(self._events) >= _AHEAD:
                    self._blocked = self._loop.create_future()
                    await self._blocked
        except Exception as error:  # noqa: BLE001  raised again where the events are taken
            self._error = error
        finally:
            self._over = True
            if self._sleeper is not None:
                _wake(self._sleeper)


def _wake(sleeper: asyncio.Future[None]) -> None:
    if not sleeper.done():
        sleeper.set_result(None)
