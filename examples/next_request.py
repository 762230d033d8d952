"""The next request for three providers: the assistant's calls and their results, each in its own form."""

from __future__ import annotations

import json

import toolwire
from toolwire.demo import DEMOS


def run(call: toolwire.ToolCall) -> object:
    """Stands for the tools."""
    if call.name == "search_flights":
        raise ConnectionError("the airline doesn't answer")
    return {"city": call.arguments["city"], "high": 24}


def results_of(message: toolwire.Message) -> dict[str, object]:
    results: dict[str, object] = {}
    for call in message.executable:
        try:
            results[call.id] = run(call)
        except ConnectionError as error:
            results[call.id] = error  # the model is told
    return results


def main() -> None:
    message = toolwire.collect(DEMOS["openai-parallel"].chunks()).raise_for_error()
    results = results_of(message)
    for wire in ("openai-chat", "anthropic", "gemini"):
        print(f"{wire}:")
        for entry in message.to_history(wire, results):
            print(f"  {json.dumps(entry, ensure_ascii=False)}")


if __name__ == "__main__":
    main()
