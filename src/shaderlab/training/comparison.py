"""`compare`: every method on the same shaders of one split, target by target."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shaderlab import locations
from shaderlab.prediction.catalogue import user_targets
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.prediction.models.model import Predicted
from shaderlab.stats import coverage
from shaderlab.training import methods, shader_data
from shaderlab.training.evaluation import (
    RESAMPLES,
    Evaluation,
    evaluate,
    evaluate_by_decade,
)
from shaderlab.training.methods import Cohort
from shaderlab.training.splits import Split, split_of

FLOOR_S = 2e-5
"""Below, a frame's fixed costs are nearly all of its time on the GPUs with published samples."""


@dataclass(frozen=True)
class Row:
    """One method on one target."""

    target: str
    method: str
    default: bool
    """Whether it is the target's default."""
    shaders: int
    """Of the split; `result.n` of them got a prediction and are judged."""
    result: Evaluation
    defined: Evaluation
    """Over the shaders among them without undefined values."""
    above_floor: Evaluation | None
    """Over the shaders among them that took `FLOOR_S` or more; None where none did."""
    by_decade: Mapping[int, Evaluation]
    """By exponent of the measured time."""
    coverage: float | None
    """Share of measured times inside the forecast's band; None where the method has none."""


def data_folder() -> Path:
    """The committed samples."""
    return locations.models() / "datasets" / "model-samples"


def texture_folder() -> Path:
    """The committed samples of shaders that read textures, which no figure of the others is of."""
    return data_folder() / "textures"


@dataclass(frozen=True)
class Answer:
    """What one method answers for a cohort, and how well."""

    cohort: Cohort
    predicted: Predicted
    row: Row


def compare(
    split: Split = Split.VALIDATION, only: Collection[str] | None = None, **options: Any
) -> tuple[Row, ...]:
    """The rows of `answers`, which takes the same options."""
    return tuple(each.row for each in answers(split, only, **options))


def answers(
    split: Split = Split.VALIDATION,
    only: Collection[str] | None = None,
    *,
    ablations: bool = False,
    models_dir: Path | None = None,
    data: Path | None = None,
    predictions: Path | None = None,
    resamples: int = RESAMPLES,
) -> Iterator[Answer]:
    """By target and method: of the methods named, or of all.

    Ablations of the trace are left out unless named, or asked for with their methods.  Raises
    `InvalidModel` where the samples or recorded predictions cannot be read.
    """
    defaults = {
        each.card.target.slug: each.methods[0].name for each in catalogue(models_dir).targets
    }
    known = cohorts(split, data)
    for cohort in (*known, *_of_users(known, models_dir)):
        for name, method in methods.methods_of(cohort, models_dir, predictions).items():
            ablation = methods.traced_name(name) != name
            named = only is None or methods.traced_name(name) in only
            wanted = (named and (ablations or not ablation)) or name in (only or ())
            if not wanted:
                continue
            predicted = method(cohort)
            if predicted is None:
                continue
            default = defaults.get(cohort.target) == name
            row = judge(cohort, name, predicted, default=default, resamples=resamples)
            if row is not None:
                yield Answer(cohort, predicted, row)


def cohorts(split: Split, data: Path | None = None) -> tuple[Cohort, ...]:
    """The shaders of a split by target, of targets that have any.  Raises `InvalidModel`."""
    shaders, times = shader_data.read(data or data_folder())
    found = []
    for slug in sorted(times):
        timed = tuple(each for each in times[slug] if split_of(each.id) is split)
        if timed:
            found.append(Cohort(slug, tuple(shaders[each.id] for each in timed), timed, data))
    return tuple(found)


def _of_users(known: Sequence[Cohort], models_dir: Path | None) -> Iterator[Cohort]:
    """For targets the user calibrated on a device that has committed samples: those samples."""
    for target in catalogue(models_dir).targets:
        device = target.card.configuration.get(user_targets.DEVICE) if target.user else None
        for cohort in known:
            if cohort.target == device:
                slug = target.card.target.slug
                timed = (
                    replace(each, target=slug, pilr_s=None, transformer_s=None)
                    for each in cohort.timed
                )
                yield replace(cohort, target=slug, timed=tuple(timed))


def judge(
    cohort: Cohort,
    name: str,
    predicted: Predicted,
    *,
    default: bool = False,
    resamples: int = RESAMPLES,
) -> Row | None:
    """A method's row over the shaders it answered for; None where it answered for too few.

    Too few: none at all, or none without undefined values.
    """
    answered = np.isfinite(predicted.time_s)
    low_s, high_s = predicted.low_s, predicted.high_s
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
        if low_s is None or high_s is None
        else coverage(measured_s, low_s[answered], high_s[answered]),
    )


def known_methods(models_dir: Path | None = None) -> tuple[str, ...]:
    """Every name `compare` could be asked for.  Raises `InvalidModel`."""
    return methods.known(models_dir)
