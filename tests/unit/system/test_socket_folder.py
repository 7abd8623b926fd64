"""A folder for sockets, where the temporary folder's path is too long for one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shaderlab.system import socket_folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes have no folder on Windows")

BIND = """
import os, socket, sys, tempfile
from multiprocessing import connection
from shaderlab.system import socket_folder
usual = tempfile.gettempdir()
socket_folder.settle()
address = connection.arbitrary_address("AF_UNIX")
with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(address)
assert tempfile.gettempdir() == usual
print(address, len(os.fsencode(address)))
"""


def bind(temporary: Path, runtime: str = "") -> tuple[str, int]:
    """The address of a socket of `multiprocessing`, and its length in bytes."""
    temporary.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", BIND],
        env={**os.environ, "TMPDIR": str(temporary), "XDG_RUNTIME_DIR": runtime},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stderr, "the folder is removed before Python has to"
    address, length = done.stdout.rsplit(maxsplit=1)
    return address, int(length)


def of_length(folder: Path, wanted: int) -> Path:
    missing = wanted - len(os.fsencode(folder)) - 1
    assert missing > 0
    return folder / ("x" * missing)


@pytest.fixture
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("s")
    if len(os.fsencode(made)) > 60:
        pytest.skip("pytest's own folder has a long path here")
    return made


def test_the_usual_folder_is_kept_up_to_the_last_byte(short: Path) -> None:
    folder = of_length(short, 70)
    address, used = bind(folder)
    assert address.startswith(f"{folder}/")
    assert used == 107


@pytest.mark.parametrize("length", [71, 107, 150])
def test_a_long_one_is_not_used_and_what_is_made_instead_is_removed(
    short: Path, length: int
) -> None:
    folder = of_length(short, length)
    address, used = bind(folder, "relative")
    assert address.startswith("/tmp/")
    assert used <= 107
    assert not Path(address).parent.exists()
    assert not list(folder.iterdir())


def test_the_folder_of_the_users_session_comes_first(short: Path) -> None:
    address, _ = bind(of_length(short, 120), str(short))
    assert address.startswith(f"{short}/shaderlab-")


def test_bytes_count_not_characters(short: Path) -> None:
    room = 70 - len(os.fsencode(short)) - 1
    folder = short / ("é" * (room // 2 + 1))
    assert len(str(folder)) < 70 < len(os.fsencode(folder))
    assert bind(folder)[0].startswith("/tmp/")


def test_without_a_short_folder_the_way_out_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = str(tmp_path / ("x" * 150))
    monkeypatch.setattr(socket_folder.tempfile, "tempdir", folder)
    monkeypatch.setattr(socket_folder, "_is_usable", lambda _: False)
    monkeypatch.setattr(socket_folder, "_kept", None)
    with pytest.raises(OSError, match="set TMPDIR to a folder of at most 70 bytes"):
        socket_folder.settle()
    assert socket_folder.tempfile.tempdir == folder
