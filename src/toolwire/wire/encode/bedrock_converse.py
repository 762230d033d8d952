"""Bedrock ConverseStream, as its clients want it.

`messageStart`, then one block behind the other (`contentBlockStart`, which only calls have, `contentBlockDelta`,
`contentBlockStop`), `messageStop`, and `metadata` with the token counts if there are any. The event's name is in its
frame's headers. An error is an exception's frame, and nothing behind it. A call that was cut gets no
`contentBlockStop`.

Reasoning is `reasoningContent` with its signature; what only its provider can read is `redactedContent` in base64. A
refusal is text. The free text of a custom call is the member `input` of an object. Calls that a provider runs itself
are of the type `server_tool_use`. What of a Converse stream has no meaning here (results of server tools, citations,
traces) is passed on under our indexes. The wire has no place for a message's id and model, or for signatures of calls.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolwire.events import ReasoningDelta, Usage
from toolwire.framing.writers import EXCEPTION
from toolwire.wire._read import items, obj
from toolwire.wire.bedrock_converse import EVENTS, FINISH
from toolwire.wire.encode.base import Sent, word_of
from toolwire.wire.encode.blocks import REASONING, TEXT
from toolwire.wire.encode.errors import bedrock_exception
from toolwire.wire.encode.numbered import NumberedBlocks, sealed_in
from toolwire.wire.encode.usage import for_converse
from toolwire.wire.history.rules import IDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolwire.call import ToolCall
    from toolwire.events import Finish, FinishReason, MessageStart, StreamError, Unknown
    from toolwire.wire.encode.blocks import Block
    from toolwire.wire.encode.options import Options

__all__ = ["Encoder"]

_REASONS: Final[dict[FinishReason, str]] = {
    "tool_calls": "tool_use",
    "stop": "end_turn",
    "pause": "end_turn",
    "length": "max_tokens",
    "content_filter": "content_filtered",
}

_SERVER: Final = ("server", "mcp")

# What of a delta was told, as far as it could be.
_TOLD: Final = frozenset({"text", "toolUse", "reasoningContent", "citationsContent"})

# What an event may be called: its name stands in a header.
_NAME: Final = re.compile(r"[a-zA-Z][\w-]{0,99}", re.ASCII)


class Encoder(NumberedBlocks):
    """Events to Converse's."""

    wire = "bedrock-converse"
    # However long an id is: one in other characters, from which it can be read again, is longer.
    rule = replace(IDS["bedrock-converse"], longest=None)
    keep_alive = None

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.framing = "aws-eventstream"
        self._beside_stop: dict[str, Any] = {}  # what the provider said beside its stop reason
        self._beside_usage: dict[str, Any] = {}  # and beside its token counts

    # --- the message ----------------------------------------------------------------------------------------------

    def begin(self, event: MessageStart) -> None:
        """`messageStart`."""
        self.frame({"role": "assistant"}, "messageStart")

    def finish(self, event: Finish) -> None:
        """The last blocks, and `messageStop`."""
        self.settle(event)
        raw = event.raw[-1] if event.raw else ""
        # The provider's word is kept where it is Bedrock's and says the same: `stop_sequence` is a `stop`.
        reason = raw if FINISH.get(raw) == event.reason else self.word(event, _REASONS) or word_of(event, FINISH)
        self.frame({"stopReason": reason, **self._beside_stop}, "messageStop")

    def close(self) -> None:
        """`metadata`, whose token counts and time are required."""
        usage = self._usage
        if usage is None and not self._beside_usage:
            return
        counts = for_converse(usage or Usage())
        if usage is not None and self._source == self.wire:
            counts.update(usage.raw)
        self.frame({"usage": counts, "metrics": {"latencyMs": 0}, **self._beside_usage}, "metadata")

    def failure(self, error: StreamError) -> None:
        """An exception."""
        self.frame({"message": error.message}, EXCEPTION + bedrock_exception(error, invoke=False))

    def tells(self, call: ToolCall) -> bool:
        """Every kind of call has its block."""
        return True

    # --- blocks ---------------------------------------------------------------------------------------------------

    def sealed(self, event: ReasoningDelta) -> Mapping[str, Any] | None:
        """`redactedContent`, which must be base64."""
        data = sealed_in(event)
        return None if data is None else {"redactedContent": _as_base64(data)}

    def begins(self, piece: Any) -> bool:
        """The start of its block."""
        return "start" in piece

    def open_block(self, block: Block) -> None:
        """A block begins, and says so if it is a call."""
        self._index += 1
        if isinstance(block, Sent):
            call = block.call
            tool: dict[str, Any] = {"toolUseId": block.id, "name": call.name}
            if block.kind in _SERVER:
                tool["type"] = "server_tool_use"
            if self._source == self.wire:
                tool.update((key, value) for key, value in call.extra.items() if key not in tool)
            self._block("Start", {"start": {"toolUse": tool}})

    def write_block(self, block: Block, piece: Any) -> None:
        """A piece of the open block."""
        if isinstance(block, Sent):
            self.write_call(block, piece)
        elif isinstance(piece, ReasoningDelta):
            if piece.text:
                self._delta({"reasoningContent": {"text": piece.text}})
            if piece.signature:
                self._delta({"reasoningContent": {"signature": piece.signature}})
        elif block == REASONING:
            self._delta({"reasoningContent": piece})
        elif isinstance(piece, dict):
            self._block("Start" if self.begins(piece) else "Delta", piece)
        else:
            self._delta({"text": piece.text})

    def write_arguments(self, text: str) -> None:
        """A piece of a call's arguments."""
        self._delta({"toolUse": {"input": text}})

    def write_stop(self) -> None:
        """The open block ends."""
        self._block("Stop", {})

    # --- what has no meaning here ---------------------------------------------------------------------------------

    def unknown(self, event: Unknown) -> None:
        """Blocks and deltas under our indexes, what stands beside reason and counts there, other events as they are."""
        payload = event.payload
        if self._source != self.wire or not isinstance(payload, dict):
            return
        found = [(name, payload[name]) for name in EVENTS if isinstance(payload.get(name), dict)]
        if not found:
            found = [_named(payload, event.event)]
        for name, members in found:
            if name == "metadata":
                self._beside_usage = {key: value for key, value in members.items() if key not in ("usage", "p")}
            elif not self.finished:
                self._unknown(name, members)

    def _unknown(self, name: str, members: Mapping[str, Any]) -> None:
        index = members.get("contentBlockIndex")
        if name == "contentBlockStart":
            start = obj(members.get("start"))
            if start and "toolUse" not in start:
                self.other_block({"start": start}, index)
        elif name == "contentBlockDelta":
            self._unknown_delta(obj(members.get("delta")), index)
        elif name == "messageStop":
            self._beside_stop = {key: value for key, value in members.items() if key not in ("stopReason", "p")}
        elif name not in EVENTS and _NAME.fullmatch(name):
            self.frame({key: value for key, value in members.items() if key != "p"}, name)

    def _unknown_delta(self, delta: Mapping[str, Any], index: Any) -> None:
        citations = [*items(obj(delta.get("citationsContent")).get("citations")), delta.get("citation")]
        for citation in citations:
            if isinstance(citation, dict):  # it may come before the text that it belongs to
                self._put(TEXT, {"delta": {"citation": citation}})
        for kind, value in delta.items():
            if kind not in _TOLD and kind != "citation" and value is not None:
                self.other_delta({"delta": {kind: value}}, index)

    # --- within ---------------------------------------------------------------------------------------------------

    def _delta(self, delta: Mapping[str, Any]) -> None:
        self._block("Delta", {"delta": delta})

    def _block(self, what: str, members: Mapping[str, Any]) -> None:
        self.frame({"contentBlockIndex": self._index, **members}, f"contentBlock{what}")


def _named(payload: dict[Any, Any], event: str) -> tuple[str, dict[Any, Any]]:
    """An event that nobody knows: by its name, or as the only member of a union. Else without a name."""
    if event:
        return event, payload
    members = [(key, value) for key, value in payload.items() if key != "p"]
    if len(members) == 1 and isinstance(members[0][0], str) and isinstance(members[0][1], dict):
        return members[0]
    return "", {}


def _as_base64(text: str) -> str:
    """The text itself if it is base64, else in it."""
    try:
        b64decode(text, validate=True)
    except ValueError:
        return b64encode(text.encode("utf-8", "surrogatepass")).decode()
    return text
