"""Runs the command line as a process of its own, with a plain environment."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import IO

from support import ROOT

COMMAND = [sys.executable, "-m", "toolwire.cli"]
ENVIRONMENT = {
    **{key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR")},
    "PYTHONPATH": str(ROOT / "src"),
    "TERM": "xterm-256color",
}


def run(*args: object, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run to the end."""
    return subprocess.run(
        [*COMMAND, *map(str, args)],
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
        env=ENVIRONMENT | environment,
    )


def start(*args: object, stdout: IO[bytes] | int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    """Start it, with a pipe to its standard input."""
    return subprocess.Popen(
        [*COMMAND, *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
