"""The shaders of a calibration as one base sees them, and the least-squares fit over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.kind_groups import GROUPS, group_of
from shaderlab.prediction.features.kinds import operation_table
from shaderlab.prediction.models import additive
from shaderlab.prediction.models.additive import Late, Weights

_HUBER = 0.1
"""Errors of log time beyond this count linearly; also the unit in which priors weigh."""

_FLOOR_DEVIATION, _FASTEST_DEVIATION = 0.05, 0.5
"""Of the log floor from that of an empty pass, or from the fastest shader where none was timed."""

_EXPONENT_DEVIATION = 0.3

_GAIN_DEVIATION = 0.1

_STEPS = 40

_CONVERGED = 1e-4

_SLOPE, _SLOPE_DEVIATION = 0.35, 0.5
"""Of `Late.slope`, the deviation of its logarithm: where the clock rises it about triples."""

_LATE_FLOOR_DEVIATION = 1.0
"""Of the log of `Late.floor_s` from the median time."""

_SHARPNESS = 20.0
"""`Late.exponent`: a few samples near the bend cannot determine it."""

_LINEAR = 0.02
"""Largest input of the hidden unit that carries the linear correction: tanh is straight there."""


@dataclass(frozen=True)
class TimedWork:
    """One shader timed on the device."""

    name: str
    """Unique; folds and order follow it."""
    example: Example
    """What it ran."""
    time_s: float
    """Per draw."""


@dataclass(frozen=True)
class Freedom:
    """Prior standard deviations of corrections to the base's logarithms; 0 holds them at 0."""

    groups: float
    kinds: float
    context: float
    """Per standard deviation of a context value."""
    scale: float = 10.0
    """Of the factor that all prices share; by default as good as free."""


BY_LAW = Freedom(0.1, 0.1, 0.05, scale=0.1)
"""From the prices that data sheets give, of a relative by the same vendor."""
AMONG_GPUS = Freedom(0.3, 0.2, 0.05)
"""From the prices of any other GPU, whose pace says nothing of this one's."""
AMONG_SOFTWARE = Freedom(0.5, 0.4, 0.02)
"""From the prices of another software device: compilers differ more than GPUs do.

All three are by validation on each device with samples in turn as the new one
(`models.recipes.calibrations`); 40 shaders cannot choose between several."""

_FIXED = 6
"""Parameters before the corrections."""


def huber(errors: np.ndarray) -> np.ndarray:
    size = np.abs(errors) / _HUBER
    return np.where(size <= 1, size**2 / 2, size - 0.5)


@dataclass(frozen=True)
class Table:
    """The shaders as one base sees them.

    Parameters of a fit, in order: scale, gain of the context factor, log floor, log(exponent - 1),
    log of the late floor and of the late slope, a slope per context value, a correction per group,
    a correction per kind.
    """

    base: Weights
    log_prices: np.ndarray
    """(kinds,) of the base; kinds it prices at zero are left out of `operations`."""
    operations: np.ndarray
    """(shaders, kinds)"""
    groups: np.ndarray
    """(kinds, groups) one-hot."""
    network: np.ndarray
    """(shaders,) output of the base's context network, before its bound."""
    scaled: np.ndarray
    """(shaders, context) in the base's standard deviations from its mean."""
    contexts: np.ndarray
    """(shaders, context)"""
    log_times: np.ndarray
    prior: np.ndarray
    """(parameters,) means."""
    floor_known: bool
    rises: bool
    """Whether the clock rises with the load; the late parameters have no say otherwise."""

    @classmethod
    def of(
        cls,
        base: Weights,
        shaders: Sequence[TimedWork],
        floor_s: float | None,
        *,
        rises: bool = False,
    ) -> Table:
        # The load at which the base bends says nothing about another GPU's clock.
        base = replace(base, late=None)
        priced = base.prices > 0
        spent = [each.example.spent[base.execution] for each in shaders]
        operations = operation_table(spent, base.kinds)
        contexts = np.array([each.example.context for each in shaders], np.float64)
        log_times = np.log([each.time_s for each in shaders])
        groups = np.array([[group_of(kind) == group for group in GROUPS] for kind in base.kinds])
        fastest = float(np.exp(log_times.min()))
        if floor_s is not None and not (np.isfinite(floor_s) and floor_s > 0):
            floor_s = None
        floor = fastest if floor_s is None else min(float(floor_s), fastest)
        prior = np.zeros(_FIXED + contexts.shape[1] + len(GROUPS) + len(base.kinds))
        prior[1:4] = 1.0, np.log(floor), np.log(max(base.exponent - 1, 1e-3))
        prior[4:6] = np.median(log_times), np.log(_SLOPE)
        scaled = additive.scaled(base, contexts)
        return cls(
            base,
            np.log(np.where(priced, base.prices, 1.0)),
            operations * priced,
            groups.astype(np.float64),
            additive.network(base, scaled),
            scaled,
            contexts,
            log_times,
            prior,
            floor_s is not None,
            rises,
        )

    def fit(self, rows: np.ndarray, freedom: Freedom) -> np.ndarray:
        """Parameters that fit the shaders of `rows`; those of the base where there are none."""
        deviations = self.deviations(freedom)
        # A kind that no shader runs cannot move, and only makes the system larger.
        free = np.flatnonzero((deviations > 0) & self._used(rows))
        precision = 1 / deviations[free] ** 2
        found = self.prior.copy()
        if not len(rows):
            return found
        if freedom.scale > 1:
            work, _, _ = self._work(found, rows)
            found[0] = np.median(self.log_times[rows] - work)
        loss = self._loss(found, rows, free, precision)
        damping = 1e-3
        for _ in range(_STEPS):
            errors, slopes = self.errors(found, rows)
            slopes = slopes[:, free] / _HUBER
            errors = errors / _HUBER
            weights = 1 / np.maximum(np.abs(errors), 1.0)
            gradient = slopes.T @ (weights * errors) + precision * (found - self.prior)[free]
            curvature = weights @ slopes**2
            before = loss
            while damping < 1e8:
                trial = found.copy()
                trial[free] -= _solve(slopes, weights, precision + damping * curvature, gradient)
                new = self._loss(trial, rows, free, precision)
                if new < loss:
                    found, loss, damping = trial, new, damping / 4
                    break
                damping *= 8
            if before - loss < _CONVERGED * max(loss, 1.0):
                break
        return found

    def deviations(self, freedom: Freedom) -> np.ndarray:
        """(parameters,) prior standard deviations."""
        return np.concatenate(
            [
                [freedom.scale, _GAIN_DEVIATION],
                [_FLOOR_DEVIATION if self.floor_known else _FASTEST_DEVIATION],
                [_EXPONENT_DEVIATION],
                np.array([_LATE_FLOOR_DEVIATION, _SLOPE_DEVIATION]) * self.rises,
                np.full(self.scaled.shape[1], freedom.context),
                np.full(len(GROUPS), freedom.groups),
                np.full(len(self.base.kinds), freedom.kinds),
            ]
        )

    def log_predictions(self, found: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """(rows,) log seconds."""
        work, _, _ = self._work(found, rows)
        exponent = 1 + np.exp(found[3])
        early = np.logaddexp(exponent * found[2], exponent * work) / exponent
        return self._bent(found, early, work)[0]

    def predict_s(self, found: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.exp(self.log_predictions(found, rows))

    def weights(self, found: np.ndarray) -> Weights:
        """The parameters as weights of the additive model, with one hidden unit more."""
        base = self.base
        slopes = found[self._part("context")]
        reach = max(float(np.abs(self.scaled @ slopes).max()), 1e-9)
        shrink = _LINEAR / reach if slopes.any() else 0.0
        hidden = np.column_stack([base.hidden, np.append(shrink * slopes, 0.0)])
        gain = found[1]
        out = np.append(gain * base.out[:-1], 1 / shrink if shrink else 0.0)
        return replace(
            base,
            prices=np.where(base.prices > 0, np.exp(self._log_prices(found)), 0.0),
            floor_s=float(np.exp(found[2])),
            exponent=float(1 + np.exp(found[3])),
            hidden=hidden,
            out=np.append(out, gain * base.out[-1]),
            low=np.minimum(base.low, self.contexts.min(0)),
            high=np.maximum(base.high, self.contexts.max(0)),
            late=self._late(found),
        )

    def _late(self, found: np.ndarray) -> Late | None:
        if not self.rises:
            return None
        floor_s, slope = np.exp(found[4:6]).tolist()
        return Late(floor_s, min(slope, 1.0), _SHARPNESS)

    def _part(self, name: str) -> slice:
        contexts = self.scaled.shape[1]
        start = {"context": _FIXED, "groups": _FIXED + contexts}
        start["kinds"] = start["groups"] + len(GROUPS)
        end = {"context": start["groups"], "groups": start["kinds"], "kinds": None}
        return slice(start[name], end[name])

    def _used(self, rows: np.ndarray) -> np.ndarray:
        kinds = (self.operations[rows] > 0).any(0)
        always = np.ones(_FIXED + self.scaled.shape[1], bool)
        return np.concatenate([always, (self.groups[kinds] > 0).any(0), kinds])

    def _log_prices(self, found: np.ndarray) -> np.ndarray:
        corrections = self.groups @ found[self._part("groups")] + found[self._part("kinds")]
        return self.log_prices + found[0] + corrections

    def _work(
        self, found: np.ndarray, rows: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(rows,) log work, (rows, kinds) the share of each kind, (rows,) tanh of the context."""
        spent = self.operations[rows] * np.exp(self._log_prices(found))
        total = spent.sum(1) + 1e-30
        linear = self.scaled[rows] @ found[self._part("context")]
        bent = np.tanh(found[1] * self.network[rows] + linear)
        return np.log(total) + self.base.bound * bent, spent / total[:, None], bent

    def errors(self, found: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rows,) errors of log time and (rows, parameters) their derivatives."""
        work, shares, bent = self._work(found, rows)
        floor, above = found[2], np.exp(found[3])
        exponent = 1 + above
        log_s = np.logaddexp(exponent * floor, exponent * work) / exponent
        by_work = np.exp(exponent * (work - log_s))
        by_exponent = (by_work * work + (1 - by_work) * floor - log_s) / exponent
        by_floor, by_above = 1 - by_work, by_exponent * above
        log_s, by_early, by_late_floor, by_slope = self._bent(found, log_s, work)
        by_work = by_early * by_work + by_slope
        by_context = by_work * self.base.bound * (1 - bent**2)
        slopes = np.column_stack(
            [
                by_work,
                by_context * self.network[rows],
                by_early * by_floor,
                by_early * by_above,
                by_late_floor,
                by_slope,
                by_context[:, None] * self.scaled[rows],
                by_work[:, None] * (shares @ self.groups),
                by_work[:, None] * shares,
            ]
        )
        return log_s - self.log_times[rows], slopes

    def _bent(
        self, found: np.ndarray, early: np.ndarray, work: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(rows,) log times where the clock rises if that says so, and their derivatives by the
        log times `early` with the clock as it was, by log late floor and by log late slope; the
        last is that by log work as well, as far as it goes through the late time."""
        if not self.rises:
            none = np.zeros(len(early))
            return early, np.ones(len(early)), none, none
        late = np.logaddexp(found[4], found[5] + work)
        log_s = -np.logaddexp(-_SHARPNESS * early, -_SHARPNESS * late) / _SHARPNESS
        by_early = np.exp(_SHARPNESS * (log_s - early))
        by_slope = (1 - by_early) * np.exp(found[5] + work - late)
        return log_s, by_early, 1 - by_early - by_slope, by_slope

    def _loss(
        self, found: np.ndarray, rows: np.ndarray, free: np.ndarray, precision: np.ndarray
    ) -> float:
        moved = (found - self.prior)[free]
        errors = self.log_predictions(found, rows) - self.log_times[rows]
        return float(huber(errors).sum() + (precision * moved**2).sum() / 2)


def _solve(
    slopes: np.ndarray, weights: np.ndarray, diagonal: np.ndarray, gradient: np.ndarray
) -> np.ndarray:
    """x of (slopes' diag(weights) slopes + diag(diagonal)) x = gradient.

    By whichever of the two sides is smaller (Woodbury's identity where that is the shaders).
    """
    if len(slopes) >= len(gradient):
        return np.linalg.solve((slopes.T * weights) @ slopes + np.diag(diagonal), gradient)
    scaled = slopes / diagonal
    inner = np.diag(1 / weights) + scaled @ slopes.T
    return gradient / diagonal - scaled.T @ np.linalg.solve(inner, scaled @ gradient)
