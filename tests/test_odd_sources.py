"""Sources whose exceptions and objects are odd: the turn has its ends all the same, and nothing takes their place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support import run, to_sse

import toolwire
from toolwire.grammar import check

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK: dict[str, Any] = {"choices": [{"index": 0, "delta": {"content": "a"}}]}


def raising(error: BaseException) -> Iterator[dict[str, Any]]:
    yield CHUNK
    raise error


def events_of(error: BaseException) -> tuple[list[toolwire.Event], BaseException | None]:
    """The events of a source that raises in mid-stream, and what is raised in the end."""
    events: list[toolwire.Event] = []
    raised = None
    try:
        for event in toolwire.stream(raising(error), "openai-chat"):
            events.append(event)
    except Exception as caught:  # noqa: BLE001
        raised = caught
    check(events)
    assert events[-1].type == "finish"
    assert events[-1].reason == "error"
    return events, raised


def odd(**members: Any) -> BaseException:
    """An exception of our own, with members as SDKs' exceptions have."""
    made: BaseException = type("OddError", (Exception,), members)("odd")
    return made


def of_sdk(module: str, name: str = "APIError", **members: Any) -> BaseException:
    """An exception as if an SDK had defined it."""
    made: BaseException = type(name, (Exception,), {"__module__": module, **members})("as the SDK says")
    return made


def unreadable(self: object) -> None:
    raise RuntimeError("not to be read")


def unsayable(self: object) -> str:
    raise RuntimeError("not to be said")


LOCKED = property(unreadable)

MINE = {
    "plain": odd(),
    "members of an SDK's": odd(status_code=429, body={"message": "x"}, headers=[("retry-after", "3")]),
    "a message and details": odd(message="m", details={"message": "d"}),
    "a web framework's": odd(status_code=404, detail="not here"),
    "unreadable members": odd(response=LOCKED, status_code=LOCKED, code=LOCKED, message=LOCKED),
    "an SDK's, unreadable": of_sdk("openai", response=LOCKED, status_code=LOCKED),
    "unsayable": odd(__str__=unsayable),
    "a missing file": FileNotFoundError("config"),
    "permissions": PermissionError("denied"),
}


@pytest.mark.parametrize("name", MINE)
def test_ones_own_exception_is_raised_after_the_ends(name: str) -> None:
    events, raised = events_of(MINE[name])

    assert raised is MINE[name]
    assert [event.type for event in events[-2:]] == ["stream_error", "finish"]


def test_a_cause_is_not_the_exception() -> None:
    error = odd()
    error.__cause__ = FileNotFoundError("config")
    assert events_of(error)[1] is error


class Response:
    def __init__(self, headers: Any) -> None:
        self.headers = headers


SAID = "as the SDK says"
THEIRS: dict[str, tuple[BaseException, tuple[Any, ...]]] = {
    "body": (of_sdk("openai", body={"message": "slow", "code": "rate_limit"}), ("rate_limit", "slow", None, None)),
    "no body": (
        of_sdk("openai", status_code=429, body=None, response=Response({"retry-after": "7"})),
        ("rate_limit", SAID, 429, 7.0),
    ),
    "body of bytes": (
        of_sdk("cohere.core", status_code=500, body=b'{"error": {"message": "x"}}'),
        ("server", "x", 500, None),
    ),
    "bytes that are no JSON": (of_sdk("cohere", status_code=503, body=b"<html>"), ("overloaded", SAID, 503, None)),
    "a list": (
        of_sdk("google.genai", code=400, details=[{"error": {"message": "l"}}]),
        ("invalid_request", "l", 400, None),
    ),
    "methods for members": (
        of_sdk("google.api_core", code=lambda self: 1, details=lambda self: "d", status_code=504),
        ("timeout", SAID, 504, None),
    ),
    "odd headers": (of_sdk("openai", status_code=429, headers=5), ("rate_limit", SAID, 429, None)),
    "odd Retry-After": (
        of_sdk("openai", status_code=429, headers={"Retry-After": "9" * 400}),
        ("rate_limit", SAID, 429, None),
    ),
}


@pytest.mark.parametrize("name", THEIRS)
def test_an_sdks_exception_is_the_providers_error(name: str) -> None:
    error, expected = THEIRS[name]
    events, raised = events_of(error)

    assert raised is None
    told = events[-2]
    assert isinstance(told, toolwire.StreamError)
    assert (told.kind, told.message, told.status, told.retry_after) == expected


def test_an_sdks_wrapper_of_a_network_failure() -> None:
    error = of_sdk("openai", "APITimeoutError")
    error.__cause__ = TimeoutError("slow")
    events, raised = events_of(error)

    assert raised is None
    told = events[-2]
    assert isinstance(told, toolwire.StreamError)
    assert (told.kind, told.retryable) == ("timeout", True)


@pytest.mark.parametrize("code", ["\u00b2", "\u0664\u0662\u0669", "9" * 5000, "0429", "-1"])
def test_codes_that_are_no_status(code: str) -> None:
    events = run([to_sse([{"error": {"message": "x", "code": code}}])], "openai-chat")
    (error,) = [event for event in events if isinstance(event, toolwire.StreamError)]

    assert (error.code, error.status) == (code, None)


@pytest.mark.parametrize("count", [1, 8, 9, 400, 40_000])
@pytest.mark.parametrize("between", ["", " "])
def test_placeholders_without_end(count: int, between: str) -> None:
    """Empty objects, one after the other in one delta: some are placeholders, many are a fault."""
    delta = {"index": 0, "id": "a", "function": {"name": "f", "arguments": ("{}" + between) * count}}
    chunk = {"choices": [{"index": 0, "delta": {"tool_calls": [delta]}, "finish_reason": "tool_calls"}]}
    events = run([to_sse([chunk, "[DONE]"])], "openai-chat")
    (call,) = [event.call for event in events if isinstance(event, toolwire.ToolCallEnd)]

    assert call.status in ("complete", "repaired", "invalid")
    assert sum(repair.kind == "leading_empty" for repair in call.repairs) <= 8
    assert len(call.repairs) <= 10_008


@pytest.mark.parametrize("bent", ["\n", "\\q", "\\n"])
def test_repairs_without_end(bent: str) -> None:
    """All are made, and the first of them are listed: what a peer makes necessary must not fill the memory."""
    inside = bent != "\\n"
    parser = toolwire.PartialJSON(repairs=toolwire.DEFAULT_REPAIRS)
    parser.feed('{"a":"' if inside else "{")
    parser.feed(bent * 50_000)
    parser.feed('"}' if inside else "}")
    parser.end()

    assert parser.closed
    assert len(parser.repairs) == 10_000
    assert parser.value == ({"a": bent * 50_000} if inside else {})


def test_events_can_be_printed_whatever_they_hold() -> None:
    delta = {"index": 0, "id": "\ud800", "function": {"name": "f\ude00", "arguments": '{"a": "\\ud800"}'}}
    chunk = {"choices": [{"index": 0, "delta": {"tool_calls": [delta]}, "finish_reason": "tool_calls"}]}
    for event in run([to_sse([chunk, "[DONE]"])], "openai-chat"):
        assert repr(event)


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("depth", [100, 900, 984, 986, 988, 1000])
def test_deep_payloads(depth: int) -> None:
    """Twice the same, so that they are compared."""
    check(run([{"choices": [], "usage": {"a": nested(depth)}} for _ in range(2)], "openai-chat"))


@pytest.mark.parametrize("key", [None, 1, ("a",)])
def test_keys_that_are_no_text(key: Any) -> None:
    """A dict of the caller's own making may hold them, and no build minds."""
    cases: list[tuple[str, Any]] = [
        ("openai-chat", {"choices": [], "usage": {key: 1}, key: 2}),
        ("gemini", {"candidates": [{"content": {"parts": [{key: 2}]}}], "usageMetadata": {key: 1}}),
        ("ollama", {"message": {"content": "a", key: 1}, "done": True, key: 3}),
        ("anthropic", {"type": "message_start", "message": {"usage": {key: 1}, "content": [{"type": "text", key: 1}]}}),
        ("bedrock-converse", {"metadata": {"usage": {key: 1}}, key: 1}),
    ]
    for wire, payload in cases:
        check(run([payload], wire))
