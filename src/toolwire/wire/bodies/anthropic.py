"""Anthropic Messages: events to a message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolwire.wire._read import items, text
from toolwire.wire.bodies.arguments import as_object, object_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.wire.encode.base import Frame

__all__ = ["fold", "fold_events"]

# What of a block grows piece by piece, by the delta's type: which field has the piece, and which it makes grow.
_TEXTS: Final = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "input_json_delta": ("partial_json", "input"),
}


def fold(frames: Iterable[Frame]) -> dict[str, Any]:
    """The message that events come to."""
    return fold_events(payload for _, payload in frames)


def fold_events(events: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """As `fold`, of payloads. A block that doesn't end was cut, and is none."""
    message: dict[str, Any] = {}
    content: list[dict[str, Any]] = []
    block: dict[str, Any] = {}
    pieces: dict[str, list[str]] = {}
    for event in events:
        match event["type"]:
            case "message_start":
                message = dict(event["message"])
            case "content_block_start":
                block, pieces = dict(event["content_block"]), {}
            case "content_block_delta":
                delta = event["delta"]
                if delta["type"] in _TEXTS:
                    piece, field = _TEXTS[delta["type"]]
                    pieces.setdefault(field, []).append(text(delta.get(piece)))
                elif delta["type"] == "citations_delta":
                    block["citations"] = [*items(block.get("citations")), delta.get("citation")]
            case "content_block_stop":
                content.append(_whole(block, pieces))
            case "message_delta":
                message |= event["delta"]
                message["usage"] = {**message["usage"], **event["usage"]}
    return {**message, "content": content}


def _whole(block: dict[str, Any], pieces: dict[str, list[str]]) -> dict[str, Any]:
    """A block with all that came of it. What it has no field for was said of a block that never began."""
    for field, each in pieces.items():
        said = "".join(each)
        if field != "input":
            block[field] = text(block.get(field)) + said
        elif block["type"] == "tool_use":
            block[field] = as_object(said, block["name"])
        elif field in block:  # nobody runs it
            block[field] = object_in(said) or block[field]
    return block
