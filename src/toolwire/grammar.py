"""The legal order of events, as a table, and one checker of it for tests, encoders and debugging.

Theory of operation. Two machines run side by side. The stream's machine has the states `idle` (nothing yet), `live`,
`failed` (a `StreamError` came) and `over` (every choice that appeared has finished). Each call has its own: it is
started once, gets deltas, ends once. What a row does not name is illegal. Beyond the tables, four rules hold: no call
is open after a `StreamError` or its choice's `Finish`; a choice finishes once; indexes are unique in their choice and
ids in the stream; what `Finish` lists has ended well and is the client's to run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.errors import ToolwireError
from toolwire.events import Finish, Reset, ToolCallDelta, ToolCallEnd, ToolCallStart, ToolCallViolation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.call import ToolCall
    from toolwire.events import Event

__all__ = ["STREAM", "TOOL_CALL", "Grammar", "GrammarError", "check"]

_CONTENT = (
    "text_delta",
    "reasoning_delta",
    "refusal_delta",
    "tool_call_start",
    "tool_call_delta",
    "tool_call_end",
    "tool_call_violation",
)

# state -> event type -> next state
STREAM: dict[str, dict[str, str]] = {
    "idle": {
        "message_start": "live",
        "stream_error": "failed",
        "unknown": "idle",
        "usage": "idle",
        "finish": "over",
    },
    "live": {
        **dict.fromkeys(_CONTENT, "live"),
        "usage": "live",
        "unknown": "live",
        "reset": "live",
        "stream_error": "failed",
        "finish": "over",
    },
    "failed": {"usage": "failed", "unknown": "failed", "finish": "over"},
    "over": {"finish": "over", "unknown": "over"},
}

TOOL_CALL: dict[str, dict[str, str]] = {
    "new": {"tool_call_start": "open"},
    "open": {"tool_call_delta": "open", "tool_call_violation": "open", "tool_call_end": "ended"},
    "ended": {},
}


for _state in STREAM:
    STREAM[_state]["warned"] = _state  # the caller's own guards speak whenever they like


class GrammarError(ToolwireError):
    """A sequence of events that no stream may produce."""


class Grammar:
    """Checks one stream's events as they come. `done()` at the end. Raises `GrammarError`."""

    def __init__(self) -> None:
        self.state = "idle"
        self._calls: dict[int, str] = {}
        self._texts: dict[int, list[str]] = {}
        self._kept: list[ToolCall] = []
        self._ids: set[str] = set()
        self._places: set[tuple[int, int]] = set()
        self._finished: set[int] = set()

    def feed(self, event: Event) -> None:
        """The next event."""
        state = STREAM[self.state].get(event.type)
        if state is None:
            raise GrammarError(f"{event.type} while the stream is {self.state}")
        self.state = state
        if isinstance(event, ToolCallStart | ToolCallDelta | ToolCallEnd | ToolCallViolation):
            self._call(event)
        elif isinstance(event, Finish):
            self._finish(event)
        elif isinstance(event, Reset):
            self._reset(event)
        elif event.type == "stream_error":
            self._none_open("a stream error")

    def done(self) -> None:
        """No more events will come."""
        if self.state != "over":
            raise GrammarError(f"the events end while the stream is {self.state}: no finish")

    def _call(self, event: ToolCallStart | ToolCallDelta | ToolCallEnd | ToolCallViolation) -> None:
        call = event.call
        key = id(call)
        state = TOOL_CALL[self._calls.get(key, "new")].get(event.type)
        if state is None:
            raise GrammarError(f"{event.type} for a call that is {self._calls.get(key, 'new')}: {call!r}")
        self._calls[key] = state
        if isinstance(event, ToolCallStart):
            self._started(call)
        elif isinstance(event, ToolCallDelta):
            if not event.text and not event.changes:
                raise GrammarError(f"an empty delta: {call!r}")
            self._texts[key].append(event.text)
        else:
            if not call.done:
                raise GrammarError(f"an end event for an open call: {call!r}")
            if "".join(self._texts[key]) != call.buf:
                raise GrammarError(f"the deltas of {call!r} do not join to its buf")

    def _started(self, call: ToolCall) -> None:
        if not call.id or call.id in self._ids or not call.name:
            raise GrammarError(f"a start without a name or a unique id: {call!r}")
        if (call.choice, call.index) in self._places:
            raise GrammarError(f"index {call.index} of choice {call.choice} is taken: {call!r}")
        self._places.add((call.choice, call.index))
        self._ids.add(call.id)
        self._kept.append(call)  # so that id() stays its own
        self._texts[id(call)] = []

    def _finish(self, event: Finish) -> None:
        if event.choice in self._finished:
            raise GrammarError(f"choice {event.choice} finishes twice")
        self._finished.add(event.choice)
        self._none_open("its finish", event.choice)
        for call in event.calls:
            if self._calls.get(id(call)) != "ended" or not call.executable or call.choice != event.choice:
                raise GrammarError(f"finish lists a call that may not be run: {call!r}")

    def _reset(self, event: Reset) -> None:
        for call in event.calls:
            if self._calls.get(id(call)) != "ended" or call.ready:
                raise GrammarError(f"a reset leaves a call open or ready: {call!r}")
        if event.scope == "turn":
            self._none_open("a reset of the turn")
            self._places.clear()
            self.state = "idle"

    def _none_open(self, what: str, choice: int | None = None) -> None:
        for call in self._kept:
            if self._calls[id(call)] == "open" and choice in (None, call.choice):
                raise GrammarError(f"open after {what}: {call!r}")


def check(events: Iterable[Event]) -> None:
    """Check a whole stream's events. Raises `GrammarError`."""
    grammar = Grammar()
    for event in events:
        grammar.feed(event)
    grammar.done()
