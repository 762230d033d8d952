"""Sources that hand over lines without their line ends, as HTTP clients' `iter_lines` do."""

from __future__ import annotations

from typing import Final

import msgspec

__all__ = ["LineJoiner"]

_FIELDS: Final = (b"data:", b"event:", b"id:", b"retry:")
_BESIDE_NAME: Final = (b"data:", b"id:", b"retry:")  # an event has one name: a second is the rest of a cut one


class LineJoiner:
    """Tells lines from arbitrary cuts by the first two pieces, and gives lines their ends back.

    A first piece that holds a line end, or is no whole line, decides for cuts. A whole line waits for the second piece:
    if that is another whole line, or the blank one between events, the source hands over lines.
    """

    __slots__ = ("_decided", "_held", "_lines")

    def __init__(self) -> None:
        self._held = b""
        self._decided = False
        self._lines = False

    def feed(self, piece: bytes) -> bytes:
        """The bytes to frame."""
        if self._decided:
            return piece + b"\n" if self._lines else piece
        if not self._held:
            if b"\n" in piece or b"\r" in piece or not _whole_line(piece):
                self._decided = bool(piece)
                return piece
            self._held = piece
            return b""
        self._decided = True
        held, self._held = self._held, b""
        following = b"{" if held.startswith(b"{") else _BESIDE_NAME if held.startswith(b"event:") else _FIELDS
        begins = piece.startswith(following)
        self._lines = not piece or (begins and _whole_line(piece))
        return held + b"\n" + piece + b"\n" if self._lines else held + piece

    def end(self) -> bytes:
        """What still waits."""
        held, self._held = self._held, b""
        return held


def _whole_line(line: bytes) -> bool:
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
