"""Gemini's Interactions API, as its clients want it.

`interaction.created`, `interaction.status_update`, then one step behind the other (`step.start`, `step.delta`,
`step.stop`), `interaction.completed` with status and token counts, `done`. Every frame's event is its `event_type`. An
error is `event: error`, and nothing behind it. A call that was cut gets no `step.stop`.

Text is a `model_output`, reasoning a `thought` with its signature; a piece behind a signature begins a new step. A
refusal is text. The free text of a custom call is the member `input` of an object. Calls that another provider runs
itself are `mcp_server_tool_call`s. What of a stream of this wire has no meaning here (the provider's own steps, the
sources of a text) is passed on under our indexes.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final

from toolwire.wire._read import obj, text
from toolwire.wire.encode.base import CLIENT_RUN, Sent
from toolwire.wire.encode.blocks import REASONING, REFUSAL, TEXT
from toolwire.wire.encode.google import adopt, error_fields, for_interactions, signature_of
from toolwire.wire.encode.numbered import NumberedBlocks
from toolwire.wire.gemini_interactions import FINISH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolwire.call import ToolCall
    from toolwire.events import Finish, FinishReason, MessageStart, ReasoningDelta, Reset, StreamError, Unknown
    from toolwire.wire.encode.blocks import Block
    from toolwire.wire.encode.options import Options

__all__ = ["Encoder", "status_of"]

_STATUS: Final[dict[FinishReason, str]] = {
    "tool_calls": "requires_action",
    "stop": "completed",
    "pause": "requires_continuation",
}

# For all reasons that the API has no status for: the answer isn't all it could be.
_ELSE: Final = "incomplete"

_START: Final = "step.start"
_DELTA: Final = "step.delta"

# What an event may be called: its type stands in a line of its own.
_NAME: Final = re.compile(r"[\w.:-]+", re.ASCII)


class Encoder(NumberedBlocks):
    """Events to an interaction's."""

    wire = "gemini-interactions"
    keep_alive = None

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._interaction: dict[str, Any] = {}
        self._status = _ELSE

    # --- the interaction ------------------------------------------------------------------------------------------

    def begin(self, event: MessageStart) -> None:
        """`interaction.created`, and that it goes on."""
        self._interaction = {
            "id": self.options.message_id or event.id or f"v1_{os.urandom(12).hex()}",
            "model": self.options.model or event.model or "",
            "object": "interaction",
        }
        status = "in_progress"
        self._event("interaction.created", interaction={**self._interaction, "status": status})
        self._event("interaction.status_update", interaction_id=self._interaction["id"], status=status)

    def finish(self, event: Finish) -> None:
        """The last steps."""
        self.settle(event)
        self._status = status_of(event, self._source)

    def close(self) -> None:
        """`interaction.completed`, with token counts if there are any, and `done`."""
        interaction = {**self._interaction, "status": self._status}
        usage = self._usage
        if usage is not None:
            interaction["usage"] = dict(usage.raw) if self._source == self.wire else for_interactions(usage)
        self._event("interaction.completed", interaction=interaction)
        self.frame("[DONE]", "done")

    def failure(self, error: StreamError) -> None:
        """`error`."""
        said = error_fields(error)
        own = error.wire == self.wire and text(obj(error.raw).get("code"))
        self._event("error", error={"message": error.message, "code": own or text(said.get("status")).lower()})

    def tells(self, call: ToolCall) -> bool:
        """Every kind of call has its step."""
        return True

    def trouble(self, event: Finish) -> StreamError | None:
        """A call whose result stands in the same interaction is none."""
        if self._source == self.wire:
            adopt(self._calls.values())
        return super().trouble(event)

    def reset(self, event: Reset) -> None:
        """A call that the provider runs itself is followed by its result, which tells the client so."""
        if self._source == self.wire:
            adopt(self._calls.values())
        super().reset(event)

    # --- steps ----------------------------------------------------------------------------------------------------

    def sealed(self, event: ReasoningDelta) -> Mapping[str, Any] | None:
        """Reasoning that only another provider can read has no place here."""
        return None

    def begins(self, piece: Any) -> bool:
        """The start of its step."""
        return "step" in piece

    def reasoning(self, event: ReasoningDelta) -> None:
        """A piece of a thought, or a signature that clients can read."""
        if event.text or signature_of(event.signature):
            super().reasoning(event)

    def open_block(self, block: Block) -> None:
        """A step begins; one without a meaning here with its first piece."""
        if isinstance(block, Sent):
            self._start(self._call(block))
        elif block in (TEXT, REFUSAL):
            self._start({"type": "model_output"})
        elif block == REASONING:
            self._start({"type": "thought"})

    def write_block(self, block: Block, piece: Any) -> None:
        """A piece of the open step."""
        if isinstance(block, Sent):
            self.write_call(block, piece)
        elif isinstance(piece, dict):
            if "step" in piece:
                self._start(piece["step"])
            else:
                self._delta(piece["delta"])
        elif block == REASONING:
            if piece.text:
                self._delta({"type": "thought_summary", "content": {"type": "text", "text": piece.text}})
            signature = signature_of(piece.signature)
            if signature:
                self._delta({"type": "thought_signature", "signature": signature})
        else:
            self._delta({"type": "text", "text": piece.text})

    def write_arguments(self, text: str) -> None:
        """A piece of a call's arguments."""
        self._delta({"type": "arguments_delta", "arguments": text})

    def write_stop(self) -> None:
        """The open step ends."""
        self._event("step.stop", index=self._index)

    # --- what has no meaning here ---------------------------------------------------------------------------------

    def unknown(self, event: Unknown) -> None:
        """Steps and deltas under our indexes, other events as they are."""
        payload = event.payload
        if self._source != self.wire or self.finished or not isinstance(payload, dict):
            return
        kind = text(payload.get("event_type")) or event.event
        step, delta = obj(payload.get("step")), obj(payload.get("delta"))
        if kind == _START:
            if text(step.get("type")):
                self.other_block({"step": step}, payload.get("index"))
        elif kind == _DELTA:
            if text(delta.get("type")):
                self.other_delta({"delta": delta}, payload.get("index"))
        elif not kind and text(payload.get("type")).endswith(("_call", "_result")):
            self.other_block({"step": payload}, None)  # of an interaction that came whole
        elif _NAME.fullmatch(kind):
            self.frame(payload, kind)

    # --- within ---------------------------------------------------------------------------------------------------

    def _call(self, sent: Sent) -> dict[str, Any]:
        """A call's step."""
        call = sent.call
        own = self._source == self.wire
        step = {"arguments": {}, "id": sent.id, "name": call.name, "type": "function_call"}
        extra = call.extra
        if sent.kind not in CLIENT_RUN and not (own and sent.kind == "server"):
            server = text(extra.get("server_name")) or text(extra.get("server_label"))
            step |= {"type": "mcp_server_tool_call", "server_name": server}
        return extra | step if own else step

    def _start(self, step: Mapping[str, Any]) -> None:
        self._index += 1
        self._event(_START, index=self._index, step=step)

    def _delta(self, delta: Mapping[str, Any]) -> None:
        self._event(_DELTA, index=self._index, delta=delta)

    def _event(self, kind: str, **fields: Any) -> None:
        self.frame({"event_type": kind, **fields}, kind)


def status_of(event: Finish, source: str | None) -> str:
    """The status that says a reason: the provider's word where it means the same here, or is this API's own."""
    raw = event.raw[-1] if event.raw else ""
    if raw and (FINISH.get(raw) == event.reason or (event.reason == "unknown" and source == "gemini-interactions")):
        return raw
    return _STATUS.get(event.reason, _ELSE)
