"""The SDKs on the same bytes: what a user of each writes to have the live arguments at every event.

Each consumer reads one stream to its end. A stream too long to be read whole by a peer that re-parses is measured in
windows: everything before a place comes as one delta, then some small deltas are timed. What such a peer does at a
delta depends on the text it has, not on how it came, so the mean over evenly spread places is the cost of a delta.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from functools import cache
from importlib import import_module
from time import process_time_ns
from typing import TYPE_CHECKING, Any

from bench.payloads import PAYLOADS, cut
from bench.recordings import recording
from bench.streams import NAME, PROPERTIES, generated, split
from bench.transport import Switch, async_client, client

if TYPE_CHECKING:
    from collections.abc import Callable

    Consumer = Callable[[], object]

__all__ = ["SDKS", "WINDOW", "run"]

WINDOW = 40  # deltas timed at each place
MESSAGES = [{"role": "user", "content": "Write the file."}]
URL = "http://bench.invalid/v1"


def _live() -> Callable[[str], Any]:
    from_json = import_module("jiter").from_json

    def read(text: str) -> Any:
        return from_json(text.encode(), partial_mode="trailing-strings") if text.strip() else None

    return read


def floor(switch: Switch) -> Consumer:
    """httpx alone: the bytes, nothing read in them."""
    http = client(import_module("httpx2"), switch)

    def consume() -> None:
        with http.stream("POST", URL) as response:
            for _ in response.iter_bytes():
                pass

    return consume


def _openai(switch: Switch) -> Any:
    http = client(import_module("httpx2"), switch)
    return import_module("openai").OpenAI(api_key="bench", base_url=URL, http_client=http, max_retries=0)


def _tools(*, strict: bool) -> list[dict[str, Any]]:
    function: dict[str, Any] = {"name": NAME, "parameters": PROPERTIES}
    if strict:
        function = {**function, "strict": True, "parameters": {**PROPERTIES, "additionalProperties": False}}
    return [{"type": "function", "function": function}]


def openai_create(switch: Switch, *, value: bool = True) -> Consumer:
    """`chat.completions.create(stream=True)`: the user joins the fragments and re-parses them with jiter."""
    openai, live, tools = _openai(switch), _live(), _tools(strict=False)

    def consume() -> dict[int, str]:
        joined: dict[int, str] = {}
        for chunk in openai.chat.completions.create(model="bench", messages=MESSAGES, tools=tools, stream=True):
            for choice in chunk.choices:
                for call in choice.delta.tool_calls or ():
                    text = joined.get(call.index, "") + (call.function.arguments or "")
                    joined[call.index] = text
                    if value:
                        live(text)
        return joined

    return consume


def openai_stream(switch: Switch) -> Consumer:
    """`chat.completions.stream()`, with a strict tool, so that it fills `parsed_arguments` itself."""
    openai, tools = _openai(switch), _tools(strict=True)

    def consume() -> object:
        seen = None
        with openai.chat.completions.stream(model="bench", messages=MESSAGES, tools=tools) as stream:
            for event in stream:
                if event.type == "tool_calls.function.arguments.delta":
                    seen = event.parsed_arguments
        return seen

    return consume


def responses_create(switch: Switch) -> Consumer:
    """`responses.create(stream=True)`: joined and re-parsed by the user."""
    openai, live = _openai(switch), _live()

    def consume() -> dict[int, str]:
        joined: dict[int, str] = {}
        for event in openai.responses.create(model="bench", input="Write the file.", stream=True):
            if event.type == "response.function_call_arguments.delta":
                joined[event.output_index] = joined.get(event.output_index, "") + event.delta
                live(joined[event.output_index])
        return joined

    return consume


def responses_stream(switch: Switch) -> Consumer:
    """`responses.stream()`: its `snapshot` is text, re-parsed by the user."""
    openai, live = _openai(switch), _live()

    def consume() -> object:
        seen = None
        with openai.responses.stream(model="bench", input="Write the file.") as stream:
            for event in stream:
                if event.type == "response.function_call_arguments.delta":
                    seen = live(event.snapshot)
        return seen

    return consume


def _anthropic(switch: Switch) -> Any:
    http = client(import_module("httpx2"), switch)
    anthropic = import_module("anthropic").Anthropic(
        api_key="bench", base_url="http://bench.invalid", http_client=http, max_retries=0
    )
    tools = [{"name": NAME, "input_schema": PROPERTIES}]
    return anthropic.messages, {"model": "bench", "max_tokens": 1024, "messages": MESSAGES, "tools": tools}


def anthropic_create(switch: Switch) -> Consumer:
    """`messages.create(stream=True)`: joined and re-parsed by the user."""
    (messages, request), live = _anthropic(switch), _live()

    def consume() -> dict[int, str]:
        joined: dict[int, str] = {}
        for event in messages.create(**request, stream=True):
            if event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                joined[event.index] = joined.get(event.index, "") + event.delta.partial_json
                live(joined[event.index])
        return joined

    return consume


def anthropic_stream(switch: Switch) -> Consumer:
    """`messages.stream()`: the `snapshot` of its `input_json` events."""
    messages, request = _anthropic(switch)

    def consume() -> object:
        seen = None
        with messages.stream(**request) as stream:
            for event in stream:
                if event.type == "input_json":
                    seen = event.snapshot
        return seen

    return consume


def google_genai(switch: Switch) -> Consumer:
    """`generate_content_stream`: `args` and `partial_args` as it hands them over; it puts no partial ones together."""
    genai = import_module("google.genai")
    http = client(import_module("httpx"), switch)
    google = genai.Client(vertexai=True, api_key="bench", http_options={"httpx_client": http})

    def consume() -> object:
        seen = None
        for chunk in google.models.generate_content_stream(model="bench", contents="Write the file."):
            for candidate in chunk.candidates or ():
                for part in (candidate.content and candidate.content.parts) or ():
                    if part.function_call:
                        seen = part.function_call.args or part.function_call.partial_args
        return seen

    return consume


def pydantic_ai(switch: Switch) -> Consumer:
    """`model_request_stream` on its OpenAI model: a part's `args` come joined, and the user re-parses them."""
    http = async_client(import_module("httpx2"), switch)
    openai = import_module("openai").AsyncOpenAI(api_key="bench", base_url=URL, http_client=http, max_retries=0)
    provider = import_module("pydantic_ai.providers.openai").OpenAIProvider(openai_client=openai)
    model = import_module("pydantic_ai.models.openai").OpenAIChatModel("gpt-4o", provider=provider)
    messages = import_module("pydantic_ai.messages")
    definition = import_module("pydantic_ai.tools").ToolDefinition(name=NAME, parameters_json_schema=PROPERTIES)
    parameters = import_module("pydantic_ai.models").ModelRequestParameters(function_tools=[definition])
    request_stream = import_module("pydantic_ai.direct").model_request_stream
    from_json = import_module("pydantic_core").from_json
    request = [messages.ModelRequest.user_text_prompt("Write the file.")]
    loop = asyncio.new_event_loop()

    async def read() -> object:
        seen = None
        async with request_stream(model, request, model_request_parameters=parameters) as stream:
            async for event in stream:
                if isinstance(event, messages.PartDeltaEvent) and isinstance(event.delta, messages.ToolCallPartDelta):
                    args = stream.get().parts[event.index].args
                    seen = from_json(args, allow_partial="trailing-strings")
        return seen

    return lambda: loop.run_until_complete(read())


def litellm(switch: Switch) -> Consumer:
    """`completion(stream=True)` on its OpenAI route: joined and re-parsed by the user."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    module: Any = import_module("litellm")
    module.telemetry = False
    module.suppress_debug_info = True
    openai, live, tools = _openai(switch), _live(), _tools(strict=False)

    def consume() -> dict[int, str]:
        joined: dict[int, str] = {}
        stream = module.completion(model="openai/bench", messages=MESSAGES, tools=tools, stream=True, client=openai)
        for chunk in stream:
            for choice in chunk.choices:
                for call in choice.delta.tool_calls or ():
                    text = joined.get(call.index, "") + (call.function.arguments or "")
                    joined[call.index] = text
                    live(text)
        return joined

    return consume


# label -> (wire, its consumer, whether long streams are measured in windows)
SDKS: dict[str, tuple[str, Callable[[Switch], Consumer], bool]] = {
    "openai create + jiter": ("openai-chat", openai_create, True),
    "openai create, no value": ("openai-chat", lambda switch: openai_create(switch, value=False), True),
    "openai .stream()": ("openai-chat", openai_stream, True),
    "pydantic-ai": ("openai-chat", pydantic_ai, True),
    "litellm + jiter": ("openai-chat", litellm, True),
    "openai responses.create + jiter": ("openai-responses", responses_create, True),
    "openai responses.stream() + jiter": ("openai-responses", responses_stream, True),
    "anthropic create + jiter": ("anthropic", anthropic_create, True),
    "anthropic messages.stream()": ("anthropic", anthropic_stream, True),
    "google-genai": ("gemini", google_genai, False),
    "httpx alone": ("", floor, False),
}
SAMPLED_FROM = 60_000  # characters of arguments
COSTLY = {"litellm + jiter": 10_000}  # the same, for those that take long at any length


@cache
def _consumer(name: str) -> tuple[Switch, Consumer]:
    switch = Switch()
    return switch, SDKS[name][1](switch)


@cache
def _chunks(wire: str, payload: str, size: int) -> list[bytes]:
    return recording(payload) if "/" in payload else generated(wire, PAYLOADS[payload], size)


@cache
def _windows(wire: str, payload: str, size: int, samples: int) -> list[tuple[list[bytes], list[bytes]]]:
    text = PAYLOADS[payload]
    found = []
    for k in range(samples):
        place = (2 * k + 1) * len(text) // (2 * samples)
        before, deltas, _ = split(wire, [text[:place], *cut(text[place : place + WINDOW * size], size)])
        found.append(([*before, deltas[0]], deltas[1:]))
    return found


@cache
def _warm(name: str, wire: str) -> None:
    """What a consumer does once, and fills, at its first stream."""
    switch, consume = _consumer(name)
    for _ in range(2):
        _whole(switch, consume, generated(wire, PAYLOADS["search call"], 4))


def _whole(switch: Switch, consume: Consumer, chunks: list[bytes]) -> tuple[int, int]:
    """CPU time of the set-up, and of the stream from its first byte until the consumer is done."""
    switch.load(chunks)
    began = process_time_ns()
    consume()
    done = process_time_ns()
    return switch.began - began, done - switch.began


def _window(switch: Switch, consume: Consumer, before: list[bytes], deltas: list[bytes]) -> float:
    switch.load(deltas, before)
    with contextlib.suppress(Exception):  # the stream ends within its arguments, which some mind
        consume()
    assert switch.ended, "the consumer stopped before the window's end"
    return (switch.ended - switch.began) / len(deltas)


def run(name: str, case: dict[str, Any], work_ns: float, samples: int) -> dict[str, Any]:
    """ns per server-sent event, and the set-up apart from it."""
    switch, consume = _consumer(name)
    wire, payload, size = case["wire"], case["payload"], case["size"]
    long = SDKS[name][2] and "/" not in payload and len(PAYLOADS[payload]) > COSTLY.get(name, SAMPLED_FROM)
    if long or case.get("windows"):
        _warm(name, wire)
        costs = [_window(switch, consume, *window) for window in _windows(wire, payload, size, samples // 2)]
        units = len(PAYLOADS[payload]) // size
        return {"ns": sum(costs) / len(costs), "units": units, "sampled": len(costs)}
    chunks = _chunks(wire, payload, size)
    _warm(name, wire)
    setup = spent = runs = 0
    while spent < work_ns:
        apart, stream = _whole(switch, consume, chunks)
        setup += apart
        spent += stream
        runs += 1
    return {"ns": spent / runs / len(chunks), "units": len(chunks), "setup": setup / runs}
