"""The mock on its port: every wire, streamed and whole, and every way to go wrong, as a socket sees it."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx2
import pytest
from mock.asking import CALLS, SCRIPT, WIRES, Ask, ask, dumped

import toolwire
from toolwire import Message, UsageError
from toolwire.testing import MockProvider

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(scope="module")
def mock() -> Iterator[MockProvider]:
    with MockProvider(SCRIPT) as provider:
        yield provider


@pytest.fixture(autouse=True)
def _fresh(mock: MockProvider) -> None:
    mock.reset()


def post(mock: MockProvider, asked: Ask) -> httpx2.Response:
    headers = {"content-type": "application/json", **asked.headers}
    return httpx2.post(mock.url + asked.path, content=dumped(asked), headers=headers, timeout=10)


def decoded(answer: httpx2.Response, wire: str) -> Message:
    return toolwire.collect([answer.content], wire)


def wait_for(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.005)


class Raw:
    """What came over a socket, and how it ended: "eof" (in order), "reset" or "open" (nothing more for a while)."""

    def __init__(self, mock: MockProvider, asked: Ask, patience: float = 0.4, *, close: bool = True) -> None:
        url = urlsplit(mock.url)
        body = dumped(asked)
        lines = [f"POST {asked.path} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in asked.headers.items()]
        with socket.create_connection((url.hostname or "", url.port or 0), timeout=10) as peer:
            peer.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
            data = b""
            self.end = "eof"
            peer.settimeout(patience)
            until = time.monotonic() + patience + 2
            try:
                while piece := peer.recv(65536):
                    data += piece
                    if time.monotonic() > until:
                        self.end = "open"
                        break
                    if close and data.endswith(b"\r\n0\r\n\r\n"):
                        self.end = "done"
                        break
            except TimeoutError:
                self.end = "open"
            except ConnectionResetError:
                self.end = "reset"
        self.head, _, rest = data.partition(b"\r\n\r\n")
        self.body = b""
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            if not size or int(size, 16) == 0:
                break
            self.body += rest[: int(size, 16)]
            rest = rest[int(size, 16) + 2 :]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("stream", [True, False])
def test_a_turn_with_calls(mock: MockProvider, wire: str, *, stream: bool) -> None:
    answer = post(mock, ask(wire, stream=stream))
    assert answer.status_code == 200, answer.text
    message = decoded(answer, wire)
    assert [(call.name, call.arguments) for call in message.executable] == CALLS
    assert message.text == "I'll look at both."
    assert message.finish == "tool_calls"
    assert message.usage is not None
    assert (message.usage.input_tokens, message.usage.output_tokens) == (42, 17)
    (seen,) = mock.requests
    wait_for(lambda: seen.end)
    assert (seen.wire, seen.status, seen.end) == (wire, 200, "clean")
    assert seen.body["messages" if "messages" in seen.body else "input" if "input" in seen.body else "contents"]


@pytest.mark.parametrize("wire", WIRES)
def test_answers_are_made_up_of_the_tools(mock: MockProvider, wire: str) -> None:
    first, second = (decoded(post(mock, ask(wire, "mock/parallel")), wire) for _ in range(2))
    assert [call.name for call in first.executable] == ["get_weather"] * 2
    assert [call.arguments for call in first.calls] == [call.arguments for call in second.calls]
    other = decoded(post(mock, ask(wire, "mock/parallel?seed=7")), wire)
    assert [call.arguments for call in other.calls] != [call.arguments for call in first.calls]


# what goes wrong -> how the connection ends, and what the stream comes to: its finish, and whether a call is whole
FAULTS: dict[str, tuple[str, str, int]] = {
    "": ("done", "tool_calls", 2),
    "delay=1ms&jitter=1ms&ttfb=5ms&head=5ms": ("done", "tool_calls", 2),
    "chunk=7": ("done", "tool_calls", 2),
    "pings=2": ("done", "tool_calls", 2),
    "open": ("open", "tool_calls", 2),
    "length=mid": ("done", "length", 0),
    "error=mid": ("done", "error", 0),
    "error=first": ("done", "error", 0),
    "drop=mid": ("reset", "incomplete", 0),
    "fin=mid": ("eof", "incomplete", 0),
    "eof=mid": ("done", "incomplete", 0),
    "stall=mid": ("open", "incomplete", 0),
    "drop=first": ("reset", "", 0),
    "stall=first": ("open", "", 0),
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("settings", FAULTS)
def test_faults(mock: MockProvider, wire: str, settings: str) -> None:
    end, finish, whole = FAULTS[settings]
    raw = Raw(mock, ask(wire, f"mock/weather?{settings}"))
    assert raw.head.startswith(b"HTTP/1.1 200 ")
    assert raw.end == end
    if not finish:
        assert raw.body == b""
        return
    message = toolwire.collect([raw.body], wire)
    wanted = {"error": {"error", "incomplete"}, "incomplete": {"incomplete", "error"}}.get(finish, {finish})
    assert message.finish in wanted
    assert len(message.executable) == whole
    assert not any(call.status == "complete" and "}" not in call.buf for call in message.calls)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_a_status_before_the_first_byte(mock: MockProvider, wire: str, status: int) -> None:
    mock.order(f"status={status}&retry_after=3")
    answer = post(mock, ask(wire))
    assert answer.status_code == status
    assert answer.headers["retry-after"] == "3"
    stream = toolwire.Stream(wire)
    stream.receive_head(answer.status_code, dict(answer.headers))
    events = [*stream.receive(answer.content), *stream.end()]
    (error,) = [event for event in events if event.type == "stream_error"]
    assert error.status == status
    assert f"refused with {status}" in error.message


def test_failing_a_few_times(mock: MockProvider) -> None:
    asked = ask("openai-chat", "mock/weather?fail=2")
    assert [post(mock, asked).status_code for _ in range(3)] == [503, 503, 200]
    asked = ask("openai-chat", "mock/weather?fail=1&status=429")
    assert [post(mock, asked).status_code for _ in range(2)] == [429, 200]


def test_never_an_answer(mock: MockProvider) -> None:
    raw = Raw(mock, ask("openai-chat", "mock/weather?never"), 0.2)
    assert (raw.head, raw.end) == (b"", "open")


def test_nothing_but_signs_of_life(mock: MockProvider) -> None:
    raw = Raw(mock, ask("anthropic", "nothing?quiet=10ms&stall=first"), 0.2)
    assert raw.end == "open"
    assert raw.body.count(b"event: ping") > 3


def test_an_event_that_is_no_json(mock: MockProvider) -> None:
    for wire in WIRES:
        message = decoded(post(mock, ask(wire, "mock/weather?malformed=after:3")), wire)
        assert message.error is not None, wire
        assert message.error.kind == "protocol"


def test_utf8_is_cut(mock: MockProvider) -> None:
    script = {"answers": {"é": [{"say": [{"text": "née à Zürich 🚲"}]}]}}
    with MockProvider(script, settings="chunk=1") as own:
        answer = post(own, ask("openai-chat", "é"))
    assert decoded(answer, "openai-chat").text == "née à Zürich 🚲"


def test_a_client_that_leaves_is_noticed(mock: MockProvider) -> None:
    url = urlsplit(mock.url)
    asked = ask("openai-chat", "mock/weather?stall=mid")
    body = dumped(asked)
    with socket.create_connection((url.hostname or "", url.port or 0), timeout=10) as peer:
        peer.sendall(f"POST {asked.path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        assert peer.recv(1000)
    wait_for(lambda: mock.requests[0].end)
    assert mock.requests[0].end == "closed"
    assert mock.requests[0].closed_at is not None


def test_the_mocks_own_endpoints(mock: MockProvider) -> None:
    assert httpx2.get(f"{mock.url}/_mock/ready").json() == {"ready": True}
    headers = {"authorization": "Bearer sk-secret"}
    asked = ask("openai-chat")
    httpx2.post(mock.url + asked.path, json=asked.body, headers=headers)
    seen = httpx2.get(f"{mock.url}/_mock/requests").json()
    assert seen["count"] == 1
    assert "sk-secret" not in json.dumps(seen)
    assert seen["requests"][0]["body"]["model"] == "mock/weather"
    assert seen["requests"][0]["events"] == seen["events"] > 5
    ordered = httpx2.post(f"{mock.url}/_mock/settings", json={"settings": "status=500", "times": 2})
    assert ordered.status_code == 200
    assert [post(mock, asked).status_code for _ in range(3)] == [500, 500, 200]
    assert httpx2.post(f"{mock.url}/_mock/settings", json={"settings": "nope=1"}).status_code == 400
    assert httpx2.post(f"{mock.url}/_mock/settings", content=b"x").status_code == 400
    assert httpx2.post(f"{mock.url}/_mock/reset").status_code == 200
    assert httpx2.get(f"{mock.url}/_mock/requests").json()["count"] == 0
    assert httpx2.get(f"{mock.url}/_mock/nope").status_code == 404


def test_settings_in_a_header(mock: MockProvider) -> None:
    asked = ask("openai-chat")
    assert post(mock, asked._replace(headers={"x-mock-settings": "status=418"})).status_code == 418
    answer = post(mock, asked._replace(headers={"x-mock-settings": "nope"}))
    assert answer.status_code == 400
    assert "unknown setting 'nope'" in answer.text


def test_paths_that_are_not_there(mock: MockProvider) -> None:
    assert httpx2.get(f"{mock.url}/v1/chat/completions").status_code == 404
    assert httpx2.post(f"{mock.url}/nope", json={}).status_code == 404


@pytest.mark.parametrize(
    ("path", "headers", "key"),
    [
        ("/v1/models", {}, "data"),
        ("/v1/models", {"anthropic-version": "2023-06-01"}, "data"),
        ("/v1beta/models", {}, "models"),
        ("/api/tags", {}, "models"),
    ],
)
def test_lists_of_models(mock: MockProvider, path: str, headers: dict[str, str], key: str) -> None:
    answer = httpx2.get(mock.url + path, headers=headers)
    assert answer.status_code == 200
    assert len(answer.json()[key]) >= 5


def test_several_requests_on_one_connection(mock: MockProvider) -> None:
    asked = ask("openai-chat")
    with httpx2.Client() as client:
        for _ in range(3):
            answer = client.post(mock.url + asked.path, json=asked.body)
            assert len(toolwire.collect([answer.content]).executable) == 2
    ids = {toolwire.collect([post(mock, asked).content]).id for _ in range(3)}
    assert len(ids) == 3  # each answer has its own


def test_sync_and_async_context_managers() -> None:
    async def main() -> int:
        async with MockProvider() as own, httpx2.AsyncClient() as client:
            asked = ask("openai-chat", "mock/text")
            return (await client.post(own.url + asked.path, json=asked.body)).status_code

    assert asyncio.run(main()) == 200


def test_the_fixture(mock_provider: MockProvider) -> None:
    mock_provider.order("length=mid")
    asked = ask("openai-chat", "mock/one")
    assert toolwire.collect([post(mock_provider, asked).content]).finish == "length"
    assert len(mock_provider.requests) == 1


def test_no_port_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    async def start(self: object) -> None:
        raise OSError("no port")

    monkeypatch.setattr("toolwire.mock.server.Server.start", start)
    with pytest.raises(OSError, match="no port"), MockProvider():
        pass


def test_keys_and_models() -> None:
    with MockProvider(keys=("good",), models=("mock/one",)) as own:
        asked = ask("openai-chat", "mock/one?delay=0")
        good = asked._replace(headers={"authorization": "Bearer good"})
        assert post(own, asked).status_code == 401
        assert post(own, good).status_code == 200
        other = ask("openai-chat", "gpt-x")._replace(headers={"authorization": "Bearer good"})
        assert post(own, other).status_code == 404


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown setting 'nope'"):
        MockProvider(settings="nope=1")
    with pytest.raises(UsageError, match=r"answers.a\[0\] says nothing"):
        MockProvider({"answers": {"a": [{}]}})


def test_head_and_broken_requests(mock: MockProvider) -> None:
    url = urlsplit(mock.url)
    with socket.create_connection((url.hostname or "", url.port or 0), timeout=10) as peer:
        peer.sendall(b"nonsense\r\n\r\n")
        assert peer.recv(1000).startswith(b"HTTP/1.1 400 ")
