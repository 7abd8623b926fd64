from __future__ import annotations

import importlib
import sys
import threading

import pytest

from shaderlab.app.late_import import LateImport

THREAD = "import threading\nthread = threading.get_ident()\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("brought_late", None)


def test_a_module_is_imported_beside_and_told_of_here(qtbot, folder):
    (folder / "brought_late.py").write_text(THREAD)
    late = LateImport("brought_late")
    told_in = []
    late.arrived.connect(lambda: told_in.append(threading.get_ident()))
    late.start()
    late.start()
    qtbot.waitUntil(lambda: bool(told_in))
    assert told_in == [threading.get_ident()]
    assert sys.modules["brought_late"].thread != threading.get_ident()


def test_a_module_that_fails_is_told_of_too_and_raises_where_it_is_wanted(qtbot, folder):
    (folder / "brought_late.py").write_text("1 / 0\n")
    late = LateImport("brought_late")
    with qtbot.waitSignal(late.arrived):
        late.start()
    with pytest.raises(ZeroDivisionError):
        importlib.import_module("brought_late")
