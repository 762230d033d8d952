"""Quirks of servers that copy OpenAI's Responses, and of OpenAI's own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolwire.mock.quirks.kit import in_turns, kind_of, middle, payloads, quirk, unended

if TYPE_CHECKING:
    from toolwire.mock.quirks import Quirk
    from toolwire.wire.encode.base import Frame

QUIRKS: Final[dict[str, Quirk]] = {}

_DELTA: Final = "response.function_call_arguments.delta"
_DONE: Final = "response.function_call_arguments.done"
_ADDED: Final = "response.output_item.added"
_ITEM_DONE: Final = "response.output_item.done"
_ENDS: Final = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")


def _is_call(frame: Frame) -> bool:
    payload = frame[1]
    if not isinstance(payload, dict):
        return False
    return kind_of(frame) in (_DELTA, _DONE) or (payload.get("item") or {}).get("type") == "function_call"


def _runs(frames: list[Frame]) -> dict[Any, list[int]]:
    """The places of the events of each call, by its place in the output."""
    runs: dict[Any, list[int]] = {}
    for place, frame in enumerate(frames):
        if _is_call(frame):
            runs.setdefault(frame[1].get("output_index"), []).append(place)
    return runs


def _numbered(frames: list[Frame]) -> list[Frame]:
    """Sequence numbers without gaps, where there are any."""
    for number, payload in enumerate(payloads(frames)):
        if "sequence_number" in payload:
            payload["sequence_number"] = number
    return frames


def _final(frames: list[Frame]) -> list[dict[str, Any]]:
    """The final response, if there is one."""
    return [frame[1]["response"] for frame in frames if kind_of(frame) in _ENDS and isinstance(frame[1], dict)]


@quirk(QUIRKS, "deltas-missing", "arguments come in `.done` first", "openai_shaped.md: 3.3 (LM Studio)")
def _deltas_missing(frames: list[Frame]) -> list[Frame]:
    return _numbered(unended(frames, _DELTA))


@quirk(
    QUIRKS,
    "arguments-in-item",
    "arguments come in `output_item.done` first",
    "https://github.com/lidge-jun/opencodex/pull/4652",
)
def _arguments_in_item(frames: list[Frame]) -> list[Frame]:
    return _numbered(unended(frames, _DELTA, _DONE))


@quirk(
    QUIRKS,
    "calls-in-response",
    "calls come in the final response alone",
    "openai_shaped.md: 3.3 (by the same logic; in no recording)",
)
def _calls_in_response(frames: list[Frame]) -> list[Frame]:
    if not any(response.get("output") for response in _final(frames)):
        return frames
    return _numbered([frame for frame in frames if not _is_call(frame)])


@quirk(QUIRKS, "one-delta", "the arguments of a call are one delta", "openai_shaped.md: 3.3 (xAI)")
def _one_delta(frames: list[Frame]) -> list[Frame]:
    free: set[int] = set()
    for run in _runs(frames).values():
        deltas = [place for place in run if kind_of(frames[place]) == _DELTA]
        if deltas:
            frames[deltas[0]][1]["delta"] = "".join(frames[place][1]["delta"] for place in deltas)
            free.update(deltas[1:])
    return _numbered([frame for place, frame in enumerate(frames) if place not in free])


@quirk(
    QUIRKS,
    "items-overlap",
    "the items of all calls are open at once, and their deltas take turns",
    "openai_shaped.md: 3.1 (xAI), https://github.com/can1357/oh-my-pi/pull/1882 (llama.cpp)",
)
def _items_overlap(frames: list[Frame]) -> list[Frame]:
    runs = list(_runs(frames).values())
    if not runs:
        return frames
    moved = {place for run in runs for place in run}
    turns = in_turns([[frames[place] for place in run] for run in runs])
    added = [frame for frame in turns if kind_of(frame) == _ADDED]
    rest = [frame for frame in turns if kind_of(frame) != _ADDED]
    before = [frame for place, frame in enumerate(frames) if place < min(moved)]
    behind = [frame for place, frame in enumerate(frames) if place > min(moved) and place not in moved]
    return _numbered(before + added + rest + behind)


@quirk(
    QUIRKS,
    "item-ids-rotating",
    "each event has another item id",
    "https://github.com/BerriAI/litellm/issues/30071, https://github.com/vercel/ai/pull/18548 (GitHub Copilot)",
)
def _item_ids_rotating(frames: list[Frame]) -> list[Frame]:
    for number, payload in enumerate(payloads(frames)):
        _put_id(payload, f"item_{number}")
        for place, item in enumerate((payload.get("response") or {}).get("output") or ()):
            item["id"] = f"item_{number}_{place}"
    return frames


@quirk(QUIRKS, "item-ids-empty", 'item ids are ""', "openai_shaped.md: 3.3 (gateways, in generated snapshots)")
def _item_ids_empty(frames: list[Frame]) -> list[Frame]:
    for payload in payloads(frames):
        _put_id(payload, "")
        for item in (payload.get("response") or {}).get("output") or ():
            item["id"] = ""
    return frames


def _put_id(payload: dict[str, Any], id: str) -> None:
    if "item_id" in payload:
        payload["item_id"] = id
    if isinstance(payload.get("item"), dict):
        payload["item"]["id"] = id


@quirk(
    QUIRKS,
    "type-missing",
    "no `type` in the JSON, just the event's name",
    "openai_shaped.md: 3.1 (the event's name equals it)",
)
def _type_missing(frames: list[Frame]) -> list[Frame]:
    for payload in payloads(frames):
        payload.pop("type", None)
    return frames


@quirk(QUIRKS, "event-missing", "events have no names", "openai_shaped.md: 3.3 (Bedrock mantle, OpenRouter)")
def _event_missing(frames: list[Frame]) -> list[Frame]:
    return [("", payload) for _, payload in frames]


@quirk(QUIRKS, "output-empty", "the final response has no output", "openai_shaped.md: 3.3 (ChatGPT's Codex backend)")
def _output_empty(frames: list[Frame]) -> list[Frame]:
    for response in _final(frames):
        response["output"] = []
    return frames


@quirk(
    QUIRKS,
    "arguments-object",
    "arguments are an object, in `.done` and whatever follows, and there are no deltas",
    "not in the references",
)
def _arguments_object(frames: list[Frame]) -> list[Frame]:
    kept = unended(frames, _DELTA)
    holders = [frame[1] for frame in kept if kind_of(frame) == _DONE]
    holders += [payload["item"] for payload in payloads(kept) if (payload.get("item") or {}).get("arguments")]
    holders += [item for response in _final(kept) for item in response.get("output") or () if item.get("arguments")]
    for holder in holders:
        try:
            holder["arguments"] = json.loads(holder["arguments"])
        except (TypeError, ValueError):  # only what is whole can be an object
            continue
    return _numbered(kept)


@quirk(
    QUIRKS,
    "copies-differ",
    "`.done` and whatever follows have other arguments than the deltas of the first call",
    "docs/quirks.md: openai-responses (gateways)",
)
def _copies_differ(frames: list[Frame]) -> list[Frame]:
    ids = [frame[1]["item"].get("call_id") for frame in frames if _is_call(frame) and "item" in frame[1]]
    for place in next(iter(_runs(frames).values()), []):
        payload = frames[place][1]
        if kind_of(frames[place]) == _DONE:
            payload["arguments"] = "{}"
        elif kind_of(frames[place]) == _ITEM_DONE:
            payload["item"]["arguments"] = "{}"
    for response in _final(frames):
        for item in response.get("output") or ():
            if item.get("type") == "function_call" and item.get("call_id") in ids[:1]:
                item["arguments"] = "{}"
    return frames


@quirk(
    QUIRKS,
    "sequence-missing",
    "no `sequence_number`",
    "not in the references",
)
def _sequence_missing(frames: list[Frame]) -> list[Frame]:
    for payload in payloads(frames):
        payload.pop("sequence_number", None)
    return frames


@quirk(
    QUIRKS,
    "item-in-progress",
    'a call\'s item is "in_progress" at its end',
    "openai_shaped.md: 3.3 (OpenAI's programmatic tool calling)",
)
def _item_in_progress(frames: list[Frame]) -> list[Frame]:
    for frame in frames:
        if kind_of(frame) == _ITEM_DONE and _is_call(frame):
            frame[1]["item"]["status"] = "in_progress"
    return frames


@quirk(QUIRKS, "done-behind", "`[DONE]` follows the final response", "openai_shaped.md: 3.1 (OpenRouter)")
def _done_behind(frames: list[Frame]) -> list[Frame]:
    return [*frames, ("", "[DONE]")]


@quirk(QUIRKS, "final-missing", "no final response", "openai_shaped.md: 3.2 (cut connection)")
def _final_missing(frames: list[Frame]) -> list[Frame]:
    return unended(frames, *_ENDS)


def _broken_off(frames: list[Frame]) -> list[Frame]:
    """The frames up to the middle of the first call."""
    run = next(iter(_runs(frames).values()), [])
    growing = [place for place in run if kind_of(frames[place]) in (_ADDED, _DELTA)]
    return frames[: middle(growing, len(frames))]


@quirk(
    QUIRKS,
    "error-nested",
    "in the middle of the first call: a nested `error`, then `response.failed`",
    "https://github.com/openai/openai-dotnet/issues/881",
)
def _error_nested(frames: list[Frame]) -> list[Frame]:
    error = {"type": "server_error", "code": "server_error", "message": "The model failed", "param": None}
    kept = _broken_off(frames)
    created: dict[str, Any] = next((payload["response"] for payload in payloads(kept) if "response" in payload), {})
    failed = {**created, "status": "failed", "error": {"code": error["code"], "message": error["message"]}}
    return [
        *kept,
        ("error", {"type": "error", "sequence_number": len(kept), "error": error}),
        ("response.failed", {"type": "response.failed", "sequence_number": len(kept) + 1, "response": failed}),
    ]


@quirk(
    QUIRKS,
    "error-flat",
    "in the middle of the first call: a flat `error`, and nothing more",
    "openai_shaped.md: 3.2 (as documented)",
)
def _error_flat(frames: list[Frame]) -> list[Frame]:
    kept = _broken_off(frames)
    error = {"code": "server_error", "message": "The model failed", "param": None}
    return [*kept, ("error", {"type": "error", "sequence_number": len(kept), **error})]
