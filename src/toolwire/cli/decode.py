"""`toolwire decode`: what recorded streams came to, as a table or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolwire.cli.output import CommandError, complain, console, json_line, print_line
from toolwire.cli.source import add_wire, pieces

if TYPE_CHECKING:
    import argparse

    from toolwire.call import ToolCall
    from toolwire.message import Choice, Message

__all__ = ["add", "decode", "report"]

# The library's names of framings and those of the report.
_FRAMINGS = {"json-lines": "jsonl"}


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "decode",
        help="show what recorded streams came to",
        description="Decode recorded streams: their calls, text, finish, usage and errors. "
        "A turn that failed or was cut is a result, not an error of this command.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a recorded stream, or - for standard input")
    add_wire(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object per file, one per line")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Decode every file; one that can't be read is reported and passed over."""
    screen = None if args.json else console()
    code = 0
    for name in args.files:
        try:
            message, wire, framing = decode(name, args.wire)
        except CommandError as error:
            complain(str(error))
            code = 2
            continue
        record = report(name, message, wire, framing)
        if screen is None:
            print_line(json_line(record))
        else:
            from toolwire.cli.view.table import print_report

            print_report(record, screen)
    return code


def decode(name: str, wire: str) -> tuple[Message, str | None, str | None]:
    """A file's message, and the wire and framing it was read as. Raises `CommandError`."""
    from toolwire.message import Message
    from toolwire.sansio import Stream

    stream = Stream(wire)
    message = Message()
    for piece in pieces(name):
        for event in stream.receive(piece):
            message.feed(event)
        if stream.done:
            break
    for event in stream.end():
        message.feed(event)
    return message.settle(), stream.wire, stream.framing


def report(name: str, message: Message, wire: str | None, framing: str | None) -> dict[str, Any]:
    """A message as plain JSON data."""
    error = message.error
    usage = message.usage
    record: dict[str, Any] = {
        "file": name,
        "wire": wire,
        "framing": _FRAMINGS.get(framing or "", framing),
        "model": message.model,
        "choices": [_choice(choice) for choice in message.choices],
        "usage": None if usage is None else {"input": usage.input_tokens, "output": usage.output_tokens},
        "error": None if error is None else {"message": error.message, "kind": error.code or error.kind},
    }
    if message.aborted:
        record["aborted"] = [
            {"text": choice.text, "reasoning_chars": len(choice.reasoning), "calls": [_call(c) for c in choice.calls]}
            for choice in message.aborted
        ]
    return record


def _choice(choice: Choice) -> dict[str, Any]:
    record: dict[str, Any] = {
        "choice": choice.index,
        "text": choice.text,
        "reasoning_chars": len(choice.reasoning),
        "calls": [_call(call) for call in choice.calls],
        "finish": choice.finish,
        "finish_raw": list(choice.finish_raw),
    }
    if choice.refusal:
        record["refusal"] = choice.refusal
    return record


def _call(call: ToolCall) -> dict[str, Any]:
    error = call.error
    usable = call.status in ("complete", "repaired") and call.kind != "custom"
    return {
        "id": call.vendor_id,
        "vendor_id": call.vendor_id,
        "unique_id": call.id,
        "name": call.name,
        "arguments_text": None if call.encoded else call.buf,
        "arguments": call.arguments if usable else None,
        "kind": call.kind,
        "status": call.status,
        "closed": call.closed,
        "executable": call.executable,
        "error": None if error is None else {"reason": error.reason, "message": error.message, "offset": error.offset},
        "repairs": [{"kind": repair.kind, "offset": repair.offset} for repair in call.repairs],
    }
