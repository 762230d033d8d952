"""OpenAI's Responses.

What a request refers to (`previous_response_id`, `conversation`, an `item_reference`) may hold the call that an output
answers, so such a request may have outputs without calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolwire.mock.asked import Asked, Offered
from toolwire.mock.requests.conversation import Conversation, text_of
from toolwire.mock.requests.openai_tools import choice_of, function, list_of
from toolwire.mock.requests.openai_words import Words
from toolwire.wire._read import obj, text
from toolwire.wire.history.rules import IDS, NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.mock.asked import RefusedError
    from toolwire.mock.requests.incoming import Incoming

__all__ = ["read"]

_WIRE = "openai-responses"
_LONGEST = IDS[_WIRE].longest or 0

# A call's type -> its payload's field, what its output is, and what both are called in errors.
_CALLS = {
    "custom_tool_call": ("input", "custom_tool_call_output", "custom tool call"),
    "function_call": ("arguments", "function_call_output", "function call"),
}
_OUTPUTS = {output: (call, called) for call, (_, output, called) in _CALLS.items()}

_ELSEWHERE = ("previous_response_id", "conversation")


class _Words(Words):
    """OpenAI's words for the Responses API, where they differ."""

    roles = ("assistant", "system", "developer", "user")
    longest_name = 128

    def no_model(self) -> RefusedError:
        return self.missing("model")

    def unknown_model(self, model: str) -> RefusedError:
        return self.refused(f"The requested model '{model}' does not exist.", "model", "model_not_found")

    def no_input(self) -> RefusedError:
        """There is nothing to answer."""
        message = 'One of "input" or "previous_response_id" or "prompt" or "conversation" must be provided.'
        return self.refused(message, None, "missing_required_parameter")

    def null(self, param: str) -> RefusedError:
        """A field is null, which is called an object here."""
        message = f"Invalid type for '{param}': expected a string, but got an object instead."
        return self.refused(message, param, "invalid_type")

    def no_output(self, called: str, id: str) -> RefusedError:
        """A call has no output."""
        return self.refused(f"No tool output found for {called} {id}.", "input")

    def no_call(self, called: str, id: str) -> RefusedError:
        """An output has no call."""
        return self.refused(f"No tool call found for {called} output with call_id {id}.", "input")

    def choice_alone(self) -> RefusedError:
        return self.refused("Tool choice 'required' must be specified with 'tools' parameter.", "tool_choice")

    def unknown_choice(self, name: str) -> RefusedError:
        return self.refused(f"Tool choice '{name}' not found in 'tools' parameter.", "tool_choice")


_WORDS = _Words()


def read(request: Incoming) -> Asked:
    """What a request asks for. Raises `RefusedError`."""
    if not request.admits(request.bearer, request.headers.get("api-key", "")):
        raise _WORDS.wrong_key(request.bearer)
    body = request.document(_WORDS.too_large, _WORDS.broken)
    model = _model(body)
    items = _input(body)
    conversation = _read_items(items, elsewhere=any(body.get(name) for name in _ELSEWHERE))
    tools = tuple(_tools(list_of(body, "tools", _WORDS), "tools", items))
    choice, left = choice_of(body.get("tool_choice"), tools)
    if choice == "required" and not body.get("tools"):
        raise _WORDS.choice_alone()
    if choice not in ("auto", "none", "required") and all(each.name != choice for each in left):
        raise _WORDS.unknown_choice(choice)
    if not request.knows(model):
        raise _WORDS.unknown_model(model)
    return Asked(
        wire=_WIRE,
        model=model,
        stream=body.get("stream") is True,
        tools=left,
        results=tuple(conversation.results),
        rounds=conversation.rounds,
        user=conversation.user,
        choice=choice,
        parallel=body.get("parallel_tool_calls") is not False,
        body=body,
    )


def _model(body: dict[str, Any]) -> str:
    """The model's name, "" where a prompt has it."""
    if "model" in body and body["model"] is None:
        raise _WORDS.null("model")
    model = text(body.get("model"))
    if not model and not body.get("prompt"):
        raise _WORDS.no_model()
    return model


def _input(body: dict[str, Any]) -> list[Any]:
    """The items; a text is a message of the user's."""
    if "input" not in body:
        if body.get("prompt"):
            return []
        raise _WORDS.missing("input")
    given = body["input"]
    if given is None:
        raise _WORDS.null("input")
    if given in ("", []) and not any(body.get(name) for name in (*_ELSEWHERE, "prompt")):
        raise _WORDS.no_input()
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if not isinstance(given, list):
        raise _WORDS.wrong_type("input", "a string or an array of objects", given)
    return list_of(body, "input", _WORDS)


def _read_items(items: list[dict[str, Any]], *, elsewhere: bool) -> Conversation:
    """Follow the items: each call needs its output, each output its call. `elsewhere`: there are more items."""
    conversation = Conversation()
    called: dict[str, str] = {}
    answered: set[str] = set()
    elsewhere = elsewhere or any(item.get("type") == "item_reference" or item.keys() == {"id"} for item in items)
    for index, item in enumerate(items):
        kind = text(item.get("type", "message" if "role" in item else None))
        if kind in _CALLS:
            payload, _, _ = _CALLS[kind]
            id_ = _call_id(item, index)
            for field in ("name", payload):
                _text(item, field, f"input[{index}].{field}")
            called[id_] = kind
            conversation.call(id_, item["name"])
        elif kind in _OUTPUTS:
            call, word = _OUTPUTS[kind]
            id_ = _call_id(item, index)
            if item.get("output") is None:
                raise _WORDS.missing(f"input[{index}].output")
            if called.get(id_) != call and not elsewhere:
                raise _WORDS.no_call(word, id_)
            answered.add(id_)
            conversation.result(id_, text_of(item["output"]), text(item.get("name")))
        elif kind == "message":
            _message(item, index, conversation)
    for id_, kind in called.items():
        if id_ not in answered:
            raise _WORDS.no_output(_CALLS[kind][2], id_)
    return conversation


def _message(item: dict[str, Any], index: int, conversation: Conversation) -> None:
    role = item.get("role")
    if role is None:
        raise _WORDS.missing(f"input[{index}].role")
    if role not in _WORDS.roles:
        raise _WORDS.wrong_value(f"input[{index}]", role, _WORDS.roles)
    if item.get("content") is None:
        raise _WORDS.missing(f"input[{index}].content")
    if role == "assistant":
        conversation.model()
    elif role == "user":
        conversation.says(text_of(item["content"]))


def _call_id(item: dict[str, Any], index: int) -> str:
    param = f"input[{index}].call_id"
    id_ = _text(item, "call_id", param)
    if len(id_) > _LONGEST:
        raise _WORDS.too_long(param, id_, _LONGEST)
    return id_


def _text(entry: dict[str, Any], field: str, param: str) -> str:
    value = entry.get(field)
    if value is None:
        raise _WORDS.missing(param)
    if not isinstance(value, str):
        raise _WORDS.wrong_type(param, "a string", value)
    return value


def _tools(entries: list[dict[str, Any]], place: str, items: list[Any], namespace: str = "") -> Iterator[Offered]:
    """The client's own tools, those of namespaces and those that items add too."""
    for index, entry in enumerate(entries):
        param, kind = f"{place}[{index}]", entry.get("type")
        if kind is None:
            raise _WORDS.missing(f"{param}.type")
        if kind == "function":
            made = function(entry, param, NAMES[_WIRE], _WORDS)
            yield Offered(made.name, made.schema, namespace)
        elif kind == "custom":
            yield Offered(_text(entry, "name", f"{param}.name"), None, namespace)
        elif kind == "namespace":
            inner = list_of(entry, "tools", _WORDS)
            yield from _tools(inner, f"{param}.tools", [], _text(entry, "name", f"{param}.name"))
    for index, item in enumerate(items):
        if obj(item).get("type") == "additional_tools":
            yield from _tools(list_of(item, "tools", _WORDS), f"input[{index}].tools", [])
