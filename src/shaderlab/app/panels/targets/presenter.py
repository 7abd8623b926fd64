"""Forecasts for every target, in their panel."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shaderlab.app.panels.targets.arrangement import Arrangement, remember, remembered
from shaderlab.app.panels.targets.panel import TargetsPanel
from shaderlab.app.panels.targets.time_curve_presenter import TimeCurvePresenter
from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session import reasons
from shaderlab.app.session.chosen_forecast import ChosenForecast
from shaderlab.app.session.counted_run import CountedRun, run_from
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.phrases import frame_caption
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.errors import ShaderlabError
from shaderlab.prediction.catalogue import listed
from shaderlab.scene.launch import is_compute

if TYPE_CHECKING:
    from shaderlab.prediction.catalogue.targets import TargetInfo
    from shaderlab.spirv.trace import Trace


class TargetsPresenter(QObject):
    """Connects the session to the table of targets, where one of them is chosen."""

    chosen_changed = Signal(object)
    """The `ChosenForecast`, new or of another target; None while there are no forecasts."""

    def __init__(
        self, session: Session, panel: TargetsPanel, settings: Settings, refresh: Throttle
    ):
        super().__init__(panel)
        self._session, self._panel, self._settings = session, panel, settings
        session.forecasts_changed.connect(self._show)
        session.untraced.changed.connect(self._show)
        session.versions.changed.connect(self._show_pinned)
        panel.target_chosen.connect(self._on_target)
        refresh.passed.connect(self._refresh)
        panel.strip.arranged.connect(self._arrange)
        panel.strip.choosing.connect(lambda: session.every_target(self._choose))
        panel.strip.run_chosen.connect(self._count_at)
        panel.chart.moment_chosen.connect(
            lambda time_s: self._count_at(replace(session.drawing.run, time_s=time_s))
        )
        panel.arrange(remembered(settings))
        self._count_at(run_from(settings.forecast_size, settings.forecast_time_s))
        self._curve = TimeCurvePresenter(session, panel)

    def _arrange(self, arrangement: Arrangement) -> None:
        before = self._panel.chosen
        remember(self._settings, arrangement)
        self._panel.arrange(arrangement)
        if self._panel.chosen is not before:
            self.chosen_changed.emit(self.chosen)

    def _choose(self, every: tuple[TargetInfo, ...]) -> None:
        """Let the user tick those to list; products are added to what is predicted."""
        from shaderlab.app.panels.targets.targets_dialog import TargetsDialog

        hidden = self._panel.arrangement.hidden
        installed = self._session.targets.keys() - hidden
        dialog = TargetsDialog(every, installed, self._panel)
        dialog.agreed.connect(lambda ticked: self._list(every, ticked))
        dialog.open()

    def _list(self, every: tuple[TargetInfo, ...], ticked: frozenset[str]) -> None:
        products = {each.target for each in every if each.on_request}
        self._arrange(
            replace(
                self._panel.arrangement,
                hidden=frozenset({each.target for each in every} - products - ticked),
            )
        )
        if products & ticked != products & self._session.targets.keys():
            try:
                listed.write(products & ticked)
            except ShaderlabError as error:
                self._session.failed.emit(error)
                return
            self._session.read_targets()

    def _count_at(self, run: CountedRun) -> None:
        """Count and predict a frame of this size and time from now on."""
        width, height = run.size
        self._settings.forecast_size, self._settings.forecast_time_s = (
            f"{width}x{height}", run.time_s,
        )  # fmt: skip
        self._panel.strip.show_run(run)
        self._session.drawing.count_at(run)

    @property
    def chosen(self) -> ChosenForecast | None:
        forecast = self._panel.chosen
        if forecast is None:
            return None
        names = {bar.target: bar.name for bar in self._panel.bars}
        return ChosenForecast(forecast, names, self._panel.chosen_frame)

    def _show(self) -> None:
        session, panel = self._session, self._panel
        panel.device = session.device.slug if session.device else ""
        if session.untraced.forecasts:
            timed = any(each.least_s is not None for each in session.untraced.forecasts)
            how = "Not run, counts estimated" if timed else "Not run, no time"
            caption = f"{how}: {session.untraced.reason}"
            panel.show_forecasts(session.untraced.forecasts, session.targets, caption)
        elif session.forecasts and session.trace is not None:
            frame = session.frame
            panel.show_forecasts(
                session.forecasts,
                session.targets,
                _caption(session, session.trace),
                session.history.before_s,
                frame.forecasts,
                session.drawing.passes.edited,
            )
        else:
            panel.show_empty()
        self._show_age()
        self.chosen_changed.emit(self.chosen)

    def _show_age(self) -> None:
        session = self._session
        finer = {each.target: session.refining.finer(each) for each in session.forecasts}
        self._panel.set_age(
            reasons.outdated_forecasts(session),
            {target: form for target, form in finer.items() if form is not None},
            awaited=session.compiling.compiles and session.vertex.compiles,
        )

    def _show_pinned(self) -> None:
        pinned = self._session.versions.baseline
        if pinned is None:
            self._panel.set_pinned("", {})
        else:
            self._panel.set_pinned(pinned.name, pinned.times_s)

    def _on_target(self) -> None:
        chosen = self.chosen
        if chosen is not None:
            self._settings.target = chosen.forecast.target
        self.chosen_changed.emit(chosen)

    def _refresh(self) -> None:
        self._show_age()
        if self._session.trace is None or not self._session.forecasts:
            why = reasons.no_forecasts(self._session)
            self._panel.empty.say("targets", why.title, why.hint, role=why.role)


def _caption(session: Session, trace: Trace) -> str:
    """Which run the times are of, and what of a frame is still missing."""
    edited, frame = session.drawing.passes.edited, session.frame
    if not edited:
        return frame_caption(trace, is_launched=is_compute(session.program))
    parts = [frame_caption(trace, edited)]
    if frame.forecasts:
        width, height = trace.size
        what = f"Frame of {len(session.drawing.passes.names)} passes"
        parts = [f"{what}: {width} \u00d7 {height} pixels at time {trace.time_s:g} s"]
    elif frame.problem:
        parts.append(frame.problem)
    elif frame.outdated:
        parts.append(f"not counted yet: {', '.join(frame.outdated)}")
    return " \u00b7 ".join(parts)
