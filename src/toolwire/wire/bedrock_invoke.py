"""Amazon Bedrock InvokeModelWithResponseStream: the stream of whichever model it is, each payload wrapped.

An event is `chunk {"bytes": base64}`; an SDK gives it as `{"chunk": {"bytes": b"..."}}`. What is inside is the model's
own payload, and the first that one of the other wires knows decides who reads them: Claude's are Anthropic's, Nova's
are those of Converse, and most others' are chunks of OpenAI's. Payloads that are unwrapped already, and a whole body,
are read in the same way. What Bedrock adds:

* `p`, padding of random length beside `bytes`
* `amazon-bedrock-invocationMetrics` in the model's last payload: part of the usage, and its counts where the model
  told none; the two can differ (Claude 3)
* exceptions, as in Converse
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Final

import msgspec

from toolwire.wire import WIRES, load
from toolwire.wire._errors import ErrorReport, report
from toolwire.wire._read import count, obj
from toolwire.wire.bedrock_converse import exception_of

if TYPE_CHECKING:
    from toolwire import wire
    from toolwire.accumulator import Accumulator
    from toolwire.wire._read import Payload

__all__ = ["Decoder", "recognises"]

METRICS: Final = "amazon-bedrock-invocationMetrics"

# How many payloads that no wire knows are kept before we say so.
_UNDECIDED_PAYLOADS: Final = 32

_NAME: Final = "bedrock-invoke"
_DONE: Final = "[DONE]"


def recognises(payload: Payload, event: str) -> bool:
    """A chunk, by its bytes. What is unwrapped already is the model's own wire's to recognise."""
    chunk = payload.get("chunk")
    if isinstance(chunk, dict):
        return isinstance(chunk.get("bytes"), str | bytes | bytearray)
    wrapped = isinstance(payload.get("bytes"), str | bytes | bytearray)
    return wrapped and (event == "chunk" or payload.keys() <= {"bytes", "p"})


class Decoder:
    """Chunks, unwrapped payloads or one whole body, to verbs."""

    def __init__(self, acc: Accumulator) -> None:
        self._acc = acc
        self._inner: wire.Decoder | None = None
        self._held: list[Payload] = []  # until one of them is known
        self._gave_up = False
        self._counted = False  # the model told its usage
        self._over = False

    def feed(self, payload: Payload, event: str) -> None:
        """One chunk."""
        if not recognises(payload, event):
            self._native(payload, event)
            return
        wrapped = (obj(payload.get("chunk")) or payload)["bytes"]
        try:
            inner = _unwrapped(wrapped)
        except (ValueError, RecursionError) as error:
            self._acc.fail("protocol", f"a chunk's bytes are not JSON ({error}): {wrapped[:80]!r}")
            return
        if isinstance(inner, dict):
            self._native(inner, "")
        elif inner == _DONE:
            self.end()
            self._acc.terminate()
        else:
            self._acc.unknown(inner, event)

    def end(self) -> None:
        """What the model's decoder holds back; and if no payload was known, that."""
        if self._inner is None:
            self._give_up()
        elif not self._over:
            self._over = True
            self._inner.end()

    def _native(self, payload: Payload, event: str) -> None:
        """One of the model's payloads."""
        self._metrics(payload)
        if self._inner is None and not self._gave_up:
            self._choose(payload)
        error = exception_of(payload, event) if self._inner is None or _is_bedrocks(payload, event) else None
        if error is not None:
            self._fail(error)
        elif self._inner is not None:
            self._inner.feed(payload, event)
        elif self._gave_up:
            self._acc.unknown(payload, event)
        else:
            self._held.append(payload)
            if len(self._held) >= _UNDECIDED_PAYLOADS:
                self._give_up()

    def _metrics(self, payload: Payload) -> None:
        """Bedrock's own counts, told before the payload that holds them: it may end the stream, or know better."""
        metrics = obj(payload.get(METRICS))
        if metrics:
            self._acc.usage(
                {METRICS: metrics},
                input_tokens=None if self._counted else count(metrics.get("inputTokenCount")),
                output_tokens=None if self._counted else count(metrics.get("outputTokenCount")),
            )
        holders = (payload, obj(payload.get("message")), obj(payload.get("metadata")))
        self._counted = self._counted or any(obj(holder.get("usage")) for holder in holders)

    def _choose(self, payload: Payload) -> None:
        for name in WIRES:
            module = load(name) if name != _NAME else None
            if module is not None and module.recognises(payload, ""):
                self._inner = module.Decoder(self._acc)
                for each in self._held:
                    self._inner.feed(each, "")
                self._held = []
                return

    def _give_up(self) -> None:
        held, self._held = self._held, []
        if not held:
            return
        self._gave_up = True
        for payload in held:
            self._acc.unknown(payload)
        keys = ", ".join(sorted(map(str, held[0]))[:8])
        self._acc.fail("protocol", f"no model's stream is known by these payloads (keys of the first: {keys})")

    def _fail(self, error: ErrorReport) -> None:
        """The model's decoder may hold back what belongs to a call that ends with this."""
        if self._inner is not None:
            self.end()
        report(self._acc, error)


def _is_bedrocks(payload: Payload, event: str) -> bool:
    """Whether an error is of the service and not of the model's wire."""
    return event == "error" or event.endswith("Exception") or any(str(name).endswith("Exception") for name in payload)


def _unwrapped(wrapped: str | bytes | bytearray) -> Any:
    """The payload in a chunk: base64 as on the wire, an SDK's bytes, or JSON text. ValueError if there is none."""
    if isinstance(wrapped, str):
        text = wrapped.lstrip()
        data = text.encode("utf-8", "replace") if text.startswith("{") else base64.b64decode(wrapped, validate=True)
    else:
        data = bytes(wrapped)
    if data == b"[DONE]":
        return _DONE
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        # The fast decoder refuses lone surrogates, which a stream may hold where text was cut between its halves.
        return json.loads(data.decode("utf-8", "replace"), parse_constant=_refuse)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
