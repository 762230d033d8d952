"""The page on keywords says what the table says."""

from __future__ import annotations

import importlib.util

from support import ROOT


def test_the_page_is_up_to_date() -> None:
    """If not: `python docs/keywords_table.py`."""
    spec = importlib.util.spec_from_file_location("keywords_table", ROOT / "docs" / "keywords_table.py")
    assert spec is not None
    assert spec.loader is not None
    table = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(table)
    assert table.PAGE.read_text(encoding="utf-8") == table.page()
