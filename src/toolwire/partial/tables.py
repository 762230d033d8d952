"""The scanner's states and tables. `Scanner` tells what the states mean."""

from __future__ import annotations

import re
import sys
from typing import Any, Final

__all__ = [
    "AFTER",
    "APOSTROPHE",
    "ASCII",
    "BACKSLASH",
    "BRACE",
    "BRACKET",
    "COLON",
    "COLON_SIGN",
    "COMMA",
    "COMPILED",
    "DONE",
    "END_BRACE",
    "END_BRACKET",
    "ESC",
    "ESCAPED",
    "EXPECTED",
    "FIRST_ITEM",
    "FIRST_KEY",
    "HEX",
    "HIGH",
    "HOPELESS",
    "KEY",
    "LINE_FEED",
    "MINUS",
    "NEXT_ITEM",
    "NEXT_KEY",
    "NINE",
    "NOWHERE",
    "NUM",
    "NUMBER",
    "NUMBER_ENDS",
    "NUMBER_STEPS",
    "PLAIN",
    "PLAIN_SINGLE",
    "PYTHON_WORDS",
    "QUOTE",
    "RECORDED",
    "RETURN",
    "SIMPLE",
    "SPACE",
    "STR",
    "TAB",
    "TEXT",
    "UNICODE",
    "VALUE",
    "WORD",
    "WORDS",
    "ZERO",
    "intern",
    "plain_end",
]

intern: Final = sys.intern  # objects in a row share their keys' strings

COMPILED: Final = not __file__.endswith(".py")
"""Whether this runs as machine code, where a loop over characters is the cheapest way, and not the dearest."""

VALUE: Final = 0
NEXT_ITEM: Final = 1
FIRST_ITEM: Final = 2
FIRST_KEY: Final = 3
NEXT_KEY: Final = 4
COLON: Final = 5
AFTER: Final = 6
DONE: Final = 7
STR: Final = 8
KEY: Final = 9
TEXT: Final = 10
HIGH: Final = 11
ESC: Final = 12
NUM: Final = 13
WORD: Final = 14
ESCAPED: Final = 15
HOPELESS: Final = 16

EXPECTED: Final = (
    "a value",
    "a value",
    "a value or ']'",
    "a key or '}'",
    "a key",
    "':'",
    "',' or a closing bracket",
    "white space",
)

# The characters of the grammar, as code points: comparing those costs least once compiled.
TAB: Final = 0x09
LINE_FEED: Final = 0x0A
RETURN: Final = 0x0D
SPACE: Final = 0x20
QUOTE: Final = 0x22
APOSTROPHE: Final = 0x27
COMMA: Final = 0x2C
MINUS: Final = 0x2D
ZERO: Final = 0x30
NINE: Final = 0x39
COLON_SIGN: Final = 0x3A
BRACKET: Final = 0x5B
BACKSLASH: Final = 0x5C
END_BRACKET: Final = 0x5D
BRACE: Final = 0x7B
END_BRACE: Final = 0x7D

PLAIN: Final = re.compile(r'[^"\\\x00-\x1f]*+')
PLAIN_SINGLE: Final = re.compile(r"[^'\\\x00-\x1f]*+")
NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
# Not the surrogates, which may have to wait for their other half.
UNICODE: Final = re.compile(r"\\u((?:[0-9a-cA-CefEF][0-9a-fA-F]|[dD][0-7])[0-9a-fA-F]{2})")
HEX: Final = "0123456789abcdefABCDEF"
SIMPLE: Final = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}
# By the code point of the first letter.
WORDS: Final[dict[int, tuple[str, Any]]] = {
    ord("t"): ("true", True),
    ord("f"): ("false", False),
    ord("n"): ("null", None),
}
PYTHON_WORDS: Final[dict[int, tuple[str, Any]]] = {
    ord("T"): ("True", True),
    ord("F"): ("False", False),
    ord("N"): ("None", None),
}

ASCII: Final = 128
NOWHERE: Final = 255

RECORDED: Final = 10_000
"""How many repairs of a kind of place are listed. A peer can make any number necessary."""


def _row(*steps: tuple[str, int]) -> bytes:
    row = bytearray([NOWHERE] * ASCII)
    for chars, step in steps:
        for char in chars:
            row[ord(char)] = step
    return bytes(row)


_DIGITS: Final = "0123456789"
_POINT: Final = (".", 4)
_EXPONENT: Final = ("eE", 6)

# The grammar of numbers: a step's row, of ASCII places, says which step a character leads to, NOWHERE if it isn't
# part of the number. Digits lead to 2, 3, 5 or 8, and a number may end just there.
NUMBER_STEPS: Final = b"".join(
    (
        _row(("-", 1), ("0", 2), ("123456789", 3)),  # 0: nothing yet
        _row(("0", 2), ("123456789", 3)),  # 1: behind the minus
        _row(_POINT, _EXPONENT),  # 2: a leading zero
        _row((_DIGITS, 3), _POINT, _EXPONENT),  # 3: the integer's digits
        _row((_DIGITS, 5)),  # 4: behind the point
        _row((_DIGITS, 5), _EXPONENT),  # 5: the fraction's digits
        _row((_DIGITS, 8), ("+-", 7)),  # 6: behind the e
        _row((_DIGITS, 8)),  # 7: behind the exponent's sign
        _row((_DIGITS, 8)),  # 8: the exponent's digits
    )
)
NUMBER_ENDS: Final = (False, False, True, True, False, True, False, False, True)


def plain_end(text: str, i: int, quote: int) -> int:
    """Where a string's plain content ends: before its quote, a backslash, a control character, or the text's end."""
    if COMPILED:
        n = len(text)
        while i < n:
            c = ord(text[i])
            if c == quote or c == BACKSLASH or c < SPACE:
                break
            i += 1
        return i
    match = (PLAIN if quote == QUOTE else PLAIN_SINGLE).match(text, i)
    assert match is not None
    return match.end()
