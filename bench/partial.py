"""What a streamed argument costs per delta, against re-parsing everything at each delta.

Run as `python -m bench.partial`; `--check` makes the flatness limit a verdict.
"""

from __future__ import annotations

import argparse
import gc
import platform
import statistics
import sys
import time
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

import jiter

from bench.payloads import PAYLOADS, cut
from toolwire.partial import DEFAULT_REPAIRS, PartialJSON

if TYPE_CHECKING:
    from collections.abc import Callable

FLAT = 1.3
RUNS = 7
SAMPLES = 64
WORK_NS = 15e6


def with_value(deltas: list[str]) -> None:
    parser = PartialJSON(repairs=DEFAULT_REPAIRS)
    feed = parser.feed
    for delta in deltas:
        feed(delta)
        parser.value  # noqa: B018 - the read is what is measured


def with_changes(deltas: list[str]) -> None:
    parser = PartialJSON(repairs=DEFAULT_REPAIRS, changes=True)
    for delta in deltas:
        parser.feed(delta)
        parser.take_changes()


def reparse(prefixes: list[str]) -> None:
    for prefix in prefixes:
        jiter.from_json(prefix.encode(), partial_mode="trailing-strings")


def sampled(text: str, size: int) -> list[str]:
    """The prefixes to re-parse: all of them, or evenly spread ones when there are many."""
    ends = list(range(size, len(text) + size, size))
    if len(ends) > SAMPLES:
        ends = [ends[(2 * k + 1) * len(ends) // (2 * SAMPLES)] for k in range(SAMPLES)]
    return [text[:end] for end in ends]


def compare(works: dict[str, tuple[Callable[[], None], int]]) -> dict[str, list[float]]:
    """The CPU time of each work in ns per delta, run by run.

    Within a run the works take turns, so that a machine that changes its pace changes it for all of them.
    Short works are repeated until the clock can see them.
    """
    repeats: dict[str, int] = {}
    for name, (work, _) in works.items():
        work()
        started = time.process_time_ns()
        work()
        repeats[name] = max(1, round(WORK_NS / max(time.process_time_ns() - started, 1_000)))
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(RUNS):
        for name, (work, deltas) in works.items():
            started = time.process_time_ns()
            for _ in range(repeats[name]):
                work()
            found[name].append((time.process_time_ns() - started) / repeats[name] / deltas)
    return found


def ratio(above: list[float], below: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--check", action="store_true", help=f"fail if 200 KB costs more than {FLAT} x 20 KB")
    check = options.parse_args().check
    gc.disable()
    print(f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}, ", end="")
    print(f"{platform.system()}; jiter {version('jiter')}. ns per delta, CPU time, GC off, median of {RUNS}.\n")
    print("| payload | chars | delta | value | changes | jiter re-parse | jiter / value |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, text in PAYLOADS.items():
        for size in (4, 20):
            deltas, prefixes = cut(text, size), sampled(text, size)
            found = compare(
                {
                    "value": (partial(with_value, deltas), len(deltas)),
                    "changes": (partial(with_changes, deltas), len(deltas)),
                    "jiter": (partial(reparse, prefixes), len(prefixes)),
                }
            )
            columns = [f"{statistics.median(times):,.0f}" for times in found.values()]
            row = [name, str(len(text)), str(size), *columns, f"{ratio(found['jiter'], found['value']):.1f}"]
            print("| " + " | ".join(row) + " |", flush=True)
    print()
    steep = False
    for size in (4, 20):
        small, large = (cut(PAYLOADS[name], size) for name in ("file 20 KB", "file 200 KB"))
        found = compare(
            {
                "small": (partial(with_value, small), len(small)),
                "large": (partial(with_value, large), len(large)),
            }
        )
        growth = ratio(found["large"], found["small"])
        steep = steep or growth > FLAT
        print(f"flatness, {size}-char deltas: 200 KB / 20 KB = {growth:.2f} (limit {FLAT})")
    print(
        "\nCaveats: the constructor is part of every run, so short payloads carry it; jiter encodes the buffer each\n"
        f"time, as SDKs do, and is sampled at {SAMPLES} prefixes where a payload has more; the file payloads hold\n"
        "an emoji, so their strings take 4 bytes per character, the worst case for every copy; a consumer that\n"
        "keeps each shown string makes the next delta copy it."
    )
    if check and steep:
        print(f"FAIL: the cost per delta grows with the text, beyond a ratio of {FLAT}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
