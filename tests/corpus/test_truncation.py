"""A recording that is cut anywhere gives a turn that is not executable and says so, and keeps all that came before."""

from __future__ import annotations

import random
from typing import Any

import pytest
from support import WIRES, expected_records, needs_shared, recording, run

from toolwire import Message, Stream
from toolwire.framing import AutoFramer
from toolwire.grammar import check

RECORDS = expected_records(*WIRES)
# On these a call hands over by itself, without a finish reason.
HAND_OVER = frozenset({"gemini-live"})
IDS = [record["file"].rsplit("/", 1)[1] for record in RECORDS]
CUTS = 200

pytestmark = needs_shared


def _judge(whole: Message, cut: Message, *, over: bool) -> None:
    """`over`: the wire's terminator came before the cut."""
    kept = {choice.index: choice for choice in whole.choices}
    for choice in cut.choices:
        # A finish reason and then the end of bytes is how some servers end every turn.
        if not over and not choice.finish_raw:
            assert choice.finish in ("incomplete", "error")
            assert choice.executable == ()
        if cut.aborted == whole.aborted:
            full = kept[choice.index]
            assert full.text.startswith(choice.text)
            assert full.reasoning.startswith(choice.reasoning)
            for mine, theirs in zip(choice.calls, full.calls, strict=False):
                assert theirs.name.startswith(mine.name)
                assert theirs.buf.startswith(mine.buf)
        for call in choice.executable:
            assert call.status == "complete"


@pytest.mark.parametrize("record", RECORDS, ids=IDS)
def test_cut_at_every_payload(record: dict[str, Any]) -> None:
    """Between any two payloads."""
    framer = AutoFramer()
    data = recording(record)
    frames = [*framer.feed(data), *framer.end()]
    whole = Message.of(run([data], record["wire"]))
    for count in range(len(frames)):
        stream = Stream(record["wire"])
        events = stream.receive(data[: frames[count][2]])
        over = stream.done or record["wire"] in HAND_OVER
        events += stream.end()
        check(events)
        _judge(whole, Message.of(events), over=over)


@pytest.mark.parametrize("record", RECORDS, ids=IDS)
def test_cut_at_random_bytes(record: dict[str, Any]) -> None:
    """Inside payloads, lines and characters; inside a payload the error says that the bytes ended there."""
    data = recording(record)
    whole = Message.of(run([data], record["wire"]))
    rng = random.Random(record["file"])
    for place in rng.sample(range(len(data)), min(CUTS, len(data))):
        stream = Stream(record["wire"])
        events = stream.receive(data[:place])
        over = stream.done or record["wire"] in HAND_OVER
        events += stream.end()
        check(events)
        message = Message.of(events)
        _judge(whole, message, over=over)
        if message.error is not None and message.error.kind == "protocol":
            assert "ended inside" in message.error.message
