"""Quirks of Anthropic's Messages: eager streaming, gateways, retries, and servers that copy it."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from toolwire.framing.writers import dumped
from toolwire.mock.quirks.kit import cut, middle, payloads, quirk, unended

if TYPE_CHECKING:
    from toolwire.mock.quirks import Quirk
    from toolwire.wire.encode.base import Frame

QUIRKS: Final[dict[str, Quirk]] = {}

_CALLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
_FIRST_STRING: Final = re.compile(r':\s*"(?:[^"\\]|\\.)*(?=")')
_RAW: Final = {r"\n": "\n", r"\t": "\t", r"\r": "\r"}


class _Block:
    """A call's block: the places of its frames."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.deltas: list[int] = []
        self.stop: int | None = None


def _blocks(frames: list[Frame]) -> list[_Block]:
    """The blocks of calls, in order."""
    found: list[_Block] = []
    open_: dict[Any, _Block] = {}
    for place, (_, payload) in enumerate(frames):
        if not isinstance(payload, dict):
            continue
        kind, index = payload.get("type"), payload.get("index")
        if kind == "content_block_start":
            open_.pop(index, None)
            if payload["content_block"].get("type") in _CALLS:
                open_[index] = _Block(place)
                found.append(open_[index])
        elif kind == "content_block_delta" and index in open_:
            if payload["delta"].get("type") == "input_json_delta":
                open_[index].deltas.append(place)
        elif kind == "content_block_stop" and index in open_:
            open_.pop(index).stop = place
    return found


def _text(frames: list[Frame], block: _Block) -> str:
    return "".join(frames[place][1]["delta"].get("partial_json") or "" for place in block.deltas)


def _put(frames: list[Frame], block: _Block, text: str) -> None:
    for place, piece in zip(block.deltas, cut(text, len(block.deltas)), strict=False):
        frames[place][1]["delta"]["partial_json"] = piece


def _without(frames: list[Frame], places: list[int]) -> list[Frame]:
    return [frame for place, frame in enumerate(frames) if place not in places]


@quirk(
    QUIRKS,
    "input-in-start",
    "the whole input is in the block's start, and there is no delta",
    "other.md: 1 (programmatic tool calling)",
)
def _input_in_start(frames: list[Frame]) -> list[Frame]:
    moved: list[int] = []
    for block in _blocks(frames):
        try:
            given = json.loads(_text(frames, block) or "{}")
        except ValueError:  # only what is whole can be an object
            continue
        frames[block.start][1]["content_block"]["input"] = given
        moved += block.deltas
    return _without(frames, moved)


@quirk(
    QUIRKS,
    "eager-raw-control",
    "eager streaming: line breaks stand unescaped in strings, one at the end of each call's first",
    "other.md: 1 (`eager_input_streaming`), docs/quirks.md: ARG-21",
)
def _eager_raw_control(frames: list[Frame]) -> list[Frame]:
    for block in _blocks(frames):
        text = re.sub(r"(?<!\\)\\[nrt]", lambda found: _RAW[found[0]], _text(frames, block))
        _put(frames, block, _FIRST_STRING.sub(lambda found: found[0] + "\n", text, count=1))
    return frames


@quirk(
    QUIRKS,
    "eager-cut",
    "eager streaming: the first call's input ends in the middle, and its block stops like any other",
    "other.md: 1 (`eager_input_streaming`)",
)
def _eager_cut(frames: list[Frame]) -> list[Frame]:
    for block in _blocks(frames)[:1]:
        text = _text(frames, block)
        _put(frames, block, text[: len(text) * 2 // 3])
    return frames


@quirk(
    QUIRKS,
    "eager-malformed",
    "eager streaming: the first string of the first call has no quotes",
    "other.md: 1 (anthropic-sdk-python#794, dust#24414)",
)
def _eager_malformed(frames: list[Frame]) -> list[Frame]:
    for block in _blocks(frames)[:1]:
        text = _text(frames, block)
        _put(frames, block, re.sub(r':\s*"((?:[^"\\]|\\.)*)"', r": \1", text, count=1))
    return frames


@quirk(
    QUIRKS,
    "input-empty",
    "a call without arguments has one delta, which is empty",
    "other.md: 1 (no-arg call)",
)
def _input_empty(frames: list[Frame]) -> list[Frame]:
    for block in _blocks(frames):
        if _text(frames, block) == "{}":
            _put(frames, block, "")
    return frames


@quirk(QUIRKS, "first-delta-empty", "the first delta of each call is empty", "other.md: 1 (Anthropic, 72 recordings)")
def _first_delta_empty(frames: list[Frame]) -> list[Frame]:
    starts = {block.start for block in _blocks(frames)}
    out: list[Frame] = []
    for place, frame in enumerate(frames):
        out.append(frame)
        if place in starts:
            delta = {"type": "input_json_delta", "partial_json": ""}
            name = "content_block_delta"
            out.append((name, {"type": name, "index": frame[1].get("index"), "delta": delta}))
    return out


def middle_of(frames: list[Frame]) -> int:
    """Where a stream breaks off: in the middle of the first call."""
    found = _blocks(frames)
    return middle([found[0].start, *found[0].deltas] if found else [], len(frames))


@quirk(
    QUIRKS,
    "message-restart",
    "in the middle of the first call: another `message_start`, and the message from its beginning",
    "other.md: 1 (message_start twice: a retry's splice)",
)
def _message_restart(frames: list[Frame]) -> list[Frame]:
    again = deepcopy(frames)
    for payload in payloads(again):
        if payload.get("type") == "message_start":
            payload["message"]["id"] = f"{payload['message'].get('id')}_again"
    return frames[: middle_of(frames)] + again


@quirk(QUIRKS, "message-start-twice", "`message_start` comes twice", "other.md: 1 (message_start twice: a duplicate)")
def _message_start_twice(frames: list[Frame]) -> list[Frame]:
    return [each for frame in frames for each in [frame] * (1 + (frame[0] == "message_start"))]


@quirk(QUIRKS, "index-missing", "no `index` in any event", "not in the references")
def _index_missing(frames: list[Frame]) -> list[Frame]:
    for payload in payloads(frames):
        payload.pop("index", None)
    return frames


@quirk(
    QUIRKS, "block-stop-missing", "no `content_block_stop`", "other.md: 1 (Anthropic itself, but only at max_tokens)"
)
def _block_stop_missing(frames: list[Frame]) -> list[Frame]:
    return unended(frames, "content_block_stop")


@quirk(
    QUIRKS,
    "block-start-repeated",
    "the start of a call's block comes again, behind its first delta",
    "not in the references",
)
def _block_start_repeated(frames: list[Frame]) -> list[Frame]:
    again = {block.deltas[0]: frames[block.start] for block in _blocks(frames) if block.deltas}
    return [each for place, frame in enumerate(frames) for each in [frame, *([again[place]] if place in again else [])]]


@quirk(QUIRKS, "stop-end-turn", '"end_turn" although there are calls', "other.md: 1 (stop_reason)")
def _stop_end_turn(frames: list[Frame]) -> list[Frame]:
    for payload in payloads(frames):
        if payload.get("type") == "message_delta" and payload["delta"].get("stop_reason") == "tool_use":
            payload["delta"]["stop_reason"] = "end_turn"
    return frames


@quirk(
    QUIRKS,
    "message-stop-missing",
    "no `message_stop`",
    "other.md: 1 (MiniMax: the stream never ends, MiniMax-M2#109)",
)
def _message_stop_missing(frames: list[Frame]) -> list[Frame]:
    return unended(frames, "message_stop")


@quirk(
    QUIRKS,
    "stop-reason-missing",
    "no `message_delta`, so no stop reason",
    "docs/quirks.md: anthropic (compatible servers)",
)
def _stop_reason_missing(frames: list[Frame]) -> list[Frame]:
    return unended(frames, "message_delta")


@quirk(QUIRKS, "end-missing", "neither a stop reason nor `message_stop`", "other.md: 0 (end of bytes)")
def _end_missing(frames: list[Frame]) -> list[Frame]:
    return unended(frames, "message_delta", "message_stop")


@quirk(QUIRKS, "ping-flood", "three pings before each event", "other.md: 1 (ping)")
def _ping_flood(frames: list[Frame]) -> list[Frame]:
    ping: Frame = ("ping", {"type": "ping"})
    return [each for frame in frames for each in (ping, ping, ping, frame)]


@quirk(
    QUIRKS,
    "error",
    "in the middle of the first call: an `error` event, and nothing more",
    "other.md: 1 (anthropic-sdk-python#688, brainlid/langchain#193, gptel#1512)",
)
def _error(frames: list[Frame]) -> list[Frame]:
    error = {"type": "overloaded_error", "message": "Overloaded", "details": None}
    return [*frames[: middle_of(frames)], ("error", {"type": "error", "error": error, "request_id": "req_mock"})]


@quirk(QUIRKS, "done-behind", "`[DONE]` follows `message_stop`", "other.md: 0 (OpenRouter)")
def _done_behind(frames: list[Frame]) -> list[Frame]:
    return [*frames, ("data", "[DONE]")]


@quirk(
    QUIRKS,
    "done-only",
    "`[DONE]`, and nothing else at all",
    "other.md: 1 (MiniMax behind a gateway, 9router#2231)",
)
def _done_only(frames: list[Frame]) -> list[Frame]:
    del frames
    return [("", "[DONE]")]


@quirk(QUIRKS, "padding", "blanks pad the data behind its JSON", "other.md: 0 (Anthropic)")
def _padding(frames: list[Frame]) -> list[Frame]:
    return [(event, dumped(payload).decode() + " " * (place % 7)) for place, (event, payload) in enumerate(frames)]


@quirk(QUIRKS, "caller", "a call's block has a `caller`", "other.md: 1 (Anthropic)")
def _caller(frames: list[Frame]) -> list[Frame]:
    for block in _blocks(frames):
        frames[block.start][1]["content_block"]["caller"] = {"type": "direct"}
    return frames
