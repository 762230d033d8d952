"""What comes in: a file or standard input, in the pieces in which it arrives."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from toolwire.cli.output import CommandError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

__all__ = ["add_wire", "is_live", "pieces", "whole"]

_PIECE = 64 * 1024


def pieces(name: str) -> Iterator[bytes]:
    """The bytes of a file, or of standard input for "-". A piece is handed over as soon as it is there.

    Raises `CommandError` for what can't be read.
    """
    try:
        if name == "-":
            # Not through sys.stdin.buffer: a thread that waits in it would hold its lock, and the interpreter
            # could not end.
            descriptor = sys.stdin.fileno()
            while piece := os.read(descriptor, _PIECE):
                yield piece
        else:
            with Path(name).open("rb", buffering=0) as file:
                while piece := file.read(_PIECE):
                    yield piece
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from None


def whole(name: str) -> bytes:
    """All bytes of a file. Raises `CommandError`."""
    return b"".join(pieces(name))


def is_live(name: str) -> bool:
    """True for standard input, a pipe or a device: what has to be followed rather than replayed."""
    if name == "-":
        return True
    try:
        return not stat.S_ISREG(Path(name).stat().st_mode)
    except (OSError, ValueError):
        return False


def unreadable(name: str, error: OSError | ValueError) -> CommandError:
    """The complaint about a file."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return CommandError(f"cannot read {'standard input' if name == '-' else name}: {reason}")


def add_wire(parser: argparse.ArgumentParser) -> None:
    """The `--wire` option."""
    from toolwire.wire import ALIASES, WIRES

    parser.add_argument(
        "--wire",
        default="auto",
        metavar="NAME",
        help=f"the protocol: auto (default), {', '.join(sorted(WIRES))}; also {', '.join(sorted(ALIASES))}",
    )
