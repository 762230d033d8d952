"""Quirks of Gemini: where ids, arguments and the finish reason stand, beside those of streamed arguments."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from toolwire.mock.quirks import gemini_partial
from toolwire.mock.quirks.gemini_parts import calls, candidates, like, parts, pruned
from toolwire.mock.quirks.kit import middle, payloads, quirk

if TYPE_CHECKING:
    from toolwire.mock.quirks import Quirk
    from toolwire.wire.encode.base import Frame

QUIRKS: Final[dict[str, Quirk]] = {}

_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz"


@quirk(QUIRKS, "ids", "calls have ids of eight characters", "other.md: 2 (Gemini 3 Flash, 3.1 and later)")
def _ids(frames: list[Frame]) -> list[Frame]:
    for number, call in enumerate(calls(frames)):
        call[0].part["functionCall"]["id"] = f"{_ALPHABET[number % 26]}{number:07d}"
    return frames


@quirk(QUIRKS, "ids-missing", "calls have no ids", "other.md: 2 (Gemini 2, gemini-3-pro-preview)")
def _ids_missing(frames: list[Frame]) -> list[Frame]:
    for _, part in parts(frames):
        part.get("functionCall", {}).pop("id", None)
    return frames


@quirk(QUIRKS, "calls-in-one-chunk", "all calls are in one chunk", "other.md: 2 (6 recordings)")
def _one_chunk(frames: list[Frame]) -> list[Frame]:
    found = calls(frames)
    if len(found) < 2:
        return frames
    together = [deepcopy(spot.part) for call in found for spot in call]
    first = found[0][0]
    for call in found:
        for spot in call:
            spot.part.clear()
    first.candidate["content"]["parts"] = [part for part in first.candidate["content"]["parts"] if part] + together
    return pruned(frames)


@quirk(
    QUIRKS,
    "call-in-two-parts",
    "a call comes with `{}` for its args, which follow in a part without a name",
    "other.md: 2 (vscode-unify-chat-provider#48)",
)
def _two_parts(frames: list[Frame]) -> list[Frame]:
    more: dict[int, list[Frame]] = {}
    for call in calls(frames):
        said = call[0].part["functionCall"]
        if said.get("args"):
            added = like(frames[call[0].place], [{"functionCall": {"args": said["args"]}}], call[0].candidate)
            more.setdefault(call[0].place, []).append(added)
            said["args"] = {}
    return [each for place, frame in enumerate(frames) for each in (frame, *more.get(place, ()))]


@quirk(
    QUIRKS, "args-missing", "a call without arguments has no `args`", "other.md: 2 (to be tolerated; in no recording)"
)
def _args_missing(frames: list[Frame]) -> list[Frame]:
    for _, part in parts(frames):
        if part.get("functionCall", {}).get("args") == {}:
            del part["functionCall"]["args"]
    return frames


@quirk(QUIRKS, "finish-with-call", "`STOP` stands in the chunk of the last call", "other.md: 2 (24 recordings)")
def _finish_with_call(frames: list[Frame]) -> list[Frame]:
    found = calls(frames)
    for place, candidate in candidates(frames):
        if candidate.get("finishReason") and found and place > found[-1][-1].place:
            target = found[-1][-1].place
            found[-1][-1].candidate["finishReason"] = candidate["finishReason"]
            rest = {key: each for key, each in frames[place][1].items() if key != "candidates"}
            frames[target][1].update(rest)
            return frames[:place] + frames[place + 1 :]
    return frames


@quirk(QUIRKS, "finish-alone", "the chunk with `STOP` has no content", "other.md: 2 (a later chunk with no content)")
def _finish_alone(frames: list[Frame]) -> list[Frame]:
    for _, candidate in candidates(frames):
        said = [part for part in (candidate.get("content") or {}).get("parts") or () if part != {"text": ""}]
        if candidate.get("finishReason") and not said:
            candidate.pop("content", None)
    return frames


@quirk(
    QUIRKS,
    "finish-message",
    "a `finishMessage` beside `STOP` says that there are calls",
    "other.md: 2 (finishMessage)",
)
def _finish_message(frames: list[Frame]) -> list[Frame]:
    for _, candidate in candidates(frames):
        if candidate.get("finishReason") and calls(frames):
            candidate["finishMessage"] = "Model generated function call(s)."
    return frames


@quirk(QUIRKS, "text-behind", "text, and `STOP` again, follow `STOP`", "other.md: 2 (finishReason is not the end)")
def _text_behind(frames: list[Frame]) -> list[Frame]:
    for place, candidate in candidates(frames):
        if candidate.get("finishReason") == "STOP":
            added = like(frames[place], [{"text": "There."}], candidate)
            added[1]["candidates"][0]["finishReason"] = "STOP"
            return [*frames[: place + 1], added, *frames[place + 1 :]]
    return frames


@quirk(
    QUIRKS,
    "malformed-function-call",
    "no call comes, but a chunk without content that has the finish reason `MALFORMED_FUNCTION_CALL`",
    "other.md: 2 (Gemini CLI)",
)
def _malformed(frames: list[Frame]) -> list[Frame]:
    found = calls(frames)
    if not found:
        return frames
    for call in found:
        for spot in call:
            spot.part.clear()
    for _, candidate in candidates(frames):
        if candidate.get("finishReason"):
            candidate.pop("content", None)
            candidate["finishReason"] = "MALFORMED_FUNCTION_CALL"
            candidate["finishMessage"] = "Malformed function call: print(default_api.find("
    return pruned(frames)


@quirk(QUIRKS, "signature-first", "only the first call has a `thoughtSignature`", "other.md: 2 (9 recordings)")
def _signature_first(frames: list[Frame]) -> list[Frame]:
    for call in calls(frames)[:1]:
        call[0].part["thoughtSignature"] = "c2lnbmF0dXJl"
    return frames


@quirk(
    QUIRKS,
    "signature-behind",
    "the `thoughtSignature` is on the empty text at the end",
    "other.md: 2 (3 recordings)",
)
def _signature_behind(frames: list[Frame]) -> list[Frame]:
    for candidate, part in parts(frames):
        if candidate.get("finishReason") and part.get("text") == "":
            part["thoughtSignature"] = "c2lnbmF0dXJl"
    return frames


@quirk(QUIRKS, "usage-on-every-chunk", "each chunk has the usage so far", "half of the recordings of Gemini")
def _usage_everywhere(frames: list[Frame]) -> list[Frame]:
    told = [payload["usageMetadata"] for payload in payloads(frames) if payload.get("usageMetadata")]
    last = told[-1] if told else {}
    chunks = [payload for payload in payloads(frames) if "candidates" in payload]
    asked, said = last.get("promptTokenCount") or 0, last.get("candidatesTokenCount") or 0
    for place, payload in enumerate(chunks, 1):
        now = said * place // len(chunks)
        counts = {"promptTokenCount": asked, "candidatesTokenCount": now, "totalTokenCount": asked + now}
        payload["usageMetadata"] = {**last, **counts} if place == len(chunks) else counts
    return frames


@quirk(
    QUIRKS,
    "error",
    "behind the first call: an `error`, and nothing more",
    "other.md: 2 (mid-stream error)",
)
def _error(frames: list[Frame]) -> list[Frame]:
    found = calls(frames)
    at = middle([spot.place for spot in found[0]] if found else [], len(frames))
    error: dict[str, Any] = {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}
    return [*frames[:at], ("", {"error": error})]


QUIRKS.update(gemini_partial.QUIRKS)
