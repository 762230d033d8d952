"""Lines without their ends are told from arbitrary cuts."""

from __future__ import annotations

import pytest

from toolwire.framing.lines import LineJoiner

DATA = b'data: {"a": 1}'

CASES: dict[str, tuple[list[bytes], bytes]] = {
    "lines of an event stream": ([DATA, b"", DATA, b""], DATA + b"\n\n" + DATA + b"\n\n"),
    "lines that begin with a name": ([b"event: x", DATA, b""], b"event: x\n" + DATA + b"\n\n"),
    "lines that begin with a comment": ([b": hello", b"", DATA], b": hello\n\n" + DATA + b"\n"),
    "lines without blank ones": ([DATA, DATA], DATA + b"\n" + DATA + b"\n"),
    "JSON lines": ([b'{"a": 1}', b'{"b": 2}'], b'{"a": 1}\n{"b": 2}\n'),
    "lines with their ends": ([DATA + b"\n", b"\n", DATA + b"\n"], DATA + b"\n\n" + DATA + b"\n"),
    "a cut behind a whole line": ([DATA, b"\n\ndata: 1"], DATA + b"\n\ndata: 1"),
    "a cut inside a line": ([b'data: {"a', b'": 1}', b""], b'data: {"a": 1}'),
    "bytes one by one": ([DATA[i : i + 1] for i in range(len(DATA))], DATA),
    "a comment byte by byte": ([b":", b":", b"\n"], b"::\n"),
    "a cut in what looks like a comment": ([b":[", b'{"a": 1}\n'], b':[{"a": 1}\n'),
    "a cut between what looks like comments": ([b":a", b":b\n"], b":a:b\n"),
    "a cut before what looks like a field": ([b": a", b'data: {"a'], b': adata: {"a'),
    "a cut in a name": ([b"event: a", b"event: b\n"], b"event: aevent: b\n"),
    "a cut comment that looks like lines": ([b": a", b"event: b", b"c\n"], b": aevent: bc\n"),
    "comments and names before the first document": (
        [b": a", b"id: 1", b"event: x", DATA, b""],
        b": a\nid: 1\nevent: x\n" + DATA + b"\n\n",
    ),
    "nothing but a name": ([b"event: a"], b"event: a"),
    "an array in pieces": ([b'[{"a": 1}', b",{}]"], b'[{"a": 1},{}]'),
    "a whole body in one piece": ([b'{"a": 1}'], b'{"a": 1}'),
    "empty pieces first": ([b"", b"", b'{"a": 1}', b'{"b": 2}'], b'{"a": 1}\n{"b": 2}\n'),
}


@pytest.mark.parametrize("name", CASES)
def test_lines_or_cuts(name: str) -> None:
    """The bytes to frame, in each case."""
    pieces, expected = CASES[name]
    joiner = LineJoiner()

    assert b"".join([*map(joiner.feed, pieces), joiner.end()]) == expected


def test_only_a_whole_line_waits() -> None:
    """What can't be a whole line is handed on at once."""
    assert LineJoiner().feed(b'[{"a": 1}') == b'[{"a": 1}'
    assert LineJoiner().feed(b'data: {"a') == b'data: {"a'
    assert LineJoiner().feed(DATA) == b""
