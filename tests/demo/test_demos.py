from __future__ import annotations

import json
from typing import Any

import pytest

import toolwire
from toolwire.demo import DEMOS, anthropic, gemini, openai, responses, vertex
from toolwire.grammar import check

WHOLE: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "openai-parallel": openai.QUESTIONS,
    "anthropic-form": [("submit_application", anthropic.FORM)],
    "responses-file": [
        (
            "write_file",
            {"path": responses.PATH, "mode": "create", "content": responses.SOURCE, "executable": False},
        )
    ],
    "gemini-whole": gemini.CALLS,
    "vertex-partial": [("book_trip", vertex.BOOKING)],
}


def facts(message: toolwire.Message) -> object:
    return (
        message.text,
        message.reasoning,
        [(call.name, call.vendor_id, call.buf, call.status, call.executable) for call in message.calls],
        message.finish,
        message.finish_raw,
        message.usage,
        message.error,
    )


@pytest.mark.parametrize("name", WHOLE)
def test_the_calls_are_whole_and_executable(name: str) -> None:
    message = toolwire.collect(DEMOS[name].chunks()).raise_for_error()
    assert message.finish == "tool_calls"
    assert [(call.name, call.arguments) for call in message.executable] == WHOLE[name]
    assert list(message.executable) == message.calls
    assert all(call.status == "complete" for call in message.calls)
    assert message.usage is not None
    assert message.model
    assert message.unknown == []


def test_the_cut_one_is_not() -> None:
    message = toolwire.collect(DEMOS["cut"].chunks())
    whole, cut = message.calls
    assert (message.finish, message.executable) == ("length", ())
    assert (whole.status, whole.executable, cut.status, cut.executable) == ("complete", False, "incomplete", False)
    assert cut.partial["rows"][:2] == openai.ORDERS["rows"][:2]
    assert json.dumps(openai.ORDERS, ensure_ascii=False).startswith(cut.buf)


def test_the_runaway_never_ends() -> None:
    message = toolwire.collect(DEMOS["runaway"].chunks())
    (call,) = message.calls
    assert (message.finish, call.status) == ("length", "incomplete")
    assert call.partial["body"].count(", and then we met again") == 151


@pytest.mark.parametrize("name", DEMOS)
def test_the_bytes_are_the_same_every_time(name: str) -> None:
    assert DEMOS[name].chunks() == DEMOS[name].chunks()


@pytest.mark.parametrize("name", DEMOS)
def test_the_wire_is_found_and_the_grammar_kept(name: str) -> None:
    demo = DEMOS[name]
    stream = toolwire.stream(demo.chunks(), changes=True)
    check(stream)
    assert stream.wire == demo.wire


@pytest.mark.parametrize("name", DEMOS)
def test_byte_by_byte_it_comes_to_the_same(name: str) -> None:
    demo = DEMOS[name]
    body = b"".join(demo.chunks())
    whole, single = (
        toolwire.collect(source, demo.wire) for source in (demo.chunks(), (bytes([byte]) for byte in body))
    )
    assert facts(single) == facts(whole)


def test_a_payload_is_a_chunk() -> None:
    for demo in DEMOS.values():
        assert all(chunk.endswith((b"\n\n", b"\r\n\r\n")) for chunk in demo.chunks())
        assert all(chunk.count(b"data: ") == 1 for chunk in demo.chunks())


def test_there_is_enough_to_watch_but_not_too_much() -> None:
    assert 15 < sum(len(demo.chunks()) * demo.tempo * 0.04 for demo in DEMOS.values()) < 25
