"""Whatever comes, however it is cut: nothing raises, nothing flickers, and the end is what the whole type says."""

from __future__ import annotations

import dataclasses
import datetime  # noqa: TC003  hints are read at run time
import enum
import json
import random
from typing import Annotated, Any, TypedDict

import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

import toolwire
from toolwire import MISSING
from toolwire.typed import Partial, PartialDict, PartialList


class Color(enum.Enum):
    RED = "red"
    GREEN = "green"


class In(BaseModel):
    a: int = 0
    b: str
    next: In | None = None


class Model(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    a: Annotated[str, Field(max_length=4)] = "x"
    b: In | None = None
    c: list[In | None] = Field([], alias="C")
    d: dict[str, list[In]] = {}
    e: Color | int = 1
    f: Any = None
    g: datetime.date | str = ""
    h: tuple[int, ...] = ()
    i: Annotated[list[str], Field(max_length=2)] = []

    @pydantic.field_validator("h")
    @classmethod
    def check(cls, value: Any, info: pydantic.ValidationInfo) -> Any:
        if info.data.get("a") == "ab":
            raise KeyError("ab")
        return value


class StrictModel(Model):
    model_config = ConfigDict(strict=True)


class StructIn(msgspec.Struct):
    b: str
    a: int = 0
    next: StructIn | None = None


class StructModel(msgspec.Struct, rename={"c": "C"}):
    a: Annotated[str, msgspec.Meta(max_length=4)] = "x"
    b: StructIn | None = None
    c: list[StructIn | None] = []
    d: dict[str, list[StructIn]] = {}
    e: Color | int = 1
    f: Any = None
    g: datetime.date | None = None
    h: tuple[int, ...] = ()
    i: Annotated[list[str], msgspec.Meta(max_length=2)] = []


@dataclasses.dataclass
class DataIn:
    b: str
    a: int = 0


@dataclasses.dataclass
class DataModel:
    a: str
    b: DataIn | None = None
    C: list[DataIn | None] = dataclasses.field(default_factory=list)
    d: dict[str, list[DataIn]] = dataclasses.field(default_factory=dict)


class DictModel(TypedDict, total=False):
    a: str
    b: DataIn | None
    C: list[StructIn | None]
    d: dict[str, list[StructIn]]
    f: Any


MODELS = [Model, StrictModel, StructModel, DataModel, DictModel]

short = st.text('ab\\"é😀\n', max_size=6)
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-1, 1) | short,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abCdx"), inner, max_size=3),
    max_leaves=6,
)
ins = st.deferred(
    lambda: st.fixed_dictionaries({"b": short}, optional={"a": st.integers(), "next": st.none() | ins, "x": anything})
)
good: dict[str, Any] = {
    "a": short,
    "b": st.none() | ins,
    "c": st.lists(ins, max_size=1),
    "C": st.lists(st.none() | ins, max_size=3),
    "d": st.dictionaries(short, st.lists(ins, max_size=2), max_size=3),
    "e": st.sampled_from(["red", "green", "re", 3]),
    "f": anything,
    "g": st.sampled_from(["2026-01-02", "2026", "", None]),
    "h": st.lists(st.integers(), max_size=3),
    "i": st.lists(short, max_size=3),
    "other": anything,
}


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    keys = draw(st.lists(st.sampled_from(sorted(good)), unique=True))
    if "c" in keys and "C" in keys:
        keys.remove("c")  # two names of one field: the alias wins, but only once it is there
    odd = draw(st.integers(0, 3)) == 0
    return {key: draw(st.one_of(good[key], anything) if odd else good[key]) for key in keys}


def call_and_feed() -> tuple[toolwire.Stream, Any]:
    stream = toolwire.Stream("openai-chat", repairs=())

    def feed(text: str, name: str | None = None) -> None:
        call: dict[str, Any] = {"index": 0, "function": {"arguments": text}}
        if name:
            call |= {"id": "a", "function": {"name": name, "arguments": text}}
        stream.receive_payload({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})

    feed("", "f")
    return stream, feed


def cut(text: str, seed: int) -> list[str]:
    rng = random.Random(seed)
    pieces = []
    at = 0
    while at < len(text):
        size = rng.choice((1, 2, 5, 30))
        pieces.append(text[at : at + size])
        at += size
    return pieces


class Watch:
    """Looks at a partial after each event, and remembers what must not change."""

    def __init__(self) -> None:
        self.final: dict[str, Any] = {}
        self.strings: dict[str, str] = {}

    def look(self, partial: Any) -> None:
        for name, value in self.final.items():
            assert partial[name] is value
            assert name in partial.closed_fields
        self.final = {name: partial[name] for name in partial.closed_fields}
        for name, text in self.strings.items():
            value = partial[name]
            if name not in self.final:
                assert value is MISSING or (isinstance(value, str) and value.startswith(text))
        self.strings = {
            name: partial[name] for name in partial if isinstance(partial[name], str) and name not in self.final
        }
        self.walk(partial)

    def walk(self, value: Any) -> None:
        """Read everything there is to read."""
        repr(value)
        if isinstance(value, Partial):
            assert list(value) == [name for name in value if value[name] is not MISSING]
            assert isinstance(value.problems, tuple)
            assert value.as_dict().keys() == set(value)
            for name in value:
                self.walk(value[name])
        elif isinstance(value, PartialList):
            assert len(value) == len(list(value))
            for each in value:
                self.walk(each)
        elif isinstance(value, PartialDict):
            assert len(value) == len(list(value.items()))
            for each in value.values():
                self.walk(each)


def by_type(model: Any, text: str) -> Any:
    """What the type's library makes of the whole text; the keys of what is wrong with it."""
    if isinstance(model, type) and issubclass(model, BaseModel):
        try:
            return model.model_validate_json(text), set()
        except pydantic.ValidationError as error:
            present = json.loads(text)
            return None, {each["loc"][0] for each in error.errors() if each["loc"] and each["loc"][0] in present}
        except KeyError:
            return None, None
    try:
        return msgspec.convert(json.loads(text), model), set()
    except msgspec.ValidationError:
        return None, None


@pytest.mark.parametrize("model", MODELS)
@given(document=documents(), seed=st.integers(0, 1000), ascii=st.booleans())
def test_valid_json(model: Any, document: dict[str, Any], seed: int, ascii: bool) -> None:
    text = json.dumps(document, ensure_ascii=ascii)
    stream, feed = call_and_feed()
    watch = Watch()
    for piece in cut(text, seed):
        feed(piece)
        watch.look(stream.calls[0].partial_as(model))
    stream.receive_payload({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    stream.end()
    partial: Any = stream.calls[0].partial_as(model)
    watch.look(partial)
    assert partial.done is True
    whole, wrong = by_type(model, text)
    if whole is None:
        if wrong is not None:
            assert {problem.path[0] for problem in partial.problems} == wrong
        return
    assert partial.problems == ()
    expected = whole if isinstance(whole, dict) else {name: getattr(whole, name) for name in fields(model)}
    assert partial.as_dict() == expected
    assert {name: repr(each) for name, each in partial.as_dict().items()} == {
        name: repr(each)
        for name, each in expected.items()  # True is no 1 here
    }


def fields(model: Any) -> list[str]:
    if hasattr(model, "model_fields"):
        return list(model.model_fields)
    if dataclasses.is_dataclass(model):
        return [each.name for each in dataclasses.fields(model)]
    return list(model.__struct_fields__)


@pytest.mark.parametrize("model", MODELS)
@given(document=documents(), seed=st.integers(0, 1 << 30), repairs=st.booleans())
def test_garbage(model: Any, document: dict[str, Any], seed: int, repairs: bool) -> None:
    """Texts with pieces left out, said twice or put elsewhere; keys come again, types change at them."""
    rng = random.Random(seed)
    text = json.dumps(document, ensure_ascii=rng.random() < 0.5)
    for _ in range(rng.randint(1, 4)):
        one, other = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
        where = rng.randint(0, len(text))
        text = rng.choice(
            (
                text[:one] + text[other:],
                text[:where] + text[one:other] + text[where:],
                text[:where] + rng.choice('{}[]",:\\0nt') + text[where:],
                text[:-1] + "," + text[1:],
            )
        )
    parser_options: dict[str, Any] = {} if repairs else {"repairs": ()}
    stream = toolwire.Stream("openai-chat", **parser_options)
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}
    stream.receive_payload({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
    watch = Watch()
    partial: Any
    for piece in cut(text, seed):
        more = {"index": 0, "function": {"arguments": piece}}
        stream.receive_payload({"choices": [{"index": 0, "delta": {"tool_calls": [more]}}]})
        partial = stream.calls[0].partial_as(model)
        parser = stream.calls[0]._parser
        assert parser is not None
        if parser.duplicates:  # between two looks, one may have taken the other's place
            watch = Watch()
            watch.walk(partial)
        else:
            watch.look(partial)
    stream.receive_payload({"choices": [{"index": 0, "delta": {}, "finish_reason": rng.choice(("stop", "length"))}]})
    stream.end()
    partial = stream.calls[0].partial_as(model)
    watch.walk(partial)
    parser = stream.calls[0]._parser
    assert parser is not None
    if partial.done and stream.calls[0].status == "complete" and parser.value is not MISSING:
        whole, _ = by_type(model, json.dumps(parser.value or {}))
        if whole is not None:
            expected = whole if isinstance(whole, dict) else {name: getattr(whole, name) for name in fields(model)}
            assert partial.as_dict() == expected
