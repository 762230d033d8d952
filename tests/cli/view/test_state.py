from __future__ import annotations

from toolwire import Stream
from toolwire.cli.view.state import Prose, StreamState
from toolwire.demo import DEMOS


def play(name: str, *, until: int | None = None) -> tuple[StreamState, Stream]:
    """A demo of which a payload comes every second, beginning at 100."""
    stream = Stream(DEMOS[name].wire, changes=True)
    state = StreamState(name, started_at=100.0)
    chunks = DEMOS[name].chunks()
    for place, chunk in enumerate(chunks[:until], 1):
        state.receive(stream, chunk, 100.0 + place)
    if until is None:
        state.end(stream, 101.0 + len(chunks)) if not stream.done else None
    return state, stream


def test_what_is_known_at_the_end() -> None:
    state, _ = play("anthropic-form")
    assert state.done
    assert (state.wire, state.model) == ("anthropic", "demo-messages")
    assert state.received == sum(map(len, DEMOS["anthropic-form"].chunks()))
    assert state.texts[0].tail == "Everything needed is here. I'm filling in the application now."
    assert state.reasoning.chars == 92
    assert state.usage is not None
    assert state.usage.output_tokens == 304
    assert state.finishes[0].reason == "tool_calls"
    assert state.error is None


def test_when_things_happened() -> None:
    state, _ = play("openai-parallel", until=20)
    call = state.calls[0]
    assert call.first_at is not None
    assert call.last_at is not None
    assert call.first_at == call.named_at + 1
    assert call.written_in == call.last_at - call.named_at
    assert state.elapsed == 20
    state.tick(150.0)
    assert state.elapsed == 50


def test_the_clock_stops_at_the_end() -> None:
    state, _ = play("cut")
    elapsed = state.elapsed
    state.tick(1e6)
    assert state.elapsed == elapsed


def test_open_levels_follow_the_value() -> None:
    state, _ = play("anthropic-form", until=29)
    call = state.calls[0]
    assert call.call.partial == {"applicant": {"name": "Noor Ver"}}
    assert call.levels == 3
    state, _ = play("anthropic-form")
    assert (state.calls[0].open_levels, state.calls[0].levels) == (0, 0)


def test_a_closed_call_is_settled_before_it_ends() -> None:
    state, _ = play("openai-parallel", until=30)
    first, second = state.calls
    assert (first.call.done, first.settled) == (False, True)
    assert not second.settled


def test_a_turn_begun_anew() -> None:
    stream = Stream("anthropic", changes=True)
    state = StreamState("x")
    chunks = DEMOS["anthropic-form"].chunks()
    for chunk in chunks[:40]:
        state.receive(stream, chunk, 1.0)
    for chunk in [chunks[0].replace(b"msg_demo", b"msg_again"), *chunks[1:]]:
        state.receive(stream, chunk, 2.0)
    assert len(state.resets) == 1
    assert [bool(call.revoked) for call in state.calls] == [True, False]
    assert state.texts[0].chars == 62
    assert state.done


def test_an_abort() -> None:
    state, stream = play("cut", until=30)
    state.abort(stream, "stopped")
    state.abort(stream, "stopped")
    assert state.done
    assert state.finishes[0].reason == "cancelled"
    assert [call.call.executable for call in state.calls] == [False, False]


def test_long_prose_is_kept_from_a_line_s_beginning() -> None:
    prose = Prose()
    for number in range(20_000):
        prose.add(f"line {number}\n")
    assert prose.chars > 200_000
    assert len(prose.tail) <= 32_000
    assert prose.tail.startswith("line ")
    assert prose.tail.endswith("line 19999\n")
