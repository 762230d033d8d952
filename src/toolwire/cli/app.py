"""The argument parser, and what every command shares: exit codes, a closed pipe, an interrupt.

Exit codes: 0 done, 1 `check` found something or what `convert` read ended badly, 2 wrong usage or unreadable input, 130
interrupted, 141 the reader of our output went away.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from toolwire import __version__, build
from toolwire.cli import check, convert, decode, events, mock, watch
from toolwire.cli.output import CommandError, complain
from toolwire.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["run"]

INTERRUPTED = 130
PIPE_CLOSED = 141

# A command's module has `add(subparsers)`, which sets `run`: the function from parsed arguments to an exit code.
COMMANDS = (decode, events, convert, watch, check, mock)


def run(argv: Sequence[str] | None = None) -> int:
    """Parse, dispatch, and turn what can go wrong into an exit code."""
    parser = _parser()
    try:
        args = parser.parse_args(argv)
    except SystemExit as stop:  # argparse has said why, or printed the help that was asked for
        return stop.code if isinstance(stop.code, int) else 2
    command: Callable[[argparse.Namespace], int] | None = args.run
    try:
        if command is None:
            parser.print_help()
            code = 0
        else:
            code = command(args)
        sys.stdout.flush()
    except (CommandError, UsageError) as error:
        complain(str(error))
        return 2
    except BrokenPipeError:
        _silence_stdout()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:  # input is read with errors of its own; what is left is output
        _silence_stdout()
        complain(f"can't write the output: {error}")
        return 2
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="toolwire",
        description="Read a model provider's stream of tool calls, recorded or live.",
        epilog="A FILE of - is standard input, so a live stream can be piped in: curl -N ... | toolwire watch -",
    )
    parser.add_argument("--version", action="version", version=f"toolwire {__version__} ({build})")
    parser.set_defaults(run=None)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS:
        command.add(subparsers)
    return parser


def _silence_stdout() -> None:
    """Keep the interpreter from complaining when it flushes a closed pipe at exit."""
    try:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
    except (OSError, ValueError):  # a replaced stdout without a descriptor has nothing to be silenced
        pass
