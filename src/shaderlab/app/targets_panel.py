"""Predicted time per target as bars, each with its exact value, method and validated error."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app import plotting
from shaderlab.app.empty_state import EmptyState
from shaderlab.app.qt import QColor, QEvent, Qt, QtWidgets, QWidget
from shaderlab.app.theme import LIGHT, Theme, with_alpha

if TYPE_CHECKING:
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.targets import TargetInfo

HEADINGS = ("time", "method", "mean error")

LOG_FROM_RATIO = 12.0
"""Slowest over fastest from which bars of equal scale would hide the fast ones."""
_BAR = 0.52


@dataclass(frozen=True)
class Bar:
    """One row of the chart."""

    target: str
    name: str
    time_s: float
    low_s: float
    high_s: float
    columns: tuple[str, str, str]
    """Texts under `HEADINGS`."""
    doubtful: bool
    """Whether the forecast comes with warnings."""


def bars_of(forecasts: Sequence[Forecast], targets: Mapping[str, TargetInfo]) -> tuple[Bar, ...]:
    """Fastest first; only forecasts with a positive, finite time."""
    usable = [f for f in forecasts if math.isfinite(f.time_s) and f.time_s > 0]
    return tuple(
        Bar(
            f.target,
            short_name(targets[f.target].name if f.target in targets else f.target),
            f.time_s,
            max(min(f.low_s, f.time_s), 0.0),
            max(f.high_s, f.time_s),
            columns_of(f),
            bool(f.warnings),
        )
        for f in sorted(usable, key=lambda f: f.time_s)
    )


def columns_of(forecast: Forecast) -> tuple[str, str, str]:
    """`4.14 ms`, `PILR`, `29 %`: value, method, mean error on validation shaders."""
    mape = forecast.validated.mape
    error = "unknown" if mape is None else units.percent(mape)
    return units.seconds(forecast.time_s), forecast.method.upper(), error


def short_name(name: str) -> str:
    """What tells targets apart: `RTX 3060` of `GeForce RTX 3060`, or what stands in brackets."""
    inner = re.search(r"\((.+)\)$", name)
    if inner:
        return inner[1]
    return re.sub(r"^(NVIDIA |AMD |Intel )?(GeForce |Radeon )?", "", name)


def scale_of(bars: Sequence[Bar]) -> tuple[bool, float, float]:
    """Whether to use a logarithmic scale, and its lower and upper end in seconds."""
    slowest = max(b.time_s for b in bars)
    # One very wide band must not squeeze every bar; it is cut off instead.
    slowest = max(slowest, min(max(b.high_s for b in bars), 3 * slowest))
    fastest = min(b.time_s for b in bars)
    if slowest / fastest < LOG_FROM_RATIO:
        return False, 0.0, slowest * 1.04
    low = min(b.low_s if b.low_s > fastest / 10 else fastest / 2 for b in bars)
    return True, 10 ** math.floor(math.log10(low) - 0.15), slowest * 1.15


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

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._forecasts: dict[str, Forecast] = {}
        self._targets: Mapping[str, TargetInfo] = {}
        self._bars: tuple[Bar, ...] = ()
        self._chosen = self._caption_text = ""
        self._names = plotting.TextAxis("left")
        self._values = plotting.TextAxis("right")
        self._seconds = plotting.SecondsAxis("bottom")
        self.chart = plotting.plain_plot(
            {"left": self._names, "right": self._values, "bottom": self._seconds}
        )
        self.chart.invertY(True)
        self.chart.showAxis("right")
        self.chart.showGrid(x=True, y=False, alpha=0.18)
        self.chart.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.chart.scene().sigMouseClicked.connect(self._on_clicked)
        self.chart.installEventFilter(self)
        self._items: list = []
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
        scroll = QtWidgets.QScrollArea()
        scroll.setWidget(self._details)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setProperty("role", "strip")
        self._scroll = scroll
        content = QWidget()
        content.setProperty("role", "content")
        content.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QtWidgets.QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._caption)
        column.addWidget(self.chart, 1)
        column.addWidget(scroll)
        self._content = content
        self._stack = QtWidgets.QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(content)
        self.set_theme(theme)

    def show_forecasts(
        self, forecasts: Sequence[Forecast], targets: Mapping[str, TargetInfo], caption: str
    ) -> None:
        self._forecasts = {f.target: f for f in forecasts}
        self._targets = targets
        self._bars = bars_of(forecasts, targets)
        if self._chosen not in self._forecasts and self._bars:
            self._chosen = self._bars[-1].target
        self._caption_text = caption
        self._draw()
        self._stack.setCurrentWidget(self._content)

    def show_empty(self) -> None:
        """Show what `empty` says in place of the chart."""
        self._forecasts, self._bars = {}, ()
        self._stack.setCurrentWidget(self.empty)

    @property
    def bars(self) -> tuple[Bar, ...]:
        return self._bars

    @property
    def details(self) -> str:
        return self._details.text()

    def choose(self, target: str) -> None:
        """Tell all about this target."""
        if target in self._forecasts:
            self._chosen = target
            self._draw()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        plotting.tint(self.chart, theme)
        self._names.tint(theme.text, theme.dim, self.font())
        self._values.tint(theme.text, theme.dim, self.font())
        metrics = self.fontMetrics()
        self._scroll.setFixedHeight(metrics.height() * 5 + 7)
        self.empty.set_theme(theme)
        self._draw()

    def _draw(self) -> None:
        for item in self._items:
            self.chart.removeItem(item)
        self._items = []
        bars = self._bars
        if not bars:
            return
        theme = self._theme or LIGHT
        log, low, high = scale_of(bars)
        self._seconds.log = log

        def at(seconds: float) -> float:
            clipped = min(max(seconds, low), high)
            return math.log10(clipped) if log else clipped

        rows = list(range(len(bars)))
        chosen = next((i for i, b in enumerate(bars) if b.target == self._chosen), None)
        left, right = at(low), at(high)
        if chosen is not None:
            self._add(
                plotting.BarGraphItem(
                    x0=[left], x1=[right], y=[chosen], height=0.92,
                    brush=with_alpha(theme.selection, 0.45), pen=None,
                )
            )  # fmt: skip
        self._add(
            plotting.BarGraphItem(
                x0=[left] * len(bars), x1=[at(b.time_s) for b in bars], y=rows, height=_BAR,
                brushes=[QColor(theme.bars_faint if b.doubtful else theme.bars) for b in bars],
                pen=None,
            )
        )  # fmt: skip
        xs, ys = [], []
        for row, bar in enumerate(bars):
            a, b = at(bar.low_s), at(bar.high_s)
            xs += [a, b, math.nan]
            ys += [row, row, math.nan]
            for end in (a, b):
                xs += [end, end, math.nan]
                ys += [row - 0.13, row + 0.13, math.nan]
        self._add(
            plotting.PlotDataItem(xs, ys, connect="finite", pen={"color": theme.text, "width": 1.2})
        )
        self._names.set_rows({-1: ("",), **{i: (b.name,) for i, b in enumerate(bars)}})
        self._values.set_rows({-1: HEADINGS, **{i: b.columns for i, b in enumerate(bars)}})
        self.chart.setXRange(left, right, padding=0)
        self.chart.setYRange(-1.5, len(bars) - 0.4, padding=0)
        scale = " · logarithmic scale" if log else ""
        self._caption.setText(self._caption_text + scale)
        forecast = self._forecasts[self._chosen]
        self._details.setText(details_html(forecast, self._targets.get(self._chosen), theme))

    def _add(self, item) -> None:
        self.chart.addItem(item)
        self._items.append(item)

    def _on_clicked(self, event) -> None:
        row = round(self.chart.getViewBox().mapSceneToView(event.scenePos()).y())
        if 0 <= row < len(self._bars):
            self.choose(self._bars[row].target)

    def eventFilter(self, watched, event) -> bool:
        if event.type() == QEvent.Type.KeyPress and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            names = [b.target for b in self._bars]
            if self._chosen in names:
                step = 1 if event.key() == Qt.Key.Key_Down else -1
                self.choose(names[(names.index(self._chosen) + step) % len(names)])
            return True
        return super().eventFilter(watched, event)
