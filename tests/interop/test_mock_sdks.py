"""Whole conversations of real Python clients with the mock provider.

What a client told its app must be what the mock said, and its results must have come where they belong: the last text of
an answer that is made up quotes them.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from interop import mock_clients, mock_frameworks
from interop.mock_clients import weather
from mock.asking import SCRIPT, ask

import toolwire
from toolwire.testing import MockProvider

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from interop.mock_clients import Told

ROUNDS: list[Any] = [
    {"say": [{"call": "get_weather", "arguments": {"city": "Tromsø", "days": 1}}]},
    {"say": [{"text": "And"}, {"call": "get_weather", "arguments": {"city": '北京 "🚲"\n'}}], "size": 1},
    {"say": [{"text": "Both are cold."}]},
]

# How the turns with calls and the last one end, in a provider's words.
OPENAI = ("tool_calls", "stop")
RESPONSES = ("completed", "completed")
CLAUDE = ("tool_use", "end_turn")
GEMINI = ("STOP", "STOP")
COHERE = ("TOOL_CALL", "COMPLETE")
OLLAMA = ("stop", "stop")
PYDANTIC = ("tool_call", "stop")
UNTOLD = (None, None)

# name -> wire, conversation, ends
CLIENTS: dict[str, tuple[str, Callable[..., Told], tuple[str | None, str | None]]] = {
    "openai chat": ("openai-chat", mock_clients.chat, OPENAI),
    "openai chat helper": ("openai-chat", mock_clients.chat_helper, OPENAI),
    "openai responses": ("openai-responses", mock_clients.responses, RESPONSES),
    "anthropic": ("anthropic", mock_clients.messages, CLAUDE),
    "google-genai": ("gemini", mock_clients.gemini, GEMINI),
    "google-genai, vertex": ("gemini", mock_clients.vertex, GEMINI),
    "boto3 converse": ("bedrock-converse", mock_clients.converse, CLAUDE),
    "boto3 invoke": ("bedrock-invoke", mock_clients.invoke, CLAUDE),
    "cohere": ("cohere", mock_clients.cohere_chat, COHERE),
    "ollama": ("ollama", mock_clients.ollama_chat, OLLAMA),
    "mistralai": ("openai-chat", mock_clients.mistral, OPENAI),
    "langchain-openai chat": ("openai-chat", mock_frameworks.langchain_chat, OPENAI),
    "langchain-openai responses": ("openai-responses", mock_frameworks.langchain_responses, RESPONSES),
    "langchain-anthropic": ("anthropic", mock_frameworks.langchain_anthropic, CLAUDE),
    "openai-agents chat": ("openai-chat", mock_frameworks.agents_chat, UNTOLD),
    "openai-agents responses": ("openai-responses", mock_frameworks.agents_responses, UNTOLD),
    "pydantic-ai chat": ("openai-chat", mock_frameworks.pydantic_chat, PYDANTIC),
    "pydantic-ai responses": ("openai-responses", mock_frameworks.pydantic_responses, PYDANTIC),
    "pydantic-ai anthropic": ("anthropic", mock_frameworks.pydantic_anthropic, PYDANTIC),
}
NO_IDS = {"ollama"}  # its calls have none


@pytest.fixture(scope="module")
def mock() -> Iterator[MockProvider]:
    with MockProvider({"answers": {**SCRIPT["answers"], "rounds": ROUNDS}}) as provider:
        yield provider


@pytest.fixture(scope="module")
def expected(mock: MockProvider) -> Callable[[str], tuple[list[list[Any]], list[str]]]:
    """The calls of each turn and the texts of all, by the model's name."""

    def of(model: str) -> tuple[list[list[Any]], list[str]]:
        if model == "rounds":
            calls = [[("get_weather", part["arguments"]) for part in turn["say"] if "call" in part] for turn in ROUNDS]
            return calls[:-1], ["", "And", "Both are cold."]
        asked = ask("openai-chat", model)
        made = toolwire.collect([httpx2.post(mock.url + asked.path, json=asked.body, timeout=10).content])
        turn = [(call.name, call.arguments) for call in made.executable]
        quoted = "; ".join(f"{name} says {weather(arguments)}" for name, arguments in turn)
        return [turn], [made.text, "Lisbon is warmer." if model == "weather" else f"Done: {quoted}"]

    return of


def wait_for(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize(
    "model", ["weather", "rounds", "mock/one", "mock/parallel", "mock/interleaved", "mock/reasoning"]
)
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("name", CLIENTS)
def test_a_conversation(
    mock: MockProvider,
    expected: Callable[[str], tuple[list[list[Any]], list[str]]],
    name: str,
    model: str,
    *,
    stream: bool,
) -> None:
    wire, talk, (calling, ending) = CLIENTS[name]
    calls, texts = expected(model)
    mock.reset()
    told = talk(mock.url, model, stream=stream)

    assert told.calls == [call for turn in calls for call in turn]
    assert told.texts == texts
    assert told.finishes == [calling] * len(calls) + [ending]
    assert told.usage == [(42, 17)] * len(texts)
    assert len(set(told.ids)) == (0 if name in NO_IDS else len(told.calls))

    wait_for(lambda: all(seen.end for seen in mock.requests))
    assert [(seen.wire, seen.status, seen.end) for seen in mock.requests] == [(wire, 200, "clean")] * len(texts)
    for each, result in zip(told.ids, map(weather, (arguments for _, arguments in told.calls)), strict=False):
        sent = json.dumps(mock.requests[-1].body)
        assert json.dumps(each) in sent
        assert json.dumps(result)[1:-1] in sent
