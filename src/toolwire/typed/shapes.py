"""What a type is for a value that is still being written: what can be shown of it, and how it is checked."""

from __future__ import annotations

from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from toolwire.tools.check import checked_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolwire.tools.check import Checked

__all__ = [
    "ANYTHING",
    "OPAQUE",
    "SCALAR",
    "TEXT",
    "As",
    "Field",
    "Fields",
    "Model",
    "Outline",
    "Reader",
    "Shape",
    "one_of",
]


class As(Enum):
    """How an open container is shown, where that isn't by its members' types."""

    PLAIN = "as it is"
    HIDDEN = "not before it is whole"


class Outline(NamedTuple):
    """What an open value of a type can be, and how it is shown. None: the type takes no such value.

    `text`: any text will do. `free`: an array or map needs no check but those of its members.
    """

    text: bool = False
    object: Fields | Shape | As | None = None
    array: Shape | As | None = None
    free: bool = False


ANYTHING = Outline(True, As.PLAIN, As.PLAIN)
OPAQUE = Outline(False, As.HIDDEN, As.HIDDEN)
SCALAR = Outline()
TEXT = Outline(True)


def one_of(outlines: Iterable[Outline]) -> Outline:
    """The outline of a union. Of two types that take a container it isn't known which it will be."""
    known = [each for each in outlines if each != SCALAR]
    if len(known) == 1:
        return known[0]
    objects = [each.object for each in known if each.object is not None]
    arrays = [each.array for each in known if each.array is not None]
    return Outline(
        any(each.text for each in known),
        objects[0] if len(objects) == 1 else As.HIDDEN,
        arrays[0] if len(arrays) == 1 else As.HIDDEN,
    )


class Reader(Protocol):
    """Knows one library's way to describe types. `node` is such a description."""

    def outline(self, node: Any, /) -> Outline: ...

    def checker(self, node: Any, /) -> Callable[[Any], Checked]: ...


class Shape:
    """One type. It is looked into when that is needed: types may hold themselves."""

    def __init__(self, reader: Reader, node: Any) -> None:
        self._reader = reader
        self._node = node

    @cached_property
    def outline(self) -> Outline:
        """What can be shown of it while it is open."""
        return self._reader.outline(self._node)

    @cached_property
    def checker(self) -> Callable[[Any], Checked]:
        """The check of the type's own library. It may raise."""
        return self._reader.checker(self._node)

    def check(self, value: Any) -> Checked:
        """The typed value, or what is wrong with it. Whatever a validator raises is a finding."""
        return checked_by(self.checker, value)


class Field:
    """A field: its name in the model, the keys that it may have in JSON, the most wanted first, and its type.

    `late`: it can't be told from its own value, so it is set when the whole value is there.
    """

    __slots__ = ("keys", "late", "name", "shape")

    def __init__(self, name: str, keys: tuple[str, ...], shape: Shape, *, late: bool = False) -> None:
        self.name = name
        self.keys = keys
        self.shape = shape
        self.late = late


class Fields:
    """The fields of an object's type, in their order. Read when they are needed."""

    def __init__(self, name: str, read: Callable[[], Iterable[Field]]) -> None:
        self.name = name
        self._read = read

    @cached_property
    def by_name(self) -> dict[str, Field]:
        """The fields by their names."""
        return {each.name: each for each in self._read()}

    @cached_property
    def by_key(self) -> dict[str, Field]:
        """The fields by the keys that they may have in JSON."""
        return {key: each for each in reversed(self.by_name.values()) for key in each.keys}


class Model(NamedTuple):
    """A type as it was asked for. `remade`: the check of the whole may change what its fields' checks made."""

    kind: Any
    fields: Fields
    check: Callable[[Any], Checked]
    remade: bool
