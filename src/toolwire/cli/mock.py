"""`toolwire mock`: a provider on a port, for SDKs, agents and gateways to be tried against."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from toolwire.cli.output import CommandError, print_line

if TYPE_CHECKING:
    import argparse

    from toolwire.mock.server import Server

__all__ = ["add"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "mock",
        help="serve a provider that fails on demand",
        description="Serve every provider's wire on one port: answers by script, made up of the tools that a request "
        "offers, or replayed, with whatever is to go wrong with them.",
        epilog="Settings go behind a model's name too: mock/parallel?delay=20ms&drop=after:3",
    )
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=0, help="the port (default: a free one)")
    parser.add_argument("--script", metavar="FILE", help="answers and rules, in YAML or JSON")
    parser.add_argument("--replay", metavar="DIR", help="recorded streams: a file answers the model of its name")
    parser.add_argument(
        "--settings", default="", metavar="TEXT", help="for every request, such as delay=20ms&jitter=5ms"
    )
    parser.add_argument("--seed", default="0", help="of what is made up (default 0)")
    parser.add_argument("--key", action="append", default=[], help="an API key that is accepted (default: any)")
    parser.add_argument("--model", action="append", default=[], help="a model that there is (default: any)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from toolwire.mock.replay import Replay
    from toolwire.mock.script import Script
    from toolwire.mock.server import Server
    from toolwire.mock.service import Service

    script = Script()
    if args.script is not None:
        try:
            script = Script.read(Path(args.script).read_text(encoding="utf-8"), args.script)
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"cannot read {args.script}: {error}") from None
    service = Service(
        script,
        seed=args.seed,
        settings=args.settings,
        keys=tuple(args.key),
        models=tuple(args.model),
        replay=None if args.replay is None else Replay(args.replay),
    )
    server = Server(service, args.host, args.port)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(server))
    return 0


async def _serve(server: Server) -> None:
    try:
        await server.start()
    except (OSError, OverflowError) as error:  # the latter: no such port
        raise CommandError(f"cannot listen: {error}") from None
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, stopped.set)
    print_line(f"toolwire mock: {server.url}")
    await stopped.wait()
    await server.stop()
