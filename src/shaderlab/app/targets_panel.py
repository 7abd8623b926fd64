"""Predicted time per target, each with its exact value, method and validated error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.empty_state import EmptyState
from shaderlab.app.late_import import LateImport
from shaderlab.app.qt import Qt, QtWidgets, QWidget, Signal
from shaderlab.app.target_bars import Bar, bars_of
from shaderlab.app.theme import Theme

if TYPE_CHECKING:
    from shaderlab.app.target_chart import TargetChart
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.targets import TargetInfo


def details_html(forecast: Forecast, info: TargetInfo | None, theme: Theme) -> str:
    """All there is to say about one forecast."""
    v = forecast.validated
    parts = [
        f"<b>{escape(info.name if info else forecast.target)}</b> &nbsp;"
        f"{units.seconds(forecast.time_s)} "
        f"<span style='color:{theme.dim}'>({units.seconds(forecast.low_s)} \u2013 "
        f"{units.seconds(forecast.high_s)})</span>"
    ]
    known = []
    if v.mape is not None:
        known.append(f"mean error {units.percent(v.mape)}")
    if v.spearman is not None:
        known.append(f"rank correlation {v.spearman:.2f}")
    if v.n is not None:
        known.append(f"{v.n} shaders")
    parts += [f"<span style='color:{theme.warning}'>{escape(w)}</span>" for w in forecast.warnings]
    if known:
        sentence = escape(f"Validated: {', '.join(known)}. {v.source}")
        parts.append(f"<span style='color:{theme.dim}'>{sentence}</span>")
    parts.append(f"<span style='color:{theme.dim}'>{escape(forecast.basis)}</span>")
    if info is not None and (info.clock or info.driver):
        origin = "; ".join(x for x in (info.driver, info.clock) if x)
        parts.append(f"<span style='color:{theme.dim}'>{escape(origin)}</span>")
    return "<br>".join(parts)


class TargetsPanel(QWidget):
    """The chart, and under it what there is to say about the chosen target."""

    target_chosen = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._forecasts: dict[str, Forecast] = {}
        self._targets: Mapping[str, TargetInfo] = {}
        self._bars: tuple[Bar, ...] = ()
        self._chosen = self._caption_text = ""
        self._pinned, self._pinned_s = "", {}
        self._stale = False
        self.chart: TargetChart | None = None
        """None until `prepare` has come to its end."""
        self._loading = LateImport("shaderlab.app.target_chart", self)
        self._loading.arrived.connect(self._make_chart)
        self.empty = EmptyState(theme)
        self._caption = QtWidgets.QLabel()
        self._caption.setProperty("role", "dim")
        self._caption.setContentsMargins(10, 6, 10, 0)
        self._details = QtWidgets.QLabel()
        self._details.setWordWrap(True)
        self._details.setTextFormat(Qt.TextFormat.RichText)
        self._details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._details.setContentsMargins(10, 6, 10, 6)
        self._details.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._scroll = _plain_scroll_area(self._details)
        self._scroll.setProperty("role", "strip")
        self._content = QWidget()
        self._content.setProperty("role", "content")
        self._content.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._column = QtWidgets.QVBoxLayout(self._content)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self._caption)
        self._column.addWidget(self._scroll)
        self._stack = QtWidgets.QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._content)
        self.set_theme(theme)

    def prepare(self) -> None:
        """Have the chart come: pyqtgraph takes a third of the start, so the window starts without
        and stays answering while it loads."""
        if self.chart is None:
            self._loading.start()

    def _make_chart(self) -> None:
        from shaderlab.app.target_chart import TargetChart

        self.chart = TargetChart(self._theme)
        self.chart.chosen.connect(self.choose)
        scroll = _plain_scroll_area(self.chart)
        self._column.insertWidget(1, scroll, 1)
        self._draw()

    def show_forecasts(
        self, forecasts: Sequence[Forecast], targets: Mapping[str, TargetInfo], caption: str
    ) -> None:
        self.prepare()
        self._forecasts = {f.target: f for f in forecasts}
        self._targets = targets
        self._bars = bars_of(forecasts, targets, self._pinned_s)
        if self._chosen not in self._forecasts and self._bars:
            self._chosen = self._bars[-1].target
        self._caption_text = caption
        self._draw()
        self._stack.setCurrentWidget(self._content)

    def set_pinned(self, name: str, times_s: Mapping[str, float]) -> None:
        """Tell changes against this variant's seconds by target; an empty name for none."""
        if (name, times_s) != (self._pinned, self._pinned_s):
            self._pinned, self._pinned_s = name, dict(times_s)
            if self._bars:
                self._bars = bars_of(tuple(self._forecasts.values()), self._targets, self._pinned_s)
                self._draw()

    def set_stale(self, stale: bool) -> None:
        """Say whether the text has left the program that this is about behind."""
        if stale != self._stale:
            self._stale = stale
            self._say_what_it_is()

    def show_empty(self) -> None:
        """Show what `empty` says in place of the chart."""
        self._forecasts, self._bars = {}, ()
        self._stack.setCurrentWidget(self.empty)

    @property
    def bars(self) -> tuple[Bar, ...]:
        return self._bars

    @property
    def caption(self) -> str:
        return self._caption.text()

    @property
    def chosen(self) -> tuple[str, Forecast] | None:
        """Name of the target chosen, and its forecast."""
        names = {bar.target: bar.name for bar in self._bars}
        if self._chosen not in names:
            return None
        return names[self._chosen], self._forecasts[self._chosen]

    @property
    def details(self) -> str:
        return self._details.text()

    def choose(self, target: str) -> None:
        """Tell all about this target."""
        if target in self._forecasts:
            self._chosen = target
            self._draw()
            self.target_chosen.emit()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self.chart is not None:
            self.chart.set_theme(theme)
        self._scroll.setFixedHeight(self.fontMetrics().height() * 5 + 7)
        self.empty.set_theme(theme)
        self._draw()

    def _say_what_it_is(self) -> None:
        parts = [self._caption_text]
        if self._stale:
            parts.append("last version that compiled")
        elif self.chart is not None and self.chart.logarithmic:
            parts.append("logarithmic scale")
        if self._pinned:
            parts.append(f"tick and change: {self._pinned}")
        self._caption.setText(" · ".join(parts))

    def _draw(self) -> None:
        if not self._bars:
            return
        if self.chart is not None:
            self.chart.show_bars(self._bars, self._chosen)
        self._say_what_it_is()
        forecast, info = self._forecasts[self._chosen], self._targets.get(self._chosen)
        self._details.setText(details_html(forecast, info, self._theme))


def _plain_scroll_area(content: QWidget) -> QtWidgets.QScrollArea:
    """Scrolls up and down only, without a frame."""
    scroll = QtWidgets.QScrollArea()
    scroll.setWidget(content)
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return scroll
