"""An async loop: when the turn is confirmed, its calls run side by side."""

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


async def run(call: toolwire.ToolCall) -> str:
    """Stands for a tool."""
    await asyncio.sleep(0.01 * (3 - call.index))
    return f"{call.name}({', '.join(f'{key}={value!r}' for key, value in call.arguments.items())})"


async def main() -> None:
    async for event in toolwire.astream(response()):
        if isinstance(event, toolwire.Finish):
            results = await asyncio.gather(*(run(call) for call in event.calls))
            for call, result in zip(event.calls, results, strict=True):
                print(f"{call.id}: {result}")


if __name__ == "__main__":
    asyncio.run(main())
