"""A search started as soon as its query is known; its result counts only if the call comes to stand."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import toolwire
from toolwire.demo import DEMOS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


async def response() -> AsyncIterator[bytes]:
    """Stands for a response's body, as it comes from the network."""
    for chunk in DEMOS["openai-parallel"].chunks():
        await asyncio.sleep(0)
        yield chunk


async def fares(origin: str, to: str) -> str:
    """Stands for a slow search without effects."""
    print(f"looking for {origin}-{to}")
    await asyncio.sleep(0.01)
    return f"{origin}-{to} from 612 EUR"


async def main() -> None:
    async with toolwire.astream(response()) as stream:
        async for call in stream.calls():
            if call.name == "search_flights":
                async with toolwire.speculate(call, ["from", "to"], fares, confirm="turn") as early:
                    print(f"{call.name} is {call.status}")
                    found = await early
                    print(f"{call.name} is {call.status}, for {call.arguments['date']}: {found}")


if __name__ == "__main__":
    asyncio.run(main())
