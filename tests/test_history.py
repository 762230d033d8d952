"""The neutral half of history: which calls stay, what answers them, what their arguments are, ids and names."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import msgspec
import pydantic
import pytest
from support import needs_shared, reported_cases, run

import toolwire
from toolwire import Message, Stream, ToolCallError, UsageError
from toolwire.history import ToolResult, call_id, to_history, tool_name
from toolwire.wire.history.rules import IDS, NAMES, Rule

INTERRUPTED = "The tool's run was interrupted: there is no result."


def delta(index: int, arguments: str, *, name: str | None = None, id: str | None = None) -> dict[str, Any]:
    function = {"arguments": arguments} | ({} if name is None else {"name": name})
    call = {"index": index, "function": function} | ({} if id is None else {"id": id})
    return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}


def finish(reason: str, choice: int = 0) -> dict[str, Any]:
    return {"choices": [{"index": choice, "delta": {}, "finish_reason": reason}]}


def turn(*texts: str, reason: str = "tool_calls", **options: Any) -> Message:
    """A message of calls c0, c1, … to tools f0, f1, … with these argument texts."""
    deltas = [delta(index, text, name=f"f{index}", id=f"c{index}") for index, text in enumerate(texts)]
    return Message.of(run([*deltas, finish(reason)], "openai-chat", **options))


def told(entries: list[dict[str, Any]]) -> tuple[dict[str, str], dict[str, str]]:
    """The arguments and the results in chat entries, by id."""
    calls = entries[0].get("tool_calls", []) if entries else []
    arguments = {call["id"]: call["function"]["arguments"] for call in calls}
    return arguments, {entry["tool_call_id"]: entry["content"] for entry in entries[1:]}


def test_calls_and_results_in_the_order_of_the_calls() -> None:
    """However the results came in."""
    message = turn('{"a": 1}', '{"b":2}')

    assert message.to_history("openai-chat", {"c1": "two", "c0": "one"}) == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c0", "type": "function", "function": {"name": "f0", "arguments": '{"a": 1}'}},
                {"id": "c1", "type": "function", "function": {"name": "f1", "arguments": '{"b":2}'}},
            ],
        },
        {"role": "tool", "tool_call_id": "c0", "content": "one"},
        {"role": "tool", "tool_call_id": "c1", "content": "two"},
    ]


def test_a_late_name_does_not_change_the_order() -> None:
    """Calls stand as the provider began them."""
    message = Message.of(
        run(
            [
                delta(0, "", id="c0"),
                delta(1, "{}", name="f1", id="c1"),
                delta(0, "{}", name="f0"),
                finish("tool_calls"),
            ],
            "openai-chat",
        )
    )

    assert list(told(to_history(message, "openai-chat"))[0]) == ["c0", "c1"]


# --- pairing (HT-07) ----------------------------------------------------------------------------------------------


def test_a_call_without_a_result_gets_one_that_says_so() -> None:
    """And it doesn't say that the user wanted that."""
    message = turn("{}", "{}")

    assert told(message.to_history("openai-chat", {"c0": "ok"}))[1] == {"c0": "ok", "c1": INTERRUPTED}


def test_a_call_that_was_cut_off_is_left_out() -> None:
    """The whole one before it stays."""
    message = turn('{"a":1}', '{"b":', reason="length")

    assert told(message.to_history("openai-chat")) == ({"c0": '{"a":1}'}, {"c0": INTERRUPTED})


def test_nothing_is_left_of_a_message_of_one_half_call() -> None:
    """An entry with nothing in it is refused."""
    message = turn('{"a":', reason="length")

    assert [message.to_history(wire) for wire in IDS] == [[]] * len(IDS)


def test_a_call_without_a_name_is_left_out() -> None:
    """Nobody could answer it."""
    message = Message.of(run([delta(0, "{}", id="c0"), delta(1, "{}", name="f", id="c1"), finish("tool_calls")]))

    assert list(told(message.to_history("openai-chat"))[0]) == ["c1"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [('{"a":', "truncated"), ('{"a" 1}', "malformed"), ('{"a":1}{"b":2}', "concatenated"), ("[1]", "not_an_object")],
)
def test_an_invalid_call_stays_with_its_text_and_its_error(text: str, reason: str) -> None:
    """As the form that providers take, and with no closing that the model did not write."""
    message = turn(text, repairs=())
    (call,) = message.calls
    assert call.error is not None
    assert call.error.reason == reason

    arguments, results = told(message.to_history("openai-chat"))
    blocks = message.to_history("anthropic")[0]["content"]

    assert json.loads(arguments["c0"]) == {"INVALID_JSON": text}
    assert results == {"c0": call.error.for_model()}
    assert blocks == [{"type": "tool_use", "id": "c0", "name": "f0", "input": {"INVALID_JSON": text}}]


def test_a_call_that_its_tool_refuses_keeps_its_text() -> None:
    """What is wrong is not the text: the tool's check or the provider's word is."""

    def f0(n: int) -> None: ...

    message = turn('{"n": "x"}', '{ "a":1}', "", tools=toolwire.Tools([f0]))
    assert [call.error and call.error.reason for call in message.calls] == ["schema", "unknown_tool", "unknown_tool"]

    arguments, results = told(message.to_history("openai-chat"))

    assert arguments == {"c0": '{"n": "x"}', "c1": '{ "a":1}', "c2": "{}"}
    assert results == {call.id: call.error and call.error.for_model() for call in message.calls}


def test_a_call_that_the_provider_took_back_keeps_its_text() -> None:
    """It was whole once."""
    message = Message.of(
        run(
            [
                {"type": "message_start", "message": {"id": "m", "content": []}},
                {
                    "type": "content_block_start",
                    "index": 0,
                    "content_block": {"type": "tool_use", "id": "t", "name": "f"},
                },
                {
                    "type": "content_block_delta",
                    "index": 0,
                    "delta": {"type": "input_json_delta", "partial_json": '{"a":1}'},
                },
                {"type": "content_block_stop", "index": 0},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "x"}},
                {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
                {"type": "message_stop"},
            ],
            "anthropic",
        )
    )
    (call,) = message.calls
    assert call.error is not None
    assert (call.status, call.error.reason) == ("invalid", "reset")

    assert message.to_history("anthropic") == [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t", "content": call.error.for_model(), "is_error": True}
            ],
        },
    ]


def test_a_rejected_call_stays_with_what_had_come() -> None:
    """The model gets to know what its caller didn't want."""
    stream = Stream("openai-chat")
    message = Message()
    for payload in (delta(0, '{"path": "/etc', name="rm", id="c0"), delta(1, "{}", name="ls", id="c1")):
        for event in stream.receive_payload(payload):
            message.feed(event)
    message.calls[0].reject("not in this directory")
    for event in [*stream.receive_payload(finish("tool_calls")), *stream.end()]:
        message.feed(event)

    assert told(message.to_history("openai-chat", {"c1": "a.txt"})) == (
        {"c0": '{"INVALID_JSON":"{\\"path\\": \\"/etc"}', "c1": "{}"},
        {"c0": "The tool was not run: not in this directory.", "c1": "a.txt"},
    )


def test_a_call_that_was_rejected_when_it_was_whole_keeps_its_text() -> None:
    """Its end had come before."""
    message = turn('{"a":1}')
    message.calls[0].reject("no")

    assert told(message.to_history("openai-chat")) == ({"c0": '{"a":1}'}, {"c0": "The tool was not run: no."})


def test_an_unfinished_message_is_no_history() -> None:
    """Its calls are still open."""
    message = Message()
    for event in Stream("openai-chat").receive_payload(delta(0, "{", name="f", id="c0")):
        message.feed(event)

    with pytest.raises(UsageError, match="call c0 is still open"):
        message.to_history("openai-chat")


# --- arguments ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ('{ "b": 1.0,\n"a": "\\u00e9" }', '{ "b": 1.0,\n"a": "\\u00e9" }'),  # the model's own
        ("", "{}"),
        (" null ", "{}"),
        ('"{\\"a\\": 1}"', '{"a":1}'),  # repaired
    ],
)
def test_text_of_arguments(text: str, sent: str) -> None:
    """Exactly the model's where that needed no repair."""
    assert told(turn(text).to_history("openai-chat"))[0] == {"c0": sent}


def test_values_mended_by_the_check_leave_the_text_alone() -> None:
    """Typed arguments are the tool's, not the model's."""

    def f0(n: int, when: datetime.date) -> None: ...

    message = turn('{"n": 3.0, "when": "2024-05-06"}', tools=toolwire.Tools([f0]))
    (call,) = message.executable
    assert [repair.kind for repair in call.repairs] == ["integral_float"]

    assert told(message.to_history("openai-chat"))[0] == {"c0": '{"n": 3.0, "when": "2024-05-06"}'}
    assert message.to_history("ollama")[0]["tool_calls"][0]["function"]["arguments"] == {"n": 3.0, "when": "2024-05-06"}


def test_held_arguments_do_not_show() -> None:
    """What a tool keeps back until it has passed isn't told by way of history."""

    class Post(msgspec.Struct):
        key: int

    held = toolwire.tool(Post, name="f0", hold=True)
    message = turn('{"key": "sk-secret"}', tools=toolwire.Tools([held]))
    assert message.calls[0].status == "invalid"

    entries = [message.to_history(wire) for wire in IDS]

    assert told(message.to_history("openai-chat"))[0] == {"c0": '{"INVALID_JSON":"(withheld)"}'}
    assert "sk-secret" not in json.dumps(entries)


def test_history_shares_nothing_with_the_message() -> None:
    """Entries are the caller's to change."""
    message = turn('{"a": {"b": 1}}')
    given = {"x": [1]}

    entries = message.to_history("gemini", {"c0": given})
    entries[0]["parts"][0]["functionCall"]["args"]["a"]["b"] = 2
    entries[1]["parts"][0]["functionResponse"]["response"]["x"].append(2)

    assert message.calls[0].arguments == {"a": {"b": 1}}
    assert given == {"x": [1]}


# --- results ------------------------------------------------------------------------------------------------------


class Model(pydantic.BaseModel):
    day: datetime.date


@dataclasses.dataclass
class Data:
    day: datetime.date


class Struct(msgspec.Struct):
    day: datetime.date


class Word(str):
    __slots__ = ()


class Colour(str, enum.Enum):  # noqa: UP042 - its str() is not its value
    RED = "red"


DAY = datetime.date(2024, 5, 6)
PLAIN = {"day": "2024-05-06"}


@pytest.mark.parametrize(
    ("given", "content"),
    [
        ("text", "text"),
        ("", ""),
        ({"a": [1, None]}, {"a": [1, None]}),
        ([1, 2], [1, 2]),
        ((1, 2), [1, 2]),
        (1.5, 1.5),
        (True, True),
        (None, None),
        (10**30, 10**30),
        (Model(day=DAY), PLAIN),
        (Data(DAY), PLAIN),
        (Struct(DAY), PLAIN),
        ([Model(day=DAY), {"x": Struct(DAY)}], [PLAIN, {"x": PLAIN}]),
        (OrderedDict(a=MappingProxyType({"b": 1})), {"a": {"b": 1}}),
        (ToolResult({"a": 1}), {"a": 1}),
        (Word("text"), "text"),
        (Colour.RED, "red"),
    ],
)
def test_results(given: Any, content: Any) -> None:
    """As text where the wire wants text, as a value where it takes one."""
    message = turn("{}")

    response = message.to_history("gemini", {"c0": given})[1]["parts"][0]["functionResponse"]["response"]
    (text,) = told(message.to_history("openai-chat", {"c0": given}))[1].values()

    assert response == (content if isinstance(content, dict) else {"output": content})
    assert text == (content if isinstance(content, str) else json.dumps(content, separators=(",", ":")))


def _tool_call_error() -> ToolCallError:
    error = toolwire.CallError("rejected", "no leave")
    return ToolCallError("f0: no leave", call=turn("{}").calls[0], error=error)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (KeyError("city"), "KeyError: 'city'"),
        (_tool_call_error(), "The tool was not run: no leave."),
        (ToolResult("no such city", is_error=True), "no such city"),
        (ToolResult(TimeoutError("10 s")), "TimeoutError: 10 s"),
        (ToolResult("", is_error=True), "The tool failed and did not say why."),
    ],
)
def test_failed_results(given: Any, text: str) -> None:
    """Marked as such where the wire has a mark."""
    (result,) = turn("{}").to_history("anthropic", {"c0": given})[1]["content"]

    assert result == {"type": "tool_result", "tool_use_id": "c0", "content": text, "is_error": True}


CYCLE: list[Any] = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize("given", [object(), float("nan"), {"a": {1: object()}}, CYCLE, Model])
def test_results_that_json_cannot_hold(given: Any) -> None:
    """Which call it was is said."""
    with pytest.raises(UsageError, match=r"the result of call c0 \(f0\) can't be written as JSON"):
        turn("{}").to_history("openai-chat", {"c0": given})


def test_results_of_no_call() -> None:
    """A result without its call would be refused, and one that is passed over would be lost."""
    message = turn("{}", "{}", '{"a', reason="length")

    for id_ in ("c9", "c2"):
        with pytest.raises(UsageError, match=f"no call '{id_}' in this history: a result may answer c0, c1"):
            message.to_history("openai-chat", {id_: "x"})
    with pytest.raises(UsageError, match="may answer none"):
        Message.of(run([finish("stop")])).to_history("openai-chat", {"c0": "x"})


# --- choices and wires --------------------------------------------------------------------------------------------


def test_choices() -> None:
    """One of several answers is what goes on."""
    message = Message.of(
        run(
            [
                {"choices": [{"index": 0, "delta": {"content": "one"}}, {"index": 1, "delta": {"content": "two"}}]},
                finish("stop"),
                finish("stop", 1),
            ],
            "openai-chat",
        )
    )

    assert message.to_history("openai-chat", choice=1) == [{"role": "assistant", "content": "two"}]
    with pytest.raises(UsageError, match=r"no choice 2: the message has \[0, 1\]"):
        message.to_history("openai-chat", choice=2)


@pytest.mark.parametrize("wire", ["gemini-live", "nonsense", ""])
def test_wires_without_a_form(wire: str) -> None:
    """Those that have one are named."""
    for ask in (turn("{}").to_history, lambda wire: tool_name(wire, "f"), lambda wire: call_id(wire, "c")):
        with pytest.raises(UsageError, match=f"no request form for wire '{wire}': use one of anthropic, "):
            ask(wire)


@pytest.mark.parametrize(
    ("alias", "wire"),
    [
        ("bedrock", "bedrock-converse"),
        ("bedrock-invoke", "anthropic"),
        ("claude", "anthropic"),
        ("openai", "openai-chat"),
        ("openrouter", "openai-chat"),
        ("responses", "openai-responses"),
        ("vertex", "gemini"),
    ],
)
def test_aliases(alias: str, wire: str) -> None:
    """As in the table of wires; "mistral" is none here, because it has rules of its own."""
    message = turn('{"a":1}')

    assert message.to_history(alias, {"c0": "x"}) == message.to_history(wire, {"c0": "x"})


# --- ids and names ------------------------------------------------------------------------------------------------

LONG = "fc_0123456789abcdef0123456789abcdef0123456789abcdef01"  # HT-03


@pytest.mark.parametrize(
    ("wire", "id", "sent"),
    [
        ("mistral", "Ab3dEf9hI", "Ab3dEf9hI"),
        ("mistral", "call_9f3b77aa10c24d1e", "0ldz0658D"),  # HT-01
        ("mistral", "Ab3dEf9h", "PL2qKVd6I"),
        ("openai-chat", "functions.weather:0", "functions.weather:0"),
        ("openai-chat", LONG, "fc_0123456789abcdef0123456789_3c9febbb84"),
        ("openai-responses", LONG, LONG),
        ("openai-responses", "x" * 65, "x" * 53 + "_" + "9537c5fdf1"),
        ("anthropic", "functions.weather:0", "functions_weather_0_c8cf447133"),
        ("bedrock-converse", "functions.weather:0", "functions.weather:0"),
        ("bedrock-converse", "a/b", "a_b_c14cddc033"),
        ("cohere", LONG, LONG),
        ("ollama", LONG, LONG),
        ("gemini", LONG, LONG),
    ],
)
def test_ids(wire: str, id: str, sent: str) -> None:
    """Only what a provider refuses is changed, always to the same, in the call and in its result."""
    assert call_id(wire, id) == sent
    assert IDS[wire].takes(sent)


def test_the_id_of_a_call_is_that_of_its_result() -> None:
    """Whatever it was made to."""
    message = Message.of(run([delta(0, "{}", name="f", id="functions.f:0"), finish("tool_calls")]))

    assistant, user = message.to_history("anthropic", {"functions.f:0": "x"})

    assert assistant["content"][0]["id"] == user["content"][0]["tool_use_id"] == call_id("anthropic", "functions.f:0")


def test_ids_stay_different() -> None:
    """Also where a hash of one is another's own id."""
    rule = IDS["anthropic"]
    squatter = rule.fit("a.b")

    fitted = rule.fit_all(["a.b", squatter, "a_b"])

    assert fitted[squatter] == squatter
    assert fitted["a_b"] == "a_b"
    assert fitted["a.b"] == rule.fit("a.b", 1) != squatter
    assert rule.takes(fitted["a.b"])
    tiny = Rule("0-9a-zA-Z", 1, exact=True)
    assert len(set(tiny.fit_all(f"x{number}" for number in range(62)).values())) == 62


LONG_NAMES = [f"mcp_{'s' * 60}_{verb}" for verb in ("read", "write")]


@pytest.mark.parametrize(
    ("wire", "name", "sent"),
    [
        ("openai-chat", "wiki_find", "wiki_find"),
        ("openai-chat", "wiki.find", "wiki_find_c5a204d775"),
        ("gemini", "wiki.find", "wiki.find"),
        ("gemini", "2nd", "_2nd_c21365c7ea"),
        ("cohere", "wiki-find", "wiki_find_fe9683059d"),
        ("cohere", "2nd", "_2nd_c21365c7ea"),
        ("ollama", "wiki.find", "wiki.find"),
        ("mistral", "wörter", "w_rter_864db6eb91"),
        ("anthropic", LONG_NAMES[0], LONG_NAMES[0]),
    ],
)
def test_names(wire: str, name: str, sent: str) -> None:
    """Only what a provider refuses is changed."""
    assert tool_name(wire, name) == sent
    assert NAMES[wire].takes(sent)


@pytest.mark.parametrize("wire", NAMES)
def test_names_stay_different(wire: str) -> None:
    """HT-05: neither what is replaced nor what is cut off makes two tools one."""
    names = ["wiki.find", "wiki_find", "wiki:find", "wiki find", *LONG_NAMES, "x" * 200, "x" * 201]

    sent = [tool_name(wire, name) for name in names]

    assert len(set(sent)) == len(names)
    assert all(map(NAMES[wire].takes, sent))


def test_names_in_history() -> None:
    """The call's name is what `tool_name` gives for the request's tools."""
    message = Message.of(run([delta(0, "{}", name="wiki.find", id="c0"), finish("tool_calls")]))

    (call,) = message.to_history("openai-chat")[0]["tool_calls"]
    assistant, result = message.to_history("mistral", {"c0": "x"})

    assert call["function"]["name"] == tool_name("openai-chat", "wiki.find") != "wiki.find"
    assert result["name"] == assistant["tool_calls"][0]["function"]["name"] == tool_name("mistral", "wiki.find")


@needs_shared
def test_reported_cases() -> None:
    """HT-01 to HT-07, as they were reported."""
    cases = {case["id"]: case["chunks"] for case in reported_cases() if case["provider_shape"] == "history"}
    assert sorted(cases) == ["HT-01", "HT-03", "HT-05", "HT-07"]

    (call,) = cases["HT-01"][0]["tool_calls"]
    assert call_id("mistral", call["id"]) == "0ldz0658D"
    (call,) = cases["HT-03"][0]["tool_calls"]
    assert len(call_id("openai-chat", call["id"])) <= 40
    for pair in cases["HT-05"]:
        assert len({tool_name("openai-chat", name) for name in pair["tools"]}) == 2
    (block,) = cases["HT-07"][0]["content"]
    message = Message.of(run([delta(0, json.dumps(block["input"]), name=block["name"], id=block["id"])], "openai-chat"))
    assert message.finish == "incomplete"
    assert message.to_history("anthropic")[0]["content"] == [block]
    assert message.to_history("anthropic")[1]["content"][0]["content"] == INTERRUPTED
