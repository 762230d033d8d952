"""Arguments by JSONPath, as Vertex streams them: the text of one call to the bodies of its `functionCall` parts.

    {partialArgs: [{jsonPath, stringValue, willContinue: true}], willContinue: true}     a piece of a string
    {partialArgs: [{jsonPath, stringValue: ""}], willContinue: true}                     its end
    {partialArgs: [{jsonPath, numberValue | boolValue | nullValue}], willContinue: true} any other value
    {willContinue: true}                                                                 an element of an array ended

Empty objects and arrays are no values on this wire. A member of the arguments that is one, or begins with one, is told
whole in `args` beside the paths; behind a value that was told by its path there is no way to tell one (`lost`). The
same goes for a key that comes twice, and for a number that no float holds.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from toolwire.partial import DEFAULT_REPAIRS, PartialJSON

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.partial.changes import Change, Path

__all__ = ["PathReader", "json_path", "string_end", "string_piece"]

Body = dict[str, Any]

# A key that may stand behind a dot.
_NAME: Final = re.compile(r"[^\W\d]\w*")
_SPECIAL: Final = re.compile(r"['\\\x00-\x1f]")
_ESCAPES: Final = {"'": "\\'", "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class PathReader:
    """Reads the text of one call's arguments as it comes."""

    __slots__ = ("_empty", "_json", "_key", "_shown", "_string", "_whole", "lost")

    def __init__(self) -> None:
        self._json = PartialJSON(repairs=DEFAULT_REPAIRS, changes=True)
        self._empty: list[bool] = []  # the containers that are open, but for the root: whether nothing is in them yet
        self._key = ""  # the member of the arguments that is being written
        self._shown = False  # something of it was told by its path
        self._whole = False  # it is told when it has ended
        self._string: Path | None = None  # the string that is open
        self.lost = False  # what came can't be told

    @property
    def value(self) -> Any:
        """What the text says."""
        return self._json.value

    def feed(self, text: str) -> list[Body]:
        """What comes of more text."""
        self._json.feed(text)
        return self._bodies()

    def end(self) -> list[Body]:
        """What was held back until the text was over."""
        self._json.end()
        return self._bodies()

    def _bodies(self) -> list[Body]:
        out: list[Body] = []
        for change in self._json.take_changes():
            # The root has no path of its own, and what is in an array at the root belongs to no arguments.
            if change[1] and isinstance(change[1][0], str) and not self.lost:
                out += self._change(change)
        if self._json.duplicates:
            self.lost = True
        return out

    def _change(self, change: Change) -> Iterator[Body]:
        op, path, value = change
        if isinstance(value, float) and not isfinite(value):
            self.lost = True
            return
        if op in ("opened", "set"):
            if len(path) == 1:
                self._key, self._shown, self._whole = str(path[0]), False, False
            if self._empty:
                self._empty[-1] = False
        if op == "closed":
            yield from self._closed(path)
        elif op == "opened" and isinstance(value, str):
            self._string = path
        elif op == "opened":
            self._empty.append(True)
        elif not self._whole:
            self._shown = True
            yield from _value(path, value, more=op == "appended")

    def _closed(self, path: Path) -> Iterator[Body]:
        if path == self._string:
            self._string = None
            if not self._whole:
                self._shown = True
                yield string_end(path)
            return
        empty = self._empty.pop()
        if empty and self._shown:
            self.lost = True
            return
        self._whole = self._whole or empty
        if self._whole and len(path) == 1:
            yield {"args": {self._key: self._json.value[self._key]}, "willContinue": True}
        elif not self._whole and isinstance(path[-1], int):
            yield {"willContinue": True}


def string_piece(path: Path, text: str) -> Body:
    """A piece of a string that goes on."""
    return {"partialArgs": [{"jsonPath": json_path(path), "stringValue": text, "willContinue": True}], **_MORE}


def string_end(path: Path) -> Body:
    """The end of a string."""
    return {"partialArgs": [{"jsonPath": json_path(path), "stringValue": ""}], **_MORE}


def json_path(path: Path) -> str:
    """A path as RFC 9535 writes it, its plain keys behind dots."""
    return "$" + "".join(map(_step, path))


_MORE: Final[Body] = {"willContinue": True}


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _NAME.fullmatch(step) else f"['{_SPECIAL.sub(_escaped, step)}']"


def _escaped(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04x}"


def _value(path: Path, value: Any, *, more: bool) -> Iterator[Body]:
    """A value that came in one piece, or a piece of a string."""
    if isinstance(value, str):
        if value:
            yield string_piece(path, value)
        if not more:
            yield string_end(path)
        return
    field = {"nullValue": "NULL_VALUE"} if value is None else {_FIELDS[isinstance(value, bool)]: value}
    yield {"partialArgs": [{"jsonPath": json_path(path), **field}], **_MORE}


_FIELDS: Final = {True: "boolValue", False: "numberValue"}
