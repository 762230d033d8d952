"""One reader for any number of waiters: whoever needs more of a stream has it read on, and all look again.

The events come from one async generator. The consumer of events drives it itself; while it is busy, or where there is
none, a waiter has a task take one event at a time, which no waiter's cancellation stops. Events that a waiter caused
wait for their consumer, and waiters for it in turn, so that it is never far behind. But where the consumer itself waits
for a part, nobody would move: then it gets as far behind as that takes. Where it waits for somebody who waits, that
can't be seen, only that it stands still; so it gets further behind after a while.
"""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from toolwire.errors import UsageError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator

    from toolwire.events import Event

__all__ = ["SharedReader"]

_AHEAD = 256  # events that may wait for their consumer
_STANDSTILL = 1.0  # seconds after which so many more may


class SharedReader:
    """Drives a generator of events for its consumer and for waiters."""

    def __init__(self, events: AsyncGenerator[Event, None]) -> None:
        self._events = events
        self._waiting: deque[Event] = deque()  # taken for a waiter, due to the consumer
        self._consumer: asyncio.Task[Any] | None = None
        self._taken = 0  # events that the consumer took
        self._room = _AHEAD
        self._in_its_way = 0  # waits of the consumer itself
        self._watch: asyncio.TimerHandle | None = None  # for a standstill
        self._driving = False  # the consumer is at it
        self._step: asyncio.Task[None] | None = None
        self._sleepers: list[asyncio.Future[None]] = []  # who wait for the next change of anything here
        self._error: BaseException | None = None
        self._stepped = False
        self.over = False

    async def consume(self) -> AsyncIterator[Event]:
        """All events, for one consumer."""
        if self._stepped:
            raise UsageError("events were read for waiters already: begin to iterate before you wait, or don't iterate")
        import asyncio

        try:
            while True:
                self._consumer = asyncio.current_task()
                self._taken += 1
                self._room = _AHEAD
                if self._waiting:
                    event = self._waiting.popleft()
                    self.changed()
                elif self._step is not None:
                    await self._change()
                    continue
                elif self.over:
                    self.raise_error()
                    return
                else:
                    self._driving = True
                    try:
                        event = await anext(self._events)
                    except StopAsyncIteration:
                        self.over = True
                        return
                    except BaseException:
                        self.over = True
                        raise
                    finally:
                        self._driving = False
                        self.changed()
                yield event
        finally:
            self._consumer = None
            self._waiting.clear()
            await self.close()  # a consumer that leaves closes the source

    async def more(self) -> None:
        """Wait until something more has been taken in. Raises `UsageError` when nothing more can come."""
        if self.over:
            raise UsageError("the stream was closed while a part of it was waited for")
        with self.waited_for():
            if self._step is None and not self._driving:
                self._read_on()
            await self._change()

    @contextmanager
    def waited_for(self) -> Iterator[None]:
        """While somebody waits here for what only more of the stream can bring. If it is the consumer, make way."""
        import asyncio

        own = self._consumer is not None and asyncio.current_task() is self._consumer
        self._in_its_way += own
        if own:
            self.changed()
        try:
            yield
        finally:
            self._in_its_way -= own

    def _read_on(self) -> None:
        import asyncio

        loop = asyncio.get_running_loop()
        if len(self._waiting) < self._room or self._in_its_way:
            self._stepped = True
            self._step = loop.create_task(self._take())
        elif self._watch is None:
            self._watch = loop.call_later(_STANDSTILL, self._after_a_while, self._taken)

    def _after_a_while(self, taken: int) -> None:
        self._watch = None
        if taken == self._taken:
            self._room = len(self._waiting) + _AHEAD
        self.changed()

    def raise_error(self) -> None:
        """Raise what the source raised, if nobody has heard of it."""
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    async def close(self) -> None:
        """No more is wanted: the step under way is stopped, and every waiter looks a last time."""
        self.over = True
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        step = self._step
        if step is not None:
            import asyncio

            step.cancel()
            await asyncio.wait([step])
            self._step = None  # one that was cancelled before it began has said nothing
        if not self._driving:
            await self._events.aclose()
        self.changed()

    async def _take(self) -> None:
        import asyncio

        try:
            event = await anext(self._events)
        except StopAsyncIteration:
            self.over = True
        except asyncio.CancelledError:
            self.over = True
            raise
        except BaseException as error:  # noqa: BLE001  the consumer's to see; waiters see what became of their call
            self._error = error
            self.over = True
        else:
            if self._consumer is not None:
                self._waiting.append(event)
        finally:
            self._step = None
            self.changed()

    async def _change(self) -> None:
        import asyncio  # not before somebody waits: sync code needs none of it

        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append(sleeper)
        await sleeper

    def changed(self) -> None:
        """Something is other than it was: all who wait look again."""
        if self._sleepers:
            sleepers, self._sleepers = self._sleepers, []
            for sleeper in sleepers:
                if not sleeper.done():
                    sleeper.set_result(None)
