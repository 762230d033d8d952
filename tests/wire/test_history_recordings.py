"""Recorded turns as history: for every wire, what the official SDKs take in a request."""

from __future__ import annotations

import functools
import json
import re
import types
import typing
from typing import Annotated, Any, Literal, NotRequired, Required, Union

import pytest
from support import WIRES, expected_records, needs_shared, recording, run
from typing_extensions import get_type_hints, is_typeddict

from toolwire import Message
from toolwire.wire.history import FORMS

# What compatible servers of the chat wire add, and get back.
CHAT_MORE = {"reasoning", "reasoning_content", "reasoning_details", "thinking"}
CALL_MORE = {"extra_content"}


def _misfit(kind: Any, value: Any, path: str = "") -> str | None:
    """Where a value isn't of a type: unlike Pydantic, unknown keys count and every element is looked at."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Annotated, NotRequired, Required):
        return _misfit(args[0], value, path)
    if origin in (Union, types.UnionType):
        found = [_misfit(each, value, path) for each in args]
        return None if None in found else max((each for each in found if each), key=len)
    if origin is Literal:
        return None if value in args else f"{path}: {value!r} is none of {args}"
    if is_typeddict(kind):
        return _misfit_of_typeddict(kind, value, path)
    if origin is dict:
        wrong = (
            [_misfit(args[1], each, f"{path}.{key}") for key, each in value.items()] if type(value) is dict else [path]
        )
        return next((each for each in wrong if each is not None), None)
    if origin is not None:  # lists, and what takes one
        if not isinstance(value, list):
            return f"{path}: {value!r} is no list"
        wrong = [_misfit(args[0], each, f"{path}[{place}]") for place, each in enumerate(value)]
        return next((each for each in wrong if each is not None), None)
    if kind in (Any, object):
        return None
    if kind is None or kind is type(None):
        return None if value is None else f"{path}: {value!r} is not null"
    return None if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)) else f"{path}: {value!r}"


def _misfit_of_typeddict(kind: Any, value: Any, path: str) -> str | None:
    if not isinstance(value, dict):
        return f"{path}: no object"
    fields = _fields(kind)
    optional = NotRequired if kind.__total__ else Required
    needed = {key for key, field in fields.items() if (typing.get_origin(field) is optional) != kind.__total__}
    missing, strange = needed - value.keys(), value.keys() - fields.keys()
    if missing or strange:
        return f"{path}: {kind.__name__} lacks {sorted(missing)}, and has no {sorted(strange)}"
    wrong = [_misfit(fields[key], each, f"{path}.{key}") for key, each in value.items()]
    return next((each for each in wrong if each is not None), None)


@functools.cache
def _fields(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _chat(entries: list[dict[str, Any]]) -> None:
    from openai.types.chat import ChatCompletionMessageParam

    for entry in entries:
        plain = {key: each for key, each in entry.items() if key not in CHAT_MORE}
        if "tool_calls" in plain:
            plain["tool_calls"] = [
                {key: each for key, each in call.items() if key not in CALL_MORE} for call in plain["tool_calls"]
            ]
        assert _misfit(ChatCompletionMessageParam, plain) is None
        assert len(entry.get("tool_call_id", "")) <= 40


def _mistral(entries: list[dict[str, Any]]) -> None:
    for entry in entries:
        for call in entry.get("tool_calls", []):
            assert re.fullmatch("[A-Za-z0-9]{9}", call["id"])
            assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", call["function"]["name"])
            assert call.keys() == {"id", "type", "function"}
        if entry["role"] == "tool":
            assert entry.keys() == {"role", "tool_call_id", "name", "content"}
            assert re.fullmatch("[A-Za-z0-9]{9}", entry["tool_call_id"])
    _chat([{key: each for key, each in entry.items() if key != "name"} for entry in entries])


def _responses(entries: list[dict[str, Any]]) -> None:
    from openai.types.responses import ResponseInputItemParam

    for entry in entries:
        assert _misfit(ResponseInputItemParam, entry) is None
        assert len(entry.get("call_id") or "") <= 64
        if entry.get("type") == "function_call":
            assert isinstance(json.loads(entry["arguments"]), dict)


def _anthropic(entries: list[dict[str, Any]]) -> None:
    from anthropic.types import MessageParam

    for entry in entries:
        assert _misfit(MessageParam, entry) is None
        for block in entry["content"]:
            assert re.fullmatch("[a-zA-Z0-9_-]+", block.get("id") or block.get("tool_use_id") or "text")


def _gemini(entries: list[dict[str, Any]]) -> None:
    from google.genai import types as genai

    for entry in entries:
        plain = _base64(entry)
        content = genai.Content.model_validate_json(json.dumps(plain))
        assert content.model_dump(mode="json", by_alias=True, exclude_unset=True) == plain


def _base64(entry: dict[str, Any]) -> dict[str, Any]:
    """Signatures that were redacted are not what Gemini's are."""
    text = json.dumps(entry).replace("signature_REDACTED_1", "c2lnbmF0dXJl").replace("+", "-")
    entry = json.loads(text)
    for part in entry["parts"]:
        if "thoughtSignature" in part:
            part["thoughtSignature"] = part["thoughtSignature"].replace("/", "_")
    return entry


@functools.cache
def _converse_model() -> Any:
    import botocore.session

    return botocore.session.get_session().get_service_model("bedrock-runtime")


def _converse(entries: list[dict[str, Any]]) -> None:
    from botocore.validate import ParamValidator

    request = {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "hi"}]}, *entries]}
    report = ParamValidator().validate(request, _converse_model().operation_model("Converse").input_shape)
    assert not report.has_errors(), report.generate_report()
    for entry in entries:
        for block in entry["content"]:
            tool = block.get("toolUse") or block.get("toolResult") or {}
            assert re.fullmatch("[a-zA-Z0-9_.:-]{1,64}", tool.get("toolUseId", "x"))
            assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", tool.get("name", "x"))


def _cohere(entries: list[dict[str, Any]]) -> None:
    from cohere.types import AssistantChatMessageV2, ToolChatMessageV2
    from pydantic import BaseModel

    def strange(value: Any) -> list[str]:
        if isinstance(value, BaseModel):
            return [*(value.model_extra or {}), *strange([getattr(value, name) for name in value.model_fields_set])]
        return [each for one in value for each in strange(one)] if isinstance(value, list) else []

    for entry in entries:
        kind = {"assistant": AssistantChatMessageV2, "tool": ToolChatMessageV2}[entry["role"]]
        assert strange(kind.model_validate(entry)) == []


def _ollama(entries: list[dict[str, Any]]) -> None:
    import ollama

    for entry in entries:
        assert ollama.Message.model_validate(entry).model_dump(exclude_unset=True) == entry


VALID = {
    "anthropic": _anthropic,
    "bedrock-converse": _converse,
    "bedrock-invoke": _anthropic,
    "cohere": _cohere,
    "gemini": _gemini,
    "mistral": _mistral,
    "ollama": _ollama,
    "openai-chat": _chat,
    "openai-responses": _responses,
}


@functools.cache
def _turns() -> list[tuple[str, Message]]:
    """The recorded turns whose calls may be run."""
    found = []
    for record in expected_records(*WIRES):
        message = Message.of(run([recording(record)], record["wire"]))
        if message.executable:
            found.append((record["file"], message))
    return found


@needs_shared
@pytest.mark.parametrize("wire", FORMS)
def test_recorded_turns_are_what_sdks_take(wire: str) -> None:
    """Every recorded turn, whatever wire it came over, can be sent over this one, each call with its result."""
    assert len(_turns()) > 150
    for file, message in _turns():
        entries = message.to_history(wire, {call.id: {"ok": True} for call in message.executable})
        try:
            VALID[wire](entries)
        except Exception as error:
            raise AssertionError(f"{file} as {wire}: {entries}") from error
        assert _answered(entries) == len(message.executable), file


def _answered(entries: list[dict[str, Any]]) -> int:
    """How many results there are."""
    text = json.dumps(entries, default=lambda _: "bytes")
    marks = ('"role": "tool"', '"type": "tool_result"', '"toolResult"', '"functionResponse"', '_call_output"')
    return sum(text.count(mark) for mark in marks)


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("openai-chat", {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f"}}]}),
    ("openai-chat", {"role": "tool", "content": "x", "tool_call_id": "c" * 41}),
    ("openai-chat", {"role": "assistant", "content": "x", "strange": 1}),
    ("mistral", {"role": "tool", "tool_call_id": "call_1", "name": "f", "content": "x"}),
    ("openai-responses", {"type": "function_call", "call_id": "c", "name": "f", "arguments": {}}),
    ("openai-responses", {"type": "reasoning", "id": "rs", "summary": [{"text": "x"}]}),
    ("anthropic", {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}]}),
    ("anthropic", {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a.b", "content": "x"}]}),
    ("bedrock-converse", {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "f"}}]}),
    (
        "bedrock-converse",
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c/", "name": "f", "input": {}}}]},
    ),
    ("cohere", {"role": "tool", "content": "x"}),
    (
        "cohere",
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}", "x": 1}}]},
    ),
    ("gemini", {"role": "model", "parts": [{"functionCall": {"name": "f", "arguments": {}}}]}),
    ("ollama", {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}),
    ("ollama", {"role": "tool", "content": "", "tool_call_id": "c"}),
]


@pytest.mark.parametrize(("wire", "entry"), WRONG)
def test_what_sdks_refuse_is_refused_here(wire: str, entry: dict[str, Any]) -> None:
    """The checks above can fail."""
    with pytest.raises((AssertionError, ValueError)):
        VALID[wire]([entry])
