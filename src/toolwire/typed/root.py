"""The draft of a whole live value: what is due when that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from toolwire.partial.changes import MISSING
from toolwire.tools.check import checked_by
from toolwire.trust import Problem
from toolwire.typed.drafts import Draft, kept

if TYPE_CHECKING:
    from toolwire.live_value import LiveValue
    from toolwire.tools.check import Finding
    from toolwire.typed.shapes import Model

__all__ = ["Root"]


class Root(Draft):
    """Follows the live value itself."""

    __slots__ = ("_adopted", "_model", "_wrong", "done")

    def __init__(self, model: Model) -> None:
        super().__init__(model.fields)
        self.done = False
        self._model = model
        self._adopted = False  # the typed object was there, and nothing will change
        self._wrong = False  # it isn't an object

    def look(self, live: LiveValue) -> None:
        """Take in what is new."""
        if live._parser is None or live.hidden or self._adopted:
            return
        if not self.done:
            value = live.partial
            # An empty object may turn out to be a placeholder, until it has ended; so may no text at all.
            over = live.status in ("complete", "repaired") or (live.closed and (live.done or value != {}))
            self._wrong = not isinstance(value, dict)
            if not self._wrong:
                self.update(value, None if over else live.open_path)
            self.done = over
            if over:
                self._finish(value)
        if self.done and self._of_model(live._typed):
            self._adopt(live._typed)

    def problems(self) -> list[Problem]:
        """What is wrong with closed fields, and that the value is no object."""
        return ([Problem((), "not an object")] if self._wrong else []) + super().problems()

    def _finish(self, value: Any) -> None:
        """Settle what the end of the text decides: repeated keys, defaults, and fields that look at others."""
        if self._wrong:
            return
        for field in self.fields.by_name.values():
            key = next((key for key in field.keys if key in value), None)
            if key is not None and not field.late and self._raw.get(field.name, MISSING) is not value[key]:
                self._settle(key, field.shape)
        if len(self._values) == len(self.fields.by_name) and not self._model.remade:
            return
        whole = checked_by(self._model.check, value)
        if whole.findings:
            self._blame(whole.findings, value)
        else:
            self._adopt(whole.value)

    def _adopt(self, final: Any) -> None:
        """Take over what fields came to in the typed object: unset ones, and those that its own checks changed."""
        self._adopted = True
        self._found.clear()
        for name in self.fields.by_name:
            value = final.get(name, MISSING) if isinstance(final, dict) else getattr(final, name, MISSING)
            if value is MISSING or value is msgspec.UNSET:
                self._values.pop(name, None)
            elif name not in self._values:
                self._values[name] = value
            elif self._model.remade:
                self._values[name] = kept(self._values[name], value)

    def _blame(self, findings: tuple[Finding, ...], value: dict[str, Any]) -> None:
        """Keep what the check of the whole says of fields that had to wait for it."""
        for each in findings:
            field = self.fields.by_key.get(str(each.path[0])) if each.path else None
            if field is not None and field.late and each.path[0] in value:
                self._found.setdefault(field.name, []).append(Problem(each.path, each.message))

    def _of_model(self, typed: Any) -> bool:
        kind = self._model.kind
        return typed is not MISSING and isinstance(kind, type) and type(typed) is kind
