"""Guards: what they see, and what their verdicts come to, at both edges and without."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from support import run, to_sse
from support.calls import FINISH, delta

import toolwire
from toolwire import guards
from toolwire.grammar import check

if TYPE_CHECKING:
    from collections.abc import Iterator


PAYLOADS: list[Any] = [
    delta(0, "", "good"),
    delta(0, '{"a": '),
    delta(1, "", "bad"),
    delta(1, '{"b": '),
    delta(0, "1}"),
    delta(1, "2}"),
    FINISH,
    "[DONE]",
]


def watched(pieces: list[bytes], *rules: guards.Guard | guards.Watch) -> list[toolwire.Event]:
    """The events of a stream that is left alone once it is done."""
    stream = toolwire.Stream("openai-chat", guards=rules)
    events: list[toolwire.Event] = []
    for piece in pieces:
        if not stream.done:
            events += stream.receive(piece)
    return events if stream.done else events + stream.end()


def seen(events: list[toolwire.Event]) -> list[Any]:
    """Ends, warnings, errors and the finish, as short as can be."""
    check(events)
    shown: list[Any] = []
    for event in events:
        match event:
            case toolwire.ToolCallEnd(call=call):
                shown.append((call.name, call.status, call.error.reason if call.error else None))
            case toolwire.Warned(reason=reason, call=about):
                shown.append(("warned", about.name if about else None, reason))
            case toolwire.StreamError(kind=kind, message=message):
                shown.append((kind, message))
            case toolwire.Finish(reason=reason, calls=calls):
                shown.append((reason, [call.name for call in calls]))
    return shown


@pytest.fixture(params=["one by one", "in one batch"])
def pieces(request: pytest.FixtureRequest) -> list[bytes]:
    """The events of a stream as they come from one read each, or from one read in all."""
    each = [to_sse([payload]) for payload in PAYLOADS]
    return each if request.param == "one by one" else [b"".join(each)]


def test_a_rejected_call_and_its_sibling(pieces: list[bytes]) -> None:
    events = run(pieces, "openai-chat", guards=[guards.deny("bad")])

    assert seen(events)[-1] == ("tool_calls", ["good"])
    (bad,) = [event.call for event in events if isinstance(event, toolwire.ToolCallStart) and event.call.name == "bad"]
    assert bad.rejected
    assert not bad.executable
    assert bad.error is not None
    assert bad.error.message == "the tool 'bad' is denied"


def test_only_allowed_names(pieces: list[bytes]) -> None:
    assert seen(run(pieces, "openai-chat", guards=[guards.allow("bad", "other")]))[-1] == ("tool_calls", ["bad"])
    assert seen(run(pieces, "openai-chat", guards=[guards.allow("good", "bad")]))[-1] == ("tool_calls", ["good", "bad"])


def test_an_abort(pieces: list[bytes]) -> None:
    """Open calls end, one error, one finish, and nothing more."""
    events = watched(pieces, guards.limit_calls(1))

    assert seen(events)[-2:] == [("aborted", "more than 1 tool calls"), ("cancelled", [])]
    calls = [event.call for event in events if isinstance(event, toolwire.ToolCallEnd)]
    assert [call.name for call in calls] == ["good", "bad"]
    assert not any(call.executable for call in calls)


def test_a_warning(pieces: list[bytes]) -> None:
    """Right behind its event, once, and nothing else is other than without."""
    plain = seen(run(pieces, "openai-chat"))
    events = run(pieces, "openai-chat", guards=[guards.limit_text(5, action="warn")])

    assert [each for each in seen(events) if each[0] != "warned"] == plain
    warned = [index for index, event in enumerate(events) if isinstance(event, toolwire.Warned)]
    assert [type(events[index - 1]) for index in warned] == [toolwire.ToolCallDelta] * 2
    assert [each[:2] for each in seen(events) if each[0] == "warned"] == [("warned", "good"), ("warned", "bad")]


def test_limits_on_text() -> None:
    def of(*rules: guards.Guard) -> Any:
        return seen(watched([to_sse([payload]) for payload in PAYLOADS], *rules))

    assert of(guards.limit_text(8), guards.limit_text(all_chars=16))[-1] == ("tool_calls", ["good", "bad"])
    assert of(guards.limit_text(7))[-1] == ("tool_calls", [])
    assert of(guards.limit_text(all_chars=15))[-1] == ("tool_calls", ["good"])
    assert of(guards.limit_text(all_chars=3, action="abort"))[-1] == ("cancelled", [])


@pytest.mark.parametrize("unit", ["a", "ab ", "\\n", "0, 1, ", "x" * 63 + "y"])
def test_a_model_that_is_stuck(unit: str) -> None:
    text = '{"a": "once' + unit * (4096 // len(unit))
    payloads = [delta(0, "", "f"), *(delta(0, text[at : at + 7]) for at in range(0, len(text), 7))]
    stream = toolwire.Stream("openai-chat", guards=[guards.no_repetition()])
    given = 0
    for payload in payloads:
        if not stream.done:
            stream.receive_payload(payload)
            given += 1
    assert stream.done
    assert 2048 < given * 7 < 2700


def test_what_only_looks_like_it() -> None:
    rows = json.dumps({"rows": [{"id": number, "name": f"n{number}"} for number in range(500)]})
    fill = json.dumps({"line": "-" * 1500, "next": "=" * 1500})
    for text in (rows, fill):
        payloads = [
            delta(0, "", "f"),
            *(delta(0, text[at : at + 9]) for at in range(0, len(text), 9)),
            FINISH,
            "[DONE]",
        ]
        assert seen(run(payloads, "openai-chat", guards=[guards.no_repetition()]))[-1] == ("tool_calls", ["f"])


def test_any_function() -> None:
    """It sees every event, and the call where there is one."""
    kinds: list[str] = []

    def watch(event: toolwire.Event, call: toolwire.ToolCall | None) -> guards.Verdict | None:
        kinds.append(event.type)
        assert (call is not None) == event.type.startswith("tool_call")
        if isinstance(event, toolwire.TextDelta):
            return guards.warn("text")
        return guards.reject("no") if call is not None and call.partial.get("b") == 2 else None

    payloads = [{"choices": [{"index": 0, "delta": {"content": "hm"}}]}, *PAYLOADS]
    shown = seen(run(payloads, "openai-chat", guards=[watch]))
    assert shown[0] == ("warned", None, "text")
    assert shown[-1] == ("tool_calls", ["good"])
    assert kinds[-1] == "finish"


def test_mistakes() -> None:
    with pytest.raises(toolwire.UsageError, match="a guard is a function"):
        toolwire.Stream(guards=[5])  # type: ignore[list-item]
    stream = toolwire.Stream("openai-chat", guards=[lambda event, call: guards.reject("no")])
    with pytest.raises(toolwire.UsageError, match="no call's"):
        stream.receive_payload({"id": "a", "choices": [{"index": 0, "delta": {"content": "a"}}]})


def test_each_stream_counts_for_itself() -> None:
    rules = [guards.limit_calls(2), guards.limit_text(all_chars=16)]
    for _ in range(3):
        assert seen(run(PAYLOADS, "openai-chat", guards=rules))[-1] == ("tool_calls", ["good", "bad"])


def test_both_edges_close_the_source() -> None:
    closed: list[bool] = []

    def source() -> Iterator[bytes]:
        try:
            for payload in PAYLOADS:
                yield to_sse([payload])
            raise AssertionError("read on")
        finally:
            closed.append(True)

    rules = [guards.limit_calls(1)]
    assert seen(list(toolwire.stream(source(), guards=rules)))[-1] == ("cancelled", [])

    async def main() -> list[toolwire.Event]:
        return [event async for event in toolwire.astream(source(), guards=rules)]

    assert seen(asyncio.run(main()))[-1] == ("cancelled", [])
    assert closed == [True, True]


def named(*pieces: str) -> list[bytes]:
    """A call whose name comes in pieces."""
    names = [
        {"index": 0, "function": {"name": piece}} | ({} if number else {"id": "a"})
        for number, piece in enumerate(pieces)
    ]
    deltas: list[Any] = [{"choices": [{"index": 0, "delta": {"tool_calls": [each]}}]} for each in names]
    return [to_sse([each]) for each in [*deltas, delta(0, '{"a": '), delta(0, "1}"), FINISH, "[DONE]"]]


@pytest.mark.parametrize(
    ("pieces", "rule", "error"),
    [
        (("read", "_secrets"), guards.allow("read"), "rejected"),
        (("delete", "_all"), guards.deny("delete_all"), "rejected"),
        (("get_", "weather"), guards.allow("get_weather"), None),
        (("get_", "wether"), guards.allow("get_weather"), "rejected"),
        (("read",), guards.allow("read", "write"), None),
        (("remove", "_all"), guards.deny("delete_all"), None),
    ],
)
def test_names_in_pieces(pieces: tuple[str, ...], rule: guards.Guard, error: str | None) -> None:
    events = watched(named(*pieces), rule)
    finish = events[-1]
    assert isinstance(finish, toolwire.Finish)
    assert seen(events)[0] == ("".join(pieces), "complete" if error is None else "incomplete", error)
    assert [call.name for call in finish.calls] == ([] if error else ["".join(pieces)])


def test_a_name_without_arguments_is_looked_at_too() -> None:
    pieces = [*named("read", "_secrets")[:2], to_sse([FINISH]), to_sse(["[DONE]"])]
    assert watched(pieces, guards.allow("read"))[-1].calls == ()  # type: ignore[union-attr]


def test_an_abort_at_the_finish_takes_it_back() -> None:
    def at_the_finish(event: toolwire.Event, call: toolwire.ToolCall | None) -> guards.Verdict | None:
        return guards.abort("no") if event.type == "finish" else None

    for events in (
        watched([to_sse([each]) for each in PAYLOADS], at_the_finish),
        list(toolwire.stream(PAYLOADS, "openai-chat", guards=[at_the_finish])),
    ):
        check(events)
        error, finish = events[-2:]
        assert isinstance(error, toolwire.StreamError)
        assert (error.kind, error.message) == ("aborted", "no")
        assert isinstance(finish, toolwire.Finish)
        assert (finish.reason, finish.calls) == ("cancelled", ())
        assert not any(call.executable for call in (events[1].call, events[3].call))  # type: ignore[union-attr]


async def never_awaited(event: toolwire.Event, call: toolwire.ToolCall | None) -> None:
    """A mistake."""


@pytest.mark.parametrize("guard", [lambda event, call: True, lambda event, call: "reject", never_awaited])
def test_what_a_guard_may_return(guard: Any) -> None:
    with pytest.raises(toolwire.UsageError, match=r"a guard returns guards\.warn"):
        watched([to_sse([each]) for each in PAYLOADS], guard)


@pytest.mark.parametrize(
    "make",
    [
        lambda: guards.deny("f", action="kill"),  # type: ignore[arg-type]
        lambda: guards.allow(["f", "g"]),  # type: ignore[arg-type]
        lambda: guards.limit_calls("3"),  # type: ignore[arg-type]
        lambda: guards.limit_calls(-1),
        lambda: guards.limit_text(),
        lambda: guards.limit_text(1.5),  # type: ignore[arg-type]
        lambda: guards.no_repetition(chars=0),
        lambda: guards.no_repetition(chars=10, longest=10),
        lambda: toolwire.Stream(guards=guards.allow("x")),  # type: ignore[arg-type]
        lambda: toolwire.Stream(guards=5),  # type: ignore[arg-type]
        lambda: toolwire.Stream(guards=[5]),  # type: ignore[list-item]
    ],
)
def test_what_is_no_guard(make: Any) -> None:
    with pytest.raises(toolwire.UsageError):
        make()
