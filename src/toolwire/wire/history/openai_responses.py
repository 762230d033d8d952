"""OpenAI's Responses: a flat list of items.

Text is an assistant's `message`, a call a `function_call` or `custom_tool_call`, its result a `..._output` of the same
`call_id`. On the same wire go back, in order, with their own ids: whole `reasoning` items, calls that OpenAI ran for an
MCP server, and the items of its own tools. Those whose output the client has to give (`computer_call`,
`local_shell_call` and the like) are left out: there is none.

* a `reasoning` item must be followed by what it led to ("provided without its required following item", e.g.
  github.com/continuedev/continue/issues/8933), and must have a `summary`
* a message goes back under its own id, and with its `phase`, which newer models want back
* an item's id has at most 64 characters; GitHub Copilot's are longer and may be left out
* a call's `caller`, a program, is that of its output too
* a refusal goes back as text: as a part of its own it needs an item's id, which isn't known
"""

from __future__ import annotations

from typing import Any

from toolwire.history import Called, Native, Said, Thought, Turn
from toolwire.wire._read import obj, text

__all__ = ["write"]

_OWN = "openai-responses"

# Items that are whole without anything of the client's.
_WHOLE = frozenset(
    {
        "code_interpreter_call",
        "compaction",
        "file_search_call",
        "image_generation_call",
        "mcp_list_tools",
        "program",
        "program_output",
        "web_search_call",
    }
)
# So are these, unless the client is to search.
_SEARCH = frozenset({"tool_search_call", "tool_search_output"})
_LONGEST_ID = 64


def write(turn: Turn) -> list[dict[str, Any]]:
    """The items of the message, then those of the results."""
    own = turn.source == _OWN
    items: list[dict[str, Any]] = []
    for part in turn.parts:
        match part:
            case Said():
                _say(items, part, own=own)
            case Called():
                items += _call(part, own=own)
            case Thought() if own:
                items += [_reasoning(item) for item in part.extra if item.get("type") == "reasoning"]
            case Native() if own:
                items += _native(part.payload)
    while items and items[-1]["type"] == "reasoning":
        items.pop()
    for answer in turn.answers:
        kind = "function_call_output" if answer.call.input is None else "custom_tool_call_output"
        output = {"type": kind, "call_id": answer.call.id, "output": answer.text}
        items.append(output | _caller(answer.call, own=own))
    return items


def _say(items: list[dict[str, Any]], part: Said, *, own: bool) -> None:
    last = items[-1] if items else {}
    id_ = part.extra.get("id") if own else None
    if isinstance(id_, str) and len(id_) <= _LONGEST_ID:
        said = {"type": "output_text", "text": part.text, "annotations": []}
        message = {"type": "message", "role": "assistant", "status": "completed", "content": [said]}
        items.append({**message, **part.extra})
        return
    if last.get("type") == "message" and isinstance(last["content"], str):
        last["content"] += part.text
    elif part.text:
        items.append({"type": "message", "role": "assistant", "content": part.text})


def _call(call: Called, *, own: bool) -> list[dict[str, Any]]:
    extra = {key: value for key, value in call.extra.items() if key != "item_id"} if own else {}
    if call.hosted:
        done = call.kind == "mcp" and not extra.keys().isdisjoint(("output", "error"))
        item = {"type": "mcp_call", "id": call.vendor_id, "name": call.name, "arguments": call.text, **extra}
        return [item] if done else []
    id_ = call.extra.get("item_id") if own else None
    body: dict[str, Any] = {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.text}
    if call.input is not None:
        body = {"type": "custom_tool_call", "call_id": call.id, "name": call.name, "input": call.input}
    return [_with_id(body, id_) | extra]


def _caller(call: Called, *, own: bool) -> dict[str, Any]:
    return {"caller": call.extra["caller"]} if own and "caller" in call.extra else {}


def _reasoning(item: dict[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in item.items() if key != "id" and value is not None}
    return _with_id({"summary": [], **rest}, item.get("id"))


def _with_id(item: dict[str, Any], id: Any) -> dict[str, Any]:
    return {**item, "id": id} if isinstance(id, str) and len(id) <= _LONGEST_ID else item


def _native(payload: Any) -> list[dict[str, Any]]:
    """The whole item in an event or a body."""
    said = obj(payload)
    item = obj(said.get("item")) if said.get("type") == "response.output_item.done" else said
    kind = text(item.get("type"))
    return [item] if kind in _WHOLE or (kind in _SEARCH and item.get("execution") == "server") else []
