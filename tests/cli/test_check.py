"""`toolwire check`: what it finds in recordings, what it says that would have saved, and its exit codes."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from cli.running import run
from support import to_sse
from support.calls import FINISH, delta

from toolwire import Stream
from toolwire.cli import main
from toolwire.demo import DEMOS
from toolwire.events import ToolCallViolation

if TYPE_CHECKING:
    from pathlib import Path

PARAMETERS = {
    "type": "object",
    "properties": {"q": {"enum": ["tea", "coffee"]}, "n": {"type": "integer"}, "rows": {"minItems": 2}},
    "additionalProperties": False,
}
TOOL = {"name": "f", "parameters": PARAMETERS}
RECORDING = "x.sse"
KEYS = [
    *("file", "wire", "choice", "index", "name", "violations", "status", "error"),
    *("chars", "at_byte", "bytes", "saved_bytes", "saved_chars", "saved_seconds"),
]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def stream(*texts: str, names: tuple[str, ...] = ("f", "g", "h"), finish: bool = True) -> list[bytes]:
    """The events of one stream: calls one after the other, four characters of arguments at a time."""
    items: list[Any] = []
    for index, text in enumerate(texts):
        items.append(delta(index, "", names[index]))
        items += [delta(index, text[at : at + 4]) for at in range(0, len(text), 4)]
    if finish:
        items += [FINISH, "[DONE]"]
    return [to_sse([item]) for item in items]


def write(folder: Path, pieces: list[bytes], schema: Any, name: str = RECORDING) -> None:
    (folder / name).write_bytes(b"".join(pieces))
    (folder / "schema.json").write_text(schema if isinstance(schema, str) else json.dumps(schema))


def check(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, list[str]]:
    code = main(["check", "--schema", "schema.json", *(args or (RECORDING,))])
    captured = capsys.readouterr()
    assert not captured.err
    assert captured.out.isascii()
    return code, captured.out.splitlines()


def brief(line: str) -> str:
    """A line up to where the numbers begin."""
    return line.split("; certain at ")[0]


def test_a_call_that_could_have_been_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pieces = stream('{"q": "water", "n": 12}')
    write(tmp_path, pieces, [TOOL])
    # The name, and two times four characters: what begins as `{"q": "w` is none of the two.
    needed, total, after = len(b"".join(pieces[:3])), len(b"".join(pieces)), len(pieces) - 3
    said = (
        "x.sse: call 0 f: q (enum): none of the values that are allowed; certain at 8 of 23 characters of arguments; "
        f"{needed} B of {total} B were needed: {total - needed} B and about {after * 0.04:.1f} s saved; "
        "by rejecting this call alone: 15 characters"
    )
    assert check(capsys) == (1, [said])
    code, (line,) = check(capsys, RECORDING, "--json", "--pace", "0.5")
    record = json.loads(line)
    assert code == 1
    assert list(record) == KEYS
    assert record == {
        "file": "x.sse",
        "wire": "openai-chat",
        "choice": 0,
        "index": 0,
        "name": "f",
        "violations": [
            {"path": ["q"], "keyword": "enum", "message": "none of the values that are allowed", "at": 8},
        ],
        "status": "invalid",
        "error": 'q: this is not one of "tea" or "coffee"',
        "chars": 23,
        "at_byte": needed,
        "bytes": total,
        "saved_bytes": total - needed,
        "saved_chars": 15,
        "saved_seconds": after * 0.5,
    }


def test_a_call_in_which_nothing_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pieces = stream('{"q": "tea"}', names=("f",))
    write(tmp_path, pieces, [TOOL])
    assert check(capsys) == (0, ["x.sse: call 0 f: nothing found"])
    code, (line,) = check(capsys, RECORDING, "--json")
    record = json.loads(line)
    assert code == 0
    assert list(record) == KEYS
    nothing = {"violations": [], "status": "complete", "error": None, "at_byte": None}
    assert record.items() >= {**nothing, "saved_bytes": 0, "saved_chars": 0, "saved_seconds": 0}.items()


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ('{"q": "tea", "n"', 0, "invalid at its end: truncated: "),
        ('{"zz": 1}', 1, "arguments (additionalProperties): unexpected property: 'zz'"),
        ('{"n": "1"}', 1, "n (type): wrong type: a string, not an integer"),
        ('{"n": 1} {"n": 2}', 0, "invalid at its end: concatenated: "),
        ("[1]", 1, "arguments (type): wrong type: an array, not an object"),
    ],
)
def test_what_is_said(text: str, code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, stream(text), [TOOL])
    got, (line,) = check(capsys)
    assert (got, line.startswith(f"x.sse: call 0 f: {said}")) == (code, True), line


def test_what_only_the_final_check_finds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # No keyword that is judged while it is written; its check waits for the whole.
    schema = {"type": "object", "unevaluatedProperties": False, "properties": {"q": {}}}
    write(tmp_path, stream('{"z": 1, "q": 2}'), [{"name": "f", "parameters": schema}])
    code, (line,) = check(capsys)
    assert code == 0
    assert line.startswith("x.sse: call 0 f: invalid at its end: Unevaluated properties are not allowed ")
    code, (line,) = check(capsys, RECORDING, "--json")
    assert (code, json.loads(line)["status"], json.loads(line)["violations"]) == (0, "invalid", [])


CHAT = {"type": "function", "function": TOOL}
TITLED = {**PARAMETERS, "title": "f"}
BEDROCK = {"toolSpec": {"name": "f", "inputSchema": {"json": PARAMETERS}}}


@pytest.mark.parametrize(
    "schema",
    [
        [CHAT],
        CHAT,
        {"model": "m", "tools": [CHAT]},
        [{"name": "f", "input_schema": PARAMETERS}],
        {"tools": [{"functionDeclarations": [TOOL]}]},
        [TITLED],
        TITLED,
        {"toolConfig": {"tools": [BEDROCK]}},
        [{"type": "web_search"}, CHAT],
    ],
)
def test_forms_of_a_schema(schema: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, stream('{"q": "water"}', "{}"), schema)
    code, lines = check(capsys)
    assert code == 1
    assert [brief(line) for line in lines] == [
        "x.sse: call 0 f: q (enum): none of the values that are allowed",
        "x.sse: call 1 g: there is no tool 'g'",
    ]


@pytest.mark.parametrize(
    "schema", [PARAMETERS, {"properties": PARAMETERS["properties"]}, {**PARAMETERS, "type": "OBJECT"}]
)
def test_a_schema_without_a_name_is_that_of_every_call(
    schema: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, stream('{"q": "water"}', '{"q": "tea"}', '{"q": "w"}'), schema)
    code, lines = check(capsys)
    assert code == 1
    assert [brief(line) for line in lines] == [
        "x.sse: call 0 f: q (enum): none of the values that are allowed",
        "x.sse: call 1 g: nothing found",
        "x.sse: call 2 h: q (enum): none of the values that are allowed",
    ]


@pytest.mark.parametrize(
    ("begin", "between", "end"),
    [("", "\n", "\n"), ("", "\r\n", ""), ("[", ",", "]"), ("[\n", "\n,\n", "\n]\n"), ("", "", "")],
)
def test_other_framings(begin: str, between: str, end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = [json.dumps(each) for each in (delta(0, "", "f"), delta(0, '{"q": "w'), delta(0, 'ater"}'), FINISH)]
    write(tmp_path, [(begin + between.join(items) + end).encode()], [TOOL])
    code, (line,) = check(capsys, RECORDING, "--json", "--pace", "1")
    record = json.loads(line)
    needed = len(begin + between.join(items[:2]))
    assert (code, record["saved_seconds"]) == (1, 2)
    assert needed <= record["at_byte"] <= needed + len(between)


def test_choices_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = [delta(0, '{"zz": ""}', "f"), delta(0, '{"n": 1}', "f")]
    items[1]["choices"][0]["index"] = 1
    write(tmp_path, [to_sse(items)], [TOOL])
    code, lines = check(capsys)
    assert code == 1
    assert [brief(line) for line in lines] == [
        "x.sse: call 0 f: arguments (additionalProperties): unexpected property: 'zz'",
        "x.sse: call 0 of choice 1 f: nothing found",
    ]


def test_totals_count_a_stream_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pieces = stream('{"zz": "1"}', '{"zz": "1"}', names=("f", "f"))
    write(tmp_path, pieces, [TOOL])
    write(tmp_path, stream('{"n": 1}'), [TOOL], "good.sse")
    code, lines = check(capsys, RECORDING, "good.sse", "--pace", "1")
    needed = len(b"".join(pieces[:3]))  # the name and `{"zz": "`
    sizes = [(tmp_path / name).stat().st_size for name in (RECORDING, "good.sse")]
    assert code == 1
    assert len(lines) == 4
    assert lines[-1] == (
        f"2 files, 3 calls: 2 could have been stopped; {sizes[0] - needed} B of "
        f"{sum(sizes) / 1000:.1f} kB and about {len(pieces) - 3}.0 s saved"
    )
    code, lines = check(capsys, RECORDING, "good.sse", "--json")
    assert (code, [json.loads(line)["file"] for line in lines]) == (1, [RECORDING, RECORDING, "good.sse"])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "x.sse: no calls"),
        (b"<html>bad gateway</html>", "x.sse: no calls ("),
        (b"".join(stream()), "x.sse: no calls"),
    ],
)
def test_a_stream_without_calls(data: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, [data], [TOOL])
    code, (line,) = check(capsys)
    assert code == 0
    assert line.startswith(said)
    assert check(capsys, RECORDING, "--json") == (0, [])


def test_what_a_stream_holds_does_no_harm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, stream('{"\\u001b]0;\\ud83dß": 1, "q": 1}', "{}", names=("f\n\x1b[2J", "f")), [TOOL])
    _, lines = check(capsys)
    assert [brief(line) for line in lines] == [
        r"x.sse: call 0 f\n\x1b[2J: there is no tool 'f\\n\\x1b[2J'".replace(r"\\", "\\"),
        "x.sse: call 1 f: nothing found",
    ]
    (tmp_path / "schema.json").write_text(json.dumps(PARAMETERS))
    _, lines = check(capsys)
    assert len(lines) == 2
    assert "unexpected property: " in lines[0]


@pytest.mark.parametrize(
    ("name", "schema", "stopped"),
    [
        ("runaway", {"properties": {"body": {"maxLength": 500}}}, [0]),
        ("cut", {"properties": {"rows": {"maxItems": 1}}}, [1]),
        ("openai-parallel", {"properties": {"city": {"enum": ["Lisbon"]}}}, [1]),
        ("vertex-partial", {"properties": {"flexible": {"const": False}}}, [0]),
        ("gemini-whole", {"properties": {"list": {"type": "integer"}}}, [1]),
        ("responses-file", {"properties": {"content": {"maxLength": 20}}}, [0]),
        ("anthropic-form", {"required": ["applicant"]}, []),
    ],
)
def test_demos(name: str, schema: Any, stopped: list[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = b"".join(DEMOS[name].chunks())
    write(tmp_path, [data], schema)
    code, lines = check(capsys, RECORDING, "--json")
    found = [record for record in map(json.loads, lines) if record["violations"]]
    assert (code, [record["index"] for record in found]) == (int(bool(stopped)), stopped)
    for record in found:
        at = record["at_byte"]
        assert record["saved_bytes"] == record["bytes"] - at == len(data) - at
        assert record["saved_chars"] == record["chars"] - record["violations"][0]["at"] >= 0
        names = {each["name"] for each in map(json.loads, lines)}
        assert is_certain(data[:at], names, schema)
        assert not is_certain(data[: at - 2], names, schema)  # without the blank line that ends the event


def is_certain(data: bytes, names: set[str], schema: Any) -> bool:
    tools = [{"name": name, "parameters": {"type": "object", **schema}} for name in names]
    events = Stream(tools=tools, early_check=True).receive(data)
    return any(isinstance(event, ToolCallViolation) for event in events)


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("{", "schema.json: not JSON: Expecting property name"),
        ("[" * 100_000, "schema.json: nested too deeply"),
        ("", "schema.json: not JSON: Expecting value: line 1 column 1"),
        ([], "schema.json: there is no tool in it"),
        ({"tools": []}, "schema.json: there is no tool in it"),
        ([{"type": "web_search"}], "schema.json: there is no tool in it"),
        (3, "schema.json: a tool is a type, a function, a schema or an entry of a tool list, not 3"),
        ({}, "schema.json: a tool without a name: {}"),
        ({"model": "m"}, "schema.json: a tool without a name: {'model': 'm'}"),
        ({"type": "object", "properties": {"a": {"type": "thing"}}}, "schema.json: not a JSON Schema: "),
        ([TOOL, {"type": "object"}], "schema.json: tool 2 of 2: a tool without a name: {'type': 'object'}"),
        ([TOOL, {"name": "g", "parameters": {"$ref": "#/no"}}], "schema.json: tool 2 of 2: not a JSON Schema: "),
        ([TOOL, TOOL], "schema.json: two tools are called 'f'"),
    ],
)
def test_mistakes_in_the_schema(schema: Any, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, stream("{}"), schema)
    assert main(["check", "--schema", "schema.json", RECORDING]) == 2
    captured = capsys.readouterr()
    assert not captured.out
    assert captured.err.startswith(f"toolwire: {said}")


def test_a_schema_that_is_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, stream("{}"), "")
    (tmp_path / "schema.json").write_bytes(b'{"a": "\xff"}')
    assert main(["check", "--schema", "schema.json", RECORDING]) == 2
    assert capsys.readouterr().err == "toolwire: schema.json: not JSON: invalid start byte at byte 7\n"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["x.sse"], "the following arguments are required: --schema"),
        (["--schema", "schema.json"], "the following arguments are required: FILE"),
        (["--schema", "no/such", "x.sse"], "cannot read no/such: "),
        (["--schema", "-", "-"], "standard input can't be both the schema and a stream"),
        (["--schema", "schema.json", "x.sse", "--wire", "telegraph"], "unknown wire 'telegraph'"),
        (["--schema", "schema.json", "x.sse", "--pace", "-1"], "argument --pace"),
    ],
)
def test_wrong_usage(args: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, stream("{}"), [TOOL])
    assert main(["check", *args]) == 2
    captured = capsys.readouterr()
    assert not captured.out
    assert said in captured.err


@pytest.mark.parametrize("missing", ["jsonschema_rs", "rich"])
def test_what_is_not_installed(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, stream('{"n": 1}'), [TOOL])
    monkeypatch.setitem(sys.modules, missing, None)
    code = main(["check", "--schema", "schema.json", RECORDING])
    captured = capsys.readouterr()
    if missing == "rich":
        assert (code, captured.out, captured.err) == (0, "x.sse: call 0 f: nothing found\n", "")
    else:
        assert (code, captured.out) == (2, "")
        assert captured.err.startswith("toolwire: schema.json: a JSON Schema is checked by jsonschema-rs: pip install ")


def test_an_unreadable_file_does_not_stop_the_others(tmp_path: Path) -> None:
    write(tmp_path, stream('{"zz": 1}'), [TOOL])
    done = run("check", "--schema", "schema.json", "missing", RECORDING)
    assert done.returncode == 2
    assert done.stderr.startswith(b"toolwire: cannot read missing: ")
    lines = done.stdout.decode().splitlines()
    assert lines[0].startswith("x.sse: call 0 f: arguments (additionalProperties): ")
    assert lines[1].startswith("1 file, 1 call: 1 could have been stopped; ")


def test_standard_input(tmp_path: Path) -> None:
    pieces = stream('{"zz": 1}')
    write(tmp_path, pieces, [TOOL])
    done = run("check", "--schema", "schema.json", "--json", "-", stdin=b"".join(pieces))
    assert (done.returncode, done.stderr, json.loads(done.stdout)["file"]) == (1, b"", "-")
    done = run("check", "--schema", "-", RECORDING, stdin=json.dumps([TOOL]).encode())
    assert (done.returncode, done.stderr, done.stdout[:15]) == (1, b"", b"x.sse: call 0 f")
