"""A schema as nodes: made once, each when it is first needed, and shared by all judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urldefrag, urljoin

from toolwire.schema.judge import Judge
from toolwire.schema.keywords import ANNOTATIONS, KEYWORDS, kinds_allowed, unknown
from toolwire.schema.oracle import SCHEMAS
from toolwire.schema.values import KINDS, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.schema.runtime import Branch, Frame, Rule
    from toolwire.schema.values import Kind

__all__ = ["Compiled", "Node", "compile_schema"]

_DRAFTS: Final = {uri.rstrip("#"): draft for draft, uri in SCHEMAS.items()}

# Where subschemas lie, for the search for identifiers.
_ONE: Final = frozenset(
    [
        *("additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"),
        *("propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
    ]
)
_LIST: Final = frozenset(["allOf", "anyOf", "items", "oneOf", "prefixItems"])
_NAMED: Final = frozenset(
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]
)


class Scope:
    """What a reference is relative to: the innermost schema with an identifier, its address and its draft."""

    __slots__ = ("base", "draft", "root")

    def __init__(self, root: Any, base: str, draft: int | None) -> None:
        self.root = root
        self.base = base
        self.draft = draft

    def enter(self, schema: Any) -> Scope:
        """The scope of a schema that lies in this one."""
        if not isinstance(schema, dict) or self.draft is None:
            return self
        given = schema.get("id" if self.draft == 4 else "$id")
        if not isinstance(given, str) or given.startswith("#") or (self.draft <= 7 and "$ref" in schema):
            return self
        return Scope(schema, urldefrag(urljoin(self.base, given)).url, _draft_of(schema, self.draft))


def _draft_of(schema: Any, default: int | None) -> int | None:
    """The draft that a schema says it is of; None for one that nobody knows."""
    said = schema.get("$schema") if isinstance(schema, dict) else None
    return _DRAFTS.get(said.rstrip("#")) if isinstance(said, str) else default


class Document:
    """A schema with all that lies in it: its nodes, and what can be referred to."""

    __slots__ = ("_anchors", "_nodes", "_resources", "root")

    def __init__(self, schema: Any) -> None:
        draft = _draft_of(schema, 2020)
        scope = Scope(schema, "", draft)
        self._nodes: dict[tuple[int, str, str], Node] = {}
        self._resources: dict[str, Scope] | None = None
        self._anchors: dict[tuple[str, str], tuple[Any, Scope]] = {}
        self.root = self.node(schema, scope.enter(schema), "")

    def node(self, schema: Any, scope: Scope, word: str) -> Node:
        """The node of a schema that stands under a keyword: a schema that is just false is refused in its name."""
        key = (id(schema), scope.base, word if schema is False else "")
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Node(self, schema, scope, word)
        return node

    def find(self, reference: str, scope: Scope) -> Node | None:
        """What a reference leads to; None if that isn't in the document."""
        address, fragment = urldefrag(reference)
        base = scope.base if not address else urljoin(scope.base, address)
        if base != scope.base:
            found = self._known().get(base)
            if found is None:
                return None
            scope = found
        fragment = unquote(fragment)
        if not fragment:
            return self._target(scope.root, scope)
        if not fragment.startswith("/"):
            self._known()
            place = self._anchors.get((scope.base, fragment))
            return None if place is None else self._target(*place)
        here = scope.root
        for step in fragment[1:].split("/"):
            step = step.replace("~1", "/").replace("~0", "~")
            if isinstance(here, dict) and step in here:
                here = here[step]
            elif isinstance(here, list) and step.isdecimal() and int(step) < len(here):
                here = here[int(step)]
            else:
                return None
            scope = scope.enter(here)
        return self._target(here, scope)

    def _target(self, schema: Any, scope: Scope) -> Node | None:
        if not isinstance(schema, dict | bool):
            return None
        node = self.node(schema, scope, "$ref")
        node.shared = True
        return node

    def _known(self) -> dict[str, Scope]:
        """The schemas with an address of their own, and the anchors: found when a reference first asks for one."""
        if self._resources is None:
            self._resources = {}
            scope = self.root.scope
            work: list[tuple[Any, Scope]] = [(scope.root, scope)]
            while work:
                schema, outer = work.pop()
                if not isinstance(schema, dict):
                    continue
                scope = outer.enter(schema)
                self._resources.setdefault(scope.base, scope)
                for name in _anchors(schema, scope.draft):
                    self._anchors[scope.base, name] = (schema, scope)
                work += [(each, scope) for each in _subschemas(schema)]
        return self._resources


def _anchors(schema: dict[str, Any], draft: int | None) -> Iterator[str]:
    for word in ("$anchor", "$dynamicAnchor", "$id", "id"):
        name = schema.get(word)
        if isinstance(name, str):
            if not word.endswith("id"):
                yield name
            elif "#" in name and draft is not None and draft <= 7:
                yield name.partition("#")[2]


def _subschemas(schema: dict[str, Any]) -> Iterator[Any]:
    for word, value in schema.items():
        if word in _ONE and isinstance(value, dict):
            yield value
        elif word in _LIST and isinstance(value, list):
            yield from value
        elif word in _NAMED and isinstance(value, dict):
            yield from value.values()


class Node:
    """A schema, or a part of one, that applies to values.

    `shared` says that references lead to it, `takes_all` that every value is valid.
    """

    __slots__ = ("_document", "_rules", "_subs", "_takes", "_word", "draft", "schema", "scope", "shared", "takes_all")

    def __init__(self, document: Document, schema: Any, scope: Scope, word: str) -> None:
        self._document = document
        self._word = word
        self._rules: dict[Kind, tuple[Rule, ...]] | None = None
        self._subs: dict[tuple[int, str], Node] = {}
        self._takes: bool | None = None
        self.scope = scope
        self.draft = scope.draft or 2020
        self.schema: dict[str, Any] = schema if isinstance(schema, dict) else {}
        if self.draft <= 7 and "$ref" in self.schema:
            self.schema = {"$ref": self.schema["$ref"]}  # nothing counts beside it
        self.shared = False
        self.takes_all = schema is True or (isinstance(schema, dict) and not schema)
        if schema is False:
            self._rules = dict.fromkeys(KINDS, (self._refuse,))
        elif not isinstance(schema, bool | dict):
            self._rules = dict.fromkeys(KINDS, tuple(unknown.values())[:1])

    def rules(self, kind: Kind) -> tuple[Rule, ...]:
        """What is to be done when a value of a kind begins."""
        if self._rules is None:
            made = [self._made(word) for word in self._words()]
            self._rules = {kind: tuple(each[kind] for each in made if kind in each) for kind in KINDS}
        return self._rules[kind]

    def sub(self, schema: Any, word: str) -> Node:
        """The node of a schema within this one."""
        key = (id(schema), word)
        node = self._subs.get(key)
        if node is None:
            node = self._subs[key] = self._document.node(schema, self.scope.enter(schema), word)
        return node

    def target(self, reference: Any) -> Node | None:
        """What a reference leads to; None if that isn't in the document."""
        return self._document.find(reference, self.scope) if isinstance(reference, str) else None

    @property
    def nothing_known(self) -> Node:
        """A node that can't be judged."""
        return self.sub(None, "")

    @property
    def takes_container(self) -> bool:
        """Whether an object or array may be valid: a string that is wrong here may be mended to be one.

        Where that isn't certain, it is so.
        """
        if self._takes is None:
            self._takes = True  # for a schema that refers to itself
            self._takes = self._takes_container()
        return self._takes

    def _takes_container(self) -> bool:
        if not kinds_allowed(self.schema) & {"object", "array"}:
            return False
        target = self.target(self.schema.get("$ref"))
        if not all(self._takes_here("allOf")) or (target is not None and not target.takes_container):
            return False
        return all(any(takes) for takes in map(self._takes_here, ("anyOf", "oneOf")) if takes)

    def _takes_here(self, word: str) -> list[bool]:
        """Which of a keyword's schemas for the same value take containers."""
        schemas = self.schema.get(word)
        each_of = schemas if isinstance(schemas, list) else []
        return [self.sub(each, "").takes_container if isinstance(each, dict) else each is not False for each in each_of]

    def _words(self) -> list[str]:
        if self.scope.draft is None:
            return [""]  # of a draft that nobody knows
        return [word for word in self.schema if word not in ANNOTATIONS and not word.startswith("x-")]

    def _made(self, word: str) -> dict[Kind, Rule]:
        keyword = KEYWORDS.get(word)
        if keyword is None or not keyword.since <= self.draft <= keyword.until:
            return dict(unknown)
        try:
            return dict(keyword.make(self))
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            return dict(unknown)  # not what the keyword takes

    def _refuse(self, frame: Frame, branch: Branch) -> None:
        branch.fail(Violation(frame.path, self._word, "nothing is allowed here"))


class Compiled:
    """A schema that can be judged."""

    __slots__ = ("_root",)

    def __init__(self, root: Node) -> None:
        self._root = root

    def judge(self, stringified: bool = False, *, root_waits: bool = True) -> Judge:
        """A judge of one document.

        `stringified`: a string where a container is wanted may hold the container's text. `root_waits`: a string at
        the root, or an empty object, may turn out to be something else.
        """
        return Judge(self._root, stringified=stringified, root_waits=root_waits)


def compile_schema(schema: dict[str, Any] | bool) -> Compiled:
    """Prepare a schema. It is kept and must not change; its parts are read when they are first needed."""
    return Compiled(Document(schema).root)
