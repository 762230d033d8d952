"""OpenAI Chat Completions, as its clients want it.

`chat.completion.chunk`s with the role first, id and name once and in a call's first delta, dense indexes, one call
behind the other (the SDKs' helpers take the next call's beginning for the end of the last), `{}` for no arguments, one
finish per choice, token counts in a chunk without choices, `[DONE]`. An error is `{"error": {…}}`, and no `[DONE]`
behind it.

Reasoning goes into `reasoning_content`, as DeepSeek began it and the compatible clients read it; signatures and sealed
reasoning into `reasoning_details` (OpenRouter's); Gemini's signatures of calls into `extra_content.google` (that of
its own compatible endpoint). Calls that a provider runs itself have no place here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from toolwire.wire.encode.base import WireEncoder, word_of
from toolwire.wire.encode.errors import code_of, openai_type
from toolwire.wire.encode.queue import CallQueue
from toolwire.wire.encode.usage import for_chat
from toolwire.wire.openai_chat import FINISH

if TYPE_CHECKING:
    from toolwire.events import (
        Finish,
        FinishReason,
        MessageStart,
        ReasoningDelta,
        RefusalDelta,
        StreamError,
        TextDelta,
        Unknown,
    )
    from toolwire.wire.encode.base import Sent
    from toolwire.wire.encode.options import Options

__all__ = ["Encoder"]

_REASONS: Final[dict[FinishReason, str]] = {
    "tool_calls": "tool_calls",
    "stop": "stop",
    "pause": "stop",
    "length": "length",
    "content_filter": "content_filter",
}


class Encoder(WireEncoder):
    """Events to chunks."""

    wire = "openai-chat"

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._head: dict[str, Any] = {}
        self._spoke: set[int] = set()  # choices whose role was said
        self._queues: dict[int, CallQueue] = {}  # by choice
        self._homes: dict[Sent, int] = {}  # the choice in which a call was told: it may turn out to be of another
        self._extras: dict[Sent, set[str]] = {}  # which fields beside a call went out

    def shows(self, choice: int) -> bool:
        """Every choice has its place."""
        return True

    def begin(self, event: MessageStart) -> None:
        """The head of every chunk. The first chunk comes with the first thing that is said."""
        self._head = {
            "id": self.options.message_id or event.id or f"chatcmpl-{os.urandom(12).hex()}",
            "object": "chat.completion.chunk",
            "created": self.options.created,
            "model": self.options.model or event.model or "",
        }

    def text(self, event: TextDelta) -> None:
        """`content`."""
        self._delta(event.choice, {"content": event.text})

    def refusal(self, event: RefusalDelta) -> None:
        """`refusal`."""
        self._delta(event.choice, {"refusal": event.text})

    def reasoning(self, event: ReasoningDelta) -> None:
        """`reasoning_content`, and what has to come back in `reasoning_details`."""
        delta: dict[str, Any] = {"reasoning_content": event.text} if event.text else {}
        details = self._details(event)
        if details is not None:
            delta["reasoning_details"] = [details]
        if delta:
            self._delta(event.choice, delta)

    def call_start(self, sent: Sent) -> None:
        """A call begins, or waits for the one before it."""
        choice = self._homes[sent] = sent.call.choice
        queue = self._queues.get(choice)
        if queue is None:
            queue = self._queues[choice] = CallQueue(self._start, self._text, self._end)
        queue.start(sent)

    def call_text(self, sent: Sent, text: str) -> None:
        """A piece of the arguments."""
        self._queues[self._homes[sent]].text(sent, text)

    def call_end(self, sent: Sent) -> None:
        """A call has ended."""
        self._queues[self._homes[sent]].end(sent)

    def _start(self, sent: Sent) -> None:
        """Id, type and name, once."""
        call = sent.call
        named = {"name": call.name, "input" if call.kind == "custom" else "arguments": ""}
        kind = "custom" if call.kind == "custom" else "function"
        entry = {"index": sent.index, "id": sent.id, "type": kind, kind: named, **self._extra(sent)}
        self._delta(self._homes[sent], {"tool_calls": [entry]})

    def _text(self, sent: Sent, text: str) -> None:
        piece = {"custom": {"input": text}} if sent.call.kind == "custom" else {"function": {"arguments": text}}
        self._delta(self._homes[sent], {"tool_calls": [{"index": sent.index, **piece}]})

    def _end(self, sent: Sent) -> None:
        """The wire has no end of a call; what came beside it late goes out."""
        extra = self._extra(sent)
        if extra:
            self._delta(self._homes[sent], {"tool_calls": [{"index": sent.index, **extra}]})

    def finish(self, event: Finish) -> None:
        """The reason; one that nobody knows in the provider's words."""
        if event.choice in self._queues:
            self._queues[event.choice].flush()
        reason = self.word(event, _REASONS) or word_of(event, FINISH)
        self._delta(event.choice, {}, reason)

    def close(self) -> None:
        """Token counts, and the terminator."""
        if self._usage is not None and self.options.usage is not False:
            own = self._usage.raw if self._source == self.wire else None
            self.frame({**self._head, "choices": [], "usage": own or for_chat(self._usage)})
        self.frame("[DONE]")

    def failure(self, error: StreamError) -> None:
        """`{"error": {…}}`."""
        said = {"message": error.message, "type": openai_type(error), "param": None, "code": code_of(error)}
        self.frame({"error": said})

    def unknown(self, event: Unknown) -> None:
        """A payload of this wire stands by itself."""
        if self._source == self.wire and isinstance(event.payload, dict):
            self.frame(event.payload, event.event)

    def _delta(self, choice: int, delta: dict[str, Any], reason: str | None = None) -> None:
        if choice not in self._spoke:
            self._spoke.add(choice)
            delta = {"role": "assistant", **delta}
        self.frame({**self._head, "choices": [{"index": choice, "delta": delta, "finish_reason": reason}]})

    def _details(self, event: ReasoningDelta) -> dict[str, Any] | None:
        """The entry of `reasoning_details` for what came with a piece of reasoning, if anything did."""
        extra = dict(event.extra) if event.extra else {}
        if event.field == "reasoning_details" and extra:
            if event.text:
                return extra
            extra = {key: value for key, value in extra.items() if key not in ("text", "summary")}  # it was told
            return extra if extra.get("signature") or extra.get("data") else None
        sealed = extra.get("encrypted_content") or (extra.get("data") if event.field is None else None)
        if isinstance(sealed, str):
            return {"type": "reasoning.encrypted", "data": sealed, "id": extra.get("id")}
        if event.signature:
            return {"type": "reasoning.text", "signature": event.signature}
        return None

    def _extra(self, sent: Sent) -> dict[str, Any]:
        """Fields beside a call that have not gone out: of this wire as they are, of others the signature."""
        extra = sent.call.extra
        if not extra:
            return {}
        if self._source != self.wire:
            signature = extra.get("thoughtSignature")
            extra = {"extra_content": {"google": {"thought_signature": signature}}} if signature else {}
        told = self._extras.setdefault(sent, set())
        fresh = {key: value for key, value in extra.items() if key not in told}
        told.update(fresh)
        return fresh
