from __future__ import annotations

import json
from functools import partial

import pytest
from framing.cuts import random_cuts, run, run_every_way, single_bytes, split
from hypothesis import given, settings
from hypothesis import strategies as st
from support import pure_only

from toolwire.errors import UsageError
from toolwire.framing import MAX_EVENT_BYTES, JSONLinesFramer
from toolwire.framing.brackets import Brackets, Wholeness

CASES: dict[str, tuple[bytes, list[tuple[bytes, int]]]] = {
    "nothing": (b"", []),
    "blanks": (b" \r\n\t\n", []),
    "lines": (b'{"a":1}\n{"b":2}\n', [(b'{"a":1}', 0), (b'{"b":2}', 8)]),
    "CRLF": (b"{}\r\n\r\n[1]\r\n", [(b"{}", 0), (b"[1]", 6)]),
    "no last line end": (b'{"a":1}\n{"b":2}', [(b'{"a":1}', 0), (b'{"b":2}', 8)]),
    "joined": (b"{}[]{}", [(b"{}", 0), (b"[]", 2), (b"{}", 4)]),
    "pretty": (b'{\n  "a": [\n    1\n  ]\n}\n{\n}\n', [(b'{\n  "a": [\n    1\n  ]\n}', 0), (b"{\n}", 23)]),
    "brackets in strings": (b'{"a":"}]\\"}","b\\\\":1}{}', [(b'{"a":"}]\\"}","b\\\\":1}', 0), (b"{}", 21)]),
    "mark": (b"\xef\xbb\xbf{}\n", [(b"{}", 3)]),
    "UTF-8": ('{"t":"東京🌍"}\n'.encode(), [('{"t":"東京🌍"}'.encode(), 0)]),
    "done": (b"{}\n[DONE]\n", [(b"{}", 0), (b"[DONE]", 3)]),
    "quoted done": (b'{}\n"[DONE]"\n', [(b"{}", 0), (b'"[DONE]"', 3)]),
    "quoted done, no line end": (b'{}\n"[DONE]"', [(b"{}", 0), (b'"[DONE]"', 3)]),
    "scalars": (b"1\nnull \ntrue", [(b"1", 0), (b"null", 2), (b"true", 8)]),
    "text": (b"Bad Gateway\n<p>{}</p>\r\n", [(b"Bad Gateway", 0), (b"<p>{}</p>", 12)]),
    "text after a document": (b"{} oops\n{}\n", [(b"{}", 0), (b"oops", 3), (b"{}", 8)]),
    "wrong bracket": (b"{]\n{}\n", [(b"{]", 0), (b"{}", 3)]),
    "half a mark": (b"\xef\xbb", [(b"\xef\xbb", 0)]),
}

CUT_OFF: dict[str, tuple[bytes, list[tuple[bytes, int]], int]] = {
    "object": (b'{}\n{"a":[1}', [(b"{}", 0)], 3),
    "in a string": (b'{"a":"}', [], 0),
    "after a backslash": (b'{"a":"\\', [], 0),
    "line ended": (b'{"a":1\n', [], 0),
    "string": (b'{}\n"[DO', [(b"{}", 0)], 3),
}


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    data, expected = CASES[name]
    outcome = run_every_way(JSONLinesFramer, data)
    assert outcome.frames == [("", payload, at) for payload, at in expected]
    assert outcome.fault is None


@pytest.mark.parametrize("name", CUT_OFF)
def test_cut_off(name: str) -> None:
    data, expected, offset = CUT_OFF[name]
    outcome = run_every_way(JSONLinesFramer, data)
    assert outcome.frames == [("", payload, at) for payload, at in expected]
    assert outcome.fault == (
        "protocol",
        offset,
        f"bytes ended inside an event (begun at byte {offset})",
    )


@settings(deadline=None)
@given(st.sampled_from([*CASES.values(), *CUT_OFF.values()]), random_cuts)
def test_cases_at_random_cuts(case: tuple[bytes, object], cuts: list[int]) -> None:
    assert run(JSONLinesFramer, split(case[0], cuts)) == run(JSONLinesFramer, [case[0]])


@pytest.mark.parametrize(
    ("data", "limit", "count", "offset"),
    [
        (b'{}\n{"a":1}\n', 7, 2, None),
        (b'{}\n{"a":1}\n', 6, 1, 3),
        (b"1234567\n{}", 7, 2, None),
        (b"1234567\n{}", 6, 0, 0),
        (b"         {}", 6, 1, None),
        (b'{"aaaaaaaa', 6, 0, 0),
    ],
)
def test_limits(data: bytes, limit: int, count: int, offset: int | None) -> None:
    outcome = run_every_way(partial(JSONLinesFramer, max_event_bytes=limit), data)
    assert len(outcome.frames) == count
    assert (outcome.fault and outcome.fault[:2]) == (None if offset is None else ("limit", offset))


def test_a_document_comes_before_its_line_end() -> None:
    framer = JSONLinesFramer()
    assert [len(framer.feed(piece)) for piece in (b'{"a"', b":1}", b"\n")] == [0, 1, 0]


def test_feed_after_end_is_the_callers_fault() -> None:
    framer = JSONLinesFramer()
    framer.end()
    with pytest.raises(UsageError):
        framer.feed(b"{}")


@pure_only
def test_each_byte_is_scanned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scanned = 0
    original = Brackets.scan

    def scan(self: Brackets, data: bytes, pos: int = 0) -> int:
        nonlocal scanned
        scanned += len(data) - pos
        return original(self, data, pos)

    monkeypatch.setattr(Brackets, "scan", scan)
    data = b'{"a":"' + b"x" * 100_000 + b'"}'
    assert len(run(JSONLinesFramer, split(data, range(0, 200_000, 100))).frames) == 1
    assert scanned == len(data)


PIECES = [
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b"\\",
    b"\n",
    b"\r",
    b" ",
    b",",
    b"x",
    b"{}",
    b'"a"',
    b"\xef\xbb\xbf",
    b"1",
]
streams = st.one_of(st.binary(max_size=100), st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join))


@settings(deadline=None)
@given(streams, random_cuts, st.sampled_from([1, 2, 3, 5, 8, MAX_EVENT_BYTES]))
def test_any_bytes_any_cuts(data: bytes, cuts: list[int], limit: int) -> None:
    make = partial(JSONLinesFramer, max_event_bytes=limit)
    whole = run(make, [data])
    assert run(make, split(data, cuts)) == whole
    assert run(make, single_bytes(data)) == whole


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.text(), json_values, max_size=4), max_size=5), st.booleans(), random_cuts)
def test_documents_come_back(values: list[object], pretty: bool, cuts: list[int]) -> None:
    texts = [json.dumps(v, ensure_ascii=pretty, indent=2 if pretty else None).encode() for v in values]
    for joint in (b"\n", b"", b"\r\n\r\n"):
        outcome = run(JSONLinesFramer, split(joint.join(texts), cuts))
        assert [frame[1] for frame in outcome.frames] == texts
        assert outcome.fault is None


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (b"{}", True),
        (b" [1] \n", True),
        (b'"a"', True),
        (b'"a\\""', True),
        (b"[DONE]", True),
        (b"", False),
        (b" ", False),
        (b"{", False),
        (b'"a\\"', False),
        (b"{}x", False),
        (b"{}{}", False),
        (b"x{}", False),
        (b"1", False),
    ],
)
def test_wholeness(text: bytes, whole: bool) -> None:
    for pieces in ([text], single_bytes(text)):
        wholeness = Wholeness()
        for piece in pieces:
            wholeness.feed(piece)
        assert wholeness.whole is whole
