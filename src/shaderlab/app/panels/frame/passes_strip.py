"""Pictures of the passes of a captured frame, in the order they were drawn."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shaderlab.app.qt import QIcon, QImage, QPixmap, QSize, Qt, QtWidgets, Signal

_ICON = QSize(84, 48)


class PassesStrip(QtWidgets.QListWidget):
    """A row of thumbnails; a click chooses the last draw of the pass."""

    chosen = Signal(int)
    """Event."""

    def __init__(self) -> None:
        super().__init__()
        self.setViewMode(QtWidgets.QListView.ViewMode.IconMode)
        self.setFlow(QtWidgets.QListView.Flow.LeftToRight)
        self.setWrapping(False)
        self.setMovement(QtWidgets.QListView.Movement.Static)
        self.setIconSize(_ICON)
        self.setSpacing(2)
        self.setUniformItemSizes(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )  # wheel and keys do
        self.setAccessibleName("Passes of the frame")
        self.itemClicked.connect(self._on_clicked)
        self.itemActivated.connect(self._on_activated)
        self._clicked = -1
        """The event of the picture that was clicked last, until it is activated."""
        self._shown: list[np.ndarray] = []
        self.set_pictures({})

    def set_pictures(self, pictures: Mapping[int, np.ndarray]) -> None:
        """By the event of each pass's last draw: (height, width, 4) uint8 RGBA, row 0 at the top.

        Those that are shown already stay.
        """
        wanted = sorted(pictures)
        former, self._shown = self._shown, [pictures[event] for event in wanted]
        if [self.item(n).data(Qt.ItemDataRole.UserRole) for n in range(self.count())] == wanted:
            for number, (old, new) in enumerate(zip(former, self._shown, strict=True)):
                if old is not new:
                    self.item(number).setIcon(_icon(new))
            return
        self.clear()
        for number, event in enumerate(wanted, 1):
            item = QtWidgets.QListWidgetItem(_icon(pictures[event]), f"Pass {number}")
            item.setData(Qt.ItemDataRole.UserRole, event)
            item.setToolTip(f"Pass {number}, after its last draw, {event}")
            self.addItem(item)
        self.setFixedHeight(_ICON.height() + self.fontMetrics().height() + 20)

    def _on_clicked(self, item: QtWidgets.QListWidgetItem) -> None:
        self._clicked = item.data(Qt.ItemDataRole.UserRole)
        self.chosen.emit(self._clicked)

    def _on_activated(self, item: QtWidgets.QListWidgetItem) -> None:
        """Enter was pressed, or a double click ended, whose first click has done the work."""
        event, clicked = item.data(Qt.ItemDataRole.UserRole), self._clicked
        self._clicked = -1
        if event != clicked:
            self.chosen.emit(event)


def _icon(pixels: np.ndarray) -> QIcon:
    height, width = pixels.shape[:2]
    held = np.ascontiguousarray(pixels)
    image = QImage(held.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()
    return QIcon(
        QPixmap.fromImage(image).scaled(
            _ICON, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
    )
