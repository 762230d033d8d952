"""AG-UI, as `@ag-ui/client` 0.0.59 and 1.0 read it, whose verifier fails a run for one event out of order.

`RUN_STARTED`, then what is said, each by its own id: `TEXT_MESSAGE_START/CONTENT/END`, `TOOL_CALL_START/ARGS/END`,
`REASONING_START` and `REASONING_MESSAGE_START/CONTENT/END` and `REASONING_END`, with signatures as
`REASONING_ENCRYPTED_VALUE`; at last `RUN_FINISHED`, or `RUN_ERROR` and nothing behind it. `TOOL_CALL_END` means that
the arguments are whole: a call that was cut has none, which only `RUN_ERROR` allows. A turn that ended
before its calls may be run (paused, cut behind them, nobody knows why) ends so too. No field is ever null.

`protocolVersion`, `usage` and `outcome` with the calls that wait for the client are written for clients that declare
1.0. What the wire has no field for stands in `metadata`, which both versions keep, under `toolwire`: why the turn ended
(`finish`), and that a call is run by the provider (`kind`). Of reasoning that is sealed, the sealed value goes out and
nothing beside it. Free text of custom calls becomes `{"input": "…"}`, because arguments are JSON here. A refusal is a
text.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from toolwire.errors import UsageError
from toolwire.events import StreamError
from toolwire.wire._read import count, obj, text
from toolwire.wire.encode.base import CLIENT_RUN, WireEncoder, is_cut, trouble_of
from toolwire.wire.encode.errors import public_message
from toolwire.wire.encode.usage import tokens

if TYPE_CHECKING:
    from toolwire.call import ToolCall
    from toolwire.events import Finish, MessageStart, ReasoningDelta, RefusalDelta, Reset, TextDelta, Unknown, Usage
    from toolwire.wire.encode.base import Sent
    from toolwire.wire.encode.options import Options

__all__ = ["Encoder"]

_VERSION: Final = "1.0"

# Events of this wire that both versions know and that open and close nothing; and their fields where null is a value.
_ALONE: Final = frozenset(
    [
        *("ACTIVITY_DELTA", "ACTIVITY_SNAPSHOT", "CUSTOM", "MESSAGES_SNAPSHOT"),
        *("RAW", "STATE_DELTA", "STATE_SNAPSHOT", "TOOL_CALL_RESULT"),
    ]
)
_ANY: Final = frozenset({"event", "snapshot", "value"})

_COUNTS: Final = (
    *("inputTokens", "outputTokens", "totalTokens"),
    *("reasoningTokens", "cachedInputTokens", "cacheWriteInputTokens"),
)
_SEALED: Final = ("encrypted_content", "data", "redactedContent")

# Signatures that may belong to a text: Gemini's, and what we read of them.
_BESIDE: Final = ("thoughtSignature", "text")


# The kinds of error that a turn with whole calls ends as when it was cut behind them.
_CUTS: Final[dict[str, str]] = {"length": "limit", "content_filter": "content_filter"}


class Encoder(WireEncoder):
    """Events to AG-UI's."""

    wire = "ag-ui"
    # Both versions take `RUN_ERROR` with anything open, and tell the application of it.
    breaks_off = False

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        run = options.run
        if not (run is None or isinstance(run, Mapping) or hasattr(run, "thread_id")):
            raise UsageError(f"run is the client's RunAgentInput or its JSON object, not {run!r}")
        self._ids = {
            "threadId": _told(run, "threadId", "thread_id") or _new_id("thread"),
            "runId": _told(run, "runId", "run_id") or _new_id("run"),
        }
        self._new = _is_new(options.client, _told(run, "protocolVersion", "protocol_version"))
        self._message_id = options.message_id  # for the first text
        self._kind = ""  # of the run that is open: text, refusal or reasoning
        self._id = ""  # its message
        self._parent = ""  # the text that a call follows
        self._open: set[Sent] = set()
        self._free: dict[Sent, bool] = {}  # calls of free text, and whether some was written
        self._finish: Finish | None = None

    def tells(self, call: ToolCall) -> bool:
        """Every kind of call has its place."""
        return True

    def begin(self, event: MessageStart) -> None:
        """`RUN_STARTED`."""
        self._start()

    def text(self, event: TextDelta) -> None:
        """A piece of a text message."""
        self._say("text", event.text, anew=bool(event.extra))

    def refusal(self, event: RefusalDelta) -> None:
        """The wire has no refusal: a text message of its own."""
        self._say("refusal", event.text)

    def reasoning(self, event: ReasoningDelta) -> None:
        """A piece of reasoning, or what closes it: its signature, or all of it in sealed form."""
        extra = event.extra or {}
        sealed = event.signature or next((each for key in _SEALED if (each := text(extra.get(key)))), "")
        if event.text:
            self._say("reasoning", event.text)
        if sealed and event.field in _BESIDE and self._kind == "text":
            self._sealed("message", self._id, sealed)
        elif sealed:
            self._enter("reasoning")
            self._sealed("message", self._id, sealed)
            self._leave()

    def call_start(self, sent: Sent) -> None:
        """`TOOL_CALL_START`, in the message of the text before it."""
        self._leave()
        call = sent.call
        start: dict[str, Any] = {"type": "TOOL_CALL_START", "toolCallId": sent.id, "toolCallName": call.name}
        if self._parent:
            start["parentMessageId"] = self._parent
        # Of a call of this wire the kind may be known too early, by a result that comes behind it.
        metadata = {"toolwire": {"kind": sent.kind}} if sent.kind not in CLIENT_RUN else None
        if self._source == self.wire:
            metadata = call.extra.get("metadata")
        if metadata:
            start["metadata"] = metadata
        if call._parser is None:
            self._free[sent] = False
            sent.begun = True
        self._open.add(sent)
        self.frame(start)

    def call_text(self, sent: Sent, text: str) -> None:
        """`TOOL_CALL_ARGS`."""
        begun = self._free.get(sent)
        if begun is not None:
            text = ("" if begun else '{"input":"') + json.dumps(text, ensure_ascii=False)[1:-1]
            self._free[sent] = True
        self.frame({"type": "TOOL_CALL_ARGS", "toolCallId": sent.id, "delta": text})

    def call_end(self, sent: Sent) -> None:
        """`TOOL_CALL_END`, unless the call may be half of something."""
        if is_cut(sent.call):
            return
        if sent in self._free:
            rest = '"}' if self._free[sent] else '{"input":""}'
            self.frame({"type": "TOOL_CALL_ARGS", "toolCallId": sent.id, "delta": rest})
        self._open.discard(sent)
        self.frame({"type": "TOOL_CALL_END", "toolCallId": sent.id})

    def finish(self, event: Finish) -> None:
        """The calls' signatures, which may have come late. The run is finished once nothing more comes."""
        self._leave()
        self._finish = event
        for call, sent in self._calls.items():
            google = obj(obj(call.extra.get("extra_content")).get("google"))
            own, geminis = call.extra.get("encryptedValue"), call.extra.get("thoughtSignature")
            signature = text(own) or text(geminis) or text(google.get("thought_signature"))
            if signature:
                self._sealed("tool-call", sent.id, signature)

    def close(self) -> None:
        """`RUN_FINISHED`."""
        if not self._begun:
            self._start()
        outcome: dict[str, Any] = {"type": "success"}
        finish = self._finish
        pending = [self._calls[call].id for call in finish.calls if call in self._calls] if finish is not None else []
        if pending:
            outcome["pendingToolCallIds"] = pending
        self._finished(outcome, finish.reason if finish is not None else "")

    def failure(self, error: StreamError) -> None:
        """`RUN_ERROR`; for a client that knows of it a cancelled run, where no call is left without its end."""
        code = self._code(error)
        if code == "cancelled" and self._new and self._begun and not self._open:
            self._leave()
            self._finished({"type": "cancelled"}, "")
            return
        message = error.message if self.options.show_errors else public_message(error)
        said: dict[str, Any] = {"type": "RUN_ERROR", "message": message, "code": code}
        self._count(said)
        self.frame(said)

    def reset(self, event: Reset) -> None:
        """Void is void; but that the agent has run a call itself is told by the call's result, on this wire."""
        answered = self._source == self.wire and all(call.kind not in CLIENT_RUN for call in event.calls)
        if event.scope == "turn" or not answered:
            super().reset(event)

    def unknown(self, event: Unknown) -> None:
        """An event of this wire that stands by itself."""
        payload = event.payload
        if not (self._source == self.wire and isinstance(payload, dict) and payload.get("type") in _ALONE):
            return
        said = {key: value for key, value in payload.items() if value is not None or key in _ANY}
        if self._new or payload["type"] != "TOOL_CALL_RESULT" or isinstance(said.get("content"), str):
            self.frame(said)

    def trouble(self, event: Finish) -> StreamError | None:
        """As everywhere, but a run can't finish with any call left without its end, and an agent's own calls may."""
        if event.reason in ("error", "incomplete", "cancelled"):
            return super().trouble(event)
        for sent in self._calls.values():
            call = sent.call
            if self._source == self.wire and call.kind not in CLIENT_RUN:
                found = None
            else:
                found = trouble_of(sent, event.reason, fail_on_cut=True)
            if found is None and call.status == "invalid" and not call.closed_object:  # its client makes `{}` of that
                message = f"the arguments of {call.label} are no JSON object"
                found = StreamError("protocol", message, "invalid_call", call=call)
            if found is None and sent in self._open:
                cut = f"the arguments of {call.label} were cut off ({event.reason})"
                found = StreamError("limit", cut, event.reason, call=call)
            if found is not None:
                return found
        if self.unconfirmed(event):  # no client of a finished run heeds that
            kind: Any = _CUTS.get(event.reason, "protocol")
            return StreamError(kind, "the turn ended before its calls may be run", event.reason)
        return None

    # --- within ---------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        started = {"type": "RUN_STARTED", **self._ids}
        self.frame({**started, "protocolVersion": _VERSION} if self._new else started)

    def _say(self, kind: str, delta: str, *, anew: bool = False) -> None:
        self._enter(kind, anew=anew)
        what = "REASONING_MESSAGE_CONTENT" if kind == "reasoning" else "TEXT_MESSAGE_CONTENT"
        self.frame({"type": what, "messageId": self._id, "delta": delta})

    def _enter(self, kind: str, *, anew: bool = False) -> None:
        """Open a message, unless it is the one that is open."""
        if self._kind == kind and not anew:
            return
        self._leave()
        self._kind = kind
        if kind == "reasoning":
            self._id = _new_id("msg")
            self._parent = ""  # a call behind it would be shown before it
            self.frame({"type": "REASONING_START", "messageId": self._id})
            self.frame({"type": "REASONING_MESSAGE_START", "messageId": self._id, "role": "reasoning"})
            return
        self._id = self._parent = self._message_id or _new_id("msg")
        self._message_id = None
        self.frame({"type": "TEXT_MESSAGE_START", "messageId": self._id, "role": "assistant"})

    def _leave(self) -> None:
        """End the message that is open."""
        if self._kind == "reasoning":
            self.frame({"type": "REASONING_MESSAGE_END", "messageId": self._id})
            self.frame({"type": "REASONING_END", "messageId": self._id})
        elif self._kind:
            self.frame({"type": "TEXT_MESSAGE_END", "messageId": self._id})
        self._kind = ""

    def _sealed(self, subtype: str, id: str, value: str) -> None:
        said = {"type": "REASONING_ENCRYPTED_VALUE", "subtype": subtype, "entityId": id, "encryptedValue": value}
        self.frame(said)

    def _finished(self, outcome: dict[str, Any], reason: str) -> None:
        said: dict[str, Any] = {"type": "RUN_FINISHED", **self._ids}
        if self._new:
            said["outcome"] = outcome
            self._count(said)
        if reason:
            said["metadata"] = {"toolwire": {"finish": reason}}
        self.frame(said)

    def _count(self, said: dict[str, Any]) -> None:
        """Token counts, as far as they are known."""
        if self._new and self._usage is not None:
            raw = self._usage.raw if self._source == self.wire else _usage(self._usage)
            entry = {key: found for key in _COUNTS if (found := count(raw.get(key))) is not None and found >= 0}
            if entry:
                said["usage"] = [entry]

    def _code(self, error: StreamError) -> str:
        """Our own word for what happened; a provider's only where its words are shown."""
        if error.kind == "aborted" and error.code != "call_rejected":
            return "cancelled"
        own = error.wire in (None, self.wire) or self.options.show_errors
        return (error.code if own else None) or error.kind


def _usage(usage: Usage) -> dict[str, int | None]:
    """The counts in the wire's accounting: all input in one number and all output, and the parts of each."""
    found = tokens(usage)
    total = None if found.input is None or found.output is None else found.input + found.output
    parts = (found.reasoning, found.cache_read, found.cache_write)
    return dict(zip(_COUNTS, (found.input, found.output, total, *parts), strict=True))


def _told(run: Any, camel: str, snake: str) -> str:
    """A field of the client's request, "" if it isn't there."""
    value = (run.get(camel) or run.get(snake)) if isinstance(run, Mapping) else getattr(run, snake, None)
    return value if isinstance(value, str) else ""


def _is_new(client: int | str | None, declared: str) -> bool:
    """Whether the client knows version 1.0."""
    said = declared if client is None else str(client)
    found = re.match(r"(\d+)(?:\.|$)", said)
    if found is None and client is not None:
        raise UsageError(f"client is a version of AG-UI as '1.0', not {client!r}")
    return found is not None and int(found[1]) >= 1


def _new_id(what: str) -> str:
    return f"{what}_{os.urandom(12).hex()}"
