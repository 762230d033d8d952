from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from support import run

from toolwire.errors import UsageError
from toolwire.events import ErrorKind, StreamError
from toolwire.wire.bodies import BODIES, error_body

KINDS = get_args(ErrorKind)


def openai_like(message: str, type: str, code: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": type, "param": None, "code": code}}


def claude(message: str, type: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": type, "message": message}}


def google(message: str, code: int, status: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status}}


def aws(message: str, type: str) -> dict[str, Any]:
    return {"__type": type, "message": message}


BUSY = StreamError("rate_limit", "busy")
FULL = StreamError("overloaded", "full")
ABORTED = StreamError("aborted", "enough")
TOLD = StreamError("invalid_request", "no model", code="model_not_found", status=404)
CASES: list[tuple[StreamError, str, int, dict[str, Any]]] = [
    (BUSY, "openai-chat", 429, openai_like("busy", "rate_limit_error", "rate_limit")),
    (FULL, "openai-responses", 503, openai_like("full", "overloaded_error", "overloaded")),
    (TOLD, "openai", 404, openai_like("no model", "invalid_request_error", "model_not_found")),
    (BUSY, "anthropic", 429, claude("busy", "rate_limit_error")),
    (FULL, "anthropic", 529, claude("full", "overloaded_error")),
    (TOLD, "anthropic", 404, claude("no model", "invalid_request_error")),
    (
        StreamError("invalid_request", "gone", status=404, wire="anthropic", raw={"type": "not_found_error"}),
        "anthropic",
        404,
        claude("gone", "not_found_error"),
    ),
    (BUSY, "gemini", 429, google("busy", 429, "RESOURCE_EXHAUSTED")),
    (ABORTED, "gemini", 499, google("enough", 499, "CANCELLED")),
    (BUSY, "bedrock-converse", 429, aws("busy", "ThrottlingException")),
    (TOLD, "bedrock-invoke", 400, aws("no model", "ValidationException")),
    (ABORTED, "bedrock-converse", 424, aws("enough", "ModelErrorException")),
    (
        StreamError("overloaded", "wait", code="modelNotReadyException"),
        "bedrock-converse",
        429,
        aws("wait", "ModelNotReadyException"),
    ),
    (BUSY, "cohere", 429, {"message": "busy"}),
    (TOLD, "ollama", 404, {"error": "no model"}),
    (StreamError("timeout", ""), "ollama", 504, {"error": "The model took too long to answer."}),
    (StreamError("server", "odd", status=200), "cohere", 500, {"message": "odd"}),
]


@pytest.mark.parametrize(("error", "wire", "status", "body"), CASES)
def test_what_is_said(error: StreamError, wire: str, status: int, body: dict[str, Any]) -> None:
    assert error_body(error, wire) == (status, body)


@pytest.mark.parametrize("wire", BODIES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_error_reads_as_one(kind: Any, wire: str) -> None:
    status, body = error_body(StreamError(kind, "what went wrong"), wire)
    assert 400 <= status <= 599
    failed, finish = run([json.dumps(body).encode()], wire)
    assert (failed.type, failed.message, finish.reason) == ("stream_error", "what went wrong", "error")


def test_unknown_names() -> None:
    with pytest.raises(UsageError, match="'ag-ui' has no body for an error: use one of anthropic"):
        error_body(BUSY, "ag-ui")
