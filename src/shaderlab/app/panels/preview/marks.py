"""What is painted over the preview's picture: the grid, the ring around a pixel, notes."""

from __future__ import annotations

from shaderlab.app.qt import QColor, QLineF, QPainter, QPen, QPoint, QRect, QRectF, QSize, Qt
from shaderlab.app.widgets.theme import with_alpha

_GRID_FROM = 10.0
"""Device-independent pixels a side that a pixel of the picture has when lines part it from its
neighbours."""
_LEAST_RING = 7.0
"""Side of the ring around a pixel at least, device-independent pixels."""

_ANY_WIDTH = 1 << 20


def paint_grid(painter: QPainter, place: QRectF, size: QSize, pane: QRectF) -> None:
    """Lines between the pixels of a picture of `size` at `place`, if it is zoomed in enough."""
    side = place.width() / size.width()
    if side < _GRID_FROM:
        return
    seen = place.intersected(pane)
    lines = []
    for n in range(int((seen.left() - place.left()) / side), size.width() + 1):
        x = place.left() + n * side
        if x > seen.right():
            break
        lines.append(QLineF(x, seen.top(), x, seen.bottom()))
    for n in range(int((seen.top() - place.top()) / side), size.height() + 1):
        y = place.top() + n * side
        if y > seen.bottom():
            break
        lines.append(QLineF(seen.left(), y, seen.right(), y))
    painter.setPen(QPen(with_alpha("#808080", 0.45), 1))
    painter.drawLines(lines)


def paint_ring(painter: QPainter, pixel: QRectF) -> None:
    """Dark in light, so that it is seen on any picture."""
    spare = max(0.0, (_LEAST_RING - pixel.width()) / 2)
    box = pixel.adjusted(-spare, -spare, spare, spare)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, grown in (("#000000", 1.5), ("#ffffff", 0.0)):
        painter.setPen(QPen(QColor(colour), 1.5))
        painter.drawRect(box.adjusted(-grown, -grown, grown, grown))


def paint_beside(painter: QPainter, text: str, cursor: QPoint, pane: QSize) -> None:
    """A note beside the cursor, on whichever side there is room."""
    size = _note_size(painter, text)
    at = cursor + QPoint(14, 18)
    if at.x() + size.width() > pane.width():
        at.setX(max(at.x() - size.width() - 20, 0))
    if at.y() + size.height() > pane.height():
        at.setY(at.y() - size.height() - 26)
    paint_note(painter, text, at, 0.8)


def paint_note(
    painter: QPainter, text: str, at: QPoint, opacity: float, width: int = _ANY_WIDTH
) -> None:
    """White text in a dark box, readable on any picture, of `width` pixels at most."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    box = QRect(at, _note_size(painter, text, width))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(with_alpha("#000000", opacity))
    painter.drawRoundedRect(box, 6, 6)
    painter.setPen(QColor("#ffffff"))
    inner = box.adjusted(10, 4, -10, -4)
    painter.drawText(inner, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, text)


def _note_size(painter: QPainter, text: str, width: int = _ANY_WIDTH) -> QSize:
    room = QRect(0, 0, width - 20, _ANY_WIDTH)
    needed = painter.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, text)
    return QSize(needed.width() + 20, needed.height() + 8)
