"""The frame as one bar: each draw as wide as its share of the time, passes in turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shaderlab import units
from shaderlab.app.qt import QColor, QEvent, QPainter, QRectF, QSize, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.theme import Theme, blend

_HEIGHT = 22
_NARROWEST = 0.5
"""Pixels; a draw that is narrower is not drawn apart."""


@dataclass(frozen=True)
class Part:
    """A draw that has a time."""

    event: int
    name: str
    share: float
    """Of the frame's time, 0..1."""
    number: int
    """Of its pass, from 0."""


class FrameBar(QWidget):
    """Hovering says which draw it is, a click chooses it."""

    chosen = Signal(int)
    """Event."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._parts: tuple[Part, ...] = ()
        self._event = -1
        self.setMouseTracking(True)
        self.setAccessibleName("Each draw's share of the frame's time")
        self.setSizePolicy(
            QtWidgets.QSizePolicy.Policy.Expanding, QtWidgets.QSizePolicy.Policy.Fixed
        )

    def sizeHint(self) -> QSize:
        return QSize(200, _HEIGHT)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def set_parts(self, parts: Sequence[Part]) -> None:
        """In the order of the frame; shares that sum up to 1."""
        self._parts = tuple(parts)
        self.update()

    def set_chosen(self, event: int) -> None:
        """Mark this draw; -1 for none."""
        self._event = event
        self.update()

    def part_at(self, x: float) -> Part | None:
        """The draw at a place, pixels from the left."""
        at = 0.0
        for part in self._parts:
            at += part.share * self.width()
            if x < at:
                return part
        return None

    def paintEvent(self, _event) -> None:
        painter, theme, at = QPainter(self), self._theme, 0.0
        painter.fillRect(self.rect(), QColor(theme.window))
        height, marked = self.height(), None
        for part in self._parts:
            width = part.share * self.width()
            box = QRectF(at, 2, width, height - 4)
            at += width
            if part.event == self._event:
                marked = box
            if width < _NARROWEST:
                continue
            colour = theme.bars if part.number % 2 == 0 else blend(theme.bars, theme.base, 0.45)
            gap = 1.0 if width > 3 else 0.0
            painter.fillRect(box.adjusted(0, 0, -gap, 0), QColor(colour))
        if marked is not None:
            width = max(marked.width(), 3.0)
            left = min(marked.left(), self.width() - width)
            painter.fillRect(QRectF(left, 0, width, height), QColor(theme.warning))
        painter.end()

    def mousePressEvent(self, event) -> None:
        part = self.part_at(event.position().x())
        if part is not None:
            self.chosen.emit(part.event)

    def event(self, event) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            part = self.part_at(event.pos().x())
            text = f"{part.event}  {part.name}: {units.percent(part.share)}" if part else ""
            QtWidgets.QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)
