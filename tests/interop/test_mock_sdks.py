"""Whole conversations of real Python clients with the mock provider.

What a client told its app must be what the mock said, and its results must have come where they belong: an answer that
is made up quotes them.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from interop import mock_clients, mock_clouds, mock_frameworks
from interop.mock_clients import weather
from mock.asking import CALLS, ask

import toolwire
from toolwire.testing import MockProvider

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from interop.mock_clients import Told

BOTH: list[Any] = [
    {
        "say": [
            {"text": "I'll look at both."},
            *(
                {"call": name, "arguments": arguments, "id": f"call0000{n}"}
                for n, (name, arguments) in enumerate(CALLS)
            ),
        ],
        "size": 5,
    },
    {"after": "get_weather", "say": [{"text": "Lisbon is warmer."}]},
]
ROUNDS: list[Any] = [
    {"say": [{"call": "get_weather", "arguments": {"city": "Tromsø", "days": 1}, "id": "call00008"}]},
    {
        "say": [{"text": "And"}, {"call": "get_weather", "arguments": {"city": '北京 "🚲"\n'}, "id": "call00009"}],
        "size": 1,
    },
    {"say": [{"text": "Both are cold."}]},
]

NO_IDS: list[Any] = [
    {"say": [{"call": "get_weather", "arguments": {"city": "Tromsø"}}]},
    {"say": [{"call": "get_weather", "arguments": {"city": "Bergen"}}]},
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
PYDANTIC_RESPONSES = ("stop", "stop")
UNTOLD = (None, None)

# name -> wire, conversation, ends
CLIENTS: dict[str, tuple[str, Callable[..., Told], tuple[str | None, str | None]]] = {
    "openai chat": ("openai-chat", mock_clients.chat, OPENAI),
    "openai chat helper": ("openai-chat", mock_clients.chat_helper, OPENAI),
    "openai responses": ("openai-responses", mock_clients.responses, RESPONSES),
    "anthropic": ("anthropic", mock_clients.messages, CLAUDE),
    "google-genai": ("gemini", mock_clouds.gemini, GEMINI),
    "google-genai, vertex": ("gemini", mock_clouds.vertex, GEMINI),
    "boto3 converse": ("bedrock-converse", mock_clouds.converse, CLAUDE),
    "boto3 invoke": ("bedrock-invoke", mock_clouds.invoke, CLAUDE),
    "cohere": ("cohere", mock_clouds.cohere_chat, COHERE),
    "ollama": ("ollama", mock_clouds.ollama_chat, OLLAMA),
    "mistralai": ("openai-chat", mock_clients.mistral, OPENAI),
    "langchain-openai chat": ("openai-chat", mock_frameworks.langchain_chat, OPENAI),
    "langchain-openai responses": ("openai-responses", mock_frameworks.langchain_responses, RESPONSES),
    "langchain-anthropic": ("anthropic", mock_frameworks.langchain_anthropic, CLAUDE),
    "openai-agents chat": ("openai-chat", mock_frameworks.agents_chat, UNTOLD),
    "openai-agents responses": ("openai-responses", mock_frameworks.agents_responses, UNTOLD),
    "pydantic-ai chat": ("openai-chat", mock_frameworks.pydantic_chat, PYDANTIC),
    "pydantic-ai responses": ("openai-responses", mock_frameworks.pydantic_responses, PYDANTIC_RESPONSES),
    "pydantic-ai anthropic": ("anthropic", mock_frameworks.pydantic_anthropic, PYDANTIC),
}
SCRIPTED = {"weather": ["call00000", "call00001"], "rounds": ["call00008", "call00009"]}  # with the calls' ids
MADE_UP = ("mock/one", "mock/parallel", "mock/interleaved", "mock/reasoning")

# What a client needs of the wire: a name in each delta of a call, and so calls that are whole.
NEEDS = {"mistralai": "?quirks=one-delta"}


@pytest.fixture(scope="module")
def mock() -> Iterator[MockProvider]:
    with MockProvider({"answers": {"weather": BOTH, "rounds": ROUNDS, "no ids": NO_IDS}}) as provider:
        yield provider


@pytest.fixture(scope="module")
def expected(mock: MockProvider) -> Callable[[str], tuple[list[list[Any]], list[str]]]:
    """The calls of each turn and the texts of all, by the model's name."""

    def of(model: str) -> tuple[list[list[Any]], list[str]]:
        if model == "rounds":
            calls = [[("get_weather", part["arguments"]) for part in turn["say"] if "call" in part] for turn in ROUNDS]
            return calls[:-1], ["", "And", "Both are cold."]
        asked = ask("openai-chat", model)
        made = toolwire.collect(
            [httpx2.post(mock.url + asked.path, json=asked.body, timeout=10, trust_env=False).content]
        )
        turn = [(call.name, call.arguments) for call in made.executable]
        quoted = "; ".join(f"{name} says {weather(arguments)}" for name, arguments in turn)
        return [turn], [made.text, "Lisbon is warmer." if model == "weather" else f"Done: {quoted}"]

    return of


def wait_for(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.005)


# It parses a call as soon as another's delta comes, whether or not it is whole.
CANT = ("openai chat helper", True, "mock/interleaved")
TALKS = [
    pytest.param(*talk, id=f"{name}-{'streamed' if stream else 'whole'}-{model}")
    for name in CLIENTS
    for stream in (True, False)
    for model in (*SCRIPTED, *MADE_UP)
    if (talk := (name, stream, model)) != CANT
]


@pytest.mark.parametrize(("name", "stream", "model"), TALKS)
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
    told = talk(mock.url, model + NEEDS.get(name, ""), stream=stream)

    assert told.calls == [call for turn in calls for call in turn]
    assert told.texts == texts
    assert told.finishes == [calling] * len(calls) + [ending]
    assert told.usage == [(42, 17)] * len(texts)
    if wire == "ollama":
        assert told.ids == []
    elif model in SCRIPTED:
        assert told.ids == SCRIPTED[model]
    else:  # Gemini's calls need none
        assert len(set(told.ids)) == (0 if wire == "gemini" else len(told.calls))

    wait_for(lambda: all(seen.end for seen in mock.requests))
    assert [(seen.wire, seen.status, seen.end) for seen in mock.requests] == [(wire, 200, "clean")] * len(texts)
    sent = json.dumps(mock.requests[-1].body)
    assert [each for each in told.ids if json.dumps(each) not in sent] == []
    places = [sent.index(json.dumps(weather(arguments))[1:-1]) for _, arguments in told.calls]
    assert places == sorted(places)


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_the_sdk_of_google_calls_functions_by_itself(mock: MockProvider, *, stream: bool) -> None:
    mock.reset()
    told = mock_clouds.gemini_automatic(mock.url, "weather", stream=stream)
    assert told.calls == [("get_weather", {"city": city, "days": 3}) for city in ("Lisbon", "Oslo")]
    assert told.texts == [("I'll look at both." if stream else "") + "Lisbon is warmer."]
    assert len(mock.requests) == 2


def test_the_helper_of_openai_takes_no_calls_that_take_turns(mock: MockProvider) -> None:
    name, stream, model = CANT
    _, talk, _ = CLIENTS[name]
    with pytest.raises(json.JSONDecodeError):
        talk(mock.url, model, stream=stream)


@pytest.mark.parametrize(
    "name", ["openai chat", "openai responses", "anthropic", "boto3 converse", "boto3 invoke", "cohere"]
)
def test_ids_that_are_made_up_are_new_in_each_turn(mock: MockProvider, name: str) -> None:
    told = CLIENTS[name][1](mock.url, "no ids", stream=True)
    assert told.texts == ["", "", "Both are cold."]
    assert len(set(told.ids)) == 2


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_ids_that_are_made_up_for_mistral_are_taken_back(mock: MockProvider, *, stream: bool) -> None:
    told = mock_clients.mistral(mock.url, "mock/parallel?quirks=one-delta", stream=stream)
    assert len(told.texts) == 2
