"""What all framers share: the frame, the protocol, the byte order mark and the two ways to fail."""

from __future__ import annotations

from typing import Final, Protocol, TypeAlias

from toolwire.errors import ProviderError, UsageError

__all__ = ["BOM", "MAX_EVENT_BYTES", "BaseFramer", "Frame", "Framer"]

BOM: Final = b"\xef\xbb\xbf"
MAX_EVENT_BYTES: Final = 16 * 1024 * 1024


Frame: TypeAlias = tuple[str, bytes, int]
"""One payload as it came: the event's name or '', the payload, and the byte where the frame began."""


class Framer(Protocol):
    """Bytes in, frames out, whatever the cuts.

    `fault` is set once no more frames can come; wrong bytes never raise. `stray` is the beginning of the
    first line that belongs to no frame (b'' if there was none), so that a caller without frames can say what
    came.
    """

    @property
    def fault(self) -> ProviderError | None: ...
    @property
    def stray(self) -> bytes: ...
    @property
    def stray_offset(self) -> int | None: ...

    def feed(self, data: bytes) -> list[Frame]: ...
    def end(self) -> list[Frame]: ...


class BaseFramer:
    """The position in the stream, the byte order mark and the end, for the framers in this package."""

    __slots__ = ("_closed", "_opening", "_pos", "fault", "max_event_bytes", "stray", "stray_offset")

    def __init__(self, *, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        if max_event_bytes < 1:
            raise UsageError(f"max_event_bytes must be at least 1, not {max_event_bytes}")
        self.max_event_bytes = max_event_bytes
        self.fault: ProviderError | None = None
        self.stray = b""
        self.stray_offset: int | None = None
        self._closed = False
        self._pos = 0  # the stream's offset of the next byte to be read
        self._opening: bytes | None = b""  # what may still turn out to be a byte order mark

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that `data` completes; none after a fault. UsageError after `end()`."""
        if self._closed:
            return self._refuse()
        frames: list[Frame] = []
        if self._opening is not None:
            data = self._unmark(data)
        if data:
            self._read(data, frames)
        return frames

    def end(self) -> list[Frame]:
        """The bytes are over: the frames that are whole without a terminator. A cut-off rest sets `fault`."""
        if self._closed:
            return []
        frames: list[Frame] = []
        if self._opening:
            rest, self._opening = self._opening, None
            self._read(rest, frames)
        if not self._closed:
            self._finish(frames)
        self._close()
        return frames

    def _read(self, data: bytes, frames: list[Frame]) -> None:
        raise NotImplementedError

    def _finish(self, frames: list[Frame]) -> None:
        raise NotImplementedError

    def _close(self) -> None:
        """No more bytes: subclasses let go of what they hold."""
        self._closed = True

    def _unmark(self, data: bytes) -> bytes:
        """Exactly one byte order mark is taken off, also when it comes in pieces."""
        data = (self._opening or b"") + data
        if len(data) < len(BOM) and BOM.startswith(data):
            self._opening = data
            return b""
        self._opening = None
        if data.startswith(BOM):
            self._pos = len(BOM)
            return data[len(BOM) :]
        return data

    def _refuse(self) -> list[Frame]:
        if self.fault is None:
            raise UsageError("feed() after end()")
        return []

    def _too_big(self, offset: int) -> None:
        self.fault = ProviderError(
            f"the event at byte {offset} is over the limit of {self.max_event_bytes} bytes",
            kind="limit",
            offset=offset,
        )
        self._close()

    def _cut_off(self, offset: int, what: str = "an event") -> None:
        self.fault = ProviderError(f"bytes ended inside {what} (begun at byte {offset})", offset=offset)
        self._close()
