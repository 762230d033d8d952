from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwire.partial import PartialJSON
from toolwire.partial.path_writer import PathError, PathReason, PathWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.partial.changes import Path

Update = tuple[Any, ...]  # path, value, and whether more of it follows


def written(updates: list[Update], **bounds: int) -> list[str]:
    """What each update adds, and the end."""
    writer = PathWriter(**bounds)
    return [*(writer.write(path, value, more=any(more)) for path, value, *more in updates), writer.finish()]


# --- what is written ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("updates", "pieces"),
    [
        pytest.param([], ["{}"], id="nothing"),
        pytest.param([(("a",), 1)], ['{"a":1', "}"], id="one value"),
        pytest.param([(("a",), 1), (("b",), 2)], ['{"a":1', ',"b":2', "}"], id="two keys"),
        pytest.param([(("a", "b", "c"), 1)], ['{"a":{"b":{"c":1', "}}}"], id="containers open at once"),
        pytest.param(
            [(("a", "b"), 1), (("a", "c"), 2), (("d",), 3)],
            ['{"a":{"b":1', ',"c":2', '},"d":3', "}"],
            id="a container is closed when the path leaves it",
        ),
        pytest.param(
            [(("a", 0, "x"), 1), (("a", 0, "y"), 2), (("a", 1, "x"), 3)],
            ['{"a":[{"x":1', ',"y":2', '},{"x":3', "}]}"],
            id="objects in an array",
        ),
        pytest.param(
            [(("m", 0, 0), 1), (("m", 0, 1), 2), (("m", 1, 0), 3)],
            ['{"m":[[1', ",2", "],[3", "]]}"],
            id="arrays in an array",
        ),
        pytest.param([(("a", "0"), 1), (("a", "1"), 2)], ['{"a":{"0":1', ',"1":2', "}}"], id="digits as keys"),
        pytest.param(
            [(("a",), "On", True), (("a",), "ce", True), (("a",), "")],
            ['{"a":"On', "ce", '"', "}"],
            id="a string in pieces, its end empty",
        ),
        pytest.param(
            [(("a",), "", True), (("a",), "x"), (("b",), "")],
            ['{"a":"', 'x"', ',"b":""', "}"],
            id="a string in pieces, its end not empty; an empty string",
        ),
        pytest.param(
            [(("a",), {"x": [1, {}], "é": []}), (("b", 0), []), (("b", 1), {})],
            ['{"a":{"x":[1,{}],"é":[]}', ',"b":[[]', ",{}", "]}"],
            id="whole containers",
        ),
        pytest.param(
            [(('q"\\\n',), 'v"\\\n\x00\x7f', True), (('q"\\\n',), "\t")],
            ['{"q\\"\\\\\\n":"v\\"\\\\\\n\\u0000\x7f', '\\t"', "}"],
            id="escapes",
        ),
        pytest.param(
            [(("a",), "é😀\ud83d", True), (("a",), "\ude00")],
            ['{"a":"é😀\\ud83d', '\\ude00"', "}"],
            id="a surrogate pair cut in two",
        ),
        pytest.param([(("\udc00",), {"\ud800": "\ud800"})], ['{"\\udc00":{"\\ud800":"\\ud800"}', "}"], id="halves"),
    ],
)
def test_text(updates: list[Update], pieces: list[str]) -> None:
    assert written(updates) == pieces


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.0, "2"),
        (-2.0, "-2"),
        (0.0, "0"),
        (0.5, "0.5"),
        (0.1, "0.1"),
        (1e16, "10000000000000000"),
        (9007199254740993, "9007199254740993"),
        (10**30, "1" + "0" * 30),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (5e-324, "5e-324"),
        (7, "7"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
    ],
)
def test_scalars(value: Any, text: str) -> None:
    assert written([(("a",), value)]) == [f'{{"a":{text}', "}"]


def test_the_beginning_can_be_written_first() -> None:
    writer = PathWriter()
    assert writer.empty
    assert [writer.begin(), writer.begin()] == ["{", ""]
    assert writer.empty
    assert writer.write(("a",), 1) == '"a":1'
    assert not writer.empty
    assert [writer.finish(), writer.finish(), writer.begin()] == ["}", "", ""]


def test_the_open_string_is_known() -> None:
    writer = PathWriter()
    assert writer.string is None
    writer.write(("a", 0), "x", more=True)
    assert writer.string == ("a", 0)
    writer.write(("a", 0), "y", more=True)
    assert writer.string == ("a", 0)
    writer.write(("a", 0), "")
    assert writer.string is None


# --- what is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "last", "reason", "message"),
    [
        ([(("a",), 1)], (("a",), 1), "path_order", "$.a returns to $.a, which is finished"),
        ([(("a",), "x")], (("a",), ""), "path_order", "$.a returns to $.a, which is finished"),
        ([(("a", "b"), 1), (("c",), 1)], (("a", "d"), 1), "path_order", "$.a.d returns to $.a, which is finished"),
        ([(("a", 0), 1), (("b",), 1)], (("a", 1), 1), "path_order", "$.a[1] returns to $.a, which is finished"),
        (
            [(("a", 0, "x"), 1), (("a", 1, "x"), 1)],
            (("a", 0, "y"), 1),
            "path_order",
            "$.a[0].y returns to $.a[0], which is finished",
        ),
        ([(("a", 0), 1), (("a", 1), 1)], (("a", 1), 1), "path_order", "$.a[1] returns to $.a[1], which is finished"),
        ([(("a",), {"x": 1})], (("a", "y"), 1), "path_order", "$.a.y returns to $.a, which is finished"),
        ([(("a",), 1)], (("a", "b"), 1), "path_order", "$.a.b returns to $.a, which is finished"),
        ([(("a", "b"), 1)], (("a",), 1), "path_order", "$.a returns to $.a, which is finished"),
        ([(("a", 0), 1)], (("a", "b"), 1), "path_order", "$.a.b has a key in an array at $.a.b"),
        ([(("a", 0), 1)], (("a", "b", "c"), 1), "path_order", "$.a.b.c has a key in an array at $.a.b"),
        ([(("a", "b"), 1)], (("a", 0), 1), "path_order", "$.a[0] has an index in an object at $.a[0]"),
        ([(("a", "0", "x"), 1)], (("a", 0, "y"), 1), "path_order", "$.a[0].y has an index in an object at $.a[0]"),
        ([(("a", 0), 1)], (("a", 2), 1), "path_order", "$.a[2] leaves a gap: the next index is 1"),
        ([], (("a", 1), 1), "path_order", "$.a[1] leaves a gap: the next index is 0"),
        ([], (("a", 0, 7), 1), "path_order", "$.a[0][7] leaves a gap: the next index is 0"),
        ([], ((0,), 1), "path_order", "$[0] has an index in an object at $[0]"),
        ([], ((), "x"), "path_order", "the root is an object, not a string"),
        ([], ((), None), "path_order", "the root is an object, not null"),
        ([(("a",), "x", True)], (("b",), 1), "path_order", "$.b comes while $.a is unfinished"),
        ([(("a",), "x", True)], (("a", "b"), "y"), "path_order", "$.a.b comes while $.a is unfinished"),
        ([(("a",), "x", True)], (("a",), 1), "path_order", "a number goes on with the string at $.a"),
        ([(("a",), "x", True)], (("a",), None), "path_order", "null goes on with the string at $.a"),
        ([], (("a",), 1, True), "malformed", "only a string can come in pieces, not a number, at $.a"),
        ([], (("a",), float("nan")), "malformed", "a number at $.a is no JSON"),
        ([], (("a",), float("-inf")), "malformed", "a number at $.a is no JSON"),
        ([], (("a",), [float("nan")]), "malformed", "an array at $.a is no JSON"),
        ([], (("a",), {1, 2}), "malformed", "a set at $.a is no JSON"),
        ([], (("a",), 10**5000), "malformed", "a number at $.a is no JSON"),
        (
            [],
            (("a b", 'c"'), 1, True),
            "malformed",
            "only a string can come in pieces, not a number, at $['a b']['c\"']",
        ),
    ],
)
def test_refusals(first: list[Update], last: Update, reason: PathReason, message: str) -> None:
    writer = PathWriter()
    text = writer.begin() + "".join(writer.write(path, value, more=any(more)) for path, value, *more in first)
    path, value, *more = last
    # whatever comes then, the first refusal stands, and the text that is out stays unfinished
    for attempt in (
        lambda: writer.write(path, value, more=any(more)),
        lambda: writer.write(("fresh",), 1),
        writer.finish,
    ):
        with pytest.raises(PathError) as caught:
            attempt()
        assert caught.value.reason == reason
        shown = str(caught.value)
        assert shown == message or (reason == "malformed" and shown.startswith(f"{message}: "))
    parser = PartialJSON()
    parser.feed(text)
    assert parser.state == "open"


def test_an_open_string_has_to_end_before_the_end() -> None:
    writer = PathWriter()
    writer.write(("a",), "x", more=True)
    with pytest.raises(PathError, match=r"the string at \$\.a has no end") as caught:
        writer.finish()
    assert caught.value.reason == "truncated"
    with pytest.raises(PathError):
        writer.write(("a",), "")


def test_nothing_comes_after_the_end() -> None:
    writer = PathWriter()
    writer.write(("a", "b"), 1)
    writer.finish()
    with pytest.raises(PathError, match="comes after the end") as caught:
        writer.write(("a", "c"), 1)
    assert caught.value.reason == "path_order"


def test_a_refusal_from_outside_stands() -> None:
    writer = PathWriter()
    error = writer.refuse("malformed", "no path")
    assert (error.reason, str(error)) == ("malformed", "no path")
    assert str(writer.refuse("depth", "another")) == "no path"
    with pytest.raises(PathError, match="no path"):
        writer.write(("a",), 1)


def test_refusals_do_not_grow() -> None:
    """A peer that goes on after a refusal must not make the error's traceback longer and longer."""
    writer = PathWriter()
    writer.refuse("malformed", "x")
    errors = []
    for _ in range(2):
        with pytest.raises(PathError) as caught:
            writer.finish()
        errors.append(caught.value)
    assert errors[0] is not errors[1]


def test_the_bounds() -> None:
    deep: Path = ("a",) * 4
    assert "".join(written([(deep, 1)], max_depth=4)) == '{"a":{"a":{"a":{"a":1}}}}'
    with pytest.raises(PathError) as caught:
        written([(deep, 1)], max_depth=3)
    assert caught.value.reason == "depth"
    items = [(("a", i), i) for i in range(4)]
    assert "".join(written(items, max_index=3)) == '{"a":[0,1,2,3]}'
    with pytest.raises(PathError) as caught:
        written(items, max_index=2)
    assert caught.value.reason == "limit"
    with pytest.raises(PathError) as caught:
        written([(("a", 999_999_999), 1)])
    assert caught.value.reason == "limit"


def test_the_depth_is_counted_as_the_parser_does() -> None:
    for depth in (3, 4):
        parser = PartialJSON(max_depth=3)
        parser.feed("".join(written([(("a",) * depth, 1)])))
        assert (parser.fault is None) == (depth <= 3)


def test_a_value_nested_beyond_all_bounds() -> None:
    value: Any = 1
    for _ in range(200_000):
        value = [value]
    with pytest.raises(PathError) as caught:
        written([(("a",), value)])
    assert caught.value.reason == "depth"
    while isinstance(value, list):  # taken apart here: the interpreter would do it by recursion
        value = value.pop()


def test_the_bounds_by_default() -> None:
    assert written([(("a",) * 512, 1)])
    with pytest.raises(PathError, match="deeper than 512"):
        written([(("a",) * 513, 1)])
    with pytest.raises(PathError, match="leaves a gap"):
        written([(("a", 100_000), 1)])
    with pytest.raises(PathError, match="over 100000"):
        written([(("a", 100_001), 1)])


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (("k" * 118,), "$." + "k" * 118),
        (("k" * 119,), "$." + "k" * 118 + "..."),
        (("k", 0) * 200, ("$" + ".k[0]" * 24)[:120] + "..."),
    ],
)
def test_a_long_path_is_cut_in_the_message(path: Path, shown: str) -> None:
    with pytest.raises(PathError) as caught:
        written([(path, 1, True)])
    assert str(caught.value).endswith(f" at {shown}")


# --- any object --------------------------------------------------------------------------------------------------


def joined(text: str) -> str:
    """Surrogate pairs that stand as two halves made whole, as JSON text makes them."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


TEXTS = st.text(st.characters(exclude_categories=[]), max_size=8).map(joined) | st.sampled_from(["", "😀", '"', "\\"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(TEXTS, inner, min_size=1, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=4)


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from leaves(item, (*path, i))
    else:
        yield path, value


@st.composite
def ordered_updates(draw: st.DrawFn, value: Any) -> list[Update]:
    """A value as updates in order, strings cut anywhere, halves of surrogate pairs apart, ends empty or not."""
    updates: list[Update] = []
    for path, leaf in leaves(value):
        if not isinstance(leaf, str) or draw(st.booleans()):
            updates.append((path, leaf))
            continue
        units = leaf.encode("utf-16-le", "surrogatepass")
        places = draw(st.lists(st.integers(0, len(units) // 2), max_size=3).map(sorted))
        pieces = [
            units[2 * a : 2 * b].decode("utf-16-le", "surrogatepass")
            for a, b in pairwise([0, *places, len(units) // 2])
        ]
        if draw(st.booleans()):
            pieces.append("")
        updates += [(path, piece, i < len(pieces) - 1) for i, piece in enumerate(pieces)]
    return updates


def with_integers(value: Any) -> Any:
    """A value with its integral floats as the integers that are written for them."""
    if isinstance(value, dict):
        return {key: with_integers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [with_integers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e21 else value


@given(value=OBJECTS, data=st.data())
def test_any_object_in_order(value: dict[str, Any], data: st.DataObject) -> None:
    writer = PathWriter()
    parser = PartialJSON()
    said = ""
    for path, leaf, *more in data.draw(ordered_updates(value)):
        parser.feed(writer.write(path, leaf, more=any(more)))
        assert parser.state == "open"
        assert writer.string == (path if any(more) else None)
        if type(leaf) in (int, float):
            continue  # a number can be shown when something follows it
        shown = parser.value
        for step in path:
            shown = shown[step]
        if not isinstance(leaf, str):
            assert shown is leaf
            continue
        said += leaf
        assert joined(said).startswith(shown)
        if not any(more):
            assert shown == joined(said)
            said = ""
    parser.feed(writer.finish())
    assert parser.state == "closed"
    assert not parser.repairs
    # repr tells 1 from 1.0 and True, and the order of keys
    assert repr(json.loads(parser.text)) == repr(parser.value) == repr(with_integers(value))
    parser.text.encode()  # no half of a pair stands in the text itself


@given(value=OBJECTS.filter(bool), data=st.data())
def test_a_place_that_is_written_is_never_written_again(value: dict[str, Any], data: st.DataObject) -> None:
    updates = list(leaves(value))
    writer = PathWriter()
    text = "".join(writer.write(path, leaf) for path, leaf in updates)
    path, leaf = data.draw(st.sampled_from(updates))
    place = path[: data.draw(st.integers(1, len(path)))]  # the value, or a container around it
    with pytest.raises(PathError) as caught:
        writer.write(place, leaf)
    assert caught.value.reason == "path_order"
    parser = PartialJSON()
    parser.feed(text)
    assert parser.state == "open"


@given(value=OBJECTS, data=st.data())
def test_in_any_order_the_value_is_right_or_refused(value: dict[str, Any], data: st.DataObject) -> None:
    updates: list[Update] = data.draw(st.permutations(list(leaves(value))))
    by_key = list(dict.fromkeys(path[0] for path, _ in updates))
    try:
        result = json.loads("".join(written(updates)))
    except PathError as error:
        reason = error.reason
    else:
        assert result == with_integers(value)
        return
    assert reason == "path_order"
    in_order = [leaf for key in by_key for leaf in leaves(value[str(key)], (key,))]
    assert updates != in_order  # what only moves whole members about is no reason to refuse
