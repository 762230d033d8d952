"""The parts with branches of their own: what keywords do that decide by what becomes of other schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from toolwire.schema.runtime import Branch, Frame, Union
from toolwire.schema.values import Violation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolwire.partial.changes import Path
    from toolwire.schema.compile import Node
    from toolwire.schema.runtime import Event

__all__ = ["AnyOf", "Condition", "Contains", "Dependent", "Negation", "OneOf"]


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
