"""Gemini's generateContent, as its clients want it.

Every frame is a `GenerateContentResponse`: server-sent events without names, or one array (`framing="json-array"`).
Each candidate says a part at a time, then its `finishReason`, which is "STOP" for calls too; the token counts stand
beside that. Thoughts are parts with `thought: true`; a signature stands on an empty text, that of a call beside it.
Calls have an id only where the source's had one.

A call is one part, written when it has ended and those before it have: `functionCall: {name, args}`. With
`partial_args=True` it is streamed, as Vertex does: name and `willContinue`, then values by path (`gemini_paths.py`), at
last an empty `functionCall`. Calls never interleave: one that begins while another is open waits for it, because their
order is all that tells them apart.

A call that was cut is never written, or left unfinished where its beginning went out, and then no other follows: that
would end it. So is one whose arguments are no object. No client reads an error but Google's own, so the body breaks off
behind the chunk `{"error": {…}}`. A finish reason that tells of a failure is told as such.

A refusal is text, the free text of a custom call the member `input` of an object. Calls that a provider runs itself
have no place here, save for Gemini's own, whose results are passed on behind them.
"""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from toolwire.errors import UsageError
from toolwire.events import StreamError
from toolwire.wire._read import obj
from toolwire.wire.encode.base import CLIENT_RUN, WireEncoder, is_cut
from toolwire.wire.encode.gemini_paths import PathReader, string_end, string_piece
from toolwire.wire.encode.google import adopt, error_fields, for_gemini, signature_of
from toolwire.wire.encode.values import exact_object
from toolwire.wire.gemini import FINISH

if TYPE_CHECKING:
    from toolwire.call import ToolCall
    from toolwire.events import (
        Finish,
        FinishReason,
        MessageStart,
        ReasoningDelta,
        RefusalDelta,
        Reset,
        TextDelta,
        Unknown,
        Usage,
    )
    from toolwire.wire.encode.base import Sent
    from toolwire.wire.encode.options import Options

__all__ = ["Encoder", "finish_reason", "whole_arguments"]

_REASONS: Final[dict[FinishReason, str]] = {
    "tool_calls": "STOP",
    "stop": "STOP",
    "pause": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
}

_MALFORMED: Final = "MALFORMED_FUNCTION_CALL"

# Why a call whose arguments are an object can be invalid all the same, and be told: a client's own tools say so too.
_TOOL_SAYS: Final = ("schema", "unknown_tool")
# It was whole when it ended; that this no longer holds is told by an event of its own.
_LATER: Final = "reset"

# What Gemini did itself, and what it gives beside text.
_PART: Final = """codeExecutionResult executableCode fileData functionResponse inlineData mediaResolution partMetadata
    toolCall toolResponse videoMetadata"""
_PARTS: Final = frozenset(_PART.split())
_SOURCES: Final = frozenset({"citationMetadata", "groundingMetadata", "urlContextMetadata"})

_INPUT: Final = ("input",)


class _Due:
    """A call whose end was not written."""

    __slots__ = ("begun", "over", "pieces", "reader", "sent", "signed")

    def __init__(self, sent: Sent) -> None:
        self.sent = sent
        self.begun = False  # its name was written
        self.over = False  # its end came
        self.signed = False  # its signature was written
        self.pieces: list[str] = []  # text that waits
        self.reader: PathReader | None = None


class Encoder(WireEncoder):
    """Events to chunks."""

    wire = "gemini"
    keep_alive = None

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        if options.framing not in ("sse", "json-array"):
            raise UsageError(f"framing is 'sse' or 'json-array', not {options.framing!r}")
        self.framing = options.framing
        self._head: dict[str, Any] = {}
        self._due: dict[Sent, _Due] = {}
        self._lines: dict[int, deque[_Due]] = {}  # by choice, in the order in which they began
        self._untold: dict[ToolCall, str] = {}  # calls that this wire can't tell, and why
        self._counted: Usage | None = None  # the token counts that were told

    def shows(self, choice: int) -> bool:
        """Every choice is a candidate."""
        return True

    def tells(self, call: ToolCall) -> bool:
        """Also a call that Gemini turned out to run itself: its result follows."""
        return call.kind in CLIENT_RUN or self._source == self.wire

    # --- the message ----------------------------------------------------------------------------------------------

    def begin(self, event: MessageStart) -> None:
        """What every chunk has. The first comes with the first thing that is said."""
        model = self.options.model or event.model
        self._head = {
            **({"modelVersion": model} if model else {}),
            "responseId": self.options.message_id or event.id or os.urandom(12).hex(),
        }

    def text(self, event: TextDelta) -> None:
        """`text`."""
        self._part(event.choice, {"text": event.text})

    def refusal(self, event: RefusalDelta) -> None:
        """A refusal is text."""
        self._part(event.choice, {"text": event.text})

    def reasoning(self, event: ReasoningDelta) -> None:
        """A thought; a signature stands on it, or on an empty text."""
        signature = signature_of(event.signature)
        signed = {"thoughtSignature": signature} if signature else {}
        if event.text:
            self._part(event.choice, {"text": event.text, "thought": True, **signed})
        elif signed:
            self._part(event.choice, {"text": "", **signed})

    def finish(self, event: Finish) -> None:
        """`finishReason`, on an empty text as at Gemini."""
        content = {"parts": [{"text": ""}], "role": "model"}
        reason = finish_reason(event, self._source, self.word(event, _REASONS))
        candidate = {"content": content, "finishReason": reason, "index": event.choice}
        self._chunk({"candidates": [candidate]}, counts=True)

    def close(self) -> None:
        """Token counts that came late; the end of bytes is the end."""
        if self._usage is not self._counted:
            self._chunk({}, counts=True)

    def failure(self, error: StreamError) -> None:
        """A finish reason that says so, or `{"error": {…}}`."""
        if error.code is not None and FINISH.get(error.code) == "error":
            choice = 0 if error.call is None else error.call.choice
            said = {"finishMessage": error.message} if error.message else {}
            self._chunk({"candidates": [{"finishReason": error.code, **said, "index": choice}]}, counts=True)
        else:
            self.frame({"error": error_fields(error)})

    def trouble(self, event: Finish) -> StreamError | None:
        """A call that can't be told is a bad end too; one that Gemini runs itself is none."""
        if self._source == self.wire:
            adopt(self._calls.values())
        found = super().trouble(event)
        if found is None:
            for call, why in self._untold.items():
                if call.choice == event.choice:
                    message = f"the arguments of {call.label} can't be told: {why}"
                    return StreamError("protocol", message, _MALFORMED, call=call)
        return found

    def reset(self, event: Reset) -> None:
        """A call that Gemini runs itself is followed by its result, which tells the client so."""
        if self._source == self.wire:
            adopt(self._calls.values())
        super().reset(event)

    # --- calls ----------------------------------------------------------------------------------------------------

    def call_start(self, sent: Sent) -> None:
        """A call begins, and may have to wait for others."""
        due = self._due[sent] = _Due(sent)
        self._lines.setdefault(sent.call.choice, deque()).append(due)
        self._advance(sent.call.choice)

    def call_text(self, sent: Sent, text: str) -> None:
        """A piece of the arguments."""
        due = self._due[sent]
        if due.begun:
            self._values(due, text)
        elif self.options.partial_args or sent.kind == "custom":
            due.pieces.append(text)

    def call_end(self, sent: Sent) -> None:
        """The call, if it is whole, and those behind it that waited."""
        self._due.pop(sent).over = True
        self._advance(sent.call.choice)

    def _advance(self, choice: int) -> None:
        line = self._lines[choice]
        while line:
            due = line[0]
            if due.over and not due.begun and not self._good(due):
                line.popleft()
                continue
            if self.options.partial_args and not due.begun:
                self._begin_call(due)
            if not due.over or not self._end_call(due):
                return
            line.popleft()

    def _good(self, due: _Due) -> bool:
        """Whether a call that has ended can be told as whole."""
        call = due.sent.call
        if is_cut(call):
            return False
        if due.sent.kind == "custom" or whole_arguments(call) is not None:
            return True
        self._untold[call] = call.error.message if call.error is not None else "they are no object"
        return False

    def _end_call(self, due: _Due) -> bool:
        """Write the end of a call, or the whole. False if it has to stay open."""
        call = due.sent.call
        if not due.begun:
            if due.sent.kind == "custom":
                args: Any = {"input": "".join(due.pieces)}
            else:
                args = exact_object(call, whole_arguments(call) or {})
            self._call_part(due, {**self._named(due.sent), "args": args}, signed=True)
            return True
        if due.sent.kind == "custom":
            if is_cut(call):
                return False
            self._call_part(due, string_end(_INPUT))
        elif due.reader is not None:
            for body in due.reader.end():
                self._call_part(due, body)
            if not self._good(due):
                return False
            said = due.reader.value
            if due.reader.lost or (whole_arguments(call) or said) != said:
                self._untold[call] = "a key comes twice, something empty behind a value, or a number is too large"
                return False
        self._call_part(due, {}, signed=True)
        return True

    def _begin_call(self, due: _Due) -> None:
        due.begun = True
        if due.sent.kind != "custom":
            due.reader = PathReader()
        # Only Gemini's own signatures are known to come with the name.
        self._call_part(due, {**self._named(due.sent), "willContinue": True}, signed=self._source == self.wire)
        for piece in due.pieces:
            self._values(due, piece)
        due.pieces.clear()

    def _values(self, due: _Due, text: str) -> None:
        for body in [string_piece(_INPUT, text)] if due.reader is None else due.reader.feed(text):
            self._call_part(due, body)

    def _named(self, sent: Sent) -> dict[str, Any]:
        call = sent.call
        return {"name": call.name, **({} if call.vendor_id is None else {"id": sent.id})}

    def _call_part(self, due: _Due, body: dict[str, Any], *, signed: bool = False) -> None:
        """A part of a call. `signed`: its signature may stand beside it."""
        part: dict[str, Any] = {"functionCall": body}
        if signed and not due.signed:
            extra = due.sent.call.extra
            told = obj(obj(extra.get("extra_content")).get("google")).get("thought_signature")
            signature = signature_of(extra.get("thoughtSignature") or told)
            if signature:
                due.signed = True
                part["thoughtSignature"] = signature
        self._part(due.sent.call.choice, part)

    # --- within ---------------------------------------------------------------------------------------------------

    def unknown(self, event: Unknown) -> None:
        """A part that Gemini made of its own, or the sources of its answer."""
        payload = event.payload
        if self._source != self.wire or not isinstance(payload, dict) or "functionCall" in payload:
            return
        if payload.keys() & _PARTS:
            self._part(0, payload)
        elif payload and payload.keys() <= _SOURCES:
            self._chunk({"candidates": [{**payload, "index": 0}]})

    def _part(self, choice: int, part: dict[str, Any]) -> None:
        self._chunk({"candidates": [{"content": {"parts": [part], "role": "model"}, "index": choice}]})

    def _chunk(self, said: dict[str, Any], *, counts: bool = False) -> None:
        usage = self._usage
        if counts and usage is not None:
            self._counted = usage
            said["usageMetadata"] = dict(usage.raw) if self._source == self.wire else for_gemini(usage)
        self.frame({**said, **self._head})


def finish_reason(event: Finish, source: str | None, otherwise: str | None) -> str:
    """Gemini's word for a reason: a provider's that means the same here, or that is Gemini's own and unknown."""
    own = event.reason == "unknown" and source == "gemini"
    for raw in reversed(event.raw):
        if FINISH.get(raw) == event.reason or (own and raw.upper() not in FINISH):
            return raw
    return otherwise or "OTHER"


def whole_arguments(call: ToolCall) -> dict[str, Any] | None:
    """The arguments of a call that has ended as an object, None if they are none that may be used."""
    reason = call.error.reason if call.error is not None else ""
    whole = call.status == "complete" or (call.status == "repaired" and call._trust.accept_repaired) or reason == _LATER
    if not call.closed_object:
        return {} if whole else None
    value: dict[str, Any] = call.partial
    return value if whole or reason in _TOOL_SAYS else None
