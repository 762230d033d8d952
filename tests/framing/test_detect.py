from __future__ import annotations

import json
import random
from functools import partial
from typing import TYPE_CHECKING

import pytest
from framing.cuts import random_cuts, run, run_every_way, single_bytes, split
from hypothesis import given, settings
from hypothesis import strategies as st
from support import SHARED, needs_shared

import toolwire.framing
from toolwire.errors import UsageError
from toolwire.framing import FRAMINGS, AutoFramer, detect

if TYPE_CHECKING:
    from pathlib import Path

NAMES: list[tuple[bytes, str | None]] = [
    (b"", None),
    (b" \r\n\t", None),
    (b"\xef", None),
    (b"\xef\xbb", None),
    (b"\xef\xbb\xbf", None),
    (b"\xef\xbb\xbf\n ", None),
    (b"[", None),
    (b" [ \n", None),
    (b"{", "json-lines"),
    (b"\xef\xbb\xbf {", "json-lines"),
    (b'\n\n{"a":1}\n', "json-lines"),
    (b"[{", "json-array"),
    (b"[\n {", "json-array"),
    (b"[]", "json-array"),
    (b"[[", "json-array"),
    (b'["', "json-array"),
    (b"[DONE]", "sse"),
    (b"[2024-01-01] started", "sse"),
    (b"d", "sse"),
    (b"data: {}", "sse"),
    (b"event: x", "sse"),
    (b": comment", "sse"),
    (b"\n\ndata: {}", "sse"),
    (b"<html>", "sse"),
    (b"\xef\xbbx", "sse"),
    (b" " * 1023, None),
    (b" " * 1024, "sse"),
    (b" " * 1024 + b"{", "sse"),
    (b"\xef\xbb\xbf" + b"\n" * 1020 + b"{", "json-lines"),
    (b"\0", None),
    (b"\0\0\0\x10\0\0\0\0\x05\xc2\x48", None),
    (b"\0\0\0\x10\0\0\0\0\x05\xc2\x48\xeb", "aws-eventstream"),
    (b"\0\0\0\x10\0\0\0\0\x05\xc2\x48\xec", "sse"),
]


@pytest.mark.parametrize(("prefix", "name"), NAMES)
def test_detect(prefix: bytes, name: str | None) -> None:
    assert detect(prefix) == name


@settings(deadline=None)
@given(
    st.one_of(st.binary(max_size=30), st.text(' \n[]{}"\ufeffad:', max_size=30).map(str.encode)),
    st.integers(0, 30),
)
def test_what_is_decided_stays(data: bytes, cut: int) -> None:
    name = detect(data[:cut])
    assert name is None or detect(data) == name


def test_framings() -> None:
    assert list(FRAMINGS) == ["aws-eventstream", "json-array", "json-lines", "sse"]
    for make in FRAMINGS.values():
        assert make(max_event_bytes=5).end() == []


def test_exports() -> None:
    assert toolwire.framing.__all__ == sorted(
        toolwire.framing.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)
    )
    for name in toolwire.framing.__all__:
        assert hasattr(toolwire.framing, name)


AUTO: list[tuple[bytes, str | None, list[tuple[str, bytes, int]]]] = [
    (b"", None, []),
    (b"data: {}\n\n", "sse", [("", b"{}", 0)]),
    (b"\xef\xbb\xbf\nevent: a\ndata: 1\n\n", "sse", [("a", b"1", 4)]),
    (b"[DONE]\n", "sse", [("", b"[DONE]", 0)]),
    (b' {"a":1}\n{"b":2}', "json-lines", [("", b'{"a":1}', 1), ("", b'{"b":2}', 9)]),
    (b" [ {},{}]", "json-array", [("", b"{}", 3), ("", b"{}", 6)]),
    (b" " * 3000 + b"{}", "sse", [("", b"{}", 3000)]),
    (b"\n\n", "sse", []),
]


@pytest.mark.parametrize(("data", "name", "rows"), AUTO)
def test_auto(data: bytes, name: str | None, rows: list[tuple[str, bytes, int]]) -> None:
    outcome = run_every_way(AutoFramer, data)
    assert outcome.frames == list(rows)
    assert outcome.fault is None
    for pieces in ([data], single_bytes(data)):
        framer = AutoFramer()
        assert framer.name is None
        for piece in pieces:
            framer.feed(piece)
        framer.end()
        assert framer.name == name


def test_auto_passes_faults_and_strays_on() -> None:
    assert run_every_way(AutoFramer, b"<html>\n").stray == b"<html>"
    assert run_every_way(AutoFramer, b"\n{").fault == (
        "protocol",
        1,
        "bytes ended inside an event (begun at byte 1)",
    )
    assert run_every_way(AutoFramer, b" [").fault == (
        "protocol",
        1,
        "bytes ended inside an event (begun at byte 1)",
    )
    assert run_every_way(partial(AutoFramer, max_event_bytes=5), b"data: 1\n\n").fault is not None


@pytest.mark.parametrize("data", [b"", b" ", b"{}"])
def test_auto_feed_after_end_is_the_callers_fault(data: bytes) -> None:
    framer = AutoFramer()
    framer.feed(data)
    framer.end()
    with pytest.raises(UsageError):
        framer.feed(b"{}")


PIECES = [
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b"\n",
    b"\r",
    b" ",
    b"x",
    b"{}",
    b"\xef\xbb\xbf",
    b"data: ",
    b"data: {}\n\n",
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=20).map(b"".join), random_cuts)
def test_auto_at_any_cuts(data: bytes, cuts: list[int]) -> None:
    whole = run(AutoFramer, [data])
    assert run(AutoFramer, split(data, cuts)) == whole
    assert run(AutoFramer, single_bytes(data)) == whole


FOLDERS = ("openai_shaped", "other")
NAMES_BY_SUFFIX = {".sse": "sse", ".jsonl": "json-lines", ".ndjson": "json-lines", ".json": "json-array"}


def recordings() -> list[Path]:
    found = [path for folder in FOLDERS for path in (SHARED / "corpus" / folder).rglob("*")]
    return sorted(path for path in found if path.suffix in NAMES_BY_SUFFIX)


@needs_shared
def test_there_are_recordings() -> None:
    assert len(recordings()) > 250


@pytest.mark.parametrize("path", recordings(), ids=lambda path: path.name)
def test_recordings(path: Path) -> None:
    data = path.read_bytes()
    framer = AutoFramer()
    frames = framer.feed(data) + framer.end()
    assert framer.name == NAMES_BY_SUFFIX[path.suffix]
    assert framer.fault is None
    assert not framer.stray
    assert frames
    for frame in frames:
        assert frame[1] == b"[DONE]" or json.loads(frame[1]) is not None
        assert frame[2] < len(data)
    assert [frame[2] for frame in frames] == sorted({frame[2] for frame in frames})
    assert run(AutoFramer, single_bytes(data)).frames == frames
    cuts = random.Random(path.name)
    for count in (3, 30, 300):
        pieces = split(data, [cuts.randrange(len(data)) for _ in range(count)])
        assert run(AutoFramer, pieces).frames == frames


@needs_shared
@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("other/**/*firebase_error_mid_stream_bare_json.sse", 3),
        ("openai_shaped/**/github-copilot__spec-single-tool-call.sse", None),
        ("openai_shaped/**/github-copilot__spec-single-tool-call-with-annotations-attached.sse", None),
        ("openai_shaped/**/openrouter__tools-streaming-tools-streaming-variant-c.sse", None),
    ],
)
def test_no_line_of_data_is_lost(pattern: str, count: int | None) -> None:
    """Recordings with a bare error, without blank lines or with leading blanks: a frame per payload."""
    (path,) = (SHARED / "corpus").glob(pattern)
    data = path.read_bytes()
    expected = sum(line.strip().startswith(b"data:") for line in data.splitlines()) if count is None else count
    assert len(run(AutoFramer, [data]).frames) == expected
