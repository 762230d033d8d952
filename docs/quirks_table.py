"""Write `docs/quirks.md` from `tests/quirks.py`: python docs/quirks_table.py"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT / "tests") not in sys.path:
    sys.path.insert(0, str(ROOT / "tests"))

from quirks import QUIRKS, Quirk  # noqa: E402

HEAD = """\
# Quirks

How servers stray from what one would expect of their wire, and the test that shows that each is taken right.

Made from `tests/quirks.py` by `python docs/quirks_table.py`; do not edit. `tests/test_quirks.py` checks that this page
is up to date and that all it refers to exists.

Under "covered by", `tests/…::name` is a test or a case in the test file (of a case made for several values, the name's
beginning). A file name is a recorded stream, which must decode to its expected result however it is cut; letters and a
number are a reproduction of a public bug report. Recordings and reproductions are not in this repository.
"""


def page() -> str:
    """The whole page."""
    missing = sum(not quirk.covered_by for quirk in QUIRKS)
    parts = [HEAD, f"{len(QUIRKS)} quirks, {missing} of them not covered.\n"]
    for wire, quirks in groupby(QUIRKS, key=lambda quirk: quirk.wire):
        rows = "\n".join(map(_row, quirks))
        parts.append(f"## {wire}\n\n| what | vendors | covered by |\n| --- | --- | --- |\n{rows}\n")
    return "\n".join(parts)


def _row(quirk: Quirk) -> str:
    cover = "<br>".join(f"`{reference.partition(':')[2]}`" for reference in quirk.covered_by) or "**not covered**"
    cells = (cell.replace("|", r"\|") for cell in (quirk.what, quirk.vendors, cover))
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    (ROOT / "docs" / "quirks.md").write_text(page(), encoding="utf-8")
