"""Which wire a stream is of: told by its first payloads, or by the caller and then doubted if nothing fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolwire.wire import ALIASES, WIRES, load
from toolwire.wire._errors import error_of, report

if TYPE_CHECKING:
    from toolwire.accumulator import Accumulator
    from toolwire.wire import Decoder
    from toolwire.wire._read import Payload

__all__ = ["WireFinder"]

# How many payloads that fit no wire are kept before we say so.
_UNDECIDED_PAYLOADS: Final = 32


class WireFinder:
    """Holds a stream's first payloads until one tells the wire, or there are too many.

    `evidence`: why the stream is read as this wire; None until it is found. `first`: the first payload of a wire that
    the caller named, if it meant nothing there.
    """

    def __init__(self, acc: Accumulator) -> None:
        self.evidence: str | None = None
        self.first: tuple[Payload, str] | None = None
        self._acc = acc
        self._held: list[tuple[Payload, str]] | None = []  # None once the wire is known or given up

    def named(self, wire: str) -> Decoder:
        """The decoder of the wire that the caller names. Raises `UsageError` for one that doesn't exist."""
        decoder = self._use(wire)
        self._held = None
        self.evidence = f"the caller named {wire}"
        return decoder

    def find(self, payload: Payload, event: str) -> Decoder | None:
        """Hold a payload. Returns a decoder once it can only be of one wire: `release` then feeds it."""
        held = self._held
        if held is None:  # given up
            return None
        held.append((payload, event))
        name = next((name for name in WIRES if load(name).recognises(payload, event)), None)
        if name is not None:
            decoder = self._use(name)
            keys = ", ".join(sorted(map(str, payload))[:8])
            kind = payload.get("type") or payload.get("object") or payload.get("event_type")
            says = [f"event {event!r}"] if event else []
            says += [f"type {kind!r}"] if isinstance(kind, str) else []
            self.evidence = f"payload {len(held)} can only be of {name}: {', '.join([*says, f'keys {keys}'])}"
            return decoder
        if (error := error_of(payload.get("error"))) is not None:
            report(self._acc, error)
        elif len(held) >= _UNDECIDED_PAYLOADS:
            self.give_up()
        return None

    def release(self, decoder: Decoder) -> None:
        """Feed a decoder what was held for it."""
        held, self._held = self._held, None
        for payload, event in held or ():
            decoder.feed(payload, event)

    def give_up(self) -> None:
        """No more payloads are held; the stream fails if those that are told nothing."""
        held, self._held = self._held, None
        if not held or self._acc.failed:
            return
        for payload, event in held:
            self._acc.unknown(payload, event)
        keys = ", ".join(sorted(map(str, held[0][0]))[:8])
        self._acc.fail("protocol", f"no wire is known by these payloads (keys of the first: {keys}); name the wire")

    def doubt(self) -> None:
        """Nothing but payloads that mean nothing on this wire: most likely the wire is another."""
        if self._acc.silent and self._acc.strangers and self.first is not None:
            other = next((name for name in WIRES if load(name).recognises(*self.first)), None)
            if other == self._acc.wire:
                return
            hint = f"; the first looks like {other}" if other else ""
            self._acc.fail("protocol", f"no payload is one of {self._acc.wire}{hint}", offset=0)

    def _use(self, wire: str) -> Decoder:
        module = load(wire)
        self._acc.wire = ALIASES.get(wire, wire)
        return module.Decoder(self._acc)
