"""Ollama's own chat, as its clients want it: one JSON object per line.

A line has the message's next piece, the last one `done: true` with a reason and the token counts. A call is told whole,
when it has ended, its arguments as an object; the calls in the order in which they began. So a call that was cut is
never told, and one whose arguments are no object can't be: its turn ends as an error. An error is `{"error": "…"}`, and
nothing behind it.

Reasoning is `thinking`, a refusal is text, the free text of a custom call the member `input` of an object. Signatures
have no place here, and calls that a provider runs itself have none. Turns with calls end with "stop", as at Ollama. A
client takes no line for a sign of life.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from toolwire.events import StreamError
from toolwire.wire._read import items
from toolwire.wire.encode.base import WireEncoder, is_cut, word_of
from toolwire.wire.encode.errors import public_message
from toolwire.wire.encode.gemini import whole_arguments
from toolwire.wire.encode.usage import for_ollama
from toolwire.wire.encode.values import exact_object
from toolwire.wire.ollama import FINISH

if TYPE_CHECKING:
    from toolwire.call import ToolCall
    from toolwire.events import Finish, FinishReason, MessageStart, ReasoningDelta, RefusalDelta, TextDelta, Unknown
    from toolwire.wire.encode.base import Sent
    from toolwire.wire.encode.options import Options

__all__ = ["Encoder", "created_at", "whole_call"]

_REASONS: Final[dict[FinishReason, str]] = {
    "tool_calls": "stop",
    "stop": "stop",
    "pause": "stop",
    "length": "length",
    "content_filter": "content_filter",
}

# What makes a line of the message's own.
_LINE: Final = ("message", "done", "error")


class Encoder(WireEncoder):
    """Events to lines."""

    wire = "ollama"
    keep_alive = None

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.framing = "json-lines"
        self._model = ""
        # Calls that weren't told yet: None while one is open, then its entry, if it has one.
        # A plain dict would look for its first entry among all that were taken out.
        self._due: OrderedDict[Sent, tuple[dict[str, Any], ...] | None] = OrderedDict()

    def begin(self, event: MessageStart) -> None:
        """The first line comes with the first thing that is said."""
        self._model = event.model or ""

    def text(self, event: TextDelta) -> None:
        """`content`."""
        self._line(content=event.text)

    def refusal(self, event: RefusalDelta) -> None:
        """A refusal is text."""
        self._line(content=event.text)

    def reasoning(self, event: ReasoningDelta) -> None:
        """`thinking`."""
        if event.text:
            self._line(thinking=event.text)

    def call_start(self, sent: Sent) -> None:
        """Nothing is told of a call before its end; but the next waits for it."""
        self._due[sent] = None

    def call_text(self, sent: Sent, text: str) -> None:
        """Arguments are told as a whole."""

    def call_end(self, sent: Sent) -> None:
        """The call, if it is whole, and those behind it that have ended before."""
        entry = whole_call(sent.call, sent.id, sent.index, own=self._source == self.wire)
        self._due[sent] = () if entry is None else (entry,)
        while self._due:
            first = next(iter(self._due))
            ended = self._due[first]
            if ended is None:
                return
            del self._due[first]
            for each in ended:
                self._line(tool_calls=[each])

    def finish(self, event: Finish) -> None:
        """The last line."""
        own = self._source == self.wire
        counts: dict[str, Any] = {}
        if self._usage is not None:
            counts = dict(self._usage.raw) if own else for_ollama(self._usage)
        self._line(done={"done": True, "done_reason": self._reason(event, own=own), **counts})

    def close(self) -> None:
        """Nothing comes behind the last line."""

    def failure(self, error: StreamError) -> None:
        """`{"error": "…"}`, which says something in any case: clients overlook one that doesn't."""
        self.frame({"error": error.message or public_message(error)})

    def trouble(self, event: Finish) -> StreamError | None:
        """A call that can't be told at all is a bad end too."""
        found = super().trouble(event)
        if found is not None:
            return found
        for call in self._calls:
            if call.choice == event.choice and not is_cut(call) and _arguments(call) is None:
                why = call.error.message if call.error is not None else "they are no object"
                message = f"the arguments of {call.label} can't be told: {why}"
                return StreamError("protocol", message, "invalid_call", call=call)
        return None

    def unknown(self, event: Unknown) -> None:
        """Images, and lines that say nothing of the message."""
        payload = event.payload
        if self._source != self.wire or self.finished or not isinstance(payload, dict):
            return
        if payload.keys() == {"images"}:
            self._line(images=items(payload["images"]))
        elif payload.keys().isdisjoint(_LINE):
            self.frame(payload)

    def _reason(self, event: Finish, *, own: bool) -> str:
        """The provider's word for a reason where it is Ollama's own, or where that has none."""
        raw = event.raw[-1] if event.raw and own else ""
        return raw if FINISH.get(raw) == event.reason else self.word(event, _REASONS) or word_of(event, FINISH)

    def _line(self, *, done: dict[str, Any] | None = None, **message: Any) -> None:
        head = {"model": self.options.model or self._model, "created_at": created_at(self.options.created)}
        said = {"role": "assistant", "content": "", **message}
        self.frame({**head, "message": said, **({"done": False} if done is None else done)})


def created_at(seconds: int) -> str:
    """A time as Ollama writes it. `seconds`: since 1970."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def whole_call(call: ToolCall, id: str, index: int, *, own: bool) -> dict[str, Any] | None:
    """A call that has ended, None for one that isn't whole. `own`: it came over this wire, and so did its extras."""
    arguments: Any = _arguments(call)
    if arguments is None:
        return None
    extra = call.extra if own else {}
    if call.kind != "custom":
        arguments = exact_object(call, arguments)
    return {"id": id, "function": {"index": index, "name": call.name, "arguments": arguments}, **extra}


def _arguments(call: ToolCall) -> dict[str, Any] | None:
    """The arguments as an object, None if they are none."""
    if is_cut(call):
        return None
    if call.kind == "custom":
        return {"input": call.buf}
    return whole_arguments(call)
