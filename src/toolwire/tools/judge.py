"""The verdict on a value that has ended well: typed, with what had to be mended in it, or what is wrong with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from toolwire.partial.changes import copy_value
from toolwire.partial.repairs import Repair
from toolwire.tools.check import checked_by
from toolwire.tools.integers import whole
from toolwire.tools.locate import locate
from toolwire.trust import CallError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwire.partial.changes import Path
    from toolwire.partial.repairs import RepairName
    from toolwire.tools.check import Checked, Finding

__all__ = ["Verdict", "judge"]

# How often a value is mended and checked again: a validator may tell of one problem at a time.
_ROUNDS = 64


class Verdict:
    """The typed arguments and what was mended in them, or the error."""

    __slots__ = ("error", "repairs", "value")

    def __init__(self, value: Any = None, repairs: tuple[Repair, ...] = (), error: CallError | None = None) -> None:
        self.value = value
        self.repairs = repairs
        self.error = error


def judge(validate: Callable[[Any], Checked] | None, value: Any, text: str, repairs: frozenset[RepairName]) -> Verdict:
    """What a check makes of a value. `text`: what it was written as. `repairs`: those that may be made."""
    if validate is None:
        return Verdict(value)
    first = checked = checked_by(validate, value)
    made: list[Repair] = []
    mended = value
    for _ in range(_ROUNDS):
        if not checked.findings:
            return Verdict(checked.value, tuple(made))
        if mended is value:
            mended = copy_value(value)
        new = [repair for finding in checked.findings if (repair := _mend(mended, finding.path, text, repairs))]
        if not new:
            break
        made += new
        checked = checked_by(validate, mended)
    return Verdict(error=_error(first, text))


def _error(checked: Checked, text: str) -> CallError:
    problems = tuple(_problem(finding, text) for finding in checked.findings)
    first = problems[0]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return CallError("schema", f"{first}{more}", first.offset, problems, checked.cause)


def _problem(finding: Finding, text: str) -> Problem:
    return Problem(finding.path, finding.message, locate(text, finding.path))


def _mend(value: Any, path: Path, text: str, repairs: frozenset[RepairName]) -> Repair | None:
    """Put right what can be put right without a guess at a place in a value; None if there is nothing of the kind."""
    if not path:
        return None
    holder: Any = None
    found: Any = value
    for step in path:
        holder = found
        try:
            found = holder[step]
        except (IndexError, KeyError, TypeError):
            return None
    if not isinstance(holder, dict | list):
        return None
    holder = cast("dict[str | int, Any]", holder)  # or a list: both are set the same way
    if whole(found) and "integral_float" in repairs:
        holder[path[-1]] = int(found)
        return Repair("integral_float", locate(text, path) or 0, json.dumps(found))
    if isinstance(found, str) and "stringified" in repairs:
        inner = _within(found)
        if inner is not None:
            holder[path[-1]] = inner
            return Repair("stringified", locate(text, path) or 0, json.dumps(found, ensure_ascii=False))
    return None


def _within(text: str) -> Any:
    """The object or array that a string holds as JSON, None if it holds none."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(word: str) -> Any:
    raise ValueError(word)
