"""The captured frame: passes, a bar over its time, its draws, and its time on each target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shaderlab.app.panels.frame.frame_bar import FrameBar, Part
from shaderlab.app.panels.frame.heat_view import HeatView
from shaderlab.app.panels.frame.passes_strip import PassesStrip
from shaderlab.app.panels.frame.rows import (
    DRAW,
    EVENT,
    NOTE,
    SHARE,
    SINCE_PIN,
    TARGET_NOTE,
    TARGET_SINCE_PIN,
    TARGET_TIME,
    DrawRow,
    DrawsModel,
    TargetRow,
    TargetsModel,
    filtered,
)
from shaderlab.app.qt import QColor, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import offer, vertical
from shaderlab.app.widgets.elided_label import ElidedLabel
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.share_bar import ShareBar
from shaderlab.app.widgets.theme import Theme
from shaderlab.app.widgets.veil import Veil

_PADDING = 25
_LEAST_TARGET = 12
"""Characters of a target's name that there is always room for."""
_LOW = 300
"""Pixels; in a lower panel the draws have the room of the passes' pictures."""
_WIDEST_DRAW = 34
"""Characters of a draw's name that its column shows at first."""


class FramePanel(QWidget):
    """Shows plain rows, and says which draw and which target the user chose."""

    draw_chosen = Signal(int)
    """Event."""
    target_chosen = Signal(str)
    """Slug."""
    stop_wanted = Signal()
    pin_wanted = Signal()
    heat_wanted = Signal()
    """The heat map came to the front, or another kind of it was chosen."""
    _resized = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self.draws, self.targets = DrawsModel(), TargetsModel()
        self.table = _table(self.draws, EVENT)
        self._share = ShareBar(self.table)
        self.table.setItemDelegateForColumn(SHARE, self._share)
        self.target_table = _table(self.targets, TARGET_TIME)
        self.passes, self.bar, self.heat = PassesStrip(), FrameBar(theme), HeatView(theme)
        self.target = QtWidgets.QComboBox()
        self.target.setToolTip("GPU whose predicted times are shown")
        self.target.setSizeAdjustPolicy(
            QtWidgets.QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.target.setMinimumContentsLength(_LEAST_TARGET)
        self.filter = QtWidgets.QLineEdit()
        self.filter.setPlaceholderText("Filter draws")
        self.filter.setClearButtonEnabled(True)
        self.filter.setMinimumWidth(110)
        self.stop = QtWidgets.QPushButton("Stop")
        self.stop.setToolTip("Stop reading draws and keep what has been read")
        self.pin = QtWidgets.QPushButton("Pin frame")
        self.pin.setCheckable(True)
        self.pin.setToolTip(
            "Keep the frame's times and compare each draw and target with them. Click again to "
            "pin the current times, or to unpin if nothing has changed"
        )
        self.headline, self.detail = ElidedLabel(), ElidedLabel()
        self.headline.setProperty("role", "title")
        self.detail.setProperty("role", "dim")
        self.empty = EmptyState(theme)
        self._rows: tuple[DrawRow, ...] = ()
        self._pass_numbers: Mapping[int, int] = {}
        self._has_fitted = False
        self._lay_out()
        self._connect()
        self.set_theme(theme)

    def _lay_out(self) -> None:
        head = QtWidgets.QHBoxLayout()
        head.setContentsMargins(8, 6, 8, 2)
        head.setSpacing(8)
        head.addWidget(self.target)
        about = QtWidgets.QVBoxLayout()
        about.setSpacing(1)
        about.addWidget(self.headline)
        about.addWidget(self.detail)
        head.addLayout(about, 1)
        head.addWidget(self.stop)
        head.addWidget(self.pin)
        self.pages = QtWidgets.QTabWidget()
        self.pages.setDocumentMode(True)
        self.pages.addTab(self.table, "Draws")
        self.pages.addTab(self.target_table, "Targets")
        self.pages.addTab(self.heat, "Heat map")
        corner = QWidget()
        beside = QtWidgets.QHBoxLayout(corner)
        beside.setContentsMargins(8, 3, 8, 3)
        beside.setSpacing(8)
        beside.addWidget(self.filter)
        self.pages.setCornerWidget(corner)
        content = QWidget()
        column = vertical(content)
        column.addLayout(head)
        column.addWidget(self.passes)
        column.addWidget(self.bar)
        column.addWidget(self.pages, 1)
        self._content = content
        stale = (self.headline, self.bar, self.table, self.target_table)
        self._veils = [Veil(each) for each in stale]
        self._stack = QtWidgets.QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(content)

    def _connect(self) -> None:
        self.target.activated.connect(lambda n: self.target_chosen.emit(self.target.itemData(n)))
        self.filter.textChanged.connect(lambda _: self._show_rows())
        self.stop.clicked.connect(self.stop_wanted)
        self.pin.clicked.connect(self.pin_wanted)
        self.heat.kind_chosen.connect(self.heat_wanted)
        self.pages.currentChanged.connect(lambda _: self.heat_wanted.emit())
        self.bar.chosen.connect(self.draw_chosen)
        self.passes.chosen.connect(self.draw_chosen)
        self.table.clicked.connect(self._on_clicked)
        self.table.activated.connect(self._on_activated)
        self.target_table.clicked.connect(self._on_target)
        # Not at once: a widget that is hidden while its layout works has it work again inside.
        self._resized.connect(self._show_passes, Qt.ConnectionType.QueuedConnection)

    def set_theme(self, theme: Theme) -> None:
        self._share.theme = theme
        self.draws.dim, self.draws.accent = QColor(theme.dim), QColor(theme.accent)
        self.empty.set_theme(theme)
        self.bar.set_theme(theme)
        self.heat.set_theme(theme)
        for table in (self.table, self.target_table):
            table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 7)
            table.viewport().update()

    # -- what to show -----------------------------------------------------------------------

    def show_empty(self) -> None:
        """Show what `empty` says in place of a frame."""
        self._stack.setCurrentWidget(self.empty)

    def show_frame(self, rows: Sequence[DrawRow], passes: Mapping[int, int]) -> None:
        """All draws; `passes`: the number of each draw's pass, from 0, by event."""
        self._rows, self._pass_numbers = tuple(rows), passes
        self._show_rows()
        self.bar.set_parts(
            [
                Part(row.event, row.name, row.share, passes.get(row.event, 0))
                for row in self._rows
                if row.share is not None
            ]
        )
        self._stack.setCurrentWidget(self._content)

    def show_pictures(self, pictures: Mapping[int, np.ndarray]) -> None:
        """As `PassesStrip.set_pictures`."""
        self.passes.set_pictures(pictures)
        self._show_passes()

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._resized.emit()

    def _show_passes(self) -> None:
        self.passes.setVisible(self.passes.count() > 0 and self.height() >= _LOW)

    def show_targets(
        self, rows: Sequence[TargetRow], names: Mapping[str, str], chosen: str
    ) -> None:
        """The frame on each target; `names` to choose from, by slug."""
        offer(self.target, names, chosen)
        self.target.setVisible(bool(names))
        self.targets.set_rows(rows)
        self.target_table.resizeColumnsToContents()
        self.pages.setTabText(1, f"Targets ({len(rows)})" if rows else "Targets")

    def show_pin(self, *, is_pinned: bool, can_pin: bool) -> None:
        """Whether the frame is compared with a pinned one; without, its columns are hidden."""
        self.pin.setChecked(is_pinned)
        self.pin.setText("Frame pinned" if is_pinned else "Pin frame")
        self.pin.setEnabled(can_pin)
        self.table.setColumnHidden(SINCE_PIN, not is_pinned)
        self.target_table.setColumnHidden(TARGET_SINCE_PIN, not is_pinned)

    @property
    def shows_heat(self) -> bool:
        return self.pages.currentWidget() is self.heat and self.isVisible()

    def say(
        self,
        headline: str,
        detail: str,
        *,
        running: bool,
        is_error: bool = False,
        is_stale: bool = False,
    ) -> None:
        """The frame's time, and what else is known of it; `running`: whether it can be stopped;
        `is_stale`: whether all times are of an earlier version."""
        for each in self._veils:
            each.set_drawn(is_stale)
        self.headline.setText(headline)
        self.detail.setText(detail)
        role = "error" if is_error else "dim"
        if self.detail.property("role") != role:
            self.detail.setProperty("role", role)
            self.detail.style().polish(self.detail)
        self.stop.setVisible(running)

    def follow(self, event: int) -> None:
        """Mark this draw, without announcing it; -1 for none."""
        self.bar.set_chosen(event)
        found = next((n for n, row in enumerate(self.draws.rows) if row.event == event), -1)
        if found < 0:
            self.table.clearSelection()
        else:
            self.table.selectRow(found)
        self._event = event

    _event = -1
    _clicked = -1
    """The draw that was clicked last, until it is activated."""

    def _show_rows(self) -> None:
        place = self.table.verticalScrollBar().value()
        self.draws.set_rows(filtered(self._rows, self.filter.text()))
        if self._rows and not self._has_fitted:
            self._fit_columns()
        self.table.verticalScrollBar().setValue(place)
        self.follow(self._event)
        shown, count = len(self.draws.rows), len(self._rows)
        title = f"Draws ({count})" if shown == count else f"Draws ({shown} of {count})"
        self.pages.setTabText(0, title)

    def _fit_columns(self) -> None:
        """Once there are numbers: columns stay as the user makes them."""
        self._has_fitted = any(row.invocations is not None for row in self._rows)
        width = self.table.fontMetrics().horizontalAdvance
        samples = ("00000", "0" * _WIDEST_DRAW, "fs_main 00000000", "000000000 %", "0.00 ms",
                   "+0.00 ms", "0.00 %", "0.00 ms", "000 \u00b5s \u2013 0.00 ms", "0.00 M",
                   "0.00 M", "0.00 M", "under 0.01 %", "pass and output", "0.00 G", "")  # fmt: skip
        for column, sample in enumerate(samples[:NOTE]):
            title = self.draws.columns[column]
            widest = max(width(sample), width(title) + 12)
            if column == DRAW:
                longest = max((width(row.name) for row in self._rows), default=0)
                widest = min(widest, max(longest, width(title)))
            self.table.setColumnWidth(column, widest + _PADDING)
        self.target_table.horizontalHeader().setSectionResizeMode(
            TARGET_NOTE, QtWidgets.QHeaderView.ResizeMode.Stretch
        )

    # -- what the user does -----------------------------------------------------------------

    def _on_clicked(self, index) -> None:
        self._clicked = self.draws.rows[index.row()].event
        self.draw_chosen.emit(self._clicked)

    def _on_activated(self, index) -> None:
        """Enter was pressed, or a double click ended, whose first click has done the work."""
        event, clicked = self.draws.rows[index.row()].event, self._clicked
        self._clicked = -1
        if event != clicked:
            self.draw_chosen.emit(event)

    def _on_target(self, index) -> None:
        self.target_chosen.emit(self.targets.rows[index.row()].target)


def _table(model: DrawsModel | TargetsModel, by: int) -> QtWidgets.QTableView:
    table = QtWidgets.QTableView()
    table.setModel(model)
    table.setSortingEnabled(True)
    table.sortByColumn(by, Qt.SortOrder.AscendingOrder)
    table.setSelectionBehavior(QtWidgets.QTableView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QtWidgets.QTableView.SelectionMode.SingleSelection)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.setHorizontalScrollMode(QtWidgets.QTableView.ScrollMode.ScrollPerPixel)
    table.verticalHeader().hide()
    table.horizontalHeader().setHighlightSections(False)
    table.horizontalHeader().setStretchLastSection(True)
    return table
