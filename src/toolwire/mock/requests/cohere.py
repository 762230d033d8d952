"""Cohere's chat, version 2.

Errors are `{id, message}`, most of them beginning with "invalid request:". The words for keys, models and names of
tools are the API's; those for what a message lacks, and for calls and results that don't fit, are made like them,
because no public text has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolwire.mock.asked import Asked, Offered, RefusedError
from toolwire.mock.requests.conversation import Conversation, text_of
from toolwire.mock.requests.incoming import an_object, base_name
from toolwire.mock.requests.openai_tools import NO_PARAMETERS
from toolwire.wire._read import obj, text
from toolwire.wire.history.rules import NAMES

if TYPE_CHECKING:
    from toolwire.mock.requests.incoming import Incoming

__all__ = ["read"]

_WIRE = "cohere"
_ROLES = ("user", "assistant", "system", "tool")
_CHOICES = {"NONE": "none", "REQUIRED": "required"}


def read(request: Incoming) -> Asked:
    """What a request asks for. Raises `RefusedError`."""
    if not request.admits(request.bearer):
        raise _refused(401, "invalid api token" if request.bearer else "no api key supplied")
    body = request.document(
        lambda _size, limit: _refused(413, f"request body is larger than {limit} bytes"),
        lambda reason, _rest: _refused(400, f"invalid request: request body is not valid JSON: {reason}"),
    )
    model = text(body.get("model"))
    if not model:
        raise _invalid("model is required")
    messages = _objects(body.get("messages"), "messages")
    if not messages:
        raise _invalid("messages must not be empty")
    conversation = _follow(messages)
    tools = _tools(body)
    if not request.knows(model):
        raise _refused(
            404,
            f"model '{base_name(model)}' not found, make sure the correct model ID was used and that you have access "
            "to the model.",
        )
    return Asked(
        wire=_WIRE,
        model=model,
        stream=body.get("stream") is True,
        tools=tools,
        results=tuple(conversation.results),
        rounds=conversation.rounds,
        user=conversation.user,
        choice=_choice(body, tools),
        body=body,
    )


def _refused(status: int, message: str) -> RefusedError:
    return RefusedError(status, {"id": "mock", "message": message})


def _invalid(message: str) -> RefusedError:
    return _refused(400, f"invalid request: {message}")


def _objects(value: Any, place: str) -> list[dict[str, Any]]:
    if value is None:
        raise _invalid(f"{place} is required")
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise _invalid(f"{place} must be an array of objects")
    return value


def _follow(messages: list[dict[str, Any]]) -> Conversation:
    """Follow the messages: each call needs its result right behind it, each result its call."""
    conversation = Conversation()
    open_ids: list[str] = []
    called: set[str] = set()
    for index, message in enumerate(messages):
        role, place = message.get("role"), f"messages[{index}]"
        if role not in _ROLES:
            problem = "role is required" if role is None else f"role '{role}' is not valid"
            raise _invalid(f"{place}: {problem}, must be one of 'user', 'assistant', 'system' or 'tool'")
        if role == "tool":
            id_ = text(message.get("tool_call_id"))
            if not id_:
                raise _invalid(f"{place}: tool_call_id is required for messages with role 'tool'")
            if message.get("content") is None:
                raise _invalid(f"{place}: content is required for messages with role 'tool'")
            if id_ not in called:
                raise _invalid(f"{place}: tool_call_id '{id_}' does not match any tool call of the previous message")
            open_ids = [each for each in open_ids if each != id_]
            conversation.result(id_, _text(message["content"]))
            continue
        if open_ids:
            raise _unanswered(open_ids)
        called.clear()
        if role == "assistant":
            open_ids = _calls(message, place, conversation)
            called.update(open_ids)
        elif message.get("content") is None:
            raise _invalid(f"{place}: content is required for messages with role '{role}'")
        elif role == "user":
            conversation.says(text_of(message["content"]))
    if open_ids:
        raise _unanswered(open_ids)
    return conversation


def _unanswered(ids: list[str]) -> RefusedError:
    return _invalid(f"tool calls must be followed by a message with role 'tool' for each: missing {', '.join(ids)}")


def _text(content: Any) -> str:
    """The text of a result: of documents their data."""
    if not isinstance(content, list):
        return text_of(content)
    said = []
    for part in content:
        document = obj(part).get("document")
        said.append(text_of(obj(document).get("data")) if isinstance(document, dict) else text_of([part]))
    return "\n".join(each for each in said if each)


def _calls(message: dict[str, Any], place: str, conversation: Conversation) -> list[str]:
    conversation.model()
    ids = []
    calls = message.get("tool_calls")
    for call in _objects(calls, f"{place}.tool_calls") if calls is not None else []:
        id_, inner = text(call.get("id")), obj(call.get("function"))
        if not id_:
            raise _invalid(f"{place}: tool calls must have an id")
        if not text(inner.get("name")):
            raise _invalid(f"{place}: tool calls must have a function with a name")
        if not isinstance(inner.get("arguments", ""), str):
            raise _invalid(f"{place}: arguments of tool calls must be a string of JSON")
        conversation.call(id_, inner["name"])
        ids.append(id_)
    return ids


def _tools(body: dict[str, Any]) -> tuple[Offered, ...]:
    entries = body.get("tools")
    found = []
    for index, entry in enumerate(_objects(entries, "tools") if entries is not None else []):
        place, inner = f"tools[{index}]", entry.get("function")
        if not isinstance(inner, dict):
            raise _invalid(f"{place}: function is required")
        name, schema = inner.get("name"), inner.get("parameters")
        if not isinstance(name, str) or not name:
            raise _invalid(f"{place}: tool name is required")
        if not NAMES[_WIRE].takes(name):
            raise _invalid("tool names can only contain certain characters (A-Za-z0-9_) and can't begin with a digit")
        if schema is not None and not (isinstance(schema, dict) and an_object(schema)):
            raise _invalid(f"{place}: parameters of tool '{name}' must be a JSON schema of type 'object'")
        found.append(Offered(name, dict(NO_PARAMETERS) if schema is None else schema))
    return tuple(found)


def _choice(body: dict[str, Any], tools: tuple[Offered, ...]) -> str:
    value = body.get("tool_choice")
    if value is None:
        return "auto"
    choice = _CHOICES.get(value) if isinstance(value, str) else None
    if choice is None:
        raise _invalid("tool_choice must be one of 'REQUIRED' or 'NONE'")
    if choice == "required" and not tools:
        raise _invalid("cannot specify tool_choice without tools")
    return choice
