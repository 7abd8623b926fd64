"""The strip under a heat map: what it shows, its scale, how opaque it is."""

from __future__ import annotations

from collections.abc import Callable

from shaderlab.app.panels.preview.heat_overlay import HeatLayer, title_of
from shaderlab.app.qt import (
    QAction,
    QColor,
    QEvent,
    QPainter,
    QPen,
    QPointF,
    QRectF,
    QSize,
    Qt,
    QtGui,
    QtWidgets,
    QWidget,
    Signal,
)
from shaderlab.app.widgets.heat_colours import heat_table
from shaderlab.app.widgets.theme import Theme


class HeatLegend(QWidget):
    """Shows a layer, or says why there is none; emits the opacity the user drags."""

    opacity_changed = Signal(int)
    """Per cent."""

    def __init__(self, theme: Theme, kinds: list[QAction]):
        """`kinds`: the actions that choose what the heat map shows."""
        super().__init__()
        self.setProperty("role", "strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._layer: HeatLayer | None = None
        self._kind = QtWidgets.QToolButton()
        self._kind.setPopupMode(QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup)
        self._kind.setToolTip("What the heat map shows")
        menu = QtWidgets.QMenu(self)
        menu.addActions(kinds)
        self._kind.setMenu(menu)
        self._cold, self._hot = QtWidgets.QLabel(), QtWidgets.QLabel()
        self.scale = _ScaleBar(theme, self._summary)
        self._message = QtWidgets.QLabel()
        for label in (self._cold, self._hot, self._message):
            label.setProperty("role", "dim")
        self._message.setSizePolicy(
            QtWidgets.QSizePolicy.Policy.Ignored, QtWidgets.QSizePolicy.Policy.Preferred
        )
        self._opacity = QtWidgets.QSlider(Qt.Orientation.Horizontal)
        self._opacity.setRange(10, 100)
        self._opacity.setPageStep(10)
        self._opacity.setFixedWidth(72)
        self._opacity.setAccessibleName("Opacity of the heat map")
        self._opacity.valueChanged.connect(self._on_opacity)
        width = self.fontMetrics().horizontalAdvance
        self._cold.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for label in (self._cold, self._hot):
            label.setMinimumWidth(width("00.0 k"))
        row = QtWidgets.QHBoxLayout(self)
        row.setContentsMargins(6, 3, 8, 3)
        row.setSpacing(6)
        row.addWidget(self._kind)
        row.addWidget(self._cold)
        row.addWidget(self.scale, 1)
        row.addWidget(self._hot)
        row.addWidget(self._message, 1)
        row.addWidget(self._opacity)
        self.set_theme(theme)
        self.hide()

    def show_layer(self, layer: HeatLayer) -> None:
        self._layer = layer
        if layer.empty:
            self.say("Not executed in this picture")
            return
        cold, hot = layer.ends
        self._cold.setText(layer.short_text(cold))
        self._hot.setText(layer.short_text(hot))
        self.scale.set_range(layer.position(cold), layer.position(hot))
        self._show_scale(True)

    def _summary(self) -> str:
        """The layer in one line."""
        layer = self._layer
        if layer is None or layer.empty:
            return ""
        title = title_of(layer.view.kind, is_launched=layer.is_launched)
        return (
            f"{title}: {layer.text(layer.low)} to {layer.text(layer.high)}, "
            f"{layer.short_text(layer.mean)} on average"
        )

    def say(self, text: str) -> None:
        """Why there is no scale."""
        self._message.setText(text)
        self._message.setToolTip(text)
        self._show_scale(False)

    def show_kind(self, text: str) -> None:
        self._kind.setText(text)

    def point_at(self, value: float | None) -> None:
        """Mark a value on the scale."""
        if value is None or self._layer is None:
            self.scale.set_marker(None)
        else:
            self.scale.set_marker(self._layer.position(value))

    def set_opacity(self, percent: int) -> None:
        self._opacity.setValue(percent)
        self._on_opacity(self._opacity.value())

    @property
    def texts(self) -> tuple[str, str]:
        """At the cold and the hot end of the scale; empty while there is none."""
        shown = not self.scale.isHidden()
        return (self._cold.text(), self._hot.text()) if shown else ("", "")

    @property
    def message(self) -> str:
        return self._message.text() if not self._message.isHidden() else ""

    def set_theme(self, theme: Theme) -> None:
        self.scale.set_theme(theme)

    def _show_scale(self, shown: bool) -> None:
        for part in (self._cold, self.scale, self._hot):
            part.setVisible(shown)
        self._message.setVisible(not shown)

    def _on_opacity(self, percent: int) -> None:
        self._opacity.setToolTip(f"Opacity of the heat map: {percent} %")
        self.opacity_changed.emit(percent)


class _ScaleBar(QWidget):
    """The colours in use, cold to hot, with a mark at the value pointed at."""

    def __init__(self, theme: Theme, tip: Callable[[], str]):
        """`tip` is asked when the tool tip is wanted: it takes too long for every frame."""
        super().__init__()
        self.tip = tip
        self._theme = theme
        self._range = (0.0, 1.0)
        self._marker: float | None = None
        self.setMinimumWidth(48)
        self.setSizePolicy(
            QtWidgets.QSizePolicy.Policy.Expanding, QtWidgets.QSizePolicy.Policy.Fixed
        )

    def sizeHint(self) -> QSize:
        return QSize(160, 18)

    def event(self, event) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            QtWidgets.QToolTip.showText(event.globalPos(), self.tip(), self)
            return True
        return super().event(event)

    def set_range(self, cold: float, hot: float) -> None:
        """Positions in the colours of the ends."""
        self._range = (cold, hot)
        self.update()

    def set_marker(self, position: float | None) -> None:
        if position != self._marker:
            self._marker = position
            self.update()

    @property
    def marker(self) -> float | None:
        return self._marker

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def paintEvent(self, _event) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(4, 4, -4, -4)
        cold, hot = self._range
        table = heat_table()
        gradient = QtGui.QLinearGradient(box.topLeft(), box.topRight())
        for stop in range(33):
            at = cold + (hot - cold) * stop / 32
            gradient.setColorAt(stop / 32, QColor(*table[round(at * (len(table) - 1))].tolist()))
        painter.setPen(QPen(QColor(self._theme.line), 1))
        painter.setBrush(gradient)
        painter.drawRoundedRect(box, 2, 2)
        if self._marker is not None:
            part = (self._marker - cold) / (hot - cold) if hot > cold else 0.0
            x = box.left() + box.width() * min(max(part, 0.0), 1.0)
            painter.setPen(QPen(QColor(self._theme.text), 1))
            painter.setBrush(QColor(self._theme.base))
            tip = QPointF(x, box.top() + 4)
            painter.drawPolygon([tip, tip + QPointF(-4, -7), tip + QPointF(4, -7)])
