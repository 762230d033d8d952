"""Requests as the providers take them: one module per wire, found through this table.

A wire's module has `read`, which gives what was asked for or raises what the provider would say. It refuses what the
provider is known to refuse, and lets pass what is not known.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from toolwire.errors import UsageError
from toolwire.mock.requests.incoming import Incoming
from toolwire.mock.requests.listing import models_body
from toolwire.wire import ALIASES

if TYPE_CHECKING:
    from toolwire.mock.asked import Asked

__all__ = ["READERS", "models_body", "read"]


class _Reader(Protocol):
    def read(self, request: Incoming) -> Asked: ...


READERS: dict[str, str] = {
    wire: f"toolwire.mock.requests.{wire.replace('-', '_')}"
    for wire in (
        "anthropic",
        "bedrock-converse",
        "bedrock-invoke",
        "cohere",
        "gemini",
        "ollama",
        "openai-chat",
        "openai-responses",
    )
}


def read(
    wire: str,
    *,
    path: str,
    query: dict[str, str],
    headers: dict[str, str],
    body: bytes,
    keys: frozenset[str],
    models: frozenset[str],
    max_body: int,
) -> Asked:
    """What a request over a wire asks for.

    `headers` have names in lower case. `keys` and `models` are those that are taken; empty for any. Raises
    `RefusedError` for what the provider would refuse, in its own words, and `UsageError` for an unknown wire.
    """
    module = READERS.get(ALIASES.get(wire, wire))
    if module is None:
        raise UsageError(f"no requests come over {wire!r}: use one of {', '.join(READERS)}")
    return cast("_Reader", import_module(module)).read(Incoming(path, query, headers, body, keys, models, max_body))
