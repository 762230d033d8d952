"""Types as models: which library checks a type, and what its fields are by that."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, get_origin

from toolwire.errors import UsageError
from toolwire.tools.validators import by_msgspec, is_pydantic
from toolwire.typed import hints
from toolwire.typed.shapes import Model

__all__ = ["model_of"]


def model_of(kind: Any) -> Model:
    """The model of a type. Raises `UsageError` for one that has no fields, or that can't be checked."""
    try:
        return _model_of(kind)
    except TypeError:
        raise UsageError(f"{kind!r} has no fields") from None


@lru_cache(maxsize=256)
def _model_of(kind: Any) -> Model:
    base = get_origin(kind) or kind
    if not is_pydantic(base):
        if not hints.has_fields(base):
            raise UsageError(f"{kind!r} has no fields: a partial is of a model, a Struct, a dataclass or a TypedDict")
        try:
            return Model(kind, hints.fields(kind), by_msgspec(kind), hasattr(base, "__post_init__"))
        except UsageError:
            pass  # a type that msgspec doesn't know, such as one with Pydantic models in it
        except Exception as error:  # noqa: BLE001  forward references raise what they like
            raise UsageError(f"{kind!r} can't be read: {error}") from None
    try:
        from toolwire.typed.core import model
    except ImportError:
        raise UsageError(f"{kind!r} can't be checked without Pydantic: pip install 'toolwire[pydantic]'") from None
    try:
        found = model(kind)
    except Exception as error:  # noqa: BLE001  Pydantic's errors for a type it can't read have no common base
        raise UsageError(f"{kind!r} can't be read: {error}") from None
    if found is None:
        raise UsageError(f"{kind!r} has no fields: a partial is of a model, a Struct, a dataclass or a TypedDict")
    return found
