"""Patterns of which it can be said, before a text is whole, that nothing can come of it.

A pattern is read as an expression. What may follow a character is the expression's derivative by it; where none is
left, no text that begins like this matches. The expression may stand for more texts than the pattern, never for fewer:
that costs an early word, not a wrong one. So a class that engines differ in is read as wide as any of them takes it,
and what is more than that, or isn't anchored at its start, isn't read at all.
"""

from __future__ import annotations

import string
from typing import Final, Literal

__all__ = ["Language", "Rest", "read"]

_SPACE: Final = frozenset(" \t\n\r\f\v")
_DIGITS: Final = frozenset(string.digits)
_WORD: Final = frozenset(string.ascii_letters + string.digits + "_")
_ASCII: Final = frozenset(map(chr, range(128)))
_CLASSES: Final = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v"}

_STEPS: Final = 10_000  # derivatives that a language knows at most
_CHOICES: Final = 100  # alternatives in one expression
_RANGE: Final = 2000  # characters of one class
_NESTED: Final = 50


class Rest:
    """An expression: what may still come. Equal ones are one object, within a language."""

    __slots__ = ("high", "left", "low", "op", "right", "skippable")

    skippable: bool

    def __init__(
        self,
        op: Literal["nothing", "end", "one", "none_of", "then", "or", "times"],
        left: Rest | frozenset[str] | None = None,
        right: Rest | None = None,
        low: int = 0,
        high: int | None = None,
    ) -> None:
        self.op = op
        self.left = left
        self.right = right
        self.low = low
        self.high = high
        first: bool = isinstance(left, Rest) and left.skippable
        second: bool = right is not None and right.skippable
        if op == "then":
            self.skippable = first and second
        elif op == "or":
            self.skippable = first or second
        else:
            self.skippable = op == "end" or (op == "times" and (low == 0 or first))


class _Unreadable(Exception):  # noqa: N818  never leaves this module
    """The pattern is beyond what is read here."""


class Language:
    """The texts that a pattern matches, and perhaps more."""

    __slots__ = ("_known", "_steps", "end", "nothing", "start")

    def __init__(self) -> None:
        self._known: dict[object, Rest] = {}
        self._steps: dict[tuple[Rest, str], Rest] = {}
        self.nothing = Rest("nothing")
        self.end = Rest("end")
        self.start = self.end

    def after(self, rest: Rest, text: str) -> Rest | None:
        """What may follow a text; None if that is too much to follow."""
        try:
            for char in text:
                rest = self._after(rest, char)
                if rest is self.nothing:
                    break
        except (_Unreadable, RecursionError):
            return None
        return rest

    def _after(self, rest: Rest, char: str) -> Rest:
        found = self._steps.get((rest, char))
        if found is None:
            if len(self._steps) >= _STEPS:
                raise _Unreadable
            found = self._steps[rest, char] = self._derived(rest, char)
        return found

    def _derived(self, rest: Rest, char: str) -> Rest:
        left, right = rest.left, rest.right
        if isinstance(left, frozenset):
            return self.end if (char in left) is (rest.op == "one") else self.nothing
        if left is None:
            return self.nothing
        first = self._after(left, char)
        if rest.op == "times":
            high = None if rest.high is None else rest.high - 1
            return self.then(first, self.times(left, max(rest.low - 1, 0), high))
        if right is None:
            return first
        if rest.op == "or":
            return self.either(first, self._after(right, char))
        first = self.then(first, right)
        return self.either(first, self._after(right, char)) if left.skippable else first

    def chars(self, op: Literal["one", "none_of"], chars: frozenset[str]) -> Rest:
        """A character of a set, or of all others."""
        return self._known.setdefault((op, chars), Rest(op, chars))

    def then(self, left: Rest, right: Rest) -> Rest:
        """One after the other."""
        if left is self.nothing or right is self.nothing:
            return self.nothing
        if left is self.end or right is self.end:
            return right if left is self.end else left
        return self._known.setdefault(("then", left, right), Rest("then", left, right))

    def either(self, left: Rest, right: Rest) -> Rest:
        """One of two: a chain that holds each alternative once."""
        if right is self.nothing:
            return left
        choices = {id(each): each for each in (*_choices(left), *_choices(right)) if each is not self.nothing}
        if len(choices) > _CHOICES:
            raise _Unreadable
        chain = self.nothing
        for _, each in sorted(choices.items(), reverse=True):
            old = chain
            chain = each if old is self.nothing else self._known.setdefault(("or", each, old), Rest("or", each, old))
        return chain

    def times(self, rest: Rest, low: int, high: int | None) -> Rest:
        """Again and again."""
        if high == 0 or rest is self.end:
            return self.end
        return self._known.setdefault(("times", rest, low, high), Rest("times", rest, None, low, high))


def _choices(rest: Rest) -> list[Rest]:
    found = []
    while rest.op == "or" and isinstance(rest.left, Rest) and rest.right is not None:
        found.append(rest.left)
        rest = rest.right
    return [*found, rest]


def read(pattern: object) -> Language | None:
    """The language of a pattern, None if it can't be told early what doesn't belong to it."""
    if not isinstance(pattern, str) or not pattern.startswith("^"):
        return None
    try:
        return _Reader(pattern).whole()
    except _Unreadable:
        return None


class _Reader:
    """Reads a pattern by recursive descent."""

    __slots__ = ("_at", "_deep", "_language", "_pattern")

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._language = Language()
        self._at = 1
        self._deep = 0

    def whole(self) -> Language:
        language = self._language
        rest = self._sequence()
        if self._next() == "$":
            self._at += 1
        else:
            rest = language.then(rest, language.times(language.chars("none_of", frozenset()), 0, None))
        if self._at < len(self._pattern):
            raise _Unreadable  # alternatives, which aren't all anchored
        language.start = rest
        return language

    def _next(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _take(self) -> str:
        char = self._next()
        if not char:
            raise _Unreadable
        self._at += 1
        return char

    def _sequence(self) -> Rest:
        rest = self._language.end
        items = []
        while self._next() not in ("", "$", ")", "|"):
            items.append(self._repeated())
        for item in reversed(items):
            rest = self._language.then(item, rest)
        return rest

    def _repeated(self) -> Rest:
        item = self._item()
        sign = self._next()
        if sign not in ("*", "+", "?", "{") or not sign:
            return item
        self._at += 1
        low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(sign) or self._counts()
        if self._next() == "?":  # as few as possible: the same texts
            self._at += 1
        if self._next() in ("*", "+", "?", "{") and self._next():
            raise _Unreadable
        return self._language.times(item, low, high)

    def _counts(self) -> tuple[int, int | None]:
        end = self._pattern.find("}", self._at)
        low, comma, high = self._pattern[self._at : end].partition(",")
        if end < 0 or not (low.isascii() and low.isdigit()) or not (high == "" or (high.isascii() and high.isdigit())):
            raise _Unreadable
        self._at = end + 1
        return int(low), int(high) if high else None if comma else int(low)

    def _item(self) -> Rest:
        language = self._language
        char = self._take()
        if char == "(":
            return self._group()
        if char == "[":
            return self._class()
        if char == ".":
            return language.chars("none_of", frozenset())
        if char == "\\":
            sure, wide = self._escaped()
            return language.chars("one", sure) if wide is None else language.chars("none_of", wide)
        if char in "^*+?{}]":
            raise _Unreadable
        return language.chars("one", frozenset(char))

    def _group(self) -> Rest:
        self._deep += 1
        if self._deep > _NESTED:
            raise _Unreadable
        if self._next() == "?":
            self._at += 1
            if self._take() != ":":
                raise _Unreadable
        rest = self._sequence()
        while self._next() == "|":
            self._at += 1
            rest = self._language.either(rest, self._sequence())
        if self._take() != ")":
            raise _Unreadable
        self._deep -= 1
        return rest

    def _escaped(self) -> tuple[frozenset[str], frozenset[str] | None]:
        """The characters that an escape stands for to every engine; and, if some see more in it, all it never means."""
        char = self._take()
        if char in _CONTROLS:
            return frozenset(_CONTROLS[char]), None
        if char in _CLASSES:
            return _CLASSES[char], _ASCII - _CLASSES[char]
        if char.lower() in _CLASSES:
            return _ASCII - _CLASSES[char.lower()], _CLASSES[char.lower()]
        if char.isalnum() or not char.isascii():
            raise _Unreadable
        return frozenset(char), None

    def _class(self) -> Rest:
        negated = self._next() == "^"
        if negated:
            self._at += 1
        sure: set[str] = set()
        never: frozenset[str] | None = None
        while (char := self._take()) != "]":
            if char in "[&~":  # operators, to some
                raise _Unreadable
            chars, wide = self._escaped() if char == "\\" else (frozenset(char), None)
            if self._next() == "-" and self._pattern[self._at + 1 : self._at + 2] != "]":
                self._at += 1
                last = self._take()
                tops, more = self._escaped() if last == "\\" else (frozenset(last), None)
                if wide is not None or more is not None or last in "[-":
                    raise _Unreadable
                low, high = ord(min(chars)), ord(max(tops))
                if high < low or high - low > _RANGE:
                    raise _Unreadable
                chars = frozenset(map(chr, range(low, high + 1)))
            sure |= chars
            if wide is not None:
                never = wide if never is None else never & wide
        if not sure:
            raise _Unreadable
        if negated:
            return self._language.chars("none_of", frozenset(sure))
        if never is not None:
            return self._language.chars("none_of", never - sure)
        return self._language.chars("one", frozenset(sure))
