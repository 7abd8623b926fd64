"""How times follow sizes."""

from __future__ import annotations

from math import prod
from typing import Any

from shaderlab import units
from shaderlab.cli.texts.numbers import finite
from shaderlab.prediction.forecast import Forecast
from shaderlab.studies.scaling import Size, SizeStudy, named

_NONE = "\u2013"


def data(study: SizeStudy) -> dict[str, Any]:
    law = study.law
    points = [
        {
            "size": list(size),
            "measured_s": seconds,
            "law_s": law.at(prod(size)),
            "fixed_share": law.fixed_share(prod(size)),
            "projected": False,
        }
        for size, seconds in zip(study.measured, law.seconds, strict=True)
    ]
    points += [
        {
            "size": list(size),
            "measured_s": None,
            "law_s": (seconds := study.projected(size)),
            "fixed_share": None if seconds is None else law.fixed_share(prod(size)),
            "projected": law.projects(prod(size)),
        }
        for size in study.at
    ]
    return {
        "over": "size",
        "device": study.device,
        "clock": study.clock,
        "law": {
            "name": law.law.value,
            "fixed_s": law.a,
            "per_pixel_s": law.b,
            "deviation": law.deviation,
            "left_out": finite(law.left_out),
        },
        "points": points,
        "targets": [_target_data(study, target) for target in study.targets],
        "remarks": list(law.remarks),
    }


def text(study: SizeStudy) -> str:
    law = study.law
    sign = "+" if law.a >= 0 else "\u2212"
    lines = [
        f"{study.device} ({study.clock}): {units.seconds(law.b)} per pixel {sign} "
        f"{units.seconds(abs(law.a))} per pass; fits within {units.percent(law.deviation)}, "
        f"a held-out size within {units.percent(law.left_out)}",
        *law.remarks,
        "",
        f"{'size':>12}{'measured':>12}{'by the line':>14}{'per pass':>10}",
    ]
    for size, seconds in zip(study.measured, law.seconds, strict=True):
        lines.append(_row(study, size, units.seconds(seconds), law.at(prod(size))))
    lines += [_row(study, size, "", study.projected(size)) for size in study.at]
    if any(study.projected(size) is None for size in study.at):
        lines.append(
            f"{_NONE}: more than four times the largest size measured; --far projects there too"
        )
    for target in study.targets:
        lines += ["", f"{target}, traced at each size"]
        found = {size: study.of(size, target) for size in study.forecasts}
        lines += [_forecast_row(size, each) for size, each in found.items()]
        lines += dict.fromkeys(f"  {said}" for each in found.values() for said in each.warnings)
    return "\n".join(lines)


def _row(study: SizeStudy, size: Size, measured: str, seconds: float | None) -> str:
    pixels = prod(size)
    mark = " projected" if study.law.projects(pixels) else ""
    by_line = _NONE if seconds is None else units.seconds(seconds)
    share = "" if seconds is None else units.percent(max(study.law.fixed_share(pixels), 0.0))
    return f"{named(size):>12}{measured:>12}{by_line:>14}{share:>10}{mark}"


def _forecast_row(size: Size, forecast: Forecast) -> str:
    if forecast.time_s is None:
        return f"{named(size):>12}{'no time':>12}"
    band = ""
    if forecast.low_s is not None and forecast.high_s is not None:
        band = f"  {units.seconds(forecast.low_s)} to {units.seconds(forecast.high_s)}"
    rate = f"{1 / forecast.time_s:.0f} fps" if forecast.time_s > 0 else ""
    status = "" if forecast.status == "ok" else f"  {forecast.status}"
    return f"{named(size):>12}{units.seconds(forecast.time_s):>12}{rate:>14}{band}{status}"


def _target_data(study: SizeStudy, target: str) -> dict[str, Any]:
    found = {size: study.of(size, target) for size in study.forecasts}
    return {
        "target": target,
        "points": [
            {
                "size": list(size),
                "time_s": each.time_s,
                "low_s": each.low_s,
                "high_s": each.high_s,
                "status": each.status.value,
                "method": each.method,
                "warnings": list(each.warnings),
            }
            for size, each in found.items()
        ],
    }
