"""What a caller's tools take: a name and a check for each, made of whatever describes it."""

from __future__ import annotations

from toolwire.tools.check import Tool
from toolwire.tools.sources import check_of, tool
from toolwire.tools.toolbox import Tools

__all__ = ["Tool", "Tools", "check_of", "tool"]
