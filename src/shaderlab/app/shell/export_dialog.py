"""Asks what an animation is to be, and shows how far it is."""

from __future__ import annotations

from pathlib import Path

from shaderlab import locations
from shaderlab.app.qt import Qt, QtWidgets, QWidget
from shaderlab.app.session.export_jobs import ExportJobs
from shaderlab.app.widgets.boxes import add_beside, centre_labels
from shaderlab.app.widgets.number_boxes import number_box
from shaderlab.errors import ShaderlabError
from shaderlab.workers.exporting import Film, Plan

_FILMS = {Film.MP4: "MP4 video", Film.GIF: "GIF", Film.PNG: "PNG pictures"}
_SIZES = ((640, 360), (1280, 720), (1920, 1080), (2560, 1440), (3840, 2160), (512, 512))
_RATES_HZ = (10, 15, 24, 25, 30, 50, 60)
_LENGTH_S = 5.0
_MOST_FRAMES = 36000


class ExportDialog(QtWidgets.QDialog):
    """Stays open while the animation is drawn; closing it cancels that."""

    def __init__(
        self, exports: ExportJobs, stem: str, loop: tuple[float, float] | None, parent: QWidget
    ):
        super().__init__(parent)
        self.setWindowTitle("Export an animation")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._exports = exports
        start, end = loop or (0.0, _LENGTH_S)
        self.film = QtWidgets.QComboBox()
        for film, text in _FILMS.items():
            self.film.addItem(text, film)
        self.sides = QtWidgets.QComboBox()
        for width, height in _SIZES:
            self.sides.addItem(f"{width} \u00d7 {height}", (width, height))
        self.start, self.end = _seconds(start), _seconds(end)
        self.rate = QtWidgets.QComboBox()
        for rate in _RATES_HZ:
            self.rate.addItem(f"{rate} fps", rate)
        self.rate.setCurrentIndex(_RATES_HZ.index(30))
        self.path = QtWidgets.QLineEdit(str(Path.home() / f"{stem}.mp4"))
        browse = QtWidgets.QPushButton("Choose\u2026")
        browse.clicked.connect(self._browse)
        browse.setAutoDefault(False)
        self.summary = QtWidgets.QLabel()
        self.summary.setWordWrap(True)
        self.progress = QtWidgets.QProgressBar()
        self.progress.hide()
        form = QtWidgets.QFormLayout(self)
        form.addRow("&Format", self.film)
        form.addRow("&Size", self.sides)
        form.addRow("F&rom time", self.start)
        form.addRow("&To time", self.end)
        form.addRow("Frame r&ate", self.rate)
        add_beside(form, "Fi&le", self.path, browse)
        centre_labels(form)
        form.addRow(self.summary)
        form.addRow(self.progress)
        kinds = QtWidgets.QDialogButtonBox.StandardButton
        buttons = QtWidgets.QDialogButtonBox(kinds.Save | kinds.Cancel)
        self.save = buttons.button(kinds.Save)
        self.cancel = buttons.button(kinds.Cancel)
        self.save.setText("Export")
        self.save.clicked.connect(self._begin)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)
        self.setMinimumWidth(440)
        self._fields = (self.film, self.sides, self.start, self.end, self.rate, self.path, browse)
        self.film.currentIndexChanged.connect(self._on_film)
        for box in (self.sides, self.rate, self.film):
            box.currentIndexChanged.connect(self._summarise)
        for field in (self.start, self.end):
            field.valueChanged.connect(self._summarise)
        self.path.textChanged.connect(self._summarise)
        exports.changed.connect(self._show_progress)
        exports.finished.connect(self._on_finished)
        exports.failed.connect(self._on_failed)
        self._summarise()
        self._show_progress()

    @property
    def plan(self) -> Plan:
        """As the fields have it."""
        rate_hz = float(self.rate.currentData())
        frames = round((self.end.value() - self.start.value()) * rate_hz)
        width, height = self.sides.currentData()
        return Plan(
            Film(self.film.currentData()),
            locations.typed(self.path.text()),
            (width, height),
            self.start.value(),
            frames,
            rate_hz,
        )

    @property
    def _possible(self) -> bool:
        return 0 < self.plan.frames <= _MOST_FRAMES and bool(self.plan.path.name)

    def _summarise(self) -> None:
        frames = self.plan.frames
        self.save.setEnabled(self._possible and self._exports.plan is None)
        if frames <= 0:
            self.summary.setText("The end must be after the start.")
        elif not self.plan.path.name:
            self.summary.setText("Enter a file name.")
        elif not self._possible:
            self.summary.setText(f"{frames:,} frames are too many; the limit is {_MOST_FRAMES:,}.")
        else:
            self.summary.setText(f"{frames:,} frame{'s' * (frames != 1)}")

    def _on_film(self) -> None:
        path = Path(self.path.text())
        if path.name:
            self.path.setText(str(path.with_suffix(f".{self.film.currentData()}")))

    def _browse(self) -> None:
        name, _ = QtWidgets.QFileDialog.getSaveFileName(
            self, "Export an animation", self.path.text()
        )
        if name:
            self.path.setText(name)

    def _begin(self) -> None:
        self._exports.begin(self.plan)
        if self._exports.plan is None:
            self.summary.setText("The shader has not compiled yet, so there is nothing to export.")

    def _show_progress(self) -> None:
        plan = self._exports.plan
        self.progress.setVisible(plan is not None)
        for field in self._fields:
            field.setEnabled(plan is None)
        self.save.setEnabled(plan is None and self._possible)
        if plan is not None:
            self.progress.setMaximum(plan.frames)
            self.progress.setValue(self._exports.done)
            self.summary.setText(f"Frame {self._exports.done + 1} of {plan.frames}")

    def _on_finished(self, plan: Plan) -> None:
        self.summary.setText(f"Saved: {plan.path}")
        self.cancel.setText("Close")

    def _on_failed(self, error: ShaderlabError) -> None:
        remedy = f" {error.remedy}" if error.remedy else ""
        self.summary.setText(f"{error}.{remedy}")

    def done(self, result: int) -> None:
        self._exports.cancel()
        super().done(result)


def _seconds(value: float) -> QtWidgets.QDoubleSpinBox:
    field = number_box()
    field.setRange(0.0, 3600.0)
    field.setDecimals(2)
    field.setSuffix(" s")
    field.setValue(value)
    return field
