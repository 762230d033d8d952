"""Paths as callers write them."""

from __future__ import annotations

from typing import Any

import pytest

from toolwire import UsageError
from toolwire.paths import as_path, shown

PATHS: list[tuple[tuple[Any, ...], tuple[str | int, ...]]] = [
    ((), ()),
    (("",), ()),
    (("query",), ("query",)),
    (("user.tags[0]",), ("user", "tags", 0)),
    (("[0].name",), (0, "name")),
    (("['a.b']['c d']",), ("a.b", "c d")),
    (("$ref",), ("$ref",)),
    (("/user/tags/0",), ("user", "tags", "0")),
    (("/a~1b/m~0n//x",), ("a/b", "m~n", "", "x")),
    ((("a.b", 0, "/c"),), ("a.b", 0, "/c")),
    (("rows", 0, "user.name", ("x.y",)), ("rows", 0, "user", "name", "x.y")),
]


@pytest.mark.parametrize(("parts", "path"), PATHS)
def test_forms(parts: tuple[Any, ...], path: tuple[str | int, ...]) -> None:
    assert as_path(*parts) == path


@pytest.mark.parametrize("part", [-1, True, 1.0, None, ["a"], ("a", -1), "a b", "rows[-1]", "rows[*]", "a..b", "/a~2"])
def test_what_is_no_path(part: Any) -> None:
    with pytest.raises(UsageError, match=r"path|Pointer"):
        as_path(part)


def test_shown() -> None:
    assert shown(("rows", 0, "name")) == "rows[0].name"
    assert shown((0, "a")) == "[0].a"
    assert shown(()) == ""
