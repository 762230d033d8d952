"""The AI SDK's UI message stream, version 1, of its own servers (versions 5 to 7) and of those that copy it.

A message is `start {messageId}`, then `start-step … finish-step` once for each call of the model, `finish
{finishReason}` and `[DONE]`. Text and reasoning are `-start`, `-delta` and `-end {id}`; a call is `tool-input-start`,
`tool-input-delta`s and either `tool-input-available {input}` or `tool-input-error {input, errorText}`, by
`toolCallId`. What is allowed for:

* calls without a start or deltas: the whole input is in their end
* the input at a call's end against the text that came: the same value, with numbers as JavaScript rounds them, or else
  a contradiction
* an input that is a text (`inputEncoding: "text"`, or none): free text, known as such only at its end in version 5
* `providerExecuted`, an output or a request for approval in the stream: the server runs the call
* a step that begins anew (`reset-step`): the message does, because nothing tells what stood in earlier steps
* `finish` without a reason
* an error as a body of its own

What our own encoder put beside a part to be replayed (`providerMetadata.toolwire`) is read back; that of others is kept
as `providerMetadata`. Outputs, files, sources and data are passed on as unknown.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolwire.encoding import encode, same
from toolwire.wire._errors import ErrorReport, error_of, report
from toolwire.wire._read import count, items, obj, text, word

if TYPE_CHECKING:
    from toolwire.accumulator import Accumulator
    from toolwire.call import CallKind, ToolCall
    from toolwire.events import FinishReason
    from toolwire.wire._read import Payload

__all__ = ["Decoder", "recognises"]

FINISH: Final[dict[str, FinishReason]] = {
    "stop": "stop",
    "length": "length",
    "content-filter": "content_filter",
    "tool-calls": "tool_calls",
    "error": "error",
    "interrupted": "incomplete",
    "other": "unknown",
    "unknown": "unknown",
}

# What tells a chunk from another wire's payload of the same type: a member of this name that is a text.
_SHAPES: Final[dict[str, str]] = {
    "start": "messageId",
    "error": "errorText",
    "finish": "finishReason",
    "text-start": "id",
    "text-delta": "id",
    "text-end": "id",
    "reasoning-start": "id",
    "reasoning-delta": "id",
    "reasoning-end": "id",
    "tool-input-start": "toolCallId",
    "tool-input-delta": "toolCallId",
    "tool-input-available": "toolCallId",
    "tool-input-error": "toolCallId",
    "tool-approval-request": "toolCallId",
    "tool-output-available": "toolCallId",
    "tool-output-error": "toolCallId",
    "tool-output-denied": "toolCallId",
}
_STEPS: Final = frozenset({"start-step", "finish-step", "reset-step"})

# The member of `providerMetadata` that is ours.
_OURS: Final = "toolwire"


def recognises(payload: Payload, event: str) -> bool:
    """A step's beginning or end, or a chunk with its member."""
    del event
    kind = text(payload.get("type"))
    return kind in _STEPS or (kind in _SHAPES and isinstance(payload.get(_SHAPES[kind]), str))


class Decoder:
    """Chunks to verbs."""

    def __init__(self, acc: Accumulator) -> None:
        self._acc = acc
        self._id = ""  # of the message
        self._parts: dict[tuple[str, str], Payload] = {}  # open ones, with the latest metadata of each

    def feed(self, payload: Payload, event: str) -> None:
        """One chunk."""
        acc = self._acc
        kind = text(payload.get("type"))
        match kind:
            case "start":
                self._id = word(payload.get("messageId")) or self._id
                acc.begin(self._id)
                self._message(payload, event)
            case "text-start" | "reasoning-start":
                self._parts[kind[:-6], word(payload.get("id"))] = obj(payload.get("providerMetadata"))
            case "text-delta":
                self._text(payload)
            case "reasoning-delta" | "reasoning-end":
                self._reasoning(payload, over=kind == "reasoning-end")
            case "text-end":
                self._parts.pop(("text", word(payload.get("id"))), None)
            case "tool-input-start":
                self._call(payload, "")
            case "tool-input-delta" if (call := acc.find(word(payload.get("toolCallId")))) is not None:
                acc.append(call, text(payload.get("inputTextDelta")))
            case "tool-input-available" | "tool-input-error":
                self._input(payload, failed=kind == "tool-input-error")
            case "start-step" | "finish-step":
                pass
            case "reset-step":
                acc.restart("the step began anew")
                acc.begin(self._id)
                self._parts.clear()
            case "finish":
                self._finish(payload, event)
            case "abort":
                acc.finish("cancelled", "abort")
            case "error":
                report(acc, ErrorReport(text(payload.get("errorText")), None, payload))
            case _:
                self._other(kind, payload, event)

    def end(self) -> None:
        """Nothing is held back."""

    # --- the message -------------------------------------------------------------------------------------------

    def _message(self, payload: Payload, event: str) -> None:
        """A message's metadata: servers choose what is in it, and token counts are mostly called so."""
        said = payload.get("messageMetadata")
        if said is None:
            return
        usage = obj(obj(said).get("usage")) or obj(obj(said).get("totalUsage"))
        if usage:
            tokens = [count(usage.get(key)) for key in ("inputTokens", "outputTokens")]
            self._acc.usage(usage, input_tokens=tokens[0], output_tokens=tokens[1])
        if not usage or len(said) > 1:
            self._acc.unknown(payload, event)

    def _finish(self, payload: Payload, event: str) -> None:
        self._message(payload, event)
        raw = word(payload.get("finishReason"))
        reason = FINISH.get(raw, "unknown") if raw else "stop"
        self._acc.finish(reason, raw)
        if reason == "error":
            report(self._acc, ErrorReport("the server's answer failed", raw, payload))

    def _other(self, kind: str, payload: Payload, event: str) -> None:
        """What came of a call, what concerns the whole message, and what has no meaning here."""
        acc = self._acc
        call = acc.find(word(payload.get("toolCallId")))
        if kind == "message-metadata":
            self._message(payload, event)
            return
        if call is not None:
            if kind == "tool-output-denied":
                self._refuse(call, "rejected", "the user denied the call")
            elif kind.startswith(("tool-output-", "tool-approval-")) and call.kind in ("function", "custom"):
                acc.provider_runs(call, "server", "the server runs this call itself")
        error = error_of(payload.get("error")) if not kind else None
        if error is not None:
            report(acc, error)
        else:
            acc.unknown(payload, event)

    # --- parts -------------------------------------------------------------------------------------------------

    def _text(self, payload: Payload) -> None:
        key = ("text", word(payload.get("id")))
        piece = text(payload.get("delta"))
        ours, extra = _split(self._parts.get(key, {}))
        if piece:
            self._parts[key] = {}  # it has been told with the first piece
            extra.update(obj(ours.get("extra")))
            self._acc.text(piece, extra=extra or None)

    def _reasoning(self, payload: Payload, *, over: bool) -> None:
        """A piece of reasoning, or its end, with what has to go back: the metadata that came last counts."""
        key = ("reasoning", word(payload.get("id")))
        told = self._parts.get(key, {})
        told = self._parts[key] = obj(payload.get("providerMetadata")) or told
        ours, others = _split(told)
        field = word(ours.get("field")) or None
        self._acc.reasoning(text(payload.get("delta")), field=field)
        if over:
            del self._parts[key]
            extras = [each for each in items(ours.get("extra")) if isinstance(each, dict) and each]
            extras += [others] if others else []
            signature = text(ours.get("signature")) or None
            for extra in extras[:-1]:
                self._acc.reasoning(field=field, extra=extra)
            self._acc.reasoning(field=field, signature=signature, extra=extras[-1] if extras else None)

    # --- calls -------------------------------------------------------------------------------------------------

    def _call(self, payload: Payload, kind: str) -> ToolCall | None:
        """The call that a chunk begins or ends. `kind`: of one that is known by its end alone."""
        acc = self._acc
        id_, name = word(payload.get("toolCallId")), word(payload.get("toolName"))
        ours, others = _split(obj(payload.get("providerMetadata")))
        runs: CallKind = "custom" if payload.get("inputEncoding") == "text" or kind == "custom" else "function"
        free_text = runs == "custom"
        if payload.get("providerExecuted") is True:
            runs = "server"
        call = acc.find(id_)
        if call is None or (call.done and payload.get("type") == "tool-input-start"):
            call = acc.open(id_, id_, name, runs, free_text=free_text)
            if call is None:
                return None
        else:
            acc.identify(call, name="" if call.name else name)
            if name and name != call.name:
                acc.contradict(call, f"the final copy of the call names another tool, {name!r}")
        if runs == "server":
            runs = "mcp" if ours.get("kind") == "mcp" or call.kind == "mcp" else "server"
            acc.provider_runs(call, runs, "the server runs this call itself")
        if "id" in ours:
            call.vendor_id = word(ours.get("id")) or None
        call._extra.update(others)
        call._extra.update(obj(ours.get("extra")))
        return call

    def _input(self, payload: Payload, *, failed: bool) -> None:
        """A call's end, with all of its input."""
        acc = self._acc
        value = payload.get("input")
        ours, _ = _split(obj(payload.get("providerMetadata")))
        free_text = isinstance(value, str) and not failed
        call = self._call(payload, "custom" if free_text or ours.get("kind") == "custom" else "")
        if call is None:
            return
        told = ours.get("kind") == "custom" or (not failed and _streamed(call) in ("", value))
        if isinstance(value, str) and call._parser is not None and not call.done and told:
            _free(call)
        if failed:
            if not _streamed(call) and isinstance(value, str):
                acc.append(call, value)
            elif not _streamed(call) and value is not None:
                acc.value(call, value)
            why = text(payload.get("errorText")) or "the server refused the call"
            if "status" in ours and not call.done and (call._parser is None or call.closed_object):
                acc.close(call)  # it is whole, and never to be run
                if call.status in ("complete", "repaired"):
                    acc.reject(call, why)
                return
            self._refuse(call, "malformed", why)
        elif isinstance(value, str) and call._parser is None:
            acc.snapshot(call, value)
        elif value is not None:
            self._whole(call, value)
        acc.close(call)

    def _whole(self, call: ToolCall, value: Any) -> None:
        """The input as a value: all there is, or a copy of what was streamed."""
        acc = self._acc
        streamed = _streamed(call).strip()
        if not streamed:
            acc.value(call, value)
        elif not (value == {} and streamed == "null") and not _agrees(streamed, value):
            try:
                copy = encode(value)
            except (RecursionError, TypeError, ValueError) as error:
                acc.contradict(call, f"the final copy of the arguments can't be written as JSON: {error}")
            else:
                acc.snapshot(call, copy)

    def _refuse(self, call: ToolCall, reason: str, message: str) -> None:
        """Never to be run."""
        if call.done:
            self._acc.void(call, message)
        else:
            self._acc.invalidate(call, reason, message)


def _free(call: ToolCall) -> None:
    """A call's input turns out to be free text."""
    call._text = call._raw  # what was held back comes with the whole text
    call._parser = None
    if call.kind == "function":
        call.kind = "custom"


def _streamed(call: ToolCall) -> str:
    """The argument text so far, what the parser still holds back included."""
    return call._raw if call._parser is None else call._parser.text + call._parser.held


def _split(metadata: Payload) -> tuple[Payload, Payload]:
    """What we put beside a part, and what others did, under the name that it is kept by."""
    others = {key: value for key, value in metadata.items() if key != _OURS}
    return obj(metadata.get(_OURS)), {"providerMetadata": others} if others else {}


def _agrees(streamed: str, value: Any) -> bool:
    """Whether a text says what a value says that went through JavaScript, whose numbers are all floats."""
    try:
        rounded = json.dumps(json.loads(streamed, parse_int=float))
        return same(streamed, value) or same(rounded, json.loads(json.dumps(value), parse_int=float))
    except (ValueError, TypeError, RecursionError):
        return False
