"""Schemas of all keywords that are judged, and documents that are likely to be right, or wrong in one place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolwire.schema.oracle import SCHEMAS

if TYPE_CHECKING:
    from random import Random

KEYS = ("a", "b", "c", "ab")
TEXTS = (
    "",
    "a",
    "ab",
    "abc",
    "abd",
    "b",
    "ba",
    "aab",
    "1",
    "é𝄞",
    " a\n",
    "{",
    '{"a": 1}',
    "[1]",
    "2020-02-30",
    "2020-02-03",
)
NUMBERS = (-1, 0, 1, 1.0, 1.5, 2, 3.0, 7, 10, 0.1, 0.3, 1e2, 2**53 + 1, 2.0**53, 10**20)
PATTERNS = (
    "^a",
    "^a+$",
    "^(?:ab|b)*$",
    "b$",
    "^[^a-c]",
    "^\\d{1,2}$",
    "a.c",
    "^\\w+\\s?$",
    "^ab?c{0,2}$",
    "^[a\\d]*b",
    "^$",
)
TYPES = ("string", "number", "integer", "boolean", "null", "array", "object")


class Maker:
    """Makes schemas of a draft, and documents for them, by a source of chance.

    `later` allows keywords by which it shows only later whether what came before was wrong.
    """

    def __init__(self, chance: Random, draft: int = 2020) -> None:
        self.chance = chance
        self.draft = draft
        self.later = chance.random() < 0.3
        self.named = "$defs" if draft >= 2019 else "definitions"

    def schema(self) -> dict[str, Any]:
        """A whole schema, with definitions to refer to."""
        made = self.part(3)
        made.pop("$ref", None) if self.draft <= 7 else None
        made[self.named] = {"x": self.part(1), "y": self.part(2)}
        if self.draft != 2020 or self.chance.random() < 0.2:
            made = {"$schema": SCHEMAS[self.draft], **made}
        return json.loads(json.dumps(made))

    def part(self, deep: int) -> dict[str, Any]:
        chance = self.chance
        makers = [self._type, self._type, self._enum, self._number, self._size, self._text, self._object, self._array]
        if self.draft >= 6 and deep < 3:
            makers.append(self._const)
        if deep > 1:
            makers = makers[5:]
        if deep:
            makers += [self._object, self._object, self._array, self._joined, self._ref]
        made: dict[str, Any] = {}
        for _ in range(chance.choice((1, 1, 2, 2, 3))):
            made.update(chance.choice(makers)(deep - 1))
        return made

    def sub(self, deep: int) -> Any:
        if deep < 0 or self.chance.random() < 0.1:
            return self.chance.choice((True, True, False, {})) if self.draft >= 6 else {}
        return self.part(deep)

    def _type(self, deep: int) -> dict[str, Any]:
        chance = self.chance
        return {"type": chance.choice((chance.choice(TYPES), chance.sample(TYPES, chance.randint(1, 3))))}

    def _enum(self, deep: int) -> dict[str, Any]:
        found: list[Any] = []
        for _ in range(self.chance.randint(1, 4)):
            each = self.value(1)
            if not any(json.dumps(each) == json.dumps(other) or each == other for other in found):
                found.append(each)
        return {"enum": found}

    def _const(self, deep: int) -> dict[str, Any]:
        return {"const": self.value(1)}

    def _number(self, deep: int) -> dict[str, Any]:
        chance = self.chance
        word = chance.choice(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"))
        if word == "multipleOf":
            return {word: chance.choice((1, 2, 0.1, 0.5, 3))}
        if word.startswith("ex") and self.draft == 4:
            return {word: chance.choice((True, False)), "m" + word[10:]: chance.choice(NUMBERS)}
        return {word: chance.choice(NUMBERS)}

    def _size(self, deep: int) -> dict[str, Any]:
        chance = self.chance
        what = chance.choice(("Length", "Items", "Properties"))
        return {chance.choice(("min", "max")) + what: chance.randint(0, 3)}

    def _text(self, deep: int) -> dict[str, Any]:
        chance = self.chance
        word = chance.choice(("pattern", "pattern", "format"))
        return {word: chance.choice(PATTERNS if word == "pattern" else ("date", "ipv4", "regex"))}

    def _object(self, deep: int) -> dict[str, Any]:
        chance = self.chance
        words = ["properties", "properties", "patternProperties", "additionalProperties", "required"]
        if self.draft >= 6:
            words.append("propertyNames")
        if self.draft >= 2019:
            words.append("dependentRequired")
        if self.later:
            words += ["dependencies", "dependentSchemas"][: 2 if self.draft >= 2019 else 1]
        made: dict[str, Any] = {}
        for word in chance.sample(words, chance.randint(1, 3)):
            if word == "properties":
                made[word] = {key: self.sub(deep) for key in chance.sample(KEYS, chance.randint(1, 3))}
            elif word == "patternProperties":
                made[word] = {chance.choice(PATTERNS): self.sub(deep) for _ in range(chance.randint(1, 2))}
            elif word == "additionalProperties":
                made[word] = chance.choice((False, self.sub(deep)))
            elif word == "required":
                made[word] = chance.sample(KEYS, chance.randint(1, 2))
            elif word == "propertyNames":
                made[word] = self.sub(min(deep, 0))
            elif word == "dependentSchemas":
                made[word] = {key: self.sub(deep) for key in chance.sample(KEYS, 1)}
            else:
                made[word] = {key: chance.sample(KEYS, 1) for key in chance.sample(KEYS, chance.randint(1, 2))}
                if word == "dependencies" and chance.random() < 0.5:
                    made[word][chance.choice(KEYS)] = self.sub(deep)
        return made

    def _array(self, deep: int) -> dict[str, Any]:
        chance = self.chance
        words = ["items", "items", "uniqueItems", "tuple"]
        if self.draft >= 6:
            words.append("contains")
        made: dict[str, Any] = {}
        for word in chance.sample(words, chance.randint(1, 2)):
            if word == "items":
                made.setdefault(word, self.sub(deep))
            elif word == "uniqueItems":
                made[word] = chance.random() < 0.9
            elif word == "tuple":
                each = [self.sub(deep) for _ in range(chance.randint(1, 3))]
                made["prefixItems" if self.draft >= 2020 else "items"] = each
                if self.draft < 2020 and chance.random() < 0.6:
                    made["additionalItems"] = chance.choice((False, self.sub(deep)))
            else:
                made[word] = self.sub(deep)
                for more in ("minContains", "maxContains") if self.draft >= 2019 else ():
                    if chance.random() < 0.3:
                        made[more] = chance.randint(0, 2)
        return made

    def _joined(self, deep: int) -> dict[str, Any]:
        chance = self.chance
        word = chance.choice(("allOf", "anyOf", "anyOf", "oneOf", "oneOf", "not", "if"))
        if word == "not" or (word == "if" and (self.draft < 7 or not self.later)):
            return {"not": self.sub(deep)}
        if word == "if":
            words = chance.choice((("then",), ("else",), ("then", "else")))
            return {"if": self.sub(deep), **{each: self.sub(deep) for each in words}}
        return {word: [self.sub(deep) for _ in range(chance.randint(1, 3))]}

    def _ref(self, deep: int) -> dict[str, Any]:
        return {"$ref": self.chance.choice((f"#/{self.named}/x", f"#/{self.named}/y", "#"))}

    def value(self, deep: int) -> Any:
        """Any value."""
        chance = self.chance
        pick = chance.random()
        if deep > 0 and pick < 0.25:
            return {key: self.value(deep - 1) for key in chance.sample(KEYS, chance.randint(0, 3))}
        if deep > 0 and pick < 0.5:
            return [self.value(deep - 1) for _ in range(chance.randint(0, 3))]
        return chance.choice((chance.choice(TEXTS), chance.choice(TEXTS), chance.choice(NUMBERS), True, False, None))

    def fitting(self, schema: Any, root: Any, deep: int = 4) -> Any:
        """A value that is likely to fit a schema, as far as that is easy."""
        chance = self.chance
        if not isinstance(schema, dict) or deep < 0 or chance.random() < 0.03:
            return self.value(min(deep, 2))
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return chance.choice(schema["enum"])
        for word in ("$ref", "allOf", "anyOf", "oneOf", "then", "else"):
            if word in schema and chance.random() < 0.6:
                inner = schema[word]
                if word == "$ref":
                    inner = root if inner == "#" else root[self.named][inner[-1]]
                elif isinstance(inner, list):
                    inner = chance.choice(inner)
                if isinstance(inner, dict):
                    rest = {key: each for key, each in schema.items() if key != word}
                    return self.fitting({**rest, **inner}, root, deep - 1)
        types = schema.get("type", [])
        kind = chance.choice([types] if isinstance(types, str) else types or [self._kind(schema)])
        return self._of(kind, schema, root, deep)

    def _kind(self, schema: dict[str, Any]) -> str:
        words = " ".join(schema)
        if any(word in words for word in ("ropert", "required", "depend")):
            return "object"
        if any(word in words for word in ("tems", "ontains")):
            return "array"
        if any(word in words for word in ("Length", "pattern", "format")):
            return "string"
        if any(word in words for word in ("imum", "multipleOf")):
            return "number"
        return self.chance.choice(TYPES)

    def _of(self, kind: str, schema: dict[str, Any], root: Any, deep: int) -> Any:
        chance = self.chance
        if kind == "object":
            own = schema.get("properties", {})
            keys = [*schema.get("required", ()), *chance.sample(KEYS, chance.randint(0, 2))]
            if chance.random() < 0.7:
                keys = [*own, *schema.get("required", ())]
            rest = schema.get("additionalProperties", True)
            chance.shuffle(keys)
            return {key: self.fitting(own.get(key, rest), root, deep - 1) for key in keys}
        if kind == "array":
            items = schema.get("items", True)
            first = schema.get("prefixItems", items if isinstance(items, list) else [])
            rest = schema.get("additionalItems", True) if isinstance(items, list) else items
            size = chance.randint(schema.get("minItems", 0), max(schema.get("maxItems", 3), schema.get("minItems", 0)))
            made = [self.fitting(first[i] if i < len(first) else rest, root, deep - 1) for i in range(size)]
            if made and "contains" in schema:
                made[chance.randrange(size)] = self.fitting(schema["contains"], root, deep - 1)
            return made
        if kind == "string":
            return chance.choice(TEXTS)
        if kind in ("number", "integer"):
            return chance.choice([each for each in NUMBERS if kind == "number" or each == int(each)])
        return None if kind == "null" else chance.random() < 0.5

    def mutated(self, value: Any) -> Any:
        """A value with one thing in it changed."""
        chance = self.chance
        if isinstance(value, dict) and value and chance.random() < 0.8:
            key = chance.choice(list(value))
            if chance.random() < 0.2:
                return {each: value[each] for each in value if each != key}
            return {**value, key: self.mutated(value[key])}
        if isinstance(value, list) and value and chance.random() < 0.8:
            at = chance.randrange(len(value))
            if chance.random() < 0.2:
                return [*value, chance.choice(value)]
            return [*value[:at], self.mutated(value[at]), *value[at + 1 :]]
        return self.value(2)

    def written(self, value: Any) -> str:
        """JSON in one of the ways in which it can be written."""
        chance = self.chance
        return json.dumps(value, ensure_ascii=chance.random() < 0.3, indent=chance.choice((None, None, 1)))
