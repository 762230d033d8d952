"""Quirks of Gemini's streamed arguments (`partialArgs`): how such a call ends. In other answers they change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolwire.mock.quirks.gemini_parts import Spot, calls, pruned
from toolwire.mock.quirks.kit import quirk

if TYPE_CHECKING:
    from toolwire.mock.quirks import Quirk
    from toolwire.wire.encode.base import Frame

QUIRKS: Final[dict[str, Quirk]] = {}


def _streamed(frames: list[Frame]) -> list[list[Spot]]:
    """The calls whose arguments are streamed."""
    return [call for call in calls(frames) if len(call) > 1 or "partialArgs" in _said(call[0])]


def _said(spot: Spot) -> dict[str, Any]:
    found: dict[str, Any] = spot.part["functionCall"]
    return found


def _drop_end(call: list[Spot]) -> Spot:
    """Take the empty part away that ends a call; the part that is its last then."""
    if len(call) > 1 and _said(call[-1]) == {}:
        call[-1].part.clear()
        return call[-2]
    return call[-1]


@quirk(
    QUIRKS,
    "partial-end-empty",
    "streamed calls end with an empty `functionCall`",
    "other.md: 3.2 (Vertex, 6 recordings)",
)
def _end_empty(frames: list[Frame]) -> list[Frame]:
    return frames  # the form that our encoder writes


@quirk(
    QUIRKS,
    "partial-end-false",
    "the last part of a streamed call has `willContinue: false`",
    "other.md: 3.2 (documented)",
)
def _end_false(frames: list[Frame]) -> list[Frame]:
    for call in _streamed(frames):
        _said(_drop_end(call))["willContinue"] = False
    return pruned(frames)


@quirk(
    QUIRKS,
    "partial-end-unsaid",
    "the last part of a streamed call has no `willContinue`; one without arguments is just a name",
    "other.md: 3.2 (Vertex: an array that ends in a number; a call without arguments)",
)
def _end_unsaid(frames: list[Frame]) -> list[Frame]:
    for call in _streamed(frames):
        _said(_drop_end(call)).pop("willContinue", None)
    return pruned(frames)


@quirk(
    QUIRKS,
    "partial-end-next",
    "a streamed call ends where the next begins, and only the last has an end",
    "other.md: 3.5 (c)",
)
def _end_next(frames: list[Frame]) -> list[Frame]:
    for call in _streamed(frames)[:-1]:
        _drop_end(call)
    return pruned(frames)


@quirk(
    QUIRKS,
    "partial-end-stream",
    "the last streamed call has no end but `STOP` and that of the stream",
    "other.md: 3.2 (vercel#14358)",
)
def _end_stream(frames: list[Frame]) -> list[Frame]:
    for call in _streamed(frames)[-1:]:
        _drop_end(call)
    return pruned(frames)


@quirk(
    QUIRKS,
    "partial-single",
    "the name and all values of a call are in one part",
    "other.md: 3.2 (Vertex: two numbers in one chunk)",
)
def _single(frames: list[Frame]) -> list[Frame]:
    for call in _streamed(frames):
        updates = [update for spot in call for update in _said(spot).get("partialArgs") or ()]
        _said(call[0]).pop("willContinue", None)
        if updates:
            _said(call[0])["partialArgs"] = updates
        for spot in call[1:]:
            spot.part.clear()
    return pruned(frames)


@quirk(
    QUIRKS,
    "partial-name-repeated",
    "each part with values has the name again",
    "other.md: 3.5 (Google's own history fixture)",
)
def _name_repeated(frames: list[Frame]) -> list[Frame]:
    for call in _streamed(frames):
        for spot in call[1:]:
            if "partialArgs" in _said(spot):
                spot.part["functionCall"] = {"name": _said(call[0]).get("name"), **_said(spot)}
    return frames


@quirk(
    QUIRKS,
    "partial-last-text",
    "the last piece of a string has text, instead of an empty one behind it",
    "other.md: 3.3 (documented)",
)
def _last_text(frames: list[Frame]) -> list[Frame]:
    for call in _streamed(frames):
        before: dict[str, Any] = {}
        for spot in call:
            kept = []
            for update in _said(spot).get("partialArgs") or ():
                ends = update.get("stringValue") == "" and not update.get("willContinue")
                if ends and before.get("willContinue") and before.get("jsonPath") == update.get("jsonPath"):
                    del before["willContinue"]
                else:
                    kept.append(update)
                before = update
            if "partialArgs" in _said(spot):
                _said(spot)["partialArgs"] = kept
                if not kept and _said(spot).get("willContinue"):
                    spot.part.clear()
    return pruned(frames)
