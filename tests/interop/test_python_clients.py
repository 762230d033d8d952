"""The drivers of the Python clients, against streams written by hand: whole, broken off, and ended too early."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from interop.python_clients import CLIENTS
from interop.serving import serve
from support import to_sse

if TYPE_CHECKING:
    from collections.abc import Iterator


def chat_chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "some-model", "choices": [choice]}


def chat_call(index: int, arguments: str, **first: Any) -> dict[str, Any]:
    name = {"name": first.pop("name")} if first else {}
    return chat_chunk(tool_calls=[{"index": index, **first, "function": {**name, "arguments": arguments}}])


CHAT: list[Any] = [
    chat_chunk(role="assistant", reasoning_content="Hm."),
    chat_chunk(content="On it."),
    chat_call(0, "", id="a", type="function", name="get_weather"),
    chat_call(0, '{"city": "Paris"}'),
    chat_call(1, "", id="b", type="function", name="search"),
    chat_call(1, '{"query": "ne'),
    chat_call(1, 'ws", "limit": 3}'),
    chat_chunk(finish="tool_calls"),
    {**chat_chunk(), "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}},
    "[DONE]",
]


def numbered(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def response(status: str, output: list[Any], usage: Any = None) -> dict[str, Any]:
    return {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": "some-model",
        "status": status,
        "output": output,
        "usage": usage,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
    }


def text_item(status: str, content: list[Any]) -> dict[str, Any]:
    return {"type": "message", "id": "m", "role": "assistant", "status": status, "content": content}


def call_item(id_: str, name: str, arguments: str, status: str) -> dict[str, Any]:
    call = {"call_id": id_, "name": name, "arguments": arguments}
    return {"type": "function_call", "id": f"fc_{id_}", "status": status, **call}


def call_events(index: int, id_: str, name: str, pieces: list[str]) -> list[dict[str, Any]]:
    at = {"item_id": f"fc_{id_}", "output_index": index}
    whole = "".join(pieces)
    item = call_item(id_, name, whole, "completed")
    return [
        {
            "type": "response.output_item.added",
            "output_index": index,
            "item": call_item(id_, name, "", "in_progress"),
        },
        *({"type": "response.function_call_arguments.delta", **at, "delta": piece} for piece in pieces),
        {"type": "response.function_call_arguments.done", **at, "name": name, "arguments": whole},
        {"type": "response.output_item.done", "output_index": index, "item": item},
    ]


THOUGHT = {"type": "summary_text", "text": "Hm."}
THOUGHT_ITEM = {"type": "reasoning", "id": "t", "summary": [THOUGHT]}
THOUGHT_AT = {"item_id": "t", "output_index": 0, "summary_index": 0}
PART = {"type": "output_text", "text": "On it.", "annotations": [], "logprobs": []}
TEXT_AT = {"item_id": "m", "output_index": 1, "content_index": 0}
RESPONSES: list[Any] = numbered(
    [
        {"type": "response.created", "response": response("in_progress", [])},
        {"type": "response.in_progress", "response": response("in_progress", [])},
        {"type": "response.output_item.added", "output_index": 0, "item": {**THOUGHT_ITEM, "summary": []}},
        {"type": "response.reasoning_summary_part.added", **THOUGHT_AT, "part": {**THOUGHT, "text": ""}},
        {"type": "response.reasoning_summary_text.delta", **THOUGHT_AT, "delta": "Hm."},
        {"type": "response.reasoning_summary_text.done", **THOUGHT_AT, "text": "Hm."},
        {"type": "response.reasoning_summary_part.done", **THOUGHT_AT, "part": THOUGHT},
        {"type": "response.output_item.done", "output_index": 0, "item": THOUGHT_ITEM},
        {"type": "response.output_item.added", "output_index": 1, "item": text_item("in_progress", [])},
        {"type": "response.content_part.added", **TEXT_AT, "part": {**PART, "text": ""}},
        {"type": "response.output_text.delta", **TEXT_AT, "delta": "On it.", "logprobs": []},
        {"type": "response.output_text.done", **TEXT_AT, "text": "On it.", "logprobs": []},
        {"type": "response.content_part.done", **TEXT_AT, "part": PART},
        {"type": "response.output_item.done", "output_index": 1, "item": text_item("completed", [PART])},
        *call_events(2, "a", "get_weather", ['{"city": "Paris"}']),
        *call_events(3, "b", "search", ['{"query": "ne', 'ws", "limit": 3}']),
        {
            "type": "response.completed",
            "response": response(
                "completed",
                [
                    THOUGHT_ITEM,
                    text_item("completed", [PART]),
                    call_item("a", "get_weather", '{"city": "Paris"}', "completed"),
                    call_item("b", "search", '{"query": "news", "limit": 3}', "completed"),
                ],
                {
                    "input_tokens": 7,
                    "input_tokens_details": {"cached_tokens": 0},
                    "output_tokens": 5,
                    "output_tokens_details": {"reasoning_tokens": 0},
                    "total_tokens": 12,
                },
            ),
        },
    ]
)


def block(index: int, start: dict[str, Any], deltas: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def tool_block(index: int, id_: str, name: str, pieces: list[str]) -> list[dict[str, Any]]:
    start = {"type": "tool_use", "id": id_, "name": name, "input": {}}
    return block(index, start, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces])


USED = {"input_tokens": 7, "output_tokens": 5}  # langchain takes both from the last event alone
ANTHROPIC: list[Any] = [
    {
        "type": "message_start",
        "message": {
            "id": "m1",
            "type": "message",
            "role": "assistant",
            "model": "some-model",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 7, "output_tokens": 1},
        },
    },
    *block(0, {"type": "thinking", "thinking": "", "signature": ""}, [{"type": "thinking_delta", "thinking": "Hm."}]),
    *block(1, {"type": "text", "text": ""}, [{"type": "text_delta", "text": "On it."}]),
    *tool_block(2, "a", "get_weather", ['{"city": "Paris"}']),
    *tool_block(3, "b", "search", ['{"query": "ne', 'ws", "limit": 3}']),
    {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": USED},
    {"type": "message_stop"},
]

CUT = '{"query": "ne'  # the first piece of the second call's arguments
STREAMS: dict[str, list[Any]] = {"openai-chat": CHAT, "openai-responses": RESPONSES, "anthropic": ANTHROPIC}
PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic": "/v1/messages",
}


def until_cut(payloads: list[Any]) -> list[Any]:
    """Up to the first piece of the second call's arguments."""
    first = next(number for number, payload in enumerate(payloads) if CUT in str(payload))
    return payloads[: first + 1]


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Streams under `/whole`, `/broken` (the connection is closed) and `/early` (the body ends as if all were well)."""
    assert scope["type"] == "http"
    while (await receive()).get("more_body"):
        pass
    _, way, path = scope["path"].split("/", 2)
    (wire,) = [wire for wire, its in PATHS.items() if its == f"/{path}"]
    payloads = STREAMS[wire] if way == "whole" else until_cut(STREAMS[wire])
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
    for payload in payloads:
        data = to_sse([payload], named=wire != "openai-chat")
        await send({"type": "http.response.body", "body": data, "more_body": True})
    if way != "broken":
        await send({"type": "http.response.body", "body": b""})


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with serve(app) as url:
        yield url


EVERY = [(wire, name) for wire, clients in CLIENTS.items() for name in clients]
every = pytest.mark.parametrize(("wire", "name"), EVERY)

WEATHER = {"id": "a", "name": "get_weather", "arguments": {"city": "Paris"}}
SEARCH = {"id": "b", "name": "search", "arguments": {"query": "news", "limit": 3}}
MENDED = {**SEARCH, "arguments": {"query": "ne"}}
UNREAD = {**SEARCH, "arguments": CUT}

FINISH = {"openai-chat": "tool_calls", "openai-responses": "completed", "anthropic": "tool_use"}

# What the connection's loss is raised as; no client hands over a call then.
BROKEN = {
    ("openai-chat", "openai raw"): "APIConnectionError",
    ("openai-chat", "openai helper"): "APIConnectionError",
    ("openai-chat", "langchain"): "OpenAIConnectionError",
    ("openai-chat", "agents"): "APIConnectionError",
    ("openai-responses", "openai raw"): "APIConnectionError",
    ("openai-responses", "openai helper"): "APIConnectionError",
    ("openai-responses", "langchain"): "OpenAIConnectionError",
    ("openai-responses", "agents"): "APIConnectionError",
    ("anthropic", "anthropic raw"): "RemoteProtocolError",
    ("anthropic", "anthropic helper"): "RemoteProtocolError",
    ("anthropic", "langchain"): "RemoteProtocolError",
}

# Calls that are run, calls that can't be, and the error, where the stream ends too early but as if all were well.
EARLY: dict[tuple[str, str], tuple[list[Any], list[Any], str | None]] = {
    ("openai-chat", "openai raw"): ([WEATHER], [UNREAD], None),
    ("openai-chat", "openai helper"): ([], [], "ValidationError"),
    ("openai-chat", "langchain"): ([WEATHER, MENDED], [], None),
    ("openai-chat", "agents"): ([WEATHER], [UNREAD], None),
    ("openai-responses", "openai raw"): ([WEATHER], [UNREAD], None),
    ("openai-responses", "openai helper"): ([], [], "RuntimeError"),
    ("openai-responses", "langchain"): ([WEATHER, MENDED], [], None),
    ("openai-responses", "agents"): ([], [], "ModelBehaviorError"),
    ("anthropic", "anthropic raw"): ([WEATHER], [UNREAD], None),
    ("anthropic", "anthropic helper"): ([WEATHER, {**SEARCH, "arguments": {}}], [], None),
    ("anthropic", "langchain"): ([WEATHER, MENDED], [], None),
}


def error_of(turn: dict[str, Any]) -> str | None:
    """The type of what was raised."""
    return turn["error"] and turn["error"].partition(":")[0]


def reasoning_of(wire: str, name: str) -> str:
    """Langchain passes over reasoning in Chat, which is not of the official API."""
    return "" if (wire, name) == ("openai-chat", "langchain") else "Hm."


@every
def test_a_whole_stream(base: str, wire: str, name: str) -> None:
    """Both calls run, and everything else comes through as well."""
    assert CLIENTS[wire][name](f"{base}/whole") == {
        "text": "On it.",
        "reasoning": reasoning_of(wire, name),
        "calls": [WEATHER, SEARCH],
        "invalid": [],
        "finish": None if (wire, name) == ("openai-chat", "agents") else FINISH[wire],
        "usage": {"input": 7, "output": 5},
        "error": None,
    }


@every
def test_a_broken_connection(base: str, wire: str, name: str) -> None:
    """Every client raises, and runs nothing."""
    turn = CLIENTS[wire][name](f"{base}/broken")

    assert error_of(turn) == BROKEN[wire, name]
    assert (turn["text"], turn["reasoning"], turn["calls"], turn["invalid"], turn["finish"]) == (
        "On it.",
        reasoning_of(wire, name),
        [],
        [],
        None,
    )


@every
def test_an_early_end(base: str, wire: str, name: str) -> None:
    """A clean end in the middle of arguments is taken for the end: half of them run what was cut."""
    turn = CLIENTS[wire][name](f"{base}/early")

    assert (turn["calls"], turn["invalid"], error_of(turn)) == EARLY[wire, name]
    assert turn["finish"] is None


def test_serve_ends_amid_a_response() -> None:
    """The app is cancelled, its client loses the connection, and the port is free again."""
    cancelled = []

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "http"
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"first", "more_body": True})
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(scope["path"])
            raise

    with httpx2.Client(trust_env=False, timeout=5) as client:
        with serve(endless, grace=0.1) as url:
            response = client.send(client.build_request("GET", f"{url}/here"), stream=True)
            pieces = response.iter_raw()
            assert next(pieces) == b"first"
        assert cancelled == ["/here"]
        with pytest.raises(httpx2.RemoteProtocolError):
            next(pieces)
        with pytest.raises(httpx2.ConnectError):
            client.get(url)


def test_serve_runs_the_lifespan() -> None:
    """The app is started before the first request and shut down at the end; one that fails to start is told."""
    told = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "lifespan"
        for step in ("startup", "shutdown"):
            told.append((await receive())["type"])
            await send({"type": f"lifespan.{step}.complete"})

    async def failing(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no database"})

    with serve(app):
        assert told == ["lifespan.startup"]
    assert told == ["lifespan.startup", "lifespan.shutdown"]
    with pytest.raises(RuntimeError, match="did not start"), serve(failing):
        pass
