"""What follows the containers of a live value: drafts of objects, and the arrays and maps that are open in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from toolwire.partial.changes import MISSING
from toolwire.tools.check import Checked
from toolwire.trust import Problem
from toolwire.typed.partial import Partial
from toolwire.typed.shapes import As, Fields, Shape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.partial.changes import Path

__all__ = ["Draft", "PartialDict", "PartialList", "kept", "plain"]

# Types may hold themselves: what is deeper shows when it is whole.
_DEPTH = 64


class Open:
    """The member that is still being written. A string is never held: it grows in place only while nobody does."""

    __slots__ = ("_depth", "_followed", "_holder", "child", "key", "shape")

    def __init__(self, holder: Any, key: str | int, shape: Shape, depth: int) -> None:
        self._holder = holder
        self._followed: Any = None  # the container that the child follows
        self._depth = depth
        self.key = key
        self.shape = shape
        self.child: Child | None = None

    def update(self, rest: Path) -> None:
        """Look at what is new in it. `rest`: the open path from here on."""
        value = self._holder[self.key]
        container = value if isinstance(value, dict | list) else None
        if container is not self._followed:
            self._followed = container
            self.child = _child(self.shape, container, self._depth + 1) if self._depth < _DEPTH else None
        if self.child is not None:
            self.child.update(value, rest)

    def whole(self, value: Any) -> Any:
        """What follows the value has of it now that it is whole; None where it isn't followed, or something is wrong.

        Of a key that came twice it may be another value that was followed.
        """
        followed = self.child if value is self._followed else None
        return None if followed is None or isinstance(followed, Draft) else followed.whole(value)

    @property
    def shown(self) -> Any:
        """What can be shown of it, MISSING if nothing can."""
        if self.child is not None:
            return self.child.face
        value = self._holder[self.key]
        outline = self.shape.outline
        if isinstance(value, str):
            return value if outline.text else MISSING
        how = outline.object if isinstance(value, dict) else outline.array
        return value if how is As.PLAIN and isinstance(value, dict | list) else MISSING

    def problems(self) -> Iterable[Problem]:
        """The problems within it."""
        return [] if self.child is None else self.child.problems()


def _child(shape: Shape, value: Any, depth: int) -> Child | None:
    """What follows an open container of this type, if anything does."""
    if isinstance(value, dict):
        how = shape.outline.object
        if isinstance(how, Fields):
            return Draft(how, depth)
        return PartialDict(how, depth) if isinstance(how, Shape) else None
    if isinstance(value, list):
        item = shape.outline.array
        return PartialList(item, depth) if isinstance(item, Shape) else None
    return None


def settled(shape: Shape, value: Any, was: Open | None) -> Checked:
    """What a whole value is by its type. `was`: what followed it while it was open, so that its members stay."""
    whole = None if was is None else was.whole(value)
    if whole is None:
        return shape.check(value)
    if shape.outline.free:
        return Checked(whole)
    checked = shape.check(value)
    return checked if checked.findings else Checked(kept(whole, checked.value))


def kept(one: Any, other: Any) -> Any:
    """The one that was there before, unless the other isn't the same."""
    try:
        same = type(one) is type(other) and bool(one == other)
    except Exception:  # noqa: BLE001  equality may be the user's code
        same = False
    return one if same else other


def plain(value: Any) -> Any:
    """What is shown, with dicts and lists in the place of partials."""
    if isinstance(value, Partial):
        return {name: plain(value[name]) for name in value}
    if isinstance(value, PartialDict):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, PartialList) else value


class _Keyed:
    """What objects have in common: keys that come one behind the other, the last of which may be open."""

    __slots__ = ("_depth", "_found", "_last", "_open", "_raw", "_source", "_values")

    def __init__(self, depth: int) -> None:
        self._values: dict[str, Any] = {}  # what the checks made of the settled members
        self._source: dict[str, Any] = {}
        self._raw: dict[str, Any] = {}  # what was checked
        self._found: dict[str, list[Problem]] = {}
        self._last: str | None = None  # the last key that was settled
        self._open: Open | None = None
        self._depth = depth

    def update(self, source: dict[str, Any], rest: Path | None) -> None:
        """Look at the keys that are new. `rest`: the open path from here on; None or () where every key is settled."""
        self._source = source
        key_open = rest[0] if rest else None
        was = self._open
        if was is not None and was.key != key_open:  # a repeated key needn't be among the new ones
            self._close(str(was.key))
        for key in _behind(source, self._last):
            if key != key_open:
                self._last = key
                self._close(key)
        self._open = None
        if rest and key_open in source:
            shape = self._due(str(key_open))
            if shape is not None:
                kept_on = was is not None and was.key == key_open
                self._open = was if kept_on else Open(source, rest[0], shape, self._depth)
        if self._open is not None and rest:
            self._open.update(rest[1:])

    def problems(self) -> list[Problem]:
        """What is wrong with closed members, by paths from here."""
        found = [each for problems in self._found.values() for each in problems]
        return found if self._open is None else found + _under(self._open.key, self._open.problems())

    def _due(self, key: str) -> Shape | None:
        """The type of a member that is still to be settled; None if there is no such member."""
        raise NotImplementedError

    def _name(self, key: str) -> str:
        """What a member goes by."""
        return key

    def _close(self, key: str) -> None:
        shape = self._due(key)
        if shape is not None:
            self._settle(key, shape)

    def _settle(self, key: str, shape: Shape) -> None:
        """Check a whole member, and keep what it is by its type under its name."""
        name = self._name(key)
        value = self._raw[name] = self._source[key]
        self._values.pop(name, None)
        self._found.pop(name, None)
        checked = settled(shape, value, self._open if self._open is not None and self._open.key == key else None)
        if checked.findings:
            self._found[name] = [Problem((key, *each.path), each.message) for each in checked.findings]
        else:
            self._values[name] = checked.value


class Draft(_Keyed):
    """Follows one object whose type has fields."""

    __slots__ = ("face", "fields")

    def __init__(self, fields: Fields, depth: int = 0) -> None:
        super().__init__(depth)
        self.fields = fields
        self.face: Partial[Any] = Partial(self)

    def read(self, name: str) -> Any:
        """A field so far, MISSING while nothing of it can be shown."""
        if self._open is not None and self.is_open(name):
            return self._open.shown
        return self._values.get(name, MISSING)

    def closed_fields(self) -> frozenset[str]:
        """The names of the fields that are whole, and fine."""
        return frozenset(self._values)

    def is_open(self, name: str) -> bool:
        """Whether the field is still being written."""
        return self._open is not None and self.fields.by_key[str(self._open.key)].name == name

    def _due(self, key: str) -> Shape | None:
        field = self.fields.by_key.get(key)
        return None if field is None or field.late or field.name in self._raw else field.shape

    def _name(self, key: str) -> str:
        return self.fields.by_key[key].name


class PartialList(Sequence[Any]):
    """An array that is still being written: its whole elements as their checks made them, and what of the last can be
    shown. MISSING stands for an element that failed its check. A list takes its place when it is whole."""

    __slots__ = ("_depth", "_found", "_item", "_open", "_settled")

    def __init__(self, item: Shape, depth: int) -> None:
        self._item = item
        self._depth = depth
        self._settled: list[Any] = []
        self._found: list[Problem] = []
        self._open: Open | None = None

    def __len__(self) -> int:
        return len(self._settled) + (self._last is not MISSING)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        number = index + len(self) if index < 0 else index
        return self._last if number == len(self._settled) and self._last is not MISSING else self._settled[number]

    def __iter__(self) -> Iterator[Any]:
        yield from self._settled
        if self._last is not MISSING:
            yield self._last

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, list | PartialList) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"PartialList({list(self)!r})"

    @property
    def _last(self) -> Any:
        return MISSING if self._open is None else self._open.shown

    # --- within: what is hidden from users is not hidden from the library ---

    @property
    def face(self) -> Any:
        """Itself."""
        return self

    def update(self, source: list[Any], rest: Path | None) -> None:
        """Look at the elements that are new."""
        count = len(source)
        last = count - 1 if rest and rest[0] == count - 1 else count
        for index in range(len(self._settled), last):
            was = self._open if self._open is not None and self._open.key == index else None
            checked = settled(self._item, source[index], was)
            self._found += [Problem((index, *each.path), each.message) for each in checked.findings]
            self._settled.append(MISSING if checked.findings else checked.value)
        if last == count or not rest:
            self._open = None
            return
        if self._open is None or self._open.key != last:
            self._open = Open(source, last, self._item, self._depth)
        self._open.update(rest[1:])

    def problems(self) -> list[Problem]:
        """What is wrong with whole elements, by paths from here."""
        return self._found + (_under(self._open.key, self._open.problems()) if self._open is not None else [])

    def whole(self, source: list[Any]) -> list[Any] | None:
        """The list, now that the array is whole; None if something is wrong with it."""
        self.update(source, None)
        return None if self._found else self._settled


class PartialDict(_Keyed, Mapping[str, Any]):
    """A map that is still being written: its whole values as their checks made them, and what of the last can be shown.

    A value that failed its check isn't there. A dict takes its place when it is whole.
    """

    __slots__ = ("_value",)

    def __init__(self, value: Shape, depth: int) -> None:
        super().__init__(depth)
        self._value = value

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, key: str) -> Any:
        shown = self._open.shown if self._open is not None and self._open.key == key else MISSING
        return self._values[key] if shown is MISSING else shown

    def __iter__(self) -> Iterator[str]:
        yield from self._values
        if self._open is not None and self._open.shown is not MISSING:
            yield str(self._open.key)

    def __repr__(self) -> str:
        return f"PartialDict({dict(self)!r})"

    # --- within: what is hidden from users is not hidden from the library ---

    @property
    def face(self) -> Any:
        """Itself."""
        return self

    def whole(self, source: dict[str, Any]) -> dict[str, Any] | None:
        """The dict, now that the map is whole; None if something is wrong with it. Of a key that came twice the last
        counts."""
        self.update(source, None)
        for key, value in source.items():
            if self._raw.get(key, MISSING) is not value:
                self._settle(key, self._value)
        return None if self._found else {key: self._values[key] for key in source}

    def _due(self, key: str) -> Shape | None:
        return None if key in self._raw else self._value


Child: TypeAlias = Draft | PartialList | PartialDict


def _behind(source: dict[str, Any], last: str | None) -> list[str]:
    """The keys behind the last one that was settled, in order, found from the end."""
    fresh: list[str] = []
    for key in reversed(source):
        if key == last:
            break
        fresh.append(key)
    fresh.reverse()
    return fresh


def _under(step: str | int, problems: Iterable[Problem]) -> list[Problem]:
    return [Problem((step, *each.path), each.message) for each in problems]
