"""Anthropic's Messages, which Bedrock's InvokeModel takes too.

`{role: "assistant", content: [blocks]}`, then one `{role: "user"}` with a `tool_result` for each call. Thinking goes
back with its signature, redacted thinking as it is, in their order among the other blocks; thinking without a signature
would be refused. Signatures "are compatible across platforms (Claude APIs, Amazon Bedrock, and Vertex AI)", says the
documentation of extended thinking, so those of Converse go back here too.

A call that Anthropic ran goes back with the block of its result (`*_tool_result`), or where a call of the client's came
out of it (`caller.tool_id`). What the API refuses, by its errors:

* "text content blocks must be non-empty", and "must contain non-whitespace text"
* "final assistant content cannot end with trailing whitespace"
* "The final block in an assistant message cannot be `thinking`"
* "content cannot be empty if `is_error` is true"
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolwire.history import Called, Native, Said, Thought, Turn
from toolwire.wire._read import obj, text, word

if TYPE_CHECKING:
    from toolwire.history import Answer

__all__ = ["thinking", "write"]

_OWN = frozenset({"anthropic", "bedrock-invoke"})
_CONVERSE = "bedrock-converse"
_THINKING = frozenset({"thinking", "redacted_thinking"})


def write(turn: Turn) -> list[dict[str, Any]]:
    """The assistant's message, and the user's with all results."""
    own = turn.source in _OWN
    hosted = {part.vendor_id for part in turn.parts if isinstance(part, Called) and part.hosted}
    needed = {_caller(call) for call in turn.calls} | {_run_by(part) for part in turn.parts if isinstance(part, Native)}
    blocks: list[dict[str, Any]] = []
    for part in turn.parts:
        match part:
            case Said():
                if blocks and blocks[-1]["type"] == "text":
                    blocks[-1]["text"] += part.text
                else:
                    blocks.append({"type": "text", "text": part.text})
            case Thought():
                blocks += thinking(turn.source, part)
            case Called(hosted=True):
                if own and part.vendor_id in needed:
                    blocks.append(_hosted(part))
            case Called():
                call = {"type": "tool_use", "id": part.id, "name": part.name, "input": part.arguments}
                blocks.append(call | (part.extra if own else {}))
            case Native() if own and _run_by(part) in hosted:
                blocks.append(_block(part))
    blocks = [block for block in blocks if block["type"] != "text" or block["text"].strip()]
    while blocks and blocks[-1]["type"] in _THINKING:
        blocks.pop()
    if blocks and blocks[-1]["type"] == "text" and not turn.answers:
        blocks[-1]["text"] = blocks[-1]["text"].rstrip()
    entries: list[dict[str, Any]] = [{"role": "assistant", "content": blocks}] if blocks else []
    if turn.answers:
        entries.append({"role": "user", "content": [_answer(answer) for answer in turn.answers]})
    return entries


def thinking(source: str | None, part: Thought) -> list[dict[str, Any]]:
    """The blocks of a run of Claude's thinking, none for any other's."""
    if source not in _OWN and source != _CONVERSE:
        return []
    blocks: list[dict[str, Any]] = []
    if part.signature:
        blocks.append({"type": "thinking", "thinking": part.text, "signature": part.signature})
    for extra in part.extra:
        if extra.get("type") == "redacted_thinking":
            blocks.append(extra)
        elif "redactedContent" in extra:
            blocks.append({"type": "redacted_thinking", "data": extra["redactedContent"]})
    return blocks


def _hosted(call: Called) -> dict[str, Any]:
    kind = "mcp_tool_use" if call.kind == "mcp" else "server_tool_use"
    return {"type": kind, "id": call.vendor_id, "name": call.name, "input": call.arguments, **call.extra}


def _block(part: Native) -> dict[str, Any]:
    """The block that is passed on, from its start or from a body."""
    payload = part.payload if isinstance(part.payload, dict) else {}
    return obj(payload.get("content_block")) or payload


def _run_by(part: Native) -> str | None:
    """Which of Anthropic's own calls a block is the result of."""
    block = _block(part)
    return word(block.get("tool_use_id")) or None if text(block.get("type")).endswith("_tool_result") else None


def _caller(call: Called) -> str | None:
    """Which of Anthropic's own calls a call came out of."""
    return word(obj(call.extra.get("caller")).get("tool_id")) or None


def _answer(answer: Answer) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": answer.call.id, "content": answer.text}
    return block | {"is_error": True} if answer.is_error else block
