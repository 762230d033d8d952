"""The output items of a response, each written with the events that its clients expect.

An item begins with `output_item.added` and ends with `output_item.done`, which has all of it; between them each part is
begun, told in pieces and ended by a copy of its whole text. Pieces are joined once, at the end.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from toolwire.wire._read import text

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwire.wire.encode.base import Sent

__all__ = ["SUMMARY", "THOUGHT", "CallItem", "Item", "MessageItem", "OtherItem", "Output", "ReasoningItem"]

SUMMARY: Final = "summary_text"
THOUGHT: Final = "reasoning_text"

_LONGEST_ID: Final = 64

# kind of call -> type of item, the name of its text's events, the field of its text, how its id begins
_CALLS: Final = {
    "function": ("function_call", "function_call_arguments", "arguments", "fc_"),
    "custom": ("custom_tool_call", "custom_tool_call_input", "input", "ctc_"),
    "mcp": ("mcp_call", "mcp_call_arguments", "arguments", "mcp_"),
    "server": ("mcp_call", "mcp_call_arguments", "arguments", "mcp_"),
}


class Output:
    """The items of one response, and its numbered events."""

    __slots__ = ("_frame", "_made", "_number", "_taken", "_token", "items")

    def __init__(self, frame: Callable[[Any, str], None]) -> None:
        self.items: list[dict[str, Any]] = []
        self._frame = frame
        self._number = 0
        self._made = 0
        self._taken: set[str] = set()
        self._token = os.urandom(12).hex()

    def event(self, kind: str, fields: dict[str, Any]) -> None:
        """Write an event."""
        own = {"type": kind, "sequence_number": self._number}
        self._frame({**own, **fields, **own}, kind)
        self._number += 1

    def named(self, wanted: Any, prefix: str) -> str:
        """An item's id: the one that is wanted where it can be had, else a new one."""
        found = wanted if isinstance(wanted, str) and len(wanted) <= _LONGEST_ID else ""
        while not found or found in self._taken:
            found = f"{prefix}{self._token}{self._made:04x}"
            self._made += 1
        self._taken.add(found)
        return found

    def add(self, item: dict[str, Any]) -> int:
        """An item begins. Returns its index."""
        index = len(self.items)
        self.items.append(item)
        self.event("response.output_item.added", {"output_index": index, "item": item})
        return index

    def done(self, index: int, item: dict[str, Any]) -> None:
        """An item ends."""
        self.items[index] = item
        self.event("response.output_item.done", {"output_index": index, "item": item})


class Item:
    """An item: where it stands, once it has begun."""

    __slots__ = ("id", "index", "output")

    def __init__(self, output: Output) -> None:
        self.output = output
        self.id = ""
        self.index = -1

    @property
    def place(self) -> dict[str, Any]:
        """What its events say of it."""
        return {"item_id": self.id, "output_index": self.index}

    def tell(self, event: str, **fields: Any) -> None:
        """Write an event of the item's."""
        self.output.event(f"response.{event}", {**self.place, **fields})


class MessageItem(Item):
    """A message with one part, a text or a refusal."""

    __slots__ = ("_field", "_name", "_phase", "_pieces", "_type", "annotations")

    def __init__(self, output: Output, *, refusal: bool = False) -> None:
        super().__init__(output)
        self._type, self._name, self._field = ("refusal",) * 3 if refusal else ("output_text", "output_text", "text")
        self._phase: dict[str, Any] = {}
        self._pieces: list[str] = []
        self.annotations: list[Any] = []

    def start(self, own: dict[str, Any]) -> None:
        """The message and its part begin. `own`: the provider's id and phase."""
        self.id = self.output.named(own.get("id"), "msg_")
        self._phase = {"phase": own["phase"]} if own.get("phase") else {}
        self.index = self.output.add(self._whole("in_progress", []))
        self.tell("content_part.added", content_index=0, part=self._part(""))

    def say(self, piece: str) -> None:
        """A piece of its text."""
        self._pieces.append(piece)
        self.tell(f"{self._name}.delta", content_index=0, delta=piece, **self._logprobs())

    def annotate(self, annotation: Any) -> None:
        """Something is said of its text."""
        place = {"content_index": 0, "annotation_index": len(self.annotations)}
        self.annotations.append(annotation)
        self.tell("output_text.annotation.added", **place, annotation=annotation)

    def end(self) -> None:
        """The part and the message end."""
        whole = "".join(self._pieces)
        part = self._part(whole)
        self.tell(f"{self._name}.done", content_index=0, **{self._field: whole}, **self._logprobs())
        self.tell("content_part.done", content_index=0, part=part)
        self.output.done(self.index, self._whole("completed", [part]))

    def _whole(self, status: str, content: list[Any]) -> dict[str, Any]:
        fixed = {"id": self.id, "type": "message", "status": status, "role": "assistant"}
        return {**fixed, "content": content, **self._phase}

    def _part(self, said: str) -> dict[str, Any]:
        part: dict[str, Any] = {"type": self._type, self._field: said}
        return part if self._type == "refusal" else {**part, "annotations": list(self.annotations), "logprobs": []}

    def _logprobs(self) -> dict[str, Any]:
        return {} if self._type == "refusal" else {"logprobs": []}


class ReasoningItem(Item):
    """Reasoning: parts of a summary and of the thoughts themselves, and what seals it.

    `waits`: the provider tells an item's id at its end, and what is sealed is worth nothing under another one. So
    nothing is written before that.
    """

    __slots__ = ("_channel", "_held", "_own", "_parts", "_pieces", "_sealed", "_waits")

    def __init__(self, output: Output, *, waits: bool) -> None:
        super().__init__(output)
        self._waits = waits
        self._held: list[tuple[str, str]] = []
        self._channel = ""  # of the open part
        self._pieces: list[str] = []
        self._parts: dict[str, list[dict[str, Any]]] = {SUMMARY: [], THOUGHT: []}
        self._sealed = ""
        self._own: dict[str, Any] = {}

    def say(self, channel: str, piece: str, own: dict[str, Any], sealed: str) -> None:
        """A piece. `own`: the provider's item, or its id; `sealed`: what closes it."""
        if own or not self._waits:
            self._start(own.get("id"))
        self._sealed = self._sealed or sealed
        self._own = own or self._own
        if not piece:
            return
        if self.index < 0:
            self._held.append((channel, piece))
        else:
            self._say(channel, piece)

    def end(self) -> None:
        """It ends."""
        self._start(None)
        self._end_part()
        whole = {**self._own, **self._whole("completed")}
        if self._sealed:
            whole["encrypted_content"] = self._sealed
        self.output.done(self.index, whole)

    def _start(self, id: Any) -> None:
        if self.index < 0:
            self.id = self.output.named(id, "rs_")
            self.index = self.output.add(self._whole("in_progress"))
            for channel, piece in self._held:
                self._say(channel, piece)

    def _say(self, channel: str, piece: str) -> None:
        if channel != self._channel:
            self._end_part()
            self._channel = channel
            self._tell_part("added", "")
        self._pieces.append(piece)
        self._tell_text("delta", delta=piece)

    def _end_part(self) -> None:
        if self._channel:
            said = "".join(self._pieces)
            self._tell_text("done", text=said)
            part = self._tell_part("done", said)
            self._parts[self._channel].append(part)
            self._channel, self._pieces = "", []

    def _tell_text(self, verb: str, **fields: Any) -> None:
        name = "reasoning_summary_text" if self._channel == SUMMARY else "reasoning_text"
        self.tell(f"{name}.{verb}", **self._part_place(), **fields)

    def _tell_part(self, verb: str, said: str) -> dict[str, Any]:
        part = {"type": self._channel, "text": said}
        name = "reasoning_summary_part" if self._channel == SUMMARY else "content_part"
        self.tell(f"{name}.{verb}", **self._part_place(), part=part)
        return part

    def _part_place(self) -> dict[str, int]:
        name = "summary_index" if self._channel == SUMMARY else "content_index"
        return {name: len(self._parts[self._channel])}

    def _whole(self, status: str) -> dict[str, Any]:
        whole = {"id": self.id, "type": "reasoning", "status": status, "summary": list(self._parts[SUMMARY])}
        return {**whole, "content": list(self._parts[THOUGHT])} if self._parts[THOUGHT] else whole


class CallItem(Item):
    """A call. `early`: the provider's fields beside it that are known at its start."""

    __slots__ = ("_early", "_field", "_name", "_named", "_pieces", "_sent", "_type", "hosted")

    def __init__(self, output: Output, sent: Sent, early: dict[str, Any]) -> None:
        super().__init__(output)
        self._type, self._name, self._field, prefix = _CALLS[sent.kind]
        self.hosted = self._type == "mcp_call"
        own = early.pop("item_id", None)
        self.id = output.named(sent.id if self.hosted else own, prefix)
        self._sent = sent
        self._named = sent.call.name
        self._early = early
        self._pieces: list[str] = []
        if self.hosted:
            early["server_label"] = text(early.get("server_label")) or "provider"

    def start(self) -> None:
        """It begins."""
        self.index = self.output.add(self._whole("in_progress", "", self._early))

    def say(self, piece: str) -> None:
        """A piece of its arguments."""
        self._pieces.append(piece)
        self.tell(f"{self._name}.delta", delta=piece)

    def end(self, extra: dict[str, Any]) -> None:
        """It ends, and is whole. `extra`: the provider's fields beside it."""
        said = "".join(self._pieces)
        named = {"name": self._named} if self._type == "function_call" else {}
        self.tell(f"{self._name}.done", **{self._field: said}, **named)
        failed = self.hosted and extra.get("error") is not None
        self.output.done(self.index, self._whole("failed" if failed else "completed", said, {**extra, **self._early}))

    def cut(self) -> None:
        """It never ends: the final response alone says so."""
        self.output.items[self.index] = self._whole("incomplete", "".join(self._pieces), self._early)

    def _whole(self, status: str, said: str, fields: dict[str, Any]) -> dict[str, Any]:
        whole = {"id": self.id, "type": self._type, "status": status, "name": self._named, self._field: said}
        if not self.hosted:
            whole["call_id"] = self._sent.id
        return {**fields, **whole}


class OtherItem(Item):
    """An item of the provider's that has no meaning here, passed on."""

    __slots__ = ("_type",)

    def __init__(self, output: Output, type: str) -> None:
        super().__init__(output)
        self._type = type

    def show(self, item: dict[str, Any], *, done: bool) -> None:
        """It begins, or ends, which may be all that comes of it. Clients want the id with which it began."""
        if self.index < 0:
            self.id = text(item.get("id"))
            self.index = self.output.add(item)
        if done:
            self.output.done(self.index, {**item, "id": self.id} if self.id else item)

    def fits(self, item: dict[str, Any]) -> bool:
        """Whether it can be this item that ends."""
        return item.get("type") == self._type
