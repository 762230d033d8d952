"""Events as plain JSON data: the form in which they travel on our own wire and in which `toolwire events` prints them.

What a form says of a call is what its event says and what holds once the call has got that far: its place, its name and
who runs it with every event, the verdict with its end, the leave to run it with the turn's finish.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolwire import events as ev

if TYPE_CHECKING:
    from toolwire.call import ToolCall
    from toolwire.events import Event

__all__ = ["VERSION", "as_dict", "json_safe", "marked", "verdict_of"]

VERSION: Final = 1
"""Of the form. Members may be added within a version, none is taken away or changes its meaning."""

# More levels than what stands around a member when it is written, so that what passes here passes there.
_MARGIN: Final = 32

# Members that hold what a provider sent, or what a program made of it.
_FOREIGN: Final = ("arguments", "changes", "extra", "payload", "raw")


def as_dict(event: Event) -> dict[str, Any]:
    """An event as plain data. Members that hold what a provider sent are not copied, and may hold anything."""
    body: dict[str, Any]
    match event:
        case ev.ToolCallDelta():
            body = {**_call(event.call), "text": event.text}
            if event.closes:
                body["closes"] = True
            if event.changes is not None:
                body["changes"] = [list(change) for change in event.changes]
        case ev.TextDelta() | ev.RefusalDelta():
            body = {"choice": event.choice, "text": event.text}
            if isinstance(event, ev.TextDelta) and event.extra is not None:
                body["extra"] = dict(event.extra)
        case ev.ReasoningDelta():
            body = {"choice": event.choice, "text": event.text, "field": event.field, "signature": event.signature}
            if event.extra is not None:
                body["extra"] = dict(event.extra)
        case ev.MessageStart():
            body = {"id": event.id, "model": event.model, "wire": event.wire}
        case ev.ToolCallStart():
            body = {**_call(event.call), "vendor_id": event.call.vendor_id}
            if event.call._parser is None:
                body["free_text"] = True
        case ev.ToolCallEnd():
            body = {**_call(event.call), "vendor_id": event.call.vendor_id, **verdict_of(event.call)}
        case ev.ToolCallViolation():
            found = {"path": list(event.path), "keyword": event.keyword, "message": event.message, "at": event.at}
            body = {**_call(event.call), **found}
        case ev.Usage():
            body = {"input_tokens": event.input_tokens, "output_tokens": event.output_tokens, "raw": dict(event.raw)}
        case ev.Finish():
            body = {"choice": event.choice, "reason": event.reason, "raw": list(event.raw), "calls": _ids(event.calls)}
        case ev.Reset():
            body = {"calls": _ids(event.calls), "scope": event.scope, "reason": event.reason}
            kinds = {call.id: call.kind for call in event.calls if call.kind not in ("function", "custom")}
            if kinds:
                body["kinds"] = kinds
        case ev.StreamError():
            body = {
                "kind": event.kind,
                "message": event.message,
                "code": event.code,
                "status": event.status,
                "retryable": event.retryable,
                "retry_after": event.retry_after,
                "wire": event.wire,
                "offset": event.offset,
                "call": _id(event.call),
                "raw": event.raw,
            }
        case ev.Warned():
            body = {"reason": event.reason, "call": _id(event.call)}
        case ev.Unknown():
            body = {"event": event.event, "payload": event.payload}
    return {"type": event.type, **body}


def marked(form: dict[str, Any], *, first: bool) -> dict[str, Any]:
    """A form with the version, where it has its place: first in the stream, and wherever a message starts."""
    if first or form["type"] == "message_start":
        return {"type": form["type"], "toolwire": VERSION, **form}
    return form


def verdict_of(call: ToolCall) -> dict[str, Any]:
    """What came of a call that has ended."""
    verdict: dict[str, Any] = {"status": call.status}
    if call.status in ("complete", "repaired"):
        verdict["arguments"] = _plain_arguments(call)
    if (error := call.error) is not None:
        verdict["error"] = {"reason": error.reason, "message": error.message, "offset": error.offset}
        if error.problems:
            verdict["error"]["problems"] = [
                {"path": list(each.path), "message": each.message, "offset": each.offset} for each in error.problems
            ]
    if call.repairs:
        verdict["repairs"] = [{"kind": repair.kind, "offset": repair.offset} for repair in call.repairs]
    if call.encoded:
        verdict["encoded"] = True
    if call.extra:
        verdict["extra"] = dict(call.extra)
    # Before the turn's finish there is leave to run it only where its own end gives that.
    return {**verdict, "closed": call.closed, "executable": call.ready and call._trust.confirm == "call"}


def json_safe(form: dict[str, Any]) -> dict[str, Any]:
    """A form that every JSON writer takes: NaN and infinities are text.

    A member that JSON can't hold (too deep, no plain data) is null, and `unwritable` names it.
    """
    lost: list[str] = []
    changed: dict[str, Any] = {}
    for name in _FOREIGN:
        value = form.get(name)
        if not value or isinstance(value, str):
            continue
        try:
            json.dumps(_deepened(value), allow_nan=False)
        except (RecursionError, TypeError, ValueError):
            plain = _replaced(value)
            if plain is None:
                lost.append(name)
            changed[name] = plain
    if not changed:
        return form
    return {**form, **changed, "unwritable": sorted(lost)} if lost else {**form, **changed}


def _replaced(value: Any) -> Any:
    """The value with text in the place of numbers that JSON doesn't have; None if that isn't all that ails it."""
    try:
        found = json.loads(json.dumps(value), parse_constant=str)
        json.dumps(_deepened(found), allow_nan=False)
    except (RecursionError, TypeError, ValueError):
        return None
    return found


def _deepened(value: Any) -> Any:
    for _ in range(_MARGIN):
        value = [value]
    return value


def _plain_arguments(call: ToolCall) -> Any:
    """The arguments, or the JSON value that they were made of where a tool's own types stand in its place."""
    found = call.arguments
    if call._parser is None or type(found) is dict:
        return found if isinstance(found, str | dict) else call._live
    return call._live if call.closed_object else {}


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "index": call.index, "choice": call.choice, "name": call.name, "kind": call.kind}


def _id(call: ToolCall | None) -> str | None:
    return None if call is None else call.id or None  # one that never got a name has none


def _ids(calls: tuple[ToolCall, ...]) -> list[str]:
    return [call.id for call in calls]
