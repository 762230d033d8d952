"""What all encoders share: which calls were told, whether a turn ended badly, and what then holds.

An encoder sees events and gives frames: an event's name ("" for none) and a payload. It does no I/O, reads no clock,
and doesn't depend on how events are batched: of a call it uses what its events say, and its status once it has ended.

A turn ends badly when its stream failed, was cut or stopped, and also when what was told of a call can't be relied on:
it was rejected, its arguments end in the middle, or it was called whole and turned out not to be. Then the wire's error
form is the last that is written, and `aborts` says whether the body must break off behind it, because there are clients
that would take the calls so far for good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolwire.events import (
    WITHHELD,
    Finish,
    MessageStart,
    ReasoningDelta,
    RefusalDelta,
    Reset,
    StreamError,
    TextDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Unknown,
    Usage,
)
from toolwire.wire.encode.ids import client_id
from toolwire.wire.history.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from typing import TypeAlias

    from toolwire.call import ToolCall
    from toolwire.events import Event, FinishReason
    from toolwire.wire.encode.options import Options

__all__ = ["CLIENT_RUN", "TOOL_SAYS", "Frame", "Sent", "WireEncoder", "is_cut", "trouble_of", "word_of"]

Frame: TypeAlias = "tuple[str, Any]"

# What a message has to have begun before.
_CONTENT: Final = (TextDelta, ReasoningDelta, RefusalDelta, ToolCallStart, Finish)

CLIENT_RUN: Final = ("function", "custom")

# What a caller's tools say of arguments that are whole. A client has tools of its own, which will say so too.
TOOL_SAYS: Final = ("schema", "unknown_tool")

_ENDS: Final[dict[FinishReason, tuple[Any, str]]] = {
    "error": ("server", "the provider's answer failed"),
    "incomplete": ("connection", "the provider's stream ended before its answer did"),
    "cancelled": ("aborted", "the answer was cancelled"),
}


class Sent:
    """What of a call went out."""

    __slots__ = ("begun", "call", "called_whole", "closed", "id", "index", "kind", "word")

    def __init__(self, call: ToolCall, id: str, index: int) -> None:
        self.call = call
        self.id = id
        self.index = index
        self.kind = call.kind  # as it was told
        self.begun = call.kind == "custom"  # some of its argument text was passed on
        self.word = ""  # argument text that is kept back, because no client should see `null` for an object
        self.closed = False  # its text holds one whole value
        self.called_whole = False  # the client was told so before the call's own end

    def text(self, event: ToolCallDelta) -> str:
        """The argument text that may go out now."""
        piece = event.text
        if not self.begun:
            word = self.word + piece.strip()
            if "null".startswith(word):
                self.word = word
                return ""
            self.begun = True
            piece = self.word + piece
        self.closed = self.closed or event.closes
        return piece

    def rest(self) -> str:
        """The argument text that goes out at the call's end: `{}` for no arguments, which some clients insist on."""
        if self.begun:
            return ""
        if self.call.status in ("complete", "repaired"):
            self.begun = True
            return "{}"
        return self.word


def is_cut(call: ToolCall) -> bool:
    """Whether the text of a call that has ended may be half of something."""
    truncated = call.error is not None and call.error.reason == "truncated"
    return call.rejected or call.status == "incomplete" or (call.status == "invalid" and truncated)


def trouble_of(sent: Sent, reason: FinishReason, *, fail_on_cut: bool) -> StreamError | None:
    """Why a client must not take a call as it was told, None where it may."""
    call = sent.call
    if sent.kind not in CLIENT_RUN:  # no client runs it
        return None
    if call.kind not in CLIENT_RUN:
        return StreamError("protocol", f"the provider runs {call.label} itself after all", "not_a_client_call")
    if call.rejected:
        why = call.error.message if call.error is not None else ""
        return StreamError("aborted", f"the call of {call.label} was rejected: {why}", "call_rejected", call=call)
    if call.status in ("complete", "repaired"):
        return None
    if sent.called_whole:
        message = f"the arguments of {call.label} were not whole after all"
        return StreamError("protocol", message, "contradiction", call=call)
    if call.error is not None and call.error.reason == "concatenated":  # there are clients that run the first
        return StreamError("protocol", f"the arguments of {call.label} are two documents", "concatenated", call=call)
    if not is_cut(call):
        # No text at all is no arguments, and so is text that is kept back for good.
        reads_well = call.kind == "custom" or call.closed_object or call.buf.strip() in ("", "null")
        if reads_well and call.error is not None and (call.hidden or call.error.reason not in TOOL_SAYS):
            message = f"the arguments of {call.label} can't be used: {call.error.message}"
            return StreamError("protocol", message, "invalid_call", call=call)
        return None
    if call.status == "invalid":
        message = f"the arguments of {call.label} end in the middle, though the answer did not"
        return StreamError("protocol", message, "truncated_call", call=call)
    if not fail_on_cut:
        return None
    kind: Any = "content_filter" if reason == "content_filter" else "limit"
    return StreamError(kind, f"the arguments of {call.label} were cut off ({reason})", reason, call=call)


def word_of(event: Finish, known: Container[str]) -> str:
    """A provider's word for a reason that has none on this wire: one that doesn't mean another there."""
    otherwise = "pause" if event.reason == "pause" else "unknown"
    return next((raw for raw in event.raw if raw.lower() not in known), otherwise)


class WireEncoder:
    """Events of one stream to frames of one wire. Subclasses say how each is written."""

    wire: ClassVar[str]
    # Which ids the wire's clients take.
    rule: ClassVar[Rule] = Rule()
    # What the wire's clients can read as a sign of life, as bytes; None if there is no such thing.
    keep_alive: ClassVar[bytes | None] = b": keep-alive\n\n"
    headers: ClassVar[dict[str, str]] = {}
    # Whether the body must break off behind the error form.
    breaks_off: ClassVar[bool] = True

    def __init__(self, options: Options) -> None:
        self.options = options
        self.framing = "sse"
        self.error: StreamError | None = None  # why the turn ended badly
        self.stopped = False  # by us: the stream may go on, and nobody wants to know
        self.finished = False
        self._out: list[Frame] = []
        self._begun = False
        self._choice: int | None = None  # the only one that this wire can tell of
        self._calls: dict[ToolCall, Sent] = {}
        self._places: dict[int, int] = {}  # calls told, by choice
        self._usage: Usage | None = None
        self._source: str | None = None  # the wire of the provider

    @property
    def failed(self) -> bool:
        """True once the turn ended badly, and the client was told."""
        return self.error is not None

    @property
    def aborts(self) -> bool:
        """True once the body has to be broken off: after a bad end, where clients need that to notice."""
        return self.failed and self.breaks_off

    def feed(self, event: Event) -> list[Frame]:
        """The frames that come of an event."""
        if self.error is None:
            self._take(event)
        out = self._out
        if out:
            self._out = []
        return out

    def end(self) -> list[Frame]:
        """No more events come. The turn's ends, or the error form if they didn't come."""
        if self.error is None:
            if self.finished:
                self.close()
            else:
                self._fail(StreamError("connection", "the events ended before their turn did", "incomplete"))
        out = self._out
        self._out = []
        return out

    def frame(self, payload: Any, event: str = "") -> None:
        """Write one frame."""
        self._out.append((event, payload))

    # --- what a wire has to write ---------------------------------------------------------------------------------

    def begin(self, event: MessageStart) -> None:
        """The message begins."""
        raise NotImplementedError

    def text(self, event: TextDelta) -> None:
        """A piece of text."""
        raise NotImplementedError

    def reasoning(self, event: ReasoningDelta) -> None:
        """A piece of reasoning."""
        raise NotImplementedError

    def refusal(self, event: RefusalDelta) -> None:
        """A piece of a refusal."""
        raise NotImplementedError

    def call_start(self, sent: Sent) -> None:
        """A call begins."""
        raise NotImplementedError

    def call_text(self, sent: Sent, text: str) -> None:
        """A piece of argument text."""
        raise NotImplementedError

    def call_end(self, sent: Sent) -> None:
        """A call has ended; its text went out. `sent.call.status` is what its arguments are."""
        raise NotImplementedError

    def counted(self) -> None:
        """Token counts came. Most wires tell them at the end."""

    def finish(self, event: Finish) -> None:
        """A choice has finished, and not badly."""
        raise NotImplementedError

    def close(self) -> None:
        """The turn ended well and nothing comes any more: what the wire ends with."""
        raise NotImplementedError

    def failure(self, error: StreamError) -> None:
        """The wire's error form."""
        raise NotImplementedError

    def tells(self, call: ToolCall) -> bool:
        """Whether the wire has a place for such a call."""
        return call.kind in CLIENT_RUN

    def shows(self, choice: int) -> bool:
        """Whether the wire tells of a choice. Most have room for one."""
        if self._choice is None:
            self._choice = choice
        return choice == self._choice

    def unknown(self, event: Unknown) -> None:
        """What has no meaning: passed on where it is of this wire and stands by itself."""

    def reset(self, event: Reset) -> None:
        """What was said no longer holds. The error form, where a wire can't take anything back."""
        told = (self._calls[call].kind for call in event.calls if call in self._calls)
        if event.scope == "turn" or any(kind in CLIENT_RUN for kind in told):
            self.stopped = True
            self._fail(StreamError("protocol", f"what was sent no longer holds: {event.reason}", "reset"))

    def trouble(self, event: Finish) -> StreamError | None:
        """Why a turn that has finished is a bad end all the same; None where it isn't."""
        if event.reason in _ENDS:
            kind, message = _ENDS[event.reason]
            return StreamError(kind, message, event.raw[-1] if event.raw else event.reason)
        for sent in self._calls.values():
            if sent.call.choice == event.choice:
                found = trouble_of(sent, event.reason, fail_on_cut=self.options.fail_on_cut)
                if found is not None:
                    return found
        return None

    def unconfirmed(self, event: Finish) -> bool:
        """Whether clients know of calls that the turn's finish doesn't let them run."""
        confirmed = set(event.calls)
        told = (call for call, sent in self._calls.items() if sent.kind in CLIENT_RUN and call.kind in CLIENT_RUN)
        return any(call.choice == event.choice and call not in confirmed for call in told)

    def word(self, event: Finish, words: Mapping[FinishReason, str]) -> str | None:
        """The wire's word for a reason, None where it has none.

        On wires that know no pause that is "stop", but not where it would have clients run calls.
        """
        return None if event.reason == "pause" and self.unconfirmed(event) else words.get(event.reason)

    # --- within ---------------------------------------------------------------------------------------------------

    def _take(self, event: Event) -> None:
        if not self._begun and isinstance(event, _CONTENT):
            self._take(MessageStart())  # of events that somebody made
        if isinstance(event, ToolCallDelta):
            sent = self._calls.get(event.call)
            if sent is not None:
                text = sent.text(event)
                if text:
                    self.call_text(sent, text)
        elif isinstance(event, TextDelta):
            if event.text and self.shows(event.choice):
                self.text(event)
        elif isinstance(event, ReasoningDelta):
            if self.shows(event.choice):
                self.reasoning(event)
        elif isinstance(event, ToolCallStart):
            call = event.call
            if self.tells(call) and self.shows(call.choice):
                place = self._places.get(call.choice, 0)
                self._places[call.choice] = place + 1
                sent = self._calls[call] = Sent(call, client_id(call.id, self.rule), place)
                self.call_start(sent)
        elif isinstance(event, ToolCallEnd):
            sent = self._calls.get(event.call)
            if sent is not None:
                rest = sent.rest()
                if rest:
                    self.call_text(sent, rest)
                self.call_end(sent)
        elif isinstance(event, Usage):
            self._usage = event
            self.counted()
        elif isinstance(event, MessageStart):
            self._source = event.wire
            self.begin(event)
            self._begun = True
        elif isinstance(event, RefusalDelta):
            if event.text and self.shows(event.choice):
                self.refusal(event)
        elif isinstance(event, Finish):
            if not self.shows(event.choice) and all(each.call.choice != event.choice for each in self._calls.values()):
                return
            self._tell_adopted(event)
            trouble = self.trouble(event)
            if trouble is not None:
                self._fail(trouble)
            else:
                self.finished = True
                self.finish(event)
        elif isinstance(event, StreamError):
            self._fail(event)
        elif isinstance(event, Reset):
            self.reset(event)
        elif isinstance(event, Unknown) and event.payload != WITHHELD:
            self.unknown(event)

    def _tell_adopted(self, event: Finish) -> None:
        """Calls that stood on another choice, of which nobody was told, and turned out to be of this one."""
        for call in event.calls:
            if call not in self._calls:
                self._take(ToolCallStart(call))
                self._take(ToolCallDelta(call, call.buf, None, True))
                self._take(ToolCallEnd(call))

    def _fail(self, error: StreamError) -> None:
        if self.error is None:
            self.error = error
            self.failure(error)
