"""Turns of a provider, what a client must come to, and an app that serves each through every encoder.

A scenario is what a provider sends, and the outcome: text, reasoning, the calls that are to be run, or a bad end. What
a wire's clients come to may differ: `on` has the outcomes by wire (`ai-sdk-ui@7` being that for clients of version 7).

The app answers `/SCENARIO/WIRE/...`, whatever clients append; `WIRE@N` is the encoder's option `client=N`.

`PYTHONPATH=tests python tests/interop/scenarios.py` prints what is sent at the end of each.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import httpx2
from interop.serving import serve
from starlette.applications import Starlette
from starlette.routing import Route

import toolwire
from toolwire.events import ToolCallDelta, ToolCallEnd
from toolwire.wire.encode import takes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from toolwire import AsyncEventStream, Event

    Payload = dict[str, Any]
    Act = Callable[[AsyncEventStream, Event], None]

API = ("openai-chat", "openai-responses", "anthropic")
WIRES = (*API, "ai-sdk-ui", "ag-ui")


USED = (7, 9)  # input and output tokens of a turn that ends well


class Call(NamedTuple):
    """A call as an app runs it."""

    id: str
    name: str
    arguments: dict[str, Any]


class Outcome(NamedTuple):
    """What a client comes to: the calls in order, exactly; `finish` in our words, `used` in tokens, None for not told.

    `bad`: it must see an error, and run nothing.
    """

    calls: tuple[Call, ...] = ()
    text: str = ""
    reasoning: str = ""
    finish: str = "tool_calls"
    used: tuple[int, int] | None = USED
    bad: bool = False


BAD = Outcome(bad=True)


class Scenario(NamedTuple):
    """A turn. `whole`: its calls whose arguments came whole. `act`: what our side does at each event."""

    chunks: list[Any]
    outcome: Outcome = BAD
    on: Mapping[str, Outcome] = {}
    whole: tuple[Call, ...] = ()
    source: str = "openai-chat"
    act: Act | None = None
    options: Mapping[str, Any] = {}

    def expected(self, wire: str) -> Outcome:
        """What the clients of a wire must come to."""
        plain = wire.partition("@")[0]
        return self.on.get(wire) or self.on.get(plain) or self.outcome


# --- what an OpenAI-compatible provider sends -------------------------------------------------------------------------


def chunk(finish: str | None = None, **delta: Any) -> Payload:
    """A chunk with one choice."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "some-model", "choices": [choice]}


def opened(index: int, call: Call, arguments: str = "") -> Payload:
    """A call's first delta."""
    function = {"name": call.name, "arguments": arguments}
    return chunk(tool_calls=[{"index": index, "id": call.id, "type": "function", "function": function}])


def more(index: int, arguments: str) -> Payload:
    """A piece of a call's arguments."""
    return chunk(tool_calls=[{"index": index, "function": {"arguments": arguments}}])


def streamed(index: int, call: Call, size: int = 7) -> list[Payload]:
    """A whole call, its arguments in pieces."""
    text = json.dumps(call.arguments) if call.arguments else ""
    return [opened(index, call), *(more(index, text[at : at + size]) for at in range(0, len(text), size))]


def ended(finish: str = "tool_calls") -> list[Any]:
    """The end of a turn, with its token counts."""
    counts = {"prompt_tokens": USED[0], "completion_tokens": USED[1], "total_tokens": sum(USED)}
    return [chunk(finish), {**chunk(), "choices": [], "usage": counts}, "[DONE]"]


ERROR: Payload = {"error": {"message": "internal: shard 7", "type": "server_error", "code": "boom"}}

WEATHER = Call("call_a", "get_weather", {"city": "Paris"})
SEARCH = Call("call_b", "search", {"query": "news of \u00fcber \U0001f600", "limit": 3})
NOW = Call("call_c", "now", {})

LINES = [f'{number}: "quoted" \\ and \U0001f469\u200d\U0001f680 \u00e9\u4e16\t\U0001f600' for number in range(250)]
CONTENT = "\r\n".join(LINES)
FILE = Call("call_d", "write_file", {"path": "a/\u00e4 b.txt", "content": CONTENT})
HALF_CONTENT = "half"
HALF = f'{{"path": "/tmp", "content": "{HALF_CONTENT}'
CUT = Call("call_d", "write_file", {"path": "/tmp", "content": "half of it"})


def utf16(text: str, size: int) -> Iterator[str]:
    """A text in pieces of so many UTF-16 units, as servers cut it that are written in JavaScript: also inside pairs."""
    data = text.encode("utf-16-le")
    for at in range(0, len(data), 2 * size):
        yield data[at : at + 2 * size].decode("utf-16-le", "surrogatepass")


def _interleaved() -> list[Payload]:
    """The arguments of two calls taking turns, and a third that has none."""
    first, second = streamed(0, WEATHER, 5), streamed(1, SEARCH, 5)
    turns = [piece for pair in zip(first, second, strict=False) for piece in pair]
    return [*turns, opened(2, NOW), *second[len(first) :]]


# --- what Anthropic sends ---------------------------------------------------------------------------------------------


def message_start(id_: str = "m1") -> Payload:
    """The start of a message."""
    usage = {"input_tokens": USED[0], "output_tokens": 1}
    message = {"id": id_, "type": "message", "role": "assistant", "model": "some-model", "content": [], "usage": usage}
    return {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}}


def block(index: int, start: Payload, *deltas: Payload) -> list[Payload]:
    """A block, without its end."""
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
    ]


def stop(index: int) -> Payload:
    """A block's end."""
    return {"type": "content_block_stop", "index": index}


def tool_use(index: int, call: Call, *pieces: str) -> list[Payload]:
    """A call's block, without its end."""
    start = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
    return block(index, start, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces))


def message_end(reason: str) -> list[Payload]:
    """The end of a message."""
    delta = {"stop_reason": reason, "stop_sequence": None}
    usage = {"input_tokens": USED[0], "output_tokens": USED[1]}
    return [{"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}]


def text_block(index: int, text: str) -> list[Payload]:
    """A whole block of text."""
    return [*block(index, {"type": "text", "text": ""}, {"type": "text_delta", "text": text}), stop(index)]


THINKING = block(
    0,
    {"type": "thinking", "thinking": "", "signature": ""},
    {"type": "thinking_delta", "thinking": "Hm. "},
    {"type": "thinking_delta", "thinking": "Well."},
    {"type": "signature_delta", "signature": "c2lnbmVk"},
)
SIGNED: list[Any] = [
    message_start(),
    *THINKING,
    stop(0),
    *text_block(1, "On it."),
    *tool_use(2, WEATHER, '{"city"', ': "Paris"}'),
    stop(2),
    *tool_use(3, NOW),
    stop(3),
    *message_end("tool_use"),
]
ANEW: list[Any] = [
    message_start(),
    *text_block(0, "On it."),
    *tool_use(1, CUT, HALF),
    message_start("m2"),
    *text_block(0, "Again."),
    *tool_use(1, WEATHER, '{"city": "Paris"}'),
    stop(1),
    *message_end("tool_use"),
]


# --- what our side does -----------------------------------------------------------------------------------------------


def _abort(stream: AsyncEventStream, event: Event) -> None:
    """Stop the stream inside the second call."""
    if isinstance(event, ToolCallDelta) and event.call.name == CUT.name:
        stream.abort("enough")


def _reject(_: AsyncEventStream, event: Event) -> None:
    """Reject the second call in the middle of its arguments."""
    if isinstance(event, ToolCallDelta) and event.call.name == CUT.name and not event.call.rejected:
        event.call.reject("not allowed")


def _reject_at_its_end(_: AsyncEventStream, event: Event) -> None:
    """Reject the second call when all of it was told."""
    if isinstance(event, ToolCallEnd) and event.call.name == CUT.name:
        event.call.reject("not allowed")


# --- the scenarios ----------------------------------------------------------------------------------------------------

ON_IT = chunk(role="assistant", content="On it.")
# A whole call, and another one that is cut in its arguments.
ONE_AND_A_HALF: list[Any] = [ON_IT, *streamed(0, WEATHER), opened(1, CUT), more(1, HALF[:11]), more(1, HALF[11:])]
BOTH: list[Any] = [ON_IT, *streamed(0, WEATHER), *streamed(1, CUT)]

GOOD: dict[str, Scenario] = {
    "text": Scenario([ON_IT, chunk(content=" Done."), *ended("stop")], Outcome(text="On it. Done.", finish="stop")),
    "one": Scenario([*streamed(0, WEATHER), *ended()], Outcome((WEATHER,))),
    "parallel": Scenario(
        [*streamed(0, WEATHER), *streamed(1, SEARCH), *streamed(2, CUT), *ended()], Outcome((WEATHER, SEARCH, CUT))
    ),
    "interleaved": Scenario([*_interleaved(), *ended()], Outcome((WEATHER, SEARCH, NOW))),
    "no arguments": Scenario([*streamed(0, NOW), *ended()], Outcome((NOW,))),
    "no arguments first": Scenario([*streamed(0, NOW), *streamed(1, WEATHER), *ended()], Outcome((NOW, WEATHER))),
    "text around": Scenario(
        [ON_IT, *streamed(0, WEATHER), chunk(content=" And more."), *streamed(1, SEARCH), *ended()],
        Outcome((WEATHER, SEARCH), text="On it. And more."),
    ),
    "text behind": Scenario(
        [ON_IT, *streamed(0, WEATHER), chunk(content=" And more."), *ended()],
        Outcome((WEATHER,), text="On it. And more."),
    ),
    "reasoning": Scenario(
        [chunk(reasoning_content="Hm. "), chunk(reasoning_content="Well."), ON_IT, *streamed(0, WEATHER), *ended()],
        Outcome((WEATHER,), text="On it.", reasoning="Hm. Well."),
    ),
    "signed": Scenario(SIGNED, Outcome((WEATHER, NOW), "On it.", "Hm. Well."), source="anthropic"),
    # Escapes are cut in the middle, and between the halves of a pair.
    "long": Scenario([*streamed(0, FILE, 499), *streamed(1, WEATHER), *ended()], Outcome((FILE, WEATHER))),
    "long, UTF-16": Scenario(
        [
            opened(0, FILE),
            *(more(0, piece) for piece in utf16(json.dumps(FILE.arguments, ensure_ascii=False), 331)),
            *ended(),
        ],
        Outcome((FILE,)),
    ),
    # Some providers say `stop` all the same.
    "called and stop": Scenario([ON_IT, *streamed(0, WEATHER), *ended("stop")], Outcome((WEATHER,), "On it.")),
    "no usage": Scenario([*streamed(0, WEATHER), chunk("tool_calls"), "[DONE]"], Outcome((WEATHER,), used=None)),
}

# A client of the AI SDK is told of a call that went wrong in the call's own place, and of the reason as it is.
UI_CUT = Outcome(text="On it.", finish="length")
UI_REJECTED = Outcome((WEATHER,), "On it.")

ENDS: dict[str, Scenario] = {
    "error": Scenario([*ONE_AND_A_HALF, ERROR], whole=(WEATHER,)),
    "error first": Scenario([ERROR]),
    "error behind a call": Scenario([ON_IT, *streamed(0, WEATHER), ERROR], whole=(WEATHER,)),
    "cut": Scenario(ONE_AND_A_HALF, whole=(WEATHER,)),
    "cut behind a call": Scenario([ON_IT, *streamed(0, WEATHER)], whole=(WEATHER,)),
    "cut in text": Scenario([ON_IT]),
    "abort": Scenario([*BOTH, *ended()], whole=(WEATHER,), act=_abort),
    "length": Scenario([*ONE_AND_A_HALF, *ended("length")], on={"ai-sdk-ui": UI_CUT}, whole=(WEATHER,)),
    "filtered": Scenario(
        [*ONE_AND_A_HALF, *ended("content_filter")],
        on={"ai-sdk-ui": UI_CUT._replace(finish="content_filter")},
        whole=(WEATHER,),
    ),
    "truncated": Scenario([*ONE_AND_A_HALF, *ended()], on={"ai-sdk-ui": UI_REJECTED}, whole=(WEATHER,)),
    "rejected": Scenario([*BOTH, *ended()], on={"ai-sdk-ui": UI_REJECTED}, whole=(WEATHER,), act=_reject),
    "rejected at its end": Scenario(
        [*BOTH, *ended()], on={"ai-sdk-ui": UI_REJECTED}, whole=(WEATHER, CUT), act=_reject_at_its_end
    ),
    # There are clients that run the first.
    "two documents": Scenario(
        [ON_IT, opened(0, WEATHER), more(0, '{"city": "Paris"}'), more(0, '{"city": "Rome"}'), *ended()],
        on={"ai-sdk-ui": Outcome(text="On it.")},
        whole=(WEATHER,),
    ),
    "anew": Scenario(ANEW, on={"ai-sdk-ui@7": Outcome((WEATHER,), "Again.")}, whole=(WEATHER,), source="anthropic"),
}

# Turns that are told as they are, so that it depends on the client what comes of their calls.
TOLD: dict[str, Scenario] = {
    "length told": Scenario(
        [*ONE_AND_A_HALF, *ended("length")],
        Outcome(text="On it.", finish="length"),
        on={"ai-sdk-ui": UI_CUT, "ag-ui": BAD},
        whole=(WEATHER,),
        options={"fail_on_cut": False},
    ),
    "length behind a call": Scenario(
        [ON_IT, *streamed(0, WEATHER), *ended("length")],
        Outcome(text="On it.", finish="length"),
        on={"ag-ui": BAD},  # whose clients of a finished run would run it
        whole=(WEATHER,),
    ),
    "malformed": Scenario(
        [ON_IT, opened(0, SEARCH), more(0, '{"query": news'), more(0, ', "limit": 3}'), *ended()],
        Outcome(text="On it."),
        on={"ag-ui": BAD},  # whose client would make `{}` of it
    ),
}

SCENARIOS: dict[str, Scenario] = {**GOOD, **ENDS, **TOLD}


# --- the server -------------------------------------------------------------------------------------------------------


async def events(scenario: Scenario) -> AsyncIterator[Event]:
    """A scenario's events, with what our side does at them."""

    async def source() -> AsyncIterator[Any]:
        for payload in scenario.chunks:
            yield payload

    stream = toolwire.astream(source(), scenario.source)
    try:
        async for event in stream:
            if scenario.act is not None:
                scenario.act(stream, event)
            yield event
    finally:
        await stream.aclose()


async def _answer(request: Request) -> Response:
    body = await request.body()
    scenario = SCENARIOS[request.path_params["scenario"]]
    wire, _, client = request.path_params["wire"].partition("@")
    options: dict[str, Any] = {name: value for name, value in scenario.options.items() if takes(wire, name)}
    if client:
        options["client"] = int(client)
    if takes(wire, "run"):
        options["run"] = json.loads(body or b"{}")
    return toolwire.response(events(scenario), to=wire, **options)


app = Starlette(
    routes=[
        Route("/{scenario}/{wire}/{rest:path}", _answer, methods=["POST"]),
        Route("/{scenario}/{wire}", _answer, methods=["POST"]),
    ]
)


# --- what is sent at the end of a turn --------------------------------------------------------------------------------

# What every bad end closes with; for the AI SDK a turn that was aborted has `abort` for `error`.
BROKEN_OFF = "body broken off"
ERROR_FORMS = {
    "openai-chat": ("error", BROKEN_OFF),
    "openai-responses": ("error", "response.failed", BROKEN_OFF),
    "anthropic": ("error", BROKEN_OFF),
    "ai-sdk-ui": ("error", "[DONE]"),
    "ag-ui": ("RUN_ERROR",),
}


def ending(base: str, scenario: str, wire: str) -> tuple[str, ...]:
    """The names of the frames behind the last piece of text or arguments, and whether the body was broken off."""
    names: list[str] = []
    broken_off = False
    with httpx2.Client(trust_env=False, timeout=10) as client:
        try:
            with client.stream("POST", f"{base}/{quote(scenario)}/{wire}") as answer:
                for line in answer.iter_lines():
                    if line.startswith("data: "):
                        name = _frame(line.removeprefix("data: "))
                        names = [] if name is None else [*names, name]
        except httpx2.RemoteProtocolError:
            broken_off = True
    return (*names, BROKEN_OFF) if broken_off else tuple(names)


def _frame(data: str) -> str | None:
    """The name of a frame, None for a piece of text or arguments."""
    if data == "[DONE]":
        return data
    payload = json.loads(data)
    if payload.get("choices") == []:
        return "usage"
    if "choices" in payload:
        reason = payload["choices"][0]["finish_reason"]
        return reason and f"finish_reason {reason}"
    name: str = payload.get("type", "error")
    return None if name.endswith(("delta", "_ARGS", "_CONTENT")) and name != "message_delta" else name


def table() -> str:
    """All ends, good ones for comparison, as they are sent on each wire."""
    wires = [*WIRES, "ai-sdk-ui@7"]
    rows = [f"| | {' | '.join(wires)} |", "|---" * (len(wires) + 1) + "|"]
    with serve(app) as base:
        for name in ["one", "text", *ENDS, *TOLD]:
            cells = (", ".join(ending(base, name, wire)) for wire in wires)
            rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*rows, f"| client gone{' | nothing more, the source is closed' * len(wires)} |"])


if __name__ == "__main__":
    print(table())
