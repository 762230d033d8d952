"""Our own wire: events as `toolwire.event_form` writes them, read back as the events they were.

One object per event, told apart by `type`; the first and each `message_start` has the version in `toolwire`. The
accumulator judges again what it can judge, so that a call is never better than its text: what is written of a call can
only make it worse (rejected, unknown to its tool, contradicted), and one that the written finish doesn't list may not
be run. A turn may have more choices than have been heard of, so it ends with the bytes and not with a `finish`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

from toolwire.events import ErrorKind, FinishReason, Reset, ToolCallViolation, Unknown, Warned
from toolwire.partial.repairs import Repair, RepairName
from toolwire.trust import CallError, Problem
from toolwire.wire._errors import error_of, report
from toolwire.wire._read import count, items, obj, text, word

if TYPE_CHECKING:
    from toolwire.accumulator import Accumulator
    from toolwire.call import CallKind, ToolCall
    from toolwire.events import Event
    from toolwire.wire._read import Payload

__all__ = ["Decoder", "recognises"]

_VERSION: Final = 1

_TYPES: Final = frozenset(
    [
        *("message_start", "text_delta", "reasoning_delta", "refusal_delta", "usage", "finish", "reset"),
        *("tool_call_start", "tool_call_delta", "tool_call_end", "tool_call_violation"),
        *("stream_error", "warned", "unknown"),
    ]
)
_OF_A_CALL: Final = frozenset({"tool_call_delta", "tool_call_end", "tool_call_violation"})
_KINDS: Final[dict[str, CallKind]] = {"function": "function", "custom": "custom", "server": "server", "mcp": "mcp"}
_REASONS: Final[dict[str, FinishReason]] = {each: each for each in get_args(FinishReason)}
_ERRORS: Final[dict[str, ErrorKind]] = {each: each for each in get_args(ErrorKind)}
_REPAIRS: Final[dict[str, RepairName]] = {each: each for each in get_args(RepairName)}


def recognises(payload: Payload, event: str) -> bool:
    """An event with the mark of the version."""
    del event
    return count(payload.get("toolwire")) is not None and text(payload.get("type")) in _TYPES


class Decoder:
    """Events as they were written to verbs."""

    def __init__(self, acc: Accumulator) -> None:
        self._acc = acc
        self._calls: dict[str, ToolCall] = {}  # by the id that is written
        self._listed: set[str] = set()  # ids of the calls that may be run
        self._finished = False
        self._cancelled = False
        self._late: list[Event] = []  # what was written behind a finish

    def feed(self, payload: Payload, event: str) -> None:
        """One event."""
        acc = self._acc
        if "toolwire" in payload and count(payload["toolwire"]) != _VERSION:
            version = word(payload["toolwire"]) or "without a number"
            acc.fail("protocol", f"this is version {version} of our wire, and only {_VERSION} is known here")
            return
        kind = text(payload.get("type"))
        if kind in _OF_A_CALL:
            call = self._calls.get(text(payload.get("id")))
            if call is None:
                acc.unknown(payload, event)
            else:
                self._of_call(call, kind, payload)
            return
        match kind:
            case "text_delta" | "refusal_delta" | "reasoning_delta":
                self._said(kind, payload)
            case "tool_call_start":
                self._start(payload)
            case "message_start":
                own = acc.wire
                acc.wire = text(payload.get("wire")) or own  # what was said is in the words of that one
                acc.begin(text(payload.get("id")), text(payload.get("model")))
                acc.wire = own
            case "usage":
                acc.usage(
                    obj(payload.get("raw")),
                    input_tokens=count(payload.get("input_tokens")),
                    output_tokens=count(payload.get("output_tokens")),
                )
            case "finish":
                self._finish(payload)
            case "reset":
                self._reset(payload)
            case "stream_error":
                self._fail(payload)
            case "warned":
                self._tell(Warned(text(payload.get("reason")), self._calls.get(text(payload.get("call")))))
            case "unknown" if self._finished:
                self._tell(Unknown(payload.get("payload"), text(payload.get("event"))))
            case "unknown":
                acc.unknown(payload.get("payload"), text(payload.get("event")))
            case _:
                error = error_of(payload.get("error"))
                if error is not None:
                    report(acc, error)
                else:
                    acc.unknown(payload, event)

    def end(self) -> None:
        """A turn whose finish was written is over."""
        acc = self._acc
        for id_, call in self._calls.items():
            if id_ not in self._listed:
                call._failed = True
        if self._cancelled:
            acc.abort("cancelled")
        elif self._finished:
            acc.end()
        acc._events.extend(self._late)
        self._late = []

    def _tell(self, event: Event) -> None:
        """Pass an event on as it is, in its place."""
        if self._finished:
            self._late.append(event)
        else:
            self._acc._events.append(event)

    def _said(self, kind: str, payload: Payload) -> None:
        acc = self._acc
        said, choice = text(payload.get("text")), _choice(payload)
        extra = payload.get("extra")
        beside: Payload | None = extra if isinstance(extra, dict) else None
        match kind:
            case "text_delta":
                acc.text(said, choice, extra=beside)
            case "refusal_delta":
                acc.refusal(said, choice)
            case _:
                field, signature = text(payload.get("field")) or None, text(payload.get("signature")) or None
                acc.reasoning(said, choice, field=field, signature=signature, extra=beside)
        turn = acc.turns.get(choice)
        if said and turn is not None and 0xD800 <= ord(said[-1]) <= 0xDBFF:
            acc._flush(turn)  # it waited for its other half before it was written

    def _start(self, payload: Payload) -> None:
        acc = self._acc
        id_, name, choice = text(payload.get("id")), text(payload.get("name")), _choice(payload)
        kind: CallKind = _KINDS.get(text(payload.get("kind")), "function")
        free_text = kind == "custom" or payload.get("free_text") is True
        call = self._nameless(choice, count(payload.get("index")))
        if call is None:
            call = acc.open(None, id_, name, kind, choice=choice, free_text=free_text)
            if call is None:
                return
        else:
            call.kind = kind
            if free_text:
                call._parser = None
            acc.identify(call, id_, name)
        if "vendor_id" in payload:
            call.vendor_id = text(payload["vendor_id"]) or None
        if id_:
            self._calls[id_] = call

    def _nameless(self, choice: int, index: int | None) -> ToolCall | None:
        """The call whose name comes only now. Those that had none before this one have their places too."""
        acc = self._acc
        turn = acc.turns.get(choice)
        have = len(turn.calls) if turn is not None else 0
        if index is None or index < 0:
            return None
        if turn is not None and index < have:
            call = turn.calls[index]
            return None if call._started or call.done else call
        while have < index and acc.running:
            acc.open(None, "", "", choice=choice)
            have += 1
        return None

    def _of_call(self, call: ToolCall, type_: str, payload: Payload) -> None:
        acc = self._acc
        if not acc.running:
            return
        kind = _KINDS.get(text(payload.get("kind")))
        if kind is not None and kind in ("server", "mcp") and not call.done:
            acc.provider_runs(call, kind, "the provider runs this call itself")
        if type_ == "tool_call_delta":
            acc.append(call, text(payload.get("text")))
        elif call.done:
            return
        elif type_ == "tool_call_end":
            self._end(call, payload)
        elif acc._early is None:  # else it is found again
            path = _path(payload.get("path"))
            keyword, message = text(payload.get("keyword")), text(payload.get("message"))
            self._tell(ToolCallViolation(call, path, keyword, message, count(payload.get("at")) or 0))

    def _end(self, call: ToolCall, payload: Payload) -> None:
        acc = self._acc
        if call.vendor_id is None:
            call.vendor_id = text(payload.get("vendor_id")) or None
        call.encoded = call.encoded or payload.get("encoded") is True
        call._extra.update(obj(payload.get("extra")))
        status = text(payload.get("status"))
        error = _error(payload.get("error"))
        whole = status in ("complete", "repaired")
        if error is not None and error.reason == "rejected":
            if not whole:
                call._error = error
            acc._end(call, well=status != "incomplete")
            acc.reject(call, error.message)
        elif error is not None and error.reason == "reset" and status != "incomplete":
            acc._end(call, well=True)  # the reset that is written behind it takes it back
        elif whole:
            acc._end(call, well=True)
            if status == "repaired" and call.status == "complete" and acc._tools is None:
                _mend(call, payload)
        else:
            # What its text alone would make of it doesn't count.
            unsaid = "malformed" if status == "invalid" else "cut"
            call._error = error or CallError(unsaid, f"the call is written as {status or 'open'}")
            acc._end(call, well=status == "invalid")

    def _finish(self, payload: Payload) -> None:
        acc = self._acc
        reason = _REASONS.get(text(payload.get("reason")), "unknown")
        for raw in items(payload.get("raw")) or [""]:
            acc.finish(reason, text(raw), _choice(payload))
        self._listed.update(text(each) for each in items(payload.get("calls")))
        self._finished = True
        self._cancelled = self._cancelled or (reason == "cancelled" and acc.failed)

    def _reset(self, payload: Payload) -> None:
        acc = self._acc
        reason = text(payload.get("reason"))
        if payload.get("scope") == "turn":
            acc.restart(reason)
            self._calls.clear()  # nothing more can be said of them
            return
        kinds = obj(payload.get("kinds"))
        for id_ in map(text, items(payload.get("calls"))):
            call = self._calls.get(id_)
            if call is None or not acc.running:
                continue
            if not call.done:
                call._error = CallError("reset", reason)
                acc._end(call, well=False)
            told = len(acc._events)
            kind = _KINDS.get(text(kinds.get(id_)))
            if kind is not None:
                acc.provider_runs(call, kind, reason)
            else:
                acc.void(call, reason)
            if len(acc._events) == told and call._started and not call.ready:
                acc._events.append(Reset((call,), reason))  # its end was written as what it came to only now

    def _fail(self, payload: Payload) -> None:
        acc = self._acc
        own = acc.wire
        acc.wire = text(payload.get("wire")) or own
        acc.offset = None  # what is written is of the provider's bytes
        after = payload.get("retry_after")
        acc.fail(
            _ERRORS.get(text(payload.get("kind")), "server"),
            text(payload.get("message")),
            code=text(payload.get("code")) or None,
            status=count(payload.get("status")),
            retryable=payload.get("retryable") is True,
            retry_after=float(after) if isinstance(after, (int, float)) and 0 <= after < 1e9 else None,
            call=self._calls.get(text(payload.get("call"))),
            offset=count(payload.get("offset")),
            raw=payload.get("raw"),
        )
        acc.wire = own


def _choice(payload: Payload) -> int:
    return count(payload.get("choice")) or 0


def _path(value: Any) -> tuple[str | int, ...]:
    return tuple(
        step for step in items(value) if isinstance(step, str) or (isinstance(step, int) and count(step) is not None)
    )


def _error(value: Any) -> CallError | None:
    """Why a call can't be used."""
    error = obj(value)
    reason = text(error.get("reason"))
    if not reason:
        return None
    problems = tuple(
        Problem(_path(each.get("path")), text(each.get("message")), count(each.get("offset")))
        for each in map(obj, items(error.get("problems")))
    )
    return CallError(reason, text(error.get("message")), count(error.get("offset")), problems)


def _mend(call: ToolCall, payload: Payload) -> None:
    """What a tool's check has put right in values: the text doesn't show it."""
    found: list[Repair] = []
    for each in map(obj, items(payload.get("repairs"))):
        kind = _REPAIRS.get(text(each.get("kind")))
        if kind is not None:
            found.append(Repair(kind, count(each.get("offset")) or 0, ""))
    if found:
        call._mended = tuple(found)
        call.status = "repaired"
        arguments = payload.get("arguments")
        if isinstance(arguments, dict):
            call._typed = arguments
