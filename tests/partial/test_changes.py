"""Path changes: what is logged, and how it replays."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from partial.kit import VALUES

from toolwire.errors import UsageError
from toolwire.partial import MISSING, Change, PartialJSON, replay
from toolwire.partial.changes import copy_value


def logged(*chunks: str) -> list[list[Change]]:
    parser = PartialJSON(changes=True)
    taken: list[list[Change]] = []
    for chunk in chunks:
        parser.feed(chunk)
        taken.append(parser.take_changes())
    return taken


def test_one_appended_per_fragment_and_whole_strings_are_set() -> None:
    assert logged('{"a":"x', "\\n\\u00e9y", 'z","b":"whole","c":[1,', 'null,{}],"d":"\\t"}') == [
        [("opened", (), {}), ("opened", ("a",), ""), ("appended", ("a",), "x")],
        [("appended", ("a",), "\né" + "y")],
        [
            ("appended", ("a",), "z"),
            ("closed", ("a",), None),
            ("set", ("b",), "whole"),
            ("opened", ("c",), []),
            ("set", ("c", 0), 1),
        ],
        [
            ("set", ("c", 1), None),
            ("opened", ("c", 2), {}),
            ("closed", ("c", 2), None),
            ("closed", ("c",), None),
            ("opened", ("d",), ""),
            ("appended", ("d",), "\t"),
            ("closed", ("d",), None),
            ("closed", (), None),
        ],
    ]


def test_a_members_path_is_built_once() -> None:
    parser = PartialJSON(changes=True)
    for chunk in ('{"a":["x', "y", "z"):
        parser.feed(chunk)
    paths = [path for _, path, _ in parser.take_changes() if len(path) == 2]
    assert len(paths) == 4
    assert all(path is paths[0] for path in paths)


def test_empty_fragments_log_nothing() -> None:
    assert logged('{"a":"x', "", "") == [
        [("opened", (), {}), ("opened", ("a",), ""), ("appended", ("a",), "x")],
        [],
        [],
    ]


@pytest.mark.parametrize("text", ['"ab"', "12 ", "true", "[]", '"a\\nb"'])
def test_the_value_as_a_whole_has_the_empty_path(text: str) -> None:
    for chunks in ([text], list(text)):
        changes = [change for taken in logged(*chunks) for change in taken]
        assert {path for _, path, _ in changes} == {()}
        assert repr(replay(changes)) == repr(PartialJSON().feed(text) and _value(text))


def _value(text: str) -> Any:
    parser = PartialJSON()
    parser.feed(text)
    return parser.value


def test_a_number_alone_is_set_by_the_end() -> None:
    parser = PartialJSON(changes=True)
    parser.feed("12")
    assert parser.take_changes() == []
    parser.end()
    assert parser.take_changes() == [("set", (), 12)]
    assert parser.take_changes() == []


def test_a_repeated_key_replaces() -> None:
    (changes,) = logged('{"a":{"b":1},"c":2,"a":"x","c":[')
    assert replay(changes) == {"a": "x", "c": []}
    assert list(replay(changes)) == ["a", "c"]


def test_replays_share_nothing() -> None:
    (changes,) = logged('{"a":[{}')
    first, second = replay(changes), replay(changes)
    first["a"][0]["b"] = 1
    assert second == {"a": [{}]}
    assert changes[0] == ("opened", (), {})


def test_logged_markers_are_not_the_live_containers() -> None:
    parser = PartialJSON(changes=True)
    parser.feed('{"a":[')
    changes = parser.take_changes()
    parser.feed("1,2,{}]}")
    assert [payload for _, _, payload in changes] == [{}, []]


def test_nothing_to_replay() -> None:
    assert replay([]) is MISSING
    assert replay([], {"a": 1}) == {"a": 1}


@pytest.mark.parametrize("change", [("appended", ("a", "b"), "x"), ("set", ("a", 0), 1), ("appended", ("l", 3), "x")])
def test_changes_that_do_not_fit_raise(change: Change) -> None:
    with pytest.raises((KeyError, IndexError)):
        replay([change], {"l": []})


def test_changes_have_to_be_asked_for() -> None:
    with pytest.raises(UsageError):
        PartialJSON().take_changes()


@given(VALUES)
def test_a_copy_is_equal_and_shares_no_container(value: Any) -> None:
    copied = copy_value(value)
    assert repr(copied) == repr(value)
    if isinstance(value, dict | list):
        assert copied is not value


def test_a_deep_copy_needs_no_deep_stack() -> None:
    parser = PartialJSON(max_depth=5_000)
    parser.feed("[" * 5_000)
    depth = 0
    value = parser.snapshot()
    while value:
        value = value[0]
        depth += 1
    assert depth == 4_999
