from __future__ import annotations

import json
import time
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from toolwire.cli.view.values import CLOSED, Edge, compact, value_lines

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=20)
    | st.text("word \n", max_size=200),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(), max_size=8), inner, max_size=4)
    ),
    max_leaves=15,
)


def plain(value: Any, width: int = 60, limit: int = 40, levels: int = 0, *, tail: bool = False) -> list[str]:
    edge = Edge(levels)
    return [line.plain for line in value_lines(value, width=width, limit=limit, edge=edge, tail=tail)]


def test_keys_and_values() -> None:
    value = {"city": "Lisbon", "days": 3, "ok": True, "none": None, "odd key": [1, "x"], "e": {}}
    assert plain(value) == [
        'city: "Lisbon"',
        "days: 3",
        "ok: true",
        "none: null",
        '"odd key": [1, "x"]',
        "e: {}",
    ]


def test_what_does_not_fit_in_a_line_is_indented() -> None:
    value = {"legs": [{"from": "Wien Hauptbahnhof", "seats": ["14A", "14B"]}, {"from": "Venezia"}], "rest": [[1], [2]]}
    assert plain(value, 34) == [
        "legs:",
        '  - from: "Wien Hauptbahnhof"',
        '    seats: ["14A", "14B"]',
        '  - from: "Venezia"',
        "rest: [[1], [2]]",
    ]


def test_the_open_edge() -> None:
    assert plain({"a": 1, "city": "Lis"}, levels=2) == ["a: 1", 'city: "Lis▌']
    assert plain({"a": 1, "city": "Lis"}, levels=1) == ["a: 1", 'city: "Lis" ▌']
    assert plain({"a": {"b": [1, "x"]}}, levels=4) == ['a: {b: [1, "x▌']
    assert plain({"a": {"b": [1, "x"]}}, levels=2) == ['a: {b: [1, "x"] ▌']
    assert plain({"a": []}, levels=2) == ["a: [▌"]
    assert plain({"a": ["long enough to need a line", "another one"]}, 34, levels=2) == [
        "a:",
        '  - "long enough to need a line"',
        '  - "another one" ▌',
    ]


def test_a_long_string_shows_its_end_and_its_length() -> None:
    text = "\n".join(f"line {number}" for number in range(1, 41))
    assert plain({"content": text}, limit=5, levels=2) == [
        "content: (310 chars, 40 lines; its end:)",
        "  line 37",
        "  line 38",
        "  line 39",
        "  line 40▌",
    ]
    assert plain("two\nlines") == ["(9 chars, 2 lines)", "two", "lines"]


def test_a_value_that_is_no_object() -> None:
    assert plain([1, 2]) == ["- 1", "- 2"]
    assert plain(7) == ["7"]
    assert plain("text") == ['"text"']
    assert plain({}) == ["{}"]


def test_too_many_lines() -> None:
    value = {f"k{number}": number for number in range(10)}
    assert plain(value, limit=3) == ["k0: 0", "k1: 1", "⋮"]
    assert plain(value, limit=3, tail=True) == ["⋮", "k8: 8", "k9: 9"]
    assert plain(value, limit=0) == []


@given(values, st.integers(1, 70), st.integers(1, 12), st.integers(0, 4), st.booleans())
def test_any_value_fits_and_harms_nothing(value: Any, width: int, limit: int, levels: int, tail: bool) -> None:
    lines = value_lines(value, width=width, limit=limit, edge=Edge(levels), tail=tail)
    assert 1 <= len(lines) <= limit
    for line in lines:
        assert cell_len(line.plain) <= width
        line.plain.encode()
        assert "\x1b" not in line.plain
        assert "\n" not in line.plain
    assert cell_len(compact(value, width, Edge(levels)).plain) <= width


@given(values, st.integers(8, 70))
def test_both_ends_show_the_same_lines(value: Any, width: int) -> None:
    assert plain(value, width, 10_000) == plain(value, width, 10_000, tail=True)


def test_deep_and_large_values_cost_what_is_shown() -> None:
    deep: Any = "x"
    for _ in range(400):
        deep = {"k": [deep]}
    large = {f"key {number}": ["item"] * 1000 for number in range(100_000)}
    number = json.loads("1" * 4000)
    began = time.perf_counter()
    for value in (deep, large, number, {"n": 10**5000}):
        for tail in (False, True):
            assert len(value_lines(value, width=60, limit=10, tail=tail)) <= 10
        compact(value, 60, CLOSED)
    assert time.perf_counter() - began < 1
