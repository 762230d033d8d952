"""Fuzz one framing: `python fuzz/framing.py NAME [libFuzzer options]`."""
# Invariant: whatever bytes come, a framer gives frames and perhaps a fault, never an exception; the frames, the fault
# and its offset are the same for the bytes in one piece and in pieces cut at places that the input chooses; and no
# frame holds bytes that were not in the input.

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["toolwire"]):
    from toolwire.framing import FRAMINGS

LIMIT = 4096


def frames_of(name: str, pieces: list[bytes]) -> tuple[list[tuple[str, bytes, int]], object]:
    framer = FRAMINGS[name](max_event_bytes=LIMIT)
    frames = [tuple(frame) for piece in pieces for frame in framer.feed(piece)]
    frames += [tuple(frame) for frame in framer.end()]
    fault = framer.fault
    return frames, fault and (fault.kind, fault.offset, str(fault))


def main() -> None:
    name = sys.argv.pop(1)

    def one(data: bytes) -> None:
        provider = atheris.FuzzedDataProvider(data)
        size = provider.ConsumeIntInRange(1, 64)
        text = provider.ConsumeBytes(sys.maxsize)
        whole = frames_of(name, [text])
        assert whole == frames_of(name, [text[i : i + size] for i in range(0, len(text), size)])
        for event, payload, offset in whole[0]:
            assert 0 <= offset <= len(text)
            assert event == "error" or all(part in text for part in payload.splitlines())

    atheris.Setup([sys.argv[0], *sys.argv[1:]], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
