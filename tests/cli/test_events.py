from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from cli.running import run, start

import toolwire
from toolwire.cli.output import json_line
from toolwire.demo import DEMOS
from toolwire.event_form import as_dict
from toolwire.partial.changes import replay

if TYPE_CHECKING:
    from pathlib import Path


def events_of(name: str, *options: str) -> list[dict[str, Any]]:
    done = run("events", "-", *options, stdin=b"".join(DEMOS[name].chunks()))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_one_event_a_line() -> None:
    events = events_of("cut")
    assert events[0] == {
        "type": "message_start",
        "toolwire": 1,
        "id": "chatcmpl-demo",
        "model": "demo-chat",
        "wire": "openai-chat",
    }
    start_event = next(event for event in events if event["type"] == "tool_call_start")
    assert start_event == {
        "type": "tool_call_start",
        "id": "call_demo8WmR2xYcD",
        "index": 0,
        "choice": 0,
        "name": "open_ledger",
        "kind": "function",
        "vendor_id": "call_demo8WmR2xYcD",
    }
    first, second = (event for event in events if event["type"] == "tool_call_end")
    assert (first["status"], first["arguments"], first["closed"], first["executable"]) == (
        "complete",
        {"year": 2031, "read_only": False},
        True,
        False,
    )
    assert (second["status"], second["error"]["reason"], second["closed"]) == ("incomplete", "cut", False)
    assert "arguments" not in second
    assert events[-1] == {"type": "finish", "choice": 0, "reason": "length", "raw": ["length"], "calls": []}
    text = "".join(event["text"] for event in events if event["type"] == "tool_call_delta" and event["index"] == 1)
    assert text.endswith("Studio ")


@pytest.mark.parametrize("name", DEMOS)
def test_changes_replay_to_the_arguments(name: str) -> None:
    events = events_of(name, "--changes")
    for end in (event for event in events if event["type"] == "tool_call_end" and "arguments" in event):
        changes = [
            (op, tuple(path), value)
            for event in events
            if event["type"] == "tool_call_delta" and event["id"] == end["id"]
            for op, path, value in event["changes"]
        ]
        assert replay(changes) == end["arguments"]


def test_a_file_gives_the_same_as_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "x.sse"
    path.write_bytes(b"".join(DEMOS["anthropic-form"].chunks()))
    done = run("events", path, "--wire", "claude")
    assert [json.loads(line) for line in done.stdout.splitlines()] == events_of("anthropic-form")


def test_a_pipe_is_live() -> None:
    """Every payload is answered while the pipe is still open."""
    process = start("events", "-")
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    chunks = DEMOS["openai-parallel"].chunks()
    for chunk in chunks[:3]:
        process.stdin.write(chunk)
        process.stdin.flush()
        line = json.loads(process.stdout.readline())
    assert line == {"type": "text_delta", "choice": 0, "text": " compare"}
    process.stdin.write(b"".join(chunks[3:]))
    process.stdin.close()
    rest = process.stdout.read().splitlines()
    process.stdout.close()
    process.stderr.close()
    assert process.wait(30) == 0
    assert json.loads(rest[-1])["type"] == "finish"


def test_it_ends_with_the_stream_though_the_pipe_stays_open() -> None:
    process = start("events", "-")
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(b"".join(DEMOS["openai-parallel"].chunks()))
    process.stdin.flush()
    assert process.wait(30) == 0
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()


def call() -> toolwire.ToolCall:
    return toolwire.collect(DEMOS["openai-parallel"].chunks()).calls[0]


@pytest.mark.parametrize(
    ("event", "wanted"),
    [
        (toolwire.ReasoningDelta("x", 1, "thinking", "sig"), {"choice": 1, "text": "x", "signature": "sig"}),
        (toolwire.RefusalDelta("no"), {"type": "refusal_delta", "text": "no"}),
        (toolwire.Usage(1, 2, {"n": 3}), {"input_tokens": 1, "output_tokens": 2, "raw": {"n": 3}}),
        (
            toolwire.Reset((call(),), "why", "turn"),
            {"calls": ["call_demo0Qz7Lk3VtP"], "scope": "turn", "reason": "why"},
        ),
        (
            toolwire.StreamError("rate_limit", "no", code="429", wire="gemini", offset=7, raw={"error": 1}),
            {
                "kind": "rate_limit",
                "message": "no",
                "code": "429",
                "wire": "gemini",
                "offset": 7,
                "call": None,
                "status": None,
                "retryable": False,
                "retry_after": None,
            },
        ),
        (toolwire.Unknown({"a": 1}, "ev"), {"type": "unknown", "event": "ev", "payload": {"a": 1}}),
    ],
)
def test_the_other_events(event: toolwire.Event, wanted: dict[str, Any]) -> None:
    assert wanted.items() <= json.loads(json_line(as_dict(event))).items()


def test_what_json_cannot_say_is_still_a_line() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    line = json.loads(json_line(as_dict(toolwire.Unknown(deep))))
    assert (line["payload"], line["unwritable"]) == (None, ["payload"])
    assert json.loads(json_line({"x": [float("nan"), float("-inf")]})) == {"x": ["NaN", "-Infinity"]}
    assert json_line({"x": "\ud800é"}) == '{"x": "\\ud800\\u00e9"}'
