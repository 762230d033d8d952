"""How an error is said to clients: in the words of each provider's error types, and in words for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolwire.events import ErrorKind, StreamError

__all__ = ["anthropic_type", "bedrock_exception", "code_of", "openai_type", "public_message"]

# kind -> OpenAI's error type, Anthropic's, and what a user may read whatever the cause was
_KINDS: Final[dict[ErrorKind, tuple[str, str, str]]] = {
    "rate_limit": ("rate_limit_error", "rate_limit_error", "Too many requests. Please try again later."),
    "overloaded": ("overloaded_error", "overloaded_error", "The model is overloaded. Please try again later."),
    "auth": ("authentication_error", "authentication_error", "The model refused our credentials."),
    "invalid_request": ("invalid_request_error", "invalid_request_error", "The model refused the request."),
    "context_length": ("invalid_request_error", "invalid_request_error", "The conversation is too long for the model."),
    "content_filter": ("content_filter", "api_error", "The answer was stopped by a content filter."),
    "server": ("server_error", "api_error", "The model failed. Please try again."),
    "connection": ("upstream_error", "api_error", "The connection to the model was lost. Please try again."),
    "protocol": ("server_error", "api_error", "The model's answer was broken. Please try again."),
    "limit": ("server_error", "api_error", "The answer was cut off."),
    "timeout": ("timeout_error", "timeout_error", "The model took too long to answer."),
    "aborted": ("request_cancelled", "api_error", "The answer was stopped."),
}

# kind -> Bedrock's exception in a stream
_BEDROCK: Final[dict[ErrorKind, str]] = {
    "rate_limit": "throttlingException",
    "overloaded": "serviceUnavailableException",
    "auth": "internalServerException",
    "invalid_request": "validationException",
    "context_length": "validationException",
    "content_filter": "modelStreamErrorException",
    "server": "internalServerException",
    "connection": "modelStreamErrorException",
    "protocol": "modelStreamErrorException",
    "limit": "modelStreamErrorException",
    "timeout": "modelStreamErrorException",
    "aborted": "internalServerException",
}

# Only where a model is invoked.
_TIMEOUT: Final = "modelTimeoutException"

_CODES: Final[dict[ErrorKind, str]] = {"context_length": "context_length_exceeded", "content_filter": "content_filter"}


def openai_type(error: StreamError) -> str:
    """The error's `type` on OpenAI's wires."""
    return _KINDS[error.kind][0]


def anthropic_type(error: StreamError) -> str:
    """The error's `type` on Anthropic's wire."""
    return _KINDS[error.kind][1]


def bedrock_exception(error: StreamError, *, invoke: bool) -> str:
    """The exception's name in Bedrock's streams, its own where it has one.

    Only those that the service's model lists for the operation: botocore reads neither name nor message of others.
    """
    own = error.code or ""
    if own in _BEDROCK.values():
        return own
    if invoke and (error.kind == "timeout" or own == _TIMEOUT):
        return _TIMEOUT
    return _BEDROCK[error.kind]


def code_of(error: StreamError) -> str:
    """The provider's own code, else one for the kind."""
    return error.code or _CODES.get(error.kind, error.kind)


def public_message(error: StreamError) -> str:
    """What may be shown to anybody: a provider's own words can hold what is not for users."""
    return _KINDS[error.kind][2]
