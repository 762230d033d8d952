"""Anthropic's Messages and Bedrock's InvokeModel: how requests are refused, and what is read of the others."""

from __future__ import annotations

from typing import Any

import pytest
from mock.requests_asking import SCHEMA, refused, sent, without

from toolwire.mock.asked import Asked, Offered, Result

WIRE = "anthropic"
PATH = "/v1/messages"
INVOKE = "/model/mock/invoke"
USER = {"role": "user", "content": "Hi"}
TOOL = {"name": "f", "input_schema": SCHEMA}
RIGHT: dict[str, Any] = {"model": "mock", "max_tokens": 9, "messages": [USER], "tools": [TOOL]}
HEADERS = {"anthropic_version": "2023-06-01"}


def use(id: str = "toolu_1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "f", "input": {}} | more


def result(id: str = "toolu_1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": "ok"} | more


def text(said: str = "x") -> dict[str, Any]:
    return {"type": "text", "text": said}


def model(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def body(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return RIGHT | ({"messages": [USER, *messages]} if messages else {}) | more


def without_result(place: int, *ids: str) -> str:
    return (
        f"messages.{place}: `tool_use` ids were found without `tool_result` blocks immediately after: "
        f"{', '.join(ids)}. Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    )


def without_use(place: str, id: str) -> str:
    return (
        f"{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a "
        "corresponding `tool_use` block in the previous message."
    )


# name -> the wrong body, the same one right, and the error's message
WRONG: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "no messages": (without(RIGHT, "messages"), RIGHT, "messages: Field required"),
    "messages are no array": (body(messages="Hi"), RIGHT, "messages: Input should be a valid array"),
    "empty messages": (body(messages=[]), RIGHT, "messages: at least one message is required"),
    "no max_tokens": (without(RIGHT, "max_tokens"), RIGHT, "max_tokens: Field required"),
    "max_tokens is text": (body(max_tokens="9"), RIGHT, "max_tokens: Input should be a valid integer"),
    "no role": (body({"content": "x"}), body(USER), "messages.1.role: Field required"),
    "unknown role": (
        body({"role": "tool", "content": "x"}),
        body({"role": "system", "content": "x"}),
        'messages: Unexpected role "tool". Allowed roles are "user" or "assistant".',
    ),
    "no content": (body({"role": "user"}), body({"role": "user", "content": ""}), "messages.1.content: Field required"),
    "block without type": (
        body(user({"text": "x"})),
        body(user(text())),
        "messages.1.content.0.type: Field required",
    ),
    "tool without name": (body(tools=[without(TOOL, "name")]), RIGHT, "tools.0.custom.name: Field required"),
    "tool's name": (
        body(tools=[TOOL | {"name": "a.b"}]),
        body(tools=[TOOL | {"name": "a-b"}]),
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ),
    "tool without schema": (
        body(tools=[without(TOOL, "input_schema")]),
        RIGHT,
        "tools.0.custom.input_schema: Field required",
    ),
    "schema is no object": (
        body(tools=[TOOL | {"input_schema": "x"}]),
        RIGHT,
        "tools.0.custom.input_schema: Input should be an object",
    ),
    "schema without type": (
        body(tools=[TOOL | {"input_schema": {"properties": {}}}]),
        body(tools=[TOOL | {"input_schema": {"type": "object", "properties": {}}}]),
        "tools.0.custom.input_schema.type: Field required",
    ),
    "schema of another type": (
        body(tools=[TOOL | {"input_schema": {"type": "array"}}]),
        body(tools=[TOOL | {"input_schema": {"type": "object"}}]),
        "tools.0.custom.input_schema.type: Input should be 'object'",
    ),
    "two tools of one name": (
        body(tools=[TOOL, TOOL]),
        body(tools=[TOOL, TOOL | {"name": "g"}]),
        "tools: Tool names must be unique.",
    ),
    "result without use": (
        body(user(result())),
        body(model(use()), user(result())),
        without_use("messages.1.content.0", "toolu_1"),
    ),
    "result of a use before the last": (
        body(model(use()), user(result()), model(text()), user(text(), result())),
        body(model(use()), user(result()), model(use("b")), user(result("b"), text())),
        without_use("messages.4.content.1", "toolu_1"),
    ),
    "use without result at the end": (
        body(model(use())),
        body(model(use()), user(result())),
        without_result(1, "toolu_1"),
    ),
    "uses without results": (
        body(model(use("a"), use("b"), use("c")), user(result("b"))),
        body(model(use("a"), use("b"), use("c")), user(result("c"), result("b"), result("a"))),
        without_result(1, "a", "c"),
    ),
    "text before a result": (
        body(model(use()), user(text(), result())),
        body(model(use()), user(result(), text())),
        without_result(1, "toolu_1"),
    ),
    "two results of one use": (
        body(model(use()), user(result(), result())),
        body(model(use("a"), use("b")), user(result("a"), result("b"))),
        (
            "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with "
            "id: "
            "toolu_1"
        ),
    ),
    "two uses with one id": (
        body(model(use(), use()), user(result())),
        body(model(use(), use("b")), user(result(), result("b"))),
        "messages.1.content.1: `tool_use` ids must be unique",
    ),
    "id of a use": (
        body(model(use("functions.f:0")), user(result("functions.f:0"))),
        body(model(use("functions-f_0")), user(result("functions-f_0"))),
        "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ),
    "id of a result": (
        body(model(use()), user(result("a b"))),
        body(model(use()), user(result())),
        "messages.2.content.0.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ),
    "result without id": (
        body(model(use()), user(without(result(), "tool_use_id"))),
        body(model(use()), user(result())),
        "messages.2.content.0.tool_result.tool_use_id: Field required",
    ),
    "use without input": (
        body(model(without(use(), "input")), user(result())),
        body(model(use()), user(result())),
        "messages.1.content.0.tool_use.input: Field required",
    ),
    "input is text": (
        body(model(use(input="{}")), user(result())),
        body(model(use(input={"__unparsedToolInput": {"raw": "{", "len": 1}})), user(result())),
        "messages.1.content.0.tool_use.input: Input should be an object",
    ),
    "choice without tools": (
        without(body(tool_choice={"type": "auto"}), "tools"),
        body(tool_choice={"type": "auto"}),
        "tool_choice: `tool_choice` may only be specified while providing `tools`.",
    ),
    "choice of no tool": (
        body(tool_choice={"type": "tool", "name": "g"}),
        body(tool_choice={"type": "tool", "name": "f"}),
        "Tool 'g' not found in provided tools",
    ),
    "unknown choice": (
        body(tool_choice={"type": "required"}),
        body(tool_choice={"type": "any"}),
        (
            "tool_choice: Input tag 'required' found using 'type' does not match any of the expected tags: 'auto', "
            "'any', 'tool', 'none'"
        ),
    ),
    "choice without type": (
        body(tool_choice={}),
        body(tool_choice=None),
        "tool_choice.type: Field required",
    ),
    "max_tokens is below 0": (
        body(max_tokens=-1),
        body(max_tokens=0),
        "max_tokens: must be greater than or equal to 0",
    ),
    "content is null": (
        body({"role": "user", "content": None}),
        body({"role": "user", "content": "x"}),
        "messages.1.content: Input should be a valid array",
    ),
    "the user says nothing": (
        body(model(text()), user(), user()),
        body(model(), user(), user(text()), user()),
        "messages.2: user messages must have non-empty content",
    ),
    "the system begins": (
        body(messages=[{"role": "system", "content": "x"}, USER]),
        body(messages=[USER, {"role": "system", "content": "x"}]),
        "messages.0: use the top-level 'system' parameter for the initial system prompt",
    ),
    "tool's name is empty": (
        body(tools=[TOOL | {"name": ""}]),
        RIGHT,
        "tools.0.custom.name: String should have at least 1 character",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_and_the_same_right_is_taken(name: str) -> None:
    wrong, right, message = WRONG[name]
    error = refused(sent(PATH, wrong, **HEADERS), WIRE)
    said = {"type": "error", "error": {"type": "invalid_request_error", "message": message}, "request_id": "req_mock"}
    assert (error.status, error.body, error.headers) == (400, said, {})
    assert sent(PATH, right, **HEADERS).read(WIRE).wire == WIRE


@pytest.mark.parametrize("name", WRONG)
def test_bedrock_says_the_same_in_its_own_form(name: str) -> None:
    wrong, right, message = WRONG[name]
    version = {"anthropic_version": "bedrock-2023-05-31"}
    error = refused(sent(INVOKE, without(wrong, "model") | version), "bedrock-invoke")
    assert (error.status, error.body) == (400, {"message": message})
    assert error.headers == {"x-amzn-errortype": "ValidationException"}
    asked = sent(INVOKE, without(right, "model") | version).read("bedrock-invoke")
    assert (asked.wire, asked.model) == ("bedrock-invoke", "mock")


def error_of(request: Any, **options: Any) -> tuple[int, str, str]:
    error = refused(request, WIRE, **options)
    return error.status, error.body["error"]["type"], error.body["error"]["message"]


def test_bodies_keys_versions_and_models() -> None:
    status, kind, message = error_of(sent(PATH, b"{", **HEADERS))
    assert (status, kind) == (400, "invalid_request_error")
    assert message.startswith("The request body is not valid JSON: ")
    large = sent(PATH, RIGHT, **HEADERS)
    assert error_of(large, max_body=len(large.body) - 1) == (
        413,
        "request_too_large",
        "Request exceeds the maximum size",
    )
    assert large.read(WIRE, max_body=len(large.body)).model == "mock"

    missing = sent(PATH, without(RIGHT, "model"), **HEADERS)
    assert error_of(missing) == (400, "invalid_request_error", "model: Field required")
    unnamed = sent(PATH, body(model=""), **HEADERS)
    assert error_of(unnamed) == (400, "invalid_request_error", "model: String should have at least 1 character")
    unversioned = sent(PATH, RIGHT)
    assert error_of(unversioned) == (400, "invalid_request_error", "anthropic-version: header is required")
    assert sent(PATH, RIGHT, anthropic_version="2026-10-21").read(WIRE).model == "mock"

    auth = "authentication_error"
    assert error_of(large, keys="good") == (401, auth, "x-api-key header is required")
    assert error_of(sent(PATH, RIGHT, x_api_key="k", **HEADERS), keys="good") == (401, auth, "invalid x-api-key")
    bearer = sent(PATH, RIGHT, authorization="Bearer k", **HEADERS)
    assert error_of(bearer, keys="good") == (401, auth, "Invalid bearer token")
    assert bearer.read(WIRE, keys="k").model == "mock"
    assert sent(PATH, RIGHT, x_api_key="k", **HEADERS).read(WIRE, keys="k").model == "mock"

    assert error_of(large, models="another") == (404, "not_found_error", "model: mock")
    named = sent(PATH, body(model="mock?a=b"), **HEADERS)
    assert named.read(WIRE, models="mock").model == "mock?a=b"


def test_everything_is_read() -> None:
    messages = [
        {"role": "user", "content": [text("<reminder>"), text("Hi") | {"cache_control": {"type": "ephemeral"}}]},
        model(
            {"type": "thinking", "thinking": "Hm.", "signature": "x"},
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
            use("a", caller={"type": "direct"}),
        ),
        user(result("a", is_error=False, cache_control={"type": "ephemeral"})),
        model(text(), use("b"), use("c", name="g")),
        {"role": "system", "content": "Be short."},
        user(result("c", content=[text("one"), {"type": "image", "source": {}}, text("two")])),
        user(without(result("b"), "content"), text("Go on.")),
    ]
    tools = [
        TOOL | {"type": "custom", "eager_input_streaming": True},
        {"type": "web_search_20260318", "name": "web_search"},
        {"type": "bash_20250124", "name": "bash"},
        {"name": "g", "input_schema": {"type": "object"}, "defer_loading": True},
    ]
    given = body(
        messages=messages,
        tools=tools,
        tool_choice={"type": "any", "disable_parallel_tool_use": True},
        stream=True,
        thinking={"type": "enabled", "budget_tokens": 32000},
        context_management={"edits": []},
    )
    assert sent(PATH, given, **HEADERS).read(WIRE) == Asked(
        WIRE,
        "mock",
        stream=True,
        tools=(Offered("f", SCHEMA), Offered("g", {"type": "object"})),
        results=(Result("c", "g", "one\ntwo"), Result("b", "f", "")),
        rounds=2,
        user="Go on.",
        choice="required",
        parallel=False,
        body=given,
    )


def test_choices_in_all_forms() -> None:
    forms: list[tuple[Any, str]] = [
        (None, "auto"),
        ({"type": "auto"}, "auto"),
        ({"type": "any"}, "required"),
        ({"type": "none"}, "none"),
        ({"type": "tool", "name": "f"}, "f"),
        ({"type": "tool", "name": "bash"}, "required"),
    ]
    tools = [TOOL, {"type": "bash_20250124", "name": "bash"}]
    for form, choice in forms:
        assert sent(PATH, body(tools=tools, tool_choice=form), **HEADERS).read(WIRE).choice == choice


def test_neighbours_of_one_role_are_one_turn() -> None:
    messages = [model(use("a")), model(use("b")), user(result("b")), user(result("a")), user(text("And?"))]
    asked = sent(PATH, body(*messages), **HEADERS).read(WIRE)
    assert (asked.rounds, asked.user, asked.results) == (1, "And?", ())
