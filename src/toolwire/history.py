"""The next turn's history: what a message said, its calls and their results, as entries of a provider's request.

Two steps. Here, without a provider: what of the message is kept, which result answers which call, and what a call's
arguments are for the record. Below `wire/history/`, one file per request form: how that is written down. The reasons
are in the rules that providers have in common: a call without its result, or a result without its call, makes every
later request fail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from toolwire.call import ToolCall
from toolwire.encoding import encode
from toolwire.errors import ToolCallError, UsageError
from toolwire.message import Reasoning, Text
from toolwire.wire.history import form_of
from toolwire.wire.history.rules import BROKEN

if TYPE_CHECKING:
    from toolwire.call import CallKind
    from toolwire.message import Choice, Message
    from toolwire.wire.history import Form

__all__ = ["ToolResult", "call_id", "to_history", "tool_name"]

_INTERRUPTED = "The tool's run was interrupted: there is no result."
_SILENT = "The tool failed and did not say why."

_WITHHELD = "(withheld)"

_HOSTED = frozenset({"server", "mcp"})

# Half a surrogate pair: JSON's escapes can say it, and no encoding can.
_HALF = re.compile("[\ud800-\udfff]")

# Repairs of values by the tool's check: the model's text is good without them.
_OF_VALUES = frozenset({"integral_float", "stringified"})

# An error for one of these reasons leaves the text what it is.
_NOT_OF_TEXT = frozenset({"schema", "unknown_tool", "reset"})


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave: text, or anything that JSON can hold. `is_error`: it failed, and `content` says how."""

    content: Any
    is_error: bool = False


# --- the neutral turn ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Said:
    """Text, or a refusal, with what its own wire wants back."""

    text: str
    refusal: bool
    extra: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Thought:
    """A run of reasoning, with what its own wire wants back."""

    text: str
    field: str | None
    signature: str | None
    extra: list[Any]


@dataclass(frozen=True, slots=True)
class Called:
    """A call, with id and name as the target takes them.

    `arguments` is a plain object, `text` the same as JSON text: the model's own where that is good. `input`: the free
    text of a custom call, which `arguments` and `text` wrap.
    """

    id: str
    name: str
    kind: CallKind
    arguments: dict[str, Any]
    text: str
    input: str | None
    vendor_id: str | None
    extra: dict[str, Any]

    @property
    def hosted(self) -> bool:
        """Whether the provider runs it, and there is no result of the client's."""
        return self.kind in _HOSTED


@dataclass(frozen=True, slots=True)
class Native:
    """Something without a meaning here, as it came."""

    payload: Any


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a call. `content` is plain: text, or what JSON can hold."""

    call: Called
    content: Any
    is_error: bool

    @property
    def text(self) -> str:
        """The content as text."""
        return self.content if isinstance(self.content, str) else encode(self.content)


@dataclass(frozen=True, slots=True)
class Turn:
    """What a form writes down: the assistant's parts in order, and the results in the order of their calls.

    `wire` is the target, `source` the wire that the message came over.
    """

    wire: str
    source: str | None
    parts: list[Said | Thought | Called | Native]
    answers: list[Answer]

    @property
    def refusal(self) -> str:
        """All refusals."""
        return "".join(part.text for part in self.parts if isinstance(part, Said) and part.refusal)

    def text(self, *, refusals: bool = True) -> str:
        """All that was said; with refusals where the form doesn't tell them apart."""
        return "".join(part.text for part in self.parts if isinstance(part, Said) and (refusals or not part.refusal))

    @property
    def calls(self) -> list[Called]:
        """The calls that are the client's to run."""
        return [part for part in self.parts if isinstance(part, Called) and not part.hosted]

    def reasoning(self, field: str) -> str:
        """All reasoning that came in a field."""
        return "".join(part.text for part in self.parts if isinstance(part, Thought) and part.field == field)


# --- for users ----------------------------------------------------------------------------------------------------


def to_history(
    message: Message, wire: str, results: Mapping[str, Any] | None = None, *, choice: int = 0
) -> list[dict[str, Any]]:
    """The assistant's message and the results of its calls, as entries for a request over `wire`.

    Append them to the request's list, be it of messages, items or contents. `results` maps ids of calls to what their
    tools gave: text, anything that JSON can hold, a Pydantic model, dataclass or msgspec Struct, a `ToolResult`, or the
    exception that was raised. A call that was cut off is left out; one without a result gets an error as its result,
    which says why it was not run or that its run was interrupted.

    Raises `UsageError` for a wire without a request form, a choice that isn't there, a call that is still open, a
    result that answers none of the calls, and one that JSON can't hold.
    """
    form = form_of(wire)
    if not isinstance(results, Mapping | None):
        raise UsageError(f"results is a dict of call ids and results, not {results!r}")
    chosen = next((each for each in message.settle().choices if each.index == choice), None)
    if chosen is None:
        raise UsageError(f"no choice {choice}: the message has {[each.index for each in message.choices]}")
    return form.write(_turn(chosen, form, message.wire, dict(results or {})))


def tool_name(wire: str, name: str) -> str:
    """A tool's name as `to_history` writes it for a wire: itself wherever the provider takes it.

    Give the tools of the request these names. Different names stay different.
    """
    return form_of(wire).names.fit(name)


def call_id(wire: str, id: str) -> str:
    """A call's id as `to_history` writes it for a wire: itself wherever the provider takes it."""
    return form_of(wire).ids.fit(id)


# --- pairing ------------------------------------------------------------------------------------------------------


def _turn(choice: Choice, form: Form, source: str | None, results: dict[str, Any]) -> Turn:
    """What is kept of a choice, each call with its result."""
    for call in choice.calls:
        if not call.done:
            raise UsageError(f"call {call.id} is still open: the message isn't finished")
    kept = [call for call in choice.calls if _stays(call)]
    own = {call.id: call for call in kept if call.kind not in _HOSTED}
    for id_ in results:
        if id_ not in own:
            raise UsageError(f"no call {id_!r} in this history: a result may answer {', '.join(own) or 'none'}")
    ids = form.ids.fit_all(own)
    called = {call.id: _called(call, ids.get(call.id, call.id), form) for call in kept}
    calls = iter(choice.calls)  # in their own order, which a late name may have disturbed among the parts
    parts: list[Said | Thought | Called | Native] = []
    for part in choice.parts:
        if isinstance(part, Text):
            parts.append(Said(part.text, part.refusal, part.extra))
        elif isinstance(part, Reasoning):
            parts.append(Thought(part.text, part.field, part.signature, part.extra))
        elif not isinstance(part, ToolCall):
            parts.append(Native(part.payload))
        elif (id_ := next(calls).id) in called:
            parts.append(called[id_])
    answers = [_answer(call, called[call.id], results) for call in own.values()]
    return Turn(form.name, source, parts, answers)


def _stays(call: ToolCall) -> bool:
    """Whether a call is part of the history: it is whole, or the client itself cut it off.

    One without a name has never begun, and is in no message.
    """
    if call.kind in _HOSTED:
        return call.status in ("complete", "repaired")
    return call.rejected or call.status != "incomplete"


# --- arguments ----------------------------------------------------------------------------------------------------


def _called(call: ToolCall, id: str, form: Form) -> Called:
    input_ = None if call.kind != "custom" else _WITHHELD if call.hidden else call.buf
    arguments, text = _arguments(call) if input_ is None else _wrapped("input", input_)
    name = form.names.fit(call.name)
    return Called(id, name, call.kind, arguments, text, input_, call.vendor_id, call.extra)


def _arguments(call: ToolCall) -> tuple[dict[str, Any], str]:
    """A call's arguments as an object and as its text. Nothing is made up for what the model did not finish."""
    if call.hidden:  # not even the text is to be read
        return _wrapped(BROKEN, _WITHHELD)
    parser = call._parser
    if parser is not None and parser.fault is None and call.closed_object:
        mended = any(repair.kind not in _OF_VALUES for repair in call.repairs)
        text = encode(call.partial) if mended else call.buf
        value = call.snapshot() if _finite(call.partial) else {BROKEN: call.buf}  # 1e999: no request can hold it
        return value, _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
    counts = call.status in ("complete", "repaired") or (call.error is not None and call.error.reason in _NOT_OF_TEXT)
    if counts and call.buf.strip() in ("", "null"):
        return {}, "{}"
    return _wrapped(BROKEN, call.buf)


def _finite(value: Any) -> bool:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
        elif isinstance(each, float) and not isfinite(each):
            return False
    return True


def _wrapped(key: str, text: str) -> tuple[dict[str, Any], str]:
    value = {key: text}
    return value, encode(value)


# --- results ------------------------------------------------------------------------------------------------------


def _answer(call: ToolCall, called: Called, results: dict[str, Any]) -> Answer:
    """A call's result; where there is none, why."""
    if call.id not in results:
        return Answer(called, call.error.for_model() if call.error else _INTERRUPTED, is_error=True)
    content, is_error = results[call.id], False
    if isinstance(content, ToolResult):
        content, is_error = content.content, content.is_error
    if isinstance(content, BaseException):
        content, is_error = _reason(content), True
    content = _plain(call, content)
    if is_error and content == "":
        content = _SILENT  # an empty error is refused
    return Answer(called, content, is_error)


def _reason(error: BaseException) -> str:
    return error.error.for_model() if isinstance(error, ToolCallError) else f"{type(error).__name__}: {error}"


def _plain(call: ToolCall, content: Any) -> Any:
    """A result as text, or as what JSON can hold."""
    if type(content) is str:
        return content
    try:
        return json.loads(encode(msgspec.to_builtins(content, str_keys=True, enc_hook=_dumped)))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise UsageError(f"the result of call {call.id} ({call.name}) can't be written as JSON: {error}") from error


def _dumped(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump(mode="json")
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, str):
        return str.__str__(value)
    raise TypeError(f"{type(value).__name__} is nothing that JSON has")
