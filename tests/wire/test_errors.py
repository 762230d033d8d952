"""Providers' errors are sorted into kinds, wherever they stand."""

from __future__ import annotations

from typing import Any

import pytest
from support import run

import toolwire
from toolwire.wire._errors import ErrorReport, classify, error_of

# the error object; kind, retryable, status, retry_after
ERRORS: dict[str, tuple[Any, str, bool, int | None, float | None]] = {
    "openai rate limit": (
        {"message": "slow", "type": "tokens", "code": "rate_limit_exceeded"},
        *("rate_limit", True, None, None),
    ),
    "openai quota": (
        {"message": "pay", "type": "insufficient_quota", "code": "insufficient_quota"},
        "rate_limit",
        False,
        None,
        None,
    ),
    "openai key": (
        {"message": "no", "type": "invalid_request_error", "code": "invalid_api_key"},
        "auth",
        False,
        None,
        None,
    ),
    "openai context": (
        {"message": "too many tokens", "type": "invalid_request_error", "code": "context_length_exceeded"},
        *("context_length", False, None, None),
    ),
    "openai server": ({"message": "oops", "type": "server_error", "code": None}, "server", True, None, None),
    "anthropic overloaded": ({"type": "overloaded_error", "message": "busy"}, "overloaded", True, None, None),
    "anthropic api": ({"type": "api_error", "message": "oops"}, "server", True, None, None),
    "anthropic permission": ({"type": "permission_error", "message": "no"}, "auth", False, None, None),
    "anthropic too long": (
        {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000 maximum"},
        *("context_length", False, None, None),
    ),
    "google exhausted": (
        {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "q", "details": [{"retryDelay": "34.5s"}]},
        *("rate_limit", True, 429, 34.5),
    ),
    "google unavailable": ({"code": 503, "status": "UNAVAILABLE", "message": "x"}, "overloaded", True, 503, None),
    "google cancelled": ({"code": 499, "status": "CANCELLED", "message": "x"}, "connection", True, 499, None),
    "google deadline": ({"code": 504, "status": "DEADLINE_EXCEEDED", "message": "x"}, "timeout", True, 504, None),
    "google argument": (
        {"code": 400, "status": "INVALID_ARGUMENT", "message": "x"},
        "invalid_request",
        False,
        400,
        None,
    ),
    "aws throttling": ({"type": "throttlingException", "message": "x"}, "rate_limit", True, None, None),
    "aws stream": ({"type": "modelStreamErrorException", "message": "x"}, "server", True, None, None),
    "aws validation": ({"type": "ValidationException", "message": "x"}, "invalid_request", False, None, None),
    "groq tool use": (
        {"type": "invalid_request_error", "code": "tool_use_failed", "message": "x"},
        "server",
        True,
        None,
        None,
    ),
    "openrouter bad gateway": ({"code": 502, "message": "upstream gone"}, "server", True, 502, None),
    "openrouter moderation": (
        {"code": 403, "message": "flagged", "type": "moderation_blocked"},
        "content_filter",
        False,
        403,
        None,
    ),
    "a status in text": ({"code": "429", "message": "x"}, "rate_limit", True, 429, None),
    "retry_after beside it": (
        {"type": "rate_limit_error", "message": "x", "retry_after": 3},
        "rate_limit",
        True,
        None,
        3.0,
    ),
    "nothing known": ({"message": "???", "code": "weird"}, "server", True, None, None),
    "a status": (503, "overloaded", True, 503, None),
    "a number": (10**5000, "server", True, None, None),
    "a truth": (True, "server", True, None, None),
    "an array": ([{"type": "rate_limit_error", "message": "x"}], "rate_limit", True, None, None),
    "a text": ("boom", "server", True, None, None),
}


@pytest.mark.parametrize("name", ERRORS)
def test_kinds(name: str) -> None:
    """Words decide before statuses; what lasts isn't worth another try."""
    error, kind, retryable, status, retry_after = ERRORS[name]
    report = error_of(error)

    assert report is not None
    assert classify(report) == (kind, retryable)
    assert (report.status, report.retry_after) == (status, retry_after)


@pytest.mark.parametrize("empty", [None, {}, "", 0, [], False])
def test_nothing_is_no_error(empty: Any) -> None:
    """An empty field tells of no error."""
    assert error_of(empty) is None


def test_a_bare_reason() -> None:
    """A finish reason that tells of a failure is a code without a message."""
    assert classify(ErrorReport("", "MALFORMED_FUNCTION_CALL")) == ("server", True)


BUSY = {"message": "busy", "type": "overloaded_error", "code": None}
PLACES: dict[str, tuple[str, list[Any]]] = {
    "chat, first": ("openai-chat", [{"error": BUSY}]),
    "chat, in the middle": ("openai-chat", [{"choices": [{"index": 0, "delta": {"content": "a"}}]}, {"error": BUSY}]),
    "chat, beside choices": ("openai-chat", [{"choices": [{"index": 0, "delta": {"content": "a"}}], "error": BUSY}]),
    "chat, after the finish": (
        "openai-chat",
        [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, {"error": BUSY}],
    ),
    "responses, flat": ("openai-responses", [{"type": "error", "message": "busy", "code": "overloaded_error"}]),
    "responses, nested": ("openai-responses", [{"type": "error", "error": BUSY}]),
    "responses, failed": (
        "openai-responses",
        [{"type": "response.failed", "response": {"status": "failed", "error": BUSY}}],
    ),
    "messages": ("anthropic", [{"type": "error", "error": BUSY}]),
    "gemini": ("gemini", [{"error": {"code": 503, "status": "UNAVAILABLE", "message": "busy"}}]),
    "converse": ("bedrock-converse", [{"serviceUnavailableException": {"message": "busy"}}]),
    "ollama": ("ollama", [{"error": "busy"}]),
    "cohere": ("cohere", [{"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "busy"}}]),
    "interactions": (
        "gemini-interactions",
        [{"event_type": "error", "error": {"code": "unavailable", "message": "busy"}}],
    ),
    "live": ("gemini-live", [{"error": {"code": 503, "status": "UNAVAILABLE", "message": "busy"}}]),
}


@pytest.mark.parametrize("name", PLACES)
def test_the_same_wherever_it_stands(name: str) -> None:
    """Before, inside and at the end of a stream, on every wire, there is one error with a kind, and the turn failed."""
    wire, payloads = PLACES[name]
    events = run(payloads, wire)
    (error,) = [event for event in events if isinstance(event, toolwire.StreamError)]
    finish = events[-1]

    assert isinstance(finish, toolwire.Finish)
    assert (finish.reason, error.message, error.retryable, error.wire) == ("error", "busy", True, wire)
    assert error.kind in ("overloaded", "server")
    assert error.raw
