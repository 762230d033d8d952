"""What a caller may say about how events are written for a client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from toolwire.errors import UsageError

if TYPE_CHECKING:
    from toolwire.smoothing import Coalesce, Pace

__all__ = ["EncodeOptions", "Options"]


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one wire's encoder. Which of them a wire knows is in the table of encoders."""

    model: str | None = None
    message_id: str | None = None
    created: int = 0
    usage: bool | None = None
    fail_on_cut: bool = True
    show_errors: bool = False
    client: int | str | None = None
    run: Any = None
    framing: Literal["sse", "json-lines", "json-array"] = "sse"
    partial_args: bool = False

    def __post_init__(self) -> None:
        for name, kind in _TYPES.items():
            value = getattr(self, name)
            if value is not None and type(value) is not kind:
                raise UsageError(f"{name} is {_WORDS[kind]}, not {value!r}")


_TYPES: dict[str, type] = {
    "model": str,
    "message_id": str,
    "created": int,
    "usage": bool,
    "fail_on_cut": bool,
    "show_errors": bool,
    "framing": str,
    "partial_args": bool,
}
_WORDS: dict[type, str] = {str: "a text", int: "a whole number", bool: "True or False"}


class EncodeOptions(TypedDict, total=False):
    """What `encode`, `response` and `Encoder` can be told.

    `model`, `message_id`: what the client is told instead of the provider's own. `created`: seconds since 1970, for the
    wires that have such a field (the edges take the clock's). `usage`: whether token counts are passed on, where a
    client may not expect them. `fail_on_cut`: a turn that was cut inside a call's arguments (`length`,
    `content_filter`) ends as an error, because many clients would run the half call; False tells the reason instead.
    `show_errors`: show users' clients what went wrong in the provider's words. `client`: the version that reads the
    stream, where newer ones understand more. `run`: the client's request, where the wire wants its ids back.
    `framing`: "sse", or "json-lines" or "json-array" where the wire has that too. `partial_args`: stream the arguments,
    where a wire has a form for that and mostly doesn't use it.

    `pace`: hand out the arguments of calls that come whole bit by bit (see `Pace`). `coalesce`: join tiny deltas (see
    `Coalesce`). `keep_alive`: seconds of silence after which a sign of life is sent, None for never.
    """

    model: str | None
    message_id: str | None
    created: int
    usage: bool
    fail_on_cut: bool
    show_errors: bool
    client: int | str
    run: Any
    framing: Literal["sse", "json-lines", "json-array"]
    partial_args: bool
    pace: Pace | None
    coalesce: Coalesce | None
    keep_alive: float | None
