"""Editors of numbers, one for each kind of value."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from shaderlab.app.panels.inputs.number_field import NumberField
from shaderlab.app.panels.inputs.rows import Editor, Limits, Row
from shaderlab.app.qt import QColor, QPainter, QSize, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.elided_label import ElidedLabel
from shaderlab.app.widgets.theme import Theme
from shaderlab.scene.inputs import Numbers
from shaderlab.spirv.value_types import Numeric

_NOTCHES = 1000
"""Positions of a slider over real numbers."""
_COMPONENTS = "xyzw"
_MOST_LISTED = 4096


class ValueEditor(QWidget):
    """What stands in a row's middle.  Subclasses show a row and say what the user makes of it."""

    edited = Signal(object)
    """The new value."""

    def __init__(self) -> None:
        super().__init__()
        self._row = QtWidgets.QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(6)

    def show_row(self, row: Row) -> None:
        raise NotImplementedError

    def set_theme(self, theme: Theme) -> None:
        """Most have nothing of their own to paint."""


class Statement(ValueEditor):
    """Where there is nothing to edit: what gives the value."""

    def __init__(self, _row: Row):
        super().__init__()
        self._text = ElidedLabel()
        self._text.setProperty("role", "dim")
        self._row.addWidget(self._text, 1)

    def show_row(self, row: Row) -> None:
        self._text.setText(row.source)


class Following(ValueEditor):
    """A value that follows from something, until the user gives one."""

    def __init__(self, row: Row):
        super().__init__()
        self._value: Numbers = ()
        self._text = ElidedLabel()
        self._text.setProperty("role", "dim")
        self._own = QtWidgets.QToolButton()
        self._own.setText("Set a value")
        self._own.setProperty("role", "push")
        self._own.setAccessibleName(f"Set a value of {row.name}")
        self._own.setToolTip("Set it yourself instead of taking what shaderlab supplies")
        self._own.clicked.connect(lambda: self.edited.emit(self._value))
        self._row.addWidget(self._text, 1)
        self._row.addWidget(self._own)

    def show_row(self, row: Row) -> None:
        self._value = row.numbers
        self._text.setText(row.meaning or row.source)


class Switch(ValueEditor):
    def __init__(self, row: Row):
        super().__init__()
        self.box = QtWidgets.QCheckBox()
        self.box.setAccessibleName(row.name)
        self.box.clicked.connect(lambda on: self.edited.emit((float(on),)))
        self._row.addWidget(self.box)
        self._row.addStretch(1)

    def show_row(self, row: Row) -> None:
        self.box.setChecked(bool(row.numbers and row.numbers[0]))
        self.box.setText("on" if self.box.isChecked() else "off")


class Choice(ValueEditor):
    def __init__(self, row: Row):
        super().__init__()
        self.box = QtWidgets.QComboBox()
        self.box.setAccessibleName(row.name)
        for text, value in row.choices:
            self.box.addItem(text, value)
        self.box.activated.connect(lambda _: self.edited.emit((float(self.box.currentData()),)))
        self._row.addWidget(self.box, 1)

    def show_row(self, row: Row) -> None:
        value = row.numbers[0] if row.numbers else None
        found = [n for n, (_, each) in enumerate(row.choices) if each == value]
        self.box.setCurrentIndex(found[0] if found else -1)


class Number(ValueEditor):
    """A slider and a field for one number."""

    def __init__(self, row: Row):
        super().__init__()
        assert row.numeric is not None
        self._limits, self._is_placed = Limits(), False
        self.slider = _Slider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(f"{row.name}, slider")
        self.field = NumberField(row.numeric, row.limits.step, row.name)
        self._row.addWidget(self.slider, 1)
        self._row.addWidget(self.field)
        self.slider.valueChanged.connect(self._on_slider)
        self.field.edited.connect(self._on_field)

    def show_row(self, row: Row) -> None:
        number = row.numbers[0] if row.numbers else 0.0
        limits = row.limits
        if limits.are_given or not (self._is_placed and self._holds(number)):
            self._limits = limits  # else a range that grew stays: the handle must not jump
        self._is_placed = True
        self.field.show_number(number)
        self._place(number)

    def _holds(self, number: float) -> bool:
        return self._limits.lowest <= number <= self._limits.highest

    @property
    def _span(self) -> float:
        return self._limits.highest - self._limits.lowest

    def _place(self, number: float) -> None:
        limits, slider = self._limits, self.slider
        notches = _NOTCHES
        if limits.step and self._span / limits.step <= 100_000:
            notches = max(1, round(self._span / limits.step))
        slider.blockSignals(True)
        slider.setRange(0, notches)
        slider.setPageStep(max(1, notches // 10))
        slider.setSingleStep(max(1, notches // 100))
        share = (number - limits.lowest) / self._span
        slider.setValue(round(min(max(share, 0.0), 1.0) * notches))
        slider.blockSignals(False)

    def _on_slider(self, position: int) -> None:
        number = self._limits.lowest + position / max(1, self.slider.maximum()) * self._span
        number = float(f"{number:.6g}")
        self.field.show_number(number)
        self.edited.emit((number,))

    def _on_field(self, number: float) -> None:
        if self._holds(number):
            self._place(number)
        self.edited.emit((number,))


class _Slider(QtWidgets.QSlider):
    def wheelEvent(self, event) -> None:
        """The wheel scrolls the pane: a value must not change under a passing hand."""
        event.ignore()

    def minimumSizeHint(self) -> QSize:
        return QSize(48, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        return QSize(120, super().sizeHint().height())


class Vector(ValueEditor):
    """A field for each component."""

    def __init__(self, row: Row):
        super().__init__()
        self.fields = number_fields(row, _COMPONENTS)
        for one in self.fields:
            self._row.addWidget(one, 1)
            one.edited.connect(lambda _: self.edited.emit(self._value))

    @property
    def _value(self) -> Numbers:
        return tuple(field.number for field in self.fields)

    def show_row(self, row: Row) -> None:
        for field, number in zip(self.fields, row.numbers, strict=False):
            field.show_number(number)


def number_fields(row: Row, components: str) -> list[NumberField]:
    """One for each component of the row's value, named `light.y` for those who hear them."""
    assert row.numeric is not None
    step = row.limits.step if row.limits.are_given else 0.0
    return [
        NumberField(row.numeric, step, f"{row.name}.{components[n]}")
        for n in range(row.numeric.count)
    ]


class Colour(Vector):
    """A button with the colour before its components; values are as the shader gets them."""

    def __init__(self, row: Row):
        super().__init__(row)
        self.button = _Swatch()
        self.button.setAccessibleName(f"Colour of {row.name}")
        self.button.setToolTip("Choose a colour")
        self.button.clicked.connect(self._choose)
        self._row.insertWidget(0, self.button)
        self._dialog: QtWidgets.QColorDialog | None = None

    def show_row(self, row: Row) -> None:
        super().show_row(row)
        self.button.show_colour(_colour(row.numbers))

    def _choose(self) -> None:
        if self._dialog is None:
            self._dialog = dialog = QtWidgets.QColorDialog(self)
            dialog.setOption(QtWidgets.QColorDialog.ColorDialogOption.NoButtons)
            dialog.setOption(
                QtWidgets.QColorDialog.ColorDialogOption.ShowAlphaChannel, len(self.fields) == 4
            )
            dialog.currentColorChanged.connect(self._on_colour)
        self._dialog.blockSignals(True)
        self._dialog.setCurrentColor(_colour(self._value))
        self._dialog.blockSignals(False)
        self._dialog.show()

    def _on_colour(self, colour: QColor) -> None:
        number = [colour.redF(), colour.greenF(), colour.blueF(), colour.alphaF()]
        value = tuple(float(f"{n:.4g}") for n in number[: len(self.fields)])
        for field, component in zip(self.fields, value, strict=True):
            field.show_number(component)
        self.button.show_colour(colour)
        self.edited.emit(value)


def _colour(value: Sequence[float]) -> QColor:
    """Numbers beyond 0..1 as the nearest colour there is."""
    parts = [min(max(number, 0.0), 1.0) for number in value[:4]]
    return QColor.fromRgbF(*parts) if len(parts) >= 3 else QColor()


class _Swatch(QtWidgets.QToolButton):
    def __init__(self) -> None:
        super().__init__()
        self._colour = QColor()

    def show_colour(self, colour: QColor) -> None:
        self._colour = colour
        self.update()

    def sizeHint(self) -> QSize:
        side = self.fontMetrics().height() + 8
        return QSize(side + 8, side)

    def paintEvent(self, event) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = self.rect().adjusted(3, 3, -3, -3)
        painter.setPen(self.palette().placeholderText().color())
        painter.setBrush(QColor("#ffffff"))
        painter.drawRoundedRect(box, 3, 3)
        painter.setBrush(self._colour)
        painter.drawRoundedRect(box, 3, 3)


class Matrix(ValueEditor):
    """A field for each component, row by row as written on paper."""

    def __init__(self, row: Row):
        super().__init__()
        assert row.numeric is not None
        columns, rows = row.numeric.columns, row.numeric.rows
        names = [f"[{n // rows}][{n % rows}]" for n in range(columns * rows)]
        self.fields = [NumberField(row.numeric, name=row.name + name) for name in names]
        grid = QtWidgets.QGridLayout()
        grid.setSpacing(3)
        for n, field in enumerate(self.fields):
            grid.addWidget(field, n % rows, n // rows)
            field.edited.connect(
                lambda _: self.edited.emit(tuple(each.number for each in self.fields))
            )
        self._row.addLayout(grid, 1)
        # The tab key goes along rows, too.
        order = [self.fields[c * rows + r] for r in range(rows) for c in range(columns)]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def show_row(self, row: Row) -> None:
        for field, number in zip(self.fields, row.numbers, strict=False):
            field.show_number(number)


class NumberList(ValueEditor):
    """An array's numbers, separated by commas."""

    def __init__(self, row: Row):
        super().__init__()
        assert row.numeric is not None
        self._numeric: Numeric = row.numeric
        self._shown: Numbers = ()
        self.line = QtWidgets.QLineEdit()
        self.line.setAccessibleName(row.name)
        self.line.setToolTip(f"{len(row.numbers)} numbers, separated by commas")
        self.line.editingFinished.connect(self._on_finished)
        self._row.addWidget(self.line, 1)

    def show_row(self, row: Row) -> None:
        if row.numbers != self._shown or not self.line.text():
            self._shown = row.numbers
            self.line.setText(", ".join(f"{n:g}" for n in row.numbers[:_MOST_LISTED]))
            self.line.setCursorPosition(0)

    def _on_finished(self) -> None:
        value = numbers_in(self.line.text(), len(self._shown))
        if value is None:
            self.line.setText(", ".join(f"{n:g}" for n in self._shown[:_MOST_LISTED]))
        elif value != self._shown:
            self._shown = value
            self.edited.emit(value)


def numbers_in(text: str, count: int) -> Numbers | None:
    """So many numbers of a list as typed, zeros where it ends early; None where one is none."""
    parts = [part for part in re.split(r"[,;\s]+", text.strip()) if part]
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        return None
    if any(number - number != 0.0 for number in numbers):  # infinite, or not a number
        return None
    return tuple((numbers + [0.0] * count)[:count])


_EDITORS: dict[Editor, Callable[[Row], ValueEditor]] = {
    Editor.NOTHING: Statement,
    Editor.FOLLOWING: Following,
    Editor.SWITCH: Switch,
    Editor.CHOICE: Choice,
    Editor.NUMBER: Number,
    Editor.VECTOR: Vector,
    Editor.COLOUR: Colour,
    Editor.MATRIX: Matrix,
    Editor.LIST: NumberList,
}


def editor_of(row: Row) -> ValueEditor:
    """The editor of a row that holds numbers, or nothing."""
    return _EDITORS[row.editor](row)
