"""Typed partial values elsewhere: what pydantic-ai and instructor do at every delta, on the same deltas."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from time import process_time_ns
from typing import TYPE_CHECKING, Any

from bench.measure import timed
from bench.models import DICTS, MODELS
from bench.payloads import PAYLOADS, cut, sampled

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["run"]

WINDOW = 20  # deltas timed at each place of a long text


@cache
def _prefixes(payload: str, size: int, samples: int) -> list[str]:
    return sampled(PAYLOADS[payload], size, samples)


def _allow_partial(payload: str) -> Callable[[str], Any]:
    """What pydantic-ai does with the joined text."""
    adapter = import_module("pydantic").TypeAdapter(DICTS[payload])
    return lambda text: adapter.validate_json(text, experimental_allow_partial="trailing-strings")


def _windows(payload: str, size: int, places: int) -> list[list[str]]:
    """Deltas for instructor, which reads them itself: everything before a place at once, then some small ones."""
    deltas = cut(PAYLOADS[payload], size)
    if len(deltas) <= places * WINDOW:
        return [deltas]
    starts = [(2 * k + 1) * len(deltas) // (2 * places) for k in range(places)]
    return [["".join(deltas[:start]), *deltas[start : start + WINDOW]] for start in starts]


def _instructor(payload: str, windows: list[list[str]]) -> int:
    """instructor's own reader of chunks, with the model as its `Partial` makes it."""
    model = import_module("instructor.dsl.partial").Partial[MODELS[payload]]
    spent = 0
    for deltas in windows:
        values = model.model_from_chunks(iter(deltas))
        if len(windows) > 1:
            next(values)
        began = process_time_ns()
        for _ in values:
            pass
        spent += process_time_ns() - began
    return spent


def _each(parse: Callable[[str], Any], prefixes: list[str]) -> int:
    began = process_time_ns()
    for prefix in prefixes:
        parse(prefix)
    return process_time_ns() - began


def run(name: str, case: dict[str, Any], work_ns: float, samples: int) -> dict[str, Any]:
    """ns per delta."""
    payload, size = case["payload"], case["size"]
    count = -(-len(PAYLOADS[payload]) // size)
    if name == "instructor":
        windows = _windows(payload, size, max(4, samples // 8))
        spent = timed(lambda: _instructor(payload, windows), work_ns)
        taken = len(windows[0]) if len(windows) == 1 else len(windows) * WINDOW
    else:
        prefixes = _prefixes(payload, size, samples)
        parse = _allow_partial(payload)
        spent = timed(lambda: _each(parse, prefixes), work_ns)
        taken = len(prefixes)
    return {"ns": spent / taken, "units": count, "sampled": taken if taken < count else 0}
