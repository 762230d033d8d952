"""The vocabulary of verdicts: what can be wrong with a text, and what can be put right without guessing.

A repair lives on a branch that would otherwise be an error, so it costs valid text nothing. It never invents
text, never closes a bracket, and is recorded with the place and the characters it concerns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, cast, get_args

from toolwire.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection

    from toolwire.partial.changes import Path

__all__ = ["DEFAULT_REPAIRS", "Duplicate", "Fault", "FaultReason", "Repair", "RepairName", "repair_names"]

RepairName: TypeAlias = Literal[
    "raw_control",
    "unknown_escape",
    "escaped_space",
    "double_encoded",
    "resend",
    "leading_empty",
    "trailing_junk",
    "trailing_comma",
    "code_fence",
    "single_quotes",
    "python_literals",
    "integral_float",
    "stringified",
]

FaultReason: TypeAlias = Literal["malformed", "concatenated", "depth", "digits"]

DEFAULT_REPAIRS: Final[frozenset[RepairName]] = frozenset(
    {
        "raw_control",
        "unknown_escape",
        "escaped_space",
        "double_encoded",
        "resend",
        "leading_empty",
        "trailing_junk",
        "integral_float",
        "stringified",
    }
)
"""The repairs that lose nothing and that real models and servers make necessary. The last two are of values, where a
tool's check asks for another type; a parser, which knows no tools, never makes them."""

_KNOWN: Final[frozenset[str]] = frozenset(get_args(RepairName))


class Repair(NamedTuple):
    """One repair that was made: which, where, and the characters concerned.

    `offset` counts characters of the text as it was read. `text` is what was kept in spite of the grammar or
    what was left out of `PartialJSON.text`. For a `resend` of an unfinished text it is empty: what was left
    out then equals the first `offset` characters of the text itself.
    """

    kind: RepairName
    offset: int
    text: str


class Fault(NamedTuple):
    """Why a text is hopeless, and the offset, in characters, of the first one that makes it so."""

    reason: FaultReason
    offset: int
    message: str


class Duplicate(NamedTuple):
    """A key that came twice in one object. `offset` is that of the repeated key's opening quote."""

    path: Path
    offset: int


def repair_names(names: Collection[str]) -> frozenset[RepairName]:
    """Check a caller's choice of repairs.

    Raises UsageError for a name that isn't one, and for a bare string, which would be read letter by letter.
    """
    if isinstance(names, frozenset) and names <= _KNOWN:
        return names
    if isinstance(names, str):
        raise UsageError(f"repairs takes a collection of names, not the string {names!r}")
    if not names:
        return frozenset()
    unknown = sorted(set(names) - _KNOWN)
    if unknown:
        raise UsageError(f"unknown repairs: {', '.join(map(repr, unknown))}; known: {', '.join(sorted(_KNOWN))}")
    return cast("frozenset[RepairName]", frozenset(names))
