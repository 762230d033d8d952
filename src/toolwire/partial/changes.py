"""Path changes: how a live value came to be, step by step, and how to play the steps back.

A change is a tuple `(op, path, value)`:

| op | value | meaning |
|---|---|---|
| `opened` | `""`, `{}` or `[]` | a string, object or array began; the value is a marker, always empty |
| `appended` | text | the string at the path grew by this text |
| `set` | the value | a number, a literal, or a string that came in one piece |
| `closed` | `None` | the string, object or array at the path is whole |

The path is a tuple of keys and indexes, `()` for the value as a whole. A member's path is built once and
shared by all its changes. `opened` or `set` at a path that exists already replaces what was there: that is
how a repeated key shows.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MISSING", "Change", "Missing", "Path", "copy_value", "replay"]

Path: TypeAlias = tuple[str | int, ...]
Change: TypeAlias = tuple[Literal["opened", "appended", "set", "closed"], Path, Any]


class Missing(Enum):
    """The type of `MISSING`."""

    MISSING = "MISSING"

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING: Final = Missing.MISSING
"""Nothing can be shown yet. Not `None`: that is a JSON value."""


def replay(changes: Iterable[Change], value: Any = MISSING) -> Any:
    """Apply changes, in order, to a value and return it.

    Containers in `value` are changed in place; those that the changes open are fresh, so two replays share
    nothing. Raises KeyError or IndexError where a change doesn't fit the value.
    """
    root: list[Any] = [value]
    for op, path, payload in changes:
        if op == "closed":
            continue
        parent: Any = root
        key: str | int = 0
        for step in path:
            parent = parent[key]
            key = step
        if op == "appended":
            parent[key] = parent[key] + payload
            continue
        # A marker stands for a fresh container: the change may be replayed again.
        item = payload if op == "set" else type(payload)()
        if isinstance(parent, list) and key == len(parent):
            parent.append(item)
        else:
            parent[key] = item
    return root[0]


def copy_value(value: Any) -> Any:
    """Copy a JSON value: containers are fresh, strings are shared.

    Works without recursion, so that a deep value can't exhaust the caller's stack.
    """
    root: list[Any] = [value]
    work: list[Any] = [root]
    while work:
        target = work.pop()
        for key, item in list(target.items() if isinstance(target, dict) else enumerate(target)):
            if isinstance(item, (dict, list)):
                fresh = item.copy()
                target[key] = fresh
                work.append(fresh)
    return root[0]
