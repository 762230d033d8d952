"""Numbers between limits, multiples of a step where one is asked for."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Final

from toolwire.mock.generate.merge import exact

if TYPE_CHECKING:
    from random import Random

__all__ = ["number"]

_STEPS: Final = tuple(Fraction(1, 10**digits) for digits in (1, 2, 4, 8, 16, 32))


def number(schema: dict[str, Any], rng: Random, usual: tuple[int, int], *, whole: bool) -> float:
    """A number that the schema allows, one of the usual ones if it allows any; any number if it allows none."""
    low, high = _limits(schema)
    steps = (Fraction(1),) if whole else _STEPS
    if "multipleOf" in schema:
        step = exact(schema["multipleOf"])
        steps = (step * step.denominator if whole else step,)
    for step in steps:
        first = None if low is None else _first(low, step, over=low == _limit(schema, "exclusiveMinimum"))
        last = None if high is None else -_first(-high, step, over=high == _limit(schema, "exclusiveMaximum"))
        if first is not None and last is not None and first > last:
            continue
        return _written(_among(first, last, step, usual, rng) * step, whole=whole)
    return _written(low if low is not None else high or Fraction(0), whole=whole)


def _among(first: int | None, last: int | None, step: Fraction, usual: tuple[int, int], rng: Random) -> int:
    """How many steps: in the usual range where that overlaps with what is allowed."""
    bottom, top = ceil(usual[0] / step), floor(usual[1] / step)
    near = (bottom if first is None else max(first, bottom), top if last is None else min(last, top))
    if near[0] < near[1] or (near[0] == near[1] and first == last):
        return rng.randint(*near)
    if first is None:
        return rng.randint(*((0, 100) if last is None else (last - 100, last)))
    return rng.randint(first, first + 100 if last is None else last)


def _limit(schema: dict[str, Any], word: str) -> Fraction | None:
    return exact(schema[word]) if word in schema else None


def _limits(schema: dict[str, Any]) -> tuple[Fraction | None, Fraction | None]:
    lows = [exact(schema[word]) for word in ("minimum", "exclusiveMinimum") if word in schema]
    highs = [exact(schema[word]) for word in ("maximum", "exclusiveMaximum") if word in schema]
    return max(lows, default=None), min(highs, default=None)


def _first(low: Fraction, step: Fraction, *, over: bool) -> int:
    count = ceil(low / step)
    return count + 1 if over and count * step == low else count


def _written(value: Fraction, *, whole: bool) -> float:
    if whole and value.denominator == 1:
        return int(value)
    try:
        return float(value)
    except OverflowError:
        return int(value)
