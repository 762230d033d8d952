"""Ollama's own chat (`/api/chat`), one JSON object per line.

A line is `{model, message: {content, thinking, tool_calls}, done}`; the last has `done: true` with `done_reason`,
`prompt_eval_count` and `eval_count`, and ends the turn. An answer that isn't streamed is one such line. A call is
`{id?, function: {name, arguments, index?}}` and comes whole. What is allowed for:

* `function.index` absent, or beginning at 1 (`prism_stream_with_tools_1`): order of arrival is all that counts
* `arguments` absent, which is no text, or JSON text in place of the object
* `done_reason: "stop"` for turns with calls too, and no `done_reason` at all: older servers
* calls on the line that says `done` (`sk_multi_calls_one_done_line`)
* `{"error": "…"}` in place of a line
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolwire.encoding import same
from toolwire.wire._errors import error_of, report
from toolwire.wire._read import count, items, obj, text, word

if TYPE_CHECKING:
    from toolwire.accumulator import Accumulator
    from toolwire.call import ToolCall
    from toolwire.events import FinishReason
    from toolwire.wire._read import Payload

__all__ = ["Decoder", "recognises"]

# "load" and "unload" answer requests that only moved the model in or out of memory.
FINISH: Final[dict[str, FinishReason]] = {
    "stop": "stop",
    "load": "stop",
    "unload": "stop",
    "tool_calls": "tool_calls",
    "length": "length",
}

# Fields that have a meaning of their own here; all others are kept for replay.
_CALL_FIELDS: Final = frozenset({"id", "type", "function"})
_FUNCTION_FIELDS: Final = frozenset({"name", "arguments", "index"})


def recognises(payload: Payload, event: str) -> bool:
    """A line has a message and says whether it is the last."""
    del event
    return isinstance(payload.get("message"), dict) and isinstance(payload.get("done"), bool)


class Decoder:
    """Lines to verbs."""

    def __init__(self, acc: Accumulator) -> None:
        self._acc = acc
        self._told: dict[str, ToolCall] = {}  # by their ids

    def feed(self, payload: Payload, event: str) -> None:
        """One line."""
        acc = self._acc
        # What has a type is another wire's event, and its message not a line's.
        message = None if "type" in payload else payload.get("message")
        done = payload.get("done") is True
        if isinstance(message, dict):
            self._message(message, word(payload.get("model")))
        error = error_of(payload.get("error"))
        if done:
            self._done(payload)
        if error is not None:
            report(acc, error)
        elif not (isinstance(message, dict) or done):
            acc.unknown(payload, event)
        if done:
            acc.terminate()

    def end(self) -> None:
        """Nothing is held back."""

    def _message(self, message: Payload, model: str) -> None:
        acc = self._acc
        acc.begin(None, model)
        acc.reasoning(text(message.get("thinking")), field="thinking")
        acc.text(text(message.get("content")))
        for entry in items(message.get("tool_calls")):
            if isinstance(entry, dict):
                self._call(entry)
            else:
                acc.unknown(entry)
        if items(message.get("images")):
            acc.unknown({"images": message["images"]})

    def _call(self, entry: Payload) -> None:
        acc = self._acc
        function = obj(entry.get("function"))
        number, name = word(entry.get("id")), word(function.get("name"))
        told = self._told.get(number)
        if told is not None and told.name == name and _says(told, function.get("arguments")):
            return  # a repeat, as in some servers' last line
        call = acc.open(None, number, name)
        if call is None:
            return
        if number:
            self._told[number] = call
        for fields, known in ((entry, _CALL_FIELDS), (function, _FUNCTION_FIELDS)):
            call._extra.update((key, each) for key, each in fields.items() if key not in known and each is not None)
        arguments = function.get("arguments")
        if isinstance(arguments, str) and arguments:
            acc.append(call, arguments)
        else:
            call.encoded = True
            if arguments not in (None, ""):
                acc.value(call, arguments)
        acc.close(call)

    def _done(self, payload: Payload) -> None:
        counts = {key: each for key, each in payload.items() if word(key).endswith(("_count", "_duration"))}
        if counts:
            self._acc.usage(
                counts,
                input_tokens=count(counts.get("prompt_eval_count")),
                output_tokens=count(counts.get("eval_count")),
            )
        raw = word(payload.get("done_reason"))
        if raw:
            self._acc.finish(FINISH.get(raw.lower(), "unknown"), raw)


def _says(call: ToolCall, arguments: Any) -> bool:
    """Whether a call has these arguments."""
    return call._raw == arguments if isinstance(arguments, str) else same(call._raw or "null", arguments)
