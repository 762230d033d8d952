"""The encoders: how events are written for the clients of each wire, found through this table.

An encoder's module has `Encoder`, a `WireEncoder`. A new one is a new file and a new row.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from toolwire.errors import UsageError
from toolwire.wire import ALIASES
from toolwire.wire.encode.options import Options

if TYPE_CHECKING:
    from toolwire.wire.encode.base import WireEncoder

__all__ = ["ENCODERS", "EncoderRow", "encoder_for", "takes"]


class EncoderRow(NamedTuple):
    """A row of the table. `options`: those that the wire knows, beside what every wire does."""

    name: str
    module: str
    options: frozenset[str]


ENCODERS: dict[str, EncoderRow] = {
    name: EncoderRow(name, f"toolwire.wire.encode.{name.replace('-', '_')}", frozenset(options.split()))
    for name, options in {
        "ag-ui": "message_id show_errors client run",
        "ai-sdk-ui": "message_id usage show_errors client",
        "anthropic": "model message_id fail_on_cut",
        "bedrock-converse": "fail_on_cut",
        "bedrock-invoke": "model message_id fail_on_cut",
        "cohere": "message_id fail_on_cut",
        "gemini": "model message_id fail_on_cut framing partial_args",
        "gemini-interactions": "model message_id fail_on_cut",
        "ollama": "model created fail_on_cut",
        "openai-chat": "model message_id created usage fail_on_cut",
        "openai-responses": "model message_id created fail_on_cut",
        "toolwire": "model framing",
    }.items()
}


def takes(wire: str, option: str) -> bool:
    """Whether a wire knows an option. Raises `UsageError` for an unknown wire."""
    return option in _row(wire).options


def encoder_for(wire: str, options: dict[str, Any]) -> WireEncoder:
    """A new encoder of a wire, by its name or an alias. Raises `UsageError` for what the wire doesn't know."""
    row = _row(wire)
    known = Options.__dataclass_fields__
    for name in options:
        if name not in known:
            raise UsageError(f"unknown option {name!r} of an encoder: there are {', '.join(known)}")
        if name not in row.options and options[name] is not None:
            takers = [each.name for each in ENCODERS.values() if name in each.options]
            raise UsageError(f"{name}= is no option of {row.name}, but of {', '.join(takers)}")
    given = {name: value for name, value in options.items() if value is not None}
    encoder: WireEncoder = import_module(row.module).Encoder(Options(**given))
    return encoder


def _row(wire: str) -> EncoderRow:
    row = ENCODERS.get(ALIASES.get(wire, wire)) if isinstance(wire, str) else None
    if row is None:
        raise UsageError(f"nothing is written as {wire!r}: use one of {', '.join(ENCODERS)}")
    return row
