"""Quirks of Bedrock's InvokeModelWithResponseStream: its exceptions, and what the model's own stream may do."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Final

from toolwire.framing.writers import EXCEPTION, dumped
from toolwire.mock.quirks import anthropic
from toolwire.mock.quirks.bedrock import EXCEPTIONS
from toolwire.mock.quirks.kit import payloads, quirk

if TYPE_CHECKING:
    from toolwire.mock.quirks import Quirk
    from toolwire.mock.quirks.kit import Bend
    from toolwire.wire.encode.base import Frame

QUIRKS: Final[dict[str, Quirk]] = {}

# Claude's own quirks; those of gateways and servers that copy it can't stand in Bedrock.
_CLAUDES: Final = (
    "input-in-start",
    "eager-raw-control",
    "eager-cut",
    "eager-malformed",
    "input-empty",
    "first-delta-empty",
)


def _opened(frames: list[Frame]) -> list[Frame]:
    """The model's own frames."""
    return [_open(frame) for frame in frames]


def _open(frame: Frame) -> Frame:
    event, payload = frame
    if event != "chunk" or not isinstance(payload, dict) or "bytes" not in payload:
        return frame
    inner = json.loads(base64.b64decode(payload["bytes"]))
    return inner.get("type") or "", inner


def _closed(frames: list[Frame]) -> list[Frame]:
    """The same in Bedrock's."""
    return [
        frame
        if frame[0].startswith(EXCEPTION) or frame[0] == "chunk"
        else ("chunk", {"bytes": base64.b64encode(dumped(frame[1])).decode()})
        for frame in frames
    ]


def _within(bend: Bend) -> Bend:
    return lambda frames: _closed(bend(_opened(frames)))


def _exception(name: str, message: str) -> Bend:
    def bend(frames: list[Frame]) -> list[Frame]:
        error: dict[str, Any] = {"message": message}
        return [*frames[: anthropic.middle_of(_opened(frames))], (EXCEPTION + name, error)]

    return bend


for _name, (_type, _message) in EXCEPTIONS.items():
    quirk(
        QUIRKS,
        _name,
        f"in the middle of the first call: a frame with the exception `{_type}`, and nothing more",
        "other.md: 6 (exceptions mid-stream; AWS's API reference)",
    )(_exception(_type, _message))

for _name in _CLAUDES:
    _inner = anthropic.QUIRKS[_name]
    quirk(QUIRKS, _name, _inner.does, _inner.seen)(_within(_inner.bend))


@quirk(
    QUIRKS,
    "metrics-missing",
    "no `amazon-bedrock-invocationMetrics` in the last payload",
    "not in the references",
)
def _metrics_missing(frames: list[Frame]) -> list[Frame]:
    opened = _opened(frames)
    for payload in payloads(opened):
        payload.pop("amazon-bedrock-invocationMetrics", None)
    return _closed(opened)


@quirk(QUIRKS, "padding", "`p`, of any length, stands beside `bytes`", "other.md: 0 (Invoke, all recordings)")
def _padding(frames: list[Frame]) -> list[Frame]:
    for place, payload in enumerate(payloads(frames)):
        payload["p"] = "abcdefghijklmnopqrstuvwxyz"[: place % 26 + 1]
    return frames


@quirk(QUIRKS, "end-missing", "neither a stop reason nor `message_stop`", "other.md: 0 (end of bytes)")
def _end_missing(frames: list[Frame]) -> list[Frame]:
    return _within(anthropic.QUIRKS["end-missing"].bend)(frames)
