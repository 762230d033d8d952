"""Anthropic Messages, as its clients want it.

`message_start`, then one block behind the other (`content_block_start`, `content_block_delta`, `content_block_stop`),
`message_delta` with stop reason and token counts, `message_stop`. Every frame's event is its `type`. An error is
`event: error`, and nothing behind it. A call that was cut gets no `content_block_stop`, as at Anthropic.

Reasoning is `thinking` with its signature, sealed reasoning `redacted_thinking`; a piece behind a signature begins a
new block. A refusal is text. The free text of a custom call is the member `input` of an object. Calls that a provider
runs itself are `server_tool_use` and `mcp_tool_use`. What of an Anthropic stream has no meaning here (results of
server tools, citations) is passed on under our indexes. Signatures of calls have no place here.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolwire.events import ReasoningDelta
from toolwire.wire._read import items, obj, text
from toolwire.wire.anthropic import FINISH
from toolwire.wire.encode.base import Sent, word_of
from toolwire.wire.encode.blocks import REASONING, REFUSAL, TEXT
from toolwire.wire.encode.errors import anthropic_type
from toolwire.wire.encode.numbered import NumberedBlocks, sealed_in
from toolwire.wire.encode.usage import for_anthropic, tokens
from toolwire.wire.history.rules import IDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolwire.call import CallKind, ToolCall
    from toolwire.events import Finish, FinishReason, MessageStart, StreamError, Unknown
    from toolwire.wire.encode.blocks import Block
    from toolwire.wire.encode.options import Options

__all__ = ["Encoder"]

_REASONS: Final[dict[FinishReason, str]] = {
    "tool_calls": "tool_use",
    "stop": "end_turn",
    "length": "max_tokens",
    "content_filter": "refusal",
    "pause": "pause_turn",
}

_CALLS: Final[dict[CallKind, str]] = {
    "function": "tool_use",
    "custom": "tool_use",
    "server": "server_tool_use",
    "mcp": "mcp_tool_use",
}

# Wires whose unknown payloads may be Anthropic's: the second wraps them.
_KIN: Final = frozenset({"anthropic", "bedrock-invoke"})

# What an event may be called: its type stands in a line of its own.
_NAME: Final = re.compile(r"[\w.:-]+", re.ASCII)

_START: Final = "content_block_start"
_DELTA: Final = "content_block_delta"


class Encoder(NumberedBlocks):
    """Events to Anthropic's."""

    wire = "anthropic"
    rule = IDS["anthropic"]
    keep_alive: ClassVar[bytes | None] = b'event: ping\ndata: {"type": "ping"}\n\n'

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._message: dict[str, Any] | None = None  # its start, until that goes out
        self._started = False  # the open block's start was written

    # --- the message ----------------------------------------------------------------------------------------------

    def begin(self, event: MessageStart) -> None:
        """`message_start` goes out with what comes next: its token counts are required, and may be that."""
        self._message = {
            "id": self.options.message_id or event.id or f"msg_{os.urandom(12).hex()}",
            "type": "message",
            "role": "assistant",
            "content": [],
            "model": self.options.model or event.model or "",
            "stop_reason": None,
            "stop_sequence": None,
        }

    def counted(self) -> None:
        """Token counts that came with the start stand in it."""
        if self._message is not None and self._source == self.wire:
            self._start_message()

    def _start_message(self) -> None:
        message, self._message = self._message, None
        counts = {"input_tokens": 0, "output_tokens": 0, **self._counts()}
        self._event({"type": "message_start", "message": {**(message or {}), "usage": counts}})

    def finish(self, event: Finish) -> None:
        """The last blocks, and `message_delta`."""
        self.settle(event)
        raw = event.raw[-1] if event.raw else ""
        # The provider's word is kept where it is Anthropic's and says the same: `stop_sequence` is a `stop`.
        reason = raw if FINISH.get(raw) == event.reason else _REASONS.get(event.reason) or word_of(event, FINISH)
        usage = {"output_tokens": 0, **self._counts()}
        self._event({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage})

    def close(self) -> None:
        """`message_stop`."""
        self._event({"type": "message_stop"})

    def failure(self, error: StreamError) -> None:
        """`error`, of Anthropic's own type where it is Anthropic's own."""
        own = text(obj(error.raw).get("type")) if error.wire in _KIN else ""
        kind = own if own.endswith("_error") else anthropic_type(error)
        self._event({"type": "error", "error": {"type": kind, "message": error.message}})

    def tells(self, call: ToolCall) -> bool:
        """Every kind of call has its block."""
        return call.kind in _CALLS

    # --- blocks ---------------------------------------------------------------------------------------------------

    def sealed(self, event: ReasoningDelta) -> Mapping[str, Any] | None:
        """A block of `redacted_thinking`: Anthropic's own as it is."""
        if event.extra and event.extra.get("type") == "redacted_thinking":
            return event.extra
        data = sealed_in(event)
        return None if data is None else {"type": "redacted_thinking", "data": data}

    def begins(self, piece: Any) -> bool:
        """The start of its block."""
        return bool(piece.get("type") == _START)

    def open_block(self, block: Block) -> None:
        """A block begins; of some kinds its first piece says as what."""
        self._started = False
        if isinstance(block, Sent):
            self._start(self._call(block))
        elif block in (TEXT, REFUSAL):
            self._start({"type": "text", "text": ""})

    def write_block(self, block: Block, piece: Any) -> None:
        """A piece of the open block."""
        if isinstance(block, Sent):
            self.write_call(block, piece)
        elif block == REASONING:
            self._reasoning(piece)
        elif isinstance(piece, dict):
            self._own(piece)
        else:
            self._delta("text_delta", "text", piece.text)

    def write_arguments(self, text: str) -> None:
        """A piece of a call's arguments."""
        self._delta("input_json_delta", "partial_json", text)

    def write_stop(self) -> None:
        """The open block ends."""
        self._event({"type": "content_block_stop", "index": self._index})

    # --- what has no meaning here ---------------------------------------------------------------------------------

    def unknown(self, event: Unknown) -> None:
        """Blocks and deltas under our indexes, other events as they are."""
        payload = event.payload
        if self._source not in _KIN or self.finished or not isinstance(payload, dict):
            return
        kind = text(payload.get("type"))
        if kind == _START:
            self._unknown_block(obj(payload.get("content_block")), payload.get("index"))
        elif kind == _DELTA:
            self._unknown_delta(obj(payload.get("delta")), payload)
        elif kind.endswith("_tool_result") or event.event == "message_start" or kind == "text":
            self._unknown_block(payload, None)  # of a message that came whole
        elif self._native and _NAME.fullmatch(kind):
            self._event(payload)

    def _unknown_block(self, block: Mapping[str, Any], index: Any) -> None:
        kind = block.get("type")
        if kind == "text":  # its text was told
            for citation in items(block.get("citations")):
                self._put(TEXT, {"type": _DELTA, "delta": {"type": "citations_delta", "citation": citation}})
        elif text(kind):
            self.other_block({"type": _START, "content_block": block}, index)

    def _unknown_delta(self, delta: Mapping[str, Any], payload: Mapping[str, Any]) -> None:
        kind = delta.get("type")
        if kind == "citations_delta":  # it may come before the text that it belongs to
            self._put(TEXT, payload)
        elif text(kind):
            self.other_delta(payload, payload.get("index"))

    def _own(self, payload: Mapping[str, Any]) -> None:
        """A payload of Anthropic's in the open block."""
        if payload["type"] == _START:
            self._start(payload["content_block"])
        else:
            self._event({**payload, "index": self._index})

    # --- within ---------------------------------------------------------------------------------------------------

    @property
    def _native(self) -> bool:
        """Whether what the provider said beside a call or in an event of its own means the same here."""
        return self._source in ("anthropic", self.wire)

    def _call(self, sent: Sent) -> dict[str, Any]:
        """A call's block."""
        call = sent.call
        block = {"type": _CALLS[sent.kind], "id": sent.id, "name": call.name, "input": {}}
        extra = call.extra
        if self._native:
            block.update((key, value) for key, value in extra.items() if key not in block)
        if sent.kind == "mcp":
            block.setdefault("server_name", text(extra.get("server_name")) or text(extra.get("server_label")))
        return block

    def _reasoning(self, event: ReasoningDelta | Mapping[str, Any]) -> None:
        if not isinstance(event, ReasoningDelta):
            self._start(event)
            return
        if not self._started:
            self._start({"type": "thinking", "thinking": "", "signature": ""})
        if event.text:
            self._delta("thinking_delta", "thinking", event.text)
        if event.signature:
            self._delta("signature_delta", "signature", event.signature)

    def _counts(self) -> dict[str, Any]:
        """What is known of the token counts."""
        usage = self._usage
        if usage is None:
            return {}
        if self._source == "anthropic":
            return dict(usage.raw)
        said = for_anthropic(usage)
        if tokens(usage).input is None:
            del said["input_tokens"]
        return said

    def _start(self, block: Mapping[str, Any]) -> None:
        self._index += 1
        self._started = True
        self._event({"type": _START, "index": self._index, "content_block": block})

    def _delta(self, kind: str, field: str, piece: str) -> None:
        self._event({"type": _DELTA, "index": self._index, "delta": {"type": kind, field: piece}})

    def _event(self, payload: Mapping[str, Any]) -> None:
        if self._message is not None:
            self._start_message()
        self.frame(payload, payload["type"])
