"""Forecasts of the whole frame: its other passes are counted and predicted, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.device_place import NOTHING
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.forecasts import Forecasts
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.progress import Progress
from shaderlab.app.session.refining import Refining
from shaderlab.app.session.views import View
from shaderlab.engine import questions
from shaderlab.engine.graph import Urgency
from shaderlab.engine.questions import Costs, Uncounted
from shaderlab.errors import ShaderlabError
from shaderlab.prediction.forecasts.frame_forecast import FrameForecast, frame_forecasts
from shaderlab.prediction.forms import Form
from shaderlab.scene.draw import Frame

if TYPE_CHECKING:
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.spirv.trace import Trace


@dataclass(frozen=True)
class PassCosts:
    """What is known of one pass."""

    trace: Trace | None = None
    """None where it could not be counted."""
    forecasts: tuple[Forecast, ...] = ()
    error: ShaderlabError | None = None
    """Why there are no forecasts."""

    @property
    def why_none(self) -> str:
        """Why no target has a time for it; empty where one has."""
        if self.error is not None:
            return str(self.error)
        if any(each.least_s is not None for each in self.forecasts):
            return ""
        return next((w for each in self.forecasts for w in each.warnings), "")


class FrameForecasts(QObject):
    """Sums forecasts of all passes, each with all that it reads, directly or not."""

    changed = Signal()
    """`forecasts` or `outdated` is new."""

    def __init__(
        self,
        tools: Tools,
        settings: DrawSettings,
        device: DeviceJobs,
        forecasting: Forecasts,
        progress: Progress,
        refining: Refining,
        parent: QObject,
    ):
        super().__init__(parent)
        self._tools, self._settings = tools, settings
        self._device, self._forecasting, self._progress = device, forecasting, progress
        self._refining = refining
        self._of = NOTHING
        """The variant that `frame` is of."""
        self.frame: Frame | None = None
        """The canonical one, as the edited pass was counted in it."""
        self._views: dict[str, View[Costs]] = {}
        """Of the passes that are not edited."""
        self.forecasts: tuple[FrameForecast, ...] = ()
        """Of those targets that every pass has one for; empty where one has none at all."""
        progress.changed.connect(self._look)
        forecasting.changed.connect(self._sum)
        device.device_changed.connect(self.clear)

    def clear(self) -> None:
        """Another document."""
        for each in self._views.values():
            each.leave()
            each.deleteLater()
        self._of, self.frame, self._views, self.forecasts = NOTHING, None, {}, ()

    @property
    def passes(self) -> dict[str, PassCosts]:
        """By name, as far as they are known; of the edited one the latest forecasts."""
        found = {name: _known(view) for name, view in self._views.items() if view.of is not None}
        counts, edited = self._device.counts, self._settings.passes.edited
        if edited and self.frame is not None and self._forecasting.forecasts:
            found[edited] = PassCosts(counts.trace, self._forecasting.forecasts)
        return found

    @property
    def outdated(self) -> tuple[str, ...]:
        """Passes still to be counted as they are now, in the order they run."""
        return tuple(name for name, view in self._views.items() if not self._is_known(name, view))

    def _is_known(self, name: str, view: View[Costs]) -> bool:
        """Its forecasts by more of its forms may be on their way."""
        assert self.frame is not None
        return isinstance(view.of, tuple) and view.of[0] == self.frame.reads(name)

    @property
    def problem(self) -> str:
        """Why there is no forecast of the frame, where one of its passes is to blame."""
        if self.frame is not None and not self.forecasts:
            passes = self.passes
            for each in self.frame.passes:
                known = passes.get(each.name)
                if known is not None and known.why_none:
                    return f"{each.name} has no forecast: {known.why_none}"
        return ""

    @property
    def complete(self) -> bool:
        """Whether all passes are counted and predicted as they are now."""
        is_current = self._of == self._device.variant and not self.outdated
        return not self._device.in_passes or is_current

    def _look(self) -> None:
        device, edited = self._device, self._settings.passes.edited
        counts = device.counts
        if not (device.in_passes and self._progress.counts_are_current) or counts.frame is None:
            return
        if edited not in {each.name for each in counts.frame.passes}:
            return  # they are still of the document before
        if self._of != device.variant:
            self._take(counts.frame, edited)
        elif self._may_refine and self.frame is not None:
            self._want(self.frame, self._forecasting.served)

    def _take(self, frame: Frame, edited: str) -> None:
        """The edited pass was counted in this frame."""
        names = [each.name for each in frame.passes if each.name != edited]
        if self._views.keys() != {*names}:
            self.clear()
            self._views = {name: self._view() for name in names}
        self._of, self.frame = self._device.variant, frame
        self._want(frame, frozenset())
        self._sum()
        self.changed.emit()

    def _view(self) -> View[Costs]:
        view = View(self._tools, questions.costs, self, Urgency.REFINEMENT)
        view.changed.connect(self._on_costs)
        return view

    def _want(self, frame: Frame, forms: frozenset[Form]) -> None:
        for name, view in self._views.items():
            there = view.of[1] if isinstance(view.of, tuple) and self._is_known(name, view) else ()
            wanted = forms.union(there)
            view.want((frame.reads(name), wanted), frame, name, wanted)

    @property
    def _may_refine(self) -> bool:
        """Whether the edited pass has all its forms and the device nothing else to do."""
        is_done = self._progress.complete and not self._refining.pending
        return is_done and not self.outdated and not self._device.profiles.running

    def _on_costs(self) -> None:
        self._sum()
        self.changed.emit()
        self._look()

    def _sum(self) -> None:
        """Whoever listens to the edited pass's forecasts looks at the frame's, too."""
        frame, passes = self.frame, self.passes
        if frame is None or not self._settings.passes.edited:
            self.forecasts = ()
            return
        by_pass = {e.name: passes[e.name].forecasts for e in frame.passes if e.name in passes}
        has_all = len(by_pass) == len(frame.passes) and all(by_pass.values())
        found = frame_forecasts(by_pass, frame.draws_per_frame) if has_all else ()
        self.forecasts = found if any(each.least_s is not None for each in found) else ()
        if self.forecasts and not self.outdated:
            self._forecasting.history.add(self._of, self.forecasts)


def _known(view: View[Costs]) -> PassCosts:
    costs = view.answer
    if costs is None:
        return PassCosts(error=view.error)
    trace = None if isinstance(costs.counted, Uncounted) else costs.counted
    return PassCosts(trace, costs.forecasts)
