"""A JSON value while a model writes it, and after: what a call's arguments and an answer in JSON have in common.

Four facts are kept apart, because mixing them is how half calls get executed: `closed` (the text holds one whole
value), `status` (what the text is, known when it ends), `ready` (ended well, but the turn may yet fail) and
`executable` (the turn was confirmed too).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from toolwire.errors import ToolwireError, UsageError
from toolwire.partial import MISSING, PartialJSON
from toolwire.partial.changes import copy_value
from toolwire.paths import Step, as_path
from toolwire.trust import CallError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine
    from contextlib import AbstractContextManager

    from toolwire.partial import Change, Repair
    from toolwire.partial.changes import Path
    from toolwire.tools.judge import Verdict
    from toolwire.typed import Partial

__all__ = ["CallStatus", "LiveValue", "Reader"]

CallStatus = Literal["open", "complete", "repaired", "incomplete", "invalid"]

T = TypeVar("T")


class Reader(Protocol):
    """What reads the stream on for those who wait."""

    over: bool

    async def more(self) -> None: ...

    def changed(self) -> None: ...

    def waited_for(self) -> AbstractContextManager[None]: ...


class LiveValue:
    """Text that grows and is read as JSON while it does. The library writes it; its user reads it."""

    __slots__ = (
        "_confirmed",
        "_drafts",
        "_early",
        "_error",
        "_failed",
        "_held",
        "_mended",
        "_parser",
        "_reader",
        "_rejected",
        "_settled",
        "_text",
        "_typed",
        "_watches",
        "changes",
        "status",
    )

    def __init__(self, parser: PartialJSON | None, reader: Reader | None) -> None:
        self.status: CallStatus = "open"
        self.changes: tuple[Change, ...] = ()
        self._parser = parser
        self._text = ""  # where it is free text
        self._reader = reader  # where an async stream reads it
        self._typed: Any = MISSING  # the value as its check made it
        self._mended: tuple[Repair, ...] = ()  # in that check
        self._watches: list[tuple[Path, Any, Any]] = []
        self._drafts: dict[Any, Any] | None = None  # for `partial_as`
        self._early: list[Any] = []  # the work that was begun for it early
        self._error: CallError | None = None
        self._held = False
        self._confirmed = False
        self._settled = False  # the turn has finished: only what that confirmed may be used
        self._failed = False
        self._rejected = False

    @property
    def label(self) -> str:
        """What it is called in messages."""
        return "the value"

    @property
    def buf(self) -> str:
        """The raw text so far."""
        return "" if self._held else self._raw

    @property
    def partial(self) -> Any:
        """The live value: `{}` until something can be shown; for free text, the text. Never raises, never flickers.

        It is changed in place as the text goes on: copy what you want to keep, or take a `snapshot()`.
        """
        return {} if self._held else self._live

    def snapshot(self) -> Any:
        """A copy of `partial` that stays as it is."""
        return copy_value(self.partial)

    @property
    def closed(self) -> bool:
        """True once the text holds one whole value. Good for display and effect-free work, not for running."""
        if self._parser is None:
            return self.done and self.status == "complete"
        return self._parser.closed

    def is_closed(self, path: Path) -> bool:
        """Whether the value at a path of the live value is whole, if there is one."""
        if self._parser is None or self._held:
            return self.closed
        opened = self._parser.open_path
        return opened is None or opened[: len(path)] != path

    @property
    def open_path(self) -> Path | None:
        """The path of the innermost value that is still being written; None once the text is closed."""
        if self._parser is None or self._held:
            return None if self.closed else ()
        return self._parser.open_path

    @property
    def shown(self) -> bool:
        """True once there is something of the live value."""
        return not self._held and (self._parser is None or self._parser.value is not MISSING)

    @property
    def hidden(self) -> bool:
        """True while the value is kept back: its tool is marked `hold`, and it has not ended well."""
        return self._held

    @property
    def rejected(self) -> bool:
        """True once it was rejected."""
        return self._rejected

    @property
    def settled(self) -> bool:
        """True once nothing about it will change: its turn has finished or failed."""
        return self._settled or self._failed

    @property
    def done(self) -> bool:
        """True once it has ended."""
        return self.status != "open"

    @property
    def error(self) -> CallError | None:
        """Why the text can't be used, as soon as that is certain."""
        return None if self._held and not (self.done or self._rejected) else self._fault

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What had to be mended in the text or its values, with kind and offset."""
        return (() if self._parser is None or self._held else self._parser.repairs) + self._mended

    @property
    def ready(self) -> bool:
        """Ended, and good for use. The turn can still fail, and a `Reset` revoke it."""
        return False

    @property
    def executable(self) -> bool:
        """Ready, and confirmed by the turn's finish."""
        return self.ready and self._confirmed

    def value(self, *path: Step) -> Coroutine[Any, Any, Any]:
        """Wait for the value at a path, and return it as soon as it is whole. In async streams only.

        A path is one text (`"user.tags[0]"`, or a JSON Pointer), a tuple of keys and indexes, or several of these and
        of indexes, one behind the other. Raises `ToolCallError` (of an answer `OutputError`) as soon as it is known
        that the value won't come: another type stands there, its object is whole without it, the text has ended, the
        turn failed or the call was rejected. Of a key that comes twice the first counts.
        """
        from toolwire import waiting

        return waiting.value(self, as_path(*path))

    def text(self, *path: Step) -> AsyncIterator[str]:
        """The string at a path as it grows, piece by piece. Raises as `value` does, also when the string is cut."""
        from toolwire import waiting

        return waiting.text(self, as_path(*path))

    def items(self, *path: Step) -> AsyncIterator[Any]:
        """The elements of the array at a path, each as soon as it is whole. Raises as `value` does."""
        from toolwire import waiting

        return waiting.items(self, as_path(*path))

    def on(
        self,
        *path: Step,
        then: Callable[[Any], object],
        otherwise: Callable[[Any], object] | None = None,
    ) -> None:
        """Have `then` called with the value at a path as soon as it is whole, or `otherwise` when it won't come.

        That is between events, and at once where it is known already. For code without waiting, sync code above all: it
        works in any stream that is iterated. `otherwise` gets the error that `value` would raise.
        """
        from toolwire import waiting

        self._watches.append((as_path(*path), then, otherwise))
        waiting.tell(self)

    def result(self) -> Coroutine[Any, Any, Any]:
        """Wait until the value may be used, and return it, typed. Raises as `value` does when it never may."""
        from toolwire import waiting

        return waiting.result(self)

    def partial_as(self, model: type[T]) -> Partial[T]:
        """The live value in the terms of a type with fields: see `toolwire.Partial`. Never raises for what came.

        The same object each time, brought up to date: closed fields are checked and typed, an open string is as it is,
        what hasn't come is unset. Raises `UsageError` for a type that has no fields.
        """
        from toolwire.typed import draft

        return draft(self, model)

    @property
    def final(self) -> Any:
        """The value as it may be used, typed. Raises if there is none."""
        raise NotImplementedError

    def failure(self, error: CallError, path: Path = ()) -> ToolwireError:
        """The exception of an error, with the path that was asked for."""
        raise NotImplementedError

    async def more(self) -> None:
        """Wait until the stream has taken in some more.

        Raises `UsageError` where no async stream reads this, and as `value` does when the stream has been closed.
        """
        if self._reader is None:
            raise UsageError("nothing reads on: waiting is for what an async stream reads")
        if self._reader.over:
            raise self.failure(CallError("closed", "the stream was closed while this was waited for"))
        await self._reader.more()

    @property
    def unconfirmed(self) -> str:
        """Why it may not be used, where it is whole and its turn is over."""
        if self.status == "repaired" and not self.ready:
            return "its text was repaired"
        return "its turn was not confirmed"

    def _take(self, verdict: Verdict, status: CallStatus) -> CallStatus:
        """Take over what a check made of the value; returns the status that comes of it."""
        if verdict.error is not None:
            self._error = verdict.error
            return "invalid"
        self._typed = verdict.value
        self._mended = verdict.repairs
        return "repaired" if verdict.repairs else status

    # --- within: what is hidden from users is not hidden from the library ---

    @property
    def _fault(self) -> CallError | None:
        if self._error is not None or self._parser is None:
            return self._error
        fault = self._parser.fault
        return None if fault is None else CallError(fault.reason, fault.message, fault.offset)

    @property
    def _raw(self) -> str:
        return self._text if self._parser is None else self._parser.text

    @property
    def _live(self) -> Any:
        if self._parser is None:
            return self._text
        value = self._parser.value
        return {} if value is MISSING or value is None else value
