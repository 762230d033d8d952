"""Whole conversations through frameworks, which take the calls and send the results in their own ways."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import agents
import anthropic
import openai
import pydantic_ai
from interop.mock_clients import (
    ABOUT,
    ANTHROPIC_TOOLS,
    CHAT_TOOLS,
    KEY,
    PROMPT,
    SCHEMA,
    TIMEOUT,
    TURNS,
    Told,
    anthropic_client,
)
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from langsmith import tracing_context
from pydantic import SecretStr
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.language_models import BaseChatModel
    from pydantic_ai.models import Model

# LangChain


def _langchain(model: BaseChatModel, tools: list[Any], *, stream: bool) -> Told:
    told = Told()
    turns: list[Any] = [HumanMessage(PROMPT)]
    bound = model.bind_tools(tools)
    with tracing_context(enabled=False):
        for _ in range(TURNS):
            if stream:
                total: Any = None
                for chunk in bound.stream(turns):
                    total = chunk if total is None else total + chunk
            else:
                total = bound.invoke(turns)
            assert total.invalid_tool_calls == []
            known, used = total.response_metadata, total.usage_metadata
            finish = known.get("finish_reason") or known.get("stop_reason") or known.get("status")
            told.turn(total.text, finish, used["input_tokens"], used["output_tokens"])
            turns.append(total)
            if not total.tool_calls:
                break
            for call in total.tool_calls:
                turns.append(ToolMessage(told.call(call["name"], call["args"], call["id"]), tool_call_id=call["id"]))
    return told


def _langchain_openai(url: str, model: str, *, stream: bool, responses: bool) -> Told:
    with openai.DefaultHttpxClient(trust_env=False) as http:
        made = ChatOpenAI(
            model=model,
            base_url=f"{url}/v1",
            api_key=SecretStr(KEY),
            max_retries=0,
            timeout=TIMEOUT,
            http_client=http,
            use_responses_api=responses,
            stream_usage=True,
        )
        return _langchain(made, CHAT_TOOLS, stream=stream)


def langchain_chat(url: str, model: str, *, stream: bool) -> Told:
    return _langchain_openai(url, model, stream=stream, responses=False)


def langchain_responses(url: str, model: str, *, stream: bool) -> Told:
    return _langchain_openai(url, model, stream=stream, responses=True)


def langchain_anthropic(url: str, model: str, *, stream: bool) -> Told:
    with anthropic_client(url) as client:
        made = ChatAnthropic(
            model_name=model, base_url=url, api_key=SecretStr(KEY), max_retries=0, timeout=TIMEOUT, stop=None
        )
        # It takes no client, and the one that it makes heeds the environment and is never closed.
        made.__dict__["_client"] = client
        return _langchain(made, ANTHROPIC_TOOLS, stream=stream)


def _agents(url: str, model: str, kind: Callable[..., agents.Model], *, stream: bool) -> Told:
    """The framework runs the conversation."""
    agents.set_tracing_disabled(True)
    told = Told()

    async def run(context: Any, arguments: str) -> str:
        return told.call(context.tool_name, json.loads(arguments), context.tool_call_id)

    async def main() -> None:
        http = openai.DefaultAsyncHttpxClient(trust_env=False)
        async with openai.AsyncOpenAI(
            base_url=f"{url}/v1", api_key=KEY, max_retries=0, timeout=TIMEOUT, http_client=http
        ) as client:
            tool = agents.FunctionTool("get_weather", ABOUT, SCHEMA, run, strict_json_schema=False)
            settings = agents.ModelSettings(include_usage=True)
            agent = agents.Agent(name="agent", model=kind(model, client), model_settings=settings, tools=[tool])
            if stream:
                streamed = agents.Runner.run_streamed(agent, PROMPT, max_turns=TURNS)
                async for _ in streamed.stream_events():
                    pass
                made: Any = streamed
            else:
                made = await agents.Runner.run(agent, PROMPT, max_turns=TURNS)
        for answer in made.raw_responses:
            said = [item for item in answer.output if item.type == "message"]
            text = "".join(part.text for item in said for part in item.content)
            told.turn(text, None, answer.usage.input_tokens, answer.usage.output_tokens)
        assert made.final_output == told.texts[-1]

    asyncio.run(main())
    return told


def agents_chat(url: str, model: str, *, stream: bool) -> Told:
    return _agents(url, model, agents.OpenAIChatCompletionsModel, stream=stream)


def agents_responses(url: str, model: str, *, stream: bool) -> Told:
    return _agents(url, model, agents.OpenAIResponsesModel, stream=stream)


# Pydantic AI


async def _pydantic_ai(model: Model, *, stream: bool) -> Told:
    told = Told()

    async def run(context: pydantic_ai.RunContext[None], **arguments: Any) -> str:
        return told.call(context.tool_name or "", arguments, context.tool_call_id)

    tool = pydantic_ai.Tool.from_schema(run, "get_weather", ABOUT, SCHEMA, takes_ctx=True)
    agent = pydantic_ai.Agent(model, tools=[tool], retries=0)
    if stream:
        made: Any = None
        async with agent.run_stream_events(PROMPT) as events:
            async for event in events:
                made = event.result if isinstance(event, pydantic_ai.AgentRunResultEvent) else made
    else:
        made = await agent.run(PROMPT)
    for message in made.all_messages():
        if isinstance(message, pydantic_ai.messages.ModelResponse):
            text = "".join(part.content for part in message.parts if isinstance(part, pydantic_ai.messages.TextPart))
            told.turn(text, message.finish_reason, message.usage.input_tokens, message.usage.output_tokens)
    assert made.output == told.texts[-1]
    return told


def _pydantic_openai(url: str, model: str, kind: Callable[..., Model], *, stream: bool) -> Told:
    async def main() -> Told:
        http = openai.DefaultAsyncHttpxClient(trust_env=False)
        async with openai.AsyncOpenAI(
            base_url=f"{url}/v1", api_key=KEY, max_retries=0, timeout=TIMEOUT, http_client=http
        ) as client:
            return await _pydantic_ai(kind(model, provider=OpenAIProvider(openai_client=client)), stream=stream)

    return asyncio.run(main())


def pydantic_chat(url: str, model: str, *, stream: bool) -> Told:
    return _pydantic_openai(url, model, OpenAIChatModel, stream=stream)


def pydantic_responses(url: str, model: str, *, stream: bool) -> Told:
    return _pydantic_openai(url, model, OpenAIResponsesModel, stream=stream)


def pydantic_anthropic(url: str, model: str, *, stream: bool) -> Told:
    async def main() -> Told:
        http = anthropic.DefaultAsyncHttpxClient(trust_env=False)
        async with anthropic.AsyncAnthropic(
            base_url=url, api_key=KEY, max_retries=0, timeout=TIMEOUT, http_client=http
        ) as client:
            provider = AnthropicProvider(anthropic_client=client)
            return await _pydantic_ai(AnthropicModel(model, provider=provider), stream=stream)

    return asyncio.run(main())
