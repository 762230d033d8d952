"""Which answer a request gets: by a script, or made up.

A script is a mapping, from YAML, JSON or Python:

    answers:                      # by name, a conversation each
      weather:
        - say:
            - text: I'll look at both.
            - call: get_weather
              arguments: {city: Lisbon}
            - call: get_weather
              arguments: {city: Oslo}
        - after: get_weather      # once results of this tool have come
          say: [{text: Lisbon is warmer.}]
    rules:                        # the first that fits decides
      - model: "gpt-*"            # a pattern as in file names
        user: weather             # found in the user's last text, a regular expression
        header: {x-team: red}
        answer: weather
        settings: delay=20ms
    settings: ttfb=5ms            # for every request

Without a script, or where nothing in it fits, an answer is made up of what the request offers: calls of its tools with
valid arguments, and after their results a text. The same request and seed get the same answer.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, get_args

from toolwire.call import CallKind
from toolwire.errors import UsageError
from toolwire.events import FinishReason
from toolwire.mock.answer import Answer, Call, Reasoning, Text
from toolwire.mock.settings import Settings, settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolwire.mock.answer import Part
    from toolwire.mock.asked import Asked, Offered

__all__ = ["Rule", "Script", "Turn", "made_up"]

# Names of models that need no script, and what is made up for each.
BUILT_IN = {
    "text": "a text, whatever tools there are",
    "one": "one call",
    "parallel": "two calls",
    "interleaved": "two calls whose deltas take turns, where the wire has an index for that",
    "reasoning": "reasoning, then a call",
}


_FINISHES = get_args(FinishReason)
_CALL_KINDS = get_args(CallKind)
_PARTS = frozenset({"text", "refusal", "reasoning", "call"})


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of a conversation. `after`: the tools whose results it answers; () for one that comes in its turn."""

    answer: Answer
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """Which requests get which answer or settings."""

    model: str = "*"
    user: str = ""
    header: tuple[tuple[str, str], ...] = ()
    answer: str | None = None
    settings: str = ""

    def fits(self, asked: Asked, headers: Mapping[str, str]) -> bool:
        """Whether it is for this request."""
        return (
            fnmatchcase(asked.model.partition("?")[0], self.model)
            and re.search(self.user, asked.user) is not None
            and all(headers.get(name.lower()) == value for name, value in self.header)
        )


@dataclass(frozen=True, slots=True)
class Script:
    """Answers by name, and the rules for who gets them."""

    answers: Mapping[str, tuple[Turn, ...]] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    settings: Settings = field(default_factory=Settings)

    @classmethod
    def of(cls, data: object) -> Script:
        """A script from plain data. Raises `UsageError` that says what is wrong and where."""
        body = _mapping(data, "the script", {"answers", "rules", "settings"})
        answers = {
            str(name): _turns(turns, f"answers.{name}")
            for name, turns in _mapping(body.get("answers") or {}, "answers").items()
        }
        rules = tuple(
            _rule(rule, f"rules[{n}]", answers) for n, rule in enumerate(_list(body.get("rules") or [], "rules"))
        )
        return cls(answers, rules, settings_of(str(body.get("settings") or "")))

    @classmethod
    def read(cls, text: str, name: str = "the script") -> Script:
        """A script from JSON or YAML. Raises `UsageError`."""
        return cls.of(_loaded(text, name))

    def answer(
        self, asked: Asked, headers: Mapping[str, str], settings: str = "", *, seed: str = "0"
    ) -> tuple[Answer, Settings]:
        """What a request gets, and what goes wrong with it. `settings`: those beside the request."""
        name, _, own = asked.model.partition("?")
        rule = next((rule for rule in self.rules if rule.fits(asked, headers)), Rule())
        chosen = self.settings
        for each in (rule.settings, settings, own):
            if each:
                chosen = settings_of(each, chosen)
        wanted = chosen.script or rule.answer or name.rpartition("/")[2]
        turns = self.answers.get(wanted)
        if turns is None:
            if chosen.script and wanted not in BUILT_IN:
                raise UsageError(f"there is no answer {wanted!r}: there are {', '.join([*self.answers, *BUILT_IN])}")
            return made_up(asked, wanted, chosen.seed or seed), chosen
        return _pick(turns, asked), chosen


def _loaded(text: str, name: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        import yaml
    except ImportError:
        raise UsageError(f"{name} is no JSON, and YAML needs PyYAML: pip install 'toolwire[mock]'") from None
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise UsageError(f"{name} is neither JSON nor YAML: {error}") from None


def _pick(turns: tuple[Turn, ...], asked: Asked) -> Answer:
    came = {result.name for result in asked.results}
    for turn in turns:
        if turn.after and came and came >= set(turn.after):
            return turn.answer
    plain = [turn.answer for turn in turns if not turn.after] or [turns[-1].answer]
    return plain[min(asked.rounds, len(plain) - 1)]


def made_up(asked: Asked, name: str, seed: str) -> Answer:
    """An answer to a request without a script."""
    from toolwire.mock.generate import arguments

    rng = random.Random(f"{seed} {asked.rounds} {asked.user} {len(asked.tools)}")
    offered = [tool for tool in asked.tools if asked.choice in ("auto", "required", tool.name)]
    if asked.choice == "none" or name == "text":
        offered = []
    if asked.results and asked.choice not in ("required", *(tool.name for tool in offered)):
        said = "; ".join(f"{result.name or 'the tool'} says {result.text[:200]}" for result in asked.results)
        return Answer((Text(f"Done: {said}"),))
    if not offered:
        return Answer(
            (Text(f"You said {asked.user[:200]!r}, and there is no tool to call." if asked.user else "Hello."),)
        )
    several = (
        1 if name == "one" or not asked.parallel else 2 if name in ("parallel", "interleaved") else rng.choice((1, 2))
    )
    calls = [_made_call(rng.choice(offered), rng, arguments) for _ in range(several)]
    parts: list[Part] = [Text("I'll look that up."), *calls]
    if name == "reasoning":
        parts.insert(0, Reasoning("The user wants something that a tool knows.", "c2lnbmF0dXJl"))
    return Answer(tuple(parts), interleave=name == "interleaved")


def _made_call(tool: Offered, rng: random.Random, make: Any) -> Call:
    if tool.schema is None:
        return Call(tool.name, "free text of a custom tool", kind="custom")
    return Call(tool.name, make(tool.schema, rng))


def _turns(data: object, where: str) -> tuple[Turn, ...]:
    turns = tuple(_turn(turn, f"{where}[{n}]") for n, turn in enumerate(_list(data, where)))
    if not turns:
        raise UsageError(f"{where} has no turns")
    return turns


def _turn(data: object, where: str) -> Turn:
    body = _mapping(data, where, {"say", "after", "finish", "usage", "size", "interleave"})
    after = body.get("after") or ()
    if "say" not in body:
        raise UsageError(f"{where} says nothing: give it `say`, a list of text, reasoning and call")
    parts = tuple(_part(part, f"{where}.say[{n}]") for n, part in enumerate(_list(body["say"], f"{where}.say")))
    usage = body.get("usage", (42, 17))
    if usage is not None and not (isinstance(usage, list | tuple) and [type(count) for count in usage] == [int, int]):
        raise UsageError(f"{where}.usage is [input tokens, output tokens] or null, not {usage!r}")
    finish, size = body.get("finish"), body.get("size", 12)
    if finish is not None and finish not in _FINISHES:
        raise UsageError(f"{where}.finish is one of {', '.join(_FINISHES)}, not {finish!r}")
    if type(size) is not int or size < 1:
        raise UsageError(f"{where}.size is a number of characters, at least 1, not {size!r}")
    answer = Answer(
        parts, finish, None if usage is None else (usage[0], usage[1]), size, bool(body.get("interleave", False))
    )
    names = [after] if isinstance(after, str) else _list(after, f"{where}.after")
    return Turn(answer, tuple(str(name) for name in names))


def _part(data: object, where: str) -> Part:
    body = _mapping(
        data, where, {"text", "refusal", "reasoning", "signature", "call", "arguments", "id", "kind", "extra"}
    )
    if len(_PARTS & body.keys()) != 1:
        raise UsageError(f"{where} is one of a text, a refusal, a reasoning and a call, not {data!r}")
    match body:
        case {"call": name}:
            kind: Any = body.get("kind", "function")
            if kind not in _CALL_KINDS:
                raise UsageError(f"{where}.kind is one of {', '.join(_CALL_KINDS)}, not {kind!r}")
            extra = body.get("extra")
            if extra is not None:
                _mapping(extra, f"{where}.extra")
            given = body.get("id")
            return Call(str(name), body.get("arguments"), None if given is None else str(given), kind, extra)
        case {"text": text}:
            return Text(str(text))
        case {"refusal": text}:
            return Text(str(text), refusal=True)
    return Reasoning(str(body["reasoning"]), body.get("signature"))


def _rule(data: object, where: str, answers: Mapping[str, Any]) -> Rule:
    body = _mapping(data, where, {"model", "user", "header", "answer", "settings"})
    answer = None if body.get("answer") is None else str(body["answer"])
    if answer is not None and answer not in answers and answer not in BUILT_IN:
        raise UsageError(f"{where}.answer: there is no answer {answer!r}")
    settings_of(str(body.get("settings") or ""))
    header = _mapping(body.get("header") or {}, f"{where}.header")
    try:
        re.compile(str(body.get("user") or ""))
    except re.error as error:
        raise UsageError(f"{where}.user is no regular expression: {error}") from None
    return Rule(
        str(body.get("model") or "*"),
        str(body.get("user") or ""),
        tuple((str(name), str(value)) for name, value in header.items()),
        answer,
        str(body.get("settings") or ""),
    )


def _mapping(data: object, where: str, known: set[str] | None = None) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise UsageError(f"{where} is a mapping, not {data!r}")
    unknown = set(data) - known if known else set()
    if unknown:
        found, allowed = (", ".join(sorted(map(str, names))) for names in (unknown, known or ()))
        raise UsageError(f"{where} has {found}; it may have {allowed}")
    return data


def _list(data: object, where: str) -> list[Any]:
    if not isinstance(data, list | tuple):
        raise UsageError(f"{where} is a list, not {data!r}")
    return list(data)
