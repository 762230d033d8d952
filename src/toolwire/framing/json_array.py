"""One JSON array that comes in pieces: each element is a frame, as soon as it is whole.

Objects and lines before and after the array are frames too: a server that fails writes its error there.
"""

from __future__ import annotations

import re
from typing import Final

from toolwire.framing.base import MAX_EVENT_BYTES, Frame
from toolwire.framing.documents import DocumentsFramer, skip

__all__ = ["JSONArrayFramer"]

_blanks: Final = re.compile(rb"[ \t\r\n]*+")
_separators: Final = re.compile(rb"[ \t\r\n,]*+")
_scalar_end: Final = re.compile(rb"[ \t\r\n,\]]")


class JSONArrayFramer(DocumentsFramer):
    """Each element is a frame. Commas are skipped, not counted."""

    __slots__ = ("_array_offset", "_inside")

    def __init__(self, *, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        super().__init__(max_event_bytes=max_event_bytes)
        self._inside = False
        self._array_offset = 0

    def _begin(self, data: bytes, pos: int, base: int) -> int:
        pos = skip(_separators if self._inside else _blanks, data, pos)
        if pos == len(data):
            return pos
        first = data[pos : pos + 1]
        if self._inside:
            if first == b"]":
                self._inside = False
                return pos + 1
            if first in (b"{", b"[", b'"'):
                self._document(base + pos)
            else:
                self._text(base + pos, _scalar_end)
        elif first == b"[":
            self._inside = True
            self._array_offset = base + pos
            return pos + 1
        elif first == b"{":
            self._document(base + pos)
        else:
            self._text(base + pos)
        return pos

    def _finish(self, frames: list[Frame]) -> None:
        if self._inside and (self._brackets is not None or self._text_end is not None):
            self._cut_off(self._offset)
        elif self._inside:
            self._cut_off(self._array_offset, "an array")
        else:
            super()._finish(frames)
