"""The request forms: how each provider wants a turn written down, found through this table.

A form's module has `write(turn)`, which gives the entries of a `toolwire.history.Turn`. What a provider takes as an id
or a name is in `rules.py`. A new form is a new file and a new row.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from toolwire.errors import UsageError
from toolwire.partial.changes import copy_value
from toolwire.wire import ALIASES
from toolwire.wire.history.rules import IDS, NAMES

if TYPE_CHECKING:
    from toolwire.history import Turn
    from toolwire.wire.history.rules import Rule

__all__ = ["FORMS", "Form", "form_of"]


@dataclass(frozen=True, slots=True)
class Form:
    """A row of the table."""

    name: str
    module: str

    @property
    def ids(self) -> Rule:
        """What it takes as a call's id."""
        return IDS[self.name]

    @property
    def names(self) -> Rule:
        """What it takes as a tool's name."""
        return NAMES[self.name]

    def write(self, turn: Turn) -> list[dict[str, Any]]:
        """The entries of a turn, which share nothing with it and can be encoded."""
        entries: list[dict[str, Any]] = import_module(f"toolwire.wire.history.{self.module}").write(turn)
        return _sendable(entries)


def _sendable(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A copy in which halves of surrogate pairs, which no encoding has, are replaced."""
    copied = cast("list[dict[str, Any]]", copy_value(entries))
    waiting: list[Any] = [copied]
    while waiting:
        holder = waiting.pop()
        if isinstance(holder, dict) and any(_whole(key) != key for key in holder):
            members = [(_whole(key), each) for key, each in holder.items()]
            holder.clear()
            holder.update(members)
        for key, each in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            if isinstance(each, dict | list):
                waiting.append(each)
            elif isinstance(each, str):
                holder[key] = _whole(each)
    return copied


def _whole(text: str) -> str:
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


FORMS: dict[str, Form] = {
    form.name: form
    for form in (
        Form("anthropic", "anthropic"),
        Form("bedrock-converse", "bedrock_converse"),
        Form("bedrock-invoke", "anthropic"),
        Form("cohere", "cohere"),
        Form("gemini", "gemini"),
        Form("mistral", "openai_chat"),
        Form("ollama", "ollama"),
        Form("openai-chat", "openai_chat"),
        Form("openai-responses", "openai_responses"),
    )
}


def form_of(wire: str) -> Form:
    """The form of a wire, by its name or an alias. Raises `UsageError` for a wire that has none."""
    form = FORMS.get(wire) or FORMS.get(ALIASES.get(wire, wire))
    if form is None:
        raise UsageError(f"no request form for wire {wire!r}: use one of {', '.join(FORMS)}")
    return form
