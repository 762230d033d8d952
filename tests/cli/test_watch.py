from __future__ import annotations

import contextlib
import os
import pty
import re
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from cli.running import COMMAND, ENVIRONMENT, run, start

from toolwire.demo import DEMOS

if TYPE_CHECKING:
    from pathlib import Path

ENTER, LEAVE, SHOW_CURSOR = b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[?25h"


def test_without_a_terminal_every_demo_s_final_view_is_printed_once() -> None:
    done = run("watch")
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", text)
    assert all(len(line) <= 80 for line in text.splitlines())
    for name in DEMOS:
        assert len(re.findall(rf"^ {name}  ", text, re.MULTILINE)) == 1
    assert text.count(" finish  ") == len(DEMOS)
    assert " ✓ 0 write_file  call_demo3JxTqLw8N" in text
    assert " ◌ 1 upsert_rows" in text
    assert run("watch", "--demo").stdout.count(b" finish  ") == len(DEMOS)


@pytest.mark.parametrize("name", DEMOS)
def test_one_demo(name: str) -> None:
    text = run("watch", "--demo", name).stdout.decode()
    assert text.startswith(f" {name}  {DEMOS[name].title[:8]}")
    assert text.count(" finish  ") == 1


def test_a_file_and_a_pipe(tmp_path: Path) -> None:
    body = b"".join(DEMOS["cut"].chunks())
    path = tmp_path / "cut.sse"
    path.write_bytes(body)
    text = run("watch", path, "--wire", "openai", COLUMNS="120").stdout.decode()
    assert text.startswith(f" {path}")
    assert "name after" not in text  # nothing was timed
    text = run("watch", "-", stdin=body).stdout.decode()
    assert text.startswith(" standard input")
    assert "name after" in text
    assert "cut: the turn ended before the arguments did" in text


def test_a_pipe_without_a_terminal_ends_with_the_stream() -> None:
    process = start("watch", "-")
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(b"".join(DEMOS["gemini-whole"].chunks()))
    process.stdin.close()
    assert b"2 of 2 calls executable" in process.stdout.read()
    assert process.wait(30) == 0
    process.stdout.close()
    process.stderr.close()


class Terminal:
    """A process on a terminal of its own."""

    def __init__(self, *args: object, stdin: int | None = None) -> None:
        self.control, line = pty.openpty()
        self.process = subprocess.Popen(
            [*COMMAND, *map(str, args)],
            stdin=line if stdin is None else stdin,
            stdout=line,
            stderr=line,
            env=ENVIRONMENT | {"COLUMNS": "80", "LINES": "24"},
            start_new_session=True,
        )
        os.close(line)
        self.seen = b""

    def read_until(self, wanted: bytes) -> None:
        deadline = time.monotonic() + 30
        while wanted not in self.seen:
            assert time.monotonic() < deadline, self.seen[-2000:]
            if not self._read():
                break
        assert wanted in self.seen, self.seen[-2000:]

    def read_to_the_end(self) -> int:
        while self._read():
            pass
        code = self.process.wait(30)
        os.close(self.control)
        return code

    def _read(self) -> bytes:
        data = b""
        with contextlib.suppress(OSError):  # how the end shows on a terminal
            data = os.read(self.control, 65536)
        self.seen += data
        return data


def assert_left_clean(seen: bytes) -> bytes:
    """The other screen was entered and left once and the cursor is back; what stays on this screen is returned."""
    assert seen.count(ENTER) == seen.count(LEAVE) == 1
    assert seen.rindex(SHOW_CURSOR) > seen.index(ENTER)
    return seen[seen.index(LEAVE) :]


def test_on_a_terminal() -> None:
    terminal = Terminal("watch", "--demo", "openai-parallel", "--pace", "0.005")
    assert terminal.read_to_the_end() == 0
    rest = assert_left_clean(terminal.seen)
    assert rest.count(b"get_weather") == 2
    assert b"3 of 3 calls executable" in rest


def test_an_interrupt_leaves_the_terminal_clean() -> None:
    terminal = Terminal("watch", "--demo", "--pace", "0.05")
    terminal.read_until(b"get_weather")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.read_to_the_end() == 130
    rest = assert_left_clean(terminal.seen)
    assert b"aborted" in rest
    assert b"cancelled" in rest
    assert b"anthropic-form" not in rest
    assert b"Traceback" not in rest


def test_a_silent_pipe_is_shown_as_it_is_and_can_be_left() -> None:
    reading, writing = os.pipe()
    terminal = Terminal("watch", "-", stdin=reading)
    os.close(reading)
    os.write(writing, b"".join(DEMOS["openai-parallel"].chunks()[:30]))
    terminal.read_until(b"Lisbon")
    drawn = len(terminal.seen)
    terminal.read_until(b"get_weather")
    while len(terminal.seen) < drawn + 200:  # time goes on being shown though nothing comes
        terminal._read()
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.read_to_the_end() == 143
    assert b"cancelled" in assert_left_clean(terminal.seen)
    os.close(writing)


def test_a_dumb_terminal_gets_the_final_view() -> None:
    control, line = pty.openpty()
    subprocess.run(
        [*COMMAND, "watch", "--demo", "gemini-whole"],
        stdin=line,
        stdout=line,
        stderr=line,
        check=True,
        timeout=60,
        env=ENVIRONMENT | {"TERM": "dumb"},
    )
    os.close(line)
    seen = b""
    with contextlib.suppress(OSError):
        while data := os.read(control, 65536):
            seen += data
    os.close(control)
    assert b"2 of 2 calls executable" in seen
    assert b"\x1b" not in seen
