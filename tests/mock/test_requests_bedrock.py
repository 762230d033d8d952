"""Bedrock's Converse, and what Converse and InvokeModel have in common."""

from __future__ import annotations

from typing import Any

import pytest
from mock.requests_asking import SCHEMA, refused, sent, without

from toolwire.mock.asked import Asked, Offered, Result

WIRE = "bedrock-converse"
PATH = "/model/mock/converse"
USER = {"role": "user", "content": [{"text": "Hi"}]}
SPEC: dict[str, Any] = {"name": "f", "inputSchema": {"json": SCHEMA}}
CONFIG = {"tools": [{"toolSpec": SPEC}]}
RIGHT: dict[str, Any] = {"messages": [USER], "toolConfig": CONFIG}
INVOKED: dict[str, Any] = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 9}
INVOKED |= {"messages": [{"role": "user", "content": "Hi"}]}
SIGNED = "AWS4-HMAC-SHA256 Credential=good/20261201/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=0"


def use(id: str = "tooluse_1", **more: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": id, "name": "f", "input": {}} | more}


def result(id: str = "tooluse_1", **more: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": id, "content": [{"text": "ok"}]} | more}


def model(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def body(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return RIGHT | ({"messages": [USER, *messages]} if messages else {}) | more


def tools(**spec: Any) -> dict[str, Any]:
    return {"tools": [{"toolSpec": SPEC | spec}]}


def constraint(value: str, place: str, rule: str) -> str:
    return f"1 validation error detected: Value {value} at '{place}' failed to satisfy constraint: {rule}"


NULL = "Member must not be null"
TOO_MANY = (
    "The number of toolResult blocks at messages.{}.content exceeds the number of toolUse blocks of previous turn."
)

# name -> the wrong body, the same one right, and the error's message
WRONG: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "no messages": (without(RIGHT, "messages"), RIGHT, constraint("null", "messages", NULL)),
    "unknown role": (
        body({"role": "tool", "content": []}),
        body({"role": "system", "content": []}),
        constraint("'tool'", "messages.2.member.role", "Member must satisfy enum value set: [user, assistant, system]"),
    ),
    "no role": (body({"content": []}), body(USER), constraint("null", "messages.2.member.role", NULL)),
    "no content": (
        body({"role": "user"}),
        body({"role": "user", "content": []}),
        constraint("null", "messages.2.member.content", NULL),
    ),
    "the model begins": (
        body(messages=[model({"text": "x"}), USER]),
        body(messages=[USER, model({"text": "x"})]),
        "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    ),
    "tool without name": (
        body(toolConfig={"tools": [{"toolSpec": without(SPEC, "name")}]}),
        RIGHT,
        constraint("null", "toolConfig.tools.1.member.toolSpec.name", NULL),
    ),
    "tool's name has other characters": (
        body(toolConfig=tools(name="a b")),
        body(toolConfig=tools(name="a-b")),
        constraint(
            "'a b'",
            "toolConfig.tools.1.member.toolSpec.name",
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
        ),
    ),
    "tool's name is too long": (
        body(toolConfig=tools(name="x" * 65)),
        body(toolConfig=tools(name="x" * 64)),
        constraint(
            f"'{'x' * 65}'",
            "toolConfig.tools.1.member.toolSpec.name",
            "Member must have length less than or equal to 64",
        ),
    ),
    "tool without schema": (
        body(toolConfig={"tools": [{"toolSpec": without(SPEC, "inputSchema")}]}),
        RIGHT,
        constraint("null", "toolConfig.tools.1.member.toolSpec.inputSchema", NULL),
    ),
    "schema is no object": (
        body(toolConfig=tools(inputSchema={"json": "x"})),
        RIGHT,
        "The format of the value at toolConfig.tools.0.toolSpec.inputSchema.json is invalid. Provide a json object.",
    ),
    "schema of another type": (
        body(toolConfig=tools(inputSchema={"json": {"type": "string"}})),
        body(toolConfig=tools(inputSchema={"json": {"type": "object"}})),
        "The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object.",
    ),
    "result without use": (body(user(result())), body(model(use()), user(result())), TOO_MANY.format(1)),
    "more results than uses": (
        body(model(use()), user(result(), result("b"))),
        body(model(use(), use("b")), user(result(), result("b"))),
        TOO_MANY.format(2),
    ),
    "use without result at the end": (
        body(model(use())),
        body(model(use()), user(result())),
        "Expected toolResult blocks at messages.2.content for the following Ids: tooluse_1",
    ),
    "results in two messages": (
        body(model(use("a"), use("b"), use("c")), user(result("b")), user(result("a"), result("c"))),
        body(model(use("a"), use("b"), use("c")), user(result("b"), {"text": "x"}, result("a"), result("c"))),
        "Expected toolResult blocks at messages.2.content for the following Ids: a, c",
    ),
    "id of a use": (
        body(model(use("a b")), user(result("a b"))),
        body(model(use("a:b.c-1")), user(result("a:b.c-1"))),
        constraint(
            "'a b'",
            "messages.2.member.content.1.member.toolUse.toolUseId",
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+",
        ),
    ),
    "id of a result": (
        body(model(use()), user({"text": "x"}, result(""))),
        body(model(use()), user({"text": "x"}, result())),
        constraint(
            "''",
            "messages.3.member.content.2.member.toolResult.toolUseId",
            "Member must have length greater than or equal to 1",
        ),
    ),
    "input is text": (
        body(model({"text": "x"}, use(input="{}")), user(result())),
        body(model({"text": "x"}, use()), user(result())),
        "The format of the value at messages.1.content.1.toolUse.input is invalid. Provide a json object.",
    ),
    "no tools are declared": (
        without(body(model(use()), user(result())), "toolConfig"),
        body(model(use()), user(result())),
        "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_and_the_same_right_is_taken(name: str) -> None:
    wrong, right, message = WRONG[name]
    error = refused(sent(PATH, wrong), WIRE)
    assert (error.status, error.body) == (400, {"message": message})
    assert error.headers == {"x-amzn-errortype": "ValidationException"}
    assert sent(PATH, right).read(WIRE).wire == WIRE


@pytest.mark.parametrize(
    ("wire", "path", "right", "broken"),
    [
        (WIRE, PATH, RIGHT, "SerializationException"),
        ("bedrock-invoke", "/model/mock/invoke", INVOKED, "ValidationException"),
    ],
)
def test_bodies_keys_and_models(wire: str, path: str, right: dict[str, Any], broken: str) -> None:
    def error_of(request: Any, **options: Any) -> tuple[int, str, str]:
        error = refused(request, wire, **options)
        return error.status, error.headers["x-amzn-errortype"], error.body["message"]

    status, kind, message = error_of(sent(path, b"{"))
    assert (status, kind) == (400, broken)
    assert message.startswith("Malformed input request: ")
    size = len(sent(path, right).body)
    assert error_of(sent(path, right), max_body=size - 1)[:2] == (413, "RequestEntityTooLargeException")
    assert sent(path, right).read(wire, max_body=size).model == "mock"

    assert error_of(sent(path, right), keys="good")[:2] == (403, "MissingAuthenticationTokenException")
    signed = sent(path, right, authorization=SIGNED)
    assert error_of(signed, keys="another") == (
        403,
        "UnrecognizedClientException",
        "The security token included in the request is invalid.",
    )
    assert signed.read(wire, keys="good").model == "mock"
    bearer = sent(path, right, authorization="Bearer good")
    assert error_of(bearer, keys="another")[:2] == (403, "AccessDeniedException")
    assert bearer.read(wire, keys="good").model == "mock"

    assert error_of(sent(path, right), models="another") == (
        400,
        "ValidationException",
        "The provided model identifier is invalid.",
    )
    escaped = path.replace("mock", "mock%2Fone%3Fdelay%3D1ms%26a%3Db")
    asked = sent(f"{escaped}-with-response-stream" if "invoke" in path else f"{escaped}-stream", right).read(
        wire, models="mock/one"
    )
    assert (asked.model, asked.stream) == ("mock/one?delay=1ms&a=b", True)
    assert not sent(path, right).read(wire).stream
    unescaped = path.replace("mock", "mock/one?delay=1ms")
    assert sent(unescaped, right).read(wire, models="mock/one").model == "mock/one?delay=1ms"
    assert error_of(sent("/model/mock/other", right))[:2] == (404, "UnknownOperationException")


def test_an_invoked_body_names_its_version() -> None:
    error = refused(sent("/model/mock/invoke", without(INVOKED, "anthropic_version")), "bedrock-invoke")
    assert (error.status, error.body) == (400, {"message": "anthropic_version: Field required"})


def test_a_prompt_of_the_account_needs_no_messages() -> None:
    path = "/model/arn:aws:bedrock:us-east-1:1:prompt%2FABC/converse"
    assert sent(path, {}).read(WIRE).model == "arn:aws:bedrock:us-east-1:1:prompt/ABC"


def test_everything_is_read() -> None:
    messages = [
        user({"text": "Hi"}, {"cachePoint": {"type": "default"}}, {"text": "there"}),
        model(
            {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "x"}}},
            use("s", name="nova_code_interpreter", type="server_tool_use"),
            use("a"),
        ),
        user(result("a")),
        model({"text": "x"}, use("b"), use("c", name="g")),
        user(result("c", content=[{"json": {"n": 1}}, {"text": "one"}], status="error"), result("b"), {"text": ""}),
    ]
    config = {
        "tools": [
            {"toolSpec": SPEC},
            {"toolSpec": SPEC | {"name": "g"}},
            {"systemTool": {"name": "nova_grounding"}},
            {"cachePoint": {"type": "default"}},
        ],
        "toolChoice": {"any": {}},
    }
    fields = {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}
    given = body(messages=messages, toolConfig=config, additionalModelRequestFields=fields)
    assert sent(f"{PATH}-stream", given).read(WIRE) == Asked(
        WIRE,
        "mock",
        stream=True,
        tools=(Offered("f", SCHEMA), Offered("g", SCHEMA)),
        results=(Result("c", "g", '{"n":1}\none'), Result("b", "f", "ok")),
        rounds=2,
        user="Hi\nthere",
        choice="required",
        parallel=False,
        body=given,
    )


def test_choices_in_all_forms() -> None:
    forms: list[tuple[Any, str]] = [
        (None, "auto"),
        ({"auto": {}}, "auto"),
        ({"any": {}}, "required"),
        ({"tool": {"name": "f"}}, "f"),
        ({"tool": {"name": "nova_grounding"}}, "required"),
    ]
    for form, choice in forms:
        assert sent(PATH, body(toolConfig=CONFIG | {"toolChoice": form})).read(WIRE).choice == choice
