"""`toolwire decode` for people: a decoded file as a few facts and a table of its calls."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len
from rich.text import Text

from toolwire.cli.view.calls import STATUS, brief
from toolwire.cli.view.words import clean, clip, count

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_report"]

_BELOW: Final = "     "


def print_report(record: dict[str, Any], console: Console) -> None:
    """Print one file's report (see `toolwire.cli.decode.report`)."""
    facts = [record["wire"] or "wire unknown", record["framing"] or "", clean(record["model"] or "")]
    title = Text.assemble((clean(record["file"]), "bold"), "  ", (" · ".join(fact for fact in facts if fact), "dim"))
    console.print(title, soft_wrap=True)
    for choice in record["choices"]:
        _print_choice(choice, record, console)
    for attempt in record.get("aborted", ()):
        said = f"{count(len(attempt['text']), 'char')} of text, {count(len(attempt['calls']), 'call')}"
        _fact("aborted", Text(f"an attempt that the provider began anew ({said})", "yellow"), console)
    if record["error"] is not None:
        error = record["error"]
        told = Text(f"{clean(error['kind'])}: {clean(error['message'])}", "red")
        console.print(Text.assemble(("  error     ", "dim"), told), soft_wrap=True)
    if record["usage"] is not None:
        pairs = ((way, record["usage"][key]) for way, key in (("in", "input"), ("out", "output")))
        known = [f"{count(number, 'token')} {way}" for way, number in pairs if number is not None]
        _fact("usage", Text(" · ".join(known)), console)
    console.print()


def _print_choice(choice: dict[str, Any], record: dict[str, Any], console: Console) -> None:
    if len(record["choices"]) > 1 or choice["choice"]:
        _fact("choice", Text(str(choice["choice"]), "bold"), console)
    if choice["reasoning_chars"]:
        _fact("reasoning", Text(count(choice["reasoning_chars"], "char")), console)
    for name, style in (("text", ""), ("refusal", "yellow")):
        said = choice.get(name, "")
        if said:
            shown = clip(clean(" ".join(said[:400].split())), max(console.width - 32, 20))
            _fact(name, Text.assemble(count(len(said), "char"), "  ", (f'"{shown}"', style or "dim")), console)
    if choice["calls"]:
        _print_calls(choice["calls"], console)
    good = choice["finish"] in ("tool_calls", "stop", "pause")
    finish = Text.assemble((choice["finish"] or "none", "green" if good else "yellow"))
    raw = ", ".join(choice["finish_raw"])
    if raw and raw != choice["finish"]:
        finish.append(f" (raw: {clean(raw)})", "dim")
    if choice["calls"]:
        ready = sum(call["executable"] for call in choice["calls"])
        finish.append(f" · {ready} of {count(len(choice['calls']), 'call')} executable")
    _fact("finish", finish, console)


def _fact(label: str, text: Text, console: Console) -> None:
    _print(Text.assemble((f"  {label:<10}", "dim"), text), console)


def _print(line: Text, console: Console) -> None:
    line.truncate(console.width, overflow="ellipsis")
    console.print(line, no_wrap=True)


def _print_calls(calls: list[dict[str, Any]], console: Console) -> None:
    """A row for each call, its arguments and what is wrong with them below it."""
    rows = [_row(call) for call in calls]
    heads = ("", "name", "id", "kind", "status")
    widths = [
        max(cell_len(row[column].plain) for row in [*rows, [Text(head) for head in heads]])
        for column, head in enumerate(heads)
    ]
    _print(_aligned([Text(head, "dim") for head in heads], widths), console)
    for call, row in zip(calls, rows, strict=True):
        _print(_aligned(row, widths), console)
        _print(Text(_BELOW) + _arguments(call, console.width), console)
        if call["error"] is not None:
            error = call["error"]
            at = "" if error["offset"] is None else f" (at character {error['offset']})"
            style = STATUS[call["status"]].style
            _print(Text(f"{_BELOW}{error['reason']}: {clean(error['message'])}{at}", style), console)
        if call["repairs"]:
            listed = ", ".join(f"{repair['kind']} at {repair['offset']}" for repair in call["repairs"])
            _print(Text(f"{_BELOW}repaired: {listed}", "yellow"), console)


def _row(call: dict[str, Any]) -> list[Text]:
    look = STATUS[call["status"]]
    ready = call["executable"]
    return [
        Text(look.symbol, look.style),
        Text(clip(clean(call["name"]), 32), "bold"),
        Text(brief(call["id"] or "-", 22), "dim"),
        Text(call["kind"]),
        Text(call["status"] + (" · executable" if ready else ""), "bold " + look.style if ready else look.style),
    ]


def _aligned(cells: list[Text], widths: list[int]) -> Text:
    line = Text("  ")
    for cell, width in zip(cells, widths, strict=True):
        line += cell + Text(" " * (width - cell_len(cell.plain) + 2))
    line.rstrip()
    return line


def _arguments(call: dict[str, Any], width: int) -> Text:
    text = call["arguments_text"]
    if text is None:
        text = json.dumps(call["arguments"], ensure_ascii=False) if call["arguments"] is not None else ""
    return Text(clean(text[:width])) if text else Text("(no arguments)", "dim")
