"""What an HTTP response says before its bytes, and instead of a stream."""

from __future__ import annotations

from typing import Any

import pytest
from support import to_sse

import toolwire
from toolwire.grammar import check
from toolwire.http import Head

GOOD = to_sse([{"choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": "stop"}]}, "[DONE]"])
JSON = {"Content-Type": "application/json"}
HTML = {"Content-Type": "text/html; charset=utf-8"}

# status, headers, body; kind, retryable, retry_after, code, what the message holds
REFUSED: dict[str, tuple[int, dict[str, str], bytes, str, bool, float | None, str | None, str]] = {
    "a rate limit": (
        429,
        {**JSON, "Retry-After": "7"},
        b'{"error": {"message": "slow down", "type": "requests", "code": "rate_limit_exceeded"}}',
        *("rate_limit", True, 7.0, "rate_limit_exceeded", "slow down"),
    ),
    "a quota": (
        429,
        JSON,
        b'{"error": {"message": "pay", "type": "insufficient_quota", "code": "insufficient_quota"}}',
        *("rate_limit", False, None, "insufficient_quota", "pay"),
    ),
    "overloaded": (
        529,
        JSON,
        b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}',
        *("overloaded", True, None, "overloaded_error", "Overloaded"),
    ),
    "milliseconds": (503, {"retry-after-ms": "1500"}, b"", "overloaded", True, 1.5, None, "503 and no body"),
    "a date": (
        503,
        {"Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT", "Date": "Wed, 21 Oct 2026 07:28:00 GMT"},
        b"busy",
        *("overloaded", True, 30.0, None, "busy"),
    ),
    "a key": (
        401,
        JSON,
        b'{"error": {"message": "bad key", "type": "invalid_request_error", "code": "invalid_api_key"}}',
        *("auth", False, None, "invalid_api_key", "bad key"),
    ),
    "too long": (
        400,
        JSON,
        b'{"error": {"message": "maximum context length is 8192 tokens", "type": "invalid_request_error"}}',
        *("context_length", False, None, "invalid_request_error", "8192"),
    ),
    "an array": (
        429,
        JSON,
        b'[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"34s"}]}}]',
        *("rate_limit", True, 34.0, "RESOURCE_EXHAUSTED", "quota"),
    ),
    "a plain message": (
        422,
        JSON,
        b'{"message": "no such tool"}',
        "invalid_request",
        False,
        None,
        None,
        "no such tool",
    ),
    "a detail": (404, JSON, b'{"detail": "Not Found"}', "invalid_request", False, None, None, "Not Found"),
    "a page": (
        502,
        HTML,
        b"<html><head><title>Bad Gateway</title></head><body>nginx</body></html>",
        *("server", True, None, None, "502 and a page instead of a stream: 'Bad Gateway nginx'"),
    ),
    "a page that says it is fine": (200, HTML, b"<p>Please log in</p>", "server", True, None, None, "Please log in"),
    "a redirect": (302, {"Location": "/"}, b"", "server", True, None, None, "302"),
    "nothing": (500, {}, b"", "server", True, None, None, "HTTP status 500 and no body"),
    "garbage": (500, {}, b"\xff\x00\xfe", "server", True, None, None, "500"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("wire", ["auto", "anthropic"])
def test_a_body_that_is_no_stream_is_read_as_what_it_is(name: str, wire: str) -> None:
    """Kind, retryable, retry_after, code and message come from the status, the headers and the body together."""
    status, headers, body, kind, retryable, retry_after, code, message = REFUSED[name]
    stream = toolwire.Stream(wire)
    events = stream.receive_head(status, headers)
    for byte in body:
        events += stream.receive(bytes([byte]))
    events += stream.end()
    check(events)
    error, finish = events

    assert isinstance(error, toolwire.StreamError)
    assert (error.kind, error.retryable, error.retry_after, error.code) == (kind, retryable, retry_after, code)
    assert error.status == status
    assert message in error.message
    assert isinstance(finish, toolwire.Finish)
    assert finish.reason == "error"


@pytest.mark.parametrize("content_type", ["text/event-stream", "application/json", "text/plain", ""])
def test_a_good_head_changes_nothing(content_type: str) -> None:
    """The bytes decide, whatever they are called."""
    stream = toolwire.Stream()
    events = stream.receive_head(200, {"Content-Type": content_type})
    events += stream.receive(GOOD)

    assert toolwire.Message.of(events).text == "hi"


def test_a_refused_body_is_kept_in_part() -> None:
    """A page of any size takes bounded memory."""
    stream = toolwire.Stream()
    stream.receive_head(500, {})
    for _ in range(100):
        stream.receive(b"x" * 100_000)
    error: Any = stream.end()[0]

    assert len(stream._refused._bytes) <= 65536  # type: ignore[union-attr]
    assert len(error.message) < 400


def test_compressed_bytes_are_named() -> None:
    """Bytes that no client decompressed are not garbage of the provider."""
    import gzip

    stream = toolwire.Stream()
    events = stream.receive(gzip.compress(GOOD))
    events += stream.end()
    check(events)
    error: Any = events[0]

    assert (error.kind, error.offset) == ("protocol", 0)
    assert "gzip" in error.message


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT", "date": "Wed, 21 Oct 2026 08:28:00 GMT"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "nan"}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, milliseconds, or a date beside the response's own; nonsense is none."""
    assert Head(429, headers).retry_after == seconds
