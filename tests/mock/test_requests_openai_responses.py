"""OpenAI's Responses: how requests are refused, and what is read of those that are taken."""

from __future__ import annotations

from typing import Any

import pytest
from mock.requests_asking import SCHEMA, refused, sent, without

from toolwire.mock.asked import Asked, Offered, Result

WIRE = "openai-responses"
PATH = "/v1/responses"
USER = {"role": "user", "content": "Hi"}
TOOL = {"type": "function", "name": "f", "parameters": SCHEMA, "strict": False}
RIGHT: dict[str, Any] = {"model": "mock", "input": "Hi", "tools": [TOOL]}


def call(id: str = "call_1", **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"} | more


def output(id: str = "call_1", **more: Any) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id, "output": "ok"} | more


def custom(id: str = "call_1") -> dict[str, Any]:
    return {"type": "custom_tool_call", "call_id": id, "name": "c", "input": "x"}


def body(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return RIGHT | ({"input": [USER, *items]} if items else {}) | more


LONG = "x" * 65
MISSING = "missing_required_parameter"

# name -> the wrong body, the same one right, and message, param and code of the error
WRONG: dict[str, tuple[dict[str, Any], dict[str, Any], str, str | None, str | None]] = {
    "no model": (without(RIGHT, "model"), RIGHT, "Missing required parameter: 'model'.", "model", MISSING),
    "model is null": (
        body(model=None),
        RIGHT,
        "Invalid type for 'model': expected a string, but got an object instead.",
        "model",
        "invalid_type",
    ),
    "no input": (without(RIGHT, "input"), RIGHT, "Missing required parameter: 'input'.", "input", MISSING),
    "input is null": (
        body(input=None),
        RIGHT,
        "Invalid type for 'input': expected a string, but got an object instead.",
        "input",
        "invalid_type",
    ),
    "empty input": (
        body(input=[]),
        body(input=[], previous_response_id="resp_1"),
        'One of "input" or "previous_response_id" or "prompt" or "conversation" must be provided.',
        None,
        MISSING,
    ),
    "input is a number": (
        body(input=1),
        RIGHT,
        "Invalid type for 'input': expected a string or an array of objects, but got an integer instead.",
        "input",
        "invalid_type",
    ),
    "unknown role": (
        body({"role": "tool", "content": "x"}),
        body({"role": "developer", "content": "x"}),
        "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
        "input[1]",
        "invalid_value",
    ),
    "message without content": (
        body({"role": "user"}),
        body({"role": "user", "content": []}),
        "Missing required parameter: 'input[1].content'.",
        "input[1].content",
        MISSING,
    ),
    "tool without name": (
        body(tools=[without(TOOL, "name")]),
        RIGHT,
        "Missing required parameter: 'tools[0].name'.",
        "tools[0].name",
        MISSING,
    ),
    "tool as Chat has it": (
        body(tools=[{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}]),
        RIGHT,
        "Missing required parameter: 'tools[0].name'.",
        "tools[0].name",
        MISSING,
    ),
    "tool without type": (
        body(tools=[without(TOOL, "type")]),
        RIGHT,
        "Missing required parameter: 'tools[0].type'.",
        "tools[0].type",
        MISSING,
    ),
    "tool's name has other characters": (
        body(tools=[TOOL | {"name": "a b"}]),
        body(tools=[TOOL | {"name": "a_b"}]),
        (
            "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern "
            "'^[a-zA-Z0-9_-]+$'."
        ),
        "tools[0].name",
        "invalid_value",
    ),
    "tool's name is too long": (
        body(tools=[TOOL | {"name": "x" * 129}]),
        body(tools=[TOOL | {"name": "x" * 128}]),
        (
            "Invalid 'tools[0].name': string too long. Expected a string with maximum length 128, but got a string "
            "with "
            "length 129 instead."
        ),
        "tools[0].name",
        "string_above_max_length",
    ),
    "parameters are no object": (
        body(tools=[TOOL | {"parameters": True}]),
        body(tools=[TOOL | {"parameters": None}]),
        "Invalid type for 'tools[0].parameters': expected an object, but got a boolean instead.",
        "tools[0].parameters",
        "invalid_type",
    ),
    "parameters of another type": (
        body(tools=[TOOL | {"parameters": {"type": "array"}}]),
        body(tools=[TOOL | {"parameters": {}}]),
        "Invalid schema for function 'f': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"array\"'.",
        "tools[0].parameters",
        "invalid_function_parameters",
    ),
    "output without call": (
        body(output()),
        body(call(), output()),
        "No tool call found for function call output with call_id call_1.",
        "input",
        None,
    ),
    "output of a custom call without it": (
        body({"type": "custom_tool_call_output", "call_id": "call_1", "output": "ok"}),
        body(custom(), {"type": "custom_tool_call_output", "call_id": "call_1", "output": "ok"}),
        "No tool call found for custom tool call output with call_id call_1.",
        "input",
        None,
    ),
    "call without output": (
        body(call("a"), call("b"), output("a")),
        body(call("a"), call("b"), output("b"), output("a")),
        "No tool output found for function call b.",
        "input",
        None,
    ),
    "custom call without output": (
        body(custom()),
        body(custom(), {"type": "custom_tool_call_output", "call_id": "call_1", "output": []}),
        "No tool output found for custom tool call call_1.",
        "input",
        None,
    ),
    "output is missing": (
        body(call(), without(output(), "output")),
        body(call(), output()),
        "Missing required parameter: 'input[2].output'.",
        "input[2].output",
        MISSING,
    ),
    "call without id": (
        body(without(call(), "call_id"), output()),
        body(call(), output()),
        "Missing required parameter: 'input[1].call_id'.",
        "input[1].call_id",
        MISSING,
    ),
    "arguments are an object": (
        body(call(arguments={}), output()),
        body(call(arguments=""), output()),
        "Invalid type for 'input[1].arguments': expected a string, but got an object instead.",
        "input[1].arguments",
        "invalid_type",
    ),
    "id is too long": (
        body(call(LONG), output(LONG)),
        body(call(LONG[1:]), output(LONG[1:])),
        (
            "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string "
            "with "
            "length 65 instead."
        ),
        "input[1].call_id",
        "string_above_max_length",
    ),
    "choice without tools": (
        body(tools=[], tool_choice="required"),
        body(tool_choice="required"),
        "Tool choice 'required' must be specified with 'tools' parameter.",
        "tool_choice",
        None,
    ),
    "choice of no tool": (
        body(tool_choice={"type": "function", "name": "g"}),
        body(tool_choice={"type": "function", "name": "f"}),
        "Tool choice 'g' not found in 'tools' parameter.",
        "tool_choice",
        None,
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_and_the_same_right_is_taken(name: str) -> None:
    wrong, right, message, param, code = WRONG[name]
    error = refused(sent(PATH, wrong), WIRE)
    said = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    assert (error.status, error.body) == (400, {"error": said})
    assert sent(PATH, right).read(WIRE).wire == WIRE


def test_bodies_keys_and_models() -> None:
    assert refused(sent(PATH, b"nothing"), WIRE).body["error"]["message"].startswith("We could not parse the JSON body")
    assert refused(sent(PATH, RIGHT), WIRE, max_body=9).status == 413
    assert refused(sent(PATH, RIGHT), WIRE, keys="good").status == 401
    error = refused(sent(PATH, RIGHT, authorization="Bearer wrong"), WIRE, keys="good")
    assert (error.status, error.body["error"]["code"]) == (401, "invalid_api_key")
    assert sent(PATH, RIGHT, authorization="Bearer good").read(WIRE, keys="good").model == "mock"
    error = refused(sent(PATH, RIGHT), WIRE, models="another")
    assert (error.status, error.body["error"]["param"]) == (400, "model")
    assert error.body["error"]["message"] == "The requested model 'mock' does not exist."
    assert sent(PATH, body(model="mock?quirks=x")).read(WIRE, models="mock").model == "mock?quirks=x"


def test_what_a_request_refers_to_may_hold_the_call() -> None:
    assert sent(PATH, body(output(), previous_response_id="resp_1")).read(WIRE).results == (Result("call_1", "", "ok"),)
    assert sent(PATH, body(output(), conversation="conv_1")).read(WIRE).results == (Result("call_1", "", "ok"),)
    reference = {"type": "item_reference", "id": "fc_1"}
    assert sent(PATH, body(reference, output())).read(WIRE).results == (Result("call_1", "", "ok"),)
    assert sent(PATH, {"prompt": {"id": "p"}, "input": "Hi"}).read(WIRE).model == ""
    assert sent(PATH, {"prompt": {"id": "p"}}).read(WIRE).user == ""


def test_everything_is_read() -> None:
    items = [
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be short."}]},
        {"role": "user", "content": [{"type": "input_text", "text": "Hi"}, {"type": "input_image", "image_url": "x"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "content": None, "encrypted_content": "x"},
        call("a"),
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "And"}]},
        call("b", name="g", status="completed"),
        output("a"),
        output("b"),
        custom("c"),
        {
            "type": "custom_tool_call_output",
            "id": "ctco_1",
            "call_id": "c",
            "output": [{"type": "input_text", "text": "one"}, {"type": "input_image", "image_url": "data:,"}],
        },
    ]
    tools = [
        TOOL,
        {"type": "custom", "name": "c", "format": {"type": "grammar", "syntax": "lark", "definition": "x"}},
        {"type": "namespace", "name": "crm", "description": "x", "tools": [TOOL | {"name": "inner"}]},
        {"type": "web_search", "external_web_access": False},
        {"type": "tool_search", "execution": "client"},
    ]
    given = body(input=items, tools=tools, stream=True, parallel_tool_calls=False, tool_choice="auto")
    assert sent(PATH, given).read(WIRE) == Asked(
        WIRE,
        "mock",
        stream=True,
        tools=(Offered("f", SCHEMA), Offered("c", None), Offered("inner", SCHEMA, "crm")),
        results=(Result("c", "c", "one"),),
        rounds=2,
        user="Hi",
        parallel=False,
        body=given,
    )


def test_tools_may_come_among_the_items() -> None:
    items = [USER, {"type": "additional_tools", "role": "developer", "tools": [TOOL | {"name": "later"}]}]
    assert [tool.name for tool in sent(PATH, body(input=items)).read(WIRE).tools] == ["f", "later"]


def test_choices_in_all_forms() -> None:
    tools = [TOOL, {"type": "custom", "name": "c"}, {"type": "web_search"}]
    forms: list[tuple[Any, str]] = [
        (None, "auto"),
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        ({"type": "function", "name": "f"}, "f"),
        ({"type": "custom", "name": "c"}, "c"),
        ({"type": "web_search"}, "auto"),
    ]
    for form, choice in forms:
        asked = sent(PATH, body(tools=tools, tool_choice=form)).read(WIRE)
        assert (asked.choice, [tool.name for tool in asked.tools]) == (choice, ["f", "c"])
    allowed = {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "f"}]}
    asked = sent(PATH, body(tools=tools, tool_choice=allowed)).read(WIRE)
    assert (asked.choice, asked.tools) == ("required", (Offered("f", SCHEMA),))
