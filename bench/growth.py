"""Part (e): does the cost of a delta grow with the text, the calls before it, the array's length, or other streams."""

from __future__ import annotations

import json
import statistics
from time import process_time_ns
from typing import TYPE_CHECKING, Any

from bench.measure import Subject, compare, median
from bench.payloads import PAYLOADS, cut
from bench.streams import NAME

if TYPE_CHECKING:
    from bench.measure import Effort
    from bench.workers import Workers

TEXTS = (2_000, 20_000, 200_000, 2_000_000)
CALLS = 1000
ELEMENTS = 10_000
STREAMS = (1, 10, 100, 1000, 10_000)
BLOCKS = 10  # calls and elements are looked at in tenths


def _chunk(index: int, arguments: str, *, first: bool = False) -> bytes:
    call: dict[str, Any] = {"index": index, "function": {"arguments": arguments}}
    if first:
        call = {"index": index, "id": f"call_{index}", "type": "function", "function": {"name": NAME, "arguments": ""}}
    head = {"id": "chatcmpl-bench", "object": "chat.completion.chunk", "created": 1900000000, "model": "bench"}
    choice = {"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}
    return b"data: " + json.dumps({**head, "choices": [choice]}, ensure_ascii=False).encode() + b"\n\n"


def calls() -> list[float]:
    """ns per chunk of the n-th call in one stream, tenth by tenth."""
    from toolwire import Stream, ToolCallDelta

    deltas = cut(PAYLOADS["search call"], 4)

    def cost(stream: Stream, index: int) -> float:
        chunks = [_chunk(index, "", first=True), *(_chunk(index, delta) for delta in deltas)]
        began = process_time_ns()
        for chunk in chunks:
            for event in stream.receive(chunk):
                if type(event) is ToolCallDelta:
                    event.call.partial  # noqa: B018 - the read is what is measured
        return (process_time_ns() - began) / len(chunks)

    def fresh() -> Stream:
        stream = Stream("openai-chat")
        cost(stream, 0)
        return stream

    long = fresh()
    return _blocks([(cost(long, index), cost(fresh(), 1)) for index in range(1, CALLS)])


def elements() -> list[float]:
    """ns per delta of the n-th element of one array, tenth by tenth."""
    from toolwire import DEFAULT_REPAIRS, PartialJSON

    # Every element is as long as every other, so that only their number differs.
    rows = [json.dumps({"id": 100_000 + i, "name": f"Person {100_000 + i}", "active": True}) for i in range(ELEMENTS)]

    def fresh() -> PartialJSON:
        parser = PartialJSON(repairs=DEFAULT_REPAIRS)
        parser.feed('{"rows": [')
        return parser

    def cost(parser: PartialJSON, start: int) -> float:
        deltas = cut("".join(row + ", " for row in rows[start : start + 50]), 4)
        began = process_time_ns()
        for delta in deltas:
            parser.feed(delta)
            parser.value  # noqa: B018
        return (process_time_ns() - began) / len(deltas)

    long = fresh()
    return _blocks([(cost(long, start), cost(fresh(), start)) for start in range(0, ELEMENTS, 50)])


def streams(count: int) -> float:
    """ns per chunk with so many streams open, fed in turn."""
    from toolwire import Stream, ToolCallDelta

    fed = 40  # deltas each
    chunks = [_chunk(0, "", first=True), *(_chunk(0, delta) for delta in cut(PAYLOADS["nested form"], 4)[:fed])]
    opened = [Stream("openai-chat") for _ in range(count)]
    for stream in opened:
        stream.receive(chunks[0])
    began = process_time_ns()
    for chunk in chunks[1:]:
        for stream in opened:
            for event in stream.receive(chunk):
                if type(event) is ToolCallDelta:
                    event.call.partial  # noqa: B018
    return (process_time_ns() - began) / fed / count


def _blocks(times: list[tuple[float, float]]) -> list[float]:
    """ns by tenths, of costs with a beginner's beside each: a change of the machine's pace counts for none."""
    pace = statistics.median(beginner for _, beginner in times)
    size = len(times) // BLOCKS
    shares = [cost / beginner for cost, beginner in times]
    return [pace * statistics.median(shares[k * size : (k + 1) * size]) for k in range(BLOCKS)]


def run_case(name: str, count: int) -> dict[str, Any]:
    """What a worker answers."""
    if name == "streams":
        repeats = max(1, 200 // count)
        return {"ns": statistics.median(streams(count) for _ in range(repeats)), "units": count}
    return {"ns": 0.0, "units": BLOCKS, "blocks": {"calls": calls, "elements": elements}[name]()}


def run(*arguments: Any) -> Any:
    """Both sides: the driver's with workers and effort, a worker's with a request."""
    if len(arguments) == 2:
        return drive(*arguments)
    name, case, _, _ = arguments
    return run_case(name, case.get("count", 0))


def drive(workers: Workers, effort: Effort) -> dict[str, Any]:
    """ns by size, call, element and number of streams, for each build."""
    labels = {f"toolwire {worker.name}": worker for worker in workers.builds}
    found: dict[str, Any] = {"texts": {}, "calls": {}, "elements": {}, "streams": {}}
    for label, worker in labels.items():
        print(f"  {label}", flush=True)
        # The sizes take turns, as their ratio is what counts.
        times: dict[int, list[float]] = {size: [] for size in TEXTS}
        for _ in range(effort.rounds):
            for size in TEXTS:
                subject = Subject(label, worker, "bench.subjects", "value")
                one = compare({"payload": str(size), "size": 4}, [subject], _once(effort))
                times[size].extend(one[label]["times"])
        found["texts"][label] = {str(size): {"times": some, "median": median(some)} for size, some in times.items()}
        for name in ("calls", "elements"):
            blocks = [_blocks_of(worker, name) for _ in range(max(3, effort.rounds // 2))]
            found[name][label] = blocks
        found["streams"][label] = {
            str(count): worker.ask(_request("streams", count))["ns"]
            for count in (STREAMS[:-1] if effort.quick else STREAMS)
        }
    return found


def _once(effort: Effort) -> Effort:
    return type(effort)(effort.quick, 1, effort.work_ns, effort.budget_s, effort.samples)


def _request(name: str, count: int = 0) -> dict[str, Any]:
    return {"module": "bench.growth", "name": name, "case": {"count": count}, "work_ns": 0, "samples": 0}


def _blocks_of(worker: Any, name: str) -> list[float]:
    answer = worker.ask(_request(name))
    if "error" in answer:
        raise RuntimeError(answer["error"])
    blocks: list[float] = answer["blocks"]
    return blocks
