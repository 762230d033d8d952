"""`toolwire watch`: a live view of a stream in the terminal. Without a terminal, its final view."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolwire.cli.output import CommandError, console
from toolwire.cli.player import END, Follow, Player, Replay, payloads
from toolwire.cli.source import add_wire, is_live, whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Self

    from rich.console import Console

    from toolwire.cli.view.state import StreamState

__all__ = ["PACE", "add", "duration"]

PACE: Final = 0.04
_FRAME: Final = 1 / 15  # seconds between two drawings
_HOLD: Final = 1.0  # how long a demo's end stays before the next begins


class Show(NamedTuple):
    """One stream to be shown. `play` takes the seconds from payload to payload."""

    title: str
    subtitle: str
    wire: str
    play: Callable[[float], Player]
    live: bool = False


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "watch",
        help="watch a stream's calls being written",
        description="Watch a stream's calls being written, live in the terminal. A recording is replayed, a pipe is "
        "followed, and without a file the built-in demos are played. When the output is no terminal, the final view "
        "of each stream is printed once.",
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="a recorded stream, or - for standard input")
    add_wire(parser)
    parser.add_argument(
        "--pace",
        type=duration,
        default=PACE,
        metavar="SECONDS",
        help=f"seconds from payload to payload when a recording is replayed; 0 for no wait (default {PACE})",
    )
    parser.add_argument(
        "--demo", nargs="?", const="", metavar="NAME", help="play the built-in demos, or one of them by its name"
    )
    parser.set_defaults(run=run)


def duration(text: str) -> float:
    pace = float(text)
    if not 0 <= pace <= 3600:
        raise ValueError(text)
    return pace


def run(args: argparse.Namespace) -> int:
    """Show the file, or the demos."""
    screen = console()
    if args.file is not None and args.demo is not None:
        raise CommandError("watch shows a FILE or a --demo, not both")
    shows = _demos(args.demo) if args.file is None else [_file(args.file, args.wire)]
    if screen.is_terminal:
        return _watch(shows, args.pace, screen)
    for show in shows:
        run = _Run(show, 0, timed=show.live)
        while not run.over:
            run.step(_FRAME)
        _print(run.state, screen)
    return 0


def _file(name: str, wire: str) -> Show:
    if is_live(name):
        return Show("standard input" if name == "-" else name, "", wire, lambda _: Follow(name), live=True)
    chunks = payloads(whole(name))
    return Show(name, "", wire, lambda pace: Replay(chunks, pace))


def _demos(wanted: str | None) -> list[Show]:
    from toolwire.demo import DEMOS

    if wanted and wanted not in DEMOS:
        raise CommandError(f"there is no demo {wanted!r}: use one of {', '.join(DEMOS)}")

    def show(name: str) -> Show:
        demo = DEMOS[name]
        return Show(name, demo.title, demo.wire, lambda pace: Replay(demo.chunks(), pace * demo.tempo))

    return [show(name) for name in ([wanted] if wanted else DEMOS)]


class _Run:
    """One stream being played into a state."""

    def __init__(self, show: Show, pace: float, *, timed: bool) -> None:
        from toolwire.cli.view.state import StreamState
        from toolwire.sansio import Stream

        self.stream = Stream(show.wire, changes=True)
        self.player = show.play(pace)
        self.state = StreamState(show.title, show.subtitle, started_at=time.monotonic(), timed=timed)

    @property
    def over(self) -> bool:
        return self.state.done

    def step(self, timeout: float) -> None:
        """Take in what is due within `timeout` seconds."""
        data = self.player.next(timeout)
        now = time.monotonic()
        if data is None:
            self.state.tick(now)
        elif data == END:
            self.state.end(self.stream, now)
        else:
            self.state.receive(self.stream, data, now)


def _watch(shows: list[Show], pace: float, screen: Console) -> int:
    """Draw the streams, one after the other, on the terminal's other screen; leave their final views on this one."""
    from rich.live import Live

    from toolwire.cli.view.render import Page

    runs: list[_Run] = []
    with _Stop() as stop, Live(console=screen, screen=True, auto_refresh=False) as live:
        for place, show in enumerate(shows, 1):
            run = _Run(show, pace, timed=True)
            runs.append(run)
            run.state.place = f"{place}/{len(shows)}" if len(shows) > 1 else ""
            live.update(Page(run.state))
            _draw_until_over(run, stop, live.refresh)
            if stop.wanted:
                run.state.abort(run.stream, "stopped")
                break
            if place < len(shows):
                stop.sleep(_HOLD)
    for run in runs:
        run.state.place = ""
        _print(run.state, screen)
    return stop.code


def _draw_until_over(run: _Run, stop: _Stop, draw: Callable[[], None]) -> None:
    due = time.monotonic()
    while not run.over and not stop.wanted:
        left = due - time.monotonic()
        if left <= 0:
            draw()
            due = time.monotonic() + _FRAME
        run.step(max(left, 0))
    draw()


def _print(state: StreamState, screen: Console) -> None:
    from toolwire.cli.view.render import Page

    screen.print(Page(state, full=True))
    screen.print()


class _Stop:
    """Ctrl-C and a request to terminate, turned into a wish that is heeded between two drawings."""

    def __init__(self) -> None:
        self.code = 0
        self._before: dict[int, Any] = {}

    @property
    def wanted(self) -> bool:
        return self.code != 0

    def sleep(self, seconds: float) -> None:
        """Sleep, but not on."""
        end = time.monotonic() + seconds
        while not self.wanted and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, _FRAME))

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _note(self, number: int, _: object) -> None:
        self.code = 128 + number
        signal.signal(number, self._before[number])  # a second time is heeded at once
