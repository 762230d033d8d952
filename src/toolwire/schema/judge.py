"""`Judge`: follows the path changes of one document, and says what has become certain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolwire.partial.changes import MISSING
from toolwire.schema.runtime import Branch, Frame, Room
from toolwire.schema.values import Violation, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.partial.changes import Change, Path
    from toolwire.schema.compile import Node

__all__ = ["Judge"]


class Judge:
    """One document against one schema.

    It keeps a frame for each value that is open. A key that comes again leaves what was concluded from the first one
    in doubt: all unions around it are UNKNOWN from then on, and the member is judged anew.
    """

    __slots__ = (
        "_batch",
        "_found",
        "_muddle",
        "_node",
        "_reported",
        "_room",
        "_root",
        "_shut",
        "_stack",
        "_stringified",
        "_value",
        "_waits",
    )

    def __init__(self, node: Node, *, stringified: bool = False, root_waits: bool = True) -> None:
        self._node = node
        self._stringified = stringified
        self._waits = root_waits
        self._room = Room(self._read)
        self._root = Branch(None, self._report)
        self._stack: list[Frame] = []
        self._found: list[Violation] = []
        self._reported: set[tuple[Path, str]] = set()
        self._value: Any = MISSING
        self._batch: list[Change] = []
        self._muddle: bool | None = None  # whether the batch is muddled, once that was asked
        self._shut = False  # the root is an empty object, and closed so far

    @property
    def steps(self) -> int:
        """The work done so far, in calls of keywords."""
        return self._room.steps

    def feed(self, changes: Iterable[Change], value: Any) -> list[Violation]:
        """Follow changes, and return the violations that became certain with them.

        `value` is the live value as it is after them.
        """
        self._batch = list(changes)
        self._muddle = None
        self._value = value
        for op, path, payload in self._batch:
            if op == "appended":
                if len(self._stack) > len(path):
                    self._stack[-1].grow(payload)
            elif op == "closed":
                if len(self._stack) > len(path):
                    self._close(len(path))
            else:
                self._open(path, payload, whole=op == "set")
        return self._taken()

    def end(self) -> list[Violation]:
        """The document is over: what waited for more is judged."""
        if self._shut:
            self._shut = False
            self._stack.pop().close()
        return self._taken()

    def _taken(self) -> list[Violation]:
        found = self._found
        if found:
            self._found = []
        return found

    def _report(self, violation: Violation) -> None:
        key = violation[:2]
        if key not in self._reported:
            self._reported.add(key)
            self._found.append(violation)

    def _open(self, path: Path, payload: Any, *, whole: bool) -> None:
        self._shut = False
        kind = kind_of(payload)
        hold = self._stringified and kind == "string"
        frame = Frame(self._room, path, kind, payload if whole else MISSING, hold=hold)
        if not path:
            self._restart()
            if kind != "string" or not self._waits:
                frame.attach(self._node, self._root)
        elif not self._enter(frame, path):
            return
        frame.start()
        self._stack.append(frame)
        if whole:
            if kind == "string":
                frame.grow(payload)
            self._close(len(path))

    def _enter(self, frame: Frame, path: Path) -> bool:
        """Make a frame a member of the innermost open container."""
        stack = self._stack
        depth = len(path)
        del stack[depth:]
        if len(stack) < depth:
            return False
        parent = stack[-1]
        key = path[-1]
        if not isinstance(key, str):
            parent.size += 1
        elif key in parent.keys:
            self._doubt()
        else:
            parent.size += 1
            parent.keys.add(key)
        for part in parent.hearers("member"):
            part.member(frame, key)
        return True

    def _close(self, depth: int) -> None:
        stack = self._stack
        del stack[depth + 1 :]
        frame = stack[-1]
        if depth == 0 and frame.kind == "object" and not frame.size and self._waits:
            self._shut = True
            return
        frame.close()
        stack.pop()
        if stack:
            parent = stack[-1]
            parent.mended = parent.mended or frame.mended
            for part in parent.hearers("element"):
                part.element(frame)

    def _restart(self) -> None:
        """The root begins, or begins anew."""
        self._doubt()
        self._stack.clear()

    def _doubt(self) -> None:
        for frame in self._stack:
            for union in list(frame.unions):
                union.settle(unsure=True)

    def _read(self, path: Path) -> Any:
        """The live value at a path, MISSING where it can't be told."""
        value = self._value
        try:
            for step in path:
                value = value[step]
        except (KeyError, IndexError, TypeError):
            return MISSING
        if self._muddle is None:
            self._muddle = self._muddled()
        return MISSING if self._muddle else value

    def _muddled(self) -> bool:
        """Whether these changes replace something, so that the live value isn't what it was at each of them."""
        seen: set[Path] = set()
        for op, path, _ in self._batch:
            if op == "appended":
                continue
            if op != "closed" and path in seen:
                return True
            seen.add(path)
        return False
