"""What holds for the requests of every wire."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mock.requests_asking import SCHEMA, Sent, sent

import toolwire
from toolwire import UsageError
from toolwire.mock import requests
from toolwire.mock.asked import Asked, RefusedError
from toolwire.mock.requests import READERS, models_body

if TYPE_CHECKING:
    from collections.abc import Iterator

CALL = {"id": "call00001", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CHAT_TOOL = {"type": "function", "function": {"name": "f", "parameters": SCHEMA}}
CHAT: dict[str, Any] = {
    "model": "mock",
    "stream": True,
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call00001", "content": "ok"},
    ],
    "tools": [CHAT_TOOL],
}
MESSAGES: dict[str, Any] = {
    "model": "mock",
    "max_tokens": 9,
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "ok"}]},
    ],
    "tools": [{"name": "f", "input_schema": SCHEMA}],
    "tool_choice": {"type": "tool", "name": "f"},
    "anthropic_version": "bedrock-2023-05-31",
}

# wire and path -> a good body
GOOD: dict[tuple[str, str], dict[str, Any]] = {
    ("openai-chat", "/v1/chat/completions"): CHAT
    | {"tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [CHAT_TOOL]}}},
    ("openai-chat", "/mistral/v1/chat/completions"): CHAT,
    ("openai-responses", "/v1/responses"): {
        "model": "mock",
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
            {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "a", "output": "ok"},
        ],
        "tools": [
            {"type": "function", "name": "f", "parameters": SCHEMA},
            {"type": "namespace", "name": "n", "tools": [{"type": "custom", "name": "c"}]},
        ],
        "tool_choice": {"type": "function", "name": "f"},
    },
    ("anthropic", "/v1/messages"): MESSAGES,
    ("bedrock-invoke", "/model/mock/invoke"): MESSAGES,
    ("bedrock-converse", "/model/mock/converse"): {
        "messages": [
            {"role": "user", "content": [{"text": "Hi"}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "f", "input": {}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"json": {"a": 1}}]}}]},
        ],
        "toolConfig": {
            "tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": SCHEMA}}}],
            "toolChoice": {"tool": {"name": "f"}},
        },
        "additionalModelRequestFields": {"tool_choice": {"disable_parallel_tool_use": True}},
    },
    ("gemini", "/v1beta/models/mock:streamGenerateContent"): {
        "contents": [
            {"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}, "willContinue": False}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": "ok"}}}]},
        ],
        "tools": [{"functionDeclarations": [{"name": "f", "parameters": SCHEMA}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}},
    },
    ("cohere", "/v2/chat"): CHAT | {"tool_choice": "REQUIRED"},
    ("ollama", "/api/chat"): {
        "model": "mock",
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]},
            {"role": "tool", "tool_name": "f", "content": "ok"},
        ],
        "tools": [CHAT_TOOL],
    },
}
ODD: list[Any] = [None, True, 0, -1, 1.5, "", "x", "auto", "null", [], [[]], [None], ["x"], {}, {"a": {}}, {"type": []}]
ODD += [{"type": {}}, {"name": []}, {"text": 1}, 10**400, "\ud800", {"type": "function"}, {"content": None}]


def good(wire: str, path: str) -> Sent:
    return sent(path, GOOD[wire, path], anthropic_version="2023-06-01")


@pytest.mark.parametrize(("wire", "path"), GOOD)
def test_good_requests_are_taken(wire: str, path: str) -> None:
    asked = good(wire, path).read(wire)
    assert (asked.wire, asked.model, asked.user, asked.rounds) == (wire, "mock", "Hi", 1)
    assert [(result.name, bool(result.text)) for result in asked.results] == [("f", True)]
    assert asked.tools[0].name == "f"


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if place:
        yield place
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in entries:
        yield from _places(each, (*place, key))


def _checked(error: RefusedError) -> RefusedError:
    assert json.loads(json.dumps(error.body)) == error.body
    assert 400 <= error.status < 500
    return error


def _answer(wire: str, path: str, body: Any) -> Asked | RefusedError:
    try:
        asked = sent(path, body, anthropic_version="2023-06-01").read(wire)
    except RefusedError as error:
        return _checked(error)
    names = [tool.name for tool in asked.tools]
    assert asked.choice in ("auto", "none", "required", *names)
    assert all(isinstance(text, str) for text in (asked.model, asked.user, *names))
    assert all(isinstance(text, str) for result in asked.results for text in (result.id, result.name, result.text))
    assert all(tool.schema is None or isinstance(tool.schema, dict) for tool in asked.tools)
    return asked


@pytest.mark.parametrize(("wire", "path"), GOOD)
def test_any_odd_value_anywhere_is_taken_or_refused(wire: str, path: str) -> None:
    body = GOOD[wire, path]
    refusals = 0
    for place in _places(body):
        for odd in ODD:
            bent = copy.deepcopy(body)
            inner = bent
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = odd
            refusals += isinstance(_answer(wire, path, bent), RefusedError)
    assert refusals


@given(st.data())
def test_several_odd_values_are_taken_or_refused(data: st.DataObject) -> None:
    wire, path = data.draw(st.sampled_from(list(GOOD)))
    bent = copy.deepcopy(GOOD[wire, path])
    for _ in range(data.draw(st.integers(1, 4))):
        places = list(_places(bent))
        if not places:
            break
        place = data.draw(st.sampled_from(places))
        inner: Any = bent
        for key in place[:-1]:
            inner = inner[key]
        if data.draw(st.booleans()):
            inner[place[-1]] = copy.deepcopy(data.draw(st.sampled_from(ODD)))
        else:
            del inner[place[-1]]
    _answer(wire, path, bent)


@pytest.mark.parametrize(("wire", "path"), GOOD)
def test_deep_values_are_taken_or_refused(wire: str, path: str) -> None:
    for depth in (500, 900, 950, 980, 100_000):
        for name in ("tools", "contents", "content", "x"):
            text = b'{"model":"mock","%s":%s}' % (name.encode(), b"[" * depth + b"]" * depth)
            _answer(wire, path, text)
    bodies = json.dumps(GOOD[wire, path])
    for depth in (900, 950, 980):
        deep = "[" * depth + "]" * depth
        for old in ('"ok"', '{"a": 1}', '"Hi"'):
            _answer(wire, path, bodies.replace(old, deep).encode())


def _stream() -> list[dict[str, Any]]:
    """A text and two calls, as Chat streams them."""
    calls = [
        {"index": number, "id": f"call_{number}", "function": {"name": "f", "arguments": '{"city": "Rome"}'}}
        for number in range(2)
    ]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": "Let me see."}, {"tool_calls": calls}]
    ends: list[str | None] = [None, "tool_calls"]
    return [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
        for delta, end in zip(deltas, ends, strict=True)
    ]


# form of the history -> where it goes: wire, path, and the field of the messages
FORMS = {
    "anthropic": ("anthropic", "/v1/messages", "messages"),
    "bedrock-converse": ("bedrock-converse", "/model/mock/converse", "messages"),
    "bedrock-invoke": ("bedrock-invoke", "/model/mock/invoke", "messages"),
    "cohere": ("cohere", "/v2/chat", "messages"),
    "gemini": ("gemini", "/v1beta/models/mock:streamGenerateContent", "contents"),
    "mistral": ("openai-chat", "/mistral/v1/chat/completions", "messages"),
    "ollama": ("ollama", "/api/chat", "messages"),
    "openai-chat": ("openai-chat", "/v1/chat/completions", "messages"),
    "openai-responses": ("openai-responses", "/v1/responses", "input"),
}


@pytest.mark.parametrize("form", FORMS)
def test_histories_that_toolwire_writes_are_taken(form: str) -> None:
    wire, path, field = FORMS[form]
    message = toolwire.collect(_stream(), "openai-chat")
    history = toolwire.to_history(message, form, {call.id: f"{call.id} is ok" for call in message.calls})
    body = GOOD[wire, path]
    request = sent(path, body | {field: [body[field][0], *history]}, anthropic_version="2023-06-01")
    asked = request.read(wire)
    assert [(result.name, result.text) for result in asked.results] == [
        ("f", f"{call.id} is ok") for call in message.calls
    ]
    assert asked.rounds == 1


def test_wires_are_known_by_their_aliases() -> None:
    assert set(READERS) == {wire for wire, _ in GOOD}
    assert good("openai-chat", "/v1/chat/completions").read("azure").wire == "openai-chat"
    assert models_body("google", ["m"]) == models_body("gemini", ["m"])
    assert models_body("openai", ["b", "a"])["data"][0]["id"] == "a"
    assert models_body("anthropic", [])["first_id"] is None


def test_other_wires_are_mistakes_of_the_callers() -> None:
    options: dict[str, Any] = {"path": "/", "query": {}, "headers": {}, "body": b"{}", "max_body": 9}
    with pytest.raises(UsageError, match="no requests come over 'ag-ui'"):
        requests.read("ag-ui", keys=frozenset(), models=frozenset(), **options)
    with pytest.raises(UsageError, match="no list of models over 'bedrock-converse'"):
        models_body("bedrock-converse", [])
