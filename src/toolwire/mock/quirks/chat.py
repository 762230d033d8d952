"""Where calls stand in chunks of OpenAI Chat, for the bends of that wire."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from toolwire.mock.quirks.kit import cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.wire.encode.base import Frame

__all__ = [
    "Spot",
    "calls",
    "choices",
    "chunk",
    "finishes",
    "function_calls",
    "later",
    "put",
    "spots",
    "text_of",
    "without",
]

_Key: TypeAlias = tuple[Any, Any]


class Spot(NamedTuple):
    """One entry of `tool_calls`: the place of its frame, its choice, and itself."""

    place: int
    choice: dict[str, Any]
    entry: dict[str, Any]

    @property
    def function(self) -> dict[str, Any]:
        """What has the name and the arguments; an empty object for a custom tool's call."""
        found: dict[str, Any] = self.entry.get("function") or {}
        return found


def choices(frames: list[Frame]) -> Iterator[tuple[int, dict[str, Any]]]:
    """All choices, each with the place of its frame."""
    for place, (_, payload) in enumerate(frames):
        if isinstance(payload, dict):
            for choice in payload.get("choices") or ():
                yield place, choice


def spots(frames: list[Frame]) -> list[Spot]:
    """All entries, in order."""
    return [
        Spot(place, choice, entry)
        for place, choice in choices(frames)
        for entry in (choice.get("delta") or {}).get("tool_calls") or ()
    ]


def calls(frames: list[Frame]) -> list[list[Spot]]:
    """The entries of each call. A new id with a name begins another, since an index may be bent already."""
    found: list[list[Spot]] = []
    latest: dict[_Key, list[Spot]] = {}
    for spot in spots(frames):
        key = (spot.choice.get("index"), spot.entry.get("index"))
        call = latest.get(key)
        own = spot.entry.get("id")
        if call is None or (own and spot.function.get("name") and own != call[0].entry.get("id")):
            call = latest[key] = []
            found.append(call)
        call.append(spot)
    return found


def function_calls(frames: list[Frame]) -> list[list[Spot]]:
    """The same without the calls of custom tools."""
    return [call for call in calls(frames) if call[0].function]


def written_calls(frames: list[Frame]) -> list[list[Spot]]:
    """Those whose arguments are text, and no object already."""
    return [
        call
        for call in function_calls(frames)
        if all(isinstance(spot.function.get("arguments"), str | None) for spot in call)
    ]


def later(frames: list[Frame]) -> list[Spot]:
    """All entries but the first of each call."""
    return [spot for call in calls(frames) for spot in call[1:]]


def finishes(frames: list[Frame]) -> list[tuple[int, dict[str, Any]]]:
    """The choices that have a finish reason."""
    return [(place, choice) for place, choice in choices(frames) if choice.get("finish_reason")]


def text_of(call: list[Spot]) -> str:
    """The argument text of a call."""
    return "".join(spot.function.get("arguments") or "" for spot in call)


def put(call: list[Spot], text: str) -> None:
    """Another argument text, spread over the deltas that had some."""
    having = [spot for spot in call if spot.function.get("arguments")] or call[-1:]
    for spot, piece in zip(having, cut(text, len(having)), strict=True):
        spot.entry.setdefault("function", {})["arguments"] = piece


def chunk(frame: Frame, index: Any, delta: dict[str, Any], reason: str | None = None) -> Frame:
    """A chunk with one choice, in the envelope of another."""
    event, payload = frame
    envelope = {key: deepcopy(value) for key, value in payload.items() if key not in ("choices", "usage")}
    return event, {**envelope, "choices": [{"index": index, "delta": delta, "finish_reason": reason}]}


def without(frames: list[Frame], places: set[int]) -> list[Frame]:
    """The frames but those at some places."""
    return [frame for place, frame in enumerate(frames) if place not in places]
