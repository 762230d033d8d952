"""Which answer a request gets."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from toolwire import UsageError
from toolwire.mock.answer import Answer, Call, Reasoning, Text
from toolwire.mock.asked import Asked, Offered, Result
from toolwire.mock.script import BUILT_IN, Script
from toolwire.mock.settings import Place, Settings

WEATHER = Offered("get_weather", {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
TIME = Offered("now", {"type": "object"})
SHELL = Offered("shell", None)


def asked(model: str = "x", **more: Any) -> Asked:
    return Asked("openai-chat", model, stream=True, **more)


def result(name: str) -> Result:
    return Result("c1", name, "12 degrees")


def answer(script: Script, request: Asked, settings: str = "", **headers: str) -> Answer:
    return script.answer(request, headers, settings)[0]


def text_of(answer: Answer) -> str:
    return "".join(part.text for part in answer.parts if isinstance(part, Text))


def turns(*texts: str) -> list[dict[str, Any]]:
    return [{"say": [{"text": text}]} for text in texts]


FULL = """
answers:
  weather:
    - say:
        - reasoning: Two cities.
          signature: c2ln
        - text: I'll look.
        - call: get_weather
          arguments: {city: Lisbon}
          id: call_1
          extra: {thought_signature: c2ln}
        - call: shell
          arguments: ls
          kind: custom
      finish: length
      usage: [3, 4]
      size: 5
      interleave: true
    - after: get_weather
      say: [{refusal: No.}]
      usage: null
rules:
  - model: "gpt-*"
    user: weather|rain
    header: {X-Team: red}
    answer: weather
    settings: delay=20ms
settings: ttfb=5ms
"""


@pytest.mark.parametrize("as_json", [False, True])
def test_everything_that_may_be_said(*, as_json: bool) -> None:
    import yaml

    script = Script.read(json.dumps(yaml.safe_load(FULL)) if as_json else FULL)
    first, second = script.answers["weather"]
    assert first.answer == Answer(
        (
            Reasoning("Two cities.", "c2ln"),
            Text("I'll look."),
            Call("get_weather", {"city": "Lisbon"}, id="call_1", extra={"thought_signature": "c2ln"}),
            Call("shell", "ls", kind="custom"),
        ),
        finish="length",
        usage=(3, 4),
        size=5,
        interleave=True,
    )
    assert first.after == ()
    assert (second.answer, second.after) == (Answer((Text("No.", refusal=True),), usage=None), ("get_weather",))
    (rule,) = script.rules
    assert (rule.model, rule.user, rule.header, rule.answer) == (
        "gpt-*",
        "weather|rain",
        (("X-Team", "red"),),
        "weather",
    )
    assert script.settings == Settings(ttfb=0.005)
    assert script.answer(asked("gpt-x", user="rain?"), {"x-team": "red"})[1] == Settings(ttfb=0.005, delay=0.02)
    assert script.answer(asked("gpt-x", user="rain?"), {"x-team": "blue"})[1] == Settings(ttfb=0.005)


def test_an_empty_script() -> None:
    assert Script.of({}) == Script.of({"answers": None, "rules": None, "settings": None}) == Script()


# --- rules -----------------------------------------------------------------------------------------------------

RULES = Script.of(
    {
        "answers": {"a": turns("a"), "b": turns("b"), "c": turns("c"), "d": turns("d")},
        "rules": [
            {"model": "gpt-*", "user": r"\bred\b", "answer": "a"},
            {"header": {"X-Team": "red"}, "answer": "b"},
            {"model": "gpt-*", "answer": "c", "settings": "drop=first&size=3"},
        ],
        "settings": "size=9",
    }
)


@pytest.mark.parametrize(
    ("model", "user", "headers", "said"),
    [
        ("gpt-4", "a red one", {}, "a"),
        ("gpt-4", "a red one", {"x-team": "red"}, "a"),
        ("gpt-4", "reddish", {}, "c"),
        ("gpt-4", "", {"x-team": "red"}, "b"),
        ("o4", "a red one", {"x-team": "red"}, "b"),
        ("gpt-4?delay=1ms", "", {}, "c"),
        ("d", "", {}, "d"),
        ("mock/d", "", {"x-team": "blue"}, "d"),
        ("d", "", {"x-team": "red"}, "b"),
    ],
)
def test_the_first_rule_that_fits(model: str, user: str, headers: dict[str, str], said: str) -> None:
    assert text_of(answer(RULES, asked(model, user=user), **headers)) == said


def test_settings_upon_settings() -> None:
    def chosen(model: str, beside: str = "") -> Settings:
        return RULES.answer(asked(model), {}, beside)[1]

    assert chosen("d") == Settings(size=9)
    assert chosen("gpt-4") == Settings(size=3, drop=Place("first"))
    assert chosen("gpt-4", "size=4") == Settings(size=4, drop=Place("first"))
    assert chosen("gpt-4?size=5&delay=1ms", "size=4") == Settings(size=5, delay=0.001, drop=Place("first"))


def test_the_settings_name_an_answer() -> None:
    assert text_of(answer(RULES, asked("gpt-4?script=d"))) == "d"
    assert answer(RULES, asked("d", tools=(WEATHER,)), "script=one").parts[1:] != ()
    with pytest.raises(UsageError) as caught:
        answer(RULES, asked("gpt-4?script=e"))
    assert str(caught.value) == f"there is no answer 'e': there are a, b, c, d, {', '.join(BUILT_IN)}"


def test_a_rule_may_name_what_is_built_in() -> None:
    script = Script.of({"rules": [{"model": "gpt-*", "answer": "text"}]})
    assert text_of(answer(script, asked("gpt-4", tools=(WEATHER,), user="Hi"))).startswith("You said 'Hi'")


# --- turns -----------------------------------------------------------------------------------------------------


def test_rounds() -> None:
    script = Script.of({"answers": {"x": turns("0", "1", "2")}})
    assert [text_of(answer(script, asked(rounds=n))) for n in range(5)] == ["0", "1", "2", "2", "2"]


def test_after_the_results_of_tools() -> None:
    script = Script.of(
        {
            "answers": {
                "x": [
                    {"say": [{"text": "0"}]},
                    {"after": ["get_weather", "now"], "say": [{"text": "both"}]},
                    {"after": "get_weather", "say": [{"text": "weather"}]},
                    {"say": [{"text": "1"}]},
                ]
            }
        }
    )

    def said(*names: str, rounds: int = 1) -> str:
        return text_of(answer(script, asked(rounds=rounds, results=tuple(map(result, names)))))

    assert said(rounds=0) == "0"
    assert said("get_weather") == "weather"
    assert said("now", "get_weather") == "both"
    assert said("now") == "1"
    assert said() == "1"


def test_only_turns_that_come_after_results() -> None:
    script = Script.of({"answers": {"x": [{"after": "now", "say": [{"text": "late"}]}]}})
    assert text_of(answer(script, asked())) == "late"


# --- made up ---------------------------------------------------------------------------------------------------


def made(name: str, tools: tuple[Offered, ...] = (WEATHER,), seed: str = "0", **more: Any) -> Answer:
    return Script().answer(asked(f"mock/{name}", tools=tools, **more), {}, seed=seed)[0]


def calls_of(answer: Answer) -> list[Call]:
    return [part for part in answer.parts if isinstance(part, Call)]


def test_built_in_models() -> None:
    assert calls_of(made("text")) == []
    assert [call.name for call in calls_of(made("one"))] == ["get_weather"]
    assert [call.name for call in calls_of(made("parallel"))] == ["get_weather"] * 2
    assert not made("parallel").interleave
    assert made("interleaved").interleave
    assert len(calls_of(made("interleaved"))) == 2
    reasoning = made("reasoning").parts
    assert [type(part) for part in reasoning[:2]] == [Reasoning, Text]
    assert set(BUILT_IN) == {"text", "one", "parallel", "interleaved", "reasoning"}


def test_any_other_model_calls_once_or_twice() -> None:
    counts = {len(calls_of(made("gpt-4", seed=str(seed)))) for seed in range(20)}
    assert counts == {1, 2}


def test_made_up_calls_fit_the_request() -> None:
    (call,) = calls_of(made("one"))
    assert list(call.arguments) == ["city"]
    assert calls_of(made("one", (SHELL,))) == [Call("shell", "free text of a custom tool", kind="custom")]
    assert len(calls_of(made("parallel", parallel=False))) == 1
    assert calls_of(made("one", choice="none")) == []
    for seed in range(5):
        (call,) = calls_of(made("one", (WEATHER, TIME), seed=str(seed), choice="now"))
        assert call.name == "now"
    assert {calls_of(made("one", (WEATHER, TIME), seed=str(seed)))[0].name for seed in range(20)} == {
        "get_weather",
        "now",
    }


def test_the_same_request_and_seed_get_the_same() -> None:
    assert made("parallel") == made("parallel")
    assert made("parallel") != made("parallel", seed="1")
    assert made("parallel") != made("parallel", user="other")
    assert made("parallel?seed=1") == made("parallel", seed="1")


def test_results_are_answered_with_a_text() -> None:
    results = (result("get_weather"), Result("c2", "", "x" * 300))
    said = made("one", results=results, rounds=1)
    assert said == Answer((Text(f"Done: get_weather says 12 degrees; the tool says {'x' * 200}"),))
    assert calls_of(made("one", results=results, rounds=1, choice="required")) != []
    assert calls_of(made("one", results=results, rounds=1, choice="get_weather")) != []


def test_without_tools_there_is_a_text() -> None:
    assert text_of(made("one", ())) == "Hello."
    assert text_of(made("one", (), user="Hi")) == "You said 'Hi', and there is no tool to call."


# --- what is wrong ---------------------------------------------------------------------------------------------

_TURN = "after, finish, interleave, say, size, usage"
_PART = "arguments, call, extra, id, kind, reasoning, refusal, signature, text"
_FINISH = "tool_calls, stop, length, content_filter, pause, error, cancelled, incomplete, unknown"


def _say(**part: Any) -> dict[str, Any]:
    return {"answers": {"a": [{"say": [part]}]}}


def _turn(**turn: Any) -> dict[str, Any]:
    return {"answers": {"a": [{"say": [], **turn}]}}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (None, "the script is a mapping, not None"),
        ([], "the script is a mapping, not []"),
        ({"answer": {}, "rule": []}, "the script has answer, rule; it may have answers, rules, settings"),
        ({"answers": [1]}, "answers is a mapping, not [1]"),
        ({"answers": {"a": {"say": []}}}, "answers.a is a list, not {'say': []}"),
        ({"answers": {"a": []}}, "answers.a has no turns"),
        ({"answers": {"a": ["hi"]}}, "answers.a[0] is a mapping, not 'hi'"),
        ({"answers": {"a": [{}]}}, "answers.a[0] says nothing: give it `say`, a list of text, reasoning and call"),
        ({"answers": {"a": [{"says": []}]}}, f"answers.a[0] has says; it may have {_TURN}"),
        ({"answers": {"a": [{"say": "hi"}]}}, "answers.a[0].say is a list, not 'hi'"),
        (_turn(usage=5), "answers.a[0].usage is [input tokens, output tokens] or null, not 5"),
        (_turn(usage=[1]), "answers.a[0].usage is [input tokens, output tokens] or null, not [1]"),
        (_turn(usage=["1", 2]), "answers.a[0].usage is [input tokens, output tokens] or null, not ['1', 2]"),
        (_turn(finish="done"), f"answers.a[0].finish is one of {_FINISH}, not 'done'"),
        (_turn(size=0), "answers.a[0].size is a number of characters, at least 1, not 0"),
        (_turn(size="5"), "answers.a[0].size is a number of characters, at least 1, not '5'"),
        (_turn(after=5), "answers.a[0].after is a list, not 5"),
        (_say(say="hi"), f"answers.a[0].say[0] has say; it may have {_PART}"),
        (_say(id="1"), "answers.a[0].say[0] is one of a text, a refusal, a reasoning and a call, not {'id': '1'}"),
        (
            _say(text="a", call="b"),
            "answers.a[0].say[0] is one of a text, a refusal, a reasoning and a call, not {'text': 'a', 'call': 'b'}",
        ),
        (_say(call="f", kind="tool"), "answers.a[0].say[0].kind is one of function, custom, server, mcp, not 'tool'"),
        (_say(call="f", extra=[1]), "answers.a[0].say[0].extra is a mapping, not [1]"),
        ({"rules": {}}, None),
        ({"rules": {"a": 1}}, "rules is a list, not {'a': 1}"),
        ({"rules": ["a"]}, "rules[0] is a mapping, not 'a'"),
        ({"rules": [{"models": "a"}]}, "rules[0] has models; it may have answer, header, model, settings, user"),
        ({"rules": [{"answer": "a"}]}, "rules[0].answer: there is no answer 'a'"),
        ({"rules": [{"answer": ["a"]}]}, "rules[0].answer: there is no answer \"['a']\""),
        ({"rules": [{"header": "a"}]}, "rules[0].header is a mapping, not 'a'"),
        (
            {"rules": [{"user": "("}]},
            "rules[0].user is no regular expression: missing ), unterminated subpattern at position 0",
        ),
        ({"rules": [{"settings": "drop=end"}]}, "drop=end is not understood"),
        ({"settings": "drop=end"}, "drop=end is not understood"),
    ],
)
def test_what_is_wrong_and_where(data: object, says: str | None) -> None:
    if says is None:
        assert Script.of(data) == Script()
        return
    for make in (lambda: Script.of(data), lambda: Script.read(json.dumps(data))):
        with pytest.raises(UsageError) as caught:
            make()
        assert str(caught.value) == says


def test_neither_json_nor_yaml() -> None:
    with pytest.raises(UsageError, match=r"^mock\.yaml is neither JSON nor YAML: "):
        Script.read("a: [", "mock.yaml")


def test_json_needs_no_yaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert Script.read('{"settings": "delay=1ms"}').settings == Settings(delay=0.001)
    with pytest.raises(UsageError, match="the script is a mapping"):
        Script.read("[]")
    with pytest.raises(UsageError) as caught:
        Script.read("settings: delay=1ms", "mock.yaml")
    assert str(caught.value) == "mock.yaml is no JSON, and YAML needs PyYAML: pip install 'toolwire[mock]'"
