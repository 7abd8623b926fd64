"""The icon set: our own line drawings, tinted by the theme."""

from __future__ import annotations

from functools import cache

from shaderlab import locations
from shaderlab.app.qt import (
    QByteArray,
    QIcon,
    QPainter,
    QPixmap,
    QRect,
    QSize,
    Qt,
    QtGui,
    QtSvg,
)
from shaderlab.app.widgets.theme import Theme


@cache
def _drawing(name: str) -> str:
    """SVG text with `currentColor`; FileNotFoundError for a name that was never drawn."""
    return (locations.resources() / "icons" / f"{name}.svg").read_text()


def icon(name: str, theme: Theme, colour: str | None = None) -> QIcon:
    """The drawing `resources/icons/<name>.svg` in the theme's text colour, or in `colour`."""
    return _icon(name, colour or theme.text, theme.dim, theme.on_accent)


@cache
def _icon(name: str, normal: str, disabled: str, active: str) -> QIcon:
    _drawing(name)  # a name that was never drawn is told here, not when it is painted
    return QIcon(_Engine(name, normal, disabled, active))


class _Engine(QtGui.QIconEngine):
    """Draws when it is asked: most icons of a menu are never seen, and none before the window."""

    def __init__(self, name: str, normal: str, disabled: str, active: str):
        super().__init__()
        self._name, self._colours = name, (normal, disabled, active)

    def clone(self) -> QtGui.QIconEngine:
        copy = _Engine(self._name, *self._colours)
        _CLONES.append(copy)
        return copy

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        ratio = painter.device().devicePixelRatioF()
        painter.drawPixmap(rect, self.pixmap(rect.size() * ratio, mode, state))

    def pixmap(
        self,
        size: QSize,
        mode: QIcon.Mode,
        state: QIcon.State,  # noqa: ARG002, Qt's signature
    ) -> QPixmap:
        """Of so many pixels: Qt asks for as many as the screen has for the icon's points."""
        normal, disabled, active = self._colours
        colour, opacity = normal, 1.0
        if mode == QIcon.Mode.Disabled:
            colour, opacity = disabled, 0.5
        elif mode == QIcon.Mode.Selected:
            colour = active
        return _drawn(self._name, colour, max(1, min(size.width(), size.height())), opacity)


_CLONES: list[_Engine] = []
"""Engines that Qt owns and Python must not collect."""


@cache
def _drawn(name: str, colour: str, pixels: int, opacity: float) -> QPixmap:
    return _pixmap(_renderer(name, colour), pixels, opacity)


@cache
def pixmap(name: str, colour: str, points: int, ratio: float) -> QPixmap:
    """One drawing at `points` x `points`, sharp at the given device pixel ratio."""
    made = _pixmap(_renderer(name, colour), round(points * ratio), 1.0)
    made.setDevicePixelRatio(ratio)
    return made


def svg(name: str, colour: str) -> str:
    return _drawing(name).replace("currentColor", colour)


def _renderer(name: str, colour: str) -> QtSvg.QSvgRenderer:
    return QtSvg.QSvgRenderer(QByteArray(svg(name, colour).encode()))


def _pixmap(drawing: QtSvg.QSvgRenderer, pixels: int, opacity: float) -> QPixmap:
    made = QPixmap(pixels, pixels)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setOpacity(opacity)
    drawing.render(painter)
    painter.end()
    return made
