"""Waiting for parts of a call: each comes as soon as it is whole, what won't come is told at once, nothing hangs."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from support import to_sse
from support.calls import ARGUMENTS, FINISH, Source, drain, first, pieces, run

import toolwire
from toolwire.grammar import check

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine


def test_the_parts_of_a_call() -> None:
    async def main() -> None:
        source = Source(pieces())
        async with toolwire.astream(source) as stream:
            call = await first(stream)
            assert (call.name, source.count) == ("f0", 1)
            assert await call.value("query") == "tea"
            assert source.count < len(source.pieces) // 2
            assert [row async for row in call.items("rows")] == ARGUMENTS["rows"]
            content = [piece async for piece in call.text("content")]
            assert ("".join(content), len(content) > 2) == (ARGUMENTS["content"], True)
            assert call.status == "open"
            assert await call.value("deep", "in") is True
            assert await call.value("rows", 2, 0) == 2
            assert await call.value() == ARGUMENTS
            assert call.done is False
            assert await call.result() == ARGUMENTS
            assert call.executable
        assert source.closed

    run(main)


def test_handlers_in_a_task_group() -> None:
    """As in the documentation: a task for each call, all beside each other."""

    async def main() -> None:
        told: list[str] = []

        async def handle(call: toolwire.ToolCall) -> Any:
            told.append(f"{call.name} {await call.value('query')}")
            async for _ in call.items("rows"):
                told.append(f"{call.name} row")
            return await call.result()

        async with toolwire.astream(Source(pieces(calls=3))) as stream, asyncio.TaskGroup() as tasks:
            started = [tasks.create_task(handle(call)) async for call in stream.calls()]
        assert [task.result() for task in started] == [ARGUMENTS] * 3
        assert told[:3] == ["f0 tea", "f1 tea", "f2 tea"]
        assert len(told) == 12

    run(main)


NEVER: dict[str, tuple[Any, Callable[[toolwire.ToolCall], Awaitable[Any]], str]] = {
    "no such key": (ARGUMENTS, lambda call: call.value("other"), "whole without it"),
    "no such element": (ARGUMENTS, lambda call: call.value("rows", 3), "whole without it"),
    "a string has no members": (ARGUMENTS, lambda call: call.value("query", "x"), "'query.x': query is a str"),
    "an object has no elements": (ARGUMENTS, lambda call: call.value("deep", 0), "deep is an object"),
    "another type for text": (ARGUMENTS, lambda call: drain(call.text("limit")), "it is a int"),
    "another type for items": (ARGUMENTS, lambda call: drain(call.items("query")), "it is a str"),
    "malformed": ('{"a": x}', lambda call: call.value("a"), "expected a value"),
    "a cut string": ('{"a": "b', lambda call: drain(call.text("a")), "in the middle"),
    "not an object": ("[1]", lambda call: call.value("a"), "the value is an array"),
    "no arguments": ("", lambda call: call.value("a"), "ended without it"),
    "a result that is invalid": ("[1]", lambda call: call.result(), "not a JSON object"),
}


@pytest.mark.parametrize("name", NEVER)
def test_what_never_comes(name: str) -> None:
    arguments, wait, message = NEVER[name]

    async def main() -> None:
        async with toolwire.astream(Source(pieces(arguments))) as stream:
            call = await first(stream)
            with pytest.raises(toolwire.ToolCallError, match=message):
                await wait(call)

    run(main)


def test_another_type_is_told_before_the_end() -> None:
    async def main() -> None:
        source = Source(pieces(), hang=True)
        async with toolwire.astream(source) as stream:
            call = await first(stream)
            with pytest.raises(toolwire.ToolCallError):
                await call.value("query", "x")
            assert source.count < len(source.pieces)

    run(main)


@pytest.mark.parametrize("how", ["cut", "error", "reject", "abort", "close", "source"])
def test_a_stream_that_dies(how: str) -> None:
    """Every waiter is told, of whatever kind it is."""

    async def main() -> None:
        given = pieces({"a": "b" * 50}, finish=False)[:-6]
        source = Source(
            given, hang=how in ("reject", "abort", "close"), error=KeyError("x") if how == "source" else None
        )
        stream = toolwire.astream(source)
        async with stream:
            call = await first(stream)
            waits: list[Coroutine[Any, Any, Any]] = [
                call.value("a"),
                call.value("z"),
                drain(call.text("a")),
                drain(call.items("a")),
                call.result(),
            ]
            tasks = [asyncio.create_task(wait) for wait in waits]
            for _ in range(200):
                await asyncio.sleep(0)
            if how == "reject":
                call.reject("not this one")
            elif how == "abort":
                stream.abort("enough")
            elif how == "close":
                await stream.aclose()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(each, toolwire.ToolwireError) for each in results), results
        assert source.closed

    run(main)


def test_a_rejected_call_tells_its_waiters_at_once() -> None:
    """Although the source says nothing any more."""

    async def main() -> None:
        async with toolwire.astream(Source(pieces({"a": "b" * 50}, finish=False)[:-3], hang=True)) as stream:
            call = await first(stream)
            task = asyncio.create_task(call.result())
            await asyncio.sleep(0.01)
            call.reject("no")
            with pytest.raises(toolwire.ToolCallError, match="no"):
                await asyncio.wait_for(task, 2)

    run(main)


def test_the_sources_own_exception_is_raised_where_calls_are_awaited() -> None:
    async def main() -> None:
        async with toolwire.astream(Source(pieces(finish=False), error=KeyError("mine"))) as stream:
            with pytest.raises(KeyError):
                await drain(stream.calls())

    run(main)


def test_events_and_waiters_side_by_side() -> None:
    """The consumer of events gets each one once and in order, whoever had it read."""

    async def main() -> None:
        async with toolwire.astream(Source(pieces(size=1))) as stream:
            events: list[toolwire.Event] = []
            waiters: list[asyncio.Task[Any]] = []
            async for event in stream:
                events.append(event)
                if isinstance(event, toolwire.ToolCallStart):
                    waiters = [
                        asyncio.create_task(event.call.result()),
                        asyncio.create_task(drain(event.call.text("content"))),  # type: ignore[arg-type]
                    ]
                await asyncio.sleep(0)
            assert await waiters[0] == ARGUMENTS
            assert "".join(await waiters[1]) == ARGUMENTS["content"]
        check(events)
        assert "".join(event.text for event in events if isinstance(event, toolwire.ToolCallDelta)) == json.dumps(
            ARGUMENTS
        )

    run(main)


def test_a_consumer_that_stands_still_holds_the_waiters_back() -> None:
    async def main() -> None:
        source = Source(pieces({"a": "b" * 2000}, size=1))
        async with toolwire.astream(source) as stream:
            events = aiter(stream)
            event = await anext(events)
            while not isinstance(event, toolwire.ToolCallStart):
                event = await anext(events)
            task = asyncio.create_task(event.call.value("a"))
            for _ in range(10_000):
                await asyncio.sleep(0)
            assert source.count < 400
            assert len([event async for event in events]) > 2000
            assert await task == "b" * 2000

    run(main)


# That it waits for a task can't be seen, so that takes a second for every 256.
@pytest.mark.parametrize(
    ("how", "length"),
    [(how, length) for how in ("value", "result", "speculation") for length in (200, 256, 300, 3000)]
    + [("a task", 200), ("a task", 300)],
)
def test_a_consumer_that_waits_itself(length: int, how: str) -> None:
    """It stands still because of what it waits for, so the stream is read on for it."""

    async def wait(call: toolwire.ToolCall) -> Any:
        if how == "value":
            return await call.value("z")
        if how == "result":
            return (await call.result())["z"]
        if how == "a task":
            return await asyncio.create_task(call.value("z"))

        async def look_up(z: int) -> int:
            return z

        async with toolwire.speculate(call, "z", look_up) as found:
            return await found

    async def main() -> None:
        source = Source(pieces({"c": "x" * length, "z": 1}, size=1))
        count = 0
        async with toolwire.astream(source) as stream:
            async for event in stream:
                count += 1
                if isinstance(event, toolwire.ToolCallStart):
                    assert await wait(event.call) == 1
        assert count > length

    run(main)


def test_a_closed_stream_is_told_as_the_calls_error() -> None:
    async def main() -> None:
        async with toolwire.astream(Source(pieces(), hang=True)) as stream:
            call = await first(stream)
        with pytest.raises(toolwire.ToolCallError, match="the stream was closed while this was waited for") as raised:
            await call.result()
        assert raised.value.kind == "closed"

    run(main)


def test_a_waiters_cancellation_is_its_own() -> None:
    async def main() -> None:
        async with toolwire.astream(Source(pieces())) as stream:
            call = await first(stream)
            one, other = asyncio.create_task(call.result()), asyncio.create_task(call.result())
            await asyncio.sleep(0)
            one.cancel()
            with pytest.raises(asyncio.CancelledError):
                await one
            assert await other == ARGUMENTS

    run(main)


def test_free_text() -> None:
    payload = {"index": 0, "id": "a", "type": "custom", "custom": {"name": "run", "input": "ls "}}
    more = {"index": 0, "custom": {"input": "-l"}}
    chunks: list[Any] = [{"choices": [{"index": 0, "delta": {"tool_calls": [each]}}]} for each in (payload, more)]

    async def main() -> None:
        async with toolwire.astream(Source([to_sse([each]) for each in [*chunks, FINISH, "[DONE]"]])) as stream:
            call = await first(stream)
            assert await drain(call.text()) == ["ls ", "-l"]
            assert await call.result() == "ls -l"

    run(main)


def test_waiting_needs_an_async_stream() -> None:
    async def main() -> None:
        call = next(iter(toolwire.stream(pieces()).calls()))
        with pytest.raises(toolwire.UsageError, match="async stream"):
            await call.value("query")
        with pytest.raises(toolwire.UsageError, match="path"):
            await call.value(-1)

    run(main)


def test_waiting_first_and_iterating_then_is_a_mistake() -> None:
    async def main() -> None:
        async with toolwire.astream(Source(pieces())) as stream:
            await first(stream)
            with pytest.raises(toolwire.UsageError, match="begin to iterate"):
                await anext(aiter(stream))

    run(main)


async def early(call: toolwire.ToolCall, steps: int, confirm: Any) -> Any:
    """What was looked up early, and what it stands for."""

    async def look_up(query: str) -> str:
        for _ in range(steps):
            await asyncio.sleep(0)
        return query

    async with toolwire.speculate(call, "query", look_up, confirm=confirm) as found:
        assert await found == "tea"
        assert call.executable if confirm == "turn" else call.ready
    return found


def test_random_schedules() -> None:
    """Waiters of every kind, begun and cancelled at random, over streams that end in every way."""
    seeds = 2000

    async def one(rng: random.Random) -> None:
        given = pieces(size=rng.randint(1, 9), calls=rng.randint(1, 3), finish=rng.random() < 0.7)
        given = given[: rng.randint(2, len(given))] if rng.random() < 0.4 else given
        source = Source(given, hang=rng.random() < 0.2)
        stream = toolwire.astream(source)
        tasks: list[asyncio.Task[Any]] = []

        async def handle(call: toolwire.ToolCall) -> None:
            makers: list[Callable[[], Coroutine[Any, Any, Any]]] = [
                lambda: call.value("query"),
                lambda: call.value("deep", "in"),
                lambda: call.value("none"),
                lambda: drain(call.text("content")),
                lambda: drain(call.items("rows")),
                call.result,
                lambda: early(call, rng.randint(0, 40), rng.choice(["call", "turn"])),
            ]
            for make in rng.sample(makers, rng.randint(1, len(makers))):
                tasks.append(asyncio.create_task(make()))
                if rng.random() < 0.3:
                    await asyncio.sleep(0)

        async def disturb() -> None:
            for _ in range(rng.randint(0, 60)):
                await asyncio.sleep(0)
            what = rng.choice(["cancel", "cancel", "reject", "abort", "close", "nothing"])
            if what == "cancel" and tasks:
                rng.choice(tasks).cancel()
            elif what == "reject" and stream._stream.calls:
                rng.choice(stream._stream.calls).reject("random")
            elif what == "abort":
                stream.abort("random")
            elif what == "close":
                await stream.aclose()

        async def read() -> None:
            if rng.random() < 0.5:
                async for call in stream.calls():
                    await handle(call)
            else:
                async for event in stream:
                    if isinstance(event, toolwire.ToolCallStart):
                        await handle(event.call)
                    if rng.random() < 0.1:
                        await asyncio.sleep(0)

        async with stream:
            disturber = asyncio.create_task(disturb())
            reader = asyncio.create_task(read())
            if source.hang:
                await disturber
                for _ in range(500):
                    await asyncio.sleep(0)
                reader.cancel()
            with suppress(asyncio.CancelledError, toolwire.UsageError):
                await reader
            await disturber
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            assert not isinstance(result, BaseException) or isinstance(
                result, toolwire.ToolwireError | asyncio.CancelledError
            ), result
        assert source.closed or not source.count

    for seed in range(seeds):
        run(lambda seed=seed: one(random.Random(seed)))  # type: ignore[misc]


def test_cancelled_at_every_await() -> None:
    """Whoever is cancelled, whenever: the source is closed and nothing is left running."""

    async def main(steps: int) -> bool:
        source = Source(pieces(size=20))

        async def use() -> None:
            async with toolwire.astream(source) as stream, asyncio.TaskGroup() as tasks:
                async for call in stream.calls():
                    tasks.create_task(call.result())
                    tasks.create_task(drain(call.text("content")))  # type: ignore[arg-type]
                    tasks.create_task(early(call, 5, "turn"))

        task = asyncio.create_task(use())
        for _ in range(steps):
            await asyncio.sleep(0)
        over = task.done()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert source.closed or not source.count
        return over

    steps = 0
    while not run(lambda: main(steps)):  # noqa: B023
        steps += 1
    assert steps > 20


def test_callbacks_in_sync_code() -> None:
    """Called between events: as soon as the value is whole, before the delta that made it so is seen."""
    told: list[Any] = []
    for event in toolwire.stream(pieces(size=5)):
        if isinstance(event, toolwire.ToolCallStart):
            event.call.on("query", then=lambda found: told.append(("query", found)))
            event.call.on("deep", "in", then=told.append)
            event.call.on("none", then=told.append, otherwise=lambda error: told.append(str(error)))
            event.call.on("limit", "x", then=told.append)
        elif isinstance(event, toolwire.ToolCallDelta):
            told.append(event.text)
        elif isinstance(event, toolwire.ToolCallEnd):
            event.call.on("limit", then=told.append)

    texts = [each for each in told if isinstance(each, str) and "none" not in each]
    assert "".join(texts) == json.dumps(ARGUMENTS)
    before = [
        "".join(each for each in told[: told.index(what)] if isinstance(each, str)) for what in (("query", "tea"), True)
    ]
    text = json.dumps(ARGUMENTS)
    # The pieces of five characters that were seen before: all but the one that closed the value.
    assert before[0] == text[: (text.index('tea"') + 3) // 5 * 5]
    assert (
        before[1].replace("f0 'none': the object is whole without it", "") == text[: (text.index("true") + 3) // 5 * 5]
    )
    assert [each for each in told if isinstance(each, str) and "none" in each] == [
        "f0 'none': the object is whole without it"
    ]
    assert told[-1] == 3


def test_a_callback_that_raises_is_heard() -> None:
    def broken(found: Any) -> None:
        raise KeyError(found)

    with pytest.raises(KeyError):
        for event in toolwire.stream(pieces()):
            if isinstance(event, toolwire.ToolCallStart):
                event.call.on("query", then=broken)
