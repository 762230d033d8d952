"""What a mock says, and the events of saying it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from toolwire.accumulator import Accumulator
from toolwire.encoding import encode
from toolwire.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.call import CallKind, ToolCall
    from toolwire.events import Event, FinishReason

__all__ = ["Answer", "Call", "Part", "Reasoning", "Text", "events_of"]


@dataclass(frozen=True, slots=True)
class Text:
    """A run of text, or of a refusal."""

    text: str
    refusal: bool = False


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A run of reasoning, with the signature that closes it."""

    text: str
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. `arguments`: a value that is written as JSON, or a text that stands as it is, good or bad.

    `id`: None for one in the form of the provider. `extra`: fields that stand beside it.
    """

    name: str
    arguments: Any = None
    id: str | None = None
    kind: CallKind = "function"
    extra: dict[str, Any] | None = None

    @property
    def text(self) -> str:
        """The argument text."""
        if self.arguments is None:
            return "" if self.kind == "custom" else "{}"
        return self.arguments if isinstance(self.arguments, str) else encode(self.arguments)


Part = Text | Reasoning | Call


@dataclass(frozen=True, slots=True)
class Answer:
    """One turn of the model's.

    `finish`: None for what follows from the parts. `usage`: input and output tokens, None for none. `size`: characters
    per delta. `interleave`: the deltas of calls that stand side by side take turns, where the wire has an index for
    that.
    """

    parts: tuple[Part, ...] = ()
    finish: FinishReason | None = None
    usage: tuple[int, int] | None = (42, 17)
    size: int = 12
    interleave: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.size, int) or isinstance(self.size, bool) or self.size < 1:
            raise UsageError(f"size is a number of characters, at least 1, not {self.size!r}")


# The form of each provider's ids, before random digits.
_IDS = {
    "anthropic": "toolu_",
    "bedrock-converse": "tooluse_",
    "bedrock-invoke": "toolu_bdrk_",
}


def events_of(
    answer: Answer, wire: str, *, model: str, seed: int | str, cut_after: int | None = None
) -> tuple[list[Event], list[int]]:
    """The events of an answer, and the places among them where argument text begins a new piece.

    `cut_after`: the turn ends by its limit of length behind so many deltas.
    """
    rng = random.Random(f"{seed} ids")
    said = Accumulator(new_id=lambda: _digits(rng, 9) if wire == "mistral" else _IDS.get(wire, "call_") + _digits(rng))
    said.wire = "mock"
    said.begin(None, model)
    for deltas, _ in enumerate(_steps(answer, said)):
        if cut_after is not None and deltas >= cut_after:
            said.finish("length", "")
            break
    else:
        said.finish(answer.finish or ("tool_calls" if _calls(answer) else "stop"), "")
    if answer.usage is not None:
        counts = dict(zip(("input_tokens", "output_tokens"), answer.usage, strict=True))
        said.usage({}, **counts)
    said.terminate()
    events = said.take()
    return events, [place for place, event in enumerate(events) if event.type == "tool_call_delta"]


def _steps(answer: Answer, said: Accumulator) -> Iterator[None]:
    """Say it, and stop before each delta."""
    waiting: list[tuple[ToolCall, list[str]]] = []
    for place, part in enumerate(answer.parts):
        if isinstance(part, Call):
            follows = answer.parts[place + 1 : place + 2]
            pieces = _pieces(part.text, answer.size)
            if not answer.interleave:
                yield from _fill(said, [(_open(said, part, place), pieces)])
                continue
            waiting.append((_open(said, part, place), pieces))
            if not follows or not isinstance(follows[0], Call):
                yield from _fill(said, waiting)
                waiting = []
        elif isinstance(part, Reasoning):
            for piece in _pieces(part.text, answer.size):
                yield
                said.reasoning(piece)
            if part.signature:
                said.reasoning(signature=part.signature)
        else:
            for piece in _pieces(part.text, answer.size):
                yield
                (said.refusal if part.refusal else said.text)(piece)


def _open(said: Accumulator, part: Call, place: int) -> ToolCall:
    call = said.open(place, part.id or "", part.name, part.kind, free_text=part.kind == "custom")
    if call is None:
        raise UsageError("more calls in one answer than a stream may have")
    call._extra.update(part.extra or {})
    return call


def _fill(said: Accumulator, calls: list[tuple[ToolCall, list[str]]]) -> Iterator[None]:
    for pieces in zip_longest(*(pieces for _, pieces in calls)):
        for (call, _), piece in zip(calls, pieces, strict=True):
            if piece is not None:
                yield
                said.append(call, piece)
    for call, _ in calls:
        said.close(call)


def _calls(answer: Answer) -> bool:
    return any(isinstance(part, Call) and part.kind in ("function", "custom") for part in answer.parts)


def _pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def _digits(rng: random.Random, count: int = 24) -> str:
    return "".join(rng.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", k=count))
