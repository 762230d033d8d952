"""The command line: `toolwire decode`, `events`, `convert`, `watch` and `check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line (by default this process's own arguments) and return its exit code."""
    from toolwire.cli.app import run

    return run(argv)
