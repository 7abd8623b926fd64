from __future__ import annotations

import importlib
import sys
import threading

import pytest

from shaderlab.app.widgets.late_import import import_beside

THREAD = """\
import threading
from PySide6 import QtCore, QtGui, QtWidgets
thread = threading.get_ident()
unmade = [name for each in (QtCore, QtGui, QtWidgets) for name in set(dir(each)) - set(vars(each))]
"""


@pytest.fixture
def brought(tmp_path, monkeypatch, qtbot):
    monkeypatch.syspath_prepend(str(tmp_path))

    def bring(text: str) -> threading.Thread:
        (tmp_path / "brought_late.py").write_text(text)
        thread = import_beside("brought_late")
        qtbot.waitUntil(lambda: thread.ident is not None, timeout=60_000)
        thread.join(60)
        return thread

    yield bring
    sys.modules.pop("brought_late", None)


def test_a_module_is_imported_beside_once_all_types_are_made(brought):
    thread = brought(THREAD)
    module = sys.modules["brought_late"]
    assert module.thread == thread.ident != threading.get_ident()
    assert module.unmade == []


def test_a_module_that_fails_is_logged_and_raises_where_it_is_wanted(brought, caplog):
    brought("1 / 0\n")
    assert "brought_late cannot be imported" in caplog.text
    with pytest.raises(ZeroDivisionError):
        importlib.import_module("brought_late")
