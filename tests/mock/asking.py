"""Requests of every wire to a mock, by hand."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}


class Ask(NamedTuple):
    """A request: where it goes, with what."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str] = {}  # noqa: RUF012


def ask(wire: str, model: str = "mock/weather", *, stream: bool = True) -> Ask:
    """A question with one tool, over a wire."""
    said = "What's the weather in Lisbon and Oslo?"
    about = "the weather"
    function = {"name": "get_weather", "description": about, "parameters": SCHEMA}
    messages = [{"role": "user", "content": said}]
    match wire:
        case "openai-chat":
            tools: Any = [{"type": "function", "function": function}]
            body = {"model": model, "messages": messages, "tools": tools, "stream": stream}
            return Ask("/v1/chat/completions", body | ({"stream_options": {"include_usage": True}} if stream else {}))
        case "openai-responses":
            tools = [{"type": "function", **function}]
            return Ask("/v1/responses", {"model": model, "input": said, "tools": tools, "stream": stream})
        case "anthropic":
            tools = [{"name": "get_weather", "description": about, "input_schema": SCHEMA}]
            body = {"model": model, "max_tokens": 100, "messages": messages, "tools": tools, "stream": stream}
            return Ask("/v1/messages", body, {"anthropic-version": "2023-06-01"})
        case "gemini":
            method = "streamGenerateContent?alt=sse" if stream else "generateContent"
            body = {"contents": [{"role": "user", "parts": [{"text": said}]}]}
            body["tools"] = [{"functionDeclarations": [function]}]
            return Ask(f"/v1beta/models/{_quoted(model)}:{method}", body)
        case "bedrock-converse":
            spec = {"name": "get_weather", "description": about, "inputSchema": {"json": SCHEMA}}
            body = {"messages": [{"role": "user", "content": [{"text": said}]}]}
            body["toolConfig"] = {"tools": [{"toolSpec": spec}]}  # type: ignore[assignment]
            return Ask(f"/model/{_quoted(model)}/converse{'-stream' if stream else ''}", body)
        case "bedrock-invoke":
            tools = [{"name": "get_weather", "description": about, "input_schema": SCHEMA}]
            body = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 100, "messages": messages, "tools": tools}  # type: ignore[dict-item]
            return Ask(f"/model/{_quoted(model)}/invoke{'-with-response-stream' if stream else ''}", body)
        case "cohere":
            tools = [{"type": "function", "function": function}]
            return Ask("/v2/chat", {"model": model, "messages": messages, "tools": tools, "stream": stream})
        case "ollama":
            tools = [{"type": "function", "function": function}]
            return Ask("/api/chat", {"model": model, "messages": messages, "tools": tools, "stream": stream})
    raise AssertionError(wire)


def _quoted(model: str) -> str:
    return model.replace("/", "%2F").replace("?", "%3F").replace("&", "%26")


def dumped(asked: Ask) -> bytes:
    return json.dumps(asked.body).encode()


WIRES = (
    "anthropic",
    "bedrock-converse",
    "bedrock-invoke",
    "cohere",
    "gemini",
    "ollama",
    "openai-chat",
    "openai-responses",
)

SCRIPT: dict[str, Any] = {
    "answers": {
        "weather": [
            {
                "say": [
                    {"text": "I'll look at both."},
                    {"call": "get_weather", "arguments": {"city": "Lisbon", "days": 3}},
                    {"call": "get_weather", "arguments": {"city": "Oslo", "days": 3}},
                ],
                "size": 5,
            },
            {"after": "get_weather", "say": [{"text": "Lisbon is warmer."}]},
        ],
        "nothing": [{"say": []}],
    }
}
CALLS = [("get_weather", {"city": "Lisbon", "days": 3}), ("get_weather", {"city": "Oslo", "days": 3})]
