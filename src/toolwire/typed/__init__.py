"""Typed partials: the live value in the terms of a type with fields, while it is still being written.

Theory. A type is read once (`models`): a type as a `Shape`, an object's type as `Fields`. What types are made of is
known from Pydantic's core schema (`core`) or from the hints themselves (`hints`), whichever library checks the type.
A `Draft` follows one object of the live value, `PartialList` and `PartialDict` follow an array and a map (`drafts`).
Each remembers the last member that it settled and looks only at what stands behind that, so that an event costs what
is new in it. The live value's open path tells which member is still being written: there is one at most, and every
other one is whole.

What holds, for every text and every way to cut it:

1. Nothing that comes raises: what fails its check is a problem, and unset.
2. A member is checked alone, by the library that checks the whole type and in its mode, once it is whole. What that
   made of it stays the same object. Checks of the whole (model validators, `__post_init__`) wait for the whole.
3. A string that is open is shown as it is if its type takes any text; else it is unset until it is whole, and so are
   an enum's or a date's letters.
4. An open object of a type with fields is a `Partial`, until the checked object takes its place. An open array or map
   is a `PartialList` or `PartialDict`, whose whole members are final and are the same objects in the list or dict that
   takes its place. What has no type is shown as it is; what could be of several types isn't, before it is whole.
5. What is shown while it is open is taken back if it fails its check when it is whole. Nothing else is, before the end.
6. A field whose validator may look at other fields, or that lies at a path and not at a key, waits for the whole.
7. Once the whole value is there and valid, every field is that of the typed object, defaults included. Of a key that
   came twice the first one that was seen counts until then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from toolwire.typed.drafts import PartialDict, PartialList
from toolwire.typed.models import model_of
from toolwire.typed.partial import Partial
from toolwire.typed.root import Root

if TYPE_CHECKING:
    from toolwire.live_value import LiveValue

__all__ = ["Partial", "PartialDict", "PartialList", "draft"]

T = TypeVar("T")


def draft(live: LiveValue, model: type[T]) -> Partial[T]:
    """The partial of a live value in the terms of a model: the same one each time, brought up to date.

    Raises `UsageError` for a type that has no fields, or that can't be checked.
    """
    wanted = model_of(model)
    if live._drafts is None:
        live._drafts = {}
    root: Root | None = live._drafts.get(wanted.kind)
    if root is None:
        root = live._drafts[wanted.kind] = Root(wanted)
    root.look(live)
    return root.face
