"""What both of Bedrock's operations have in common: the path, the keys, and how it refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from toolwire.mock.asked import RefusedError

if TYPE_CHECKING:
    from toolwire.mock.requests.incoming import Incoming

__all__ = ["admit", "document", "known", "refused", "target", "validation"]

_PATH = re.compile(
    r"/model/(?P<model>.+)/(?P<operation>converse|converse-stream|invoke|invoke-with-response-stream)/?$"
)
_CREDENTIAL = re.compile(r"Credential=([^/,\s]+)")


def refused(status: int, kind: str, message: str) -> RefusedError:
    """A refusal: the exception's name is in a header, its message in the body."""
    return RefusedError(status, {"message": message}, {"x-amzn-errortype": kind})


def validation(message: str) -> RefusedError:
    """The refusal of a wrong request."""
    return refused(400, "ValidationException", message)


def admit(request: Incoming) -> None:
    """Let good keys in: the access key of a signature, or a bearer token. Signatures aren't reckoned."""
    if not request.keys:
        return
    header = request.headers.get("authorization", "")
    found = _CREDENTIAL.search(header)
    if not header:
        raise refused(403, "MissingAuthenticationTokenException", "Missing Authentication Token")
    if request.bearer and not request.admits(request.bearer):
        raise refused(403, "AccessDeniedException", "Authentication failed: Please make sure your API Key is valid.")
    if not request.bearer and not request.admits(found[1] if found else ""):
        raise refused(403, "UnrecognizedClientException", "The security token included in the request is invalid.")


def target(request: Incoming) -> tuple[str, bool]:
    """The model's name, and whether its answer is a stream."""
    found = _PATH.search(request.path)
    if found is None:
        raise refused(404, "UnknownOperationException", "Unknown operation")
    return unquote(found["model"]), found["operation"].endswith("-stream")


def document(request: Incoming, kind: str) -> dict[str, Any]:
    """The body. `kind`: the exception for what is no JSON object."""
    return request.document(
        lambda _size, _limit: refused(413, "RequestEntityTooLargeException", "Request Entity Too Large"),
        lambda reason, _rest: refused(
            400, kind, f"Malformed input request: {reason}, please reformat your input and try again."
        ),
    )


def known(request: Incoming, model: str) -> None:
    """Refuse a model that there isn't."""
    if not request.knows(model):
        raise validation("The provided model identifier is invalid.")
