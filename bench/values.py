"""Part (a): the live value after every delta."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.measure import Subject, compare
from bench.payloads import PAYLOADS
from bench.peers import PEERS, SLOW

if TYPE_CHECKING:
    from bench.measure import Effort
    from bench.workers import Workers

SIZES = (4, 20)


def run(workers: Workers, effort: Effort) -> list[dict[str, Any]]:
    """A row per payload and size of delta."""
    ours = [
        Subject(label, worker, "bench.subjects", name)
        for worker in workers.builds
        for label, name in (
            (f"toolwire {worker.name}", "value"),
            (f"toolwire {worker.name}, changes and value", "changes"),
            (f"toolwire {worker.name}, changes", "changes only"),
        )
    ]
    rows = []
    for payload, text in PAYLOADS.items():
        for size in SIZES:
            skipped = SLOW if effort.quick and len(text) > 100_000 else ()
            peers = [Subject(name, workers.peers, "bench.peers", name) for name in PEERS if name not in skipped]
            case = {"payload": payload, "size": size}
            print(f"  {payload}, deltas of {size}", flush=True)
            rows.append({**case, "chars": len(text), "cells": compare(case, [*ours, *peers], effort)})
    return rows
