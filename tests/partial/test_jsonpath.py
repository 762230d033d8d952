from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwire.partial.jsonpath import JSONPathError, parse


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("$", ()),
        ("$.foo", ("foo",)),
        ("$.foo.bar[0].data", ("foo", "bar", 0, "data")),
        ("$[0]", (0,)),
        ("$.m[1][20][0]", ("m", 1, 20, 0)),
        ("$['k']", ("k",)),
        ('$["k"]', ("k",)),
        ("$['']", ("",)),
        ('$["b.c"]', ("b.c",)),
        ("$['a']['b'][2].c", ("a", "b", 2, "c")),
        ("$['[0]']", ("[0]",)),
        ("$['*']", ("*",)),
        ("$['0']", ("0",)),
        (r"""$['it\'s "so"']""", ('it\'s "so"',)),
        (r"""$["say \"it's\""]""", ('say "it\'s"',)),
        (r"$['\b\f\n\r\t\/\\']", ("\b\f\n\r\t/\\",)),
        (r"$['\u00e9\u4E16']", ("é世",)),
        (r"$['\ud83d\ude00!']", ("😀!",)),
        ("$['😀']", ("😀",)),
        ("$.größe.名", ("größe", "名")),
        ("$._a1", ("_a1",)),
        # a number behind a dot is a key, a number in brackets is an index
        ("$.scores.2024", ("scores", "2024")),
        ("$.scores[2024]", ("scores", 2024)),
        # names that the RFC would have in brackets, with only one way to read them
        ("$.x-api-key", ("x-api-key",)),
        ("$.@type.$ref", ("@type", "$ref")),
        ("$.a:b", ("a:b",)),
        # blanks where the RFC has them
        ("$ .a [ 0 ] [\t'k'\n]", ("a", 0, "k")),
        ("$[9007199254740991]", (9007199254740991,)),
    ],
)
def test_singular_paths(text: str, steps: tuple[str | int, ...]) -> None:
    found = parse(text)
    assert found == steps
    assert [type(step) for step in found] == [type(step) for step in steps]


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("", 0),
        ("foo", 0),
        (" $.a", 0),
        ("@.a", 0),
        ("$a", 1),
        ("$.", 2),
        ("$.a.", 4),
        ("$.a ", 4),
        ("$. a", 2),
        ("$.a b", 4),
        # wildcards, descendants, slices, filters, unions, functions
        ("$.*", 2),
        ("$[*]", 2),
        ("$..a", 2),
        ("$..[0]", 2),
        ("$[0:1]", 3),
        ("$[:]", 2),
        ("$[?@.a]", 2),
        ("$[?(@.a)]", 2),
        ("$['a','b']", 5),
        ("$[0,1]", 3),
        ("$.length()", 8),
        # indexes
        ("$[-1]", 2),
        ("$[-0]", 2),
        ("$[01]", 3),
        ("$[+1]", 2),
        ("$[1.0]", 3),
        ("$[1e3]", 3),
        ("$[0x1]", 3),
        ("$[٣]", 2),
        ("$[]", 2),
        ("$[ ]", 3),
        ("$[99999999999999999]", 18),
        # brackets and quotes that don't end, or hold something else
        ("$[", 2),
        ("$[0", 3),
        ("$[0}", 3),
        ("$[a]", 2),
        ("$['a]", 5),
        ("$['a'", 5),
        ("$['a\"]", 6),
        ("$['a\nb']", 4),
        ("$.a]", 3),
        ("$.a'b'", 3),
        ("$.a\x00", 3),
        # escapes
        (r"$['\x41']", 4),
        (r"$['\"']", 4),
        (r"""$["\'"]""", 4),
        (r"$['\u12']", 4),
        (r"$['\ud83d']", 4),
        (r"$['\ud83dx']", 4),
        (r"$['\ud83d\n']", 4),
        (r"$['\ud83d\ud83d']", 4),
        (r"$['\ude00']", 4),
        (r"$['\ude00\ud83d']", 4),
        ("$['a\\", 5),
    ],
)
def test_what_is_no_path_to_one_place(text: str, offset: int) -> None:
    with pytest.raises(JSONPathError) as caught:
        parse(text)
    assert caught.value.offset == offset
    assert str(caught.value).endswith(f" at {offset}")


@pytest.mark.parametrize(
    ("path", "shown"), [("$" + "a" * 79, "$" + "a" * 79), ("$" + "a" * 80, "$" + "a" * 76 + "...")]
)
def test_a_long_path_is_cut_in_the_message(path: str, shown: str) -> None:
    with pytest.raises(JSONPathError) as caught:
        parse(path)
    assert str(caught.value).startswith(f"'{shown}' is no path")


KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
PATHS = st.lists(KEYS | st.integers(0, 2**53 - 1), max_size=6)


@given(path=PATHS, single=st.booleans())
def test_normalized_paths_come_back(path: list[str | int], single: bool) -> None:
    text = "$"
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif single:
            text += "['" + json.dumps(step)[1:-1].replace('\\"', '"').replace("'", "\\'") + "']"
        else:
            text += f"[{json.dumps(step)}]"
    assert parse(text) == tuple(path)


@given(text=st.text(st.sampled_from("$.[]'\"\\u0d8e1a*-:?,() "), max_size=14))
def test_any_other_text_is_refused_and_nothing_else_is_raised(text: str) -> None:
    try:
        path = parse("$" + text)
    except JSONPathError as error:
        offset = error.offset
    else:
        assert parse("$" + "".join(f"[{json.dumps(step)}]" for step in path)) == path
        return
    assert 0 < offset <= len(text) + 1
