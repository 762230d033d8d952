"""What Gemini's two APIs have in common: errors, signatures, token counts, and whose a call is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from toolwire.wire._read import count, obj, text
from toolwire.wire.encode.base import CLIENT_RUN
from toolwire.wire.encode.usage import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.events import ErrorKind, StreamError, Usage
    from toolwire.wire.encode.base import Sent

__all__ = ["OWN", "adopt", "error_fields", "for_gemini", "for_interactions", "signature_of"]

OWN: Final = frozenset({"gemini", "gemini-interactions"})

# kind -> HTTP status, and Google's word for it (google.rpc.Code)
_STATUS: Final[dict[ErrorKind, tuple[int, str]]] = {
    "rate_limit": (429, "RESOURCE_EXHAUSTED"),
    "overloaded": (503, "UNAVAILABLE"),
    "auth": (401, "UNAUTHENTICATED"),
    "invalid_request": (400, "INVALID_ARGUMENT"),
    "context_length": (400, "INVALID_ARGUMENT"),
    "content_filter": (400, "FAILED_PRECONDITION"),
    "server": (500, "INTERNAL"),
    "connection": (503, "UNAVAILABLE"),
    "protocol": (500, "INTERNAL"),
    "limit": (400, "OUT_OF_RANGE"),
    "timeout": (504, "DEADLINE_EXCEEDED"),
    "aborted": (499, "CANCELLED"),
}

_RETRY_INFO: Final = "type.googleapis.com/google.rpc.RetryInfo"

# Bytes in either of base64's alphabets: the SDKs refuse a chunk whose signature is anything else.
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]+={0,2}|[A-Za-z0-9_-]+={0,2}", re.ASCII)


def adopt(calls: Iterable[Sent]) -> None:
    """Calls that Gemini turned out to run itself: no client is let down, because their results are passed on to it."""
    for sent in calls:
        if sent.call.kind not in CLIENT_RUN:
            sent.kind = sent.call.kind


def error_fields(error: StreamError) -> dict[str, Any]:
    """An error as Google's APIs have it: its own object where it is Google's."""
    own = obj(error.raw) if error.wire in OWN else {}
    if count(own.get("code")) and text(own.get("message")):
        return dict(own)
    code, status = _STATUS[error.kind]
    said: dict[str, Any] = {"code": code, "message": error.message, "status": status}
    if error.retry_after is not None:
        said["details"] = [{"@type": _RETRY_INFO, "retryDelay": f"{error.retry_after:g}s"}]
    return said


def signature_of(signature: Any) -> str | None:
    """A signature that Google's clients can read; another provider's may be in characters that they can't."""
    found = text(signature)
    rest = len(found) % 4
    fits = rest == 0 if found.endswith("=") else rest != 1
    return found if fits and _BASE64.fullmatch(found) else None


def for_gemini(usage: Usage) -> dict[str, Any]:
    """Token counts as generateContent has them. What was thought is counted apart there, elsewhere it is output."""
    read, told, cached, thought = _counts(usage)
    said = {
        "promptTokenCount": read,
        "candidatesTokenCount": told,
        "cachedContentTokenCount": cached,
        "thoughtsTokenCount": thought,
    }
    return {key: each for key, each in said.items() if each is not None} | {"totalTokenCount": _total(usage)}


def for_interactions(usage: Usage) -> dict[str, Any]:
    """Token counts as the Interactions API has them."""
    read, told, cached, thought = _counts(usage)
    said = {
        "total_input_tokens": read,
        "total_output_tokens": told,
        "total_cached_tokens": cached,
        "total_thought_tokens": thought,
    }
    return {key: each for key, each in said.items() if each is not None} | {"total_tokens": _total(usage)}


def _counts(usage: Usage) -> tuple[int | None, int | None, int | None, int | None]:
    """Tokens read, written, read from a cache, and thought."""
    found = tokens(usage)
    told = found.output
    # There are compatible servers that count thoughts apart too: then these can be more.
    if told is not None and found.reasoning is not None and told >= found.reasoning:
        told -= found.reasoning
    return found.input, told, found.cache_read, found.reasoning


def _total(usage: Usage) -> int:
    read, told, _, thought = _counts(usage)
    return (read or 0) + (told or 0) + (thought or 0)
