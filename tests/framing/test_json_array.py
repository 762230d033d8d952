from __future__ import annotations

from functools import partial

import pytest
from framing.cuts import random_cuts, run, run_every_way, single_bytes, split
from hypothesis import given, settings
from hypothesis import strategies as st

from toolwire.framing import MAX_EVENT_BYTES, JSONArrayFramer

CASES: dict[str, tuple[bytes, list[tuple[bytes, int]]]] = {
    "nothing": (b"", []),
    "empty": (b"[]", []),
    "empty, spaced": (b" [ \n ]\n", []),
    "one": (b'[{"a":1}]', [(b'{"a":1}', 1)]),
    "in pieces": (b'[{"a":1}\n,\r\n{"b":[2,"]"]}\n]\n', [(b'{"a":1}', 1), (b'{"b":[2,"]"]}', 12)]),
    "pretty": (b'[{\n  "a": {}\n},\n{\n}]', [(b'{\n  "a": {}\n}', 1), (b"{\n}", 16)]),
    "scalars": (b'[1, "a,]", null,true]', [(b"1", 1), (b'"a,]"', 4), (b"null", 11), (b"true", 16)]),
    "arrays": (b"[[1,[2]],[]]", [(b"[1,[2]]", 1), (b"[]", 9)]),
    "bare object": (b'{"error":1}', [(b'{"error":1}', 0)]),
    "object after": (b'[{}]\n{"error":{}}\n', [(b"{}", 1), (b'{"error":{}}', 5)]),
    "array after": (b"[{}][{}]", [(b"{}", 1), (b"{}", 5)]),
    "text instead": (b"Bad [gateway]\n", [(b"Bad [gateway]", 0)]),
    "text after": (b"[{}]oops", [(b"{}", 1), (b"oops", 4)]),
    "stray bracket": (b"[}]", [(b"}", 1)]),
    "mark": (b"\xef\xbb\xbf[{}]", [(b"{}", 4)]),
}

CUT_OFF: dict[str, tuple[bytes, list[tuple[bytes, int]], int, str]] = {
    "in an element": (b'[{},\n{"a":1', [(b"{}", 1)], 5, "an event"),
    "in a string": (b'[{"a":"}', [], 1, "an event"),
    "in a scalar": (b"[12", [], 1, "an event"),
    "between elements": (b" [{},\n", [(b"{}", 2)], 1, "an array"),
    "before the first": (b"[", [], 0, "an array"),
    "object after": (b"[]{", [], 2, "an event"),
}


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    data, expected = CASES[name]
    outcome = run_every_way(JSONArrayFramer, data)
    assert outcome.frames == [("", payload, at) for payload, at in expected]
    assert outcome.fault is None


@pytest.mark.parametrize("name", CUT_OFF)
def test_cut_off(name: str) -> None:
    data, expected, offset, what = CUT_OFF[name]
    outcome = run_every_way(JSONArrayFramer, data)
    assert outcome.frames == [("", payload, at) for payload, at in expected]
    assert outcome.fault == ("protocol", offset, f"bytes ended inside {what} (begun at byte {offset})")


@settings(deadline=None)
@given(st.sampled_from([*CASES.values(), *CUT_OFF.values()]), random_cuts)
def test_cases_at_random_cuts(case: tuple[bytes, object], cuts: list[int]) -> None:
    assert run(JSONArrayFramer, split(case[0], cuts)) == run(JSONArrayFramer, [case[0]])


@pytest.mark.parametrize(
    ("data", "limit", "count", "offset"),
    [
        (b'[{},{"a":1}]', 7, 2, None),
        (b'[{},{"a":1}]', 6, 1, 4),
        (b"[1234567]", 6, 0, 1),
        (b"[{},{},{},{},{}]", 2, 5, None),
    ],
)
def test_limits(data: bytes, limit: int, count: int, offset: int | None) -> None:
    outcome = run_every_way(partial(JSONArrayFramer, max_event_bytes=limit), data)
    assert len(outcome.frames) == count
    assert (outcome.fault and outcome.fault[:2]) == (None if offset is None else ("limit", offset))


def test_an_element_comes_before_its_comma() -> None:
    framer = JSONArrayFramer()
    pieces = (b"[", b'{"a"', b":1}", b",", b"{}]", b"\n")
    assert [len(framer.feed(piece)) for piece in pieces] == [0, 0, 1, 0, 1, 0]


PIECES = [b"{", b"}", b"[", b"]", b'"', b"\\", b"\n", b" ", b",", b"x", b"{}", b'"a"', b"\xef\xbb\xbf", b"1"]
streams = st.one_of(st.binary(max_size=100), st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join))


@settings(deadline=None)
@given(streams, random_cuts, st.sampled_from([1, 2, 3, 5, 8, MAX_EVENT_BYTES]))
def test_any_bytes_any_cuts(data: bytes, cuts: list[int], limit: int) -> None:
    make = partial(JSONArrayFramer, max_event_bytes=limit)
    whole = run(make, [data])
    assert run(make, split(data, cuts)) == whole
    assert run(make, single_bytes(data)) == whole
