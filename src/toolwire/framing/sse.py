"""Server-sent events, read as the standard says and a little further, because servers and logs stray from it.

Lines end with CR, LF or CRLF; a CR ends its line at once and an LF that follows is swallowed, so no event
waits for the next chunk. Everything stays bytes: a character cut in two needs no care. The leniencies:

    bare document      a line between events that begins with a bracket is a payload without its `data:`
    missing blank      a `data:` line after data that is a whole document begins a new event
    late name          an `event:` line after whole data names that event if a blank line follows,
                       the next one if more data follows
    leading blanks     are skipped before a field's name; a line of blanks is a blank line
    missing end        whole data at the end of the bytes is an event
    broken document    a bare document is over where a line begins with `data:` or `event:`: one that never
                       balances must not swallow the stream

Whole means that the brackets balance (`[DONE]` does too) and only white space follows. The question is asked
only where a blank line is missing, and each byte is looked at once.
"""

from __future__ import annotations

import re
from typing import Final

from toolwire.framing.base import MAX_EVENT_BYTES, BaseFramer, Frame
from toolwire.framing.brackets import Brackets, Wholeness

__all__ = ["SSEFramer"]

_line_end: Final = re.compile(rb"[\r\n]")
_blanks: Final = re.compile(rb"[ \t]*+")
_field_line: Final = re.compile(rb"[\r\n](data:|event:)")
_CR: Final = 0x0D
_LF: Final = 0x0A
_SEAM: Final = len(b"\nevent:") - 1
_STRAY_BYTES: Final = 200
# A last line that is the beginning of one of these says that an event was under way.
_UNDER_WAY: Final = (b"data: ", b"event: ")


class SSEFramer(BaseFramer):
    """Each event with data is a frame. `id` and `retry` are known and ignored; no reconnection happens here.

    `max_event_bytes` bounds each line, the field lines of one event together, and a bare document.
    """

    __slots__ = (
        "_after_cr",
        "_bare",
        "_bare_text",
        "_blank_tail",
        "_held",
        "_late",
        "_line_offset",
        "_name",
        "_offset",
        "_parts",
        "_seen",
        "_tail",
        "_wholeness",
    )

    def __init__(self, *, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        super().__init__(max_event_bytes=max_event_bytes)
        self._after_cr = False
        # the line under way
        self._tail = bytearray()
        self._blank_tail = True  # nothing but blanks so far
        self._line_offset = 0
        # the bare document under way
        self._bare: Brackets | None = None
        self._bare_text = bytearray()
        # the event under way
        self._name: bytes | None = None
        self._late: tuple[bytes, int, int] | None = None  # name, offset, size
        self._offset = 0
        self._reset()

    def _reset(self) -> None:
        self._parts: list[bytes] = []
        self._name = None
        self._late = None
        self._held = 0
        self._wholeness = Wholeness()
        self._seen = 0  # how many parts wholeness has been asked about

    def _close(self) -> None:
        super()._close()
        self._reset()
        self._tail.clear()
        self._bare_text.clear()
        self._bare = None

    def _read(self, data: bytes, frames: list[Frame]) -> None:
        base = self._pos
        self._pos = base + len(data)
        if self._after_cr:
            self._after_cr = False
            if data[0] == _LF:
                data = data[1:]
                base += 1
        eol = _uniform_line_end(data)
        if not eol:
            self._read_lines(data, base, eol, frames)
            return
        # By blank lines, at which most events end: those of the usual form need no closer look.
        blank = eol + eol
        parts = data.split(blank)
        rest = parts.pop()
        for part in parts:
            if not (self._under_way() or self._tail) and (not part or self._usual(part, base, eol, frames)):
                base += len(part) + len(blank)
                continue
            part += blank
            self._read_lines(part, base, eol, frames)
            if self._closed:
                return
            base += len(part)
        if rest:
            self._read_lines(rest, base, eol, frames)

    def _under_way(self) -> bool:
        return bool(self._parts) or self._name is not None or self._bare is not None

    def _usual(self, part: bytes, offset: int, eol: bytes, frames: list[Frame]) -> bool:
        """A comment, or an event of the usual form: `data: …`, or `event: …` and `data: …`; false if it is another."""
        name = ""
        payload = part
        if part[:1] == b":":  # a comment keeps the connection alive
            return _LF not in part and len(part) <= self.max_event_bytes
        if part[:7] == b"event: ":
            head, _, payload = part.partition(eol)
            name = head[7:].decode("utf-8", "replace")
        if payload[:6] != b"data: " or len(part) > self.max_event_bytes:
            return False
        payload = payload[6:]
        if _LF in payload:
            return False
        if payload and not payload.isspace():
            frames.append((name, payload, offset))
        return True

    def _read_lines(self, data: bytes, base: int, eol: bytes, frames: list[Frame]) -> None:
        """Line by line, whatever comes."""
        pos = 0
        while pos < len(data) and not self._closed:
            if self._bare is not None:
                pos = self._read_bare(data, pos, frames)
            else:
                pos = self._read_line(data, pos, base, eol, frames)

    def _read_line(self, data: bytes, pos: int, base: int, eol: bytes, frames: list[Frame]) -> int:
        """One line or the part of it that is there; returns where the next begins."""
        size = len(data)
        if not self._tail:
            self._line_offset = base + pos
        if self._blank_tail:
            match = _blanks.match(data, pos)
            start = match.end() if match else pos
            if start < size:
                self._blank_tail = False
                if data[start] in b"{[" and self._between_events(frames):
                    return self._open_bare(start, base, len(self._tail) + start - pos)
        if eol:
            end = data.find(_LF, pos) if eol == b"\n" else data.find(eol, pos)
        else:
            found = _line_end.search(data, pos)
            end = found.start() if found else -1
        if end < 0:
            self._tail += data[pos:]
            if len(self._tail) > self.max_event_bytes:
                self._long_line(frames)
            return size
        if self._tail:
            self._tail += data[pos:end]
            line = bytes(self._tail)
            self._tail.clear()
        else:
            line = data[pos:end]
        self._blank_tail = True
        self._line(line, frames)
        if data[end] == _CR:
            if end + 1 == size:
                self._after_cr = True
            elif data[end + 1] == _LF:
                return end + 2
        return end + 1

    def _line(self, line: bytes, frames: list[Frame]) -> None:
        if len(line) > self.max_event_bytes:
            self._long_line(frames)
            return
        text = line.lstrip(b" \t")
        name, _, value = text.partition(b":")
        if not text:
            self._blank_line(frames)
        elif name == b"data":
            self._data_line(value.removeprefix(b" "), len(line), frames)
        elif name == b"event":
            self._event_line(value.removeprefix(b" "), len(line))
        elif name and name not in (b"id", b"retry") and not self.stray:
            self.stray = line[:_STRAY_BYTES]
            self.stray_offset = self._line_offset

    def _data_line(self, value: bytes, size: int, frames: list[Frame]) -> None:
        if self._parts and self._whole():
            self._begin_next(frames)
        self._begin_event()
        if self._held + size > self.max_event_bytes:
            self._fail_big()
            return
        self._parts.append(value)
        self._held += size

    def _event_line(self, value: bytes, size: int) -> None:
        if self._parts and self._whole():
            self._late = (value, self._line_offset, size)
            return
        self._begin_event()
        if self._held + size > self.max_event_bytes:
            self._fail_big()
            return
        self._name = value
        self._held += size

    def _blank_line(self, frames: list[Frame]) -> None:
        if self._late is not None:
            self._name = self._late[0]
        self._dispatch(frames)

    def _begin_event(self) -> None:
        if not self._parts and self._name is None:
            self._offset = self._line_offset

    def _begin_next(self, frames: list[Frame]) -> None:
        """The data so far is whole and more begins: a late name belongs to what begins."""
        late = self._late
        self._dispatch(frames)
        if late is not None:
            self._name, self._offset, self._held = late

    def _dispatch(self, frames: list[Frame]) -> None:
        data = b"\n".join(self._parts)
        if data and not data.isspace():
            frames.append((_text(self._name), data, self._offset))
        self._reset()

    def _whole(self) -> bool:
        for part in self._parts[self._seen :]:
            self._wholeness.feed(part)
        self._seen = len(self._parts)
        return self._wholeness.whole

    def _between_events(self, frames: list[Frame]) -> bool:
        if not self._parts:
            return True
        if self._whole():
            self._begin_next(frames)
            return True
        return False

    def _open_bare(self, start: int, base: int, blanks: int) -> int:
        if blanks > self.max_event_bytes:
            self._fail_big()
        else:
            if self._name is None:
                self._offset = base + start
            self._line_offset = base + start
            self._tail.clear()
            self._bare = Brackets()
        return start

    def _read_bare(self, data: bytes, pos: int, frames: list[Frame]) -> int:
        assert self._bare is not None
        held = self._bare_text
        before = len(held)
        end = self._bare.scan(data, pos)
        stop = len(data) if end < 0 else end
        seam = held[-_SEAM:]
        held += data[pos:stop]
        broken = _field_line.search(seam + data[pos:stop])
        # What was there one byte before the field's name was seen counts, as it does byte by byte.
        seen = before - len(seam) + broken.end() - 1 if broken else len(held)
        if seen > self.max_event_bytes:
            self._fail_big()
            return stop
        if broken is None:
            if end >= 0:
                self._close_bare(bytes(held), frames)
            return stop
        cut = before - len(seam) + broken.start() + 1
        offset = self._line_offset + cut
        self._close_bare(bytes(held[:cut]).rstrip(), frames)
        if cut < before:  # the field's name began in an earlier chunk
            self._tail += broken[1][: before - cut]
            self._blank_tail = False
            self._line_offset = offset
            return pos
        return pos + cut - before

    def _close_bare(self, data: bytes, frames: list[Frame]) -> None:
        frames.append((_text(self._name), data, self._offset))
        self._bare = None
        self._bare_text.clear()
        self._blank_tail = True
        self._reset()

    def _finish(self, frames: list[Frame]) -> None:
        if self._bare is not None:
            self._cut_off(self._line_offset)
            return
        line = bytes(self._tail)
        under_way = line.lstrip(b" \t")
        if under_way and any(field.startswith(under_way) for field in _UNDER_WAY):
            if self._parts and self._whole():
                self._begin_next(frames)
            self._begin_event()
            self._cut_off(self._offset)
            return
        if line:
            self._line(line, frames)
        if self.fault is None:
            self._finish_event(frames)

    def _finish_event(self, frames: list[Frame]) -> None:
        """The last event has no blank line. Its name may have come late, but it has only one."""
        late, offset = self._late, self._offset
        if not self._parts:
            if self._name is not None:
                self._cut_off(offset)
        elif self._whole():
            if late is not None and self._name is None:
                self._name, late = late[0], None
            self._dispatch(frames)
            if late is not None:
                self._cut_off(late[1])
        elif not b"".join(self._parts).strip():
            self._reset()
        else:
            self._cut_off(offset)

    def _long_line(self, frames: list[Frame]) -> None:
        if self._parts and self._whole():
            self._begin_next(frames)
        self._fail_big()

    def _fail_big(self) -> None:
        under_way = self._parts or self._name is not None
        self._too_big(self._offset if under_way else self._line_offset)


def _text(name: bytes | None) -> str:
    return name.decode("utf-8", "replace") if name else ""


def _uniform_line_end(data: bytes) -> bytes:
    """The line end that all of `data` uses, b'' if they are mixed or only CR."""
    if _CR not in data:
        return b"\n"
    pairs = data.count(b"\r\n")
    return b"\r\n" if pairs == data.count(b"\r") == data.count(b"\n") else b""
