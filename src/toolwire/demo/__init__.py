"""Built-in demo streams: the raw bytes that providers would send, made up here, the same every time.

`DEMOS` has them by name. They need no network and no key, so examples, tests and `toolwire watch --demo` run on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toolwire.demo import anthropic, gemini, openai, responses, vertex

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DEMOS", "Demo"]


class Demo(NamedTuple):
    """A demo stream. `chunks` makes its bytes, one payload each; `tempo` stretches the pace it is played at."""

    title: str
    wire: str
    chunks: Callable[[], list[bytes]]
    tempo: float = 1.0


DEMOS: dict[str, Demo] = {
    "openai-parallel": Demo("three calls side by side", "openai-chat", openai.parallel),
    "anthropic-form": Demo("a nested form being filled in", "anthropic", anthropic.form),
    "responses-file": Demo("a file being written", "openai-responses", responses.file, 0.7),
    "gemini-whole": Demo("two calls that come whole", "gemini", gemini.whole, 5.0),
    "vertex-partial": Demo("arguments as values at paths", "gemini", vertex.partial),
    "cut": Demo("the turn ends inside a call", "openai-chat", openai.cut),
    "runaway": Demo("a model that is stuck", "openai-chat", openai.runaway, 0.2),
}
