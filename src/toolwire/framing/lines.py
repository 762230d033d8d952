"""Sources that hand over lines without their line ends, as HTTP clients' `iter_lines` do."""

from __future__ import annotations

from typing import Final

import msgspec

__all__ = ["LineJoiner"]

_FIELDS: Final = (b"data:", b"event:", b"id:", b"retry:")
_BESIDE_NAME: Final = (b"data:", b"id:", b"retry:")  # an event has one name: a second is the rest of a cut one
_PATIENCE: Final = 4096  # bytes


class LineJoiner:
    """Tells lines from arbitrary cuts by the first pieces, and gives lines their ends back.

    A piece that holds a line end, or is no whole line, decides for cuts. Whole lines wait: a document decides, once
    another line follows it or has come before it, and so does the blank line between events.
    """

    __slots__ = ("_decided", "_held", "_lines", "_size")

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._size = 0
        self._decided = False
        self._lines = False

    def feed(self, piece: bytes) -> bytes:
        """The bytes to frame."""
        if self._decided:
            return piece + b"\n" if self._lines else piece
        held = self._held
        if not held and not piece:
            return b""
        fits = _whole_line(piece) and _may_follow(piece, held[-1] if held else b"")
        held.append(piece)
        self._size += len(piece)
        if piece and (not fits or self._size > _PATIENCE):
            return self._decide(lines=False)
        if len(held) > 1 and (not piece or _is_document(held[0]) or _is_document(piece)):
            return self._decide(lines=True)
        return b""

    def end(self) -> bytes:
        """What still waits."""
        return self._decide(lines=False)

    def _decide(self, *, lines: bool) -> bytes:
        held, self._held = self._held, []
        self._decided = True
        self._lines = lines
        return b"".join(piece + b"\n" for piece in held) if lines else b"".join(held)


def _may_follow(line: bytes, before: bytes) -> bool:
    """Whether a line can come behind another. What can't is the rest of one that was cut."""
    if not before:
        return True
    if before.startswith(b"{"):
        return line.startswith(b"{")
    return line.startswith(_BESIDE_NAME if before.startswith(b"event:") else _FIELDS)


def _is_document(line: bytes) -> bool:
    return line.startswith((b"data:", b"{"))


def _whole_line(line: bytes) -> bool:
    if b"\n" in line or b"\r" in line:
        return False
    if len(line) > 1 and line.startswith((b"event:", b":", b"id:", b"retry:")):
        return True
    if line.startswith(b"data:"):
        line = line[5:].strip()
    elif not line.startswith(b"{"):
        return False
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return line == b"[DONE]"
    return True
