"""Variants in a table beside the curve of all versions' predicted times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shaderlab.app.panels.variants.history_curve import HistoryCurve
from shaderlab.app.panels.variants.rows import (
    CHANGE,
    NAME,
    TIME,
    Point,
    VariantRow,
    VariantsModel,
)
from shaderlab.app.qt import QAction, QColor, QFont, QPoint, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import vertical
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.theme import Theme


class VariantsPanel(QWidget):
    """Emits what the user does with a version, by its number."""

    text_wanted = Signal(int)
    """Bring this version's text back."""
    comparison_wanted = Signal(int)
    """Compare this version with the present one."""
    renamed = Signal(int, str)
    """A version gets a name, which keeps it as a variant."""
    unpinned = Signal(int)
    baseline_chosen = Signal(int)
    forget_wanted = Signal()
    """Drop the history."""

    def __init__(self, theme: Theme, pin: QAction):
        super().__init__()
        self.model = VariantsModel(self.renamed.emit)
        self.table = _table(self.model)
        self._bold = _BoldBaseline(self.table)
        self.table.setItemDelegateForColumn(NAME, self._bold)
        self.curve = HistoryCurve(theme)
        self.curve.chosen.connect(self.text_wanted)
        self.curve.menu_wanted.connect(self._show_menu)
        self.pin = _button(pin, "Pin")
        self.compare = _push(
            "Compare\u2026", "Compare the variant's text and picture with the current ones"
        )
        self.back = _push("Restore", "Restore the variant's text; Undo returns to the current text")
        self.compare.clicked.connect(lambda: self._of_selected(self.comparison_wanted.emit))
        self.back.clicked.connect(lambda: self._of_selected(self.text_wanted.emit))
        self.table.customContextMenuRequested.connect(self._on_table_menu)
        self.table.selectionModel().selectionChanged.connect(self._enable)
        self.hint = QtWidgets.QLabel("Pin a version to keep it under a name.")
        self.hint.setProperty("role", "dim")
        self.hint.setContentsMargins(11, 4, 8, 4)
        self.hint.setWordWrap(True)
        buttons = QtWidgets.QHBoxLayout()
        buttons.setContentsMargins(8, 4, 8, 4)
        buttons.setSpacing(6)
        for part in (self.pin, self.compare, self.back):
            buttons.addWidget(part)
        buttons.addStretch(1)
        left = QWidget()
        column = vertical(left)
        column.addLayout(buttons)
        column.addWidget(self.hint)
        column.addWidget(self.table, 1)
        column.addStretch(0)
        self._content = QtWidgets.QSplitter(Qt.Orientation.Horizontal)
        self._content.setHandleWidth(1)
        self._content.setChildrenCollapsible(False)
        self._content.addWidget(left)
        self._content.addWidget(self.curve)
        self._content.setSizes([1000, 1000])  # shares: a name with its time needs half the room
        self.empty = EmptyState(theme)
        self.empty.say("targets", "No version yet", "Every text that compiles becomes a version.")
        self._stack = QtWidgets.QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._content)
        self.set_theme(theme)
        self._enable()

    # -- what to show -----------------------------------------------------------------------

    def show_versions(
        self,
        rows: Sequence[VariantRow],
        numbers: Sequence[int],
        curves: Mapping[str, Sequence[Point]],
        target: tuple[str, str],
        said: Mapping[int, str],
    ) -> None:
        """`numbers`: of all versions; `target`: slug and name; `said`: when each version was."""
        if not numbers:
            self._stack.setCurrentWidget(self.empty)
            return
        if tuple(rows) != self.model.rows:
            self._replace_rows(rows)
        named = {row.number: row.name for row in rows}
        self.curve.show_curves(numbers, curves, *target, named, said)
        self.hint.setVisible(not rows)
        self.table.setVisible(bool(rows))
        self._stack.setCurrentWidget(self._content)
        self._enable()

    def _replace_rows(self, rows: Sequence[VariantRow]) -> None:
        former = {row.number for row in self.model.rows}
        chosen = self.selected
        new = [row.number for row in rows if row.number not in former]
        if self.table.state() == QtWidgets.QTableView.State.EditingState:
            return  # a name is being typed: shown once that is done
        self.model.set_rows(rows)
        wanted = new[0] if new and former else chosen or (rows[0].number if rows else 0)
        for at, row in enumerate(rows):
            if row.number == wanted:
                self.table.selectRow(at)

    @property
    def rows(self) -> tuple[VariantRow, ...]:
        return self.model.rows

    @property
    def selected(self) -> int:
        """Number of the variant chosen in the table; 0 for none."""
        rows = self.table.selectionModel().selectedRows()
        return self.model.rows[rows[0].row()].number if rows else 0

    def set_theme(self, theme: Theme) -> None:
        self.empty.set_theme(theme)
        self.curve.set_theme(theme)
        self.model.colours = QColor(theme.error), QColor(theme.good)
        metrics = self.table.fontMetrics()
        self.table.verticalHeader().setDefaultSectionSize(metrics.height() + 7)
        width = metrics.horizontalAdvance
        for column, sample in ((TIME, "000.0 ms"), (CHANGE, "+0000 %")):
            self.table.setColumnWidth(column, width(sample) + 24)
        self.table.viewport().update()

    # -- what the user does -----------------------------------------------------------------

    def _of_selected(self, call) -> None:
        if self.selected:
            call(self.selected)

    def _enable(self) -> None:
        for button in (self.compare, self.back):
            button.setEnabled(bool(self.selected))

    def _on_table_menu(self, at: QPoint) -> None:
        index = self.table.indexAt(at)
        if index.isValid():
            number = self.model.rows[index.row()].number
            self._show_menu(number, self.table.viewport().mapToGlobal(at))

    def _show_menu(self, number: int, at: QPoint) -> None:
        menu = self.menu_for(number)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)

    def menu_for(self, number: int) -> QtWidgets.QMenu:
        """What can be done with a version."""
        row = next((row for row in self.model.rows if row.number == number), None)
        menu = QtWidgets.QMenu(self)
        _entry(menu, "Restore its text", lambda: self.text_wanted.emit(number))
        _entry(menu, "Compare with now\u2026", lambda: self.comparison_wanted.emit(number))
        menu.addSeparator()
        if row is None:
            _entry(menu, "Keep as a variant", lambda: self.renamed.emit(number, ""))
        else:
            text = "Stop comparing times with it" if row.is_baseline else "Compare times with it"
            baseline = 0 if row.is_baseline else number
            _entry(menu, text, lambda: self.baseline_chosen.emit(baseline))
            _entry(menu, "Rename", lambda: self._edit_name(number))
            _entry(menu, "Unpin", lambda: self.unpinned.emit(number))
        menu.addSeparator()
        _entry(menu, "Forget this document's history", self.forget_wanted.emit)
        return menu

    def _edit_name(self, number: int) -> None:
        for at, row in enumerate(self.model.rows):
            if row.number == number:
                self.table.setFocus()
                self.table.edit(self.model.index(at, NAME))


class _BoldBaseline(QtWidgets.QStyledItemDelegate):
    """The name of what times are compared with is bold."""

    def initStyleOption(self, option, index) -> None:
        super().initStyleOption(option, index)
        model = index.model()
        if isinstance(model, VariantsModel) and model.rows[index.row()].is_baseline:
            option.font.setWeight(QFont.Weight.DemiBold)


def _table(model: VariantsModel) -> QtWidgets.QTableView:
    table = QtWidgets.QTableView()
    table.setModel(model)
    table.setSelectionBehavior(QtWidgets.QTableView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QtWidgets.QTableView.SelectionMode.SingleSelection)
    triggers = QtWidgets.QTableView.EditTrigger
    table.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)
    table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    table.setTabKeyNavigation(False)
    table.setAccessibleName("Variants")
    table.verticalHeader().hide()
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setSectionResizeMode(NAME, QtWidgets.QHeaderView.ResizeMode.Stretch)
    return table


def _button(action: QAction, text: str) -> QtWidgets.QToolButton:
    button = QtWidgets.QToolButton()
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
    button.setText(text)
    button.setProperty("role", "push")
    return button


def _push(text: str, tip: str) -> QtWidgets.QToolButton:
    button = QtWidgets.QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setProperty("role", "push")
    return button


def _entry(menu: QtWidgets.QMenu, text: str, call) -> None:
    menu.addAction(text).triggered.connect(lambda _checked=False: call())
