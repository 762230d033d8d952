"""Token counts in the words of each wire. Nothing is estimated; what a provider didn't report is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from toolwire.wire._read import count, obj

if TYPE_CHECKING:
    from toolwire.events import Usage

__all__ = ["Tokens", "for_anthropic", "for_chat", "for_cohere", "for_ollama", "for_responses", "tokens"]


class Tokens(NamedTuple):
    """What a provider reported. `input` includes what was read from or written to a cache."""

    input: int | None
    output: int | None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None


def tokens(usage: Usage) -> Tokens:
    """A provider's counts, whatever it calls them. Anthropic alone counts cached input apart from the other."""
    raw = usage.raw if isinstance(usage.raw, dict) else {}
    details = obj(raw.get("prompt_tokens_details")) or obj(raw.get("input_tokens_details"))
    out_details = obj(raw.get("completion_tokens_details")) or obj(raw.get("output_tokens_details"))
    reads = [raw.get("cache_read_input_tokens"), raw.get("cacheReadInputTokens")]
    writes = [raw.get("cache_creation_input_tokens"), raw.get("cacheWriteInputTokens")]
    apart = [count(each) for each in (*reads, *writes)]
    total = usage.input_tokens
    if total is not None:
        total += sum(each for each in apart if each)
    cached = [*reads, details.get("cached_tokens"), raw.get("cachedContentTokenCount"), raw.get("cached_tokens")]
    cohere = obj(raw.get("tokens"))
    thoughts = [each.get("reasoning_tokens") for each in (out_details, cohere)] + [raw.get("thoughtsTokenCount")]
    return Tokens(total, usage.output_tokens, _first(cached), _first(writes), _first(thoughts))


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
