"""The push scanner by itself: tokens, limits, offsets."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from partial.kit import all_cuts, cut, loads, read

from toolwire.partial import MISSING
from toolwire.partial.scanner import Scanner
from toolwire.partial.tables import DONE, HOPELESS, VALUE


def scan(*chunks: str, repairs: frozenset[str] = frozenset()) -> Scanner:
    scanner = Scanner(repairs, False, 512, 4300)
    at = 0
    for chunk in chunks:
        assert scanner.feed(chunk, at) == -1
        at += len(chunk)
    return scanner


VALID = (
    "{}",
    " [ ] ",
    '{"a":{"b":[{"c":[]},[],"",{"":0}]}}',
    "[0,-0,1,-1,10,1.5,0.25,1e2,1E+2,1e-2,-0.0e-0,123456789012345678901234567890]",
    "[true,false,null]",
    '["\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u00e9\\u4F60\\uD83D\\uDE00\\ud83d\\ude00"]',
    '["\\ud83d","\\ude00","\\ude00\\ud83d","\\ud83dx","\\ud83d\\n","\\ud83d\\ud83d\\ude00","\\ud83d\\u0041"]',
    '{"\\u0061\\n":1,"\\ud83d\\ude00":2,"\\ud83d":3}',
    '["\x7f\x80\u2028\ufeff\U0010ffff\ud83d\ude00é漢"]',
    '"alone"',
    " 12 ",
    "-0.5e1",
    "null",
    '{"a":1,"a":{"b":2},"a":"x"}',
    '{"pad":"' + "x" * 600 + '\\n\\u00e9","b":"' + "y" * 600 + '"}',
)


@pytest.mark.parametrize("text", VALID)
def test_valid_texts_however_they_are_cut(text: str) -> None:
    expected = repr(loads(text))
    chunkings = all_cuts(text) if len(text) < 300 else (cut(text, size) for size in (1, 5, 511, 512, 513, 9999))
    for chunks in chunkings:
        found = read(chunks)
        assert (found.value, found.state) == (expected, "closed")


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("x", 0),
        ("\ufeff{}", 0),
        ("]", 0),
        ("{]", 1),
        ("{1:2}", 1),
        ("{'a':1}", 1),
        ("[1,]", 3),
        ("[,1]", 1),
        ('{"a":1,}', 7),
        ('{"a"1}', 4),
        ('{"a":}', 5),
        ('{"a":1 "b":2}', 7),
        ('{"a":1;', 6),
        ("[1 2]", 3),
        ("[1}", 2),
        ('["a"}', 4),
        ("[tru]", 4),
        ("[truE]", 4),
        ("[truely]", 5),
        ("[True]", 1),
        ("[NaN]", 1),
        ("[-Infinity]", 2),
        ("[+1]", 1),
        ("[.5]", 1),
        ("[01]", 2),
        ("[-01]", 3),
        ("[1.]", 3),
        ("[1.e1]", 3),
        ("[1e]", 3),
        ("[1e+]", 4),
        ("[1.2.3]", 4),
        ("[1_0]", 2),
        ("[0x1]", 2),
        ("[１]", 1),
        ('["\\x"]', 3),
        ('["\\\'"]', 3),
        ('["\\u12g4"]', 6),
        ('["\\u 123"]', 4),
        ('["\\u-123"]', 4),
        ('["\\ud83d\\u12"]', 12),
        ('["\\ud83d\\q"]', 9),
        ('["a\x00b"]', 3),
        ('["a\nb"]', 3),
        ('["a\x1fb"]', 3),
        ('{"a\tb":1}', 3),
        ("[\x0b]", 1),
        ("[\xa01]", 1),
        ("[\u20281]", 1),
        ("[1/**/]", 2),
        ("12x", 2),
        ("1,", 1),
        ("1]", 1),
        ("1}", 1),
    ],
)
def test_a_fault_has_the_same_offset_however_the_text_is_cut(text: str, offset: int) -> None:
    whole = read([text])
    assert whole.fault is not None
    assert (whole.fault.reason, whole.fault.offset) == ("malformed", offset)
    for chunks in all_cuts(text):
        assert read(chunks) == whole


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a":"so far\x01', {"a": "so far"}),
        ('{"a":"so far\\q', {"a": "so far"}),
        ('{"a":[1,2,x', {"a": [1, 2]}),
        ('{"a":1.2.3', {}),
        ('{"a":01', {}),
        ('{"a":"\\ud83d\\q', {"a": "\ud83d"}),
        ('{"a":1}}', {"a": 1}),
    ],
)
def test_the_value_so_far_stays_readable(text: str, value: Any) -> None:
    for chunks in all_cuts(text):
        found = read([*chunks, "more, that is not read", '"}]'])
        assert (found.value, found.state) == (repr(value), "hopeless")


@pytest.mark.parametrize(
    "text", ["", " \n", "[", "{", '{"a', '{"a"', '{"a":', '{"a":1', '{"a":1,', '"a', "-", "1.", "1e", "tru"]
)
def test_a_text_that_just_stops_is_not_a_fault(text: str) -> None:
    found = read([text])
    assert found.fault is None
    assert found.state == ("open" if text.strip() else "empty")


def test_depth() -> None:
    for depth, state in ((3, "closed"), (4, "hopeless")):
        for text in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
            assert read(text, max_depth=3).state == state
    found = read(["[1,[[[2]]]]"], max_depth=3)
    assert found.fault is not None
    assert (found.fault.reason, found.fault.offset, found.value) == ("depth", 5, "[1, [[]]]")
    assert read("7", max_depth=0).state == "closed"
    assert read("[", max_depth=0).state == "hopeless"


@pytest.mark.parametrize("number", ["12345", "-12345", "1.2345", "1234e5", "-1.23e-45"])
def test_digits(number: str) -> None:
    assert read([f"[{number}]"], max_digits=5).state == "closed"
    for chunks in all_cuts(f"[{number}6]"):
        found = read(chunks, max_digits=5)
        assert found.fault is not None
        assert (found.fault.reason, found.fault.offset) == ("digits", 1 + len(number))
        assert found.value == "[]"


def test_the_interpreters_own_limit_on_digits_is_a_fault_too() -> None:
    assert read(["[" + "9" * 4300 + "]"]).state == "closed"
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        for chunks in (["[" + "9" * 641 + "]"], ["[", "9" * 641, "]"]):
            found = read(chunks)
            assert found.fault is not None
            assert (found.fault.reason, found.fault.offset) == ("digits", 1)
    finally:
        sys.set_int_max_str_digits(before)


def test_it_stops_behind_the_value() -> None:
    scanner = Scanner(frozenset(), False, 512, 4300)
    assert scanner.feed(' {"a":1} \n{', 0) == 10
    assert scanner.state == DONE
    assert scanner.feed(" ", 10) == -1
    assert scanner.feed("]", 11) == 0
    assert scanner.state == DONE


def test_the_holder_is_the_live_value() -> None:
    scanner = scan(" ")
    assert scanner.holder == [MISSING]
    assert scanner.state == VALUE
    scanner.feed('{"a":"x', 1)
    value = scanner.holder[0]
    scanner.feed('y","b":[', 8)
    assert scanner.holder[0] is value
    assert value == {"a": "xy", "b": []}


def test_duplicates_have_the_path_and_the_keys_offset() -> None:
    text = '{"a":[{"k":1,"k":2}],"\\u0061":3, "a":4}'
    expected = [(("a", 0, "k"), 13), (("a",), 21), (("a",), 33)]
    for chunks in all_cuts(text):
        assert [tuple(found) for found in read(chunks).duplicates] == expected


def test_hopeless_is_the_end() -> None:
    scanner = scan("[x", "]", "")
    assert scanner.state == HOPELESS
    assert scanner.fault == ("malformed", 1, "expected a value or ']', found 'x'")
    scanner.end()
    assert scanner.state == HOPELESS


def test_one_large_fragment_takes_no_more_than_linear_time() -> None:
    """Many strings with escapes in one fragment, none of which may look at the rest of it."""
    row = '{"a\\n":"b\\u00e9\\"c","d":"e\\\\"},'
    text = "[" + row * 5_000 + "0]"
    assert read([text]).value == repr(loads(text))
