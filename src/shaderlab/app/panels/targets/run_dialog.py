"""Asks for the size and time of the frame that is predicted."""

from __future__ import annotations

from shaderlab.app.qt import Qt, QtWidgets, QWidget, Signal
from shaderlab.app.session.counted_run import SIDE_RANGE, TIME_RANGE_S, CountedRun
from shaderlab.app.widgets.boxes import centre_labels
from shaderlab.app.widgets.number_boxes import number_box, whole_number_box


class RunDialog(QtWidgets.QDialog):
    """Width, height and iTime; `chosen` where the user agrees."""

    chosen = Signal(object)
    """A `CountedRun`."""

    def __init__(self, now: CountedRun, parent: QWidget):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Size and time of the predicted frame")
        self.width_box, self.height_box = whole_number_box(), whole_number_box()
        for field, value in ((self.width_box, now.size[0]), (self.height_box, now.size[1])):
            field.setRange(*SIDE_RANGE)
            field.setValue(value)
            field.setSuffix(" px")
        self.time_box = number_box()
        self.time_box.setRange(*TIME_RANGE_S)
        self.time_box.setDecimals(3)
        self.time_box.setValue(now.time_s)
        self.time_box.setSuffix(" s")
        form = QtWidgets.QFormLayout(self)
        form.addRow("&Width", self.width_box)
        form.addRow("&Height", self.height_box)
        form.addRow("&Time (iTime)", self.time_box)
        centre_labels(form)
        hint = QtWidgets.QLabel("More pixels take longer to count.")
        hint.setProperty("role", "dim")
        form.addRow(hint)
        kinds = QtWidgets.QDialogButtonBox.StandardButton
        buttons = QtWidgets.QDialogButtonBox(kinds.Ok | kinds.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)

    def accept(self) -> None:
        size = self.width_box.value(), self.height_box.value()
        super().accept()
        self.chosen.emit(CountedRun(size, self.time_box.value()))
