"""Quirks of OpenAI Chat's compatible servers: which call a delta belongs to, by index, id and name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolwire.mock.quirks.chat import calls, chunk, function_calls, later, spots
from toolwire.mock.quirks.kit import cut, in_turns, quirk

if TYPE_CHECKING:
    from toolwire.mock.quirks import Quirk
    from toolwire.wire.encode.base import Frame

QUIRKS: Final[dict[str, Quirk]] = {}


@quirk(
    QUIRKS, "index-missing", "no `index` in any delta", "openai_shaped.md: 2.1 (Mistral, Gemini's endpoint, old Ollama)"
)
def _index_missing(frames: list[Frame]) -> list[Frame]:
    for spot in spots(frames):
        spot.entry.pop("index", None)
    return frames


def _all_indexes(frames: list[Frame], index: int) -> list[Frame]:
    for spot in spots(frames):
        spot.entry["index"] = index
    return frames


@quirk(
    QUIRKS,
    "index-reused",
    "every call has index 0 and an id of its own",
    "openai_shaped.md: 2.1 (Ollama, Gemini's endpoint, SGLang, vLLM, Dynamo, GitHub Copilot)",
)
def _index_reused(frames: list[Frame]) -> list[Frame]:
    return _all_indexes(frames, 0)


@quirk(QUIRKS, "index-minus-1", "every call has index -1", "openai_shaped.md: 2.1 (z.ai)")
def _index_minus_1(frames: list[Frame]) -> list[Frame]:
    return _all_indexes(frames, -1)


@quirk(
    QUIRKS,
    "index-from-1",
    "indexes begin at 1, as if the text were counted too",
    "openai_shaped.md: 2.1 (an Anthropic-style layer, LiteLLM)",
)
def _index_from_1(frames: list[Frame]) -> list[Frame]:
    for spot in spots(frames):
        spot.entry["index"] = spot.entry.get("index", 0) + 1
    return frames


def _later_ids(frames: list[Frame], id: Any) -> list[Frame]:
    for spot in later(frames):
        spot.entry["id"] = id
    return frames


@quirk(QUIRKS, "id-empty", 'later deltas have the id ""', "openai_shaped.md: 2.2 (DashScope, Qwen on OpenRouter)")
def _id_empty(frames: list[Frame]) -> list[Frame]:
    return _later_ids(frames, "")


@quirk(QUIRKS, "id-null", "later deltas have the id null", "openai_shaped.md: 2.2 (SGLang, Venice, Kimi and GLM hosts)")
def _id_null(frames: list[Frame]) -> list[Frame]:
    return _later_ids(frames, None)


@quirk(
    QUIRKS,
    "id-null-word",
    'later deltas have the text "null" for an id',
    "https://github.com/langchain-ai/langchainjs/pull/11373",
)
def _id_null_word(frames: list[Frame]) -> list[Frame]:
    return _later_ids(frames, "null")


@quirk(QUIRKS, "id-repeated", "each delta has the call's id", "openai_shaped.md: 2.2 (TGI, Novita)")
def _id_repeated(frames: list[Frame]) -> list[Frame]:
    for call in calls(frames):
        for spot in call[1:]:
            spot.entry["id"] = call[0].entry.get("id")
    return frames


@quirk(
    QUIRKS,
    "id-rotating",
    "each later delta has another id, and null for a name",
    "openai_shaped.md: 2.1 (Kimi behind some hosts)",
)
def _id_rotating(frames: list[Frame]) -> list[Frame]:
    for place, spot in enumerate(later(frames)):
        spot.entry["id"] = f"call_other{place}"
        if spot.function:
            spot.function["name"] = None
    return frames


@quirk(QUIRKS, "id-shared", 'every call has the id "0"', "openai_shaped.md: 2.2 (TGI, Novita)")
def _id_shared(frames: list[Frame]) -> list[Frame]:
    for call in calls(frames):
        call[0].entry["id"] = "0"
    return frames


@quirk(QUIRKS, "id-never", 'the id is ""', "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/830")
def _id_never(frames: list[Frame]) -> list[Frame]:
    for call in calls(frames):
        call[0].entry["id"] = ""
    return frames


@quirk(QUIRKS, "type-missing", "calls have no `type`", "openai_shaped.md: 2.2 (Mistral)")
def _type_missing(frames: list[Frame]) -> list[Frame]:
    for call in function_calls(frames):
        call[0].entry.pop("type", None)
    return frames


@quirk(
    QUIRKS,
    "name-late",
    'the name is "" until the last delta of its call',
    "openai_shaped.md: 2.2 (vLLM with Command-A, SGLang)",
)
def _name_late(frames: list[Frame]) -> list[Frame]:
    for call in function_calls(frames):
        name = call[0].function.get("name")
        call[0].function["name"] = ""
        call[-1].entry.setdefault("function", {})["name"] = name
    return frames


@quirk(
    QUIRKS,
    "name-empty",
    'later deltas have the name ""',
    "openai_shaped.md: 2.2 (watsonx, Mistral-hosted GLM, LM Studio, SGLang, vLLM)",
)
def _name_empty(frames: list[Frame]) -> list[Frame]:
    for call in function_calls(frames):
        for spot in call[1:]:
            spot.function["name"] = ""
    return frames


@quirk(QUIRKS, "name-repeated", "each delta has the call's name", "openai_shaped.md: 2.2 (Novita, llama.cpp)")
def _name_repeated(frames: list[Frame]) -> list[Frame]:
    for call in function_calls(frames):
        for spot in call[1:]:
            spot.function["name"] = call[0].function.get("name")
    return frames


@quirk(
    QUIRKS,
    "name-in-pieces",
    "the name comes in two deltas, before the arguments",
    "not in the references; clients that join repeated names (openai's helper, LangChain) expect it",
)
def _name_in_pieces(frames: list[Frame]) -> list[Frame]:
    rest: dict[int, list[Frame]] = {}
    for call in function_calls(frames):
        first = call[0]
        start, end = cut(first.function.get("name") or "", 2)
        first.function["name"] = start
        entry = {"index": first.entry.get("index"), "function": {"name": end}}
        more = chunk(frames[first.place], first.choice.get("index"), {"tool_calls": [entry]})
        rest.setdefault(first.place, []).append(more)
    return [each for place, frame in enumerate(frames) for each in (frame, *rest.get(place, ()))]


@quirk(QUIRKS, "name-never", "the first call has no name", "docs/quirks.md: NAME-04")
def _name_never(frames: list[Frame]) -> list[Frame]:
    for call in function_calls(frames)[:1]:
        call[0].function.pop("name", None)
    return frames


@quirk(
    QUIRKS,
    "interleaved",
    "the deltas of all calls take turns",
    "openai_shaped.md: 1.2 (in no recording, but what the index is for)",
)
def _interleaved(frames: list[Frame]) -> list[Frame]:
    found = calls(frames)
    if not found:
        return frames
    moved = {spot.place for call in found for spot in call}
    turns = in_turns([[frames[place] for place in sorted({spot.place for spot in call})] for call in found])
    before = [frame for place, frame in enumerate(frames) if place < min(moved)]
    behind = [frame for place, frame in enumerate(frames) if place > min(moved) and place not in moved]
    return before + turns + behind


@quirk(
    QUIRKS,
    "extra-content",
    "a call has a thought signature beside its function",
    "https://github.com/open-webui/computer/issues/224 (Gemini's endpoint)",
)
def _extra_content(frames: list[Frame]) -> list[Frame]:
    for call in calls(frames)[:1]:
        call[0].entry["extra_content"] = {"google": {"thought_signature": "c2lnbmF0dXJl"}}
    return frames
