"""Tools and tool choices as requests have them that are OpenAI's, or like them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolwire.mock.asked import Offered
from toolwire.mock.requests.incoming import an_object
from toolwire.wire._read import items, obj, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.mock.requests.openai_words import Words
    from toolwire.wire.history.rules import Rule

__all__ = ["NO_PARAMETERS", "choice_of", "function", "list_of"]

NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}

_MODES = {"any": "required", "auto": "auto", "none": "none", "required": "required"}


def list_of(body: dict[str, Any], name: str, words: Words) -> list[Any]:
    """A field that is an array of objects, or absent."""
    value = body.get(name)
    if value is None and name not in ("messages", "input"):
        return []
    if not isinstance(value, list):
        raise words.wrong_type(name, "an array of objects", value)
    for index, each in enumerate(value):
        if not isinstance(each, dict):
            raise words.wrong_type(f"{name}[{index}]", "an object", each)
    return value


def function(entry: dict[str, Any], param: str, names: Rule, words: Words) -> Offered:
    """A function that is declared at `param`."""
    name, schema = entry.get("name"), entry.get("parameters")
    if name is None:
        raise words.missing(f"{param}.name")
    if not isinstance(name, str):
        raise words.wrong_type(f"{param}.name", "a string", name)
    if not names.takes(name):
        raise words.wrong_name(f"{param}.name", name)
    if schema is None:
        return Offered(name, dict(NO_PARAMETERS))
    if not isinstance(schema, dict):
        raise words.wrong_type(f"{param}.parameters", "an object", schema)
    if not an_object(schema):
        raise words.wrong_schema(f"{param}.parameters", name, schema.get("type"))
    return Offered(name, schema)


def choice_of(value: Any, tools: tuple[Offered, ...]) -> tuple[str, tuple[Offered, ...]]:
    """What a `tool_choice` says, and the tools that it leaves: a mode, a tool's name, or "auto" where it says neither.

    The name is as it stands, whether it is a tool's or not.
    """
    if isinstance(value, str):
        return _MODES.get(value, "auto"), tools
    entry = obj(value)
    if entry.get("type") == "allowed_tools":
        allowed = obj(entry.get("allowed_tools")) or entry
        names = frozenset(_names(items(allowed.get("tools"))))
        return _MODES.get(text(allowed.get("mode")), "auto"), tuple(each for each in tools if each.name in names)
    return next(_names([entry]), "auto"), tools


def _names(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        inner = obj(obj(entry).get("function")) or obj(obj(entry).get("custom")) or obj(entry)
        if text(inner.get("name")):
            yield text(inner.get("name"))
