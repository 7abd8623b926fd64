"""From a pass of a frame to forecasts: counted on a device, in every form the targets use."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from shaderlab.errors import DeviceLost, ShaderTimeout, StartFailed, UnsupportedShader
from shaderlab.frontend.program import Program
from shaderlab.prediction.forecast import Forecast, Measured
from shaderlab.prediction.forms import FORMS, Form
from shaderlab.scene.defaults import assumptions
from shaderlab.scene.draw import Frame
from shaderlab.spirv.trace import Trace
from shaderlab.studies.other_forms import trace_other_forms
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.predictor import PredictorWorker

_UNFINISHED = (ShaderTimeout, DeviceLost)
"""What ends a frame before its end: nothing is known of how long it takes."""


@dataclass(frozen=True)
class Workers:
    """The children a forecast needs; their owner closes them."""

    device: DeviceWorker
    compiler: CompilerWorker
    predictor: PredictorWorker


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
    device, compiler, predictor = workers.device, workers.compiler, workers.predictor
    draw = frame.named(name)

    def count(program: Program) -> Future[Trace]:
        if len(frame.passes) > 1:
            return device.trace_pass(frame.of_program(name, program), name)
        return device.trace(draw.of_program(program))

    try:
        counted = count(draw.program).result()
    except StartFailed:
        raise
    except _UNFINISHED as error:
        return predictor.predict_static(draw.program, wanted, method, str(error)).result()
    other_forms = trace_other_forms(
        draw.program,
        count,
        compiler,
        forms(predictor, wanted, method),
        needed=FORMS.get(method) if method else None,
    )
    measured = Measured(counted.device, seconds) if seconds else None
    return predictor.predict(
        draw,
        counted,
        wanted,
        method,
        other_forms,
        assumptions(draw),
        measured,
        count_vertices(device, frame, name),
    ).result()


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
