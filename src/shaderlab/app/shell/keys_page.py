"""The page of the settings with every command and its keys."""

from __future__ import annotations

from shaderlab.app.qt import QColor, QKeySequence, Qt, QtWidgets, QWidget
from shaderlab.app.shell.commands.table import COMMANDS, palette_text
from shaderlab.app.shell.key_bindings import (
    PRESETS,
    Bindings,
    assigned,
    conflicts,
    defaults,
    preset,
    users_of,
)
from shaderlab.app.widgets.search_line import SearchLine
from shaderlab.app.widgets.theme import Theme

_ID = Qt.ItemDataRole.UserRole
_NATIVE = QKeySequence.SequenceFormat.NativeText
NAMES = {command.id: palette_text(command) for command in COMMANDS}


class KeysPage(QWidget):
    """A list that can be searched by name and by key, and a field that takes the next key."""

    def __init__(self, bindings: Bindings, theme: Theme):
        super().__init__()
        self.bindings = dict(bindings)
        self._theme = theme
        self.preset = QtWidgets.QComboBox()
        self.preset.setAccessibleName("Preset of key bindings")
        self.preset.addItem("Preset…")
        self.preset.addItems(list(PRESETS))
        self.preset.activated.connect(self._take_preset)
        self.table = QtWidgets.QTreeWidget()
        self.table.setAccessibleName("Commands and their keys")
        self.table.setHeaderLabels(["Command", "Keys", ""])
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.currentItemChanged.connect(lambda _item, _before: self._on_row())
        self.line = SearchLine(
            "Search by command or key, for example “fold” or “Ctrl+D”",
            "Search the shortcuts",
            self.table,
        )
        self.line.textChanged.connect(self._filter)
        self.line.entered.connect(self._to_keys)
        self.keys = QtWidgets.QKeySequenceEdit()
        self.keys.setAccessibleName("New keys for the command")
        self.keys.setClearButtonEnabled(True)
        self.keys.keySequenceChanged.connect(lambda _keys: self._warn())
        self.assign = QtWidgets.QPushButton("Assign")
        self.assign.clicked.connect(self._assign)
        self.clear = QtWidgets.QPushButton("Remove keys")
        self.clear.clicked.connect(lambda: self._set(()))
        self.restore = QtWidgets.QPushButton("Default")
        self.restore.clicked.connect(self._restore)
        self.warning = QtWidgets.QLabel()
        self.warning.setWordWrap(True)
        self.warning.setProperty("role", "warning")
        top = QtWidgets.QHBoxLayout()
        top.addWidget(self.line, 1)
        top.addWidget(self.preset)
        row = QtWidgets.QHBoxLayout()
        for part in (self.keys, self.assign, self.clear, self.restore):
            row.addWidget(part)
        layout = QtWidgets.QVBoxLayout(self)
        layout.addLayout(top)
        layout.addWidget(self.table, 1)
        layout.addLayout(row)
        layout.addWidget(self.warning)
        for command_id, name in NAMES.items():
            item = QtWidgets.QTreeWidgetItem([name])
            item.setData(0, _ID, command_id)
            self.table.addTopLevelItem(item)
        self._show()
        self.table.resizeColumnToContents(0)
        self.table.resizeColumnToContents(1)
        self._on_row()

    @property
    def chosen(self) -> str:
        """Id of the chosen command; empty for none."""
        item = self.table.currentItem()
        return item.data(0, _ID) if item is not None else ""

    def choose(self, command_id: str) -> None:
        self.table.setCurrentItem(self._items()[command_id])

    def take(self, bindings: Bindings) -> None:
        """Show these in place of those chosen so far."""
        self.bindings = dict(bindings)
        self._show()

    def keys_text(self, command_id: str) -> str:
        """As the list shows them."""
        return self._items()[command_id].text(1)

    def _items(self) -> dict[str, QtWidgets.QTreeWidgetItem]:
        rows = (self.table.topLevelItem(n) for n in range(self.table.topLevelItemCount()))
        return {row.data(0, _ID): row for row in rows if row is not None}

    def _show(self) -> None:
        clashing, usual = conflicts(self.bindings), defaults()
        for command_id, item in self._items().items():
            keys = (QKeySequence(key).toString(_NATIVE) for key in self.bindings[command_id])
            item.setText(1, "  ·  ".join(keys))
            others = ", ".join(NAMES[other] for other in clashing.get(command_id, ()))
            changed = self.bindings[command_id] != usual[command_id]
            note = f"also {others}" if others else "changed" if changed else ""
            item.setText(2, note)
            colour = self._theme.error if others else self._theme.dim
            item.setForeground(2, QColor(colour))
        self._warn()

    def _filter(self, text: str) -> None:
        words = text.lower().split()
        for item in self._items().values():
            about = f"{item.text(0)} {item.text(1)} {item.text(2)}".lower()
            item.setHidden(not all(word in about for word in words))
        current = self.table.currentItem()
        if words and (current is None or current.isHidden()):
            shown = (item for item in self._items().values() if not item.isHidden())
            self.table.setCurrentItem(next(shown, None))  # type: ignore[arg-type]

    def _to_keys(self) -> None:
        """Let the chosen command's new keys be pressed."""
        if self.chosen:
            self.keys.setFocus()

    def _on_row(self) -> None:
        self.keys.clear()
        for part in (self.keys, self.clear, self.restore):
            part.setEnabled(bool(self.chosen))
        self._warn()

    def _warn(self) -> None:
        sequence = self.keys.keySequence()
        self.assign.setEnabled(bool(self.chosen) and not sequence.isEmpty())
        others = users_of(sequence.toString(), self.bindings, self.chosen)
        names = " and ".join(NAMES[other] for other in others)
        keys = sequence.toString(_NATIVE)
        self.warning.setText(
            f"{keys} is assigned to “{names}”; Assign moves it here." if others else ""
        )

    def _assign(self) -> None:
        sequence = self.keys.keySequence().toString()
        self.bindings = assigned(self.bindings, self.chosen, sequence)
        self.table.setFocus()  # or the next button would have it, which removes the keys
        self.keys.clear()
        self._show()

    def _set(self, keys: tuple[str, ...]) -> None:
        self.bindings[self.chosen] = keys
        self._show()

    def _restore(self) -> None:
        made = assigned(self.bindings, self.chosen, "")
        for key in reversed(defaults()[self.chosen]):
            made = assigned(made, self.chosen, key)
        self.bindings = made
        self._show()

    def _take_preset(self, row: int) -> None:
        if row:
            self.take(preset(self.preset.itemText(row)))
        self.preset.setCurrentIndex(0)
