"""One model's stream for two front ends: `useChat` of the AI SDK, and a client of AG-UI. See the README."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, HTTPException, Response

import toolwire
from toolwire.demo import DEMOS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

app = FastAPI()


def ask_the_model(name: str) -> toolwire.AsyncEventStream:
    """The demo of this name, as a provider would send it."""
    if name not in DEMOS:
        raise HTTPException(404, f"there is no demo {name!r}, but {', '.join(DEMOS)}")

    async def chunks() -> AsyncIterator[bytes]:
        for chunk in DEMOS[name].chunks():
            yield chunk
            await asyncio.sleep(0.005)

    return toolwire.astream(chunks(), DEMOS[name].wire)


@app.post("/chat/{name}", response_model=None)
async def chat(name: str) -> Response:
    return toolwire.response(ask_the_model(name), to="ai-sdk-ui", pace=toolwire.Pace())


@app.post("/agent/{name}", response_model=None)
async def agent(name: str, run: dict[str, Any]) -> Response:
    return toolwire.response(ask_the_model(name), to="ag-ui", run=run)
