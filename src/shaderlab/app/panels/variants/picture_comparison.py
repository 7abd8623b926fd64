"""Two versions' pictures: side by side, one over the other, or by how much they differ."""

from __future__ import annotations

import math
from enum import StrEnum

from shaderlab import units
from shaderlab.app.qt import (
    QColor,
    QImage,
    QPainter,
    QPen,
    QPointF,
    QRectF,
    QSize,
    Qt,
    QtWidgets,
    QWidget,
    Signal,
)
from shaderlab.app.session.compared_pictures import MOST_FLIPPED, PicturePair
from shaderlab.app.widgets.boxes import pages, vertical
from shaderlab.app.widgets.elided_label import ElidedLabel
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.number_boxes import number_box
from shaderlab.app.widgets.pictures import difference_image, map_image, to_image
from shaderlab.app.widgets.theme import Theme

GAINS = (1, 4, 16, 64)


class Show(StrEnum):
    BESIDE = "Side by side"
    WIPE = "Wipe"
    DIFFERENCE = "Difference"
    FLIP = "FLIP"
    """`studies.flip`."""


class PictureComparison(QWidget):
    """Shows a pair of pictures; asks for another moment."""

    time_wanted = Signal(float)
    """`iTime` of the pictures, seconds."""

    def __init__(self, theme: Theme):
        super().__init__()
        self.kind = QtWidgets.QComboBox()
        self.kind.setAccessibleName("How the pictures are compared")
        for each in Show:
            self.kind.addItem(each.value, each)
        self.kind.setItemData(
            self.kind.count() - 1,
            "How different the pictures look when you flip between them, seen at 67 pixels per "
            "degree: dark for no difference, pale for the largest",
            Qt.ItemDataRole.ToolTipRole,
        )
        self.gain = QtWidgets.QComboBox()
        self.gain.setToolTip("Amplifies the difference")
        for gain in GAINS:
            self.gain.addItem(f"\u00d7{gain}", gain)
        self.gain.setCurrentIndex(1)
        self.time = number_box()
        self.time.setRange(0.0, 3600.0)
        self.time.setDecimals(2)
        self.time.setSingleStep(0.1)
        self.time.setPrefix("t = ")
        self.time.setSuffix(" s")
        self.time.setKeyboardTracking(False)
        self.time.setToolTip("iTime of both pictures")
        self.caption = ElidedLabel()
        self.view = PairView(theme)
        self.empty = EmptyState(theme)
        self.empty.say("play", "Rendering both versions…")
        self.kind.currentIndexChanged.connect(self._on_kind)
        self.gain.currentIndexChanged.connect(self._on_kind)
        self.time.valueChanged.connect(self.time_wanted)
        strip = QtWidgets.QHBoxLayout()
        strip.setContentsMargins(10, 6, 10, 6)
        strip.setSpacing(8)
        strip.addWidget(self.caption, 1)
        for part in (self.time, self.gain, self.kind):
            strip.addWidget(part)
        self._stack = pages(self.empty, self.view)
        column = vertical(self)
        column.addLayout(strip)
        column.addWidget(self._stack, 1)
        self._on_kind()

    def show_pair(self, pair: PicturePair, names: tuple[str, str]) -> None:
        """`names` of the former and the present."""
        self.view.show_pair(pair, names)
        noise, flip = pair.difference.psnr_db, pair.flip
        if math.isinf(noise):
            words = "The pictures are identical"
        else:
            looks = f"FLIP {flip.mean():.3f} \u00b7 " if flip is not None else ""
            words = f"{looks}PSNR {noise:.1f} dB \u00b7 "
            words += f"{units.percent(pair.difference.changed)} of the pixels differ"
        self.caption.setText(words)
        self._stack.setCurrentWidget(self.view)

    def show_none(self, title: str, hint: str = "", role: str = "dim") -> None:
        icon = "warning" if role == "warning" else "play"
        self.empty.say(icon, title, hint, role=role)
        self.caption.setText("")
        self._stack.setCurrentWidget(self.empty)

    @property
    def has_pair(self) -> bool:
        return self._stack.currentWidget() is self.view

    def set_theme(self, theme: Theme) -> None:
        self.view.set_theme(theme)
        self.empty.set_theme(theme)

    def _on_kind(self) -> None:
        kind = Show(self.kind.currentData())
        self.gain.setVisible(kind is Show.DIFFERENCE)
        self.view.show_as(kind, int(self.gain.currentData()))


class PairView(QWidget):
    """Paints the pair as large as fits, never stretched."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._pair: PicturePair | None = None
        self._images: tuple[QImage, QImage] | None = None
        self._difference: QImage | None = None
        self._names = ("", "")
        self._kind, self._gain = Show.BESIDE, 4
        self.divide = 0.5
        """Where the wipe is, 0..1 from the left."""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Pictures of both versions")

    def show_pair(self, pair: PicturePair, names: tuple[str, str]) -> None:
        then, now, y_up = pair.then, pair.now, pair.y_up
        if self._pair is None or self._pair.now is not now or self._pair.then is not then:
            self._images = to_image(then, y_up), to_image(now, y_up)
        self._pair, self._names = pair, names
        self._difference = None
        self.update()

    def show_as(self, kind: Show, gain: int) -> None:
        if (kind, gain) != (self._kind, self._gain):
            self._difference = None
        self._kind, self._gain = kind, gain
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(640, 360)

    def image(self) -> QImage | None:
        """What is painted of the difference, or of FLIP; None while that is not known."""
        pair = self._pair
        if self._difference is None and pair is not None:
            if self._kind is not Show.FLIP:
                made = difference_image(pair.then, pair.now, self._gain)
                self._difference = to_image(made, pair.y_up)
            elif pair.flip is not None:
                self._difference = to_image(map_image(pair.flip), pair.y_up)
        return self._difference

    # -- events -----------------------------------------------------------------------------

    def mousePressEvent(self, event) -> None:
        self._wipe_to(event.position().x())

    def mouseMoveEvent(self, event) -> None:
        if event.buttons():
            self._wipe_to(event.position().x())

    def keyPressEvent(self, event) -> None:
        steps = {Qt.Key.Key_Left: -0.02, Qt.Key.Key_Right: 0.02}
        if event.key() in steps and self._kind is Show.WIPE:
            self._divide_at(self.divide + steps[event.key()])
        else:
            super().keyPressEvent(event)

    def _wipe_to(self, x: float) -> None:
        if self._kind is Show.WIPE and self._images is not None:
            box = self._box(QRectF(self.rect()))
            self._divide_at((x - box.left()) / max(box.width(), 1))

    def _divide_at(self, share: float) -> None:
        self.divide = min(max(share, 0.0), 1.0)
        self.update()

    def _box(self, room: QRectF) -> QRectF:
        """Where in `room` a picture goes."""
        assert self._images is not None
        size = self._images[0].size()
        scale = min(room.width() / size.width(), room.height() / size.height())
        box = QRectF(0, 0, size.width() * scale, size.height() * scale)
        box.moveCenter(room.center())
        return box

    def paintEvent(self, _event) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.window))
        if self._images is None:
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        room = QRectF(self.rect()).adjusted(8, 8, -8, -8)
        then, now = self._images
        if self._kind is Show.BESIDE:
            half = room.width() / 2 - 4
            left = QRectF(room.left(), room.top(), half, room.height())
            right = left.translated(half + 8, 0)
            for part, image, name in zip((left, right), (then, now), self._names, strict=True):
                box = self._box(part)
                painter.drawImage(box, image)
                self._label(painter, box, name)
        elif self._kind is Show.WIPE:
            self._paint_wipe(painter, self._box(room))
        elif (image := self.image()) is not None:
            painter.drawImage(self._box(room), image)
        else:
            painter.setPen(QColor(self._theme.dim))
            large = self._pair is not None and self._pair.now[..., 0].size > MOST_FLIPPED
            text = (
                "FLIP is computed for pictures up to 1920 \u00d7 1080"
                if large
                else "Computing\u2026"
            )
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, text)
        painter.end()

    def _paint_wipe(self, painter: QPainter, box: QRectF) -> None:
        assert self._images is not None
        then, now = self._images
        painter.drawImage(box, now)
        x = box.left() + box.width() * self.divide
        painter.save()
        painter.setClipRect(QRectF(box.left(), box.top(), x - box.left(), box.height()))
        painter.drawImage(box, then)
        painter.restore()
        painter.setPen(QPen(QColor(self._theme.accent), 2))
        painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        self._label(painter, box, self._names[0])
        self._label(painter, box, self._names[1], right=True)

    def _label(self, painter: QPainter, box: QRectF, text: str, *, right: bool = False) -> None:
        metrics, theme = painter.fontMetrics(), self._theme
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, round(box.width() / 2) - 24)
        frame = QRectF(0, 0, metrics.horizontalAdvance(shown) + 12, metrics.height() + 6)
        frame.moveTopLeft(QPointF(box.left() + 6, box.top() + 6))
        if right:
            frame.moveRight(box.right() - 6)
        painter.setPen(QColor(theme.line))
        painter.setBrush(QColor(theme.raised))
        painter.drawRoundedRect(frame, 4, 4)
        painter.setPen(QColor(theme.text))
        painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, shown)
