"""A stream's tools, and the verdict on a call that has ended well: its arguments typed, or what is wrong with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from toolwire.errors import UsageError
from toolwire.partial.changes import copy_value
from toolwire.partial.repairs import Repair
from toolwire.tools.integers import whole
from toolwire.tools.locate import locate
from toolwire.tools.sources import tools_of
from toolwire.trust import CallError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolwire.call import ToolCall
    from toolwire.partial.changes import Path
    from toolwire.partial.repairs import RepairName
    from toolwire.tools.check import Checked, Finding, Tool

__all__ = ["Tools"]

# How often arguments are mended and checked again: a validator may tell of one problem at a time.
_ROUNDS = 64


class Tools:
    """The tools that a caller offers, by name.

    `sources`: what `tool` takes, and lists of it. Made once, it can serve any number of streams. Raises `UsageError`
    for what describes no tool, and for two tools of one name.
    """

    def __init__(self, sources: Iterable[object]) -> None:
        if isinstance(sources, str | bytes | dict):
            raise UsageError(f"tools is a list of tools, not {type(sources).__name__}")
        self._tools: dict[str, Tool] = {}
        for source in sources:
            for tool in tools_of(source):
                if tool.name in self._tools:
                    raise UsageError(f"two tools are called {tool.name!r}")
                self._tools[tool.name] = tool

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def get(self, name: str) -> Tool | None:
        """The tool of a name, None if there is none."""
        return self._tools.get(name)

    def judge(self, call: ToolCall, value: Any, repairs: frozenset[RepairName]) -> Verdict:
        """What a call's arguments are for the tool that it names. `repairs`: those that may be made."""
        tool = self._tools.get(call.name)
        if tool is None:
            known = ", ".join(sorted(self._tools)) or "none"
            return Verdict(error=CallError("unknown_tool", f"there is no tool {call.name!r}; the tools are: {known}"))
        if tool.validate is None:
            return Verdict(value)
        first = checked = tool.validate(value)
        text = call.buf
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
            checked = tool.validate(mended)
        return Verdict(error=_error(first, text))


class Verdict:
    """The typed arguments and what was mended in them, or the error."""

    __slots__ = ("error", "repairs", "value")

    def __init__(self, value: Any = None, repairs: tuple[Repair, ...] = (), error: CallError | None = None) -> None:
        self.value = value
        self.repairs = repairs
        self.error = error


def _error(checked: Checked, text: str) -> CallError:
    problems = tuple(_problem(finding, text) for finding in checked.findings)
    first = problems[0]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return CallError("schema", f"{first}{more}", first.offset, problems)


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
