"""Amazon Bedrock's Converse, as boto3 takes it.

`{role: "assistant", content: [blocks]}`, then one `{role: "user"}` with a `toolResult` for each call: `json` for an
object, else `text`, with `status: "error"` where the tool failed. Claude's signed thinking goes back, also that which
came from Anthropic itself (see `anthropic.py`); without a signature it is refused. `redactedContent` is bytes, the one
value here that JSON has no form for: on the wire it is base64, which boto3 makes of it. Calls that AWS ran are left
out, because their results come in pieces. Blank text is refused ("The text field in the ContentBlock object at … is
blank").
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from toolwire.history import Called, Said, Thought, Turn
from toolwire.wire.history.anthropic import thinking

if TYPE_CHECKING:
    from toolwire.history import Answer

__all__ = ["write"]


def write(turn: Turn) -> list[dict[str, Any]]:
    """The assistant's message, and the user's with all results."""
    blocks: list[dict[str, Any]] = []
    for part in turn.parts:
        match part:
            case Said():
                if blocks and "text" in blocks[-1]:
                    blocks[-1]["text"] += part.text
                else:
                    blocks.append({"text": part.text})
            case Thought():
                blocks += [{"reasoningContent": each} for each in _reasoning(turn.source, part)]
            case Called(hosted=False):
                blocks.append({"toolUse": {"toolUseId": part.id, "name": part.name, "input": part.arguments}})
    blocks = [block for block in blocks if block.get("text", "x").strip()]
    while blocks and "reasoningContent" in blocks[-1]:
        blocks.pop()
    if blocks and "text" in blocks[-1] and not turn.answers:
        blocks[-1]["text"] = blocks[-1]["text"].rstrip()
    entries: list[dict[str, Any]] = [{"role": "assistant", "content": blocks}] if blocks else []
    if turn.answers:
        entries.append({"role": "user", "content": [{"toolResult": _result(answer)} for answer in turn.answers]})
    return entries


def _reasoning(source: str | None, part: Thought) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for block in thinking(source, part):
        if block["type"] == "thinking":
            found.append({"reasoningText": {"text": block["thinking"], "signature": block["signature"]}})
        else:
            try:
                found.append({"redactedContent": base64.b64decode(block["data"], validate=True)})
            except (binascii.Error, ValueError, TypeError, KeyError):
                continue  # nothing that Bedrock has made
    return found


def _result(answer: Answer) -> dict[str, Any]:
    if isinstance(answer.content, dict):
        content: list[dict[str, Any]] = [{"json": answer.content}]
    else:
        content = [{"text": answer.text}] if answer.text.strip() else []
    result: dict[str, Any] = {"toolUseId": answer.call.id, "content": content}
    return result | {"status": "error"} if answer.is_error else result
