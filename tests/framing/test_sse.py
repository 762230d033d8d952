from __future__ import annotations

import json
import re
import tracemalloc
from functools import partial

import pytest
from framing.cuts import Outcome, random_cuts, run, run_every_way, split
from hypothesis import given, settings
from hypothesis import strategies as st
from support import SHARED, needs_shared, pure_only

from toolwire.errors import UsageError
from toolwire.framing import MAX_EVENT_BYTES, AutoFramer, Frame, SSEFramer
from toolwire.framing.brackets import Brackets

# name -> bytes, frames. No case here has a fault.
CASES: dict[str, tuple[bytes, list[tuple[str, bytes, int]]]] = {
    # the standard
    "nothing": (b"", []),
    "one event": (b"data: {}\n\n", [("", b"{}", 0)]),
    "two events": (b"data: 1\n\ndata: 2\n\n", [("", b"1", 0), ("", b"2", 9)]),
    "no space": (b"data:{}\n\n", [("", b"{}", 0)]),
    "one space only": (b"data:  x \n\n", [("", b" x ", 0)]),
    "named": (b"event: a\ndata: 1\n\ndata: 2\n\n", [("a", b"1", 0), ("", b"2", 18)]),
    "named, no space": (b"event:a\ndata:1\n\n", [("a", b"1", 0)]),
    "name last": (b"data: x\nevent: a\n\n", [("a", b"x", 0)]),
    "last name wins": (b"event: a\nevent: b\ndata: x\n\n", [("b", b"x", 0)]),
    "empty name": (b"event: a\nevent\ndata: x\n\n", [("", b"x", 0)]),
    "name is text": ("event: é\ndata: x\n\n".encode(), [("é", b"x", 0)]),
    "name is not UTF-8": (b"event: \xff\ndata: x\n\n", [("\ufffd", b"x", 0)]),
    "name without data": (b"event: a\n\ndata: 1\n\n", [("", b"1", 10)]),
    "CRLF": (b"data: 1\r\n\r\nevent: a\r\ndata: 2\r\n\r\n", [("", b"1", 0), ("a", b"2", 11)]),
    "CR": (b"data: 1\r\revent: a\rdata: 2\r\r", [("", b"1", 0), ("a", b"2", 9)]),
    "mixed ends": (b"data: 1\r\n\ndata: 2\n\rdata: 3\r\r\n", [("", b"1", 0), ("", b"2", 10), ("", b"3", 19)]),
    "CR CRLF are two ends": (b"data: 1\r\r\ndata: 2\n\n", [("", b"1", 0), ("", b"2", 10)]),
    "lines joined": (b"data: a\ndata:\ndata: b\n\n", [("", b"a\n\nb", 0)]),
    "pretty document": (b'data: {\ndata:  "a": 1\ndata: }\n\n', [("", b'{\n "a": 1\n}', 0)]),
    "comments": (b": hi\n\n:\ndata: a\n: x\ndata: b\n\n", [("", b"a\nb", 8)]),
    "other fields": (b"id: 7\nretry: 10\nretry: x\nid\ndata: a\n\n", [("", b"a", 28)]),
    "empty data": (b"data\n\ndata:\n\ndata: \n\ndata:   \n\nevent: a\ndata:\n\n", []),
    "mark": (b"\xef\xbb\xbfdata: a\n\n", [("", b"a", 3)]),
    "mark alone": (b"\xef\xbb\xbf", []),
    "mark and bare": (b"\xef\xbb\xbf{}", [("", b"{}", 3)]),
    "UTF-8": ('data: {"t":"東京🌍"}\n\n'.encode(), [("", '{"t":"東京🌍"}'.encode(), 0)]),
    "NUL": (b"data: \0\n\n", [("", b"\0", 0)]),
    "trailing blanks kept": (b"data: {}   \n\n", [("", b"{}   ", 0)]),
    # (a) bare document
    "bare": (b'data: {}\n\n{"error":1}\n', [("", b"{}", 0), ("", b'{"error":1}', 10)]),
    "bare, pretty": (b'{\n "e": {\r\n  "m": "}"\n }\n}\n', [("", b'{\n "e": {\r\n  "m": "}"\n }\n}', 0)]),
    "bare, blank line inside": (b'{\n\n"a":1}\n\n', [("", b'{\n\n"a":1}', 0)]),
    "bare, no line end": (b'data: 1\n\n{"a":"\\"}"}', [("", b"1", 0), ("", b'{"a":"\\"}"}', 9)]),
    "bare array": (b'[{"a":[]}]\ndata: 1\n\n', [("", b'[{"a":[]}]', 0), ("", b"1", 11)]),
    "bare [DONE]": (b"data: {}\n\n[DONE]\n", [("", b"{}", 0), ("", b"[DONE]", 10)]),
    "bare twice": (b"{}{}\n \t{}\n", [("", b"{}", 0), ("", b"{}", 2), ("", b"{}", 7)]),
    "bare, then a field": (b"{}data: 1\n\n", [("", b"{}", 0), ("", b"1", 2)]),
    "bare with a name": (b"event: error\n{}\n\ndata: 1\n\n", [("error", b"{}", 0), ("", b"1", 17)]),
    "bare after whole data": (b"data: {}\n[1]\n", [("", b"{}", 0), ("", b"[1]", 9)]),
    "bare after a late name": (b"data: {}\nevent: x\n[1]\n", [("", b"{}", 0), ("x", b"[1]", 9)]),
    # broken document
    "broken": (b'{"a":\n"\ndata: 1\n\n', [("", b'{"a":\n"', 0), ("", b"1", 8)]),
    "broken, CRLF": (b"{\r\nevent: x\r\ndata: 1\r\n\r\n", [("", b"{", 0), ("x", b"1", 3)]),
    "not broken": (b"{\ndata\n}\n", [("", b"{\ndata\n}", 0)]),
    # (b) missing blank, and late names
    "no blank": (
        b"data: {}\ndata: [1]\ndata: [DONE]\n",
        [("", b"{}", 0), ("", b"[1]", 9), ("", b"[DONE]", 19)],
    ),
    "no blank, string": (b'data: "a"\ndata: {}\n', [("", b'"a"', 0), ("", b"{}", 10)]),
    "no blank, pretty": (
        b'data: {\ndata: "}"\ndata: :1}\ndata: 1\n\n',
        [("", b'{\n"}"\n:1}', 0), ("", b"1", 28)],
    ),
    "junk is not whole": (b"data: {} x\ndata: {}\n\n", [("", b"{} x\n{}", 0)]),
    "no blank, names": (
        b"event: a\ndata: {}\nevent: b\ndata: [1]\n\n",
        [("a", b"{}", 0), ("b", b"[1]", 18)],
    ),
    "late name": (b"data: {}\nevent: a\n\ndata: 1\n\n", [("a", b"{}", 0), ("", b"1", 19)]),
    "late name of the next": (b"data: {}\nevent: a\ndata: [1]\n\n", [("", b"{}", 0), ("a", b"[1]", 9)]),
    # (c) leading blanks
    "leading blanks": (b" data: {}\n\n\t event: a\n  data: 1\n\n", [("", b"{}", 0), ("a", b"1", 11)]),
    "line of blanks": (b"data: 1\n \t\ndata: 2\n\n", [("", b"1", 0), ("", b"2", 11)]),
    "leading blanks, comment": (b"  : x\n data: 1\n\n", [("", b"1", 6)]),
    # (d) missing end
    "no end": (b"data: {}\n", [("", b"{}", 0)]),
    "no line end": (b"event: a\ndata: {}", [("a", b"{}", 0)]),
    "no line end, [DONE]": (b"data: 1\n\ndata: [DONE]", [("", b"1", 0), ("", b"[DONE]", 9)]),
    "no end, string": (b'data: "a"', [("", b'"a"', 0)]),
    "no end, CR": (b"data: {}\r", [("", b"{}", 0)]),
    "no end, late name": (b"data: {}\nevent: a", [("a", b"{}", 0)]),
    "no end, empty data": (b"data: {}\n\ndata:\n", [("", b"{}", 0)]),
    "end in a comment": (b"data: {}\n\n: keep", [("", b"{}", 0)]),
    "end in an id": (b"data: {}\n\nid: 1", [("", b"{}", 0)]),
}

# name -> bytes, frames before the fault, its offset
CUT_OFF: dict[str, tuple[bytes, list[tuple[str, bytes, int]], int]] = {
    "data": (b'data: {}\n\ndata: {"a":1', [("", b"{}", 0)], 10),
    "data, line ended": (b'data: {"a":1\n', [], 0),
    "text": (b"data: hello\n", [], 0),
    "string": (b'data: "a', [], 0),
    "name alone": (b"data: {}\n\nevent: a\n", [("", b"{}", 0)], 10),
    "named, data cut": (b"event: a\ndata: {", [], 0),
    "beginning of a field": (b"data: {}\n\nda", [("", b"{}", 0)], 10),
    "beginning of data after a name": (b"event: a\ndata: ", [], 0),
    "beginning after whole data": (b"data: {}\neve", [("", b"{}", 0)], 9),
    "beginning after a late name": (b"data: {}\nevent: x\nda", [("", b"{}", 0)], 9),
    "beginning after half data": (b"data: {\nda", [], 0),
    "next name": (b"event: a\ndata: {}\nevent: b\n", [("a", b"{}", 0)], 18),
    "bare": (b'data: {}\n\n{"error": {}', [("", b"{}", 0)], 10),
    "bare, in a string": (b'{"a": "}', [], 0),
}


def frames(rows: list[tuple[str, bytes, int]]) -> list[Frame]:
    return list(rows)


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    data, expected = CASES[name]
    outcome = run_every_way(SSEFramer, data)
    assert outcome.frames == frames(expected)
    assert outcome.fault is None


@pytest.mark.parametrize("name", CUT_OFF)
def test_cut_off(name: str) -> None:
    data, expected, offset = CUT_OFF[name]
    outcome = run_every_way(SSEFramer, data)
    assert outcome.frames == frames(expected)
    assert outcome.fault is not None
    kind, at, message = outcome.fault
    assert (kind, at) == ("protocol", offset)
    assert "bytes ended inside an event" in message
    assert str(offset) in message


@settings(deadline=None)
@given(st.sampled_from([*CASES.values(), *CUT_OFF.values()]), random_cuts)
def test_cases_at_random_cuts(case: tuple[bytes, object], cuts: list[int]) -> None:
    assert run(SSEFramer, split(case[0], cuts)) == run(SSEFramer, [case[0]])


def test_joined_cases_keep_their_frames() -> None:
    data, expected = b"", []
    for piece, rows in CASES.values():
        if piece.endswith((b"\n\n", b"\r\n\r\n")) and not piece.startswith(b"\xef"):
            expected += [(event, payload, at + len(data)) for event, payload, at in rows]
            data += piece
    assert run_every_way(SSEFramer, data).frames == expected


@pytest.mark.parametrize(
    ("data", "stray", "offset"),
    [
        (b"<!DOCTYPE html>\n<html>\n", b"<!DOCTYPE html>", 0),
        (b"data: 1\n\n  Bad: x\n", b"  Bad: x", 9),
        (b"Internal Server Error", b"Internal Server Error", 0),
        (b"\xef\xbb\xbfoops\n", b"oops", 3),
        (b"\xef\xbb", b"\xef\xbb", 0),
        (b"{},\n", b",", 2),
        (b"x" * 1000 + b"\ny\n", b"x" * 200, 0),
        (b'data: {"a":\n{"b":1}}\ndata: }\n\n', b'{"b":1}}', 12),
        (b"data: 1\n\nid: 1\nretry: 1\n:\n\n", b"", None),
    ],
)
def test_stray_lines(data: bytes, stray: bytes, offset: int | None) -> None:
    outcome = run_every_way(SSEFramer, data)
    assert (outcome.stray, outcome.stray_offset) == (stray, offset)
    assert outcome.fault is None


@pytest.mark.parametrize(
    ("pieces", "counts"),
    [
        ([b"data: 1\n", b"\n", b"data: 2\n\n"], [0, 1, 1]),
        ([b"data: 1\r\n\r", b"\ndata: 2\r\r", b"\n"], [1, 1, 0]),
        ([b'{"a":', b"[1]", b"}", b"\n"], [0, 0, 1, 0]),
        ([b"data: {}\n", b"data: ", b"1", b"\n"], [0, 0, 0, 1]),
        ([b"data: {}\n", b" {", b"}"], [0, 1, 1]),
    ],
)
def test_frames_come_at_once(pieces: list[bytes], counts: list[int]) -> None:
    framer = SSEFramer()
    assert [len(framer.feed(piece)) for piece in pieces] == counts


# bytes, limit, frames, offset of the fault or None
LIMITS = [
    (b"data: 1234\n\n", 10, 1, None),
    (b"data: 1234\n\n", 9, 0, 0),
    (b"data: 1234", 9, 0, 0),
    (b"data: 1\n\ndata: 1234\n\n", 9, 1, 9),
    (b"data: a\ndata: b\n\n", 14, 1, None),
    (b"data: a\ndata: b\n\n", 13, 0, 0),
    (b"event: a\ndata: b\n\n", 15, 1, None),
    (b"event: a\ndata: b\n\n", 14, 0, 0),
    (b"event: a\r\ndata: b\r\n\r\n", 15, 1, None),
    (b"event: a\nevent: b\n", 15, 0, 0),
    (b"data: {}\ndata: [1]\n", 9, 2, None),
    (b"data: {}\ndata: [1]\n", 8, 1, 9),
    (b"data: {}\nevent: a\ndata: 1\n\n", 15, 2, None),
    (b"data: {}\nevent: a\ndata: 1\n\n", 14, 1, 9),
    (b"data: {}\nevent: a\nevent: b\n\n", 8, 1, None),
    (b"data: {}\nevent: abc\n\n", 8, 1, 9),
    (b": 34567890\ndata: 1\n\n", 10, 1, None),
    (b": 34567890\ndata: 1\n\n", 9, 0, 0),
    (b"\ndata: a\n: 34567890", 9, 0, 1),
    (b"          ", 9, 0, 0),
    (b"          {}", 9, 0, 0),
    (b'\n{"a":1234}\n', 10, 1, None),
    (b'\n{"a":1234}\n', 9, 0, 1),
    (b"{\n345678901", 10, 0, 0),
    (b"{\ndata: 12\n\n", 8, 2, None),
    (b"{\n34567\ndata: 1\n\n", 12, 2, None),
    (b"{\n34567\ndata: 1\n\n", 11, 0, 0),
]


@pytest.mark.parametrize(("data", "limit", "count", "offset"), LIMITS)
def test_limits(data: bytes, limit: int, count: int, offset: int | None) -> None:
    outcome = run_every_way(partial(SSEFramer, max_event_bytes=limit), data)
    assert len(outcome.frames) == count
    if offset is None:
        assert outcome.fault is None
    else:
        assert outcome.fault == (
            "limit",
            offset,
            f"the event at byte {offset} is over the limit of {limit} bytes",
        )


def test_default_limit() -> None:
    assert SSEFramer().max_event_bytes == MAX_EVENT_BYTES == 16 * 1024 * 1024


@pytest.mark.parametrize("limit", [0, -1])
def test_senseless_limit(limit: int) -> None:
    with pytest.raises(UsageError):
        SSEFramer(max_event_bytes=limit)


def test_feed_after_end_is_the_callers_fault() -> None:
    framer = SSEFramer()
    framer.end()
    with pytest.raises(UsageError):
        framer.feed(b"data: 1\n\n")


def test_feed_after_a_fault_gives_nothing() -> None:
    framer = SSEFramer(max_event_bytes=8)
    assert len(framer.feed(b"data: 1\n\n" + b"x" * 9 + b"\n\ndata: 2\n\n")) == 1
    fault = framer.fault
    assert fault is not None
    assert framer.feed(b"\n\ndata: 3\n\n") == framer.end() == []
    assert framer.fault is fault


HEADS = [b"", b"data: ", b": ", b"{", b'{"a":"', b"data: {\ndata: ", b"event: ", b" "]


@pytest.mark.parametrize("head", HEADS)
def test_memory_is_bounded_without_a_line_end(head: bytes) -> None:
    limit = 100_000
    framer = SSEFramer(max_event_bytes=limit)
    framer.feed(head)
    piece = b" " * 1000
    tracemalloc.start()
    for _ in range(1000):
        framer.feed(piece)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert framer.fault is not None
    assert framer.fault.kind == "limit"
    assert peak < 3 * limit


@pytest.mark.parametrize(
    ("head", "end"), [(b'data: {"a":"', b'"}\n\n'), (b'{"a":"', b'"}'), (b'data: {"a":"', b'"}\ndata: 1\n\n')]
)
def test_a_chunk_costs_what_it_weighs(head: bytes, end: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large event in small chunks: each byte is scanned once, and few chunks move the bytes before them."""
    scanned = 0
    original = Brackets.scan

    def scan(self: Brackets, data: bytes, pos: int = 0) -> int:
        nonlocal scanned
        scanned += len(data) - pos
        return original(self, data, pos)

    monkeypatch.setattr(Brackets, "scan", scan)
    framer = SSEFramer()
    chunks, chunk = 2000, b"x" * 1000
    framer.feed(head)
    moved = 0
    tracemalloc.start()
    for _ in range(chunks):
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        assert framer.feed(chunk) == []
        _, peak = tracemalloc.get_traced_memory()
        moved += peak - before > 20 * len(chunk)
    tracemalloc.stop()
    assert moved < 100
    assert len(framer.feed(end)[0][1]) > chunks * len(chunk)
    assert scanned <= chunks * len(chunk) + 100


def test_wholeness_is_asked_of_new_lines_only(monkeypatch: pytest.MonkeyPatch) -> None:
    scanned = 0
    original = Brackets.scan

    def scan(self: Brackets, data: bytes, pos: int = 0) -> int:
        nonlocal scanned
        scanned += len(data) - pos
        return original(self, data, pos)

    monkeypatch.setattr(Brackets, "scan", scan)
    framer = SSEFramer()
    assert framer.feed(b"data: [\n" + b"data: 12345,\nevent: x\n" * 1000 + b"data: 0]\n") == []
    assert len(framer.feed(b"\n")) == 1
    assert scanned <= 8 * 1000


@pure_only
def test_usual_events_are_not_scanned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Brackets, "scan", None)
    data = b"event: a\r\ndata: {}\r\n\r\n: x\r\n\r\ndata: {\r\ndata: }\r\n\r\n"
    framer = SSEFramer()
    with pytest.raises(TypeError):
        framer.feed(data)  # the second line of data asks
    framer = SSEFramer()
    assert len(framer.feed(b"event: a\r\ndata: {}\r\n\r\n: x\r\n\r\ndata: {}\r\n\r\n")) == 2


PIECES = [
    *(
        b"data: ",
        b"data:",
        b"data",
        b"event: ",
        b"event:",
        b"id: 1",
        b"retry:",
        b":",
        b" ",
        b"\t",
        b"\n",
        b"\r",
    ),
    *(
        b"\r\n",
        b"\n\n",
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b"\\",
        b"{}",
        b"[DONE]",
        b"x",
        b"\xef\xbb\xbf",
        b"\xff",
    ),
    *(b"data: {}\n\n", b"event: x\ndata: [1]\n\n", b"\xf0\x9f\x8c\x8d", b"\0"),
]
streams = st.one_of(st.binary(max_size=200), st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join))


@settings(deadline=None)
@given(streams, random_cuts, st.sampled_from([1, 2, 5, 8, 10, 12, 16, 20, 30, MAX_EVENT_BYTES]))
def test_any_bytes_any_cuts(data: bytes, cuts: list[int], limit: int) -> None:
    make = partial(SSEFramer, max_event_bytes=limit)
    whole = run(make, [data])
    assert run(make, split(data, cuts)) == whole
    assert run(make, (data[i : i + 1] for i in range(len(data)))) == whole


def by_the_book(data: bytes) -> list[tuple[str, bytes]]:
    """The standard's reader, written plainly."""
    events, lines, name = [], [], b""
    for line in re.split(rb"\r\n|\r|\n", data)[:-1]:
        field, _, value = line.partition(b":")
        if not line:
            if payload := b"\n".join(lines).strip(b"\n"):
                events.append((name.decode(), payload))
            lines, name = [], b""
        elif field == b"data":
            lines.append(value.removeprefix(b" "))
        elif field == b"event":
            name = value.removeprefix(b" ")
    return events


LINES = [b"data: x", b"data:y", b"data:  z", b"event: e", b"event:", b":c", b": data: c", b"id:1", b"foo: x", b""]


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from([b"\n", b"\r", b"\r\n"]))), random_cuts)
def test_by_the_book(lines: list[tuple[bytes, bytes]], cuts: list[int]) -> None:
    data = b"".join(part for line in lines for part in line)
    outcome = run(SSEFramer, split(data, cuts))
    assert [(frame[0], frame[1]) for frame in outcome.frames] == by_the_book(data)


def byte_cases() -> list[dict[str, object]]:
    path = SHARED / "cases" / "reports.jsonl"
    if not path.is_file():
        return []
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [record for record in records if record["provider_shape"] == "sse-bytes"]


@needs_shared
def test_there_are_byte_cases() -> None:
    assert len(byte_cases()) >= 7


@pytest.mark.parametrize("record", byte_cases(), ids=lambda record: record["id"])
def test_reported_cases(record: dict[str, list[dict[str, str]]]) -> None:
    chunks = [bytes.fromhex(chunk["hex"]) for chunk in record["chunks"]]
    outcome: Outcome = run(SSEFramer, chunks)
    assert outcome.fault is None
    assert not outcome.stray
    assert outcome.frames
    for frame in outcome.frames:
        assert frame[1] == b"[DONE]" or json.loads(frame[1])
    assert run_every_way(SSEFramer, b"".join(chunks)) == outcome
    assert run_every_way(AutoFramer, b"".join(chunks)) == outcome
