"""Shared memory that is given back leaves no name and nothing open."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from shaderlab.system.shared_memory import OwnSegment, Segment


@pytest.mark.skipif(sys.platform != "linux", reason="names and locks are Linux's")
def test_what_is_unlinked_is_readable_until_it_is_closed() -> None:
    made = OwnSegment(64)
    path = Path("/dev/shm") / made.name
    other = Segment(made.name)
    assert path.exists()
    made.unlink()
    assert not path.exists()
    made.buf[0] = 7
    assert other.buf[0] == 7
    made.close()
    other.close()
    links = [each for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    assert not [each for each in links if str(each.readlink()).startswith(str(path))]
