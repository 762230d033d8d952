"""The AI SDK's UI message stream, version 1, as `useChat` and `readUIMessageStream` want it.

One message of one step: `start`, `start-step`, parts, `finish-step`, `finish`, `[DONE]`. Text and reasoning are parts
with ids of their own; calls may be interleaved with them and with each other.

`tool-input-available` makes clients run their tools, so it is the one thing here that can't be taken back: it waits
until the call may be run, and a call that never may gets `tool-input-error` in its place. A bad end is `error`, or
`abort` for a turn that was stopped. What has to go back to the provider is in `providerMetadata.toolwire`.

What version 5 of the SDK doesn't know is not written unless `client` says that a newer one reads it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolwire.errors import UsageError
from toolwire.events import StreamError
from toolwire.wire.encode.base import CLIENT_RUN, WireEncoder, trouble_of
from toolwire.wire.encode.errors import public_message
from toolwire.wire.encode.usage import tokens
from toolwire.wire.encode.values import exact_text, written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolwire.call import ToolCall
    from toolwire.events import Finish, FinishReason, MessageStart, ReasoningDelta, RefusalDelta, Reset, TextDelta
    from toolwire.wire.encode.base import Sent
    from toolwire.wire.encode.options import Options

__all__ = ["Encoder"]

CLIENTS: Final = (5, 6, 7)

_REASONS: Final[dict[FinishReason, str]] = {
    "tool_calls": "tool-calls",
    "stop": "stop",
    "pause": "stop",
    "length": "length",
    "content_filter": "content-filter",
}

_GOOD: Final = ("complete", "repaired")


class _Run:
    """A part of text or reasoning that is open."""

    __slots__ = ("extra", "field", "id", "kind", "signature")

    def __init__(self, kind: str, id: str, field: str | None = None) -> None:
        self.kind = kind
        self.id = id
        self.field = field
        self.signature: str | None = None
        self.extra: list[Mapping[str, Any]] = []


class Encoder(WireEncoder):
    """Events to chunks."""

    wire = "ai-sdk-ui"
    headers: ClassVar[dict[str, str]] = {"x-vercel-ai-ui-message-stream": "v1"}
    breaks_off = False

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        if options.client is not None and options.client not in CLIENTS:
            raise UsageError(f"client= is a version of the AI SDK, 5, 6 or 7, not {options.client!r}")
        self._version = int(options.client or CLIENTS[0])
        self._runs: dict[tuple[str, str | None], _Run] = {}  # open ones; several only of reasoning, one for each field
        self._counts = {"text": 0, "reasoning": 0}
        self._spoke = False  # there are parts in the step
        self._pending: dict[Sent, None] = {}  # calls told whose input is neither available nor an error
        self._fired: dict[Sent, None] = {}  # calls that clients run by now

    # --- the message -------------------------------------------------------------------------------------------

    def begin(self, event: MessageStart) -> None:
        """The message and its step. One that begins anew goes on in both."""
        del event
        if not self._begun:
            self.frame({"type": "start", "messageId": self.options.message_id or f"msg_{os.urandom(12).hex()}"})
            self.frame({"type": "start-step"})

    def text(self, event: TextDelta) -> None:
        """A piece of a text part. What has to go back with a run of text makes a part of its own."""
        if event.extra:
            self._end_runs()
        self._say("text", event.text, self._metadata({}, [event.extra], one=True) if event.extra else {})

    def refusal(self, event: RefusalDelta) -> None:
        """The wire has no refusals: a text part."""
        self._say("refusal", event.text, {})

    def reasoning(self, event: ReasoningDelta) -> None:
        """A piece of a reasoning part; what came with it goes out at the part's end, where clients keep it."""
        if not (event.text or event.signature or event.extra):
            return
        run = self._runs.get(("reasoning", event.field))
        if run is not None and run.signature and (event.text or event.signature):  # it was closed
            self._end_run(run)
            run = None
        if run is None:
            beside = self._metadata({"field": event.field}, []) if event.field else {}
            run = self._open_run("reasoning", "reasoning", beside, event.field)
        run.signature = event.signature or run.signature
        if event.extra:
            run.extra.append(event.extra)
        if event.text:
            self.frame({"type": "reasoning-delta", "id": run.id, "delta": event.text})

    def finish(self, event: Finish) -> None:
        """The inputs of the calls that may be run, then the ends of step and message."""
        self._end_runs()
        confirmed = set(event.calls)
        for sent in list(self._pending):
            if sent.call in confirmed:
                self._available(sent)
            else:
                self._input_error(sent, f"The tool was not run: {sent.call.unconfirmed} ({event.reason}).")
        self.frame({"type": "finish-step"})
        end: dict[str, Any] = {"type": "finish", "finishReason": self.word(event, _REASONS) or "other"}
        counts = self._counted()
        if counts:
            end["messageMetadata"] = {"usage": counts}
        self.frame(end)

    def close(self) -> None:
        """The terminator."""
        self.frame("[DONE]")

    def failure(self, error: StreamError) -> None:
        """`error`, or `abort` where somebody stopped the turn, behind the ends of all that is open."""
        self._end_runs()
        said = error.message if self.options.show_errors else public_message(error)
        for sent in list(self._pending):
            self._input_error(sent, f"The tool was not run: {said}")
        if error.kind != "aborted" or error.call is not None:
            self.frame({"type": "error", "errorText": said})
        elif self._version >= 7:
            self.frame({"type": "abort", "reason": said})
        else:
            self.frame({"type": "abort"})
        self.frame("[DONE]")

    # --- calls -------------------------------------------------------------------------------------------------

    def tells(self, call: ToolCall) -> bool:
        """Every call has its place."""
        return True

    def call_start(self, sent: Sent) -> None:
        """Id and name. Text and reasoning that come later stand behind the call."""
        self._end_runs()
        self._spoke = True
        self._pending[sent] = None
        chunk: dict[str, Any] = {"type": "tool-input-start", "toolCallId": sent.id, "toolName": sent.call.name}
        if sent.call.kind == "custom" and self._version >= 7:
            chunk["inputEncoding"] = "text"
        if sent.call.kind not in CLIENT_RUN:
            chunk["providerExecuted"] = True
        self.frame(chunk)

    def call_text(self, sent: Sent, text: str) -> None:
        """A piece of the arguments."""
        if sent in self._pending:
            self.frame({"type": "tool-input-delta", "toolCallId": sent.id, "inputTextDelta": text})

    def call_end(self, sent: Sent) -> None:
        """What is certain of the call by now. A call of the client's waits for the turn's finish, or is run at once."""
        call = sent.call
        if sent not in self._pending:
            return
        if _is_whole(call):
            if call.kind not in CLIENT_RUN or _runs_early(call):
                self._available(sent)
        elif call.error is None or call.error.reason != "reset":  # else its `Reset` comes
            self._input_error(sent, "The tool was not run.")

    def trouble(self, event: Finish) -> StreamError | None:
        """A call that went wrong has its own error form. Only one that clients run already makes the turn fail."""
        if event.reason in ("error", "incomplete", "cancelled"):
            return super().trouble(event)
        found = (trouble_of(sent, event.reason, fail_on_cut=False) for sent in self._fired)
        return next((error for error in found if error is not None), None)

    def reset(self, event: Reset) -> None:
        """Version 7 drops a step that begins anew. Calls can be taken back until clients run them."""
        if event.scope == "turn" and not self._fired and (self._version >= 7 or not self._spoke):
            if self._spoke:
                self.frame({"type": "reset-step"})
            self._forget()
            return
        if event.scope == "turn" or any(self._calls.get(call) in self._fired for call in event.calls):
            if self._begun:
                self.stopped = True
                self._fail(StreamError("protocol", f"what was sent no longer holds: {event.reason}", "reset"))
            return
        for call in event.calls:
            sent = self._calls.get(call)
            if sent is None or sent not in self._pending:
                continue
            if _is_whole(call) and call.kind not in CLIENT_RUN:  # it is the provider's own after all
                self._available(sent)
            else:
                self._input_error(sent, f"The tool was not run: {event.reason}.")

    def _available(self, sent: Sent) -> None:
        call = sent.call
        del self._pending[sent]
        chunk: dict[str, Any] = {"type": "tool-input-available", **self._named(sent, {})}
        if call.kind in CLIENT_RUN:
            self._fired[sent] = None
        chunk["input"] = _input(call)
        self.frame(chunk)

    def _input_error(self, sent: Sent, otherwise: str) -> None:
        """The call's own error; `otherwise`: what is said of one that has none."""
        call = sent.call
        del self._pending[sent]
        why = call.error.for_model() if call.error is not None else otherwise
        named = self._named(sent, {"status": call.status} if call.status in _GOOD else {})
        self.frame({"type": "tool-input-error", **named, "input": call.buf, "errorText": why})

    def _named(self, sent: Sent, replay: dict[str, Any]) -> dict[str, Any]:
        """Whose input it is, and what has to go back with the call."""
        call = sent.call
        if call.kind in ("custom", "mcp"):
            replay["kind"] = call.kind
        if call.vendor_id != sent.id:
            replay["id"] = call.vendor_id
        named: dict[str, Any] = {"toolCallId": sent.id, "toolName": call.name}
        if call.kind not in CLIENT_RUN:
            named["providerExecuted"] = True
        return named | self._metadata(replay, [call.extra] if call.extra else [], one=True)

    # --- parts -------------------------------------------------------------------------------------------------

    def _say(self, key: str, text: str, beside: dict[str, Any]) -> None:
        run = self._runs.get((key, None)) or self._open_run(key, "text", beside)
        self.frame({"type": "text-delta", "id": run.id, "delta": text})

    def _open_run(self, key: str, kind: str, beside: dict[str, Any], field: str | None = None) -> _Run:
        """A part begins. Only parts of reasoning may be open side by side: pieces of two fields may take turns."""
        if any(key != each for each, _ in self._runs):
            self._end_runs()
        self._spoke = True
        self._counts[kind] += 1
        run = self._runs[key, field] = _Run(kind, f"{kind}-{self._counts[kind]}", field)
        self.frame({"type": f"{kind}-start", "id": run.id, **beside})
        return run

    def _end_run(self, run: _Run) -> None:
        self._runs = {key: each for key, each in self._runs.items() if each is not run}
        chunk: dict[str, Any] = {"type": f"{run.kind}-end", "id": run.id}
        replay: dict[str, Any] = {"field": run.field} if run.field else {}
        if run.signature:
            replay["signature"] = run.signature
        self.frame(chunk | self._metadata(replay, run.extra))

    def _end_runs(self) -> None:
        for run in list(self._runs.values()):
            self._end_run(run)

    def _forget(self) -> None:
        """What the step held is void."""
        self._runs.clear()
        self._pending.clear()
        self._calls.clear()
        self._places.clear()
        self._choice = None
        self._usage = None
        self._spoke = False

    def _metadata(
        self, replay: dict[str, Any], extras: list[Mapping[str, Any]], *, one: bool = False
    ) -> dict[str, Any]:
        """`providerMetadata` as a member, if there is any. That of an AI SDK's own providers stands as it was."""
        others: dict[str, Any] = {}
        if self._source == self.wire:
            for extra in extras:
                found = extra.get("providerMetadata")
                others.update(found if isinstance(found, dict) else {})
            extras = [{key: each for key, each in extra.items() if key != "providerMetadata"} for extra in extras]
        extras = [dict(extra) for extra in extras if extra]
        if extras:
            replay["extra"] = extras[0] if one else extras
        if replay:
            others["toolwire"] = replay
        return {"providerMetadata": others} if others else {}

    def _counted(self) -> dict[str, int]:
        """The token counts that were reported, if clients are to have them."""
        if self._usage is None or not self.options.usage:
            return {}
        found = tokens(self._usage)
        total = None if found.input is None or found.output is None else found.input + found.output
        counts = {"inputTokens": found.input, "outputTokens": found.output, "totalTokens": total}
        return {name: number for name, number in counts.items() if number is not None}


def _is_whole(call: ToolCall) -> bool:
    """Whether the arguments of a call that has ended are good."""
    return call.status in _GOOD and not call.rejected


def _runs_early(call: ToolCall) -> bool:
    """Whether a whole call of the client's may be run before its turn has finished, whatever comes of that."""
    trust = call._trust
    return trust.confirm == "call" and (call.status == "complete" or trust.accept_repaired)


def _input(call: ToolCall) -> Any:
    """The final arguments as JSON: those that the tool's check has mended, else as the model wrote them."""
    if not call.closed_object:
        return call.buf if call._parser is None else {}
    if call._mended:
        try:
            return written(call.arguments)
        except (TypeError, ValueError, RecursionError):  # a type of the caller's own: what the model said, then
            pass
    return exact_text(call)
