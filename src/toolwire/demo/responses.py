"""Responses: a file of some sixty lines being written as one string argument."""

from __future__ import annotations

import json
from typing import Any

from toolwire.demo.pieces import fragments, sse

__all__ = ["PATH", "SOURCE", "file"]

PATH = "src/tides/almanac.py"
SOURCE = '''\
"""A tide almanac: when the water is high, and how high, at a few harbours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

LUNAR_DAY = timedelta(hours=24, minutes=50, seconds=28)
EPOCH = datetime(2031, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Harbour:
    """A place with its mean level and range in metres, and its lag in hours."""

    name: str
    level: float
    range: float
    lag: float


HARBOURS = {
    "Saint-Malo": Harbour("Saint-Malo", 6.8, 8.0, 6.1),
    "Tromsø": Harbour("Tromsø", 1.7, 2.1, 0.4),
    "境港": Harbour("境港", 0.3, 0.2, 3.2),
}


def height(harbour: Harbour, when: datetime) -> float:
    """The water's height in metres, by the main lunar term alone."""
    turns = (when - EPOCH) / (LUNAR_DAY / 2) - harbour.lag / 12.42
    return harbour.level + harbour.range / 2 * math.cos(2 * math.pi * turns)


def next_high(harbour: Harbour, after: datetime) -> datetime:
    """The first high water after a moment."""
    half = LUNAR_DAY / 2
    turns = (after - EPOCH) / half - harbour.lag / 12.42
    return EPOCH + half * (math.floor(turns) + 1 + harbour.lag / 12.42)


def gauge(metres: float, width: int = 30) -> str:
    """The height as a bar: "\\u2588\\u2588\\u2588 3.0 m"."""
    return "\\u2588" * round(metres / 12 * width) + f" {metres:.1f} m"


def main() -> None:
    now = EPOCH + timedelta(days=103, hours=7)
    print("harbour\\thigh water\\theight now")
    for harbour in HARBOURS.values():
        high = next_high(harbour, now).strftime("%H:%M")
        print(f"{harbour.name}\\t{high}\\t{gauge(height(harbour, now))}")


if __name__ == "__main__":
    main()
'''


class _Counted:
    """Events of a response, numbered."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []

    def add(self, kind: str, **fields: Any) -> None:
        self.chunks.append(sse({"type": kind, "sequence_number": len(self.chunks), **fields}, kind))


def _response(status: str, output: list[dict[str, Any]], usage: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "id": "resp_demo",
        "object": "response",
        "created_at": 1900000000,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": "demo-responses",
        "output": output,
        "usage": usage,
    }


def file() -> list[bytes]:
    """The whole response."""
    text = json.dumps({"path": PATH, "mode": "create", "content": SOURCE, "executable": False})
    item = {"id": "fc_demo", "type": "function_call", "call_id": "call_demo3JxTqLw8N", "name": "write_file"}
    events = _Counted()
    events.add("response.created", response=_response("in_progress", [], None))
    events.add("response.in_progress", response=_response("in_progress", [], None))
    started = {**item, "status": "in_progress", "arguments": ""}
    events.add("response.output_item.added", output_index=0, item=started)
    for piece in fragments(text, 4):
        events.add("response.function_call_arguments.delta", item_id="fc_demo", output_index=0, delta=piece)
    events.add("response.function_call_arguments.done", item_id="fc_demo", output_index=0, arguments=text)
    whole = {**item, "status": "completed", "arguments": text}
    events.add("response.output_item.done", output_index=0, item=whole)
    usage = {"input_tokens": 377, "output_tokens": 742, "total_tokens": 1119}
    events.add("response.completed", response=_response("completed", [whole], usage))
    return events.chunks
