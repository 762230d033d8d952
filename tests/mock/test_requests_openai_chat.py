"""Chat Completions as OpenAI, Azure and Mistral take them, and how they refuse them."""

from __future__ import annotations

from typing import Any

import pytest
from mock.requests_asking import SCHEMA, refused, sent, without

from toolwire.mock.asked import Asked, Offered, Result

WIRE = "openai-chat"
PATH = "/v1/chat/completions"
MISTRAL = "/mistral/v1/chat/completions"
AZURE = "/openai/deployments/mock/chat/completions"

USER = {"role": "user", "content": "Hi"}
TOOL = {"type": "function", "function": {"name": "f", "parameters": SCHEMA}}
RIGHT: dict[str, Any] = {"model": "mock", "messages": [USER], "tools": [TOOL]}


def call(id: Any = "call00001", **function: Any) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"} | function}


def calls(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(entries)}


def result(id: Any = "call00001", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": "ok"} | more


def body(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return RIGHT | ({"messages": [USER, *messages]} if messages else {}) | more


def tool(**function: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "f", "parameters": SCHEMA} | function}


MUST = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The "
    "following tool_call_ids did not have response messages: "
)
PATTERN = "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
LONG = "x" * 41

# name -> the wrong body, the same one right, and message, param and code of the error
WRONG: dict[str, tuple[dict[str, Any], dict[str, Any], str, str | None, str | None]] = {
    "no model": (without(RIGHT, "model"), RIGHT, "you must provide a model parameter", None, None),
    "no messages": (
        without(RIGHT, "messages"),
        RIGHT,
        "Missing required parameter: 'messages'.",
        "messages",
        "missing_required_parameter",
    ),
    "messages are no array": (
        body(messages="Hi"),
        RIGHT,
        "Invalid type for 'messages': expected an array of objects, but got a string instead.",
        "messages",
        "invalid_type",
    ),
    "empty messages": (
        body(messages=[]),
        RIGHT,
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        "messages",
        "empty_array",
    ),
    "no role": (
        body({"content": "x"}),
        body({"role": "user", "content": "x"}),
        "Missing required parameter: 'messages[1].role'.",
        "messages[1].role",
        "missing_required_parameter",
    ),
    "unknown role": (
        body({"role": "bot", "content": "x"}),
        body({"role": "developer", "content": "x"}),
        (
            "Invalid value: 'bot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and "
            "'developer'."
        ),
        "messages[1].role",
        "invalid_value",
    ),
    "no content": (
        body({"role": "user", "content": None}),
        body({"role": "user", "content": []}),
        "Invalid value for 'content': expected a string, got null.",
        "messages.[1].content",
        None,
    ),
    "no messages but null": (
        body(messages=None),
        RIGHT,
        "Invalid type for 'messages': expected an array of objects, but got null instead.",
        "messages",
        "invalid_type",
    ),
    "developer without content": (
        body({"role": "developer"}),
        body({"role": "developer", "content": ""}),
        "Missing required parameter: 'messages[1].content'.",
        "messages[1].content",
        "missing_required_parameter",
    ),
    "developer with null": (
        body({"role": "developer", "content": None}),
        body({"role": "developer", "content": "x"}),
        ("Invalid type for 'messages[1].content': expected one of a string or array of objects, but got null instead."),
        "messages[1].content",
        "invalid_type",
    ),
    "assistant without anything": (
        body({"role": "assistant", "tool_calls": None}),
        body({"role": "assistant", "refusal": "No."}),
        "Invalid value for 'content': expected a string, got null.",
        "messages.[1].content",
        None,
    ),
    "tool without type": (
        body(tools=[without(TOOL, "type")]),
        RIGHT,
        "Missing required parameter: 'tools[0].type'.",
        "tools[0].type",
        "missing_required_parameter",
    ),
    "tool's name is empty": (
        body(tools=[tool(name="")]),
        RIGHT,
        (
            "Invalid 'tools[0].function.name': empty string. Expected a string with minimum length 1, but got an empty "
            "string instead."
        ),
        "tools[0].function.name",
        "empty_string",
    ),
    "unknown choice": (
        body(tool_choice="any"),
        body(tool_choice="none"),
        "Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'.",
        "tool_choice",
        "invalid_value",
    ),
    "choice without function": (
        body(tool_choice={"type": "function", "name": "f"}),
        body(tool_choice={"type": "function", "function": {"name": "f"}}),
        "Missing required parameter: 'tool_choice.function'.",
        "tool_choice.function",
        "missing_required_parameter",
    ),
    "choice without name": (
        body(tool_choice={"type": "function", "function": {}}),
        body(tool_choice={"type": "function", "function": {"name": "f"}}),
        "Missing required parameter: 'tool_choice.function.name'.",
        "tool_choice.function.name",
        "missing_required_parameter",
    ),
    "tool without function": (
        body(tools=[{"type": "function"}]),
        RIGHT,
        "Missing required parameter: 'tools[0].function'.",
        "tools[0].function",
        "missing_required_parameter",
    ),
    "tool without name": (
        body(tools=[{"type": "function", "function": {"parameters": SCHEMA}}]),
        RIGHT,
        "Missing required parameter: 'tools[0].function.name'.",
        "tools[0].function.name",
        "missing_required_parameter",
    ),
    "tool's name has other characters": (
        body(tools=[tool(name="a b")]),
        body(tools=[tool(name="a-b")]),
        f"Invalid 'tools[0].function.name': {PATTERN}",
        "tools[0].function.name",
        "invalid_value",
    ),
    "tool's name is too long": (
        body(tools=[tool(name="x" * 65)]),
        body(tools=[tool(name="x" * 64)]),
        (
            "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a "
            "string "
            "with length 65 instead."
        ),
        "tools[0].function.name",
        "string_above_max_length",
    ),
    "parameters are no object": (
        body(tools=[tool(parameters="x")]),
        body(tools=[tool(parameters=None)]),
        "Invalid type for 'tools[0].function.parameters': expected an object, but got a string instead.",
        "tools[0].function.parameters",
        "invalid_type",
    ),
    "parameters of another type": (
        body(tools=[tool(parameters={"type": "string"})]),
        body(tools=[tool(parameters={"type": "object"})]),
        "Invalid schema for function 'f': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"string\"'.",
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "custom tool without name": (
        body(tools=[{"type": "custom", "custom": {}}]),
        body(tools=[{"type": "custom", "custom": {"name": "c"}}]),
        "Missing required parameter: 'tools[0].custom.name'.",
        "tools[0].custom.name",
        "missing_required_parameter",
    ),
    "result without call": (
        body(result()),
        body(calls(call()), result()),
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        "messages.[1].role",
        None,
    ),
    "result of another call": (
        body(calls(call()), result("other")),
        body(calls(call("other")), result("other")),
        "Invalid parameter: 'tool_call_id' of 'other' not found in 'tool_calls' of previous message.",
        "messages.[2].tool_call_id",
        None,
    ),
    "result without id": (
        body(calls(call()), without(result(), "tool_call_id")),
        body(calls(call()), result()),
        "Missing required parameter: 'messages[2].tool_call_id'.",
        "messages[2].tool_call_id",
        "missing_required_parameter",
    ),
    "call without result at the end": (
        body(calls(call())),
        body(calls(call()), result()),
        MUST + "call00001",
        "messages.[2].role",
        None,
    ),
    "calls without results before the user": (
        body(calls(call("a"), call("b"), call("c")), result("b"), USER),
        body(calls(call("a"), call("b"), call("c")), result("c"), result("b"), result("a"), USER),
        MUST + "a, c",
        "messages.[3].role",
        None,
    ),
    "call without id": (
        body(calls(without(call(), "id")), result()),
        body(calls(call()), result()),
        "Missing required parameter: 'messages[1].tool_calls[0].id'.",
        "messages[1].tool_calls[0].id",
        "missing_required_parameter",
    ),
    "call without name": (
        body(calls(call(name="")), result()),
        body(calls(call()), result()),
        "Missing required parameter: 'messages[1].tool_calls[0].function.name'.",
        "messages[1].tool_calls[0].function.name",
        "missing_required_parameter",
    ),
    "call without arguments": (
        body(calls(call(arguments=None)), result()),
        body(calls(call(arguments="")), result()),
        "Missing required parameter: 'messages[1].tool_calls[0].function.arguments'.",
        "messages[1].tool_calls[0].function.arguments",
        "missing_required_parameter",
    ),
    "arguments are an object": (
        body(calls(call(arguments={})), result()),
        body(calls(call(arguments="{}")), result()),
        (
            "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object "
            "instead."
        ),
        "messages[1].tool_calls[0].function.arguments",
        "invalid_type",
    ),
    "tool_calls are no array": (
        body({"role": "assistant", "tool_calls": {}}),
        body(calls(call()), result()),
        "Invalid type for 'messages[1].tool_calls': expected an array of objects, but got an object instead.",
        "messages[1].tool_calls",
        "invalid_type",
    ),
    "call is text": (
        body({"role": "assistant", "tool_calls": ["f"]}),
        body(calls(call()), result()),
        "Invalid type for 'messages[1].tool_calls[0]': expected an object, but got a string instead.",
        "messages[1].tool_calls[0]",
        "invalid_type",
    ),
    "call without function": (
        body(calls(without(call(), "function")), result()),
        body(calls(call()), result()),
        "Missing required parameter: 'messages[1].tool_calls[0].function'.",
        "messages[1].tool_calls[0].function",
        "missing_required_parameter",
    ),
    "id is a number": (
        body(calls(call(1)), result(1)),
        body(calls(call("1")), result("1")),
        "Invalid type for 'messages[1].tool_calls[0].id': expected a string, but got an integer instead.",
        "messages[1].tool_calls[0].id",
        "invalid_type",
    ),
    "message is text": (
        body(messages=["Hi"]),
        RIGHT,
        "Invalid type for 'messages[0]': expected an object, but got a string instead.",
        "messages[0]",
        "invalid_type",
    ),
    "no calls in tool_calls": (
        body({"role": "assistant", "content": "x", "tool_calls": []}),
        body({"role": "assistant", "content": "x", "tool_calls": None}),
        (
            "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an "
            "empty array "
            "instead."
        ),
        "messages[1].tool_calls",
        "empty_array",
    ),
    "call's id is too long": (
        body(calls(call(LONG)), result(LONG)),
        body(calls(call(LONG[1:])), result(LONG[1:])),
        (
            "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but "
            "got a "
            "string with length 41 instead."
        ),
        "messages[1].tool_calls[0].id",
        "string_above_max_length",
    ),
    "choice without tools": (
        body(tools=[], tool_choice="auto"),
        body(tool_choice="auto"),
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        "tool_choice",
        None,
    ),
    "choice of no tool": (
        body(tool_choice={"type": "function", "function": {"name": "g"}}),
        body(tool_choice={"type": "function", "function": {"name": "f"}}),
        "Invalid value for 'tool_choice': no function named 'g' was specified in the 'tools' parameter.",
        "tool_choice",
        None,
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_openai_refuses_what_is_wrong_and_takes_the_same_right(name: str) -> None:
    wrong, right, message, param, code = WRONG[name]
    error = refused(sent(PATH, wrong), WIRE)
    said = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    assert (error.status, error.body, error.headers) == (400, {"error": said}, {})
    assert sent(PATH, right).read(WIRE).wire == WIRE


def test_bodies_that_are_no_json_objects_and_those_that_are_too_large() -> None:
    for broken in (b"", b"{", b"[]", b"\xff", b'{"a": NaN}', b"[" * 100_000, b'{"model": 1e999}'):
        error = refused(sent(PATH, broken), WIRE)
        assert error.status == 400
        assert error.body["error"]["message"].startswith("We could not parse the JSON body of your request.")
        assert error.body["error"]["type"] == "invalid_request_error"
    request = sent(PATH, RIGHT)
    size = len(request.body)
    error = refused(request, WIRE, max_body=size - 1)
    assert (error.status, error.body["error"]["message"]) == (
        413,
        f"413: Maximum content size limit ({size - 1}) exceeded ({size} bytes read)",
    )
    assert request.read(WIRE, max_body=size).model == "mock"


def test_keys_and_models() -> None:
    error = refused(sent(PATH, RIGHT), WIRE, keys="good")
    assert (error.status, error.body["error"]["code"]) == (401, None)
    assert error.body["error"]["message"].startswith("You didn't provide an API key.")
    error = refused(sent(PATH, RIGHT, authorization="Bearer a-wrong-key-12345"), WIRE, keys="good")
    assert (error.status, error.body["error"]["code"]) == (401, "invalid_api_key")
    assert error.body["error"]["message"] == "Incorrect API key provided: a-wrong-********2345."
    assert sent(PATH, RIGHT, authorization="bearer good").read(WIRE, keys="good other").model == "mock"

    error = refused(sent(PATH, RIGHT), WIRE, models="another")
    assert (error.status, error.body["error"]["code"]) == (404, "model_not_found")
    assert error.body["error"]["message"] == "The model `mock` does not exist or you do not have access to it."
    assert sent(PATH, body(model="mock?delay=1ms")).read(WIRE, models="mock").model == "mock?delay=1ms"


def test_azure_has_the_deployment_in_the_path_and_says_some_things_in_its_own_words() -> None:
    bare = without(RIGHT, "model")
    asked = sent(AZURE, bare, api_key="good").read(WIRE, keys="good", models="mock")
    assert (asked.model, asked.dialect) == ("mock", "azure")
    assert sent(AZURE, body(model="mock?delay=1ms")).read(WIRE).model == "mock?delay=1ms"
    assert sent(AZURE, body(model="gpt")).read(WIRE).model == "mock"
    assert sent(AZURE, bare, authorization="Bearer good").read(WIRE, keys="good").model == "mock"
    escaped = "/openai/deployments/mock%2Fone%3Fdelay=1ms/chat/completions"
    assert sent(escaped, bare).read(WIRE, models="mock/one").model == "mock/one?delay=1ms"

    error = refused(sent(AZURE, bare, api_key="wrong"), WIRE, keys="good")
    assert (error.status, error.body["error"]["code"]) == (401, "401")
    assert error.body["error"]["message"].startswith("Access denied due to invalid subscription key")
    error = refused(sent(AZURE, bare), WIRE, models="another")
    assert (error.status, error.body["error"]["code"]) == (404, "DeploymentNotFound")
    error = refused(sent(AZURE, bare | {"messages": [USER, calls(call())]}), WIRE)
    assert error.body["error"]["message"] == MUST + "call00001"
    assert refused(sent("/openai/v1/chat/completions", bare, api_key="k"), WIRE).body["error"]["message"] == (
        "you must provide a model parameter"
    )


# --- Mistral ------------------------------------------------------------------------------------------------------


def typed(message: str, kind: str, code: str | None) -> dict[str, Any]:
    return {"object": "error", "message": message, "type": kind, "param": None, "code": code}


def schema(kind: str, place: list[Any], message: str) -> dict[str, Any]:
    detail = {"detail": [{"type": kind, "loc": ["body", *place], "msg": message}]}
    return {"object": "error", "message": detail, "type": "invalid_request_error", "param": None, "code": None}


ID = "must be a-z, A-Z, 0-9, with a length of 9."
ORDER = "invalid_request_message_order"
TAGS = "'system', 'user', 'assistant', 'tool'"

# name -> the wrong body, the same one right, status and body of the error
MISTRALS: dict[str, tuple[Any, dict[str, Any], int, dict[str, Any]]] = {
    "no JSON": (
        b"{",
        RIGHT,
        422,
        schema(
            "json_invalid",
            [],
            "JSON decode error: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
    ),
    "no model": (without(RIGHT, "model"), RIGHT, 422, schema("missing", ["model"], "Field required")),
    "no messages": (without(RIGHT, "messages"), RIGHT, 422, schema("missing", ["messages"], "Field required")),
    "empty messages": (
        body(messages=[]),
        RIGHT,
        400,
        typed("Conversation must have at least one message", ORDER, "3230"),
    ),
    "unknown role": (
        body({"role": "developer", "content": "x"}),
        body({"role": "system", "content": "x"}),
        422,
        schema(
            "union_tag_invalid",
            ["messages", 1],
            f"Input tag 'developer' found using 'role' does not match any of the expected tags: {TAGS}",
        ),
    ),
    "parameters are no object": (
        body(tools=[tool(parameters=[])]),
        RIGHT,
        422,
        schema("dict_type", ["tools", 0, "function", "parameters"], "Input should be a valid dictionary"),
    ),
    "tool's name": (
        body(tools=[tool(name="a b")]),
        body(tools=[tool(name="a_b")]),
        400,
        typed(
            "Function name was a b but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum "
            "length of "
            "64.",
            "invalid_function_call",
            "3280",
        ),
    ),
    "call's id": (
        body(calls(call("call_1")), result("call_1")),
        body(calls(call("callabcd1")), result("callabcd1")),
        400,
        typed(f"Tool call id was call_1 but {ID}", "invalid_function_call", "3280"),
    ),
    "no id": (
        body(calls(without(call(), "id")), result()),
        body(calls(call()), result()),
        400,
        typed(f"Tool call id was null but {ID}", "invalid_function_call", "3280"),
    ),
    "call without result": (
        body(calls(call("callabcd1"), call("callabcd2")), result("callabcd1")),
        body(calls(call("callabcd1"), call("callabcd2")), result("callabcd2"), result("callabcd1")),
        400,
        typed("Not the same number of function calls and responses", ORDER, "3230"),
    ),
    "result without call": (
        body(result()),
        body(calls(call()), result()),
        400,
        typed("Unexpected tool call id call00001 in tool results", ORDER, "3230"),
    ),
}


@pytest.mark.parametrize("name", MISTRALS)
def test_mistral_refuses_what_is_wrong_and_takes_the_same_right(name: str) -> None:
    wrong, right, status, said = MISTRALS[name]
    error = refused(sent(MISTRAL, wrong), WIRE)
    assert (error.status, error.body) == (status, said)
    assert sent(MISTRAL, right).read(WIRE).dialect == "mistral"


def test_mistral_has_its_own_words_for_keys_and_models_and_tells_usage_always() -> None:
    error = refused(sent(MISTRAL, RIGHT, authorization="Bearer x"), WIRE, keys="good")
    assert (error.status, error.body) == (401, {"detail": "Unauthorized"})
    error = refused(sent(MISTRAL, RIGHT), WIRE, models="another")
    assert (error.status, error.body) == (400, typed("Invalid model: mock", "invalid_model", "1500"))
    streamed = body(stream=True)
    asked = sent(MISTRAL, streamed | {"tool_choice": "any"}).read(WIRE)
    assert (asked.usage, asked.choice) == (True, "required")
    assert not sent(PATH, streamed).read(WIRE).usage


def test_mistrals_rules_hold_on_its_path_only() -> None:
    foreign = body(calls(call("call_1")), result("call_1"))
    assert sent(PATH, foreign).read(WIRE).results == (Result("call_1", "f", "ok"),)


# --- reading ------------------------------------------------------------------------------------------------------


def test_everything_is_read() -> None:
    turns = [
        {"role": "system", "content": "Be short."},
        USER,
        calls(call("a"), call("b", name="g")),
        result("a"),
        result("b"),
        {"role": "assistant", "content": "Well.", "tool_calls": [call("c")]},
        result("c", content=[{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]),
    ]
    given = body(
        messages=turns,
        stream=True,
        stream_options={"include_usage": True},
        parallel_tool_calls=False,
        tool_choice="required",
        tools=[TOOL, {"type": "custom", "custom": {"name": "c"}}, {"type": "web_search"}],
    )
    assert sent(PATH, given).read(WIRE) == Asked(
        WIRE,
        "mock",
        stream=True,
        tools=(Offered("f", SCHEMA), Offered("c", None)),
        results=(Result("c", "f", "one\ntwo"),),
        rounds=2,
        user="Hi",
        choice="required",
        parallel=False,
        usage=True,
        body=given,
    )


def test_the_last_text_of_the_users_ends_the_results_but_an_image_does_not() -> None:
    image = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}
    asked = sent(PATH, body(calls(call()), result(), image)).read(WIRE)
    assert (asked.user, asked.results, asked.rounds) == ("Hi", (Result("call00001", "f", "ok"),), 1)
    said = {"role": "user", "content": [{"type": "text", "text": "And"}, {"type": "text", "text": "now?"}]}
    asked = sent(PATH, body(calls(call()), result(), said)).read(WIRE)
    assert (asked.user, asked.results, asked.rounds) == ("And\nnow?", (), 1)
    asked = sent(PATH, body(calls(call()), result(), {"role": "assistant", "content": "So."})).read(WIRE)
    assert (asked.user, asked.results, asked.rounds) == ("Hi", (), 1)


def test_choices_in_all_forms() -> None:
    other = {"type": "custom", "custom": {"name": "c"}}
    forms: list[tuple[Any, str]] = [
        (None, "auto"),
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        ({"type": "function", "function": {"name": "f"}}, "f"),
        ({"type": "custom", "custom": {"name": "c"}}, "c"),
    ]
    for form, choice in forms:
        asked = sent(PATH, body(tools=[TOOL, other], tool_choice=form)).read(WIRE)
        assert (asked.choice, len(asked.tools)) == (choice, 2)
    allowed = {"mode": "required", "tools": [{"type": "function", "function": {"name": "f"}}]}
    asked = sent(PATH, body(tools=[TOOL, other], tool_choice={"type": "allowed_tools", "allowed_tools": allowed})).read(
        WIRE
    )
    assert (asked.choice, asked.tools) == ("required", (Offered("f", SCHEMA),))


def test_deprecated_functions() -> None:
    given = {
        "model": "mock",
        "functions": [{"name": "f", "parameters": SCHEMA}, {"name": "g"}],
        "function_call": {"name": "g"},
        "messages": [
            USER,
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "ok"},
        ],
    }
    asked = sent(PATH, given).read(WIRE)
    assert asked.tools == (Offered("f", SCHEMA), Offered("g", {"type": "object", "properties": {}}))
    assert (asked.choice, asked.results, asked.rounds) == ("g", (Result("", "f", "ok"),), 1)


def test_what_clients_replay_passes() -> None:
    replayed = {
        "role": "assistant",
        "content": None,
        "refusal": None,
        "annotations": [],
        "audio": None,
        "function_call": None,
        "parsed": None,
        "reasoning_content": "Hm.",
        "tool_calls": [call() | {"index": 0, "function": {"name": "f", "arguments": "", "parsed_arguments": None}}],
    }
    asked = sent(PATH, body(replayed, result())).read(WIRE)
    assert asked.results == (Result("call00001", "f", "ok"),)
