"""A scaling study as rows of tables, points of a chart and sentences."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from shaderlab import units
from shaderlab.app.qt import Qt
from shaderlab.app.widgets.row_model import Index, RowModel
from shaderlab.prediction.scaling import Scaling
from shaderlab.studies.scaling import ClockStudy, Size, SizeStudy

_NONE = "\u2013"
_STEPS = 60
"""Points that a curve is drawn through."""


class SizeRows(RowModel):
    columns = ("Size", "Measured here", "By the line", "Per pass", "Predicted", "Band", "Rate")
    tips = (
        "Width and height of the picture",
        "Time per draw on this machine's device",
        "Part per pass plus part per pixel; projected beyond the sizes measured, up to four "
        "times the largest",
        "Share of that time that does not depend on the size",
        "On the target: counted at this size, not scaled",
        "From the low to the high end of the prediction; the target's details say how many "
        "held-out shaders it holds for",
        "Frames per second on the target, if it draws nothing else",
    )
    words = frozenset({0})
    rows: tuple[tuple[str, ...], ...]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return _shown(self, index, role)


class ClockRows(RowModel):
    columns = ("Clock", "Measured", "By the law", "Fixed", "Efficiency")
    tips = (
        "Core clock in MHz, as the samples have it",
        "Median time of the samples at that clock",
        "a + b / clock; projected beyond the clocks measured",
        "Share of that time that does not depend on the clock",
        "Speed-up divided by that of the clock: 1 where twice the clock halves the time",
    )
    words = frozenset({0})
    rows: tuple[tuple[str, ...], ...]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return _shown(self, index, role)


def _shown(model: RowModel, index: Index, role: int) -> Any:
    if role == Qt.ItemDataRole.DisplayRole:
        return model.rows[index.row()][index.column()]
    if role == Qt.ItemDataRole.TextAlignmentRole:
        return model.alignment(index.column())
    return None


@dataclass(frozen=True)
class Drawn:
    """What the chart shows: x is pixels or MHz, y seconds."""

    measured: tuple[tuple[float, float], ...]
    inside: tuple[tuple[float, float], ...]
    """Of the law, between the measured points."""
    outside: tuple[tuple[tuple[float, float], ...], ...]
    """Of the law beyond them, on either side."""
    traced: tuple[tuple[float, float, float, float], ...]
    """x, seconds, low and high end of the target's forecasts."""
    ticks: tuple[tuple[float, str], ...]


def of_sizes(study: SizeStudy, target: str) -> Drawn:
    law = study.law
    sizes = sorted({*study.measured, *study.forecasts}, key=prod)
    far = max([*map(prod, study.at), *law.x])
    ends = (min(law.x), max(far if study.far else min(far, 4 * max(law.x)), max(law.x)))
    traced = tuple(
        (float(prod(size)), *each.interval_s)
        for size in study.forecasts
        for each in study.forecasts[size]
        if each.target == target and each.time_s is not None and each.high_s is not None
    )
    return Drawn(
        tuple(zip(law.x, law.seconds, strict=True)),
        *_law(law, *ends),
        tuple((x, time_s, low, high) for x, low, time_s, high in traced),
        tuple((float(prod(size)), _named(size)) for size in sizes),
    )


def of_clocks(study: ClockStudy) -> Drawn:
    law = study.law
    known = [clock for clock in study.at if study.projected(clock) is not None]
    every = sorted({*law.x, *known})
    return Drawn(
        tuple(zip(law.x, law.seconds, strict=True)), *_law(law, every[0], every[-1]), (),
        tuple((clock, f"{clock:g}") for clock in every),
    )  # fmt: skip


def _law(
    law: Scaling, first: float, last: float
) -> tuple[tuple[tuple[float, float], ...], tuple[tuple[tuple[float, float], ...], ...]]:
    low, high = min(law.x), max(law.x)

    def curve(start: float, end: float) -> tuple[tuple[float, float], ...]:
        found = [(x, law.at(x)) for x in np.geomspace(start, end, _STEPS).tolist()]
        return tuple((x, y) for x, y in found if y > 0)

    beyond = [curve(first, low)] if first < low else []
    return curve(low, high), (*beyond, *([curve(high, last)] if last > high else []))


def size_rows(study: SizeStudy, target: str) -> list[tuple[str, ...]]:
    law = study.law
    measured = dict(zip(study.measured, law.seconds, strict=True))
    rows = []
    for size in sorted({*measured, *study.at, *study.forecasts}, key=prod):
        seconds = study.projected(size)
        mark = "" if seconds is None or not law.projects(prod(size)) else " (projected)"
        rows.append((
            _named(size),
            units.seconds(measured[size]) if size in measured else "",
            _NONE if seconds is None else f"{units.seconds(seconds)}{mark}",
            _NONE if seconds is None else units.percent(max(law.fixed_share(prod(size)), 0.0)),
            *_forecast(study, size, target),
        ))  # fmt: skip
    return rows


def _forecast(study: SizeStudy, size: Size, target: str) -> tuple[str, str, str]:
    found = [each for each in study.forecasts.get(size, ()) if each.target == target]
    if not found or found[0].time_s is None:
        return ("" if not found else _NONE), "", ""
    each = found[0]
    low, time_s, high = each.interval_s
    rate = f"{1 / time_s:.0f} fps" if time_s > 0 else ""
    return units.seconds(time_s), f"{units.seconds(low)} to {units.seconds(high)}", rate


def clock_rows(study: ClockStudy) -> list[tuple[str, ...]]:
    law = study.law
    measured = dict(zip(law.x, law.seconds, strict=True))
    rows = []
    for clock in sorted({*measured, *study.at}):
        seconds = study.projected(clock)
        if seconds is None:
            continue
        mark = " (projected)" if law.projects(clock) else ""
        rows.append((
            f"{clock:g} MHz",
            units.seconds(measured[clock]) if clock in measured else "",
            f"{units.seconds(seconds)}{mark}",
            units.percent(max(law.fixed_share(clock), 0.0)),
            f"{law.efficiency(clock):.2f}",
        ))  # fmt: skip
    return rows


def size_summary(study: SizeStudy, target: str, name: str) -> str:
    """The law, what half of the time is, and what the forecasts warn of."""
    law = study.law
    sign = "+" if law.a >= 0 else "\u2212"
    said = [
        f"{study.device} ({study.clock}): {units.seconds(law.b)} per pixel {sign} "
        f"{units.seconds(abs(law.a))} per pass; fits within {units.percent(law.deviation)}, a "
        f"held-out size within {units.percent(law.left_out)}.",
        *law.remarks,
    ]
    if law.a > 0 and law.b > 0:
        half = law.a / law.b
        said.append(f"The pass is half of the time at {units.grouped(half)} pixels.")
    every = [each for row in study.forecasts.values() for each in row if each.target == target]
    if every:  # those of the largest size: each names the size it is about
        said += [f"{name}: {warning}" for warning in every[-1].warnings]
    return " ".join(said)


def clock_summary(study: ClockStudy) -> str:
    law = study.law
    bound = (
        f"No clock brings it below {units.seconds(law.bound_s)}"
        if law.bound_s > 0
        else "The law sets no bound"
    )
    return " ".join([
        f"{units.seconds(abs(law.a))}{' less' if law.a < 0 else ''} at any clock; the rest follows "
        f"the clock. Fits within {units.percent(law.deviation)}.",
        *law.remarks,
        f"{bound}; a line through 1 / t, as in Issa's figures, gives "
        f"{units.seconds(study.score.bound_s)}: the bound depends on the law chosen more than on "
        f"the points. Times: {study.origin}.",
    ])  # fmt: skip


def _named(size: Size) -> str:
    return f"{size[0]} \u00d7 {size[1]}"
