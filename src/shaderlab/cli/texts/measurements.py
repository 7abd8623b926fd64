"""Measured times."""

from __future__ import annotations

from typing import Any

from shaderlab import units
from shaderlab.cli.texts.numbers import finite
from shaderlab.gpu.device_info import DeviceKind
from shaderlab.gpu.measurement import Measurement, own_clock
from shaderlab.stats import TimeLine


def data(measured: Measurement, kind: DeviceKind) -> dict[str, Any]:
    """All times but `wall_s`, `wall_trials_s`, `floor_s` and `compile_s` are by `clock`."""
    wall, measured, clock = measured, *own_clock(measured, kind)
    return {
        "device": measured.device,
        "device_name": measured.device_name,
        "driver": measured.driver,
        "size": list(measured.size),
        "draws": measured.draws,
        "trials_s": list(measured.trials_s),
        "clock": clock,
        "time_s": measured.time_s,
        "wall_s": wall.time_s,
        "wall_trials_s": list(wall.trials_s),
        "median_s": measured.median_s,
        "cv": measured.cv,
        "rejected": list(measured.rejected),
        "floor_s": finite(measured.floor_s),
        "compile_s": measured.compile_s,
        "clocks": measured.clocks,
        "interval_s": [finite(bound) for bound in measured.interval_s],
        "linearity": _linearity_data(measured.linearity),
        "statistics": measured.statistics._asdict() if measured.statistics else None,
        "stages": _stages(measured),
    }


def _stages(measured: Measurement) -> list[dict[str, Any]]:
    """By `clock`; empty of a draw without a vertex stage of its own."""
    vertex = measured.vertex
    if vertex is None:
        return []
    return [
        {
            "stage": "vertex",
            "time_s": vertex.time_s,
            "trials_s": list(vertex.trials_s),
            "pass_trials_s": list(vertex.pass_trials_s),
        },
        {"stage": "fragment", "time_s": max(measured.time_s - vertex.time_s, 0.0)},
    ]


def _linearity_data(line: TimeLine | None) -> dict[str, Any] | None:
    if line is None:
        return None
    return {
        "draws": list(line.amounts),
        "seconds": list(line.seconds),
        "slope_s": line.slope_s,
        "intercept_s": line.intercept_s,
        "deviation": line.deviation,
    }


def text(measured: Measurement, kind: DeviceKind) -> str:
    wall, measured, clock = measured, *own_clock(measured, kind)
    on_wall = "" if measured is wall else " on the wall"
    beside = "" if measured is wall else f" ({clock}; {units.seconds(wall.time_s)} on the wall)"
    rejected = f", {len(measured.rejected)} rejected as outliers" if measured.rejected else ""
    low, high = measured.interval_s
    line, counted = measured.linearity, measured.statistics
    more = ""
    if line is not None:
        more += (
            f"\na submission costs {units.seconds(line.intercept_s)} on top of its draws; its time "
            f"is off a line over their number by at most {units.percent(round(line.deviation, 3))}"
        )
    if measured.compile_s is not None:
        more += f"\nthe driver compiled it in {units.seconds(measured.compile_s)}, not timed above"
    if measured.vertex is not None:
        vertex_s = measured.vertex.time_s
        more += (
            f"\nvertex stage {units.seconds(vertex_s)}: the draw behind a scissor of one pixel,"
            f" less its empty pass; the rest {units.seconds(max(measured.time_s - vertex_s, 0.0))}"
        )
    if counted is not None:
        pixels = measured.size[0] * measured.size[1]
        more += f"\n{counted.fragment_invocations / pixels:.2f} invocations per pixel"
    return (
        f"{units.seconds(measured.time_s)} per draw on {measured.device_name}{beside}\n"
        f"95 % interval {units.seconds(low)} to {units.seconds(high)}, "
        f"median {units.seconds(measured.median_s)}, CV {units.percent(measured.cv)}, "
        f"{len(measured.trials_s)} trials of {measured.draws} "
        f"draw{'s' * (measured.draws > 1)}{rejected}, "
        f"empty pass {units.seconds(measured.floor_s)}{on_wall}\n"
        f"driver {measured.driver}"
        + (f"\nclocks {measured.clocks}" if measured.clocks else "")
        + more
    )
