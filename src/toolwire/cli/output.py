"""What goes out: JSON lines in ASCII, complaints on stderr, and the rich console where there is one."""

from __future__ import annotations

import io
import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["CommandError", "complain", "console", "json_line", "print_line"]


class CommandError(Exception):
    """A command can't do what it was asked to; the message is for the user, the exit code is 2."""


def complain(message: str) -> None:
    """A message on stderr, whatever characters it holds."""
    print(f"toolwire: {message}".encode("ascii", "backslashreplace").decode(), file=sys.stderr)


def json_line(value: dict[str, Any]) -> str:
    """One line of ASCII JSON. Lone surrogates come out as escapes, NaN and infinities as strings.

    A member that is nested too deeply to be written is null, and `unwritable` names it.
    """
    try:
        return _dump(value)
    except RecursionError:
        deep = {key: member for key, member in value.items() if not _writable(member)}
        return _dump({**value, **dict.fromkeys(deep), "unwritable": sorted(deep)})


def _dump(value: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError:
        return json.dumps(json.loads(json.dumps(value), parse_constant=str))


def _writable(value: Any) -> bool:
    try:
        _dump(value)
    except RecursionError:
        return False
    return True


def print_line(line: str) -> None:
    """A line on stdout, there at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def console() -> Console:
    """The console for stdout: colours and controls on a terminal only.

    Raises `CommandError` when rich is not installed.
    """
    try:
        from rich.console import Console
    except ImportError:
        raise CommandError(
            "this view needs rich: pip install 'toolwire[cli]' (decode --json, events and check work without it)"
        ) from None
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal's encoding may lack our symbols
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        return Console(highlight=False)
    return Console(highlight=False, force_terminal=False, color_system=None, force_interactive=False)
