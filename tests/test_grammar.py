"""The checker finds what no stream may produce."""

from __future__ import annotations

from typing import Any

import pytest

from toolwire.accumulator import Accumulator
from toolwire.events import (
    Event,
    Finish,
    MessageStart,
    Reset,
    StreamError,
    TextDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    ToolCallViolation,
    Usage,
)
from toolwire.grammar import STREAM, TOOL_CALL, Grammar, GrammarError, check


def calls() -> tuple[Any, Any]:
    """An ended call that may run, and one that is still open."""
    acc = Accumulator()
    ended = acc.fragment(0, 0, "a", "f", "{}")
    acc.finish("tool_calls", "tool_calls")
    acc.end()
    still = Accumulator().fragment(0, 1, "b", "g", "{")
    return ended, still


DONE, OPEN = calls()
BEGIN = MessageStart()
RUN = [ToolCallStart(DONE), ToolCallDelta(DONE, "{}"), ToolCallEnd(DONE)]
FINISH = Finish("tool_calls", (DONE,), ("tool_calls",))

LEGAL = {
    "nothing but a finish": [Finish("incomplete")],
    "text": [BEGIN, TextDelta("a"), Usage(1, 2), Finish("stop")],
    "a call": [BEGIN, *RUN, FINISH],
    "an error before anything": [StreamError("protocol", "x"), Finish("error")],
    "an error after a call": [BEGIN, *RUN, StreamError("server", "x"), Usage(1, 2), Finish("error")],
    "two choices": [BEGIN, TextDelta("a"), TextDelta("b", 1), Finish("stop"), Finish("stop", choice=1)],
}

ILLEGAL = {
    "content before the start": ([TextDelta("a")], "text_delta while the stream is idle"),
    "a second start": ([BEGIN, BEGIN], "message_start while the stream is live"),
    "content after an error": ([BEGIN, StreamError("server", "x"), TextDelta("a")], "while the stream is failed"),
    "two errors": ([StreamError("server", "x"), StreamError("server", "y")], "while the stream is failed"),
    "content after the finish": ([BEGIN, Finish("stop"), TextDelta("a")], "while the stream is over"),
    "usage after the finish": ([BEGIN, Finish("stop"), Usage(1, 2)], "while the stream is over"),
    "two finishes of one choice": ([BEGIN, Finish("stop"), Finish("stop")], "finishes twice"),
    "no finish": ([BEGIN, TextDelta("a")], "no finish"),
    "a delta without a start": ([BEGIN, ToolCallDelta(DONE, "{}")], "for a call that is new"),
    "an end without a start": ([BEGIN, ToolCallEnd(DONE)], "for a call that is new"),
    "two starts": ([BEGIN, RUN[0], RUN[0]], "for a call that is open"),
    "a violation after the end": (
        [BEGIN, *RUN, ToolCallViolation(DONE, (), "type", "x", 1)],
        "tool_call_violation for a call that is ended",
    ),
    "two ends": ([BEGIN, *RUN, RUN[2]], "for a call that is ended"),
    "an empty delta": ([BEGIN, RUN[0], ToolCallDelta(DONE, "")], "an empty delta"),
    "an end of an open call": ([BEGIN, ToolCallStart(OPEN), ToolCallEnd(OPEN)], "an end event for an open call"),
    "lost text": ([BEGIN, RUN[0], ToolCallDelta(DONE, "{"), RUN[2]], "do not join"),
    "open at an error": ([BEGIN, RUN[0], StreamError("server", "x")], "open after a stream error"),
    "open at the finish": ([BEGIN, RUN[0], FINISH], "open after its finish"),
    "a finish with a call that never was": ([BEGIN, FINISH], "may not be run"),
    "a reset that leaves a call ready": ([BEGIN, *RUN, Reset((DONE,), "x")], "a reset leaves"),
}


@pytest.mark.parametrize("name", LEGAL)
def test_legal(name: str) -> None:
    """What a stream may produce passes."""
    check(LEGAL[name])


@pytest.mark.parametrize("name", ILLEGAL)
def test_illegal(name: str) -> None:
    """What it may not is named."""
    events, message = ILLEGAL[name]
    with pytest.raises(GrammarError, match=message):
        check(events)


def test_places_and_ids_are_unique() -> None:
    """Two calls can't share an id or an index."""
    acc = Accumulator()
    twin = acc.fragment(0, 0, "a", "g", "{}")
    other = Accumulator().fragment(0, 0, "b", "g", "{}")
    assert twin is not None
    assert other is not None
    for call, message in ((twin, "unique id"), (other, "is taken")):
        grammar = Grammar()
        grammar.feed(BEGIN)
        grammar.feed(RUN[0])
        with pytest.raises(GrammarError, match=message):
            grammar.feed(ToolCallStart(call))


def test_the_tables_name_every_event() -> None:
    """Each event type has a place in the stream's table, each call event in the call's."""
    named = {type_ for row in STREAM.values() for type_ in row}
    assert named == {kind.type for kind in Event.__args__}
    assert {type_ for row in TOOL_CALL.values() for type_ in row} == {*(e.type for e in RUN), "tool_call_violation"}
