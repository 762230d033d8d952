"""Bedrock InvokeModel: the message of a Claude model, as Anthropic has it."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import TYPE_CHECKING, Any

from toolwire.wire.bodies.anthropic import fold_events

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.wire.encode.base import Frame

__all__ = ["fold"]


def fold(frames: Iterable[Frame]) -> dict[str, Any]:
    """The message that chunks come to."""
    return fold_events(json.loads(b64decode(payload["bytes"])) for _, payload in frames)
