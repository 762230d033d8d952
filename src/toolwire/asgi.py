"""A stream's events as a Starlette response, which FastAPI takes too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from toolwire.errors import UsageError
from toolwire.outgoing import encoder_of, write_async
from toolwire.sources import close

try:
    from starlette.responses import Response
except ImportError:
    raise UsageError("a response needs Starlette: pip install 'toolwire[starlette]'") from None

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from typing import Unpack

    from starlette.background import BackgroundTask
    from starlette.types import Receive, Scope, Send

    from toolwire.encoder import Encoder
    from toolwire.events import Event
    from toolwire.wire.encode.options import EncodeOptions

__all__ = ["EncodedResponse", "response"]

_END = object()


def response(
    stream: AsyncIterable[Event] | Iterable[Event],
    to: str,
    *,
    headers: Mapping[str, str] | None = None,
    background: BackgroundTask | None = None,
    **options: Unpack[EncodeOptions],
) -> EncodedResponse:
    """A Starlette response whose body is a stream's events in the wire `to`, with that wire's headers.

    `stream`: what `astream` gave, or `stream` (read in a thread then). A client that leaves closes it, also while it is
    silent. A turn that ended badly breaks the connection off on the wires that need that: the server logs a
    `BadEndError` then. `headers` are added, `background` runs afterwards, options as in `EncodeOptions`. Raises
    `UsageError` for an unknown wire or option.
    """
    if not isinstance(stream, AsyncIterable | Iterable):
        raise UsageError(f"response takes a stream of events, not {type(stream).__name__}")
    return EncodedResponse(stream, encoder_of(to, options), headers, background)


class EncodedResponse(Response):
    """See `response`."""

    def __init__(
        self,
        stream: AsyncIterable[Event] | Iterable[Event],
        encoder: Encoder,
        headers: Mapping[str, str] | None,
        background: BackgroundTask | None,
    ) -> None:
        self.status_code = 200
        self.media_type = encoder.media_type
        self.background = background
        self._stream = stream
        self._encoder = encoder
        self.init_headers({**encoder.headers, **(headers or {})})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it all, or as much of it as the client waits for."""
        writer = asyncio.ensure_future(self._write(send))
        listener = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait([writer, listener], return_when=asyncio.FIRST_COMPLETED)
        finally:
            unfinished = [task for task in (writer, listener) if not task.done()]
            for task in unfinished:
                task.cancel()
            if unfinished:
                await asyncio.wait(unfinished)
            failure = None if writer.cancelled() else writer.exception()
        if failure is not None:
            raise failure
        if self.background is not None:
            await self.background()

    async def _write(self, send: Send) -> None:
        stream = self._stream
        body = write_async(stream if isinstance(stream, AsyncIterable) else _from_thread(stream), self._encoder)
        try:
            await _send(send, "start", status=self.status_code, headers=self.raw_headers)
            async for data in body:
                await _send(send, "body", body=data, more_body=True)
        except _GoneError:
            return
        except Exception as error:
            await _break_off(send, error)
            raise
        finally:
            await body.aclose()
        with suppress(_GoneError):
            await _send(send, "body", body=b"", more_body=False)


class _GoneError(Exception):
    """The client has gone."""


async def _send(send: Send, what: str, **message: Any) -> None:
    try:
        await send({"type": f"http.response.{what}", **message})
    except OSError as error:
        raise _GoneError from error


class _BrokenOff:
    """The body of the message that no server can send."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        raise self._error

    def __bytes__(self) -> bytes:
        raise self._error

    def encode(self, *_: object) -> _BrokenOff:
        """What Starlette does with text on its way through."""
        return self


async def _break_off(send: Send, error: Exception) -> None:
    """Leave a body without its end.

    To raise isn't enough: Starlette's `BaseHTTPMiddleware` ends the body of an inner application that raised, and
    raises behind that. So the exception travels in a message, through all that lies between, and is raised where the
    server would write it.
    """
    with suppress(Exception):
        await send({"type": "http.response.body", "body": _BrokenOff(error), "more_body": True})


async def _gone(receive: Receive) -> None:
    """Wait until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _from_thread(stream: Iterable[Any]) -> AsyncIterator[Any]:
    """A sync stream, read in a thread one event at a time."""
    iterator = iter(stream)
    try:
        while (event := await asyncio.to_thread(next, iterator, _END)) is not _END:
            yield event
    finally:
        close(stream)
