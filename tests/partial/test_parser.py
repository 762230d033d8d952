"""`PartialJSON` as its callers see it, and fragments that repeat what came before."""

from __future__ import annotations

import copy
import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from partial.kit import STRINGS, VALUES, cut, extends, loads, outcome, read

import toolwire.partial
from toolwire.errors import ProviderError, UsageError
from toolwire.partial import DEFAULT_REPAIRS, MISSING, PartialJSON, Repair


def states(*chunks: str, **options: Any) -> list[str]:
    parser = PartialJSON(**options)
    seen = [parser.state]
    for chunk in chunks:
        parser.feed(chunk)
        seen.append(parser.state)
    parser.end()
    return [*seen, parser.state]


def test_states() -> None:
    assert states(" ", "{", "}", " ") == ["empty", "empty", "open", "closed", "closed", "closed"]
    assert states("1") == ["empty", "open", "closed"]
    assert states("1 ") == ["empty", "closed", "closed"]
    assert states("-") == ["empty", "open", "open"]
    assert states("{", "]", "}") == ["empty", "open", "hopeless", "hopeless", "hopeless"]
    assert states("{}", "x") == ["empty", "closed", "hopeless", "hopeless"]
    assert states(" ", "") == ["empty", "empty", "empty", "empty"]
    assert states('{"a":1}', "{", repairs=DEFAULT_REPAIRS) == ["empty", "closed", "closed", "hopeless"]
    assert states("{}", "{", "}", repairs=DEFAULT_REPAIRS) == ["empty", "closed", "open", "closed", "closed"]


def test_the_live_value_is_one_object() -> None:
    parser = PartialJSON()
    assert parser.value is MISSING
    assert not parser.value
    parser.feed('{"a":[')
    value = parser.value
    parser.feed("1,2],")
    assert parser.value is value
    assert value == {"a": [1, 2]}


def test_a_snapshot_stays() -> None:
    parser = PartialJSON()
    assert parser.snapshot() is MISSING
    parser.feed('{"a":["x')
    kept = parser.snapshot()
    parser.feed('y"],"b":1}')
    assert kept == {"a": ["x"]}
    assert parser.snapshot() == parser.value == {"a": ["xy"], "b": 1}
    assert parser.snapshot() is not parser.value


def test_text_is_what_was_admitted() -> None:
    parser = PartialJSON()
    assert [parser.feed(chunk) for chunk in ("", "{", '"a"', ":1x", "y")] == ["", "{", '"a"', ":1x", "y"]
    assert parser.text == '{"a":1xy'
    assert parser.end() == ""


def test_end_is_idempotent_and_final() -> None:
    parser = PartialJSON(repairs=DEFAULT_REPAIRS)
    parser.feed("12")
    assert parser.value is MISSING
    assert parser.end() == ""
    assert parser.value == 12
    before = outcome(parser)
    assert parser.end() == ""
    assert outcome(parser) == before
    for text in ("", "3"):
        with pytest.raises(UsageError):
            parser.feed(text)


@pytest.mark.parametrize("before", ["", '{"a":"a long enough beginning'])
@pytest.mark.parametrize("text", [b"ab", None, 1, bytearray(b"a"), ["a"]])
def test_only_str_is_text(text: Any, before: str) -> None:
    parser = PartialJSON()
    parser.feed(before)
    with pytest.raises(TypeError):
        parser.feed(text)
    assert parser.text == before


def test_a_subclass_of_str_is_text() -> None:
    class Text(str):
        __slots__ = ()

    parser = PartialJSON()
    for chunk in ('{"abcdef":"x', "y", '"}'):
        parser.feed(Text(chunk))
    assert parser.result() == {"abcdef": "xy"}
    assert type(parser.text) is str


def test_result() -> None:
    parser = PartialJSON()
    for chunk, offset in (("", 0), ('{"a"', 4), (":[1", 7)):
        parser.feed(chunk)
        with pytest.raises(ProviderError) as caught:
            parser.result()
        assert (caught.value.kind, caught.value.offset) == ("incomplete", offset)
    parser.feed("]}")
    assert parser.result() == {"a": [1]}
    parser.feed(" {")
    with pytest.raises(ProviderError) as caught:
        parser.result()
    assert (caught.value.kind, caught.value.offset) == ("concatenated", 10)


def test_a_fault_says_what_was_expected() -> None:
    found = read(['{"a" 1}'])
    assert found.fault is not None
    assert found.fault.message == "expected ':', found '1'"


@pytest.mark.parametrize("options", [{"max_depth": -1}, {"max_digits": 0}])
def test_limits_have_to_make_sense(options: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        PartialJSON(**options)  # type: ignore[arg-type]


def test_the_names_are_sorted_and_there() -> None:
    names = toolwire.partial.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert all(hasattr(toolwire.partial, name) for name in names)


def test_missing_is_one_of_a_kind() -> None:
    assert repr(MISSING) == "MISSING"
    assert copy.deepcopy(MISSING) is MISSING


# Fragments that begin with all that came before.

RESENDS: list[tuple[list[str], Any, list[tuple[str, int, str]]]] = [
    (['{"q":', '{"q":"a","n"', '{"q":"a","n":3}'], {"q": "a", "n": 3}, [("resend", 5, "")]),
    (['{"a":', '{"a":1}', "}"], {"a": {"a": 1}}, []),
    (['{"a":', '{"a":1}'], {"a": 1}, [("resend", 5, "")]),
    (['{"a":', '{"a":1}', '{"a":1}'], {"a": 1}, [("resend", 5, "")]),
    (['{"a":', '{"a":1}', '{"a":1}', '{"a":1}'], {"a": 1}, [("resend", 5, ""), ("resend", 7, '{"a":1}')]),
    (['{"a":[', '{"a":[1]}', "]}"], {"a": [{"a": [1]}]}, []),
    (["{", '{"a"', '{"a":1', '{"a":1}'], {"a": 1}, [("resend", 1, ""), ("resend", 4, ""), ("resend", 6, "")]),
    (['{"a":1', '{"a":1', '{"a":1}'], {"a": 1}, [("resend", 6, ""), ("resend", 6, "")]),
    (['{"a":"x', '{"a":"xy"}', " "], {"a": "xy"}, [("resend", 7, "")]),
    (['{"a":1}', '{"a":1}'], {"a": 1}, [("resend", 7, '{"a":1}')]),
    (['{"a":1}', '{"a"', ":1}"], {"a": 1}, [("resend", 7, '{"a":1}')]),
    (['{"a":1}{"a":1}'], {"a": 1}, [("resend", 7, '{"a":1}')]),
    (['{"a":1}\n{"a":1}\n{"a":1}\n'], {"a": 1}, [("resend", 8, '{"a":1}\n'), ("resend", 16, '{"a":1}\n')]),
    (["{}", "{}"], {}, [("leading_empty", 1, "}{")]),
    (["[1]", "[1]"], [1], [("resend", 3, "[1]")]),
    (['{"a":1', '{"a":1}<|end|>'], {"a": 1}, [("resend", 6, ""), ("trailing_junk", 7, "<|end|>")]),
    (["[", "[1", ",2]]"], [[1, 2]], []),
    (["[", "[1]"], [1], [("resend", 1, "")]),
    (["1", "1", "5"], 115, []),
    (["[1,", "[1,2", "[1,2]"], [1, 2], [("resend", 3, "")]),
    (['"{\\"a\\":', '"{\\"a\\":1}"'], {"a": 1}, [("double_encoded", 0, '"'), ("resend", 8, "")]),
    (['"{}"', '"{}"'], {}, [("double_encoded", 0, '"'), ("resend", 4, '"{}"')]),
]


@pytest.mark.parametrize(("chunks", "value", "repaired"), RESENDS)
def test_resend(chunks: list[str], value: Any, repaired: list[tuple[str, int, str]]) -> None:
    parser = PartialJSON(repairs=DEFAULT_REPAIRS, changes=True)
    shown: Any = MISSING
    for chunk in chunks:
        parser.feed(chunk)
        assert extends(shown, parser.value)
        shown = parser.snapshot()
    parser.end()
    assert (parser.value, parser.state) == (value, "closed")
    assert [tuple(repair) for repair in parser.repairs] == repaired
    assert toolwire.partial.replay(parser.take_changes()) == value


def test_ambiguous_fragments_are_held_and_what_is_released_is_returned() -> None:
    parser = PartialJSON(repairs=["resend"])
    assert parser.feed('{"q":') == '{"q":'
    assert parser.feed('{"q":"a"') == ""
    assert (parser.text, parser.value, parser.state) == ('{"q":', {}, "open")
    assert parser.feed("}") == '{"q":"a"}'
    assert parser.value == {"q": {"q": "a"}}
    assert parser.feed("}") == "}"
    assert parser.repairs == ()
    parser = PartialJSON(repairs=["resend"])
    parser.feed('{"q":')
    assert parser.feed('{"q":"a"') == ""
    assert parser.feed(',"r":[') == '{"q":"a","r":['
    assert parser.feed('{"q":"a","r":[1') == '{"q":"a","r":[1'
    assert parser.value == {"q": {"q": "a", "r": [{"q": "a", "r": []}]}}
    parser = PartialJSON(repairs=["resend"])
    parser.feed('{"q":')
    parser.feed('{"q":"a"')
    assert parser.feed('{"q":"a","r":1') == '"a","r":1'
    assert parser.feed(',"s":2}') == ',"s":2}'
    assert parser.value == {"q": "a", "r": 1, "s": 2}
    parser = PartialJSON(repairs=["resend"])
    parser.feed('{"q":')
    parser.feed('{"q":[1')
    assert parser.end() == '{"q":[1'
    assert (parser.value, parser.state) == ({"q": {"q": []}}, "open")


def test_without_the_repair_a_resend_is_malformed() -> None:
    found = read(['{"a":1', '{"a":1}'])
    assert found.fault is not None
    assert (found.fault.reason, found.fault.offset) == ("malformed", 6)
    assert read(['{"a":1', '{"a":1}'], repairs=["trailing_junk"]).state == "hopeless"


OBJECTS = st.dictionaries(STRINGS, VALUES, min_size=1, max_size=4)


@given(OBJECTS, st.lists(st.integers(1, 200), min_size=1, max_size=6), st.integers(0, 2))
def test_a_server_that_sends_snapshots_is_understood(value: dict[str, Any], places: list[int], again: int) -> None:
    text = json.dumps(value)
    ends = [*sorted(place % len(text) + 1 for place in places), len(text), *[len(text)] * again]
    parser = PartialJSON(repairs=["resend"])
    shown: Any = MISSING
    for end in ends:
        parser.feed(text[:end])
        assert extends(shown, parser.value)
        shown = parser.snapshot()
    parser.end()
    assert (repr(parser.result()), parser.text) == (repr(loads(text)), text)


@given(OBJECTS, st.integers(1, 9), st.integers(1, 9))
def test_a_finished_document_may_come_again_in_any_pieces(value: dict[str, Any], size: int, again: int) -> None:
    text = json.dumps(value)
    found = read([*cut(text, size), *cut(text, again)], repairs=["resend"])
    assert (found.value, found.state, found.text) == (repr(loads(text)), "closed", text)
    assert found.repairs == (Repair("resend", len(text), text),)


def test_a_snapshot_costs_no_more_than_itself() -> None:
    """A server that resends all each time makes quadratic traffic, but not more work than that."""
    text = json.dumps({"text": "x" * 4_000})
    lines = 0

    def trace(frame: Any, event: str, arg: Any) -> Any:
        nonlocal lines
        if "toolwire" not in frame.f_code.co_filename:
            return None
        lines += event == "line"
        return trace

    def cost(end: int) -> int:
        nonlocal lines
        parser = PartialJSON(repairs=DEFAULT_REPAIRS)
        parser.feed(text[:end])
        lines = 0
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            parser.feed(text[: end + 4])
        finally:
            sys.settrace(before)
        return lines

    assert cost(100) == cost(2_000)
