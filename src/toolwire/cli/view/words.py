"""Text for a terminal: made harmless, cut to a width in cells, wrapped without jumping about."""

from __future__ import annotations

import re
from typing import Final

from rich.cells import cell_len, chop_cells, set_cell_size

__all__ = ["clean", "clip", "count", "seconds", "size", "tail_rows", "wrap"]

# What comes from a stream must not steer the terminal: controls are shown as pictures, direction marks as codes.
_HARMLESS: Final[dict[int, str | int]] = {
    **{code: 0x2400 + code for code in range(0x20)},
    **dict.fromkeys(range(0x7F, 0xA0), "\N{REPLACEMENT CHARACTER}"),
    **dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}"),
    **{
        code: f"\\u{code:04x}"
        for code in (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
    },
    0x09: "    ",
    0x7F: 0x2421,
}
_WORD = re.compile(r"\s*\S+|\s+\Z")
_LONG_LINE = 4000


def clean(text: str) -> str:
    """The text in one line, without anything that a terminal would obey."""
    return text.translate(_HARMLESS)


def clip(text: str, width: int) -> str:
    """At most `width` cells, an ellipsis where something was left out."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)).rstrip() + "…" if width > 0 else ""


def wrap(line: str, width: int) -> list[str]:
    """One line in rows of at most `width` cells, broken at spaces; its indentation stays."""
    width = max(width, 1)
    line = clean(line)
    if cell_len(line) <= width:
        return [line]
    if len(line) > _LONG_LINE:
        return chop_cells(line, width)
    rows: list[str] = []
    row = ""
    for word in _WORD.findall(line):
        if cell_len(row) + cell_len(word) <= width:
            row += word
            continue
        if row:
            rows.append(row)
            word = word.lstrip()
        *full, row = chop_cells(word, width) if word else [""]
        rows.extend(full)
    return [*rows, row]


def tail_rows(text: str, width: int, limit: int) -> list[str]:
    """The last rows of a text. Rows break where they broke before, so that growing text doesn't jump.

    Costs what is shown, not what came before.
    """
    rows: list[str] = []
    end = len(text) - text.endswith("\n")
    while len(rows) < limit:
        newline = text.rfind("\n", 0, end)
        start = newline + 1
        if end - start > _LONG_LINE:  # begin on a boundary that does not move while the line grows
            step = max(width, 1) * limit
            start += max((end - start) // step - 1, 0) * step
        rows[:0] = wrap(text[start:end].rstrip("\r"), width)
        if newline < 0:
            break
        end = newline
    return rows[-limit:] if limit > 0 else []


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 call", "1 234 chars"."""
    return f"{number:,} ".replace(",", "\N{NARROW NO-BREAK SPACE}") + (noun if number == 1 else plural or noun + "s")


def seconds(value: float) -> str:
    """A duration, to two or three figures."""
    if value < 10:
        return f"{value:.2f} s"
    if value < 100:
        return f"{value:.1f} s"
    return f"{int(value) // 60} min {int(value) % 60:02d} s"


def size(number: int) -> str:
    """A number of bytes."""
    if number < 1000:
        return f"{number} B"
    if number < 1_000_000:
        return f"{number / 1000:.1f} kB"
    return f"{number / 1_000_000:.1f} MB"
