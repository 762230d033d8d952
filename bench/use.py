"""Part (f): what waiting, typed partials and guards add to a delta, and what typed partials cost elsewhere."""

from __future__ import annotations

import asyncio
from functools import cache
from time import process_time_ns
from typing import TYPE_CHECKING, Any

from bench.measure import Subject, compare, timed
from bench.payloads import PAYLOADS
from bench.streams import NAME, generated

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.measure import Effort
    from bench.workers import Workers
    from toolwire import Tools

__all__ = ["ADDS_TO", "run"]

WIRE, SIZE = "openai-chat", 4
# The string that a document's longest part is, if it has one; else what comes last.
TEXTS = {"search call": "query", "nested form": "submit", "file 20 KB": "content", "file 200 KB": "content"}
LAST = {"search call": "safe", "nested form": "submit", "file 20 KB": "content", "file 200 KB": "content"}


@cache
def _chunks(payload: str) -> list[bytes]:
    return generated(WIRE, PAYLOADS[payload], SIZE)


def _fed(payload: str, **options: Any) -> int:
    """The sans-I/O stream, the live value read at every delta."""
    from toolwire import Stream, ToolCallDelta

    chunks = _chunks(payload)
    began = process_time_ns()
    stream = Stream(WIRE, **options)
    receive = stream.receive
    for chunk in chunks:
        for event in receive(chunk):
            if type(event) is ToolCallDelta:
                event.call.partial  # noqa: B018 - the read is what is measured
    stream.end()
    return process_time_ns() - began


def plain(payload: str) -> int:
    """The live value, and nothing else."""
    return _fed(payload)


def guarded(payload: str) -> int:
    """Four guards."""
    from toolwire import guards

    rules = [
        guards.allow("write_file"),
        guards.limit_calls(8),
        guards.limit_text(1_000_000, all_chars=2_000_000),
        guards.no_repetition(),
    ]
    return _fed(payload, guards=rules)


def guarded_by_one(payload: str) -> int:
    """One function of the user's own, called for every event."""
    return _fed(payload, guards=[lambda event, call: None])


@cache
def _tools(payload: str, *, keywords: int = 0) -> Tools:
    """The payload's type as a JSON Schema, with so many keywords more that nothing of it breaks."""
    from bench.models import MODELS
    from toolwire import Tools

    schema = MODELS[payload].model_json_schema()
    more = {
        f"more_{i}": {"type": "string", "minLength": 1, "maxLength": 9, "enum": ["a"]} for i in range(keywords // 4)
    }
    schema["properties"] = {**more, **schema["properties"]}
    return Tools([{"name": NAME, "parameters": schema}])


def checked(payload: str, *, early: bool = False, keywords: int = 0) -> int:
    """Arguments checked at the end, or as they come too."""
    return _fed(payload, tools=_tools(payload, keywords=keywords), early_check=early)


def typed(payload: str) -> int:
    """`partial_as` at every delta, instead of `partial`."""
    from bench.models import MODELS
    from toolwire import Stream, ToolCallDelta

    model, chunks = MODELS[payload], _chunks(payload)
    began = process_time_ns()
    stream = Stream(WIRE)
    receive = stream.receive
    for chunk in chunks:
        for event in receive(chunk):
            if type(event) is ToolCallDelta:
                event.call.partial_as(model)
    stream.end()
    return process_time_ns() - began


def _iterated(payload: str, *, watched: bool) -> int:
    """The sync edge."""
    import toolwire

    chunks = _chunks(payload)
    began = process_time_ns()
    for event in toolwire.stream(chunks, WIRE):
        if type(event) is toolwire.ToolCallStart and watched:
            event.call.on(LAST.get(payload, "rows"), then=lambda value: None)
        elif type(event) is toolwire.ToolCallDelta:
            event.call.partial  # noqa: B018
    return process_time_ns() - began


def _asynchronously(payload: str, *, waiters: int) -> int:
    """The async edge: events alone, or with a task that follows a string (or elements) and others that wait."""
    import toolwire

    chunks = _chunks(payload)

    async def follow(call: toolwire.ToolCall) -> None:
        parts = call.text(TEXTS[payload]) if payload in TEXTS else call.items("rows")
        async for _ in parts:
            pass

    async def main() -> int:
        began = process_time_ns()
        tasks = []
        async for event in toolwire.astream(chunks, WIRE):
            if type(event) is toolwire.ToolCallStart and waiters:
                tasks.append(asyncio.create_task(follow(event.call)))
                tasks += [asyncio.create_task(event.call.result()) for _ in range(waiters - 1)]
            elif type(event) is toolwire.ToolCallDelta:
                event.call.partial  # noqa: B018
                if waiters:
                    await asyncio.sleep(0)  # lets them run
        for task in tasks:
            await task
        return process_time_ns() - began

    return asyncio.run(main())


def _ticking(payload: str) -> int:
    """The async edge without waiters, giving way at every delta as those with waiters do."""
    import toolwire

    chunks = _chunks(payload)

    async def main() -> int:
        began = process_time_ns()
        async for event in toolwire.astream(chunks, WIRE):
            if type(event) is toolwire.ToolCallDelta:
                event.call.partial  # noqa: B018
                await asyncio.sleep(0)
        return process_time_ns() - began

    return asyncio.run(main())


SUBJECTS: dict[str, Callable[[str], int]] = {
    "live value": plain,
    "one guard of one's own": guarded_by_one,
    "four guards": guarded,
    "partial_as": typed,
    "tools": checked,
    "tools, early check": lambda payload: checked(payload, early=True),
    "tools, early check, 2,000 keywords": lambda payload: checked(payload, early=True, keywords=2000),
    "sync edge": lambda payload: _iterated(payload, watched=False),
    "sync edge, a callback": lambda payload: _iterated(payload, watched=True),
    "async edge": _ticking,
    "async edge, a follower": lambda payload: _asynchronously(payload, waiters=1),
    "async edge, a follower and two who wait": lambda payload: _asynchronously(payload, waiters=3),
}
# Each beside what it adds to.
ADDS_TO = {
    "one guard of one's own": "live value",
    "four guards": "live value",
    "partial_as": "live value",
    "tools": "live value",
    "tools, early check": "live value",
    "tools, early check, 2,000 keywords": "live value",
    "sync edge, a callback": "sync edge",
    "async edge, a follower": "async edge",
    "async edge, a follower and two who wait": "async edge",
}


def run(*arguments: Any) -> Any:
    """Both sides: the driver's with workers and effort, a worker's with a request."""
    if len(arguments) == 2:
        return drive(*arguments)
    name, case, work_ns, _ = arguments
    work = SUBJECTS[name]
    count = len(_chunks(case["payload"]))
    return {"ns": timed(lambda: work(case["payload"]), work_ns) / count, "units": count}


def drive(workers: Workers, effort: Effort) -> list[dict[str, Any]]:
    """A row per payload, cells in ns per delta."""
    rows = []
    for payload in PAYLOADS:
        print(f"  {payload}", flush=True)
        subjects = [
            Subject(f"toolwire {worker.name}: {name}", worker, "bench.use", name)
            for worker in workers.builds
            for name in SUBJECTS
        ]
        subjects += [
            Subject("pydantic allow_partial", workers.peers, "bench.use_peers", "pydantic"),
            Subject("instructor Partial", workers.instructor, "bench.use_peers", "instructor"),
        ]
        case = {"payload": payload, "size": SIZE}
        rows.append({**case, "cells": compare(case, subjects, effort)})
    return rows
