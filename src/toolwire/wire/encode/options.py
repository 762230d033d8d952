"""What a caller may say about how events are written for a client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

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
    framing: Literal["sse", "json-lines"] = "sse"


class EncodeOptions(TypedDict, total=False):
    """What `encode`, `response` and `Encoder` can be told.

    `model`, `message_id`: what the client is told instead of the provider's own. `created`: seconds since 1970, for the
    wires that have such a field (the edges take the clock's). `usage`: whether token counts are passed on, where a
    client may not expect them. `fail_on_cut`: a turn that was cut inside a call's arguments (`length`,
    `content_filter`) ends as an error, because many clients would run the half call; False tells the reason instead.
    `show_errors`: show users' clients what went wrong in the provider's words. `client`: the version that reads the
    stream, where newer ones understand more. `run`: the client's request, where the wire wants its ids back.
    `framing`: "sse" or "json-lines", where the wire has both.

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
    framing: Literal["sse", "json-lines"]
    pace: Pace | None
    coalesce: Coalesce | None
    keep_alive: float | None
