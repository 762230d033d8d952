"""Fuzz one wire: `python fuzz/wire.py NAME [libFuzzer options]`; give a folder of recordings as its corpus."""
# Invariant: whatever bytes come, a stream gives events in legal order, ends with a finish, and raises nothing; the
# events are the same for the bytes in one piece and in pieces; what may be executed is a named call with usable
# arguments.

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["toolwire"]):
    from toolwire import Finish, Limits, Stream, ToolCallDelta
    from toolwire.grammar import check
    from toolwire.wire import load

LIMITS = Limits(event_bytes=65536, argument_chars=65536, calls=64, array_index=64)


def run(name: str, pieces: list[bytes]) -> list[object]:
    stream = Stream(name, limits=LIMITS, changes=True)
    events = [event for piece in pieces for event in ([] if stream.done else stream.receive(piece))]
    events += stream.end()
    check(events)
    for event in events:
        if isinstance(event, Finish):
            for call in event.calls:
                assert call.name
                assert call.kind == "custom" or isinstance(call.arguments, dict)
    return [(event.type, event.text if isinstance(event, ToolCallDelta) else None) for event in events]


def main() -> None:
    name = sys.argv.pop(1)
    load(name)

    def one(data: bytes) -> None:
        size = data[0] + 1 if data else 1
        text = data[1:]
        assert run(name, [text]) == run(name, [text[i : i + size] for i in range(0, len(text), size)])

    atheris.Setup([sys.argv[0], *sys.argv[1:]], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
