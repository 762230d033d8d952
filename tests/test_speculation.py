"""Work begun early: it runs once, and its result counts only if its call comes to stand with the same inputs."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from support import to_sse
from support.calls import ARGUMENTS, FINISH, Source, delta, first, pieces, run

import toolwire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

TEXT = json.dumps({"query": "tea", "limit": 3, "content": "x" * 40})


class Fetch:
    """Stands for a search: notes what it was asked for and what became of it."""

    def __init__(self, steps: int = 0, error: Exception | None = None) -> None:
        self.steps = steps
        self.error = error
        self.asked: list[tuple[Any, ...]] = []
        self.outcome = "not run"

    async def __call__(self, *inputs: Any) -> str:
        self.asked.append(inputs)
        self.outcome = "running"
        try:
            for _ in range(self.steps):
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.outcome = "cancelled"
            raise
        if self.error is not None:
            self.outcome = "failed"
            raise self.error
        self.outcome = "done"
        return f"found {inputs}"


def test_it_starts_early_and_is_handed_over_at_the_end() -> None:
    async def main() -> None:
        source = Source(pieces(TEXT))
        fetch = Fetch(steps=3)
        async with toolwire.astream(source) as stream:
            call = await first(stream)
            async with toolwire.speculate(call, "query", fetch) as early:
                while fetch.outcome != "done":
                    await asyncio.sleep(0)
                assert (call.status, early.started) == ("open", True)
                assert source.count < len(source.pieces) // 2
                assert await early == "found ('tea',)"
                assert call.ready
                assert await early.result() == "found ('tea',)"  # and again
        assert fetch.asked == [("tea",)]

    run(main)


def test_it_outlasts_the_stream() -> None:
    async def main() -> None:
        fetch = Fetch(steps=2000)
        async with toolwire.astream(Source(pieces(TEXT))) as stream:
            call = await first(stream)
            async with toolwire.speculate(call, ["query", "limit"], fetch, confirm="turn") as early:
                assert await call.result() == json.loads(TEXT)
                assert fetch.outcome == "running"
                assert await early == "found ('tea', 3)"
                assert call.executable

    run(main)


def test_paths() -> None:
    async def main() -> None:
        async with toolwire.astream(Source(pieces())) as stream:
            call = await first(stream)
            fetch = Fetch()
            async with toolwire.speculate(call, ["rows[0].a", "/deep/in", ("rows", 2), ""], fetch) as early:
                await early
            assert fetch.asked == [(1, True, [2], ARGUMENTS)]

    run(main)


def turn(*payloads: Any) -> list[bytes]:
    return [to_sse([each]) for each in payloads]


def finish(reason: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}


BEGUN = (delta(0, "", "f"), delta(0, '{"query": "tea", '))

# How the call goes on after its input is whole -> what the result raises.
ENDS: dict[str, tuple[tuple[Any, ...], str]] = {
    "cut": ((), "ended before the arguments"),
    "its length": ((finish("length"), "[DONE]"), "ended before the arguments"),
    "malformed": ((delta(0, "oops"), FINISH, "[DONE]"), "f: "),
    "another object": ((delta(0, '"n": 1}{"query": "x"}'), FINISH, "[DONE]"), "f: "),
    "the provider's error": (({"error": {"message": "overloaded"}},), "ended before the arguments"),
    "the input again, another": ((delta(0, '"query": "coffee"}'), FINISH, "[DONE]"), "the input 'query' changed"),
}


@pytest.mark.parametrize("steps", [0, 1000])
@pytest.mark.parametrize("name", ENDS)
def test_bad_ends(name: str, steps: int) -> None:
    more, message = ENDS[name]

    async def main() -> None:
        fetch = Fetch(steps)
        async with toolwire.astream(Source(turn(*BEGUN, *more))) as stream:
            call = await first(stream)
            async with toolwire.speculate(call, "query", fetch) as early:
                with pytest.raises(toolwire.ToolCallError, match=message):
                    await early
                assert fetch.outcome == ("cancelled" if steps else "done")
        assert fetch.asked == [("tea",)]

    run(main)


def test_the_same_input_again_is_the_same() -> None:
    async def main() -> None:
        source = Source(turn(*BEGUN, delta(0, '"query": "te'), delta(0, 'a"}'), FINISH, "[DONE]"))
        async with toolwire.astream(source) as stream, toolwire.speculate(await first(stream), "query", Fetch()) as it:
            assert await it == "found ('tea',)"

    run(main)


def test_an_input_that_never_comes() -> None:
    async def main() -> None:
        fetch = Fetch()
        async with toolwire.astream(Source(pieces(TEXT))) as stream:
            call = await first(stream)
            async with toolwire.speculate(call, "page", fetch) as early:
                with pytest.raises(toolwire.ToolCallError, match="'page': the object is whole without it"):
                    await early
            assert (fetch.asked, early.started) == ([], False)
            assert await call.result() == json.loads(TEXT)

    run(main)


def test_a_schema_that_it_fails() -> None:
    def search(query: str) -> None: ...

    async def main() -> None:
        fetch = Fetch()
        tools = [toolwire.tool(search, name="f0")]
        async with toolwire.astream(Source(pieces(TEXT)), tools=tools) as stream:
            call = await first(stream)
            async with toolwire.speculate(call, "query", fetch) as early:
                with pytest.raises(toolwire.ToolCallError, match="limit"):
                    await early
        assert fetch.asked == [("tea",)]

    run(main)


async def early_of(source: Source, fetch: Fetch, act: Any) -> BaseException | str:
    """What comes of it when something happens once the work has begun."""
    async with toolwire.astream(source) as stream:
        call = await first(stream)
        async with toolwire.speculate(call, "query", fetch) as early:
            while not fetch.asked:
                await asyncio.sleep(0)
            await act(stream, call)
            try:
                return await early
            except (toolwire.ToolwireError, asyncio.CancelledError) as error:
                return error


async def reject(stream: toolwire.AsyncEventStream, call: toolwire.ToolCall) -> None:
    call.reject("not now")


async def abort(stream: toolwire.AsyncEventStream, call: toolwire.ToolCall) -> None:
    stream.abort("no more")


async def close(stream: toolwire.AsyncEventStream, call: toolwire.ToolCall) -> None:
    await stream.aclose()


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (reject, toolwire.ToolCallError, "f0: not now"),
        (abort, toolwire.ToolCallError, "ended before the arguments"),
        (close, toolwire.ToolCallError, "the stream was closed"),
    ],
)
@pytest.mark.parametrize("steps", [0, 10_000])
def test_stopped_from_outside(act: Any, error: type[Exception], message: str, steps: int) -> None:
    async def main() -> None:
        fetch = Fetch(steps)
        source = Source(pieces({"query": "tea", "content": "x" * 500}, size=1), hang=True)
        found = await early_of(source, fetch, act)
        assert isinstance(found, error)
        assert message in str(found)
        assert fetch.outcome == ("cancelled" if steps else "done")

    run(main)


def test_a_reset_after_the_call_was_ready() -> None:
    """Anthropic's form: the block ends the call, then the message begins anew."""
    start = {"type": "message_start", "message": {"id": "m", "content": []}}
    block = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    piece = {"type": "input_json_delta", "partial_json": '{"query": "tea"}'}
    given = [
        start,
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": piece},
        {"type": "content_block_stop", "index": 0},
        *[{"type": "ping"}] * 20,
        start,
        *[{"type": "ping"}] * 20,
    ]

    async def source() -> AsyncIterator[Any]:
        for each in given:
            await asyncio.sleep(0)
            yield each

    async def main() -> None:
        for steps in (0, 60):  # done before the reset, and not
            fetch = Fetch(steps)
            async with toolwire.astream(source(), "anthropic") as stream:
                call = await first(stream)
                async with toolwire.speculate(call, "query", fetch) as early:
                    if not steps:
                        assert await early == "found ('tea',)"
                        async for _ in stream.calls():
                            pass
                    with pytest.raises(toolwire.ToolCallError, match="f: "):
                        await early
            assert fetch.outcome == ("cancelled" if steps else "done")

    run(main)


def test_a_failure_of_the_work_is_handed_over_too() -> None:
    async def main() -> None:
        fetch = Fetch(error=KeyError("no such page"))
        async with (
            toolwire.astream(Source(pieces(TEXT))) as stream,
            toolwire.speculate(await first(stream), "query", fetch) as early,
        ):
            with pytest.raises(KeyError, match="no such page"):
                await early
        assert len(fetch.asked) == 1

    run(main)


def test_nobody_asks() -> None:
    """Work that is under way, done, failed or not begun when the block is left."""

    async def main() -> None:
        for fetch, outcome in (
            (Fetch(), "done"),
            (Fetch(10_000), "cancelled"),
            (Fetch(error=KeyError()), "failed"),
        ):
            async with (
                toolwire.astream(Source(pieces(TEXT))) as stream,
                toolwire.speculate(await first(stream), "query", fetch),
            ):
                while not fetch.asked:
                    await asyncio.sleep(0)
                await asyncio.sleep(0)
            assert fetch.outcome == outcome
        unused = Fetch()
        async with (
            toolwire.astream(Source(pieces(TEXT))) as stream,
            toolwire.speculate(await first(stream), "query", unused),
        ):
            pass
        assert unused.outcome == "not run"

    run(main)


def test_never_twice() -> None:
    async def main() -> None:
        fetch, other = Fetch(), Fetch()
        async with toolwire.astream(Source(pieces(TEXT, calls=2))) as stream:
            call = await first(stream)
            async with toolwire.speculate(call, "query", fetch) as early:
                await early
                with pytest.raises(toolwire.UsageError, match="never runs twice"):
                    await toolwire.speculate(call, "query", fetch).__aenter__()
            with pytest.raises(toolwire.UsageError, match="never runs twice"):
                await toolwire.speculate(call, "query", fetch).__aenter__()
            async with toolwire.speculate(call, "query", other) as beside:
                await beside
        assert (len(fetch.asked), len(other.asked)) == (1, 1)

    run(main)


def test_mistakes() -> None:
    async def main() -> None:
        call = next(iter(toolwire.stream(pieces(TEXT)).calls()))
        with pytest.raises(toolwire.UsageError, match="async stream"):
            await toolwire.speculate(call, "query", Fetch()).__aenter__()
        with pytest.raises(toolwire.UsageError, match="enter it first"):
            await toolwire.speculate(call, "query", Fetch())
        with pytest.raises(toolwire.UsageError, match="confirm is"):
            toolwire.speculate(call, "query", Fetch(), confirm="now")  # type: ignore[arg-type]
        with pytest.raises(toolwire.UsageError, match="async function"):
            toolwire.speculate(call, "query", "tea")  # type: ignore[arg-type]
        async with (
            toolwire.astream(Source(pieces(TEXT))) as stream,
            toolwire.speculate(await first(stream), "query", str) as early,
        ):  # type: ignore[arg-type]
            with pytest.raises(toolwire.UsageError, match="returned str"):
                await early

    run(main)


def test_an_answer_may_be_waited_for_too() -> None:
    async def main() -> None:
        said = [{"choices": [{"index": 0, "delta": {"content": TEXT[at : at + 5]}}]} for at in range(0, len(TEXT), 5)]
        async with (
            toolwire.astream(Source(turn(*said, finish("stop"), "[DONE]")), text_schema={}) as stream,
            toolwire.speculate(stream.output, "query", Fetch()) as early,
        ):
            assert await early == "found ('tea',)"

    run(main)


def test_asked_for_after_the_block() -> None:
    async def main() -> None:
        async with toolwire.astream(Source(pieces(TEXT))) as stream:
            call = await first(stream)
            async with toolwire.speculate(call, "query", Fetch(10_000)) as early:
                pass
            with pytest.raises(toolwire.ToolCallError, match="was cancelled"):
                await early

    run(main)


def test_work_that_is_cancelled_by_others() -> None:
    async def cancelled(query: str) -> str:
        raise asyncio.CancelledError

    async def main() -> None:
        async with (
            toolwire.astream(Source(pieces(TEXT))) as stream,
            toolwire.speculate(await first(stream), "query", cancelled) as early,
        ):
            with pytest.raises(toolwire.ToolCallError, match="was cancelled"):
                await early

    run(main)


def test_whoever_waits_may_be_cancelled() -> None:
    async def main() -> None:
        source = Source(pieces(TEXT, finish=False), hang=True)
        async with (
            toolwire.astream(source) as stream,
            toolwire.speculate(await first(stream), "query", Fetch()) as early,
        ):
            task = asyncio.create_task(early.result())
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    run(main)


def test_no_speculation_without_a_call_or_inputs() -> None:
    with pytest.raises(toolwire.UsageError, match="for a call of a stream"):
        toolwire.speculate(None, "query", Fetch())  # type: ignore[arg-type]
    call = next(iter(toolwire.stream(pieces(TEXT)).calls()))
    with pytest.raises(toolwire.UsageError, match="needs no speculation"):
        toolwire.speculate(call, [], Fetch())
