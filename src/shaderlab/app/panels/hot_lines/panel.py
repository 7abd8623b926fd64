"""Hot lines: the list one optimises from the top; a click goes to the line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.panels.hot_lines.lines import (
    COLUMNS,
    LINE,
    PASS,
    SHARE,
    SOURCE,
    HotLine,
    HotLinesModel,
    hot_lines,
)
from shaderlab.app.qt import QFontDatabase, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import offer, vertical
from shaderlab.app.widgets.elided_label import ElidedLabel
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.share_bar import ShareBar
from shaderlab.app.widgets.theme import Theme
from shaderlab.app.widgets.veil import Veil
from shaderlab.prediction.cost import LAUNCH
from shaderlab.prediction.forecast import Forecast

if TYPE_CHECKING:
    from shaderlab.prediction.forecasts.frame_forecast import FrameForecast
    from shaderlab.spirv.trace import SourceLine

_PADDING = 11


class HotLinesPanel(QWidget):
    """A sortable table for one target, which can be chosen here too."""

    line_chosen = Signal(str, int, str)
    """File (empty for the pass's own text) and line to go to, and the pass, empty for a single
    one."""
    target_chosen = Signal(str)
    """Slug."""

    def __init__(self, theme: Theme):
        super().__init__()
        self.model = HotLinesModel()
        self.table = QtWidgets.QTableView()
        self.table.setModel(self.model)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(SHARE, Qt.SortOrder.DescendingOrder)
        self.table.setSelectionBehavior(QtWidgets.QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QtWidgets.QTableView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.setHorizontalScrollMode(QtWidgets.QTableView.ScrollMode.ScrollPerPixel)
        self.table.verticalHeader().hide()
        self._bar = ShareBar(self.table)
        self.table.setItemDelegateForColumn(SHARE, self._bar)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # a place ends with its line
        self._code = _CodeDelegate(self.table)
        self.table.setItemDelegateForColumn(SOURCE, self._code)
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        self.target = QtWidgets.QComboBox()
        self.target.setToolTip("GPU whose predicted time is divided among the lines")
        self.target.setSizeAdjustPolicy(QtWidgets.QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.target.activated.connect(
            lambda index: self.target_chosen.emit(self.target.itemData(index))
        )
        self._caption = ElidedLabel()
        self._caption.setProperty("role", "dim")
        head = QWidget()
        row = QtWidgets.QHBoxLayout(head)
        row.setContentsMargins(8, 4, 10, 4)
        row.setSpacing(8)
        row.addWidget(self.target)
        row.addWidget(self._caption, 1)
        self._content = QWidget()
        vertical(self._content, head, self.table, largest=self.table)
        self.empty = EmptyState(theme)
        self._stack = QtWidgets.QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._content)
        self._line, self._following = 0, False
        self._stepped_to = 0
        self._edited = self._stale = self._caption_text = ""
        self.veil = Veil(self.table)
        self._hottest_first: tuple[HotLine, ...] = ()
        self.table.clicked.connect(self._on_activated)
        self.table.activated.connect(self._on_activated)
        self.table.selectionModel().currentRowChanged.connect(self._on_moved)
        self.set_theme(theme)

    # -- what to show -----------------------------------------------------------------------

    def show_forecast(
        self,
        forecast: Forecast | FrameForecast,
        names: Mapping[str, str],
        counts: Mapping[str, Mapping[SourceLine, int]],
        texts: Mapping[str, str],
        edited: str = "",
    ) -> None:
        """Replace the rows, keeping sort order and place.

        `names` are those of the targets to choose from, by slug; `counts` and `texts` as
        `hot_lines` takes them; `edited`: the pass whose text the document is.
        """
        offer(self.target, names, forecast.target)
        rows = hot_lines(forecast, counts, texts)
        self._edited = edited
        first = not self.model.rows or self.table.isColumnHidden(PASS) == bool(edited)
        self._following = True
        self._hottest_first = rows
        self.model.set_rows(rows)
        self.table.setColumnHidden(PASS, not edited)
        self._following = False
        if first:
            self._fit_columns()
        share = sum(part.share for part in forecast.lines)
        whole = units.seconds(forecast.least_s or 0.0)
        rest = "Render passes" if edited else "Render pass"
        if isinstance(forecast, Forecast) and forecast.cost is not None:
            rest = "Launch" if LAUNCH in dict(forecast.cost.shares) else rest
        self._caption_text = (
            f"Lines: {units.percent(share)} of {whole}. {rest}: {units.percent(1 - share)}"
        )
        if not any(texts.values()):
            self._caption_text += " \u00b7 lines of the original source"
        self._say_what_it_is()
        self.follow_line(self._line)
        self._stack.setCurrentWidget(self._content)

    def show_empty(self) -> None:
        """Show what `empty` says in place of the table."""
        self._hottest_first = ()
        self.model.set_rows(())
        self._stack.setCurrentWidget(self.empty)

    def set_stale(self, why: str) -> None:
        """Dim the numbers, and say what they are of, where that is not the present text."""
        if why != self._stale:
            self._stale = why
            self.veil.set_drawn(bool(why))
            self._say_what_it_is()

    def follow_line(self, line: int) -> None:
        """Choose the row of this line of the document, without announcing it."""
        self._line = line
        found = next(
            (n for n, r in enumerate(self.model.rows) if r.line == line and self._is_here(r)), -1
        )
        self._following = True
        if found < 0:
            self.table.clearSelection()
        else:
            self.table.selectRow(found)
        self._following = False

    @property
    def rows(self) -> tuple[HotLine, ...]:
        """As shown, from the top."""
        return self.model.rows

    def hot_line_after(self, line: int) -> int:
        """Line of the document that takes most of the time; where this one is the last that was
        asked for, the next hottest, and after the coldest the hottest.  0 where there is none."""
        hottest_first = [row.line for row in self._hottest_first if self._is_here(row)]
        if not hottest_first:
            return 0
        is_next = line == self._stepped_to and line in hottest_first
        at = hottest_first.index(line) + 1 if is_next else 0
        self._stepped_to = hottest_first[at % len(hottest_first)]
        return self._stepped_to

    def _is_here(self, row: HotLine) -> bool:
        """Whether it is a line of the document."""
        return not row.file and row.pass_name == self._edited

    @property
    def caption(self) -> str:
        return self._caption.text()

    def set_theme(self, theme: Theme) -> None:
        self._bar.theme = theme
        self.empty.set_theme(theme)
        metrics = self.table.fontMetrics()
        self.table.verticalHeader().setDefaultSectionSize(metrics.height() + 7)
        self.table.viewport().update()

    # -- the parts --------------------------------------------------------------------------

    def _say_what_it_is(self) -> None:
        stale = f" \u00b7 {self._stale}" if self._stale else ""
        self._caption.setText(self._caption_text + stale)

    def _fit_columns(self) -> None:
        width = self.table.fontMetrics().horizontalAdvance
        widest_place = max((width(row.place) for row in self.model.rows), default=0)
        widest_pass = max((width(row.pass_name) for row in self.model.rows), default=0)
        samples = ("", "0000", "000000000 %", "00.00 ms", "00.00 M")
        for column, sample in enumerate(samples):
            widest = max(width(sample), width(COLUMNS[column]) + 12)
            if column in (PASS, LINE):
                own = widest_pass if column == PASS else widest_place
                widest = min(max(widest, own), 20 * width("0"))
            self.table.setColumnWidth(column, widest + 2 * _PADDING + 2)

    def _on_activated(self, index) -> None:
        row = self.model.rows[index.row()]
        self.line_chosen.emit(row.file, row.line, row.pass_name)

    def _on_moved(self, current, _previous) -> None:
        """The arrow keys go from hot line to hot line, inside the document."""
        if self._following or not current.isValid() or not self.table.hasFocus():
            return
        row = self.model.rows[current.row()]
        if self._is_here(row):
            self.line_chosen.emit(row.file, row.line, row.pass_name)


class _CodeDelegate(QtWidgets.QStyledItemDelegate):
    """Source in the fixed font."""

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self._font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)

    def initStyleOption(self, option, index) -> None:
        super().initStyleOption(option, index)
        self._font.setPointSizeF(option.font.pointSizeF())
        option.font = self._font
        option.textElideMode = Qt.TextElideMode.ElideRight
