"""Shared memory of frames, and what is left of it when processes are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from shaderlab.workers.frames import FramePool, FrameWriter

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="shared memory has no files")

_OWNER = """
import sys
from multiprocessing import resource_tracker
from shaderlab.workers.frames import FramePool

pool = FramePool()
print(pool.buffer((64, 64)).name, resource_tracker._resource_tracker._pid, flush=True)
sys.stdin.read()
"""


class Owner:
    """A process that has a frame's memory."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _OWNER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        name, tracker = self._process.stdout.readline().split()
        self.memory = Path("/dev/shm") / name.decode()
        self._tracker = int(tracker)

    def kill_session(self) -> None:
        """As the end of a login or a container does: what would tidy up goes first."""
        os.kill(self._tracker, signal.SIGKILL)
        self._process.kill()
        self._process.communicate()

    def end(self) -> None:
        """The usual way: its resource tracker tidies up."""
        self._process.communicate()


@pytest.fixture
def owners() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def test_memory_of_a_killed_session_is_freed_by_the_next_start_and_no_other(owners):
    alive = Owner()
    owners.callback(alive.end)
    killed = Owner()
    killed.kill_session()
    assert killed.memory.stat().st_size >= 2 * 64 * 64 * 4
    following = Owner()
    owners.callback(following.end)
    assert not killed.memory.exists()
    assert alive.memory.exists()
    assert following.memory.exists()


def test_a_pool_that_is_closed_leaves_nothing():
    pool, writer = FramePool(), FrameWriter()
    buffer = pool.buffer((8, 4))
    slot, pixels = writer.next(buffer, (8, 4))
    pixels[:] = 7
    seen = pool.picture(slot)
    pool.close()
    assert not (Path("/dev/shm") / buffer.name).exists()
    assert np.all(seen == 7)
