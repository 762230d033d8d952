"""The page on encoders says what is so, and no bad end is taken for a good one."""

from __future__ import annotations

import pytest
from support import needs_shared
from wire.encode.bad_ends import ENDS, WHOLE, End, written
from wire.encode.losses import VALUES
from wire.encode.page import PAGE, page

from toolwire import Message, Stream
from toolwire.wire.encode import ENCODERS


@needs_shared
def test_the_page_is_up_to_date() -> None:
    """If not: `PYTHONPATH=tests python tests/wire/encode/page.py`."""
    text = PAGE.read_text(encoding="utf-8")
    assert page(text) == text


@pytest.mark.parametrize("wire", ENCODERS)
@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.name)
def test_a_bad_end_is_unmistakable(end: End, wire: str) -> None:
    data, aborts = written(end, wire)
    stream = Stream(wire)
    message = Message.of([*stream.receive(data), *stream.end()])
    whole = [call for call in message.calls if call.status == "complete"]
    assert [call.buf for call in whole] == [WHOLE] * len(whole)  # half a call is none
    assert not message.executable
    unsaid = wire in (*VALUES, "ag-ui") and end.name.startswith("arguments that are no JSON")
    # A run can only be finished, and then its clients run its calls.
    unsaid = unsaid or (wire == "ag-ui" and end.name.endswith("a whole call"))
    safe = end.safe and not unsaid
    if safe:
        assert not aborts
        assert message.error is None
    elif "fail_on_cut" in end.options and wire != "ag-ui":
        assert message.finish == "length"
    elif wire == "ai-sdk-ui" and message.calls and not message.error:
        assert message.finish in ("length", "content_filter", "cancelled", "stop", "tool_calls")
        assert all(call.status in ("incomplete", "invalid") for call in message.calls)
    elif wire != "toolwire":
        assert message.finish == "error"
        assert message.error is not None
    assert aborts == (not safe and not end.options and wire not in ("ai-sdk-ui", "ag-ui", "toolwire"))
