"""OpenAI Responses, as its clients want it.

A response is a list of items, one behind the other: messages, reasoning, calls. Every event has a number, and its type
for a name; the last one has the whole response. Text before and after a call are two messages.

* ids of items are the provider's where it has such ids, because it wants them back; else they are made. Those of a
  Responses provider's reasoning come at its end, so its reasoning is told then
* signatures and sealed reasoning are `encrypted_content`
* a call that the provider runs is an `mcp_call`, and of no harm to a client if it is cut
* a call that was cut has no `.done`, and is "incomplete" in the final response
* an error is said twice, as an `error` event and as `response.failed`, because there are clients that hear only one;
  that response has no output, so that nobody can run anything of it
* what a Responses provider sent beside that is passed on with our numbers, where its item is known. What contradicts
  its own earlier words is not
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from toolwire.events import ReasoningDelta, StreamError, TextDelta, Usage
from toolwire.wire._read import count, items, obj, text, word
from toolwire.wire.encode.base import Sent, is_cut, word_of
from toolwire.wire.encode.blocks import REASONING, REFUSAL, TEXT, BlockEncoder
from toolwire.wire.encode.errors import code_of, openai_type
from toolwire.wire.encode.openai_responses_items import (
    SUMMARY,
    THOUGHT,
    CallItem,
    Item,
    MessageItem,
    OtherItem,
    Output,
    ReasoningItem,
)
from toolwire.wire.encode.usage import for_responses, tokens
from toolwire.wire.openai_responses import CALLS, CUTS, STATUS, TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolwire.events import Finish, FinishReason, MessageStart, Unknown
    from toolwire.wire.encode.blocks import Block
    from toolwire.wire.encode.options import Options

__all__ = ["Encoder"]

# A run of what is passed on.
_OTHER: Final = "other"

_ENDED_WELL: Final[dict[FinishReason, str]] = dict.fromkeys(("tool_calls", "stop", "pause"), "completed")
_CUTS: Final[dict[FinishReason, str]] = {"length": "max_output_tokens", "content_filter": "content_filter"}

# The items that are written from events, and the events that are written with them.
_OWN_ITEMS: Final = frozenset({"message", "reasoning", *CALLS})
_OWN_EVENTS: Final = frozenset({"content_part", "reasoning_summary_part", *TEXTS})

# Fields beside a call that stand in `output_item.added` already.
_EARLY: Final = ("item_id", "namespace", "caller", "async", "server_label", "approval_request_id")

# Where sealed reasoning is, in the words of Responses, of OpenRouter and Anthropic, and of Bedrock.
_SEALED: Final = ("encrypted_content", "data", "redactedContent")


class Encoder(BlockEncoder):
    """Events to the events of a response."""

    wire = "openai-responses"

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._head: dict[str, Any] = {}
        self._output = Output(self.frame)
        self._item: Item | None = None  # of the open run
        self._called: dict[Sent, CallItem] = {}
        self._known: dict[tuple[str, Any], Item] = {}  # items of a Responses provider by its id or index
        self._thought = False  # the last run of reasoning is over

    def begin(self, event: MessageStart) -> None:
        """`response.created` and `.in_progress`."""
        self._begin(event.id if self._same else None, event.model)

    def reasoning(self, event: ReasoningDelta) -> None:
        """A piece of reasoning, unless it says nothing that has a place here."""
        ends = bool(_sealed(event)) or self._own(event.extra).get("type") == "reasoning"
        if event.text or ends:
            super().reasoning(event)
            self._thought = ends

    def call_start(self, sent: Sent) -> None:
        """What is told of a call at its start is noted then, though it may have to wait."""
        own = self._own(sent.call.extra)
        early: dict[str, Any] = {key: own[key] for key in _EARLY if key in own}
        if "server_name" in sent.call.extra:  # Anthropic's word for it
            early["server_label"] = sent.call.extra["server_name"]
        names = (sent.id, word(early.get("item_id")))
        item = self._called[sent] = CallItem(self._output, sent, early)
        self._known.update({("id", name): item for name in (item.id, *names) if name})
        super().call_start(sent)

    def finish(self, event: Finish) -> None:
        """The final response. A reason that nobody knows is said in the provider's words."""
        self.settle(event)
        if isinstance(self._open, Sent):
            self._called[self._open].cut()
        status = self.word(event, _ENDED_WELL)
        if status is not None:
            self._conclude(status)
        else:
            reason = _CUTS.get(event.reason) or word_of(event, (*CUTS, *STATUS))
            self._conclude("incomplete", incomplete_details={"reason": reason})

    def close(self) -> None:
        """Nothing comes behind the final response."""

    def failure(self, error: StreamError) -> None:
        """`error`, flat and nested, and `response.failed`."""
        if not self._head:
            self._begin(None, None)
        self.abandon(error)
        said = {"code": code_of(error), "message": error.message, "param": None}
        self._output.event("error", {**said, "error": {"type": openai_type(error), **said}})
        code = "rate_limit_exceeded" if error.kind == "rate_limit" else "server_error"
        self._output.items = []
        self._conclude("failed", error={"code": code, "message": error.message})

    def tells(self, call: Any) -> bool:
        """Every call has its place."""
        return True

    def unknown(self, event: Unknown) -> None:
        """What a Responses provider sent beside that."""
        said = obj(event.payload)
        kind = text(said.get("type")) or event.event
        if not self._same or self.finished or not kind or "response" in said:
            return  # of another wire, or of the provider's response as a whole
        name, _, verb = kind.removeprefix("response.").rpartition(".")
        if name == "output_item" and verb in ("added", "done"):
            self._other(obj(said.get("item")), said, done=verb == "done")
        elif name in _OWN_EVENTS:
            return
        elif kind == "output_text":  # a part of a message that was told: only what is said of it is news
            for annotation in items(said.get("annotations")):
                self._annotate(self._item, annotation)
        elif "sequence_number" not in said and not event.event and not name:
            self._other(said, {}, done=True)  # an item that only the final response has
        else:
            self._pass_on(kind, said)

    # --- blocks ---------------------------------------------------------------------------------------------------

    def open_block(self, block: Block) -> None:
        """An item begins, as soon as it is known what has to be said then."""
        if isinstance(block, Sent):
            self._item = self._called[block]
            self._called[block].start()
        elif block in (TEXT, REFUSAL):
            self._item = MessageItem(self._output, refusal=block == REFUSAL)
        elif block == REASONING:
            self._item = ReasoningItem(self._output, waits=self._same)
        else:
            self._item = None

    def write_block(self, block: Block, piece: Any) -> None:
        """A piece of an item, or something that is passed on."""
        item = self._item
        if isinstance(item, CallItem):
            item.say(piece)
        elif isinstance(item, MessageItem):
            if item.index < 0:
                item.start(self._own(piece.extra) if isinstance(piece, TextDelta) else {})
                self._known["id", item.id] = item
            item.say(piece.text)
        elif isinstance(item, ReasoningItem):
            channel = THOUGHT if piece.field == THOUGHT else SUMMARY
            item.say(channel, piece.text, self._own(piece.extra), _sealed(piece))
        else:
            self._write_other(*piece)

    def close_block(self, block: Block) -> None:
        """An item ends, if it isn't one that never does."""
        item, self._item = self._item, None
        if isinstance(item, CallItem) and isinstance(block, Sent):
            if block.called_whole:  # before its end, so what came with that isn't known
                item.end({})
            elif is_cut(block.call):
                item.cut()
            else:
                extra = self._own(block.call.extra)
                item.end({key: value for key, value in extra.items() if key != "item_id"})
        elif isinstance(item, MessageItem | ReasoningItem):
            item.end()

    def splits(self, block: Block, piece: Any) -> bool:
        """A message that has an id begins; reasoning was closed."""
        if isinstance(piece, ReasoningDelta):
            return self._thought
        return isinstance(piece, TextDelta) and bool(self._own(piece.extra))

    # --- what is passed on ----------------------------------------------------------------------------------------

    def _other(self, item: dict[str, Any], said: dict[str, Any], *, done: bool) -> None:
        """An item without a meaning here begins or ends."""
        if not word(item.get("type")) or item["type"] in _OWN_ITEMS:
            return
        piece = ("", {"item": item, "output_index": said.get("output_index")}, done)
        if self._find(item.get("id"), said.get("output_index")) is None or self._busy:
            self._put(_OTHER, piece)
        else:
            self._write_other(*piece)

    def _pass_on(self, kind: str, said: dict[str, Any]) -> None:
        """An event, about an item or about none."""
        item = self._find(said.get("item_id"), said.get("output_index"))
        about = "item_id" in said or "output_index" in said
        if about and self._busy and (item is None or item is not self._item):
            self._put(_OTHER, (kind, said, False))
        else:
            self._write_other(kind, said, False)

    @property
    def _busy(self) -> bool:
        """Whether clients would mix up what they are told of another item now."""
        return bool(self._waiting) or isinstance(self._open, Sent)

    def _write_other(self, kind: str, said: dict[str, Any], done: bool) -> None:
        index = said.get("output_index")
        if not kind:
            self._show(obj(said.get("item")), index, done=done)
            return
        item = self._find(said.get("item_id"), index)
        if kind == "response.output_text.annotation.added":
            self._annotate(item, said.get("annotation"))
        elif item is not None and item.index >= 0:
            place = {"output_index": item.index} if isinstance(item, OtherItem) else item.place
            self._output.event(kind, {**said, **{key: place[key] for key in place if key in said}})
        elif "item_id" not in said and "output_index" not in said:
            self._output.event(kind, said)

    def _show(self, raw: dict[str, Any], index: Any, *, done: bool) -> None:
        item = self._find(raw.get("id"), index if done else None)  # an index may be used again
        if not isinstance(item, OtherItem) or not item.fits(raw):
            item = OtherItem(self._output, text(raw.get("type")))
        self._known.update(dict.fromkeys(_keys(raw.get("id"), index), item))
        item.show(raw, done=done)

    def _annotate(self, item: Item | None, annotation: Any) -> None:
        """Something is said of a text, which must be the one that is open: its end has a copy of it."""
        if isinstance(item, MessageItem) and item is self._item and self._open == TEXT:
            item.annotate(annotation)

    def _find(self, id: Any, index: Any) -> Item | None:
        """The item that the provider means."""
        found = (self._known.get(key) for key in _keys(id, index))
        return next((item for item in found if item is not None), None)

    # --- the response ---------------------------------------------------------------------------------------------

    @property
    def _same(self) -> bool:
        """Whether the provider's wire is this one."""
        return self._source == self.wire

    def _own(self, extra: Mapping[str, Any] | None) -> dict[str, Any]:
        """What came with a piece or a call, where it has the same meaning here."""
        return dict(extra) if extra and self._same else {}

    def _begin(self, id: str | None, model: str | None) -> None:
        self._head = {
            "id": self.options.message_id or id or f"resp_{os.urandom(12).hex()}",
            "object": "response",
            "created_at": self.options.created,
            "model": self.options.model or model or "",
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "metadata": {},
            "parallel_tool_calls": True,
            "temperature": None,
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
            "usage": None,
        }
        for step in ("created", "in_progress"):
            self._respond(step, status="in_progress", output=[])

    def _conclude(self, status: str, **fields: Any) -> None:
        usage = self._counts(self._usage or Usage())  # there are clients that overlook a response without it
        self._respond(status, status=status, output=list(self._output.items), usage=usage, **fields)

    def _respond(self, step: str, **fields: Any) -> None:
        self._output.event(f"response.{step}", {"response": {**self._head, **fields}})

    def _counts(self, usage: Usage) -> dict[str, Any]:
        """Token counts with the details that clients insist on, and what else a Responses provider counts."""
        said = for_responses(usage)
        own = dict(usage.raw) if self._same else {}
        written = tokens(usage).cache_write or count(obj(own.get("input_tokens_details")).get("cache_write_tokens"))
        said["input_tokens_details"]["cache_write_tokens"] = written or 0
        for details in ("input_tokens_details", "output_tokens_details"):
            said[details] = {**obj(own.get(details)), **said[details]}
        total = count(own.get("total_tokens"))
        return {**own, **said, **({} if total is None else {"total_tokens": total})}


def _keys(id: Any, index: Any) -> list[tuple[str, Any]]:
    keys: list[tuple[str, Any]] = [("id", word(id))] if word(id) else []
    return [*keys, ("index", index)] if isinstance(index, int) else keys


def _sealed(event: ReasoningDelta) -> str:
    """What a provider wants back with a piece of reasoning, and nobody else can read."""
    extra = event.extra or {}
    return next((found for key in _SEALED if (found := text(extra.get(key)))), event.signature or "")
