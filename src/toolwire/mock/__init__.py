"""A provider that answers by script, or makes valid answers up, and fails in every way that real ones do."""

from __future__ import annotations
