"""Quirks of OpenAI Chat's compatible servers: finish reasons, usage, terminators, errors, and what stands around."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from toolwire.mock.quirks.chat import calls, choices, chunk, finishes, spots, without
from toolwire.mock.quirks.kit import middle, payloads, quirk

if TYPE_CHECKING:
    from toolwire.mock.quirks import Quirk
    from toolwire.wire.encode.base import Frame

QUIRKS: Final[dict[str, Quirk]] = {}

_DONE: Final = "[DONE]"


@quirk(
    QUIRKS,
    "finish-missing",
    "no finish reason, but `[DONE]`",
    "openai_shaped.md: 2.4 (Novita, edited recordings), docs/quirks.md: FIN-05",
)
def _finish_missing(frames: list[Frame]) -> list[Frame]:
    for _, choice in finishes(frames):
        choice["finish_reason"] = None
    return frames


@quirk(
    QUIRKS,
    "finish-stop",
    'the finish reason is "stop" although there are calls',
    "openai_shaped.md: 2.4 (OpenAI with a forced tool, Ollama, Gemini's endpoint, vLLM)",
)
def _finish_stop(frames: list[Frame]) -> list[Frame]:
    for _, choice in finishes(frames):
        if choice["finish_reason"] == "tool_calls":
            choice["finish_reason"] = "stop"
    return frames


def _finish_again(frames: list[Frame], reason: str | None) -> list[Frame]:
    out: list[Frame] = []
    found = dict(finishes(frames))
    for place, frame in enumerate(frames):
        out.append(frame)
        if place in found:
            choice = found[place]
            out.append(chunk(frame, choice.get("index"), {}, reason or choice["finish_reason"]))
    return out


@quirk(
    QUIRKS,
    "finish-twice",
    "the finish reason comes twice",
    "openai_shaped.md: 2.4 (OpenRouter, Doubleword, Avian, z.ai)",
)
def _finish_twice(frames: list[Frame]) -> list[Frame]:
    return _finish_again(frames, None)


@quirk(QUIRKS, "finish-then-stop", '"stop" follows the finish reason', "openai_shaped.md: 2.4 (Gemini on OpenRouter)")
def _finish_then_stop(frames: list[Frame]) -> list[Frame]:
    return _finish_again(frames, "stop")


@quirk(
    QUIRKS,
    "finish-per-call",
    "the last delta of each call has the finish reason, and more calls follow",
    "openai_shaped.md: 2.4 (Together)",
)
def _finish_per_call(frames: list[Frame]) -> list[Frame]:
    found = calls(frames)
    moved = {place for place, choice in finishes(frames) if choice["finish_reason"] == "tool_calls"}
    if not found or not moved:
        return frames
    for call in found:
        call[-1].choice["finish_reason"] = "tool_calls"
    return without(frames, moved - {call[-1].place for call in found})


@quirk(QUIRKS, "finish-empty", 'the finish reason is "" until it comes', "openai_shaped.md: 2.4 (gateways)")
def _finish_empty(frames: list[Frame]) -> list[Frame]:
    for _, choice in choices(frames):
        choice["finish_reason"] = choice.get("finish_reason") or ""
    return frames


@quirk(
    QUIRKS,
    "finish-absent",
    "there is no `finish_reason` until it comes",
    "openai_shaped.md: 2.4 (xAI, Azure-hosted Grok, Cerebras, z.ai, GitHub Copilot)",
)
def _finish_absent(frames: list[Frame]) -> list[Frame]:
    for _, choice in choices(frames):
        if not choice.get("finish_reason"):
            choice.pop("finish_reason", None)
    return frames


@quirk(QUIRKS, "done-missing", "no `[DONE]`", "openai_shaped.md: 1.3 (Cerebras, Writer)")
def _done_missing(frames: list[Frame]) -> list[Frame]:
    return [frame for frame in frames if frame[1] != _DONE]


@quirk(QUIRKS, "end-missing", "neither a finish reason nor `[DONE]`", "openai_shaped.md: 2.4 (TGI)")
def _end_missing(frames: list[Frame]) -> list[Frame]:
    return _done_missing(_finish_missing(frames))


@quirk(QUIRKS, "usage-on-every-chunk", "each chunk has the usage so far", "openai_shaped.md: 1.3 (Databricks)")
def _usage_everywhere(frames: list[Frame]) -> list[Frame]:
    told = [payload["usage"] for payload in payloads(frames) if isinstance(payload.get("usage"), dict)]
    last = told[-1] if told else {"prompt_tokens": 0, "completion_tokens": 0}
    asked, said = last.get("prompt_tokens") or 0, last.get("completion_tokens") or 0
    chunks = [payload for payload in payloads(frames) if "choices" in payload]
    for place, payload in enumerate(chunks, 1):
        now = said * place // len(chunks)
        payload["usage"] = {"prompt_tokens": asked, "completion_tokens": now, "total_tokens": asked + now}
    return frames


@quirk(QUIRKS, "usage-missing", "no usage", "recordings of Together and GitHub Copilot")
def _usage_missing(frames: list[Frame]) -> list[Frame]:
    kept = [frame for frame in frames if not (isinstance(frame[1], dict) and _is_usage(frame[1]))]
    for payload in payloads(kept):
        payload.pop("usage", None)
    return kept


def _is_usage(payload: dict[str, Any]) -> bool:
    return payload.get("choices") == [] and bool(payload.get("usage"))


@quirk(
    QUIRKS,
    "usage-in-choice",
    "the usage stands in the choice that finishes",
    "https://github.com/earendil-works/pi/issues/2017 (Moonshot)",
)
def _usage_in_choice(frames: list[Frame]) -> list[Frame]:
    told = [payload["usage"] for payload in payloads(frames) if payload.get("usage")]
    found = finishes(frames)
    if not told or not found:
        return frames
    found[-1][1]["usage"] = told[-1]
    return _usage_missing(frames)


@quirk(QUIRKS, "content-empty", 'each delta of a call has `content: ""`', "recordings of Ollama and Venice")
def _content_empty(frames: list[Frame]) -> list[Frame]:
    for spot in spots(frames):
        spot.choice["delta"]["content"] = ""
    return frames


@quirk(
    QUIRKS, "role-on-every-chunk", "each delta has the role", "openai_shaped.md: 2.5 (OpenRouter, Ollama, Databricks)"
)
def _role_everywhere(frames: list[Frame]) -> list[Frame]:
    for _, choice in choices(frames):
        choice.setdefault("delta", {})["role"] = "assistant"
    return frames


@quirk(
    QUIRKS,
    "text-behind",
    "a line break for text follows the calls",
    "openai_shaped.md: 1.2 (Gemini on OpenRouter)",
)
def _text_behind(frames: list[Frame]) -> list[Frame]:
    found = calls(frames)
    if not found:
        return frames
    last = found[-1][-1]
    added = chunk(frames[last.place], last.choice.get("index"), {"content": "\n"})
    return [*frames[: last.place + 1], added, *frames[last.place + 1 :]]


@quirk(QUIRKS, "message-beside-delta", "`message` repeats what `delta` says", "openai_shaped.md: 2.5 (Writer)")
def _message_beside(frames: list[Frame]) -> list[Frame]:
    for _, choice in choices(frames):
        choice["message"] = deepcopy(choice.get("delta") or {})
    return frames


@quirk(
    QUIRKS,
    "filter-chunks",
    "a chunk without choices or an id comes first, and one with a choice that has no `delta` after each call",
    "openai_shaped.md: 2.5 (Azure, GitHub Copilot)",
)
def _filter_chunks(frames: list[Frame]) -> list[Frame]:
    ends = {call[-1].place: call[-1].choice.get("index") for call in calls(frames)}
    first = {"id": "", "object": "", "created": 0, "model": "", "choices": [], "prompt_filter_results": []}
    out: list[Frame] = [("", first)]
    for place, frame in enumerate(frames):
        out.append(frame)
        if place in ends:
            filtered = {"index": ends[place], "finish_reason": None, "content_filter_offsets": {"check_offset": 0}}
            out.append(("", {**first, "choices": [filtered]}))
    return out


def _broken_off(frames: list[Frame]) -> tuple[list[Frame], Any]:
    """The frames up to the middle of the first call, and the index of its choice."""
    found = calls(frames)
    at = middle([spot.place for spot in found[0]] if found else [], len(frames))
    return frames[:at], found[0][0].choice.get("index") if found else 0


@quirk(
    QUIRKS,
    "error-finish",
    'in the middle of a call: an `error` beside the choices, whose finish reason is "error", then `[DONE]`',
    "https://openrouter.ai/docs/api/reference/errors-and-debugging",
)
def _error_finish(frames: list[Frame]) -> list[Frame]:
    kept, index = _broken_off(frames)
    payload = {
        "id": "",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "",
        "error": {"code": 502, "message": "the provider disconnected"},
        "choices": [{"index": index, "delta": {"content": ""}, "finish_reason": "error"}],
    }
    return [*kept, ("", payload), ("", _DONE)]


@quirk(
    QUIRKS,
    "error-event",
    "in the middle of a call: an `error` event, and neither a finish reason nor `[DONE]`",
    "openai_shaped.md: 1.4 (Groq)",
)
def _error_event(frames: list[Frame]) -> list[Frame]:
    error = {
        "message": "Failed to call a function. Please adjust your prompt.",
        "type": "invalid_request_error",
        "code": "tool_use_failed",
        "failed_generation": "<function=",
        "status_code": 400,
    }
    return [*_broken_off(frames)[0], ("error", {"error": error})]


@quirk(
    QUIRKS,
    "error-alone",
    "in the middle of a call: an `error` and nothing more",
    "openai_shaped.md: 1.4 (OpenAI style)",
)
def _error_alone(frames: list[Frame]) -> list[Frame]:
    error = {"message": "The server had an error", "type": "server_error", "param": None, "code": None}
    return [*_broken_off(frames)[0], ("", {"error": error})]
