"""docs/mock.md says what is so, and its example works."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest
from mock.asking import WIRES
from mock.faults_page import PAGE, ROWS, outcome, page
from mock.test_server import FAULTS
from support import ROOT

from toolwire.mock.plan import REPORTED
from toolwire.mock.script import BUILT_IN
from toolwire.mock.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

TEXT = PAGE.read_text(encoding="utf-8")
SAFE = {"", "open", "chunk=7", "pings=2", "delay=1ms&jitter=1ms&ttfb=5ms&head=5ms", "drop=last", "eof=last"}


def test_the_table_of_faults_is_up_to_date() -> None:
    """If not: `PYTHONPATH=tests python tests/mock/faults_page.py`."""
    assert page(TEXT) == TEXT


@pytest.mark.parametrize("wire", WIRES)
def test_no_call_runs_in_a_turn_that_went_wrong(wire: str) -> None:
    for settings in ROWS:
        _, message = outcome(settings, wire)
        if settings in FAULTS:
            assert len(message.executable) == FAULTS[settings][2], settings
        elif settings not in SAFE:
            assert message.executable == (), settings
        if message.finish != "tool_calls":
            assert message.executable == (), settings


def first_cells(heading: str) -> list[str]:
    """What stands in the first column of a section's tables, in backticks."""
    section = TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)


def test_every_setting_is_explained() -> None:
    assert first_cells("Settings") == [each.name for each in fields(Settings)]
    row = next(line for line in TEXT.splitlines() if line.startswith("| `kind` | `overloaded`"))
    assert set(re.findall(r"`(\w+)`", row)) == {*REPORTED, "kind"}


def test_every_model_and_wire_is_named() -> None:
    assert first_cells("Answers that are made up") == [f"mock/{name}" for name in BUILT_IN]
    table = TEXT.partition("| wire | path |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)) == list(WIRES)


def test_the_example(tmp_path: Path) -> None:
    code = TEXT.partition("<!-- example -->\n```python\n")[2].partition("```")[0]
    (tmp_path / "test_agent.py").write_text(code, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout
