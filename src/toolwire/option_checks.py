"""A stream's options, checked: what is wrong with them is said before anything is read."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from toolwire.errors import UsageError
from toolwire.framing import FRAMINGS
from toolwire.limits import Limits
from toolwire.timing import Timeouts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from toolwire.events import FinishReason
    from toolwire.tools import Tools

__all__ = ["EXECUTE_ON", "as_tools", "check_options", "demand_engine"]

EXECUTE_ON: Final[tuple[FinishReason, ...]] = ("tool_calls",)
# What a caller may take as leave. Nothing of a failed, cancelled or broken-off turn is ever executable.
EXECUTABLE_ON: Final[tuple[FinishReason, ...]] = ("tool_calls", "stop", "length", "content_filter", "pause", "unknown")


def check_options(
    confirm: str, execute_on: Collection[FinishReason], limits: object, timeouts: object, framing: str
) -> None:
    """Raise `UsageError` for what a stream can't be made with."""
    if confirm not in ("turn", "call"):
        raise UsageError(f"confirm is 'turn' or 'call', not {confirm!r}")
    if isinstance(execute_on, str) or not set(execute_on) <= set(EXECUTABLE_ON):
        raise UsageError(f"execute_on is a collection of {', '.join(EXECUTABLE_ON)}, not {execute_on!r}")
    if not isinstance(limits, Limits | None):
        raise UsageError(f"limits is a toolwire.Limits, not {limits!r}")
    if not isinstance(timeouts, Timeouts | None):
        raise UsageError(f"timeouts is a toolwire.Timeouts, not {timeouts!r}")
    if framing != "auto" and framing not in FRAMINGS:
        raise UsageError(f"unknown framing {framing!r}: use 'auto' or one of {', '.join(sorted(FRAMINGS))}")


def as_tools(tools: Tools | Iterable[object]) -> Tools:
    """A caller's tools, prepared."""
    from toolwire.tools import Tools  # only who has tools needs what reads them

    if not hasattr(tools, "__iter__"):
        raise UsageError(f"tools is a list of tools, not {tools!r}")
    return tools if isinstance(tools, Tools) else Tools(tools)


def demand_engine() -> None:
    """Raise `UsageError` where what judges schemas is not installed."""
    try:
        import_module("jsonschema_rs")
    except ImportError:
        raise UsageError("the early check needs jsonschema-rs: pip install 'toolwire[jsonschema]'") from None
