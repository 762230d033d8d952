"""Calls one behind the other, on a wire that has no blocks: what else is said isn't held up.

A call that is whole makes way for the next; one that isn't makes it wait. What was called whole and goes on after all
is a contradiction (see `trouble_of`), and its rest is not written.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from toolwire.wire.encode.base import is_cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwire.wire.encode.base import Sent

__all__ = ["CallQueue"]


class CallQueue:
    """The calls of one choice. `start`, `text` and `end` write them."""

    def __init__(
        self, start: Callable[[Sent], None], text: Callable[[Sent, str], None], end: Callable[[Sent], None]
    ) -> None:
        self._start, self._text, self._end = start, text, end
        self._open: Sent | None = None
        self._over = False  # the open call's end came
        # Their text; None for their end. A plain dict would look for its first entry among all that were taken out.
        self._waiting: OrderedDict[Sent, list[str | None]] = OrderedDict()

    def start(self, sent: Sent) -> None:
        """A call begins."""
        if self._waiting or not self._may_go_on():
            self._waiting[sent] = []
        else:
            self._switch(sent)

    def text(self, sent: Sent, text: str) -> None:
        """A piece of its arguments."""
        if sent is self._open:
            self._text(sent, text)
            if self._waiting:
                self._go_on()
        elif sent in self._waiting:
            self._waiting[sent].append(text)

    def end(self, sent: Sent) -> None:
        """It has ended."""
        if sent in self._waiting:
            self._waiting[sent].append(None)
            return
        self._end(sent)
        if sent is self._open:
            self._over = True
            self._go_on()

    def flush(self) -> None:
        """The turn has ended, and not badly: what waits is written, also behind a call that was cut."""
        while self._waiting:
            self._next()

    def _may_go_on(self) -> bool:
        call = self._open
        if call is None:
            return True
        return not is_cut(call.call) if self._over else call.closed

    def _go_on(self) -> None:
        while self._waiting and self._may_go_on():
            self._next()

    def _next(self) -> None:
        sent, pieces = self._waiting.popitem(last=False)
        self._switch(sent)
        for piece in pieces:
            if piece is None:
                self._over = True
                self._end(sent)
            else:
                self._text(sent, piece)

    def _switch(self, sent: Sent) -> None:
        if self._open is not None and not self._over:
            self._open.called_whole = True
        self._open, self._over = sent, False
        self._start(sent)
