"""Incremental JSON: fragments in, a live value and an early verdict out, and path changes where wanted."""

from __future__ import annotations

from toolwire.partial.changes import MISSING, Change, Missing, Path, replay
from toolwire.partial.parser import PartialJSON, State
from toolwire.partial.repairs import DEFAULT_REPAIRS, Duplicate, Fault, FaultReason, Repair, RepairName

__all__ = [
    "DEFAULT_REPAIRS",
    "MISSING",
    "Change",
    "Duplicate",
    "Fault",
    "FaultReason",
    "Missing",
    "PartialJSON",
    "Path",
    "Repair",
    "RepairName",
    "State",
    "replay",
]
