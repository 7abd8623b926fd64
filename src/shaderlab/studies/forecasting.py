"""From a pass of a frame to forecasts: counted on a device, in every form the targets use."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from shaderlab.errors import (
    DeviceLost,
    NoVulkan,
    OutOfDeviceMemory,
    OutOfMemory,
    ShaderlabError,
    ShaderTimeout,
    StartFailed,
    UnsupportedShader,
)
from shaderlab.frontend.program import Program
from shaderlab.prediction.forecast import Forecast, Measured
from shaderlab.prediction.forms import FORMS, Form, OtherForms
from shaderlab.scene.defaults import assumptions
from shaderlab.scene.draw import Frame
from shaderlab.spirv.trace import Trace
from shaderlab.studies.kept_counts import KeptCounts
from shaderlab.studies.other_forms import trace_other_forms
from shaderlab.studies.pace import pace_of
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.predictor import PredictorWorker

_UNFINISHED = (ShaderTimeout, DeviceLost)
"""What ends a frame before its end: nothing is known of how long it takes."""
_PASSING = (ShaderTimeout, DeviceLost, OutOfMemory, OutOfDeviceMemory, NoVulkan)
"""Why a form may be there another time; all other errors are the program's own."""


@dataclass(frozen=True)
class Workers:
    """The children a forecast needs; their owner closes them."""

    device: DeviceWorker
    compiler: CompilerWorker
    predictor: PredictorWorker
    radv: CompiledWorkers | None = None
    """Of the reference family, where many programs are to be compiled."""
    kept: KeptCounts | None = None
    """Counts of earlier runs."""


def forecast_pass(
    frame: Frame,
    name: str,
    workers: Workers,
    wanted: Sequence[str] | None,
    method: str | None = None,
    seconds: float | None = None,
) -> tuple[Forecast, ...]:
    """Of one pass of a frame, counted on the device; from the source where that does not finish.

    `wanted`: targets, or None for all; `seconds`: measured on the device, or None.
    """
    predictor, draw = workers.predictor, frame.named(name)
    counting = _Counting(frame, name, workers)
    try:
        counted = counting.written()
    except StartFailed:
        raise
    except _UNFINISHED as error:
        return predictor.predict_static(
            draw.program, wanted, method, str(error), dispatch=draw.dispatch
        ).result()
    needed = FORMS.get(method) if method else None
    other_forms = counting.others(forms(predictor, wanted, method), needed)
    measured = None
    if seconds:
        pace = pace_of(workers.device.info, workers.device, workers.compiler, predictor)
        measured = Measured(counted.device, seconds, pace)
    return predictor.predict(
        draw,
        counted,
        wanted,
        method,
        other_forms,
        assumptions(draw),
        measured,
        count_vertices(workers.device, frame, name),
    ).result()


class _Counting:
    """Counts of one pass in all its forms: kept ones, else from the device."""

    def __init__(self, frame: Frame, name: str, workers: Workers):
        self._frame, self._name, self._workers = frame, name, workers
        self._program = frame.named(name).program
        self._kept = workers.kept
        self._key = self._kept.key(frame, name) if self._kept else None
        self._known = (
            self._kept.recall(self._key, self._program) if self._kept and self._key else None
        )
        self._written: Trace | None = self._known[0] if self._known else None

    def written(self) -> Trace:
        """Raises what counting on the device raises."""
        if self._written is None:
            self._written = self._count(self._program).result()
        return self._written

    def others(self, asked: Sequence[Form], needed: Form | None) -> OtherForms:
        """Raises the error that makes the `needed` form unavailable."""
        _, found, impossible = self._known or (None, {}, frozenset[Form]())
        missing = [
            form
            for form in asked
            if form not in found and (form not in impossible or form is needed)
        ]
        if missing:
            failures: dict[Form, ShaderlabError] = {}
            made = trace_other_forms(
                self._program,
                self._count,
                self._workers.compiler,
                missing,
                needed=needed,
                radv=self._workers.radv,
                failed=failures.__setitem__,
            )
            found = {**found, **made}
            lasting = (f for f, error in failures.items() if not isinstance(error, _PASSING))
            impossible = impossible.union(lasting) - set(found)
        if self._kept and self._key and (missing or not self._known):
            self._kept.keep(self._key, self.written(), found, impossible)
        return {form: found[form] for form in asked if form in found}

    def _count(self, program: Program) -> Future[Trace]:
        frame, name, device = self._frame, self._name, self._workers.device
        if len(frame.passes) > 1:
            return device.trace_pass(frame.of_program(name, program), name)
        return device.trace(frame.named(name).of_program(program))


def forms(
    predictor: PredictorWorker, wanted: Sequence[str] | None, method: str | None
) -> list[Form]:
    """The other forms of the program that the method uses on these targets."""
    installed = predictor.targets().result()
    asked = [each for each in installed if wanted is None or each.target in wanted]
    found = {form for each in asked for form in each.forms_of(method)}
    return [form for form in Form if form in found]


def count_vertices(device: DeviceWorker, frame: Frame, name: str) -> Trace | None:
    """Execution counts of a pass's own vertex stage; None where it has none, or the device cannot
    count it."""
    if frame.named(name).vertex is None:
        return None
    try:
        return device.trace_vertex(frame, name).result()
    except UnsupportedShader:
        return None
