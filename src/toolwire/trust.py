"""What a caller takes as leave to run a call, and why there may be none."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

__all__ = ["CallError", "Problem", "Trust"]


# Enough of a long list for a model to go on with.
_LISTED = 20
_SHOWN = 300

# How validators say that a member isn't there.
_MISSING = ("missing", "Field required")

# Reasons whose messages hold nothing of the arguments.
_TELLS_NOTHING = frozenset({"cut", "rejected", "reset", "unknown_tool"})


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong with arguments: where (keys and indexes, () for the whole), what, and at which character.

    `offset` is that of the value in the argument text, or of the object in which it is missing; None where that isn't
    known.
    """

    path: tuple[str | int, ...]
    message: str
    offset: int | None = None

    def __str__(self) -> str:
        place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path).removeprefix(".")
        return f"{place}: {self.message}" if place else self.message


_NOT_VALID = Problem((), "not valid")


class CallError(msgspec.Struct, frozen=True):
    """Why a call's arguments can't be used. `offset` is in characters of the argument text, where there is one.

    `reason` is one of "malformed", "truncated", "concatenated", "not_an_object", "depth", "digits", "path_order",
    "snapshot_mismatch" (the text itself), "cut" (the turn ended first), "rejected", "reset", "nameless", and, where the
    stream knows the tools, "unknown_tool" and "schema", which has an entry in `problems` for each thing that is wrong.
    `cause`: the exception that a check raised, where it broke.
    """

    reason: str
    message: str
    offset: int | None = None
    problems: tuple[Problem, ...] = ()
    cause: Any = None

    def withheld(self) -> CallError:
        """The same without a word of the arguments: for those that are not to be seen."""
        if self.reason in _TELLS_NOTHING:
            return self
        # A path may hold the model's own keys; only that a member isn't there tells none of them.
        found = dict.fromkeys(
            Problem(each.path, "missing") if len(each.path) == 1 and each.message.endswith(_MISSING) else _NOT_VALID
            for each in self.problems
        )
        problems = tuple(found)
        return CallError(self.reason, f"the arguments can't be used ({self.reason})", None, problems)

    def for_model(self) -> str:
        """A short message that can go back to the model as the tool's result. The arguments' values aren't in it."""
        if not self.problems:
            return f"The tool was not run: {self.message[:_SHOWN]}."
        lines = [f"- {str(problem)[:_SHOWN]}" for problem in self.problems[:_LISTED]]
        if len(self.problems) > _LISTED:
            lines.append(f"- and {len(self.problems) - _LISTED} more")
        return "\n".join(["The tool was not run, because its arguments are not valid:", *lines])


class Trust(msgspec.Struct, frozen=True):
    """What a caller takes as leave to run a call: see `Stream`."""

    confirm: Literal["turn", "call"] = "turn"
    accept_repaired: bool = True
    execute_on: frozenset[str] = frozenset({"tool_calls"})
