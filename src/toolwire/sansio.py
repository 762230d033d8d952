"""The sans-I/O stream: bytes or payloads in, events out. It never reads, sleeps or looks at a clock."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from toolwire.accumulator import Accumulator
from toolwire.errors import UsageError
from toolwire.events import Finish, Unknown, Usage
from toolwire.framing import FRAMINGS, AutoFramer
from toolwire.framing.lines import LineJoiner
from toolwire.guarding import Guarding
from toolwire.guards import needs_early_check, watches
from toolwire.http import Head, RefusedBody
from toolwire.limits import Limits
from toolwire.option_checks import EXECUTE_ON, as_tools, check_options, demand_engine
from toolwire.partial import DEFAULT_REPAIRS
from toolwire.partial.repairs import repair_names
from toolwire.payload import to_payload
from toolwire.timing import Stopwatch, Timeouts
from toolwire.trust import Trust
from toolwire.wire._errors import report
from toolwire.wire_finder import WireFinder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from toolwire.call import ToolCall
    from toolwire.events import ErrorKind, Event, FinishReason
    from toolwire.framing.base import BaseFramer, Frame
    from toolwire.guards import Guard, Watch
    from toolwire.live_value import Reader
    from toolwire.output import Output
    from toolwire.partial import RepairName
    from toolwire.tools import Tools
    from toolwire.wire import Decoder
    from toolwire.wire._errors import ErrorReport

__all__ = ["Stream"]

_AWAITED: Final = {
    "first": "payload",
    "silence": "bytes",
    "progress": "content",
    "progress_in_call": "content",
    "total": "end",
}

_GZIP: Final = b"\x1f\x8b"

_decode: Final = msgspec.json.Decoder().decode


class Stream:
    """One provider's stream, decoded. Every method returns the events that came of it.

    `wire`: a wire's name, or "auto" to find it from the first payloads. `framing`: "auto" finds it from the first
    bytes. `changes`: put path changes on every `ToolCallDelta`. `repairs`: what may be mended in argument text.
    `accept_repaired`: whether a repaired call may be run. `confirm`: "turn" (a call may be run once the turn has
    finished) or "call" (once the call itself has ended; a `Reset` can revoke it). `execute_on`: the finish reasons
    that confirm a turn. `limits`, `timeouts`: see `Limits` and `Timeouts`; the latter need `now` and `tick`.
    `tools`: what may be called (see `Tools`); `call.arguments` is then what the tool's own check makes of them, and a
    call that fails it is invalid. `early_check`: say as soon as that is certain, with `ToolCallViolation`.
    `text_schema`: the answer's text is JSON, of this type, JSON Schema or response format (`{}` for any): see `output`.
    `guards`: what the stream is watched for (see `toolwire.guards`).

    Bad input never raises: it ends in a `StreamError` event and a `Finish`. Raises `UsageError` for unknown names and
    for input after `end` or `abort`.
    """

    def __init__(
        self,
        wire: str = "auto",
        *,
        framing: Literal["auto", "sse", "json-lines", "json-array", "aws-eventstream"] = "auto",
        changes: bool = False,
        repairs: Collection[RepairName] = DEFAULT_REPAIRS,
        accept_repaired: bool = True,
        confirm: Literal["turn", "call"] = "turn",
        execute_on: Collection[FinishReason] = EXECUTE_ON,
        limits: Limits | None = None,
        timeouts: Timeouts | None = None,
        tools: Tools | Iterable[object] | None = None,
        early_check: bool = False,
        text_schema: object | None = None,
        guards: Iterable[Guard | Watch] = (),
    ) -> None:
        check_options(confirm, execute_on, limits, timeouts, framing)
        limits = limits or Limits()
        guards = list(guards) if hasattr(guards, "__iter__") else guards
        early = early_check or needs_early_check(guards)
        if early:
            if tools is None:
                raise UsageError("the early check needs tools=, what to check against")
            demand_engine()
        self._acc = Accumulator(
            changes=changes,
            repairs=repair_names(repairs),
            limits=limits,
            trust=Trust(confirm, accept_repaired, frozenset(execute_on)),
            tools=None if tools is None else as_tools(tools),
            early=early,
        )
        if text_schema is not None:
            from toolwire.output import answers

            self._acc.expect(answers(text_schema, self._acc.trust, repair_names(repairs), limits, changes=changes))
        self._framing: str | None = None
        self._auto: AutoFramer | None = None
        self._framer: BaseFramer
        if framing == "auto":
            self._auto = AutoFramer(max_event_bytes=limits.event_bytes)
            self._framer = self._auto.chosen
        else:
            self._framing = framing
            self._framer = FRAMINGS[framing](max_event_bytes=limits.event_bytes)
        self._guarding = Guarding(watches(guards) if guards else [], self._acc)
        self._lines = LineJoiner()
        self._ended = False
        self._refused: RefusedBody | None = None
        self._magic = b""
        self._watch = Stopwatch(timeouts or Timeouts())
        self._finder = WireFinder(self._acc)
        self._decoder: Decoder | None = None if wire == "auto" else self._finder.named(wire)

    @property
    def wire(self) -> str | None:
        """The wire's name; None until it is found."""
        return self._acc.wire

    @property
    def evidence(self) -> str | None:
        """Why the stream is read as this wire: the payload that told, or the caller's word; None until it is found."""
        return self._finder.evidence

    @property
    def framing(self) -> str | None:
        """How the bytes are framed: "sse", "json-lines", "json-array" or "aws-eventstream"; None until it is found."""
        return self._framing

    @property
    def calls(self) -> list[ToolCall]:
        """Every call of the turn so far, choice by choice."""
        return [call for turn in self._acc.turns.values() for call in turn.calls]

    @property
    def started(self) -> list[ToolCall]:
        """The calls whose start was told, in that order. It grows."""
        return self._acc.started

    @property
    def output(self) -> Output:
        """The answer's text as a live JSON value; a new one after a `Reset` of the turn. Needs `text_schema`."""
        if self._acc.output is None:
            raise UsageError("the text is not read as JSON: give text_schema=, a type or a schema ({} for any JSON)")
        return self._acc.output

    def read_on_by(self, reader: Reader) -> None:
        """Who reads the stream on for those who wait for parts of it."""
        self._acc.reader = reader
        if self._acc.output is not None:
            self._acc.output._reader = reader

    @property
    def done(self) -> bool:
        """True once every choice has its `Finish`. What comes after that is not looked at."""
        return self._acc.done

    def receive(self, data: bytes | bytearray | memoryview | str, now: float | None = None) -> list[Event]:
        """Bytes or text as they came: cut anywhere, or line by line. `now` is the caller's clock, in seconds."""
        self._enter(now)
        if isinstance(data, bytes):
            raw = data
        elif isinstance(data, str):
            raw = data.encode("utf-8", "surrogatepass")
        elif isinstance(data, bytearray | memoryview):
            raw = bytes(data)
        else:
            raise UsageError(f"receive takes bytes or str, not {type(data).__name__}: see receive_payload")
        self._frames(self._lines.feed(raw))
        return self._noted(now)

    def receive_payload(self, payload: object, now: float | None = None, *, event: str = "") -> list[Event]:
        """One payload that is already parsed: a dict, or an object of a provider's SDK."""
        self._enter(now)
        self._payload(to_payload(payload), event)
        return self._noted(now)

    def receive_head(
        self, status: int, headers: Mapping[str, str] | None = None, now: float | None = None
    ) -> list[Event]:
        """The status and headers of the HTTP response whose body comes next.

        With an error status, a redirect or a page for people, the body is read as what it is, and the stream fails with
        what it says, `retryable` and `retry_after` included.
        """
        self._enter(now)
        head = Head(status, {name.lower(): value for name, value in (headers or {}).items()})
        self._refused = RefusedBody(head) if head.refuses else None
        return self._noted(now)

    def start(self, now: float) -> None:
        """The source is waited for from now on: limits in time count from here, or else from the first input."""
        self._watch.start(now)

    def deadline(self) -> float | None:
        """The reading of the clock at which `tick` is due if nothing came before; None if no limit can pass."""
        due = None if self._acc.done else self._watch.deadline()
        return None if due is None else due.at

    def tick(self, now: float) -> list[Event]:
        """Time has passed: end the stream if a limit was reached."""
        due = None if self._acc.done else self._watch.deadline()
        if due is not None and now >= due.at:
            self._ended = True
            self._acc.now = now
            if self._decoder is not None:
                self._decoder.end()
            if due.limit != "settle":
                self._acc.fail("timeout", f"the limit {due.limit} passed, with no {_AWAITED[due.limit]} in time")
            self._acc.end()
        return self._guarding.passed(self._acc.take(), self)

    def end(self, now: float | None = None) -> list[Event]:
        """The end of bytes. Repeats do nothing."""
        if self._ended:
            return self._guarding.passed(self._acc.take(), self)
        self._enter(now)
        self._ended = True
        if not self._acc.done:
            self._frames(self._lines.end())
            if self._refused is not None:
                report(self._acc, self._refused.report())
            self._take(self._framer.end() if self._auto is None else self._auto.end())
            self._note_fault()
            self._finder.give_up()
            self._note_stray()
            if self._decoder is not None and not self._acc.done:
                self._decoder.end()
            self._finder.doubt()
            self._acc.end()
        return self._guarding.passed(self._acc.take(), self)

    def abort(self, reason: str = "aborted", *, undelivered: Iterable[Event] = ()) -> list[Event]:
        """Stop: open calls end, nothing is executable, and nothing more is taken in.

        `undelivered`: events of earlier returns that nobody has seen yet. They come first in what is returned, but a
        finish among them is taken back.
        """
        self._ended = True
        waiting = list(undelivered)
        kept = [event for event in waiting if not isinstance(event, Finish)]
        self._acc.abort(reason, recall=len(kept) < len(waiting))
        return kept + self._acc.take()

    def fail(self, error: str | ErrorReport, *, kind: ErrorKind = "connection") -> list[Event]:
        """The source itself broke: the stream ends as failed. A report is sorted into its own kind."""
        self._ended = True
        if isinstance(error, str):
            self._acc.fail(kind, error)
        else:
            report(self._acc, error)
        self._acc.end()
        return self._guarding.passed(self._acc.take(), self)

    def pending(self) -> list[Event]:
        """Events that came of something else than input: a call's rejection."""
        return self._guarding.passed(self._acc.take(), self)

    def _noted(self, now: float | None) -> list[Event]:
        """The events of an input, once the stopwatch knows of them."""
        acc = self._acc
        events = self._guarding.passed(acc.take(), self)
        if now is not None:
            watch = self._watch
            content = any(not isinstance(event, (Unknown, Usage)) for event in events)
            finishing = acc.failed or acc.finishing
            watch.received(now, event=bool(events) or finishing != watch.finishing, content=content)
            watch.finishing = finishing
            watch.call_open = acc.call_open
        return events

    def _enter(self, now: float | None) -> None:
        if self._ended:
            raise UsageError("this stream has ended: make a new Stream for the next one")
        if now is not None:
            self._acc.now = now

    def _frames(self, data: bytes) -> None:
        if self._refused is not None:
            self._refused.feed(data)
            return
        if len(self._magic) < len(_GZIP):
            self._magic += data[: len(_GZIP) - len(self._magic)]
            if self._magic == _GZIP:
                self._acc.fail("protocol", "the bytes are compressed (gzip): let the HTTP client decode them", offset=0)
                self._acc.end()
                return
        self._take(self._framer.feed(data) if self._auto is None else self._auto.feed(data))
        self._note_fault()

    def _take(self, frames: list[Frame]) -> None:
        auto = self._auto
        if auto is not None and auto.name is not None:
            self._auto = None
            self._framing = auto.name
            self._framer = auto.chosen
        for event, data, offset in frames:
            self._frame(event, data, offset)

    def _note_fault(self) -> None:
        fault = self._framer.fault
        if fault is not None and self._acc.running:
            self._acc.fail("limit" if fault.kind == "limit" else "protocol", str(fault), offset=fault.offset)

    def _note_stray(self) -> None:
        """Nothing but lines that are no events: say what came instead."""
        stray = self._framer.stray
        if stray and not self._watch.heard:
            self._acc.fail(
                "protocol",
                f"no event came; the body begins with {stray[:80].decode('utf-8', 'replace')!r}",
                offset=self._framer.stray_offset,
            )

    def _frame(self, event: str, data: bytes, offset: int) -> None:
        if self._acc.done:
            return
        self._acc.offset = offset
        if data[:6] == b"[DONE]" and data.rstrip() == b"[DONE]":
            self._terminate()
            return
        try:
            payload = _decode(data)
        except (msgspec.DecodeError, RecursionError):
            payload = self._decode_leniently(data, offset)
        if payload is not None:
            self._payload(payload, event)

    def _decode_leniently(self, data: bytes, offset: int) -> Any:
        """What the fast decoder refuses but a stream may hold: text cut between surrogates, NaN beside arguments."""
        try:
            return json.loads(data.decode("utf-8", "replace"))
        except (ValueError, RecursionError) as error:
            shown = data[:80].decode("utf-8", "replace")
            self._acc.fail("protocol", f"a payload is not JSON ({error}): {shown!r}", offset=offset)
            return None

    def _payload(self, payload: Any, event: str) -> None:
        if self._acc.done:
            return
        if isinstance(payload, dict):
            if self._decoder is None:
                self._watch.heard = True
                self._decoder = self._finder.find(payload, event)
                if self._decoder is not None:
                    self._finder.release(self._decoder)
                return
            self._decoder.feed(payload, event)
            if not self._watch.heard:
                self._watch.heard = True
                if self._acc.silent:
                    self._finder.first = (payload, event)
        elif isinstance(payload, list):
            for each in payload:
                if isinstance(each, list):
                    self._acc.unknown(each, event)
                else:
                    self._payload(each, event)
        elif payload == "[DONE]":
            self._terminate()
        else:
            self._acc.unknown(payload, event)

    def _terminate(self) -> None:
        self._finder.give_up()
        if self._decoder is not None:
            self._decoder.end()
        self._finder.doubt()
        self._acc.terminate()
