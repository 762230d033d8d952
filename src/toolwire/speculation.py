"""Work for a call that is begun before the call is whole, and whose result counts only if the call comes to stand.

For work without effects only: a search, a lookup, a page fetched into a cache. It may run for a call that never comes
about.
"""

from __future__ import annotations

import asyncio
import inspect
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from toolwire.encoding import encode
from toolwire.errors import ProviderError, UsageError
from toolwire.live_value import LiveValue
from toolwire.partial.changes import copy_value
from toolwire.paths import Step, as_path, shown
from toolwire.trust import CallError
from toolwire.waiting import check, look

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator
    from types import TracebackType
    from typing import Self

    from toolwire.partial.changes import Path

__all__ = ["Speculation", "speculate"]

R = TypeVar("R")


def speculate(
    call: LiveValue,
    inputs: Step | list[Step],
    work: Callable[..., Awaitable[R]],
    *,
    confirm: Literal["call", "turn"] = "call",
) -> Speculation[R]:
    """Begin `work` as soon as its inputs are whole: `async with speculate(call, "query", fetch) as early: await early`.

    `inputs`: a path in the call's arguments, or a list of paths; `work` is called with their values, once. What it
    returns, or raises, is handed over only if the call ends well with the same inputs ("call": `call.ready`), or is
    confirmed by its turn ("turn": `call.executable`). On anything else - an input that never comes or changes, a
    rejection, a reset, an abort, a timeout, the end of the `async with` - the work is cancelled, and `await early`
    raises `ToolCallError`. Raises `UsageError` if there is such work for this call already.

    Only for work without effects: it may have run for a call that was never to be run.
    """
    if confirm not in ("call", "turn"):
        raise UsageError(f"confirm is 'call' or 'turn', not {confirm!r}")
    if not callable(work):
        raise UsageError(f"the work is an async function of the inputs, not {work!r}")
    if not isinstance(call, LiveValue):
        raise UsageError(f"work is begun for a call of a stream, not for {call!r}")
    if inputs == []:
        raise UsageError("work without inputs can begin at once: it needs no speculation")
    paths = [as_path(each) for each in (inputs if isinstance(inputs, list) else [inputs])]
    return Speculation(call, paths, work, of_turn=confirm == "turn")


class Speculation(Generic[R]):
    """Work under way for a call: enter it, then `await` it for its result. See `speculate`."""

    def __init__(self, call: LiveValue, paths: list[Path], work: Callable[..., Awaitable[R]], *, of_turn: bool) -> None:
        self._call = call
        self._paths = paths
        self._work = work
        self._of_turn = of_turn
        self._task: asyncio.Task[R] | None = None
        self._started = False

    @property
    def started(self) -> bool:
        """Whether the inputs came and the work was begun."""
        return self._started

    def __await__(self) -> Generator[Any, None, R]:
        return self.result().__await__()

    async def result(self) -> R:
        """The work's result, once the call has come to stand. Raises `ToolCallError` when it doesn't."""
        if self._task is None:
            raise UsageError("enter it first: async with speculate(…) as early")
        reader = self._call._reader
        try:
            with reader.waited_for() if reader is not None else nullcontext():
                result = await asyncio.shield(self._task)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._task.cancelled() or (task is not None and task.cancelling()):
                raise
            raise self._call.failure(CallError("cancelled", "the work begun for it was cancelled")) from None
        self._stands()  # it may have been revoked since
        return result

    async def __aenter__(self) -> Self:
        if self._call._reader is None:
            raise UsageError("nothing reads on: speculation is for what an async stream reads")
        if self._work in self._call._early:
            raise UsageError("this work was begun for this call before: it never runs twice for one call")
        self._call._early.append(self._work)
        self._task = asyncio.get_running_loop().create_task(self._run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        task = self._task
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                task.exception()  # whoever wanted to know has asked

    async def _run(self) -> R:
        inputs = [await self._call.value(path) for path in self._paths]
        begun = self._work(*copy_value(inputs))
        if not inspect.isawaitable(begun):
            raise UsageError(f"the work is an async function: {self._work!r} returned {type(begun).__name__}")
        self._started = True
        work = asyncio.ensure_future(begun)
        try:
            while not (self._stands() and work.done()):
                try:
                    await self._either(work)
                except ProviderError:  # the stream was closed: it stays as it is
                    if not self._stands():
                        raise
                    break
                self._compare(inputs)
            self._compare(inputs)
            return await work
        finally:
            if not work.done():
                work.cancel()
                await asyncio.wait([work])
            if not work.cancelled():
                work.exception()

    def _stands(self) -> bool:
        """Whether the result may be handed over. Raises if it never may."""
        call = self._call
        if call.executable if self._of_turn else call.ready:
            return True
        check(call)
        return False

    async def _either(self, work: asyncio.Future[R]) -> None:
        """Until the work is done, or the stream has taken in some more. Raises if that was closed."""
        more = asyncio.ensure_future(self._call.more())
        due: list[asyncio.Future[Any]] = [more] if work.done() else [more, work]
        try:
            await asyncio.wait(due, return_when=asyncio.FIRST_COMPLETED)
        finally:
            more.cancel()
            await asyncio.wait([more])
        if not more.cancelled():
            more.result()

    def _compare(self, inputs: list[Any]) -> None:
        """A key that came again may have changed an input."""
        for path, was in zip(self._paths, inputs, strict=True):
            place = look(self._call, path)
            if place.closed and place.found is not was and encode(place.found) != encode(was):
                what = f"the input {shown(path) or 'itself'!r} changed after the work was begun"
                raise self._call.failure(CallError("changed", what))
