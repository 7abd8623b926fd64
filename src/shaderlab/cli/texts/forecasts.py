"""Forecasts, budgets, and the targets they are for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.cli.terminal import one_line, table
from shaderlab.cli.texts.traces import place
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.spirv.trace import SourceLine

if TYPE_CHECKING:
    from shaderlab.prediction.catalogue.targets import TargetInfo

HOT_LINES = 10


def data(forecasts: Sequence[Forecast]) -> dict[str, Any]:
    """`lines` belong to the first target; each target carries its own as well."""
    return {
        "targets": [
            {
                "target": f.target,
                "time_s": f.time_s,
                "low_s": f.low_s,
                "high_s": f.high_s,
                "method": f.method,
                "basis": f.basis,
                "validated": asdict(f.validated),
                "warnings": list(f.warnings),
                "lines": _shares(f),
            }
            for f in forecasts
        ],
        "lines": _shares(forecasts[0]) if forecasts else [],
    }


def _shares(forecast: Forecast) -> list[dict[str, Any]]:
    return [
        place(SourceLine(part.file, part.line)) | {"share": part.share} for part in forecast.lines
    ]


def text(forecasts: Sequence[Forecast]) -> str:
    times = table(
        ("target", "time", "from", "to", "method", "validated error"),
        (
            (
                f.target,
                units.seconds(f.time_s),
                units.seconds(f.low_s),
                units.seconds(f.high_s),
                f.method,
                _error(f.validated),
            )
            for f in forecasts
        ),
    )
    parts = [times]
    warnings = _warnings([(f.target, w) for f in forecasts for w in f.warnings])
    if warnings:
        parts.append(warnings)
    if forecasts and forecasts[0].lines:
        shares = table(
            ("share", "line"),
            (
                (units.percent(p.share), f"{p.file}:{p.line}" if p.file else str(p.line))
                for p in forecasts[0].lines[:HOT_LINES]
            ),
        )
        parts.append(f"hottest lines on {forecasts[0].target}\n{shares}")
    return "\n\n".join(parts)


def _error(validated: Validation) -> str:
    if validated.mape is None:
        return "not validated"
    median = (
        "" if validated.median_ape is None else f"median {units.percent(validated.median_ape)}, "
    )
    return f"{median}MAPE {units.percent(validated.mape)}"


def target_data(target: TargetInfo) -> dict[str, Any]:
    return {
        "target": target.target,
        "vendor": target.vendor,
        "kind": target.kind,
        "methods": list(target.methods),
        "clock": target.clock,
        "driver": target.driver,
        "samples": target.samples,
        "validated": asdict(target.validated),
        "name": target.name,
        "floor_s": target.floor_s,
        "notes": target.notes,
        "reason": target.reasons.get(target.methods[0], ""),
        "user": target.user,
        "validations": {name: asdict(each) for name, each in target.validations.items()},
    }


def targets_text(targets: Sequence[TargetInfo]) -> str:
    return table(
        ("target", "name", "kind", "methods", "samples", "error", "clock", "driver"),
        (
            (
                t.target,
                t.name,
                t.kind,
                ", ".join(t.methods),
                str(t.samples),
                _error(t.validated),
                t.clock,
                t.driver,
            )
            for t in targets
        ),
    )


def check_data(forecast: Forecast, budget_s: float) -> dict[str, Any]:
    """A forecast held to a budget; its time decides, band and warnings tell how surely."""
    return {
        "target": forecast.target,
        "budget_s": budget_s,
        "time_s": forecast.time_s,
        "low_s": forecast.low_s,
        "high_s": forecast.high_s,
        "method": forecast.method,
        "within": forecast.time_s <= budget_s,
        "warnings": list(forecast.warnings),
    }


def checks_text(checks: Sequence[dict[str, Any]]) -> str:
    shown = table(
        ("target", "time", "band", "budget", "", "method"),
        (
            (
                c["target"],
                units.seconds(c["time_s"]),
                f"{units.seconds(c['low_s'])} \u2013 {units.seconds(c['high_s'])}",
                units.seconds(c["budget_s"]),
                "within budget" if c["within"] else "OVER BUDGET",
                c["method"],
            )
            for c in checks
        ),
    )
    warnings = _warnings([(c["target"], w) for c in checks for w in c["warnings"]])
    return "\n\n".join([shown, *[warnings] * bool(warnings)])


def _warnings(told: list[tuple[str, str]]) -> str:
    """(target, warning) pairs, a line for each warning with the targets it holds for."""
    targets: dict[str, dict[str, None]] = {}
    for target, warning in told:
        targets.setdefault(warning, {})[target] = None
    return "\n".join(one_line(f"warning: {', '.join(by)}: {w}") for w, by in targets.items())
