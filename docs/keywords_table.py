"""Makes docs/early-check.md of the table of keywords: `python docs/keywords_table.py`."""

from __future__ import annotations

from pathlib import Path

from toolwire.schema import KEYWORDS

PAGE = Path(__file__).with_name("early-check.md")

HEAD = """\
# When a keyword is judged early

Made by `python docs/keywords_table.py`. What a schema asks for that isn't here is left to the final check. "Early" is
before the value that it is about is whole. Nothing is said that the final check (jsonschema-rs, after the repairs that
are on) would not say too. A string that begins like an object or array, where one of these may be, waits for its end,
because it may be mended to be one.

| keyword | judged | when |
|---|---|---|
"""

WHEN = {"early": "early", "whole": "when the value is whole", "never": "not before the final check"}


TAIL = """
What of the official test suite is reported, and when: [file by file](early-check-suite.md).
"""


def page() -> str:
    """The page's text."""
    rows = [f"| `{name}` | {WHEN[keyword.when]} | {keyword.note} |" for name, keyword in KEYWORDS.items()]
    return HEAD + "\n".join(rows) + "\n" + TAIL


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
