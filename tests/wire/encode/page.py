"""Makes the tables of docs/encoders.md: `PYTHONPATH=tests python tests/wire/encode/page.py`. Needs `shared`."""

from __future__ import annotations

from collections import Counter

from support import ROOT, WIRES, expected_records, recording
from wire.encode.bad_ends import ENDS, described
from wire.encode.losses import LOSSES, expected

from toolwire import Message, Stream
from toolwire.wire.encode import ENCODERS

PAGE = ROOT / "docs" / "encoders.md"


def bad_ends() -> str:
    """What is written for each bad end, on each wire."""
    rows = [f"| how the turn ends | {' | '.join(ENCODERS)} |", "|---" * (len(ENCODERS) + 1) + "|"]
    for end in ENDS:
        rows.append(f"| {end.name} | {' | '.join(described(end, wire) for wire in ENCODERS)} |")
    return "\n".join(rows)


def losses() -> str:
    """What each wire can't say, and how many of the recordings have such a thing."""
    suffered: Counter[tuple[str, str]] = Counter()
    cases = expected_records(*WIRES)
    for case in cases:
        stream = Stream(case["wire"])
        message = Message.of([*stream.receive(recording(case)), *stream.end()])
        for wire in ENCODERS:
            suffered.update((name, wire) for name in expected(message, wire)[1])
    rows = [f"| what becomes of it | {' | '.join(ENCODERS)} |", "|---" * (len(ENCODERS) + 1) + "|"]
    for loss in LOSSES:
        cells = [str(suffered[loss.name, wire]) if wire in loss.wires else "" for wire in ENCODERS]
        rows.append(f"| {loss.says} | {' | '.join(cells)} |")
    return "\n".join(rows) + f"\n\nOf {len(cases)} recordings."


def page(text: str) -> str:
    """The page with its tables as they are now."""
    for name, table in (("bad ends", bad_ends()), ("losses", losses())):
        before, begin, rest = text.partition(f"<!-- {name} -->\n")
        _, end, behind = rest.partition(f"<!-- end of {name} -->")
        text = f"{before}{begin}{table}\n{end}{behind}"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
