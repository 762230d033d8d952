"""The other partial JSON parsers, read after every delta."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from time import process_time_ns
from typing import TYPE_CHECKING, Any

from bench.measure import timed
from bench.payloads import PAYLOADS, cut, sampled

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PEERS", "run"]


def _jiter(mode: str | bool) -> Callable[[str], Any]:
    from_json = import_module("jiter").from_json
    return lambda text: from_json(text.encode(), partial_mode=mode)


def _pydantic_core() -> Callable[[str], Any]:
    from_json = import_module("pydantic_core").from_json
    return lambda text: from_json(text, allow_partial="trailing-strings")


def _partial_json_parser() -> Callable[[str], Any]:
    return import_module("partial_json_parser").loads  # type: ignore[no-any-return]


def _langchain() -> Callable[[str], Any]:
    return import_module("langchain_core.utils.json").parse_partial_json  # type: ignore[no-any-return]


def _streaming(deltas: list[str]) -> int:
    parser_of = import_module("streaming_json_parser").StreamingJsonParser
    began = process_time_ns()
    feed = parser_of().feed
    for delta in deltas:
        feed(delta).value  # noqa: B018 - the read is what is measured
    return process_time_ns() - began


STREAMING = "streaming-json-parser"

# label -> what makes the function that parses a whole prefix; only streaming-json-parser keeps state
PEERS: dict[str, Callable[[], Callable[[str], Any]] | None] = {
    "jiter": lambda: _jiter("trailing-strings"),
    "jiter, open strings dropped": lambda: _jiter(mode=True),
    "pydantic_core": _pydantic_core,
    STREAMING: None,
    "partial-json-parser": _partial_json_parser,
    "langchain_core": _langchain,
}
SLOW = ("partial-json-parser", "langchain_core")


@cache
def _prefixes(payload: str, size: int, samples: int) -> list[str]:
    return sampled(PAYLOADS[payload], size, samples)


def _reparse(parse: Callable[[str], Any], prefixes: list[str]) -> int:
    began = process_time_ns()
    for prefix in prefixes:
        parse(prefix)
    return process_time_ns() - began


def run(name: str, case: dict[str, Any], work_ns: float, samples: int) -> dict[str, Any]:
    """ns per delta."""
    text, size = PAYLOADS[case["payload"]], case["size"]
    count = -(-len(text) // size)
    make = PEERS[name]
    if make is None:
        deltas = cut(text, size)
        return {"ns": timed(lambda: _streaming(deltas), work_ns) / count, "units": count}
    prefixes = _prefixes(case["payload"], size, samples // 2 if name in SLOW else samples)
    parse = make()
    spent = timed(lambda: _reparse(parse, prefixes), work_ns)
    taken = len(prefixes)
    return {"ns": spent / taken, "units": count, "sampled": taken if taken < count else 0}
