"""Gemini's generateContent: how requests are refused, and what is read of those that are taken."""

from __future__ import annotations

from typing import Any

import pytest
from mock.requests_asking import SCHEMA, refused, sent, without

from toolwire.mock.asked import Asked, Offered, Result

WIRE = "gemini"
PATH = "/v1beta/models/mock:generateContent"
STREAM = "/v1beta/models/mock:streamGenerateContent"
USER = {"role": "user", "parts": [{"text": "Hi"}]}
DECLARED: dict[str, Any] = {"name": "f", "parameters": SCHEMA}
TOOLS = [{"functionDeclarations": [DECLARED]}]
RIGHT: dict[str, Any] = {"contents": [USER], "tools": TOOLS}


def call(name: str = "f", **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}} | more}


def response(name: str = "f", **more: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": "ok"}} | more}


def model(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def user(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def body(*contents: dict[str, Any], **more: Any) -> dict[str, Any]:
    return RIGHT | ({"contents": [USER, *contents]} if contents else {}) | more


def declared(**more: Any) -> dict[str, Any]:
    return body(tools=[{"functionDeclarations": [DECLARED | more]}])


NUMBER = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
NAME = (
    "* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name. Must start with a "
    "letter or "
    "an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a "
    "maximum length of 128.\n"
)
KIND = "type.googleapis.com/google.ai.generativelanguage.v1beta."

# name -> the wrong body, the same one right, and the error's message
WRONG: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "no contents": (
        without(RIGHT, "contents"),
        RIGHT,
        "* GenerateContentRequest.contents: contents is not specified\n",
    ),
    "empty contents": (body(contents=[]), RIGHT, "* GenerateContentRequest.contents: contents is not specified\n"),
    "contents are text": (body(contents="Hi"), RIGHT, f"Invalid value at 'contents' ({KIND}Content), \"Hi\""),
    "unknown role": (
        body({"role": "system", "parts": [{"text": "x"}]}),
        body({"parts": [{"text": "x"}]}),
        "Please use a valid role: user, model.",
    ),
    "no parts": (
        body({"role": "user", "parts": []}),
        body(user({"text": ""})),
        "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n",
    ),
    "tool without name": (body(tools=[{"functionDeclarations": [without(DECLARED, "name")]}]), RIGHT, NAME),
    "tool's name": (declared(name="1f"), declared(name="f1.a:b-c"), NAME),
    "parameters are text": (
        declared(parameters="x"),
        declared(parameters=None),
        f"Invalid value at 'tools[0].function_declarations[0].parameters' ({KIND}Schema), \"x\"",
    ),
    "schema of another type": (
        declared(parameters={"type": "STRING"}),
        declared(parameters={"type": "OBJECT", "properties": {}}),
        "* GenerateContentRequest.tools[0].function_declarations[0].parameters: schema must be of type OBJECT\n",
    ),
    "response without call": (
        body(user(response())),
        body(model(call()), user(response())),
        "Please ensure that function response turn comes immediately after a function call turn.",
    ),
    "call without response at the end": (body(model(call())), body(model(call()), user(response())), NUMBER),
    "fewer responses than calls": (
        body(model(call(), call("g")), user(response())),
        body(model(call(), call("g")), user(response("g"), response())),
        NUMBER,
    ),
    "more responses than calls": (
        body(model(call()), user(response(), response())),
        body(model(call(), call()), user(response(), response())),
        NUMBER,
    ),
    "text instead of a response": (body(model(call()), USER), body(model({"text": "x"}), USER), NUMBER),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_and_the_same_right_is_taken(name: str) -> None:
    wrong, right, message = WRONG[name]
    error = refused(sent(PATH, wrong), WIRE)
    said = error.body["error"]
    assert (error.status, said["code"], said["status"], said["message"]) == (400, 400, "INVALID_ARGUMENT", message)
    assert sent(PATH, right).read(WIRE).wire == WIRE


def test_a_wrong_value_is_told_with_its_field() -> None:
    detail = {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        "fieldViolations": [
            {"field": "contents", "description": f"Invalid value at 'contents' ({KIND}Content), 1"},
        ],
    }
    assert refused(sent(PATH, body(contents=1)), WIRE).body["error"]["details"] == [detail]


def error_of(request: Any, **options: Any) -> tuple[int, str, str]:
    error = refused(request, WIRE, **options)
    assert error.body["error"]["code"] == error.status
    return error.status, error.body["error"]["status"], error.body["error"]["message"]


def test_bodies_keys_and_models() -> None:
    status, kind, message = error_of(sent(PATH, b"{'a'"))
    assert (status, kind) == (400, "INVALID_ARGUMENT")
    assert message.startswith("Invalid JSON payload received. ")
    size = len(sent(PATH, RIGHT).body)
    message = f"Request payload size exceeds the limit: {size - 1} bytes."
    assert error_of(sent(PATH, RIGHT), max_body=size - 1) == (400, "INVALID_ARGUMENT", message)
    assert sent(PATH, RIGHT).read(WIRE, max_body=size).model == "mock"

    assert error_of(sent(PATH, RIGHT), keys="good")[:2] == (403, "PERMISSION_DENIED")
    wrong = refused(sent(PATH, RIGHT, x_goog_api_key="wrong"), WIRE, keys="good")
    assert (wrong.status, wrong.body["error"]["message"]) == (400, "API key not valid. Please pass a valid API key.")
    assert wrong.body["error"]["details"][0]["reason"] == "API_KEY_INVALID"
    assert error_of(sent(PATH, RIGHT, {"key": "wrong"}), keys="good")[:2] == (400, "INVALID_ARGUMENT")
    assert error_of(sent(PATH, RIGHT, authorization="Bearer x"), keys="good")[:2] == (401, "UNAUTHENTICATED")
    for request in (
        sent(PATH, RIGHT, x_goog_api_key="good"),
        sent(PATH, RIGHT, {"key": "good"}),
        sent(PATH, RIGHT, authorization="Bearer good"),
    ):
        assert request.read(WIRE, keys="good").model == "mock"

    assert error_of(sent(PATH, RIGHT), models="another") == (
        404,
        "NOT_FOUND",
        (
            "models/mock is not found for API version v1beta, or is not supported for generateContent. Call "
            "ListModels to "
            "see the list of available models and their supported methods."
        ),
    )
    assert error_of(sent("/v1beta/models/mock:embedContent", RIGHT))[:2] == (404, "NOT_FOUND")


VERTEX = "/v1/projects/p/locations/l/publishers/{}/models/{}:streamGenerateContent"

# path and query -> model, whether it is a stream, whether that is SSE
TARGETS: list[tuple[str, dict[str, str], str, bool, bool]] = [
    (PATH, {}, "mock", False, True),
    (STREAM, {}, "mock", True, False),
    (STREAM, {"alt": "sse"}, "mock", True, True),
    ("/v1beta/models/mock/one:streamGenerateContent", {"alt": "sse"}, "mock/one", True, True),
    ("/v1beta/models/mock%2Fone%3Fdelay=1ms:streamGenerateContent", {}, "mock/one?delay=1ms", True, False),
    ("/v1beta/models/mock/one?drop=after:3:streamGenerateContent", {}, "mock/one?drop=after:3", True, False),
    ("/v1beta/models/mock", {"delay": "1ms:streamGenerateContent?alt=sse"}, "mock?delay=1ms", True, True),
    (
        "/v1beta/models/mock",
        {"a": "b", "drop": "after:3:streamGenerateContent?alt=sse"},
        "mock?a=b&drop=after:3",
        True,
        True,
    ),
    (VERTEX.format("google", "mock"), {"alt": "sse"}, "mock", True, True),
    (VERTEX.format("mock", "one"), {"alt": "sse"}, "mock/one", True, True),
]


@pytest.mark.parametrize(("path", "query", "model", "stream", "sse"), TARGETS)
def test_the_model_and_the_method_are_in_the_path(
    path: str, query: dict[str, str], model: str, stream: bool, sse: bool
) -> None:
    asked = sent(path, RIGHT, query).read(WIRE, models="mock mock/one")
    assert (asked.model, asked.stream, asked.sse) == (model, stream, sse)


def test_vertex_says_in_its_own_words_that_there_is_no_such_model() -> None:
    request = sent(VERTEX.format("google", "mock"), RIGHT)
    assert error_of(request, models="another")[2].startswith("Publisher Model `publishers/google/models/mock` was not")


def test_vertex_wants_a_role_in_each_content() -> None:
    bare = body(contents=[{"parts": [{"text": "Hi"}]}])
    assert error_of(sent(VERTEX.format("google", "mock"), bare))[2] == "Please use a valid role: user, model."
    assert sent(VERTEX.format("google", "mock"), RIGHT).read(WIRE).user == "Hi"
    assert sent(STREAM, bare).read(WIRE).user == "Hi"


def test_streamed_arguments_are_asked_for_in_a_stream_only() -> None:
    config = {"functionCallingConfig": {"streamFunctionCallArguments": True}}
    snake = {"function_calling_config": {"stream_function_call_arguments": True}}
    for given in (body(toolConfig=config), body(tool_config=snake)):
        assert sent(STREAM, given).read(WIRE).partial_args
        message = "Unable to submit request because streaming function call is not supported in unary API."
        assert error_of(sent(PATH, given)) == (400, "INVALID_ARGUMENT", message)
    config = {"functionCallingConfig": {"streamFunctionCallArguments": False}}
    assert not sent(PATH, body(toolConfig=config)).read(WIRE).partial_args


def test_everything_is_read() -> None:
    contents = [
        {"parts": [{"text": "Hi"}, {"text": "there"}]},
        model({"text": "Hm.", "thought": True}, call(id="c1") | {"thoughtSignature": "x"}, call("g")),
        user(response(id="c1"), response("g", response={"temperature": 20})),
        model({"text": "x"}),
        model(call("g")),
        user(response("g", response={"result": "done"}), {"inlineData": {"mimeType": "image/png", "data": ""}}),
    ]
    tools = [
        {"googleSearch": {}},
        {"functionDeclarations": [DECLARED, {"name": "g", "parametersJsonSchema": {"type": "object"}}]},
        {"functionDeclarations": [{"name": "h"}]},
    ]
    given = body(contents=contents, tools=tools, toolConfig={"functionCallingConfig": {"mode": "ANY"}})
    empty = {"type": "object", "properties": {}}
    assert sent(STREAM, given, {"alt": "sse"}).read(WIRE) == Asked(
        WIRE,
        "mock",
        stream=True,
        tools=(Offered("f", SCHEMA), Offered("g", {"type": "object"}), Offered("h", empty)),
        results=(Result("", "g", "done"),),
        rounds=2,
        user="Hi\nthere",
        choice="required",
        body=given,
    )
    given = body(contents=contents[:3])
    assert sent(PATH, given).read(WIRE).results == (Result("c1", "f", "ok"), Result("", "g", '{"temperature":20}'))


def test_underscores_and_functions_as_a_role() -> None:
    given = {
        "contents": [
            USER,
            {"role": "model", "parts": [{"function_call": {"name": "f", "args": {}}}]},
            {"role": "function", "parts": [{"function_response": {"name": "f", "response": {"result": "ok"}}}]},
        ],
        "tools": [{"function_declarations": [{"name": "f", "parameters_json_schema": SCHEMA}]}],
        "tool_config": {"function_calling_config": {"mode": "any", "allowed_function_names": ["f"]}},
    }
    asked = sent(PATH, given).read(WIRE)
    assert (asked.tools, asked.results) == ((Offered("f", SCHEMA),), (Result("", "f", "ok"),))
    assert (asked.choice, asked.rounds) == ("f", 1)


def test_calls_in_pieces_are_replayed() -> None:
    def piece(**fields: Any) -> dict[str, Any]:
        return {"functionCall": fields}

    value = [{"jsonPath": "$.city", "stringValue": "Rome"}]
    streamed = [
        model(piece(name="f", willContinue=True)),
        model(piece(partialArgs=value, willContinue=True)),
        model(piece(willContinue=True), piece()),
        model(piece(name="f", willContinue=True), piece(name="f", partialArgs=value, willContinue=False)),
        model(piece(name="f", partialArgs=value), piece(name="g")),
    ]
    answers = [response() for _ in range(3)] + [response("g")]
    assert sent(PATH, body(*streamed, user(*answers))).read(WIRE).rounds == 1
    assert error_of(sent(PATH, body(*streamed, user(*answers[1:]))))[2] == NUMBER


def test_choices_in_all_forms() -> None:
    tools = [{"functionDeclarations": [DECLARED, DECLARED | {"name": "g"}]}]
    forms: list[tuple[dict[str, Any], str, str]] = [
        ({}, "auto", "f g"),
        ({"mode": "AUTO"}, "auto", "f g"),
        ({"mode": "NONE"}, "none", "f g"),
        ({"mode": "ANY"}, "required", "f g"),
        ({"mode": "ANY", "allowedFunctionNames": ["g"]}, "g", "g"),
        ({"mode": "ANY", "allowedFunctionNames": ["f", "g"]}, "required", "f g"),
        ({"mode": "VALIDATED", "allowedFunctionNames": ["g"]}, "auto", "g"),
    ]
    for form, choice, names in forms:
        asked = sent(PATH, body(tools=tools, toolConfig={"functionCallingConfig": form})).read(WIRE)
        assert (asked.choice, " ".join(tool.name for tool in asked.tools)) == (choice, names)
