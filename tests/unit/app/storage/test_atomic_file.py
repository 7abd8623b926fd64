import os
import stat

import pytest

from shaderlab.app.storage import atomic_file


def test_a_new_file_has_the_mode_asked_for_and_an_old_one_keeps_its_own(tmp_path):
    path = tmp_path / "a"
    atomic_file.write(path, b"1", mode=0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o751)
    atomic_file.write(path, b"2", mode=0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert path.read_bytes() == b"2"


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_fault_at_any_step_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space left"):
        atomic_file.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]
