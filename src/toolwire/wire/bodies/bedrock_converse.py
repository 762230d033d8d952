"""Bedrock Converse: the events of its stream to its output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolwire.wire._read import obj
from toolwire.wire.bodies.arguments import as_object, object_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.wire.encode.base import Frame

__all__ = ["fold"]


def fold(frames: Iterable[Frame]) -> dict[str, Any]:
    """The output that events come to. Token counts and time are required: 0 where nobody told them."""
    content: list[dict[str, Any]] = []
    block = _Block({})
    stop: dict[str, Any] = {}
    counts: dict[str, Any] = {
        "usage": {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0},
        "metrics": {"latencyMs": 0},
    }
    for name, members in frames:
        match name:
            case "contentBlockStart":
                block = _Block(members["start"])
            case "contentBlockDelta":
                block.take(members["delta"])
            case "contentBlockStop":
                content.append(block.whole())
                block = _Block({})
            case "messageStop":
                stop = members
            case "metadata":
                counts |= members
    return {"output": {"message": {"role": "assistant", "content": content}}, **stop, **counts}


class _Block:
    """A block, as far as it has come."""

    def __init__(self, start: dict[str, Any]) -> None:
        self._start = start
        self._texts: dict[str, list[str]] = {}
        self._redacted: Any = None
        self._citations: list[Any] = []
        self._other: dict[str, list[Any]] = {}

    def take(self, delta: dict[str, Any]) -> None:
        """A piece of it."""
        for kind, value in delta.items():
            if kind == "text":
                self._grow("text", value)
            elif kind == "toolUse":
                self._grow("input", value["input"])
            elif kind == "reasoningContent":
                self._redacted = value.get("redactedContent", self._redacted)
                for field in ("text", "signature"):
                    if field in value:
                        self._grow(f"reasoning {field}", value[field])
            elif kind == "citation":
                self._citations.append(value)
            else:
                self._other.setdefault(kind, []).extend(value if isinstance(value, list) else [value])

    def whole(self) -> dict[str, Any]:
        """The block."""
        texts = {field: "".join(pieces) for field, pieces in self._texts.items()}
        if "toolUse" in self._start:
            tool = self._start["toolUse"]
            said = texts.get("input", "")
            hosted = "type" in tool  # nobody runs it
            return {"toolUse": {**tool, "input": object_in(said) or {} if hosted else as_object(said, tool["name"])}}
        if self._redacted is not None:
            return {"reasoningContent": {"redactedContent": self._redacted}}
        thought = {
            field: texts[f"reasoning {field}"] for field in ("text", "signature") if f"reasoning {field}" in texts
        }
        if thought:
            return {"reasoningContent": {"reasoningText": {"text": "", **thought}}}
        if self._citations:
            cited = [{"text": texts.get("text", "")}]
            return {"citationsContent": {"content": cited, "citations": self._citations}}
        if self._start:
            return {kind: {**obj(each), "content": self._other.get(kind, [])} for kind, each in self._start.items()}
        return {"text": texts.get("text", "")}

    def _grow(self, field: str, piece: str) -> None:
        self._texts.setdefault(field, []).append(piece)
