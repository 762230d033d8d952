"""Gemini's Live API: the server's messages of one turn on a WebSocket.

A message holds one of `setupComplete`, `serverContent`, `toolCall`, `toolCallCancellation`, `goAway` and a few more,
and `usageMetadata` or `error` beside it or alone. `serverContent {modelTurn: {parts}, generationComplete,
turnComplete, interrupted}` brings text and thoughts; sound, transcripts and code that the provider runs are passed on.
`toolCall {functionCalls: [{id, name, args}]}` brings whole calls and hands over: the server waits for their results,
so it finishes the turn though the wire writes no reason. `turnComplete` ends the turn; the next needs a new decoder.

* code that prints a call ahead of it (`jsgenai_live_ml_dev`) is no call
* `toolCallCancellation {ids}`: the user has interrupted, and those calls are not to be run
* the fields in snake_case: dumps of SDK objects
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from toolwire.wire._errors import ErrorReport, error_of, report
from toolwire.wire._read import count, items, obj, text, word

if TYPE_CHECKING:
    from toolwire.accumulator import Accumulator
    from toolwire.call import ToolCall
    from toolwire.events import FinishReason
    from toolwire.wire._read import Payload

__all__ = ["Decoder", "recognises"]

# `turnCompleteReason`, where there is one; those that tell of refused input or output are many.
REASONS: Final[dict[str, FinishReason]] = {
    "TURN_COMPLETE_REASON_UNSPECIFIED": "stop",
    "NEED_MORE_INPUT": "stop",
    "MALFORMED_FUNCTION_CALL": "error",
    "RESPONSE_REJECTED": "content_filter",
}
_REFUSED: Final = re.compile("PROHIBITED|SAFETY|BLOCKLIST|UNSAFE|^INPUT_")

_MESSAGES: Final = (
    "goAway",
    "serverContent",
    "sessionResumptionUpdate",
    "setupComplete",
    "toolCall",
    "toolCallCancellation",
    "voiceActivity",
    "voiceActivityDetectionSignal",
)
_READ: Final = frozenset(
    {"error", "serverContent", "setupComplete", "toolCall", "toolCallCancellation", "usageMetadata"}
)
_CONTENT_READ: Final = frozenset(
    {"generationComplete", "interrupted", "modelTurn", "turnComplete", "turnCompleteReason"}
)
_CALL_FIELDS: Final = frozenset({"args", "id", "name"})


def recognises(payload: Payload, event: str) -> bool:
    """A message by the member it holds."""
    del event
    message = _fields(payload)
    return any(isinstance(message.get(each), dict) for each in _MESSAGES)


class Decoder:
    """Messages to verbs."""

    def __init__(self, acc: Accumulator) -> None:
        self._acc = acc
        self._calls: dict[str, ToolCall] = {}  # by id
        self._left = 0  # calls that were not cancelled

    def feed(self, payload: Payload, event: str) -> None:
        """One message."""
        acc = self._acc
        message = _fields(payload)
        usage = obj(message.get("usageMetadata"))
        if usage:
            counts = _fields(usage)
            acc.usage(
                usage,
                input_tokens=count(counts.get("promptTokenCount")),
                output_tokens=count(counts.get("responseTokenCount")),
            )
        content = _fields(message.get("serverContent"))
        self._content(content)
        for entry in items(_fields(message.get("toolCall")).get("functionCalls")):
            if isinstance(entry, dict):
                self._call(entry)
            else:
                acc.unknown(entry)
        if isinstance(message.get("toolCall"), dict):
            acc.finish("tool_calls", "")
        self._cancel(items(obj(message.get("toolCallCancellation")).get("ids")))
        rest = {key: each for key, each in message.items() if key not in _READ and each is not None}
        if rest or not message:
            acc.unknown(payload, event)
        error = error_of(message.get("error"))
        if error is not None:
            report(acc, error)
        if content.get("turnComplete") is True:
            self._complete(word(content.get("turnCompleteReason")))

    def end(self) -> None:
        """Nothing is held back."""

    def _content(self, content: Payload) -> None:
        acc = self._acc
        for value in items(obj(content.get("modelTurn")).get("parts")):
            part = _fields(value)
            said = part.get("text")
            signature = text(part.get("thoughtSignature")) or None
            if part.get("thought") is True:
                acc.reasoning(text(said), field="thought", signature=signature)
            else:
                acc.text(text(said))
                acc.reasoning("", field="thoughtSignature", signature=signature)
            if not isinstance(value, dict) or not part.keys() <= {"text", "thought", "thoughtSignature"}:
                acc.unknown(value)
        rest = {key: each for key, each in content.items() if key not in _CONTENT_READ and each not in (None, False)}
        if rest:
            acc.unknown(rest)
        if content.get("interrupted") is True:
            acc.finish("cancelled", "interrupted")
        if content.get("generationComplete") is True:
            acc.finish("stop", "generationComplete")

    def _call(self, entry: Payload) -> None:
        acc = self._acc
        fields = _fields(entry)
        id_ = word(fields.get("id"))
        call = acc.open(None, id_, word(fields.get("name")))
        if call is None:
            return
        if id_:
            self._calls[id_] = call
        self._left += 1
        call._extra.update((key, each) for key, each in fields.items() if key not in _CALL_FIELDS and each is not None)
        call.encoded = True
        args = fields.get("args")
        if args not in (None, ""):
            acc.value(call, args)
        acc.close(call)

    def _cancel(self, ids: list[Any]) -> None:
        acc = self._acc
        for id_ in ids:
            call = self._calls.pop(word(id_), None)
            if call is None:
                acc.unknown({"toolCallCancellation": {"ids": [id_]}})
                continue
            self._left -= 1
            reason = "the provider cancelled this call"
            if call.done:
                acc.void(call, reason)
            else:
                acc.invalidate(call, "cancelled", reason)
            if not self._left:
                acc.finish("cancelled", "toolCallCancellation")

    def _complete(self, reason: str) -> None:
        """The end of the turn, and why, where that is told."""
        acc = self._acc
        acc.finish("stop", "turnComplete")
        if reason:
            finish = REASONS.get(reason.upper()) or ("content_filter" if _REFUSED.search(reason.upper()) else "unknown")
            acc.finish(finish, reason)
            if finish == "error":
                report(acc, ErrorReport("", reason))
        acc.terminate()


def _fields(value: Any) -> Payload:
    """An object's fields by their names on the wire, in a dict of their own."""
    return {_camel(key): each for key, each in obj(value).items()}


def _camel(key: Any) -> Any:
    return re.sub("_([a-z])", lambda letter: letter[1].upper(), key) if isinstance(key, str) else key
