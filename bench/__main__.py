"""`make bench`: every part in one run, then docs/benchmarks.md and its plots.

`--quick` takes under two minutes, `--only values,bytes` runs some parts. Either writes to build/bench instead of docs,
unless `--out` says otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import growth, imports, memory, use, values, wires, writing
from bench.goals import goals
from bench.measure import ROOT, Effort
from bench.report import render
from bench.sdks import WINDOW
from bench.workers import PEERS, Workers

if TYPE_CHECKING:
    from collections.abc import Callable

PARTS: dict[str, Callable[[Workers, Effort], Any]] = {
    "values": values.run,
    "bytes": wires.run,
    "writing": writing.run,
    "use": use.run,
    "memory": memory.run,
    "imports": imports.run,
    "growth": growth.run,
}
KEPT = ROOT / "build" / "bench" / "results.json"
FULL = Effort(quick=False, rounds=5, work_ns=15e6, budget_s=3, samples=64)
QUICK = Effort(quick=True, rounds=3, work_ns=3e6, budget_s=0.4, samples=16)


def _machine() -> str:
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, {platform.machine()}"


def _commit() -> str:
    git = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return git.stdout.strip() or "no commit"


def _folder(*, full: bool) -> Path:
    return ROOT / "docs" if full else KEPT.parent


def main() -> int:
    results: dict[str, Any]
    options = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    options.add_argument("--quick", action="store_true", help="fewer rounds, no slow peers on long streams")
    options.add_argument("--only", metavar="PARTS", help=f"some of {','.join(PARTS)}")
    options.add_argument("--out", type=Path, help="where benchmarks.md and plots/ go")
    options.add_argument("--render", action="store_true", help="only write the page and plots of the last run again")
    asked = options.parse_args()
    if asked.render:
        results = json.loads(KEPT.read_text())
        return _write(results, asked.out or _folder(full=results["about"]["command"] == "make bench"))
    names = asked.only.split(",") if asked.only else list(PARTS)
    if unknown := set(names) - set(PARTS):
        options.error(f"unknown parts: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    effort = QUICK if asked.quick else FULL
    out: Path = asked.out or _folder(full=not (asked.quick or asked.only))
    started = time.monotonic()
    about: dict[str, Any] = {
        "command": "make bench" if len(sys.argv) == 1 else f"python -m bench {' '.join(sys.argv[1:])}",
        "machine": _machine(),
        "commit": _commit(),
        "load": ", ".join(f"{load:.1f}" for load in os.getloadavg()),
        "quick": effort.quick,
        "effort": asdict(effort),
        "window": WINDOW,
    }
    results = {"about": about}
    with Workers() as workers:
        about["workers"] = workers.about
        for name in names:
            began = time.monotonic()
            print(f"{name}:", flush=True)
            results[name] = PARTS[name](workers, effort)
            print(f"  {time.monotonic() - began:.0f} s", flush=True)
    about["minutes"] = (time.monotonic() - started) / 60
    return _write(results, out)


def _write(results: dict[str, Any], out: Path) -> int:
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    KEPT.write_text(json.dumps(results, indent=1))
    (out / "plots").mkdir(parents=True, exist_ok=True)
    page = out / "benchmarks.md"
    page.write_text(render(results))
    drawn = subprocess.run([PEERS, "-m", "bench.plots", str(KEPT), str(out / "plots")], cwd=ROOT)
    missed = [goal for goal in goals(results) if goal.reached is not True]
    for goal in missed:
        found = "not measured" if goal.found is None else f"{goal.found:.3g}{goal.unit}"
        print(f"not reached: {goal.what}: {found}, target {goal.target:.3g}{goal.unit}")
    print(f"{page}\n{KEPT}")
    return drawn.returncode


if __name__ == "__main__":
    sys.exit(main())
