from __future__ import annotations

from base64 import b64decode, b64encode
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_args

import botocore.session
import pytest
from botocore.eventstream import EventStream
from botocore.exceptions import EventStreamError
from botocore.parsers import EventStreamJSONParser
from botocore.validate import ParamValidator
from support import byte_by_byte, merged, run, to_sse
from wire.encode.kit import (
    DONE,
    Payload,
    Step,
    abort,
    args,
    at_all_cuts,
    body_of,
    chunk,
    custom,
    custom_text,
    ending,
    frames_of,
    opening,
    reject,
    saying,
)

from toolwire import Encoder
from toolwire.errors import UsageError
from toolwire.events import ErrorKind, StreamError
from toolwire.framing.writers import EventStreamWriter
from toolwire.wire.encode import encoder_for
from toolwire.wire.encode.errors import bedrock_exception

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.wire.encode.base import Frame

# --- what is written -------------------------------------------------------------------------------------------

START: Frame = ("messageStart", {"role": "assistant"})


def begun(index: int, **start: Any) -> Frame:
    return ("contentBlockStart", {"contentBlockIndex": index, "start": start})


def delta(index: int, **delta: Any) -> Frame:
    return ("contentBlockDelta", {"contentBlockIndex": index, "delta": delta})


def stop(index: int) -> Frame:
    return ("contentBlockStop", {"contentBlockIndex": index})


def text(index: int, *pieces: str, ended: bool = True) -> list[Frame]:
    return [*(delta(index, text=piece) for piece in pieces), *([stop(index)] if ended else [])]


def call(index: int, *pieces: str, ended: bool = True, id: str = "a1", name: str = "f", **fields: Any) -> list[Frame]:
    said = [delta(index, toolUse={"input": piece}) for piece in pieces]
    start = begun(index, toolUse={"toolUseId": id, "name": name, **fields})
    return [start, *said, *([stop(index)] if ended else [])]


def thinking(index: int, *pieces: str, signature: str = "") -> list[Frame]:
    said = [delta(index, reasoningContent={"text": piece}) for piece in pieces]
    signed = [delta(index, reasoningContent={"signature": signature})] if signature else []
    return [*said, *signed, stop(index)]


def redacted(index: int, data: str) -> list[Frame]:
    return [delta(index, reasoningContent={"redactedContent": data}), stop(index)]


def end(reason: str, **usage: Any) -> list[Frame]:
    stop: Frame = ("messageStop", {"stopReason": reason})
    return [stop, ("metadata", {"usage": usage, "metrics": {"latencyMs": 0}})] if usage else [stop]


def raised(name: str, message: str) -> Frame:
    return (f"exception:{name}", {"message": message})


def written(steps: Iterable[Step], wire: str = "openai-chat", **options: Any) -> list[Frame]:
    return frames_of(steps, wire, "bedrock-converse", **options)


def sealed(**detail: Any) -> Payload:
    return chunk({"reasoning_details": [detail]})


USAGE = {"prompt_tokens": 10, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 4}}
CUT_CALL = [saying("a"), opening(), args('{"x":')]
HALF = [*text(0, "a"), *call(1, '{"x":', ended=False)]
STREAM_ERROR = "modelStreamErrorException"

CASES: dict[str, tuple[list[Step], list[Frame]]] = {
    "text": ([saying("a"), saying("b"), ending("stop"), DONE], [*text(0, "a", "b"), *end("end_turn")]),
    "nothing": ([chunk({"role": "assistant"}), ending("stop"), DONE], end("end_turn")),
    "one call": (
        [opening(), args('{"x":'), args("1}"), ending(), DONE],
        [*call(0, '{"x":', "1}"), *end("tool_use")],
    ),
    "two calls": (
        [opening(), args('{"x":1}'), opening(1, "b1", "g"), args("{}", 1), ending(), DONE],
        [*call(0, '{"x":1}'), *call(1, "{}", id="b1", name="g"), *end("tool_use")],
    ),
    "two calls that interleave": (
        [
            opening(),
            opening(1, "b1", "g"),
            *(args(each, n) for each in ('{"x":', "1}") for n in (1, 0)),
            ending(),
            DONE,
        ],
        [*call(0, '{"x":', "1}"), *call(1, '{"x":', "1}", id="b1", name="g"), *end("tool_use")],
    ),
    "text between calls that interleave": (
        [opening(), args('{"x":'), saying("a"), opening(1, "b1", "g", "{}"), saying("b"), args("1}"), ending(), DONE],
        [
            *call(0, '{"x":', "1}"),
            *text(1, "a"),
            *call(2, "{}", id="b1", name="g"),
            *text(3, "b"),
            *end("tool_use"),
        ],
    ),
    "no arguments": ([opening(), ending(), DONE], [*call(0, "{}"), *end("tool_use")]),
    "null for no arguments": ([opening(), args(" nu"), args("ll"), ending(), DONE], [*call(0, "{}"), *end("tool_use")]),
    "text around a call": (
        [saying("a"), opening(), args("{}"), saying("b"), ending(), DONE],
        [*text(0, "a"), *call(1, "{}"), *text(2, "b"), *end("tool_use")],
    ),
    "an id in the wire's characters": (
        [opening(id="functions.f:0"), args("{}"), ending(), DONE],
        [*call(0, "{}", id="functions.f:0"), *end("tool_use")],
    ),
    "an id in other characters": (
        [opening(id="a/b"), args("{}"), ending(), DONE],
        [*call(0, "{}", id="tw_YS9i"), *end("tool_use")],
    ),
    "a long id": (
        [opening(id="x" * 80), args("{}"), ending(), DONE],
        [*call(0, "{}", id="x" * 80), *end("tool_use")],
    ),
    "a refusal": (
        [saying("a"), chunk({"refusal": "no"}), chunk({"refusal": "!"}), ending("stop"), DONE],
        [*text(0, "a"), *text(1, "no", "!"), *end("end_turn")],
    ),
    "reasoning": (
        [chunk({"reasoning_content": "h"}), chunk({"reasoning_content": "m"}), saying("a"), ending("stop"), DONE],
        [*thinking(0, "h", "m"), *text(1, "a"), *end("end_turn")],
    ),
    "reasoning with signatures": (
        [
            sealed(type="reasoning.text", text="h"),
            sealed(type="reasoning.text", text="m", signature="s"),
            sealed(type="reasoning.text", text="n"),
            sealed(type="reasoning.text", signature="t"),
            ending("stop"),
            DONE,
        ],
        [*thinking(0, "h", "m", signature="s"), *thinking(1, "n", signature="t"), *end("end_turn")],
    ),
    "sealed reasoning": (
        [
            chunk({"reasoning_content": "h"}),
            sealed(type="reasoning.encrypted", data="ZGF0YQ=="),
            sealed(type="reasoning.encrypted", data="no base64"),
            chunk({"reasoning_content": "m"}),
            ending("stop"),
            DONE,
        ],
        [
            *thinking(0, "h"),
            *redacted(1, "ZGF0YQ=="),
            *redacted(2, b64encode(b"no base64").decode()),
            *thinking(3, "m"),
            *end("end_turn"),
        ],
    ),
    "a custom call": (
        [custom(text='a "b"'), custom_text("\\\n"), custom_text("é\x00"), ending(), DONE],
        [*call(0, '{"input":"a \\"b\\"', "\\\\\\n", "é\\u0000", '"}'), *end("tool_use")],
    ),
    "a custom call without text": ([custom(), ending(), DONE], [*call(0, '{"input":""}'), *end("tool_use")]),
    "usage": (
        [saying("a"), ending("stop"), {"choices": [], "usage": USAGE}, DONE],
        [
            *text(0, "a"),
            *end("end_turn", inputTokens=6, outputTokens=7, totalTokens=17, cacheReadInputTokens=4),
        ],
    ),
    "usage of the output alone": (
        [saying("a"), ending("stop"), {"choices": [], "usage": {"completion_tokens": 7}}, DONE],
        [*text(0, "a"), *end("end_turn", inputTokens=0, outputTokens=7, totalTokens=7)],
    ),
    "an error inside a call": (
        [*CUT_CALL, {"error": {"message": "busy", "type": "overloaded_error"}}, ending(), DONE],
        [*HALF, raised("serviceUnavailableException", "busy")],
    ),
    "an error inside text": (
        [saying("a"), {"error": {"message": "slow down", "code": 429}}],
        [*text(0, "a", ended=False), raised("throttlingException", "slow down")],
    ),
    "bytes that end inside a call": (
        CUT_CALL,
        [*HALF, raised(STREAM_ERROR, "the provider's stream ended before its answer did")],
    ),
    "an end by length inside a call": (
        [*CUT_CALL, ending("length"), DONE],
        [*HALF, raised(STREAM_ERROR, "the arguments of f were cut off (length)")],
    ),
    "an end by a filter inside a call": (
        [*CUT_CALL, ending("content_filter"), DONE],
        [*HALF, raised(STREAM_ERROR, "the arguments of f were cut off (content_filter)")],
    ),
    "an end by length behind a call": (
        [opening(), args("{}"), ending("length"), DONE],
        [*call(0, "{}"), *end("max_tokens")],
    ),
    "an end by length inside text": ([saying("a"), ending("length"), DONE], [*text(0, "a"), *end("max_tokens")]),
    "an end by a filter": ([saying("a"), ending("content_filter"), DONE], [*text(0, "a"), *end("content_filtered")]),
    "an end that nobody knows": ([saying("a"), ending("moon"), DONE], [*text(0, "a"), *end("moon")]),
    "an abort": ([*CUT_CALL, abort("too long")], [*HALF, raised("internalServerException", "too long")]),
    "a rejected call": (
        [*CUT_CALL, reject(), args("1}"), opening(1, "b1", "g", "{}"), ending(), DONE],
        [*HALF, raised("internalServerException", "the call of f was rejected: no")],
    ),
    "a malformed call": (
        [opening(), args("{x}"), opening(1, "b1", "g", "{}"), ending(), DONE],
        [*call(0, "{x}"), *call(1, "{}", id="b1", name="g"), *end("tool_use")],
    ),
    "a call that ends in the middle, though the turn doesn't": (
        [*CUT_CALL, ending(), DONE],
        [*HALF, raised(STREAM_ERROR, "the arguments of f end in the middle, though the answer did not")],
    ),
    "two documents in one slot": (
        [opening(), args('{"x":1}'), args('{"x":2}'), ending(), DONE],
        [*call(0, '{"x":1}', '{"x":2}'), raised(STREAM_ERROR, "the arguments of f are two documents")],
    ),
    "a second document behind the call's block": (
        [opening(), args('{"x":1}'), saying("a"), args('{"x":2}'), ending(), DONE],
        [
            *call(0, '{"x":1}'),
            *text(1, "a", ended=False),
            raised(STREAM_ERROR, "the arguments of f were not whole after all"),
        ],
    ),
    "another choice": (
        [saying("a"), saying("b", 1), opening(choice=1), ending("stop"), ending("length", 1), DONE],
        [*text(0, "a"), *end("end_turn")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_written(name: str) -> None:
    steps, expected = CASES[name]
    assert written(steps) == [START, *expected]


@pytest.mark.parametrize("name", CASES)
def test_no_cut_of_the_bytes_shows(name: str) -> None:
    data = to_sse([step for step in CASES[name][0] if not callable(step)])
    whole, *others = at_all_cuts(data, "openai-chat", "bedrock-converse", [[3, 50, 200], [97, 301, 302, 500]])
    for each in others:
        assert each == whole


# --- options and ends ------------------------------------------------------------------------------------------


def test_a_cut_call_can_be_told_by_the_reason_alone() -> None:
    """Its block stays open."""
    steps = [opening(), opening(1, "b1", "g", "{}"), args('{"x":'), saying("a"), ending("length"), DONE]
    assert written(steps, fail_on_cut=False) == [
        START,
        *call(0, '{"x":', ended=False),
        *call(1, "{}", id="b1", name="g"),
        *text(2, "a"),
        *end("max_tokens"),
    ]
    cut = [*CUT_CALL, ending("content_filter"), DONE]
    assert written(cut, fail_on_cut=False) == [START, *HALF, *end("content_filtered")]
    two = [custom(text="x"), custom(1, "b1", "g", "y"), ending("length"), DONE]
    assert written(two, fail_on_cut=False) == [
        START,
        *call(0, '{"input":"x', ended=False),
        *call(1, '{"input":"y', ended=False, id="b1", name="g"),
        *end("max_tokens"),
    ]


def test_options_of_other_wires() -> None:
    """There is no place for a message's id or model."""
    with pytest.raises(UsageError, match="model= is no option of bedrock-converse"):
        encoder_for("bedrock", {"model": "m"})


def test_frames_are_binary_and_there_is_no_sign_of_life() -> None:
    encoder = Encoder("bedrock-converse", keep_alive=1)
    encoder.start(0.0)
    assert encoder.media_type == "application/vnd.amazon.eventstream"
    assert encoder.deadline() is None
    assert encoder.tick(100.0) == b""


def test_the_body_breaks_off_behind_an_error() -> None:
    encoder = encoder_for("bedrock-converse", {})
    assert not encoder.aborts
    assert encoder.end() == [raised(STREAM_ERROR, "the events ended before their turn did")]
    assert encoder.aborts
    assert encoder.end() == []


@pytest.mark.parametrize(
    ("kind", "code", "converse", "invoke"),
    [
        ("rate_limit", "429", "throttlingException", "throttlingException"),
        ("overloaded", None, "serviceUnavailableException", "serviceUnavailableException"),
        ("context_length", None, "validationException", "validationException"),
        ("timeout", None, STREAM_ERROR, "modelTimeoutException"),
        ("timeout", "modelTimeoutException", STREAM_ERROR, "modelTimeoutException"),
        ("server", "modelTimeoutException", "internalServerException", "modelTimeoutException"),
        ("server", STREAM_ERROR, STREAM_ERROR, STREAM_ERROR),
        ("server", "madeUpException", "internalServerException", "internalServerException"),
    ],
)
def test_names_of_exceptions(kind: ErrorKind, code: str | None, converse: str, invoke: str) -> None:
    error = StreamError(kind, "x", code)
    assert (bedrock_exception(error, invoke=False), bedrock_exception(error, invoke=True)) == (converse, invoke)


# --- a stream of the wire itself -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ("end_turn", "end_turn"),
        ("stop_sequence", "stop_sequence"),
        ("max_tokens", "max_tokens"),
        ("model_context_window_exceeded", "model_context_window_exceeded"),
        ("guardrail_intervened", "guardrail_intervened"),
        ("tool_use", "end_turn"),  # there is no call
        ("MAX_TOKENS", "max_tokens"),
        ("else", "else"),
    ],
)
def test_stop_reasons_of_converse(sent: str, told: str) -> None:
    assert written([START, *text(0, "a"), *end(sent)], "bedrock-converse") == [START, *text(0, "a"), *end(told)]


@pytest.mark.parametrize(
    ("reason", "told"),
    [("pause_turn", "end_turn"), ("refusal", "content_filtered"), ("stop_sequence", "stop_sequence")],
)
def test_stop_reasons_of_anthropic(reason: str, told: str) -> None:
    steps = [
        {"type": "message_start", "message": {"id": "m", "content": []}},
        {"type": "message_delta", "delta": {"stop_reason": reason}},
        {"type": "message_stop"},
    ]
    assert written(steps, "anthropic") == [START, *end(told)]


def test_no_stop_reason() -> None:
    """A terminator alone ends a turn well."""
    assert written([saying("a"), DONE]) == [START, *text(0, "a"), *end("end_turn")]


def test_a_failure_that_is_a_stop_reason() -> None:
    steps = [START, *call(0, '{"x'), *end("malformed_tool_use")]
    assert written(steps, "bedrock-converse")[-1][0] == "exception:internalServerException"
    assert not any(name == "messageStop" for name, _ in written(steps, "bedrock-converse"))


def test_an_exception_of_bedrock_keeps_its_name() -> None:
    error = {"error": {"type": STREAM_ERROR, "message": "x", "originalStatusCode": 500}}
    assert written([START, *text(0, "a"), ("error", error)], "bedrock-converse") == [
        START,
        *text(0, "a", ended=False),
        raised(STREAM_ERROR, "x"),
    ]


def test_usage_of_converse_stays_as_it_is() -> None:
    """And so does what stands beside it and beside the reason; padding goes."""
    usage = {"inputTokens": 3, "outputTokens": 9, "totalTokens": 12, "serverToolUsage": {}}
    beside = {"metrics": {"latencyMs": 7}, "trace": {"promptRouter": {"invokedModelId": "m"}}}
    stopped = {"stopReason": "end_turn", "additionalModelResponseFields": {"x": 1}}
    steps = [
        START,
        *text(0, "a"),
        ("messageStop", {**stopped, "p": "abc"}),
        ("metadata", {"usage": usage, **beside, "p": "abcd"}),
    ]
    assert written(steps, "bedrock-converse") == [
        START,
        *text(0, "a"),
        ("messageStop", stopped),
        ("metadata", {"usage": usage, **beside}),
    ]
    bare = [{name: payload} for name, payload in steps]
    assert written(bare, "bedrock-converse") == written(steps, "bedrock-converse")


def test_a_trace_without_counts() -> None:
    trace = {"trace": {"guardrail": {}}}
    assert written([START, *text(0, "a"), *end("end_turn"), ("metadata", trace)], "bedrock-converse")[-1] == (
        "metadata",
        {"usage": {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}, "metrics": {"latencyMs": 0}, **trace},
    )


def test_usage_of_anthropic_is_counted_in_the_same_way() -> None:
    usage = {"input_tokens": 3, "output_tokens": 9, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 5}
    steps = [
        {"type": "message_start", "message": {"id": "m", "content": []}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
        {"type": "message_stop"},
    ]
    counts = {"inputTokens": 3, "outputTokens": 9, "totalTokens": 21}
    cached = {"cacheReadInputTokens": 4, "cacheWriteInputTokens": 5}
    assert written(steps, "anthropic") == [START, *end("end_turn", **counts, **cached)]


def test_calls_that_the_provider_runs() -> None:
    steps = [
        START,
        *call(0, '{"q":1}', id="tooluse_1", name="nova_grounding", type="server_tool_use"),
        *call(1, '{"q":', id="tooluse_2", name="nova_grounding", type="server_tool_use", ended=False),
        *end("max_tokens"),
    ]
    assert written(steps, "bedrock-converse") == steps
    anthropic = [
        {"type": "message_start", "message": {"id": "m", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "mcp_tool_use", "id": "m1", "name": "e"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]
    told = call(0, "{}", id="m1", name="e", type="server_tool_use")
    assert written(anthropic, "anthropic") == [START, *told, *end("end_turn")]


def test_fields_of_a_call() -> None:
    """Those of this wire are kept, others have no place."""
    steps = [START, *call(0, "{}", vendor="x"), *end("tool_use")]
    assert written(steps, "bedrock-converse") == steps
    signed = chunk({"tool_calls": [{"index": 0, "id": "a1", "function": {"name": "f"}, "extra_content": {"x": 1}}]})
    assert written([signed, ending(), DONE]) == [START, *call(0, "{}"), *end("tool_use")]


RESULT = {"toolResult": {"toolUseId": "tooluse_1", "status": "success", "type": "nova_grounding_result"}}
CITATION = {"location": {"web": {"url": "https://example.org", "domain": "example.org"}}}

OTHERS: dict[str, tuple[list[Frame], list[Frame]]] = {
    "results of server tools": (
        [*text(0, "a"), begun(5, **RESULT), delta(5, toolResult=[{"text": "r"}]), stop(5), *text(6, "b")],
        [*text(0, "a"), begun(1, **RESULT), delta(1, toolResult=[{"text": "r"}]), stop(1), *text(2, "b")],
    ),
    "two of them": (
        [begun(1, **RESULT), stop(1), begun(2, **RESULT), stop(2)],
        [begun(0, **RESULT), stop(0), begun(1, **RESULT), stop(1)],
    ),
    "a delta of another block": (
        [begun(1, **RESULT), delta(2, toolResult=[]), stop(1)],
        [begun(0, **RESULT), stop(0)],
    ),
    "citations": (
        [delta(3, text="a"), delta(3, citation=CITATION), stop(3)],
        [delta(0, text="a"), delta(0, citation=CITATION), stop(0)],
    ),
    "citations before their text": (
        [begun(1, **RESULT), stop(1), delta(2, citation=CITATION), delta(2, text="a"), stop(2)],
        [begun(0, **RESULT), stop(0), delta(1, citation=CITATION), delta(1, text="a"), stop(1)],
    ),
    "citations around their text": (
        [delta(0, citationsContent={"content": [{"text": "a"}], "citations": [CITATION, None]}), stop(0)],
        [delta(0, text="a"), delta(0, citation=CITATION), stop(0)],
    ),
    "what stands beside text": (
        [delta(0, text="a", vendor=1, image=None), stop(0)],
        [delta(0, text="a"), delta(0, vendor=1), stop(0)],
    ),
    "a block behind a call": (
        [*call(0, '{"x":', ended=False), begun(1, **RESULT), delta(1, toolResult=[]), *call(0, "1}")[1:]],
        [*call(0, '{"x":', "1}"), begun(1, **RESULT), delta(1, toolResult=[]), stop(1)],
    ),
    "events": ([("vendorEvent", {"x": 1, "p": "abc"}), *text(0, "a")], [("vendorEvent", {"x": 1}), *text(0, "a")]),
    "names that no event can have": (
        [("a\r\nb", {}), ("exception:x", {"x": 1}), ("x" * 101, {}), ("\ud83d", {}), *text(0, "a")],
        text(0, "a"),
    ),
    "what is of no event": (
        [("", {"x": 1}), ("", {"x": {}, "y": {}}), ("contentBlockDelta", {}), ("contentBlockStart", {}), *text(0, "a")],
        text(0, "a"),
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_passed_on(name: str) -> None:
    sent, told = OTHERS[name]
    reason = "tool_use" if "call" in name else "end_turn"
    assert written([START, *sent, *end(reason)], "bedrock-converse") == [START, *told, *end(reason)]


def test_unions_are_passed_on_too() -> None:
    sent = [{"messageStart": {"role": "assistant"}}, {"vendorEvent": {"x": 1}, "p": "abc"}]
    assert written([*sent, {"messageStop": {"stopReason": "end_turn"}}], "bedrock-converse") == [
        START,
        ("vendorEvent", {"x": 1}),
        *end("end_turn"),
    ]


def test_what_other_wires_pass_on_is_dropped() -> None:
    steps = [{"vendorEvent": {"x": 1}}, saying("a"), {"metadata": {"trace": {"x": 1}}}, ending("stop"), DONE]
    assert written(steps) == [START, *text(0, "a"), *end("end_turn")]


def test_nothing_of_the_providers_follows_the_end() -> None:
    """Save for what belongs to the counts."""
    events = run([START, *text(0, "a"), *end("end_turn")], "bedrock-converse")
    encoder = encoder_for("bedrock-converse", {})
    frames = [frame for event in events for frame in encoder.feed(event)]
    (late,) = [event for event in run([START, begun(1, **RESULT)], "bedrock-converse") if event.type == "unknown"]
    assert frames + encoder.feed(late) + encoder.end() == [START, *text(0, "a"), *end("end_turn")]


def test_a_message_that_begins_anew() -> None:
    steps = [START, *call(0, "{}"), START, *text(0, "a"), *end("end_turn")]
    assert written(steps, "bedrock-converse") == [
        START,
        *call(0, "{}"),
        raised(STREAM_ERROR, "what was sent no longer holds: the provider began its message anew"),
    ]


OWN = {
    "calls": [
        START,
        *thinking(0, "h", "m", signature="s"),
        *redacted(1, "ZGF0YQ=="),
        *text(2, "a"),
        *call(3, '{"x":', "1}"),
        *call(4, "{}", id="b1", name="g"),
        *end("tool_use", inputTokens=3, outputTokens=9, totalTokens=12),
    ],
    "the provider's calls": [
        START,
        *call(0, '{"q":1}', id="tooluse_1", name="nova_grounding", type="server_tool_use"),
        begun(1, **RESULT),
        delta(1, toolResult=[{"text": "r"}]),
        stop(1),
        *text(2, "a", "b"),
        *end("stop_sequence", inputTokens=3, outputTokens=9, totalTokens=12),
    ],
}


@pytest.mark.parametrize("name", OWN)
def test_what_is_canonical_stays_as_it_is(name: str) -> None:
    assert written(OWN[name], "bedrock-converse") == OWN[name]
    again = run(written(OWN[name], "bedrock-converse"), "bedrock-converse")
    assert merged(again) == merged(run(OWN[name], "bedrock-converse"))


# --- the official client's parser ------------------------------------------------------------------------------

SHAPE = (
    botocore.session.get_session()
    .get_service_model("bedrock-runtime")
    .operation_model("ConverseStream")
    .get_event_stream_output()
)

# Names of our own, which the service's model doesn't have.
FOREIGN = ("events", "what stands beside text")


def read_by_client(pieces: list[bytes]) -> Any:
    raw = SimpleNamespace(stream=lambda: iter(pieces), close=lambda: None)
    return EventStream(raw, SHAPE, EventStreamJSONParser(), "ConverseStream")


def assert_of_the_model(frames: list[Frame]) -> None:
    """Every member is of the service's model, and none that is required is missing."""
    for name, payload in frames:
        report = ParamValidator().validate({name.removeprefix("exception:"): payload}, SHAPE)
        assert not report.has_errors(), report.generate_report()


@pytest.mark.parametrize("name", CASES)
def test_the_service_s_model_has_all_that_is_written(name: str) -> None:
    assert_of_the_model(written(CASES[name][0]))


@pytest.mark.parametrize("name", [name for name in OTHERS if name not in FOREIGN])
def test_the_service_s_model_has_all_that_is_passed_on(name: str) -> None:
    assert_of_the_model(written([START, *OTHERS[name][0], *end("end_turn")], "bedrock-converse"))


@pytest.mark.parametrize("name", [name for name, (_, told) in CASES.items() if not told[-1][0].startswith("exc")])
def test_the_client_reads_what_was_said(name: str) -> None:
    steps, told = CASES[name]
    body = body_of(steps, "openai-chat", "bedrock-converse")
    expected = [_decoded({event: payload}) for event, payload in (START, *told)]
    assert list(read_by_client([body])) == expected
    assert list(read_by_client(byte_by_byte(body))) == expected


def _decoded(event: Payload) -> Payload:
    """An event with its sealed reasoning as the client hands it out."""
    members = event.get("contentBlockDelta", {})
    reasoning = members.get("delta", {}).get("reasoningContent", {})
    if "redactedContent" not in reasoning:
        return event
    data = b64decode(reasoning["redactedContent"])
    return dict([delta(members["contentBlockIndex"], reasoningContent={"redactedContent": data})])


@pytest.mark.parametrize("name", [name for name, (_, told) in CASES.items() if told[-1][0].startswith("exc")])
def test_the_client_raises(name: str) -> None:
    """Behind everything that came before."""
    *before, (exception, payload) = [START, *CASES[name][1]]
    stream = iter(read_by_client([EventStreamWriter().write(written(CASES[name][0]))]))
    assert [next(stream) for _ in before] == [{event: members} for event, members in before]
    with pytest.raises(EventStreamError) as caught:
        next(stream)
    assert caught.value.response["Error"] == {
        "Code": exception.removeprefix("exception:"),
        "Message": payload["message"],
    }


@pytest.mark.parametrize("kind", get_args(ErrorKind))
def test_the_client_knows_every_exception(kind: ErrorKind) -> None:
    encoder = Encoder("bedrock-converse")
    body = encoder.feed(StreamError(kind, "why")) + encoder.end()
    with pytest.raises(EventStreamError, match="why") as caught:
        list(read_by_client([body]))
    assert caught.value.response["Error"]["Code"] in SHAPE.members
