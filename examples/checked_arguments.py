"""Arguments checked by the tools themselves: typed where they fit, and sent back to the model where they don't."""

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
    message = toolwire.collect(DEMOS["openai-parallel"].chunks(), tools=TOOLS)
    for call in message.executable:
        print(f"{call.name}: {call.arguments!r}")
    results = {call.id: f"sunny in {call.arguments.city}" for call in message.executable}
    for entry in message.to_history("openai-chat", results):
        if entry["role"] == "tool":  # the invalid call has its error as result
            print(f"{entry['tool_call_id']} <- {entry['content']}")


if __name__ == "__main__":
    main()
