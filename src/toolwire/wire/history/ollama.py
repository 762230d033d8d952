"""Ollama's own chat (`/api/chat`).

`{role: "assistant", content, thinking, tool_calls}`, then `{role: "tool", tool_name, content}` for each call: results
belong to calls by name and order, and ids are not sent (the SDK's types, ollama 0.6, have none).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolwire.history import Turn

__all__ = ["write"]

_OWN = "ollama"


def write(turn: Turn) -> list[dict[str, Any]]:
    """The assistant's message, and one for each result."""
    calls = [{"function": {"name": call.name, "arguments": call.arguments}} for call in turn.calls]
    text = turn.text()
    if not (text or calls):
        return []
    entry: dict[str, Any] = {"role": "assistant", "content": text}
    if turn.source == _OWN and (thoughts := turn.reasoning("thinking")):
        entry["thinking"] = thoughts
    if calls:
        entry["tool_calls"] = calls
    results = [{"role": "tool", "tool_name": each.call.name, "content": each.text} for each in turn.answers]
    return [entry, *results]
