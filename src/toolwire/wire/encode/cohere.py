"""Cohere's chat, version 2, as its clients want it.

`message-start`, then one block behind the other, `message-end` with finish reason and token counts, `[DONE]`. Every
frame's event is its `type`. Contents are `content-start`, `-delta`, `-end` under one count of indexes, calls
`tool-call-start`, `-delta`, `-end` under another. A call that was cut gets no `tool-call-end`. An error is a
`message-end` that says so, and nothing behind it.

Reasoning is a content of type thinking, save for Cohere's own plan (`tool-plan-delta`, which has neither start nor
end). A refusal is text. The free text of a custom call is the member `input` of an object. Signatures have no place
here, and calls that a provider runs itself have none. Citations of a Cohere stream are passed on.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from toolwire.wire._read import items, text
from toolwire.wire.cohere import CITATIONS, EVENTS, FINISH
from toolwire.wire.encode.base import Sent, word_of
from toolwire.wire.encode.blocks import REASONING, REFUSAL, TEXT
from toolwire.wire.encode.errors import public_message
from toolwire.wire.encode.numbered import NumberedBlocks
from toolwire.wire.encode.usage import for_cohere

if TYPE_CHECKING:
    from toolwire.events import Finish, FinishReason, MessageStart, ReasoningDelta, StreamError, Unknown
    from toolwire.wire.encode.blocks import Block
    from toolwire.wire.encode.options import Options

__all__ = ["Encoder"]

# A run of the plan that goes before calls.
_PLAN: Final = "plan"
_PLAN_FIELD: Final = "tool_plan"

# A run of contents -> the type of its block, which is the field of its text too.
_CONTENTS: Final = {TEXT: "text", REFUSAL: "text", REASONING: "thinking"}

_REASONS: Final[dict[FinishReason, str]] = {
    "tool_calls": "TOOL_CALL",
    "stop": "COMPLETE",
    "pause": "COMPLETE",
    "length": "MAX_TOKENS",
    "content_filter": "ERROR_TOXIC",
}

_KNOWN: Final = frozenset(map(str.lower, FINISH))


class Encoder(NumberedBlocks):
    """Events to Cohere's."""

    wire = "cohere"

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._call_index = -1  # of the latest call
        self._stop: tuple[str, int] | None = None  # what ends the open block

    # --- the message ----------------------------------------------------------------------------------------------

    def begin(self, event: MessageStart) -> None:
        """`message-start`, with nothing in it."""
        message = {"role": "assistant", "content": [], _PLAN_FIELD: "", "tool_calls": [], "citations": []}
        name = self.options.message_id or event.id or os.urandom(16).hex()
        self._event("message-start", id=name, delta={"message": message})

    def finish(self, event: Finish) -> None:
        """The last blocks, and `message-end`."""
        self.settle(event)
        delta: dict[str, Any] = {"finish_reason": self._reason(event)}
        if self._usage is not None:
            delta["usage"] = dict(self._usage.raw) if self._source == self.wire else for_cohere(self._usage)
        self._event("message-end", delta=delta)

    def close(self) -> None:
        """The terminator."""
        self.frame("[DONE]")

    def failure(self, error: StreamError) -> None:
        """`message-end`, which alone has a place for an error."""
        reason = "TIMEOUT" if error.kind == "timeout" else "ERROR"
        self._event("message-end", delta={"finish_reason": reason, "error": error.message or public_message(error)})

    def unknown(self, event: Unknown) -> None:
        """Events that stand by themselves, and what a message that came whole says of its text."""
        payload = event.payload
        if self._source != self.wire or self.finished or not isinstance(payload, dict):
            return
        kind = text(payload.get("type")) or event.event
        if "type" not in payload and not event.event:
            for index, each in enumerate(items(payload.get("citations"))):
                self._event("citation-start", index=index, delta={"message": {"citations": each}})
                self._event("citation-end", index=index)
        elif kind in CITATIONS or (event.event and kind not in EVENTS):  # else it is a part of a content, or stray
            self.frame({**payload, "type": kind}, kind)

    # --- blocks ---------------------------------------------------------------------------------------------------

    def reasoning(self, event: ReasoningDelta) -> None:
        """A piece of the plan or of other reasoning."""
        if event.text:
            self._put(_PLAN if event.field == _PLAN_FIELD else REASONING, event)

    def open_block(self, block: Block) -> None:
        """A block begins."""
        if isinstance(block, Sent):
            self._call_index += 1
            self._stop = ("tool-call-end", self._call_index)
            extra = block.call.extra if self._source == self.wire else {}
            function = {"name": block.call.name, "arguments": ""}
            self._call("start", {"id": block.id, "type": "function", "function": function, **extra})
        elif block == _PLAN:
            self._stop = None
        else:
            kind = _CONTENTS[block]
            self._index += 1
            self._stop = ("content-end", self._index)
            self._event("content-start", index=self._index, delta=_content({"type": kind, kind: ""}))

    def write_block(self, block: Block, piece: Any) -> None:
        """A piece of the open block."""
        if isinstance(block, Sent):
            self.write_call(block, piece)
        elif block == _PLAN:
            self._event("tool-plan-delta", delta={"message": {_PLAN_FIELD: piece.text}})
        else:
            self._event("content-delta", index=self._index, delta=_content({_CONTENTS[block]: piece.text}))

    def write_arguments(self, text: str) -> None:
        """`tool-call-delta`."""
        self._call("delta", {"function": {"arguments": text}})

    def write_stop(self) -> None:
        """`content-end` or `tool-call-end`."""
        if self._stop is not None:
            kind, index = self._stop
            self._event(kind, index=index)

    # --- within ---------------------------------------------------------------------------------------------------

    def _reason(self, event: Finish) -> str:
        """The provider's word for a reason where it means the same here, or where none does."""
        raw = event.raw[-1] if event.raw else ""
        return raw if FINISH.get(raw) == event.reason else self.word(event, _REASONS) or word_of(event, _KNOWN)

    def _call(self, stage: str, entry: dict[str, Any]) -> None:
        self._event(f"tool-call-{stage}", index=self._call_index, delta={"message": {"tool_calls": entry}})

    def _event(self, kind: str, **fields: Any) -> None:
        self.frame({"type": kind, **fields}, kind)


def _content(content: dict[str, Any]) -> dict[str, Any]:
    return {"message": {"content": content}}
