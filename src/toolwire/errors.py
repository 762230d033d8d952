"""The exceptions. Whose fault it is is in the type.

`ProviderError`: the bytes that came are wrong. `UsageError`: the caller of this library is.
Inside a stream nothing is raised for a provider's fault: it becomes a `StreamError` event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolwire.call import ToolCall
    from toolwire.events import StreamError
    from toolwire.output import Output
    from toolwire.trust import CallError

__all__ = ["BadEndError", "OutputError", "ProviderError", "ToolCallError", "ToolwireError", "UsageError"]


class ToolwireError(Exception):
    """The base of everything this library raises on purpose."""


class UsageError(ToolwireError, ValueError):
    """The caller asked for something that can't be: an unknown wire, a feed after the end, a bad path."""


class ProviderError(ToolwireError):
    """What the provider sent is wrong, cut off or an error of its own.

    `kind` is a short machine-readable word, `wire` the protocol it was read as, `offset` the position of the
    first offending character or byte, each where known.
    """

    def __init__(
        self, message: str, *, kind: str = "protocol", wire: str | None = None, offset: int | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.wire = wire
        self.offset = offset


class ToolCallError(ProviderError):
    """A call's arguments were asked for, but they are incomplete or invalid. `error` says why and where."""

    def __init__(self, message: str, *, call: ToolCall, error: CallError) -> None:
        super().__init__(message, kind=error.reason, offset=error.offset)
        self.call = call
        self.error = error


class OutputError(ProviderError):
    """The answer was asked for as JSON, but it is incomplete, invalid or not there. `error` says why and where."""

    def __init__(self, message: str, *, output: Output, error: CallError) -> None:
        super().__init__(message, kind=error.reason, offset=error.offset)
        self.output = output
        self.error = error


class BadEndError(ToolwireError):
    """What was written for a client ends badly, and the client was told. Now its connection has to be broken off.

    Let it pass through to the server: an exception while a body is sent is what makes servers do so. `error` says what
    went wrong.
    """

    def __init__(self, error: StreamError) -> None:
        super().__init__(error.message)
        self.error = error
