"""Chat Completions: parallel calls in fragments, a turn that is cut off, and one that won't end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolwire.demo.pieces import fragments, sse, words

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ORDERS", "QUESTIONS", "cut", "parallel", "runaway"]

QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("get_weather", {"city": "Lisbon", "days": 3, "unit": "celsius"}),
    ("get_weather", {"city": "São Paulo", "days": 3, "unit": "celsius"}),
    (
        "search_flights",
        {"from": "LIS", "to": "GRU", "date": "2031-04-12", "cabin": ["economy", "premium"], "max_stops": 1},
    ),
]
ORDERS = {
    "table": "invoices",
    "rows": [
        {"number": "2031-0117", "customer": "Bakery Amsel", "total": 184.5, "paid": True},
        {"number": "2031-0118", "customer": "Harbour Books", "total": 62.0, "paid": False},
        {"number": "2031-0119", "customer": "Studio Lindqvist", "total": 1290.75, "paid": False},
    ],
    "on_conflict": "update",
}


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    return sse(
        {
            "id": "chatcmpl-demo",
            "object": "chat.completion.chunk",
            "created": 1900000000,
            "model": "demo-chat",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }
    )


def _end(prompt: int, completion: int) -> list[bytes]:
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    head = {"id": "chatcmpl-demo", "object": "chat.completion.chunk", "created": 1900000000, "model": "demo-chat"}
    return [sse({**head, "choices": [], "usage": usage}), b"data: [DONE]\n\n"]


def _call(index: int, call_id: str, name: str, text: str) -> Iterator[bytes]:
    first = {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
    yield _chunk({"tool_calls": [first]})
    for fragment in fragments(text):
        yield _chunk({"tool_calls": [{"index": index, "function": {"arguments": fragment}}]})


def parallel() -> list[bytes]:
    """A little text, then three calls."""
    chunks = [_chunk({"role": "assistant", "content": ""})]
    said = "I'll compare the weather in both cities and look for a flight."
    chunks += [_chunk({"content": piece}) for piece in words(said)]
    for index, (name, arguments) in enumerate(QUESTIONS):
        text = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
        chunks += _call(index, f"call_demo{index}Qz7Lk3VtP", name, text)
    return [*chunks, _chunk({}, "tool_calls"), *_end(212, 97)]


def cut() -> list[bytes]:
    """One call whole and one that the token limit cuts off in the middle of its rows."""
    chunks = [_chunk({"role": "assistant", "content": ""})]
    chunks += [_chunk({"content": piece}) for piece in words("I'll open the ledger and enter the three invoices.")]
    chunks += _call(0, "call_demo8WmR2xYcD", "open_ledger", '{"year":2031,"read_only":false}')
    text = json.dumps(ORDERS, ensure_ascii=False)
    chunks += _call(1, "call_demo5HnB9sKfT", "upsert_rows", text[: text.index("Lindqvist")])
    return [*chunks, _chunk({}, "length"), *_end(148, 128)]


def runaway() -> list[bytes]:
    """A call in which the model gets stuck and writes the same again and again, until the token limit."""
    chunks = [_chunk({"role": "assistant", "content": ""})]
    text = '{"title": "Minutes", "body": "We met at nine, and then we met again' + ", and then we met again" * 150
    first = {"index": 0, "id": "call_demo3JvT6yLdE", "type": "function"}
    chunks.append(_chunk({"tool_calls": [{**first, "function": {"name": "write_minutes", "arguments": ""}}]}))
    pieces = ({"index": 0, "function": {"arguments": fragment}} for fragment in fragments(text, 4))
    chunks += [_chunk({"tool_calls": [piece]}) for piece in pieces]
    return [*chunks, _chunk({}, "length"), *_end(96, 1024)]
