"""What a look costs is decided by what is new since the last one: work is counted, not timed."""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import pytest
from pydantic import AfterValidator, BaseModel

from toolwire.call import ToolCall
from toolwire.partial import PartialJSON
from toolwire.trust import Trust
from toolwire.typed import Partial
from toolwire.typed.models import model_of
from toolwire.typed.root import Root

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNT = 200

ran: Counter[str] = Counter()


def counted(value: Any) -> Any:
    ran[str(value)] += 1
    return value


class Row(BaseModel):
    id: Annotated[int, AfterValidator(counted)]
    text: str = ""


class Table(BaseModel):
    rows: list[Row] = []
    names: dict[str, Row] = {}
    grid: list[list[Row]] = []


class StructRow(msgspec.Struct):
    id: int
    text: str = ""


class StructTable(msgspec.Struct):
    rows: list[StructRow] = []
    names: dict[str, StructRow] = {}
    grid: list[list[StructRow]] = []


ROWS = [{"id": at, "text": "x" * 5} for at in range(COUNT)]
TABLES: dict[str, Any] = {
    "rows": ROWS,
    "names": {f"k{each['id']}": each for each in ROWS},
    "grid": [ROWS],
}


def live() -> tuple[PartialJSON, ToolCall]:
    parser = PartialJSON()
    call = ToolCall(index=0, choice=0, kind="function", parser=parser, trust=Trust(), reject=lambda *_: None)
    return parser, call


def lines(call: ToolCall, model: Any) -> int:
    """How many lines of Python a look runs."""
    count = 0

    def trace(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call.partial_as(model)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("model", [Table, StructTable])
@pytest.mark.parametrize("key", list(TABLES))
def test_a_look_late_costs_what_one_early_does(model: Any, key: str) -> None:
    parser, call = live()
    text = json.dumps({key: TABLES[key]})
    costs: list[int] = []
    for at in range(0, len(text) - 20, 7):
        parser.feed(text[at : at + 7])
        costs.append(lines(call, model))
    early = max(costs[20:120])
    assert max(costs[-100:]) <= early * 1.25
    assert sum(costs[-100:]) <= sum(costs[20:120]) * 1.2


@pytest.mark.parametrize("key", ["rows", "grid", "names"])
def test_a_value_is_checked_once(key: str) -> None:
    ran.clear()
    parser, call = live()
    text = json.dumps({key: TABLES[key]})
    for at in range(0, len(text), 7):
        parser.feed(text[at : at + 7])
        call.partial_as(Table)
    partial: Any = call.partial_as(Table)
    assert partial[key] == getattr(Table.model_validate({key: TABLES[key]}), key)
    per_row = sum(ran.values()) / COUNT - 1  # validating the whole for comparison was one
    # by itself while its row was open, as part of the row, and, for the defaults, as part of the whole
    assert per_row <= 3


class CountingDict(dict[str, Any]):
    """Counts what is read."""

    reads = 0

    def __getitem__(self, key: str) -> Any:
        CountingDict.reads += 1
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("read from the start")

    keys = values = items = __iter__  # type: ignore[assignment]

    def __reversed__(self) -> Iterator[str]:
        for key in super().__reversed__():
            CountingDict.reads += 1
            yield key


class CountingList(list[Any]):
    """Counts what is read."""

    reads = 0

    def __getitem__(self, index: Any) -> Any:
        assert isinstance(index, int)
        CountingList.reads += 1
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("read from the start")


def test_only_what_is_new_is_read() -> None:
    rows = CountingList()
    names = CountingDict()
    root = Root(model_of(StructTable))
    for at in range(COUNT):
        CountingList.reads = CountingDict.reads = 0
        rows.append({"id": at, "text": "open"})
        root.update({"rows": rows}, ("rows", at, "text"))
        assert CountingList.reads <= 4
    assert root.face.rows[0] == StructRow(0, "open")
    assert isinstance(root.face.rows[COUNT - 1], Partial)
    source = {"rows": rows, "names": names}
    root = Root(model_of(StructTable))
    for at in range(COUNT):
        CountingDict.reads = 0
        names[f"k{at}"] = {"id": at, "text": "open"}
        root.update({"names": source["names"]}, ("names", f"k{at}", "text"))
        assert CountingDict.reads <= 8
    assert root.face.names["k0"] == StructRow(0, "open")


def test_an_open_string_is_held_by_nobody() -> None:
    """It grows in place only while nobody else does."""
    parser, call = live()
    parser.feed('{"rows": [{"text": "')
    parser.feed("ab c" * 100)
    value = parser.value["rows"][0]
    count = sys.getrefcount(value["text"])
    partial = call.partial_as(Table)
    assert len(partial.rows[0].text) == 400
    assert partial.as_dict() == {"rows": [{"text": "ab c" * 100}]}
    assert "text='ab c" in repr(partial)
    after = sys.getrefcount(value["text"])
    assert after == count
