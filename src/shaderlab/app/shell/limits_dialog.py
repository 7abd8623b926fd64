"""The limits as a form: what a request may take, and how large and slow a preview may be."""

from __future__ import annotations

from shaderlab.app.qt import QtWidgets, QWidget, Signal
from shaderlab.app.settings import (
    BUDGET_RANGE_S,
    LEAST_MEMORY_MIB,
    LIMIT_RANGE_S,
    PIXELS_RANGE,
    Settings,
)
from shaderlab.workers.supervisor.limits import default_memory_bytes

_TIMES = (
    (
        "frame_limit_s",
        "Preview frame",
        "A longer frame is stopped, and the preview paused.",
    ),
    ("compile_limit_s", "Compiling", ""),
    ("trace_limit_s", "Counting", "One frame with all basic blocks counted."),
    ("predict_limit_s", "Predicting", ""),
    ("profile_limit_s", "Profiling", "All trials and draws together."),
)
_MIB = "\u202fMiB"
_MEGAPIXEL = 1e6


class LimitsDialog(QtWidgets.QDialog):
    """Changes the settings it was given when it is accepted."""

    changed = Signal()

    def __init__(self, settings: Settings, parent: QWidget):
        super().__init__(parent)
        self.setWindowTitle("Limits")
        self._settings = settings
        form = QtWidgets.QFormLayout()
        self._times: dict[str, QtWidgets.QDoubleSpinBox] = {}
        for name, label, tip in _TIMES:
            self._times[name] = self._seconds(LIMIT_RANGE_S, tip)
            form.addRow(label, self._times[name])
        self._memory = QtWidgets.QSpinBox()
        self._memory.setRange(0, 1 << 20)
        self._memory.setSingleStep(256)
        self._memory.setSuffix(_MIB)
        self._memory.setSpecialValueText(f"Automatic ({default_memory_bytes() >> 20}{_MIB})")
        self._memory.setToolTip(
            "Limit for each worker process. A worker that exceeds it is restarted; "
            f"minimum {LEAST_MEMORY_MIB}{_MIB}."
        )
        form.addRow("Memory", self._memory)
        self._budget = self._seconds(
            BUDGET_RANGE_S, "Slower shaders are drawn at a lower resolution."
        )
        form.addRow("Frame budget", self._budget)
        self._pixels = QtWidgets.QDoubleSpinBox()
        self._pixels.setRange(PIXELS_RANGE[0] / _MEGAPIXEL, PIXELS_RANGE[1] / _MEGAPIXEL)
        self._pixels.setSuffix(" megapixels")
        self._pixels.setToolTip("Upper limit for every preview size.")
        form.addRow("Largest preview", self._pixels)
        kinds = QtWidgets.QDialogButtonBox.StandardButton
        buttons = QtWidgets.QDialogButtonBox(kinds.Ok | kinds.Cancel | kinds.RestoreDefaults)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        buttons.button(kinds.RestoreDefaults).clicked.connect(lambda: self.show_values(Settings()))
        layout = QtWidgets.QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(buttons)
        self.show_values(settings)

    def show_values(self, settings: Settings) -> None:
        """Fill the form."""
        for name, box in self._times.items():
            box.setValue(getattr(settings, name))
        self._memory.setValue(settings.memory_limit_mib)
        self._budget.setValue(settings.frame_budget_s)
        self._pixels.setValue(settings.most_pixels / _MEGAPIXEL)

    def accept(self) -> None:
        for name, box in self._times.items():
            setattr(self._settings, name, box.value())
        self._settings.memory_limit_mib = self._memory.value()
        self._settings.frame_budget_s = self._budget.value()
        pixels = self._pixels.value() * _MEGAPIXEL
        if abs(pixels - self._settings.most_pixels) > _MEGAPIXEL / 100:  # shown rounded
            self._settings.most_pixels = round(pixels)
        self.changed.emit()
        super().accept()

    @staticmethod
    def _seconds(bounds: tuple[float, float], tip: str) -> QtWidgets.QDoubleSpinBox:
        box = QtWidgets.QDoubleSpinBox()
        box.setRange(*bounds)
        box.setSuffix(" s")
        box.setToolTip(tip)
        return box
