"""One tool: its name, and the check that its arguments have to pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwire.partial.changes import Path

__all__ = ["Checked", "Finding", "Tool", "Validator"]


class Finding(NamedTuple):
    """What a validator has to say of one place. The path leads to the value, or to where it is missing."""

    path: Path
    message: str


class Checked(NamedTuple):
    """What a validator made of arguments: the typed value, or what is wrong with them. `cause`: what it raised."""

    value: Any
    findings: tuple[Finding, ...] = ()
    cause: Exception | None = None


class Validator(Protocol):
    """Checks plain JSON values, and types them, in the mode of the library that it stands for."""

    def __call__(self, value: Any, /) -> Checked: ...


class Tool:
    """A tool by the name that models call it by.

    `validate` turns plain arguments into the typed value; None takes them as they are. `target`: what the tool was made
    of. `hold`: nothing of its arguments is shown before they have ended and passed. Made by `tool` and `Tools`; no need
    to build one by hand.
    """

    __slots__ = ("hold", "name", "target", "validate")

    def __init__(
        self, name: str, validate: Callable[[Any], Checked] | None, target: object, *, hold: bool = False
    ) -> None:
        self.name = name
        self.validate = validate
        self.target = target
        self.hold = hold

    def __repr__(self) -> str:
        return f"<Tool {self.name}>"
