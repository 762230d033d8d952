"""Quirks of Cohere's chat."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolwire.mock.quirks.kit import cut, middle, payloads, quirk, unended

if TYPE_CHECKING:
    from toolwire.mock.quirks import Quirk
    from toolwire.wire.encode.base import Frame

QUIRKS: Final[dict[str, Quirk]] = {}


def _calls(frames: list[Frame]) -> list[tuple[int, list[int]]]:
    """The calls: the place of the start, and those of the deltas."""
    found: dict[Any, tuple[int, list[int]]] = {}
    for place, (_, payload) in enumerate(frames):
        if not isinstance(payload, dict):
            continue
        if payload.get("type") == "tool-call-start":
            found[payload.get("index")] = (place, [])
        elif payload.get("type") == "tool-call-delta" and payload.get("index") in found:
            found[payload.get("index")][1].append(place)
    return list(found.values())


def _call(frame: Frame) -> dict[str, Any]:
    found: dict[str, Any] = frame[1]["delta"]["message"]["tool_calls"]
    return found


def _text(frames: list[Frame], deltas: list[int]) -> str:
    return "".join(_call(frames[place])["function"].get("arguments") or "" for place in deltas)


@quirk(QUIRKS, "tool-plan", "the text before calls is their plan", "other.md: 8 (tool-plan-delta, 9 recordings)")
def _tool_plan(frames: list[Frame]) -> list[Frame]:
    found = _calls(frames)
    if not found:
        return frames
    out: list[Frame] = []
    for place, (event, payload) in enumerate(frames):
        kind = payload.get("type") if isinstance(payload, dict) else ""
        before = place < found[0][0]
        if before and kind == "content-delta":
            said = payload["delta"]["message"]["content"].get("text")
            out.append(("tool-plan-delta", {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": said}}}))
        elif not (before and kind in ("content-start", "content-end")):
            out.append((event, payload))
    return out


@quirk(
    QUIRKS,
    "type-missing",
    "no `type` in the JSON, just the event's name",
    "not in the references",
)
def _type_missing(frames: list[Frame]) -> list[Frame]:
    for payload in payloads(frames):
        payload.pop("type", None)
    return frames


@quirk(QUIRKS, "arguments-missing", "a call without arguments has no delta", "other.md: 8 (3 recordings)")
def _arguments_missing(frames: list[Frame]) -> list[Frame]:
    free = {place for _, deltas in _calls(frames) if _text(frames, deltas) == "{}" for place in deltas}
    return [frame for place, frame in enumerate(frames) if place not in free]


@quirk(QUIRKS, "arguments-pretty", "arguments are spread over lines", "other.md: 8 (4 recordings)")
def _arguments_pretty(frames: list[Frame]) -> list[Frame]:
    for _, deltas in _calls(frames):
        try:
            text = json.dumps(json.loads(_text(frames, deltas) or "{}"), indent=4, ensure_ascii=False)
        except ValueError:  # only what is whole can be written otherwise
            continue
        for place, piece in zip(deltas, cut(text, len(deltas)), strict=False):
            _call(frames[place])["function"]["arguments"] = piece
    return frames


@quirk(QUIRKS, "id-of-name", "an id begins with its tool's name", "other.md: 8 (`<toolname>_<random>`)")
def _id_of_name(frames: list[Frame]) -> list[Frame]:
    for number, (start, _) in enumerate(_calls(frames)):
        call = _call(frames[start])
        call["id"] = f"{call['function'].get('name')}_{number:012d}"
    return frames


@quirk(
    QUIRKS,
    "error-end",
    "in the middle of the first call: `message-end` with an error",
    "other.md: 8 (documented)",
)
def _error_end(frames: list[Frame]) -> list[Frame]:
    found = _calls(frames)
    at = middle([found[0][0], *found[0][1]] if found else [], len(frames))
    delta = {"finish_reason": "ERROR", "error": "internal error"}
    return [*frames[:at], ("message-end", {"type": "message-end", "delta": delta}), ("", "[DONE]")]


@quirk(QUIRKS, "end-missing", "neither `message-end` nor `[DONE]`", "other.md: 0 (end of bytes)")
def _end_missing(frames: list[Frame]) -> list[Frame]:
    return [frame for frame in unended(frames, "message-end") if frame[1] != "[DONE]"]
