"""Looking closer at the picture: where it lies in its pane when it is larger than that."""

from __future__ import annotations

from dataclasses import dataclass

from shaderlab.app.qt import QPointF, QRectF, QSize

FACTORS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
_STEP = 2**0.5
"""Of one notch of the wheel."""


@dataclass(frozen=True)
class Zoom:
    """How much larger than fitted into its pane the picture is, and which part of it is seen."""

    factor: float = 1.0
    x: float = 0.5
    y: float = 0.5
    """What is in the middle of the pane, as fractions of the picture from its upper left corner."""

    @property
    def is_on(self) -> bool:
        return self.factor > 1.0

    def place(self, fitted: QRectF, pane: QRectF) -> QRectF:
        """The picture's rectangle, of which `fitted` is the one that fits; it leaves no edge of the
        pane empty that it could cover."""
        if not self.is_on:
            return fitted
        wide, high = fitted.width() * self.factor, fitted.height() * self.factor
        left = _start(pane.left(), pane.width(), wide, self.x)
        top = _start(pane.top(), pane.height(), high, self.y)
        return QRectF(left, top, wide, high)

    def scaled(self, factor: float, at: QPointF, fitted: QRectF, pane: QRectF) -> Zoom:
        """So much larger than fitted, with what is under `at` staying there."""
        factor = min(max(factor, FACTORS[0]), FACTORS[-1])
        now = self.place(fitted, pane)
        if now.isEmpty():
            return self
        x, y = (at.x() - now.left()) / now.width(), (at.y() - now.top()) / now.height()
        wide, high = fitted.width() * factor, fitted.height() * factor
        middle = pane.center()
        return Zoom(factor, x + (middle.x() - at.x()) / wide, y + (middle.y() - at.y()) / high)

    def notched(self, notches: float, at: QPointF, fitted: QRectF, pane: QRectF) -> Zoom:
        """After so many notches of the wheel."""
        factor = self.factor * _STEP**notches
        return self.scaled(1.0 if factor < 1.05 else factor, at, fitted, pane)

    def moved(self, right: float, down: float, fitted: QRectF, pane: QRectF) -> Zoom:
        """The picture dragged, pixels."""
        now = self.place(fitted, pane)
        if now.isEmpty():
            return self
        middle = pane.center() - QPointF(right, down)
        return Zoom(
            self.factor,
            (middle.x() - now.left()) / now.width(),
            (middle.y() - now.top()) / now.height(),
        )


def fitted(picture: QSize, pane: tuple[int, int], ratio: float) -> QRectF:
    """Where all of a picture is seen in a pane of `pane` device pixels, `ratio` of them to a
    device-independent one; whole device pixels at any scale."""
    pane_w, pane_h = pane
    scale = min(pane_w / picture.width(), pane_h / picture.height())
    if abs(scale - 1) < 0.02:
        scale = 1.0
    width, height = round(picture.width() * scale), round(picture.height() * scale)
    left, top = (pane_w - width) // 2, (pane_h - height) // 2
    return QRectF(left / ratio, top / ratio, width / ratio, height / ratio)


def _start(pane: float, room: float, length: float, at: float) -> float:
    """Where the picture begins on one axis."""
    if length <= room:
        return pane + (room - length) / 2
    return min(max(pane + room / 2 - at * length, pane + room - length), pane)
