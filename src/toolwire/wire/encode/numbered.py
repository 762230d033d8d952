"""Numbered blocks: what Anthropic's wire and Bedrock Converse have in common.

A signature closes a block of reasoning, and sealed reasoning is a block of its own. Arguments are an object, so the
free text of a custom call is its member `input`. A call that was cut is not closed. Blocks of a provider of the same
wire that have no meaning here are passed on under our numbers; the last of a turn that was cut is not closed either.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from toolwire.encoding import encode
from toolwire.wire._read import text
from toolwire.wire.encode.base import Sent, is_cut
from toolwire.wire.encode.blocks import REASONING, TEXT, BlockEncoder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolwire.events import Finish, ReasoningDelta
    from toolwire.wire.encode.blocks import Block

__all__ = ["OTHER", "NumberedBlocks", "sealed_in"]

# A block that has no meaning here.
OTHER: Final = "other"

# Half a surrogate pair, whose escape in the object clients can't read.
_HALF: Final = re.compile("[\ud800-\udfff]")

_CUT: Final = ("length", "content_filter")

# What a wire calls reasoning that only it can read.
_SEALED: Final = ("encrypted_content", "redactedContent", "data")


def sealed_in(event: ReasoningDelta) -> str | None:
    """The reasoning that only its provider can read, None where there is none."""
    extra = event.extra or {}
    return next((found for name in _SEALED if (found := text(extra.get(name)))), None)


class NumberedBlocks(BlockEncoder):
    """Events as numbered blocks, whose calls have an object for arguments."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._index = -1  # of the latest block
        self._quoted = False  # the beginning of the object that holds a custom call's text was written
        self._sealed = False  # the latest run of reasoning takes no more
        self._other: Any = None  # the source's index of its latest block without a meaning here
        self._grown = False  # pieces of it came

    # --- what a wire has to write ---------------------------------------------------------------------------------

    def write_arguments(self, text: str) -> None:
        """A piece of the open call's arguments."""
        raise NotImplementedError

    def write_stop(self) -> None:
        """The open block's end."""
        raise NotImplementedError

    def sealed(self, event: ReasoningDelta) -> Mapping[str, Any] | None:
        """What a block of reasoning holds that only its provider can read; None for any other."""
        raise NotImplementedError

    def begins(self, piece: Any) -> bool:
        """Whether a piece without a meaning here is the beginning of its block."""
        raise NotImplementedError

    # --- blocks ---------------------------------------------------------------------------------------------------

    def reasoning(self, event: ReasoningDelta) -> None:
        """A piece of reasoning, a signature, sealed reasoning, or first the one and then the other."""
        sealed = self.sealed(event)
        if event.text or (event.signature and sealed is None):
            self._put(REASONING, event)
            self._sealed = bool(event.signature)
        if sealed is not None:
            self._sealed = True  # whatever was open
            self._put(REASONING, sealed)

    def splits(self, block: Block, piece: Any) -> bool:
        """Whether a piece begins another block."""
        return self._sealed if block == REASONING else block == OTHER and self.begins(piece)

    def half(self, block: Block, event: Finish) -> bool:
        """A block that came in pieces, of which nobody knows when it is whole, in a turn that was cut."""
        return block == OTHER and self._grown and event.reason in _CUT

    def close_block(self, block: Block) -> None:
        """The open block ends; one that was cut stays open."""
        quoted, self._quoted = self._quoted, False
        if isinstance(block, Sent):
            if is_cut(block.call) and not block.called_whole:
                return
            if block.kind == "custom":
                self.write_arguments('"}' if quoted else '{"input":""}')
        self.write_stop()

    def write_call(self, sent: Sent, piece: str) -> None:
        """A piece of the open call's text, as one of an object's."""
        if sent.kind == "custom":
            piece = encode(_HALF.sub("\ufffd", piece))[1:-1]
            if not self._quoted:
                self._quoted = True
                piece = '{"input":"' + piece
        self.write_arguments(piece)

    # --- what has no meaning here ---------------------------------------------------------------------------------

    def other_block(self, piece: Any, index: Any) -> None:
        """A block begins. `index`: its provider's."""
        self._other = index
        self._grown = False
        self._put(OTHER, piece)

    def other_delta(self, piece: Any, index: Any) -> None:
        """A piece of the latest block, if that is what it belongs to and may have such pieces."""
        latest = self.latest
        if latest == TEXT or (latest == OTHER and index == self._other):
            self._grown = self._grown or latest == OTHER
            self._put(latest, piece)
