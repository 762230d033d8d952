"""Ollama's own chat (`/api/chat`).

Ollama refuses what Go can't read into its types, and hardly anything else: roles are any text, results need no calls,
no messages at all load the model, and a tool without a name is of no use but no error. Streaming is the default. Ids
are sent by newer clients only; elsewhere results belong to calls by name and order.

Messages are Go's, e.g. "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string"
(github.com/ollama/ollama/issues/10255).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolwire.mock.asked import Asked, Offered, RefusedError
from toolwire.mock.requests.conversation import Conversation
from toolwire.mock.requests.incoming import base_name
from toolwire.mock.requests.openai_tools import NO_PARAMETERS
from toolwire.wire._read import obj, text

if TYPE_CHECKING:
    from toolwire.mock.requests.incoming import Incoming

__all__ = ["read"]

_WIRE = "ollama"
_ARGUMENTS = "api.ToolCallFunctionArguments"

# Go's words for JSON values.
_KINDS: dict[type, str] = {bool: "bool", dict: "object", float: "number", int: "number", list: "array", str: "string"}


def read(request: Incoming) -> Asked:
    """What a request asks for. Raises `RefusedError`."""
    if not request.admits(request.bearer):
        raise _refused(401, "unauthorized")
    if not request.body:
        raise _refused(400, "missing request body")
    body = request.document(lambda _size, _limit: _refused(413, "http: request body too large"), _broken)
    model = _typed(body, "model", str, "ChatRequest.model", "string") or ""
    messages = _list(body, "messages", "ChatRequest.messages", "[]api.Message")
    conversation = _follow(messages)
    tools = _tools(body)
    stream = _typed(body, "stream", bool, "ChatRequest.stream", "bool")
    if not model:
        raise _refused(400, "model is required")
    if not request.knows(model) and not request.knows(base_name(model).removesuffix(":latest")):
        raise _refused(404, f"model '{base_name(model)}' not found")
    return Asked(
        wire=_WIRE,
        model=model,
        stream=stream is not False,
        tools=tools,
        results=tuple(conversation.results),
        rounds=conversation.rounds,
        user=conversation.user,
        body=body,
    )


def _refused(status: int, message: str) -> RefusedError:
    return RefusedError(status, {"error": message})


def _broken(_reason: str, rest: str) -> RefusedError:
    if not rest:
        return _refused(400, "unexpected EOF")
    if rest[0] in '["0123456789-tfn':  # begins like a value
        return _refused(400, "json: cannot unmarshal value into Go value of type api.ChatRequest")
    return _refused(400, f"invalid character '{rest[0]}' looking for beginning of value")


def _typed(entry: dict[str, Any], name: str, kind: type, place: str, go: str) -> Any:
    """A field that is of a type, or null or absent."""
    value = entry.get(name)
    if value is None or type(value) is kind:
        return value
    raise _refused(400, f"json: cannot unmarshal {_KINDS[type(value)]} into Go struct field {place} of type {go}")


def _list(entry: dict[str, Any], name: str, place: str, go: str) -> list[dict[str, Any]]:
    """A field that is an array of objects, or absent. Go's null among them is an empty one."""
    entries = _typed(entry, name, list, place, go) or []
    return [_typed({"each": each}, "each", dict, place, go.removeprefix("[]")) or {} for each in entries]


def _follow(messages: list[dict[str, Any]]) -> Conversation:
    conversation = Conversation()
    waiting: list[tuple[str, str]] = []  # calls without a result: id and name
    for message in messages:
        role = text(_typed(message, "role", str, "ChatRequest.messages.role", "string")).lower()
        content = text(_typed(message, "content", str, "ChatRequest.messages.content", "string"))
        calls = _calls(message)
        if role == "assistant":
            conversation.model()
            for id_, name in calls:
                conversation.call(id_, name)
            waiting = calls
        elif role == "tool":
            id_, name = _matched(message, waiting)
            conversation.result(id_, content, name)
        elif role == "user":
            conversation.says(content)
    return conversation


def _calls(message: dict[str, Any]) -> list[tuple[str, str]]:
    place = "ChatRequest.messages.tool_calls"
    found = []
    for call in _list(message, "tool_calls", place, "[]api.ToolCall"):
        inner = _typed(call, "function", dict, f"{place}.function", "api.ToolCallFunction") or {}
        _typed(inner, "arguments", dict, f"{place}.function.arguments", _ARGUMENTS)
        found.append((text(call.get("id")), text(_typed(inner, "name", str, f"{place}.function.name", "string"))))
    return found


def _matched(message: dict[str, Any], waiting: list[tuple[str, str]]) -> tuple[str, str]:
    """The id and the name of the call that a result answers: by id, by name, else the next one."""
    id_, name = text(message.get("tool_call_id")), text(message.get("tool_name")) or text(message.get("name"))
    found = next((call for call in waiting if id_ and call[0] == id_), None)
    found = found or next((call for call in waiting if name and call[1] == name), None)
    if found is None and not id_ and not name and waiting:
        found = waiting[0]
    if found is None:
        return id_, name
    waiting.remove(found)
    return id_ or found[0], name or found[1]


def _tools(body: dict[str, Any]) -> tuple[Offered, ...]:
    place = "ChatRequest.tools"
    found = []
    for entry in _list(body, "tools", place, "[]api.Tool"):
        inner = _typed(entry, "function", dict, f"{place}.function", "api.ToolFunction") or {}
        name = _typed(inner, "name", str, f"{place}.function.name", "string")
        schema = _typed(inner, "parameters", dict, f"{place}.function.parameters", "api.ToolFunctionParameters")
        _typed(obj(schema), "type", str, f"{place}.function.parameters.type", "string")
        if name:
            found.append(Offered(name, dict(NO_PARAMETERS) if schema is None else schema))
    return tuple(found)
