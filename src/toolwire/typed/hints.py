"""Types by their hints, as msgspec reads them: Structs, dataclasses and TypedDicts."""

from __future__ import annotations

import collections.abc as abc
import dataclasses
import datetime
import decimal
import enum
import types
import typing
import uuid
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec

from toolwire.tools.validators import by_msgspec
from toolwire.typed.shapes import ANYTHING, OPAQUE, SCALAR, TEXT, As, Field, Fields, Outline, Shape, one_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toolwire.tools.check import Checked

__all__ = ["fields", "has_fields"]

_ARRAYS = (list, abc.Sequence, abc.MutableSequence, abc.Collection)
_MAPS = (dict, abc.Mapping, abc.MutableMapping)
_SCALARS = (
    bool,
    int,
    float,
    bytes,
    bytearray,
    memoryview,
    type(None),
    enum.Enum,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    decimal.Decimal,
    uuid.UUID,
    msgspec.UnsetType,
)
_MARKS = ("Required", "NotRequired", "ReadOnly", "Final")


def has_fields(base: Any) -> bool:
    """Whether a class is one whose objects are written as JSON objects with known keys."""
    if not isinstance(base, type):
        return False
    if issubclass(base, msgspec.Struct):
        return not base.__struct_config__.array_like
    return dataclasses.is_dataclass(base) or (issubclass(base, dict) and hasattr(base, "__required_keys__"))


def fields(kind: Any) -> Fields:
    """The fields of such a class, which may be a generic one with its parameters. Read at once."""
    found = Fields(getattr(get_origin(kind) or kind, "__name__", repr(kind)), lambda: _fields(kind))
    found.by_name  # noqa: B018  so that what can't be read is known
    return found


def _fields(kind: Any) -> Iterator[Field]:
    base = get_origin(kind) or kind
    if issubclass(base, msgspec.Struct):
        for each in msgspec.structs.fields(kind):
            yield Field(each.name, (each.encode_name,), Shape(_HINTS, each.type))
        return
    known = typing.get_type_hints(base, include_extras=True)
    given = _given(kind)
    names = [each.name for each in dataclasses.fields(base)] if dataclasses.is_dataclass(base) else list(known)
    for name in names:
        yield Field(name, (name,), Shape(_HINTS, _filled(_unmarked(known[name]), given)))


def _unmarked(hint: Any) -> Any:
    """The type within `Required[...]` and its like."""
    while getattr(get_origin(hint), "_name", None) in _MARKS:
        hint = get_args(hint)[0]
    return hint


def _given(kind: Any) -> dict[Any, Any]:
    """What a class's type variables stand for, those of its bases included."""
    base = get_origin(kind) or kind
    own = dict(zip(getattr(base, "__parameters__", ()), get_args(kind), strict=False))
    known: dict[Any, Any] = {}
    for each in getattr(base, "__orig_bases__", ()):
        if get_origin(each) not in (None, typing.Generic):
            known |= _given(_filled(each, own))
    return known | own


def _filled(hint: Any, given: dict[Any, Any]) -> Any:
    """A hint with the class's parameters put in."""
    if hint in given:
        return given[hint]
    inner = getattr(hint, "__parameters__", ())
    return hint[tuple(given.get(each, each) for each in inner)] if given and inner else hint


class _Hints:
    """Reads hints."""

    def outline(self, hint: Any) -> Outline:
        """What can be shown of an open value of this type."""
        while hasattr(hint, "__supertype__") or hasattr(hint, "__value__"):  # a NewType, an alias
            hint = hint.__supertype__ if hasattr(hint, "__supertype__") else hint.__value__
        if isinstance(hint, typing.TypeVar):
            return OPAQUE if hint.__constraints__ else self.outline(hint.__bound__ or Any)
        if hint is Any:
            return ANYTHING
        if hint is str:
            return TEXT
        origin = get_origin(hint)
        arguments = get_args(hint)
        if origin is typing.Annotated:
            return self.outline(arguments[0])._replace(free=False)
        if origin is typing.Union or origin is types.UnionType:
            return one_of(self.outline(each) for each in arguments)
        if origin is typing.Literal or hint is None:
            return SCALAR
        base = origin or hint
        if base in _ARRAYS:
            return self._array(arguments)
        if base in _MAPS:
            return self._map(arguments)
        if has_fields(base):
            return Outline(object=Fields(base.__name__, lambda: _fields(hint)))
        return SCALAR if isinstance(base, type) and issubclass(base, _SCALARS) else OPAQUE

    def checker(self, hint: Any) -> Callable[[Any], Checked]:
        """msgspec's check."""
        return by_msgspec(hint)

    def _array(self, arguments: tuple[Any, ...]) -> Outline:
        if not arguments:
            return Outline(array=As.PLAIN)
        return Outline(array=Shape(self, arguments[0]), free=True)

    def _map(self, arguments: tuple[Any, ...]) -> Outline:
        if not arguments:
            return Outline(object=As.PLAIN)
        key = self.outline(arguments[0])
        return Outline(object=Shape(self, arguments[1]) if key.text else As.HIDDEN, free=arguments[0] is str)


_HINTS = _Hints()
