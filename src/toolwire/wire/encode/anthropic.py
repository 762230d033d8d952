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
from typing import TYPE_CHECKING, Any, Final

from toolwire.encoding import encode
from toolwire.events import ReasoningDelta
from toolwire.wire._read import items, obj, text
from toolwire.wire.anthropic import FINISH
from toolwire.wire.encode.base import Sent, is_cut, word_of
from toolwire.wire.encode.blocks import REASONING, REFUSAL, TEXT, BlockEncoder
from toolwire.wire.encode.errors import anthropic_type
from toolwire.wire.encode.usage import for_anthropic, tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolwire.call import CallKind, ToolCall
    from toolwire.events import Finish, FinishReason, MessageStart, StreamError, Unknown
    from toolwire.wire.encode.blocks import Block
    from toolwire.wire.encode.options import Options

__all__ = ["Encoder"]

# A block of Anthropic's own that has no meaning here.
_OTHER: Final = "other"

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

# Half a surrogate pair, whose escape in the object clients can't read.
_HALF: Final = re.compile("[\ud800-\udfff]")

# What an event may be called: its type stands in a line of its own.
_NAME: Final = re.compile(r"[\w.:-]+", re.ASCII)

# What a wire calls reasoning that only it can read.
_SEALED: Final = ("encrypted_content", "redactedContent", "data")

_START: Final = "content_block_start"
_DELTA: Final = "content_block_delta"


class Encoder(BlockEncoder):
    """Events to Anthropic's."""

    wire = "anthropic"
    keep_alive = b'event: ping\ndata: {"type": "ping"}\n\n'

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._index = -1  # of the latest block
        self._started = False  # the open block's start was written
        self._quoted = False  # so was the beginning of the object that holds a custom call's text
        self._sealed = False  # the latest run of reasoning takes no more
        self._other: Any = None  # the source's index of its latest block without a meaning here

    # --- the message ----------------------------------------------------------------------------------------------

    def begin(self, event: MessageStart) -> None:
        """`message_start`. Its token counts are required, and mostly not known yet."""
        message: dict[str, Any] = {
            "id": self.options.message_id or event.id or f"msg_{os.urandom(12).hex()}",
            "type": "message",
            "role": "assistant",
            "content": [],
            "model": self.options.model or event.model or "",
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0, **self._counts()},
        }
        self._event({"type": "message_start", "message": message})

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

    def reasoning(self, event: ReasoningDelta) -> None:
        """A piece of thinking, a signature, sealed reasoning, or first the one and then the other."""
        sealed = _redacted(event)
        if event.text or (event.signature and sealed is None):
            super().reasoning(event)
            self._sealed = bool(event.signature)
        if sealed is not None:
            self._sealed = True  # whatever was open
            super().reasoning(ReasoningDelta("", event.choice, extra=sealed))

    def splits(self, block: Block, piece: Any) -> bool:
        """Whether a piece begins another block."""
        if block == REASONING:
            return self._sealed
        return block == _OTHER and piece.get("type") == _START

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
            self._call_text(block, piece)
        elif block == REASONING:
            self._reasoning(piece)
        elif isinstance(piece, dict):
            self._own(piece)
        else:
            self._delta("text_delta", "text", piece.text)

    def close_block(self, block: Block) -> None:
        """The open block ends; one that was cut stays open."""
        if isinstance(block, Sent):
            if is_cut(block.call) and not block.called_whole:
                return
            if block.kind == "custom":
                self._delta("input_json_delta", "partial_json", '"}' if self._quoted else '{"input":""}')
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
        elif self._source == self.wire and _NAME.fullmatch(kind):
            self._event(payload)

    def _unknown_block(self, block: Mapping[str, Any], index: Any) -> None:
        kind = block.get("type")
        if kind == "text":  # its text was told
            for citation in items(block.get("citations")):
                self._put(TEXT, {"type": _DELTA, "delta": {"type": "citations_delta", "citation": citation}})
        elif text(kind):
            self._other = index
            self._put(_OTHER, {"type": _START, "content_block": block})

    def _unknown_delta(self, delta: Mapping[str, Any], payload: Mapping[str, Any]) -> None:
        kind = delta.get("type")
        if kind == "citations_delta":  # it may come before the text that it belongs to
            self._put(TEXT, payload)
        elif text(kind):
            latest = self.latest
            if latest == TEXT or (latest == _OTHER and payload.get("index") == self._other):
                self._put(latest, payload)

    def _own(self, payload: Mapping[str, Any]) -> None:
        """A payload of Anthropic's in the open block."""
        if payload["type"] == _START:
            self._start(payload["content_block"])
        else:
            self._event({**payload, "index": self._index})

    # --- within ---------------------------------------------------------------------------------------------------

    def _call(self, sent: Sent) -> dict[str, Any]:
        """A call's block."""
        self._quoted = False
        call = sent.call
        block = {"type": _CALLS[sent.kind], "id": sent.id, "name": call.name, "input": {}}
        extra = call.extra
        if self._source == self.wire:
            block |= extra
        if sent.kind == "mcp":
            block.setdefault("server_name", text(extra.get("server_name")) or text(extra.get("server_label")))
        return block

    def _call_text(self, sent: Sent, piece: str) -> None:
        if sent.kind == "custom":
            piece = encode(_HALF.sub("\ufffd", piece))[1:-1]
            if not self._quoted:
                self._quoted = True
                piece = '{"input":"' + piece
        self._delta("input_json_delta", "partial_json", piece)

    def _reasoning(self, event: ReasoningDelta) -> None:
        if event.extra and not event.text and (sealed := _redacted(event)) is not None:
            self._start(sealed)
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
        if self._source == self.wire:
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
        self.frame(payload, payload["type"])


def _redacted(event: ReasoningDelta) -> Mapping[str, Any] | None:
    """The block of reasoning that only its provider can read, None for any other."""
    extra = event.extra
    if not extra:
        return None
    if extra.get("type") == "redacted_thinking":
        return extra
    sealed = next((found for name in _SEALED if (found := text(extra.get(name)))), None)
    return None if sealed is None else {"type": "redacted_thinking", "data": sealed}
