"""Ollama's chat: what little it refuses, and what is read of the rest."""

from __future__ import annotations

from typing import Any

import pytest
from mock.requests_asking import SCHEMA, refused, sent, without

from toolwire.mock.asked import Asked, Offered, Result

WIRE = "ollama"
PATH = "/api/chat"
USER = {"role": "user", "content": "Hi"}
RIGHT: dict[str, Any] = {"model": "mock", "messages": [USER]}


def tool(**more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "f", "parameters": SCHEMA} | more}


def calls(*functions: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": "", "tool_calls": [{"function": each} for each in functions]}


def call(name: str = "f", arguments: Any = None) -> dict[str, Any]:
    return {"name": name, "arguments": {} if arguments is None else arguments}


def body(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return RIGHT | {"messages": [USER, *messages], "tools": [tool()]} | more


def unmarshal(kind: str, place: str, go: str) -> str:
    return f"json: cannot unmarshal {kind} into Go struct field ChatRequest.{place} of type {go}"


# name -> the wrong body, the same one right, and the error's message
WRONG: dict[str, tuple[Any, dict[str, Any], str]] = {
    "nothing": (b"", RIGHT, "missing request body"),
    "an end too early": (b'{"a"', RIGHT, "unexpected EOF"),
    "no JSON": (b"hello", RIGHT, "invalid character 'h' looking for beginning of value"),
    "no object": (b"[]", RIGHT, "json: cannot unmarshal value into Go value of type api.ChatRequest"),
    "no model": (without(RIGHT, "model"), RIGHT, "model is required"),
    "model is a number": (body(model=1), RIGHT, unmarshal("number", "model", "string")),
    "messages are text": (body(messages="Hi"), RIGHT, unmarshal("string", "messages", "[]api.Message")),
    "a message is text": (body(messages=["Hi"]), RIGHT, unmarshal("string", "messages", "api.Message")),
    "role is a number": (body({"role": 1}), body({"role": "bot"}), unmarshal("number", "messages.role", "string")),
    "content is an array": (
        body({"role": "user", "content": [{"type": "text", "text": "x"}]}),
        body({"role": "user", "content": "x"}),
        unmarshal("array", "messages.content", "string"),
    ),
    "arguments are text": (
        body(calls(call(arguments="{}"))),
        body(calls(call())),
        unmarshal("string", "messages.tool_calls.function.arguments", "api.ToolCallFunctionArguments"),
    ),
    "tool is text": (body(tools=["f"]), body(), unmarshal("string", "tools", "api.Tool")),
    "tool's name is a number": (
        body(tools=[tool(name=1)]),
        body(),
        unmarshal("number", "tools.function.name", "string"),
    ),
    "parameters are text": (
        body(tools=[tool(parameters="x")]),
        body(tools=[tool(parameters=None)]),
        unmarshal("string", "tools.function.parameters", "api.ToolFunctionParameters"),
    ),
    "stream is text": (body(stream="true"), body(stream=True), unmarshal("string", "stream", "bool")),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_and_the_same_right_is_taken(name: str) -> None:
    wrong, right, message = WRONG[name]
    error = refused(sent(PATH, wrong), WIRE)
    assert (error.status, error.body) == (400, {"error": message})
    assert sent(PATH, right).read(WIRE).wire == WIRE


def test_sizes_keys_and_models() -> None:
    error = refused(sent(PATH, RIGHT), WIRE, max_body=9)
    assert (error.status, error.body) == (413, {"error": "http: request body too large"})
    error = refused(sent(PATH, RIGHT, authorization="Bearer wrong"), WIRE, keys="good")
    assert (error.status, error.body) == (401, {"error": "unauthorized"})
    assert sent(PATH, RIGHT, authorization="Bearer good").read(WIRE, keys="good").model == "mock"
    error = refused(sent(PATH, RIGHT), WIRE, models="another")
    assert (error.status, error.body) == (404, {"error": "model 'mock' not found"})
    assert sent(PATH, RIGHT | {"model": "mock:latest?a=b"}).read(WIRE, models="mock").model == "mock:latest?a=b"


def test_what_ollama_takes_is_taken() -> None:
    """Any role, results without calls, calls without results, no messages, and a tool without a name."""
    assert sent(PATH, body({"role": "bot", "content": "x"})).read(WIRE).user == "Hi"
    assert sent(PATH, body({"role": "tool", "tool_name": "f", "content": "x"})).read(WIRE).results == (
        Result("", "f", "x"),
    )
    assert sent(PATH, body(calls(call()), USER)).read(WIRE).rounds == 1
    assert sent(PATH, {"model": "mock"}).read(WIRE).user == ""
    assert sent(PATH, body(None)).read(WIRE).body["messages"] == [USER, None]  # type: ignore[arg-type]
    assert sent(PATH, body(tools=[tool(name=None), tool()])).read(WIRE).tools == (Offered("f", SCHEMA),)


def test_everything_is_read() -> None:
    given = body(
        calls(call()),
        {"role": "tool", "tool_name": "f", "content": "ok"},
        calls(call("g"), call("f"), call("g")),
        {"role": "tool", "tool_name": "f", "content": "one"},
        {"role": "tool", "content": "two"},
        {"role": "tool", "content": "three"},
        tools=[tool(), tool(name="g", parameters=None)],
        think=True,
    )
    assert sent(PATH, given).read(WIRE) == Asked(
        WIRE,
        "mock",
        stream=True,
        tools=(Offered("f", SCHEMA), Offered("g", {"type": "object", "properties": {}})),
        results=(Result("", "f", "one"), Result("", "g", "two"), Result("", "g", "three")),
        rounds=2,
        user="Hi",
        body=given,
    )
    assert not sent(PATH, given | {"stream": False}).read(WIRE).stream


def test_newer_clients_send_ids() -> None:
    made = {"role": "assistant", "tool_calls": [{"id": id_, "function": call()} for id_ in ("a", "b")]}
    asked = sent(PATH, body(made, {"role": "tool", "tool_call_id": "b", "content": "x"})).read(WIRE)
    assert asked.results == (Result("b", "f", "x"),)
