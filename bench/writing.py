"""Part (g): bytes of a provider to bytes for a client, one read at a time, beside decoding alone and plain JSON."""

from __future__ import annotations

import json
from functools import cache
from time import process_time_ns
from typing import TYPE_CHECKING, Any

from bench.measure import Subject, compare, timed
from bench.other_streams import OTHERS
from bench.payloads import PAYLOADS, cut
from bench.streams import WIRES

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.measure import Effort
    from bench.workers import Workers

__all__ = ["ALONE", "JSON", "PEERS", "TO", "run"]

SIZE = 4
DOCUMENTS = ("nested form", "file 20 KB")
SOURCES = {**WIRES, **OTHERS}

ALONE = "decoding"
TO = "to "
JSON = "loads + dumps"
# litellm's conversions: label -> the wire it is given. See `writing_peers`.
PEERS = {
    "litellm, to openai-chat": "anthropic",
    "litellm, to openai-chat, as `completion` streams it": "anthropic",
    "litellm, to anthropic": "openai-chat",
}


@cache
def _chunks(source: str, document: str) -> list[bytes]:
    before, deltas, after = SOURCES[source](cut(PAYLOADS[document], SIZE))
    return [*before, *deltas, *after]


@cache
def _payloads(source: str, document: str) -> list[bytes]:
    """The JSON of the same stream, cut out of its frames."""
    from toolwire.framing import AutoFramer

    framer = AutoFramer()
    frames = [frame for chunk in _chunks(source, document) for frame in framer.feed(chunk)]
    return [data for _, data, _ in [*frames, *framer.end()] if data != b"[DONE]"]


def decoded(source: str, document: str) -> int:
    """Bytes to events, and nothing done with them."""
    from toolwire import Stream

    chunks = _chunks(source, document)
    began = process_time_ns()
    stream = Stream(source.partition(" ")[0])
    receive = stream.receive
    for chunk in chunks:
        for _ in receive(chunk):
            pass
    for _ in stream.end():
        pass
    return process_time_ns() - began


def passed_on(source: str, document: str, to: str) -> int:
    """Bytes to events to bytes."""
    from toolwire import Stream
    from toolwire.encoder import Encoder

    chunks = _chunks(source, document)
    began = process_time_ns()
    stream, encoder = Stream(source.partition(" ")[0]), Encoder(to)
    receive, feed = stream.receive, encoder.feed
    for chunk in chunks:
        for event in receive(chunk):
            feed(event)
    for event in stream.end():
        feed(event)
    encoder.end()
    spent = process_time_ns() - began
    assert not encoder.failed, encoder.error
    return spent


def through_json(source: str, document: str) -> int:
    """Every payload read and written again, by the standard library."""
    payloads = _payloads(source, document)
    loads, dumps = json.loads, json.dumps
    began = process_time_ns()
    for payload in payloads:
        dumps(loads(payload)).encode()
    return process_time_ns() - began


@cache
def _warm(name: str, source: str) -> None:
    """What is imported and filled at the first stream."""
    _work(name, source, "search call")()


def _work(name: str, source: str, document: str) -> Callable[[], int]:
    if name == ALONE:
        return lambda: decoded(source, document)
    if name == JSON:
        return lambda: through_json(source, document)
    to = name.removeprefix(TO)
    return lambda: passed_on(source, document, to)


def run(*arguments: Any) -> Any:
    """Both sides: the driver's with workers and effort, a worker's with a request."""
    if len(arguments) == 2:
        return drive(*arguments)
    name, case, work_ns, _ = arguments
    source, document = case["wire"], case["payload"]
    _warm(name, source)
    units = len(_chunks(source, document))
    return {"ns": timed(_work(name, source, document), work_ns) / units, "units": units}


def drive(workers: Workers, effort: Effort) -> list[dict[str, Any]]:
    """A row per provider's wire and document, cells in ns per event of the provider."""
    from toolwire.wire.encode import ENCODERS

    ours = [
        Subject(f"toolwire {worker.name}: {name}", worker, "bench.writing", name)
        for worker in workers.builds
        for name in (ALONE, *(f"{TO}{wire}" for wire in ENCODERS))
    ]
    plain = Subject(JSON, workers.builds[0], "bench.writing", JSON)
    rows = []
    for document in DOCUMENTS[:1] if effort.quick else DOCUMENTS:
        for source in SOURCES:
            peers = [
                Subject(label, workers.peers, "bench.writing_peers", label)
                for label, wire in PEERS.items()
                if wire == source
            ]
            case = {"wire": source, "payload": document, "size": SIZE}
            print(f"  {source}, {document}", flush=True)
            rows.append({**case, "cells": compare(case, [*ours, plain, *peers], effort)})
    return rows
