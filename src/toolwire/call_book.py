"""The calls of one stream: opening, naming, filling and ending each of them.

A call is opened, gets text, and ends once. `close` (the wire ended it) ends it at once when its text is one whole
value; else its end waits for the turn's stop reason, because only that tells "no arguments" and "malformed" from
"cut off". That its text parses ends nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from toolwire.call import ToolCall
from toolwire.encoding import encode, same
from toolwire.events import MessageStart, Reset, ToolCallDelta, ToolCallEnd, ToolCallStart, ToolCallViolation, Usage
from toolwire.limits import Limits
from toolwire.partial import DEFAULT_REPAIRS, MISSING, PartialJSON
from toolwire.partial.repairs import repair_names
from toolwire.trust import CallError, Trust
from toolwire.turn import Turn, verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable

    from toolwire.call import CallKind, CallStatus
    from toolwire.events import ErrorKind, Event
    from toolwire.live_value import Reader
    from toolwire.partial import Change, RepairName
    from toolwire.tools import Tools

__all__ = ["CallBook"]


def _new_id() -> str:
    return "call_" + os.urandom(12).hex()


class CallBook:
    """The verbs that concern calls. `Accumulator` adds those of the message and of the turn's end."""

    def __init__(
        self,
        *,
        changes: bool = False,
        repairs: Collection[RepairName] = DEFAULT_REPAIRS,
        limits: Limits | None = None,
        trust: Trust | None = None,
        tools: Tools | None = None,
        early: bool = False,
        new_id: Callable[[], str] = _new_id,
    ) -> None:
        self.limits = limits or Limits()
        self.trust = trust or Trust()
        self._tools = tools
        self._holds = tools is not None and tools.hold
        self.started: list[ToolCall] = []  # in order of their start events
        self.reader: Reader | None = None  # for those who wait
        self.wire: str | None = None
        self.now: float | None = None
        self.offset: int | None = None
        self.running = True
        self.failed = False
        self.done = False
        self.turns: dict[int, Turn] = {}
        self._changes = changes
        self._early = tools if early else None  # judged while they are written
        self._repairs = repair_names(repairs)
        self._new_id = new_id
        self._events: list[Event] = []
        self._ids: set[str] = set()
        self._opened = 0
        self._over = 0
        self._begun = False
        self.strangers = 0  # payloads and parts without a meaning here
        self._usage = Usage()

    @property
    def call_open(self) -> bool:
        """True while some call has not ended."""
        return self._opened > self._over

    def take(self) -> list[Event]:
        """The events since the last take."""
        events = self._events
        self._events = []
        return events

    def fail(self, kind: ErrorKind, message: str, *, call: ToolCall | None = None) -> None:
        """The turn failed."""
        raise NotImplementedError

    @property
    def begun(self) -> bool:
        """True once the message has begun."""
        return self._begun

    @property
    def silent(self) -> bool:
        """True while nothing has come that has a meaning here."""
        return not (self._begun or self.failed)

    def begin(self, id: str | None = None, model: str | None = None) -> None:
        """The message begins. Repeats are ignored."""
        if self.running and not self._begun:
            self._begun = True
            self._events.append(MessageStart(id or None, model or None, self.wire))

    def fragment(
        self,
        choice: int,
        index: Hashable | None,
        id: str,
        name: str,
        text: str,
        kind: CallKind = "function",
        *,
        value: Any = None,
    ) -> ToolCall | None:
        """A delta of a wire that tells calls apart by index, id and name, each of which may be missing ("" or None).

        `value`: whole arguments, where the wire sent an object instead of text. Returns the call it belongs to, None
        when the stream is over.
        """
        turn = self._turn(choice) if self.running else None
        if turn is None or not self.running:
            return None
        call = turn.route(index, id, name, "{" if value is not None else text)
        if call is None:
            call = self._open(turn, kind, free_text=kind == "custom")
            if call is None:
                return None
        turn.bind(call, index, id)
        self._identify(turn, call, id, name)
        if value is not None:
            self.value(call, value)
        elif text:
            self.append(call, text)
        return call

    def open(
        self,
        key: Hashable,
        id: str,
        name: str,
        kind: CallKind = "function",
        *,
        choice: int = 0,
        free_text: bool = False,
    ) -> ToolCall | None:
        """A call begins, on a wire that gives each its own block or item; `key` finds it again with `find`."""
        turn = self._turn(choice) if self.running else None
        if turn is None or not self.running:
            return None
        call = self._open(turn, kind, free_text=free_text)
        if call is not None:
            turn.bind(call, key, id)
            self._identify(turn, call, id, name)
        return call

    def find(self, key: Hashable, choice: int = 0) -> ToolCall | None:
        """The call last opened under `key`."""
        turn = self.turns.get(choice)
        return turn.slots.get(key) if turn else None

    def identify(self, call: ToolCall, id: str = "", name: str = "") -> None:
        """A late id or name. Each is set once."""
        if self.running:
            self._identify(self._turn(call.choice), call, id, name)

    def append(self, call: ToolCall, text: str) -> None:
        """More argument text for a call."""
        if not self.running or not text or call._rejected:
            return
        if call.done:
            if text.strip() not in ("", "{}", call._raw.strip()):  # a placeholder and a repeat say nothing new
                self.void(call, "argument text came after the call's end")
            return
        call._received += len(text)
        if call._received > self.limits.argument_chars:
            self.fail(
                "limit",
                f"the arguments of {call.name or 'a call'} are longer than argument_chars={self.limits.argument_chars}",
                call=call,
            )
            return
        text = self.turns[call.choice].join(call, text)
        parser = call._parser
        if parser is None:
            grown, call._text = call._text, ""
            grown += text  # in place: nothing else refers to it now
            call._text = grown
        else:
            text = parser.feed(text)
        if call._started:
            self._delta(call, text)

    def value(self, call: ToolCall, value: Any) -> None:
        """The whole arguments as a value, from a wire that sends no text."""
        call.encoded = call.encoded or (self.running and not call.done)
        try:
            text = encode(value)
        except (RecursionError, TypeError, ValueError) as error:
            self.invalidate(call, "malformed", f"the arguments can't be written as JSON: {error}")
        else:
            self.append(call, text)

    def snapshot(self, call: ToolCall, text: str) -> None:
        """The wire repeats the whole argument text: what was not yet sent is, a disagreement makes the call invalid."""
        if not self.running or not text or call._rejected:
            return
        parser = call._parser
        have = call._raw if parser is None else parser.text + parser.held
        self.turns[call.choice].complete_half(call, text[len(have) :])
        if text == have or (call.closed_object and same(text, call._live)):
            return
        if not call.done and text.startswith(have):
            self.append(call, text[len(have) :])
        elif not call.done and call.closed_object and not call._live:
            self.append(call, text)  # what was streamed was a placeholder
        else:
            self.contradict(call, "the final copy of the arguments differs from what was streamed")

    def close(self, call: ToolCall) -> None:
        """The wire ended this call."""
        if not self.running or call.done:
            return
        if call._error is not None:
            call._expects_end = True
        elif call._parser is None or call.closed_object:
            self._end(call, well=True)
        else:
            call._expects_end = True

    def invalidate(self, call: ToolCall, reason: str, message: str) -> None:
        """The text can't be this call's arguments, whatever else comes."""
        if self.running and not call.done and call._error is None:
            call._error = CallError(reason, message, len(call._raw))

    def contradict(self, call: ToolCall, message: str) -> None:
        """The provider's own copy of a call says something else than what was streamed."""
        if call.done:
            self.void(call, message)
        else:
            self.invalidate(call, "snapshot_mismatch", message)

    def provider_runs(self, call: ToolCall, kind: CallKind, reason: str) -> None:
        """A call that looked like the client's is the provider's own: not the client's to run after all."""
        if self.running and call.kind != kind:
            revoked = call.ready
            call.kind = kind
            if call._held and not call.done:  # it is no tool of the caller's
                call._held = False
                self._delta(call, call._raw)
            if revoked:
                self._events.append(Reset((call,), reason))

    def void(self, call: ToolCall, reason: str) -> None:
        """The provider contradicts a call that has ended: it is invalid, and a `Reset` names it."""
        if self.running and call.status != "invalid":
            call.status = "invalid"
            call._error = CallError("reset", reason, len(call._raw))
            if call._started:  # nobody has heard of one that has no name
                self._events.append(Reset((call,), reason))

    def reject(self, call: ToolCall, reason: str) -> None:
        """The user stops one call."""
        if call._rejected:
            return
        call._rejected = True
        call._error = CallError("rejected", reason)
        if not call.done:
            self._finish_call(call, "incomplete")
        if self.reader is not None:
            self.reader.changed()

    def _turn(self, choice: int) -> Turn:
        turn = self.turns.get(choice)
        if turn is None:
            self.begin()
            turn = Turn(choice)
            if len(self.turns) < self.limits.choices:
                self.turns[choice] = turn
            else:
                self.fail("limit", f"more than choices={self.limits.choices} choices in one stream")
        return turn

    def _open(self, turn: Turn, kind: CallKind, *, free_text: bool) -> ToolCall | None:
        if self._opened >= self.limits.calls:
            self.fail("limit", f"more than calls={self.limits.calls} tool calls in one stream")
            return None
        self._opened += 1
        parser = None
        if not free_text:
            parser = PartialJSON(
                repairs=self._repairs,
                changes=self._changes or self._early is not None,
                max_depth=self.limits.depth,
                max_digits=self.limits.digits,
            )
        call = ToolCall(
            index=len(turn.calls),
            choice=turn.choice,
            kind=kind,
            parser=parser,
            trust=self.trust,
            reject=self.reject,
            reader=self.reader,
        )
        call._held = self._holds  # until its name is known
        turn.calls.append(call)
        return call

    def _identify(self, turn: Turn, call: ToolCall, id: str, name: str) -> None:
        if id and call.vendor_id is None:
            call.vendor_id = id
        if not name or name == call.name:
            return
        if len(call.name) + len(name) > self.limits.name_chars:
            self.fail("limit", f"a tool's name is longer than name_chars={self.limits.name_chars}", call=call)
        elif not call.name:
            call.name = name
            if not call._started and not call.done:
                self._start(call)
        elif not call._raw and not call.done:
            # A name may come in pieces before the arguments begin, or be repeated whole as it grows.
            call.name = name if name.startswith(call.name) else call.name + name
            call._held = self._holds and self._keeps(call)

    def _start(self, call: ToolCall) -> None:
        wanted = call.vendor_id
        call.id = wanted if wanted and wanted not in self._ids else self._new_id()
        self._ids.add(call.id)
        call._started = True
        call._held = self._holds and self._keeps(call)
        call.started_at = self.now
        self.started.append(call)
        self._events.append(ToolCallStart(call))
        if self._early is not None:
            self._judge_name(call, self._early, whole=False)
        if call._raw:
            self._delta(call, call._raw)

    def _keeps(self, call: ToolCall) -> bool:
        """Whether nothing of a call's arguments is to be seen before its end: a name nobody knows is kept back too."""
        tool = None if self._tools is None else self._tools.get(call.name)
        return call.kind in ("function", "custom") and (tool is None or tool.hold)

    def _delta(self, call: ToolCall, text: str) -> None:
        if call._held:
            return
        changes = taken = None
        if call._parser is not None and (self._changes or self._early is not None):
            taken = tuple(call._parser.take_changes())
        if self._changes and taken is not None:
            call.changes = changes = taken
        closes = False
        if text and not call._told_closed and call._parser is not None and call._parser.closed:
            closes = call._told_closed = not call._parser.held
        if text or changes:
            self._events.append(ToolCallDelta(call, text, changes, closes))
        if self._early is not None and taken and not call._cut:
            self._judge(call, taken, self._early)

    def _judge_name(self, call: ToolCall, tools: Tools, *, whole: bool) -> None:
        """A name that no tool has, or as long as it may grow, none can have."""
        if call.kind not in ("function", "custom"):
            return
        if tools.get(call.name) is None and (whole or not any(tool.name.startswith(call.name) for tool in tools)):
            call._judge = None
            self._events.append(ToolCallViolation(call, (), "name", f"there is no tool {call.name!r}", 0))

    def _judge(self, call: ToolCall, changes: tuple[Change, ...], tools: Tools) -> None:
        """What is certain of the arguments now."""
        if call._judge is MISSING:
            self._judge_name(call, tools, whole=True)
            tool = tools.get(call.name) if call.kind == "function" else None
            compiled = None if tool is None else tool.compiled
            call._judge = None if compiled is None else compiled.judge("stringified" in self._repairs)
        value = None if call._parser is None else call._parser.value
        if call._judge is not None and value is not None:  # null alone says that there are no arguments
            self._violated(call, call._judge.feed(changes, value))

    def _violated(self, call: ToolCall, violations: list[Any]) -> None:
        for each in violations:
            self._events.append(ToolCallViolation(call, each.path, each.keyword, each.message, call._received))

    def _end(self, call: ToolCall, *, well: bool) -> None:
        """End a call whose fate is known: `well` says that the turn was not cut."""
        call._cut = not well
        rest = self.turns[call.choice].rest(call)
        if call._parser is None:
            call._text += rest
        else:
            rest = call._parser.feed(rest) if rest else ""
            rest += call._parser.end()
        if call._started:
            self._delta(call, rest)
        status, error = verdict(call, well=well)
        if call._error is None:
            call._error = error
        if status in ("complete", "repaired") and self._tools is not None and call.kind in ("function", "custom"):
            if call._judge is not MISSING and call._judge is not None:
                self._violated(call, call._judge.end())
            status = self._check(call, status, self._tools)
        if call._held and status in ("complete", "repaired"):
            call._held = False
            self._delta(call, call._raw)
        elif call._held and call._error is not None:
            call._error = call._error.withheld()
        self._finish_call(call, status)

    def _check(self, call: ToolCall, status: CallStatus, tools: Tools) -> CallStatus:
        """What the tool makes of arguments that are whole."""
        value = call._live if call._parser is None or call.closed_object else {}
        return call._take(tools.judge(call.name, value, call._raw, self._repairs), status)

    def _finish_call(self, call: ToolCall, status: CallStatus) -> None:
        call.status = status
        call.ended_at = self.now
        self._over += 1
        if call._started:
            self._events.append(ToolCallEnd(call))
