"""The page on the official suite says what is so."""

from __future__ import annotations

from schema.suite_page import PAGE, page
from support import needs_shared


@needs_shared
def test_the_page_is_up_to_date() -> None:
    """If not: `PYTHONPATH=tests python tests/schema/suite_page.py`."""
    assert PAGE.read_text(encoding="utf-8") == page()
