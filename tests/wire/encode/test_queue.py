"""The order of calls on a wire without blocks, seen with a queue whose calls are only noted."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from wire.encode.kit import DONE, Step, abort, args, custom, custom_text, encoded, ending, opening, reject, saying

from toolwire import Stream
from toolwire.wire.encode.base import Sent, WireEncoder
from toolwire.wire.encode.options import Options
from toolwire.wire.encode.queue import CallQueue

if TYPE_CHECKING:
    from toolwire.events import Finish, MessageStart, StreamError, TextDelta


class Notes(WireEncoder):
    """`+` a call begins, `-` one ends, else its text; `a` to `e` are text around them."""

    wire = "notes"

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.queue = CallQueue(
            lambda sent: self.frame("+" + sent.call.name),
            lambda sent, text: self.frame(f"{sent.call.name}:{text}"),
            lambda sent: self.frame("-" + sent.call.name),
        )

    def begin(self, event: MessageStart) -> None:
        pass

    def text(self, event: TextDelta) -> None:
        self.frame(event.text)

    def call_start(self, sent: Sent) -> None:
        self.queue.start(sent)

    def call_text(self, sent: Sent, text: str) -> None:
        self.queue.text(sent, text)

    def call_end(self, sent: Sent) -> None:
        self.queue.end(sent)

    def finish(self, event: Finish) -> None:
        self.queue.flush()
        self.frame(event.reason)

    def close(self) -> None:
        self.frame("end")

    def failure(self, error: StreamError) -> None:
        self.frame(f"error {error.code or error.kind}")


def notes(*steps: Step, **options: Any) -> str:
    return " ".join(payload for _, payload in encoded(steps, "openai-chat", Notes(Options(**options))))


F, G, H = opening(0, "f1", "F"), opening(1, "g1", "G"), opening(2, "h1", "H")
WHOLE = [ending(), DONE]

CASES: dict[str, tuple[list[Step], str]] = {
    "one call": ([F, args('{"x":'), args("1}"), *WHOLE], '+F F:{"x": F:1} -F tool_calls end'),
    "a call that is whole makes way at once": (
        [F, args('{"x":1}'), G, args('{"y":1}', 1), *WHOLE],
        '+F F:{"x":1} +G G:{"y":1} -F -G tool_calls end',
    ),
    "calls that take turns": (
        [F, args('{"x":'), G, args('{"y":', 1), args("1}"), args("2}", 1), *WHOLE],
        '+F F:{"x": F:1} +G G:{"y": G:2} -F -G tool_calls end',
    ),
    "calls that take turns, the second being whole first": (
        [F, args('{"x":'), G, args('{"y":', 1), args("2}", 1), args("1}"), *WHOLE],
        '+F F:{"x": F:1} +G G:{"y": G:2} -F -G tool_calls end',
    ),
    "those that wait keep their order, whichever is whole": (
        [F, G, H, args('{"z":1}', 2), args('{"y":', 1), args('{"x":1}'), args("1}", 1), *WHOLE],
        '+F F:{"x":1} +G G:{"y": G:1} +H H:{"z":1} -F -G -H tool_calls end',
    ),
    "one that begins while others wait is the last": (
        [F, args('{"x":'), G, args('{"y":1}', 1), H, args("1}"), args('{"z":1}', 2), *WHOLE],
        '+F F:{"x": F:1} +G G:{"y":1} +H H:{"z":1} -F -G -H tool_calls end',
    ),
    "text is not held up": (
        [
            saying("a"),
            F,
            args('{"x":'),
            saying("b"),
            G,
            saying("c"),
            args('{"y":1}', 1),
            args("1}"),
            saying("d"),
            *WHOLE,
        ],
        'a +F F:{"x": b c F:1} +G G:{"y":1} d -F -G tool_calls end',
    ),
    "no arguments are told at the end": (
        [F, G, args('{"y":1}', 1), *WHOLE],
        '+F F:{} -F +G G:{"y":1} -G tool_calls end',
    ),
    "no arguments in the one that waits": (
        [F, args('{"x":'), G, args("1}"), *WHOLE],
        '+F F:{"x": F:1} +G -F G:{} -G tool_calls end',
    ),
    "free text is never whole before its end": (
        [custom(0, "f1", "F", "{}"), G, args('{"y":1}', 1), custom_text("x"), *WHOLE],
        '+F F:{} F:x -F +G G:{"y":1} -G tool_calls end',
    ),
    "a malformed call makes way at its end": (
        [F, args("{x"), G, args('{"y":1}', 1), args("}"), *WHOLE],
        '+F F:{x F:} -F +G G:{"y":1} -G tool_calls end',
    ),
    "white space behind a call that made way goes nowhere": (
        [F, args('{"x":1}'), G, args(" \n"), args('{"y":1}', 1), *WHOLE],
        '+F F:{"x":1} +G G:{"y":1} -F -G tool_calls end',
    ),
    "junk behind a call that made way goes nowhere": (
        [F, args('{"x":1}'), G, args("}"), args('{"y":1}', 1), args("</tool_call>"), *WHOLE],
        '+F F:{"x":1} +G G:{"y":1} -F -G tool_calls end',
    ),
    "another document behind a call that made way ends the turn": (
        [F, args('{"x":1}'), G, args('{"x":2}'), args('{"y":1}', 1), *WHOLE],
        '+F F:{"x":1} +G G:{"y":1} -F -G error contradiction',
    ),
    "another document in a call that is the last": (
        [F, args('{"x":1}'), args('{"x":2}'), *WHOLE],
        '+F F:{"x":1} F:{"x":2} -F error concatenated',
    ),
    "another document in a call that waits": (
        [F, args('{"x":'), G, args('{"y":1}', 1), args('{"y":2}', 1), args("1}"), *WHOLE],
        '+F F:{"x": F:1} +G G:{"y":1} G:{"y":2} -F -G error concatenated',
    ),
    "what waits behind a cut call is not told": (
        [F, args('{"x":'), G, args('{"y":1}', 1), saying("a"), ending("length"), DONE],
        '+F F:{"x": a -F error length',
    ),
    "nor behind one that is cut in a turn that ended well": (
        [F, args('{"x":'), G, args('{"y":1}', 1), *WHOLE],
        '+F F:{"x": -F error truncated_call',
    ),
    "nor when the bytes end": ([F, args('{"x":'), G, args('{"y":1}', 1)], '+F F:{"x": -F error incomplete'),
    "nor when the stream is stopped": (
        [F, args('{"x":'), G, args('{"y":1}', 1), abort()],
        '+F F:{"x": -F error aborted',
    ),
    "a rejected call makes no way": (
        [F, args('{"x":'), reject(), args("1}"), G, args('{"y":1}', 1), *WHOLE],
        '+F F:{"x": -F error call_rejected',
    ),
    "a rejected call that waits": (
        [F, args('{"x":'), G, reject(1), args('{"y":1}', 1), args("1}"), H, args("{}", 2), *WHOLE],
        '+F F:{"x": F:1} +G -G -F error call_rejected',
    ),
    "a call that is rejected when it has made way": (
        [F, args('{"x":1}'), G, reject(), args('{"y":1}', 1), *WHOLE],
        '+F F:{"x":1} +G -F G:{"y":1} -G error call_rejected',
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_order(name: str) -> None:
    steps, expected = CASES[name]
    assert notes(*steps) == expected


def test_what_waits_behind_a_cut_call_is_told_if_the_cut_is_no_error() -> None:
    steps = [F, args('{"x":'), saying("a"), G, args('{"y":1}', 1), H, args("[", 2), ending("length"), DONE]
    told = '+F F:{"x": a -F +G G:{"y":1} -G +H H:[ -H length end'
    assert notes(*steps, fail_on_cut=False) == told


def test_events_may_be_read_late() -> None:
    """When the calls have long ended."""
    for steps, expected in CASES.values():
        if any(callable(step) for step in steps):
            continue
        stream, encoder = Stream("openai-chat"), Notes(Options())
        events = [event for step in steps for event in stream.receive_payload(step)] + stream.end()
        frames = [frame for event in events for frame in encoder.feed(event)] + encoder.end()
        assert " ".join(payload for _, payload in frames) == expected


def test_many_calls_that_wait() -> None:
    """All are told, in their order, as soon as the first is whole."""
    number = 3000
    texts = ["", *(f'{{"x":{n}}}' for n in range(1, number))]
    steps = [*(opening(n, f"c{n}", f"f{n}", text) for n, text in enumerate(texts)), args('{"x":0}'), *WHOLE]
    told = [f'+f{n} f{n}:{{"x":{n}}}' for n in range(number)] + [f"-f{n}" for n in range(number)]
    assert notes(*steps) == " ".join([*told, "tool_calls end"])


def work(number: int) -> int:
    """How many functions are called, and read of a collection, for so many calls that wait for the first."""
    stream = Stream("openai-chat")
    for index in range(number):
        stream.receive_payload(opening(index, f"c{index}", "f"))
    calls = [Sent(call, call.id, call.index) for call in stream.calls]
    told: list[Sent] = []
    queue = CallQueue(told.append, lambda _, __: None, lambda _: None)
    count = 0

    def note(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        for sent in calls:
            queue.start(sent)
        for sent in reversed(calls):
            for text in ("{", '"x":', "1}"):
                sent.closed = text == "1}"
                queue.text(sent, text)
    finally:
        sys.setprofile(before)
    assert told == calls
    return count


def test_the_work_per_call_does_not_grow() -> None:
    # But for what the interpreter does beside it, such as collecting garbage.
    assert work(1500) - work(1000) == pytest.approx(work(1000) - work(500), rel=0.02)


def test_so_many_calls_that_a_look_at_all_of_them_for_each_would_never_end() -> None:
    call = Stream("openai-chat").receive_payload(opening())[1].call
    calls = [Sent(call, "", index) for index in range(200_000)]
    told: list[Sent] = []
    queue = CallQueue(told.append, lambda _, __: None, lambda _: None)
    for sent in calls:
        sent.closed = sent.index > 0
        queue.start(sent)
    calls[0].closed = True
    queue.text(calls[0], "{}")
    assert told == calls
