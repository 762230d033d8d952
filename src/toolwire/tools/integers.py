"""`3.0` where a schema wants an integer: the same number for JSON Schema, and not the same for a program."""

from __future__ import annotations

from typing import Any

__all__ = ["integers", "whole"]

_EXACT = 2**53  # up to here every integer is a float, and no two are the same


def whole(value: Any) -> bool:
    """Whether a value is a float that says what an integer says."""
    return isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT


def integers(value: Any, schema: Any) -> Any:
    """The value with integers for floats without a fraction, where the schema asks for integers and not for numbers."""
    return _convert(value, [schema], schema)


def _convert(value: Any, schemas: list[Any], root: Any) -> Any:
    known = _all(schemas, root)
    if isinstance(value, dict):
        return {key: _convert(each, [_member(one, key) for one in known], root) for key, each in value.items()}
    if isinstance(value, list):
        return [_convert(each, [_item(one, index) for one in known], root) for index, each in enumerate(value)]
    if whole(value):
        types = [kind for one in known for kind in _types(one)]
        if "integer" in types and "number" not in types:
            return int(value)
    return value


def _all(schemas: list[Any], root: Any) -> list[dict[str, Any]]:
    """The schemas, those they refer to, and those of which some or all apply too."""
    found: list[dict[str, Any]] = []
    waiting = list(schemas)
    while waiting:
        schema = waiting.pop()
        if not isinstance(schema, dict) or any(schema is each for each in found):
            continue
        found.append(schema)
        if isinstance(schema.get("$ref"), str):
            waiting.append(_target(schema["$ref"], root))
        for name in ("allOf", "anyOf", "oneOf"):
            waiting += schema[name] if isinstance(schema.get(name), list) else ()
        waiting += [schema.get(name) for name in ("if", "then", "else")]
    return found


def _target(reference: str, root: Any) -> Any:
    """What a reference within the document leads to."""
    place = root
    if not reference.startswith("#"):
        return None
    for step in reference[1:].split("/")[1:]:
        place = place.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(place, dict) else None
    return place


def _member(schema: dict[str, Any], key: str) -> Any:
    properties = schema.get("properties")
    if isinstance(properties, dict) and key in properties:
        return properties[key]
    return schema.get("additionalProperties")


def _item(schema: dict[str, Any], index: int) -> Any:
    first = schema.get("prefixItems")
    if isinstance(first, list) and index < len(first):
        return first[index]
    return schema.get("items")


def _types(schema: dict[str, Any]) -> list[Any]:
    kind = schema.get("type")
    return kind if isinstance(kind, list) else [kind]
