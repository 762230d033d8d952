"""Generated streams of wires that no peer here reads: what an application may be given to pass on to its clients."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any
from zlib import crc32

from bench.streams import NAME, sse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.streams import Parts

__all__ = ["OTHERS"]

_STRING = 7  # the type of a header's value


def _frame(event: str, payload: dict[str, Any]) -> bytes:
    """A binary frame of an AWS event stream."""
    headers = b""
    for name, value in ((":event-type", event), (":content-type", "application/json"), (":message-type", "event")):
        headers += bytes([len(name)]) + name.encode() + struct.pack(">BH", _STRING, len(value)) + value.encode()
    data = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(data), len(headers))
    body = prelude + struct.pack(">I", crc32(prelude)) + headers + data
    return body + struct.pack(">I", crc32(body))


def converse(pieces: Sequence[str]) -> Parts:
    """Bedrock's ConverseStream."""
    tool = {"toolUse": {"toolUseId": "tooluse_bench", "name": NAME}}
    usage = {"inputTokens": 100, "outputTokens": 1000, "totalTokens": 1100}
    return (
        [
            _frame("messageStart", {"role": "assistant"}),
            _frame("contentBlockStart", {"contentBlockIndex": 0, "start": tool}),
        ],
        [
            _frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"toolUse": {"input": piece}}})
            for piece in pieces
        ],
        [
            _frame("contentBlockStop", {"contentBlockIndex": 0}),
            _frame("messageStop", {"stopReason": "tool_use"}),
            _frame("metadata", {"usage": usage, "metrics": {"latencyMs": 1000}}),
        ],
    )


def cohere(pieces: Sequence[str]) -> Parts:
    """Cohere's chat, version 2."""

    def event(kind: str, **fields: Any) -> bytes:
        return sse({"type": kind, **fields}, kind)

    def called(call: dict[str, Any]) -> dict[str, Any]:
        return {"message": {"tool_calls": call}}

    message = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    call = {"id": "call_bench", "type": "function", "function": {"name": NAME, "arguments": ""}}
    counts = {"input_tokens": 100, "output_tokens": 1000}
    ended = {"finish_reason": "TOOL_CALL", "usage": {"billed_units": counts, "tokens": counts}}
    return (
        [
            event("message-start", id="msg_bench", delta={"message": message}),
            event("tool-call-start", index=0, delta=called(call)),
        ],
        [event("tool-call-delta", index=0, delta=called({"function": {"arguments": piece}})) for piece in pieces],
        [event("tool-call-end", index=0), event("message-end", delta=ended), b"data: [DONE]\n\n"],
    )


def ollama(pieces: Sequence[str]) -> Parts:
    """Ollama's chat: a line each, the arguments whole, whatever the pieces."""

    def line(message: dict[str, Any], **fields: Any) -> bytes:
        body = {"model": "bench", "created_at": "2030-03-17T17:46:40Z", "message": message, "done": False, **fields}
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    call = {"function": {"name": NAME, "arguments": json.loads("".join(pieces))}}
    nothing = {"role": "assistant", "content": ""}
    counts = {"prompt_eval_count": 100, "eval_count": 1000}
    return [], [line({**nothing, "tool_calls": [call]})], [line(nothing, done=True, done_reason="stop", **counts)]


OTHERS: dict[str, Callable[[Sequence[str]], Parts]] = {
    "bedrock-converse": converse,
    "cohere": cohere,
    "ollama": ollama,
}
