"""What is put off until the window is painted is there for whoever asks for it before."""

import importlib
import subprocess
import sys
import threading

import pytest

from shaderlab.app import early


@pytest.fixture
def slow_module(tmp_path, monkeypatch):
    """A module that counts how often it was loaded, and is put off."""
    (tmp_path / "put_off_here.py").write_text(
        "import sys\nsys.loads_of_it = getattr(sys, 'loads_of_it', 0) + 1\n"
        "import time\ntime.sleep(0.02)\nvalue = 7\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    # It puts back Python's own import: PySide6's, which pytest-qt brought, looks into each module.
    importlib.import_module("shaderlab.app.qt")
    monkeypatch.setattr(early, "_PUT_OFF", ("put_off_here",))
    monkeypatch.setattr(sys, "loads_of_it", 0, raising=False)
    early.begin()
    yield "put_off_here"
    early.finish()
    sys.modules.pop("put_off_here", None)


def test_a_module_that_was_put_off_is_loaded_when_something_of_it_is_wanted(slow_module):
    import put_off_here as there

    assert sys.loads_of_it == 0
    assert there.value == 7
    import put_off_here as again

    assert (again.value, there.value, sys.loads_of_it) == (7, 7, 1)
    with pytest.raises(AttributeError):
        _ = there.nothing_of_the_kind


def test_threads_that_want_it_at_once_load_it_once(slow_module):
    import put_off_here as there

    seen = []
    threads = [threading.Thread(target=lambda: seen.append(there.value)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (seen, sys.loads_of_it) == ([7] * 8, 1)


def test_after_the_first_paint_everything_is_as_usual(slow_module):
    early.finish()
    assert sys.loads_of_it == 1
    early.finish()
    assert sys.loads_of_it == 1


def test_what_is_there_already_stays(monkeypatch):
    monkeypatch.setattr(early, "_PUT_OFF", ("json",))
    import json

    early.begin()
    early.finish()
    assert sys.modules["json"] is json


def test_the_window_s_modules_leave_it_put_off():
    """A module that uses numpy as it is imported has the window painted a tenth later."""
    script = (
        "from shaderlab.app import early\nearly.begin()\n"
        "import sys, shaderlab.app.shell.start\n"
        "print([name for name in early._PUT_OFF if type(sys.modules[name]) is not early._Later])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
