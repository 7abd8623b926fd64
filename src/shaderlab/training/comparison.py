"""`compare`: every method on the same shaders of one split, target by target."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shaderlab import locations
from shaderlab.prediction.regressions import RegressionModel
from shaderlab.prediction.splits import Split, split_of
from shaderlab.prediction.targets import catalogue
from shaderlab.training import methods, shader_data
from shaderlab.training.evaluation import (
    RESAMPLES,
    Evaluation,
    coverage,
    evaluate,
    evaluate_by_decade,
)
from shaderlab.training.methods import Cohort, Predicted
from shaderlab.training.shader_data import Shader

FLOOR_S = 2e-5
"""Below, a frame's fixed costs are nearly all of its time on the GPUs with published samples."""


@dataclass(frozen=True)
class Row:
    """One method on one target."""

    target: str
    method: str
    default: bool
    """Whether the application predicts this target with it unless told otherwise."""
    shaders: int
    """Of the split; `result.n` of them got a prediction and are judged."""
    result: Evaluation
    defined: Evaluation
    """Over the shaders among them that read nothing undefined."""
    above_floor: Evaluation | None
    """Over the shaders among them that took `FLOOR_S` or more; None where none did."""
    by_decade: Mapping[int, Evaluation]
    """By exponent of the measured time."""
    coverage: float | None
    """Share of measured times inside the forecast's band; None where the method has none."""


def data_folder() -> Path:
    """The committed samples."""
    return locations.models() / "datasets" / "published-samples"


def compare(
    split: Split = Split.VALIDATION,
    only: Collection[str] | None = None,
    *,
    models_dir: Path | None = None,
    data: Path | None = None,
    predictions: Path | None = None,
    resamples: int = RESAMPLES,
) -> tuple[Row, ...]:
    """Rows by target and method, of the methods named or all.

    Raises `InvalidModel` where the samples or recorded predictions cannot be read.
    """
    defaults = {
        each.card.target.slug: each.methods[0].name for each in catalogue(models_dir).targets
    }
    rows = []
    for cohort in cohorts(split, data):
        for name, method in methods.methods_of(cohort, models_dir, predictions).items():
            if only is None or name in only:
                default = defaults.get(cohort.target) == name
                row = judge(cohort, name, method(cohort), default=default, resamples=resamples)
                rows += [] if row is None else [row]
    return tuple(rows)


def cohorts(split: Split, data: Path | None = None) -> tuple[Cohort, ...]:
    """The shaders of a split by target, of targets that have any.  Raises `InvalidModel`."""
    shaders, times = shader_data.read(data or data_folder())
    found = []
    for slug in sorted(times):
        timed = tuple(each for each in times[slug] if split_of(each.id) is split)
        if timed:
            found.append(Cohort(slug, tuple(shaders[each.id] for each in timed), timed))
    return tuple(found)


def judge(
    cohort: Cohort,
    name: str,
    predicted: Predicted,
    *,
    default: bool = False,
    resamples: int = RESAMPLES,
) -> Row | None:
    """A method's row over the shaders it answered for; None where it answered for too few.

    Too few: none at all, or none that reads nothing undefined.
    """
    answered = np.isfinite(predicted.time_s)
    measured_s, predicted_s = cohort.measured_s[answered], predicted.time_s[answered]
    defined, above = cohort.defined[answered], measured_s >= FLOOR_S
    if not defined.any():
        return None

    def over(chosen: np.ndarray) -> Evaluation:
        return evaluate(measured_s[chosen], predicted_s[chosen], resamples=resamples)

    return Row(
        target=cohort.target,
        method=name,
        default=default,
        shaders=len(cohort.timed),
        result=evaluate(measured_s, predicted_s, resamples=resamples),
        defined=over(defined),
        above_floor=over(above) if above.any() else None,
        by_decade=evaluate_by_decade(measured_s, predicted_s, resamples=resamples),
        coverage=None
        if predicted.low_s is None
        else coverage(measured_s, predicted.low_s[answered], predicted.high_s[answered]),
    )


def known_methods(models_dir: Path | None = None) -> tuple[str, ...]:
    """Every name `compare` could be asked for.  Raises `InvalidModel`."""
    return methods.known(models_dir)


def published_s(
    slug: str, method: str, shaders: Sequence[Shader], models_dir: Path | None = None
) -> np.ndarray | None:
    """What a published regression of a target, with its fallback, gives; None without one."""
    for target in catalogue(models_dir).targets:
        if target.card.target.slug == slug:
            for model in target.models:
                names = [each.name for each in model.methods]
                if isinstance(model, RegressionModel) and method in names:
                    found = [model.forecast(each.traced(), method).time_s for each in shaders]
                    return np.array(found)
    return None
