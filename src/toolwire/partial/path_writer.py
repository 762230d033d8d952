"""JSON text from values that come one path at a time.

    write(("user", "name"), "An", more=True)   {"user":{"name":"An
    write(("user", "name"), "na")              na"
    write(("user", "tags", 0), 1.0)            ,"tags":[1
    finish()                                   ]}}

Theory. Text can only grow at its end, so the writer keeps the containers that are open, from the object at the root
inwards. A path closes those it doesn't lead through, goes on in the innermost that it does, and opens the rest. What
the text can't say any more is refused: a place in a closed container, a place that has its value, an index that leaves
a gap, a key in an array or an index in an object. After a refusal the text stays as it is, unfinished for ever.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.partial.changes import Path

__all__ = ["PathError", "PathReason", "PathWriter"]

PathReason: TypeAlias = Literal["path_order", "malformed", "truncated", "depth", "limit"]

_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_PLAIN_INTEGER: Final = 1e21  # from here on an integral double is better told by its exponent
_KINDS: Final[dict[type, str]] = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    dict: "an object",
    list: "an array",
}


class PathError(ValueError):
    """An update that the text can't express.

    `reason`: "path_order" (a place that can't be written now), "malformed" (a value that JSON hasn't), "truncated"
    (an end while a string was open), "depth", "limit" (an index over the bound).
    """

    def __init__(self, reason: PathReason, message: str) -> None:
        super().__init__(message)
        self.reason: PathReason = reason


class _Container:
    """An open container: its members' keys, or for an array (`keys` is None) their number."""

    __slots__ = ("count", "keys")

    def __init__(self, *, array: bool) -> None:
        self.count = 0
        self.keys: set[str] | None = None if array else set()


class PathWriter:
    """Writes one object. Every method returns the text to append; a refused writer refuses everything that follows.

    `max_depth` bounds the nesting of containers, `max_index` an array's indexes.
    """

    __slots__ = ("_at", "_done", "_fault", "_max_depth", "_max_index", "_open", "_string")

    def __init__(self, *, max_depth: int = 512, max_index: int = 100_000) -> None:
        self._open: list[_Container] = []
        self._at: list[str | int] = []  # the steps from the root to the innermost open container
        self._string: Path | None = None
        self._fault: tuple[PathReason, str] | None = None
        self._done = False
        self._max_depth = max_depth
        self._max_index = max_index

    @property
    def string(self) -> Path | None:
        """The path of the string that is open, None between values."""
        return self._string

    @property
    def empty(self) -> bool:
        """True as long as no value was written."""
        return not self._open or not self._open[0].count

    def begin(self) -> str:
        """The opening brace, if it isn't written yet."""
        if self._open:
            return ""
        self._open.append(_Container(array=False))
        return "{"

    def write(self, path: Path, value: Any, *, more: bool = False) -> str:
        """A value at a path: JSON's scalars, or a dict or list that comes whole.

        A string may come in pieces: `more` says that another follows at the same path. An integral float is written
        as an integer. Raises `PathError`.
        """
        if self._fault is not None:
            raise PathError(*self._fault)
        if self._string is not None:
            return self._continue(path, value, more=more)
        if self._done:
            raise self.refuse("path_order", f"{_shown(path)} comes after the end")
        if not path:
            raise self.refuse("path_order", f"the root is an object, not {_kind(value)}")
        if more and not isinstance(value, str):
            raise self.refuse("malformed", f"only a string can come in pieces, not {_kind(value)}, at {_shown(path)}")
        self._check(path)
        written = self._value(path, value, more=more)
        text = self._go_to(path) + written
        if more:
            self._string = path
        return text

    def finish(self) -> str:
        """What closes the object: `{}` where nothing was written. Raises `PathError` while a string is open."""
        if self._fault is not None:
            raise PathError(*self._fault)
        if self._string is not None:
            raise self.refuse("truncated", f"the string at {_shown(self._string)} has no end")
        if self._done:
            return ""
        self._done = True
        return self.begin() + _closers(reversed(self._open))

    def refuse(self, reason: PathReason, message: str) -> PathError:
        """Give up: the error to raise, now and for everything that follows."""
        self._fault = self._fault or (reason, message)
        return PathError(*self._fault)

    def _continue(self, path: Path, value: Any, *, more: bool) -> str:
        if path != self._string:
            raise self.refuse("path_order", f"{_shown(path)} comes while {_shown(self._string or ())} is unfinished")
        if not isinstance(value, str):
            raise self.refuse("path_order", f"{_kind(value)} goes on with the string at {_shown(path)}")
        if not more:
            self._string = None
        return _escaped(value) + ("" if more else '"')

    def _check(self, path: Path) -> None:
        """The bounds, before anything is written."""
        if len(path) > self._max_depth:
            raise self.refuse("depth", f"a path of {len(path)} steps is deeper than {self._max_depth}")
        for step in path:
            if isinstance(step, int) and step > self._max_index:
                raise self.refuse("limit", f"the index {step} in {_shown(path)} is over {self._max_index}")

    def _go_to(self, path: Path) -> str:
        """The text that leads from the place before to the value at `path`."""
        text = self.begin()
        common = 0
        for step, own in zip(path[:-1], self._at, strict=False):
            if step != own:
                break
            common += 1
        text += _closers(reversed(self._open[common + 1 :]))
        del self._open[common + 1 :]
        del self._at[common:]
        text += self._member(path, common)
        for place in range(common + 1, len(path)):
            array = isinstance(path[place], int)
            text += "[" if array else "{"
            self._open.append(_Container(array=array))
            self._at.append(path[place - 1])
            text += self._member(path, place)
        return text

    def _member(self, path: Path, place: int) -> str:
        """A new member of the open container at `path[:place]`: the comma and key before it."""
        container = self._open[place]
        step = path[place]
        keys = container.keys
        if isinstance(step, int) is not (keys is None):
            wrong = "a key in an array" if keys is None else "an index in an object"
            raise self.refuse("path_order", f"{_shown(path)} has {wrong} at {_shown(path[: place + 1])}")
        if isinstance(step, int) and step > container.count:
            raise self.refuse("path_order", f"{_shown(path)} leaves a gap: the next index is {container.count}")
        if (step in keys) if keys is not None else (step != container.count):
            raise self.refuse("path_order", f"{_shown(path)} returns to {_shown(path[: place + 1])}, which is finished")
        container.count += 1
        comma = "," if container.count > 1 else ""
        if keys is None or isinstance(step, int):
            return comma
        keys.add(step)
        return f'{comma}"{_escaped(step)}":'

    def _value(self, path: Path, value: Any, *, more: bool) -> str:
        if isinstance(value, str):
            return '"' + _escaped(value) + ("" if more else '"')
        if isinstance(value, float) and value.is_integer() and abs(value) < _PLAIN_INTEGER:
            return str(int(value))
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        except RecursionError:
            raise self.refuse("depth", f"{_kind(value)} at {_shown(path)} is nested too deeply") from None
        except (TypeError, ValueError) as error:
            raise self.refuse("malformed", f"{_kind(value)} at {_shown(path)} is no JSON: {error}") from None
        return _SURROGATE.sub(_unit, text)


def _closers(containers: Iterable[_Container]) -> str:
    return "".join("]" if container.keys is None else "}" for container in containers)


def _escaped(text: str) -> str:
    """The text as it stands within quotes. Half a surrogate pair is escaped, so that its other half can follow."""
    return _SURROGATE.sub(_unit, json.dumps(text, ensure_ascii=False)[1:-1])


def _unit(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), f"a {type(value).__name__}")


def _shown(path: Path) -> str:
    """A path for a message: as written in JSONPath, cut when long."""
    text = "$"
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if step.isidentifier() else f"[{step!r}]"
        if len(text) > 120:
            return text[:120] + "..."
    return text
