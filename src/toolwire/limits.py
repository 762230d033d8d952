"""Bounds on everything a peer can make grow. Each is a security limit with a default that real traffic never meets."""

from __future__ import annotations

import msgspec

__all__ = ["Limits"]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of one stream; going over one ends the stream with a `StreamError` of kind "limit".

    `event_bytes`: one framed event. `argument_chars`: the argument text of one call. `depth`: nesting of one call's
    arguments. `digits`: one number in them. `calls`: calls in one stream. `array_index`: the largest index in a path.
    Depth and digits end only the call that went over them.
    """

    event_bytes: int = 16 * 1024 * 1024
    argument_chars: int = 64 * 1024 * 1024
    depth: int = 512
    digits: int = 4300
    calls: int = 10_000
    array_index: int = 100_000
