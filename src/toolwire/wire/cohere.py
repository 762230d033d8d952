"""Cohere's chat, version 2.

Events by `type`: `message-start {id}`, `tool-plan-delta`, `content-start/-delta/-end {index}` with text or thinking,
`tool-call-start/-delta/-end {index}`, `citation-start/-end`, and `message-end {delta: {finish_reason, usage, error}}`,
which ends the turn; what they bring lies in `delta.message`. In these events `tool_calls` and `content` are objects,
in a body that isn't streamed (`{id, message: {content, tool_calls, tool_plan}, finish_reason, usage}`) they are lists.
The `type` in the JSON decides; the event's name stands in for a missing one. What is allowed for:

* a call without arguments: no delta at all, so its text is "" (`vercel_cohere_empty_tool_call`); null in a body
* no `index`, a repeated start, a delta for an index that never began while one call is open
* `tokens` left out of the usage: what was billed is counted then
* an error as a body of its own, `{"message": "…"}`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolwire.wire._errors import ErrorReport, error_of, report
from toolwire.wire._read import count, items, obj, text, word

if TYPE_CHECKING:
    from toolwire.accumulator import Accumulator
    from toolwire.call import ToolCall
    from toolwire.events import FinishReason
    from toolwire.wire._read import Payload

__all__ = ["Decoder", "recognises"]

FINISH: Final[dict[str, FinishReason]] = {
    "COMPLETE": "stop",
    "STOP_SEQUENCE": "stop",
    "TOOL_CALL": "tool_calls",
    "MAX_TOKENS": "length",
    "ERROR_LIMIT": "length",  # the context was full
    "ERROR_TOXIC": "content_filter",
    "USER_CANCEL": "cancelled",
    "ERROR": "error",
    "TIMEOUT": "error",
}

CITATIONS: Final = frozenset({"citation-start", "citation-end"})
EVENTS: Final = frozenset({*CITATIONS, "message-start", "message-end", "tool-plan-delta"}) | {
    f"{what}-{stage}" for what in ("content", "tool-call") for stage in ("start", "delta", "end")
}

# Fields of a call that have a meaning of their own here; all others are kept for replay.
_CALL_FIELDS: Final = frozenset({"id", "type", "function"})

_Key = int | str | None


def recognises(payload: Payload, event: str) -> bool:
    """An event by its type, or a whole body: a message beside its finish reason."""
    kind = text(payload.get("type")) or event
    return kind in EVENTS or _is_whole(payload)


class Decoder:
    """Events, or one whole body, to verbs."""

    def __init__(self, acc: Accumulator) -> None:
        self._acc = acc
        self._open: dict[_Key, ToolCall] = {}  # calls whose end has not come

    def feed(self, payload: Payload, event: str) -> None:
        """One event."""
        acc = self._acc
        kind = text(payload.get("type")) or event
        delta = obj(payload.get("delta"))
        message = obj(delta.get("message"))
        known, over = True, False
        match kind:
            case "message-start":
                acc.begin(word(payload.get("id")))
                self._message(message)
            case "content-start" | "content-delta":
                self._content(message.get("content"))
            case "content-end":
                pass
            case "tool-plan-delta":
                acc.reasoning(text(message.get("tool_plan")), field="tool_plan")
            case "tool-call-start":
                for entry in _entries(message.get("tool_calls")):
                    self._start(_key(payload), entry)
            case "tool-call-delta":
                for entry in _entries(message.get("tool_calls")):
                    self._delta(_key(payload), entry, payload, event)
            case "tool-call-end":
                call = self._open.pop(_key(payload), None)
                if call is not None:
                    acc.close(call)
            case "message-end":
                self._finish(payload | delta)
                over = True
            case _ if _is_whole(payload):
                acc.begin(word(payload.get("id")))
                self._message(obj(payload.get("message")))
                self._finish(payload)
                over = True
            case _:
                known = False
        error = error_of(payload.get("error"))
        if error is None and not known and (said := text(payload.get("message"))):
            error = ErrorReport(said, raw=payload)
        if error is not None and not over:
            report(acc, error)
        elif not known:
            acc.unknown(payload, event)
        if over:
            acc.terminate()

    def end(self) -> None:
        """Nothing is held back."""

    def _message(self, message: Payload) -> None:
        """A message's whole parts; those of a start are empty."""
        acc = self._acc
        acc.reasoning(text(message.get("tool_plan")), field="tool_plan")
        self._content(message.get("content"))
        for entry in _entries(message.get("tool_calls")):
            call = self._start(None, entry)
            if call is not None:
                if obj(entry.get("function")).get("arguments") == {}:
                    acc.value(call, {})
                del self._open[None]
                acc.close(call)
        if items(message.get("citations")):
            acc.unknown({"citations": message["citations"]})

    def _content(self, content: Any) -> None:
        acc = self._acc
        acc.text(text(content))
        for part in items(content) or [content]:
            piece = obj(part)
            acc.reasoning(text(piece.get("thinking")), field="thinking")
            acc.text(text(piece.get("text")))
            if piece.get("type") not in (None, "text", "thinking"):
                acc.unknown(piece)

    def _start(self, key: _Key, entry: Payload) -> ToolCall | None:
        acc = self._acc
        function = obj(entry.get("function"))
        id_, name = word(entry.get("id")), word(function.get("name"))
        call = self._open.get(key)
        if call is None or not id_ or id_ != call.vendor_id:
            call = acc.open(key, id_, name)
            if call is None:
                return None
            self._open[key] = call
            call._extra.update(
                (key, each) for key, each in entry.items() if key not in _CALL_FIELDS and each is not None
            )
            self._arguments(call, function)
        else:
            acc.identify(call, name=name)
        return call

    def _delta(self, key: _Key, entry: Payload, payload: Payload, event: str) -> None:
        acc = self._acc
        call = self._open.get(key)
        if call is None and len(self._open) == 1 and acc.find(key) is None:
            call = next(iter(self._open.values()))
        call = call or acc.find(key)
        if call is None:
            acc.unknown(payload, event)
            return
        function = obj(entry.get("function"))
        acc.identify(call, word(entry.get("id")), "" if call.name else word(function.get("name")))
        self._arguments(call, function)

    def _arguments(self, call: ToolCall, function: Payload) -> None:
        """Argument text, or an object in its place; an empty one says nothing."""
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            self._acc.append(call, arguments)
        elif isinstance(arguments, (dict, list)) and arguments:
            self._acc.value(call, arguments)

    def _finish(self, ending: Payload) -> None:
        """A turn's usage, finish reason and error."""
        acc = self._acc
        usage = obj(ending.get("usage"))
        if usage:
            counts = obj(usage.get("tokens")) or obj(usage.get("billed_units"))
            acc.usage(
                usage,
                input_tokens=count(counts.get("input_tokens")),
                output_tokens=count(counts.get("output_tokens")),
            )
        raw = word(ending.get("finish_reason"))
        reason = FINISH.get(raw.upper(), "unknown") if raw else None
        if reason is not None:
            acc.finish(reason, raw)
        error = error_of(ending.get("error"))
        if error is not None or reason == "error":
            error = error or ErrorReport("")
            report(acc, error._replace(code=error.code or raw or None))


def _is_whole(payload: Payload) -> bool:
    """Whether this is the body of an answer that was not streamed."""
    return (
        isinstance(payload.get("message"), dict)
        and "finish_reason" in payload
        and payload.keys().isdisjoint(("type", "done", "choices"))
    )


def _entries(value: Any) -> list[Payload]:
    """One object, or a list of them."""
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]


def _key(payload: Payload) -> _Key:
    """An index, which is no more than a key."""
    index = payload.get("index")
    return index if isinstance(index, str) else count(index)
