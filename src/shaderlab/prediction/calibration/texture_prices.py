"""Prices of reading textures, fitted beside prices that stay as they are.

The shaders a target was fitted to read no textures.  Of shaders that do, all other work has its
price; what is left of their times prices the reads.  So the forecast of a shader without textures
does not change by a bit.  Loss and decay are those of the additive model: Huber's of log time, each
log price drawn towards that of the nearest coarser kind, else to one for all.  Numpy only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shaderlab.errors import CalibrationFailed
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.kinds import (
    OTHER,
    coarser,
    operation_table,
    priced_kinds,
)
from shaderlab.prediction.features.lane_work import LEVELS
from shaderlab.prediction.features.texture_work import is_texture_read
from shaderlab.prediction.models.additive import Weights, log_factor, predict_s, seconds

LEAST_SHADERS = 8
"""A kind of read seen in fewer shaders counts as the coarser kind."""

_FOLDS = 6
_HUBER = 0.1
_DEVIATION = 1.0
"""Of a log price from that of the coarser kind."""
_STEPS = 60
_STEP = 1e-4
"""Of the logarithm of work, by which slopes are taken."""


def with_texture_prices(
    weights: Weights, examples: Sequence[Example], times_s: np.ndarray, least: int = LEAST_SHADERS
) -> Weights:
    """The weights with prices of the reads that `examples` make, and all other prices as they were.

    `times_s`: (n,) seconds of the examples, at the size they were counted.  Raises
    `CalibrationFailed` where no kind of read is in `least` examples.
    """
    spent = [each.spent[weights.execution] for each in examples]
    reads = [{kind: n for kind, n in each.items() if is_texture_read(kind)} for each in spent]
    rest = [{kind: n for kind, n in each.items() if not is_texture_read(kind)} for each in spent]
    kinds = tuple(kind for kind in priced_kinds(reads, least) if kind != OTHER)
    if not kinds:
        raise CalibrationFailed(f"no kind of texture read is in {least} shaders or more")
    factor = np.exp(log_factor(weights, np.array([each.context for each in examples])))
    known = operation_table(rest, weights.kinds) @ weights.prices
    found = _fit(
        weights,
        known * factor,
        operation_table(reads, kinds) * factor[:, None],
        np.log(times_s),
        kinds,
    )
    prices = dict(zip(weights.kinds, weights.prices.tolist(), strict=True))
    prices |= _with_rare(dict(zip(kinds, np.exp(found).tolist(), strict=True)))
    names = tuple(sorted(prices))
    return replace(weights, kinds=names, prices=np.array([prices[name] for name in names]))


def without_texture_prices(weights: Weights) -> Weights:
    """The weights before any reads were priced."""
    kept = np.array([not is_texture_read(kind) for kind in weights.kinds])
    kinds = tuple(kind for kind, keep in zip(weights.kinds, kept, strict=True) if keep)
    return replace(weights, kinds=kinds, prices=weights.prices[kept])


@dataclass(frozen=True)
class CalibratedTextures:
    """Weights with prices of reads, and how these did on shaders left out of the fit."""

    weights: Weights
    measured_s: np.ndarray
    """(n,) seconds of the shaders."""
    held_out_s: np.ndarray
    """(n,) each predicted with prices fitted without it."""


def calibrate_textures(
    weights: Weights, examples: Sequence[Example], times_s: np.ndarray
) -> CalibratedTextures:
    """Prices from few shaders, made for it: two of a kind are enough.  Raises as the fit does."""
    order = np.argsort(times_s)
    examples, times_s = [examples[place] for place in order.tolist()], times_s[order]
    held_out = np.empty(len(examples))
    for fold in range(min(_FOLDS, len(examples))):
        left = np.arange(len(examples)) % _FOLDS == fold
        rest = [each for each, out in zip(examples, left.tolist(), strict=True) if not out]
        found = with_texture_prices(weights, rest, times_s[~left], least=1)
        out = [each for each, out in zip(examples, left.tolist(), strict=True) if out]
        held_out[left] = predict_s(found, out)
    found = with_texture_prices(weights, examples, times_s, least=1)
    return CalibratedTextures(found, times_s, held_out)


def _fit(
    weights: Weights, known_s: np.ndarray, reads: np.ndarray, log_s: np.ndarray, kinds: tuple
) -> np.ndarray:
    """(kinds,) log prices.  `known_s`: (n,) work that has prices; `reads`: (n, kinds)."""
    place = {kind: number for number, kind in enumerate(kinds)}
    above = [next((place[c] for c in coarser(kind) if c in place), len(kinds)) for kind in kinds]
    total = reads.sum(1)
    left = np.maximum(np.exp(log_s) - known_s, 0.05 * np.exp(log_s))
    start = float(np.median(np.log(left[total > 0] / total[total > 0])))
    # The last parameter is the one price for all that the coarsest kinds are drawn towards.
    found = np.full(len(kinds) + 1, start)
    pull = np.eye(len(kinds), len(kinds) + 1)
    pull[np.arange(len(kinds)), above] -= 1

    def residuals(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        parts = reads * np.exp(at[:-1])
        work = known_s + parts.sum(1)
        predicted = _log_seconds(weights, work)
        slope = (_log_seconds(weights, work * np.exp(_STEP)) - predicted) / _STEP
        jacobian = np.zeros((len(work), len(at)))
        jacobian[:, :-1] = slope[:, None] * parts / work[:, None]
        return predicted - log_s, jacobian

    def loss(at: np.ndarray) -> float:
        size = np.abs(residuals(at)[0]) / _HUBER
        huber = np.where(size <= 1, size**2 / 2, size - 0.5)
        return float(huber.sum() + ((pull @ at / _DEVIATION) ** 2).sum() / 2)

    damping, before = 1e-2, loss(found)
    prior = pull.T @ pull / _DEVIATION**2
    for _ in range(_STEPS):
        errors, jacobian = residuals(found)
        scale = 1 / np.maximum(np.abs(errors) / _HUBER, 1.0) / _HUBER**2
        gradient = jacobian.T @ (scale * errors) + prior @ found
        curvature = jacobian.T @ (scale[:, None] * jacobian) + prior
        while damping < 1e8:
            step = curvature + damping * np.diag(np.diag(curvature) + 1e-9)
            trial = found - np.linalg.solve(step, gradient)
            after = loss(trial)
            if after < before:
                break
            damping *= 8
        else:
            break
        is_done = before - after < 1e-6 * max(before, 1.0)
        found, before, damping = trial, after, damping / 4
        if is_done:
            break
    return found[:-1]


def _log_seconds(weights: Weights, work_s: np.ndarray) -> np.ndarray:
    return np.log([seconds(weights, each) for each in work_s.tolist()])


def _with_rare(prices: dict[str, float]) -> dict[str, float]:
    """The prices, and for reads too rare to have their own what reads like them cost.

    Of an instruction on other textures the median of those it has prices on; on what depends on
    less than the pixel the same as on what varies.
    """
    by_operation: dict[str, list[float]] = {}
    for kind, price in prices.items():
        by_operation.setdefault(kind.split(":")[1], []).append(price)
    rare = {
        f"{level}:{operation}": float(np.median(found))
        for operation, found in by_operation.items()
        for level in LEVELS
    }
    return rare | prices
