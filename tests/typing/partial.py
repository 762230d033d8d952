"""How a partial looks to type checkers: it isn't the model, its fields are Any, what it has of its own is typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_type

from toolwire.trust import Problem
from toolwire.typed import Partial

if TYPE_CHECKING:
    import toolwire


@dataclass
class Form:
    city: str
    days: int


def book(form: Form) -> str:
    return form.city


def show(partial: Partial[Form]) -> str:
    return repr(partial)


def look(call: toolwire.ToolCall) -> None:
    partial = call.partial_as(Form)
    assert_type(partial, Partial[Form])
    show(partial)

    book(partial)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    form: Form = partial  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
    book(form)

    assert_type(partial.city, Any)
    assert_type(partial["city"], Any)
    assert_type(partial.get("days", 0), Any)
    assert_type("city" in partial, bool)
    assert_type(list(partial), list[str])
    assert_type(partial.keys(), list[str])
    assert_type(partial.as_dict(), dict[str, Any])
    assert_type(dict(partial), dict[str, Any])
    assert_type(partial.problems, tuple[Problem, ...])
    assert_type(partial.closed_fields, frozenset[str])
    assert_type(partial.done, bool)

    partial.city = "Paris"  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    partial["city"] = "Paris"  # pyright: ignore[reportIndexIssue]
    call.partial_as("Form")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


class Whole(Partial[Form]):  # type: ignore[misc]  # pyright: ignore[reportGeneralTypeIssues]
    pass
