"""Real Python clients: each function has one turn streamed to it, and tells what an app that uses the client would do.

A function takes the base URL of a server (without `/v1`) and gives a plain dict:

- `text`, `reasoning`: what was streamed, also where the stream then failed; `""` for none
- `calls`: `[{"id", "name", "arguments"}]`, what the app would run, in order. `arguments` are parsed, and are what the
  client hands over: also where it has mended or cut them. None where the client raised before the app got its calls.
- `invalid`: the same, but `arguments` are the text that the app or the client can't use; nothing is run there
- `finish`: the finish or stop reason; for Responses the reason for being incomplete, or else the status; `None` if
  the client shows none
- `usage`: `{"input", "output"}` in tokens as the client tells them, or `None`
- `error`: `None`, or `"TypeName: message"` of what the client raised

`CLIENTS` has them by wire and name. All offer the same tools, try once, and take no proxy from the environment.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import agents
import anthropic
import openai
from agents.tool_context import ToolContext  # noqa: TC002 - the tools' annotations are read
from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI
from langsmith import tracing_context
from openai.types.responses import ResponseFunctionToolCall
from pydantic import BaseModel, SecretStr, create_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.language_models import BaseChatModel

    Turn = dict[str, Any]
    Client = Callable[[str], Turn]

TIMEOUT = 5.0  # seconds without a byte
MODEL = "some-model"
KEY = "no-key"
PROMPT = "What is the weather, and what is new?"
CLIENTS: dict[str, dict[str, Client]] = {}
ASK: list[Any] = [{"role": "user", "content": PROMPT}]


TOOLS: dict[str, type[BaseModel]] = {
    "get_weather": create_model("GetWeather", __doc__="Tell the weather.", city=(str, ...)),
    "search": create_model("Search", __doc__="Search the web.", query=(str, ...), limit=(int, ...)),
    "now": create_model("Now", __doc__="Tell the time."),
    "write_file": create_model("WriteFile", __doc__="Write a file.", path=(str, ...), content=(str, ...)),
}


def _described(name: str, schema_key: str) -> dict[str, Any]:
    """A tool's name, description and JSON Schema, the schema under the key that a provider wants."""
    tool = TOOLS[name]
    return {"name": name, "description": tool.__doc__, schema_key: tool.model_json_schema()}


CHAT_TOOLS: list[Any] = [{"type": "function", "function": _described(name, "parameters")} for name in TOOLS]
RESPONSES_TOOLS: list[Any] = [{"type": "function", "strict": False, **_described(name, "parameters")} for name in TOOLS]
ANTHROPIC_TOOLS: list[Any] = [_described(name, "input_schema") for name in TOOLS]
# The OpenAI helpers parse arguments only for tools that are made from models.
PYDANTIC_TOOLS: list[Any] = [openai.pydantic_function_tool(tool, name=name) for name, tool in TOOLS.items()]


def _client(wire: str, name: str) -> Callable[[Callable[[Turn, str], None]], Client]:
    """Make a function that fills in a turn one that gives it, and list it; whatever a client raises is a result."""

    def listed(fill: Callable[[Turn, str], None]) -> Client:
        def client(base: str) -> Turn:
            turn: Turn = {"text": "", "reasoning": "", "calls": [], "invalid": []}
            turn |= dict.fromkeys(("finish", "usage", "error"))
            try:
                fill(turn, base)
            except Exception as error:  # noqa: BLE001
                turn["error"] = f"{type(error).__name__}: {error}"
            return turn

        client.__name__, client.__doc__ = fill.__name__, fill.__doc__
        CLIENTS.setdefault(wire, {})[name] = client
        return client

    return listed


def _take(turn: Turn, id_: str | None, name: str | None, arguments: str) -> None:
    """A call whose arguments the app parses itself."""
    try:
        turn["calls"].append({"id": id_, "name": name, "arguments": json.loads(arguments)})
    except json.JSONDecodeError:
        turn["invalid"].append({"id": id_, "name": name, "arguments": arguments})


def _tokens(input_: int, output: int) -> dict[str, int]:
    return {"input": input_, "output": output}


def _openai(base: str) -> openai.OpenAI:
    http = openai.DefaultHttpxClient(trust_env=False)
    return openai.OpenAI(base_url=f"{base}/v1", api_key=KEY, max_retries=0, timeout=TIMEOUT, http_client=http)


def _anthropic(base: str) -> anthropic.Anthropic:
    http = anthropic.DefaultHttpxClient(trust_env=False)
    return anthropic.Anthropic(base_url=base, api_key=KEY, max_retries=0, timeout=TIMEOUT, http_client=http)


# OpenAI Chat


def _note_chat_chunk(turn: Turn, chunk: Any) -> None:
    if chunk.usage:
        turn["usage"] = _tokens(chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
    for choice in chunk.choices[:1]:
        turn["text"] += choice.delta.content or ""
        turn["reasoning"] += getattr(choice.delta, "reasoning_content", None) or ""
        turn["finish"] = choice.finish_reason or turn["finish"]


@_client("openai-chat", "openai raw")
def openai_chat_raw(turn: Turn, base: str) -> None:
    """openai, `chat.completions.create(stream=True)`: joined by index, run at the end whatever the finish reason."""
    calls: dict[int, dict[str, Any]] = {}
    with _openai(base) as client:
        with client.chat.completions.create(
            model=MODEL, messages=ASK, tools=CHAT_TOOLS, stream=True, stream_options={"include_usage": True}
        ) as stream:
            for chunk in stream:
                _note_chat_chunk(turn, chunk)
                for delta in (chunk.choices[0].delta.tool_calls or []) if chunk.choices else []:
                    call = calls.setdefault(delta.index, {"id": None, "name": None, "arguments": ""})
                    call["id"] = delta.id or call["id"]
                    if delta.function:
                        call["name"] = delta.function.name or call["name"]
                        call["arguments"] += delta.function.arguments or ""
        for call in calls.values():
            _take(turn, call["id"], call["name"], call["arguments"])


@_client("openai-chat", "openai helper")
def openai_chat_helper(turn: Turn, base: str) -> None:
    """openai, `chat.completions.stream()`: the parsed arguments of the final completion."""
    with _openai(base) as client:
        with client.chat.completions.stream(
            model=MODEL, messages=ASK, tools=PYDANTIC_TOOLS, stream_options={"include_usage": True}
        ) as stream:
            for event in stream:
                if event.type == "chunk":
                    _note_chat_chunk(turn, event.chunk)
            message = stream.get_final_completion().choices[0].message
        for call in message.tool_calls or []:
            _take_parsed(turn, call.id, call.function)


def _take_parsed(turn: Turn, id_: str | None, function: Any) -> None:
    """A call that an OpenAI helper has parsed; it parses none whose tool it doesn't know."""
    parsed = function.parsed_arguments
    if isinstance(parsed, BaseModel):
        turn["calls"].append({"id": id_, "name": function.name, "arguments": parsed.model_dump()})
    else:
        turn["invalid"].append({"id": id_, "name": function.name, "arguments": function.arguments})


# OpenAI Responses


def _note_responses_event(turn: Turn, event: Any) -> None:
    match event.type:
        case "response.output_text.delta":
            turn["text"] += event.delta
        case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
            turn["reasoning"] += event.delta
        case "response.completed" | "response.incomplete" | "response.failed":
            _note_response(turn, event.response)


def _note_response(turn: Turn, response: Any) -> None:
    details = response.incomplete_details
    turn["finish"] = details.reason if details and details.reason else response.status
    if response.usage:
        turn["usage"] = _tokens(response.usage.input_tokens, response.usage.output_tokens)


@_client("openai-responses", "openai raw")
def openai_responses_raw(turn: Turn, base: str) -> None:
    """openai, `responses.create(stream=True)`: deltas joined by output index, run at the end whatever the status."""
    calls: dict[int, Any] = {}
    with _openai(base) as client:
        with client.responses.create(model=MODEL, input=PROMPT, tools=RESPONSES_TOOLS, stream=True) as stream:
            for event in stream:
                _note_responses_event(turn, event)
                if event.type == "response.output_item.added" and event.item.type == "function_call":
                    calls[event.output_index] = event.item
                elif event.type == "response.function_call_arguments.delta":
                    calls[event.output_index].arguments += event.delta
        for call in calls.values():
            _take(turn, call.call_id, call.name, call.arguments)


@_client("openai-responses", "openai helper")
def openai_responses_helper(turn: Turn, base: str) -> None:
    """openai, `responses.stream()`: the parsed arguments of the final response."""
    with _openai(base) as client:
        with client.responses.stream(model=MODEL, input=PROMPT, tools=PYDANTIC_TOOLS) as stream:
            for event in stream:
                _note_responses_event(turn, event)
            response = stream.get_final_response()
        for item in response.output:
            if item.type == "function_call":
                _take_parsed(turn, item.call_id, item)


# Anthropic Messages


@_client("anthropic", "anthropic raw")
def anthropic_raw(turn: Turn, base: str) -> None:
    """anthropic, `messages.create(stream=True)`: joined by block index, run at the end whatever the stop reason."""
    calls: dict[int, dict[str, Any]] = {}
    with _anthropic(base) as client:
        with client.messages.create(
            model=MODEL, messages=ASK, max_tokens=1000, tools=ANTHROPIC_TOOLS, stream=True
        ) as stream:
            for event in stream:
                match event.type:
                    case "message_start":
                        turn["usage"] = _tokens(event.message.usage.input_tokens, event.message.usage.output_tokens)
                    case "content_block_start" if event.content_block.type == "tool_use":
                        block = event.content_block
                        calls[event.index] = {"id": block.id, "name": block.name, "arguments": ""}
                    case "content_block_delta":
                        match event.delta.type:
                            case "text_delta":
                                turn["text"] += event.delta.text
                            case "thinking_delta":
                                turn["reasoning"] += event.delta.thinking
                            case "input_json_delta":
                                calls[event.index]["arguments"] += event.delta.partial_json
                    case "message_delta":
                        turn["finish"] = event.delta.stop_reason
                        turn["usage"]["output"] = event.usage.output_tokens
        for call in calls.values():
            # A tool without arguments may send no delta at all.
            _take(turn, call["id"], call["name"], call["arguments"] or "{}")


@_client("anthropic", "anthropic helper")
def anthropic_helper(turn: Turn, base: str) -> None:
    """anthropic, `messages.stream()`: the inputs of the final message, which the client parses as they grow."""
    with _anthropic(base) as client:
        with client.messages.stream(model=MODEL, messages=ASK, max_tokens=1000, tools=ANTHROPIC_TOOLS) as stream:
            for event in stream:
                if event.type == "text":
                    turn["text"] += event.text
                elif event.type == "thinking":
                    turn["reasoning"] += event.thinking
            message = stream.get_final_message()
        turn["finish"] = message.stop_reason
        turn["usage"] = _tokens(message.usage.input_tokens, message.usage.output_tokens)
        for block in message.content:
            if block.type == "tool_use":
                turn["calls"].append({"id": block.id, "name": block.name, "arguments": block.input})


# LangChain


def _langchain(turn: Turn, model: BaseChatModel, tools: list[Any]) -> None:
    """`.stream()`, the chunks added, and the `tool_calls` of the sum."""
    total: Any = None
    with tracing_context(enabled=False):
        for chunk in model.bind_tools(tools).stream(PROMPT):
            turn["text"] += chunk.text
            thoughts = [block for block in chunk.content_blocks if block["type"] == "reasoning"]
            turn["reasoning"] += "".join(block.get("reasoning", "") for block in thoughts)
            total = chunk if total is None else total + chunk
    for calls, taken in ((total.tool_calls, "calls"), (total.invalid_tool_calls, "invalid")):
        turn[taken] = [{"id": call["id"], "name": call["name"], "arguments": call["args"]} for call in calls]
    known = total.response_metadata
    reason = (known.get("incomplete_details") or {}).get("reason")
    turn["finish"] = known.get("finish_reason") or known.get("stop_reason") or reason or known.get("status")
    if used := total.usage_metadata:
        turn["usage"] = _tokens(used["input_tokens"], used["output_tokens"])


def _langchain_openai(turn: Turn, base: str, *, responses: bool) -> None:
    with openai.DefaultHttpxClient(trust_env=False) as http:
        model = ChatOpenAI(
            model=MODEL,
            base_url=f"{base}/v1",
            api_key=SecretStr(KEY),
            max_retries=0,
            timeout=TIMEOUT,
            http_client=http,
            use_responses_api=responses,
            stream_usage=True,
        )
        _langchain(turn, model, CHAT_TOOLS)


@_client("openai-chat", "langchain")
def langchain_openai_chat(turn: Turn, base: str) -> None:
    """langchain-openai, `ChatOpenAI`."""
    _langchain_openai(turn, base, responses=False)


@_client("openai-responses", "langchain")
def langchain_openai_responses(turn: Turn, base: str) -> None:
    """langchain-openai, `ChatOpenAI(use_responses_api=True)`."""
    _langchain_openai(turn, base, responses=True)


@_client("anthropic", "langchain")
def langchain_anthropic(turn: Turn, base: str) -> None:
    """langchain-anthropic, `ChatAnthropic`."""
    with _anthropic(base) as client:
        model = ChatAnthropic(
            model_name=MODEL, base_url=base, api_key=SecretStr(KEY), max_retries=0, timeout=TIMEOUT, stop=None
        )
        # It takes no client, and the one that it makes heeds the environment and is never closed.
        model.__dict__["_client"] = client
        _langchain(turn, model, ANTHROPIC_TOOLS)


# OpenAI Agents


def _agent_tools(turn: Turn) -> list[agents.Tool]:
    """Tools that note what they were called with; asynchronous, so that they start in the order of the calls."""

    def note(context: ToolContext[Any], **arguments: Any) -> str:
        turn["calls"].append({"id": context.tool_call_id, "name": context.tool_name, "arguments": arguments})
        return "done"

    async def get_weather(context: ToolContext[Any], city: str) -> str:
        return note(context, city=city)

    async def search(context: ToolContext[Any], query: str, limit: int) -> str:
        return note(context, query=query, limit=limit)

    async def now(context: ToolContext[Any]) -> str:
        return note(context)

    async def write_file(context: ToolContext[Any], path: str, content: str) -> str:
        return note(context, path=path, content=content)

    return [
        agents.function_tool(tool, description_override=TOOLS[tool.__name__].__doc__)
        for tool in (get_weather, search, now, write_file)
    ]


def _agents(turn: Turn, base: str, model_class: Callable[..., agents.Model]) -> None:
    agents.set_tracing_disabled(True)

    async def main() -> None:
        http = openai.DefaultAsyncHttpxClient(trust_env=False)
        async with openai.AsyncOpenAI(
            base_url=f"{base}/v1", api_key=KEY, max_retries=0, timeout=TIMEOUT, http_client=http
        ) as client:
            # The turn's calls all run, then the first one's result is the answer: there is no second request.
            agent = agents.Agent(
                name="agent",
                model=model_class(MODEL, client),
                model_settings=agents.ModelSettings(include_usage=True),
                tools=_agent_tools(turn),
                tool_use_behavior="stop_on_first_tool",
            )
            run = agents.Runner.run_streamed(agent, PROMPT)
            async for event in run.stream_events():
                if event.type == "raw_response_event":
                    _note_responses_event(turn, event.data)
        ran = {call["id"] for call in turn["calls"]}
        for item in run.new_items:
            call = item.raw_item
            if isinstance(call, ResponseFunctionToolCall) and call.call_id not in ran:
                turn["invalid"].append({"id": call.call_id, "name": call.name, "arguments": call.arguments})

    asyncio.run(main())


@_client("openai-chat", "agents")
def agents_chat(turn: Turn, base: str) -> None:
    """openai-agents over Chat; `calls` are those whose tools ran, also where the run failed later."""
    _agents(turn, base, agents.OpenAIChatCompletionsModel)


@_client("openai-responses", "agents")
def agents_responses(turn: Turn, base: str) -> None:
    """openai-agents over Responses; `calls` are those whose tools ran, also where the run failed later."""
    _agents(turn, base, agents.OpenAIResponsesModel)
