"""The curve of predicted time over iTime, in the chart of the targets' panel."""

from __future__ import annotations

from shaderlab.app.panels.targets.panel import TargetsPanel
from shaderlab.app.panels.targets.time_chart import Moment
from shaderlab.app.qt import QObject
from shaderlab.app.session.session import Session


class TimeCurvePresenter(QObject):
    """Connects the session's curve to the chart."""

    def __init__(self, session: Session, panel: TargetsPanel):
        super().__init__(panel)
        self._session, self._panel = session, panel
        panel.chart.wanted.connect(self._ask)
        panel.chart.stopped.connect(session.curve.stop)
        session.curve.changed.connect(self._show)
        session.text_moved_on.connect(self._show)

    def _ask(self, end_s: float) -> None:
        chosen = self._panel.chosen
        if chosen is not None:
            self._session.curve.ask(end_s, chosen.target)

    def _show(self) -> None:
        curve = self._session.curve
        curves: dict[str, list[Moment]] = {}
        for time_s in sorted(curve.moments):
            for each in curve.moments[time_s]:
                if each.time_s is not None and each.low_s is not None and each.high_s is not None:
                    moment = Moment(time_s, each.time_s, each.low_s, each.high_s)
                    curves.setdefault(each.target, []).append(moment)
        outdated = not (curve.current and self._session.compiling.follows)
        self._panel.chart.show_curves(curves, curve.running, self._note(), outdated=outdated)

    def _note(self) -> str:
        """How far it is, or what it is of."""
        curve = self._session.curve
        if curve.running:
            done, wanted = curve.progress
            return f"counting {done + 1} of {wanted}"
        if curve.error is not None:
            return str(curve.error)
        if not curve.moments or curve.run is None:
            return ""
        if not curve.current:
            return "of an earlier version"
        edited = self._session.drawing.passes.edited
        what = f"{edited} alone, as written" if edited else "program as written"
        return "{}, {} \u00d7 {}".format(what, *curve.run.size)
