"""What of a message each wire can't say: the expectations of the round trips, and the table in the documentation.

A message is compared as a record: for each choice its text, refusal, reasoning, calls and finish. A loss changes the
record of what went in to that of what comes out again, and says in words what it does. What none changes is the same.
"""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from toolwire import original_id
from toolwire.encoding import encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwire import Message, ToolCall

Record = dict[str, Any]

BEDROCK = ("bedrock-converse", "bedrock-invoke")
API = ("openai-chat", "openai-responses", "anthropic", *BEDROCK)
UI = ("ai-sdk-ui", "ag-ui")
BLOCKS = ("openai-responses", "anthropic", *BEDROCK)
PROVIDERS = ("cohere", "ollama")
GOOGLE = ("gemini", "gemini-interactions")
VALUES = ("gemini", "ollama")  # whose arguments are values, and calls whole
NO_MADE_UP_IDS = ("gemini",)
BAD = ("error", "incomplete", "cancelled")
TOOL_SAYS = ("schema", "unknown_tool")  # of arguments that are an object


def record(message: Message, *, mapped: bool = False, wire: str | None = None) -> Record:
    """A message in a form that can be compared. `mapped`: its ids are those that a client of `wire` gets."""
    said = {
        "choices": [
            {
                "choice": choice.index,
                "text": choice.text,
                "refusal": choice.refusal,
                "reasoning": choice.reasoning,
                "calls": [_call(call, mapped=mapped) for call in choice.calls if call.name],
                "finish": choice.finish,
            }
            for choice in message.choices
        ],
        "failed": message.error is not None or message.choices[0].finish in BAD,
        "restarted": bool(message.aborted),
        "source": message.wire,
    }
    if mapped and (wire or message.wire) in NO_MADE_UP_IDS:
        _no_made_up_ids(said, "")
    return said


def _call(call: ToolCall, *, mapped: bool) -> Record:
    usable = call.status in ("complete", "repaired")
    return {
        "id": original_id(call.id) if mapped else call.id,
        "made_up": call.vendor_id is None,
        "name": call.name,
        "kind": call.kind,
        "status": call.status,
        "arguments": call.arguments if usable else None,
        "text": call.buf,
        "reason": call.error.reason if call.error is not None else None,
        "executable": call.executable,
        "rejected": call.rejected,
    }


class Loss(NamedTuple):
    """One thing that some wires can't say."""

    name: str
    wires: tuple[str, ...]
    says: str
    change: Callable[[Record, str], None]


def _first_choice(said: Record, wire: str) -> None:
    del said["choices"][1:]


def _no_refusal(said: Record, wire: str) -> None:
    for choice in said["choices"]:
        choice["text"], choice["refusal"] = choice["text"] + choice["refusal"], ""


def _no_server_calls(said: Record, wire: str) -> None:
    if said["source"] == wire:  # their results are passed on
        return
    for choice in said["choices"]:
        choice["calls"] = [call for call in choice["calls"] if call["kind"] in ("function", "custom")]


def _kind(old: str, new: str) -> Callable[[Record, str], None]:
    def change(said: Record, wire: str) -> None:
        if said["source"] == wire != "openai-responses":  # its own kinds of server calls are all MCP calls
            return
        for choice in said["choices"]:
            for call in choice["calls"]:
                if call["kind"] == old:
                    call["kind"] = new

    return change


def _wrapped(said: Record, wire: str) -> None:
    for choice in said["choices"]:
        for call in choice["calls"]:
            if call["kind"] == "custom":
                call["kind"] = "function"
                if call["arguments"] is not None:
                    call["arguments"] = {"input": call["text"]}
                call["text"] = json.dumps({"input": call["text"]}, ensure_ascii=False, separators=(",", ":"))


def _no_made_up_ids(said: Record, wire: str) -> None:
    for choice in said["choices"]:
        for call in choice["calls"]:
            if call["made_up"]:
                call["id"] = None


def _no_arguments(said: Record, wire: str) -> None:
    for choice in said["choices"]:
        for call in choice["calls"]:
            if call["arguments"] == {} and call["status"] == "complete":
                call["text"] = "{}"


def _restart(said: Record, wire: str) -> None:
    if said["restarted"]:
        said["failed"] = True
        said["choices"] = None  # what was said before it is all that was told


def _cut_call(call: Record) -> bool:
    return call["status"] == "incomplete" or call["rejected"] or call["reason"] == "truncated"


def _cut(said: Record, wire: str) -> None:
    for choice in said["choices"] or ():
        if any(_cut_call(call) and call["kind"] in ("function", "custom") for call in choice["calls"]):
            said["failed"] = True


def _two_documents(said: Record, wire: str) -> None:
    for choice in said["choices"] or ():
        if any(call["reason"] == "concatenated" and call["kind"] in ("function", "custom") for call in choice["calls"]):
            said["failed"] = True


def _no_objects(said: Record, wire: str) -> None:
    for choice in said["choices"] or ():
        if any(call["status"] == "invalid" and call["reason"] not in TOOL_SAYS for call in choice["calls"]):
            said["failed"] = True


def _failed(said: Record, wire: str) -> None:
    """A failed turn has failed, in whatever words. What wasn't whole is incomplete."""
    if not said["failed"]:
        return
    for choice in said["choices"] or ():
        choice["finish"] = "error"
        for call in choice["calls"]:
            call["executable"] = False
            if call["status"] == "invalid":
                call["status"] = "incomplete"


def _reasons(table: dict[str, str]) -> Callable[[Record, str], None]:
    def change(said: Record, wire: str) -> None:
        for choice in said["choices"] or ():
            choice["finish"] = table.get(choice["finish"], choice["finish"])

    return change


def _waits(choice: Record) -> bool:
    """Whether clients know of calls that they may not run."""
    return any(call["kind"] in ("function", "custom") and not call["executable"] for call in choice["calls"])


def _paused(said: Record, wire: str) -> None:
    for choice in said["choices"] or ():
        if choice["finish"] == "pause":
            choice["finish"] = "unknown" if _waits(choice) else "stop"


def _not_finished(said: Record, wire: str) -> None:
    for choice in said["choices"] or ():
        if choice["finish"] in ("pause", "unknown", "length", "content_filter") and _waits(choice):
            said["failed"] = True


def _half_calls(said: Record, wire: str) -> None:
    for choice in said["choices"] or ():
        unreadable = [call for call in choice["calls"] if call["arguments"] is None]
        if any(call["status"] == "invalid" and not _cut_call(call) for call in unreadable):
            said["failed"] = True
        choice["calls"] = [call for call in choice["calls"] if call["arguments"] is not None]


def _values(said: Record, wire: str) -> None:
    for choice in said["choices"] or ():
        for call in choice["calls"]:
            call["text"] = encode(call["arguments"])


EVERY = (*API, *UI, *PROVIDERS, *GOOGLE)

LOSSES = (
    Loss("restart", EVERY, "a message that begins anew ends as an error", _restart),
    Loss("choices", (*BLOCKS, *UI, *PROVIDERS, "gemini-interactions"), "only the first choice is told", _first_choice),
    Loss("refusal", ("anthropic", *BEDROCK, *UI, *PROVIDERS, *GOOGLE), "a refusal is text", _no_refusal),
    Loss(
        "server calls",
        ("openai-chat", *PROVIDERS, "gemini"),
        "calls that the provider runs are left out",
        _no_server_calls,
    ),
    Loss(
        "server kind",
        ("openai-responses", "gemini-interactions"),
        "a server's call is an MCP call",
        _kind("server", "mcp"),
    ),
    Loss("MCP kind", ("bedrock-converse",), "an MCP call is a server's call", _kind("mcp", "server")),
    Loss(
        "free text",
        ("anthropic", *BEDROCK, "ag-ui", *PROVIDERS, *GOOGLE),
        "free text is the member `input` of an object",
        _wrapped,
    ),
    Loss("made-up ids", NO_MADE_UP_IDS, "a call that had no id has none", _no_made_up_ids),
    Loss("no arguments", EVERY, "no arguments, or `null`, are written as `{}`", _no_arguments),
    Loss("cut calls", (*API, "ag-ui", *PROVIDERS, *GOOGLE), "a turn that is cut inside a call's arguments fails", _cut),
    Loss(
        "two documents",
        (*API, "ag-ui", *PROVIDERS, *GOOGLE),
        "a turn with a call whose arguments are two documents fails",
        _two_documents,
    ),
    Loss("no objects", ("ag-ui",), "a turn with a call whose arguments are no JSON object fails", _no_objects),
    Loss(
        "unconfirmed calls",
        ("ag-ui",),
        "a turn that ended before its calls may be run fails",
        _not_finished,
    ),
    Loss("half calls", VALUES, "a call that isn't whole is left out, and the turn fails", _half_calls),
    Loss("values", VALUES, "arguments are told as a value, so their text is written anew", _values),
    Loss("bad ends", EVERY, "failed, cut and cancelled are one: an error", _failed),
    Loss(
        "pause",
        ("openai-chat", "openai-responses", "bedrock-converse", "ai-sdk-ui", *PROVIDERS, "gemini"),
        "a paused turn is a finished one, or has a reason that nobody knows where calls wait in it",
        _paused,
    ),
    Loss(
        "no status",
        ("gemini-interactions",),
        "a content filter, and a reason that nobody knows, are an incomplete answer",
        _reasons({"content_filter": "length", "unknown": "length"}),
    ),
    Loss(
        "filter", ("ollama",), "a content filter is a reason that nobody knows", _reasons({"content_filter": "unknown"})
    ),
)


def expected(message: Message, wire: str) -> tuple[Record, list[str]]:
    """What a message's record becomes on its way through a wire, and the losses that it suffers."""
    said = record(message)
    suffered = []
    for loss in LOSSES:
        if wire in loss.wires and said["choices"] is not None:
            before = copy.deepcopy(said)
            loss.change(said, wire)
            if json.dumps(said, default=str) != json.dumps(before, default=str):
                suffered.append(loss.name)
    return comparable(said), suffered


def comparable(said: Record) -> Record:
    """A record without what only says why."""
    for choice in said["choices"] or ():
        for call in choice["calls"]:
            del call["reason"], call["rejected"], call["made_up"]
    del said["restarted"], said["source"]
    return said
