"""For tests of code that talks to a model: a provider in the process, on a loopback port of its own.

    def test_my_agent(mock_provider):                    # the fixture comes with the package
        mock_provider.order("length=mid")                # the next answer is cut inside a call
        result = my_agent(base_url=mock_provider.url + "/v1")
        assert result.tools_run == []
        assert mock_provider.requests[0].body["tools"]

`MockProvider` is a context manager, sync and async. It serves every wire that `toolwire mock` does.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

from toolwire.mock.script import Script
from toolwire.mock.server import Server
from toolwire.mock.service import Service

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Self

    from toolwire.mock.log import Seen

__all__ = ["MockProvider"]


class MockProvider:
    """A mock provider in a thread. `url` is its base address; append what the SDK wants behind it, mostly `/v1`.

    `script`: answers and rules as plain data (see `toolwire.mock.script`), None for answers that are made up.
    `settings`: for every request. `seed`: of what is made up. `keys`, `models`: those that are accepted, if not any.
    Raises `UsageError` for a script or settings that make no sense.
    """

    def __init__(
        self,
        script: Mapping[str, Any] | None = None,
        *,
        settings: str = "",
        seed: str = "0",
        keys: tuple[str, ...] = (),
        models: tuple[str, ...] = (),
    ) -> None:
        made = Script() if script is None else Script.of(dict(script))
        self._service = Service(made, seed=seed, settings=settings, keys=keys, models=models)
        self._server = Server(self._service)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The base address, without a slash at the end."""
        return self._server.url

    @property
    def requests(self) -> list[Seen]:
        """What came so far, in order."""
        return list(self._service.log.requests)

    def order(self, settings: str, *, times: int = 1, model: str = "") -> None:
        """What is to go wrong with the next requests, such as `"drop=mid&delay=20ms"`."""
        self._service.order(settings, times=times, model=model)

    def reset(self) -> None:
        """Forget requests and orders."""
        self._service.reset()

    def start(self) -> Self:
        """Serve, until `stop`. Raises OSError where there is no port."""
        ready = threading.Event()
        failed: list[Exception] = []
        loop = self._loop = asyncio.new_event_loop()

        def run() -> None:
            asyncio.set_event_loop(loop)
            try:
                loop.run_until_complete(self._server.start())
            except Exception as error:  # noqa: BLE001  raised again where it was started
                failed.append(error)
                loop.close()
                return
            finally:
                ready.set()
            loop.run_forever()
            loop.run_until_complete(self._server.stop())
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

        self._thread = threading.Thread(target=run, name="toolwire-mock", daemon=True)
        self._thread.start()
        ready.wait()
        if failed:
            self._thread.join()
            self._loop = self._thread = None
            raise failed[0]
        return self

    def stop(self) -> None:
        """Close every connection and the port."""
        loop, thread = self._loop, self._thread
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            self._loop = self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        return self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.stop)
