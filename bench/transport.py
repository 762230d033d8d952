"""An in-memory transport: every SDK reads the same bytes, one server-sent event per read, and no socket."""

from __future__ import annotations

from time import process_time_ns
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

__all__ = ["Switch", "async_client", "client"]


class Switch:
    """The bytes of the next response, and the clock's readings around a part of them.

    A consumer asks for a chunk when it has done with the one before. So what passes between the request for the
    first marked chunk and the one after the last is what the marked ones cost.
    """

    def __init__(self) -> None:
        self.before: Sequence[bytes] = ()
        self.marked: Sequence[bytes] = ()
        self.began = self.ended = 0
        self._bytes: Iterator[bytes] = iter(())

    def load(self, marked: Sequence[bytes], before: Sequence[bytes] = ()) -> None:
        self.before, self.marked = before, marked
        self.began = self.ended = 0
        self._bytes = self._run()

    def __iter__(self) -> Iterator[bytes]:
        return self._bytes  # there is one body: who asks again gets what is left

    def _run(self) -> Iterator[bytes]:
        yield from self.before
        self.began = process_time_ns()
        yield from self.marked
        self.ended = process_time_ns()


def client(library: Any, switch: Switch) -> Any:
    """A client of httpx or httpx2 that answers every request with what the switch holds."""

    class Body(library.SyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            return iter(switch)

    class Transport(library.BaseTransport):  # type: ignore[misc]
        def handle_request(self, request: Any) -> Any:
            headers = {"content-type": "text/event-stream"}
            return library.Response(200, headers=headers, stream=Body(), request=request)

    return library.Client(transport=Transport(), trust_env=False)


def async_client(library: Any, switch: Switch) -> Any:
    """The same for async code."""

    class Body(library.AsyncByteStream):  # type: ignore[misc]
        async def __aiter__(self) -> AsyncIterator[bytes]:
            for chunk in switch:
                yield chunk

    class Transport(library.AsyncBaseTransport):  # type: ignore[misc]
        async def handle_async_request(self, request: Any) -> Any:
            headers = {"content-type": "text/event-stream"}
            return library.Response(200, headers=headers, stream=Body(), request=request)

    return library.AsyncClient(transport=Transport(), trust_env=False)
