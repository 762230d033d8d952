"""Part (c): what is held. Each case is a process of its own: `python -m bench.memory CASE`."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.measure import ROOT
from bench.payloads import PAYLOADS, cut, document
from bench.streams import generated, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.measure import Effort, Worker
    from bench.workers import Workers

MEGABYTES = 10
STREAMS = 10_000
PEERS = ("openai create + jiter", "openai .stream()", "anthropic messages.stream()", "pydantic-ai", "litellm + jiter")
QUICK_PEERS = ("openai .stream()", "anthropic messages.stream()")


def _ascii(size: int) -> str:
    content = "the quick brown fox jumps over the lazy dog, and over it again. " * (size // 64)
    return json.dumps({"path": "notes.txt", "content": content})


def _long(kind: str, size: int) -> str:
    return _ascii(size) if kind == "ascii" else document(size)


def _chunks(text: str, step: int) -> Iterator[bytes]:
    """The same as the generated stream of Chat Completions, made one at a time."""
    before, _, _ = split("openai-chat", [""])
    yield from before
    for start in range(0, len(text), step):
        yield split("openai-chat", [text[start : start + step]])[1][0]


def _resident() -> int:
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def one_call(kind: str, size: int) -> dict[str, Any]:
    """One call whose arguments are so long, the value read at every event, held at the end and at most."""
    from toolwire import Stream, ToolCallDelta

    text = _long(kind, size)
    warm = Stream("openai-chat")
    warm.receive(b'data: {"choices":[]}\n\n')
    stream = Stream("openai-chat")
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for chunk in _chunks(text, 1000):
        for event in stream.receive(chunk):
            if type(event) is ToolCallDelta:
                event.call.partial  # noqa: B018 - the read is what is measured
    gc.collect()
    held, peak = tracemalloc.get_traced_memory()
    call = stream.calls[0]
    assert call.closed
    assert len(call.buf) == len(text)
    return {"utf8": len(text.encode()), "text": sys.getsizeof(text), "held": held - before, "peak": peak - before}


def many_streams(count: int, step: int) -> dict[str, Any]:
    """So many streams, each with the form's arguments but for the last delta; nothing of them has ended."""
    from toolwire import Stream, ToolCallDelta

    before, deltas, _ = split("openai-chat", cut(PAYLOADS["nested form"], step))
    chunks = [*before, *deltas[:-1]]
    for _ in range(3):
        stream = Stream("openai-chat")
        for chunk in chunks:
            stream.receive(chunk)
    gc.collect()
    start = _resident()
    streams = [Stream("openai-chat") for _ in range(count)]
    for chunk in chunks:
        for stream in streams:
            for event in stream.receive(chunk):
                if type(event) is ToolCallDelta:
                    event.call.partial  # noqa: B018
    gc.collect()
    return {"streams": count, "held": _resident() - start, "text": count * len(PAYLOADS["nested form"])}


def peer(name: str) -> dict[str, Any]:
    """One call of 200 KB in deltas of 200 characters: the most that was held above what was there before."""
    from bench.sdks import SDKS
    from bench.transport import Switch

    switch = Switch()
    wire, make, _ = SDKS[name]
    consume = make(switch)
    switch.load(generated(wire, PAYLOADS["nested form"], 200))
    consume()
    chunks = generated(wire, PAYLOADS["file 200 KB"], 200)
    switch.load(chunks)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    kept = consume()
    held, peak = tracemalloc.get_traced_memory()
    del kept
    return {"utf8": len(PAYLOADS["file 200 KB"].encode()), "held": held - before, "peak": peak - before}


def ours(wire: str) -> dict[str, Any]:
    """The same for toolwire."""
    from toolwire import Stream, ToolCallDelta

    chunks = generated(wire, PAYLOADS["file 200 KB"], 200)
    for warm in (True, False):
        stream = Stream(wire)
        if not warm:
            gc.collect()
            tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for chunk in chunks:
            for event in stream.receive(chunk):
                if type(event) is ToolCallDelta:
                    event.call.partial  # noqa: B018
    held, peak = tracemalloc.get_traced_memory()
    return {"utf8": len(PAYLOADS["file 200 KB"].encode()), "held": held - before, "peak": peak - before}


def _ask(worker: Worker, case: str, *arguments: object) -> dict[str, Any]:
    command = [worker.python, "-m", "bench.memory", case, *(str(argument) for argument in arguments)]
    done = subprocess.run(command, cwd=ROOT, env=worker.environment, capture_output=True, text=True)
    if done.returncode:
        problem = done.stderr.strip().rpartition("\n")[2]
        print(f"  ! {case} {arguments}: {problem}", file=sys.stderr)
        return {"error": problem}
    found: dict[str, Any] = json.loads(done.stdout.strip().rpartition("\n")[2])
    return found


def run(workers: Workers, effort: Effort) -> dict[str, Any]:
    """All cases, each once: allocation does not depend on the load of the machine."""
    calls, streams, single = {}, {}, {}
    megabytes = 1 if effort.quick else MEGABYTES
    for worker in workers.builds:
        label = f"toolwire {worker.name}"
        for kind in ("ascii", "emoji"):
            calls[f"{label}, {kind}"] = _ask(worker, "one_call", kind, megabytes * 1_000_000)
        streams[label] = _ask(worker, "many_streams", STREAMS, 200 if effort.quick else 20)
        for wire in ("openai-chat", "anthropic"):
            single[f"{label}, {wire}"] = _ask(worker, "ours", wire)
    for name in PEERS:
        if effort.quick and name not in QUICK_PEERS:
            continue
        single[name] = _ask(workers.peers, "peer", name)
    return {"calls": calls, "streams": streams, "single": single}


if __name__ == "__main__":
    CASES: dict[str, Callable[..., dict[str, Any]]] = {
        "one_call": lambda kind, size: one_call(kind, int(size)),
        "many_streams": lambda count, step: many_streams(int(count), int(step)),
        "ours": ours,
        "peer": peer,
    }
    print(json.dumps(CASES[sys.argv[1]](*sys.argv[2:])))
