"""Arguments that were encoded twice: a JSON string that holds an object's JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from toolwire.partial.changes import MISSING
from toolwire.partial.repairs import Duplicate, Repair, RepairName
from toolwire.partial.tables import DONE, FIRST_KEY, HOPELESS, VALUE

if TYPE_CHECKING:
    from toolwire.partial.scanner import Scanner

__all__ = ["Nested"]

_CODE_UNIT: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r'|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]|.',
    re.DOTALL,
)


class Nested:
    """A text that begins with a quote, read as a string and its content as an object.

    Stands in for the outer `Scanner`. Nothing is shown before the content has got beyond its opening brace,
    because many a plain string begins with one. A string whose content isn't an object after all is shown when
    it closes; it then replaces what was shown of the object, if anything was.
    """

    __slots__ = ("_count", "_failed", "_shown", "_start", "holder", "inner", "log", "outer")

    def __init__(self, outer: Scanner, inner: Scanner, start: int) -> None:
        self.outer = outer
        self.inner = inner
        self.holder: list[Any] = [MISSING]
        self.log: list[Any] | None = None if inner.log is None else []
        self._start = start
        self._count = 0
        self._shown = False
        self._failed = False

    def feed(self, text: str, at: int) -> int:
        """Read a fragment, as `Scanner.feed` does."""
        outer = self.outer
        rest = outer.feed(text, at)
        log = outer.log
        if log:
            outer.log = []
            for op, _, value in log:
                if op == "closed" or op == "set":
                    if op == "set":
                        self._decoded(value)
                    if self.inner.state != DONE:
                        self._failed = True
                    if self._failed:
                        self._fall_back()
                elif op == "appended":
                    self._decoded(value)
        return rest

    def repairs(self, text: str) -> list[Repair]:
        """The repairs that were made, with offsets in `text`, the raw text so far."""
        found = [Repair(cast("RepairName", kind), at, what) for kind, at, what in self.outer.repairs]
        if not self._failed:
            found += [
                Repair(cast("RepairName", kind), self._raw_offset(text, at), what)
                for kind, at, what in self.inner.repairs
            ]
            if self.outer.state == DONE:
                found.append(Repair("double_encoded", self._start, '"'))
        return found

    def duplicates(self, text: str) -> list[Duplicate]:
        """The keys that came again, with offsets in `text`, the raw text so far."""
        if self._failed:
            return []
        return [Duplicate(path, self._raw_offset(text, at)) for path, at in self.inner.duplicates]

    def _raw_offset(self, text: str, offset: int) -> int:
        """The offset in the raw text of the content's character at `offset`."""
        at = self._start + 1
        for _ in range(offset):
            match = _CODE_UNIT.match(text, at)
            if match is None:
                break
            at = match.end()
        return at

    def _decoded(self, text: str) -> None:
        """Read content. Character by character until something is shown: whether must not depend on cuts."""
        i = 0
        while not self._shown and not self._failed and i < len(text):
            self._read(text[i])
            i += 1
        if not self._failed and i < len(text):
            self._read(text[i:])

    def _read(self, text: str) -> None:
        inner = self.inner
        rest = inner.feed(text, self._count)
        self._count += len(text)
        state = inner.state
        if state != VALUE and not self._shown:
            is_object = isinstance(inner.holder[0], dict)
            self._failed = not is_object
            self._shown = is_object and state != FIRST_KEY and state != HOPELESS
            if self._shown:
                self.holder[0] = inner.holder[0]
        if rest >= 0 or state == HOPELESS:
            self._failed = True
        if self._shown and self.log is not None and inner.log:
            self.log += inner.log
            inner.log = []

    def _fall_back(self) -> None:
        whole = self.outer.holder[0]
        self.holder[0] = whole
        if self.log is not None:
            self.log.append(("set", (), whole))
