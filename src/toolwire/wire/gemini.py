"""Gemini's generateContent, as the Developer API and Vertex stream it.

A chunk is `{candidates: [{index, content: {parts: […]}, finishReason, finishMessage}], promptFeedback, usageMetadata,
responseId, modelVersion, error}`; a body that isn't streamed is one such chunk. A part holds `text` (reasoning with
`thought: true`), a `functionCall`, or something the provider did itself; `thoughtSignature` may stand beside each and
belongs to that part. The end is the end of bytes: content may follow a `finishReason`, and "STOP" ends calls too.

A call is `functionCall: {name, id?, args}`, or it is streamed (Vertex):

    {name, willContinue: true}                                            its start; nothing of it is known yet
    {partialArgs: [{jsonPath, stringValue, willContinue}], willContinue}  values by JSONPath; strings come in pieces
    {willContinue: true}                                                  not an end
    {}, or any part without `willContinue`                                its end

Calls come one after the other, and their order is all that tells them apart. Where the wire leaves room:

* a part without a name belongs to the last call; so does the same name with `partialArgs` (or an explicit
  `willContinue: false`) while more of that call is due
* another call ends one that was still due, but not one of which nothing had come: that stays unfinished
* a call without `args`, or with `{}`, may still get them from a part without a name; until then its end waits
* values for a call that has ended contradict it: it is void
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from toolwire.partial.jsonpath import JSONPathError, parse
from toolwire.partial.path_writer import PathError, PathWriter
from toolwire.wire._errors import ErrorReport, error_of, report
from toolwire.wire._read import count, items, obj, text, word

if TYPE_CHECKING:
    from toolwire.accumulator import Accumulator
    from toolwire.call import ToolCall
    from toolwire.events import FinishReason
    from toolwire.wire._read import Payload

__all__ = ["Decoder", "recognises"]

_FILTERED: Final = """BLOCKLIST ESCALATION IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION IMAGE_SAFETY LANGUAGE MODEL_ARMOR
    PROHIBITED_CONTENT RECITATION SAFETY SPII"""
_FAILED: Final = """MALFORMED_FUNCTION_CALL MALFORMED_RESPONSE MISSING_THOUGHT_SIGNATURE TOO_MANY_TOOL_CALLS
    UNEXPECTED_TOOL_CALL"""

# All others, "OTHER" and "FINISH_REASON_UNSPECIFIED" among them, tell nothing: unknown.
FINISH: Final[dict[str, FinishReason]] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(_FILTERED.split(), "content_filter"),
    **dict.fromkeys(_FAILED.split(), "error"),
}

_CALL: Final = frozenset({"args", "id", "name", "partialArgs", "willContinue"})

# Dumps of some SDKs' objects have the fields that are read here in snake_case.
_READ: Final = """blockReason boolValue candidatesTokenCount finishMessage finishReason functionCall functionResponse
    jsonPath modelVersion nullValue numberValue partialArgs promptFeedback promptTokenCount responseId stringValue
    thoughtSignature usageMetadata willContinue"""
_CAMEL: Final[Payload] = {
    re.sub("[A-Z]", lambda capital: "_" + capital[0].lower(), name): name for name in _READ.split()
}

# Beside a part's content: kept with a call, said of text.
_ASIDE: Final = ("thought", "thoughtSignature")

# What a candidate may hold beside its content that a caller can want: sources of the answer.
_SOURCES: Final = frozenset({"citationMetadata", "groundingMetadata", "urlContextMetadata"})

# The one value of an update, by its field.
_VALUES: Final[dict[str, tuple[type, ...]]] = {"stringValue": (str,), "numberValue": (int, float), "boolValue": (bool,)}


def recognises(payload: Payload, event: str) -> bool:
    """A chunk has candidates, or says why it has none, or counts tokens for a model of this wire."""
    del event
    chunk = _fields(payload)
    return (
        isinstance(chunk.get("candidates"), list)
        or isinstance(chunk.get("promptFeedback"), dict)
        or (isinstance(chunk.get("usageMetadata"), dict) and ("modelVersion" in chunk or "responseId" in chunk))
    )


class Decoder:
    """Chunks, or one whole body, to verbs."""

    def __init__(self, acc: Accumulator) -> None:
        self._acc = acc
        self._calls: dict[int, _Calls] = {}

    def feed(self, payload: Payload, event: str) -> None:
        """One chunk."""
        acc = self._acc
        chunk = _fields(payload)
        candidates = chunk.get("candidates")
        feedback = _fields(chunk.get("promptFeedback"))
        usage = obj(chunk.get("usageMetadata"))
        if isinstance(candidates, list) or feedback or word(chunk.get("responseId")):
            acc.begin(word(chunk.get("responseId")), word(chunk.get("modelVersion")))
        if usage:
            counts = _fields(usage)
            acc.usage(
                usage,
                input_tokens=count(counts.get("promptTokenCount")),
                output_tokens=count(counts.get("candidatesTokenCount")),
            )
        for candidate in items(candidates):
            self._candidate(candidate)
        blocked = word(feedback.get("blockReason"))
        if blocked and not items(candidates):
            acc.finish("content_filter", blocked)
        error = error_of(chunk.get("error"))
        if error is not None:
            self.end()
            report(acc, error)
        elif not (isinstance(candidates, list) or feedback or usage):
            acc.unknown(payload, event)

    def end(self) -> None:
        """No later part can give a call its arguments now."""
        for calls in self._calls.values():
            calls.settle()

    def _candidate(self, value: Any) -> None:
        acc = self._acc
        candidate = _fields(value)
        choice = count(candidate.get("index")) or 0
        calls = self._calls.setdefault(choice, _Calls(acc, choice))
        parts = obj(candidate.get("content")).get("parts")
        for part in items(parts):
            self._part(part, calls, choice)
        if not isinstance(value, dict) or not isinstance(parts, list | None):
            acc.unknown(value)
        sources = {key: each for key, each in candidate.items() if key in _SOURCES and each}
        if sources:
            acc.unknown(sources)
        raw = word(candidate.get("finishReason"))
        if raw:
            calls.settle()
            reason = FINISH.get(raw.upper(), "unknown")
            acc.finish(reason, raw, choice)
            if reason == "error":
                self.end()
                report(acc, ErrorReport(text(candidate.get("finishMessage")), raw))

    def _part(self, value: Any, calls: _Calls, choice: int) -> None:
        acc = self._acc
        part = _fields(value)
        said = part.pop("text", None)
        rest = {key: each for key, each in part.items() if each is not None and key not in _ASIDE}
        if isinstance(said, str):
            if part.get("thought") is True:
                acc.reasoning(said, choice, field="thought")
            else:
                acc.text(said, choice)
        elif said is not None:
            rest["text"] = said
        call = rest.pop("functionCall", None)
        if isinstance(call, dict):
            calls.part(_fields(call), rest | {key: part[key] for key in _ASIDE if part.get(key)}, value)
            return
        if call is not None:
            rest["functionCall"] = call
        if isinstance(part.get("functionResponse"), dict):
            calls.answered(_fields(part["functionResponse"]))
        signature = text(part.get("thoughtSignature"))
        if isinstance(said, str) or not rest:
            acc.reasoning("", choice, field="thoughtSignature", signature=signature)
        if rest or not isinstance(value, dict):
            acc.unknown(rest if isinstance(said, str) else value)


class _Calls:
    """The calls of one candidate. What a part doesn't name belongs to the last of them."""

    def __init__(self, acc: Accumulator, choice: int) -> None:
        self._acc = acc
        self._choice = choice
        self._ids: dict[str, ToolCall] = {}
        self._names: dict[str, list[ToolCall]] = {}
        self._last: ToolCall | None = None
        # Of the last call:
        self._writer: PathWriter | None = None  # it is streamed, and more of it is due
        self._hollow: ToolCall | None = None  # itself, if it came without arguments and its end waits for them
        self._braces = False  # they were `{}`

    def part(self, fields: Payload, extra: Payload, part: Any) -> None:
        """A `functionCall`; `extra` is what stood beside it, `part` the whole."""
        acc = self._acc
        args = fields.get("args")
        updates = fields.get("partialArgs")
        updates = updates if isinstance(updates, list) else [] if updates is None else [updates]
        more = fields.get("willContinue") is True
        given = bool(updates) or args not in (None, "", {})
        name, id_ = word(fields.get("name")), word(fields.get("id"))
        extra = extra | {key: each for key, each in fields.items() if key not in _CALL and each is not None}
        call = self._last
        other = None if name else self._ids.get(id_, call)
        if other is not None and other is not call:
            self._contradicted(other, part)
            return
        if call is None and not (name or given):
            if extra:
                acc.unknown(part)
            return
        if call is None or (name and not self._continues(call, name, id_, fields)):
            call = self._begin(name, id_)
            if call is None:
                return
        elif self._writer is None and (self._hollow is None or not (given or more)):
            call._extra.update(extra)
            if given:
                self._contradicted(call, part)
            return
        acc.identify(call, id_, name)
        if id_:
            self._ids[id_] = call
        call._extra.update(extra)
        if self._writer is not None or updates or more:
            self._stream(call, args, updates, part, more=more)
            return
        self._hollow = None
        if args in (None, "", {}):
            self._hollow, self._braces = call, args == {}
        else:
            acc.value(call, args)
            acc.close(call)

    def answered(self, response: Payload) -> None:
        """A `functionResponse`: the provider itself has run the call it answers."""
        self.settle()
        id_ = word(response.get("id"))
        call = self._ids.get(id_)
        if call is None:
            waiting = self._names.get(word(response.get("name")), [])
            while waiting and waiting[-1].kind != "function":
                waiting.pop()
            call = waiting[-1] if waiting else None
            if call is None or (id_ and call.vendor_id):
                return
        self._acc.provider_runs(call, "mcp", "the provider answered this call itself")

    def settle(self) -> None:
        """No part can bring the last call's arguments any more: what it came with is all."""
        call, self._hollow = self._hollow, None
        if call is not None:
            if self._braces:
                self._acc.value(call, {})
            self._acc.close(call)

    def _continues(self, call: ToolCall, name: str, id_: str, fields: Payload) -> bool:
        """Whether a part with a name goes on with the last call."""
        if self._writer is None or (call.name and name != call.name):
            return False
        if id_ and call.vendor_id:
            return id_ == call.vendor_id
        return not call.name or bool(fields.get("partialArgs")) or fields.get("willContinue") is False

    def _begin(self, name: str, id_: str) -> ToolCall | None:
        self.settle()
        if self._writer is not None and self._last is not None:
            if self._writer.empty:
                self._writer.refuse("truncated", "another call began before anything of the announced arguments came")
            self._stream(self._last, None, [], None, more=False)
        call = self._acc.open(None, id_, name, choice=self._choice)
        if call is not None:
            call.encoded = True
            self._last = call
            self._names.setdefault(name, []).append(call)
        return call

    def _stream(self, call: ToolCall, args: Any, updates: list[Any], part: Any, *, more: bool) -> None:
        """Values for a call by path, and its end unless `more` is announced. What can't be written is passed on."""
        acc = self._acc
        limits = acc.limits
        writer = self._writer or PathWriter(max_depth=limits.depth, max_index=limits.array_index)
        self._writer = writer if more else None
        self._hollow = None
        written = writer.begin()  # at once: an unfinished call must not look like one without arguments
        error: PathError | None = None
        if args and not writer.empty and writer.string is None:
            acc.append(
                call, " "
            )  # `args` is compared with the live value, which lacks a number while nothing follows it
        try:
            for key, value in _members(writer, args, call._live):
                written += writer.write((key,), value)
            for update in updates:
                written += _update(writer, update)
            if not more:
                written += writer.finish()
        except PathError as fault:
            error = fault
        acc.append(call, written)
        if error is not None and error.reason == "limit":
            acc.fail("limit", f"array_index={limits.array_index}: {error}", call=call)
        elif error is not None:
            acc.invalidate(call, error.reason, str(error))
        if error is not None and (updates or args):
            acc.unknown(part)
        if not more:
            acc.close(call)

    def _contradicted(self, call: ToolCall, part: Any) -> None:
        """Values came for a call that is over: it can't be trusted, and they belong nowhere."""
        reason = "values without a name came after the end of the call they must belong to"
        if not call.done:
            self._acc.invalidate(call, "malformed", reason)
        elif call.status in ("complete", "repaired"):
            self._acc.void(call, reason)
        self._acc.unknown(part)


def _fields(value: Any) -> Payload:
    """An object's fields by their names on the wire, in a dict of their own."""
    return {_CAMEL.get(key, key): each for key, each in obj(value).items()}


def _members(writer: PathWriter, args: Any, have: Any) -> list[tuple[str, Any]]:
    """Whole values beside those by path. One that is there already and equal is a repeat."""
    if args is None or args == "":
        return []
    if not isinstance(args, dict):
        raise writer.refuse("malformed", "args beside partialArgs are not an object")
    return [(key, value) for key, value in args.items() if key not in have or have[key] != value]


def _update(writer: PathWriter, value: Any) -> str:
    """One of `partialArgs`. A value is complete unless it says `willContinue`."""
    update = _fields(value)
    more = update.get("willContinue") is True
    try:
        path = parse(text(update.get("jsonPath")))
    except JSONPathError as error:
        raise writer.refuse("malformed", str(error)) from None
    given = [field for field in _VALUES if update.get(field) is not None]
    null = update.get("nullValue") is not None
    if not given and not null and path == writer.string:  # an end marker whose empty text was left out
        return writer.write(path, "", more=more)
    if not given and "nullValue" in update:
        return writer.write(path, None, more=more)
    if null or len(given) != 1 or type(update[given[0]]) not in _VALUES[given[0]]:
        raise writer.refuse("malformed", f"{update['jsonPath']!r} comes without one value of the type it names")
    return writer.write(path, update[given[0]], more=more)
