"""Cohere's chat: how requests are refused, and what is read of those that are taken."""

from __future__ import annotations

from typing import Any

import pytest
from mock.requests_asking import SCHEMA, refused, sent, without

from toolwire.mock.asked import Asked, Offered, Result

WIRE = "cohere"
PATH = "/v2/chat"
USER = {"role": "user", "content": "Hi"}
RIGHT: dict[str, Any] = {"model": "mock", "messages": [USER]}


def tool(**more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "f", "parameters": SCHEMA} | more}


def call(id: str = "f_1", **more: Any) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"} | more}


def calls(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "tool_plan": "I will.", "tool_calls": list(entries)}


def result(id: str = "f_1", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": "ok"} | more


def body(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return RIGHT | {"messages": [USER, *messages], "tools": [tool()]} | more


# name -> the wrong body, the same one right, and the error's message
WRONG: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "no model": (without(RIGHT, "model"), RIGHT, "model is required"),
    "no messages": (without(RIGHT, "messages"), RIGHT, "messages is required"),
    "messages are text": (body(messages="Hi"), RIGHT, "messages must be an array of objects"),
    "empty messages": (body(messages=[]), RIGHT, "messages must not be empty"),
    "no role": (
        body({"content": "x"}),
        body(USER),
        "messages[1]: role is required, must be one of 'user', 'assistant', 'system' or 'tool'",
    ),
    "unknown role": (
        body({"role": "developer", "content": "x"}),
        body({"role": "system", "content": "x"}),
        "messages[1]: role 'developer' is not valid, must be one of 'user', 'assistant', 'system' or 'tool'",
    ),
    "no content": (
        body({"role": "user"}),
        body({"role": "user", "content": ""}),
        "messages[1]: content is required for messages with role 'user'",
    ),
    "tool without function": (body(tools=[{"type": "function"}]), body(), "tools[0]: function is required"),
    "tool without name": (body(tools=[tool(name=None)]), body(), "tools[0]: tool name is required"),
    "tool's name": (
        body(tools=[tool(name="a-b")]),
        body(tools=[tool(name="a_b")]),
        "tool names can only contain certain characters (A-Za-z0-9_) and can't begin with a digit",
    ),
    "parameters are text": (
        body(tools=[tool(parameters="x")]),
        body(tools=[tool(parameters=None)]),
        "tools[0]: parameters of tool 'f' must be a JSON schema of type 'object'",
    ),
    "result without call": (
        body(result()),
        body(calls(call()), result()),
        "messages[1]: tool_call_id 'f_1' does not match any tool call of the previous message",
    ),
    "result without id": (
        body(calls(call()), without(result(), "tool_call_id")),
        body(calls(call()), result()),
        "messages[2]: tool_call_id is required for messages with role 'tool'",
    ),
    "result without content": (
        body(calls(call()), without(result(), "content")),
        body(calls(call()), result(content=[])),
        "messages[2]: content is required for messages with role 'tool'",
    ),
    "calls without results": (
        body(calls(call("a"), call("b"), call("c")), result("b"), USER),
        body(calls(call("a"), call("b"), call("c")), result("c"), result("b"), result("a"), USER),
        "tool calls must be followed by a message with role 'tool' for each: missing a, c",
    ),
    "call without result at the end": (
        body(calls(call())),
        body(calls(call()), result()),
        "tool calls must be followed by a message with role 'tool' for each: missing f_1",
    ),
    "call without id": (
        body(calls(without(call(), "id")), result()),
        body(calls(call()), result()),
        "messages[1]: tool calls must have an id",
    ),
    "call without name": (
        body(calls(call(name="")), result()),
        body(calls(call()), result()),
        "messages[1]: tool calls must have a function with a name",
    ),
    "arguments are an object": (
        body(calls(call(arguments={})), result()),
        body(calls(call(arguments="")), result()),
        "messages[1]: arguments of tool calls must be a string of JSON",
    ),
    "unknown choice": (
        body(tool_choice="auto"),
        body(tool_choice="REQUIRED"),
        "tool_choice must be one of 'REQUIRED' or 'NONE'",
    ),
    "choice without tools": (
        RIGHT | {"tool_choice": "REQUIRED"},
        body(tool_choice="REQUIRED"),
        "cannot specify tool_choice without tools",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_and_the_same_right_is_taken(name: str) -> None:
    wrong, right, message = WRONG[name]
    error = refused(sent(PATH, wrong), WIRE)
    assert (error.status, error.body) == (400, {"id": "mock", "message": f"invalid request: {message}"})
    assert sent(PATH, right).read(WIRE).wire == WIRE


def test_bodies_keys_and_models() -> None:
    error = refused(sent(PATH, b"{"), WIRE)
    assert error.status == 400
    assert error.body["message"].startswith("invalid request: request body is not valid JSON: ")
    assert refused(sent(PATH, RIGHT), WIRE, max_body=9).status == 413
    error = refused(sent(PATH, RIGHT), WIRE, keys="good")
    assert (error.status, error.body["message"]) == (401, "no api key supplied")
    error = refused(sent(PATH, RIGHT, authorization="Bearer wrong"), WIRE, keys="good")
    assert (error.status, error.body["message"]) == (401, "invalid api token")
    assert sent(PATH, RIGHT, authorization="Bearer good").read(WIRE, keys="good").model == "mock"
    error = refused(sent(PATH, RIGHT), WIRE, models="another")
    assert error.status == 404
    assert error.body["message"].startswith("model 'mock' not found, make sure the correct model ID was used")
    assert sent(PATH, RIGHT | {"model": "mock?a=b"}).read(WIRE, models="mock").model == "mock?a=b"


def test_everything_is_read() -> None:
    given = body(
        calls(call("a")),
        result("a"),
        {"role": "assistant", "content": [{"type": "text", "text": "x"}]},
        {"role": "user", "content": [{"type": "text", "text": "And"}, {"type": "text", "text": "now?"}]},
        calls(call("b"), call("c", name="g")),
        result("b", content=[{"type": "document", "document": {"id": "1", "data": {"n": 1}}}]),
        result("c", content=[{"type": "text", "text": "one"}, {"type": "document", "document": {"data": "two"}}]),
        tools=[tool(), tool(name="g", parameters=None)],
        tool_choice="NONE",
        stream=True,
    )
    assert sent(PATH, given).read(WIRE) == Asked(
        WIRE,
        "mock",
        stream=True,
        tools=(Offered("f", SCHEMA), Offered("g", {"type": "object", "properties": {}})),
        results=(Result("b", "f", '{"n":1}'), Result("c", "g", "one\ntwo")),
        rounds=2,
        user="And\nnow?",
        choice="none",
        body=given,
    )
