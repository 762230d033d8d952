"""Which framing is it? Told from the first bytes, for callers who weren't told by a content type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from toolwire.framing import aws_eventstream
from toolwire.framing.aws_eventstream import AWSEventStreamFramer
from toolwire.framing.base import BOM, MAX_EVENT_BYTES, BaseFramer
from toolwire.framing.json_array import JSONArrayFramer
from toolwire.framing.ndjson import JSONLinesFramer
from toolwire.framing.sse import SSEFramer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolwire.errors import ProviderError
    from toolwire.framing.base import Frame

__all__ = ["FRAMINGS", "AutoFramer", "detect"]


class _Factory(Protocol):
    def __call__(self, *, max_event_bytes: int = MAX_EVENT_BYTES) -> BaseFramer: ...


FRAMINGS: Final[Mapping[str, _Factory]] = {
    "aws-eventstream": AWSEventStreamFramer,
    "json-array": JSONArrayFramer,
    "json-lines": JSONLinesFramer,
    "sse": SSEFramer,
}

# White space may come for minutes to keep a connection alive. After this many bytes the event stream's framer
# is as good as any, since it reads bare documents as well.
_PATIENCE: Final = 1024


def detect(prefix: bytes) -> str | None:
    """The framing's name (a key of `FRAMINGS`) told from the stream's first bytes; None while undecided.

    A bracket opens an array only if an element or its end follows: `[DONE]` and `[info] ...` are lines.
    """
    if prefix[:1] == b"\0":  # the length of a binary frame, and no text
        if len(prefix) < aws_eventstream.PRELUDE:
            return None
        return "aws-eventstream" if aws_eventstream.begins(prefix) else "sse"
    head = prefix[:_PATIENCE]
    undecided = "sse" if len(head) == _PATIENCE else None
    if len(head) < len(BOM) and BOM.startswith(head):
        return None
    head = head.removeprefix(BOM).lstrip()
    if not head:
        return undecided
    if head[:1] == b"{":
        return "json-lines"
    if head[:1] != b"[":
        return "sse"
    inner = head[1:].lstrip()
    if not inner:
        return undecided
    return "json-array" if inner[:1] in (b"{", b"[", b'"', b"]") else "sse"


class AutoFramer:
    """A framer that finds out which one it is. `name` is the framing's, None until it is known, `chosen` its framer."""

    __slots__ = ("_deciding", "_prefix", "chosen", "max_event_bytes", "name")

    def __init__(self, *, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self.max_event_bytes = max_event_bytes
        self.name: str | None = None
        self._deciding = True
        self._prefix = b""
        # Until the framing is known this one only answers for `fault` and `stray`.
        self.chosen: BaseFramer = SSEFramer(max_event_bytes=max_event_bytes)

    @property
    def fault(self) -> ProviderError | None:
        return self.chosen.fault

    @property
    def stray(self) -> bytes:
        return self.chosen.stray

    @property
    def stray_offset(self) -> int | None:
        return self.chosen.stray_offset

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that `data` completes; none until the framing is known, none after a fault."""
        if not self._deciding:
            return self.chosen.feed(data)
        data = self._prefix + data
        name = detect(data)
        if name is None:
            self._prefix = data
            return []
        return self._choose(name, data)

    def end(self) -> list[Frame]:
        """The bytes are over. An undecided rest is read as an event stream, or as the beginning of a binary frame."""
        name = "aws-eventstream" if self._prefix[:1] == b"\0" else "sse"
        frames = self._choose(name, self._prefix) if self._prefix else []
        self._deciding = False
        frames += self.chosen.end()
        return frames

    def _choose(self, name: str, data: bytes) -> list[Frame]:
        self.name = name
        self._deciding = False
        self._prefix = b""
        self.chosen = FRAMINGS[name](max_event_bytes=self.max_event_bytes)
        return self.chosen.feed(data)
