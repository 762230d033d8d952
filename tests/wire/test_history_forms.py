"""How each form writes a turn down: on the wire it came over, and on others."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from support import run

from toolwire import Message
from toolwire.events import MessageStart, TextDelta, Unknown
from toolwire.wire.history import FORMS

SEALED = base64.b64encode(b"sealed").decode()


def message_of(wire: str, payloads: list[dict[str, Any]]) -> Message:
    return Message.of(run(payloads, wire))


def chat(message: dict[str, Any], reason: str = "tool_calls") -> list[dict[str, Any]]:
    return [{"id": "x", "choices": [{"index": 0, "message": message, "finish_reason": reason}]}]


def anthropic(*blocks: dict[str, Any], reason: str = "tool_use") -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"id": "m", "content": []}}]
    for index, block in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events.append({"type": "content_block_stop", "index": index})
    return [*events, {"type": "message_delta", "delta": {"stop_reason": reason}}, {"type": "message_stop"}]


def responses(*output: dict[str, Any]) -> list[dict[str, Any]]:
    events = [{"type": "response.output_item.done", "output_index": at, "item": item} for at, item in enumerate(output)]
    final = {"id": "r", "status": "completed", "output": list(output)}
    return [*events, {"type": "response.completed", "response": final}]


def gemini(*parts: dict[str, Any]) -> list[dict[str, Any]]:
    chunks = [{"candidates": [{"content": {"parts": [part]}}], "responseId": "r"} for part in parts]
    return [*chunks, {"candidates": [{"finishReason": "STOP"}]}]


def converse(*blocks: dict[str, Any], reason: str = "tool_use") -> list[dict[str, Any]]:
    return [{"output": {"message": {"role": "assistant", "content": list(blocks)}}, "stopReason": reason}]


def cohere(message: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"id": "x", "message": {"role": "assistant", **message}, "finish_reason": "TOOL_CALL"}]


def ollama(message: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"model": "m", "message": {"role": "assistant", **message}, "done": True, "done_reason": "stop"}]


def function(name: str, arguments: Any, id: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}, **more}


DETAILS = [
    {"type": "reasoning.text", "text": "hm", "index": 0},
    {"type": "reasoning.encrypted", "data": "e", "index": 1},
]
SIGNED = {"google": {"thought_signature": "s"}}
THINKING = {"type": "thinking", "thinking": "hm", "signature": "sig"}
MESSAGE = {"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": "Hi"}]}
REDACTED = {"type": "redacted_thinking", "data": SEALED}
SEARCH = {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {"query": "q"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srv1", "content": [{"type": "web_search_result"}]}
CODE = {"type": "server_tool_use", "id": "srv2", "name": "code_execution", "input": {"code": "c"}}
CALLER = {"type": "code_execution_20250825", "tool_id": "srv2"}
MCP_USE = {"type": "mcp_tool_use", "id": "mcp1", "name": "ask", "server_name": "wiki", "input": {"q": "x"}}
MCP_RESULT = {"type": "mcp_tool_result", "tool_use_id": "mcp1", "is_error": False, "content": []}
REASONED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"}
WEB = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}}
SHELL = {"type": "local_shell_call", "id": "ls_1", "call_id": "c9", "status": "completed", "action": {}}
ASKED = {
    "type": "mcp_call",
    "id": "mcp_1",
    "name": "ask",
    "arguments": '{"q": 1}',
    "server_label": "wiki",
    "output": "x",
}
PROGRAM = {"type": "program", "id": "cm_1", "call_id": "p1", "code": "f()"}
BY_PROGRAM = {"type": "program", "caller_id": "p1"}

# Source, its payloads, target, results, entries.
Row = tuple[str, list[dict[str, Any]], str, dict[str, Any], list[dict[str, Any]]]

CASES: dict[str, Row] = {
    # --- openai-chat
    "chat: reasoning in its own fields, and what stood beside the call": (
        "openai-chat",
        chat(
            {
                "content": "Let me see.",
                "reasoning": "hm",
                "reasoning_details": DETAILS,
                "tool_calls": [function("f", '{"a": 1}', "c0", extra_content=SIGNED)],
            }
        ),
        "openai-chat",
        {"c0": {"ok": True}},
        [
            {
                "role": "assistant",
                "content": "Let me see.",
                "reasoning": "hm",
                "reasoning_details": DETAILS,
                "tool_calls": [function("f", '{"a": 1}', "c0", extra_content=SIGNED)],
            },
            {"role": "tool", "tool_call_id": "c0", "content": '{"ok":true}'},
        ],
    ),
    "chat: reasoning_content": (
        "openai-chat",
        chat({"content": "Hi", "reasoning_content": "hm"}, "stop"),
        "openai",
        {},
        [{"role": "assistant", "content": "Hi", "reasoning_content": "hm"}],
    ),
    "chat: reasoning alone is no message": ("openai-chat", chat({"reasoning_content": "hm"}, "stop"), "openai", {}, []),
    "chat: a refusal": (
        "openai-chat",
        chat({"content": None, "refusal": "No."}, "stop"),
        "openai-chat",
        {},
        [{"role": "assistant", "content": None, "refusal": "No."}],
    ),
    "chat: a custom call": (
        "openai-chat",
        chat({"tool_calls": [{"id": "c0", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}]}),
        "openai-chat",
        {"c0": "1"},
        [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c0", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}],
            },
            {"role": "tool", "tool_call_id": "c0", "content": "1"},
        ],
    ),
    "chat: nothing of another wire's": (
        "anthropic",
        anthropic(
            THINKING,
            {"type": "text", "text": "Hi"},
            SEARCH,
            FOUND,
            {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}, "caller": {"type": "direct"}},
        ),
        "openai-chat",
        {"toolu_1": "x"},
        [
            {"role": "assistant", "content": "Hi", "tool_calls": [function("f", '{"a":1}', "toolu_1")]},
            {"role": "tool", "tool_call_id": "toolu_1", "content": "x"},
        ],
    ),
    # --- mistral
    "mistral: thinking before all other parts": (
        "mistral",
        chat(
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                    {"type": "text", "text": "Hi"},
                ],
                "tool_calls": [function("f", "{}", "Ab3dEf9hI")],
            }
        ),
        "mistral",
        {"Ab3dEf9hI": "x"},
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                    {"type": "text", "text": "Hi"},
                ],
                "tool_calls": [function("f", "{}", "Ab3dEf9hI")],
            },
            {"role": "tool", "tool_call_id": "Ab3dEf9hI", "name": "f", "content": "x"},
        ],
    ),
    "mistral: no field that it doesn't know, and no custom call": (
        "openai-chat",
        chat(
            {
                "refusal": "No.",
                "reasoning_content": "hm",
                "tool_calls": [
                    function("f", "{}", "Ab3dEf9hI", extra_content=SIGNED),
                    {"id": "123456789", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}},
                ],
            }
        ),
        "mistral",
        {"Ab3dEf9hI": "x", "123456789": "y"},
        [
            {
                "role": "assistant",
                "content": "No.",
                "tool_calls": [
                    function("f", "{}", "Ab3dEf9hI"),
                    function("sql", '{"input":"SELECT 1"}', "123456789"),
                ],
            },
            {"role": "tool", "tool_call_id": "Ab3dEf9hI", "name": "f", "content": "x"},
            {"role": "tool", "tool_call_id": "123456789", "name": "sql", "content": "y"},
        ],
    ),
    # --- openai-responses
    "responses: whole items with their ids, in order": (
        "openai-responses",
        responses(
            REASONED,
            WEB,
            SHELL,
            ASKED,
            {**MESSAGE, "phase": "commentary"},
            {"type": "function_call", "id": "fc_1", "call_id": "c0", "name": "f", "arguments": '{"a": 1}'},
            {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c1", "name": "sql", "input": "SELECT 1"},
        ),
        "openai-responses",
        {"c0": [1], "c1": "y"},
        [
            REASONED,
            WEB,
            {key: ASKED[key] for key in ("type", "id", "name", "arguments", "server_label", "output")},
            {
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "Hi", "annotations": []}],
                "id": "msg_1",
                "phase": "commentary",
            },
            {"type": "function_call", "call_id": "c0", "name": "f", "arguments": '{"a": 1}', "id": "fc_1"},
            {"type": "custom_tool_call", "call_id": "c1", "name": "sql", "input": "SELECT 1", "id": "ctc_1"},
            {"type": "function_call_output", "call_id": "c0", "output": "[1]"},
            {"type": "custom_tool_call_output", "call_id": "c1", "output": "y"},
        ],
    ),
    "responses: a program's call, and an id that is too long": (
        "openai-responses",
        responses(
            {"type": "reasoning", "id": "r" * 65, "encrypted_content": "e", "status": None},
            PROGRAM,
            {
                "type": "function_call",
                "id": "f" * 65,
                "call_id": "c0",
                "name": "f",
                "arguments": "{}",
                "caller": BY_PROGRAM,
            },
        ),
        "responses",
        {"c0": "x"},
        [
            {"type": "reasoning", "summary": [], "encrypted_content": "e"},
            PROGRAM,
            {"type": "function_call", "call_id": "c0", "name": "f", "arguments": "{}", "caller": BY_PROGRAM},
            {"type": "function_call_output", "call_id": "c0", "output": "x", "caller": BY_PROGRAM},
        ],
    ),
    "responses: reasoning that led to nothing": (
        "openai-responses",
        responses(
            {"type": "message", "id": "msg_1", "content": [{"type": "refusal", "refusal": "No."}]},
            REASONED,
        ),
        "openai-responses",
        {},
        [{"type": "message", "role": "assistant", "content": "No."}],
    ),
    "responses: nothing of another wire's": (
        "openai-chat",
        chat({"content": "Hi", "reasoning": "hm", "tool_calls": [function("f", "{}", "c0", extra_content=SIGNED)]}),
        "openai-responses",
        {},
        [
            {"type": "message", "role": "assistant", "content": "Hi"},
            {"type": "function_call", "call_id": "c0", "name": "f", "arguments": "{}"},
            {
                "type": "function_call_output",
                "call_id": "c0",
                "output": "The tool's run was interrupted: there is no result.",
            },
        ],
    ),
    # --- anthropic
    "anthropic: thinking in its place, its own calls with their results": (
        "anthropic",
        anthropic(
            THINKING,
            REDACTED,
            {"type": "text", "text": "See: "},
            SEARCH,
            FOUND,
            MCP_USE,
            MCP_RESULT,
            {"type": "thinking", "thinking": "unsigned"},
            {"type": "text", "text": "\n"},
            {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}},
        ),
        "anthropic",
        {"toolu_1": {"ok": True}},
        [
            {
                "role": "assistant",
                "content": [
                    THINKING,
                    REDACTED,
                    {"type": "text", "text": "See: "},
                    SEARCH,
                    FOUND,
                    {key: MCP_USE[key] for key in ("type", "id", "name", "input", "server_name")},
                    MCP_RESULT,
                    {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}},
                ],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": '{"ok":true}'}],
            },
        ],
    ),
    "anthropic: a call of its own without a result stays for the call that came out of it": (
        "anthropic",
        anthropic(CODE, {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}, "caller": CALLER}),
        "claude",
        {"toolu_1": "x"},
        [
            {
                "role": "assistant",
                "content": [
                    CODE,
                    {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}, "caller": CALLER},
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}]},
        ],
    ),
    "anthropic: a call of its own without a result, a result without a call, white space and thinking at the end": (
        "anthropic",
        anthropic(
            {"type": "text", "text": "Hi "},
            SEARCH,
            {"type": "web_search_tool_result", "tool_use_id": "srv9", "content": []},
            {"type": "text", "text": "there. \n"},
            THINKING,
            reason="end_turn",
        ),
        "bedrock-invoke",
        {},
        [{"role": "assistant", "content": [{"type": "text", "text": "Hi there."}]}],
    ),
    "anthropic: blank text alone is nothing": (
        "anthropic",
        anthropic({"type": "text", "text": " \n"}, reason="end_turn"),
        "anthropic",
        {},
        [],
    ),
    "anthropic: Claude's thinking by way of Converse": (
        "bedrock-converse",
        converse(
            {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}},
            {"reasoningContent": {"redactedContent": SEALED}},
            {"toolUse": {"toolUseId": "tooluse_1", "name": "f", "input": {"a": 1}}},
        ),
        "anthropic",
        {"tooluse_1": "x"},
        [
            {
                "role": "assistant",
                "content": [
                    THINKING,
                    REDACTED,
                    {"type": "tool_use", "id": "tooluse_1", "name": "f", "input": {"a": 1}},
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "tooluse_1", "content": "x"}]},
        ],
    ),
    "anthropic: nothing of another wire's": (
        "openai-responses",
        responses(
            REASONED,
            ASKED,
            {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c.1", "name": "sql", "input": "SELECT 1"},
        ),
        "anthropic",
        {"c.1": ""},
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "c_1_255b58d8aa", "name": "sql", "input": {"input": "SELECT 1"}}
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c_1_255b58d8aa", "content": ""}]},
        ],
    ),
    # --- bedrock-converse
    "converse: reasoning, json and text, an error": (
        "bedrock-converse",
        converse(
            {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}},
            {"reasoningContent": {"redactedContent": SEALED}},
            {"text": "Hi"},
            {"text": "  "},
            *(
                {"toolUse": {"toolUseId": f"tooluse_{number}", "name": "f", "input": {"a": number}}}
                for number in range(4)
            ),
        ),
        "bedrock",
        {"tooluse_0": {"ok": True}, "tooluse_1": [1], "tooluse_2": KeyError("x"), "tooluse_3": ""},
        [
            {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}},
                    {"reasoningContent": {"redactedContent": b"sealed"}},
                    {"text": "Hi  "},
                    *(
                        {"toolUse": {"toolUseId": f"tooluse_{number}", "name": "f", "input": {"a": number}}}
                        for number in range(4)
                    ),
                ],
            },
            {
                "role": "user",
                "content": [
                    {"toolResult": {"toolUseId": "tooluse_0", "content": [{"json": {"ok": True}}]}},
                    {"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "[1]"}]}},
                    {
                        "toolResult": {
                            "toolUseId": "tooluse_2",
                            "content": [{"text": "KeyError: 'x'"}],
                            "status": "error",
                        }
                    },
                    {"toolResult": {"toolUseId": "tooluse_3", "content": []}},
                ],
            },
        ],
    ),
    "converse: Claude's thinking by way of Anthropic, and its own call left out": (
        "anthropic",
        anthropic(
            THINKING,
            REDACTED,
            {"type": "redacted_thinking", "data": "no base64"},
            SEARCH,
            FOUND,
            {"type": "text", "text": "Hi. "},
            THINKING,
            reason="end_turn",
        ),
        "bedrock-converse",
        {},
        [
            {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}},
                    {"reasoningContent": {"redactedContent": b"sealed"}},
                    {"text": "Hi."},
                ],
            }
        ],
    ),
    "converse: unsigned reasoning stays away": (
        "bedrock-converse",
        converse({"reasoningContent": {"reasoningText": {"text": "hm"}}}, {"text": "Hi"}, reason="end_turn"),
        "bedrock-converse",
        {},
        [{"role": "assistant", "content": [{"text": "Hi"}]}],
    ),
    # --- gemini
    "gemini: signatures on their parts, ids where there were some": (
        "gemini",
        gemini(
            {"text": "hm", "thought": True},
            {"executableCode": {"language": "PYTHON", "code": "1"}, "thoughtSignature": "s0"},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
            {"text": "H"},
            {"text": "i"},
            {"text": "", "thoughtSignature": "s1"},
            {"text": "!"},
            {"functionCall": {"name": "f", "args": {"a": 1}, "id": "g0"}, "thoughtSignature": "s2"},
            {"functionCall": {"name": "f", "args": {"a": 2}, "id": "g1"}},
        ),
        "gemini",
        {"g0": {"ok": True}, "g1": KeyError("x")},
        [
            {
                "role": "model",
                "parts": [
                    {"executableCode": {"language": "PYTHON", "code": "1"}, "thoughtSignature": "s0"},
                    {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
                    {"text": "Hi"},
                    {"text": "", "thoughtSignature": "s1"},
                    {"text": "!"},
                    {"functionCall": {"name": "f", "args": {"a": 1}, "id": "g0"}, "thoughtSignature": "s2"},
                    {"functionCall": {"name": "f", "args": {"a": 2}, "id": "g1"}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "f", "response": {"ok": True}, "id": "g0"}},
                    {"functionResponse": {"name": "f", "response": {"error": "KeyError: 'x'"}, "id": "g1"}},
                ],
            },
        ],
    ),
    "gemini: a dummy for the first call from elsewhere, and no ids": (
        "openai-chat",
        chat({"content": "Hi", "tool_calls": [function("f", '{"a":1}', "c0"), function("g", "{}", "c1")]}),
        "google",
        {"c0": "x", "c1": None},
        [
            {
                "role": "model",
                "parts": [
                    {"text": "Hi"},
                    {
                        "functionCall": {"name": "f", "args": {"a": 1}},
                        "thoughtSignature": "skip_thought_signature_validator",
                    },
                    {"functionCall": {"name": "g", "args": {}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "f", "response": {"output": "x"}}},
                    {"functionResponse": {"name": "g", "response": {"output": None}}},
                ],
            },
        ],
    ),
    # --- cohere
    "cohere: its plan, and the model's own text": (
        "cohere",
        cohere({"tool_plan": "I will f.", "tool_calls": [function("f", '{"a": 1}', "c0")]}),
        "cohere",
        {"c0": {"ok": True}},
        [
            {"role": "assistant", "tool_plan": "I will f.", "tool_calls": [function("f", '{"a": 1}', "c0")]},
            {"role": "tool", "tool_call_id": "c0", "content": '{"ok":true}'},
        ],
    ),
    "cohere: its thinking": (
        "cohere",
        cohere({"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Hi"}]}),
        "cohere",
        {},
        [
            {
                "role": "assistant",
                "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Hi"}],
            }
        ],
    ),
    "cohere: nothing of another wire's": (
        "ollama",
        ollama(
            {
                "content": "Hi",
                "thinking": "hm",
                "tool_calls": [{"id": "c0", "function": {"name": "f", "arguments": {}}}],
            }
        ),
        "cohere",
        {"c0": "x"},
        [
            {"role": "assistant", "content": "Hi", "tool_calls": [function("f", "{}", "c0")]},
            {"role": "tool", "tool_call_id": "c0", "content": "x"},
        ],
    ),
    # --- ollama
    "ollama: thinking, and objects for arguments": (
        "ollama",
        ollama({"thinking": "hm", "tool_calls": [{"id": "c0", "function": {"name": "f", "arguments": {"a": 1}}}]}),
        "ollama",
        {"c0": [1]},
        [
            {
                "role": "assistant",
                "content": "",
                "thinking": "hm",
                "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}],
            },
            {"role": "tool", "tool_name": "f", "content": "[1]"},
        ],
    ),
    "ollama: nothing of another wire's": (
        "cohere",
        cohere({"tool_plan": "I will f.", "tool_calls": [function("f", '{"a": 1}', "c0")]}),
        "ollama",
        {"c0": "x"},
        [
            {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]},
            {"role": "tool", "tool_name": "f", "content": "x"},
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_forms(name: str) -> None:
    """Entries, exactly."""
    source, payloads, target, results, entries = CASES[name]

    assert message_of(source, payloads).to_history(target, results) == entries


CITED = {"type": "citations_delta", "citation": {"type": "web_search_result_location"}}
BLOCKS = anthropic(*({"type": "text", "text": said} for said in ("One.", "\n\n", "Two.")), reason="end_turn")
BLOCKS.insert(2, {"type": "content_block_delta", "index": 0, "delta": CITED})


@pytest.mark.parametrize(
    ("wire", "payloads", "entry"),
    [
        ("anthropic", BLOCKS, {"role": "assistant", "content": [{"type": "text", "text": "One.\n\nTwo."}]}),
        (
            "bedrock-converse",
            converse({"text": "1"}, {"image": {}}, {"text": "2"}, reason="end_turn"),
            {"role": "assistant", "content": [{"text": "12"}]},
        ),
        (
            "gemini",
            gemini({"text": "1"}, {"inlineData": {}}, {"text": "2"}),
            {"role": "model", "parts": [{"text": "12"}]},
        ),
    ],
)
def test_what_is_left_out_does_not_cut_text(wire: str, payloads: list[dict[str, Any]], entry: dict[str, Any]) -> None:
    """Texts that something stood between are one again, white space included."""
    assert message_of(wire, payloads).to_history(wire) == [entry]


@pytest.mark.parametrize("payload", ["x", None, [], {"type": "response.output_item.done", "item": 1}, {"type": []}])
def test_unknown_may_be_anything(payload: Any) -> None:
    """What has no meaning has none here either."""
    for source in FORMS:
        message = Message.of([MessageStart(None, None, source), TextDelta("Hi"), Unknown(payload)])
        for wire in FORMS:
            (entry,) = message.to_history(wire)
            assert "Hi" in str(entry)


def test_entries_share_nothing_with_what_came() -> None:
    """A cache mark on a block doesn't go into the message."""
    message = message_of(
        "anthropic", anthropic(REDACTED, SEARCH, FOUND, {"type": "text", "text": "Hi"}, reason="end_turn")
    )

    for block in message.to_history("anthropic")[0]["content"]:
        block["cache_control"] = {"type": "ephemeral"}

    assert message.to_history("anthropic")[0]["content"] == [REDACTED, SEARCH, FOUND, {"type": "text", "text": "Hi"}]


DETAILS = [
    {"type": "reasoning.text", "text": "First ", "index": 0, "signature": None},
    {"type": "reasoning.text", "text": "this.", "index": 0},
    {"type": "reasoning.text", "text": "", "index": 0, "signature": "s0"},
    {"type": "reasoning.text", "text": "Then that.", "index": 1},
    {"type": "reasoning.encrypted", "data": "ab", "index": 2, "id": "r"},
    {"type": "reasoning.encrypted", "data": "cd", "index": 2, "id": "r"},
]


def test_reasoning_details_in_pieces_are_whole_again() -> None:
    """OpenRouter streams each detail in pieces, and its text once more beside it."""
    deltas: list[dict[str, Any]] = [{"reasoning": each.get("text"), "reasoning_details": [each]} for each in DETAILS]
    payloads = [{"choices": [{"index": 0, "delta": delta}]} for delta in [*deltas, {"content": "Done."}]]
    message = message_of("openai-chat", [*payloads, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}])
    assert [type(part).__name__ for part in message.choices[0].parts] == ["Reasoning", "Reasoning", "Text"]
    (entry,) = message.to_history("openrouter")
    assert entry == {
        "role": "assistant",
        "content": "Done.",
        "reasoning": "First this.Then that.",
        "reasoning_details": [
            {"type": "reasoning.text", "text": "First this.", "index": 0, "signature": "s0"},
            {"type": "reasoning.text", "text": "Then that.", "index": 1},
            {"type": "reasoning.encrypted", "data": "abcd", "index": 2, "id": "r"},
        ],
    }


@pytest.mark.parametrize("target", FORMS)
def test_what_no_request_can_hold(target: str) -> None:
    """Half a surrogate pair and a number past all floats: the entries can be sent, and the model's text isn't lost."""
    arguments = '{"\\ud800é": "a\\udc00", "é": "ü", "big": 1e999}'
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": arguments}}
    raw = {"index": 1, "id": "d", "function": {"name": "f", "arguments": '{"x": "\ud800"}'}}
    said = {"index": 0, "delta": {"content": "\udc00", "tool_calls": [call, raw]}, "finish_reason": "tool_calls"}
    message = message_of("openai-chat", [{"choices": [said]}])
    entries = message.to_history(target, {"c": "x\ud800", "d": {"\ud800": 1}})
    sent = json.dumps(entries, ensure_ascii=False, allow_nan=False).encode()
    assert b"1e999" in sent
    assert "x\ufffd" in sent.decode()


def test_text_keeps_halves_as_escapes() -> None:
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"x": "\ud800", "é": "ü"}'}}
    message = message_of(
        "openai-chat", [{"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}]
    )
    entry, _ = message.to_history("openai-chat")
    assert entry["tool_calls"][0]["function"]["arguments"] == '{"x": "\\ud800", "é": "ü"}'
    entry, _ = message.to_history("anthropic")
    assert list(entry["content"][0]["input"].items()) == [("x", "\ufffd"), ("é", "ü")]
