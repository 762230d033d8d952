"""Objects of the official SDKs, as their own clients hand them over, are payloads like any other.

Each client reads a recording from a loopback server; its stream object goes into `toolwire.stream` as it is. The result
must be that of the recording's bytes.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import anthropic
import boto3
import cohere
import ollama
import openai
import pytest
from botocore.config import Config
from google import genai
from support import aws_frame, dumped, expected_records, needs_shared, record_of, recording, to_sse

import toolwire
from toolwire.grammar import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from botocore.eventstream import EventStream

pytestmark = needs_shared

ASK: list[Any] = [{"role": "user", "content": "hi"}]

# What a client has to be told a body is, by the recording's framing; the other framings no client here reads.
CONTENT_TYPES = {
    "aws-eventstream": "application/vnd.amazon.eventstream",
    "json": "application/json",
    "ndjson": "application/x-ndjson",
    "sse": "text/event-stream",
}

FEW = 20  # recordings of a wire, all of which are run

# Recordings that a client itself can't read, with the reason.
SDK_FAILS = {
    "github-copilot__spec-single-tool-call.sse": "no blank lines",
    "github-copilot__spec-single-tool-call-with-annotations-attached.sse": "no blank lines",
    "openrouter_anthropic__rig_gateway_message_delta_metadata_text_only.sse": "[DONE] behind message_stop",
    "zai__glm-4-5-flash-object-streaming.sse": "the stream helper drops chunks without an object field",
    "zai__glm-4-5-flash-object-streaming-2.sse": "the stream helper drops chunks without an object field",
}


@contextmanager
def serving(body: bytes, framing: str, status: int = 200, headers: Mapping[str, str] = {}) -> Iterator[str]:
    """A loopback server that answers every request with the body; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            self.send_header("Content-Type", CONTENT_TYPES[framing])
            self.send_header("Content-Length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.01), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def chat(url: str) -> toolwire.Message:
    with openai.OpenAI(api_key="x", base_url=url, max_retries=0) as client:
        return toolwire.collect(client.chat.completions.create(model="m", messages=ASK, stream=True), "openai-chat")


def chat_helper(url: str) -> toolwire.Message:
    with (
        openai.OpenAI(api_key="x", base_url=url, max_retries=0) as client,
        client.chat.completions.stream(model="m", messages=ASK) as stream,
    ):
        return toolwire.collect(stream, "auto")


def responses(url: str) -> toolwire.Message:
    with openai.OpenAI(api_key="x", base_url=url, max_retries=0) as client:
        return toolwire.collect(client.responses.create(model="m", input="hi", stream=True), "auto")


def messages(url: str) -> toolwire.Message:
    with anthropic.Anthropic(api_key="x", base_url=url, max_retries=0) as client:
        stream = client.messages.create(model="m", max_tokens=9, messages=ASK, stream=True)
        return toolwire.collect(stream, "auto")


def messages_helper(url: str) -> toolwire.Message:
    with (
        anthropic.Anthropic(api_key="x", base_url=url, max_retries=0) as client,
        client.messages.stream(model="m", max_tokens=9, messages=ASK) as stream,
    ):
        return toolwire.collect(stream, "anthropic")


def gemini(url: str) -> toolwire.Message:
    client = genai.Client(api_key="x", http_options={"base_url": url})
    try:
        return toolwire.collect(client.models.generate_content_stream(model="m", contents="hi"), "auto")
    finally:
        client.close()


def chat_async(url: str) -> toolwire.Message:
    async def main() -> toolwire.Message:
        async with openai.AsyncOpenAI(api_key="x", base_url=url, max_retries=0) as client:
            stream = await client.chat.completions.create(model="m", messages=ASK, stream=True)
            return await toolwire.acollect(stream)

    return asyncio.run(main())


def messages_async(url: str) -> toolwire.Message:
    async def main() -> toolwire.Message:
        async with anthropic.AsyncAnthropic(api_key="x", base_url=url, max_retries=0) as client:
            stream = await client.messages.create(model="m", max_tokens=9, messages=ASK, stream=True)
            return await toolwire.acollect(stream)

    return asyncio.run(main())


@contextmanager
def bedrock(url: str) -> Iterator[Any]:
    """A client that looks for no credentials and doesn't try again."""
    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="x",
        aws_secret_access_key="x",
        config=Config(retries={"total_max_attempts": 1}),
    )
    try:
        yield client
    finally:
        client.close()


@contextmanager
def conversation(url: str) -> Iterator[EventStream]:
    with bedrock(url) as client:
        yield client.converse_stream(modelId="m", messages=[{"role": "user", "content": [{"text": "hi"}]}])["stream"]


def converse(url: str) -> toolwire.Message:
    with conversation(url) as stream:
        return toolwire.collect(stream, "auto")


def invoke(url: str) -> toolwire.Message:
    with bedrock(url) as client:
        response = client.invoke_model_with_response_stream(modelId="m", body=b"{}")
        return toolwire.collect(response["body"], "bedrock-invoke")


def cohere_chat(url: str) -> toolwire.Message:
    with cohere.ClientV2(api_key="x", base_url=url) as client:
        return toolwire.collect(client.chat_stream(model="m", messages=ASK), "cohere")


def ollama_chat(url: str) -> toolwire.Message:
    with ollama.Client(host=url) as client:
        return toolwire.collect(client.chat(model="m", messages=ASK, stream=True), "ollama")


def ollama_chat_async(url: str) -> toolwire.Message:
    async def main() -> toolwire.Message:
        async with ollama.AsyncClient(host=url) as client:
            return await toolwire.acollect(await client.chat(model="m", messages=ASK, stream=True))

    return asyncio.run(main())


CLIENTS: dict[str, tuple[str, Callable[[str], toolwire.Message]]] = {
    "openai create": ("openai-chat", chat),
    "openai create, async": ("openai-chat", chat_async),
    "openai stream helper": ("openai-chat", chat_helper),
    "openai responses": ("openai-responses", responses),
    "anthropic create": ("anthropic", messages),
    "anthropic create, async": ("anthropic", messages_async),
    "anthropic stream helper": ("anthropic", messages_helper),
    "google-genai": ("gemini", gemini),
    "boto3 converse_stream": ("bedrock-converse", converse),
    "boto3 invoke_model_with_response_stream": ("bedrock-invoke", invoke),
    "cohere chat_stream": ("cohere", cohere_chat),
    "ollama chat": ("ollama", ollama_chat),
    "ollama chat, async": ("ollama", ollama_chat_async),
}


def facts(message: toolwire.Message, wire: str) -> dict[str, Any]:
    """What must be equal. Where a client hands over objects, numbers and text are its own."""
    record = record_of(message)
    for choice in record["choices"]:
        choice.pop("reasoning_chars")
        if wire == "ollama":  # the client's calls have no field for an id
            for call in choice["calls"]:
                call.pop("id")
    return record


@pytest.mark.parametrize("name", CLIENTS)
def test_sdk_objects_are_payloads(name: str) -> None:
    """Recordings of the wire through the real client: all where they are few, else every fifth (helpers: tenth)."""
    wire, read = CLIENTS[name]
    records = [
        r
        for r in expected_records(wire)
        if r["framing"] in CONTENT_TYPES and not r["error"] and not r.get("sdk_disagrees")
    ]
    records = [r for r in records if r["file"].rsplit("/", 1)[1] not in SDK_FAILS]
    if len(records) > FEW:
        records = records[:: 10 if "helper" in name or "async" in name else 5]
    for record in records:
        body = recording(record)
        with serving(body, record["framing"]) as url:
            got = facts(read(url), wire)
        assert got == facts(toolwire.collect(body, wire), wire), record["file"]
    assert records


def frame(event: str, payload: dict[str, Any]) -> bytes:
    """A frame of ConverseStream."""
    headers = {":message-type": "event", ":event-type": event, ":content-type": "application/json"}
    return aws_frame(headers, dumped(payload).encode())


CALL = (
    frame("messageStart", {"role": "assistant"})
    + frame("contentBlockStart", {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "a", "name": "f"}}})
    + frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"toolUse": {"input": "{}"}}})
    + frame("contentBlockStop", {"contentBlockIndex": 0})
)


RAISED = {
    "exception": {":message-type": "exception", ":exception-type": "throttlingException"},
    "error": {":message-type": "error", ":error-code": "throttlingException", ":error-message": "slow down"},
}


@pytest.mark.parametrize("kind", RAISED)
def test_what_botocore_raises_in_mid_stream_is_the_providers_error(kind: str) -> None:
    body = CALL + aws_frame(RAISED[kind], b'{"message": "slow down"}')
    with serving(body, "aws-eventstream") as url, conversation(url) as stream:
        error = failure(toolwire.stream(stream))

    assert (error.kind, error.code, error.message) == ("rate_limit", "throttlingException", "slow down")


def failure(events: Iterable[toolwire.Event]) -> toolwire.StreamError:
    """The error of a turn that fails."""
    events = list(events)
    check(events)
    error, finish = events[-2:]
    assert isinstance(error, toolwire.StreamError)
    assert isinstance(finish, toolwire.Finish)
    assert (finish.reason, finish.calls) == ("error", ())
    return error


CHUNK = {"choices": [{"index": 0, "delta": {"content": "a"}}]}
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}


def test_what_sdks_raise_in_mid_stream_is_the_providers_error() -> None:
    """Their exceptions hold what the provider said: it comes as from the bytes, and nothing is raised."""
    limited = to_sse([CHUNK, {"error": {"message": "slow", "type": "rate_limit_error", "code": "rate_limit"}}])
    with serving(limited, "sse") as url, openai.OpenAI(api_key="x", base_url=url, max_retries=0) as chat_client:
        error = failure(
            toolwire.stream(chat_client.chat.completions.create(model="m", messages=ASK, stream=True), "openai-chat")
        )
    assert (error.kind, error.retryable) == ("rate_limit", True)

    busy = b"event: error\ndata: " + dumped(OVERLOADED).encode() + b"\n\n"
    with serving(busy, "sse") as url, anthropic.Anthropic(api_key="x", base_url=url, max_retries=0) as client:
        error = failure(
            toolwire.stream(client.messages.create(model="m", max_tokens=9, messages=ASK, stream=True), "anthropic")
        )
    assert (error.kind, error.code, error.message) == ("overloaded", "overloaded_error", "busy")

    with serving(b'{"error": "model failed"}\n', "ndjson") as url, ollama.Client(host=url) as local:
        error = failure(toolwire.stream(local.chat(model="m", messages=ASK, stream=True), "ollama"))
    assert (error.kind, error.message) == ("server", "model failed")


def test_a_refusal_that_an_sdk_finds_when_it_is_read() -> None:
    """Lazy streams send their request with the first read: status and Retry-After are the response's."""
    refusal = b'{"message": "too many"}'
    head = {"status": 429, "headers": {"Retry-After": "7"}}
    with (
        serving(refusal, "json", **head) as url,
        cohere.ClientV2(api_key="x", base_url=url, max_retries=0) as client,
    ):
        error = failure(toolwire.stream(client.chat_stream(model="m", messages=ASK), "cohere"))
    assert (error.kind, error.status, error.retryable, error.retry_after) == ("rate_limit", 429, True, 7.0)


def test_what_is_not_the_providers_error_is_raised() -> None:
    """A mistake in the source itself."""

    class MyError(Exception):
        body = "mine"

    def source() -> Iterator[dict[str, Any]]:
        yield CHUNK
        raise MyError

    events = []
    with pytest.raises(MyError):
        events.extend(toolwire.stream(source(), "openai-chat"))


def test_what_botocore_passes_over_in_silence_is_no_end() -> None:
    """A body that ends inside a frame: the client's iterator just ends."""
    last = frame("messageStop", {"stopReason": "tool_use"})
    with serving(CALL + last[:-1], "aws-eventstream") as url, conversation(url) as stream:
        events = list(toolwire.stream(stream))

    check(events)
    assert (events[-1].reason, events[-1].calls) == ("incomplete", ())
