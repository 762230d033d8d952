"""Whole bodies: a message as the answer of a provider that doesn't stream it, and as its error.

A body is what the wire's events come to: the message is told to the wire's encoder, and what that writes is folded. So
both say the same in the same words, and what an encoder would end as an error has no body. A module has `fold(frames)`,
which gives the body of an answer that ended well. A new one is a new file and a new row.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolwire.errors import UsageError
from toolwire.wire import ALIASES
from toolwire.wire.bodies.errors import NO_BODY, error_body
from toolwire.wire.bodies.replay import events_of
from toolwire.wire.encode import encoder_for, takes

if TYPE_CHECKING:
    from toolwire.message import Message

__all__ = ["BODIES", "BodyRow", "body_of", "error_body"]


class BodyRow(NamedTuple):
    """A row of the table. `values`: arguments are a value and no text."""

    name: str
    values: bool

    @property
    def module(self) -> str:
        """Where `fold` is."""
        return f"toolwire.wire.bodies.{self.name.replace('-', '_')}"


BODIES: Final[dict[str, BodyRow]] = {
    row.name: row
    for row in (
        BodyRow("anthropic", values=True),
        BodyRow("bedrock-converse", values=True),
        BodyRow("bedrock-invoke", values=True),
        BodyRow("cohere", values=False),
        BodyRow("gemini", values=True),
        BodyRow("ollama", values=True),
        BodyRow("openai-chat", values=False),
        BodyRow("openai-responses", values=False),
    )
}

_OPTIONS: Final = ("model", "message_id", "created", "fail_on_cut")


def body_of(message: Message, wire: str, **options: Any) -> dict[str, Any]:
    """A message as the JSON body of an answer of `wire` that isn't streamed.

    `options`: `model`, `message_id`, `created` and `fail_on_cut` of `EncodeOptions`, ignored where the wire has no use
    for them. A number that no float holds stands as `msgspec.Raw`: see `toolwire.framing.writers.dumped`. Raises
    `UsageError` for a wire that has no body, and for a message that ended badly or hasn't ended: see `error_body`.
    """
    row = BODIES.get(ALIASES.get(wire, wire))
    if row is None:
        raise UsageError(f"{wire!r} has no body: use one of {', '.join(BODIES)}")
    for name in options:
        if name not in _OPTIONS:
            raise UsageError(f"{name}= is no option of a body: there are {', '.join(_OPTIONS)}")
    encoder = encoder_for(row.name, {name: value for name, value in options.items() if takes(row.name, name)})
    frames = [frame for event in events_of(message, values=row.values) for frame in encoder.feed(event)]
    frames += encoder.end()
    if encoder.error is not None:
        raise UsageError(f"{NO_BODY}: {encoder.error.message}")
    body: dict[str, Any] = import_module(row.module).fold(frames)
    return body
