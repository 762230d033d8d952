"""Structured output: the text of a message, where the caller asked for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolwire.errors import OutputError, UsageError
from toolwire.live_value import LiveValue
from toolwire.partial import MISSING, PartialJSON
from toolwire.paths import shown
from toolwire.tools import check_of
from toolwire.tools.judge import judge
from toolwire.trust import CallError

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwire.limits import Limits
    from toolwire.partial import RepairName
    from toolwire.partial.changes import Path
    from toolwire.tools.check import Checked
    from toolwire.trust import Trust

__all__ = ["Output", "answers"]


class Output(LiveValue):
    """The answer's text as a live JSON value: `partial`, `value()`, `items()` and the rest as of a call's arguments.

    It may stand in a Markdown code fence. Its end is the turn's; `parsed` is what the check made of it.
    """

    __slots__ = ("_check", "_received", "_repairs", "_trust")

    def __init__(
        self,
        check: Callable[[Any], Checked] | None,
        repairs: frozenset[RepairName],
        trust: Trust,
        parser: PartialJSON,
    ) -> None:
        super().__init__(parser, None)
        self._check = check
        self._repairs = repairs
        self._trust = trust
        self._received = 0  # characters

    def __repr__(self) -> str:
        return f"<Output {self.status}>"

    @property
    def label(self) -> str:
        """What it is called in messages."""
        return "the answer"

    @property
    def ready(self) -> bool:
        """Ended, whole, and passed by its check. The turn may still have failed."""
        return not self._failed and (
            self.status == "complete" or (self.status == "repaired" and self._trust.accept_repaired)
        )

    @property
    def parsed(self) -> Any:
        """The answer: what its check made of it.

        Raises `UsageError` while it is open, and `OutputError` when it is incomplete or invalid.
        """
        if self.status in ("complete", "repaired"):
            return self._typed
        if self.status == "open":
            raise UsageError("the answer is still open: read .partial, or wait for the turn's Finish")
        raise self.failure(self.error or CallError("cut", "the turn ended before the answer did"))

    @property
    def final(self) -> Any:
        """The answer."""
        return self.parsed

    def failure(self, error: CallError, path: Path = ()) -> OutputError:
        """The exception of an error, with the path that was asked for."""
        place = f" {shown(path)!r}" if path else ""
        failure = OutputError(f"{self.label}{place}: {error.message}", output=self, error=error)
        failure.__cause__ = error.cause
        return failure

    # --- within ---

    @property
    def _live(self) -> Any:
        value = MISSING if self._parser is None else self._parser.value
        return {} if value is MISSING else value

    def _feed(self, text: str, *, changes: bool) -> None:
        parser = self._parser
        if parser is not None and not self.done:
            self._received += len(text)
            parser.feed(text)
            if changes:
                self.changes = tuple(parser.take_changes())

    def _end(self, *, well: bool, confirmed: bool) -> None:
        """The turn is over. `well`: it was not cut. `confirmed`: its answer may be used."""
        parser = self._parser
        if parser is None or self.done:
            return
        if well or parser.closed:  # a number that was cut looks whole
            parser.end()
        self._settled = True
        self._confirmed = confirmed
        if self._error is None and parser.closed and parser.fault is None:
            verdict = judge(self._check, self._live, self._raw, self._repairs)
            self.status = self._take(verdict, "repaired" if parser.repairs else "complete")
        elif not well:
            self.status = "incomplete"
            self._error = self._fault or CallError("cut", "the turn ended before the answer did", len(self._raw))
        else:
            self.status = "invalid"
            if not self._raw.strip():
                self._error = CallError("absent", "the turn has no text")
            else:
                why = "the answer ends in the middle, yet the turn ended well"
                self._error = self._fault or CallError("truncated", why, len(self._raw))

    def _void(self, reason: str) -> None:
        """The provider began its message anew."""
        self.status = "incomplete"
        self._failed = True
        self._error = CallError("reset", reason)


def answers(
    schema: object, trust: Trust, repairs: frozenset[RepairName], limits: Limits, *, changes: bool
) -> Callable[[], Output]:
    """What makes a live value for an answer in JSON: a type's, a schema's or a response format's."""
    check = check_of(schema)
    # An answer may be a text that holds JSON; nothing asked for an object.
    text_repairs: set[RepairName] = {"code_fence", *repairs} - {"double_encoded"}

    def new() -> Output:
        parser = PartialJSON(repairs=text_repairs, changes=changes, max_depth=limits.depth, max_digits=limits.digits)
        return Output(check, repairs, trust, parser)

    return new
