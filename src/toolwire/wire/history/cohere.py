"""Cohere's chat, version 2.

`{role: "assistant", tool_calls, tool_plan, content}`, then `{role: "tool", tool_call_id, content}` for each call. Its
own `tool_plan` goes back, and thinking as a part of `content` before the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolwire.history import Called, Turn

__all__ = ["write"]

_OWN = "cohere"


def write(turn: Turn) -> list[dict[str, Any]]:
    """The assistant's message, and one for each result."""
    own = turn.source == _OWN
    text, calls = turn.text(), [_call(call, own=own) for call in turn.calls]
    if not (text or calls):
        return []
    entry: dict[str, Any] = {"role": "assistant"}
    plan, thoughts = (turn.reasoning("tool_plan"), turn.reasoning("thinking")) if own else ("", "")
    if thoughts:
        said = [{"type": "text", "text": text}] if text else []
        entry["content"] = [{"type": "thinking", "thinking": thoughts}, *said]
    elif text:
        entry["content"] = text
    if plan:
        entry["tool_plan"] = plan
    if calls:
        entry["tool_calls"] = calls
    results = [{"role": "tool", "tool_call_id": each.call.id, "content": each.text} for each in turn.answers]
    return [entry, *results]


def _call(call: Called, *, own: bool) -> dict[str, Any]:
    extra = call.extra if own else {}
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.text}, **extra}
