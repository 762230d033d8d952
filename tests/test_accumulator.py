"""The verbs: which delta belongs to which call, when a call is over, what the turn came to."""

from __future__ import annotations

from typing import Any

import pytest
from support import plain

import toolwire
from toolwire.accumulator import Accumulator
from toolwire.grammar import check
from toolwire.trust import Trust

START, DELTA, END, FINISH = "tool_call_start", "tool_call_delta", "tool_call_end", "finish"


def finished(acc: Accumulator) -> list[Any]:
    """The events of a whole stream, in legal order."""
    acc.end()
    events = acc.take()
    check(events)
    return events


def outcomes(acc: Accumulator) -> list[tuple[str, str, str]]:
    finished(acc)
    return [(call.name, call.buf, call.status) for turn in acc.turns.values() for call in turn.calls]


# Each fragment is (index, id, name, text); the calls it makes are (name, text).
ROUTES: dict[str, tuple[list[tuple[Any, str, str, str]], list[tuple[str, str]]]] = {
    "plain": ([(0, "a", "f", ""), (0, "", "", "{}")], [("f", "{}")]),
    "opaque indexes": (
        [(-1, "a", "f", "{}"), (7, "b", "g", "{}"), ("x", "c", "h", "{}")],
        [("f", "{}"), ("g", "{}"), ("h", "{}")],
    ),
    "interleaved": (
        [(0, "a", "f", "{"), (1, "b", "g", "{"), (0, "", "", "}"), (1, "", "", "}")],
        [("f", "{}"), ("g", "{}")],
    ),
    "one index, new id and name": ([(0, "a", "f", "{}"), (0, "b", "g", "{}")], [("f", "{}"), ("g", "{}")]),
    "one index, new id without a name": ([(0, "a", "f", "{"), (0, "b", "", "}")], [("f", "{}")]),
    "one index, same id repeated": ([(0, "a", "f", "{"), (0, "a", "f", "}")], [("f", "{}")]),
    "no index, by id": (
        [(None, "a", "f", "{"), (None, "", "", "}"), (None, "b", "f", "{}")],
        [("f", "{}"), ("f", "{}")],
    ),
    "no index, an old id continues its call": (
        [(None, "a", "f", "{"), (None, "b", "g", "{}"), (None, "a", "", "}")],
        [("f", "{}"), ("g", "{}")],
    ),
    "no index, one id, another name": (
        [(None, "a", "f", "{}"), (None, "a", "g", "{}")],
        [("f", "{}"), ("g", "{}")],
    ),
    "no index, no ids": ([(None, "", "f", "{}"), (None, "", "g", "{}")], [("f", "{}"), ("g", "{}")]),
    "no index, no ids, the same function twice": (
        [(None, "", "f", "{}"), (None, "", "f", "{}")],
        [("f", "{}"), ("f", "{}")],
    ),
    "no index, name repeated on each delta": ([(None, "", "f", '{"a"'), (None, "", "f", ":1}")], [("f", '{"a":1}')]),
    "no index after an indexed one": (
        [(0, "a", "f", "{}"), (None, "b", "g", "{"), (None, "", "", "}")],
        [("f", "{}"), ("g", "{}")],
    ),
    "unknown index without id and name": ([(0, "a", "f", "{"), (1, "", "", "}")], [("f", "{}")]),
    "unknown index with a known id": ([(0, "a", "f", "{"), (1, "a", "", "}")], [("f", "{}")]),
    "one id on two indexes, both named": ([(0, "a", "f", "{}"), (1, "a", "g", "{}")], [("f", "{}"), ("g", "{}")]),
    "name again on a closed call, a new document": (
        [(0, "", "f", "{}"), (0, "", "f", "{}")],
        [("f", "{}"), ("f", "{}")],
    ),
    "name again on an open call": ([(0, "", "f", '{"a"'), (0, "", "f", ":{}}")], [("f", '{"a":{}}')]),
    "name again on a closed call, with its id": ([(0, "a", "f", "{}"), (0, "a", "f", "")], [("f", "{}")]),
    "name again on a closed call, without text": ([(0, "", "f", "{}"), (0, "", "f", "")], [("f", "{}")]),
    "another name on a closed call": (
        [(0, "", "f", "{}"), (0, "", "g", ""), (0, "", "", "{}")],
        [("f", "{}"), ("g", "{}")],
    ),
    "name late": ([(0, "a", "", '{"q"'), (0, "", "f", ""), (0, "", "", ":1}")], [("f", '{"q":1}')]),
    "name late, behind the whole text": ([(0, "a", "", "{}"), (0, "", "f", "")], [("f", "{}")]),
    "name in pieces": ([(0, "a", "get_", ""), (0, "", "weather", ""), (0, "", "", "{}")], [("get_weather", "{}")]),
    "name growing": ([(0, "a", "get_", ""), (0, "", "get_weather", ""), (0, "", "", "{}")], [("get_weather", "{}")]),
    "another name after the arguments began": ([(0, "a", "f", "{"), (0, "", "g", "}")], [("f", "{}")]),
    "id late": ([(0, "", "", "{"), (0, "a", "f", "}")], [("f", "{}")]),
}


@pytest.mark.parametrize("name", ROUTES)
def test_whose_fragment_is_it(name: str) -> None:
    """The rules of identity, one line each."""
    fragments, calls = ROUTES[name]
    acc = Accumulator()
    for index, id_, name_, text in fragments:
        acc.fragment(0, index, id_, name_, text)
    acc.finish("tool_calls", "tool_calls")

    assert outcomes(acc) == [(name_, text, "complete") for name_, text in calls]


def test_ids_are_unique_and_the_providers_is_kept() -> None:
    """A repeated or missing id is replaced; `vendor_id` keeps what the provider sent."""
    acc = Accumulator()
    acc.fragment(0, 0, "0", "f", "{}")
    acc.fragment(0, 1, "0", "g", "{}")
    acc.fragment(1, 0, "0", "h", "{}")
    acc.fragment(1, 1, "", "i", "{}")
    finished(acc)
    calls = [call for turn in acc.turns.values() for call in turn.calls]

    assert [call.vendor_id for call in calls] == ["0", "0", "0", None]
    assert calls[0].id == "0"
    assert len({call.id for call in calls}) == 4
    assert all(call.id for call in calls)
    assert [(call.choice, call.index) for call in calls] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_late_name_holds_the_start_back() -> None:
    """Fragments wait for the name, then come as one delta."""
    acc = Accumulator()
    acc.fragment(0, 0, "a", "", '{"q":')
    acc.fragment(0, 0, "", "", '"Li')

    assert [event.type for event in acc.take()] == ["message_start"]

    acc.fragment(0, 0, "", "lookup", "")

    assert plain(acc.take()) == [(START, (0, 0), "lookup", "function", "a"), (DELTA, (0, 0), '{"q":"Li')]


def test_a_name_that_never_comes_fails_the_turn() -> None:
    """The error names the slot; its sibling isn't run either; no name is made up."""
    acc = Accumulator()
    acc.fragment(0, 0, "a", "f", "{}")
    acc.fragment(0, 1, "b", "", '{"x":1}')
    acc.finish("tool_calls", "tool_calls")
    *_, error, finish = finished(acc)

    assert (error.type, error.kind, error.call.vendor_id) == ("stream_error", "protocol", "b")
    assert (finish.reason, finish.calls) == ("error", ())


# text of a function call, the finish reasons that came, the wire's terminator; what the call is, what the turn
VERDICTS: list[tuple[str, list[str], bool, str, str]] = [
    ('{"a":1}', ["tool_calls"], True, "complete", "tool_calls"),
    ('{"a":1}', ["stop"], False, "complete", "tool_calls"),
    ('{"a":1}', [], True, "complete", "tool_calls"),
    ('{"a":1}', [], False, "complete", "incomplete"),
    ('{"a":1}', ["length"], True, "complete", "length"),
    ('{"a":1}', ["tool_calls", "stop"], True, "complete", "tool_calls"),
    ('{"a":1}', ["tool_calls", "length"], True, "complete", "length"),
    ('{"a":1}', ["unknown"], True, "complete", "unknown"),
    ("", ["tool_calls"], True, "complete", "tool_calls"),
    ("null", ["tool_calls"], True, "complete", "tool_calls"),
    (" ", ["stop"], True, "complete", "tool_calls"),
    ("", [], True, "complete", "tool_calls"),
    ("", ["length"], True, "incomplete", "length"),
    ("null", ["length"], True, "incomplete", "length"),
    ("", ["unknown"], True, "incomplete", "unknown"),
    ("", [], False, "incomplete", "incomplete"),
    ('{"a":', ["length"], True, "incomplete", "length"),
    ('{"a":', [], False, "incomplete", "incomplete"),
    ('{"a":', ["content_filter"], True, "incomplete", "content_filter"),
    ('{"a":', ["tool_calls"], True, "invalid", "tool_calls"),
    ('{"a"}', ["tool_calls"], True, "invalid", "tool_calls"),
    ('{"a"}', ["length"], True, "incomplete", "length"),
    ("[1]", ["tool_calls"], True, "invalid", "tool_calls"),
    ("12", ["tool_calls"], True, "invalid", "tool_calls"),
    ('{"a":1}{"a":2}', ["tool_calls"], True, "invalid", "tool_calls"),
    ('{"a":1}<|end|>', ["tool_calls"], True, "repaired", "tool_calls"),
    ('{"a":1}', ["pause"], True, "complete", "pause"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reasons", "terminator", "status", "turn"), VERDICTS)
def test_verdicts(text: str, reasons: list[Any], terminator: bool, status: str, turn: str) -> None:
    """What a call is depends on its text and on how the turn ended; what may run, on both."""
    acc = Accumulator()
    call = acc.fragment(0, 0, "a", "f", text)
    assert call is not None
    for reason in reasons:
        acc.finish(reason, reason)
    assert not call.done
    assert not call.executable
    if terminator:
        acc.terminate()
    *_, finish = finished(acc)

    assert (call.status, finish.reason) == (status, turn)
    runs = turn == "tool_calls" and status in ("complete", "repaired")
    assert call.executable is runs
    assert finish.calls == ((call,) if runs else ())
    if status in ("complete", "repaired"):
        assert call.arguments == ({"a": 1} if "a" in text else {})
        assert call.error is None
    else:
        assert call.error is not None
        with pytest.raises(toolwire.ToolCallError) as caught:
            _ = call.arguments
        assert caught.value.call is call


def test_arguments_of_an_open_call_are_the_callers_mistake() -> None:
    """An open call has `partial`; asking for `arguments` is a usage error."""
    acc = Accumulator()
    call = acc.fragment(0, 0, "a", "f", '{"a": 1}')
    assert call is not None
    assert call.closed
    assert call.partial == {"a": 1}
    with pytest.raises(toolwire.UsageError, match="still open"):
        _ = call.arguments


def test_a_closed_block_ends_its_call_at_once() -> None:
    """On a wire that ends calls one by one, a whole text ends the call before the turn does, and it is ready."""
    acc = Accumulator()
    call = acc.open(0, "a", "f")
    assert call is not None
    acc.append(call, '{"x":1}')
    acc.close(call)

    assert acc.take()[-1].type == END
    assert call.ready
    assert not call.executable

    acc.finish("tool_calls", "tool_use")
    acc.terminate()

    assert call.executable
    assert plain(acc.take()) == [(FINISH, 0, "tool_calls", ((0, 0),), ("tool_use",))]


@pytest.mark.parametrize(("text", "reason", "status"), [("", "tool_calls", "complete"), ("", "length", "incomplete"),
                         ('{"x', "length", "incomplete"), ('{"x', "tool_calls", "invalid")])  # fmt: skip
def test_an_unclosed_block_waits_for_the_stop_reason(text: str, reason: Any, status: str) -> None:
    """The block's end alone can't tell "no arguments" or "malformed" from "cut off"; the stop reason can."""
    acc = Accumulator()
    call = acc.open(0, "a", "f")
    assert call is not None
    acc.append(call, text)
    acc.close(call)
    assert not call.done
    acc.finish(reason, reason)

    assert call.status == status
    assert acc.take()[-1].type == END


def test_confirm_by_call() -> None:
    """With `confirm="call"` a call may run once it has ended, and a reset takes that back."""
    acc = Accumulator(trust=Trust("call"))
    acc.begin("m1")
    call = acc.open(0, "a", "f")
    assert call is not None
    acc.append(call, "{}")
    acc.close(call)
    assert call.executable

    acc.restart("the provider began anew")

    assert not call.executable
    assert plain(acc.take())[-1] == ("reset", "turn", ((0, 0),))
    assert call.error is not None
    assert call.error.reason == "reset"


def test_a_restart_begins_anew() -> None:
    """After a reset of the turn, indexes begin again and the first attempt isn't run."""
    acc = Accumulator()
    acc.begin("m1")
    first = acc.open(0, "a", "f")
    assert first is not None
    acc.append(first, '{"x')
    acc.restart("again")
    acc.begin("m2")
    second = acc.open(0, "b", "f")
    assert second is not None
    acc.append(second, "{}")
    acc.close(second)
    acc.finish("tool_calls", "tool_use")
    acc.terminate()
    events = finished(acc)

    assert (first.status, second.status, second.index) == ("incomplete", "complete", 0)
    assert events[-1].calls == (second,)
    message = toolwire.Message.of(events)
    assert message.calls == [second]
    assert [choice.calls for choice in message.aborted] == [[first]]


def test_text_after_a_calls_end_revokes_it() -> None:
    """A provider that contradicts itself: the call is invalid and named in a `Reset`."""
    acc = Accumulator()
    call = acc.open(0, "a", "f")
    assert call is not None
    acc.append(call, "{}")
    acc.close(call)
    acc.append(call, " \n")
    assert call.ready
    acc.append(call, '{"x":1}')
    acc.finish("tool_calls", "tool_use")
    *_, reset, finish = finished(acc)

    assert (reset.type, reset.calls, call.status) == ("reset", (call,), "invalid")
    assert finish.calls == ()


@pytest.mark.parametrize(("sent", "snapshot", "buf", "status"), [
    ("", '{"x":1}', '{"x":1}', "complete"),
    ('{"x"', '{"x":1}', '{"x":1}', "complete"),
    ('{"x":1}', '{"x":1}', '{"x":1}', "complete"),
    ('{"x":1}', '{ "x": 1 }', '{"x":1}', "complete"),
    ('{"x":1}', '{"x":2}', '{"x":1}', "invalid"),
    ('{"x":', '{"y":2}', '{"x":', "invalid"),
])  # fmt: skip
def test_snapshots_add_only_what_was_not_sent(sent: str, snapshot: str, buf: str, status: str) -> None:
    """A final copy is reconciled with what was streamed; a disagreement is reported, never run."""
    acc = Accumulator()
    call = acc.open(0, "a", "f")
    assert call is not None
    acc.append(call, sent)
    acc.snapshot(call, snapshot)
    acc.close(call)
    acc.finish("tool_calls", "completed")
    finished(acc)

    assert (call.buf, call.status) == (buf, status)
    if status == "invalid":
        assert call.error is not None
        assert call.error.reason == "snapshot_mismatch"


def test_a_snapshot_against_an_ended_call_revokes_it() -> None:
    """The disagreement may come after the end."""
    acc = Accumulator()
    call = acc.open(0, "a", "f")
    assert call is not None
    acc.append(call, '{"x":1}')
    acc.close(call)
    acc.snapshot(call, '{"x":1}')
    assert call.ready
    acc.snapshot(call, '{"x":2}')
    acc.finish("tool_calls", "completed")
    *_, reset, finish = finished(acc)

    assert (reset.type, call.status, finish.calls) == ("reset", "invalid", ())


def test_custom_calls_hold_text() -> None:
    """Free text is complete when the provider closed it, cut when the turn was."""
    acc = Accumulator()
    done = acc.open(0, "a", "patch", "custom", free_text=True)
    cut = acc.open(1, "b", "patch", "custom", free_text=True)
    assert done is not None
    assert cut is not None
    acc.append(done, "*** {not json")
    acc.close(done)
    acc.append(cut, "*** half")
    acc.finish("length", "max_output_tokens")
    finished(acc)

    assert (done.status, done.arguments, done.partial) == ("complete", "*** {not json", "*** {not json")
    assert (cut.status, cut.partial, cut.executable) == ("incomplete", "*** half", False)


@pytest.mark.parametrize("kind", ["server", "mcp"])
def test_calls_the_provider_runs_are_never_executable(kind: Any) -> None:
    """They have arguments and a status, and the turn is no tool_calls turn because of them."""
    acc = Accumulator(trust=Trust("call"))
    call = acc.open(0, "a", "web_search", kind)
    assert call is not None
    acc.append(call, '{"q":1}')
    acc.close(call)
    acc.finish("stop", "end_turn")
    *_, finish = finished(acc)

    assert (call.status, call.arguments, call.ready, call.executable) == ("complete", {"q": 1}, False, False)
    assert (finish.reason, finish.calls) == ("stop", ())


def test_a_call_answered_by_the_provider_is_revoked() -> None:
    """A call that turns out to be the provider's own is named in a `Reset`."""
    acc = Accumulator()
    call = acc.open(0, "a", "f")
    assert call is not None
    acc.append(call, "{}")
    acc.close(call)
    acc.provider_runs(call, "mcp", "answered in the stream")
    acc.finish("stop", "STOP")
    *_, reset, finish = finished(acc)

    assert (reset.calls, reset.scope, finish.reason, finish.calls) == ((call,), "calls", "stop", ())


def test_what_nobody_has_heard_of_is_not_reset() -> None:
    """A call without a name has no start event, so contradictions of it make no `Reset`."""
    for contradict in (
        lambda acc, call: acc.provider_runs(call, "mcp", "answered"),
        lambda acc, call: acc.append(call, "{}"),
        lambda acc, call: acc.snapshot(call, '{"x":1}'),
    ):
        acc = Accumulator(trust=Trust("call"))
        call = acc.open(0, "a", "")
        assert call is not None
        acc.append(call, '{"y":1}')
        acc.close(call)
        assert not call.ready
        contradict(acc, call)
        acc.finish("tool_calls", "tool_use")
        events = finished(acc)

        assert "reset" not in [event.type for event in events]
        assert events[-1].reason == "error"


def test_opt_ins() -> None:
    """What confirms a turn, and whether a repaired call may run, is the caller's choice."""
    acc = Accumulator(trust=Trust(execute_on=frozenset({"tool_calls", "length"})))
    whole = acc.fragment(0, 0, "a", "f", "{}")
    acc.fragment(0, 1, "b", "f", '{"x')
    acc.finish("length", "length")
    *_, finish = finished(acc)
    assert finish.calls == (whole,)

    acc = Accumulator(trust=Trust(accept_repaired=False))
    acc.fragment(0, 0, "a", "f", "{}<|end|>")
    acc.finish("tool_calls", "tool_calls")
    *_, finish = finished(acc)
    assert finish.calls == ()

    acc = Accumulator(repairs=())
    call = acc.fragment(0, 0, "a", "f", "{}<|end|>")
    acc.finish("tool_calls", "tool_calls")
    finished(acc)
    assert call is not None
    assert call.status == "invalid"


def test_an_error_ends_everything_once() -> None:
    """Open calls end before the error, later content is ignored, the finish and usage are still noted."""
    acc = Accumulator()
    done = acc.fragment(0, 0, "a", "f", '{"y":1}')
    open_ = acc.fragment(0, 1, "b", "f", "{")
    acc.fail("overloaded", "overloaded", code="529")
    acc.fail("overloaded", "again")
    acc.text("more")
    acc.fragment(0, 1, "", "", "}")
    acc.usage({"n": 1}, input_tokens=1)
    acc.finish("error", "failed")
    acc.terminate()
    events = finished(acc)

    assert [event.type for event in events] == [
        "message_start", START, DELTA, START, DELTA, END, END, "stream_error", "usage", FINISH,
    ]  # fmt: skip
    assert done is not None
    assert open_ is not None
    assert (done.status, open_.status, open_.buf) == ("complete", "incomplete", "{")
    assert (events[-1].reason, events[-1].raw, events[-1].calls) == ("error", ("failed",), ())


def test_usage_keeps_the_last_value_of_each_field() -> None:
    """Repeats say nothing new; a later object without a field doesn't take it back."""
    acc = Accumulator()
    acc.usage({"in": 3, "out": None}, input_tokens=3)
    acc.usage({"in": 3}, input_tokens=3)
    acc.usage({"out": 5}, output_tokens=5)

    assert plain(acc.take()) == [("usage", 3, None, {"in": 3}), ("usage", 3, 5, {"in": 3, "out": 5})]


def test_halves_of_a_character_are_joined() -> None:
    """Text and arguments cut between UTF-16 halves; a half that stays alone is let go at the end."""
    acc = Accumulator()
    acc.text("a\ud83d")
    acc.text("\ude00b\ud83d")
    acc.fragment(0, 0, "a", "f", '{"x":"\ud83d')
    acc.fragment(0, 0, "", "", '\ude00"}')
    acc.finish("tool_calls", "tool_calls")
    events = finished(acc)

    assert [event.text for event in events if event.type == "text_delta"] == ["a", "😀b", "\ud83d"]
    assert events[-1].calls[0].arguments == {"x": "😀"}


def test_stray_choice_is_folded() -> None:
    """Calls on a choice of their own, while another finished for them, belong to that one."""
    acc = Accumulator()
    acc.text("ok", 0)
    acc.fragment(1, 0, "a", "f", "{}")
    acc.finish("tool_calls", "tool_calls", 0)
    acc.terminate()
    events = finished(acc)
    finishes = [event for event in events if event.type == FINISH]

    assert [(event.choice, event.reason, len(event.calls)) for event in finishes] == [(0, "tool_calls", 1)]
    assert finishes[0].calls[0].choice == 0
    assert len(toolwire.Message.of(events).choices) == 1


def test_limits() -> None:
    """At a bound all is well, just over it the stream ends with an error that names it."""
    for over in (False, True):
        acc = Accumulator(limits=toolwire.Limits(calls=2, argument_chars=10))
        for index in range(3 if over else 2):
            acc.fragment(0, index, f"c{index}", "f", "{}")
        acc.finish("tool_calls", "tool_calls")
        events = finished(acc)
        errors = [event.message for event in events if event.type == "stream_error"]
        assert errors == (["more than calls=2 tool calls in one stream"] if over else [])

        acc = Accumulator(limits=toolwire.Limits(argument_chars=10))
        acc.fragment(0, 0, "a", "f", '{"x":')
        acc.fragment(0, 0, "", "", "1234}" + " " * over)
        acc.finish("tool_calls", "tool_calls")
        events = finished(acc)
        errors = [event.message for event in events if event.type == "stream_error"]
        assert errors == (["the arguments of f are longer than argument_chars=10"] if over else [])
        assert bool(events[-1].calls) is not over
