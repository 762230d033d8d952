"""Clocks and rounds: CPU time of the process, garbage collection off, subjects taking turns."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["Cell", "Effort", "Subject", "Worker", "compare", "median", "ratio", "timed"]

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Effort:
    """How much is spent on one run of the suite."""

    quick: bool
    rounds: int  # of every cell
    work_ns: float  # least CPU time of one measurement
    budget_s: float  # of one subject in one cell: a slow one gets fewer rounds, at least one
    samples: int  # places at which a slow peer is measured


def timed(work: Callable[[], int], least_ns: float) -> float:
    """CPU time of one call in ns: `work` returns what it took, and is repeated until the clock can see it."""
    total = count = 0
    while total < least_ns and count < 100_000:
        total += work()
        count += 1
    return total / count


class Worker:
    """A process of its own that measures on request, one JSON line each way.

    It keeps what it imported, and its subjects take turns with those of the other workers.
    """

    def __init__(self, name: str, python: str, environment: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.python = python
        self.environment = {**os.environ, **(environment or {}), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        self._process = subprocess.Popen(
            [python, "-m", "bench.worker"],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request; what went wrong stands under "error"."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the worker {self.name} ended with {self._process.wait()} at {request}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


@dataclass(frozen=True)
class Subject:
    """One column: what a worker is asked to measure."""

    label: str
    worker: Worker
    module: str
    name: str


@dataclass
class Cell:
    """One subject in one case: ns per unit, round by round."""

    times: list[float] = field(default_factory=list)
    units: int = 0
    sampled: int = 0  # places measured, 0 when everything was
    setup: float | None = None  # ns once per stream, apart from the above
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """What the report needs."""
        return {**self.__dict__, "median": median(self.times)}


def median(times: Sequence[float]) -> float | None:
    """The median, None of nothing."""
    return statistics.median(times) if times else None


def ratio(above: dict[str, Any] | None, below: dict[str, Any] | None) -> float | None:
    """How many times `below` goes into `above`: the median over the rounds that both took part in."""
    if not above or not below:
        return None
    return median([a / b for a, b in zip(above["times"], below["times"], strict=False) if b])


def compare(case: dict[str, Any], subjects: Sequence[Subject], effort: Effort) -> dict[str, dict[str, Any]]:
    """All subjects in one case, taking turns round by round, so that a machine's change of pace meets all."""
    cells = {subject.label: Cell() for subject in subjects}
    spent = dict.fromkeys(cells, 0.0)
    for round_ in range(effort.rounds):
        for subject in subjects:
            cell, used = cells[subject.label], spent[subject.label]
            if cell.error or (round_ and used + used / round_ > effort.budget_s):
                continue
            request = {
                "module": subject.module,
                "name": subject.name,
                "case": case,
                "work_ns": effort.work_ns,
                "samples": effort.samples,
            }
            started = time.monotonic()
            answer = subject.worker.ask(request)
            spent[subject.label] += time.monotonic() - started
            if "error" in answer:
                cell.error = answer["error"]
                print(f"  ! {subject.label} in {case}: {cell.error}", file=sys.stderr)
                continue
            cell.times.append(answer["ns"])
            cell.units = answer["units"]
            cell.sampled = answer.get("sampled", 0)
            cell.setup = answer.get("setup")
    return {label: cell.to_json() for label, cell in cells.items()}
