"""Forecasts, budgets, and the targets they are for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import inf
from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.cli.terminal import one_line, table
from shaderlab.cli.texts.traces import located, place
from shaderlab.prediction.cost import LAUNCH, PASS
from shaderlab.prediction.features.cost_groups import COST_GROUPS
from shaderlab.prediction.forecast import Forecast, Side
from shaderlab.prediction.line_shares import LineShares
from shaderlab.spirv.trace import SourceLine

if TYPE_CHECKING:
    from shaderlab.prediction.catalogue.targets import TargetInfo

HOT_LINES = 10
_SOURCE_WIDTH = 80
_NOTHING = "\u2013"


def data(forecasts: Sequence[Forecast]) -> dict[str, Any]:
    """`lines` belong to the first target; each target carries its own as well."""
    return {
        "targets": [
            {
                "target": f.target,
                "time_s": f.time_s,
                "low_s": f.low_s,
                "high_s": f.high_s,
                "status": f.status.value,
                "domain": f.domain.value,
                "textures": asdict(f.textures) if f.textures else None,
                "disagreement": f.disagreement,
                "bound": f.cost.bound.value if f.cost else None,
                "made_of": dict(f.cost.shares) if f.cost else None,
                "method": f.method,
                "rests_on": f.rests_on,
                "form": f.form.value,
                "basis": f.basis,
                "validated": asdict(f.validated),
                "warnings": list(f.warnings),
                "lines": _shares(f.lines),
                "stages": _stages(f),
            }
            for f in forecasts
        ],
        "lines": _shares(forecasts[0].lines) if forecasts else [],
    }


def _shares(lines: LineShares) -> list[dict[str, Any]]:
    return [place(SourceLine(part.file, part.line)) | {"share": part.share} for part in lines]


def _stages(forecast: Forecast) -> list[dict[str, Any]]:
    """The time of each stage; empty of a draw without a vertex stage of its own."""
    vertex, whole_s = forecast.vertex, forecast.time_s
    if vertex is None:
        return []
    rest_s = None if whole_s is None else whole_s - (vertex.time_s or 0.0)
    return [
        {
            "stage": "vertex",
            "time_s": vertex.time_s,
            "low_s": vertex.low_s,
            "high_s": vertex.high_s,
            "method": vertex.method or None,
            "invocations": vertex.invocations,
            "instructions": vertex.instructions,
            "lines": _shares(vertex.lines),
        },
        {"stage": "fragment", "time_s": rest_s, "method": forecast.method},
    ]


def details(forecasts: Sequence[Forecast]) -> str:
    """What each time is made of, and what that means."""
    known = [(f.target, f.cost) for f in forecasts if f.cost is not None]
    names = [*COST_GROUPS, PASS, LAUNCH]
    shares = table(
        ("target", "state", *names),
        (
            (
                target,
                cost.bound,
                *(units.percent(dict(cost.shares).get(name, 0.0)) for name in names),
            )
            for target, cost in known
        ),
    )
    advice = "\n".join(f"{cost.bound}: {cost.advice(target)}" for target, cost in known)
    return f"made of\n{shares}\n\n{advice}"


def text(forecasts: Sequence[Forecast], source: str = "") -> str:
    """Times by target, and the hottest lines, with what `source` has there if it is given."""
    times = table(
        ("target", "time", "from", "to", "status", "method", "error"),
        (
            (
                f.target,
                shown(f.time_s),
                shown(f.low_s),
                shown(f.high_s),
                _claimed(f),
                f.method,
                _NOTHING if f.time_s is None else f.validated.text,
            )
            for f in forecasts
        ),
    )
    parts = [times]
    of_stages = [(f, f.vertex) for f in forecasts if f.vertex and f.vertex.time_s is not None]
    if of_stages:
        rows = (
            (
                f.target,
                shown(vertex.time_s),
                shown(vertex.low_s),
                shown(vertex.high_s),
                shown(None if f.time_s is None else f.time_s - (vertex.time_s or 0.0)),
            )
            for f, vertex in of_stages
        )
        parts.append(table(("target", "vertex stage", "from", "to", "fragment stage"), rows))
    said = warnings([(f.target, w) for f in forecasts for w in f.warnings])
    if said:
        parts.append(said)
    best = most_trusted(forecasts)
    if best is not None and best.lines:
        texts = dict(enumerate(map(shortened, source.splitlines()), 1))
        rows = (
            (
                units.percent(p.share),
                located(p.file, p.line),
                "" if p.file else texts.get(p.line, ""),
            )
            for p in best.lines[:HOT_LINES]
        )
        parts.append(f"hottest lines on {best.target}\n{table(('share', 'line', ''), rows)}")
    return "\n\n".join(parts)


def most_trusted(forecasts: Sequence[Forecast]) -> Forecast | None:
    """The one whose method has the smallest validated median error, else the first."""

    def error(forecast: Forecast) -> float:
        return inf if forecast.validated.median_ape is None else forecast.validated.median_ape

    return min(forecasts, key=error, default=None)


def shortened(line: str) -> str:
    """A line of source without its indentation, cut where the table would get too wide."""
    line = line.strip()
    return line if len(line) <= _SOURCE_WIDTH else f"{line[: _SOURCE_WIDTH - 1]}\u2026"


def shown(seconds: float | None) -> str:
    return _NOTHING if seconds is None else units.seconds(seconds)


def _claimed(forecast: Forecast) -> str:
    return f"{forecast.status}, outside" if forecast.domain is Side.OUTSIDE else forecast.status


def target_data(target: TargetInfo) -> dict[str, Any]:
    return {
        "target": target.target,
        "vendor": target.vendor,
        "kind": target.kind,
        "rests_on": target.rests_on,
        "year": target.year,
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
        ("target", "name", "year", "rests on", "methods", "samples", "error", "clock", "driver"),
        (
            (
                t.target,
                t.name,
                str(t.year or ""),
                t.evidence,
                ", ".join(t.methods),
                str(t.samples),
                t.validated.text,
                t.clock,
                t.driver,
            )
            for t in targets
        ),
    )


def warnings(pairs: list[tuple[str, str]]) -> str:
    """(target, warning) pairs, a line for each warning with the targets it holds for."""
    targets: dict[str, dict[str, None]] = {}
    for target, warning in pairs:
        targets.setdefault(warning, {})[target] = None
    return "\n".join(one_line(f"warning: {', '.join(by)}: {w}") for w, by in targets.items())
