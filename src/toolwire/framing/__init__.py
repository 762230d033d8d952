"""Bytes to payload frames, without I/O. Payloads are not decoded; only errors in binary frames are put as JSON."""

from __future__ import annotations

from toolwire.framing.aws_eventstream import AWSEventStreamFramer
from toolwire.framing.base import MAX_EVENT_BYTES, Frame, Framer
from toolwire.framing.detect import FRAMINGS, AutoFramer, detect
from toolwire.framing.json_array import JSONArrayFramer
from toolwire.framing.ndjson import JSONLinesFramer
from toolwire.framing.sse import SSEFramer

__all__ = [
    "FRAMINGS",
    "MAX_EVENT_BYTES",
    "AWSEventStreamFramer",
    "AutoFramer",
    "Frame",
    "Framer",
    "JSONArrayFramer",
    "JSONLinesFramer",
    "SSEFramer",
    "detect",
]
