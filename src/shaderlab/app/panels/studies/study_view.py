"""What the studies' views share: controls, a chart over results, and a line below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

from shaderlab.app.panels.studies.study_parts import controls_bar, offer_targets, summary_label
from shaderlab.app.qt import Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import pages, vertical
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.theme import Theme
from shaderlab.app.widgets.veil import Veil

OLD, FORMER = "from an earlier version of the shader", "from the run before"
_Found = TypeVar("_Found")
_LEAST_BOX = 120
"""Pixels: a narrow panel cuts the products' names rather than scroll sideways."""


class StudyView(QWidget, Generic[_Found]):
    """Emits what to study; shows the result, or why there is none.

    Whoever extends it makes its controls and calls `_arrange` last.
    """

    HEIGHTS = (200, 150)
    """Of chart and results, at first."""
    LEAST_RESULTS = 120
    """Pixels; a panel too low for chart and results is scrolled, since neither can be read
    squeezed."""
    STOPPABLE = True

    stop_wanted = Signal()

    def __init__(self, theme: Theme, start: str):
        super().__init__()
        self._theme = theme
        self._found: _Found | None = None
        self._chart: Any = None
        self._busy = self._stale = self._former = False
        self._said = ""
        self.start = QtWidgets.QPushButton(start)
        self.stop = QtWidgets.QPushButton("Stop")
        self.state = QtWidgets.QLabel()
        self.state.setProperty("role", "dim")
        self.summary = summary_label()
        self.empty = EmptyState(theme)

    def _arrange(self, controls: Iterable[QWidget], results: QWidget) -> None:
        self._parts = QtWidgets.QSplitter(Qt.Orientation.Vertical)
        self._parts.setHandleWidth(1)
        self._parts.addWidget(results)
        self._parts.setChildrenCollapsible(False)
        results.setMinimumHeight(min(self.HEIGHTS[1], self.LEAST_RESULTS))
        content = QWidget()
        vertical(content, self._parts, largest=self._parts)
        self._result = QtWidgets.QScrollArea()
        self._result.setWidgetResizable(True)
        self._result.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        # As high as there is room, or the dock would scroll the controls out of sight as well.
        policy = QtWidgets.QSizePolicy.Policy
        self._result.setSizePolicy(policy.Expanding, policy.Ignored)
        self._result.setWidget(content)
        self.veil = Veil(self._result)  # a splitter would take it for one of its parts
        self._stack = pages(self.empty, self._result)
        bar = controls_bar((*controls, self.start, self.stop, self.state))
        vertical(self, bar, self._stack, self.summary, largest=self._stack)
        self.stop.clicked.connect(self.stop_wanted)
        self._say("")
        self.show_state("", busy=False)
        self.set_theme(self._theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.empty.set_theme(theme)
        if self._chart is not None:
            self._chart.set_theme(theme)
        for table in self.findChildren(QtWidgets.QTableView):
            table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 9)

    def begin(self, text: str) -> None:
        """A study starts: a result that is shown belongs to the run before, and says so."""
        self._former = self._found is not None
        self._mark()
        self.show_state(text, busy=True)

    def show_state(self, text: str, *, busy: bool) -> None:
        """How far the study is, or why it cannot run."""
        self._busy = busy
        self.state.setText(text)
        if self._found is None:
            self.empty.setDisabled(busy)
        self.stop.setVisible(busy and self.STOPPABLE)
        self._enable()

    def show_result(self, found: _Found) -> None:
        """Replace the result."""
        if self._chart is None:
            self._chart = self._new_chart()
            self._chart.setMinimumHeight(self.HEIGHTS[0] - 20)
            self._parts.insertWidget(0, self._chart)
            self._parts.setSizes(list(self.HEIGHTS))
        self._found, self._former = found, False
        self._redraw()
        self.set_stale(False)
        self._stack.setCurrentWidget(self._result)

    def say_none(self, title: str, hint: str) -> None:
        """Why there is no result."""
        self._found, self._said, self._former = None, "", False
        self.set_stale(False)
        self.empty.say("targets", title, hint)
        self._stack.setCurrentWidget(self.empty)

    def set_stale(self, stale: bool) -> None:
        """Dim a result of an earlier text, and say so."""
        self._stale = stale and self._found is not None
        self._mark()

    def _mark(self) -> None:
        self.veil.set_drawn(self._stale or self._former)
        self._say(self._said)

    def _say(self, text: str) -> None:
        """Below the result."""
        self._said = text
        of = FORMER if self._former else OLD if self._stale else ""
        self.summary.setText(f"{text} \u00b7 {of}" if of else text)
        self.summary.setVisible(bool(text))

    def _redraw(self) -> None:
        if self._found is not None:
            self._show(self._found)

    def _enable(self) -> None:
        self.start.setEnabled(not self._busy)

    def _new_chart(self) -> Any:
        """Made once there is a result: it needs pyqtgraph, which the start does without."""
        raise NotImplementedError

    def _show(self, found: _Found) -> None:
        """Fill the chart, the results and the line below."""
        raise NotImplementedError


class ChipStudyView(StudyView[_Found]):
    """A study of one family of AMD chips."""

    STOPPABLE = False

    wanted = Signal(str)
    """Slug of the family."""

    def __init__(self, theme: Theme, start: str, title: str, hint: str):
        super().__init__(theme, start)
        self.families = QtWidgets.QComboBox()
        self.families.setAccessibleName("Chip")
        self.families.setMinimumWidth(_LEAST_BOX)
        self.start.clicked.connect(lambda: self.wanted.emit(self.families.currentData() or ""))
        self.empty.say("targets", title, hint)

    def offer(self, families: Mapping[str, str], chosen: str) -> None:
        """Families by slug with the name to show."""
        offer_targets(self.families, families, chosen)


class TargetStudyView(StudyView[_Found]):
    """A study whose times are drawn for one target at a time."""

    wanted: Signal
    """Says what to study."""

    def __init__(self, theme: Theme, start: str):
        super().__init__(theme, start)
        self.targets = QtWidgets.QComboBox()
        self.targets.setSizeAdjustPolicy(QtWidgets.QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.targets.setMinimumWidth(_LEAST_BOX)
        self.targets.setToolTip("The target whose times are drawn")
        self.targets.setAccessibleName("Target")
        self.targets.currentIndexChanged.connect(self._redraw)

    def offer_targets(self, names: Mapping[str, str], chosen: str) -> None:
        """Targets by slug with the name to show."""
        offer_targets(self.targets, names, chosen)
        self._enable()

    @property
    def target(self) -> str:
        """Slug; empty before there are targets."""
        return self.targets.currentData() or ""
