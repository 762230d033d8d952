"""Amazon Bedrock ConverseStream, and Nova's own stream, which has the same shape.

A message is `messageStart {role}`, then for each content block `contentBlockStart {contentBlockIndex, start}`,
`contentBlockDelta {contentBlockIndex, delta}` and `contentBlockStop {contentBlockIndex}`, then `messageStop
{stopReason}` and `metadata {usage, metrics}`. On the wire the event's name is in a header of its frame; payloads that
an SDK has parsed are unions, `{"messageStop": {...}}`. Either is read. What is allowed for:

* only tool blocks have a start; text blocks begin with their first delta
* `p`, padding of random length beside everything
* an exception instead of an event: of its name, a union's member, or an `error`; a body with just a `message`
* the end is the end of bytes: `metadata` comes after `messageStop`, and in trimmed recordings before it
* no `messageStart`, no `contentBlockStop`, no index, `start: {}`, an object for a tool's input: compatible servers
* `messageStart` again after content: the message began anew
* a whole body: `{output: {message: {content}}, stopReason, usage}`

Tools of type `server_tool_use` are run by AWS. Their results, citations, traces and whatever else has no meaning here
are passed on as unknown.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

from toolwire.wire._errors import ErrorReport, error_of, report
from toolwire.wire._read import count, items, obj, text, word

if TYPE_CHECKING:
    from toolwire.accumulator import Accumulator
    from toolwire.call import ToolCall
    from toolwire.events import FinishReason
    from toolwire.wire._read import Payload

__all__ = ["Decoder", "exception_of", "recognises"]

FINISH: Final[dict[str, FinishReason]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "guardrail_intervened": "content_filter",
    "content_filtered": "content_filter",
    "malformed_tool_use": "error",
    "malformed_model_output": "error",
}

# The members of the union.
EVENTS: Final = (
    "messageStart",
    "contentBlockStart",
    "contentBlockDelta",
    "contentBlockStop",
    "messageStop",
    "metadata",
)

# What tells a bare payload from another protocol's in an event of the same name.
_MEMBERS: Final = {
    "messageStart": "role",
    "contentBlockStart": "start",
    "contentBlockDelta": "delta",
    "contentBlockStop": "contentBlockIndex",
    "messageStop": "stopReason",
    "metadata": "usage",
}

# Fields of a tool's block that have a meaning of their own here; all others are kept for replay.
_CALL_FIELDS: Final = frozenset({"toolUseId", "name", "type", "input"})

_Key = int | str | None


def recognises(payload: Payload, event: str) -> bool:
    """A union with one of the events or an exception, an event with its member, or a whole body."""
    if any(isinstance(payload.get(name), dict) for name in EVENTS) or _content(payload) is not None:
        return True
    return (event in _MEMBERS and _MEMBERS[event] in payload) or _raised(payload) is not None


def exception_of(payload: Payload, event: str) -> ErrorReport | None:
    """The error in a payload of Bedrock's, None if it is none."""
    raised = _raised(payload)
    if raised is None and event.endswith("Exception"):
        raised = event, payload
    if raised is not None:
        name, members = raised
        return error_of({"type": name, **members})
    error = error_of(payload.get("error"))
    if error is None and event == "error":
        error = error_of(payload) or ErrorReport("", None, payload)
    if error is None:
        message = text(payload.get("message")) or text(payload.get("Message"))
        name = word(payload.get("__type")).rpartition("#")[2]
        if message and not event and not payload.get("type"):
            error = ErrorReport(message, name or None, payload)
    return error


class Decoder:
    """Events, or one whole body, to verbs."""

    def __init__(self, acc: Accumulator) -> None:
        self._acc = acc
        self._spoke = False  # something has come that a second start of the message would take back
        self._open: dict[_Key, ToolCall] = {}  # calls whose stop has not come

    def feed(self, payload: Payload, event: str) -> None:
        """One event."""
        found = [(name, payload[name]) for name in EVENTS if isinstance(payload.get(name), dict)]
        if not found and event in EVENTS:
            found = [(event, payload)]
        content = None if found else _content(payload)
        if content is not None:
            self._body(payload, content, event)
            return
        known = bool(found)
        for name, members in found:
            known = self._event(name, members) and known
        error = exception_of(payload, event)
        if error is not None:
            report(self._acc, error)
        elif not known:
            self._acc.unknown(payload, event)

    def end(self) -> None:
        """Nothing is held back."""

    def _event(self, name: str, members: Payload) -> bool:
        """One event; false if it holds something without a meaning here."""
        key = _key(members)
        if name == "messageStart":
            if self._spoke:
                self._acc.restart("the provider began its message anew")
                self._open.clear()
            self._spoke = False
            self._acc.begin()
            return True
        if name == "metadata":
            self._usage(members.get("usage"))
            return not members.get("trace")
        self._spoke = True
        if name == "contentBlockStart":
            return self._start(key, members.get("start"))
        if name == "contentBlockDelta":
            return self._delta(key, obj(members.get("delta")))
        if name == "contentBlockStop":
            self._stop(key)
            return True
        self._finish(members.get("stopReason"))
        return not members.get("additionalModelResponseFields")

    def _body(self, payload: Payload, content: list[Any], event: str) -> None:
        self._acc.begin()
        for key, block in enumerate(content):
            if not isinstance(block, dict):
                self._acc.unknown(block, event)
            elif isinstance(block.get("toolUse"), dict):
                self._call(key, block["toolUse"])
                self._input(key, block["toolUse"].get("input"), whole=True)
                self._stop(key)
            elif not self._delta(key, block):
                self._acc.unknown(block, event)
        self._usage(payload.get("usage"))
        self._finish(payload.get("stopReason"))
        self._acc.terminate()

    def _start(self, key: _Key, start: Any) -> bool:
        tool = obj(start).get("toolUse")
        if not isinstance(tool, dict):
            return not start
        self._call(key, tool)
        return self._input(key, tool.get("input"))

    def _call(self, key: _Key, tool: Payload) -> None:
        acc = self._acc
        number, name = word(tool.get("toolUseId")), word(tool.get("name"))
        call = self._open.get(key)
        if call is None or not _repeats(call, number, name):
            call = acc.open(key, number, name, "server" if tool.get("type") == "server_tool_use" else "function")
            if call is None:
                return
            self._open[key] = call
        else:
            acc.identify(call, number, "" if call.name else name)
        for field, value in tool.items():
            if field not in _CALL_FIELDS and value is not None:
                call._extra[field] = value

    def _delta(self, key: _Key, delta: Payload) -> bool:
        acc = self._acc
        known = bool(delta)
        for kind, value in delta.items():
            if kind == "text" and isinstance(value, str):
                acc.text(value)
            elif kind == "toolUse" and isinstance(value, dict):
                known = self._input(key, value.get("input")) and known
            elif kind == "reasoningContent" and isinstance(value, dict):
                self._reasoning(obj(value.get("reasoningText")) or value)
            elif kind == "citationsContent" and isinstance(value, dict):
                for part in items(value.get("content")):
                    acc.text(text(obj(part).get("text")))
                known = known and not items(value.get("citations"))
            else:
                known = known and value is None
        return known

    def _input(self, key: _Key, given: Any, *, whole: bool = False) -> bool:
        """A piece of a tool's arguments; false if there is no such tool. Only in a whole block does `{}` say so."""
        call = self._find(key)
        if given is None or given == "" or (given == {} and not whole):
            return True
        if call is None:
            return not self._acc.running
        if isinstance(given, str):
            self._acc.append(call, given)
        else:
            self._acc.value(call, given)
        return True

    def _find(self, key: _Key) -> ToolCall | None:
        """The call of a block; for a key that names no block, the open call if there is just one."""
        call = self._open.get(key) or self._acc.find(key)
        if call is None and len(self._open) == 1:
            call = next(iter(self._open.values()))
        return call

    def _stop(self, key: _Key) -> None:
        call = self._open.pop(key, None)
        if call is not None:
            self._acc.close(call)

    def _reasoning(self, said: Payload) -> None:
        redacted = said.get("redactedContent")
        if isinstance(redacted, (bytes, bytearray)):  # as an SDK decodes it; on the wire it is text
            redacted = base64.b64encode(redacted).decode()
        self._acc.reasoning(
            text(said.get("text")),
            field="redactedContent" if redacted else "reasoningContent",
            signature=text(said.get("signature")) or None,
            extra={"redactedContent": redacted} if isinstance(redacted, str) and redacted else None,
        )

    def _finish(self, reason: Any) -> None:
        raw = word(reason)
        if not raw:
            return
        meaning = FINISH.get(raw.lower(), "unknown")
        self._acc.finish(meaning, raw)
        if meaning == "error":
            report(self._acc, ErrorReport("", raw))

    def _usage(self, usage: Any) -> None:
        if isinstance(usage, dict) and usage:
            self._acc.usage(
                usage,
                input_tokens=count(usage.get("inputTokens")),
                output_tokens=count(usage.get("outputTokens")),
            )


def _repeats(call: ToolCall, number: str, name: str) -> bool:
    """Whether a start is an open call's again: by its id, or, where one has none, by its name."""
    if number and call.vendor_id:
        return number == call.vendor_id
    return not name or not call.name or name == call.name


def _raised(payload: Payload) -> tuple[str, Payload] | None:
    """The exception that stands in a union, by its name."""
    for name, members in payload.items():
        if isinstance(name, str) and name.endswith("Exception") and isinstance(members, dict):
            return name, members
    return None


def _content(payload: Payload) -> list[Any] | None:
    """The blocks of a whole body, None if it is none."""
    content = obj(obj(payload.get("output")).get("message")).get("content")
    return content if isinstance(content, list) else None


def _key(members: Payload) -> _Key:
    """A block's index, which is no more than a key."""
    index = members.get("contentBlockIndex")
    return index if isinstance(index, str) else count(index)
