"""What was set out to be reached, against what one run has found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bench.measure import median, ratio
from bench.writing import ALONE, TO

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Goal", "goals"]

COMPILED, PURE = "toolwire compiled", "toolwire pure"
BUILDS = (COMPILED, PURE)
MSGSPEC_SHARE = 40 / 29  # of what msgspec alone adds


class Goal(NamedTuple):
    """`found` is None where this run has not measured it. `least`: the target is a floor, not a ceiling."""

    what: str
    target: float
    found: float | None
    least: bool
    unit: str = "×"

    @property
    def reached(self) -> bool | None:
        """Whether the target is met."""
        if self.found is None:
            return None
        return self.found >= self.target if self.least else self.found <= self.target


VALUES = (
    (4, COMPILED, {"search call": 1.5, "nested form": 20, "file 20 KB": 50, "file 200 KB": 800}),
    (4, PURE, {"nested form": 4, "file 20 KB": 20}),
    (20, COMPILED, {"search call": 0.7, "nested form": 8, "file 20 KB": 25, "file 200 KB": 400}),
)
BYTES = (
    ("openai-chat", "nested form", "openai .stream()", 25),
    ("openai-chat", "nested form", "openai create + jiter", 12),
    ("anthropic", "nested form", "anthropic messages.stream()", 8),
    ("openai-chat", "file 200 KB", "openai .stream()", 100),
    ("openai-chat", "file 200 KB", "openai create + jiter", 100),
    ("anthropic", "file 200 KB", "anthropic messages.stream()", 100),
)
SAME_WIRE = ("openai-chat", "openai-responses", "anthropic")


def _cells(rows: list[dict[str, Any]], **keys: object) -> Mapping[str, Any]:
    for row in rows:
        if all(row[key] == value for key, value in keys.items()):
            cells: Mapping[str, Any] = row["cells"]
            return cells
    return {}


def _values(rows: list[dict[str, Any]]) -> Iterator[Goal]:
    for size, build, targets in VALUES:
        for payload, target in targets.items():
            cells = _cells(rows, payload=payload, size=size)
            found = ratio(cells.get("jiter"), cells.get(build))
            yield Goal(f"{build}: ahead of jiter's re-parse, {payload}, deltas of {size}", target, found, least=True)
    for build in BUILDS:
        costs = [
            cost
            for row in rows
            if (cost := ratio(row["cells"].get(f"{build}, changes and value"), row["cells"].get(build))) is not None
        ]
        worst = max(costs, default=None)
        what = f"{build}: changes and value, against the value alone (the worst of all payloads)"
        yield Goal(what, 1.7, worst, least=False)


def _bytes(rows: list[dict[str, Any]]) -> Iterator[Goal]:
    for wire, payload, peer, target in BYTES:
        cells = _cells(rows, wire=wire, payload=payload)
        found = ratio(cells.get(peer), cells.get(COMPILED))
        yield Goal(f"{COMPILED}: bytes to events, {payload}, cheaper than {peer}", target, found, least=True)


def _writing(rows: list[dict[str, Any]]) -> Iterator[Goal]:
    for wire in SAME_WIRE:
        for payload in dict.fromkeys(row["payload"] for row in rows):
            cells = _cells(rows, wire=wire, payload=payload)
            found = ratio(cells.get(f"{COMPILED}: {TO}{wire}"), cells.get(f"{COMPILED}: {ALONE}"))
            what = f"{COMPILED}: {wire} in and out, {payload}, against decoding alone"
            yield Goal(what, 3, found, least=False)


def _growth(found: dict[str, Any]) -> Iterator[Goal]:
    for build in BUILDS:
        texts = found["texts"].get(build, {})
        flat = ratio(texts.get("200000"), texts.get("20000"))
        yield Goal(f"{build}: ns per delta at 200 KB, against 20 KB", 1.2, flat, least=False)
        for name, what in (
            ("calls", "the last tenth of 1000 calls"),
            ("elements", "the last tenth of 10,000 elements"),
        ):
            # The first tenth warms up; the second stands for "early".
            late = median([blocks[-1] / blocks[1] for blocks in found[name].get(build, [])])
            yield Goal(f"{build}: {what}, against the second", 1.2, late, least=False)


def _use(rows: list[dict[str, Any]]) -> Iterator[Goal]:
    cells = {row["payload"]: row["cells"] for row in rows}
    for build in BUILDS:
        for name in ("partial_as", "four guards", "tools, early check", "async edge, a follower"):
            label = f"{build}: {name}"
            short, long = (cells.get(f"file {size} KB", {}).get(label) for size in (20, 200))
            yield Goal(f"{label}: 200 KB, against 20 KB", 1.2, ratio(long, short), least=False)


def _memory(found: dict[str, Any]) -> Iterator[Goal]:
    for build in BUILDS:
        for kind, of in (("ascii", "utf8"), ("emoji", "text")):
            call = found["calls"].get(f"{build}, {kind}", {})
            share = call["held"] / call[of] if "held" in call else None
            text = "as bytes" if of == "utf8" else "as a str of 4 bytes a character"
            yield Goal(f"{build}: a call of 10 MB holds, in terms of its text {text} ({kind})", 3, share, least=False)
        streams = found["streams"].get(build, {})
        held = streams["held"] / 1e6 if "held" in streams else None
        yield Goal(f"{build}: 10,000 open streams with 2 KB each", 150, held, least=False, unit=" MB")


def _imports(rows: list[dict[str, Any]]) -> Iterator[Goal]:
    by_label = {row["label"]: row for row in rows}
    msgspec = by_label.get("import msgspec", {}).get("added")
    for statement in ("import toolwire", "from toolwire import Stream"):
        for build in ("compiled", "pure"):
            row = by_label.get(f"{statement} ({build})")
            share = row["added"] / msgspec if row and msgspec else None
            what = f"`{statement}` ({build}) adds, of what `import msgspec` adds (40/29)"
            yield Goal(what, MSGSPEC_SHARE, share, least=False)
            count = float(len(row["brings"])) if row else None
            yield Goal(f"`{statement}` ({build}) imports HTTP clients, pydantic, SDKs", 0, count, least=False, unit="")


def goals(results: dict[str, Any]) -> list[Goal]:
    """Every goal whose part was run."""
    found: list[Goal] = []
    if "values" in results:
        found += _values(results["values"])
    if "bytes" in results:
        found += _bytes(results["bytes"]["generated"])
    if "writing" in results:
        found += _writing(results["writing"])
    if "use" in results:
        found += _use(results["use"])
    if "growth" in results:
        found += _growth(results["growth"])
    if "memory" in results:
        found += _memory(results["memory"])
    if "imports" in results:
        found += _imports(results["imports"])
    return found
