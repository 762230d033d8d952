"""Every way in which a turn can end badly, through every encoder, and what a client of it reads then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from support import to_sse
from wire.encode.kit import shown

from toolwire import Encoder, Stream
from toolwire.events import ToolCallDelta

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toolwire import Event

HALF = '{"path":"/tmp'
WHOLE = '{"path":"/tmp"}'


def delta(**fields: Any) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "model": "m", "choices": [{"index": 0, "delta": fields}]}


def call(text: str, index: int = 0) -> dict[str, Any]:
    function = {"name": "delete", "arguments": text}
    return delta(tool_calls=[{"index": index, "id": f"call_{index}", "type": "function", "function": function}])


def finish(reason: str) -> list[Any]:
    return [{"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}, "[DONE]"]


ERROR = {"error": {"message": "internal: shard 7", "type": "server_error", "code": "boom"}}


class End(NamedTuple):
    """A way to end. `act`: what our side does while the call is open. `safe`: nothing is wrong with its calls."""

    name: str
    payloads: list[Any]
    act: Callable[[Stream], list[Event]] | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  of the encoder, where it knows them
    safe: bool = False


def abort(stream: Stream) -> list[Event]:
    return stream.abort("enough")


def reject(stream: Stream) -> list[Event]:
    stream.calls[0].reject("not allowed")
    return stream.pending()


TEXT = delta(content="On it.")

# On Anthropic's wire, which knows pauses.
PAUSED: list[Any] = [
    {"type": "message_start", "message": {"id": "m1", "type": "message", "role": "assistant", "content": []}},
    {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "tool_use", "id": "a", "name": "delete", "input": {}},
    },
    {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": WHOLE}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "pause_turn"}},
    {"type": "message_stop"},
]

ENDS = (
    End("error inside a call", [TEXT, call(HALF), ERROR]),
    End("error behind a whole call", [TEXT, call(WHOLE), ERROR]),
    End("error before anything", [ERROR]),
    End("the bytes end inside a call", [TEXT, call(HALF)]),
    End("the bytes end behind a whole call", [TEXT, call(WHOLE)]),
    End("aborted, or cancelled by the client", [TEXT, call(HALF)], abort),
    End("`length` inside a call", [TEXT, call(HALF), *finish("length")]),
    End("the same, `fail_on_cut=False`", [TEXT, call(HALF), *finish("length")], None, {"fail_on_cut": False}),
    End("`content_filter` inside a call", [TEXT, call(HALF), *finish("content_filter")]),
    End("`length` behind a whole call", [TEXT, call(WHOLE), *finish("length")], safe=True),
    End("an unknown reason behind a whole call", [TEXT, call(WHOLE), *finish("whatever")], safe=True),
    End("a paused turn with a whole call", PAUSED, safe=True),
    End("a call rejected by a guard", [TEXT, call(HALF), *finish("tool_calls")], reject),
    End("arguments end in the middle of a turn that ends well", [TEXT, call(HALF), *finish("tool_calls")]),
    End(
        "arguments that are no JSON in a turn that ends well",
        [TEXT, call("{path: 1}"), *finish("tool_calls")],
        safe=True,
    ),
    End(
        "two documents in one call in a turn that ends well",
        [TEXT, call(WHOLE), call('{"path":"/"}'), *finish("tool_calls")],
    ),
    End("a message that begins anew", [], None),
)

# Anthropic's wire is the one whose messages begin anew.
ANEW: list[Any] = [
    {"type": "message_start", "message": {"id": "m1", "type": "message", "role": "assistant", "content": []}},
    {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "tool_use", "id": "a", "name": "delete", "input": {}},
    },
    {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": HALF}},
    {"type": "message_start", "message": {"id": "m2", "type": "message", "role": "assistant", "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Sorry."}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
    {"type": "message_stop"},
]

# What tells that a call is whole, an error, and the end of a turn that ended well.
MARKS: dict[str, tuple[str | None, str, tuple[str, ...]]] = {
    "openai-chat": (None, '{"error":', ('"finish_reason":"', "[DONE]")),
    "openai-responses": (
        "response.function_call_arguments.done",
        "response.failed",
        ("response.completed", "response.incomplete"),
    ),
    "anthropic": ("content_block_stop", '"type":"error"', ('"stop_reason":"', "message_stop")),
    "ai-sdk-ui": ("tool-input-available", '{"type":"error"', ('{"type":"finish"', '{"type":"abort"', "[DONE]")),
    "ag-ui": ("TOOL_CALL_END", "RUN_ERROR", ("RUN_FINISHED",)),
    "bedrock-converse": ("contentBlockStop", "Exception", ("messageStop",)),
    "bedrock-invoke": ("content_block_stop", "Exception", ('"stop_reason":"', "message_stop")),
    "cohere": ("tool-call-end", '"error":', ("[DONE]",)),
    "gemini": (None, '{"error":', ('"finishReason":"',)),
    "gemini-interactions": ("step.stop", '"error":{', ("interaction.completed",)),
    "ollama": (None, '"error":', ('"done_reason":',)),
    "toolwire": ('"status":"complete"', '{"type":"stream_error"', ('{"type":"finish"',)),
}


def events_of(end: End) -> Iterator[Event]:
    stream = Stream()
    payloads = end.payloads or ANEW
    for payload in payloads:
        for event in stream.receive(to_sse([payload])):
            yield event
            if isinstance(event, ToolCallDelta) and end.act is not None:
                yield from end.act(stream)
                end = end._replace(act=None)
        if stream.done:
            return
    yield from stream.end()


def written(end: End, wire: str) -> tuple[bytes, bool]:
    """What is written of an end, and whether the body is broken off."""
    from toolwire.wire.encode import takes

    encoder = Encoder(wire, **{key: value for key, value in end.options.items() if takes(wire, key)})
    return b"".join(encoder.feed(event) for event in events_of(end)) + encoder.end(), encoder.aborts


def described(end: End, wire: str) -> str:
    """A cell of the table."""
    data, aborts = written(end, wire)
    frames = shown(data)
    whole, error, terminators = MARKS[wire]
    told = []
    calls = [n for n, frame in enumerate(frames) if "delete" in frame]
    behind = frames[calls[0] :] if calls else []
    if whole is not None and calls:
        told.append("call closed" if any(whole in frame for frame in behind) else "call left open")
    if any("tool-input-error" in frame for frame in frames):
        told[-1] = "`tool-input-error`"
    if any("reset-step" in frame for frame in frames):
        told.append("`reset-step`")
    if any(error in frame for frame in frames):
        told.append(f"`{_name(error)}`")
    told += [f"`{_name(mark)}`" for mark in terminators if any(mark in frame for frame in frames)]
    if aborts:
        told.append("**body broken off**")
    return ", ".join(told)


def _name(mark: str) -> str:
    mark = mark.removeprefix('"type":').removeprefix('{"type":')
    return mark.strip('{":')
