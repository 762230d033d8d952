"""What is said of the beginnings of texts is what the validator says of every text that begins like that."""

from __future__ import annotations

import time
from random import Random

import pytest
from schema.following import follow

from toolwire.schema import compile_schema, prefix
from toolwire.schema.oracle import Oracle

ATOMS = (
    "a",
    "b",
    "ab",
    "\\d",
    "\\w",
    "\\s",
    "\\D",
    "\\W",
    "\\S",
    ".",
    "[ab]",
    "[^a]",
    "[a-c\\d]",
    "[^\\w]",
    "\\.",
    "[-a]",
)
ATOMS += ("[\\]a]", "[^-\\n]", "\\/", "é", "-", "[a\\-c]", "[\\w.-]")
TIMES = ("", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "+?", "*?")
TEXT = "abc1 .-\n/é٣_ſ]\u2028𝄞"


def pattern(chance: Random, deep: int = 2) -> str:
    made = ""
    for _ in range(chance.randint(1, 3)):
        if deep and chance.random() < 0.4:
            ways = "|".join(pattern(chance, deep - 1) for _ in range(chance.randint(1, 3)))
            made += f"{chance.choice(('(', '(?:'))}{ways}){chance.choice(TIMES)}"
        else:
            atom = chance.choice(ATOMS)
            made += atom + chance.choice(TIMES)
    return made


def test_no_text_that_matches_is_given_up() -> None:
    read = early = 0
    for number in range(1500):
        chance = Random(number)
        made = "^" + pattern(chance) + chance.choice(("", "$"))
        language = prefix.read(made)
        if language is None:
            continue
        read += 1
        matches = Oracle(2020, {"pattern": made})
        for _ in range(40):
            text = "".join(chance.choices(TEXT, k=chance.randint(0, 6)))
            out = language.after(language.start, text) is language.nothing
            early += out
            assert not (out and matches(text)), (made, text)
            # Where no class is read wider than it is, an end that can be skipped is a match.
            if not out and matches(text) is False and made.endswith("$") and not set(made) & set("\\."):
                rest = language.after(language.start, text)
                assert rest is None or not rest.skippable, (made, text)
    assert read > 1400
    assert early > 20_000


@pytest.mark.parametrize(
    "made",
    [
        *(
            "a",
            "a|^b",
            "^a|b",
            "^a(?=b)",
            "^a\\b",
            "^(a)\\1",
            "^[[a]]",
            "^[a&&b]",
            "^a++",
            "^a{",
            "^{a}",
            "^]",
            "^(",
            "^)",
        ),
        *(
            "^(?i)a",
            "^(?<n>a)",
            "^a$b",
            "^(^a)",
            "^(a$)",
            "^\\u0041",
            "^\\p{L}",
            "^[]a]",
            "^[a",
            "^a\\",
            "^[b-a]",
            "^[\\d-z]",
        ),
        *("^[\u0000-\uffff]", "^a{x}", "^a{1,x}", "(?:" * 60, "^" + "(?:" * 60 + ")" * 60, "^*", "^a**", "^[^]"),
    ],
)
def test_what_is_left_to_the_close(made: str) -> None:
    assert prefix.read(made) is None


@pytest.mark.parametrize(
    "made",
    [
        "^(a*)*$",
        "^(a|aa)+$",
        "^(a{0,1000}){0,1000}b$",
        "^" + "a?" * 500 + "$",
        "^(a|b|ab)*c$",
        "^((a?){9}){9}$",
        "^a{100000}",
    ],
)
def test_hostile_patterns_take_no_time(made: str) -> None:
    start = time.process_time()
    found = follow(compile_schema({"properties": {"v": {"pattern": made}}}), '{"v": "' + "a" * 300 + 'b"}')
    assert time.process_time() - start < 2
    matches = Oracle(2020, {"pattern": made})("a" * 300 + "b")
    assert bool(found) is (matches is False)
