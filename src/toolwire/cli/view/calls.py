"""Calls as lines: a chip with name, id and status, the arguments, and how long it all took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from rich.cells import cell_len
from rich.text import Text

from toolwire.cli.view.values import Edge, compact, value_lines
from toolwire.cli.view.words import clean, clip, count, seconds

if TYPE_CHECKING:
    from toolwire.call import ToolCall
    from toolwire.cli.view.state import CallState, StreamState

__all__ = ["STATUS", "brief", "call_block", "call_line", "side_by_side", "status_of"]

_SPINNER: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_BAR: Final = "   │ "
_FULL_LINES: Final = 60


class Look(NamedTuple):
    """How a status looks."""

    symbol: str
    style: str


STATUS: Final[dict[str, Look]] = {
    "open": Look("●", "bright_blue"),
    "closed": Look("●", "bright_blue"),
    "complete": Look("✓", "green"),
    "repaired": Look("≈", "yellow"),
    "incomplete": Look("◌", "yellow"),
    "invalid": Look("✗", "red"),
    "revoked": Look("↺", "yellow"),
}


def status_of(call: ToolCall, revoked: str = "") -> tuple[str, Look]:
    """What to say of a call, and how it looks. An open call whose text is whole is "closed" here."""
    status = "closed" if not call.done and call.closed else call.status
    look = STATUS["revoked" if revoked else status]
    words = [f"revoked, {status}" if revoked else status]
    if call.kind != "function":
        words.append(call.kind)
    if call.executable:
        words.append("executable")
    return " · ".join(words), look


def brief(identity: str, width: int = 18) -> str:
    """An id, its middle left out when it is long."""
    identity = clean(identity)
    return identity if cell_len(identity) <= width else f"{identity[: width - 7]}…{identity[-6:]}"


def side_by_side(left: Text, right: Text, width: int) -> Text:
    """Two texts at the two ends of a line. The left one gives way."""
    right = right.copy()
    right.truncate(max(width // 2, width - 24), overflow="ellipsis")
    room = width - cell_len(right.plain)
    line = left.copy()
    line.truncate(max(room - 2, 0), overflow="ellipsis", pad=True)
    return line + Text(" " * min(2, max(room, 0))) + right


def call_line(state: CallState, view: StreamState, width: int, *, inline: bool = False) -> Text:
    """The chip. `inline` puts the arguments into it as well, as far as there is room."""
    call = state.call
    words, look = status_of(call, state.revoked)
    symbol = look.symbol
    if not state.settled and view.timed and not view.done:
        symbol = _SPINNER[int(view.now * 12) % len(_SPINNER)]
    number = f"{call.choice}.{call.index}" if call.choice else str(call.index)
    left = Text.assemble((f" {symbol} ", look.style), (f"{number} ", "dim"), (clip(clean(call.name), 48), "bold"))
    right = Text(words + " ", "bold " + look.style if call.executable else look.style)
    if inline:
        room = width - cell_len(left.plain) - cell_len(words) - 6
        if room > 8:
            left.append("  ").append_text(compact(call.partial, room, _edge(state)))
    else:
        left.append("  ").append(brief(call.id), "dim")
    return side_by_side(left, right, width)


def call_block(state: CallState, view: StreamState, width: int, limit: int | None) -> list[Text]:
    """The chip with the arguments below it, in at most `limit` lines (None: as many as are good to read)."""
    call = state.call
    notes = [note for note in (_error(state), _repairs(state), _timing(state, view, width - len(_BAR) - 1)) if note]
    _, look = status_of(call, state.revoked)
    room = _FULL_LINES if limit is None else limit - 1 - len(notes)
    if room < 1:
        notes = notes[: max((limit or 0) - 1, 0)]
    lines = _arguments(state, width - len(_BAR) - 1, room)
    bar = (_BAR, look.style + " dim")
    below = [Text.assemble(bar, line) for line in [*lines, *notes]]
    return [call_line(state, view, width), *(_fit(line, width) for line in below)]


def _edge(state: CallState) -> Edge:
    """Where the arguments end for now; of an incomplete call, where they were cut."""
    if state.call.status == "incomplete":
        return Edge(state.open_levels, "…", "yellow")
    return Edge(state.levels)


def _arguments(state: CallState, width: int, limit: int) -> list[Text]:
    call = state.call
    value = call.partial
    if value in ({}, "") and not call.done:
        return [Text(Edge().mark, Edge().style)][:limit]
    if value in ({}, "") and call.buf.strip() and call.status != "complete":
        value = call.buf  # nothing of it could be read: show what came
    return value_lines(value, width=width, limit=limit, edge=_edge(state), tail=not state.settled)


def _fit(line: Text, width: int) -> Text:
    line.truncate(width, overflow="ellipsis")
    return line


def _error(state: CallState) -> Text | None:
    error = state.call.error
    if state.revoked:
        return Text(f"revoked: {clean(state.revoked)}", "yellow")
    if error is None:
        return None
    place = "" if error.offset is None else f" (at character {error.offset})"
    style = "red" if state.call.status in ("invalid", "open") else "yellow"
    return Text(f"{error.reason}: {clean(error.message)}{place}", style)


def _repairs(state: CallState) -> Text | None:
    repairs = state.call.repairs
    if not repairs:
        return None
    listed = ", ".join(f"{repair.kind} at {repair.offset}" for repair in repairs[:4])
    return Text(f"repaired: {listed}{', …' if len(repairs) > 4 else ''}", "yellow")


def _timing(state: CallState, view: StreamState, width: int) -> Text | None:
    if not view.timed:
        return None
    parts = [f"name after {seconds(state.named_at - view.started_at)}"]
    if state.first_at is not None:
        parts.append(f"arguments after {seconds(state.first_at - view.started_at)}")
        parts.append(f"{count(len(state.call.buf), 'char')} in {seconds(state.written_in)}")
        if state.written_in >= 0.1:
            parts.append(f"{len(state.call.buf) / state.written_in:.0f}/s")
    while len(parts) > 1 and len(" · ".join(parts)) > width:
        del parts[1 if len(parts) > 2 else 0]
    return Text(" · ".join(parts), "dim")
