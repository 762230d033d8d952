"""Tools of everything that can describe one: types, functions, schemas, and the lists that requests carry."""

from __future__ import annotations

import inspect
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import msgspec

from toolwire.errors import UsageError
from toolwire.payload import to_payload
from toolwire.tools.check import Tool, Validator
from toolwire.tools.validators import by_msgspec, by_pydantic, by_schema, is_pydantic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toolwire.tools.check import Checked

__all__ = ["check_of", "tool", "tools_of"]

# Where a request's entry for a tool has its schema, and what an entry may be wrapped in.
_SCHEMAS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema")
_WRAPPERS = ("function", "toolSpec", "tool_spec", "custom")
_LISTS = ("tools", "functionDeclarations", "function_declarations", "functions")

# What makes a bare dict a schema.
_KEYWORDS = frozenset(["$defs", "$ref", "$schema", "allOf", "anyOf", "oneOf", "properties", "type"])

# What a request wraps an answer's schema in, and what it says where there is none.
_FORMATS = (
    "response_format",
    "text",
    "output_config",
    "output_format",
    "format",
    "json_schema",
    "response_json_schema",
    "responseJsonSchema",
    "response_schema",
    "responseSchema",
    "schema",
)
_MIME = frozenset(["response_mime_type", "responseMimeType"])

_TYPES = frozenset(["array", "boolean", "integer", "null", "number", "object", "string"])
_DATA = frozenset(["const", "default", "enum", "examples"])  # keywords that hold values, not schemas

_PLAIN: MappingProxyType[str, Any] = MappingProxyType({"type": "object"})


def tool(source: object, *, name: str | None = None, hold: bool | None = None) -> Tool:
    """One tool, by `name` or by what the source calls itself.

    `source`: a Pydantic model, a msgspec Struct, a dataclass, a TypedDict, a function with type hints, a JSON Schema
    (with a title or a `name`), an entry of a request's tool list, or a `Tool`. `hold`: show nothing of its arguments
    (no text, no live value, no deltas) until they have ended and passed the check; then they come in one delta. Raises
    `UsageError` for anything else.
    """
    found = list(tools_of(source, name))
    if len(found) != 1:
        raise UsageError(f"this describes {len(found)} tools, not one: give it to Tools")
    made = found[0]
    return made if hold is None else Tool(made.name, made.validate, made.target, hold=hold)


def check_of(source: object) -> Validator | None:
    """The check of an answer: of a type, a JSON Schema, a `Tool`, or the response format of a request.

    None where any JSON will do. Raises `UsageError` for anything else.
    """
    if isinstance(source, Tool):
        return source.validate
    if isinstance(source, type) or get_origin(source) is not None:
        return _by_type(source)
    entry = to_payload(source) if hasattr(source, "model_dump") else source
    if not isinstance(entry, dict):
        raise UsageError(f"text_schema is a type or a JSON Schema, not {source!r}")
    while (inner := next((entry[key] for key in _FORMATS if isinstance(entry.get(key), dict)), None)) is not None:
        entry = inner
    plain = "json" in str(entry.get("type")) or not entry or not _MIME.isdisjoint(entry)  # any JSON
    return None if plain else by_schema(_plain(entry))


def tools_of(source: object, name: str | None = None) -> Iterator[Tool]:
    """The tools that a source describes: one, or all of a request's list."""
    if isinstance(source, Tool):
        yield source if name is None else Tool(name, source.validate, source.target, hold=source.hold)
    elif isinstance(source, type) or get_origin(source) is not None:
        yield Tool(name or _called(source), _by_type(source), source)
    elif isinstance(source, dict):
        yield from _of_dict(source, name)
    elif isinstance(source, list | tuple):
        for each in source:
            yield from tools_of(each)
    elif callable(source) and (inspect.isroutine(source) or not hasattr(source, "model_dump")):
        called = name or str(getattr(source, "__name__", type(source).__name__))
        yield Tool(called, _by_function(source), source)
    else:
        entry = to_payload(source) if hasattr(source, "model_dump") else source
        if not isinstance(entry, dict):
            raise UsageError(f"a tool is a type, a function, a schema or an entry of a tool list, not {source!r}")
        yield from _of_dict(entry, name)


def _called(kind: Any) -> str:
    """The name of a type, of what it is made of where it has none."""
    while not hasattr(kind, "__name__") or get_origin(kind) is Annotated:
        kind = get_args(kind)[0] if get_origin(kind) is Annotated else get_origin(kind)
    return str(kind.__name__)


def _by_type(kind: Any) -> Validator:
    if is_pydantic(kind):
        return by_pydantic(kind)
    try:
        return by_msgspec(kind)
    except UsageError as error:
        return _with_pydantic(kind, f"{error}; ")


def _with_pydantic(kind: Any, why: str = "") -> Validator:
    """A type that msgspec doesn't know (`why`), such as one with Pydantic models in it."""
    try:
        return by_pydantic(kind)
    except ImportError:
        raise UsageError(f"{why}and Pydantic isn't here to check it: pip install 'toolwire[pydantic]'") from None
    except Exception as error:  # noqa: BLE001  Pydantic's errors for a type it can't read have no common base
        raise UsageError(f"{why}{kind!r} is no type that can be checked: {error}") from None


def _by_function(function: Callable[..., Any]) -> Validator:
    """The keyword arguments of a function: those that came, typed. Its defaults stay its own."""
    try:
        hints = get_type_hints(function, include_extras=True)
        parameters = inspect.signature(function).parameters.values()
    except (NameError, TypeError, ValueError) as error:
        raise UsageError(f"the parameters of {function!r} can't be read: {error}") from None
    fields: list[tuple[str, Any, bool]] = []
    takes_more = False
    for each in parameters:
        if each.kind is each.POSITIONAL_ONLY or each.kind is each.VAR_POSITIONAL:
            raise UsageError(f"{function!r} takes {each.name!r} by position: a tool's arguments have names")
        if each.kind is each.VAR_KEYWORD:
            takes_more = True
        else:
            fields.append((each.name, hints.get(each.name, Any), each.default is each.empty))
    names = [name for name, _, _ in fields]
    try:
        inner = _struct(fields, forbid=not takes_more)
    except (TypeError, UsageError):
        inner = _with_pydantic(_model(fields, forbid=not takes_more))

    def check(value: Any) -> Checked:
        checked = inner(value)
        if checked.findings:
            return checked
        typed = {name: each for name in names if (each := getattr(checked.value, name)) is not msgspec.UNSET}
        more = {name: each for name, each in value.items() if name not in names} if takes_more else {}
        return checked._replace(value={**typed, **more})

    return Validator(check, inner.schema)


def _struct(fields: list[tuple[str, Any, bool]], *, forbid: bool) -> Validator:
    members: list[Any] = [
        (name, kind) if required else (name, kind | msgspec.UnsetType, msgspec.UNSET) for name, kind, required in fields
    ]
    return by_msgspec(msgspec.defstruct("Arguments", members, kw_only=True, forbid_unknown_fields=forbid))


def _model(fields: list[tuple[str, Any, bool]], *, forbid: bool) -> Any:
    try:
        from pydantic import ConfigDict, create_model
    except ImportError:
        raise UsageError("parameters of these types need Pydantic: pip install 'toolwire[pydantic]'") from None
    members: dict[str, Any] = {name: (kind, ... if required else msgspec.UNSET) for name, kind, required in fields}
    return create_model("Arguments", __config__=ConfigDict(extra="forbid" if forbid else "ignore"), **members)


def _of_dict(entry: dict[str, Any], name: str | None) -> Iterator[Tool]:
    """A schema, an entry of a request's tool list, or the list in what holds it."""
    for key in _LISTS:
        if isinstance(entry.get(key), list):
            for each in entry[key]:
                yield from tools_of(each)
            return
    outer = entry
    for key in _WRAPPERS:
        if isinstance(entry.get(key), dict):
            entry = entry[key]
    called = name or entry.get("name")
    schema = next((entry[key] for key in _SCHEMAS if isinstance(entry.get(key), dict)), None)
    kind = outer.get("type")
    if schema is None and ("name" not in entry or kind in _TYPES) and not _KEYWORDS.isdisjoint(entry):
        if isinstance(kind, str) and kind not in _TYPES:
            return  # the provider's own, and run by it
        schema, called = entry, name or entry.get("title")
    elif (schema is None and (kind or "function") not in ("function", "custom")) or (
        schema is None and entry is outer and entry and all(isinstance(each, dict) for each in entry.values())
    ):
        return
    if not isinstance(called, str) or not called:
        raise UsageError(f"a tool without a name: {_shown(outer)}")
    if isinstance(schema, dict) and isinstance(schema.get("json"), dict):
        schema = schema["json"]
    free = "custom" in (outer.get("type"), entry.get("type")) or outer.get("custom") is entry
    yield Tool(called, None if free else by_schema(_plain(schema or dict(_PLAIN))), outer)


def _plain(schema: Any) -> Any:
    """A schema in JSON Schema's own words, where a request wrote types in capitals and `nullable` for null."""
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: each if key in _DATA else _plain(each) for key, each in schema.items()}
    kind = plain.get("type")
    if isinstance(kind, str) and kind.isupper():
        plain["type"] = kind.lower()
    if plain.get("nullable") is True and isinstance(plain.get("type"), str):
        plain["type"] = [plain["type"], "null"]
        if isinstance(plain.get("enum"), list):
            plain["enum"] = [*plain["enum"], None]
    return plain


def _shown(entry: dict[str, Any]) -> str:
    text = repr(entry)
    return text if len(text) < 200 else text[:200] + "…"
