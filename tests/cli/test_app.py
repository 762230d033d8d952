from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from cli.running import ENVIRONMENT, run, start

import toolwire
from toolwire.cli import main
from toolwire.demo import DEMOS

if TYPE_CHECKING:
    from pathlib import Path


def test_alone_it_prints_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out = capsys.readouterr().out
    assert "usage: toolwire" in out
    assert all(command in out for command in ("decode", "events", "convert", "watch", "check", "mock"))


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"toolwire {toolwire.__version__} ({toolwire.build})\n"


@pytest.mark.parametrize(
    "argv",
    [
        ["nonsense"],
        ["decode"],
        ["events"],
        ["watch", "--pace", "soon"],
        ["watch", "--pace", "-1"],
        ["watch", "--pace", "nan"],
        ["watch", "--demo", "nonsense"],
        ["watch", "x", "--demo", "cut"],
        ["watch", "no/such/file"],
        ["events", "no/such/file"],
        ["events", "."],
        ["decode", "--json", "bad\0name"],
        ["mock", "--script", "no/such/file"],
        ["mock", "--replay", "no/such/folder"],
        ["mock", "--settings", "nope=1"],
        ["mock", "--port", "99999"],
    ],
)
def test_wrong_usage_and_unreadable_input_are_exit_code_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 2
    captured = capsys.readouterr()
    assert not captured.out
    assert captured.err
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("command", ["decode", "events", "watch"])
def test_an_unknown_wire_is_named(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.sse"
    path.write_bytes(b"data: {}\n\n")
    assert main([command, str(path), "--wire", "telegraph"]) == 2
    assert "unknown wire 'telegraph'" in capsys.readouterr().err


def test_importing_it_is_cheap() -> None:
    code = "import sys, toolwire.cli; print(*sorted(m for m in ('argparse', 'msgspec', 'rich') if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=ENVIRONMENT)
    assert done.stdout.strip() == b""


def test_rich_is_imported_only_where_it_is_used(tmp_path: Path) -> None:
    path = tmp_path / "x.sse"
    path.write_bytes(b"".join(DEMOS["cut"].chunks()))
    code = (
        "import sys; sys.modules['rich'] = None; sys.modules['rich.console'] = None\n"
        "from toolwire.cli import main; raise SystemExit(main(sys.argv[1:]))"
    )

    def without_rich(*argv: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([sys.executable, "-c", code, *argv], capture_output=True, check=False, env=ENVIRONMENT)

    assert without_rich("decode", "--json", str(path)).returncode == 0
    assert without_rich("events", str(path)).returncode == 0
    for argv in (("decode", str(path)), ("watch", "--demo")):
        done = without_rich(*argv)
        assert done.returncode == 2
        assert b"pip install 'toolwire[cli]'" in done.stderr
        assert b"Traceback" not in done.stderr


def test_a_closed_pipe_ends_it_quietly(tmp_path: Path) -> None:
    path = tmp_path / "x.sse"
    path.write_bytes(b"".join(DEMOS["responses-file"].chunks()) * 1)
    process = start("events", path)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdin is not None
    process.stdout.readline()
    process.stdout.close()
    process.stdin.close()
    assert process.wait(30) in (0, 141)  # 0: all of it fitted into the pipe
    assert process.stderr.read() == b""
    process.stderr.close()


def test_an_interrupt_is_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolwire.cli import events

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(events, "pieces", interrupted)
    assert main(["events", "-"]) == 130


def test_a_message_may_hold_any_character() -> None:
    done = run("events", b"\xff\xfe".decode(errors="surrogateescape"), LANG="C", PYTHONIOENCODING="ascii")
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
