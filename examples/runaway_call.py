"""A runaway call: the model is stuck and writes the same again and again. A guard stops the stream, and the bill."""

from __future__ import annotations

from typing import TYPE_CHECKING

import toolwire
from toolwire import guards
from toolwire.demo import DEMOS

if TYPE_CHECKING:
    from collections.abc import Iterator

BODY = DEMOS["runaway"].chunks()


def response(taken: list[bytes]) -> Iterator[bytes]:
    """Stands for a response's body; whoever closes it ends the request."""
    try:
        for chunk in BODY:
            taken.append(chunk)
            yield chunk
    finally:
        print(f"closed after {len(taken)} of {len(BODY)} chunks")


def main() -> None:
    taken: list[bytes] = []
    rules = [guards.no_repetition(chars=512), guards.limit_calls(10)]
    message = toolwire.collect(response(taken), guards=rules)
    (call,) = message.calls
    print(f"{call.name} is {call.status}; {len(message.executable)} to run")
    if message.error is not None:
        print(f"{message.error.kind}: {message.error.message}")
    print(f"{sum(map(len, BODY[len(taken) :]))} bytes never came")


if __name__ == "__main__":
    main()
