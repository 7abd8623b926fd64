"""What a sweep found."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from shaderlab import units
from shaderlab.cli.terminal import one_line, table
from shaderlab.cli.texts.numbers import finite
from shaderlab.prediction.forecast import Forecast, Status
from shaderlab.prediction.forecasts.frame_forecast import FrameForecast
from shaderlab.studies.curves import KNEE, Agreement
from shaderlab.studies.pictures import STEPS, Difference
from shaderlab.studies.sweep import Point, Sweep

_NONE = "\u2013"
_BANDED = 3
"""Up to so many targets the bands fit beside their times."""


def data(found: Sweep) -> dict[str, Any]:
    return {
        "axes": [{"name": axis.name, "values": list(axis.values)} for axis in found.axes],
        "reference": list(found.reference),
        "device": found.device,
        "varied": found.part or None,
        "points": [_point(found, point) for point in found.points],
        "knee": {
            "definition": KNEE,
            "picture": _values(found.picture_knee),
            "measured": _values(found.knee(_measured)),
            "targets": {each: _values(_knee(found, each)) for each in found.targets},
        },
        "cheapest": {each: _end(found, each, 0) for each in found.targets},
        "most_expensive": {each: _end(found, each, 1) for each in found.targets},
        "agreement": {each: _agreement(found.agreement(each)) for each in found.targets},
    }


def _point(found: Sweep, point: Point) -> dict[str, Any]:
    off = point.difference
    names = (axis.name for axis in found.axes)
    return {
        "values": dict(zip(names, point.values, strict=True)),
        "targets": [_target(each) for each in point.forecasts],
        "measured": None if point.measured is None else asdict(point.measured),
        "anchored_s": found.anchored(point),
        "picture": None
        if off is None
        else {"changed": off.changed, "rms": off.rms, "psnr_db": finite(off.psnr_db)},
        "failure": point.failure or None,
    }


def _target(forecast: Forecast | FrameForecast) -> dict[str, Any]:
    data = {
        "target": forecast.target,
        "time_s": forecast.time_s,
        "low_s": forecast.low_s,
        "high_s": forecast.high_s,
        "status": forecast.status.value,
        "method": forecast.method,
        "basis": forecast.basis,
        "warnings": list(forecast.warnings),
    }
    if isinstance(forecast, Forecast):
        return data | {"form": forecast.form.value}
    return data | {"passes": {name: forecast.pass_s(name) for name in forecast.passes}}


def _agreement(found: Agreement | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return asdict(found) | {"spearman": finite(found.spearman)}


def _measured(point: Point) -> float | None:
    return point.measured.time_s if point.measured else None


def _knee(found: Sweep, target: str) -> Point | None:
    return found.knee(lambda point: point.seconds(target))


def _end(found: Sweep, target: str, end: int) -> list[str] | None:
    ends = found.extremes(target)
    return None if ends is None else list(ends[end].values)


def _extremes(found: Sweep) -> str:
    """The most expensive variant, once where targets agree."""
    by_values: dict[str, list[str]] = {}
    for target in found.targets:
        ends = found.extremes(target)
        if ends is not None:
            by_values.setdefault(", ".join(ends[1].values), []).append(target)
    if not by_values:
        return ""
    if len(by_values) == 1:
        return f"most expensive: {next(iter(by_values))}"
    parts = (f"{values} ({', '.join(targets)})" for values, targets in by_values.items())
    return f"most expensive: {'; '.join(parts)}"


def _values(point: Point | None) -> list[str] | None:
    return None if point is None else list(point.values)


def text(found: Sweep) -> str:
    timed = any(point.measured for point in found.points)
    targets = found.targets
    header = [
        *(axis.name for axis in found.axes), "changed", "PSNR",
        *([f"{found.device}, measured", "moved"] if timed else []), *targets,
    ]  # fmt: skip
    rows = [_row(found, point, timed) for point in found.points]
    lines = [
        table(header, rows),
        "",
        f"changed: share of pixels off by more than {STEPS} of 255 in a colour from the picture at "
        f"{', '.join(found.reference)}"
        if any(point.difference for point in found.points)
        else "changed: nothing to compare, because the shader writes no image",
    ]
    if found.part:
        lines.append(f"{one_line(found.part)} varies; times and pictures are of the whole frame")
    lines += [f"{', '.join(p.values)}: {one_line(p.failure)}" for p in found.points if p.failure]
    lines += [line for line in (_extremes(found), *_knees(found, timed)) if line]
    if timed:
        lines.append(
            f"moved: forecasts for {found.device}, scaled to agree with the reference's measured"
            " time"
        )
    if timed and len(found.axes) == 1:
        lines += [line for each in targets if (line := _agreement_line(found, each))]
    warnings = dict.fromkeys(
        f"{each.target}: {said}"
        for point in found.points for each in point.forecasts for said in each.warnings
    )  # fmt: skip
    return "\n".join([*lines, *map(one_line, warnings)])


def _row(found: Sweep, point: Point, timed: bool) -> list[str]:
    cells = [*point.values, *_picture(point.difference)]
    if timed:
        anchored = found.anchored(point)
        cells.append(units.seconds(point.measured.time_s) if point.measured else _NONE)
        cells.append(_NONE if anchored is None else units.seconds(anchored))
    by_target = {each.target: each for each in point.forecasts}
    banded = len(found.targets) <= _BANDED
    return [*cells, *(_time(by_target.get(each), banded) for each in found.targets)]


def _picture(off: Difference | None) -> tuple[str, str]:
    if off is None:
        return _NONE, _NONE
    if off.rms == 0:
        return "0 %", "same"
    return units.percent(off.changed), f"{off.psnr_db:.1f} dB"


def _time(forecast: Forecast | FrameForecast | None, banded: bool) -> str:
    if forecast is None or forecast.status is Status.NONE:
        return _NONE
    if forecast.time_s is None:
        return f"> {units.seconds(forecast.low_s or 0.0)}"
    shown = units.seconds(forecast.time_s)
    if banded and forecast.low_s is not None and forecast.high_s is not None:
        shown += f" ({units.seconds(forecast.low_s)} to {units.seconds(forecast.high_s)})"
    return shown


def _knees(found: Sweep, timed: bool) -> list[str]:
    if len(found.axes) != 1:
        return []
    curves = {"picture": found.picture_knee}
    if timed:
        curves["measured time"] = found.knee(_measured)
    curves |= {each: _knee(found, each) for each in found.targets}
    marked = [f"{name} {point.values[0]}" for name, point in curves.items() if point is not None]
    return [f"knee: {', '.join(marked) or 'none'} ({KNEE})"]


def _agreement_line(found: Sweep, target: str) -> str:
    agreed = found.agreement(target)
    if agreed is None or not found.device.startswith(target):
        return ""
    return (
        f"{target} here: predicted off the measured curve by {units.percent(agreed.median_error)} "
        f"(median), moved through the reference by {units.percent(agreed.anchored_error)}, rank "
        f"correlation {agreed.spearman:.2f}"
    )
