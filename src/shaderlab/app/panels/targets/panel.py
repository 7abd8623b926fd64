"""Predicted time per target: what changed, the time with its band, the rest on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from shaderlab.app.panels.targets.arrangement import Arrangement
from shaderlab.app.panels.targets.bars import Bar, Beside, bars_of
from shaderlab.app.panels.targets.cells import refining_text
from shaderlab.app.panels.targets.details import details_html, doubt_text, frame_html
from shaderlab.app.panels.targets.headline import TargetHeadline
from shaderlab.app.panels.targets.strip import TargetStrip
from shaderlab.app.panels.targets.table import TargetTable
from shaderlab.app.panels.targets.time_chart import TimeChart
from shaderlab.app.qt import QAction, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.boxes import vertical
from shaderlab.app.widgets.elided_label import ElidedLabel
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.theme import Theme
from shaderlab.app.widgets.veil import Veil
from shaderlab.prediction.forecasts.time_changes import Times
from shaderlab.prediction.forms import method_name

if TYPE_CHECKING:
    from shaderlab.prediction.catalogue.targets import TargetInfo
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forecasts.frame_forecast import FrameForecast
    from shaderlab.prediction.forms import Form


_LINES_FOR_BOTH = 26
"""Height of the pane, in lines of text, from which on rows and details are shown together."""


_MOST_WARNINGS = 2


class TargetsPanel(QWidget):
    """The chosen target in large, all of them as rows, and what a chosen one's time rests on."""

    target_chosen = Signal()

    def __init__(self, theme: Theme, pin: QAction, unpin: QAction, chosen: str = ""):
        """`chosen`: slug of the target to begin with."""
        super().__init__()
        self._theme = theme
        self._forecasts: dict[str, Forecast] = {}
        self._frames: dict[str, FrameForecast] = {}
        self._edited = ""
        self._targets: Mapping[str, TargetInfo] = {}
        self._bars: tuple[Bar, ...] = ()
        """Of the targets that are listed."""
        self._every_bar: tuple[Bar, ...] = ()
        self._arrangement = Arrangement()
        self._wanted, self._chosen, self._caption_text = chosen, "", ""
        self._before_s: Times = {}
        self._pinned = ""
        self._pinned_s: Times = {}
        self.device = ""
        """Slug of the one at hand, which details compare others with."""
        self._stale = ""
        self._awaited = True
        self._finer: Mapping[str, Form] = {}
        self.empty = EmptyState(theme)
        self.headline = TargetHeadline(theme, pin, unpin)
        self.table = TargetTable(theme)
        self.table.chosen.connect(self.choose)
        self.table.hidden.connect(
            lambda target: self.strip.arranged.emit(self._arrangement.switched(target))
        )
        self.table.moved.connect(
            lambda target, steps: self.strip.arranged.emit(
                self._arrangement.moved(self._bars, target, steps)
            )
        )
        self.strip = TargetStrip()
        self.chart = TimeChart(theme)
        self.chart.hide()
        self.strip.curve_wanted.connect(self.chart.setVisible)
        self._details = QtWidgets.QLabel()
        self._details.setWordWrap(True)
        self._details.setTextFormat(Qt.TextFormat.RichText)
        self._details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._details.setContentsMargins(10, 6, 10, 6)
        self._details.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._scroll = _plain_scroll_area(self._details)
        self._scroll.setProperty("role", "strip")
        self._veil = Veil(self._scroll)
        self._scroll.hide()
        self._caption = ElidedLabel()
        self._caption.setProperty("role", "dim")
        self.opener = QtWidgets.QToolButton()
        self.opener.setText("Method and error")
        self.opener.setToolTip(
            "What the prediction is based on, its error, and why this method was chosen"
        )
        self.opener.setCheckable(True)
        self.opener.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.opener.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.opener.toggled.connect(self._open_details)
        foot = QWidget()
        foot.setProperty("role", "strip")
        foot.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QtWidgets.QHBoxLayout(foot)
        row.setContentsMargins(11, 1, 6, 1)
        row.addWidget(self._caption, 1)
        row.addWidget(self.opener)
        self._content = QWidget()
        column = vertical(self._content, self.headline, self.strip)
        column.addWidget(self.table, 3)
        column.addWidget(self.chart, 3)
        column.addWidget(self._scroll, 4)
        column.addWidget(foot)
        self._stack = QtWidgets.QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._content)
        self.set_theme(theme)

    # -- what to show -----------------------------------------------------------------------

    def show_forecasts(
        self,
        forecasts: Sequence[Forecast],
        targets: Mapping[str, TargetInfo],
        caption: str,
        before_s: Times | None = None,
        frames: Sequence[FrameForecast] = (),
        edited: str = "",
    ) -> None:
        """Replace all.  `before_s`: of the version that compiled before.  `frames`: of the frame
        that `forecasts` are of one pass of, `edited`; then these are the times shown first."""
        self._forecasts = {f.target: f for f in forecasts}
        self._frames, self._edited = {f.target: f for f in frames}, edited
        self._targets = targets
        self._before_s = dict(before_s or {})
        self._caption_text = caption
        self._compare()
        self._stack.setCurrentWidget(self._content)

    def set_pinned(self, name: str, times_s: Times) -> None:
        """Compare with this variant's times; an empty name for none."""
        if (name, times_s) != (self._pinned, self._pinned_s):
            self._pinned, self._pinned_s = name, dict(times_s)
            self._compare()

    def set_age(self, stale: str, finer: Mapping[str, Form], *, awaited: bool = True) -> None:
        """`stale`: what the forecasts are of, where that is not the present text; they are dimmed
        then and compared with nothing.  `finer`: by target, the form that a better forecast, which
        is on its way, is for.  Not `awaited`: no forecasts of the present text will come."""
        if (stale, finer, awaited) == (self._stale, self._finer, self._awaited):
            return
        self._stale, self._finer, self._awaited = stale, dict(finer), awaited
        for veil in (self.headline.veil, self.table.veil, self._veil):
            veil.set_drawn(bool(stale))
        self._compare(again=True)

    def arrange(self, arrangement: Arrangement) -> None:
        """List the targets so from now on."""
        self._arrangement = arrangement
        self._compare(again=True)

    def show_empty(self) -> None:
        """Show what `empty` says in place of the rows."""
        self._forecasts, self._frames, self._bars, self._every_bar = {}, {}, (), ()
        self._stack.setCurrentWidget(self.empty)

    @property
    def arrangement(self) -> Arrangement:
        return self._arrangement

    @property
    def bars(self) -> tuple[Bar, ...]:
        return self._bars

    @property
    def caption(self) -> str:
        return self._caption.text()

    @property
    def chosen(self) -> Forecast | None:
        """Forecast of the chosen target."""
        shown = any(bar.target == self._chosen for bar in self._bars)
        return self._forecasts[self._chosen] if shown else None

    @property
    def chosen_frame(self) -> FrameForecast | None:
        """Of the chosen target, where the forecast is of one pass of several."""
        return self._frames.get(self._chosen)

    @property
    def details(self) -> str:
        return self._details.text()

    @property
    def details_shown(self) -> bool:
        return self._scroll.isVisible()

    def choose(self, target: str) -> None:
        """Show this target in the headline and its details."""
        listed = {bar.target for bar in self._bars}
        if target in listed and target != self._chosen:
            self._wanted = self._chosen = target
            self._draw()
            self.target_chosen.emit()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.headline.set_theme(theme)
        self.table.set_theme(theme)
        self.chart.set_theme(theme)
        self.empty.set_theme(theme)
        self._open_details(self.opener.isChecked())
        self._draw()

    # -- drawing ----------------------------------------------------------------------------

    def _compare(self, *, again: bool = False) -> None:
        """`again`: the forecasts are those shown before, so what their details say stays."""
        beside = Beside(
            self._before_s,
            self._pinned_s,
            bool(self._stale),
            self._awaited,
            self._finer,
            self._edited,
        )
        shown = self._frames or self._forecasts
        self._every_bar = bars_of(tuple(shown.values()), self._targets, beside)
        self._bars = self._arrangement.listed(self._every_bar)
        self.strip.show_targets(self._arrangement, self._every_bar)
        there = [bar.target for bar in self._bars if bar.timed]
        there = there or [bar.target for bar in self._bars]
        if self._wanted in {bar.target for bar in self._bars}:
            self._chosen = self._wanted
        elif self._chosen not in there and there:
            self._chosen = there[-1]
        self._draw(details=not again)

    def _open_details(self, shown: bool) -> None:
        self._scroll.setVisible(shown)
        self._share_room()
        self.opener.setIcon(icons.icon("down" if shown else "up", self._theme))

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        """Rows above details, or details alone where there is no room for both."""
        enough = self.height() >= self.fontMetrics().height() * _LINES_FOR_BOTH
        self.table.setVisible(enough or self._scroll.isHidden())

    def _say_what_it_is(self) -> None:
        parts = [self._caption_text]
        finer = self._finer.get(self._chosen)
        if self._stale:
            parts.append(self._stale)
        elif finer is not None:
            parts.append("refining\u2026")
        if self._pinned:
            parts.append(f"pinned: {self._pinned}")
        self._caption.setText(" \u00b7 ".join(parts))
        self._caption.setToolTip(refining_text(finer) if finer is not None else "")

    def _draw(self, *, details: bool = True) -> None:
        if not self._bars:
            return
        arrangement = self._arrangement
        self.table.show_bars(
            self._bars,
            self._chosen,
            bool(self._pinned),
            self._edited if self._frames else "",
            arrangement.budget_s,
            grouped=arrangement.grouped,
        )
        self.chart.choose(self._chosen, arrangement.budget_s)
        self._say_what_it_is()
        forecast, info = self._forecasts[self._chosen], self._targets.get(self._chosen)
        bar = next(bar for bar in self._bars if bar.target == self._chosen)
        words = (method_name(forecast.method), doubt_text(forecast), bar.finer and "refining\u2026")
        if (frame := self.chosen_frame) is not None:
            part = f" ({bar.part})" if bar.part else ""
            words = (f"frame of {len(frame.passes)} passes, {self._edited} alone{part}",)
            bar = replace(bar, warnings=shortened(bar.warnings))
        self.headline.show_bar(bar, self._pinned, ", ".join(filter(None, words)))
        if details:
            whole = frame_html(frame, info, self._theme) if frame is not None else ""
            here = self._forecasts.get(self.device)
            self._details.setText(whole + details_html(forecast, info, self._theme, here))


def shortened(warnings: Sequence[str]) -> tuple[str, ...]:
    """The first of a frame's, and how many more there are: its passes together may have dozens."""
    more = len(warnings) - _MOST_WARNINGS
    if more <= 1:
        return tuple(warnings)
    rest = f"{more} more warnings: see Method and error"
    return (*warnings[:_MOST_WARNINGS], rest)


def _plain_scroll_area(content: QWidget) -> QtWidgets.QScrollArea:
    """Scrolls up and down only, without a frame."""
    scroll = QtWidgets.QScrollArea()
    scroll.setWidget(content)
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    # As high as there is room: its wish would have the dock scroll, and the foot out of sight.
    scroll.setSizePolicy(
        QtWidgets.QSizePolicy.Policy.Expanding, QtWidgets.QSizePolicy.Policy.Ignored
    )
    scroll.setMinimumHeight(64)
    return scroll
