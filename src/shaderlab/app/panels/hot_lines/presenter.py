"""The chosen target's time, divided over the lines of the source, in its panel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from shaderlab.app.editor.assembly import Assembly
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.panels.hot_lines.panel import HotLinesPanel
from shaderlab.app.qt import QObject
from shaderlab.app.session import reasons
from shaderlab.app.session.chosen_forecast import ChosenForecast
from shaderlab.app.session.reasons import Reason
from shaderlab.app.session.session import Session
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.app.widgets.when_seen import WhenSeen

if TYPE_CHECKING:
    from shaderlab.prediction.forecasts.frame_forecast import FrameForecast
    from shaderlab.spirv.trace import SourceLine


class HotLinesPresenter(QObject):
    """Connects the session and the editor's caret to the table of lines."""

    def __init__(
        self,
        session: Session,
        panel: HotLinesPanel,
        editor: Editor,
        assembly: Assembly,
        refresh: Throttle,
    ):
        super().__init__(panel)
        self._session, self._panel = session, panel
        self._editor, self._assembly = editor, assembly
        self._seen = seen = WhenSeen(panel)
        self._show_when_seen = seen(self._show)
        editor.cursor_moved.connect(seen(self._on_cursor))
        refresh.passed.connect(seen(self._refresh))

    def show_forecast(self, chosen: ChosenForecast | None) -> None:
        """Show the lines of this forecast, or of its frame's, with the counts it rests on."""
        self._show_when_seen(chosen)

    def hot_line_after(self, line: int) -> int:
        """The panel's, of the present forecast."""
        self._seen.catch_up()
        return self._panel.hot_line_after(line)

    def _show(self, chosen: ChosenForecast | None) -> None:
        session, panel = self._session, self._panel
        program = session.on_device.counts.program
        counts = session.trace.line_counts if session.trace is not None else None
        if session.untraced.forecasts:
            program, counts = session.untraced.program, {}
        if chosen is not None and chosen.frame is not None and chosen.frame.lines:
            self._show_frame(chosen, chosen.frame)
        elif chosen is None or program is None or counts is None or not chosen.forecast.lines:
            panel.show_empty()
        else:
            self._show_one_pass(chosen, counts, program.text)

    def _show_one_pass(
        self, chosen: ChosenForecast, counts: Mapping[SourceLine, int], text: str
    ) -> None:
        self._panel.show_forecast(chosen.forecast, chosen.names, {"": counts}, {"": text})

    def _show_frame(self, chosen: ChosenForecast, forecast: FrameForecast) -> None:
        jobs = self._session.frame
        traces = {name: each.trace for name, each in jobs.passes.items()}
        counts = {name: each.line_counts for name, each in traces.items() if each is not None}
        passes = jobs.frame.passes if jobs.frame is not None else ()
        texts = {each.name: each.draw.program.text for each in passes}
        edited = self._session.drawing.passes.edited
        self._panel.show_forecast(forecast, chosen.names, counts, texts, edited)

    def _show_age(self) -> None:
        self._panel.set_stale(reasons.outdated_forecasts(self._session))

    def _refresh(self) -> None:
        self._show_age()
        if not self._panel.rows:
            why = self._why_none()
            self._panel.empty.say("lines", why.title, why.hint, role=why.role)

    def _why_none(self) -> Reason:
        if self._session.trace is None or not self._session.forecasts:
            return reasons.no_forecasts(self._session)
        if self._assembly.lines:
            return Reason(
                "This module has no line information",
                "Basic blocks lists its blocks with their instructions.",
            )
        return Reason(
            "All of the time is the render pass itself",
            "No line takes an amount that can be shown.",
        )

    def _on_cursor(self, line: int, _column: int) -> None:
        if not self._editor.read_only:  # whose lines are those of the assembly
            self._panel.follow_line(line)
