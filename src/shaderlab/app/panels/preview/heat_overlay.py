"""A heat map over the picture it was drawn with: its scale, its image, its values."""

from __future__ import annotations

import math
from functools import cache, cached_property

import numpy as np

from shaderlab import units
from shaderlab.app.qt import QColor, QImage, QPainter, QPen, QRectF, Qt
from shaderlab.app.widgets.heat_colours import COLOURS, heat_table
from shaderlab.spirv.heat import HeatKind, HeatMap
from shaderlab.spirv.warps import GROUP_HEIGHT, GROUP_WIDTH

LEAST_SPAN = 0.25
"""Part of the largest count the scale spans at least: nearly even cost looks nearly even."""

TITLES = {
    HeatKind.INSTRUCTIONS: "Instructions per pixel",
    HeatKind.LANES: "Active lanes",
    HeatKind.BLOCKS: "Executions per pixel",
}


def title_of(kind: HeatKind, *, is_launched: bool) -> str:
    """What a heat map shows, in words."""
    return TITLES[kind].replace("pixel", "invocation") if is_launched else TITLES[kind]


class HeatLayer:
    """One heat map, ready to be painted and asked.

    Instructions are shown from the least to the most.  A block's executions are shown from none,
    so that it is seen well wherever it ran; pixels where it never did are left out.  For lanes the
    scale is fixed, from all busy (cold) to none (hot).
    """

    def __init__(self, heat: HeatMap, y_up: bool = True, *, is_launched: bool = False):
        """`y_up`: its row 0 is the bottom of what is shown, else the top.

        `is_launched`: it is of a compute shader's invocations.
        """
        self.is_launched = is_launched
        self.view, self.y_up = heat.view, y_up
        self.values = values = heat.values.copy()  # the frame's memory is written again
        shown = None
        if self.view.kind is HeatKind.BLOCKS:
            shown = values > 0
            self.high = values.max().item()
            # Zeros wrap around to the largest number there is.
            self.low = min((values - np.uint32(1)).min().item() + 1, self.high)
        else:
            self.low, self.high = values.min().item(), values.max().item()
            if math.isnan(self.low):
                shown = ~np.isnan(values)
                self.low = np.fmin.reduce(values, axis=None).item()
                self.high = np.fmax.reduce(values, axis=None).item()
        self._shown = shown
        """Which pixels have a value; None for all."""
        self.empty = shown is not None and not shown.any()
        """Whether no pixel has a value."""
        # A colour's index is that of its position, after the one for pixels without a value.
        factor, start = self._scale
        index = np.multiply(values, np.float32(factor * (COLOURS - 1)), dtype=np.float32)
        index += np.float32(start * (COLOURS - 1) + 1.5)
        if self.view.kind is HeatKind.LANES and shown is not None:
            np.nan_to_num(index, copy=False)
        # Upright, in rows of a multiple of four bytes as Qt wants them.
        height, width = index.shape
        rows = np.zeros((height, -(-width // 4) * 4), np.uint8)
        order = -1 if y_up else 1
        rows[:, :width] = index[::order]
        if shown is not None:
            rows[:, :width] *= shown[::order]
        image = QImage(rows.data, width, height, rows.shape[1], QImage.Format.Format_Indexed8)
        image.setColorTable(_colour_table())
        self.image = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)

    @property
    def size(self) -> tuple[int, int]:
        """Width, height in pixels."""
        return self.values.shape[1], self.values.shape[0]

    def position(self, value: float) -> float:
        """Position of a value on the colour scale, 0..1."""
        factor, start = self._scale
        return min(max(value * factor + start, 0.0), 1.0)

    @cached_property
    def mean(self) -> float:
        """Average of the values there are."""
        there = self.values if self._shown is None else self.values[self._shown]
        return there.mean(dtype=np.float64).item() if there.size else 0.0

    def value_at(self, x: int, y: int) -> float | None:
        """Value of the pixel with gl_FragCoord (x + 0.5, y + 0.5); None where it has none."""
        value = self.values[y, x].item()
        if value != value or (self.view.kind is HeatKind.BLOCKS and not value):
            return None
        return value

    @property
    def ends(self) -> tuple[float, float]:
        """Values at the cold and the hot end of what is shown."""
        lanes = self.view.kind is HeatKind.LANES
        return (self.high, self.low) if lanes else (self.low, self.high)

    def short_text(self, value: float) -> str:
        """A value for the legend."""
        return units.percent(value) if self.view.kind is HeatKind.LANES else units.count(value)

    def text(self, value: float | None) -> str:
        """A value in full, for one pixel."""
        if self.view.kind is HeatKind.LANES:
            return "no active lanes" if value is None else f"{value * 100:.1f} % of lanes active"
        number = f"{value or 0:,}"
        noun = "instruction" if self.view.kind is HeatKind.INSTRUCTIONS else "execution"
        return f"{number} {noun}{'' if value == 1 else 's'}"

    @property
    def _scale(self) -> tuple[float, float]:
        """Factor and addend from a value to its position."""
        if self.view.kind is HeatKind.LANES:
            return -1.0, 1.0
        zero = 0 if self.view.kind is HeatKind.BLOCKS else self.low
        factor = 1 / max(self.high - zero, LEAST_SPAN * self.high, 1)
        return factor, -zero * factor


def paint(
    painter: QPainter,
    place: QRectF,
    picture: QImage,
    layer: HeatLayer | None,
    opacity: float,
    cursor: tuple[int, int] | None = None,
) -> None:
    """Paint the picture in grey, so that its colours do not pass for heat, and the heat over it.

    `cursor`: the pixel pointed at, whose lane group is framed where the heat is of groups.
    """
    painter.drawImage(place, picture.convertToFormat(QImage.Format.Format_Grayscale8))
    if layer is None:
        return
    ratio = painter.device().devicePixelRatioF()
    enlarged = place.width() * ratio >= layer.image.width()
    # Enlarged pixels keep hard edges: each has its own value.
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not enlarged)
    painter.setOpacity(opacity)
    painter.drawImage(place, layer.image)
    painter.setOpacity(1)
    if cursor is not None and layer.view.kind is HeatKind.LANES and not layer.is_launched:
        _frame_group(painter, place, layer, cursor)


def _frame_group(
    painter: QPainter, place: QRectF, layer: HeatLayer, cursor: tuple[int, int]
) -> None:
    width, height = layer.size
    left = cursor[0] // GROUP_WIDTH * GROUP_WIDTH
    low = cursor[1] // GROUP_HEIGHT * GROUP_HEIGHT
    across, up = place.width() / width, place.height() / height
    right, high = min(left + GROUP_WIDTH, width), min(low + GROUP_HEIGHT, height)
    top = place.bottom() - high * up if layer.y_up else place.top() + low * up
    box = QRectF(
        place.left() + left * across,
        top,
        (right - left) * across,
        (high - low) * up,
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, margin in (("#000000", 1.0), ("#ffffff", 0.0)):
        painter.setPen(QPen(QColor(colour), 1))
        painter.drawRect(box.adjusted(-margin, -margin, margin, margin))


@cache
def _colour_table() -> list[int]:
    """Transparent, then cold to hot, as Qt's ARGB."""
    reds, greens, blues = (heat_table().astype(int).T[i].tolist() for i in range(3))
    opaque = 0xFF << 24
    return [
        0,
        *(
            opaque | red << 16 | green << 8 | blue
            for red, green, blue in zip(reds, greens, blues, strict=True)
        ),
    ]
