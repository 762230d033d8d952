"""generateContent: thoughts, text, then two whole calls in one chunk; the first carries the turn's signature."""

from __future__ import annotations

from typing import Any

from toolwire.demo.pieces import sse

__all__ = ["CALLS", "chunk", "whole"]

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("find_recipes", {"ingredients": ["lentils", "spinach", "lemon"], "vegetarian": True, "max_minutes": 40}),
    (
        "add_to_list",
        {"list": "groceries", "items": [{"what": "red lentils", "grams": 500}, {"what": "lemon", "pieces": 2}]},
    ),
]
_THOUGHTS = (
    "The pantry lacks lentils and lemon. ",
    "Two calls will do: ",
    "one for recipes, one for the shopping list.",
)
_TEXTS = ("Let me find a recipe", " and put what is missing", " on your list.")


def chunk(parts: list[dict[str, Any]], finish: str = "", output: int = 0) -> bytes:
    """One response of the stream."""
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    usage = {"promptTokenCount": 164, "candidatesTokenCount": output, "totalTokenCount": 164 + output}
    body = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "demo-gemini", "responseId": "demo"}
    return sse(body, newline="\r\n")


def whole() -> list[bytes]:
    """The whole answer."""
    calls: list[dict[str, Any]] = [{"functionCall": {"name": name, "args": args}} for name, args in CALLS]
    calls[0]["thoughtSignature"] = "ZGVtbyBzaWduYXR1cmU="
    return [
        *(chunk([{"text": text, "thought": True}]) for text in _THOUGHTS),
        *(chunk([{"text": text}], output=6 * place) for place, text in enumerate(_TEXTS, 1)),
        chunk(calls, output=71),
        chunk([{"text": ""}], "STOP", 71),
    ]
