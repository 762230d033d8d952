"""The harness of the wires' tests: each has a list of cases, and its `WireCases` runs them in every way."""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from framing.cuts import random_cuts, split
from hypothesis import given, settings
from hypothesis import strategies as st

from support import byte_by_byte, dumped, feed, plain, run, to_sse
from toolwire import Stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pytest

    from toolwire import Event

Payload = dict[str, Any]
Item = Any  # what is sent: a payload, one with the name of its event before it, or "[DONE]"
Case = tuple[str, list[Item], list[Any]]  # a name, what is sent, and the events that it comes to, as they are shown


def to_lines(items: Iterable[Item], end: str = "\n") -> bytes:
    """Payloads as lines of JSON."""
    return "".join(dumped(item) + end for item in items).encode()


# Payloads as server-sent events and as lines, with both ends of lines.
SSE = {"LF": to_sse, "CRLF": partial(to_sse, end="\r\n")}
LINES = {"LF": to_lines, "CRLF": partial(to_lines, end="\r\n")}


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
    forms: ClassVar[dict[str, Callable[[Item], Item]]] = {"as they are": lambda item: item}  # of a payload
    bodies: ClassVar[dict[str, Callable[[list[Item]], bytes]]] = SSE  # of all payloads
    cuts: ClassVar[int] = 100  # how many random cuts are tried, and how many mutations
    mutations: ClassVar[int] = 200
    words: ClassVar[tuple[str, ...]] = ()  # what mutations write, besides what they write on every wire
    members: ClassVar[tuple[str, ...]] = ("type", "id", "name", "text")
    odd: ClassVar[st.SearchStrategy[Any]] = st.nothing()

    def shown(self, events: list[Event]) -> list[Any]:
        """Events in the form of the cases."""
        return plain(events)

    def sent(self, item: Item) -> Item:
        """An item as it is fed, with the name of its event if the wire names events."""
        return item

    def of_payloads(self, expected: list[Any]) -> list[Any]:
        """What payloads come to, where that differs from what the bytes come to."""
        return expected

    def survive(self, items: list[Item], data: st.DataObject) -> None:
        """Take mutated payloads; not raising is all that is asked."""
        run(map(self.sent, items), self.wire)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Give each test the cases, forms and bodies that it asks for."""
        if "case" in metafunc.fixturenames:
            cases = [*self.cases, *self.bodiless] if metafunc.function.__name__ == "test_payloads" else self.cases
            metafunc.parametrize("case", cases, ids=[case[0] for case in cases])
        if "form" in metafunc.fixturenames:
            metafunc.parametrize("form", self.forms)
        if "body" in metafunc.fixturenames:
            metafunc.parametrize("body", self.bodies)

    def test_case_names_are_unique(self) -> None:
        names = [case[0] for case in (*self.cases, *self.bodiless)]
        assert sorted(set(names)) == sorted(names)
        assert set(self.nobodys) <= set(names)

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
        """Leave it to the stream to find the wire; it finds none in what is nobody's."""
        stream = Stream()
        events = feed(stream, pieces)
        assert stream.wire == (None if name in self.nobodys else self.wire)
        if name not in self.nobodys:
            assert self.shown(events) == expected

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
            self.survive(mutated(case[1], data, junk), data)

        check()
