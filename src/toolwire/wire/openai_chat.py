"""OpenAI Chat Completions, and the many servers that copy it.

A chunk is `{choices: [{index, delta: {content, tool_calls: [{index, id, type, function: {name, arguments}}]},
finish_reason}], usage, error}`; the stream ends with `[DONE]`. Each bend of a compatible server that is allowed for
here has its row below; which call a delta belongs to is decided by the accumulator, from choice, index, id and name.

* no `index`; one index for all calls; indexes that start at 1 or are -1: Mistral, Gemini's compatible endpoint, z.ai
* `delta.function_call`: the deprecated single call, no id, no index
* `message` instead of `delta` (a whole body), or beside it and equal (Writer): `delta` wins where it says something
* `arguments` null, absent, or an object instead of text
* `content` as a list of parts: Mistral's reasoning models
* the same reasoning in `reasoning_content`, `reasoning` and `reasoning_details` of one delta: counted once
* usage inside a choice (Moonshot), in a chunk without choices, cumulative on every chunk
* `finish_reason` more than once, per call, or different ones; `native_finish_reason` tells of a cut that
  `finish_reason` hides (OpenRouter)
* `error` beside `choices`, in a choice, alone, in an event of its name, or flat (`object: "error"`)
* a choice without `delta`: content filter annotations (Azure)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolwire.wire._errors import ErrorReport, error_of, report
from toolwire.wire._read import count, items, obj, text, word

if TYPE_CHECKING:
    from toolwire.accumulator import Accumulator
    from toolwire.events import FinishReason
    from toolwire.wire._read import Payload

__all__ = ["Decoder", "recognises"]

FINISH: Final[dict[str, FinishReason]] = {
    "stop": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_calls": "tool_calls",
    "tool_call": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "max_output_tokens": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "error": "error",
    "insufficient_system_resource": "error",
    "cancelled": "cancelled",
}

# What `native_finish_reason` may say about a turn whose `finish_reason` says otherwise.
NATIVE_CUT: Final = frozenset({"max_output_tokens", "max_tokens", "length", "model_length"})

# One delta may carry the same reasoning under several names: the first that has text counts.
REASONING: Final = ("reasoning_content", "reasoning", "thinking")

# What the SDK's stream helper derives from the chunks that it hands over too.
HELPER_EVENTS: Final = frozenset(
    f"{channel}.{stage}"
    for channel in ("content", "refusal", "logprobs.content", "logprobs.refusal", "tool_calls.function.arguments")
    for stage in ("delta", "done")
)

# Fields of a call that have a meaning of their own here; all others are kept for replay.
_CALL_FIELDS: Final = frozenset({"index", "id", "type", "function", "custom"})


def recognises(payload: Payload, event: str) -> bool:
    """A chunk has `choices`; one without any is recognised by its `object`."""
    del event
    payload = _unwrapped(payload)
    return isinstance(payload.get("choices"), list) or text(payload.get("object")).startswith("chat.completion")


class Decoder:
    """Chunks, or one whole body, to verbs."""

    def __init__(self, acc: Accumulator) -> None:
        self._acc = acc
        self._failed = ""  # a finish reason that says so
        self._error: ErrorReport | None = None  # in a choice

    def feed(self, payload: Payload, event: str) -> None:
        """One chunk."""
        acc = self._acc
        if "chunk" in payload:
            payload = _unwrapped(payload)
        choices = payload.get("choices")
        if not acc.begun and (word(payload.get("id")) or choices):
            acc.begin(word(payload.get("id")), word(payload.get("model")))
        self._usage(payload.get("usage"))
        body = False
        for choice in items(choices):
            if isinstance(choice, dict):
                body = self._choice(choice) or body
        error = error_of(payload.get("error")) or self._error
        if error is None and (event == "error" or payload.get("object") == "error"):
            error = error_of(payload)
        if error is not None:
            report(acc, error)
        elif choices is None and not obj(payload.get("usage")) and text(payload.get("type")) not in HELPER_EVENTS:
            acc.unknown(payload, event)
        if self._failed:
            report(acc, ErrorReport("", self._failed))
        if body:
            acc.terminate()

    def end(self) -> None:
        """Nothing is held back."""

    def _choice(self, choice: Payload) -> bool:
        """One choice; true if it was a whole message and not a delta."""
        acc = self._acc
        number = count(choice.get("index")) or 0
        delta = obj(choice.get("delta"))
        body = not delta and isinstance(choice.get("message"), dict) and "delta" not in choice
        if body:
            delta = choice["message"]
        calls = items(delta.get("tool_calls"))
        more = len(delta) > 1 or not calls  # most deltas are a piece of a call and nothing else
        if more:
            self._reasoning(delta, number)
            self._content(delta.get("content"), number)
            acc.refusal(text(delta.get("refusal")), number)
        for entry in calls:
            if isinstance(entry, dict):
                self._call(entry, number)
        legacy = delta.get("function_call") if more else None
        if isinstance(legacy, dict) and legacy and not calls:
            # One call for ever: its name sent again is a repeat, so it has an index like any other.
            arguments = legacy.get("arguments")
            name = word(legacy.get("name"))
            acc.fragment(number, "function_call", "", name, text(arguments), value=_value(arguments))
        self._usage(choice.get("usage"))
        self._error = self._error or error_of(choice.get("error"))
        self._finish(choice, number)
        return body

    def _call(self, entry: Payload, choice: int) -> None:
        function = obj(entry.get("function"))
        index = entry.get("index")
        if not isinstance(index, (int, str)) or isinstance(index, bool):
            index = None
        arguments = function.get("arguments")
        if len(function) == 1 and len(entry) == 2 and index is not None and isinstance(arguments, str):
            self._acc.fragment(choice, index, "", "", arguments)  # a piece of a call that has begun
            return
        custom = obj(entry.get("custom"))
        call = self._acc.fragment(
            choice,
            index,
            word(entry.get("id")),
            word(function.get("name")) or word(custom.get("name")),
            text(arguments) or text(custom.get("input")),
            "custom" if custom or entry.get("type") == "custom" else "function",
            value=_value(arguments),
        )
        if call is not None:
            for key, value in entry.items():
                if key not in _CALL_FIELDS and value is not None:
                    call._extra[key] = value

    def _content(self, content: Any, choice: int) -> None:
        if isinstance(content, str):
            self._acc.text(content, choice)
            return
        for part in items(content):
            if not isinstance(part, dict):
                self._acc.text(text(part), choice)
            elif part.get("type") == "thinking":
                for piece in items(part.get("thinking")) or [part.get("thinking")]:
                    said = text(piece) or text(obj(piece).get("text"))
                    self._acc.reasoning(said, choice, field="thinking")
            else:
                self._acc.text(text(part.get("text")), choice)

    def _reasoning(self, delta: Payload, choice: int) -> None:
        details = [each for each in items(delta.get("reasoning_details")) if isinstance(each, dict)]
        field = next((name for name in REASONING if text(delta.get(name))), None)
        if field is not None:
            self._acc.reasoning(text(delta[field]), choice, field=field)
        for detail in details:
            said = "" if field is not None else text(detail.get("text")) or text(detail.get("summary"))
            self._acc.reasoning(
                said,
                choice,
                field="reasoning_details",
                signature=text(detail.get("signature")) or None,
                extra=detail,
            )
        signature = text(delta.get("reasoning_signature")) or text(delta.get("signature"))
        if signature:
            self._acc.reasoning("", choice, field=field, signature=signature)

    def _finish(self, choice: Payload, number: int) -> None:
        raw = word(choice.get("finish_reason"))
        if not raw:
            return
        reason = FINISH.get(raw.lower(), "unknown")
        native = word(choice.get("native_finish_reason")).lower()
        if native in NATIVE_CUT and reason in ("stop", "tool_calls"):
            reason = "length"
        self._acc.finish(reason, raw, number)
        if reason == "error":
            self._failed = raw

    def _usage(self, usage: Any) -> None:
        if isinstance(usage, dict) and usage:
            self._acc.usage(
                usage,
                input_tokens=count(usage.get("prompt_tokens")),
                output_tokens=count(usage.get("completion_tokens")),
            )


def _unwrapped(payload: Payload) -> Payload:
    """The chunk in an event of the SDK's stream helper; anything else as it is."""
    chunk = payload.get("chunk")
    return chunk if payload.get("type") == "chunk" and isinstance(chunk, dict) else payload


def _value(arguments: Any) -> Any:
    """Arguments that are a value instead of text. An empty object in a delta says nothing."""
    return None if isinstance(arguments, str) or arguments in ({}, []) else arguments
