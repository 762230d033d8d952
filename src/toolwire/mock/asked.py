"""What a client asked for, whatever the wire, and how a request is refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Asked", "Offered", "RefusedError", "Result"]


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool of the client's. `schema`: of its arguments, as JSON Schema; None for one that takes free text.

    `namespace`: what it is grouped under, "" for nothing.
    """

    name: str
    schema: dict[str, Any] | None
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a call. `name`: of its tool, found through the call if the wire doesn't say it."""

    id: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A request. `user`: the last text of the user's; `results`: the tool results at the end of the conversation;
    `rounds`: how often the model has called tools in it; `choice`: "auto", "none", "required" or the name of a tool
    that is offered; `usage`: whether a stream is to tell it; `partial_args`: the client can take streamed arguments and
    asked for them (Vertex); `sse`: False where a stream is to be one JSON array (Gemini); `dialect`: "mistral" or
    "azure" where the request is for them.
    """

    wire: str
    model: str
    stream: bool
    tools: tuple[Offered, ...] = ()
    results: tuple[Result, ...] = ()
    rounds: int = 0
    user: str = ""
    choice: str = "auto"
    parallel: bool = True
    usage: bool = True
    partial_args: bool = False
    body: dict[str, Any] = field(default_factory=dict, repr=False)
    sse: bool = True
    dialect: str = ""


class RefusedError(Exception):
    """A request that the provider would refuse, with the status and the body in which it says so."""

    def __init__(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        super().__init__(f"{status}: {body}")
        self.status = status
        self.body = body
        self.headers = headers or {}
