"""Quirks of Ollama's own chat, old and new."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from toolwire.encoding import encode
from toolwire.mock.quirks.kit import payloads, quirk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.mock.quirks import Quirk
    from toolwire.wire.encode.base import Frame

QUIRKS: Final[dict[str, Quirk]] = {}


def _calls(frames: list[Frame]) -> Iterator[dict[str, Any]]:
    for payload in payloads(frames):
        yield from (payload.get("message") or {}).get("tool_calls") or ()


def _lines(frames: list[Frame]) -> list[int]:
    """The places of the lines with calls."""
    return [
        place
        for place, (_, payload) in enumerate(frames)
        if isinstance(payload, dict) and (payload.get("message") or {}).get("tool_calls")
    ]


def _last(frames: list[Frame]) -> dict[str, Any] | None:
    """The line that says `done`."""
    return next((payload for payload in payloads(frames) if payload.get("done") is True), None)


@quirk(QUIRKS, "id-missing", "calls have neither an id nor an index", "other.md: 10 (older Ollama)")
def _id_missing(frames: list[Frame]) -> list[Frame]:
    for call in _calls(frames):
        call.pop("id", None)
        call["function"].pop("index", None)
    return frames


@quirk(
    QUIRKS,
    "index-from-second",
    "the first call has no index, and the second has 1",
    "other.md: 10 (prism_stream_with_tools_1)",
)
def _index_from_second(frames: list[Frame]) -> list[Frame]:
    for call in list(_calls(frames))[:1]:
        call["function"].pop("index", None)
    return frames


@quirk(QUIRKS, "arguments-text", "arguments are JSON text instead of an object", "not in the references")
def _arguments_text(frames: list[Frame]) -> list[Frame]:
    for call in _calls(frames):
        arguments = call["function"].get("arguments")
        if isinstance(arguments, dict):
            call["function"]["arguments"] = encode(arguments)
    return frames


@quirk(
    QUIRKS,
    "arguments-missing",
    "a call without arguments has no `arguments`",
    "other.md: 10 (a fixture of Semantic Kernel's)",
)
def _arguments_missing(frames: list[Frame]) -> list[Frame]:
    for call in _calls(frames):
        if call["function"].get("arguments") == {}:
            del call["function"]["arguments"]
    return frames


@quirk(QUIRKS, "arguments-reordered", "the keys of arguments come in another order", "other.md: 10 (key order)")
def _arguments_reordered(frames: list[Frame]) -> list[Frame]:
    for call in _calls(frames):
        arguments = call["function"].get("arguments")
        if isinstance(arguments, dict):
            call["function"]["arguments"] = dict(reversed(json.loads(encode(arguments)).items()))
    return frames


@quirk(QUIRKS, "calls-in-one-line", "all calls are in one line", "other.md: 10 (a fixture of Semantic Kernel's)")
def _one_line(frames: list[Frame]) -> list[Frame]:
    places = _lines(frames)
    if not places:
        return frames
    frames[places[0]][1]["message"]["tool_calls"] = list(_calls(frames))
    return [frame for place, frame in enumerate(frames) if place not in places[1:]]


@quirk(
    QUIRKS,
    "calls-in-done-line",
    "all calls are in the line that says `done`",
    "other.md: 10 (a fixture of Semantic Kernel's)",
)
def _done_line(frames: list[Frame]) -> list[Frame]:
    last = _last(frames)
    if last is None:
        return frames
    places = [place for place in _lines(frames) if frames[place][1] is not last]
    found = list(_calls(frames))
    if found:
        last.setdefault("message", {"role": "assistant", "content": ""})["tool_calls"] = found
    return [frame for place, frame in enumerate(frames) if place not in places]


@quirk(
    QUIRKS,
    "calls-repeated",
    "the line that says `done` has all calls again, with their ids",
    "not in the references",
)
def _repeated(frames: list[Frame]) -> list[Frame]:
    last = _last(frames)
    found = deepcopy(list(_calls(frames)))
    if last is not None and found:
        last.setdefault("message", {"role": "assistant", "content": ""})["tool_calls"] = found
    return frames


@quirk(QUIRKS, "done-reason-missing", "no `done_reason`", "not in the references")
def _reason_missing(frames: list[Frame]) -> list[Frame]:
    for payload in payloads(frames):
        payload.pop("done_reason", None)
    return frames


@quirk(QUIRKS, "done-missing", "no line says `done`", "other.md: 0 (end of bytes)")
def _done_missing(frames: list[Frame]) -> list[Frame]:
    last = _last(frames)
    return [frame for frame in frames if frame[1] is not last]


@quirk(QUIRKS, "error", "behind the first call: a line with an error, and nothing more", "other.md: 10 (documented)")
def _error(frames: list[Frame]) -> list[Frame]:
    places = _lines(frames)
    at = places[0] + 1 if places else len(frames) // 2
    return [*frames[:at], ("", {"error": "an error was encountered while running the model: unexpected EOF"})]
