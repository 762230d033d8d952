"""The edges on the way out: bytes as they come, signs of life, backpressure, and who closes what."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from support import run as decoded
from support import to_sse
from support.calls import FINISH, Source, delta, pieces, run

import toolwire
from toolwire import BadEndError, Coalesce, Encoder, Pace, UsageError
from toolwire.events import Finish, StreamError, TextDelta, ToolCallDelta

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from toolwire import Event

CUT = pieces(finish=False)
WHOLE = pieces()
ERROR = b'"code":"incomplete"'


async def gather(stream: Any, **options: Any) -> list[bytes]:
    return [data async for data in toolwire.encode(stream, to="openai-chat", **options)]


def by_hand(given: list[bytes]) -> bytes:
    encoder = Encoder("openai-chat", created=1)
    stream = toolwire.Stream()
    out = b"".join(encoder.feed(event) for piece in given for event in stream.receive(piece))
    return out + b"".join(encoder.feed(event) for event in stream.end()) + encoder.end()


def same_ids(data: bytes) -> bytes:
    """Bytes without the id that was made up for the message."""
    start = data.index(b'"id":"chatcmpl-') + 6
    return data.replace(data[start : data.index(b'"', start)], b"made-up")


def test_both_edges_write_what_the_encoder_does() -> None:
    expected = same_ids(by_hand(WHOLE))
    sync = list(toolwire.encode(toolwire.stream(WHOLE), to="openai-chat", created=1))
    assert same_ids(b"".join(sync)) == expected
    assert same_ids(b"".join(run(lambda: gather(toolwire.astream(Source(WHOLE)), created=1)))) == expected
    assert len(sync) > 10
    assert expected.endswith(b"data: [DONE]\n\n")


def test_messages_are_dated_by_the_clock() -> None:
    (first, *_) = toolwire.encode(toolwire.stream(WHOLE), to="openai-chat")
    created = int(first.split(b'"created":')[1].split(b",")[0])
    assert abs(created - time.time()) < 60


def test_any_events_will_do() -> None:
    events = decoded(WHOLE)
    assert b"[DONE]" in b"".join(toolwire.encode(events, to="openai-chat"))

    async def some() -> AsyncIterator[Event]:
        for event in events:
            yield event

    assert run(lambda: gather(some()))[-1].endswith(b"[DONE]\n\n")
    with pytest.raises(UsageError, match="takes a stream of events"):
        toolwire.encode(5, to="openai-chat")  # type: ignore[call-overload]


def test_a_bad_end_is_raised_behind_the_last_piece() -> None:
    out = []
    with pytest.raises(BadEndError, match="ended before its answer did") as caught:
        for data in toolwire.encode(toolwire.stream(CUT), to="openai-chat"):
            out.append(data)
    assert isinstance(caught.value.error, StreamError)
    assert caught.value.error.code == "incomplete"
    assert ERROR in out[-1]

    async def main() -> None:
        got = []
        with pytest.raises(BadEndError):
            async for data in toolwire.encode(toolwire.astream(Source(CUT)), to="openai-chat"):
                got.append(data)
        assert ERROR in got[-1]

    run(main)


def test_events_that_just_end_are_a_bad_end_too() -> None:
    out = []
    with pytest.raises(BadEndError, match="the events ended before"):
        for data in toolwire.encode(decoded(WHOLE)[:-1], to="openai-chat"):
            out.append(data)
    assert b"[DONE]" not in b"".join(out)


class OwnError(Exception):
    """Somebody's own."""


def test_a_source_of_ones_own_that_breaks() -> None:
    """The client gets the error form, the caller the exception."""

    async def main() -> None:
        out = []
        source = Source(CUT, error=OwnError("mine"))
        with pytest.raises(OwnError, match="mine"):
            async for data in toolwire.encode(toolwire.astream(source), to="openai-chat"):
                out.append(data)
        assert b"the source broke" in out[-1]
        assert source.closed

    run(main)

    def broken() -> Iterator[bytes]:
        yield from CUT
        raise OwnError("mine")

    out = []
    with pytest.raises(OwnError, match="mine"):
        for data in toolwire.encode(toolwire.stream(broken()), to="openai-chat"):
            out.append(data)
    assert b"the source broke" in out[-1]


def test_abort_from_outside() -> None:
    async def main() -> None:
        source = Source(CUT, hang=True)
        stream = toolwire.astream(source)
        out = []
        with pytest.raises(BadEndError, match="enough"):
            async for data in toolwire.encode(stream, to="openai-chat"):
                out.append(data)
                if len(out) == 3:
                    stream.abort("enough")
        assert b'"message":"enough"' in out[-1]
        assert source.closed

    run(main)


def test_leaving_the_loop_closes_the_source() -> None:
    async def main() -> None:
        source = Source(CUT, hang=True)
        body = toolwire.encode(toolwire.astream(source), to="openai-chat")
        async for _ in body:
            break
        await body.aclose()  # type: ignore[attr-defined]
        assert source.closed

    run(main)
    closed = []

    def source() -> Iterator[bytes]:
        try:
            yield from WHOLE
        finally:
            closed.append(True)

    body = toolwire.encode(toolwire.stream(source()), to="openai-chat")
    next(iter(body))
    body.close()  # type: ignore[attr-defined]
    assert closed == [True]


def test_cancelling_closes_the_source() -> None:
    async def main() -> None:
        source = Source(CUT, hang=True)
        task = asyncio.create_task(gather(toolwire.astream(source)))
        while source.count < len(CUT):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert source.closed

    run(main)


def test_signs_of_life_while_it_is_quiet() -> None:
    async def main() -> None:
        out: list[bytes] = []
        body = toolwire.encode(toolwire.astream(Source(CUT, hang=True)), to="openai-chat", keep_alive=0.01)
        async for data in body:
            out.append(data)
            if out[-3:] == [b": keep-alive\n\n"] * 3:
                break
        await body.aclose()  # type: ignore[attr-defined]
        assert b"tool_calls" in out[0]

    run(main)


def test_no_sign_of_life_where_none_is_wanted() -> None:
    encoder = Encoder("openai-chat", keep_alive=None)
    encoder.start(0.0)
    assert encoder.deadline() is None
    assert encoder.tick(1000.0) == b""
    with pytest.raises(UsageError, match="keep_alive"):
        Encoder("openai-chat", keep_alive=0)


def test_signs_of_life_count_from_what_was_sent_last() -> None:
    encoder = Encoder("openai-chat", keep_alive=10)
    encoder.start(5.0)
    assert encoder.deadline() == 15.0
    events = decoded(WHOLE)
    for event in events[:3]:
        encoder.feed(event, 12.0)
    assert encoder.deadline() == 22.0
    assert encoder.tick(21.9) == b""
    assert encoder.tick(22.0) == b": keep-alive\n\n"
    assert encoder.deadline() == 32.0
    encoder.feed(StreamError("server", "down"), 23.0)
    assert encoder.deadline() is None  # nothing behind the error form
    assert encoder.tick(100.0) == b""
    assert encoder.end(100.0) == b""
    assert encoder.end(100.0) == b""
    with pytest.raises(UsageError, match="has ended"):
        encoder.feed(events[0], 101.0)


def test_a_slow_client_is_not_read_ahead_of() -> None:
    """What is read stays a bounded number of events ahead of what is taken."""

    async def main() -> None:
        given = pieces("{" + '"a":1' + " " * 4000 + "}", size=2)
        source = Source(given)
        body = toolwire.encode(toolwire.astream(source), to="openai-chat")
        taken = 0
        async for _ in body:
            taken += 1
            for _ in range(400):  # time enough to read it all
                await asyncio.sleep(0)
            assert source.count <= 64 * (taken + 1) + 2
            if taken == 5:
                break
        assert 64 <= source.count < len(given) / 2
        await body.aclose()  # type: ignore[attr-defined]

    run(main)


def test_pace_in_both_edges() -> None:
    whole = '{"text":"' + "x" * 200 + '"}'
    given = [to_sse([delta(0, whole, "f"), FINISH, "[DONE]"])]
    pace = Pace(chars=50, interval=0.001)
    sync = list(toolwire.encode(toolwire.stream(given), to="openai-chat", pace=pace))
    some = run(lambda: gather(toolwire.astream(Source(given)), pace=pace))
    for out in (sync, some):
        texts = [event.text for event in decoded(out) if isinstance(event, ToolCallDelta)]
        assert texts == [whole[n : n + 50] for n in range(0, len(whole), 50)]


def test_coalescing_in_both_edges() -> None:
    slow = Coalesce(chars=10**6, seconds=60)
    sync = list(toolwire.encode(toolwire.stream([b"".join(WHOLE)]), to="openai-chat", coalesce=slow))
    some = run(lambda: gather(toolwire.astream(Source(WHOLE)), coalesce=slow))
    for out in (sync, some):
        assert len([event for event in decoded(out) if isinstance(event, ToolCallDelta)]) == 1


def test_an_unknown_wire_or_option_is_refused_at_once() -> None:
    stream = toolwire.stream(WHOLE)
    with pytest.raises(UsageError, match="nothing is written as 'smoke'"):
        toolwire.encode(stream, to="smoke")
    with pytest.raises(UsageError, match="unknown option 'nope'"):
        toolwire.encode(stream, to="openai-chat", nope=1)  # type: ignore[call-overload]
    with pytest.raises(UsageError, match="run= is no option of openai-chat"):
        toolwire.encode(stream, to="openai-chat", run={})


# --- who closes what, and when ---------------------------------------------------------------------------------


class Closing:
    """A stream of events that knows how often it was closed."""

    def __init__(self, given: list[Event]) -> None:
        self.given = iter(given)
        self.closed = 0

    def __iter__(self) -> Iterator[Event]:
        return self.given

    def close(self) -> None:
        self.closed += 1

    async def __aiter__(self) -> AsyncIterator[Event]:
        for event in self.given:
            yield event

    async def aclose(self) -> None:
        self.closed += 1


def test_what_never_began_is_closed_too() -> None:
    class Sync:
        def __init__(self) -> None:
            self.closed = 0

        def __iter__(self) -> Iterator[Event]:
            return iter(())

        def close(self) -> None:
            self.closed += 1

    stream = Sync()
    with toolwire.encode(stream, to="openai-chat"):
        pass
    assert stream.closed == 1

    async def main() -> None:
        stream = Closing([])
        async with toolwire.encode(stream, to="openai-chat"):
            pass
        assert stream.closed == 1
        source = Source(WHOLE)
        body = toolwire.encode(toolwire.astream(source), to="openai-chat")
        await body.aclose()
        assert source.count == 0

    run(main)


def test_several_whole_calls_in_one_piece_are_handed_out_in_time() -> None:
    """In sync code too, what is there already isn't waited for behind each of them."""
    whole = '{"text":"' + "x" * 300 + '"}'
    given = [to_sse([*[delta(n, whole, f"f{n}") for n in range(4)], FINISH, "[DONE]"])]
    clock: list[float] = []
    pace = Pace(chars=10, interval=0.01, max_total=0.1)
    began = time.monotonic()
    for _ in toolwire.encode(toolwire.stream(given), to="openai-chat", pace=pace):
        clock.append(time.monotonic() - began)
    assert clock[-1] < 4 * 0.1  # four times that, if each held up the next


def test_sync_code_holds_nothing_while_it_waits() -> None:
    seen: list[bytes] = []

    def source() -> Iterator[bytes]:
        yield to_sse([{"id": "a", "choices": [{"index": 0, "delta": {"content": "Hello"}}]}])
        assert b"Hello" in b"".join(seen)
        yield to_sse([FINISH, "[DONE]"])

    for data in toolwire.encode(toolwire.stream(source()), to="openai-chat", coalesce=Coalesce(seconds=60)):
        seen.append(data)


# --- what is no stream of events --------------------------------------------------------------------------------


def test_bytes_are_no_events() -> None:
    with pytest.raises(UsageError, match=r"an encoder takes events, not bytes: see toolwire\.stream"):
        list(toolwire.encode([b"data: {}"], to="ag-ui"))  # type: ignore[list-item]
    for odd in ("abc", b"abc", {}):
        with pytest.raises(UsageError, match="takes a stream of events"):
            toolwire.encode(odd, to="ag-ui")  # type: ignore[call-overload]


@pytest.mark.parametrize("wire", ["openai-chat", "openai-responses", "anthropic", "ai-sdk-ui", "ag-ui"])
def test_events_that_somebody_made_begin_a_message(wire: str) -> None:
    made = [TextDelta("hi"), Finish("stop")]
    message = toolwire.collect(list(toolwire.encode(made, to=wire)), wire)
    assert (message.text, message.finish, message.error) == ("hi", "stop", None)


def test_none_is_not_given() -> None:
    half = [*pieces(finish=False)[:4], to_sse([{"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]}])]
    encoder = Encoder("openai-chat", fail_on_cut=None)  # type: ignore[arg-type]
    for event in decoded([*half, b"data: [DONE]\n\n"]):
        encoder.feed(event)
    assert encoder.aborts


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"model": 5}, "model is a text"),
        ({"created": "now"}, "created is a whole number"),
        ({"created": True}, "created is a whole number"),
        ({"usage": 1}, "usage is True or False"),
        ({"fail_on_cut": "no"}, "fail_on_cut is True or False"),
        ({"keep_alive": "15"}, "keep_alive is a number of seconds"),
        ({"keep_alive": float("inf")}, "keep_alive is a number of seconds"),
    ],
)
def test_options_of_a_wrong_type(options: dict[str, Any], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        Encoder("openai-chat", **options)


def test_an_unhashable_wire() -> None:
    with pytest.raises(UsageError, match="nothing is written as"):
        Encoder(["x"])  # type: ignore[arg-type]


def test_nothing_comes_behind_the_end() -> None:
    encoder = Encoder("openai-chat")
    for event in decoded(WHOLE):
        encoder.feed(event, 1.0)
    assert encoder.end(1.0).endswith(b"[DONE]\n\n")
    assert encoder.deadline() is None
    assert encoder.tick(1000.0) == b""


def test_the_end_needs_no_time() -> None:
    encoder = Encoder("openai-chat", coalesce=Coalesce(chars=10**6, seconds=60), pace=Pace(chars=1, interval=1))
    whole = decoded(WHOLE)
    out = b"".join(encoder.feed(event, 0.0) for event in whole)
    assert b"tool_calls" in out
    assert b"[DONE]" not in out
    out += encoder.end()
    assert toolwire.collect([out]).executable[0].buf == whole[-1].calls[0].buf  # type: ignore[union-attr]


def test_nothing_needs_starlette_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "toolwire.asgi", None)
    assert callable(toolwire.response)
    with pytest.raises(UsageError, match="needs Starlette"):
        toolwire.response(decoded(WHOLE), to="openai-chat")
