"""`Partial`: what a user sees of a draft."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, final

from toolwire.partial.changes import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.trust import Problem
    from toolwire.typed.drafts import Draft

__all__ = ["Partial"]

T_co = TypeVar("T_co", covariant=True)

_SHOWN = 60  # characters of a value in a repr


@final
class Partial(Generic[T_co]):
    """An object of a type with fields, while it is still being written: `call.partial_as(Form)`.

    `partial.city` is the field so far, and `MISSING` while nothing of it can be shown. A closed field is what the
    type's own library made of it; an open string is as it is where the type takes any text; an open object of a type
    with fields is a `Partial` again, an open array or map a `PartialList` or `PartialDict`. A field that fails its
    check is unset, and told of in `problems`. Once the whole value is there and valid, fields that didn't come have
    their defaults. It isn't a `T`, and type checkers know.

    Fields go by the model's names, and `partial["city"]` is the same. A field wins over what is defined here: beside a
    field called `done`, that is `object.__getattribute__(partial, "done")`. A partial is changed in place each time it
    is asked for.
    """

    __slots__ = ("__draft",)

    def __init__(self, draft: Draft) -> None:
        self.__draft = draft

    def __getattribute__(self, name: str) -> Any:
        draft: Draft = object.__getattribute__(self, "_Partial__draft")
        if name in draft.fields.by_name:
            return draft.read(name)
        try:
            return object.__getattribute__(self, name)
        except AttributeError:
            known = ", ".join(draft.fields.by_name) or "none"
            raise AttributeError(
                f"{draft.fields.name} has no field {name!r}; its fields are: {known}", name=name, obj=self
            ) from None

    def __getitem__(self, name: str) -> Any:
        draft = self.__draft
        if name not in draft.fields.by_name:
            raise KeyError(name)
        return draft.read(name)

    def __contains__(self, name: object) -> bool:
        draft = self.__draft
        return isinstance(name, str) and name in draft.fields.by_name and draft.read(name) is not MISSING

    def __iter__(self) -> Iterator[str]:
        draft = self.__draft
        return iter([name for name in draft.fields.by_name if draft.read(name) is not MISSING])

    def __repr__(self) -> str:
        draft = self.__draft
        shown = ", ".join(f"{name}={_shown(draft, name)}" for name in draft.fields.by_name)
        return f"Partial[{draft.fields.name}]({shown})"

    def keys(self) -> list[str]:
        """The names of the fields that are set, in the model's order."""
        return list(Partial.__iter__(self))

    def get(self, name: str, default: Any = None) -> Any:
        """A field so far, or the default while it is unset. Raises `KeyError` for a name that is no field."""
        value = Partial.__getitem__(self, name)
        return default if value is MISSING else value

    def as_dict(self) -> dict[str, Any]:
        """What is set, as a plain dict, with those of partials within it. Closed values are as they are."""
        from toolwire.typed.drafts import plain

        found: dict[str, Any] = plain(self)
        return found

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with closed fields, by paths from this object."""
        return tuple(self.__draft.problems())

    @property
    def closed_fields(self) -> frozenset[str]:
        """The names of the fields that are whole, and fine."""
        return self.__draft.closed_fields()

    @property
    def done(self) -> bool:
        """Whether the whole value is there. False of a partial within one: when it is whole, its object replaces it."""
        return bool(getattr(self.__draft, "done", False))


def _shown(draft: Draft, name: str) -> str:
    value = draft.read(name)
    if isinstance(value, str) and (draft.is_open(name) or len(value) > _SHOWN):
        return repr(value[:_SHOWN] + "…")
    text = repr(value)
    return text if len(text) <= _SHOWN or isinstance(value, Partial) else text[: _SHOWN - 1] + "…"
