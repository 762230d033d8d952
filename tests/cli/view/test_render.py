from __future__ import annotations

import io
import json
from typing import Any

import pytest
from cli.view.test_state import play
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from toolwire import Stream
from toolwire.cli.view.render import Page, lines
from toolwire.cli.view.state import StreamState
from toolwire.demo import DEMOS


def page(state: StreamState, width: int = 80, height: int | None = None) -> str:
    return "\n".join(line.plain.rstrip() for line in lines(state, width, height))


def chat(*deltas: dict[str, Any], finish: str | None = None, choice: int = 0) -> list[dict[str, Any]]:
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": choice, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    if finish:
        chunks.append({"choices": [{"index": choice, "delta": {}, "finish_reason": finish}]})
    return chunks


def call(index: int, arguments: str, name: str = "f") -> dict[str, Any]:
    return {"tool_calls": [{"index": index, "id": f"call_{index}", "function": {"name": name, "arguments": arguments}}]}


def view_of(chunks: list[dict[str, Any]], *, end: bool = True, timed: bool = False) -> StreamState:
    stream = Stream("openai-chat", changes=True)
    state = StreamState("test", timed=timed)
    for chunk in chunks:
        state.feed(stream.receive_payload(chunk))
    if end:
        state.end(stream, 1.0)
    return state


def test_a_stream_midway() -> None:
    state, _ = play("openai-parallel", until=33)
    assert page(state, 80, 24).rstrip() == (
        """\
 openai-parallel                      openai-chat · demo-chat · 33.0 s · 6.8 kB
────────────────────────────────────────────────────────────────────────────────

   I'll compare the weather in both cities and look for a flight.

 ● 0 get_weather  call_demo0Q…Lk3VtP                                     closed
   │ city: "Lisbon"
   │ days: 3
   │ unit: "celsius"
   │ name after 14.0 s · arguments after 15.0 s · 43 chars in 11.0 s · 4/s

 ⠦ 1 get_weather  call_demo1Q…Lk3VtP                                       open
   │ city: "São Paulo" ▌
   │ name after 26.0 s · arguments after 27.0 s · 26 chars in 7.00 s · 4/s"""
    )


def test_the_footer_stays_at_the_bottom() -> None:
    for until in (20, 60, None):
        state, _ = play("anthropic-form", until=until)
        drawn = lines(state, 80, 24)
        assert len(drawn) == 24
        assert drawn[-1].plain.startswith(" usage")


def test_the_end() -> None:
    state, _ = play("cut")
    text = page(state)
    assert " ✓ 0 open_ledger  call_demo8WmR2xYcD                                   complete\n" in text
    assert '     customer: "Studio …\n' in text
    assert "   │ cut: the turn ended before the arguments did (at character 242)\n" in text
    assert " finish  length · 0 of 2 calls executable\n" in text


def test_what_may_be_run_is_marked() -> None:
    state, _ = play("gemini-whole")
    assert page(state).count("complete · executable") == 2


def test_an_invalid_call_says_why() -> None:
    text = page(view_of(chat(call(0, '{"a": milk}'), call(1, "[1]"), finish="tool_calls")))
    assert " ✗ 0 f  call_0" in text
    assert "malformed: " in text
    assert "(at character 6)" in text
    assert "not_an_object: " in text


def test_a_repaired_call_says_how() -> None:
    text = page(view_of(chat(call(0, '{"a":"x\ny"}'), finish="tool_calls")))
    assert "repaired · executable" in text
    assert "repaired: raw_control at 7" in text


def test_an_error() -> None:
    text = page(view_of([*chat(call(0, '{"a":')), {"error": {"message": "over \x1b[31mloaded", "code": 529}}]))
    assert " error   overloaded [529]: over ␛[31mloaded" in text
    assert " finish  error" in text
    assert "incomplete" in text


def test_several_choices() -> None:
    chunks = [*chat({"content": "one"}, finish="stop"), *chat({"content": "two"}, finish="length", choice=1)]
    text = page(view_of(chunks))
    assert "   choice 0\n   one\n" in text
    assert "choice 1: length" in text


def test_when_there_is_no_room_ended_calls_shrink_and_the_oldest_go() -> None:
    whole = [call(index, json.dumps({"n": index, "s": "x" * 30}), f"tool_{index}") for index in range(12)]
    state = view_of([*chat(*whole), *chat(call(12, '{"still": "writing', "last"))], end=False)
    drawn = [line.plain.rstrip() for line in lines(state, 80, 16)]
    assert len(drawn) == 16
    assert ' ● 11 tool_11  {n: 11, s: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}              closed' in drawn
    assert '   │ still: "writing▌' in drawn
    assert any(line.endswith("earlier calls") for line in drawn)
    roomy = [line.plain.rstrip() for line in lines(state, 80, 30)]
    assert not any("earlier" in line for line in roomy)


def test_text_gives_way_to_calls_and_shows_its_end() -> None:
    state = view_of(chat(*({"content": f"line {number}\n"} for number in range(50))), end=False)
    assert page(state, 80, 20).count("line ") > 10
    state = view_of(chat(*({"content": f"line {number}\n"} for number in range(50)), call(0, "{}")), end=False)
    text = page(state, 80, 20)
    assert text.count("line ") == 3
    assert " … line 47" in text


@settings(max_examples=150)
@given(st.sampled_from(list(DEMOS)), st.integers(0, 140), st.integers(1, 130), st.none() | st.integers(1, 50))
def test_any_size_at_any_time(name: str, until: int, width: int, height: int | None) -> None:
    state, _ = play(name, until=until)
    drawn = lines(state, width, height)
    assert height is None or len(drawn) <= height
    assert all(cell_len(line.plain) <= width for line in drawn)


@pytest.mark.parametrize("full", [True, False])
def test_the_page_fills_the_console_it_is_printed_on(full: bool) -> None:
    state, _ = play("responses-file")
    console = Console(file=io.StringIO(), width=70, height=15, record=True, color_system=None, force_terminal=False)
    console.print(Page(state, full=full))
    drawn = console.export_text().splitlines()
    assert all(cell_len(line) <= 70 for line in drawn)
    assert any("write_file" in line for line in drawn)
    if not full:
        assert len(drawn) <= 15
