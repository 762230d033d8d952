"""Each repair: on and off, at every cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from partial.kit import all_cuts, read

from toolwire.errors import UsageError
from toolwire.partial import DEFAULT_REPAIRS, PartialJSON, RepairName

# name, text, value, (offset, repaired text)..., the offset of the fault when the repair is off
TABLE: list[tuple[RepairName, str, Any, list[tuple[int, str]], int]] = [
    ("raw_control", '{"a":"x\ny"}', {"a": "x\ny"}, [(7, "\n")], 7),
    ("raw_control", '{"a":"\t\x00\x1f"}', {"a": "\t\x00\x1f"}, [(6, "\t"), (7, "\x00"), (8, "\x1f")], 6),
    ("raw_control", '{"k\ney":1}', {"k\ney": 1}, [(3, "\n")], 3),
    ("raw_control", '["\\ud83d\n"]', ["\ud83d\n"], [(8, "\n")], 8),
    ("unknown_escape", '["C:\\dir"]', ["C:\\dir"], [(4, "\\d")], 5),
    ("unknown_escape", '["\\\'"]', ["\\'"], [(2, "\\'")], 3),
    ("unknown_escape", '["a\\\nb"]', ["a\\\nb"], [(3, "\\\n")], 4),
    ("unknown_escape", '["\\u12G4"]', ["\\u12G4"], [(2, "\\u12")], 6),
    ("unknown_escape", '["\\users"]', ["\\users"], [(2, "\\u")], 4),
    ("unknown_escape", '["\\u00"]', ["\\u00"], [(2, "\\u00")], 6),
    ("unknown_escape", '["\\u1\\u0041"]', ["\\u1A"], [(2, "\\u1")], 5),
    ("unknown_escape", '["\\ud83d\\q"]', ["\ud83d\\q"], [(8, "\\q")], 9),
    ("unknown_escape", '["\\ud83d\\ude"]', ["\ud83d\\ude"], [(8, "\\ude")], 12),
    ("unknown_escape", '{"\\d":1}', {"\\d": 1}, [(2, "\\d")], 3),
    ("escaped_space", '{\\n  "a": 1\\n}', {"a": 1}, [(1, "\\n"), (11, "\\n")], 1),
    (
        "escaped_space",
        '\\n\\t{"a":[\\r1\\n,\\n2]}',
        {"a": [1, 2]},
        [(0, "\\n"), (2, "\\t"), (10, "\\r"), (13, "\\n"), (16, "\\n")],
        0,
    ),
    ("escaped_space", '{"a":1}\\n', {"a": 1}, [(7, "\\n")], 7),
    ("escaped_space", '{"a":1} \\r\\n ', {"a": 1}, [(8, "\\r"), (10, "\\n ")], 8),
    ("escaped_space", "7\\n", 7, [(1, "\\n")], 1),
    ("leading_empty", '{}{"a":1}', {"a": 1}, [(1, "}{")], 2),
    ("leading_empty", ' { } \n{ "a":1}', {"a": 1}, [(3, "} \n{")], 6),
    ("leading_empty", "{}{}{}", {}, [(1, "}{"), (1, "}{")], 2),
    ("trailing_junk", '{"a":1}nope', {"a": 1}, [(7, "nope")], 7),
    ("trailing_junk", '{"a":1} <|tool_call_', {"a": 1}, [(8, "<|tool_call_")], 8),
    ("trailing_junk", '{"a":1}}', {"a": 1}, [(7, "}")], 7),
    ("trailing_junk", '{"a":1}\n}}]\n', {"a": 1}, [(8, "}}]\n")], 8),
    ("trailing_junk", '{"a":1}{}', {"a": 1}, [(7, "{}")], 7),
    ("trailing_junk", '{"a":1}{} {}', {"a": 1}, [(7, "{} "), (10, "{}")], 7),
    ("trailing_junk", '{"a":1}- x', {"a": 1}, [(7, "- x")], 7),
    ("trailing_junk", '{"a":1}-', {"a": 1}, [(7, "-")], 7),
    ("trailing_junk", '{"a":1}nul', {"a": 1}, [(7, "nul")], 7),
    ("trailing_junk", '{"a":1}trap', {"a": 1}, [(7, "trap")], 7),
    ("trailing_junk", '{"a":1}\\', {"a": 1}, [(7, "\\")], 7),
    ("trailing_junk", '{"a":1} so 5 "x" [1] {y} {', {"a": 1}, [(8, 'so 5 "x" [1] {y} {')], 8),
    ("trailing_junk", '{"a":1};{};', {"a": 1}, [(7, ";"), (8, "{}"), (10, ";")], 7),
    ("trailing_comma", '{"a":[1,],}', {"a": [1]}, [(7, ","), (9, ",")], 8),
    ("trailing_comma", "[1 , \n]", [1], [(3, ",")], 6),
    ("code_fence", '```json\n{"a":1}\n```', {"a": 1}, [(0, "```json"), (9, "```")], 0),
    ("code_fence", '\n ``` {"a":1}```\n', {"a": 1}, [(2, "```"), (10, "```\n")], 2),
    ("code_fence", '```{"a":1}', {"a": 1}, [(0, "```")], 0),
    ("code_fence", '{"a":1}\n```', {"a": 1}, [(8, "```")], 8),
    ("single_quotes", "{'a':'x\"y\\'z\\\\'}", {"a": "x\"y'z\\"}, [(1, "'"), (5, "'")], 1),
    ("single_quotes", "['', \"it's\"]", ["", "it's"], [(1, "'")], 1),
    ("python_literals", "[True,False,None]", [True, False, None], [(1, "True"), (6, "False"), (12, "None")], 1),
    ("python_literals", "None", None, [(0, "None")], 0),
]


@pytest.mark.parametrize(("name", "text", "value", "repaired", "offset"), TABLE)
def test_on_and_off_at_every_cut(
    name: RepairName, text: str, value: Any, repaired: list[tuple[int, str]], offset: int
) -> None:
    # What is left out of the text isn't counted in the offsets of what comes behind it.
    expected = [(name, *pair) for pair in repaired]
    for chunks in all_cuts(text):
        found = read(chunks, repairs=[name])
        assert (found.value, found.state) == (repr(value), "closed")
        assert [tuple(repair) for repair in found.repairs] == expected
    for chunks in all_cuts(text):
        found = read(chunks)
        assert found.fault is not None
        assert (found.state, found.fault.offset, found.repairs) == ("hopeless", offset, ())
        assert found.text == text


@pytest.mark.parametrize(
    ("name", "text", "kept"),
    [
        ("leading_empty", '{}{"a":1}', '{"a":1}'),
        ("leading_empty", '{} { "a":1}', '{ "a":1}'),
        ("trailing_junk", '{"a":1} nope', '{"a":1} '),
        ("trailing_junk", '{"a":1}\n{} x', '{"a":1}\n'),
        ("escaped_space", "\\n{\\n}\\n", "\\n{\\n}"),
        ("code_fence", '```json\n{"a":1}\n```\n', '\n{"a":1}\n'),
        ("resend", '{"a":1} {"a":1}', '{"a":1} '),
    ],
)
def test_what_is_left_out_of_the_text(name: RepairName, text: str, kept: str) -> None:
    for chunks in all_cuts(text):
        if name != "resend" or len(chunks) == 1:
            found = read(chunks, repairs=[name])
            assert (found.state, found.text) == ("closed", kept)


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ('{"a":1}{"a":2}', 7),
        ('{"a":1} {"b"', 8),
        ('{"a":1}{"a"', 7),
        ('{"a":1}{', 7),
        ('{"a":1}{ }', 7),
        ('{"a":1}[', 7),
        ('{"a":1}"', 7),
        ('{"a":1}0', 7),
        ('{"a":1}-5', 7),
        ('{"a":1}true', 7),
        ('{"a":1}false', 7),
        ('{"a":1}nullx', 7),
        ('{"a":1}{}{"b":1}', 9),
        ('{"a":1}</call>{"b":1}', 14),
        ('{"a":1}{"a":1}{"b":1}', 14),
        ('{"a":1}\\n{"b":1}', 9),
    ],
)
def test_a_second_document_is_never_repaired_and_the_raw_text_is_kept(text: str, offset: int) -> None:
    repairs = DEFAULT_REPAIRS
    for chunks in all_cuts(text):
        found = read([*chunks], repairs=repairs)
        assert found.fault is not None
        assert (found.fault.reason, found.fault.offset) == ("concatenated", offset)
        assert (found.text, found.value, found.state) == (text, "{'a': 1}", "hopeless")
        assert [repair for repair in found.repairs if repair.offset >= 7] == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[1]{}", "concatenated"),
        ("[1]x", "malformed"),
        ("1 2", "malformed"),
        ("true}", "malformed"),
        ("[]]", "malformed"),
    ],
)
def test_junk_is_only_taken_away_from_an_object(text: str, reason: str) -> None:
    for chunks in all_cuts(text):
        found = read(chunks, repairs=DEFAULT_REPAIRS - {"resend"})
        assert found.fault is not None
        assert found.fault.reason == reason


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"{\"a\":1}"', {"a": 1}),
        (r'"{}"', {}),
        (' "\\n{\\"a\\": \\"x\\\\ny\\"}\\n" ', {"a": "x\ny"}),
        ('"{\\"a\\": \\"\\\\ud83d\\\\ude00 \\ud83d\\ude00\\"}"', {"a": "😀 😀"}),
        ('"\\u007b\\u0022a\\u0022:[]}"', {"a": []}),
    ],
)
def test_double_encoded(text: str, value: Any) -> None:
    for chunks in all_cuts(text):
        found = read(chunks, repairs=["double_encoded"])
        assert (found.value, found.state, found.text) == (repr(value), "closed", text)
        assert [tuple(repair) for repair in found.repairs] == [("double_encoded", text.index('"'), '"')]
        assert read(chunks).value == repr(json.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        '"hello"',
        '"[1]"',
        '"1"',
        '""',
        '"{name} is it"',
        r'"{\"a\":1} and so"',
        r'"{\"a\":1"',
        r'"{\"a\":}"',
        r'"\"{}\""',
    ],
)
def test_a_string_that_holds_no_object_is_a_string(text: str) -> None:
    for chunks in all_cuts(text):
        whole = read(chunks, repairs=DEFAULT_REPAIRS)
        assert whole == read(chunks)
        assert whole.state == "closed"


def test_a_double_encoded_object_is_live_as_soon_as_it_is_one() -> None:
    parser = PartialJSON(repairs=["double_encoded"])
    shown = []
    for chunk in ('"', "{", '\\"', "a\\", '":\\', '"x', "y", '\\"', "}", '"'):
        parser.feed(chunk)
        shown.append(repr(parser.value))
    assert shown == ["MISSING", "MISSING", "{}", "{}", "{}", "{'a': 'x'}", "{'a': 'xy'}", *["{'a': 'xy'}"] * 3]
    assert parser.closed


def test_offsets_inside_a_double_encoded_object_are_those_of_the_raw_text() -> None:
    text = '"{\\"\\u00e9\\":\\"\\\\d\\", \\"k\\":1, \\"k\\":2}"'
    for chunks in all_cuts(text):
        found = read(chunks, repairs=DEFAULT_REPAIRS)
        assert found.value == "{'é': '\\\\d', 'k': 2}"
        assert [(repair.kind, repair.offset) for repair in found.repairs] == [
            ("double_encoded", 0),
            ("unknown_escape", text.index("\\\\d")),
        ]
        assert [tuple(found) for found in found.duplicates] == [(("k",), text.rindex('\\"k'))]


def test_junk_behind_a_double_encoded_object() -> None:
    text = '"{\\"a\\":1}" <|end|>'
    for chunks in all_cuts(text):
        found = read(chunks, repairs=DEFAULT_REPAIRS)
        assert (found.value, found.state) == ("{'a': 1}", "closed")
        assert [repair.kind for repair in found.repairs] == ["double_encoded", "trailing_junk"]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ('{"a":[1,', "open"),
        ('{"a":1,', "open"),
        ('{"a":"x\\', "open"),
        ('{"a":"x\\u12', "open"),
        ("{\\", "open"),
        ("```js", "open"),
        ("``", "open"),
        ("[Tru", "open"),
        ('"{\\"a\\":1', "open"),
        ("['a", "open"),
    ],
)
def test_cut_off_text_is_not_repaired(text: str, state: str) -> None:
    every: list[RepairName] = [*DEFAULT_REPAIRS, "trailing_comma", "code_fence", "single_quotes", "python_literals"]
    for chunks in all_cuts(text):
        found = read(chunks, repairs=every)
        assert (found.state, found.fault, found.text) == (state, None, text)
        assert {repair.kind for repair in found.repairs} <= {"single_quotes"}


@pytest.mark.parametrize(
    "text", ["[NaN]", "[Nan]", "[Nona]", "[Infinity]", "[true1]", "[TRUE]", "`{}`", "```json5:{}", "``` `{}"]
)
def test_what_no_repair_makes_good(text: str) -> None:
    every: list[RepairName] = ["trailing_comma", "code_fence", "single_quotes", "python_literals"]
    for chunks in all_cuts(text):
        assert read(chunks, repairs=every) == read([text], repairs=every)
        assert read(chunks, repairs=every).state == "hopeless"


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UsageError, match="trailing_jank"):
        PartialJSON(repairs=["trailing_jank"])  # type: ignore[list-item]
    with pytest.raises(UsageError):
        PartialJSON(repairs="resend")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "offset"),
    [('{"a":1}},"b":2}', 9), ('{"a":1}, "b":2}', 9), ('{"a":1}],\n"b":2}', 10), ('{"a":1}}, 5]', 10)],
)
def test_a_bracket_too_many_is_no_junk(text: str, offset: int) -> None:
    """What stands behind it belongs to the arguments: leaving it out would not be lossless."""
    for chunks in all_cuts(text):
        found = read(chunks, repairs=["trailing_junk"])
        assert (found.state, found.text) == ("hopeless", text)
        assert found.fault is not None
        assert (found.fault.reason, found.fault.offset) == ("malformed", offset)


@pytest.mark.parametrize(
    ("text", "state", "offset"), [("{}[1]", "hopeless", 2), ("{}x", "hopeless", 2), ("{}{", "open", None)]
)
def test_only_an_object_goes_on_behind_an_empty_one(text: str, state: str, offset: int | None) -> None:
    """Anything else behind `{}` is what it would be behind any document; a cut second object stays open."""
    for chunks in all_cuts(text):
        found = read(chunks, repairs=["leading_empty"])
        assert (found.state, found.fault and found.fault.offset) == (state, offset)


def test_an_empty_object_is_shown_at_once_and_admitted_at_the_end() -> None:
    """It is closed and readable, but its text waits, because the real arguments may follow."""
    parser = PartialJSON(repairs=["leading_empty"])
    assert parser.feed("{}") == ""
    assert (parser.value, parser.closed, parser.text, parser.held) == ({}, True, "", "{}")
    live = parser.value
    assert parser.feed('{"a":1') == '{"a":1'
    assert parser.value is live
    assert parser.feed("}") == "}"

    parser = PartialJSON(repairs=["leading_empty"])
    parser.feed("{}")
    assert parser.end() == "{}"
    assert (parser.text, parser.held, parser.repairs) == ("{}", "", ())


def test_the_defaults() -> None:
    assert sorted(DEFAULT_REPAIRS) == [
        "double_encoded",
        "escaped_space",
        "integral_float",
        "leading_empty",
        "raw_control",
        "resend",
        "stringified",
        "trailing_junk",
        "unknown_escape",
    ]
