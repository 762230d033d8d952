"""Whole conversations of the providers' SDKs: ask with a tool, take the calls, send their results, be told.

Each function has a base URL, a model and whether to stream, takes its calls as an app would, and sends back what it was
given. All offer the same tool, try once, and take no proxy from the environment.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anthropic
import boto3
import cohere
import httpx
import ollama
import openai
from botocore.config import Config
from google import genai
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


def _results(told: Told, content: list[Any]) -> list[Any]:
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


def _text(content: list[Any]) -> str:
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
            told.turn(_text(content), made.stop_reason, made.usage.input_tokens, made.usage.output_tokens)
            results = _results(told, content)
            if not results:
                break
            turns += [{"role": "assistant", "content": made.content}, {"role": "user", "content": results}]
    return told


# Google


def _genai(client: genai.Client, model: str, *, stream: bool) -> Told:
    told = Told()
    tools: Any = [{"function_declarations": [{"name": "get_weather", "parameters_json_schema": SCHEMA}]}]
    asked: Any = {"model": model, "config": {"tools": tools, "automatic_function_calling": {"disable": True}}}
    turns: list[Any] = [genai.types.Content(role="user", parts=[genai.types.Part(text=PROMPT)])]
    try:
        for _ in range(TURNS):
            if stream:
                chunks = list(client.models.generate_content_stream(contents=turns, **asked))
            else:
                chunks = [client.models.generate_content(contents=turns, **asked)]
            heads: list[Any] = [chunk.candidates[0] for chunk in chunks if chunk.candidates]
            parts = [part for head in heads if head.content for part in head.content.parts or []]
            finish = next(head.finish_reason for head in reversed(heads) if head.finish_reason)
            usage: Any = next(chunk.usage_metadata for chunk in reversed(chunks) if chunk.usage_metadata)
            text = "".join(part.text for part in parts if part.text and not part.thought)
            told.turn(text, finish.value, usage.prompt_token_count, usage.candidates_token_count)
            calls = [part.function_call for part in parts if part.function_call]
            results = [
                genai.types.Part.from_function_response(
                    name=call.name, response={"result": told.call(call.name, call.args, call.id)}
                )
                for call in calls
            ]
            turns += [genai.types.Content(role="model", parts=parts), genai.types.Content(role="user", parts=results)]
            if not calls:
                break
    finally:
        client.close()
    return told


def _google_options(url: str) -> genai.types.HttpOptions:
    return genai.types.HttpOptions(base_url=url, timeout=int(TIMEOUT * 1000), client_args={"trust_env": False})


def gemini(url: str, model: str, *, stream: bool) -> Told:
    return _genai(genai.Client(api_key=KEY, http_options=_google_options(url)), model, stream=stream)


def vertex(url: str, model: str, *, stream: bool) -> Told:
    client = genai.Client(vertexai=True, api_key=KEY, http_options=_google_options(url))
    return _genai(client, model, stream=stream)


# AWS


def _bedrock(url: str) -> Any:
    patience = {"connect_timeout": TIMEOUT, "read_timeout": TIMEOUT}
    return boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=KEY,
        aws_secret_access_key="x",
        config=Config(retries={"total_max_attempts": 1}, proxies={}, **patience),
    )


def _converse_stream(client: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """A stream as the answer that `converse` gives."""
    blocks: dict[int, dict[str, Any]] = {}
    whole: dict[str, Any] = {}
    for event in client.converse_stream(**asked)["stream"]:
        match event:
            case {"contentBlockStart": {"contentBlockIndex": index, "start": {"toolUse": use}}}:
                blocks[index] = {"toolUse": {**use, "input": ""}}
            case {"contentBlockDelta": {"contentBlockIndex": index, "delta": {"toolUse": {"input": piece}}}}:
                blocks[index]["toolUse"]["input"] += piece
            case {"contentBlockDelta": {"contentBlockIndex": index, "delta": {"text": piece}}}:
                blocks.setdefault(index, {"text": ""})["text"] += piece
            case {"contentBlockDelta": {"contentBlockIndex": index, "delta": {"reasoningContent": piece}}}:
                thought = blocks.setdefault(index, {"reasoningContent": {"reasoningText": {"text": ""}}})
                thought = thought["reasoningContent"]["reasoningText"]
                thought["text"] += piece.get("text", "")
                thought |= {"signature": piece["signature"]} if "signature" in piece else {}
            case {"messageStop": stop}:
                whole |= stop
            case {"metadata": metadata}:
                whole |= metadata
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"] or "{}")
    content = [blocks[index] for index in sorted(blocks)]
    return {**whole, "output": {"message": {"role": "assistant", "content": content}}}


def converse(url: str, model: str, *, stream: bool) -> Told:
    told = Told()
    tool = {"name": "get_weather", "description": ABOUT, "inputSchema": {"json": SCHEMA}}
    turns: list[Any] = [{"role": "user", "content": [{"text": PROMPT}]}]
    asked: dict[str, Any] = {"modelId": model, "messages": turns, "toolConfig": {"tools": [{"toolSpec": tool}]}}
    client = _bedrock(url)
    try:
        for _ in range(TURNS):
            made = _converse_stream(client, asked) if stream else client.converse(**asked)
            message, usage = made["output"]["message"], made["usage"]
            text = "".join(block.get("text", "") for block in message["content"])
            told.turn(text, made["stopReason"], usage["inputTokens"], usage["outputTokens"])
            uses = [block["toolUse"] for block in message["content"] if "toolUse" in block]
            if not uses:
                break
            results = [(use["toolUseId"], told.call(use["name"], use["input"], use["toolUseId"])) for use in uses]
            content = [{"toolResult": {"toolUseId": id_, "content": [{"text": result}]}} for id_, result in results]
            turns += [message, {"role": "user", "content": content}]
    finally:
        client.close()
    return told


def _invoke_stream(client: Any, model: str, body: str) -> dict[str, Any]:
    """A stream of Claude's events as the whole message."""
    whole: dict[str, Any] = {}
    for frame in client.invoke_model_with_response_stream(modelId=model, body=body)["body"]:
        event = json.loads(frame["chunk"]["bytes"])
        match event:
            case {"type": "message_start", "message": message}:
                whole = message
            case {"type": "content_block_start", "content_block": block}:
                whole["content"].append(block | ({"input": ""} if block["type"] == "tool_use" else {}))
            case {"type": "content_block_delta", "index": index, "delta": delta}:
                name = delta["type"].removesuffix("_delta").replace("input_json", "input")
                piece = delta.get("partial_json", delta.get(name))
                whole["content"][index][name] = whole["content"][index].get(name, "") + piece
            case {"type": "message_delta", "delta": delta, "usage": usage}:
                whole |= {**delta, "usage": whole["usage"] | usage}
    for block in whole["content"]:
        if block["type"] == "tool_use":
            block["input"] = json.loads(block["input"] or "{}")
    return whole


def invoke(url: str, model: str, *, stream: bool) -> Told:
    """The body is the app's own."""
    told = Told()
    turns = [*ASKED]
    asked = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 100, "tools": ANTHROPIC_TOOLS}
    client = _bedrock(url)
    try:
        for _ in range(TURNS):
            body = json.dumps({**asked, "messages": turns})
            if stream:
                made = _invoke_stream(client, model, body)
            else:
                made = json.loads(client.invoke_model(modelId=model, body=body)["body"].read())
            usage = made["usage"]
            told.turn(_text(made["content"]), made["stop_reason"], usage["input_tokens"], usage["output_tokens"])
            results = _results(told, made["content"])
            if not results:
                break
            turns += [{"role": "assistant", "content": made["content"]}, {"role": "user", "content": results}]
    finally:
        client.close()
    return told


# Cohere and Ollama


def _cohere_stream(client: cohere.ClientV2, asked: Any) -> tuple[dict[str, Any], Any, Any]:
    message: dict[str, Any] = {"role": "assistant"}
    calls: list[Any] = []
    end: Any = None
    for event in client.chat_stream(**asked):
        delta: Any = getattr(event, "delta", None)
        match event.type:
            case "tool-plan-delta":
                message["tool_plan"] = message.get("tool_plan", "") + delta.message.tool_plan
            case "content-delta":
                message["content"] = message.get("content", "") + (delta.message.content.text or "")
            case "tool-call-start":
                calls.append(delta.message.tool_calls.model_dump())
            case "tool-call-delta":
                calls[-1]["function"]["arguments"] += delta.message.tool_calls.function.arguments
            case "message-end":
                end = delta
    return message | ({"tool_calls": calls} if calls else {}), end.finish_reason, end.usage


def _cohere_whole(client: cohere.ClientV2, asked: Any) -> tuple[dict[str, Any], Any, Any]:
    made = client.chat(**asked)
    message = made.message.model_dump(exclude_none=True)
    if "content" in message:
        message["content"] = "".join(part["text"] for part in message["content"] if part["type"] == "text")
    return message, made.finish_reason, made.usage


def cohere_chat(url: str, model: str, *, stream: bool) -> Told:
    told = Told()
    turns = [*ASKED]
    asked = {"model": model, "messages": turns, "tools": CHAT_TOOLS, "request_options": {"max_retries": 0}}
    with (
        httpx.Client(trust_env=False, timeout=TIMEOUT) as http,
        cohere.ClientV2(api_key=KEY, base_url=url, httpx_client=http) as client,
    ):
        for _ in range(TURNS):
            message, finish, usage = (_cohere_stream if stream else _cohere_whole)(client, asked)
            tokens = usage.tokens
            said = message.get("tool_plan", "") + message.get("content", "")
            told.turn(said, finish, tokens.input_tokens, tokens.output_tokens)
            turns.append(message)
            if not message.get("tool_calls"):
                break
            for call in message["tool_calls"]:
                function = call["function"]
                result = told.call(function["name"], json.loads(function["arguments"]), call["id"])
                turns.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    return told


def ollama_chat(url: str, model: str, *, stream: bool) -> Told:
    told = Told()
    turns = [*ASKED]
    with ollama.Client(host=url, trust_env=False, timeout=TIMEOUT) as client:
        for _ in range(TURNS):
            made: Any = client.chat(model=model, messages=turns, tools=CHAT_TOOLS, stream=stream)
            chunks = list(made) if stream else [made]
            text = "".join(chunk.message.content or "" for chunk in chunks)
            calls = [call for chunk in chunks for call in chunk.message.tool_calls or []]
            end = chunks[-1]
            told.turn(text, end.done_reason, end.prompt_eval_count, end.eval_count)
            turns.append({"role": "assistant", "content": text, "tool_calls": calls})
            for call in calls:
                result = told.call(call.function.name, dict(call.function.arguments))
                turns.append({"role": "tool", "tool_name": call.function.name, "content": result})
            if not calls:
                break
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
        Mistral(api_key=KEY, server_url=url, client=http, timeout_ms=int(TIMEOUT * 1000)) as client,
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
