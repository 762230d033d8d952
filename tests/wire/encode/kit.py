"""What the encoders' tests share: a provider's stream as frames of another wire, and OpenAI Chat's chunks for one."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import TYPE_CHECKING, Any

from support import byte_by_byte, cut, to_sse

from toolwire import Stream
from toolwire.encoder import Encoder
from toolwire.framing import AutoFramer
from toolwire.wire.encode import encoder_for

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire import Event
    from toolwire.wire.encode.base import Frame, WireEncoder

Payload = dict[str, Any]
Step = Any  # a payload, bytes, or what is done with the stream

DONE = "[DONE]"


def chunk(delta: Payload, reason: str | None = None, *, choice: int = 0, **more: Any) -> Payload:
    """A chunk with one choice."""
    choices = [{"index": choice, "delta": delta, "finish_reason": reason}]
    return {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": choices, **more}


def saying(text: str, choice: int = 0) -> Payload:
    """A piece of text."""
    return chunk({"content": text}, choice=choice)


def opening(index: int = 0, id: str = "a1", name: str = "f", arguments: str = "", *, choice: int = 0) -> Payload:
    """A call's first delta."""
    function = {"name": name, "arguments": arguments}
    return chunk({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]}, choice=choice)


def args(text: str, index: int = 0) -> Payload:
    """A piece of a call's arguments."""
    return chunk({"tool_calls": [{"index": index, "function": {"arguments": text}}]})


def custom(index: int = 0, id: str = "a1", name: str = "f", text: str = "") -> Payload:
    """The first delta of a call with free text."""
    return chunk(
        {"tool_calls": [{"index": index, "id": id, "type": "custom", "custom": {"name": name, "input": text}}]}
    )


def custom_text(text: str, index: int = 0) -> Payload:
    """A piece of a free text."""
    return chunk({"tool_calls": [{"index": index, "custom": {"input": text}}]})


def ending(reason: str = "tool_calls", choice: int = 0) -> Payload:
    """A finish reason."""
    return chunk({}, reason, choice=choice)


def encoded(steps: Iterable[Step], wire: str, encoder: WireEncoder, **options: Any) -> list[Frame]:
    """The frames that come of a provider's stream. `options` are the stream's."""
    stream = Stream(wire, **options)
    frames: list[Frame] = []

    def take(events: Iterable[Event] | None) -> None:
        for event in events or ():
            frames.extend(encoder.feed(event))

    for step in steps:
        if isinstance(step, bytes):
            take(stream.receive(step))
        elif callable(step):
            take(step(stream))
        elif isinstance(step, tuple):
            take(stream.receive_payload(step[1], event=step[0]))
        else:
            take(stream.receive_payload(step))
    take(stream.end())
    return frames + encoder.end()


def frames_of(steps: Iterable[Step], wire: str, to: str, **options: Any) -> list[Frame]:
    """As `encoded`, of a wire by its name. `options` are the encoder's."""
    return encoded(steps, wire, encoder_for(to, options))


def at_all_cuts(data: bytes, wire: str, to: str, places: Iterable[Iterable[int]] = ()) -> list[list[Frame]]:
    """The frames of bytes fed whole, byte by byte, and cut at some places."""
    ways = [[data], byte_by_byte(data), *(cut(data, each) for each in places)]
    return [frames_of(way, wire, to) for way in ways]


def body_of(steps: Iterable[Any], wire: str, to: str, **options: Any) -> bytes:
    """The bytes for a client that come of payloads."""
    stream = Stream(wire)
    encoder = Encoder(to, **options)
    events = stream.receive(to_sse(steps)) + stream.end()
    return b"".join(map(encoder.feed, events)) + encoder.end()


def shown(data: bytes) -> list[str]:
    """What was written, frame by frame, as text: the event's name and the payload, unwrapped where it is wrapped."""
    framer = AutoFramer()
    told = []
    for event, payload, _ in [*framer.feed(data), *framer.end()]:
        if event == "chunk":
            payload = b64decode(json.loads(payload)["bytes"])
        told.append(f"{event} {payload.decode()}".strip())
    return told


def reject(place: int = 0, reason: str = "no") -> Step:
    """A step that rejects a call."""

    def step(stream: Stream) -> None:
        stream.calls[place].reject(reason)

    return step


def abort(reason: str = "stop") -> Step:
    """A step that stops the stream."""
    return lambda stream: stream.abort(reason)
