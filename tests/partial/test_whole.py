"""A document in one piece is read another way: nothing but the cost may tell."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwire.partial import DEFAULT_REPAIRS, MISSING, PartialJSON
from toolwire.partial.whole import read_whole

LONG = '"a long enough string for a document"'

TEXTS = {
    "an object": f'{{"a":{LONG},"b":[1,2.5e3,true,null,{{"c":""}}]}}',
    "white space around it": f' \n{{"a":{LONG}}}\t ',
    "an array": f"[{LONG},{LONG}]",
    "a repeated key": f'{{"a":{LONG},"a":1}}',
    "a repeated key within": f'{{"a":[{{"b":{LONG},"b":2}}]}}',
    "NaN": f'{{"a":{LONG},"b":NaN}}',
    "infinity": f"[{LONG},-Infinity]",
    "as deep as may be": "[" * 8 + LONG + "]" * 8,
    "too deep": "[" * 9 + LONG + "]" * 9,
    "brackets in a string": f'{{"a":"[[[[[[[[[[[[[{{{{{{","b":{LONG}}}',
    "a long number": f'{{"a":{LONG},"n":{"1" * 400}}}',
    "a number that is too long": f'{{"a":{LONG},"n":{"1" * 401}}}',
    "many digits, some of them too many": f"[{LONG},{'1' * 399},1.{'2' * 400},{'3' * 399}]",
    "digits in a string": f'{{"a":"{"1" * 5000}"}}',
    "a fraction that is too long": f'{{"a":{LONG},"n":0.{"1" * 400}}}',
    "half a pair": f'{{"a":{LONG},"b":"\\ud83d"}}',
    "a pair": f'{{"a":{LONG},"b":"\\ud83d\\ude00"}}',
    "a raw line end": '{"a":"a long enough string\nfor a document"}',
    "junk behind it": f'{{"a":{LONG}}} and so on }}',
    "another document behind it": f'{{"a":{LONG}}}{{"b":{LONG}}}',
    "a trailing comma": f'{{"a":{LONG},}}',
    "cut": f'{{"a":{LONG},"b":{{}}',
    "nothing but space in it": "{" + " " * 40 + "}",
    "a fence": f'```json\n{{"a":{LONG}}}\n```',
    "a string that holds an object": json.dumps(f'{{"a":{LONG}}}'),
}


def outcome(pieces: list[str], repairs: Any, then: str) -> tuple[Any, ...]:
    parser = PartialJSON(repairs=repairs, max_depth=8, max_digits=400)
    for piece in pieces:
        parser.feed(piece)
    at_once = parser.state
    parser.feed(then)
    parser.end()
    value = parser.value
    return (
        at_once,
        value if value is MISSING else json.dumps(value),
        parser.text,
        parser.state,
        parser.fault,
        parser.repairs,
        parser.duplicates,
    )


@pytest.mark.parametrize("then", ["", " ", "x", "}", '{"b":1}'])
@pytest.mark.parametrize("repairs", [(), DEFAULT_REPAIRS - {"resend"}], ids=["strict", "repairs"])
@pytest.mark.parametrize("name", TEXTS)
def test_in_one_piece_and_character_by_character(name: str, repairs: Any, then: str) -> None:
    text = TEXTS[name]
    whole, pieces = outcome([text], repairs, then), outcome(list(text), repairs, then)

    assert whole == pieces


def test_a_plain_document_is_taken_whole() -> None:
    assert read_whole(TEXTS["an object"], 8, 400) == json.loads(TEXTS["an object"])


@pytest.mark.parametrize("name", ["a repeated key", "NaN", "too deep", "a number that is too long", "cut"])
def test_what_needs_a_closer_look_is_left(name: str) -> None:
    assert read_whole(TEXTS[name], 8, 400) is MISSING


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


@given(st.dictionaries(st.text(), values), st.booleans())
def test_any_document(value: dict[str, Any], escaped: bool) -> None:
    text = json.dumps(value, ensure_ascii=escaped)
    parser = PartialJSON(repairs=DEFAULT_REPAIRS)
    parser.feed(text)
    parser.end()

    assert json.dumps(parser.result()) == json.dumps(value)
    assert parser.text == text
