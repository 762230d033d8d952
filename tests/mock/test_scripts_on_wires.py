"""Every kind of answer on every wire, streamed and whole: what was to be said is decoded, but for the losses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mock.asking import WIRES, ask, dumped
from wire.encode.losses import VALUES, comparable, expected, record

from toolwire import Message, Stream
from toolwire.mock.answer import events_of
from toolwire.mock.script import Script
from toolwire.mock.service import Service

ONE = {"call": "get_weather", "arguments": {"city": "Zürich", "days": 3}}
TWO = {"call": "find", "arguments": {"q": 'rain "and" snow'}}

TURNS: dict[str, dict[str, Any]] = {
    "text": {"say": [{"text": "Lisbon is warmer, née à Zürich 🚲."}]},
    "nothing": {"say": []},
    "reasoning": {"say": [{"reasoning": "They want to know.", "signature": "c2ln"}, {"text": "Rain."}]},
    "refusal": {"say": [{"refusal": "I can't help with that."}]},
    "one call": {"say": [{"text": "I'll look."}, ONE]},
    "parallel": {"say": [ONE, TWO]},
    "interleaved": {"say": [ONE, TWO], "interleave": True, "size": 3},
    "no arguments": {"say": [{"call": "now"}, ONE]},
    "custom call": {"say": [{"call": "shell", "kind": "custom", "arguments": 'ls -l | "wc"\n'}]},
    "malformed arguments": {"say": [ONE, {"call": "find", "arguments": '{"q": rain}'}]},
    "two documents": {"say": [{"call": "find", "arguments": '{"q": 1}{"q": 2}'}]},
    "length in text": {"say": [{"text": "Lisbon is"}], "finish": "length"},
    "length behind a call": {"say": [ONE], "finish": "length"},
}
CUT = {"say": [ONE, {"call": "find", "arguments": '{"q": "ra'}], "finish": "length"}

# Whose bodies have objects for arguments, and no place for a text that is none.
OBJECTS = ("anthropic", "bedrock-converse", "bedrock-invoke", *VALUES)


def answered(turn: dict[str, Any], wire: str, *, stream: bool) -> tuple[int, Message]:
    """The status of the answer to a request, and what is decoded."""
    asked = ask(wire, "mock/x", stream=stream)
    plan, seen = Service(Script.of({"answers": {"x": [turn]}})).plan("POST", asked.path, asked.headers, dumped(asked))
    assert seen is not None
    assert plan.end == "clean"
    reader = Stream(wire)
    reader.receive_head(plan.status, dict(plan.headers))
    return plan.status, Message.of([*reader.receive(b"".join(step.data for step in plan.steps)), *reader.end()])


def meant(turn: dict[str, Any], wire: str) -> Message:
    """What the script says."""
    answer = Script.of({"answers": {"x": [turn]}}).answers["x"][0].answer
    return Message.of(events_of(answer, wire, model="mock/x", seed="0")[0])


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("kind", TURNS)
def test_streamed(kind: str, wire: str) -> None:
    status, message = answered(TURNS[kind], wire, stream=True)
    assert status == 200
    assert comparable(record(message, mapped=True, wire=wire)) == expected(meant(TURNS[kind], wire), wire)[0]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("kind", TURNS)
def test_whole(kind: str, wire: str) -> None:
    status, message = answered(TURNS[kind], wire, stream=False)
    if kind == "two documents" or (kind == "malformed arguments" and wire in OBJECTS):
        assert status == 400
        assert message.error is not None
        assert "mock: a message that ended badly has no body" in message.error.message
        assert message.calls == []
        return
    assert status == 200
    assert comparable(record(message, mapped=True, wire=wire)) == expected(meant(TURNS[kind], wire), wire)[0]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("stream", [True, False])
def test_a_turn_that_is_cut_inside_a_call(wire: str, *, stream: bool) -> None:
    """Providers report the cut and no error, whatever the encoders do for clients that overlook it."""
    status, message = answered(CUT, wire, stream=stream)
    left_out = wire in (VALUES if stream else OBJECTS)
    assert (status, message.finish, message.error) == (200, "length", None)
    assert [call.status for call in message.calls] == ["complete"] + ["incomplete"] * (not left_out)
    assert message.executable == ()


def test_deltas_take_turns_where_the_wire_lets_them() -> None:
    asked = ask("openai-chat", "mock/x")
    script = Script.of({"answers": {"x": [TURNS["interleaved"]]}})
    plan, _ = Service(script).plan("POST", asked.path, asked.headers, dumped(asked))
    events = Stream("openai-chat").receive(b"".join(step.data for step in plan.steps))
    order = [event.call.name for event in events if event.type == "tool_call_delta"]
    assert order[:6] == ["get_weather", "find"] * 3


def test_ids_are_new_in_each_turn_of_a_conversation() -> None:
    service = Service(Script.of({"answers": {"x": [TURNS["parallel"], TURNS["parallel"]]}}))
    asked, ids = ask("openai-chat", "mock/x", stream=False), []
    for _ in range(2):
        plan, _ = service.plan("POST", asked.path, asked.headers, dumped(asked))
        message = json.loads(plan.steps[0].data)["choices"][0]["message"]
        said = [call["id"] for call in message["tool_calls"]]
        results = [{"role": "tool", "tool_call_id": each, "content": "12"} for each in said]
        asked.body["messages"] = [*asked.body["messages"], message, *results]
        ids += said
    assert len(set(ids)) == 4
