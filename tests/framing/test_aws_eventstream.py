from __future__ import annotations

import json
import struct
from binascii import crc32
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from framing.cuts import random_cuts, run, run_every_way, single_bytes, split
from hypothesis import given, settings
from hypothesis import strategies as st

from toolwire.errors import UsageError
from toolwire.framing.aws_eventstream import AWSEventStreamFramer, begins

if TYPE_CHECKING:
    from toolwire.framing import Frame


def header(name: str, value: str) -> bytes:
    return bytes([len(name)]) + name.encode() + b"\7" + struct.pack(">H", len(value.encode())) + value.encode()


def message(payload: bytes, headers: bytes = b"", total: int | None = None, length: int | None = None) -> bytes:
    """A frame; `total` and `length` are what its prelude says, with the right checksums."""
    total = 16 + len(headers) + len(payload) if total is None else total
    prelude = struct.pack(">II", total, len(headers) if length is None else length)
    body = prelude + struct.pack(">I", crc32(prelude)) + headers + payload
    return body + struct.pack(">I", crc32(body))


def event(name: str, payload: bytes) -> bytes:
    kind = header(":content-type", "application/json") + header(":message-type", "event")
    return message(payload, header(":event-type", name) + kind)


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


ONE = event("messageStop", b'{"a":1}')
OTHERS = b"".join(
    bytes([1]) + b"x" + value
    for value in (
        b"\0",
        b"\1",
        b"\2\7",
        b"\3\0\7",
        b"\4\0\0\0\7",
        b"\5" + bytes(8),
        b"\6\0\2ab",
        b"\x08" + bytes(8),
        b"\x09" + bytes(16),
    )
)

SECOND = event("é", "{'é'}".encode())

CASES: dict[str, tuple[bytes, list[Frame]]] = {
    "nothing": (b"", []),
    "one": (ONE, [("messageStop", b'{"a":1}', 0)]),
    "three": (
        ONE + SECOND + ONE,
        [
            ("messageStop", b'{"a":1}', 0),
            ("é", "{'é'}".encode(), len(ONE)),
            ("messageStop", b'{"a":1}', len(ONE) + len(SECOND)),
        ],
    ),
    "no headers": (message(b"{}"), [("", b"{}", 0)]),
    "no payload": (message(b"", header(":event-type", "ping")), [("ping", b"{}", 0)]),
    "the smallest": (message(b""), [("", b"{}", 0)]),
    "headers of every type": (message(b"[]", OTHERS + header(":event-type", "e")), [("e", b"[]", 0)]),
    "a payload that begins like a mark": (message(b"\xef\xbb\xbf{}"), [("", b"\xef\xbb\xbf{}", 0)]),
    "a long one": (event("e", b"x" * 70_000), [("e", b"x" * 70_000, 0)]),
}


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    data, frames = CASES[name]
    outcome = run(AWSEventStreamFramer, [data]) if name == "a long one" else run_every_way(AWSEventStreamFramer, data)
    assert outcome == (frames, None, b"", None)


def raised(payload: bytes, **headers: str) -> bytes:
    return message(payload, b"".join(header(":" + name.replace("_", "-"), value) for name, value in headers.items()))


THROTTLED = {"message_type": "exception", "exception_type": "throttlingException"}
UNMODELED = {"message_type": "error", "error_code": "InternalFailure", "error_message": "sorry"}
ERRORS: dict[str, tuple[bytes, dict[str, Any]]] = {
    "exception": (raised(b'{"message":"slow"}', **THROTTLED), {"type": "throttlingException", "message": "slow"}),
    "members stay": (
        raised(b'{"message":"m","originalStatusCode":424}', **THROTTLED),
        {"type": "throttlingException", "message": "m", "originalStatusCode": 424},
    ),
    "a capital": (
        raised(b'{"Message":"m"}', **THROTTLED),
        {"type": "throttlingException", "message": "m", "Message": "m"},
    ),
    "so already": (
        raised(b'{"error":{"type":"t","message":"m"}}', **THROTTLED),
        {"type": "t", "message": "m"},
    ),
    "no payload": (raised(b"", **THROTTLED), {"type": "throttlingException", "message": ""}),
    "text": (raised("zu spät".encode(), **THROTTLED), {"type": "throttlingException", "message": "zu spät"}),
    "no text either": (raised(b"\xff[", **THROTTLED), {"type": "throttlingException", "message": "\ufffd["}),
    "an array": (raised(b"[1]", **THROTTLED), {"type": "throttlingException", "message": "[1]"}),
    "odd message": (raised(b'{"message":5}', **THROTTLED), {"type": "throttlingException", "message": ""}),
    "unmodeled": (raised(b"", **UNMODELED), {"type": "InternalFailure", "message": "sorry"}),
    "no name": (raised(b'{"message":"m"}', message_type="error"), {"message": "m"}),
    "nested too deep": (
        raised(b"[" * 5000, **(UNMODELED | {"error_message": "m"})),
        {"type": "InternalFailure", "message": "m"},
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    data, error = ERRORS[name]
    outcome = run(AWSEventStreamFramer, [ONE, data])
    assert outcome.fault is None
    _, frame = outcome.frames
    assert (frame[0], json.loads(frame[1]), frame[2]) == ("error", {"error": error}, len(ONE))


DAMAGED: dict[str, tuple[bytes, str]] = {
    "a byte of the length": (flipped(ONE, 3), "its prelude's checksum doesn't fit"),
    "the prelude's checksum": (flipped(ONE, 11), "its prelude's checksum doesn't fit"),
    "a byte of the headers": (flipped(ONE, 15), "its checksum doesn't fit"),
    "a byte of the payload": (flipped(ONE, len(ONE) - 6), "its checksum doesn't fit"),
    "its checksum": (flipped(ONE, len(ONE) - 1), "its checksum doesn't fit"),
    "text": (b"data: {}\n\ndata: {}\n\n", "its prelude's checksum doesn't fit"),
    "too short": (message(b"", total=15), "its 0 bytes of headers don't fit into its 15 bytes"),
    "no length": (message(b"", total=0), "its 0 bytes of headers don't fit into its 0 bytes"),
    "headers too long": (message(b"{}", length=3), "its 3 bytes of headers don't fit into its 18 bytes"),
    "bogus headers": (message(b"", length=2**32 - 1), f"its {2**32 - 1} bytes of headers don't fit into its 16 bytes"),
    "a header's name": (message(b"", b"\5ab"), "its headers are malformed"),
    "a header without a type": (message(b"", b"\2ab"), "its headers are malformed"),
    "a header's type": (message(b"", b"\1a\x0a"), "its headers are malformed"),
    "a header's length": (message(b"", b"\1a\7\0"), "its headers are malformed"),
    "a header's value": (message(b"", b"\1a\7\0\2x"), "its headers are malformed"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged(name: str) -> None:
    data, how = DAMAGED[name]
    at = len(ONE)
    outcome = run_every_way(AWSEventStreamFramer, ONE + data + ONE)
    assert outcome.frames == [("messageStop", b'{"a":1}', 0)]
    assert outcome.fault == ("protocol", at, f"the frame at byte {at} is damaged: {how}")


@pytest.mark.parametrize("kept", [1, 11, 12, 13, len(ONE) - 1])
def test_cut_off(kept: int) -> None:
    at = len(ONE)
    outcome = run_every_way(AWSEventStreamFramer, ONE + ONE[:kept])
    assert outcome.frames == [("messageStop", b'{"a":1}', 0)]
    assert outcome.fault == ("protocol", at, f"bytes ended inside a frame (begun at byte {at})")


@pytest.mark.parametrize(("limit", "fits"), [(len(ONE), True), (len(ONE) - 1, False)])
def test_the_limit(limit: int, fits: bool) -> None:
    outcome = run_every_way(partial(AWSEventStreamFramer, max_event_bytes=limit), message(b"{}") + ONE)
    assert len(outcome.frames) == 1 + fits
    assert outcome.fault == (
        None if fits else ("limit", 18, f"the event at byte 18 is over the limit of {limit} bytes")
    )


def test_a_bogus_length_is_found_before_anything_is_held() -> None:
    framer = AWSEventStreamFramer()
    assert framer.feed(message(b"", total=2**32 - 1)[:12]) == []
    assert framer.fault is not None
    assert framer.fault.kind == "limit"
    assert framer.feed(b"x") == []


def test_no_feeding_after_the_end() -> None:
    framer = AWSEventStreamFramer()
    framer.end()
    with pytest.raises(UsageError):
        framer.feed(ONE)


def test_begins() -> None:
    assert [begins(ONE[:size]) for size in (0, 11, 12, 40)] == [False, False, True, True]
    assert not begins(b"data: {}\n\ndata:")


soup = st.lists(
    st.one_of(
        st.binary(max_size=20),
        st.just(ONE),
        st.builds(message, st.binary(max_size=9), st.binary(max_size=9)),
        st.builds(message, st.binary(max_size=9), total=st.integers(0, 40), length=st.integers(0, 20)),
    ),
    max_size=5,
).map(b"".join)


@settings(deadline=None)
@given(soup, random_cuts, st.sampled_from([1, 20, 1 << 24]))
def test_any_bytes_any_cuts(data: bytes, cuts: list[int], limit: int) -> None:
    make = partial(AWSEventStreamFramer, max_event_bytes=limit)
    whole = run(make, [data])
    assert run(make, split(data, cuts)) == whole
    assert run(make, single_bytes(data)) == whole
