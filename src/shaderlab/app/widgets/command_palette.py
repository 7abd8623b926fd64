"""Every command and every example by a few letters of its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shaderlab.app.qt import QEvent, QIcon, QPixmap, QSize, Qt, QtWidgets, QWidget, Signal


@dataclass(frozen=True)
class Entry:
    """What can be chosen; `key` is handed back."""

    key: str
    text: str
    hint: str = ""
    """Shown beside the text: a shortcut, or a few words."""
    icon: QIcon | None = None


def score(pattern: str, text: str) -> float | None:
    """How well `pattern`'s letters, in order, are found in `text`; None where they are not.

    Letters at the start of a word, and letters in a row, count more.
    """
    total, place, last = 0.0, 0, -2
    lowered = text.lower()
    for letter in pattern.lower().replace(" ", ""):
        found = lowered.find(letter, place)
        if found < 0:
            return None
        # Prefer the start of a word where the letter occurs in one further on.
        starts = [
            i for i in range(found, len(lowered))
            if lowered[i] == letter and (i == 0 or not lowered[i - 1].isalnum())
        ]  # fmt: skip
        if starts and found != last + 1:
            found = starts[0]
        total += 3 if found in starts else 2 if found == last + 1 else 0.5
        last, place = found, found + 1
    return total - len(text) / 100


def matches(pattern: str, entries: Sequence[Entry]) -> list[Entry]:
    """Those that match, best first; all in their own order for an empty pattern."""
    if not pattern.strip():
        return list(entries)
    scored = [(score(pattern, entry.text), entry) for entry in entries]
    found = [(value, entry) for value, entry in scored if value is not None]
    return [entry for _, entry in sorted(found, key=lambda pair: -pair[0])]


class CommandPalette(QtWidgets.QDialog):
    """A line to type in over the list of what matches."""

    chosen = Signal(str)

    def __init__(
        self,
        entries: Sequence[Entry],
        placeholder: str,
        parent: QWidget,
        hints_at: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignRight,
    ):
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._entries = tuple(entries)
        self._hints_at = hints_at
        self._row_height = self.fontMetrics().height() + 10
        nothing = QPixmap(16, 16)
        nothing.fill(Qt.GlobalColor.transparent)
        self._blank = QIcon(nothing)
        self.line = QtWidgets.QLineEdit()
        self.line.setPlaceholderText(placeholder)
        self.line.textChanged.connect(self._fill)
        self.line.installEventFilter(self)
        self.table = QtWidgets.QTreeWidget()
        self.table.setColumnCount(2)
        self.table.setHeaderHidden(True)
        self.table.setRootIsDecorated(False)
        self.table.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        self.table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.itemClicked.connect(lambda _item: self._accept())
        header = self.table.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QtWidgets.QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QtWidgets.QHeaderView.ResizeMode.Stretch)
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        layout.addWidget(self.line)
        layout.addWidget(self.table)
        self._fill("")

    def popup(self) -> None:
        """Open in the upper middle of the window."""
        window = self.parentWidget()  # kept here, it could end with this palette, and twice
        assert window is not None
        width = min(640, window.width() - 40)
        wanted = self._row_height * len(self._entries) + self.line.sizeHint().height() + 32
        self.resize(width, min(wanted, window.height() - 120, 480))
        corner = window.mapToGlobal(window.rect().topLeft())
        self.move(corner.x() + (window.width() - width) // 2, corner.y() + 60)
        self.show()
        self.line.setFocus()

    def _fill(self, pattern: str) -> None:
        self.table.clear()
        dim = self.palette().placeholderText()
        for entry in matches(pattern, self._entries):
            item = QtWidgets.QTreeWidgetItem([entry.text, entry.hint])
            item.setData(0, Qt.ItemDataRole.UserRole, entry.key)
            item.setTextAlignment(1, self._hints_at | Qt.AlignmentFlag.AlignVCenter)
            item.setForeground(1, dim)
            item.setToolTip(1, entry.hint)
            text_width = self.fontMetrics().horizontalAdvance(entry.text)
            item.setSizeHint(0, QSize(text_width + 44, self._row_height))
            if entry.icon is not None:
                item.setIcon(0, entry.icon if not entry.icon.isNull() else self._blank)
            self.table.addTopLevelItem(item)
        self._choose_row(0)

    def _choose_row(self, row: int) -> None:
        item = self.table.topLevelItem(row)
        if item is not None:
            self.table.setCurrentItem(item)

    def _accept(self) -> None:
        item = self.table.currentItem()
        self.close()
        if item is not None:
            self.chosen.emit(item.data(0, Qt.ItemDataRole.UserRole))

    def eventFilter(self, watched, event) -> bool:
        if event.type() == QEvent.Type.KeyPress:
            key, keys = event.key(), Qt.Key
            if key in (keys.Key_Return, keys.Key_Enter):
                self._accept()
                return True
            steps = {keys.Key_Up: -1, keys.Key_Down: 1, keys.Key_PageUp: -8, keys.Key_PageDown: 8}
            if key in steps and (number := self.table.topLevelItemCount()):
                row = self.table.currentIndex().row() + steps[key]
                row = row % number if abs(steps[key]) == 1 else min(max(row, 0), number - 1)
                self._choose_row(row)
                return True
        return super().eventFilter(watched, event)
