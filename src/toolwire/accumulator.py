"""Verbs in, events out: which delta belongs to which call, when a call is over, and what the turn came to.

A wire decoder says what its provider sent in a few verbs. This is the only thing that makes events, and it knows no
provider. Theory of operation:

* A stream is `running`, then perhaps `failed`, then `done`. Verbs that bring content are heard only while running;
  finish reasons and usage are still noted in a failed stream, because they belong to its record.
* A turn ends at the wire's terminator or at the end of bytes, never at a finish reason: some wires send one per call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolwire.call_book import CallBook
from toolwire.events import (
    WITHHELD,
    Finish,
    ReasoningDelta,
    RefusalDelta,
    Reset,
    StreamError,
    TextDelta,
    Unknown,
    Usage,
)
from toolwire.trust import CallError
from toolwire.turn import Turn, settle_reason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolwire.call import ToolCall
    from toolwire.events import ErrorKind, FinishReason
    from toolwire.output import Output

__all__ = ["Accumulator"]

# What went wrong on the way, and may go right another time.
_TRANSIENT: Final = frozenset({"connection", "protocol", "timeout"})


# Errors whose words are ours, and of the form only.
_OURS: Final = frozenset({"aborted", "connection", "limit", "protocol", "timeout"})


class Accumulator(CallBook):
    """The state of one stream. Decoders call its verbs; `take()` hands over the events that came of them."""

    output: Output | None = None  # the live value of the text, where that is to be JSON
    _answer: Callable[[], Output] | None = None

    def expect(self, answer: Callable[[], Output]) -> None:
        """The first choice's text is JSON; `answer` makes a live value for it."""
        self._answer = answer
        self.output = answer()

    # --- the message -------------------------------------------------------------------------------------------

    def text(self, text: str, choice: int = 0, *, extra: Mapping[str, Any] | None = None) -> None:
        """A piece of the answer's text. `extra`: a run begins that has this with it."""
        text = self._said("text", text, choice)
        if text:
            self._events.append(TextDelta(text, choice, extra))
            if self.output is not None and choice == 0:
                self._write(self.output, text)

    def refusal(self, text: str, choice: int = 0) -> None:
        """A piece of a refusal."""
        text = self._said("refusal", text, choice)
        if text:
            self._events.append(RefusalDelta(text, choice))

    def reasoning(
        self,
        text: str = "",
        choice: int = 0,
        *,
        field: str | None = None,
        signature: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """A piece of reasoning, or its signature."""
        text = self._said("reasoning", text, choice)
        if self.running and (signature or extra):
            self._turn(choice)
        if self.running and (text or signature or extra):
            self._events.append(ReasoningDelta(text, choice, field, signature, extra))

    def usage(
        self, raw: Mapping[Any, Any], *, input_tokens: int | None = None, output_tokens: int | None = None
    ) -> None:
        """Token counts; the last non-null value of each stands."""
        if self.done:
            return
        seen = self._usage
        now = Usage(
            seen.input_tokens if input_tokens is None else input_tokens,
            seen.output_tokens if output_tokens is None else output_tokens,
            {**seen.raw, **{key: value for key, value in raw.items() if value is not None}},
        )
        try:
            news = now != seen
        except RecursionError:  # too deep to be compared
            news = True
        if news:
            self._usage = now
            self._events.append(now)

    def unknown(self, payload: Any, event: str = "") -> None:
        """Something without a meaning here: passed on."""
        self.strangers += 1
        self._events.append(Unknown(WITHHELD if self._secret else payload, event))

    @property
    def finishing(self) -> bool:
        """True when every choice has its finish reason."""
        return bool(self.turns) and all(turn.reasons for turn in self.turns.values())

    # --- ends --------------------------------------------------------------------------------------------------

    def finish(self, reason: FinishReason, raw: str, choice: int = 0) -> None:
        """A finish reason, as the wire wrote it ("" if it wrote none) and as we read it.

        It may come again, and more may follow.
        """
        if self.done:
            return
        turn = self._turn(choice)
        if raw:
            turn.raw.append(raw)
        turn.reasons.append(reason)
        for call in turn.calls:
            if call._expects_end and not call.done:
                self._end(call, well=turn.ended_well)

    def terminate(self) -> None:
        """The wire's own terminator: every turn is over."""
        if not self.done:
            self._conclude(terminator=True)

    def end(self) -> None:
        """The end of bytes. Turns without a finish reason were cut."""
        if not self.done:
            self._conclude(terminator=False)

    def fail(
        self,
        kind: ErrorKind,
        message: str,
        *,
        code: str | None = None,
        status: int | None = None,
        retryable: bool | None = None,
        retry_after: float | None = None,
        call: ToolCall | None = None,
        offset: int | None = None,
        raw: Any = None,
    ) -> None:
        """The turn failed. Said once; what the stream still brings is ignored, but for its finish and usage."""
        if not self.running:
            return
        if self._secret:  # a provider may quote what the model wrote
            raw = None
            if kind not in _OURS:
                message = f"the provider's error ({kind}); its words are withheld, because a held call came before it"
        self._end_open()
        self.running = False
        self.failed = True
        if offset is None and kind in ("protocol", "limit"):
            offset = self.offset
        self._events.append(
            StreamError(
                kind,
                message,
                code=code,
                status=status,
                retryable=kind in _TRANSIENT if retryable is None else retryable,
                retry_after=retry_after,
                wire=self.wire,
                offset=offset,
                call=call,
                raw=raw,
            )
        )

    def abort(self, reason: str, *, recall: bool = False) -> None:
        """Stopped from our side: open calls end, one error, one finish per choice, nothing more.

        `recall`: the stream had finished, but nobody has seen it yet: take that back.
        """
        if self.done and not recall:
            return
        self._end_open()
        if not self.failed:
            self._events.append(StreamError("aborted", reason, wire=self.wire))
        self.running = False
        self.done = True
        for turn in self.turns.values() or (Turn(0),):
            for call in turn.calls:
                call._confirmed = False
            if self.output is not None:
                self.output._confirmed = False
            self._events.append(Finish("cancelled", (), tuple(turn.raw), turn.choice))

    def restart(self, reason: str) -> None:
        """The provider begins its message anew: everything so far is void."""
        if not self.running or not self._begun:
            return
        calls = tuple(call for turn in self.turns.values() for call in turn.calls)
        for call in calls:
            if not call.done:
                call._error = CallError("reset", reason)
                self._finish_call(call, "incomplete")
            elif call.status in ("complete", "repaired"):
                call.status = "incomplete"
                call._error = CallError("reset", reason)
        if self.output is not None and self._answer is not None:
            self.output._void(reason)
            self.output = self._answer()
            self.output._reader = self.reader
        self._events.append(Reset(tuple(call for call in calls if call._started), reason, "turn"))
        self.turns.clear()
        self._begun = False

    # --- within ---

    @property
    def _secret(self) -> bool:
        """Whether something of this message is kept back."""
        return self._holds and any(call._held for turn in self.turns.values() for call in turn.calls)

    def _said(self, channel: str, text: str, choice: int) -> str:
        """What of a piece of text can be told now."""
        if not (self.running and text):
            return ""
        text = self._turn(choice).join(channel, text)
        return text if self.running else ""  # a choice too many ends the stream

    def _write(self, output: Output, text: str) -> None:
        output._feed(text, changes=self._changes)
        if output._received > self.limits.argument_chars:
            self.fail("limit", f"the answer is longer than argument_chars={self.limits.argument_chars}")

    def _end_open(self) -> None:
        for turn in self.turns.values():
            self._flush(turn)
            for call in turn.calls:
                call._failed = True
                if not call.done:
                    self._end(call, well=False)
        if self.output is not None:
            self.output._failed = True
            self.output._end(well=False, confirmed=False)

    def _flush(self, turn: Turn) -> None:
        for channel, event in (("text", TextDelta), ("refusal", RefusalDelta), ("reasoning", ReasoningDelta)):
            rest = turn.rest(channel)
            if rest and self.running:
                self._events.append(event(rest, turn.choice))
                if self.output is not None and channel == "text" and turn.choice == 0:
                    self.output._feed(rest, changes=self._changes)

    def _conclude(self, *, terminator: bool) -> None:
        terminator = terminator and not self.silent  # an end of nothing is no end
        if not self.turns and not self.failed:
            self._turn(0)
        self._fold_choices()
        for turn in self.turns.values():
            well = turn.ended_well or (terminator and not turn.reasons)
            self._flush(turn)
            for call in turn.calls:
                if not call.done:
                    self._end(call, well=well)
        self._report_nameless()
        self.running = False
        self.done = True
        for turn in self.turns.values() or (Turn(0),):
            reason = "error" if self.failed else settle_reason(turn, terminator=terminator)
            for call in turn.calls:
                call._settled = True
                call._confirmed = reason in self.trust.execute_on
            calls = tuple(call for call in turn.calls if call.executable)
            if self.output is not None and turn.choice == 0:
                confirmed = reason in ("stop", "tool_calls") or reason in self.trust.execute_on
                self.output._end(well=turn.ended_well or reason == "stop", confirmed=confirmed)
            self._events.append(Finish(reason, calls, tuple(turn.raw), turn.choice))
        if self.output is not None:
            self.output._end(well=False, confirmed=False)  # there is no first choice

    def _report_nameless(self) -> None:
        """A name is never invented: a whole turn with a call that never got one has failed."""
        for turn in self.turns.values():
            for call in turn.calls:
                if not call._started and call.status != "incomplete":
                    call.status = "invalid"
                    call._error = CallError("nameless", "the call's name never came")
                    self.fail(
                        "protocol",
                        f"call {call.index} of choice {call.choice} never got a name "
                        f"(id {call.vendor_id!r}, {len(call._raw)} characters of arguments)",
                        call=call,
                    )

    def _fold_choices(self) -> None:
        """Calls that came on a choice of their own, while another choice finished for them, belong to that one."""
        waiting = [turn for turn in self.turns.values() if "tool_calls" in turn.reasons and not turn.calls]
        strays = [turn for turn in self.turns.values() if turn.calls and not turn.reasons and not turn.spoke]
        if len(waiting) == 1 and strays:
            home = waiting[0]
            for stray in strays:
                del self.turns[stray.choice]
                home.adopt(stray)
