"""The same elsewhere: litellm's conversions between two wires, without its HTTP."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from time import process_time_ns
from typing import TYPE_CHECKING, Any

from bench.measure import timed
from bench.payloads import PAYLOADS
from bench.streams import generated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["run"]

_DATA = b"data: "


@cache
def _chunks(wire: str, payload: str, size: int) -> list[bytes]:
    return generated(wire, PAYLOADS[payload], size)


def _lines(chunks: list[bytes]) -> Iterator[str]:
    """The lines that hold data, as its own HTTP client would hand them over."""
    for chunk in chunks:
        yield chunk[chunk.index(_DATA) :].decode().rstrip()


def _written(chunks: Any) -> None:
    """As its proxy does it."""
    for chunk in chunks:
        f"data: {chunk.model_dump_json(exclude_none=True, exclude_unset=True)}\n\n".encode()


def _reader(chunks: list[bytes]) -> Any:
    """Its reader of Anthropic's events."""
    handler = import_module("litellm.llms.anthropic.chat.handler")
    return handler.ModelResponseIterator(_lines(chunks), sync_stream=True)


def to_chat(chunks: list[bytes]) -> None:
    """Anthropic's events to chunks, by the reader alone."""
    _written(_reader(chunks))


@cache
def _logging() -> Any:
    log = import_module("litellm.litellm_core_utils.litellm_logging").Logging(
        model="bench",
        messages=[],
        stream=True,
        call_type="completion",
        start_time=datetime.now(UTC),
        litellm_call_id="bench",
        function_id="bench",
    )
    log.update_environment_variables(
        model="bench", user=None, optional_params={}, litellm_params={}, custom_llm_provider="anthropic"
    )
    return log


def to_chat_as_streamed(chunks: list[bytes]) -> None:
    """The same through the wrapper that `completion(stream=True)` returns."""
    wrapper = import_module("litellm.litellm_core_utils.streaming_handler").CustomStreamWrapper
    _written(
        wrapper(
            completion_stream=_reader(chunks),
            model="claude-sonnet-4-5",
            custom_llm_provider="anthropic",
            logging_obj=_logging(),
        )
    )


def to_anthropic(chunks: list[bytes]) -> None:
    """Chunks to Anthropic's events, by the adapter of its `/v1/messages`."""
    adapters = "litellm.llms.anthropic.messages.adapters.streaming_iterator"
    response = import_module("litellm.types.utils").ModelResponseStream

    def read() -> Iterator[Any]:
        for line in _lines(chunks):
            if line != "data: [DONE]":
                yield response(**json.loads(line[len(_DATA) :]))

    for _ in import_module(adapters).AnthropicStreamWrapper(read(), "bench").anthropic_sse_wrapper():
        pass


CONVERSIONS: dict[str, Callable[[list[bytes]], None]] = {
    "litellm, to openai-chat": to_chat,
    "litellm, to openai-chat, as `completion` streams it": to_chat_as_streamed,
    "litellm, to anthropic": to_anthropic,
}


def _spent(convert: Callable[[list[bytes]], None], chunks: list[bytes]) -> int:
    began = process_time_ns()
    convert(chunks)
    return process_time_ns() - began


@cache
def _warm(name: str, wire: str) -> None:
    """What it imports and fills at its first stream."""
    module: Any = import_module("litellm")
    module.telemetry = False
    module.suppress_debug_info = True
    CONVERSIONS[name](_chunks(wire, "search call", 4))


def run(name: str, case: dict[str, Any], work_ns: float, samples: int) -> dict[str, Any]:
    """ns per server-sent event of the provider."""
    del samples
    chunks = _chunks(case["wire"], case["payload"], case["size"])
    _warm(name, case["wire"])
    return {"ns": timed(lambda: _spent(CONVERSIONS[name], chunks), work_ns) / len(chunks), "units": len(chunks)}
