"""AG-UI, which agents speak to their frontends.

Events by `type`: `RUN_STARTED {runId}`, `TEXT_MESSAGE_START/CONTENT/END {messageId, role}`, `TOOL_CALL_START/ARGS/END
{toolCallId}`, `REASONING_START/END` around `REASONING_MESSAGE_START/CONTENT/END`, `REASONING_ENCRYPTED_VALUE` for
signatures, and `RUN_FINISHED` or `RUN_ERROR`, which end the turn. What is allowed for:

* chunks, `TEXT_MESSAGE_CHUNK`, `TOOL_CALL_CHUNK`, `REASONING_MESSAGE_CHUNK`: the first names its message or call, the
  next ones need not, and it lasts until something else comes from the same agent or subagent
* `THINKING_*`, as reasoning was called before
* calls that the agent runs itself: those that get a `TOOL_CALL_RESULT`, or that a success with `pendingToolCallIds`
  leaves out; `metadata.toolwire.kind`, where we wrote the stream
* a run that is interrupted ends as a pause; its interrupts are passed on
* messages of another role than the assistant's, steps, state, activities: passed on
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolwire.wire._errors import ErrorReport, report
from toolwire.wire._read import count, items, obj, text, word

if TYPE_CHECKING:
    from toolwire.accumulator import Accumulator
    from toolwire.call import CallKind, ToolCall
    from toolwire.events import ErrorKind, FinishReason
    from toolwire.wire._read import Payload

__all__ = ["FINISH", "Decoder", "recognises"]

# The outcome of a run.
FINISH: Final[dict[str, FinishReason]] = {"success": "stop", "interrupt": "pause", "cancelled": "cancelled"}

# Why a turn ended, in `metadata.toolwire`.
_REASONS: Final[dict[str, FinishReason]] = {
    "tool_calls": "tool_calls",
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "pause": "pause",
    "unknown": "unknown",
}
_KINDS: Final[dict[str, CallKind]] = {"server": "server", "mcp": "mcp"}

# Codes of errors as we write them, which no provider has.
_CODES: Final[dict[str, ErrorKind]] = {
    "auth": "auth",
    "context_length": "context_length",
    "connection": "connection",
    "incomplete": "connection",
    "protocol": "protocol",
    "concatenated": "protocol",
    "contradiction": "protocol",
    "invalid_call": "protocol",
    "truncated_call": "protocol",
    "not_a_client_call": "protocol",
    "reset": "protocol",
    "limit": "limit",
    "length": "limit",
    "call_rejected": "aborted",
    "cancelled": "aborted",
}

_SPOKEN: Final = frozenset(
    f"{what}_{stage}"
    for what in ("TEXT_MESSAGE", "REASONING_MESSAGE", "THINKING_TEXT_MESSAGE")
    for stage in ("START", "CONTENT", "END")
)
_CALLS: Final = frozenset({"TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"})
_CHUNKS: Final = frozenset({"TEXT_MESSAGE_CHUNK", "TOOL_CALL_CHUNK", "REASONING_MESSAGE_CHUNK"})
_SPANS: Final = frozenset({"REASONING_START", "REASONING_END", "THINKING_START", "THINKING_END"})
_RUN: Final = frozenset({"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"})
_STATE: Final = frozenset({"STATE_SNAPSHOT", "STATE_DELTA", "STEP_STARTED", "STEP_FINISHED"})
_ASIDE: Final = frozenset({"ACTIVITY_DELTA", "ACTIVITY_SNAPSHOT", "REASONING_ENCRYPTED_VALUE"})
_SUBAGENT: Final = frozenset({"SUBAGENT_STARTED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR"})
_OWN: Final = _SPOKEN | _CALLS | _CHUNKS | _SPANS | _RUN | _STATE | _ASIDE | _SUBAGENT

# What ends a message or a call that comes in chunks, if the same agent sent it.
_ENDS_CHUNKS: Final = _SPOKEN | _CALLS | _SPANS | _STATE | {"CUSTOM", "SUBAGENT_FINISHED", "SUBAGENT_ERROR"}

_COUNTS: Final = frozenset(
    [
        *("inputTokens", "outputTokens", "totalTokens"),
        *("reasoningTokens", "cachedInputTokens", "cacheWriteInputTokens"),
    ]
)


def recognises(payload: Payload, event: str) -> bool:
    """An event by its type. `CUSTOM` and `RAW` could be anybody's."""
    del event
    return text(payload.get("type")) in _OWN


class Decoder:
    """Events to verbs."""

    def __init__(self, acc: Accumulator) -> None:
        self._acc = acc
        self._others: set[str] = set()  # messages that are not the assistant's
        self._told: set[str] = set()  # texts of which some was said
        self._thoughts: set[str] = set()  # messages of reasoning
        self._chunks: dict[str, tuple[str, str]] = {}  # by subagent: what comes in chunks, and its id

    def feed(self, payload: Payload, event: str) -> None:
        """One event."""
        acc = self._acc
        kind = text(payload.get("type"))
        lane = word(payload.get("subagentRunId"))
        if kind in _ENDS_CHUNKS:
            self._end_chunk(lane)
        elif kind in _RUN:
            for each in list(self._chunks):
                self._end_chunk(each)
        known = True
        match kind:
            case "RUN_STARTED":
                acc.begin(word(payload.get("runId")))
            case "TEXT_MESSAGE_START":
                known = self._begins(word(payload.get("messageId")), payload)
            case "TEXT_MESSAGE_CONTENT":
                known = self._text(word(payload.get("messageId")), payload)
            case "TEXT_MESSAGE_END":
                known = word(payload.get("messageId")) not in self._others
            case "REASONING_MESSAGE_START":
                self._thoughts.add(word(payload.get("messageId")))
            case "REASONING_MESSAGE_CONTENT":
                acc.reasoning(text(payload.get("delta")), field="reasoning")
            case "THINKING_TEXT_MESSAGE_CONTENT":
                acc.reasoning(text(payload.get("delta")), field="thinking")
            case "REASONING_ENCRYPTED_VALUE":
                known = self._signature(payload)
            case "TOOL_CALL_START":
                known = self._start(payload) is not None
            case "TOOL_CALL_ARGS" | "TOOL_CALL_END":
                call = acc.find(word(payload.get("toolCallId")))
                known = call is not None
                if call is not None:
                    if kind == "TOOL_CALL_ARGS":
                        acc.append(call, text(payload.get("delta")))
                    else:
                        acc.close(call)
            case "TOOL_CALL_RESULT":
                call = acc.find(word(payload.get("toolCallId")))
                if call is not None and call.kind in ("function", "custom"):
                    acc.provider_runs(call, "server", "the agent answered this call itself")
                known = False
            case "TEXT_MESSAGE_CHUNK" | "TOOL_CALL_CHUNK" | "REASONING_MESSAGE_CHUNK":
                known = self._chunk(kind, lane, payload)
            case "RUN_FINISHED":
                self._finish(payload)
            case "RUN_ERROR":
                self._error(payload)
            case _:
                known = kind in _SPANS or kind in _SPOKEN
        if not known:
            acc.unknown(payload, event)

    def end(self) -> None:
        """Nothing is held back."""

    # --- what is said ---------------------------------------------------------------------------------------------

    def _begins(self, id: str, payload: Payload) -> bool:
        """A text message begins. False if it is another's than the assistant's."""
        role = payload.get("role")
        if role not in (None, "assistant"):
            self._others.add(id)
            return False
        return True

    def _text(self, id: str, payload: Payload) -> bool:
        delta = text(payload.get("delta"))
        if id in self._others:
            return False
        if delta:
            first = id not in self._told
            self._told.add(id)
            self._acc.text(delta, extra={"id": id} if first and id else None)
        return True

    def _signature(self, payload: Payload) -> bool:
        """What seals a call or a message. False if there is no such thing."""
        entity, value = word(payload.get("entityId")), text(payload.get("encryptedValue"))
        if not value:
            return False
        if payload.get("subtype") == "tool-call":
            call = self._acc.find(entity)
            if call is not None:
                call._extra["encryptedValue"] = value
            return call is not None
        if entity in self._thoughts or entity in self._told:
            self._acc.reasoning(field="reasoning" if entity in self._thoughts else "text", signature=value)
            return True
        return False

    # --- calls ----------------------------------------------------------------------------------------------------

    def _start(self, payload: Payload) -> ToolCall | None:
        """A call begins, or begins again, which adds to it."""
        acc = self._acc
        id_, name = word(payload.get("toolCallId")), text(payload.get("toolCallName"))
        if not id_:
            return None
        call = acc.find(id_)
        if call is None:
            call = acc.open(id_, id_, name, _KINDS.get(_own(payload, "kind"), "function"))
            metadata = obj(payload.get("metadata"))
            if call is not None and metadata:
                call._extra["metadata"] = metadata
        elif not call.name:
            acc.identify(call, name=name)
        return call

    def _chunk(self, kind: str, lane: str, payload: Payload) -> bool:
        """A chunk: of what is named, else of what the last one was of. False if that is nothing."""
        what = "toolCallId" if kind == "TOOL_CALL_CHUNK" else "messageId"
        last = self._chunks.get(lane)
        id_ = word(payload.get(what))
        fresh = last is None or last[0] != kind or (id_ != "" and id_ != last[1])
        if last is not None and not fresh:
            id_ = last[1]
        if not id_:
            return False
        if fresh:
            self._end_chunk(lane)
            self._chunks[lane] = (kind, id_)
        if kind == "TOOL_CALL_CHUNK":
            call = self._start(payload) if fresh else self._acc.find(id_)
            if call is not None:
                self._acc.append(call, text(payload.get("delta")))
            return call is not None
        if kind == "REASONING_MESSAGE_CHUNK":
            self._thoughts.add(id_)
            self._acc.reasoning(text(payload.get("delta")), field="reasoning")
            return True
        if fresh:
            self._begins(id_, payload)
        return self._text(id_, payload)

    def _end_chunk(self, lane: str) -> None:
        last = self._chunks.pop(lane, None)
        if last is not None and last[0] == "TOOL_CALL_CHUNK":
            call = self._acc.find(last[1])
            if call is not None:
                self._acc.close(call)

    # --- ends -----------------------------------------------------------------------------------------------------

    def _finish(self, payload: Payload) -> None:
        acc = self._acc
        self._usage(payload)
        outcome = obj(payload.get("outcome"))
        raw, own = word(outcome.get("type")), _own(payload, "finish")
        for each in ({"result": payload.get("result")}, {"interrupts": outcome.get("interrupts")}):
            if each != dict.fromkeys(each):
                acc.unknown(each)
        if own in _REASONS:
            acc.finish(_REASONS[own], own)
        else:
            acc.finish(FINISH.get(raw, "unknown") if raw else "stop", raw)
        pending = [word(each) for each in items(outcome.get("pendingToolCallIds"))]
        turn = acc.turns.get(0)
        if pending and turn is not None:
            for call in turn.calls:
                if call.ready and call.vendor_id not in pending:
                    acc.provider_runs(call, "server", "the agent doesn't wait for this call's result")
        acc.terminate()

    def _error(self, payload: Payload) -> None:
        acc = self._acc
        self._usage(payload)
        message, code = text(payload.get("message")), word(payload.get("code"))
        kind = _CODES.get(code)
        if kind is not None:
            acc.fail(kind, message, code=code, raw=payload)
        else:
            report(acc, ErrorReport(message, code or None, payload))
        acc.terminate()

    def _usage(self, payload: Payload) -> None:
        """The counts of all models together."""
        counts: dict[str, int] = {}
        for entry in items(payload.get("usage")):
            for key, value in obj(entry).items():
                found = count(value)
                if key in _COUNTS and found is not None:
                    counts[key] = counts.get(key, 0) + found
        if counts:
            self._acc.usage(counts, input_tokens=counts.get("inputTokens"), output_tokens=counts.get("outputTokens"))


def _own(payload: Payload, key: str) -> str:
    """What we said ourselves in an event's metadata."""
    return text(obj(obj(payload.get("metadata")).get("toolwire")).get(key))
