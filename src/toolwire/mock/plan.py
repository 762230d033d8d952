"""From what was asked and what is to be said to a plan: bytes, when each goes out, and how the connection ends.

The answer's events go through the wire's own encoder, so that a mock has no format of its own; what real servers do
otherwise is a quirk, and bends the frames. Faults that are the wire's own (an error, a limit) are made of events, those
of the network of bytes.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from toolwire.errors import UsageError
from toolwire.events import ErrorKind, StreamError
from toolwire.framing.writers import WRITERS, dumped
from toolwire.message import Message
from toolwire.mock.answer import events_of
from toolwire.wire._errors import kind_of_status
from toolwire.wire.bodies import body_of, error_body
from toolwire.wire.encode import encoder_for, takes

if TYPE_CHECKING:
    from toolwire.events import Event
    from toolwire.framing.writers import Writer
    from toolwire.mock.answer import Answer
    from toolwire.mock.asked import Asked
    from toolwire.mock.settings import Place, Settings
    from toolwire.wire.encode.base import Frame, WireEncoder

__all__ = ["MESSAGE_ID", "REPORTED", "Plan", "Step", "ended", "plan_of", "refusal"]

# Stands in the bytes of a plan that is used again, where each answer has an id of its own.
MESSAGE_ID = "f0e1d2c3b4a5968778695a4b"

# The kinds of error that a provider reports itself.
REPORTED = frozenset(get_args(ErrorKind)) - {"connection", "protocol", "limit", "aborted"}

_BROKEN = '{"this is no JSON: '


@dataclass(frozen=True, slots=True)
class Step:
    """Bytes, and the seconds before they go out. `events`: how many of the wire's are out with them."""

    wait: float
    data: bytes
    events: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A response. `end`: "clean", "reset", "fin" (closed without the end of the body) or "stall"."""

    status: int
    headers: tuple[tuple[str, str], ...]
    steps: tuple[Step, ...]
    end: Literal["clean", "reset", "fin", "stall"] = "clean"
    head: float = 0.0
    whole: bool = False  # one body of known length, not a stream
    pulse: tuple[float, bytes] | None = None  # nothing but this, so far apart, for ever
    # Kept by the server: the writes that it makes of the steps, in chunks or not.
    writes: dict[bool, list[tuple[float, bytes, int, int]]] = field(default_factory=dict, repr=False)

    @property
    def events(self) -> int:
        """How many events it has."""
        return sum(step.events for step in self.steps)


def plan_of(asked: Asked, answer: Answer, settings: Settings, *, seed: str) -> Plan:
    """The response to a request. Raises `UsageError` for settings that make no sense for its wire."""
    if settings.status is not None and not settings.fail:
        return refusal(asked.wire, settings.status, settings)
    if settings.size:
        answer = replace(answer, size=settings.size)
    return (_streamed if asked.stream else _whole)(asked, answer, settings, seed)


def refusal(wire: str, status: int, settings: Settings, message: str = "") -> Plan:
    """An error status, in the words of the wire."""
    error = StreamError(kind_of_status(status), message or f"mock: refused with {status}, as asked", status=status)
    headers = [("content-type", "application/json")]
    if settings.retry_after is not None:
        headers.append(("retry-after", f"{settings.retry_after:g}"))
    return Plan(
        status, tuple(headers), (Step(0.0, dumped(error_body(error, wire)[1])),), head=settings.head, whole=True
    )


def _whole(asked: Asked, answer: Answer, settings: Settings, seed: str) -> Plan:
    """An answer in one body."""
    if settings.error is not None:
        status, body = error_body(_error(settings), asked.wire)
        return Plan(status, _JSON, (Step(settings.ttfb, dumped(body)),), head=settings.head, whole=True)
    events = _events(asked, answer, settings, seed)
    message = Message.of(events)
    data = dumped(body_of(message, asked.wire, message_id=MESSAGE_ID, created=int(time.time()), fail_on_cut=False))
    steps = [Step(settings.ttfb + settings.delay, data, len(events))]
    if settings.malformed is not None:
        steps = [Step(settings.ttfb, data[: len(data) // 2], len(events))]
    return ended(Plan(200, _JSON, tuple(steps), head=settings.head, whole=True), settings, None)


_JSON = (("content-type", "application/json"),)


def _streamed(asked: Asked, answer: Answer, settings: Settings, seed: str) -> Plan:
    """An answer as a stream."""
    from toolwire.mock.quirks import bend, quirks_of

    encoder = _encoder(asked)
    writer = WRITERS[encoder.framing]()
    frames, mid = _frames(asked, answer, settings, seed, encoder)
    quirks = settings.quirks
    if answer.interleave and "interleaved" in quirks_of(asked.wire):  # encoders put one call behind the other
        quirks = ("interleaved", *quirks)
    if quirks:
        bent = bend(asked.wire, frames, quirks)
        mid = mid * len(bent) // max(1, len(frames))
        frames = bent
    steps = _written(frames, writer, encoder, settings, mid)
    headers = [("content-type", writer.media_type), *encoder.headers.items()]
    pulse = None
    if settings.quiet:
        if encoder.keep_alive is None:
            raise UsageError(f"{asked.wire} has no sign of life")
        pulse, steps = (settings.quiet, encoder.keep_alive), []
    plan = Plan(200, tuple(headers), tuple(steps), head=settings.head, pulse=pulse)
    return ended(plan, settings, mid)


def _encoder(asked: Asked) -> WireEncoder:
    options: dict[str, Any] = {
        "message_id": MESSAGE_ID,
        "created": int(time.time()),
        "usage": asked.usage,
        "fail_on_cut": False,
        "partial_args": asked.partial_args,
        "framing": "sse" if asked.sse else "json-array",
    }
    if asked.wire != "gemini":
        del options["framing"]
    return encoder_for(asked.wire, {name: value for name, value in options.items() if takes(asked.wire, name)})


def _frames(
    asked: Asked, answer: Answer, settings: Settings, seed: str, encoder: WireEncoder
) -> tuple[list[Frame], int]:
    """The frames of an answer, and how many of them are out in its middle."""
    events = _events(asked, answer, settings, seed)
    middle = _middle(events)
    error_at = None if settings.error is None else _at(settings.error, len(events), middle)
    frames: list[Frame] = []
    mid = 0
    for place, event in enumerate(events):
        if place == error_at:
            break
        if place == middle:
            mid = len(frames)
        frames += encoder.feed(event)
    if error_at is not None:
        frames += encoder.feed(_error(settings))
        mid = min(mid or len(frames), len(frames))
    return frames + encoder.end(), mid


def _events(asked: Asked, answer: Answer, settings: Settings, seed: str) -> list[Event]:
    model = asked.model.partition("?")[0]
    form = "mistral" if asked.dialect == "mistral" else asked.wire
    events, deltas = events_of(answer, form, model=model, seed=seed)
    if settings.length is None:
        return events
    told = [event for event in events if event.type.endswith("_delta")]
    first = sum(1 for event in events[: _middle(events)] if event.type.endswith("_delta"))
    cut_after = _at(settings.length, len(told), first) if deltas or settings.length.kind != "mid" else len(told) // 2
    return events_of(answer, form, model=model, seed=seed, cut_after=cut_after)[0]


def _middle(events: list[Event]) -> int:
    """The place of the event in the middle of the first call's arguments, or else of all."""
    deltas = [place for place, event in enumerate(events) if event.type == "tool_call_delta"]
    own = [place for place in deltas if events[place].call is events[deltas[0]].call]  # type: ignore[union-attr]
    return own[len(own) // 2] if own else len(events) // 2


def _error(settings: Settings) -> StreamError:
    known: Any = settings.kind
    if known not in REPORTED:
        raise UsageError(f"kind={known} is no kind of error that a provider reports")
    return StreamError(known, f"mock: {known}, as asked", status=None)


def _at(place: Place, count: int, mid: int) -> int:
    at = {"first": 0, "mid": mid, "last": max(0, count - 1), "after": place.count}[place.kind]
    return min(at, count)


def _written(frames: list[Frame], writer: Writer, encoder: WireEncoder, settings: Settings, mid: int) -> list[Step]:
    """The steps of a stream."""
    if settings.malformed is not None:
        at = _at(settings.malformed, len(frames), mid)
        frames = [*frames[:at], (frames[min(at, len(frames) - 1)][0] if frames else "", _BROKEN), *frames[at:]]
    signs = (encoder.keep_alive or b"") * settings.pings
    steps = []
    for place, frame in enumerate(frames):
        wait = settings.ttfb if place == 0 else settings.delay
        steps.append(Step(wait, signs + writer.write([frame]), 1))
    closing = writer.end()
    if closing:
        steps.append(Step(0.0, closing))
    return steps


def ended(plan: Plan, settings: Settings, mid: int | None) -> Plan:
    """The plan, cut where the network fails, and in pieces of a size. `mid`: the steps that are out in its middle, None
    for one body.
    """
    steps, end = list(plan.steps), plan.end
    for name, how in (("drop", "reset"), ("fin", "fin"), ("eof", "clean"), ("stall", "stall")):
        place: Place | None = getattr(settings, name)
        if place is None:
            continue
        if mid is None:  # one body
            half = steps[0].data[: len(steps[0].data) // 2] if place.kind != "first" else b""
            steps = [Step(steps[0].wait, half, 0)]
            how = "fin" if how == "clean" else how
        else:
            steps = steps[: _at(place, len(steps), mid)]
        end = how  # type: ignore[assignment]
        break
    if settings.open:
        end = "stall"
    if settings.chunk:
        steps = _rechunked(steps, settings)
    if settings.jitter:
        steps = [Step(step.wait + random.uniform(0.0, settings.jitter), step.data, step.events) for step in steps]
    return Plan(plan.status, plan.headers, tuple(steps), end, plan.head, plan.whole, plan.pulse)


def _rechunked(steps: list[Step], settings: Settings) -> list[Step]:
    data = b"".join(step.data for step in steps)
    size = settings.chunk
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    events = sum(step.events for step in steps)
    return [
        Step(settings.ttfb if place == 0 else settings.delay, piece, events if place == len(pieces) - 1 else 0)
        for place, piece in enumerate(pieces)
    ]
