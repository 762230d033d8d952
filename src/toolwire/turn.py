"""One choice's turn: whose delta is whose, and what its reasons and its calls' texts come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolwire.trust import CallError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from toolwire.call import CallStatus, ToolCall
    from toolwire.events import FinishReason

__all__ = ["Turn", "settle_reason", "verdict"]

# Where several reasons came, the first of these that did decides. A cut wins over the evidence of calls.
_PRECEDENCE: Final[tuple[FinishReason, ...]] = (
    "error",
    "cancelled",
    "content_filter",
    "length",
    "incomplete",
    "unknown",
    "pause",
)
_CUT: Final = frozenset(_PRECEDENCE) - {"pause"}


class Turn:
    """The calls and finish reasons of one choice."""

    __slots__ = ("_halves", "_ids", "_last", "calls", "choice", "raw", "reasons", "slots", "spoke")

    def __init__(self, choice: int) -> None:
        self.choice = choice
        self.calls: list[ToolCall] = []
        self.slots: dict[Hashable, ToolCall] = {}
        self.raw: list[str] = []
        self.reasons: list[FinishReason] = []
        self.spoke = False
        self._ids: dict[str, ToolCall] = {}
        self._last: ToolCall | None = None
        self._halves: dict[object, str] = {}

    @property
    def ended_well(self) -> bool:
        """True when a finish reason came and none of them says that the turn was cut."""
        return bool(self.reasons) and _CUT.isdisjoint(self.reasons)

    def route(self, index: Hashable | None, id: str, name: str, text: str) -> ToolCall | None:
        """The call a delta continues, or None when it opens one.

        An index is an opaque key. A new id with a name opens a call on a used index; an id without a name does not.
        """
        if index is None:
            return self._route_without_index(id, name, text)
        call = self.slots.get(index)
        if call is None:
            if id and not name:
                return self._ids.get(id)
            return None if id or name else self._last
        if name and id:
            if id != call.vendor_id and (call.vendor_id is not None or call.closed):
                return None
        elif name and self._begins_another(call, name, text):
            return None
        return call

    def _route_without_index(self, id: str, name: str, text: str) -> ToolCall | None:
        last = self._last
        if id:
            call = self._ids.get(id)
            another = call is not None and call.closed and name not in ("", call.name)
            return None if another else call
        if name and last is not None:
            if not last.name:
                return last
            return last if name == last.name and not self._begins_another(last, name, text) else None
        return None if name else last

    @staticmethod
    def _begins_another(call: ToolCall, name: str, text: str) -> bool:
        """A name without an id: a late or a repeated one, unless the call is whole and this begins another document."""
        return call.closed and (name != call.name != "" or text.lstrip()[:1] == "{")

    def bind(self, call: ToolCall, key: Hashable | None, id: str) -> None:
        """Remember how to find a call again."""
        if key is not None:
            self.slots[key] = call
        if id:
            self._ids[id] = call
        self._last = call

    def adopt(self, other: Turn) -> None:
        """Take over another turn's calls."""
        for call in other.calls:
            call.choice = self.choice
            call.index = len(self.calls)
            self.calls.append(call)

    def join(self, channel: object, text: str) -> str:
        """A channel's next piece, with surrogate halves that were cut apart put together.

        Providers cut text between UTF-16 halves; a high half waits for the next piece.
        """
        if isinstance(channel, str):
            self.spoke = True
        half = self._halves.pop(channel, "") if self._halves else ""
        if half:
            text = half + text
        if 0xD800 <= ord(text[-1]) <= 0xDBFF:
            self._halves[channel] = text[-1]
            text = text[:-1]
        return _pair(text) if half else text

    def complete_half(self, channel: object, text: str) -> None:
        """Let go of the half that waits on a channel if `text`, which stands in its place, begins with it."""
        half = self._halves.get(channel)
        if half and text and _units(text[0])[:2] == _units(half):
            del self._halves[channel]

    def rest(self, channel: object) -> str:
        """The half that still waits on a channel, which now stays alone."""
        return self._halves.pop(channel, "") if self._halves else ""


def _units(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def _pair(text: str) -> str:
    if len(text) > 1 and 0xDC00 <= ord(text[1]) <= 0xDFFF:
        return text[:2].encode("utf-16-le", "surrogatepass").decode("utf-16-le") + text[2:]
    return text


def settle_reason(turn: Turn, *, terminator: bool) -> FinishReason:
    """What the turn came to: a cut wins over calls, calls win over "stop"; no word at all is "incomplete"."""
    if not turn.reasons and not terminator:
        return "incomplete"
    for reason in _PRECEDENCE:
        if reason in turn.reasons:
            return reason
    return "tool_calls" if any(call.kind in ("function", "custom") for call in turn.calls) else "stop"


def verdict(call: ToolCall, *, well: bool) -> tuple[CallStatus, CallError | None]:
    """What an ended call's arguments are. `well`: the turn was not cut.

    Cut off is not the same as malformed, so in a cut turn everything that is not whole is "incomplete".
    """
    parser = call._parser
    if parser is None:
        if not well:
            return "incomplete", call._fault or CallError("cut", "the turn ended before the text was closed")
        return ("complete" if call._fault is None else "invalid"), call._fault
    if call._error is None and parser.closed and isinstance(parser.value, dict):
        return ("repaired" if parser.repairs else "complete"), None
    if not well:
        return "incomplete", call._fault or CallError("cut", "the turn ended before the arguments did", len(call._raw))
    if call._error is not None:
        return "invalid", call._error
    text = parser.text.strip()
    if text in ("", "null"):
        return "complete", None
    if parser.fault is not None:
        return "invalid", call._fault
    if parser.closed:
        return "invalid", CallError("not_an_object", f"the arguments are not a JSON object: {text[:40]}", 0)
    return "invalid", CallError("truncated", "the arguments end in the middle, yet the turn ended well", len(call._raw))
