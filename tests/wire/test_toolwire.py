"""Our own wire, read back: the same events as were written, and calls that are never better than their text."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from support import WIRES, expected_records, feed, needs_shared, plain, recording, run, to_sse
from support.wires import SSE, Case, WireCases, to_lines

from toolwire import Encoder, Message, Stream, guards
from toolwire.events import Finish, MessageStart, Reset, StreamError, ToolCallEnd, ToolCallViolation, Warned
from toolwire.wire import WIRES as ALL
from toolwire.wire import load

if TYPE_CHECKING:
    from toolwire import Event

RECORDS = expected_records(*WIRES)

START = {"type": "message_start", "toolwire": 1, "id": "m", "model": "x", "wire": "gemini"}
A = {"id": "a", "index": 0, "choice": 0, "name": "f", "kind": "function"}


def start(**more: Any) -> dict[str, Any]:
    return {"type": "tool_call_start", **A, "vendor_id": "a", **more}


def delta(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_call_delta", **A, "text": text, **more}


def end(status: str, reason: str = "", **more: Any) -> dict[str, Any]:
    error = {"error": {"reason": reason, "message": "why", "offset": 3}} if reason else {}
    return {"type": "tool_call_end", **A, "vendor_id": "a", "status": status, **error, **more}


def finish(reason: str, *calls: str, raw: tuple[str, ...] = (), choice: int = 0) -> dict[str, Any]:
    return {"type": "finish", "choice": choice, "reason": reason, "raw": list(raw), "calls": list(calls)}


def failure(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "stream_error", "kind": kind, "message": "no", "code": "c", **more}


HEAD = ("message", "m", "x")
NAMELESS = "call 0 of choice 0 never got a name (id 'a', 0 characters of arguments)"
CALL = [("start", 0, "a", "f"), ("delta", 0, '{"x":1}')]
WHOLE = [start(), delta('{"x":1}')]
GOOD = ("end", 0, "complete", {"x": 1})


class TestCases(WireCases):
    wire = "toolwire"
    bodies: ClassVar = {**SSE, "lines": to_lines}
    words = ("function", "custom", "tool_calls", "cancelled", "complete", "reset", "rejected", "invalid", "turn")
    members = ("type", "id", "status", "reason", "error", "choice", "calls", "toolwire", "index")
    cases: ClassVar[list[Case]] = [
        (
            "a call",
            [START, *WHOLE, end("complete"), finish("tool_calls", "a", raw=("x", "y"))],
            [HEAD, *CALL, GOOD, ("finish", "tool_calls", "x", "y", ["a"])],
        ),
        (
            "text, refusal, reasoning",
            [
                START,
                {"type": "text_delta", "choice": 0, "text": "t"},
                {"type": "refusal_delta", "choice": 0, "text": "r"},
                {
                    "type": "reasoning_delta",
                    "choice": 0,
                    "text": "s",
                    "field": "f",
                    "signature": "g",
                    "extra": {"k": 1},
                },
                {"type": "usage", "input_tokens": 1, "output_tokens": None, "raw": {"n": 1}},
                finish("stop"),
            ],
            [
                HEAD,
                ("text", "t"),
                ("refusal", "r"),
                ("reasoning", "s", "f", "g", {"k": 1}),
                ("usage", 1, None),
                ("finish", "stop", []),
            ],
        ),
        (
            "an id that had to be made",
            [START, start(vendor_id=None), end("complete"), finish("tool_calls", "a")],
            [HEAD, ("start", 0, "a", "f"), ("end", 0, "complete", {}), ("finish", "tool_calls", ["a"])],
        ),
        (
            "an id that had to be made unique",
            [START, start(vendor_id="v"), end("complete"), finish("tool_calls", "a")],
            [HEAD, ("start", 0, ("a", "v"), "f"), ("end", 0, "complete", {}), ("finish", "tool_calls", [("a", "v")])],
        ),
        (
            "free text",
            [START, start(kind="custom"), delta("hey", kind="custom"), end("complete"), finish("tool_calls", "a")],
            [
                HEAD,
                ("start", 0, "a", "f", "custom"),
                ("delta", 0, "hey"),
                ("end", 0, "complete", "hey"),
                ("finish", "tool_calls", ["a"]),
            ],
        ),
        (
            "a name that came late",
            [START, start(id="b", index=1, vendor_id="b"), start(), *[end("complete")], finish("length")],
            [
                HEAD,
                ("start", 1, "b", "f"),
                ("start", 0, "a", "f"),
                ("end", 0, "complete", {}),
                ("end", 1, "incomplete", "cut"),
                ("finish", "length", []),
            ],
        ),
        (
            "a call that is called whole and isn't",
            [START, start(), delta('{"x":'), end("complete"), finish("tool_calls", "a")],
            [
                HEAD,
                ("start", 0, "a", "f"),
                ("delta", 0, '{"x":'),
                ("end", 0, "invalid", "truncated"),
                ("finish", "tool_calls", []),
            ],
        ),
        (
            "a whole call that is called incomplete",
            [START, *WHOLE, end("incomplete", "cut"), finish("tool_calls", "a")],
            [HEAD, *CALL, ("end", 0, "incomplete", "cut"), ("finish", "tool_calls", [])],
        ),
        (
            "a status that is none",
            [START, *WHOLE, end("splendid"), finish("tool_calls", "a")],
            [HEAD, *CALL, ("end", 0, "incomplete", "cut"), ("finish", "tool_calls", [])],
        ),
        (
            "a call that its tool refused",
            [START, *WHOLE, end("invalid", "schema"), finish("tool_calls")],
            [HEAD, *CALL, ("end", 0, "invalid", "schema"), ("finish", "tool_calls", [])],
        ),
        (
            "a call that was rejected",
            [START, *WHOLE, end("incomplete", "rejected"), finish("tool_calls")],
            [HEAD, *CALL, ("end", 0, "incomplete", "rejected"), ("finish", "tool_calls", [])],
        ),
        (
            "a whole call that isn't listed",
            [START, *WHOLE, end("complete"), finish("tool_calls")],
            [HEAD, *CALL, GOOD, ("finish", "tool_calls", [])],
        ),
        (
            "a listed call without its end",
            [START, *WHOLE, finish("length", "a")],
            [HEAD, *CALL, GOOD, ("finish", "length", [])],
        ),
        (
            "the end of bytes",
            [START, *WHOLE, end("complete")],
            [HEAD, *CALL, GOOD, ("finish", "incomplete", [])],
        ),
        (
            "an error",
            [START, *WHOLE, end("complete"), failure("overloaded", retryable=True), finish("error", raw=("e",))],
            [HEAD, *CALL, GOOD, ("error", "provider", "no", "c"), ("finish", "error", "e", [])],
        ),
        (
            "an abort",
            [START, failure("aborted"), finish("cancelled")],
            [HEAD, ("error", "aborted", "no", "c"), ("finish", "cancelled", [])],
        ),
        (
            "a provider's cancel",
            [START, finish("cancelled", raw=("USER_CANCEL",))],
            [HEAD, ("finish", "cancelled", "USER_CANCEL", [])],
        ),
        (
            "a contradiction",
            [START, *WHOLE, end("complete"), {"type": "reset", "calls": ["a"], "scope": "calls", "reason": "r"}],
            [HEAD, *CALL, ("end", 0, "invalid", "reset"), ("reset", "calls", ["a"]), ("finish", "incomplete", [])],
        ),
        (
            "a contradiction that the call's end knows",
            [
                START,
                *WHOLE,
                end("invalid", "reset"),
                {"type": "reset", "calls": ["a"], "scope": "calls", "reason": "r"},
            ],
            [HEAD, *CALL, ("end", 0, "invalid", "reset"), ("reset", "calls", ["a"]), ("finish", "incomplete", [])],
        ),
        (
            "a reset of an open call",
            [START, *WHOLE, {"type": "reset", "calls": ["a"], "scope": "calls", "reason": "r"}],
            [HEAD, *CALL, ("end", 0, "invalid", "reset"), ("reset", "calls", ["a"]), ("finish", "incomplete", [])],
        ),
        (
            "a reset of a call without a name",
            [
                START,
                start(name=""),
                end("complete"),
                {"type": "reset", "calls": ["a"], "scope": "calls", "reason": "r"},
                finish("length"),
            ],
            [HEAD, ("error", "protocol", NAMELESS, None), ("finish", "error", [])],
        ),
        (
            "a delta for a call that was reset",
            [START, *WHOLE, {"type": "reset", "calls": ["a"], "scope": "turn", "reason": "r"}, delta("x"), START],
            [
                HEAD,
                *CALL,
                ("end", 0, "incomplete", "reset"),
                ("reset", "turn", ["a"]),
                ("unknown", delta("x")),
                HEAD,
                ("finish", "incomplete", []),
            ],
        ),
        (
            "a call that the provider ran",
            [
                START,
                *WHOLE,
                end("complete"),
                {"type": "reset", "calls": ["a"], "scope": "calls", "reason": "r", "kinds": {"a": "mcp"}},
                finish("stop"),
            ],
            [HEAD, ("start", 0, "a", "f", "mcp"), CALL[1], GOOD, ("reset", "calls", ["a"]), ("finish", "stop", [])],
        ),
        (
            "a message begun anew",
            [
                START,
                *WHOLE,
                end("incomplete", "reset"),
                {"type": "reset", "calls": ["a"], "scope": "turn", "reason": "r"},
                START,
                {"type": "text_delta", "choice": 0, "text": "t"},
                finish("stop"),
            ],
            [
                HEAD,
                *CALL,
                ("end", 0, "incomplete", "reset"),
                ("reset", "turn", ["a"]),
                HEAD,
                ("text", "t"),
                ("finish", "stop", []),
            ],
        ),
        (
            "two choices",
            [START, {"type": "text_delta", "choice": 1, "text": "t"}, finish("stop"), finish("length", choice=1)],
            [HEAD, ("text", "#1", "t"), ("finish", "#1", "length", []), ("finish", "stop", [])],
        ),
        (
            "what is unknown",
            [
                START,
                {"type": "unknown", "event": "e", "payload": {"p": 1}},
                {"type": "novelty", "x": 1},
                delta("x", id="?"),
                finish("stop"),
            ],
            [
                HEAD,
                ("unknown", {"p": 1}, "e"),
                ("unknown", {"type": "novelty", "x": 1}),
                ("unknown", delta("x", id="?")),
                ("finish", "stop", []),
            ],
        ),
        (
            "another version",
            [{**START, "toolwire": 2}],
            [
                ("error", "protocol", "this is version 2 of our wire, and only 1 is known here", None),
                ("finish", "error", []),
            ],
        ),
        (
            "an error in the place of the stream",
            [{**START}, {"error": {"message": "no", "code": "c"}}],
            [HEAD, ("error", "provider", "no", "c"), ("finish", "error", [])],
        ),
    ]


def written(events: list[Event], **options: Any) -> bytes:
    encoder = Encoder("toolwire", **options)
    return b"".join([*map(encoder.feed, events), encoder.end()])


def piecewise(data: bytes, wire: str, size: int) -> tuple[list[Event], bytes]:
    """Events, and what is written of each as soon as it is there."""
    stream, encoder, out = Stream(wire), Encoder("toolwire"), b""
    events: list[Event] = []
    for at in range(0, len(data), size):
        fresh = stream.receive(data[at : at + size])
        out += b"".join(map(encoder.feed, fresh))
        events += fresh
        if stream.done:
            break
    fresh = stream.end()
    return events + fresh, out + b"".join(map(encoder.feed, fresh)) + encoder.end()


def details(events: list[Event]) -> list[Any]:
    """What `plain` leaves out."""
    found: list[Any] = []
    for event in events:
        if isinstance(event, ToolCallEnd):
            call = event.call
            repairs = [(repair.kind, repair.offset) for repair in call.repairs]
            found.append((call.id, call.vendor_id, call.kind, call.encoded, call.extra, call.executable, repairs))
            found.append(call.error and (call.error.reason, call.error.message, call.error.problems))
        elif isinstance(event, MessageStart):
            found.append(event.wire)
        elif isinstance(event, StreamError):
            found.append((event.status, event.retryable, event.retry_after, event.wire, event.offset, event.raw))
    return found


@needs_shared
def test_every_recording_comes_back_as_it_was() -> None:
    assert RECORDS
    for record in RECORDS:
        data = recording(record)
        whole = run([data], record["wire"])
        for events, out in ((whole, written(whole, framing="json-lines")), piecewise(data, record["wire"], 50)):
            stream = Stream()
            back = feed(stream, [out])
            assert (stream.wire, record["file"]) == ("toolwire", record["file"])
            assert plain(back) == plain(events), record["file"]
            assert details(back) == details(events), record["file"]


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def piece(index: int, text: str, id: str | None = None, name: str | None = None) -> dict[str, Any]:
    function = {"arguments": text} if name is None else {"name": name, "arguments": text}
    return chunk({"tool_calls": [{"index": index, **({"id": id} if id else {}), "function": function}]})


TOOLS = [{"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}}]
TEXTS = ['{"x":1}', '{"x":3.0}', '{"y":1}', '{"x":"q"}', '{"x":1', '{"x":1}{"x":2}', '{"x":1,"y":"a\nb"}', "[]", ""]


@pytest.mark.parametrize(("text", "name"), [*product(TEXTS, ["f", "nothing"])])
@pytest.mark.parametrize("reason", ["tool_calls", "length"])
@pytest.mark.parametrize("options", [{}, {"accept_repaired": False}, {"tools": TOOLS}], ids=str)
def test_verdicts_come_back(text: str, name: str, reason: str, options: dict[str, Any]) -> None:
    """Those too that the text can't show."""
    events = run([piece(0, text, "a", name), chunk({}, reason), "[DONE]"], "openai-chat", **options)
    back = run([written(events)])
    assert plain(back) == plain(events)
    assert details(back) == details(events)


def test_a_rejected_call_comes_back() -> None:
    for text in ('{"x":1', "{}"):
        stream = Stream("openai-chat")
        events = stream.receive_payload(piece(0, text, "a", "f"))
        stream.calls[0].reject("no")
        events += stream.pending() + stream.receive_payload(piece(1, "{}", "b", "g"))
        events += stream.receive_payload(chunk({}, "tool_calls")) + stream.end()
        back = run([written(events)])
        assert plain(back) == plain(events)
        assert [call.rejected for call in Message.of(back).calls] == [True, False]


@pytest.mark.parametrize("payloads", [[], [piece(0, '{"x":1', "a", "f")]], ids=len)
def test_an_abort_comes_back(payloads: list[Any]) -> None:
    stream = Stream("openai-chat")
    events = [event for payload in payloads for event in stream.receive_payload(payload)]
    events += stream.abort("enough")
    assert plain(run([written(events)])) == plain(events)


def test_a_restarted_message_comes_back() -> None:
    def block(index: int, id: str, text: str) -> list[Any]:
        tool = {"type": "tool_use", "id": id, "name": "f", "input": {}}
        return [
            {"type": "content_block_start", "index": index, "content_block": tool},
            {
                "type": "content_block_delta",
                "index": index,
                "delta": {"type": "input_json_delta", "partial_json": text},
            },
        ]

    head = {"type": "message_start", "message": {"id": "m", "content": []}}
    stop = {"type": "content_block_stop", "index": 0}
    over = [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}]
    payloads = [
        head,
        *block(0, "t", "{}"),
        stop,
        *block(1, "u", '{"a'),
        {**head, "message": {"id": "n", "content": []}},
    ]
    data = to_sse([*payloads, *block(0, "t", '{"b":1}'), stop, *over])
    for size in (1, 10_000):
        events, out = piecewise(data, "anthropic", size)
        assert any(isinstance(event, Reset) for event in events)
        back = run([out])
        assert plain(back) == plain(events)
        assert details(back) == details(events)


@pytest.mark.parametrize("reason", ["tool_calls", "length"])
def test_calls_without_a_name_keep_their_places(reason: str) -> None:
    payloads = [piece(0, '{"x"', "z"), piece(1, "{}", "b", "g"), chunk({}, reason)]
    events = run(payloads, "openai-chat")
    back = run([written(events)])
    # The error is about a call that no event tells of.
    assert [each[:4] for each in plain(back)] == [each[:4] for each in plain(events)]
    assert isinstance(back[-1], Finish)


def test_violations_and_warnings_come_back() -> None:
    def watch(event: Event, call: Any) -> Any:
        return guards.warn(event.type) if event.type in ("tool_call_start", "finish") else None

    payloads = [piece(0, '{"x":"q"}', "a", "f"), chunk({}, "tool_calls"), "[DONE]"]
    events = run(payloads, "openai-chat", tools=TOOLS, early_check=True, guards=[watch])
    back = run([written(events)])
    assert [event.type for event in back] == [event.type for event in events]
    for ours, theirs in zip(back, events, strict=True):
        if isinstance(ours, ToolCallViolation) and isinstance(theirs, ToolCallViolation):
            assert (ours.id, ours.path, ours.keyword, ours.message, ours.at) == (
                *(theirs.id, theirs.path, theirs.keyword),
                *(theirs.message, theirs.at),
            )
        if isinstance(ours, Warned) and isinstance(theirs, Warned):
            assert (ours.reason, ours.call and ours.call.id) == (theirs.reason, theirs.call and theirs.call.id)
    again = run([written(events)], tools=TOOLS, early_check=True)
    assert [event.type for event in again] == [event.type for event in events]


def test_half_a_pair_comes_back_in_its_place() -> None:
    items = [START, {"type": "text_delta", "choice": 0, "text": "\ud83d"}, *WHOLE, end("complete"), finish("stop")]
    events = run(items, "toolwire")
    assert [event.type for event in events][:3] == ["message_start", "text_delta", "tool_call_start"]


def test_where_bytes_are_framed_signs_of_life_are_none() -> None:
    body = to_lines([START, finish("stop")])
    first, second = body.splitlines(keepends=True)
    assert plain(run([b"\n", first, b"\n\n", second, b"\n"])) == plain(run([body]))
    sse = to_sse([START]) + b": keep-alive\n\n" + to_sse([finish("stop")])
    assert plain(run([sse])) == plain(run([body]))


def test_only_what_has_the_mark_is_recognised() -> None:
    for first in (
        START,
        {"type": "unknown", "toolwire": 1, "event": "", "payload": {}},
        {**failure("server"), "toolwire": 1},
    ):
        assert [name for name in ALL if load(name).recognises(first, "")] == ["toolwire"]
        unmarked = {key: value for key, value in first.items() if key != "toolwire"}
        assert not load("toolwire").recognises(unmarked, "")
    assert not load("toolwire").recognises({"toolwire": 1, "type": "novelty"}, "")
    assert not load("toolwire").recognises({"toolwire": True, "type": "finish"}, "")
