"""A file written to disk while the model writes it, and gone again if the call doesn't complete."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import toolwire
from toolwire.demo import DEMOS

BODY = DEMOS["responses-file"].chunks()


async def write(body: list[bytes], folder: Path) -> None:
    async with toolwire.astream(body) as stream:
        async for call in stream.calls():
            target = folder / Path(await call.value("path")).name
            draft = target.with_suffix(".part")
            try:
                with draft.open("w") as file:
                    async for piece in call.text("content"):
                        file.write(piece)
                await call.result()  # only now is there leave to act
                draft.rename(target)
                print(f"{target.name}: {target.stat().st_size} bytes")
            except toolwire.ToolCallError as error:
                print(f"{target.name}: rolled back {draft.stat().st_size} bytes ({error.error.reason})")
                draft.unlink()


def main() -> None:
    for body in (BODY, BODY[: len(BODY) // 2]):  # whole, and cut in the middle
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(write(body, Path(folder)))
            print(f"  left: {[path.name for path in Path(folder).iterdir()]}")


if __name__ == "__main__":
    main()
