"""Forecasts for every target, in their panel."""

from __future__ import annotations

from shaderlab.app.panels.targets.panel import TargetsPanel
from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session import reasons
from shaderlab.app.session.chosen_forecast import ChosenForecast
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.phrases import frame_caption
from shaderlab.app.widgets.throttle import Throttle


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
        session.compiled.changed.connect(self._show_pinned)
        panel.target_chosen.connect(self._on_target)
        session.forms.awaiting.connect(refresh.soon)
        session.text_moved_on.connect(self._show_age)
        refresh.passed.connect(self._refresh)

    @property
    def chosen(self) -> ChosenForecast | None:
        forecast = self._panel.chosen
        if forecast is None:
            return None
        return ChosenForecast(forecast, {bar.target: bar.name for bar in self._panel.bars})

    def _show(self) -> None:
        session, panel = self._session, self._panel
        if session.untraced.forecasts:
            caption = f"No trace, estimated statically: {session.untraced.reason}"
            panel.show_forecasts(session.untraced.forecasts, session.targets, caption)
        elif session.forecasts and session.trace is not None:
            panel.show_forecasts(
                session.forecasts,
                session.targets,
                frame_caption(session.trace, session.drawing.passes.edited),
                session.history.before_s,
            )
        else:
            panel.show_empty()
        self._show_age()
        self.chosen_changed.emit(self.chosen)

    def _show_age(self) -> None:
        session = self._session
        finer = {each.target: session.forms.finer(each) for each in session.forecasts}
        self._panel.set_age(
            reasons.outdated_forecasts(session),
            {target: form for target, form in finer.items() if form is not None},
        )

    def _show_pinned(self) -> None:
        pinned = self._session.compiled.pinned
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
