"""Responses of real HTTP clients, from a real socket, as they are: what came, and how the network can fail."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import struct
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import aiohttp
import httpx
import httpx2
import pytest
import requests
from support import to_sse

import toolwire
from toolwire.grammar import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CALL: dict[str, Any] = {
    "choices": [
        {"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{"}}]}}
    ]
}
REST: dict[str, Any] = {
    "choices": [
        {
            "index": 0,
            "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "}"}}]},
            "finish_reason": "tool_calls",
        }
    ]
}
STREAM = to_sse([CALL, REST, "[DONE]"])
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"


@contextmanager
def serving(talk: Callable[[socket.socket], None]) -> Iterator[str]:
    """A loopback server that reads each request and then talks; gives its address."""
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(0.05)
    stop = threading.Event()

    def handle(peer: socket.socket) -> None:
        with peer:
            peer.settimeout(5)
            peer.recv(65536)
            with suppress(OSError):
                talk(peer)

    def accept() -> None:
        while not stop.is_set():
            try:
                peer, _ = server.accept()
            except TimeoutError:
                continue
            threading.Thread(target=handle, args=(peer,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
    finally:
        stop.set()
        thread.join()
        server.close()


def send(data: bytes, head: bytes = HEAD) -> Callable[[socket.socket], None]:
    return lambda peer: peer.sendall(head + b"\r\n" + data)


Read = "Callable[[str, toolwire.Timeouts | None], list[toolwire.Event]]"


def by_httpx(url: str, timeouts: toolwire.Timeouts | None) -> list[toolwire.Event]:
    with httpx.stream("POST", url, timeout=5) as response:
        return list(toolwire.stream(response, **({"timeouts": timeouts} if timeouts else {})))


def by_httpx2(url: str, timeouts: toolwire.Timeouts | None) -> list[toolwire.Event]:
    with httpx2.stream("POST", url, timeout=5) as response:
        return list(toolwire.stream(response, **({"timeouts": timeouts} if timeouts else {})))


def by_requests(url: str, timeouts: toolwire.Timeouts | None) -> list[toolwire.Event]:
    with requests.post(url, stream=True, timeout=5) as response:
        return list(toolwire.stream(response, **({"timeouts": timeouts} if timeouts else {})))


def by_httpx_async(url: str, timeouts: toolwire.Timeouts | None) -> list[toolwire.Event]:
    async def main() -> list[toolwire.Event]:
        async with httpx.AsyncClient(timeout=5) as client, client.stream("POST", url) as response:
            stream = toolwire.astream(response, **({"timeouts": timeouts} if timeouts else {}))
            return [event async for event in stream]

    return asyncio.run(main())


def by_aiohttp(url: str, timeouts: toolwire.Timeouts | None) -> list[toolwire.Event]:
    async def main() -> list[toolwire.Event]:
        async with aiohttp.ClientSession() as session, session.post(url) as response:
            stream = toolwire.astream(response, **({"timeouts": timeouts} if timeouts else {}))
            return [event async for event in stream]

    return asyncio.run(main())


CLIENTS: dict[str, Any] = {
    "httpx": by_httpx,
    "httpx2": by_httpx2,
    "requests": by_requests,
    "httpx, async": by_httpx_async,
    "aiohttp": by_aiohttp,
}


@pytest.fixture(params=CLIENTS)
def read(request: pytest.FixtureRequest) -> Any:
    return CLIENTS[request.param]


def error_of(events: list[toolwire.Event]) -> toolwire.StreamError:
    check(events)
    (error,) = [event for event in events if isinstance(event, toolwire.StreamError)]
    finish = events[-1]
    assert isinstance(finish, toolwire.Finish)
    assert (finish.reason, finish.calls) == ("error", ())
    return error


@pytest.mark.parametrize("compressed", [False, True])
def test_a_stream(read: Any, compressed: bool) -> None:
    """Plain and compressed, the calls come out."""
    talk = send(STREAM)
    if compressed:
        talk = send(gzip.compress(STREAM), HEAD + b"Content-Encoding: gzip\r\n")
    with serving(talk) as url:
        events = read(url, None)

    check(events)
    assert [call.name for call in events[-1].calls] == ["f"]


def test_an_error_body(read: Any) -> None:
    """Status, retryable and retry_after are the response's."""
    head = (
        b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: 3\r\nConnection: close\r\n"
    )
    with serving(send(b'{"error": {"message": "slow", "type": "rate_limit_error"}}', head)) as url:
        error = error_of(read(url, None))

    assert (error.kind, error.status, error.retryable, error.retry_after) == ("rate_limit", 429, True, 3.0)


def test_a_whole_answer_instead_of_a_stream(read: Any) -> None:
    """A server may ignore that a stream was asked for."""
    tool = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": {"tool_calls": [tool]}}]}
    body["choices"][0]["finish_reason"] = "tool_calls"  # type: ignore[index]
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
    with serving(send(json.dumps(body).encode(), head)) as url:
        events = read(url, None)

    check(events)
    assert [call.arguments for call in events[-1].calls] == [{}]


def test_a_reset(read: Any) -> None:
    """A connection that is torn down in a call."""

    def talk(peer: socket.socket) -> None:
        head = HEAD + b"Content-Length: 100000\r\n"
        peer.sendall(head + b"\r\n" + to_sse([CALL]))
        time.sleep(0.1)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with serving(talk) as url:
        events = read(url, None)

    assert error_of(events).kind == "connection"
    assert [event.call.status for event in events if event.type == "tool_call_end"] == ["incomplete"]


def test_a_half_close(read: Any) -> None:
    """The peer stops sending in the middle, without a word: cut, not finished."""

    def talk(peer: socket.socket) -> None:
        peer.sendall(HEAD + b"\r\n" + to_sse([CALL]))
        peer.shutdown(socket.SHUT_WR)
        time.sleep(0.1)

    with serving(talk) as url:
        events = read(url, None)

    check(events)
    assert (events[-1].reason, events[-1].calls) == ("incomplete", ())


@pytest.mark.parametrize(
    ("limit", "repeated"),
    [("silence", b""), ("progress_in_call", b": keep-alive\n\n"), ("total", to_sse([{"choices": []}]))],
)
def test_limits_in_time(read: Any, limit: str, repeated: bytes) -> None:
    """Silence, nothing but keep-alives, and an event every so often: each ends at its limit."""
    done = threading.Event()

    def talk(peer: socket.socket) -> None:
        peer.sendall(HEAD + b"\r\n" + to_sse([CALL]))
        while not done.wait(0.05):
            if repeated:
                peer.sendall(repeated)

    limits = dict.fromkeys(toolwire.Timeouts.__struct_fields__)
    with serving(talk) as url:
        began = time.monotonic()
        events = read(url, toolwire.Timeouts(**{**limits, limit: 0.3}))
        took = time.monotonic() - began
        done.set()

    error = error_of(events)
    assert (error.kind, error.retryable) == ("timeout", True)
    assert f"the limit {limit} passed" in error.message
    assert 0.25 < took < 4


def test_a_turn_that_settles(read: Any) -> None:
    """A finish reason, then an open connection: after `settle` the turn has ended well."""
    done = threading.Event()

    def talk(peer: socket.socket) -> None:
        peer.sendall(HEAD + b"\r\n" + to_sse([CALL, REST]))
        done.wait(5)

    with serving(talk) as url:
        events = read(url, toolwire.Timeouts(settle=0.2))
        done.set()

    check(events)
    assert [call.name for call in events[-1].calls] == ["f"]


def test_a_slow_consumer_is_not_the_sources_fault() -> None:
    """Time counts only while the source is waited for."""
    with serving(send(STREAM)) as url, httpx.stream("POST", url, timeout=5) as response:
        events = []
        for event in toolwire.stream(response, timeouts=toolwire.Timeouts(silence=0.2, total=0.2)):
            events.append(event)
            time.sleep(0.1)

    check(events)
    assert events[-1].type == "finish"
    assert events[-1].reason == "tool_calls"


def test_requests_without_stream_gives_the_whole_body() -> None:
    """The client has read everything: the events are those of the stream, with the head in sight."""
    with serving(send(STREAM)) as url:
        events = list(toolwire.stream(requests.post(url, timeout=5)))

    check(events)
    assert [call.name for call in events[-1].calls] == ["f"]


def test_a_response_at_the_other_edge() -> None:
    """A sync response is read in a thread by the async edge; an async one can't be read by the sync edge."""

    async def sync_in_async(url: str) -> toolwire.Message:
        with httpx.stream("POST", url, timeout=5) as response:
            return await toolwire.acollect(response)

    async def httpx_in_sync(url: str) -> toolwire.Message:
        async with httpx.AsyncClient(timeout=5) as client, client.stream("POST", url) as response:
            return toolwire.collect(response)

    async def aiohttp_in_sync(url: str) -> toolwire.Message:
        async with aiohttp.ClientSession() as session, session.post(url) as response:
            return toolwire.collect(response)

    with serving(send(STREAM)) as url:
        assert [call.name for call in asyncio.run(sync_in_async(url)).calls] == ["f"]
        for main in (httpx_in_sync, aiohttp_in_sync):
            with pytest.raises(toolwire.UsageError, match="acollect"):
                asyncio.run(main(url))
