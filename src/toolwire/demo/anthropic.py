"""Messages: thinking, text and one call whose form is filled in piece by piece."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolwire.demo.pieces import fragments, sse, words

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FORM", "form"]

FORM: dict[str, Any] = {
    "applicant": {
        "name": "Noor Vermeulen",
        "born": "1987-09-30",
        "address": {"street": "Kanaalkade 14-II", "postcode": "1017 AB", "city": "Amsterdam"},
        "contact": {"email": "noor@example.org", "phone": None},
    },
    "policy": {"kind": "bicycle", "start": "2031-05-01", "months": 24, "deductible": 50.0, "theft_cover": True},
    "items": [
        {"label": "cargo bike", "value": 4250, "frame_number": "NL-7731-0094"},
        {"label": "child seat", "value": 129.95, "frame_number": None},
    ],
    "consents": {"terms": True, "marketing": False},
    "remarks": "The bike is kept in a locked shed; the lock is certified.\nPlease send the papers by mail.",
}
_THOUGHT = "All fields of the application are known except for the phone number, so that one stays null."
_SAID = "Everything needed is here. I'm filling in the application now."


def _event(body: dict[str, Any]) -> bytes:
    return sse(body, body["type"])


def _block(index: int, block: dict[str, Any], deltas: list[dict[str, Any]]) -> Iterator[bytes]:
    yield _event({"type": "content_block_start", "index": index, "content_block": block})
    for place, delta in enumerate(deltas):
        yield _event({"type": "content_block_delta", "index": index, "delta": delta})
        if place % 40 == 1:
            yield _event({"type": "ping"})
    yield _event({"type": "content_block_stop", "index": index})


def form() -> list[bytes]:
    """The whole message."""
    message: dict[str, Any] = {
        "id": "msg_demo",
        "type": "message",
        "role": "assistant",
        "model": "demo-messages",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 918, "output_tokens": 2},
    }
    thinking = [{"type": "thinking_delta", "thinking": piece} for piece in words(_THOUGHT, 2)]
    signature = {"type": "signature_delta", "signature": "ZGVtbyBzaWduYXR1cmU="}
    text = [{"type": "text_delta", "text": piece} for piece in words(_SAID, 2)]
    written = json.dumps(FORM, ensure_ascii=False)
    call = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *fragments(written, 2))]
    tool = {"type": "tool_use", "id": "toolu_demo01T6vHq", "name": "submit_application", "input": {}}
    return [
        _event({"type": "message_start", "message": message}),
        *_block(0, {"type": "thinking", "thinking": "", "signature": ""}, [*thinking, signature]),
        *_block(1, {"type": "text", "text": ""}, text),
        *_block(2, tool, call),
        _event(
            {
                "type": "message_delta",
                "delta": {"stop_reason": "tool_use", "stop_sequence": None},
                "usage": {"output_tokens": 304},
            }
        ),
        _event({"type": "message_stop"}),
    ]
