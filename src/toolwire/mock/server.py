"""The mock's server: HTTP/1.1 by hand where it has to go wrong, which no ordinary server lets it.

Requests are read by h11. Bodies are written as they are planned: in chunks, with waits, and with every way to end a
connection. One task per request; a client that leaves ends it, and a slow one holds it up.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

from toolwire.errors import UsageError
from toolwire.mock.plan import MESSAGE_ID

try:
    import h11
except ImportError:
    raise UsageError("the mock needs h11: pip install 'toolwire[mock]'") from None

if TYPE_CHECKING:
    from toolwire.mock.log import Seen
    from toolwire.mock.plan import Plan
    from toolwire.mock.service import Service

__all__ = ["Server"]

_PLACEHOLDER = MESSAGE_ID.encode()
# Seconds that a client gets to read before a reset takes what it hasn't.
_READ = 0.02
# A socket that lingers for no time is reset when it is closed.
_NO_LINGER = struct.pack("ii", 1, 0)


class Server:
    """A service on a port. `port` 0: a free one."""

    def __init__(self, service: Service, host: str = "127.0.0.1", port: int = 0) -> None:
        self._service = service
        self._host = host
        self._port = port
        self._server: asyncio.Server | None = None
        self._connections: set[_Connection] = set()

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._port}"

    async def start(self) -> None:
        """Listen. Raises OSError where that isn't possible."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: _Connection(self._service, self._connections), self._host, self._port
        )
        self._port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close everything, at once."""
        if self._server is not None:
            self._server.close()
        for connection in list(self._connections):
            connection.abort()
        for _ in range(100):  # they say goodbye in the next rounds of the loop
            await asyncio.sleep(0)
        if self._server is not None:
            await self._server.wait_closed()


class _Connection(asyncio.Protocol):
    """One client's connection, one request after another."""

    def __init__(self, service: Service, others: set[_Connection]) -> None:
        self._service = service
        self._others = others
        self._transport: asyncio.Transport = cast("asyncio.Transport", None)
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=64 * 1024)
        self._request: h11.Request | None = None
        self._body: list[bytes] = []
        self._size = 0
        self._task: asyncio.Task[None] | None = None
        self._writable: asyncio.Future[None] | None = None
        self._gone = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._others.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._gone = True
        self._others.discard(self)
        if self._writable is not None and not self._writable.done():
            self._writable.set_result(None)
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        self._writable = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        if self._writable is not None and not self._writable.done():
            self._writable.set_result(None)
        self._writable = None

    def abort(self) -> None:
        """Reset the connection."""
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        try:
            self._http.receive_data(data)
            self._advance()
        except h11.RemoteProtocolError as error:
            self._transport.write(
                _head(400, (("content-type", "text/plain"), ("connection", "close"))) + str(error).encode()
            )
            self._transport.close()

    def _advance(self) -> None:
        """Take in what came, until a request is whole."""
        while self._task is None:
            event = self._http.next_event()
            if event is h11.NEED_DATA or event is h11.PAUSED:
                if self._http.they_are_waiting_for_100_continue and self._request is not None:
                    self._http.send(h11.InformationalResponse(status_code=100, headers=[]))
                    self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                return
            if isinstance(event, h11.Request):
                self._request, self._body, self._size = event, [], 0
            elif isinstance(event, h11.Data):
                self._size += len(event.data)
                if self._size <= self._service.max_body + 1:  # enough to see that it is too large
                    self._body.append(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage):
                self._task = asyncio.get_running_loop().create_task(self._respond())
                return
            else:
                return

    async def _respond(self) -> None:
        request = self._request
        if request is None:
            return
        began = time.monotonic()
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in request.headers}
        method, target = request.method.decode(), request.target.decode("latin-1")
        plan, seen = self._service.plan(method, target, headers, b"".join(self._body))
        keeps = request.http_version == b"1.1" and headers.get("connection", "").lower() != "close"
        try:
            await self._play(plan, seen, keeps=keeps, head_only=method == "HEAD")
        except asyncio.CancelledError:
            if not self._gone:
                raise
        finally:
            if seen is not None:
                self._service.log.events += seen.events
                if self._gone and not seen.end:
                    seen.end = "closed"
                    seen.closed_at = time.monotonic() - began
        if self._gone:
            return
        if keeps and plan.end == "clean":
            left, closed = self._http.trailing_data
            self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=64 * 1024)
            self._request = None
            self._task = None
            if left and not closed:
                self.data_received(left)
        elif not self._transport.is_closing():
            self._transport.close()

    async def _play(self, plan: Plan, seen: Seen | None, *, keeps: bool, head_only: bool) -> None:
        if plan.head:
            await asyncio.sleep(plan.head)
        if plan.status:
            headers = [*plan.headers, ("connection", "keep-alive" if keeps else "close")]
            if plan.whole:
                size = sum(len(step.data) for step in plan.steps) if plan.end == "clean" else 1 << 20
                headers.append(("content-length", str(size)))
            elif keeps:
                headers.append(("transfer-encoding", "chunked"))
            headers.append(("x-request-id", f"req_{os.urandom(12).hex()}"))
            self._transport.write(_head(plan.status, headers))
            if seen is not None:
                seen.status = plan.status
            if not head_only:
                await self._send(plan, seen, chunked=keeps and not plan.whole)
        if seen is not None and plan.end != "stall":
            seen.end = plan.end
        if plan.end == "stall":
            await asyncio.Event().wait()
        elif plan.end == "reset":
            await self._reset()

    async def _send(self, plan: Plan, seen: Seen | None, *, chunked: bool) -> None:
        own = os.urandom(len(MESSAGE_ID) // 2).hex().encode()
        for wait, data, events, size in _joined(plan, chunked=chunked):
            piece = data.replace(_PLACEHOLDER, own)
            if wait:
                await asyncio.sleep(wait)
            if self._writable is not None:
                await self._writable
            if self._gone:
                raise asyncio.CancelledError
            self._transport.write(piece)
            if seen is not None:
                seen.events += events
                seen.sent += size
        while plan.pulse is not None:
            await asyncio.sleep(plan.pulse[0])
            self._transport.write(_chunk(plan.pulse[1], chunked=chunked))
        if chunked and plan.end == "clean":
            self._transport.write(b"0\r\n\r\n")

    async def _reset(self) -> None:
        self._transport.set_write_buffer_limits(0)
        if self._writable is not None:
            await self._writable
        await asyncio.sleep(_READ)
        raw: Any = self._transport.get_extra_info("socket")
        with contextlib.suppress(OSError):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self._transport.abort()


def _joined(plan: Plan, *, chunked: bool) -> list[tuple[float, bytes, int, int]]:
    """The writes of a plan: what has no wait between it goes out in one. Each with its events and its size."""
    if chunked in plan.writes:
        return plan.writes[chunked]
    writes: list[tuple[float, list[bytes], int, int]] = []
    for step in plan.steps:
        data = _chunk(step.data, chunked=chunked)
        if writes and not step.wait:
            wait, pieces, events, size = writes[-1]
            pieces.append(data)
            writes[-1] = (wait, pieces, events + step.events, size + len(step.data))
        else:
            writes.append((step.wait, [data], step.events, len(step.data)))
    plan.writes[chunked] = [(wait, b"".join(pieces), events, size) for wait, pieces, events, size in writes]
    return plan.writes[chunked]


def _chunk(data: bytes, *, chunked: bool) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data) if chunked and data else data


def _head(status: int, headers: Any) -> bytes:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
