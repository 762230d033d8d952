"""What the tables of quirks are made with. A bend gets frames of its own, so it may change them where they stand."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeAlias

from toolwire.mock.quirks import Quirk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from toolwire.wire.encode.base import Frame

__all__ = ["Bend", "cut", "in_turns", "kind_of", "middle", "payloads", "quirk", "unended"]

Bend: TypeAlias = "Callable[[list[Frame]], list[Frame]]"


def quirk(table: dict[str, Quirk], name: str, does: str, seen: str) -> Callable[[Bend], Bend]:
    """Put a bend into a table. It is given frames that are its own, so it may change them where they stand."""

    def put(bend: Bend) -> Bend:
        table[name] = Quirk(does, seen, lambda frames: bend(deepcopy(frames)))
        return bend

    return put


def payloads(frames: Iterable[Frame]) -> Iterator[dict[str, Any]]:
    """The payloads that are objects."""
    return (payload for _, payload in frames if isinstance(payload, dict))


def kind_of(frame: Frame) -> str:
    """An event's type: what its payload says, or else its name."""
    event, payload = frame
    kind = payload.get("type") if isinstance(payload, dict) else None
    return kind if isinstance(kind, str) else event


def cut(text: str, pieces: int) -> list[str]:
    """A text in so many pieces of about one size; all of them but one are empty if it is shorter."""
    size = max(1, -(-len(text) // max(1, pieces)))
    return [text[start * size : (start + 1) * size] for start in range(max(1, pieces))]


def middle(places: list[int], count: int) -> int:
    """Where a stream of `count` frames breaks off: behind the first half of these, or of all if there are none."""
    return places[(len(places) - 1) // 2] + 1 if places else count // 2


def in_turns(runs: Iterable[list[Frame]]) -> list[Frame]:
    """Several runs of frames that take turns."""
    waiting = [list(run) for run in runs if run]
    out: list[Frame] = []
    while waiting:
        out += [run.pop(0) for run in waiting]
        waiting = [run for run in waiting if run]
    return out


def unended(frames: list[Frame], *ends: str) -> list[Frame]:
    """The frames without the events of these types."""
    return [frame for frame in frames if kind_of(frame) not in ends]
