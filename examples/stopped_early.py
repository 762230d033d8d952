"""A runaway call, stopped by its tool's schema: as soon as nothing that may follow can make the arguments valid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import toolwire
from toolwire import guards
from toolwire.demo import DEMOS

if TYPE_CHECKING:
    from collections.abc import Iterator

BODY = DEMOS["runaway"].chunks()
TOOL = {
    "name": "write_minutes",
    "parameters": {
        "type": "object",
        "properties": {"title": {"type": "string"}, "body": {"type": "string", "maxLength": 400}},
        "required": ["title", "body"],
    },
}


def response(taken: list[bytes]) -> Iterator[bytes]:
    for chunk in BODY:  # as it comes from the network
        taken.append(chunk)
        yield chunk


def main() -> None:
    taken: list[bytes] = []
    rules = [guards.early_check(action="abort")]
    (call,) = toolwire.collect(response(taken), tools=[TOOL], guards=rules).calls
    print(f"{call.name} is {call.status} after {len(call.buf)} characters")
    print(f"{sum(map(len, BODY[len(taken) :]))} of {sum(map(len, BODY))} bytes never came")


if __name__ == "__main__":
    main()
