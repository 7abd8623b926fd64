"""The live picture with its controls."""

from __future__ import annotations

import math

import numpy as np

from shaderlab import units
from shaderlab.app.panels.preview import heat_overlay
from shaderlab.app.panels.preview.heat_legend import HeatLegend
from shaderlab.app.panels.preview.heat_overlay import HeatLayer
from shaderlab.app.qt import (
    QAction,
    QColor,
    QImage,
    QPainter,
    QPen,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    QtWidgets,
    QWidget,
    Signal,
)
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.pictures import to_image
from shaderlab.app.widgets.theme import Theme, with_alpha

SIZES: tuple[tuple[str, str], ...] = (
    ("auto", "Automatic"),
    ("fit", "Fit the panel"),
    ("half", "Fit, half resolution"),
    ("1920x1080", "1920 \u00d7 1080"),
    ("1280x720", "1280 \u00d7 720"),
    ("1024x768", "1024 \u00d7 768"),
    ("800x450", "800 \u00d7 450"),
    ("640x360", "640 \u00d7 360"),
    ("512x384", "512 \u00d7 384"),
    ("320x180", "320 \u00d7 180"),
)
"""Choices of the picture's resolution: key and text."""

SOFTWARE_SIZE = (512, 384)
_LEAST = 16
_LEAST_MARK = 7.0
"""Side of the mark around a pixel at least, device-independent pixels."""
_MOVES = {
    Qt.Key.Key_Left: (-12.0, 0.0),
    Qt.Key.Key_Right: (12.0, 0.0),
    Qt.Key.Key_Up: (0.0, -12.0),
    Qt.Key.Key_Down: (0.0, 12.0),
}
"""What the arrow keys do to a camera, as if the mouse dragged so many pixels."""
_ZOOMS = {Qt.Key.Key_Plus: 1.0, Qt.Key.Key_Equal: 1.0, Qt.Key.Key_Minus: -1.0}


def pixels_for(choice: str, pane: tuple[int, int], software: bool) -> tuple[int, int]:
    """Width, height in pixels of the picture for a choice of `SIZES` in a pane of `pane` pixels.

    `auto` is the whole pane on a GPU and a fixed small picture on a software driver.
    """
    if choice == "auto":
        choice = "fit" if not software else "{}x{}".format(*SOFTWARE_SIZE)
    if choice in ("fit", "half"):
        scale = 1 if choice == "fit" else 2
        return max(pane[0] // scale, _LEAST), max(pane[1] // scale, _LEAST)
    try:
        width, height = (int(part) for part in choice.split("x"))
    except ValueError:
        return SOFTWARE_SIZE
    return min(max(width, _LEAST), 8192), min(max(height, _LEAST), 8192)


class Picture(QWidget):
    """Paints the image as large as fits, never stretched, with a mark while the next is late.

    Places in it are counted from where gl_FragCoord is (0, 0): the lower left corner, or with y
    down the upper left one.
    """

    resized = Signal()
    pointed = Signal()
    """`pixel` may be another one."""
    pressed = Signal(float, float)
    dragged = Signal(float, float)
    """Where in the picture, as fractions from where gl_FragCoord is (0, 0)."""
    released = Signal()
    turned = Signal(float, float, int)
    """The mouse dragged, or keys moved, the camera: pixels right and down, of a picture so high."""
    zoomed = Signal(float)
    """Steps towards what is shown."""
    picked = Signal(int, int)
    """The user asks about this pixel, x and y from where gl_FragCoord is (0, 0)."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._image: QImage | None = None
        self._mark = ""
        self._heat: HeatLayer | None = None
        self._heat_shown = False
        self._heat_opacity = 1.0
        self._cursor: QPointF | None = None
        self._y_up = True
        self._has_camera = False
        self._held_at: QPointF | None = None
        self._marked: tuple[int, int] | None = None
        self.setMouseTracking(True)
        self.setAccessibleName("Preview")
        self.setMinimumSize(160, 90)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    @property
    def has_camera(self) -> bool:
        """Whether mouse and arrow keys move a camera, rather than the mouse the shader's own."""
        return self._has_camera

    @has_camera.setter
    def has_camera(self, has: bool) -> None:
        self._has_camera = has
        # Without a camera there is nothing to type here: a click leaves the caret in the text.
        strong, none = Qt.FocusPolicy.StrongFocus, Qt.FocusPolicy.NoFocus
        self.setFocusPolicy(strong if has else none)

    @property
    def image(self) -> QImage | None:
        return self._image

    def set_image(self, image: QImage | None, y_up: bool = True) -> None:
        self._image, self._y_up = image, y_up
        self.update()

    def set_mark(self, text: str) -> None:
        if text != self._mark:
            self._mark = text
            self.update()

    @property
    def mark(self) -> str:
        return self._mark

    @property
    def heat(self) -> HeatLayer | None:
        return self._heat

    def set_heat(self, shown: bool, layer: HeatLayer | None = None) -> None:
        """Show the picture for its heat map, which may still be on its way."""
        self._heat_shown, self._heat = shown, layer
        self.update()

    def set_heat_opacity(self, opacity: float) -> None:
        """0..1."""
        self._heat_opacity = opacity
        self.update()

    @property
    def pixel(self) -> tuple[int, int] | None:
        """The pixel under the cursor, whose gl_FragCoord is half a pixel more each way."""
        return self._pixel_at(self._cursor) if self._cursor is not None else None

    def _pixel_at(self, at: QPointF) -> tuple[int, int] | None:
        place = self.picture_rect()
        if self._image is None or not place.contains(at):
            return None
        width, height = self._image.width(), self._image.height()
        x, y = (
            int(part * side)
            for part, side in zip(self._fractions(at), (width, height), strict=True)
        )
        return min(x, width - 1), min(y, height - 1)

    def _pick(self, at: QPointF) -> None:
        pixel = self._pixel_at(at)
        if pixel is not None and pixel != self._marked:
            self.picked.emit(*pixel)

    def set_marked(self, pixel: tuple[int, int] | None) -> None:
        """Mark the pixel whose values are shown."""
        if pixel != self._marked:
            self._marked = pixel
            self.update()

    @property
    def heat_value(self) -> float | None:
        """The heat map's value at the pixel under the cursor."""
        if self._heat is None or self.pixel is None:
            return None
        return self._heat.value_at(*self.pixel)

    @property
    def readout(self) -> str:
        """The pixel under the cursor as gl_FragCoord, and its value."""
        if not self._heat_shown or self._heat is None or self.pixel is None:
            return ""
        x, y = self.pixel
        return f"({x + 0.5}, {y + 0.5})  {self._heat.text(self.heat_value)}"

    def mousePressEvent(self, event) -> None:
        inside = self.picture_rect().contains(event.position())
        if event.button() != Qt.MouseButton.LeftButton or not inside:
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._pick(event.position())
        elif self.has_camera:
            self._held_at = event.position()
        else:
            self.pressed.emit(*self._fractions(event.position()))

    def mouseMoveEvent(self, event) -> None:
        super().mouseMoveEvent(event)
        self._point(event.position())
        if self._image is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._pick(event.position())
            return
        if self._held_at is not None:
            moved, self._held_at = event.position() - self._held_at, event.position()
            self._turn(moved.x(), moved.y())
        elif not self.has_camera:
            self.dragged.emit(*self._fractions(event.position()))

    def mouseReleaseEvent(self, event) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._held_at = None
            self.released.emit()

    def wheelEvent(self, event) -> None:
        if self.has_camera and event.angleDelta().y():
            self.zoomed.emit(event.angleDelta().y() / 120)
        else:
            event.ignore()

    def keyPressEvent(self, event) -> None:
        move, zoom = _MOVES.get(event.key()), _ZOOMS.get(event.key())
        if self.has_camera and move is not None:
            self._turn(*move)
        elif self.has_camera and zoom is not None:
            self.zoomed.emit(zoom)
        else:
            super().keyPressEvent(event)

    def _turn(self, right: float, down: float) -> None:
        self.turned.emit(right, down, max(1, round(self.picture_rect().height())))

    def _fractions(self, at: QPointF) -> tuple[float, float]:
        """A place in the picture from where gl_FragCoord is (0, 0), 0..1; what is beyond the edge
        is on it."""
        place = self.picture_rect()
        x = (at.x() - place.left()) / place.width()
        down = (at.y() - place.top()) / place.height()
        return min(max(x, 0.0), 1.0), min(max(1.0 - down if self._y_up else down, 0.0), 1.0)

    def leaveEvent(self, event) -> None:
        super().leaveEvent(event)
        self._point(None)

    def _point(self, cursor: QPointF | None) -> None:
        self._cursor = cursor
        if self._heat_shown:
            self.pointed.emit()
            self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def pixel_size(self) -> tuple[int, int]:
        """Of the pane, in device pixels."""
        ratio = self.devicePixelRatioF()
        return round(self.width() * ratio), round(self.height() * ratio)

    def sizeHint(self) -> QSize:
        return QSize(480, 360)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def picture_rect(self) -> QRectF:
        """The image's rectangle, in device-independent pixels; whole device pixels at any scale."""
        if self._image is None:
            return QRectF()
        ratio = self.devicePixelRatioF()
        pane_w, pane_h = self.pixel_size()
        scale = min(pane_w / self._image.width(), pane_h / self._image.height())
        if abs(scale - 1) < 0.02:
            scale = 1.0
        width, height = round(self._image.width() * scale), round(self._image.height() * scale)
        left, top = (pane_w - width) // 2, (pane_h - height) // 2
        return QRectF(left / ratio, top / ratio, width / ratio, height / ratio)

    def paintEvent(self, _event) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.base if self._image is None else "#000"))
        if self._image is None:
            return
        painter.fillRect(self.rect(), QColor(self._theme.window))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self._heat_shown:
            place, opacity = self.picture_rect(), self._heat_opacity
            heat_overlay.paint(painter, place, self._image, self._heat, opacity, self.pixel)
        else:
            painter.drawImage(self.picture_rect(), self._image)
        if self._marked is not None:
            self._paint_marked(painter, self._marked)
        if self._mark:
            _paint_note(painter, self._mark, QPoint(10, 10), 0.62)
        if self._cursor is not None and self.readout:
            self._paint_readout(painter, self._cursor.toPoint())

    def _paint_marked(self, painter: QPainter, pixel: tuple[int, int]) -> None:
        """A ring around a pixel, dark in light, that is seen on any picture."""
        place, image = self.picture_rect(), self._image
        if image is None:
            return
        wide, high = place.width() / image.width(), place.height() / image.height()
        row = image.height() - 1 - pixel[1] if self._y_up else pixel[1]
        box = QRectF(place.left() + pixel[0] * wide, place.top() + row * high, wide, high)
        spare = max(0.0, (_LEAST_MARK - box.width()) / 2)
        box.adjust(-spare, -spare, spare, spare)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for colour, grown in (("#000000", 1.5), ("#ffffff", 0.0)):
            painter.setPen(QPen(QColor(colour), 1.5))
            painter.drawRect(box.adjusted(-grown, -grown, grown, grown))

    def _paint_readout(self, painter: QPainter, cursor: QPoint) -> None:
        """Beside the cursor, on whichever side there is room."""
        size = _note_size(painter, self.readout)
        at = cursor + QPoint(14, 18)
        if at.x() + size.width() > self.width():
            at.setX(max(at.x() - size.width() - 20, 0))
        if at.y() + size.height() > self.height():
            at.setY(at.y() - size.height() - 26)
        _paint_note(painter, self.readout, at, 0.8)


def _note_size(painter: QPainter, text: str) -> QSize:
    metrics = painter.fontMetrics()
    return QSize(metrics.horizontalAdvance(text) + 20, metrics.height() + 8)


def _paint_note(painter: QPainter, text: str, at: QPoint, opacity: float) -> None:
    """White text in a dark box, readable on any picture."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    box = QRect(at, _note_size(painter, text))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(with_alpha("#000000", opacity))
    painter.drawRoundedRect(box, 6, 6)
    painter.setPen(QColor("#ffffff"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


class Preview(QWidget):
    """The picture over a bar: play, restart, heat map, time, resolution, frame rate, GPU time."""

    size_chosen = Signal(str)
    pane_resized = Signal()

    def __init__(
        self,
        theme: Theme,
        play: QAction,
        restart: QAction,
        heat: QAction,
        heat_kinds: list[QAction],
    ):
        super().__init__()
        self.heat_legend = HeatLegend(theme, heat_kinds)
        self.picture = Picture(theme)
        self.empty = EmptyState(theme)
        self._stack = QtWidgets.QStackedLayout()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.picture)
        self._sizes = QtWidgets.QToolButton()
        self._sizes.setPopupMode(QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup)
        self._sizes.setToolTip("Resolution of the preview")
        self._menu = QtWidgets.QMenu(self)
        for key, text in SIZES:
            entry = self._menu.addAction(text)
            entry.setCheckable(True)
            entry.setData(key)
        self._menu.triggered.connect(lambda entry: self.size_chosen.emit(entry.data()))
        self._sizes.setMenu(self._menu)
        self._geometry = QtWidgets.QToolButton()
        self._geometry.setPopupMode(QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup)
        self._geometry.setIconSize(QSize(16, 16))
        self._geometry.setIcon(icons.icon("body", theme))
        self._geometry.hide()
        self._time = _number_label("Time of the frame (iTime)")
        self._rate = _number_label("Frames shown per second")
        self._gpu = _number_label("Time of the draw, by the device's own clock")
        bar = QtWidgets.QWidget()
        bar.setProperty("role", "strip")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QtWidgets.QHBoxLayout(bar)
        row.setContentsMargins(6, 3, 8, 3)
        row.setSpacing(2)
        for action in (play, restart, heat):
            button = QtWidgets.QToolButton()
            button.setDefaultAction(action)
            button.setIconSize(QSize(16, 16))
            row.addWidget(button)
        row.addSpacing(4)
        row.addWidget(self._time)
        row.addStretch(1)
        row.addWidget(self._rate)
        row.addSpacing(10)
        row.addWidget(self._gpu)
        row.addSpacing(6)
        row.addWidget(self._geometry)
        row.addWidget(self._sizes)
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self._above = QtWidgets.QVBoxLayout()
        layout.addLayout(self._above)
        layout.addLayout(self._stack, 1)
        layout.addWidget(self.heat_legend)
        layout.addWidget(bar)
        # A window being dragged larger asks for one new size at the end, not for one per pixel.
        self._settle = QTimer(self, singleShot=True, interval=120)
        self._settle.timeout.connect(self.pane_resized)
        self.picture.resized.connect(self._settle.start)
        self.show_rates(None, None)

    def show_picture(self, pixels: np.ndarray, y_up: bool = True) -> None:
        """(height, width, 4) uint8 pixels, whose row 0 is the bottom or, with y down, the top."""
        self.picture.set_image(to_image(pixels, y_up), y_up)
        self._stack.setCurrentWidget(self.picture)

    def show_empty(self) -> None:
        """Show what `empty` says in place of a picture."""
        self.picture.set_image(None)
        self._stack.setCurrentWidget(self.empty)

    @property
    def has_picture(self) -> bool:
        return self._stack.currentWidget() is self.picture

    def show_time(self, seconds: float) -> None:
        self._time.setText(f"{seconds:.2f} s")

    def show_rates(
        self, frames_per_s: float | None, draw_s: float | None, software: bool = False
    ) -> None:
        """None or NaN where nothing is known.  `software`: the time is the CPU's."""
        self._rate.setText("\u2013 fps" if frames_per_s is None else f"{frames_per_s:.0f} fps")
        time = "\u2013" if draw_s is None or math.isnan(draw_s) else units.seconds(draw_s)
        self._gpu.setText(f"{time} {'CPU' if software else 'GPU'}")

    def show_size(self, choice: str, size: tuple[int, int]) -> None:
        self._sizes.setText("{} \u00d7 {}".format(*size))
        for entry in self._menu.actions():
            entry.setChecked(entry.data() == choice)

    def add_above(self, line: QWidget) -> None:
        """Put this over the picture."""
        self._above.addWidget(line)

    def offer_geometry(self, menu: QtWidgets.QMenu) -> None:
        """A button for the choice of what the shader is drawn on."""
        self._geometry.setMenu(menu)
        self._geometry.show()

    def show_geometry(self, name: str) -> None:
        """What it is drawn on now."""
        hint = "\nDrag the picture to turn it, use the wheel to zoom"
        self._geometry.setToolTip(f"Drawn on: {name}{hint if self.picture.has_camera else ''}")
        self._geometry.setAccessibleName(f"Geometry: {name}")

    def pane_pixels(self) -> tuple[int, int]:
        """Size of the room for the picture, device pixels."""
        ratio = self.picture.devicePixelRatioF()
        room = self._stack.geometry().size()
        return round(room.width() * ratio), round(room.height() * ratio)

    def set_theme(self, theme: Theme) -> None:
        self.picture.set_theme(theme)
        self._geometry.setIcon(icons.icon("body", theme))
        self.heat_legend.set_theme(theme)
        self.empty.set_theme(theme)


class _Yielding(QtWidgets.QLabel):
    """Vanishes in a narrow pane rather than widening it."""

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event) -> None:
        if self.width() >= self.sizeHint().width():
            super().paintEvent(event)


def _number_label(tip: str) -> QtWidgets.QLabel:
    label = _Yielding()
    label.setProperty("role", "dim")
    label.setToolTip(tip)
    return label
