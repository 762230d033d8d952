"""Where a JSON document ends, by its brackets alone, in one pass over bytes that come in pieces.

Brackets outside strings are counted, not matched: a document with the wrong closing bracket ends all the same
and its decoder reports it. The patterns jump from bracket to bracket; all repeats are possessive, so that
nothing is tried twice.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["Brackets", "Wholeness"]

_STRING_REST: Final = rb'[^"\\]*+(?:\\.[^"\\]*+)*+'
_string_rest: Final = re.compile(_STRING_REST, re.DOTALL)
_to_bracket: Final = re.compile(
    rb'[^"{}\[\]]*+(?:"' + _STRING_REST + rb'"[^"{}\[\]]*+)*+',
    re.DOTALL,
)
_QUOTE: Final = 0x22
_BACKSLASH: Final = 0x5C
_OPENING: Final = b"{["


def _past(pattern: re.Pattern[bytes], data: bytes, pos: int) -> int:
    match = pattern.match(data, pos)
    return match.end() if match else pos


class Brackets:
    """One document that begins with a bracket or a quote. `scan` is given each byte of it once."""

    __slots__ = ("_depth", "_escaped", "_quoted", "_started")

    def __init__(self) -> None:
        self._depth = 0
        self._quoted = False
        self._escaped = False
        self._started = False

    def scan(self, data: bytes, pos: int = 0) -> int:
        """The index just past the document's last byte, or -1 if it goes on after `data`."""
        size = len(data)
        if not self._started and pos < size:
            self._started = True
            if data[pos] == _QUOTE:
                self._quoted = True
                pos += 1
        while pos < size:
            if self._quoted:
                if self._escaped:
                    self._escaped = False
                    pos += 1
                pos = _past(_string_rest, data, pos)
                if pos == size:
                    break
                if data[pos] == _BACKSLASH:  # its partner is in the next piece
                    self._escaped = True
                    break
                self._quoted = False
                pos += 1
                if not self._depth:
                    return pos
                continue
            pos = _past(_to_bracket, data, pos)
            if pos == size:
                break
            byte = data[pos]
            pos += 1
            if byte == _QUOTE:
                self._quoted = True
            elif byte in _OPENING:
                self._depth += 1
            else:
                self._depth -= 1
                if self._depth <= 0:
                    return pos
        return -1


class Wholeness:
    """Is a text that comes in pieces exactly one whole document, white space around it allowed?"""

    __slots__ = ("_brackets", "_hopeless", "_over")

    def __init__(self) -> None:
        self._brackets: Brackets | None = None
        self._over = False
        self._hopeless = False

    @property
    def whole(self) -> bool:
        return self._over and not self._hopeless

    def feed(self, piece: bytes) -> None:
        if self._hopeless:
            return
        if self._brackets is None:
            piece = piece.lstrip()
            if not piece:
                return
            if piece[0] not in b'{["':
                self._hopeless = True
                return
            self._brackets = Brackets()
        if not self._over:
            end = self._brackets.scan(piece)
            if end < 0:
                return
            self._over = True
            piece = piece[end:]
        if piece and not piece.isspace():
            self._hopeless = True
