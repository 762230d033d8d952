"""JSONPath, as far as one path names one place: the singular queries of RFC 9535.

    $.user.tags[0]      $['user']["tags"][0]      $["a.b"]["say \\"hi\\""]      $

What could name several places or none (wildcards, slices, filters, unions, negative indexes, descendants) is
refused. One thing is wider than the RFC: a name behind a dot may hold any character that has no other meaning in a
path, so `$.scores.2024` and `$.x-api-key` are keys. An index stands only in brackets.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolwire.partial.changes import Path

__all__ = ["JSONPathError", "parse"]

_BLANK: Final = " \t\n\r"
_NAME: Final = re.compile(r"""[^\x00-\x20\x7f.,*?()\[\]'"\\]+""")
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,15}")  # up to the RFC's bound, 2**53 - 1, and little beyond
_PLAIN: Final = {"'": re.compile(r"[^'\\\x00-\x1f]+"), '"': re.compile(r'[^"\\\x00-\x1f]+')}
_UNIT: Final = re.compile(r"u([0-9a-fA-F]{4})")
_ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "/": "/", "\\": "\\"}


class JSONPathError(ValueError):
    """A text that is no path to a single place. `offset` is that of the first character that makes it so."""

    def __init__(self, path: str, offset: int, why: str) -> None:
        shown = path if len(path) <= 80 else path[:77] + "..."
        super().__init__(f"{shown!r} is no path to one value: {why} at {offset}")
        self.offset = offset


def parse(path: str) -> Path:
    """The keys and indexes a path goes through, `()` for the root. Raises `JSONPathError`."""
    if path[:1] != "$":
        raise JSONPathError(path, 0, "'$' expected")
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        at = _blanks(path, at)
        opener = path[at : at + 1]
        if opener == ".":
            name = _NAME.match(path, at + 1)
            if name is None:
                raise JSONPathError(path, at + 1, "a name expected")
            steps.append(name[0])
            at = name.end()
        elif opener == "[":
            step, at = _bracket(path, _blanks(path, at + 1))
            steps.append(step)
        else:
            raise JSONPathError(path, at, "'.' or '[' expected")
    return tuple(steps)


def _blanks(path: str, at: int) -> int:
    while at < len(path) and path[at] in _BLANK:
        at += 1
    return at


def _bracket(path: str, at: int) -> tuple[str | int, int]:
    """What stands in the brackets whose content begins at `at`, and where they end."""
    step: str | int
    if path[at : at + 1] in _PLAIN:
        step, at = _quoted(path, at)
    else:
        index = _INDEX.match(path, at)
        if index is None:
            raise JSONPathError(path, at, "an index from 0 or a quoted key expected")
        step = int(index[0])
        at = index.end()
    at = _blanks(path, at)
    if path[at : at + 1] != "]":
        raise JSONPathError(path, at, "']' expected")
    return step, at + 1


def _quoted(path: str, at: int) -> tuple[str, int]:
    quote = path[at]
    plain = _PLAIN[quote]
    pieces: list[str] = []
    at += 1
    while True:
        run = plain.match(path, at)
        if run is not None:
            pieces.append(run[0])
            at = run.end()
        c = path[at : at + 1]
        if c == quote:
            return "".join(pieces), at + 1
        if c != "\\":
            raise JSONPathError(path, at, f"{quote} expected")
        piece, at = _escape(path, at + 1, quote)
        pieces.append(piece)


def _escape(path: str, at: int, quote: str) -> tuple[str, int]:
    """The character of the escape whose backslash stands before `at`, and where it ends."""
    c = path[at : at + 1]
    if c == quote or c in _ESCAPES:
        return _ESCAPES.get(c, c), at + 1
    unit = _UNIT.match(path, at)
    if unit is None:
        raise JSONPathError(path, at, "no such escape")
    code = int(unit[1], 16)
    if not 0xD800 <= code <= 0xDFFF:
        return chr(code), unit.end()
    low = _UNIT.match(path, unit.end() + 1) if path[unit.end() : unit.end() + 1] == "\\" else None
    if code > 0xDBFF or low is None or not 0xDC00 <= int(low[1], 16) <= 0xDFFF:
        raise JSONPathError(path, at, "half a surrogate pair")
    return chr(0x10000 + ((code - 0xD800) << 10) + (int(low[1], 16) - 0xDC00)), low.end()
