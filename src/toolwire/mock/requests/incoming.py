"""What came over HTTP, before any wire has read it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwire.mock.asked import RefusedError

__all__ = ["Incoming", "an_object", "base_name", "kind_of"]

_BEARER = "bearer "


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request. Header names are in lower case; `keys` and `models` are those that are taken, empty for any."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    keys: frozenset[str]
    models: frozenset[str]
    max_body: int

    @property
    def bearer(self) -> str:
        """The bearer token, "" if there is none."""
        value = self.headers.get("authorization", "")
        return value[len(_BEARER) :].strip() if value.lower().startswith(_BEARER) else ""

    def admits(self, *keys: str) -> bool:
        """Whether one of these keys is good."""
        return not self.keys or any(key in self.keys for key in keys)

    def knows(self, model: str) -> bool:
        """Whether there is such a model."""
        return not self.models or base_name(model) in self.models

    def document(
        self, too_large: Callable[[int, int], RefusedError], broken: Callable[[str, str], RefusedError]
    ) -> dict[str, Any]:
        """The body, which is a JSON object.

        `too_large` is given the body's size and the limit, `broken` what is wrong and what is left where it went
        wrong.
        """
        if len(self.body) > self.max_body:
            raise too_large(len(self.body), self.max_body)
        try:
            text = self.body.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise broken(str(error), "") from None
        try:
            value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
        except json.JSONDecodeError as error:
            raise broken(str(error), text[error.pos :]) from None
        except (ValueError, RecursionError) as error:
            raise broken(str(error), "") from None
        if not isinstance(value, dict):
            raise broken(f"expected an object, got {kind_of(value)}", text.lstrip())
        return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if isfinite(number) else _refuse(digits)


def base_name(model: str) -> str:
    """A model's name without the settings behind it."""
    return model.partition("?")[0]


def kind_of(value: Any) -> str:
    """What a JSON value is, with its article."""
    if value is None:
        return "null"
    kinds = {bool: "a boolean", dict: "an object", float: "a decimal", int: "an integer", list: "an array"}
    return kinds.get(type(value), "a string")


def an_object(schema: Any) -> bool:
    """Whether a schema, as far as it says, is of an object; in capitals too."""
    kind = schema.get("type") if isinstance(schema, dict) else None
    return kind is None or (isinstance(kind, str) and kind.lower() == "object") or kind == ["object"]
