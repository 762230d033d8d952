"""`toolwire check`: where in recorded streams the early check could have stopped a call, and what that had saved."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolwire.cli.output import CommandError, complain, json_line, print_line
from toolwire.cli.player import payloads
from toolwire.cli.source import add_wire, whole
from toolwire.cli.watch import PACE, duration
from toolwire.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from toolwire.call import ToolCall
    from toolwire.events import ToolCallViolation
    from toolwire.sansio import Stream
    from toolwire.tools import Tools

__all__ = ["add", "record"]

# What makes a dict without a name a schema that applies to every call.
_KEYWORDS: Final = frozenset(
    [
        "$ref",
        "$schema",
        "additionalProperties",
        "allOf",
        "anyOf",
        "enum",
        "not",
        "oneOf",
        "properties",
        "required",
        "type",
    ]
)
_TYPES: Final = frozenset(["array", "boolean", "integer", "null", "number", "object", "string"])
_LISTS: Final = ("tools", "functionDeclarations", "function_declarations", "functions")

_NOT_PRINTABLE: Final = re.compile(r"[^ -~]")


class Checked(NamedTuple):
    """What the early check found in one recording."""

    name: str
    wire: str | None
    size: int
    payloads: int
    calls: list[Judged]
    error: str | None


class Judged(NamedTuple):
    """One call, its violations, and how far the recording had come when the first of them was certain."""

    call: ToolCall
    violations: list[ToolCallViolation]
    at_payload: int = 0
    at_byte: int = 0


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "check",
        help="show where recorded streams' calls could have been stopped early",
        description="Judge the calls of recorded streams while they are written: where it was certain that a call's "
        "arguments don't fit its schema, and what stopping the stream there would have saved. Exits with 1 if some "
        "call could have been stopped, with 0 if none could.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a recorded stream, or - for standard input")
    parser.add_argument(
        "--schema",
        required=True,
        metavar="FILE",
        help="JSON: a request or its list of tools, or JSON Schemas with titles or names; one without either is that "
        "of every call",
    )
    add_wire(parser)
    parser.add_argument(
        "--pace",
        type=duration,
        default=PACE,
        metavar="SECONDS",
        help=f"seconds from payload to payload (default {PACE}); recordings hold no times, so the seconds saved are "
        "an estimate made with it",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per call, one per line")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check every file; one that can't be read is reported and passed over."""
    if args.schema == "-" and "-" in args.files:
        raise CommandError("standard input can't be both the schema and a stream")
    tools_for = _read_tools(args.schema)
    checked: list[Checked] = []
    for name in args.files:
        try:
            found = _check(name, args.wire, tools_for)
        except CommandError as error:
            complain(str(error))
            continue
        checked.append(found)
        for line in _json_lines(found, args.pace) if args.json else _lines(found, args.pace):
            print_line(line)
    if len(args.files) > 1 and not args.json:
        print_line(_totals(checked, args.pace))
    if len(checked) < len(args.files):
        return 2
    return int(any(each.violations for found in checked for each in found.calls))


# The schema


def _read_tools(source: str) -> Callable[[list[bytes], str], Tools]:
    """What has the tools that a file describes for a stream (its payloads, its wire). Raises `CommandError`."""
    data = _read_json(source)
    if _is_nameless_schema(data):
        _tools(source, [_entry("f", data)])  # complains before any stream is read
        return lambda chunks, wire: _tools(source, [_entry(name, data) for name in _names(chunks, wire)])
    tools = _tools(source, _entries(data))
    if not len(tools):
        raise CommandError(f"{source}: there is no tool in it")
    return lambda _chunks, _wire: tools


def _read_json(source: str) -> Any:
    try:
        return json.loads(whole(source))
    except UnicodeDecodeError as error:
        raise CommandError(f"{source}: not JSON: {error.reason} at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise CommandError(f"{source}: not JSON: {error}") from None
    except RecursionError:
        raise CommandError(f"{source}: nested too deeply") from None


def _is_nameless_schema(data: Any) -> bool:
    """True for a JSON Schema that doesn't say whose it is."""
    if not isinstance(data, dict) or _KEYWORDS.isdisjoint(data):
        return False
    kind = data.get("type")
    named = isinstance(data.get("name"), str) or isinstance(data.get("title"), str)
    return not named and (not isinstance(kind, str) or kind.lower() in _TYPES)


def _entry(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "parameters": schema}


def _entries(data: Any) -> list[Any]:
    """The entries of a list of tools, or of the request that holds it."""
    if isinstance(data, dict):
        inner = data.get("toolConfig")  # of a Bedrock request
        data = inner if isinstance(inner, dict) else data
        data = next((data[key] for key in _LISTS if isinstance(data.get(key), list)), data)
    return data if isinstance(data, list) else [data]


def _tools(source: str, entries: list[Any]) -> Tools:
    from toolwire.tools import Tools

    try:
        return Tools(entries)
    except UsageError as error:
        at = next((number for number, entry in enumerate(entries, 1) if not _describes(entry)), None)
        place = f"tool {at} of {len(entries)}: " if at is not None and len(entries) > 1 else ""
        raise CommandError(f"{source}: {place}{error}") from None
    except RecursionError:
        raise CommandError(f"{source}: nested too deeply") from None


def _describes(entry: Any) -> bool:
    from toolwire.tools import Tools

    try:
        Tools([entry])
    except UsageError:
        return False
    return True


# The streams


def _check(name: str, wire: str, tools_for: Callable[[list[bytes], str], Tools]) -> Checked:
    """Judge the calls of one recording. Raises `CommandError`."""
    from toolwire.events import StreamError, ToolCallViolation
    from toolwire.sansio import Stream

    chunks = payloads(whole(name))
    stream = Stream(wire, tools=tools_for(chunks, wire), early_check=True)
    found: dict[int, Judged] = {}
    failure: str | None = None
    ends = list(accumulate(map(len, chunks), initial=0))
    for number, chunk in enumerate([*chunks, b""], 1):
        number = min(number, len(chunks))  # the end comes with nothing of its own
        for event in stream.receive(chunk) if chunk else stream.end():
            if isinstance(event, ToolCallViolation):
                first = found.setdefault(id(event.call), Judged(event.call, [], number, ends[number]))
                first.violations.append(event)
            elif isinstance(event, StreamError):
                failure = f"{event.kind}: {event.message}"
        if stream.done:
            break
    calls = [found.get(id(call), Judged(call, [])) for call in _calls(stream)]
    return Checked(name, stream.wire, ends[-1], len(chunks), calls, failure)


def _names(chunks: list[bytes], wire: str) -> list[str]:
    """The names that are called in a stream."""
    from toolwire.sansio import Stream

    stream = Stream(wire)
    for chunk in chunks:
        stream.receive(chunk)
        if stream.done:
            break
    stream.end()
    return list(dict.fromkeys(call.name for call in stream.started))


def _calls(stream: Stream) -> Iterator[ToolCall]:
    """All calls of a stream: those of attempts that were given up too, and those that never got a name."""
    yield from stream.started
    yield from (call for call in stream.calls if not call.name)


def _seconds(found: Checked, judged: Judged, pace: float) -> float:
    """How long the payloads after the first violation would have taken."""
    return (found.payloads - judged.at_payload) * pace if judged.violations else 0.0


def _saved(found: Checked, judged: Judged) -> int:
    return found.size - judged.at_byte if judged.violations else 0


# What is printed


def record(found: Checked, judged: Judged, pace: float) -> dict[str, Any]:
    """A call as plain JSON data."""
    call, violations = judged.call, judged.violations
    return {
        "file": found.name,
        "wire": found.wire,
        "choice": call.choice,
        "index": call.index,
        "name": call.name,
        "violations": [
            {"path": list(each.path), "keyword": each.keyword, "message": each.message, "at": each.at}
            for each in violations
        ],
        "status": call.status,
        "error": None if call.error is None else _why(call),
        "chars": call._received,
        "at_byte": judged.at_byte if violations else None,
        "bytes": found.size,
        "saved_bytes": _saved(found, judged),
        "saved_chars": call._received - violations[0].at if violations else 0,
        "saved_seconds": round(_seconds(found, judged, pace), 3),
    }


def _json_lines(found: Checked, pace: float) -> Iterator[str]:
    for each in found.calls:
        yield json_line(record(found, each, pace))


def _lines(found: Checked, pace: float) -> Iterator[str]:
    for each in found.calls:
        yield _plain(f"{found.name}: {_label(each.call)}: {_told(found, each, pace)}")
    if not found.calls:
        yield _plain(f"{found.name}: no calls" + (f" ({found.error})" if found.error else ""))


def _label(call: ToolCall) -> str:
    choice = f" of choice {call.choice}" if call.choice else ""
    return f"call {call.index}{choice} {call.name or '(no name)'}"


def _told(found: Checked, judged: Judged, pace: float) -> str:
    call = judged.call
    if not judged.violations:
        return f"invalid at its end: {_why(call)}" if call.status == "invalid" else "nothing found"
    first = judged.violations[0]
    return (
        f"{_violation(first)}; certain at {first.at} of {call._received} characters of arguments; "
        f"{_size(judged.at_byte)} of {_size(found.size)} were needed: "
        f"{_size(_saved(found, judged))} and about {_seconds(found, judged, pace):.1f} s saved; "
        f"by rejecting this call alone: {call._received - first.at} characters"
    )


def _violation(found: ToolCallViolation) -> str:
    from toolwire.paths import shown

    if found.keyword == "name":  # not of the arguments
        return found.message
    return f"{shown(found.path) or 'arguments'} ({found.keyword}): {found.message}"


def _why(call: ToolCall) -> str:
    """What is wrong with a call, in one sentence."""
    error = call.error
    if error is None:
        return "no reason is known"
    if not error.problems:
        return f"{error.reason}: {error.message}"
    more = f" (and {len(error.problems) - 1} more)" if len(error.problems) > 1 else ""
    return f"{error.problems[0]}{more}"


def _totals(checked: list[Checked], pace: float) -> str:
    """All files in one line. Stopping a stream stops all of its calls, so each file counts once, from the earliest."""
    calls = [each for found in checked for each in found.calls]
    stopped = sum(bool(each.violations) for each in calls)
    saved = sum(max((_saved(found, each) for each in found.calls), default=0) for found in checked)
    seconds = sum(max((_seconds(found, each, pace) for each in found.calls), default=0.0) for found in checked)
    return (
        f"{_count(len(checked), 'file')}, {_count(len(calls), 'call')}: {stopped} could have been stopped; "
        f"{_size(saved)} of {_size(sum(found.size for found in checked))} and about {seconds:.1f} s saved"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _size(number: int) -> str:
    """A number of bytes."""
    if number < 1000:
        return f"{number} B"
    return f"{number / 1000:.1f} kB" if number < 1_000_000 else f"{number / 1_000_000:.1f} MB"


def _plain(text: str) -> str:
    """One line of ASCII, whatever a stream has put in it: what a terminal would obey is escaped too."""
    return _NOT_PRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
