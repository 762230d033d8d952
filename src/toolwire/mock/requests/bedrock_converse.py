"""Bedrock's Converse, with and without a stream.

All results of a turn's calls have to be in the next message, and tools have to be declared wherever a conversation has
calls. Messages are the service's, e.g. "Expected toolResult blocks at messages.2.content for the following Ids"
(github.com/agno-agi/agno/pull/6694), "The number of toolResult blocks at messages.2.content exceeds the number of
toolUse blocks of previous turn" (github.com/langgenius/dify-official-plugins/issues/765); what its model in botocore
forbids is told as AWS tells such errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolwire.mock.asked import Asked, Offered
from toolwire.mock.requests import aws
from toolwire.mock.requests.conversation import Conversation, json_text
from toolwire.mock.requests.incoming import an_object, kind_of
from toolwire.wire._read import obj, text
from toolwire.wire.history.rules import IDS, NAMES

if TYPE_CHECKING:
    from toolwire.mock.asked import RefusedError
    from toolwire.mock.requests.incoming import Incoming
    from toolwire.wire.history.rules import Rule

__all__ = ["read"]

_WIRE = "bedrock-converse"
_ROLES = ("user", "assistant", "system")


def read(request: Incoming) -> Asked:
    """What a request asks for. Raises `RefusedError`."""
    aws.admit(request)
    model, stream = aws.target(request)
    aws.known(request, model)
    body = aws.document(request, "SerializationException")
    messages = body.get("messages")
    if messages is None and ":prompt/" not in model:
        raise _constraint("null", "messages", "Member must not be null")
    entries = _objects(messages, "messages") if messages is not None else []
    conversation, calling = _follow(entries)
    config = body.get("toolConfig")
    if calling and config is None:
        raise aws.validation("The toolConfig field must be defined when using toolUse and toolResult content blocks.")
    tools = _tools(config) if config is not None else ()
    own = obj(obj(body.get("additionalModelRequestFields")).get("tool_choice"))
    return Asked(
        wire=_WIRE,
        model=model,
        stream=stream,
        tools=tools,
        results=tuple(conversation.results),
        rounds=conversation.rounds,
        user=conversation.user,
        choice=_choice(obj(config), tools),
        parallel=own.get("disable_parallel_tool_use") is not True,
        body=body,
    )


def _constraint(value: str, place: str, rule: str) -> RefusedError:
    return aws.validation(
        f"1 validation error detected: Value {value} at '{place}' failed to satisfy constraint: {rule}"
    )


def _objects(value: Any, place: str) -> list[dict[str, Any]]:
    if value is None:
        raise _constraint("null", place, "Member must not be null")
    if not isinstance(value, list):
        raise aws.refused(
            400, "SerializationException", f"{kind_of(value)} at '{place}' can not be converted to a List"
        )
    for index, each in enumerate(value, 1):
        if not isinstance(each, dict):
            place = f"{place}.{index}.member"
            raise aws.refused(400, "SerializationException", f"{kind_of(each)} at '{place}' is no structure")
    return value


def _word(entry: dict[str, Any], field: str, place: str, rule: Rule) -> str:
    """An id or a name, as the service's model has them."""
    value = entry.get(field)
    if not isinstance(value, str):
        raise _constraint("null", f"{place}.{field}", "Member must not be null")
    if not value:
        raise _constraint("''", f"{place}.{field}", "Member must have length greater than or equal to 1")
    if rule.longest is not None and len(value) > rule.longest:
        longest = f"Member must have length less than or equal to {rule.longest}"
        raise _constraint(f"'{value}'", f"{place}.{field}", longest)
    if not rule.takes(value):
        pattern = f"Member must satisfy regular expression pattern: [{rule.chars}]+"
        raise _constraint(f"'{value}'", f"{place}.{field}", pattern)
    return value


# --- messages -----------------------------------------------------------------------------------------------------


def _follow(messages: list[dict[str, Any]]) -> tuple[Conversation, bool]:
    """Follow the messages; whether there are any calls or results in them is told too."""
    conversation = Conversation()
    called: list[str] = []  # by the message before
    calling, begun = False, False
    for index, message in enumerate(messages):
        place, role = f"messages.{index + 1}.member", message.get("role")
        if role is None:
            raise _constraint("null", f"{place}.role", "Member must not be null")
        if role not in _ROLES:
            allowed = f"Member must satisfy enum value set: [{', '.join(_ROLES)}]"
            raise _constraint(f"'{role}'", f"{place}.role", allowed)
        blocks = _objects(message.get("content"), f"{place}.content")
        if role == "system":
            continue
        if role == "assistant" and not begun:
            raise aws.validation(
                "A conversation must start with a user message. Try again with a conversation that starts with a user "
                "message."
            )
        begun = True
        if role == "assistant":
            _expect(called, [], index)
            conversation.model()
            called = _calls(blocks, f"{place}.content", conversation)
            calling = calling or bool(called)
            continue
        answered = _results(blocks, f"{place}.content", conversation)
        _expect(called, answered, index)
        calling = calling or bool(answered)
        called = []
        said = "\n".join(text(block.get("text")) for block in blocks if "text" in block)
        conversation.says(said, beside_results=bool(answered))
    _expect(called, [], len(messages))
    if messages and not begun:
        raise aws.validation("A conversation must have at least one user message.")
    return conversation, calling


def _expect(called: list[str], answered: list[str], index: int) -> None:
    missing = [id_ for id_ in called if id_ not in answered]
    if missing:
        message = f"Expected toolResult blocks at messages.{index}.content for the following Ids: {', '.join(missing)}"
        raise aws.validation(message)
    if len(answered) > len(called):
        raise aws.validation(
            f"The number of toolResult blocks at messages.{index}.content exceeds the number of toolUse blocks of "
            "previous turn."
        )


def _calls(blocks: list[dict[str, Any]], place: str, conversation: Conversation) -> list[str]:
    found = []
    for number, block in enumerate(blocks, 1):
        use = block.get("toolUse")
        if not isinstance(use, dict) or use.get("type") == "server_tool_use":
            continue
        inner = f"{place}.{number}.member.toolUse"
        id_ = _word(use, "toolUseId", inner, IDS[_WIRE])
        name = _word(use, "name", inner, NAMES[_WIRE])
        if not isinstance(use.get("input"), dict):
            where = f"messages.{int(place.split('.')[1]) - 1}.content.{number - 1}.toolUse"
            raise aws.validation(f"The format of the value at {where}.input is invalid. Provide a json object.")
        conversation.call(id_, name)
        found.append(id_)
    return found


def _results(blocks: list[dict[str, Any]], place: str, conversation: Conversation) -> list[str]:
    found = []
    for number, block in enumerate(blocks, 1):
        result = block.get("toolResult")
        if not isinstance(result, dict):
            continue
        inner = f"{place}.{number}.member.toolResult"
        id_ = _word(result, "toolUseId", inner, IDS[_WIRE])
        content = _objects(result.get("content"), f"{inner}.content")
        said = [json_text(part["json"]) if "json" in part else text(part.get("text")) for part in content]
        conversation.result(id_, "\n".join(each for each in said if each))
        found.append(id_)
    return found


# --- tools --------------------------------------------------------------------------------------------------------


def _tools(config: Any) -> tuple[Offered, ...]:
    """The client's own tools. `config`: the toolConfig."""
    found = []
    for index, entry in enumerate(_objects(obj(config).get("tools"), "toolConfig.tools")):
        spec = entry.get("toolSpec")
        if spec is None:
            continue  # a cache point, or a tool of the provider's
        place = f"toolConfig.tools.{index + 1}.member.toolSpec"
        name = _word(obj(spec), "name", place, NAMES[_WIRE])
        if not isinstance(obj(spec).get("inputSchema"), dict):
            raise _constraint("null", f"{place}.inputSchema", "Member must not be null")
        schema = spec["inputSchema"].get("json")
        where = f"toolConfig.tools.{index}.toolSpec.inputSchema.json"
        if not isinstance(schema, dict):
            raise aws.validation(f"The format of the value at {where} is invalid. Provide a json object.")
        if "type" not in schema or not an_object(schema):
            raise aws.validation(f"The value at {where}.type must be one of the following: object.")
        found.append(Offered(name, schema))
    return tuple(found)


def _choice(config: dict[str, Any], tools: tuple[Offered, ...]) -> str:
    choice = obj(config.get("toolChoice"))
    name = text(obj(choice.get("tool")).get("name"))
    if name and any(each.name == name for each in tools):
        return name
    return "required" if "any" in choice or "tool" in choice else "auto"
