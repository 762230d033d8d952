"""One tool call while it is written and after.

Four facts are kept apart, because mixing them is how half calls get executed: `closed` (the text holds one whole
value), `status` (what the arguments are, known when the call ends), `ready` (ended well, but the turn may yet fail)
and `executable` (the turn was confirmed too).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from toolwire.errors import ToolCallError, UsageError
from toolwire.partial import MISSING, PartialJSON
from toolwire.trust import CallError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine

    from toolwire.partial import Change, Repair
    from toolwire.trust import Trust

__all__ = ["CallKind", "CallStatus", "ToolCall"]

CallKind = Literal["function", "custom", "server", "mcp"]
CallStatus = Literal["open", "complete", "repaired", "incomplete", "invalid"]


class ToolCall:
    """A live tool call. The library writes it; its user reads it, and may `reject` it.

    `index`: dense, by order of appearance in its choice. `id`: never empty, unique in the stream; `vendor_id`: the
    provider's own, None if it sent none. `kind`: "function" and "custom" (free text) are for the client to run,
    "server" and "mcp" are run by the provider. `extra`: fields to replay with the call (signatures among them).
    `encoded`: the wire sent a value and not text, so `buf` is our encoding of it. `started_at`, `ended_at`: the
    clock's readings at the start and end events, when the stream is given a clock.
    """

    __slots__ = (
        "_confirmed",
        "_error",
        "_expects_end",
        "_failed",
        "_mended",
        "_more",
        "_owner_reject",
        "_parser",
        "_received",
        "_rejected",
        "_settled",
        "_started",
        "_text",
        "_trust",
        "_typed",
        "_watches",
        "changes",
        "choice",
        "encoded",
        "ended_at",
        "extra",
        "id",
        "index",
        "kind",
        "name",
        "started_at",
        "status",
        "vendor_id",
    )

    def __init__(
        self,
        *,
        index: int,
        choice: int,
        kind: CallKind,
        parser: PartialJSON | None,
        trust: Trust,
        reject: Callable[[ToolCall, str], None],
        more: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.index = index
        self.choice = choice
        self.kind: CallKind = kind
        self.id = ""
        self.vendor_id: str | None = None
        self.name = ""
        self.status: CallStatus = "open"
        self.changes: tuple[Change, ...] = ()
        self.extra: dict[str, Any] = {}
        self.encoded = False
        self.started_at: float | None = None
        self.ended_at: float | None = None
        self._parser = parser
        self._text = ""
        self._trust = trust
        self._typed: Any = MISSING  # the arguments as the tool's check made them
        self._mended: tuple[Repair, ...] = ()  # in that check
        self._owner_reject = reject
        self._more = more
        self._watches: list[tuple[tuple[str | int, ...], Any, Any]] = []
        self._error: CallError | None = None
        self._started = False
        self._received = 0  # characters of argument text, those held back included
        self._expects_end = False  # the wire ended it, but only the stop reason can tell what that means
        self._confirmed = False
        self._settled = False  # the turn has finished: only what that confirmed is executable
        self._failed = False
        self._rejected = False

    def __repr__(self) -> str:
        shown = f"<ToolCall {self.index} {self.name or '?'} id={self.id or '?'} {self.status}>"
        return shown.encode("utf-8", "backslashreplace").decode()  # a name may hold half a surrogate pair

    @property
    def buf(self) -> str:
        """The raw argument text so far."""
        return self._text if self._parser is None else self._parser.text

    @property
    def partial(self) -> Any:
        """The live value: `{}` until something can be shown; for free text, the text. Never raises, never flickers.

        It is changed in place as the call goes on: copy what you want to keep, or take a `snapshot()`.
        """
        if self._parser is None:
            return self._text
        value = self._parser.value
        return {} if value is MISSING or value is None else value

    def snapshot(self) -> Any:
        """A copy of `partial` that stays as it is."""
        if self._parser is None:
            return self._text
        value = self._parser.snapshot()
        return {} if value is MISSING or value is None else value

    @property
    def closed(self) -> bool:
        """True once the text holds one whole value. Good for display and effect-free work, not for running."""
        if self._parser is None:
            return self.done and self.status == "complete"
        return self._parser.closed

    def is_closed(self, path: tuple[str | int, ...]) -> bool:
        """Whether the value at a path of the live value is whole, if there is one."""
        if self._parser is None:
            return self.closed
        opened = self._parser.open_path
        return opened is None or opened[: len(path)] != path

    @property
    def shown(self) -> bool:
        """True once there is something of the live value."""
        return self._parser is None or self._parser.value is not MISSING

    @property
    def rejected(self) -> bool:
        """True once the call was rejected."""
        return self._rejected

    @property
    def settled(self) -> bool:
        """True once nothing about the call will change: its turn has finished or failed."""
        return self._settled or self._failed

    @property
    def done(self) -> bool:
        """True once the call has ended."""
        return self.status != "open"

    @property
    def error(self) -> CallError | None:
        """Why the arguments can't be used, as soon as that is certain."""
        if self._error is not None or self._parser is None:
            return self._error
        fault = self._parser.fault
        return None if fault is None else CallError(fault.reason, fault.message, fault.offset)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What had to be mended in the argument text or its values, with kind and offset."""
        return (() if self._parser is None else self._parser.repairs) + self._mended

    @property
    def ready(self) -> bool:
        """Ended, the client's to run, its arguments good. The turn can still fail, and a `Reset` revoke it."""
        return (
            self.kind in ("function", "custom")
            and self._started
            and not self._rejected
            and not self._failed
            and (self.status == "complete" or (self.status == "repaired" and self._trust.accept_repaired))
        )

    @property
    def executable(self) -> bool:
        """Ready, and confirmed by the turn's finish (until that comes, by the call's own end with `confirm="call"`)."""
        return self.ready and (self._confirmed or (self._trust.confirm == "call" and not self._settled))

    @property
    def arguments(self) -> Any:
        """The final arguments: a dict, or what the tool's check made of it; the text of a custom call.

        Raises `UsageError` while the call is open and `ToolCallError` when its arguments are incomplete or invalid.
        """
        if self.status in ("complete", "repaired"):
            if self._typed is not MISSING:
                return self._typed
            return self.partial if self._parser is None or self.closed_object else {}
        if self.status == "open":
            raise UsageError(f"call {self.id or self.index} is still open: read .partial, or wait for its ToolCallEnd")
        error = self.error or CallError("cut", "the turn ended before the arguments did")
        raise ToolCallError(f"{self.name or 'call'}: {error.message}", call=self, error=error)

    @property
    def closed_object(self) -> bool:
        """True when the text is closed and its value is a JSON object."""
        return self._parser is not None and self._parser.closed and isinstance(self._parser.value, dict)

    def value(self, *path: str | int) -> Coroutine[Any, Any, Any]:
        """Wait for the value at a path, and return it as soon as it is whole. Of an async stream's calls only.

        Raises `ToolCallError` as soon as it is known that it won't come: another type stands there, its object is whole
        without it, the call has ended, failed or was rejected. Of a key that comes twice the first counts.
        """
        from toolwire import waiting

        return waiting.value(self, path)

    def text(self, *path: str | int) -> AsyncIterator[str]:
        """The string at a path as it grows, piece by piece. Raises as `value` does, also when the string is cut."""
        from toolwire import waiting

        return waiting.text(self, path)

    def items(self, *path: str | int) -> AsyncIterator[Any]:
        """The elements of the array at a path, each as soon as it is whole. Raises as `value` does."""
        from toolwire import waiting

        return waiting.items(self, path)

    def on(
        self,
        *path: str | int,
        then: Callable[[Any], object],
        otherwise: Callable[[ToolCallError], object] | None = None,
    ) -> None:
        """Have `then` called with the value at a path as soon as it is whole, or `otherwise` when it won't come.

        That is between events, and at once where it is known already. For code without waiting, sync code above all: it
        works in any stream that is iterated.
        """
        from toolwire import waiting

        self._watches.append((path, then, otherwise))
        waiting.tell(self)

    def result(self) -> Coroutine[Any, Any, Any]:
        """Wait until the call may be run, and return its arguments. Raises `ToolCallError` when it never may."""
        from toolwire import waiting

        return waiting.result(self)

    def more(self) -> Awaitable[None]:
        """Wait until the stream has taken in some more. Raises `UsageError` where no async stream reads this call."""
        if self._more is None:
            raise UsageError("nothing reads on for this call: waiting is for the calls of an async stream")
        return self._more()

    def reject(self, reason: str) -> None:
        """Stop this call and never run it; its siblings go on. Its `ToolCallEnd`, if still due, comes next."""
        self._owner_reject(self, reason)
