"""The interface's process: what it loads, and what it leaves behind."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from shaderlab.app.documents import journal
from shaderlab.app.qt import QImage
from shaderlab.app.settings import SettingsStore

PROGRAM = """
import sys
from pathlib import Path

if __name__ == "__main__":
    from shaderlab.app import snapshot

    assert "PySide6" not in sys.modules, "Qt waits until a window is asked for"
    complete = snapshot(Path(sys.argv[1]), timeout_s=90, theme="dark")
    loaded = {"torch", "vulkan", "shaderlab.gpu.vulkan.binding"} & set(sys.modules)
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
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONFAULTHANDLER": "1"},
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


RUN = """
import signal, sys
from pathlib import Path

if __name__ == "__main__":
    from shaderlab.app.shell import start
    from shaderlab.app.qt import QTimer
    from shaderlab.app.shell.main_window import MainWindow
    from shaderlab.frontend.examples import examples

    def window():
        return next(w for w in start.application().topLevelWidgets() if isinstance(w, MainWindow))

    def begin():
        if window().documents.document.name == "untitled":
            QTimer.singleShot(100, begin)
            return
        print([notice.text for notice in window().notices.notices], flush=True)
        if sys.argv[1] == "tabs":
            window().documents.open_example(examples()[0])
        elif sys.argv[1] == "close":
            window().close()
        else:
            window().editor.change_text("// precious\\n")
            print("typed", flush=True)

    start.application()
    QTimer.singleShot(1000, begin)
    sys.exit(start.run(None))
"""


@contextlib.contextmanager
def run_window(folder, how: str) -> Iterator[subprocess.Popen]:
    script = folder / "run.py"
    script.write_text(RUN)
    homes = {f"XDG_{kind}_HOME": str(folder / kind) for kind in ("CONFIG", "DATA", "CACHE")}
    with subprocess.Popen(
        [sys.executable, str(script), how],
        env={**os.environ, **homes, "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_run_that_is_closed_leaves_nothing_and_one_told_to_end_leaves_its_text(tmp_path):
    runs = tmp_path / "DATA" / "shaderlab" / "runs"
    with run_window(tmp_path, "close") as first:
        assert first.stdout.readline() == "[]\n"
        assert first.wait(60) == 0
    assert list(runs.iterdir()) == []
    with run_window(tmp_path, "type") as second:
        assert second.stdout.readline() == "[]\n"
        assert second.stdout.readline() == "typed\n"
        second.terminate()
        assert second.wait(60) == 0, "told to end, it does not ask"
    (folder,) = runs.iterdir()
    assert journal.read(folder / "document.json").text == "// precious\n"
    with run_window(tmp_path, "close") as third:
        assert "Unsaved changes were recovered" in third.stdout.readline()
        assert third.wait(60) == 0
    assert [path.name for path in runs.iterdir()] == [folder.name], "kept until it is taken"


def test_a_killed_run_leaves_which_documents_were_open(tmp_path):
    store = SettingsStore(tmp_path / "CONFIG" / "shaderlab" / "settings.ini")
    with run_window(tmp_path, "tabs") as process:
        process.stdout.readline()
        while store.load().open_files != ["example:gradient"]:
            assert process.poll() is None
            time.sleep(0.1)
        process.kill()
