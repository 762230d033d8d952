"""Bedrock's InvokeModel, with and without a stream, as Claude is invoked: Anthropic's body, the model in the path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.mock.requests import aws
from toolwire.mock.requests.anthropic import read_body

if TYPE_CHECKING:
    from toolwire.mock.asked import Asked
    from toolwire.mock.requests.incoming import Incoming

__all__ = ["read"]

_WIRE = "bedrock-invoke"


def read(request: Incoming) -> Asked:
    """What a request asks for. Raises `RefusedError`."""
    aws.admit(request)
    model, stream = aws.target(request)
    aws.known(request, model)
    body = aws.document(request, "ValidationException")
    if not isinstance(body.get("anthropic_version"), str):
        raise aws.validation("anthropic_version: Field required")
    return read_body(body, aws.validation).asked(_WIRE, model, body, stream=stream)
