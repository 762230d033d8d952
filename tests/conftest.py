"""Hypothesis for all tests: no timing in the verdicts, and in CI the same examples every time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import toolwire

settings.register_profile(
    "default",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("default")


def pytest_sessionstart() -> None:
    """Compiled modules go before their source: tests of one that is older than its source would say nothing."""
    libraries = Path(toolwire.__file__).parent.rglob("*.so") if toolwire.build == "compiled" else ()
    for library in libraries:
        source = library.with_name(library.name.partition(".")[0] + ".py")
        if source.exists() and source.stat().st_mtime > library.stat().st_mtime:
            pytest.exit(f"{source.name} is newer than its compiled module: run `make setup`, or set TOOLWIRE_PURE=1", 2)


def pytest_report_header() -> str:
    """Which build the results are of."""
    return f"toolwire: {toolwire.build} build"
