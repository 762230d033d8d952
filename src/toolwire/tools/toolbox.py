"""A stream's tools, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolwire.errors import UsageError
from toolwire.tools.judge import Verdict, judge
from toolwire.tools.sources import tools_of
from toolwire.trust import CallError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolwire.partial.repairs import RepairName
    from toolwire.tools.check import Tool

__all__ = ["Tools"]


class Tools:
    """The tools that a caller offers, by name.

    `sources`: what `tool` takes, and lists of it. Made once, it can serve any number of streams. Raises `UsageError`
    for what describes no tool, and for two tools of one name.
    """

    def __init__(self, sources: Iterable[object]) -> None:
        if isinstance(sources, str | bytes | dict) or not hasattr(sources, "__iter__"):
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

    @property
    def hold(self) -> bool:
        """Whether any of them is held."""
        return any(tool.hold for tool in self)

    def judge(self, name: str, value: Any, text: str, repairs: frozenset[RepairName]) -> Verdict:
        """What the arguments of a call are for the tool that it names. `repairs`: those that may be made."""
        tool = self._tools.get(name)
        if tool is None:
            known = ", ".join(sorted(self._tools)) or "none"
            return Verdict(error=CallError("unknown_tool", f"there is no tool {name!r}; the tools are: {known}"))
        return judge(tool.validate, value, text, repairs)
