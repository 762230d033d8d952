"""Bounds on everything a peer can make grow. Each is a security limit with a default that real traffic never meets."""

from __future__ import annotations

import msgspec

from toolwire.errors import UsageError

__all__ = ["Limits"]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of one stream; going over one ends the stream with a `StreamError` of kind "limit".

    `event_bytes`: one framed event. `argument_chars`: the argument text of one call. `depth`: nesting of one call's
    arguments. `digits`: one number in them. `name_chars`: one tool's name. `calls`, `choices`: how many there are in
    one stream. `array_index`: the largest index in a path. Depth and digits end only the call that went over them.
    Raises `UsageError` for a limit that is no positive integer.
    """

    event_bytes: int = 16 * 1024 * 1024
    argument_chars: int = 64 * 1024 * 1024
    depth: int = 512
    digits: int = 4300
    name_chars: int = 1024 * 1024
    calls: int = 10_000
    choices: int = 1024
    array_index: int = 100_000

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise UsageError(f"the limit {name} is a positive integer, not {value!r}")
