"""A field for one number of any size, with steps by arrow keys and wheel."""

from __future__ import annotations

import math

from shaderlab.app.qt import QSize, Qt, QtWidgets, Signal
from shaderlab.spirv.value_types import Component, Numeric

_LARGEST = 3.4028234663852886e38
_WIDEST = "-0.00000"
_STEPS = {
    Qt.Key.Key_Up: 1,
    Qt.Key.Key_Down: -1,
    Qt.Key.Key_PageUp: 10,
    Qt.Key.Key_PageDown: -10,
}


class NumberField(QtWidgets.QLineEdit):
    """Holds what the type can hold, exactly as given, shown in seven digits.

    Not a spin box: Qt's know a fixed number of decimals only, and no powers of ten.
    """

    edited = Signal(float)
    """By the user, not by `show_number`."""

    def __init__(self, numeric: Numeric, step: float = 0.0, name: str = ""):
        """`step`: of the arrow keys; 0 for a tenth of the number's leading digit."""
        super().__init__()
        self._whole = numeric.component is not Component.FLOAT
        self._range = _range(numeric)
        self._step = step or float(self._whole)
        self._number = 0.0
        self.setAccessibleName(name)
        self.setProperty("role", "number")
        self.setToolTip("Arrow keys change it in steps, Page Up and Page Down in ten")
        self.setText(self._shown)
        self.editingFinished.connect(self._on_finished)

    @property
    def number(self) -> float:
        return self._number

    def show_number(self, number: float) -> None:
        """Without saying that it was edited, and without touching a number half typed."""
        if number != self._number:
            self._number = number
            self.setText(self._shown)
            self.setCursorPosition(0)

    @property
    def _shown(self) -> str:
        return f"{self._number:.0f}" if self._whole else f"{self._number:.7g}"

    def _on_finished(self) -> None:
        if self.text() == self._shown:
            return
        typed = _parsed(self.text())
        if typed is not None:
            self._take(typed)
        self.setText(self._shown)

    def _take(self, number: float) -> None:
        low, high = self._range
        number = min(max(number, low), high)
        if self._whole:
            number = float(math.trunc(number))
        if number != self._number:
            self._number = number
            self.setText(self._shown)
            self.edited.emit(number)

    def step(self, steps: int) -> None:
        """Change the number by so many steps, to a multiple of one."""
        self._on_finished()
        step = self._step
        if not step:
            size = abs(self._number)
            step = 10.0 ** (math.floor(math.log10(size)) - 1) if size > 1e-6 else 0.01
        places = max(0, -math.floor(math.log10(step))) + 1
        self._take(round(round(self._number / step + steps) * step, min(places, 300)))
        self.selectAll()

    def keyPressEvent(self, event) -> None:
        steps = _STEPS.get(event.key())
        if steps is None:
            super().keyPressEvent(event)
        else:
            self.step(steps)

    def wheelEvent(self, event) -> None:
        """The wheel scrolls the pane unless the field is in use."""
        if self.hasFocus() and event.angleDelta().y():
            self.step(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
        else:
            event.ignore()

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(_WIDEST) + 16
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance("0.0") + 14
        return QSize(width, super().minimumSizeHint().height())


def _range(numeric: Numeric) -> tuple[float, float]:
    if numeric.component is Component.FLOAT:
        return -_LARGEST, _LARGEST
    if numeric.component is Component.BOOL:
        return 0.0, 1.0
    bits = min(numeric.bits, 53)  # a double is exact to there
    if numeric.component is Component.UINT:
        return 0.0, float(2**bits - 1)
    return float(-(2 ** (bits - 1))), float(2 ** (bits - 1) - 1)


def _parsed(text: str) -> float | None:
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
