"""Gemini's generateContent: the chunks of its stream to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.wire.encode.base import Frame

__all__ = ["fold"]


def fold(frames: Iterable[Frame]) -> dict[str, Any]:
    """The response that chunks come to. Pieces of one text are one part."""
    body: dict[str, Any] = {"candidates": []}
    candidates: dict[int, dict[str, Any]] = {}
    for _, chunk in frames:
        for each in chunk.get("candidates", ()):
            said = candidates.setdefault(each["index"], {"content": {"parts": [], "role": "model"}})
            parts = said["content"]["parts"]
            for part in each.get("content", {}).get("parts", ()):
                _add(parts, part)
            said.update((key, value) for key, value in each.items() if key != "content")
        body.update((key, value) for key, value in chunk.items() if key != "candidates")
    body["candidates"] = [candidates[index] for index in sorted(candidates)]
    return body


def _add(parts: list[dict[str, Any]], part: dict[str, Any]) -> None:
    """One more part: an empty text says nothing, a signature closes the part that it stands on."""
    if part == {"text": ""}:
        return
    last = parts[-1] if parts else {}
    if (
        "text" in part
        and "text" in last
        and "thoughtSignature" not in last
        and part.get("thought") == last.get("thought")
    ):
        parts[-1] = {**last, **part, "text": last["text"] + part["text"]}
    else:
        parts.append(part)
