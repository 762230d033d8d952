"""Streams to be watched: a recording played payload by payload, or a pipe followed as it comes.

Both hand over what is due within a given time, so that whoever draws can draw in between.
"""

from __future__ import annotations

import queue
import threading
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Protocol

from toolwire.cli.output import CommandError
from toolwire.cli.source import pieces
from toolwire.framing import AutoFramer

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["END", "Follow", "Player", "Replay", "payloads"]

END: Final = b""
"""Handed over once there is no more."""


class Player(Protocol):
    """A stream to be watched."""

    def next(self, timeout: float) -> bytes | None:
        """What is due within `timeout` seconds; None if nothing is, `END` at the end."""


def payloads(data: bytes) -> list[bytes]:
    """The bytes of a recording, cut where its payloads begin."""
    framer = AutoFramer()
    frames = [*framer.feed(data), *framer.end()]
    cuts = sorted({0, len(data), *(offset for _, _, offset in frames[1:])})
    return [data[start:end] for start, end in pairwise(cuts)]


class Replay:
    """Plays chunks at a pace: so many seconds from one to the next, 0 for all at once."""

    def __init__(self, chunks: Iterable[bytes], pace: float) -> None:
        self._chunks = iter(chunks)
        self._pace = pace
        self._due = time.monotonic()

    def next(self, timeout: float) -> bytes | None:
        """As in `Player`."""
        wait = self._due - time.monotonic()
        if wait > timeout:
            time.sleep(timeout)
            return None
        if wait > 0:
            time.sleep(wait)
        self._due += self._pace
        return next(self._chunks, END)


class Follow:
    """Follows a pipe. A thread reads it, a few pieces ahead at most, so that the view can tick while it is silent."""

    def __init__(self, name: str) -> None:
        self._pieces: queue.Queue[bytes | CommandError] = queue.Queue(maxsize=16)
        self._name = name
        threading.Thread(target=self._read, daemon=True).start()

    def next(self, timeout: float) -> bytes | None:
        """As in `Player`. Raises `CommandError` when the pipe can't be read."""
        try:
            piece = self._pieces.get(timeout=timeout)
        except queue.Empty:
            return None
        if isinstance(piece, CommandError):
            raise piece
        return piece

    def _read(self) -> None:
        try:
            for piece in pieces(self._name):
                self._pieces.put(piece)
        except CommandError as error:
            self._pieces.put(error)
        else:
            self._pieces.put(END)
