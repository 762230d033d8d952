"""Feeding a framer in pieces: the outcome must not depend on where the bytes are cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from toolwire.framing import Frame, Framer


class Outcome(NamedTuple):
    frames: list[Frame]
    fault: tuple[str, int | None, str] | None
    stray: bytes
    stray_offset: int | None


def run(make: Callable[[], Framer], pieces: Iterable[bytes]) -> Outcome:
    framer = make()
    frames: list[Frame] = []
    for piece in pieces:
        had = framer.fault
        new = framer.feed(piece)
        assert not (had and new), "frames after a fault"
        frames += new
    frames += framer.end()
    assert framer.end() == []
    fault = framer.fault
    seen = None if fault is None else (fault.kind, fault.offset, str(fault))
    return Outcome(frames, seen, framer.stray, framer.stray_offset)


def split(data: bytes, cuts: Iterable[int]) -> Iterator[bytes]:
    last = 0
    for cut in sorted({c % (len(data) + 1) for c in cuts}):
        yield data[last:cut]
        last = cut
    yield data[last:]


def single_bytes(data: bytes) -> list[bytes]:
    return [data[i : i + 1] for i in range(len(data))]


def run_every_way(make: Callable[[], Framer], data: bytes) -> Outcome:
    """The outcome of the whole, proved equal to that of single bytes and of every cut in two."""
    whole = run(make, [data])
    assert run(make, single_bytes(data)) == whole
    step = max(1, len(data) // 500)
    for cut in range(1, len(data), step):
        assert run(make, [data[:cut], data[cut:]]) == whole, cut
    return whole


random_cuts = st.lists(st.integers(0, 1 << 20), max_size=12)
