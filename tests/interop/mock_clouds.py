"""Whole conversations of SDKs (Google, AWS, Cohere, Ollama) in the same form."""

from __future__ import annotations

import json
from typing import Any

import boto3
import cohere
import httpx
import ollama
from botocore.config import Config
from google import genai
from interop.mock_clients import (
    ABOUT,
    ANTHROPIC_TOOLS,
    ASKED,
    CHAT_TOOLS,
    KEY,
    PROMPT,
    SCHEMA,
    TIMEOUT,
    TURNS,
    Told,
    results_of,
    text_of,
)

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


def gemini_automatic(url: str, model: str, *, stream: bool) -> Told:
    """The SDK runs the function and asks again by itself; the app gets the last answer, or all chunks."""
    told = Told()

    def get_weather(city: str, days: int = 0) -> str:
        return told.call("get_weather", {"city": city, "days": days})

    config: Any = {"tools": [get_weather], "automatic_function_calling": {"maximum_remote_calls": TURNS}}
    client = genai.Client(api_key=KEY, http_options=_google_options(url))
    try:
        if stream:
            chunks = client.models.generate_content_stream(model=model, contents=PROMPT, config=config)
            told.turn("".join(chunk.text or "" for chunk in chunks))
        else:
            told.turn(client.models.generate_content(model=model, contents=PROMPT, config=config).text)
    finally:
        client.close()
    return told


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
            told.turn(text_of(made["content"]), made["stop_reason"], usage["input_tokens"], usage["output_tokens"])
            results = results_of(told, made["content"])
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
