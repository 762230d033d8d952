"""Recordings as answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from mock.asking import ask, dumped
from support import expected_records, needs_shared, recording

from toolwire import Message, Stream, UsageError
from toolwire.mock.replay import Replay
from toolwire.mock.service import Service
from toolwire.mock.settings import settings_of

if TYPE_CHECKING:
    from pathlib import Path

    from toolwire.mock.plan import Plan

SSE = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n: a comment\n\n\
data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\r\n\r\ndata: [DONE]\n\n'
LINES = b'{"message":{"content":"Hi"},"done":false}\n{"message":{"content":""},"done":true,"done_reason":"stop"}\n'
ARRAY = b'[{"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]},\n{"candidates":[{"finishReason":"STOP"}]}]'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "deeper").mkdir()
    (tmp_path / "hi.sse").write_bytes(SSE)
    (tmp_path / "deeper" / "lines.v1.jsonl").write_bytes(LINES)
    (tmp_path / "array.json").write_bytes(ARRAY)
    (tmp_path / "empty.sse").write_bytes(b"")
    return tmp_path


def bytes_of(plan: Plan | None) -> bytes:
    assert plan is not None
    return b"".join(step.data for step in plan.steps)


def test_names(folder: Path) -> None:
    names = ["array", "array.json", "empty", "empty.sse", "hi", "hi.sse", "lines.v1", "lines.v1.jsonl"]
    assert Replay(folder).names == names


@pytest.mark.parametrize(
    ("model", "data", "media_type", "frames"),
    [
        ("hi", SSE, "text/event-stream", 3),
        ("hi.sse", SSE, "text/event-stream", 3),
        ("vendor/hi?delay=1ms", SSE, "text/event-stream", 3),
        ("lines.v1", LINES, "application/x-ndjson", 2),
        ("array", ARRAY, "application/json", 2),
        ("empty", b"", "text/event-stream", 1),
    ],
)
def test_a_frame_at_a_time(folder: Path, model: str, data: bytes, media_type: str, frames: int) -> None:
    plan = Replay(folder).plan(model, settings_of("ttfb=5ms&delay=1ms&head=2ms"))
    assert plan is not None
    assert bytes_of(plan) == data
    assert (plan.status, plan.end, plan.whole, plan.head) == (200, "clean", False, 0.002)
    assert dict(plan.headers) == {"content-type": media_type}
    assert [step.wait for step in plan.steps] == [0.005, *[0.001] * (frames - 1)]
    assert plan.events == frames


def test_a_model_without_a_recording(folder: Path) -> None:
    assert Replay(folder).plan("other", settings_of("")) is None


@pytest.mark.parametrize(
    ("settings", "end", "frames"),
    [("drop", "reset", 1), ("stall=last", "stall", 2), ("eof=first", "clean", 0), ("open", "stall", 3)],
)
def test_the_network_fails(folder: Path, settings: str, end: str, frames: int) -> None:
    plan = Replay(folder).plan("hi", settings_of(settings))
    assert plan is not None
    assert (plan.end, len(plan.steps)) == (end, frames)
    assert SSE.startswith(bytes_of(plan))


def test_cut_anywhere(folder: Path) -> None:
    plan = Replay(folder).plan("hi", settings_of("chunk=7"))
    assert plan is not None
    assert bytes_of(plan) == SSE
    assert {len(step.data) for step in plan.steps[:-1]} == {7}


def test_no_recordings(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(UsageError) as caught:
            Replay(folder)
        assert str(caught.value) == f"there are no recordings in {folder}"


def served(service: Service, model: str) -> Plan:
    asked = ask("openai-chat", model)
    return service.plan("POST", asked.path, asked.headers, dumped(asked))[0]


def test_what_has_no_recording_is_made_up(folder: Path) -> None:
    service = Service(replay=Replay(folder))
    assert bytes_of(served(service, "hi")) == SSE
    assert b"You said" in bytes_of(served(service, "mock/text?size=1000"))
    assert served(service, "hi?status=503").status == 503
    assert [served(service, "hi?fail=1").status for _ in range(2)] == [503, 200]


@needs_shared
def test_recordings_of_providers(tmp_path: Path) -> None:
    media_types = set()
    for wire in ("openai-chat", "anthropic", "bedrock-converse", "ollama", "gemini"):
        case = next(case for case in expected_records(wire) if len(recording(case)) > 2000)
        data = recording(case)
        (tmp_path / f"{wire}.rec").write_bytes(data)
        plan = Replay(tmp_path).plan(wire, settings_of(""))
        assert bytes_of(plan) == data
        assert plan is not None
        assert len(plan.steps) > 1
        media_types.add(dict(plan.headers)["content-type"])
        by_step, at_once = Stream(wire), Stream(wire)
        stepped = [event for step in plan.steps for event in by_step.receive(step.data)] + by_step.end()
        whole = Message.of([*at_once.receive(data), *at_once.end()])
        assert Message.of(stepped).finish == whole.finish
        assert [call.buf for call in Message.of(stepped).calls] == [call.buf for call in whole.calls]
    assert "application/vnd.amazon.eventstream" in media_types
