"""Makes the table of faults in docs/mock.md: `PYTHONPATH=tests python tests/mock/faults_page.py`."""

from __future__ import annotations

from mock.asking import SCRIPT, WIRES, ask, dumped
from mock.test_server import FAULTS
from support import ROOT

from toolwire import Message, Stream
from toolwire.mock.script import Script
from toolwire.mock.service import Service

PAGE = ROOT / "docs" / "mock.md"

# Those that tests/mock/test_server.py tries on sockets, and more of the same.
ROWS = (*FAULTS, "error=last", "length=first", "length=last", "malformed=mid", "drop=last", "eof=last")
_ENDS = {"clean": "well", "reset": "reset", "fin": "closed", "stall": "not at all"}


def outcome(settings: str, wire: str) -> tuple[str, Message]:
    """How the plan for a fault ends, and what is decoded of it."""
    asked = ask(wire, f"mock/weather?{settings}")
    plan, _ = Service(Script.of(SCRIPT)).plan("POST", asked.path, asked.headers, dumped(asked))
    reader = Stream(wire)
    return plan.end, Message.of([*reader.receive(b"".join(step.data for step in plan.steps)), *reader.end()])


def described(settings: str, wire: str) -> str:
    """What the calls and the turn come to, in words."""
    message = outcome(settings, wire)[1]
    calls = ", ".join(call.status for call in message.calls) or "none"
    error = f" ({message.error.kind})" if message.error is not None else ""
    return f"{calls}; `{message.finish}`{error}"


def table() -> str:
    """What becomes of an answer of two calls by each fault, on each wire. Wires that agree share a line."""
    rows = ["| settings | body ends | calls; turn | wires |", "|---|---|---|---|"]
    for settings in ROWS:
        found: dict[str, list[str]] = {}
        for wire in WIRES:
            found.setdefault(described(settings, wire), []).append(wire)
        end = _ENDS[outcome(settings, WIRES[0])[0]]
        for place, (says, wires) in enumerate(sorted(found.items(), key=lambda each: (-len(each[1]), each[0]))):
            name = "" if place else f"`{settings}`" if settings else "none"
            which = "all" if len(wires) == len(WIRES) else "the others" if not place else ", ".join(wires)
            rows.append(f"| {name} | {'' if place else end} | {says} | {which} |")
    return "\n".join(rows) + "\n"


def page(text: str) -> str:
    """The page with its table as it is now."""
    before, begin, rest = text.partition("<!-- faults -->\n")
    _, end, behind = rest.partition("<!-- end of faults -->")
    return f"{before}{begin}{table()}{end}{behind}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
