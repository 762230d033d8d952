"""Anthropic's Messages, also as the body that Bedrock's InvokeModel takes.

Results of a round may come in several of the user's messages, because the API joins neighbours of one role. They have
to be the first of the user's answer ("tool_result blocks must come first", says the documentation of tool use). A
`system` role among messages is newer than that and takes part in neither; it is refused as the first only, because
models differ in the rest.

Messages are the API's, e.g. "`tool_use` ids were found without `tool_result` blocks immediately after"
(github.com/anthropics/claude-code/issues/8210), "unexpected `tool_use_id` found in `tool_result` blocks"
(github.com/anthropics/claude-code/issues/13460); missing and wrong fields are told as Pydantic tells them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolwire.mock.asked import Asked, Offered, RefusedError
from toolwire.mock.requests.conversation import Conversation, text_of
from toolwire.mock.requests.incoming import an_object
from toolwire.wire._read import obj, text
from toolwire.wire.history.rules import IDS, NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwire.mock.requests.incoming import Incoming

    Refuse = Callable[[str], RefusedError]

__all__ = ["Said", "read", "read_body"]

_WIRE = "anthropic"
_ROLES = ("assistant", "system", "user")
_FILLED = -1
_CHOICES = {"any": "required", "auto": "auto", "none": "none"}


def read(request: Incoming) -> Asked:
    """What a request asks for. Raises `RefusedError`."""
    key = request.headers.get("x-api-key", "")
    if not request.admits(key, request.bearer):
        raise _refused(401, "authentication_error", _wrong_key(key, request.bearer))
    if not request.headers.get("anthropic-version"):
        raise _invalid("anthropic-version: header is required")
    body = request.document(
        lambda _size, _limit: _refused(413, "request_too_large", "Request exceeds the maximum size"),
        lambda reason, _rest: _invalid(f"The request body is not valid JSON: {reason}"),
    )
    if "model" not in body:
        raise _invalid("model: Field required")
    if not isinstance(body["model"], str):
        raise _invalid("model: Input should be a valid string")
    if not body["model"]:
        raise _invalid("model: String should have at least 1 character")
    said = read_body(body, _invalid)
    if not request.knows(body["model"]):
        raise _refused(404, "not_found_error", f"model: {body['model']}")
    return said.asked(_WIRE, body["model"], body, stream=body.get("stream") is True)


def _wrong_key(key: str, bearer: str) -> str:
    if key:
        return "invalid x-api-key"
    return "Invalid bearer token" if bearer else "x-api-key header is required"


def _refused(status: int, kind: str, message: str) -> RefusedError:
    return RefusedError(
        status, {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_mock"}
    )


def _invalid(message: str) -> RefusedError:
    return _refused(400, "invalid_request_error", message)


# --- the body -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Said:
    """What a body says, without the model."""

    conversation: Conversation
    tools: tuple[Offered, ...]
    choice: str
    parallel: bool

    def asked(self, wire: str, model: str, body: dict[str, Any], *, stream: bool) -> Asked:
        """The same as a request over a wire."""
        return Asked(
            wire=wire,
            model=model,
            stream=stream,
            tools=self.tools,
            results=tuple(self.conversation.results),
            rounds=self.conversation.rounds,
            user=self.conversation.user,
            choice=self.choice,
            parallel=self.parallel,
            body=body,
        )


def read_body(body: dict[str, Any], invalid: Refuse) -> Said:
    """What a body says. `invalid` makes the refusal of a message."""
    if "max_tokens" not in body:
        raise invalid("max_tokens: Field required")
    limit = body["max_tokens"]
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise invalid("max_tokens: Input should be a valid integer")
    if limit < 0:
        raise invalid("max_tokens: must be greater than or equal to 0")
    if "messages" not in body:
        raise invalid("messages: Field required")
    messages = _objects(body["messages"], "messages", invalid)
    if not messages:
        raise invalid("messages: at least one message is required")
    conversation = _Following(invalid).follow(messages)
    tools = _tools(body, invalid)
    choice, parallel = _choice(body, tools, invalid)
    return Said(conversation, tools, choice, parallel)


def _objects(value: Any, place: str, invalid: Refuse) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise invalid(f"{place}: Input should be a valid array")
    for index, each in enumerate(value):
        if not isinstance(each, dict):
            raise invalid(f"{place}.{index}: Input should be an object")
    return value


class _Following:
    """Follows messages: each call needs its result in the user's answer, each result its call."""

    def __init__(self, invalid: Refuse) -> None:
        self._invalid = invalid
        self._conversation = Conversation()
        self._open: list[str] = []  # calls that have no result yet
        self._called: set[str] = set()  # calls of the last turn of the model's
        self._seen: set[str] = set()
        self._asker = 0  # the message with the last call
        self._role = ""
        self._empty: int | None = None  # the first message of the user's turn, while nothing is in it

    def follow(self, messages: list[dict[str, Any]]) -> Conversation:
        """All messages of a request."""
        for index, message in enumerate(messages):
            place, role = f"messages.{index}", message.get("role")
            if role is None:
                raise self._invalid(f"{place}.role: Field required")
            if role not in _ROLES:
                raise self._invalid(f'messages: Unexpected role "{role}". Allowed roles are "user" or "assistant".')
            if "content" not in message:
                raise self._invalid(f"{place}.content: Field required")
            content = message["content"]
            if isinstance(content, str):
                content = [{"type": "text", "text": content}]
            blocks = _objects(content, f"{place}.content", self._invalid)
            if role == "assistant":
                self._assistant(blocks, index)
            elif role == "user":
                self._user(blocks, index)
            elif index == 0 and blocks:
                raise self._invalid("messages.0: use the top-level 'system' parameter for the initial system prompt")
        self._all_answered()
        self._not_empty()
        return self._conversation

    def _assistant(self, blocks: list[dict[str, Any]], index: int) -> None:
        if self._role != "assistant":
            self._all_answered()
            self._not_empty()
            self._called.clear()
        self._role = "assistant"
        self._conversation.model()
        for number, block in enumerate(blocks):
            if self._kind(block, f"messages.{index}.content.{number}") != "tool_use":
                continue
            place = f"messages.{index}.content.{number}.tool_use"
            id_ = self._id(block, "id", place)
            name = self._text(block, "name", place)
            if "input" not in block:
                raise self._invalid(f"{place}.input: Field required")
            if not isinstance(block["input"], dict):
                raise self._invalid(f"{place}.input: Input should be an object")
            if id_ in self._seen:
                raise self._invalid(f"messages.{index}.content.{number}: `tool_use` ids must be unique")
            self._seen.add(id_)
            self._called.add(id_)
            self._open.append(id_)
            self._asker = index
            self._conversation.call(id_, name)

    def _user(self, blocks: list[dict[str, Any]], index: int) -> None:
        self._role = "user"
        if blocks:
            self._empty = _FILLED
        elif self._empty is None:
            self._empty = index
        kinds = [self._kind(block, f"messages.{index}.content.{number}") for number, block in enumerate(blocks)]
        for number, (kind, block) in enumerate(zip(kinds, blocks, strict=True)):
            if kind != "tool_result":
                self._all_answered()
                continue
            place = f"messages.{index}.content.{number}"
            id_ = self._id(block, "tool_use_id", f"{place}.tool_result")
            if id_ not in self._called:
                raise self._invalid(
                    f"{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id_}. Each `tool_result` block "
                    "must have a corresponding `tool_use` block in the previous message."
                )
            if id_ not in self._open:
                raise self._invalid(
                    f"{place}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
                    f"{id_}"
                )
            self._open.remove(id_)
            self._conversation.result(id_, text_of(block.get("content")))
        self._conversation.says(
            text_of([block for kind, block in zip(kinds, blocks, strict=True) if kind == "text"]),
            beside_results="tool_result" in kinds,
        )

    def _not_empty(self) -> None:
        """The user's turn has ended."""
        if self._empty is not None and self._empty != _FILLED:
            raise self._invalid(f"messages.{self._empty}: user messages must have non-empty content")
        self._empty = None

    def _all_answered(self) -> None:
        if self._open:
            raise self._invalid(
                f"messages.{self._asker}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(self._open)}. Each `tool_use` block must have a corresponding `tool_result` block in the "
                "next message."
            )

    def _kind(self, block: dict[str, Any], place: str) -> str:
        kind = block.get("type")
        if not isinstance(kind, str):
            raise self._invalid(f"{place}.type: Field required")
        return kind

    def _id(self, block: dict[str, Any], field: str, place: str) -> str:
        id_ = self._text(block, field, place)
        if not IDS[_WIRE].takes(id_):
            raise self._invalid(f"{place}.{field}: String should match pattern '^[a-zA-Z0-9_-]+$'")
        return id_

    def _text(self, block: dict[str, Any], field: str, place: str) -> str:
        if field not in block:
            raise self._invalid(f"{place}.{field}: Field required")
        if not isinstance(block[field], str):
            raise self._invalid(f"{place}.{field}: Input should be a valid string")
        return block[field]  # type: ignore[no-any-return]


# --- tools --------------------------------------------------------------------------------------------------------


def _tools(body: dict[str, Any], invalid: Refuse) -> tuple[Offered, ...]:
    """The client's own tools."""
    found: list[Offered] = []
    entries = body.get("tools")
    for index, entry in enumerate(_objects(entries, "tools", invalid) if entries is not None else []):
        if entry.get("type") not in (None, "custom"):
            continue  # the provider knows its schema
        place, name, schema = f"tools.{index}.custom", entry.get("name"), entry.get("input_schema")
        if name is None:
            raise invalid(f"{place}.name: Field required")
        if not isinstance(name, str):
            raise invalid(f"{place}.name: Input should be a valid string")
        if not name:
            raise invalid(f"{place}.name: String should have at least 1 character")
        if not NAMES[_WIRE].takes(name):
            raise invalid(f"{place}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        if schema is None:
            raise invalid(f"{place}.input_schema: Field required")
        if not isinstance(schema, dict):
            raise invalid(f"{place}.input_schema: Input should be an object")
        if "type" not in schema:
            raise invalid(f"{place}.input_schema.type: Field required")
        if not an_object(schema):
            raise invalid(f"{place}.input_schema.type: Input should be 'object'")
        if any(each.name == name for each in found):
            raise invalid("tools: Tool names must be unique.")
        found.append(Offered(name, schema))
    return tuple(found)


def _choice(body: dict[str, Any], tools: tuple[Offered, ...], invalid: Refuse) -> tuple[str, bool]:
    """What is to be called, and whether several calls at once are taken."""
    value = body.get("tool_choice")
    if value is None:
        return "auto", True
    if not body.get("tools"):
        raise invalid("tool_choice: `tool_choice` may only be specified while providing `tools`.")
    entry = obj(value)
    kind, parallel = text(entry.get("type")), entry.get("disable_parallel_tool_use") is not True
    if not kind:
        raise invalid("tool_choice.type: Field required")
    if kind != "tool":
        if kind not in _CHOICES:
            tags = "'auto', 'any', 'tool', 'none'"
            raise invalid(
                f"tool_choice: Input tag '{kind}' found using 'type' does not match any of the expected tags: {tags}"
            )
        return _CHOICES[kind], parallel
    name = text(entry.get("name"))
    if all(obj(each).get("name") != name for each in body["tools"]):
        raise invalid(f"Tool '{name}' not found in provided tools")
    return (name if any(each.name == name for each in tools) else "required"), parallel
