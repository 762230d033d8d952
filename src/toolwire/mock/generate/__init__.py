"""Tool arguments made up from a JSON Schema: valid, plausible to read, and the same for the same seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolwire.mock.generate.maker import Maker
from toolwire.mock.generate.schemas import Document

if TYPE_CHECKING:
    from random import Random

__all__ = ["arguments", "make"]

# How much of what is optional there is in each try, and how much work goes into it: the first that is valid is taken.
_SHARES: Final = (0.5, 0.5, 0.5, 0.0, 1.0, 0.5, 0.0, 0.5)
_FIRST_WORK: Final = 8_000
_WORK: Final = 1_500


def make(schema: dict[str, Any], rng: Random, *, size: int = 1) -> Any:
    """A value that the schema allows. `size`: how many times as long arrays, maps and free text become.

    It is checked by jsonschema-rs where that is installed; of the tries, which are few, the one with the fewest
    mistakes is returned if none is valid. Work and sizes are bounded: an array of a thousand items and a text of
    100,000 signs are the most, whatever the schema asks for. Types may be in capitals, as in OpenAPI's dialect;
    references to other documents say nothing.
    """
    return _best(Document(schema), rng, size)


def arguments(schema: dict[str, Any], rng: Random, *, size: int = 1) -> dict[str, Any]:
    """Arguments for a tool with these parameters: always an object, empty if the schema names no property."""
    made = _best(Document({**schema, "type": "object"}), rng, size)
    return made if isinstance(made, dict) else {}


def _best(document: Document, rng: Random, size: int) -> Any:
    best: Any = None
    fewest: int | None = None
    for at, share in enumerate(_SHARES):
        maker = Maker(document, rng, size=size, share=share, work=_WORK if at else _FIRST_WORK, wild=at > 3)
        try:
            made, _ = maker.value(document.root)
        except RecursionError:
            continue
        if document.valid(document.root, made) is not False:
            return made
        wrong = document.wrong(made)
        if fewest is None or wrong < fewest:
            best, fewest = made, wrong
    return best
