"""What the guards' verdicts do to a stream's events."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final, Protocol

from toolwire.errors import UsageError
from toolwire.events import Finish, ToolCallDelta, ToolCallEnd, ToolCallStart, ToolCallViolation, Warned
from toolwire.guards import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.accumulator import Accumulator
    from toolwire.events import Event
    from toolwire.guards import Watch

__all__ = ["Guarding", "Stoppable"]

_OF_A_CALL: Final = (ToolCallStart, ToolCallDelta, ToolCallEnd, ToolCallViolation)


class Stoppable(Protocol):
    """A stream, as far as guards act on it."""

    def abort(self, reason: str, *, undelivered: Iterable[Event]) -> list[Event]:
        """Stop, and return what is still to be told, the undelivered events first."""


class Guarding:
    """Shows one stream's events to what watches it, and does what comes of that."""

    def __init__(self, watches: list[Watch], acc: Accumulator) -> None:
        self._watches = watches
        self._acc = acc

    # The stream is an argument and no field: the two would keep each other alive.
    def passed(self, events: list[Event], stream: Stoppable) -> list[Event]:
        """Events as the guards let them pass, with what the guards' verdicts come to."""
        if not self._watches:
            return events
        passed: list[Event] = []
        waiting = deque(events)
        while waiting:
            event = waiting.popleft()
            if isinstance(event, ToolCallViolation) and event.call.rejected:
                continue  # it was told enough to be stopped
            if isinstance(event, Finish) and not all(call.executable for call in event.calls):
                # A call of this batch was rejected since.
                calls = tuple(call for call in event.calls if call.executable)
                event = Finish(event.reason, calls, event.raw, event.choice)
            passed.append(event)
            call = event.call if isinstance(event, _OF_A_CALL) else None
            for watch in self._watches:
                verdict: Any = watch(event, call)
                if verdict is None:
                    continue
                if not isinstance(verdict, Verdict):
                    if hasattr(verdict, "close"):
                        verdict.close()  # of an async function: it is never awaited
                    raise UsageError(
                        "a guard returns guards.warn(…), guards.reject(…), guards.abort(…) or None, and is no async "
                        f"function: {watch!r} returned {type(verdict).__name__}"
                    )
                if verdict.action == "abort":
                    self._watches = []
                    if isinstance(event, Finish):  # it is taken back
                        waiting.appendleft(passed.pop())
                    rest = [each for each in waiting if not isinstance(each, ToolCallViolation)]
                    return passed + stream.abort(verdict.reason, undelivered=rest)
                if verdict.action == "warn":
                    passed.append(Warned(verdict.reason, call))
                elif call is None:
                    raise UsageError(f"a guard rejects an event that is no call's ({event.type}): {verdict.reason}")
                else:
                    # Its end comes behind what the batch still holds of it.
                    self._acc.reject(call, verdict.reason)
                    waiting.extend(self._acc.take())
        return passed
