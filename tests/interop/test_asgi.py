"""`toolwire.response` under a real server, seen from the socket: headers, ends, broken ends, clients that leave."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx2
import pytest
from interop.serving import serve
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Route
from support.calls import pieces

import toolwire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from starlette.requests import Request
    from starlette.responses import Response

WHOLE = pieces()
CUT = pieces(finish=False)


async def pass_on(request: Request, call_next: Any) -> Response:
    answer: Response = await call_next(request)
    return answer


def below(*kinds: Any) -> list[Middleware]:
    return [Middleware(kind, dispatch=pass_on) if kind is BaseHTTPMiddleware else Middleware(kind) for kind in kinds]


MIDDLEWARE: dict[str, list[Middleware]] = {
    "none": [],
    "BaseHTTPMiddleware": below(BaseHTTPMiddleware),
    "two of them": below(BaseHTTPMiddleware, BaseHTTPMiddleware),
    "gzip and CORS": below(GZipMiddleware, CORSMiddleware),
    "gzip above BaseHTTPMiddleware": below(GZipMiddleware, BaseHTTPMiddleware),
}


def app(make: Callable[[], Any], middleware: str = "none", **options: Any) -> Starlette:
    async def endpoint(request: Request) -> Response:
        return toolwire.response(make(), to="openai-chat", **options)

    return Starlette(routes=[Route("/", endpoint)], middleware=MIDDLEWARE[middleware])


def read_all(base: str, *, http: str = "1.1") -> bytes:
    """A whole exchange as it passes over the socket."""
    url = urlsplit(base)
    with socket.create_connection((url.hostname or "", url.port or 0), timeout=10) as peer:
        peer.sendall(f"GET / HTTP/{http}\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        data = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := peer.recv(65536):
                data += piece
        return data


LAST_CHUNK = b"0\r\n\r\n"


@pytest.mark.parametrize("middleware", MIDDLEWARE)
def test_a_whole_turn_ends_well(middleware: str) -> None:
    with serve(app(lambda: toolwire.astream(WHOLE), middleware)) as base:
        data = read_all(base)
        assert data.endswith(LAST_CHUNK)
        answer = httpx2.get(base)
    head = data.split(b"\r\n\r\n")[0].lower()
    assert b"content-type: text/event-stream" in head
    assert b"cache-control: no-cache" in head
    assert b"x-accel-buffering: no" in head
    assert b"content-length" not in head
    assert answer.text.endswith("data: [DONE]\n\n")
    assert toolwire.collect(answer.content).finish == "tool_calls"


@pytest.mark.parametrize("middleware", MIDDLEWARE)
@pytest.mark.parametrize("sync", [False, True])
def test_a_bad_end_breaks_the_body_off(middleware: str, *, sync: bool) -> None:
    make = (lambda: toolwire.stream(CUT)) if sync else (lambda: toolwire.astream(CUT))
    with serve(app(make, middleware)) as base:
        data = read_all(base)
        assert not data.endswith(LAST_CHUNK)
        assert b'"code":"incomplete"' in data  # the error form is out before that
        assert b"[DONE]" not in data
        with pytest.raises(httpx2.RemoteProtocolError, match="incomplete chunked read"):
            httpx2.get(base)


class OwnError(Exception):
    """Somebody's own."""


@pytest.mark.parametrize("middleware", ["none", "BaseHTTPMiddleware"])
def test_a_source_that_breaks_does_so_too(middleware: str) -> None:
    async def source() -> AsyncIterator[bytes]:
        for piece in CUT:
            yield piece
        raise OwnError

    with serve(app(lambda: toolwire.astream(source()), middleware)) as base:
        data = read_all(base)
    assert b"the source broke" in data
    assert not data.endswith(LAST_CHUNK)


@pytest.mark.parametrize("middleware", ["none", "BaseHTTPMiddleware"])
@pytest.mark.parametrize("quiet_after", [0, len(CUT)])
def test_a_client_that_leaves_closes_the_source(middleware: str, quiet_after: int) -> None:
    """Also while nothing is sent."""
    closed = threading.Event()
    waiting = threading.Event()

    async def source() -> AsyncIterator[bytes]:
        try:
            for piece in CUT[:quiet_after]:
                yield piece
            waiting.set()
            await asyncio.Event().wait()
        finally:
            closed.set()

    with serve(app(lambda: toolwire.astream(source()), middleware)) as base:
        url = urlsplit(base)
        peer = socket.create_connection((url.hostname or "", url.port or 0), timeout=10)
        peer.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert waiting.wait(10)
        assert peer.recv(10)
        peer.close()
        assert closed.wait(10)


def test_a_client_that_reads_slowly_holds_up_the_source() -> None:
    """What is read is what fits into sockets and a few events; not all there is."""
    count = 0
    stop = threading.Event()
    filler = "x" * 4096

    async def source() -> AsyncIterator[bytes]:
        nonlocal count
        while not stop.is_set():
            count += 1
            yield b'data: {"id":"a","choices":[{"index":0,"delta":{"content":"%b"}}]}\n\n' % filler.encode()
            await asyncio.sleep(0)

    with serve(app(lambda: toolwire.astream(source()), "none")) as base:
        url = urlsplit(base)
        with socket.create_connection((url.hostname or "", url.port or 0), timeout=10) as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            peer.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            before = -1
            deadline = time.monotonic() + 20
            while count != before:  # it stands still
                assert time.monotonic() < deadline, "the source is read on and on"
                before = count
                time.sleep(0.3)
            assert 0 < count < 20_000
        stop.set()


def test_a_keep_alive_goes_out_before_anything_has_come() -> None:
    async def source() -> AsyncIterator[bytes]:
        await asyncio.Event().wait()
        yield b""

    made = app(lambda: toolwire.astream(source()), "none", keep_alive=0.01)
    with serve(made) as base, httpx2.stream("GET", base) as answer:
        assert next(answer.iter_text()).startswith(": keep-alive\n\n")


def test_headers_and_background() -> None:
    ran = threading.Event()

    def background() -> None:
        ran.set()

    made = app(
        lambda: toolwire.stream(WHOLE),
        headers={"x-mine": "1", "cache-control": "no-store"},
        background=BackgroundTask(background),
    )
    with serve(made) as base:
        answer = httpx2.get(base)
        assert ran.wait(10)
    assert answer.headers["x-mine"] == "1"
    assert answer.headers.get_list("cache-control") == ["no-store"]


def test_a_client_that_leaves_a_sync_stream_closes_it_where_it_is_read() -> None:
    """A generator can't be closed while it runs: it is when it has given its next piece."""
    closed, waiting, go_on = threading.Event(), threading.Event(), threading.Event()

    def source() -> Iterator[bytes]:
        try:
            yield CUT[0]
            waiting.set()
            go_on.wait(10)
            yield CUT[1]
        finally:
            closed.set()

    with serve(app(lambda: toolwire.stream(source()))) as base:
        url = urlsplit(base)
        peer = socket.create_connection((url.hostname or "", url.port or 0), timeout=10)
        peer.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert waiting.wait(10)
        peer.close()
        go_on.set()
        assert closed.wait(10)


@pytest.mark.parametrize("how", ["leaves", "refuses", "breaks", "is cancelled"])
def test_a_response_that_never_begins_closes_its_source(how: str) -> None:
    class Source:
        closed = 0

        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield CUT[0]

        async def aclose(self) -> None:
            self.closed += 1

    async def main() -> None:
        source = Source()

        async def send(message: Any) -> None:
            if how == "refuses":
                raise OSError
            if how == "breaks":
                raise OwnError
            await asyncio.sleep(60)

        async def receive() -> dict[str, str]:
            await asyncio.sleep(0.01 if how == "leaves" else 60)
            return {"type": "http.disconnect"}

        made = toolwire.response(toolwire.astream(source), to="openai-chat")
        task = asyncio.create_task(made({"type": "http"}, receive, send))
        if how == "is cancelled":
            await asyncio.sleep(0.01)
            task.cancel()
        await asyncio.wait([task])
        assert source.closed == 1
        assert task.cancelled() == (how == "is cancelled")
        if how != "is cancelled":
            assert isinstance(task.exception(), OwnError if how == "breaks" else type(None))

    asyncio.run(main())


def test_an_older_http_has_no_chunks_but_the_error_form() -> None:
    with serve(app(lambda: toolwire.astream(CUT))) as base:
        data = read_all(base, http="1.0")
    assert b'"code":"incomplete"' in data
    assert b"[DONE]" not in data


def test_it_is_refused_where_the_route_can_say_so() -> None:
    with pytest.raises(toolwire.UsageError, match="nothing is written as 'smoke'"):
        toolwire.response(toolwire.astream(WHOLE), to="smoke")
    with pytest.raises(toolwire.UsageError, match="takes a stream of events"):
        toolwire.response(5, to="openai-chat")  # type: ignore[arg-type]
