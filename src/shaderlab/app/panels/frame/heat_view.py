"""The frame's heat map: its kind, the map, what its colours stand for."""

from __future__ import annotations

import numpy as np

from shaderlab import units
from shaderlab.app.qt import (
    QColor,
    QEvent,
    QImage,
    QPainter,
    QRectF,
    QSize,
    QtWidgets,
    QWidget,
    Signal,
)
from shaderlab.app.widgets.boxes import vertical
from shaderlab.app.widgets.elided_label import ElidedLabel
from shaderlab.app.widgets.heat_colours import COLOURS, heat_table
from shaderlab.app.widgets.theme import Theme
from shaderlab.workers.frame_heat import FrameHeat, FrameHeatKind

_WIDEST = 640
"""Pixels of a map's longer side that are painted."""
TITLES = {
    FrameHeatKind.OVERDRAW: "Overdraw: invocations per pixel",
    FrameHeatKind.INSTRUCTIONS: "Instructions per pixel",
    FrameHeatKind.LANES: "Active lanes (divergence)",
    FrameHeatKind.DIFFERENCE: "Difference from the captured picture",
}


class HeatView(QWidget):
    """Says which kind is wanted; the pointer over the map says the value of a pixel."""

    kind_chosen = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self._kind = QtWidgets.QComboBox()
        self._kind.setAccessibleName("What the heat map shows")
        for kind, title in TITLES.items():
            self._kind.addItem(title, kind)
        self._kind.activated.connect(lambda _: self.kind_chosen.emit())
        self.caption = ElidedLabel()
        self.caption.setProperty("role", "dim")
        self.map = HeatPicture(theme)
        head = QtWidgets.QHBoxLayout()
        head.setContentsMargins(8, 4, 8, 4)
        head.setSpacing(8)
        head.addWidget(self._kind)
        head.addWidget(self.caption, 1)
        column = vertical(self)
        column.addLayout(head)
        column.addWidget(self.map, 1)

    @property
    def kind(self) -> FrameHeatKind:
        return FrameHeatKind(self._kind.currentData())

    def show_kind(self, kind: FrameHeatKind) -> None:
        """Choose what is shown, as the user would."""
        self._kind.setCurrentIndex(self._kind.findData(kind))
        self.kind_chosen.emit()

    def set_theme(self, theme: Theme) -> None:
        self.map.set_theme(theme)

    def show_heat(self, heat: FrameHeat | None, why_none: str) -> None:
        """The map, or why there is none."""
        self.map.set_heat(heat)
        self.caption.setText(why_none if heat is None else described(heat))


def described(heat: FrameHeat) -> str:
    """What the colours stand for, and which draws are in it."""
    low, high = ends(heat)
    if heat.kind is FrameHeatKind.DIFFERENCE:
        return f"The chosen draw differs by {low:.0f}\u2013{high:.0f} of 255"
    if heat.kind is FrameHeatKind.LANES:
        scale = f"{units.percent(low)}\u2013{units.percent(high)} of lanes active"
    else:
        noun = "invocations" if heat.kind is FrameHeatKind.OVERDRAW else "instructions"
        scale = f"{units.count(low)}\u2013{units.count(high)} {noun}"
    others = f"{heat.elsewhere} {'has' if heat.elsewhere == 1 else 'have'} another size"
    parts = [scale, f"{heat.done} of {heat.total} draws{f' ({others})' * bool(heat.elsewhere)}"]
    if heat.failed:
        parts.append(f"{heat.failed} could not be drawn")
    return " \u00b7 ".join(parts)


def ends(heat: FrameHeat) -> tuple[float, float]:
    """Lowest and highest value; zeros where nothing ran."""
    low = float(np.fmin.reduce(heat.values, axis=None, initial=np.inf))
    high = float(np.fmax.reduce(heat.values, axis=None, initial=-np.inf))
    return (low, high) if low <= high else (0.0, 0.0)


def coloured(heat: FrameHeat) -> np.ndarray:
    """(height, width, 4) uint8 RGBA: cold to hot, transparent where nothing ran.

    Of a large map only every second, third … pixel: it is painted in the interface's thread.
    """
    low, high = ends(heat)
    step = -(-max(heat.values.shape) // _WIDEST)
    values = heat.values[::step, ::step]
    with np.errstate(invalid="ignore"):
        place = (values - low) / (high - low) if high > low else values * 0
        if heat.kind is FrameHeatKind.LANES:
            place = 1 - place
    there = ~np.isnan(place)
    index = np.where(there, place, 0.0) * (COLOURS - 1)
    found = np.zeros((*values.shape, 4), np.uint8)
    found[..., :3] = heat_table()[np.rint(index).astype(np.intp)]
    found[..., 3] = there * 255
    return found


class HeatPicture(QWidget):
    """Paints a map as large as it fits."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._heat: FrameHeat | None = None
        self._image: QImage | None = None
        self.setMinimumHeight(60)

    def sizeHint(self) -> QSize:
        return QSize(320, 180)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def set_heat(self, heat: FrameHeat | None) -> None:
        if heat is self._heat:
            return
        self._heat, self._image = heat, None
        if heat is not None:
            colours = coloured(heat)
            height, width = colours.shape[:2]
            self._image = QImage(
                colours.data, width, height, 4 * width, QImage.Format.Format_RGBA8888
            ).copy()
        self.update()

    def text_at(self, x: float, y: float) -> str:
        """What the pixel at a place of the widget costs; empty beside the map."""
        box, heat = self._box(), self._heat
        if heat is None or not box.contains(x, y):
            return ""
        height, width = heat.values.shape
        column = min(width - 1, int((x - box.left()) / box.width() * width))
        row = min(height - 1, int((y - box.top()) / box.height() * height))
        value = float(heat.values[row, column])
        place = f"{column}, {row}: "
        if np.isnan(value):
            return place + "nothing was drawn"
        if heat.kind is FrameHeatKind.LANES:
            return place + f"{value * 100:.1f} % of lanes active"
        if heat.kind is FrameHeatKind.DIFFERENCE:
            return place + f"differs by {value:.0f} of 255"
        noun = "invocation" if heat.kind is FrameHeatKind.OVERDRAW else "instruction"
        return f"{place}{units.grouped(value)} {noun}{'' if value == 1 else 's'}"

    def paintEvent(self, _event) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.base))
        if self._image is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(self._box(), self._image)
        painter.end()

    def event(self, event) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            text = self.text_at(event.pos().x(), event.pos().y())
            QtWidgets.QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def _box(self) -> QRectF:
        """Where the map is painted."""
        if self._heat is None:
            return QRectF()
        height, width = self._heat.values.shape
        scale = min(self.width() / width, self.height() / height)
        wide, high = width * scale, height * scale
        return QRectF((self.width() - wide) / 2, (self.height() - high) / 2, wide, high)
