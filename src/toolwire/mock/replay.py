"""Recorded streams as answers: a file of a folder for each model, by its name without what follows the last dot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from toolwire.errors import UsageError
from toolwire.framing import AutoFramer
from toolwire.framing.writers import WRITERS
from toolwire.mock.plan import Plan, Step, ended

if TYPE_CHECKING:
    from toolwire.mock.settings import Settings

__all__ = ["Replay"]


class Replay:
    """The recordings of a folder. Raises `UsageError` where there is none."""

    def __init__(self, folder: str | Path) -> None:
        try:
            files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        except OSError as error:
            raise UsageError(f"cannot read {folder}: {error}") from None
        if not files:
            raise UsageError(f"there are no recordings in {folder}")
        self._files = {path.stem: path for path in files} | {path.name: path for path in files}

    @property
    def names(self) -> list[str]:
        """The recordings' names."""
        return sorted(self._files)

    def plan(self, model: str, settings: Settings) -> Plan | None:
        """A model's recording, one frame at a time, with the network's faults; None if it has none."""
        name = model.partition("?")[0].rpartition("/")[2]
        path = self._files.get(name)
        if path is None:
            return None
        data = path.read_bytes()
        framer = AutoFramer()
        frames = [*framer.feed(data), *framer.end()]
        starts = sorted({frame[2] for frame in frames})[1:]  # what is before the first goes with it
        pieces = [data[start:end] for start, end in zip([0, *starts], [*starts, len(data)], strict=True)]
        steps = [Step(settings.ttfb if place == 0 else settings.delay, piece, 1) for place, piece in enumerate(pieces)]
        media_type = WRITERS[framer.name or "sse"].media_type
        plan = Plan(200, (("content-type", media_type),), tuple(steps), head=settings.head)
        return ended(plan, settings, len(steps) // 2)
