"""Requests for the readers of the mock provider, and a server that records those of real SDKs."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import pytest

from toolwire.mock import requests
from toolwire.mock.asked import Asked, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@dataclass(frozen=True)
class Sent:
    """A request as it came over HTTP."""

    path: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    query: dict[str, str] = field(default_factory=dict)

    def read(self, wire: str, *, keys: str = "", models: str = "", max_body: int = 2**20) -> Asked:
        """What a wire's reader makes of it. `keys` and `models` are words."""
        return requests.read(
            wire,
            path=self.path,
            query=self.query,
            headers=self.headers,
            body=self.body,
            keys=frozenset(keys.split()),
            models=frozenset(models.split()),
            max_body=max_body,
        )


def sent(path: str, body: Any, query: dict[str, str] | None = None, **headers: str) -> Sent:
    """A request. `body`: bytes as they are, anything else as JSON; `_` in a header's name stands for `-`."""
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Sent(path, {name.replace("_", "-"): value for name, value in headers.items()}, text, query or {})


def refused(request: Sent, wire: str, **options: Any) -> RefusedError:
    """How a request is refused."""
    with pytest.raises(RefusedError) as caught:
        request.read(wire, **options)
    return caught.value


def without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    """A copy without some fields."""
    return {name: each for name, each in value.items() if name not in names}


@contextmanager
def recording(*answers: dict[str, Any]) -> Iterator[tuple[str, list[Sent]]]:
    """A loopback server: its address, and the requests that it got. It gives the answers, then refuses."""
    got: list[Sent] = []
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            path, _, query = self.path.partition("?")
            headers = {name.lower(): value for name, value in self.headers.items()}
            got.append(Sent(path, headers, body, dict(parse_qsl(query, keep_blank_values=True))))
            self._answer(200, left.pop(0)) if left else self._answer(400, {"error": {"message": "no more"}})

        def do_GET(self) -> None:
            self._answer(200, left.pop(0))

        def _answer(self, status: int, value: dict[str, Any]) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.01), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", got
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
