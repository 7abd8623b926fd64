"""The status bar: caret, how the text is read, how long the last change took, the device."""

from __future__ import annotations

from shaderlab import units
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QObject, QtWidgets
from shaderlab.app.session.other_passes import OtherPasses
from shaderlab.app.session.session import Session
from shaderlab.app.shell.device_choice import DeviceChoice
from shaderlab.app.shell.reading_menu import ReadingMenu
from shaderlab.app.widgets.throttle import Throttle


def pass_text(passes: OtherPasses) -> str:
    """`Image, one of 3 passes`: which part of a frame all numbers are of; empty for a whole one."""
    count = len(passes.names)
    return f"{passes.edited}, one of {count} passes" if count > 1 else ""


class StatusBar(QObject):
    """Connects the session and the editor to the window's status bar."""

    def __init__(
        self,
        bar: QtWidgets.QStatusBar,
        session: Session,
        editor: Editor,
        reading: ReadingMenu,
        devices: DeviceChoice,
        refresh: Throttle,
    ):
        super().__init__(bar)
        self._session, self._reading = session, reading
        self._caret = QtWidgets.QLabel()
        self._pass = QtWidgets.QLabel()
        self._pass.setToolTip(
            "Counts in the editor and profiles are of this pass; predicted times and hot lines are "
            "of the whole frame, with this pass's part"
        )
        self._latency = QtWidgets.QLabel()
        self._latency.setToolTip("Time from the last edit to the picture, counts and predictions")
        bar.setSizeGripEnabled(False)
        for label in (self._caret, reading.button, self._pass, self._latency):
            bar.addWidget(label)
        bar.addPermanentWidget(devices.badge)
        bar.addPermanentWidget(devices.button)
        editor.cursor_moved.connect(
            lambda line, column: self._caret.setText(f"Line {line}, column {column}")
        )
        refresh.passed.connect(self._refresh)

    def _refresh(self) -> None:
        self._reading.refresh()
        self._pass.setText(pass_text(self._session.drawing.passes))
        timing = self._session.latency
        parts = (
            ("picture", timing.picture),
            ("counts", timing.counts),
            ("predictions", timing.forecasts),
        )
        known = [f"{name} {units.seconds(value)}" for name, value in parts if value is not None]
        shown = bool(known) and self._session.edited
        self._latency.setText(f"Last change: {', '.join(known)}" if shown else "")
