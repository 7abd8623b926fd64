"""Forecasts of one traced program for many targets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab.frontend.stage import Stage
from shaderlab.prediction.catalogue.domain import features_of_traced
from shaderlab.prediction.catalogue.targets import Target, catalogue
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast, Measured
from shaderlab.prediction.forecasts.claims import (
    claim,
    evidence_of,
    for_other_subgroups,
    without_time,
)
from shaderlab.prediction.forecasts.compute_work import (
    atomics_left_out,
    claimed,
    compute_forecast,
    least_launch_s,
)
from shaderlab.prediction.forecasts.subgroup_sizes import subgroup_sizes
from shaderlab.prediction.forecasts.texture_term import with_textures
from shaderlab.prediction.forecasts.vertex_work import vertex_work
from shaderlab.prediction.forecasts.widening import Widening
from shaderlab.prediction.forecasts.witness import under_load, witness_of
from shaderlab.prediction.forms import OtherForms
from shaderlab.prediction.models.distrust import left_out
from shaderlab.spirv.trace import Trace

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program


def predict(
    program: Program,
    trace: Trace,
    targets: Sequence[str] | None = None,
    models_dir: Path | None = None,
    method: str | None = None,
    other_forms: OtherForms | None = None,
    assumed: Sequence[str] = (),
    measured: Measured | None = None,
    vertex: tuple[Program, Trace | None] | None = None,
) -> tuple[Forecast, ...]:
    """Forecasts for the named targets in that order, or for all installed ones by slug.

    `trace` is of `program`'s own module.  `models_dir` defaults to the shipped models; `method` to
    each target's default.  `other_forms`: the program's other forms, each with a trace of the same
    frame.  A target with models of several forms uses that of the latest form available, with that
    model's error; without any, that of the program as written, which needs no other trace.
    `assumed`: a sentence for each default that decides what runs.
    `measured`: what the very frame took on this machine, as a witness against the other forecasts.
    `vertex`: of a draw with a vertex stage of its own that, and its trace where it could be
    counted; no witness can tell the stages apart. What each forecast may claim, `claims`
    decides. Raises `UnknownTarget`, which lists what is installed, and `WrongUse` for a method that
    a target does not have, or that needs a form that is not there.
    """
    found = catalogue(models_dir)
    chosen = found.choose(targets)
    others = {form: TracedProgram(*pair) for form, pair in (other_forms or {}).items()}
    traced = TracedProgram(program, trace, others)
    if program is not None and program.stage is Stage.COMPUTE:
        found_out = evidence_of(traced)
        said = (*left_out(program), *assumed)

        def of_dispatch(target: Target) -> Forecast:
            sizes = subgroup_sizes(target, program, trace)
            return claimed(
                for_other_subgroups(
                    compute_forecast(target, traced), sizes.factor, least_launch_s(target)
                ),
                (*found_out.cut, *atomics_left_out(target, found_out)),
                (*said, *sizes.sentences),
            )

        forecasts = map(of_dispatch, chosen)
        why = found_out.unfinished
        return tuple(without_time(each, why) if why else each for each in forecasts)
    # Counts alone, as published for one shader, do not say what it is like.
    features = features_of_traced(traced) if found.domain and program is not None else None
    novelty = found.domain.novelty(features) if found.domain and features else None
    evidence = evidence_of(
        traced,
        outside=novelty.outside if novelty else "",
        assumed=assumed,
        vertex=vertex[1] if vertex else None,
    )
    stage = vertex_work(*vertex) if vertex else None
    widening = (
        Widening(found.widths, novelty, features) if found.widths and novelty and features else None
    )

    whole = not (evidence.cut or evidence.copied or evidence.atomics)
    knows = measured is not None and whole and vertex is None
    witness = witness_of(found, traced, measured) if measured and knows else None

    def of(target: Target) -> Forecast:
        forecast = target.forecast(traced, method)
        # A model that prices textures judged itself on shaders of all kinds that read them.
        if widening and forecast.textures is None:
            forecast = widening.of(forecast, target)
        if program is not None:
            forecast = with_textures(forecast, traced)
        if stage:
            forecast = stage.added(forecast, target)
        seen = witness.of(forecast) if witness else forecast
        seen = under_load(seen, measured) if measured else seen
        sizes = subgroup_sizes(target, program, trace)
        return claim(seen, evidence, target.card.target.device, sizes)

    return tuple(of(target) for target in chosen)
