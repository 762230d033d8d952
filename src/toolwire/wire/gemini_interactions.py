"""Gemini's Interactions API.

Events by `event_type`: `interaction.created {interaction}`, `interaction.status_update {status}`, for each step
`step.start {index, step}`, `step.delta {index, delta}` and `step.stop {index}`, at last `interaction.completed
{interaction: {status, usage}}`, which ends the turn, and `error {error}`. A body that isn't streamed is an interaction
with `steps` (or `outputs`, whose texts are steps of their own). Steps are told apart by `index` alone.

    function_call, mcp_server_tool_call   calls; `arguments` in a start is a placeholder, `arguments_delta` is JSON text
    thought                               `summary` and `signature`, or deltas `thought_summary`, `thought_signature`
    model_output                          `content`, or deltas `text`

All other steps are the provider's own doings, or what the client has sent: passed on. What is allowed for:

* arguments that are whole in the start, and no delta; an object in a delta in place of text
* a status that comes early, twice, or without `interaction.completed`
* steps in `interaction.completed`: what was streamed is compared with them, what was not is read
* a call whose `function_result` stands in the same interaction: it isn't the client's to run any more
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolwire.encoding import encode
from toolwire.wire._errors import ErrorReport, error_of, report
from toolwire.wire._read import count, items, obj, text, word

if TYPE_CHECKING:
    from toolwire.accumulator import Accumulator
    from toolwire.call import CallKind, ToolCall
    from toolwire.events import FinishReason
    from toolwire.wire._read import Payload

__all__ = ["Decoder", "recognises"]

FINISH: Final[dict[str, FinishReason]] = {
    "requires_action": "tool_calls",
    "completed": "stop",
    "idle": "stop",
    "requires_continuation": "pause",
    "incomplete": "length",
    "budget_exceeded": "length",
    "failed": "error",
    "cancelled": "cancelled",
    # In the last word on an interaction: it goes on without us.
    "in_progress": "incomplete",
    "queued": "incomplete",
}
_GOING_ON: Final = frozenset({"in_progress", "queued"})

# The steps that are calls, and who runs them.
CALLS: Final[dict[str, CallKind]] = {"function_call": "function", "mcp_server_tool_call": "mcp"}

_EVENTS: Final = frozenset(
    {f"interaction.{what}" for what in ("created", "status_update", "completed")}
    | {f"step.{stage}" for stage in ("start", "delta", "stop")}
)

# Fields of a call's step that have a meaning of their own here; all others are kept for replay.
_CALL_FIELDS: Final = frozenset({"type", "id", "name", "arguments"})

_Key = int | str | None


def recognises(payload: Payload, event: str) -> bool:
    """An event by its type, or an interaction."""
    kind = text(payload.get("event_type"))
    return kind == "error" or (kind or event) in _EVENTS or _is_whole(payload)


class Decoder:
    """Events, or one whole interaction, to verbs."""

    def __init__(self, acc: Accumulator) -> None:
        self._acc = acc
        self._open: dict[_Key, ToolCall] = {}  # calls whose stop has not come
        self._inputs: dict[ToolCall, Any] = {}  # what stood in their starts, while no delta says otherwise
        self._calls: dict[str, ToolCall] = {}  # by id
        self._streamed = False  # some step was
        self._status = ""  # the last that ended something
        self._failed = False  # the status says so, and nothing has said why

    def feed(self, payload: Payload, event: str) -> None:
        """One event."""
        acc = self._acc
        kind = text(payload.get("event_type")) or event
        interaction = obj(payload.get("interaction"))
        known, over = True, False
        match kind:
            case "interaction.created":
                self._interaction(interaction)
            case "interaction.status_update":
                self._usage(payload.get("usage"))
                self._finish(payload.get("status"))
            case "step.start":
                self._streamed = True
                self._step(_key(payload), obj(payload.get("step")), payload, event)
            case "step.delta":
                self._streamed = True
                self._delta(_key(payload), obj(payload.get("delta")), payload, event)
                self._usage(obj(payload.get("metadata")).get("total_usage"))
            case "step.stop":
                self._stop(_key(payload))
            case "interaction.completed":
                self._whole(interaction)
                over = True
            case "done":
                over = True
            case _ if _is_whole(payload):
                self._whole(payload)
                over = True
            case _:
                known = False
        error = error_of(payload.get("error")) or next(
            (each for each in map(error_of, items((interaction or payload).get("errors"))) if each), None
        )
        if error is None and kind == "error":
            error = ErrorReport("", raw=payload)
        if error is not None:
            self._fail(error)
        elif not known:
            acc.unknown(payload, event)
        if over:
            self.end()
            acc.terminate()

    def end(self) -> None:
        """A step whose stop never came may still hold its arguments; a failure may have stayed without its error."""
        self._use_inputs()
        if self._failed:
            self._fail(ErrorReport("", self._status))

    def _fail(self, error: ErrorReport) -> None:
        self._use_inputs()
        self._failed = False
        report(self._acc, error)

    def _interaction(self, interaction: Payload) -> None:
        self._acc.begin(word(interaction.get("id")), word(interaction.get("model")) or word(interaction.get("agent")))
        self._usage(interaction.get("usage"))

    def _whole(self, interaction: Payload) -> None:
        """The last word on an interaction. Its steps are read as far as they were not streamed."""
        self._interaction(interaction)
        for step in items(interaction.get("steps")) or items(interaction.get("outputs")):
            if not isinstance(step, dict):
                self._acc.unknown(step)
            elif not self._streamed or text(step.get("type")) in CALLS:
                self._step(None, step, step, "", whole=True)
        self._finish(interaction.get("status"), last=True)

    def _step(self, key: _Key, step: Payload, payload: Payload, event: str, *, whole: bool = False) -> None:
        """A step begins; `whole`: and ends with that. `payload` is what is passed on when it has no meaning here."""
        acc = self._acc
        kind = text(step.get("type"))
        if kind in CALLS:
            self._call(key, step, CALLS[kind], whole=whole)
            return
        self._use_input(self._open.pop(key, None))
        if kind == "thought":
            for part in items(step.get("summary")):
                acc.reasoning(text(obj(part).get("text")), field="thought")
            acc.reasoning("", field="thought", signature=text(step.get("signature")) or None)
        elif kind == "model_output":
            for part in items(step.get("content")):
                acc.text(text(obj(part).get("text")))
                if obj(part).get("type") != "text" or items(obj(part).get("annotations")):
                    acc.unknown(part)
            error = error_of(step.get("error"))
            if error is not None:
                self._fail(error)
        elif kind == "text":
            acc.text(text(step.get("text")))
        else:
            call = self._calls.get(word(step.get("call_id"))) if kind == "function_result" else None
            if call is not None and call.kind == "function":
                acc.provider_runs(call, "server", "the result of this call stands in the same interaction")
            acc.unknown(payload, event)

    def _call(self, key: _Key, step: Payload, kind: CallKind, *, whole: bool) -> None:
        acc = self._acc
        id_, name, given = word(step.get("id")), word(step.get("name")), step.get("arguments")
        call = self._calls.get(id_)
        if whole and call is not None:
            self._compare(call, given)
            return
        if call is None or self._open.get(key) is not call:
            self._use_input(self._open.pop(key, None))
            call = acc.open(key, id_, name, kind)
            if call is None:
                return
            self._open[key] = call
            if id_:
                self._calls[id_] = call
        else:
            acc.identify(call, name="" if call.name else name)
        call._extra.update(
            (field, each) for field, each in step.items() if field not in _CALL_FIELDS and each is not None
        )
        # An empty object in a start is a placeholder; in a whole step it is what the model said.
        if not call._raw and given not in (None, "", []) and (whole or given != {}):
            self._inputs[call] = given
        if whole:
            self._stop(key)

    def _compare(self, call: ToolCall, given: Any) -> None:
        """A copy of arguments that were streamed."""
        if given not in (None, "", {}):
            self._use_input(call)
            try:
                self._acc.snapshot(call, given if isinstance(given, str) else encode(given))
            except (RecursionError, TypeError, ValueError):
                self._acc.unknown(given)

    def _delta(self, key: _Key, delta: Payload, payload: Payload, event: str) -> None:
        acc = self._acc
        kind = text(delta.get("type"))
        match kind:
            case "text":
                acc.text(text(delta.get("text")))
            case "thought_summary":
                acc.reasoning(text(obj(delta.get("content")).get("text")), field="thought")
            case "thought_signature":
                acc.reasoning("", field="thought", signature=text(delta.get("signature")) or None)
            case "arguments_delta" | "function_call" | "mcp_server_tool_call":
                call = self._open.get(key) or acc.find(key)
                if call is None and kind in CALLS:
                    self._call(key, delta | {"arguments": None}, CALLS[kind], whole=False)
                    call = self._open.get(key)
                if call is None:
                    acc.unknown(payload, event)
                    return
                piece = delta.get("arguments")
                if isinstance(piece, str) and piece:
                    self._inputs.pop(call, None)
                    acc.append(call, piece)
                elif isinstance(piece, (dict, list)) and piece:
                    self._inputs[call] = piece
            case _:
                acc.unknown(payload, event)

    def _stop(self, key: _Key) -> None:
        call = self._open.pop(key, None)
        if call is not None:
            self._use_input(call)
            self._acc.close(call)

    def _use_inputs(self) -> None:
        for call in list(self._inputs):
            self._use_input(call)

    def _use_input(self, call: ToolCall | None) -> None:
        if call in self._inputs:
            given = self._inputs.pop(call)
            (self._acc.append if isinstance(given, str) else self._acc.value)(call, given)

    def _finish(self, status: Any, *, last: bool = False) -> None:
        raw = word(status)
        if not raw or raw == self._status or (raw.lower() in _GOING_ON and not last):
            return
        self._status = raw
        reason = FINISH.get(raw.lower(), "unknown")
        self._acc.finish(reason, raw)
        self._failed = self._failed or reason == "error"

    def _usage(self, usage: Any) -> None:
        if isinstance(usage, dict) and usage:
            self._acc.usage(
                usage,
                input_tokens=count(usage.get("total_input_tokens")),
                output_tokens=count(usage.get("total_output_tokens")),
            )


def _is_whole(payload: Payload) -> bool:
    """Whether this is an interaction, the body of an answer that was not streamed."""
    steps = isinstance(payload.get("steps"), list) or isinstance(payload.get("outputs"), list)
    return payload.get("object") == "interaction" or (steps and isinstance(payload.get("status"), str))


def _key(payload: Payload) -> _Key:
    """A step's index, which is no more than a key."""
    index = payload.get("index")
    return index if isinstance(index, str) else count(index)
