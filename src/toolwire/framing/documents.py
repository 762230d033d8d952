"""The engine of the framings that are JSON documents one after the other.

    BETWEEN  --a document begins-->  DOCUMENT  --its brackets balance-->  BETWEEN
    BETWEEN  --anything else------>  TEXT      --its end is seen------->  BETWEEN

What counts as white space between documents, what begins one and what ends a text is the framing's own:
`_begin` looks at the first bytes and chooses. Text is delivered as it is, so that the caller can report it.
"""

from __future__ import annotations

import re
from typing import Final

from toolwire.framing.base import MAX_EVENT_BYTES, BaseFramer, Frame
from toolwire.framing.brackets import Brackets

__all__ = ["DocumentsFramer", "skip"]

_line_end: Final = re.compile(rb"[\r\n]")


def skip(pattern: re.Pattern[bytes], data: bytes, pos: int) -> int:
    """The position after what `pattern` matches at `pos`."""
    match = pattern.match(data, pos)
    return match.end() if match else pos


class DocumentsFramer(BaseFramer):
    """`_brackets` is set inside a document, `_text_end` inside a text, neither between them."""

    __slots__ = ("_brackets", "_held", "_offset", "_text_end")

    def __init__(self, *, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        super().__init__(max_event_bytes=max_event_bytes)
        self._brackets: Brackets | None = None
        self._text_end: re.Pattern[bytes] | None = None
        self._held = bytearray()
        self._offset = 0

    def _begin(self, data: bytes, pos: int, base: int) -> int:
        """Skip what is between documents from `pos` on, then call `_document` or `_text` if one begins."""
        raise NotImplementedError

    def _document(self, offset: int) -> None:
        self._brackets = Brackets()
        self._offset = offset

    def _text(self, offset: int, end: re.Pattern[bytes] = _line_end) -> None:
        self._text_end = end
        self._offset = offset

    def _read(self, data: bytes, frames: list[Frame]) -> None:
        base = self._pos
        size = len(data)
        self._pos = base + size
        pos = 0
        while pos < size:
            if self._brackets is not None:
                end = self._brackets.scan(data, pos)
            elif self._text_end is not None:
                match = self._text_end.search(data, pos)
                end = match.start() if match else -1
            else:
                pos = self._begin(data, pos, base)
                continue
            stop = size if end < 0 else end
            if len(self._held) + stop - pos > self.max_event_bytes:
                self._too_big(self._offset)
                return
            if end < 0:
                self._held += data[pos:]
                return
            self._deliver(data[pos:end], frames)
            pos = end

    def _deliver(self, last: bytes, frames: list[Frame]) -> None:
        data = last
        if self._held:
            self._held += last
            data = bytes(self._held)
            self._held.clear()
        if self._text_end is not None:
            data = data.rstrip()
        frames.append(("", data, self._offset))
        self._brackets = None
        self._text_end = None

    def _finish(self, frames: list[Frame]) -> None:
        if self._brackets is not None:
            self._cut_off(self._offset)
        elif self._text_end is not None:
            if self._held.startswith(b'"') and Brackets().scan(bytes(self._held)) < 0:
                self._cut_off(self._offset)
            else:
                self._deliver(b"", frames)

    def _close(self) -> None:
        super()._close()
        self._held.clear()
        self._brackets = None
        self._text_end = None
