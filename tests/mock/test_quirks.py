"""Each quirk of the mock provider, and what the decoders make of it: the table behind docs/mock-quirks.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from support import run

from toolwire import Message, UsageError
from toolwire.events import Reset
from toolwire.framing.writers import WRITERS
from toolwire.mock.answer import Answer, Call, Reasoning, Text, events_of
from toolwire.mock.quirks import MODULES, Quirk, bend, quirks_of
from toolwire.wire.encode import encoder_for, takes

if TYPE_CHECKING:
    from toolwire import Event
    from toolwire.wire.encode.base import Frame

TEXT = "Let me look."
ARGUMENTS: dict[str, Any] = {
    "get_weather": {"city": "Zürich", "days": 3},
    "find": {"q": "rain"},
    "now": {},
}


@dataclass(frozen=True)
class Row:
    """What comes of a quirk, on an answer of text and two calls.

    `calls`: the status of each, behind "/" its repair or why it can't be used. `empty`: a third call has no arguments.
    `names`: of the calls that are seen; `runs`: of those that may be run, None for all that are whole.
    `vendor_ids`: where they aren't the answer's own. `given`: the answer says its ids. `sizes`: characters per delta.
    `pending`: what the decoder does instead, so far.
    """

    wire: str
    quirk: str
    calls: str = "complete complete"
    finish: str = "tool_calls"
    error: str | None = None
    code: str | None = None
    empty: bool = False
    names: tuple[str, ...] = ("get_weather", "find", "now")
    runs: tuple[str, ...] | None = None
    values: dict[str, Any] = field(default_factory=dict)
    vendor_ids: tuple[str | None, ...] | None = None
    text: str = TEXT
    reasoning: str = ""
    extra: dict[str, Any] = field(default_factory=dict)
    raw: tuple[str, ...] | None = None
    usage: tuple[int, int] | None = (42, 17)
    reset: tuple[str, ...] = ()
    given: bool = False
    sizes: tuple[int, ...] = (3, 12, 1000)
    note: str = ""
    pending: str = ""

    @property
    def statuses(self) -> list[tuple[str, str, str]]:
        """Each call's name, status and reason."""
        said = [each.partition("/") for each in self.calls.split()]
        return [(name, status, reason) for name, (status, _, reason) in zip(self.names, said, strict=False)]

    @property
    def running(self) -> tuple[str, ...]:
        """The names of the calls that may be run."""
        if self.runs is not None:
            return self.runs
        whole = tuple(name for name, status, _ in self.statuses if status in ("complete", "repaired"))
        return whole if self.finish == "tool_calls" else ()


def _healed(wire: str, *names: str, **fields: Any) -> tuple[Row, ...]:
    """Quirks that do no harm."""
    return tuple(Row(wire, name, **fields) for name in names)


def _failed(wire: str, *names: str, error: str, code: str | None, **fields: Any) -> tuple[Row, ...]:
    """Errors in the middle of the first call."""
    fields = {"calls": "incomplete/cut", "usage": None, **fields}
    return tuple(Row(wire, name, finish="error", error=error, code=code, **fields) for name in names)


_RAW_CONTROL: dict[str, Any] = {
    "calls": "repaired/raw_control repaired/raw_control",
    "values": {"get_weather": {"city": "Zürich\n", "days": 3}, "find": {"q": "rain\n"}},
}
_NO_ARGUMENTS: dict[str, Any] = {"calls": "complete complete complete", "empty": True}
_SIGNED = {"thoughtSignature": "c2lnbmF0dXJl"}

ROWS: tuple[Row, ...] = (
    *_healed(
        "openai-chat",
        "index-missing",
        "index-reused",
        "index-minus-1",
        "index-from-1",
        "id-empty",
        "id-null",
        "id-null-word",
        "id-repeated",
        "id-rotating",
        "type-missing",
        "name-late",
        "name-empty",
        "name-repeated",
        "name-in-pieces",
        "interleaved",
        "arguments-null",
        "arguments-absent",
        "arguments-null-behind",
        "function-empty",
        "whole-calls",
        "one-delta",
        "arguments-object",
        "finish-empty",
        "finish-absent",
        "done-missing",
        "usage-on-every-chunk",
        "usage-in-choice",
        "content-empty",
        "role-on-every-chunk",
        "message-beside-delta",
        "filter-chunks",
        raw=("tool_calls",),
    ),
    Row("openai-chat", "fragments-together", sizes=(3, 12)),
    Row("openai-chat", "id-shared", vendor_ids=("0", "0"), note="the second call gets an id of its own"),
    Row("openai-chat", "id-never", vendor_ids=(None, None), note="ids are made up"),
    Row(
        "openai-chat",
        "name-never",
        calls="complete",
        names=("find",),
        finish="error",
        error="protocol",
        raw=("tool_calls",),
        note="the call without a name never begins, and fails its turn",
    ),
    Row("openai-chat", "extra-content", extra={"extra_content": {"google": {"thought_signature": "c2lnbmF0dXJl"}}}),
    Row("openai-chat", "arguments-repeated", calls="repaired/resend repaired/resend"),
    Row("openai-chat", "arguments-cumulative", calls="repaired/resend repaired/resend", sizes=tuple(range(1, 12))),
    Row("openai-chat", "trailing-braces", calls="repaired/trailing_junk repaired/trailing_junk"),
    Row("openai-chat", "trailing-junk", calls="repaired/trailing_junk repaired/trailing_junk"),
    Row("openai-chat", "arguments-double-encoded", calls="repaired/double_encoded repaired/double_encoded"),
    *_healed("openai-chat", "arguments-empty", "arguments-null-word", **_NO_ARGUMENTS),
    Row("openai-chat", "two-objects", calls="invalid/concatenated"),
    Row(
        "openai-chat",
        "function-call",
        calls="complete",
        vendor_ids=(None,),
        raw=("function_call",),
        note="its id is made up",
    ),
    Row("openai-chat", "cut-unsaid", calls="complete invalid/truncated", raw=("tool_calls",)),
    Row("openai-chat", "cut-native", calls="complete incomplete/cut", finish="length", raw=("tool_calls",)),
    Row("openai-chat", "finish-missing", raw=(), note="`[DONE]` ends the turn well"),
    Row("openai-chat", "finish-stop", raw=("stop",)),
    Row("openai-chat", "finish-twice", raw=("tool_calls", "tool_calls")),
    Row("openai-chat", "finish-then-stop", raw=("tool_calls", "stop")),
    Row("openai-chat", "finish-per-call", raw=("tool_calls", "tool_calls")),
    Row("openai-chat", "end-missing", finish="incomplete", raw=()),
    Row("openai-chat", "usage-missing", usage=None),
    Row("openai-chat", "text-behind", text=f"{TEXT}\n"),
    *_failed("openai-chat", "error-finish", error="server", code="502", raw=("error",)),
    *_failed("openai-chat", "error-event", error="server", code="tool_use_failed"),
    *_failed("openai-chat", "error-alone", error="server", code="server_error"),
    *_healed(
        "anthropic",
        "input-in-start",
        "first-delta-empty",
        "message-start-twice",
        "index-missing",
        "block-stop-missing",
        "block-start-repeated",
        "message-stop-missing",
        "ping-flood",
        "done-behind",
        "padding",
        raw=("tool_use",),
    ),
    Row("anthropic", "input-empty", **_NO_ARGUMENTS),
    Row("anthropic", "eager-raw-control", **_RAW_CONTROL),
    Row("anthropic", "eager-cut", calls="invalid/truncated complete"),
    Row("anthropic", "eager-malformed", calls="invalid/malformed complete"),
    Row(
        "anthropic",
        "message-restart",
        reset=("get_weather",),
        note="a `Reset` makes the first call of before void, and those of the second message run",
    ),
    Row("anthropic", "stop-end-turn", raw=("end_turn",)),
    Row("anthropic", "stop-reason-missing", raw=(), note="`message_stop` ends the turn well"),
    Row("anthropic", "end-missing", finish="incomplete", raw=()),
    *_failed("anthropic", "error", error="overloaded", code="overloaded_error"),
    Row("anthropic", "done-only", calls="", finish="incomplete", text="", usage=None),
    Row("anthropic", "caller", extra={"caller": {"type": "direct"}}),
    *_healed(
        "openai-responses",
        "deltas-missing",
        "arguments-in-item",
        "calls-in-response",
        "items-overlap",
        "item-ids-rotating",
        "item-ids-empty",
        "type-missing",
        "event-missing",
        "output-empty",
        "arguments-object",
        "sequence-missing",
        "item-in-progress",
        "done-behind",
    ),
    Row("openai-responses", "one-delta", sizes=(3, 12)),
    Row("openai-responses", "copies-differ", calls="invalid/snapshot_mismatch complete"),
    Row("openai-responses", "final-missing", finish="incomplete", usage=None),
    *_failed("openai-responses", "error-nested", error="server", code="server_error", raw=("failed",)),
    *_failed("openai-responses", "error-flat", error="server", code="server_error"),
    *_healed(
        "gemini",
        "calls-in-one-chunk",
        "call-in-two-parts",
        "finish-with-call",
        "finish-alone",
        "finish-message",
        "signature-behind",
        "usage-on-every-chunk",
        "partial-single",
        "partial-name-repeated",
        "partial-last-text",
        raw=("STOP",),
    ),
    *_healed(
        "gemini",
        "args-missing",
        "partial-end-empty",
        "partial-end-false",
        "partial-end-unsaid",
        "partial-end-next",
        raw=("STOP",),
        **_NO_ARGUMENTS,
    ),
    Row("gemini", "ids", vendor_ids=("a0000000", "b0000001")),
    Row("gemini", "ids-missing", given=True, vendor_ids=(None, None), note="ids are made up"),
    Row("gemini", "signature-first", extra=_SIGNED),
    Row("gemini", "text-behind", text=f"{TEXT}There.", raw=("STOP", "STOP")),
    Row(
        "gemini",
        "malformed-function-call",
        calls="",
        finish="error",
        error="server",
        code="MALFORMED_FUNCTION_CALL",
        raw=("MALFORMED_FUNCTION_CALL",),
    ),
    *_failed("gemini", "error", error="overloaded", code="UNAVAILABLE", calls="complete"),
    Row("gemini", "partial-end-stream", calls="complete invalid/truncated", raw=("STOP",)),
    *_healed(
        "bedrock-converse",
        "block-stop-missing",
        "metadata-first",
        "first-delta-empty",
        "input-pretty",
        "padding",
        raw=("tool_use",),
    ),
    *_failed("bedrock-converse", "throttling", error="rate_limit", code="throttlingException"),
    *_failed("bedrock-converse", "model-stream-error", error="server", code="modelStreamErrorException"),
    *_failed("bedrock-converse", "internal-server", error="server", code="internalServerException"),
    Row(
        "bedrock-converse",
        "name-missing",
        calls="complete",
        names=("find",),
        finish="error",
        error="protocol",
        note="the call without a name never begins, and fails its turn",
    ),
    Row(
        "bedrock-converse",
        "start-missing",
        calls="complete",
        names=("find",),
        finish="error",
        error="protocol",
        note="the call without a start never gets a name, and fails its turn",
        pending="what came for it is passed on as unknown, and `find` runs",
    ),
    Row("bedrock-converse", "metadata-missing", usage=None),
    Row("bedrock-converse", "message-stop-missing", finish="incomplete", usage=None),
    Row("bedrock-converse", "input-empty", **_NO_ARGUMENTS),
    Row(
        "bedrock-converse",
        "malformed-tool-use",
        finish="error",
        error="server",
        code="malformed_tool_use",
        raw=("malformed_tool_use",),
    ),
    *_healed("bedrock-invoke", "input-in-start", "first-delta-empty", "metrics-missing", "padding"),
    *_failed("bedrock-invoke", "throttling", error="rate_limit", code="throttlingException"),
    *_failed("bedrock-invoke", "model-stream-error", error="server", code="modelStreamErrorException"),
    *_failed("bedrock-invoke", "internal-server", error="server", code="internalServerException"),
    Row("bedrock-invoke", "eager-raw-control", **_RAW_CONTROL),
    Row("bedrock-invoke", "eager-cut", calls="invalid/truncated complete"),
    Row("bedrock-invoke", "eager-malformed", calls="invalid/malformed complete"),
    Row("bedrock-invoke", "input-empty", **_NO_ARGUMENTS),
    Row("bedrock-invoke", "end-missing", finish="incomplete", raw=()),
    *_healed("cohere", "type-missing", "arguments-pretty", raw=("TOOL_CALL",)),
    Row("cohere", "tool-plan", text="", reasoning=TEXT, note="the plan is reasoning"),
    Row("cohere", "arguments-missing", **_NO_ARGUMENTS),
    Row("cohere", "id-of-name", vendor_ids=("get_weather_000000000000", "find_000000000001")),
    *_failed("cohere", "error-end", error="server", code="ERROR", raw=("ERROR",)),
    Row("cohere", "end-missing", finish="incomplete", usage=None),
    *_healed(
        "ollama",
        "index-from-second",
        "arguments-text",
        "arguments-reordered",
        "calls-in-one-line",
        "calls-in-done-line",
        raw=("stop",),
    ),
    Row("ollama", "id-missing", vendor_ids=(None, None), note="ids are made up"),
    Row("ollama", "arguments-missing", **_NO_ARGUMENTS),
    Row(
        "ollama",
        "calls-repeated",
        note="a call that comes again with its id is the same call",
    ),
    Row("ollama", "done-reason-missing", raw=(), note="`done` ends the turn well"),
    Row("ollama", "done-missing", finish="incomplete", usage=None),
    *_failed("ollama", "error", error="server", code=None, calls="complete"),
)

# The wires on which the mock's counts reach the client.
_COUNTED = ("openai-chat", "openai-responses", "bedrock-converse")


def quirks() -> list[tuple[str, str, Quirk]]:
    """All quirks, as their modules list them."""
    return [(wire, name, each) for wire in MODULES for name, each in quirks_of(wire).items()]


def _answer(row: Row, size: int) -> Answer:
    names = list(ARGUMENTS)[: 3 if row.empty else 2]
    calls = [Call(name, ARGUMENTS[name], id=f"given_{name}" if row.given else None) for name in names]
    return Answer((Text(TEXT), *calls), size=size)


def _frames(wire: str, answer: Answer, *, partial_args: bool = False) -> list[Frame]:
    """The frames of an answer, as the mock has them written."""
    options = {"message_id": "m1", "created": 1, "partial_args": partial_args, "fail_on_cut": False}
    encoder = encoder_for(wire, {name: value for name, value in options.items() if takes(wire, name)})
    events, _ = events_of(answer, wire, model="mock", seed=1)
    return [frame for event in events for frame in encoder.feed(event)] + encoder.end()


def _written(wire: str, frames: list[Frame]) -> bytes:
    writer = WRITERS[encoder_for(wire, {}).framing]()
    return writer.write(frames) + writer.end()


def _decoded(wire: str, frames: list[Frame], piece: int = 0) -> list[Event]:
    """The events of frames, in their legal order. `piece`: bytes at a time, 0 for all."""
    data = _written(wire, frames)
    step = piece or max(1, len(data))
    return run([data[start : start + step] for start in range(0, len(data), step)], wire)


def _params() -> list[Any]:
    return [
        pytest.param(
            row,
            size,
            id=f"{row.wire} {row.quirk} {size}",
            marks=pytest.mark.xfail(strict=True, reason=row.pending) if row.pending else (),
        )
        for row in ROWS
        for size in row.sizes
    ]


@pytest.mark.parametrize(("row", "size"), _params())
def test_what_comes_of_a_quirk(row: Row, size: int) -> None:
    wire = row.wire
    frames = _frames(wire, _answer(row, size), partial_args=row.quirk.startswith("partial-"))
    before = repr(frames)
    clean = Message.of(_decoded(wire, frames))
    bent = bend(wire, frames, (row.quirk,))
    assert repr(frames) == before
    assert (repr(bent) == before) == (row.quirk == "partial-end-empty")

    events = _decoded(wire, bent)
    message = Message.of(events)
    calls = message.calls
    repairs = [{repair.kind for repair in call.repairs} for call in calls]
    reasons = ["" if call.error is None else call.error.reason for call in calls]
    seen = [
        (call.name, call.status, reason or "".join(kinds))
        for call, reason, kinds in zip(calls, reasons, repairs, strict=True)
    ]
    assert seen == row.statuses
    assert message.finish == row.finish
    assert [call.name for call in message.executable] == list(row.running)
    for call in message.executable:
        assert call.arguments == row.values.get(call.name, ARGUMENTS[call.name])
    assert (None if message.error is None else message.error.kind) == row.error
    assert (None if message.error is None else message.error.code) == row.code
    assert message.text == row.text
    assert message.choices[0].reasoning == row.reasoning
    ids = [call.id for call in calls]
    assert all(ids)
    assert len(set(ids)) == len(ids)
    own = {call.name: call.vendor_id for call in clean.calls}
    expected = [own[call.name] for call in calls] if row.vendor_ids is None else list(row.vendor_ids)
    assert [call.vendor_id for call in calls] == expected
    if row.raw is not None:
        assert message.choices[0].finish_raw == row.raw
    if row.extra:
        assert calls[0].extra == row.extra
    if wire in _COUNTED:
        usage = message.usage
        assert (None if usage is None else (usage.input_tokens, usage.output_tokens)) == row.usage
    resets = [event for event in events if isinstance(event, Reset)]
    assert [tuple(call.name for call in event.calls) for event in resets] == ([row.reset] if row.reset else [])

    other = Message.of(_decoded(wire, bent, 7)).calls  # the same, however the bytes are cut
    assert [(call.name, call.status, call.executable) for call in other] == [
        (call.name, call.status, call.executable) for call in calls
    ]


def test_every_quirk_has_its_row() -> None:
    rows = [(row.wire, row.quirk) for row in ROWS]
    assert len(set(rows)) == len(rows)
    assert set(rows) == {(wire, name) for wire, name, _ in quirks()}
    for _, name, each in quirks():
        assert name == name.lower().strip()
        assert each.does
        assert each.seen


_ODD_ANSWERS = {
    "nothing": Answer(),
    "text": Answer((Text(TEXT),), usage=None),
    "calls alone": Answer((Call("find", {"q": "rain"}), Call("find", {"q": "snow"}))),
    "text behind": Answer((Call("now"), Text(TEXT))),
    "no JSON": Answer((Call("find", '{"q": rain'), Call("now", "")), size=1),
    "an array": Answer((Call("find", "[1, 2]"),)),
    "free text": Answer((Call("note", "some words", kind="custom"), Call("now"))),
    "thoughts": Answer((Reasoning("Hm.", "c2ln"), Text(TEXT), Call("find", {"q": [{"r": None}, "", 1.5]})), size=2),
    "in turns": Answer((Call("find", {"q": "rain"}), Call("get_weather", {"city": "Bern"})), size=2, interleave=True),
    "cut": Answer((Text(TEXT), Call("find", {"q": "rain"})), finish="length"),
    "filtered": Answer((Text(TEXT),), finish="content_filter"),
    "failed": Answer((Call("find", {"q": "rain"}),), finish="error"),
}


@pytest.mark.parametrize("wire", MODULES)
@pytest.mark.parametrize("answer", _ODD_ANSWERS.values(), ids=_ODD_ANSWERS)
def test_any_answer_can_be_bent(wire: str, answer: Answer) -> None:
    """And is decoded to events in their legal order, whatever they say."""
    for name in quirks_of(wire):
        frames = _frames(wire, answer, partial_args=name.startswith("partial-"))
        before = repr(frames)
        _decoded(wire, bend(wire, frames, (name,)))
        assert repr(frames) == before


@pytest.mark.parametrize("wire", MODULES)
def test_quirks_can_be_combined(wire: str) -> None:
    """Any two, in either order."""
    answer = Answer((Text(TEXT), Call("get_weather", ARGUMENTS["get_weather"]), Call("now")))
    for partial_args in (False, True) if wire == "gemini" else (False,):
        frames = _frames(wire, answer, partial_args=partial_args)
        for names in permutations(quirks_of(wire), 2):
            _decoded(wire, bend(wire, frames, names))


def test_a_quirk_that_there_is_not() -> None:
    with pytest.raises(UsageError, match=r"^ollama has no quirk 'index-missing', but id-missing, index-from-second, "):
        bend("ollama", [], ("index-missing",))
    with pytest.raises(UsageError, match=r"^ag-ui has no quirk 'ids', but none$"):
        bend("ag-ui", [], ("ids",))


def test_the_page_is_up_to_date() -> None:
    """If not: `PYTHONPATH=tests python tests/mock/quirks_page.py`."""
    from mock.quirks_page import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == page()
