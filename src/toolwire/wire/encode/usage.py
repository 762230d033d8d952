"""Token counts in the words of each wire. Nothing is estimated; what a provider didn't report is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolwire.wire._read import count, obj

if TYPE_CHECKING:
    from toolwire.events import Usage

__all__ = ["Tokens", "for_anthropic", "for_chat", "for_cohere", "for_ollama", "for_responses", "tokens"]


# Who uses these words has all input in one number.
_INCLUSIVE: Final = frozenset({"prompt_tokens", "cachedInputTokens", "reasoningTokens"})


class Tokens(NamedTuple):
    """What a provider reported. `input` includes what a cache was read or written for, `output` what was thought."""

    input: int | None
    output: int | None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None


def tokens(usage: Usage) -> Tokens:
    """A provider's counts, whatever it calls them.

    Anthropic and Converse count cached input apart from the other; servers that put the same words beside
    `prompt_tokens` have it in that, and so has AG-UI. Google alone counts thoughts apart from the other output.
    """
    raw = usage.raw if isinstance(usage.raw, dict) else {}
    details = obj(raw.get("prompt_tokens_details")) or obj(raw.get("input_tokens_details"))
    out_details = obj(raw.get("completion_tokens_details")) or obj(raw.get("output_tokens_details"))
    reads = [raw.get("cache_read_input_tokens"), raw.get("cacheReadInputTokens")]
    writes = [raw.get("cache_creation_input_tokens"), raw.get("cacheWriteInputTokens")]
    total = usage.input_tokens
    if total is not None and _INCLUSIVE.isdisjoint(raw):
        total += sum(each for each in map(count, (*reads, *writes)) if each)
    others = ("cachedContentTokenCount", "total_cached_tokens", "cached_tokens", "cachedInputTokens")
    cached = [*reads, details.get("cached_tokens"), *map(raw.get, others)]
    cohere = obj(raw.get("tokens"))
    thought = _first([raw.get("thoughtsTokenCount"), raw.get("total_thought_tokens")])
    told = usage.output_tokens
    if told is not None and thought is not None:
        told += thought
    thoughts = [out_details.get("reasoning_tokens"), cohere.get("reasoning_tokens"), raw.get("reasoningTokens")]
    return Tokens(total, told, _first(cached), _first(writes), _first([*thoughts, thought]))


def for_chat(usage: Usage) -> dict[str, Any]:
    """As OpenAI Chat has it."""
    found = tokens(usage)
    said: dict[str, Any] = {
        "prompt_tokens": found.input or 0,
        "completion_tokens": found.output or 0,
        "total_tokens": (found.input or 0) + (found.output or 0),
    }
    if found.cache_read is not None:
        said["prompt_tokens_details"] = {"cached_tokens": found.cache_read}
    if found.reasoning is not None:
        said["completion_tokens_details"] = {"reasoning_tokens": found.reasoning}
    return said


def for_responses(usage: Usage) -> dict[str, Any]:
    """As OpenAI Responses has it: the details are required there."""
    found = tokens(usage)
    return {
        "input_tokens": found.input or 0,
        "input_tokens_details": {"cached_tokens": found.cache_read or 0},
        "output_tokens": found.output or 0,
        "output_tokens_details": {"reasoning_tokens": found.reasoning or 0},
        "total_tokens": (found.input or 0) + (found.output or 0),
    }


def for_anthropic(usage: Usage) -> dict[str, Any]:
    """As Anthropic has it: input that was read from a cache or written to it is counted apart."""
    found = tokens(usage)
    apart = (found.cache_read or 0) + (found.cache_write or 0)
    said: dict[str, Any] = {
        "input_tokens": max(0, (found.input or 0) - apart),
        "output_tokens": found.output or 0,
    }
    if found.cache_read is not None:
        said["cache_read_input_tokens"] = found.cache_read
    if found.cache_write is not None:
        said["cache_creation_input_tokens"] = found.cache_write
    return said


def for_cohere(usage: Usage) -> dict[str, Any]:
    """As Cohere has it; what is billed is the provider's to say."""
    found = tokens(usage)
    counts = {"input_tokens": found.input, "output_tokens": found.output, "reasoning_tokens": found.reasoning}
    said: dict[str, Any] = {"tokens": {key: each for key, each in counts.items() if each is not None}}
    if found.cache_read is not None:
        said["cached_tokens"] = found.cache_read
    return said


def for_ollama(usage: Usage) -> dict[str, Any]:
    """As Ollama has it, without the times that it took."""
    found = tokens(usage)
    counts = {"prompt_eval_count": found.input, "eval_count": found.output}
    return {key: each for key, each in counts.items() if each is not None}


def for_converse(usage: Usage) -> dict[str, Any]:
    """As Bedrock Converse has it: cached input is counted apart, and the total is that of all."""
    found = tokens(usage)
    apart = (found.cache_read or 0) + (found.cache_write or 0)
    said: dict[str, Any] = {
        "inputTokens": max(0, (found.input or 0) - apart),
        "outputTokens": found.output or 0,
        "totalTokens": (found.input or 0) + (found.output or 0),
    }
    if found.cache_read is not None:
        said["cacheReadInputTokens"] = found.cache_read
    if found.cache_write is not None:
        said["cacheWriteInputTokens"] = found.cache_write
    return said


def _first(values: list[Any]) -> int | None:
    return next((found for found in map(count, values) if found is not None), None)
