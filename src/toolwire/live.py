"""The edges: iterate over any source, sync or async. The two mirror each other, and hold nothing but bytes."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from toolwire.errors import UsageError
from toolwire.events import Finish, ToolCallDelta, ToolCallEnd, ToolCallStart
from toolwire.http import described, head_of, source_error
from toolwire.message import Message
from toolwire.reading import SharedReader
from toolwire.sansio import Stream
from toolwire.sources import AsyncWait, CutShortError, ThreadWait, Wait, aclose, apieces, close
from toolwire.waiting import tell

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator
    from types import TracebackType
    from typing import Self, Unpack

    from toolwire.call import ToolCall
    from toolwire.events import Event
    from toolwire.options import StreamOptions
    from toolwire.output import Output

__all__ = ["AsyncEventStream", "EventStream", "acollect", "astream", "collect", "stream"]


class _EventStream:
    """What both edges share: the sans-I/O stream and the way one piece of input goes into it."""

    def __init__(self, source: object, wire: str, options: StreamOptions) -> None:
        self._source = source
        self._stream = Stream(wire, **options)
        self._timed = options.get("timeouts") is not None
        self._used = False
        self._wait: Wait | AsyncWait | None = None
        self._aborted: str | None = None
        self._cut = False
        self._closed = False
        self.ready = 0  # events that are there already, behind the one that was given last
        self._output = self._stream.output if options.get("text_schema") is not None else None

    @property
    def wire(self) -> str | None:
        """The wire's name; None until it is found."""
        return self._stream.wire

    @property
    def evidence(self) -> str | None:
        """Why the stream is read as this wire; None until it is found."""
        return self._stream.evidence

    @property
    def framing(self) -> str | None:
        """How the bytes are framed; None until it is found, or where payloads came."""
        return self._stream.framing

    @property
    def output(self) -> Output:
        """The answer's text as a live JSON value; a new one after a `Reset` of the turn. Needs `text_schema`."""
        return self._stream.output

    def abort(self, reason: str = "aborted") -> None:
        """Stop: the next events are the ends of the open calls, one `StreamError` and one `Finish` per choice.

        From inside the loop, or from anywhere else: a stream that waits for its source stops waiting, if it is async
        (under asyncio) or has limits in time; else it notices when the source gives its next piece.
        """
        if self._aborted is None:
            self._aborted = reason
            if self._wait is not None:
                self._wait.cut()

    def _begin(self) -> None:
        if self._used:
            raise UsageError("a stream can be iterated once")
        self._used = True

    def _take(self, piece: object, now: float) -> deque[Event]:
        """One piece of input; its events."""
        if isinstance(piece, bytes | bytearray | memoryview | str):
            return deque(self._stream.receive(piece, now))
        return deque(self._stream.receive_payload(piece, now))

    def _rest(self, batch: deque[Event]) -> deque[Event]:
        """What is still to be delivered, now that the consumer has seen one more event and may have acted on it."""
        if self._aborted is not None and not self._cut:
            self._cut = True
            return deque(self._stream.abort(self._aborted, undelivered=batch))
        if not batch:
            batch.extend(self._stream.pending())
        return batch

    def _current(self, event: Event) -> Event:
        """An event as it is true now: a call may be rejected since the batch was made. Callbacks come first."""
        if isinstance(event, (ToolCallDelta, ToolCallEnd)) and event.call._watches:
            tell(event.call)
        if self._output is not None:
            if self._output._watches:
                tell(self._output)
            self._output = self._stream.output
        if isinstance(event, Finish) and not all(call.executable for call in event.calls):
            calls = tuple(call for call in event.calls if call.executable)
            return Finish(event.reason, calls, event.raw, event.choice)
        return event

    def _overdue(self, now: float) -> deque[Event]:
        """The wait was cut short, by an abort or by a limit."""
        if self._aborted is not None:
            return self._rest(deque())
        return deque(self._stream.tick(now))

    def _head(self, now: float) -> None:
        """What an HTTP response says before its bytes; no event comes of it."""
        head = head_of(self._source)
        if head is not None:
            self._stream.receive_head(head.status, head.headers, now)

    def _over(self, error: Exception | None) -> deque[Event]:
        """The source is exhausted, or broke."""
        if error is None:
            return deque(self._stream.end())
        told = source_error(error)
        return deque(self._stream.fail(told or f"the source broke: {described(error)}"))


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
        if self._closed:
            return
        self._closed = True
        if isinstance(self._wait, Wait):
            self._wait.stop()
        else:
            close(self._source)

    def calls(self) -> Iterator[ToolCall]:
        """Each call as soon as its name is known; the events in between are passed over."""
        for event in self:
            if isinstance(event, ToolCallStart):
                yield event.call

    def message(self) -> Message:
        """Read to the end and fold the events into a message."""
        message = Message.of(self)
        message._output = self._output
        return message

    def _run(self) -> Iterator[Event]:
        error: Exception | None = None
        stream = self._stream
        wait = self._wait = (ThreadWait if self._timed else Wait)(self._source)
        stream.start(wait.waited)
        if self._aborted is not None:
            wait.cut()
        try:
            self._head(wait.waited)
            while not stream.done:
                deadline = stream.deadline() if self._timed else None
                try:
                    piece = wait.next(deadline)
                except StopIteration:
                    batch = self._over(None)
                except CutShortError:
                    batch = self._overdue(deadline or 0.0)
                except Exception as caught:  # noqa: BLE001  the source is the caller's: any error of it ends the turn
                    error = caught
                    batch = self._over(caught)
                else:
                    batch = self._take(piece, wait.waited)
                while batch:
                    event = batch.popleft()
                    self.ready = len(batch)
                    yield self._current(event)
                    batch = self._rest(batch)
        finally:
            self.close()
        if error is not None and source_error(error) is None:
            raise error


class AsyncEventStream(_EventStream):
    """The events of a source, as an async iterator. Leaving the loop or cancelling closes the source."""

    def __init__(self, source: object, wire: str, options: StreamOptions) -> None:
        super().__init__(source, wire, options)
        self._reader = SharedReader(self._run())
        self._stream.read_on_by(self._reader)

    def __aiter__(self) -> AsyncIterator[Event]:
        self._begin()
        return self._reader.consume()

    async def calls(self) -> AsyncIterator[ToolCall]:
        """Each call as soon as its name is known. Beside it, and beside the events, any number may wait for parts."""
        told = 0
        while True:
            started = self._stream.started
            if told < len(started):
                told += 1
                yield started[told - 1]
            elif self._reader.over:
                self._reader.raise_error()
                return
            else:
                await self._reader.more()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the source. Whoever waits for a part of a call gets an error."""
        await self._reader.close()
        await self._close()

    async def _close(self) -> None:
        if isinstance(self._wait, AsyncWait):
            await self._wait.close()  # which may have had to leave it to a later call
        if not self._closed:
            await aclose(self._source)
            self._closed = True  # not before: who closes may be cancelled meanwhile

    async def message(self) -> Message:
        """Read to the end and fold the events into a message."""
        message = Message()
        async for event in self:
            message.feed(event)
        message._output = self._output
        return message.settle()

    async def _run(self) -> AsyncGenerator[Event, None]:
        error: Exception | None = None
        stream = self._stream
        wait = self._wait = AsyncWait(apieces(self._source))
        stream.start(wait.waited)
        if self._aborted is not None:
            wait.cut()
        try:
            self._head(wait.waited)
            while not stream.done:
                deadline = stream.deadline()
                try:
                    piece = await wait.next(deadline)
                except StopAsyncIteration:
                    batch = self._over(None)
                except CutShortError:
                    batch = self._overdue(deadline or 0.0)
                except Exception as caught:  # noqa: BLE001  as in the sync edge
                    error = caught
                    batch = self._over(caught)
                else:
                    batch = self._take(piece, wait.waited)
                while batch:
                    yield self._current(batch.popleft())
                    batch = self._rest(batch)
        finally:
            await self._close()
        if error is not None and source_error(error) is None:
            raise error


def stream(source: object, wire: str = "auto", **options: Unpack[StreamOptions]) -> EventStream:
    """The events of a source: bytes, text or lines in any cut, parsed payloads, or objects of a provider's SDK.

    `source` is an iterable of such pieces, one of them whole, or an HTTP response as its client hands it over (httpx,
    httpx2, requests; aiohttp and httpx in `astream`). The options are those of `Stream`; limits in time are on when
    `timeouts` are given, and then a thread reads the source. Raises `UsageError` for an unknown wire or option. What
    the provider or the network does wrong comes as a `StreamError` event; any other exception of the source is raised
    on, after the events that end the turn.
    """
    return EventStream(source, wire, options)


def astream(source: object, wire: str = "auto", **options: Unpack[StreamOptions]) -> AsyncEventStream:
    """`stream` for an async source (a sync one will do). Limits in time are always on: see `Timeouts`."""
    return AsyncEventStream(source, wire, options)


def collect(source: object, wire: str = "auto", **options: Unpack[StreamOptions]) -> Message:
    """Read a source to its end: text, reasoning, calls, finish, usage, error."""
    return stream(source, wire, **options).message()


async def acollect(source: object, wire: str = "auto", **options: Unpack[StreamOptions]) -> Message:
    """`collect` for an async source."""
    return await astream(source, wire, **options).message()
