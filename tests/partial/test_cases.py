"""The reported pathologies of partial JSON, each as it was streamed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from partial.kit import cut
from support import SHARED, needs_shared

from toolwire.partial import DEFAULT_REPAIRS, PartialJSON, RepairName

pytestmark = needs_shared

REPORTS = SHARED / "cases" / "reports.jsonl"
CASES: list[dict[str, Any]] = []
if REPORTS.is_file():
    with REPORTS.open(encoding="utf-8") as lines:
        CASES = [case for case in map(json.loads, lines) if case["provider_shape"] == "partial-json"]

STATES = {None: "closed", "error": "hopeless", "incomplete": "open"}


@pytest.mark.parametrize("repairs", [frozenset(), DEFAULT_REPAIRS], ids=["strict", "default"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any], repairs: frozenset[RepairName]) -> None:
    expected = case["expected"]
    views = {view["after"]: view["view"] for view in expected.get("views", ())}
    parser = PartialJSON(repairs=repairs)
    for count, chunk in enumerate(case["chunks"], 1):
        parser.feed(chunk)
        if count in views:
            assert parser.value == views[count]
    parser.end()
    assert parser.state == STATES[expected["finish"]]
    assert parser.repairs == ()
    if expected["calls"]:
        arguments = expected["calls"][0]["arguments"]
        assert parser.result() == arguments
        again = PartialJSON(repairs=repairs)
        for char in cut("".join(case["chunks"]), 1):
            again.feed(char)
        assert again.result() == arguments


def test_there_are_cases() -> None:
    assert len(CASES) >= 9
