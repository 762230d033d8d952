"""No I/O inside: a `Stream` fed from your own loop, here a selector over a socket, with your own clock."""

from __future__ import annotations

import selectors
import socket
import threading
import time

import toolwire
from toolwire.demo import DEMOS


def main() -> None:
    near, far = socket.socketpair()

    def provider() -> None:
        with far:
            far.sendall(b"".join(DEMOS["cut"].chunks()))

    threading.Thread(target=provider).start()
    stream = toolwire.Stream()
    with near, selectors.DefaultSelector() as selector:
        selector.register(near, selectors.EVENT_READ)
        while not stream.done:
            selector.select()
            data = near.recv(1000)  # cut anywhere
            now = time.monotonic()
            for event in stream.receive(data, now) if data else stream.end(now):
                if isinstance(event, toolwire.ToolCallEnd):
                    print(f"{event.call.name}: {event.call.status}")
                elif isinstance(event, toolwire.Finish):
                    print(f"{event.reason}: {len(event.calls)} to run")


if __name__ == "__main__":
    main()
