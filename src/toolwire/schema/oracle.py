"""The final validator, asked about one keyword and one whole value: what it will say is then no matter of opinion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SCHEMAS", "Oracle"]

SCHEMAS: Final = {
    4: "http://json-schema.org/draft-04/schema#",
    6: "http://json-schema.org/draft-06/schema#",
    7: "http://json-schema.org/draft-07/schema#",
    2019: "https://json-schema.org/draft/2019-09/schema",
    2020: "https://json-schema.org/draft/2020-12/schema",
}
"""The drafts by what `$schema` says."""


class Oracle:
    """A validator for a few keywords of a draft, made when it is first asked.

    It has no opinion (None) on what the validator can't read, and on everything where there is no validator.
    """

    __slots__ = ("_ask", "_schema")

    def __init__(self, draft: int, keywords: dict[str, Any]) -> None:
        self._schema = {"$schema": SCHEMAS[draft], **keywords}
        self._ask: Callable[[Any], bool | None] | None = None

    def __call__(self, value: Any) -> bool | None:
        """Whether the value is valid."""
        try:
            if self._ask is None:
                self._ask = _validator(self._schema)
            return self._ask(value)
        except Exception:  # noqa: BLE001  half a surrogate pair, or whatever else the validator can't read
            return None


def _validator(schema: dict[str, Any]) -> Callable[[Any], bool | None]:
    try:
        import jsonschema_rs

        return jsonschema_rs.validator_for(schema).is_valid
    except Exception:  # noqa: BLE001  a pattern in another dialect, or no validator at all
        return lambda value: None
