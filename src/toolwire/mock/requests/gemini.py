"""Gemini's generateContent, on the Developer API and on Vertex.

Model and method are in the path. `?` may stand in a model's name unescaped, so that the rest of it and the method come
as a query. Fields may be in camel case or with underscores. Contents of one role that follow each other are one turn,
because calls and results may be spread over several; a call whose arguments were streamed may be in pieces, as the
model sent them.

Messages are the API's, e.g. "Please ensure that the number of function response parts is equal to the number of
function call parts of the function call turn." (github.com/google-gemini/gemini-cli/issues/16543), "streaming function
call is not supported in unary API" (github.com/vercel/ai/issues/14314).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from toolwire.mock.asked import Asked, Offered, RefusedError
from toolwire.mock.requests.conversation import Conversation, json_text
from toolwire.mock.requests.incoming import an_object, base_name
from toolwire.wire._read import items, obj, text
from toolwire.wire.history.rules import NAMES

if TYPE_CHECKING:
    from toolwire.mock.requests.incoming import Incoming

__all__ = ["read"]

_WIRE = "gemini"
_PATH = re.compile(r"(?:publishers/(?P<publisher>[^/]+)/)?models/(?P<model>.+):(?P<method>\w+)(?:\?(?P<rest>.*))?$")
_STREAM = "streamGenerateContent"
_METHODS = (_STREAM, "generateContent")
_ROLES = ("", "function", "model", "user")
_RESPONSES = frozenset({"error", "output", "result"})
_INVALID = "INVALID_ARGUMENT"


class _Target(NamedTuple):
    model: str
    method: str
    version: str
    vertex: bool
    sse: bool


def read(request: Incoming) -> Asked:
    """What a request asks for. Raises `RefusedError`."""
    _admit(request)
    target = _target(request)
    body = request.document(
        lambda _size, limit: _invalid(f"Request payload size exceeds the limit: {limit} bytes."),
        lambda reason, rest: _invalid(f"Invalid JSON payload received. {reason}\n{rest[:40]}".rstrip()),
    )
    contents = _objects(body, "contents", "contents")
    if not contents:
        raise _invalid("* GenerateContentRequest.contents: contents is not specified\n")
    conversation = _follow(contents, vertex=target.vertex)
    tools = _tools(body)
    config = obj(_either(obj(_either(body, "toolConfig")), "functionCallingConfig"))
    choice, tools = _choice(config, tools)
    stream = target.method == _STREAM
    partial = _either(config, "streamFunctionCallArguments") is True
    if partial and not stream:
        raise _invalid("Unable to submit request because streaming function call is not supported in unary API.")
    if not request.knows(target.model):
        raise _unknown_model(target)
    return Asked(
        wire=_WIRE,
        model=target.model,
        stream=stream,
        tools=tools,
        results=tuple(conversation.results),
        rounds=conversation.rounds,
        user=conversation.user,
        choice=choice,
        partial_args=partial,
        body=body,
        sse=target.sse or not stream,
    )


# --- around the body ----------------------------------------------------------------------------------------------


def _refused(code: int, status: str, message: str, details: list[dict[str, Any]] | None = None) -> RefusedError:
    error: dict[str, Any] = {"code": code, "message": message, "status": status}
    return RefusedError(code, {"error": error | ({"details": details} if details else {})})


def _invalid(message: str, field: str = "") -> RefusedError:
    violations = [{"field": field, "description": message}]
    details = [{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations}] if field else None
    return _refused(400, _INVALID, message, details)


def _admit(request: Incoming) -> None:
    key = request.headers.get("x-goog-api-key") or request.query.get("key", "")
    if request.admits(key, request.bearer):
        return
    if not key and not request.bearer:
        raise _refused(
            403,
            "PERMISSION_DENIED",
            "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or "
            "other form of API consumer identity to call this API.",
        )
    if not key:
        message = "Request had invalid authentication credentials. Expected OAuth 2 access token."
        raise _refused(401, "UNAUTHENTICATED", message)
    info = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "API_KEY_INVALID",
        "domain": "googleapis.com",
        "metadata": {"service": "generativelanguage.googleapis.com"},
    }
    raise _refused(400, _INVALID, "API key not valid. Please pass a valid API key.", [info])


def _target(request: Incoming) -> _Target:
    """The model and the method of a path, or of a path and what a `?` in the model's name has made a query."""
    path, sse = request.path, request.query.get("alt") == "sse"
    if not any(f":{method}" in path for method in _METHODS):
        path += "?" + "&".join(f"{name}={value}" for name, value in request.query.items())
    found = _PATH.search(path)
    if found is None or found["method"] not in _METHODS:
        raise _refused(404, "NOT_FOUND", "Requested entity was not found.")
    model, publisher = unquote(found["model"]), found["publisher"] or "google"
    sse = sse or "alt=sse" in (found["rest"] or "")
    version = path.strip("/").partition("/")[0]
    model = model if publisher == "google" else f"{publisher}/{model}"
    return _Target(model, found["method"], version, found["publisher"] is not None, sse)


def _unknown_model(target: _Target) -> RefusedError:
    name = base_name(target.model)
    if target.vertex:
        message = f"Publisher Model `publishers/google/models/{name}` was not found or your project does not have"
        return _refused(404, "NOT_FOUND", f"{message} access to it.")
    message = f"models/{name} is not found for API version {target.version}, or is not supported for {target.method}."
    return _refused(
        404, "NOT_FOUND", f"{message} Call ListModels to see the list of available models and their supported methods."
    )


# --- reading fields -----------------------------------------------------------------------------------------------


def _either(entry: dict[str, Any], name: str) -> Any:
    """A field by its name in camel case, or with underscores."""
    return entry[name] if name in entry else entry.get(_snake(name))


def _snake(name: str) -> str:
    return re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name)


def _objects(entry: dict[str, Any], name: str, place: str) -> list[dict[str, Any]]:
    """A field that is a list of objects; one alone counts as a list."""
    value = _either(entry, name)
    if value is None:
        return []
    entries = value if isinstance(value, list) else [value]
    for each in entries:
        if not isinstance(each, dict):
            raise _wrong_value(place, name, each)
    return entries


def _wrong_value(place: str, name: str, value: Any) -> RefusedError:
    kind = {"contents": "Content", "parts": "Part", "tools": "Tool"}.get(name, "Schema")
    shown = json_text(value)[:80]
    message = f"Invalid value at '{place}' (type.googleapis.com/google.ai.generativelanguage.v1beta.{kind}), {shown}"
    return _invalid(message, place)


# --- contents -----------------------------------------------------------------------------------------------------


def _follow(contents: list[dict[str, Any]], *, vertex: bool) -> Conversation:
    """Follow the contents: as many responses as calls, right behind them. Vertex wants a role in each."""
    conversation = Conversation()
    turns: list[tuple[bool, list[dict[str, Any]]]] = []  # whether it is the model's, and its parts
    for index, content in enumerate(contents):
        role = content.get("role") or ""
        if role not in _ROLES or (vertex and not role):
            raise _invalid("Please use a valid role: user, model.")
        parts = _objects(content, "parts", f"contents[{index}].parts")
        if not parts:
            place = f"GenerateContentRequest.contents[{index}].parts"
            raise _invalid(f"* {place}: contents.parts must not be empty.\n")
        if turns and turns[-1][0] == (role == "model"):
            turns[-1][1].extend(parts)
        else:
            turns.append((role == "model", list(parts)))
    called = 0
    for models, parts in turns:
        if models:
            called = _calls(parts, conversation)
            continue
        answered = _results(parts, conversation)
        if answered and not called:
            raise _invalid("Please ensure that function response turn comes immediately after a function call turn.")
        _balance(called, answered)
        called = 0
        said = "\n".join(text(part.get("text")) for part in parts if text(part.get("text")))
        conversation.says(said, beside_results=bool(answered))
    _balance(called, 0)
    return conversation


def _balance(called: int, answered: int) -> None:
    if called != answered:
        raise _invalid(
            "Please ensure that the number of function response parts is equal to the number of function call parts of "
            "the function call turn."
        )


def _calls(parts: list[dict[str, Any]], conversation: Conversation) -> int:
    """How many calls there are among the model's parts. Those in pieces begin with a name and go on without one."""
    conversation.model()
    count, going_on = 0, ""
    for part in parts:
        call = _either(part, "functionCall")
        if not isinstance(call, dict):
            continue
        name = text(call.get("name"))
        if name and not (name == going_on and "args" not in call and _either(call, "partialArgs")):
            count += 1
            conversation.call(text(call.get("id")), name)
        going_on = (name or going_on) if _either(call, "willContinue") is True else ""
    return count


def _results(parts: list[dict[str, Any]], conversation: Conversation) -> int:
    count = 0
    for part in parts:
        response = _either(part, "functionResponse")
        if not isinstance(response, dict):
            continue
        count += 1
        given = response.get("response")
        if isinstance(given, dict) and len(given) == 1 and _RESPONSES.intersection(given):
            (given,) = given.values()
        said = given if isinstance(given, str) else json_text(given)
        conversation.result(text(response.get("id")), said, text(response.get("name")))
    return count


# --- tools --------------------------------------------------------------------------------------------------------


def _tools(body: dict[str, Any]) -> tuple[Offered, ...]:
    """All functions that are declared."""
    found = []
    for index, tool in enumerate(_objects(body, "tools", "tools")):
        place = f"tools[{index}].function_declarations"
        for number, entry in enumerate(_objects(tool, "functionDeclarations", place)):
            inner = f"{place}[{number}]"
            name = entry.get("name")
            if not isinstance(name, str) or not NAMES[_WIRE].takes(name):
                raise _invalid(
                    f"* GenerateContentRequest.{inner}.name: Invalid function name. Must start with a letter or an "
                    "underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes "
                    "(-), with a maximum length of 128.\n"
                )
            found.append(Offered(name, _schema(entry, inner)))
    return tuple(found)


def _schema(entry: dict[str, Any], place: str) -> dict[str, Any]:
    for field in ("parameters", "parametersJsonSchema"):
        schema = _either(entry, field)
        if schema is None:
            continue
        if not isinstance(schema, dict):
            raise _wrong_value(f"{place}.{_snake(field)}", field, schema)
        if not an_object(schema):
            message = f"* GenerateContentRequest.{place}.{_snake(field)}: schema must be of type OBJECT\n"
            raise _invalid(message)
        return schema
    return {"type": "object", "properties": {}}


def _choice(config: dict[str, Any], tools: tuple[Offered, ...]) -> tuple[str, tuple[Offered, ...]]:
    """What is to be called, and the tools that are left to choose from."""
    mode = text(config.get("mode")).upper()
    names = [text(each) for each in items(_either(config, "allowedFunctionNames"))]
    if mode == "NONE":
        return "none", tools
    if mode in ("ANY", "VALIDATED") and names:
        tools = tuple(each for each in tools if each.name in names)
    if mode != "ANY":
        return "auto", tools
    return (tools[0].name if names and len(tools) == 1 else "required"), tools
