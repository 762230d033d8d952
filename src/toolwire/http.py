"""HTTP around a stream: what a response says before its bytes, and what its body says instead of a stream.

Responses of the usual clients are known by what they can do; none of the clients is imported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from toolwire.errors import UsageError
from toolwire.wire._errors import ErrorReport, error_of, is_of, told_by
from toolwire.wire._read import text

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable

__all__ = ["Head", "RefusedBody", "body", "body_async", "described", "head_of", "interrupt", "is_async", "source_error"]

# Enough of a body that is no stream to say what it is.
_BODY_BYTES = 64 * 1024
_SHOWN = 200
_PIECE = 64 * 1024

# Where the exceptions of the usual clients and of what they are built on are defined.
_TRANSPORTS = frozenset(
    ["aiohttp", "anyio", "h11", "h2", "httpcore", "httpcore2", "httpx", "httpx2", "requests", "urllib3"]
)


# The system's errors that tell of files and processes, and so of a mistake in the source.
_OF_FILES = (
    ChildProcessError,
    FileExistsError,
    FileNotFoundError,
    IsADirectoryError,
    NotADirectoryError,
    PermissionError,
    ProcessLookupError,
)


class Head(NamedTuple):
    """What comes before a body. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]

    @property
    def refuses(self) -> bool:
        """True when the body can't be a stream: an error status, a redirect, a page for people."""
        return not 200 <= self.status < 300 or self.content_type in ("text/html", "application/xhtml+xml")

    @property
    def content_type(self) -> str:
        """The media type without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait before another try: `retry-after-ms`, or `retry-after` (seconds, or a date beside `date`)."""
        millis = _number(self.headers.get("retry-after-ms"))
        if millis is not None:
            return millis / 1000
        value = self.headers.get("retry-after")
        seconds = _number(value)
        if seconds is not None or not value:
            return seconds
        from email.utils import parsedate_to_datetime

        try:
            then, now = parsedate_to_datetime(value), parsedate_to_datetime(self.headers.get("date", ""))
            return max(0.0, (then - now).total_seconds())
        except (TypeError, ValueError):
            return None


class RefusedBody:
    """The body of a response that refuses. Its beginning is kept; it is over when the bytes are."""

    def __init__(self, head: Head) -> None:
        self._head = head
        self._bytes = bytearray()

    def feed(self, data: bytes) -> None:
        """More of the body."""
        self._bytes += data[: max(0, _BODY_BYTES - len(self._bytes))]

    def report(self) -> ErrorReport:
        """The error that the head and the body tell of together."""
        head = self._head
        found = self._told()
        if found is None:
            shown = " ".join(re.sub(r"<[^>]*>", " ", self._bytes.decode("utf-8", "replace")).split())[:_SHOWN]
            what = "a page" if "html" in head.content_type or self._bytes.lstrip()[:1] == b"<" else "a body"
            told = f"{what} instead of a stream: {shown!r}" if shown else "no body"
            found = ErrorReport(f"HTTP status {head.status} and {told}")
        after = head.retry_after
        return found._replace(status=head.status, retry_after=found.retry_after if after is None else after)

    def _told(self) -> ErrorReport | None:
        try:
            payload = json.loads(self._bytes)
        except (ValueError, RecursionError):
            return None
        if isinstance(payload, list) and payload:
            payload = payload[0]
        if not isinstance(payload, dict):
            return None
        error = error_of(payload.get("error"))
        if error is not None and error.message:
            return error
        for name in ("message", "detail", "Message", "error_description"):
            if text(payload.get(name)):
                plain = error_of({**payload, "message": payload[name]})
                return plain and plain._replace(raw=payload)
        return error


def head_of(source: Any) -> Head | None:
    """The head of an HTTP response, None for any other source."""
    status = getattr(source, "status_code", getattr(source, "status", None))
    headers = getattr(source, "headers", None)
    if not isinstance(status, int) or headers is None or _reader(source) is None:
        return None
    return Head(status, {str(name).lower(): str(value) for name, value in headers.items()})


def body(response: Any) -> Iterable[bytes]:
    """A response's bytes as they come, its compression undone by its client."""
    if is_async(response):
        raise UsageError("this is the response of an async client: give it to astream or acollect")
    if hasattr(response, "iter_bytes"):
        return cast("Iterable[bytes]", response.iter_bytes())
    read1 = getattr(response.raw, "read1", None)
    if read1 is None or getattr(response, "_content_consumed", False):
        return cast("Iterable[bytes]", response.iter_content(chunk_size=1))
    # iter_content waits for whole chunks of its size, or, without one, may wait for the end.
    return iter(partial(read1, _PIECE, decode_content=True), b"")


def body_async(response: Any) -> AsyncIterable[bytes]:
    """`body` for an async edge, where a response of a sync client will do too."""
    if not is_async(response):
        return _as_async(body(response))
    chunks = response.aiter_bytes() if hasattr(response, "aiter_bytes") else response.content.iter_any()
    return cast("AsyncIterable[bytes]", chunks)


def interrupt(response: Any) -> bool:
    """Wake a thread that waits for a response's bytes; true if its client has a way to do so.

    Closing the response from another thread doesn't wake it, and may wait for it for ever.
    """
    shutdown = getattr(getattr(response, "raw", None), "shutdown", None)
    if not callable(shutdown):
        extensions = getattr(response, "extensions", None)
        stream = extensions.get("network_stream") if isinstance(extensions, dict) else None
        connection = stream.get_extra_info("socket") if stream is not None else None
        if connection is None:
            return False
        from socket import SHUT_RDWR

        shutdown = partial(connection.shutdown, SHUT_RDWR)
    with suppress(OSError, ValueError):
        shutdown()
    return True


def is_async(response: Any) -> bool:
    """Whether a response is an async client's: its stream, or its content, is iterated so and no other way."""
    if hasattr(response, "iter_content"):  # to look at its `content` would be to wait for all of it
        return False
    if hasattr(response, "aiter_bytes"):
        stream = getattr(response, "stream", None)
        return hasattr(stream, "__aiter__") and not hasattr(stream, "__iter__")
    return hasattr(getattr(response, "content", None), "iter_any")


async def _as_async(chunks: Iterable[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


def source_error(error: Exception) -> ErrorReport | None:
    """What an exception of a source tells of the way or of the provider; None when it tells of a mistake.

    The exceptions of HTTP clients and of SDKs are known by where they are defined, those of the system by their type.
    """
    try:
        told = told_by(error)
        if told is not None:
            headers = getattr(error, "headers", None) or getattr(getattr(error, "response", None), "headers", None)
            if not isinstance(headers, Mapping):
                return told
            head = Head(0, {str(name).lower(): str(value) for name, value in headers.items()})
            return told if head.retry_after is None else told._replace(retry_after=head.retry_after)
        # An SDK's client wraps the exception of the HTTP client under it.
        wrapped = error.__cause__ if type(error).__name__.endswith(("ConnectionError", "TimeoutError")) else None
        for each in (error, wrapped):
            if _is_of_transport(each):
                late = isinstance(each, TimeoutError) or "Timeout" in type(each).__name__
                return ErrorReport(described(error), words=("timeout error" if late else "connection error",))
    except Exception:  # noqa: BLE001  an exception can do anything when it is looked at
        return None
    return None


def described(error: Exception) -> str:
    """An exception's type and what it says, if it can say it."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001  see above
        return type(error).__name__


def _is_of_transport(error: BaseException | None) -> bool:
    if isinstance(error, OSError):
        return not isinstance(error, _OF_FILES)
    return isinstance(error, EOFError) or is_of(error, _TRANSPORTS)


def _reader(source: Any) -> object | None:
    for name in ("iter_bytes", "iter_content", "aiter_bytes"):
        if callable(getattr(source, name, None)):
            return name
    return getattr(getattr(source, "content", None), "iter_any", None)


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if 0 <= number < 1e9 else None
