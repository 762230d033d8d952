"""The edges: any source in, events out; sync and async say the same; leaving closes the source."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest
from support import merged, plain, to_sse

import toolwire
from toolwire.grammar import check

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def call(index: int, name: str = "", arguments: str = "", call_id: str = "") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments} if name else {"arguments": arguments}
    return {"index": index, "id": call_id, "function": function} if call_id else {"index": index, "function": function}


PAYLOADS: list[Any] = [
    chunk({"content": "Looking."}),
    chunk({"tool_calls": [call(0, "search", "", "call_a")]}),
    chunk({"tool_calls": [call(0, arguments='{"q": "a')]}),
    chunk({"tool_calls": [call(1, "fetch", '{"u": 1}', "call_b")]}),
    chunk({"tool_calls": [call(0, arguments='b"}')]}),
    chunk({}, "tool_calls"),
    "[DONE]",
]
DATA = to_sse(PAYLOADS)
EXPECTED = plain(toolwire.stream(PAYLOADS, "openai-chat"))


class Source:
    """An iterable that knows whether it was closed."""

    def __init__(self, pieces: list[Any], *, error: Exception | None = None, hang: bool = False) -> None:
        self.pieces = pieces
        self.error = error
        self.hang = hang
        self.closed = 0
        self.given = 0

    def __iter__(self) -> Iterator[Any]:
        for piece in self.pieces:
            self.given += 1
            yield piece
        if self.error is not None:
            raise self.error

    def close(self) -> None:
        self.closed += 1


class AsyncSource(Source):
    async def __aiter__(self) -> AsyncIterator[Any]:
        for piece in self.pieces:
            self.given += 1
            yield piece
            await asyncio.sleep(0)
        if self.hang:
            await asyncio.Event().wait()
        if self.error is not None:
            raise self.error

    async def aclose(self) -> None:
        self.closed += 1


@dataclasses.dataclass
class SdkChunk:
    choices: list[Any]


class PydanticLike:
    """What a provider's SDK hands over: knows how to dump itself, and iterates over its fields."""

    def __init__(self, payload: dict[str, Any]) -> None:
        self.payload = payload

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return iter(self.payload.items())

    def model_dump(self, *, mode: str, by_alias: bool, exclude_none: bool) -> dict[str, Any]:
        assert (mode, by_alias, exclude_none) == ("json", True, True)
        return self.payload


def lines(data: bytes) -> list[str]:
    return data.decode().split("\n")


SOURCES = {
    "payloads": PAYLOADS,
    "bytes": [DATA],
    "single bytes": DATA,
    "text": DATA.decode(),
    "text pieces": [DATA.decode()[i : i + 7] for i in range(0, len(DATA), 7)],
    "bytearrays": [bytearray(DATA[:100]), memoryview(DATA[100:])],
    "lines": lines(DATA),
    "byte lines": [line.encode() for line in lines(DATA)],
    "lines with their ends": DATA.decode().splitlines(keepends=True),
    "json lines": [json.dumps(payload) for payload in PAYLOADS],
    "json lines in one": "\n".join(json.dumps(payload) for payload in PAYLOADS),
    "dataclasses": [SdkChunk(p["choices"]) for p in PAYLOADS[:-1]],
    "pydantic-like": [PydanticLike(p) for p in PAYLOADS[:-1]],
}


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("wire", ["openai-chat", "auto", "openai"])
def test_any_source_gives_the_same_events(name: str, wire: str) -> None:
    """Bytes, text, lines, dicts and objects are all the same stream."""
    events = list(toolwire.stream(SOURCES[name], wire))

    check(events)
    assert plain(events) == EXPECTED


@pytest.mark.parametrize("name", SOURCES)
def test_async_says_what_sync_says(name: str) -> None:
    """The parity of the edges, over async and sync sources."""
    source: Any = SOURCES[name]

    async def read(source: Any) -> list[Any]:
        return [event async for event in toolwire.astream(source, "openai-chat")]

    pieces = source if isinstance(source, list) else [source]
    assert plain(asyncio.run(read(source))) == EXPECTED
    assert plain(asyncio.run(read(AsyncSource(pieces)))) == EXPECTED


def test_collect_folds_the_events() -> None:
    """A message holds text, calls, those that may run, the finish; sync and async alike."""
    for message in (toolwire.collect(DATA), asyncio.run(toolwire.acollect(AsyncSource([DATA])))):
        assert message.text == "Looking."
        assert [(c.name, c.arguments) for c in message.calls] == [("search", {"q": "ab"}), ("fetch", {"u": 1})]
        assert [c.id for c in message.executable] == ["call_a", "call_b"]
        assert message.finish == "tool_calls"
        assert message.error is None
        assert message.raise_for_error() is message


def test_the_source_is_closed_after_the_end() -> None:
    """After the terminator nothing more is read, and the source is closed."""
    source = Source([DATA, b"never read"])

    list(toolwire.stream(source))

    assert (source.given, source.closed) == (1, 1)


def test_leaving_the_loop_closes_the_source() -> None:
    """`break` is enough in sync code."""
    source = Source(PAYLOADS)

    for event in toolwire.stream(source):
        if event.type == "tool_call_start":
            break

    assert source.closed == 1
    assert source.given == 2


def test_leaving_the_async_loop_closes_the_source() -> None:
    """By `async with`, by `aclose`, and by cancelling the task that waits."""

    async def by_with() -> AsyncSource:
        source = AsyncSource(PAYLOADS)
        async with toolwire.astream(source) as stream:
            async for event in stream:
                if event.type == "tool_call_start":
                    break
        return source

    async def by_cancelling() -> AsyncSource:
        source = AsyncSource(PAYLOADS[:2], hang=True)

        async def read() -> None:
            async for _ in toolwire.astream(source):
                pass

        task = asyncio.create_task(read())
        while source.given < 2:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return source

    async def by_break() -> AsyncSource:
        source = AsyncSource(PAYLOADS)
        async for event in toolwire.astream(source):
            if event.type == "tool_call_start":
                break
        for _ in range(5):
            await asyncio.sleep(0)
        return source

    assert asyncio.run(by_with()).closed >= 1
    assert asyncio.run(by_cancelling()).closed == 1
    assert asyncio.run(by_break()).closed == 1


@pytest.mark.parametrize("piecewise", [True, False])
def test_abort_inside_the_loop(piecewise: bool) -> None:
    """Open calls end, one error, one finish, nothing executable, whatever had been decoded already."""
    source = Source(PAYLOADS if piecewise else [DATA])
    stream = toolwire.stream(source)
    events = []
    for event in stream:
        events.append(event)
        if event.type == "tool_call_delta":
            stream.abort("a bad idea")

    check(events)
    assert [event.type for event in events[-2:]] == ["stream_error", "finish"]
    error, finish = events[-2:]
    assert isinstance(error, toolwire.StreamError)
    assert isinstance(finish, toolwire.Finish)
    assert (error.kind, error.message) == ("aborted", "a bad idea")
    assert (finish.reason, finish.calls) == ("cancelled", ())
    assert not any(call.executable for call in stream._stream.calls)
    assert source.closed == 1


def test_abort_from_elsewhere_ends_the_wait() -> None:
    """An async stream that waits for its source stops waiting, and its task is not cancelled."""

    async def main() -> tuple[list[Any], AsyncSource]:
        source = AsyncSource(PAYLOADS[:3], hang=True)
        stream = toolwire.astream(source)
        asyncio.get_running_loop().call_later(0.02, stream.abort, "the user left")
        events = [event async for event in stream]
        await asyncio.sleep(0)  # raises if a cancellation were left over
        return events, source

    events, source = asyncio.run(main())

    check(events)
    assert plain(events)[-2:] == [
        ("stream_error", "aborted", None, "the user left", None),
        ("finish", 0, "cancelled", (), ()),
    ]
    assert source.closed == 1


@pytest.mark.parametrize("piecewise", [True, False])
def test_a_rejected_call_ends_and_its_sibling_runs(piecewise: bool) -> None:
    """`reject` stops one call; the others go on; the finish doesn't list it."""
    events = []
    for event in toolwire.stream(PAYLOADS if piecewise else [DATA]):
        events.append(event)
        if event.type == "tool_call_delta" and event.call.name == "search":
            event.call.reject("not allowed")

    check(events)
    finish = events[-1]
    assert isinstance(finish, toolwire.Finish)
    assert [c.name for c in finish.calls] == ["fetch"]
    rejected = next(e.call for e in events if e.type == "tool_call_end" and e.call.name == "search")
    assert not rejected.ready
    assert rejected.error is not None
    assert (rejected.error.reason, rejected.error.message) == ("rejected", "not allowed")


@pytest.mark.parametrize(("error", "kind"), [(ConnectionResetError("gone"), "connection"), (TimeoutError(), "timeout")])
def test_an_error_of_the_network_is_an_event(error: OSError, kind: str) -> None:
    """The turn ends in order: the open call is incomplete, the error says what happened, nothing is raised."""

    async def read() -> list[Any]:
        return [event async for event in toolwire.astream(AsyncSource(PAYLOADS[:3], error=error))]

    events = list(toolwire.stream(Source(PAYLOADS[:3], error=error)))

    check(events)
    said = events[-2]
    assert isinstance(said, toolwire.StreamError)
    assert (said.kind, said.retryable) == (kind, True)
    assert type(error).__name__ in said.message
    assert plain(events)[-1] == ("finish", 0, "error", (), ())
    assert plain(asyncio.run(read())) == plain(events)


def test_an_error_in_the_source_itself_is_raised_after_the_ends() -> None:
    """A mistake in the caller's source is not the provider's: the turn ends in order first, then it is raised."""
    events = []
    with pytest.raises(KeyError, match="oops"):
        for event in toolwire.stream(Source(PAYLOADS[:3], error=KeyError("oops"))):
            events.append(event)

    async def read() -> list[Any]:
        out = []
        with pytest.raises(KeyError, match="oops"):
            async for event in toolwire.astream(AsyncSource(PAYLOADS[:3], error=KeyError("oops"))):
                out.append(event)
        return out

    check(events)
    assert plain(events)[-1] == ("finish", 0, "error", (), ())
    assert plain(asyncio.run(read())) == plain(events)


def test_misuse_is_a_usage_error() -> None:
    """A second iteration, an unknown wire, a source of nonsense: the caller's fault, said clearly."""
    stream = toolwire.stream(DATA)
    list(stream)
    with pytest.raises(toolwire.UsageError, match="iterated once"):
        list(stream)
    with pytest.raises(toolwire.UsageError, match=r"unknown wire 'opanai'.*anthropic"):
        toolwire.stream(DATA, "opanai")
    with pytest.raises(toolwire.UsageError, match="object is no payload"):
        list(toolwire.stream([object()]))


def test_merged_is_stable_over_cuts_of_the_text() -> None:
    """Text in pieces of any size merges to one."""
    assert merged(toolwire.stream([DATA[:50], DATA[50:]])) == merged(toolwire.stream(DATA))
