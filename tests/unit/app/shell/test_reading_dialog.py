"""Macros and include folders as a form."""

import pytest

from shaderlab.app.qt import QtWidgets, QWidget
from shaderlab.app.session.reading_choice import ReadingChoice
from shaderlab.app.shell.reading_dialog import ReadingDialog, macros_in
from shaderlab.errors import WrongUse
from shaderlab.frontend.reading import Reading


def test_macros_are_one_a_line_and_the_last_of_a_name_holds():
    assert macros_in("A\n\n B=2 \nA=x + 1\n") == (("A", "x + 1"), ("B", "2"))
    with pytest.raises(WrongUse, match="Line 2"):
        macros_in("A\n2B=1")


@pytest.fixture
def form(qtbot, tmp_path):
    window = QWidget()
    qtbot.addWidget(window)
    reading = ReadingChoice(window)
    reading.choose(Reading(defines=(("A", "1"),), search=(tmp_path,)))
    dialog = ReadingDialog(reading, tmp_path, window)
    dialog.show()
    yield reading, dialog
    window.close()


def test_what_holds_is_shown_and_kept_as_it_is(form, tmp_path):
    reading, dialog = form
    assert dialog.macros.toPlainText() == "A=1"
    dialog.accept()
    assert reading.value == Reading(defines=(("A", "1"),), search=(tmp_path,))


def test_what_is_no_macro_is_said_and_changes_nothing(form, qtbot):
    reading, dialog = form
    dialog.macros.selectAll()
    qtbot.keyClicks(dialog.macros, "not a macro")
    dialog.buttons.button(QtWidgets.QDialogButtonBox.StandardButton.Ok).click()
    assert dialog.isVisible()
    assert "Line 1" in dialog.problem.text()
    assert reading.value.defines == (("A", "1"),)


def test_folders_are_added_once_and_removed(form, qtbot, tmp_path, monkeypatch):
    reading, dialog = form
    (tmp_path / "lib").mkdir()
    monkeypatch.setattr(
        QtWidgets.QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path / "lib")
    )
    add, remove = (
        next(b for b in dialog.findChildren(QtWidgets.QPushButton) if b.text() == text)
        for text in ("Add…", "Remove")
    )
    add.click()
    add.click()
    dialog.folders.setCurrentRow(0)
    remove.click()
    dialog.accept()
    assert reading.value.search == (tmp_path / "lib",)
