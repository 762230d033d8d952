"""A stream's events as a Starlette response, which FastAPI takes too."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from toolwire.outgoing import AsyncWriting
from toolwire.sources import close

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping

    from starlette.background import BackgroundTask
    from starlette.types import Receive, Scope, Send

    from toolwire.outgoing import Writing

__all__ = ["EncodedResponse"]

_END = object()


class EncodedResponse(Response):
    """See `toolwire.response`."""

    def __init__(
        self,
        body: AsyncWriting | Writing,
        headers: Mapping[str, str] | None,
        background: BackgroundTask | None,
    ) -> None:
        encoder = body.encoder
        self.status_code = 200
        self.media_type = encoder.media_type
        self.background = background
        self._body = body if isinstance(body, AsyncWriting) else AsyncWriting(_FromThread(body.stream), encoder)
        self.init_headers({**encoder.headers, **{name.lower(): value for name, value in (headers or {}).items()}})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it all, or as much of it as the client waits for."""
        writer = asyncio.ensure_future(self._write(send))
        listener = asyncio.ensure_future(_gone(receive))
        tasks = (writer, listener)
        for task in tasks:
            task.add_done_callback(_noticed)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            unfinished = [task for task in tasks if not task.done()]
            if unfinished:
                await asyncio.wait(unfinished)
        for task in tasks:
            failure = None if task.cancelled() else task.exception()
            if failure is not None:
                raise failure
        if self.background is not None:
            await self.background()

    async def _write(self, send: Send) -> None:
        try:
            await _send(send, "start", status=self.status_code, headers=self.raw_headers)
            async for data in self._body:
                await _send(send, "body", body=data, more_body=True)
        except _GoneError:
            return
        except Exception as error:
            await _break_off(send, error)
            raise
        finally:
            await self._body.aclose()
        with suppress(_GoneError):
            await _send(send, "body", body=b"", more_body=False)


class _GoneError(Exception):
    """The client has gone."""


async def _send(send: Send, what: str, **message: Any) -> None:
    try:
        await send({"type": f"http.response.{what}", **message})
    except OSError as error:
        raise _GoneError from error


def _noticed(task: asyncio.Future[None]) -> None:
    """A task that nobody asks any more has no unheard exception."""
    if not task.cancelled():
        task.exception()


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


class _FromThread:
    """A sync stream, read in a thread one event at a time, and closed there: a generator can't be while it runs."""

    def __init__(self, stream: Iterable[Any]) -> None:
        self._stream = stream
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="toolwire-stream")

    async def __aiter__(self) -> AsyncIterator[Any]:
        iterator = iter(self._stream)
        loop = asyncio.get_running_loop()
        while (event := await loop.run_in_executor(self._thread, next, iterator, _END)) is not _END:
            yield event

    async def aclose(self) -> None:
        """Close the stream as soon as its thread is free, which isn't waited for."""
        with suppress(RuntimeError):  # it was
            self._thread.submit(close, self._stream)
        self._thread.shutdown(wait=False)
