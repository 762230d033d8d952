"""Parts of a call while it is written: a task for each call, elements as they are whole, at last the result."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import toolwire
from toolwire.demo import DEMOS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


async def response() -> AsyncIterator[bytes]:
    """Stands for a response's body, as it comes from the network."""
    for chunk in DEMOS["anthropic-form"].chunks():
        await asyncio.sleep(0)
        yield chunk


async def handle(call: toolwire.ToolCall) -> None:
    city = await call.value("applicant", "address", "city")
    print(f"{call.name}: the applicant lives in {city}, so their tariffs can be looked up already")
    async for item in call.items("items"):
        print(f"  {item['label']}: {item['value']}")
    remarks = "".join([piece async for piece in call.text("remarks")])
    print(f"  remarks of {len(remarks)} characters; the call is {call.status}")
    print(f"  may be run, with {', '.join(await call.result())}")


async def main() -> None:
    async with toolwire.astream(response()) as stream, asyncio.TaskGroup() as tasks:
        async for call in stream.calls():
            tasks.create_task(handle(call))


if __name__ == "__main__":
    asyncio.run(main())
