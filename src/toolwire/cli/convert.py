"""`toolwire convert`: a stream written anew for the clients of another wire, as it comes."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from toolwire.cli.source import pieces

if TYPE_CHECKING:
    from toolwire.encoder import Encoder
    from toolwire.wire.encode.options import EncodeOptions
    from toolwire.wire.encode.toolwire import Encoder as Verdict

__all__ = ["add"]

# An argument's name is its option's.
_OPTIONS = ("framing", "model", "fail_on_cut")


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    from toolwire.wire import ALIASES, WIRES
    from toolwire.wire.encode import ENCODERS

    parser = subparsers.add_parser(
        "convert",
        help="write a stream anew, in another wire",
        description="Read a stream in any provider's wire and write it in a client's, each piece as soon as it is "
        "there. Exits with 1 if the turn failed or a call in it was cut; what is written then ends with the wire's "
        "error form, if it has no other word for that.",
    )
    parser.add_argument("file", metavar="FILE", help="a recorded stream, or - for standard input")
    parser.add_argument("--to", required=True, metavar="WIRE", help=f"what to write: {', '.join(sorted(ENCODERS))}")
    parser.add_argument(
        "--from",
        dest="wire",
        default="auto",
        metavar="WIRE",
        help=f"what is read: auto (default), {', '.join(sorted(WIRES))}; also {', '.join(sorted(ALIASES))}",
    )
    parser.add_argument("--framing", choices=["sse", "json-lines"], help="where the wire has both (default sse)")
    parser.add_argument("--model", metavar="NAME", help="the model's name that is written instead of the provider's")
    parser.add_argument(
        "--fail-on-cut",
        action=argparse.BooleanOptionalAction,
        help="whether a turn that was cut inside a call's arguments is written as an error, because many clients "
        "would run half the call (default: yes)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Convert the file."""
    from toolwire.outgoing import encoder_of
    from toolwire.sansio import Stream
    from toolwire.wire.encode.options import Options
    from toolwire.wire.encode.toolwire import Encoder as Verdict

    given: Any = {name: value for name in _OPTIONS if (value := getattr(args, name)) is not None}
    options: EncodeOptions = given
    encoder = encoder_of(args.to, options)
    verdict = Verdict(Options())
    stream = Stream(args.wire)
    for piece in pieces(args.file):
        _write(encoder, verdict, stream.receive(piece))
        if stream.done or encoder.stopped:
            break
    if not encoder.stopped:
        _write(encoder, verdict, stream.end())
    _out(encoder.end())
    return int(encoder.failed or verdict.failed)


def _write(encoder: Encoder, verdict: Verdict, events: list[Any]) -> None:
    for event in events:
        verdict.watch(event)
        _out(encoder.feed(event))


def _out(data: bytes) -> None:
    if data:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
