"""Making this device a target: what will happen, how far it is, what the result is."""

from __future__ import annotations

import re

from shaderlab.app.qt import Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.number_boxes import whole_number_box
from shaderlab.app.widgets.theme import Theme

FEWEST, MOST, USUAL = 5, 74, 40
"""Shaders that can be timed: what a fit needs, all there are, what is offered."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


class CalibrateDialog(QtWidgets.QDialog):
    """Asks for a calibration and shows its progress; knows nothing of workers."""

    start_wanted = Signal(int, str, bool)
    """Shaders, name of the target, whether recorded samples take part."""
    stop_wanted = Signal()

    def __init__(
        self, device: str, name: str, taken: frozenset[str], recorded: bool, theme: Theme,
        parent: QWidget | None = None,
    ):  # fmt: skip
        """`taken`: names no target may have; `recorded`: whether there is a store of samples."""
        super().__init__(parent)
        self.setWindowTitle("Calibrate this device")
        self._theme, self._taken = theme, taken
        self._running = False
        self._problem = ""
        about = QtWidgets.QLabel(
            f"Times a set of shaders on <b>{device}</b>, fits the cost of each kind of operation, "
            "and adds the device to the prediction targets. The preview is paused meanwhile; "
            "other work on this machine distorts the times."
        )
        about.setTextFormat(Qt.TextFormat.RichText)
        about.setWordWrap(True)
        self.shaders = whole_number_box()
        self.shaders.setRange(FEWEST, MOST)
        self.shaders.setValue(USUAL)
        self.shaders.setToolTip(
            "The most informative shaders come first; more take longer and improve the fit."
        )
        self.name = QtWidgets.QLineEdit(name)
        self.name.setMaxLength(40)
        self.name.textChanged.connect(self._check)
        self.recorded = QtWidgets.QCheckBox("Add samples recorded on this device")
        self.recorded.setEnabled(recorded)
        self.recorded.setChecked(recorded)
        self.recorded.setToolTip(
            "Samples stored with their source, and those of shaders timed here anyway."
            if recorded
            else "No sample recorded yet: use Run, Record as a sample."
        )
        form = QtWidgets.QFormLayout()
        form.addRow("Shaders", self.shaders)
        form.addRow("Target", self.name)
        form.addRow("", self.recorded)
        self.bar = QtWidgets.QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.mark = QtWidgets.QLabel()
        self.message = QtWidgets.QLabel()
        self.message.setWordWrap(True)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        # Room for the longest answer, so that the window keeps its size.
        self.message.setMinimumHeight(self.fontMetrics().lineSpacing() * 6)
        self.message.setAlignment(Qt.AlignmentFlag.AlignTop)
        state = QtWidgets.QHBoxLayout()
        state.setSpacing(8)
        state.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignTop)
        state.addWidget(self.message, 1)
        kinds = QtWidgets.QDialogButtonBox.StandardButton
        self.buttons = QtWidgets.QDialogButtonBox(kinds.Close)
        self.go = self.buttons.addButton("Start", QtWidgets.QDialogButtonBox.ButtonRole.ActionRole)
        self.go.setDefault(True)
        self.go.clicked.connect(self._on_go)
        self.buttons.rejected.connect(self.reject)
        layout = QtWidgets.QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addWidget(about)
        layout.addLayout(form)
        layout.addWidget(self.bar)
        layout.addLayout(state)
        layout.addWidget(self.buttons)
        self.setMinimumWidth(460)
        self._say("", "", "dim")
        self._check()

    @property
    def running(self) -> bool:
        return self._running

    def show_progress(self, done: int, total: int, last: str) -> None:
        self.bar.setRange(0, total + 1)
        self.bar.setValue(done)
        what = "Fitting operation costs…" if done == total else f"{done} of {total} shaders: {last}"
        self._say(what, "", "dim")

    def show_result(self, text: str) -> None:
        self._stop()
        self.bar.setValue(self.bar.maximum())
        self._say(text, "good", "good")

    def show_failure(self, text: str) -> None:
        self._stop()
        self.bar.reset()
        self._say(text, "warning", "warning")

    def reject(self) -> None:
        """Closing while it runs stops it."""
        if self._running:
            self.stop_wanted.emit()
        super().reject()

    def _on_go(self) -> None:
        if self._running:
            self.go.setEnabled(False)
            self._say("Stopping after the current shader…", "", "dim")
            self.stop_wanted.emit()
            return
        self._running = True
        self.go.setText("Stop")
        for field in (self.shaders, self.name, self.recorded):
            field.setEnabled(False)
        self.bar.setRange(0, 0)
        self._say("Starting…", "", "dim")
        self.start_wanted.emit(
            self.shaders.value(),
            self.name.text(),
            self.recorded.isEnabled() and self.recorded.isChecked(),
        )

    def _stop(self) -> None:
        self._running = False
        self.bar.setRange(0, 1)
        self.go.setText("Start")
        self.shaders.setEnabled(True)
        self.name.setEnabled(True)
        self.recorded.setEnabled("No sample" not in self.recorded.toolTip())
        self._check()

    def _check(self) -> None:
        name = self.name.text()
        if name in self._taken:
            problem = f"{name} is a built-in target: choose another name."
        elif not _NAME.fullmatch(name):
            problem = "Name of the target: lower-case letters, digits and hyphens."
        else:
            problem = ""
        self.go.setEnabled(not problem)
        if problem or self._problem:
            self._say(problem, "warning" if problem else "", "warning" if problem else "dim")
        self._problem = problem

    def _say(self, text: str, icon: str, role: str) -> None:
        self.message.setText(text)
        self.mark.setVisible(bool(icon))
        if icon:
            colour = getattr(self._theme, role)
            self.mark.setPixmap(icons.pixmap(icon, colour, 18, self.devicePixelRatioF()))
