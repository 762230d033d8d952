"""One value for a schema: branches chosen and merged, then made type by type, and made again where it isn't valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolwire.mock.generate import text
from toolwire.mock.generate.merge import both, merge
from toolwire.mock.generate.numbers import number
from toolwire.mock.generate.patterns import matching
from toolwire.mock.generate.schemas import NOWHERE, TYPES, same

if TYPE_CHECKING:
    from random import Random

    from toolwire.mock.generate.schemas import Document, Schema

__all__ = ["Maker"]

_TRIES: Final = 8
_SHALLOW: Final = 4
_DEEPEST: Final = 24
_MOST_TEXT: Final = 100_000
_MOST_ITEMS: Final = 1_000
_MOST_FLATTENED: Final = 32
_COMPILING: Final = 5

_BRANCHES: Final = frozenset(["$ref", "allOf", "anyOf", "oneOf", "if"])
_CHECKED: Final = _BRANCHES | {
    *("contains", "dependentRequired", "dependentSchemas", "enum", "format", "minProperties", "multipleOf", "not"),
    *("pattern", "patternProperties", "propertyNames", "uniqueItems", "unevaluatedItems", "unevaluatedProperties"),
}
_SIGNS: Final = (
    ("object", ("properties", "required", "additionalProperties", "patternProperties", "propertyNames")),
    ("object", ("minProperties", "maxProperties", "dependentRequired", "dependentSchemas")),
    ("array", ("items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems")),
    ("number", ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
    ("string", ("minLength", "maxLength", "pattern", "format")),
)


class Maker:
    """Makes values until its work is used up, and then the least that there is.

    `share`: of the optional properties; `work`: about how many values, and texts of sixteen signs; `wild`: whether a
    value may be of another type than its schema suggests, where it names none.
    """

    def __init__(self, document: Document, rng: Random, *, size: int, share: float, work: int, wild: bool) -> None:
        self._document = document
        self._rng = rng
        self._size = max(1, size)
        self._share = share
        self._work = work
        self._wild = wild
        self._compiled = document.compiled
        self._hopeless: set[int] = set()
        self._unmet: set[str] = set()

    def value(self, schema: Schema, deep: int = 0, name: str = "") -> tuple[Any, bool]:
        """A value, and whether it is valid as far as that was looked at."""
        if isinstance(schema, bool):
            return self._made({}, deep, name, 0), schema
        if _CHECKED.isdisjoint(schema):
            return self._made(schema, deep, name, 0), True
        made: Any = None
        for attempt in range(1 if id(schema) in self._hopeless else _TRIES):
            made = self._made(schema, deep, name, attempt)
            if self._document.valid(schema, made) is not False:
                return made, True
            if self._work < 0:
                return made, False
        self._hopeless.add(id(schema))
        return made, False

    def _made(self, schema: Schema, deep: int, name: str, attempt: int) -> Any:
        self._work -= 1 + _COMPILING * (self._document.compiled - self._compiled)
        self._compiled = self._document.compiled
        flat = self._flat(schema, deep)
        if isinstance(flat, bool):
            flat = {}
        if deep > _DEEPEST:
            flat = {word: flat[word] for word in ("type", "enum") if word in flat}
        given = self._given(flat)
        if given and attempt < 2 and self._rng.random() < (0.2 if "default" in flat else 0.5):
            return self._rng.choice(given)
        if "enum" in flat:
            return self._rng.choice(self._allowed(flat))
        match self._kind(flat, deep, attempt):
            case "object":
                return self._object(flat, deep)
            case "array":
                return self._array(flat, deep, name)
            case "string":
                return self._text(flat, name, attempt)
            case "integer":
                return self._number(flat, name, attempt, whole=True)
            case "number":
                return self._number(flat, name, attempt, whole=False)
            case "boolean":
                return self._rng.random() < 0.5
        return None

    def _given(self, flat: dict[str, Any]) -> list[Any]:
        """The values that the schema gives itself, if they are valid and say something."""
        if "enum" in flat:
            return []
        given = [each for word in ("default", "example", "examples") for each in flat.get(word, ())]
        return [
            each for each in given[:8] if each not in _EMPTY and self._document.valid(self._document.kept(flat), each)
        ]

    def _allowed(self, flat: dict[str, Any]) -> list[Any]:
        values = flat["enum"][:500]
        if len(values) == 1:
            return list(values)
        valid = [
            each for each in values if self._document.valid(self._document.kept(flat), each) is not False
        ] or values
        return [each for each in valid if each is not None] or valid

    def _kind(self, flat: dict[str, Any], deep: int, attempt: int) -> str:
        kinds: list[str] = flat.get("type", [])
        if not kinds:
            told = [kind for kind, words in _SIGNS if not flat.keys().isdisjoint(words)]
            if told and attempt < 4 and not (self._wild and self._rng.random() < 0.5):
                return self._rng.choice(told)
            return self._rng.choice(TYPES) if attempt or self._wild else "string"
        if "null" in kinds and (len(kinds) == 1 or self._rng.random() < 0.15 or attempt > 5):
            return "null"
        kinds = [kind for kind in kinds if kind != "null"]
        if deep >= _SHALLOW:
            kinds = [kind for kind in kinds if kind not in ("object", "array")] or kinds
        return self._rng.choice(kinds)

    # Branches

    def _flat(self, schema: Schema, deep: int, nested: int = 0) -> Schema:
        """The schema without references and branches: each of its choices made."""
        if isinstance(schema, bool) or _BRANCHES.isdisjoint(schema):
            return schema
        self._work -= 1
        out: Schema = {word: each for word, each in schema.items() if word not in _BRANCHES and word not in _ASIDE}
        if nested > _MOST_FLATTENED or self._work < -_MOST_ITEMS:
            return out
        for each in [*([self._document.target(schema["$ref"])] if "$ref" in schema else ()), *schema.get("allOf", ())]:
            out = merge(out, self._flat(each, deep, nested + 1), self._matches)
        for word in ("anyOf", "oneOf"):
            if word in schema:
                out = self._chosen(out, schema[word], deep, nested)
        if "if" in schema:
            held, failed = schema["if"], {"not": schema["if"]}
            ways = [both(held, schema.get("then", True)), both(failed, schema.get("else", True))]
            out = self._chosen(out, ways, deep, nested)
        return out

    def _chosen(self, out: Schema, options: list[Schema], deep: int, nested: int) -> Schema:
        order = self._rng.sample(options, len(options))
        if self._rng.random() < 0.75:
            order.sort(key=lambda each: isinstance(each, dict) and each.get("type") == ["null"])
        if deep >= _SHALLOW:
            order.sort(key=self._document.height)
        elif deep:
            order.sort(key=lambda each: self._document.height(each) >= NOWHERE)
        for each in order:
            merged = merge(out, self._flat(each, deep, nested + 1), self._matches)
            if merged is not False:
                return merged
        return False

    def _matches(self, pattern: str, name: str) -> bool:
        return bool(self._document.valid(self._document.kept({"pattern": pattern}), name))

    # Objects

    def _object(self, flat: dict[str, Any], deep: int) -> dict[str, Any]:
        flat = self._with_dependents(flat, self._names(flat, deep), deep)
        names = self._names(flat, deep)
        least = min(flat.get("minProperties", 0), _MOST_ITEMS)
        most = flat.get("maxProperties", _MOST_ITEMS * 2)
        needed = self._needed(flat, flat.get("required", ()))
        out: dict[str, Any] = {}
        for name in [*names, *(each for each in flat.get("properties", {}) if each not in names)]:
            # What isn't chosen is taken up again if there would be too few.
            if (name not in names and len(out) >= least) or self._work < -_MOST_ITEMS:
                break
            wanted = name in needed
            if not wanted and len(out) + sum(each not in out for each in needed) >= most:
                continue
            made, fine = self.value(self._schema_of(flat, name), deep + 1, name)
            if fine or wanted:
                out[name] = made
        self._fill(flat, deep, out, least, most)
        return out

    def _names(self, flat: dict[str, Any], deep: int) -> list[str]:
        """The properties to make: those that are needed, and some of the others, in the schema's order."""
        own = flat.get("properties", {})
        share = self._share if deep < _SHALLOW else 0.0
        chosen = [name for name in own if own[name] is not False and self._rng.random() < share]
        if deep:
            chosen = [name for name in chosen if self._document.height(own[name]) < NOWHERE]
        if "propertyNames" in flat:
            chosen = [name for name in chosen if self._document.valid(flat["propertyNames"], name) is not False]
        names = self._needed(flat, [*flat.get("required", ()), *chosen])
        return [name for name in own if name in names] + [name for name in names if name not in own]

    def _needed(self, flat: dict[str, Any], names: Any) -> dict[str, None]:
        """These names, and those that they depend on."""
        out: dict[str, None] = {}
        waiting = list(names)
        while waiting:
            name = waiting.pop(0)
            if name not in out:
                out[name] = None
                waiting += flat.get("dependentRequired", {}).get(name, ())
        return out

    def _with_dependents(self, flat: dict[str, Any], names: list[str], deep: int) -> dict[str, Any]:
        """The schema with what it asks for beside the properties that will be there."""
        asked = [each for name, each in flat.get("dependentSchemas", {}).items() if name in names]
        fixed = {**flat, "required": list(dict.fromkeys([*flat.get("required", ()), *names]))}
        for each in asked:
            merged = merge(fixed, self._flat(each, deep), self._matches)
            if isinstance(merged, dict):
                fixed = merged
        return fixed if asked else flat

    def _schema_of(self, flat: dict[str, Any], name: str) -> Schema:
        found: list[Schema] = []
        if name in flat.get("properties", {}):
            found.append(flat["properties"][name])
        found += [each for pattern, each in flat.get("patternProperties", {}).items() if self._matches(pattern, name)]
        return self._document.kept(both(*found) if found else self._rest(flat))

    def _rest(self, flat: dict[str, Any]) -> Schema:
        rest: Schema = flat.get("additionalProperties", flat.get("unevaluatedProperties", True))
        return rest

    def _fill(self, flat: dict[str, Any], deep: int, out: dict[str, Any], least: int, most: int) -> None:
        """Add properties that nobody named: as many as there must be, or a few where there would be none."""
        rest, patterns = self._rest(flat), flat.get("patternProperties", {})
        if not out and deep < _SHALLOW and ((isinstance(rest, dict) and rest) or patterns or (deep and rest)):
            least = max(least, min(most, self._rng.randint(1, 2 * self._size), _MOST_ITEMS))
        for _ in range(4 * max(0, least - len(out))):
            if len(out) >= least or self._work < -_MOST_ITEMS:
                return
            name = self._key(flat, rest, patterns)
            if name in out:
                name += str(len(out) + 1)
            schema = self._schema_of(flat, name)
            if name not in out and schema is not False:
                made, fine = self.value(schema, deep + 1, name)
                if fine:
                    out[name] = made

    def _key(self, flat: dict[str, Any], rest: Schema, patterns: dict[str, Schema]) -> str:
        if "propertyNames" in flat:
            named, _ = self.value(self._document.kept(both({"type": ["string"]}, flat["propertyNames"])), _SHALLOW)
            return str(named)
        if patterns and (rest is False or self._rng.random() < 0.5):
            made = matching(self._rng.choice(list(patterns)), self._rng)
            if made is not None:
                return made
        return text.key(self._rng)

    # Arrays

    def _array(self, flat: dict[str, Any], deep: int, name: str) -> list[Any]:
        first, rest = flat.get("prefixItems", []), flat.get("items", flat.get("unevaluatedItems", True))
        least, most = min(flat.get("minItems", 0), _MOST_ITEMS), min(flat.get("maxItems", _MOST_ITEMS), _MOST_ITEMS)
        contains = min(flat.get("minContains", 1), _MOST_ITEMS) if "contains" in flat else 0
        usual = 0 if deep >= _SHALLOW else self._rng.randint(1, 3 * self._size)
        if rest is False or (deep and self._document.height(rest) >= NOWHERE):
            usual = 0
        count = min(max(least, usual, contains, 0 if deep >= _SHALLOW else len(first)), most)
        count = min(count, len(first)) if rest is False else count
        item = _singular(name)
        pool = self._pool(rest, flat)
        out: list[Any] = []
        seen: set[str] = set()
        for at in range(count):
            if self._work < -_MOST_ITEMS:
                break
            schema = first[at] if at < len(first) else rest
            if at >= count - contains:
                schema = self._document.kept(both(flat["contains"], schema))
            for _ in range(200 if flat.get("uniqueItems") else 1):
                made, fine = (pool.pop(), True) if pool and schema is rest else self.value(schema, deep + 1, item)
                known = same(made) if "uniqueItems" in flat else ""
                if known not in seen or not flat["uniqueItems"] or self._work < 0:
                    break
            else:
                break
            if fine or len(out) < least:
                out.append(made)
                if known:
                    seen.add(known)
        return out

    def _pool(self, rest: Schema, flat: dict[str, Any]) -> list[Any]:
        """The values that unique items can have, mixed, where they are counted."""
        if not flat.get("uniqueItems") or not isinstance(rest, dict) or "enum" not in rest:
            return []
        values = self._allowed(rest)
        return self._rng.sample(values, len(values))

    # Texts and numbers

    def _text(self, flat: dict[str, Any], name: str, attempt: int) -> str:
        least = min(flat.get("minLength", 0), _MOST_TEXT)
        most = flat.get("maxLength")
        if self._work < 0:
            least = min(least, 16)
        made: str | None = None
        if flat.get("format") in text.FORMATS and ("pattern" not in flat or attempt % 2):
            made = text.FORMATS[flat["format"]](self._rng)
        elif "pattern" in flat and flat["pattern"] not in self._unmet:
            made = matching(flat["pattern"], self._rng, least, most)
            if made is None:
                self._unmet.add(flat["pattern"])
        if made is None:
            made = text.made_up(self._rng, name, flat.get("description", ""), self._size)
            made = text.fitted(made, self._rng, least, most)
        self._work -= len(made) // 16
        return made

    def _number(self, flat: dict[str, Any], name: str, attempt: int, *, whole: bool) -> float:
        usual = text.usual(name) if attempt < 2 else None
        return number(flat, self._rng, usual or (1, 100 * self._size), whole=whole)


_EMPTY: Final[tuple[Any, ...]] = (None, "", "null", "None", [], {})
_ASIDE: Final = frozenset(["then", "else", "$defs", "definitions"])


def _singular(name: str) -> str:
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name
