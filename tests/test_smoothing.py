"""Deltas joined and whole calls handed out: the same text in the same order, in time."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import merged, run

import toolwire
from toolwire import Coalesce, Encoder, Pace, UsageError
from toolwire.events import ReasoningDelta, Reset, StreamError, TextDelta, ToolCallDelta, ToolCallStart
from toolwire.smoothing import Coalescer, Pacer, stages

if TYPE_CHECKING:
    from toolwire import Event


def chat(*deltas: dict[str, Any], reason: str | None = "tool_calls") -> list[Event]:
    """The events of Chat deltas."""
    payloads: list[Any] = [{"id": "m", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    if reason:
        payloads += [{"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}, "[DONE]"]
    return run(payloads, "openai-chat")


def call(index: int, text: str, *, first: bool = True) -> dict[str, Any]:
    entry: dict[str, Any] = {"index": index, "function": {"arguments": text}}
    if first:
        entry |= {"id": f"c{index}", "function": {"name": f"f{index}", "arguments": text}}
    return {"tool_calls": [entry]}


def big(n: int) -> str:
    return '{"text":"' + "x" * n + '"}'


def play(stage: Coalescer | Pacer, timed: list[tuple[float, Event]]) -> list[tuple[float, Event]]:
    """Feed events at their times, tick at each deadline, and give what came out when."""
    out: list[tuple[float, Event]] = []
    for at, event in timed:
        while (due := stage.deadline()) is not None and due <= at:
            out += [(due, each) for each in stage.tick(due)]
        out += [(at, each) for each in stage.feed(event, at)]
    while (due := stage.deadline()) is not None:
        out += [(due, each) for each in stage.tick(due)]
    assert stage.flush() == []
    return out


# --- pace ------------------------------------------------------------------------------------------------------


def texts(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, ToolCallDelta)]


def test_a_whole_call_comes_bit_by_bit() -> None:
    events = chat(call(0, big(50)))
    out = play(Pacer(Pace(chars=24, interval=0.5, max_total=30)), [(1.0, event) for event in events])
    pieces = [(at, event.text) for at, event in out if isinstance(event, ToolCallDelta)]
    whole = big(50)
    assert pieces == [(1.0, whole[:24]), (1.5, whole[24:48]), (2.0, whole[48:])]
    # What comes behind waits for its turn, and no longer.
    assert [(at, event.type) for at, event in out[-2:]] == [(2.0, "tool_call_end"), (2.0, "finish")]
    assert [event.closes for _, event in out if isinstance(event, ToolCallDelta)] == [False, False, True]


def test_what_streams_is_left_alone() -> None:
    events = chat(call(0, '{"a":'), call(0, '"b"}', first=False))
    assert [at for at, _ in play(Pacer(Pace()), [(0.25 * n, event) for n, event in enumerate(events)])] == [
        0.25 * n for n in range(len(events))
    ]


def test_long_arguments_come_in_larger_pieces_and_in_time() -> None:
    events = chat(call(0, big(100_000)), call(1, big(50_000)))
    out = play(Pacer(Pace(chars=24, interval=0.01, max_total=1.0)), [(0.0, event) for event in events])
    assert max(at for at, _ in out) <= 1.0
    assert 50 < len(texts([event for _, event in out])) <= 101
    assert merged(event for _, event in out) == merged(events)


def test_a_late_clock_catches_up() -> None:
    pacer = Pacer(Pace(chars=10, interval=0.1, max_total=60))
    events = chat(call(0, big(100)))
    first = [out for event in events for out in pacer.feed(event, 0.0)]
    assert len("".join(texts(first))) == 10
    assert len("".join(texts(pacer.tick(0.55)))) == 50
    assert pacer.tick(0.55) == []
    assert pacer.deadline() == pytest.approx(0.6)


def test_an_error_lets_go_of_everything_at_once() -> None:
    pacer = Pacer(Pace(chars=10, interval=0.1))
    start, delta = [event for event in chat(call(0, big(100))) if isinstance(event, ToolCallStart | ToolCallDelta)]
    assert pacer.feed(start, 0.0) == [start]
    pacer.feed(delta, 0.0)
    error = StreamError("aborted", "stop")
    out = pacer.feed(error, 0.0)
    assert "".join(texts(out)) == big(100)[10:]
    assert out[-1] is error
    assert pacer.deadline() is None


def test_a_cut_lets_go_too() -> None:
    pacer = Pacer(Pace(chars=10, interval=0.1))
    events = chat(call(0, big(100)), reason=None)
    out = [each for event in events for each in pacer.feed(event, 0.0)]
    assert out[-1] == events[-1]
    assert pacer.deadline() is None


def test_a_reset_lets_go_too() -> None:
    pacer = Pacer(Pace(chars=10, interval=0.1))
    for event in chat(call(0, big(100))):
        pacer.feed(event, 0.0)
    assert [event.type for event in pacer.feed(Reset((), "anew", "turn"), 0.0)][-1] == "reset"
    assert pacer.deadline() is None


_DELTAS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 60), st.floats(0, 2)).map(
        lambda each: (each[0], "x" * each[1], each[2])
    ),
    max_size=12,
)


def _timed(parts: list[tuple[int, str, float]]) -> list[tuple[float, Event]]:
    """Calls that grow side by side, with text between them, at random times."""
    seen: set[int] = set()
    deltas: list[dict[str, Any]] = []
    for index, text, _ in parts:
        deltas.append(call(index, ("" if index in seen else '{"t":"') + text, first=index not in seen))
        deltas.append({"content": text})
        seen.add(index)
    events = chat(*deltas, reason="length")
    at = 0.0
    timed = []
    for n, event in enumerate(events):
        at += parts[n % len(parts)][2] if parts else 0.0
        timed.append((at, event))
    return timed


@given(_DELTAS, st.integers(1, 30), st.floats(0.01, 1))
def test_pace_keeps_text_order_and_its_word(parts: list[tuple[int, str, float]], chars: int, interval: float) -> None:
    timed = _timed(parts)
    pace = Pace(chars=chars, interval=interval, max_total=interval * 7)
    out = play(Pacer(pace), timed)
    assert merged(event for _, event in out) == merged(event for _, event in timed)
    # Each event that isn't split is out in time: the n-th of those that came is the n-th of those that went.
    came = [(at, event) for at, event in timed if not isinstance(event, ToolCallDelta)]
    went = [(at, event) for at, event in out if not isinstance(event, ToolCallDelta)]
    assert [event for _, event in came] == [event for _, event in went]
    for (before, _), (after, _) in zip(came, went, strict=True):
        assert before <= after <= before + pace.max_total + 1e-6


# --- coalesce --------------------------------------------------------------------------------------------------


def test_tiny_deltas_are_joined() -> None:
    events = chat(call(0, ""), *[call(0, piece, first=False) for piece in '{"a":"bcdefgh"}'])
    out = play(Coalescer(Coalesce(chars=6, seconds=1)), [(0.0, event) for event in events])
    assert texts([event for _, event in out]) == ['{"a":"', "bcdefg", 'h"}']
    assert [event.closes for _, event in out if isinstance(event, ToolCallDelta)] == [False, False, True]


def test_they_wait_no_longer_than_that() -> None:
    stage = Coalescer(Coalesce(chars=100, seconds=0.5))
    a, b = TextDelta("a"), TextDelta("b")
    assert stage.feed(a, 1.0) == []
    assert stage.deadline() == 1.5
    assert stage.feed(b, 1.2) == []
    assert stage.tick(1.4) == []
    assert stage.tick(1.5) == [TextDelta("ab")]
    assert stage.deadline() is None


def test_another_channel_does_not_overtake() -> None:
    stage = Coalescer(Coalesce(chars=100, seconds=0.5))
    assert stage.feed(TextDelta("a"), 0.0) == []
    assert stage.feed(ReasoningDelta("r"), 0.0) == [TextDelta("a")]
    assert stage.feed(TextDelta("b", choice=1), 0.0) == [ReasoningDelta("r")]
    assert stage.feed(TextDelta("c"), 0.0) == [TextDelta("b", choice=1)]
    assert stage.flush() == [TextDelta("c")]


def test_signatures_and_extras_keep_their_place() -> None:
    stage = Coalescer(Coalesce(chars=100, seconds=0.5))
    out: list[Event] = []
    given_ = [
        ReasoningDelta("a", field="thinking"),
        ReasoningDelta("b", field="thinking"),
        ReasoningDelta("", field="thinking", signature="s1"),
        ReasoningDelta("c", field="thinking"),
        TextDelta("t", extra={"id": "m1"}),
        TextDelta("u"),
        TextDelta("v", extra={"id": "m2"}),
    ]
    for event in given_:
        out += stage.feed(event, 0.0)
    assert out + stage.flush() == [
        ReasoningDelta("ab", field="thinking", signature="s1"),
        ReasoningDelta("c", field="thinking"),
        TextDelta("tu", extra={"id": "m1"}),
        TextDelta("v", extra={"id": "m2"}),
    ]


def test_changes_are_joined_with_the_text() -> None:
    events = run(
        [
            {"id": "m", "choices": [{"index": 0, "delta": call(0, '{"a":"')}]},
            {"choices": [{"index": 0, "delta": call(0, 'b"}', first=False)}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
        ],
        "openai-chat",
        changes=True,
    )
    deltas = [event for event in events if isinstance(event, ToolCallDelta)]
    assert len(deltas) == 2
    out = [event for _, event in play(Coalescer(Coalesce(chars=99)), [(0.0, event) for event in events])]
    (joined,) = [event for event in out if isinstance(event, ToolCallDelta)]
    assert joined.changes == (deltas[0].changes or ()) + (deltas[1].changes or ())
    assert joined.text == '{"a":"b"}'


@given(_DELTAS, st.integers(1, 40), st.floats(0.01, 3))
def test_coalescing_keeps_text_and_order(parts: list[tuple[int, str, float]], chars: int, seconds: float) -> None:
    timed = _timed(parts)
    out = play(Coalescer(Coalesce(chars=chars, seconds=seconds)), timed)
    assert merged(event for _, event in out) == merged(event for _, event in timed)
    assert all(a <= b for (a, _), (b, _) in itertools.pairwise(out))


# --- both, and what they refuse --------------------------------------------------------------------------------


def test_both_in_an_encoder() -> None:
    encoder = Encoder(
        "openai-chat", pace=Pace(chars=8, interval=1, max_total=60), coalesce=Coalesce(chars=1000, seconds=0.25)
    )
    events = chat(call(0, ""), *[call(0, piece, first=False) for piece in big(20)])
    out = b"".join(encoder.feed(event, 0.0) for event in events)
    while encoder.pacing and (due := encoder.deadline()) is not None:
        out += encoder.tick(due)
    out += encoder.end(100.0)
    assert texts(run([out], "openai-chat")) == [big(20)[n : n + 8] for n in range(0, len(big(20)), 8)]


def test_time_is_needed() -> None:
    encoder = Encoder("openai-chat", pace=Pace())
    with pytest.raises(UsageError, match="need the time"):
        encoder.feed(TextDelta("a"))


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Pace(chars=0), "chars"),
        (lambda: Pace(chars=True), "chars"),
        (lambda: Pace(interval=0), "interval"),
        (lambda: Pace(interval=4), "interval"),
        (lambda: Pace(max_total=float("inf")), "max_total"),
        (lambda: Pace(interval=5e-324), "interval"),
        (lambda: Pace(interval="x"), "interval"),  # type: ignore[arg-type]
        (lambda: Coalesce(seconds=None), "seconds"),  # type: ignore[arg-type]
        (lambda: Coalesce(chars=0), "chars"),
        (lambda: Coalesce(seconds=0), "seconds"),
        (lambda: stages(None, 3), "toolwire.Pace"),  # type: ignore[arg-type]
        (lambda: stages(Pace(), None), "toolwire.Coalesce"),  # type: ignore[arg-type]
    ],
)
def test_what_makes_no_sense_is_refused(make: Any, match: str) -> None:
    with pytest.raises(UsageError, match=match):
        make()


def test_off_by_default() -> None:
    assert toolwire.Encoder("openai-chat").deadline() is None
