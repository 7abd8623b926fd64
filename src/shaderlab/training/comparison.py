"""`compare`: every method on the same shaders of one split, target by target."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shaderlab import locations
from shaderlab.prediction.additive_model import AdditiveModel
from shaderlab.prediction.regressions import RegressionModel
from shaderlab.prediction.splits import Split, split_of
from shaderlab.prediction.targets import Target, catalogue
from shaderlab.training import shader_data
from shaderlab.training.evaluation import Evaluation, coverage, evaluate, evaluate_by_decade
from shaderlab.training.examples import predict_s
from shaderlab.training.shader_data import Shader, TimedShader

PRINTED_PILR, PRINTED_TRANSFORMER = "authors-pilr", "authors-transformer"
"""Predictions the paper's authors printed for these shaders, by their own models."""


@dataclass(frozen=True)
class Row:
    """One method on one target."""

    target: str
    method: str
    default: bool
    """Whether the application predicts this target with it unless told otherwise."""
    result: Evaluation
    defined: Evaluation
    """Over the shaders among them that read nothing undefined."""
    by_decade: Mapping[int, Evaluation]
    """By exponent of the measured time."""
    coverage: float | None
    """Share of measured times inside the forecast's band; None where the method has none."""


def data_folder() -> Path:
    """The committed samples."""
    return locations.models() / "datasets" / "published-samples"


def compare(
    split: Split = Split.VALIDATION,
    methods: Collection[str] | None = None,
    *,
    models_dir: Path | None = None,
    data: Path | None = None,
) -> tuple[Row, ...]:
    """Rows by target and method, of the methods named or all.

    Raises `InvalidModel` where the samples cannot be read.
    """
    shaders, times = shader_data.read(data or data_folder())
    installed = {each.card.target.slug: each for each in catalogue(models_dir).targets}
    rows = []
    for slug in sorted(times):
        timed = [each for each in times[slug] if split_of(each.id) is split]
        if not timed:
            continue
        measured_s = np.array([each.full_s for each in timed])
        target = installed.get(slug)
        chosen = [shaders[each.id] for each in timed]
        defined = np.array([not each.reads_undefined for each in chosen])
        for name in _methods_of(target, timed):
            if methods is None or name in methods:
                predicted_s, covered = _predict(target, name, chosen, timed, measured_s)
                leads = target is not None and target.methods[0].name == name
                rows.append(
                    Row(
                        slug, name, leads, evaluate(measured_s, predicted_s),
                        evaluate(measured_s[defined], predicted_s[defined]),
                        evaluate_by_decade(measured_s, predicted_s), covered,
                    )
                )  # fmt: skip
    return tuple(rows)


def known_methods(models_dir: Path | None = None) -> tuple[str, ...]:
    """Every name `compare` could be asked for."""
    names = {method.name for each in catalogue(models_dir).targets for method in each.methods}
    return (*sorted(names), PRINTED_PILR, PRINTED_TRANSFORMER)


def published_s(
    slug: str, method: str, shaders: Sequence[Shader], models_dir: Path | None = None
) -> np.ndarray | None:
    """What a published regression of a target, with its fallback, gives; None without one."""
    for target in catalogue(models_dir).targets:
        if target.card.target.slug == slug:
            for model in target.models:
                if isinstance(model, RegressionModel) and method in _names(model):
                    found = [model.forecast(each.traced(), method).time_s for each in shaders]
                    return np.array(found)
    return None


def _names(model) -> list[str]:
    return [each.name for each in model.methods]


def _methods_of(target: Target | None, timed: Sequence[TimedShader]) -> list[str]:
    names = [] if target is None else [method.name for method in target.methods]
    if all(each.pilr_s is not None for each in timed):
        names.append(PRINTED_PILR)
    if all(each.transformer_s is not None for each in timed):
        names.append(PRINTED_TRANSFORMER)
    return names


def _predict(
    target: Target | None,
    name: str,
    shaders: Sequence[Shader],
    timed: Sequence[TimedShader],
    measured_s: np.ndarray,
) -> tuple[np.ndarray, float | None]:
    """Predicted seconds, (n,), and the share of measured times inside their band."""
    if name == PRINTED_PILR:
        return np.array([each.pilr_s for each in timed]), None
    if name == PRINTED_TRANSFORMER:
        return np.array([each.transformer_s for each in timed]), None
    (model,) = (each for each in target.models if name in _names(each))
    if isinstance(model, AdditiveModel):
        predicted = predict_s(model.weights, [shader.example for shader in shaders])
        bands = [
            model.band(time_s, reads_undefined=shader.reads_undefined)
            for time_s, shader in zip(predicted.tolist(), shaders, strict=True)
        ]
    else:
        bands = [model.forecast(shader.traced(), name) for shader in shaders]
        predicted = np.array([each.time_s for each in bands])
    low, high = (np.array([getattr(each, end) for each in bands]) for end in ("low_s", "high_s"))
    return predicted, coverage(measured_s, low, high)
