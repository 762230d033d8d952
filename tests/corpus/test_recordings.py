"""Every recording decodes to its expected result, however its bytes are cut."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import (
    WIRES,
    byte_by_byte,
    cut,
    expected_records,
    merged,
    needs_shared,
    record_of,
    recording,
    run,
)

from toolwire import Message

RECORDS = expected_records(*WIRES)
IDS = [record["file"].rsplit("/", 1)[1] for record in RECORDS]

pytestmark = needs_shared

# Expectations that the bytes contradict, each with the reason.
WRONG: dict[str, str] = {}


def _compare(expected: dict[str, Any], got: dict[str, Any]) -> list[str]:
    """The fields that differ, as paths; fields with an alternative reading are left out."""
    loose = [_pattern(path) for path in expected.get("alternatives") or {}]
    if any(pattern.fullmatch("*") for pattern in loose):  # the alternative is to read nothing at all: we read
        loose = []
    differing: list[str] = []

    def differ(path: str, want: Any, have: Any) -> None:
        if want != have and not any(pattern.match(path) for pattern in loose):
            differing.append(f"{path}: expected {want!r}, got {have!r}")

    differ("usage", expected["usage"], got["usage"])
    differ("error", expected["error"], got["error"])
    differ("len(choices)", len(expected["choices"]), len(got["choices"]))
    for number, (want, have) in enumerate(zip(expected["choices"], got["choices"], strict=False)):
        where = f"choices[{number}]"
        for field in ("choice", "text", "reasoning_chars", "finish", "finish_raw"):
            differ(f"{where}.{field}", want[field], have[field])
        differ(f"{where}.refusal", want.get("refusal", ""), have["refusal"])
        differ(f"len({where}.calls)", len(want["calls"]), len(have["calls"]))
        for index, (call, mine) in enumerate(zip(want["calls"], have["calls"], strict=False)):
            for field in ("id", "name", "arguments_text", "arguments", "kind", "status"):
                differ(f"{where}.calls[{index}].{field}", call[field], mine[field])
            runs = call["kind"] in ("function", "custom") and call["status"] == "complete"
            differ(f"{where}.calls[{index}].executable", runs and want["finish"] == "tool_calls", mine["executable"])
    return differing


def _pattern(path: str) -> re.Pattern[str]:
    path = path if path.startswith(("choices", "*", "error")) else f"choices[0].{path}"
    return re.compile(re.escape(path).replace(r"\[\*\]", r"\[\d+\]"))


@pytest.mark.parametrize("record", RECORDS, ids=IDS)
def test_decodes_to_the_expected_result(record: dict[str, Any]) -> None:
    """Calls, text, reasoning, finish, usage and error are the expected ones; `auto` finds the wire."""
    data = recording(record)

    by_name = run([data], record["wire"])
    by_itself = run([data])

    assert _compare(record, record_of(Message.of(by_name))) == []
    assert merged(by_itself) == merged(by_name)


@pytest.mark.parametrize("record", RECORDS, ids=IDS)
def test_byte_by_byte(record: dict[str, Any]) -> None:
    """The smallest cuts give the same events."""
    data = recording(record)

    assert merged(run(byte_by_byte(data), record["wire"])) == merged(run([data], record["wire"]))


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_random_cuts(wire: str, data: st.DataObject) -> None:
    """Cuts anywhere give the same events."""
    record = data.draw(st.sampled_from([record for record in RECORDS if record["wire"] == wire]))
    bytes_ = recording(record)
    places = data.draw(st.lists(st.integers(0, len(bytes_)), max_size=30))

    assert merged(run(cut(bytes_, places))) == merged(run([bytes_]))
