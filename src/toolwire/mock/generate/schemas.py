"""A schema in one plain form, where its references lead, and what jsonschema-rs says of a value, if it is there."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["NOWHERE", "Document", "Schema", "same"]

Schema: TypeAlias = "dict[str, Any] | bool"

TYPES: Final = ("string", "integer", "number", "boolean", "object", "array", "null")
NOWHERE: Final = 10**6
"""The height of a value that never ends."""

_URI: Final = "toolwire:schema"
_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
_OLD: Final = ("draft-03", "draft-04", "draft-06", "draft-07")
_DEEPEST: Final = 48
_HEAVIEST: Final = 50_000

_ONE: Final = frozenset(
    [
        *("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"),
        *("unevaluatedItems", "unevaluatedProperties"),
    ]
)
_LIST: Final = frozenset(["allOf", "anyOf", "oneOf", "prefixItems"])
_NAMED: Final = frozenset(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"])
_COUNTS: Final = frozenset(
    [
        *("maxContains", "maxItems", "maxLength", "maxProperties", "minContains", "minItems", "minLength"),
        "minProperties",
    ]
)
_NUMBERS: Final = frozenset(["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"])
_TEXTS: Final = frozenset(["description", "format", "pattern", "title"])


class Document:
    """A schema that can be asked where a reference leads, whether a value is valid, and how deep one has to be."""

    def __init__(self, schema: Any) -> None:
        given = schema if isinstance(schema, dict) else {}
        self.refs: dict[str, None] = {}
        self._id = str(given.get("$id") or given.get("id") or "\0").rstrip("#")
        self._old = any(each in str(given.get("$schema")) for each in _OLD)
        self.root: Schema = self._plain(schema, 0)
        self._checks: dict[int, tuple[Schema, Any]] = {}
        self.compiled = 0
        self._registry: Any = None
        self._kept: dict[Any, Schema] = {}
        self._heights: dict[str, int] | None = None
        self._light = self._weight() <= _HEAVIEST

    def target(self, ref: str) -> Schema:
        """What a reference names; one that leads nowhere says nothing."""
        found: Any = self.root
        for step in ref.removeprefix(_URI).removeprefix("#").split("/")[1:]:
            name = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict) and name in found:
                found = found[name]
            elif isinstance(found, list) and name.isdecimal() and int(name) < len(found):
                found = found[int(name)]
            else:
                return True
        return found if isinstance(found, dict | bool) else True

    def valid(self, schema: Schema, value: Any) -> bool | None:
        """Whether a value is valid; None where nobody knows."""
        try:
            check = self._check(schema)
            return None if check is None else bool(check.is_valid(value))
        except Exception:  # noqa: BLE001  whatever the validator can't read
            return None

    def kept(self, schema: Schema) -> Schema:
        """The schema, or the same one that was kept before: its validator is made once."""
        if isinstance(schema, bool):
            return schema
        return self._kept.setdefault(_outline(schema), schema)

    def wrong(self, value: Any) -> int:
        """In how many places a value is wrong."""
        try:
            return sum(1 for _ in self._check(self.root).iter_errors(value))
        except Exception:  # noqa: BLE001  as above
            return 0

    def height(self, schema: Schema) -> int:
        """How deep a value has to be at least, NOWHERE if it never ends."""
        if self._heights is None:
            self._heights = dict.fromkeys(self.refs, NOWHERE)
            for _ in range(_DEEPEST):
                better = {ref: self._height(self.target(ref)) for ref in self.refs}
                if better == self._heights:
                    break
                self._heights = better
        return self._height(schema)

    def _height(self, schema: Schema) -> int:
        if isinstance(schema, bool):
            return 0 if schema else NOWHERE
        if "enum" in schema:
            return 0
        known = self._heights or {}
        least = known.get(schema["$ref"], 0) if "$ref" in schema else 0
        least = max([least, *map(self._height, schema.get("allOf", ()))])
        for word in ("anyOf", "oneOf"):
            if word in schema:
                least = max(least, min(map(self._height, schema[word])))
        kinds = schema.get("type", ())
        if not kinds or "object" in kinds:
            own = schema.get("properties", {})
            inner = [1 + self._height(own.get(name, True)) for name in schema.get("required", ())]
        else:
            inner = []
        if ("array" in kinds or not kinds) and schema.get("minItems", 0) > 0:
            first = schema.get("prefixItems", ())[: schema["minItems"]]
            inner += [1 + self._height(each) for each in first]
            if len(first) < schema["minItems"]:
                inner.append(1 + self._height(schema.get("items", True)))
        flat = any(kind not in ("object", "array") for kind in kinds)
        return min(NOWHERE, least if flat else max([least, *inner]))

    def _check(self, schema: Schema) -> Any:
        known = self._checks.get(id(schema))
        if known is None:
            self.compiled += 1
            known = self._checks[id(schema)] = (schema, self._validator(schema))
        return known[1]

    def _validator(self, schema: Schema) -> Any:
        try:
            import jsonschema_rs
        except ImportError:
            return None
        if not self._light:
            return None
        try:
            if self._registry is None:
                root = {"$schema": _DRAFT, **self.root} if isinstance(self.root, dict) else self.root
                self._registry = jsonschema_rs.Registry([(_URI, root)])
            whole = {"$schema": _DRAFT, **schema} if isinstance(schema, dict) else schema
            return jsonschema_rs.validator_for(whole, registry=self._registry, validate_formats=True, offline=True)
        except Exception:  # noqa: BLE001  a pattern in another dialect, or half a surrogate pair
            return None

    def _weight(self) -> int:
        """How many ways lead through the schema: a validator goes them all, if they fork at every step."""
        known: dict[str, int] = {}

        def weight(schema: Any) -> int:
            if isinstance(schema, list):
                return sum(map(weight, schema))
            if not isinstance(schema, dict):
                return 1
            total = 1
            for word, each in schema.items():
                if word == "$ref":
                    if each not in known:
                        known[each] = 0  # a way back costs nothing: the value ends it
                        known[each] = weight(self.target(each))
                    total += known[each]
                elif word in _ONE or word in _LIST:
                    total += weight(each)
                elif word in ("properties", "patternProperties", "dependentSchemas"):
                    total += sum(map(weight, each.values()))
            return min(total, NOWHERE)

        try:
            return weight(self.root)
        except RecursionError:
            return NOWHERE

    def _plain(self, schema: Any, deep: int) -> Schema:
        """The schema as draft 2020-12 has it; what can't be read is left out."""
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict) or deep > _DEEPEST:
            return True
        if self._old and "$ref" in schema:
            schema = {word: schema[word] for word in ("$ref", "$defs", "definitions") if word in schema}
        out: dict[str, Any] = {}
        for word, each in schema.items():
            made = self._keyword(word, each, deep + 1)
            if made is not None:
                out[word] = made
        self._old_words(schema, out, deep + 1)
        if schema.get("nullable") is True and "type" in out:
            out["type"] = list(dict.fromkeys([*out["type"], "null"]))
            if "enum" in out and None not in out["enum"]:
                out["enum"] = [*out["enum"], None]
        if "const" in schema:
            out["enum"] = [schema["const"]]
        if isinstance(order := schema.get("propertyOrdering"), list) and "properties" in out:
            own = out["properties"]
            names = dict.fromkeys([*(name for name in order if isinstance(name, str) and name in own), *own])
            out["properties"] = {name: own[name] for name in names}
        return out

    def _keyword(self, word: str, each: Any, deep: int) -> Any:
        if word in _ONE:
            return self._plain(each, deep) if isinstance(each, dict | bool) else None
        if word in _LIST:
            return [self._plain(one, deep) for one in each] if isinstance(each, list) and each else None
        if word in _NAMED:
            return {name: self._plain(one, deep) for name, one in each.items()} if isinstance(each, dict) else None
        if word in _COUNTS:
            return _count(each)
        if word in _NUMBERS:
            return each if _finite(each) and (word != "multipleOf" or each > 0) else None
        if word in _TEXTS:
            return each if isinstance(each, str) else None
        return self._other(word, each)

    def _other(self, word: str, each: Any) -> Any:
        match word, each:
            case "type", _:
                kinds = [kind.lower() for kind in (each if isinstance(each, list) else [each]) if isinstance(kind, str)]
                return list(dict.fromkeys(kind for kind in kinds if kind in TYPES)) or None
            case "enum", list():
                return each or None
            case "required", list():
                return list(dict.fromkeys(name for name in each if isinstance(name, str)))
            case "uniqueItems", bool():
                return each
            case "default", _:
                return [each]
            case "example", _:
                return [each]
            case "examples", list():
                return each
            case "dependentRequired", dict():
                return {name: self._other("required", names) or [] for name, names in each.items()}
            case "$ref", str():
                return self._ref(each)
        return None

    def _ref(self, ref: str) -> str | None:
        ref = ref.removeprefix(self._id)
        if ref not in ("", "#") and not ref.startswith("#/"):
            return None
        ref = _URI + (ref or "#").removesuffix("/")
        self.refs[ref] = None
        return ref

    def _old_words(self, schema: dict[str, Any], out: dict[str, Any], deep: int) -> None:
        if isinstance(items := schema.get("items"), list):
            if items and "prefixItems" not in out:
                out["prefixItems"] = [self._plain(each, deep) for each in items]
            if isinstance(rest := schema.get("additionalItems"), dict | bool):
                out["items"] = self._plain(rest, deep)
        for word, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if schema.get(word) is True and limit in out:
                out[word] = out.pop(limit)
        if isinstance(more := schema.get("dependencies"), dict):
            for name, each in more.items():
                if isinstance(each, list):
                    out.setdefault("dependentRequired", {})[name] = self._other("required", each)
                else:
                    out.setdefault("dependentSchemas", {})[name] = self._plain(each, deep)


def _outline(schema: dict[str, Any]) -> Any:
    """What makes a made-up schema the same as another: its words, and which schemas it joins."""
    return tuple(
        (word, id(each) if isinstance(each, dict) else tuple(map(id, each)) if isinstance(each, list) else each)
        for word, each in schema.items()
    )


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(_small(value))


def _small(value: float) -> float:
    return 0.0 if isinstance(value, int) else value  # an integer can be too large for a float, and is finite


def _count(value: Any) -> int | None:
    """A count; Gemini's requests may have them as text."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
        return int(value)
    return int(value) if _finite(value) and value >= 0 and int(value) == value else None


def same(value: Any) -> str:
    """A text that two values share if JSON Schema calls them equal."""
    whole: Callable[[Any], Any] = lambda each: (  # noqa: E731
        int(each)
        if isinstance(each, float) and each.is_integer()
        else {key: whole(one) for key, one in each.items()}
        if isinstance(each, dict)
        else [whole(one) for one in each]
        if isinstance(each, list)
        else each
    )
    return json.dumps(whole(value), sort_keys=True)
