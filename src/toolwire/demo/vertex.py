"""Vertex `streamFunctionCallArguments`: a nested booking sent as values at paths, strings in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolwire.demo.gemini import chunk
from toolwire.demo.pieces import fragments

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BOOKING", "partial"]

# In the order in which the provider sends keys: by the alphabet.
BOOKING: dict[str, Any] = {
    "budget": {"currency": "EUR", "limit": 2400.5},
    "flexible": True,
    "legs": [
        {"date": "2031-06-03", "from": "Wien Hbf", "seats": ["14A", "14B"], "to": "Venezia S.L."},
        {"date": "2031-06-09", "from": "Venezia S.L.", "seats": ["3C", "3D"], "to": "Zürich HB"},
    ],
    "notes": "Night train if there is one; quiet car, please.",
    "travellers": [
        {"age": 41, "name": "Ilse Brandt", "railcard": None},
        {"age": 9, "name": "Jonas Brandt", "railcard": "child"},
    ],
}


def _arguments(value: Any, path: str) -> Iterator[dict[str, Any]]:
    """The function call bodies that bring a value to its path."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _arguments(member, f"{path}.{key}")
    elif isinstance(value, list):
        for place, member in enumerate(value):
            yield from _arguments(member, f"{path}[{place}]")
            if isinstance(member, dict):
                yield {}
    elif isinstance(value, str):
        for piece in fragments(value, 2):
            yield {"partialArgs": [{"jsonPath": path, "stringValue": piece, "willContinue": True}]}
        yield {"partialArgs": [{"jsonPath": path, "stringValue": ""}]}
    elif isinstance(value, bool):
        yield {"partialArgs": [{"jsonPath": path, "boolValue": value}]}
    elif value is None:
        yield {"partialArgs": [{"jsonPath": path, "nullValue": "NULL_VALUE"}]}
    else:
        yield {"partialArgs": [{"jsonPath": path, "numberValue": value}]}


def partial() -> list[bytes]:
    """The whole answer."""
    start = {"functionCall": {"name": "book_trip", "willContinue": True}, "thoughtSignature": "ZGVtbyBzaWduYXR1cmU="}
    bodies = _arguments(BOOKING, "$")
    return [
        chunk([{"text": "I'm putting the trip together."}], output=7),
        chunk([start], output=9),
        *(chunk([{"functionCall": {**body, "willContinue": True}}], output=9) for body in bodies),
        chunk([{"functionCall": {}}], output=133),
        chunk([{"text": ""}], "STOP", 133),
    ]
