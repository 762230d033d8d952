"""Makes docs/early-check-suite.md: `PYTHONPATH=tests python tests/schema/suite_page.py`. Needs the folder `shared`."""

from __future__ import annotations

import json
from collections import Counter

from schema.following import DRAFTS, follow
from schema.test_suite import cases
from support import ROOT

from toolwire.schema import compile_schema

PAGE = ROOT / "docs" / "early-check-suite.md"

HEAD = """\
# The early check on the official test suite

Made by `tests/schema/suite_page.py`. Of the JSON Schema test suite, for each file and draft: how many instances are
invalid, how many of them are reported, and how many of those before the last character of the document had come. No
valid instance is ever reported. What isn't reported has keywords that are never judged, or refers to documents that
aren't there. An instance that is a number, or is wrong for what it lacks, can only be told of at its end.

| file | """


def page() -> str:
    """The page's text."""
    invalid: Counter[tuple[str, str]] = Counter()
    reported: Counter[tuple[str, str]] = Counter()
    early: Counter[tuple[str, str]] = Counter()
    for draft in DRAFTS:
        for case in cases(draft):
            if case.valid:
                continue
            text = json.dumps(case.document)
            found = follow(compile_schema(case.schema), text, root_waits=False)
            key = case.file.removesuffix(".json"), draft
            invalid[key] += 1
            reported[key] += bool(found)
            early[key] += bool(found) and found[0].offset < len(text)
    files = sorted({file for file, _ in invalid})

    def cell(key: tuple[str, str]) -> str:
        return f"{invalid[key]} / {reported[key]} / {early[key]}" if invalid[key] else ""

    def total(draft: str) -> str:
        sums = (sum(count for key, count in each.items() if key[1] == draft) for each in (invalid, reported, early))
        return " / ".join(map(str, sums))

    rows = [f"| `{file}` | " + " | ".join(cell((file, draft)) for draft in DRAFTS) + " |" for file in files]
    rows.append("| all | " + " | ".join(map(total, DRAFTS)) + " |")
    return HEAD + " | ".join(DRAFTS) + " |\n|---|" + "---|" * len(DRAFTS) + "\n" + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
