"""What the edges read from: pieces of any source, its closing, and a wait for the next piece that can be cut short.

A wait's clock, `waited`, runs only while the source is waited for, in seconds.
"""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from toolwire.http import body, body_async, head_of, interrupt, is_async

if TYPE_CHECKING:
    from asyncio import Task, TimerHandle

__all__ = ["AsyncWait", "CutShortError", "ThreadWait", "Wait", "aclose", "apieces", "close", "pieces"]


# How long a thread that was woken, or has nothing to wait for, may take to close its source, in seconds.
_PATIENCE = 5.0


class CutShortError(Exception):
    """The wait for the source's next piece was ended by a deadline or an abort."""


class Wait:
    """A wait that nothing can cut short: the source is read where it is needed."""

    def __init__(self, source: object) -> None:
        self._owner = source
        self._source = pieces(source)
        self._cut = False
        self.waited = 0.0

    def next(self, deadline: float | None) -> object:
        """The next piece; `deadline` is a reading of `waited`, which only a `ThreadWait` can heed.

        Raises `CutShortError` once `cut` was called.
        """
        del deadline
        if self._cut:
            raise CutShortError
        began = time.monotonic()
        try:
            return next(self._source)
        finally:
            self.waited += time.monotonic() - began

    def cut(self) -> None:
        """Want no more pieces. Here the source alone decides when a wait that has begun is over."""
        self._cut = True

    def stop(self) -> None:
        """No more pieces are wanted: close the source."""
        close(self._owner)


class ThreadWait(Wait):
    """A wait on a thread that reads the source, one piece at a time and only when asked."""

    def __init__(self, source: object) -> None:
        super().__init__(source)
        self._wanted: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._given: queue.SimpleQueue[tuple[object, BaseException | None]] = queue.SimpleQueue()
        self._reading = False
        self._thread = threading.Thread(target=self._read, name="toolwire-source", daemon=True)
        self._thread.start()

    def next(self, deadline: float | None) -> object:
        """The next piece. Raises `CutShortError` when `waited` reaches the deadline, or `cut` is called, first."""
        if self._cut:
            raise CutShortError
        began = time.monotonic()
        self._reading = True
        self._wanted.put(True)
        try:
            timeout = None if deadline is None else max(0.0, deadline - self.waited)
            piece, error = self._given.get(timeout=timeout)
        except queue.Empty:
            raise CutShortError from None
        finally:
            self.waited += time.monotonic() - began
        if error is not None:
            raise error
        self._reading = False
        return piece

    def cut(self) -> None:
        """End the wait, also from another thread."""
        self._cut = True
        self._given.put((None, CutShortError()))

    def stop(self) -> None:
        """Let the thread close the source and end: now, or when the source lets go of it."""
        self._wanted.put(False)
        if not self._reading or interrupt(self._owner):
            self._thread.join(_PATIENCE)

    def _read(self) -> None:
        while self._wanted.get():
            try:
                self._given.put((next(self._source), None))
            except BaseException as error:  # noqa: BLE001  raised again where the piece is wanted
                self._given.put((None, error))
                break
        close(self._owner)


class AsyncWait:
    """A wait for an async source. Deadlines and cuts work under asyncio; other loops have their own ways to cancel."""

    def __init__(self, source: AsyncIterator[object]) -> None:
        self._source = source
        self._task: Task[object] | None = None
        self._timer: TimerHandle | None = None
        self._due = 0.0
        self._cut = False
        self.waited = 0.0

    async def next(self, deadline: float | None) -> object:
        """The next piece. Raises `CutShortError` when `waited` reaches the deadline, or `cut` is called, first."""
        if self._cut:
            raise CutShortError
        began = time.monotonic()
        task = self._task = _current_task()
        if task is not None and deadline is not None:
            self._due = began + deadline - self.waited
            self._arm(task)
        try:
            return await anext(self._source)
        except BaseException as error:
            # Only a cancellation that we asked for is ours to swallow.
            ours = task is not None and self._task is None and type(error).__name__ == "CancelledError"
            if task is not None and ours and task.uncancel() == 0:
                raise CutShortError from None
            raise
        finally:
            self._task = None
            self.waited += time.monotonic() - began

    def cut(self) -> None:
        """End the wait."""
        self._cut = True
        if self._task is not None:
            task, self._task = self._task, None
            task.cancel()

    def stop(self) -> None:
        """No more pieces are wanted."""
        if self._timer is not None:
            self._timer.cancel()

    async def close(self) -> None:
        """No more pieces are wanted, and the iterator may go. One that somebody else still waits for goes by itself."""
        self.stop()
        if isinstance(self._source, AsyncGenerator):
            with suppress(RuntimeError):
                await self._source.aclose()

    def _arm(self, task: Task[object]) -> None:
        """One timer serves many waits: it is moved only when a deadline comes before it."""
        loop = task.get_loop()
        wanted = loop.time() + self._due - time.monotonic()
        if self._timer is not None:
            if self._timer.when() <= wanted:
                return
            self._timer.cancel()
        self._timer = loop.call_at(wanted, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._task is None:
            return
        if time.monotonic() < self._due:
            self._arm(self._task)
        else:
            self.cut()


def pieces(source: object) -> Iterator[object]:
    """The pieces of a source: of an HTTP response its body's; of what is a piece itself that one."""
    if head_of(source) is not None:
        return iter(body(source))
    whole = isinstance(source, bytes | bytearray | memoryview | str | Mapping) or not isinstance(source, Iterable)
    return iter((source,)) if whole or _is_payload(source) else iter(cast("Iterable[object]", source))


async def apieces(source: object) -> AsyncIterator[object]:
    """The pieces of an async source; of any other, those of `pieces`."""
    if head_of(source) is not None:
        source = body_async(source)
    if isinstance(source, AsyncIterable):
        iterator = aiter(cast("AsyncIterable[object]", source))
        try:
            async for piece in iterator:
                yield piece
        finally:
            if iterator is not source and hasattr(iterator, "aclose"):
                await iterator.aclose()
    else:
        for piece in pieces(source):
            yield piece


def close(source: Any) -> None:
    """Close a source that can be closed."""
    method = getattr(source, "close", None)
    if callable(method):
        method()


async def aclose(source: Any) -> None:
    """Close an async source that can be closed, or a sync one."""
    for name in ("aclose", "close") if hasattr(source, "__aiter__") or is_async(source) else ("close", "aclose"):
        method = getattr(source, name, None)
        if callable(method):
            result = method()
            if hasattr(result, "__await__"):
                await result
            return


def _is_payload(source: object) -> bool:
    """A Pydantic object iterates over its fields, but it is one payload."""
    return callable(getattr(source, "model_dump", None))


def _current_task() -> Task[object] | None:
    """The running asyncio task; None under another event loop."""
    asyncio = sys.modules.get("asyncio")
    try:
        return asyncio.current_task() if asyncio is not None else None
    except RuntimeError:
        return None
