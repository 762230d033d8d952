"""A handful of recorded streams from ../shared/corpus, one item per server-sent event."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["CORPUS", "RECORDINGS", "recording"]

CORPUS = Path(__file__).resolve().parent.parent.parent / "shared" / "corpus"

# path -> wire
RECORDINGS: dict[str, str] = {
    "openai_shaped/chat_completions/groq__gpt-oss-120b-object-streaming.sse": "openai-chat",
    "openai_shaped/chat_completions/deepseek__agent-tool-sessions-sequential-complex-tool-calls-streaming.sse": (
        "openai-chat"
    ),
    "openai_shaped/chat_completions/zai__glm-4-7-flash-multi-tool-streaming.sse": "openai-chat",
    "openai_shaped/responses/openai__responses-tool-args-nested-arguments-streaming.sse": "openai-responses",
    "other/anthropic_messages/anthropic__fantasy_claude_sonnet_4_202505_claude_sonnet_4_thinking_streaming.sse": (
        "anthropic"
    ),
    "other/anthropic_messages/anthropic__req_llm_claude_sonnet_4_5_claude_sonnet_4_5_object_streaming.sse": "anthropic",
    "other/gemini_generate_content/google_vertex__fantasy_gemini_2_5_pro_vertex_gemini_2_5_pro_tool_streaming.sse": (
        "gemini"
    ),
}

_BLANK = re.compile(rb"(?:\r\n|\n){2}")


def recording(path: str) -> list[bytes]:
    """The recorded bytes, cut behind each blank line."""
    data = (CORPUS / path).read_bytes()
    ends = [0, *(match.end() for match in _BLANK.finditer(data))]
    pieces = [data[start:end] for start, end in zip(ends, [*ends[1:], len(data)], strict=True)]
    return [piece for piece in pieces if piece.strip()]
