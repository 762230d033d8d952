"""Tools marked `hold`: nothing of their arguments is to be seen before they have ended and passed (case SEC-01)."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from support import to_sse

import toolwire
from toolwire.grammar import check

SECRET = "sk-test-123"


class Post(msgspec.Struct):
    key: str
    count: int = 1


def search(query: str) -> None:
    """A tool that isn't held."""


HELD = toolwire.tool(Post, name="post", hold=True)
TOOLS = toolwire.Tools([HELD, search])


def delta(arguments: str = "", *, name: str | None = None, id: str | None = None, index: int = 0) -> dict[str, Any]:
    function = {"arguments": arguments} | ({} if name is None else {"name": name})
    call = {"index": index, "function": function} | ({} if id is None else {"id": id})
    return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}


FINISH: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
LENGTH: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]}


def written(text: str, name: str = "post", size: int = 4) -> list[dict[str, Any]]:
    cuts = [text[at : at + size] for at in range(0, len(text), size)]
    return [delta(name=name, id="c1"), *map(delta, cuts)]


def seen(call: toolwire.ToolCall) -> str:
    """All that a call shows, but for its name and id."""
    error = call.error
    told = "" if error is None else f"{error} {error.for_model()}"
    return f"{call.buf}{call.partial}{call.snapshot()}{call.changes}{call.repairs}{told}{call!r}"


def spied(payloads: list[Any], **options: Any) -> tuple[list[toolwire.Event], list[str]]:
    """The events, and what could be seen of the calls after each."""
    stream = toolwire.Stream("openai-chat", tools=TOOLS, changes=True, **options)
    events: list[toolwire.Event] = []
    views: list[str] = []
    for payload in payloads:
        new = stream.receive_payload(payload)
        events += new
        views += ["".join(map(seen, stream.calls)) + repr(new)] * bool(stream.calls)
    events += stream.end()
    check(events)
    return events, views


def deltas(events: list[toolwire.Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, toolwire.ToolCallDelta)]


def test_nothing_is_seen_then_all_at_once() -> None:
    text = json.dumps({"key": SECRET, "count": 2})
    events, views = spied([*written(text), FINISH, "[DONE]"])
    assert not [view for view in views[:-2] if SECRET[:6] in view or "key" in view]
    assert deltas(events) == [text]
    kinds = [event.type for event in events]
    assert kinds == ["message_start", "tool_call_start", "tool_call_delta", "tool_call_end", "finish"]
    (call,) = events[-1].calls  # type: ignore[union-attr]
    assert (call.arguments, call.buf, call.hidden) == (Post(SECRET, 2), text, False)
    changes = next(event.changes for event in events if isinstance(event, toolwire.ToolCallDelta))
    assert changes is not None
    assert ("set", ("count",), 2) in changes


FAILURES = {
    "not of the schema": (json.dumps({"key": SECRET, "count": "sk-tes-two"}), FINISH, "schema"),
    "malformed": (f'{{"key": "{SECRET}" sk-tes', FINISH, "malformed"),
    "no object": (f'["{SECRET}"]', FINISH, "not_an_object"),
    "two objects": (f'{{"key": "{SECRET}"}}{{"key": "sk-tes-2"}}', FINISH, "concatenated"),
    "unfinished": (f'{{"key": "{SECRET}', FINISH, "truncated"),
    "cut off": (f'{{"key": "{SECRET}"', LENGTH, "cut"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_shows_nothing(name: str) -> None:
    text, finish, reason = FAILURES[name]
    events, views = spied([*written(text), finish, "[DONE]"])
    assert not [view for view in views if SECRET[:6] in view]
    assert deltas(events) == []
    end = next(event for event in events if isinstance(event, toolwire.ToolCallEnd))
    call = end.call
    assert call.error is not None
    assert (call.error.reason, call.hidden, call.buf, call.partial) == (reason, True, "", {})
    with pytest.raises(toolwire.ToolCallError) as raised:
        _ = call.arguments
    assert SECRET[:6] not in f"{raised.value}{seen(call)}"


def test_what_the_model_is_told() -> None:
    """What is missing has a name of the tool's own; all else may be the model's."""
    told = "The tool was not run, because its arguments are not valid:"
    for text, said in (
        ('{"count": "sk-tes-two"}', "- not valid"),
        ("{}", "- key: missing"),
        ('{"keys": 1}', "- key: missing"),
    ):
        events, _ = spied([*written(text), FINISH, "[DONE]"])
        end = next(event for event in events if isinstance(event, toolwire.ToolCallEnd))
        assert end.call.error is not None
        assert end.call.error.for_model() == f"{told}\n{said}"


def test_a_rejected_call_shows_nothing() -> None:
    stream = toolwire.Stream("openai-chat", tools=TOOLS)
    for payload in written(json.dumps({"key": SECRET}))[:6]:
        stream.receive_payload(payload)
    (call,) = stream.calls
    call.reject("not now")
    assert [event.type for event in stream.pending()] == ["tool_call_end"]
    assert (call.error and call.error.message, call.buf, call.partial) == ("not now", "", {})


def test_names_decide_also_late_and_in_pieces() -> None:
    text = json.dumps({"key": SECRET})
    late = [delta(text, id="c1"), delta(name="post"), FINISH, "[DONE]"]
    events, views = spied(late)
    assert len(views) == 4
    assert SECRET[:6] not in views[0]
    assert deltas(events) == [text]
    pieces = [delta(name="po", id="c1"), delta(name="st"), delta(text[:9]), delta(text[9:]), FINISH, "[DONE]"]
    events, _ = spied(pieces)
    assert deltas(events) == [text]
    stranger, views = spied([*written(text, name="psot"), FINISH, "[DONE]"])  # it may be a held one's, misspelt
    assert deltas(stranger) == []
    assert not [view for view in views if SECRET[:6] in view]


def test_other_tools_stream_as_ever() -> None:
    held, free = json.dumps({"key": SECRET}), json.dumps({"query": "tea"})
    payloads = [delta(name="post", id="c1"), delta(name="search", id="c2", index=1)]
    for at in range(0, len(held), 5):
        payloads += [delta(held[at : at + 5]), delta(free[at : at + 5], index=1)]
    events, _ = spied([*payloads, FINISH, "[DONE]"])
    texts = [(event.call.name, event.text) for event in events if isinstance(event, toolwire.ToolCallDelta)]
    assert [text for name, text in texts if name == "post"] == [held]
    assert [text for name, text in texts if name == "search"] == [free[at : at + 5] for at in range(0, len(free), 5)]
    late = [delta(free, id="c1"), delta(name="search"), FINISH, "[DONE]"]
    assert deltas(spied(late)[0]) == [free]


def test_free_text() -> None:
    tools = [toolwire.tool({"type": "custom", "custom": {"name": "run"}}, hold=True)]
    custom = {"index": 0, "id": "c1", "type": "custom", "custom": {"name": "run", "input": "rm -rf"}}
    stream = toolwire.Stream("openai-chat", tools=tools)
    stream.receive_payload({"choices": [{"index": 0, "delta": {"tool_calls": [custom]}}]})
    (call,) = stream.calls
    assert (call.buf, call.partial, call.shown) == ("", {}, False)
    stream.receive_payload(FINISH)
    assert deltas(stream.end()) == ["rm -rf"]
    assert call.arguments == "rm -rf"


async def value_of(payloads: list[Any]) -> Any:
    async with toolwire.astream([to_sse([each]) for each in payloads], tools=TOOLS) as stream:
        async for call in stream.calls():
            return await call.value("key"), call.status
    return None


def test_waiters_wait_for_the_release() -> None:
    import asyncio

    text = json.dumps({"key": SECRET, "count": 2})
    assert asyncio.run(value_of([*written(text), FINISH, "[DONE]"])) == (SECRET, "complete")
    with pytest.raises(toolwire.ToolCallError) as raised:
        asyncio.run(value_of([*written(text[:-4]), FINISH, "[DONE]"]))
    assert SECRET[:6] not in str(raised.value)


def test_hold_of_a_tool_that_is_made() -> None:
    assert toolwire.tool(HELD).hold is True
    assert toolwire.tool(HELD, hold=False).hold is False
    assert toolwire.tool(HELD, name="other").hold is True


def fed(wire: str, *payloads: Any, **options: Any) -> tuple[toolwire.Stream, str]:
    """A stream, and all that its events and calls show."""
    stream = toolwire.Stream(wire, tools=TOOLS, **options)
    events = [event for payload in payloads for event in stream.receive_payload(payload)]
    return stream, repr(events) + "".join(map(seen, stream.calls)) + "".join(repr(call.extra) for call in stream.calls)


ANTHROPIC = [
    {"type": "message_start", "message": {"id": "m", "content": []}},
    {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "tool_use", "id": "t", "name": "post", "input": {}},
    },
]
GEMINI = {"functionCall": {"name": "post", "willContinue": True}}

# What providers say beside the arguments that may quote them.
QUOTES: dict[str, tuple[str, list[Any], str]] = {
    "an error of the provider": (
        "openai-chat",
        [*written('{"key": "'), {"error": {"message": f"bad call {SECRET}", "failed_generation": SECRET}}],
        "withheld",
    ),
    "a delta that nobody knows": (
        "anthropic",
        [*ANTHROPIC, {"type": "content_block_delta", "index": 0, "delta": {"type": "new_delta", "value": SECRET}}],
        "withheld",
    ),
    "a path that can't be followed": (
        "gemini",
        [
            {"candidates": [{"content": {"parts": [GEMINI]}}]},
            {
                "candidates": [
                    {
                        "content": {
                            "parts": [
                                {
                                    "functionCall": {
                                        "partialArgs": [{"jsonPath": "$.key[9]", "stringValue": SECRET}],
                                        "willContinue": True,
                                    }
                                }
                            ]
                        }
                    }
                ]
            },
        ],
        "post",
    ),
    "a reason of the provider": (
        "gemini",
        [
            {"candidates": [{"content": {"parts": [GEMINI]}}]},
            {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": f"post(key={SECRET})"}]},
        ],
        "withheld",
    ),
    "fields beside the call": (
        "openai-chat",
        [
            {
                "choices": [
                    {
                        "index": 0,
                        "delta": {
                            "tool_calls": [
                                {"index": 0, "id": "c", "function": {"name": "post"}, "input": {"key": SECRET}}
                            ]
                        },
                    }
                ]
            }
        ],
        "post",
    ),
}


@pytest.mark.parametrize("name", QUOTES)
def test_what_may_quote_the_arguments_is_withheld(name: str) -> None:
    wire, payloads, said = QUOTES[name]
    stream, view = fed(wire, *payloads)
    view += repr(stream.end())
    assert SECRET[:6] not in view
    assert said in view


def test_errors_before_a_held_call_keep_their_words() -> None:
    stream, view = fed("openai-chat", delta(name="search", id="c"), {"error": {"message": "overloaded, sorry"}})
    assert "overloaded, sorry" in view + repr(stream.end())


def test_no_path_is_told() -> None:
    stream = toolwire.Stream("openai-chat", tools=TOOLS)
    for payload in written('{"sk-tes": {"deep": "x'):
        stream.receive_payload(payload)
    (call,) = stream.calls
    assert (call.open_path, call.is_closed(("sk-tes",)), call.is_closed(("key",))) == ((), False, False)


def test_what_goes_back_when_it_has_passed() -> None:
    signed = {"index": 0, "extra_content": {"signature": "s"}, "function": {"arguments": json.dumps({"key": SECRET})}}
    payloads = [delta(name="post", id="c"), {"choices": [{"index": 0, "delta": {"tool_calls": [signed]}}]}]
    stream = toolwire.Stream("openai-chat", tools=TOOLS)
    for payload in payloads:
        stream.receive_payload(payload)
    (call,) = stream.calls
    assert call.extra == {}
    stream.receive_payload(FINISH)
    stream.end()
    assert call.extra == {"extra_content": {"signature": "s"}}
