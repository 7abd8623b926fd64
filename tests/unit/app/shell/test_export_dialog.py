"""What can be exported."""

from typing import Any, cast

from shaderlab.app.qt import QObject, QWidget, Signal
from shaderlab.app.shell.export_dialog import ExportDialog


class Exports(QObject):
    changed = Signal()
    finished = Signal(object)
    failed = Signal(object)
    plan, done = None, 0

    def cancel(self) -> None: ...


def test_a_range_without_pictures_or_with_too_many_cannot_be_exported(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    for loop, possible in (((0.0, 2.0), True), ((1.0, 1.01), False), ((0.0, 3600.0), False)):
        dialog = ExportDialog(cast("Any", Exports(window)), "a", loop, window)
        assert dialog.save.isEnabled() is possible, loop


def test_a_file_must_be_named_whatever_is_typed(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    dialog = ExportDialog(cast("Any", Exports(window)), "a", None, window)
    dialog.path.setText("")
    dialog.film.setCurrentIndex(1)
    assert (dialog.save.isEnabled(), dialog.summary.text()) == (False, "Enter a file name.")
    dialog.path.setText("~nobody-of-this-name/a.gif")
    assert dialog.save.isEnabled()
    assert str(dialog.plan.path).startswith("~nobody")
