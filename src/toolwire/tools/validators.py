"""The validators: msgspec, Pydantic and JSON Schema in one shape. None but msgspec is imported before it is used."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import msgspec.inspect

from toolwire.encoding import encode
from toolwire.errors import UsageError
from toolwire.tools import loose
from toolwire.tools.check import Checked, Finding, Validator
from toolwire.tools.integers import integers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolwire.partial.changes import Path

__all__ = ["as_json", "by_msgspec", "by_pydantic", "by_schema", "is_pydantic"]

_PLACE = re.compile(r" - at `(?:key in )?\$(.*)`$", re.DOTALL)
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
_MISSING = re.compile(r"Object missing required field `(.+?)`")


def by_msgspec(kind: Any) -> Validator:
    """Structs, dataclasses, TypedDicts and whatever else msgspec knows. It reports the first problem only."""
    try:
        foreign = _foreign(msgspec.inspect.type_info(kind))
    except TypeError as error:
        raise UsageError(f"msgspec can't check {kind!r}: {error}") from None
    if foreign is not None:
        raise UsageError(f"msgspec can't make {foreign!r} of JSON")

    def check(value: Any) -> Checked:
        try:
            return Checked(msgspec.convert(value, kind, str_keys=True))
        except msgspec.ValidationError as error:
            return Checked(None, (_told(str(error)),))

    return Validator(check, lambda: loose.by_msgspec(kind))


def by_pydantic(kind: Any) -> Validator:
    """Pydantic models, and types that hold some. Checked as JSON, lax or strict as the model says."""
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    return Validator(as_json(adapter.validate_json), lambda: loose.by_pydantic(kind))


def as_json(validate: Callable[[str], Any]) -> Callable[[Any], Checked]:
    """A check of plain values by one of Pydantic's of JSON."""
    from pydantic import ValidationError

    def check(value: Any) -> Checked:
        try:
            return Checked(validate(encode(value)))
        except ValidationError as error:
            return Checked(None, tuple(_placed(value, each["loc"], each["msg"]) for each in error.errors()))

    return check


def by_schema(schema: dict[str, Any]) -> Validator:
    """JSON Schema. The value stays plain, but for floats that say what an integer says, where the schema wants one."""
    try:
        import jsonschema_rs
    except ImportError:
        raise UsageError("a JSON Schema is checked by jsonschema-rs: pip install 'toolwire[jsonschema]'") from None
    try:
        validator = jsonschema_rs.validator_for(schema, mask="this", retriever=_fetch_nothing)
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise UsageError(f"not a JSON Schema: {str(error).splitlines()[0]}") from None

    def check(value: Any) -> Checked:
        found = tuple(Finding(tuple(error.instance_path), error.message) for error in validator.iter_errors(value))
        return Checked(None, found) if found else Checked(integers(value, schema))

    return Validator(check, lambda: schema)


def _fetch_nothing(uri: str) -> Any:
    raise ValueError(f"{uri} is not in the schema, and nothing is fetched")


def _foreign(info: object) -> object:
    """A class within a type that msgspec knows nothing of, None if there is none."""
    return next((each.cls for each in loose.within(info) if isinstance(each, msgspec.inspect.CustomType)), None)


def is_pydantic(kind: object) -> bool:
    """Whether a class is a Pydantic model, without importing Pydantic."""
    return isinstance(kind, type) and any(hasattr(each, "__pydantic_core_schema__") for each in kind.__mro__)


def _told(text: str) -> Finding:
    """msgspec's message and the place at its end: `Expected ... - at `$.rows[1]``."""
    place = _PLACE.search(text)
    path: Path = ()
    if place is not None:
        steps = _STEP.finditer(place[1])
        path = tuple(step[1] if step[1] is not None else int(step[2]) for step in steps)
        text = text[: place.start()]
    missing = _MISSING.fullmatch(text)
    return Finding((*path, missing[1]) if missing else path, "missing" if missing else text)


def _placed(value: Any, steps: Iterable[str | int], message: str) -> Finding:
    """Pydantic's place: as far as it leads into the value, since it names branches of unions too."""
    path: Path = ()
    for step in steps:
        if isinstance(value, dict):
            known = step in value
        else:
            known = isinstance(value, list) and isinstance(step, int) and -1 < step < len(value)
        if not known:
            if isinstance(value, dict) and message == "Field required":
                path = (*path, step)
            break
        path = (*path, step)
        value = value[step]
    return Finding(path, message)
