from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from cli.running import run
from support import SHARED, needs_shared

from toolwire.cli import main
from toolwire.demo import DEMOS

if TYPE_CHECKING:
    from pathlib import Path

RECORDINGS = (
    "openai_shaped/chat_completions/openrouter__stream-error.sse",
    "openai_shaped/chat_completions/openai__multiple-choice-tool-3-stream.jsonl",
    "openai_shaped/responses/openai__custom-tool-1.jsonl",
    "openai_shaped/responses/openai__grammar-incomplete-mid-tool-call.sse",
    "other/anthropic_messages/anthropic__sdkpy_incomplete_partial_json_max_tokens.sse",
    "other/anthropic_messages/anthropic__vercel_spliced_message_start.jsonl",
    "other/gemini_generate_content/google_vertex__firebase_error_mid_stream_bare_json.sse",
    "other/vertex_partial_args/google_vertex__jsgenai_single_chunk_two_numbers.jsonl",
)


def demo_file(folder: Path, name: str) -> Path:
    path = folder / f"{name}.sse"
    path.write_bytes(b"".join(DEMOS[name].chunks()))
    return path


def expected() -> dict[str, dict[str, Any]]:
    with (SHARED / "corpus/expected.devs.jsonl").open() as lines:
        return {record["file"]: record for record in map(json.loads, lines)}


@needs_shared
def test_the_report_has_the_facts_of_the_recordings() -> None:
    known = expected()
    done = run("decode", "--json", *(SHARED / "corpus" / name for name in RECORDINGS))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(reports) == len(RECORDINGS)
    for name, report in zip(RECORDINGS, reports, strict=True):
        want = known[name]
        assert report["file"] == str(SHARED / "corpus" / name)
        for key in ("wire", "framing", "usage", "error"):
            assert report[key] == want[key], (name, key)
        for choice, wanted in zip(report["choices"], want["choices"], strict=True):
            assert_facts(choice, wanted, but=("finish_native",))
        for attempt, wanted in zip(report.get("aborted", ()), want.get("aborted", ()), strict=True):
            assert_facts(attempt, wanted)


def assert_facts(got: dict[str, Any], want: dict[str, Any], but: tuple[str, ...] = ()) -> None:
    for key, value in want.items():
        if key == "calls":
            for call, wanted in zip(got["calls"], value, strict=True):
                assert_facts(call, wanted)
        elif key not in but:
            assert got[key] == value, key


def test_what_the_report_says_of_a_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decode", "--json", str(demo_file(tmp_path, "cut"))]) == 0
    (choice,) = json.loads(capsys.readouterr().out)["choices"]
    whole, cut = choice["calls"]
    assert whole == {
        "id": "call_demo8WmR2xYcD",
        "vendor_id": "call_demo8WmR2xYcD",
        "unique_id": "call_demo8WmR2xYcD",
        "name": "open_ledger",
        "arguments_text": '{"year":2031,"read_only":false}',
        "arguments": {"year": 2031, "read_only": False},
        "kind": "function",
        "status": "complete",
        "closed": True,
        "executable": False,
        "error": None,
        "repairs": [],
    }
    assert (cut["status"], cut["arguments"], cut["executable"], cut["error"]["reason"]) == (
        "incomplete",
        None,
        False,
        "cut",
    )


def chat(delta: str, finish: str = "null") -> bytes:
    return b'data: {"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}\n\n' % (delta.encode(), finish.encode())


def test_lone_surrogates_and_controls_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "x.sse"
    arguments = json.dumps('{"a":"\\ud83d \\u001b[31m"}')
    function = f'{{"name":"f\\ud800","arguments":{arguments}}}'
    call = f'{{"tool_calls":[{{"index":0,"id":"c\\u001b]0;x\\u0007","function":{function}}}]}}'
    path.write_bytes(
        chat('{"content":"half \\ud83d\\u001b[2J \\u202e"}') + chat(call, '"tool_calls"') + b"data: [DONE]\n\n"
    )
    done = run("decode", "--json", path)
    assert done.returncode == 0
    (choice,) = json.loads(done.stdout)["choices"]
    assert choice["text"].startswith("half \ud83d")
    assert choice["calls"][0]["arguments"] == {"a": "\ud83d \x1b[31m"}
    for encoding in ("utf-8", "ascii"):
        for command in ("decode", "watch"):
            done = run(command, path, PYTHONIOENCODING=encoding)
            assert (done.returncode, done.stderr) == (0, b"")
            assert b"\x1b" not in done.stdout
            assert "\u202e" not in done.stdout.decode(encoding)


def test_repairs_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.sse"
    call = '{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{\\"a\\":\\"x\\ny\\"}"}}]}'
    path.write_bytes(chat(call, '"tool_calls"') + b"data: [DONE]\n\n")
    assert main(["decode", "--json", str(path)]) == 0
    (call_report,) = json.loads(capsys.readouterr().out)["choices"][0]["calls"]
    assert call_report["status"] == "repaired"
    assert call_report["repairs"] == [{"kind": "raw_control", "offset": 7}]
    assert main(["decode", str(path)]) == 0
    assert "repaired: raw_control at 7" in capsys.readouterr().out


def test_an_unreadable_file_does_not_stop_the_others(tmp_path: Path) -> None:
    good = demo_file(tmp_path, "gemini-whole")
    done = run("decode", "--json", good, tmp_path / "missing", tmp_path, good)
    assert done.returncode == 2
    assert [json.loads(line)["file"] for line in done.stdout.splitlines()] == [str(good)] * 2
    assert done.stderr.count(b"toolwire: cannot read") == 2


def test_a_failed_turn_is_a_result(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for body in (b"", b"<html>bad gateway</html>", b'{"error":{"message":"no","code":429}}', os.urandom(999)):
        path.write_bytes(body)
        done = run("decode", "--json", path)
        assert (done.returncode, done.stderr) == (0, b"")
        report = json.loads(done.stdout)
        assert report["choices"][0]["finish"] in ("error", "incomplete")
        assert run("decode", path).returncode == 0


def test_standard_input(tmp_path: Path) -> None:
    done = run("decode", "--json", "-", stdin=demo_file(tmp_path, "vertex-partial").read_bytes())
    report = json.loads(done.stdout)
    assert (report["file"], report["wire"], report["framing"]) == ("-", "gemini", "sse")
    assert report["choices"][0]["calls"][0]["arguments_text"] is None  # the wire sent values, not text


def test_the_table(tmp_path: Path) -> None:
    done = run("decode", demo_file(tmp_path, "cut"), demo_file(tmp_path, "openai-parallel"), COLUMNS="80")
    assert done.returncode == 0
    assert done.stderr == b""
    text = done.stdout.decode()
    assert "\x1b" not in text
    assert all(len(line) <= 80 for line in text.splitlines() if "/" not in line)
    for wanted in (
        "openai-chat · sse · demo-chat",
        "  ✓  open_ledger  call_demo8WmR2xYcD  function  complete\n",
        "  ◌  upsert_rows  call_demo5HnB9sKfT  function  incomplete\n",
        '     {"table": "invoices", "rows": [{"number": "2031-0117", "customer": "Bakery',
        "     cut: the turn ended before the arguments did (at character 242)\n",
        "  finish    length · 0 of 2 calls executable\n",
        "  usage     148 tokens in · 128 tokens out\n",
        "complete · executable",
        "  finish    tool_calls · 3 of 3 calls executable\n",
    ):
        assert wanted in text


@needs_shared
@pytest.mark.parametrize("name", RECORDINGS)
def test_every_kind_of_report_has_a_table(name: str) -> None:
    done = run("decode", SHARED / "corpus" / name, COLUMNS="100")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"finish" in done.stdout
