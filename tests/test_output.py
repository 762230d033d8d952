"""Structured output: a message's text as a live, checked JSON value."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import msgspec
import pydantic
import pytest
from support import to_sse

import toolwire
from toolwire.grammar import check


class Recipe(pydantic.BaseModel):
    title: str
    cups: int
    steps: list[str] = []


@dataclass
class Plain:
    title: str
    cups: int


RECIPE = {"title": "Tea for two", "cups": 2, "steps": ["boil", "steep"]}
TEXT = json.dumps(RECIPE)


def say(text: str, choice: int = 0) -> dict[str, Any]:
    return {"choices": [{"index": choice, "delta": {"content": text}}]}


def finish(reason: str = "stop", choice: int = 0) -> dict[str, Any]:
    return {"choices": [{"index": choice, "delta": {}, "finish_reason": reason}]}


def payloads(text: str, size: int = 4, reason: str | None = "stop") -> list[Any]:
    said: list[Any] = [say(text[at : at + size]) for at in range(0, len(text), size)]
    return said if reason is None else [*said, finish(reason), "[DONE]"]


def body(text: str, size: int = 4, reason: str | None = "stop") -> list[bytes]:
    return [to_sse([each]) for each in payloads(text, size, reason)]


def collected(text: str, schema: Any = Recipe, reason: str | None = "stop", **options: Any) -> toolwire.Output:
    message = toolwire.collect(body(text, 4, reason), text_schema=schema, **options)
    assert message.text == text  # the text stays what it is
    return message.output


WRAPPED = {
    "bare": TEXT,
    "indented": json.dumps(RECIPE, indent=2),
    "fenced": f"```json\n{TEXT}\n```",
    "fenced without a language": f"```\n{TEXT}\n```\n",
    "fenced behind a blank line": f"\n\n```json\n{TEXT}\n```",
}


@pytest.mark.parametrize("name", WRAPPED)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_fenced_or_not(name: str, size: int) -> None:
    message = toolwire.collect(body(WRAPPED[name], size), text_schema=Recipe)
    assert message.output.parsed == Recipe(**RECIPE)
    assert message.output.status == ("repaired" if "fenced" in name else "complete")
    assert message.output.executable


SCHEMAS: dict[str, tuple[Any, Any]] = {
    "a Pydantic model": (Recipe, Recipe(**RECIPE)),
    "any JSON": ({}, RECIPE),
    "a JSON Schema": ({"type": "object", "required": ["title"]}, RECIPE),
    "types in capitals": ({"type": "OBJECT", "properties": {"cups": {"type": "INTEGER"}}}, RECIPE),
    "a response format": ({"type": "json_schema", "json_schema": {"schema": {"required": ["cups"]}}}, RECIPE),
    "a flat response format": ({"type": "json_schema", "name": "r", "schema": {"required": ["cups"]}}, RECIPE),
    "a format without a schema": ({"type": "json_object"}, RECIPE),
    "a tool": (toolwire.tool(Recipe), Recipe(**RECIPE)),
    "a generic type": (dict[str, Any], RECIPE),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_describes_an_answer(name: str) -> None:
    schema, value = SCHEMAS[name]
    assert collected(TEXT, schema).parsed == value


def test_other_roots_than_objects() -> None:
    assert collected("[1, 2]", list[int]).parsed == [1, 2]
    assert collected(f"[{TEXT}]", list[Recipe]).parsed == [Recipe(**RECIPE)]
    assert collected("null", {}).parsed is None
    assert collected('"x"', {"type": "string"}).parsed == "x"
    assert collected('{"title": "t", "cups": 3.0}', Plain).parsed == Plain("t", 3)


def test_what_describes_nothing() -> None:
    with pytest.raises(toolwire.UsageError, match="text_schema is a type or a JSON Schema, not 'yes'"):
        toolwire.Stream(text_schema="yes")
    with pytest.raises(toolwire.UsageError, match="give text_schema="):
        _ = toolwire.Stream().output


def test_live_values() -> None:
    stream = toolwire.Stream("openai-chat", text_schema=Recipe, changes=True)
    assert (stream.output.partial, stream.output.buf, stream.output.status) == ({}, "", "open")
    changes: list[Any] = []
    for piece in ('```json\n{"title": "Te', 'a", "cu', 'ps": 2'):
        events = stream.receive_payload(say(piece))
        assert [event.type for event in events][-1] == "text_delta"
        changes += stream.output.changes
    assert stream.output.partial == {"title": "Tea"}
    assert [change for change in changes if change[1]] == [
        ("opened", ("title",), ""),
        ("appended", ("title",), "Te"),
        ("appended", ("title",), "a"),
        ("closed", ("title",), None),
    ]
    with pytest.raises(toolwire.UsageError, match="still open"):
        _ = stream.output.parsed
    copy = stream.output.snapshot()
    stream.receive_payload(say("}\n```"))
    assert (copy, stream.output.partial) == ({"title": "Tea"}, {"title": "Tea", "cups": 2})
    assert (stream.output.closed, stream.output.done, stream.output.executable) == (True, False, False)
    stream.receive_payload(finish())
    check(stream.end())
    assert stream.output.parsed == Recipe(title="Tea", cups=2)


FAILURES: dict[str, tuple[str, str | None, str, str, str]] = {
    "not of the schema": ('{"title": "t"}', "stop", "invalid", "schema", "cups: Field required"),
    "no JSON": ("Here you are", "stop", "invalid", "malformed", "the answer"),
    "no text": ("", "stop", "invalid", "absent", "the turn has no text"),
    "white space": (" \n", "stop", "invalid", "absent", "the turn has no text"),
    "cut by its length": (TEXT[:-4], "length", "incomplete", "cut", "ended before the answer did"),
    "the end of bytes": (TEXT[:-4], None, "incomplete", "cut", "ended before the answer did"),
    "unfinished": (TEXT[:-4], "stop", "invalid", "truncated", "ends in the middle"),
    "two documents": (TEXT + '{"title": "u"}', "stop", "invalid", "concatenated", "the answer"),
    "NaN": ('{"title": "t", "cups": NaN}', "stop", "invalid", "malformed", "the answer"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures(name: str) -> None:
    text, reason, status, why, message = FAILURES[name]
    output = collected(text, reason=reason)
    assert output.error is not None
    assert (output.status, output.error.reason, output.executable) == (status, why, False)
    with pytest.raises(toolwire.OutputError, match=message) as raised:
        _ = output.parsed
    assert (raised.value.output, raised.value.error, raised.value.kind) == (output, output.error, why)


@pytest.mark.parametrize("reason", ["length", "content_filter", "whatever", None])
def test_a_whole_answer_of_a_cut_turn_is_not_for_use(reason: str | None) -> None:
    output = collected(TEXT, reason=reason)
    assert (output.status, output.executable) == ("complete", False)
    assert output.parsed == Recipe(**RECIPE)  # but it can be read


def test_opting_in_to_a_cut_turn() -> None:
    stream = toolwire.Stream("openai-chat", text_schema=Recipe, execute_on=("tool_calls", "length"))
    for payload in payloads(TEXT, reason="length"):
        stream.receive_payload(payload)
    stream.end()
    assert stream.output.executable


def test_repairs_of_values() -> None:
    class Exact(msgspec.Struct):
        cups: int

    output = collected('{"cups": 2.0}', {"type": "object", "properties": {"cups": {"type": "integer"}}})
    assert output.parsed == {"cups": 2}
    assert repr(output.parsed["cups"]) == "2"
    strict = collected('{"cups": "2"}', Exact)
    assert strict.error is not None
    assert strict.error.problems[0].path == ("cups",)
    assert strict.error.for_model().endswith("- cups: Expected `int`, got `str`")


def test_repaired_answers_can_be_refused() -> None:
    output = collected(f"```json\n{TEXT}\n```", accept_repaired=False)
    assert (output.status, output.ready) == ("repaired", False)


def test_only_the_first_choice_is_read() -> None:
    stream = toolwire.Stream("openai-chat", text_schema={})
    for payload in (say('{"a"', 0), say('{"b": 2}', 1), say(": 1}", 0), finish(choice=0), finish(choice=1)):
        stream.receive_payload(payload)
    stream.end()
    assert stream.output.parsed == {"a": 1}


def test_calls_beside_an_answer() -> None:
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}
    stream = toolwire.Stream("openai-chat", text_schema={})
    stream.receive_payload({"choices": [{"index": 0, "delta": {"content": '{"a": 1}', "tool_calls": [call]}}]})
    stream.receive_payload(finish("tool_calls"))
    stream.end()
    assert (stream.output.parsed, stream.output.executable) == ({"a": 1}, True)


def test_a_message_that_begins_anew() -> None:
    start = {"type": "message_start", "message": {"id": "m", "content": []}}
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    stop = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}

    def piece(text: str) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}

    given = [start, block, piece('{"a": 1, "b'), start, block, piece('{"a": 2}'), stop, {"type": "message_stop"}]
    stream = toolwire.stream(given, "anthropic", text_schema={})
    first, told = stream.output, []
    first.on("b", then=told.append, otherwise=told.append)
    message = stream.message()
    assert message.output is stream.output is not first
    assert message.output.parsed == {"a": 2}
    assert first.error is not None
    assert (first.status, first.error.reason) == ("incomplete", "reset")
    (error,) = told
    assert isinstance(error, toolwire.OutputError)


def test_an_abort_takes_the_answer_back() -> None:
    stream = toolwire.Stream("openai-chat", text_schema={})
    events = []
    for payload in payloads('{"a": 1}'):
        events = stream.receive_payload(payload)
    events = stream.end() or events
    assert stream.output.executable
    stream.abort("no more", undelivered=events)
    assert not stream.output.executable


def test_the_limit_on_an_answer() -> None:
    limits = toolwire.Limits(argument_chars=50)
    message = toolwire.collect(body("[" + "1," * 60), text_schema={}, limits=limits)
    assert message.error is not None
    assert (message.error.kind, message.finish) == ("limit", "error")
    assert "the answer is longer than argument_chars=50" in message.error.message


async def parts(stream: toolwire.AsyncEventStream) -> list[Any]:
    async with stream:
        output = stream.output

        async def rows() -> list[Any]:
            return [row async for row in output.items("steps")]

        async def title() -> str:
            return "|".join([piece async for piece in output.text("title")])

        return list(await asyncio.gather(output.value("cups"), rows(), title(), output.result()))


def test_waiting() -> None:
    found = asyncio.run(parts(toolwire.astream(body(TEXT, 4), text_schema=Recipe)))
    assert found[:2] == [2, ["boil", "steep"]]
    assert found[2].replace("|", "") == "Tea for two"
    assert "|" in found[2]
    assert found[3] == Recipe(**RECIPE)


def test_waiting_for_what_never_comes() -> None:
    for text, reason, message in (
        ("[1]", "stop", "the value is an array"),
        (TEXT[:20], "length", "the answer"),
        ("I won't", "stop", "the answer"),
        ("", "tool_calls", "no text"),
    ):
        with pytest.raises(toolwire.OutputError, match=message):
            asyncio.run(parts(toolwire.astream(body(text, 4, reason), text_schema=Recipe)))


def test_callbacks_in_sync_code() -> None:
    stream = toolwire.stream(body(TEXT, 4), text_schema=Recipe)
    told: list[Any] = []
    stream.output.on("cups", then=told.append)
    stream.output.on("steps[0]", then=told.append)
    stream.output.on("tea", then=told.append, otherwise=lambda error: told.append(error.error.reason))
    seen = [list(told) for _ in stream]
    assert [2] in seen  # before the rest was there
    assert told == [2, "boil", "absent"]


@pytest.mark.parametrize("text", ["12", "-1.5", "1e3"])
@pytest.mark.parametrize("reason", ["length", None])
def test_a_number_may_have_been_cut(text: str, reason: str | None) -> None:
    """Where it ends only its turn can say."""
    output = collected(text, {}, reason)
    assert output.error is not None
    assert (output.status, output.error.reason, output.ready) == ("incomplete", "cut", False)
    assert collected(text, {}, "stop").parsed == json.loads(text)
    assert collected(f"{text} ", {}, reason).status == "complete"


def test_words_around_it() -> None:
    behind = collected('{"a": 1} I hope this helps.', {})
    assert (behind.status, behind.parsed, behind.repairs[0].kind) == ("repaired", {"a": 1}, "trailing_junk")
    before = collected('Here it is: {"a": 1}', {})
    assert before.status == "invalid"


def test_a_text_that_holds_json_is_a_text() -> None:
    assert collected(json.dumps('{"a": 1}'), str).parsed == '{"a": 1}'


def test_null_is_null() -> None:
    output = collected("null", {})
    assert (output.partial, output.snapshot(), output.parsed) == (None, None, None)


def test_more_response_formats() -> None:
    wanted = {"type": "object", "required": ["cups"]}
    for schema in (
        {"response_mime_type": "application/json", "response_schema": wanted},
        {"responseMimeType": "application/json", "responseJsonSchema": wanted},
        {"response_format": {"type": "json_schema", "json_schema": {"name": "r", "schema": wanted}}},
        {"format": {"type": "json_schema", "name": "r", "schema": wanted}},
        {"output_format": {"type": "json_schema", "schema": wanted}},
    ):
        assert collected('{"b": 1}', schema).status == "invalid"
        assert collected('{"cups": 1}', schema).status == "complete"
    assert collected('{"b": 1}', {"response_mime_type": "application/json"}).status == "complete"


def test_a_message_without_an_answer() -> None:
    with pytest.raises(toolwire.UsageError, match="give text_schema="):
        _ = toolwire.collect(body(TEXT)).output
    assert asyncio.run(toolwire.acollect(body(TEXT), text_schema=Recipe)).output.parsed == Recipe(**RECIPE)
