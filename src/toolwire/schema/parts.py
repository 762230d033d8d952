"""The parts without branches of their own: what most keywords do while a value is open."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, ClassVar, Final

from toolwire.partial.changes import MISSING
from toolwire.schema.oracle import Oracle
from toolwire.schema.runtime import Frame, Part
from toolwire.schema.values import Violation, canonical, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any

    from toolwire.schema.compile import Node
    from toolwire.schema.prefix import Language, Rest
    from toolwire.schema.runtime import Branch, Event

__all__ = [
    "AtClose",
    "Elements",
    "Least",
    "Members",
    "Most",
    "Names",
    "Pattern",
    "Unique",
    "Words",
    "ask",
]


def ask(frame: Frame, branch: Branch, oracle: Oracle, keyword: str, message: str) -> None:
    """Judge a value that is whole."""
    value = frame.value
    verdict = None if value is MISSING else oracle(value)
    if verdict is None:
        branch.unsure = True
    elif not verdict:
        branch.fail(Violation(frame.path, keyword, message))


class AtClose(Part):
    """A check of the whole value. It says what is wrong, "" if nothing is, None if it can't tell."""

    __slots__ = ("_check", "_keyword")
    HEARS: ClassVar[tuple[Event, ...]] = ("close",)

    def __init__(self, frame: Frame, branch: Branch, keyword: str, check: Callable[[Frame], str | None]) -> None:
        super().__init__(frame, branch)
        self._keyword = keyword
        self._check = check

    def close(self) -> None:
        wrong = self._check(self.frame)
        if wrong:
            self.fail(self._keyword, wrong)
        else:
            self.settle(unsure=wrong is None)


class Least(Part):
    """minLength, minItems, minProperties."""

    __slots__ = ("_keyword", "_limit", "_message")
    HEARS: ClassVar[tuple[Event, ...]] = ("close",)

    def __init__(self, frame: Frame, branch: Branch, keyword: str, limit: int, message: str) -> None:
        super().__init__(frame, branch)
        self._keyword = keyword
        self._limit = limit
        self._message = message

    def close(self) -> None:
        if self.frame.size < self._limit:
            self.fail(self._keyword, self._message)
        else:
            self.settle()


class Most(Least):
    """maxLength, maxItems, maxProperties: one too many decides."""

    __slots__ = ()
    HEARS: ClassVar[tuple[Event, ...]] = ("member", "text", "close")

    def text(self, text: str) -> None:
        if self.frame.size > self._limit:
            self.fail(self._keyword, self._message)

    def member(self, child: Frame, key: str | int) -> None:
        self.text("")

    def close(self) -> None:
        self.settle()


class Words(Part):
    """enum and const of strings: the words that begin as the string does are a range of the sorted words."""

    __slots__ = ("_high", "_keyword", "_low", "_message", "_words")
    HEARS: ClassVar[tuple[Event, ...]] = ("text", "close")

    def __init__(self, frame: Frame, branch: Branch, keyword: str, words: Sequence[str], message: str) -> None:
        super().__init__(frame, branch)
        self._keyword = keyword
        self._words = words
        self._low = 0
        self._high = len(words)
        self._message = message

    def text(self, text: str) -> None:
        end = self.frame.size
        start = end - len(text)
        if self._high - self._low == 1:
            if not self._words[self._low].startswith(text, start):
                self._high = self._low
        else:
            # All words in the range agree up to `start`, so that the rest alone sorts them.
            rest = slice(start, end)
            self._low = bisect_left(self._words, text, self._low, self._high, key=lambda word: word[rest])
            self._high = bisect_right(self._words, text, self._low, self._high, key=lambda word: word[rest])
        if self._low == self._high:
            self.fail(self._keyword, self._message)

    def close(self) -> None:
        # The shortest sorts first.
        if len(self._words[self._low]) == self.frame.size:
            self.settle()
        else:
            self.fail(self._keyword, self._message)


class Pattern(Part):
    """pattern: the text is asked about at its end, and refused before if no text can go on from here."""

    __slots__ = ("_language", "_message", "_oracle", "_rest")
    HEARS: ClassVar[tuple[Event, ...]] = ("text", "close")

    def __init__(self, frame: Frame, branch: Branch, oracle: Oracle, language: Language | None, message: str) -> None:
        super().__init__(frame, branch)
        self._oracle = oracle
        self._language = language
        self._rest: Rest | None = None if language is None else language.start
        self._message = message

    def text(self, text: str) -> None:
        if self._language is None or self._rest is None:
            return
        self._rest = self._language.after(self._rest, text)
        if self._rest is self._language.nothing:
            self.fail("pattern", self._message)

    def close(self) -> None:
        text = self.frame.value
        verdict = None if text is MISSING else self._oracle(text)
        if verdict is False:
            self.fail("pattern", self._message)
        else:
            self.settle(unsure=verdict is None)


class Members(Part):
    """properties, patternProperties and additionalProperties."""

    __slots__ = ("_nodes",)
    HEARS: ClassVar[tuple[Event, ...]] = ("member", "close")

    def __init__(self, frame: Frame, branch: Branch, nodes: Callable[[str], tuple[Node, ...] | None]) -> None:
        super().__init__(frame, branch)
        self._nodes = nodes

    def member(self, child: Frame, key: str | int) -> None:
        if not isinstance(key, str):
            return
        nodes = self._nodes(key)
        if nodes is None:
            # It isn't settled by that: more of it may be wrong.
            message = f"unexpected property: {quoted(key)}"
            self.branch.fail(Violation(self.frame.path, "additionalProperties", message))
            return
        for node in nodes:
            child.attach(node, self.branch)

    def close(self) -> None:
        self.settle()


class Names(Part):
    """propertyNames: each key is a string that is whole."""

    __slots__ = ("_node",)
    HEARS: ClassVar[tuple[Event, ...]] = ("member", "close")

    def __init__(self, frame: Frame, branch: Branch, node: Node) -> None:
        super().__init__(frame, branch)
        self._node = node

    def member(self, child: Frame, key: str | int) -> None:
        if not isinstance(key, str):
            return
        name = Frame(self.frame.room, self.frame.path, "string", key)
        name.attach(self._node, self.branch)
        name.grow(key)
        name.close()

    def close(self) -> None:
        self.settle()


class Elements(Part):
    """prefixItems, items and additionalItems: nodes for the first elements, and one for the rest.

    Without a node for the rest, a further element is refused with the message.
    """

    __slots__ = ("_first", "_message", "_rest")
    HEARS: ClassVar[tuple[Event, ...]] = ("member", "close")

    def __init__(self, frame: Frame, branch: Branch, first: Sequence[Node], rest: Node | None, message: str) -> None:
        super().__init__(frame, branch)
        self._first = first
        self._rest = rest
        self._message = message

    def member(self, child: Frame, key: str | int) -> None:
        if isinstance(key, str):
            return
        node = self._first[key] if key < len(self._first) else self._rest
        if node is None:
            self.branch.fail(Violation(self.frame.path, "additionalItems", self._message))
        else:
            child.attach(node, self.branch)

    def close(self) -> None:
        self.settle()


class Unique(Part):
    """uniqueItems: no element may say what one before it says."""

    __slots__ = ("_seen", "_unsure")
    HEARS: ClassVar[tuple[Event, ...]] = ("element", "close")
    _AGREED: Final = Oracle(2020, {"uniqueItems": True})

    def __init__(self, frame: Frame, branch: Branch) -> None:
        super().__init__(frame, branch)
        self._seen: dict[Hashable, Any] = {}
        self._unsure = False

    def element(self, child: Frame) -> None:
        value = child.value
        if value is MISSING or child.mended:
            self._unsure = True
            return
        try:
            key = canonical(value)
        except RecursionError:
            self._unsure = True
            return
        # The validator has the last word on what is equal: numbers may differ in what a float can't hold.
        if key in self._seen and self._AGREED([self._seen[key], value]) is False:
            self.fail("uniqueItems", "the same element twice")
        self._seen[key] = value

    def close(self) -> None:
        self.settle(unsure=self._unsure)
