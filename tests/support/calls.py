"""Streams of calls that are written slowly, and what tests of those who wait for them need."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from support import to_sse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    import toolwire

ARGUMENTS = {
    "query": "tea",
    "rows": [{"a": 1}, "x", [2]],
    "content": "line 1\nline 2",
    "limit": 3,
    "deep": {"in": True},
}


def delta(index: int, arguments: str, name: str = "") -> dict[str, Any]:
    call: dict[str, Any] = {"index": index, "function": {"arguments": arguments}}
    if name:
        call |= {"id": f"id_{index}"}
        call["function"]["name"] = name
    return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}


FINISH: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}


def pieces(arguments: Any = ARGUMENTS, size: int = 5, *, finish: bool = True, calls: int = 1) -> list[bytes]:
    """A stream of calls side by side, an event a piece."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    items: list[Any] = [delta(index, "", f"f{index}") for index in range(calls)]
    for at in range(0, len(text), size):
        items += [delta(index, text[at : at + size]) for index in range(calls)]
    if finish:
        items += [FINISH, "[DONE]"]
    return [to_sse([item]) for item in items]


class Source:
    """Gives a piece when it is let, or at once; knows what it has given and whether it was closed."""

    def __init__(self, given: list[bytes], *, error: Exception | None = None, hang: bool = False) -> None:
        self.pieces = given
        self.error = error
        self.hang = hang
        self.count = 0
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            for piece in self.pieces:
                await asyncio.sleep(0)
                self.count += 1
                yield piece
            if self.hang:
                await asyncio.Event().wait()
            if self.error is not None:
                raise self.error
        finally:
            self.closed = True


def run(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run it, and see that it neither hangs nor leaves a task behind."""

    async def watched() -> Any:
        async with asyncio.timeout(10):
            result = await main()
        for _ in range(9):  # iterators that were left are closed by the loop
            await asyncio.sleep(0)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, left
        return result

    return asyncio.run(watched())


async def first(stream: toolwire.AsyncEventStream) -> toolwire.ToolCall:
    async for call in stream.calls():
        return call
    raise AssertionError("no call")


async def drain(parts: AsyncIterator[Any]) -> list[Any]:
    return [part async for part in parts]
