"""Documents fed to a judge, character by character or in pieces, and what the final validator says of them."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from toolwire.partial.parser import PartialJSON
from toolwire.schema.keywords import ANNOTATIONS, KEYWORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import jsonschema_rs

    from toolwire.schema import Compiled, Violation

DRAFTS = {
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}


class Found(NamedTuple):
    """A violation, and how much of the text had been fed when it was reported."""

    offset: int
    violation: Violation


def pieces_of(text: str, cuts: Iterable[int] | None = None) -> list[str]:
    """A text in single characters, or cut at some places, taken modulo its length."""
    if cuts is None:
        return list(text)
    edges = sorted({0, len(text), *(cut % len(text) for cut in cuts)})
    return [text[a:b] for a, b in itertools.pairwise(edges)]


def follow(compiled: Compiled, text: str, cuts: Iterable[int] | None = None, **options: Any) -> list[Found]:
    """All that a judge reports of a text, the end included."""
    judge = compiled.judge(**options)
    parser = PartialJSON(changes=True)
    found: list[Found] = []
    fed = 0
    for piece in pieces_of(text, cuts):
        parser.feed(piece)
        fed += len(piece)
        found += [Found(fed, each) for each in judge.feed(parser.take_changes(), parser.value)]
    parser.end()
    found += [Found(fed, each) for each in judge.feed(parser.take_changes(), parser.value)]
    assert parser.closed, text
    return found + [Found(fed, each) for each in judge.end()]


def dumped(value: Any) -> str:
    """JSON without escapes, so that an offset is easily counted."""
    return json.dumps(value, ensure_ascii=False)


def closes(text: str) -> dict[tuple[Any, ...], int]:
    """How much of a text has to be fed until the value at each path is whole."""
    parser = PartialJSON(changes=True)
    ends: dict[tuple[Any, ...], int] = {}
    for offset, char in enumerate(text, 1):
        parser.feed(char)
        ends.update((path, offset) for op, path, _ in parser.take_changes() if op in ("closed", "set"))
    parser.end()
    ends.update((path, len(text)) for op, path, _ in parser.take_changes() if op in ("closed", "set"))
    return ends


def keyword_of(error: jsonschema_rs.ValidationError) -> str:
    """The keyword that a value violates; that above it, where it just says false."""
    words = [step for step in error.schema_path if isinstance(step, str) and step in KEYWORDS]
    return words[-1] if words else ""


def unjudged(schema: Any) -> set[str]:
    """The keywords of a schema that are never judged, found by their look."""
    found: set[str] = set()
    for word in _words(schema):
        keyword = KEYWORDS.get(word)
        if (keyword is None and word not in ANNOTATIONS) or (keyword is not None and keyword.when == "never"):
            found.add(word)
    return found


def _words(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for each in schema:
            yield from _words(each)
    elif isinstance(schema, dict):
        for word, value in schema.items():
            yield word
            if word in ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"):
                for each in value.values():
                    yield from _words(each)
            elif word not in ("enum", "const", "default", "examples", "required", "dependentRequired"):
                yield from _words(value)
