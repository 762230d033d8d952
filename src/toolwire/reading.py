"""One reader for any number of waiters: whoever needs more of a stream has it read on, and all look again.

The events come from one async generator. The consumer of events drives it itself; while it is busy, or where there is
none, a waiter has a task take one event at a time, which no waiter's cancellation stops. Events that a waiter caused
wait for their consumer, and waiters for it in turn, so that it is never far behind.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from toolwire.errors import UsageError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncGenerator, AsyncIterator

    from toolwire.events import Event

__all__ = ["SharedReader"]

_AHEAD = 256  # events that may wait for their consumer


class SharedReader:
    """Drives a generator of events for its consumer and for waiters."""

    def __init__(self, events: AsyncGenerator[Event, None]) -> None:
        self._events = events
        self._waiting: deque[Event] = deque()  # taken for a waiter, due to the consumer
        self._consumer = False
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
        self._consumer = True
        try:
            while True:
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
            self._consumer = False
            self._waiting.clear()
            await self.close()  # a consumer that leaves closes the source

    async def more(self) -> None:
        """Wait until something more has been taken in. Raises `UsageError` when nothing more can come."""
        if self.over:
            raise UsageError("the stream was closed while a part of it was waited for")
        if self._step is None and not self._driving and len(self._waiting) < _AHEAD:
            import asyncio

            self._stepped = True
            self._step = asyncio.get_running_loop().create_task(self._take())
        await self._change()

    def raise_error(self) -> None:
        """Raise what the source raised, if nobody has heard of it."""
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    async def close(self) -> None:
        """No more is wanted: the step under way is stopped, and every waiter looks a last time."""
        self.over = True
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
            if self._consumer:
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
