"""The icon set: our own line drawings, tinted by the theme."""

from __future__ import annotations

from functools import cache

from shaderlab import locations
from shaderlab.app.qt import QByteArray, QIcon, QPainter, QPixmap, Qt, QtGui, QtSvg
from shaderlab.app.widgets.theme import Theme

_POINTS = (16, 20, 24)
"""The sizes icons are shown at, in device-independent pixels."""


@cache
def _drawing(name: str) -> str:
    """SVG text with `currentColor`; FileNotFoundError for a name that was never drawn."""
    return (locations.resources() / "icons" / f"{name}.svg").read_text()


def icon(name: str, theme: Theme, colour: str | None = None) -> QIcon:
    """The drawing `resources/icons/<name>.svg` in the theme's text colour, or in `colour`, sharp
    on the screens there are now."""
    ratios = {screen.devicePixelRatio() for screen in QtGui.QGuiApplication.screens()}
    pixels = frozenset(round(points * ratio) for points in _POINTS for ratio in ratios)
    return _icon(name, colour or theme.text, theme.dim, theme.text, pixels)


@cache
def _icon(name: str, normal: str, disabled: str, active: str, pixels: frozenset[int]) -> QIcon:
    made = QIcon()
    for mode, colour, opacity in (
        (QIcon.Mode.Normal, normal, 1.0),
        (QIcon.Mode.Disabled, disabled, 0.5),
        (QIcon.Mode.Selected, active, 1.0),
    ):
        for size in sorted(pixels):
            made.addPixmap(_drawn(name, colour, size, opacity), mode)
    return made


@cache
def pixmap(name: str, colour: str, points: int, ratio: float) -> QPixmap:
    """One drawing at `points` x `points`, sharp at the given device pixel ratio."""
    made = QPixmap(_drawn(name, colour, round(points * ratio), 1.0))
    made.setDevicePixelRatio(ratio)
    return made


def svg(name: str, colour: str) -> str:
    return _drawing(name).replace("currentColor", colour)


@cache
def _renderer(name: str, colour: str) -> QtSvg.QSvgRenderer:
    return QtSvg.QSvgRenderer(QByteArray(svg(name, colour).encode()))


@cache
def _drawn(name: str, colour: str, pixels: int, opacity: float) -> QPixmap:
    drawing, made = _renderer(name, colour), QPixmap(pixels, pixels)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setOpacity(opacity)
    drawing.render(painter)
    painter.end()
    return made
