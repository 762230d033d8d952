"""What the tests of incremental JSON share: cutting, reading, an oracle, and texts to try."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

from toolwire.partial import MISSING, PartialJSON

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolwire.partial import Duplicate, Fault, Repair


class Outcome(NamedTuple):
    value: str  # the repr: it tells 1 from 1.0 and True, and keeps the order of keys
    state: str
    fault: Fault | None
    repairs: tuple[Repair, ...]
    duplicates: tuple[Duplicate, ...]
    text: str


def cut(text: str, size: int) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def cut_at(text: str, places: Iterable[int]) -> list[str]:
    bounds = [0, *sorted(places), len(text)]
    return [text[a:b] for a, b in pairwise(bounds)]


def all_cuts(text: str) -> Iterator[list[str]]:
    """The text in pieces of every size, and in two pieces at every place."""
    for size in range(1, len(text) + 1):
        yield cut(text, size)
    for place in range(1, len(text)):
        yield [text[:place], text[place:]]


def outcome(parser: PartialJSON) -> Outcome:
    found = (parser.state, parser.fault, parser.repairs, parser.duplicates, parser.text)
    return Outcome(repr(parser.value), *found)


def read(chunks: Iterable[str], *, end: bool = True, **options: Any) -> Outcome:
    """Feed the chunks and check on the way that what `feed` and `end` return is what `text` gains."""
    parser = PartialJSON(**options)
    admitted = [parser.feed(chunk) for chunk in chunks]
    if end:
        admitted.append(parser.end())
    assert "".join(admitted) == parser.text
    return outcome(parser)


def refuse(name: str) -> Any:
    raise ValueError(name)


def loads(text: str) -> Any:
    """`json.loads` without NaN and Infinity; MISSING for what it refuses."""
    try:
        return json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError):
        return MISSING


def extends(old: Any, new: Any) -> bool:
    """Whether a live value may become the other: strings grow, containers gain, the rest stays."""
    if old is MISSING:
        return True
    if type(old) is not type(new):
        return False
    if isinstance(old, str):
        return bool(new.startswith(old))
    if isinstance(old, dict):
        return list(new)[: len(old)] == list(old) and all(extends(old[key], new[key]) for key in old)
    if isinstance(old, list):
        return len(old) <= len(new) and all(map(extends, old, new))
    return repr(old) == repr(new)


ALPHABET = st.sampled_from('abc"\\/\n\t\x01\x7f\x85\u2028é漢😀\ud83d\ude00{}[]:, u0')
STRINGS = st.text(ALPHABET, max_size=8) | st.text(max_size=8)
NUMBERS = st.integers() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | STRINGS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4),
    max_leaves=12,
)


@st.composite
def documents(draw: st.DrawFn, values: st.SearchStrategy[Any] = VALUES) -> str:
    """Valid JSON texts, compact and spread out, with and without escapes."""
    ascii_only = draw(st.booleans())
    indent = draw(st.sampled_from([None, None, 0, 1, "\t"]))
    tight = draw(st.booleans())
    separators = (",", ":") if tight else None
    text = json.dumps(draw(values), ensure_ascii=ascii_only, indent=indent, separators=separators)
    return draw(st.sampled_from(["", "", " ", "\n\t"])) + text + draw(st.sampled_from(["", "", " ", "\r\n"]))


BITS = (
    *"\"\\{}[],:0123456789-+.eEtfnuINaT' \n\x00\x1f`/",
    *("true", "null", "fals", "NaN", "-Infinity", "\\u", "\\ud83d", "\\ude00", "\\u00e9", "\\n", "{}", "[]"),
    *('"a":', '"a":1', ",]", ",}", "```", "01", "1.", "1e", "1e999", "-0", "True", "None", "\\'", "\\d"),
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Texts near JSON: documents with something put in, taken out or repeated, and heaps of bits."""
    if draw(st.integers(0, 3)) == 0:
        return "".join(draw(st.lists(st.sampled_from(BITS), max_size=12)))
    text = draw(documents())
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(text)))
        upto = draw(st.sampled_from([place, place, place + 1, place + 3, len(text)]))
        text = text[:place] + draw(st.sampled_from([*BITS, "", "", text])) + text[upto:]
    return text


@st.composite
def cuts(draw: st.DrawFn, source: st.SearchStrategy[str]) -> list[str]:
    """A text in fragments, empty ones among them."""
    text = draw(source)
    if draw(st.booleans()):
        return cut(text, draw(st.integers(1, 9)))
    return cut_at(text, draw(st.lists(st.integers(0, len(text)), max_size=6)))
