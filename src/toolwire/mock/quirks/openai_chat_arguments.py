"""Quirks of OpenAI Chat's compatible servers: how the arguments of a call come."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolwire.encoding import encode
from toolwire.mock.quirks.chat import Spot, calls, chunk, finishes, put, spots, text_of, without, written_calls
from toolwire.mock.quirks.kit import quirk

if TYPE_CHECKING:
    from toolwire.mock.quirks import Quirk
    from toolwire.wire.encode.base import Frame

QUIRKS: Final[dict[str, Quirk]] = {}


@quirk(
    QUIRKS, "arguments-null", "the first delta of a call has null for arguments", "openai_shaped.md: 2.3 (Writer, vLLM)"
)
def _arguments_null(frames: list[Frame]) -> list[Frame]:
    for call in written_calls(frames):
        if not call[0].function.get("arguments"):
            call[0].function["arguments"] = None
    return frames


@quirk(
    QUIRKS,
    "arguments-absent",
    "the first delta of a call has no `arguments`",
    "openai_shaped.md: 2.3 (Llama 4, Kimi)",
)
def _arguments_absent(frames: list[Frame]) -> list[Frame]:
    for call in written_calls(frames):
        if not call[0].function.get("arguments"):
            call[0].function.pop("arguments", None)
    return frames


def _behind(frames: list[Frame], function: Any) -> list[Frame]:
    """One more delta behind each call. `function`: a value, or what makes one of a call's text."""
    more: dict[int, list[Frame]] = {}
    for call in written_calls(frames):
        last = call[-1]
        said = function(text_of(call)) if callable(function) else dict(function)
        entry = {"index": last.entry.get("index"), "function": said}
        added = chunk(frames[last.place], last.choice.get("index"), {"tool_calls": [entry]})
        more.setdefault(last.place, []).append(added)
    return [each for place, frame in enumerate(frames) for each in (frame, *more.get(place, ()))]


@quirk(
    QUIRKS,
    "arguments-null-behind",
    "one more delta with null for arguments ends each call",
    "openai_shaped.md: 2.3 (Qwen3-max on OpenRouter)",
)
def _null_behind(frames: list[Frame]) -> list[Frame]:
    return _behind(frames, {"arguments": None})


@quirk(
    QUIRKS,
    "function-empty",
    "one more delta with an empty `function` ends each call",
    "https://github.com/deepset-ai/haystack/issues/9581 (qwen-plus)",
)
def _function_empty(frames: list[Frame]) -> list[Frame]:
    return _behind(frames, {})


@quirk(
    QUIRKS,
    "arguments-repeated",
    "the whole arguments come once more behind each call",
    "openai_shaped.md: 2.3 (GLM-style servers, MiniMax parsers)",
)
def _repeated(frames: list[Frame]) -> list[Frame]:
    return _behind(frames, lambda text: {"arguments": text})


@quirk(QUIRKS, "trailing-braces", "`{}` follows the arguments of each call", "docs/quirks.md: ARG-11")
def _trailing_braces(frames: list[Frame]) -> list[Frame]:
    return _behind(frames, {"arguments": "{}"})


@quirk(QUIRKS, "trailing-junk", "half an end marker follows the arguments of each call", "docs/quirks.md: ARG-19")
def _trailing_junk(frames: list[Frame]) -> list[Frame]:
    return _behind(frames, {"arguments": "</tool_"})


@quirk(
    QUIRKS,
    "arguments-cumulative",
    "each delta has all arguments so far",
    "https://github.com/NousResearch/hermes-agent/pull/35718 (DeepSeek on Qianfan)",
)
def _cumulative(frames: list[Frame]) -> list[Frame]:
    for call in written_calls(frames):
        so_far = ""
        for spot in call:
            if spot.function.get("arguments"):
                so_far += spot.function["arguments"]
                spot.function["arguments"] = so_far
    return frames


@quirk(
    QUIRKS,
    "arguments-double-encoded",
    "the arguments are a JSON string that holds the object",
    "vllm#54964, livekit/agents#5409",
)
def _double_encoded(frames: list[Frame]) -> list[Frame]:
    for call in written_calls(frames):
        if text_of(call):
            put(call, encode(text_of(call)))
    return frames


@quirk(QUIRKS, "arguments-empty", 'a call without arguments has ""', "openai_shaped.md: 2.3 (Claude on Databricks)")
def _empty(frames: list[Frame]) -> list[Frame]:
    return _no_arguments(frames, "")


@quirk(QUIRKS, "arguments-null-word", 'a call without arguments has "null"', "openai_shaped.md: 2.3 (Llama on Groq)")
def _null_word(frames: list[Frame]) -> list[Frame]:
    return _no_arguments(frames, "null")


def _no_arguments(frames: list[Frame], text: str) -> list[Frame]:
    for call in written_calls(frames):
        if text_of(call) == "{}":
            put(call, text)
    return frames


@quirk(
    QUIRKS,
    "two-objects",
    "the arguments of the second call follow those of the first, in its place",
    "simonw/llm#1130, docs/quirks.md: ARG-17",
)
def _two_objects(frames: list[Frame]) -> list[Frame]:
    found = written_calls(frames)
    if len(found) < 2:
        return frames
    first, second = found[:2]
    index = first[0].entry.get("index")
    empty = {spot.place for spot in second if not spot.function.get("arguments")}
    for spot in second:
        spot.choice["delta"]["tool_calls"] = [{"index": index, "function": dict(spot.function)}]
        spot.choice["delta"]["tool_calls"][0]["function"].pop("name", None)
    return without(frames, empty)


def _whole(call: list[Spot]) -> dict[str, Any]:
    """One entry that says what all of a call's do."""
    entry = {key: value for key, value in call[0].entry.items() if key not in ("function", "custom")}
    if call[0].function:
        said = [spot.function.get("arguments") for spot in call]
        values = [each for each in said if isinstance(each, dict)]
        entry["function"] = {**call[0].function, "arguments": values[0] if values else text_of(call)}
    else:
        custom = [spot.entry.get("custom") or {} for spot in call]
        entry["custom"] = {**custom[0], "input": "".join(each.get("input") or "" for each in custom)}
    return entry


def _alone(frames: list[Frame], call: list[Spot], entry: dict[str, Any]) -> set[int]:
    """Let one entry stand in the place of a call's first; the places that are free now."""
    call[0].choice["delta"]["tool_calls"] = [entry]
    return {spot.place for spot in call[1:]}


@quirk(
    QUIRKS,
    "whole-calls",
    "each call comes whole in one delta",
    "openai_shaped.md: 2.3 (xAI, Groq, Ollama, z.ai, Cerebras)",
)
def _whole_calls(frames: list[Frame]) -> list[Frame]:
    free: set[int] = set()
    for call in calls(frames):
        free |= _alone(frames, call, _whole(call))
    return without(frames, free)


@quirk(QUIRKS, "one-delta", "all calls come whole in one delta", "openai_shaped.md: 2.1 (Mistral, also on OpenRouter)")
def _one_delta(frames: list[Frame]) -> list[Frame]:
    found = calls(frames)
    if not found:
        return frames
    entries = [_whole(call) for call in found]
    first = found[0][0]
    first.choice["delta"]["tool_calls"] = entries
    return without(frames, {spot.place for call in found for spot in call} - {first.place})


@quirk(
    QUIRKS,
    "fragments-together",
    "all fragments of a call stand side by side in one delta",
    "openai_shaped.md: 2.1 (vLLM on Bedrock's OpenAI endpoint)",
)
def _fragments_together(frames: list[Frame]) -> list[Frame]:
    free: set[int] = set()
    for call in calls(frames):
        if len(call) > 2:
            call[1].choice["delta"]["tool_calls"] = [spot.entry for spot in call[1:]]
            free |= {spot.place for spot in call[2:]}
    return without(frames, free)


@quirk(
    QUIRKS,
    "arguments-object",
    "each call comes whole, with an object for arguments",
    "https://github.com/BerriAI/litellm/pull/37792 (Ollama behind LiteLLM)",
)
def _object(frames: list[Frame]) -> list[Frame]:
    free: set[int] = set()
    for call in written_calls(frames):
        entry = _whole(call)
        try:
            entry["function"]["arguments"] = json.loads(text_of(call) or "{}")
        except ValueError:  # only what is whole can be an object
            continue
        free |= _alone(frames, call, entry)
    return without(frames, free)


@quirk(
    QUIRKS,
    "function-call",
    "the first call is a deprecated `function_call`, the only one",
    "openai_shaped.md: 1.1 (OpenAI of 2023, GitHub Copilot)",
)
def _function_call(frames: list[Frame]) -> list[Frame]:
    found = written_calls(frames)
    if not found:
        return frames
    for spot in found[0]:
        spot.choice["delta"].pop("tool_calls", None)
        spot.choice["delta"]["function_call"] = dict(spot.function)
    for _, choice in finishes(frames):
        if choice["finish_reason"] == "tool_calls":
            choice["finish_reason"] = "function_call"
    return without(frames, {spot.place for spot in spots(frames)})


def _cut_last(frames: list[Frame]) -> bool:
    found = [call for call in written_calls(frames) if len(text_of(call)) > 2]
    for call in found[-1:]:
        put(call, text_of(call)[: len(text_of(call)) // 2])
    return bool(found)


@quirk(
    QUIRKS,
    "cut-unsaid",
    "the last call is cut off, yet the finish reason is that of calls",
    "https://github.com/vllm-project/vllm/issues/53269",
)
def _cut_unsaid(frames: list[Frame]) -> list[Frame]:
    _cut_last(frames)
    return frames


@quirk(
    QUIRKS,
    "cut-native",
    "the last call is cut off, and only `native_finish_reason` says so",
    "openai_shaped.md: 2.4 (gpt-4.1-mini on OpenRouter)",
)
def _cut_native(frames: list[Frame]) -> list[Frame]:
    if _cut_last(frames):
        for _, choice in finishes(frames):
            choice["native_finish_reason"] = "max_output_tokens"
    return frames
