"""The options of a stream, as a type for those who pass them on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from toolwire.events import FinishReason
    from toolwire.guards import Guard, Watch
    from toolwire.limits import Limits
    from toolwire.partial import RepairName
    from toolwire.timing import Timeouts
    from toolwire.tools import Tools

__all__ = ["StreamOptions"]


class StreamOptions(TypedDict, total=False):
    """The options of `Stream`, which `stream`, `astream`, `collect` and `acollect` take too."""

    framing: Literal["auto", "sse", "json-lines", "json-array", "aws-eventstream"]
    changes: bool
    repairs: Collection[RepairName]
    accept_repaired: bool
    confirm: Literal["turn", "call"]
    execute_on: Collection[FinishReason]
    limits: Limits
    timeouts: Timeouts
    tools: Tools | Iterable[object]
    early_check: bool
    text_schema: object
    guards: Iterable[Guard | Watch]
