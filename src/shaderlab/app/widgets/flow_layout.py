"""A row of controls that goes on in the next line where there is no more room."""

from __future__ import annotations

from shaderlab.app.qt import QEvent, QRect, QSize, Qt, QtCore, QtWidgets, QWidget


class FlowLayout(QtWidgets.QLayout):
    """Items keep their size hint; hidden ones take no room."""

    def __init__(self, spacing: int = 6):
        super().__init__()
        self._items: list[QtWidgets.QLayoutItem] = []
        self._at_right: int | None = None
        self.setSpacing(spacing)
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QtWidgets.QLayoutItem) -> None:
        self._items.append(item)

    def addStretch(self) -> None:
        """Align what follows with the right end of its line."""
        self._at_right = len(self._items)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QtWidgets.QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QtWidgets.QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arranged(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arranged(rect, move=True)

    def sizeHint(self) -> QSize:
        shown = self._shown
        width = sum(item.sizeHint().width() for item in shown)
        width += self.spacing() * max(0, len(shown) - 1)
        margins = self.contentsMargins()
        return QSize(width + margins.left() + margins.right(), self.minimumSize().height())

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._shown:
            size = size.expandedTo(item.minimumSize())
        return size.grownBy(self.contentsMargins())

    @property
    def _shown(self) -> list[QtWidgets.QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _arranged(self, rect: QRect, *, move: bool) -> int:
        """Height of all lines in the width of `rect`."""
        rect = rect.marginsRemoved(self.contentsMargins())
        lines: list[list[tuple[QtWidgets.QLayoutItem, QSize]]] = [[]]
        used = 0
        for item in self._shown:
            hint = item.sizeHint()
            width = min(hint.width(), rect.width())
            if lines[-1] and used + width > rect.width():
                lines.append([])
                used = 0
            lines[-1].append((item, hint))
            used += width + self.spacing()
        top = rect.top()
        at_right = self._items[self._at_right :] if self._at_right is not None else []
        for line in lines:
            height = max((hint.height() for _, hint in line), default=0)
            left = rect.left()
            used = sum(hint.width() + self.spacing() for _, hint in line)
            spare = max(0, rect.width() + self.spacing() - used)
            for item, hint in line if move else ():
                if item in at_right:
                    left, spare = left + spare, 0
                size = hint.boundedTo(QSize(rect.width(), height))
                down = (height - size.height()) // 2
                item.setGeometry(QRect(QtCore.QPoint(left, top + down), size))
                left += size.width() + self.spacing()
            top += height + self.spacing()
        margins = self.contentsMargins()
        return max(0, top - rect.top() - self.spacing()) + margins.top() + margins.bottom()


class FlowBar(QWidget):
    """As high as its row's lines.

    A widget whose height follows from its width would have a scroll area give all beside it as much
    height as they like best; this one has a height of its own.
    """

    def __init__(self, row: FlowLayout):
        super().__init__()
        self._row = row
        self.setLayout(row)

    def hasHeightForWidth(self) -> bool:
        return False

    def event(self, event) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            height = self._row.heightForWidth(self.width())
            if height != self.height():
                self.setFixedHeight(height)
        return super().event(event)
