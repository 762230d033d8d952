"""Part (d): what an import adds to a bare interpreter, and what it brings with it."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

from bench.measure import ROOT, median
from bench.workers import OURS, PEERS

if TYPE_CHECKING:
    from bench.measure import Effort
    from bench.workers import Workers

HEAVY = (
    "aiohttp",
    "anthropic",
    "boto3",
    "botocore",
    "google.genai",
    "http.client",
    "httpcore",
    "httpx",
    "httpx2",
    "litellm",
    "openai",
    "pydantic",
    "pydantic_ai",
    "pydantic_core",
    "requests",
    "urllib.request",
    "urllib3",
)
_BASE = {OURS: "bare interpreter", PEERS: "bare interpreter, peers"}


def _cpu_ms(python: str, statement: str, environment: dict[str, str]) -> float:
    process = subprocess.Popen([python, "-I", "-c", statement], cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{python} -c {statement!r} failed with {process.returncode}")
    return (usage.ru_utime + usage.ru_stime) * 1000


def _brought(python: str, statement: str, environment: dict[str, str]) -> list[str]:
    listing = f"{statement}; import sys; print(*(m for m in {HEAVY!r} if m in sys.modules))"
    done = subprocess.run([python, "-I", "-c", listing], cwd=ROOT, env=environment, capture_output=True, text=True)
    return done.stdout.split()


def run(workers: Workers, effort: Effort) -> list[dict[str, Any]]:
    """A row per statement: CPU time of a process of its own, user and system."""
    plain = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    rows: list[tuple[str, str, str, dict[str, str]]] = [
        (_BASE[OURS], OURS, "pass", plain),
        ("import msgspec", OURS, "import msgspec", plain),
    ]
    for worker in workers.builds:
        rows += [
            (f"{statement} ({worker.name})", OURS, statement, worker.environment)
            for statement in ("import toolwire", "from toolwire import Stream")
        ]
    rows.append((_BASE[PEERS], PEERS, "pass", plain))
    names = (
        ("openai", "anthropic") if effort.quick else ("openai", "anthropic", "litellm", "pydantic_ai", "google.genai")
    )
    rows += [(f"import {name}", PEERS, f"import {name}", plain) for name in names]
    times: dict[str, list[float]] = {label: [] for label, *_ in rows}
    # Asking what an import brings fills the caches.
    brings = {label: _brought(python, statement, environment) for label, python, statement, environment in rows}
    for round_ in range(5 if effort.quick else 15):
        for label, python, statement, environment in rows:
            slow = python == PEERS and statement != "pass"
            if slow and round_ >= (1 if effort.quick else 5):
                continue
            times[label].append(_cpu_ms(python, statement, environment))
    return [
        {
            "label": label,
            "times": times[label],
            "median": median(times[label]),
            "added": (median(times[label]) or 0) - (median(times[_BASE[python]]) or 0),
            "brings": brings[label],
        }
        for label, python, _, _ in rows
    ]
