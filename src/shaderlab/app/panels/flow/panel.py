"""The control flow of one function of the program."""

from __future__ import annotations

from shaderlab import units
from shaderlab.app.panels.flow.code_side import CodeSide
from shaderlab.app.panels.flow.graph import Graph
from shaderlab.app.panels.flow.view import FlowView
from shaderlab.app.qt import Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import vertical
from shaderlab.app.widgets.elided_label import ElidedLabel
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.theme import Theme
from shaderlab.app.widgets.veil import Veil


class FlowPanel(QWidget):
    """A choice of functions over the graph of one."""

    seen = Signal(bool)
    """Whether the panel is on screen."""
    code_seen = Signal(bool)
    """Whether the code beside the graph is on screen."""
    graph_changed = Signal()
    """Another function, or the same with other counts."""
    line_followed = Signal(int)
    """The caret went to this line."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._graphs: tuple[Graph, ...] = ()
        self.empty = EmptyState(theme)
        self.view = FlowView(theme)
        self.veil = Veil(self.view)
        self.functions = QtWidgets.QComboBox()
        self.functions.setAccessibleName("Function")
        self.functions.activated.connect(self._show)
        self._caption = ElidedLabel()
        self._caption.setProperty("role", "dim")
        fit = QtWidgets.QToolButton()
        fit.setText("Fit")
        fit.setToolTip("Show the whole function")
        fit.clicked.connect(self.view.fit)
        row = QtWidgets.QHBoxLayout()
        row.setContentsMargins(11, 4, 6, 4)
        row.setSpacing(8)
        row.addWidget(self.functions)
        row.addWidget(self._caption, 1)
        self.to_code = QtWidgets.QToolButton()
        self.to_code.setText("Code")
        self.to_code.setCheckable(True)
        self.to_code.setToolTip(
            "Show the function's SPIR-V and a GPU's machine code beside the graph"
        )
        self.to_code.toggled.connect(self._on_code)
        row.addWidget(self.to_code)
        row.addWidget(fit)
        self.code = CodeSide(theme)
        self.code.hide()
        both = QtWidgets.QSplitter(Qt.Orientation.Horizontal)
        both.setHandleWidth(1)
        both.setChildrenCollapsible(False)
        both.addWidget(self.view)
        both.addWidget(self.code)
        self._content = QWidget()
        column = vertical(self._content)
        column.addLayout(row)
        column.addWidget(both, 1)
        self._stack = QtWidgets.QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._content)

    def show_graphs(self, graphs: tuple[Graph, ...], caption: str) -> None:
        """The costliest first; the function shown stays where it is still there."""
        chosen = self.functions.currentData()
        self._graphs = graphs
        self.functions.clear()
        for graph in graphs:
            text = f"{graph.name}, {units.percent(graph.part)} of the instructions"
            self.functions.addItem(text, graph.name)
        self.functions.setCurrentIndex(max(self.functions.findData(chosen), 0))
        self._caption.setText(caption)
        self._show()
        self._stack.setCurrentWidget(self._content)

    def show_empty(self) -> None:
        """Show what `empty` says in place of a graph."""
        self._graphs = ()
        self._stack.setCurrentWidget(self.empty)

    @property
    def graph(self) -> Graph | None:
        """The one shown."""
        at = self.functions.currentIndex()
        return self._graphs[at] if 0 <= at < len(self._graphs) else None

    def follow_line(self, line: int) -> None:
        """Mark the blocks of this line."""
        self.view.link(line)
        self.line_followed.emit(line)

    @property
    def shows_code(self) -> bool:
        """Whether the code beside the graph is on screen."""
        return self.isVisible() and self.to_code.isChecked()

    def _on_code(self, shown: bool) -> None:
        self.code.setVisible(shown)
        self.code_seen.emit(self.shows_code)

    def _show(self) -> None:
        if self.graph is not None:
            self.view.show_graph(self.graph)
            self.graph_changed.emit()

    def showEvent(self, event) -> None:
        super().showEvent(event)
        self.seen.emit(True)
        self.code_seen.emit(self.shows_code)

    def hideEvent(self, event) -> None:
        super().hideEvent(event)
        self.seen.emit(False)
        self.code_seen.emit(False)

    def set_theme(self, theme: Theme) -> None:
        self.view.set_theme(theme)
        self.code.set_theme(theme)
        self.empty.set_theme(theme)
