"""A shader at several values of its constants and inputs: cost, picture, and where it bends.

The counterpart of PerfVec's loop tiling study (section VII) for shaders: every variant is
compiled, counted and predicted by itself; nothing is interpolated between values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shaderlab.errors import ShaderlabError, StartFailed, WrongUse
from shaderlab.frontend.program import Program
from shaderlab.frontend.reading import RECOGNISED, Reading
from shaderlab.frontend.source_text import unify_line_ends
from shaderlab.gpu.measurement import own_clock
from shaderlab.prediction.forecast import Forecast
from shaderlab.scene.assignments import assigned
from shaderlab.scene.defaults import listed
from shaderlab.scene.draw import Draw, Frame
from shaderlab.scene.inputs import Input, Source
from shaderlab.studies.axes import Axis, combinations, number
from shaderlab.studies.constants import Constant, constants, mentions, with_values
from shaderlab.studies.curves import Agreement, agreement, knee
from shaderlab.studies.forecasting import Workers, forecast_pass
from shaderlab.studies.pictures import Difference, difference

_LISTED = 12
"""Names that a message lists."""


class Effort(NamedTuple):
    """How long each variant is timed."""

    trials: int = 5
    draws: int = 10


@dataclass(frozen=True)
class Plan:
    """What is swept."""

    frame: Frame
    """With the program as it stands; what varies is the draw whose picture is the frame's."""
    axes: tuple[Axis, ...]
    folder: Path | None = None
    """Where its text includes from."""
    reading: Reading = RECOGNISED
    targets: tuple[str, ...] | None = None
    """None for all."""
    effort: Effort | None = None
    """None: nothing is timed here."""
    reference: tuple[str, ...] | None = None
    """Values whose picture others are compared with; None for the first of each axis."""
    anchor_only: bool = False
    """Whether to measure the reference alone."""


@dataclass(frozen=True)
class Timed:
    """Measured on this machine's device."""

    time_s: float
    cv: float
    clock: str


@dataclass(frozen=True)
class Point:
    """One variant."""

    values: tuple[str, ...]
    """One of each axis."""
    forecasts: tuple[Forecast, ...] = ()
    measured: Timed | None = None
    difference: Difference | None = None
    """To the reference's picture."""
    failure: str = ""
    """Why there is no more of it."""

    def seconds(self, target: str) -> float | None:
        """Predicted; None where there is no time."""
        for each in self.forecasts:
            if each.target == target:
                return each.time_s
        return None


@dataclass(frozen=True)
class Sweep:
    """What was found."""

    axes: tuple[Axis, ...]
    reference: tuple[str, ...]
    device: str
    """Slug of the device that drew, counted and timed."""
    points: tuple[Point, ...]
    """In the order of `axes.combinations`."""

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(each.target for point in self.points for each in point.forecasts)
        )

    def knee(self, of: Callable[[Point], float | None]) -> Point | None:
        """The knee of a curve over the only axis; None with several, or without one."""
        known = [(each, value) for each in self.points if (value := of(each)) is not None]
        if len(self.axes) != 1 or len(known) < 3:
            return None
        x = [number(each.values[0]) for each, _ in known]
        found = knee(x, [value for _, value in known])
        return None if found is None else known[found][0]

    def extremes(self, target: str) -> tuple[Point, Point] | None:
        """The cheapest and the most expensive variant by forecast; None without times."""
        known = [(t, n) for n, each in enumerate(self.points) if (t := each.seconds(target))]
        if not known:
            return None
        return self.points[min(known)[1]], self.points[max(known)[1]]

    @property
    def picture_knee(self) -> Point | None:
        """Where the difference from the reference bends most."""
        return self.knee(lambda each: each.difference.rms if each.difference else None)

    def agreement(self, target: str) -> Agreement | None:
        """Of a target's curve with the measured one; None with several axes or too few points."""
        known = [
            (number(each.values[0]), forecast, each.measured.time_s, each.values == self.reference)
            for each in self.points
            if each.measured is not None and (forecast := each.seconds(target)) is not None
        ]
        if len(self.axes) != 1 or len(known) < 2:
            return None
        x, forecasts, times, anchors = zip(*known, strict=True)
        return agreement(x, forecasts, times, anchors.index(True) if any(anchors) else 0)

    def anchored(self, point: Point) -> float | None:
        """Seconds on the device here by its forecast, moved through the reference's measured time:
        what a forecast is off by is mostly one factor of the shader.  None without either."""
        there = next((each for each in self.points if each.values == self.reference), None)
        if there is None or there.measured is None:
            return None
        forecast, known = point.seconds(self.device), there.seconds(self.device)
        return None if forecast is None or not known else forecast * there.measured.time_s / known


def sweep(
    plan: Plan,
    workers: Workers,
    report: Callable[[int, int, Point], None] | None = None,
    stopped: Callable[[], bool] | None = None,
) -> Sweep:
    """Every combination of values, the reference first; stops early with what there is.

    A variant that does not compile or run is a point with the reason.  Raises WrongUse for names
    that are none of the shader's, and the reference's own error.
    """
    makers = _makers(plan)
    every = combinations(plan.axes)
    reference = plan.reference or every[0]
    if reference not in every:
        raise WrongUse(f"the reference {', '.join(reference)} is not one of the values")
    found: dict[tuple[str, ...], Point] = {}
    picture: np.ndarray | None = None
    for values in sorted(every, key=lambda each: each != reference):
        if stopped is not None and stopped():
            break
        try:
            drawn = _variant(plan, makers, values, workers)
            pixels = _picture(drawn, workers)
            if picture is None:
                picture = pixels.copy()
            point = _point(plan, values, reference, drawn, workers, difference(picture, pixels))
        except StartFailed:
            raise
        except ShaderlabError as error:
            if values == reference:
                raise
            point = Point(values, failure=str(error))
        found[values] = point
        if report is not None:
            report(len(found), len(every), point)
    points = tuple(found[values] for values in every if values in found)
    return Sweep(plan.axes, reference, workers.device.info.slug, points)


class _Makers(NamedTuple):
    """How the axes' names change a variant."""

    inputs: frozenset[str]
    constants: Mapping[str, Constant]
    macros: frozenset[str]


def _makers(plan: Plan) -> _Makers:
    """Raises WrongUse for a name that is nothing of the shader's, and for bad values."""
    shown = plan.frame.shown
    text = unify_line_ends(shown.program.text)
    known, of_text = listed(shown), constants(text)
    names = {each.name for each in known if each.numeric is not None and each.value is not None}
    inputs, chosen, macros = set[str](), dict[str, Constant](), set[str]()
    for axis in plan.axes:
        if axis.name in of_text and axis.name not in names:
            chosen[axis.name] = constant = of_text[axis.name]
            for value in axis.values:
                constant.written(value)
            continue
        try:
            for value in axis.values:
                assigned(known, axis.name, value, {})
        except WrongUse as error:
            if axis.name.isidentifier() and mentions(text, axis.name) and axis.name not in names:
                macros.add(axis.name)
                continue
            raise _unknown(axis.name, of_text, names, error) from None
        inputs.add(axis.name)
    return _Makers(frozenset(inputs), chosen, frozenset(macros))


def _unknown(
    name: str, of_text: Mapping[str, Constant], inputs: set[str], error: WrongUse
) -> WrongUse:
    if any(each == name or each.endswith(f".{name}") for each in inputs):
        return error
    there = [*of_text, *sorted(inputs)]
    shown = ", ".join(there[:_LISTED]) or "none"
    more = f" and {len(there) - _LISTED} more" if len(there) > _LISTED else ""
    return WrongUse(
        f"{name} is not a #define, constant or input of the shader, which has {shown}{more}"
    )


def _variant(plan: Plan, makers: _Makers, values: Sequence[str], workers: Workers) -> Frame:
    """The frame with one combination of values."""
    given = dict(zip((axis.name for axis in plan.axes), values, strict=True))
    shown = plan.frame.shown
    program = shown.program
    fixed = {makers.constants[name]: given[name] for name in makers.constants}
    macros = tuple((name, given[name]) for name in sorted(makers.macros))
    if fixed or macros:
        program = _compiled(plan, program, fixed, macros, workers)
    draw = shown.of_program(program)
    for name in makers.inputs:
        draw = _with_input(draw, name, given[name])
    last = plan.frame.passes[-1]
    return Frame((*plan.frame.passes[:-1], replace(last, draw=draw)))


def _compiled(
    plan: Plan,
    program: Program,
    fixed: Mapping[Constant, str],
    macros: tuple[tuple[str, str], ...],
    workers: Workers,
) -> Program:
    text = with_values(unify_line_ends(program.text), fixed)
    named = {name for name, _ in macros}
    kept = tuple(each for each in plan.reading.defines if each[0] not in named)
    reading = replace(plan.reading, defines=(*kept, *macros))
    return workers.compiler.compile(text, program.name, plan.folder, reading).result()


def _with_input(draw: Draw, name: str, value: str) -> Draw:
    before = {full: each.value for full, each in draw.inputs.values.items()}
    full, numbers = assigned(listed(draw), name, value, before)
    values = {**draw.inputs.values, full: Input(numbers, Source.SET)}
    return replace(draw, state=replace(draw.state, inputs=replace(draw.inputs, values=values)))


def _picture(frame: Frame, workers: Workers) -> np.ndarray:
    return workers.device.render(frame).result().pixels


def _point(
    plan: Plan,
    values: tuple[str, ...],
    reference: tuple[str, ...],
    frame: Frame,
    workers: Workers,
    off: Difference,
) -> Point:
    name = frame.passes[-1].name
    forecasts = forecast_pass(frame, name, workers, plan.targets)
    effort = None if plan.anchor_only and values != reference else plan.effort
    return Point(values, forecasts, _timed(effort, frame, name, workers), off)


def _timed(effort: Effort | None, frame: Frame, name: str, workers: Workers) -> Timed | None:
    if effort is None:
        return None
    device = workers.device
    if len(frame.passes) == 1:
        measured = device.profile(frame.shown, *effort).result()
    else:
        measured = device.profile_pass(frame, name, *effort).result()
    measured, clock = own_clock(measured, device.info.kind)
    return Timed(measured.time_s, measured.cv, clock)
