"""Every recording as a whole body of every wire that has one: the same comes out again, but for the known losses."""

from __future__ import annotations

from typing import Any

import anthropic
import cohere
import ollama
import openai.types.chat
import openai.types.responses
import pydantic
import pytest
from google.genai import types as genai
from support import WIRES, expected_records, needs_shared, recording
from wire.encode.losses import LOSSES, comparable, record
from wire.encode.test_recordings import differences, events_of

from toolwire import Message, Stream
from toolwire.errors import UsageError
from toolwire.framing.writers import dumped
from toolwire.wire.bodies import BODIES, body_of

RECORDS = expected_records(*WIRES)

pytestmark = needs_shared


def decoded(body: Any, wire: str) -> Message:
    stream = Stream(wire)
    return Message.of([*stream.receive(dumped(body)), *stream.end()])


def expected(message: Message, wire: str) -> dict[str, Any]:
    """What a message's record becomes. What was taken back is no part of a body, so a restart is no loss."""
    said = record(message)
    values = ("half calls", "values") if BODIES[wire].values else ()
    for loss in LOSSES:
        if (wire in loss.wires and loss.name != "restart") or loss.name in values:
            loss.change(said, wire)
    return said


@pytest.mark.parametrize("wire", BODIES)
@pytest.mark.parametrize("case", RECORDS, ids=lambda case: case["file"])
def test_round_trip(case: dict[str, Any], wire: str) -> None:
    message = Message.of(events_of(recording(case), case["wire"]))
    wanted = expected(message, wire)
    if wanted["failed"]:
        with pytest.raises(UsageError, match="a message that ended badly has no body"):
            body_of(message, wire)
        return
    body = body_of(message, wire)
    after = decoded(body, wire)
    assert differences(comparable(wanted), comparable(record(after, mapped=True))) == []
    own = case["wire"] == wire
    if own:
        assert [after.id if message.id else None, after.model] == [message.id, message.model]
    if own and message.usage is not None:
        assert after.usage is not None
        told, counts = message.usage, after.usage
        assert (counts.input_tokens, counts.output_tokens) == (told.input_tokens, told.output_tokens)
    if not case["file"].endswith(ODD):
        assert [fault for fault in faults(body, wire) if not fault.startswith("usage")] == []  # a provider's own


# --- the types of the official SDKs ----------------------------------------------------------------------------

# Anthropic's own tools are in the types of its beta.
TYPES: dict[str, Any] = {
    "anthropic": anthropic.types.beta.BetaMessage,
    "bedrock-invoke": anthropic.types.beta.BetaMessage,
    "cohere": cohere.V2ChatResponse,
    "gemini": genai.GenerateContentResponse,
    "ollama": ollama.ChatResponse,
    "openai-chat": openai.types.chat.ChatCompletion,
    "openai-responses": openai.types.responses.Response,
}

# What stays as it was told, though the types of another provider's SDK don't take it.
ODD = (
    "grounded_turns.bin",  # the name of a server's tool
    "spliced_message_start.jsonl",  # a made-up signature
)


def faults(body: Any, wire: str) -> list[str]:
    """What the SDK's type doesn't take."""
    kind = TYPES.get(wire)
    if kind is None:
        return []
    try:
        pydantic.TypeAdapter(kind).validate_json(dumped(body))
    except pydantic.ValidationError as error:
        return [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()]
    return []
