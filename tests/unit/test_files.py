import os
import select
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from shaderlab import files
from shaderlab.errors import WrongUse


def test_a_new_file_has_the_mode_asked_for_and_an_old_one_keeps_its_own(tmp_path):
    path = tmp_path / "a"
    files.write(path, b"1", mode=0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o751)
    files.write(path, b"2", mode=0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert path.read_bytes() == b"2"
    mask = os.umask(0o027)
    files.save(tmp_path / "b", b"3")
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o640


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_fault_at_any_step_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space left"):
        files.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "large"])
def test_what_is_not_a_readable_file_is_refused_at_once(tmp_path, kind):
    path = tmp_path / kind
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "large":
        path.write_bytes(bytes(101))
    with pytest.raises(WrongUse, match=f"cannot read {path}"):
        files.read_bytes(path, 100)


def test_a_name_no_system_takes_is_refused():
    with pytest.raises(WrongUse):
        files.read_bytes(Path("a\0b"), 100)


def test_a_device_is_written_to_and_not_replaced():
    before = Path("/dev/null").stat().st_rdev
    files.check_target(Path("/dev/null"))
    files.save(Path("/dev/null"), b"gone")
    assert Path("/dev/null").stat().st_rdev == before
    with pytest.raises(WrongUse, match="cannot write /dev/full: No space left"):
        files.save(Path("/dev/full"), b"too much")


@pytest.mark.skipif(os.name == "nt", reason="there are no named pipes")
def test_a_pipe_is_written_to_where_somebody_reads_it(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(WrongUse, match="a pipe that no program reads"):
        files.save(path, b"nobody")
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    more_than_it_holds = b"somebody" * 2_000_000
    with ThreadPoolExecutor() as pool, os.fdopen(reader, "rb") as read:
        os.set_blocking(reader, True)
        saving = pool.submit(files.save, path, more_than_it_holds)
        select.select([reader], [], [], 60)  # before the first byte it would read as ended
        assert read.read() == more_than_it_holds
        saving.result()
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_target_that_cannot_be_written_is_refused_before_the_work(tmp_path):
    for path in (tmp_path, tmp_path / "missing" / "a", Path("/proc/a"), Path("a\0b")):
        with pytest.raises(WrongUse, match="cannot write"):
            files.check_target(path)
    files.check_target(tmp_path / "a")
    assert not any(tmp_path.iterdir())


def test_a_file_of_which_a_part_was_written_when_its_maker_failed_is_as_before(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with suppress(KeyError), files.replacing(path) as file:
        file.write(b"ne")
        raise KeyError
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "link").symlink_to("a")
    files.write(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_bytes() == b"new"
