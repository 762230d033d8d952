"""Code as a user writes it, for type checkers only: mypy and pyright must accept it, and see these types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, assert_never, assert_type

import toolwire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


def every_event(event: toolwire.Event) -> str:
    match event:
        case toolwire.ToolCallStart(call=call):
            assert_type(call, toolwire.ToolCall)
            return call.name
        case toolwire.ToolCallDelta(text=text):
            assert_type(text, str)
            return text
        case toolwire.ToolCallEnd():
            assert_type(event.id, str)
            assert_type(event.index, int)
            return event.call.status
        case toolwire.ToolCallViolation(path=path):
            assert_type(path, tuple[str | int, ...])
            return event.keyword
        case toolwire.Finish(calls=calls):
            assert_type(calls, tuple[toolwire.ToolCall, ...])
            return event.reason
        case toolwire.Reset():
            return event.scope
        case toolwire.TextDelta() | toolwire.ReasoningDelta() | toolwire.RefusalDelta():
            return event.text
        case toolwire.MessageStart():
            return event.model or ""
        case toolwire.Usage():
            return str(event.input_tokens)
        case toolwire.StreamError():
            return event.kind
        case toolwire.Unknown():
            return event.event
        case toolwire.Warned(reason=reason):
            return reason
        case _:
            assert_never(event)


def by_type(event: toolwire.Event) -> str:
    if event.type == "text_delta":
        assert_type(event, toolwire.TextDelta)
        return event.text
    return event.type


def sync_edge(chunks: Iterator[bytes]) -> tuple[toolwire.ToolCall, ...]:
    with toolwire.stream(chunks, wire="anthropic", changes=True, confirm="call") as stream:
        for event in stream:
            assert_type(event, toolwire.Event)
            if event.type == "tool_call_start" and event.call.name == "rm":
                event.call.reject("not here")
        stream.abort("enough")
    message = toolwire.collect(b"", "openai-chat", execute_on=("tool_calls", "length"))
    assert_type(message, toolwire.Message)
    return message.executable


async def async_edge(chunks: AsyncIterator[bytes]) -> str | None:
    async with toolwire.astream(chunks) as stream:
        async for event in stream:
            assert_type(event, toolwire.Event)
    message = await toolwire.acollect(chunks, limits=toolwire.Limits(calls=3))
    return message.finish


def sans_io(data: bytes, now: float) -> list[toolwire.Event]:
    stream = toolwire.Stream(wire="gemini", repairs=[*toolwire.DEFAULT_REPAIRS, "trailing_comma"])
    events = stream.receive(data, now)
    events += stream.receive_payload({"candidates": []}, now)
    events += stream.end(now)
    assert_type(events, list[toolwire.Event])
    assert_type(stream.calls, list[toolwire.ToolCall])
    return events


def a_call(call: toolwire.ToolCall) -> Any:
    assert_type(call.status, Literal["open", "complete", "repaired", "incomplete", "invalid"])
    assert_type(call.closed, bool)
    assert_type(call.error, toolwire.CallError | None)
    assert_type(call.vendor_id, str | None)
    return call.arguments if call.executable else call.partial


def partial_json() -> Any:
    parser = toolwire.PartialJSON(changes=True)
    parser.feed('{"city": "Par')
    return parser.value if parser.value is not toolwire.MISSING else None


async def waiting(call: toolwire.ToolCall, data: bytes) -> None:
    async with toolwire.astream(data, tools=[toolwire.tool(waiting)]) as stream:
        async for each in stream.calls():
            assert_type(each, toolwire.ToolCall)
    async for piece in call.text("content"):
        assert_type(piece, str)
    async for _ in call.items("rows"):
        await call.value("rows", 0)
    await call.result()
    call.on("query", then=print, otherwise=lambda error: print(error.error.for_model()))


async def early(call: toolwire.ToolCall) -> int:
    async def count(query: str) -> int:
        return len(query)

    async with toolwire.speculate(call, ["query", ("rows", 0), "/a/b"], count, confirm="turn") as found:
        assert_type(found, toolwire.Speculation[int])
        assert_type(found.started, bool)
        assert_type(await found.result(), int)
        return await found


async def answer(data: bytes) -> Any:
    async with toolwire.astream(data, text_schema=dict[str, int]) as stream:
        assert_type(stream.output, toolwire.Output)
        async for piece in stream.output.text("title"):
            assert_type(piece, str)
        try:
            return await stream.output.result()
        except toolwire.OutputError as error:
            assert_type(error.error, toolwire.CallError)
    message = toolwire.collect(data, text_schema={})
    assert_type(message.output.status, Literal["open", "complete", "repaired", "incomplete", "invalid"])
    return message.output.parsed


def next_turn(message: toolwire.Message) -> list[dict[str, Any]]:
    results = {call.id: toolwire.ToolResult("done", is_error=False) for call in message.executable}
    assert_type(message.to_history("anthropic", results), list[dict[str, Any]])
    assert_type(toolwire.tool_name("gemini", "a.b"), str)
    for part in message.choices[0].parts:
        if isinstance(part, toolwire.Text):
            assert_type(part.text, str)
    return message.to_history("openai-chat", {"call_1": ValueError("no"), "call_2": {"rows": [1]}})


async def out_again(data: bytes, run: dict[str, Any]) -> bytes:
    body = toolwire.encode(toolwire.stream(data), to="openai-chat", pace=toolwire.Pace(chars=8), keep_alive=None)
    assert_type(body, toolwire.Writing)
    with body:
        for piece in body:
            assert_type(piece, bytes)
    async with toolwire.encode(toolwire.astream(data), to="ag-ui", run=run) as writing:
        assert_type(writing, toolwire.AsyncWriting)
        try:
            async for piece in writing:
                assert_type(piece, bytes)
        except toolwire.BadEndError as error:
            assert_type(error.error, toolwire.StreamError)
    encoder = toolwire.Encoder("ai-sdk-ui", client=7, coalesce=toolwire.Coalesce(seconds=0.05))
    out = b""
    for event in toolwire.stream(data):
        out += encoder.feed(event, 1.0)
    assert_type(encoder.deadline(), float | None)
    assert_type(encoder.aborts, bool)
    assert_type(toolwire.original_id("tw_YS5i"), str)
    return out + encoder.tick(2.0) + encoder.end(3.0)
