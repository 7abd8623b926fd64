"""The interface's process: what it loads, and what it leaves behind."""

import subprocess
import sys

import pytest

from shaderlab.app.qt import QImage

PROGRAM = """
import sys
from pathlib import Path

if __name__ == "__main__":
    from shaderlab.app import snapshot

    assert "PySide6" not in sys.modules, "Qt waits until a window is asked for"
    complete = snapshot(Path(sys.argv[1]), timeout_s=90, theme="dark")
    loaded = {"torch", "vulkan", "shaderlab.gpu.binding"} & set(sys.modules)
    print(complete, sorted(loaded))
"""


@pytest.fixture(scope="module")
def taken(tmp_path_factory):
    """A snapshot without a display: its picture, and what its process printed."""
    folder = tmp_path_factory.mktemp("snapshot")
    script = folder / "take.py"
    script.write_text(PROGRAM)
    picture = folder / "window.png"
    done = subprocess.run(
        [sys.executable, str(script), str(picture)],
        env={**__import__("os").environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    return picture, done


def test_snapshot_without_a_display_shows_a_complete_window(taken):
    picture, done = taken
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("True"), done.stderr
    image = QImage(str(picture))
    assert (image.width(), image.height()) == (1280, 720)
    seen = {image.pixel(x, y) for x in range(0, 1280, 3) for y in range(0, 720, 3)}
    assert len(seen) > 300


def test_interface_loads_neither_torch_nor_vulkan(taken):
    assert taken[1].stdout.split(" ", 1)[1].strip() == "[]"
