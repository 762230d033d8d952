"""Arguments as JSON values, for wires that don't have them as text: what the model wrote, to the last digit.

A number that no float holds (`1e400`, or more digits than one has) is never written as null or as another number: the
model's own text stands in its place then, or in that of the whole.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

import msgspec

from toolwire.encoding import encode, same

if TYPE_CHECKING:
    from toolwire.call import ToolCall

__all__ = ["exact_object", "exact_text", "in_one_line", "written"]

# In valid JSON these stand between tokens only.
_LINE_ENDS: Final = re.compile(r"[\r\n]")
# Half of a pair, which UTF-8 can't hold and an escape can.
_HALF: Final = re.compile("[\ud800-\udfff]")
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
# The words that Python's writer has for what is no number in JSON, and the strings in which they mean nothing.
_NO_NUMBER: Final = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN')


def in_one_line(text: str) -> msgspec.Raw:
    """Valid JSON text, to stand in a payload as it is."""
    text = _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", _LINE_ENDS.sub(" ", text))
    return msgspec.Raw(text.encode())


def written(value: Any) -> msgspec.Raw:
    """A value as JSON, infinity as a number that is read as one.

    Raises ValueError, TypeError or RecursionError for what JSON can't hold.
    """
    try:
        return in_one_line(encode(value))
    except ValueError:
        return in_one_line(_NO_NUMBER.sub(_as_number, json.dumps(value, separators=(",", ":"))))


def exact_text(call: ToolCall) -> msgspec.Raw:
    """The arguments of a call that has ended, if they are an object: the model's text, or what was made of it."""
    if call.status == "complete" or same(call.buf, call.partial):
        return in_one_line(call.buf)
    return written(call.partial)  # the text was mended


def exact_object(call: ToolCall, value: dict[str, Any]) -> Any:
    """The arguments as their value, unless a number in it isn't what the model wrote: then as their text."""
    return exact_text(call) if any(map(_is_lost, _NUMBER.findall(call.buf))) else value


def _as_number(found: re.Match[str]) -> str:
    word = found[0]
    if word == "NaN":
        raise ValueError("JSON has no form for NaN")
    return word.replace("Infinity", "1e999") if not word.startswith('"') else word


def _is_lost(number: str) -> bool:
    """Whether a float holds another number, or none."""
    if number.lstrip("-").isdigit():  # integers are kept whatever their size
        return False
    try:
        return Decimal(number) != Decimal(repr(float(number)))
    except (InvalidOperation, OverflowError):
        return True
