"""The events of an answer."""

from __future__ import annotations

import pytest

from toolwire import Message, UsageError
from toolwire.events import Event, ReasoningDelta, RefusalDelta, TextDelta, ToolCallDelta, Usage
from toolwire.grammar import check
from toolwire.mock.answer import Answer, Call, Reasoning, Text, events_of

WEATHER = Call("get_weather", {"city": "Lisbon"})
TIME = Call("now", {"zone": "UTC"})


def said(answer: Answer, wire: str = "openai-chat", seed: str = "0", cut_after: int | None = None) -> list[Event]:
    """The events, in their legal order."""
    events, deltas = events_of(answer, wire, model="m", seed=seed, cut_after=cut_after)
    check(events)
    assert [events[place].type for place in deltas] == ["tool_call_delta"] * len(deltas)
    assert len(deltas) == sum(event.type == "tool_call_delta" for event in events)
    return events


def test_parts_in_their_order_and_pieces_of_a_size() -> None:
    events = said(Answer((Reasoning("hmm", "c2ln"), Text("Hello you"), Text("No.", refusal=True), WEATHER), size=4))
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["Hell", "o yo", "u"]
    assert [event.text for event in events if isinstance(event, RefusalDelta)] == ["No."]
    reasoning = [(event.text, event.signature) for event in events if isinstance(event, ReasoningDelta)]
    assert reasoning == [("hmm", None), ("", "c2ln")]
    pieces = [event.text for event in events if isinstance(event, ToolCallDelta)]
    assert pieces == ['{"ci', 'ty":', '"Lis', 'bon"', "}"]
    order = [event.type for event in events]
    assert order[0] == "message_start"
    assert order[-2:] == ["usage", "finish"]
    message = Message.of(events)
    assert message.model == "m"
    assert [call.arguments for call in message.executable] == [{"city": "Lisbon"}]


@pytest.mark.parametrize(
    ("answer", "finish"),
    [
        (Answer(), "stop"),
        (Answer((Text("Hi"),)), "stop"),
        (Answer((WEATHER,)), "tool_calls"),
        (Answer((Call("shell", "ls", kind="custom"),)), "tool_calls"),
        (Answer((Call("search", {}, kind="server"), Text("Found."))), "stop"),
        (Answer((Text("Hi"),), finish="length"), "length"),
        (Answer((Text("Hi"),), finish="content_filter"), "content_filter"),
        (Answer((Text("Hi"),), finish="pause"), "pause"),
    ],
)
def test_the_finish_follows_from_the_parts(answer: Answer, finish: str) -> None:
    assert Message.of(said(answer)).finish == finish


def test_usage_or_none() -> None:
    counts = [event for event in said(Answer(usage=(3, 4))) if isinstance(event, Usage)]
    assert [(event.input_tokens, event.output_tokens) for event in counts] == [(3, 4)]
    assert not [event for event in said(Answer(usage=None)) if isinstance(event, Usage)]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (Call("f"), "{}"),
        (Call("f", kind="custom"), ""),
        (Call("f", {"é": [1, None]}), '{"é":[1,null]}'),
        (Call("f", "{broken"), "{broken"),
        (Call("f", [1]), "[1]"),
        (Call("f", 0), "0"),
        (Call("f", ""), ""),
    ],
)
def test_argument_texts(call: Call, text: str) -> None:
    assert call.text == text
    (made,) = Message.of(said(Answer((call,)))).calls
    assert made.buf == text


def test_ids_have_the_providers_form_and_follow_from_the_seed() -> None:
    def ids(wire: str, seed: str = "0") -> list[str]:
        return [call.id for call in Message.of(said(Answer((WEATHER, TIME)), wire, seed)).calls]

    for wire, prefix in (
        ("openai-chat", "call_"),
        ("gemini", "call_"),
        ("anthropic", "toolu_"),
        ("bedrock-converse", "tooluse_"),
        ("bedrock-invoke", "toolu_bdrk_"),
    ):
        first, second = ids(wire)
        assert first.startswith(prefix)
        assert len(first) == len(second) == len(prefix) + 24
        assert first != second
    assert ids("openai-chat") == ids("openai-chat")
    assert ids("openai-chat") != ids("openai-chat", "1")


def test_ids_and_extra_fields_as_they_are_given() -> None:
    (call,) = Message.of(said(Answer((Call("f", {}, id="x1", extra={"thought_signature": "c2ln"}),)))).calls
    assert (call.id, call.vendor_id, dict(call.extra)) == ("x1", "x1", {"thought_signature": "c2ln"})


def test_deltas_take_turns_within_a_run_of_calls() -> None:
    parts = (Call("a", [1]), Call("b", []), Text("-"), Call("c", {}), Call("d", {}))

    def order(*, interleave: bool) -> str:
        events = said(Answer(parts, size=1, interleave=interleave))
        return "".join(event.text for event in events if isinstance(event, ToolCallDelta | TextDelta))

    assert order(interleave=False) == "[1][]-{}{}"
    assert order(interleave=True) == "[[1]]-{{}}"


def test_a_turn_that_is_cut() -> None:
    answer = Answer((Text("Hello"), WEATHER), size=5)
    whole = said(answer, cut_after=99)
    assert Message.of(whole).finish == "tool_calls"
    for cut, text, buf in ((0, "", None), (1, "Hello", ""), (3, "Hello", '{"city":"L')):
        message = Message.of(said(answer, cut_after=cut))
        assert (message.finish, message.text, message.executable) == ("length", text, ())
        assert [call.buf for call in message.calls] == ([] if buf is None else [buf])
        assert all(call.status == "incomplete" for call in message.calls)


@pytest.mark.parametrize("size", [0, -1, 1.5, True, "5"])
def test_sizes_that_are_none(size: object) -> None:
    with pytest.raises(UsageError, match="size is a number of characters, at least 1"):
        Answer(size=size)  # type: ignore[arg-type]
