"""The bundled shaders by their pictures."""

from __future__ import annotations

from collections.abc import Sequence

from shaderlab import locations
from shaderlab.app.qt import QIcon, QPixmap, QSize, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.search_line import SearchLine
from shaderlab.frontend.examples import Example

PICTURE = QSize(192, 108)
"""Size of the pictures that `packaging/thumbnails.sh` renders, pixels."""


class ExamplesDialog(QtWidgets.QDialog):
    """A line to type in over the pictures of the examples that match."""

    chosen = Signal(object)
    """The `Example` to open."""

    def __init__(self, examples: Sequence[Example], parent: QWidget):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Open an example")
        self._examples = tuple(examples)
        self.list = QtWidgets.QListWidget()
        self.list.setAccessibleName("Examples")
        self.list.setViewMode(QtWidgets.QListView.ViewMode.IconMode)
        self.list.setIconSize(PICTURE)
        self.list.setResizeMode(QtWidgets.QListView.ResizeMode.Adjust)
        self.list.setMovement(QtWidgets.QListView.Movement.Static)
        self.list.setUniformItemSizes(True)
        self.list.setSpacing(6)
        self.list.itemActivated.connect(lambda _item: self.accept())
        self.line = SearchLine(
            "Filter by name or by what it shows", "Filter the examples", self.list
        )
        self.line.textChanged.connect(self._fill)
        self.line.entered.connect(self.accept)
        self.list.currentItemChanged.connect(lambda item, _before: self._describe(item))
        self._shows = QtWidgets.QLabel()
        self._shows.setProperty("role", "dim")
        self._shows.setWordWrap(True)
        kinds = QtWidgets.QDialogButtonBox.StandardButton
        self._buttons = QtWidgets.QDialogButtonBox(kinds.Open | kinds.Cancel)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        foot = QtWidgets.QHBoxLayout()
        foot.addWidget(self._shows, 1)
        foot.addWidget(self._buttons)
        layout = QtWidgets.QVBoxLayout(self)
        layout.addWidget(self.line)
        layout.addWidget(self.list, 1)
        layout.addLayout(foot)
        room = parent.window().size()
        self.resize(QSize(740, 640).boundedTo(room))
        self._fill("")

    def _fill(self, pattern: str) -> None:
        words = pattern.lower().split()
        self.list.clear()
        for example in self._examples:
            about = f"{example.title} {example.shows}".lower()
            if all(word in about for word in words):
                item = QtWidgets.QListWidgetItem(_picture(example), example.title)
                item.setData(Qt.ItemDataRole.UserRole, example)
                item.setToolTip(example.shows)
                self.list.addItem(item)
        self.list.setCurrentRow(0)
        self._describe(self.list.currentItem())

    def _describe(self, item: QtWidgets.QListWidgetItem | None) -> None:
        shows = item.data(Qt.ItemDataRole.UserRole).shows if item else "No example matches"
        self._shows.setText(f"{shows[:1].upper()}{shows[1:]}")
        self._buttons.button(QtWidgets.QDialogButtonBox.StandardButton.Open).setEnabled(bool(item))

    def accept(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            super().accept()
            self.chosen.emit(item.data(Qt.ItemDataRole.UserRole))


def _picture(example: Example) -> QIcon:
    """Its picture; an empty one of the same size where there is none."""
    path = locations.resources() / "thumbnails" / f"{example.path.stem}.png"
    made = QPixmap(str(path))
    if made.isNull():
        made = QPixmap(PICTURE)
        made.fill(Qt.GlobalColor.transparent)
    icon = QIcon(made)
    icon.addPixmap(made, QIcon.Mode.Selected)  # Qt would tint it
    return icon
