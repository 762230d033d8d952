"""Settings as they are written."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest
from mock.asking import WIRES, ask, dumped

from toolwire import UsageError
from toolwire.mock.script import Script
from toolwire.mock.service import Service
from toolwire.mock.settings import Place, Settings, settings_of

if TYPE_CHECKING:
    from toolwire.mock.plan import Plan


def changed(text: str, base: Settings | None = None) -> dict[str, object]:
    """What a text sets to something else than it is by default."""
    default, got = Settings(), settings_of(text, base)
    return {
        each.name: getattr(got, each.name)
        for each in fields(Settings)
        if getattr(got, each.name) != getattr(default, each.name)
    }


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", {}),
        ("head=5ms&ttfb=0.5s&delay=20&jitter=1.5ms", {"head": 0.005, "ttfb": 0.5, "delay": 0.02, "jitter": 0.0015}),
        ("quiet=15s", {"quiet": 15.0}),
        ("status=429&retry_after=3", {"status": 429, "retry_after": 3.0}),
        ("retry-after=0.5", {"retry_after": 0.5}),
        ("fail=2&chunk=7&pings=3&size=1", {"fail": 2, "chunk": 7, "pings": 3, "size": 1}),
        ("never", {"never": True}),
        ("never=1&open=yes", {"never": True, "open": True}),
        ("never=0&open=false", {}),
        ("never=no", {}),
        ("drop", {"drop": Place("mid")}),
        ("drop=first&fin=mid&eof=last&stall=after:3", {
            "drop": Place("first"),
            "fin": Place("mid"),
            "eof": Place("last"),
            "stall": Place("after", 3),
        }),
        ("error=mid&kind=rate_limit", {"error": Place("mid"), "kind": "rate_limit"}),
        ("length=after:0&malformed=", {"length": Place("after", 0), "malformed": Place("mid")}),
        ("quirks=a,b", {"quirks": ("a", "b")}),
        ("quirk=a&quirks=b,&quirk=c", {"quirks": ("a", "b", "c")}),
        ("script=weather&seed=7", {"script": "weather", "seed": "7"}),
        ("script=n%C3%A9e%20%26", {"script": "née &"}),
        ("delay=1ms&delay=2ms", {"delay": 0.002}),
    ],
)  # fmt: skip
def test_what_is_set(text: str, wanted: dict[str, object]) -> None:
    assert changed(text) == wanted


def test_one_text_upon_another() -> None:
    base = settings_of("delay=20ms&drop=mid&quirks=a")
    assert changed("delay=0&quirk=b", base) == {"drop": Place("mid"), "quirks": ("b",)}
    assert settings_of("", base) == base


@pytest.mark.parametrize(
    "text",
    [
        "delay=soon",
        "delay=-1ms",
        "delay=1m",
        "delay=",
        "ttfb=nan",
        "retry_after=soon",
        "retry_after=-1",
        "status=x",
        "status=0",
        "status=199",
        "status=600",
        "fail=-1",
        "chunk=-1",
        "pings=1.5",
        "drop=end",
        "drop=first:1",
        "drop=after",
        "drop=after:x",
        "drop=after:-1",
    ],
)
def test_what_is_not_understood(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        settings_of(text)
    assert str(caught.value) == f"{text} is not understood"


def test_an_unknown_setting_is_told_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        settings_of("dealy=5ms")
    names = ", ".join(sorted(each.name for each in fields(Settings)))
    assert str(caught.value) == f"unknown setting 'dealy': there are {names}"


def test_what_is_the_same_each_time() -> None:
    assert Settings().steady
    assert settings_of("delay=5ms&drop").steady
    assert not settings_of("jitter=1ms").steady
    assert not settings_of("fail=1").steady


# --- what they do to a plan ------------------------------------------------------------------------------------


def served(service: Service, settings: str, wire: str = "anthropic") -> Plan:
    asked = ask(wire, f"mock/text?{settings}")
    return service.plan("POST", asked.path, asked.headers, dumped(asked))[0]


def test_jitter_is_another_each_time() -> None:
    service = Service()
    first, second = (served(service, "delay=1ms&jitter=2ms") for _ in range(2))
    assert [step.wait for step in first.steps] != [step.wait for step in second.steps]
    assert all(0.0 <= plan.steps[0].wait <= 0.002 for plan in (first, second))
    assert all(0.001 <= step.wait <= 0.003 for step in first.steps[1:-1])


def test_a_steady_plan_is_used_again() -> None:
    service = Service()
    assert served(service, "delay=1ms") is served(service, "delay=1ms")
    calling = "script=parallel&delay=1ms"
    assert served(service, calling) is served(service, calling)
    assert served(service, calling) is not served(service, f"{calling}&seed=1")


def test_arguments_that_are_equal_and_not_the_same() -> None:
    said = [{"say": [{"call": "f", "arguments": {"x": value}}]} for value in (1, True)]
    rules = [{"user": "Lisbon", "header": {"x-n": str(n)}, "answer": str(n)} for n in (0, 1)]
    service = Service(Script.of({"answers": {"0": said[:1], "1": said[1:]}, "rules": rules}))
    asked = ask("openai-chat", "m", stream=False)
    plans = [service.plan("POST", asked.path, {"x-n": n}, dumped(asked))[0] for n in "01"]
    bodies = [json.loads(plan.steps[0].data) for plan in plans]
    calls = [body["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] for body in bodies]
    assert calls == ['{"x":1}', '{"x":true}']


def test_quiet_is_nothing_but_signs_of_life() -> None:
    signs = {}
    for wire in WIRES:
        plan = served(Service(), "quiet=10ms", wire)
        if plan.status == 200:
            assert plan.steps == ()
            assert plan.pulse is not None
            assert plan.pulse[0] == 0.01
            signs[wire] = plan.pulse[1]
        else:
            assert f"{wire} has no sign of life" in plan.steps[0].data.decode()
    assert signs["anthropic"].startswith(b"event: ping")


def test_settings_that_fit_no_wire() -> None:
    plan = served(Service(), "error=mid&kind=nope")
    assert plan.status == 400
    assert b"kind=nope is no kind of error that a provider reports" in plan.steps[0].data
