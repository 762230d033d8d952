"""Values to JSON text and back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolwire.encoding import encode, same


@pytest.mark.parametrize("value", [{"b": 1, "a": [1.5, None, True, "é😀"]}, {"n": 10**30}, {"half": "\ud83d"}, 3.0, []])
def test_round_trip(value: Any) -> None:
    """What is written reads back as the same value, types included."""
    assert repr(json.loads(encode(value))) == repr(value)


def test_keys_keep_their_order_and_nothing_is_padded() -> None:
    """The text is compact and in the order of the value."""
    assert encode({"b": 1, "a": [1, 2]}) == '{"b":1,"a":[1,2]}'


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": object()}])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    """Nothing is replaced by something else in silence."""
    with pytest.raises((TypeError, ValueError)):
        encode(value)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ('{"a": 1, "b": [2]}', {"b": [2], "a": 1}, True),
        ('{"a": 1.0}', {"a": 1}, True),
        ('{"a": true}', {"a": 1}, False),
        ('{"a": [0]}', {"a": [False]}, False),
        ('{"a": 1}', {"a": 1, "b": 2}, False),
        ("[1, 2]", [1], False),
        ('{"a": "\ud83d"}', {"a": "\ud83d"}, True),
        ('{"a"', {}, False),
        ("[" * 100_000, [], False),
    ],
)
def test_same(text: str, value: Any, expected: bool) -> None:
    """Spacing and key order don't matter, values and their types do."""
    assert same(text, value) is expected
