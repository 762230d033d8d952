"""The harness of the wires' tests: each has a list of cases, and its `WireCases` runs them in every way."""

from __future__ import annotations

import copy
import re
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from framing.cuts import random_cuts, split
from hypothesis import given, settings
from hypothesis import strategies as st

from support import byte_by_byte, dumped, feed, run, to_sse, whose
from toolwire import Stream
from toolwire.events import (
    Finish,
    MessageStart,
    ReasoningDelta,
    RefusalDelta,
    Reset,
    StreamError,
    TextDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Unknown,
    Usage,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pytest

    from toolwire import Event, ToolCall

Payload = dict[str, Any]
Item = Any  # what is sent: a payload, one with the name of its event before it, or "[DONE]"
Case = tuple[str, list[Item], list[Any]]  # a name, what is sent, and the events that it comes to, as they are shown


def to_lines(items: Iterable[Item], end: str = "\n") -> bytes:
    """Payloads as lines of JSON."""
    return "".join(dumped(item) + end for item in items).encode()


# Payloads as server-sent events and as lines, with both ends of lines.
SSE = {"LF": to_sse, "CRLF": partial(to_sse, end="\r\n")}
LINES = {"LF": to_lines, "CRLF": partial(to_lines, end="\r\n")}


def shown(events: Iterable[Event], *, kinds: bool = False, hidden: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
    """Events as short values to compare, calls as they ended; what is as it mostly is, is left out."""
    # A choice but the first shows as "#1", a generated id as "*" and its call's place, encoded arguments as "value".
    # With `kinds`, errors show the kind they were sorted into; `hidden` members of a call's `extra` do not show.

    def one(event: Event) -> tuple[Any, ...]:
        at = (f"#{number}",) if (number := getattr(event, "choice", 0)) != 0 else ()
        match event:
            case MessageStart():
                return ("message", event.id, event.model)
            case TextDelta():
                return ("text", *at, event.text)
            case RefusalDelta():
                return ("refusal", *at, event.text)
            case ReasoningDelta():
                rest = (event.signature, event.extra) if event.signature or event.extra else ()
                return ("reasoning", *at, event.text, event.field, *rest)
            case ToolCallStart(call):
                kind = () if call.kind == "function" else (call.kind,)
                extra = {key: value for key, value in call.extra.items() if key not in hidden}
                return ("start", *at, call.index, _id(call), call.name, *kind, *([extra] if extra else []))
            case ToolCallDelta(call):
                return ("value" if call.encoded else "delta", *at, call.index, event.text)
            case ToolCallEnd(call):
                good = call.status in ("complete", "repaired")
                value = call.arguments if good else call.error and call.error.reason
                return ("end", *at, call.index, call.status, value)
            case Usage():
                return ("usage", event.input_tokens, event.output_tokens)
            case Finish():
                return ("finish", *at, event.reason, *event.raw, [_id(call) for call in event.calls])
            case Reset():
                return ("reset", event.scope, [_id(call) for call in event.calls])
            case StreamError():
                return ("error", event.kind if kinds else whose(event), event.message, event.code)
            case Unknown():
                return ("unknown", event.payload, *([event.event] if event.event else []))
        raise AssertionError(event)

    return [one(event) for event in events]


def _id(call: ToolCall) -> Any:
    place = f"{call.choice}.{call.index}" if call.choice else call.index
    name = f"*{place}" if re.fullmatch("call_[0-9a-f]{24}", call.id) else call.id
    return name if call.vendor_id in (None, call.id) else (name, call.vendor_id)


def mutated(items: list[Item], data: st.DataObject, junk: st.SearchStrategy[Any]) -> list[Item]:
    """A copy with one to three members of its payloads replaced, shuffled half of the time."""
    items = [list(item) if isinstance(item, tuple) else item for item in copy.deepcopy(items)]
    for _ in range(data.draw(st.integers(1, 3))):
        item = data.draw(st.sampled_from(items))
        holder = item[1] if isinstance(item, list) else item
        while isinstance(holder, dict | list) and holder:
            key = data.draw(st.sampled_from(list(holder) if isinstance(holder, dict) else range(len(holder))))
            if isinstance(holder[key], dict | list) and holder[key] and data.draw(st.integers(0, 2)):
                holder = holder[key]
                continue
            holder[key] = copy.deepcopy(data.draw(junk))
            break
    if data.draw(st.booleans()):
        data.draw(st.randoms()).shuffle(items)
    return [tuple(item) if isinstance(item, list) else item for item in items]


class WireCases:
    """The runs of a wire's cases: a wire's test file derives its `TestCases` from this."""

    wire: ClassVar[str]
    cases: ClassVar[list[Case]]
    bodiless: ClassVar[list[Case]] = []  # more cases, of payloads that no body of bytes holds
    nobodys: ClassVar[tuple[str, ...]] = ()  # the names of the cases that hold nothing that is this wire's alone
    told: ClassVar[tuple[str, ...]] = ()  # and of those whose meaning shows only where the wire is told
    forms: ClassVar[dict[str, Callable[[Item], Item]]] = {"as they are": lambda item: item}  # of a payload
    bodies: ClassVar[dict[str, Callable[[list[Item]], bytes]]] = SSE  # of all payloads
    shown: ClassVar[Callable[[list[Event]], list[Any]]] = staticmethod(shown)  # events in the form of the cases
    cuts: ClassVar[int] = 100  # how many random cuts are tried, and how many mutations
    mutations: ClassVar[int] = 200
    words: ClassVar[tuple[str, ...]] = ()  # what mutations write, besides what they write on every wire
    members: ClassVar[tuple[str, ...]] = ("type", "id", "name", "text")
    odd: ClassVar[st.SearchStrategy[Any]] = st.nothing()

    def sent(self, item: Item) -> Item:
        """An item as it is fed, with the name of its event if the wire names events."""
        return item

    def of_payloads(self, expected: list[Any]) -> list[Any]:
        """What payloads come to, where that differs from what the bytes come to."""
        return expected

    def survive(self, items: list[Item], data: st.DataObject) -> None:
        """Take mutated payloads; not raising is all that is asked."""
        run(items, self.wire)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Give each test the cases, forms and bodies that it asks for."""
        if "case" in metafunc.fixturenames:
            cases = self.cases
            if metafunc.function.__name__ == "test_payloads":
                cases = [*cases, *self.bodiless]
            elif "is_found" in metafunc.function.__name__:
                cases = [case for case in cases if case[0] not in self.told]
            metafunc.parametrize("case", cases, ids=[case[0] for case in cases])
        if "form" in metafunc.fixturenames:
            metafunc.parametrize("form", self.forms)
        if "body" in metafunc.fixturenames:
            metafunc.parametrize("body", self.bodies)

    def test_case_names_are_unique(self) -> None:
        names = [case[0] for case in (*self.cases, *self.bodiless)]
        assert sorted(set(names)) == sorted(names)
        assert {*self.nobodys, *self.told} <= set(names)

    def test_payloads(self, form: str, case: Case) -> None:
        _, items, expected = case
        payloads = [self.sent(self.forms[form](item)) for item in items]
        assert self.shown(run(payloads, self.wire)) == self.of_payloads(expected)

    def test_bytes_one_by_one(self, body: str, case: Case) -> None:
        _, items, expected = case
        data = self.bodies[body](list(map(self.sent, items)))
        assert self.shown(run(byte_by_byte(data), self.wire)) == expected

    def test_bytes_cut_anywhere(self) -> None:
        @settings(deadline=None, max_examples=self.cuts)
        @given(case=st.sampled_from(self.cases), body=st.sampled_from(list(self.bodies)), places=random_cuts)
        def check(case: Case, body: str, places: list[int]) -> None:
            _, items, expected = case
            data = self.bodies[body](list(map(self.sent, items)))
            assert self.shown(run(split(data, places), self.wire)) == expected

        check()

    def test_the_wire_is_found_in_payloads(self, case: Case) -> None:
        name, items, expected = case
        self.find(name, map(self.sent, items), self.of_payloads(expected))

    def test_the_wire_is_found_in_bytes(self, body: str, case: Case) -> None:
        name, items, expected = case
        self.find(name, [self.bodies[body](list(map(self.sent, items)))], expected)

    def find(self, name: str, pieces: Iterable[Any], expected: list[Any]) -> None:
        """Leave it to the stream to find the wire, which it need not in what is nobody's."""
        stream = Stream()
        assert self.shown(feed(stream, pieces)) == expected
        assert stream.wire == self.wire or name in self.nobodys

    def test_whatever_the_members_hold_nothing_raises(self) -> None:
        junk = st.recursive(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats()
            | st.sampled_from(["", "null", "c1", "f", "{}", "a", "\ud800", *self.words])
            | self.odd,
            lambda inner: (
                st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(self.members), inner, max_size=2)
            ),
            max_leaves=4,
        )

        @settings(deadline=None, max_examples=self.mutations)
        @given(case=st.sampled_from([*self.cases, *self.bodiless]), data=st.data())
        def check(case: Case, data: st.DataObject) -> None:
            self.survive(mutated(list(map(self.sent, case[1])), data, junk), data)

        check()
