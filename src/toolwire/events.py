"""The vocabulary: what a stream of calls is made of.

Every event is a frozen value with a literal `type`. `Event` is the closed union of them: match on the class, or on
`type` where the values travel as JSON. An event that concerns a call carries the live `ToolCall` itself; the call
goes on changing after the event was made, the event does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolwire.call import ToolCall
    from toolwire.partial import Change

__all__ = [
    "ErrorKind",
    "Event",
    "Finish",
    "FinishReason",
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
]

FinishReason = Literal[
    "tool_calls",
    "stop",
    "length",
    "content_filter",
    "pause",
    "error",
    "cancelled",
    "incomplete",
    "unknown",
]

ErrorKind = Literal[
    "rate_limit",
    "overloaded",
    "auth",
    "invalid_request",
    "context_length",
    "content_filter",
    "server",  # of the provider: the model or what it runs on failed
    "connection",  # it went away
    "protocol",  # the bytes are not what the wire allows
    "limit",  # a peer grew something past one of our limits
    "timeout",  # a limit in time passed
    "aborted",  # stopped from our side
]


# Stands for a payload that may hold what a tool marked `hold` keeps back. It is no payload of any wire.
WITHHELD: Final = {"type": "withheld"}


class MessageStart(msgspec.Struct, frozen=True):
    """A message begins: once per stream, and again after a `Reset` of the whole turn. `wire`: the protocol it is in."""

    type: ClassVar[Literal["message_start"]] = "message_start"
    id: str | None = None
    model: str | None = None
    wire: str | None = None


class TextDelta(msgspec.Struct, frozen=True):
    """A piece of the answer's text.

    `extra`: where a run of text begins, what has to go back with it in the next turn (an item's id), if anything.
    """

    type: ClassVar[Literal["text_delta"]] = "text_delta"
    text: str
    choice: int = 0
    extra: Mapping[str, Any] | None = None


class ReasoningDelta(msgspec.Struct, frozen=True):
    """A piece of reasoning, or the signature that closes it (then `text` may be empty).

    `field` is the provider's own name for where it stood, `extra` whatever else came with it: both are needed to
    replay the reasoning to the provider in the next turn.
    """

    type: ClassVar[Literal["reasoning_delta"]] = "reasoning_delta"
    text: str
    choice: int = 0
    field: str | None = None
    signature: str | None = None
    extra: Mapping[str, Any] | None = None


class RefusalDelta(msgspec.Struct, frozen=True):
    """A piece of a refusal, on wires that keep it apart from text."""

    type: ClassVar[Literal["refusal_delta"]] = "refusal_delta"
    text: str
    choice: int = 0


class _CallEvent(msgspec.Struct, frozen=True):
    call: ToolCall

    @property
    def id(self) -> str:
        """The call's id, unique in the stream."""
        return self.call.id

    @property
    def index(self) -> int:
        """The call's place by order of appearance in its choice, from 0."""
        return self.call.index

    @property
    def choice(self) -> int:
        """The choice the call belongs to."""
        return self.call.choice


class ToolCallStart(_CallEvent, frozen=True):
    """A call's name is known. Its arguments may not have begun."""

    type: ClassVar[Literal["tool_call_start"]] = "tool_call_start"


class ToolCallDelta(_CallEvent, frozen=True):
    """More argument text. The pieces of one call joined are its `buf`.

    `changes` lists what the text did to the live value, when the stream was asked for changes. `closes`: with this
    piece the text holds one whole value, so that only white space may follow (the call goes on until its end).
    """

    type: ClassVar[Literal["tool_call_delta"]] = "tool_call_delta"
    text: str
    changes: tuple[Change, ...] | None = None
    closes: bool = False


class ToolCallEnd(_CallEvent, frozen=True):
    """The call is over: `call.status` says what its arguments are. Not yet a leave to run it: see `Finish`."""

    type: ClassVar[Literal["tool_call_end"]] = "tool_call_end"


class ToolCallViolation(_CallEvent, frozen=True):
    """What came of a call's arguments can no longer become what its tool takes, whatever else comes.

    `path`: of the value; `keyword`: the JSON Schema keyword that it breaks ("name": there is no such tool); `message`:
    what is wrong, without the value; `at`: the characters of arguments that had come. Only with `early_check`.
    """

    type: ClassVar[Literal["tool_call_violation"]] = "tool_call_violation"
    path: tuple[str | int, ...]
    keyword: str
    message: str
    at: int


class Usage(msgspec.Struct, frozen=True):
    """Token counts as the provider reported them, so far. `raw` is its own object."""

    type: ClassVar[Literal["usage"]] = "usage"
    input_tokens: int | None = None
    output_tokens: int | None = None
    raw: Mapping[str, Any] = {}


class Finish(msgspec.Struct, frozen=True):
    """The turn of one choice is over. `calls` lists, in order, the calls that may be executed.

    `raw` holds every finish reason the wire sent, repeats kept.
    """

    type: ClassVar[Literal["finish"]] = "finish"
    reason: FinishReason
    calls: tuple[ToolCall, ...] = ()
    raw: tuple[str, ...] = ()
    choice: int = 0


class Reset(msgspec.Struct, frozen=True):
    """What was said of `calls` no longer holds: don't run them, undo what was started early.

    `scope` "turn": the provider began its message anew, and text and reasoning so far are void too.
    `scope` "calls": just these.
    """

    type: ClassVar[Literal["reset"]] = "reset"
    calls: tuple[ToolCall, ...]
    reason: str
    scope: Literal["turn", "calls"] = "calls"


class StreamError(msgspec.Struct, frozen=True):
    """The turn failed. No call is open any more and none of the turn is executable.

    `code` is the provider's own code, type or status as text; `raw` its error object; `status` the HTTP status;
    `retryable` whether the same request may do better later, after `retry_after` seconds where that is known; `call`
    the one call the error is about, if it is about one; `offset` the byte of the stream where a protocol error lies.
    """

    type: ClassVar[Literal["stream_error"]] = "stream_error"
    kind: ErrorKind
    message: str
    code: str | None = None
    status: int | None = None
    retryable: bool = False
    retry_after: float | None = None
    wire: str | None = None
    offset: int | None = None
    call: ToolCall | None = None
    raw: Any = None


class Warned(msgspec.Struct, frozen=True):
    """A guard's warning, right behind the event that it is about. `call`: the call, where the event concerned one."""

    type: ClassVar[Literal["warned"]] = "warned"
    reason: str
    call: ToolCall | None = None


class Unknown(msgspec.Struct, frozen=True):
    """Something the wire sent that has no meaning here. It is passed on, not dropped."""

    type: ClassVar[Literal["unknown"]] = "unknown"
    payload: Any
    event: str = ""


Event = (
    MessageStart
    | TextDelta
    | ReasoningDelta
    | RefusalDelta
    | ToolCallStart
    | ToolCallDelta
    | ToolCallEnd
    | ToolCallViolation
    | Usage
    | Finish
    | Reset
    | StreamError
    | Unknown
    | Warned
)
