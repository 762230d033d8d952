"""The seven promises of `PartialJSON`, one property each."""

from __future__ import annotations

import json
import sys
import tracemalloc
from typing import Any

import jiter
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from partial.kit import VALUES, cut, cuts, documents, extends, loads, outcome, read, texts

from toolwire.partial import DEFAULT_REPAIRS, MISSING, PartialJSON, RepairName, replay
from toolwire.partial.tables import NUM

EVERY: frozenset[RepairName] = DEFAULT_REPAIRS | {
    "trailing_comma",
    "code_fence",
    "single_quotes",
    "python_literals",
}


@given(texts())
@example("")
@example("[1e999,-0,-0.0,1E2,1e-2]")
@example('{"a":1,"b":2,"a":[]}')
@example('"\\ud83d\\u0041\\ude00\\ud83d\\ud83d\\ude00\\"')
@example('"\\ud83d\ude00"')
@example("NaN")
@example("[-Infinity]")
def test_1_value_and_verdict_are_those_of_json_loads(text: str) -> None:
    expected = loads(text)
    found = read([text])
    assert (found.state == "closed") == (expected is not MISSING)
    if found.state == "closed":
        assert found.value == repr(expected)


@given(texts(), st.data())
@example('{"a":"x\\ud83d"', None)
@example('{"a":"\\u00e"}', None)
def test_2_the_result_does_not_depend_on_the_cuts(text: str, data: st.DataObject | None) -> None:
    whole = read([text])
    assert read(text) == whole
    for size in (2, 3, 7):
        assert read(cut(text, size)) == whole
    if data is not None:
        assert read(data.draw(cuts(st.just(text)))) == whole


@given(texts(), st.sampled_from([EVERY - {"resend"}, DEFAULT_REPAIRS - {"resend"}]))
@example('{"a":1}nul', DEFAULT_REPAIRS - {"resend"})
@example('"{\\"a\\":1} x"', DEFAULT_REPAIRS - {"resend"})
@example('"{x"', DEFAULT_REPAIRS - {"resend"})
def test_2_nor_does_it_with_repairs(text: str, repairs: frozenset[RepairName]) -> None:
    whole = read([text], repairs=repairs)
    for size in (1, 2, 3, 7):
        assert read(cut(text, size), repairs=repairs) == whole


@given(cuts(texts()), st.sampled_from([frozenset(), EVERY - {"double_encoded"}]))
def test_3_what_is_shown_only_grows(chunks: list[str], repairs: frozenset[RepairName]) -> None:
    parser = PartialJSON(repairs=repairs)
    shown: Any = MISSING
    for chunk in chunks:
        parser.feed(chunk)
        if parser.duplicates:
            return
        assert extends(shown, parser.value)
        shown = parser.snapshot()
    parser.end()
    assert parser.duplicates or extends(shown, parser.value)


def test_3_a_repeated_key_is_the_exception_and_is_reported() -> None:
    parser = PartialJSON()
    parser.feed('{"a":{"b":1,"b":')
    assert parser.value == {"a": {"b": 1}}
    parser.feed('"x')
    assert parser.value == {"a": {"b": "x"}}
    assert parser.duplicates == ((("a", "b"), 12),)


@given(documents())
def test_4_a_key_comes_with_its_values_type_and_halves_are_withheld(text: str) -> None:
    """Every prefix shows what another incremental parser shows, but for numbers that may go on."""
    if "\\ud" in text or any("\ud800" <= c <= "\udfff" for c in text):
        return
    parser = PartialJSON()
    for end, char in enumerate(text, 1):
        parser.feed(char)
        if parser.value is MISSING or parser.duplicates or parser._scanner.state == NUM:
            continue
        peer = jiter.from_json(text[:end].encode(), partial_mode="trailing-strings", float_mode="float")
        assert repr(parser.value) == repr(peer)


def test_4_halves_are_withheld_until_they_are_decided() -> None:
    shown: list[Any] = []
    parser = PartialJSON()
    for char in '{"k":"a\\ud83d\\ude00\\u00e9\\ud83dx\\n"':
        parser.feed(char)
        if not shown or shown[-1] != parser.value:
            shown.append(parser.snapshot())
    strings = ["", "a", "a😀", "a😀é", "a😀é\ud83dx", "a😀é\ud83dx\n"]
    assert shown == [{}, *({"k": s} for s in strings)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a"', {}),
        ('{"a":', {}),
        ('{"a":"', {"a": ""}),
        ('{"a":[', {"a": []}),
        ('{"a":{"b', {"a": {}}),
        ('{"a":12', {}),
        ('{"a":tru', {}),
        ('{"a":true', {"a": True}),
        ('{"a":12,', {"a": 12}),
        ("[1,2", [1]),
        ("12", MISSING),
        ('"ab', "ab"),
    ],
)
def test_4_examples(text: str, value: Any) -> None:
    assert read([text], end=False).value == repr(value)


@given(cuts(texts()), st.sampled_from([frozenset(), DEFAULT_REPAIRS, EVERY]))
@example(['"{\\"a\\":', '1} x"'], DEFAULT_REPAIRS)
def test_5_changes_replay_to_the_value_at_every_prefix(chunks: list[str], repairs: frozenset[RepairName]) -> None:
    parser = PartialJSON(repairs=repairs, changes=True)
    value: Any = MISSING
    for chunk in chunks:
        parser.feed(chunk)
        value = replay(parser.take_changes(), value)
        assert repr(value) == repr(parser.value)
    parser.end()
    assert repr(replay(parser.take_changes(), value)) == repr(parser.value)


def _work(parser: PartialJSON, fragment: str) -> int:
    """The number of lines of Python that reading a fragment runs through."""
    lines = 0

    def trace(frame: Any, event: str, arg: Any) -> Any:
        nonlocal lines
        if "toolwire" not in frame.f_code.co_filename:
            return None  # the collector's callbacks, for one
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        parser.feed(fragment)
    finally:
        sys.settrace(before)
    return lines


@pytest.mark.parametrize("fragment", ["abcd", "a\\nb\\", "漢字 😀", '","k":[1,{"x":"'])
@pytest.mark.parametrize("changes", [False, True])
def test_6_a_fragment_takes_the_same_steps_however_much_came_before(fragment: str, changes: bool) -> None:
    def steps(before: int) -> int:
        parser = PartialJSON(repairs=DEFAULT_REPAIRS, changes=changes)
        parser.feed('{"text":"')
        parser.feed("x" * before)
        return _work(parser, fragment)

    assert steps(100) == steps(1_000_000)


@pytest.mark.parametrize("repairs", [frozenset(), DEFAULT_REPAIRS])
@pytest.mark.parametrize("begin", ['{"text":"', '{"a":["', '"', '{"', '{"a":1}[', '{"a":1}junk', "}"])
def test_6_growing_copies_nothing_that_came_before(begin: str, repairs: frozenset[RepairName]) -> None:
    parser = PartialJSON(repairs=repairs)
    parser.feed(begin)
    size = 4_000_000
    tracemalloc.start()
    try:
        for _ in range(4):
            parser.feed("x" * (size // 4))
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        for fragment in ("abcd", "\\n", "x\\t y"):
            parser.feed(fragment)
            assert parser.value is not None
            assert parser.text
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - before < size // 10


TAILS = ("", "0", '"', "rue", "ue", "e", "alse", "lse", "se", "ull", "ll", "l", 'n"', '\\"', 'u0000"', '0000"')
TAILS += ('000"', '00"', '0"', '"":0')


def viable(prefix: str) -> bool:
    """Whether some ending makes the prefix valid. Knows nothing of the scanner: it tries endings."""
    closers = ""
    quoted = escaped = False
    for c in prefix:
        if quoted:
            quoted = escaped or c != '"'
            escaped = c == "\\" and not escaped
        elif c == '"':
            quoted = True
        elif c in "{[":
            closers = ("}" if c == "{" else "]") + closers
        elif c in "}]":
            closers = closers[1:]
    return any(loads(prefix + tail + colon + closers) is not MISSING for tail in TAILS for colon in ("", ":0"))


@settings(max_examples=150)
@given(texts())
@example('{"a":1 "b"')
@example('{"a":[1,2}')
@example('{"a":01}')
@example("[1.]")
@example('["\\u12g"]')
@example('["\\x"]')
@example("[-a]")
@example('{"m": opne_file"}')
@example('["\\ud800\\u"]')
@example('["\\ud800\n"]')
def test_7_a_fault_is_at_the_first_character_that_makes_the_text_hopeless(text: str) -> None:
    found = read([text], end=False)
    if found.fault is None:
        assert viable(text)
        return
    at = found.fault.offset
    assert viable(text[:at])
    assert not viable(text[: at + 1])
    before, after = PartialJSON(), PartialJSON()
    before.feed(text[:at])
    after.feed(text)
    # half a pair that was waiting is shown when the fault makes certain that it stays alone
    assert extends(before.value, after.value)


@given(cuts(documents(st.dictionaries(st.text(max_size=3), VALUES, max_size=3))))
def test_repairs_change_nothing_about_a_valid_document(chunks: list[str]) -> None:
    strict = read(chunks)
    assert read(chunks, repairs=EVERY) == strict
    assert read(chunks, repairs=DEFAULT_REPAIRS) == strict
    assert strict.repairs == ()


@given(cuts(texts()))
def test_whatever_comes_nothing_is_raised_and_a_fault_stays(chunks: list[str]) -> None:
    parser = PartialJSON(repairs=EVERY, changes=True, max_depth=3, max_digits=5)
    fault = None
    for chunk in chunks:
        parser.feed(chunk)
        assert fault is None or parser.fault == fault
        fault = parser.fault
        assert (parser.state == "hopeless") == (fault is not None)
        assert parser.closed == (parser.state == "closed")
    parser.end()
    assert outcome(parser).text == parser.text
    json.dumps([repair.text for repair in parser.repairs])
