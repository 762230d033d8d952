"""Objects of the official SDKs, as their own clients hand them over, are payloads like any other.

Each client reads a recording from a loopback server; its stream object goes into `toolwire.stream` as it is. The result
must be that of the recording's bytes.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import anthropic
import openai
import pytest
from google import genai
from support import expected_records, needs_shared, record_of, recording

import toolwire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = needs_shared

ASK: list[Any] = [{"role": "user", "content": "hi"}]

# Recordings that a client itself can't read, with the reason.
SDK_FAILS = {
    "github-copilot__spec-single-tool-call.sse": "no blank lines",
    "github-copilot__spec-single-tool-call-with-annotations-attached.sse": "no blank lines",
    "openrouter_anthropic__rig_gateway_message_delta_metadata_text_only.sse": "[DONE] behind message_stop",
    "zai__glm-4-5-flash-object-streaming.sse": "the stream helper drops chunks without an object field",
    "zai__glm-4-5-flash-object-streaming-2.sse": "the stream helper drops chunks without an object field",
}


@contextmanager
def serving(body: bytes) -> Iterator[str]:
    """A loopback server that answers every request with the body; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
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


CLIENTS: dict[str, tuple[str, Callable[[str], toolwire.Message]]] = {
    "openai create": ("openai-chat", chat),
    "openai create, async": ("openai-chat", chat_async),
    "openai stream helper": ("openai-chat", chat_helper),
    "openai responses": ("openai-responses", responses),
    "anthropic create": ("anthropic", messages),
    "anthropic create, async": ("anthropic", messages_async),
    "anthropic stream helper": ("anthropic", messages_helper),
    "google-genai": ("gemini", gemini),
}


def facts(message: toolwire.Message) -> dict[str, Any]:
    """What must be equal. Where a client hands over objects, numbers and text are its own."""
    record = record_of(message)
    for choice in record["choices"]:
        choice.pop("reasoning_chars")
    return record


@pytest.mark.parametrize("name", CLIENTS)
def test_sdk_objects_are_payloads(name: str) -> None:
    """Every fifth recording of the wire (helpers: every tenth) through the real client."""
    wire, read = CLIENTS[name]
    step = 10 if "helper" in name or "async" in name else 5
    records = [
        r for r in expected_records(wire) if r["framing"] == "sse" and not r["error"] and not r.get("sdk_disagrees")
    ]
    records = [r for r in records if r["file"].rsplit("/", 1)[1] not in SDK_FAILS][::step]
    for record in records:
        body = recording(record)
        with serving(body) as url:
            got = facts(read(url))
        assert got == facts(toolwire.collect(body, wire)), record["file"]
    assert records
