from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from toolwire.cli.view.words import clean, clip, count, seconds, size, tail_rows, wrap

text = st.text(st.characters(), max_size=60)


@given(text)
def test_clean_text_steers_no_terminal(value: str) -> None:
    cleaned = clean(value)
    cleaned.encode()
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 or char in "\u202e\u2066\u2028" for char in cleaned)


@given(text, st.integers(0, 30))
def test_clipped_text_fits(value: str, width: int) -> None:
    assert cell_len(clip(clean(value), width)) <= width


@given(text, st.integers(2, 30))
def test_wrapped_rows_fit_and_lose_nothing_but_spaces(value: str, width: int) -> None:
    rows = wrap(value, width)
    assert all(cell_len(row) <= width for row in rows)
    assert "".join("".join(rows).split()) == "".join(clean(value).split())


def test_indentation_stays() -> None:
    assert wrap("    if x:", 20) == ["    if x:"]
    assert wrap("    return a_long_name", 16) == ["    return", "a_long_name"]


@given(st.text("ab c\n日", max_size=120), st.integers(2, 12), st.integers(1, 5))
def test_the_tail_is_the_end_of_the_whole(value: str, width: int, limit: int) -> None:
    whole = [row for line in value.removesuffix("\n").split("\n") for row in wrap(line, width)]
    assert tail_rows(value, width, limit) == whole[-limit:]


@given(st.text("ab c\n", max_size=80), st.text("ab c", min_size=1, max_size=5))
def test_rows_that_were_full_do_not_move(value: str, more: str) -> None:
    before, after = (tail_rows(text, 10, 1000) for text in (value, value + more))
    if not value.endswith(("\n", " ")) and value:
        assert after[: len(before) - 1] == before[:-1]


def test_a_huge_line_costs_what_is_shown() -> None:
    value = "x" * 5_000_000
    rows = tail_rows(value, 70, 8)
    assert [len(row) for row in rows[:-1]] == [70] * 7
    grown = tail_rows(value + "yy", 70, 8)
    assert grown[-1].endswith("yy")


def test_numbers() -> None:
    assert count(1, "call") == "1 call"
    assert count(12345, "char") == "12\N{NARROW NO-BREAK SPACE}345 chars"
    assert [seconds(value) for value in (0.1234, 12.34, 131)] == ["0.12 s", "12.3 s", "2 min 11 s"]
    assert [size(value) for value in (999, 1234, 5_400_000)] == ["999 B", "1.2 kB", "5.4 MB"]
