"""Whatever a stream holds, it has a body or none, and nothing becomes executable on the way.

`TOOLWIRE_FUZZ_SECONDS` sets the time per provider's wire, `TOOLWIRE_FUZZ_SEED` the seed.
"""

from __future__ import annotations

import os
import random
import time

import pytest
from fuzz.test_encoders import executable
from fuzz.test_mutations import mutated
from support import WIRES, expected_records, needs_shared, recording, run

from toolwire import Message, Stream
from toolwire.errors import UsageError
from toolwire.framing.writers import dumped
from toolwire.wire.bodies import BODIES, body_of, error_body

pytestmark = needs_shared

SECONDS = float(os.environ.get("TOOLWIRE_FUZZ_SECONDS") or 3)


@pytest.mark.parametrize("wire", WIRES)
def test_mutated_recordings_have_a_body_or_none(wire: str) -> None:
    recordings = [recording(record) for record in expected_records(wire)]
    seed = int(os.environ.get("TOOLWIRE_FUZZ_SEED") or int.from_bytes(os.urandom(6)))
    rng = random.Random(seed)
    until = time.monotonic() + SECONDS
    runs = 0
    while time.monotonic() < until:
        pieces = mutated(rng.choice(recordings), rng)
        message = Message.of(run(pieces, wire))
        before = executable(message)
        for to in BODIES:
            where = f"seed {seed}, run {runs}, {to}: {pieces!r:.3000}"
            try:
                data = dumped(body_of(message, to))
            except UsageError:
                if message.error is not None:
                    status, body = error_body(message.error, to)
                    assert status >= 400, where
                    assert dumped(body), where
                continue
            except Exception as error:
                raise AssertionError(f"{error!r}, {where}") from error
            stream = Stream(to)
            after = Message.of([*stream.receive(data), *stream.end()])
            assert message.error is None, where
            assert after.error is None, where
            for name, arguments in executable(after):
                assert (name, arguments) in before, where
        runs += 1
    assert runs > 0
