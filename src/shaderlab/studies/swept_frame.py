"""A sweep over a shader, or over one pass of a frame: then times and pictures are the frame's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shaderlab.engine import questions
from shaderlab.engine.crew import Engine
from shaderlab.engine.questions import Asked
from shaderlab.errors import WrongUse
from shaderlab.frontend.reading import RECOGNISED, Reading
from shaderlab.gpu.measurement import own_clock
from shaderlab.projects.frames import followed
from shaderlab.projects.project import Project
from shaderlab.scene.assignments import assigned
from shaderlab.scene.defaults import listed
from shaderlab.scene.draw import Draw, Frame
from shaderlab.scene.inputs import Input, Source
from shaderlab.studies.axes import Axis
from shaderlab.studies.sweep import (
    Effort,
    Point,
    Report,
    Sweep,
    Timed,
    reference_of,
    sweep,
)
from shaderlab.studies.swept_texts import SweptText, changers
from shaderlab.workers.device import DeviceWorker


@dataclass(frozen=True)
class Plan:
    """What is swept."""

    frame: Frame
    """With the programs as they stand."""
    axes: tuple[Axis, ...]
    folder: Path | None = None
    """Where the text that varies includes from."""
    reading: Reading = RECOGNISED
    targets: tuple[str, ...] | None = None
    """None for all."""
    effort: Effort | None = None
    """None: nothing is timed here."""
    reference: tuple[str, ...] | None = None
    """Values whose picture others are compared with; None for the first of each axis."""
    anchor_only: bool = False
    """Whether to measure the reference alone."""
    varied: str = ""
    """Name of the pass that varies, with others of the same text; empty for the one whose picture
    is the frame's."""
    project: Project | None = None
    """Whose rule, if it has one, other passes follow the varied one by."""


def sweep_frame(
    plan: Plan,
    engine: Engine,
    report: Report | None = None,
    stopped: Callable[[], bool] | None = None,
) -> Sweep:
    """As `sweep`.  Raises WrongUse also for a pass that is none of the frame's, and for names that
    are nothing of its shader's."""
    frame, passes = plan.frame, [each.name for each in plan.frame.passes]
    varied = plan.varied or passes[-1]
    if varied not in passes:
        names = ", ".join(name for name in passes if name) or "one without a name"
        raise WrongUse(f"{varied} is not a pass of the frame, which has {names}")
    swept = frame.named(varied)
    text = SweptText.of(swept.program, plan.folder, plan.reading)
    known = listed(swept)
    by_name = changers(text.text, plan.axes, known)
    if by_name.inputs and varied != passes[-1] and plan.project and plan.project.rule:
        raise WrongUse("all passes have the same inputs: omit --pass")
    reference = reference_of(plan.axes, plan.reference)
    same = {n for n in passes if frame.named(n).program.digest == swept.program.digest}
    engine.crew.predictor.start()  # while the first variant is compiled and drawn
    device = engine.crew.device(engine.answer(questions.device))

    def variant(values: tuple[str, ...]) -> tuple[Point, np.ndarray | None]:
        given = dict(zip((axis.name for axis in plan.axes), values, strict=True))
        program = by_name.compiled(text, given, engine.crew.compiler) or swept.program
        draws = {name: frame.named(name).of_program(program) for name in same}
        for name in by_name.inputs:
            draws[varied] = _with_input(draws[varied], name, given[name])
        drawn = followed(
            plan.project,
            Frame(
                tuple(
                    replace(p, draw=draws[p.name]) if p.name in draws else p for p in frame.passes
                )
            ),
        )
        rendered = device.render(drawn).result()
        bare = rendered.outputs is not None and not rendered.outputs.image
        pixels = None if bare else rendered.pixels.copy()
        timed = plan.effort is not None and (values == reference or not plan.anchor_only)
        measured = _timed(drawn, plan.effort, device) if timed and plan.effort else None
        predicted = engine.answer(questions.whole, drawn, Asked(plan.targets))
        return Point(values, predicted, measured), pixels

    points = sweep(plan.axes, reference, variant, report, stopped)
    part = varied if len(passes) > 1 else ""
    return Sweep(plan.axes, reference, device.info.slug, points, part)


def _with_input(draw: Draw, name: str, value: str) -> Draw:
    before = {full: each.value for full, each in draw.inputs.values.items()}
    full, numbers = assigned(listed(draw), name, value, before)
    values = {**draw.inputs.values, full: Input(numbers, Source.SET)}
    return replace(draw, state=replace(draw.state, inputs=replace(draw.inputs, values=values)))


def _timed(frame: Frame, effort: Effort, device: DeviceWorker) -> Timed:
    if len(frame.passes) == 1:
        measured = device.profile(frame.shown, *effort).result()
    else:
        measured = device.profile_frame(frame, *effort).result()
    measured, clock = own_clock(measured, device.info.kind)
    return Timed(measured.time_s, measured.cv, clock)
