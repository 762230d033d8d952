"""What the mock has seen and done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Log", "Seen"]

_SECRET = frozenset({"authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "x-amz-security-token"})


@dataclass(slots=True)
class Seen:
    """One request, and what became of it.

    `headers`: with secrets left out; `body`: as JSON, or its text where it is none. `status`: what was answered, None
    for nothing. `events`, `sent`: of the wire, and bytes, that went out. `end`: "clean", "reset", "fin", "stall",
    "closed" (the client left before the end) or "" while it goes on. `closed_at`: seconds from the request to the
    client's leaving, None if it stayed.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: Any = None
    wire: str | None = None
    model: str | None = None
    status: int | None = None
    events: int = 0
    sent: int = 0
    end: str = ""
    closed_at: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """It as plain data."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class Log:
    """All requests since the start or the last reset, the newest last. Only the last thousand are kept."""

    requests: list[Seen] = field(default_factory=list)
    count: int = 0
    events: int = 0
    refused: dict[str, int] = field(default_factory=dict)  # by model: how many were made to fail
    keep: int = 1000

    def add(self, seen: Seen) -> None:
        """A request."""
        self.count += 1
        self.requests.append(seen)
        if len(self.requests) > 2 * self.keep:
            del self.requests[: -self.keep]

    def reset(self) -> None:
        """Forget everything."""
        self.requests.clear()
        self.refused.clear()
        self.count = self.events = 0


def public(headers: dict[str, str]) -> dict[str, str]:
    """Headers without what nobody is to read."""
    return {name: "***" if name in _SECRET else value for name, value in headers.items()}
