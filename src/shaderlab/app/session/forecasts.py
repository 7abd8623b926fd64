"""Forecasts of the counted program: as written at once, by its other forms when asked to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.counted_run import CountedRun
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.draw_settings import Variant
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.views import View
from shaderlab.engine import questions
from shaderlab.engine.graph import Urgency
from shaderlab.engine.questions import Asked
from shaderlab.errors import DeviceStuck, ShaderlabError
from shaderlab.frontend.stage import Stage
from shaderlab.prediction.forecast import Measured
from shaderlab.prediction.forecasts.time_changes import History
from shaderlab.prediction.forms import Form
from shaderlab.scene.draw import Draw
from shaderlab.studies.pace import kept, measured_by, pace

if TYPE_CHECKING:
    from shaderlab.gpu.device_info import DeviceInfo
    from shaderlab.prediction.catalogue.targets import TargetInfo
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forms import OtherForms
    from shaderlab.spirv.trace import Trace


def is_of(draw: Draw | None, trace: Trace) -> bool:
    """Whether the draw is of the very frame that was counted: its size, or launch, and time."""
    if draw is None:
        return False
    return (draw.counted_size, draw.inputs.uniforms.time_s) == (trace.size, trace.time_s)


class Forecasts(QObject):
    """Of the latest trace."""

    predicted = Signal()
    """An answer for the latest trace is there: `forecasts` or `error`."""
    changed = Signal()
    """`forecasts`, `error` or `targets` is new."""
    model_refused = Signal(str)
    """Which model file was left out, and why; the others work.  Once for each."""
    failed = Signal(object)
    """A ShaderlabError: the targets are not known."""

    def __init__(self, tools: Tools, device: DeviceJobs, parent: QObject):
        super().__init__(parent)
        self._tools, self._device = tools, device
        self._pace = View(tools, pace, self, Urgency.BACKGROUND)
        self._pace.changed.connect(self._predict)
        self._named: set[str] = set()
        """Models that were refused."""
        self._targets = View(tools, questions.targets, self)
        self._targets.changed.connect(self._on_targets)
        self._refused = View(tools, questions.refused, self)
        self._refused.changed.connect(self._on_refused)
        self._times_read = 0
        self._view = View(tools, questions.traced_forecasts, self)
        self._view.changed.connect(self._on_forecasts)
        self.tried: frozenset[Form] = frozenset()
        """Forms that `forecasts` rest on, where they are available."""
        self._forms = self.tried
        """Those of the forecasts that were asked for last."""
        self.forecasts: tuple[Forecast, ...] = ()
        self.error: ShaderlabError | None = None
        self.predict_s = 0.0
        """Seconds the latest answer took."""
        self.history = History()
        self.run: CountedRun | None = None
        """The frame that `history` is of."""
        self.of: Variant | None = None
        """What `forecasts` are of; None where there are none."""
        self.targets: dict[str, TargetInfo] = {}
        device.program_changed.connect(self._on_program)
        device.profiles.changed.connect(self._on_profiled)
        device.state_changed.connect(self._on_device)
        device.counts.changed.connect(self._on_traced)

    def clear(self) -> None:
        """Another document."""
        self._view.drop()
        self.forecasts, self.error, self.of = (), None, None
        self.history.clear()

    def read_targets(self) -> None:
        """Read the targets again: one was calibrated or removed."""
        self._tools.crew.read_models()
        self._times_read += 1
        self._targets.want(self._times_read)
        self._refused.want(self._times_read)
        self._predict()

    @property
    def busy(self) -> bool:
        """Whether those of the latest trace are on their way."""
        return self._view.waiting and self.of != self._device.counts.variant

    # -- of the program as written ----------------------------------------------------------

    def _predict(self) -> None:
        """Have the latest trace predicted, by the forms that there are."""
        if self.of != self._device.counts.variant:
            self.tried = frozenset()
        if self._targets.error is not None:
            self._targets.retry()
        self._ask(self.tried)

    def _ask(self, forms: frozenset[Form]) -> None:
        counts = self._device.counts
        if counts.trace is None or counts.frame is None:
            return
        self._forms, asked = forms, Asked(measured=self._measured(counts.trace))
        of = counts.variant, counts.trace.device, asked, self._times_read, forms
        self._view.want(of, counts.frame, counts.name, asked, forms)

    def _on_forecasts(self) -> None:
        """Where finer ones do not come, those that are there stay."""
        found, error = self._view.answer, self._view.error
        if isinstance(error, DeviceStuck):  # nothing is known of the forms
            self._view.leave()
            self._device.await_answer()
            if self._forms != self.tried:
                return
        if self._forms != self.tried:
            found, error = found or self.forecasts, None
        self.predict_s, self.tried = self._view.took_s, self._forms
        self._finish(found or (), error)
        self.predicted.emit()
        self.changed.emit()

    def _finish(self, forecasts: tuple[Forecast, ...], error: ShaderlabError | None) -> None:
        counts = self._device.counts
        self.forecasts, self.error, self.of = forecasts, error, counts.variant
        trace = counts.trace
        run = CountedRun(trace.size, trace.time_s) if trace is not None else None
        if run != self.run:  # times of unequal frames are not compared
            self.run = run
            self.history.clear()
        self.history.add(self.of, forecasts)

    def _on_device(self) -> None:
        if isinstance(self.error, DeviceStuck) and not self._device.stuck:
            self._predict()

    def _on_program(self) -> None:
        self.error = None
        if self.of != self._device.variant:
            self._view.leave()

    def _on_traced(self) -> None:
        if self._device.counts.trace is None:
            self._view.drop()
            self.forecasts, self.of = (), None
            self.changed.emit()
        else:
            self._predict()

    # -- by its other forms -----------------------------------------------------------------

    @property
    def waiting(self) -> bool:
        """Whether others, better ones too, are on their way."""
        return self._view.waiting

    def refine(self, form: Form) -> None:
        """Have the latest trace predicted by this form of its program, too."""
        self._ask(self.tried | {form})

    @property
    def served(self) -> frozenset[Form]:
        """Those that serve any target; none of a compute shader."""
        program = self._device.program
        if program is not None and program.stage is Stage.COMPUTE:
            return frozenset()
        return frozenset(f for target in self.targets.values() for f in target.forms_of())

    @property
    def other_forms(self) -> OtherForms:
        """The other forms that the present forecasts rest on, with their traces."""
        counts = self._device.counts
        if counts.frame is None or not self.tried:
            return {}
        about = counts.frame, counts.name, self.tried, None
        known = self._tools.engine.known(questions.other_forms, *about)
        return known.answer if known is not None and known.error is None else {}

    # -- a time of this machine's own -------------------------------------------------------

    def _measured(self, trace: Trace) -> Measured | None:
        """What the very frame that was counted took here; None where it was not profiled."""
        profiles, info = self._device.profiles, self._device.info
        found = profiles.measurement
        same = profiles.variant == self._device.counts.variant and is_of(profiles.draw, trace)
        if found is None or info is None or not same or found.size != trace.size:
            return None
        return measured_by(found, info, self._pace_of(info))

    def _pace_of(self, info: DeviceInfo) -> float | None:
        """None until it was measured, in the background."""
        return self._pace.answer if self._pace.of == info.slug else kept(info)

    def _on_profiled(self) -> None:
        """A time of this machine's own says something about the other targets' forecasts."""
        trace, info = self._device.counts.trace, self._device.info
        measured = self._measured(trace) if trace is not None else None
        if measured is not None:
            if info is not None and not measured.busy and self._pace_of(info) is None:
                self._pace.want(info.slug, info)
                if self._pace.error is not None:
                    self._pace.retry()
            self._predict()

    # -- the targets ------------------------------------------------------------------------

    def _on_targets(self) -> None:
        if self._targets.error is not None:
            self.failed.emit(self._targets.error)
            return
        self.targets = {each.target: each for each in self._targets.answer or ()}
        self.changed.emit()

    def _on_refused(self) -> None:
        for problem in self._refused.answer or ():
            if problem not in self._named:
                self._named.add(problem)
                self.model_refused.emit(problem)
