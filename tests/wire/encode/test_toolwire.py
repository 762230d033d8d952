"""Our own wire, written: exact objects, the schema that describes them, and nothing that can't be written."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jsonschema_rs
import pytest
from support import ROOT, WIRES, byte_by_byte, expected_records, needs_shared, recording, run, to_sse

from toolwire import Encoder, Stream, UsageError, guards
from toolwire.events import (
    Finish,
    MessageStart,
    ReasoningDelta,
    Reset,
    StreamError,
    TextDelta,
    ToolCallEnd,
    ToolCallStart,
    ToolCallViolation,
    Unknown,
    Usage,
    Warned,
)

SCHEMA = json.loads(files("toolwire.wire").joinpath("toolwire.schema.json").read_text())
VALID = jsonschema_rs.validator_for(SCHEMA)
RECORDS = expected_records(*WIRES)


def forms(events: Any, **options: Any) -> list[dict[str, Any]]:
    """What is written for events, each object checked against the schema."""
    encoder = Encoder("toolwire", **options)
    data = b"".join([*map(encoder.feed, events), encoder.end()])
    found = [json.loads(line.removeprefix(b"data: ")) for line in data.splitlines() if line]
    assert [each for each in found if not VALID.is_valid(each)] == []
    return found


def chunk(delta: dict[str, Any], finish: str | None = None, choice: int = 0) -> dict[str, Any]:
    choices = [{"index": choice, "delta": delta, "finish_reason": finish}]
    return {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": choices}


def piece(index: int, text: str, id: str | None = None, name: str | None = None) -> dict[str, Any]:
    function = {"arguments": text} if name is None else {"name": name, "arguments": text}
    return chunk({"tool_calls": [{"index": index, **({"id": id} if id else {}), "function": function}]})


HEAD = {"type": "message_start", "toolwire": 1, "id": "c", "model": "m", "wire": "openai-chat"}


def place(index: int, id: str, name: str) -> dict[str, Any]:
    return {"id": id, "index": index, "choice": 0, "name": name, "kind": "function"}


def started(index: int, id: str, name: str) -> dict[str, Any]:
    return {"type": "tool_call_start", **place(index, id, name), "vendor_id": id}


def grown(index: int, id: str, name: str, text: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_call_delta", **place(index, id, name), "text": text, **more}


def ended(index: int, id: str, name: str, status: str, **more: Any) -> dict[str, Any]:
    head = {"type": "tool_call_end", **place(index, id, name), "vendor_id": id, "status": status}
    return {**head, "executable": False, **more}


A, B = (0, "a", "f"), (1, "b", "g")
CUT = {"reason": "cut", "message": "the turn ended before the arguments did", "offset": 5}
SECOND = {"reason": "concatenated", "message": "a second document begins behind the first, with '{'", "offset": 7}
CASES: list[tuple[str, list[Any], list[dict[str, Any]]]] = [
    (
        "interleaved calls",
        [piece(0, '{"x"', "a", "f"), piece(1, '{"y":2}', "b", "g"), piece(0, ":1}"), chunk({}, "tool_calls"), "[DONE]"],
        [
            HEAD,
            started(*A),
            grown(*A, '{"x"'),
            started(*B),
            grown(*B, '{"y":2}', closes=True),
            grown(*A, ":1}", closes=True),
            ended(*A, "complete", arguments={"x": 1}, closed=True),
            ended(*B, "complete", arguments={"y": 2}, closed=True),
            {"type": "finish", "choice": 0, "reason": "tool_calls", "raw": ["tool_calls"], "calls": ["a", "b"]},
        ],
    ),
    (
        "text, usage and no arguments",
        [
            chunk({"content": "hi"}),
            piece(0, "", "a", "f"),
            chunk({}, "tool_calls"),
            {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}},
            "[DONE]",
        ],
        [
            HEAD,
            {"type": "text_delta", "choice": 0, "text": "hi"},
            started(*A),
            {
                "type": "usage",
                "input_tokens": 1,
                "output_tokens": 2,
                "raw": {"prompt_tokens": 1, "completion_tokens": 2},
            },
            ended(*A, "complete", arguments={}, closed=False),
            {"type": "finish", "choice": 0, "reason": "tool_calls", "raw": ["tool_calls"], "calls": ["a"]},
        ],
    ),
    (
        "length inside a call",
        [piece(0, '{"x":', "a", "f"), chunk({}, "length"), "[DONE]"],
        [
            HEAD,
            started(*A),
            grown(*A, '{"x":'),
            ended(*A, "incomplete", error=CUT, closed=False),
            {"type": "finish", "choice": 0, "reason": "length", "raw": ["length"], "calls": []},
        ],
    ),
    (
        "two documents in one call",
        [piece(0, '{"x":1}', "a", "f"), piece(0, '{"x":2}'), chunk({}, "tool_calls"), "[DONE]"],
        [
            HEAD,
            started(*A),
            grown(*A, '{"x":1}', closes=True),
            grown(*A, '{"x":2}'),
            ended(*A, "invalid", error=SECOND, closed=False),
            {"type": "finish", "choice": 0, "reason": "tool_calls", "raw": ["tool_calls"], "calls": []},
        ],
    ),
    (
        "an error inside a call",
        [piece(0, '{"x":', "a", "f"), {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}],
        [
            HEAD,
            started(*A),
            grown(*A, '{"x":'),
            ended(*A, "incomplete", error=CUT, closed=False),
            {
                "type": "stream_error",
                "kind": "rate_limit",
                "message": "slow down",
                "code": "rate_limit_exceeded",
                "status": None,
                "retryable": True,
                "retry_after": None,
                "wire": "openai-chat",
                "offset": None,
                "call": None,
                "raw": {"message": "slow down", "code": "rate_limit_exceeded"},
            },
            {"type": "finish", "choice": 0, "reason": "error", "raw": [], "calls": []},
        ],
    ),
]


@pytest.mark.parametrize(("payloads", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_written(payloads: list[Any], wanted: list[dict[str, Any]]) -> None:
    data = to_sse(payloads)
    assert forms(run([data], "openai-chat")) == wanted
    assert forms(run([data], "openai-chat"), framing="json-lines") == wanted

    stream, encoder, out = Stream("openai-chat"), Encoder("toolwire"), b""
    for byte in byte_by_byte(data):
        out += b"".join(map(encoder.feed, stream.receive(byte)))
    out += b"".join(map(encoder.feed, stream.end())) + encoder.end()
    assert [json.loads(line[6:]) for line in out.splitlines() if line] == wanted
    assert not encoder.aborts
    assert encoder.failed == (wanted[-1]["reason"] == "error" or any(map(is_bad, wanted)))


def is_bad(form: dict[str, Any]) -> bool:
    """Whether a call ended in a way that makes a bad end of its turn."""
    error = form.get("error") or {}
    return error.get("reason") in ("cut", "concatenated", "truncated", "rejected")


def test_bytes() -> None:
    text = TextDelta("é")
    sse = Encoder("toolwire")
    assert sse.media_type == "text/event-stream"
    assert sse.feed(text) == 'data: {"type":"text_delta","toolwire":1,"choice":0,"text":"é"}\n\n'.encode()
    assert sse.feed(text) == 'data: {"type":"text_delta","choice":0,"text":"é"}\n\n'.encode()
    sse.start(0.0)
    assert sse.tick(15.0) == b": keep-alive\n\n"
    lines = Encoder("toolwire", framing="json-lines")
    assert lines.media_type == "application/x-ndjson"
    assert lines.feed(text) == '{"type":"text_delta","toolwire":1,"choice":0,"text":"é"}\n'.encode()
    lines.start(0.0)
    assert lines.tick(15.0) == b"\n"
    assert Encoder("toolwire").media_type == "text/event-stream"


def test_every_message_start_has_the_version_and_the_model_can_be_told() -> None:
    events = [Unknown({}), MessageStart("a", "m", "gemini"), Reset((), "anew", "turn"), MessageStart(), Finish("stop")]
    found = forms(events, model="mine")
    assert [each.get("toolwire") for each in found] == [1, 1, None, 1, None]
    assert [each["model"] for each in found if "model" in each] == ["mine", "mine"]


def test_options() -> None:
    with pytest.raises(UsageError, match="fail_on_cut= is no option of toolwire"):
        Encoder("toolwire", fail_on_cut=True)
    wrong: Any = "morse"
    with pytest.raises(UsageError, match="framing is 'sse' or 'json-lines', not 'morse'"):
        Encoder("toolwire", framing=wrong)


def test_events_that_stop_in_the_middle_get_their_ends() -> None:
    stream = Stream("openai-chat")
    events = stream.receive_payload(piece(0, '{"x":1}', "a", "f")) + stream.receive_payload(
        chunk({"content": "x"}, None, 1)
    )
    ends = [
        ended(
            *A,
            "incomplete",
            error={"reason": "cut", "message": "the events ended before their turn did", "offset": None},
            closed=True,
        ),
        {
            "type": "stream_error",
            "kind": "connection",
            "message": "the events ended before their turn did",
            "code": "incomplete",
            "status": None,
            "retryable": True,
            "retry_after": None,
            "wire": None,
            "offset": None,
            "call": None,
            "raw": None,
        },
        {"type": "finish", "choice": 0, "reason": "error", "raw": [], "calls": []},
        {"type": "finish", "choice": 1, "reason": "error", "raw": [], "calls": []},
    ]
    assert forms(events)[-4:] == ends
    stream.receive_payload(chunk({}, "tool_calls"))
    stream.end()  # the call has ended well by now, but no event has said so
    assert forms(events)[-4:] == ends

    encoder = Encoder("toolwire")
    encoder.end()
    assert encoder.error == StreamError(
        "connection", "the events ended before their turn did", "incomplete", retryable=True
    )
    assert [each["type"] for each in forms([])] == ["stream_error", "finish"]
    error = StreamError("server", "no")
    assert [each["type"] for each in forms([error])] == ["stream_error", "finish"]


@pytest.mark.parametrize(
    ("reason", "kind"), [("error", "server"), ("incomplete", "connection"), ("cancelled", "aborted"), ("length", None)]
)
def test_bad_ends(reason: Any, kind: str | None) -> None:
    encoder = Encoder("toolwire")
    encoder.feed(Finish(reason))
    assert (encoder.error and encoder.error.kind) == kind
    assert encoder.end() == b""


@pytest.mark.parametrize(
    ("payloads", "code"),
    [
        ([piece(0, '{"x":', "a", "f"), chunk({}, "length")], "length"),
        ([piece(0, '{"x":', "a", "f"), chunk({}, "tool_calls")], "truncated_call"),
        ([piece(0, '{"x":1}{"x":2}', "a", "f"), chunk({}, "tool_calls")], "concatenated"),
        ([piece(0, '{"x":1}', "a", "f"), chunk({}, "length")], None),
        ([piece(0, "{x:1}", "a", "f"), chunk({}, "tool_calls")], None),
    ],
)
def test_a_turn_whose_calls_are_bad_has_failed(payloads: list[Any], code: str | None) -> None:
    """What is written stays what it was: every event."""
    events, encoder = run([to_sse(payloads)], "openai-chat"), Encoder("toolwire")
    data = b"".join([*map(encoder.feed, events), encoder.end()])
    assert (encoder.failed, encoder.aborts) == (code is not None, False)
    assert (encoder.error and encoder.error.code) == code
    assert [json.loads(line[6:])["type"] for line in data.splitlines() if line] == [each.type for each in events]


def test_a_rejected_call_fails_its_turn_and_a_void_one_does_not() -> None:
    stream, encoder = Stream("openai-chat"), Encoder("toolwire")
    events = stream.receive_payload(piece(0, "{}", "a", "f"))
    stream.calls[0].reject("not now")
    events += stream.pending() + stream.receive_payload(chunk({}, "tool_calls")) + stream.end()
    for event in events:
        encoder.feed(event)
    assert encoder.error is not None
    assert (encoder.error.code, encoder.error.call) == ("call_rejected", stream.calls[0])

    start = {"type": "message_start", "message": {"id": "m1", "type": "message", "role": "assistant", "content": []}}
    tool = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    anew = [
        start,
        {"type": "content_block_start", "index": 0, "content_block": tool},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{"}},
        {**start, "message": {**start["message"], "id": "m2"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]
    encoder = Encoder("toolwire")
    for event in run([to_sse(anew)], "anthropic"):
        encoder.feed(event)
    assert not encoder.failed


def test_an_abort_and_a_rejected_call() -> None:
    stream = Stream("openai-chat")
    events = stream.receive_payload(piece(0, "{", "a", "f"))
    stream.calls[0].reject("not now")
    events += stream.pending() + stream.receive_payload(piece(1, "{", "b", "g")) + stream.abort("enough")
    found = forms(events)
    rejected = {"reason": "rejected", "message": "not now", "offset": None}
    assert found[3] == ended(*A, "incomplete", error=rejected, closed=False)
    assert [each.get("kind") for each in found if each["type"] == "stream_error"] == ["aborted"]
    assert found[-1] == {"type": "finish", "choice": 0, "reason": "cancelled", "raw": [], "calls": []}


def test_tools_guards_and_reasoning() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    events = run(
        [chunk({"reasoning_content": "hm"}), piece(0, '{"x":"q"}', "a", "f"), chunk({}, "tool_calls")],
        "openai-chat",
        tools=[{"name": "f", "parameters": schema}],
        early_check=True,
        guards=[lambda event, _: guards.warn("hm") if event.type == "tool_call_start" else None],
    )
    found = {each["type"]: each for each in forms(events)}
    assert found["reasoning_delta"] == {
        "type": "reasoning_delta",
        "choice": 0,
        "text": "hm",
        "field": "reasoning_content",
        "signature": None,
    }
    assert found["warned"] == {"type": "warned", "reason": "hm", "call": "a"}
    violation = found["tool_call_violation"]
    assert (violation["id"], violation["path"], violation["keyword"], violation["at"]) == ("a", ["x"], "type", 9)
    (problem,) = found["tool_call_end"]["error"]["problems"]
    assert (found["tool_call_end"]["status"], problem["path"], problem["offset"]) == ("invalid", ["x"], 5)


def test_custom_calls_and_the_providers_own() -> None:
    entry = {"index": 0, "id": "a", "type": "custom", "custom": {"name": "f", "input": "hey"}}
    found = forms(run([chunk({"tool_calls": [entry]}), chunk({}, "tool_calls")], "openai-chat"))
    assert found[1] == {**started(*A), "kind": "custom", "free_text": True}
    assert found[3] == {**ended(*A, "complete", arguments="hey", closed=True), "kind": "custom"}

    events = run([piece(0, "{}", "a", "f"), chunk({}, "stop")], "openai-chat")
    call = next(event.call for event in events if isinstance(event, ToolCallStart))
    call.kind = "mcp"
    assert forms([Reset((call,), "it ran it"), Finish("stop")])[0] == {
        "type": "reset",
        "toolwire": 1,
        "calls": ["a"],
        "scope": "calls",
        "reason": "it ran it",
        "kinds": {"a": "mcp"},
    }


@pytest.mark.parametrize("confirm", ["turn", "call"])
def test_executable_is_what_holds_at_the_end_of_the_call(confirm: Any) -> None:
    events = run([piece(0, "{}", "a", "f"), chunk({}, "tool_calls")], "openai-chat", confirm=confirm)
    end = next(each for each in forms(events) if each["type"] == "tool_call_end")
    assert end["executable"] == (confirm == "call")


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("payload", "written"),
    [
        (nested(100_000), None),
        (nested(980), None),  # what one writer takes and another doesn't
        ({"x": float("inf"), "y": [float("nan")]}, {"x": "Infinity", "y": ["NaN"]}),
        ({1: 2, None: 3}, {"1": 2, "null": 3}),
        ({(1, 2): 3}, None),
        (10**400, 10**400),
        (10**5000, None),
        ("\ud800é", "\ud800é"),
        ({"\ud800": 1}, {"\ud800": 1}),
        (b"x", None),
        ({1, 2}, None),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("framing", ["sse", "json-lines"])
def test_whatever_an_event_holds_is_written(framing: Any, payload: Any, written: Any) -> None:
    for event, name in (
        (Unknown(payload), "payload"),
        (StreamError("server", "x", raw=payload), "raw"),
        (Usage(1, 2, {"x": payload}), "raw"),
        (ReasoningDelta("x", extra={"x": payload}), "extra"),
    ):
        encoder = Encoder("toolwire", framing=framing)
        found = json.loads(encoder.feed(event).removeprefix(b"data: "))
        lost = written is None
        within = name == "extra" or isinstance(event, Usage)
        assert found[name] == (None if lost else {"x": written} if within else written)
        assert found.get("unwritable") == ([name] if lost else None)


def test_a_text_with_half_a_pair_is_written() -> None:
    assert forms([TextDelta("\ud83d")])[0]["text"] == "\ud83d"


# The schema


def test_every_member_is_described() -> None:
    assert set(SCHEMA["$defs"]) == {each["$ref"].rsplit("/", 1)[1] for each in SCHEMA["oneOf"]}
    types = (MessageStart, TextDelta, ReasoningDelta, ToolCallEnd, ToolCallViolation, Usage, Reset, Warned, Unknown)
    assert {each.type for each in types} <= set(SCHEMA["$defs"])
    for event in SCHEMA["$defs"].values():
        assert event["description"]
        for member in event["properties"].values():
            assert member is False or member["description"]
            for inner in (member.get("properties") or {}).values() if member else ():
                assert inner["description"]


@needs_shared
def test_every_event_of_every_recording_is_valid() -> None:
    assert RECORDS
    for record in RECORDS:
        forms(run([recording(record)], record["wire"], changes=True))


@pytest.mark.parametrize("name", [case[0] for case in CASES])
def test_what_is_mutated_is_not_valid(name: str) -> None:
    (wanted,) = (case[2] for case in CASES if case[0] == name)
    for form in wanted:
        for member in form.keys() - {"toolwire", "raw", "closes", "error"}:
            assert not VALID.is_valid({**form, member: {"no": "thing"}}) or member == "arguments"
            rest = {key: value for key, value in form.items() if key != member}
            assert not VALID.is_valid(rest)


def test_the_page_shows_what_is_so() -> None:
    page = (ROOT / "docs" / "toolwire-wire.md").read_text(encoding="utf-8")
    example = page.split("```json-lines\n")[1].split("```")[0]
    lines = [json.loads(line) for line in example.splitlines()]
    assert all(VALID.is_valid(line) for line in lines)
    read = run([example.encode()])
    assert forms(read) == lines
