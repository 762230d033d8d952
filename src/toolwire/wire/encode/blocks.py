"""One block at a time, for wires whose clients mix up what is interleaved.

A block is a run of text, of reasoning or of a refusal, or a call. While one is open, what belongs to another waits for
it, unless the open one may be closed: a run at any time, a call once its text is whole or its end has come. What waits
is written in the order in which it began.

A call that was closed because its text was whole can still turn out to be bad: more text comes, or it ends as invalid.
The client can't be told in the block then, so the turn ends as an error (`called_whole` in `base.py`).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolwire.wire.encode.base import Sent, WireEncoder, is_cut

if TYPE_CHECKING:
    from toolwire.events import Finish, ReasoningDelta, RefusalDelta, StreamError, TextDelta

__all__ = ["REASONING", "REFUSAL", "TEXT", "BlockEncoder"]

TEXT: Final = "text"
REASONING: Final = "reasoning"
REFUSAL: Final = "refusal"

# A run by its name, or a call.
Block: TypeAlias = "str | Sent"


class _Waiting:
    """A block that has begun and may not be written yet."""

    __slots__ = ("block", "over", "pieces")

    def __init__(self, block: Block) -> None:
        self.block = block
        self.pieces: list[Any] = []
        self.over = False  # its end came


class BlockEncoder(WireEncoder):
    """Events as blocks, one behind the other."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._open: Block | None = None
        self._over = False  # the open block's end came
        self._waiting: deque[_Waiting] = deque()
        self._queued: dict[Sent, _Waiting] = {}  # calls that wait

    # --- what a wire has to write ---------------------------------------------------------------------------------

    def open_block(self, block: Block) -> None:
        """A block begins. None is open."""
        raise NotImplementedError

    def write_block(self, block: Block, piece: Any) -> None:
        """A piece of the open block: the text of a call, else the event."""
        raise NotImplementedError

    def close_block(self, block: Block) -> None:
        """The open block ends: also that of a call that was cut, where others wait behind it (see `settle`)."""
        raise NotImplementedError

    def splits(self, block: Block, piece: Any) -> bool:
        """Whether a piece of a run begins another block of the same kind."""
        return False

    def half(self, block: Block, event: Finish) -> bool:
        """Whether the last run of a turn may have been cut, so that its end would be a lie."""
        return False

    @property
    def latest(self) -> Block | None:
        """The block that began last and may go on, written or not."""
        return self._waiting[-1].block if self._waiting else self._open

    # --- events to blocks -----------------------------------------------------------------------------------------

    def text(self, event: TextDelta) -> None:
        self._put(TEXT, event)

    def reasoning(self, event: ReasoningDelta) -> None:
        self._put(REASONING, event)

    def refusal(self, event: RefusalDelta) -> None:
        self._put(REFUSAL, event)

    def call_start(self, sent: Sent) -> None:
        if self._open is None or (not self._waiting and self._may_close()):
            self._switch(sent)
        else:
            waiting = self._queued[sent] = _Waiting(sent)
            self._waiting.append(waiting)

    def call_text(self, sent: Sent, text: str) -> None:
        if not sent.called_whole:  # else it is white space, junk, or a contradiction that ends the turn
            self._put(sent, text)

    def call_end(self, sent: Sent) -> None:
        if sent is self._open:
            self._over = True
        elif sent in self._queued:
            self._queued[sent].over = True
        self._go_on()

    def settle(self, event: Finish) -> None:
        """The turn has ended, and not badly: all that waits is written, and what is open is closed if that is true."""
        while self._waiting:  # behind a call that was cut, and a client that is to hear of that by the reason
            self._switch_to_next()
        if self._open is not None and self._may_close() and not self.half(self._open, event):
            self._close_open()

    def abandon(self, error: StreamError) -> None:
        """The turn has failed: runs of text are closed, and calls are not."""
        del error
        if isinstance(self._open, str):
            self._close_open()

    # --- within ---------------------------------------------------------------------------------------------------

    def _put(self, block: Block, piece: Any) -> None:
        if block == self._open and not (isinstance(block, str) and self.splits(block, piece)):
            self.write_block(block, piece)
        elif isinstance(block, str) and not self._waiting and (self._open is None or self._may_close()):
            self._switch(block)
            self.write_block(block, piece)
        else:
            self._wait(block, piece)
        if self._waiting:
            self._go_on()

    def _wait(self, block: Block, piece: Any) -> None:
        waiting = self._waiting
        if isinstance(block, str):
            if not waiting or waiting[-1].block != block or self.splits(block, piece):
                waiting.append(_Waiting(block))
            waiting[-1].pieces.append(piece)
        else:
            self._queued[block].pieces.append(piece)

    def _may_close(self) -> bool:
        """Whether the open block may be closed now."""
        block = self._open
        if isinstance(block, Sent):
            return not is_cut(block.call) if self._over else block.closed
        return True

    def _go_on(self) -> None:
        while self._waiting and (self._open is None or self._may_close()):
            self._switch_to_next()
        if self._over and isinstance(self._open, Sent) and self._may_close():
            self._close_open()

    def _switch_to_next(self) -> None:
        waiting = self._waiting.popleft()
        if isinstance(waiting.block, Sent):
            del self._queued[waiting.block]
        self._switch(waiting.block)
        for piece in waiting.pieces:
            self.write_block(waiting.block, piece)
        self._over = waiting.over

    def _switch(self, block: Block) -> None:
        if self._open is not None:
            self._close_open()
        self._open = block
        self._over = False
        self.open_block(block)

    def _close_open(self) -> None:
        block, self._open = self._open, None
        if block is not None:
            if isinstance(block, Sent) and not self._over:
                block.called_whole = True
            self._over = False
            self.close_block(block)
