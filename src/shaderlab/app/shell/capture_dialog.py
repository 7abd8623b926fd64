"""Run > Capture a program: what to start, and when to take the frame."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from shaderlab import locations
from shaderlab.app.qt import QtWidgets, QWidget
from shaderlab.app.session.program_capture import ProgramCapture
from shaderlab.app.widgets.boxes import add_beside, centre_labels
from shaderlab.app.widgets.number_boxes import number_box
from shaderlab.captures.running import Launch
from shaderlab.errors import ShaderlabError, WrongUse

_LONGEST_DELAY_S = 3600.0


def launch(program: str, arguments: str, folder: str, delay_s: float | None) -> Launch:
    """What the form says.  Raises WrongUse with the sentence to show."""
    if not program.strip():
        raise WrongUse("Enter the program to start")
    try:
        given = shlex.split(arguments, posix=os.name == "posix")
    except ValueError as error:
        raise WrongUse(f"The arguments cannot be read: {str(error).lower()}") from None
    where = locations.typed(folder) if folder.strip() else Path.cwd()
    if not where.is_dir():
        raise WrongUse(f"There is no folder {where}")
    return Launch((str(locations.typed(program)), *given), where, delay_s)


class CaptureDialog(QtWidgets.QDialog):
    """Closes when the frame is there; closing it before ends the program."""

    def __init__(self, capture: ProgramCapture, last: Launch | None, parent: QWidget):
        """`last`: what was started before."""
        super().__init__(parent)
        self.setWindowTitle("Capture a program")
        self._capture = capture
        self.launched = last
        self.program, self.arguments = QtWidgets.QLineEdit(), QtWidgets.QLineEdit()
        self.folder = QtWidgets.QLineEdit()
        self.by_hand = QtWidgets.QCheckBox("Take the frame when I press the button")
        self.delay = number_box()
        self.delay.setRange(0.0, _LONGEST_DELAY_S)
        self.delay.setSuffix(" s after the start")
        self.delay.setValue(2.0)
        self.said = QtWidgets.QLabel()
        self.said.setWordWrap(True)
        self.said.setProperty("role", "dim")
        self.begin = QtWidgets.QPushButton("Start")
        self.begin.setDefault(True)
        self.take = QtWidgets.QPushButton("Take the frame")
        self.cancel = QtWidgets.QPushButton("Cancel")
        if last is not None:
            self.program.setText(last.command[0])
            self.arguments.setText(shlex.join(last.command[1:]))
            self.folder.setText(str(last.folder))
            self.by_hand.setChecked(last.delay_s is None)
            self.delay.setValue(2.0 if last.delay_s is None else last.delay_s)
        self._lay_out()
        self.begin.clicked.connect(self._start)
        self.take.clicked.connect(capture.take)
        self.cancel.clicked.connect(self.reject)
        self.by_hand.toggled.connect(self._follow)
        capture.changed.connect(self._follow)
        capture.captured.connect(self.accept)  # no lambda: it would outlive the dialog
        capture.failed.connect(self._say)
        self._follow()

    def _lay_out(self) -> None:
        browse = QtWidgets.QPushButton("Browse…")
        browse.clicked.connect(self._browse)
        choose = QtWidgets.QPushButton("Browse…")
        choose.clicked.connect(self._choose_folder)
        form = QtWidgets.QFormLayout()
        add_beside(form, "&Program", self.program, browse)
        form.addRow("&Arguments", self.arguments)
        add_beside(form, "Working &folder", self.folder, choose)
        form.addRow("Frame", self.delay)
        form.addRow("", self.by_hand)
        centre_labels(form)
        self.folder.setPlaceholderText(str(Path.cwd()))
        row = QtWidgets.QHBoxLayout()
        row.addStretch(1)
        for button in (self.take, self.begin, self.cancel):
            row.addWidget(button)
        column = QtWidgets.QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.said)
        column.addStretch(1)
        column.addLayout(row)
        for button in (browse, choose, self.take, self.cancel):  # Return starts the program
            button.setAutoDefault(False)
        self.resize(520, 260)

    def _start(self) -> None:
        delay_s = None if self.by_hand.isChecked() else self.delay.value()
        try:
            self.launched = launch(
                self.program.text(), self.arguments.text(), self.folder.text(), delay_s
            )
        except WrongUse as error:
            self._say(error)
            return
        # First, since a refusal may come at once.
        self._say_text(f"{Path(self.launched.command[0]).name} runs under RenderDoc", "dim")
        self._capture.start(self.launched)

    def _follow(self) -> None:
        running = self._capture.running
        for widget in (self.program, self.arguments, self.folder, self.by_hand, self.begin):
            widget.setEnabled(not running)
        self.delay.setEnabled(not running and not self.by_hand.isChecked())
        self.take.setVisible(self.by_hand.isChecked())
        self.take.setEnabled(running)

    def _say(self, error: ShaderlabError) -> None:
        self._say_text(str(error), "error")

    def _say_text(self, text: str, role: str) -> None:
        self.said.setText(text)
        self.said.setProperty("role", role)
        self.said.style().polish(self.said)

    def _browse(self) -> None:
        name, _ = QtWidgets.QFileDialog.getOpenFileName(self, "The program to capture")
        if name:
            self.program.setText(name)

    def _choose_folder(self) -> None:
        name = QtWidgets.QFileDialog.getExistingDirectory(self, "Working folder")
        if name:
            self.folder.setText(name)

    def reject(self) -> None:
        self._capture.stop()
        super().reject()
