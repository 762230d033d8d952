"""What is certain of a type's JSON: a schema that takes all that the type's own check could take, and often more.

The schemas that libraries publish for a type are stricter than their checks: a lax integer takes `"10"`. Here a place
that a check may read in some other way is left open, so that what this schema refuses the check refuses too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["by_msgspec", "by_pydantic", "keys_of", "within"]

Schema = dict[str, Any]

# What msgspec's schemas say that its checks see otherwise, or that engines differ in.
_OTHERWISE = frozenset(["default", "description", "discriminator", "pattern", "propertyNames", "title", "uniqueItems"])
_COUNTS = frozenset(["maxItems", "minItems"])
_REMARKS = frozenset(["deprecated", "description", "examples", "title"])

_SCALARS = frozenset(["date", "datetime", "multi-host-url", "time", "timedelta", "url", "uuid"])
_BOUNDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_EXACT = 2**53  # beyond it a check that makes floats of integers rounds them

# What a definition is read by: it may stand in models of any configuration.
_ANY_CONFIG: Mapping[str, Any] = {"coerce_numbers_to_str": True}


def by_msgspec(kind: Any) -> Schema | None:
    """The schema of what msgspec can make of JSON; None where it has none."""
    try:
        if any(_says_more(each) for each in within(msgspec.inspect.type_info(kind))):
            return None
        schema: Schema = _loosened(msgspec.json.schema(kind))
    except (TypeError, ValueError):
        return None
    return schema


def within(info: object) -> Iterator[object]:
    """All that a type is made of, by msgspec's own description of it."""
    seen: set[int] = set()
    waiting = [info]
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        if isinstance(each, tuple):
            waiting += each
        elif isinstance(each, msgspec.inspect.Type | msgspec.inspect.Field):
            waiting += [getattr(each, name) for name in each.__struct_fields__ if name not in ("cls", "default")]


def _says_more(info: object) -> bool:
    """Whether a type's schema has keywords that its check knows nothing of."""
    extra = info.extra_json_schema if isinstance(info, msgspec.inspect.Metadata) else None
    return not _REMARKS.issuperset(extra or ())


def _loosened(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_loosened(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "format" in schema or "contentEncoding" in schema or ("enum" in schema and "title" in schema):
        return {}  # of an Enum: it may take other values than it has
    left = _OTHERWISE | _COUNTS if "uniqueItems" in schema else _OTHERWISE
    loose: Schema = {}
    for key, each in schema.items():
        if key in ("properties", "$defs"):
            loose[key] = {name: _loosened(one) for name, one in each.items()}
        elif key == "required":  # a tag needn't be there
            loose[key] = [name for name in each if len(schema["properties"].get(name, {}).get("enum", "  ")) > 1]
        elif key in ("enum", "const"):
            loose[key] = each
        elif key not in left and _holds(schema, key):
            loose[key] = _loosened(each)
    return loose


def _holds(schema: Schema, keyword: str) -> bool:
    """Whether a check and a schema see a keyword of numbers alike: a float's may be rounded before."""
    if schema.get("type") == "integer" or keyword not in (*_BOUNDS.values(), "multipleOf"):
        return True
    return keyword != "multipleOf" and abs(schema[keyword]) < _EXACT


def by_pydantic(kind: Any) -> Schema | None:
    """The schema of what Pydantic can make of JSON, read from its core schema."""
    from pydantic import TypeAdapter

    try:
        return _by_core(TypeAdapter(kind).core_schema)
    except Exception:  # noqa: BLE001  a model that isn't fully defined, or of a Pydantic that is read otherwise
        return None


def _by_core(core: Mapping[str, Any]) -> Schema:
    definitions = core.get("definitions", ()) if core["type"] == "definitions" else ()
    names = {each["ref"]: f"d{index}" for index, each in enumerate(definitions)}
    reader = _Core(names)
    schema = reader.of(core["schema"] if definitions else core, {})
    return {**schema, "$defs": {names[each["ref"]]: reader.of(each, _ANY_CONFIG) for each in definitions}}


class _Core:
    """Reads Pydantic's core schema. A node that isn't known here takes anything."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def of(self, node: Mapping[str, Any], config: Mapping[str, Any]) -> Schema:
        """What a node takes, by the configuration of the model that it is in."""
        strict = bool(node.get("strict", config.get("strict", False)))
        match node["type"]:
            case "definition-ref" if node["schema_ref"] in self._names:
                return {"$ref": f"#/$defs/{self._names[node['schema_ref']]}"}
            case "model" if not node.get("custom_init"):
                return self.of(node["schema"], node.get("config") or {})
            case "dataclass":
                return self.of(node["schema"], node.get("config", config))
            case "model-fields" | "typed-dict" | "dataclass-args":
                return self._fields(node, config)
            case "default" if node.get("on_error", "raise") != "raise":
                return {}
            case "default" | "function-after":
                return self.of(node["schema"], config)
            case "nullable":
                return {"anyOf": [self.of(node["schema"], config), {"type": "null"}]}
            case "union" | "tagged-union":
                choices = node["choices"].values() if isinstance(node["choices"], dict) else node["choices"]
                bare = [each[0] if isinstance(each, tuple) else each for each in choices]
                return {"anyOf": [self.of(each, config) for each in bare if not isinstance(each, str)]}
            case "chain":
                return self.of(node["steps"][0], config)
            case "json-or-python":
                return self.of(node["json_schema"], config)
            case "lax-or-strict":
                return self.of(node["strict_schema" if strict else "lax_schema"], config)
            case "list":
                sizes = {} if "on_error" in (node.get("items_schema") or ()) else _sizes(node)
                return {"type": "array", **self._inner("items", node.get("items_schema"), config), **sizes}
            case "set" | "frozenset" | "tuple":
                return {"type": "array"}
            case "dict":
                return {"type": "object", **self._inner("additionalProperties", node.get("values_schema"), config)}
            case "str" if not (node.get("coerce_numbers_to_str") or config.get("coerce_numbers_to_str")):
                return {"type": "string"}
            case "int" | "float" as kind:
                given = {_BOUNDS[key]: node[key] for key in _BOUNDS if isinstance(node.get(key), int | float)}
                bounds = {key: bound for key, bound in given.items() if kind == "int" or abs(bound) < _EXACT}
                exact = {"int": "integer", "float": "number"}[kind]
                return {"type": exact if strict else ["number", "string", "boolean"], **bounds}
            case "bool":
                return {"type": "boolean" if strict else ["boolean", "number", "string"]}
            case "none":
                return {"type": "null"}
            case "literal" if all(type(each) is str for each in node["expected"]):
                return {"enum": list(node["expected"])}
            case kind if kind in _SCALARS:
                return {"type": ["string", "number", "boolean", "null"]}
            case _:
                return {}

    def _inner(self, keyword: str, node: Mapping[str, Any] | None, config: Mapping[str, Any]) -> Schema:
        return {} if node is None else {keyword: self.of(node, config)}

    def _fields(self, node: Mapping[str, Any], config: Mapping[str, Any]) -> Schema:
        config = {**config, **(node.get("config") or {})}
        fields = node["fields"]
        named = {each["name"]: each for each in fields} if isinstance(fields, list) else fields
        properties: Schema = {}
        required: list[str] = []
        for name, field in named.items():
            keys, deep = keys_of(name, field, config)
            # Of several keys one counts; and a key may be another field's too, or nothing be made of it.
            ignored = len(keys) != 1 or deep or not field.get("init", True)
            for key in keys:
                properties[key] = {} if ignored or key in properties else self.of(field["schema"], config)
            given = field.get("required", field["schema"]["type"] != "default")
            if given and not ignored:
                required += keys
        extra = node.get("extra_behavior") or config.get("extra_fields_behavior")
        closed = {"additionalProperties": False} if extra == "forbid" else {}
        return {"type": "object", "properties": properties, "required": required, **closed}


def keys_of(name: str, field: Mapping[str, Any], config: Mapping[str, Any]) -> tuple[tuple[str, ...], bool]:
    """The keys that a field of a core schema may come under, the most wanted first, and whether it may lie deeper."""
    alias = field.get("validation_alias")
    if alias is None:
        return (name,), False
    paths = [[alias]] if isinstance(alias, str) else [alias] if not isinstance(alias[0], list) else alias
    keys = [path[0] for path in paths] if config.get("validate_by_alias", True) else []
    by_name = config.get("validate_by_name", config.get("populate_by_name", False))
    return (*keys, *([name] if by_name else [])), any(len(path) > 1 for path in paths)


def _sizes(node: Mapping[str, Any]) -> Schema:
    sizes = {"minItems": node.get("min_length"), "maxItems": node.get("max_length")}
    return {keyword: size for keyword, size in sizes.items() if size is not None}
