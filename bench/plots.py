"""The plots of docs/benchmarks.md: `python -m bench.plots RESULTS FOLDER`. The same results give the same bytes."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.payloads import PAYLOADS

if TYPE_CHECKING:
    from collections.abc import Callable

OURS = {"toolwire compiled": "#0b57d0", "toolwire pure": "#6fa8ff"}
OTHERS = ("#b3541e", "#7a7a7a", "#c99a2e", "#8e4585", "#4f7f5a", "#a8323a", "#5d6b7a", "#9b8579")
INK = "#333333"

Axes = Any
Figure = Any


def _color(label: str, place: int) -> str:
    return OURS.get(label) or OTHERS[place % len(OTHERS)]


def _figure(pyplot: Any, width: float, height: float, columns: int = 1, rows: int = 1) -> tuple[Figure, Any]:
    figure, axes = pyplot.subplots(rows, columns, figsize=(width, height), layout="constrained", squeeze=False)
    for one in axes.flat:
        one.grid(visible=True, which="major", color="#e6e6e6", linewidth=0.8)
        one.set_axisbelow(True)
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes


def values(pyplot: Any, rows: list[dict[str, Any]]) -> Figure:
    """A line per parser over the size of the document, for both sizes of delta."""
    sizes = (4, 20)
    figure, axes = _figure(pyplot, 10, 4.6, columns=len(sizes))
    names = [name for name in PAYLOADS if name != "500 rows"]
    for axis, size in zip(axes.flat, sizes, strict=True):
        these = {row["payload"]: row for row in rows if row["size"] == size}
        labels = [label for label in these[names[0]]["cells"] if ", " not in label]
        others = 0
        for label in labels:
            points = [
                (these[name]["chars"], cell["median"])
                for name in names
                if (cell := these[name]["cells"].get(label)) and cell["median"]
            ]
            ours = label in OURS
            axis.plot(
                *zip(*points, strict=True),
                marker="o",
                markersize=4,
                linewidth=2.4 if ours else 1.4,
                color=_color(label, others),
                label=label,
            )
            others += not ours
        axis.set(
            xscale="log",
            yscale="log",
            ylim=(100, 6e7),
            xlabel="characters in the document",
            title=f"deltas of {size} characters",
        )
    axes.flat[0].set_ylabel("ns of CPU time per delta")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    return figure


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _bar_color(label: str) -> str:
    return next((color for ours, color in OURS.items() if ours.split()[1] in label and "toolwire" in label), OTHERS[1])


def _bars(axis: Axes, found: dict[str, float]) -> None:
    labels = list(found)[::-1]
    bars = axis.barh(labels, [found[label] for label in labels], color=[_bar_color(label) for label in labels])
    axis.bar_label(bars, labels=[_number(found[label]) for label in labels], padding=3, fontsize=8, color=INK)
    axis.grid(visible=False, axis="y")
    axis.margins(x=0.12)


def bytes_(pyplot: Any, found: dict[str, Any]) -> Figure:
    """A row per wire, a column per payload, a dot per consumer, all on one scale."""
    rows = [row for row in found["generated"] if row["wire"] in ("openai-chat", "openai-responses", "anthropic")]
    wires = list(dict.fromkeys(row["wire"] for row in rows))
    payloads = list(dict.fromkeys(row["payload"] for row in rows))
    labels = {
        wire: [
            label
            for label in next(row for row in rows if row["wire"] == wire)["cells"]
            if "with changes" not in label and label != "httpx alone"
        ][::-1]
        for wire in wires
    }
    figure, axes = pyplot.subplots(
        len(wires),
        len(payloads),
        figsize=(11, 7.4),
        layout="constrained",
        squeeze=False,
        sharex=True,
        sharey="row",
        height_ratios=[len(labels[wire]) for wire in wires],
    )
    for row in rows:
        names = labels[row["wire"]]
        axis = axes[wires.index(row["wire"])][payloads.index(row["payload"])]
        axis.set(xscale="log", xlim=(1, 6000), ylim=(-0.6, len(names) - 0.4), title=f"{row['wire']}, {row['payload']}")
        axis.set_yticks(range(len(names)), names, fontsize=8)
        axis.grid(visible=True, axis="x", color="#e6e6e6", linewidth=0.8)
        axis.set_axisbelow(True)
        axis.spines[["top", "right"]].set_visible(False)
        for place, label in enumerate(names):
            cell = row["cells"].get(label)
            if not cell or not cell["median"]:
                continue
            cost = cell["median"] / 1000
            axis.plot([cost], [place], "o", markersize=7, color=_bar_color(label))
            axis.annotate(
                _number(cost), (cost, place), xytext=(7, 0), textcoords="offset points", va="center", fontsize=8
            )
    for axis in axes[-1]:
        axis.set_xlabel("µs of CPU time per server-sent event")
    return figure


def memory(pyplot: Any, found: dict[str, Any]) -> Figure:
    """The most that one 200 KB call takes."""
    figure, axes = _figure(pyplot, 8, 3.4)
    peaks = {label: row["peak"] / 1e6 for label, row in found["single"].items() if "peak" in row}
    _bars(axes.flat[0], peaks)
    axes.flat[0].set(xlabel="MB, the most at any time", title="one call of 200 KB, deltas of 200 characters")
    return figure


def imports(pyplot: Any, rows: list[dict[str, Any]]) -> Figure:
    """What each statement adds to a bare interpreter."""
    figure, axes = _figure(pyplot, 8, 3.8)
    added = {row["label"]: row["added"] for row in rows if "import" in row["label"]}
    axis = axes.flat[0]
    _bars(axis, {label: max(ms, 0) for label, ms in added.items()})
    axis.set(xlabel="ms of CPU time added to a bare interpreter", title="imports")
    return figure


def growth(pyplot: Any, found: dict[str, Any]) -> Figure:
    """Four questions, one line per build each; flat is good."""
    figure, axes = _figure(pyplot, 10, 6.4, columns=2, rows=2)
    texts, calls, elements, streams = axes.flat
    for label in found["texts"]:
        style = {"color": OURS[label], "marker": "o", "markersize": 4, "linewidth": 2, "label": label}
        for axis, by_size in ((texts, found["texts"][label]), (streams, found["streams"][label])):
            points = [(int(x), y["median"] if isinstance(y, dict) else y) for x, y in by_size.items()]
            axis.plot(*zip(*points, strict=True), **style)
            axis.set_xscale("log")
        for axis, repeats in ((calls, found["calls"][label]), (elements, found["elements"][label])):
            medians = [sorted(column)[len(column) // 2] for column in zip(*repeats, strict=True)]
            axis.plot(range(10, 101, 10), medians, **style)
    texts.set(title="text", xlabel="characters", ylabel="ns per delta")
    streams.set(title="streams open, fed in turn", xlabel="streams", ylabel="ns per server-sent event")
    calls.set(title="calls in one stream", xlabel="% of 1000 calls", ylabel="ns per server-sent event")
    elements.set(title="elements of one array", xlabel="% of 10,000 elements", ylabel="ns per delta")
    for axis in axes.flat:
        axis.set_ylim(0, axis.get_ylim()[1] * 1.1)
    figure.legend(*texts.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    return figure


DRAWN: dict[str, Callable[[Any, Any], Figure]] = {
    "values": values,
    "bytes": bytes_,
    "memory": memory,
    "imports": imports,
    "growth": growth,
}


def main(results: Path, folder: Path) -> None:
    """A file per part that was run."""
    matplotlib = import_module("matplotlib")
    matplotlib.use("svg")
    pyplot = import_module("matplotlib.pyplot")
    matplotlib.rcParams.update(
        {
            "svg.hashsalt": "toolwire",
            "svg.fonttype": "none",
            "font.family": "sans-serif",
            "font.size": 9,
            "text.color": INK,
            "axes.labelcolor": INK,
            "axes.edgecolor": "#999999",
            "xtick.color": INK,
            "ytick.color": INK,
        }
    )
    found = json.loads(results.read_text())
    for name, draw in DRAWN.items():
        if name in found:
            figure = draw(pyplot, found[name])
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None}, facecolor="white")
            pyplot.close(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
