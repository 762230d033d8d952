"""What the real Python clients come to, when they read the scenarios through a server of ours.

A good turn: exactly its calls, its text, its end. A bad end: an error, and nothing runs.
"""

from __future__ import annotations

import asyncio
import ssl
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx2
import pytest
from interop.python_clients import CLIENTS
from interop.scenarios import (
    CUT,
    ENDS,
    ERROR_FORMS,
    GOOD,
    HALF_CONTENT,
    SCENARIOS,
    SEARCH,
    TOLD,
    WEATHER,
    WIRES,
    Call,
    app,
    ending,
)
from interop.serving import serve
from starlette.applications import Starlette
from starlette.routing import Route

import toolwire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from starlette.requests import Request
    from starlette.responses import Response

    Turn = dict[str, Any]

# --- what clients do that they should not -----------------------------------------------------------------------------

# Counts where none were told: Messages demands them, and clients of Responses overlook a response without them.
NOT_TOLD = {wire: {"input": 0, "output": 0} for wire in ("openai-responses", "anthropic")}

# What runs of a turn that was cut, told so (`length`, `fail_on_cut=False`): the whole call, by most. Half a call is run
# where the client closes what is open: LangChain on every wire, and the helper of Anthropic's SDK.
MENDED = Call(CUT.id, CUT.name, {**CUT.arguments, "content": HALF_CONTENT})
HALF_RUN = Call(CUT.id, CUT.name, {"path": CUT.arguments["path"]})
TRUSTING: dict[tuple[str, str, str], list[Call]] = {
    ("openai-chat", "langchain", "length told"): [WEATHER, MENDED],
    ("openai-responses", "langchain", "length told"): [WEATHER, MENDED],
    ("anthropic", "langchain", "length told"): [WEATHER, MENDED],
    ("anthropic", "anthropic helper", "length told"): [WEATHER, HALF_RUN],
}

# Who raises, and so runs nothing, at a turn that was cut, or at arguments that are no JSON.
CAREFUL: dict[tuple[str, str], dict[str, str]] = {
    ("openai-chat", "openai helper"): {
        "length told": "LengthFinishReasonError",
        "length behind a call": "LengthFinishReasonError",
        "malformed": "ValueError",
    },
    ("openai-responses", "openai helper"): {
        "length told": "RuntimeError",
        "length behind a call": "RuntimeError",
        "malformed": "ValidationError",
    },
    ("openai-responses", "agents"): {
        "length told": "ModelBehaviorError",
        "length behind a call": "ModelBehaviorError",
    },
    ("anthropic", "anthropic helper"): {"malformed": "ValueError"},
}

# --- what a turn says, in one form ------------------------------------------------------------------------------------

FINISH = {
    "openai-chat": {},
    "openai-responses": {"tool_calls": "completed", "stop": "completed", "length": "max_output_tokens"},
    "anthropic": {"tool_calls": "tool_use", "stop": "end_turn", "length": "max_tokens"},
}


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with serve(app) as url, pytest.MonkeyPatch.context() as patch:
        # Nothing is encrypted here, and to read the certificates is half of what a client does.
        patch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)
        yield url


def each(scenarios: dict[str, Any]) -> pytest.MarkDecorator:
    """All clients with all of these scenarios."""
    return pytest.mark.parametrize(
        ("wire", "name", "scenario"),
        [(wire, name, scenario) for wire, clients in CLIENTS.items() for name in clients for scenario in scenarios],
    )


def turn_of(base: str, wire: str, name: str, scenario: str) -> Turn:
    return CLIENTS[wire][name](f"{base}/{quote(scenario)}/{wire}")


def ran(turn: Turn) -> list[Call]:
    return [Call(call["id"], call["name"], call["arguments"]) for call in turn["calls"]]


def error_of(turn: Turn) -> str | None:
    """The type of what was raised."""
    return turn["error"] and turn["error"].partition(":")[0]


def check_good(turn: Turn, scenario: str, wire: str, name: str) -> None:
    """All but the calls of a turn that has no error."""
    expected = SCENARIOS[scenario].expected(wire)
    assert turn["error"] is None
    assert turn["text"] == expected.text
    # LangChain passes over reasoning in Chat, and the agents' adapter of Chat over the reason.
    assert turn["reasoning"] == ("" if (wire, name) == ("openai-chat", "langchain") else expected.reasoning)
    finish = FINISH[wire].get(expected.finish, expected.finish)
    assert turn["finish"] == (None if (wire, name) == ("openai-chat", "agents") else finish)
    told = expected.used and dict(zip(("input", "output"), expected.used, strict=True))
    told = told or NOT_TOLD.get(wire)
    if name == "anthropic raw" and SCENARIOS[scenario].source != wire:  # it takes the input from `message_start`
        told = {**(told or {}), "input": 0}
    assert turn["usage"] == told


# --- the clients ------------------------------------------------------------------------------------------------------


@each(GOOD)
def test_a_good_turn(base: str, wire: str, name: str, scenario: str) -> None:
    turn, expected = turn_of(base, wire, name, scenario), SCENARIOS[scenario].expected(wire)
    check_good(turn, scenario, wire, name)
    assert (ran(turn), turn["invalid"]) == (list(expected.calls), [])


@each(ENDS)
def test_a_bad_end(base: str, wire: str, name: str, scenario: str) -> None:
    """Nothing runs, not even a whole call of the failed turn: all clients wait for its end."""
    assert SCENARIOS[scenario].expected(wire).bad
    turn = turn_of(base, wire, name, scenario)
    assert (turn["calls"], turn["invalid"], turn["finish"]) == ([], [], None)
    assert error_of(turn) == ("APIStatusError" if wire == "anthropic" else "APIError")


@each(TOLD)
def test_a_turn_told_as_it_is(base: str, wire: str, name: str, scenario: str) -> None:
    """What clients make of a turn that was cut, and of arguments that are none. See `TRUSTING`."""
    turn = turn_of(base, wire, name, scenario)
    careful = CAREFUL.get((wire, name), {}).get(scenario)
    if careful is not None:
        assert (turn["calls"], turn["invalid"], error_of(turn)) == ([], [], careful)
        return
    check_good(turn, scenario, wire, name)
    trusted = TRUSTING.get((wire, name, scenario))
    whole = list(SCENARIOS[scenario].whole)
    assert ran(turn) == (whole if trusted is None else trusted)
    broken = {"length told": CUT.id, "malformed": SEARCH.id}
    invalid = [broken[scenario]] if scenario in broken and trusted is None else []
    assert [call["id"] for call in turn["invalid"]] == invalid


# --- what all of them rely on -----------------------------------------------------------------------------------------

BADLY = [(wire, name) for wire in (*WIRES, "ai-sdk-ui@7") for name in SCENARIOS if SCENARIOS[name].expected(wire).bad]
WELL = [
    (wire, name) for wire in (*WIRES, "ai-sdk-ui@7") for name in SCENARIOS if not SCENARIOS[name].expected(wire).bad
]


@pytest.mark.parametrize(("wire", "scenario"), BADLY)
def test_a_bad_end_is_unmistakable(base: str, wire: str, scenario: str) -> None:
    """The error form is the last that is sent, and there is no clean end behind it where that would be misread."""
    form = ERROR_FORMS[wire.partition("@")[0]]
    if (wire.startswith("ai-sdk-ui"), scenario) == (True, "abort"):
        form = ("abort", "[DONE]")
    frames = ending(base, scenario, wire)
    assert frames[-len(form) :] == form
    assert not {"message_stop", "response.completed", "finish", "RUN_FINISHED"}.intersection(frames)
    assert not any(frame.startswith("finish_reason") for frame in frames)


@pytest.mark.parametrize(("wire", "scenario"), WELL)
def test_a_good_end_is_whole(base: str, wire: str, scenario: str) -> None:
    ends = {
        "openai-chat": {"[DONE]"},
        "openai-responses": {"response.completed", "response.incomplete"},
        "anthropic": {"message_stop"},
        "ai-sdk-ui": {"[DONE]"},
        "ag-ui": {"RUN_FINISHED"},
    }
    assert ending(base, scenario, wire)[-1] in ends[wire.partition("@")[0]]


@pytest.mark.parametrize("wire", WIRES)
def test_a_client_that_leaves_closes_the_source(wire: str) -> None:
    """In the middle of a call."""
    closed = threading.Event()

    async def source() -> AsyncIterator[Any]:
        try:
            for payload in ENDS["cut"].chunks:
                yield payload
            await asyncio.Event().wait()
        finally:
            closed.set()

    async def answer(request: Request) -> Response:
        await request.body()
        return toolwire.response(toolwire.astream(source()), to=wire)

    with serve(Starlette(routes=[Route("/", answer, methods=["POST"])])) as url:
        with httpx2.Client(trust_env=False, timeout=10) as client, client.stream("POST", url) as body:
            lines = body.iter_lines()  # the answer is closed with it
            assert any(CUT.id in line for line in lines)
            assert not closed.is_set()
        assert closed.wait(10)
