"""The icon set: our own line drawings, tinted by the theme."""

from __future__ import annotations

from functools import cache

from shaderlab import locations
from shaderlab.app.qt import QByteArray, QIcon, QPainter, QPixmap, Qt, QtSvg
from shaderlab.app.widgets.theme import Theme

_PIXELS = (16, 20, 24, 32, 40, 50, 60)
"""Sharp at 16, 20 and 24 points from 100 to 250 %."""


@cache
def _drawing(name: str) -> str:
    """SVG text with `currentColor`; FileNotFoundError for a name that was never drawn."""
    return (locations.resources() / "icons" / f"{name}.svg").read_text()


def icon(name: str, theme: Theme, colour: str | None = None) -> QIcon:
    """The drawing `resources/icons/<name>.svg` in the theme's text colour, or in `colour`."""
    return _icon(name, colour or theme.text, theme.dim, theme.text)


@cache
def _icon(name: str, normal: str, disabled: str, active: str) -> QIcon:
    made = QIcon()
    for mode, colour, opacity in (
        (QIcon.Mode.Normal, normal, 1.0),
        (QIcon.Mode.Disabled, disabled, 0.5),
        (QIcon.Mode.Selected, active, 1.0),
    ):
        drawing = _renderer(name, colour)
        for pixels in _PIXELS:
            made.addPixmap(_pixmap(drawing, pixels, opacity), mode)
    return made


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
