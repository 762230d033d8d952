"""A live JSON value as readable lines: `key: value`, nested values indented, what is being written marked.

The work is bounded by what is shown. An `Edge` says how many levels from the outermost are still open: an open level
has no closing bracket or quote yet, and the innermost one carries the edge's mark.
"""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rich.cells import cell_len
from rich.text import Text

from toolwire.cli.view.words import clean, clip, count, tail_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CLOSED", "Edge", "compact", "value_lines"]

_KEY, _STRING, _NUMBER, _WORD, _QUIET = "cyan", "green", "magenta", "yellow", "dim"
_PLAIN_KEY = re.compile(r"[^\s\"':,{}\[\]\x00-\x1f\ud800-\udfff]{1,40}")
_MAX_DEPTH: Final = 8
_STRING_ROWS: Final = 12


class Edge(NamedTuple):
    """Where a value ends for now: how many levels are open, and the mark that stands there."""

    levels: int = 0
    mark: str = "▌"
    style: str = "bold bright_white"

    def within(self, *, last: bool) -> Edge:
        """The edge of a member: only the last one can be open."""
        return self._replace(levels=self.levels - 1) if last and self.levels > 0 else CLOSED


CLOSED: Final = Edge()


def value_lines(value: Any, *, width: int, limit: int, edge: Edge = CLOSED, tail: bool = False) -> list[Text]:
    """At most `limit` lines of at most `width` cells. With `tail` the last ones, else the first."""
    if limit <= 0:
        return []
    writer = _Writer(width, max(min(limit - 1, _STRING_ROWS), 1), tail)
    lines = list(islice(writer.lines(value, Text(), 0, edge, header=False), limit + 1))
    if len(lines) > limit:
        lines[limit - 1 :] = [Text("⋮", _QUIET)]
    if tail:
        lines.reverse()
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return lines


def compact(value: Any, width: int, edge: Edge = CLOSED) -> Text:
    """The value in one line of at most `width` cells, its end left out where there is no room."""
    line = _one_line(value, width, edge)[0]
    line.truncate(width, overflow="ellipsis")
    return line


class _Writer:
    """Writes a value's lines in order, or from the last to the first."""

    def __init__(self, width: int, string_rows: int, tail: bool) -> None:
        self.width = width
        self.string_rows = string_rows
        self.tail = tail

    def lines(self, value: Any, lead: Text, indent: int, edge: Edge, *, header: bool) -> Iterator[Text]:
        """`lead` is what stands before the value on its first line; `header` says that it is a key."""
        if isinstance(value, dict | list) and value:
            if header:
                line, whole = _one_line(value, self.width - cell_len(lead.plain) - 1, edge)
                if whole or indent >= 2 * _MAX_DEPTH:
                    yield lead + " " + line
                    return
            yield from self._container(value, lead, indent, edge, header=header)
        elif isinstance(value, str):
            yield from self._string(value, lead, indent, edge)
        else:
            yield (lead + " " if lead else lead) + _one_line(value, self.width, edge)[0]

    def _container(
        self, value: dict[str, Any] | list[Any], lead: Text, indent: int, edge: Edge, *, header: bool
    ) -> Iterator[Text]:
        if header and not self.tail:
            yield lead
        inner = indent + 2 if header else indent
        last = len(value) - 1
        for place, key, member in _members(value, backwards=self.tail):
            start = lead.copy() if place == 0 and not header else Text(" " * inner)
            mark = Text("-", _QUIET) if key is None else Text(f"{_key(key)}:", _KEY)
            if start and not start.plain.endswith(" "):
                start.append(" ")
            below = edge.within(last=place == last)
            lines = self.lines(member, start + mark, inner + (2 if key is None else 0), below, header=key is not None)
            if edge.levels == 1 and place == last:
                lines = self._marked(lines, edge)
            yield from lines
        if header and self.tail:
            yield lead

    def _marked(self, lines: Iterator[Text], edge: Edge) -> Iterator[Text]:
        """The mark goes behind the last line: where the next member will come."""
        made = list(islice(lines, 200))
        made[0 if self.tail else -1].append(f" {edge.mark}", edge.style)
        yield from made
        yield from lines

    def _string(self, value: str, lead: Text, indent: int, edge: Edge) -> Iterator[Text]:
        room = self.width - cell_len(lead.plain) - 1
        start = lead + " " if lead else lead
        if len(value) <= room and "\n" not in value:
            line = _one_line(value, room, edge)[0]
            if cell_len(line.plain) <= room:
                yield start + line
                return
        pad = " " * (indent + 2 if lead else indent)
        rows = tail_rows(value, self.width - len(pad) - 1, self.string_rows)
        lines = [Text(pad + row, _STRING) for row in rows]
        if edge.levels:
            lines[-1].append(edge.mark, edge.style)
        newlines = value.count("\n")
        about = count(len(value), "char") + (f", {count(newlines + 1, 'line')}" if newlines else "")
        hidden = len(value) > sum(map(len, rows)) + newlines
        lines.insert(0, start + Text(f"({about}; its end:)" if hidden else f"({about})", _QUIET))
        yield from reversed(lines) if self.tail else lines


def _members(value: dict[str, Any] | list[Any], *, backwards: bool) -> Iterator[tuple[int, str | None, Any]]:
    """Place, key (None in a list) and member."""
    places = range(len(value))
    order = reversed(places) if backwards else iter(places)
    if isinstance(value, list):
        for place in order:
            yield place, None, value[place]
    else:
        items = reversed(value.items()) if backwards else iter(value.items())
        for place, (key, member) in zip(order, items, strict=True):
            yield place, key, member


def _one_line(value: Any, width: int, edge: Edge) -> tuple[Text, bool]:
    """The value in one line, and whether that is all of it."""
    line = Text(no_wrap=True)
    cells = 0
    for piece, style in _pieces(value, max(width, 1), edge, 0):
        line.append(piece, style)
        cells += cell_len(piece)
        if cells > width:
            return line, False
    return line, True


def _pieces(value: Any, width: int, edge: Edge, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict | list):
        opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
        yield opening, _QUIET
        if depth > _MAX_DEPTH and value:
            yield "…", _QUIET
        else:
            last = len(value) - 1
            for place, key, member in _members(value, backwards=False):
                if place:
                    yield ", ", _QUIET
                if key is not None:
                    yield f"{_key(key)}: ", _KEY
                yield from _pieces(member, width, edge.within(last=place == last), depth + 1)
        if edge.levels == 1:
            yield (f" {edge.mark}" if value else edge.mark), edge.style
        elif not edge.levels:
            yield closing, _QUIET
    elif isinstance(value, str):
        yield clean(json.dumps(value[: width + 2], ensure_ascii=False)[:-1]), _STRING
        yield (edge.mark, edge.style) if edge.levels else ('"', _STRING)
    elif value is None or isinstance(value, bool):
        yield json.dumps(value), _WORD
    else:
        yield _number(value), _NUMBER


def _number(value: Any) -> str:
    try:
        return clean(str(value))
    except ValueError:  # more digits than the interpreter writes
        return "(a very long number)"


def _key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else clip(clean(json.dumps(key[:80], ensure_ascii=False)), 42)
