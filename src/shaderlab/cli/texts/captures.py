"""Captured frames: their draws, and what the frame costs elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from shaderlab import units
from shaderlab.captures.frame import Counters
from shaderlab.cli.terminal import one_line, table
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.forecasts.frame_forecast import FrameForecast
from shaderlab.workers.analysed_draws import AnalysedDraw

_NOTHING = "\u2013"
_COLUMNS = 3
"""Targets in the table of draws."""


def data(
    draws: Sequence[AnalysedDraw],
    counters: Mapping[int, Counters],
    frame: Sequence[FrameForecast],
    size: tuple[int, int],
) -> dict[str, Any]:
    return {
        "frame": {
            "draws": len(draws),
            "replayed": sum(each.replayed is not None for each in draws),
            "size": list(size),
        },
        "draws": [_draw(each, counters.get(each.draw.event)) for each in draws],
        "targets": [_times(each) for each in frame],
    }


def _draw(each: AnalysedDraw, theirs: Counters | None) -> dict[str, Any]:
    replayed, trace = each.replayed, each.trace
    return {
        "event": each.draw.event,
        "name": each.draw.name,
        "marker": each.draw.marker,
        "stage": each.draw.stage,
        "size": list(each.draw.size),
        "shader": each.program.name if each.program else None,
        "pixels": trace.pixels if trace and not each.draw.is_dispatch else None,
        "invocations": each.invocations,
        "executed": trace.instructions_executed if trace else None,
        "vertex": {
            "invocations": each.vertices,
            "executed": each.vertex.instructions_executed if each.vertex else None,
            "reason": each.vertex_reason or None,
        },
        "picture_difference": _finite(replayed.difference) if replayed else None,
        "measured_s": _finite(replayed.time_s) if replayed else None,
        "statistic_invocations": replayed.invocations if replayed else None,
        "renderdoc": {
            "time_s": theirs.time_s if theirs else None,
            "invocations": theirs.invocations if theirs else None,
        },
        "targets": [_times(forecast) | _vertex_time(forecast) for forecast in each.forecasts],
        "elsewhere": each.elsewhere or None,
        "reason": each.reason or None,
    }


def _times(forecast: Forecast | FrameForecast) -> dict[str, Any]:
    return {
        "target": forecast.target,
        "time_s": forecast.time_s,
        "low_s": forecast.low_s,
        "high_s": forecast.high_s,
        "status": forecast.status.value,
        "domain": forecast.domain.value,
    }


def _vertex_time(forecast: Forecast) -> dict[str, Any]:
    return {"vertex_s": forecast.vertex.time_s if forecast.vertex else None}


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def text(
    draws: Sequence[AnalysedDraw], frame: Sequence[FrameForecast], size: tuple[int, int]
) -> str:
    """A table of draws, the reasons, and the frame's time on each target."""
    shown = [each.target for each in frame[:_COLUMNS]]
    header = ("event", "draw", "shader", "pixels", "invocations", "vertices", "instructions",
              "differs", "here", *shown)  # fmt: skip
    rows = [_row(each, shown) for each in draws]
    replayed = sum(each.replayed is not None for each in draws)
    parts = [
        f"{len(draws)} draws, {replayed} replayed"
        + (f", {size[0]} x {size[1]}" if size[0] else ""),
        table(header, rows),
    ]
    reasons = [f"{each.draw.event}: {one_line(each.reason)}" for each in draws if each.reason]
    if reasons:
        parts.append("not replayed, or not to the end\n" + "\n".join(reasons))
    elsewhere = [
        f"{each.draw.event}: {one_line(each.elsewhere)}" for each in draws if each.elsewhere
    ]
    if elsewhere:
        parts.append("drawn on another device\n" + "\n".join(elsewhere))
    uncounted = [
        f"{each.draw.event}: {one_line(each.vertex_reason)}" for each in draws if each.vertex_reason
    ]
    if uncounted:
        parts.append("vertex stages that are not counted\n" + "\n".join(uncounted))
    if frame:
        parts.append(
            "the frame: the sum of its draws; those in a row into the same attachments share a "
            "pass, which takes as long as their work, and at least as long as an empty pass\n"
            + table(
                ("target", "time", "from", "to", "status", "training data"),
                (
                    (
                        each.target,
                        _seconds(each.time_s),
                        _seconds(each.low_s),
                        _seconds(each.high_s),
                        each.status.value,
                        each.domain.value,
                    )
                    for each in frame
                ),
            )
        )
    return "\n\n".join(parts)


def _row(each: AnalysedDraw, shown: Sequence[str]) -> tuple[str, ...]:
    by_target = {forecast.target: forecast.time_s for forecast in each.forecasts}
    trace, replayed = each.trace, each.replayed
    name = f"{each.draw.marker} / {each.draw.name}" if each.draw.marker else each.draw.name
    return (
        str(each.draw.event),
        one_line(name),
        one_line(each.program.name) if each.program else _NOTHING,
        _count(trace.pixels if trace and not each.draw.is_dispatch else None),
        _count(each.invocations),
        _count(each.vertices),
        _count(trace.instructions_executed if trace else None),
        units.percent(replayed.difference)
        if replayed and isfinite(replayed.difference)
        else _NOTHING,
        units.seconds(replayed.time_s) if replayed else _NOTHING,
        *(_seconds(by_target.get(target)) for target in shown),
    )


def _count(number: int | None) -> str:
    return _NOTHING if number is None else units.count(number)


def _seconds(value: float | None) -> str:
    return _NOTHING if value is None else units.seconds(value)
