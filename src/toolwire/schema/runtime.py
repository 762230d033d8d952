"""Frames, branches and parts: what a judge keeps of a document that is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias

from toolwire.partial.changes import MISSING
from toolwire.schema.values import Violation, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolwire.partial.changes import Path
    from toolwire.schema.compile import Node
    from toolwire.schema.values import Kind

__all__ = ["Branch", "Frame", "Part", "Room", "Rule", "Union"]

_DEEP: Final = 64  # more nodes than that within each other at one place, and they are taken as unknown
_WIDE: Final = 10_000  # as above, branches at one place

_SPACE: Final = " \t\n\r"

Event = Literal["member", "text", "element", "close"]


class Room:
    """What all frames of a judge share: the step count, and how to look at the live value."""

    __slots__ = ("read", "steps")

    def __init__(self, read: Callable[[Path], Any]) -> None:
        self.steps = 0
        self.read = read


class Frame:
    """A value that is being written, and the parts that await what becomes of it.

    `size` counts characters, elements or distinct keys. `mended` says that something within may yet be read in
    another way, so that what depends on the value as a whole can't be known.
    """

    __slots__ = (
        "_active",
        "_blank",
        "_branches",
        "_marks",
        "_queue",
        "_value",
        "keys",
        "kind",
        "mended",
        "parts",
        "path",
        "pieces",
        "room",
        "size",
        "unions",
    )

    def __init__(self, room: Room, path: Path, kind: Kind | None, value: Any = MISSING, *, hold: bool = False) -> None:
        self.room = room
        self.path = path
        self.kind = kind
        self.size = 0
        self.keys: set[str] = set()  # of an object
        self.pieces: list[str] | None = None
        self.mended = False
        self.parts: dict[Event, list[Part]] = {}
        self.unions: dict[Union, None] = {}
        self._value = value
        self._marks: set[tuple[Node, Branch]] = set()
        self._active: list[Node] = []
        self._blank: list[str] = []
        self._branches = 0
        self._queue: list[tuple[Node, Branch]] | None = [] if hold else None

    def attach(self, node: Node, branch: Branch) -> None:
        """Judge the value by a node from now on, as a part of a branch."""
        if branch.dead or node.takes_all:
            return
        if self._queue is not None:
            branch.pending += 1
            self._queue.append((node, branch))
            return
        if self.kind is None or node in self._active or len(self._active) > _DEEP:
            branch.unsure = True
            return
        if node.shared:
            # Many ways may lead to one target, and once is enough.
            if (node, branch) in self._marks:
                return
            self._marks.add((node, branch))
        self._active.append(node)
        self._apply(node.rules(self.kind), branch)
        self._active.pop()

    def _apply(self, rules: Iterable[Rule], branch: Branch) -> None:
        for rule in rules:
            if branch.dead:
                break
            self.room.steps += 1
            rule(self, branch)

    def keep(self) -> None:
        """Keep the text of a string that comes in pieces: it will be asked about."""
        if self.pieces is None and self._value is MISSING:
            self.pieces = []

    def crowded(self, more: int) -> bool:
        """Count further branches; true if they are too many to follow."""
        self._branches += more
        return self._branches > _WIDE

    def start(self) -> None:
        """All nodes are attached. A string that could turn out to be a container waits for its first character."""
        queue = self._queue
        if queue is not None and not any(node.takes_container for node, branch in queue if not branch.dead):
            self._release()

    def _release(self) -> None:
        queue = self._queue or ()
        self._queue = None
        for node, branch in queue:
            self.attach(node, branch)
            branch.settle()

    def grow(self, text: str) -> None:
        """A string goes on."""
        if self._queue is not None:
            self._blank.append(text)
            first = text.lstrip(_SPACE)[:1]
            if not first:
                return
            if first in ("{", "["):
                self._silence()
                return
            self._release()
            text = "".join(self._blank)
        self.size += len(text)
        if self.pieces is not None:
            self.pieces.append(text)
        for part in self.hearers("text"):
            part.text(text)

    def _silence(self) -> None:
        """The string may be a container's text: nobody knows what it will say."""
        self.mended = True
        for _, branch in self._queue or ():
            branch.unsure = True
            branch.settle()
        self._queue = None

    def close(self) -> None:
        """The value is whole."""
        if self._queue is not None:
            self._release()
            self.grow("".join(self._blank))
        for part in self.hearers("close"):
            part.close()

    def hearers(self, event: Event) -> list[Part]:
        """The parts that await an event and are still undecided; the others are dropped."""
        parts = self.parts.get(event)
        if parts is None:
            return []
        self.room.steps += len(parts)
        for part in parts:
            if part.done or part.branch.dead:
                parts = self.parts[event] = [part for part in parts if not part.over]
                break
        return parts

    @property
    def value(self) -> Any:
        """The whole value, MISSING where it can't be told: to be read when it is closed."""
        if self.kind == "string" and self.pieces is not None:
            return "".join(self.pieces)
        if self._value is not MISSING:
            return self._value
        value = MISSING if self.mended else self.room.read(self.path)
        return value if kind_of(value) == self.kind else MISSING


class Branch:
    """What must hold together. TRUE when nothing is pending, FALSE with the first failure.

    `owner` is the part that it is a branch of; the root has none. It outlives its failures, and so does a branch that
    is `through`: its failures are those of the branch around it.
    """

    __slots__ = ("_report", "dead", "owner", "pending", "through", "unions", "unsure")

    def __init__(self, owner: Union | None, report: Callable[[Violation], None] | None = None) -> None:
        self.owner = owner
        self._report = report
        self.pending = 1  # until whoever made it has attached what belongs to it, and settles
        self.unsure = False
        self.dead = False
        self.through = False
        self.unions: dict[Union, None] = {}

    def fail(self, violation: Violation) -> None:
        """A part can't hold any more."""
        owner = self.owner
        if self.dead:
            return
        if owner is None:
            if self._report is not None:
                self._report(violation)
        elif self.through:
            owner.branch.fail(violation)
        else:
            self.kill()
            owner.lost(self, violation)

    def settle(self) -> None:
        """A part is decided and didn't fail, or it did and the branch lives on."""
        self.pending -= 1
        if self.pending or self.dead or self.owner is None:
            return
        self.kill()
        if self.unsure:
            self.owner.unclear(self)
        else:
            self.owner.won(self)

    def kill(self) -> None:
        """Nothing that belongs to it matters any more."""
        work = [self]
        while work:
            branch = work.pop()
            branch.dead = True
            for union in branch.unions:
                union.done = True
                work += union.branches
            branch.unions = {}


class Part:
    """A keyword of a node, applied to an open value."""

    __slots__ = ("branch", "done", "frame")

    HEARS: ClassVar[tuple[Event, ...]] = ()

    def __init__(self, frame: Frame, branch: Branch) -> None:
        self.frame = frame
        self.branch = branch
        self.done = False
        branch.pending += 1
        for event in self.HEARS:
            frame.parts.setdefault(event, []).append(self)

    @property
    def over(self) -> bool:
        """Decided, or of no account any more."""
        return self.done or self.branch.dead

    def fail(self, keyword: str, message: str) -> None:
        """FALSE."""
        self.refuse(Violation(self.frame.path, keyword, message))

    def refuse(self, violation: Violation) -> None:
        """FALSE, and it has been said why."""
        if not self.over:
            self.done = True
            self.branch.fail(violation)
            self.branch.settle()

    def settle(self, *, unsure: bool = False) -> None:
        """TRUE; or UNKNOWN."""
        if not self.over:
            self.done = True
            if unsure:
                self.branch.unsure = True
            self.branch.settle()

    def member(self, child: Frame, key: str | int) -> None:
        """A member or an element begins."""

    def text(self, text: str) -> None:
        """The string goes on."""

    def element(self, child: Frame) -> None:
        """An element is whole."""

    def close(self) -> None:
        """The value is whole."""


class Union(Part):
    """A part that is decided by what becomes of branches of its own."""

    __slots__ = ("branches",)

    def __init__(self, frame: Frame, branch: Branch) -> None:
        super().__init__(frame, branch)
        self.branches: dict[Branch, None] = {}
        frame.unions[self] = None
        branch.unions[self] = None

    def open(self, frame: Frame, nodes: Iterable[Node]) -> None:
        """Begin a branch for each node."""
        begun = [(Branch(self), node) for node in nodes]
        if frame.crowded(len(begun)):
            self.settle(unsure=True)
            return
        self.branches.update((branch, None) for branch, _ in begun)
        for branch, node in begun:
            frame.attach(node, branch)
            branch.settle()

    def lost(self, branch: Branch, violation: Violation) -> None:
        """A branch is FALSE."""

    def won(self, branch: Branch) -> None:
        """A branch is TRUE."""

    def unclear(self, branch: Branch) -> None:
        """A branch ended UNKNOWN."""

    def refuse(self, violation: Violation) -> None:
        self._leave()
        super().refuse(violation)

    def settle(self, *, unsure: bool = False) -> None:
        self._leave()
        super().settle(unsure=unsure)

    def _leave(self) -> None:
        self.frame.unions.pop(self, None)
        self.branch.unions.pop(self, None)
        for branch in self.branches:
            branch.kill()
        self.branches = {}


Rule: TypeAlias = "Callable[[Frame, Branch], object]"
"""What a keyword does when a value of its kind begins: it decides at once, or leaves a part, which enters itself."""
