from __future__ import annotations

import json
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx2
import pytest
from cli.running import run, start
from mock.asking import CALLS, SCRIPT, ask

import toolwire

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM")


@contextmanager
def serving(*args: object) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The command on a free port: its address, and its process, which has to end well."""
    with start("mock", *args) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            line = process.stdout.readline().decode()
            assert line.startswith("toolwire mock: http://127.0.0.1:"), line
            yield line.split()[-1], process
            process.terminate()
            assert process.wait(30) == 0
            assert process.stderr.read() == b""
        finally:
            process.kill()


def post(url: str, model: str, **headers: str) -> httpx2.Response:
    asked = ask("openai-chat", model)
    return httpx2.post(url + asked.path, json=asked.body, headers=headers, timeout=10)


def test_serve_ask_and_end(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT), encoding="utf-8")
    with serving("--script", script, "--settings", "ttfb=1ms", "--key", "k1", "--key", "k2") as (url, _):
        answer = post(url, "mock/weather", authorization="Bearer k2")
        assert [(call.name, call.arguments) for call in toolwire.collect([answer.content]).executable] == CALLS
        assert post(url, "mock/weather").status_code == 401


def test_a_script_in_yaml_and_models(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("answers:\n  née:\n  - say: [{text: née à Zürich}]\n", encoding="utf-8")
    with serving("--script", script, "--model", "née") as (url, _):
        assert toolwire.collect([post(url, "née").content]).text == "née à Zürich"
        assert post(url, "other").status_code == 404


def test_replay_and_seed(tmp_path: Path) -> None:
    data = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    (tmp_path / "hi.sse").write_bytes(data)
    with serving("--replay", tmp_path, "--seed", "7") as (url, _):
        assert post(url, "hi").content == data
        seeded, given = (toolwire.collect([post(url, f"mock/parallel{own}").content]) for own in ("", "?seed=7"))
        assert [call.arguments for call in seeded.calls] == [call.arguments for call in given.calls]


def test_an_interrupt_ends_it_while_an_answer_goes_on() -> None:
    with serving() as (url, process):
        asked = ask("openai-chat", "mock/one?stall=mid")
        with httpx2.stream("POST", url + asked.path, json=asked.body, timeout=10) as answer:
            assert answer.status_code == 200
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("answers: {a: [{}]}", "answers.a[0] says nothing: give it `say`, a list of text, reasoning and call"),
        ('{"answers": {"a": []}}', "answers.a has no turns"),
        ("a: [", "is neither JSON nor YAML"),
        ("settings: nope=1", "unknown setting 'nope'"),
    ],
)
def test_a_wrong_script_is_exit_code_2(tmp_path: Path, text: str, says: str) -> None:
    script = tmp_path / "script.yaml"
    script.write_text(text, encoding="utf-8")
    done = run("mock", "--script", script)
    assert (done.returncode, done.stdout) == (2, b"")
    assert says in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_a_port_that_is_taken() -> None:
    with serving() as (url, _):
        done = run("mock", "--port", url.rpartition(":")[2])
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"cannot listen" in done.stderr
