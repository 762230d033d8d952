"""A request that failed before the first byte of its answer: HTTP status and body, as each provider has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolwire.errors import UsageError
from toolwire.wire import ALIASES
from toolwire.wire._read import count, obj, text
from toolwire.wire.encode.errors import anthropic_type, code_of, openai_type, public_message
from toolwire.wire.encode.google import error_fields

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwire.events import ErrorKind, StreamError

__all__ = ["NO_BODY", "error_body"]

NO_BODY: Final = "a message that ended badly has no body, but an error_body"

# kind -> HTTP status. What went wrong behind a provider is a bad gateway; 499 is what nobody waits for any more.
_STATUS: Final[dict[ErrorKind, int]] = {
    "rate_limit": 429,
    "overloaded": 503,
    "auth": 401,
    "invalid_request": 400,
    "context_length": 400,
    "content_filter": 400,
    "server": 500,
    "connection": 502,
    "protocol": 502,
    "limit": 502,
    "timeout": 504,
    "aborted": 499,
}

# Anthropic has a status of its own for this.
_OVERLOADED: Final = 529

# Bedrock's exceptions have one status each (botocore's model of bedrock-runtime).
_BEDROCK_STATUS: Final[dict[str, int]] = {
    "AccessDeniedException": 403,
    "InternalServerException": 500,
    "ModelErrorException": 424,
    "ModelNotReadyException": 429,
    "ModelTimeoutException": 408,
    "ResourceNotFoundException": 404,
    "ServiceQuotaExceededException": 400,
    "ServiceUnavailableException": 503,
    "ThrottlingException": 429,
    "ValidationException": 400,
}
_BEDROCK: Final[dict[ErrorKind, str]] = {
    "rate_limit": "ThrottlingException",
    "overloaded": "ServiceUnavailableException",
    "auth": "AccessDeniedException",
    "invalid_request": "ValidationException",
    "context_length": "ValidationException",
    "content_filter": "ValidationException",
    "server": "InternalServerException",
    "timeout": "ModelTimeoutException",
}


def error_body(error: StreamError, wire: str) -> tuple[int, dict[str, Any]]:
    """The HTTP status and the JSON body that say an error on a wire. Raises `UsageError` for a wire that has none.

    The status is the provider's where it told one. What to wait (`error.retry_after`) is for a header to say.
    """
    write = _WIRES.get(ALIASES.get(wire, wire))
    if write is None:
        raise UsageError(f"{wire!r} has no body for an error: use one of {', '.join(_WIRES)}")
    return write(error)


def _status(error: StreamError) -> int:
    told = error.status
    return told if told is not None and 400 <= told <= 599 else _STATUS[error.kind]


def _message(error: StreamError) -> str:
    return error.message or public_message(error)


def _openai(error: StreamError) -> tuple[int, dict[str, Any]]:
    said = {"message": _message(error), "type": openai_type(error), "param": None, "code": code_of(error)}
    return _status(error), {"error": said}


def _anthropic(error: StreamError) -> tuple[int, dict[str, Any]]:
    status = _OVERLOADED if error.kind == "overloaded" and error.status is None else _status(error)
    own = text(obj(error.raw).get("type")) if error.wire == "anthropic" else ""
    kind = own if own.endswith("_error") else anthropic_type(error)
    return status, {"type": "error", "error": {"type": kind, "message": _message(error)}}


def _gemini(error: StreamError) -> tuple[int, dict[str, Any]]:
    fields = error_fields(error)
    told = count(fields["code"])
    status = told if told is not None and 400 <= told <= 599 else _status(error)
    return status, {"error": {**fields, "code": status, "message": _message(error)}}


def _bedrock(error: StreamError) -> tuple[int, dict[str, Any]]:
    """The exception's name, which stands in a header else (`x-amzn-errortype`), and its message."""
    code = (error.code or "")[:1].upper() + (error.code or "")[1:]
    name = code if code in _BEDROCK_STATUS else _BEDROCK.get(error.kind, "ModelErrorException")
    return _BEDROCK_STATUS[name], {"__type": name, "message": _message(error)}


def _cohere(error: StreamError) -> tuple[int, dict[str, Any]]:
    return _status(error), {"message": _message(error)}


def _ollama(error: StreamError) -> tuple[int, dict[str, Any]]:
    return _status(error), {"error": _message(error)}


_WIRES: Final[dict[str, Callable[[StreamError], tuple[int, dict[str, Any]]]]] = {
    "anthropic": _anthropic,
    "bedrock-converse": _bedrock,
    "bedrock-invoke": _bedrock,
    "cohere": _cohere,
    "gemini": _gemini,
    "ollama": _ollama,
    "openai-chat": _openai,
    "openai-responses": _openai,
}
