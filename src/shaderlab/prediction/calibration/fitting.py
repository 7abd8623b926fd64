"""Calibration: the additive model of a new GPU from a few dozen timed shaders.

So few samples cannot price every kind of operation, so the prices of a GPU that has many samples
are where the search starts: of a relative by the same vendor, scaled by both data sheets, as
`models.law` scales its times, else of whichever fits best.  How far each may move has a prior:

    log price   = log price of the base + scale + correction of the kind's group + of the kind
    log context = bound * tanh(gain * the base's network + a linear correction)
    time        = join(floor, context * work)  as in `additive`, and bent where the clock rises

The floor is within reach of the time an empty pass takes, the scale within reach of the data
sheets', else free; corrections are normal around 0 with fixed standard deviations;
cross-validation picks the base where there is no relative, and whether the clock rises with the
load.  The loss is Huber's of log time, minimised by Gauss-Newton steps on
reweighted residuals.  Numpy only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from shaderlab.errors import CalibrationFailed
from shaderlab.prediction.calibration.average_weights import average
from shaderlab.prediction.calibration.fit_table import (
    AMONG_GPUS,
    AMONG_SOFTWARE,
    BY_LAW,
    Freedom,
    Table,
    TimedWork,
    huber,
)
from shaderlab.prediction.features.cost_groups import cost_group_of
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.models.additive import Weights

FEWEST = 5
"""Shaders below which nothing is fitted: a held-out part would say nothing."""

_FEWEST_FOR_CLOCK = 12
"""Shaders below which the clock is taken to stay what it is."""

_EXPONENT = 5.0
"""How sharply work joins the floor on a relative by the law: an H200 joins them by 3 to 6, where an
RTX 3060 does by 9."""

AVERAGE = "average"
"""The base that is between all others."""

_OUTER_FOLDS, _INNER_FOLDS = 6, 4


@dataclass(frozen=True)
class Relative:
    """A GPU with samples by the vendor of the new one."""

    base: str
    """Its slug."""
    ratios: Mapping[str, float] | None
    """By group of work, how many times as long it takes on the new one (`models.law.ratios`); None
    where that one's data sheet is not known."""

    def weights(self, base: Weights) -> Weights:
        """Where a fit of the new GPU starts, from the relative's own."""
        if self.ratios is None:
            return base
        others = self.ratios[""]
        scales = [self.ratios.get(cost_group_of(kind), others) for kind in base.kinds]
        return replace(base, prices=base.prices * np.array(scales), exponent=_EXPONENT)

    @property
    def freedom(self) -> Freedom:
        return BY_LAW if self.ratios else replace(BY_LAW, scale=AMONG_GPUS.scale)


@dataclass(frozen=True)
class Calibrated:
    """A fitted target and how it did on shaders left out of its fit."""

    weights: Weights
    base: str
    """Slug of the target whose prices were started from, or `AVERAGE`."""
    freedom: Freedom
    """How far they could go from there."""
    names: tuple[str, ...]
    """(n,) of all shaders."""
    measured_s: np.ndarray
    """(n,) their seconds."""
    held_out_s: np.ndarray
    """(n,) each predicted by a fit, and a choice, made without it."""

    @property
    def median_error(self) -> float:
        """Of the held-out times."""
        return float(np.median(np.abs(self.held_out_s / self.measured_s - 1)))


def calibrate(
    bases: Mapping[str, Weights],
    shaders: Sequence[TimedWork],
    floor_s: float | None,
    *,
    predicates: bool,
    relative: Relative | None = None,
) -> Calibrated:
    """Fit a target to `shaders` from its relative or the best of `bases`; say how it generalises.

    `floor_s`: seconds of an empty pass on the device; None where unknown.  `predicates`: whether it
    predicates branches, as software devices do (`lane_work.Execution`).  Without a relative that
    has a base, one that predicates starts from similar devices only, one that does not from similar
    ones or from the average of all.  A GPU's clock may rise with the load unless its relative's
    stays.  The held-out times come
    from nested cross-validation: the start is chosen again without each outer fold.  The same
    shaders in any order give the same result.  Raises `CalibrationFailed` for fewer than `FEWEST`
    shaders or without a base.
    """
    if len(shaders) < FEWEST:
        raise CalibrationFailed(
            f"{len(shaders)} shaders were timed, a calibration needs {FEWEST} at least"
        )
    if not bases:
        raise CalibrationFailed("no installed target has an additive model to start from")
    shaders = sorted(shaders, key=lambda each: (each.time_s, each.name))
    started, freedom = _starts(bases, predicates, relative)
    related = freedom is not AMONG_GPUS
    tables = {
        _Start(slug, rises): Table.of(weights, shaders, floor_s, rises=rises)
        for slug, weights in started.items()
        for rises in _clocks(len(shaders), predicates, related and weights.late is None)
    }
    measured = np.array([each.time_s for each in shaders])
    everything = np.arange(len(shaders))
    held_out = np.empty(len(shaders))
    for fold in _folds(everything, _OUTER_FOLDS):
        rest = np.setdiff1d(everything, fold)
        table = tables[_choose(tables, rest, freedom)]
        held_out[fold] = table.predict_s(table.fit(rest, freedom), fold)
    start = _choose(tables, everything, freedom)
    weights = tables[start].weights(tables[start].fit(everything, freedom))
    names = tuple(each.name for each in shaders)
    return Calibrated(weights, start.base, freedom, names, measured, held_out)


def _clocks(n: int, predicates: bool, steady: bool) -> tuple[bool, ...]:
    """What the clock may do: a relative's says what one does that is built alike."""
    return (False,) if predicates or steady or n < _FEWEST_FOR_CLOCK else (False, True)


def _starts(
    bases: Mapping[str, Weights], predicates: bool, relative: Relative | None
) -> tuple[dict[str, Weights], Freedom]:
    """By slug, and how far a fit may go from there."""
    if relative is not None and relative.base in bases:
        return {relative.base: relative.weights(bases[relative.base])}, relative.freedom
    started = _like(bases, predicates) or dict(bases)
    if predicates:
        return started, AMONG_SOFTWARE
    if len(bases) > 1:
        started[AVERAGE] = average(list(bases.values()))
    return started, AMONG_GPUS


class _Start(NamedTuple):
    """What a fit may start from."""

    base: str
    rises: bool
    """Whether the clock rises with the load (`additive.Late`)."""


def _like(bases: Mapping[str, Weights], predicates: bool) -> dict[str, Weights]:
    return {
        slug: each
        for slug, each in bases.items()
        if (each.execution is Execution.PREDICATING) is predicates
    }


def fit(
    base: Weights,
    shaders: Sequence[TimedWork],
    floor_s: float | None,
    freedom: Freedom = AMONG_GPUS,
) -> Weights:
    """`base` moved to the measured times, with the freedom given."""
    table = Table.of(base, shaders, floor_s)
    return table.weights(table.fit(np.arange(len(shaders)), freedom))


def sensitivities(base: Weights, shaders: Sequence[TimedWork]) -> np.ndarray:
    """(n, parameters): how far each log time moves with each parameter's prior deviation.

    What a shader says about a new GPU, as seen from `base`.
    """
    table = Table.of(base, shaders, None)
    _, slopes = table.errors(table.prior, np.arange(len(shaders)))
    return slopes * table.deviations(AMONG_GPUS)


def _choose(tables: Mapping[_Start, Table], rows: np.ndarray, freedom: Freedom) -> _Start:
    """Where to start, by the Huber loss over folds of `rows`.

    Few shaders make losses of close candidates a lottery, so the average of all bases is taken
    where it is within one standard error of the best (Breiman et al. 1984, §3.4.3, the 1 SE rule).
    """
    if len(tables) == 1:
        return next(iter(tables))
    losses: dict[_Start, np.ndarray] = {}
    folds = _folds(rows, _INNER_FOLDS)
    for start, table in sorted(tables.items()):
        each = []
        for fold in folds:
            found = table.fit(np.setdiff1d(rows, fold), freedom)
            each.append(huber(table.log_predictions(found, fold) - table.log_times[fold]))
        losses[start] = np.concatenate(each)
    best = min(losses, key=lambda start: losses[start].sum())
    between = _Start(AVERAGE, best.rises)
    if between in losses:
        worse = losses[between] - losses[best]
        if worse.mean() <= worse.std(ddof=1) / len(worse) ** 0.5:
            return between
    return best


def _folds(rows: np.ndarray, most: int) -> list[np.ndarray]:
    """Every `n`-th row: rows are ascending in time, so each fold spans all times."""
    n = min(most, len(rows))
    return [rows[start::n] for start in range(n)]
