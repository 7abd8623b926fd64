"""What `evaluate` compares: every method answers for many shaders of one target at once.

Three ways in.  A bundle whose forecast follows from a shader's counts: name its class in
`BY_COUNTS`.  A model that needs the shader's text, or anything else the committed data lack: record
its predictions once (`recorded_predictions.write`).  Predictions printed elsewhere: `PRINTED`.
A recorded prediction goes before asking the bundle of the same method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from shaderlab import locations
from shaderlab.prediction.bundles.card import MethodCard
from shaderlab.prediction.catalogue.targets import Model, catalogue
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.additive_model import AdditiveModel, believed_s, latest_first
from shaderlab.prediction.models.examples import predict_s
from shaderlab.prediction.models.refitted import RefittedModel, band_of
from shaderlab.prediction.models.regressions import RegressionModel
from shaderlab.prediction.models.trees import TreesModel
from shaderlab.training import baselines, recorded_predictions, shader_data
from shaderlab.training.shader_data import Shader, TimedShader

PRINTED_PILR, PRINTED_TRANSFORMER = "authors-pilr", "authors-transformer"
"""Predictions the paper's authors printed for these shaders, by their own models."""

PRINTED: Mapping[str, Callable[[TimedShader], float | None]] = {
    PRINTED_PILR: lambda each: each.pilr_s,
    PRINTED_TRANSFORMER: lambda each: each.transformer_s,
}

LATEST = "additive-latest"
"""What is shown once all forms of a program were counted: the forecast of the latest form there
is, since not every program has all."""

UNTRACED, ESTIMATED = "-untraced", "-estimated"
"""End the names of ablations: a method fitted and asked without the trace, with every block counted
once per pixel (`untraced`), or with likely counts (`prediction.static_counts`)."""


@dataclass(frozen=True)
class Cohort:
    """Shaders of one split, timed on one target."""

    target: str
    shaders: tuple[Shader, ...]
    timed: tuple[TimedShader, ...]
    """The same shaders, in the same order."""

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(each.id for each in self.timed)

    @property
    def measured_s(self) -> np.ndarray:
        """(n,) seconds per draw at 1024x768."""
        return np.array([each.full_s for each in self.timed])

    @property
    def defined(self) -> np.ndarray:
        """(n,) whether a shader reads nothing undefined."""
        return np.array([not each.reads_undefined for each in self.shaders], bool)


@dataclass(frozen=True)
class Predicted:
    """A method's answers for a cohort."""

    time_s: np.ndarray
    """(n,) seconds; nan where the method has no answer (say, a shader too long for it)."""
    low_s: np.ndarray | None = None
    """(n,) ends of the band; None where the method has none."""
    high_s: np.ndarray | None = None


Method = Callable[[Cohort], Predicted]


def methods_of(
    cohort: Cohort, models_dir: Path | None = None, predictions: Path | None = None
) -> dict[str, Method]:
    """All methods that answer for the cohort's target, by name, bundles in order of preference.

    `models_dir` and `predictions`: the committed ones by default.
    """
    found: dict[str, Method] = {}
    for target in catalogue(models_dir).targets:
        if target.card.target.slug == cohort.target:
            for model in target.models:
                ask = BY_COUNTS.get(type(model))
                if ask is not None:
                    found |= {card.name: partial(ask, model, card.name) for card in model.methods}
            forms = latest_first(each for each in target.models if isinstance(each, AdditiveModel))
            if len(forms) > 1:
                found[LATEST] = partial(_latest, forms)
    for name, printed in PRINTED.items():
        if all(printed(each) is not None for each in cohort.timed):
            found[name] = partial(_printed, name)
    recorded = recorded_predictions.read(predictions)
    for name in sorted({name for target, name in recorded if target == cohort.target}):
        found[name] = partial(_recorded, recorded[cohort.target, name])
    return found


def traced_name(name: str) -> str:
    """The method an ablation is of; any other name as it is."""
    return name.removesuffix(UNTRACED).removesuffix(ESTIMATED)


def known(models_dir: Path | None = None, predictions: Path | None = None) -> tuple[str, ...]:
    """Every name `methods_of` could answer for some target."""
    bundled = {
        method.name
        for target in catalogue(models_dir).targets
        for model in target.models
        if type(model) in BY_COUNTS
        for method in model.methods
    }
    recorded = {name for _, name in recorded_predictions.read(predictions)}
    return (*sorted(bundled | recorded), LATEST, *PRINTED)


def by_forecast(model: Model, name: str, cohort: Cohort) -> Predicted:
    """Of a model whose forecast looks at executed opcodes alone, one shader at a time."""
    forecasts = [model.forecast(shader.traced(), name) for shader in cohort.shaders]
    time_s, low_s, high_s = (
        np.array([getattr(each, end) for each in forecasts])
        for end in ("time_s", "low_s", "high_s")
    )
    return Predicted(time_s, low_s, high_s)


def _additive(model: AdditiveModel, name: str, cohort: Cohort) -> Predicted:
    """Of the form of the programs that it prices; nan for shaders without counts of that."""
    time_s = _priced_s(model, cohort)
    if model.form is Form.COMPILED:
        for other in model.dividing:
            if other.form is Form.OPTIMIZED:
                time_s = believed_s(time_s, _priced_s(other, cohort))
    bands = [
        model.band(each_s, reads_undefined=shader.reads_undefined)
        for each_s, shader in zip(time_s.tolist(), cohort.shaders, strict=True)
    ]
    return Predicted(
        time_s, np.array([each.low_s for each in bands]), np.array([each.high_s for each in bands])
    )


def _latest(models: Sequence[AdditiveModel], cohort: Cohort) -> Predicted:
    """By the first of the models that has counts of the shader."""
    first, *others = (_additive(model, LATEST, cohort) for model in models)
    columns = [first.time_s, first.low_s, first.high_s]
    for other in others:
        missing = np.isnan(columns[0])
        ends = (other.time_s, other.low_s, other.high_s)
        columns = [np.where(missing, b, a) for a, b in zip(columns, ends, strict=True)]
    return Predicted(*columns)


def _priced_s(model: AdditiveModel, cohort: Cohort) -> np.ndarray:
    shaders: Sequence[Shader | None] = cohort.shaders
    if model.form is not Form.WRITTEN:
        counted = _counted(model.form)
        shaders = [counted.get(each) for each in cohort.ids]
    have = np.array([each is not None for each in shaders], bool)
    time_s = np.full(len(shaders), np.nan)
    if have.any():
        time_s[have] = predict_s(model.weights, [each.example for each in shaders if each])
    return time_s


@cache
def _counted(form: Form) -> Mapping[str, Shader]:
    folder = locations.models() / "datasets" / "model-samples"
    shaders, _ = shader_data.read(folder, shader_data.FORMS[form])
    return shaders


def _refitted(model: RefittedModel, name: str, cohort: Cohort) -> Predicted:
    time_s = np.array([model.time_s(name, shader.traced()) for shader in cohort.shaders])
    (card,) = (each for each in model.methods if each.name == name)
    return _banded(card, time_s, model.floor_s, cohort)


def _trees(model: TreesModel, name: str, cohort: Cohort) -> Predicted:
    (card,) = model.methods
    time_s = model.times_s(baselines.tree_table(cohort.shaders, card.features))
    return _banded(card, time_s, model.floor_s, cohort)


def _banded(card: MethodCard, time_s: np.ndarray, floor_s: float, cohort: Cohort) -> Predicted:
    bands = [
        band_of(card, each_s, floor_s, reads_undefined=shader.reads_undefined)
        for each_s, shader in zip(time_s.tolist(), cohort.shaders, strict=True)
    ]
    return Predicted(
        time_s, np.array([each.low_s for each in bands]), np.array([each.high_s for each in bands])
    )


def _printed(name: str, cohort: Cohort) -> Predicted:
    return Predicted(np.array([PRINTED[name](each) for each in cohort.timed], np.float64))


def _recorded(by_id: Mapping[str, float], cohort: Cohort) -> Predicted:
    return Predicted(np.array([by_id.get(each, np.nan) for each in cohort.ids], np.float64))


BY_COUNTS: Mapping[type, Callable[[Model, str, Cohort], Predicted]] = {
    AdditiveModel: _additive,
    RegressionModel: by_forecast,
    RefittedModel: _refitted,
    TreesModel: _trees,
}
"""How a bundle of each class answers for a cohort.  `matched` has no samples to be judged on."""
