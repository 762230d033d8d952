"""Every file of nst/JSONTestSuite, whole and in pieces of one and five characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from partial.kit import cut, loads, read
from support import SHARED, needs_shared

from toolwire.partial import MISSING

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_shared

SUITE = SHARED / "corpus" / "jsontestsuite"
FILES = sorted((*SUITE.glob("test_parsing/*.json"), *SUITE.glob("test_transform/*.json")))

NOT_UTF8 = frozenset(
    {
        "i_string_UTF-16LE_with_BOM.json",
        "i_string_UTF-8_invalid_sequence.json",
        "i_string_UTF8_surrogate_U+D800.json",
        "i_string_invalid_utf-8.json",
        "i_string_iso_latin_1.json",
        "i_string_lone_utf8_continuation_byte.json",
        "i_string_not_in_unicode_range.json",
        "i_string_overlong_sequence_2_bytes.json",
        "i_string_overlong_sequence_6_bytes.json",
        "i_string_overlong_sequence_6_bytes_null.json",
        "i_string_truncated-utf-8.json",
        "i_string_utf16BE_no_BOM.json",
        "i_string_utf16LE_no_BOM.json",
        "n_array_a_invalid_utf8.json",
        "n_array_invalid_utf8.json",
        "n_number_invalid-utf-8-in-bigger-int.json",
        "n_number_invalid-utf-8-in-exponent.json",
        "n_number_invalid-utf-8-in-int.json",
        "n_number_real_with_invalid_utf8_after_e.json",
        "n_object_lone_continuation_byte_in_key_and_trailing_comma.json",
        "n_string_invalid-utf-8-in-escape.json",
        "n_string_invalid_utf8_after_escape.json",
        "n_structure_incomplete_UTF8_BOM.json",
        "n_structure_lone-invalid-utf-8.json",
        "n_structure_single_eacute.json",
        "string_1_invalid_codepoint.json",
        "string_2_invalid_codepoints.json",
        "string_3_invalid_codepoints.json",
    }
)
"""Files whose bytes aren't UTF-8: to decode them isn't this parser's task, it takes str."""

TOO_DEEP = frozenset({"n_structure_100000_opening_arrays.json", "n_structure_open_array_object.json"})
"""Refused for their depth, before it shows that they never end."""


def decoded(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        return None


def test_the_suite_is_complete_and_the_exceptions_are_known() -> None:
    assert len(FILES) > 300
    assert {path.name for path in FILES if decoded(path) is None} == NOT_UTF8


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_file(path: Path) -> None:
    text = decoded(path)
    if text is None:
        assert path.name in NOT_UTF8
        return
    expected = loads(text)
    whole = read([text])
    assert (whole.state == "closed") == (expected is not MISSING)
    if expected is not MISSING:
        assert whole.value == repr(expected)
    if path.name.startswith("y_"):
        assert whole.state == "closed"
    if path.name.startswith("n_"):
        assert whole.state != "closed"
    assert (whole.fault is not None and whole.fault.reason == "depth") == (path.name in TOO_DEEP)
    assert read(cut(text, 1)) == whole
    assert read(cut(text, 5)) == whole
