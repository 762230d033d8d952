"""docs/benchmarks.md: tables of one run's results, and what has to be known to read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.caveats import CAVEATS
from bench.goals import goals
from bench.measure import ratio
from bench.use import ADDS_TO
from bench.writing import ALONE, JSON, PEERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["render"]

PAYLOAD_NAMES = {
    "search call": "search call, 120 B",
    "nested form": "nested form, 2 KB",
    "file 20 KB": "file, 20 KB",
    "file 200 KB": "file, 200 KB",
    "500 rows": "500 rows, 53 KB",
}


def _time(ns: float | None) -> str:
    if ns is None:
        return "–"
    for unit, size in (("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)):
        if ns < 1000 * size or unit == "s":
            return f"{_number(ns / size)} {unit}"
    raise AssertionError


def _number(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def _table(head: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|---|" + "---:|" * (len(head) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def _base(results: dict[str, Any]) -> str:
    return "toolwire compiled" if "compiled" in results["about"]["workers"] else "toolwire pure"


def _cell(cells: dict[str, Any], label: str, base: str) -> str:
    cell = cells.get(label)
    if cell is None:
        return "–"
    if cell["error"]:
        return "failed"
    text = _time(cell["median"]) + ("*" if cell["sampled"] else "")
    times = ratio(cell, cells.get(base))
    return text if label == base or times is None else f"{text} ({_number(times)}×)"


def _labels(rows: list[dict[str, Any]]) -> list[str]:
    found: dict[str, None] = {}
    for row in rows:
        found |= dict.fromkeys(row["cells"])
    return list(found)


def _values(rows: list[dict[str, Any]], base: str) -> Iterator[str]:
    yield "## Live value per delta"
    yield ""
    yield "![ns per delta by size of the document](plots/values.svg)"
    yield ""
    yield (
        "CPU time per delta, the value read after every one. In brackets: how many times what "
        f"`{base}` takes, median of the rounds. `*`: measured at evenly spread prefixes."
    )
    yield ""
    for size in sorted({row["size"] for row in rows}):
        these = [row for row in rows if row["size"] == size]
        yield f"Deltas of {size} characters:"
        yield ""
        head = ["", *(PAYLOAD_NAMES[row["payload"]] for row in these)]
        body = ([label, *(_cell(row["cells"], label, base) for row in these)] for label in _labels(these))
        yield from _table(head, body)


def _bytes(found: dict[str, Any], base: str) -> Iterator[str]:
    yield "## Bytes to events, with the live value at every event"
    yield ""
    yield "![CPU time per server-sent event](plots/bytes.svg)"
    yield ""
    yield (
        "CPU time per server-sent event, one event per read, arguments in deltas of 4 characters. In brackets: times "
        f"`{base}`. `*`: measured in windows. Set-up: what the client and the request cost once per stream, not part "
        "of the other columns."
    )
    yield ""
    wires: dict[str, list[dict[str, Any]]] = {}
    for row in found["generated"]:
        wires.setdefault(row["wire"], []).append(row)
    for wire, rows in wires.items():
        yield f"### {wire}"
        yield ""
        head = ["", *(PAYLOAD_NAMES[row["payload"]] for row in rows), "set-up"]
        yield from _table(
            head,
            (
                [
                    label,
                    *(_cell(row["cells"], label, base) for row in rows),
                    _time(rows[0]["cells"].get(label, {}).get("setup")),
                ]
                for label in _labels(rows)
            ),
        )
    yield "### Recordings"
    yield ""
    if not found["recorded"]:
        yield "Skipped: the folder of recordings was missing in this run."
        yield ""
    for row in found["recorded"]:
        events = next((cell["units"] for cell in row["cells"].values() if cell["units"]), 0)
        yield f"`{row['payload'].rpartition('/')[2]}` ({row['wire']}, {events} events):"
        yield ""
        yield from _table(["", "per event"], ([label, _cell(row["cells"], label, base)] for label in _labels([row])))
    if found["windows"]:
        yield "How well windows agree with a whole stream, on the 20 KB file:"
        yield ""
        yield from _table(
            ["", "whole", "windows", "windows / whole"],
            (
                [
                    item["name"],
                    _time(item["whole"]),
                    _time(item["windows"]),
                    _number(item["windows"] / item["whole"]) if item["whole"] and item["windows"] else "–",
                ]
                for item in found["windows"]
            ),
        )


def _writing(rows: list[dict[str, Any]]) -> Iterator[str]:
    yield "## Bytes of a provider to bytes for a client"
    yield ""
    yield (
        "CPU time per event of the provider, one event per read, arguments in deltas of 4 characters: decoding and "
        f"encoding together. `{ALONE}` is decoding alone, of the same build, and what the brackets compare with. "
        f"`{JSON}`: the same payloads through `json.loads` and `json.dumps`, and nothing else."
    )
    yield ""
    labels = _labels(rows)
    builds = list(dict.fromkeys(label.partition(": ")[0] for label in labels if ": " in label))
    for build in builds:
        own = [label for label in labels if label.startswith(f"{build}: ")]
        heads = [label.partition(": ")[2] for label in own]
        for payload in dict.fromkeys(row["payload"] for row in rows):
            yield f"{build}, {PAYLOAD_NAMES[payload]}:"
            yield ""
            yield from _table(
                ["from", heads[0], JSON, *heads[1:]],
                (
                    [row["wire"], *(_cell(row["cells"], label, own[0]) for label in (own[0], JSON, *own[1:]))]
                    for row in rows
                    if row["payload"] == payload
                ),
            )
    payloads = list(dict.fromkeys(row["payload"] for row in rows))
    by_case = {(row["wire"], row["payload"]): row["cells"] for row in rows}
    yield f"litellm's conversions; in brackets: times what the same takes in `{builds[0]}`:"
    yield ""
    yield from _table(
        ["", "from", *(PAYLOAD_NAMES[payload] for payload in payloads)],
        (
            [label, wire, *(_cell(by_case[wire, each], label, _same(builds[0], label)) for each in payloads)]
            for label, wire in PEERS.items()
        ),
    )


def _same(build: str, peer: str) -> str:
    """The label of what a peer does, as a build of ours does it."""
    return f"{build}: {peer.split(', ')[1]}"


def _use(rows: list[dict[str, Any]]) -> Iterator[str]:
    yield "## What use adds to a delta"
    yield ""
    yield (
        "CPU time per server-sent event of a Chat Completions stream, arguments in deltas of 4 characters. In "
        "brackets: times the row it adds to, of the same build; the peers: times `partial_as` of the faster build. "
        "`*`: sampled."
    )
    yield ""
    head = ["", *(PAYLOAD_NAMES[row["payload"]] for row in rows)]
    yield from _table(head, ([label, *(_used(row["cells"], label) for row in rows)] for label in _labels(rows)))


def _used(cells: dict[str, Any], label: str) -> str:
    build, _, name = label.partition(": ")
    if not name:
        base = next(each for each in cells if each.endswith(": partial_as"))
    else:
        base = f"{build}: {ADDS_TO[name]}" if name in ADDS_TO else label
    return _cell(cells, label, base)


def _megabytes(size: float) -> str:
    return f"{_number(size / 1e6)} MB"


def _memory(found: dict[str, Any]) -> Iterator[str]:
    yield "## Memory"
    yield ""
    yield "![Memory of one 200 KB call](plots/memory.svg)"
    yield ""
    yield "One long Chat Completions call (10 MB, quick: 1 MB), deltas of 1000 characters, the value read at each:"
    yield ""
    yield from _table(
        ["", "text as bytes", "text as a str", "held", "held / bytes", "held / str", "most at any time"],
        (
            [
                label,
                *(
                    [
                        _megabytes(call["utf8"]),
                        _megabytes(call["text"]),
                        _megabytes(call["held"]),
                        f"{call['held'] / call['utf8']:.2f}×",
                        f"{call['held'] / call['text']:.2f}×",
                        _megabytes(call["peak"]),
                    ]
                    if "held" in call
                    else ["failed"] * 6
                ),
            ]
            for label, call in found["calls"].items()
        ),
    )
    yield "Streams open at once, each with the 2 KB form but for its last delta:"
    yield ""
    yield from _table(
        ["", "streams", "held (RSS)", "per stream"],
        (
            [label, f"{row['streams']:,}", _megabytes(row["held"]), f"{row['held'] / row['streams'] / 1e3:.1f} kB"]
            if "held" in row
            else [label, "failed", "–", "–"]
            for label, row in found["streams"].items()
        ),
    )
    yield "One call of 200 KB in deltas of 200 characters:"
    yield ""
    yield from _table(
        ["", "most at any time", "held at the end", "most / text as bytes"],
        (
            [label, _megabytes(row["peak"]), _megabytes(row["held"]), f"{row['peak'] / row['utf8']:.1f}×"]
            if "held" in row
            else [label, "failed", "–", "–"]
            for label, row in found["single"].items()
        ),
    )


def _imports(rows: list[dict[str, Any]]) -> Iterator[str]:
    yield "## Import time"
    yield ""
    yield "![What an import adds](plots/imports.svg)"
    yield ""
    yield from _table(
        ["", "whole process", "added", "imports, of HTTP clients, pydantic and SDKs"],
        (
            [
                f"`{row['label']}`" if "import" in row["label"] else row["label"],
                f"{row['median']:.1f} ms",
                "" if row["label"].startswith("bare") else f"{row['added']:.1f} ms",
                ", ".join(row["brings"]) or "none",
            ]
            for row in rows
        ),
    )


def _growth(found: dict[str, Any]) -> Iterator[str]:
    yield "## Growth"
    yield ""
    yield "![Cost by size, call, element and number of streams](plots/growth.svg)"
    yield ""
    yield "The file as arguments, deltas of 4 characters, ns per delta with the value:"
    yield ""
    sizes = next(iter(found["texts"].values()))
    yield from _table(
        ["", *(f"{int(size) // 1000:,} KB" for size in sizes), "200 KB / 20 KB"],
        (
            [
                label,
                *(_time(cell["median"]) for cell in by_size.values()),
                f"{ratio(by_size['200000'], by_size['20000']) or 0:.2f}×",
            ]
            for label, by_size in found["texts"].items()
        ),
    )
    for name, what in (
        ("calls", "1000 calls in one Chat Completions stream, each the 120 B search call, ns per server-sent event"),
        ("elements", "10,000 elements of one array, ns per delta of 4 characters"),
    ):
        yield f"{what}, by tenths (median of the repeats):"
        yield ""
        yield from _table(
            ["", *(str(k + 1) for k in range(10)), "last / second"],
            (
                [
                    label,
                    *(_time(sorted(column)[len(column) // 2]) for column in zip(*repeats, strict=True)),
                    f"{sorted(blocks[-1] / blocks[1] for blocks in repeats)[len(repeats) // 2]:.2f}×",
                ]
                for label, repeats in found[name].items()
            ),
        )
    yield "Streams open at once and fed in turn, ns per server-sent event:"
    yield ""
    counts = next(iter(found["streams"].values()))
    yield from _table(
        ["", *(f"{int(count):,}" for count in counts)],
        ([label, *(_time(ns) for ns in by_count.values())] for label, by_count in found["streams"].items()),
    )


def _goals(results: dict[str, Any]) -> Iterator[str]:
    yield "## Goals"
    yield ""
    yield "Set beforehand, computed from the run above. The timings' targets are ratios, so that they hold elsewhere."
    yield ""
    yield from _table(
        ["", "target", "found", "reached"],
        (
            [
                goal.what,
                f"{'≥' if goal.least else '≤'} {goal.target:.3g}{goal.unit}",
                "not measured" if goal.found is None else f"{goal.found:.3g}{goal.unit}",
                {True: "yes", False: "**no**", None: "–"}[goal.reached],
            ]
            for goal in goals(results)
        ),
    )


def _intro(about: dict[str, Any]) -> Iterator[str]:
    yield "# Benchmarks"
    yield ""
    yield f"Made by `{about['command']}`, all in one run of {about['minutes']:.0f} minutes. Don't edit: run it again."
    yield ""
    if about["quick"]:
        yield "**A quick run: few rounds, and the slow peers left out of the long streams.**"
        yield ""
    yield f"toolwire at {about['commit']}. Machine: {about['machine']}. Load at the start: {about['load']}."
    yield ""
    builds = ", ".join(name for name in about["workers"] if name != "peers")
    yield f"toolwire: {builds}. Without a compiled build in the environment, its rows and goals are missing."
    yield ""
    yield from _table(
        ["environment", "Python", "packages"],
        (
            [name, worker["python"], ", ".join(f"{name} {version}" for name, version in worker["packages"].items())]
            for name, worker in about["workers"].items()
        ),
    )


def render(results: dict[str, Any]) -> str:
    """The whole page, of the parts that were run."""
    about, base = results["about"], _base(results)
    lines = list(_intro(about))
    if "values" in results:
        lines += _values(results["values"], base)
    if "bytes" in results:
        lines += _bytes(results["bytes"], base)
    if "writing" in results:
        lines += _writing(results["writing"])
    if "use" in results:
        lines += _use(results["use"])
    if "memory" in results:
        lines += _memory(results["memory"])
    if "imports" in results:
        lines += _imports(results["imports"])
    if "growth" in results:
        lines += _growth(results["growth"])
    effort = about["effort"]
    caveats = CAVEATS.format(
        rounds=effort["rounds"],
        budget=effort["budget_s"],
        samples=effort["samples"],
        half=effort["samples"] // 2,
        windows=effort["samples"] // 2,
        window=about["window"],
    )
    lines += [caveats, *_goals(results)]
    return "\n".join(lines).rstrip() + "\n"
