"""OpenAI's Chat Completions, on OpenAI's own path, on Azure's with a deployment in it, and below `/mistral`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from toolwire.mock.asked import Asked, Offered
from toolwire.mock.requests.conversation import Conversation, text_of
from toolwire.mock.requests.openai_tools import choice_of, function, list_of
from toolwire.mock.requests.openai_words import Azure, Mistral, words_for
from toolwire.wire._read import obj, text
from toolwire.wire.history.rules import IDS, NAMES

if TYPE_CHECKING:
    from toolwire.mock.requests.incoming import Incoming
    from toolwire.mock.requests.openai_words import Words

__all__ = ["read"]

_WIRE = "openai-chat"
_DEPLOYMENT = re.compile(r"/deployments/(?P<name>.+)/chat/completions/?$")

# Roles whose messages have a content, and what an assistant's may have instead.
_SPEAKERS = ("developer", "system", "tool", "user")
_INSTEAD = ("audio", "function_call", "refusal", "tool_calls")

_MODES = ("none", "auto", "required")


def read(request: Incoming) -> Asked:
    """What a request asks for. Raises `RefusedError`."""
    words = words_for(request)
    key = request.bearer
    if not request.admits(key, request.headers.get("api-key", "") if isinstance(words, Azure) else ""):
        raise words.wrong_key(key)
    body = request.document(words.too_large, words.broken)
    model = _model(request, body, words)
    if "messages" not in body:
        raise words.missing("messages")
    messages = list_of(body, "messages", words)
    if not messages:
        raise words.empty("messages")
    conversation = _read_messages(messages, words)
    tools = _tools(body, words)
    choice, tools = _choice(body, tools, words)
    if not isinstance(words, Mistral):
        _check_contents(messages, words)
    if not request.knows(model):
        raise words.unknown_model(model)
    stream = body.get("stream") is True
    told = isinstance(words, Mistral) or not stream or obj(body.get("stream_options")).get("include_usage") is True
    return Asked(
        wire=_WIRE,
        model=model,
        stream=stream,
        tools=tools,
        results=tuple(conversation.results),
        rounds=conversation.rounds,
        user=conversation.user,
        choice=choice,
        parallel=body.get("parallel_tool_calls") is not False,
        usage=told,
        body=body,
        dialect=words.dialect,
    )


def _model(request: Incoming, body: dict[str, Any], words: Words) -> str:
    """The model's name; a deployment's where the path has one, with the settings that the body has behind it."""
    said = text(body.get("model"))
    found = _DEPLOYMENT.search(request.path)
    deployment = unquote(found["name"]) if found else ""
    model = said if not deployment or said.startswith(f"{deployment}?") else deployment
    if not model:
        raise words.no_model()
    return model


# --- messages -----------------------------------------------------------------------------------------------------


def _read_messages(messages: list[dict[str, Any]], words: Words) -> Conversation:
    """Follow the messages: each call needs its result right behind it, each result its call."""
    conversation = Conversation()
    open_ids: list[str] = []
    called: set[str] = set()
    for index, message in enumerate(messages):
        role = message.get("role")
        if role is None:
            raise words.missing(f"messages[{index}].role")
        if role not in words.roles:
            raise words.wrong_role(index, role)
        content = message.get("content")
        if role == "tool":
            id_ = _result_id(message, index, words)
            if id_ not in called:
                raise words.orphan(index, id_, after_calls=bool(called))
            open_ids = [each for each in open_ids if each != id_]
            conversation.result(id_, text_of(content))
            continue
        if open_ids:
            raise words.unanswered(index, open_ids)
        called.clear()
        if role == "assistant":
            open_ids = _calls(message, index, conversation, words)
            called.update(open_ids)
        elif role == "user":
            conversation.says(text_of(content))
        elif role == "function":
            conversation.result("", text_of(content), text(message.get("name")))
    if open_ids:
        raise words.unanswered(len(messages), open_ids)
    return conversation


def _check_contents(messages: list[dict[str, Any]], words: Words) -> None:
    """Refuse a message that says nothing. This is OpenAI's last check."""
    for index, message in enumerate(messages):
        role = text(message.get("role"))
        silent = role in _SPEAKERS or (role == "assistant" and all(message.get(name) is None for name in _INSTEAD))
        if silent and message.get("content") is None:
            raise words.no_content(index, role, absent="content" not in message)


def _calls(message: dict[str, Any], index: int, conversation: Conversation, words: Words) -> list[str]:
    """The ids of an assistant's calls."""
    conversation.model()
    if name := text(obj(message.get("function_call")).get("name")):
        conversation.call("", name)
    calls = message.get("tool_calls")
    if calls is None:
        return []
    place = f"messages[{index}].tool_calls"
    if not isinstance(calls, list):
        raise words.wrong_type(place, "an array of objects", calls)
    if not calls and not isinstance(words, Mistral):
        raise words.empty(place)
    ids = []
    for number, call in enumerate(calls):
        if not isinstance(call, dict):
            raise words.wrong_type(f"{place}[{number}]", "an object", call)
        id_ = _call_id(call, "id", f"{place}[{number}]", words)
        kind, payload = ("custom", "input") if "custom" in call else ("function", "arguments")
        inner = call.get(kind)
        if not isinstance(inner, dict):
            raise words.missing(f"{place}[{number}].{kind}")
        if not text(inner.get("name")):
            raise words.missing(f"{place}[{number}].{kind}.name")
        given = inner.get(payload)
        if given is None:
            raise words.missing(f"{place}[{number}].{kind}.{payload}")
        if not isinstance(given, str) and not isinstance(words, Mistral):  # Mistral takes objects too
            raise words.wrong_type(f"{place}[{number}].{kind}.{payload}", "a string", given)
        conversation.call(id_, inner["name"])
        ids.append(id_)
    return ids


def _result_id(message: dict[str, Any], index: int, words: Words) -> str:
    return _call_id(message, "tool_call_id", f"messages[{index}]", words)


def _call_id(entry: dict[str, Any], field: str, place: str, words: Words) -> str:
    id_ = entry.get(field)
    mistral = isinstance(words, Mistral)
    if id_ is None:
        raise words.wrong_id(f"{place}.{field}", "null") if mistral else words.missing(f"{place}.{field}")
    if not isinstance(id_, str):
        raise words.wrong_type(f"{place}.{field}", "a string", id_)
    if (id_ or mistral) and not IDS["mistral" if mistral else _WIRE].takes(id_):
        raise words.wrong_id(f"{place}.{field}", id_)
    return id_


# --- tools --------------------------------------------------------------------------------------------------------


def _tools(body: dict[str, Any], words: Words) -> tuple[Offered, ...]:
    """The functions and custom tools, of the deprecated `functions` too."""
    names = NAMES["mistral" if isinstance(words, Mistral) else _WIRE]
    found = []
    for index, entry in enumerate(list_of(body, "tools", words)):
        place, kind = f"tools[{index}]", entry.get("type", "function" if isinstance(words, Mistral) else None)
        if kind is None:
            raise words.missing(f"{place}.type")
        if kind == "custom":
            name = text(obj(entry.get("custom")).get("name"))
            if not name:
                raise words.missing(f"{place}.custom.name")
            found.append(Offered(name, None))
        elif kind == "function":
            inner = entry.get("function")
            if inner is None:
                raise words.missing(f"{place}.function")
            if not isinstance(inner, dict):
                raise words.wrong_type(f"{place}.function", "an object", inner)
            found.append(function(inner, f"{place}.function", names, words))
    for index, entry in enumerate(list_of(body, "functions", words)):
        found.append(function(entry, f"functions[{index}]", names, words))
    return tuple(found)


def _choice(body: dict[str, Any], tools: tuple[Offered, ...], words: Words) -> tuple[str, tuple[Offered, ...]]:
    """What is to be called, and the tools that are left to choose from."""
    value = body.get("tool_choice")
    if value is None:
        value = body.get("function_call")
    elif not isinstance(words, Mistral):
        _check_choice(value, body, words)
    choice, left = choice_of(value, tools)
    if choice not in ("auto", "none", "required") and all(each.name != choice for each in left):
        raise words.unknown_choice(choice)
    return choice, left


def _check_choice(value: Any, body: dict[str, Any], words: Words) -> None:
    if isinstance(value, str) and value not in _MODES:
        raise words.wrong_value("tool_choice", value, _MODES)
    if isinstance(value, dict) and value.get("type") not in ("allowed_tools", "custom"):
        if not isinstance(value.get("function"), dict):
            raise words.missing("tool_choice.function")
        if not text(value["function"].get("name")):
            raise words.missing("tool_choice.function.name")
    if not body.get("tools"):
        raise words.choice_alone()
