"""A study of a pair as JSON: what `shaderlab pairs --json` prints and `models/pairs.json` holds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from shaderlab.prediction.catalogue.pair_tables import BAND, HostCurve
from shaderlab.stats import Estimate, conformal_factors
from shaderlab.training.evaluation import evaluate
from shaderlab.training.pair_models import Weights, running_median
from shaderlab.training.pairs import Line, Pair, Ranked, Study

_KNOTS = 48
_PARTS = 3
"""Ranges of the host's time with a band each."""


def data(
    study: Study, ranked: Sequence[Ranked] | None, times: Mapping[str, float]
) -> dict[str, Any]:
    """`times`: seconds on the target of shaders that the host alone has timed."""
    pair = study.pair
    return {
        "host": pair.host,
        "target": pair.target,
        "shaders": len(pair.ids),
        "features": len(pair.names),
        "weights": study.weights.value,
        "best": study.best,
        "methods": [_line(line) for line in study.lines],
        "ranking": None if ranked is None else [asdict(each) for each in ranked],
        "forecasts_s": dict(times),
    }


def host_curve(pair: Pair) -> HostCurve:
    """The running median over the host's time at a few times between which to interpolate, with
    errors and bands of curves that were made without each fold."""
    hosts = pair.features[:, 0]
    predicted = np.zeros(len(hosts))
    for fold in np.unique(pair.folds):
        mine = pair.folds == fold
        predicted[mine] = _through(hosts[~mine], pair.target_s[~mine]).at(hosts[mine])
    found = _through(hosts, pair.target_s)
    ends = [*np.quantile(hosts, np.arange(1, _PARTS) / _PARTS).tolist(), float("inf")]
    part = np.searchsorted(ends, hosts)
    ratios = pair.target_s / predicted
    bands = tuple(
        (end, *conformal_factors(ratios[part == place], BAND)) for place, end in enumerate(ends)
    )
    result = evaluate(pair.target_s, predicted)
    return HostCurve(
        found.host_s, found.target_s, bands[:-1], bands[-1][1:], result.n, result.mape.value,
        result.median_ape.value, result.within20.value, result.spearman.value,
    )  # fmt: skip


def _through(hosts: np.ndarray, seconds: np.ndarray) -> HostCurve:
    knots = np.unique(np.quantile(hosts, np.linspace(0, 1, _KNOTS)))
    at = running_median(hosts[:, None], seconds, Weights.RELATIVE).predict(knots[:, None])
    return HostCurve(tuple(knots.tolist()), tuple(at.tolist()))


def _line(line: Line) -> dict[str, Any]:
    found: dict[str, Any] = {
        "method": line.method,
        "kind": line.kind,
        "shaders": line.shaders,
        "refused": line.refused or None,
        "beats_competitors": line.beats,
    }
    if line.result is None:
        return found
    return found | {
        "n": line.result.n,
        "fold_error": line.fold_error,
        "mape": _estimate(line.result.mape),
        "median_ape": _estimate(line.result.median_ape),
        "spearman": _estimate(line.result.spearman),
        "features": _finite(line.features),
        "inliers": {f"{w:g}": _estimate(each) for w, each in (line.inliers or {}).items()},
        "inlier_curve": list(line.curve),
    }


def _estimate(each: Estimate) -> dict[str, float | None]:
    return {name: _finite(getattr(each, name)) for name in ("value", "low", "high")}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
