from __future__ import annotations

import json
import re
from base64 import b64decode
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_args

import botocore.session
import pytest
from anthropic.types import RawMessageStreamEvent
from botocore.eventstream import EventStream
from botocore.exceptions import EventStreamError
from botocore.parsers import EventStreamJSONParser
from pydantic import TypeAdapter
from support import byte_by_byte, merged, run, to_sse
from wire.encode.kit import (
    DONE,
    Payload,
    Step,
    args,
    at_all_cuts,
    body_of,
    ending,
    frames_of,
    opening,
    saying,
)
from wire.encode.test_anthropic import CASES, OWN_START, block, call, end, own_end, start, stop, text

from toolwire import Encoder
from toolwire.errors import UsageError
from toolwire.events import ErrorKind, StreamError
from toolwire.framing.writers import EventStreamWriter
from toolwire.wire.encode import encoder_for
from toolwire.wire.encode.errors import bedrock_exception

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.wire.encode.base import Frame

METRICS = "amazon-bedrock-invocationMetrics"
CUT_CALL = [saying("a"), opening(), args('{"x":')]


def unwrapped(frame: Frame) -> Payload:
    """What is in a chunk; an exception as it is."""
    event, payload = frame
    if event != "chunk":
        return {event: payload}
    assert payload.keys() == {"bytes"}
    said: Payload = json.loads(b64decode(payload["bytes"], validate=True))
    return said


def written(steps: Iterable[Step], wire: str = "openai-chat", **options: Any) -> list[Payload]:
    return [unwrapped(frame) for frame in frames_of(steps, wire, "bedrock-invoke", **options)]


def raised(name: str, message: str) -> Payload:
    return {f"exception:{name}": {"message": message}}


def measured(told: list[Payload], **metrics: int) -> list[Payload]:
    """A whole message, with Bedrock's counts."""
    return [*told[:-1], {"type": "message_stop", METRICS: metrics}]


# --- what is written -------------------------------------------------------------------------------------------


def test_frames() -> None:
    (first, *_, last) = frames_of([saying("a"), ending("stop"), DONE], "openai-chat", "bedrock-invoke")
    wrapped = b64decode(first[1]["bytes"])
    assert first[0] == "chunk"
    assert wrapped.startswith(b'{"type":"message_start","message":{"id":"c1",')
    assert last == ("chunk", {"bytes": "eyJ0eXBlIjoibWVzc2FnZV9zdG9wIn0="})


@pytest.mark.parametrize("name", CASES)
def test_what_is_inside_is_anthropic_s(name: str) -> None:
    """Save for errors, and for the counts behind the message."""
    steps = CASES[name][0]
    expected = [payload for _, payload in frames_of(steps, "openai-chat", "anthropic")]
    told = written(steps)
    if expected[-1]["type"] == "error":
        (exception,) = told[-1]
        assert re.fullmatch("exception:[a-zA-Z]+Exception", exception)
        assert told[-1][exception] == {"message": expected[-1]["error"]["message"]}
        assert told[:-1] == expected[:-1]
    else:
        counts = told[-1].pop(METRICS, None)
        assert (counts is not None) == name.startswith("usage")
        assert told == expected


@pytest.mark.parametrize("name", CASES)
def test_no_cut_of_the_bytes_shows(name: str) -> None:
    data = to_sse([step for step in CASES[name][0] if not callable(step)])
    whole, *others = at_all_cuts(data, "openai-chat", "bedrock-invoke", [[3, 50, 200], [97, 301, 302, 500]])
    for each in others:
        assert each == whole


def test_half_a_surrogate_pair() -> None:
    """JSON has it as an escape only."""
    assert written([saying("\ud83dx"), ending("stop"), DONE]) == [start(), *text(0, "\ud83dx"), *end("end_turn")]


@pytest.mark.parametrize(
    ("usage", "metrics"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 7}, {"inputTokenCount": 10, "outputTokenCount": 7}),
        (
            {"prompt_tokens": 10, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 4}},
            {"inputTokenCount": 6, "outputTokenCount": 7, "cacheReadInputTokenCount": 4},
        ),
        ({"completion_tokens": 7}, {"outputTokenCount": 7}),
        ({"prompt_tokens": 10}, {"inputTokenCount": 10}),
        ({"total_tokens": 10}, None),
    ],
)
def test_bedrock_s_counts(usage: Payload, metrics: Payload | None) -> None:
    """As far as they are known. Times aren't."""
    told = written([saying("a"), ending("stop"), {"choices": [], "usage": usage}, DONE])
    assert told[-1] == {"type": "message_stop", **({METRICS: metrics} if metrics else {})}


# --- options and ends ------------------------------------------------------------------------------------------


def test_a_cut_call_can_be_told_by_the_reason_alone() -> None:
    assert written([*CUT_CALL, ending("length"), DONE], fail_on_cut=False) == [
        start(),
        *text(0, "a"),
        *call(1, '{"x":', ended=False),
        *end("max_tokens"),
    ]


def test_id_and_model_can_be_given() -> None:
    assert written([saying("a")], model="mine", message_id="msg_mine")[0] == start("msg_mine", "mine")
    with pytest.raises(UsageError, match="usage= is no option of bedrock-invoke"):
        encoder_for("bedrock-invoke", {"usage": True})


def test_frames_are_binary_and_there_is_no_sign_of_life() -> None:
    encoder = Encoder("bedrock-invoke", keep_alive=1)
    encoder.start(0.0)
    assert encoder.media_type == "application/vnd.amazon.eventstream"
    assert encoder.deadline() is None
    assert encoder.tick(100.0) == b""


def test_the_body_breaks_off_behind_an_error() -> None:
    encoder = encoder_for("bedrock-invoke", {})
    assert not encoder.aborts
    exception = "exception:modelStreamErrorException"
    assert encoder.end() == [(exception, {"message": "the events ended before their turn did"})]
    assert encoder.aborts
    assert encoder.end() == []


def test_an_error_behind_the_start_alone() -> None:
    """The message had begun."""
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    assert written([OWN_START, error], "anthropic") == [start(), raised("serviceUnavailableException", "busy")]
    assert written([error], "anthropic") == [raised("serviceUnavailableException", "busy")]


# --- streams that are Anthropic's ------------------------------------------------------------------------------

CALLER = {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}
RESULT = block(1, "web_search_tool_result", tool_use_id="srvtoolu_1", content=[])

CLAUDE: list[Payload] = [
    OWN_START,
    *text(0, "a"),
    RESULT,
    stop(1),
    *call(2, '{"x":1}', caller=CALLER),
    {"type": "vendor_event", "x": 1},
]


@pytest.mark.parametrize("wire", ["anthropic", "bedrock-invoke"])
def test_what_is_of_anthropic_is_kept(wire: str) -> None:
    """Fields of calls, results of server tools, events that nobody knows."""
    assert written([*CLAUDE, *own_end("tool_use")], wire) == [start(), *CLAUDE[1:], *end("tool_use")]


def test_the_counts_of_an_anthropic_stream() -> None:
    steps = [OWN_START, *text(0, "a"), *own_end(input_tokens=3, output_tokens=9, service_tier="standard")]
    assert written(steps, "anthropic") == measured(
        [start(), *text(0, "a"), *end("end_turn", input_tokens=3, output_tokens=9, service_tier="standard")],
        inputTokenCount=3,
        outputTokenCount=9,
    )


def test_the_counts_of_a_bedrock_stream() -> None:
    """Claude's and Bedrock's own, which can differ."""
    metrics = {"inputTokenCount": 4, "outputTokenCount": 8, "invocationLatency": 9, "firstByteLatency": 2}
    steps = [OWN_START, *text(0, "a"), *measured(own_end(input_tokens=3, output_tokens=9), **metrics)]
    assert written(steps, "bedrock-invoke") == measured(
        [start(), *text(0, "a"), *end("end_turn", input_tokens=3, output_tokens=9)], **metrics
    )


def test_the_counts_of_another_model_on_bedrock() -> None:
    metrics = {"inputTokenCount": 4, "outputTokenCount": 8, "invocationLatency": 9, "firstByteLatency": 2}
    usage = {"inputTokens": 4, "outputTokens": 8}
    nova = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "a"}}},
        {"messageStop": {"stopReason": "end_turn"}},
        {"metadata": {"usage": usage, "metrics": {}, "trace": {"x": 1}}, METRICS: metrics},
    ]
    assert written(nova, "bedrock-invoke", message_id="c1", model="m") == measured(
        [start(), *text(0, "a"), *end("end_turn", input_tokens=4, output_tokens=8)], **metrics
    )


def test_ids_are_in_anthropic_s_characters() -> None:
    told = written([opening(id="functions.f:0", arguments="{}"), ending(), DONE])
    assert told[1]["content_block"]["id"] == "tw_ZnVuY3Rpb25zLmY6MA"


def test_what_is_written_reads_as_before() -> None:
    steps = [*CLAUDE[:-1], *own_end("tool_use", input_tokens=3, output_tokens=9)]
    frames = frames_of(steps, "anthropic", "bedrock-invoke")
    again = [event for event in merged(run(frames, "bedrock-invoke")) if event[0] != "usage"]
    assert again == [event for event in merged(run(steps, "anthropic")) if event[0] != "usage"]


# --- the official clients --------------------------------------------------------------------------------------

SHAPE = (
    botocore.session.get_session()
    .get_service_model("bedrock-runtime")
    .operation_model("InvokeModelWithResponseStream")
    .get_event_stream_output()
)
CLAUDES = TypeAdapter[Any](RawMessageStreamEvent)


def read_by_client(pieces: list[bytes]) -> Any:
    raw = SimpleNamespace(stream=lambda: iter(pieces), close=lambda: None)
    return EventStream(raw, SHAPE, EventStreamJSONParser(), "InvokeModelWithResponseStream")


WELL = [name for name, (steps, _) in CASES.items() if written(steps)[-1].get("type") == "message_stop"]


@pytest.mark.parametrize("name", WELL)
def test_the_client_reads_what_was_said(name: str) -> None:
    body = body_of(CASES[name][0], "openai-chat", "bedrock-invoke")
    read = [json.loads(event["chunk"]["bytes"]) for event in read_by_client([body])]
    assert read == written(CASES[name][0])
    assert [json.loads(event["chunk"]["bytes"]) for event in read_by_client(byte_by_byte(body))] == read
    for payload in read:
        if name != "an end that nobody knows":
            CLAUDES.validate_python(payload)


@pytest.mark.parametrize("name", [name for name in CASES if name not in WELL])
def test_the_client_raises(name: str) -> None:
    """Behind everything that came before."""
    frames = frames_of(CASES[name][0], "openai-chat", "bedrock-invoke")
    *before, last = map(unwrapped, frames)
    stream = iter(read_by_client([EventStreamWriter().write(frames)]))
    assert [json.loads(next(stream)["chunk"]["bytes"]) for _ in before] == before
    with pytest.raises(EventStreamError) as caught:
        next(stream)
    error = caught.value.response["Error"]
    assert raised(error["Code"], error["Message"]) == last


@pytest.mark.parametrize("kind", get_args(ErrorKind))
def test_the_client_knows_every_exception(kind: ErrorKind) -> None:
    encoder = Encoder("bedrock-invoke")
    error = StreamError(kind, "why")
    body = encoder.feed(error) + encoder.end()
    with pytest.raises(EventStreamError, match="why") as caught:
        list(read_by_client([body]))
    assert caught.value.response["Error"]["Code"] == bedrock_exception(error, invoke=True)
    assert caught.value.response["Error"]["Code"] in SHAPE.members
