"""Types by Pydantic's core schema. Imported only where Pydantic is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import TypeAdapter
from pydantic_core import SchemaError, SchemaValidator

from toolwire.tools.loose import keys_of
from toolwire.tools.validators import as_json, by_pydantic
from toolwire.typed.shapes import ANYTHING, OPAQUE, SCALAR, TEXT, As, Field, Fields, Model, Outline, Shape, one_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from toolwire.tools.check import Checked

__all__ = ["model"]

_NUMBERS = ("bool", "decimal", "float", "int", "none")
_WRITTEN = (
    "bytes",
    "date",
    "datetime",
    "enum",
    "json",
    "literal",
    "multi-host-url",
    "time",
    "timedelta",
    "url",
    "uuid",
)
_SCALARS = frozenset([*_NUMBERS, *_WRITTEN])
_OBJECTS = frozenset(["dataclass", "model", "typed-dict"])
_AROUND = frozenset(["function-after", "function-before", "function-wrap"])

# What a list or dict may say without asking for more than its members' checks.
_FREE = frozenset(
    ["items_schema", "keys_schema", "metadata", "ref", "serialization", "strict", "type", "values_schema"]
)

# Where there are functions that don't see the JSON.
_ASIDE = frozenset(["metadata", "python_schema", "serialization"])


def model(kind: Any) -> Model | None:
    """The model of a type that Pydantic checks; None if it has no fields."""
    schema: Mapping[str, Any] = TypeAdapter(kind).core_schema
    definitions = list(schema.get("definitions", ()))
    core = Core(definitions, {})
    node = schema["schema"] if schema["type"] == "definitions" else schema
    found = core.find(node)
    if found is None:
        return None
    fields = core.fields(found)
    fields.by_name  # noqa: B018  so that what can't be read is known
    return Model(kind, fields, by_pydantic(kind), found.remade)


class Found(NamedTuple):
    """A node that lists fields. `remade`: validators stand around it."""

    node: Mapping[str, Any]
    name: str
    config: Mapping[str, Any]
    remade: bool


class Core:
    """Reads the nodes of one core schema, by the configuration of the model that they are in."""

    def __init__(self, definitions: list[Any], config: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self._config = config
        self._by_ref = {each["ref"]: each for each in definitions}

    def outline(self, node: Mapping[str, Any]) -> Outline:
        """What can be shown of an open value of this type."""
        match node["type"]:
            case "definition-ref":
                return self.outline(self._by_ref[node["schema_ref"]])
            case "default" | "nullable":
                return self.outline(node["schema"])
            case "function-after" | "function-before" | "function-wrap":
                return self.outline(node["schema"])._replace(free=False)
            case "json-or-python":
                return self.outline(node["json_schema"])._replace(text=False)  # a secret's text among others
            case "union":
                choices = (each[0] if isinstance(each, tuple) else each for each in node["choices"])
                return one_of(self.outline(each) for each in choices)._replace(free=False)
            case "any":
                return ANYTHING
            case "str":
                return TEXT
            case "list":
                return self._array(node)
            case "dict":
                return self._map(node)
            case kind if kind in _OBJECTS:
                found = self.find(node)
                return OPAQUE if found is None else Outline(object=self.fields(found))
            case kind:
                return SCALAR if kind in _SCALARS else OPAQUE

    def checker(self, node: Mapping[str, Any]) -> Callable[[Any], Checked]:
        """The check of this node alone."""
        schema: Any = {"type": "definitions", "schema": node, "definitions": self._definitions}
        config: Any = self._config
        return as_json(SchemaValidator(schema, config).validate_json)

    def find(self, node: Mapping[str, Any]) -> Found | None:
        """The list of fields within an object's type, None if it has none."""
        name = "object"
        config: Mapping[str, Any] = {}
        remade = False
        while True:
            kind = node["type"]
            if kind == "definition-ref":
                node = self._by_ref[node["schema_ref"]]
                continue
            if kind in _OBJECTS:
                name = getattr(node.get("cls"), "__name__", name)
                config = node.get("config") or {}
                remade = remade or bool(node.get("post_init"))
            if kind in ("dataclass-args", "model-fields", "typed-dict"):
                return Found(node, name, config, remade)
            if kind in _AROUND:
                remade = True
            elif kind not in ("dataclass", "model") or node.get("root_model"):
                return None
            node = node["schema"]

    def fields(self, found: Found) -> Fields:
        """The fields of such a node."""
        inner = Core(self._definitions, found.config)
        return Fields(found.name, lambda: inner._fields(found.node["fields"]))

    def _fields(self, members: Any) -> Iterator[Field]:
        named = members.items() if isinstance(members, dict) else [(each["name"], each) for each in members]
        for name, each in named:
            if each.get("init") is False:  # never read from JSON
                yield Field(name, (), Shape(self, each["schema"]), late=True)
                continue
            shape = Shape(self, each["schema"])
            keys, deep = keys_of(name, each, self._config)
            yield Field(name, keys, shape, late=deep or _looks_around(each["schema"]) or not _buildable(shape))

    def _array(self, node: Mapping[str, Any]) -> Outline:
        if node.get("items_schema", {"type": "any"})["type"] == "any":
            return Outline(array=As.PLAIN)
        return Outline(array=Shape(self, node["items_schema"]), free=node.keys() <= _FREE)

    def _map(self, node: Mapping[str, Any]) -> Outline:
        if node.get("values_schema", {"type": "any"})["type"] == "any":
            return Outline(object=As.PLAIN)
        keys = node.get("keys_schema", {"type": "any"})
        plain = keys.keys() <= _FREE and not any(each.startswith("str_") for each in self._config)
        shape = Shape(self, node["values_schema"])
        return Outline(object=shape if self.outline(keys).text else As.HIDDEN, free=plain and node.keys() <= _FREE)


def _looks_around(node: Any) -> bool:
    """Whether a validator in a field's type asks for more than the value: it may want the fields before it."""
    if isinstance(node, list | tuple):
        return any(_looks_around(each) for each in node)
    if not isinstance(node, dict) or node.get("type") in _OBJECTS:
        return False
    return node.get("type") == "with-info" or any(
        _looks_around(each) for key, each in node.items() if key not in _ASIDE
    )


def _buildable(shape: Shape) -> bool:
    try:
        return shape.checker is not None
    except SchemaError:
        return False
