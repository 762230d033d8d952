from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwire.cli.output import CommandError
from toolwire.cli.player import END, Follow, Replay, payloads
from toolwire.demo import DEMOS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", DEMOS)
def test_a_recording_is_cut_where_its_payloads_begin(name: str) -> None:
    chunks = DEMOS[name].chunks()
    cut = payloads(b"".join(chunks))
    assert b"".join(cut) == b"".join(chunks)
    assert len(chunks) - len(cut) <= 1  # the terminator may share the last piece


@given(st.binary(max_size=300))
def test_whatever_the_bytes_nothing_is_lost(data: bytes) -> None:
    assert b"".join(payloads(data)) == data


def test_a_replay_keeps_its_pace() -> None:
    replay = Replay([b"a", b"b"], 0.05)
    began = time.monotonic()
    assert replay.next(0) == b"a"
    assert replay.next(0.001) is None
    assert replay.next(1) == b"b"
    assert replay.next(1) == END
    assert 0.1 <= time.monotonic() - began < 1


def test_a_pipe_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    answered = threading.Event()

    def write() -> None:
        with path.open("wb", buffering=0) as pipe:
            pipe.write(b"one")
            answered.wait(10)
            pipe.write(b"two")

    writer = threading.Thread(target=write)
    writer.start()
    follow = Follow(str(path))
    assert follow.next(10) == b"one"
    assert follow.next(0.01) is None
    answered.set()
    assert follow.next(10) == b"two"
    assert follow.next(10) == END
    writer.join()


def test_a_pipe_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot read"):
        Follow(str(tmp_path)).next(10)
