"""The page of the settings with the limits: what a request may take, and how large and slow a
preview may be."""

from __future__ import annotations

from shaderlab.app.qt import QtWidgets, QWidget
from shaderlab.app.settings import (
    BUDGET_RANGE_S,
    LEAST_MEMORY_MIB,
    LIMIT_RANGE_S,
    PIXELS_RANGE,
    Settings,
)
from shaderlab.app.widgets.boxes import centre_labels
from shaderlab.app.widgets.number_boxes import number_box, whole_number_box
from shaderlab.workers.supervisor.limits import default_memory_bytes

_TIMES = (
    (
        "frame_limit_s",
        "Preview frame",
        "A frame that takes longer is stopped, and the preview paused.",
    ),
    ("compile_limit_s", "Compiling", "A compiler that takes longer is stopped and restarted."),
    (
        "trace_limit_s",
        "Counting",
        "One frame with all basic blocks counted. Without counts, times are only estimated.",
    ),
    ("predict_limit_s", "Predicting", "The forecasts of all targets together."),
    ("profile_limit_s", "Profiling", "All trials and draws together."),
)
_MIB = "\u202fMiB"
_MEGAPIXEL = 1e6


class LimitsPage(QWidget):
    """A form; each limit says what happens beyond it."""

    def __init__(self, settings: Settings):
        super().__init__()
        self._form = QtWidgets.QFormLayout(self)
        self._form.setVerticalSpacing(2)
        self._times: dict[str, QtWidgets.QDoubleSpinBox] = {}
        for name, label, tip in _TIMES:
            self._times[name] = _seconds(LIMIT_RANGE_S)
            self._add(label, self._times[name], tip)
        self._memory = whole_number_box()
        self._memory.setRange(0, 1 << 20)
        self._memory.setSingleStep(256)
        self._memory.setSuffix(_MIB)
        self._memory.setSpecialValueText(f"Automatic ({default_memory_bytes() >> 20}{_MIB})")
        self._add(
            "Memory",
            self._memory,
            "Of each worker process. A worker that exceeds it is restarted; "
            f"minimum {LEAST_MEMORY_MIB}{_MIB}.",
        )
        self._budget = _seconds(BUDGET_RANGE_S)
        self._add(
            "Full resolution up to",
            self._budget,
            "Slower preview frames are drawn at a lower resolution.",
        )
        self._pixels = number_box()
        self._pixels.setRange(PIXELS_RANGE[0] / _MEGAPIXEL, PIXELS_RANGE[1] / _MEGAPIXEL)
        self._pixels.setSuffix(" megapixels")
        self._add("Largest preview", self._pixels, "Upper limit for every preview size.")
        centre_labels(self._form)
        self.show_values(settings)

    def show_values(self, settings: Settings) -> None:
        """Fill the form."""
        for name, box in self._times.items():
            box.setValue(getattr(settings, name))
        self._memory.setValue(settings.memory_limit_mib)
        self._budget.setValue(settings.frame_budget_s)
        self._pixels.setValue(settings.most_pixels / _MEGAPIXEL)

    def write(self, settings: Settings) -> None:
        """Take what the form holds into the settings."""
        for name, box in self._times.items():
            setattr(settings, name, box.value())
        settings.memory_limit_mib = self._memory.value()
        settings.frame_budget_s = self._budget.value()
        pixels = self._pixels.value() * _MEGAPIXEL
        if abs(pixels - settings.most_pixels) > _MEGAPIXEL / 100:  # shown rounded
            settings.most_pixels = round(pixels)

    def _add(self, label: str, box: QtWidgets.QAbstractSpinBox, about: str) -> None:
        box.setAccessibleName(label)
        box.setAccessibleDescription(about)
        note = QtWidgets.QLabel(about)
        note.setProperty("role", "dim")
        note.setWordWrap(True)
        note.setContentsMargins(0, 0, 0, 8)
        self._form.addRow(label, box)
        self._form.addRow("", note)


def _seconds(bounds: tuple[float, float]) -> QtWidgets.QDoubleSpinBox:
    box = number_box()
    box.setRange(*bounds)
    box.setSuffix(" s")
    return box
