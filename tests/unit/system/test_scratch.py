"""Temporary folders of processes that were killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

HOLD = """
from pathlib import Path
from shaderlab.system.scratch import TemporaryFolder
folder = TemporaryFolder()
Path(folder.name, "kept").write_text("x")
print(folder.name, flush=True)
input()
folder.cleanup()
"""


@contextmanager
def holder(temporary: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that has made a folder, and the folder."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], env={**os.environ, "TMPDIR": str(temporary)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        yield process, Path(process.stdout.readline().strip())
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_next_start_removes_what_a_killed_one_left(tmp_path: Path, number: int) -> None:
    strange = tmp_path / "shaderlab-of-another-program"
    strange.mkdir()
    with holder(tmp_path) as (killed, left):
        killed.send_signal(number)
        killed.wait()
    assert (left / "kept").is_file()
    with holder(tmp_path) as (_, made):
        assert not left.exists()
        assert made.is_dir()
    assert strange.is_dir()


def test_one_in_use_stays_and_a_normal_end_leaves_nothing(tmp_path: Path) -> None:
    with holder(tmp_path) as (one, first):
        with holder(tmp_path) as (other, second):
            assert first.is_dir()
            other.communicate("")
            assert not second.exists()
        assert (first / "kept").is_file()
        one.communicate("\n")
    assert list(tmp_path.iterdir()) == []
