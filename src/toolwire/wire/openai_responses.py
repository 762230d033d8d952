"""OpenAI Responses, and the servers that copy it.

An event is `{type, item_id, output_index, ...}`. Each output item has an `output_item.added`, deltas, a `.done` of its
text and an `output_item.done`; `response.completed`, `.incomplete`, `.failed` or `.cancelled` ends the stream and holds
the whole response once more. Of each copy of a text, what was not sent yet is; one that contradicts is told to the
accumulator (calls) or passed on as it is (text). What is allowed for:

* no `type`: the event's name stands in for it
* ids that change from event to event (GitHub Copilot) or are missing: then `output_index` finds the item. Items overlap
  (xAI), or are known from their deltas, their end or the final response alone
* a call's id is its `call_id`, from the first event that has it, else the item's id (`mcp_call` has no other)
* arguments only in `.done` (LM Studio), in `output_item.done` or in the final response; those in `output_item.added`
  count only if none came later; an object instead of text
* an item that ends as "in_progress" (OpenAI's programmatic calls): only "incomplete" says that it was cut
* a final response without output (ChatGPT), or with a status worse than its event's name: the worse counts
* `custom_tool_call` with an id of xAI's own search: a server's call, with JSON for its input
* `error` flat or nested, alone or before `response.failed`: reported once
* a whole body: `{object: "response", status, output}`
* `response.created` again with another id: the response began anew

Items that are neither calls nor messages nor reasoning are passed on as unknown.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolwire.encoding import same
from toolwire.wire._errors import ErrorReport, error_of, report
from toolwire.wire._read import count, items, obj, text, word

if TYPE_CHECKING:
    from toolwire.accumulator import Accumulator
    from toolwire.call import CallKind, ToolCall
    from toolwire.events import FinishReason
    from toolwire.wire._read import Payload

__all__ = ["Decoder", "recognises"]

# The items that are calls: their kind, and where their arguments are.
CALLS: Final[dict[str, tuple[CallKind, str]]] = {
    "function_call": ("function", "arguments"),
    "custom_tool_call": ("custom", "input"),
    "mcp_call": ("mcp", "arguments"),
}

# `response.<name>.delta` and `.done`: whose item's text it is, on which channel, and in which field of `.done`.
TEXTS: Final[dict[str, tuple[str, str, str]]] = {
    "function_call_arguments": ("function_call", "", "arguments"),
    "custom_tool_call_input": ("custom_tool_call", "", "input"),
    "mcp_call_arguments": ("mcp_call", "", "arguments"),
    "output_text": ("message", "output_text", "text"),
    "refusal": ("message", "refusal", "refusal"),
    "reasoning_summary_text": ("reasoning", "summary_text", "text"),
    "reasoning_text": ("reasoning", "reasoning_text", "text"),
    # as early versions of the API called them
    "reasoning_summary": ("reasoning", "summary_text", "text"),
    "reasoning": ("reasoning", "reasoning_text", "text"),
}

# Parts of messages and reasoning by type; a channel bears the name of its parts.
PARTS: Final = {row[1]: row for row in TEXTS.values() if row[1]}

# The final events by name, which are the final states of a response too, and the reasons of a cut.
STATUS: Final[dict[str, FinishReason]] = {
    "completed": "stop",
    "incomplete": "incomplete",
    "failed": "error",
    "cancelled": "cancelled",
}
CUTS: Final[dict[str, FinishReason]] = {
    "max_output_tokens": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
}

# Bookkeeping whose neighbours say the same.
_SILENT: Final = frozenset(
    {"content_part.added", "reasoning_summary_part.added", "mcp_call.in_progress", "mcp_call.completed"}
)
# The ids of xAI's own search calls begin so.
_SERVER_RUN: Final = "xs_call_"
# Fields of a call that have a meaning of their own here, or that the SDK adds; all others are kept for replay.
_CALL_FIELDS: Final = frozenset({"type", "id", "call_id", "name", "arguments", "input", "status", "parsed_arguments"})


def recognises(payload: Payload, event: str) -> bool:
    """An event's type begins with "response."; a whole body says so in `object`."""
    return (text(payload.get("type")) or event).startswith("response.") or payload.get("object") == "response"


@dataclass(slots=True, eq=False)
class _Item:
    """An output item, as far as it is known."""

    type: str
    call: ToolCall | None = None
    id: str = ""
    call_id: str = ""
    index: int | str | None = None
    name: str = ""  # of a call, from an event without its id
    start: Any = None  # arguments that came with `output_item.added`
    fed: bool = False  # arguments came later than that; a message's annotations came one by one
    announced: bool = False  # by an event of the item itself, not only of its text
    settled: bool = False  # its end came
    cut: bool = False  # its end said "incomplete"
    matched: bool = False  # found in the final response
    phase: str = ""  # of a message
    said: bool = False  # some of a message's text was passed on
    sent: dict[tuple[str, object], list[str]] = field(default_factory=dict)  # by channel and part (None: all parts)

    def agrees(self, call_id: str) -> bool:
        """False for the item of another call."""
        return not (call_id and self.call_id and call_id != self.call_id)

    def over(self, name: str, call_id: str) -> bool:
        """True when an item that begins at this one's place is another: an index may be used again."""
        return self.announced and not (name and name == self.id) and (self.settled or not call_id)


class Decoder:
    """Events, or one whole body, to verbs."""

    def __init__(self, acc: Accumulator) -> None:
        self._acc = acc
        self._response = ""
        self._items: list[_Item] = []
        self._found: dict[tuple[str, str, int | str], _Item] = {}
        self._last: dict[str, _Item] = {}

    def feed(self, payload: Payload, event: str) -> None:
        """One event."""
        kind = text(payload.get("type")) or event
        step = kind.removeprefix("response.") if kind.startswith("response.") else ""
        name, _, verb = step.rpartition(".")
        if name in TEXTS and verb in ("delta", "done"):
            row = TEXTS[name]
            self._text(row, payload, payload.get(row[2] if verb == "done" else "delta"), event, done=verb == "done")
        elif name == "output_item" and verb in ("added", "done"):
            self._item(payload, event, done=verb == "done")
        elif step in ("content_part.done", "reasoning_summary_part.done"):
            part = obj(payload.get("part"))
            if (part_row := PARTS.get(text(part.get("type")))) is not None:
                self._text(part_row, payload, part.get(part_row[2]), event, done=True)
        elif step in STATUS or step == "done":
            self._conclude(payload, step if step in STATUS else "completed")
        elif step in ("created", "in_progress", "queued"):
            self._begin(obj(payload.get("response")), anew=step == "created")
        elif payload.get("object") == "response":
            self._conclude(payload, "")
        elif "error" in (kind, step) or (not step and payload.get("error")):
            self._release(judge=False)
            flat = {key: value for key, value in payload.items() if key not in ("type", "sequence_number")}
            self._fail(error_of(payload.get("error")) or error_of(flat), payload)
        elif step not in _SILENT:
            if name == "output_text.annotation":
                self._at("message", payload).fed = True
            self._acc.unknown(payload, event)

    def end(self) -> None:
        """What was held back for a better copy is all there is."""
        self._release(judge=True)

    # --- the response ------------------------------------------------------------------------------------------

    def _begin(self, response: Payload, *, anew: bool = False) -> None:
        name = word(response.get("id"))
        if anew and name and self._response and name != self._response:
            self._acc.restart("the provider began the response anew")
            self._items, self._found, self._last = [], {}, {}
        self._response = name or self._response
        self._acc.begin(name, word(response.get("model")))

    def _conclude(self, payload: Payload, named: str) -> None:
        """The final response, or a body, which may be of a response that goes on. `named`: its event's name."""
        response = obj(payload.get("response")) or payload
        self._begin(response)
        said = word(response.get("status"))
        status = said if not named or (named == "completed" and said in STATUS) else named
        why = word(obj(response.get("incomplete_details")).get("reason"))
        error = error_of(response.get("error")) or error_of(payload.get("error"))
        reason = STATUS.get(status)
        under_way = bool(status) and reason is None
        if why and reason in ("stop", "incomplete", None):
            reason = CUTS.get(why, "unknown")
        well = error is None and reason in ("stop", None) and not under_way
        self._reconcile(items(response.get("output")), well=well)
        if usage := obj(response.get("usage")):
            tokens = [count(usage.get(key)) for key in ("input_tokens", "output_tokens")]
            self._acc.usage(usage, input_tokens=tokens[0], output_tokens=tokens[1])
        if under_way:
            return
        self._release(judge=well)
        if error is not None or reason == "error":
            self._fail(error, response)
        for raw in (status, why):
            if reason is not None and raw:
                self._acc.finish(reason, raw)
        self._acc.terminate()

    def _reconcile(self, output: list[Any], *, well: bool) -> None:
        """What is new in the whole output, and the end of what had none. Its positions may have shifted."""
        claimed = {name for raw in output if (name := word(obj(raw).get("id")))}
        queues: dict[tuple[str, str], deque[_Item]] = {}
        for known in self._items:
            known.matched = False
            for key in {(known.type, known.call_id), (known.type, "")}:
                queues.setdefault(key, deque()).append(known)
        for raw in output:
            said = obj(raw)
            kind, name, call_id = text(said.get("type")), word(said.get("id")), word(said.get("call_id"))
            item = self._found.get((kind, "id", name))
            if item is None or item.matched or not item.agrees(call_id):
                heads = (_head(queues.get((kind, call_id))), _head(queues.get((kind, ""))))
                fit = (each for each in heads if each and each.id not in claimed and each.agrees(call_id))
                item = next(fit, None) or self._new(kind, name, call_id)
            item.matched = True
            self._learn(item, said)
            status = said.get("status")
            self._settle(item, said, raw, "", closes=status == "completed" or (well and status != "incomplete"))

    def _release(self, *, judge: bool) -> None:
        """Arguments and names of which no better copy came. `judge`: the turn as a whole was not cut."""
        for item in self._items:
            if item.call is not None:
                self._identify(item, item.call, item.name, item.id)
                if not item.fed:
                    self._feed(item, item.call, item.start, copy=True)
                if judge and item.cut:
                    self._acc.invalidate(item.call, "truncated", "the provider says that this call is incomplete")

    def _fail(self, error: ErrorReport | None, raw: Any) -> None:
        report(self._acc, error or ErrorReport("the response failed", None, raw))

    # --- items -------------------------------------------------------------------------------------------------

    def _item(self, payload: Payload, event: str, *, done: bool) -> None:
        """An item begins or ends."""
        raw = obj(payload.get("item"))
        item = self._at(text(raw.get("type")), payload, raw, opens=not done)
        self._learn(item, raw)
        if done:
            self._settle(item, raw, payload, event, closes=raw.get("status") != "incomplete")
        elif item.type in CALLS:
            item.start = raw.get(CALLS[item.type][1])
        elif item.type not in ("message", "reasoning"):
            self._acc.unknown(payload, event)

    def _at(self, kind: str, payload: Payload, raw: Any = None, *, opens: bool = False) -> _Item:
        """The item an event is about, a new one if none is known. Where nothing tells which, the last that is open."""
        name = word(obj(raw).get("id")) or word(payload.get("item_id"))
        call_id = word(obj(raw).get("call_id")) or word(payload.get("call_id"))
        index = payload.get("output_index")
        index = index if isinstance(index, (int, str)) else None
        pairs = (("id", name), ("index", index), ("call_id", call_id))
        keys = [(kind, by, key) for by, key in pairs if key not in ("", None)]
        last = self._last.get(kind)
        loose = [self._found.get((kind, "call_id", call_id)), None if last and last.settled else last]
        known = [self._found.get(key) for key in keys if key[1] != "call_id"]
        known += [each for each in loose if each and (index is None or each.index is None)]
        fit = (each for each in known if each and each.agrees(call_id) and not (opens and each.over(name, call_id)))
        item = next(fit, None)
        if item is None or raw is not None:
            item = item or self._new(kind, name, call_id, index)
            self._found.update(dict.fromkeys(keys, item))
        item.call_id = item.call_id or call_id
        return item

    def _new(self, kind: str, name: str, call_id: str, index: int | str | None = None) -> _Item:
        call = None
        if kind in CALLS:
            runs = CALLS[kind][0]
            if runs == "custom" and call_id.startswith(_SERVER_RUN):
                runs = "server"
            call = self._acc.open(None, "", "", runs, free_text=runs == "custom")
        item = self._last[kind] = _Item(kind, call, name, call_id, index)
        self._items.append(item)
        if name:
            self._found[kind, "id", name] = item
        return item

    def _learn(self, item: _Item, raw: Payload) -> None:
        """What an item says of itself."""
        item.announced = True
        item.call_id = item.call_id or word(raw.get("call_id"))
        item.phase = item.phase or word(raw.get("phase"))
        name, call = word(raw.get("id")), item.call
        if call is not None:
            self._identify(item, call, word(raw.get("name")), name)
            call._extra.update((key, each) for key, each in raw.items() if key not in _CALL_FIELDS and each is not None)
            if name and name != call.vendor_id:
                call._extra["item_id"] = name

    def _identify(self, item: _Item, call: ToolCall, name: str, stand_in: str = "") -> None:
        """A call's id and name, each as soon as it is known. `stand_in`: an id until there is a `call_id`."""
        if call.kind == "custom" and item.call_id.startswith(_SERVER_RUN):
            self._acc.provider_runs(call, "server", "the provider ran this call itself")
        if item.call_id:
            call.vendor_id = item.call_id
        self._acc.identify(call, stand_in, "" if call.name else name)

    def _settle(self, item: _Item, raw: Payload, payload: Any, event: str, *, closes: bool) -> None:
        """An item's end, with all it holds. It may come again in the final response."""
        first, item.settled = not item.settled, True
        if item.call is not None:
            name = word(raw.get("name"))
            if name and item.call.name and name != item.call.name:
                self._acc.contradict(item.call, f"the final copy of the call names another tool, {name!r}")
            self._feed(item, item.call, raw.get(CALLS[item.type][1]), copy=True)
            if not item.fed:
                self._feed(item, item.call, item.start, copy=True)
            item.cut = raw.get("status") == "incomplete"
            if closes and item.call.name:  # a name may still come with the final response
                self._acc.close(item.call)
        elif item.type == "message":
            others = self._settle_texts(item, raw.get("content"), "output_text", payload, event)
            for part in others if first else ():
                self._acc.unknown(part)
        elif item.type == "reasoning":
            self._settle_texts(item, raw.get("summary"), "summary_text", payload, event)
            self._settle_texts(item, raw.get("content"), "reasoning_text", payload, event)
            sealed = text(raw.get("encrypted_content"))
            if first and (sealed or word(raw.get("id"))):  # by either it can be replayed
                self._acc.reasoning(field="encrypted_content" if sealed else "reasoning", extra=raw)
        elif first and item.type not in CALLS:
            self._acc.unknown(payload, event)

    def _settle_texts(self, item: _Item, parts: Any, bare: str, payload: Any, event: str) -> list[Any]:
        """What an item's parts have that was not sent. Returns the parts that say something else than text."""
        others = []
        wholes: dict[str, list[str]] = {}
        for part in [{"type": bare, "text": parts}] if isinstance(parts, str) else items(parts):
            type_ = text(obj(part).get("type"))
            row = PARTS.get(bare if type_ == "text" else type_)
            if row is not None:
                wholes.setdefault(row[1], []).append(text(part.get(row[2])))
            if row is None or (items(part.get("annotations")) and not item.fed):
                others.append(part)
        for channel, pieces in wholes.items():
            self._copy(item, channel, None, "".join(pieces), payload, event)
        return others

    # --- texts -------------------------------------------------------------------------------------------------

    def _text(self, row: tuple[str, str, str], payload: Payload, value: Any, event: str, *, done: bool) -> None:
        """A piece of an item's text, or the copy at its end."""
        kind, channel, _ = row
        item = self._at(kind, payload)
        call = item.call
        if call is not None:
            item.name = item.name or word(payload.get("name"))
            if item.call_id:
                self._identify(item, call, item.name)
            self._feed(item, call, value, copy=done)
        else:
            place = payload.get("summary_index" if channel == "summary_text" else "content_index")
            place = place if isinstance(place, (int, str)) else 0
            if done:
                self._copy(item, channel, place, text(value), payload, event)
            else:
                self._say(item, channel, place, text(value) or text(obj(value).get("text")))

    def _feed(self, item: _Item, call: ToolCall, value: Any, *, copy: bool) -> None:
        """Argument text, or a value instead of it; an empty object says nothing."""
        item.fed = item.fed or value not in (None, "", {}, [])
        if isinstance(value, str):
            (self._acc.snapshot if copy else self._acc.append)(call, value)
        elif value not in (None, {}, []) and not same(call._raw, value):
            self._acc.value(call, value)

    def _copy(self, item: _Item, channel: str, part: object, whole: str, payload: Any, event: str) -> None:
        """A copy of a text adds what was not sent. One that contradicts can't take back what was."""
        if not whole:
            return
        pieces = item.sent.setdefault((channel, part), [])
        pieces[:] = ["".join(pieces)]
        if (rest := _after(whole, pieces[0])) is not None:
            self._say(item, channel, part, rest)
        else:
            self._acc.unknown(payload, event)

    def _say(self, item: _Item, channel: str, part: object, piece: str) -> None:
        for place in {part, None}:
            item.sent.setdefault((channel, place), []).append(piece)
        if channel == "output_text":
            # A stored answer wants a message back under its own id, behind the reasoning that led to it.
            own = {"id": item.id, "phase": item.phase}
            first, item.said = not item.said, True
            self._acc.text(piece, extra={key: each for key, each in own.items() if each} if first and item.id else None)
        elif channel == "refusal":
            self._acc.refusal(piece)
        else:
            self._acc.reasoning(piece, field=channel)


def _head(queue: deque[_Item] | None) -> _Item | None:
    """The first item that isn't matched yet."""
    while queue and queue[0].matched:
        queue.popleft()
    return queue[0] if queue else None


def _after(whole: str, sent: str) -> str | None:
    """What follows `sent` in `whole`, None if it doesn't begin so. Deltas may be cut between UTF-16 halves."""
    if whole.startswith(sent):
        return whole[len(sent) :]
    if 2 * len(whole) < len(sent):
        return None
    units, begun = (each.encode("utf-16-le", "surrogatepass") for each in (whole, sent))
    return units[len(begun) :].decode("utf-16-le", "surrogatepass") if units.startswith(begun) else None
