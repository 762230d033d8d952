"""The official clients read the bodies, and raise what they raise for their provider's own errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anthropic
import cohere
import ollama
import openai
import pytest
from botocore.exceptions import ClientError
from cohere.core.api_error import ApiError
from google import genai
from google.genai.errors import APIError
from interop.test_sdks import bedrock, serving
from wire.bodies.test_bodies import CALLING, message_of

from toolwire.events import StreamError
from toolwire.wire.bodies import BODIES, body_of, error_body

if TYPE_CHECKING:
    from collections.abc import Callable

ASK: list[Any] = [{"role": "user", "content": "hi"}]
Said = tuple[str, list[tuple[str, Any]]]  # text, and names and arguments of calls


def by_openai_chat(url: str) -> Said:
    with openai.OpenAI(api_key="x", base_url=url, max_retries=0) as client:
        message = client.chat.completions.create(model="m", messages=ASK).choices[0].message
    return message.content or "", [
        (each.function.name, json.loads(each.function.arguments)) for each in message.tool_calls
    ]


def by_openai_responses(url: str) -> Said:
    with openai.OpenAI(api_key="x", base_url=url, max_retries=0) as client:
        response = client.responses.create(model="m", input="hi")
    calls = [each for each in response.output if each.type == "function_call"]
    return response.output_text, [(each.name, json.loads(each.arguments)) for each in calls]


def by_anthropic(url: str) -> Said:
    with anthropic.Anthropic(api_key="x", base_url=url, max_retries=0) as client:
        message = client.messages.create(model="m", max_tokens=1, messages=ASK)
    text = "".join(each.text for each in message.content if each.type == "text")
    return text, [(each.name, each.input) for each in message.content if each.type == "tool_use"]


def by_converse(url: str) -> Said:
    with bedrock(url) as client:
        answer = client.converse(modelId="m", messages=[{"role": "user", "content": [{"text": "hi"}]}])
    blocks = answer["output"]["message"]["content"]
    tools = [each["toolUse"] for each in blocks if "toolUse" in each]
    return "".join(each.get("text", "") for each in blocks), [(each["name"], each["input"]) for each in tools]


def by_invoke(url: str) -> Said:
    with bedrock(url) as client:
        message = json.loads(client.invoke_model(modelId="m", body=b"{}")["body"].read())
    blocks = message["content"]
    tools = [each for each in blocks if each["type"] == "tool_use"]
    return "".join(each.get("text", "") for each in blocks), [(each["name"], each["input"]) for each in tools]


def by_genai(url: str) -> Said:
    client = genai.Client(api_key="x", http_options={"base_url": url})
    try:
        parts = client.models.generate_content(model="m", contents="hi").candidates[0].content.parts
    finally:
        client.close()
    text = "".join(each.text or "" for each in parts if not each.thought)
    return text, [(each.function_call.name, each.function_call.args) for each in parts if each.function_call]


def by_cohere(url: str) -> Said:
    message = cohere.ClientV2(api_key="x", base_url=url).chat(model="m", messages=ASK).message
    text = "".join(each.text for each in message.content if each.type == "text")
    return text, [(each.function.name, json.loads(each.function.arguments)) for each in message.tool_calls]


def by_ollama(url: str) -> Said:
    client = ollama.Client(host=url)
    try:
        message = client.chat("m", ASK).message
    finally:
        client.close()
    return message.content, [(each.function.name, each.function.arguments) for each in message.tool_calls]


CLIENTS: dict[str, tuple[Callable[[str], Said], type[Exception]]] = {
    "anthropic": (by_anthropic, anthropic.APIStatusError),
    "bedrock-converse": (by_converse, ClientError),
    "bedrock-invoke": (by_invoke, ClientError),
    "cohere": (by_cohere, ApiError),
    "gemini": (by_genai, APIError),
    "ollama": (by_ollama, ollama.ResponseError),
    "openai-chat": (by_openai_chat, openai.APIStatusError),
    "openai-responses": (by_openai_responses, openai.APIStatusError),
}


@pytest.mark.parametrize("wire", BODIES)
def test_a_body(wire: str) -> None:
    read, _ = CLIENTS[wire]
    with serving(json.dumps(body_of(message_of(CALLING), wire)).encode(), "json") as url:
        assert read(url) == ("ab", [("f", {"x": 1}), ("g", {})])


def status_of(error: Any) -> int:
    """The HTTP status, wherever a client has it."""
    if isinstance(error, ClientError):
        status: int = error.response["ResponseMetadata"]["HTTPStatusCode"]
        return status
    return error.code if isinstance(error, APIError) else error.status_code


@pytest.mark.parametrize("kind", ["invalid_request", "rate_limit"])
@pytest.mark.parametrize("wire", BODIES)
def test_an_error(wire: str, kind: Any) -> None:
    read, raises = CLIENTS[wire]
    status, body = error_body(StreamError(kind, "what went wrong"), wire)
    with (
        serving(json.dumps(body).encode(), "json", status) as url,
        pytest.raises(raises, match="what went wrong") as raised,
    ):
        read(url)
    assert status_of(raised.value) == status
    if isinstance(raised.value, ClientError):
        assert raised.value.response["Error"]["Code"] == body["__type"]
