"""Waiting for parts of a value that is still being written: a value, a string as it grows, elements, the result.

All state is the live value itself, so that a waiter needs no queue: it looks, and if what it wants isn't there, it
waits until the stream has taken in some more and looks again. What will never be there is told at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from toolwire.partial.changes import MISSING
from toolwire.paths import shown
from toolwire.trust import CallError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from toolwire.errors import ToolwireError
    from toolwire.live_value import LiveValue
    from toolwire.partial.changes import Path

__all__ = ["check", "items", "look", "never", "result", "tell", "text", "value"]


class Place(NamedTuple):
    """What is at a path now. `gone`: why nothing ever will be, "" while that is open."""

    found: Any = MISSING
    closed: bool = False
    gone: str = ""


def look(live: LiveValue, path: Path) -> Place:
    """What is at a path now."""
    if not live.shown:
        return Place(gone="there is no value" if live.closed and not live.hidden else "")
    found = live.partial
    way: Path = ()
    for step in path:
        if isinstance(found, list) and isinstance(step, str) and step.isdecimal() and step.isascii():
            step = int(step)  # a pointer doesn't say whether it means a key
        if isinstance(found, dict) and isinstance(step, str):
            known = step in found
        elif isinstance(found, list) and isinstance(step, int):
            known = step < len(found)
        else:
            return Place(gone=f"{shown(way) or 'the value'} is {_kind(found)}")
        if not known:
            return Place(gone=f"{shown(way) or 'the object'} is whole without it" if live.is_closed(way) else "")
        found = cast("dict[str | int, Any]", found)[step]
        way += (step,)
    return Place(found, live.is_closed(way))


def never(live: LiveValue, path: Path, place: Place) -> ToolwireError | None:
    """The error of what isn't there and won't come; None while it may."""
    if place.gone:
        return live.failure(CallError("absent", place.gone), path)
    if live.error is not None:
        return live.failure(live.error, path)
    return live.failure(CallError("absent", f"{live.label} has ended without it"), path) if live.done else None


def tell(live: LiveValue) -> None:
    """Call back those whose value has come, or won't come. What a callback raises is the caller's."""
    waiting, live._watches = live._watches, []
    for index, (path, then, otherwise) in enumerate(waiting):
        place = look(live, path)
        error = None if place.closed and not live.rejected else never(live, path, place)
        try:
            if place.closed and not live.rejected:
                then(place.found)
            elif error is None:
                live._watches.append((path, then, otherwise))
            elif otherwise is not None:
                otherwise(error)
        except BaseException:
            live._watches += waiting[index + 1 :]
            raise


async def value(live: LiveValue, path: Path) -> Any:
    """The value at a path, as soon as it is whole."""
    while True:
        place = look(live, path)
        if place.closed and not live.rejected:
            return place.found
        error = never(live, path, place)
        if error is not None:
            raise error
        del place
        await live.more()


async def text(live: LiveValue, path: Path) -> AsyncIterator[str]:
    """The string at a path, as it grows."""
    sent = 0
    while True:
        piece, closed, error = _grown(live, path, sent)
        if piece:
            sent += len(piece)
            yield piece
        elif closed:
            return
        elif error is not None:
            raise error
        else:
            await live.more()


def _grown(live: LiveValue, path: Path, sent: int) -> tuple[str, bool, ToolwireError | None]:
    """What of a string is new, whether it is whole, and why it will never be. The string itself is let go of.

    It grows in place only while nobody else holds it.
    """
    place = look(live, path)
    if live.rejected or place.found is MISSING:
        return "", False, never(live, path, place)
    if not isinstance(place.found, str):
        raise live.failure(CallError("absent", f"it is {_kind(place.found)}, not a string"), path)
    return place.found[sent:], place.closed, None if place.closed else never(live, path, place)


async def items(live: LiveValue, path: Path) -> AsyncIterator[Any]:
    """The elements of the array at a path, each as soon as it is whole."""
    sent = 0
    while True:
        place = look(live, path)
        if place.found is not MISSING and not isinstance(place.found, list):
            raise live.failure(CallError("absent", f"it is {_kind(place.found)}, not an array"), path)
        if not live.rejected and place.found is not MISSING:
            if sent < len(place.found) and look(live, (*path, sent)).closed:
                sent += 1
                yield place.found[sent - 1]
                continue
            if place.closed:
                return
        error = never(live, path, place)
        if error is not None:
            raise error
        await live.more()


async def result(live: LiveValue) -> Any:
    """The final value, once it may be used."""
    while not live.executable:
        check(live)
        await live.more()
    return live.final


def check(live: LiveValue) -> None:
    """Raise if what is waited for will never be ready, or never be confirmed."""
    error = live.error if live.done or live.rejected else None
    if error is None and live.settled:
        error = CallError("unconfirmed", f"it may not be used: {live.unconfirmed}")
    if error is not None:
        raise live.failure(error)


def _kind(found: Any) -> str:
    if isinstance(found, dict):
        return "an object"
    if isinstance(found, list):
        return "an array"
    return "null" if found is None else f"a {type(found).__name__}"
