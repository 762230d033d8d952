"""What a conversation comes to, whatever the wire: rounds of calls, results that wait for an answer, the last text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolwire.encoding import encode
from toolwire.mock.asked import Result

__all__ = ["Conversation", "json_text", "text_of"]


@dataclass(slots=True)
class Conversation:
    """Follows a conversation from its beginning.

    Calls that stand beside each other are one round. Results wait for an answer until the model or the user has said
    something after them.
    """

    rounds: int = 0
    user: str = ""
    results: list[Result] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    _calling: bool = False

    def call(self, id: str, name: str) -> None:
        """The model has called a tool."""
        self.rounds += not self._calling
        self._calling = True
        self.results.clear()
        self.names[id] = name

    def result(self, id: str, text: str, name: str = "") -> None:
        """A call's result. `name`: of its tool, where the wire says it."""
        self._calling = False
        self.results.append(Result(id, name or self.names.get(id, ""), text))

    def model(self) -> None:
        """The model has said something, perhaps beside calls."""
        self.results.clear()

    def says(self, text: str, *, beside_results: bool = False) -> None:
        """The user has said something. `beside_results`: in the same message as results, which still wait."""
        if not text:  # an image of a tool's comes as a message of the user's
            return
        self.user = text
        self._calling = False
        if not beside_results:
            self.results.clear()


def json_text(value: Any) -> str:
    """A value as JSON text; "" for one that is nested too deep for that."""
    try:
        return encode(value)
    except RecursionError:
        return ""


def text_of(content: Any) -> str:
    """The text of a content: a string, the text among parts, or anything else as JSON."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if not isinstance(content, list):
        return json_text(content)
    return "\n".join(
        part if isinstance(part, str) else part["text"]
        for part in content
        if isinstance(part, str) or (isinstance(part, dict) and isinstance(part.get("text"), str))
    )
