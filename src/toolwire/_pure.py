"""Run from source although compiled modules stand beside it: what `TOOLWIRE_PURE=1` asks for."""

from __future__ import annotations

import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

__all__ = ["SourceFinder"]

_PACKAGE = __name__.rpartition(".")[0] + "."


class SourceFinder:
    """Finds this package's modules by their source, before the import system finds their compiled form."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The module's source, None for modules of other packages."""
        if not name.startswith(_PACKAGE):
            return None
        finders = (FileFinder(entry, (SourceFileLoader, SOURCE_SUFFIXES)) for entry in path or ())
        return next((spec for finder in finders if (spec := finder.find_spec(name, target))), None)


sys.meta_path.insert(0, SourceFinder)
