"""The edges: iterate over any source, sync or async. The two mirror each other, and hold nothing but bytes."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from toolwire.errors import UsageError
from toolwire.events import Finish
from toolwire.message import Message
from toolwire.sansio import Stream

if TYPE_CHECKING:
    from asyncio import Task
    from types import TracebackType
    from typing import Self, Unpack

    from toolwire.call import ToolCall
    from toolwire.events import Event
    from toolwire.sansio import StreamOptions

__all__ = ["AsyncEventStream", "EventStream", "acollect", "astream", "collect", "stream"]


class _EventStream:
    """What both edges share: the sans-I/O stream and the way one piece of input goes into it."""

    def __init__(self, source: object, wire: str, options: StreamOptions) -> None:
        self._source = source
        self._stream = Stream(wire, **options)
        self._used = False
        self._aborted: str | None = None
        self._cut = False

    @property
    def wire(self) -> str | None:
        """The wire's name; None until it is found."""
        return self._stream.wire

    @property
    def framing(self) -> str | None:
        """How the bytes are framed; None until it is found, or where payloads came."""
        return self._stream.framing

    @property
    def calls(self) -> list[ToolCall]:
        """Every call of the turn so far."""
        return self._stream.calls

    def abort(self, reason: str = "aborted") -> None:
        """Stop: the next events are the ends of the open calls, one `StreamError` and one `Finish` per choice.

        From inside the loop, or from anywhere else: an async stream that waits for its source stops waiting (under
        asyncio), a sync one notices when the source gives its next piece.
        """
        if self._aborted is None:
            self._aborted = reason

    def _begin(self) -> None:
        if self._used:
            raise UsageError("a stream can be iterated once")
        self._used = True

    def _take(self, piece: object) -> deque[Event]:
        """One piece of input; its events."""
        if isinstance(piece, bytes | bytearray | memoryview | str):
            return deque(self._stream.receive(piece))
        return deque(self._stream.receive_payload(piece))

    def _rest(self, batch: deque[Event]) -> deque[Event]:
        """What is still to be delivered, now that the consumer has seen one more event and may have acted on it."""
        if self._aborted is not None and not self._cut:
            self._cut = True
            return deque(self._stream.abort(self._aborted, undelivered=batch))
        if not batch:
            batch.extend(self._stream.pending())
        return batch

    def _current(self, event: Event) -> Event:
        """An event as it is true now: a call rejected since the batch was made is not for running."""
        if isinstance(event, Finish) and not all(call.executable for call in event.calls):
            calls = tuple(call for call in event.calls if call.executable)
            return Finish(event.reason, calls, event.raw, event.choice)
        return event

    def _over(self, error: Exception | None) -> deque[Event]:
        """The source is exhausted, or broke."""
        if error is None:
            return deque(self._stream.end())
        return deque(self._stream.fail(f"the source broke: {type(error).__name__}: {error}"))


class EventStream(_EventStream):
    """The events of a source, as an iterator. Leaving the loop closes the source; `with` does so for certain."""

    def __iter__(self) -> Iterator[Event]:
        self._begin()
        return self._run()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the source."""
        _call(self._source, "close")

    def message(self) -> Message:
        """Read to the end and fold the events into a message."""
        return Message.of(self)

    def _run(self) -> Iterator[Event]:
        error: Exception | None = None
        try:
            pieces = iter(_pieces(self._source))
            while not self._stream.done:
                if self._aborted is not None:
                    yield from self._rest(deque())
                    break
                try:
                    piece = next(pieces)
                except StopIteration:
                    batch = self._over(None)
                except Exception as caught:  # noqa: BLE001  the source is the caller's: any error of it ends the turn
                    error = caught
                    batch = self._over(caught)
                else:
                    batch = self._take(piece)
                while batch:
                    yield self._current(batch.popleft())
                    batch = self._rest(batch)
        finally:
            self.close()
        if error is not None:
            raise error


class _AbortedError(Exception):
    """The wait for the source was cut short by `abort`."""


class AsyncEventStream(_EventStream):
    """The events of a source, as an async iterator. Leaving the loop or cancelling closes the source."""

    def __init__(self, source: object, wire: str, options: StreamOptions) -> None:
        super().__init__(source, wire, options)
        self._waiting: Task[object] | None = None

    def abort(self, reason: str = "aborted") -> None:
        """As in the sync edge; a wait for the source is cut short."""
        super().abort(reason)
        if self._waiting is not None:
            task, self._waiting = self._waiting, None
            task.cancel()

    async def _next(self, pieces: AsyncIterator[object]) -> object:
        """The source's next piece. Raises `_AbortedError` when `abort` was called before it came."""
        if self._aborted is not None:
            raise _AbortedError
        task = self._waiting = _current_task()
        try:
            return await anext(pieces)
        except BaseException as error:
            # Only a cancellation that abort() asked for is ours to swallow.
            ours = task is not None and self._waiting is None and type(error).__name__ == "CancelledError"
            if task is not None and ours and task.uncancel() == 0:
                raise _AbortedError from None
            raise
        finally:
            self._waiting = None

    def __aiter__(self) -> AsyncIterator[Event]:
        self._begin()
        return self._run()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the source."""
        await _acall(self._source)

    async def message(self) -> Message:
        """Read to the end and fold the events into a message."""
        message = Message()
        async for event in self:
            message.feed(event)
        return message.settle()

    async def _run(self) -> AsyncIterator[Event]:
        error: Exception | None = None
        try:
            pieces = aiter(_apieces(self._source))
            while not self._stream.done:
                try:
                    piece = await self._next(pieces)
                except StopAsyncIteration:
                    batch = self._over(None)
                except _AbortedError:
                    batch = self._rest(deque())
                except Exception as caught:  # noqa: BLE001  as in the sync edge
                    error = caught
                    batch = self._over(caught)
                else:
                    batch = self._take(piece)
                while batch:
                    yield self._current(batch.popleft())
                    batch = self._rest(batch)
        finally:
            await self.aclose()
        if error is not None:
            raise error


def stream(source: object, wire: str = "auto", **options: Unpack[StreamOptions]) -> EventStream:
    """The events of a source: bytes, text or lines in any cut, parsed payloads, or objects of a provider's SDK.

    `source` is an iterable of such pieces, or one of them whole. The options are those of `Stream`. Raises
    `UsageError` for an unknown wire or option; what the provider does wrong comes as a `StreamError` event. An
    exception of the source itself is raised on, after the events that end the turn.
    """
    return EventStream(source, wire, options)


def astream(source: object, wire: str = "auto", **options: Unpack[StreamOptions]) -> AsyncEventStream:
    """`stream` for an async source (a sync one will do)."""
    return AsyncEventStream(source, wire, options)


def collect(source: object, wire: str = "auto", **options: Unpack[StreamOptions]) -> Message:
    """Read a source to its end: text, reasoning, calls, finish, usage, error."""
    return stream(source, wire, **options).message()


async def acollect(source: object, wire: str = "auto", **options: Unpack[StreamOptions]) -> Message:
    """`collect` for an async source."""
    return await astream(source, wire, **options).message()


def _current_task() -> Task[object] | None:
    """The running asyncio task; None under another event loop, which then has its own ways to cancel."""
    asyncio = sys.modules.get("asyncio")
    try:
        return asyncio.current_task() if asyncio is not None else None
    except RuntimeError:
        return None


def _pieces(source: object) -> Iterable[object]:
    if isinstance(source, bytes | bytearray | memoryview | str | Mapping) or not isinstance(source, Iterable):
        return (source,)
    if _is_payload(source):
        return (source,)
    return cast("Iterable[object]", source)


async def _apieces(source: object) -> AsyncIterator[object]:
    if isinstance(source, AsyncIterable):
        async for piece in cast("AsyncIterable[object]", source):
            yield piece
    else:
        for piece in _pieces(source):
            yield piece


def _is_payload(source: object) -> bool:
    """A Pydantic object iterates over its fields, but it is one payload."""
    return callable(getattr(source, "model_dump", None))


def _call(source: Any, name: str) -> None:
    method = getattr(source, name, None)
    if callable(method):
        method()


async def _acall(source: Any) -> None:
    for name in ("aclose", "close"):
        method = getattr(source, name, None)
        if callable(method):
            result = method()
            if hasattr(result, "__await__"):
                await result
            return
