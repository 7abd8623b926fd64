"""A measurement in words: its figures, the clocks, why there were fewer trials than asked for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from shaderlab import units
from shaderlab.gpu.clocks import is_locked
from shaderlab.gpu.plan import MEASUREMENT_S, SUBMISSION_S, plan
from shaderlab.gpu.trials import SETTLED
from shaderlab.scene.draw import CANONICAL_SIZE
from shaderlab.stats import TimeLine

if TYPE_CHECKING:
    from shaderlab.gpu.device_info import DeviceInfo
    from shaderlab.gpu.measurement import Measurement


def device_text(info: DeviceInfo) -> str:
    """The device in one line, a software driver named as such."""
    if info.kind == "software":
        return f"{info.name}: a software driver, so times are those of the CPU"
    return f"{info.name} · {info.driver}"


def figures_of(measurement: Measurement, software: bool) -> tuple[tuple[str, str, str], ...]:
    """Caption, value and explanation of each number worth showing.

    CPU time of all cores is included for software drivers only.
    """
    low, high = measurement.interval_s
    rejected = len(measurement.rejected)
    figures = [
        ("mean", units.seconds(measurement.time_s), "Mean time per draw, without outliers"),
        (
            "within",
            f"\u00b1 {units.seconds((high - low) / 2)}",
            f"The mean lies between {units.seconds(low)} and {units.seconds(high)} with 95 % "
            "confidence, assuming normally distributed trials",
        ),
        ("median", units.seconds(measurement.median_s), "Median, without outliers"),
        (
            "variation",
            units.percent(measurement.cv),
            "Coefficient of variation: standard deviation divided by the mean, without outliers",
        ),
        (
            "rejected",
            f"{rejected} of {len(measurement.trials_s)}",
            "Trials more than 7 median absolute deviations from the median",
        ),
        (
            "floor",
            units.seconds(measurement.floor_s),
            "Time of a render pass that draws one colour on this device: the lower bound",
        ),
    ]
    if measurement.compile_s is not None:
        tip = (
            "Time in which the driver compiled the shader before it was timed; short where the "
            "driver had it in its cache"
        )
        figures.append(("driver's compile", units.seconds(measurement.compile_s), tip))
    line = measurement.linearity
    if line is not None:
        tip = (
            "Time of a submission by its number of draws "
            f"({', '.join(f'{n:g}' for n in line.amounts)}): {units.seconds(line.slope_s)} per "
            f"draw plus {units.seconds(line.intercept_s)} per submission; fits within "
            f"{units.percent(round(line.deviation, 3))}. A poor fit means that draws were dropped"
        )
        figures.append(("per submission", units.seconds(line.intercept_s), tip))
    if software and measurement.cpu_trials_s:
        cpu_s = float(np.mean(np.delete(measurement.cpu_trials_s, measurement.rejected)))
        tip = "CPU seconds of all cores per draw; less sensitive to other programs"
        figures.append(("CPU time", units.seconds(cpu_s), tip))
    return tuple(figures)


def clock_text(clocks: str | None, software: bool) -> str:
    """What is known of the device's clock; for a software driver, of the CPU's."""
    if software:
        return f"Rendered on the CPU: {clocks}" if clocks else ""
    if clocks is None:
        return "The system does not report clocks; assume they are unlocked"
    match is_locked(clocks):
        case True:
            return f"Clocks {clocks}"
        case False:
            detail = clocks.partition(" ")[2]
            return f"Unlocked clocks {detail}: times depend on load and temperature"
    return f"Clock {clocks}; the driver does not report whether it is locked"


def statistics_text(measurement: Measurement) -> str:
    """What the device counted in one draw; empty where it does not."""
    counted = measurement.statistics
    if counted is None:
        return ""
    width, height = measurement.size
    return f"{counted.fragment_invocations / (width * height):.2f} invocations per pixel"


def fewer_text(measurement: Measurement, asked: tuple[int, int] | None) -> str:
    """Why there are fewer trials or draws than were asked for; empty where there are not."""
    if asked is None:
        return ""
    trials, draws = asked
    made = len(measurement.trials_s)
    taken_s = measurement.time_s
    why = []
    if measurement.draws < draws:
        why.append(
            f"{draws} draws requested, but one takes {units.seconds(taken_s)} and a trial is "
            f"limited to {units.seconds(SUBMISSION_S)}"
        )
    if made < trials:
        # One that the limit ended took most of it.
        limited = made * measurement.draws * taken_s > MEASUREMENT_S / 2
        reason = (
            f"but a measurement is limited to {units.seconds(MEASUREMENT_S)}"
            if limited
            else f"but {made} give the mean within {units.percent(SETTLED)}"
        )
        why.append(f"{trials} trials requested, {reason}")
    return f" ({'; '.join(why)})" if why else ""


def sizes_text(line: TimeLine, software: bool) -> str:
    """`1.3 ns per pixel + 0.2 ms per pass; …`: the line through the times at several sizes."""
    sign = "+" if line.intercept_s >= 0 else "\u2212"
    of_cpu = " of CPU" if software else ""
    return (
        f"{units.seconds(line.slope_s)}{of_cpu} per pixel {sign} "
        f"{units.seconds(abs(line.intercept_s))} per pass; "
        f"fits within {units.percent(round(line.deviation, 3))}"
    )


def estimate_s(frame_gpu_s: float, frame_size: tuple[int, int], trials: int, draws: int) -> float:
    """Seconds a profile at the canonical size will take about, from the time of a preview frame."""
    width, height = CANONICAL_SIZE
    draw_s = frame_gpu_s * (width * height) / (frame_size[0] * frame_size[1])
    if not math.isfinite(draw_s):
        return math.nan
    return plan(draw_s, trials, draws).seconds(draw_s)
