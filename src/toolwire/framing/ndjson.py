"""JSON lines, and documents one after the other without lines: pretty-printed or joined.

A document ends when its brackets balance, so it is delivered before its line end comes. Everything that
doesn't begin with a bracket (a string, a word, an HTML page) is delivered line by line.
"""

from __future__ import annotations

import re
from typing import Final

from toolwire.framing.documents import DocumentsFramer, skip

__all__ = ["JSONLinesFramer"]

_blanks: Final = re.compile(rb"[ \t\r\n]*+")


class JSONLinesFramer(DocumentsFramer):
    """Each document or other line is a frame."""

    __slots__ = ()

    def _begin(self, data: bytes, pos: int, base: int) -> int:
        pos = skip(_blanks, data, pos)
        if pos < len(data):
            if data[pos] in b"{[":
                self._document(base + pos)
            else:
                self._text(base + pos)
        return pos
