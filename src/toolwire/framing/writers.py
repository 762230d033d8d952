"""Payload frames to bytes: the other direction of the framers.

A frame is the name of an event ("" for none) and a payload that JSON can hold, or a text that stands as it is.
"""

from __future__ import annotations

import json
import struct
from binascii import crc32
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "EXCEPTION",
    "WRITERS",
    "EventStreamWriter",
    "JSONArrayWriter",
    "JSONLinesWriter",
    "SSEWriter",
    "Writer",
    "dumped",
]

_encode: Final = msgspec.json.Encoder().encode

EXCEPTION: Final = "exception:"


def dumped(payload: Any) -> bytes:
    """A payload as JSON; a text as it is, and `msgspec.Raw` within a payload.

    JSON has no infinity and no NaN: as numbers they are null. What must not be lost stands as `Raw`.
    """
    if isinstance(payload, str):
        return payload.encode()
    try:
        return _encode(payload)
    except (UnicodeEncodeError, OverflowError, TypeError, ValueError, msgspec.MsgspecError):
        # Half a surrogate pair, which JSON can hold as an escape only, or a number past 64 bits.
        try:
            return json.dumps(payload, separators=(",", ":"), allow_nan=False).encode()
        except (TypeError, ValueError):
            return _slowly(payload).encode()


def _slowly(value: Any) -> str:
    """JSON with raw parts in it, or with numbers that it can't hold."""
    if isinstance(value, dict):
        members = []
        for key, member in value.items():
            members.append(f"{json.dumps(str(key))}:{_slowly(member)}")
        return f"{{{','.join(members)}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_slowly, value))}]"
    if isinstance(value, msgspec.Raw):
        return bytes(value).decode()
    if isinstance(value, float) and not isfinite(value):
        return "null"
    return json.dumps(value)


class Writer:
    """Writes the frames of one stream."""

    media_type: ClassVar[str]

    def write(self, frames: Iterable[tuple[str, Any]]) -> bytes:
        """Some more frames."""
        raise NotImplementedError

    def end(self) -> bytes:
        """What stands behind the last frame of a body that isn't broken off."""
        return b""


class SSEWriter(Writer):
    """Server-sent events, with LF alone: there are clients that know nothing else."""

    media_type = "text/event-stream"

    def write(self, frames: Iterable[tuple[str, Any]]) -> bytes:
        out = []
        for event, payload in frames:
            data = dumped(payload)
            out.append(b"%bdata: %b\n\n" % (_event(event), data) if event else b"data: %b\n\n" % data)
        return b"".join(out)


@lru_cache(maxsize=256)
def _event(name: str) -> bytes:
    """An event's line, none for what can't be a name there: it comes from a provider, and might end the line."""
    return b"event: %b\n" % name.encode() if name.isprintable() else b""


class JSONLinesWriter(Writer):
    """A payload a line."""

    media_type = "application/x-ndjson"

    def write(self, frames: Iterable[tuple[str, Any]]) -> bytes:
        return b"".join([dumped(payload) + b"\n" for _, payload in frames])


class JSONArrayWriter(Writer):
    """One JSON array that grows."""

    media_type = "application/json"

    def __init__(self) -> None:
        self._begun = False

    def write(self, frames: Iterable[tuple[str, Any]]) -> bytes:
        out = []
        for _, payload in frames:
            out.append((b",\r\n" if self._begun else b"[") + dumped(payload))
            self._begun = True
        return b"".join(out)

    def end(self) -> bytes:
        return b"\n]" if self._begun else b"[]"


class EventStreamWriter(Writer):
    """AWS's binary event stream: a prelude, headers, the payload, and checksums of the first and of all.

    An event's name is its `:event-type`; that of an exception has `exception:` before it.
    """

    media_type = "application/vnd.amazon.eventstream"

    def write(self, frames: Iterable[tuple[str, Any]]) -> bytes:
        return b"".join([_message(event, dumped(payload)) for event, payload in frames])


def _message(event: str, payload: bytes) -> bytes:
    headers = _headers(event)
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + struct.pack(">I", crc32(prelude)) + headers + payload
    return message + struct.pack(">I", crc32(message))


@lru_cache(maxsize=256)
def _headers(event: str) -> bytes:
    """The headers of an event or an exception. A value's length is that of its bytes."""
    kind = "exception" if event.startswith(EXCEPTION) else "event"
    headers = {
        f":{kind}-type": event.removeprefix(EXCEPTION),
        ":content-type": "application/json",
        ":message-type": kind,
    }
    return b"".join(
        bytes((len(name),)) + name.encode() + b"\x07" + struct.pack(">H", len(value.encode())) + value.encode()
        for name, value in headers.items()
    )


WRITERS: Final[dict[str, type[Writer]]] = {
    "sse": SSEWriter,
    "json-lines": JSONLinesWriter,
    "json-array": JSONArrayWriter,
    "aws-eventstream": EventStreamWriter,
}
