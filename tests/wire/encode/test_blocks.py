"""The order of blocks, seen with an encoder that only notes what is opened, written and closed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from wire.encode.kit import (
    DONE,
    Step,
    abort,
    args,
    chunk,
    custom,
    custom_text,
    encoded,
    ending,
    opening,
    reject,
    saying,
)

from toolwire import Stream
from toolwire.limits import Limits
from toolwire.wire.encode.base import Sent
from toolwire.wire.encode.blocks import BlockEncoder
from toolwire.wire.encode.options import Options

if TYPE_CHECKING:
    from toolwire.events import Finish, MessageStart, StreamError
    from toolwire.wire.encode.blocks import Block


def name_of(block: Block) -> str:
    return block.call.name if isinstance(block, Sent) else block


class Notes(BlockEncoder):
    """`+` a block is opened, `-` one is closed, else a piece of the open one."""

    wire = "notes"

    def begin(self, event: MessageStart) -> None:
        pass

    def open_block(self, block: Block) -> None:
        self.frame("+" + name_of(block))

    def write_block(self, block: Block, piece: Any) -> None:
        self.frame(piece if isinstance(block, Sent) else piece.text)

    def close_block(self, block: Block) -> None:
        self.frame("-" + name_of(block))

    def splits(self, block: Block, piece: Any) -> bool:
        return piece.text.startswith("|")

    def finish(self, event: Finish) -> None:
        self.settle(event)
        self.frame(event.reason)

    def close(self) -> None:
        self.frame("end")

    def failure(self, error: StreamError) -> None:
        self.abandon(error)
        self.frame(f"error {error.code or error.kind}")


def notes(*steps: Step, **options: Any) -> str:
    return " ".join(payload for _, payload in encoded(steps, "openai-chat", Notes(Options(**options))))


F, G, H = opening(0, "f1", "F"), opening(1, "g1", "G"), opening(2, "h1", "H")
WHOLE = [ending(), DONE]


def thinking(text: str) -> Step:
    return chunk({"reasoning_content": text})


CASES: dict[str, tuple[list[Step], str]] = {
    "runs": (
        [thinking("h"), saying("a"), saying("b"), chunk({"refusal": "c"}), thinking("m"), ending("stop"), DONE],
        "+reasoning h -reasoning +text a b -text +refusal c -refusal +reasoning m -reasoning stop end",
    ),
    "a run that is split": (
        [saying("a"), saying("|b"), saying("c"), ending("stop"), DONE],
        "+text a -text +text |b c -text stop end",
    ),
    "a run that is split while it waits": (
        [F, saying("a"), saying("|b"), saying("c"), args('{"x":1}'), *WHOLE],
        '+F {"x":1} -F +text a -text +text |b c -text tool_calls end',
    ),
    "a call that is whole is closed by what comes": (
        [F, args('{"x":1}'), saying("a"), *WHOLE],
        '+F {"x":1} -F +text a -text tool_calls end',
    ),
    "a call that is not whole keeps all others waiting, in their order": (
        [F, args('{"x":'), saying("a"), G, args('{"y":1}', 1), saying("b"), H, args('{"z":1}', 2), args("1}"), *WHOLE],
        '+F {"x": 1} -F +text a -text +G {"y":1} -G +text b -text +H {"z":1} -H tool_calls end',
    ),
    "the first of those that wait may keep the rest waiting": (
        [F, G, H, args('{"z":1}', 2), args('{"x":1}'), args('{"y":', 1), saying("a"), args("1}", 1), *WHOLE],
        '+F {"x":1} -F +G {"y": 1} -G +H {"z":1} -H +text a -text tool_calls end',
    ),
    "white space goes nowhere once its block is closed": (
        [F, args('{"x":1}'), G, args(" "), args('{"y":1}', 1), args("\n", 1), *WHOLE],
        '+F {"x":1} -F +G {"y":1} \n -G tool_calls end',
    ),
    "free text is never whole before its end": (
        [custom(0, "f1", "F", "{}"), G, args('{"y":1}', 1), custom_text("x"), *WHOLE],
        '+F {} x -F +G {"y":1} -G tool_calls end',
    ),
    "no arguments are told at the end": (
        [F, G, args('{"y":1}', 1), *WHOLE],
        '+F {} -F +G {"y":1} -G tool_calls end',
    ),
    "another document behind a block that is closed ends the turn": (
        [F, args('{"x":1}'), G, args('{"x":2}'), args('{"y":1}', 1), *WHOLE],
        '+F {"x":1} -F +G {"y":1} -G error contradiction',
    ),
    "another document in a block that is open ends the turn": (
        [F, args('{"x":1}'), args('{"x":2}'), *WHOLE],
        '+F {"x":1} {"x":2} -F error concatenated',
    ),
    "another document in a call that waits ends the turn": (
        [F, args('{"x":'), G, args('{"y":1}', 1), args('{"y":2}', 1), args("1}"), *WHOLE],
        '+F {"x": 1} -F +G {"y":1} {"y":2} -G error concatenated',
    ),
    "a malformed call is closed at its end": (
        [F, args("{x"), args("}"), G, args('{"y":1}', 1), *WHOLE],
        '+F {x } -F +G {"y":1} -G tool_calls end',
    ),
    "a cut call is not closed": ([saying("a"), F, args('{"x":')], '+text a -text +F {"x": error incomplete'),
    "what waits behind a cut call is not told": (
        [F, args('{"x":'), saying("a"), G, args('{"y":1}', 1), ending("length"), DONE],
        '+F {"x": error length',
    ),
    "text is closed before an error": ([saying("a"), abort()], "+text a -text error aborted"),
    "a call that is whole is closed before an error": ([F, args('{"x":1}'), abort()], '+F {"x":1} -F error aborted'),
    "a rejected call is not closed": (
        [F, args('{"x":'), reject(), args("1}"), saying("a"), *WHOLE],
        '+F {"x": error call_rejected',
    ),
    "a rejected call that waits": (
        [F, args('{"x":'), G, reject(1), args("1}"), *WHOLE],
        '+F {"x": 1} -F +G error call_rejected',
    ),
    "a call that is rejected when it was told": (
        [F, args('{"x":1}'), saying("a"), reject(), ending(), DONE],
        '+F {"x":1} -F +text a -text error call_rejected',
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_order(name: str) -> None:
    steps, expected = CASES[name]
    assert notes(*steps) == expected


def test_what_waits_behind_a_cut_call_is_told_if_the_cut_is_no_error() -> None:
    steps = [F, args('{"x":'), saying("a"), G, args('{"y":1}', 1), H, args("[", 2), ending("length"), DONE]
    assert notes(*steps, fail_on_cut=False) == '+F {"x": -F +text a -text +G {"y":1} -G +H [ length end'


def test_the_latest_block() -> None:
    encoder = Notes(Options())
    assert encoder.latest is None
    encoded([saying("a"), abort()], "openai-chat", encoder)
    assert encoder.latest is None  # it was closed


def test_events_may_be_read_late() -> None:
    """When the calls have long ended."""
    for steps, expected in CASES.values():
        if any(callable(step) for step in steps):
            continue
        stream, encoder = Stream("openai-chat"), Notes(Options())
        events = [event for step in steps for event in stream.receive_payload(step)] + stream.end()
        frames = [frame for event in events for frame in encoder.feed(event)] + encoder.end()
        assert " ".join(payload for _, payload in frames) == expected


def steps_of(count: int) -> int:
    """The lines of code that are run to write so many calls, all of which are open at once and then end in turn."""
    steps = [opening(index, f"c{index}", "F") for index in range(count)]
    steps += [args(piece, index) for piece in ('{"x":', "1}") for index in range(count)]
    stream, encoder = Stream("openai-chat", limits=Limits(calls=count)), Notes(Options())
    events = [event for step in [*steps, *WHOLE] for event in stream.receive_payload(step)] + stream.end()
    done = 0

    def count_lines(frame: Any, event: str, arg: Any) -> Any:
        nonlocal done
        done += event == "line"
        return count_lines

    before = sys.gettrace()
    sys.settrace(count_lines)
    try:
        frames = [frame for event in events for frame in encoder.feed(event)] + encoder.end()
    finally:
        sys.settrace(before)
    assert [payload for _, payload in frames] == [*["+F", '{"x":', "1}", "-F"] * count, "tool_calls", "end"]
    return done


def test_the_work_for_interleaved_calls_is_linear() -> None:
    assert steps_of(4000) < 4.1 * steps_of(1000)
