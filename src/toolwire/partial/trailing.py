"""Text after the finished document: white space, junk, a repeat, or a second document.

Theory. The text is read as a row of pieces with white space between them. A piece is held until it can be
told from all others:

| the piece | is |
|---|---|
| the document's own text again | a `resend` |
| an escaped white space | an `escaped_space` |
| three backticks | a `code_fence` |
| `{}`, or text that can't begin a JSON value | `trailing_junk`, which lasts until a `{` |
| anything else that begins a JSON value | a second document: the fault `concatenated`, never repaired |
| brackets and commas, and then a value | the document, with a bracket too many: a fault, never repaired |

All of it is kept apart from the document's text until a fault makes it part of the raw record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolwire.partial.repairs import Fault, FaultReason, Repair, RepairName
from toolwire.partial.tables import RECORDED

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["Trail", "stray"]

_SPACE: Final = " \t\n\r"
_DIGITS: Final = "0123456789"
_FENCE: Final = "```"
_WORDS: Final = ("true", "false", "null")
_JUNK: Final = "trailing_junk"
_SECOND: Final = "concatenated"
_STRAY: Final = "malformed"
_BENT: Final = " \t\n\r,]}"
_GOES_ON: Final = "the value goes on behind its last bracket"
_ENOUGH: Final = 8
"""No decision looks at more characters of a piece than these, a repeat aside."""


def stray(c: str, offset: int, *, container: bool) -> Fault:
    """The fault of a first character behind the document that no repair allows."""
    reason: FaultReason = _SECOND if container and (c in '{["' or c in _DIGITS) else _STRAY
    return Fault(reason, offset, _message(reason, c))


def _message(reason: FaultReason, c: str) -> str:
    if reason == _SECOND:
        return f"a second document begins behind the first, with {c!r}"
    return f"expected white space behind the value, found {c!r}"


class Trail:
    """What follows `text[start:end]`, a whole document, from the first character that isn't white space.

    `container` says that the document is an object or array, `obj` that its value is an object. `tail` is all
    the text that was fed; it begins at the offset `len(text)`.
    """

    __slots__ = (
        "_at",
        "_bent",
        "_container",
        "_document",
        "_end",
        "_junk",
        "_obj",
        "_on",
        "_pieces",
        "_repeats",
        "_start",
        "fault",
        "tail",
    )

    def __init__(
        self, repairs: Collection[str], text: str, start: int, end: int, *, container: bool, obj: bool
    ) -> None:
        self._on = repairs
        self._document = text
        self._start = start
        self._end = end
        self._container = container
        self._obj = obj
        self._pieces: list[tuple[RepairName, int]] = []
        self._at = -1
        self._junk = False
        self._bent = False  # the junk is only brackets and commas so far
        self._repeats = False
        self.tail = ""
        self.fault: Fault | None = None

    def feed(self, text: str) -> None:
        """Read a fragment. Sets `fault` when it turns out that no repair applies."""
        tail = self.tail
        i = len(tail)
        self.tail = ""
        tail += text
        self.tail = tail
        n = len(tail)
        while i < n and self.fault is None:
            if self._at >= 0:
                self._step(i)
            elif self._junk:
                if self._bent:
                    if tail[i] in _BENT:
                        i += 1
                        continue
                    self._bent = False
                    if tail[i] in '"[' or tail[i] in _DIGITS:
                        self.fault = Fault(_STRAY, len(self._document) + i, _GOES_ON)
                        return
                i = tail.find("{", i)
                if i < 0:
                    return
                self._begin(i)
            elif tail[i] not in _SPACE:
                self._begin(i)
            i += 1

    def end(self) -> None:
        """No more text will come: the piece that is held is what it looks like."""
        if self._at >= 0 and self.fault is None:
            self._decide(self.tail[self._at : self._at + _ENOUGH], final=True)

    def repairs(self) -> list[Repair]:
        """The pieces that were left out, each with the white space behind it, if no fault undid that."""
        if self.fault is not None:
            return []
        stop = self._at if self._at >= 0 else len(self.tail)
        bounds = [start for _, start in self._pieces[1:]] + [stop]
        offset = len(self._document)
        return [
            Repair(kind, offset + start, self.tail[start:end])
            for (kind, start), end in zip(self._pieces, bounds, strict=False)
        ]

    def _begin(self, i: int) -> None:
        self._at = i
        # Only text that shows where it ends can be told from its own repeat.
        self._repeats = "resend" in self._on and self._document[self._start] in '{["'
        self._step(i)

    def _step(self, i: int) -> None:
        """Judge the piece that ends with the character at `i`."""
        at = self._at
        size = i + 1 - at
        if self._repeats:
            if self._document[self._start + size - 1] == self.tail[i]:
                if size == self._end - self._start:
                    self._whole("resend")
                return
            self._repeats = False
        self._decide(self.tail[at : min(i + 1, at + _ENOUGH)], final=False)

    def _decide(self, piece: str, *, final: bool) -> None:
        c = piece[0]
        size = len(piece)
        if c == "\\" and "escaped_space" in self._on and (size == 1 or piece[1] in "ntr"):
            if size == 1 and not final:
                return
            if size == 2:
                self._whole("escaped_space")
                return
        if c == "`" and "code_fence" in self._on and _FENCE.startswith(piece):
            if size == len(_FENCE):
                self._whole("code_fence")
                return
            if not final:
                return
        if not (self._obj and "trailing_junk" in self._on):
            self.fault = stray(c, len(self._document) + self._at, container=self._container)
        elif c == "{":
            self._decide_brace(piece, final=final)
        elif c in '["' or c in _DIGITS:
            self._second(c)
        elif c == "-":
            if size > 1 and piece[1] in _DIGITS:
                self._second(c)
            elif size > 1 or final:
                self._begin_junk()
        else:
            self._decide_word(piece, final=final)

    def _decide_brace(self, piece: str, *, final: bool) -> None:
        if piece == "{}":
            self._whole(_JUNK)
        elif piece == "{" and not final:
            return
        elif self._junk and piece[1:2] != '"':
            # Prose has braces too; only what goes on like an object is one.
            self._begin_junk()
        else:
            self._second("{")

    def _decide_word(self, piece: str, *, final: bool) -> None:
        for word in _WORDS:
            if word == piece:
                self._second(piece[0])
                return
            if word.startswith(piece) and not final:
                return
        self._begin_junk()

    def _whole(self, kind: RepairName) -> None:
        if len(self._pieces) < RECORDED:
            self._pieces.append((kind, self._at))
        self._at = -1
        self._junk = False

    def _begin_junk(self) -> None:
        if not self._junk or self._pieces[-1][0] != _JUNK:
            if len(self._pieces) < RECORDED:
                self._pieces.append((_JUNK, self._at))
            self._bent = self.tail[self._at] in _BENT
        self._at = -1
        self._junk = True

    def _second(self, c: str) -> None:
        self.fault = Fault(_SECOND, len(self._document) + self._at, _message(_SECOND, c))
