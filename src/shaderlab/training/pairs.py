"""A pair of devices that ran the same shaders: how well times of one follow from the other's.

HALWPE's study (sections IV and V) on our samples, with what it lacks: competitors without a model,
a choice that the reported error did not make, and intervals.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shaderlab import stats
from shaderlab.errors import WrongUse
from shaderlab.samples import exchange
from shaderlab.samples.sample import Sample
from shaderlab.stats import Estimate
from shaderlab.training import shader_data
from shaderlab.training.comparison import cohorts, data_folder
from shaderlab.training.evaluation import RESAMPLES, Evaluation, evaluate, relative_errors
from shaderlab.training.methods import LATEST, methods_of
from shaderlab.training.pair_models import METHODS, Fitted, Kind, Weights
from shaderlab.training.splits import Split

FOLDS, INNER_FOLDS = 10, 3
LEAST = 20
"""Shared shaders that a pair needs."""
INLIERS = (0.01, 0.05, 0.10, 0.15, 0.20, 0.30, 0.40, 0.50)
"""Errors within which shares are given."""
NESTED = "chosen by inner folds"
"""The line of the thirteen regressions' choice by folds that know nothing of the judged fold."""
RANKED = "OLS/F/BIC"
"""Whose features are ranked, as in HALWPE's section VII."""


@dataclass(frozen=True)
class Pair:
    """Shaders timed on both devices."""

    host: str
    target: str
    ids: tuple[str, ...]
    names: tuple[str, ...]
    """Of the features; the host's time is the first."""
    features: np.ndarray
    """(n, p)."""
    target_s: np.ndarray
    """(n,) seconds."""
    alone: tuple[str, ...] = ()
    """Shaders that the host alone has timed."""
    alone_features: np.ndarray | None = None

    @property
    def folds(self) -> np.ndarray:
        """(n,) fold of each shader, from its id alone."""
        return np.array([_digest(f"f{each}") % FOLDS for each in self.ids])


@dataclass(frozen=True)
class Line:
    """One method on a pair."""

    method: str
    kind: str
    result: Evaluation | None = None
    """None where it was refused."""
    fold_error: float = float("nan")
    """HALWPE's E_out: the mean error of each fold, averaged."""
    inliers: Mapping[float, Estimate] | None = None
    """Shares of shaders by `INLIERS`."""
    curve: tuple[float, ...] = ()
    """The same at 1, 2, ... 50 %."""
    features: float = float("nan")
    """Used, averaged over the folds."""
    refused: str = ""
    beats: bool | None = None
    """Of a regression: whether mean and median error are below every competitor's, by 95 %
    intervals of the difference."""
    shaders: str = "ten folds"
    """Which it is judged on."""


@dataclass(frozen=True)
class Study:
    pair: Pair
    weights: Weights
    lines: tuple[Line, ...]

    @property
    def best(self) -> str | None:
        """Of least fold error; a regression only where it beats the competitors."""
        allowed = [
            each for each in self.lines
            if each.result is not None and each.method in METHODS
            and (each.kind == Kind.COMPETITOR or each.beats)
        ]  # fmt: skip
        return min(allowed, key=lambda each: each.fold_error).method if allowed else None


def committed(host: str, target: str) -> Pair:
    """The samples that models are fitted to: executed instructions by opcode, at 1024x768.

    Raises WrongUse for devices without such samples.
    """
    shaders, times = shader_data.read(data_folder())
    for slug in (host, target):
        if slug not in times:
            raise WrongUse(f"no committed samples of {slug[:80]}; there are {', '.join(times)}")
    here, there = ({each.id: each.full_s for each in times[slug]} for slug in (host, target))
    opcodes = {id: shaders[id].executed for id in here}
    return _pair(host, target, here, there, opcodes)


def of_files(host: Path, target: Path) -> Pair:
    """Two data sets or stores with samples of the same shaders, each of one device.

    Raises WrongUse where a file has several devices, or fewer than `LEAST` shaders are in both,
    and InvalidDataset.
    """
    one, other = _samples(host), _samples(target)
    opcodes = {
        key: dict(each.trace.opcodes) if each.trace is not None else {} for key, each in one.items()
    }
    slugs = next(iter(one.values())).device.slug, next(iter(other.values())).device.slug
    here, there = (
        {key: each.timing.time_s for key, each in found.items()} for found in (one, other)
    )
    return _pair(*slugs, here, there, opcodes)


def study(
    pair: Pair,
    weights: Weights = Weights.RELATIVE,
    *,
    only: Sequence[str] | None = None,
    nested: bool = False,
    report: Callable[[str], None] | None = None,
) -> Study:
    """Every method, or those named, on ten folds; `report` hears the method under way."""
    names = list(only or METHODS)
    predicted: dict[str, np.ndarray] = {}
    lines: list[Line] = []
    for name in names:
        if report is not None:
            report(name)
        line, times = _judged(pair, name, weights)
        lines.append(line)
        if times is not None:
            predicted[name] = times
    if nested:
        if report is not None:
            report(NESTED)
        lines.append(
            _nested(pair, [n for n in names if METHODS[n][0] is not Kind.COMPETITOR], weights)
        )
    learned = _learned(pair)
    lines = [_compared(pair, line, predicted) for line in lines]
    return Study(pair, weights, (*lines, *([learned] if learned else [])))


@dataclass(frozen=True)
class Ranked:
    feature: str
    p_value: float
    coefficient_s: float
    """Seconds per standard deviation."""


def ranking(pair: Pair, weights: Weights = Weights.RELATIVE) -> tuple[Ranked, ...]:
    """The features that `RANKED` selects of the whole pair, by p-value: no significance."""
    fitted = METHODS[RANKED][1](pair.features, pair.target_s, weights)
    assert fitted.p_values is not None
    assert fitted.coefficients is not None
    rows = zip(fitted.selected, fitted.p_values, fitted.coefficients, strict=True)
    found = (Ranked(pair.names[column], p, b) for column, p, b in rows)
    return tuple(sorted(found, key=lambda each: each.p_value))


def forecasts(pair: Pair, method: str, weights: Weights = Weights.RELATIVE) -> dict[str, float]:
    """Seconds on the target of the shaders that the host alone has timed."""
    if pair.alone_features is None or not pair.alone:
        return {}
    fitted = METHODS[method][1](pair.features, pair.target_s, weights)
    return dict(zip(pair.alone, fitted.predict(pair.alone_features).tolist(), strict=True))


def _pair(
    host: str,
    target: str,
    here: Mapping[str, float],
    there: Mapping[str, float],
    opcodes: Mapping[str, Mapping[str, int]],
) -> Pair:
    shared, alone = sorted(here.keys() & there.keys()), sorted(here.keys() - there.keys())
    if len(shared) < LEAST:
        raise WrongUse(
            f"{host} and {target} have {len(shared)} shaders in common, of the same size and time; "
            f"a pair needs {LEAST}"
        )
    names = sorted({name for id in shared for name in opcodes.get(id, {})})

    def rows(ids: Sequence[str]) -> np.ndarray:
        found = [[here[id], *(opcodes.get(id, {}).get(name, 0) for name in names)] for id in ids]
        return np.array(found, np.float64).reshape(len(ids), 1 + len(names))

    return Pair(
        host, target, tuple(shared), ("host time", *names), rows(shared),
        np.array([there[id] for id in shared]), tuple(alone), rows(alone) if alone else None,
    )  # fmt: skip


def _samples(path: Path) -> dict[str, Sample]:
    """By shader and frame: the last sample of each."""
    found: dict[str, Sample] = {}
    devices: set[str] = set()
    for sample in exchange.accepted(path):
        devices.add(sample.device.slug)
        program, inputs = sample.program, sample.inputs
        name = f"{program.collection}/{program.id}" if program.id else program.digest
        key = f"{name} {inputs.width}x{inputs.height} {inputs.time_s:g} {inputs.frame}"
        found[key] = sample
    if len(devices) != 1:
        listed = ", ".join(sorted(devices)[:5]) or "no sample"
        raise WrongUse(f"{path.name} has {listed}: one device is wanted; dataset export --device")
    return found


def _cross_validated(
    features: np.ndarray, seconds: np.ndarray, folds: np.ndarray, name: str, weights: Weights
) -> tuple[np.ndarray, list[Fitted]]:
    predicted, models = np.zeros(len(seconds)), []
    for fold in np.unique(folds):
        left_out = folds == fold
        fitted = METHODS[name][1](features[~left_out], seconds[~left_out], weights)
        predicted[left_out] = fitted.predict(features[left_out])
        models.append(fitted)
    return predicted, models


def _judged(pair: Pair, name: str, weights: Weights) -> tuple[Line, np.ndarray | None]:
    kind = METHODS[name][0].value
    try:
        found, models = _cross_validated(pair.features, pair.target_s, pair.folds, name, weights)
    except ValueError as error:
        return Line(name, kind, refused=str(error)), None
    used = float(np.mean([len(each.selected) for each in models]))
    return _line(name, kind, pair.target_s, found, pair.folds, used), found


def _line(
    name: str,
    kind: str,
    measured: np.ndarray,
    predicted: np.ndarray,
    folds: np.ndarray,
    used: float = float("nan"),
    shaders: str = "ten folds",
) -> Line:
    errors = relative_errors(measured, predicted)
    draws = stats.bootstrap_draws(len(errors), RESAMPLES)
    inliers = {
        within: stats.bootstrap((errors <= within).astype(float), draws, np.mean)
        for within in INLIERS
    }
    curve = tuple(float((errors <= percent / 100).mean()) for percent in range(1, 51))
    averaged = float(np.mean([errors[folds == fold].mean() for fold in np.unique(folds)]))
    result = evaluate(measured, predicted)
    return Line(name, kind, result, averaged, inliers, curve, used, shaders=shaders)


def _nested(pair: Pair, names: Sequence[str], weights: Weights) -> Line:
    """Each fold by the method that folds of the other nine prefer."""
    predicted, used = np.zeros(len(pair.ids)), []
    inner = np.array([_digest(f"i{each}") % INNER_FOLDS for each in pair.ids])
    for fold in np.unique(pair.folds):
        rest = pair.folds != fold
        scores: dict[str, float] = {}
        for name in names:
            try:
                found, _ = _cross_validated(
                    pair.features[rest], pair.target_s[rest], inner[rest], name, weights
                )
            except ValueError:
                continue
            scores[name] = float(relative_errors(pair.target_s[rest], found).mean())
        if not scores:
            return Line(NESTED, "chosen", refused="no regression can be fitted")
        best = min(scores, key=scores.__getitem__)
        fitted = METHODS[best][1](pair.features[rest], pair.target_s[rest], weights)
        predicted[~rest] = fitted.predict(pair.features[~rest])
        used.append(len(fitted.selected))
    return _line(NESTED, "chosen", pair.target_s, predicted, pair.folds, float(np.mean(used)))


def _compared(pair: Pair, line: Line, predicted: Mapping[str, np.ndarray]) -> Line:
    rivals = [n for n, (kind, _) in METHODS.items() if kind is Kind.COMPETITOR and n in predicted]
    if line.method not in predicted or line.method in rivals or not rivals:
        return line
    own = relative_errors(pair.target_s, predicted[line.method])
    draws = stats.bootstrap_draws(len(own), RESAMPLES)

    def below(rival: str) -> bool:
        theirs = relative_errors(pair.target_s, predicted[rival])
        return all(
            np.quantile(figure(own[draws], axis=1) - figure(theirs[draws], axis=1), 0.975) < 0
            for figure in (np.mean, np.median)
        )

    return replace(line, beats=all(below(rival) for rival in rivals))


def _learned(pair: Pair) -> Line | None:
    """The shipped forecast of the target, which needs no host, on its test split."""
    for cohort in cohorts(Split.TEST):
        if cohort.target != pair.target:
            continue
        found = methods_of(cohort).get(LATEST)
        answered = found(cohort) if found is not None else None
        if answered is None:
            return None
        known = set(pair.ids)
        chosen = np.array([id in known for id in cohort.ids]) & np.isfinite(answered.time_s)
        if chosen.sum() < LEAST:
            return None
        folds = np.zeros(int(chosen.sum()), int)
        return _line(
            LATEST, "learned", cohort.measured_s[chosen], answered.time_s[chosen], folds,
            shaders="test split",
        )  # fmt: skip
    return None


def _digest(text: str) -> int:
    return int(hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest(), 16)
