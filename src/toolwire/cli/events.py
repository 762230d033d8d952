"""`toolwire events`: one event per line as JSON, as soon as it is there. It is our own wire, `toolwire`, in lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.cli.output import json_line, print_line
from toolwire.cli.source import add_wire, pieces

if TYPE_CHECKING:
    import argparse

    from toolwire.events import Event

__all__ = ["add"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "events",
        help="print a stream's events as JSON lines, live",
        description="Print a stream's events, one JSON object a line, each as soon as it is there: the "
        "wire toolwire (docs/toolwire-wire.md).",
    )
    parser.add_argument("file", metavar="FILE", help="a recorded stream, or - for standard input")
    add_wire(parser)
    parser.add_argument(
        "--changes", action="store_true", help="with each delta, what it did to the live value: [op, path, value]"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print every event of the file."""
    from toolwire.sansio import Stream

    stream = Stream(args.wire, changes=args.changes)
    first = True
    for piece in pieces(args.file):
        first = _print(stream.receive(piece), first=first)
        if stream.done:
            break
    _print(stream.end(), first=first)
    return 0


def _print(events: list[Event], *, first: bool) -> bool:
    """Print events; whether what comes next will be the first."""
    from toolwire.event_form import as_dict, json_safe, marked

    for event in events:
        print_line(json_line(marked(json_safe(as_dict(event)), first=first)))
        first = False
    return first
