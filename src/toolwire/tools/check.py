"""One tool: its name, and the check that its arguments have to pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from toolwire.partial.changes import MISSING, Missing

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwire.partial.changes import Path
    from toolwire.schema import Compiled
    from toolwire.tools.loose import Schema

__all__ = ["Checked", "Finding", "Tool", "Validator", "checked_by"]


class Finding(NamedTuple):
    """What a validator has to say of one place. The path leads to the value, or to where it is missing."""

    path: Path
    message: str


class Checked(NamedTuple):
    """What a validator made of arguments: the typed value, or what is wrong with them. `cause`: what it raised."""

    value: Any
    findings: tuple[Finding, ...] = ()
    cause: Exception | None = None


def checked_by(validate: Callable[[Any], Checked], value: Any) -> Checked:
    """What a check says. One that breaks has refused, whether by its own fault or for what a text can't say."""
    try:
        return validate(value)
    except Exception as error:  # noqa: BLE001  validators may be anybody's code
        return Checked(None, (Finding((), f"the check raised {type(error).__name__}"),), error)


class Validator:
    """Checks plain JSON values, and types them, in the mode of the library that it stands for.

    `schema` makes the JSON Schema of what it can take, which may allow more; None where nothing is certain.
    """

    __slots__ = ("_check", "schema")

    def __init__(self, check: Callable[[Any], Checked], schema: Callable[[], Schema | None]) -> None:
        self._check = check
        self.schema = schema

    def __call__(self, value: Any) -> Checked:
        return self._check(value)


class Tool:
    """A tool by the name that models call it by.

    `validate` turns plain arguments into the typed value; None takes them as they are. `target`: what the tool was made
    of. `hold`: nothing of its arguments is shown before they have ended and passed. Made by `tool` and `Tools`; no need
    to build one by hand.
    """

    __slots__ = ("_compiled", "hold", "name", "target", "validate")

    def __init__(self, name: str, validate: Validator | None, target: object, *, hold: bool = False) -> None:
        self.name = name
        self.validate = validate
        self.target = target
        self.hold = hold
        self._compiled: Compiled | Missing | None = MISSING

    def __repr__(self) -> str:
        return f"<Tool {self.name}>"

    @property
    def compiled(self) -> Compiled | None:
        """What is certain of its arguments while they are written, for the early check; None where nothing is."""
        if isinstance(self._compiled, Missing):
            from toolwire.schema import compile_schema

            schema = None if self.validate is None else self.validate.schema()
            self._compiled = None if schema is None else compile_schema(schema)
        return self._compiled
