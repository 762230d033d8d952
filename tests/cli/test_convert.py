from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from cli.running import run, start
from support import to_sse

from toolwire import Encoder, Stream, collect
from toolwire.cli import main
from toolwire.demo import DEMOS
from toolwire.wire.encode import ENCODERS

if TYPE_CHECKING:
    from pathlib import Path


def body(name: str) -> bytes:
    return b"".join(DEMOS[name].chunks())


def of(name: str, to: str, **options: Any) -> bytes:
    """What the library writes."""
    stream, encoder = Stream(), Encoder(to, **options)
    events = stream.receive(body(name)) + stream.end()
    return b"".join([*map(encoder.feed, events), encoder.end()])


def test_a_file_and_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "x.sse"
    path.write_bytes(body("openai-parallel"))
    wanted = of("openai-parallel", "toolwire")
    for done in (
        run("convert", path, "--to", "toolwire"),
        run("convert", "-", "--to", "toolwire", "--from", "openai", stdin=body("openai-parallel")),
    ):
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout == wanted


def test_lines_are_what_events_prints() -> None:
    data = body("anthropic-form")
    done = run("convert", "-", "--to", "toolwire", "--framing", "json-lines", stdin=data)
    assert done.stdout == of("anthropic-form", "toolwire", framing="json-lines")
    printed = run("events", "-", stdin=data)
    assert list(map(json.loads, done.stdout.splitlines())) == list(map(json.loads, printed.stdout.splitlines()))


def test_what_is_written_can_be_read_on() -> None:
    data = body("anthropic-form")
    there = run("convert", "-", "--to", "toolwire", stdin=data)
    back = run("convert", "-", "--to", "openai-chat", "--model", "mine", stdin=there.stdout)
    assert (back.returncode, back.stderr) == (0, b"")
    message = collect(back.stdout, "openai-chat")
    assert message.model == "mine"
    assert [(call.id, call.arguments) for call in message.calls] == [
        (call.id, call.arguments) for call in collect(data).calls
    ]
    assert len(message.choices[0].executable) == len(message.calls) > 0


@pytest.mark.parametrize(
    ("options", "code", "last"),
    [
        ([], 1, b'data: {"error":'),
        (["--fail-on-cut"], 1, b'data: {"error":'),
        (["--no-fail-on-cut"], 1, b"data: [DONE]"),
    ],
)
def test_a_cut_call(options: list[str], code: int, last: bytes) -> None:
    done = run("convert", "-", "--to", "openai-chat", *options, stdin=body("cut"))
    assert (done.returncode, done.stderr) == (code, b"")
    assert done.stdout.strip().splitlines()[-1].startswith(last)


CALL = {"tool_calls": [{"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x":'}}]}


@pytest.mark.parametrize("to", ENCODERS)
@pytest.mark.parametrize("reason", ["length", "content_filter", "tool_calls"])
def test_a_cut_call_is_a_bad_end_on_every_wire(reason: str, to: str, tmp_path: Path, capfd: Any) -> None:
    """Also where the wire says it of the call alone, or has a place for all of it."""
    path = tmp_path / "x.sse"
    ends: list[Any] = [{"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}, "[DONE]"]
    path.write_bytes(to_sse([{"id": "c", "model": "m", "choices": [{"index": 0, "delta": CALL}]}, *ends]))
    assert main(["convert", str(path), "--to", to]) == 1
    path.write_bytes(to_sse([{"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"content": "a"}}]}, *ends]))
    assert main(["convert", str(path), "--to", to]) == 0
    assert capfd.readouterr().err == ""


def test_a_bad_end() -> None:
    done = run("convert", "-", "--to", "toolwire", stdin=b"".join(DEMOS["openai-parallel"].chunks()[:9]))
    assert done.returncode == 1
    assert json.loads(done.stdout.strip().splitlines()[-1][6:])["reason"] == "incomplete"
    nothing = run("convert", "-", "--to", "openai-chat", "--from", "openai-chat")
    assert nothing.returncode == 1
    assert nothing.stdout.startswith(b'data: {"error":')


def test_a_pipe_is_live() -> None:
    """Every payload is answered while the pipe is still open."""
    process = start("convert", "-", "--to", "toolwire", "--framing", "json-lines")
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
    process.stdin.flush()
    rest = process.stdout.read().splitlines()  # the stream ends, though its pipe stays open
    assert process.wait(30) == 0
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
    assert json.loads(rest[-1])["type"] == "finish"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "--to"),
        (["--to", "telegraph"], "nothing is written as 'telegraph': use one of"),
        (["--to", "toolwire", "--from", "telegraph"], "unknown wire 'telegraph'"),
        (["--to", "toolwire", "--framing", "smoke"], "invalid choice: 'smoke'"),
        (["--to", "toolwire", "--fail-on-cut"], "fail_on_cut= is no option of toolwire"),
        (["--to", "openai-chat", "--framing", "json-lines"], "framing= is no option of openai-chat"),
    ],
)
def test_wrong_usage(options: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.sse"
    path.write_bytes(body("cut"))
    assert main(["convert", str(path), *options]) == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert captured.out == ""


def test_what_cannot_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "no/such/file", "--to", "toolwire"]) == 2
    assert "cannot read no/such/file" in capsys.readouterr().err


def test_help_names_the_wires(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "--help"]) == 0
    out = capsys.readouterr().out
    assert all(name in " ".join(out.split()).replace("- ", "-") for name in ENCODERS)
