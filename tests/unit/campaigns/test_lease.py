"""One store has one measuring process."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shaderlab.campaigns import lease
from shaderlab.errors import WrongUse
from shaderlab.system import file_lock

HOLDER = """
import sys
from pathlib import Path
from shaderlab.campaigns import lease
with lease.hold(Path(sys.argv[1]), "a campaign"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_told_who_measures_until_that_is_killed(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, store], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with (
            pytest.raises(WrongUse, match=f"a campaign, process {holder.pid} on "),
            lease.hold(store, "another"),
        ):
            pass
    finally:
        holder.kill()
        holder.wait()
    with lease.hold(store, "the next"):
        pass


def test_a_lease_ends_with_its_block(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    store.touch()
    for _ in range(2):
        with lease.hold(store, "a campaign"):
            assert (tmp_path / "store.db.measuring").stat().st_size
    assert not (tmp_path / "store.db.measuring").stat().st_size
    store.unlink()
    with lease.hold(store, "a campaign that gets no store"):
        pass
    assert not list(tmp_path.iterdir())


def test_where_no_lease_can_be_written_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(WrongUse, match="cannot write"), lease.hold(tmp_path / "file" / "s", "x"):
        pass


def test_on_a_full_disk_the_lease_is_refused_in_a_sentence_and_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    store = tmp_path / "store.db"
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with (
            pytest.raises(WrongUse, match=r"cannot write .*store\.db\.measuring: No space left"),
            lease.hold(store, "one"),
        ):
            pass
    with lease.hold(store, "two"):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_lease_is_not_written_to_what_a_link_leads_to(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("of somebody else")
    (tmp_path / "store.db.measuring").symlink_to(other)
    with pytest.raises(WrongUse, match="cannot write"), lease.hold(tmp_path / "store.db", "one"):
        pass
    assert other.read_text() == "of somebody else"
    (tmp_path / "store.db.measuring").unlink()
    os.mkfifo(tmp_path / "store.db.measuring")
    with pytest.raises(WrongUse, match="plain file"), lease.hold(tmp_path / "store.db", "one"):
        pass


def test_a_lease_removed_by_its_last_holder_is_taken_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the opening of the file and the lock, the former holder has removed it."""
    store, path = tmp_path / "store.db", tmp_path / "store.db.measuring"
    lock, gone = file_lock._lock, []

    def late(descriptor: int) -> None:
        if not gone:
            gone.append(descriptor)
            path.unlink()
        lock(descriptor)

    monkeypatch.setattr(file_lock, "_lock", late)
    with lease.hold(store, "one"):
        assert path.exists()
        with pytest.raises(WrongUse, match="another process measures"), lease.hold(store, "two"):
            pass
