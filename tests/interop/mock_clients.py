"""Whole conversations of SDKs (OpenAI, Anthropic, Mistral): ask, take the calls, send their results, be told.

Each function has a base URL, a model and whether to stream, takes its calls as an app would, and sends back what it was
given. All offer the same tool, try once, and take no proxy from the environment.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anthropic
import httpx
import openai
from mistralai.client import Mistral
from mock.asking import SCHEMA, ask

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = "no-key"
TIMEOUT = 10.0
TURNS = 5  # more than any of these conversations takes
PROMPT = ask("ollama").body["messages"][0]["content"]
ABOUT = "the weather"
ASKED: list[Any] = [{"role": "user", "content": PROMPT}]
FUNCTION: dict[str, Any] = {"name": "get_weather", "description": ABOUT, "parameters": SCHEMA}
CHAT_TOOLS: list[Any] = [{"type": "function", "function": FUNCTION}]
ANTHROPIC_TOOLS: list[Any] = [{"name": "get_weather", "description": ABOUT, "input_schema": SCHEMA}]


def weather(arguments: Any) -> str:
    """What comes of a call: a text that only these arguments give."""
    return f"sunny for {json.dumps(arguments, sort_keys=True)}"[:120]


@dataclass
class Told:
    """What a client told its app: the calls with their ids, and each turn's text, finish reason and tokens."""

    calls: list[tuple[str, Any]] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    finishes: list[Any] = field(default_factory=list)
    usage: list[Any] = field(default_factory=list)

    def call(self, name: str, arguments: Any, id_: str | None = None) -> str:
        """Run a call: its result."""
        self.calls.append((name, arguments))
        self.ids += [id_] if id_ else []
        return weather(arguments)

    def turn(self, text: str | None, finish: Any = None, *usage: int | None) -> None:
        """A turn is over."""
        self.texts.append(text or "")
        self.finishes.append(finish)
        self.usage.append(usage)


# OpenAI


def openai_client(url: str) -> openai.OpenAI:
    http = openai.DefaultHttpxClient(trust_env=False)
    return openai.OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0, timeout=TIMEOUT, http_client=http)


def _chat_whole(client: Any, model: str, messages: list[Any], tools: list[Any]) -> tuple[dict[str, Any], Any, Any]:
    made = client.chat.completions.create(model=model, messages=messages, tools=tools)
    return made.choices[0].message.model_dump(exclude_none=True), made.choices[0].finish_reason, made.usage


def _chat_streamed(client: Any, model: str, messages: list[Any], tools: list[Any]) -> tuple[dict[str, Any], Any, Any]:
    """Deltas joined by index, as the API's guide does."""
    message: dict[str, Any] = {"role": "assistant", "content": ""}
    calls: dict[int, Any] = {}
    finish = usage = None
    with client.chat.completions.create(
        model=model, messages=messages, tools=tools, stream=True, stream_options={"include_usage": True}
    ) as stream:
        for chunk in stream:
            usage = chunk.usage or usage
            for choice in chunk.choices:
                finish = choice.finish_reason or finish
                message["content"] += choice.delta.content or ""
                for delta in choice.delta.tool_calls or []:
                    if delta.index not in calls:
                        calls[delta.index] = delta
                    else:
                        calls[delta.index].function.arguments += delta.function.arguments
    if calls:
        message["tool_calls"] = [call.model_dump(exclude={"index"}) for call in calls.values()]
    return message, finish, usage


def _chat_helped(client: Any, model: str, messages: list[Any], tools: list[Any]) -> tuple[dict[str, Any], Any, Any]:
    """`chat.completions.stream()`, which joins the deltas itself."""
    with client.chat.completions.stream(
        model=model, messages=messages, tools=tools, stream_options={"include_usage": True}
    ) as stream:
        made = stream.get_final_completion()
    message = made.choices[0].message.model_dump(exclude_none=True, exclude={"parsed"})
    for call in message.get("tool_calls", ()):
        call["function"].pop("parsed_arguments", None)
    return message, made.choices[0].finish_reason, made.usage


def _chat(url: str, model: str, say: Callable[..., tuple[dict[str, Any], Any, Any]], tools: list[Any]) -> Told:
    told = Told()
    messages = [*ASKED]
    with openai_client(url) as client:
        for _ in range(TURNS):
            message, finish, usage = say(client, model, messages, tools)
            told.turn(message.get("content"), finish, usage.prompt_tokens, usage.completion_tokens)
            messages.append(message)
            if not message.get("tool_calls"):
                break
            for call in message["tool_calls"]:
                function = call["function"]
                result = told.call(function["name"], json.loads(function["arguments"]), call["id"])
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    return told


def chat(url: str, model: str, *, stream: bool) -> Told:
    return _chat(url, model, _chat_streamed if stream else _chat_whole, CHAT_TOOLS)


def chat_helper(url: str, model: str, *, stream: bool) -> Told:
    """The helper takes nothing but strict tools; not streamed, the tools are strict too."""
    tools = [{"type": "function", "function": {**FUNCTION, "strict": True}}]
    return _chat(url, model, _chat_helped if stream else _chat_whole, tools)


def responses(url: str, model: str, *, stream: bool) -> Told:
    told = Told()
    turns = [*ASKED]
    asked: dict[str, Any] = {"model": model, "tools": [{"type": "function", "strict": False, **FUNCTION}]}
    with openai_client(url) as client:
        for _ in range(TURNS):
            if stream:
                with client.responses.stream(input=turns, **asked) as events:
                    made: Any = events.get_final_response()
            else:
                made = client.responses.create(input=turns, **asked)
            told.turn(made.output_text, made.status, made.usage.input_tokens, made.usage.output_tokens)
            calls = [item for item in made.output if item.type == "function_call"]
            turns += [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in made.output]
            for call in calls:
                result = told.call(call.name, json.loads(call.arguments), call.call_id)
                turns.append({"type": "function_call_output", "call_id": call.call_id, "output": result})
            if not calls:
                break
    return told


# Anthropic


def anthropic_client(url: str) -> anthropic.Anthropic:
    http = anthropic.DefaultHttpxClient(trust_env=False)
    return anthropic.Anthropic(base_url=url, api_key=KEY, max_retries=0, timeout=TIMEOUT, http_client=http)


def results_of(told: Told, content: list[Any]) -> list[Any]:
    """What is sent back for the blocks of an assistant's message."""
    return [
        {
            "type": "tool_result",
            "tool_use_id": block["id"],
            "content": told.call(block["name"], block["input"], block["id"]),
        }
        for block in content
        if block["type"] == "tool_use"
    ]


def text_of(content: list[Any]) -> str:
    return "".join(block["text"] for block in content if block["type"] == "text")


def messages(url: str, model: str, *, stream: bool) -> Told:
    told = Told()
    turns = [*ASKED]
    asked: dict[str, Any] = {"model": model, "max_tokens": 100, "tools": ANTHROPIC_TOOLS}
    with anthropic_client(url) as client:
        for _ in range(TURNS):
            if stream:
                with client.messages.stream(messages=turns, **asked) as events:
                    made: Any = events.get_final_message()
            else:
                made = client.messages.create(messages=turns, **asked)
            content = [block.model_dump(exclude_none=True) for block in made.content]
            told.turn(text_of(content), made.stop_reason, made.usage.input_tokens, made.usage.output_tokens)
            results = results_of(told, content)
            if not results:
                break
            turns += [{"role": "assistant", "content": made.content}, {"role": "user", "content": results}]
    return told


# Mistral


def _mistral_streamed(client: Mistral, asked: Any) -> tuple[dict[str, Any], Any, Any]:
    """Deltas joined by index."""
    message: dict[str, Any] = {"role": "assistant", "content": ""}
    calls: dict[int, dict[str, Any]] = {}
    finish = usage = None
    for event in client.chat.stream(**asked):
        usage = event.data.usage or usage
        for choice in event.data.choices:
            finish = choice.finish_reason or finish
            message["content"] += choice.delta.content or ""
            for delta in choice.delta.tool_calls or []:
                if delta.index not in calls:
                    calls[delta.index] = delta.model_dump(exclude_none=True, exclude={"index"})
                else:
                    calls[delta.index]["function"]["arguments"] += delta.function.arguments
    return message | ({"tool_calls": list(calls.values())} if calls else {}), finish, usage


def _mistral_whole(client: Mistral, asked: Any) -> tuple[dict[str, Any], Any, Any]:
    made: Any = client.chat.complete(**asked)
    choice = made.choices[0]
    return choice.message.model_dump(exclude_none=True), choice.finish_reason, made.usage


def mistral(url: str, model: str, *, stream: bool) -> Told:
    told = Told()
    turns = [*ASKED]
    asked = {"model": model, "messages": turns, "tools": CHAT_TOOLS}
    with (
        httpx.Client(trust_env=False) as http,
        Mistral(api_key=KEY, server_url=f"{url}/mistral", client=http, timeout_ms=int(TIMEOUT * 1000)) as client,
    ):
        for _ in range(TURNS):
            message, finish, usage = (_mistral_streamed if stream else _mistral_whole)(client, asked)
            told.turn(message.get("content"), finish, usage.prompt_tokens, usage.completion_tokens)
            turns.append(message)
            if not message.get("tool_calls"):
                break
            for call in message["tool_calls"]:
                function = call["function"]
                result = told.call(function["name"], json.loads(function["arguments"]), call["id"])
                turns.append({"role": "tool", "name": function["name"], "tool_call_id": call["id"], "content": result})
    return told
