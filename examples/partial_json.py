"""The parser alone: a value that can be shown at any time, from text that comes in pieces."""

from __future__ import annotations

from toolwire import PartialJSON


def main() -> None:
    document = PartialJSON(changes=True)
    for piece in ('{"title": "Tea', ' for two", "cups"', ': 2, "with": ["mi', 'lk"]}'):
        document.feed(piece)
        steps = ", ".join(f"{op} {path}" for op, path, _ in document.take_changes())
        print(f"{document.snapshot()}  <- {steps}")
    document.end()
    print(f"closed: {document.closed}, fault: {document.fault}")

    broken = PartialJSON()
    broken.feed('{"cups": 2, "with": milk')  # hopeless long before its end
    if broken.fault is not None:
        print(f"{broken.fault.reason} at {broken.fault.offset}; still readable: {broken.value}")


if __name__ == "__main__":
    main()
