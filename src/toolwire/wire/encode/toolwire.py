"""Our own wire: every event as one JSON object, as `wire/toolwire.schema.json` describes it.

As server-sent events the objects are `data` alone, without names; with `framing="json-lines"` they are lines. Nothing
is hidden and nothing is made up: a call that is cut says so in its end, a failed turn has its `stream_error` and its
`finish`, and a reader of this wire knows both. So the body never has to break off. The first object, and each
`message_start`, has the version in `toolwire`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolwire.errors import UsageError
from toolwire.event_form import as_dict, json_safe, marked, verdict_of
from toolwire.events import Finish, MessageStart, Reset, StreamError, ToolCallEnd, ToolCallStart
from toolwire.wire.encode.base import Sent, WireEncoder

if TYPE_CHECKING:
    from toolwire.call import ToolCall
    from toolwire.events import Event
    from toolwire.wire.encode.base import Frame
    from toolwire.wire.encode.options import Options

__all__ = ["Encoder"]

_UNFINISHED = "the events ended before their turn did"


class Encoder(WireEncoder):
    """Events to their forms."""

    wire = "toolwire"
    breaks_off = False

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        if options.framing == "json-lines":
            self.framing = "json-lines"
            self.keep_alive = b"\n"  # type: ignore[misc]
        elif options.framing != "sse":
            raise UsageError(f"framing is 'sse' or 'json-lines', not {options.framing!r}")
        self._first = True
        self._open: dict[ToolCall, None] = {}
        self._choices: dict[int, None] = {}

    def feed(self, event: Event) -> list[Frame]:
        """One frame: every event has its place, those behind an error too."""
        self.watch(event)
        form = as_dict(event)
        if isinstance(event, MessageStart) and self.options.model is not None:
            form["model"] = self.options.model
        return [self._frame(form)]

    def watch(self, event: Event) -> None:
        """Note what an event says of how the turn ends, which is what a client of any wire has to know."""
        if isinstance(event, ToolCallStart):
            self._open[event.call] = None
            self._calls[event.call] = Sent(event.call, event.call.id, event.call.index)
        elif isinstance(event, ToolCallEnd):
            self._open.pop(event.call, None)
        elif isinstance(event, StreamError):
            self.error = self.error or event
        elif isinstance(event, Finish):
            self.finished = True
            self.error = self.error or self.trouble(event)
        elif isinstance(event, Reset):
            if event.scope == "turn":
                self._choices.clear()
                self._calls.clear()
            for call in event.calls:  # they are void, or no client's to run, and a reader of this wire knows it now
                self._calls.pop(call, None)
        choice: int | None = getattr(event, "choice", None)
        if choice is not None:
            self._choices[choice] = None

    def end(self) -> list[Frame]:
        """Nothing more, or the ends that didn't come."""
        if self.finished:
            return []
        self.finished = True
        frames = [self._frame(_cut_off(call)) for call in self._open]
        self._open.clear()
        if self.error is None:
            self.error = StreamError("connection", _UNFINISHED, "incomplete", retryable=True)
            frames.append(self._frame(as_dict(self.error)))
        return [*frames, *(self._frame(as_dict(Finish("error", choice=each))) for each in self._choices or (0,))]

    def _frame(self, form: dict[str, Any]) -> Frame:
        form = marked(json_safe(form), first=self._first)
        self._first = False
        return "", form


def _cut_off(call: ToolCall) -> dict[str, Any]:
    """The end of a call whose own never came, whatever its live state is ahead of the events."""
    form = as_dict(ToolCallEnd(call))
    for name in verdict_of(call).keys() - {"closed", "encoded", "extra"}:
        del form[name]
    error = {"reason": "cut", "message": _UNFINISHED, "offset": None}
    return {**form, "status": "incomplete", "error": error, "executable": False}
