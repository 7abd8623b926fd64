from __future__ import annotations

import importlib
import sys
import threading

import pytest

from shaderlab.app.widgets.late_import import import_beside

THREAD = "import threading\nthread = threading.get_ident()\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("brought_late", None)


def test_a_module_is_imported_beside(folder):
    (folder / "brought_late.py").write_text(THREAD)
    thread = import_beside("brought_late")
    thread.join(10)
    assert sys.modules["brought_late"].thread == thread.ident != threading.get_ident()


def test_a_module_that_fails_is_logged_and_raises_where_it_is_wanted(folder, caplog):
    (folder / "brought_late.py").write_text("1 / 0\n")
    import_beside("brought_late").join(10)
    assert "brought_late cannot be imported" in caplog.text
    with pytest.raises(ZeroDivisionError):
        importlib.import_module("brought_late")
