"""Any model provider's streamed tool calls in, one stream of live, trustworthy calls out."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from toolwire.call import ToolCall
    from toolwire.encoder import Encoder
    from toolwire.errors import BadEndError, OutputError, ProviderError, ToolCallError, ToolwireError, UsageError
    from toolwire.events import (
        Event,
        Finish,
        MessageStart,
        ReasoningDelta,
        RefusalDelta,
        Reset,
        StreamError,
        TextDelta,
        ToolCallDelta,
        ToolCallEnd,
        ToolCallStart,
        ToolCallViolation,
        Unknown,
        Usage,
        Warned,
    )
    from toolwire.history import ToolResult, call_id, to_history, tool_name
    from toolwire.limits import Limits
    from toolwire.live import AsyncEventStream, EventStream, acollect, astream, collect, stream
    from toolwire.message import Choice, Message, Reasoning, Text
    from toolwire.options import StreamOptions
    from toolwire.outgoing import AsyncWriting, Writing, encode, response
    from toolwire.output import Output
    from toolwire.partial import DEFAULT_REPAIRS, MISSING, PartialJSON, Repair
    from toolwire.sansio import Stream
    from toolwire.smoothing import Coalesce, Pace
    from toolwire.speculation import Speculation, speculate
    from toolwire.timing import Timeouts
    from toolwire.tools import Tool, Tools, tool
    from toolwire.trust import CallError, Problem
    from toolwire.typed import Partial, PartialDict, PartialList
    from toolwire.wire.encode.ids import original_id
    from toolwire.wire.encode.options import EncodeOptions

if os.environ.get("TOOLWIRE_PURE", "0") not in ("", "0"):
    import_module("toolwire._pure")

__version__ = "0.1.0"

build: Literal["compiled", "pure"]
"""Which build runs: "compiled" (machine code made of the same source), or "pure" Python."""

# name -> module; modules are imported when a name is first used, so that `import toolwire` stays cheap
_HOMES = {
    name: f"toolwire.{module}"
    for module, names in {
        "call": ("ToolCall",),
        "encoder": ("Encoder",),
        "errors": ("BadEndError", "OutputError", "ProviderError", "ToolCallError", "ToolwireError", "UsageError"),
        "events": (
            "Event",
            "Finish",
            "MessageStart",
            "ReasoningDelta",
            "RefusalDelta",
            "Reset",
            "StreamError",
            "TextDelta",
            "ToolCallDelta",
            "ToolCallEnd",
            "ToolCallStart",
            "ToolCallViolation",
            "Unknown",
            "Usage",
            "Warned",
        ),
        "history": ("ToolResult", "call_id", "to_history", "tool_name"),
        "limits": ("Limits",),
        "live": ("AsyncEventStream", "EventStream", "acollect", "astream", "collect", "stream"),
        "message": ("Choice", "Message", "Reasoning", "Text"),
        "partial": ("DEFAULT_REPAIRS", "MISSING", "PartialJSON", "Repair"),
        "options": ("StreamOptions",),
        "outgoing": ("AsyncWriting", "Writing", "encode", "response"),
        "output": ("Output",),
        "sansio": ("Stream",),
        "smoothing": ("Coalesce", "Pace"),
        "speculation": ("Speculation", "speculate"),
        "timing": ("Timeouts",),
        "tools": ("Tool", "Tools", "tool"),
        "trust": ("CallError", "Problem"),
        "typed": ("Partial", "PartialDict", "PartialList"),
        "wire.encode.ids": ("original_id",),
        "wire.encode.options": ("EncodeOptions",),
    }.items()
    for name in names
}

__all__ = [
    "DEFAULT_REPAIRS",
    "MISSING",
    "AsyncEventStream",
    "AsyncWriting",
    "BadEndError",
    "CallError",
    "Choice",
    "Coalesce",
    "EncodeOptions",
    "Encoder",
    "Event",
    "EventStream",
    "Finish",
    "Limits",
    "Message",
    "MessageStart",
    "Output",
    "OutputError",
    "Pace",
    "Partial",
    "PartialDict",
    "PartialJSON",
    "PartialList",
    "Problem",
    "ProviderError",
    "Reasoning",
    "ReasoningDelta",
    "RefusalDelta",
    "Repair",
    "Reset",
    "Speculation",
    "Stream",
    "StreamError",
    "StreamOptions",
    "Text",
    "TextDelta",
    "Timeouts",
    "Tool",
    "ToolCall",
    "ToolCallDelta",
    "ToolCallEnd",
    "ToolCallError",
    "ToolCallStart",
    "ToolCallViolation",
    "ToolResult",
    "Tools",
    "ToolwireError",
    "Unknown",
    "Usage",
    "UsageError",
    "Warned",
    "Writing",
    "acollect",
    "astream",
    "build",
    "call_id",
    "collect",
    "encode",
    "original_id",
    "response",
    "speculate",
    "stream",
    "to_history",
    "tool",
    "tool_name",
]


def __getattr__(name: str) -> Any:
    if name == "build":
        source = import_module("toolwire.partial.scanner").__file__ or ""
        value: Any = "pure" if source.endswith(".py") else "compiled"
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'toolwire' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
