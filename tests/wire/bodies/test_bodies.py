from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import botocore.session
import pytest
from botocore.parsers import create_parser
from support import run
from wire.encode.kit import DONE, Payload, args, chunk, custom, ending, opening, saying

from toolwire import Message, Stream
from toolwire import tool as tool_of
from toolwire.errors import UsageError
from toolwire.framing.writers import dumped
from toolwire.wire.bodies import BODIES, body_of

if TYPE_CHECKING:
    from collections.abc import Iterable

OBJECTS = ("anthropic", "bedrock-converse", "bedrock-invoke", "gemini", "ollama")


def message_of(steps: Iterable[Any], wire: str = "openai-chat", **options: Any) -> Message:
    return Message.of(run(steps, wire, **options))


USAGE = {"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17}
CALLING = [
    chunk({"reasoning": "h"}),
    chunk({"reasoning_signature": "c2ln"}),
    saying("a"),
    saying("b"),
    opening(),
    args('{"x": '),
    args("1}"),
    opening(1, "b1", "g"),
    ending(),
    {"choices": [], "usage": USAGE},
    DONE,
]

# --- what is written -------------------------------------------------------------------------------------------


def test_openai_chat() -> None:
    assert body_of(message_of(CALLING), "openai", created=5) == {
        "id": "c1",
        "object": "chat.completion",
        "created": 5,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "ab",
                    "refusal": None,
                    "reasoning_content": "h",
                    "reasoning_details": [{"type": "reasoning.text", "signature": "c2ln"}],
                    "tool_calls": [
                        {"id": "a1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
                        {"id": "b1", "type": "function", "function": {"name": "g", "arguments": "{}"}},
                    ],
                },
                "logprobs": None,
                "finish_reason": "tool_calls",
            }
        ],
        "usage": USAGE,
    }


def test_openai_responses() -> None:
    body = body_of(message_of(CALLING), "openai-responses", message_id="resp_1", created=5, model="mine")
    assert (body["id"], body["object"], body["created_at"], body["model"]) == ("resp_1", "response", 5, "mine")
    assert (body["status"], body["usage"]["total_tokens"]) == ("completed", 17)
    thought, said, *calls = body["output"]
    assert (thought["type"], thought["summary"]) == ("reasoning", [{"type": "summary_text", "text": "h"}])
    assert thought["encrypted_content"] == "c2ln"
    assert [part["text"] for part in said["content"]] == ["ab"]
    assert [(call["call_id"], call["name"], call["arguments"]) for call in calls] == [
        ("a1", "f", '{"x": 1}'),
        ("b1", "g", "{}"),
    ]


CLAUDE: Payload = {
    "id": "c1",
    "type": "message",
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "h", "signature": "c2ln"},
        {"type": "text", "text": "ab"},
        {"type": "tool_use", "id": "a1", "name": "f", "input": {"x": 1}},
        {"type": "tool_use", "id": "b1", "name": "g", "input": {}},
    ],
    "model": "m",
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 10, "output_tokens": 7},
}


@pytest.mark.parametrize("wire", ["anthropic", "bedrock-invoke"])
def test_anthropic(wire: str) -> None:
    assert body_of(message_of(CALLING), wire) == CLAUDE


CONVERSE: Payload = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "h", "signature": "c2ln"}}},
                {"text": "ab"},
                {"toolUse": {"toolUseId": "a1", "name": "f", "input": {"x": 1}}},
                {"toolUse": {"toolUseId": "b1", "name": "g", "input": {}}},
            ],
        }
    },
    "stopReason": "tool_use",
    "usage": {"inputTokens": 10, "outputTokens": 7, "totalTokens": 17},
    "metrics": {"latencyMs": 0},
}


def test_bedrock_converse() -> None:
    body = body_of(message_of(CALLING), "bedrock")
    assert body == CONVERSE
    model = botocore.session.get_session().get_service_model("bedrock-runtime")
    response = {"status_code": 200, "headers": {}, "body": dumped(body)}
    parser = create_parser("rest-json")
    read = parser.parse(response, model.operation_model("Converse").output_shape)
    del read["ResponseMetadata"]
    assert read == CONVERSE


def test_bedrock_converse_without_token_counts() -> None:
    body = body_of(message_of([saying("a"), ending("stop"), DONE]), "bedrock-converse")
    assert body["usage"] == {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}


def test_gemini() -> None:
    assert body_of(message_of(CALLING), "gemini") == {
        "candidates": [
            {
                "content": {
                    "parts": [
                        {"text": "h", "thought": True},
                        {"text": "", "thoughtSignature": "c2ln"},
                        {"text": "ab"},
                        {"functionCall": {"name": "f", "id": "a1", "args": {"x": 1}}},
                        {"functionCall": {"name": "g", "id": "b1", "args": {}}},
                    ],
                    "role": "model",
                },
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 7, "totalTokenCount": 17},
        "modelVersion": "m",
        "responseId": "c1",
    }


def test_cohere() -> None:
    assert body_of(message_of(CALLING), "cohere", message_id="mine") == {
        "id": "mine",
        "message": {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "h"}, {"type": "text", "text": "ab"}],
            "tool_calls": [
                {"id": "a1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
                {"id": "b1", "type": "function", "function": {"name": "g", "arguments": "{}"}},
            ],
        },
        "finish_reason": "TOOL_CALL",
        "usage": {"tokens": {"input_tokens": 10, "output_tokens": 7}},
    }


def test_ollama() -> None:
    assert body_of(message_of(CALLING), "ollama", created=1) == {
        "model": "m",
        "created_at": "1970-01-01T00:00:01Z",
        "message": {
            "role": "assistant",
            "content": "ab",
            "thinking": "h",
            "tool_calls": [
                {"id": "a1", "function": {"index": 0, "name": "f", "arguments": {"x": 1}}},
                {"id": "b1", "function": {"index": 1, "name": "g", "arguments": {}}},
            ],
        },
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 10,
        "eval_count": 7,
    }


def test_choices() -> None:
    steps = [saying("a"), saying("b", 1), ending("stop"), ending("length", 1), DONE]
    chat = body_of(message_of(steps), "openai-chat")["choices"]
    assert [(each["index"], each["message"]["content"], each["finish_reason"]) for each in chat] == [
        (0, "a", "stop"),
        (1, "b", "length"),
    ]
    gemini = body_of(message_of(steps), "gemini")["candidates"]
    assert [(each["content"]["parts"], each["finishReason"]) for each in gemini] == [
        ([{"text": "a"}], "STOP"),
        ([{"text": "b"}], "MAX_TOKENS"),
    ]
    assert body_of(message_of(steps), "anthropic")["content"] == [{"type": "text", "text": "a"}]


def test_refusals_and_free_text() -> None:
    steps = [chunk({"refusal": "no"}), custom(text='a"'), ending(), DONE]
    (choice,) = body_of(message_of(steps), "openai-chat")["choices"]
    assert (choice["message"]["content"], choice["message"]["refusal"]) == (None, "no")
    assert choice["message"]["tool_calls"] == [{"id": "a1", "type": "custom", "custom": {"name": "f", "input": 'a"'}}]
    content = body_of(message_of(steps), "anthropic")["content"]
    assert content == [
        {"type": "text", "text": "no"},
        {"type": "tool_use", "id": "a1", "name": "f", "input": {"input": 'a"'}},
    ]


@pytest.mark.parametrize("wire", OBJECTS)
def test_arguments_that_were_mended_are_told_as_they_were_read(wire: str) -> None:
    steps = [opening(), args('{"x": True,}'), ending(), DONE]
    repairs = ["python_literals", "trailing_comma"]
    assert '{"x": true}' in json.dumps(body_of(message_of(steps, repairs=repairs), wire))
    with pytest.raises(UsageError, match="a message that ended badly has no body"):
        body_of(message_of(steps, repairs=repairs, accept_repaired=False), wire)


@pytest.mark.parametrize("wire", OBJECTS)
def test_numbers_that_no_float_holds(wire: str) -> None:
    steps = [opening(), args('{"x": 1e400, "y": 0.12345678901234567890}'), ending(), DONE]
    text = dumped(body_of(message_of(steps), wire)).decode()
    assert "1e400" in text
    assert "0.12345678901234567890" in text


# --- what is only passed on ------------------------------------------------------------------------------------

OWN: dict[str, Payload] = {
    "anthropic": {
        **CLAUDE,
        "content": [
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": 1}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
            {"type": "text", "text": "ab", "citations": [{"type": "web_search_result_location", "url": "u"}]},
            {"type": "redacted_thinking", "data": "d"},
            {"type": "tool_use", "id": "a1", "name": "f", "input": {}, "caller": {"type": "direct"}},
        ],
    },
    "bedrock-converse": {
        **CONVERSE,
        "output": {
            "message": {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"redactedContent": "ZA=="}},
                    {"text": "a"},
                    {"toolUse": {"toolUseId": "a1", "name": "f", "input": {}}},
                ],
            }
        },
    },
    "cohere": {
        "id": "m1",
        "message": {
            "role": "assistant",
            "tool_plan": "p",
            "content": [{"type": "text", "text": "ab"}],
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}, "later": 1}],
            "citations": [{"start": 0, "end": 1, "text": "a", "sources": []}],
        },
        "finish_reason": "TOOL_CALL",
        "usage": {"billed_units": {"input_tokens": 1}, "tokens": {"input_tokens": 2, "output_tokens": 3}},
    },
    "ollama": {
        "model": "m",
        "created_at": "1970-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": "a", "thinking": "t", "images": ["i"]},
        "done": True,
        "done_reason": "load",
        "prompt_eval_count": 3,
        "total_duration": 9,
    },
    "gemini": {
        "candidates": [
            {
                "content": {
                    "parts": [
                        {"text": "a"},
                        {"executableCode": {"code": "1", "language": "PYTHON"}},
                        {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2ln"},
                    ],
                    "role": "model",
                },
                "groundingMetadata": {"webSearchQueries": ["q"]},
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 5, "totalTokenCount": 8},
        "modelVersion": "m",
        "responseId": "r1",
    },
    "openai-chat": {
        "id": "c1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": None,
                    "refusal": None,
                    "reasoning_details": [{"type": "reasoning.encrypted", "data": "d"}],
                    "tool_calls": [
                        {
                            "id": "a1",
                            "type": "function",
                            "extra_content": {"x": 1},
                            "function": {"name": "f", "arguments": "{}"},
                        }
                    ],
                },
                "logprobs": None,
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3, "queue_time": 4},
    },
}


@pytest.mark.parametrize("wire", OWN)
def test_a_provider_s_own_body_stays_as_it_is(wire: str) -> None:
    stream = Stream(wire)
    message = Message.of([*stream.receive(json.dumps(OWN[wire]).encode()), *stream.end()])
    assert body_of(message, wire) == OWN[wire]


def test_blocks_of_a_tool_that_bedrock_runs() -> None:
    result = {"toolUseId": "s1", "status": "success", "type": "nova_grounding_result"}
    steps = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolResult": result}}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolResult": [{"json": {"a": 1}}]}}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "a"}}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"citation": {"title": "t"}}}},
        {"contentBlockStop": {"contentBlockIndex": 1}},
        {"messageStop": {"stopReason": "end_turn"}},
    ]
    content = body_of(message_of(steps, "bedrock-converse"), "bedrock-converse")["output"]["message"]["content"]
    assert content == [
        {"toolResult": {**result, "content": [{"json": {"a": 1}}]}},
        {"citationsContent": {"content": [{"text": "a"}], "citations": [{"title": "t"}]}},
    ]


# --- what has no body ------------------------------------------------------------------------------------------

CUT_CALL = [saying("a"), opening(), args('{"x":')]
BAD: dict[str, list[Any]] = {
    "an error": [saying("a"), {"error": {"message": "busy"}}, DONE],
    "the bytes ended": [saying("a")],
    "a call that was cut": [*CUT_CALL, ending("length"), DONE],
    "a call that ends in the middle": [*CUT_CALL, ending(), DONE],
    "two documents": [opening(), args('{"x":1}'), args('{"x":2}'), ending(), DONE],
}


@pytest.mark.parametrize("wire", BODIES)
@pytest.mark.parametrize("name", BAD)
def test_what_ended_badly_has_no_body(name: str, wire: str) -> None:
    with pytest.raises(UsageError, match="a message that ended badly has no body, but an error_body: "):
        body_of(message_of(BAD[name]), wire)


@pytest.mark.parametrize("wire", BODIES)
def test_what_has_not_ended_has_no_body(wire: str) -> None:
    message = Message()
    for event in Stream("openai-chat").receive_payload(saying("a")):
        message.feed(event)
    with pytest.raises(UsageError, match="the events ended before their turn did"):
        body_of(message, wire)


def test_a_rejected_call_has_no_body() -> None:
    stream = Stream("openai-chat")
    message = Message()
    for step in [opening(), args("{}"), ending(), DONE]:
        for event in stream.receive_payload(step):
            message.feed(event)
        if step == DONE:
            stream.calls[0].reject("no")
    with pytest.raises(UsageError, match="the call of f was rejected: no"):
        body_of(message, "openai-chat")


@pytest.mark.parametrize("wire", BODIES)
def test_what_is_kept_back_for_good_is_not_taken_for_no_arguments(wire: str) -> None:
    tools = [tool_of({"name": "f", "parameters": {"type": "object", "required": ["y"]}}, hold=True)]
    message = message_of([opening(), args('{"x":1}'), ending(), DONE], tools=tools)
    with pytest.raises(UsageError, match="a message that ended badly has no body"):
        body_of(message, wire)


@pytest.mark.parametrize("wire", OBJECTS)
def test_arguments_that_are_no_object_have_no_place_where_values_stand(wire: str) -> None:
    for text in ("{x}", "[1]"):
        with pytest.raises(UsageError, match="a message that ended badly has no body"):
            body_of(message_of([opening(), args(text), ending(), DONE]), wire)


@pytest.mark.parametrize("wire", ["openai-chat", "cohere"])
def test_arguments_that_are_no_object_are_text_elsewhere(wire: str) -> None:
    body = body_of(message_of([opening(), args("{x}"), ending(), DONE]), wire)
    assert '"arguments": "{x}"' in json.dumps(body)


@pytest.mark.parametrize("wire", BODIES)
def test_a_cut_call_can_be_told_by_the_reason_alone(wire: str) -> None:
    """As text it is told as far as it came; half an object is none."""
    body = body_of(message_of([*CUT_CALL, ending("length"), DONE]), wire, fail_on_cut=False)
    stream = Stream(wire)
    after = Message.of([*stream.receive(dumped(body)), *stream.end()])
    assert (after.text, after.finish, after.executable) == ("a", "length", ())
    told = [] if wire in OBJECTS else [("f", '{"x":', "incomplete")]
    assert [(call.name, call.buf, call.status) for call in after.calls] == told


# --- names and options -----------------------------------------------------------------------------------------


def test_unknown_names() -> None:
    message = message_of([saying("a"), ending("stop"), DONE])
    with pytest.raises(UsageError, match="'ag-ui' has no body: use one of anthropic, bedrock-converse"):
        body_of(message, "ag-ui")
    with pytest.raises(
        UsageError, match="framing= is no option of a body: there are model, message_id, created, fail_on"
    ):
        body_of(message, "gemini", framing="sse")


def test_options_that_a_wire_has_no_place_for() -> None:
    message = message_of([saying("a"), ending("stop"), DONE])
    told: dict[str, Any] = {"model": "mine", "message_id": "m1", "created": 1, "fail_on_cut": False}
    assert body_of(message, "bedrock-converse", **told) == body_of(message, "bedrock-converse")
    body = body_of(message, "anthropic", **told)
    assert (body["id"], body["model"]) == ("m1", "mine")


def test_aliases() -> None:
    message = message_of([saying("a"), ending("stop"), DONE])
    assert body_of(message, "mistral") == body_of(message, "openai-chat")
    assert body_of(message, "claude") == body_of(message, "anthropic")


def test_what_was_taken_back_is_no_part_of_a_body() -> None:
    first, second = (
        {"type": "message_start", "message": {"id": name, "model": "m", "content": []}} for name in ("c1", "c2")
    )
    deltas = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}} for text in "ab"
    ]
    end = [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]
    body = body_of(message_of([first, deltas[0], second, deltas[1], *end], "anthropic"), "anthropic")
    assert (body["id"], body["content"]) == ("c2", [{"type": "text", "text": "b"}])
