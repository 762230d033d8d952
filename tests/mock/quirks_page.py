"""Makes docs/mock-quirks.md: `PYTHONPATH=tests python tests/mock/quirks_page.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mock.test_quirks import ROWS, quirks
from support import ROOT

if TYPE_CHECKING:
    from mock.test_quirks import Row

PAGE = ROOT / "docs" / "mock-quirks.md"

_HEAD = """\
# Quirks of the mock provider

What real servers do otherwise than their wire says, for `toolwire.mock` to do on demand: `quirks=NAME,NAME` among a
request's settings. A quirk bends the frames of a good answer; where there is nothing to bend, it changes nothing.

Under "outcome" is what toolwire's own decoder makes of it, for an answer of text and two calls, `get_weather` and
`find` (and, where that matters, `now`, which has no arguments). "Healed" says that the turn ends with `tool_calls` and
that all of its calls are whole, have the right arguments and may be run. What else a turn ends with lets no call run.

Under "seen", `openai_shaped.md` and `other.md` are the references on the wires, by section: they lie beside the
recordings, which are not in this repository. Codes like `ARG-11` are reproductions of public bug reports, and
`name#123` is an issue or a pull request of that project. `quirks.md` tells of all that the decoders allow for.

Made from `tests/mock/test_quirks.py` by `PYTHONPATH=tests python tests/mock/quirks_page.py`; do not edit.
"""


def page() -> str:
    """The whole page."""
    rows = {(row.wire, row.quirk): row for row in ROWS}
    parts = [_HEAD]
    wire_before = ""
    for wire, name, quirk in quirks():
        if wire != wire_before:
            parts.append(f"\n## {wire}\n\n| quirk | what it does | seen | outcome |\n|---|---|---|---|\n")
            wire_before = wire
        cells = (f"`{name}`", quirk.does, quirk.seen, outcome(rows[wire, name]))
        parts.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |\n")
    return "".join(parts)


def outcome(row: Row) -> str:
    """A row's expectations in words."""
    calls = row.statuses
    if row.finish == "tool_calls" and row.error is None and len(row.running) == len(calls) > 0:
        repairs = sorted({reason for _, _, reason in calls if reason})
        said = "healed" + (f", with the recorded repair `{repairs[0]}`" if repairs else "")
        if row.values:
            said += ": the values have the characters that came"
    else:
        each = []
        for name, status, reason in calls:
            word = f"`{name}` {status}" + (f" (`{reason}`)" if reason else "")
            each.append(word + (", runs" if name in row.running else ""))
        said = "; ".join(each) or "no call"
        said += f"; turn `{row.finish}`"
        if row.error is not None:
            said += f", an error of kind `{row.error}`"
    said += f"; {row.note}" if row.note else ""
    return f"{said}. Not so yet: {row.pending}" if row.pending else said


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
