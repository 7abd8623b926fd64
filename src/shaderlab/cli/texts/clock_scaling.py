"""How times follow the clock."""

from __future__ import annotations

from typing import Any

from shaderlab import units
from shaderlab.cli.terminal import table
from shaderlab.cli.texts.numbers import finite
from shaderlab.studies.scaling import ClockStudy

_NONE = "\u2013"


def data(study: ClockStudy) -> dict[str, Any]:
    law = study.law
    known = [
        _point(study, clock, seconds) for clock, seconds in zip(law.x, law.seconds, strict=True)
    ]
    return {
        "over": "clock",
        "origin": study.origin,
        "law": {
            "name": law.law.value,
            "fixed_s": law.a,
            "per_clock_s_mhz": law.b,
            "bound_s": law.bound_s,
            "deviation": law.deviation,
            "left_out": finite(law.left_out),
        },
        "score_law": {"bound_s": finite(study.score.bound_s)},
        "points": [*known, *(_point(study, clock, None) for clock in study.at)],
        "remarks": list(law.remarks),
    }


def _point(study: ClockStudy, clock: float, measured: float | None) -> dict[str, Any]:
    seconds = study.projected(clock)
    return {
        "clock_mhz": clock,
        "measured_s": measured,
        "law_s": seconds,
        "fixed_share": None if seconds is None else study.law.fixed_share(clock),
        "efficiency": None if seconds is None else study.law.efficiency(clock),
        "projected": study.law.projects(clock),
    }


def text(study: ClockStudy) -> str:
    law = study.law
    rows = [_row(study, clock, seconds) for clock, seconds in zip(law.x, law.seconds, strict=True)]
    rows += [_row(study, clock, None) for clock in study.at]
    most = units.seconds(law.bound_s)
    lines = [
        f"{units.seconds(law.a)} at any clock + {law.b * 1e3:.4g} ms MHz / clock; "
        f"fits within {units.percent(law.deviation)}",
        *law.remarks,
        "",
        table(
            ("clock", "measured", "by the law", "fixed", "efficiency", ""),
            rows,
        ),
        "",
        f"No clock brings it below {most}: {law.seconds[0] / law.bound_s:.2f} times as fast as at "
        f"{law.x[0]:g} MHz."
        if law.bound_s > 0
        else "The law sets no bound.",
        f"A line through 1 / t, as in Issa's figures, gives a bound of "
        f"{units.seconds(study.score.bound_s)}: the bound depends on the law chosen more than "
        "on the points.  Efficiency: the speed-up divided by that of the clock.",
    ]
    if any(study.projected(clock) is None for clock in study.at):
        lines.append(f"{_NONE}: more than four times outside the points; --far projects there too")
    return "\n".join(lines)


def _row(study: ClockStudy, clock: float, measured: float | None) -> tuple[str, ...]:
    seconds = study.projected(clock)
    if seconds is None:
        return f"{clock:g} MHz", "", _NONE, "", "", ""
    return (
        f"{clock:g} MHz",
        "" if measured is None else units.seconds(measured),
        units.seconds(seconds),
        units.percent(max(study.law.fixed_share(clock), 0.0)),
        f"{study.law.efficiency(clock):.2f}",
        "projected" if study.law.projects(clock) else "",
    )
