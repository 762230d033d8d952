"""One tool call while it is written and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from toolwire.errors import ToolCallError, UsageError
from toolwire.live_value import CallStatus, LiveValue
from toolwire.partial import MISSING, PartialJSON
from toolwire.paths import shown as path_shown
from toolwire.trust import CallError

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwire.live_value import Reader
    from toolwire.partial.changes import Path
    from toolwire.trust import Trust

__all__ = ["CallKind", "CallStatus", "ToolCall"]

CallKind = Literal["function", "custom", "server", "mcp"]


class ToolCall(LiveValue):
    """A live tool call. The library writes it; its user reads it, and may `reject` it.

    `index`: dense, by order of appearance in its choice. `id`: never empty, unique in the stream; `vendor_id`: the
    provider's own, None if it sent none. `kind`: "function" and "custom" (free text) are for the client to run,
    "server" and "mcp" are run by the provider. `extra`: fields to replay with the call (signatures among them).
    `encoded`: the wire sent a value and not text, so `buf` is our encoding of it. `started_at`, `ended_at`: the
    clock's readings at the start and end events, when the stream is given a clock.
    """

    __slots__ = (
        "_cut",
        "_expects_end",
        "_extra",
        "_judge",
        "_owner_reject",
        "_received",
        "_started",
        "_told_closed",
        "_trust",
        "choice",
        "encoded",
        "ended_at",
        "id",
        "index",
        "kind",
        "name",
        "started_at",
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
        reader: Reader | None = None,
    ) -> None:
        super().__init__(parser, reader)
        self.index = index
        self.choice = choice
        self.kind: CallKind = kind
        self.id = ""
        self.vendor_id: str | None = None
        self.name = ""
        self._extra: dict[str, Any] = {}
        self.encoded = False
        self.started_at: float | None = None
        self.ended_at: float | None = None
        self._trust = trust
        self._owner_reject = reject
        self._started = False
        self._told_closed = False  # by a delta
        self._cut = False  # its end says nothing of what it would have been
        self._judge: Any = MISSING  # of the early check; None where nothing is certain
        self._received = 0  # characters of argument text, those held back included
        self._expects_end = False  # the wire ended it, but only the stop reason can tell what that means

    def __repr__(self) -> str:
        shown = f"<ToolCall {self.index} {self.name or '?'} id={self.id or '?'} {self.status}>"
        return shown.encode("utf-8", "backslashreplace").decode()  # a name may hold half a surrogate pair

    @property
    def label(self) -> str:
        """The tool's name."""
        return self.name or "call"

    @property
    def extra(self) -> dict[str, Any]:
        """What came beside the call and has to go back with it."""
        return {} if self._held else self._extra

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
            return self._live if self._parser is None or self.closed_object else {}
        if self.status == "open":
            raise UsageError(f"call {self.id or self.index} is still open: read .partial, or wait for its ToolCallEnd")
        raise self.failure(self.error or CallError("cut", "the turn ended before the arguments did"))

    @property
    def final(self) -> Any:
        """The arguments."""
        return self.arguments

    @property
    def closed_object(self) -> bool:
        """True when the text is closed and its value is a JSON object."""
        return self._parser is not None and self._parser.closed and isinstance(self._parser.value, dict)

    def failure(self, error: CallError, path: Path = ()) -> ToolCallError:
        """The exception of an error, with the path that was asked for."""
        place = f" {path_shown(path)!r}" if path else ""
        failure = ToolCallError(f"{self.label}{place}: {error.message}", call=self, error=error)
        failure.__cause__ = error.cause
        return failure

    @property
    def unconfirmed(self) -> str:
        """Why it may not be run, where it is whole and its turn is over."""
        if self.kind not in ("function", "custom"):
            return "the provider runs it itself"
        return super().unconfirmed

    def reject(self, reason: str) -> None:
        """Stop this call and never run it; its siblings go on. Its `ToolCallEnd`, if still due, comes next."""
        self._owner_reject(self, reason)
