"""Generated streams: one call, its arguments in pieces, as each provider frames them; one item per event."""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING, Any

from bench.payloads import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["NAME", "PROPERTIES", "WIRES", "Parts", "generated", "split", "sse"]

NAME = "write_file"
# The SDKs that want a schema get one that allows everything.
PROPERTIES: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": True}

# What comes before the pieces, the pieces, and what comes after.
Parts = tuple[list[bytes], list[bytes], list[bytes]]


def sse(payload: dict[str, Any], event: str = "", newline: str = "\n") -> bytes:
    """One server-sent event."""
    name = f"event: {event}{newline}" if event else ""
    data = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return f"{name}data: {data}{newline}{newline}".encode()


def chat(pieces: Sequence[str]) -> Parts:
    """Chat Completions."""
    head = {
        "id": "chatcmpl-bench",
        "object": "chat.completion.chunk",
        "created": 1900000000,
        "model": "bench",
        "service_tier": "default",
        "system_fingerprint": "fp_bench",
    }

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return sse({**head, "choices": [choice], "usage": None})

    call = {"index": 0, "id": "call_bench", "type": "function", "function": {"name": NAME, "arguments": ""}}
    usage = {"prompt_tokens": 100, "completion_tokens": 1000, "total_tokens": 1100}
    return (
        [chunk({"role": "assistant", "content": None, "tool_calls": [call]})],
        [chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in pieces],
        [chunk({}, "tool_calls"), sse({**head, "choices": [], "usage": usage}), b"data: [DONE]\n\n"],
    )


def responses(pieces: Sequence[str]) -> Parts:
    """Responses."""
    numbers = count()
    text = "".join(pieces)
    item = {"id": "fc_bench", "type": "function_call", "call_id": "call_bench", "name": NAME}
    place = {"item_id": "fc_bench", "output_index": 0}

    def event(kind: str, **fields: Any) -> bytes:
        return sse({"type": kind, "sequence_number": next(numbers), **fields}, kind)

    def response(status: str, output: list[dict[str, Any]], usage: dict[str, Any] | None) -> dict[str, Any]:
        return {
            "id": "resp_bench",
            "object": "response",
            "created_at": 1900000000,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "metadata": {},
            "model": "bench",
            "output": output,
            "parallel_tool_calls": True,
            "temperature": 1.0,
            "tool_choice": "auto",
            "tools": [],
            "top_p": 1.0,
            "usage": usage,
        }

    before = [
        event("response.created", response=response("in_progress", [], None)),
        event("response.in_progress", response=response("in_progress", [], None)),
        event("response.output_item.added", output_index=0, item={**item, "status": "in_progress", "arguments": ""}),
    ]
    deltas = [event("response.function_call_arguments.delta", **place, delta=piece) for piece in pieces]
    whole = {**item, "status": "completed", "arguments": text}
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1000,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 1100,
    }
    after = [
        event("response.function_call_arguments.done", **place, name=NAME, arguments=text),
        event("response.output_item.done", output_index=0, item=whole),
        event("response.completed", response=response("completed", [whole], usage)),
    ]
    return before, deltas, after


def anthropic(pieces: Sequence[str]) -> Parts:
    """Messages."""

    def event(kind: str, **fields: Any) -> bytes:
        return sse({"type": kind, **fields}, kind)

    message: dict[str, Any] = {
        "id": "msg_bench",
        "type": "message",
        "role": "assistant",
        "model": "bench",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 1},
    }
    block = {"type": "tool_use", "id": "toolu_bench", "name": NAME, "input": {}}
    return (
        [event("message_start", message=message), event("content_block_start", index=0, content_block=block)],
        [
            event("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": piece})
            for piece in pieces
        ],
        [
            event("content_block_stop", index=0),
            event(
                "message_delta",
                delta={"stop_reason": "tool_use", "stop_sequence": None},
                usage={"output_tokens": 1000},
            ),
            event("message_stop"),
        ],
    )


def _gemini(parts: list[dict[str, Any]], finish: str = "") -> bytes:
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 1000, "totalTokenCount": 1100}
    body = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "bench", "responseId": "bench"}
    return sse(body, newline="\r\n")


def gemini(pieces: Sequence[str]) -> Parts:
    """generateContent: the arguments come whole, whatever the pieces."""
    call = {"name": NAME, "args": json.loads("".join(pieces))}
    return [], [_gemini([{"functionCall": call}])], [_gemini([{"text": ""}], "STOP")]


def _paths(value: Any, path: str, size: int) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _paths(member, f"{path}.{key}", size)
    elif isinstance(value, list):
        for place, member in enumerate(value):
            yield from _paths(member, f"{path}[{place}]", size)
    elif isinstance(value, str):
        for piece in cut(value, size):
            yield {"jsonPath": path, "stringValue": piece, "willContinue": True}
        yield {"jsonPath": path, "stringValue": ""}
    elif isinstance(value, bool):
        yield {"jsonPath": path, "boolValue": value}
    elif value is None:
        yield {"jsonPath": path, "nullValue": "NULL_VALUE"}
    else:
        yield {"jsonPath": path, "numberValue": value}


def vertex(pieces: Sequence[str]) -> Parts:
    """generateContent with partialArgs: values at paths, strings in pieces of the same size."""
    size = len(pieces[0])
    arguments = _paths(json.loads("".join(pieces)), "$", size)
    return (
        [_gemini([{"functionCall": {"name": NAME, "willContinue": True}}])],
        [_gemini([{"functionCall": {"partialArgs": [argument], "willContinue": True}}]) for argument in arguments],
        [_gemini([{"functionCall": {}}]), _gemini([{"text": ""}], "STOP")],
    )


WIRES: dict[str, Callable[[Sequence[str]], Parts]] = {
    "openai-chat": chat,
    "openai-responses": responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "gemini partialArgs": vertex,
}


def split(wire: str, pieces: Sequence[str]) -> Parts:
    """Head, deltas and tail apart."""
    return WIRES[wire](pieces)


def generated(wire: str, text: str, size: int) -> list[bytes]:
    """The whole stream."""
    before, deltas, after = split(wire, cut(text, size))
    return [*before, *deltas, *after]
