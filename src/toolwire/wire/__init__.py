"""The wires: one file per protocol, found through this table.

A wire's module has `recognises(payload, event)`, true for a payload that can only be its own, and `Decoder`, which is
made with an accumulator and fed payloads. A new wire is a new file and a new row.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from toolwire.errors import UsageError

if TYPE_CHECKING:
    from toolwire.accumulator import Accumulator
    from toolwire.wire._read import Payload

__all__ = ["ALIASES", "WIRES", "Decoder", "Wire", "WireModule", "load"]


class Decoder(Protocol):
    """Translates one protocol's payloads into an accumulator's verbs."""

    def __init__(self, acc: Accumulator, /) -> None: ...

    def feed(self, payload: Payload, event: str, /) -> None:
        """One payload, with the name of the event it came in ("" if none)."""

    def end(self) -> None:
        """No more payloads will come. Called once, before the accumulator concludes the stream."""


class WireModule(Protocol):
    """What a wire's module has to have."""

    Decoder: type[Decoder]

    def recognises(self, payload: Payload, event: str, /) -> bool:
        """True when the payload can only be of this wire."""


class Wire(NamedTuple):
    """A row of the table."""

    name: str
    module: str


WIRES: dict[str, Wire] = {
    wire.name: wire
    for wire in (
        Wire("ag-ui", "toolwire.wire.ag_ui"),
        Wire("ai-sdk-ui", "toolwire.wire.ai_sdk_ui"),
        Wire("anthropic", "toolwire.wire.anthropic"),
        Wire("bedrock-converse", "toolwire.wire.bedrock_converse"),
        Wire("bedrock-invoke", "toolwire.wire.bedrock_invoke"),
        Wire("cohere", "toolwire.wire.cohere"),
        Wire("gemini", "toolwire.wire.gemini"),
        Wire("gemini-interactions", "toolwire.wire.gemini_interactions"),
        Wire("gemini-live", "toolwire.wire.gemini_live"),
        Wire("ollama", "toolwire.wire.ollama"),
        Wire("openai-chat", "toolwire.wire.openai_chat"),
        Wire("openai-responses", "toolwire.wire.openai_responses"),
        Wire("toolwire", "toolwire.wire.toolwire"),
    )
}

# Providers that speak another's wire.
ALIASES = {
    "azure": "openai-chat",
    "bedrock": "bedrock-converse",
    "claude": "anthropic",
    "google": "gemini",
    "mistral": "openai-chat",
    "openai": "openai-chat",
    "openrouter": "openai-chat",
    "responses": "openai-responses",
    "tgi": "openai-chat",
    "vertex": "gemini",
    "writer": "openai-chat",
}


def load(name: str) -> WireModule:
    """The module of a wire, by its name or an alias. Raises `UsageError` for a name that isn't in the table."""
    wire = WIRES.get(ALIASES.get(name, name))
    if wire is None:
        raise UsageError(f"unknown wire {name!r}: use 'auto' or one of {', '.join(sorted(WIRES))}")
    return cast("WireModule", import_module(wire.module))
