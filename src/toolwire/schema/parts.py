"""The parts: what keywords do while a value is open."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, ClassVar, Final

from toolwire.partial.changes import MISSING
from toolwire.schema.oracle import Oracle
from toolwire.schema.runtime import Branch, Frame, Part, Union
from toolwire.schema.values import Violation, canonical, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any

    from toolwire.partial.changes import Path
    from toolwire.schema.compile import Node
    from toolwire.schema.prefix import Language, Rest
    from toolwire.schema.runtime import Event

__all__ = [
    "AnyOf",
    "AtClose",
    "Condition",
    "Contains",
    "Dependent",
    "Elements",
    "Least",
    "Members",
    "Most",
    "Names",
    "Negation",
    "OneOf",
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


class AnyOf(Union):
    """anyOf: FALSE with its last branch, TRUE with the first that is."""

    __slots__ = ("_left", "_size", "_unsure")
    KEYWORD: ClassVar[str] = "anyOf"

    def __init__(self, frame: Frame, branch: Branch, nodes: Sequence[Node]) -> None:
        super().__init__(frame, branch)
        self._left = self._size = len(nodes)
        self._unsure = False
        self.open(frame, nodes)

    def lost(self, branch: Branch, violation: Violation) -> None:
        self.gone(branch)
        if self._left:
            return
        if self._unsure:
            self.settle(unsure=True)
        else:
            self.none(violation)

    def unclear(self, branch: Branch) -> None:
        self.gone(branch)
        self._unsure = True
        if not self._left:
            self.settle(unsure=True)

    def won(self, branch: Branch) -> None:
        self.settle()

    def gone(self, branch: Branch) -> None:
        """A branch is decided."""
        self._left -= 1
        self.branches.pop(branch, None)

    def none(self, violation: Violation) -> None:
        """All branches are FALSE."""
        place = _within(violation.path, self.frame)
        last = f"{violation.keyword}{place}: {violation.message}"
        what = f"none of {self._size} branches is left" if self._size > 1 else "its one branch is out"
        self.fail(self.KEYWORD, f"{what}, the last for {last}")


class OneOf(AnyOf):
    """oneOf: as anyOf, but two that are TRUE are one too many."""

    __slots__ = ("_fits",)
    KEYWORD: ClassVar[str] = "oneOf"

    def __init__(self, frame: Frame, branch: Branch, nodes: Sequence[Node]) -> None:
        self._fits = False
        super().__init__(frame, branch, nodes)

    def won(self, branch: Branch) -> None:
        self.gone(branch)
        if self._fits:
            self.fail(self.KEYWORD, "more than one branch fits")
        self._fits = True
        self._last()

    def lost(self, branch: Branch, violation: Violation) -> None:
        if not self._fits:
            super().lost(branch, violation)
        else:
            self.gone(branch)
            self._last()

    def unclear(self, branch: Branch) -> None:
        self.gone(branch)
        self._unsure = True
        self._last()

    def _last(self) -> None:
        if not self._left:
            self.settle(unsure=self._unsure)


class Negation(Union):
    """not."""

    __slots__ = ()

    def __init__(self, frame: Frame, branch: Branch, node: Node) -> None:
        super().__init__(frame, branch)
        self.open(frame, [node])

    def lost(self, branch: Branch, violation: Violation) -> None:
        self.settle()

    def won(self, branch: Branch) -> None:
        self.fail("not", "fits what it must not")

    def unclear(self, branch: Branch) -> None:
        self.settle(unsure=True)


class Choice(Union):
    """A part whose branches run from the start, although it shows only later which of them counts.

    A branch that counts passes its failures through.
    """

    __slots__ = ("_fates",)

    def __init__(self, frame: Frame, branch: Branch) -> None:
        super().__init__(frame, branch)
        self._fates: dict[Branch, Violation | bool] = {}  # why it is FALSE, or whether it is sure to be TRUE

    def pick(self, branch: Branch | None) -> None:
        """This branch counts; none is no demand at all."""
        fate = True if branch is None else self._fates.get(branch)
        if isinstance(fate, Violation):
            self.refuse(fate)
        elif fate is not None:
            self.settle(unsure=not fate)
        elif branch is not None:
            branch.through = True
            for other in self.branches:
                if other is not branch:
                    other.kill()

    def lost(self, branch: Branch, violation: Violation) -> None:
        self._decided(branch, violation)

    def won(self, branch: Branch) -> None:
        self._decided(branch, True)

    def unclear(self, branch: Branch) -> None:
        self._decided(branch, False)

    def _decided(self, branch: Branch, fate: Violation | bool) -> None:
        self._fates[branch] = fate
        if branch.through:
            self.pick(branch)
        else:
            self.turn(branch)

    def turn(self, branch: Branch) -> None:
        """A branch is decided, before it is known whether it counts."""


class Condition(Choice):
    """if, then and else: all three are followed at once."""

    __slots__ = ("_else", "_test", "_then")

    def __init__(self, frame: Frame, branch: Branch, test: Node, then: Node | None, other: Node | None) -> None:
        super().__init__(frame, branch)
        self._test = Branch(self)
        self._then = Branch(self) if then is not None else None
        self._else = Branch(self) if other is not None else None
        begun = [(self._test, test), (self._then, then), (self._else, other)]
        if frame.crowded(len(begun)):
            self.settle(unsure=True)
            return
        self.branches.update((each, None) for each, _ in begun if each is not None)
        for each, node in begun:
            if each is not None and node is not None:
                frame.attach(node, each)
                each.settle()

    def turn(self, branch: Branch) -> None:
        fate = self._fates.get(self._test)
        if branch is self._test and fate is not False:
            self.pick(self._then if fate is True else self._else)
            return
        either = [True if each is None else self._fates.get(each) for each in (self._then, self._else)]
        if isinstance(either[0], Violation) and isinstance(either[1], Violation):
            self.fail("if", f"neither then nor else is left, the last for {either[1].keyword}: {either[1].message}")
        elif fate is False and not all(each is None or isinstance(each, Violation) for each in either):
            self.settle(unsure=True)


class Dependent(Choice):
    """A schema of dependentSchemas: it counts once the key is there."""

    __slots__ = ("_key",)
    HEARS: ClassVar[tuple[Event, ...]] = ("member", "close")

    def __init__(self, frame: Frame, branch: Branch, key: str, node: Node) -> None:
        super().__init__(frame, branch)
        self._key = key
        self.open(frame, [node])

    def member(self, child: Frame, key: str | int) -> None:
        if key == self._key:
            self.pick(next(iter(self.branches), None))

    def close(self) -> None:
        if self._key not in self.frame.keys:
            self.settle()


class Contains(Union):
    """contains, minContains and maxContains: a branch for each element."""

    __slots__ = ("_fits", "_least", "_most", "_named", "_node", "_unsure")
    HEARS: ClassVar[tuple[Event, ...]] = ("member", "close")

    def __init__(self, frame: Frame, branch: Branch, node: Node, least: int, most: int | None, named: str) -> None:
        super().__init__(frame, branch)
        self._node = node
        self._least = least
        self._most = most
        self._named = named
        self._fits = 0
        self._unsure = 0

    def member(self, child: Frame, key: str | int) -> None:
        if not self.over:
            self.open(child, [self._node])

    def won(self, branch: Branch) -> None:
        self.branches.pop(branch, None)
        self._fits += 1
        if self._most is not None:
            if self._fits > self._most:
                self.fail("maxContains", f"more elements match than {self._most}")
        elif self._fits >= self._least:
            self.settle()

    def lost(self, branch: Branch, violation: Violation) -> None:
        self.branches.pop(branch, None)

    def unclear(self, branch: Branch) -> None:
        self.branches.pop(branch, None)
        self._unsure += 1

    def close(self) -> None:
        most = self._fits + self._unsure
        if most < self._least:
            self.fail(self._named, f"fewer elements match than {self._least}")
        else:
            self.settle(unsure=self._fits < self._least or (self._most is not None and most > self._most))


def _within(path: Path, frame: Frame) -> str:
    """Where a violation lies, seen from a frame."""
    steps = path[len(frame.path) :]
    return " at " + ".".join(map(str, steps)) if steps else ""
