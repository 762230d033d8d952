"""Waiting for parts of a call that is still being written: a value, a string as it grows, elements, the result.

All state is the call's own live value, so that a waiter needs no queue: it looks, and if what it wants isn't there, it
waits until the stream has taken in some more and looks again. What will never be there is told at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from toolwire.errors import ToolCallError, UsageError
from toolwire.partial.changes import MISSING
from toolwire.trust import CallError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from toolwire.call import ToolCall
    from toolwire.partial.changes import Path

__all__ = ["items", "look", "never", "result", "tell", "text", "value"]


class Place(NamedTuple):
    """What is at a path now. `gone`: why nothing ever will be, "" while that is open."""

    found: Any = MISSING
    closed: bool = False
    gone: str = ""


def look(call: ToolCall, path: Path) -> Place:
    """What is at a path now. Raises `UsageError` for what is no path."""
    if not all(isinstance(step, str) or (type(step) is int and step >= 0) for step in path):
        raise UsageError(f"a path is made of keys and of indexes from 0, not {path!r}")
    found = call.partial if call.shown else MISSING
    closed = call.is_closed(())
    if found is MISSING:
        return Place(gone="the call has no arguments" if closed else "")
    for depth, step in enumerate(path):
        if isinstance(found, dict) and isinstance(step, str):
            known = step in found
        elif isinstance(found, list) and isinstance(step, int):
            known = step < len(found)
        else:
            return Place(gone=f"{_shown(path[:depth]) or 'the value'} is {_kind(found)}")
        if not known:
            closed = call.is_closed(path[:depth])
            return Place(gone=f"{_shown(path[:depth]) or 'the object'} is whole without it" if closed else "")
        found = cast("dict[str | int, Any]", found)[step]
    return Place(found, call.is_closed(path))


def never(call: ToolCall, path: Path, place: Place) -> ToolCallError | None:
    """The error of what isn't there and won't come; None while it may."""
    if place.gone:
        return _error(call, path, CallError("absent", place.gone))
    if call.error is not None:
        return _error(call, path, call.error)
    return _error(call, path, CallError("absent", "the call has ended without it")) if call.done else None


def tell(call: ToolCall) -> None:
    """Call back those whose value has come, or won't come. What a callback raises is the caller's."""
    waiting, call._watches = call._watches, []
    for index, (path, then, otherwise) in enumerate(waiting):
        place = look(call, path)
        error = None if place.closed and not call.rejected else never(call, path, place)
        try:
            if place.closed and not call.rejected:
                then(place.found)
            elif error is None:
                call._watches.append((path, then, otherwise))
            elif otherwise is not None:
                otherwise(error)
        except BaseException:
            call._watches += waiting[index + 1 :]
            raise


async def value(call: ToolCall, path: Path) -> Any:
    """The value at a path, as soon as it is whole."""
    while True:
        place = look(call, path)
        if place.closed and not call.rejected:
            return place.found
        error = never(call, path, place)
        if error is not None:
            raise error
        del place
        await call.more()


async def text(call: ToolCall, path: Path) -> AsyncIterator[str]:
    """The string at a path, as it grows."""
    sent = 0
    while True:
        piece, closed, error = _grown(call, path, sent)
        if piece:
            sent += len(piece)
            yield piece
        elif closed:
            return
        elif error is not None:
            raise error
        else:
            await call.more()


def _grown(call: ToolCall, path: Path, sent: int) -> tuple[str, bool, ToolCallError | None]:
    """What of a string is new, whether it is whole, and why it will never be. The string itself is let go of.

    It grows in place only while nobody else holds it.
    """
    place = look(call, path)
    if call.rejected or place.found is MISSING:
        return "", False, never(call, path, place)
    if not isinstance(place.found, str):
        raise _error(call, path, CallError("absent", f"it is {_kind(place.found)}, not a string"))
    return place.found[sent:], place.closed, None if place.closed else never(call, path, place)


async def items(call: ToolCall, path: Path) -> AsyncIterator[Any]:
    """The elements of the array at a path, each as soon as it is whole."""
    sent = 0
    while True:
        place = look(call, path)
        if place.found is not MISSING and not isinstance(place.found, list):
            raise _error(call, path, CallError("absent", f"it is {_kind(place.found)}, not an array"))
        if not call.rejected and place.found is not MISSING:
            if sent < len(place.found) and call.is_closed((*path, sent)):
                sent += 1
                yield place.found[sent - 1]
                continue
            if place.closed:
                return
        error = never(call, path, place)
        if error is not None:
            raise error
        await call.more()


async def result(call: ToolCall) -> Any:
    """The final arguments, once the call may be run."""
    while not call.executable:
        error = call.error if call.done or call.rejected else None
        if error is not None:
            raise ToolCallError(f"{call.name or 'call'}: {error.message}", call=call, error=error)
        if call.settled:
            why = "its turn was not confirmed"
            if call.kind not in ("function", "custom"):
                why = "the provider runs it itself"
            elif call.status == "repaired":
                why = "its arguments were repaired"
            raise _error(call, (), CallError("unconfirmed", f"the call may not be run: {why}"))
        await call.more()
    return call.arguments


def _error(call: ToolCall, path: Path, error: CallError) -> ToolCallError:
    place = f" {_shown(path)!r}" if path else ""
    return ToolCallError(f"{call.name or 'call'}{place}: {error.message}", call=call, error=error)


def _shown(path: Path) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _kind(found: Any) -> str:
    if isinstance(found, dict):
        return "an object"
    if isinstance(found, list):
        return "an array"
    return "null" if found is None else f"a {type(found).__name__}"
