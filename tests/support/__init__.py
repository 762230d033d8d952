"""What many tests need: where the recordings lie, and events and messages in a form that can be compared."""

from __future__ import annotations

import itertools
import json
import os
import re
import struct
from binascii import crc32
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import toolwire
from toolwire import Message, Stream
from toolwire.events import Finish, MessageStart, Reset, StreamError, ToolCallDelta, ToolCallEnd, ToolCallStart
from toolwire.grammar import check

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire import Event, ToolCall

pytest.register_assert_rewrite("support.wires")

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("TOOLWIRE_SHARED", ROOT.parent / "shared"))

pure_only = pytest.mark.skipif(toolwire.build != "pure", reason="what is compiled can't be replaced by a test")
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=f"recordings not found at {SHARED} (set TOOLWIRE_SHARED)")

WIRES = (
    "anthropic",
    "bedrock-converse",
    "bedrock-invoke",
    "cohere",
    "gemini",
    "gemini-interactions",
    "gemini-live",
    "ollama",
    "openai-chat",
    "openai-responses",
)


def expected_records(*wires: str) -> list[dict[str, Any]]:
    """The expected results of the recordings of these wires; none where the recordings are missing."""
    path = SHARED / "corpus" / "expected.devs.jsonl"
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [record for record in map(json.loads, lines) if record["wire"] in wires]


def recording(record: dict[str, Any]) -> bytes:
    """A recording's bytes."""
    return (SHARED / "corpus" / record["file"]).read_bytes()


def reported_cases() -> list[dict[str, Any]]:
    """The reproductions of public bug reports; none where they are missing."""
    path = SHARED / "cases" / "reports.jsonl"
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(pieces: Iterable[Any], wire: str = "auto", **options: Any) -> list[Event]:
    """Feed a sans-I/O stream and check the order of what comes out."""
    return feed(Stream(wire, **options), pieces)


def feed(stream: Stream, pieces: Iterable[Any]) -> list[Event]:
    """All the events that come of bytes, text, payloads and payloads after their event's name; in their legal order."""
    events: list[Event] = []
    for piece in pieces:
        if isinstance(piece, bytes | str) and piece != "[DONE]":
            events += stream.receive(piece)
        elif isinstance(piece, tuple):
            events += stream.receive_payload(piece[1], event=piece[0])
        else:
            events += stream.receive_payload(piece)
    events += stream.end()
    check(events)
    return events


def byte_by_byte(data: bytes) -> list[bytes]:
    """The smallest cuts there are."""
    return [data[i : i + 1] for i in range(len(data))]


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    """Cut at some places, taken modulo the length."""
    if not data:
        return []
    edges = sorted({0, len(data), *(place % len(data) for place in places)})
    return [data[a:b] for a, b in itertools.pairwise(edges)]


def to_sse(payloads: Iterable[Any], *, named: bool = False, end: str = "\n", pad: str = "", after: str = "") -> bytes:
    """Payloads as server-sent events: each may have its event's name before it, padding, and a line that follows."""
    out = []
    for item in payloads:
        name, payload = item if isinstance(item, tuple) else ("", item)
        if named and isinstance(payload, dict) and "type" in payload:
            name = payload["type"]
        if name:
            out.append(f"event: {name}{end}")
        out.append(f"data: {payload if isinstance(payload, str) else dumped(payload)}{pad}{end}{end}")
        if after:
            out.append(f"{after}{end}{end}")
    return "".join(out).encode("utf-8", "surrogatepass")


def dumped(payload: Any) -> str:
    """JSON as UTF-8 has it; half a surrogate pair has to be escaped."""
    text = json.dumps(payload, ensure_ascii=False)
    return json.dumps(payload) if re.search("[\ud800-\udfff]", text) else text


def plain(events: Iterable[Event]) -> list[tuple[Any, ...]]:
    """Events as tuples that compare: calls by their place, made-up ids left out."""
    return [_plain(event) for event in events]


def merged(events: Iterable[Event]) -> list[tuple[Any, ...]]:
    """As `plain`, with neighbouring deltas of one channel joined: what must not depend on cuts."""
    out: list[tuple[Any, ...]] = []
    for event in plain(events):
        if out and event[0] in ("text_delta", "refusal_delta", "reasoning_delta", "tool_call_delta"):
            last = out[-1]
            if last[0] == event[0] and last[1] == event[1] and last[3:] == event[3:]:
                out[-1] = (*last[:2], last[2] + event[2], *last[3:])
                continue
        out.append(event)
    return out


def _plain(event: Event) -> tuple[Any, ...]:
    match event:
        case ToolCallStart(call=call):
            return (event.type, _place(call), call.name, call.kind, call.vendor_id)
        case ToolCallDelta(call=call):
            return (event.type, _place(call), event.text)
        case ToolCallEnd(call=call):
            return (event.type, _place(call), *_outcome(call))
        case MessageStart():
            return (event.type, event.id, event.model)
        case Finish():
            return (event.type, event.choice, event.reason, tuple(map(_place, event.calls)), event.raw)
        case Reset():
            return (event.type, event.scope, tuple(map(_place, event.calls)))
        case StreamError():
            return (event.type, event.kind, event.code, event.message, event.call and _place(event.call))
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    if event.type == "text_delta":
        fields.pop("extra")
    if event.type in ("text_delta", "refusal_delta", "reasoning_delta"):
        return (event.type, fields.pop("choice"), fields.pop("text"), *fields.values())
    return (event.type, *fields.values())


def _place(call: ToolCall) -> tuple[int, int]:
    return (call.choice, call.index)


def _outcome(call: ToolCall) -> tuple[Any, ...]:
    value = call.arguments if call.status in ("complete", "repaired") else None
    error = call.error and (call.error.reason, call.error.offset)
    return (call.status, call.buf, value, error)


def aws_frame(headers: dict[str, str], payload: bytes) -> bytes:
    """A binary frame of an AWS event stream."""
    block = b""
    for name, value in headers.items():
        block += bytes([len(name)]) + name.encode() + b"\7" + struct.pack(">H", len(value)) + value.encode()
    prelude = struct.pack(">II", 16 + len(block) + len(payload), len(block))
    body = prelude + struct.pack(">I", crc32(prelude)) + block + payload
    return body + struct.pack(">I", crc32(body))


def whose(error: StreamError) -> str:
    """ "provider" for an error that the provider reported, whatever kind it was sorted into; else our own kind."""
    return error.kind if error.kind in ("protocol", "limit", "aborted") else "provider"


def record_of(message: Message) -> dict[str, Any]:
    """A message in the schema of the expected results."""
    usage = message.usage
    return {
        "choices": [
            {
                "choice": choice.index,
                "text": choice.text,
                "reasoning_chars": len(choice.reasoning),
                "refusal": choice.refusal,
                "calls": [_call_record(call) for call in choice.calls],
                "finish": choice.finish,
                "finish_raw": list(choice.finish_raw),
            }
            for choice in message.choices
        ],
        "usage": usage and {"input": usage.input_tokens, "output": usage.output_tokens},
        "error": message.error and {"message": message.error.message, "kind": message.error.code or message.error.kind},
        "aborted": [[_call_record(call) for call in choice.calls] for choice in message.aborted],
    }


def _call_record(call: ToolCall) -> dict[str, Any]:
    usable = call.status in ("complete", "repaired") and call._parser is not None
    return {
        "id": call.vendor_id,
        "name": call.name,
        "arguments_text": None if call.encoded else call.buf,
        "arguments": call.arguments if usable else None,
        "kind": call.kind,
        "status": call.status,
        "executable": call.executable,
    }
