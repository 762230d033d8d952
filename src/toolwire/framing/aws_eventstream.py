"""AWS event streams: binary frames with headers, each with two checksums.

    u32 total length | u32 headers length | u32 CRC of these eight bytes | headers | payload | u32 CRC of all before it

Numbers are big-endian, and a length counts the whole frame. A header is its name, a type and a value. `:message-type`
says what a frame is: an "event", named by `:event-type`; an "exception", which the service's model knows and
`:exception-type` names; an "error", which it doesn't know, with `:error-code` and `:error-message`. The last two become
frames of the event "error", with the data `{"error": {"type": ..., "message": ...}}` and what else the payload held.
"""

from __future__ import annotations

import contextlib
import struct
from binascii import crc32
from typing import Any, Final

import msgspec

from toolwire.errors import ProviderError
from toolwire.framing.base import MAX_EVENT_BYTES, BaseFramer, Frame

__all__ = ["PRELUDE", "AWSEventStreamFramer", "begins"]

PRELUDE: Final = 12  # bytes
_CHECKSUM: Final = 4
_prelude: Final = struct.Struct(">III")

# What a header's value takes, by its type: two booleans, four integers, a time and a UUID.
_SIZES: Final = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
# These have a length of two bytes before them.
_BYTES: Final = 6
_STRING: Final = 7


def begins(prefix: bytes | bytearray) -> bool:
    """Whether these bytes begin with a prelude whose checksum is right."""
    return len(prefix) >= PRELUDE and crc32(prefix[:8]) == int.from_bytes(prefix[8:PRELUDE])


class AWSEventStreamFramer(BaseFramer):
    """Each message is a frame. `max_event_bytes` bounds its whole length, and is checked before anything is held."""

    __slots__ = ("_held", "_need", "_offset")

    def __init__(self, *, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        super().__init__(max_event_bytes=max_event_bytes)
        self._opening = None  # binary frames have no byte order mark
        self._held = bytearray()
        self._need = PRELUDE  # how many bytes of the frame have to be there before we look at them
        self._offset = 0

    def _read(self, data: bytes, frames: list[Frame]) -> None:
        base, pos = self._pos, 0
        self._pos += len(data)
        while pos < len(data):
            if not self._held:
                self._offset = base + pos
            piece = data[pos : pos + self._need - len(self._held)]
            self._held += piece
            pos += len(piece)
            if len(self._held) < self._need:
                return
            if self._need == PRELUDE:
                self._measure()
            else:
                self._deliver(bytes(self._held), frames)
            if self._closed:
                return

    def _measure(self) -> None:
        """The prelude is there: how long is the frame?"""
        total, headers, _ = _prelude.unpack(self._held)
        if not begins(self._held):
            self._wrong("its prelude's checksum doesn't fit")
        elif total < PRELUDE + headers + _CHECKSUM:
            self._wrong(f"its {headers} bytes of headers don't fit into its {total} bytes")
        elif total > self.max_event_bytes:
            self._too_big(self._offset)
        else:
            self._need = total

    def _deliver(self, message: bytes, frames: list[Frame]) -> None:
        self._held.clear()
        self._need = PRELUDE
        if crc32(message[:-_CHECKSUM]) != int.from_bytes(message[-_CHECKSUM:]):
            self._wrong("its checksum doesn't fit")
            return
        start = PRELUDE + int.from_bytes(message[4:8])
        headers = _headers(message[PRELUDE:start])
        if headers is None:
            self._wrong("its headers are malformed")
            return
        payload = message[start:-_CHECKSUM]
        kind = headers.get(":message-type", "")
        if kind in ("exception", "error"):
            frames.append(("error", _complaint(headers, payload), self._offset))
        else:
            frames.append((headers.get(":event-type", ""), payload or b"{}", self._offset))

    def _finish(self, frames: list[Frame]) -> None:
        if self._held:
            self._cut_off(self._offset, "a frame")

    def _close(self) -> None:
        super()._close()
        self._held.clear()

    def _wrong(self, how: str) -> None:
        self.fault = ProviderError(f"the frame at byte {self._offset} is damaged: {how}", offset=self._offset)
        self._close()


def _headers(data: bytes) -> dict[str, str] | None:
    """The headers whose values are strings; None if they are malformed."""
    found: dict[str, str] = {}
    pos, size = 0, len(data)
    while pos < size:
        end = pos + 1 + data[pos]
        name = data[pos + 1 : end]
        if end >= size:
            return None
        kind = data[end]
        pos = end + 1
        length = _SIZES.get(kind)
        if kind in (_BYTES, _STRING):
            length = int.from_bytes(data[pos : pos + 2])
            pos += 2
        if length is None or pos + length > size:
            return None
        if kind == _STRING:
            found[name.decode("utf-8", "replace")] = data[pos : pos + length].decode("utf-8", "replace")
        pos += length
    return found


def _complaint(headers: dict[str, str], payload: bytes) -> bytes:
    """An exception or error as JSON. Its members stay, a nested `error` object is taken as it is."""
    said: Any = None
    with contextlib.suppress(msgspec.DecodeError, RecursionError):
        said = msgspec.json.decode(payload)
    if isinstance(said, dict) and isinstance(said.get("error"), dict):
        said = said["error"]
    members: dict[str, Any] = said if isinstance(said, dict) else {}
    message = members.get("message") or members.get("Message")
    if not isinstance(message, str):
        message = headers.get(":error-message") or ("" if members else payload.decode("utf-8", "replace"))
    name = headers.get(":exception-type") or headers.get(":error-code")
    error = {**members, "message": message}
    if name and not members.get("type"):
        error["type"] = name
    try:
        return msgspec.json.encode({"error": error})
    except RecursionError:  # it was just flat enough to be read
        return msgspec.json.encode({"error": {"type": name, "message": message}})
