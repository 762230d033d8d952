"""What the real clients on Node come to, when they read the scenarios through a server of ours.

A good turn: exactly its calls, its text, its end. A bad end: an error, and nothing runs; nothing hangs, and no part of
a user interface stays open. What is called whole on the way was whole.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import pytest
from interop import node_clients
from interop.node_clients import needs
from interop.scenarios import CUT, ENDS, GOOD, SCENARIOS, TOLD, WEATHER, Call, app
from interop.serving import serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from interop.scenarios import Outcome

    Report = dict[str, Any]


class Seat(NamedTuple):
    """A client: the driver of a set in a mode, and the wire it reads."""

    set: str
    driver: str
    mode: str
    wire: str

    @property
    def kind(self) -> str:
        """The client, whatever its version."""
        return f"{self.driver} {self.mode}".strip()


MODES: dict[str, tuple[tuple[str, str], ...]] = {
    "streamtext": (
        ("openai-chat", "openai-chat"),
        ("compatible", "openai-chat"),
        ("openai-responses", "openai-responses"),
        ("anthropic", "anthropic"),
    ),
    "agui": (("", "ag-ui"),),
    "openai": (
        ("chat", "openai-chat"),
        ("chat-stream", "openai-chat"),
        ("chat-tools", "openai-chat"),
        ("responses", "openai-responses"),
        ("responses-stream", "openai-responses"),
    ),
    "anthropic": (("create", "anthropic"), ("stream", "anthropic"), ("tools", "anthropic")),
    # What is written for version 5 is what all read.
    **{
        f"ui {version}": tuple(
            (mode, f"ai-sdk-ui@{client}") for mode in ("read", "chat") for client in sorted({5, version})
        )
        for version in (5, 6, 7)
    },
}

SEATS = [
    Seat(set_, driver.partition(" ")[0], *mode)
    for set_, drivers in {
        "ai5": ("streamtext", "ui 5"),
        "ai6": ("streamtext", "ui 6"),
        "ai7": ("streamtext", "ui 7"),
        "agui0": ("agui",),
        "agui1": ("agui",),
        "sdks": ("openai", "anthropic"),
    }.items()
    for driver in drivers
    for mode in MODES[driver]
]


@pytest.fixture(scope="module")
def report(request: pytest.FixtureRequest) -> Iterator[Callable[[Seat, str], Report]]:
    """What a client reports of a scenario. A set's driver runs all its scenarios in one process, two at a time."""
    items: list[Any] = [item for item in request.session.items if item.path == request.path]
    chosen = [item.callspec.params["seat"] for item in items]
    drivers = dict.fromkeys((seat.set, seat.driver) for seat in chosen if not node_clients.missing(seat.set))

    with serve(app) as base, ThreadPoolExecutor(2) as pool:
        running = {(set_, driver): pool.submit(run_all, set_, driver, base) for set_, driver in drivers}

        def ask(seat: Seat, scenario: str) -> Report:
            assert node_clients.missing(seat.set) is None
            return running[seat.set, seat.driver].result()[seat, scenario]

        try:
            yield ask
        finally:
            pool.shutdown(cancel_futures=True)


def run_all(set_: str, driver: str, base: str) -> dict[tuple[Seat, str], Report]:
    asked = [(seat, name) for seat in SEATS if seat[:2] == (set_, driver) for name in SCENARIOS]
    jobs = [{"name": name, "mode": seat.mode, "url": f"{base}/{quote(name)}/{seat.wire}"} for seat, name in asked]
    return dict(zip(asked, node_clients.run(set_, driver, jobs), strict=True))


def each(*scenarios: dict[str, Any]) -> pytest.MarkDecorator:
    """All clients with all of these scenarios."""
    return pytest.mark.parametrize(
        ("seat", "scenario"),
        [
            pytest.param(seat, name, marks=needs(seat.set), id=" ".join((*filter(None, seat), name)))
            for seat in SEATS
            for group in scenarios
            for name in group
        ],
    )


# --- what clients do that they should not -----------------------------------------------------------------------------

# Counts where none were told: Messages demands them, and clients of Responses overlook a response without them.
# Anthropic's `create` takes them from `message_delta`, which says less then.
NOT_TOLD = {
    "streamtext openai-responses": (0, 0),
    "openai responses": (0, 0),
    "openai responses-stream": (0, 0),
    "streamtext anthropic": (0, 0),
    "anthropic create": (None, 0),
    "anthropic stream": (0, 0),
    "anthropic tools": (0, 0),
}

# What runs of a turn that was cut, told so (`length`, `fail_on_cut=False`), by clients that run their calls all the
# same. All others run nothing. Half a call is run by one: the helper of Anthropic's SDK closes it and hands it over.
HALF_RUN = Call(CUT.id, CUT.name, {"path": CUT.arguments["path"]})
CARELESS = (
    "openai chat",
    "openai chat-stream",
    "openai chat-tools",
    "openai responses",
    "openai responses-stream",
    "anthropic create",
    "anthropic stream",
    "agui",
)
TRUSTING: dict[tuple[str, str], list[Call]] = {
    **{(kind, scenario): [WEATHER] for kind in CARELESS for scenario in ("length told", "length behind a call")},
    ("anthropic stream", "length told"): [WEATHER, HALF_RUN],
}

# Who raises at arguments that are no JSON, and what. All others run nothing, or hand over the text as invalid.
REFUSING = {"anthropic stream": "Unexpected", "anthropic tools": "Unable to parse tool parameter JSON from model."}


# --- what a report says, in one form ----------------------------------------------------------------------------------


def ran(report: Report) -> list[Call]:
    return [Call(call["id"], call["name"], call["input"]) for call in report["runs"]]


def text_of(seat: Seat, report: Report) -> str:
    if seat.driver == "ui":
        return "".join(part["text"] for part in report["parts"] if part["type"] == "text")
    return str(report["text"])


def reasoning_of(seat: Seat, report: Report) -> str | None:
    """None where the client, or our driver, passes over it."""
    if seat.driver == "ui":
        return "".join(part["text"] for part in report["parts"] if part["type"] == "reasoning")
    if seat.driver == "agui":
        return "".join(message["content"] for message in report["messages"] if message["role"] == "reasoning")
    if seat.driver == "openai" or seat.kind == "streamtext openai-chat":
        return None
    return str(report["reasoning"])


def used_of(report: Report) -> tuple[int | None, int] | None:
    """Input and output tokens; None where there is no such count."""
    usage = report["usage"] or {}
    for input_, output in (
        ("inputTokens", "outputTokens"),
        ("input_tokens", "output_tokens"),
        ("prompt_tokens", "completion_tokens"),
    ):
        if output in usage:
            return usage.get(input_), usage[output]
    return None


def errors_of(report: Report) -> list[str]:
    """What the application hears, by any way there is."""
    heard = [report["error"], report.get("runFailed"), report.get("runError"), *report.get("errors", [])]
    return [error["message"] for error in heard if error]


FINISH = {
    "streamtext": {"tool_calls": "tool-calls", "content_filter": "content-filter"},
    "ui": {"tool_calls": "tool-calls", "content_filter": "content-filter"},
    "anthropic": {"tool_calls": "tool_use", "stop": "end_turn", "length": "max_tokens"},
    "openai": {},
    "responses": {"tool_calls": "completed", "stop": "completed", "length": "incomplete"},
}


def finish_for(seat: Seat, reason: str) -> str:
    names = FINISH["responses" if seat.wire == "openai-responses" and seat.driver == "openai" else seat.driver]
    return names.get(reason, reason)


def called_whole(seat: Seat, report: Report) -> set[str]:
    """The ids of the calls that were called whole before the end."""
    if seat.driver == "streamtext":
        return {id_ for id_, call in report["streamed"].items() if call["ended"]}
    if seat.driver == "agui":
        return {id_ for id_, call in report["calls"].items() if call["ended"]}
    if seat.kind in ("openai responses", "anthropic create"):
        return {call["id"] for call in report["calls"] if call["done"]}
    return set()


def check_parts(seat: Seat, report: Report) -> None:
    """No part of a user interface waits for more."""
    if seat.driver == "ui":
        states = [part["state"] for part in report["parts"] if "state" in part]
        assert set(states) <= {"done", "input-available", "output-error"}
    if seat.kind == "ui chat":
        assert [call["toolCallId"] for call in report["onToolCall"]] == [call["id"] for call in report["runs"]]


def check_nothing_odd(report: Report) -> None:
    """Neither a hang, nor an error that no application could catch, nor a complaint of the client's."""
    assert (report["hung"], report["unhandled"], report["logged"]) == (False, [], [])


# --- good turns -------------------------------------------------------------------------------------------------------


@each(GOOD)
def test_a_good_turn(report: Callable[[Seat, str], Report], seat: Seat, scenario: str) -> None:
    got, expected = report(seat, scenario), SCENARIOS[scenario].expected(seat.wire)
    check_good(seat, got, expected)
    assert ran(got) == list(expected.calls)
    if seat.driver in ("streamtext", "agui") or seat.kind in ("openai responses", "anthropic create"):
        assert called_whole(seat, got) == {call.id for call in expected.calls}
    if seat.kind == "openai chat-stream":
        assert [json.loads(call["text"]) for call in got["done"]] == [call.arguments for call in expected.calls]
    if seat.driver not in ("ui", "agui") and seat.kind != "openai chat-tools":
        assert used_of(got) == (expected.used or NOT_TOLD.get(seat.kind))


def check_good(seat: Seat, got: Report, expected: Outcome) -> None:
    """All but the calls."""
    check_nothing_odd(got)
    check_parts(seat, got)
    assert errors_of(got) == []
    assert text_of(seat, got) == expected.text
    assert reasoning_of(seat, got) in (expected.reasoning, None)
    if seat.driver == "agui":
        assert (got["resolved"], got["finished"]) == (True, True)
    else:
        assert got["finish"] == finish_for(seat, expected.finish)
    if seat.kind == "ui chat":
        assert (got["onFinish"]["isError"], got["status"]) == (False, "ready")


# --- bad ends ---------------------------------------------------------------------------------------------------------


@each(ENDS)
def test_a_bad_end(report: Callable[[Seat, str], Report], seat: Seat, scenario: str) -> None:
    """Nothing runs, not even a whole call of the failed turn: all clients wait for its end."""
    got, expected = report(seat, scenario), SCENARIOS[scenario].expected(seat.wire)
    assert called_whole(seat, got) <= {call.id for call in SCENARIOS[scenario].whole}
    if not expected.bad:
        check_good(seat, got, expected)
        assert ran(got) == list(expected.calls)
        return
    check_nothing_odd(got)
    check_parts(seat, got)
    assert got["runs"] == []
    assert got.get("unparsable", []) == []
    if seat.driver == "agui":
        assert (got["resolved"], got["finished"], got["runFailed"]) == (True, False, None)
        assert got["runError"]["message"]
    elif seat.driver == "ui":
        check_ui_end(seat, got, aborted=scenario == "abort")
    else:
        assert errors_of(got)
        assert got["finish"] is None


def check_ui_end(seat: Seat, got: Report, *, aborted: bool) -> None:
    """An error, or where our side stopped the turn `abort`: which a chat takes for an end without any reason."""
    assert (got["aborted"], bool(errors_of(got)), got["finish"]) == (aborted, not aborted, None)
    if seat.kind == "ui chat":
        end = got["onFinish"]
        assert (end["isError"], end["isAbort"], end["isDisconnect"]) == (not aborted, False, False)
        assert "finishReason" not in end
        assert got["status"] == ("ready" if aborted else "error")


# --- turns that are told as they are ----------------------------------------------------------------------------------


@each(TOLD)
def test_a_turn_told_as_it_is(report: Callable[[Seat, str], Report], seat: Seat, scenario: str) -> None:
    """What clients make of a turn that was cut, and of arguments that are none. See `TRUSTING`."""
    got, expected = report(seat, scenario), SCENARIOS[scenario].expected(seat.wire)
    check_nothing_odd(got)
    check_parts(seat, got)
    whole = {call.id for call in SCENARIOS[scenario].whole}
    if scenario.startswith("length") and seat.wire != "openai-chat":  # where nothing but the reason ends a call
        assert called_whole(seat, got) <= whole
    if expected.bad:
        assert (got["runs"], got["finished"]) == ([], False)
        assert errors_of(got)
    elif seat.kind in REFUSING and scenario not in ("length told", "length behind a call"):
        assert got["runs"] == []
        assert [message.startswith(REFUSING[seat.kind]) for message in errors_of(got)] == [True]
    else:
        check_good(seat, got, expected)
        assert ran(got) == TRUSTING.get((seat.kind, scenario), [])
