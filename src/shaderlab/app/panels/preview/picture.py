"""The picture in its pane, with what is marked, read and picked in it."""

from __future__ import annotations

from shaderlab.app.panels.preview import heat_overlay, marks
from shaderlab.app.panels.preview.heat_overlay import HeatLayer
from shaderlab.app.panels.preview.key_codes import key_code
from shaderlab.app.panels.preview.zoom import Zoom, fitted
from shaderlab.app.qt import (
    QColor,
    QEvent,
    QImage,
    QPainter,
    QPen,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    Qt,
    QWidget,
    Signal,
)
from shaderlab.app.widgets.theme import Theme

_MOVES = {
    Qt.Key.Key_Left: (-12.0, 0.0),
    Qt.Key.Key_Right: (12.0, 0.0),
    Qt.Key.Key_Up: (0.0, -12.0),
    Qt.Key.Key_Down: (0.0, 12.0),
}
"""What the arrow keys do to a camera, as if the mouse dragged so many pixels."""
_ZOOMS = {Qt.Key.Key_Plus: 1.0, Qt.Key.Key_Equal: 1.0, Qt.Key.Key_Minus: -1.0}


class Picture(QWidget):
    """Paints the image as large as fits, never stretched, with a mark while the next is late.

    Places in it are counted from where gl_FragCoord is (0, 0): the lower left corner, or with y
    down the upper left one.
    """

    resized = Signal()
    image_changed = Signal()
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
    zoom_changed = Signal(float)
    """How many times larger than fitted the picture is now."""
    key_pressed = Signal(int)
    key_released = Signal(int)
    """A key of the shader's, by its code (`key_codes`)."""
    keys_left = Signal()
    """The focus moved elsewhere: the release of held keys will not be seen."""
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
        self._has_camera = self._takes_keys = False
        self._held_at: QPointF | None = None
        self._marked: tuple[int, int] | None = None
        self._zoom = Zoom()
        self._dragged_at: QPointF | None = None
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
        self._choose_focus()

    @property
    def takes_keys(self) -> bool:
        """Whether keys are the shader's while the picture has the focus."""
        return self._takes_keys

    @takes_keys.setter
    def takes_keys(self, takes: bool) -> None:
        self._takes_keys = takes
        self._choose_focus()
        hint = "The shader reads the keyboard: click here and type.  Tab or F6 leaves."
        self.setToolTip(hint if takes else "")

    def _choose_focus(self) -> None:
        # Where there is nothing to type, a click leaves the caret in the text.
        wanted = self._has_camera or self._takes_keys
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if wanted else Qt.FocusPolicy.NoFocus)

    @property
    def image(self) -> QImage | None:
        return self._image

    def set_image(self, image: QImage | None, y_up: bool = True) -> None:
        self._image, self._y_up = image, y_up
        self.update()
        self.image_changed.emit()

    @property
    def y_up(self) -> bool:
        return self._y_up

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
        """The pixel under the cursor as gl_FragCoord, its cost under a heat map, its colour where
        single pixels can be seen."""
        heat = self._heat if self._heat_shown else None
        pixel = self.pixel
        if pixel is None or not (heat or self._zoom.is_on):
            return ""
        parts = [f"({pixel[0] + 0.5}, {pixel[1] + 0.5})"]
        if self._zoom.is_on and (colour := self._colour_of(pixel)) is not None:
            rgb = f"rgb({colour.red()}, {colour.green()}, {colour.blue()})"
            parts.append(f"{colour.name()}  {rgb}")
        if heat is not None:
            parts.append(heat.text(self.heat_value))
        return "  ".join(parts)

    def _colour_of(self, pixel: tuple[int, int]) -> QColor | None:
        image = self._image
        if image is None:
            return None
        row = image.height() - 1 - pixel[1] if self._y_up else pixel[1]
        return image.pixelColor(pixel[0], row)

    # -- looking closer ---------------------------------------------------------------------

    @property
    def zoom(self) -> float:
        """How many times larger than fitted the picture is."""
        return self._zoom.factor

    def zoom_to(self, factor: float) -> None:
        """So many times larger than fitted, around what is in the middle."""
        self._use_zoom(
            self._zoom.scaled(factor, QRectF(self.rect()).center(), self._fitted(), self._pane)
        )

    def _use_zoom(self, zoom: Zoom) -> None:
        former, self._zoom = self._zoom, zoom
        self.update()
        if former.factor != zoom.factor:
            self.zoom_changed.emit(zoom.factor)

    @property
    def _pane(self) -> QRectF:
        return QRectF(self.rect())

    # -- mouse and keys ---------------------------------------------------------------------

    def mousePressEvent(self, event) -> None:
        inside = self.picture_rect().contains(event.position())
        if event.button() == Qt.MouseButton.MiddleButton:
            self._dragged_at = event.position()
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
        if self._dragged_at is not None:
            by, self._dragged_at = event.position() - self._dragged_at, event.position()
            self._use_zoom(self._zoom.moved(by.x(), by.y(), self._fitted(), self._pane))
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
        if event.button() == Qt.MouseButton.MiddleButton:
            self._dragged_at = None
        if event.button() == Qt.MouseButton.LeftButton:
            self._held_at = None
            self.released.emit()

    def wheelEvent(self, event) -> None:
        notches = event.angleDelta().y() / 120
        if not notches or self._image is None:
            event.ignore()
        elif self.has_camera and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoomed.emit(notches)
        else:
            at = event.position()
            self._use_zoom(self._zoom.notched(notches, at, self._fitted(), self._pane))

    def event(self, event) -> bool:
        # A key of the shader's is no shortcut of the window's, unless Ctrl or Alt is held.
        if event.type() == QEvent.Type.ShortcutOverride and self._shaders_key(event) is not None:
            event.accept()
            return True
        return super().event(event)

    def _shaders_key(self, event) -> int | None:
        """The code of a key that the shader reads; None for one that is the window's."""
        window = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        is_alone = event.key() in (Qt.Key.Key_Control, Qt.Key.Key_Alt)
        if not self._takes_keys or (event.modifiers() & window and not is_alone):
            return None
        return key_code(event)

    def keyReleaseEvent(self, event) -> None:
        code = key_code(event) if self._takes_keys else None
        if code is None:
            super().keyReleaseEvent(event)
        elif not event.isAutoRepeat():
            self.key_released.emit(code)

    def focusInEvent(self, event) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event) -> None:
        super().focusOutEvent(event)
        self.keys_left.emit()
        self.update()

    def keyPressEvent(self, event) -> None:
        code = self._shaders_key(event)
        if code is not None:
            if not event.isAutoRepeat():
                self.key_pressed.emit(code)
            return
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
        if self._heat_shown or self._zoom.is_on:
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
        """The image's rectangle, in device-independent pixels; larger than the pane where the user
        looks closer."""
        return self._zoom.place(self._fitted(), self._pane)

    def _fitted(self) -> QRectF:
        """Where all of the image is seen; whole device pixels at any scale."""
        if self._image is None:
            return QRectF()
        return fitted(self._image.size(), self.pixel_size(), self.devicePixelRatioF())

    def paintEvent(self, _event) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.base if self._image is None else "#000"))
        if self._image is None:
            return
        painter.fillRect(self.rect(), QColor(self._theme.window))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not self._zoom.is_on)
        if self._heat_shown:
            place, opacity = self.picture_rect(), self._heat_opacity
            heat_overlay.paint(painter, place, self._image, self._heat, opacity, self.pixel)
        else:
            painter.drawImage(self.picture_rect(), self._image)
        marks.paint_grid(painter, self.picture_rect(), self._image.size(), self._pane)
        if self._takes_keys and self.hasFocus():
            painter.setPen(QPen(QColor(self._theme.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        if self._marked is not None:
            marks.paint_ring(painter, self._place_of(self._marked, self._image))
        if self._mark:
            marks.paint_note(painter, self._mark, QPoint(10, 10), 0.62, self.width() - 20)
        if self._cursor is not None and self.readout:
            marks.paint_beside(painter, self.readout, self._cursor.toPoint(), self.size())

    def _place_of(self, pixel: tuple[int, int], image: QImage) -> QRectF:
        """Where a pixel of the picture is on screen."""
        place = self.picture_rect()
        wide, high = place.width() / image.width(), place.height() / image.height()
        row = image.height() - 1 - pixel[1] if self._y_up else pixel[1]
        return QRectF(place.left() + pixel[0] * wide, place.top() + row * high, wide, high)
