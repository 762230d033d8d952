"""Requests of the installed SDKs: two turns with tools each are taken, and read for what they ask."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import anthropic
import boto3
import cohere
import ollama
import openai
import pytest
from botocore.config import Config
from google import genai
from mock.requests_asking import SCHEMA, recording

from toolwire.mock.asked import Asked, Offered, RefusedError, Result
from toolwire.mock.requests import models_body

if TYPE_CHECKING:
    from collections.abc import Callable

    from mock.requests_asking import Sent

KEY = "key-of-mine"
MODEL = "mock/parallel?delay=20ms"
ESCAPED = MODEL.replace("?", "%3F")  # google-genai takes no `?` in a model's name
ASK = "What is the weather?"
WORD = "What is new?"
ARGUMENTS = {"city": "Rome"}
TEXT = json.dumps(ARGUMENTS)
CALLS = [("call00001", "get_weather"), ("call00002", "search")]
TOOL = {"name": "get_weather", "description": "Tell the weather.", "parameters": SCHEMA}
OTHER = {"name": "search", "description": "Search.", "parameters": {"type": "object", "properties": {}}}
CHAT_TOOLS: list[Any] = [{"type": "function", "function": TOOL}, {"type": "function", "function": OTHER}]
CHAT_CALLS: list[Any] = [
    {"id": id_, "type": "function", "function": {"name": name, "arguments": TEXT}} for id_, name in CALLS
]
ASKED: list[Any] = [{"role": "user", "content": ASK}]


def _openai(url: str) -> openai.OpenAI:
    http = openai.DefaultHttpxClient(trust_env=False)
    return openai.OpenAI(api_key=KEY, base_url=f"{url}/v1", max_retries=0, http_client=http)


def _chat_turns(client: Any) -> None:
    with client:
        made = client.chat.completions.create(model=MODEL, messages=ASKED, tools=CHAT_TOOLS)
        message = made.choices[0].message
        results = [{"role": "tool", "tool_call_id": call.id, "content": "ok"} for call in message.tool_calls]
        with contextlib.suppress(openai.BadRequestError):
            client.chat.completions.create(
                model=MODEL,
                messages=[*ASKED, message, *results],
                tools=CHAT_TOOLS,
                stream=True,
                stream_options={"include_usage": True},
            )


CHAT_ANSWER: dict[str, Any] = {
    "id": "x",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {"role": "assistant", "content": None, "tool_calls": CHAT_CALLS},
        }
    ],
}


def chat(url: str) -> None:
    _chat_turns(_openai(url))


def azure(url: str) -> None:
    http = openai.DefaultHttpxClient(trust_env=False)
    _chat_turns(
        openai.AzureOpenAI(azure_endpoint=url, api_version="2024-10-21", api_key=KEY, max_retries=0, http_client=http)
    )


def responses(url: str) -> None:
    tools: list[Any] = [{"type": "function", "strict": False, **each} for each in (TOOL, OTHER)]
    with _openai(url) as client:
        made = client.responses.create(model=MODEL, input=ASK, tools=tools)
        outputs = [
            {"type": "function_call_output", "call_id": item.call_id, "output": "ok"}
            for item in made.output
            if item.type == "function_call"
        ]
        turns: list[Any] = [*ASKED, *made.output, *outputs]
        with contextlib.suppress(openai.BadRequestError):
            client.responses.create(model=MODEL, input=turns, tools=tools, stream=True)


RESPONSES_ANSWER: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "status": "completed",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        *(
            {"type": "function_call", "id": f"fc_{id_}", "call_id": id_, "name": name, "arguments": TEXT}
            for id_, name in CALLS
        ),
    ],
}


def messages(url: str) -> None:
    tools: list[Any] = [
        {"name": each["name"], "description": each["description"], "input_schema": each["parameters"]}
        for each in (TOOL, OTHER)
    ]
    http = anthropic.DefaultHttpxClient(trust_env=False)
    with anthropic.Anthropic(api_key=KEY, base_url=url, max_retries=0, http_client=http) as client:
        made = client.messages.create(model=MODEL, max_tokens=99, messages=ASKED, tools=tools)
        results: list[Any] = [
            {"type": "tool_result", "tool_use_id": block.id, "content": [{"type": "text", "text": "ok"}]}
            for block in made.content
            if block.type == "tool_use"
        ]
        turns: list[Any] = [
            *ASKED,
            {"role": "assistant", "content": made.content},
            {"role": "user", "content": results},
        ]
        with contextlib.suppress(anthropic.BadRequestError):
            client.messages.create(model=MODEL, max_tokens=99, messages=turns, tools=tools, stream=True)


MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
    "content": [
        {"type": "text", "text": "Let me see."},
        *({"type": "tool_use", "id": id_, "name": name, "input": ARGUMENTS} for id_, name in CALLS),
    ],
}


def _genai_turns(client: genai.Client, model: str, *, partial: bool) -> None:
    tools: Any = [{"function_declarations": [without_schema(TOOL), without_schema(OTHER)]}]
    config: Any = {"tools": tools, "automatic_function_calling": {"disable": True}}
    try:
        made = client.models.generate_content(model=model, contents=ASK, config=config)
        assert made.candidates is not None
        content = made.candidates[0].content
        assert content is not None
        parts = [
            genai.types.Part.from_function_response(name=call.name or "", response={"result": "ok"})
            for call in made.function_calls or []
        ]
        turns: Any = [
            genai.types.Content(role="user", parts=[genai.types.Part(text=ASK)]),
            content,
            genai.types.Content(role="user", parts=parts),
        ]
        if partial:
            config |= {"tool_config": {"function_calling_config": {"stream_function_call_arguments": True}}}
        with contextlib.suppress(genai.errors.ClientError):
            list(client.models.generate_content_stream(model=model, contents=turns, config=config))
    finally:
        client.close()


def without_schema(tool: dict[str, Any]) -> dict[str, Any]:
    """A declaration with its schema in JSON Schema's words."""
    return {"name": tool["name"], "description": tool["description"], "parameters_json_schema": tool["parameters"]}


def gemini(url: str) -> None:
    options = genai.types.HttpOptions(base_url=url, client_args={"trust_env": False})
    _genai_turns(genai.Client(api_key=KEY, http_options=options), ESCAPED, partial=False)


def vertex(url: str) -> None:
    options = genai.types.HttpOptions(base_url=url, client_args={"trust_env": False})
    _genai_turns(genai.Client(vertexai=True, api_key=KEY, http_options=options), ESCAPED, partial=True)


GEMINI_ANSWER: dict[str, Any] = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [{"functionCall": {"name": name, "args": ARGUMENTS}} for _, name in CALLS],
            },
            "finishReason": "STOP",
        }
    ]
}


def _bedrock(url: str) -> Any:
    return boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=KEY,
        aws_secret_access_key="x",
        config=Config(retries={"total_max_attempts": 1}, proxies={}),
    )


def converse(url: str) -> None:
    tools = [
        {"toolSpec": {"name": each["name"], "description": "x", "inputSchema": {"json": each["parameters"]}}}
        for each in (TOOL, OTHER)
    ]
    client = _bedrock(url)
    first = {"role": "user", "content": [{"text": ASK}]}
    try:
        made = client.converse(modelId=MODEL, messages=[first], toolConfig={"tools": tools})
        message = made["output"]["message"]
        results = [
            {"toolResult": {"toolUseId": block["toolUse"]["toolUseId"], "content": [{"text": "ok"}]}}
            for block in message["content"]
            if "toolUse" in block
        ]
        with contextlib.suppress(client.exceptions.ClientError):
            client.converse_stream(
                modelId=MODEL,
                messages=[first, message, {"role": "user", "content": results}],
                toolConfig={"tools": tools},
            )
    finally:
        client.close()


CONVERSE_ANSWER: dict[str, Any] = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [{"toolUse": {"toolUseId": id_, "name": name, "input": ARGUMENTS}} for id_, name in CALLS],
        }
    },
    "stopReason": "tool_use",
    "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
    "metrics": {"latencyMs": 1},
}


def invoke(url: str) -> None:
    """The body is the app's own."""
    tools = [{"name": each["name"], "input_schema": each["parameters"]} for each in (TOOL, OTHER)]
    body: dict[str, Any] = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 99, "tools": tools}
    client = _bedrock(url)
    try:
        made = client.invoke_model(modelId=MODEL, body=json.dumps(body | {"messages": ASKED}))
        content = json.loads(made["body"].read())["content"]
        results = [
            {"type": "tool_result", "tool_use_id": block["id"], "content": "ok"}
            for block in content
            if block["type"] == "tool_use"
        ]
        turns = [*ASKED, {"role": "assistant", "content": content}, {"role": "user", "content": results}]
        with contextlib.suppress(client.exceptions.ClientError):
            client.invoke_model_with_response_stream(modelId=MODEL, body=json.dumps(body | {"messages": turns}))
    finally:
        client.close()


def cohere_chat(url: str) -> None:
    with cohere.ClientV2(api_key=KEY, base_url=url) as client:
        made = client.chat(model=MODEL, messages=ASKED, tools=CHAT_TOOLS)
        results: list[Any] = [
            {"role": "tool", "tool_call_id": call.id, "content": [{"type": "document", "document": {"data": "ok"}}]}
            for call in made.message.tool_calls or []
        ]
        turns: list[Any] = [*ASKED, made.message, *results]
        with contextlib.suppress(cohere.BadRequestError):
            list(client.chat_stream(model=MODEL, messages=turns, tools=CHAT_TOOLS))


COHERE_ANSWER: dict[str, Any] = {
    "id": "x",
    "finish_reason": "TOOL_CALL",
    "message": {"role": "assistant", "tool_plan": "I will look.", "tool_calls": CHAT_CALLS},
}


def ollama_chat(url: str) -> None:
    client = ollama.Client(host=url, headers={"Authorization": f"Bearer {KEY}"}, trust_env=False)
    with client:
        made = client.chat(model=MODEL, messages=ASKED, tools=CHAT_TOOLS)
        results = [
            {"role": "tool", "tool_name": call.function.name, "content": "ok"} for call in made.message.tool_calls or []
        ]
        with contextlib.suppress(ollama.ResponseError):
            list(client.chat(model=MODEL, messages=[*ASKED, made.message, *results], tools=CHAT_TOOLS, stream=True))


OLLAMA_ANSWER: dict[str, Any] = {
    "model": "m",
    "done": True,
    "message": {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": name, "arguments": ARGUMENTS}} for _, name in CALLS],
    },
}

# name -> wire, client, answer to its first request, whether ids are sent, and how the second request differs
CLIENTS: dict[str, tuple[str, Callable[[str], None], dict[str, Any], bool, dict[str, Any]]] = {
    "openai chat": ("openai-chat", chat, CHAT_ANSWER, True, {}),
    "openai chat, azure": ("openai-chat", azure, CHAT_ANSWER, True, {"dialect": "azure"}),
    "openai responses": ("openai-responses", responses, RESPONSES_ANSWER, True, {}),
    "anthropic": ("anthropic", messages, MESSAGE, True, {}),
    "google-genai": ("gemini", gemini, GEMINI_ANSWER, False, {}),
    "google-genai, vertex": ("gemini", vertex, GEMINI_ANSWER, False, {"partial_args": True}),
    "boto3 converse": ("bedrock-converse", converse, CONVERSE_ANSWER, True, {}),
    "boto3 invoke": ("bedrock-invoke", invoke, MESSAGE, True, {}),
    "cohere": ("cohere", cohere_chat, COHERE_ANSWER, True, {}),
    "ollama": ("ollama", ollama_chat, OLLAMA_ANSWER, False, {}),
}


@pytest.fixture(scope="module", params=CLIENTS)
def turns(request: pytest.FixtureRequest) -> tuple[str, list[Sent]]:
    """A client's name, and its two requests."""
    _, client, answer, _, _ = CLIENTS[request.param]
    with recording(answer) as (url, got):
        client(url)
    assert len(got) == 2
    return request.param, got


def _without_body(asked: Asked) -> dict[str, Any]:
    names = [name for name in Asked.__dataclass_fields__ if name not in ("body", "tools")]
    return {name: getattr(asked, name) for name in names}


def test_requests_of_sdks_are_read_for_what_they_ask(turns: tuple[str, list[Sent]]) -> None:
    name, (first, second) = turns
    wire, _, _, ids, more = CLIENTS[name]
    dialect = {"dialect": more.get("dialect", "")}
    one = first.read(wire, keys=KEY, models="mock/parallel")
    assert _without_body(one) == _without_body(Asked(wire, MODEL, stream=False, user=ASK, **dialect))
    assert one.tools[0] == Offered("get_weather", SCHEMA)
    assert [tool.name for tool in one.tools] == ["get_weather", "search"]
    assert one.body == json.loads(first.body)

    two = second.read(wire, keys=KEY, models="mock/parallel")
    results = tuple(Result(id_ if ids else "", tool, "ok") for id_, tool in CALLS)
    wanted = Asked(wire, MODEL, stream=True, user=ASK, results=results, rounds=1, **more)
    assert _without_body(two) == _without_body(wanted)
    assert two.tools == one.tools


def test_requests_of_sdks_are_refused_for_other_keys_and_models(turns: tuple[str, list[Sent]]) -> None:
    name, (first, second) = turns
    wire = CLIENTS[name][0]
    for request in (first, second):
        with pytest.raises(RefusedError) as caught:
            request.read(wire, keys="another")
        assert caught.value.status == (400 if wire == "gemini" else 403 if wire.startswith("bedrock") else 401)
        with pytest.raises(RefusedError) as caught:
            request.read(wire, models="another")
        bedrock = wire.startswith("bedrock") or wire == "openai-responses"
        assert caught.value.status == (400 if bedrock else 404)


# --- lists of models ----------------------------------------------------------------------------------------------

NAMES = ["mock/two", "mock/one"]


def _listed(wire: str, names: Callable[[str], list[Any]]) -> list[Any]:
    with recording(models_body(wire, frozenset(NAMES))) as (url, _):
        return names(url)


def test_sdks_read_their_lists_of_models() -> None:
    def by_openai(url: str) -> list[Any]:
        with _openai(url) as client:
            return [each.id for each in client.models.list()]

    def by_anthropic(url: str) -> list[Any]:
        http = anthropic.DefaultHttpxClient(trust_env=False)
        with anthropic.Anthropic(api_key=KEY, base_url=url, max_retries=0, http_client=http) as client:
            return [(each.id, each.created_at.year) for each in client.models.list()]

    def by_genai(url: str) -> list[Any]:
        options = genai.types.HttpOptions(base_url=url, client_args={"trust_env": False})
        client = genai.Client(api_key=KEY, http_options=options)
        try:
            return [(each.name, each.supported_actions) for each in client.models.list()]
        finally:
            client.close()

    def by_cohere(url: str) -> list[Any]:
        with cohere.ClientV2(api_key=KEY, base_url=url) as client:
            return [(each.name, each.endpoints) for each in client.models.list().models]

    def by_ollama(url: str) -> list[Any]:
        with ollama.Client(host=url, trust_env=False) as client:
            return [(each.model, each.details and each.details.family) for each in client.list().models]

    assert _listed("openai-chat", by_openai) == ["mock/one", "mock/two"]
    assert _listed("openai-responses", by_openai) == ["mock/one", "mock/two"]
    assert _listed("anthropic", by_anthropic) == [("mock/one", 2026), ("mock/two", 2026)]
    methods = ["generateContent", "countTokens"]
    assert _listed("gemini", by_genai) == [("models/mock/one", methods), ("models/mock/two", methods)]
    assert _listed("cohere", by_cohere) == [("mock/one", ["chat"]), ("mock/two", ["chat"])]
    assert _listed("ollama", by_ollama) == [("mock/one", "mock"), ("mock/two", "mock")]
