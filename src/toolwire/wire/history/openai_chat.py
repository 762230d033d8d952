"""OpenAI's Chat Completions, and Mistral's form of it.

`{role: "assistant", content, refusal, tool_calls}`, then `{role: "tool", tool_call_id, content}` for each call.
Reasoning of a compatible server goes back in the fields it came in (`reasoning_content`, `reasoning`,
`reasoning_details`), and so does what stood beside a call (`extra_content`).

Mistral refuses fields that it doesn't know, so nothing but its own reasoning goes back: parts of `content` of type
"thinking", before all other parts (mistral-common, `ThinkChunk`). Its results bear the tool's name, and it has neither
refusals nor custom tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolwire.history import Thought

if TYPE_CHECKING:
    from toolwire.history import Called, Turn

__all__ = ["write"]

_OWN = "openai-chat"
_MISTRAL = "mistral"

# What tells reasoning details apart, and what of them comes in pieces (openrouter.ai/docs, "Reasoning Tokens").
_PLACE = ("type", "index", "id", "format")
_PIECES = ("text", "summary", "data")


def write(turn: Turn) -> list[dict[str, Any]]:
    """The assistant's message, and one for each result."""
    mistral = turn.wire == _MISTRAL
    text, refusal = turn.text(refusals=mistral), "" if mistral else turn.refusal
    calls = [_call(call, turn) for call in turn.calls]
    if not (text or refusal or calls):
        return []
    entry: dict[str, Any] = {"role": "assistant", "content": text or None}
    if refusal:
        entry["refusal"] = refusal
    if turn.source == _OWN:
        entry |= _thinking(turn, text) if mistral else _reasoning(turn)
    if calls:
        entry["tool_calls"] = calls
    results: list[dict[str, Any]] = []
    for answer in turn.answers:
        name = {"name": answer.call.name} if mistral else {}
        results.append({"role": "tool", "tool_call_id": answer.call.id, **name, "content": answer.text})
    return [entry, *results]


def _thinking(turn: Turn, text: str) -> dict[str, Any]:
    """Mistral's content, if there is thinking."""
    thoughts = turn.reasoning("thinking")
    parts = [{"type": "thinking", "thinking": [_said(thoughts)]}]
    return {"content": [*parts, _said(text)] if text else parts} if thoughts else {}


def _said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _reasoning(turn: Turn) -> dict[str, Any]:
    """All reasoning by its field. `reasoning_details` are values, all others text."""
    fields: dict[str, Any] = {}
    for part in turn.parts:
        if not isinstance(part, Thought) or part.field is None:
            continue
        if part.extra:
            fields[part.field] = _joined([*fields.get(part.field, []), *part.extra])
        elif part.text:
            fields[part.field] = fields.get(part.field, "") + part.text
    return fields


def _call(call: Called, turn: Turn) -> dict[str, Any]:
    mistral = turn.wire == _MISTRAL
    extra = call.extra if turn.source == _OWN and not mistral else {}
    if call.input is not None and not mistral:
        return {"id": call.id, "type": "custom", "custom": {"name": call.name, "input": call.input}, **extra}
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.text}, **extra}


def _joined(details: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Reasoning details as the answer has them when it comes whole: a stream sends each in pieces."""
    whole: list[dict[str, Any]] = []
    for detail in details:
        last = whole[-1] if whole else {}
        if any(last.get(key) != detail.get(key) for key in _PLACE) or last.get("signature") or not last:
            whole.append(dict(detail))
            continue
        for key, value in detail.items():
            pieces = key in _PIECES and isinstance(value, str) and isinstance(last.get(key), str)
            last[key] = last[key] + value if pieces else last.get(key) if value is None else value
    return whole
