"""Cohere's chat, version 2: events to a response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.wire.encode.base import Frame

__all__ = ["fold"]


def fold(frames: Iterable[Frame]) -> dict[str, Any]:
    """The response that events come to. Contents and calls are apart, whatever their order was."""
    name, end = "", {}
    plan: list[str] = []
    contents: list[tuple[dict[str, Any], list[str]]] = []
    calls: list[tuple[dict[str, Any], list[str]]] = []
    citations: list[Any] = []
    for kind, event in frames:
        said = event.get("delta", {}).get("message", {}) if isinstance(event, dict) else {}
        match kind:
            case "message-start":
                name = event["id"]
            case "tool-plan-delta":
                plan.append(said["tool_plan"])
            case "content-start":
                contents.append((said["content"], []))
            case "content-delta":
                contents[-1][1].extend(said["content"].values())
            case "tool-call-start":
                calls.append((said["tool_calls"], []))
            case "tool-call-delta":
                calls[-1][1].append(said["tool_calls"]["function"]["arguments"])
            case "citation-start":
                citations.append(said.get("citations"))
            case "message-end":
                end = event["delta"]
    message: dict[str, Any] = {"role": "assistant"}
    fields: dict[str, Any] = {
        "tool_plan": "".join(plan),
        "content": [{**part, part["type"]: "".join(pieces)} for part, pieces in contents],
        "tool_calls": [
            {**call, "function": {**call["function"], "arguments": "".join(pieces)}} for call, pieces in calls
        ],
        "citations": [each for each in citations if each],
    }
    message.update((field, value) for field, value in fields.items() if value)
    return {"id": name, "message": message, **end}
