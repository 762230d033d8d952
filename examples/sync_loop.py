"""A plain loop: show calls while they are written, run them when the turn has confirmed them."""

from __future__ import annotations

import toolwire
from toolwire.demo import DEMOS


def main() -> None:
    # Any iterable of bytes will do, such as the `iter_bytes()` of an HTTP client's response.
    source = DEMOS["openai-parallel"].chunks()
    for event in toolwire.stream(source):
        match event:
            case toolwire.TextDelta(text=text):
                print(text, end="")
            case toolwire.ToolCallStart(call=call):
                print(f"\n[{call.index}] {call.name} ...", end="")
            case toolwire.ToolCallDelta(call=call) if call.closed:
                print(f" {call.partial}", end="")  # whole, but the turn may still fail
            case toolwire.Finish(reason=reason, calls=calls):
                print(f"\n{reason}: run {', '.join(call.name for call in calls)}")
            case toolwire.StreamError(message=message):
                print(f"\nfailed: {message}")
            case _:
                pass


if __name__ == "__main__":
    main()
