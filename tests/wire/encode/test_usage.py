"""Token counts from each provider's words into each wire's."""

from __future__ import annotations

from typing import Any

import pytest

from toolwire.events import Usage
from toolwire.wire.encode.google import for_gemini, for_interactions
from toolwire.wire.encode.usage import Tokens, for_anthropic, for_chat, for_converse, for_responses, tokens

ANTHROPIC = {"input_tokens": 10, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5, "output_tokens": 7}
CONVERSE = {"inputTokens": 10, "cacheReadInputTokens": 90, "cacheWriteInputTokens": 5, "outputTokens": 7}
CHAT = {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 90}, "completion_tokens": 7}
# LiteLLM and others put Anthropic's words beside OpenAI's, which count the same tokens.
BOTH = {**CHAT, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5}
RESPONSES = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 90}, "output_tokens": 7}
AG_UI = {"inputTokens": 100, "outputTokens": 7, "cachedInputTokens": 90, "cacheWriteInputTokens": 5}

# Google counts what was thought apart from the rest of the output.
GEMINI = {"promptTokenCount": 100, "cachedContentTokenCount": 90, "candidatesTokenCount": 7, "thoughtsTokenCount": 30}
INTERACTIONS = {
    "total_input_tokens": 100,
    "total_cached_tokens": 90,
    "total_output_tokens": 7,
    "total_thought_tokens": 30,
}


@pytest.mark.parametrize(
    ("raw", "read", "found"),
    [
        (ANTHROPIC, 10, Tokens(105, 7, 90, 5)),
        (CONVERSE, 10, Tokens(105, 7, 90, 5)),
        (CHAT, 100, Tokens(100, 7, 90)),
        (BOTH, 100, Tokens(100, 7, 90, 5)),
        (RESPONSES, 100, Tokens(100, 7, 90)),
        ({}, 100, Tokens(100, 7)),
        (AG_UI, 100, Tokens(100, 7, 90, 5)),
        (GEMINI, 100, Tokens(100, 37, 90, None, 30)),
        (INTERACTIONS, 100, Tokens(100, 37, 90, None, 30)),
    ],
)
def test_what_a_provider_reported(raw: dict[str, Any], read: int, found: Tokens) -> None:
    assert tokens(Usage(read, 7, raw)) == found


def test_nothing_is_counted_twice_on_the_way() -> None:
    usage = Usage(100, 7, BOTH)
    assert for_chat(usage)["prompt_tokens"] == for_responses(usage)["input_tokens"] == 100
    assert for_anthropic(usage) == {
        "input_tokens": 5,
        "output_tokens": 7,
        "cache_read_input_tokens": 90,
        "cache_creation_input_tokens": 5,
    }
    assert for_converse(usage)["totalTokens"] == 107
    assert for_chat(Usage(10, 7, ANTHROPIC))["prompt_tokens"] == 105


def test_googles_counts_go_over_and_back() -> None:
    for raw in (GEMINI, INTERACTIONS):
        assert for_chat(Usage(100, 7, raw))["completion_tokens"] == 37
        assert for_gemini(Usage(100, 7, raw)) == {**GEMINI, "totalTokenCount": 137}
        assert for_interactions(Usage(100, 7, raw)) == {**INTERACTIONS, "total_tokens": 137}
    thinking = {"prompt_tokens": 100, "completion_tokens": 37, "completion_tokens_details": {"reasoning_tokens": 30}}
    assert for_gemini(Usage(100, 37, thinking))["candidatesTokenCount"] == 7


def test_thoughts_that_a_compatible_server_counts_apart() -> None:
    raw = {"prompt_tokens": 291, "completion_tokens": 26, "completion_tokens_details": {"reasoning_tokens": 196}}
    said = for_gemini(Usage(291, 26, raw))
    assert (said["candidatesTokenCount"], said["thoughtsTokenCount"]) == (26, 196)
