"""Asks for the size and time of the frame that is predicted."""

from __future__ import annotations

from shaderlab.app.qt import QtWidgets, QWidget
from shaderlab.app.session.counted_run import SIDE_RANGE, TIME_RANGE_S, CountedRun
from shaderlab.app.widgets.number_boxes import number_box, whole_number_box


def ask_for_run(now: CountedRun, parent: QWidget) -> CountedRun | None:
    """None where the user cancels."""
    dialog = QtWidgets.QDialog(parent)
    dialog.setWindowTitle("Size and time of the predicted frame")
    width, height = whole_number_box(), whole_number_box()
    for field, value in ((width, now.size[0]), (height, now.size[1])):
        field.setRange(*SIDE_RANGE)
        field.setValue(value)
        field.setSuffix(" px")
    time = number_box()
    time.setRange(*TIME_RANGE_S)
    time.setDecimals(3)
    time.setValue(now.time_s)
    time.setSuffix(" s")
    form = QtWidgets.QFormLayout(dialog)
    form.addRow("&Width", width)
    form.addRow("&Height", height)
    form.addRow("&Time (iTime)", time)
    hint = QtWidgets.QLabel("More pixels take longer to count.")
    hint.setProperty("role", "dim")
    form.addRow(hint)
    kinds = QtWidgets.QDialogButtonBox.StandardButton
    buttons = QtWidgets.QDialogButtonBox(kinds.Ok | kinds.Cancel)
    buttons.accepted.connect(dialog.accept)
    buttons.rejected.connect(dialog.reject)
    form.addRow(buttons)
    if dialog.exec() != QtWidgets.QDialog.DialogCode.Accepted:
        return None
    return CountedRun((width.value(), height.value()), time.value())
