"""What a request wants to go wrong, and how fast.

`delay=20ms&drop=after:3`: behind a model's name, in a header, in a script or at the control endpoint.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any, Literal
from urllib.parse import parse_qsl

from toolwire.errors import UsageError

__all__ = ["Place", "Settings", "settings_of"]

_TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s)?")
_UNITS = {"ms": 0.001, "s": 1.0, None: 0.001}


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a stream something happens: `first` (before any event), `mid` (in the middle of the first call's
    arguments, or of all), `last` (before the last event) or `after:N` (behind so many events).
    """

    kind: Literal["first", "mid", "last", "after"]
    count: int = 0


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything off by default.

    Times in seconds; in a text they are milliseconds, or have their unit (`5`, `5ms`, `0.5s`), except `retry_after`.
    `head`: before the status line; `ttfb`: before the first event; `delay`: before each but the first; `jitter`: up to
    so much more before each. `status`: refuse with it, with `retry_after`; `fail`: only the first so many requests of a
    model are refused (503, or `status`). `never`: no answer at all. `chunk`: write so many bytes at a time, whatever
    they cut. `pings`: so many signs of life before each event; `quiet`: nothing but signs of life, this far apart, for
    ever.

    `error`: the wire's error form there, of `kind`; `length`: the turn is cut by its limit there; `malformed`: an event
    there that is no JSON. `drop`: the connection is reset there; `fin`: closed without the end of the body; `eof`: the
    body ends there as if it were whole; `stall`: nothing comes any more; `open`: the answer is whole, but the body
    doesn't end.

    `quirks`: names of quirks (see `mock/quirks`). `script`: the answer's name; `seed`: of what is made up; `size`:
    characters per delta.
    """

    head: float = 0.0
    ttfb: float = 0.0
    delay: float = 0.0
    jitter: float = 0.0
    status: int | None = None
    retry_after: float | None = None
    fail: int = 0
    never: bool = False
    chunk: int = 0
    pings: int = 0
    quiet: float = 0.0
    error: Place | None = None
    kind: str = "overloaded"
    length: Place | None = None
    malformed: Place | None = None
    drop: Place | None = None
    fin: Place | None = None
    eof: Place | None = None
    stall: Place | None = None
    open: bool = False
    quirks: tuple[str, ...] = ()
    script: str | None = None
    seed: str | None = None
    size: int = 0

    @property
    def steady(self) -> bool:
        """True when every request with these settings gets the same bytes at the same pace."""
        return not (self.jitter or self.fail)


_KINDS: dict[str, str] = {field.name: str(field.type) for field in fields(Settings)}


def settings_of(text: str, base: Settings | None = None) -> Settings:
    """The settings in a text like a query string. Raises `UsageError` for what isn't one."""
    given: dict[str, Any] = {}
    for name, value in parse_qsl(text, keep_blank_values=True):
        key = {"retry-after": "retry_after", "quirk": "quirks"}.get(name, name)
        if key not in _KINDS:
            raise UsageError(f"unknown setting {name!r}: there are {', '.join(sorted(_KINDS))}")
        read = _read(key, value)
        given[key] = (*given.get(key, ()), *read) if key == "quirks" else read
    before = {} if base is None else {name: getattr(base, name) for name in _KINDS}
    return Settings(**{**before, **given})


def _read(key: str, value: str) -> Any:
    kind = _KINDS[key]
    try:
        if "Place" in kind:
            return _place(value or "mid")
        if kind == "bool":
            return value not in ("0", "false", "no")
        if key == "quirks":
            return tuple(each for each in value.split(",") if each)
        if kind.startswith("int"):
            return _number(value, 200 if key == "status" else 0, 599 if key == "status" else None)
        if kind.startswith("float"):
            return _seconds(value if key != "retry_after" else f"{value}s")
    except ValueError:
        raise UsageError(f"{key}={value} is not understood") from None
    return value


def _seconds(value: str) -> float:
    found = _TIME.fullmatch(value)
    if found is None:
        raise ValueError
    return float(found[1]) * _UNITS[found[2]]


def _number(value: str, least: int, most: int | None) -> int:
    number = int(value)
    if number < least or (most is not None and number > most):
        raise ValueError
    return number


def _place(value: str) -> Place:
    kind, _, count = value.partition(":")
    if kind == "after":
        return Place("after", _number(count, 0, None))
    if kind in ("first", "mid", "last") and not count:
        return Place(kind)  # type: ignore[arg-type]
    raise ValueError
