"""toolwire, as one of the subjects: run with TOOLWIRE_PURE=1 for the pure build."""

from __future__ import annotations

from functools import cache
from time import process_time_ns
from typing import TYPE_CHECKING, Any

from bench.measure import timed
from bench.payloads import PAYLOADS, cut, document
from bench.recordings import recording
from bench.streams import generated
from toolwire import DEFAULT_REPAIRS, PartialJSON, Stream, ToolCallDelta, ToolCallEnd, ToolCallStart

if TYPE_CHECKING:
    from collections.abc import Callable

CALL_EVENTS = frozenset((ToolCallStart, ToolCallDelta, ToolCallEnd))


def value(deltas: list[str]) -> int:
    """The live value, read after every delta."""
    began = process_time_ns()
    parser = PartialJSON(repairs=DEFAULT_REPAIRS)
    feed = parser.feed
    for delta in deltas:
        feed(delta)
        parser.value  # noqa: B018 - the read is what is measured
    return process_time_ns() - began


def changes(deltas: list[str]) -> int:
    """The path changes and the live value after every delta."""
    began = process_time_ns()
    parser = PartialJSON(repairs=DEFAULT_REPAIRS, changes=True)
    feed = parser.feed
    for delta in deltas:
        feed(delta)
        parser.take_changes()
        parser.value  # noqa: B018
    return process_time_ns() - began


def changes_only(deltas: list[str]) -> int:
    """The path changes after every delta, instead of the value."""
    began = process_time_ns()
    parser = PartialJSON(repairs=DEFAULT_REPAIRS, changes=True)
    feed = parser.feed
    for delta in deltas:
        feed(delta)
        parser.take_changes()
    return process_time_ns() - began


def events(wire: str, chunks: list[bytes], *, changes: bool = False) -> int:
    """Bytes to events, one server-sent event per read, the live value read at every event of a call."""
    began = process_time_ns()
    stream = Stream(wire, changes=changes)
    receive = stream.receive
    for chunk in chunks:
        for event in receive(chunk):
            if type(event) in CALL_EVENTS:
                event.call.partial  # type: ignore[union-attr]  # noqa: B018
    stream.end()
    return process_time_ns() - began


def over_httpx(wire: str, chunks: list[bytes]) -> int:
    """The same through `toolwire.stream` and an httpx response, as the SDKs have it."""
    import httpx2

    import toolwire
    from bench.transport import Switch, client

    switch = Switch()
    switch.load(chunks)
    with client(httpx2, switch) as http, http.stream("POST", "http://bench.invalid/") as response:
        began = process_time_ns()
        for event in toolwire.stream(response.iter_bytes(), wire):
            if type(event) in CALL_EVENTS:
                event.call.partial  # type: ignore[union-attr]  # noqa: B018
        return process_time_ns() - began


@cache
def _deltas(payload: str, size: int) -> list[str]:
    return cut(document(int(payload)) if payload.isdigit() else PAYLOADS[payload], size)


@cache
def _chunks(wire: str, payload: str, size: int) -> list[bytes]:
    return recording(payload) if "/" in payload else generated(wire, PAYLOADS[payload], size)


def run(name: str, case: dict[str, Any], work_ns: float, samples: int) -> dict[str, Any]:
    """ns per delta ("value", "changes", "changes only") or per server-sent event ("events", "over httpx")."""
    del samples
    work: Callable[[], int]
    if name in ("value", "changes", "changes only"):
        deltas = _deltas(case["payload"], case["size"])
        feed = {"value": value, "changes": changes, "changes only": changes_only}[name]
        units, work = len(deltas), lambda: feed(deltas)
    else:
        wire = case["wire"].partition(" ")[0]
        chunks = _chunks(case["wire"], case["payload"], case["size"])
        units = len(chunks)
        if name == "over httpx":
            work = lambda: over_httpx(wire, chunks)  # noqa: E731
        else:
            work = lambda: events(wire, chunks, changes=name == "changed events")  # noqa: E731
    return {"ns": timed(work, work_ns) / units, "units": units}
