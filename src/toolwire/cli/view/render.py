"""A stream's state as lines for a terminal of a given size, or for paper."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rich.text import Text

from toolwire.cli.view.calls import call_block, call_line, side_by_side
from toolwire.cli.view.words import clean, clip, count, seconds, size, tail_rows

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from toolwire.cli.view.state import CallState, Prose, StreamState

__all__ = ["Page", "lines"]

_INDENT = "   "
_PROSE_ROWS = 12  # of a finished stream's text


class Page:
    """A rich renderable: the view as of now, in the size the console has now."""

    def __init__(self, view: StreamState, *, full: bool = False) -> None:
        self.view = view
        self.full = full

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = None if self.full else (options.height or console.height)
        for line in lines(self.view, options.max_width, height):
            if self.full:
                line.rstrip()
            line.no_wrap = True
            line.overflow = "crop"
            yield line


def lines(view: StreamState, width: int, height: int | None = None) -> list[Text]:
    """At most `height` lines of at most `width` cells. Without a height, all there is to say."""
    made = _all(view, width) if height is None else _fitted(view, width, height)
    for line in made:
        if line.cell_len > width:
            line.truncate(width, overflow="ellipsis")
    return made


def _all(view: StreamState, width: int) -> list[Text]:
    calls = [line for state in view.calls for line in [*call_block(state, view, width, None), Text()]]
    return [*_header(view, width), *_prose(view, width, _PROSE_ROWS), *calls, *_footer(view, width)]


def _fitted(view: StreamState, width: int, height: int) -> list[Text]:
    top = _header(view, width)
    bottom = _footer(view, width)
    room = max(height - len(top) - len(bottom), 1)
    prose = _prose(view, width, _rows_of_prose(view, room))
    body = [*prose, *_calls(view, width, room - len(prose))][-room:]
    body += [Text()] * (room - len(body))  # so that what is below stays where it is
    return [*top, *body, *bottom][:height]


def _header(view: StreamState, width: int) -> list[Text]:
    left = Text.assemble(" ", (clean(view.title), "bold"), "  ", (clean(view.subtitle), "dim"))
    model = clip(clean(view.model or ""), 30)
    facts = [view.wire or "…", model, seconds(view.elapsed) if view.timed else "", size(view.received), view.place]
    right = Text(" · ".join(filter(None, facts)) + " ", "dim")
    if left.cell_len + right.cell_len + 2 > width:
        right = Text(" · ".join(filter(None, [facts[0], *facts[2:]])) + " ", "dim")
    return [side_by_side(left, right, width), Text("─" * width, "dim"), Text()]


def _rows_of_prose(view: StreamState, room: int) -> int:
    """Text gets what calls leave, but a few rows at least."""
    if not view.calls:
        return max(room - 2, 1)
    return 3 if room < 24 else 6


def _prose(view: StreamState, width: int, rows: int) -> list[Text]:
    made: list[Text] = []
    live = not view.done and not view.calls
    if view.reasoning.chars:
        label = f"reasoning, {count(view.reasoning.chars, 'char')}"
        shown = 0 if view.texts or view.calls else min(rows, 6)
        made += _passage(label, view.reasoning, width, shown, "italic dim", live=live)
        made += [Text()] if view.texts else []
    for choice in sorted(view.texts):
        label = f"choice {choice}" if len(view.texts) > 1 else ""
        made += _passage(label, view.texts[choice], width, max(rows // len(view.texts), 1), "", live=live)
    if view.refusal.chars:
        made += _passage("refusal", view.refusal, width, rows, "yellow", live=False)
    return [*made, Text()] if made else []


def _passage(label: str, prose: Prose, width: int, rows: int, style: str, *, live: bool) -> list[Text]:
    made = [Text(f"{_INDENT}{label}", "dim")] if label else []
    room = min(width - 2 * len(_INDENT), 100)
    shown = tail_rows(prose.tail, room, rows)
    made += [Text(_INDENT) + Text(row, style) for row in shown]
    if made and shown and not label and prose.chars > sum(map(len, shown)) + 2 * len(shown):
        made[0] = Text.assemble((" … ", "dim"), (shown[0], style))
    if live and shown:
        made[-1].append("▌", "bold bright_white")
    return made


def _calls(view: StreamState, width: int, room: int) -> list[Text]:
    """The calls in the rows there are: ended ones shrink to one line first, oldest first, then the oldest go."""
    states = view.calls
    if not states or room < 1:
        return []
    blocks = {id(state): call_block(state, view, width, _share(states, room)) for state in states[-room:]}
    shown = list(states[-room:])
    small: set[int] = set()
    for state in sorted(shown, key=lambda state: not state.settled):
        if _height(shown, blocks, small) <= room:
            break
        if state is not shown[-1]:
            small.add(id(state))
            blocks[id(state)] = [call_line(state, view, width, inline=True)]
    made: list[Text] = []
    for place, state in enumerate(shown):
        block = blocks[id(state)]
        if place and not (id(state) in small and id(shown[place - 1]) in small):
            made.append(Text())
        made += block
    hidden = len(states) - len(shown)
    while len(made) > room and len(shown) > 1:
        first = len(blocks[id(shown.pop(0))])
        del made[:first]
        while made and not made[0].plain.strip():
            del made[0]
        hidden += 1
    if hidden:
        note = Text(f" … {count(hidden, 'earlier call')}", "dim")
        return [note, *made[-(room - 1) :]] if room > 1 else [note]
    return made[:room]


def _share(states: list[CallState], room: int) -> int:
    """How many lines one call may have: what is left beside one line for every ended call, but half at least."""
    writing = max(sum(not state.settled for state in states[-room:]), 1)
    others = len(states) - writing
    return max((max(room - others - 1, room // 2) - (writing - 1)) // writing, 1)


def _height(shown: list[CallState], blocks: dict[int, list[Text]], small: set[int]) -> int:
    gaps = sum(not (id(left) in small and id(right) in small) for left, right in pairwise(shown))
    return gaps + sum(len(blocks[id(state)]) for state in shown)


def _footer(view: StreamState, width: int) -> list[Text]:
    facts: list[tuple[str, Text]] = [("reset", Text(clean(reason), "yellow")) for reason in view.resets[-2:]]
    if view.error is not None:
        error = view.error
        code = f" [{clean(error.code)}]" if error.code else ""
        offset = "" if error.offset is None else f" (at byte {error.offset})"
        facts.append(("error", Text(f"{error.kind}{code}: {clean(error.message)}{offset}", "red")))
    facts += [_finish(view, choice) for choice in sorted(view.finishes)]
    if view.usage is not None:
        pairs = (("in", view.usage.input_tokens), ("out", view.usage.output_tokens))
        known = [f"{count(number, 'token')} {way}" for way, number in pairs if number is not None]
        facts.append(("usage", Text(" · ".join(known) or "no counts")))
    if view.unknown:
        facts.append(("other", Text(count(view.unknown, "payload") + " without a meaning here", "dim")))
    made = [Text.assemble((f" {label:<8}", "dim"), fact) for label, fact in facts]
    for line in made:
        line.truncate(width, overflow="ellipsis")
    return [Text("─" * width, "dim"), *made] if made else []


def _finish(view: StreamState, choice: int) -> tuple[str, Text]:
    event = view.finishes[choice]
    good = event.reason in ("tool_calls", "stop", "pause")
    text = Text.assemble((event.reason, "bold green" if good else "bold yellow"))
    raw = ", ".join(event.raw)
    if raw and raw != event.reason:
        text.append(f" (raw: {clean(raw)})", "dim")
    made = sum(state.call.choice == choice for state in view.calls)
    if made:
        text.append(" · ", "dim").append(f"{len(event.calls)} of {count(made, 'call')} executable")
    if len(view.finishes) > 1 or choice:
        text = Text.assemble((f"choice {choice}: ", "dim"), text)
    return "finish", text
