"""A control-flow graph as Qt draws it: blocks as boxes, edges as curves with counts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from shaderlab import units
from shaderlab.app.panels.flow.graph import Graph, Node
from shaderlab.app.qt import (
    QColor,
    QPainter,
    QPen,
    QPointF,
    Qt,
    QtGui,
    QtWidgets,
    Signal,
)
from shaderlab.app.widgets.layered_layout import layered
from shaderlab.app.widgets.theme import Theme

_GAP = (28.0, 44.0)
"""Between nodes of a layer, and between layers: device-independent pixels."""
_PADDING = 8.0
_ARROW = 4.0
_WIDEST = 4.0
"""Line width of the edge taken most often."""
_ZOOMS = (0.15, 3.0)
_LEAST_READABLE = 0.85


class _Box(QtWidgets.QGraphicsRectItem):
    """A block."""

    def __init__(self, number: int, node: Node, size: tuple[float, float]):
        super().__init__(0, 0, *size)
        self.number = number
        self.setFlag(QtWidgets.QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self.setToolTip(node.tip)
        self.setCursor(Qt.CursorShape.PointingHandCursor)


class FlowView(QtWidgets.QGraphicsView):
    """Blocks are chosen by click; the wheel zooms, dragging moves."""

    chosen = Signal(object)
    """Lines of the block that the user chose."""
    label_chosen = Signal(int)
    """Its label."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._graph: Graph | None = None
        self._linked: frozenset[int] = frozenset()
        self.boxes: list[_Box] = []
        self._filling = False
        self._scene = QtWidgets.QGraphicsScene(self)
        self._scene.selectionChanged.connect(self._on_selected)
        self.setScene(self._scene)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setDragMode(QtWidgets.QGraphicsView.DragMode.ScrollHandDrag)
        self.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        self.setTransformationAnchor(QtWidgets.QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setAccessibleName("Control flow of the function")

    def show_graph(self, graph: Graph) -> None:
        """Draw this function; the same one again stays where it is."""
        former, self._graph = self._graph, graph
        self._draw()
        if former is None or former.name != graph.name:
            self.fit()

    def select(self, label: int) -> None:
        """Choose the block with this label, as a click on it does."""
        for box in self.boxes:
            if self._graph is not None and self._graph.nodes[box.number].label == label:
                self._scene.clearSelection()
                box.setSelected(True)
                self.ensureVisible(box)

    def link(self, line: int) -> None:
        """Mark the blocks of this line."""
        self.link_lines((line,))

    def link_lines(self, lines: Collection[int]) -> None:
        """Mark the blocks of these lines."""
        if self._graph is None:
            return
        linked = frozenset(
            number
            for number, node in enumerate(self._graph.nodes)
            if not {*lines}.isdisjoint(node.lines)
        )
        if linked != self._linked:
            self._linked = linked
            self._colour()

    def fit(self) -> None:
        """Show all of it, or its top where that would be too small to read."""
        self.resetTransform()
        box, room = self._scene.itemsBoundingRect(), self.viewport().rect()
        if box.isEmpty():
            return
        scale = min(room.width() / box.width(), room.height() / box.height(), 1.0)
        scale = max(scale, _LEAST_READABLE)
        self.scale(scale, scale)
        top = QPointF(box.center().x(), box.top() + room.height() / scale / 2)
        self.centerOn(top if box.height() * scale > room.height() else box.center())

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._draw()

    def wheelEvent(self, event) -> None:
        factor = 1.0015 ** event.angleDelta().y()
        now = self.transform().m11() * factor
        if _ZOOMS[0] <= now <= _ZOOMS[1]:
            self.scale(factor, factor)
        event.accept()

    def keyPressEvent(self, event) -> None:
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(event.key())
        if step is None or not self.boxes:
            super().keyPressEvent(event)
            return
        now = next((box.number for box in self.boxes if box.isSelected()), -step)
        self._scene.clearSelection()
        box = self.boxes[(now + step) % len(self.boxes)]
        box.setSelected(True)
        self.ensureVisible(box)

    # -- drawing ----------------------------------------------------------------------------

    def _draw(self) -> None:
        graph, theme, scene = self._graph, self._theme, self._scene
        self._filling = True
        kept = [box.number for box in self.boxes if box.isSelected()]
        scene.clear()
        scene.setBackgroundBrush(QColor(theme.base))
        self.boxes = []
        if graph is not None:
            self._draw_graph(graph)
            for box in self.boxes:
                box.setSelected(box.number in kept)
        self._filling = False
        self._colour()

    def _draw_graph(self, graph: Graph) -> None:
        metrics = QtGui.QFontMetricsF(self.font())
        wide = max(metrics.horizontalAdvance(t) for node in graph.nodes for t in node.texts)
        wide, high = wide + 2 * _PADDING, 2 * metrics.height() + 2 * _PADDING
        plan = layered(len(graph.nodes), tuple(graph.edges))

        def at(x: float, layer: int) -> QPointF:
            return QPointF(x * (wide + _GAP[0]), layer * (high + _GAP[1]))

        for number, (node, place) in enumerate(zip(graph.nodes, plan.places, strict=True)):
            box = _Box(number, node, (wide, high))
            box.setPos(at(*place) - QPointF(wide / 2, 0))
            self._scene.addItem(box)
            self.boxes.append(box)
            for row, text in enumerate(node.texts):
                label = self._scene.addSimpleText(text, self.font())
                label.setParentItem(box)
                label.setPos((wide - metrics.horizontalAdvance(text)) / 2,
                             _PADDING + row * metrics.height())  # fmt: skip
                label.setBrush(QColor(self._theme.text if not row else self._theme.dim))
        most = max((count or 0 for count in graph.edges.values()), default=0)
        for edge, count in graph.edges.items():
            (x, layer), (end_x, end_layer) = plan.places[edge[0]], plan.places[edge[1]]
            up = edge in plan.backward
            start = at(x, layer) + QPointF(0, 0 if up else high)
            end = at(end_x, end_layer) + QPointF(0, high if up else 0)
            bends = [at(*bend) + QPointF(0, high / 2) for bend in plan.bends.get(edge, ())]
            if edge[0] == edge[1]:  # a loop of one block goes around its right side
                right = at(x, layer) + QPointF(wide / 2 + _GAP[0] / 2, high / 2)
                start, bends = at(x, layer) + QPointF(wide / 4, high), [right]
                end = at(x, layer) + QPointF(wide / 4, 0)
            self._draw_edge([start, *bends, end], count, most, up)

    def _draw_edge(self, points: Sequence[QPointF], count: int | None, most: int, up: bool) -> None:
        theme = self._theme
        colour = QColor(theme.accent if up else theme.dim)
        pen = QPen(colour, 1 + (_WIDEST - 1) * (count or 0) / max(most, 1))
        if not count:
            pen.setStyle(Qt.PenStyle.DotLine)
        path = QtGui.QPainterPath(points[0])
        for before, after in pairwise(points):
            middle = (before.y() + after.y()) / 2
            path.cubicTo(QPointF(before.x(), middle), QPointF(after.x(), middle), after)
        line = self._scene.addPath(path, pen)
        line.setZValue(-1)
        tip, side = points[-1], -_ARROW if points[-2].y() < points[-1].y() else _ARROW
        head = QtGui.QPolygonF([
            tip, tip + QPointF(-_ARROW, 2 * side), tip + QPointF(_ARROW, 2 * side)
        ])  # fmt: skip
        self._scene.addPolygon(head, QPen(colour), colour)
        text = "?" if count is None else units.count(count) if count else "never"
        label = self._scene.addSimpleText(text, self.font())
        label.setBrush(QColor(theme.accent if up else theme.text))
        middle = path.pointAtPercent(0.5 if len(points) == 2 else 0.3)
        label.setPos(middle + QPointF(5, -label.boundingRect().height() / 2))
        behind = label.boundingRect().translated(label.pos())
        clear = self._scene.addRect(behind, QPen(Qt.PenStyle.NoPen), QColor(theme.base))
        clear.setZValue(-0.5)  # over the edges, under the text
        label.setToolTip("Times this edge was taken in one frame")

    def _colour(self) -> None:
        graph, theme = self._graph, self._theme
        if graph is None:
            return
        for box in self.boxes:
            node = graph.nodes[box.number]
            marked = box.number in self._linked or box.isSelected()
            box.setBrush(QColor(theme.heat[node.heat] if node.count else theme.base))
            pen = QPen(QColor(theme.accent if marked else theme.line), 2.5 if marked else 1.0)
            if not node.count:
                pen.setStyle(Qt.PenStyle.DotLine)
            box.setPen(pen)

    def _on_selected(self) -> None:
        if self._filling or self._graph is None:
            return
        self._colour()
        for box in self.boxes:
            if box.isSelected():
                self.chosen.emit(self._graph.nodes[box.number].lines)
                self.label_chosen.emit(self._graph.nodes[box.number].label)
