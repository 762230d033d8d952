"""What the drivers of the Node clients report of canned streams: a good one, and one that breaks off mid-arguments."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any

import pytest
from interop import node_clients
from interop.node_clients import available, missing, needs, run, serving

if TYPE_CHECKING:
    from pathlib import Path

Event = dict[str, Any]


def sse(*events: Event, named: bool = False, done: bool = False) -> bytes:
    """The events as a stream, with their type as the event's name where the wire wants it."""
    frames = [(f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in events]
    return "".join([*frames, "data: [DONE]\n\n" * done]).encode()


def chunk(delta: Event, finish: str | None = None) -> Event:
    """A chunk of a chat completion."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "r", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def chat_call(index: int, call_id: str, name: str) -> Event:
    call = {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
    return chunk({"role": "assistant", "tool_calls": [call]})


def chat_text(index: int, text: str) -> Event:
    return chunk({"tool_calls": [{"index": index, "function": {"arguments": text}}]})


CHAT = [
    chat_call(0, "c1", "get_weather"),
    chat_text(0, '{"city":"Pa'),
    chat_text(0, 'ris"}'),
    chat_call(1, "c2", "now"),
    chat_text(1, "{}"),
    chunk({}, "tool_calls"),
]


def item(status: str, text: str) -> Event:
    """The one call of a response, as an item of its output."""
    call = {"id": "fc1", "type": "function_call", "call_id": "c1", "name": "get_weather"}
    return {**call, "status": status, "arguments": text}


def response(status: str, *output: Event) -> Event:
    about = {"id": "r", "object": "response", "created_at": 1, "model": "m", "error": None, "incomplete_details": None}
    usage = {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 2,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 3,
    }
    rest = {"tools": [], "tool_choice": "auto", "parallel_tool_calls": True, "metadata": {}, "instructions": None}
    return {**about, **rest, "status": status, "output": [*output], "usage": usage if output else None}


ARGUMENTS = {"output_index": 0, "item_id": "fc1"}
DELTA = {**ARGUMENTS, "type": "response.function_call_arguments.delta"}
RESPONSES = [
    {**event, "sequence_number": number}
    for number, event in enumerate(
        [
            {"type": "response.created", "response": response("in_progress")},
            {"type": "response.output_item.added", "output_index": 0, "item": item("in_progress", "")},
            {**DELTA, "delta": '{"city":"Pa'},
            {**DELTA, "delta": 'ris"}'},
            {**ARGUMENTS, "type": "response.function_call_arguments.done", "arguments": '{"city":"Paris"}'},
            {"type": "response.output_item.done", "output_index": 0, "item": item("completed", '{"city":"Paris"}')},
            {"type": "response.completed", "response": response("completed", item("completed", '{"city":"Paris"}'))},
        ]
    )
]

MESSAGE = {
    "id": "m1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}


def block_text(index: int, text: str) -> Event:
    delta = {"type": "input_json_delta", "partial_json": text}
    return {"type": "content_block_delta", "index": index, "delta": delta}


def block(index: int, call_id: str, name: str) -> Event:
    content = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
    return {"type": "content_block_start", "index": index, "content_block": content}


MESSAGES = [
    {"type": "message_start", "message": MESSAGE},
    block(0, "c1", "get_weather"),
    block_text(0, '{"city":"Pa'),
    block_text(0, 'ris"}'),
    {"type": "content_block_stop", "index": 0},
    block(1, "c2", "now"),
    {"type": "content_block_stop", "index": 1},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 9},
    },
    {"type": "message_stop"},
]

UI = [
    {"type": "start", "messageId": "m1", "messageMetadata": {"run": 1}},
    {"type": "start-step"},
    {"type": "tool-input-start", "toolCallId": "c1", "toolName": "get_weather"},
    {"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": '{"city":"Pa'},
    {"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": 'ris"}'},
    {"type": "tool-input-available", "toolCallId": "c1", "toolName": "get_weather", "input": {"city": "Paris"}},
    {"type": "tool-input-start", "toolCallId": "c2", "toolName": "search", "dynamic": True},
    {
        "type": "tool-input-error",
        "toolCallId": "c2",
        "toolName": "search",
        "dynamic": True,
        "input": "{",
        "errorText": "no",
    },
    {"type": "finish-step"},
    {"type": "finish", "finishReason": "tool-calls"},
]

AGUI = [
    {"type": "RUN_STARTED", "threadId": "thread", "runId": "run", "protocolVersion": "1.0"},
    {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "get_weather"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": '{"city":"Pa'},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": 'ris"}'},
    {"type": "TOOL_CALL_END", "toolCallId": "c1"},
    {"type": "RUN_FINISHED", "threadId": "thread", "runId": "run"},
]

STREAMS = {
    "chat": sse(*CHAT, done=True),
    "responses": sse(*RESPONSES, named=True),
    "messages": sse(*MESSAGES, named=True),
    "ui": sse(*UI, done=True),
    "agui": sse(*AGUI),
}

# Each up to the first piece of a call's arguments.
BROKEN = {
    "chat": sse(*CHAT[:2]),
    "responses": sse(*RESPONSES[:3], named=True),
    "messages": sse(*MESSAGES[:3], named=True),
    "ui": sse(*UI[:4]),
    "agui": sse(*AGUI[:3]),
}


PARIS = {"id": "c1", "name": "get_weather", "input": {"city": "Paris"}}
NOW = {"id": "c2", "name": "now", "input": {}}
PART = '{"city":"Pa'

GONE = ("TypeError", "terminated")


def both(set_: str, driver: str, wire: str, *modes: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What a driver reports of a wire's good and broken stream, in each mode."""
    jobs = [{"name": name, "mode": mode, "url": name} for mode in modes for name in ("good", "broken")]
    with serving({"good": STREAMS[wire], "broken": BROKEN[wire]}, cut=["broken"]) as base:
        reports = run(set_, driver, [{**job, "url": f"{base}/{job['url']}"} for job in jobs])
    for report, job in zip(reports, jobs, strict=True):
        assert (report["name"], report["mode"], report["hung"]) == (job["name"], job["mode"], False)
    for good in reports[::2]:
        assert (good["error"], good["unhandled"], good["logged"]) == (None, [], [])
    return list(zip(reports[::2], reports[1::2], strict=True))


def failure(error: dict[str, Any]) -> tuple[str, str]:
    return error["name"], error["message"]


def sets(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("set_", [pytest.param(name, marks=needs(name)) for name in names])


@sets("ai5", "ai6", "ai7")
def test_ui(set_: str) -> None:
    (read, read_broken), (chat, chat_broken) = both(set_, "ui", "ui", "read", "chat")
    weather = {"type": "tool-get_weather", "toolCallId": "c1"}
    for good in (read, chat):
        assert good["parts"] == [
            {"type": "step-start"},
            {**weather, "state": "input-available", "input": {"city": "Paris"}},
            {
                "type": "dynamic-tool",
                "toolName": "search",
                "toolCallId": "c2",
                "state": "output-error",
                "input": "{",
                "errorText": "no",
            },
        ]
        assert good["tools"] == {
            "c1": {
                "states": ["input-streaming", "input-available"],
                "shown": [None, {"city": "Pa"}, {"city": "Paris"}],
            },
            "c2": {"states": ["input-streaming", "output-error"], "shown": [None]},
        }
        assert good["runs"] == [PARIS]
        assert (good["errors"], good["metadata"], good["finish"], good["aborted"]) == (
            [],
            {"run": 1},
            "tool-calls",
            False,
        )
        assert good["chunks"] == [event["type"] for event in UI]
    assert [call["toolCallId"] for call in chat["onToolCall"]] == ["c1"]
    assert (chat["onFinish"]["isError"], chat["onFinish"]["finishReason"], chat["status"]) == (
        False,
        "tool-calls",
        "ready",
    )
    for broken in (read_broken, chat_broken):
        part = {**weather, "state": "input-streaming", "input": {"city": "Pa"}, "rawInput": PART}
        assert broken["parts"] == [{"type": "step-start"}, part]
        assert broken["tools"] == {"c1": {"states": ["input-streaming"], "shown": [None, {"city": "Pa"}]}}
        assert (broken["runs"], broken["finish"], broken["error"]) == ([], None, None)
        assert [*map(failure, broken["errors"])] == [GONE]
    assert (chat_broken["onToolCall"], chat_broken["onFinish"]["isError"], chat_broken["status"]) == ([], True, "error")


@sets("ai5", "ai6", "ai7")
@pytest.mark.parametrize(
    ("wire", "modes", "runs"),
    [
        ("chat", ["openai-chat", "compatible"], [PARIS, NOW]),
        ("responses", ["openai-responses"], [PARIS]),
        ("messages", ["anthropic"], [PARIS, NOW]),
    ],
)
def test_streamtext(set_: str, wire: str, modes: list[str], runs: list[Event]) -> None:
    for good, broken in both(set_, "streamtext", wire, *modes):
        assert good["runs"] == runs
        assert good["calls"] == [{**call, "providerExecuted": False} for call in runs]
        assert good["streamed"]["c1"] == {"name": "get_weather", "text": '{"city":"Paris"}', "ended": True}
        assert (good["invalid"], good["toolErrors"], good["errors"], good["finish"]) == ([], [], [], "tool-calls")
        assert (broken["runs"], broken["calls"], broken["invalid"], broken["finish"]) == ([], [], [], None)
        assert broken["streamed"] == {"c1": {"name": "get_weather", "text": PART, "ended": False}}
        assert failure(broken["error"]) == ("APICallError", "Failed to process successful response")


@sets("agui0", "agui1")
def test_agui(set_: str) -> None:
    jobs = ["good", "broken", "ended"]
    with serving({"good": STREAMS["agui"], "broken": BROKEN["agui"], "ended": BROKEN["agui"]}, cut=["broken"]) as base:
        good, broken, ended = run(set_, "agui", [{"name": name, "url": f"{base}/{name}"} for name in jobs])
    assert good["types"] == [event["type"] for event in AGUI]
    assert good["calls"] == {
        "c1": {"name": "get_weather", "text": '{"city":"Paris"}', "ended": True, "args": {"city": "Paris"}}
    }
    assert (good["runs"], good["resolved"], good["finished"], good["runFailed"]) == ([PARIS], True, True, None)
    function = {"name": "get_weather", "arguments": '{"city":"Paris"}'}
    call = {"id": "c1", "type": "function", "function": function}
    assert good["messages"] == [{"id": "c1", "role": "assistant", "toolCalls": [call]}]
    for torn in (broken, ended):
        assert torn["types"] == [event["type"] for event in AGUI[:3]]
        assert torn["calls"] == {"c1": {"name": "get_weather", "text": PART, "ended": False, "args": None}}
        assert (torn["runs"], torn["finished"]) == ([], False)
    assert (broken["resolved"], failure(broken["error"]), failure(broken["runFailed"])) == (False, GONE, GONE)
    assert (ended["resolved"], ended["error"], ended["runFailed"]) == (True, None, None)


@needs("sdks")
def test_openai_chat() -> None:
    raw, helper, tools = both("sdks", "openai", "chat", "chat", "chat-stream", "chat-tools")
    for good, broken in (raw, helper, tools):
        assert (good["runs"], good["unparsable"], good["finish"]) == ([PARIS, NOW], [], "tool_calls")
        assert [call["text"] for call in good["calls"]] == ['{"city":"Paris"}', "{}"]
        assert (broken["runs"], broken["unparsable"], broken["finish"]) == ([], [], None)
    assert raw[1]["calls"] == [{"id": "c1", "name": "get_weather", "text": PART}]
    assert [failure(broken["error"]) for _, broken in (raw, helper, tools)] == [
        GONE,
        *[("OpenAIError", "terminated")] * 2,
    ]
    assert [done["text"] for done in helper[0]["done"]] == ['{"city":"Paris"}', "{}"]
    assert tools[0]["results"] == [{"id": "c1", "content": "done"}, {"id": "c2", "content": "done"}]


@needs("sdks")
def test_openai_responses() -> None:
    raw, helper = both("sdks", "openai", "responses", "responses", "responses-stream")
    for good, broken in (raw, helper):
        assert (good["runs"], good["unparsable"], good["finish"]) == ([PARIS], [], "completed")
        assert good["calls"] == [{"id": "c1", "name": "get_weather", "text": '{"city":"Paris"}', "done": True}]
        assert good["types"] == [event["type"] for n, event in enumerate(RESPONSES) if n != 3]
        assert good["response"]["status"] == "completed"
        assert broken["calls"] == [{"id": "c1", "name": "get_weather", "text": PART, "done": False}]
        assert (broken["runs"], broken["unparsable"], broken["finish"]) == ([], [], None)
    assert [failure(broken["error"]) for _, broken in (raw, helper)] == [GONE, ("OpenAIError", "terminated")]


@needs("sdks")
def test_anthropic() -> None:
    raw, helper, tools = both("sdks", "anthropic", "messages", "create", "stream", "tools")
    for good, broken in (raw, helper, tools):
        assert (good["runs"], good["finish"], good["usage"]["output_tokens"]) == ([PARIS, NOW], "tool_use", 9)
        assert (good["types"][-1], broken["types"][-1]) == ("message_stop", "content_block_delta")
        assert (broken["runs"], broken["finish"]) == ([], None)
    assert raw[0]["calls"] == [
        {"id": "c1", "name": "get_weather", "text": '{"city":"Paris"}', "done": True},
        {"id": "c2", "name": "now", "text": "", "done": True},
    ]
    assert raw[1]["calls"] == [{"id": "c1", "name": "get_weather", "text": PART, "done": False}]
    assert helper[0]["calls"] == tools[0]["calls"] == [PARIS, NOW]
    wrapped = [("AnthropicError", "terminated")] * 2
    assert [failure(broken["error"]) for _, broken in (raw, helper, tools)] == [GONE, *wrapped]


@pytest.mark.parametrize(
    ("set_", "driver", "wire", "mode"),
    [
        pytest.param(set_, driver, wire, mode, marks=needs(set_))
        for set_, driver, wire, mode in [
            ("ai6", "ui", "ui", "read"),
            ("ai6", "ui", "ui", "chat"),
            ("ai6", "streamtext", "messages", "anthropic"),
            ("agui1", "agui", "agui", "run"),
            ("sdks", "openai", "chat", "chat"),
            ("sdks", "anthropic", "messages", "stream"),
        ]
    ],
)
def test_a_job_that_hangs_stops_no_other(set_: str, driver: str, wire: str, mode: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, serving({"good": STREAMS[wire]}) as base:
        good = {"mode": mode, "url": f"{base}/good"}
        hangs = {"name": "hangs", "mode": mode, "url": f"http://127.0.0.1:{silent.getsockname()[1]}", "limit": 50}
        first, hung, second = run(set_, driver, [{**good, "name": "first"}, hangs, {**good, "name": "second"}])
    assert (hung["hung"], hung["runs"]) == (True, [])
    assert {**first, "name": "second"} == second
    assert first["runs"][0] == PARIS


def test_a_missing_set_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_clients, "FOLDER", tmp_path)
    monkeypatch.setattr(node_clients, "node", lambda set_: "node")
    monkeypatch.setattr(node_clients, "version", lambda binary: (20, 12, 0))
    for required in (False, True):
        monkeypatch.setattr(node_clients, "REQUIRED", required)
        assert needs("ai5").args == (not required,)
    assert missing("ai5") == "ai5 is not installed: `make node`"
    assert missing("ai7") == "ai7 needs node 22 or later"
    assert not available("ai5")
    with pytest.raises(AssertionError, match="not installed"):
        run("ai5", "ui", [])
    monkeypatch.setattr(node_clients, "node", lambda set_: None)
    assert missing("ai5") == "there is no node"
