"""Part (b): bytes to events with the live value read at every event, one server-sent event per read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.measure import Subject, compare
from bench.recordings import CORPUS, RECORDINGS
from bench.sdks import SDKS
from bench.streams import WIRES

if TYPE_CHECKING:
    from bench.measure import Effort
    from bench.workers import Workers

PAYLOADS = ("nested form", "file 20 KB", "file 200 KB")
SIZE = 4
# Too slow for a quick run, at any size but the smallest.
SLOW = ("litellm + jiter", "pydantic-ai", "openai .stream()", "openai create, no value")
CHECKED = ("openai create + jiter", "openai .stream()", "anthropic messages.stream()")


def _subjects(workers: Workers, wire: str, skipped: tuple[str, ...], *, brief: bool = False) -> list[Subject]:
    """`brief`: toolwire only as it is used most."""
    ours = [Subject(f"toolwire {worker.name}", worker, "bench.subjects", "events") for worker in workers.builds]
    changed = [
        Subject(f"toolwire {worker.name}, with changes", worker, "bench.subjects", "changed events")
        for worker in workers.builds
    ]
    over = [
        Subject(f"toolwire {worker.name} over httpx", worker, "bench.subjects", "over httpx")
        for worker in workers.builds
    ]
    peers = [
        Subject(name, workers.peers, "bench.sdks", name)
        for name, (its, _, _) in SDKS.items()
        if its in ("", wire.partition(" ")[0]) and name not in skipped
    ]
    return [*ours, *peers] if brief else [*ours, *changed, *over, *peers]


def run(workers: Workers, effort: Effort) -> dict[str, Any]:
    """Generated streams, recordings, and how well the windows agree with whole streams."""
    rows = []
    for wire in WIRES:
        for payload in PAYLOADS:
            skipped: tuple[str, ...] = ()
            if effort.quick and payload != PAYLOADS[0]:
                skipped = SLOW if payload == PAYLOADS[1] else tuple(name for name in SDKS if name != "httpx alone")
            case = {"wire": wire, "payload": payload, "size": SIZE}
            print(f"  {wire}, {payload}", flush=True)
            rows.append(
                {**case, "cells": compare(case, _subjects(workers, wire, skipped, brief=bool(skipped)), effort)}
            )
    recorded = []
    if CORPUS.is_dir():
        # A quick run takes one of each wire.
        paths = {wire: path for path, wire in RECORDINGS.items()}.values() if effort.quick else RECORDINGS
        for path in paths:
            wire = RECORDINGS[path]
            case = {"wire": wire, "payload": path, "size": 0}
            print(f"  {wire}, {path.rpartition('/')[2]}", flush=True)
            skipped = SLOW if effort.quick else ()
            recorded.append({**case, "cells": compare(case, _subjects(workers, wire, skipped), effort)})
    else:
        print(f"  ! no recordings: {CORPUS} is missing")
    return {"generated": rows, "recorded": recorded, "windows": [] if effort.quick else _windows(workers, effort)}


def _windows(workers: Workers, effort: Effort) -> list[dict[str, Any]]:
    """The 20 KB file read whole and in windows: the two should agree."""
    found = []
    for name in CHECKED:
        print(f"  windows of {name}", flush=True)
        subject = Subject(name, workers.peers, "bench.sdks", name)
        case = {"wire": SDKS[name][0], "payload": "file 20 KB", "size": SIZE}
        whole = compare(case, [subject], effort)[name]
        windows = compare({**case, "windows": True}, [subject], effort)[name]
        found.append({"name": name, "whole": whole["median"], "windows": windows["median"]})
    return found
