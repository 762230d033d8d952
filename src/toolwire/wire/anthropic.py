"""Anthropic Messages, and the servers that copy it.

A message is `message_start {message}`, then for each content block `content_block_start {index, content_block}`,
`content_block_delta {index, delta}` and `content_block_stop {index}`, at last `message_delta {delta, usage}` with the
stop reason and `message_stop`; `ping` and `error` come anywhere. The `type` in the JSON decides; the event's name
stands in for a missing one. Blocks are told apart by `index` alone. What is allowed for:

* the whole `input` in the block's start and no delta (programmatic tool calling): used at the block's or the turn's end
* whole blocks, and the stop reason too, in `message_start` (a continued message); a whole body (`type: message`)
* a turn cut by `max_tokens`: the open block gets no `content_block_stop`
* no `message_start`, no `content_block_stop`, no `input`, no `index`, a repeated block start: compatible servers
* `message_start` again: a duplicate, or a retry that abandons all that came before (`vercel_spliced_message_start`)
* the events that the SDK's stream helper derives from raw ones: skipped, because the raw ones come too
* an `error` member in any event, or an `event: error` whose data is the bare error

Results of server tools, citations and whatever else has no meaning here are passed on as unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolwire.wire._errors import ErrorReport, error_of, report
from toolwire.wire._read import count, items, obj, text, word

if TYPE_CHECKING:
    from toolwire.accumulator import Accumulator
    from toolwire.call import CallKind, ToolCall
    from toolwire.events import FinishReason
    from toolwire.wire._read import Payload

__all__ = ["Decoder", "recognises"]

FINISH: Final[dict[str, FinishReason]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "pause",
    "compaction": "pause",  # the context was summarised, and the client is to go on from there
    "refusal": "content_filter",
}

# The blocks that are calls, and who runs them.
CALLS: Final[dict[str, CallKind]] = {
    "tool_use": "function",
    "server_tool_use": "server",
    "mcp_tool_use": "mcp",
}

# What tells a raw event from another wire's event of the same type: a member of this name and kind.
_SHAPES: Final[dict[str, tuple[str, type | tuple[type, ...]]]] = {
    "message_start": ("message", dict),
    "content_block_start": ("content_block", dict),
    "content_block_delta": ("delta", dict),
    "content_block_stop": ("index", (int, str)),
    "message_delta": ("delta", dict),
}

# Keep-alives, and the events of the SDK's stream helper.
_SILENT: Final = frozenset({"ping", "text", "input_json", "thinking", "signature", "citation", "compaction"})

# Fields of a call's block that have a meaning of their own here; all others are kept for replay.
_CALL_FIELDS: Final = frozenset({"type", "id", "name", "input"})

_Key = int | str | None


def recognises(payload: Payload, event: str) -> bool:
    """A raw event with its member, `ping`, `message_stop`, or a whole message. An error alone is any wire's."""
    kind = text(payload.get("type"))
    if kind in ("ping", "message_stop") or _is_whole(payload):
        return True
    member, shape = _SHAPES.get(kind or event, ("", ()))
    return isinstance(payload.get(member), shape)


class Decoder:
    """Events, or one whole message, to verbs."""

    def __init__(self, acc: Accumulator) -> None:
        self._acc = acc
        self._id: str | None = None  # of the last message_start; None before the first
        self._bare = True  # nothing has followed it
        self._open: dict[_Key, ToolCall] = {}  # calls whose stop has not come
        self._inputs: dict[ToolCall, Any] = {}  # what stood in their starts, while no delta says otherwise
        self._other: _Key | object = object()  # the latest block that is no call

    def feed(self, payload: Payload, event: str) -> None:
        """One event."""
        kind = text(payload.get("type")) or event
        known, over = True, False
        match kind:
            case "message_start":
                self._message(obj(payload.get("message")), event)
            case "content_block_start":
                self._block(_key(payload), obj(payload.get("content_block")), payload, event)
            case "content_block_delta":
                self._delta(_key(payload), obj(payload.get("delta")), payload, event)
            case "content_block_stop":
                self._stop(_key(payload))
            case "message_delta":
                self._usage(payload.get("usage"))
                self._finish(obj(payload.get("delta")).get("stop_reason"))
            case "message_stop":
                self._use_inputs()
                over = True
            case "message" if _is_whole(payload):
                self._message(payload, event)
                over = True
            case _:
                known = False
        if known and kind != "message_start":
            self._bare = False
        error = error_of(payload.get("error"))
        if error is None and (kind == "error" or (event == "error" and not known)):
            error = error_of(payload) or ErrorReport("", None, payload)
        if error is not None:
            self._use_inputs()
            report(self._acc, error)
        elif not known and kind not in _SILENT:
            self._acc.unknown(payload, event)
        if over:
            self._acc.terminate()

    def end(self) -> None:
        """A block whose stop never came may still hold its input."""
        self._use_inputs()

    def _message(self, message: Payload, event: str) -> None:
        """The start of a message, or a whole one."""
        name, content = word(message.get("id")), items(message.get("content"))
        if self._id is not None and not (self._bare and name == self._id and not content):
            self._acc.restart("the provider began its message anew")
            self._open.clear()
            self._inputs.clear()
        self._id = name
        self._bare = not content
        self._acc.begin(name, word(message.get("model")))
        self._usage(message.get("usage"))
        for index, block in enumerate(content):
            if isinstance(block, dict):
                self._block(index, block, block, event, whole=True)
            else:
                self._acc.unknown(block, event)
        self._finish(message.get("stop_reason"))

    def _block(self, key: _Key, block: Payload, payload: Payload, event: str, *, whole: bool = False) -> None:
        """A block begins; `whole`: and ends with that. `payload` is what is passed on when it has no meaning here."""
        acc = self._acc
        kind = text(block.get("type"))
        if kind in CALLS:
            self._call(key, block, CALLS[kind], whole=whole)
            return
        self._use_input(self._open.pop(key, None))
        self._other = key
        if kind == "text":
            acc.text(text(block.get("text")))
            if items(block.get("citations")):
                acc.unknown(payload, event)
        elif kind == "thinking":
            signature = text(block.get("signature")) or None
            acc.reasoning(text(block.get("thinking")), field="thinking", signature=signature)
        elif kind == "redacted_thinking":
            acc.reasoning("", extra=block)
        else:
            acc.unknown(payload, event)

    def _call(self, key: _Key, block: Payload, kind: CallKind, *, whole: bool) -> None:
        acc = self._acc
        name, number = word(block.get("name")), word(block.get("id"))
        call = self._find(key)
        if call is None or not self._repeats(call, key, number, name):
            self._use_input(self._open.pop(key, None))
            call = acc.open(key, number, name, kind)
            if call is None:
                return
            if key == self._other:
                self._other = object()
            self._open[key] = call
        else:
            acc.identify(call, number, "" if call.name else name)
        for field, value in block.items():
            if field not in _CALL_FIELDS and value is not None:
                call._extra[field] = value
        given = block.get("input")
        # An empty object in a start is a placeholder; in a whole block it is what the model said.
        if not call._raw and given not in (None, "", []) and (whole or given != {}):
            self._inputs[call] = given
        if whole:
            self._stop(key)

    def _repeats(self, call: ToolCall, key: _Key, number: str, name: str) -> bool:
        """Whether a block's start is that of the call again: by its id, or, where one has none, by its name."""
        if number and call.vendor_id:
            return number == call.vendor_id
        return key in self._open and not call.closed and (not name or not call.name or name == call.name)

    def _delta(self, key: _Key, delta: Payload, payload: Payload, event: str) -> None:
        acc = self._acc
        match delta.get("type"):
            case "text_delta":
                acc.text(text(delta.get("text")))
            case "thinking_delta":
                acc.reasoning(text(delta.get("thinking")), field="thinking")
            case "signature_delta":
                acc.reasoning("", field="thinking", signature=text(delta.get("signature")) or None)
            case "input_json_delta" if (call := self._find(key) or self._lone(key)) is not None:
                piece = delta.get("partial_json")
                if piece is None or piece == "":
                    return
                if not isinstance(piece, str) or not piece.isspace():
                    self._inputs.pop(call, None)
                if isinstance(piece, str):
                    acc.append(call, piece)
                else:
                    acc.value(call, piece)
            case _:
                if delta.get("type") == "input_json_delta" and key != self._other:
                    for call in self._open.values():  # the text is one of theirs, and lost
                        acc.invalidate(call, "malformed", "argument text came for a block that had not begun")
                acc.unknown(payload, event)

    def _stop(self, key: _Key) -> None:
        call = self._open.pop(key, None)
        if call is not None:
            self._use_input(call)
            self._acc.close(call)

    def _find(self, key: _Key) -> ToolCall | None:
        if key == self._other:
            return None
        return self._open.get(key) or self._acc.find(key)

    def _lone(self, key: _Key) -> ToolCall | None:
        """Whose text it is that names no block we know: the open call's, if there is just one."""
        if key == self._other or len(self._open) != 1:
            return None
        return next(iter(self._open.values()))

    def _use_inputs(self) -> None:
        for call in list(self._inputs):
            self._use_input(call)

    def _use_input(self, call: ToolCall | None) -> None:
        """The input that stood in a block's start is the arguments: no delta has brought any."""
        if call in self._inputs:
            self._acc.value(call, self._inputs.pop(call))

    def _finish(self, reason: Any) -> None:
        raw = word(reason)
        if raw:
            self._use_inputs()
            self._acc.finish(FINISH.get(raw.lower(), "unknown"), raw)

    def _usage(self, usage: Any) -> None:
        if isinstance(usage, dict) and usage:
            self._acc.usage(
                usage,
                input_tokens=count(usage.get("input_tokens")),
                output_tokens=count(usage.get("output_tokens")),
            )


def _is_whole(payload: Payload) -> bool:
    """Whether this is a whole message, the body of an answer that was not streamed."""
    return payload.get("type") == "message" and isinstance(payload.get("content"), list)


def _key(payload: Payload) -> _Key:
    """A block's index, which is no more than a key."""
    index = payload.get("index")
    return index if isinstance(index, str) else count(index)
