"""What a caller takes as leave to run a call, and why there may be none."""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = ["CallError", "Trust"]


class CallError(msgspec.Struct, frozen=True):
    """Why a call's arguments can't be used. `offset` is in characters of the argument text, where there is one.

    `reason` is one of "malformed", "truncated", "concatenated", "not_an_object", "depth", "digits", "path_order",
    "snapshot_mismatch" (the text itself), "cut" (the turn ended first), "rejected", "reset", "nameless".
    """

    reason: str
    message: str
    offset: int | None = None


class Trust(msgspec.Struct, frozen=True):
    """What a caller takes as leave to run a call: see `Stream`."""

    confirm: Literal["turn", "call"] = "turn"
    accept_repaired: bool = True
    execute_on: frozenset[str] = frozenset({"tool_calls"})
