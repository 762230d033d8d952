"""`toolwire events`: one event per line as JSON, as soon as it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolwire.cli.output import json_line, print_line
from toolwire.cli.source import add_wire, pieces

if TYPE_CHECKING:
    import argparse

    from toolwire.call import ToolCall
    from toolwire.events import Event

__all__ = ["add", "as_dict"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "events",
        help="print a stream's events as JSON lines, live",
        description="Print a stream's events, one JSON object a line, each as soon as it is there.",
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
    for piece in pieces(args.file):
        _print(stream.receive(piece))
        if stream.done:
            break
    _print(stream.end())
    return 0


def _print(events: list[Event]) -> None:
    for event in events:
        print_line(json_line(as_dict(event)))


def as_dict(event: Event) -> dict[str, Any]:
    """An event as plain JSON data. What it says of its call is what holds now."""
    from toolwire import events as ev

    body: dict[str, Any]
    match event:
        case ev.MessageStart():
            body = {"id": event.id, "model": event.model, "wire": event.wire}
        case ev.TextDelta() | ev.RefusalDelta():
            body = {"choice": event.choice, "text": event.text}
            if isinstance(event, ev.TextDelta) and event.extra is not None:
                body["extra"] = dict(event.extra)
        case ev.ReasoningDelta():
            body = {"choice": event.choice, "text": event.text, "field": event.field, "signature": event.signature}
            if event.extra is not None:
                body["extra"] = dict(event.extra)
        case ev.ToolCallStart():
            body = {**_call(event.call), "vendor_id": event.call.vendor_id}
        case ev.ToolCallDelta():
            body = {**_call(event.call), "text": event.text}
            if event.changes is not None:
                body["changes"] = [list(change) for change in event.changes]
        case ev.ToolCallEnd():
            body = {**_call(event.call), **_verdict(event.call)}
        case ev.ToolCallViolation():
            found = {"path": list(event.path), "keyword": event.keyword, "message": event.message, "at": event.at}
            body = {**_call(event.call), **found}
        case ev.Usage():
            body = {"input_tokens": event.input_tokens, "output_tokens": event.output_tokens, "raw": dict(event.raw)}
        case ev.Finish():
            body = {"choice": event.choice, "reason": event.reason, "raw": list(event.raw), "calls": _ids(event.calls)}
        case ev.Reset():
            body = {"calls": _ids(event.calls), "scope": event.scope, "reason": event.reason}
        case ev.StreamError():
            body = {
                "kind": event.kind,
                "message": event.message,
                "code": event.code,
                "status": event.status,
                "retryable": event.retryable,
                "retry_after": event.retry_after,
                "wire": event.wire,
                "offset": event.offset,
                "call": event.call.id if event.call is not None else None,
                "raw": event.raw,
            }
        case ev.Warned():
            body = {"reason": event.reason, "call": event.call.id if event.call is not None else None}
        case ev.Unknown():
            body = {"event": event.event, "payload": event.payload}
    return {"type": event.type, **body}


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "index": call.index, "choice": call.choice, "name": call.name, "kind": call.kind}


def _verdict(call: ToolCall) -> dict[str, Any]:
    verdict: dict[str, Any] = {"status": call.status}
    if call.status in ("complete", "repaired"):
        verdict["arguments"] = call.arguments
    if call.error is not None:
        verdict["error"] = {"reason": call.error.reason, "message": call.error.message, "offset": call.error.offset}
    if call.repairs:
        verdict["repairs"] = [{"kind": repair.kind, "offset": repair.offset} for repair in call.repairs]
    return {**verdict, "closed": call.closed, "executable": call.executable}


def _ids(calls: tuple[ToolCall, ...]) -> list[str]:
    return [call.id for call in calls]
