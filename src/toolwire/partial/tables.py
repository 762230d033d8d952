"""The scanner's states and tables. `Scanner` tells what the states mean."""

from __future__ import annotations

import re
from typing import Any, Final

__all__ = [
    "AFTER",
    "COLON",
    "DONE",
    "ESC",
    "ESCAPED",
    "EXPECTED",
    "FIRST_ITEM",
    "FIRST_KEY",
    "HEX",
    "HIGH",
    "HOPELESS",
    "KEY",
    "NEXT_ITEM",
    "NEXT_KEY",
    "NUM",
    "NUMBER",
    "NUMBER_ENDS",
    "NUMBER_STEPS",
    "PLAIN",
    "PLAIN_SINGLE",
    "PYTHON_WORDS",
    "SIMPLE",
    "STR",
    "TEXT",
    "UNICODE",
    "VALUE",
    "WORD",
    "WORDS",
]

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

PLAIN: Final = re.compile(r'[^"\\\x00-\x1f]*')
PLAIN_SINGLE: Final = re.compile(r"[^'\\\x00-\x1f]*")
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
WORDS: Final[dict[str, tuple[str, Any]]] = {
    "t": ("true", True),
    "f": ("false", False),
    "n": ("null", None),
}
PYTHON_WORDS: Final[dict[str, tuple[str, Any]]] = {
    "T": ("True", True),
    "F": ("False", False),
    "N": ("None", None),
}


def _row(*steps: tuple[str, int]) -> dict[str, int]:
    return {char: step for chars, step in steps for char in chars}


_DIGITS: Final = "0123456789"
_POINT: Final = (".", 4)
_EXPONENT: Final = ("eE", 6)

# The grammar of numbers: a step's row says which step a character leads to. Digits lead to 2, 3, 5 or 8, and
# a number may end just there.
NUMBER_STEPS: Final = (
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
NUMBER_ENDS: Final = (False, False, True, True, False, True, False, False, True)
