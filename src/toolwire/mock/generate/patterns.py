"""Texts that match a regular expression, read with the parser of `re`; the expression itself is never run."""

from __future__ import annotations

import importlib
import re
import string
import warnings
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from random import Random

__all__ = ["matching"]

_LONGEST_PATTERN: Final = 10_000
_LONGEST_TEXT: Final = 100_000
_TRIES: Final = 12

_ANY: Final = string.ascii_lowercase * 3 + string.ascii_uppercase + string.digits + "_- .!"
_CATEGORIES: Final = {
    "CATEGORY_DIGIT": string.digits,
    "CATEGORY_WORD": string.ascii_lowercase * 2 + string.ascii_uppercase + string.digits + "_",
    "CATEGORY_SPACE": " ",
    "CATEGORY_NOT_DIGIT": string.ascii_letters,
    "CATEGORY_NOT_WORD": " -.,",
    "CATEGORY_NOT_SPACE": string.ascii_letters + string.digits,
}
# What JavaScript writes in its own way, in words that `re` reads, with a member in place of a class of characters.
_DIALECT: Final = (
    (re.compile(r"\\[pP]\{(?:N|Nd|Number)\}"), "1"),
    (re.compile(r"\\[pP]\{(?:Lu|Uppercase[^}]*)\}"), "A"),
    (re.compile(r"\\[pP]\{[^}]{1,40}\}"), "a"),
    (re.compile(r"\(\?<(?=[A-Za-z_])"), "(?P<"),
    (re.compile(r"\\u\{([0-9A-Fa-f]{1,4})\}"), r"\\u\1"),
    (re.compile(r"\\z"), r"\\Z"),
)


class _TooLongError(Exception):
    pass


def matching(pattern: str, rng: Random, least: int = 0, most: int | None = None) -> str | None:
    """A text that the pattern is likely to find, between two lengths if that can be; None if it can't be read or met.

    Conditions (look-arounds, word boundaries) are passed over: the caller checks, and tries again.
    """
    parsed = _parsed(pattern)
    if parsed is None:
        return None
    most = _LONGEST_TEXT if most is None else min(most, _LONGEST_TEXT)
    least = min(least, most)
    anchored_start, anchored_end = _anchors(parsed)
    reach, made = 3, ""
    for _ in range(_TRIES):
        try:
            made = _Writer(rng, reach).run(parsed)
        except (_TooLongError, RecursionError):
            if not reach:
                return None
            reach = 0
            continue
        if len(made) > most:
            reach //= 2
        elif len(made) < least:
            if not anchored_end or not anchored_start:
                fill = "".join(rng.choices(string.ascii_lowercase, k=least - len(made)))
                return fill + made if anchored_end else made + fill
            reach = max(2 * reach + 1, least - len(made) + reach)
        else:
            return made
    return made


def _parsed(pattern: str) -> list[Any] | None:
    if len(pattern) > _LONGEST_PATTERN:
        return None
    for found, put in _DIALECT:
        pattern = found.sub(put, pattern)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(importlib.import_module("re._parser").parse(pattern))
    except (re.error, RecursionError, OverflowError, ValueError):
        return None


def _anchors(parsed: list[Any]) -> tuple[bool, bool]:
    """Whether more text can't stand before, and after."""
    fixed = [any(sign in repr(node) for sign in ("AT_", "ASSERT")) for node in parsed]
    return (fixed[0], fixed[-1]) if fixed else (False, False)


class _Writer:
    """One text: `reach` is how often a repeat goes on beyond its least number of times, at most."""

    def __init__(self, rng: Random, reach: int) -> None:
        self._rng = rng
        self._reach = reach
        self._left = _LONGEST_TEXT
        self._groups: dict[int, str] = {}

    def run(self, nodes: Any) -> str:
        return "".join([self._node(str(word), given) for word, given in nodes])

    def _node(self, word: str, given: Any) -> str:
        self._left -= 1
        if self._left < 0:
            raise _TooLongError
        match word:
            case "LITERAL":
                return chr(given)
            case "NOT_LITERAL":
                return self._one_of([each for each in _ANY if each != chr(given)])
            case "ANY":
                return self._rng.choice(_ANY)
            case "IN":
                return self._class(given)
            case "BRANCH":
                return self.run(self._rng.choice(given[1]))
            case "SUBPATTERN":
                made = self.run(given[3])
                if given[0] is not None:
                    self._groups[given[0]] = made
                return made
            case "ATOMIC_GROUP":
                return self.run(given)
            case "GROUPREF":
                return self._groups.get(given, "")
            case "GROUPREF_EXISTS":
                return self.run(given[1] if given[0] in self._groups else given[2] or [])
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, inner = given
                top = min(int(most), int(least) + self._reach)
                return "".join([self.run(inner) for _ in range(self._rng.randint(int(least), max(int(least), top)))])
        return ""

    def _class(self, nodes: Any) -> str:
        ranges: list[str] = []
        negated = False
        for word, given in nodes:
            match str(word):
                case "NEGATE":
                    negated = True
                case "LITERAL":
                    ranges.append(chr(given))
                case "RANGE":
                    low, high = given
                    ranges.append("".join(map(chr, range(low, min(high, low + 255) + 1))))
                case "CATEGORY":
                    ranges.append(_CATEGORIES.get(str(given), ""))
        if negated:
            out = set("".join(ranges))
            return self._one_of([each for each in _ANY if each not in out] or list("~\u00e9\u4e2d"))
        # A range at a time, so that a rare sign isn't crowded out, but letters stay likely.
        chosen = self._rng.choices(ranges, [min(len(each), 10) for each in ranges])[0] if any(ranges) else ""
        return self._one_of(chosen)

    def _one_of(self, signs: Any) -> str:
        return str(self._rng.choice(signs)) if signs else ""
