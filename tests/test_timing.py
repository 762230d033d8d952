"""Limits in time: sans-I/O with readings as arguments, and on both edges."""

from __future__ import annotations

import asyncio
import selectors
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from support import plain, to_sse

import toolwire
from toolwire import sources
from toolwire.grammar import check
from toolwire.timing import Stopwatch, Timeouts

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

NONE = Timeouts(first=None, silence=None, progress=None, progress_in_call=None, total=None, settle=None)


def only(**limits: float) -> Timeouts:
    """Timeouts with these limits and no others."""
    return Timeouts(**{name: limits.get(name) for name in Timeouts.__struct_fields__})


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


TEXT = to_sse([chunk(content="hi")])
CALL = to_sse([chunk(tool_calls=[{"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x": '}}])])
WHOLE = to_sse([chunk(tool_calls=[{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}])])
FINISH = to_sse([chunk("tool_calls")])
PING = b": keep-alive\n\n"

# name: the limits, the pieces with the reading at which each comes, and when which limit passes
SCRIPTS: dict[str, tuple[Timeouts, list[tuple[float, bytes]], float, str]] = {
    "first, with nothing": (only(first=5), [], 5, "first"),
    "first, with keep-alives": (only(first=5), [(1, PING), (4, PING)], 5, "first"),
    "silence, with nothing": (only(silence=3), [], 3, "silence"),
    "silence, after bytes": (only(silence=3), [(2, TEXT), (4, PING)], 7, "silence"),
    "progress, with keep-alives": (only(progress=3), [(1, TEXT), (2, PING), (3, PING)], 4, "progress"),
    "progress in a call": (only(progress=3, progress_in_call=9), [(1, CALL), (5, PING)], 10, "progress_in_call"),
    "total": (only(total=6), [(2, TEXT), (4, TEXT)], 6, "total"),
    "settle": (only(settle=2), [(1, WHOLE), (2, FINISH)], 4, "settle"),
    "settle, with keep-alives": (only(settle=2), [(1, WHOLE), (2, FINISH), (3, PING)], 4, "settle"),
    "the nearest of several": (Timeouts(first=9, silence=3, total=8), [(2, TEXT)], 5, "silence"),
}


def judge(limit: str, events: list[toolwire.Event]) -> None:
    """What the stream must say when this limit passed."""
    check(events)
    errors = [event for event in events if isinstance(event, toolwire.StreamError)]
    finish = events[-1]
    assert isinstance(finish, toolwire.Finish)
    if limit == "settle":
        assert (finish.reason, len(finish.calls), errors) == ("tool_calls", 1, [])
    else:
        assert [(error.kind, f"the limit {limit} passed" in error.message) for error in errors] == [("timeout", True)]
        assert (finish.reason, finish.calls) == ("error", ())


@pytest.mark.parametrize("name", SCRIPTS)
def test_each_limit_without_a_clock(name: str) -> None:
    """The deadline is known beforehand; just before it nothing happens, at it the stream ends."""
    timeouts, script, due, limit = SCRIPTS[name]
    stream = toolwire.Stream("openai-chat", timeouts=timeouts)
    stream.start(0)
    events = []
    for now, data in script:
        assert stream.tick(now - 0.001) == []
        events += stream.receive(data, now)
    assert stream.deadline() == due
    assert stream.tick(due - 0.001) == []
    assert not stream.done
    events += stream.tick(due)

    assert stream.done
    assert stream.deadline() is None
    assert stream.tick(due + 100) == []
    judge(limit, events)


def test_without_readings_no_limit_passes() -> None:
    """A caller without a clock has no deadlines."""
    stream = toolwire.Stream("openai-chat", timeouts=only(total=1))
    stream.receive(TEXT)

    assert stream.deadline() is None
    assert stream.tick(1e9) == []


def test_several_choices_settle_together() -> None:
    """A finish reason of one choice says nothing of the other."""
    stream = toolwire.Stream("openai-chat", timeouts=only(settle=2))
    second = to_sse([{"choices": [{"index": 1, "delta": {"content": "b"}}]}])
    stream.receive(TEXT + second, 1)
    stream.receive(FINISH, 2)
    assert stream.deadline() is None
    stream.receive(to_sse([{"choices": [{"index": 1, "delta": {}, "finish_reason": "stop"}]}]), 3)
    assert stream.deadline() == 5


def test_a_failed_stream_settles() -> None:
    """After an error the source isn't waited for longer than for a terminator."""
    stream = toolwire.Stream("openai-chat", timeouts=only(settle=2))
    events = stream.receive(to_sse([{"error": {"message": "no"}}]), 1)
    assert stream.deadline() == 3
    events += stream.tick(3)

    check(events)
    assert plain(events)[-1] == ("finish", 0, "error", (), ())


def test_no_limits_no_deadline() -> None:
    """Every limit can be switched off."""
    watch = Stopwatch(NONE)
    watch.start(0)
    watch.finishing = watch.call_open = True

    assert watch.deadline() is None


class FakeClock:
    """A clock that the event loop moves on instead of sleeping."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


class FakeSelector(selectors.DefaultSelector):
    clock: FakeClock

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if not ready and timeout:
            self.clock.now += timeout
        return ready


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    clock = FakeClock()
    monkeypatch.setattr(sources, "time", clock)
    return clock


def run_on(clock: FakeClock, main: Any) -> Any:
    """Run a coroutine on a loop whose time is the fake clock's."""
    selector = FakeSelector()
    selector.clock = clock
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = clock.monotonic  # type: ignore[method-assign]
    try:
        return loop.run_until_complete(main)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


@pytest.mark.parametrize("name", SCRIPTS)
def test_each_limit_on_the_async_edge(name: str, clock: FakeClock) -> None:
    """The source is cut off at the limit, and closed."""
    timeouts, script, due, limit = SCRIPTS[name]
    closed = []

    async def source() -> AsyncIterator[bytes]:
        try:
            before = 0.0
            for now, data in script:
                await asyncio.sleep(now - before)
                before = now
                yield data
            await asyncio.sleep(1e6)
        finally:
            closed.append(True)

    async def main() -> list[toolwire.Event]:
        return [event async for event in toolwire.astream(source(), "openai-chat", timeouts=timeouts)]

    started = clock.now
    events = run_on(clock, main())

    judge(limit, events)
    assert clock.now - started == pytest.approx(due)
    assert closed == [True]


def test_the_consumers_time_does_not_count(clock: FakeClock) -> None:
    """A slow consumer is no silent source."""

    async def source() -> AsyncIterator[bytes]:
        for _ in range(3):
            await asyncio.sleep(1)
            yield TEXT
        yield FINISH

    async def main() -> list[toolwire.Event]:
        events = []
        async for event in toolwire.astream(source(), "openai-chat", timeouts=only(silence=2, total=5)):
            events.append(event)
            await asyncio.sleep(100)
        return events

    events = run_on(clock, main())

    check(events)
    assert plain(events)[-1] == ("finish", 0, "stop", (), ("tool_calls",))


@pytest.mark.parametrize("name", SCRIPTS)
def test_each_limit_on_the_sync_edge(name: str) -> None:
    """A thread reads the source; limits pass while it is silent. A hundredth of the script's time."""
    timeouts, script, _, limit = SCRIPTS[name]
    scale = 0.02
    timeouts = only(**{f: getattr(timeouts, f) * scale for f in Timeouts.__struct_fields__ if getattr(timeouts, f)})
    let_go = threading.Event()

    def source() -> Iterator[bytes]:
        before = 0.0
        for now, data in script:
            time.sleep((now - before) * scale)
            before = now
            yield data
        let_go.wait(10)

    events = list(toolwire.stream(source(), "openai-chat", timeouts=timeouts))
    let_go.set()

    judge(limit, events)


def test_the_sync_edge_uses_a_thread_only_for_limits() -> None:
    """Without limits in time the source is read where it is needed."""
    readers = []

    def source() -> Iterator[bytes]:
        readers.append(threading.current_thread())
        yield TEXT + FINISH

    for timeouts in (None, Timeouts()):
        list(toolwire.stream(source(), "openai-chat", **({"timeouts": timeouts} if timeouts else {})))

    assert readers[0] is threading.current_thread()
    assert readers[1] is not threading.current_thread()
    for _ in range(100):
        if not readers[1].is_alive():
            break
        time.sleep(0.01)
    assert not readers[1].is_alive()


def test_sync_and_async_defaults_say_the_same(clock: FakeClock) -> None:
    """With the default limits, healthy streams come out as without."""
    pieces = [TEXT, WHOLE, FINISH]

    async def main() -> list[toolwire.Event]:
        return [event async for event in toolwire.astream(pieces)]

    want = plain(toolwire.stream(pieces))
    assert plain(toolwire.stream(pieces, timeouts=Timeouts())) == want
    assert plain(run_on(clock, main())) == want


def test_abort_ends_the_wait_of_a_timed_sync_stream() -> None:
    """With limits in time, an abort from another thread doesn't wait for the source."""
    let_go = threading.Event()

    def source() -> Iterator[bytes]:
        yield CALL
        let_go.wait(10)

    stream = toolwire.stream(source(), "openai-chat", timeouts=Timeouts())
    threading.Timer(0.05, stream.abort, ["enough"]).start()
    began = time.monotonic()
    events = list(stream)
    took = time.monotonic() - began
    let_go.set()

    check(events)
    assert plain(events)[-1] == ("finish", 0, "cancelled", (), ())
    assert took < 5
