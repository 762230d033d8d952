"""Quirks of Bedrock's ConverseStream, and the exceptions that all of Bedrock's streams can end in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolwire.framing.writers import EXCEPTION
from toolwire.mock.quirks.kit import cut, middle, payloads, quirk, unended

if TYPE_CHECKING:
    from toolwire.mock.quirks import Quirk
    from toolwire.mock.quirks.kit import Bend
    from toolwire.wire.encode.base import Frame

QUIRKS: Final[dict[str, Quirk]] = {}


def _tools(frames: list[Frame]) -> dict[Any, tuple[int, list[int]]]:
    """The blocks of calls: the place of the start, and those of the deltas."""
    found: dict[Any, tuple[int, list[int]]] = {}
    for place, (event, payload) in enumerate(frames):
        if not isinstance(payload, dict):
            continue
        index = payload.get("contentBlockIndex")
        if event == "contentBlockStart" and "toolUse" in (payload.get("start") or {}):
            found[index] = (place, [])
        elif event == "contentBlockDelta" and "toolUse" in (payload.get("delta") or {}) and index in found:
            found[index][1].append(place)
    return found


def _text(frames: list[Frame], deltas: list[int]) -> str:
    return "".join(frames[place][1]["delta"]["toolUse"].get("input") or "" for place in deltas)


def _put(frames: list[Frame], deltas: list[int], text: str) -> None:
    for place, piece in zip(deltas, cut(text, len(deltas)), strict=False):
        frames[place][1]["delta"]["toolUse"]["input"] = piece


def _exception(name: str, message: str) -> Bend:
    """A bend that ends a stream in an exception, in the middle of its first call."""

    def bend(frames: list[Frame]) -> list[Frame]:
        tools = list(_tools(frames).values())
        places = [tools[0][0], *tools[0][1]] if tools else []
        return [*frames[: middle(places, len(frames))], (EXCEPTION + name, {"message": message})]

    return bend


EXCEPTIONS: Final[dict[str, tuple[str, str]]] = {
    "throttling": ("throttlingException", "Too many requests, please wait before trying again."),
    "model-stream-error": ("modelStreamErrorException", "The model produced an invalid sequence."),
    "internal-server": ("internalServerException", "The system encountered an unexpected error."),
}

for _name, (_type, _message) in EXCEPTIONS.items():
    quirk(
        QUIRKS,
        _name,
        f"in the middle of the first call: a frame with the exception `{_type}`, and nothing more",
        "other.md: 6 (exceptions mid-stream; AWS's API reference)",
    )(_exception(_type, _message))


@quirk(QUIRKS, "name-missing", "the start of the first call has no name", "not in the references")
def _name_missing(frames: list[Frame]) -> list[Frame]:
    for start, _ in list(_tools(frames).values())[:1]:
        frames[start][1]["start"]["toolUse"].pop("name", None)
    return frames


@quirk(QUIRKS, "start-missing", "the block of the first call has no start", "not in the references")
def _start_missing(frames: list[Frame]) -> list[Frame]:
    starts = [start for start, _ in _tools(frames).values()]
    return [frame for place, frame in enumerate(frames) if place not in starts[:1]]


@quirk(QUIRKS, "block-stop-missing", "no `contentBlockStop`", "other.md: 6 (trimmed fixtures)")
def _stop_missing(frames: list[Frame]) -> list[Frame]:
    return unended(frames, "contentBlockStop")


@quirk(QUIRKS, "metadata-missing", "no `metadata`", "not in the references")
def _metadata_missing(frames: list[Frame]) -> list[Frame]:
    return unended(frames, "metadata")


@quirk(QUIRKS, "metadata-first", "`metadata` stands before `messageStop`", "other.md: 6 (trimmed fixtures)")
def _metadata_first(frames: list[Frame]) -> list[Frame]:
    metadata = [frame for frame in frames if frame[0] == "metadata"]
    rest = unended(frames, "metadata")
    stop = next((place for place, frame in enumerate(rest) if frame[0] == "messageStop"), len(rest))
    return rest[:stop] + metadata + rest[stop:]


@quirk(QUIRKS, "message-stop-missing", "no `messageStop`", "other.md: 0 (end of bytes)")
def _message_stop_missing(frames: list[Frame]) -> list[Frame]:
    return unended(frames, "messageStop", "metadata")


@quirk(QUIRKS, "first-delta-empty", "the first delta of each call is empty", "other.md: 6 (Claude)")
def _first_delta_empty(frames: list[Frame]) -> list[Frame]:
    starts = {start: index for index, (start, _) in _tools(frames).items()}
    out: list[Frame] = []
    for place, frame in enumerate(frames):
        out.append(frame)
        if place in starts:
            delta = {"toolUse": {"input": ""}}
            out.append(("contentBlockDelta", {"contentBlockIndex": starts[place], "delta": delta}))
    return out


@quirk(QUIRKS, "input-empty", 'a call without arguments has one delta, with ""', "other.md: 6 (Claude)")
def _input_empty(frames: list[Frame]) -> list[Frame]:
    for _, deltas in _tools(frames).values():
        if _text(frames, deltas) == "{}":
            _put(frames, deltas, "")
    return frames


@quirk(QUIRKS, "input-pretty", "arguments are spread over lines", "other.md: 6 (Cohere on Bedrock)")
def _input_pretty(frames: list[Frame]) -> list[Frame]:
    for _, deltas in _tools(frames).values():
        try:
            value = json.loads(_text(frames, deltas) or "{}")
        except ValueError:  # only what is whole can be written otherwise
            continue
        _put(frames, deltas, json.dumps(value, indent=4, ensure_ascii=False))
    return frames


@quirk(
    QUIRKS,
    "malformed-tool-use",
    "the stop reason is `malformed_tool_use`",
    "other.md: 6 (opencode#46193)",
)
def _malformed(frames: list[Frame]) -> list[Frame]:
    for payload in payloads(frames):
        if payload.get("stopReason") == "tool_use":
            payload["stopReason"] = "malformed_tool_use"
    return frames


@quirk(QUIRKS, "padding", "`p`, of any length, stands beside everything", "other.md: 6 (Bedrock, all recordings)")
def _padding(frames: list[Frame]) -> list[Frame]:
    for place, payload in enumerate(payloads(frames)):
        payload["p"] = "abcdefghijklmnopqrstuvwxyz"[: place % 26 + 1]
    return frames
