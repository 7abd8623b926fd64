"""The list of completions under the caret, with the form and a sentence about the chosen one."""

from __future__ import annotations

from collections.abc import Sequence

from shaderlab.app.qt import QPoint, Qt, QtWidgets, QWidget
from shaderlab.language.completion import Completion

_ROWS = 10
_WIDTH = 460
_MOST = 200
"""Completions listed: nobody reads further."""


class CompletionPopup(QtWidgets.QFrame):
    """Shown without taking the keyboard, which stays the editor's."""

    def __init__(self, owner: QWidget):
        super().__init__(owner, Qt.WindowType.ToolTip)
        self.setProperty("role", "popup")
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAccessibleName("Completions")
        self._found: Sequence[Completion] = ()
        self.table = QtWidgets.QTreeWidget()
        self.table.setAccessibleName("Completions")
        self.table.setColumnCount(2)
        self.table.setHeaderHidden(True)
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        self.table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.table.currentItemChanged.connect(lambda *_: self._describe())
        self.about = QtWidgets.QLabel()
        self.about.setWordWrap(True)
        self.about.setTextFormat(Qt.TextFormat.PlainText)
        self.about.setContentsMargins(8, 4, 8, 6)
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addWidget(self.table)
        layout.addWidget(self.about)

    def offer(self, found: Sequence[Completion], below: QPoint, line_height: int) -> None:
        """List these under a point of the screen, above its line where there is no room."""
        self._found = found[:_MOST]
        self.table.clear()
        dim = self.palette().placeholderText()
        for each in self._found:
            item = QtWidgets.QTreeWidgetItem([each.name, each.detail or each.kind])
            item.setForeground(1, dim)
            self.table.addTopLevelItem(item)
        widest = max((len(each.name) for each in self._found), default=0)
        advance = self.fontMetrics().horizontalAdvance("m")
        self.table.setColumnWidth(0, min(advance * (widest + 2), _WIDTH // 2))
        rows = min(len(self._found), _ROWS)
        self.table.setFixedHeight(self.table.sizeHintForRow(0) * rows + 4)
        self._choose(0)
        self.setFixedWidth(_WIDTH)
        self._fit()
        screen = self.screen().availableGeometry()
        top = below.y()
        if top + self.height() > screen.bottom():
            top = below.y() - line_height - self.height()
        self.move(min(below.x(), screen.right() - self.width()), top)
        self.show()

    @property
    def chosen(self) -> Completion | None:
        return self._found[self._row] if self._found and self._row >= 0 else None

    @property
    def offered(self) -> list[str]:
        """Names listed."""
        return [each.name for each in self._found]

    def step(self, rows: int) -> None:
        """Choose the entry so many rows on; a single step goes around the ends."""
        number = self.table.topLevelItemCount()
        row = self._row + rows
        self._choose(row % number if abs(rows) == 1 else min(max(row, 0), number - 1))

    @property
    def _row(self) -> int:
        """The chosen one; -1 for none."""
        item = self.table.currentItem()
        return self.table.indexOfTopLevelItem(item) if item is not None else -1

    def _choose(self, row: int) -> None:
        item = self.table.topLevelItem(row)
        if item is not None:
            self.table.setCurrentItem(item)

    def _describe(self) -> None:
        chosen = self.chosen
        said = [chosen.detail, chosen.summary] if chosen is not None else []
        self.about.setText("\n".join(each for each in said if each))
        self.about.setVisible(bool(chosen is not None and chosen.summary))
        self._fit()

    def _fit(self) -> None:
        """As high as its parts: the layout's own answer still counts a hidden sentence."""
        about = self.about.heightForWidth(_WIDTH - 2) if not self.about.isHidden() else 0
        self.about.setFixedHeight(about)
        self.setFixedHeight(self.table.height() + about + 2)


STEPS = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -_ROWS,
    Qt.Key.Key_PageDown: _ROWS,
}
ACCEPT = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)
