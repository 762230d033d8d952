"""OpenAI Chat Completions: chunks to a `chat.completion`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.wire.encode.base import Frame

__all__ = ["fold"]

_CHUNK: Final = "chat.completion.chunk"

# What grows piece by piece: text by the piece, lists by their entries.
_TEXTS: Final = ("content", "refusal", "reasoning_content")
_NAMED: Final = ("function", "custom")


def fold(frames: Iterable[Frame]) -> dict[str, Any]:
    """The completion that chunks come to. Content and refusal are null where there is none."""
    body: dict[str, Any] = {}
    choices: dict[int, _Choice] = {}
    for _, chunk in frames:
        if not isinstance(chunk, dict) or chunk.get("object") != _CHUNK or not isinstance(chunk.get("choices"), list):
            continue  # the terminator, or what is passed on
        if not body:
            head = {key: value for key, value in chunk.items() if key != "choices"}
            body = {**head, "object": "chat.completion", "choices": []}
        for each in chunk["choices"]:
            choices.setdefault(each["index"], _Choice(each["index"])).take(each)
        if chunk.get("usage") is not None:
            body["usage"] = chunk["usage"]
    body["choices"] = [choices[index].whole() for index in sorted(choices)]
    return body


class _Choice:
    """One choice, as far as it has come."""

    def __init__(self, index: int) -> None:
        self._index = index
        self._texts: dict[str, list[str]] = {}
        self._details: list[Any] = []
        self._calls: dict[int, dict[str, Any]] = {}
        self._pieces: dict[int, list[str]] = {}
        self._reason: str | None = None

    def take(self, choice: dict[str, Any]) -> None:
        """Its part of a chunk."""
        delta = choice["delta"]
        self._reason = choice["finish_reason"] or self._reason
        for field in _TEXTS:
            if delta.get(field):
                self._texts.setdefault(field, []).append(delta[field])
        self._details += delta.get("reasoning_details", ())
        for entry in delta.get("tool_calls", ()):
            self._call(dict(entry))

    def whole(self) -> dict[str, Any]:
        """The choice."""
        message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
        message.update((field, "".join(pieces)) for field, pieces in self._texts.items())
        if self._details:
            message["reasoning_details"] = self._details
        for index, call in self._calls.items():
            kind = call["type"]
            call[kind]["input" if kind == "custom" else "arguments"] = "".join(self._pieces[index])
        if self._calls:
            message["tool_calls"] = list(self._calls.values())
        return {"index": self._index, "message": message, "logprobs": None, "finish_reason": self._reason}

    def _call(self, entry: dict[str, Any]) -> None:
        index = entry.pop("index")
        pieces = self._pieces.setdefault(index, [])
        for kind in _NAMED:
            named = dict(entry.pop(kind, ()))
            pieces += [piece for field in ("arguments", "input") if (piece := named.pop(field, ""))]
            if named:
                entry[kind] = named
        self._calls.setdefault(index, {}).update(entry)
