"""Which wire a path is of, as the SDKs ask for it under whatever base URL."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["Route", "route_of"]


class Route(NamedTuple):
    """A wire, and what is wanted of it: "ask", or "models" for the list of models."""

    wire: str
    what: str


# The path's end -> the wire. The first that fits decides.
_ASK: Final = (
    (r"/chat/completions", "openai-chat"),
    (r"/responses", "openai-responses"),
    (r"/messages", "anthropic"),
    (r"/models/.+:(?:stream)?[gG]enerateContent", "gemini"),
    (r"/model/.+/converse(?:-stream)?", "bedrock-converse"),
    (r"/model/.+/invoke(?:-with-response-stream)?", "bedrock-invoke"),
    (r"/v2/chat", "cohere"),
    (r"/api/chat", "ollama"),
)
_LISTS: Final = (
    (r"/v1beta1?/models", "gemini"),
    (r"/api/tags", "ollama"),
    (r"/models", "openai-chat"),
)


def route_of(method: str, path: str, headers: dict[str, str]) -> Route | None:
    """What a request wants; None where there is nothing."""
    for what, rows in (("ask", _ASK), ("models", _LISTS)):
        if (method == "POST") != (what == "ask"):
            continue
        for pattern, wire in rows:
            if re.search(pattern + r"/?\Z", path):
                if what == "models" and "anthropic-version" in headers:
                    wire = "anthropic"
                elif what == "models" and "cohere" in headers.get("user-agent", "").lower():
                    wire = "cohere"
                return Route(wire, what)
    return None
