"""Bedrock InvokeModelWithResponseStream, as its clients want it: the stream of a Claude model.

Each of Anthropic's events is a `chunk {"bytes": base64}`, the last with Bedrock's own token counts
(`amazon-bedrock-invocationMetrics`); the times that belong there are known only where Bedrock told them. An error is an
exception's frame, and nothing behind it.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any, Final

from toolwire.framing.writers import EXCEPTION, dumped
from toolwire.wire._read import obj
from toolwire.wire.bedrock_invoke import METRICS
from toolwire.wire.encode import anthropic
from toolwire.wire.encode.errors import bedrock_exception
from toolwire.wire.encode.usage import for_converse, tokens
from toolwire.wire.history.rules import IDS

if TYPE_CHECKING:
    from toolwire.events import StreamError
    from toolwire.wire.encode.options import Options

__all__ = ["Encoder"]

# Converse's words for token counts, and those of the metrics.
_COUNTS: Final = {
    "inputTokens": "inputTokenCount",
    "outputTokens": "outputTokenCount",
    "cacheReadInputTokens": "cacheReadInputTokenCount",
    "cacheWriteInputTokens": "cacheWriteInputTokenCount",
}


class Encoder(anthropic.Encoder):
    """Events to Anthropic's, wrapped."""

    wire = "bedrock-invoke"
    rule = IDS["bedrock-invoke"]
    keep_alive = None

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.framing = "aws-eventstream"

    def close(self) -> None:
        """`message_stop`, with Bedrock's counts where any are known."""
        metrics = self._metrics()
        self._event({"type": "message_stop", **({METRICS: metrics} if metrics else {})})

    def failure(self, error: StreamError) -> None:
        """An exception."""
        if self._message is not None:
            self._start_message()
        super().frame({"message": error.message}, EXCEPTION + bedrock_exception(error, invoke=True))

    def frame(self, payload: Any, event: str = "") -> None:
        """A chunk with one of Anthropic's events."""
        super().frame({"bytes": b64encode(dumped(payload)).decode()}, "chunk")

    def _counts(self) -> dict[str, Any]:
        usage = self._usage
        if usage is not None and self._source == self.wire and "output_tokens" in usage.raw:  # a Claude's own
            return {key: value for key, value in usage.raw.items() if key != METRICS}
        return super()._counts()

    def _metrics(self) -> dict[str, Any]:
        usage = self._usage
        if usage is None:
            return {}
        own = obj(usage.raw.get(METRICS)) if self._source == self.wire else {}
        if own:
            return own
        known = for_converse(usage)
        found = tokens(usage)
        for key, value in (("inputTokens", found.input), ("outputTokens", found.output)):
            if value is None:
                del known[key]
        return {name: known[key] for key, name in _COUNTS.items() if key in known}
