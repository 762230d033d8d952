"""A real server for ASGI apps on a loopback port, for clients that are to meet them as they do elsewhere."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    App = Callable[[Any, Any, Any], Awaitable[None]]


class _Server(uvicorn.Server):
    """Says when it has started, or that it never will."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.settled = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.settled.set()

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            super().run(sockets)
        except SystemExit:  # how uvicorn ends where an app doesn't start
            pass
        finally:
            self.settled.set()


@contextmanager
def serve(app: App, grace: float = 1.0) -> Iterator[str]:
    """Run the app under uvicorn in a thread; gives its base URL, without a slash at the end.

    Responses that are still under way at the end get `grace` seconds, then they are cancelled. An app that returns
    before its response is complete has its connection closed without the last chunk: the way to break a stream off.
    It must have read the whole request by then: otherwise the close may be a reset, and what was sent last be lost.
    What the server logs goes to `logging` as it is, so pytest shows it where a test fails.
    """
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",
        ws="none",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=grace,  # type: ignore[arg-type]
    )
    server = _Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        base = f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        server.settled.wait()
        try:
            if not server.started:
                raise RuntimeError("the app did not start: see the log")
            yield base
        finally:
            server.should_exit = True
            thread.join()
