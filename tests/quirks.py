"""Every way in which a wire, or a server that speaks it, strays from what one would expect, and the test that shows it.

References: `recording:` names a recorded stream, `case:` a reproduction of a bug report, `test:` a test or a case in a
test file, where the name of a case that is made for several values is its beginning. `docs/quirks_table.py` makes the
page of them.
"""

from __future__ import annotations

from typing import NamedTuple

ACCUMULATOR = "test:tests/test_accumulator.py::"
ANTHROPIC = "test:tests/wire/test_anthropic.py::"
AWS_EVENTSTREAM = "test:tests/framing/test_aws_eventstream.py::"
BEDROCK_CONVERSE = "test:tests/wire/test_bedrock_converse.py::"
BEDROCK_INVOKE = "test:tests/wire/test_bedrock_invoke.py::"
COHERE = "test:tests/wire/test_cohere.py::"
GEMINI = "test:tests/wire/test_gemini.py::"
GEMINI_INTERACTIONS = "test:tests/wire/test_gemini_interactions.py::"
GEMINI_LIVE = "test:tests/wire/test_gemini_live.py::"
HERE = "test:tests/test_quirks.py::"
JSONPATH = "test:tests/partial/test_jsonpath.py::"
JSON_ARRAY = "test:tests/framing/test_json_array.py::"
NDJSON = "test:tests/framing/test_ndjson.py::"
OLLAMA = "test:tests/wire/test_ollama.py::"
OPENAI_CHAT = "test:tests/wire/test_openai_chat.py::"
OPENAI_RESPONSES = "test:tests/wire/test_openai_responses.py::"
PATH_WRITER = "test:tests/partial/test_path_writer.py::"
RECORDINGS = "test:tests/corpus/test_recordings.py::"
SANSIO = "test:tests/test_sansio.py::"
SSE = "test:tests/framing/test_sse.py::"
TIMING = "test:tests/test_timing.py::"
TRUNCATION = "test:tests/corpus/test_truncation.py::"


class Quirk(NamedTuple):
    """One quirk of a wire, or of the framing under it: who sends it, what it is, and what covers it."""

    wire: str
    vendors: str
    what: str
    covered_by: tuple[str, ...]


QUIRKS: list[Quirk] = [
    # --- framing
    Quirk(
        "framing",
        "Gemini (CRLF), Anthropic (LF), proxies",
        "Lines end with LF, CRLF or CR, even mixed in one body",
        (
            f"{SSE}CRLF",
            f"{SSE}mixed ends",
            "case:SSE-02",
            "recording:google_ai__chatlas_gemini_3_5_flash_test_tools_simple.sse",
        ),
    ),
    Quirk(
        "framing",
        "OpenRouter",
        "Comments stand before, between and after events",
        (
            f"{SSE}comments",
            "case:SSE-04",
            "recording:openrouter__deepseek-deepseek-chat-v3-1-object-streaming.sse",
        ),
    ),
    Quirk(
        "framing",
        "Mistral, Anthropic, xAI",
        "The last event has no blank line after it",
        (
            f"{SSE}no end",
            "case:SSE-06",
            "recording:xai__stream-with-tools-responses-1.sse",
            "recording:mistral__sk_streaming_function_call.sse",
            "recording:anthropic__sdkpy_incomplete_partial_json_max_tokens.sse",
        ),
    ),
    Quirk(
        "framing",
        "Anthropic",
        "Blanks pad the data behind its JSON",
        (
            f"{SSE}trailing blanks kept",
            "recording:anthropic__prism_stream_with_tools_1.sse",
        ),
    ),
    Quirk(
        "framing",
        "any server",
        "A document is spread over several `data:` lines",
        (
            f"{SSE}lines joined",
            f"{SSE}pretty document",
        ),
    ),
    Quirk(
        "framing",
        "any server",
        "A byte order mark comes first",
        (
            f"{SSE}mark",
            "case:SSE-08",
        ),
    ),
    Quirk(
        "framing",
        "any server",
        "The network cuts inside a character",
        (
            "case:SSE-10",
            f"{RECORDINGS}test_byte_by_byte",
        ),
    ),
    Quirk(
        "framing",
        "GitHub Copilot, Bedrock mantle",
        "Events follow each other without a blank line, as logs and replays have them",
        (
            f"{SSE}no blank",
            "recording:github-copilot__spec-single-tool-call.sse",
            "recording:bedrock-mantle__reused-tool-call-ids-stream.sse",
        ),
    ),
    Quirk(
        "framing",
        "Bedrock mantle",
        "An event has a name but no data",
        (
            f"{SSE}name without data",
            "recording:bedrock-mantle__reused-tool-call-ids-stream-2.sse",
        ),
    ),
    Quirk(
        "framing",
        "Groq, gateways",
        "Named events appear among unnamed ones",
        (
            "case:SSE-12",
            "recording:groq__tool-use-failed-error-streaming-2.sse",
        ),
    ),
    Quirk(
        "framing",
        "OpenRouter, proxies",
        "A line of data begins with a blank, or a line is no field at all",
        (
            f"{SSE}leading blanks",
            f"{SSE}test_stray_lines",
            "recording:openrouter__tools-streaming-tools-streaming-variant-c.sse",
        ),
    ),
    Quirk(
        "framing",
        "Gemini",
        "A JSON object stands bare between events, over several lines",
        (
            f"{SSE}bare, pretty",
            f"{GEMINI}test_a_bare_error_between_events_is_heard",
            "recording:google_vertex__firebase_error_mid_stream_bare_json.sse",
        ),
    ),
    Quirk(
        "framing",
        "Gemini",
        "One JSON array arrives in pieces when the client did not ask for events",
        (
            f"{JSON_ARRAY}in pieces",
            "recording:google_ai__llm_gemini_gemini_3_6_flash_test_tools_with_nested_pydantic_models.json",
        ),
    ),
    Quirk(
        "framing",
        "Ollama",
        "One JSON document a line, with no other framing",
        (
            f"{NDJSON}lines",
            "recording:ollama__rig_qwen3_4b_streaming_tools_streaming_tools_smoke.ndjson",
        ),
    ),
    Quirk(
        "framing",
        "Bedrock",
        "Binary frames with lengths and checksums, split and joined by the network",
        (
            f"{AWS_EVENTSTREAM}three",
            f"{AWS_EVENTSTREAM}test_any_bytes_any_cuts",
            "recording:aws_claude__dd_trace_py_anthropic_claude_3_son_bedrock_converse_stream.bin",
        ),
    ),
    Quirk(
        "framing",
        "OpenRouter (Anthropic shape), Cohere, Mistral, Gemini Interactions",
        "`[DONE]` follows although the wire has an end of its own",
        (
            "case:SSE-14",
            f"{SANSIO}test_done_ends_any_wire",
            "recording:openrouter_anthropic__rig_gateway_message_delta_metadata_text_only.sse",
            "recording:cohere__ruby_llm_command_a_03_2025_meters_in_multi_turn_streaming_conversations.sse",
        ),
    ),
    Quirk(
        "framing",
        "all",
        "The bytes stop and nothing says that the turn is over",
        (
            f"{TRUNCATION}test_cut_at_every_payload",
            f"{TRUNCATION}test_cut_at_random_bytes",
        ),
    ),
    Quirk(
        "framing",
        "proxies",
        "The body is no stream: a page, plain text, JSON that stops",
        (f"{SANSIO}test_bad_bytes_end_in_an_error_that_says_what_came",),
    ),
    Quirk(
        "framing",
        "MiniMax, self-hosted servers",
        "The stream falls silent and never ends",
        (
            f"{TIMING}silence, with nothing",
            f"{TIMING}test_each_limit_on_the_async_edge",
        ),
    ),
    Quirk(
        "framing",
        "gateways",
        "Only keep-alives come for a long time",
        (
            f"{TIMING}silence, after bytes",
            f"{TIMING}first, with keep-alives",
        ),
    ),
    # --- openai-chat
    Quirk(
        "openai-chat",
        "Mistral, OpenAI, Azure, llama.cpp, Groq, Cerebras, OpenRouter",
        "Members for padding and bookkeeping mean nothing (`p`, `obfuscation`, `timings`, `x_groq`, `time_info`)",
        (
            f"{OPENAI_CHAT}members that mean nothing here are dropped",
            "recording:azure__o4-mini-tool-streaming.sse",
            "recording:llamacpp__llama-cpp-gpt-oss-tool-streaming.sse",
            "recording:groq__gpt-oss-120b-object-streaming.sse",
            "recording:cerebras__cererebras-structured-output-tools-1-step1.jsonl",
        ),
    ),
    Quirk(
        "openai-chat",
        "Azure, GitHub Copilot",
        "The first chunk has no choices, and its id, model and object are empty",
        (
            f"{OPENAI_CHAT}a first chunk without choices or an id (Azure, Copilot), and choices without a delta",
            "recording:azure__o4-mini-tool-streaming.sse",
            "recording:github-copilot__tool-stream-response-000.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Azure with asynchronous filters",
        "A choice has no `delta`, even in the middle of a call",
        (
            f"{OPENAI_CHAT}a delta that says nothing",
            "case:ENV-03",
        ),
    ),
    Quirk(
        "openai-chat",
        "GitHub Copilot, z.ai",
        "`object` is missing",
        (
            f"{OPENAI_CHAT}no object (Copilot, z.ai)",
            "recording:github-copilot__spec-single-tool-call.sse",
            "recording:zai__glm-4-5-flash-object-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Avian",
        "The chunk's id changes within one response",
        (
            f"{OPENAI_CHAT}the first id and model stand",
            "recording:avian__kimi-tool-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Azure, Bedrock, many",
        "`delta` or `tool_calls` is empty or null",
        (
            f"{OPENAI_CHAT}a delta that says nothing",
            "recording:bedrock-openai__4c710c580a.jsonl",
        ),
    ),
    Quirk(
        "openai-chat",
        "OpenRouter, Ollama, Databricks, MiniMax",
        "The role comes again on each chunk, or is empty",
        (
            f"{OPENAI_CHAT}a delta that says nothing",
            "recording:databricks__provider-tool-variations.sse",
            "recording:ollama__qwen3-can-use-tools-with-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Writer",
        "`message` repeats what `delta` says",
        (
            f"{OPENAI_CHAT}a message beside the delta says the same again (Writer)",
            "recording:writer__chat-async-streaming-chat-multiple-tool-call-requests-legacy.sse",
            "recording:writer__openllmetry_palmyra_x4_ming_chat_multiple_tool_call_requests_legacy.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Together",
        "`text` repeats what `delta` says",
        (f"{HERE}test_text_beside_the_delta_counts_once",),
    ),
    Quirk(
        "openai-chat",
        "OpenAI",
        "The header of a call has its id and name, later deltas the index alone",
        (
            f"{OPENAI_CHAT}a header, then fragments",
            "case:ID-05",
            "recording:openai__completions-api-completions-api-raw-stream-surfaces-two-distinct-tool.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "OpenAI (`n` > 1)",
        "Several choices come interleaved, and each counts its calls from 0",
        (
            f"{OPENAI_CHAT}choices interleave, each counts its calls from 0, ids may be the same",
            "case:ENV-05",
            "recording:openai__multiple-choice-tool-3-stream.jsonl",
        ),
    ),
    Quirk(
        "openai-chat",
        "OpenAI (`n` > 1)",
        "One id is on the calls of two choices",
        ("recording:openai__litellm-completion-stream-multiple-choices-with-tools.sse",),
    ),
    Quirk(
        "openai-chat",
        "Bedrock behind gateways",
        "Calls stand on a choice of their own though one choice was asked for",
        (
            f"{OPENAI_CHAT}calls on a choice of their own, while the first one finishes for them",
            "case:OFF-03",
        ),
    ),
    Quirk(
        "openai-chat",
        "none yet",
        "Argument fragments of two calls come in turns",
        (
            f"{OPENAI_CHAT}two calls interleave",
            f"{ACCUMULATOR}interleaved",
            "case:COL-09",
        ),
    ),
    Quirk(
        "openai-chat",
        "OpenAI, any",
        "A fragment is cut inside an escape or between surrogates",
        (
            f"{OPENAI_CHAT}a pair of surrogates cut in two",
            f"{SANSIO}test_lone_surrogates_in_payloads_pass",
            "case:PJ-12",
        ),
    ),
    Quirk(
        "openai-chat",
        "OpenAI, GitHub Copilot",
        "The deprecated single `function_call` has neither an id nor an index",
        (
            f"{OPENAI_CHAT}function_call: no id, no index, its name again is a repeat",
            "recording:openai__legacy-function-call-gpt35-0613.jsonl",
        ),
    ),
    Quirk(
        "openai-chat",
        "Mistral, Gemini, Ollama before 0.4.7",
        "`index` is missing",
        (
            f"{OPENAI_CHAT}no index: whole calls in one delta (Mistral)",
            f"{OPENAI_CHAT}no index: a new id opens",
            "case:IDX-01",
            "recording:mistral__tool-call.jsonl",
        ),
    ),
    Quirk(
        "openai-chat",
        "gateways",
        "`index` is missing on some deltas only",
        (
            f"{OPENAI_CHAT}indexes and none mixed",
            "case:IDX-03",
        ),
    ),
    Quirk(
        "openai-chat",
        "Ollama, Gemini, SGLang, vLLM, Dynamo, GitHub Copilot",
        "One index is used for different calls",
        (
            f"{OPENAI_CHAT}one index: a new id with a name opens",
            f"{ACCUMULATOR}one index, new id and name",
            "case:COL-01",
        ),
    ),
    Quirk(
        "openai-chat",
        "gateways",
        "A call begins on one index and goes on at another",
        (
            f"{OPENAI_CHAT}an unknown index with neither id nor name continues the open call",
            "case:COL-03",
        ),
    ),
    Quirk(
        "openai-chat",
        "hosts of Kimi",
        "The id changes within a call, and no name comes with the new one",
        (
            f"{OPENAI_CHAT}one index: a new id without a name is the same call, and the first id stays (Kimi)",
            f"{ACCUMULATOR}one index, new id without a name",
        ),
    ),
    Quirk(
        "openai-chat",
        "vLLM on Bedrock",
        "Several entries of a delta share an index and are fragments of one call",
        (
            f"{OPENAI_CHAT}several entries of one delta are one call's fragments (vLLM on Bedrock)",
            "recording:bedrock-openai__ee4b7deb8c.jsonl",
        ),
    ),
    Quirk(
        "openai-chat",
        "Mistral, OpenRouter",
        "Several whole calls are in one delta",
        (
            f"{OPENAI_CHAT}two calls in one delta",
            "case:DUPX-02",
            "case:COL-11",
            "recording:openrouter__mistralai-mistral-medium-3-1-object-streaming.sse",
            "recording:mistral__rig_mistral_small_latest_atrix_streaming_mistral_small_parallel_model.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "z.ai (-1), Anthropic behind gateways (1), LiteLLM",
        "Indexes begin below or above 0, or have gaps",
        (
            f"{OPENAI_CHAT}an index is a key",
            f"{ACCUMULATOR}opaque indexes",
            "recording:zai__glm-4-5-flash-object-streaming.sse",
        ),
    ),
    Quirk("openai-chat", "hostile or broken servers", "An index is enormous", ("case:OFF-05",)),
    Quirk(
        "openai-chat",
        "DashScope, SGLang, Venice, hosts of Kimi and GLM",
        'Later deltas have an id that is empty, null or the word "null"',
        (
            f"{OPENAI_CHAT}an id and a name that are none",
            "case:ID-02",
            "recording:alibaba__tool-call.jsonl",
            "recording:venice__conformance-streaming-tool.sse",
            "recording:openrouter__z-ai-glm-4-5-air-object-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "TGI, Novita",
        "The id comes again with each delta",
        (
            f"{OPENAI_CHAT}id and name on each delta (TGI, Novita)",
            "case:ID-04",
            "recording:tgi__tools-llama-flash-llama-grammar-tools-choice-stream.jsonl",
        ),
    ),
    Quirk(
        "openai-chat",
        "TGI, Novita, Kimi",
        "Ids repeat between calls or responses (`0`, `functions.f:0`)",
        (
            f"{OPENAI_CHAT}ids that are not unique: the vendor's is kept beside ours",
            "case:ID-07",
            "recording:avian__kimi-tool-streaming.sse",
            "recording:huggingface-router__huggingface-kimi-k2-multi-tool-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "LM Studio, deprecated calls",
        "There is no id at all",
        (
            f"{OPENAI_CHAT}no id at all: one is made",
            "case:ID-11",
            "recording:openai__legacy-function-call-gpt35-0613.jsonl",
        ),
    ),
    Quirk(
        "openai-chat",
        "Novita, llama.cpp of May 2025",
        "The name comes again with each delta",
        (
            f"{OPENAI_CHAT}id and name on each delta (TGI, Novita)",
            f"{ACCUMULATOR}no index, name repeated on each delta",
            "recording:openrouter__tools-streaming-tools-streaming-variant-a.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "watsonx, Mistral, LM Studio, SGLang",
        "Later deltas have a name that is empty or null",
        (
            f"{OPENAI_CHAT}an id and a name that are none",
            "recording:watsonx__27dea74770.jsonl",
            "recording:mistral__vercel_mistral_incremental_tool_call.jsonl",
        ),
    ),
    Quirk(
        "openai-chat",
        "vLLM with Command A, SGLang",
        "The name comes after the header, even after arguments",
        (
            f"{OPENAI_CHAT}a late name delays the start, and fragments wait for it",
            "case:NAME-02",
        ),
    ),
    Quirk(
        "openai-chat",
        "broken servers",
        "A name never comes",
        (
            f"{OPENAI_CHAT}a name that never comes",
            "case:NAME-04",
        ),
    ),
    Quirk(
        "openai-chat",
        "Mistral, gateways",
        "`type` is missing, or repeated on each fragment",
        (
            "recording:mistral__tool-call.jsonl",
            "recording:mistral__vercel_mistral_tool_call.jsonl",
            "case:ENV-07",
        ),
    ),
    Quirk(
        "openai-chat",
        "Gemini (thought signatures)",
        "Members that a replay needs come with a call, or alone after it",
        (f"{OPENAI_CHAT}unknown members of a call are kept, also when they come alone (Gemini's signatures)",),
    ),
    Quirk(
        "openai-chat",
        "xAI, Mistral, Groq, Ollama, z.ai, Cerebras",
        "A call is whole in one delta, its start and end with it",
        (
            f"{OPENAI_CHAT}a whole call in one delta",
            "recording:xai__tool-call.jsonl",
            "recording:groq__qwen-qwen3-32b-object-streaming.sse",
            "recording:cerebras__cererebras-structured-output-tools-1-step2.jsonl",
        ),
    ),
    Quirk(
        "openai-chat",
        "Vercel gateway, Venice, Avian",
        "The header comes alone, and the arguments whole after it",
        (
            "recording:vercel-gateway__gemini-2-5-flash-multi-tool-streaming.sse",
            "recording:venice__tools-streaming-tools-smoke.sse",
            "recording:avian__kimi-thinking-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Meta, Kimi, Writer, vLLM",
        "The header has no arguments, or null",
        (
            f"{OPENAI_CHAT}a header without arguments",
            "case:ARG-01",
            "recording:openrouter__tools-streaming-tools-streaming-variant-c.sse",
            "recording:writer__chat-async-streaming-chat-multiple-tool-call-requests-legacy.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Qwen",
        "A call trails off: arguments of null, or an empty `function`",
        (
            f"{OPENAI_CHAT}trailing deltas that say nothing",
            "recording:openrouter__qwen-qwen3-next-80b-a3b-instruct-object-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "OpenAI, DeepSeek, xAI, Mistral, Ollama",
        "No arguments are written `{}`",
        (
            f"{OPENAI_CHAT}no arguments at a clean end",
            "recording:deepseek__chat-can-use-tools-without-parameters-in-streaming.sse",
            "recording:ollama__qwen3-can-use-tools-without-parameters-in-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Claude on Databricks and OpenRouter",
        "No arguments are empty text",
        (
            f"{OPENAI_CHAT}no arguments at a clean end",
            "recording:databricks__provider-tool-variations-async.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Groq",
        "No arguments are the text `null`",
        (
            f"{OPENAI_CHAT}no arguments at a clean end",
            "recording:groq__agent-tool-sessions-parallel-tool-calls-single-turn-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "DeepSeek, Mistral",
        "Arguments are empty because the turn was cut",
        (
            f"{OPENAI_CHAT}no arguments in a turn that was cut",
            "case:ARG-15",
            "recording:deepseek__truncation-matrix-streaming-budget-16-empty-arguments-are-dropped-on-l.sse",
            "recording:mistral__tool-truncation-matrix-streaming-ministral-3b-low-agent.sse",
            "recording:mistral__rig_ministral_3b_latest_tion_matrix_streaming_ministral_3b_low_agent.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Mistral",
        "A turn that was cut delivers the call all the same, its text broken off",
        (
            "recording:mistral__rig_ministral_3b_latest_tion_matrix_streaming_ministral_3b_mid_agent.sse",
            f"{OPENAI_CHAT}malformed text in a turn that was cut is incomplete",
        ),
    ),
    Quirk(
        "openai-chat",
        "Ollama behind LiteLLM",
        "Arguments are an object instead of text",
        (f"{OPENAI_CHAT}an object instead of text",),
    ),
    Quirk(
        "openai-chat",
        "DeepSeek on Qianfan, GLM servers, MiniMax parsers",
        "Each delta, or the last, sends all arguments so far again",
        (
            f"{OPENAI_CHAT}a fragment that repeats all that came before, where that can't be more text",
            f"{OPENAI_CHAT}the whole once more at the end",
            "case:ARG-07",
        ),
    ),
    Quirk(
        "openai-chat",
        "gateways",
        "Another document follows the arguments of a call",
        (
            f"{OPENAI_CHAT}two objects in one call",
            "case:ARG-11",
            "case:ARG-17",
        ),
    ),
    Quirk("openai-chat", "self-hosted servers", "Part of a marker follows the arguments", ("case:ARG-19",)),
    Quirk(
        "openai-chat",
        "GLM 5.2",
        "The text is a whole document before it is at its end",
        (
            f"{OPENAI_CHAT}that the text is whole ends nothing",
            "case:FIN-01",
        ),
    ),
    Quirk(
        "openai-chat",
        "OpenAI with a forced tool, Ollama, Gemini, vLLM",
        "`stop` ends a turn that made calls",
        (
            f"{OPENAI_CHAT}stop although calls were made: they win",
            "recording:openai__tool-gpt-4o-completions.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Gemini on OpenRouter",
        "Two finish reasons contradict each other",
        (
            f"{OPENAI_CHAT}two reasons: calls win over stop",
            f"{OPENAI_CHAT}two reasons: a cut wins over calls, in either order",
            "case:FIN-03",
            "recording:openrouter__google-gemini-2-5-flash-lite-object-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "OpenRouter, Doubleword, Avian, z.ai",
        "The finish reason comes again, often beside the usage",
        (
            f"{OPENAI_CHAT}one reason twice, the second with usage: one finish",
            "recording:doubleword__conformance-streaming-tool.sse",
            "recording:openrouter__moonshotai-kimi-k2-object-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Together",
        "A finish reason for each call, and more calls after it",
        (
            f"{OPENAI_CHAT}a reason per call, and more after it (Together)",
            "case:FIN-08",
            "recording:together__should-set-function-call-attributes-in-span-for-stream-completion-when.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "OpenRouter, vLLM",
        "A turn that was cut says `tool_calls`, and only the native reason tells",
        (
            f"{OPENAI_CHAT}native_finish_reason",
            f"{HERE}a cut turn that says tool_calls, told by its text alone",
        ),
    ),
    Quirk(
        "openai-chat",
        "OpenAI, DeepSeek, Mistral, llama.cpp",
        "`length` is told honestly",
        (
            f"{OPENAI_CHAT}length: a whole call is complete, but nothing is to be run",
            "recording:openai__chat-tool-truncation-matrix-streaming-gpt41-mid-agent.sse",
            "recording:openai__chat-tool-truncation-matrix-streaming-gpt4o-low-agent.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "xAI, Azure, Cerebras, z.ai, GitHub Copilot",
        "The finish reason is absent, null or empty until the end",
        (
            f"{OPENAI_CHAT}a finish reason that is none",
            "recording:xai__tool-call-2.jsonl",
            "recording:zai__glm-4-7-flash-multi-tool-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "TGI, Novita",
        "There is no finish reason at all",
        (
            f"{OPENAI_CHAT}no finish reason, but [DONE]",
            f"{OPENAI_CHAT}neither a finish reason nor [DONE]",
            "case:FIN-05",
            "recording:tgi__tools-llama-flash-llama-grammar-tools-openai.jsonl",
            "recording:hf_tgi__tools_choice_stream.jsonl",
        ),
    ),
    Quirk(
        "openai-chat",
        "many",
        "A server has finish reasons of its own",
        (
            f"{OPENAI_CHAT}test_finish_reasons",
            f"{OPENAI_CHAT}test_every_finish_reason_has_its_meaning_here",
        ),
    ),
    Quirk(
        "openai-chat",
        "Cerebras, Writer",
        "`[DONE]` is missing",
        (
            f"{OPENAI_CHAT}the end of bytes after the finish reason (Cerebras)",
            "recording:writer__chat-async-streaming-chat-multiple-tool-call-requests-legacy.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "OpenAI and most",
        "Usage has a chunk to itself, with empty choices or none",
        (
            f"{OPENAI_CHAT}usage in a chunk without choices",
            f"{OPENAI_CHAT}usage in a chunk whose choices are missing",
            "case:ENV-02",
            "recording:watsonx__b26a246e42.jsonl",
        ),
    ),
    Quirk(
        "openai-chat",
        "Groq, OpenRouter",
        "Usage is beside choices, or in both places",
        (
            f"{OPENAI_CHAT}usage beside choices and again (Groq)",
            "recording:groq__gpt-oss-120b-object-streaming.sse",
            "recording:openrouter__x-ai-grok-3-beta-object-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Databricks",
        "Each chunk has the usage so far",
        (
            f"{OPENAI_CHAT}usage on every chunk, cumulative (Databricks): the last that is not null stands",
            "recording:databricks__provider-tool-variations-async-2.sse",
        ),
    ),
    Quirk("openai-chat", "Moonshot", "Usage is inside a choice", (f"{OPENAI_CHAT}usage inside a choice (Moonshot)",)),
    Quirk(
        "openai-chat",
        "common",
        "Text comes before calls",
        (
            f"{OPENAI_CHAT}text before, between and after calls",
            "recording:deepseek__agent-tool-sessions-sequential-complex-tool-calls-streaming.sse",
            "recording:cerebras__cererebras-structured-output-tools-1-step2.jsonl",
        ),
    ),
    Quirk(
        "openai-chat",
        "Gemini on OpenRouter and the Vercel gateway",
        "Text comes after or between calls, even a stray line end",
        (
            f"{OPENAI_CHAT}text before, between and after calls",
            "case:ENV-10",
            "recording:openrouter__google-gemini-2-5-flash-lite-object-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Gemini on the Vercel gateway",
        "Reasoning comes after a call began",
        (
            f"{OPENAI_CHAT}reasoning, then text, in one delta and after a call began",
            "recording:vercel-gateway__gemini-3-pro-preview-thinking-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "DeepSeek, xAI, z.ai, Groq, Cerebras, Ollama, OpenRouter",
        "Reasoning has several names",
        (
            f"{OPENAI_CHAT}reasoning in",
            "recording:deepseek__reasoning-block-order-streaming-reasoner-parallel-tool-turn-leads-with.sse",
            "recording:ollama-cloud__gpt-oss-120b-can-use-tools-with-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "OpenRouter, Avian",
        "One delta has the same reasoning in several fields",
        (
            f"{OPENAI_CHAT}the same reasoning in three fields of one delta counts once (OpenRouter)",
            "recording:avian__kimi-thinking-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "OpenRouter",
        "Signatures that a replay needs are in `reasoning_details`",
        (
            f"{OPENAI_CHAT}a signature beside reasoning and alone",
            "recording:openrouter__gemini-multi-tool-streaming.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Mistral",
        "Content is a list of parts, with thinking among them",
        (f"{OPENAI_CHAT}text in parts, with thinking among them (Mistral)",),
    ),
    Quirk(
        "openai-chat",
        "OpenAI, OpenRouter",
        "A refusal comes as its own text, with `stop`",
        (
            f"{OPENAI_CHAT}a refusal",
            "recording:openrouter__refusal-matrix-streaming-raw-model-surfaces-refusal.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "Groq",
        "An error has an event of its name, and neither a finish reason nor `[DONE]` follows",
        (
            f"{OPENAI_CHAT}an event of its name (Groq), and no more",
            "recording:groq__tool-use-failed-error-streaming.sse",
            "recording:groq__tool-use-failed-error-streaming-with-text.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "OpenRouter",
        "An error stands beside choices, after finish reasons",
        (
            f"{OPENAI_CHAT}an error beside choices, after finish reasons (OpenRouter): they are kept, its finish too",
            "case:ERR-01",
            "recording:openrouter__stream-error.sse",
        ),
    ),
    Quirk(
        "openai-chat",
        "OpenRouter",
        "`error` is the finish reason",
        (
            f"{OPENAI_CHAT}test_finish_reasons",
            f"{HERE}the finish reason is error",
        ),
    ),
    Quirk("openai-chat", "OpenAI", "An error is all there is", (f"{OPENAI_CHAT}an error alone",)),
    Quirk(
        "openai-chat",
        "OpenAI",
        "A client's tool has free text for its input",
        (f"{OPENAI_CHAT}a custom call is free text",),
    ),
    # --- openai-responses
    Quirk(
        "openai-responses",
        "OpenAI",
        "Deltas are routed by the item's id, results by `call_id`",
        (
            f"{OPENAI_RESPONSES}deltas and all their copies",
            "recording:openai__grammar-parallel-tool-calls.sse",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenAI",
        "Arguments come in deltas, then whole three more times",
        (
            f"{OPENAI_RESPONSES}all copies in the final response too",
            "case:RS-02",
            "recording:openai__responses-tool-args-nested-arguments-streaming.sse",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenAI",
        "The call of the first event stays empty, its arguments come later",
        ("case:RS-08",),
    ),
    Quirk(
        "openai-responses",
        "gateways",
        "The call of the first event has arguments already",
        (
            f"{OPENAI_RESPONSES}arguments of the start, used at the item's end",
            f"{OPENAI_RESPONSES}arguments in the start and in deltas: the deltas win",
            "case:RS-02",
        ),
    ),
    Quirk(
        "openai-responses",
        "LM Studio",
        "Only the text's end has the arguments, no delta",
        (
            f"{OPENAI_RESPONSES}arguments in .done alone (LM Studio)",
            "recording:lmstudio__tool-call-1.jsonl",
        ),
    ),
    Quirk(
        "openai-responses",
        "gateways",
        "Only the item's end has the arguments",
        (f"{OPENAI_RESPONSES}arguments at the item's end alone",),
    ),
    Quirk(
        "openai-responses",
        "gateways",
        "Only the final response has the arguments, or the call",
        (
            f"{OPENAI_RESPONSES}arguments in the final response alone, the item announced",
            f"{OPENAI_RESPONSES}the item in the final response alone",
        ),
    ),
    Quirk(
        "openai-responses",
        "ChatGPT's backend for Codex",
        "The final response lists no output",
        (
            "recording:chatgpt-codex__tools-tool-call-completed-response-without-output.sse",
            f"{OPENAI_RESPONSES}response.completed that holds nothing",
        ),
    ),
    Quirk(
        "openai-responses",
        "xAI, OpenAI for `{}`",
        "All arguments are in one delta",
        (
            "recording:xai__agent-tool-sessions-parallel-tool-calls-single-turn-streaming.sse",
            "recording:chatgpt-codex__codex-tool-args-zero-argument-tool-call-nonstreaming.sse",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenRouter",
        "The text's end has the name too",
        (
            f"{OPENAI_RESPONSES}a name in .done alone",
            "recording:openrouter__llm-tool-calls.sse",
        ),
    ),
    Quirk(
        "openai-responses",
        "gateways",
        "A copy disagrees with the deltas",
        (f"{OPENAI_RESPONSES}a copy that contradicts makes the call invalid",),
    ),
    Quirk(
        "openai-responses",
        "OpenAI, programmatic calls",
        "A call is still in progress at its item's end",
        (
            f"{OPENAI_RESPONSES}an item that ends in progress (programmatic calls)",
            "recording:openai__programmatic-tool-calling-1.jsonl",
            "recording:openai__programmatic-tool-calling-2.jsonl",
        ),
    ),
    Quirk(
        "openai-responses",
        "GitHub Copilot",
        "Each event has another id for the same item",
        (
            f"{OPENAI_RESPONSES}and by index, while their ids rotate",
            f"{OPENAI_RESPONSES}ids that rotate, and an index only in the first event",
        ),
    ),
    Quirk(
        "openai-responses",
        "gateways",
        "The item's id is missing or empty",
        (
            f"{OPENAI_RESPONSES}an id that is none",
            f"{OPENAI_RESPONSES}no ids and no indexes: the open item",
            "case:ID-09",
        ),
    ),
    Quirk(
        "openai-responses",
        "Bedrock mantle",
        "One `call_id` is used again",
        (
            f"{OPENAI_RESPONSES}one call_id for two calls: the vendor's is kept beside ours",
            "recording:bedrock-mantle__reused-tool-call-ids-stream.sse",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenAI",
        "A call and its output share a `call_id`",
        (
            f"{OPENAI_RESPONSES}the output of a call bears its call_id, and is none",
            "case:RS-05",
        ),
    ),
    Quirk(
        "openai-responses",
        "xAI, llama.cpp",
        "Items overlap, and close in another order",
        (
            f"{OPENAI_RESPONSES}items overlap, told apart by id",
            "case:COL-07",
            "recording:xai__x-search-overlapping-items-prefix.jsonl",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenAI, tool search",
        "A call has a namespace beside its name",
        (
            f"{OPENAI_RESPONSES}test_unknown_members_of_a_call_are_kept_for_replay",
            "recording:openai__tool-search-1.jsonl",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenAI",
        "Items of other kinds stand between calls, one with an object for arguments",
        (
            f"{OPENAI_RESPONSES}other items and their events are passed on, once",
            "recording:openai__tool-search-1.jsonl",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenAI, Azure",
        "Text and reasoning stand before and after calls",
        (
            "recording:openai__responses-responses-model-mcp-server-tool-stream.sse",
            "recording:azure__reasoning-encrypted-content-1-step1.jsonl",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenAI, Azure",
        "Reasoning is sealed, and needed for a replay",
        (
            f"{OPENAI_RESPONSES}reasoning to replay by its sealed content alone",
            "recording:azure__reasoning-encrypted-content-1-step2.jsonl",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenAI",
        "Free text is a tool's input",
        (
            f"{OPENAI_RESPONSES}a custom call, closed by its item's end",
            "recording:openai__custom-tool-1.jsonl",
        ),
    ),
    Quirk(
        "openai-responses",
        "xAI",
        "A custom call is one that the server runs",
        (
            f"{OPENAI_RESPONSES}xAI's own search is a server's call with JSON for its input",
            "recording:xai__x-search-overlapping-items-prefix.jsonl",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenAI",
        "MCP calls run on the server, and have no `call_id`",
        (
            f"{OPENAI_RESPONSES}an MCP call",
            f"{OPENAI_RESPONSES}an MCP call that failed there",
            "recording:openai__responses-responses-model-mcp-server-tool-stream.sse",
        ),
    ),
    Quirk(
        "openai-responses",
        "Bedrock mantle, Azure",
        "Events have no name but the one in their data",
        (
            f"{OPENAI_RESPONSES}no event names",
            "recording:azure__tool-call-1.jsonl",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenRouter",
        "`[DONE]` follows the final event",
        (
            f"{OPENAI_RESPONSES}[DONE] after the final event",
            "recording:openrouter__llm-tool-calls.sse",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenAI, Azure",
        "Padding hides the length of deltas",
        (
            f"{OPENAI_RESPONSES}padding is dropped",
            "recording:azure__tool-call-1.jsonl",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenAI",
        "A call that was cut gets all its ends, its text broken off",
        (
            f"{OPENAI_RESPONSES}a turn cut in a call, which gets all its ends",
            "recording:openai__grammar-incomplete-mid-tool-call.sse",
        ),
    ),
    Quirk(
        "openai-responses",
        "gateways",
        "A cut is told in the details of a response that calls itself complete",
        (f"{OPENAI_RESPONSES}response.completed with details of a cut",),
    ),
    Quirk("openai-responses", "OpenAI", "An error is flat, as documented", (f"{OPENAI_RESPONSES}an error, flat",)),
    Quirk(
        "openai-responses",
        "OpenAI",
        "An error is nested, and the failed response says it again",
        (
            f"{OPENAI_RESPONSES}an error, nested, and the failed response: reported once",
            "recording:openai__error-1.jsonl",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenAI",
        "The failed response alone has the error",
        (f"{OPENAI_RESPONSES}the failed response alone",),
    ),
    Quirk(
        "openai-responses",
        "any, cut off",
        "There is no final event",
        (
            f"{OPENAI_RESPONSES}the end of bytes in a call",
            f"{OPENAI_RESPONSES}the end of bytes after a call's end",
            "recording:xai__x-search-overlapping-items-prefix.jsonl",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenAI",
        "Blanks and repeats between fragments are text",
        (
            f"{OPENAI_RESPONSES}white space and repeats between fragments are text",
            "case:ARG-09",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenAI",
        "Arguments are no object",
        (
            f"{OPENAI_RESPONSES}not an object: invalid, and the turn stays what it is",
            "case:VAL-04",
        ),
    ),
    Quirk(
        "openai-responses",
        "OpenAI",
        "Letters beyond ASCII, and surrogates cut apart",
        (
            f"{OPENAI_RESPONSES}arguments with a pair of surrogates cut in two, and whole in their copy",
            "recording:chatgpt-codex__codex-tool-args-unicode-arguments-streaming.sse",
        ),
    ),
    # --- anthropic
    Quirk(
        "anthropic",
        "Anthropic, recorders",
        "The event's name and the data's type say the same, or one is missing",
        (
            f"{ANTHROPIC}the event's name stands in for a missing type",
            f"{ANTHROPIC}the type wins over the event's name",
            "recording:anthropic__vercel_anthropic_json_tool_1.jsonl",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic",
        "The first fragment of nearly every call is empty",
        (
            f"{ANTHROPIC}call in fragments, ended by its block's stop",
            "recording:anthropic__prism_stream_with_tools_1.sse",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic",
        "No arguments are one empty fragment",
        (
            f"{ANTHROPIC}no arguments: only an empty delta, so the stop reason decides",
            "recording:anthropic__vercel_anthropic_tool_no_args.jsonl",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic",
        "No arguments are no fragment at all",
        (
            f"{ANTHROPIC}no arguments: no delta, no input",
            "case:ARG-13",
            "recording:anthropic__vercel_anthropic_advisor_stop_reasons.jsonl",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic, programmatic calls",
        "The whole input is in the block's start",
        (
            f"{ANTHROPIC}input in the start, used at the block's stop",
            "case:AN-02",
            "recording:anthropic__vercel_anthropic_programmatic_tool_calling_1_turn1.jsonl",
            "recording:anthropic__vercel_anthropic_web_fetch_tool_20260209_1.jsonl",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic",
        "Input is in the start and in fragments",
        (f"{ANTHROPIC}input in the start and in deltas: the deltas win",),
    ),
    Quirk(
        "anthropic",
        "Anthropic, programmatic calls",
        "The message begins with content",
        (
            f"{ANTHROPIC}message_start with whole blocks and the stop reason",
            "recording:anthropic__vercel_anthropic_programmatic_tool_calling_1_turn10.jsonl",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic",
        "A call has members beside name and input (`caller`)",
        (
            f"{ANTHROPIC}unknown members of a call's block are kept with it",
            "recording:anthropic__rig_claude_opus_4_7_opus_4_7_messages_streaming_tools_smoke.sse",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic",
        "Fragments end after a digit or a backslash",
        (
            "case:ARG-28",
            "recording:anthropic__vercel_anthropic_code_execution_20250825_2.jsonl",
            "recording:anthropic__req_llm_claude_haiku_4_5_20251_claude_haiku_4_5_20251001_object_streaming.sse",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic, eager streaming",
        "Arguments come unchecked: invalid, or swallowing what follows",
        (
            f"{HERE}eager streaming: text that is no JSON",
            "case:ARG-21",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic",
        "A turn that was cut leaves the block open",
        (
            f"{ANTHROPIC}max_tokens while the block is open, and no stop for it",
            "case:AN-09",
            "case:FIN-18",
            "recording:anthropic__sdkpy_incomplete_partial_json_max_tokens.sse",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic, gateways",
        "The stop reason says nothing of the calls",
        (f"{ANTHROPIC}a call wins over end_turn",),
    ),
    Quirk(
        "anthropic",
        "Anthropic",
        "Tools that the provider runs do not ask the client, whatever the stop reason",
        (
            f"{ANTHROPIC}server tools and MCP are the provider's to run",
            "recording:anthropic__llm_anthropi_claude_opus_4_1_202508_test_web_search.sse",
            "recording:anthropic__rig_claude_opus_4_8_amed_web_search_preserves_server_tool_blocks.sse",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic",
        "MCP calls run on the server",
        (
            f"{ANTHROPIC}server tools and MCP are the provider's to run",
            "recording:anthropic__vercel_anthropic_mcp_1.jsonl",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic",
        "The turn pauses after many calls of the provider's",
        (
            "recording:anthropic__pydantic_ai_claude_sonnet_4_5_test_pause_turn_web_search_streaming_vcr.sse",
            f"{ANTHROPIC}test_stop_reasons",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic",
        "The turn ends in a refusal",
        (
            "recording:anthropic__sdkpy_fallback_server_tool_then_refusal.sse",
            f"{ANTHROPIC}test_stop_reasons",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic",
        "Results of the provider's tools are blocks, whole in their start",
        (
            "recording:anthropic__pydantic_ai_claude_sonnet_4_6_ropic_text_editor_code_execution_tool_stream.sse",
            f"{ANTHROPIC}a block of no known type, with deltas and a stop",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic",
        "Deltas of other kinds: citations, compaction, signatures",
        (
            f"{ANTHROPIC}citations, by delta and in the start",
            f"{ANTHROPIC}thinking with its signature",
            "recording:anthropic__vercel_anthropic_compaction_1.jsonl",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic",
        "Pings come anywhere, also inside a call",
        (
            f"{ANTHROPIC}pings anywhere",
            "recording:anthropic__req_llm_claude_sonnet_4_5_2025__5_20250929_object_streaming_auto_with_tools.sse",
        ),
    ),
    Quirk(
        "anthropic",
        "gateways",
        "`message_start` comes twice for one message",
        (f"{ANTHROPIC}a duplicate of message_start",),
    ),
    Quirk(
        "anthropic",
        "gateways",
        "A retry begins the message anew and abandons what is open",
        (
            f"{ANTHROPIC}a retry while a block is open, and one ended",
            "recording:anthropic__vercel_spliced_message_start.jsonl",
        ),
    ),
    Quirk("anthropic", "none yet", "Blocks overlap", (f"{ANTHROPIC}blocks interleave by index",)),
    Quirk(
        "anthropic",
        "Anthropic",
        "An error ends the stream, with neither a stop reason nor `message_stop`",
        (
            f"{ANTHROPIC}an error while a call is open",
            "case:ERR-03",
        ),
    ),
    Quirk(
        "anthropic",
        "Vertex, Bedrock, compatible servers",
        "Ids have other prefixes",
        (
            "recording:vertex_anthropic__fantasy_claude_3_7_sonnet_2025_vertex_claude_3_7_sonnet_tool_streaming.sse",
            "recording:aws_claude__fantasy_us_anthropic_claude_op_ock_anthropic_claude_opus_4_6_tool_streaming.bin",
        ),
    ),
    Quirk(
        "anthropic",
        "Anthropic",
        "Nothing comes while a large value is generated",
        (
            f"{TIMING}progress in a call",
            "case:AN-08",
        ),
    ),
    Quirk(
        "anthropic",
        "compatible servers",
        "The stop reason or the message's stop is missing",
        (
            f"{ANTHROPIC}no stop reason, but message_stop",
            f"{ANTHROPIC}no message_stop",
            f"{ANTHROPIC}no block stop",
        ),
    ),
    Quirk(
        "anthropic",
        "MiniMax",
        "Thinking has no signature, or stands in the message's start",
        (
            f"{HERE}thinking without a signature, in the message's start",
            f"{ANTHROPIC}thinking in the block's start",
        ),
    ),
    Quirk(
        "anthropic",
        "local servers",
        "All arguments are in one fragment",
        ("recording:anthropic__sdkgo_fallback_tooluse.sse",),
    ),
    Quirk(
        "anthropic",
        "MiniMax behind gateways",
        "`[DONE]` comes in place of all the events",
        (f"{ANTHROPIC}test_done_in_place_of_all_the_events",),
    ),
    # --- gemini
    Quirk(
        "gemini",
        "Gemini 2, gemini-3-pro-preview",
        "Calls have no id",
        (
            f"{GEMINI}a whole call ends at once",
            f"{GEMINI}test_ids_are_made_up_where_there_are_none_or_the_same",
            "recording:google_ai__braintrust_s_gemini_2_0_flash_001_test_tool_use_stream.sse",
        ),
    ),
    Quirk(
        "gemini",
        "Gemini 3",
        "Calls have an id",
        (
            f"{GEMINI}an id is kept",
            "recording:google_ai__chatlas_gemini_3_5_flash_test_tools_parallel.sse",
        ),
    ),
    Quirk(
        "gemini",
        "Gemini",
        "Calls have no index, and one function is called again in the same chunk",
        (
            f"{GEMINI}one function several times, in one chunk and over chunks",
            "case:COL-05",
            "recording:google_ai__crewai_gemini_2_0_flash_ini_streaming_multiple_tool_calls_unique_ids.sse",
            "recording:google_ai__mirascope_gemini_2_5_flash_stream.sse",
        ),
    ),
    Quirk(
        "gemini",
        "Gemini 3",
        "Calls of one turn are spread over chunks",
        (
            "recording:google_ai__adk_go_gemini_3_1_pro_preview_rallel_function_calls_gemini_3_1_pro_preview.sse",
            f"{GEMINI}one function several times, in one chunk and over chunks",
        ),
    ),
    Quirk(
        "gemini",
        "Gemini",
        "`STOP` ends a turn that made calls, with the call or after it",
        (
            "recording:google_ai__vercel_google_tool_call.jsonl",
            "recording:google_vertex__fantasy_gemini_2_5_pro_vertex_gemini_2_5_pro_tool_streaming.sse",
            f"{GEMINI}a whole call ends at once",
        ),
    ),
    Quirk(
        "gemini",
        "Gemini",
        "A message beside the finish reason tells of calls, and is no error",
        (
            f"{HERE}a finish message is no error",
            "recording:google_ai__mirascope_gemini_2_5_flash_stream.sse",
        ),
    ),
    Quirk(
        "gemini",
        "Gemini",
        "Content follows the finish reason",
        (
            f"{GEMINI}content after a finish reason",
            "recording:google_ai__js_genai_gemini_2_5_flash_ev_should_call_server_side_mcp_server_stream.jsonl",
        ),
    ),
    Quirk(
        "gemini",
        "Gemini with MCP",
        "A call is answered in the same stream",
        (
            f"{GEMINI}a call that is answered in the same stream",
            "recording:google_ai__js_genai_gemini_2_5_flash_e_messages_with_server_side_mcp_tools_stream.jsonl",
        ),
    ),
    Quirk(
        "gemini",
        "Gemini",
        "A call that the model garbled: a finish reason and no content",
        (
            f"{GEMINI}a malformed call",
            "case:GM-01",
            "recording:google_ai__geminicli_malformed_function_call.jsonl",
        ),
    ),
    Quirk(
        "gemini",
        "Gemini",
        "A tool was called that there is not: one chunk, no content",
        (
            f"{GEMINI}test_finish_reasons",
            "recording:google_ai__adk_go_gemini_2_5_flash_allbackintegration_agent_tool_default_schema_1.sse",
        ),
    ),
    Quirk("gemini", "Gemini", "Too many calls in a turn are a finish reason", (f"{GEMINI}test_finish_reasons",)),
    Quirk(
        "gemini",
        "Gemini",
        "No arguments are `{}`",
        (
            "recording:google_ai__chatlas_gemini_3_5_flash_test_tools_simple.sse",
            f"{GEMINI}an empty object is written when the finish comes",
        ),
    ),
    Quirk(
        "gemini",
        "Gemini",
        "`args` is absent or null",
        (
            f"{GEMINI}a call without arguments ends when the turn is over",
            f"{GEMINI}null and empty text are no arguments",
        ),
    ),
    Quirk(
        "gemini",
        "Gemini through other clients",
        "A call comes without arguments, and they follow without its name",
        (f"{GEMINI}arguments in a second part, after an empty object",),
    ),
    Quirk(
        "gemini",
        "Gemini through other clients",
        "A call comes again without its signature: read as two calls",
        (f"{GEMINI}the same call again, without its signature: two calls",),
    ),
    Quirk(
        "gemini",
        "Gemini",
        "Content, its parts, its role or its index is missing",
        (
            f"{GEMINI}a chunk of another kind, and odd content",
            "recording:google_vertex__firebase_malformed_content.sse",
            "recording:google_vertex__fantasy_gemini_2_5_pro_vertex_gemini_2_5_pro_tool_streaming.sse",
        ),
    ),
    Quirk(
        "gemini",
        "Gemini",
        "A chunk has nothing but usage or feedback on the prompt",
        (
            f"{GEMINI}usage in a chunk of its own, none of it known",
            f"{GEMINI}a prompt that isn't blocked",
            "recording:google_vertex__firebase_function_call_short.sse",
        ),
    ),
    Quirk("gemini", "Gemini", "The prompt is blocked", (f"{GEMINI}a blocked prompt",)),
    Quirk(
        "gemini",
        "Gemini 3",
        "Only the first of several calls is signed",
        (
            f"{GEMINI}test_signatures_and_unknown_fields_stay_with_their_call",
            "case:GM-03",
            "recording:google_ai__fantasy_gemini_3_1_pro_preview_gemini_3_pro_preview_multi_tool_streaming.sse",
            "recording:google_ai__openinferenc_gemini_3_5_flash_streaming_reasoning_with_multiple_tool_calls.sse",
        ),
    ),
    Quirk(
        "gemini",
        "Gemini 3",
        "The signature is on an empty text after the call",
        (
            f"{GEMINI}thoughts, and signatures on their parts",
            "recording:google_ai__pydantic_ai_gemini_3_flash_preview_le_model_file_search_grounding_gemini_3_true_3.sse",
        ),
    ),
    Quirk(
        "gemini",
        "Gemini",
        "The provider's own parts: code, its result, tool calls and responses",
        (
            f"{GEMINI}parts of the provider's own",
            "recording:google_ai__openinferenc_gemini_2_5_flash_test_validate_token_counts_stream.sse",
            "recording:google_ai__pydantic_ai_gemini_2_5_pro_test_google_model_file_search_tool_stream_3.sse",
        ),
    ),
    Quirk(
        "gemini",
        "Gemini",
        "An error comes in the middle, in an event or bare",
        (
            f"{GEMINI}an error in the middle, and what comes after it",
            f"{GEMINI}test_a_bare_error_between_events_is_heard",
            "recording:google_vertex__firebase_error_mid_stream_bare_json.sse",
        ),
    ),
    Quirk("gemini", "Gemini", "Integers come as doubles", ("case:ARG-23",)),
    Quirk("gemini", "SDKs", "Names are in snake_case", (f"{GEMINI}names in snake_case",)),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed call: a start, values by path, an empty part as the end",
        (
            f"{GEMINI}start, values, bare parts and an empty part as the end",
            "case:GM-05",
            "recording:google_vertex__js_genai_gemini_3_pro_preview__content_enabled_streamfunctioncallarguments.jsonl",
        ),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed call: the start has a name and no values, and is no call without arguments",
        (
            f"{GEMINI}start, values, bare parts and an empty part as the end",
            f"{GEMINI}a start and no more: the end of bytes",
        ),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed call: the last values have nothing more to come",
        (f"{GEMINI}a part with values and no more to come is the end",),
    ),
    Quirk(
        "gemini", "Vertex", "Streamed call: an explicit false is the end", (f"{GEMINI}an explicit false is the end",)
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed call: the end of the stream is the only end",
        (
            f"{GEMINI}values and no end, yet the turn ends",
            f"{GEMINI}a string is open at the end of bytes",
        ),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed call: name and all values in one part",
        (
            f"{GEMINI}all in one part",
            "recording:google_vertex__jsgenai_single_chunk_two_numbers.jsonl",
        ),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed call: a name alone is a call without arguments",
        (
            f"{GEMINI}a streamed call without arguments",
            "recording:google_vertex__vercel_google_stream_no_args_tool_call.jsonl",
        ),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed call: a part that says only that more comes, between elements",
        (
            f"{GEMINI}start, values, bare parts and an empty part as the end",
            "recording:google_vertex__vercel_google_vertex_stream_tool_call_arguments_nested_.jsonl",
        ),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed call: several in a row, whole and streamed, one function again",
        (
            f"{GEMINI}calls one after the other, whole and streamed",
            "recording:google_vertex__vercel_google_stream_no_args_tool_call.jsonl",
        ),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed call: another call begins while one was due",
        (f"{GEMINI}another call ends one that was still due",),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed call: the name comes again with values",
        (f"{GEMINI}the same name with values goes on with a call that is due",),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed call: whole arguments beside values",
        (f"{GEMINI}whole arguments beside values by path",),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed call: the end shares its chunk with the finish reason, or follows it",
        (
            f"{GEMINI}the end may come after the finish reason",
            "recording:google_vertex__js_genai_gemini_3_pro_preview_am_arguments_when_afc_is_disabled_explicitly.jsonl",
        ),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed value: an empty text ends a string, even of one letter",
        (
            f"{GEMINI}test_a_string_shows_as_it_grows",
            "recording:google_vertex__js_genai_gemini_3_pro_preview_am_arguments_when_afc_is_disabled_explicitly.jsonl",
        ),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed value: the last piece of a string has text",
        (f"{HERE}the last piece of a string has text",),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed value: a string is open when the turn ends or is cut",
        (
            f"{GEMINI}a string is open when the turn is cut",
            f"{GEMINI}a string is open when the call ends",
        ),
    ),
    Quirk(
        "gemini", "Vertex", "Streamed value: an empty string is one piece", (f"{HERE}numbers, words and texts by path",)
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed value: numbers, true, false and null come whole",
        (
            f"{HERE}numbers, words and texts by path",
            f"{PATH_WRITER}test_scalars",
        ),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed value: text has quotes, line ends and backslashes, decoded",
        (f"{HERE}numbers, words and texts by path",),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed path: nested objects and arrays",
        (
            "recording:google_vertex__vercel_google_vertex_stream_tool_call_arguments_nested_.jsonl",
            f"{PATH_WRITER}test_text",
        ),
    ),
    Quirk(
        "gemini",
        "Vertex",
        "Streamed path: quoted keys, with dots and escapes",
        (
            f"{HERE}quoted keys and numbers as keys",
            f"{JSONPATH}test_singular_paths",
        ),
    ),
    Quirk(
        "gemini", "Vertex", "Streamed path: a number after a dot is a key", (f"{HERE}quoted keys and numbers as keys",)
    ),
    Quirk(
        "gemini",
        "broken or hostile servers",
        "Streamed path: wildcards, slices, filters and negative indexes",
        (
            f"{JSONPATH}test_what_is_no_path_to_one_place",
            f"{HERE}a path that leads to many places",
        ),
    ),
    Quirk(
        "gemini",
        "Vertex (Gemini 3 Flash)",
        "Streamed path: a closed container again, a gap, a container where a value stands",
        (
            f"{PATH_WRITER}test_refusals",
            f"{HERE}wrong paths",
        ),
    ),
    Quirk(
        "gemini",
        "hostile servers",
        "Streamed path: an enormous index, a key of `__proto__`",
        (
            f"{GEMINI}test_the_limit_on_indexes_ends_the_stream",
            f"{HERE}a key of JavaScript's",
        ),
    ),
    # --- gemini-interactions
    Quirk(
        "gemini-interactions",
        "Gemini",
        "Argument fragments are text in a member of its own type",
        (
            f"{GEMINI_INTERACTIONS}a call",
            "recording:google_ai__rig_gemini_3_flash_preview_reaming_grammar_interactions_same_tool_twice.sse",
        ),
    ),
    Quirk(
        "gemini-interactions",
        "Gemini",
        "The start has an empty object in the arguments' place",
        (
            f"{GEMINI_INTERACTIONS}a call",
            "recording:google_ai__rig_gemini_3_flash_preview_reaming_grammar_interactions_same_tool_twice.sse",
        ),
    ),
    Quirk(
        "gemini-interactions",
        "Gemini",
        "One tool is called twice",
        (
            f"{GEMINI_INTERACTIONS}the same tool twice",
            "recording:google_ai__rig_gemini_3_flash_preview_reaming_grammar_interactions_same_tool_twice.sse",
        ),
    ),
    Quirk(
        "gemini-interactions",
        "Gemini",
        "The status tells that calls wait, or that the turn was cut",
        (
            f"{GEMINI_INTERACTIONS}test_finish_reasons",
            f"{GEMINI_INTERACTIONS}cut in the arguments",
        ),
    ),
    Quirk(
        "gemini-interactions",
        "Gemini",
        "Steps of the provider's own, with calls and results",
        (
            f"{GEMINI_INTERACTIONS}the provider's own doings are passed on",
            "recording:google_ai__vercel_google_search.jsonl",
        ),
    ),
    Quirk(
        "gemini-interactions",
        "Gemini",
        "The end has an event of its own, with `[DONE]` for data",
        (
            f"{GEMINI_INTERACTIONS}done alone ends it",
            "recording:google_ai__rig_gemini_3_flash_preview_reaming_grammar_interactions_same_tool_twice.sse",
        ),
    ),
    # --- gemini-live
    Quirk(
        "gemini-live",
        "Gemini",
        "Calls come whole, in a message that ends nothing",
        (
            f"{GEMINI_LIVE}a call hands over",
            "recording:google_ai__pydanticai_tool_call_round.jsonl",
        ),
    ),
    Quirk(
        "gemini-live",
        "Gemini",
        "Calls are cancelled by id",
        (
            f"{GEMINI_LIVE}one of two calls is cancelled",
            f"{GEMINI_LIVE}all calls are cancelled",
        ),
    ),
    Quirk(
        "gemini-live",
        "Gemini",
        "A call is printed as code first",
        (
            f"{GEMINI_LIVE}code that prints a call is none",
            "recording:google_ai__jsgenai_live_ml_dev_should_send_tool_response.jsonl",
        ),
    ),
    # --- bedrock-converse
    Quirk(
        "bedrock-converse",
        "Bedrock",
        "Padding stands beside the one member that is the event",
        (
            f"{BEDROCK_CONVERSE}test_padding_beside_a_member",
            "recording:aws_claude__dd_trace_py_anthropic_claude_3_son_bedrock_converse_stream.bin",
        ),
    ),
    Quirk(
        "bedrock-converse",
        "Bedrock",
        "Text has no start of a block",
        (
            f"{BEDROCK_CONVERSE}text, then a call in pieces, usage at last",
            "recording:aws_claude__langchain_aw_us_anthropic_claude_so_test_agent_loop_streaming_v0.bin",
        ),
    ),
    Quirk(
        "bedrock-converse",
        "Bedrock",
        "Blocks count text too, so the first call's index is 1",
        (
            "case:OFF-01",
            "recording:aws_claude__openllmetry_anthropic_claude_3_son_test_anthropic_converse_stream_with_tool_use.bin",
        ),
    ),
    Quirk(
        "bedrock-converse",
        "Bedrock",
        "Usage follows the stop of the message",
        (
            f"{BEDROCK_CONVERSE}text, then a call in pieces, usage at last",
            "recording:aws_nova__pydantic_ai_us_amazon_nova_micro_v_test_bedrock_model_iter_stream.bin",
        ),
    ),
    Quirk(
        "bedrock-converse",
        "edited recordings",
        "Usage precedes the stop, ends of blocks are missing",
        (
            f"{BEDROCK_CONVERSE}usage before the stop (trimmed recordings)",
            f"{BEDROCK_CONVERSE}no stop of the block",
            "recording:aws_claude__vercel_amazon_bedrock_json_tool_2.jsonl",
        ),
    ),
    Quirk(
        "bedrock-converse",
        "Nova",
        "All arguments are in one delta, also `{}`",
        (
            "recording:aws_nova__ruby_llm_us_amazon_nova_2_lite__meters_in_multi_turn_streaming_conversations.bin",
            "recording:aws_nova__pydantic_ai_us_amazon_nova_micro_v_test_bedrock_model_iter_stream.bin",
        ),
    ),
    Quirk(
        "bedrock-converse",
        "Claude",
        "The first fragment is empty, and the only one without arguments",
        (
            f"{BEDROCK_CONVERSE}no arguments, and nothing but an empty text",
            "recording:aws_claude__vercel_amazon_bedrock_tool_no_args.jsonl",
        ),
    ),
    Quirk(
        "bedrock-converse",
        "Cohere",
        "Arguments are spread over lines, a token at a time",
        ("recording:aws_cohere_command__req_llm_cohere_command_r_v1_0_cohere_command_r_v1_0_object_streaming.bin",),
    ),
    Quirk(
        "bedrock-converse",
        "Nova",
        "One tool is called twice",
        ("recording:aws_nova__opentelemetr_amazon_nova_micro_v1_test_converse_stream_no_content_tool_call.bin",),
    ),
    Quirk(
        "bedrock-converse",
        "Nova",
        "A tool that AWS runs, with results in a list",
        (
            f"{BEDROCK_CONVERSE}a tool that AWS runs, its results and citations",
            "recording:aws_nova__ruby_llm_us_amazon_nova_2_lite__azon_nova_2_lite_v1_0_streams_grounded_turns.bin",
        ),
    ),
    Quirk(
        "bedrock-converse",
        "Claude",
        "Reasoning has text, a signature and redacted bytes",
        (f"{BEDROCK_CONVERSE}reasoning, its signature and what is redacted",),
    ),
    Quirk(
        "bedrock-converse",
        "Bedrock",
        "The stop reason tells of a malformed call or output",
        (
            f"{BEDROCK_CONVERSE}a malformed call",
            f"{BEDROCK_CONVERSE}test_finish_reasons",
        ),
    ),
    Quirk(
        "bedrock-converse",
        "Bedrock",
        "A block's stop comes before the reason that tells of the cut",
        (
            f"{BEDROCK_CONVERSE}cut by max_tokens: the stop of the block comes first",
            "case:FIN-13",
        ),
    ),
    Quirk(
        "bedrock-converse",
        "Bedrock",
        "An exception has a frame of its own, by type",
        (
            f"{BEDROCK_CONVERSE}an exception",
            f"{AWS_EVENTSTREAM}exception",
            "case:BR-01",
        ),
    ),
    Quirk(
        "bedrock-converse",
        "Bedrock",
        "An error without a model has a code and a message in the frame's head",
        (f"{AWS_EVENTSTREAM}unmodeled",),
    ),
    # --- bedrock-invoke
    Quirk(
        "bedrock-invoke",
        "Bedrock",
        "The model's own payload is in base64, beside padding",
        (
            f"{BEDROCK_INVOKE}base64 in a union",
            "recording:aws_claude__chatlas_us_anthropic_claude_so_test_anthropic_tool_variations.bin",
        ),
    ),
    Quirk(
        "bedrock-invoke",
        "Claude",
        "Claude's stream ends with counts of Bedrock's",
        (
            f"{BEDROCK_INVOKE}Claude: the counts of Bedrock are beside its own",
            "recording:aws_claude__fantasy_us_anthropic_claude_so_k_anthropic_claude_sonnet_4_5_tool_streaming.bin",
        ),
    ),
    Quirk(
        "bedrock-invoke",
        "Claude",
        "Without arguments there is one empty fragment",
        ("recording:aws_claude__chatlas_us_anthropic_claude_so_test_anthropic_tool_variations_async_2.bin",),
    ),
    Quirk(
        "bedrock-invoke",
        "Nova",
        "Each token of text has a block of its own, so indexes jump",
        (
            f"{BEDROCK_INVOKE}Nova",
            "recording:aws_nova__opentelemetr_amazon_nova_micro_v1_se_stream_with_content_tool_call_amazon_nova.bin",
        ),
    ),
    Quirk("bedrock-invoke", "Kimi", "Chunks are OpenAI's", (f"{BEDROCK_INVOKE}chunks of OpenAI's (Kimi)",)),
    Quirk(
        "bedrock-invoke",
        "Bedrock",
        "An exception ends the stream",
        (
            f"{BEDROCK_INVOKE}Claude: cut by an exception",
            f"{BEDROCK_INVOKE}an exception alone",
        ),
    ),
    # --- cohere
    Quirk(
        "cohere",
        "Cohere",
        "`tool_calls` is one object, not a list",
        (
            f"{COHERE}a call",
            f"{COHERE}a list of calls",
            "recording:cohere__langchain_co_command_r_test_streaming_tool_call.sse",
        ),
    ),
    Quirk(
        "cohere",
        "Cohere",
        "The plan before a call is no text of the answer",
        (
            f"{COHERE}a plan, then a call",
            "recording:cohere__ruby_llm_command_a_03_2025_ools_with_multi_turn_streaming_conversations.sse",
        ),
    ),
    Quirk(
        "cohere",
        "Cohere",
        "Without arguments there is no delta",
        (
            f"{COHERE}no arguments",
            "recording:cohere__vercel_cohere_empty_tool_call.jsonl",
        ),
    ),
    Quirk(
        "cohere",
        "Cohere",
        "Arguments are spread over lines, and cut after digits",
        ("recording:cohere__openllmetry_command_r_v2_chat_legacy_with_tool_calls_and_streaming.sse",),
    ),
    Quirk(
        "cohere",
        "Cohere",
        "Two calls, by index",
        (
            f"{COHERE}two calls interleave",
            "recording:cohere__openllmetry_command_r_v2_chat_legacy_with_tool_calls_and_streaming.sse",
        ),
    ),
    Quirk(
        "cohere",
        "Cohere",
        "Thinking is a kind of content",
        (
            f"{COHERE}thinking",
            "recording:cohere__rig_command_a_reasoning_08_streaming_grammar_reasoning_then_tool_call.sse",
        ),
    ),
    Quirk("cohere", "Cohere", "Citations and their ends stand between", (f"{COHERE}citations and what is new",)),
    Quirk(
        "cohere",
        "Cohere",
        "The id holds the tool's name",
        ("recording:cohere__ruby_llm_command_a_03_2025_meters_in_multi_turn_streaming_conversations.sse",),
    ),
    Quirk(
        "cohere",
        "Cohere",
        "An error is in the last event",
        (
            f"{COHERE}an error at the end",
            f"{COHERE}an error beside the end's delta",
        ),
    ),
    # --- ollama
    Quirk(
        "ollama",
        "Ollama",
        "Arguments are an object",
        (
            f"{OLLAMA}a call",
            "case:ARG-04",
            "recording:ollama__rig_qwen3_4b_streaming_tools_streaming_tools_smoke.ndjson",
        ),
    ),
    Quirk(
        "ollama",
        "Ollama, older",
        "Calls have neither an id nor an index",
        (
            f"{OLLAMA}a call",
            "recording:ollama__prism_stream_multi_tool_conversation_1.ndjson",
        ),
    ),
    Quirk(
        "ollama",
        "Ollama, newer",
        "Calls have an id and an index",
        ("recording:ollama__rig_qwen3_4b_streaming_grammar_same_tool_twice.ndjson",),
    ),
    Quirk(
        "ollama",
        "Ollama",
        "The first call has no index, and the second has 1",
        (f"{OLLAMA}two calls in two lines, the first without an index and the second with 1",),
    ),
    Quirk(
        "ollama",
        "Ollama",
        "Several calls are in one line",
        (
            f"{OLLAMA}two calls in one line",
            "recording:ollama__sk_multi_calls_one_done_line.ndjson",
        ),
    ),
    Quirk(
        "ollama",
        "Ollama",
        "Calls are on the last line",
        (
            f"{OLLAMA}a call on the last line",
            "recording:ollama__sk_multi_calls_one_done_line.ndjson",
        ),
    ),
    Quirk(
        "ollama",
        "Ollama",
        "Arguments are absent",
        (
            f"{OLLAMA}no arguments at all",
            "recording:ollama__sk_multi_calls_one_done_line.ndjson",
        ),
    ),
    Quirk(
        "ollama",
        "Ollama",
        "`stop` ends a turn that made calls",
        (
            "recording:ollama__rig_qwen3_4b_entic_streaming_structured_output_with_tools.ndjson",
            "case:AN-06",
        ),
    ),
    Quirk(
        "ollama",
        "Ollama",
        "Thinking stands before a call",
        (
            f"{OLLAMA}thinking",
            "recording:ollama__rig_qwen3_4b_streaming_grammar_thinking_and_tool_call.ndjson",
        ),
    ),
    Quirk(
        "ollama",
        "Ollama",
        "An error is a line of its own",
        (
            f"{OLLAMA}an error on the way",
            f"{OLLAMA}an error and nothing else",
        ),
    ),
]
