"""Where calls stand in chunks of Gemini's, for the bends of that wire."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.wire.encode.base import Frame

__all__ = ["Spot", "calls", "candidates", "like", "parts", "pruned"]


class Spot(NamedTuple):
    """One part with a `functionCall`: the place of its frame, its candidate, and itself."""

    place: int
    candidate: dict[str, Any]
    part: dict[str, Any]


def candidates(frames: list[Frame]) -> Iterator[tuple[int, dict[str, Any]]]:
    """All candidates, each with the place of its frame."""
    for place, (_, payload) in enumerate(frames):
        if isinstance(payload, dict):
            for candidate in payload.get("candidates") or ():
                yield place, candidate


def _spots(frames: list[Frame]) -> list[Spot]:
    return [
        Spot(place, candidate, part)
        for place, candidate in candidates(frames)
        for part in (candidate.get("content") or {}).get("parts") or ()
    ]


def parts(frames: list[Frame]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """All parts, each behind its candidate."""
    return [(spot.candidate, spot.part) for spot in _spots(frames)]


def calls(frames: list[Frame]) -> list[list[Spot]]:
    """The parts of each call: the one with its name, and those without a name behind it."""
    found: list[list[Spot]] = []
    for spot in _spots(frames):
        said = spot.part.get("functionCall")
        if not isinstance(said, dict):
            continue
        if not found or _begins(said, found[-1]):
            found.append([])
        found[-1].append(spot)
    return found


def _begins(said: dict[str, Any], before: list[Spot]) -> bool:
    """Whether a part begins a call. The name again, with values, goes on with one that is not over."""
    last = before[-1].part["functionCall"]
    goes_on = last.get("willContinue") is True and "partialArgs" in said
    return bool(said.get("name")) and not (goes_on and said["name"] == before[0].part["functionCall"].get("name"))


def like(frame: Frame, parts: list[dict[str, Any]], candidate: dict[str, Any]) -> Frame:
    """A chunk with other parts, in the envelope of another."""
    event, payload = frame
    envelope = {key: deepcopy(value) for key, value in payload.items() if key not in ("candidates", "usageMetadata")}
    content = {"parts": parts, "role": "model"}
    return event, {"candidates": [{"content": content, "index": candidate.get("index", 0)}], **envelope}


def pruned(frames: list[Frame]) -> list[Frame]:
    """The frames without parts that are empty, and without those that say nothing then."""
    kept: list[Frame] = []
    for event, payload in frames:
        hollow = False
        for candidate in (payload.get("candidates") or ()) if isinstance(payload, dict) else ():
            said = (candidate.get("content") or {}).get("parts")
            if said and not all(said):
                candidate["content"]["parts"] = [part for part in said if part]
                hollow = not candidate["content"]["parts"] and not candidate.get("finishReason")
        if not hollow:
            kept.append((event, payload))
    return kept
