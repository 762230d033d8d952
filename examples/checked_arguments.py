"""Arguments checked by the tools themselves: typed where they fit, and a message for the model where they don't."""

from __future__ import annotations

from dataclasses import dataclass

import toolwire
from toolwire.demo import DEMOS


@dataclass
class Weather:
    city: str
    days: int
    unit: str = "celsius"


def search_flights(origin: str, to: str) -> None:
    """Its parameters are what the model should have sent, and hasn't."""


TOOLS = toolwire.Tools([toolwire.tool(Weather, name="get_weather"), search_flights])


def main() -> None:
    for event in toolwire.stream(DEMOS["openai-parallel"].chunks(), tools=TOOLS):
        match event:
            case toolwire.ToolCallEnd(call=call) if call.error is not None:
                print(f"{call.name}: {call.error.for_model()}")
            case toolwire.Finish(calls=calls):
                for call in calls:
                    print(f"{call.name}: {call.arguments!r}")
            case _:
                pass


if __name__ == "__main__":
    main()
